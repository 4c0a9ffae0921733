//! Events of transactions: their text form, and which histories no database makes.

use std::path::Path;
use std::rc::Rc;

use super::ended::Ended;
use super::{Answer, Event, Kind, Refusal};
use crate::hash::FastMap;
use crate::progress::{OnProgress, Progress};
use crate::trace::{Input, excerpt};
use crate::wording::{counted, grouped};
use crate::{Error, Result};

/// Sums of clocks stay finite below. [ticks]
const MOST_CLOCK: f64 = 1e200;
const MOST_PAGE_DIGITS: usize = 18;
const MOST_LINE_BYTES: usize = 1 << 16;
/// Events between two reports of progress.
const REPORT_EVENTS: u64 = 1 << 16;
const ONCE_HINT: &str = "let each transaction begin once, touch pages, and commit or abort once";
const LINE_HINT: &str = "write one event per line, such as `U T1 7`";

/// One step of a transaction as it is written: its name is not known yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Written<'a> {
    /// What it does.
    pub kind: Kind,
    /// Id of the transaction.
    pub name: &'a str,
    /// Page read or updated; 0 for the other kinds.
    pub page: u64,
    /// Clock; none where the line has none. [ticks]
    pub time: Option<f64>,
}

/// Reads one line: `B T1`, `R T1 7`, `U T1 7`, `C T1` or `A T1`, with `@time` or not. `Ok(None)`: it is
/// empty or a comment; `Err`: it is not an event.
#[expect(
    clippy::result_unit_err,
    reason = "whoever knows the place writes the error"
)]
pub fn parse_line(line: &[u8]) -> std::result::Result<Option<Written<'_>>, ()> {
    let line = memchr::memchr(b'#', line).map_or(line, |at| &line[..at]);
    let mut words = line
        .split(|byte| byte.is_ascii_whitespace() || *byte == b'\x0b')
        .filter(|word| !word.is_empty());
    let Some(kind) = words.next() else {
        return Ok(None);
    };
    let kind = match kind {
        b"B" => Kind::Begin,
        b"R" => Kind::Read,
        b"U" => Kind::Update,
        b"C" => Kind::Commit,
        b"A" => Kind::Abort,
        _ => return Err(()),
    };
    let name = words.next().ok_or(())?;
    let name = std::str::from_utf8(name).map_err(|_| ())?;
    let mut last = words.next();
    let touches = matches!(kind, Kind::Read | Kind::Update);
    let page = if touches {
        let page = page_number(last.ok_or(())?).ok_or(())?;
        last = words.next();
        page
    } else {
        0
    };
    let time = match last {
        None if !touches && name.starts_with('@') => return Err(()),
        None => None,
        Some(word) => Some(clock(word).ok_or(())?),
    };
    if words.next().is_some() {
        return Err(());
    }
    Ok(Some(Written {
        kind,
        name,
        page,
        time,
    }))
}

