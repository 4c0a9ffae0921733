//! The large-object cache of `CacheLib`: a log of regions on flash, emptied a region at a time.

use super::cachelib_small;
use super::chains::{Ends, Links, NONE};
use super::options::Options;
use super::rate::{ACCESSES_PER_SECOND, ByTime, Period, next_due};
use super::seen_before::SeenBefore;
use super::settled::ByClock;
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host,
    OptionAbout, Sampled, Unsampled, Warning, as_of_host, recount_copies, unit_of,
};
use crate::error::Result;
use crate::random::Random;
use crate::replay::bits::BitSet;
use crate::replay::fetch::fetch;
use crate::replay::room::Room;

/// Time between two settings of the chance of `dynamic_random`. [ms]
const RATE_MS: u64 = 60_000;
const DAY_S: f64 = 86_400.0;
/// Bytes of a region, and bytes per second that are written at most.
const REGION_BYTES: u64 = 16 << 20;
const MOST_BYTES_PER_S: u64 = 160 << 20;
/// Bounds of one change of the factor, and of the factor.
const CHANGE: (f64, f64) = (0.75, 1.25);
const FACTOR: (f64, f64) = (0.001, 10.0);

/// Splits of the window of `reject_first`, and the most that can be asked for.
const REJECT_SPLITS: u64 = 20;
const MOST_REJECT_SPLITS: u64 = 1000;

/// Segments of `segmented_fifo`: from two, which is the least that differ, to so many.
const MOST_SEGMENTS: usize = 8;
const HIGHEST_RATIO: u32 = 1000;
const RATIOS: &str = "segment_ratios";

/// Shares of the segments among the closed regions, by priority; those beyond the last segment are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ratios {
    of: [u32; MOST_SEGMENTS],
    segments: usize,
}

impl Ratios {
    /// One segment.
    const ONE: Self = Self {
        of: [1, 0, 0, 0, 0, 0, 0, 0],
        segments: 1,
    };

    /// Reads numbers with `+` between them.
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let numbers: Vec<u32> = text
            .split('+')
            .map_while(|number| number.parse().ok())
            .filter(|number| (1..=HIGHEST_RATIO).contains(number))
            .collect();
        let segments = numbers.len();
        if segments != text.split('+').count() || !(2..=MOST_SEGMENTS).contains(&segments) {
            return Err(format!(
                "is not 2 to {MOST_SEGMENTS} whole numbers from 1 to {HIGHEST_RATIO}"
            ));
        }
        let mut of = [0; MOST_SEGMENTS];
        of[..segments].copy_from_slice(&numbers);
        Ok(Self { of, segments })
    }
}

/// Which region is emptied next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Replacement {
    Lru,
    Fifo,
    SegmentedFifo,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Admission {
    All,
    /// At a chance that holds a rate of writes: pages per second aimed at and at most, chance at a factor of one.
    DynamicRandom {
        target: f64,
        most: f64,
        base: f64,
    },
    /// From the second insert on, within a window of splits of so many pages.
    RejectFirst {
        splits: u32,
        split_pages: u32,
    },
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) region_pages: u32,
    pub(crate) lru: bool,
    /// More than one segment: `segmented_fifo`.
    ratios: Ratios,
    /// Regions that are kept ready.
    pub(crate) clean_regions: usize,
    /// Regions that DRAM has room to fill at once.
    buffers: usize,
    /// Hits from which on a page is written again as its region goes; 0: never.
    pub(crate) reinsertion_hits: u8,
    pub(crate) admission: Admission,
    pub(crate) seed: u64,
    pub(crate) minute: Period,
}

