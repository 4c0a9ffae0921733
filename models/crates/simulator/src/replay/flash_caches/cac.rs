//! Cost-adjusted caching (CAC): greedy-dual by the benefit of each page.

use super::chains::NONE;
use super::frames::{self, Copies, DIRECTORY, EntriesOnFlash, FrameTable, directory_of};
use super::options::Options;
use super::{
    Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host, OptionAbout,
    Sampled, Unsampled,
};
use crate::error::Result;
use crate::replay::metadata::MetadataLayout;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) write_back: bool,
    /// What a flash hit saves [µs].
    pub(crate) read_us: i64,
    /// What a changed victim saves if it is on flash [µs].
    pub(crate) write_us: i64,
    pub(crate) directory: EntriesOnFlash,
}

/// CAC as Kang, Lee and Moon describe it in section 3.2: greedy-dual, by the benefit of each page.
///
/// ```text
/// benefit(p) =          reads of p that DRAM missed x (disk read - flash read)
///                       + its changed exits from DRAM x (disk write - flash write)
///                       (write-through: the disk write is not saved)
/// value(p)   =          floor + benefit(p), at its last I/O; floor = value of the last victim
/// DRAM misses p:        count the read; on flash: read it, value p again
/// evict p from DRAM:    changed: count the write; write-through: write it to disk
///                       on flash: changed: write it over its copy, value p again
///                       else, flash full: if floor + benefit(p) is not above the least value on
///                         flash: p goes to disk if it changed and is not there, and stays away;
///                         else the page of the least value leaves (to disk if dirty), the floor rises
///                       write p to flash, value it
/// ```
///
/// Choices where the paper is silent:
/// * Pages are taken as they leave DRAM. Counts are of all pages, for the whole replay, in memory; a
///   crash loses them, and a restart values every page at 0.
/// * The default times are those of the single disk and of the first drive of Table 1 of the paper,
///   1 / IOPS: a 15k disk and a Samsung 840 Pro.
/// * Among equal values the lower frame leaves.
/// * DRAM has any policy. The paper of CAC manages it by greedy-dual too.
/// * With `directory=persistent` an entry that changes costs two random metadata page writes.
#[derive(Debug)]
pub(crate) struct Cac {
    settings: Settings,
    frames: FrameTable,
    /// Reads and writes of each page: both are read for its value.
    counts: Vec<[u32; 2]>,
    floor: i64,
    /// Pages on flash: a heap, the least value first, with [`CHILDREN`] below each.
    heap: Vec<Entry>,
    /// Where each frame's page is in the heap.
    place: Vec<u32>,
}

/// A page on flash: its value, its frame and its number in one integer, by which they are ordered. Comparing two is not a
/// branch, which a processor could not guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry(u128);

impl Entry {
    #[inline]
    fn new(value: i64, frame: u32, page: u32) -> Self {
        let ascending = value.cast_unsigned() ^ 1 << 63;
        Self(u128::from(ascending) << 64 | u128::from(frame) << 32 | u128::from(page))
    }