fn page_number(word: &[u8]) -> Option<u64> {
    if word.len() > MOST_PAGE_DIGITS || !word.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// `@` and a decimal number; what Rust reads beyond that (`inf`, `.5`) is none.
fn clock(word: &[u8]) -> Option<f64> {
    let number = word.strip_prefix(b"@")?;
    let digits = number.strip_prefix(b"+").or(number.strip_prefix(b"-"));
    let unsigned = digits.unwrap_or(number);
    let known = |byte: &u8| byte.is_ascii_digit() || b".eE+-".contains(byte);
    if !unsigned.first()?.is_ascii_digit() || !unsigned.iter().all(known) {
        return None;
    }
    let time: f64 = std::str::from_utf8(number).ok()?.parse().ok()?;
    // No negative zero: equal clocks have one order.
    time.is_finite().then_some(time + 0.0)
}

/// Numbers transactions, and refuses histories that no database makes.
pub(super) struct Checker {
    database_pages: u64,
    running: FastMap<Rc<str>, u64>,
    ended: Ended,
    clock: f64,
    pub(super) events: u64,
    pub(super) begun: u64,
    pub(super) committed: u64,
    pub(super) aborted: u64,
    pub(super) reads: u64,
    pub(super) updates: u64,
    /// Highest page touched, plus 1.
    pub(super) pages: u64,
}

/// An event that was found good, and the name of what it begins.
pub(super) struct Checked {
    pub(super) event: Event,
    pub(super) begun: Option<Rc<str>>,
}

impl Checker {
    pub(super) fn new(database_pages: u64) -> Self {
        Self {
            database_pages,
            running: FastMap::default(),
            ended: Ended::default(),
            clock: f64::NEG_INFINITY,
            events: 0,
            begun: 0,
            committed: 0,
            aborted: 0,
            reads: 0,
            updates: 0,
            pages: 0,
        }
    }

    pub(super) fn check(&mut self, written: Written<'_>) -> Answer<Checked> {
        self.events += 1;
        #[expect(clippy::cast_precision_loss, reason = "a clock in events")]
        let time = written.time.unwrap_or(self.events as f64);
        let Written {
            kind, name, page, ..
        } = written;
        let number = self.running.get(name).copied();
        let mut hint = None;
        let mut wrong = match (kind, number) {
            (Kind::Begin, Some(_)) => Some("has begun before".to_owned()),
            (Kind::Begin, None) if self.has_ended(name) => Some("has begun before".to_owned()),
            (Kind::Begin, None) => None,
            (_, None) if self.has_ended(name) => Some("has ended before".to_owned()),
            (_, None) => Some("has not begun".to_owned()),
            (Kind::Read | Kind::Update, Some(_)) if page >= self.database_pages => {
                hint = Some(format!(
                    "give the database {} at least, or number its pages from 0",
                    counted(page.saturating_add(1), "page", "pages")
                ));
                Some(format!(
                    "page `{page}` is not among the {} of the database, which are numbered from 0",
                    grouped(self.database_pages)
                ))
            }
            _ => None,
        };
        if time < self.clock {
            wrong = Some(format!("the clock goes back from {} to {time}", self.clock));
            hint = None;
        }
        if time.is_nan() || time.abs() > MOST_CLOCK {
            wrong = Some(format!("the clock `{time:e}` is beyond {MOST_CLOCK:e}"));
            hint = None;
        }
        if let Some(wrong) = wrong {
            let step = format!("{} {}", kind.word(), excerpt(name.as_bytes()));
            return Err(Refusal {
                part: "events",
                place: format!("event {}", self.events),
                value: step,
                message: wrong,
                hint: hint.unwrap_or_else(|| ONCE_HINT.to_owned()),
            }
            .into());
        }
        self.clock = time;
        let mut begun = None;
        let transaction = match kind {
            Kind::Begin => {
                let name: Rc<str> = name.into();
                self.running.insert(Rc::clone(&name), self.begun);
                begun = Some(name);
                self.begun += 1;
                self.begun - 1
            }
            Kind::Commit | Kind::Abort => {
                let number = self.running.remove(name).expect("it runs");
                self.ended.insert(name);
                if kind == Kind::Commit {
                    self.committed += 1;
                } else {
                    self.aborted += 1;
                }
                number
            }
            Kind::Read | Kind::Update => {
                if kind == Kind::Read {
                    self.reads += 1;
                } else {
                    self.updates += 1;
                }
                self.pages = self.pages.max(page.saturating_add(1));
                number.expect("it runs")
            }
        };
        Ok(Checked {
            event: Event {
                kind,
                transaction,
                page,
                time,
            },
            begun,
        })
    }

    fn has_ended(&self, name: &str) -> bool {
        self.ended.contains(name)
    }
}

/// Hands on every event of a file of any length, compressed or not; only one block of it is in memory.
pub(super) fn stream(
    path: &Path,
    on_progress: OnProgress<'_>,
    mut each: impl FnMut(Written<'_>) -> Answer<()>,
) -> Answer<()> {
    let mut input = Input::open(path)?;
    let mut lines = 0_u64;
    let mut events = 0_u64;
    while let Some(line) = input.next_line(MOST_LINE_BYTES)? {
        lines += 1;
        let bytes = match line {
            Ok(line) => input.slice(line.start..line.end),
            Err(_) => {
                return Err(Error::BadTrace {
                    path: path.to_owned(),
                    place: format!("line {lines}"),
                    message: format!(
                        "is longer than {}",
                        counted(MOST_LINE_BYTES as u64, "byte", "bytes")
                    ),
                    hint: LINE_HINT.to_owned(),
                }
                .into());
            }
        };
        let written = parse_line(bytes).map_err(|()| Error::BadTrace {
            path: path.to_owned(),
            place: format!("line {lines}"),
            message: format!("`{}` is not an event", shown(bytes)),
            hint: LINE_HINT.to_owned(),
        })?;
        if let Some(written) = written {
            each(written)?;
            events += 1;
            if events.is_multiple_of(REPORT_EVENTS) {
                report(&input, events, on_progress)?;
            }
        }
    }
    report(&input, events, on_progress)?;
    Ok(())
}

fn report(input: &Input, events: u64, on_progress: &mut dyn FnMut(Progress) -> bool) -> Result<()> {
    let (done, total) = input.position();
    let progress = Progress {
        done,
        total,
        accesses: events,
        requests: None,
    };
    if on_progress(progress) {
        Ok(())
    } else {
        Err(Error::Cancelled)
    }
}

/// A line without the space around it, shortened.
pub fn shown(line: &[u8]) -> String {
    excerpt(line.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        let found = parse_line(b" U T1 7 @4.5 # later\r").unwrap().unwrap();
        assert_eq!(
            (found.kind, found.name, found.page),
            (Kind::Update, "T1", 7)
        );
        assert_eq!(found.time, Some(4.5));
        assert_eq!(parse_line(b" # nothing"), Ok(None));
        for wrong in [
            "@3",
            "B T1 @",
            "B T1 @nan",
            "B T1 @1_0",
            "B T1 @1e999",
            "X T1",
            "R T1",
            "B",
            "R T1 x",
            "R T1 1 2",
            "B T1 @x",
            "B T1 @.5",
            "C T1 7",
            "R T1 1234567890123456789",
            "B T1 @1 @2",
            "B @1",
        ] {
            assert_eq!(parse_line(wrong.as_bytes()), Err(()), "{wrong}");
        }
    }
}
