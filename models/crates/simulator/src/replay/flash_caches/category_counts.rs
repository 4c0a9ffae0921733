//! What each category of requests would get of an LRU flash cache under each admission, for every time that pages
//! stay there, in one pass.
//!
//! As Google's `CacheSack` does, LRU is one lifetime T that all categories share: a page leaves flash T after its last
//! request. Time counts requests below DRAM: a DRAM miss is one, a changed DRAM victim is one. A page that flash would
//! hold from T = x on has the threshold x:
//!
//! ```text
//! d: time since the last request of p; x: threshold behind the last request; on flash now if max(x, d) <= T
//! behind a request:     write:        x = 0
//!                       miss:         x = 0 behind a read, max(x, d) behind a write
//!                       second_miss:  x = d behind a read, max(x, d) behind a write
//! on flash until then:  min(d, T) if x <= T
//! ```
//!
//! So counts of `d`, of `max(x, d)` and of the time held, in bins, tell all for every T at an end of a bin.
//!
//! A page that is on flash is there by the admission of its last request: what it is worth, hits and the space that it
//! takes, counts for the category of that request, whatever the next one is of. What the next one spares, that it
//! need not enter, counts for its own.

use serde::Serialize;

use super::categories::{BY_REQUEST, Categories, MOST, in_whole_requests};
use super::engine::{self, Engine};
use super::options::Options;
use super::{
    Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host, OptionAbout,
    Sampled, Unsampled,
};
use crate::access::{AccessSource, Chunk};
use crate::error::{Error, Result};
use crate::progress::OnProgress;
use crate::replay::policies::lru::Lru;
use crate::replay::settings::Settings as DramSettings;
use crate::replay::{disagreement, page_count};

/// Bins of each doubling, as a power of two: ends of bins are at most an eighth apart.
const PARTS_LOG2: u32 = 3;
const PARTS: u64 = 1 << PARTS_LOG2;

/// Admissions that are counted, from the one that takes least; `never` needs no counts.
const ADMISSIONS: [&str; 3] = ["second_miss", "miss", "write"];
const SECOND_MISS: usize = 0;
const MISS: usize = 1;

/// No request yet, or never on flash.
const NEVER: u64 = u64::MAX;

fn bin_of(time: u64) -> usize {
    if time < PARTS {
        return usize::try_from(time).unwrap_or_default();
    }
    let octave = time.ilog2();
    let part = (time >> (octave - PARTS_LOG2)) & (PARTS - 1);
    usize::try_from(PARTS * u64::from(octave - PARTS_LOG2 + 1) + part).unwrap_or_default()
}

fn highest_of(bin: usize) -> u64 {
    let next = bin as u64 + 1;
    if next < PARTS {
        return next - 1;
    }
    ((PARTS + next % PARTS) << (next / PARTS - 1)) - 1
}

/// Counts by bin, as long as they need to be.
#[derive(Debug, Clone, Default)]
struct Binned<N>(Vec<N>);

impl<N: Copy + Default + std::ops::AddAssign> Binned<N> {
    fn add(&mut self, time: u64, amount: N) {
        let bin = bin_of(time);
        if bin >= self.0.len() {
            self.0.resize(bin + 1, N::default());
        }
        self.0[bin] += amount;
    }

    /// Sums up to the end of each of some bins.
    fn sums(&self, bins: usize) -> Vec<N> {
        let mut sum = N::default();
        (0..bins)
            .map(|bin| {
                if let Some(&more) = self.0.get(bin) {
                    sum += more;
                }
                sum
            })
            .collect()
    }
}

/// What one admission does for one category.
#[derive(Debug, Clone, Default)]
struct Under {
    /// Reads and writes of pages on flash, by the category of the request before.
    hits: Binned<u64>,
    overwrites: Binned<u64>,
    /// The same reads, by their own category.
    served: Binned<u64>,
    /// Pages that are on flash without an end in sight, and time of those whose end came.
    open: Binned<i64>,
    ended: Binned<f64>,
    /// Times from which pages are of the category and have been on flash, less those of their leave for another
    /// category, by bin: how many, and their sum.
    entered: Binned<i64>,
    entered_at: Binned<f64>,
}

