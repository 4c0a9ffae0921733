//! `PostgreSQL` buffer accesses: `time_us,op,rel,block`, pages of 8192 bytes.
//!
//! `rel` is `databaseOid/relfilenode`, with `_fsm` and `_vm` for the other forks; `W` marks the
//! access that dirtied the page.

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::formats::{Format, Open, score_lines};
use crate::trace::open::Input;
use crate::trace::reader::{
    Addressing, FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding,
};
use crate::trace::text::{ParseResult, excerpt, fault, parse_u64, trim};

/// Block size of a standard build.
const PAGE_BYTES: u64 = 8192;
const HEADER: &[u8] = b"time_us,op,rel,block";

pub(crate) const FORMAT: Format = Format {
    name: "postgres_csv",
    description: "PostgreSQL buffer accesses, CSV: time_us,op,rel,block (8 KiB pages)",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: true,
    below_page_cache: false,
    detect: |head| {
        score_lines(
            head,
            PostgresCsv,
            "microseconds, R or W, relation, block number",
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
        addressing: Addressing::Pages {
            page_bytes: Some(PAGE_BYTES),
        },
        has_time: true,
        has_writes: true,
        units: vec![
            FieldUnit::new("time_us", "µs", "time since the start of the recording"),
            FieldUnit::new("op", "R or W", "W: this access dirtied the page"),
            FieldUnit::new("rel", "name", "relation: its blocks are pages of their own"),
            FieldUnit::new("block", "8192-byte pages", "block number in the relation"),
        ],
        assumptions: vec![
            "a page is one PostgreSQL block of 8192 bytes, whatever page size is asked for"
                .to_owned(),
        ],
        columns: Vec::new(),
    };
    Ok(Box::new(LineReader::new(
        input,
        PostgresCsv,
        understanding,
        Spaces::default(),
        0,
    )))
}

struct PostgresCsv;

impl LineFormat for PostgresCsv {
    #[inline]
    fn parse(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Request> {
        let mut fields = line.split(|byte| *byte == b',');
        let (Some(time), Some(op), Some(relation), Some(block), None) = (
            fields.next(),
            fields.next(),
            fields.next(),
            fields.next(),
            fields.next(),
        ) else {
            return Err(fault(
                "the line does not have the four columns time_us,op,rel,block",
                "check that the line is whole and the delimiter is a comma",
            ));
        };
        let write = match trim(op) {
            b"R" => false,
            b"W" => true,
            other => {
                return Err(fault(
                    format!("op `{}` is neither R nor W", excerpt(other)),
                    "write R for a read and W for an access that dirtied the page",
                ));
            }
        };
        let time_us = parse_u64(time, "time_us")?;
        let time_ns = i64::try_from(time_us)
            .ok()
            .and_then(|time| time.checked_mul(1000))
            .ok_or_else(|| {
                fault(
                    format!("time_us `{time_us}` is more than 292 years"),
                    "check that the time is in microseconds",
                )
            })?;
        let page = parse_u64(block, "block")?;
        // Block numbers are 32-bit in PostgreSQL; 0xFFFFFFFF is its InvalidBlockNumber.
        if page >= u64::from(u32::MAX) {
            return Err(fault(
                format!("block `{page}` is not a PostgreSQL block number"),
                "block numbers end at 4294967294; check the order of the columns",
            ));
        }
        Ok(Request {
            time_ns,
            offset: page,
            size: 1,
            space: spaces.number(trim(relation))?,
            write,
        })
    }

    fn is_header(&self, line: &[u8]) -> bool {
        line == HEADER
    }
}