/// `CacheLib`'s large-object cache.
///
/// ```text
/// DRAM misses p:        on flash: read it; lru: its region is the most recent, if it is closed
/// evict p from DRAM:    changed: write it to disk; its copy on flash becomes a hole; insert p
///                       unchanged: insert p unless it is on flash
/// insert p:             if admitted: append it to the open region; a full one is closed
/// open a region:        freed last, else never used; then, while less than `clean_regions` are free:
///                         empty the closed one that is unread for longest (fifo: closed longest ago): a page with at least
///                         `reinsertion_hits` hits is read and appended again, as long as the open region has
///                         room; the others leave
///                       segmented_fifo: the one that is longest in segment 0; a page with h hits is appended to the open
///                         region of priority min(h, segments - 1), for which a free one is opened if there is one,
///                         and one of the 2 x `clean_regions` buffers; the others leave
/// close a region:       segmented_fifo: it enters the segment of its priority, last
/// closed, or emptied:   segmented_fifo: from the highest segment down: while it has more than (closed regions) x ratio /
///                         (sum of ratios), rounded down, its first region goes to the end of the segment below
/// admission             all; dynamic_random: by a chance, set each minute so that a rate of writes is held;
///                       reject_first: from the second insert on; of pages that came a first time, in splits, the oldest
///                         split is forgotten as a new one begins
/// ```
///
/// Choices where the source is silent, or says more than a replay knows:
/// * An object is a page. A hole stays until its region goes.
/// * Flash is a cache of what the disk has: nothing on it is dirty.
/// * The open region is in DRAM; reads of its pages count as flash hits, and its pages as written when they are appended.
/// * The index is in DRAM and written when the cache is shut down, so a crash loses the cache.
/// * Regions of several priorities fill in turn, each to be one large write: all pages of a region but the first are
///   sequential, and a device below hears of a region when it is full.
///
/// * `reject_first` knows pages, not their hashes, and admits none because it was hit in DRAM, which `CacheLib` does unless
///   `useDramHitSignal` is off.
///
/// Priorities and segments: `BlockCache::reinsertOrRemoveItem`, `Allocator` and `SegmentedFifoPolicy` of `CacheLib`'s source;
/// `reject_first`: its `RejectFirstAP` over an `ApproxSplitSet`.
#[derive(Debug)]
pub(crate) struct CacheLib {
    settings: Settings,
    frame_of: Vec<u32>,
    /// The page in each frame that was ever written, [`NONE`] in a hole.
    page_at: Vec<u32>,
    hits: Vec<u8>,
    room: Room,
    regions: u32,
    /// By priority; newcomers have the lowest.
    segments: Vec<Segment>,
    /// Of the order of closed regions.
    links: Links,
    is_closed: BitSet,
    closed: u64,
    ratio_sum: u64,
    /// The region frame behind the last page appended, where regions fill in turn.
    appended_to: u32,
    /// Pages ever put back at a priority above the lowest.
    raised: u64,
    /// Pages ever appended to regions in use.
    slots: u64,
    held: u32,
    was_full: bool,
    random: Random,
    chance: f64,
    factor: f64,
    /// Pages written, and those before the last minute.
    pub(super) appended: u64,
    appended_before: u64,
    /// Pages that were refused once, with `reject_first`.
    seen: SeenBefore,
    period: u64,
    due: u64,
    /// When the clock started: at the first access, or after a crash.
    began: u64,
    /// How often the chance was adjusted.
    adjusted: u64,
}

/// Regions of one priority.
#[derive(Debug)]
struct Segment {
    ratio: u64,
    /// Closed regions, the one that goes next first.
    order: Ends,
    closed: u64,
    /// The open region and its pages; [`NONE`]: there is none.
    open: u32,
    filled: u32,
}

/// What regions reach that fill in DRAM, several at a time or beside sets: their pages are counted as they are appended, and
/// the device hears of whole regions.
struct Collected<'a, H> {
    host: &'a mut H,
    appended_to: u32,
    region_pages: u32,
}

impl<H: Host> Host for Collected<'_, H> {
    as_of_host!(all);

    fn flash_write(&mut self, frame: u32, pages: u32) {
        let follows = frame == self.appended_to || !frame.is_multiple_of(self.region_pages);
        let sequential = u64::from(follows);
        let counters = self.host.counters();
        counters.flash_write_batches += 1;
        counters.flash_sequential_write_batches += sequential;
        counters.flash_sequential_page_writes += u64::from(pages) - 1 + sequential;
        counters.flash_random_page_writes += 1 - sequential;
        let end = frame + pages;
        self.appended_to = end;
        if end.is_multiple_of(self.region_pages) {
            let first = end - self.region_pages;
            self.host.flash_write_counted(first, self.region_pages);
        }
    }

    fn flash_write_apart(&mut self, frame: u32, pages: u32) {
        self.flash_write(frame, pages);
    }

    fn flash_write_counted(&mut self, frame: u32, pages: u32) {
        self.host.flash_write_counted(frame, pages);
    }

    fn flash_trim(&mut self, frame: u32, pages: u32) {
        self.host.flash_trim(frame, pages);
    }
}

impl CacheLib {
    fn region_of(&self, page: u32) -> u32 {
        self.frame_of[page as usize] / self.settings.region_pages
    }

