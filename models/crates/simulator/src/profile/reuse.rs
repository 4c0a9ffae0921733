//! Reuse times: how long a page rests between two accesses.

use serde::Serialize;

use super::bins::{Distribution, LogCounts};

/// Reuse times along one coordinate.
#[derive(Debug, Clone, Default)]
pub(super) struct Reuse {
    reads: LogCounts,
    writes: LogCounts,
}

impl Reuse {
    /// Takes an access that comes `distance` after the last one to its page.
    #[inline]
    pub(super) fn add(&mut self, distance: u64, write: bool) {
        if write {
            self.writes.add(distance);
        } else {
            self.reads.add(distance);
        }
    }

    pub(super) fn finish(&self) -> Distribution {
        Distribution::new(&self.reads, &self.writes)
    }
}

/// Reuse times of all accesses but the first ones to their page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReuseSummary {
    /// In accesses: 1 for two accesses in a row.
    pub in_accesses: Distribution,
    /// In nanoseconds; `None` of a trace without times. Where the time goes backwards it is taken to
    /// stand still.
    pub in_ns: Option<Distribution>,
}
