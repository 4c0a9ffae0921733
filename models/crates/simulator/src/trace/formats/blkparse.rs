//! Text of `blkparse` in its default layout: `maj,min cpu seq time pid action rwbs sector + sectors`.
//!
//! One request appears as several actions (Q queued, G, I, D issued, C completed, M merged ...), so
//! exactly one of them is taken for the requests: Q, what the layers above asked for; where the
//! recording has none, D; where it has neither, C. All others are counted and passed over.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{SECOND_NS, Words, decimal_time, sectors, wrong_columns};
use crate::trace::formats::{Format, Open, head_lines, score_lines};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    FieldUnit, LineReader, LogFormat, Request, RequestReader, Spaces, Understanding, Warning,
    resumable,
};
use crate::trace::text::{Fault, ParseResult, excerpt, fault, parse_u64};
use crate::wording::counted;

pub(crate) const FORMAT: Format = Format {
    name: "blkparse",
    description: "Linux blktrace as text of blkparse: maj,min cpu seq time pid action rwbs sector + sectors",
    verified: "real recordings: a Hadoop node (zzunny97/blktrace-hadoop), a server (Apress, block-trace-analysis); an independent reading agrees",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: true,
    detect: |head| {
        score_lines(
            head,
            Blkparse::new(choose(head)),
            "events of blkparse: device, cpu, sequence, seconds, process, action",
        )
    },
    open: Open::Requests(open),
};

/// The one action that stands for the requests of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Action {
    Queued,
    Issued,
    Completed,
}

impl Action {
    /// The best of those that occur: queued, else issued, else completed.
    pub(super) fn best(occurring: impl IntoIterator<Item = Self>) -> Self {
        let mut best = None;
        for action in occurring {
            match (best, action) {
                (_, Self::Queued) => return Self::Queued,
                (None | Some(Self::Completed), Self::Issued) => best = Some(Self::Issued),
                (None, Self::Completed) => best = Some(Self::Completed),
                _ => {}
            }
        }
        best.unwrap_or(Self::Queued)
    }

    pub(super) fn letter(self) -> char {
        match self {
            Self::Queued => 'Q',
            Self::Issued => 'D',
            Self::Completed => 'C',
        }
    }

    fn of(word: &[u8]) -> Option<Self> {
        match word {
            b"Q" => Some(Self::Queued),
            b"D" => Some(Self::Issued),
            b"C" => Some(Self::Completed),
            _ => None,
        }
    }

    /// What choosing this action means, for the assumptions.
    pub(super) fn assumption(self) -> String {
        match self {
            Self::Queued => {
                "the requests are the Q events (queued); all other actions of the same requests are skipped".to_owned()
            }
            Self::Issued => {
                "the requests are the D events (issued to the device, after merging): the recording begins without Q events".to_owned()
            }
            Self::Completed => {
                "the requests are the C events (completed, after merging): the recording begins without Q and D events".to_owned()
            }
        }
    }
}

/// What was passed over in a recording of block layer events, and why.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PassedOver {
    pub(super) queued: u64,
    pub(super) issued: u64,
    pub(super) completed: u64,
    pub(super) discards: u64,
    pub(super) without_data: u64,
}

impl PassedOver {
    pub(super) fn count(&mut self, action: Action) {
        match action {
            Action::Queued => self.queued += 1,
            Action::Issued => self.issued += 1,
            Action::Completed => self.completed += 1,
        }
    }

    pub(super) fn warnings(&self, chosen: Action) -> Vec<Warning> {
        let letter = chosen.letter();
        let mut warnings = Vec::new();
        let others: Vec<String> = [
            (self.queued, 'Q'),
            (self.issued, 'D'),
            (self.completed, 'C'),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, letter)| {
            let events = format!("{letter} event");
            counted(count, &events, &format!("{events}s"))
        })
        .collect();
        if !others.is_empty() {
            warnings.push(Warning::new(
                "duplicated_across_actions",
                format!(
                    "each request appears under several actions; only {letter} events count; skipped: {}", others.join(" and ")
                ),
                "no action is needed for cache studies; to study the device itself, keep only the D events (blktrace -a issue)",
            ));
        }
        if self.discards > 0 {
            warnings.push(Warning::new(
                "discards_passed_over",
                counted(
                    self.discards,
                    "discard (trim) request transfers no data and makes no access",
                    "discard (trim) requests transfer no data and make no access",
                ),
                "no action is needed unless you study discards",
            ));
        }
        if self.without_data > 0 {
            warnings.push(Warning::new(
                "requests_without_data",
                counted(
self.without_data,
&format!("{letter} event is a flush, zone command or other that neither reads nor writes data"),
&format!("{letter} events are flushes, zone commands or others that neither read nor write data"),
),
                "no action is needed: they make no access",
            ));
        }
        warnings
    }
}

