//! dm-writecache: a write cache of the kernel, written back above a watermark.

use super::chains::{Ends, Links, NONE};
use super::frames::{Copies, FrameTable};
use super::options::Options;
use super::rate::{ACCESSES_PER_SECOND, ByTime, Period, next_due};
use super::settled::ByClock;
use super::streams::note_places;
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host,
    OptionAbout, Sampled, Unsampled,
};
use crate::error::Result;
use crate::replay::bits::BitSet;
use crate::replay::metadata::MetadataLayout;
use crate::replay::room::Turns;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// Percent of the flash pages in use that start write-back, and that end it.
    pub(crate) high: u64,
    pub(crate) low: u64,
    /// New blocks that are committed together.
    pub(crate) commit_blocks: u64,
    /// At the latest after this time.
    pub(crate) commit: Period,
    /// Pages that the disk takes in a second; no limit without.
    pub(crate) pages_per_second: Option<u64>,
    /// Most pages of a request of write-back.
    run_pages: u64,
}

/// Entries of a metadata page: 16 bytes a block.
const ENTRIES: u32 = 256;
/// The metadata page before those of entries.
const SUPERBLOCK: u32 = 0;
const PERCENT: u64 = 100;
/// A request of write-back: `BIO_MAX_VECS` blocks of 4 KiB in the kernel's source.
const RUN_BYTES: u64 = 256 * 4096;

/// dm-writecache on an SSD.
///
/// ```text
/// DRAM misses p:        on flash: read it; else from disk, and flash does not take it
/// evict p from DRAM:    unchanged: the block layer does not hear of it
///                       changed: on flash: write it over its copy
///                       else into a free frame, round and round; is none free: write it to disk
///                       in all three cases, if `high_watermark` of flash is in use, and more than
///                       `low_watermark`: start write-back
/// restart:              the same
/// write-back:           while more than `low_watermark` is in use, as fast as the disk takes it: the page that
///                       entered longest ago, and with it those that follow it both on flash and on disk, up to one
///                       that no commit covers and to 1 MiB, are read in one request, written to disk in one, and
///                       their frames free; in the end commit. If no commit covers the first page, commit before
/// commit:               at `autocommit_blocks` new blocks, and every `autocommit_time_ms` if there are any: write
///                       each metadata page with a changed entry, and the superblock
/// ```
///
/// Choices where the description is silent:
/// * A disk without `writeback_pages_per_s` keeps up with write-back at once, so flash is never full.
/// * A request begins as the one before has ended, with what follows its first page then, and its frames are free as it
///   ends. A page that is changed meanwhile goes to disk as it is in the end.
/// * A trace has no flushes: what they would commit earlier is not counted. Times of commits are multiples of the period.
/// * After a crash the committed pages are there, dirty, in the order of their frames; what was written since is lost.
#[derive(Debug)]
pub(crate) struct DmWritecache {
    settings: Settings,
    capacity: u64,
    frames: FrameTable<Turns>,
    /// Page of each frame that was ever used, [`NONE`] where free.
    page_in: Vec<u32>,
    /// Address of each page, relations apart.
    place_of: Vec<u64>,
    links: Links,
    /// Pages on flash, the one that entered first first.
    order: Ends,
    /// Pages that no commit covers, the newest of the order.
    uncommitted: BitSet,
    uncommitted_list: Vec<u32>,
    /// Metadata pages that changed since the last commit.
    changed: BitSet,
    changed_list: Vec<u32>,
    /// Ticks of a second and of the time between commits.
    second: u64,
    period: u64,
    commit_due: u64,
    now: u64,
    /// When the write-back under way began, and the pages that it has written.
    writing: Option<(u64, u64)>,
    /// Pages of its request that is under way.
    run: Vec<u32>,
    /// Whether write-back was ever needed.
    reached: bool,
}

impl DmWritecache {
    fn note_entry(&mut self, frame: u32) {
        let page = frame / ENTRIES;
        self.changed.grow(page as usize + 1);
        if !self.changed.contains(page) {
            self.changed.insert(page);
            self.changed_list.push(page);
        }
    }

