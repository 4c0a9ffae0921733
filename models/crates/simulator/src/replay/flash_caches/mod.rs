//! Flash cache systems: a DRAM buffer in front of a flash cache that manages itself.
//!
//! The page-flow schemes of [`super::schemes`] keep one copy of a page on flash and move single
//! pages. A flash cache system may hold several versions of a page, take pages when they enter
//! DRAM or when they leave it, write in batches, work in the background, keep metadata, and come
//! back after a crash with its contents. One file a system, one line in the table below; the
//! engine knows DRAM, the clock, the crash and the loop, and calls the hooks of [`FlashCache`].
//! Everything is generic: one compiled loop for each DRAM policy and system.
//!
//! # The life of an access
//!
//! ```text
//! background(now)                 as often as it fell due since the last access
//! checkpoint                      where the options ask for some: changed pages of DRAM are written and stay
//! (where DRAM needs the future: when the page is accessed next, as in the two-tier replay)
//! in DRAM:      on_dram_hit
//! else:         lookup            -> flash hit or disk read
//!               on_exit(victim)   if DRAM is full; may pull further victims from DRAM
//!               the page enters DRAM, unchanged
//!               on_entry          if it came from disk
//! a write:      on_update         the DRAM copy is now newer than every other
//! ```
//!
//! DRAM keeps one bit a page, *changed* (`fdirty` in `FaCE`): newer than the last copy below DRAM.
//! Whether a page is newer than its disk copy is the system's to know, since only it knows when
//! flash content reaches the disk.
//!
//! # How the systems differ
//!
//! * `FaCE`, Lazy Cleaning and CAC take pages as they leave DRAM: `on_exit`.
//! * TAC, Exadata and the block caches (flashcache, `EnhanceIO`, bcache, LARC) take them as they come from
//!   disk, `on_entry`, and changed ones as they leave.
//! * The RAM filter takes them as they leave DRAM, dm-writecache changed ones alone: `on_exit`.
//! * SCE takes whole fragments, in the `background`.
//!
//! # How further systems fit
//!
//! * **A transaction-aware buffer** (commit-aware eviction, log-based writes) is a
//!   [`Policy`] that chooses victims, and `on_exit` appends them. Begin, commit and abort
//!   are not in traces yet: they need flag bits beside [`crate::access::WRITE`], and a hook for them.
//! * **An FTL underneath** is a [`FlashDevice`]: every data write reaches it with its frame, every write of metadata with
//!   its place in the layout that the system states, and it counts erases. [`Frames`] tells sequential writes
//!   from random ones, and hands them on to a translation layer ([`Under`]) where the options ask for one.

use serde::{Serialize, Serializer};

use crate::access::{AccessSource, Chunk};
use crate::error::{Error, Result};
use crate::ftl::{Collection, FtlResult, MAX_BLOCK_PAGES, MAX_CHOICES, Mapping};
use crate::progress::OnProgress;
use crate::replay::metadata::MetadataLayout;
use crate::replay::policies::clock::Clock;
use crate::replay::policies::fifo::Fifo;
use crate::replay::policies::lru::Lru;
use crate::replay::policies::{self, AnyPolicy, Policy};
use crate::replay::settings::{Settings, counts_references, spelled};
use crate::replay::timed::{Clock as TimedClock, Held, Replayed, TimedResult, Timing};
use crate::replay::translation::{
    Asked, COLLECTION_NAMES, DEFAULT_BLOCK, DEFAULT_CHOICES, FTL_BLOCK, FTL_BUFFER, FTL_CHOICES,
    FTL_GC, FTL_MAPPING, FTL_SEED, FTL_SPARE, FTL_TRIM, MOST_SPARE, STREAMS, Under,
    collection_called, draws,
};
use crate::replay::two_tier::{self, Warning};
use crate::replay::{About, Totals, WarmedUp, disagreement, page_count};

pub(crate) use admitted::Gate;
use admitted::{ADMISSION, Admitted, BY_CATEGORY};
pub use categories::{CategoryAbout, categories, categories_need_times};
pub(crate) use categories::{by_request, in_whole_requests};
pub use category_counts::{CategoryCounts, CategoryRow, UnderRow, category_counts};
use checkpoints::{Checkpoints, Target};
pub use counters::FlashCacheCounters;
pub use engine::CrashReport;
pub(crate) use engine::Frames;
use engine::{CrashPlan, Engine, Watch};
pub use options::OptionAbout;
use options::Options;
pub use own_counters::OwnCounter;
use rate::{ByTime, Stretch};
use sampled::{Sampled, Unsampled};
pub(crate) use sampled::{SampledCaches, sampled_categories};
use settled::ByClock;

mod admitted;
mod assignments;
mod bcache;
mod beside;
mod cac;
mod cachelib;
mod cachelib_small;
mod cachesack;
mod categories;
mod category_counts;
mod chains;
mod checkpoints;
mod counters;
mod dm_cache;
mod dm_writecache;
mod engine;
mod exadata;
mod face;
mod frames;
mod kangaroo;
mod l2arc;
mod larc;
mod lazy_cleaning;
mod lines;
mod lru2;
mod no_flash;
mod object_sets;
mod open_cas;
mod options;
mod own_counters;
mod ram_filter;
mod rate;
mod sampled;
mod sce;
mod seen_before;
mod sets;
mod settled;
mod streams;
mod tac;
#[cfg(test)]
mod tests;
mod units;

/// A page that leaves DRAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exit {
    pub(crate) page: u32,
    /// Changed since its last copy below DRAM.
    pub(crate) changed: bool,
}

/// What the clock of a replay counts: time where the trace has it, else accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClockUnit {
    Accesses,
    Nanoseconds,
}

/// What a flash cache can do to its surroundings.
pub(crate) trait Host {
    fn counters(&mut self) -> &mut FlashCacheCounters;
    /// Whether DRAM holds `page` with a change that nothing below has.
    fn dram_page_changed(&self, page: u32) -> bool;
    /// Pages that DRAM can hold.
    fn dram_pages(&self) -> u64;
    /// Takes the next victim out of DRAM before its time; counted as eviction.
    fn pull(&mut self) -> Option<Exit>;
    /// The first page from `from` on that DRAM holds changed, which from now on counts as unchanged there: a checkpoint
    /// writes it. Counted.
    fn take_changed(&mut self, from: u32) -> Option<u32>;
    /// One write operation to the frames `frame..frame + pages`, which may wrap around. The caller
    /// counts the cause of each page.
    fn flash_write(&mut self, frame: u32, pages: u32);
    /// The same of pages that die otherwise than the others: a device with two streams keeps them apart.
    fn flash_write_apart(&mut self, frame: u32, pages: u32);
    /// The device gets pages that were collected in DRAM and counted as they came, apart as above.
    fn flash_write_counted(&mut self, frame: u32, pages: u32);
    /// The frames `frame..frame + pages`, which may wrap around, hold nothing that is needed.
    fn flash_trim(&mut self, frame: u32, pages: u32);
    /// A page of metadata is written in its place, so many pages behind the first of them. Counted, as the next two are.
    fn metadata_write(&mut self, page: u32);
    /// A segment of metadata is appended to their log.
    fn metadata_append(&mut self, bytes: u64);
    /// A page of metadata is appended to their tree.
    fn metadata_append_page(&mut self);
}

