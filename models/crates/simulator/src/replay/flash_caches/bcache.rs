//! bcache: a log of buckets, each filled by appends and emptied whole, seen from the block layer.

use super::chains::{Ends, Links, NONE};
use super::options::Options;
use super::rate::{ACCESSES_PER_SECOND, ByTime, NS_PER_MS, Period, next_due};
use super::sets::{MODES, Mode};
use super::settled::{ByClock, WAITS_FOR_CLEANING};
use super::streams::{Streams, note_places};
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host,
    OptionAbout, Sampled, Unsampled, recount_single_copies, unit_of,
};
use crate::error::Result;
use crate::random::Random;
use crate::replay::BATCH;
use crate::replay::bits::BitSet;
use crate::replay::metadata::MetadataLayout;
use crate::replay::room::Room;
use crate::replay::settings::share_of;
use crate::replay::two_tier::Warning;
use crate::wording::{counted, grouped};

/// Bytes of a key with one pointer, in the journal and in the B-tree.
const KEY_BYTES: u64 = 24;
/// Open buckets, where there are more than twice as many buckets.
const OPEN_BUCKETS: u32 = 6;
/// Bytes of a bucket, and of a stream behind which flash is bypassed.
const BUCKET_BYTES: u64 = 512 << 10;
const CUTOFF_BYTES: u64 = 4 << 20;
/// The rate of write-back is in sectors per second.
const SECTOR_BYTES: u64 = 512;
/// Time between two settings of that rate. [ms]
const RATE_MS: u64 = 5000;
/// Seconds in which the rate is to clean what is dirty beyond the aim.
const EXCESS_S: u64 = 40;
/// So many of them without an I/O, and it has no limit.
const IDLE: u32 = 6;
/// The rate at the beginning, the least, the most, that without a limit, and that when an I/O ends it. [sectors/s]
const FIRST_RATE: u64 = 1024;
const LEAST_RATE: i64 = 8;
const MOST_RATE: i64 = 1_000_000_000;
const NO_LIMIT: u64 = i32::MAX as u64;
const AFTER_IDLE: u64 = 1;
/// Buckets of which one is of the journal, and how many of these there are at most; in the kernel's source, as is that there
/// are two at least.
const BUCKETS_PER_JOURNAL_BUCKET: u64 = 128;
const MOST_JOURNAL_BUCKETS: u64 = 256;
/// Percent of the buckets with dirty pages above which these count too, and by how much.
const FRAGMENTED: [(u64, u64); 3] = [(64, 1000), (57, 10), (50, 1)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replacement {
    Lru,
    Fifo,
    Random,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) mode: Mode,
    pub(crate) replacement: Replacement,
    pub(crate) bucket_pages: u32,
    /// Of a page.
    pub(crate) sectors: u32,
    pub(crate) open_buckets: u32,
    /// Pages of a stream behind which flash is bypassed; 0: never.
    pub(crate) sequential_cutoff: u64,
    /// Buckets with dirty pages up to which changed pages stay dirty.
    pub(crate) most_dirty_buckets: u32,
    /// Dirty pages at which the background aims.
    pub(crate) aim: u32,
    pub(crate) delay: Period,
    pub(crate) rate: Period,
    pub(crate) keys_per_page: u64,
    pub(crate) seed: u64,
}

