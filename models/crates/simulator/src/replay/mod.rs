//! Replays a trace through one cache or through RAM in front of a flash cache, and counts.
//!
//! A replay counts device operations, never time: cost is counters times a device profile, so one
//! replay prices every device. Policies and schemes are chosen outside the loop over the accesses;
//! inside it everything is static. No access hashes or allocates: pages are dense, every table is
//! an array over page numbers that grows once a chunk.

mod admission;
mod ahead;
mod bits;
pub mod buffers;
mod directory;
mod fetch;
mod flash_blocks;
mod flash_caches;
mod future;
mod lists;
mod metadata;
mod online;
mod policies;
mod queue;
pub(crate) mod recency;
mod room;
mod schemes;
pub(crate) mod settings;
mod single_tier;
mod store;
mod tier;
mod timed;
mod translation;
mod two_tier;
mod whole_requests;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::access::{AccessSource, Chunk, WARM_UP, WRITE};
use crate::error::{Error, Result};
use crate::progress::{OnProgress, report};
use crate::wording::counted;
pub(crate) use admission::{ADMISSION, BY_CATEGORY};
pub use directory::DirectoryResult;
pub(crate) use flash_blocks::BLOCK_PAGES;
pub use flash_blocks::{BlockCounters, BlockResult};
pub use flash_caches::{
    CategoryAbout, CategoryCounts, CategoryRow, CrashReport, FlashCacheAbout, FlashCacheCounters,
    FlashCacheResult, OptionAbout, OwnCounter, UnderRow, categories, categories_need_times,
    category_counts, flash_cache_goes_by_time, flash_caches, simulate_flash_cache,
};
pub(crate) use flash_caches::{SampledCaches, sampled_caches, sampled_categories};
use flash_caches::{by_request, in_whole_requests};
use future::Future;
pub use online::{Choice, Estimate, OnlineResult, simulate_online};
pub(crate) use settings::needs_future;
pub use settings::{Need, Setting, Values};
pub use single_tier::PolicyResult;
pub(crate) use store::is_of_device;
pub use timed::{
    Arrivals, DeviceTimes, OperationTimes, Redo, Replayed, Responses, SchemeCrash, StationResult,
    TimedResult, Timing, Window,
};
pub use two_tier::{SchemeCounters, SchemeResult, Warning};

/// Largest capacity of a cache, in pages (16 TiB of 4 KiB pages).
pub const MAX_PAGES: u64 = u32::MAX as u64;

/// Most distinct pages of a trace that can be replayed: places in a recency log are `u32` too.
pub(crate) const MAX_DISTINCT_PAGES: usize = (1 << 31) - 1;

/// A registered policy or scheme, for lists.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct About {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// The name to show.
    pub title: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it needs beyond the pages of the trace.
    pub needs: &'static [Need],
    /// Its options.
    pub options: &'static [Setting],
}

/// Every replacement policy.
pub fn policies() -> &'static [About] {
    policies::TABLE
}

/// Most memory in which the future of a trace is kept [bytes].
pub(crate) const FUTURE_BYTES: u64 = future::KEPT_BYTES as u64;
/// Most memory in which write-backs to a device are kept [bytes].
pub(crate) const WRITE_BACK_BYTES: u64 = store::KEPT_BYTES as u64;
/// Every chooser of page flows.
pub fn choosers() -> &'static [About] {
    online::TABLE
}

/// Options of a flash device that holds the data of a policy or a buffer.
pub fn device_options() -> &'static [Setting] {
    store::OPTIONS
}

/// Every rule by which flash takes pages.
pub fn admissions() -> &'static [About] {
    admission::TABLE
}

/// Every page-flow scheme.
pub fn schemes() -> &'static [About] {
    schemes::TABLE
}

