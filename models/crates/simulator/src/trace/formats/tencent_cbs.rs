//! Tencent cloud block storage (CBS) traces: `Timestamp,Offset,Size,IOType,VolumeID`.
//!
//! Timestamp in seconds since 1970, `IOType` 0 reads and 1 writes. Two copies are in use and look
//! alike: the original counts Offset and Size in sectors of 512 bytes, a re-hosted one has Offset
//! in bytes and Size still in sectors. The alignment of the offsets speaks for one or the other and
//! is shown, but the choice is the user's.

use crate::error::Result;
use crate::trace::fields::{
    SECOND_NS, SECTOR_BYTES, commas, decimal_time, in_bytes, is_named, neither, sectors,
    wrong_columns,
};
use crate::trace::formats::{Format, Open, Score, head_lines, score_lines};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding, Warning,
};
use crate::trace::text::{ParseResult, fault, parse_u64, trim};

const COLUMNS: &str = "Timestamp,Offset,Size,IOType,VolumeID";
/// Records from which on aligned offsets are no accident.
const MANY: u64 = 16;

/// Offset and Size in sectors: the original.
pub(crate) const FORMAT: Format = Format {
    name: "tencent_cbs",
    description: "Tencent CBS block trace, CSV: Timestamp,Offset,Size,IOType,VolumeID (seconds, Offset and Size in sectors)",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: true,
    detect: |head| detect(head, Unit::Sectors),
    open: Open::Requests(|input, _spec| open(input, Unit::Sectors)),
};

/// Offset in bytes, Size in sectors: the re-hosted copy.
pub(crate) const FORMAT_BYTES: Format = Format {
    name: "tencent_cbs_bytes",
    description: "Tencent CBS block trace as re-hosted, CSV: Timestamp,Offset,Size,IOType,VolumeID (Offset in bytes, Size in sectors)",
    detect: |head| detect(head, Unit::Bytes),
    open: Open::Requests(|input, _spec| open(input, Unit::Bytes)),
    ..FORMAT
};

/// What Offset counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Sectors,
    Bytes,
}

fn detect(head: &Head<'_>, unit: Unit) -> Score {
    let meaning = match unit {
        Unit::Sectors => "seconds, offset in sectors, sectors, 0 or 1, volume",
        Unit::Bytes => "seconds, offset in bytes, sectors, 0 or 1, volume",
    };
    // Both readings score alike: the shape of the lines does not tell them apart.
    let mut score = score_lines(head, Tencent::new(Unit::Sectors), meaning);
    if score.value > 0.0 {
        let (aligned, offsets) = alignment(head);
        score.reason = format!(
            "{}; {aligned} of {offsets} offsets are multiples of 512, which {}",
            score.reason,
            if aligned < offsets {
                "bytes would all be: speaks for sectors"
            } else {
                "sectors would rarely be: speaks for bytes"
            }
        );
    }
    score
}

/// Of the head's records with an offset, how many offsets are multiples of 512.
fn alignment(head: &Head<'_>) -> (u64, u64) {
    let (mut aligned, mut offsets) = (0, 0);
    for line in head_lines(head) {
        let offset = commas::<5>(line).and_then(|fields| parse_u64(fields[1], "Offset").ok());
        if let Some(offset) = offset {
            offsets += 1;
            aligned += u64::from(offset % SECTOR_BYTES == 0);
        }
    }
    (aligned, offsets)
}

fn open(input: Input, unit: Unit) -> Result<Box<dyn RequestReader>> {
    let (offset_unit, assumption) = match unit {
        Unit::Sectors => (
            "512-byte sectors",
            "Offset and Size both count sectors of 512 bytes, as in the original data set",
        ),
        Unit::Bytes => (
            "bytes",
            "Offset counts bytes and Size counts sectors of 512 bytes, as in the re-hosted copy",
        ),
    };
    let units = vec![
        FieldUnit::new("Timestamp", "s", "time since 1970-01-01 UTC"),
        FieldUnit::new("Offset", offset_unit, "start of the request"),
        FieldUnit::new("Size", "512-byte sectors", "length of the request"),
        FieldUnit::new("IOType", "0 or 1", "0 reads, 1 writes"),
        FieldUnit::new("VolumeID", "number", "volume: the device"),
    ];
    LineReader::boxed(
        input,
        Tencent::new(unit),
        Understanding::block(units, vec![assumption.to_owned()]),
        Spaces::default(),
    )
}

struct Tencent {
    unit: Unit,
    requests: u64,
    unaligned: u64,
}

impl Tencent {
    fn new(unit: Unit) -> Self {
        Self {
            unit,
            requests: 0,
            unaligned: 0,
        }
    }
}

impl LineFormat for Tencent {
    #[inline]
    fn parse(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Request> {
        let [time, offset, size, kind, volume] =
            commas(line).ok_or_else(|| wrong_columns(COLUMNS, "commas"))?;
        let write = match trim(kind) {
            b"0" => false,
            b"1" => true,
            other => return Err(neither(other, "IOType", "0 (read) nor 1 (write)")),
        };
        parse_u64(volume, "VolumeID")?;
        let offset = parse_u64(offset, "Offset")?;
        let aligned = offset % SECTOR_BYTES == 0;
        let offset = match self.unit {
            Unit::Sectors => in_bytes(offset, SECTOR_BYTES, "Offset")?,
            Unit::Bytes if aligned => offset,
            Unit::Bytes => {
                return Err(fault(
                    format!("Offset `{offset}` is no multiple of 512, so it does not count bytes"),
                    "read the file with --format tencent_cbs: Offset in sectors",
                ));
            }
        };
        let request = Request {
            time_ns: decimal_time(time, SECOND_NS, "Timestamp")?,
            offset,
            size: sectors(size, "Size")?,
            space: spaces.number(trim(volume))?,
            write,
        };
        self.requests += 1;
        self.unaligned += u64::from(!aligned);
        Ok(request)
    }

    fn is_header(&self, line: &[u8]) -> bool {
        is_named(line, COLUMNS)
    }

    fn warnings(&self) -> Vec<Warning> {
        if self.unit == Unit::Bytes || self.unaligned > 0 || self.requests < MANY {
            return Vec::new();
        }
        vec![Warning::new(
            "offsets_look_like_bytes",
            format!(
                "the offsets of all {} requests are multiples of 512, which sectors rarely are: they may count bytes",
                self.requests
            ),
            "compare with --format tencent_cbs_bytes: the distinct pages should fit the size of the volumes",
        )]
    }
}