#[derive(Debug, Clone, Default)]
struct Counts {
    reads: u64,
    writes: u64,
    pages: u64,
    /// Reads of pages that were requested before, by the time since.
    again: Binned<u64>,
    under: [Under; ADMISSIONS.len()],
}

/// What is kept of a page.
#[derive(Debug, Clone, Copy)]
struct Page {
    /// 0 before its first request.
    last: u64,
    /// Thresholds behind its last request, of all but `write`; [`NEVER`]: it is not admitted by then.
    thresholds: [u64; 2],
    category: u16,
    /// Category of its last request.
    charged: u16,
}

impl Page {
    const NEW: Self = Self {
        last: 0,
        thresholds: [NEVER; 2],
        category: MOST,
        charged: MOST,
    };
}

#[derive(Debug, Clone)]
struct Settings {
    categories: Categories,
}

/// Counts requests as a flash cache that takes nothing.
struct Counter {
    settings: Settings,
    pages: Vec<Page>,
    counts: Vec<Counts>,
    coming: Vec<u16>,
    next: usize,
    requests: u64,
}

impl Counter {
    fn note(&mut self, page: u32) {
        self.pages[page as usize].category = self.coming.get(self.next).copied().unwrap_or(MOST);
        self.next += 1;
    }

    fn request(&mut self, page: u32, write: bool) {
        self.requests += 1;
        let now = self.requests;
        let page = &mut self.pages[page as usize];
        let category = usize::from(page.category);
        if category >= self.counts.len() {
            self.counts.resize(category + 1, Counts::default());
        }
        let known = page.last > 0;
        let since = if known { now - page.last } else { NEVER };
        let [second, miss] = page.thresholds;
        let served = [second.max(since), miss.max(since), since];
        if known {
            let before = &mut self.counts[usize::from(page.charged)];
            hold(before, page, since);
            let moves = page.charged != page.category;
            for ((under, &from), threshold) in
                before.under.iter_mut().zip(&served).zip([second, miss, 0])
            {
                if moves && threshold != NEVER {
                    under.entered.add(now, -1);
                    under.entered_at.add(now, -as_float(now));
                }
                if from != NEVER {
                    let into = if write {
                        &mut under.overwrites
                    } else {
                        &mut under.hits
                    };
                    into.add(from, 1);
                }
            }
        }
        let counts = &mut self.counts[category];
        counts.pages += u64::from(!known);
        if write {
            counts.writes += 1;
        } else {
            counts.reads += 1;
            if known {
                counts.again.add(since, 1);
            }
        }
        for (under, &from) in counts.under.iter_mut().zip(&served) {
            if from != NEVER && !write {
                under.served.add(from, 1);
            }
        }
        let after = if write {
            [served[SECOND_MISS], served[MISS]]
        } else {
            [since, 0]
        };
        let moves = known && page.charged != page.category;
        let entries = [
            (moves || second == NEVER) && after[SECOND_MISS] != NEVER,
            (moves || miss == NEVER) && after[MISS] != NEVER,
            moves || !known,
        ];
        for (under, enters) in counts.under.iter_mut().zip(entries) {
            if enters {
                under.entered.add(now, 1);
                under.entered_at.add(now, as_float(now));
            }
        }
        page.thresholds = after;
        page.last = now;
        page.charged = page.category;
    }