/// Replays all accesses of `source` through one cache of `pages` pages under `policy`.
///
/// Names may be written in upper case, and with `-` for `_`. A policy that needs the future reads
/// `source` to its end first and replays from what it has set aside: see [`About::needs`]. With [`device_options`]
/// the data lie on a flash device.
///
/// # Errors
/// [`Error::BadParameter`] for an unknown policy or option or an impossible size, [`Error::Cancelled`], and
/// whatever `source` reports.
pub fn simulate_policy(
    source: &mut dyn AccessSource,
    policy: &str,
    pages: u64,
    options: &[(String, String)],
    on_progress: OnProgress<'_>,
) -> Result<PolicyResult> {
    let run = single_tier::Run {
        source,
        pages,
        options,
        on_progress,
    };
    policies::simulate(policy, run)
}

/// Replays all accesses of `source` through `ram_pages` of RAM and `flash_pages` of flash under a
/// page-flow scheme. Without flash every scheme is `none`. The options `ram_policy` and
/// `flash_policy` choose the policies, `ram_<option>` and `flash_<option>` their options.
///
/// # Errors
/// [`Error::BadParameter`] for an unknown scheme or option or an impossible size,
/// [`Error::Cancelled`], and whatever `source` reports.
pub fn simulate_scheme(
    source: &mut dyn AccessSource,
    scheme: &str,
    ram_pages: u64,
    flash_pages: u64,
    options: &[(String, String)],
    on_progress: OnProgress<'_>,
) -> Result<SchemeResult> {
    in_whole_requests(by_request(options), source, |source| {
        let run = two_tier::Run {
            source,
            ram_pages,
            flash_pages,
            options,
            on_progress,
        };
        schemes::simulate(scheme, run)
    })
}

/// Replays all accesses of `source` through `ram_pages` of RAM and `flash_pages` of flash under a page-flow scheme or a
/// flash cache with `options`, on simulated time: `timing` says when accesses arrive and how long devices take. What a
/// flash cache does by time goes by the simulated one. A scheme takes `crash_at` and `restart` too.
///
/// # Errors
/// As [`simulate_scheme`] and [`simulate_flash_cache`]; [`Error::BadParameter`] for times or rates that have no meaning, for arrivals of a trace
/// that has no times, and for devices that fall too far behind.
pub fn simulate_timed(
    source: &mut dyn AccessSource,
    scheme: &str,
    ram_pages: u64,
    flash_pages: u64,
    options: &[(String, String)],
    timing: Timing,
    on_progress: OnProgress<'_>,
) -> Result<TimedResult> {
    timing.check()?;
    in_whole_requests(by_request(options), source, |source| {
        let run = two_tier::Run {
            source,
            ram_pages,
            flash_pages,
            options,
            on_progress,
        };
        schemes::simulate_timed(scheme, run, timing)
    })
}

/// What a replay drives: one call per access, in order.
trait Machine {
    /// Whether [`Self::locate`] is to be called.
    const NEEDS_ADDRESSES: bool = false;
    /// Whether times of accesses are kept where the future is read ahead.
    const NEEDS_TIMES: bool = false;
    /// Makes room for the page numbers `0..pages`.
    fn grow(&mut self, pages: usize);
    /// Tells device and page address of the accesses of a chunk; an error ends the replay.
    fn locate(&mut self, _pages: &[u32], _spaces: &[u32], _addresses: &[u64]) -> Result<()> {
        Ok(())
    }
    /// Tells of each coming access of a chunk what its category may depend on, where addresses are needed.
    fn classify(&mut self, _chunk: &Chunk, _spaces: &[u32]) -> Result<()> {
        Ok(())
    }
    /// Tells when the accesses of a chunk arrive, as recorded; empty where the trace has no times or they were not
    /// asked for. An error ends the replay.
    fn arrive(&mut self, _times_ns: &[i64], _accesses: usize) -> Result<()> {
        Ok(())
    }
    /// Tells device, page address and place of the first access of every page of the trace, in the order of
    /// their numbers; before everything else, if addresses are needed and the future is known.
    fn expect(&mut self, _spaces: &[u32], _addresses: &[u64], _first_accesses: &[u32]) {}
    /// Reads what is kept of some pages, all at once, so that the accesses to them find it cached.
    fn fetch(&self, pages: &[u32]);
    /// Tells when `page`, which is accessed next of all, is accessed again; called before each access
    /// if a policy needs it. To be passed on to every tier whose policy can be chosen.
    #[inline]
    fn foresee(&mut self, _page: u32, _next_access: u32) {}
    fn access(&mut self, page: u32, write: bool);
    /// Accesses in order, at most [`BATCH`] of them, whose pages were fetched.
    #[inline]
    fn access_all(&mut self, pages: &[u32], flags: &[u8])
    where
        Self: Sized,
    {
        access_each(self, pages, flags);
    }
    /// How full the cache is whose filling ends a warm-up: flash, or RAM where there is no flash.
    fn fill(&self) -> Fill;
    /// Counts the machine's own state again; the text says what disagrees.
    fn finished(&self, totals: Totals) -> std::result::Result<(), String>;
}

