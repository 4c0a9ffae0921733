//! LRU hit-ratio and write-back curves from a spatial sample of the pages, with their uncertainty.
//!
//! **Sample** (Waldspurger, Park, Garthwaite, Ahmad: Efficient MRC construction with SHARDS, FAST
//! 2015). A page is in the sample if a hash of its number is below a threshold `T`; the sampling
//! rate is `R = T / 2^32`. Stack distances among sampled pages, divided by `R`, estimate stack
//! distances among all; each sampled access stands for `1 / R` accesses. The fixed-size variant
//! starts at `R = 1` and lowers `T` to the largest hash whenever the sample outgrows its bound.
//! What an access stands for is noted when it happens, which equals rescaling all counts later. A
//! bounded sample is small beside the pages by then, so its distances are scaled by the pages there
//! were at that moment, which the pass knows, over the sampled ones, and not by `1 / R`: a distance
//! of nearly all pages is then nearly exact, as it is at a fixed rate after the adjustment below.
//!
//! **Adjustment.** The number of accesses to sampled pages varies much more than the number of
//! sampled pages, since a few pages get many accesses. Like SHARDS-adj, the difference to the known
//! number of accesses is counted as hits at the smallest distance, so it never reaches a miss.
//! Besides, the pass knows the distinct pages exactly: weights and sizes are scaled by the ratio of
//! the true to the estimated number (sizes at a fixed rate only), so that a cache of all pages
//! misses exactly once a page.
//!
//! **Interval.** Two things make the estimate err. *Which pages*: the sample is split by a second
//! hash into [`GROUPS`] groups, and the spread of their misses around the common misses per page
//! gives the variance of the sum (ratio estimator of a cluster sample: Cochran, Sampling
//! Techniques, 1977, chapter 6). *How deep*: among `d` pages used in between, the sampled ones are
//! hypergeometric, so a size `C` of the estimate is uncertain by `sqrt(C (1 - R)(1 - C / D) / R)`
//! pages; the interval takes the estimates at that much smaller and larger sizes (and the width of a
//! bucket of the histogram), as if all accesses erred alike, which is the worst case (a loop). Both are combined in quadrature. Sizes too small
//! for the sample to see are measured in [`bursts`](super::bursts).

use std::collections::BinaryHeap;

use super::bursts::Bursts;
use super::carried::{CarriedWindows, Ends, Recorder};
use super::stack::Stack;
use crate::access::{AccessSource, Chunk, WRITE};
use crate::error::{Error, Result};
use crate::hash::FastMap;
use crate::progress::{OnProgress, report};
use crate::replay::{distinct_pages, write_accesses};
use crate::wording::counted;

/// Groups into which the sample is split to see its spread.
const GROUPS: usize = 64;
/// Standard errors to each side. A normal sum would need 2.0 (Student, `GROUPS - 1` degrees of
/// freedom); misses per page are skewed, and 2.3 covers 94 to 95 % on recorded traces.
const QUANTILE: f64 = 2.5;
/// Everything is sampled.
const WHOLE: u64 = 1 << 32;
/// Smallest bound of the fixed-size sample: fewer pages have no spread worth the name.
pub const FEWEST_SAMPLED_PAGES: u64 = 64;
/// Largest distance since the last write, of a page that was never written.
const NEVER_WRITTEN: u32 = u32::MAX;

/// How to draw the sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sample {
    /// Share of the pages, above 0 and at most 1.
    Rate(f64),
    /// Most pages, at least [`FEWEST_SAMPLED_PAGES`].
    Pages(u64),
}

/// The estimate at one size, in counts; the intervals hold the exact counts 95 times of 100.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knot {
    /// Cache size [pages]; not always whole.
    pub pages: f64,
    /// Misses, and the ends of their interval.
    pub misses: [f64; 3],
    /// Evictions of dirty pages, and the ends of their interval.
    pub write_backs: [f64; 3],
}

