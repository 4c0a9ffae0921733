//! SYSTOR '17 block traces: `Timestamp,Response,IOType,LUN,Offset,Size`.
//!
//! Timestamp in seconds since 1970, offset and size in bytes. Response and `IOType` may be blank: a
//! record without operation is neither a read nor a write, so it is passed over and counted.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{SECOND_NS, commas, decimal_time, is_named, letter, wrong_columns};
use crate::trace::formats::doubts::{doubt_devices, doubt_lengths};
use crate::trace::formats::epoch::Dates;
use crate::trace::formats::{Format, Open, score_lines};
use crate::trace::open::Input;
use crate::trace::reader::{
    FieldUnit, LineReader, LogFormat, Request, RequestReader, Spaces, Understanding, Warning,
    resumable,
};
use crate::trace::text::{ParseResult, parse_u64, trim};
use crate::wording::counted;

const COLUMNS: &str = "Timestamp,Response,IOType,LUN,Offset,Size";

pub(crate) const FORMAT: Format = Format {
    name: "systor",
    description: "SYSTOR '17 block trace, CSV: Timestamp,Response,IOType,LUN,Offset,Size (seconds, bytes)",
    verified: "official description and its example line; no file was available",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: true,
    detect: |head| {
        let score = score_lines(
            head,
            Systor::default(),
            "seconds, response time, R or W, unit, first byte, bytes",
        );
        doubt_devices(head, doubt_lengths(head, score, 5), 3, COLUMNS)
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let units = vec![
        FieldUnit::new("Timestamp", "s", "time since 1970-01-01 UTC"),
        FieldUnit::new("Response", "s", "not used; may be blank"),
        FieldUnit::new("IOType", "R or W", "operation"),
        FieldUnit::new("LUN", "number", "logical unit: the device"),
        FieldUnit::new("Offset", "bytes", "first byte of the request"),
        FieldUnit::new("Size", "bytes", "length of the request"),
    ];
    let assumptions = vec![
        "each LUN is a separate device".to_owned(),
        "records with a blank IOType are neither reads nor writes and make no access".to_owned(),
    ];
    LineReader::boxed(
        input,
        Systor::default(),
        Understanding::block(units, assumptions),
        Spaces::default(),
    )
}

#[derive(Default, Serialize, Deserialize)]
struct Systor {
    dates: Dates,
    without_operation: u64,
}

impl LogFormat for Systor {
    #[inline]
    fn parse_line(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Option<Request>> {
        let [time, response, kind, unit, offset, size] =
            commas(line).ok_or_else(|| wrong_columns(COLUMNS, "commas"))?;
        let time_ns = decimal_time(time, SECOND_NS, "Timestamp")?;
        // Unused, but what is no number there is another format.
        if !trim(response).is_empty() {
            decimal_time(response, SECOND_NS, "Response")?;
        }
        if trim(kind).is_empty() {
            self.without_operation += 1;
            return Ok(None);
        }
        let write = letter(kind, "IOType")?;
        parse_u64(unit, "LUN")?;
        let request = Request {
            time_ns,
            offset: parse_u64(offset, "Offset")?,
            size: parse_u64(size, "Size")?,
            space: spaces.number(trim(unit))?,
            write,
        };
        self.dates.add(time_ns);
        Ok(Some(request))
    }

    fn is_header(&self, line: &[u8]) -> bool {
        is_named(line, COLUMNS)
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = self
            .dates
            .warning("Timestamp", "seconds")
            .into_iter()
            .collect();
        if self.without_operation > 0 {
            warnings.push(Warning::new(
                "records_without_operation",
                format!(
                    "{} skipped",
                    counted(self.without_operation, "record has a blank IOType and was", "records have a blank IOType and were")
                ),
                "fill in the column if yours are reads or writes; those of the published traces are neither",
            ));
        }
        warnings
    }

    resumable!();
}