/// How full a cache is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fill {
    /// Which cache, as the subject of a sentence.
    cache: &'static str,
    held: u64,
    capacity: u64,
    /// The most that one access adds.
    at_once: u64,
    /// What both count, one and many.
    unit: [&'static str; 2],
    /// When it is full, as the end of a sentence, where that is not when nothing in it is free.
    when: Option<&'static str>,
}

impl Fill {
    /// Of the cache that a message calls `cache`, in pages.
    pub(crate) fn of(cache: &'static str, held: impl Into<u64>, capacity: impl Into<u64>) -> Self {
        Self {
            cache,
            held: held.into(),
            capacity: capacity.into(),
            at_once: 2,
            unit: ["page", "pages"],
            when: None,
        }
    }

    /// Of a cache that is full when something else happens.
    pub(crate) fn when(self, when: Option<&'static str>) -> Self {
        Self { when, ..self }
    }

    /// Of a cache that an access may fill by more than two pages at once.
    pub(crate) fn taking(self, at_once: u64) -> Self {
        Self { at_once, ..self }
    }

    /// Of a flash of blocks.
    pub(crate) fn of_blocks(held: u32, capacity: u32) -> Self {
        Self {
            unit: ["block", "blocks"],
            ..Self::of(FLASH, held, capacity)
        }
    }

    fn is_full(self) -> bool {
        self.held >= self.capacity
    }

    /// A warm-up ends with the access that fills the cache, so the trace must fill it and go on.
    fn refused(self, message: String) -> Error {
        let smaller = if self.cache == FLASH {
            "make flash or the RAM above it smaller"
        } else {
            "make the cache smaller"
        };
        Error::BadParameter {
            name: WARM_UP,
            value: "full".to_owned(),
            message,
            hint: format!(
                "{smaller}, use a longer trace, or give the warm-up as accesses or as a share, such as 50%"
            ),
        }
    }
}

/// Flash, RAM and a single cache in the message of [`Fill`].
pub(crate) const FLASH: &str = "flash";
pub(crate) const RAM: &str = "RAM";
pub(crate) const CACHE: &str = "the cache";

/// Accesses whose pages are fetched together. Each access reads its page's entry somewhere in a
/// large table and decides by it; a short loop that only reads keeps many such reads in flight.
const BATCH: usize = 256;

/// Accesses one after the other.
#[expect(
    clippy::inline_always,
    reason = "the loop over a batch: a call costs a tenth of an access"
)]
#[inline(always)]
fn access_each<M: Machine>(machine: &mut M, pages: &[u32], flags: &[u8]) {
    // Many traces have no writes for long: then the compiler drops all that is done for them.
    if any_write(flags) {
        for (&page, &flags) in pages.iter().zip(flags) {
            machine.access(page, flags & WRITE != 0);
        }
    } else {
        for &page in pages {
            machine.access(page, false);
        }
    }
}