    pub(super) fn admits(&mut self, page: u32) -> bool {
        match self.settings.admission {
            Admission::All => true,
            Admission::DynamicRandom { .. } => self.random.unit() < self.chance,
            Admission::RejectFirst { .. } => self.seen.notes(page),
        }
    }

    fn hole(&mut self, page: u32) {
        let frame = std::mem::replace(&mut self.frame_of[page as usize], NONE);
        self.page_at[frame as usize] = NONE;
        self.held -= 1;
    }

    fn is_segmented(&self) -> bool {
        self.segments.len() > 1
    }

    /// Writes a page behind the last one of the open region of a priority.
    fn append(&mut self, page: u32, priority: usize, host: &mut impl Host) {
        let segment = &mut self.segments[priority];
        let frame = segment.open * self.settings.region_pages + segment.filled;
        segment.filled += 1;
        if frame as usize >= self.page_at.len() {
            self.page_at.resize(frame as usize + 1, NONE);
        }
        self.page_at[frame as usize] = page;
        self.frame_of[page as usize] = frame;
        self.hits[page as usize] = 0;
        self.held += 1;
        self.slots += 1;
        self.appended += 1;
        host.flash_write(frame, 1);
    }

    /// Closes the open region of a priority if it is full.
    fn close_if_full(&mut self, priority: usize) {
        let segment = &mut self.segments[priority];
        if segment.open != NONE && segment.filled == self.settings.region_pages {
            let region = std::mem::replace(&mut segment.open, NONE);
            self.links.push(&mut segment.order, region);
            segment.closed += 1;
            self.closed += 1;
            self.is_closed.insert(region);
            self.rebalance();
        }
    }

    /// Takes the region that goes next out of the order; there is one wherever a region is closed.
    fn next_closed(&mut self) -> Option<u32> {
        let lowest = &mut self.segments[0];
        let region = self.links.pop(&mut lowest.order)?;
        lowest.closed -= 1;
        self.closed -= 1;
        self.is_closed.take(region);
        self.rebalance();
        Some(region)
    }

    /// Moves regions down as far as their segments are above their shares.
    fn rebalance(&mut self) {
        for priority in (1..self.segments.len()).rev() {
            let (below, above) = self.segments.split_at_mut(priority);
            let (below, segment) = (&mut below[priority - 1], &mut above[0]);
            let most = self.closed * segment.ratio / self.ratio_sum;
            while segment.closed > most
                && let Some(region) = self.links.pop(&mut segment.order)
            {
                self.links.push(&mut below.order, region);
                segment.closed -= 1;
                below.closed += 1;
            }
        }
    }

    fn free_regions(&self) -> usize {
        self.regions as usize - self.room.taken()
    }

    /// Empties closed regions until enough are ready.
    fn reclaim(&mut self, host: &mut impl Host) {
        while self.free_regions() < self.settings.clean_regions
            && let Some(region) = self.next_closed()
        {
            self.empty(region, host);
        }
    }

    /// Whether a page may be put back, and at which priority.
    fn place_of(&mut self, page: u32) -> Option<usize> {
        let hits = self.hits[page as usize];
        let least = self.settings.reinsertion_hits;
        if least == 0 || hits < least {
            return None;
        }
        let priority = usize::from(hits).min(self.segments.len() - 1);
        if self.is_segmented() && self.segments[priority].open == NONE {
            let open = self.segments.iter().filter(|of| of.open != NONE).count();
            if open < self.settings.buffers
                && let Some(region) = self.room.take()
            {
                self.start(region, priority);
            }
        }
        let Segment { open, filled, .. } = self.segments[priority];
        (open != NONE && filled < self.settings.region_pages).then_some(priority)
    }

    fn empty(&mut self, region: u32, host: &mut impl Host) {
        let region_pages = self.settings.region_pages;
        self.was_full = true;
        let first = region * region_pages;
        for frame in first..first + region_pages {
            let page = self.page_at[frame as usize];
            if page == NONE {
                continue;
            }
            let place = self.place_of(page);
            self.hole(page);
            let Some(priority) = place else {
                host.counters().flash_evictions += 1;
                continue;
            };
            let counters = host.counters();
            counters.flash_stage_out_reads += 1;
            counters.requeued += 1;
            self.append(page, priority, host);
            if priority > 0 {
                self.raised += 1;
                self.close_if_full(priority);
            }
        }
        self.slots -= u64::from(region_pages);
        self.room.give_back(region);
        host.flash_trim(first, region_pages);
        self.close_if_full(0);
    }

