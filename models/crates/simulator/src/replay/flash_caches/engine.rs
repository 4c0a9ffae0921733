//! The engine under every flash cache: the DRAM buffer, the clock, crash and restart, the loop.

use serde::{Serialize, Serializer};

use super::checkpoints::Checkpoints;
use super::counters::FlashCacheCounters;
use super::rate::Stretch;
use super::settled::Span;
use super::{ClockUnit, Exit, FlashCache, FlashDevice, Host};
use crate::access::{AccessSource, Chunk, WRITE};
use crate::error::{Error, Result};
use crate::ftl::FtlResult;
use crate::progress::{OnProgress, report};
use crate::replay::bits::BitSet;
use crate::replay::future::Future;
use crate::replay::metadata::MetadataLayout;
use crate::replay::policies::Policy;
use crate::replay::settings::Settings;
use crate::replay::tier::Tier;
use crate::replay::timed::{Clock, Held, Moment};
use crate::replay::translation::Under;
use crate::replay::two_tier::Warning;
use crate::replay::{
    BATCH, FLASH, Fill, Places, Placing, RAM, Totals, WarmedUp, addresses_of, check_filled,
    disagreement, distinct_pages, next_stop, write_accesses,
};
use crate::wording::counted;

/// What a crash destroyed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CrashReport {
    /// Accesses before it.
    pub at_access: u64,
    /// Whether the flash contents were used again.
    #[serde(rename = "restart", serialize_with = "warm_or_cold")]
    pub warm: bool,
    /// Pages that were in DRAM.
    pub ram_pages_lost: u64,
    /// Of these, pages that had changed since their last copy below DRAM; the log must redo them.
    pub ram_dirty_pages_lost: u64,
    /// Valid flash copies that were given up; in a warm restart those that no directory on flash had.
    pub flash_pages_lost: u64,
    /// Of these, copies newer than the disk's; the log must redo them.
    pub flash_dirty_pages_lost: u64,
    /// What had been counted until then; nothing where it is in the warm-up.
    #[serde(rename = "before")]
    pub counters_before: FlashCacheCounters,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn warm_or_cold<S: Serializer>(warm: &bool, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(if *warm { "warm" } else { "cold" })
}

impl CrashReport {
    /// The report without what a warm-up had counted.
    pub(crate) fn counted_since(self, before: &FlashCacheCounters, warm_up: WarmedUp) -> Self {
        let counters_before = if self.at_access < warm_up.accesses {
            FlashCacheCounters::default()
        } else {
            self.counters_before.since(*before)
        };
        Self {
            counters_before,
            ..self
        }
    }
}

/// DRAM, devices and counters: all that a flash cache reaches through [`Host`].
#[derive(Debug)]
pub(crate) struct Surroundings<P, D> {
    /// The tier's dirty bit tells that a page changed since its last copy below DRAM.
    pub(crate) dram: Tier<P>,
    pub(crate) counters: FlashCacheCounters,
    flash_pages: u32,
    pub(crate) device: D,
}

impl<P: Policy, D: FlashDevice> Surroundings<P, D> {
    pub(crate) fn new(ram_pages: u32, flash_pages: u32, dram: &Settings) -> Self {
        Self {
            dram: Tier::configured(ram_pages, dram),
            counters: FlashCacheCounters::default(),
            flash_pages,
            device: D::new(flash_pages),
        }
    }

    fn leaves(&mut self, page: u32, changed: bool) -> Exit {
        self.counters.dirty_evictions += u64::from(changed);
        self.counters.clean_evictions += u64::from(!changed);
        Exit { page, changed }
    }
}

impl<P: Policy, D: FlashDevice> Host for Surroundings<P, D> {
    #[inline]
    fn counters(&mut self) -> &mut FlashCacheCounters {
        &mut self.counters
    }

    #[inline]
    fn dram_page_changed(&self, page: u32) -> bool {
        self.dram.is_dirty(page)
    }

    fn dram_pages(&self) -> u64 {
        u64::from(self.dram.capacity())
    }

    #[inline]
    fn pull(&mut self) -> Option<Exit> {
        let victim = self.dram.give()?;
        self.counters.pulled += 1;
        Some(self.leaves(victim.page, victim.dirty))
    }

    fn take_changed(&mut self, from: u32) -> Option<u32> {
        let page = self.dram.clean_from(from)?;
        self.counters.checkpointed_pages += 1;
        Some(page)
    }

    #[inline]
    fn flash_write(&mut self, frame: u32, pages: u32) {
        let counters = &mut self.counters;
        counters.flash_write_batches += 1;
        self.device.write(frame, pages, counters);
    }

    #[inline]
    fn flash_write_apart(&mut self, frame: u32, pages: u32) {
        self.device.turn_to(1);
        self.flash_write(frame, pages);
        self.device.turn_to(0);
    }