/// Estimated counts of LRU caches of all sizes, cold start, no flush at the end.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledCurves {
    /// Accesses, reads and writes: exact.
    pub accesses: u64,
    /// Accesses that write: exact.
    pub write_accesses: u64,
    /// Distinct pages: exact.
    pub distinct_pages: u64,
    /// Sampled pages at the end, per distinct page.
    pub sample_rate: f64,
    /// Pages in the sample at the end.
    pub sampled_pages: u64,
    /// Accesses to pages that were in the sample then.
    pub sampled_accesses: u64,
    /// The curve, piecewise linear, sizes increasing from 0 to all distinct pages.
    pub knots: Vec<Knot>,
    /// How the counts go up and down: windows of the sampled accesses.
    pub windows: CarriedWindows,
}

/// Reads all accesses of `source` once and follows the sampled ones.
///
/// The same `seed` gives the same sample of the same trace.
///
/// # Errors
/// [`Error::BadParameter`] for a rate or bound out of range, or a rate at which no page is sampled,
/// [`Error::Cancelled`], and whatever `source` reports.
pub fn sampled_curves(
    source: &mut dyn AccessSource,
    sample: Sample,
    seed: u64,
    on_progress: OnProgress<'_>,
) -> Result<SampledCurves> {
    let mut pass = Pass::new(sample, seed)?;
    let mut bursts = Bursts::new(pass.rate(), seed);
    let mut chunk = Chunk::default();
    let (mut accesses, mut writes, mut distinct) = (0, 0, 0);
    while source.next_chunk(&mut chunk)? {
        distinct = distinct_pages(&chunk, distinct)?;
        pass.chunk(&chunk);
        bursts.chunk(&chunk);
        accesses += chunk.len() as u64;
        writes += write_accesses(&chunk.flags);
        report(source, accesses, on_progress)?;
    }
    pass.finish();
    if distinct > 0 && pass.ids.is_empty() {
        return Err(Error::BadParameter {
            name: "sample-rate",
            value: pass.rate().to_string(),
            message: format!(
                "the sample holds none of the {} of the trace",
                counted(distinct, "page", "pages")
            ),
            hint: "use a larger rate: at least 1000 sampled pages give a usable curve".to_owned(),
        });
    }
    Ok(pass.estimate(accesses, writes, distinct as u64, &bursts))
}