    /// Makes a region the open one of a priority.
    fn start(&mut self, region: u32, priority: usize) {
        self.links.grow(region as usize + 1);
        self.is_closed.grow(region as usize + 1);
        let segment = &mut self.segments[priority];
        segment.open = region;
        segment.filled = 0;
    }

    /// Opens regions until the open one of newcomers has room.
    fn open_region(&mut self, host: &mut impl Host) {
        while self.segments[0].open == NONE {
            let region = loop {
                if let Some(region) = self.room.take() {
                    break region;
                }
                // Every region is in use.
                if let Some(region) = self.next_closed() {
                    self.empty(region, host);
                }
            };
            self.start(region, 0);
            self.reclaim(host);
        }
    }

    fn insert(&mut self, page: u32, host: &mut impl Host) {
        if !self.admits(page) {
            host.counters().bypassed += 1;
            return;
        }
        self.open_region(host);
        host.counters().flash_fills += 1;
        self.append(page, 0, host);
        self.close_if_full(0);
    }

    /// What [`FlashCache::on_exit`] does.
    #[inline]
    fn take(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let on_flash = self.frame_of[page as usize] != NONE;
        let counters = host.counters();
        counters.victims_found_on_flash += u64::from(on_flash);
        counters.disk_writes_on_exit += u64::from(changed);
        if changed && on_flash {
            counters.flash_invalidations += 1;
            let frame = self.frame_of[page as usize];
            self.hole(page);
            host.flash_trim(frame, 1);
        }
        if changed || !on_flash {
            self.insert(page, host);
        }
    }

    /// The same where regions do not fill one after the other.
    pub(super) fn take_collected(&mut self, exit: Exit, host: &mut impl Host) {
        let mut collected = Collected {
            host,
            appended_to: self.appended_to,
            region_pages: self.settings.region_pages,
        };
        self.take(exit, &mut collected);
        self.appended_to = collected.appended_to;
    }

    /// Counts the pages that are mapped, and those in regions, again; the text says what disagrees.
    pub(super) fn recount_regions(&self) -> std::result::Result<(usize, usize), String> {
        let (mut held, mut slots) = (0, 0);
        let mut all_closed = 0;
        for segment in &self.segments {
            let closed = self.links.iter(segment.order).map(|region| (region, true));
            let open = (segment.open != NONE).then_some((segment.open, false));
            let mut in_segment = 0;
            for (region, is_closed) in closed.chain(open) {
                let first = region * self.settings.region_pages;
                let filled = if is_closed {
                    self.settings.region_pages
                } else {
                    segment.filled
                };
                for frame in first..first + filled {
                    let page = self.page_at[frame as usize];
                    held += usize::from(page != NONE && self.frame_of[page as usize] == frame);
                }
                slots += u64::from(filled);
                in_segment += u64::from(is_closed);
                if is_closed != self.is_closed.contains(region) {
                    return Err(format!("region {region} is closed and open"));
                }
            }
            all_closed += in_segment;
            if in_segment != segment.closed {
                let counted = segment.closed;
                return Err(format!(
                    "{in_segment} closed regions in a segment, counted as {counted}"
                ));
            }
        }
        if all_closed != self.closed {
            let counted = self.closed;
            return Err(format!("{all_closed} closed regions, counted as {counted}"));
        }
        let mapped = self.frame_of.iter().filter(|&&frame| frame != NONE).count();
        if held != self.held as usize || slots != self.slots {
            return Err(format!(
                "{held} pages in {slots} slots, counted as {} in {}",
                self.held, self.slots
            ));
        }
        Ok((mapped, held))
    }

    /// Sets the chance of the next minute.
    #[expect(
        clippy::cast_precision_loss,
        reason = "pages and seconds are far below 2^53"
    )]
    fn set_chance(&mut self, at: u64) {
        let Admission::DynamicRandom { target, most, base } = self.settings.admission else {
            return;
        };
        // What a crash made forget was written before it.
        let elapsed = (at - self.began) as f64 / self.period as f64 * 60.0;
        let written = self.appended as f64;
        let now = ((target * (elapsed + DAY_S) - written) / DAY_S).clamp(0.0, most);
        let observed = (self.appended - self.appended_before) as f64 / 60.0;
        self.appended_before = self.appended;
        let ratio = if observed > 0.0 {
            now / observed
        } else {
            CHANGE.1
        };
        self.factor = (self.factor * ratio.clamp(CHANGE.0, CHANGE.1)).clamp(FACTOR.0, FACTOR.1);
        self.chance = (base * self.factor).min(1.0);
    }
}

