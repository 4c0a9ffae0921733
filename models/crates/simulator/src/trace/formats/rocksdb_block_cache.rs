//! `RocksDB`'s block cache trace in its text form, as `block_cache_trace_analyzer` writes it with
//! `-human_readable_trace_file_path`: 21 columns and no header, a 22nd where copies add the next
//! access.
//!
//! Microseconds since 1970; the block is a number that the analyser gives to each key of a block;
//! its type is the number of `RocksDB`'s trace type, 7 to 11; sizes are in bytes. Every access reads:
//! the block cache holds no dirty block. A look-up that must not fill the cache (`no_insert`) is an
//! access all the same, as a block that it finds is used.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{commas, whole_time, wrong_columns};
use crate::trace::formats::epoch::Dates;
use crate::trace::formats::{Format, Open, score_lines};
use crate::trace::open::Input;
use crate::trace::reader::{
    Addressing, FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding,
    Warning, resumable,
};
use crate::trace::text::{ParseResult, excerpt, fault, parse_u64, trim};
use crate::wording::counted;

const COLUMNS: &str = "access_time,block_id,block_type,block_size,cf_id,cf_name,level,fd,caller,no_insert,get_id,key_id,kv_size,is_hit,referenced_key_exist,num_keys,table_id,seq_number,block_key_size,key_size,block_offset[,next_access]";
const FEWEST: usize = 21;
const NAMES: [&[u8]; 3] = [b"access_time", b"access_timestamp", b"access_time_us"];
const MICROSECOND_NS: u64 = 1000;
/// Index, filter, data, dictionary and range deletion blocks.
const BLOCK_TYPES: std::ops::RangeInclusive<u64> = 7..=11;