/// bcache as Kang, Lee and Moon describe it in sections 3.3 and 6.5, with the defaults of Linux today.
///
/// ```text
/// an I/O of p:          a DRAM miss, or a changed exit; if one of the last 128 streams ends before p,
///                       p continues it, else p begins one; longer than the cutoff: p bypasses flash
/// DRAM misses p:        on flash: read it; LRU: its bucket becomes the most recent
/// p came from disk:     bypassed: nothing, else append p, clean
/// evict p from DRAM:    unchanged: the block layer does not hear of it
///                       changed: the copy on flash becomes a hole, then
///   write_around, or bypassed:            write it to disk
///   write_through, or write_back while more than the cutoff of the buckets have dirty pages:
///                                         write it to disk, append it clean
///   write_back:                           append it dirty; no bucket: write it to disk
/// append p:             to the open bucket whose last page lies before p, else to the open bucket that was
///                       longest without a page; a full one is closed, and the next page opens
///                       another one: freed, never used, or emptied
/// empty a bucket:       LRU: the closed one without dirty pages that is unread for longest; FIFO: opened
///                       longest ago; random: drawn; its pages leave flash. None: flash is bypassed
/// holes:                a closed bucket of holes alone is free
/// write-back:           in rounds: as many pages as are dirty at its begin are written to disk, dirty for longest
///                       first, the first at once, the others at the rate; then `writeback_delay_s` without
/// rate:                 128 pages/s at first; every 5 s with dirty pages, their excess over `writeback_share` of
///                       flash = e (below 0 if they are fewer): if e > 0 or i > 0: i = i + 5 e;
///                       rate = e / 40 + i / 10000, in eighths of a page, at least 1 page/s
///                       more than 50 % of the buckets dirty, and less than a quarter of what these hold: instead of
///                       e / 40 at least, for each percent above 50, a dirty bucket's mean of dirty pages; above 57,
///                       10 for each percent above 57; above 64, 1000
///                       6 times in a row without an I/O: no limit until there is one; from then to the next time
///                       1/8 page/s
/// metadata:             each append, hole without an append and cleaned page changes a key of 24 bytes.
///                       Journal: one sequential write when a page of keys is full, and at once for a
///                       dirty page. B-tree: one random page write for each page of keys
/// ```
///
/// Choices where the sources are silent:
/// * The task that issues a request is unknown, so streams are told by addresses alone. Pages
///   populate flash at once: the daemon is never behind.
/// * What is whole buckets of flash is used, the rest is not. With few buckets half of them are open.
/// * The kernel's write-back goes round by address, from where it last was, and cleans all that it finds.
/// * LRU counts opening and flash hits. The kernel weighs age by the sectors in use; here it does not.
/// * Congestion by latency, and dirty writes for synchronous requests up to 70 %, are not replayed: a
///   trace has neither.
/// * Journal and B-tree survive a crash, and so does every page; streams are lost.
#[derive(Debug)]
pub(crate) struct Bcache {
    settings: Settings,
    buckets: u32,
    /// Buckets that were ever used.
    bucket: Vec<Bucket>,
    /// Buckets in use, longest unread (or opened longest ago) first.
    order: Ends,
    bucket_links: Links,
    room: Room,
    /// Whether a bucket had to be emptied, as no other was free.
    filled: bool,
    /// Closed buckets without dirty pages.
    reclaimable: u32,
    /// Buckets with dirty pages.
    dirty_buckets: u32,
    open: Vec<Open>,
    /// Open buckets, longest without a page first.
    open_order: Ends,
    open_links: Links,
    /// Address of each page, relations apart.
    place_of: Vec<u64>,
    frame_of: Vec<u32>,
    /// The page written last to each frame that was ever written.
    page_at: Vec<u32>,
    is_dirty: BitSet,
    /// Dirty pages, dirty for longest first.
    dirty_order: Ends,
    dirty_links: Links,
    dirty: u32,
    held: u32,
    /// Frames written in buckets in use.
    slots: u64,
    /// Keys not yet in the journal, and not yet in the B-tree.
    journal: u64,
    tree: u64,
    random: Random,
    write_back: WriteBack,
    streams: Streams,
    /// Whether the page being fetched bypasses flash.
    skip: bool,
    /// Changed pages that could have stayed dirty but for the dirty buckets.
    written_through: u64,
    /// All that could.
    could_stay: u64,
}

/// The background that writes dirty pages to disk.
#[derive(Debug)]
struct WriteBack {
    /// Of a page.
    sectors: u32,
    /// Ticks of a second, of the time between rounds, and of that between settings of the rate.
    second: u64,
    delay: u64,
    period: u64,
    /// Up to when it was followed.
    at: u64,
    /// When the rate is next set.
    rate_due: u64,
    /// When the next round may begin.
    ready: u64,
    /// Pages that the round still writes; 0: no round.
    left: u32,
    /// Sectors per second.
    rate: u64,
    /// Sum of the excess. [sectors s]
    integral: i64,
    /// Settings of the rate since the last I/O.
    idle: u32,
    /// What the round may write. [sectors ticks / s]
    credit: u128,
}

