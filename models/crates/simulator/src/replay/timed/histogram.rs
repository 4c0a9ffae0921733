//! Response times in bounded memory: a histogram whose bins are 1/256 of their value wide.

use std::collections::BTreeMap;

/// Leading bits of the mantissa that choose a bin within a power of two.
const PARTS_BITS: u32 = 8;
/// Width of a bin as a share of its lower end, at most.
pub(super) const RESOLUTION: f64 = 1.0 / (1_u32 << PARTS_BITS) as f64;
/// Powers of two from 1 ns on that have bins of their own: up to 13 days; what is longer is in the last bin.
const POWERS: u64 = 50;
const MANTISSA_BITS: u32 = 52;
const BIAS: u64 = 1023;

/// Counts of times by bin, their sum and their ends.
#[derive(Debug, Clone)]
pub(super) struct Histogram {
    /// First the times below 1 ns, among them all that took none.
    bins: Vec<u64>,
    count: u64,
    sum_ns: f64,
    least_ns: f64,
    most_ns: f64,
}

impl Histogram {
    pub(super) fn new() -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "12,801 bins")]
        let bins = ((POWERS << PARTS_BITS) + 1) as usize;
        Self {
            bins: vec![0; bins],
            count: 0,
            sum_ns: 0.0,
            least_ns: f64::INFINITY,
            most_ns: 0.0,
        }
    }

    /// Forgets all times.
    pub(super) fn clear(&mut self) {
        self.bins.fill(0);
        (self.count, self.sum_ns) = (0, 0.0);
        (self.least_ns, self.most_ns) = (f64::INFINITY, 0.0);
    }

    /// Adds times that were kept by themselves.
    pub(super) fn add_all(&mut self, times: &FewTimes) {
        let last = self.bins.len() - 1;
        for (&bin, &count) in &times.bins {
            self.bins[bin.min(last)] += count;
            self.count += count;
        }
        self.sum_ns += times.sum_ns;
        self.least_ns = self.least_ns.min(times.least_ns);
        self.most_ns = self.most_ns.max(times.most_ns);
    }

    #[inline]
    pub(super) fn add(&mut self, time_ns: f64) {
        let last = self.bins.len() - 1;
        self.bins[bin_of(time_ns).min(last)] += 1;
        self.count += 1;
        self.sum_ns += time_ns;
        self.least_ns = self.least_ns.min(time_ns);
        self.most_ns = self.most_ns.max(time_ns);
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Mean of all times; 0 of none. [ns]
    pub(super) fn mean_ns(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum_ns / as_f64(self.count)
        }
    }

    /// The longest time. [ns]
    pub(super) fn most_ns(&self) -> f64 {
        self.most_ns
    }

    /// The time within which a share of all are: the middle of its bin, so off by half of [`RESOLUTION`] at most. [ns]
    pub(super) fn quantile_ns(&self, share: f64) -> f64 {
        let mut before = 0;
        for (bin, &count) in self.bins.iter().enumerate() {
            before += count;
            if as_f64(before) >= share * as_f64(self.count) && count > 0 {
                return middle_of(bin).clamp(self.least_ns, self.most_ns);
            }
        }
        self.most_ns
    }
}

/// The same in no more memory than there are times of different bins.
#[derive(Debug, Clone)]
pub(super) struct FewTimes {
    bins: BTreeMap<usize, u64>,
    sum_ns: f64,
    least_ns: f64,
    most_ns: f64,
}

impl FewTimes {
    pub(super) fn new() -> Self {
        Self {
            bins: BTreeMap::new(),
            sum_ns: 0.0,
            least_ns: f64::INFINITY,
            most_ns: 0.0,
        }
    }

    pub(super) fn add(&mut self, time_ns: f64) {
        *self.bins.entry(bin_of(time_ns)).or_default() += 1;
        self.sum_ns += time_ns;
        self.least_ns = self.least_ns.min(time_ns);
        self.most_ns = self.most_ns.max(time_ns);
    }
}

/// 0 below 1 ns; else one more than the leading bits of the time, counted from those of 1.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the leading bits of a number below 2^64 ns"
)]
fn bin_of(time_ns: f64) -> usize {
    if time_ns < 1.0 {
        return 0;
    }
    let leading = time_ns.to_bits() >> (MANTISSA_BITS - PARTS_BITS);
    (leading - (BIAS << PARTS_BITS) + 1) as usize
}

fn middle_of(bin: usize) -> f64 {
    if bin == 0 {
        return 0.0;
    }
    let end =
        |bin: u64| f64::from_bits((bin - 1 + (BIAS << PARTS_BITS)) << (MANTISSA_BITS - PARTS_BITS));
    f64::midpoint(end(bin as u64), end(bin as u64 + 1))
}

#[expect(clippy::cast_precision_loss, reason = "counts are at most 2^53")]
pub(super) fn as_f64(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "times that come out exactly")]
mod tests {
    use super::{FewTimes, Histogram, RESOLUTION};

    #[test]
    fn a_quantile_is_within_half_a_bin_of_the_sorted_times() {
        let times: Vec<f64> = (1..=10_000_u32).map(|n| f64::from(n).powf(1.7)).collect();
        let mut found = Histogram::new();
        for &time in &times {
            found.add(time);
        }
        for (share, exact) in [
            (0.5, times[4999]),
            (0.99, times[9899]),
            (0.999, times[9989]),
        ] {
            let off = (found.quantile_ns(share) / exact - 1.0).abs();
            assert!(off <= RESOLUTION / 2.0 + 1e-12, "{share}: {off}");
        }
        assert_eq!(found.count(), 10_000);
        assert_eq!(found.most_ns(), times[9999]);
    }

    #[test]
    fn hits_that_take_no_time_stay_exactly_zero() {
        let mut found = Histogram::new();
        for _ in 0..99 {
            found.add(0.0);
        }
        found.add(5e6);
        assert_eq!(found.quantile_ns(0.99), 0.0);
        assert_eq!(found.quantile_ns(0.991), 5e6);
        assert_eq!(found.mean_ns(), 5e4);
    }

    #[test]
    fn times_that_were_kept_by_themselves_count_as_others() {
        let times = [0.0, 3.0, 7e4, 7e4, 5e9, 1e300];
        let (mut at_once, mut added, mut few) =
            (Histogram::new(), Histogram::new(), FewTimes::new());
        for time in times {
            at_once.add(time);
        }
        added.add(times[0]);
        for &time in &times[1..] {
            few.add(time);
        }
        added.add_all(&few);
        assert_eq!(added.count(), at_once.count());
        assert_eq!(added.mean_ns(), at_once.mean_ns());
        for share in [0.01, 0.3, 0.6, 0.8, 1.0] {
            assert_eq!(added.quantile_ns(share), at_once.quantile_ns(share));
        }
    }

    #[test]
    fn what_is_longer_than_all_bins_is_in_the_last() {
        let mut found = Histogram::new();
        found.add(1e300);
        assert_eq!(found.quantile_ns(0.5), 1e300);
        found.clear();
        assert_eq!((found.count(), found.mean_ns()), (0, 0.0));
    }
}