    fn commit(&mut self, host: &mut impl Host) {
        let changed = !self.changed_list.is_empty();
        self.changed_list.sort_unstable();
        for page in self.changed_list.drain(..) {
            self.changed.take(page);
            host.metadata_write(1 + page);
        }
        if changed {
            host.metadata_write(SUPERBLOCK);
        }
        for page in self.uncommitted_list.drain(..) {
            self.uncommitted.take(page);
        }
    }

    fn is_above(&self, percent: u64) -> bool {
        PERCENT * u64::from(self.frames.held()) > percent * self.capacity
    }

    /// Whether enough of flash is in use to start write-back, which is not under way.
    fn is_due(&self) -> bool {
        let used = PERCENT * u64::from(self.frames.held());
        let is_due = used >= self.settings.high * self.capacity && self.is_above(self.settings.low);
        self.writing.is_none() && is_due
    }

    fn start(&mut self) {
        self.reached = true;
        self.writing = Some((self.now, 0));
        self.choose_run();
    }

    /// Writes a changed page that left DRAM.
    fn take(&mut self, page: u32, on_flash: bool, host: &mut impl Host) {
        if on_flash {
            self.frames.overwrite(page, true, host);
            return;
        }
        let Some(frame) = self.frames.room() else {
            let counters = host.counters();
            counters.bypassed += 1;
            counters.disk_writes_on_exit += 1;
            return;
        };
        self.enter(page, frame);
        self.frames.fill(page, frame, true, host);
        self.note_entry(frame);
        self.uncommitted.insert(page);
        self.uncommitted_list.push(page);
        if self.uncommitted_list.len() as u64 >= self.settings.commit_blocks {
            self.commit(host);
        }
    }

    /// A page is the newest, and in a frame.
    fn enter(&mut self, page: u32, frame: u32) {
        self.links.push(&mut self.order, page);
        let frame = frame as usize;
        if frame >= self.page_in.len() {
            self.page_in.resize(frame + 1, NONE);
        }
        self.page_in[frame] = page;
    }

    /// Chooses the pages of the next request of write-back: the oldest one, and what goes to disk with it.
    fn choose_run(&mut self) {
        self.run.clear();
        let mut page = self.order.oldest;
        while page != NONE {
            self.run.push(page);
            let frame = self.frames.frame(page) as usize;
            let behind = self.page_in.get(frame + 1).copied().unwrap_or(NONE);
            let follows = behind != NONE
                && (self.run.len() as u64) < self.settings.run_pages
                && self.place_of[behind as usize] == self.place_of[page as usize].wrapping_add(1)
                && !self.uncommitted.contains(behind);
            page = if follows { behind } else { NONE };
        }
    }

    /// Commits the oldest page, if no commit covers it: it is to be written back.
    fn commit_oldest(&mut self, host: &mut impl Host) {
        let oldest = self.order.oldest;
        if oldest != NONE && self.uncommitted.contains(oldest) {
            self.commit(host);
        }
    }

    /// The pages of a request are on disk.
    fn finish_run(&mut self, host: &mut impl Host) {
        let run = std::mem::take(&mut self.run);
        for &page in &run {
            let frame = self.frames.frame(page);
            self.links.remove(&mut self.order, page);
            self.page_in[frame as usize] = NONE;
            self.note_entry(frame);
        }
        self.frames.release_run(&run, host);
        self.run = run;
    }

    /// When the disk has taken the request of write-back that is under way; `u64::MAX`: none is.
    fn run_ends(&self) -> u64 {
        let Some((began, written)) = self.writing else {
            return u64::MAX;
        };
        let wait = self.settings.pages_per_second.map_or(0, |rate| {
            let pages = u128::from(written) + self.run.len() as u128;
            let ticks = pages * u128::from(self.second);
            u64::try_from(ticks.div_ceil(u128::from(rate))).unwrap_or(u64::MAX)
        });
        began.saturating_add(wait)
    }

    /// Writes to disk what it took since write-back began.
    fn write_back(&mut self, host: &mut impl Host) {
        let Some((began, mut written)) = self.writing else {
            return;
        };
        let allowed = self.settings.pages_per_second.map_or(u64::MAX, |rate| {
            let pages = u128::from(self.now - began) * u128::from(rate) / u128::from(self.second);
            u64::try_from(pages).unwrap_or(u64::MAX)
        });
        loop {
            let end = written + self.run.len() as u64;
            if end > allowed {
                self.writing = Some((began, written));
                return;
            }
            written = end;
            self.finish_run(host);
            if !self.is_above(self.settings.low) {
                break;
            }
            self.commit_oldest(host);
            self.choose_run();
        }
        self.writing = None;
        self.commit(host);
    }
}

