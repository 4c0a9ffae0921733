//! `DiskSim` ASCII traces: `time_ms device block count flags`, separated by blanks.
//!
//! Times in milliseconds; block and count in sectors of 512 bytes; bit 0 of the hexadecimal flags
//! set for a read. `FlashSim` writes lines of the same shape with the count in pages of 4 KiB, so
//! neither is ever chosen without being named.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{
    MILLISECOND_NS, SECTOR_BYTES, decimal_time, in_bytes, sectors, words, wrong_columns,
};
use crate::trace::formats::doubts::{DOUBTED, MANY};
use crate::trace::formats::{Format, Open, Score, head_lines, score_lines};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding, Warning,
    resumable,
};
use crate::trace::text::{ParseResult, excerpt, fault, parse_u64};
use crate::wording::counted;

/// Unit of `FlashSim`'s count [bytes].
pub(super) const PAGE_BYTES: u64 = 4096;
/// Requests that follow each other from which on it is no accident, and how many times as many as
/// under the other reading.
const MANY_FOLLOW: u64 = 16;
const MANY_TIMES: u64 = 4;
/// Score of lines whose times are whole numbers: they are more likely nanoseconds of `MQSim`.
const WHOLE_TIMES: f64 = 0.55;

pub(crate) const FORMAT: Format = Format {
    name: "disksim",
    description: "DiskSim block trace, text: time device block count flags (ms, count in sectors, flag 1 reads)",
    verified: "published traces: ascii.trace of DiskSim 4.0, iozone and postmark of its SSD extension; an independent reading agrees",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: true,
    detect: |head| {
        score_shape(
            head,
            Ascii::new(SECTOR_BYTES),
            "milliseconds, device, sector, count in sectors, flags",
        )
    },
    open: Open::Requests(open),
};

/// The score of the shape that `DiskSim` and `FlashSim` share, with what speaks for either.
pub(super) fn score_shape(head: &Head<'_>, format: Ascii, meaning: &str) -> Score {
    let score = score_lines(head, format, meaning);
    if score.value <= 0.0 {
        return score;
    }
    let shape = Shape::of(head);
    let value = if shape.fractions {
        score.value
    } else {
        score.value.min(WHOLE_TIMES)
    };
    let reason = format!(
        "{}; the next request begins where this one ends {} times by a count in sectors, {} times by a count in pages of 4 KiB",
        score.reason, shape.ends_by_sectors, shape.ends_by_pages
    );
    shape.doubt_bytes(Score::new(value, reason))
}

/// What the head of a table of time, device, address, length and operation says beyond its shape.
#[derive(Default)]
pub(super) struct Shape {
    records: usize,
    /// Whether any time has a fraction.
    fractions: bool,
    /// Whether any address or length is no multiple of 512, as all bytes on a device are.
    sectors: bool,
    ends_by_sectors: usize,
    ends_by_pages: usize,
}

impl Shape {
    pub(super) fn of(head: &Head<'_>) -> Self {
        let mut shape = Self::default();
        let mut last: Option<(&[u8], u64, u64)> = None;
        for line in head_lines(head) {
            let Some([time, device, block, count, _]) = words::<5>(line) else {
                continue;
            };
            let (Ok(block), Ok(count)) = (parse_u64(block, ""), parse_u64(count, "")) else {
                continue;
            };
            shape.records += 1;
            shape.fractions |= time.contains(&b'.');
            shape.sectors |= !(block | count).is_multiple_of(SECTOR_BYTES);
            if let Some((last_device, last_block, last_count)) = last
                && last_device == device
                && last_count > 0
            {
                let follows =
                    |unit: u64| last_count.saturating_mul(unit).saturating_add(last_block) == block;
                shape.ends_by_sectors += usize::from(follows(1));
                shape.ends_by_pages += usize::from(follows(8));
            }
            last = Some((device, block, count));
        }
        shape
    }

    /// The score of lengths in sectors, as low as that of the readings that it competes with if the
    /// requests follow one another by lengths in pages.
    pub(super) fn doubt_sectors(&self, score: Score) -> Score {
        if self.ends_by_pages <= self.ends_by_sectors {
            return score;
        }
        Score::new(
            score.value.min(WHOLE_TIMES),
            format!(
                "{}; the next request begins where this one ends {} times by a length in sectors, {} times by a length in pages of 4 KiB",
                score.reason, self.ends_by_sectors, self.ends_by_pages
            ),
        )
    }