    fn flash_write_counted(&mut self, frame: u32, pages: u32) {
        self.device.turn_to(1);
        self.device.write_counted(frame, pages);
        self.device.turn_to(0);
    }

    #[inline]
    fn flash_trim(&mut self, frame: u32, pages: u32) {
        self.device.trim(frame, pages);
    }

    #[inline]
    fn metadata_write(&mut self, page: u32) {
        self.counters.metadata_random_page_writes += 1;
        self.device.write_metadata(page);
    }

    #[inline]
    fn metadata_append(&mut self, bytes: u64) {
        self.counters.metadata_segments += 1;
        self.counters.metadata_segment_bytes += bytes;
        self.device.append_metadata(bytes);
    }

    #[inline]
    fn metadata_append_page(&mut self) {
        self.counters.metadata_random_page_writes += 1;
        self.device.append_metadata_page();
    }
}

/// Flash as an array of frames: it tells sequential writes from random ones; erases are counted by the
/// translation layer below, where there is one.
#[derive(Debug)]
pub(crate) struct Frames {
    count: u32,
    /// The frame behind the last page written.
    next: u32,
    /// What writes go to, where the device below has several.
    stream: u32,
    under: Option<Box<Under>>,
}

impl FlashDevice for Frames {
    fn new(flash_pages: u32) -> Self {
        Self {
            count: flash_pages,
            next: 0,
            stream: 0,
            under: None,
        }
    }

    #[inline]
    fn turn_to(&mut self, stream: u32) {
        self.stream = stream;
    }

    fn write_counted(&mut self, frame: u32, pages: u32) {
        if let Some(under) = &mut self.under {
            under.write(frame, pages, self.stream);
        }
    }

    fn write_metadata(&mut self, page: u32) {
        if let Some(under) = &mut self.under {
            under.write_metadata(page);
        }
    }

    fn append_metadata(&mut self, bytes: u64) {
        if let Some(under) = &mut self.under {
            under.append_metadata(bytes);
        }
    }

    fn append_metadata_page(&mut self) {
        if let Some(under) = &mut self.under {
            under.append_metadata_page();
        }
    }

    fn put_on(&mut self, under: Under) {
        self.under = Some(Box::new(under));
    }

    #[inline]
    fn trim(&mut self, frame: u32, pages: u32) {
        if let Some(under) = &mut self.under {
            under.trim(frame, pages);
        }
    }

    fn give_up(&mut self) {
        self.next = 0;
        if let Some(under) = &mut self.under {
            under.give_up();
        }
    }

    fn restart_counters(&mut self) {
        if let Some(under) = &mut self.under {
            under.restart_counters();
        }
    }

    fn translated(&self) -> Result<Option<FtlResult>> {
        self.under.as_ref().map(|under| under.result()).transpose()
    }

    #[inline]
    fn write(&mut self, frame: u32, pages: u32, counters: &mut FlashCacheCounters) {
        let sequential = u64::from(frame == self.next);
        counters.flash_sequential_write_batches += sequential;
        counters.flash_sequential_page_writes += u64::from(pages) - 1 + sequential;
        counters.flash_random_page_writes += 1 - sequential;
        // In u64: frame + pages may pass u32::MAX. The first frame follows the last one.
        let next = (u64::from(frame) + u64::from(pages)) % u64::from(self.count);
        self.next = u32::try_from(next).unwrap_or_default();
        if let Some(under) = &mut self.under {
            under.write(frame, pages, self.stream);
        }
    }
}

/// A DRAM buffer in front of the flash cache `C`.
pub(crate) struct Engine<P, C: FlashCache> {
    settings: C::Settings,
    /// Of the policy of DRAM.
    dram: Settings,
    pub(crate) around: Surroundings<P, C::Device>,
    pub(crate) cache: C,
    /// What the cache and the database did while nobody waited for it; part of the counters.
    background: FlashCacheCounters,
    /// When there is next work: of the cache, or a checkpoint.
    due: u64,
    /// When the cache next wants to work in the background; `u64::MAX`: never.
    cache_due: u64,
    checkpoints: Checkpoints,
    stretch: Stretch,
    /// Metadata on flash that a warm restart reads whole, where it counts no segments. [bytes]
    directory_bytes: u64,
    /// When the next checkpoint by time is due; `u64::MAX`: never.
    checkpoint_due: u64,
    /// Checkpoints until now.
    checkpoints_taken: u32,
    /// Time of the first access, from which checkpoints are counted, once it was.
    origin: Option<u64>,
    /// Whether a page was changed since the last checkpoint, as far as simulated time asks.
    changed: bool,
    unit: ClockUnit,
    /// When the clock was last started, and the longest that it ran before.
    clock_began: u64,
    longest: u64,
    /// Whether what the cache copies in the background takes time.
    is_timed: bool,
}