/// The warning of devices whose requests are in the trace a second time, as those of the devices
/// below them.
pub(super) fn stacked(devices: impl Iterator<Item = String>) -> Option<Warning> {
    let twice: Vec<String> = devices.collect();
    (!twice.is_empty()).then(|| {
        Warning::new(
            "stacked_devices",
            format!(
                "requests of device {} were mapped to another device that is in the trace too, so they count twice",
                twice.join(" and ")
            ),
            "keep the events of one layer only: the mapped device or the one below it",
        )
    })
}

/// The action to take for the requests, from the head.
fn choose(head: &Head<'_>) -> Action {
    let lines = head_lines(head);
    Action::best(
        lines
            .iter()
            .filter(|line| is_event(line))
            .filter_map(|line| Action::of(Words::new(line).nth(5)?)),
    )
}

/// Whether a line begins with `major,minor`.
fn is_event(line: &[u8]) -> bool {
    Words::new(line).next().is_some_and(is_device)
}

fn is_device(word: &[u8]) -> bool {
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    memchr::memchr(b',', word)
        .is_some_and(|comma| digits(&word[..comma]) && digits(&word[comma + 1..]))
}

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let action = choose(&input.head());
    let letter = action.letter();
    let units = vec![
        FieldUnit::new("maj,min", "numbers", "together: the device"),
        FieldUnit::new("time", "s", "time since the start of the recording"),
        FieldUnit::new(
            "action",
            "letter",
            format!("only {letter} events are requests"),
        ),
        FieldUnit::new(
            "rwbs",
            "letters",
            "W writes, R reads, D discards (no access)",
        ),
        FieldUnit::new("sector", "512-byte sectors", "first sector of the request"),
        FieldUnit::new("+ n", "512-byte sectors", "length of the request"),
    ];
    let assumptions = vec![
        action.assumption(),
        "read-ahead (RA) and metadata (RM, WM) count as reads and writes".to_owned(),
    ];
    LineReader::boxed(
        input,
        Blkparse::new(action),
        Understanding::block(units, assumptions),
        Spaces::default(),
    )
}

#[derive(Serialize, Deserialize)]
struct Blkparse {
    chosen: Action,
    passed: PassedOver,
    /// Whether the totals that blkparse prints at its end have begun.
    totals: bool,
    /// Devices of requests, by their number.
    devices: Vec<Box<[u8]>>,
    /// Devices whose requests were mapped to another one (A events).
    mapped: Vec<Box<[u8]>>,
}

impl Blkparse {
    fn new(chosen: Action) -> Self {
        Self {
            chosen,
            passed: PassedOver::default(),
            totals: false,
            devices: Vec::new(),
            mapped: Vec::new(),
        }
    }

    /// A line that is no event: a note of blkparse, or a fault.
    #[cold]
    fn note(&mut self, line: &[u8]) -> ParseResult<Option<Request>> {
        const TOTALS: [&[u8]; 5] = [b"CPU", b"Total (", b"Throughput", b"Events (", b"Skips:"];
        self.totals |= TOTALS.iter().any(|start| line.starts_with(start));
        if self.totals || line.starts_with(b"Input file ") {
            return Ok(None);
        }
        Err(not_an_event())
    }

    #[cold]
    fn remapped(&mut self, rest: &[u8]) {
        // `sector + n <- (maj,min) sector`
        let source = rest
            .split(|byte| *byte == b'(')
            .nth(1)
            .and_then(|tail| tail.split(|byte| *byte == b')').next());
        if let Some(source) = source.filter(|source| is_device(source))
            && !self.mapped.iter().any(|known| **known == *source)
        {
            self.mapped.push(source.into());
        }
    }
}