impl WriteBack {
    const STOPPED: Self = Self {
        sectors: 1,
        second: 1,
        delay: 1,
        period: 1,
        at: 0,
        rate_due: 0,
        ready: 0,
        left: 0,
        rate: FIRST_RATE,
        integral: 0,
        idle: 0,
        credit: 0,
    };

    /// An I/O ends an idle time.
    #[inline]
    fn is_busy(&mut self) {
        if self.idle >= IDLE {
            self.rate = AFTER_IDLE;
        }
        self.idle = 0;
    }

    /// Ends the round, if there is one.
    fn end_round(&mut self, at: u64) {
        if self.left > 0 {
            self.left = 0;
            self.ready = at + self.delay;
        }
    }

    /// Credit for a page.
    fn cost(&self) -> u128 {
        u128::from(self.sectors) * u128::from(self.second)
    }

    /// When the next page of the round is written; none where that is after `until`.
    fn next_page(&mut self, until: u64) -> Option<u64> {
        let cost = self.cost();
        let rate = u128::from(self.rate);
        let wait = cost.saturating_sub(self.credit).div_ceil(rate);
        let available = u128::from(until - self.at);
        if wait > available {
            self.credit += available * rate;
            return None;
        }
        self.credit += wait * rate;
        self.credit -= cost;
        u64::try_from(wait).ok().map(|wait| self.at + wait)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Open,
    Closed,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    state: State,
    filled: u32,
    /// Pages that are there, and those of them that are dirty.
    held: u32,
    dirty: u32,
}

impl Bucket {
    const FREE: Self = Self {
        state: State::Free,
        filled: 0,
        held: 0,
        dirty: 0,
    };

    fn is_reclaimable(self) -> bool {
        self.state == State::Closed && self.dirty == 0
    }
}

/// A place for an open bucket.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// [`NONE`] until it gets its next page.
    bucket: u32,
    /// The place behind its last page.
    next: Option<u64>,
}

impl Bcache {
    fn bucket_of(&self, page: u32) -> u32 {
        self.frame_of[page as usize] / self.settings.bucket_pages
    }

    fn bypasses(&mut self, page: u32) -> bool {
        let cutoff = self.settings.sequential_cutoff;
        cutoff > 0 && self.streams.length(self.place_of[page as usize]) > cutoff
    }

    /// Changes a bucket, and what is counted of all.
    fn change(&mut self, bucket: u32, change: impl FnOnce(&mut Bucket)) {
        let bucket = &mut self.bucket[bucket as usize];
        let before = *bucket;
        change(bucket);
        let after = *bucket;
        self.reclaimable += u32::from(after.is_reclaimable());
        self.reclaimable -= u32::from(before.is_reclaimable());
        self.dirty_buckets += u32::from(after.dirty > 0);
        self.dirty_buckets -= u32::from(before.dirty > 0);
    }

    /// A key changes.
    fn key(&mut self, at_once: bool, host: &mut impl Host) {
        let full = self.settings.keys_per_page;
        self.journal += 1;
        self.tree += 1;
        if at_once || self.journal == full {
            host.metadata_append(KEY_BYTES * self.journal);
            self.journal = 0;
        }
        if self.tree == full {
            host.metadata_append_page();
            self.tree = 0;
        }
    }

    /// Sets the rate of write-back.
    fn set_rate(&mut self) {
        let sectors = |pages: u32| i64::from(pages) * i64::from(self.settings.sectors);
        let dirty = sectors(self.dirty);
        let excess = dirty - sectors(self.settings.aim);
        let buckets = u64::from(self.dirty_buckets);
        let percent = 100 * buckets / u64::from(self.buckets);
        let back = &mut self.write_back;
        back.idle = back.idle.saturating_add(1);
        if back.idle >= IDLE {
            back.rate = NO_LIMIT;
            return;
        }
        let mut proportional = excess / EXCESS_S.cast_signed();
        let in_them = sectors(self.settings.bucket_pages) * i64::from(self.dirty_buckets);
        if let Some((above, times)) = FRAGMENTED.iter().find(|(above, _)| percent > *above)
            && in_them / dirty > 3
        {
            let faster = dirty.unsigned_abs() / buckets * times * (percent - above);
            proportional = proportional.max(i64::try_from(faster).unwrap_or(MOST_RATE));
        }
        if excess > 0 || (excess < 0 && back.integral > 0) {
            back.integral += 5 * excess;
        }
        let rate = (proportional + back.integral / 10_000).clamp(LEAST_RATE, MOST_RATE);
        back.rate = rate.unsigned_abs();
    }

