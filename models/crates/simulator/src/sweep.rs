//! Many configurations over one read of a trace, on all cores.
//!
//! Every configuration replays in a thread of its own, through the same functions as a single
//! replay, so a sweep has exactly their results, whatever the number of cores. The calling thread
//! decodes the trace; at most as many replays as there are cores work at a time (see `broadcast`).
//! More configurations than memory has room for take several reads.
//!
//! A cancelled sweep keeps what it has: the configurations of earlier reads are complete, those of
//! the present read have counted the accesses read so far, and say so. Only a policy that needs the
//! future, and what a flash device holds the data of, have nothing before all is done.
//!
//! **Miniature simulation** (Waldspurger, Saemundsson, Ahmad, Park: Cache modeling and optimization
//! using miniature simulations, USENIX ATC 2017) is for policies without a stack property: a cache
//! of `R C` pages replays the accesses to a share `R` of the pages, and stands for one of `C` pages.
//! Here [`MINIATURES`] disjoint samples are replayed; their mean is the estimate, and their spread
//! its interval, also at a rate of 1: then each has an eighth of the pages. The spread knows nothing of a
//! bias that all of them share, so each policy says how small its smallest part is, or that it does not
//! shrink (`Policy::smallest_part`), and where that is too small no interval is stated.
//!
//! To the spread come two terms. *What no sample saw*: two pages like the mean, as in sampled curves. *The size*:
//! of the pages that compete for a cache of `c` pages of a sample, the sample holds `sqrt(c (1 - R))` more or less, so
//! the mean of the miniatures is smooth where the whole has a cliff or a bend. So each is replayed at sizes that much
//! smaller and larger too, and the larger difference is added in quadrature. A third one is *the roughness*: how far each
//! sample's count is off the line between its counts at those sizes. It is next to nothing on a slope, half of the
//! step in a sample that has a cliff there, and as large as the scatter where a policy's luck turns on single pages, as
//! CLOCK's and ARC's on scans. The mean of eight averages it away, but the whole is one replay. Where it exceeds
//! [`CLIFF_SHARE`] of the accesses the curve has a cliff there, whose place no sample tells, and no interval is stated.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::access::{AccessSource, Chunk, FIRST_OF_REQUEST, WARM_UP};
use crate::broadcast::broadcast;
pub use crate::broadcast::read_ahead;
use crate::curve::{mix, place_in_sample, spread, together};
use crate::error::{Error, Result};
use crate::hash::FastMap;
use crate::progress::{OnProgress, Progress};
use crate::replay::buffers::{BufferResult, simulate_buffer};
use crate::replay::settings::{
    Chosen, chosen, chosen_by, counting_references, counts_references, spelled,
};
use crate::replay::{
    ADMISSION, About, BLOCK_PAGES, BY_CATEGORY, FUTURE_BYTES, FlashCacheAbout, FlashCacheResult,
    OnlineResult, PolicyResult, SampledCaches, SchemeResult, Setting, WRITE_BACK_BYTES, Warning,
    categories_need_times, distinct_pages, flash_caches, is_of_device, needs_future, policies,
    sampled_caches, sampled_categories, schemes, simulate_flash_cache, simulate_online,
    simulate_policy, simulate_scheme,
};
use crate::wording::counted;

/// Most replays over one read; more configurations take more reads.
pub const REPLAYS_A_READ: usize = 64;
/// Memory for the replays over one read, unless one alone needs more [bytes].
const BYTES_A_READ: u64 = 1 << 30;
/// Memory of a replay of one cache for each distinct page, at most [bytes].
const BYTES_A_PAGE: u64 = 40;
/// Memory of a replay of two tiers for each distinct page, at most: LIRS in both takes 54, and one more
/// log of 4 entries a page where flash guards the pages of RAM [bytes].
const BYTES_A_PAGE_OF_TWO_TIERS: u64 = 72;
/// The same under a chooser, which keeps the stack distance, scheme and relation of each page, and with
/// the future its place in the trace [bytes].
const BYTES_A_PAGE_OF_A_CHOOSER: u64 = 112;
/// Memory of an assignment of categories for each distinct page, at most: its last request, and whether it enters [bytes].
const BYTES_A_PAGE_OF_AN_ASSIGNMENT: u64 = 9;
/// Disjoint samples of a miniature simulation.
pub const MINIATURES: u32 = 8;
/// Standard errors to each side. The 97.5 % quantile of Student's t with `MINIATURES - 1` degrees of freedom is 2.365;
/// misses a page are skewed, and with that the intervals held 91 to 95 % on some traces (docs/models/curves.md).
const QUANTILE: f64 = 2.8;
/// Pages whose count is like the mean that may be missing in all samples, as in sampled curves.
const UNSEEN_PAGES: f64 = 2.0;
/// Where caches are replayed besides [standard deviations of the size].
const OTHER_SIZES: [f64; 2] = [-1.0, 1.0];
/// Standard deviations of one replay's roughness to each side: the whole is one replay, not the mean of eight.
const ROUGHNESS_QUANTILE: f64 = 2.0;
/// Roughness above which the curve has a cliff [share of the accesses]. Fixed on two traces of scans, on which intervals
/// below it held 99 % and above it 93 %, and three without: docs/models/curves.md has it on others.
const CLIFF_SHARE: f64 = 0.005;
/// Miniature caches below this many pages behave unlike large ones.
const FEWEST_MINIATURE_PAGES: f64 = 32.0;

/// What to replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Configuration {
    /// One cache in front of the disk.
    Policy {
        /// Name of the policy.
        policy: String,
        /// Its size [pages].
        pages: u64,
        /// Options of the policy.
        options: Vec<(String, String)>,
    },
    /// RAM over flash.
    Scheme {
        /// Name of the scheme.
        scheme: String,
        /// RAM [pages].
        ram_pages: u64,
        /// Flash [pages].
        flash_pages: u64,
        /// Options of the scheme.
        options: Vec<(String, String)>,
    },
    /// A cost-aware buffer in front of an asymmetric device.
    Buffer {
        /// Name of the buffer.
        buffer: String,
        /// Its size [pages].
        pages: u64,
        /// Options of the buffer.
        options: Vec<(String, String)>,
    },
    /// RAM over flash under a chooser among page flows.
    Chooser {
        /// Name of the chooser.
        chooser: String,
        /// RAM [pages].
        ram_pages: u64,
        /// Flash [pages].
        flash_pages: u64,
        /// Options of the chooser.
        options: Vec<(String, String)>,
    },
    /// RAM over a flash cache.
    FlashCache {
        /// Name of the flash cache.
        flash_cache: String,
        /// RAM [pages].
        ram_pages: u64,
        /// Flash [pages].
        flash_pages: u64,
        /// Options of the flash cache.
        options: Vec<(String, String)>,
    },
}