pub(crate) const FORMAT: Format = Format {
    name: "rocksdb_block_cache",
    description: "RocksDB block cache trace, text of block_cache_trace_analyzer: time, block, type, size and 17 more (each block one page)",
    verified: "source of RocksDB's writer (block_cache_tracer.cc); no complete file was available",
    has_writes: false,
    has_time: true,
    has_device: false,
    page_native: true,
    below_page_cache: false,
    detect: |head| {
        score_lines(
            head,
            BlockCache::default(),
            "microseconds, block, block type, size and 17 or 18 more",
        )
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let understanding = Understanding {
        addressing: Addressing::Pages { page_bytes: None },
        has_time: true,
        has_writes: false,
        units: vec![
            FieldUnit::new("access_time", "µs", "since 1970"),
            FieldUnit::new("block_id", "number", "each block is one page"),
            FieldUnit::new("block_type", "number", "7 to 11; only checked"),
            FieldUnit::new(
                "block_size",
                "bytes",
                "not used: a block is one page regardless of its size",
            ),
            FieldUnit::new(
                "no_insert",
                "0 or 1",
                "1: the look-up does not fill the cache; an access all the same",
            ),
            FieldUnit::new("is_hit", "0 or 1", "in the cache that was in use; not used"),
            FieldUnit::new("all others", "", "not used; names are not kept"),
        ],
        assumptions: vec![
            "each block of the cache is one page".to_owned(),
            "all accesses are reads: the block cache holds no dirty blocks".to_owned(),
            "all blocks were traced: with a sampling frequency of n, sizes of the trace are one n-th of those of the machine".to_owned(),
        ],
        columns: Vec::new(),
    };
    LineReader::boxed(
        input,
        BlockCache::default(),
        understanding,
        Spaces::single(),
    )
}

#[derive(Default, Serialize, Deserialize)]
struct BlockCache {
    /// Columns of the first line: 21 or 22.
    columns: Option<usize>,
    dates: Dates,
    accesses: u64,
    not_inserted: u64,
    /// Smallest and largest size other than 0, which a look-up without a block has.
    sizes: Option<(u64, u64)>,
    sized: u64,
    bytes: u128,
}

/// `0` or `1`.
#[inline]
fn flag(field: &[u8], name: &str) -> ParseResult<bool> {
    match trim(field) {
        b"0" => Ok(false),
        b"1" => Ok(true),
        other => Err(fault(
            format!("{name} `{}` is neither 0 nor 1", excerpt(other)),
            "check the order of the columns; a comma in the name of a column family shifts them",
        )),
    }
}

impl BlockCache {
    #[inline]
    fn count(&mut self, bytes: u64, inserts: bool) {
        self.accesses += 1;
        self.not_inserted += u64::from(!inserts);
        if bytes > 0 {
            let (smallest, largest) = self.sizes.get_or_insert((bytes, bytes));
            *smallest = bytes.min(*smallest);
            *largest = bytes.max(*largest);
            self.sized += 1;
            self.bytes += u128::from(bytes);
        }
    }
}

impl LineFormat for BlockCache {
    #[inline]
    fn parse(&mut self, line: &[u8], _spaces: &mut Spaces) -> ParseResult<Request> {
        let wrong = || wrong_columns(COLUMNS, "commas");
        let columns = match self.columns {
            Some(columns) => columns,
            None => 1 + memchr::memchr_iter(b',', line).count(),
        };
        let fields: [&[u8]; FEWEST] = if columns == FEWEST {
            commas(line).ok_or_else(wrong)?
        } else {
            let all: [&[u8]; FEWEST + 1] = commas(line).ok_or_else(wrong)?;
            parse_u64(trim(all[FEWEST]), "next_access")?;
            std::array::from_fn(|at| all[at])
        };
        let number = |at: usize, name: &str| parse_u64(trim(fields[at]), name);
        let time_ns = whole_time(trim(fields[0]), MICROSECOND_NS, "access_time")?;
        let block = number(1, "block_id")?;
        let block_type = number(2, "block_type")?;
        if !BLOCK_TYPES.contains(&block_type) {
            return Err(fault(
                format!("block_type `{block_type}` is not a number from 7 to 11"),
                "check that this is a trace of the block cache, and the order of the columns",
            ));
        }
        let bytes = number(3, "block_size")?;
        let no_insert = flag(fields[9], "no_insert")?;
        flag(fields[13], "is_hit")?;
        flag(fields[14], "referenced_key_exist")?;
        for (at, name) in [
            (4, "cf_id"),
            (6, "level"),
            (7, "fd"),
            (8, "caller"),
            (10, "get_id"),
            (11, "key_id"),
            (12, "kv_size"),
            (15, "num_keys"),
            (16, "table_id"),
            (17, "seq_number"),
            (18, "block_key_size"),
            (19, "key_size"),
            (20, "block_offset"),
        ] {
            number(at, name)?;
        }
        self.columns = Some(columns);
        self.dates.add(time_ns);
        self.count(bytes, !no_insert);
        Ok(Request {
            time_ns,
            offset: block,
            size: 1,
            space: 0,
            write: false,
        })
    }

    fn is_header(&self, line: &[u8]) -> bool {
        let columns = 1 + memchr::memchr_iter(b',', line).count();
        let first = trim(line.split(|byte| *byte == b',').next().unwrap_or_default());
        (columns == FEWEST || columns == FEWEST + 1)
            && NAMES.iter().any(|name| first.eq_ignore_ascii_case(name))
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        warnings.extend(self.dates.warning("access_time", "microseconds"));
        if let Some((smallest, largest)) = self.sizes.filter(|(small, large)| small != large) {
            let mean = self.bytes / u128::from(self.sized.max(1));
            warnings.push(Warning::new(
                "object_sizes_ignored",
                format!(
                    "block sizes range from {smallest} to {largest} bytes, {mean} on average, but each block counts as one page"
                ),
                format!("state the mean size as page size ({mean}), or read sizes in pages as numbers of blocks"),
            ));
        }
        if self.not_inserted > 0 {
            let all = counted(self.accesses, "access", "accesses");
            warnings.push(Warning::new(
                "not_inserted",
                counted(
                    self.not_inserted,
                    &format!("of {all} does not fill the block cache if it misses (no_insert); it counts as any other"),
                    &format!("of {all} do not fill the block cache if they miss (no_insert); they count as any other"),
                ),
                "consider that blocks of scans and compactions that were never cached take room in the computed cache",
            ));
        }
        warnings
    }

    resumable!();
}
