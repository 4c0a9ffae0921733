//! Checkpoints of the database above a flash cache: changed pages of DRAM reach flash or the disk, and stay.

use super::options::Options;
use super::rate::next_due;
use super::{ClockUnit, OptionAbout};
use crate::error::{Error, Result};

const BY_ACCESSES: &str = "checkpoint_accesses";
const BY_TIME: &str = "checkpoint_us";
const TO: &str = "checkpoint_to";

/// The options of a flash cache under which the database takes checkpoints.
pub(super) const BY_ACCESSES_ABOUT: OptionAbout = OptionAbout {
    name: BY_ACCESSES,
    values: "0 to 4294967295",
    default: "0",
    description: "Accesses between two checkpoints of the database, at which changed pages of DRAM are written and stay there. 0: no checkpoints by accesses.",
    is_place: false,
};
pub(super) const BY_TIME_ABOUT: OptionAbout = OptionAbout {
    name: BY_TIME,
    values: "0 to 1000000000000000",
    default: "0",
    description: "Time between two checkpoints, for traces with time, in place of checkpoint_accesses. 0: no checkpoints by time. [µs]",
    is_place: false,
};
pub(super) const TO_ABOUT: OptionAbout = OptionAbout {
    name: TO,
    values: "flash, disk",
    default: "flash",
    description: "Where a checkpoint writes changed pages: to flash under the rule for pages that leave DRAM, or to disk, which makes older copies on flash invalid.",
    is_place: false,
};

/// Where a checkpoint writes changed pages of DRAM.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Target {
    #[default]
    Flash,
    Disk,
}

/// When the database takes checkpoints, and where they write.
///
/// They are counted from the first access on: behind each `accesses` accesses, or whenever `ns` are over, then before
/// an access of that very time. A crash at the place of a checkpoint comes first.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Checkpoints {
    /// 0: not by accesses.
    accesses: u64,
    /// 0: not by time. [ns]
    ns: u64,
    pub(super) target: Target,
}

impl Checkpoints {
    pub(super) fn of(options: &Options<'_>) -> Result<Self> {
        let accesses = options.number(BY_ACCESSES, 0..=u64::from(u32::MAX))?;
        let us = options.number(BY_TIME, 0..=1_000_000_000_000_000)?;
        let target = options.choice(TO, &[("flash", Target::Flash), ("disk", Target::Disk)])?;
        if accesses > 0 && us > 0 {
            let why = format!("cannot be combined with {BY_ACCESSES}");
            return Err(options.impossible(BY_TIME, &why));
        }
        if accesses == 0 && us == 0 && options.is_given(TO) {
            let why = format!("has no effect without {BY_ACCESSES} or {BY_TIME}");
            return Err(options.impossible(TO, &why));
        }
        Ok(Self {
            accesses,
            ns: 1000 * us,
            target,
        })
    }

    /// Whether there are any.
    pub(super) fn any(self) -> bool {
        self.accesses > 0 || self.ns > 0
    }

    /// Whether there are any by time.
    pub(super) fn by_time(self) -> bool {
        self.ns > 0
    }

    /// Whether one by accesses is taken behind `done` of them.
    pub(super) fn is_at(self, done: u64) -> bool {
        done > 0 && self.accesses > 0 && done.is_multiple_of(self.accesses)
    }

    /// The accesses behind which the next one by accesses is taken, more than `done` of them.
    pub(super) fn next_access(self, done: u64) -> Option<u64> {
        (self.accesses > 0).then(|| next_due(done, self.accesses))
    }

    /// When the next one by time is taken, if the first access was at `origin`. [ns]
    pub(super) fn next_time(self, origin: u64, now: u64) -> u64 {
        if self.ns == 0 {
            return u64::MAX;
        }
        origin.saturating_add(next_due(now - origin, self.ns))
    }

    /// Refuses those by time in a trace that has none.
    pub(super) fn check(self, unit: ClockUnit) -> Result<()> {
        if self.ns == 0 || unit == ClockUnit::Nanoseconds {
            return Ok(());
        }
        Err(Error::BadParameter {
            name: "option",
            value: format!("{BY_TIME}={}", self.ns / 1000),
            message: "the trace has no time, and these checkpoints are taken by time".to_owned(),
            hint: format!("give {BY_ACCESSES} instead, or use a trace with time"),
        })
    }
}