impl LogFormat for Blkparse {
    #[inline]
    fn parse_line(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Option<Request>> {
        let mut words = Words::new(line);
        let Some(device) = words.next().filter(|device| is_device(device)) else {
            return self.note(line);
        };
        let (Some(_cpu), Some(_sequence), Some(time), Some(_pid), Some(action)) = (
            words.next(),
            words.next(),
            words.next(),
            words.next(),
            words.next(),
        ) else {
            return Err(not_an_event());
        };
        let Some(kind) = Action::of(action) else {
            if action == b"A" {
                self.remapped(words.rest());
            } else if action.len() > 2 || !action.iter().all(u8::is_ascii_alphabetic) {
                return Err(unknown_action(action));
            }
            return Ok(None);
        };
        if kind != self.chosen {
            self.passed.count(kind);
            return Ok(None);
        }
        let rwbs = words
            .next()
            .filter(|rwbs| rwbs.iter().all(u8::is_ascii_alphabetic))
            .ok_or_else(no_rwbs)?;
        let write = match direction(rwbs) {
            Direction::Read => false,
            Direction::Write => true,
            Direction::Discard => {
                self.passed.discards += 1;
                return Ok(None);
            }
            Direction::None => {
                self.passed.without_data += 1;
                return Ok(None);
            }
        };
        let sector = match words.next() {
            // A flush with a write flag has `[process]`, a command of its own `(command)`, in place
            // of the sector; anything else there is a damaged number, not a flush.
            None | Some([b'[' | b'(', ..]) => {
                self.passed.without_data += 1;
                return Ok(None);
            }
            Some(sector) => sector,
        };
        let count = match (words.next(), words.next()) {
            (Some(b"+"), Some(count)) => count,
            // A completed flush is `sector [error]`, a command of its own `bytes (command) [process]`.
            (Some([b'[' | b'(', ..]), _) => {
                parse_u64(sector, "sector")?;
                self.passed.without_data += 1;
                return Ok(None);
            }
            _ => return Err(no_length()),
        };
        let space = spaces.number(device)?;
        if space as usize == self.devices.len() {
            self.devices.push(device.into());
        }
        Ok(Some(Request {
            time_ns: decimal_time(time, SECOND_NS, "time")?,
            offset: sectors(sector, "sector")?,
            size: sectors(count, "number of sectors")?,
            space,
            write,
        }))
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.passed.warnings(self.chosen);
        warnings.extend(stacked(
            self.mapped
                .iter()
                .filter(|device| self.devices.contains(device))
                .map(|device| excerpt(device)),
        ));
        warnings
    }

    resumable!();
}

/// What the letters of the rwbs field mean for a cache.
enum Direction {
    Read,
    Write,
    Discard,
    None,
}

#[inline]
fn direction(rwbs: &[u8]) -> Direction {
    let (mut read, mut write) = (false, false);
    for (index, letter) in rwbs.iter().enumerate() {
        match letter {
            b'D' => return Direction::Discard,
            // Zone commands (ZR, ZO ...) borrow letters: a zone reset is no read.
            b'Z' if index == 0 => return Direction::None,
            b'W' => write = true,
            b'R' => read = true,
            _ => {}
        }
    }
    match (write, read) {
        (true, _) => Direction::Write,
        (false, true) => Direction::Read,
        (false, false) => Direction::None,
    }
}

#[cold]
fn not_an_event() -> Fault {
    wrong_columns(
        "maj,min cpu sequence time pid action rwbs ... of an event of blkparse",
        "blanks (blkparse without -f)",
    )
}

#[cold]
fn unknown_action(action: &[u8]) -> Fault {
    fault(
        format!("action `{}` is not one of blkparse's", excerpt(action)),
        "write the text with blkparse's default layout (without -f)",
    )
}

#[cold]
fn no_rwbs() -> Fault {
    fault(
        "the event has no letters of rwbs (R, W, D ...) after its action",
        "check that the line is whole",
    )
}

#[cold]
fn no_length() -> Fault {
    fault(
        "the event has a sector but no `+ number of sectors` after it",
        "check that the line is whole",
    )
}
