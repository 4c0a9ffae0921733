//! flashcache and `EnhanceIO`: a set-associative cache of blocks, seen from the block layer.

use std::marker::PhantomData;

use super::chains::{Ends, Links, NONE};
use super::options::Options;
use super::{
    Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host, OptionAbout,
    Sampled, Unsampled, recount_single_copies, unit_of,
};
use crate::error::Result;
use crate::hash::FastMap;
use crate::replay::bits::BitSet;
use crate::replay::fetch::fetch;
use crate::replay::metadata::MetadataLayout;
use crate::replay::settings::share_of;

/// When a changed DRAM victim reaches the disk, and whether flash takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Through,
    Back,
    Around,
}

/// The modes by the names under which they are given.
pub(super) const MODES: [(&str, Mode); 3] = [
    ("write_through", Mode::Through),
    ("write_back", Mode::Back),
    ("write_around", Mode::Around),
];

/// Bytes of a block's entry on flash, `struct flash_cacheblock` in the source of both.
const ENTRY_BYTES: u64 = 16;

/// By how much relations are apart.
const RELATION: u64 = 2_654_435_761;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) mode: Mode,
    pub(crate) lru: bool,
    /// Pages of a set.
    pub(crate) ways: u32,
    /// Dirty pages of a set above which it is cleaned.
    pub(crate) most_dirty: u32,
    /// Dirty pages that cleaning leaves.
    pub(crate) left_dirty: u32,
    /// Entries of a metadata page.
    entries: u32,
}

/// What distinguishes the two drivers.
pub(crate) trait Kind {
    const WAYS: u64;
    const OPTIONS: &'static [OptionAbout];
}

/// flashcache, of Facebook.
#[derive(Debug)]
pub(crate) struct Flashcache;

/// `EnhanceIO`, of STEC, which began as flashcache.
#[derive(Debug)]
pub(crate) struct EnhanceIo;

const fn options(
    ways: &'static str,
    replacement: &'static str,
    threshold: &'static str,
    target: &'static str,
) -> [OptionAbout; 5] {
    [
        OptionAbout {
            name: "mode",
            values: "write_through, write_back, write_around",
            default: "write_through",
            description: "When a changed DRAM victim reaches the disk: at once with flash, when its set is cleaned, or at once without flash.",
            is_place: false,
        },
        OptionAbout {
            name: "ways",
            values: "1 to the number of flash pages",
            default: ways,
            description: "Pages of a set; what does not fill a set stays unused.",
            is_place: false,
        },
        OptionAbout {
            name: "replacement",
            values: "lru, fifo",
            default: replacement,
            description: "Which unchanged page of a set makes room.",
            is_place: false,
        },
        OptionAbout {
            name: "dirty_threshold",
            values: "0 to 1",
            default: threshold,
            description: "Share of the pages of a set that may be dirty before the set is cleaned.",
            is_place: false,
        },
        OptionAbout {
            name: "dirty_target",
            values: "0 to 1",
            default: target,
            description: "Share of the pages of a set that cleaning leaves dirty, at most the threshold.",
            is_place: false,
        },
    ]
}

impl Kind for Flashcache {
    const WAYS: u64 = 512;
    const OPTIONS: &'static [OptionAbout] =
        &options("512, at most 1/16 of flash", "fifo", "0.2", "0.2");
}

impl Kind for EnhanceIo {
    const WAYS: u64 = 256;
    const OPTIONS: &'static [OptionAbout] =
        &options("256, at most 1/16 of flash", "lru", "0.3", "0.1");
}