/// What a [`Host`] that wraps another, its field `host`, says of DRAM, and does with metadata: what that one does.
macro_rules! as_of_host {
    () => {
        #[inline]
        fn counters(&mut self) -> &mut FlashCacheCounters {
            self.host.counters()
        }

        #[inline]
        fn dram_page_changed(&self, page: u32) -> bool {
            self.host.dram_page_changed(page)
        }

        fn dram_pages(&self) -> u64 {
            self.host.dram_pages()
        }

        #[inline]
        fn metadata_write(&mut self, page: u32) {
            self.host.metadata_write(page);
        }

        #[inline]
        fn metadata_append(&mut self, bytes: u64) {
            self.host.metadata_append(bytes);
        }

        #[inline]
        fn metadata_append_page(&mut self) {
            self.host.metadata_append_page();
        }
    };
    // With what leaves DRAM, too.
    (all) => {
        as_of_host!();

        fn pull(&mut self) -> Option<Exit> {
            self.host.pull()
        }

        fn take_changed(&mut self, from: u32) -> Option<u32> {
            self.host.take_changed(from)
        }
    };
}
use as_of_host;

/// The device under a flash cache: it hears of every page that is written, and by which frame.
pub(crate) trait FlashDevice {
    fn new(flash_pages: u32) -> Self;
    /// One write operation to the frames `frame..frame + pages`, which may wrap around. It counts what
    /// it makes of the pages; the operation itself is counted already.
    fn write(&mut self, frame: u32, pages: u32, counters: &mut FlashCacheCounters);
    /// The same of pages that are counted already.
    fn write_counted(&mut self, _frame: u32, _pages: u32) {}
    /// Writes from now on belong to a stream, which a device with one has no use for.
    fn turn_to(&mut self, _stream: u32) {}
    /// A page of metadata in its place, a segment of them, and a page of their tree; all are counted already.
    fn write_metadata(&mut self, _page: u32) {}
    /// See [`Self::write_metadata`].
    fn append_metadata(&mut self, _bytes: u64) {}
    /// See [`Self::write_metadata`].
    fn append_metadata_page(&mut self) {}
    /// What lies in these frames, which may wrap around, is not needed.
    fn trim(&mut self, _frame: u32, _pages: u32) {}
    /// Puts a flash translation layer under it.
    fn put_on(&mut self, _under: Under) {}
    /// The contents are given up after a crash; blocks stay worn.
    fn give_up(&mut self) {}
    /// What the layer counts from now on.
    fn restart_counters(&mut self) {}
    /// What the layer counted, where there is one.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for writes that it does not take.
    fn translated(&self) -> Result<Option<FtlResult>> {
        Ok(None)
    }
}

/// A flash cache system. Hooks without a body need not concern a system.
pub(crate) trait FlashCache: Sized {
    /// The options of the system, checked.
    type Settings;
    /// What is on flash, and what the system knows of it, after a crash.
    type Image;
    /// The device that it writes to.
    type Device: FlashDevice;
    /// Whether it looks at where pages lie: extents, fragments, sets, devices.
    const NEEDS_ADDRESSES: bool = false;
    /// Whether some of its pages die otherwise than the others, which a device with two streams keeps apart.
    const HAS_STREAMS: bool = false;

    /// Whether it has a count of the distinct pages of the accesses that are counted.
    const COUNTS_UNIQUE: bool = false;

    /// Options beside those of the engine.
    const OPTIONS: &'static [OptionAbout];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Self::Settings>;
    /// What a miniature tells of it with these options, or why none does.
    fn sampled(settings: &Self::Settings) -> std::result::Result<Sampled, Unsampled>;
    /// Things to know about a finished replay.
    fn warnings(_settings: &Self::Settings, _totals: Totals) -> Vec<Warning> {
        Vec::new()
    }
    /// Flash pages of the units in which it works: what does not fill a unit stays unused.
    fn unit_pages(_settings: &Self::Settings) -> u32 {
        1
    }
    /// Where its metadata lie on a device, if it writes any with these options.
    fn metadata(_settings: &Self::Settings, _run: Conditions) -> Option<MetadataLayout> {
        None
    }
    /// Bytes of a metadata segment that a restart reads.
    fn segment_bytes(_settings: &Self::Settings) -> u64 {
        0
    }
    /// Flash pages that an access may fill at most, its background work included.
    fn fills_at_once(_settings: &Self::Settings) -> u64 {
        2
    }
    /// What it does by time with these options, with a period of it; `None`: nothing. A trace without time then needs a
    /// rate.
    fn by_time(_settings: &Self::Settings) -> Option<ByTime> {
        None
    }
    /// Refuses a clock by which it cannot work, or by which an option that is given has no effect.
    fn check_clock(settings: &Self::Settings, unit: ClockUnit) -> Result<()> {
        Self::by_time(settings).map_or(Ok(()), |by_time| by_time.check(unit))
    }
    /// An empty cache of `flash_pages` pages.
    fn new(flash_pages: u32, settings: &Self::Settings) -> Self;
    /// Refuses traces whose pages the system cannot number.
    fn check_distinct_pages(_pages: usize) -> Result<()> {
        Ok(())
    }
    /// Makes room for the page numbers `0..pages`.
    fn grow(&mut self, pages: usize);
    /// Tells device and address of the pages of coming accesses, if they are needed.
    fn locate(&mut self, _pages: &[u32], _spaces: &[u32], _addresses: &[u64]) {}
    /// Tells of each coming access of a chunk what its category may depend on, where addresses are needed.
    fn classify(&mut self, _chunk: &Chunk, _spaces: &[u32]) -> Result<()> {
        Ok(())
    }
    /// Takes from a crashed cache where pages lie, which it was told already.
    fn keep_places(&mut self, _crashed: &mut Self) {}
    /// Reads what is kept of some pages, all at once.
    fn fetch(&self, _pages: &[u32]) {}
    /// The same of pages of which some are the next to leave DRAM.
    fn fetch_leaving(&self, pages: &[u32]) {
        self.fetch(pages);
    }

