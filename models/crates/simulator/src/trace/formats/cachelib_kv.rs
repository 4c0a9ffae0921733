//! Meta's `CacheLib` key-value traces: a table with named columns, of which `key`, `op` and `size` are
//! needed and `op_count` and `op_time` used.
//!
//! 202206 and 202210: `key,op,size,op_count,key_size[,ttl]`; 202401: `op_time,key,key_size,op,
//! op_count,size,cache_hits,ttl,usecase,sub_usecase`. A line stands for `op_count` requests; its size
//! is 0 after a miss. `GET` and `GET_LEASE` read, `SET` and `SET_LEASE` write, `DELETE` makes no access.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::decimal_time;
use crate::trace::formats::cache_op::{CacheCounts, CacheOp, sampled};
use crate::trace::formats::doubts::DOUBTED;
use crate::trace::formats::keys::check_key;
use crate::trace::formats::named::{self, OpTime};
use crate::trace::formats::{Format, Open, Score};
use crate::trace::keys::key_number;
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    Addressing, FieldUnit, LineFormat, LineReader, RepeatingReader, Repeats, Request,
    RequestReader, Spaces, Understanding, Warning, resumable,
};
use crate::trace::text::{ParseResult, excerpt, fault, parse_u64};

const NEEDED: &[&str] = &["key", "op", "size"];
/// Columns that are looked at.
const USED: &[&str] = &["key", "op", "size", "op_count", "op_time"];

pub(crate) const FORMAT: Format = Format {
    name: "cachelib_kv",
    description: "Meta CacheLib key-value trace, CSV with named columns key, op, size, op_count (each key one page)",
    verified: "published samples of 202401 (kv_traces_1 and 2 of CacheLib), an independent reading agrees; 202206 and 202210: description only",
    has_writes: true,
    has_time: true,
    has_device: false,
    page_native: true,
    below_page_cache: false,
    detect,
    open: Open::Requests(open),
};

fn detect(head: &Head<'_>) -> Score {
    let names = named::names(head);
    if !named::has_all(&names, NEEDED) {
        return Score::no("its first line does not name the columns key, op and size");
    }
    if named::has_all(&names, &["op_count"]) || named::has_all(&names, &["key_size"]) {
        return Score::new(
            0.98,
            "its header names key, op, size and op_count or key_size",
        );
    }
    // Any table of keys may have these names, and another meaning of the size.
    Score::new(
        DOUBTED,
        "its header names key, op and size, as CacheLib's does, but neither op_count nor key_size",
    )
}

fn open(mut input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let names = named::read_header(&mut input)?;
    named::refuse_twins(&names, USED, &input)?;
    let format = CacheLibKv {
        columns: names.len(),
        key: named::required(&names, "key", &input)?,
        op: named::required(&names, "op", &input)?,
        size: named::required(&names, "size", &input)?,
        op_count: named::optional(&names, "op_count"),
        op_time: named::optional(&names, "op_time"),
        time_unit: None,
        repeats: 1,
        counts: CacheCounts::default(),
        starts: Vec::new(),
    };
    let mut units = vec![
        FieldUnit::new("key", "key", "each key is one page"),
        FieldUnit::new(
            "op",
            "word",
            "`GET` and `GET_LEASE` read, `SET` and `SET_LEASE` write, `DELETE` makes no access",
        ),
        FieldUnit::new(
            "size",
            "bytes",
            "not used: a key is one page regardless of its size; 0 after a miss",
        ),
    ];
    let mut assumptions = vec![
        "each key is one page (a whole number its own, any other key the 64-bit FNV-1a hash of its text); sizes are not used".to_owned(),
    ];
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
        assumptions.push("the unit of op_time is found from its first value".to_owned());
    }
    let understanding = Understanding {
        addressing: Addressing::Pages { page_bytes: None },
        has_time: format.op_time.is_some(),
        has_writes: true,
        units,
        assumptions,
        columns: names,
    };
    let lines = LineReader::new(input, format, understanding, Spaces::single(), 1);
    Ok(Box::new(RepeatingReader::new(lines)))
}

#[derive(Serialize, Deserialize)]
struct CacheLibKv {
    columns: usize,
    key: usize,
    op: usize,
    size: usize,
    op_count: Option<usize>,
    op_time: Option<usize>,
    time_unit: Option<OpTime>,
    repeats: u64,
    counts: CacheCounts,
    starts: Vec<usize>,
}

impl LineFormat for CacheLibKv {
    #[inline]
    fn parse(&mut self, line: &[u8], _spaces: &mut Spaces) -> ParseResult<Request> {
        let fields = named::fields(line, self.columns, &mut self.starts)?;
        let field = |column: usize| fields.get(&self.starts, column);
        let key = field(self.key);
        check_key(key)?;
        let word = field(self.op);
        let op = CacheOp::of_word(word).ok_or_else(|| {
            fault(
                format!("op `{}` is not one of CacheLib's", excerpt(word)),
                "use GET, GET_LEASE, SET, SET_LEASE or DELETE",
            )
        })?;
        let size = parse_u64(field(self.size), "size")?;
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
        self.repeats = repeats;
        self.counts.op(op);
        self.counts.size(size);
        Ok(Request {
            time_ns,
            offset: key_number(key),
            size: op.pages(),
            space: 0,
            write: op == CacheOp::Write,
        })
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.counts.warnings();
        warnings.push(sampled(
            "the published CacheLib key-value traces hold the requests of 1 key in 100 (one of them 1 in 125) of a host",
        ));
        warnings.extend(time_warning(self.time_unit));
        warnings.push(Warning::new(
            "below_other_caches",
            "the published CacheLib key-value traces were recorded behind other cache layers, which have already absorbed reuse: the benefit of RAM computed from them is too low",
            "read the curves as those of this layer only; use a trace of the first layer to size RAM in front of it",
        ));
        warnings
    }

    resumable!();
}

/// The number of requests that a line stands for.
#[inline]
pub(crate) fn parse_repeats(field: &[u8]) -> ParseResult<u64> {
    let repeats = parse_u64(field, "op_count")?;
    // More than a thousand million of one line are no count.
    if (1..=1 << 30).contains(&repeats) {
        return Ok(repeats);
    }
    Err(fault(
        format!("op_count `{repeats}` is not a number of requests from 1 to 1073741824"),
        "check the order of the columns",
    ))
}

/// Says which unit the times were taken in.
pub(crate) fn time_warning(unit: Option<OpTime>) -> Option<Warning> {
    let unit = unit.filter(|unit| *unit != OpTime::Seconds)?;
    let why = if unit == OpTime::Unsure {
        "is not a time since 1970 in s, ms or µs; the published key-value traces count seconds from another start"
    } else {
        "lies in the years 2001 to 2286 in that unit"
    };
    Some(Warning::new(
        "time_unit_assumed",
        format!("op_time is read in {}: its first value {why}", unit.name()),
        "check the duration shown; it does not affect hits and misses",
    ))
}

impl Repeats for CacheLibKv {
    #[inline]
    fn repeats(&self) -> u64 {
        self.repeats
    }
}