/// Chance of an object of a page, in percent: (bits of 4 KiB / bits of it)^0.3, bits up to the highest one that is set.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a percentage"
)]
fn base_percent(page_bytes: u64) -> u64 {
    let bits = f64::from(u64::BITS - page_bytes.leading_zeros());
    let chance = (13.0 / bits).powf(0.3).min(1.0);
    (100.0 * chance).round() as u64
}

/// The settings of regions in so many pages of flash.
pub(super) fn settings_over(
    options: &Options<'_>,
    run: Conditions,
    large_pages: u32,
) -> Result<Settings> {
    if run.warm_restart {
        return Err(options.impossible(
            "restart",
            "regions are found by an index in memory, so there is no warm restart: use restart=cold",
        ));
    }
    let usual = run.pages_of(REGION_BYTES, u64::from(u32::MAX));
    let region_pages = unit_of(options, "region_pages", usual, large_pages)?;
    let regions = (large_pages / region_pages).max(1);
    let kind = options.choice(
        "admission",
        &[
            ("all", "all"),
            ("dynamic_random", "dynamic_random"),
            ("reject_first", "reject_first"),
        ],
    )?;
    for (name, of) in [
        ("target_pages_per_s", "dynamic_random"),
        ("max_pages_per_s", "dynamic_random"),
        ("base_percent", "dynamic_random"),
        ("seed", "dynamic_random"),
        ("reject_window_pages", "reject_first"),
        ("reject_splits", "reject_first"),
    ] {
        if kind != of && options.is_given(name) {
            let why = format!("has no effect without admission={of}");
            return Err(options.impossible(name, &why));
        }
    }
    let rates = 1..=1_000_000_000;
    let (admission, seed) = match kind {
        "dynamic_random" => {
            let Some(target) = options.number_if_given("target_pages_per_s", rates.clone())? else {
                return Err(options.impossible(
                    "admission",
                    "holds a rate of writes that is not stated: give target_pages_per_s",
                ));
            };
            let usual = run.pages_of(MOST_BYTES_PER_S, *rates.end());
            let most = options.number_or("max_pages_per_s", rates, usual)?;
            let usual = base_percent(run.page_bytes);
            let base = options.number_or("base_percent", 1..=100, usual)?;
            let seed = options.number("seed", 0..=u64::MAX)?;
            (
                Admission::DynamicRandom {
                    target: number(target),
                    most: number(most),
                    base: number(base) / 100.0,
                },
                seed,
            )
        }
        "reject_first" => {
            let usual = u64::from(run.flash_pages.max(1));
            let window =
                options.number_or("reject_window_pages", 1..=u64::from(u32::MAX), usual)?;
            let splits = options.number_or(
                "reject_splits",
                1..=window.min(MOST_REJECT_SPLITS),
                window.min(REJECT_SPLITS),
            )?;
            let [splits, split_pages] =
                [splits, window / splits].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
            (
                Admission::RejectFirst {
                    splits,
                    split_pages,
                },
                0,
            )
        }
        _ => (Admission::All, 0),
    };
    let ready = options.number("clean_regions", 1..=64)?;
    let ready = usize::try_from(ready).unwrap_or(1);
    let hits = options.number("reinsertion_hits", 0..=255)?;
    let replacement = options.choice(
        "replacement",
        &[
            ("lru", Replacement::Lru),
            ("fifo", Replacement::Fifo),
            ("segmented_fifo", Replacement::SegmentedFifo),
        ],
    )?;
    let ratios = if replacement == Replacement::SegmentedFifo {
        options.parsed(RATIOS, Ratios::parse)?
    } else if options.is_given(RATIOS) {
        let why = "has no effect without replacement=segmented_fifo";
        return Err(options.impossible(RATIOS, why));
    } else {
        Ratios::ONE
    };
    Ok(Settings {
        region_pages,
        lru: replacement == Replacement::Lru,
        ratios,
        clean_regions: ready.min(regions as usize - 1),
        buffers: 2 * ready,
        reinsertion_hits: u8::try_from(hits).unwrap_or(u8::MAX),
        admission,
        seed,
        minute: Period::new(options, RATE_MS)?,
    })
}