/// A hash of a page: uniform, different for each seed. Two multiplications: it is computed for each
/// access.
#[inline]
pub(crate) fn mix(page: u32, seed: u64) -> u64 {
    let mut mixed = (u64::from(page) ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^= mixed >> 32;
    mixed = mixed.wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

/// The error of a sum whose parts have these errors, independent of each other. `f64::hypot` guards
/// against overflow, which counts are far from, and would ask for glibc 2.35.
pub(crate) fn together(one: f64, other: f64) -> f64 {
    (one * one + other * other).sqrt()
}

/// A seed spread over all bits, so that seeds 0, 1, 2 give unrelated samples.
pub(crate) fn spread(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x5851_f42d_4c95_7f2d);
    for _ in 0..2 {
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    }
    mixed ^ (mixed >> 31)
}

/// The part of a hash that decides whether a page is sampled.
#[inline]
pub(crate) fn place_in_sample(mixed: u64) -> u64 {
    mixed >> 32
}

/// The group of a sampled page: other bits of its hash, mixed once more.
fn group(mixed: u64) -> u32 {
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as u32
}

/// Buckets of distances for each doubling.
const BUCKETS: u32 = 256;

/// Estimated distances in [`BUCKETS`] for each doubling, one for each distance below two times that.
fn bucket(distance: u32) -> u32 {
    if distance < 2 * BUCKETS {
        return distance;
    }
    let shift = distance.ilog2() - BUCKETS.ilog2();
    (shift + 1) * BUCKETS + ((distance >> shift) - BUCKETS)
}

/// Least and largest distance of a bucket.
#[expect(clippy::cast_precision_loss, reason = "distances are below 2^33")]
fn bounds(bucket: usize) -> (f64, f64) {
    let buckets = BUCKETS as usize;
    if bucket < 2 * buckets {
        return (bucket as f64, bucket as f64);
    }
    let shift = bucket / buckets - 1;
    let first = ((buckets + bucket % buckets) as u64) << shift;
    (first as f64, (first + (1 << shift) - 1) as f64)
}

/// Weights by bucket of distance and by group.
#[derive(Debug, Default)]
struct Histogram {
    sums: Vec<[f64; GROUPS]>,
    /// Buckets, groups and weights still to be added: the sums lie anywhere in memory, and a short
    /// loop that only adds keeps many of them in flight.
    pending: Vec<(u32, u32, f64)>,
}

impl Histogram {
    #[inline]
    fn add(&mut self, distance: u32, group: u32, weight: f64) {
        self.pending.push((bucket(distance), group, weight));
    }

    /// Adds what is pending.
    fn settle(&mut self) {
        let most = self.pending.iter().fold(0, |most, add| add.0.max(most)) as usize;
        if most >= self.sums.len() {
            self.sums.resize(most + 1, [0.0; GROUPS]);
        }
        for (bucket, group, weight) in self.pending.drain(..) {
            self.sums[bucket as usize][group as usize % GROUPS] += weight;
        }
    }

    fn at(&self, bucket: usize) -> &[f64; GROUPS] {
        self.sums.get(bucket).unwrap_or(&[0.0; GROUPS])
    }
}

/// What is kept of a sampled page besides the stack.
#[derive(Debug, Clone, Copy)]
struct Sampled {
    page: u32,
    group: u32,
    /// Largest distance up to its first write.
    before: u32,
}

/// The state of one pass.
#[derive(Debug)]
struct Pass {
    seed: u64,
    /// A page is sampled if its hash lies below.
    threshold: u64,
    /// What one access of the sample stands for.
    weight: f64,
    most_pages: usize,
    /// Place of each sampled page in the stack's tables.
    ids: FastMap<u32, u32>,
    sampled: Vec<Sampled>,
    /// Places of pages that left the sample.
    free: Vec<u32>,
    /// Hash and place of each sampled page, largest hash first; empty at a fixed rate.
    largest: BinaryHeap<(u64, u32)>,
    /// Sampled pages, each with its largest distance since its last write, or [`NEVER_WRITTEN`].
    stack: Stack,
    /// Accesses by distance; bucket 0 counts first references.
    by_distance: Histogram,
    /// Write-backs: added at the distance below which they happen, taken away at the distance below
    /// which they had happened already.
    by_deepest: Histogram,
    sampled_accesses: u64,
    /// Distinct pages of the trace up to now; kept by bounded samples alone.
    seen: u32,
    windows: Recorder,
    /// Positions of the chunk's sampled accesses, with their hashes and the pages seen by then.
    chosen: Vec<(u32, u64, u32)>,
}

impl Pass {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a rate in (0, 1] gives a threshold of at most 2^32"
    )]
    fn new(sample: Sample, seed: u64) -> Result<Self> {
        let (threshold, most_pages) = match sample {
            Sample::Rate(rate) if rate > 0.0 && rate <= 1.0 => {
                (((rate * WHOLE as f64).round() as u64).max(1), usize::MAX)
            }
            Sample::Rate(rate) => {
                return Err(Error::BadParameter {
                    name: "sample-rate",
                    value: rate.to_string(),
                    message: "a sampling rate must be above 0 and at most 1".to_owned(),
                    hint: "use 0.01, for example, to follow one page in a hundred".to_owned(),
                });
            }
            Sample::Pages(pages) if (FEWEST_SAMPLED_PAGES..=1 << 31).contains(&pages) => {
                (WHOLE, pages as usize)
            }
            Sample::Pages(pages) => {
                return Err(Error::BadParameter {
                    name: "sample-pages",
                    value: pages.to_string(),
                    message: format!(
                        "a sample must have a bound from {FEWEST_SAMPLED_PAGES} to {} pages",
                        1_u64 << 31
                    ),
                    hint: "use 8192 pages, the usual bound".to_owned(),
                });
            }
        };
        Ok(Self {
            seed: spread(seed),
            threshold,
            weight: WHOLE as f64 / threshold as f64,
            most_pages,
            ids: FastMap::default(),
            sampled: Vec::new(),
            free: Vec::new(),
            largest: BinaryHeap::new(),
            stack: Stack::default(),
            by_distance: Histogram::default(),
            by_deepest: Histogram::default(),
            sampled_accesses: 0,
            seen: 0,
            windows: Recorder::new(),
            chosen: Vec::new(),
        })
    }

    fn rate(&self) -> f64 {
        self.weight.recip()
    }

    fn is_bounded(&self) -> bool {
        self.most_pages < usize::MAX
    }

    fn chunk(&mut self, chunk: &Chunk) {
        let mut chosen = std::mem::take(&mut self.chosen);
        chosen.clear();
        let seen = if self.is_bounded() {
            self.choose::<true>(chunk, &mut chosen)
        } else {
            self.choose::<false>(chunk, &mut chosen)
        };
        let mut passed = 0;
        for &(position, mixed, seen) in &chosen {
            // The threshold may have fallen since the page was chosen.
            if place_in_sample(mixed) < self.threshold {
                self.windows.pass(u64::from(position - passed));
                passed = position;
                let position = position as usize;
                let write = chunk.flags[position] & WRITE != 0;
                self.seen = seen;
                self.access(chunk.pages[position], mixed, write);
            }
        }
        self.windows.pass(chunk.len() as u64 - u64::from(passed));
        self.seen = seen;
        self.chosen = chosen;
        self.by_distance.settle();
        self.by_deepest.settle();
    }

    /// Finds the sampled accesses of a chunk; returns the pages seen by its end.
    #[expect(clippy::cast_possible_truncation, reason = "a position within a chunk")]
    fn choose<const BOUNDED: bool>(&self, chunk: &Chunk, chosen: &mut Vec<(u32, u64, u32)>) -> u32 {
        let mut seen = self.seen;
        for (position, &page) in chunk.pages.iter().enumerate() {
            let mixed = mix(page, self.seed);
            if BOUNDED {
                // Pages are numbered in the order of their first access.
                seen = seen.max(page + 1);
            }
            if place_in_sample(mixed) < self.threshold {
                chosen.push((position as u32, mixed, seen));
            }
        }
        seen
    }

    fn access(&mut self, page: u32, mixed: u64, write: bool) {
        let id = match self.ids.get(&page) {
            Some(&id) => id,
            None => self.enter(page, mixed),
        };
        self.sampled_accesses += 1;
        let depth = self.stack.reference(id);
        let distance = self.distance(depth);
        let group = self.sampled[id as usize].group;
        self.by_distance.add(distance, group, self.weight);
        let stands_for = self.stands_for();
        self.windows.sampled(distance, stands_for);
        self.deepen(id, group, distance);
        if write {
            let deepest = std::mem::take(self.stack.note(id));
            if deepest != NEVER_WRITTEN {
                self.windows.sampled_end(deepest, stands_for);
            }
        }
        if self.ids.len() > self.most_pages {
            self.lower_threshold();
        }
    }

    /// Accesses for which one of the sample stands, to the next whole number.
    fn stands_for(&self) -> u64 {
        (WHOLE + self.threshold / 2) / self.threshold
    }

    fn enter(&mut self, page: u32, mixed: u64) -> u32 {
        let group = group(mixed);
        let entry = Sampled {
            page,
            group,
            before: 0,
        };
        let id = if let Some(id) = self.free.pop() {
            self.sampled[id as usize] = entry;
            *self.stack.note(id) = NEVER_WRITTEN;
            id
        } else {
            self.sampled.push(entry);
            self.stack
                .grow(self.sampled.len().next_power_of_two(), NEVER_WRITTEN);
            u32::try_from(self.sampled.len() - 1).unwrap_or(u32::MAX)
        };
        self.ids.insert(page, id);
        if self.is_bounded() {
            self.largest.push((place_in_sample(mixed), id));
        }
        id
    }

    /// Takes the pages of the largest hash out of the sample, and samples no such page from now on.
    #[expect(clippy::cast_precision_loss, reason = "at most 2^32")]
    fn lower_threshold(&mut self) {
        let Some(&(largest, _)) = self.largest.peek() else {
            return;
        };
        self.threshold = largest;
        self.weight = WHOLE as f64 / largest as f64;
        while let Some(&(place, id)) = self.largest.peek()
            && place >= largest
        {
            self.largest.pop();
            self.stack.remove(id);
            self.ids.remove(&self.sampled[id as usize].page);
            self.free.push(id);
        }
    }

    /// The distance among all pages for which one among sampled pages stands, rounded up.
    fn distance(&self, depth: u32) -> u32 {
        let distance = if self.is_bounded() {
            (u64::from(depth) * u64::from(self.seen)).div_ceil(self.ids.len() as u64)
        } else {
            (u64::from(depth) << 32).div_ceil(self.threshold)
        };
        u32::try_from(distance).map_or(NEVER_WRITTEN - 1, |distance| {
            distance.min(NEVER_WRITTEN - 1)
        })
    }

    /// A page is found `distance` deep: caches of fewer pages have written it back by now.
    fn deepen(&mut self, id: u32, group: u32, distance: u32) {
        let deepest = self.stack.note(id);
        if *deepest == NEVER_WRITTEN {
            let before = &mut self.sampled[id as usize].before;
            *before = distance.max(*before);
        } else if distance > *deepest {
            let before = std::mem::replace(deepest, distance);
            self.by_deepest.add(distance, group, self.weight);
            if before > 0 {
                self.by_deepest.add(before, group, -self.weight);
            }
        }
    }

    /// Counts the write-backs of pages that were not referenced since they were evicted.
    fn finish(&mut self) {
        let ends = std::mem::take(&mut self.stack).into_notes_and_depths();
        let ends: Vec<(u32, u32)> = ends.take(self.sampled.len()).collect();
        let mut open: Vec<(u32, Ends)> = self
            .sampled
            .iter()
            .zip(&ends)
            .filter(|&(_, &(_, depth))| depth > 0)
            .map(|(of, &(after, depth))| {
                let after = (after != NEVER_WRITTEN).then_some(after);
                let before = of.before;
                (
                    of.page,
                    Ends {
                        before,
                        after,
                        depth,
                    },
                )
            })
            .collect();
        // Pages are numbered in the order of their first access.
        open.sort_unstable_by_key(|&(page, _)| page);
        let open: Vec<Ends> = open.into_iter().map(|(_, ends)| ends).collect();
        let mut windows = std::mem::replace(&mut self.windows, Recorder::new());
        windows.open(&open, self.stands_for(), |depth| self.distance(depth));
        self.windows = windows;
        for (&Sampled { group, .. }, (deepest, depth)) in self.sampled.iter().zip(ends) {
            let distance = self.distance(depth);
            if depth > 0 && deepest != NEVER_WRITTEN && distance > deepest {
                self.by_deepest.add(distance, group, self.weight);
                if deepest > 0 {
                    self.by_deepest.add(deepest, group, -self.weight);
                }
            }
        }
        self.by_deepest.settle();
    }

    /// The curve with its intervals.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    fn estimate(self, accesses: u64, writes: u64, distinct: u64, bursts: &Bursts) -> SampledCurves {
        let (all, all_writes, pages) = (accesses as f64, writes as f64, distinct as f64);
        let cold = self.by_distance.at(0);
        let estimated_pages: f64 = cold.iter().sum();
        let correction = pages / estimated_pages;
        let (size_correction, rate) = if self.is_bounded() {
            (1.0, self.ids.len() as f64 / pages.max(1.0))
        } else {
            (correction, (self.rate() / correction).min(1.0))
        };
        let scale = Scale {
            correction,
            size_correction,
            rate,
            pages,
            cold,
        };
        let misses = scale.curve(&self.by_distance, all, pages);
        let write_backs = scale.curve(&self.by_deepest, all_writes, 0.0);
        let points = misses.iter().chain(&write_backs);
        let mut sizes: Vec<f64> = points.map(|point| point.size).collect();
        sizes.extend(bursts.sizes().chain(grid()).filter(|&size| size < pages));
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let mut knots: Vec<Knot> = Vec::with_capacity(sizes.len());
        // From the largest size down: what larger sizes miss, smaller ones miss too.
        let mut larger = [pages, 0.0];
        for size in sizes.into_iter().rev() {
            if size >= pages {
                knots.push(Knot {
                    pages: size,
                    misses: [pages; 3],
                    write_backs: [0.0; 3],
                });
                continue;
            }
            let mut miss = scale.interval(&misses, size);
            let back = scale.interval(&write_backs, size);
            if let Some([ratio, low, high]) = bursts.misses(size)
                && (high - low) * all < miss[2] - miss[1]
            {
                miss = [ratio * all, low * all, high * all];
            }
            let miss = bounded(miss, larger[0], [pages, all]);
            let back = bounded(back, larger[1], [0.0, all_writes]);
            larger = [miss[0], back[0]];
            knots.push(Knot {
                pages: size,
                misses: miss,
                write_backs: back,
            });
        }
        knots.reverse();
        SampledCurves {
            accesses,
            write_accesses: writes,
            distinct_pages: distinct,
            sample_rate: self.ids.len() as f64 / pages.max(1.0),
            sampled_pages: self.ids.len() as u64,
            sampled_accesses: self.sampled_accesses,
            knots,
            windows: self.windows.finish(distinct),
        }
    }
}