impl<P: Policy, C: FlashCache> Engine<P, C> {
    pub(crate) fn new(
        ram_pages: u32,
        flash_pages: u32,
        dram: Settings,
        settings: C::Settings,
    ) -> Self {
        Self {
            around: Surroundings::new(ram_pages, flash_pages, &dram),
            dram,
            cache: C::new(flash_pages, &settings),
            settings,
            background: FlashCacheCounters::default(),
            due: u64::MAX,
            cache_due: u64::MAX,
            checkpoints: Checkpoints::default(),
            stretch: Stretch::default(),
            directory_bytes: 0,
            checkpoint_due: u64::MAX,
            checkpoints_taken: 0,
            origin: None,
            changed: false,
            unit: ClockUnit::Accesses,
            clock_began: 0,
            longest: 0,
            is_timed: false,
        }
    }

    /// Lets the database take checkpoints, before the first access.
    pub(crate) fn take_checkpoints(&mut self, checkpoints: Checkpoints) {
        self.checkpoints = checkpoints;
    }

    /// Has the clock go by recorded times that are multiplied, before the first access.
    pub(crate) fn stretch_times(&mut self, stretch: Stretch) {
        self.stretch = stretch;
    }

    /// Has a warm restart read the metadata of such a layout, before the first access.
    pub(crate) fn keep_directory(&mut self, layout: MetadataLayout, page_bytes: u64) {
        let MetadataLayout {
            table, log, tree, ..
        } = layout;
        self.directory_bytes = (table + log + tree) * page_bytes;
    }

    /// Whether DRAM is to be told the future.
    pub(crate) fn needs_future(&self) -> bool {
        self.dram.needs_future()
    }

    pub(crate) fn settings(&self) -> &C::Settings {
        &self.settings
    }

    /// Makes room for the page numbers `0..pages`.
    pub(crate) fn grow(&mut self, pages: usize) {
        self.around.dram.grow(pages);
        self.cache.grow(pages);
    }

    /// Tells the cache by which clock it works, before the first access.
    pub(crate) fn start_clock(&mut self, unit: ClockUnit, now: u64) {
        self.unit = unit;
        self.longest = self.longest.max(now - self.clock_began);
        self.clock_began = now;
        if self.is_timed {
            self.cache.pace_copies();
        }
        self.cache_due = self.cache.start_clock(unit, now);
        self.checkpoint_due = match self.origin {
            Some(origin) => self.checkpoints.next_time(origin, now, self.unit),
            // The first access begins it.
            None if self.checkpoints.by_time() => 0,
            None => u64::MAX,
        };
        self.due = self.cache_due.min(self.checkpoint_due);
    }

    #[inline]
    pub(crate) fn tick(&mut self, now: u64) {
        if now >= self.due {
            self.work(now);
        }
    }

    /// Does what is due, in the order of its times. Of several checkpoints without an access between them only the first
    /// has anything to write.
    fn work(&mut self, now: u64) {
        let before = self.around.counters;
        self.do_due(now);
        self.note_background(&before);
    }

    /// What was counted since `before` was no access's.
    fn note_background(&mut self, before: &FlashCacheCounters) {
        self.background = self.background.plus(self.around.counters.since(*before));
    }

    fn do_due(&mut self, now: u64) {
        if now >= self.checkpoint_due {
            let due = self.checkpoint_due;
            if due >= self.cache_due {
                self.cache_due = self.cache.background(due, &mut self.around);
            }
            // At the first access there is nothing to write.
            if self.origin.is_some() {
                self.checkpoint();
            }
            let origin = *self.origin.get_or_insert(now);
            self.checkpoint_due = self.checkpoints.next_time(origin, now, self.unit);
        }
        if now >= self.cache_due {
            self.cache_due = self.cache.background(now, &mut self.around);
        }
        self.due = self.cache_due.min(self.checkpoint_due);
    }

    /// The database takes a checkpoint.
    fn checkpoint(&mut self) {
        self.changed = false;
        self.checkpoints_taken = self.checkpoints_taken.saturating_add(1);
        self.cache
            .checkpoint(self.checkpoints.target, &mut self.around);
        self.around.dram.cleaned();
    }

    /// Checkpoints until now, where any are taken.
    fn taken(&self) -> Option<u32> {
        self.checkpoints.any().then_some(self.checkpoints_taken)
    }

    /// When there is next work, if no access comes before; `u64::MAX`: not until one comes.
    fn next_work(&self) -> u64 {
        let cache = if self.cache_due == u64::MAX {
            u64::MAX
        } else {
            self.cache.next_work().max(self.cache_due)
        };
        let checkpoint = if self.changed {
            self.checkpoint_due
        } else {
            u64::MAX
        };
        cache.min(checkpoint)
    }