    /// Tells the clock's unit and time; the answer is when background work first falls due.
    fn start_clock(&mut self, _unit: ClockUnit, _now: u64) -> u64 {
        u64::MAX
    }
    /// Does the background work due up to `now`, in the order of its times; the answer is when to come again, after
    /// `now`.
    fn background(&mut self, _now: u64, _host: &mut impl Host) -> u64 {
        u64::MAX
    }
    /// When there is next something to do in the background, if no access comes before; `u64::MAX`: not until one
    /// comes. What is called once in a long gap works then as if it had been called all the time.
    fn next_work(&self) -> u64 {
        u64::MAX
    }
    /// On simulated time, before its clock starts: what it copies in the background while nothing is asked for is begun by
    /// [`Self::begin_copy`], each copy by itself.
    fn pace_copies(&mut self) {}
    /// Begins the next of these copies at `now`, beside so many `under_way`, if it may; the answer is whether it did. Asked
    /// after background work, and whenever a copy is over.
    fn begin_copy(&mut self, _now: u64, _under_way: u32, _host: &mut impl Host) -> bool {
        false
    }
    /// A checkpoint of the database: whatever DRAM holds changed, which stays there, is taken from `host` page by page and
    /// written. Only of systems that offer its options.
    fn checkpoint(&mut self, _target: Target, _host: &mut impl Host) {}
    /// An access found its page in DRAM.
    #[inline]
    fn on_dram_hit(&mut self, _page: u32, _host: &mut impl Host) {}
    /// Whether a page that DRAM lacks is served from flash.
    fn lookup(&mut self, page: u32, host: &mut impl Host) -> bool;
    /// Whether a lookup would find a page on flash.
    fn holds(&self, page: u32) -> bool;
    /// A page came from disk into DRAM.
    #[inline]
    fn on_entry(&mut self, _page: u32, _host: &mut impl Host) {}
    /// The DRAM copy of a page was changed.
    #[inline]
    fn on_update(&mut self, _page: u32, _host: &mut impl Host) {}
    /// A page left DRAM, which is no longer full. The page being fetched is not in DRAM yet.
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host);

    /// Copies newer than the disk's that a crash destroys, where that does not follow from how many are dirty afterwards:
    /// a system may no longer know which were.
    fn dirty_lost(&self) -> Option<u64> {
        None
    }
    /// What survives a crash.
    fn image(self) -> Self::Image;
    /// Fills a new cache from an image, counting what the restart reads.
    fn load(&mut self, image: Self::Image, counters: &mut FlashCacheCounters);

    /// Pages with a valid copy.
    fn valid_copies(&self) -> u64;
    /// Of these, newer than the disk's copy.
    fn dirty_copies(&self) -> u64 {
        0
    }
    /// Whether the copy of a page is one of those.
    fn holds_newer(&self, _page: u32) -> bool {
        false
    }
    /// Slots in use, with old versions.
    fn slots_used(&self) -> u64 {
        self.valid_copies()
    }
    /// Of these, with an old version.
    fn old_versions(&self) -> u64 {
        self.slots_used() - self.valid_copies()
    }
    /// When flash counts as full, as the end of a sentence, where that is not when all of its pages are used.
    const FULL_WHEN: Option<&'static str> = None;
    /// Whether flash is full, of whose pages it can use so many: from now on room must be made. What is full
    /// otherwise says when, in [`Self::FULL_WHEN`].
    fn filled(&self, usable_pages: u32) -> bool {
        self.slots_used() >= u64::from(usable_pages)
    }
    /// Things to know about what it was given, once the trace was seen.
    fn notes(&self) -> Vec<Warning> {
        Vec::new()
    }
    /// What it does by the clock, as the replay left it, if a replay can be too short for it.
    fn by_clock(&self) -> Option<ByClock> {
        None
    }
    /// Counts the system's own state again; the text says what disagrees.
    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String>;
}

/// A unit of flash that holds several pages is by default at most one in so many of its pages.
const SHARE_OF_A_UNIT: u32 = 16;

/// Pages of a unit: as given, else `default`, less where flash is small.
fn unit_of(
    options: &Options<'_>,
    name: &'static str,
    default: u64,
    flash_pages: u32,
) -> Result<u32> {
    let most = u64::from(flash_pages.max(1));
    let pages = options.number_or(name, 1..=most, usual_unit(default, flash_pages))?;
    Ok(u32::try_from(pages).unwrap_or(u32::MAX))
}

/// Pages of a unit that is not given: `default`, less where flash is small.
fn usual_unit(default: u64, flash_pages: u32) -> u64 {
    default.min(u64::from((flash_pages / SHARE_OF_A_UNIT).max(1)))
}

/// Checks the copies on flash as [`recount_copies`], of a system that gives no second chances.
fn recount_single_copies(
    mapped: usize,
    held: usize,
    beside: u64,
    counters: &FlashCacheCounters,
    crash: Option<&CrashReport>,
) -> std::result::Result<(), String> {
    if counters.requeued != 0 {
        return Err(format!("{} second chances were given", counters.requeued));
    }
    recount_copies(mapped, held, beside, counters, crash)
}

/// Checks the copies on flash, counted in two ways, against those that came and went; `beside` are
/// writes of pages whose older copy became invalid.
fn recount_copies(
    mapped: usize,
    held: usize,
    beside: u64,
    counters: &FlashCacheCounters,
    crash: Option<&CrashReport>,
) -> std::result::Result<(), String> {
    let lost = crash.map_or(0, |crash| crash.flash_pages_lost);
    let gone = counters.flash_evictions + counters.flash_invalidations + held as u64 + lost;
    let came = counters.flash_fills + beside;
    if mapped != held || came != gone {
        return Err(format!(
            "{came} copies came, but {gone} copies left flash, were lost or are there; {mapped} pages are mapped and {held} held",
        ));
    }
    Ok(())
}

/// A page whose size the trace does not say. [bytes]
const USUAL_PAGE_BYTES: u64 = 4096;

/// What a replay's settings may depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conditions {
    pub(crate) flash_pages: u32,
    /// Of the trace, or [`USUAL_PAGE_BYTES`] where that does not say. [bytes]
    pub(crate) page_bytes: u64,
    /// Whether the flash contents are to survive a crash.
    pub(crate) warm_restart: bool,
}

impl Conditions {
    /// What a system documents in bytes, as whole pages of the trace: at least one, and at most `most`.
    pub(crate) fn pages_of(self, bytes: u64, most: u64) -> u64 {
        (bytes / self.page_bytes).clamp(1, most)
    }

    /// Entries of so many bytes that a page holds: at least one, and at most `most`.
    pub(crate) fn entries_of(self, bytes: u64, most: u64) -> u64 {
        (self.page_bytes / bytes).clamp(1, most)
    }

    /// Pages of a table with an entry of so many bytes for each of `units` of flash.
    pub(crate) fn table_pages(self, units: u32, bytes: u64) -> u64 {
        u64::from(units).div_ceil(self.entries_of(bytes, u64::from(u32::MAX)))
    }
}

/// A registered flash cache, for lists.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlashCacheAbout {
    /// Name, title, description, paper.
    pub about: About,
    /// Its own options.
    pub own_options: &'static [OptionAbout],
    /// What the trace should have for the result to mean something.
    pub needs: &'static [&'static str],
}