    #[inline]
    fn value(self) -> i64 {
        ((self.0 >> 64) as u64 ^ 1 << 63).cast_signed()
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the third quarter")]
    fn frame(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the last quarter")]
    fn page(self) -> u32 {
        self.0 as u32
    }
}

/// Entries below one of the heap: four of them are a cache line, so that a walk down reads one a level.
const CHILDREN: usize = 4;

impl Cac {
    #[inline]
    fn value(&self, page: u32) -> i64 {
        let [reads, writes] = self.counts[page as usize];
        let reads = i64::from(reads).saturating_mul(self.settings.read_us);
        let writes = i64::from(writes).saturating_mul(self.settings.write_us);
        self.floor.saturating_add(reads).saturating_add(writes)
    }

    #[inline]
    fn set(&mut self, at: usize, entry: Entry) {
        self.heap[at] = entry;
        self.place[entry.frame() as usize] = u32::try_from(at).unwrap_or(NONE);
    }

    /// Puts an entry into the hole at `at`, or above it where its value belongs.
    fn rise(&mut self, mut at: usize, entry: Entry) {
        while at > 0 {
            let above = (at - 1) / CHILDREN;
            let parent = self.heap[above];
            if parent <= entry {
                break;
            }
            self.set(at, parent);
            at = above;
        }
        self.set(at, entry);
    }

    /// The least entry below a place, and where it is.
    #[inline]
    fn least_below(&self, at: usize) -> Option<(Entry, usize)> {
        let first = CHILDREN * at + 1;
        if let Some(&[a, b, c, d]) = self.heap.get(first..first + CHILDREN) {
            let left = if b < a { (b, first + 1) } else { (a, first) };
            let right = if d < c {
                (d, first + 3)
            } else {
                (c, first + 2)
            };
            return Some(if right.0 < left.0 { right } else { left });
        }
        let rest = self.heap.get(first..).unwrap_or_default();
        rest.iter().copied().zip(first..).min()
    }

    /// Puts an entry into the hole at `at`, or below it where its value belongs.
    fn sink(&mut self, mut at: usize, entry: Entry) {
        while let Some((child, from)) = self.least_below(at) {
            if child >= entry {
                break;
            }
            self.set(at, child);
            at = from;
        }
        self.set(at, entry);
    }

    /// Fills the hole at the top, last of all by an entry that was the last one: most of these belong to the bottom, so the
    /// hole goes there without comparing.
    fn refill(&mut self, last: Entry) {
        let mut at = 0;
        while let Some((child, from)) = self.least_below(at) {
            self.set(at, child);
            at = from;
        }
        self.rise(at, last);
    }

    fn entry(&self, page: u32) -> Entry {
        Entry::new(self.value(page), self.frames.frame(page), page)
    }

    fn revalue(&mut self, page: u32) {
        let entry = self.entry(page);
        let at = self.place[entry.frame() as usize] as usize;
        if entry < self.heap[at] {
            self.rise(at, entry);
        } else {
            self.sink(at, entry);
        }
    }

    fn enter(&mut self, page: u32) {
        let entry = self.entry(page);
        let frame = entry.frame() as usize;
        if frame >= self.place.len() {
            self.place.resize(frame + 1, NONE);
        }
        self.heap.push(entry);
        self.rise(self.heap.len() - 1, entry);
    }

    /// Takes the page of the least value out of the heap.
    fn pop(&mut self) -> u32 {
        let least = self.heap[0];
        let last = self.heap.pop().unwrap_or(least);
        if last != least {
            self.refill(last);
        }
        least.page()
    }

    fn admit(&mut self, page: u32, changed: bool, host: &mut impl Host) {
        let back = self.settings.write_back;
        let frame = if let Some(frame) = self.frames.room() {
            frame
        } else {
            let least = self.heap[0].value();
            if self.value(page) <= least {
                let counters = host.counters();
                counters.bypassed += 1;
                counters.disk_writes_on_exit += u64::from(changed && back);
                return;
            }
            self.floor = least;
            let victim = self.pop();
            self.frames.evict(victim, host)
        };
        self.frames.fill(page, frame, changed && back, host);
        self.enter(page);
    }
}

const MOST_US: u64 = 1_000_000_000;

impl FlashCache for Cac {
    type Settings = Settings;
    type Image = Copies;
    type Device = Frames;

    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "mode",
            values: "write_back, write_through",
            default: "write_back",
            description: "When a changed DRAM victim reaches the disk: when it makes room on flash, or at once.",
            is_place: false,
        },
        OptionAbout {
            name: "disk_read_us",
            values: "0 to 1000000000",
            default: "2445",
            description: "Time of a page read from disk. [µs]",
            is_place: false,
        },
        OptionAbout {
            name: "disk_write_us",
            values: "0 to 1000000000",
            default: "2915",
            description: "Time of a page write to disk. [µs]",
            is_place: false,
        },
        OptionAbout {
            name: "flash_read_us",
            values: "0 to 1000000000",
            default: "15",
            description: "Time of a page read from flash, below that of the disk. [µs]",
            is_place: false,
        },
        OptionAbout {
            name: "flash_write_us",
            values: "0 to 1000000000",
            default: "72",
            description: "Time of a page write to flash. [µs]",
            is_place: false,
        },
        DIRECTORY,
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        let write_back =
            options.choice("mode", &[("write_back", true), ("write_through", false)])?;
        let time = |name| options.number(name, 0..=MOST_US).map(u64::cast_signed);
        let disk_read = time("disk_read_us")?;
        let disk_write = time("disk_write_us")?;
        let flash_read = time("flash_read_us")?;
        let flash_write = time("flash_write_us")?;
        if flash_read >= disk_read {
            return Err(options.impossible(
                "flash_read_us",
                "is not below disk_read_us, so a page on flash has no benefit",
            ));
        }
        Ok(Settings {
            write_back,
            read_us: disk_read - flash_read,
            write_us: if write_back { disk_write } else { 0 } - flash_write,
            directory: directory_of(options, run)?,
        })
    }

