//! Whether what a flash cache does by the clock had time to act in a replay; the note where it had not.

use super::ClockUnit;
use super::rate::Period;
use crate::replay::two_tier::Warning;
use crate::wording::{counted, grouped};

/// How much more than asked a rate of writes may be and count as held: a chance holds no rate exactly.
const TOLERANCE: f64 = 1.1;

/// What waits for a cleaner, of one page and of several.
pub(super) const WAITS_FOR_CLEANING: (&str, &str) = (
    "page of flash waits to be cleaned",
    "pages of flash wait to be cleaned",
);

/// What a flash cache does by the clock, as a replay left it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ByClock {
    /// Something is done after a time at the earliest.
    First {
        /// As the start of a sentence that goes on with "after 60 s".
        act: &'static str,
        after: Period,
        /// How much waits for it at the end, and what that is, after 1 and after other numbers.
        waiting: u64,
        words: (&'static str, &'static str),
    },
    /// Flash is filled a part each time.
    Fills {
        /// As the start of a sentence that goes on with "every 60 s".
        act: &'static str,
        every: Period,
        times: u64,
        /// Pages written the last time.
        last: u64,
        /// Pages of flash written until now, and all that it can use.
        filled: u64,
        usable: u64,
    },
    /// A rate of writes is held, by a chance of admission that is adjusted each time.
    Holds {
        every: Period,
        times: u64,
        written: u64,
        /// Pages per second asked for.
        target: f64,
        /// Of admission, at the end.
        chance: f64,
    },
}

/// How long the clock of a replay ran.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(super) unit: ClockUnit,
    /// Since it was started: at the first access, or after a crash.
    pub(super) since_start: u64,
    /// The longest time without a crash.
    pub(super) longest: u64,
}

impl ByClock {
    /// The note on a replay that was too short for it.
    #[expect(clippy::cast_precision_loss, reason = "a note rounds")]
    pub(super) fn note(self, span: Span) -> Option<Warning> {
        let (message, hint) = match self {
            Self::First {
                act,
                after,
                waiting,
                words: (one, many),
            } => {
                let lasts = after.seconds(span.longest, span.unit);
                let after = after.length();
                if waiting == 0 || lasts >= after {
                    return None;
                }
                let after = seconds(after);
                (
                    format!(
                        "{act} after {after}, and this replay lasts {}: at its end {}",
                        seconds(lasts),
                        counted(waiting, one, many)
                    ),
                    format!(
                        "writes, and the life of flash, are those of a time without it: use a recording or a load with which a replay lasts much longer than {after}"
                    ),
                )
            }
            Self::Fills {
                act,
                every,
                times,
                last,
                filled,
                usable,
            } => {
                let lasts = every.seconds(span.longest, span.unit);
                let is_filling = if times == 0 {
                    lasts < every.length()
                } else {
                    last > 0
                };
                if filled >= usable || !is_filling {
                    return None;
                }
                let of_flash = format!(
                    "{} of {} of flash",
                    grouped(filled),
                    counted(usable, "page", "pages")
                );
                let (message, pace) = if times == 0 {
                    (
                        format!(
                            "and this replay lasts {}, so flash is empty",
                            seconds(lasts)
                        ),
                        format!("lasts many times {}", seconds(every.length())),
                    )
                } else {
                    let lasts = every.seconds(span.since_start, span.unit);
                    let full = lasts * usable as f64 / filled.max(1) as f64;
                    (
                        format!(
                            "{} in the {} of this replay: it filled {of_flash}, {} of them the last time",
                            counted(times, "time", "times"),
                            seconds(lasts),
                            grouped(last)
                        ),
                        format!(
                            "lasts longer; at this pace flash is full after {}",
                            seconds(full)
                        ),
                    )
                };
                (
                    format!("{act} every {}, {message}", seconds(every.length())),
                    format!(
                        "hits and writes, and the life of flash, are those of a flash that fills: use a recording or a load with which a replay {pace}"
                    ),
                )
            }
            Self::Holds {
                every,
                times,
                written,
                target,
                chance,
            } => {
                let lasts = every.seconds(span.since_start, span.unit);
                let rate = written as f64 / lasts;
                let is_above = rate > TOLERANCE * target;
                // With a chance of one so much would have been written, as far as it is asked for.
                let is_below = times == 0 && target.min(rate / chance) > TOLERANCE * rate;
                if written == 0 || lasts <= 0.0 || !(is_above || is_below) {
                    return None;
                }
                let period = seconds(every.length());
                let adjusts = if times == 0 {
                    format!(
                        "its chance of admission is first adjusted after {period}, and this replay lasts {}",
                        seconds(lasts)
                    )
                } else {
                    format!(
                        "its chance of admission is adjusted every {period} by a quarter at most, {} in the {} of this replay",
                        counted(times, "time", "times"),
                        seconds(lasts)
                    )
                };
                let life = if is_above {
                    format!(
                        "; at the rate asked for flash would last {:.1} times as long",
                        rate / target
                    )
                } else {
                    String::new()
                };
                let asked = grouped(format_args!("{target:.0}"));
                let pages = if asked == "1" { "page" } else { "pages" };
                (
                    format!(
                        "asked for {asked} {pages} a second, CacheLib wrote {}: {adjusts}",
                        grouped(format_args!("{rate:.0}"))
                    ),
                    format!(
                        "writes, and the life of flash, are not those of the rate asked for: use a recording or a load with which a replay lasts many times {period}{life}"
                    ),
                )
            }
        };
        Some(Warning {
            name: "too_short_for_clock",
            message,
            hint,
        })
    }
}

/// A time of a note, in three digits.
fn seconds(seconds: f64) -> String {
    let (value, unit) = if seconds < 1.0 {
        (1000.0 * seconds, "ms")
    } else {
        (seconds, "s")
    };
    let text = match value {
        _ if value < 10.0 => format!("{value:.2}"),
        _ if value < 100.0 => format!("{value:.1}"),
        _ => return format!("{} {unit}", grouped(format_args!("{value:.0}"))),
    };
    format!(
        "{} {unit}",
        text.trim_end_matches('0').trim_end_matches('.')
    )
}