/// Whether any of some accesses writes.
fn any_write(flags: &[u8]) -> bool {
    flags.iter().fold(0, |any, &flags| any | flags) & WRITE != 0
}

/// The accesses at the head of a trace that were replayed and not counted: caches keep what they left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WarmedUp {
    /// Accesses, reads and writes.
    pub accesses: u64,
    /// Accesses that write.
    pub write_accesses: u64,
    /// Whether the last of them filled the cache.
    pub until_full: bool,
}

/// To be flattened: the number of its accesses, and whether they filled the cache; nothing without a warm-up.
impl Serialize for WarmedUp {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.accesses > 0 {
            map.serialize_entry("warm_up", &self.accesses)?;
        }
        if self.until_full {
            map.serialize_entry("warm_up_until_full", &true)?;
        }
        map.end()
    }
}

/// What the loop itself counts: the whole trace, and how much of it warmed up.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    accesses: u64,
    write_accesses: u64,
    distinct_pages: usize,
    warm_up: WarmedUp,
}

/// Counters whose values at two moments of a replay can be taken from each other. All of them only grow.
macro_rules! counters_since {
    ($counters:ident { $($field:ident),+ $(,)? }) => {
        impl $counters {
            /// What was counted after `before`, the same counters at an earlier moment.
            pub(crate) fn since(self, before: Self) -> Self {
                Self { $($field: self.$field - before.$field),+ }
            }
        }
    };
    ($counters:ident, plus { $($field:ident),+ $(,)? }) => {
        $crate::replay::counters_since!($counters { $($field),+ });
        impl $counters {
            /// What was counted in both of two stretches.
            pub(crate) fn plus(self, other: Self) -> Self {
                Self { $($field: self.$field + other.$field),+ }
            }
        }
    };
}
pub(crate) use counters_since;

/// Counters that are written as they are named, in that order.
macro_rules! written_as_named {
    ($counters:ident) => {
        impl serde::Serialize for $counters {
            fn serialize<S: serde::Serializer>(
                &self,
                serializer: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                serializer.collect_map(self.named())
            }
        }
    };
}
pub(crate) use written_as_named;

/// Takes the counters of a machine whenever a part of the warm-up is over, so that what it holds in the end is
/// what is not to be counted.
type OnWarm<'a, M> = &'a mut dyn FnMut(&mut M);

/// Where a replay stops next to look at its machine: behind the accesses that warm up, or, while the warm-up is to
/// end with a full cache, where that may be: none is looked at too late.
#[inline]
fn next_stop(chunk: &Chunk, at: usize, filling: Option<Fill>) -> usize {
    match filling {
        None if at < chunk.warm_up => chunk.warm_up.min(chunk.len()),
        None => chunk.len(),
        Some(fill)
            if fill.capacity.saturating_sub(fill.held)
                > fill.at_once.saturating_mul(BATCH as u64) =>
        {
            (at + BATCH).min(chunk.len())
        }
        Some(_) => at + 1,
    }
}

/// Notes what the first `at` accesses of a chunk counted where they end the warm-up, and while it is to end with a
/// full cache.
#[inline]
fn warm_up_to<M: Machine>(
    at: usize,
    chunk: &mut Chunk,
    filling: &mut bool,
    machine: &mut M,
    on_warm: &mut dyn FnMut(&mut M),
) {
    if *filling {
        chunk.warm_up = at;
        *filling = !machine.fill().is_full();
    }
    if at == chunk.warm_up {
        on_warm(machine);
    }
}