    fn clean_oldest(&mut self, host: &mut impl Host) {
        self.set_clean(self.dirty_order.oldest);
        let counters = host.counters();
        counters.flash_stage_out_reads += 1;
        counters.disk_writes_by_cleaner += 1;
        self.key(false, host);
    }

    fn set_clean(&mut self, page: u32) {
        if self.is_dirty.take(page) {
            self.dirty_links.remove(&mut self.dirty_order, page);
            self.dirty -= 1;
            self.change(self.bucket_of(page), |bucket| bucket.dirty -= 1);
        }
    }

    /// Takes a page out of its bucket.
    fn leave(&mut self, page: u32) -> u32 {
        let at = self.bucket_of(page);
        if self.bucket[at as usize].dirty > 0 {
            self.set_clean(page);
        }
        self.bucket[at as usize].held -= 1;
        self.frame_of[page as usize] = NONE;
        self.held -= 1;
        at
    }

    /// Gives a closed bucket up, whose pages have left.
    fn release(&mut self, bucket: u32, host: &mut impl Host) {
        let size = self.settings.bucket_pages;
        host.flash_trim(bucket * size, size);
        self.bucket_links.remove(&mut self.order, bucket);
        self.slots -= u64::from(self.bucket[bucket as usize].filled);
        self.change(bucket, |bucket| *bucket = Bucket::FREE);
    }

    /// The copy of a page becomes a hole.
    fn invalidate(&mut self, page: u32, host: &mut impl Host) {
        host.counters().flash_invalidations += 1;
        let at = self.leave(page);
        let bucket = self.bucket[at as usize];
        if bucket.state == State::Closed && bucket.held == 0 {
            self.release(at, host);
            self.room.give_back(at);
        }
    }

    fn victim(&mut self) -> Option<u32> {
        if self.reclaimable == 0 {
            return None;
        }
        let reclaimable = |bucket: u32| self.bucket[bucket as usize].is_reclaimable();
        if self.settings.replacement == Replacement::Random {
            let end = u64::from(self.buckets);
            loop {
                let drawn = u32::try_from(self.random.below(end)).unwrap_or_default();
                if reclaimable(drawn) {
                    return Some(drawn);
                }
            }
        }
        self.bucket_links
            .iter(self.order)
            .find(|&bucket| reclaimable(bucket))
    }

    fn allocate(&mut self, host: &mut impl Host) -> Option<u32> {
        let bucket = if let Some(bucket) = self.room.take() {
            if bucket as usize == self.bucket.len() {
                self.bucket.push(Bucket::FREE);
                self.bucket_links.grow(self.bucket.len());
                let frames = self.bucket.len() * self.settings.bucket_pages as usize;
                self.page_at.resize(frames, NONE);
            }
            bucket
        } else {
            self.filled = true;
            let victim = self.victim()?;
            let first = victim * self.settings.bucket_pages;
            for frame in first..first + self.settings.bucket_pages {
                let page = self.page_at[frame as usize];
                if self.frame_of[page as usize] == frame {
                    self.leave(page);
                    host.counters().flash_evictions += 1;
                }
            }
            self.release(victim, host);
            victim
        };
        self.change(bucket, |bucket| bucket.state = State::Open);
        self.bucket_links.push(&mut self.order, bucket);
        Some(bucket)
    }

    /// The open bucket for a page at `place`.
    fn choose(&self, place: u64) -> u32 {
        let mut at = self.open_order.newest;
        while at != NONE {
            if self.open[at as usize].next == Some(place) {
                return at;
            }
            at = self.open_links.older(at);
        }
        self.open_order.oldest
    }

