//! SPC traces (Storage Performance Council 1.0.1; `UMass` repository): `ASU,LBA,Size,Opcode,Timestamp`.
//!
//! LBA is in sectors of 512 bytes although Size is in bytes, Timestamp in seconds since the start.
//! Fields after the fifth are optional and unused. Each application storage unit (ASU) is a device.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{
    SECOND_NS, decimal_time, first_commas, is_named, letter, sectors, wrong_columns,
};
use crate::trace::formats::doubts::{doubt_devices, doubt_lengths, doubt_whole_times};
use crate::trace::formats::{Format, Open, score_lines};
use crate::trace::open::Input;
use crate::trace::reader::{
    FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding, resumable,
};
use crate::trace::text::{ParseResult, parse_u64, trim};

const COLUMNS: &str = "ASU,LBA,Size,Opcode,Timestamp";

pub(crate) const FORMAT: Format = Format {
    name: "spc",
    description: "SPC / UMass block trace, CSV: ASU,LBA,Size,Opcode,Timestamp (sectors, bytes, seconds)",
    verified: "official description and published first lines of Financial1; a trace converted into it (WebSearch1 of MQSim)",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: true,
    detect: |head| {
        let score = score_lines(head, Spc, "storage unit, sector, bytes, r or w, seconds");
        let score = doubt_devices(head, doubt_lengths(head, score, 2), 0, COLUMNS);
        doubt_whole_times(head, score, 4)
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let units = vec![
        FieldUnit::new("ASU", "number", "application storage unit: the device"),
        FieldUnit::new("LBA", "512-byte sectors", "first sector of the request"),
        FieldUnit::new("Size", "bytes", "length of the request"),
        FieldUnit::new("Opcode", "R or W", "operation, in any case"),
        FieldUnit::new("Timestamp", "s", "time since the start of the recording"),
    ];
    let assumptions = vec![
        "LBA counts sectors of 512 bytes, Size counts bytes".to_owned(),
        "each ASU is a separate device; fields after the fifth are not used".to_owned(),
    ];
    LineReader::boxed(
        input,
        Spc,
        Understanding::block(units, assumptions),
        Spaces::default(),
    )
}

#[derive(Serialize, Deserialize)]
struct Spc;

impl LineFormat for Spc {
    #[inline]
    fn parse(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Request> {
        let [unit, lba, size, opcode, time] =
            first_commas(line).ok_or_else(|| wrong_columns(COLUMNS, "commas"))?;
        let write = letter(opcode, "Opcode")?;
        // A unit is a number: it tells this format from other tables with a letter in this column.
        parse_u64(unit, "ASU")?;
        Ok(Request {
            time_ns: decimal_time(time, SECOND_NS, "Timestamp")?,
            offset: sectors(lba, "LBA")?,
            size: parse_u64(size, "Size")?,
            space: spaces.number(trim(unit))?,
            write,
        })
    }

    fn is_header(&self, line: &[u8]) -> bool {
        is_named(line, COLUMNS)
    }

    resumable!();
}
