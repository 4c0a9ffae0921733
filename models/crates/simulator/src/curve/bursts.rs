//! Misses of small caches, from short runs of consecutive accesses.
//!
//! A spatial sample cannot see distances below a few times `1 / R`. Consecutive accesses can: a
//! small share of them lies in bursts, whose pages are followed exactly. The first half of a burst
//! warms it up; in the second half an access to a page of the burst has a known distance, and one to
//! any other page a distance above the number of pages seen in the burst so far. Both bounds are
//! kept, so nothing is assumed. One burst lies anywhere in each stretch of the trace and stands for
//! it; stretches are short at the start and grow, so that short traces have enough of them. The spread
//! of the bursts gives the interval, together with what they can have missed: a phase that is a share
//! `p` of the trace lies in none of `n` bursts with a chance of `(1 - p)^n`, so one of up to `3 / n`
//! may be unseen (the rule of three), and in it everything or nothing may miss.

use super::sampled::{mix, spread, together};
use super::stack::Stack;
use crate::access::Chunk;
use crate::hash::FastMap;

/// Lengths of a burst in a stretch, least and most.
const SHARES: [u64; 2] = [8, 64];
/// Stretches after which a stretch is one length longer: all bursts stand for about as much of the
/// trace, up to some length of it.
const GROWTH: u64 = 4;
/// Fewest bursts from which a spread is taken.
const FEWEST: f64 = 16.0;
/// Standard errors to each side. Student has 2.13 for the fewest bursts; phases of a trace make
/// bursts skewed, and 2.6 covers 95 % on the recorded traces.
const QUANTILE: f64 = 2.6;
/// Widest interval with which a measurement is used, per access.
const WIDEST: f64 = 0.2;

/// Sums over bursts, each weighted by its stretch: of the value, its products with the weight.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    value: f64,
    weighted: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, value: f64, weight: f64) {
        self.value += weight * value;
        self.weighted += weight * weight * value;
        self.squares += (weight * value).powi(2);
    }

    /// Mean over the bursts and its standard error.
    fn mean(self, weights: Weights) -> (f64, f64) {
        let mean = self.value / weights.sum;
        let around = self.squares - 2.0 * mean * self.weighted + mean * mean * weights.squares;
        let correction = weights.count / (weights.count - 1.0);
        // Bursts that all saw the same say nothing of what none of them saw: two more accesses.
        let unseen = 2.0 * weights.squares / weights.count;
        (
            mean,
            (around.max(0.0) * correction + unseen).sqrt() / weights.sum,
        )
    }
}

/// Sums of the weights of the bursts.
#[derive(Debug, Clone, Copy, Default)]
struct Weights {
    count: f64,
    sum: f64,
    squares: f64,
}

/// All bursts of a pass.
#[derive(Debug)]
pub(super) struct Bursts {
    seed: u64,
    /// Accesses of a burst; the first half warms up.
    length: u64,
    /// Sizes at which misses are counted.
    sizes: Vec<u32>,
    /// At each size, the fewest and the most misses that a burst can have.
    misses: Vec<[Sums; 2]>,
    weights: Weights,
    /// Lengths of a burst in the stretch of the present one.
    share: u64,
    /// End of the stretch of the present burst.
    stretch_end: u64,
    stretches: u32,
    /// Accesses read.
    position: u64,
    /// First access of the burst being waited for, or going on.
    start: u64,
    ids: FastMap<u32, u32>,
    stack: Stack,
    /// Accesses of the second half by their distance.
    known: Vec<u32>,
    /// Accesses of the second half to pages new in the burst, by the pages seen before.
    beyond: Vec<u32>,
}

