//! The CSV export of a `CloudPhysics` vscsi trace: `version,time,op,size,lbn`.
//!
//! Unlike the binary records it counts time in seconds; op is a SCSI operation code in hexadecimal
//! (28 reads, 2a writes), size is in bytes and lbn in sectors of 512 bytes.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{SECOND_NS, commas, decimal_time, is_named, sectors, wrong_columns};
use crate::trace::formats::vscsi::operation;
use crate::trace::formats::{Format, Open, score_lines};
use crate::trace::open::Input;
use crate::trace::reader::{
    FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding, Warning,
    resumable,
};
use crate::trace::text::{ParseResult, excerpt, fault, parse_u64, trim};
use crate::wording::counted;

const COLUMNS: &str = "version,time,op,size,lbn";
/// Requests of one length from which on the lengths are doubted.
const MANY: u64 = 1000;

pub(crate) const FORMAT: Format = Format {
    name: "cloudphysics_csv",
    description: "CloudPhysics vscsi block trace as CSV: version,time,op,size,lbn (seconds, SCSI code, bytes, sectors)",
    verified: "a published trace (libCacheSim's cloudPhysicsIO)",
    has_writes: true,
    has_time: true,
    has_device: false,
    page_native: false,
    below_page_cache: true,
    detect: |head| {
        score_lines(
            head,
            CloudPhysicsCsv::default(),
            "version 1 or 2, seconds, a SCSI read or write, bytes, sector",
        )
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let units = vec![
        FieldUnit::new("version", "number", "version of the binary trace; not used"),
        FieldUnit::new("time", "s", "time since an unknown start"),
        FieldUnit::new(
            "op",
            "SCSI operation code in hexadecimal",
            "28 reads, 2a writes",
        ),
        FieldUnit::new("size", "bytes", "length of the request"),
        FieldUnit::new("lbn", "512-byte sectors", "first sector of the request"),
    ];
    let assumptions = vec![
        "time is in seconds, as in the published export; the binary trace has microseconds"
            .to_owned(),
        "the trace is of one virtual disk".to_owned(),
    ];
    LineReader::boxed(
        input,
        CloudPhysicsCsv::default(),
        Understanding::block(units, assumptions),
        Spaces::single(),
    )
}

#[derive(Default, Serialize, Deserialize)]
struct CloudPhysicsCsv {
    requests: u64,
    first_size: u64,
    sizes_differ: bool,
}

impl LineFormat for CloudPhysicsCsv {
    #[inline]
    fn parse(&mut self, line: &[u8], _spaces: &mut Spaces) -> ParseResult<Request> {
        let [version, time, op, size, lbn] =
            commas(line).ok_or_else(|| wrong_columns(COLUMNS, "commas"))?;
        if !matches!(trim(version), b"1" | b"2") {
            return Err(fault(
                format!("version `{}` is neither 1 nor 2", excerpt(trim(version))),
                "check the format and the order of the columns",
            ));
        }
        let write = scsi_operation(op)?;
        let size = parse_u64(size, "size")?;
        let request = Request {
            time_ns: decimal_time(time, SECOND_NS, "time")?,
            offset: sectors(lbn, "lbn")?,
            size,
            space: 0,
            write,
        };
        if self.requests == 0 {
            self.first_size = size;
        }
        self.requests += 1;
        self.sizes_differ |= size != self.first_size;
        Ok(request)
    }

    fn is_header(&self, line: &[u8]) -> bool {
        is_named(line, COLUMNS)
    }

    fn warnings(&self) -> Vec<Warning> {
        if self.sizes_differ || self.requests < MANY {
            return Vec::new();
        }
        vec![Warning::new(
            "constant_size",
            format!(
                "all {} have the size {} bytes: exports of key caches put a constant there and lose the true lengths",
                counted(self.requests, "request", "requests"),
                self.first_size
            ),
            "read the binary vscsi trace instead, or read this one by keys, with [[format=csv]] and [[the column=key=lbn]]",
        )]
    }

    resumable!();
}

/// Whether a SCSI operation code in hexadecimal reads or writes.
#[inline]
fn scsi_operation(field: &[u8]) -> ParseResult<bool> {
    match field {
        b"28" => Ok(false),
        b"2a" => Ok(true),
        _ => other_operation(field),
    }
}

#[cold]
fn other_operation(field: &[u8]) -> ParseResult<bool> {
    let shown = trim(field);
    std::str::from_utf8(shown)
        .ok()
        .map(|text| text.strip_prefix("0x").unwrap_or(text))
        .filter(|digits| digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
        .and_then(|digits| u16::from_str_radix(digits, 16).ok())
        .and_then(operation)
        .ok_or_else(|| {
            fault(
                format!(
                    "op `{}` is not a SCSI read or write code in hexadecimal",
                    excerpt(shown)
                ),
                "28 and 88 read, 2a and 8a write; check the order of the columns",
            )
        })
}