/// The options of the entry called `name`, if there is one: its replay refuses an unknown name.
fn options_of(table: &[About], name: &str) -> &'static [Setting] {
    let about = table.iter().find(|about| about.name == spelled(name));
    about.map_or(&[], |about| about.options)
}

/// Why a configuration with a flash device that holds its data has no miniature.
fn without_small_device(given: &[(String, String)]) -> Option<Error> {
    let (name, value) = given.iter().find(|(name, _)| is_of_device(name))?;
    Some(Error::BadParameter {
        name: "option",
        value: format!("{name}={value}"),
        message: "is of a flash device, whose blocks do not shrink with the data, so no small device can represent it"
            .to_owned(),
        hint: "replay it in full, without a sample".to_owned(),
    })
}

/// Result of one configuration.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Of a policy.
    Policy(PolicyResult),
    /// Of a scheme.
    Scheme(SchemeResult),
    /// Of a buffer.
    Buffer(Box<BufferResult>),
    /// Of a chooser.
    Chooser(Box<OnlineResult>),
    /// Of a flash cache.
    FlashCache(Box<FlashCacheResult>),
}

impl Outcome {
    fn accesses(&self) -> u64 {
        match self {
            Self::Policy(result) => result.accesses,
            Self::Scheme(result) => result.accesses,
            Self::Buffer(result) => result.accesses,
            Self::Chooser(result) => result.accesses,
            Self::FlashCache(result) => result.accesses,
        }
    }

    fn distinct_pages(&self) -> u64 {
        match self {
            Self::Policy(result) => result.distinct_pages,
            Self::Scheme(result) => result.distinct_pages,
            Self::Buffer(result) => result.distinct_pages,
            Self::Chooser(result) => result.distinct_pages,
            Self::FlashCache(result) => result.distinct_pages,
        }
    }

    /// What the user should know.
    pub fn warnings(&self) -> &[Warning] {
        match self {
            Self::Policy(_) => &[],
            Self::Scheme(result) => &result.warnings,
            Self::Buffer(result) => &result.warnings,
            Self::Chooser(result) => &result.warnings,
            Self::FlashCache(result) => &result.warnings,
        }
    }

    /// Every counter with its name.
    pub fn counters(&self) -> Vec<(&'static str, u64)> {
        match self {
            Self::Policy(result) => vec![
                ("misses", result.misses),
                ("disk_reads", result.disk_reads),
                ("disk_writes", result.disk_writes),
                ("evictions", result.evictions),
            ],
            Self::Scheme(result) => result.counters.named().to_vec(),
            Self::Buffer(result) => result.counters.named().to_vec(),
            Self::Chooser(result) => result.counters.named().to_vec(),
            Self::FlashCache(result) => {
                [&result.counters.named()[..], &result.own_counters].concat()
            }
        }
    }
}

impl Configuration {
    /// Replays all accesses of a source.
    ///
    /// # Errors
    /// As [`simulate_policy`], [`simulate_scheme`], [`simulate_buffer`], [`simulate_online`] and
    /// [`simulate_flash_cache`].
    pub fn replay(
        &self,
        source: &mut dyn AccessSource,
        on_progress: OnProgress<'_>,
    ) -> Result<Outcome> {
        match self {
            Self::Policy {
                policy,
                pages,
                options,
            } => simulate_policy(source, policy, *pages, options, on_progress).map(Outcome::Policy),
            Self::Scheme {
                scheme,
                ram_pages,
                flash_pages,
                options,
            } => simulate_scheme(
                source,
                scheme,
                *ram_pages,
                *flash_pages,
                options,
                on_progress,
            )
            .map(Outcome::Scheme),
            Self::Buffer {
                buffer,
                pages,
                options,
            } => simulate_buffer(source, buffer, *pages, options, on_progress)
                .map(|result| Outcome::Buffer(Box::new(result))),
            Self::Chooser {
                chooser,
                ram_pages,
                flash_pages,
                options,
            } => simulate_online(
                source,
                chooser,
                *ram_pages,
                *flash_pages,
                options,
                on_progress,
            )
            .map(|result| Outcome::Chooser(Box::new(result))),
            Self::FlashCache {
                flash_cache,
                ram_pages,
                flash_pages,
                options,
            } => simulate_flash_cache(
                source,
                flash_cache,
                *ram_pages,
                *flash_pages,
                options,
                on_progress,
            )
            .map(|result| Outcome::FlashCache(Box::new(result))),
        }
    }

    /// Whether it looks at the times of accesses, which a source gives only when asked.
    pub fn needs_times(&self) -> bool {
        match self {
            Self::FlashCache { .. } => true,
            Self::Scheme { options, .. } | Self::Chooser { options, .. } => {
                categories_need_times(options)
            }
            Self::Policy { .. } | Self::Buffer { .. } => false,
        }
    }

    /// Why it has no miniature, if it has none.
    fn without_miniature(&self) -> Option<Error> {
        let counting = |options: &[Setting], given: &[(String, String)]| {
            let (name, text) = counting_references(options, given)?;
            Some(counts_references(&name, &text))
        };
        let (name, value) = match self {
            Self::Policy {
                policy, options, ..
            } => {
                return counting(options_of(policies(), policy), options)
                    .or_else(|| without_small_device(options));
            }
            Self::Scheme {
                scheme, options, ..
            } => {
                return counting(options_of(schemes(), scheme), options)
                    .or_else(|| sampled_categories(options).err());
            }
            Self::FlashCache {
                flash_cache,
                flash_pages,
                options,
                ..
            } => return sampled_caches(flash_cache, *flash_pages, options).err(),
            Self::Buffer { buffer, .. } => ("buffer", buffer),
            Self::Chooser { chooser, .. } => ("chooser", chooser),
        };
        Some(Error::BadParameter {
            name,
            value: value.clone(),
            message: "its windows and batches do not shrink with the cache, so no small cache can represent it"
                .to_owned(),
            hint: "replay it in full, without a sample".to_owned(),
        })
    }

    /// Whether its samples keep where pages lie, by which an assignment tells them apart; blocks of pages are not in
    /// a sample.
    fn keeps_places(&self) -> bool {
        match self {
            Self::FlashCache { .. } => true,
            Self::Scheme { options, .. } => {
                let given = |name| options.iter().find(|(key, _)| spelled(key) == name);
                given(ADMISSION.name).is_some_and(|(_, rule)| spelled(rule.trim()) == BY_CATEGORY)
                    && given(BLOCK_PAGES.name)
                        .is_none_or(|(_, pages)| pages.trim() == BLOCK_PAGES.default)
            }
            Self::Policy { .. } | Self::Buffer { .. } | Self::Chooser { .. } => false,
        }
    }