    /// Lets simulated time pass until the next access, which was recorded at a time, arrives: the answer. What the
    /// cache does in the background is done when it is due; nothing is where the machine `is_down`.
    fn wait<W: Watch>(&mut self, watch: &mut W, recorded_ns: i64, is_down: bool) -> u64 {
        watch.expect(recorded_ns);
        let mut held = None;
        loop {
            let due = if is_down { u64::MAX } else { self.next_work() };
            match watch.next(due) {
                Moment::Window => {
                    watch.close_window(*held.get_or_insert_with(|| self.held()));
                }
                Moment::Background => {
                    let before = self.around.counters;
                    self.tick(due);
                    watch.in_background(&before, &self.around.counters);
                    self.copy(due, watch);
                    held = None;
                }
                Moment::Copied(now) => {
                    if !is_down {
                        self.copy(now, watch);
                        held = None;
                    }
                }
                Moment::Arrival(now) => return now,
            }
        }
    }

    /// Begins the copies that the cache may have under way besides.
    fn copy<W: Watch>(&mut self, now: u64, watch: &mut W) {
        loop {
            let before = self.around.counters;
            let under_way = watch.copies_under_way();
            if !self.cache.begin_copy(now, under_way, &mut self.around) {
                return;
            }
            self.note_background(&before);
            watch.copying(&before, &self.around.counters);
        }
    }

    /// Takes a checkpoint by accesses behind `done` of them, if that is where one is and the machine does not crash there;
    /// the answer is how many accesses may follow before the next one.
    fn until_checkpoint<W: Watch>(&mut self, done: u64, crash_at: u64, watch: &mut W) -> usize {
        let Some(next) = self.checkpoints.next_access(done) else {
            return usize::MAX;
        };
        if self.checkpoints.is_at(done) && done != crash_at {
            let before = self.around.counters;
            self.checkpoint();
            self.note_background(&before);
            watch.in_background(&before, &self.around.counters);
        }
        usize::try_from(next - done).unwrap_or(usize::MAX)
    }

    #[inline]
    pub(crate) fn access(&mut self, page: u32, write: bool) {
        let around = &mut self.around;
        if around.dram.contains(page) {
            around.counters.ram_hits += 1;
            around.dram.on_hit(page);
            self.cache.on_dram_hit(page, around);
        } else {
            let hit = self.cache.lookup(page, around);
            around.counters.flash_hits += u64::from(hit);
            around.counters.flash_misses += u64::from(!hit);
            if let Some(victim) = around.dram.evict_if_full(page) {
                let exit = around.leaves(victim.page, victim.dirty);
                self.cache.on_exit(exit, around);
            }
            around.dram.insert(page, false);
            if !hit {
                self.cache.on_entry(page, around);
            }
        }
        if write {
            around.dram.soil(page, true);
            self.cache.on_update(page, around);
        }
    }

    /// Loses everything volatile; what lies on flash comes back in a warm restart only.
    pub(crate) fn crash(
        &mut self,
        at_access: u64,
        now: u64,
        pages: usize,
        warm: bool,
    ) -> CrashReport {
        let dram = &self.around.dram;
        let flash_pages = self.around.flash_pages;
        let mut report = CrashReport {
            at_access,
            warm,
            ram_pages_lost: u64::from(dram.len()),
            ram_dirty_pages_lost: dram.dirty_pages(),
            counters_before: self.around.counters,
            ..CrashReport::default()
        };
        self.around.dram = Tier::configured(dram.capacity(), &self.dram);
        let mut crashed = std::mem::replace(&mut self.cache, C::new(flash_pages, &self.settings));
        self.grow(pages);
        self.cache.keep_places(&mut crashed);
        self.around.dram.begin_at(at_access);
        report.flash_pages_lost = crashed.valid_copies();
        report.flash_dirty_pages_lost = crashed.dirty_copies();
        if warm {
            let dirty_lost = crashed.dirty_lost();
            self.cache.load(crashed.image(), &mut self.around.counters);
            report.flash_pages_lost -= self.cache.valid_copies();
            // A directory may know less of what was cleaned: then more are dirty than before.
            let kept = self.cache.dirty_copies();
            report.flash_dirty_pages_lost =
                dirty_lost.unwrap_or_else(|| report.flash_dirty_pages_lost.saturating_sub(kept));
        } else {
            self.around.device.give_up();
        }
        self.start_clock(self.unit, now);
        report
    }

    /// Of the page numbers `0..pages` those whose latest version is lost if the machine goes down and flash with it. Without
    /// flash there are none: what a checkpoint writes lies on the disk.
    fn lost_with_flash(&self, pages: usize) -> BitSet {
        BitSet::of(pages, |page| {
            self.around.flash_pages > 0
                && (self.around.dram.is_dirty(page) || self.cache.holds_newer(page))
        })
    }

