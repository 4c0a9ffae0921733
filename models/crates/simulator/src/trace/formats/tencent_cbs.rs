//! Tencent cloud block storage (CBS) traces: `Timestamp,Offset,Size,IOType,VolumeID`.
//!
//! Timestamp in seconds since 1970, `IOType` 0 reads and 1 writes. Two copies are in use and look
//! alike: the original counts Offset and Size in sectors of 512 bytes, a re-hosted one has Offset
//! in bytes and Size still in sectors. The alignment of the offsets speaks for one or the other and
//! is shown, but the choice is the user's.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::fields::{
    SECOND_NS, SECTOR_BYTES, commas, decimal_time, in_bytes, is_named, neither, sectors,
    wrong_columns,
};
use crate::trace::formats::doubts::DOUBTED;
use crate::trace::formats::epoch::Dates;
use crate::trace::formats::{Format, Open, Score, head_lines, score_lines};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding, Warning,
    resumable,
};
use crate::trace::text::{ParseResult, fault, parse_u64, trim};
use crate::wording::counted;

const COLUMNS: &str = "Timestamp,Offset,Size,IOType,VolumeID";
/// Records from which on aligned offsets are no accident.
const MANY: u64 = 16;

/// Offset and Size in sectors: the original.
pub(crate) const FORMAT: Format = Format {
    name: "tencent_cbs",
    description: "Tencent CBS block trace, CSV: Timestamp,Offset,Size,IOType,VolumeID (seconds, Offset and Size in sectors)",
    verified: "official description and its example line; no file was available",
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
    verified: "description of the copy only; no file was available",
    detect: |head| detect(head, Unit::Bytes),
    open: Open::Requests(|input, _spec| open(input, Unit::Bytes)),
    ..FORMAT
};

/// What Offset counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
        let (aligned, offsets) = alignment(head, 1);
        let all = counted(offsets, "offset", "offsets");
        score.reason = format!(
            "{}; {}, which {}",
            score.reason,
            counted(
                aligned,
                &format!("of {all} is a multiple of 512"),
                &format!("of {all} are multiples of 512"),
            ),
            if aligned < offsets {
                "byte offsets would all be: sectors are likely"
            } else {
                "sector offsets would rarely be: bytes are likely"
            }
        );
        let (aligned, sizes) = alignment(head, 2);
        if sizes >= MANY && aligned == sizes {
            score.value = score.value.min(DOUBTED);
            score.reason.push_str(
                "; all sizes are multiples of 512 too, so they may count bytes, as in neither copy",
            );
        }
    }
    score
}

/// Of the head's records with a number in the column, how many are multiples of 512.
fn alignment(head: &Head<'_>, column: usize) -> (u64, u64) {
    let (mut aligned, mut numbers) = (0, 0);
    for line in head_lines(head) {
        let number = commas::<5>(line).and_then(|fields| parse_u64(fields[column], "").ok());
        if let Some(number) = number {
            numbers += 1;
            aligned += u64::from(number % SECTOR_BYTES == 0);
        }
    }
    (aligned, numbers)
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

#[derive(Serialize, Deserialize)]
struct Tencent {
    unit: Unit,
    requests: u64,
    unaligned: u64,
    /// Requests whose Size is no multiple of 512, as nearly all sizes in sectors are.
    odd_sizes: u64,
    dates: Dates,
}

impl Tencent {
    fn new(unit: Unit) -> Self {
        Self {
            unit,
            requests: 0,
            unaligned: 0,
            odd_sizes: 0,
            dates: Dates::default(),
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
                    format!(
                        "Offset `{offset}` is not a multiple of 512, so it does not count bytes"
                    ),
                    "read the file with [[format=tencent_cbs]]: Offset in sectors",
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
        self.odd_sizes += u64::from(!request.size.is_multiple_of(SECTOR_BYTES * SECTOR_BYTES));
        self.dates.add(request.time_ns);
        Ok(request)
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
        if self.unit == Unit::Sectors && self.unaligned == 0 && self.requests >= MANY {
            warnings.push(Warning::new(
                "offsets_look_like_bytes",
                format!(
                    "the offsets of all {} are multiples of 512, which sectors rarely are: they may count bytes",
                    counted(self.requests, "request", "requests")
                ),
                "compare with [[format=tencent_cbs_bytes]]: the distinct pages should fit the size of the volumes",
            ));
        }
        if self.odd_sizes == 0 && self.requests >= MANY {
            warnings.push(Warning::new(
                "sizes_look_like_bytes",
                format!(
                    "the sizes of all {} are multiples of 512, which counts of sectors rarely are: they may be bytes, which makes them 512 times too large here",
                    counted(self.requests, "request", "requests")
                ),
                "if they are bytes, read the file with [[format=csv]] and a column mapping: size_unit=bytes",
            ));
        }
        warnings
    }

    resumable!();
}