    /// Whether some policy in it needs the future.
    fn needs_future(&self) -> bool {
        match self {
            Self::Policy { policy, .. } => needs_future(policy),
            Self::Scheme { options, .. }
            | Self::Buffer { options, .. }
            | Self::Chooser { options, .. }
            | Self::FlashCache { options, .. } => {
                options.iter().any(|(_, value)| needs_future(value))
            }
        }
    }

    /// Whether what it writes back is set aside.
    fn keeps_write_backs(&self) -> bool {
        match self {
            Self::Policy { options, .. } | Self::Buffer { options, .. } => {
                options.iter().any(|(name, _)| is_of_device(name))
            }
            _ => false,
        }
    }

    /// Most memory for each distinct page [bytes].
    fn bytes_a_page(&self) -> u64 {
        let (of_caches, options) = match self {
            Self::Policy { .. } | Self::Buffer { .. } => return BYTES_A_PAGE,
            Self::Scheme { options, .. } | Self::FlashCache { options, .. } => {
                (BYTES_A_PAGE_OF_TWO_TIERS, options)
            }
            Self::Chooser { options, .. } => (BYTES_A_PAGE_OF_A_CHOOSER, options),
        };
        let is_assigned = options
            .iter()
            .any(|(name, _)| spelled(name) == "assignment");
        of_caches
            + if is_assigned {
                BYTES_A_PAGE_OF_AN_ASSIGNMENT
            } else {
                0
            }
    }

    /// The configuration as it can be tried on an empty trace: without the places that such a trace does
    /// not have.
    fn to_try(&self) -> Self {
        let mut tried = self.clone();
        if let Self::FlashCache {
            flash_cache,
            options,
            ..
        } = &mut tried
        {
            let wanted = spelled(flash_cache);
            let cache = flash_caches()
                .iter()
                .find(|cache| cache.about.name == wanted);
            let known = cache.map_or(Vec::new(), FlashCacheAbout::options);
            let is_place = |name: &str| {
                known
                    .iter()
                    .any(|about| about.is_place && about.name == name)
            };
            options.retain(|(name, text)| !is_place(name) || text.parse::<u64>().is_err());
        }
        tried
    }

    /// The caches that it has, each with its policy. [pages]
    fn caches(&self) -> Result<Vec<(u64, Chosen)>> {
        match self {
            Self::Policy {
                policy,
                pages,
                options,
            } => Ok(vec![(*pages, chosen("policy", policy, "", options)?)]),
            Self::Scheme {
                scheme,
                ram_pages,
                flash_pages,
                options,
            } => {
                let chosen = chosen_by(options_of(schemes(), scheme), options)?;
                let pages = |chosen: &Chosen| match chosen.option {
                    "flash_policy" => *flash_pages,
                    _ => *ram_pages,
                };
                let caches = chosen.into_iter().map(|chosen| (pages(&chosen), chosen));
                Ok(caches.filter(|cache| cache.0 > 0).collect())
            }
            Self::FlashCache {
                flash_cache,
                ram_pages,
                flash_pages,
                options,
            } => {
                let SampledCaches {
                    ram,
                    flash,
                    flash_title,
                } = sampled_caches(flash_cache, *flash_pages, options)?;
                let flash = Chosen {
                    option: "flash_policy",
                    title: flash_title,
                    smallest_part: Ok(flash.smallest_part),
                };
                let caches = [(*ram_pages, ram), (*flash_pages, flash)];
                Ok(caches.into_iter().filter(|cache| cache.0 > 0).collect())
            }
            // None of them has a miniature.
            Self::Buffer { .. } | Self::Chooser { .. } => Ok(Vec::new()),
        }
    }

    /// Counters of units that do not shrink: no miniature tells them.
    fn untold(&self) -> Result<&'static [&'static str]> {
        match self {
            Self::FlashCache {
                flash_cache,
                flash_pages,
                options,
                ..
            } if *flash_pages > 0 => {
                sampled_caches(flash_cache, *flash_pages, options).map(|found| found.flash.untold)
            }
            _ => Ok(&[]),
        }
    }

    /// The deviations from the scaled size at which miniatures are replayed; the size itself first, and alone where
    /// no interval is stated.
    fn deviations(&self) -> Result<Vec<f64>> {
        let mut deviations = vec![0.0];
        if self
            .caches()?
            .iter()
            .all(|(_, chosen)| chosen.smallest_part.is_ok())
        {
            deviations.extend(OTHER_SIZES);
        }
        Ok(deviations)
    }

    /// The configuration with its caches scaled by `rate`, and off by `deviations` of the pages in a sample.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "sizes below 2^32 times a rate of at most 1"
    )]
    fn scaled(&self, rate: f64, deviations: f64) -> Self {
        let scale = |pages: u64| {
            if pages == 0 {
                return 0;
            }
            let scaled = pages as f64 * rate;
            let deviation = (scaled * (1.0 - rate)).sqrt();
            ((scaled + deviations * deviation).round() as u64).max(1)
        };
        let mut scaled = self.clone();
        match &mut scaled {
            Self::Policy { pages, .. } | Self::Buffer { pages, .. } => *pages = scale(*pages),
            Self::Scheme {
                ram_pages,
                flash_pages,
                ..
            }
            | Self::Chooser {
                ram_pages,
                flash_pages,
                ..
            }
            | Self::FlashCache {
                ram_pages,
                flash_pages,
                ..
            } => {
                *ram_pages = scale(*ram_pages);
                *flash_pages = scale(*flash_pages);
            }
        }
        scaled
    }
}

/// One configuration of a finished or cancelled sweep.
#[derive(Debug)]
pub struct Row {
    /// Its result, over the whole trace if [`Self::complete`], else over the accesses read.
    pub outcome: Result<Outcome>,
    /// Whether it replayed the whole trace.
    pub complete: bool,
}

/// The results of a sweep, in the order of the configurations.
#[derive(Debug)]
pub struct Sweep {
    /// One a configuration; fewer if the sweep was cancelled before all had begun.
    pub rows: Vec<Row>,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// Reads of the trace.
    pub reads: u32,
}