    /// What a restart has read from flash: bytes of the directory, and data pages.
    fn restored_since(&self, before: &FlashCacheCounters, warm: bool) -> (u64, u64) {
        let read = self.around.counters.since(*before);
        let bytes = match C::segment_bytes(&self.settings) {
            0 if warm => self.directory_bytes,
            segment => read.restart_segments_read * segment,
        };
        (bytes, read.restart_pages_scanned)
    }

    /// What flash holds.
    pub(crate) fn held(&self) -> Held {
        Held {
            flash_used: Some(self.cache.slots_used()),
            flash_dirty: Some(self.cache.dirty_copies()),
            flash_full: Some(self.is_full()),
        }
    }

    /// Flash pages in whole units.
    fn usable_pages(&self) -> u32 {
        let unit = C::unit_pages(&self.settings);
        self.around.flash_pages / unit * unit
    }

    /// Notes on what the cache and the database do by the clock, for which a replay up to `now` was too short.
    pub(crate) fn too_short(&self, now: u64) -> Vec<Warning> {
        let since_start = now - self.clock_began;
        let span = Span {
            unit: self.unit,
            since_start,
            longest: self.longest.max(since_start),
        };
        let changed = self.around.dram.dirty_pages();
        let checkpoints = self.checkpoints.by_clock(changed);
        let all = self.cache.by_clock().into_iter().chain(checkpoints);
        all.filter_map(|by_clock| by_clock.note(span)).collect()
    }

    /// Whether flash counts as full.
    pub(crate) fn is_full(&self) -> bool {
        self.around.flash_pages > 0 && self.cache.filled(self.usable_pages())
    }

    /// How full flash is, or DRAM without flash.
    fn fill(&self) -> Fill {
        let Surroundings {
            dram, flash_pages, ..
        } = &self.around;
        if *flash_pages > 0 {
            let usable = self.usable_pages();
            let held = if self.is_full() {
                usable.into()
            } else {
                self.cache.slots_used()
            };
            // A checkpoint may bring all of DRAM.
            let of_checkpoint = if self.checkpoints.any() {
                u64::from(dram.capacity())
            } else {
                0
            };
            Fill::of(FLASH, held, usable)
                .taking(C::fills_at_once(&self.settings) + of_checkpoint)
                .when(C::FULL_WHEN)
        } else {
            Fill::of(RAM, dram.len(), dram.capacity())
        }
    }

    /// Counts everything again; the text says what disagrees.
    pub(crate) fn recount(
        &self,
        totals: Totals,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        self.around.dram.recount("DRAM")?;
        self.cache.recount(&self.around.counters, crash)?;
        let counted = &self.around.counters;
        let lost_ram_pages = crash.map_or(0, |crash| crash.ram_pages_lost);
        let misses = counted.flash_hits + counted.flash_misses;
        let writes_by_class =
            counted.flash_sequential_page_writes + counted.flash_random_page_writes;
        for (what, left, right) in [
            (
                "hits and misses, accesses",
                counted.ram_hits + misses,
                totals.accesses,
            ),
            (
                "DRAM misses, evictions, pages left and pages lost",
                misses,
                counted.ram_evictions() + u64::from(self.around.dram.len()) + lost_ram_pages,
            ),
            (
                "flash page writes by cause and by class",
                counted.flash_writes(),
                writes_by_class,
            ),
        ] {
            if left != right {
                return Err(format!("{what} do not add up: {left} and {right}"));
            }
        }
        for (what, count, limit) in [
            (
                "dirty DRAM evictions and pages written by checkpoints",
                counted.dirty_evictions + counted.checkpointed_pages,
                totals.write_accesses,
            ),
            (
                "pages written by checkpoints",
                counted.checkpointed_pages,
                counted.flash_writes_by_checkpoint + counted.disk_writes_by_checkpoint,
            ),
            (
                "flash writes by checkpoints",
                counted.flash_writes_by_checkpoint,
                counted
                    .checkpointed_pages
                    .min(counted.flash_fills + counted.flash_write_backs),
            ),
            (
                "disk writes by checkpoints",
                counted.disk_writes_by_checkpoint,
                counted.checkpointed_pages,
            ),
            ("pulled victims", counted.pulled, counted.ram_evictions()),
            (
                "flash write operations",
                counted.flash_write_batches,
                counted.flash_writes(),
            ),
            (
                "DRAM victims with a flash copy",
                counted.victims_found_on_flash,
                counted.ram_evictions(),
            ),
            (
                "disk writes on exit",
                counted.disk_writes_on_exit,
                counted.dirty_evictions,
            ),
            (
                "batch writes of the disk",
                2 * counted.disk_batch_writes,
                counted.disk_batch_write_pages,
            ),
            (
                "pages of batch writes of the disk",
                counted.disk_batch_write_pages,
                counted.hdd_writes(),
            ),
        ] {
            if count > limit {
                return Err(format!("{count} {what}, at most {limit} are possible"));
            }
        }
        Ok(())
    }
}