    fn finish(mut self, names: &[String], by_name: bool) -> Vec<CategoryRow> {
        let end = self.requests;
        for page in &self.pages {
            if page.last > 0 {
                hold(
                    &mut self.counts[usize::from(page.charged)],
                    page,
                    end - page.last,
                );
            }
        }
        let ages = ages(end);
        let used = self.counts.iter().enumerate();
        used.filter(|(_, counts)| counts.reads + counts.writes > 0)
            .map(|(number, counts)| {
                let named = by_name && number < usize::from(MOST);
                let name = names.get(number).filter(|_| named);
                CategoryRow {
                    number,
                    name: name.cloned().unwrap_or_default(),
                    reads: counts.reads,
                    writes: counts.writes,
                    pages: counts.pages,
                    again: counts.again.sums(ages.len()),
                    under: counts
                        .under
                        .iter()
                        .zip(ADMISSIONS)
                        .map(|(under, admission)| under.finish(admission, &ages, end))
                        .collect(),
                }
            })
            .collect()
    }
}

/// Counts the time that a page is held from its last request on, which is followed by another one, or the end, after
/// so much time.
fn hold(counts: &mut Counts, page: &Page, time: u64) {
    let [second, miss] = page.thresholds;
    for (under, from) in counts.under.iter_mut().zip([second, miss, 0]) {
        if from == NEVER {
            continue;
        }
        if from < time {
            under.open.add(from, 1);
            under.open.add(time, -1);
        }
        under.ended.add(from.max(time), as_float(time));
    }
}

#[expect(clippy::cast_precision_loss, reason = "requests are far below 2^53")]
fn as_float(count: u64) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "pages are below 2^53")]
fn signed(count: i64) -> f64 {
    count as f64
}

/// The ends of bins up to that of a time, the last one being that time.
fn ages(end: u64) -> Vec<u64> {
    let mut ages: Vec<u64> = (0..bin_of(end)).map(highest_of).collect();
    ages.push(end);
    ages
}

impl Under {
    fn finish(&self, admission: &'static str, ages: &[u64], end: u64) -> UnderRow {
        let bins = ages.len();
        let (open, ended) = (self.open.sums(bins), self.ended.sums(bins));
        let (entered, entered_at) = (self.entered.sums(bins), self.entered_at.sums(bins));
        let held = (0..bins).map(|bin| {
            let age = ages[bin];
            if age >= end {
                return signed(entered[bin]);
            }
            let time = ended[bin] + signed(open[bin]) * as_float(age);
            // Until T nothing has left: what is counted begins there.
            let first = signed(entered[bin]) * as_float(age) - entered_at[bin];
            ((time - first) / as_float(end - age)).max(0.0)
        });
        UnderRow {
            admission,
            held_pages: held.collect(),
            hits: self.hits.sums(bins),
            overwrites: self.overwrites.sums(bins),
            served: self.served.sums(bins),
        }
    }
}

/// One admission of one category, for each lifetime.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnderRow {
    /// Its name.
    pub admission: &'static str,
    /// Mean pages on flash, from when the first could leave to the end.
    pub held_pages: Vec<f64>,
    /// Reads served by flash, of pages whose request before was of the category.
    pub hits: Vec<u64>,
    /// Writes of such pages that are on flash.
    pub overwrites: Vec<u64>,
    /// Reads of the category that flash serves, whatever the request before was of.
    pub served: Vec<u64>,
}

/// One category of requests.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryRow {
    /// Its number; [`MOST`] is of all that are not told apart.
    pub number: usize,
    /// The name of its relation; empty of other categories.
    pub name: String,
    /// DRAM misses.
    pub reads: u64,
    /// Changed DRAM victims.
    pub writes: u64,
    /// Pages whose first request is of this category.
    pub pages: u64,
    /// Reads whose page was requested at most so long before, for each lifetime.
    pub again: Vec<u64>,
    /// Second miss, miss and write.
    pub under: Vec<UnderRow>,
}

/// All categories of the requests below a DRAM.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryCounts {
    /// Accesses of the trace.
    pub accesses: u64,
    /// Those that write.
    pub write_accesses: u64,
    /// Distinct pages of the trace.
    pub distinct_pages: u64,
    /// What tells the categories apart.
    pub categories: &'static str,
    /// Requests below DRAM.
    pub requests: u64,
    /// Lifetimes, the last one being all requests [requests].
    pub ages: Vec<u64>,
    /// In the order of their numbers.
    pub rows: Vec<CategoryRow>,
}