/// Replays every configuration; `open` gives the source anew for each read.
///
/// Each configuration is first tried on an empty trace, so that an unknown policy or an impossible
/// size is refused before anything is read. `on_progress` hears of each read as of a trace of its
/// own.
///
/// # Errors
/// The first refused configuration, named by its number, and whatever the source reports.
/// A configuration that fails on this trace alone fails in its row.
pub fn sweep<S: AccessSource>(
    open: &mut dyn FnMut() -> Result<S>,
    configurations: &[Configuration],
    threads: usize,
    on_progress: OnProgress<'_>,
) -> Result<Sweep> {
    let tried = try_all(configurations)?;
    let mut pages = None;
    let mut result = Sweep {
        rows: Vec::new(),
        cancelled: false,
        reads: 0,
    };
    let mut left = configurations;
    while !left.is_empty() {
        let mut source = open()?;
        if tried.addresses {
            source.keep_addresses();
        }
        let known = pages.or(source.distinct_pages_hint());
        let (group, rest) = left.split_at(fitting(left, threads, known));
        left = rest;
        let serving = Serving::of(group);
        let tasks: Vec<_> = group
            .iter()
            .enumerate()
            .map(|(index, configuration)| {
                let serving = &serving;
                move |source: &mut dyn AccessSource, on_progress: OnProgress<'_>| {
                    configuration.replay(source, &mut |progress| {
                        serving.note(index, progress);
                        on_progress(progress)
                    })
                }
            })
            .collect();
        let mut last = None;
        let mut heard = broadcast(&mut source, tasks, threads, &mut |progress| {
            last = Some(progress);
            on_progress(serving.with_reading(progress))
        })?;
        if let Some(read) = last
            && !serving.done.is_empty()
            && heard.whole
            && !heard.cancelled
        {
            // Nothing is left to be done, whatever failed.
            heard.cancelled = !on_progress(read);
        }
        result.reads += 1;
        let rows = heard.outcomes.into_iter().map(|outcome| Row {
            complete: heard.whole && outcome.is_ok(),
            outcome: match outcome {
                // What is left of the trace might have filled it.
                Err(Error::BadParameter { name: WARM_UP, .. }) if !heard.whole => {
                    Err(Error::Cancelled)
                }
                outcome => outcome,
            },
        });
        result.rows.extend(rows);
        // Now the pages are known also where the trace did not tell.
        let counted = result.rows.iter().flat_map(|row| &row.outcome);
        pages = counted
            .map(Outcome::distinct_pages)
            .max()
            .and_then(|pages| u32::try_from(pages).ok())
            .or(pages);
        if heard.cancelled {
            result.cancelled = true;
            break;
        }
    }
    Ok(result)
}

/// How far the configurations of one read are whose write-backs a device serves after the end of the trace.
struct Serving {
    /// Of each configuration: its place among them.
    places: Vec<Option<usize>>,
    /// Of each of them: what its progress is beyond the first half, which is of the reading.
    done: Vec<AtomicU64>,
}

impl Serving {
    fn of(configurations: &[Configuration]) -> Self {
        let mut found = Self {
            places: Vec::new(),
            done: Vec::new(),
        };
        for configuration in configurations {
            let keeps = configuration.keeps_write_backs();
            found.places.push(keeps.then_some(found.done.len()));
            found.done.extend(keeps.then(AtomicU64::default));
        }
        found
    }

    fn note(&self, index: usize, progress: Progress) {
        if let Some(place) = self.places[index] {
            let beyond = progress.done.saturating_sub(progress.total / 2);
            self.done[place].store(beyond, Ordering::Relaxed);
        }
    }

    /// The progress of the reader, which is half of the whole where devices serve afterwards.
    fn with_reading(&self, reader: Progress) -> Progress {
        let devices = self.done.len() as u64;
        if devices == 0 || reader.total == 0 {
            return reader;
        }
        let beyond = self.done.iter().map(|done| done.load(Ordering::Relaxed));
        Progress {
            done: reader.done / 2 + beyond.sum::<u64>() / devices,
            ..reader
        }
    }
}

/// How many of the configurations go over one read: as many as memory has room for, but as many as
/// work at a time, and no more of them where nobody knows yet how many pages the trace has.
fn fitting(configurations: &[Configuration], threads: usize, pages: Option<u32>) -> usize {
    let mut bytes = 0;
    let room = configurations.iter().take_while(|configuration| {
        let future = if configuration.needs_future() {
            FUTURE_BYTES
        } else {
            0
        };
        let tables = pages.map_or(BYTES_A_READ, |pages| {
            configuration.bytes_a_page() * u64::from(pages)
        });
        let write_backs = if configuration.keeps_write_backs() {
            WRITE_BACK_BYTES
        } else {
            0
        };
        bytes += tables + future + write_backs;
        bytes <= BYTES_A_READ
    });
    room.count()
        .max(threads)
        .clamp(1, REPLAYS_A_READ)
        .min(configurations.len())
}

/// What a trial of all configurations shows.
struct Tried {
    /// Some configuration asks for the addresses of the pages.
    addresses: bool,
}

/// A trace without accesses that notes what it is asked for.
#[derive(Default)]
struct Empty {
    addresses: bool,
}

impl AccessSource for Empty {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        chunk.clear();
        Ok(false)
    }

    fn keep_addresses(&mut self) {
        self.addresses = true;
    }
}

/// Refuses a configuration that no trace can be replayed through.
fn try_all(configurations: &[Configuration]) -> Result<Tried> {
    let mut trace = Empty::default();
    for (index, configuration) in configurations.iter().enumerate() {
        let tried = configuration.to_try().replay(&mut trace, &mut |_| true);
        if let Err(Error::BadParameter {
            name,
            value,
            message,
            hint,
        }) = tried
        {
            return Err(Error::BadParameter {
                name,
                value,
                message: format!("{message} (configuration {})", index + 1),
                hint,
            });
        }
        tried?;
    }
    Ok(Tried {
        addresses: trace.addresses,
    })
}

/// A counter as estimated by miniatures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Its name.
    pub name: &'static str,
    /// Mean over the miniatures, scaled to the whole trace.
    pub value: f64,
    /// Ends of the 95 % interval of the mean, if what the configuration is lets it be stated.
    pub interval: Option<[f64; 2]>,
}

/// One configuration estimated by miniatures.
#[derive(Debug, Clone, PartialEq)]
pub struct Miniature {
    /// Accesses of the whole trace, after the warm-up.
    pub accesses: u64,
    /// Accesses of the whole trace before them, which were replayed and not counted.
    pub warm_up: u64,
    /// Distinct pages of the whole trace.
    pub distinct_pages: u64,
    /// Share of the pages in each of the [`MINIATURES`] samples.
    pub rate: f64,
    /// Every counter.
    pub counters: Vec<Estimate>,
    /// Whether the smallest part of a miniature cache is so small that the estimate may be biased; then there
    /// is no interval.
    pub too_small: bool,
    /// What the user should know, of the whole configuration.
    pub warnings: Vec<Warning>,
}

