//! K5cloud (Fujitsu) block traces: `ID,Timestamp,Type,Offset,Length`.
//!
//! Timestamp in seconds since the first request of all logs, offset and length in bytes. A volume's
//! ID is unique only within one data set.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{SECOND_NS, commas, decimal_time, is_named, letter, wrong_columns};
use crate::trace::formats::doubts::{doubt_devices, doubt_lengths, doubt_whole_times};
use crate::trace::formats::{Format, Open, score_lines};
use crate::trace::open::Input;
use crate::trace::reader::{
    FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding, resumable,
};
use crate::trace::text::{ParseResult, parse_u64, trim};

const COLUMNS: &str = "ID,Timestamp,Type,Offset,Length";

pub(crate) const FORMAT: Format = Format {
    name: "k5cloud",
    description: "K5cloud block trace, CSV: ID,Timestamp,Type,Offset,Length (seconds, bytes)",
    verified: "official description only; no file was available",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: true,
    detect: |head| {
        let score = score_lines(head, K5cloud, "volume, seconds, R or W, first byte, bytes");
        let score = doubt_devices(head, doubt_lengths(head, score, 4), 0, COLUMNS);
        doubt_whole_times(head, score, 1)
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let units = vec![
        FieldUnit::new("ID", "number", "volume: the device"),
        FieldUnit::new("Timestamp", "s", "time since the first request of all logs"),
        FieldUnit::new("Type", "R or W", "operation"),
        FieldUnit::new("Offset", "bytes", "first byte of the request"),
        FieldUnit::new("Length", "bytes", "length of the request"),
    ];
    let assumptions = vec![
        "all records are of one data set: volume IDs repeat across K5cloud data sets".to_owned(),
    ];
    LineReader::boxed(
        input,
        K5cloud,
        Understanding::block(units, assumptions),
        Spaces::default(),
    )
}

#[derive(Serialize, Deserialize)]
struct K5cloud;

impl LineFormat for K5cloud {
    #[inline]
    fn parse(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Request> {
        let [volume, time, kind, offset, length] =
            commas(line).ok_or_else(|| wrong_columns(COLUMNS, "commas"))?;
        let write = letter(kind, "Type")?;
        parse_u64(volume, "ID")?;
        Ok(Request {
            time_ns: decimal_time(time, SECOND_NS, "Timestamp")?,
            offset: parse_u64(offset, "Offset")?,
            size: parse_u64(length, "Length")?,
            space: spaces.number(trim(volume))?,
            write,
        })
    }

    fn is_header(&self, line: &[u8]) -> bool {
        is_named(line, COLUMNS)
    }

    resumable!();
}
