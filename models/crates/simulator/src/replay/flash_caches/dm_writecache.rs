//! dm-writecache: a write cache of the kernel, written back above a watermark.

use super::chains::{Ends, Links};
use super::frames::{Copies, FrameTable};
use super::options::Options;
use super::rate::{ACCESSES_PER_SECOND, ByTime, Period, next_due};
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host,
    OptionAbout, Sampled, Unsampled,
};
use crate::error::Result;
use crate::replay::bits::BitSet;
use crate::replay::metadata::MetadataLayout;

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
}

/// Entries of a metadata page: 16 bytes a block.
const ENTRIES: u32 = 256;
/// The metadata page before those of entries.
const SUPERBLOCK: u32 = 0;
const PERCENT: u64 = 100;

/// dm-writecache on an SSD.
///
/// ```text
/// DRAM misses p:        on flash: read it; else from disk, and flash does not take it
/// evict p from DRAM:    unchanged: the block layer does not hear of it
///                       changed: on flash: write it over its copy
///                       else into a free frame; is none free: write it to disk
///                       in all three cases, if `high_watermark` of flash is in use, and more than
///                       `low_watermark`: start write-back
/// restart:              the same
/// write-back:           while more than `low_watermark` is in use, as fast as the disk takes it: the page that
///                       entered longest ago is read, written to disk, and its frame free; in the end commit
/// commit:               at `autocommit_blocks` new blocks, and every `autocommit_time_ms` if there are any: write
///                       each metadata page with a changed entry, and the superblock
/// ```
///
/// Choices where the description is silent:
/// * A disk without `writeback_pages_per_s` keeps up with write-back at once, so flash is never full.
/// * A trace has no flushes: what they would commit earlier is not counted. Times of commits are multiples of the period.
/// * After a crash the committed pages are there, dirty, in the order of their frames; what was written since is lost.
#[derive(Debug)]
pub(crate) struct DmWritecache {
    settings: Settings,
    capacity: u64,
    frames: FrameTable,
    links: Links,
    /// Pages on flash, the one that entered first first.
    order: Ends,
    /// Newest pages of the order that no commit covers.
    uncommitted: u64,
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
        self.uncommitted = 0;
    }

    fn is_above(&self, percent: u64) -> bool {
        PERCENT * u64::from(self.frames.held()) > percent * self.capacity
    }

    /// Starts write-back if enough of flash is in use.
    fn start_if_due(&mut self) {
        let used = PERCENT * u64::from(self.frames.held());
        let is_due = used >= self.settings.high * self.capacity && self.is_above(self.settings.low);
        if self.writing.is_none() && is_due {
            self.reached = true;
            self.writing = Some((self.now, 0));
        }
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
        self.links.push(&mut self.order, page);
        self.frames.fill(page, frame, true, host);
        self.note_entry(frame);
        self.uncommitted += 1;
        if self.uncommitted >= self.settings.commit_blocks {
            self.commit(host);
        }
    }

    /// When the disk takes the next page of write-back; `u64::MAX`: none is under way.
    fn next_page(&self) -> u64 {
        let Some((began, written)) = self.writing else {
            return u64::MAX;
        };
        let wait = self.settings.pages_per_second.map_or(0, |rate| {
            let ticks = (u128::from(written) + 1) * u128::from(self.second);
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
        while self.is_above(self.settings.low) {
            if written >= allowed {
                self.writing = Some((began, written));
                return;
            }
            written += 1;
            if let Some(oldest) = self.links.pop(&mut self.order) {
                self.note_entry(self.frames.frame(oldest));
                self.frames.release(oldest, host);
            }
        }
        self.writing = None;
        self.commit(host);
    }
}

impl FlashCache for DmWritecache {
    type Settings = Settings;
    type Image = Copies;
    type Device = Frames;

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

    fn settings(options: &Options<'_>, _run: Conditions) -> Result<Settings> {
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
                "a disk without writeback_pages_per_s",
                "the rate at which the disk takes pages does not shrink with flash",
            ));
        }
        let (high, low) = (settings.high, settings.low);
        // What is in use, and of it what is written back at once.
        let least = if high > low { high - low } else { high };
        Ok(Sampled {
            // Commits go by time, and by pages of entries.
            untold: &[
                "flash_sequential_page_writes",
                "flash_random_page_writes",
                "flash_sequential_write_batches",
                "metadata_random_page_writes",
            ],
            ..Sampled::in_frames(f64::from(u32::try_from(least).unwrap_or(100)) / 100.0)
        })
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            capacity: u64::from(flash_pages),
            frames: FrameTable::new(flash_pages, None),
            links: Links::default(),
            order: Ends::EMPTY,
            uncommitted: 0,
            changed: BitSet::default(),
            changed_list: Vec::new(),
            second: 1,
            period: 1,
            commit_due: 0,
            now: 0,
            writing: None,
            reached: false,
        }
    }

    fn grow(&mut self, pages: usize) {
        self.frames.grow(pages);
        self.links.grow(pages);
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
        // After a restart enough may be in use.
        self.start_if_due();
        now
    }

    fn background(&mut self, now: u64, host: &mut impl Host) -> u64 {
        loop {
            let page = self.next_page();
            if self.changed_list.is_empty() {
                // What has nothing to commit until then.
                self.commit_due = self.commit_due.max(next_due(now.min(page), self.period));
            }
            let at = page.min(self.commit_due);
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
            self.next_page()
        } else {
            self.next_page().min(self.commit_due)
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
            let was_writing = self.writing.is_some();
            self.start_if_due();
            if !was_writing {
                self.write_back(host);
            }
        }
    }

    fn image(mut self) -> Copies {
        for _ in 0..self.uncommitted.min(u64::from(self.frames.held())) {
            let newest = self.order.newest;
            self.links.remove(&mut self.order, newest);
            self.frames.lose(newest);
        }
        self.frames.copies()
    }

    fn load(&mut self, image: Copies, _counters: &mut FlashCacheCounters) {
        self.frames.load(&image);
        for (_, page, _) in image {
            self.links.push(&mut self.order, page);
        }
    }

    fn valid_copies(&self) -> u64 {
        u64::from(self.frames.held())
    }

    fn dirty_copies(&self) -> u64 {
        u64::from(self.frames.dirty_held())
    }

    const FULL_WHEN: Option<&'static str> = Some("write-back first starts");
    fn filled(&self, _usable_pages: u32) -> bool {
        self.reached
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
        let ordered = self.links.iter(self.order);
        let ordered = ordered.filter(|&page| self.frames.holds(page)).count();
        self.frames.recount(ordered, counters, crash)
    }
}