/// The estimates of a sweep by miniatures, in the order of the configurations.
#[derive(Debug)]
pub struct Miniatures {
    /// One a configuration; fewer if the sweep was cancelled.
    pub rows: Vec<Result<Miniature>>,
    /// Whether it was cancelled. Part of a sample tells nothing: only whole reads have rows.
    pub cancelled: bool,
}

/// Estimates every configuration from [`MINIATURES`] disjoint samples that hold `rate` of the pages
/// together.
///
/// # Errors
/// As [`sweep`]; [`Error::BadParameter`] for a rate outside (0, 1], and for a configuration that
/// does not shrink.
pub fn miniatures<S: AccessSource>(
    open: &mut dyn FnMut() -> Result<S>,
    configurations: &[Configuration],
    rate: f64,
    seed: u64,
    threads: usize,
    on_progress: OnProgress<'_>,
) -> Result<Miniatures> {
    if !(rate > 0.0 && rate <= 1.0) {
        return Err(Error::BadParameter {
            name: "sample-rate",
            value: rate.to_string(),
            message: "a sampling rate must be above 0 and at most 1".to_owned(),
            hint: "use 0.1, for example, to follow one page in ten in eight miniatures".to_owned(),
        });
    }
    if let Some(error) = configurations
        .iter()
        .find_map(Configuration::without_miniature)
    {
        return Err(error);
    }
    let tried = try_all(configurations)?;
    let rate = rate / f64::from(MINIATURES);
    let mut found = Miniatures {
        rows: Vec::new(),
        cancelled: false,
    };
    let sizes = configurations
        .iter()
        .map(Configuration::deviations)
        .collect::<Result<Vec<_>>>()?;
    let replays = |sizes: &Vec<f64>| sizes.len() * MINIATURES as usize;
    let (mut configurations, mut sizes) = (configurations, &sizes[..]);
    while !configurations.is_empty() {
        let mut room = REPLAYS_A_READ;
        let fits = sizes.iter().take_while(|sizes| {
            let left = room.checked_sub(replays(sizes));
            room = left.unwrap_or(0);
            left.is_some()
        });
        let fits = fits.count();
        let (group, of_group) = (&configurations[..fits], &sizes[..fits]);
        (configurations, sizes) = (&configurations[fits..], &sizes[fits..]);
        let mut source = open()?;
        if source.warms_up_until_full() {
            return Err(Error::BadParameter {
                name: WARM_UP,
                value: "full".to_owned(),
                message: format!(
                    "each of the {MINIATURES} samples of a miniature would be full at a different access of the trace"
                ),
                hint: "give the warm-up as accesses or as a share, such as 50%, or replay in full, without a sample"
                    .to_owned(),
            });
        }
        if tried.addresses {
            source.keep_addresses();
        }
        let mut tasks = Vec::new();
        let scaled = group
            .iter()
            .zip(of_group)
            .flat_map(|(configuration, sizes)| {
                let scaled = |&deviations: &f64| configuration.scaled(rate, deviations);
                sizes.iter().map(scaled)
            });
        for scaled in scaled {
            for sample in 0..MINIATURES {
                let scaled = scaled.clone();
                tasks.push(
                    move |source: &mut dyn AccessSource, on_progress: OnProgress<'_>| {
                        let mut part = SampledSource::new(source, rate, sample, seed);
                        part.keeps_places = scaled.keeps_places();
                        let outcome = scaled.replay(&mut part, on_progress)?;
                        Ok((outcome, part.seen()))
                    },
                );
            }
        }
        let heard = broadcast(&mut source, tasks, threads, on_progress)?;
        if heard.cancelled {
            found.cancelled = true;
            break;
        }
        let mut outcomes = heard.outcomes.into_iter();
        for (configuration, sizes) in group.iter().zip(of_group) {
            let samples = outcomes
                .by_ref()
                .take(replays(sizes))
                .collect::<Result<Vec<_>>>();
            let row = samples.and_then(|samples| estimate(configuration, rate, samples));
            found.rows.push(row);
        }
    }
    Ok(found)
}

/// What the samples say of a configuration.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn estimate(
    configuration: &Configuration,
    rate: f64,
    samples: Vec<(Outcome, Seen)>,
) -> Result<Miniature> {
    let seen = samples.first().map(|sample| sample.1).unwrap_or_default();
    let Seen {
        accesses,
        distinct_pages,
        ..
    } = seen;
    let mut outcomes: Vec<Outcome> = samples.into_iter().map(|sample| sample.0).collect();
    let others = outcomes.split_off(MINIATURES as usize);
    // Of sizes a miniature would speak with its own ones, so the configuration itself is asked.
    let whole = configuration.replay(&mut Empty::default(), &mut |_| true)?;
    let mut warnings: Vec<Warning> = Vec::new();
    for warning in outcomes.iter().flat_map(Outcome::warnings) {
        if !warnings.iter().any(|known| known.name == warning.name) {
            let of_whole = whole.warnings().iter().find(|of| of.name == warning.name);
            warnings.push(of_whole.unwrap_or(warning).clone());
        }
    }
    let mut counters = estimates(&outcomes, seen, rate)?;
    // Of caches that hold nearly all pages, fewer compete.
    let competing = configuration
        .caches()?
        .into_iter()
        .map(|(pages, _)| (1.0 - pages as f64 / distinct_pages.max(1) as f64).max(0.0));
    let share = competing.fold(0.0, f64::max).sqrt();
    if let [below, above] = others.chunks(MINIATURES as usize).collect::<Vec<_>>()[..] {
        let rough = roughness(&outcomes, below, above);
        for (counter, rough) in counters.iter_mut().zip(rough) {
            counter.rough = share * rough * distinct_pages as f64;
        }
    }
    for others in others.chunks(MINIATURES as usize) {
        let others = estimates(others, seen, rate)?;
        for (counter, other) in counters.iter_mut().zip(others) {
            counter.off = counter.off.max(share * (other.value - counter.value).abs());
        }
    }
    let untold = configuration.untold()?;
    counters.retain(|counter| !untold.contains(&counter.name));
    let roughest = counters.iter().map(|known| known.rough).fold(0.0, f64::max);
    let mut counters: Vec<Estimate> = counters.into_iter().map(Counter::estimate).collect();
    let mut without = without_interval(configuration, rate)?;
    if without.is_empty() && roughest > CLIFF_SHARE * accesses as f64 {
        without.push(cliff());
    }
    if !without.is_empty() {
        for counter in &mut counters {
            counter.interval = None;
        }
    }
    let too_small = without.iter().any(|warning| warning.name == TOO_SMALL);
    warnings.extend(without);
    Ok(Miniature {
        accesses,
        warm_up: seen.warm_up,
        distinct_pages,
        rate,
        counters,
        too_small,
        warnings,
    })
}

