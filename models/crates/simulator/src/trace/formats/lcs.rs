//! libCacheSim's LCS: a header of 8192 bytes, then little-endian records of one of eight versions.
//!
//! Header: `u64 start_magic, u64 version, 8000 bytes of statistics, 21 x u64 unused, u64 end_magic`.
//! Records: version 1 (24 bytes) is that of oracleGeneral; 2 (28 bytes) `u32 time, u64 id, u32 size,
//! u32 {op: 8, tenant: 24}, i64 next`; 3 (36 bytes) `u32 time, u64 id, i64 size, u32 {op, tenant},
//! u32 ttl, i64 next`; 4 to 8 are 3 with 1, 2, 4, 8 and 16 features of 32 bits behind it.
//!
//! An older, incompatible header of 1024 bytes begins with the same magic number and has the text of
//! a format where the version stands now: recognised and refused.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::trace::TraceSpec;
use crate::trace::bytes::{u32_at, u64_at};
use crate::trace::formats::cache_op::{CacheCounts, CacheOp};
use crate::trace::formats::oracle_general::refuse_zeros;
use crate::trace::formats::tenants::Tenants;
use crate::trace::formats::{Format, Open, Score};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    Addressing, FieldUnit, RecordFormat, RecordReader, Request, RequestReader, Understanding,
    Warning, resumable,
};
use crate::trace::text::{ParseResult, fault};
use crate::wording::counted;

const MAGIC: u64 = 0x1234_5678_9abc_def0;
const HEADER_BYTES: usize = 8192;
/// Version of the statistics, the only one there is, and the number of requests behind it.
const STATISTICS_AT: usize = 16;
const STATISTICS_VERSION: u64 = 1;
const END_MAGIC_AT: usize = HEADER_BYTES - 8;
const SECOND_NS: i64 = 1_000_000_000;

pub(crate) const FORMAT: Format = Format {
    name: "lcs",
    description: "libCacheSim LCS key trace: a header of 8192 bytes and binary records of versions 1 to 8",
    verified: "files of all eight versions, written by libCacheSim 0.3.5; an independent reading agrees",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: true,
    below_page_cache: false,
    detect,
    open: Open::Requests(open),
};

fn detect(head: &Head<'_>) -> Score {
    if head.bytes.len() < 16 || u64_at(head.bytes, 0) != MAGIC {
        return Score::no("its first bytes are not those of LCS");
    }
    Score::new(1.0, "its first bytes")
}

fn open(mut input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let available = input.fill(HEADER_BYTES)?;
    let refuse = |message: String, hint: &str| {
        Err(Error::Unreadable {
            path: input.path().to_owned(),
            message,
            hint: hint.to_owned(),
        })
    };
    let bytes = input.available();
    let version = u64_at(bytes, 8);
    if !(1..=8).contains(&version) {
        let old = bytes[8..16]
            .iter()
            .all(|byte| byte.is_ascii_graphic() || *byte == b' ' || *byte == 0);
        return if old {
            refuse(
                "this LCS trace has the header of October 2024 (1024 bytes), which no release of libCacheSim uses".to_owned(),
                "write it again with a current libCacheSim (traceConv), or as oracleGeneral",
            )
        } else {
            refuse(
                format!("LCS version `{version}` is not one of 1 to 8"),
                "the file is damaged, or newer than this reader",
            )
        };
    }
    if available < HEADER_BYTES {
        return refuse(
            format!("the LCS header is cut off: {available} of {HEADER_BYTES} bytes"),
            "copy or upload the file again; its end is missing",
        );
    }
    if u64_at(bytes, END_MAGIC_AT) != MAGIC {
        return refuse(
            "the LCS header does not end with its magic number".to_owned(),
            "the file is damaged, or of another layout",
        );
    }
    let stated = (u64_at(bytes, STATISTICS_AT) == STATISTICS_VERSION)
        .then(|| u64_at(bytes, STATISTICS_AT + 8))
        .filter(|requests| *requests > 0);
    input.consume(HEADER_BYTES);
    match version {
        1 => boxed::<24>(input, 1, stated),
        2 => boxed::<28>(input, 2, stated),
        3 => boxed::<36>(input, 3, stated),
        4 => boxed::<40>(input, 4, stated),
        5 => boxed::<44>(input, 5, stated),
        6 => boxed::<52>(input, 6, stated),
        7 => boxed::<68>(input, 7, stated),
        _ => boxed::<100>(input, 8, stated),
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the result type of the constructor"
)]
fn boxed<const BYTES: usize>(
    input: Input,
    version: u64,
    stated: Option<u64>,
) -> Result<Box<dyn RequestReader>> {
    let has_writes = version > 1;
    let mut units = vec![
        FieldUnit::new("time", "s", "time since an unknown start"),
        FieldUnit::new("id", "key", "each key is one page"),
        FieldUnit::new(
            "size",
            "bytes",
            "not used: a key is one page regardless of its size",
        ),
        FieldUnit::new("next", "position", "checked, not used"),
    ];
    let mut assumptions = vec![
        format!("LCS version {version}: records of {BYTES} bytes"),
        "each key is one page; object sizes are not used".to_owned(),
    ];
    if has_writes {
        units.push(FieldUnit::new(
            "op",
            "code",
            "0 unknown, 1 get, 2 gets and 12 read are reads; 9 delete makes no access; the others write",
        ));
        units.push(FieldUnit::new(
            "tenant",
            "number",
            "its ids are separate keys",
        ));
        assumptions.push(
            "an id of two tenants is two keys (libCacheSim, which leaves the tenant out, counts one)"
                .to_owned(),
        );
    } else {
        assumptions.push("all accesses are reads: version 1 has no operation field".to_owned());
    }
    let understanding = Understanding {
        addressing: Addressing::Pages { page_bytes: None },
        has_time: true,
        has_writes,
        units,
        assumptions,
        columns: Vec::new(),
    };
    Ok(Box::new(RecordReader::new(
        input,
        Lcs::<BYTES> {
            stated,
            ..Lcs::default()
        },
        understanding,
    )))
}