impl FlashCache for CacheLib {
    type Settings = Settings;
    type Image = ();
    type Device = Frames;

    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "region_pages",
            values: "1 to the number of flash pages",
            default: "4096 of 4 KiB (16 MiB), at most 1/16 of flash",
            description: "Pages of a region: one large write, and what goes at once; what does not fill a region stays unused.",
            is_place: false,
        },
        OptionAbout {
            name: "replacement",
            values: "lru, fifo, segmented_fifo",
            default: "lru",
            description: "Which region is emptied: unread for longest, closed longest ago, or longest in the lowest of several segments; the more hits a page has that is put back, the higher the segment of its region.",
            is_place: false,
        },
        OptionAbout {
            name: RATIOS,
            values: "2 to 8 whole numbers from 1 to 1000 with + between them",
            default: "1+1+1",
            description: "With replacement=segmented_fifo: shares of the segments among full regions, the lowest segment first; what is above its share moves one segment down.",
            is_place: false,
        },
        OptionAbout {
            name: "clean_regions",
            values: "1 to 64",
            default: "1",
            description: "Regions that are kept ready, less where flash has no more.",
            is_place: false,
        },
        OptionAbout {
            name: "reinsertion_hits",
            values: "0 to 255",
            default: "0",
            description: "Hits since it was written with which a page is written again as its region goes; 0: never.",
            is_place: false,
        },
        OptionAbout {
            name: "admission",
            values: "all, dynamic_random, reject_first, cachesack",
            default: "all",
            description: "Which pages enter: all, by a chance that holds a rate of writes, or from the second insert within a window on.",
            is_place: false,
        },
        OptionAbout {
            name: "target_pages_per_s",
            values: "1 to 1000000000",
            default: "none",
            description: "With admission=dynamic_random, which needs it: pages per second that are to be written in the mean of a day.",
            is_place: false,
        },
        OptionAbout {
            name: "max_pages_per_s",
            values: "1 to 1000000000",
            default: "40960 of 4 KiB (160 MiB/s)",
            description: "With admission=dynamic_random: pages per second at most.",
            is_place: false,
        },
        OptionAbout {
            name: "base_percent",
            values: "1 to 100",
            default: "100 for pages of up to 4 KiB, less for larger ones",
            description: "With admission=dynamic_random: chance of a page before the factor.",
            is_place: false,
        },
        OptionAbout {
            name: "seed",
            values: "0 to 18446744073709551615",
            default: "0",
            description: "With admission=dynamic_random: start of the random numbers.",
            is_place: false,
        },
        OptionAbout {
            name: "reject_window_pages",
            values: "1 to 4294967295",
            default: "the number of flash pages",
            description: "With admission=reject_first: pages that are remembered, in splits of equal size.",
            is_place: false,
        },
        OptionAbout {
            name: "reject_splits",
            values: "1 to 1000, at most one for each page of the window",
            default: "20",
            description: "With admission=reject_first: splits of the window, of which the oldest is forgotten whole as a new one begins.",
            is_place: false,
        },
        cachelib_small::OPTIONS[0],
        cachelib_small::OPTIONS[1],
        cachelib_small::OPTIONS[2],
        cachelib_small::OPTIONS[3],
        cachelib_small::OPTIONS[4],
        ACCESSES_PER_SECOND,
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        cachelib_small::without(options)?;
        settings_over(options, run, run.flash_pages)
    }

    fn by_time(settings: &Settings) -> Option<ByTime> {
        match settings.admission {
            Admission::DynamicRandom { .. } => Some(ByTime {
                period: settings.minute,
                what: "a rate of writes is held",
            }),
            Admission::All | Admission::RejectFirst { .. } => None,
        }
    }

    fn unit_pages(settings: &Settings) -> u32 {
        settings.region_pages
    }

    fn fills_at_once(settings: &Settings) -> u64 {
        1 + u64::from(settings.region_pages)
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Err(Unsampled::always(
            "its regions are emptied whole and are of a size of their own, so they do not shrink with flash",
        ))
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        let regions = flash_pages / settings.region_pages;
        let base = match settings.admission {
            Admission::DynamicRandom { base, .. } => base,
            Admission::All | Admission::RejectFirst { .. } => 1.0,
        };
        let seen = match settings.admission {
            Admission::RejectFirst {
                splits,
                split_pages,
            } => SeenBefore::new(splits, split_pages),
            Admission::All | Admission::DynamicRandom { .. } => SeenBefore::new(1, 1),
        };
        let Ratios { of, segments } = settings.ratios;
        let ratios = &of[..segments];
        Self {
            settings: *settings,
            frame_of: Vec::new(),
            page_at: Vec::new(),
            hits: Vec::new(),
            room: Room::new(regions),
            regions,
            segments: ratios
                .iter()
                .map(|&ratio| Segment {
                    ratio: u64::from(ratio),
                    order: Ends::EMPTY,
                    closed: 0,
                    open: NONE,
                    filled: 0,
                })
                .collect(),
            links: Links::default(),
            is_closed: BitSet::default(),
            closed: 0,
            ratio_sum: ratios.iter().map(|&ratio| u64::from(ratio)).sum(),
            appended_to: 0,
            raised: 0,
            slots: 0,
            held: 0,
            was_full: false,
            random: Random(settings.seed),
            chance: base.min(1.0),
            factor: 1.0,
            appended: 0,
            appended_before: 0,
            seen,
            period: 1,
            due: u64::MAX,
            began: 0,
            adjusted: 0,
        }
    }

    fn grow(&mut self, pages: usize) {
        if pages > self.frame_of.len() {
            self.frame_of.resize(pages, NONE);
            self.hits.resize(pages, 0);
            if matches!(self.settings.admission, Admission::RejectFirst { .. }) {
                self.seen.grow(pages);
            }
        }
    }

    fn fetch(&self, pages: &[u32]) {
        fetch(&self.frame_of, pages);
    }

    fn start_clock(&mut self, unit: ClockUnit, now: u64) -> u64 {
        if !matches!(self.settings.admission, Admission::DynamicRandom { .. }) {
            return u64::MAX;
        }
        self.period = self.settings.minute.ticks(unit);
        self.due = next_due(now, self.period);
        self.began = now;
        self.due
    }

    fn background(&mut self, now: u64, _host: &mut impl Host) -> u64 {
        while self.due <= now {
            self.set_chance(self.due);
            self.adjusted += 1;
            self.due = self.due.saturating_add(self.period);
        }
        self.due
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        if self.frame_of[page as usize] == NONE {
            return false;
        }
        let hits = &mut self.hits[page as usize];
        *hits = hits.saturating_add(1);
        if self.settings.lru {
            let region = self.region_of(page);
            let lowest = &mut self.segments[0];
            if region != lowest.open {
                self.links.renew(&mut lowest.order, region);
            }
        }
        true
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.frame_of[page as usize] != NONE
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        if self.is_segmented() {
            self.take_collected(exit, host);
        } else {
            self.take(exit, host);
        }
    }

    fn image(self) {}

    fn load(&mut self, _image: (), _counters: &mut FlashCacheCounters) {}

    fn valid_copies(&self) -> u64 {
        u64::from(self.held)
    }

    fn slots_used(&self) -> u64 {
        self.slots
    }

    const FULL_WHEN: Option<&'static str> = Some("a region must be emptied for the first time");
    fn filled(&self, _usable_pages: u32) -> bool {
        self.was_full
    }

    fn by_clock(&self) -> Option<ByClock> {
        let Admission::DynamicRandom { target, most, .. } = self.settings.admission else {
            return None;
        };
        Some(ByClock::Holds {
            every: self.settings.minute,
            times: self.adjusted,
            written: self.appended,
            target: target.min(most),
            chance: self.chance,
        })
    }

    fn notes(&self) -> Vec<Warning> {
        if !self.is_segmented() || !self.was_full || self.raised > 0 {
            return Vec::new();
        }
        let hint = if self.settings.reinsertion_hits == 0 {
            "give reinsertion_hits, without which no page is put back"
        } else if self.settings.clean_regions < 2 {
            "give clean_regions=2 or more on a flash of at least three regions: while the only region that is ready is being replaced, there is none to put pages back into"
        } else {
            "give lower reinsertion_hits"
        };
        vec![Warning {
            name: "segments_unused",
            message: "segmented_fifo used its lowest segment alone: regions were emptied, and no page was put back"
                .to_owned(),
            hint: hint.to_owned(),
        }]
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let (mapped, held) = self.recount_regions()?;
        recount_copies(mapped, held, 0, counters, crash)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "at most 2^30, which a float holds"
)]
fn number(value: u64) -> f64 {
    value as f64
}