/// Name of the warning that a miniature cache is too small.
const TOO_SMALL: &str = "too_small";

/// Why miniatures of a configuration state no interval: their spread says nothing of a bias that all share.
#[expect(clippy::cast_precision_loss, reason = "sizes below 2^32")]
fn without_interval(configuration: &Configuration, rate: f64) -> Result<Vec<Warning>> {
    let mut found: Vec<Warning> = Vec::new();
    for (
        pages,
        Chosen {
            option,
            title,
            smallest_part,
        },
    ) in configuration.caches()?
    {
        let cache = match option {
            "ram_policy" => "RAM",
            "flash_policy" => "flash",
            _ => "cache",
        };
        let warning = match smallest_part {
            Err(reason) => Warning {
                name: "does_not_shrink",
                message: format!(
                    "no small {cache} under {title} can represent a large one, so there is no interval: {reason}"
                ),
                hint: "replay it in full, without a sample, for a reliable number".to_owned(),
            },
            Ok(share) if pages as f64 * rate * share < FEWEST_MINIATURE_PAGES => {
                let part = if share < 1.0 {
                    format!(
                        "the smallest part of the scaled {cache} under {title}, {} % of it,",
                        rounded(100.0 * share)
                    )
                } else {
                    format!("the scaled {cache}")
                };
                let least = (FEWEST_MINIATURE_PAGES / (rate * share)).ceil();
                Warning {
                    name: TOO_SMALL,
                    message: format!(
                        "{part} has fewer than {FEWEST_MINIATURE_PAGES} pages and may be biased, so there is no interval"
                    ),
                    hint: format!(
                        "follow more pages, or use {cache} of at least {}, or replay it in full",
                        counted(least, "page", "pages")
                    ),
                }
            }
            Ok(_) => continue,
        };
        found.push(warning);
    }
    Ok(found)
}

/// Why there is no interval beside a cliff.
fn cliff() -> Warning {
    Warning {
        name: "cliff",
        message: "the curve has a cliff at this size, so there is no interval: a few pages more \
            or less make a scaled cache hit or miss whole loops, and no sample shows at which size \
            the full cache does so"
            .to_owned(),
        hint: "replay it in full, without a sample, for a reliable number".to_owned(),
    }
}

/// A number in words, without the digits that binary fractions add.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// Counters that an access raises by one at most; the others may exceed the accesses.
const ONE_AN_ACCESS: &[&str] = &[
    "misses",
    "ram_hits",
    "flash_hits",
    "flash_misses",
    "disk_reads",
    "hdd_reads",
];

/// A counter of some samples, scaled to the whole trace.
struct Counter {
    name: &'static str,
    value: f64,
    /// Standard error, by the spread of the samples and what none of them saw.
    error: f64,
    /// How much slightly other sizes differ, at most.
    off: f64,
    /// How far one replay is off the line between those sizes.
    rough: f64,
    /// What is known for certain.
    least: f64,
    most: f64,
}

impl Counter {
    fn estimate(self) -> Estimate {
        let rough = ROUGHNESS_QUANTILE * self.rough;
        let reach = together(together(QUANTILE * self.error, self.off), rough);
        let [low, high] = [self.value - reach, self.value + reach];
        Estimate {
            name: self.name,
            value: self.value,
            interval: Some([low.max(self.least), high.min(self.most)]),
        }
    }
}

/// Scales every counter of the samples to the whole trace. Misses scale with the pages; hits are the
/// accesses that are no misses, as in the adjustment of sampled curves.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn estimates(samples: &[Outcome], seen: Seen, rate: f64) -> Result<Vec<Counter>> {
    let (accesses, pages) = (seen.accesses as f64, seen.distinct_pages as f64);
    let sampled: u64 = samples.iter().map(Outcome::distinct_pages).sum();
    if samples.iter().any(|sample| sample.accesses() == 0) {
        return Err(Error::BadParameter {
            name: "sample-rate",
            value: sampled.to_string(),
            message: "a miniature has no access to count: too few pages are sampled".to_owned(),
            hint: "use a larger rate".to_owned(),
        });
    }
    let sampled = sampled as f64;
    let sizes: Vec<f64> = samples
        .iter()
        .map(|sample| sample.distinct_pages() as f64)
        .collect();
    let per_sample: Vec<Vec<(&'static str, u64)>> = samples.iter().map(Outcome::counters).collect();
    let unsampled = (1.0 - rate * f64::from(MINIATURES)).max(0.0);
    let scaled = |counts: &[f64]| {
        let ratio = counts.iter().sum::<f64>() / sampled;
        let squares: f64 = counts
            .iter()
            .zip(&sizes)
            .map(|(count, pages)| (count - ratio * pages).powi(2))
            .sum();
        let count = counts.len() as f64;
        let unseen = UNSEEN_PAGES * unsampled * ratio.powi(2);
        let variance = squares * count / (count - 1.0) + unseen;
        (ratio * pages, variance.sqrt() * pages / sampled)
    };
    let names = per_sample[0].iter().map(|(name, _)| *name);
    Ok(names
        .enumerate()
        .map(|(at, name)| {
            let counts: Vec<f64> = per_sample
                .iter()
                .map(|counters| counters[at].1 as f64)
                .collect();
            let (mut value, mut error) = scaled(&counts);
            if name == "ram_hits" {
                let (missed, of_missed) = scaled(&ram_misses(&per_sample));
                (value, error) = ((accesses - missed).max(0.0), of_missed);
            }
            let most = if ONE_AN_ACCESS.contains(&name) {
                accesses
            } else {
                f64::INFINITY
            };
            let value = value.min(most);
            Counter {
                name,
                value,
                error,
                off: 0.0,
                rough: 0.0,
                // Each page misses at its first access, which may be in the warm-up.
                least: if name == "misses" && seen.warm_up == 0 {
                    pages.min(value)
                } else {
                    0.0
                },
                most,
            }
        })
        .collect())
}