impl FlashCacheAbout {
    /// All options: its own, then those of every flash cache that are not among them.
    pub fn options(&self) -> Vec<OptionAbout> {
        let own = self.own_options;
        let is_own = |common: &&OptionAbout| own.iter().any(|option| option.name == common.name);
        let assigns = if self.has_own("assignment") {
            &[]
        } else {
            admitted::OPTIONS.as_slice()
        };
        let stretch: &[_] = if self.goes_by_rate() {
            &[rate::STRETCH]
        } else {
            &[]
        };
        let common = stretch.iter().chain(assigns).chain(COMMON_OPTIONS);
        let common = common.filter(|option| !is_own(option));
        own.iter().chain(common).copied().collect()
    }

    /// The counts that it has names of its own for.
    pub fn own_counters(&self) -> impl Iterator<Item = &'static OwnCounter> {
        own_counters::of_cache(self.about.name)
    }

    /// Whether it may do something by time.
    fn goes_by_rate(&self) -> bool {
        self.has_own(rate::NAME)
    }

    fn has_own(&self, name: &str) -> bool {
        self.own_options.iter().any(|option| option.name == name)
    }
}

/// The option that chooses the policy of DRAM, and how the options of that begin.
const RAM_POLICY: &str = "ram_policy";
const RAM_PREFIX: &str = "ram_";
const RAM_DEFAULT: &str = "lru";

/// Options that every flash cache has.
const COMMON_OPTIONS: &[OptionAbout] = &[
    OptionAbout {
        name: RAM_POLICY,
        values: "a replacement policy",
        default: RAM_DEFAULT,
        description: "Replacement policy of DRAM; its options are given as `ram_` and their name. opt first reads the trace to its end.",
        is_place: false,
    },
    OptionAbout {
        name: FTL_SPARE,
        values: "1 to 1000",
        default: "no device",
        description: "Spare space of a flash device under the cache, in percent of its pages: its WAF, erases and wear are counted.",
        is_place: false,
    },
    OptionAbout {
        name: FTL_BLOCK,
        values: "1 to 65536",
        default: DEFAULT_BLOCK,
        description: "Pages of an erase block of that device; under a flash tier, unless given, at most 1/100 of its pages: fewer blocks amplify as no device does.",
        is_place: false,
    },
    OptionAbout {
        name: FTL_GC,
        values: "greedy, fifo, random, choices, cost_benefit",
        default: "greedy",
        description: "Which block that device collects.",
        is_place: false,
    },
    OptionAbout {
        name: FTL_CHOICES,
        values: "1 to 1000",
        default: DEFAULT_CHOICES,
        description: "With ftl_gc=choices: blocks drawn at random, of which the one with the fewest valid pages is collected.",
        is_place: false,
    },
    OptionAbout {
        name: FTL_SEED,
        values: "0 to 18446744073709551615",
        default: "0",
        description: "With ftl_gc=random or choices: start of the random numbers.",
        is_place: false,
    },
    OptionAbout {
        name: FTL_BUFFER,
        values: "0 to 4294967295",
        default: "0",
        description: "Pages of the write buffer of that device: a page that is written again while it is there is written once. 0: no buffer.",
        is_place: false,
    },
    OptionAbout {
        name: FTL_MAPPING,
        values: "page, block, bast, fast, zones",
        default: "page",
        description: "Translation layer of that device; zones take appends alone.",
        is_place: false,
    },
    OptionAbout {
        name: FTL_TRIM,
        values: "false, true",
        default: "false",
        description: "Whether the cache trims pages, buckets and groups that it drops; what TRIM saved is counted. To zones it always says so.",
        is_place: false,
    },
    OptionAbout {
        name: "crash_at",
        values: "0 to the number of accesses of the trace",
        default: "no crash",
        description: "Accesses before a crash that empties DRAM.",
        is_place: true,
    },
    OptionAbout {
        name: "restart",
        values: "warm, cold",
        default: "warm",
        description: "Whether the flash contents are reused after the crash.",
        is_place: false,
    },
];