impl FlashCache for DmWritecache {
    type Settings = Settings;
    type Image = Copies;
    type Device = Frames;
    const NEEDS_ADDRESSES: bool = true;

    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "high_watermark",
            values: "0 to 100",
            default: "50",
            description: "Percent of the flash pages in use that start write-back.",
            is_place: false,
        },
        OptionAbout {
            name: "low_watermark",
            values: "0 to 99, at most the high watermark",
            default: "45, at most the high watermark",
            description: "Percent of the flash pages in use at which write-back stops.",
            is_place: false,
        },
        OptionAbout {
            name: "autocommit_blocks",
            values: "1 to 4294967295",
            default: "65536",
            description: "New blocks after which metadata are committed.",
            is_place: false,
        },
        OptionAbout {
            name: "autocommit_time_ms",
            values: "1 to 1000000000",
            default: "1000",
            description: "Time after which metadata are committed [ms].",
            is_place: false,
        },
        OptionAbout {
            name: "writeback_pages_per_s",
            values: "1 to 1000000000",
            default: "no limit",
            description: "Pages per second that the disk takes from write-back; where it falls behind, flash is full and writes go to disk.",
            is_place: false,
        },
        ACCESSES_PER_SECOND,
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        let high = options.number("high_watermark", 0..=PERCENT)?;
        let low = options.number_or("low_watermark", 0..=PERCENT - 1, high.min(45))?;
        if low > high {
            return Err(options.impossible("low_watermark", "is above high_watermark"));
        }
        let commit_blocks = options.number("autocommit_blocks", 1..=u64::from(u32::MAX))?;
        let ms = options.number("autocommit_time_ms", 1..=1_000_000_000)?;
        let pages_per_second =
            options.number_if_given("writeback_pages_per_s", 1..=1_000_000_000)?;
        Ok(Settings {
            high,
            low,
            commit_blocks,
            commit: Period::new(options, ms)?,
            pages_per_second,
            run_pages: run.pages_of(RUN_BYTES, u64::MAX),
        })
    }

    fn by_time(settings: &Settings) -> Option<ByTime> {
        Some(ByTime {
            period: settings.commit,
            what: "dm-writecache commits",
        })
    }

    fn fills_at_once(_settings: &Settings) -> u64 {
        // Any access may be the one that starts write-back.
        u64::MAX
    }

    fn metadata(_settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        Some(MetadataLayout::table(
            1 + u64::from(run.flash_pages.div_ceil(ENTRIES)),
            "a superblock and a table behind the data, written in place: a page for each 256 flash pages",
        ))
    }

    fn sampled(settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        if settings.pages_per_second.is_some() {
            return Err(Unsampled::unless(
                "a disk that keeps up, without writeback_pages_per_s",
                "its disk takes a number of pages a second, which does not shrink with flash",
            ));
        }
        // What write-back frees at once, or, where the watermarks are one, what may be in use.
        let part = match settings.high - settings.low {
            0 => settings.high.max(1),
            between => between,
        };
        // A sample holds few of the pages that are adjacent, and commits go by time.
        Ok(Sampled {
            smallest_part: f64::from(u8::try_from(part).unwrap_or(u8::MAX)) / 100.0,
            untold: &[
                "flash_sequential_page_writes",
                "flash_random_page_writes",
                "flash_sequential_write_batches",
                "flash_stage_out_reads",
                "flash_batch_reads",
                "flash_batch_read_pages",
                "disk_batch_writes",
                "disk_batch_write_pages",
                "metadata_random_page_writes",
            ],
        })
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            capacity: u64::from(flash_pages),
            frames: FrameTable::new(flash_pages, None),
            page_in: Vec::new(),
            place_of: Vec::new(),
            links: Links::default(),
            order: Ends::EMPTY,
            uncommitted: BitSet::default(),
            uncommitted_list: Vec::new(),
            changed: BitSet::default(),
            changed_list: Vec::new(),
            second: 1,
            period: 1,
            commit_due: 0,
            now: 0,
            writing: None,
            run: Vec::new(),
            reached: false,
        }
    }

    fn grow(&mut self, pages: usize) {
        self.frames.grow(pages);
        self.links.grow(pages);
        self.uncommitted.grow(pages);
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        note_places(&mut self.place_of, pages, spaces, addresses);
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        self.place_of = std::mem::take(&mut crashed.place_of);
    }

    fn fetch(&self, pages: &[u32]) {
        self.frames.fetch(pages);
    }

    fn start_clock(&mut self, unit: ClockUnit, now: u64) -> u64 {
        let Period {
            accesses_per_second,
            ..
        } = self.settings.commit;
        self.second = match unit {
            ClockUnit::Nanoseconds => 1_000_000_000,
            ClockUnit::Accesses => accesses_per_second.unwrap_or(1),
        };
        self.period = self.settings.commit.ticks(unit);
        self.commit_due = next_due(now, self.period);
        self.now = now;
        // After a restart, which leaves what commits cover, enough may be in use.
        if self.is_due() {
            self.start();
        }
        now
    }

    fn background(&mut self, now: u64, host: &mut impl Host) -> u64 {
        loop {
            let run = self.run_ends();
            if self.changed_list.is_empty() {
                // What has nothing to commit until then.
                self.commit_due = self.commit_due.max(next_due(now.min(run), self.period));
            }
            let at = run.min(self.commit_due);
            if at > now {
                break;
            }
            self.now = self.now.max(at);
            if at == self.commit_due {
                self.commit_due = next_due(at, self.period);
                self.commit(host);
            } else {
                self.write_back(host);
            }
        }
        self.now = now;
        // How far write-back has come depends on the time of each access.
        self.settings
            .pages_per_second
            .map_or(self.commit_due, |_| now + 1)
    }

    fn next_work(&self) -> u64 {
        if self.changed_list.is_empty() {
            self.run_ends()
        } else {
            self.run_ends().min(self.commit_due)
        }
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        self.frames.holds(page)
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.frames.holds(page)
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let on_flash = self.frames.holds(page);
        host.counters().victims_found_on_flash += u64::from(on_flash);
        if changed {
            self.take(page, on_flash, host);
            if self.is_due() {
                self.commit_oldest(host);
                self.start();
                self.write_back(host);
            }
        }
    }

    fn image(mut self) -> Copies {
        for page in self.uncommitted_list {
            self.frames.lose(page);
        }
        self.frames.copies()
    }

    fn load(&mut self, image: Copies, _counters: &mut FlashCacheCounters) {
        self.frames.load(&image);
        for (frame, page, _) in image {
            self.enter(page, frame);
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

    const FULL_WHEN: Option<&'static str> = Some("write-back first starts");
    fn filled(&self, _usable_pages: u32) -> bool {
        self.reached
    }

    fn by_clock(&self) -> Option<ByClock> {
        Some(ByClock::First {
            act: "dm-writecache first commits by time",
            after: self.settings.commit,
            waiting: self.changed_list.len() as u64,
            words: (
                "changed page of metadata waits to be written",
                "changed pages of metadata wait to be written",
            ),
        })
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let changed = self.changed.iter().count();
        let (held, dirty) = (self.frames.held(), self.frames.dirty_held());
        if changed != self.changed_list.len() || held != dirty {
            return Err(format!(
                "{changed} changed metadata pages, counted as {}; {held} pages, {dirty} of them dirty",
                self.changed_list.len()
            ));
        }
        let uncommitted = self.uncommitted.iter();
        let uncommitted = uncommitted.filter(|&page| self.frames.holds(page)).count();
        let filled = (0..).zip(&self.page_in).filter(|&(_, &page)| page != NONE);
        let astray = filled.filter(|&(frame, &page)| self.frames.frame(page) != frame);
        if uncommitted != self.uncommitted_list.len() || astray.count() > 0 {
            return Err(format!(
                "{uncommitted} pages that no commit covers, counted as {}, or pages in frames of others",
                self.uncommitted_list.len()
            ));
        }
        let ordered = self.links.iter(self.order);
        let ordered = ordered.filter(|&page| self.frames.holds(page)).count();
        self.frames.recount(ordered, counters, crash)
    }
}