/// How far the counters of a sample are off the middle of its counts at a smaller and a larger size, in the root of
/// the mean square over the samples; for each page.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn roughness(samples: &[Outcome], below: &[Outcome], above: &[Outcome]) -> Vec<f64> {
    let counts = |outcomes: &[Outcome]| -> Vec<Vec<f64>> {
        let per_sample: Vec<_> = outcomes.iter().map(Outcome::counters).collect();
        let missed = ram_misses(&per_sample);
        let counted = per_sample.iter().zip(missed).map(|(counters, missed)| {
            // RAM hits are the accesses that do not miss RAM.
            let count = |&(name, count): &(&str, u64)| match name {
                "ram_hits" => missed,
                _ => count as f64,
            };
            counters.iter().map(count).collect()
        });
        counted.collect()
    };
    let (at, below, above) = (counts(samples), counts(below), counts(above));
    let pages: u64 = samples.iter().map(Outcome::distinct_pages).sum();
    let pages_a_sample = pages as f64 / samples.len() as f64;
    let counters = at.first().map_or(0, Vec::len);
    let off = |sample: usize, counter: usize| {
        at[sample][counter] - f64::midpoint(below[sample][counter], above[sample][counter])
    };
    (0..counters)
        .map(|counter| {
            let squares: f64 = (0..at.len())
                .map(|sample| off(sample, counter).powi(2))
                .sum();
            (squares / at.len() as f64).sqrt() / pages_a_sample.max(1.0)
        })
        .collect()
}

/// The RAM misses of each sample.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn ram_misses(per_sample: &[Vec<(&'static str, u64)>]) -> Vec<f64> {
    let missed = |counters: &Vec<(&'static str, u64)>| {
        let missed = counters
            .iter()
            .filter(|(name, _)| matches!(*name, "flash_hits" | "flash_misses"));
        missed.map(|(_, count)| *count as f64).sum()
    };
    per_sample.iter().map(missed).collect()
}

/// The accesses to one of several disjoint samples of the pages, numbered densely anew.
struct SampledSource<'a> {
    source: &'a mut dyn AccessSource,
    seed: u64,
    /// Hashes that are sampled.
    from: u64,
    to: u64,
    /// Whether it says where pages lie: not to what divides flash by it, which would find few neighbours.
    keeps_places: bool,
    /// Device and address of each access of the last chunk, where they are asked for.
    spaces: Vec<u32>,
    addresses: Vec<u64>,
    /// New number of each page of the sample.
    numbers: FastMap<u32, u32>,
    /// Accesses of the whole source, those of them that warm up, and its distinct pages.
    accesses: u64,
    warm_up: u64,
    distinct_pages: usize,
    whole: Chunk,
}

/// What a sample has seen of the whole source.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Accesses after the warm-up.
    accesses: u64,
    /// Accesses of the warm-up.
    warm_up: u64,
    distinct_pages: u64,
}

impl<'a> SampledSource<'a> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate of at most 1 / MINIATURES"
    )]
    fn new(source: &'a mut dyn AccessSource, rate: f64, sample: u32, seed: u64) -> Self {
        let width = ((rate * 2.0_f64.powi(32)) as u64).max(1);
        Self {
            source,
            seed: spread(seed),
            from: width * u64::from(sample),
            to: width * u64::from(sample + 1),
            keeps_places: false,
            spaces: Vec::new(),
            addresses: Vec::new(),
            numbers: FastMap::default(),
            accesses: 0,
            warm_up: 0,
            distinct_pages: 0,
            whole: Chunk::default(),
        }
    }
}

impl SampledSource<'_> {
    fn seen(&self) -> Seen {
        Seen {
            accesses: self.accesses - self.warm_up,
            warm_up: self.warm_up,
            distinct_pages: self.distinct_pages as u64,
        }
    }
}

