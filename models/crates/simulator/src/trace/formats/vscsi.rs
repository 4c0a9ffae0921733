//! `CloudPhysics` vscsi traces: little-endian records without a header, of 32 bytes (version 1,
//! `u32 sn, u32 len, u32 nSG, u16 cmd, u16 ver, u64 lbn, u64 ts`) or 40 bytes (version 2,
//! `u16 cmd, u16 ver, u32 sn, u32 len, u32 nSG, u64 lbn, u64 ts, u64 rt`).
//!
//! Length in bytes, lbn in sectors of 512 bytes, time in microseconds, cmd a SCSI operation code,
//! version in the high byte of ver. The unit of rt, the response time, is not known; it is unused.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::bytes::{u16_at, u32_at, u64_at};
use crate::trace::fields::{MICROSECOND_NS, SECTOR_BYTES, count_time};
use crate::trace::formats::{Format, Open, Score, is_text, ratio};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    FieldUnit, RecordFormat, RecordReader, Request, RequestReader, Understanding, resumable,
};
use crate::trace::text::{ParseResult, fault};
use crate::wording::counted;

pub(crate) const FORMAT: Format = Format {
    name: "vscsi",
    description: "VMware / CloudPhysics vscsi block trace, versions 1 and 2: binary records of 32 or 40 bytes",
    verified: "version 1: a published trace (libCacheSim's cloudPhysicsIO); version 2: the layout in libCacheSim's reader, which reads such a file in the same way; no published file was available",
    has_writes: true,
    has_time: true,
    has_device: false,
    page_native: false,
    below_page_cache: true,
    detect,
    open: Open::Requests(open),
};

fn detect(head: &Head<'_>) -> Score {
    if is_text(head) {
        return Score::no("text, not binary records");
    }
    let (one, two) = (V1.good(head.bytes), V2.good(head.bytes));
    let (layout, good) = if two > one { (V2, two) } else { (V1, one) };
    if good == 0 {
        return Score::no(
            "no record of 32 or 40 bytes has its version and a SCSI read or write command",
        );
    }
    let whole = head.bytes.len() / layout.record_bytes;
    let cut = head
        .content_bytes
        .is_some_and(|bytes| bytes % layout.record_bytes as u64 != 0);
    let bytes = layout.record_bytes;
    let all = counted(
        whole,
        &format!("{bytes}-byte record"),
        &format!("{bytes}-byte records"),
    );
    Score::new(
        0.98 * ratio(good, whole),
        format!(
            "{} version {}, a SCSI read or write command and a rising time{}",
            counted(
                good,
                &format!("of the first {all} has"),
                &format!("of the first {all} have")
            ),
            layout.version,
            if cut {
                format!("; the length is not a multiple of {}", layout.record_bytes)
            } else {
                String::new()
            }
        ),
    )
}

/// Where one version keeps its fields.
#[derive(Clone, Copy)]
struct Layout {
    version: u16,
    record_bytes: usize,
    command: usize,
    version_at: usize,
    length: usize,
    sector: usize,
    time: usize,
}

const V1: Layout = Layout {
    version: 1,
    record_bytes: 32,
    command: 12,
    version_at: 14,
    length: 4,
    sector: 16,
    time: 24,
};
const V2: Layout = Layout {
    version: 2,
    record_bytes: 40,
    command: 0,
    version_at: 2,
    length: 8,
    sector: 16,
    time: 24,
};

impl Layout {
    /// How many records look like this version's.
    fn good(self, bytes: &[u8]) -> usize {
        let mut last_time = 0;
        bytes
            .chunks_exact(self.record_bytes)
            .filter(|record| {
                let time = u64_at(record, self.time);
                // One step back in a while is normal, a field that jumps about is not a time.
                let ordered = time.saturating_add(60_000_000) >= last_time;
                last_time = time;
                ordered
                    && u16_at(record, self.version_at) >> 8 == self.version
                    && operation(u16_at(record, self.command)).is_some()
            })
            .count()
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the constructor type of the table"
)]
fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let head = input.head().bytes;
    // Version 1 also for a file of neither: its first record then says what is wrong.
    let second = V2.good(head) > V1.good(head);
    let layout = if second { V2 } else { V1 };
    let mut units = vec![
        FieldUnit::new("ts", "µs", "time since an unknown start"),
        FieldUnit::new("cmd", "SCSI operation code", "0x28 reads, 0x2a writes"),
        FieldUnit::new("lbn", "512-byte sectors", "first sector of the request"),
        FieldUnit::new("len", "bytes", "length of the request"),
    ];
    if second {
        units.push(FieldUnit::new("rt", "unknown", "response time; not used"));
    }
    let assumptions = vec![
        format!("the records are of version {}", layout.version),
        "len is in bytes, as the published traces are, not in sectors".to_owned(),
        "the trace is of one virtual disk".to_owned(),
    ];
    let understanding = Understanding::block(units, assumptions);
    Ok(if second {
        Box::new(RecordReader::new(input, Second, understanding))
    } else {
        Box::new(RecordReader::new(input, First, understanding))
    })
}

#[derive(Serialize, Deserialize)]
struct First;

impl RecordFormat for First {
    const RECORD_BYTES: usize = V1.record_bytes;

    #[inline]
    fn parse(&mut self, record: &[u8]) -> ParseResult<Request> {
        parse(record, V1)
    }

    resumable!();
}

#[derive(Serialize, Deserialize)]
struct Second;

impl RecordFormat for Second {
    const RECORD_BYTES: usize = V2.record_bytes;

    #[inline]
    fn parse(&mut self, record: &[u8]) -> ParseResult<Request> {
        parse(record, V2)
    }

    resumable!();
}

#[inline]
fn parse(record: &[u8], layout: Layout) -> ParseResult<Request> {
    const DAMAGED: &str = "the file is damaged before this record or is not a vscsi trace";
    let version = u16_at(record, layout.version_at);
    if version >> 8 != layout.version {
        return Err(fault(
            format!(
                "version field `{version:#06x}` is not that of version {0} (0x{0:02x}xx)",
                layout.version
            ),
            DAMAGED,
        ));
    }
    let command = u16_at(record, layout.command);
    let write = operation(command).ok_or_else(|| {
        fault(
            format!("SCSI command `{command:#04x}` is neither a read nor a write"),
            "keep only READ and WRITE commands (0x28, 0x2a and their other lengths) in the trace",
        )
    })?;
    let sector = u64_at(record, layout.sector);
    let offset = sector.checked_mul(SECTOR_BYTES).ok_or_else(|| {
        fault(
            format!("lbn `{sector}` in sectors of 512 bytes exceeds 64 bits"),
            DAMAGED,
        )
    })?;
    let time_us = u64_at(record, layout.time);
    let time_ns = count_time(time_us, MICROSECOND_NS)
        .ok_or_else(|| fault(format!("ts `{time_us}` µs is more than 292 years"), DAMAGED))?;
    Ok(Request {
        time_ns,
        offset,
        size: u64::from(u32_at(record, layout.length)),
        space: 0,
        write,
    })
}

/// Whether a SCSI operation code reads (`false`) or writes (`true`); `None` for all others.
pub(super) fn operation(command: u16) -> Option<bool> {
    match command {
        // READ(6), (10), (12), (16)
        0x08 | 0x28 | 0xa8 | 0x88 => Some(false),
        // WRITE(6), (10), (12), (16) and WRITE AND VERIFY(10), (12), (16)
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e => Some(true),
        _ => None,
    }
}