/// The drivers as the paper of SCE runs them (section 4.1), with the steps of flashcache's guide.
///
/// ```text
/// set of a page:        (address / ways + relation * 2654435761) mod sets: a run of `ways` addresses
///                       maps to one set, as on a disk with a set of blocks after the other
/// DRAM misses p:        on flash: read it; LRU: it becomes the most recent of its set
/// p came from disk:     take a frame of its set, write p there
/// evict p from DRAM:    unchanged: the block layer does not hear of it
///   write_through:      write it to disk, and over its copy or into a frame of its set
///   write_around:       write it to disk; its copy leaves flash
///   write_back:         write it over its copy or into a frame of its set, dirty; no frame: to disk
///                       while more than `dirty_threshold` of the set is dirty, and then more than
///                       `dirty_target`: write the page to disk that was written to flash longest ago
/// take a frame:         one that was freed, else one never used, else that of the coldest page
///                       that is not dirty; if all are dirty there is none, and flash is bypassed
/// ```
///
/// Choices where the sources are silent:
/// * FIFO is the order in which pages entered their set; an overwrite does not change it. In LRU an
///   overwrite is a use, as a flash hit is.
/// * Cleaning happens at once, at the write that passes the threshold: the drivers limit how many
///   writes are under way, which counts nothing. Cleaning of idle blocks by time is left out.
/// * `EnhanceIO` states its thresholds of the whole cache; here they are of each set.
/// * Metadata: in write-back mode a block that becomes dirty, and one that is cleaned, is one random
///   metadata page write. After a crash the dirty blocks are there, the others are given up. In the
///   other modes nothing is kept, and a crash loses the cache.
#[derive(Debug)]
pub(crate) struct Sets<K> {
    settings: Settings,
    /// Sets of the cache, whether pages map to them or not.
    count: u32,
    /// The sets that pages map to, numbered as they appear.
    numbers: FastMap<u32, u32>,
    set: Vec<Set>,
    /// Set of each page, by its place in `set`.
    set_of: Vec<u32>,
    frame_of: Vec<u32>,
    /// Pages on flash, through the pages.
    links: Links,
    dirty: BitSet,
    dirty_links: Links,
    /// Frames that were freed, each with the one of its set that was freed before.
    freed: Vec<(u32, u32)>,
    /// The last entry of `freed` that is not in use.
    spare: u32,
    held: u32,
    dirty_held: u32,
    /// Sets that were ever full.
    were_full: u32,
    kind: PhantomData<K>,
}

/// One set.
#[derive(Debug, Clone, Copy)]
struct Set {
    first_frame: u32,
    /// Frames that were ever used.
    fresh: u32,
    /// The last one freed, in `freed`.
    freed: u32,
    /// Pages on flash, coldest first.
    order: Ends,
    /// Dirty pages, written longest ago first.
    dirty_order: Ends,
    dirty: u32,
    /// Whether it was ever full.
    was_full: bool,
}

impl Set {
    const fn empty(first_frame: u32) -> Self {
        Self {
            first_frame,
            fresh: 0,
            freed: NONE,
            order: Ends::EMPTY,
            dirty_order: Ends::EMPTY,
            dirty: 0,
            was_full: false,
        }
    }
}

impl<K> Sets<K> {
    fn set(&mut self, page: u32) -> &mut Set {
        &mut self.set[self.set_of[page as usize] as usize]
    }

    fn take_frame(&mut self, page: u32, host: &mut impl Host) -> Option<u32> {
        let ways = self.settings.ways;
        let set = &mut self.set[self.set_of[page as usize] as usize];
        if let Some(entry) = self.freed.get_mut(set.freed as usize) {
            let (frame, before) = *entry;
            *entry = (NONE, self.spare);
            self.spare = std::mem::replace(&mut set.freed, before);
            return Some(frame);
        }
        if set.fresh < ways {
            set.fresh += 1;
            return Some(set.first_frame + set.fresh - 1);
        }
        self.were_full += u32::from(!set.was_full);
        set.was_full = true;
        if set.dirty == ways {
            return None;
        }
        let mut coldest = set.order.oldest;
        while self.dirty.contains(coldest) {
            coldest = self.links.newer(coldest);
        }
        host.counters().flash_evictions += 1;
        // Of the set of the page that enters: its own entry need not be read.
        let at = self.set_of[page as usize];
        Some(self.leave(coldest, at))
    }