impl AccessSource for SampledSource<'_> {
    fn file_name(&self) -> Option<&str> {
        self.source.file_name()
    }

    fn page_bytes(&self) -> Option<u64> {
        self.source.page_bytes()
    }

    fn tells_writes(&self) -> bool {
        self.source.tells_writes()
    }

    fn addresses(&self) -> (&[u32], &[u64]) {
        (&self.spaces, &self.addresses)
    }

    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        chunk.clear();
        self.spaces.clear();
        self.addresses.clear();
        while chunk.is_empty() {
            if !self.source.next_chunk(&mut self.whole)? {
                return Ok(false);
            }
            self.accesses += self.whole.len() as u64;
            self.warm_up += self.whole.warm_up as u64;
            self.distinct_pages = distinct_pages(&self.whole, self.distinct_pages)?;
            let (spaces, addresses) = if self.keeps_places {
                self.source.addresses()
            } else {
                (&[][..], &[][..])
            };
            let whole = self.whole.pages.iter().zip(&self.whole.flags);
            for (index, (&page, &flags)) in whole.enumerate() {
                let place = place_in_sample(mix(page, self.seed));
                if place < self.from || place >= self.to {
                    continue;
                }
                let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
                chunk.pages.push(*self.numbers.entry(page).or_insert(next));
                // What is left of a request has no meaning of its own.
                chunk.flags.push(flags | FIRST_OF_REQUEST);
                chunk.times_ns.extend(self.whole.times_ns.get(index));
                self.spaces.extend(spaces.get(index));
                self.addresses.extend(addresses.get(index));
                chunk.warm_up += usize::from(index < self.whole.warm_up);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(policy: &str) -> Configuration {
        Configuration::Policy {
            policy: policy.to_owned(),
            pages: 1,
            options: Vec::new(),
        }
    }

    #[test]
    fn memory_says_how_many_replays_go_over_one_read() {
        let many = vec![of("lru"); 100];
        assert_eq!(fitting(&many, 2, None), 2);
        assert_eq!(fitting(&many, 2, Some(1000)), REPLAYS_A_READ);
        assert_eq!(fitting(&many[..5], 2, Some(1000)), 5);
        // 40 MB each, and two tiers 72 MB.
        assert_eq!(fitting(&many, 2, Some(1_000_000)), 26);
        let tiers = Configuration::Scheme {
            scheme: "lazy".to_owned(),
            ram_pages: 1,
            flash_pages: 1,
            options: Vec::new(),
        };
        assert_eq!(fitting(&vec![tiers; 100], 2, Some(1_000_000)), 14);
        assert_eq!(fitting(&many, 2, Some(2_000_000_000)), 2);
        assert_eq!(fitting(&many[..1], 2, Some(2_000_000_000)), 1);
    }

    #[test]
    fn the_future_takes_memory_for_each_replay() {
        let scheme = Configuration::Scheme {
            scheme: "lazy".to_owned(),
            ram_pages: 1,
            flash_pages: 1,
            options: vec![("flash_policy".to_owned(), "OPT".to_owned())],
        };
        for configuration in [of("Opt"), scheme] {
            let room = usize::try_from(BYTES_A_READ / FUTURE_BYTES).unwrap();
            assert_eq!(fitting(&vec![configuration; 100], 2, Some(0)), room);
        }
    }

    struct Pages(Option<Vec<u32>>);

    impl AccessSource for Pages {
        fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
            chunk.clear();
            let Some(pages) = self.0.take() else {
                return Ok(false);
            };
            chunk.flags = vec![FIRST_OF_REQUEST; pages.len()];
            chunk.pages = pages;
            Ok(true)
        }
    }

    fn misses(source: &mut dyn AccessSource, policy: &str, pages: u64) -> u64 {
        let found = simulate_policy(source, policy, pages, &[], &mut |_| true);
        found.map_or(0, |result| result.misses)
    }

    #[test]
    fn one_sample_of_all_pages_is_the_whole_replay() {
        let mut numbers = crate::curve::spread(7);
        let mut seen = 0;
        let accesses = (0..20_000).map(|_| {
            numbers = numbers
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let page = u32::try_from((numbers >> 33) % 64 * ((numbers >> 50) % 32)).unwrap_or(0);
            let page = page.min(seen);
            seen = seen.max(page + 1);
            page
        });
        let accesses: Vec<u32> = accesses.collect();
        for about in policies() {
            for pages in [7, 100] {
                let exact = misses(&mut Pages(Some(accesses.clone())), about.name, pages);
                let mut whole = Pages(Some(accesses.clone()));
                let mut sample = SampledSource::new(&mut whole, 1.0, 0, 3);
                assert_eq!(
                    misses(&mut sample, about.name, pages),
                    exact,
                    "{}",
                    about.name
                );
                assert!(exact > 0);
            }
        }
    }

    #[test]
    fn one_sample_of_all_pages_is_the_whole_replay_of_a_flash_cache() {
        let mut numbers = spread(11);
        let accesses: Vec<(u64, bool)> = (0..20_000)
            .map(|_| {
                numbers = numbers
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let page = (numbers >> 33) % 64 * ((numbers >> 50) % 32);
                (page, numbers >> 60 < 5)
            })
            .collect();
        let whole = || {
            crate::access::MemorySource::new(accesses.clone())
                .with_spaces(|id| u32::from(id % 3 == 0))
        };
        let mut sampled = Vec::new();
        for about in flash_caches() {
            let options: &[(&str, &str)] = match about.about.name {
                "face" => &[("scan_depth", "1")],
                "tac" => &[("extent_pages", "1")],
                "exadata" => &[("low_priority", "1")],
                "cachesack" => &[("assignment", "second_miss+1:never")],
                "larc" => &[("assignment", "miss+0:never")],
                "dm_writecache" => &[("accesses_per_second", "1000")],
                _ => &[],
            };
            let options: Vec<_> = options
                .iter()
                .map(|(key, text)| ((*key).to_owned(), (*text).to_owned()))
                .collect();
            if sampled_caches(about.about.name, 100, &options).is_err() {
                continue;
            }
            let name = about.about.name;
            sampled.push(name);
            let counted = |source: &mut dyn AccessSource| {
                simulate_flash_cache(source, name, 20, 100, &options, &mut |_| true)
                    .unwrap()
                    .counters
            };
            let exact = counted(&mut whole());
            let mut all = whole();
            let mut sample = SampledSource::new(&mut all, 1.0, 0, 3);
            sample.keeps_places = true;
            assert_eq!(counted(&mut sample), exact, "{name}");
            assert!(exact.flash_hits > 0 && exact.flash_misses > 0, "{name}");
        }
        assert_eq!(
            sampled,
            [
                "face",
                "tac",
                "exadata",
                "cac",
                "larc",
                "ram_filter",
                "dm_writecache",
                "cachesack"
            ]
        );
    }

    /// Newcomers of LRU-2 leave at the next miss. Here they come in pairs, `a b a b`, over pages referenced twice:
    /// in the whole none hits, in a sample each does whose partner is not in it.
    #[test]
    fn newcomers_of_lru_2_hit_only_in_samples() {
        let kept: u32 = 800;
        let hot = (0..kept).chain(0..kept);
        let pairs = (0..4000).map(|pair| kept + 2 * pair);
        let pairs = pairs.flat_map(|page| [page, page + 1, page, page + 1]);
        let accesses: Vec<u32> = hot.chain(pairs).collect();
        let exact = misses(&mut Pages(Some(accesses.clone())), "lru_2", kept.into());
        let configuration = [Configuration::Policy {
            policy: "lru_2".to_owned(),
            pages: kept.into(),
            options: Vec::new(),
        }];
        let mut open = || Ok(Pages(Some(accesses.clone())));
        let found = miniatures(&mut open, &configuration, 1.0, 1, 1, &mut |_| true);
        let row = found.unwrap().rows.remove(0).unwrap();
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let exact = exact as f64;
        assert!(
            row.counters[0].value < 0.8 * exact,
            "{:?} {exact}",
            row.counters[0]
        );
        assert_eq!(row.counters[0].interval, None);
        assert!(!row.too_small);
        assert_eq!(row.warnings[0].name, "does_not_shrink");
    }

    #[test]
    fn the_smallest_part_of_each_tier_decides_on_the_interval() {
        let scheme = |ram_pages, flash_pages, options: &[(&str, &str)]| Configuration::Scheme {
            scheme: "lazy".to_owned(),
            ram_pages,
            flash_pages,
            options: options
                .iter()
                .map(|(key, text)| ((*key).to_owned(), (*text).to_owned()))
                .collect(),
        };
        let names = |configuration: &Configuration| -> Vec<_> {
            let found = without_interval(configuration, 0.0625).unwrap();
            found.iter().map(|warning| warning.name).collect()
        };
        // 32 pages in a miniature of a sixteenth: 512 pages, and 51,200 where a part has 1 %.
        assert!(names(&scheme(512, 512, &[])).is_empty());
        assert_eq!(names(&scheme(511, 512, &[])), [TOO_SMALL]);
        let lirs = |flash_pages| scheme(512, flash_pages, &[("flash_policy", "LIRS")]);
        assert_eq!(names(&lirs(51_199)), [TOO_SMALL]);
        assert!(names(&lirs(51_200)).is_empty());
        let wide = [("flash_policy", "lirs"), ("flash-hir-share", "0.5")];
        assert!(names(&scheme(512, 1024, &wide)).is_empty());
        let none = [("ram_policy", "lirs"), ("ram_hir_share", "0")];
        assert_eq!(names(&scheme(99_999, 99_999, &none)), ["does_not_shrink"]);
        let both = [("ram_policy", "lru-2"), ("flash_policy", "lirs")];
        assert_eq!(
            names(&scheme(9_999, 9_999, &both)),
            ["does_not_shrink", TOO_SMALL]
        );
    }
}