/// What follows a replay access by access, with its counters: nothing, or the clock of simulated time.
pub(crate) trait Watch {
    /// Whether it follows anything.
    const ACTIVE: bool;

    /// Refuses a trace without the times that are asked for.
    fn check_times(&self, _times_ns: &[i64], _accesses: usize) -> Result<()> {
        Ok(())
    }
    /// The next access was recorded at a time.
    fn expect(&mut self, _recorded_ns: i64) {}
    /// Lets time pass until the first of three: the end of a window, `due_ns` when the cache works in the
    /// background, the arrival of the access that is expected. [ns]
    fn next(&mut self, _due_ns: u64) -> Moment {
        Moment::Arrival(0)
    }
    /// Closes the window that is over, with what the cache holds.
    fn close_window(&mut self, _held: Held) {}
    /// The cache has worked in the background, at the time that was due.
    fn in_background(&mut self, _before: &FlashCacheCounters, _after: &FlashCacheCounters) {}
    /// The cache begins a copy in the background, and is to hear when it is over.
    fn copying(&mut self, _before: &FlashCacheCounters, _after: &FlashCacheCounters) {}
    /// Copies that are not over.
    fn copies_under_way(&self) -> u32 {
        0
    }
    /// An access was replayed.
    fn accessed(&mut self, _before: &FlashCacheCounters, _after: &FlashCacheCounters) {}
    /// The cache was restored from so many bytes of its directory and data pages on flash.
    fn restored(&mut self, _directory_bytes: u64, _pages: u64) {}
    /// The access that arrived changes a page, behind the checkpoints that were `taken`, where any are.
    fn wrote(&mut self, _page: u32, _taken: Option<u32>) {}
    /// What was written since the latest checkpoint or `is_lost` with flash is redone, from flash where it `holds` a page.
    fn redo(
        &mut self,
        _taken: Option<u32>,
        _is_lost: impl Fn(u32) -> bool,
        _holds: impl Fn(u32) -> bool,
    ) {
    }
    /// What comes next is counted.
    fn warmed_up(&mut self) {}
}

/// Counts alone.
impl Watch for () {
    const ACTIVE: bool = false;
}

impl Watch for Clock {
    const ACTIVE: bool = true;

    fn check_times(&self, times_ns: &[i64], accesses: usize) -> Result<()> {
        Self::check_times(self, times_ns, accesses)
    }

    fn expect(&mut self, recorded_ns: i64) {
        Self::expect(self, recorded_ns);
    }

    fn next(&mut self, due_ns: u64) -> Moment {
        Self::next(self, due_ns)
    }

    fn close_window(&mut self, held: Held) {
        Self::close_window(self, held);
    }

    fn in_background(&mut self, before: &FlashCacheCounters, after: &FlashCacheCounters) {
        Self::in_background(self, before, after);
    }

    fn copying(&mut self, before: &FlashCacheCounters, after: &FlashCacheCounters) {
        Self::copying(self, before, after);
    }

    fn copies_under_way(&self) -> u32 {
        Self::copies_under_way(self)
    }

    fn accessed(&mut self, before: &FlashCacheCounters, after: &FlashCacheCounters) {
        Self::access(self, before, after);
    }

    fn restored(&mut self, directory_bytes: u64, pages: u64) {
        self.stand_still(directory_bytes, pages);
    }

    fn wrote(&mut self, page: u32, taken: Option<u32>) {
        Self::wrote(self, page, taken);
    }

    fn redo(
        &mut self,
        taken: Option<u32>,
        is_lost: impl Fn(u32) -> bool,
        holds: impl Fn(u32) -> bool,
    ) {
        Self::redo(self, taken, is_lost, holds);
    }

    fn warmed_up(&mut self) {
        self.restart();
    }
}

/// When to crash, and how to come back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CrashPlan {
    pub(crate) at_access: u64,
    pub(crate) warm: bool,
}

/// Where a replay stands.
pub(crate) struct Course {
    plan: Option<CrashPlan>,
    pub(crate) totals: Totals,
    pub(crate) crash: Option<CrashReport>,
    /// What the warm-up counted, and what of that nobody waited for.
    pub(crate) before: FlashCacheCounters,
    background_before: FlashCacheCounters,
    /// Whether the warm-up is still to end with a full cache.
    filling: bool,
    now: u64,
    /// Pages of the accesses since the warm-up, where they are asked for.
    seen: BitSet,
}