/// Refuses a warm-up until the cache is full that has not ended, or has ended with the last access.
fn check_filled(totals: Totals, filling: bool, fill: impl FnOnce() -> Fill) -> Result<()> {
    if !totals.warm_up.until_full {
        return Ok(());
    }
    let fill = fill();
    if filling {
        let held = format!(
            "{} holds {} of its {} {} at the end of the trace",
            fill.cache,
            fill.held,
            fill.capacity,
            fill.unit[usize::from(fill.capacity != 1)]
        );
        return Err(fill.refused(match fill.when {
            None => format!("{held}, so it is never full and no access is counted"),
            Some(when) => format!(
                "{held} and counts as full when {when}, which never happens, so no access is counted"
            ),
        }));
    }
    if totals.counted_accesses() == 0 {
        return Err(fill.refused(match fill.when {
            None => format!(
                "{} is full only with the last access of the trace, so no access is left to count",
                fill.cache
            ),
            Some(when) => format!(
                "{} counts as full when {when}, which happens only with the last access of the trace, so no access is left to count",
                fill.cache
            ),
        }));
    }
    Ok(())
}

/// The loop over all accesses, with the future where it is needed.
fn replay_with<M: Machine>(
    needs_future: bool,
    source: &mut dyn AccessSource,
    machine: &mut M,
    on_warm: OnWarm<'_, M>,
    on_progress: OnProgress<'_>,
) -> Result<Totals> {
    if needs_future {
        replay_foreseen(source, machine, on_warm, on_progress)
    } else {
        replay(source, machine, on_warm, on_progress)
    }
}

/// The loop over all accesses.
fn replay<M: Machine>(
    source: &mut dyn AccessSource,
    machine: &mut M,
    on_warm: OnWarm<'_, M>,
    on_progress: OnProgress<'_>,
) -> Result<Totals> {
    let mut chunk = Chunk::default();
    let mut totals = Totals::of(source);
    let mut filling = totals.warm_up.until_full;
    if M::NEEDS_ADDRESSES {
        source.keep_addresses();
    }
    while source.next_chunk(&mut chunk)? {
        totals.add(&chunk)?;
        machine.grow(totals.distinct_pages);
        machine.arrive(&chunk.times_ns, chunk.len())?;
        if M::NEEDS_ADDRESSES {
            let (spaces, addresses) = addresses_of(source, chunk.len())?;
            machine.locate(&chunk.pages, spaces, addresses)?;
            machine.classify(&chunk, spaces)?;
        }
        let mut at = 0;
        while at < chunk.len() {
            let stop = next_stop(&chunk, at, filling.then(|| machine.fill()));
            let (pages, flags) = (&chunk.pages[at..stop], &chunk.flags[at..stop]);
            for (pages, flags) in pages.chunks(BATCH).zip(flags.chunks(BATCH)) {
                machine.fetch(pages);
                machine.access_all(pages, flags);
            }
            at = stop;
            warm_up_to(at, &mut chunk, &mut filling, machine, on_warm);
        }
        totals.warm_up.add(&chunk);
        report(source, totals.accesses, on_progress)?;
    }
    check_filled(totals, filling, || machine.fill())?;
    Ok(totals)
}

/// Device and address of each access of a chunk of `accesses` just read.
fn addresses_of(source: &dyn AccessSource, accesses: usize) -> Result<(&[u32], &[u64])> {
    let (spaces, addresses) = source.addresses();
    if addresses.is_empty() && accesses > 0 {
        return Err(Error::BadParameter {
            name: "option",
            value: "page addresses".to_owned(),
            message: "blocks, relations and clusters of writes need them, and a miniature does not keep them".to_owned(),
            hint: "replay the configuration in full, without a sample".to_owned(),
        });
    }
    if spaces.len() != accesses || addresses.len() != accesses {
        return Err(disagreement("trace source", "accesses without addresses"));
    }
    Ok((spaces, addresses))
}