/// Result of one replay through DRAM and a flash cache.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlashCacheResult {
    /// Name of the flash cache in [`flash_caches`].
    pub scheme: &'static str,
    /// DRAM capacity in pages.
    pub ram_pages: u32,
    /// Flash capacity in pages.
    pub flash_pages: u32,
    /// Accesses counted, reads and writes.
    pub accesses: u64,
    /// Those that write.
    pub write_accesses: u64,
    /// What was replayed before them and not counted.
    #[serde(flatten)]
    pub warm_up: WarmedUp,
    /// Distinct pages of the whole trace.
    pub distinct_pages: u64,
    /// What was counted.
    #[serde(flatten)]
    pub counters: FlashCacheCounters,
    /// Of these, what was done while nobody waited: at a time that was due, or by a checkpoint. What is 0 is left out.
    #[serde(serialize_with = "as_counted_map")]
    pub background: FlashCacheCounters,
    /// Distinct pages of the accesses counted, where the system asks for them.
    #[serde(skip)]
    pub unique_pages: u64,
    /// Of the counters, what the system itself has a name for.
    #[serde(flatten, serialize_with = "as_own_map")]
    pub own_counters: Vec<(&'static str, u64)>,
    /// Flash slots in use at the end.
    pub slots_used: u64,
    /// Of these, slots that hold an old version.
    pub old_versions: u64,
    /// Of these, valid slots newer than the disk's copy.
    pub dirty_slots: u64,
    /// Whether flash counts as full at the end.
    #[serde(skip)]
    pub is_full: bool,
    /// The options in force.
    #[serde(serialize_with = "as_map")]
    pub options: Vec<(String, String)>,
    /// What the flash device under the cache did, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ftl: Option<FtlResult>,
    /// What the crash destroyed, if there was one.
    pub crash: Option<CrashReport>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

fn as_map<S: Serializer>(
    options: &[(String, String)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(options.iter().map(|(name, value)| (name, value)))
}

fn as_counted_map<S: Serializer>(
    counters: &FlashCacheCounters,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(counters.named().into_iter().filter(|(_, count)| *count > 0))
}

fn as_own_map<S: Serializer>(
    counters: &[(&'static str, u64)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(counters.iter().copied())
}

impl FlashCacheResult {
    /// The ratio that the system has a name for, if it has one: nothing where no page was accessed.
    pub fn own_ratio(&self) -> Option<(&'static str, Option<f64>)> {
        own_counters::written_for_each(self.scheme, &self.counters, self.unique_pages)
    }
}

/// What one replay needs.
struct Run<'source, 'progress> {
    source: &'source mut dyn AccessSource,
    ram_pages: u64,
    flash_pages: u64,
    options: &'source [(String, String)],
    on_progress: OnProgress<'progress>,
}

/// A need: the trace records which accesses write.
const WRITES: &str = "writes";

macro_rules! flash_caches {
    ($($cache:ty $(| $variant:ty where $wanted:path)? => $name:literal, $title:literal, $description:literal, $paper:literal, $needs:expr;)+) => {
        /// Every flash cache: the one table that all lists are read from.
        const TABLE: &[FlashCacheAbout] = &[
            $(FlashCacheAbout {
                about: About { name: $name, title: $title, description: $description, paper: $paper, needs: &[], options: &[] },
                own_options: <$cache as FlashCache>::OPTIONS,
                needs: $needs,
            },)+
        ];

        fn simulate_named(about: &'static FlashCacheAbout, run: Run<'_, '_>) -> Result<FlashCacheResult> {
            match about.about.name {
                $(
                    $($name if $wanted(run.options) => simulate_variant::<$variant>(about, run),)?
                    $name => simulate::<$cache>(about, run),
                )+
                name => Err(unknown(name)),
            }
        }

        fn sampled_named(
            about: &'static FlashCacheAbout,
            flash_pages: u32,
            given: &[(String, String)],
        ) -> Result<SampledCaches> {
            match about.about.name {
                $(
                    $($name if $wanted(given) => sampled_caches_of::<$variant>(about, flash_pages, given),)?
                    $name => sampled_caches_of::<$cache>(about, flash_pages, given),
                )+
                name => Err(unknown(name)),
            }
        }

        fn goes_by_time_named(
            about: &'static FlashCacheAbout,
            flash_pages: u32,
            given: &[(String, String)],
        ) -> Result<bool> {
            match about.about.name {
                $(
                    $($name if $wanted(given) => goes_by_time::<$variant>(about, flash_pages, given),)?
                    $name => goes_by_time::<$cache>(about, flash_pages, given),
                )+
                name => Err(unknown(name)),
            }
        }

        fn simulate_named_timed(
            about: &'static FlashCacheAbout,
            run: Run<'_, '_>,
            timing: Timing,
        ) -> Result<TimedResult> {
            match about.about.name {
                $(
                    $($name if $wanted(run.options) => simulate_timed::<$variant>(about, run, timing),)?
                    $name => simulate_timed::<$cache>(about, run, timing),
                )+
                name => Err(unknown(name)),
            }
        }
    };
}

flash_caches! {
    face::Face => "face", "FaCE", "Appends what leaves DRAM to a circular log of versions on flash (mvFIFO), by default in batches with group second chance (GSC).", "Kang, Lee, Moon: Flash as cache extension for online transactional workloads, VLDB Journal 2016, sections 4 and 5", &[WRITES];
    lazy_cleaning::LazyCleaning => "lazy_cleaning", "Lazy Cleaning (LC)", "Keeps one copy of what leaves DRAM in LRU-2 order, overwritten in place; a background cleaner writes dirty pages to disk above a threshold.", "Do, Zhang, Patel, DeWitt, Naughton, Halverson: Turbocharging DBMS buffer pool using SSDs, SIGMOD 2011, as described by Kang, Lee, Moon 2016, section 3.2", &[WRITES];
    sets::Sets<sets::Flashcache> => "flashcache", "flashcache", "Block cache of sets of 512 pages: read misses and writes enter, FIFO or LRU in each set; write-through, write-back above a dirty threshold, or write-around.", "Facebook's flashcache as the SCE paper (ADMS 2014) runs it, sections 2 and 4.1", &[];
    sets::Sets<sets::EnhanceIo> => "enhanceio", "EnhanceIO", "flashcache's successor: sets of 256 pages, LRU, cleaned from a high to a low threshold.", "STEC's EnhanceIO as the SCE paper (ADMS 2014) runs it, sections 2 and 4.1", &[];
    tac::Tac => "tac", "TAC", "Temperature-aware caching: a page from disk or changed enters if its extent is hotter than the coldest on flash; write-through, with a slot directory on flash.", "Canim, Mihaila, Bhattacharjee, Ross, Lang: SSD bufferpool extensions for database systems, PVLDB 2010, as described by Kang, Lee, Moon 2016, sections 3.2 and 5.1", &[];
    exadata::Exadata => "exadata", "Exadata", "Smart flash cache: pages enter as they come from disk, LRU, those of relations of low priority are evicted first; write-around, or write-back.", "Oracle Exadata Smart Flash Cache, as described by Kang, Lee, Moon: Flash as cache extension for online transactional workloads, VLDB Journal 2016, section 3.2 and Table 3", &[];
    cac::Cac => "cac", "CAC", "Cost-adjusted caching: greedy-dual by the I/O time that a page would have saved on flash; pages enter as they leave DRAM.", "Liu, Salem: Hybrid storage management for database systems, PVLDB 2013, as described by Kang, Lee, Moon 2016, section 3.2", &[WRITES];
    bcache::Bcache => "bcache", "bcache", "Block cache of the kernel: appends read misses and writes to six open buckets, empties whole buckets, bypasses long streams, keeps a journal and a B-tree on flash; write-through, write-back or write-around.", "Linux bcache, as described by Kang, Lee, Moon: Flash as cache extension for online transactional workloads, VLDB Journal 2016, sections 3.3 and 6.5", &[];
    sce::Sce => "sce", "SCE", "Scalable Cache Engine: background threads promote the hottest recent fragments of 1 MiB, a bit for each page tells what is valid, generalised CLOCK makes room.", "SCE paper (ADMS 2014), section 3", &[];
    larc::Larc => "larc", "LARC", "Lazy adaptive replacement: a page enters at its second miss within a ghost list whose length adapts; LRU, write-back or write-through.", "Huang, Wei, Chen, Chen, Feng: Improving flash-based disk cache with lazy adaptive replacement, MSST 2013, as a policy of dm-cache implements it", &[];
    ram_filter::RamFilter => "ram_filter", "RAM filter (S3-FIFO)", "A FIFO in DRAM filters a log on flash: pages referenced there, or left out not long ago, are appended, or some by chance; FIFO or CLOCK.", "Yang, Zhang, Qiu, Yue, Rashmi: FIFO queues are all you need for cache eviction, SOSP 2023, as its artefact runs it", &[];
    dm_writecache::DmWritecache => "dm_writecache", "dm-writecache", "Write cache of the kernel: changed pages alone enter, write-back from a high to a low watermark, oldest first; reads are not cached.", "Linux dm-writecache, as its guide describes it", &[WRITES];
    open_cas::OpenCas => "open_cas", "Open CAS", "Block cache of lines: read misses and writes enter, at once or after some requests, LRU; long streams bypass a full cache; ALRU cleans what is old when idle, ACP all the time.", "Open CAS for Linux, as its guide and its library's source describe it", &[];
    dm_cache::DmCache => "dm_cache", "dm-cache (smq)", "Cache of lvmcache: copies blocks of many pages to flash where the area around them is hot; levels of heat, write-back when idle, or write-through.", "Linux dm-cache with its policy smq, as the source of the kernel has it", &[];
    l2arc::L2arc => "l2arc", "L2ARC (2026)", "ZFS's second level: each second a bounded number of unchanged pages from the cold ends of DRAM's lists goes to a ring on flash; a limit of drive writes per day.", "OpenZFS, source of August 2026", &[WRITES];
    cachelib::CacheLib | cachelib_small::Mixed where cachelib_small::is_wanted => "cachelib", "CacheLib, large objects", "Log of regions of 16 MiB, emptied whole by LRU, FIFO or segmented FIFO, with reinsertion; admission of all, by a chance that holds a rate of writes, or at the second insert; small objects beside them, in sets, if asked for.", "Berg, Berger, McAllister and others: The CacheLib caching engine, OSDI 2020, and the defaults of its source", &[WRITES];
    cachesack::CacheSack => "cachesack", "CacheSack", "LRU behind an admission by category: pages of each relation, size class or hour enter never, at their second miss, at a miss, or also when they are written; write-through.", "Yang, Pollen, Uysal, Merchant, Wolfmeister: CacheSack: admission optimization for Google datacenter flash caches, USENIX ATC 2022", &[];
    kangaroo::Kangaroo => "kangaroo", "Kangaroo", "Sets of small objects, each written whole; a small log in front collects objects until several of a set are there; RRIP or FIFO; without the log it is BigHash.", "McAllister, Berg, Tutuncu-Macias and others: Kangaroo: caching billions of tiny objects on flash, SOSP 2021", &[WRITES];
}

/// Every flash cache.
pub fn flash_caches() -> &'static [FlashCacheAbout] {
    TABLE
}

/// The names of all flash caches, for messages.
pub(crate) fn known_names() -> String {
    let names: Vec<_> = TABLE.iter().map(|cache| cache.about.name).collect();
    names.join(", ")
}

fn unknown(name: &str) -> Error {
    Error::BadParameter {
        name: "scheme",
        value: name.to_owned(),
        message: "no such flash cache".to_owned(),
        hint: format!("choose one of {}", known_names()),
    }
}

/// Replays all accesses of `source` through `ram_pages` of DRAM and a flash cache of
/// `flash_pages`. Without flash every flash cache is DRAM alone.
///
/// The name may be written in upper case, and with `-` for `_`.
///
/// # Errors
/// [`Error::BadParameter`] for an unknown flash cache or option or an impossible size,
/// [`Error::Cancelled`], and whatever `source` reports.
pub fn simulate_flash_cache(
    source: &mut dyn AccessSource,
    name: &str,
    ram_pages: u64,
    flash_pages: u64,
    options: &[(String, String)],
    on_progress: OnProgress<'_>,
) -> Result<FlashCacheResult> {
    let about = find(name).ok_or_else(|| unknown(name))?;
    in_whole_requests(by_request(options), source, |source| {
        let run = Run {
            source,
            ram_pages,
            flash_pages,
            options,
            on_progress,
        };
        simulate_named(about, run)
    })
}

/// The flash cache of a name, which may be written in upper case, and with `-` for `_`.
fn find(name: &str) -> Option<&'static FlashCacheAbout> {
    let wanted = name.to_ascii_lowercase().replace('-', "_");
    TABLE.iter().find(|cache| cache.about.name == wanted)
}

/// Whether there is a flash cache of that name.
pub(crate) fn is_one(name: &str) -> bool {
    find(name).is_some()
}

/// Whether a flash cache of so many pages with these options does something by time: on a trace without time its replay
/// needs a rate then. Whether one is among the options does not matter.
///
/// # Errors
/// [`Error::BadParameter`] for an unknown flash cache, and for options that its replay refuses.
pub fn flash_cache_goes_by_time(
    name: &str,
    flash_pages: u64,
    given: &[(String, String)],
) -> Result<bool> {
    let about = find(name).ok_or_else(|| unknown(name))?;
    // Of production it may be larger than any that is replayed; more pages change nothing here.
    let flash_pages = u32::try_from(flash_pages).unwrap_or(u32::MAX);
    goes_by_time_named(about, flash_pages, given)
}

fn goes_by_time<C: FlashCache>(
    about: &'static FlashCacheAbout,
    flash_pages: u32,
    given: &[(String, String)],
) -> Result<bool> {
    with_options(about, given, |options, _, admitted| {
        stretch_of(about, &options)?;
        let conditions = Conditions {
            flash_pages,
            warm_restart: false,
            // What is documented in bytes says nothing of time.
            page_bytes: USUAL_PAGE_BYTES,
        };
        let by_time = if admitted {
            Admitted::<C>::by_time(&Admitted::<C>::settings(&options, conditions)?)
        } else {
            C::by_time(&C::settings(&options, conditions)?)
        };
        Ok((flash_pages > 0 && by_time.is_some()) || checkpoints_of(about, &options)?.by_time())
    })
}

/// The checkpoints that the options ask for, of a flash cache that has some.
fn checkpoints_of(about: &FlashCacheAbout, options: &Options<'_>) -> Result<Checkpoints> {
    if about.has_own(checkpoints::TO_ABOUT.name) {
        Checkpoints::of(options)
    } else {
        Ok(Checkpoints::default())
    }
}

/// What the options make of recorded times, of a flash cache that may go by them.
fn stretch_of(about: &FlashCacheAbout, options: &Options<'_>) -> Result<Stretch> {
    if about.goes_by_rate() {
        Stretch::of(options)
    } else {
        Ok(Stretch::default())
    }
}

/// The same as [`simulate_flash_cache`] on simulated time.
///
/// # Errors
/// As there; [`Error::BadParameter`] for times without meaning, and where devices do not keep up.
pub(crate) fn simulate_flash_cache_timed(
    run: two_tier::Run<'_, '_>,
    name: &str,
    timing: Timing,
) -> Result<TimedResult> {
    let about = find(name).ok_or_else(|| unknown(name))?;
    let two_tier::Run {
        source,
        ram_pages,
        flash_pages,
        options,
        on_progress,
    } = run;
    let run = Run {
        source,
        ram_pages,
        flash_pages,
        options,
        on_progress,
    };
    simulate_named_timed(about, run, timing)
}

/// The caches of a flash cache with such options, as a miniature has them.
///
/// # Errors
/// [`Error::BadParameter`] where no miniature represents it, and for options that its replay refuses.
pub(crate) fn sampled_caches(
    name: &str,
    flash_pages: u64,
    given: &[(String, String)],
) -> Result<SampledCaches> {
    let about = find(name).ok_or_else(|| unknown(name))?;
    sampled_named(about, page_count("flash-pages", flash_pages, 0)?, given)
}

fn sampled_caches_of<C: FlashCache>(
    about: &'static FlashCacheAbout,
    flash_pages: u32,
    given: &[(String, String)],
) -> Result<SampledCaches> {
    with_options(about, given, |options, dram, admitted| {
        for (name, why) in [
            (
                FTL_SPARE,
                "puts a device under the cache whose erase blocks do not shrink with it, so no small one can represent it",
            ),
            (
                "crash_at",
                "counts accesses, and a miniature sees only some of them",
            ),
            (
                checkpoints::BY_ACCESSES_ABOUT.name,
                "counts accesses, and a miniature sees only some of them",
            ),
        ] {
            if options.is_given(name) {
                return Err(in_full(name, why));
            }
        }
        if checkpoints_of(about, &options)?.by_time() && options.is_given(rate::NAME) {
            return Err(in_full(
                rate::NAME,
                "gives checkpoints their time by accesses, and a miniature sees only some of them",
            ));
        }
        stretch_of(about, &options)?;
        let conditions = Conditions {
            flash_pages,
            warm_restart: false,
            // No cache that a sample represents has a default in bytes.
            page_bytes: USUAL_PAGE_BYTES,
        };
        let found = if admitted {
            Admitted::<C>::sampled(&Admitted::<C>::settings(&options, conditions)?)
        } else {
            C::sampled(&C::settings(&options, conditions)?)
        };
        let flash = found
            .map_err(|unsampled| unsampled.error("flash_cache", about.about.name.to_owned()))?;
        if let Some((option, references)) = dram.counting() {
            return Err(counts_references(
                &format!("{RAM_PREFIX}{option}"),
                &references,
            ));
        }
        Ok(SampledCaches {
            ram: dram.chosen(RAM_POLICY),
            flash,
            flash_title: about.about.title,
        })
    })
}

/// An option with which no miniature represents a flash cache.
fn in_full(name: &'static str, why: &str) -> Error {
    Error::BadParameter {
        name: "option",
        value: name.to_owned(),
        message: why.to_owned(),
        hint: format!("replay it in full, without a sample, or without {name}"),
    }
}

/// The options of the policy of DRAM that is chosen, in words.
fn options_of_dram(given: &[(String, String)], known: &[OptionAbout]) -> String {
    let chosen = given.iter().find(|(name, _)| name == RAM_POLICY);
    let default = known.iter().find(|option| option.name == RAM_POLICY);
    let default = default.map_or(RAM_DEFAULT, |option| option.default);
    let wanted = spelled(chosen.map_or(default, |(_, policy)| policy.trim()));
    let names: Vec<String> = policies::TABLE
        .iter()
        .filter(|policy| policy.name == wanted)
        .flat_map(|policy| policy.options)
        .map(|option| format!("{RAM_PREFIX}{}", option.name))
        .collect();
    if names.is_empty() {
        format!("options of its {RAM_POLICY} start with `{RAM_PREFIX}`, but `{wanted}` has none")
    } else {
        format!(
            "or an option of its {RAM_POLICY} `{wanted}`, {}",
            names.join(", ")
        )
    }
}

fn simulate<C: FlashCache>(
    about: &'static FlashCacheAbout,
    run: Run<'_, '_>,
) -> Result<FlashCacheResult> {
    with_options(about, run.options, |options, dram, admitted| {
        match dram.policy {
            _ if admitted => {
                simulate_over::<AnyPolicy, Admitted<C>, ()>(about, options, dram, run, &mut ())
            }
            "lru" => simulate_over::<Lru, C, ()>(about, options, dram, run, &mut ()),
            "fifo" => simulate_over::<Fifo, C, ()>(about, options, dram, run, &mut ()),
            "clock" => simulate_over::<Clock, C, ()>(about, options, dram, run, &mut ()),
            _ => simulate_over::<AnyPolicy, C, ()>(about, options, dram, run, &mut ()),
        }
    })
}

/// The same of what some options make of a flash cache: compiled once for all policies of DRAM.
fn simulate_variant<C: FlashCache>(
    about: &'static FlashCacheAbout,
    run: Run<'_, '_>,
) -> Result<FlashCacheResult> {
    with_options(about, run.options, |options, dram, admitted| {
        if admitted {
            simulate_over::<AnyPolicy, Admitted<C>, ()>(about, options, dram, run, &mut ())
        } else {
            simulate_over::<AnyPolicy, C, ()>(about, options, dram, run, &mut ())
        }
    })
}

/// The same on simulated time: compiled once for all policies of DRAM.
fn simulate_timed<C: FlashCache>(
    about: &'static FlashCacheAbout,
    run: Run<'_, '_>,
    timing: Timing,
) -> Result<TimedResult> {
    let mut clock = TimedClock::new(timing);
    let replay = with_options(about, run.options, |options, dram, admitted| {
        if admitted {
            simulate_over::<AnyPolicy, Admitted<C>, _>(about, options, dram, run, &mut clock)
        } else {
            simulate_over::<AnyPolicy, C, _>(about, options, dram, run, &mut clock)
        }
    })?;
    let held = Held {
        flash_used: Some(replay.slots_used),
        flash_dirty: Some(replay.dirty_slots),
        flash_full: Some(replay.is_full),
    };
    Ok(TimedResult {
        response: clock.finish(held)?,
        crash: None,
        replay: Replayed::FlashCache(Box::new(replay)),
    })
}

/// Reads the options of a flash cache, those of the policy of its DRAM, and whether it is behind an assignment.
fn with_options<T>(
    about: &'static FlashCacheAbout,
    given: &[(String, String)],
    replay: impl FnOnce(Options<'_>, Settings, bool) -> Result<T>,
) -> Result<T> {
    // What is no option of the flash cache, however it is written, may be one of the policy of its DRAM.
    let known = about.options();
    let is_own = |name: &str| {
        let name = spelled(name);
        known.iter().any(|option| option.name == name)
    };
    // A cache with rules of admission of its own keeps them behind an assignment.
    let keeps_own = about.has_own(ADMISSION.name) || about.has_own("assignment");
    let by_category = |(name, value): &&(String, String)| {
        spelled(name) == ADMISSION.name && spelled(value) == BY_CATEGORY
    };
    let is_asked = given.iter().any(|option| by_category(&option));
    let (of_dram, own): (Vec<_>, Vec<_>) = given
        .iter()
        .filter(|option| !(keeps_own && by_category(option)))
        .cloned()
        .partition(|(name, _)| spelled(name).starts_with(RAM_PREFIX) && !is_own(name));
    let of_its_policy = options_of_dram(&own, &known);
    let options = Options::new(about.about.name, known, &own, &of_its_policy)?;
    let dram = options.policy(RAM_POLICY, RAM_PREFIX, &of_dram)?;
    if about.has_own("assignment") {
        return replay(options, dram, false);
    }
    let admitted = admitted::is_wanted(&options, is_asked)?;
    if !keeps_own {
        options.choice(ADMISSION.name, &[("all", ()), (BY_CATEGORY, ())])?;
        if admitted {
            // As an assignment asks for it, whether it is given or not.
            options.hold(ADMISSION.name, BY_CATEGORY);
        }
    }
    replay(options, dram, admitted)
}

fn simulate_over<P: Policy, C: FlashCache, W: Watch>(
    about: &'static FlashCacheAbout,
    options: Options<'_>,
    dram: Settings,
    run: Run<'_, '_>,
    watch: &mut W,
) -> Result<FlashCacheResult> {
    let Run {
        source,
        ram_pages,
        flash_pages,
        on_progress,
        ..
    } = run;
    let ram_pages = page_count("ram-pages", ram_pages, 1)?;
    let flash_pages = page_count("flash-pages", flash_pages, 0)?;
    let crash_at = options.number_if_given("crash_at", 0..=u64::MAX - 1)?;
    let warm = options.choice("restart", &[("warm", true), ("cold", false)])?;
    let conditions = Conditions {
        flash_pages,
        page_bytes: source.page_bytes().unwrap_or(USUAL_PAGE_BYTES).max(1),
        warm_restart: warm && crash_at.is_some(),
    };
    let settings = C::settings(&options, conditions)?;
    let checkpoints = checkpoints_of(about, &options)?;
    let stretch = stretch_of(about, &options)?;
    let metadata = C::metadata(&settings, conditions);
    let metadata = metadata.map(|layout| (layout, conditions.page_bytes));
    let under = translation(&options, flash_pages, C::HAS_STREAMS, metadata)?;
    let shape = under.as_ref().map(Under::shape);
    let plan = crash_at.map(|at_access| CrashPlan { at_access, warm });
    let mut result = if flash_pages == 0 {
        let mut engine = Engine::<P, no_flash::NoFlash>::new(ram_pages, 0, dram, ());
        engine.take_checkpoints(checkpoints);
        engine.stretch_times(stretch);
        let mut result = count(about, engine, watch, plan, source, on_progress)?;
        // They are of the flash cache that is not there.
        result.warnings.clear();
        result
    } else {
        let mut engine = Engine::<P, C>::new(ram_pages, flash_pages, dram, settings);
        engine.take_checkpoints(checkpoints);
        engine.stretch_times(stretch);
        if let Some((layout, page_bytes)) = metadata {
            engine.keep_directory(layout, page_bytes);
        }
        if let Some(under) = under {
            engine.around.device.put_on(under);
        }
        count(about, engine, watch, plan, source, on_progress)?
    };
    if let Some((shape, ftl)) = shape.zip(result.ftl.as_ref()) {
        result.warnings.extend(shape.about_streams(ftl));
    }
    let options = options.in_force();
    Ok(FlashCacheResult {
        ram_pages,
        flash_pages,
        own_counters: own_counters::counted(
            about.about.name,
            &result.counters,
            result.unique_pages,
            &options,
        ),
        options,
        ..result
    })
}

/// The device that the options put under a flash cache.
fn translation(
    options: &Options<'_>,
    flash_pages: u32,
    has_streams: bool,
    metadata: Option<(MetadataLayout, u64)>,
) -> Result<Option<Under>> {
    let Some(percent) = options.number_if_given(FTL_SPARE, 1..=u64::from(MOST_SPARE))? else {
        return [
            FTL_BLOCK,
            FTL_GC,
            FTL_CHOICES,
            FTL_SEED,
            FTL_BUFFER,
            FTL_MAPPING,
            FTL_TRIM,
            STREAMS,
        ]
        .into_iter()
        .find(|name| options.is_given(name))
        .map_or(Ok(None), |name| {
            let why = format!("has no effect without {FTL_SPARE}");
            Err(options.impossible(name, &why))
        });
    };
    let block_pages = options.number(FTL_BLOCK, 1..=u64::from(MAX_BLOCK_PAGES))?;
    let rule = options.choice(FTL_GC, &COLLECTION_NAMES.map(|name| (name, name)))?;
    let (draws, draws_several) = draws(rule);
    for (name, used) in [(FTL_CHOICES, draws_several), (FTL_SEED, draws)] {
        if !used && options.is_given(name) {
            let why = format!("has no effect with {FTL_GC}={rule}");
            return Err(options.impossible(name, &why));
        }
    }
    let choices = if draws_several {
        options.number(FTL_CHOICES, 1..=u64::from(MAX_CHOICES))?
    } else {
        1
    };
    let collection = collection_called(rule, u32::try_from(choices).unwrap_or(MAX_CHOICES))
        .unwrap_or(Collection::Greedy);
    let seed = if draws {
        options.number(FTL_SEED, 0..=u64::MAX)?
    } else {
        0
    };
    let buffer_pages = options.number(FTL_BUFFER, 0..=u64::from(u32::MAX))?;
    let mappings: Vec<_> = Mapping::TABLE
        .iter()
        .map(|about| (about.name, about.mapping))
        .collect();
    let mapping = options.choice(FTL_MAPPING, &mappings)?;
    if mapping != Mapping::Page && options.is_given(FTL_GC) {
        let why = format!("has no effect with {FTL_MAPPING}={}", mapping.name());
        return Err(options.impossible(FTL_GC, &why));
    }
    let trim = options.flag(FTL_TRIM)?;
    let streams = if has_streams {
        options.number(STREAMS, 1..=2)?
    } else {
        1
    };
    if flash_pages == 0 {
        return Ok(None);
    }
    let asked = Asked {
        spare_percent: u32::try_from(percent).unwrap_or(u32::MAX),
        block_pages: u32::try_from(block_pages).unwrap_or(u32::MAX),
        collection,
        seed,
        buffer_pages: u32::try_from(buffer_pages).unwrap_or(u32::MAX),
        mapping,
        trim,
        streams: u32::try_from(streams).unwrap_or(1),
    };
    Under::with_metadata(flash_pages, asked, metadata).map(Some)
}

fn count<P: Policy, C: FlashCache, W: Watch>(
    about: &'static FlashCacheAbout,
    mut engine: Engine<P, C>,
    watch: &mut W,
    plan: Option<CrashPlan>,
    source: &mut dyn AccessSource,
    on_progress: OnProgress<'_>,
) -> Result<FlashCacheResult> {
    let course = if engine.needs_future() {
        engine::replay_foreseen(source, &mut engine, watch, plan, on_progress)?
    } else {
        engine::replay(source, &mut engine, watch, plan, on_progress)?
    };
    let background = course.background(&engine);
    let too_short = engine.too_short(course.now());
    let unique_pages = course.unique_pages();
    let engine::Course {
        totals,
        before,
        crash,
        ..
    } = course;
    engine
        .recount(totals, crash.as_ref())
        .map_err(|text| disagreement(about.about.name, &text))?;
    let mut warnings = C::warnings(engine.settings(), totals);
    warnings.extend(engine.cache.notes());
    warnings.extend(too_short);
    if about.needs.contains(&WRITES) && totals.write_accesses == 0 && totals.accesses > 0 {
        warnings.push(Warning {
            name: "no_writes",
            message: format!(
                "{} is designed for changed pages, and the trace has no writes: write reduction, old versions and cleaning are unknown",
                about.about.title
            ),
            hint: "use a trace that records writes, or rely on the hits only".to_owned(),
        });
    }
    let cache = &engine.cache;
    Ok(FlashCacheResult {
        scheme: about.about.name,
        ram_pages: 0,
        flash_pages: 0,
        accesses: totals.counted_accesses(),
        write_accesses: totals.counted_writes(),
        warm_up: totals.warm_up,
        distinct_pages: totals.distinct_pages as u64,
        counters: engine.around.counters.since(before),
        background,
        unique_pages,
        own_counters: Vec::new(),
        slots_used: cache.slots_used(),
        old_versions: cache.old_versions(),
        dirty_slots: cache.dirty_copies(),
        is_full: engine.is_full(),
        options: Vec::new(),
        ftl: engine.around.device.translated()?,
        crash: crash.map(|crash| crash.counted_since(&before, totals.warm_up)),
        warnings,
    })
}
