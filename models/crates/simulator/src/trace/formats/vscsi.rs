//! `CloudPhysics` vscsi traces, version 1: 32-byte little-endian records without a header.
//!
//! `u32 sn, u32 len, u32 nSG, u16 cmd, u16 ver, u64 lbn, u64 ts`: length in bytes, lbn in sectors
//! of 512 bytes, time in microseconds, cmd a SCSI operation code, version in the high byte of ver.

use crate::error::{Error, Result};
use crate::trace::TraceSpec;
use crate::trace::bytes::{u16_at, u32_at, u64_at};
use crate::trace::formats::{Format, Open, Score, is_text, ratio};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    Addressing, FieldUnit, RecordFormat, RecordReader, Request, RequestReader, Understanding,
};
use crate::trace::text::{ParseResult, fault};

const SECTOR_BYTES: u64 = 512;
const V1_BYTES: usize = 32;
const V2_BYTES: usize = 40;

pub(crate) const FORMAT: Format = Format {
    name: "vscsi",
    description: "VMware / CloudPhysics vscsi block trace, version 1: 32-byte binary records",
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
    if is_version_2(head.bytes) {
        return Score::new(0.9, "40-byte vscsi records of version 2");
    }
    let records = head.bytes.chunks_exact(V1_BYTES);
    let whole = records.len();
    let mut last_time = 0;
    let good = records
        .filter(|record| {
            let time = u64_at(record, 24);
            // One step back in a while is normal, a field that jumps about is not a time.
            let ordered = time.saturating_add(60_000_000) >= last_time;
            last_time = time;
            ordered && version(record, 14) == 1 && operation(u16_at(record, 12)).is_some()
        })
        .count();
    if good == 0 {
        return Score::no("no 32-byte record has version 1 and a SCSI read or write command");
    }
    let cut = head
        .content_bytes
        .is_some_and(|bytes| bytes % V1_BYTES as u64 != 0);
    Score::new(
        0.98 * ratio(good, whole),
        format!(
            "{good} of the first {whole} 32-byte records have version 1, a SCSI read or write command and a rising time{}",
            if cut {
                "; the length is no multiple of 32"
            } else {
                ""
            }
        ),
    )
}

/// Whether the first records have version 2 where version 2 keeps it.
fn is_version_2(bytes: &[u8]) -> bool {
    let mut records = bytes.chunks_exact(V2_BYTES).take(16).peekable();
    records.peek().is_some()
        && records.all(|record| version(record, 2) == 2 && operation(u16_at(record, 0)).is_some())
}

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    if is_version_2(input.head().bytes) {
        return Err(Error::Unreadable {
            path: input.path().to_owned(),
            message: "this is a vscsi trace of version 2 (40-byte records), which is not read yet"
                .to_owned(),
            hint: "convert it to version 1, MSR CSV or another supported format".to_owned(),
        });
    }
    let understanding = Understanding {
        addressing: Addressing::Bytes,
        has_time: true,
        has_writes: true,
        units: vec![
            FieldUnit::new("ts", "µs", "time since an unknown start"),
            FieldUnit::new("cmd", "SCSI operation code", "0x28 reads, 0x2a writes"),
            FieldUnit::new("lbn", "512-byte sectors", "first sector of the request"),
            FieldUnit::new("len", "bytes", "length of the request"),
        ],
        assumptions: vec![
            "len is in bytes, as the published traces are, not in sectors".to_owned(),
            "the trace is of one virtual disk".to_owned(),
        ],
        columns: Vec::new(),
    };
    Ok(Box::new(RecordReader::new(input, Vscsi, understanding)))
}

struct Vscsi;

impl RecordFormat for Vscsi {
    const RECORD_BYTES: usize = V1_BYTES;

    #[inline]
    fn parse(&mut self, record: &[u8]) -> ParseResult<Request> {
        let ver = u16_at(record, 14);
        if version(record, 14) != 1 {
            return Err(fault(
                format!("version field `{ver:#06x}` is not that of version 1 (0x01xx)"),
                "the file is damaged before this record or is not a vscsi trace",
            ));
        }
        let command = u16_at(record, 12);
        let write = operation(command).ok_or_else(|| {
            fault(
                format!("SCSI command `{command:#04x}` is neither a read nor a write"),
                "keep only READ and WRITE commands (0x28, 0x2a and their other lengths) in the trace",
            )
        })?;
        let sector = u64_at(record, 16);
        let offset = sector.checked_mul(SECTOR_BYTES).ok_or_else(|| {
            fault(
                format!("lbn `{sector}` in sectors of 512 bytes exceeds 64 bits"),
                "the file is damaged before this record or is not a vscsi trace",
            )
        })?;
        let time_us = u64_at(record, 24);
        let time_ns = i64::try_from(time_us)
            .ok()
            .and_then(|time| time.checked_mul(1000))
            .ok_or_else(|| {
                fault(
                    format!("ts `{time_us}` µs is more than 292 years"),
                    "the file is damaged before this record or is not a vscsi trace",
                )
            })?;
        Ok(Request {
            time_ns,
            offset,
            size: u64::from(u32_at(record, 4)),
            space: 0,
            write,
        })
    }
}

/// Whether a SCSI operation code reads (`false`) or writes (`true`); `None` for all others.
fn operation(command: u16) -> Option<bool> {
    match command {
        // READ(6), (10), (12), (16)
        0x08 | 0x28 | 0xa8 | 0x88 => Some(false),
        // WRITE(6), (10), (12), (16) and WRITE AND VERIFY(10), (12), (16)
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e => Some(true),
        _ => None,
    }
}

fn version(record: &[u8], at: usize) -> u16 {
    u16_at(record, at) >> 8
}