    /// A page leaves flash, and its frame, in a set.
    fn leave(&mut self, page: u32, set: u32) -> u32 {
        let set = &mut self.set[set as usize];
        self.links.remove(&mut set.order, page);
        self.held -= 1;
        self.set_clean(page);
        std::mem::replace(&mut self.frame_of[page as usize], NONE)
    }

    fn free(&mut self, page: u32, host: &mut impl Host) {
        let frame = self.leave(page, self.set_of[page as usize]);
        host.flash_trim(frame, 1);
        let spare = self.spare;
        let before = self.set(page).freed;
        let entry = if let Some(entry) = self.freed.get_mut(spare as usize) {
            self.spare = entry.1;
            *entry = (frame, before);
            spare
        } else {
            self.freed.push((frame, before));
            u32::try_from(self.freed.len() - 1).unwrap_or(NONE)
        };
        self.set(page).freed = entry;
    }

    fn set_clean(&mut self, page: u32) {
        if self.dirty.take(page) {
            let set = &mut self.set[self.set_of[page as usize] as usize];
            self.dirty_links.remove(&mut set.dirty_order, page);
            set.dirty -= 1;
            self.dirty_held -= 1;
        }
    }

    /// A page was written to flash, newer than the disk's; whether it was not before.
    fn set_dirty(&mut self, page: u32) -> bool {
        let set = &mut self.set[self.set_of[page as usize] as usize];
        if self.dirty.contains(page) {
            self.dirty_links.renew(&mut set.dirty_order, page);
            return false;
        }
        self.dirty.insert(page);
        self.dirty_links.push(&mut set.dirty_order, page);
        set.dirty += 1;
        self.dirty_held += 1;
        true
    }

    /// Writes the metadata block that has the entry of a frame.
    fn write_block(&self, frame: u32, host: &mut impl Host) {
        host.metadata_write(frame / self.settings.entries);
    }

    /// Writes a page into its set; `false` if no frame is to be had.
    fn admit(&mut self, page: u32, dirty: bool, host: &mut impl Host) -> bool {
        let Some(frame) = self.take_frame(page, host) else {
            host.counters().bypassed += 1;
            return false;
        };
        self.enter(page, frame);
        host.counters().flash_fills += 1;
        host.flash_write(frame, 1);
        if dirty {
            self.set_dirty(page);
            self.write_block(frame, host);
        }
        true
    }

    fn enter(&mut self, page: u32, frame: u32) {
        self.frame_of[page as usize] = frame;
        let set = &mut self.set[self.set_of[page as usize] as usize];
        self.links.push(&mut set.order, page);
        self.held += 1;
    }

    #[inline]
    fn touch(&mut self, page: u32) {
        if self.settings.lru {
            let set = &mut self.set[self.set_of[page as usize] as usize];
            self.links.renew(&mut set.order, page);
        }
    }

    /// Cleans the set of a page if it is to be.
    fn clean(&mut self, page: u32, host: &mut impl Host) {
        if self.set(page).dirty <= self.settings.most_dirty {
            return;
        }
        while self.set(page).dirty > self.settings.left_dirty {
            let oldest = self.set(page).dirty_order.oldest;
            self.set_clean(oldest);
            let counters = host.counters();
            counters.flash_stage_out_reads += 1;
            counters.disk_writes_by_cleaner += 1;
            self.write_block(self.frame_of[oldest as usize], host);
        }
    }
}

impl<K: Kind> FlashCache for Sets<K> {
    type Settings = Settings;
    /// Dirty pages with their frames, by frame: the others are given up.
    type Image = Vec<(u32, u32)>;
    type Device = Frames;