impl Course {
    fn new(plan: Option<CrashPlan>, source: &dyn AccessSource) -> Self {
        let totals = Totals::of(source);
        Self {
            plan,
            totals,
            filling: totals.warm_up.until_full,
            crash: None,
            before: FlashCacheCounters::default(),
            background_before: FlashCacheCounters::default(),
            now: 0,
            seen: BitSet::default(),
        }
    }

    /// Makes room for a chunk, and starts the clock with the first one.
    fn meet<P: Policy, C: FlashCache, W: Watch>(
        &mut self,
        engine: &mut Engine<P, C>,
        watch: &W,
        chunk: &Chunk,
    ) -> Result<()> {
        watch.check_times(&chunk.times_ns, chunk.len())?;
        self.totals.distinct_pages = distinct_pages(chunk, self.totals.distinct_pages)?;
        C::check_distinct_pages(self.totals.distinct_pages)?;
        engine.grow(self.totals.distinct_pages);
        if C::COUNTS_UNIQUE {
            self.seen.grow(self.totals.distinct_pages);
        }
        let timed = !chunk.times_ns.is_empty();
        if timed && chunk.times_ns.len() != chunk.len() {
            return Err(disagreement("trace source", "pages without a time"));
        }
        engine.stretch.check(timed, W::ACTIVE)?;
        // On simulated time every access has one.
        let timed = timed || W::ACTIVE;
        if self.totals.accesses == 0 {
            let unit = if timed {
                ClockUnit::Nanoseconds
            } else {
                ClockUnit::Accesses
            };
            C::check_clock(&engine.settings, unit)?;
            engine.checkpoints.check(unit)?;
            engine.is_timed = W::ACTIVE;
            engine.start_clock(unit, 0);
        }
        if timed != (engine.unit == ClockUnit::Nanoseconds) {
            return Err(disagreement("trace source", "time in some chunks only"));
        }
        Ok(())
    }

    /// Replays a chunk; `next_accesses` has one entry for each access if `FORESEEN`.
    fn pass<const FORESEEN: bool, P: Policy, C: FlashCache, W: Watch>(
        &mut self,
        engine: &mut Engine<P, C>,
        watch: &mut W,
        chunk: &mut Chunk,
        next_accesses: &[u32],
    ) {
        // Here, and not where the chunk is met: categories by hour are those of the recording.
        engine.stretch.apply(&mut chunk.times_ns);
        let timed = !chunk.times_ns.is_empty();
        let crash_at = self.plan.map_or(u64::MAX, |plan| plan.at_access);
        let (mut done, mut now) = (self.totals.accesses, self.now);
        let mut start = 0;
        while start < chunk.len() {
            let to_checkpoint = engine.until_checkpoint(done, crash_at, watch);
            let stop = next_stop(chunk, start, self.filling.then(|| engine.fill()));
            let end = stop.min(start.saturating_add(to_checkpoint.min(BATCH)));
            engine.cache.fetch(&chunk.pages[start..end]);
            engine.cache.fetch_leaving(engine.around.dram.upcoming());
            engine.around.dram.fetch(&chunk.pages[start..end]);
            for (index, &page) in (start..end).zip(&chunk.pages[start..end]) {
                // Requests may be recorded out of order: time never runs backwards here.
                now = if W::ACTIVE {
                    let recorded = chunk.times_ns.get(index).copied().unwrap_or_default();
                    now.max(engine.wait(watch, recorded, done == crash_at))
                } else if timed {
                    now.max(u64::try_from(chunk.times_ns[index]).unwrap_or(0))
                } else {
                    done
                };
                if done == crash_at
                    && let Some(plan) = self.plan
                {
                    self.crash(engine, watch, plan, done, now);
                }
                if C::COUNTS_UNIQUE {
                    self.seen.insert(page);
                }
                let write = chunk.flags[index] & WRITE != 0;
                if W::ACTIVE {
                    let before = engine.around.counters;
                    engine.tick(now);
                    let ticked = engine.around.counters;
                    watch.in_background(&before, &ticked);
                    if FORESEEN {
                        engine.around.dram.foresee(page, next_accesses[index]);
                    }
                    engine.access(page, write);
                    if write {
                        engine.changed = true;
                        watch.wrote(page, engine.taken());
                    }
                    watch.accessed(&ticked, &engine.around.counters);
                } else {
                    engine.tick(now);
                    if FORESEEN {
                        engine.around.dram.foresee(page, next_accesses[index]);
                    }
                    engine.access(page, write);
                }
                done += 1;
            }
            start = end;
            if self.filling {
                chunk.warm_up = end;
                self.filling = !engine.fill().is_full();
            }
            if end == chunk.warm_up {
                self.before = engine.around.counters;
                self.background_before = engine.background;
                engine.around.device.restart_counters();
                self.seen.clear();
                watch.warmed_up();
            }
        }
        self.now = now;
        self.totals.accesses = done;
        self.totals.write_accesses += write_accesses(&chunk.flags);
        self.totals.warm_up.add(chunk);
    }