/// The same, telling the machine of each access when its page is accessed next.
fn replay_foreseen<M: Machine>(
    source: &mut dyn AccessSource,
    machine: &mut M,
    on_warm: OnWarm<'_, M>,
    on_progress: OnProgress<'_>,
) -> Result<Totals> {
    let mut totals = Totals::of(source);
    let mut filling = totals.warm_up.until_full;
    let mut places = Places::default();
    let mut future = if M::NEEDS_ADDRESSES {
        source.keep_addresses();
        let placing = &mut Placing {
            source,
            places: &mut places,
        };
        let future = read::<M>(placing, on_progress)?;
        machine.expect(&places.spaces, &places.addresses, &places.first_accesses);
        future
    } else {
        read::<M>(source, on_progress)?
    };
    let (mut spaces, mut addresses) = (Vec::new(), Vec::new());
    let mut chunk = Chunk::default();
    let mut next_accesses = Vec::new();
    while future.next_chunk(&mut chunk, &mut next_accesses)? {
        totals.add(&chunk)?;
        machine.grow(totals.distinct_pages);
        machine.arrive(&chunk.times_ns, chunk.len())?;
        if M::NEEDS_ADDRESSES {
            places.of(&chunk.pages, &mut spaces, &mut addresses);
            machine.locate(&chunk.pages, &spaces, &addresses)?;
            machine.classify(&chunk, &spaces)?;
        }
        let mut at = 0;
        while at < chunk.len() {
            let stop = next_stop(&chunk, at, filling.then(|| machine.fill()));
            let (pages, flags) = (&chunk.pages[at..stop], &chunk.flags[at..stop]);
            let batches = pages.chunks(BATCH).zip(flags.chunks(BATCH));
            let next_accesses = next_accesses[at..stop].chunks(BATCH);
            for ((pages, flags), next_accesses) in batches.zip(next_accesses) {
                machine.fetch(pages);
                for ((&page, &flags), &next_access) in pages.iter().zip(flags).zip(next_accesses) {
                    machine.foresee(page, next_access);
                    machine.access(page, flags & WRITE != 0);
                }
            }
            at = stop;
            warm_up_to(at, &mut chunk, &mut filling, machine, on_warm);
        }
        totals.warm_up.add(&chunk);
        if !on_progress(future.progress(totals.accesses)) {
            return Err(Error::Cancelled);
        }
    }
    check_filled(totals, filling, || machine.fill())?;
    Ok(totals)
}

/// Reads all of `source` ahead, with the times of accesses if the machine is to hear of them.
fn read<M: Machine>(source: &mut dyn AccessSource, on_progress: OnProgress<'_>) -> Result<Future> {
    if M::NEEDS_TIMES {
        Future::read_timed(source, on_progress)
    } else {
        Future::read(source, on_progress)
    }
}

/// Device, address and first access of each page, set aside with the future: 16 bytes a distinct page.
#[derive(Debug, Default)]
struct Places {
    spaces: Vec<u32>,
    addresses: Vec<u64>,
    first_accesses: Vec<u32>,
    accesses: u32,
}

impl Places {
    /// Keeps where the new ones among some pages are; pages are numbered as they appear. The future
    /// refuses a trace with more accesses than can be counted here.
    fn add(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        for ((&page, &space), &address) in pages.iter().zip(spaces).zip(addresses) {
            if page as usize == self.spaces.len() {
                self.spaces.push(space);
                self.addresses.push(address);
                self.first_accesses.push(self.accesses);
            }
            self.accesses = self.accesses.saturating_add(1);
        }
    }

    /// Where some pages are, all of which were added.
    fn of(&self, pages: &[u32], spaces: &mut Vec<u32>, addresses: &mut Vec<u64>) {
        spaces.clear();
        spaces.extend(pages.iter().map(|&page| self.spaces[page as usize]));
        addresses.clear();
        addresses.extend(pages.iter().map(|&page| self.addresses[page as usize]));
    }
}

/// A source that is read ahead of its replay: what it says of places is kept.
struct Placing<'a> {
    source: &'a mut dyn AccessSource,
    places: &'a mut Places,
}

