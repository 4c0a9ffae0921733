//! Checkpoints of the database above a flash cache: changed pages of DRAM reach flash or the disk, and stay.

use super::options::Options;
use super::rate::{NAME as RATE, Period, next_due};
use super::settled::ByClock;
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
    description: "Time between two checkpoints, in place of checkpoint_accesses; a trace without time needs accesses_per_second for it. 0: no checkpoints by time. [µs]",
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
/// They are counted from the first access on: behind each `accesses` accesses, or whenever a period is over, then before
/// an access of that very time. A crash at the place of a checkpoint comes first.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Checkpoints {
    /// 0: not by accesses.
    accesses: u64,
    /// None: not by time.
    period: Option<Period>,
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
        let period = Period::of_us(options, us)?;
        Ok(Self {
            accesses,
            period: (us > 0).then_some(period),
            target,
        })
    }

    /// Whether there are any.
    pub(super) fn any(self) -> bool {
        self.accesses > 0 || self.by_time()
    }

    /// Whether there are any by time.
    pub(super) fn by_time(self) -> bool {
        self.period.is_some()
    }

    /// Whether one by accesses is taken behind `done` of them.
    pub(super) fn is_at(self, done: u64) -> bool {
        done > 0 && self.accesses > 0 && done.is_multiple_of(self.accesses)
    }

    /// The accesses behind which the next one by accesses is taken, more than `done` of them.
    pub(super) fn next_access(self, done: u64) -> Option<u64> {
        (self.accesses > 0).then(|| next_due(done, self.accesses))
    }

    /// When the next one by time is taken, as the clock counts, if the first access was at `origin`.
    pub(super) fn next_time(self, origin: u64, now: u64, unit: ClockUnit) -> u64 {
        let Some(period) = self.period else {
            return u64::MAX;
        };
        let taken = period.ends_until(now - origin, unit);
        origin.saturating_add(period.end(taken + 1, unit))
    }

    /// Those by time, for which so many `changed` pages of DRAM wait.
    pub(super) fn by_clock(self, changed: u64) -> Option<ByClock> {
        self.period.map(|after| ByClock::First {
            act: "the database first takes a checkpoint",
            after,
            waiting: changed,
            words: (
                "changed page of RAM waits to be written",
                "changed pages of RAM wait to be written",
            ),
        })
    }

    /// Refuses those by time in a trace that has none, if no rate is stated.
    pub(super) fn check(self, unit: ClockUnit) -> Result<()> {
        let Some(period) = self.period else {
            return Ok(());
        };
        if unit == ClockUnit::Nanoseconds || period.accesses_per_second.is_some() {
            return Ok(());
        }
        Err(Error::BadParameter {
            name: "option",
            value: format!("{BY_TIME}={}", period.ns / 1000),
            message: "the trace has no time, and these checkpoints are taken by time".to_owned(),
            hint: format!(
                "state the accesses per second, {RATE}=1000 for example, give {BY_ACCESSES} instead, or use a trace with time"
            ),
        })
    }
}