    /// The machine went down behind the access before, and comes back now.
    fn crash<P: Policy, C: FlashCache, W: Watch>(
        &mut self,
        engine: &mut Engine<P, C>,
        watch: &mut W,
        plan: CrashPlan,
        done: u64,
        now: u64,
    ) {
        let before = engine.around.counters;
        let pages = self.totals.distinct_pages;
        let lost = (W::ACTIVE && !plan.warm).then(|| engine.lost_with_flash(pages));
        self.crash = Some(engine.crash(done, now, pages, plan.warm));
        if W::ACTIVE {
            let (bytes, pages) = engine.restored_since(&before, plan.warm);
            watch.restored(bytes, pages);
            watch.redo(
                engine.taken(),
                |page| lost.as_ref().is_some_and(|lost| lost.contains(page)),
                |page| engine.cache.holds(page),
            );
        }
    }

    /// Distinct pages of the accesses counted, where they are asked for.
    pub(crate) fn unique_pages(&self) -> u64 {
        self.seen.len()
    }

    /// The time of the last access, as the clock counts.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// What nobody waited for, behind the warm-up.
    pub(crate) fn background<P: Policy, C: FlashCache>(
        &self,
        engine: &Engine<P, C>,
    ) -> FlashCacheCounters {
        engine.background.since(self.background_before)
    }

    /// The crash behind the last access, if that is where it is.
    fn end<P: Policy, C: FlashCache, W: Watch>(
        mut self,
        engine: &mut Engine<P, C>,
        watch: &mut W,
    ) -> Result<Self> {
        let done = self.totals.accesses;
        check_filled(self.totals, self.filling, || engine.fill())?;
        match self.plan {
            Some(plan) if plan.at_access > done => Err(Error::BadParameter {
                name: "option",
                value: format!("crash_at={}", plan.at_access),
                message: format!(
                    "the trace ends after {}",
                    counted(done, "access", "accesses")
                ),
                hint: "crash_at counts the accesses before the crash".to_owned(),
            }),
            Some(plan) if self.crash.is_none() => {
                self.crash(engine, watch, plan, done, self.now);
                Ok(self)
            }
            _ => Ok(self),
        }
    }
}

/// The loop over all accesses.
pub(crate) fn replay<P: Policy, C: FlashCache, W: Watch>(
    source: &mut dyn AccessSource,
    engine: &mut Engine<P, C>,
    watch: &mut W,
    plan: Option<CrashPlan>,
    on_progress: OnProgress<'_>,
) -> Result<Course> {
    let mut chunk = Chunk::default();
    let mut course = Course::new(plan, source);
    if C::NEEDS_ADDRESSES {
        source.keep_addresses();
    }
    while source.next_chunk(&mut chunk)? {
        course.meet(engine, watch, &chunk)?;
        if C::NEEDS_ADDRESSES {
            let (spaces, addresses) = addresses_of(source, chunk.len())?;
            engine.cache.locate(&chunk.pages, spaces, addresses);
            engine.cache.classify(&chunk, spaces)?;
        }
        course.pass::<false, P, C, W>(engine, watch, &mut chunk, &[]);
        report(source, course.totals.accesses, on_progress)?;
    }
    course.end(engine, watch)
}

/// The same, telling DRAM of each access when its page is accessed next.
pub(crate) fn replay_foreseen<P: Policy, C: FlashCache, W: Watch>(
    source: &mut dyn AccessSource,
    engine: &mut Engine<P, C>,
    watch: &mut W,
    plan: Option<CrashPlan>,
    on_progress: OnProgress<'_>,
) -> Result<Course> {
    let mut course = Course::new(plan, source);
    let mut places = Places::default();
    let mut future = if C::NEEDS_ADDRESSES {
        source.keep_addresses();
        let placing = &mut Placing {
            source,
            places: &mut places,
        };
        Future::read_timed(placing, on_progress)?
    } else {
        Future::read_timed(source, on_progress)?
    };
    let (mut spaces, mut addresses) = (Vec::new(), Vec::new());
    let mut chunk = Chunk::default();
    let mut next_accesses = Vec::new();
    while future.next_chunk(&mut chunk, &mut next_accesses)? {
        course.meet(engine, watch, &chunk)?;
        if C::NEEDS_ADDRESSES {
            places.of(&chunk.pages, &mut spaces, &mut addresses);
            engine.cache.locate(&chunk.pages, &spaces, &addresses);
            engine.cache.classify(&chunk, &spaces)?;
        }
        course.pass::<true, P, C, W>(engine, watch, &mut chunk, &next_accesses);
        if !on_progress(future.progress(course.totals.accesses)) {
            return Err(Error::Cancelled);
        }
    }
    course.end(engine, watch)
}
