//! Popularity of pages: how many pages have how many accesses, which is the rank-frequency curve
//! without loss, and whether pages are read, written or both.

use serde::Serialize;

/// Counts below this are told apart by an array, the few above by sorting.
const SMALL: usize = 1 << 16;

/// What is kept of the accesses to a page: their number, and in the two highest bits whether any of
/// them read or wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PageCount(u64);

const WRITTEN: u64 = 1 << 63;
const READ: u64 = 1 << 62;

impl PageCount {
    #[inline]
    pub(super) fn add(&mut self, write: bool) {
        self.0 = (self.0 + 1) | if write { WRITTEN } else { READ };
    }

    /// The accesses of two parts of a trace.
    pub(super) fn plus(self, later: Self) -> Self {
        let kinds = (self.0 | later.0) & (WRITTEN | READ);
        Self((self.accesses() + later.accesses()) | kinds)
    }

    /// As a number, for a file, and back.
    pub(super) const fn to_number(self) -> u64 {
        self.0
    }

    pub(super) const fn of_number(number: u64) -> Self {
        Self(number)
    }

    pub(super) const fn is_written(self) -> bool {
        self.0 & WRITTEN != 0
    }

    pub(super) const fn accesses(self) -> u64 {
        self.0 & !(WRITTEN | READ)
    }
}

/// How accesses are spread over pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Popularity {
    /// Numbers of accesses that pages have, decreasing.
    pub accesses: Vec<u64>,
    /// Pages with exactly so many.
    pub pages: Vec<u64>,
    /// Pages that are only read.
    pub only_read: u64,
    /// Pages that are only written.
    pub only_written: u64,
    /// Pages that are both.
    pub both: u64,
}

impl Popularity {
    pub(super) fn new(counts: impl Iterator<Item = PageCount>) -> Self {
        let mut made = Self::default();
        let mut small = vec![0_u64; SMALL];
        let mut large = Vec::new();
        for count in counts {
            match (count.0 & READ != 0, count.0 & WRITTEN != 0) {
                (true, false) => made.only_read += 1,
                (false, true) => made.only_written += 1,
                (true, true) => made.both += 1,
                (false, false) => continue,
            }
            let accesses = count.accesses();
            match usize::try_from(accesses)
                .ok()
                .and_then(|at| small.get_mut(at))
            {
                Some(pages) => *pages += 1,
                None => large.push(accesses),
            }
        }
        large.sort_unstable_by(|left, right| right.cmp(left));
        for group in large.chunk_by(|left, right| left == right) {
            made.accesses.push(group[0]);
            made.pages.push(group.len() as u64);
        }
        for (accesses, &pages) in small.iter().enumerate().rev() {
            if pages > 0 {
                made.accesses.push(accesses as u64);
                made.pages.push(pages);
            }
        }
        made
    }
}