#[derive(Default, Serialize, Deserialize)]
struct Lcs<const BYTES: usize> {
    counts: CacheCounts,
    /// Version 1 has one, 0.
    tenants: Tenants,
    /// Requests by the header, where it says so.
    stated: Option<u64>,
    /// Records of the file, once it has ended.
    found: Option<u64>,
}

impl<const BYTES: usize> RecordFormat for Lcs<BYTES> {
    const RECORD_BYTES: usize = BYTES;

    #[inline]
    fn parse(&mut self, record: &[u8]) -> ParseResult<Request> {
        refuse_zeros(record)?;
        // The layout is a constant of the type: the compiler keeps one branch.
        let (size, op_at, next_at) = match BYTES {
            24 => (u64::from(u32_at(record, 12)), None, 16),
            28 => (u64::from(u32_at(record, 12)), Some(16), 20),
            _ => (u64_at(record, 12), Some(20), 28),
        };
        let next = u64_at(record, next_at).cast_signed();
        if next < -1 {
            return Err(fault(
                format!("next access `{next}` is below -1"),
                "the file is damaged before this record",
            ));
        }
        if size > i64::MAX.cast_unsigned() {
            return Err(fault(
                format!("size `{}` is negative", size.cast_signed()),
                "the file is damaged before this record",
            ));
        }
        let (op, tenant) = match op_at {
            None => (CacheOp::Read, 0),
            Some(at) => {
                let code = record[at];
                self.counts.unknown += u64::from(code == 0);
                let op = CacheOp::of_code(code).ok_or_else(|| {
                    fault(
                        format!("operation `{code}` is not one of 0 to 14"),
                        "the file is damaged before this record",
                    )
                })?;
                (op, u32_at(record, at) >> 8)
            }
        };
        self.counts.op(op);
        self.counts.size(size);
        Ok(Request {
            time_ns: i64::from(u32_at(record, 0)) * SECOND_NS,
            offset: u64_at(record, 4),
            size: op.pages(),
            space: self.tenants.number(tenant),
            write: op == CacheOp::Write,
        })
    }

    fn ended(&mut self, records: u64) {
        self.found = Some(records);
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.counts.warnings();
        if let (Some(stated), Some(found)) = (self.stated, self.found)
            && stated != found
        {
            warnings.push(Warning::new(
                "records_not_as_stated",
                format!("the header states {}, the file holds {found}", counted(stated, "request", "requests")),
                "compare the file's length with the original: a file with fewer requests is truncated, or is a part with the header of the whole",
            ));
        }
        warnings
    }

    fn spaces(&self) -> Option<&[String]> {
        // Without tenants the one nameless space of the reader.
        (BYTES > 24).then(|| self.tenants.names())
    }

    resumable!();
}