/// Pages whose count is like the mean that may be missing in the sample, as in the interval of
/// Agresti and Coull for a rare event: half the square of the quantile.
const UNSEEN_PAGES: f64 = 2.0;

/// Sizes at which the interval is told besides, ten a doubling.
fn grid() -> impl Iterator<Item = f64> {
    (0..320).map(|step| (f64::from(step) / 10.0).exp2())
}

/// An estimate not below that of a larger size, and its interval around it, all within what is
/// known for certain.
fn bounded([value, low, high]: [f64; 3], larger: f64, [least, most]: [f64; 2]) -> [f64; 3] {
    let value = value.min(most).max(larger);
    [value, low.clamp(least, value), high.clamp(value, most)]
}

/// A point of an estimated curve.
struct Point {
    size: f64,
    count: f64,
    /// Standard error of the count due to the choice of pages.
    error: f64,
}

/// How the sample stands for the whole.
struct Scale<'a> {
    correction: f64,
    size_correction: f64,
    rate: f64,
    pages: f64,
    /// Weight of the first references by group: estimated pages.
    cold: &'a [f64; GROUPS],
}

impl Scale<'_> {
    /// Counts above each distance, with the error seen between groups; from size 0 to all pages.
    #[expect(clippy::cast_precision_loss, reason = "64 groups")]
    fn curve(&self, histogram: &Histogram, at_zero: f64, at_all: f64) -> Vec<Point> {
        let estimated_pages: f64 = self.cold.iter().sum();
        let mut above = *histogram.at(0);
        let point = |size: f64, above: &[f64; GROUPS]| {
            let count: f64 = above.iter().sum();
            let ratio = count / estimated_pages;
            let squares: f64 = above
                .iter()
                .zip(self.cold)
                .map(|(count, pages)| (count - ratio * pages).powi(2))
                .sum();
            let groups = GROUPS as f64;
            // Groups that all saw the same say nothing of what none of them saw.
            let unseen = UNSEEN_PAGES * (ratio.max(1.0) / self.rate / self.correction).powi(2);
            let variance = squares * groups / (groups - 1.0) + unseen;
            let variance = variance * (1.0 - self.rate).max(0.0);
            Point {
                size,
                count: count * self.correction,
                error: variance.sqrt() * self.correction,
            }
        };
        let mut points = vec![Point {
            count: at_all,
            ..point(self.pages, &above)
        }];
        // A sampled depth stands for all distances down to the sampled depth before.
        let step = 1.0 / self.rate;
        for (bucket, counts) in histogram.sums.iter().enumerate().skip(1).rev() {
            if counts.iter().all(|&count| count == 0.0) {
                continue;
            }
            let (first, last) = bounds(bucket);
            let upper = (last * self.size_correction).min(self.pages);
            let least = points.last().map_or(self.pages, |point| point.size);
            if upper < least {
                points.push(point(upper, &above));
            }
            for (sum, count) in above.iter_mut().zip(counts) {
                *sum += count;
            }
            let lower = (first * self.size_correction - step).max(0.0);
            let least = points.last().map_or(self.pages, |point| point.size);
            if lower > step / 2.0 && lower < least {
                points.push(point(lower, &above));
            }
        }
        points.push(Point {
            size: 0.0,
            count: at_zero,
            error: points.last().map_or(0.0, |point| point.error),
        });
        points.reverse();
        points
    }

    /// Estimate and interval at a size.
    fn interval(&self, curve: &[Point], size: f64) -> [f64; 3] {
        let count = line(curve, size).0;
        let sampled_depth = size * self.rate;
        let unsampled = (1.0 - self.rate).max(0.0) * (1.0 - size / self.pages).max(0.0);
        // Where in its bucket a distance lies is not known.
        let bucket = size / f64::from(BUCKETS);
        let shift = QUANTILE * (sampled_depth * unsampled).sqrt() / self.rate + bucket;
        // A page counts itself: the least sampled depth is 1, however small the distance.
        let own = (1.0 - self.rate).max(0.0) / self.rate;
        let (deeper, low_error) = line(curve, size + shift + own);
        let (shallower, high_error) = line(curve, (size - shift).max(0.0));
        [
            count,
            count - together(QUANTILE * low_error, count - deeper),
            count + together(QUANTILE * high_error, shallower - count),
        ]
    }
}

