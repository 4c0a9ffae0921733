//! Alibaba cloud block traces: `device_id,opcode,offset,length,timestamp`.
//!
//! Offset and length in bytes, timestamp in microseconds since 1970. Offsets repeat across devices,
//! so the device is part of a page's identity.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{MICROSECOND_NS, commas, is_named, letter, whole_time, wrong_columns};
use crate::trace::formats::doubts::{doubt_devices, doubt_lengths};
use crate::trace::formats::epoch::Dates;
use crate::trace::formats::{Format, Open, score_lines};
use crate::trace::open::Input;
use crate::trace::reader::{
    FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding, Warning,
    resumable,
};
use crate::trace::text::{ParseResult, parse_u64, trim};

const COLUMNS: &str = "device_id,opcode,offset,length,timestamp";

pub(crate) const FORMAT: Format = Format {
    name: "alibaba",
    description: "Alibaba cloud block trace, CSV: device_id,opcode,offset,length,timestamp (bytes, µs)",
    verified: "official description and published lines of the data set; no complete file was available",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: true,
    detect: |head| {
        let score = score_lines(
            head,
            Alibaba::default(),
            "device, R or W, first byte, bytes, microseconds",
        );
        doubt_devices(head, doubt_lengths(head, score, 3), 0, COLUMNS)
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let units = vec![
        FieldUnit::new("device_id", "number", "virtual disk: the device"),
        FieldUnit::new("opcode", "R or W", "operation"),
        FieldUnit::new("offset", "bytes", "first byte of the request"),
        FieldUnit::new("length", "bytes", "length of the request"),
        FieldUnit::new("timestamp", "µs", "time since 1970-01-01 UTC"),
    ];
    let assumptions = vec!["each device_id is a separate device".to_owned()];
    LineReader::boxed(
        input,
        Alibaba::default(),
        Understanding::block(units, assumptions),
        Spaces::default(),
    )
}

#[derive(Default, Serialize, Deserialize)]
struct Alibaba {
    dates: Dates,
}

impl LineFormat for Alibaba {
    #[inline]
    fn parse(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Request> {
        let [device, opcode, offset, length, time] =
            commas(line).ok_or_else(|| wrong_columns(COLUMNS, "commas"))?;
        let write = letter(opcode, "opcode")?;
        parse_u64(device, "device_id")?;
        let time_ns = whole_time(time, MICROSECOND_NS, "timestamp")?;
        let request = Request {
            time_ns,
            offset: parse_u64(offset, "offset")?,
            size: parse_u64(length, "length")?,
            space: spaces.number(trim(device))?,
            write,
        };
        self.dates.add(time_ns);
        Ok(request)
    }

    fn is_header(&self, line: &[u8]) -> bool {
        is_named(line, COLUMNS)
    }

    fn warnings(&self) -> Vec<Warning> {
        self.dates
            .warning("timestamp", "microseconds")
            .into_iter()
            .collect()
    }

    resumable!();
}