    fn metadata(settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        frames::layout(settings.directory, run)
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        // How many stay away turns on ties of values, of which a small heap has others.
        Ok(Sampled {
            untold: &[
                "flash_sequential_page_writes",
                "flash_random_page_writes",
                "flash_sequential_write_batches",
                "bypassed",
            ],
            ..Sampled::in_frames(1.0)
        })
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            frames: FrameTable::new(flash_pages, settings.directory),
            counts: Vec::new(),
            floor: 0,
            heap: Vec::new(),
            place: Vec::new(),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.frames.grow(pages);
        if pages > self.counts.len() {
            self.counts.resize(pages, [0; 2]);
        }
    }

    fn fetch(&self, pages: &[u32]) {
        self.frames.fetch(pages);
        let counts = pages.iter().map(|&page| self.counts[page as usize][0]);
        std::hint::black_box(counts.fold(0, |mixed, count| mixed ^ count));
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        let [reads, _] = &mut self.counts[page as usize];
        *reads = reads.saturating_add(1);
        let hit = self.frames.holds(page);
        if hit {
            self.revalue(page);
        }
        hit
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.frames.holds(page)
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let back = self.settings.write_back;
        let on_flash = self.frames.holds(page);
        let counters = host.counters();
        counters.victims_found_on_flash += u64::from(on_flash);
        if changed {
            let [_, writes] = &mut self.counts[page as usize];
            *writes = writes.saturating_add(1);
            counters.disk_writes_on_exit += u64::from(!back);
        }
        if !on_flash {
            self.admit(page, changed, host);
        } else if changed {
            self.frames.overwrite(page, back, host);
            self.revalue(page);
        }
    }

    fn image(self) -> Copies {
        self.frames.copies()
    }

    fn load(&mut self, image: Copies, _counters: &mut FlashCacheCounters) {
        self.frames.load(&image);
        for (_, page, _) in image {
            self.enter(page);
        }
    }

    fn valid_copies(&self) -> u64 {
        u64::from(self.frames.held())
    }

    fn holds_newer(&self, page: u32) -> bool {
        self.frames.is_dirty(page)
    }

    fn dirty_copies(&self) -> u64 {
        u64::from(self.frames.dirty_held())
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        for (at, &entry) in self.heap.iter().enumerate() {
            let parent = self.heap[at.saturating_sub(1) / CHILDREN];
            let frame = self.frames.frame(entry.page());
            let place = self.place[entry.frame() as usize] as usize;
            if frame != entry.frame() || place != at || parent > entry {
                return Err(format!("page {} is out of order in the heap", entry.page()));
            }
        }
        self.frames.recount(self.heap.len(), counters, crash)
    }
}