/// Count and error at a size, piecewise linear, constant beyond the ends.
fn line(curve: &[Point], size: f64) -> (f64, f64) {
    let after = curve.partition_point(|point| point.size <= size);
    match (after.checked_sub(1).map(|at| &curve[at]), curve.get(after)) {
        (Some(left), Some(right)) => {
            let share = (size - left.size) / (right.size - left.size);
            (
                left.count + share * (right.count - left.count),
                left.error + share * (right.error - left.error),
            )
        }
        (Some(end), None) | (None, Some(end)) => (end.count, end.error),
        (None, None) => (0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_every_distance_once() {
        let mut distances: Vec<u32> = (0..100_000).collect();
        distances.extend((17..32).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 12_345]));
        distances.push(NEVER_WRITTEN - 1);
        for distance in distances {
            let (first, last) = bounds(bucket(distance) as usize);
            assert!(
                first <= f64::from(distance) && f64::from(distance) <= last,
                "{distance}"
            );
            let width = last - first + 1.0;
            assert!(
                width < 1.5 || width <= first / f64::from(BUCKETS),
                "{distance}"
            );
            if first > 0.0 {
                let (_, before) = bounds(bucket(distance) as usize - 1);
                assert!((before - (first - 1.0)).abs() < 0.5, "{distance}");
            }
        }
    }
}
