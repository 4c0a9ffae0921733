//! Meta's `CacheLib` storage traces (202312): a table with named columns, of which `block_id`,
//! `op_name`, `io_offset` and `io_size` are needed and `op_count` and `op_time` used.
//!
//! `getChunkData*` reads and `putChunk*` writes a part of a block. Blocks are independent of each
//! other, so each gets a range of addresses of its own: [`BLOCK_RANGE_BYTES`] apart, in order of
//! first appearance.

use crate::error::Result;
use crate::hash::FastMap;
use crate::trace::TraceSpec;
use crate::trace::fields::decimal_time;
use crate::trace::formats::cache_op::sampled;
use crate::trace::formats::cachelib_kv::{parse_repeats, time_warning};
use crate::trace::formats::named::{self, OpTime};
use crate::trace::formats::{Format, Open, Score};
use crate::trace::keys::key_number;
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    Addressing, FieldUnit, LineFormat, LineReader, RepeatingReader, Repeats, Request,
    RequestReader, Spaces, Understanding, Warning,
};
use crate::trace::text::{ParseResult, excerpt, fault, parse_u64};

const NEEDED: &[&str] = &["block_id", "op_name", "io_offset", "io_size"];
/// Columns that are looked at.
const USED: &[&str] = &[
    "block_id",
    "op_name",
    "io_offset",
    "io_size",
    "op_count",
    "op_time",
];
/// Addresses set apart for a block [bytes]: far above the 8 MiB that blocks have.
const BLOCK_RANGE_BYTES: u64 = 1 << 32;

pub(crate) const FORMAT: Format = Format {
    name: "cachelib_storage",
    description: "Meta CacheLib storage trace, CSV with named columns block_id, op_name, io_offset, io_size",
    verified: "published samples (block_traces_1 and 2 of CacheLib); an independent reading agrees",
    has_writes: true,
    has_time: true,
    has_device: false,
    page_native: false,
    below_page_cache: false,
    detect,
    open: Open::Requests(open),
};

fn detect(head: &Head<'_>) -> Score {
    if named::has_all(&named::names(head), NEEDED) {
        Score::new(
            0.98,
            "its header names block_id, op_name, io_offset and io_size",
        )
    } else {
        Score::no("its first line does not name block_id, op_name, io_offset and io_size")
    }
}

fn open(mut input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let names = named::read_header(&mut input)?;
    named::refuse_twins(&names, USED, &input)?;
    let format = CacheLibStorage {
        columns: names.len(),
        block: named::required(&names, "block_id", &input)?,
        op: named::required(&names, "op_name", &input)?,
        offset: named::required(&names, "io_offset", &input)?,
        size: named::required(&names, "io_size", &input)?,
        op_count: named::optional(&names, "op_count"),
        op_time: named::optional(&names, "op_time"),
        time_unit: None,
        repeats: 1,
        blocks: FastMap::default(),
        starts: Vec::new(),
    };
    let mut units = vec![
        FieldUnit::new(
            "block_id",
            "key",
            "block: its bytes are addressed separately",
        ),
        FieldUnit::new("io_offset", "bytes", "first byte inside the block"),
        FieldUnit::new("io_size", "bytes", "length of the request"),
        FieldUnit::new("op_name", "word", "getChunkData* reads, putChunk* writes"),
    ];
    let mut assumptions = vec![format!(
        "blocks lie {BLOCK_RANGE_BYTES} bytes apart, in order of first appearance: page numbers are not those of a disk"
    )];
    if format.op_count.is_some() {
        units.push(FieldUnit::new(
            "op_count",
            "requests",
            "requests that the line stands for",
        ));
    } else {
        assumptions.push("each line is one request: there is no column op_count".to_owned());
    }
    if format.op_time.is_some() {
        units.push(FieldUnit::new(
            "op_time",
            "s, ms or µs",
            "time of the request; the unit is the one that puts the first value into the years 2001 to 2286, else s",
        ));
    }
    let understanding = Understanding {
        addressing: Addressing::Bytes,
        has_time: format.op_time.is_some(),
        has_writes: true,
        units,
        assumptions,
        columns: names,
    };
    let lines = LineReader::new(input, format, understanding, Spaces::single(), 1);
    Ok(Box::new(RepeatingReader::new(lines)))
}

struct CacheLibStorage {
    columns: usize,
    block: usize,
    op: usize,
    offset: usize,
    size: usize,
    op_count: Option<usize>,
    op_time: Option<usize>,
    time_unit: Option<OpTime>,
    repeats: u64,
    /// Number of each block, in order of first appearance.
    blocks: FastMap<u64, u64>,
    starts: Vec<usize>,
}

impl LineFormat for CacheLibStorage {
    #[inline]
    fn parse(&mut self, line: &[u8], _spaces: &mut Spaces) -> ParseResult<Request> {
        let fields = named::fields(line, self.columns, &mut self.starts)?;
        let field = |column: usize| fields.get(&self.starts, column);
        let write = operation(field(self.op))?;
        let offset = parse_u64(field(self.offset), "io_offset")?;
        let size = parse_u64(field(self.size), "io_size")?;
        if offset
            .checked_add(size)
            .is_none_or(|end| end > BLOCK_RANGE_BYTES)
        {
            return Err(fault(
                format!(
                    "io_offset `{offset}` + io_size `{size}` is more than a block holds (4 GiB)"
                ),
                "check that both are bytes, and the order of the columns",
            ));
        }
        let name = field(self.block);
        if name.is_empty() {
            return Err(fault(
                "block_id is empty",
                "every record needs this field; check the columns",
            ));
        }
        let repeats = match self.op_count {
            None => 1,
            Some(column) => parse_repeats(field(column))?,
        };
        let time_ns = match self.op_time {
            None => 0,
            Some(column) => {
                let unit = *self
                    .time_unit
                    .get_or_insert_with(|| OpTime::of_field(field(column)));
                decimal_time(field(column), unit.unit_ns(), "op_time")?
            }
        };
        let next = self.blocks.len() as u64;
        let block = *self.blocks.entry(key_number(name)).or_insert(next);
        let base = block.checked_mul(BLOCK_RANGE_BYTES).ok_or_else(|| {
            fault(
                "more than 4,294,967,295 blocks",
                "check the column block_id",
            )
        })?;
        self.repeats = repeats;
        Ok(Request {
            time_ns,
            offset: base + offset,
            size,
            space: 0,
            write,
        })
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = vec![sampled(
            "the published CacheLib storage traces hold the requests for a part of the blocks",
        )];
        warnings.extend(time_warning(self.time_unit));
        warnings
    }
}

impl Repeats for CacheLibStorage {
    #[inline]
    fn repeats(&self) -> u64 {
        self.repeats
    }
}

fn operation(word: &[u8]) -> ParseResult<bool> {
    if word.starts_with(b"getChunkData") {
        Ok(false)
    } else if word.starts_with(b"putChunk") {
        Ok(true)
    } else {
        Err(fault(
            format!(
                "op_name `{}` is neither getChunkData* nor putChunk*",
                excerpt(word)
            ),
            "remove the lines of other operations, or skip them with [[a skip_bad_lines]]",
        ))
    }
}
