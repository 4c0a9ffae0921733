//! Times that should be dates: whether they lie where dates can.

use serde::{Deserialize, Serialize};

use crate::trace::reader::Warning;
use crate::wording::counted;

/// 2001-09-09, the first second of ten digits [ns since 1970]. The times here end in 2262, so a later
/// date is an error already.
const PLAUSIBLE_FROM_NS: i64 = 1_000_000_000_000_000_000;

/// Counts the records of a format with dates whose time is no date of this century.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Dates {
    requests: u64,
    outside: u64,
}

impl Dates {
    #[inline]
    pub(super) fn add(&mut self, time_ns: i64) {
        self.requests += 1;
        self.outside += u64::from(time_ns < PLAUSIBLE_FROM_NS);
    }

    /// What to say of the column `name`, which counts `unit` since 1970.
    pub(super) fn warning(&self, name: &str, unit: &str) -> Option<Warning> {
        (self.outside > 0).then(|| {
            Warning::new(
                "time_not_absolute",
                format!(
                    "the {name} of {} of {} lies before September 2001 if it counts {unit} since 1970, as this format does",
                    self.outside,
counted(self.requests, "request", "requests")
                ),
                format!(
                    "check the unit of {name}: seconds or milliseconds read as {unit} look like this, and rates and durations are then wrong; read another unit with [[format=csv]] and a column mapping"
                ),
            )
        })
    }
}