impl Bursts {
    /// Bursts long enough for the sizes that a sample of `rate` does not see.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a small positive number"
    )]
    pub(super) fn new(rate: f64, seed: u64) -> Self {
        let length = ((20.0 / rate).clamp(1024.0, 65536.0) as u64).next_power_of_two();
        let mut sizes: Vec<u32> = Vec::new();
        let mut size = 1;
        while u64::from(size) <= length / 4 {
            sizes.push(size);
            size += (size / 8).max(1);
        }
        let mut bursts = Self {
            seed: spread(!seed),
            length,
            misses: vec![[Sums::default(); 2]; sizes.len()],
            sizes,
            weights: Weights::default(),
            share: SHARES[0],
            stretch_end: 0,
            stretches: 0,
            position: 0,
            start: 0,
            ids: FastMap::default(),
            stack: Stack::default(),
            known: Vec::new(),
            beyond: Vec::new(),
        };
        bursts.next_stretch();
        bursts
    }

    /// Chooses the burst of the next stretch.
    fn next_stretch(&mut self) {
        let number = self.stretches;
        self.stretches += 1;
        self.share = (u64::from(number) / GROWTH).clamp(SHARES[0], SHARES[1]);
        let free = self.length * (self.share - 1);
        self.start = self.stretch_end + mix(number, self.seed) % (free + 1);
        self.stretch_end += self.length * self.share;
    }

    pub(super) fn chunk(&mut self, chunk: &Chunk) {
        let end = self.position + chunk.len() as u64;
        while self.start < end {
            let from = self.start.max(self.position);
            let to = (self.start + self.length).min(end);
            for at in from..to {
                let index = usize::try_from(at - self.position).unwrap_or(usize::MAX);
                self.access(chunk.pages[index], at - self.start >= self.length / 2);
            }
            if to < self.start + self.length {
                break;
            }
            self.close();
            self.next_stretch();
        }
        self.position = end;
    }

    fn access(&mut self, page: u32, counted: bool) {
        let next = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        let id = *self.ids.entry(page).or_insert(next);
        self.stack.grow(self.ids.len().next_power_of_two(), 0);
        let depth = self.stack.reference(id);
        if counted {
            let (counts, at) = if depth > 0 {
                (&mut self.known, depth)
            } else {
                (&mut self.beyond, next)
            };
            let at = at as usize;
            if at >= counts.len() {
                counts.resize(at + 1, 0);
            }
            counts[at] += 1;
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "8 to 64")]
    fn close(&mut self) {
        let weight = self.share as f64;
        let total: u32 = self.known.iter().chain(&self.beyond).sum();
        let (mut hits, mut unknown, mut known_to, mut beyond_to) = (0, 0, 0, 0);
        for (&size, [fewest, most]) in self.sizes.iter().zip(&mut self.misses) {
            // A known distance of at most `size` is a hit; one that only exceeds less than `size`
            // may be.
            let size = size as usize;
            let to = self.known.len().min(size + 1);
            hits += self.known[known_to.min(to)..to].iter().sum::<u32>();
            known_to = to;
            let to = self.beyond.len().min(size);
            unknown += self.beyond[beyond_to.min(to)..to].iter().sum::<u32>();
            beyond_to = to;
            fewest.add(f64::from(total - hits - unknown), weight);
            most.add(f64::from(total - hits), weight);
        }
        self.weights.count += 1.0;
        self.weights.sum += weight;
        self.weights.squares += weight * weight;
        self.ids.clear();
        self.stack = Stack::default();
        self.known.clear();
        self.beyond.clear();
    }

    /// Sizes that were measured [pages].
    pub(super) fn sizes(&self) -> impl Iterator<Item = f64> {
        let measured = if self.weights.count < FEWEST {
            0
        } else {
            usize::MAX
        };
        self.sizes.iter().take(measured).copied().map(f64::from)
    }

    /// Misses per access at a size, and the ends of the interval; `None` where bursts tell too little.
    #[expect(clippy::cast_precision_loss, reason = "a burst has few accesses")]
    pub(super) fn misses(&self, size: f64) -> Option<[f64; 3]> {
        let after = self
            .sizes
            .partition_point(|&known| f64::from(known) <= size);
        if self.weights.count < FEWEST || after == 0 || after == self.sizes.len() {
            return None;
        }
        let (left, right) = (
            f64::from(self.sizes[after - 1]),
            f64::from(self.sizes[after]),
        );
        let share = (size - left) / (right - left);
        let counted = self.length as f64 / 2.0;
        let [fewest, most] = [0, 1].map(|end| {
            let left = self.misses[after - 1][end].mean(self.weights);
            let right = self.misses[after][end].mean(self.weights);
            (
                (left.0 + share * (right.0 - left.0)) / counted,
                left.1.max(right.1) / counted,
            )
        });
        let unseen = 3.0 * self.weights.squares / self.weights.sum.powi(2);
        let low = fewest.0 - together(QUANTILE * fewest.1, unseen * fewest.0);
        let high = most.0 + together(QUANTILE * most.1, unseen * (1.0 - most.0));
        (high - low <= WIDEST).then_some([f64::midpoint(fewest.0, most.0), low, high])
    }
}