impl AccessSource for Placing<'_> {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let more = self.source.next_chunk(chunk)?;
        if more {
            let (spaces, addresses) = addresses_of(self.source, chunk.len())?;
            self.places.add(&chunk.pages, spaces, addresses);
        }
        Ok(more)
    }

    fn page_bytes(&self) -> Option<u64> {
        self.source.page_bytes()
    }

    fn position(&self) -> (u64, u64) {
        self.source.position()
    }
}

impl Totals {
    /// Nothing yet, with the kind of warm-up that the source asks for.
    fn of(source: &dyn AccessSource) -> Self {
        let mut totals = Self::default();
        totals.warm_up.until_full = source.warms_up_until_full();
        totals
    }

    /// Adds a chunk that is about to be replayed; how much of it warms up is added behind it.
    fn add(&mut self, chunk: &Chunk) -> Result<()> {
        self.distinct_pages = distinct_pages(chunk, self.distinct_pages)?;
        self.accesses += chunk.len() as u64;
        self.write_accesses += write_accesses(&chunk.flags);
        Ok(())
    }

    /// Accesses after the warm-up.
    fn counted_accesses(&self) -> u64 {
        self.accesses - self.warm_up.accesses
    }

    /// Those of them that write.
    fn counted_writes(&self) -> u64 {
        self.write_accesses - self.warm_up.write_accesses
    }
}

impl WarmedUp {
    fn add(&mut self, chunk: &Chunk) {
        let accesses = chunk.warm_up.min(chunk.len());
        self.accesses += accesses as u64;
        self.write_accesses += write_accesses(&chunk.flags[..accesses]);
    }
}

/// Distinct pages so far: pages are dense, so it is one more than the largest number.
pub(crate) fn distinct_pages(chunk: &Chunk, before: usize) -> Result<usize> {
    if chunk.flags.len() != chunk.pages.len() {
        return Err(disagreement(
            "trace source",
            &format!(
                "{} but {}",
                counted(chunk.pages.len(), "page", "pages"),
                counted(chunk.flags.len(), "flag", "flags")
            ),
        ));
    }
    // A fold over numbers, not `max` over references: this one the compiler turns into vectors.
    let largest = chunk.pages.iter().fold(0, |most, &page| page.max(most));
    let here = largest as usize + usize::from(!chunk.is_empty());
    let distinct = before.max(here);
    if distinct > MAX_DISTINCT_PAGES {
        return Err(Error::BadParameter {
            name: "trace",
            value: distinct.to_string(),
            message: format!("more than {MAX_DISTINCT_PAGES} distinct pages"),
            hint: "use a larger [[page_bytes]], or shorten the trace".to_owned(),
        });
    }
    Ok(distinct)
}

/// Accesses with such flags that write.
pub(crate) fn write_accesses(flags: &[u8]) -> u64 {
    // Bytes are added as bytes while they cannot overflow.
    let blocks = flags.chunks(255);
    let writes = |block: &[u8]| block.iter().map(|&flags| flags & WRITE).sum::<u8>();
    blocks.map(|block| u64::from(writes(block))).sum()
}

/// A capacity as the engine holds it.
fn page_count(name: &'static str, pages: u64, at_least: u32) -> Result<u32> {
    match u32::try_from(pages) {
        Ok(count) if count >= at_least => Ok(count),
        _ => Err(Error::BadParameter {
            name,
            value: pages.to_string(),
            message: format!("a cache must have from {at_least} to {MAX_PAGES} pages"),
            hint: if pages < u64::from(at_least) {
                format!("give at least {at_least}, in pages")
            } else {
                "give the capacity in pages, not in bytes".to_owned()
            },
        }),
    }
}

/// An internal error: a replay whose own state does not add up must not give a result.
pub(crate) fn disagreement(of: &str, text: &str) -> Error {
    Error::Internal {
        message: format!("{of}: {text}"),
    }
}

fn known_names(table: &[About]) -> String {
    table
        .iter()
        .map(|about| about.name)
        .collect::<Vec<_>>()
        .join(", ")
}