/// Counts the requests below `ram_pages` of DRAM under LRU by category in one pass.
///
/// # Errors
/// [`Error::BadParameter`] for an unknown way to tell categories apart, or one that needs what the trace lacks;
/// [`Error::Cancelled`], and whatever `source` reports.
pub fn category_counts(
    source: &mut dyn AccessSource,
    categories: &str,
    ram_pages: u64,
    on_progress: OnProgress<'_>,
) -> Result<CategoryCounts> {
    let way = Categories::named(categories).ok_or_else(|| Error::BadParameter {
        name: "categories",
        value: categories.to_owned(),
        message: "no such categories".to_owned(),
        hint: format!("choose one of {}", super::categories::NAMES),
    })?;
    let ram_pages = page_count("ram-pages", ram_pages, 1)?;
    let settings = Settings { categories: way };
    let dram = DramSettings::defaults(&[]);
    let mut engine = Engine::<Lru, Counter>::new(ram_pages, 1, dram, settings);
    let by_request = way.about.name == BY_REQUEST;
    let course = in_whole_requests(by_request, source, |source| {
        engine::replay(source, &mut engine, &mut (), None, on_progress)
    })?;
    engine
        .recount(course.totals, None)
        .map_err(|text| disagreement("categories", &text))?;
    let requests = engine.cache.requests;
    Ok(CategoryCounts {
        accesses: course.totals.accesses,
        write_accesses: course.totals.write_accesses,
        distinct_pages: course.totals.distinct_pages as u64,
        categories: way.about.name,
        requests,
        ages: ages(requests),
        rows: engine
            .cache
            .finish(source.space_names(), way.about.name == "relation"),
    })
}

impl FlashCache for Counter {
    type Settings = Settings;
    type Image = ();
    type Device = Frames;

    const NEEDS_ADDRESSES: bool = true;
    const OPTIONS: &'static [OptionAbout] = &[];

    fn settings(_options: &Options<'_>, _run: Conditions) -> Result<Settings> {
        Err(disagreement(
            "categories",
            "they are counted without options",
        ))
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Err(Unsampled::always("it counts requests, and is no cache"))
    }

    fn new(_flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            pages: Vec::new(),
            counts: Vec::new(),
            coming: Vec::new(),
            next: 0,
            requests: 0,
        }
    }

    fn grow(&mut self, pages: usize) {
        if pages > self.pages.len() {
            self.pages.resize(pages, Page::NEW);
        }
    }

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.next = 0;
        self.settings.categories.of(chunk, spaces, &mut self.coming)
    }

    #[inline]
    fn on_dram_hit(&mut self, page: u32, _host: &mut impl Host) {
        self.note(page);
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        self.note(page);
        self.request(page, false);
        false
    }

    fn holds(&self, _page: u32) -> bool {
        false
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        if exit.changed {
            host.counters().disk_writes_on_exit += 1;
            self.request(exit.page, true);
        }
    }

    fn image(self) {}

    fn load(&mut self, _image: (), _counters: &mut FlashCacheCounters) {}

    fn valid_copies(&self) -> u64 {
        0
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        _crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let counted = self.counts.iter().fold((0, 0), |(reads, writes), one| {
            (reads + one.reads, writes + one.writes)
        });
        let expected = (counters.flash_misses, counters.dirty_evictions);
        if counted == expected {
            Ok(())
        } else {
            Err(format!("{counted:?} requests of {expected:?}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_follow_each_other_without_gap() {
        let mut lowest = 0;
        for bin in 0..400 {
            let highest = highest_of(bin);
            assert!(lowest <= highest, "{bin}");
            assert_eq!((bin_of(lowest), bin_of(highest)), (bin, bin));
            lowest = highest + 1;
        }
        assert_eq!(ages(20).last(), Some(&20));
    }
}
