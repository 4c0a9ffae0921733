//! Counts in logarithmic bins: four to each doubling, single values below 8.

use serde::{Deserialize, Serialize};

/// Bins to each doubling, as a power of two.
const PARTS_LOG2: u32 = 2;
const PARTS: usize = 1 << PARTS_LOG2;
/// Bins of all 64-bit values.
pub const BINS: usize = PARTS * 63;

/// Most values of one file: sums of a few such counts do not overflow.
const MOST_COUNTED: u64 = u64::MAX / 8;

/// The bin of a value.
#[inline]
pub fn bin_of(value: u64) -> usize {
    if value < 1 << PARTS_LOG2 {
        return usize::try_from(value).unwrap_or(0);
    }
    let octave = value.ilog2();
    // The two bits behind the highest one.
    let part = (value >> (octave - PARTS_LOG2)) & (PARTS as u64 - 1);
    PARTS * (octave as usize - 1) + usize::try_from(part).unwrap_or(0)
}

/// Smallest value of a bin.
pub fn lowest_of(bin: usize) -> u64 {
    if bin < PARTS {
        return bin as u64;
    }
    ((PARTS + bin % PARTS) as u64) << (bin / PARTS - 1)
}

/// Largest value of a bin.
pub fn highest_of(bin: usize) -> u64 {
    if bin + 1 == BINS {
        u64::MAX
    } else {
        lowest_of(bin + 1) - 1
    }
}

/// How many values fell into each bin; on the heap, as summaries hold many of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Pairs", try_from = "Pairs")]
pub struct LogCounts(Box<[u64; BINS]>);

/// Bins and counts, as they are written down.
type Pairs = Vec<(usize, u64)>;

impl From<LogCounts> for Pairs {
    fn from(counts: LogCounts) -> Self {
        counts.to_pairs()
    }
}

impl TryFrom<Pairs> for LogCounts {
    type Error = String;

    fn try_from(pairs: Pairs) -> Result<Self, String> {
        Self::from_pairs(&pairs).ok_or_else(|| "a bin that does not exist, or too much".to_owned())
    }
}

impl Default for LogCounts {
    fn default() -> Self {
        Self(Box::new([0; BINS]))
    }
}

impl LogCounts {
    /// Counts a value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.0[bin_of(value)] += 1;
    }

    /// Counts a value with a weight.
    pub fn add_weighted(&mut self, value: u64, weight: u64) {
        self.0[bin_of(value)] += weight;
    }

    /// Adds the counts of another.
    pub fn add_all(&mut self, other: &Self) {
        for (sum, count) in self.0.iter_mut().zip(other.0.iter()) {
            *sum += count;
        }
    }

    /// The count of one bin.
    pub fn at(&self, bin: usize) -> u64 {
        self.0[bin]
    }

    /// All counts.
    pub fn sum(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Bin and count of the bins that hold something: short, for files.
    pub fn to_pairs(&self) -> Vec<(usize, u64)> {
        let counted = self.0.iter().copied().enumerate();
        counted.filter(|&(_, count)| count > 0).collect()
    }

    /// The inverse of [`Self::to_pairs`]; `None` if a bin does not exist or the counts are beyond
    /// [`MOST_COUNTED`].
    pub fn from_pairs(pairs: &[(usize, u64)]) -> Option<Self> {
        let mut counts = Self::default();
        let mut sum = 0_u64;
        for &(bin, count) in pairs {
            sum = sum.checked_add(count).filter(|&sum| sum <= MOST_COUNTED)?;
            *counts.0.get_mut(bin)? += count;
        }
        Some(counts)
    }
}

/// A distribution in logarithmic bins, reads and writes apart. Bins that hold nothing are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Distribution {
    /// Smallest value of each bin.
    pub lowest: Vec<u64>,
    /// Largest value of each bin.
    pub highest: Vec<u64>,
    /// Reads in each bin.
    pub reads: Vec<u64>,
    /// Writes in each bin.
    pub writes: Vec<u64>,
}

impl Distribution {
    /// Of counts of reads and of writes.
    pub fn new(reads: &LogCounts, writes: &LogCounts) -> Self {
        let mut made = Self::default();
        for bin in 0..BINS {
            if reads.at(bin) + writes.at(bin) > 0 {
                made.lowest.push(lowest_of(bin));
                made.highest.push(highest_of(bin));
                made.reads.push(reads.at(bin));
                made.writes.push(writes.at(bin));
            }
        }
        made
    }

    /// All values counted.
    pub fn sum(&self) -> u64 {
        self.reads.iter().chain(&self.writes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_follow_each_other_without_gap_and_hold_what_they_say() {
        assert_eq!(lowest_of(0), 0);
        for bin in 0..BINS {
            let (lowest, highest) = (lowest_of(bin), highest_of(bin));
            assert!(lowest <= highest);
            assert_eq!((bin_of(lowest), bin_of(highest)), (bin, bin));
        }
        assert_eq!(highest_of(BINS - 1), u64::MAX);
        assert_eq!(lowest_of(bin_of(4096)), 4096);
        assert_eq!(highest_of(bin_of(4096)), 5119);
    }

    #[test]
    fn pairs_restore_the_counts_and_refuse_what_is_no_bin() {
        let mut counts = LogCounts::default();
        counts.add(0);
        counts.add_weighted(4096, 3);
        assert_eq!(counts.sum(), 4);
        assert_eq!(LogCounts::from_pairs(&counts.to_pairs()), Some(counts));
        assert_eq!(LogCounts::from_pairs(&[(BINS, 1)]), None);
        assert_eq!(LogCounts::from_pairs(&[(1, MOST_COUNTED), (2, 1)]), None);
    }
}
