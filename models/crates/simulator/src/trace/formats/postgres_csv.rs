//! `PostgreSQL` buffer accesses: `time_us,op,rel,block`, pages of 8192 bytes.
//!
//! `rel` is `databaseOid/relfilenode`, with `_fsm` and `_vm` for the other forks; `W` marks the
//! access that dirtied the page.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::formats::doubts::DOUBTED;
use crate::trace::formats::{Format, Open, Score, head_lines, score_lines};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    Addressing, FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding,
    Warning, resumable,
};
use crate::trace::text::{ParseResult, excerpt, fault, parse_u64, trim};

/// Block size of a standard build.
const PAGE_BYTES: u64 = 8192;
const HEADER: &[u8] = b"time_us,op,rel,block";
/// Header of a recording of reads and writes of files, below the buffer pool: `io` instead of `op`.
const HEADER_BELOW_POOL: &[u8] = b"time_us,io,rel,block";

pub(crate) const FORMAT: Format = Format {
    name: "postgres_csv",
    description: "PostgreSQL buffer accesses, CSV: time_us,op,rel,block (8 KiB pages)",
    verified: "recordings of our own: pgbench and TPC-C on PostgreSQL 15",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: true,
    below_page_cache: false,
    detect,
    open: Open::Requests(open),
};

/// Without the header only the names of the relations tell this table from any other of a time, an
/// operation and two numbers, such as offset and length in bytes.
fn detect(head: &Head<'_>) -> Score {
    let score = score_lines(
        head,
        PostgresCsv,
        "microseconds, R or W, relation, block number",
    );
    let lines = head_lines(head);
    if score.value <= 0.0 || lines.first() == Some(&HEADER) {
        return score;
    }
    let names = || {
        lines
            .iter()
            .filter_map(|line| line.split(|byte| *byte == b',').nth(2).map(trim))
    };
    let others = || names().filter(|name| !is_relation(name));
    // One bad line does not hide the format.
    match others().next() {
        Some(other) if others().count() * 2 > names().count() => Score::new(
            score.value.min(DOUBTED),
            format!(
                "{}, but there is no header time_us,op,rel,block, and `{}` is not named as a relation is: databaseOid/relfilenode",
                score.reason,
                excerpt(other)
            ),
        ),
        _ => score,
    }
}

/// Whether a name is `number/number`, perhaps with a fork (`_fsm`) behind it.
fn is_relation(name: &[u8]) -> bool {
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let Some(slash) = memchr::memchr(b'/', name) else {
        return false;
    };
    let (database, file) = (&name[..slash], &name[slash + 1..]);
    let (file, fork) = match memchr::memchr(b'_', file) {
        Some(at) => (&file[..at], Some(&file[at + 1..])),
        None => (file, None),
    };
    digits(database)
        && digits(file)
        && fork.is_none_or(|fork| !fork.is_empty() && fork.iter().all(u8::is_ascii_lowercase))
}

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
            FieldUnit::new("rel", "name", "relation: its blocks are separate pages"),
            FieldUnit::new("block", "8192-byte pages", "block number in the relation"),
        ],
        assumptions: vec![
            "a page is one PostgreSQL block of 8192 bytes, whatever page size is requested"
                .to_owned(),
        ],
        columns: Vec::new(),
    };
    if input.head().bytes.starts_with(HEADER_BELOW_POOL) {
        let spaces = Spaces::default();
        return LineReader::boxed(input, BelowPool(PostgresCsv), understanding, spaces);
    }
    LineReader::boxed(input, PostgresCsv, understanding, Spaces::default())
}

/// The same lines, recorded where the server asks the operating system for blocks.
#[derive(Serialize, Deserialize)]
struct BelowPool(PostgresCsv);

impl LineFormat for BelowPool {
    #[inline]
    fn parse(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Request> {
        self.0.parse(line, spaces)
    }

    fn is_header(&self, line: &[u8]) -> bool {
        LineFormat::is_header(&self.0, line)
    }

    fn warnings(&self) -> Vec<Warning> {
        vec![below_buffer_pool()]
    }

    resumable!();
}

/// What reads and writes of the server's files say about RAM.
pub(super) fn below_buffer_pool() -> Warning {
    Warning::new(
        "below_buffer_pool",
        "system calls are made below PostgreSQL's shared_buffers, which has already absorbed reuse: the benefit of RAM computed from them is too low",
        "record buffer accesses (postgres_csv) to size RAM; storage below the pool is assessed correctly",
    )
}

#[derive(Serialize, Deserialize)]
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
        line == HEADER || line == HEADER_BELOW_POOL
    }

    resumable!();
}
