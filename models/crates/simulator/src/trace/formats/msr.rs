//! MSR Cambridge block traces: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.
//!
//! Timestamp is a Windows filetime (ticks of 100 ns since 1601-01-01 UTC), offset and size are
//! bytes. Disk numbers repeat across hosts, so the device is host and disk together.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::is_named;
use crate::trace::formats::{Format, Open, score_lines};
use crate::trace::open::Input;
use crate::trace::reader::{
    Addressing, FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding,
    Warning, resumable,
};
use crate::trace::text::{Fault, ParseResult, excerpt, fault, parse_u64, trim};

const COLUMNS: &str = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";
/// 1970-01-01 as a filetime [100 ns].
pub(crate) const UNIX_EPOCH_TICKS: u64 = 116_444_736_000_000_000;
/// Nanoseconds of one filetime tick.
const TICK_NS: i64 = 100;

pub(crate) const FORMAT: Format = Format {
    name: "msr",
    description: "MSR Cambridge block trace, CSV: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
    verified: "official description and published lines; a trace converted into it (MQSim's tpcc-small)",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: true,
    detect: |head| {
        score_lines(
            head,
            Msr::default(),
            "filetime, host, disk, Read or Write, offset, size, response time",
        )
    },
    open: Open::Requests(open),
};

#[expect(
    clippy::unnecessary_wraps,
    reason = "the constructor type of the table"
)]
fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let understanding = Understanding {
        addressing: Addressing::Bytes,
        has_time: true,
        has_writes: true,
        units: vec![
            FieldUnit::new(
                "Timestamp",
                "100 ns",
                "Windows filetime: ticks since 1601-01-01 UTC",
            ),
            FieldUnit::new("Hostname", "name", "with DiskNumber: the device"),
            FieldUnit::new("DiskNumber", "number", "repeats across hosts"),
            FieldUnit::new("Type", "Read or Write", "operation"),
            FieldUnit::new("Offset", "bytes", "first byte of the request"),
            FieldUnit::new("Size", "bytes", "length of the request"),
            FieldUnit::new("ResponseTime", "100 ns", "not used"),
        ],
        assumptions: vec!["the device is Hostname and DiskNumber together".to_owned()],
        columns: Vec::new(),
    };
    Ok(Box::new(LineReader::new(
        input,
        Msr::default(),
        understanding,
        Spaces::default(),
        0,
    )))
}

#[derive(Default, Serialize, Deserialize)]
struct Msr {
    /// Ticks that count as time 0, chosen by the first record.
    epoch_ticks: Option<u64>,
}

impl LineFormat for Msr {
    #[inline]
    fn parse(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Request> {
        let mut commas = [0_usize; 6];
        let mut count = 0;
        for position in memchr::memchr_iter(b',', line) {
            if count == commas.len() {
                return Err(wrong_columns());
            }
            commas[count] = position;
            count += 1;
        }
        if count != commas.len() {
            return Err(wrong_columns());
        }
        let write = match &line[commas[2] + 1..commas[3]] {
            b"Read" => false,
            b"Write" => true,
            other => operation(other)?,
        };
        let ticks = parse_u64(&line[..commas[0]], "Timestamp")?;
        let time_ns = self.time_ns(ticks)?;
        let offset = parse_u64(&line[commas[3] + 1..commas[4]], "Offset")?;
        let size = parse_u64(&line[commas[4] + 1..commas[5]], "Size")?;
        // Host and disk stand side by side: one slice names the device.
        let device = trim(&line[commas[0] + 1..commas[2]]);
        if device.first() == Some(&b',') || device.last() == Some(&b',') {
            return Err(fault(
                "Hostname or DiskNumber is empty",
                "both are needed: disk numbers repeat across hosts",
            ));
        }
        Ok(Request {
            time_ns,
            offset,
            size,
            space: spaces.number(device)?,
            write,
        })
    }

    fn is_header(&self, line: &[u8]) -> bool {
        // Whole: with Size before Offset the same start would lead to other numbers.
        is_named(line, COLUMNS)
    }

    fn warnings(&self) -> Vec<Warning> {
        match self.epoch_ticks {
            Some(0) => vec![Warning::new(
                "time_not_absolute",
                "the time stamps lie before 1970 as filetimes, so they are read as 100 ns ticks since an unknown start",
                "check that the time stamps are filetimes: MSR traces count 100 ns ticks; read others (Unix times in s, ms, µs) with [[format=csv]] and a column mapping",
            )],
            _ => Vec::new(),
        }
    }

    resumable!();
}

impl Msr {
    /// Nanoseconds since 1970, or since an unknown start if the trace begins before 1970.
    #[inline]
    fn time_ns(&mut self, ticks: u64) -> ParseResult<i64> {
        let epoch = *self
            .epoch_ticks
            .get_or_insert(if ticks >= UNIX_EPOCH_TICKS {
                UNIX_EPOCH_TICKS
            } else {
                0
            });
        // Both are far below 2^63 in any real trace; a larger one is out of range below.
        i64::try_from(ticks)
            .ok()
            .zip(i64::try_from(epoch).ok())
            .and_then(|(ticks, epoch)| ticks.checked_sub(epoch)?.checked_mul(TICK_NS))
            .ok_or_else(|| {
                fault(
                    if epoch == 0 {
                        format!(
                            "Timestamp `{ticks}` is more than 292 years behind the start, as the first record's lies before 1970 as a filetime"
                        )
                    } else {
                        format!("Timestamp `{ticks}` is out of range for a filetime")
                    },
                    "check the time stamps, that of the first record too: MSR traces count 100 ns ticks since 1601-01-01",
                )
            })
    }
}

#[cold]
fn wrong_columns() -> Fault {
    fault(
        "the line does not have the seven columns Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
        "check that the line is whole and the delimiter is a comma",
    )
}

#[cold]
fn operation(field: &[u8]) -> ParseResult<bool> {
    let trimmed = trim(field);
    if trimmed.eq_ignore_ascii_case(b"read") {
        Ok(false)
    } else if trimmed.eq_ignore_ascii_case(b"write") {
        Ok(true)
    } else {
        Err(fault(
            format!("Type `{}` is neither Read nor Write", excerpt(trimmed)),
            "check the order of the columns",
        ))
    }
}