    /// Appends a page that has no copy; `false` if no bucket is to be had.
    fn append(&mut self, page: u32, dirty: bool, had_copy: bool, host: &mut impl Host) -> bool {
        let place = self.place_of[page as usize];
        let at = self.choose(place);
        if self.open[at as usize].bucket == NONE {
            let Some(bucket) = self.allocate(host) else {
                host.counters().bypassed += 1;
                return false;
            };
            self.open[at as usize].bucket = bucket;
        }
        self.open_links.renew(&mut self.open_order, at);
        let bucket = self.open[at as usize].bucket;
        let size = self.settings.bucket_pages;
        let filled = self.bucket[bucket as usize].filled;
        let (frame, full) = (bucket * size + filled, filled + 1 == size);
        self.change(bucket, |bucket| {
            bucket.filled += 1;
            bucket.held += 1;
            bucket.dirty += u32::from(dirty);
            if full {
                bucket.state = State::Closed;
            }
        });
        self.page_at[frame as usize] = page;
        self.frame_of[page as usize] = frame;
        self.held += 1;
        self.slots += 1;
        if dirty {
            self.is_dirty.insert(page);
            self.dirty_links.push(&mut self.dirty_order, page);
            self.dirty += 1;
        }
        let open = &mut self.open[at as usize];
        open.next = Some(place.wrapping_add(1));
        if full {
            open.bucket = NONE;
        }
        let counters = host.counters();
        counters.flash_fills += u64::from(!had_copy);
        counters.flash_write_backs += u64::from(had_copy);
        host.flash_write(frame, 1);
        self.key(dirty, host);
        true
    }
}

impl FlashCache for Bcache {
    type Settings = Settings;
    /// All of it but the streams.
    type Image = Self;
    type Device = Frames;

