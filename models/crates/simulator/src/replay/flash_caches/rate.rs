//! What works by time, in a trace that has none: its accesses come at a rate that is stated.

use super::options::Options;
use super::{ClockUnit, OptionAbout};
use crate::error::{Error, Result};

pub(super) const NAME: &str = "accesses_per_second";
const NS_PER_S: u64 = 1_000_000_000;
pub(super) const NS_PER_MS: u64 = 1_000_000;

/// The option that states it.
pub(super) const ACCESSES_PER_SECOND: OptionAbout = OptionAbout {
    name: NAME,
    values: "1 to 1000000000000",
    default: "no rate",
    description: "Accesses per second, without which what works by time refuses a trace that has none; the times of a trace that has some are multiplied until this is their mean rate.",
    is_place: false,
};

const STRETCH_NAME: &str = "stretch";
/// The option of another load than the recorded one, of all that has [`ACCESSES_PER_SECOND`].
pub(super) const STRETCH: OptionAbout = OptionAbout {
    name: STRETCH_NAME,
    values: "a positive number",
    default: "1",
    description: "Factor of the times of a trace: 0.5 replays it at twice its rate, bursts and pauses in proportion. A trace without time has accesses_per_second instead.",
    is_place: false,
};

/// A factor of recorded times, where one is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stretch(Option<f64>);

impl Stretch {
    /// As the options of a flash cache that has [`STRETCH`] say.
    pub(super) fn of(options: &Options<'_>) -> Result<Self> {
        if !options.is_given(STRETCH_NAME) {
            return Ok(Self::default());
        }
        let parse = |text: &str| match text.parse::<f64>() {
            Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(factor),
            _ => Err("is not a positive number".to_owned()),
        };
        options.parsed(STRETCH_NAME, parse).map(Some).map(Self)
    }

    /// Refuses it where there are no times that it could multiply: `timed` says whether the trace has them, and
    /// `simulated` whether accesses arrive otherwise.
    pub(super) fn check(self, timed: bool, simulated: bool) -> Result<()> {
        let Some(factor) = self.0 else { return Ok(()) };
        let (why, hint) = if simulated {
            (
                "on simulated time the arrivals say when accesses come",
                "leave it out, and stretch the arrivals".to_owned(),
            )
        } else if timed {
            return Ok(());
        } else {
            (
                "the trace has no time that could be multiplied",
                format!("leave it out, and state the accesses per second, {NAME}=1000 for example"),
            )
        };
        Err(Error::BadParameter {
            name: "option",
            value: format!("{STRETCH_NAME}={factor}"),
            message: why.to_owned(),
            hint,
        })
    }

    /// Multiplies recorded times.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "nanoseconds of a trace: those of 104 days are exact"
    )]
    pub(super) fn apply(self, times_ns: &mut [i64]) {
        let Some(factor) = self.0 else { return };
        for time_ns in times_ns {
            *time_ns = (*time_ns as f64 * factor) as i64;
        }
    }
}

/// A period, by time or, where the trace has none, by a rate of accesses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Period {
    pub(crate) ns: u64,
    pub(crate) accesses_per_second: Option<u64>,
}

impl Period {
    pub(super) fn new(options: &Options<'_>, ms: u64) -> Result<Self> {
        Self::of_us(options, ms * 1000)
    }

    pub(super) fn of_us(options: &Options<'_>, us: u64) -> Result<Self> {
        Ok(Self {
            ns: us * 1000,
            accesses_per_second: options.number_if_given(NAME, 1..=1_000_000_000_000)?,
        })
    }

    /// So many accesses of a trace without time.
    pub(super) fn of_accesses(accesses: u64) -> Self {
        Self {
            ns: accesses.saturating_mul(NS_PER_S),
            accesses_per_second: Some(1),
        }
    }

    /// What the clock counts in a second.
    fn per_second(self, unit: ClockUnit) -> u64 {
        match unit {
            ClockUnit::Nanoseconds => NS_PER_S,
            ClockUnit::Accesses => self.accesses_per_second.unwrap_or(1),
        }
    }

    /// As many of these periods as are not shorter than another one.
    pub(super) fn whole_to(self, other: Self) -> Self {
        Self {
            ns: other.ns.div_ceil(self.ns).max(1) * self.ns,
            ..self
        }
    }

    /// Its length. [s]
    #[expect(clippy::cast_precision_loss, reason = "a length to show")]
    pub(super) fn length(self) -> f64 {
        self.ns as f64 / NS_PER_S as f64
    }

    /// What its clock counted. [s]
    #[expect(clippy::cast_precision_loss, reason = "a length to show")]
    pub(super) fn seconds(self, ticks: u64, unit: ClockUnit) -> f64 {
        ticks as f64 / self.per_second(unit) as f64
    }

    /// The period as the clock counts it.
    pub(super) fn ticks(self, unit: ClockUnit) -> u64 {
        let ticks = u128::from(self.ns) * u128::from(self.per_second(unit)) / u128::from(NS_PER_S);
        u64::try_from(ticks).unwrap_or(u64::MAX).max(1)
    }

    /// When the period ends for the `count`th time; by a rate, at the first access that is not before.
    pub(super) fn end(self, count: u64, unit: ClockUnit) -> u64 {
        let ns = u128::from(count) * u128::from(self.ns);
        let ticks = match unit {
            ClockUnit::Nanoseconds => ns,
            ClockUnit::Accesses => ns
                .saturating_mul(u128::from(self.per_second(unit)))
                .div_ceil(u128::from(NS_PER_S)),
        };
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }

    /// How often it has ended up to a time.
    pub(super) fn ends_until(self, now: u64, unit: ClockUnit) -> u64 {
        let ended = match unit {
            ClockUnit::Nanoseconds => u128::from(now / self.ns),
            ClockUnit::Accesses => {
                u128::from(now) * u128::from(NS_PER_S)
                    / (u128::from(self.ns) * u128::from(self.per_second(unit)))
            }
        };
        u64::try_from(ended).unwrap_or(u64::MAX)
    }
}

/// What a flash cache does by time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByTime {
    pub(super) period: Period,
    /// As the start of a sentence that ends with "by time".
    pub(super) what: &'static str,
}

impl ByTime {
    /// Refuses a trace without time if no rate is stated.
    pub(super) fn check(self, unit: ClockUnit) -> Result<()> {
        let Self { period, what } = self;
        if unit == ClockUnit::Nanoseconds || period.accesses_per_second.is_some() {
            return Ok(());
        }
        Err(Error::BadParameter {
            name: "option",
            value: NAME.to_owned(),
            message: format!("the trace has no time, and {what} by time"),
            hint: format!(
                "state the accesses per second, {NAME}=1000 for example, or use a trace with time"
            ),
        })
    }
}

/// When a clock that stands at `now` next passes a multiple of `period`.
pub(super) fn next_due(now: u64, period: u64) -> u64 {
    (now / period + 1).saturating_mul(period)
}
