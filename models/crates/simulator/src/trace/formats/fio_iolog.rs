//! I/O logs of fio, versions 2 and 3, as `write_iolog` writes and `read_iolog` takes them.
//!
//! The first line is `fio version N iolog`. Version 2: `file action [offset length]`; version 3:
//! `time file action [offset length]` with the time in microseconds. Offset and length in bytes.
//! Actions add, open, close, sync, datasync and wait move no data. A wait of version 2 gives no time:
//! fio's documentation and its code disagree on what it is relative to.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::trace::TraceSpec;
use crate::trace::fields::{MICROSECOND_NS, Words, whole_time, wrong_columns};
use crate::trace::formats::{Format, Open, Score, head_lines, score_lines};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    FieldUnit, LineReader, LogFormat, Request, RequestReader, Spaces, Understanding, Warning,
    resumable,
};
use crate::trace::text::{Fault, ParseResult, excerpt, fault, parse_u64};
use crate::wording::counted;

pub(crate) const FORMAT: Format = Format {
    name: "fio_iolog",
    description: "fio I/O log, versions 2 and 3: [time] file action offset length (µs, bytes)",
    verified: "logs of fio 3.33 (version 3; its own replay counts the same) and of a converter (version 2)",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: false,
    detect,
    open: Open::Requests(open),
};

/// The version in a first line `fio version N iolog`.
fn version(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(b"fio version ")?.strip_suffix(b" iolog")
}

fn head_version<'a>(head: &Head<'a>) -> Option<&'a [u8]> {
    version(head_lines(head).first()?)
}

fn detect(head: &Head<'_>) -> Score {
    match head_version(head) {
        Some(b"2") => score_lines(head, FioIolog::new(2), "file, action, offset, length"),
        Some(b"3") => score_lines(
            head,
            FioIolog::new(3),
            "microseconds, file, action, offset, length",
        ),
        Some(other) => Score::new(
            0.9,
            format!("the header of a fio log of version {}", excerpt(other)),
        ),
        None => Score::no("its first line is not `fio version N iolog`"),
    }
}

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let found = head_version(&input.head()).map(excerpt);
    let version = match found.as_deref() {
        Some("2") => 2,
        Some("3") => 3,
        other => {
            return Err(Error::Unreadable {
                path: input.path().to_owned(),
                message: format!(
                    "this is a fio log of version {}; versions 2 and 3 are read",
                    other.unwrap_or("unknown")
                ),
                hint: "record it again with fio 1.20 or later (write_iolog)".to_owned(),
            });
        }
    };
    let mut units = vec![
        FieldUnit::new("file", "name", "device: its pages are separate pages"),
        FieldUnit::new("action", "read or write", "others make no access"),
        FieldUnit::new("offset", "bytes", "first byte of the request"),
        FieldUnit::new("length", "bytes", "length of the request"),
    ];
    let mut assumptions = vec![
        "the log is of fio's own requests; one made from a block trace lies below the page cache"
            .to_owned(),
    ];
    if version == 3 {
        units.insert(
            0,
            FieldUnit::new("time", "µs", "time since the start of the run"),
        );
    } else {
        assumptions.push("version 2 has no times: waits are not counted as time".to_owned());
    }
    let understanding = Understanding {
        has_time: version == 3,
        ..Understanding::block(units, assumptions)
    };
    LineReader::boxed(
        input,
        FioIolog::new(version),
        understanding,
        Spaces::default(),
    )
}

#[derive(Serialize, Deserialize)]
struct FioIolog {
    version: u8,
    trims: u64,
    waits: u64,
}

impl FioIolog {
    fn new(version: u8) -> Self {
        Self {
            version,
            trims: 0,
            waits: 0,
        }
    }

    fn wrong_columns(&self) -> Fault {
        wrong_columns(
            if self.version == 3 {
                "time file action [offset length]"
            } else {
                "file action [offset length]"
            },
            "blanks; file names contain none",
        )
    }

    #[inline]
    fn parse_entry(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Option<Request>> {
        let mut words = Words::new(line);
        let time_ns = match self.version {
            3 => {
                let time = words.next().ok_or_else(|| self.wrong_columns())?;
                whole_time(time, MICROSECOND_NS, "time")?
            }
            _ => 0,
        };
        let (Some(file), Some(action)) = (words.next(), words.next()) else {
            return Err(self.wrong_columns());
        };
        let extent = (words.next(), words.next(), words.next());
        let write = match (action, extent) {
            (b"read", (Some(_), Some(_), None)) => false,
            (b"write", (Some(_), Some(_), None)) => true,
            (b"trim", (Some(_), Some(_), None)) => {
                self.trims += 1;
                return Ok(None);
            }
            (b"wait", (Some(_), ..)) if self.version == 2 => {
                self.waits += 1;
                return Ok(None);
            }
            (b"add" | b"open" | b"close", (None, ..)) | (b"sync" | b"datasync", _) => {
                return Ok(None);
            }
            (b"read" | b"write" | b"trim" | b"add" | b"open" | b"close" | b"wait", _) => {
                return Err(self.wrong_columns());
            }
            (other, _) => return Err(unknown_action(other)),
        };
        let (offset, length) = (extent.0.unwrap_or_default(), extent.1.unwrap_or_default());
        Ok(Some(Request {
            time_ns,
            offset: parse_u64(offset, "offset")?,
            size: parse_u64(length, "length")?,
            space: spaces.number(file)?,
            write,
        }))
    }
}

impl LogFormat for FioIolog {
    #[inline]
    fn parse_line(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Option<Request>> {
        self.parse_entry(line, spaces)
            .map_err(|fault| several_logs(line, fault))
    }

    fn is_header(&self, line: &[u8]) -> bool {
        version(line).is_some()
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.trims > 0 {
            warnings.push(Warning::new(
                "discards_passed_over",
                counted(
                    self.trims,
                    "trim request transfers no data and makes no access",
                    "trim requests transfer no data and make no access",
                ),
                "no action is needed unless you study discards",
            ));
        }
        if self.waits > 0 {
            warnings.push(Warning::new(
                "waits_not_counted",
                counted(
self.waits,
"wait was skipped: a log of version 2 does not say when its requests were made",
"waits were skipped: a log of version 2 does not say when its requests were made",
),
                "record with fio 3.31 or later for times (version 3)",
            ));
        }
        warnings
    }

    resumable!();
}

/// The fault of a line into which another log runs.
#[cold]
fn several_logs(line: &[u8], other: Fault) -> Fault {
    if memchr::memmem::find(line, b"fio version ").is_none() {
        return other;
    }
    fault(
        "another log begins inside the file: fio appends to an existing log, and the jobs of one run write into each other's lines",
        "record again into a new file, with one write_iolog for each job",
    )
}

#[cold]
fn unknown_action(action: &[u8]) -> Fault {
    fault(
        format!("action `{}` is not one of fio's", excerpt(action)),
        "fio writes add, open, close, read, write, sync, datasync, trim and wait; check that the line is whole",
    )
}