    const NEEDS_ADDRESSES: bool = true;
    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "mode",
            values: "write_through, write_back, write_around",
            default: "write_through",
            description: "When a changed DRAM victim reaches the disk: at once with flash, from flash in the background, or at once without flash.",
            is_place: false,
        },
        OptionAbout {
            name: "replacement",
            values: "lru, fifo, random",
            default: "lru",
            description: "Which bucket is emptied.",
            is_place: false,
        },
        OptionAbout {
            name: "bucket_pages",
            values: "1 to the number of flash pages",
            default: "128 of 4 KiB (512 KiB), at most 1/16 of flash",
            description: "Pages of a bucket; what does not fill a bucket stays unused.",
            is_place: false,
        },
        OptionAbout {
            name: "open_buckets",
            values: "1 to 64, at most the number of buckets",
            default: "6, at most half of the buckets",
            description: "Buckets that are filled at the same time.",
            is_place: false,
        },
        OptionAbout {
            name: "sequential_cutoff_pages",
            values: "0 to 4294967295",
            default: "1024 of 4 KiB (4 MiB)",
            description: "Pages of a stream behind which it bypasses flash; 0 never does.",
            is_place: false,
        },
        OptionAbout {
            name: "cutoff_writeback",
            values: "0 to 1",
            default: "0.4",
            description: "Share of the buckets with dirty pages above which changed pages are written through.",
            is_place: false,
        },
        OptionAbout {
            name: "writeback_share",
            values: "0 to 1",
            default: "0.1",
            description: "Share of the flash pages above which the background writes dirty pages faster than one page a second.",
            is_place: false,
        },
        OptionAbout {
            name: "writeback_delay_s",
            values: "1 to 1000000",
            default: "30",
            description: "Time from the end of a round of the background to the next, in write-back mode. [s]",
            is_place: false,
        },
        ACCESSES_PER_SECOND,
        OptionAbout {
            name: "metadata_keys",
            values: "1 to those of 24 bytes that a page holds",
            default: "170 in 4 KiB (24 bytes each)",
            description: "Changed keys that fill a page of the journal and one of the B-tree.",
            is_place: false,
        },
        OptionAbout {
            name: "seed",
            values: "0 to 18446744073709551615",
            default: "0",
            description: "Start of the random numbers of replacement=random.",
            is_place: false,
        },
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        let usual = run.pages_of(BUCKET_BYTES, u64::from(u32::MAX));
        let bucket_pages = unit_of(options, "bucket_pages", usual, run.flash_pages)?;
        let buckets = (run.flash_pages / bucket_pages).max(1);
        let usual = OPEN_BUCKETS.min((buckets / 2).max(1));
        let most = u64::from(buckets.min(64));
        let open = options.number_or("open_buckets", 1..=most, u64::from(usual))?;
        let delay_s = options.number("writeback_delay_s", 1..=1_000_000)?;
        let delay = Period::new(options, delay_s * 1000)?;
        let page_keys = run.entries_of(KEY_BYTES, u64::from(u32::MAX));
        Ok(Settings {
            mode: options.choice("mode", &MODES)?,
            replacement: options.choice(
                "replacement",
                &[
                    ("lru", Replacement::Lru),
                    ("fifo", Replacement::Fifo),
                    ("random", Replacement::Random),
                ],
            )?,
            bucket_pages,
            sectors: u32::try_from((run.page_bytes / SECTOR_BYTES).max(1)).unwrap_or(u32::MAX),
            open_buckets: u32::try_from(open).unwrap_or(1),
            sequential_cutoff: options.number_or(
                "sequential_cutoff_pages",
                0..=u64::from(u32::MAX),
                run.pages_of(CUTOFF_BYTES, u64::from(u32::MAX)),
            )?,
            most_dirty_buckets: share_of(options.share("cutoff_writeback")?, buckets),
            aim: share_of(options.share("writeback_share")?, run.flash_pages),
            delay,
            rate: Period {
                ns: RATE_MS * NS_PER_MS,
                ..delay
            },
            keys_per_page: options.number_or("metadata_keys", 1..=page_keys, page_keys)?,
            seed: options.number("seed", 0..=u64::MAX)?,
        })
    }

    fn unit_pages(settings: &Settings) -> u32 {
        settings.bucket_pages
    }

    fn fills_at_once(settings: &Settings) -> u64 {
        // All but one of the open buckets may hold a single page when one must be emptied.
        let open = u64::from(settings.open_buckets - 1) * u64::from(settings.bucket_pages);
        2 + open.div_ceil(BATCH as u64)
    }

    fn by_time(settings: &Settings) -> Option<ByTime> {
        match settings.mode {
            Mode::Back => Some(ByTime {
                period: settings.delay,
                what: "write-back works in the background",
            }),
            Mode::Through | Mode::Around => None,
        }
    }

    fn metadata(settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        let size = u64::from(settings.bucket_pages);
        let buckets = u64::from(run.flash_pages) / size;
        let keys = u64::from(run.flash_pages).div_ceil(settings.keys_per_page);
        Some(MetadataLayout {
            log: (buckets / BUCKETS_PER_JOURNAL_BUCKET).clamp(2, MOST_JOURNAL_BUCKETS) * size,
            tree: (2 * keys).next_multiple_of(size),
            words: "behind the data a ring of journal buckets, and one of B-tree buckets with room for twice the keys",
            ..MetadataLayout::default()
        })
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Err(Unsampled::always(
            "its buckets do not shrink with flash, and a sample breaks the streams that bypass them",
        ))
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        let mut open_order = Ends::EMPTY;
        let mut open_links = Links::new(settings.open_buckets as usize);
        for at in 0..settings.open_buckets {
            open_links.push(&mut open_order, at);
        }
        let closed = Open {
            bucket: NONE,
            next: None,
        };
        Self {
            settings: *settings,
            buckets: flash_pages / settings.bucket_pages,
            bucket: Vec::new(),
            order: Ends::EMPTY,
            bucket_links: Links::default(),
            room: Room::new(flash_pages / settings.bucket_pages),
            filled: false,
            reclaimable: 0,
            dirty_buckets: 0,
            open: vec![closed; settings.open_buckets as usize],
            open_order,
            open_links,
            place_of: Vec::new(),
            frame_of: Vec::new(),
            page_at: Vec::new(),
            is_dirty: BitSet::default(),
            dirty_order: Ends::EMPTY,
            dirty_links: Links::default(),
            dirty: 0,
            held: 0,
            slots: 0,
            journal: 0,
            tree: 0,
            random: Random(settings.seed),
            streams: Streams::new(),
            skip: false,
            write_back: WriteBack::STOPPED,
            written_through: 0,
            could_stay: 0,
        }
    }

    fn grow(&mut self, pages: usize) {
        if pages > self.frame_of.len() {
            self.frame_of.resize(pages, NONE);
            if self.settings.mode == Mode::Back {
                self.dirty_links.grow(pages);
            }
            self.is_dirty.grow(pages);
        }
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        note_places(&mut self.place_of, pages, spaces, addresses);
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        self.place_of = std::mem::take(&mut crashed.place_of);
    }

    fn fetch(&self, pages: &[u32]) {
        let mixed = pages.iter().fold(0, |mixed, &page| {
            let page = page as usize;
            mixed ^ self.place_of[page] ^ u64::from(self.frame_of[page])
        });
        std::hint::black_box(mixed);
    }

    fn start_clock(&mut self, unit: ClockUnit, now: u64) -> u64 {
        if self.settings.mode != Mode::Back {
            return u64::MAX;
        }
        let period = self.settings.rate.ticks(unit);
        self.write_back = WriteBack {
            sectors: self.settings.sectors,
            second: (period / (RATE_MS / 1000)).max(1),
            delay: self.settings.delay.ticks(unit),
            period,
            at: now,
            rate_due: next_due(now, period),
            ready: now,
            ..WriteBack::STOPPED
        };
        now
    }

    fn background(&mut self, now: u64, host: &mut impl Host) -> u64 {
        loop {
            let dirty = self.dirty;
            let back = &mut self.write_back;
            if dirty == 0 {
                back.end_round(back.at);
                back.at = now;
                back.rate_due = next_due(now, back.period);
                break;
            }
            if back.left == 0 && back.at >= back.ready {
                back.left = dirty;
                back.credit = back.cost();
            }
            let mut until = now.min(back.rate_due);
            if back.left == 0 {
                until = until.min(back.ready);
            } else if let Some(at) = back.next_page(until) {
                back.at = at;
                if back.left == 1 || dirty == 1 {
                    back.end_round(at);
                } else {
                    back.left -= 1;
                }
                self.clean_oldest(host);
                continue;
            }
            back.at = until;
            if until == back.rate_due {
                back.rate_due += back.period;
                self.set_rate();
            } else if back.left > 0 || until < back.ready {
                break;
            }
        }
        // Pages become dirty at any access.
        now + 1
    }

    fn next_work(&self) -> u64 {
        let back = &self.write_back;
        if self.dirty == 0 {
            return u64::MAX;
        }
        let next = if back.left > 0 {
            let wait = back
                .cost()
                .saturating_sub(back.credit)
                .div_ceil(u128::from(back.rate));
            back.at
                .saturating_add(u64::try_from(wait).unwrap_or(u64::MAX))
        } else {
            back.ready
        };
        next.min(back.rate_due)
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        self.skip = self.bypasses(page);
        self.write_back.is_busy();
        if self.frame_of[page as usize] == NONE {
            return false;
        }
        if self.settings.replacement == Replacement::Lru {
            let bucket = self.bucket_of(page);
            self.bucket_links.renew(&mut self.order, bucket);
        }
        true
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.frame_of[page as usize] != NONE
    }

    #[inline]
    fn on_entry(&mut self, page: u32, host: &mut impl Host) {
        if self.skip {
            host.counters().bypassed += 1;
        } else {
            self.append(page, false, false, host);
        }
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let had_copy = self.frame_of[page as usize] != NONE;
        host.counters().victims_found_on_flash += u64::from(had_copy);
        if !changed {
            return;
        }
        let bypasses = self.bypasses(page);
        let mode = self.settings.mode;
        self.write_back.is_busy();
        let around = bypasses || mode == Mode::Around;
        let could = !around && mode == Mode::Back;
        let back = could && self.dirty_buckets <= self.settings.most_dirty_buckets;
        self.could_stay += u64::from(could);
        self.written_through += u64::from(could && !back);
        let counters = host.counters();
        counters.bypassed += u64::from(bypasses);
        counters.disk_writes_on_exit += u64::from(!back);
        if had_copy {
            self.invalidate(page, host);
        }
        if around || !self.append(page, back, had_copy, host) {
            host.counters().disk_writes_on_exit += u64::from(back);
            if had_copy {
                self.key(false, host);
            }
        }
    }

    fn image(self) -> Self {
        self
    }

    fn load(&mut self, image: Self, _counters: &mut FlashCacheCounters) {
        let place_of = std::mem::take(&mut self.place_of);
        *self = Self {
            place_of,
            streams: Streams::new(),
            skip: false,
            ..image
        };
    }

    fn valid_copies(&self) -> u64 {
        u64::from(self.held)
    }

    fn holds_newer(&self, page: u32) -> bool {
        self.is_dirty.contains(page)
    }

    fn dirty_copies(&self) -> u64 {
        u64::from(self.dirty)
    }

    fn slots_used(&self) -> u64 {
        self.slots
    }

    const FULL_WHEN: Option<&'static str> = Some("a bucket must be emptied for the first time");
    /// Open buckets take pages at their own pace, so there is hardly a moment at which all are full.
    fn filled(&self, usable_pages: u32) -> bool {
        self.filled || self.slots >= u64::from(usable_pages)
    }

    fn by_clock(&self) -> Option<ByClock> {
        let beyond = self.dirty.saturating_sub(self.settings.aim);
        (self.settings.mode == Mode::Back).then_some(ByClock::First {
            act: "write-back has cleaned what is beyond its share of flash",
            after: Period {
                ns: EXCESS_S * 1000 * NS_PER_MS,
                ..self.settings.delay
            },
            waiting: beyond.into(),
            words: WAITS_FOR_CLEANING,
        })
    }

    fn notes(&self) -> Vec<Warning> {
        if self.written_through == 0 {
            return Vec::new();
        }
        let most = f64::from(self.settings.most_dirty_buckets) / f64::from(self.buckets);
        vec![Warning {
            name: "written_through",
            message: format!(
                "{} of {} that flash could have kept dirty went to disk at once: dirty pages lay in more than {:.0} % of its buckets",
                grouped(self.written_through),
                counted(self.could_stay, "changed page", "changed pages"),
                100.0 * most
            ),
            hint: "give a larger flash or smaller buckets, or a higher cutoff_writeback".to_owned(),
        }]
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let (mut held, mut dirty, mut slots) = (0, 0, 0);
        let (mut reclaimable, mut dirty_buckets, mut used) = (0, 0, 0);
        for (at, bucket) in (0..).zip(&self.bucket) {
            let (mut own, mut own_dirty) = (0, 0);
            let first = at * self.settings.bucket_pages;
            for frame in first..first + bucket.filled {
                let page = self.page_at[frame as usize];
                if self.frame_of[page as usize] == frame {
                    own += 1;
                    own_dirty += u32::from(self.is_dirty.contains(page));
                }
            }
            if (own, own_dirty) != (bucket.held, bucket.dirty) {
                return Err(format!(
                    "bucket {at} has {own} pages and {own_dirty} dirty ones, counted as {} and {}",
                    bucket.held, bucket.dirty
                ));
            }
            held += own as usize;
            dirty += own_dirty;
            slots += u64::from(bucket.filled);
            reclaimable += u32::from(bucket.is_reclaimable());
            dirty_buckets += u32::from(bucket.dirty > 0);
            used += usize::from(bucket.state != State::Free);
        }
        let mapped = self.frame_of.iter().filter(|&&frame| frame != NONE);
        recount_single_copies(
            mapped.count(),
            held,
            counters.flash_write_backs,
            counters,
            crash,
        )?;
        let counted = (self.held as usize, self.dirty, self.slots);
        if counted != (held, dirty, slots)
            || (self.reclaimable, self.dirty_buckets) != (reclaimable, dirty_buckets)
            || self.bucket_links.iter(self.order).count() != used
            || used != self.room.taken()
            || self.room.ever_taken() as usize != self.bucket.len()
        {
            return Err(format!(
                "{held} pages, {dirty} dirty, in {slots} frames of {used} buckets, {reclaimable} of them reclaimable and {dirty_buckets} dirty, are counted otherwise: {counted:?}"
            ));
        }
        Ok(())
    }
}