    /// The score, far lower if the addresses seem to be bytes.
    pub(super) fn doubt_bytes(&self, score: Score) -> Score {
        if score.value <= 0.0 || self.sectors || self.records < MANY {
            return score;
        }
        Score::new(
            score.value.min(DOUBTED),
            format!(
                "{}, but all addresses and lengths are multiples of 512, so they seem to be bytes",
                score.reason
            ),
        )
    }
}

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let units = vec![
        FieldUnit::new("time", "ms", "time since the start of the recording"),
        FieldUnit::new("device", "number", "device"),
        FieldUnit::new("block", "512-byte sectors", "first sector of the request"),
        FieldUnit::new("count", "512-byte sectors", "length of the request"),
        FieldUnit::new("flags", "hexadecimal bits", "bit 0 set reads, clear writes"),
    ];
    let assumptions = vec![
        "count is in sectors of 512 bytes (DiskSim), not in pages of 4 KiB (FlashSim)".to_owned(),
        "bit 0 of flags set means read".to_owned(),
    ];
    LineReader::boxed(
        input,
        Ascii::new(SECTOR_BYTES),
        Understanding::block(units, assumptions),
        Spaces::default(),
    )
}

/// Lines of the shape that `DiskSim` and `FlashSim` share.
#[derive(Serialize, Deserialize)]
pub(super) struct Ascii {
    /// Bytes of one unit of the count.
    count_bytes: u64,
    /// Device, first byte and count of the request before.
    last: Option<(u32, u64, u64)>,
    follows_by_sectors: u64,
    follows_by_pages: u64,
}

impl Ascii {
    pub(super) fn new(count_bytes: u64) -> Self {
        Self {
            count_bytes,
            last: None,
            follows_by_sectors: 0,
            follows_by_pages: 0,
        }
    }

    /// Counts whether a request begins where the one before ends, under either reading.
    #[inline]
    fn follow(&mut self, space: u32, offset: u64, count: u64) {
        if let Some((last_space, last_offset, last_count)) = self.last
            && last_space == space
            && last_count > 0
        {
            let gap = offset.wrapping_sub(last_offset);
            self.follows_by_sectors += u64::from(gap == last_count.wrapping_mul(SECTOR_BYTES));
            self.follows_by_pages += u64::from(gap == last_count.wrapping_mul(PAGE_BYTES));
        }
        self.last = Some((space, offset, count));
    }
}

impl LineFormat for Ascii {
    #[inline]
    fn parse(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Request> {
        let [time, device, block, count, flags] =
            words(line).ok_or_else(|| wrong_columns("time device block count flags", "blanks"))?;
        let write = match flags {
            b"1" => false,
            b"0" => true,
            other => flags_write(other)?,
        };
        parse_u64(device, "device")?;
        let count = parse_u64(count, "count")?;
        let request = Request {
            time_ns: decimal_time(time, MILLISECOND_NS, "time")?,
            offset: sectors(block, "block")?,
            size: in_bytes(count, self.count_bytes, "count")?,
            space: spaces.number(device)?,
            write,
        };
        self.follow(request.space, request.offset, count);
        Ok(request)
    }

    fn warnings(&self) -> Vec<Warning> {
        let (own, other, name, unit) = if self.count_bytes == SECTOR_BYTES {
            (
                self.follows_by_sectors,
                self.follows_by_pages,
                "flashsim",
                "pages of 4 KiB",
            )
        } else {
            (
                self.follows_by_pages,
                self.follows_by_sectors,
                "disksim",
                "sectors",
            )
        };
        if other < MANY_FOLLOW || other / MANY_TIMES < own {
            return Vec::new();
        }
        vec![Warning::new(
            "count_unit_doubtful",
            format!(
                "{} begin where the previous one ends if the count is in {unit}, only {own} in the unit used",
                counted(other, "request", "requests")
            ),
            format!(
                "compare with [[format={name}]]: the wrong format makes all lengths eight times too long or too short"
            ),
        )]
    }

    resumable!();
}

#[cold]
fn flags_write(flags: &[u8]) -> ParseResult<bool> {
    std::str::from_utf8(flags)
        .ok()
        .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        .map(|flags| flags & 1 == 0)
        .ok_or_else(|| {
            fault(
                format!(
                    "flags `{}` is not a 32-bit hexadecimal number",
                    excerpt(flags)
                ),
                "check the format and the order of the columns",
            )
        })
}