    const NEEDS_ADDRESSES: bool = true;
    const OPTIONS: &'static [OptionAbout] = K::OPTIONS;

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        let mode = options.choice("mode", &MODES)?;
        if run.warm_restart && mode != Mode::Back {
            return Err(options.impossible(
                "restart",
                "in this mode the directory is kept in memory only, so there is no warm restart: use mode=write_back or restart=cold",
            ));
        }
        let ways = unit_of(options, "ways", K::WAYS, run.flash_pages)?;
        let lru = options.choice("replacement", &[("lru", true), ("fifo", false)])?;
        let threshold = options.share("dirty_threshold")?;
        let target = options.share_up_to("dirty_target", threshold)?;
        if target > threshold {
            return Err(options.impossible("dirty_target", "is above dirty_threshold"));
        }
        Ok(Settings {
            mode,
            lru,
            ways,
            most_dirty: share_of(threshold, ways),
            left_dirty: share_of(target, ways),
            entries: u32::try_from(run.entries_of(ENTRY_BYTES, u64::from(u32::MAX)))
                .unwrap_or(u32::MAX),
        })
    }

    fn metadata(settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        (settings.mode == Mode::Back).then(|| {
            MetadataLayout::table(
                run.table_pages(run.flash_pages, ENTRY_BYTES),
                "a table behind the data, written in place: 16 bytes for each flash page",
            )
        })
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Err(Unsampled::always(
            "adjacent pages share sets of a fixed number of pages, which do not shrink with flash, and a sample holds few neighbours",
        ))
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            count: flash_pages / settings.ways,
            numbers: FastMap::default(),
            set: Vec::new(),
            set_of: Vec::new(),
            frame_of: Vec::new(),
            links: Links::default(),
            dirty: BitSet::default(),
            dirty_links: Links::default(),
            freed: Vec::new(),
            spare: NONE,
            held: 0,
            dirty_held: 0,
            were_full: 0,
            kind: PhantomData,
        }
    }

    fn unit_pages(settings: &Settings) -> u32 {
        settings.ways
    }

    fn fills_at_once(settings: &Settings) -> u64 {
        // The last set may be full for the first time at any access.
        if settings.mode == Mode::Around {
            u64::MAX
        } else {
            2
        }
    }

    fn grow(&mut self, pages: usize) {
        if pages > self.frame_of.len() {
            self.frame_of.resize(pages, NONE);
            self.links.grow(pages);
            if self.settings.mode == Mode::Back {
                self.dirty_links.grow(pages);
            }
            self.dirty.grow(pages);
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a remainder of a u32 is one, and there are no more sets than pages"
    )]
    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        let Settings { ways, .. } = self.settings;
        for ((&page, &space), &address) in pages.iter().zip(spaces).zip(addresses) {
            if (page as usize) < self.set_of.len() {
                continue;
            }
            let run = (address / u64::from(ways)).wrapping_add(u64::from(space) * RELATION);
            let number = (run % u64::from(self.count)) as u32;
            let next = self.set.len() as u32;
            let at = *self.numbers.entry(number).or_insert(next);
            if at == next {
                self.set.push(Set::empty(number * ways));
            }
            self.set_of.push(at);
        }
    }

    fn fetch(&self, pages: &[u32]) {
        fetch(&self.frame_of, pages);
        fetch(&self.set_of, pages);
        self.links.fetch(pages);
        // What may make room in their sets.
        let last = u32::try_from(self.frame_of.len().saturating_sub(1)).unwrap_or(NONE);
        let coldest = pages.iter().map(|&page| {
            let set = &self.set[self.set_of[page as usize] as usize];
            last.min(set.order.oldest)
        });
        std::hint::black_box(coldest.fold(0, |mixed, page| {
            mixed ^ self.frame_of[page as usize] ^ self.links.newer(page)
        }));
    }

    /// Few of those that leave have changed, and of the others it is asked only whether they are here.
    fn fetch_leaving(&self, pages: &[u32]) {
        fetch(&self.frame_of, pages);
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        if self.frame_of[page as usize] == NONE {
            return false;
        }
        self.touch(page);
        true
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.frame_of[page as usize] != NONE
    }

    #[inline]
    fn on_entry(&mut self, page: u32, host: &mut impl Host) {
        self.admit(page, false, host);
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let frame = self.frame_of[page as usize];
        host.counters().victims_found_on_flash += u64::from(frame != NONE);
        if !changed {
            return;
        }
        let back = self.settings.mode == Mode::Back;
        host.counters().disk_writes_on_exit += u64::from(!back);
        if self.settings.mode == Mode::Around {
            if frame != NONE {
                host.counters().flash_invalidations += 1;
                self.free(page, host);
            }
            return;
        }
        if frame == NONE {
            let admitted = self.admit(page, back, host);
            host.counters().disk_writes_on_exit += u64::from(back && !admitted);
        } else {
            host.counters().flash_write_backs += 1;
            host.flash_write(frame, 1);
            self.touch(page);
            if back && self.set_dirty(page) {
                self.write_block(frame, host);
            }
        }
        if back {
            self.clean(page, host);
        }
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        self.numbers = std::mem::take(&mut crashed.numbers);
        self.set_of = std::mem::take(&mut crashed.set_of);
        self.set = crashed
            .set
            .iter()
            .map(|set| Set::empty(set.first_frame))
            .collect();
    }

    fn image(self) -> Vec<(u32, u32)> {
        let dirty = self.dirty.iter();
        let mut dirty: Vec<_> = dirty
            .map(|page| (self.frame_of[page as usize], page))
            .collect();
        dirty.sort_unstable();
        dirty
    }

    fn load(&mut self, image: Vec<(u32, u32)>, _counters: &mut FlashCacheCounters) {
        let ways = self.settings.ways;
        let taken: Vec<u32> = image.iter().map(|&(frame, _)| frame).collect();
        // What is not there is free, the first frame of each set to be taken next.
        for set in &mut self.set {
            set.fresh = ways;
            for frame in (set.first_frame..set.first_frame + ways).rev() {
                if taken.binary_search(&frame).is_err() {
                    self.freed.push((frame, set.freed));
                    set.freed = u32::try_from(self.freed.len() - 1).unwrap_or(NONE);
                }
            }
        }
        for (frame, page) in image {
            self.enter(page, frame);
            self.set_dirty(page);
        }
    }

    fn valid_copies(&self) -> u64 {
        u64::from(self.held)
    }

    const FULL_WHEN: Option<&'static str> = Some("each of its sets was full once");
    /// Pages that become invalid leave their sets at any time, so there may be no moment at which all are full.
    fn filled(&self, usable_pages: u32) -> bool {
        self.held >= usable_pages || self.were_full == self.count
    }

    fn holds_newer(&self, page: u32) -> bool {
        self.dirty.contains(page)
    }

    fn dirty_copies(&self) -> u64 {
        u64::from(self.dirty_held)
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let (mut held, mut dirty) = (0, 0);
        for (at, set) in (0..).zip(&self.set) {
            for page in self.links.iter(set.order) {
                let frame = self.frame_of[page as usize];
                let in_set = frame.wrapping_sub(set.first_frame) < self.settings.ways;
                if !in_set || self.set_of[page as usize] != at {
                    return Err(format!("set {at} holds page {page} in frame {frame}"));
                }
                held += 1;
            }
            if set.dirty > 0 {
                dirty += self.dirty_links.iter(set.dirty_order).count();
            }
        }
        let mapped = self.frame_of.iter().filter(|&&frame| frame != NONE);
        recount_single_copies(mapped.count(), held, 0, counters, crash)?;
        if held != self.held as usize
            || dirty != self.dirty_held as usize
            || dirty != self.dirty.iter().count()
        {
            return Err(format!(
                "{held} pages are in order and {dirty} dirty, counted as {} and {}",
                self.held, self.dirty_held
            ));
        }
        Ok(())
    }
}
