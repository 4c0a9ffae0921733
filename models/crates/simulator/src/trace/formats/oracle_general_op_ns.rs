//! libCacheSim's oracleGeneralOpNS: 27-byte little-endian records without a header.
//!
//! `u32 time, u64 id, u32 size, u8 op, u16 ns, i64 next`: as [`super::oracle_general`], with the
//! operation (1 get ... 14 update) and a name space, which is a space of its own: libCacheSim takes an
//! id for the same key in all of them.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::bytes::{u16_at, u32_at, u64_at};
use crate::trace::formats::cache_op::{CacheCounts, CacheOp};
use crate::trace::formats::oracle_general::{Linked, refuse_zeros, score_linked};
use crate::trace::formats::tenants::Tenants;
use crate::trace::formats::{Format, Open};
use crate::trace::open::Input;
use crate::trace::reader::{
    Addressing, FieldUnit, RecordFormat, RecordReader, Request, RequestReader, Understanding,
    Warning, resumable,
};
use crate::trace::text::{ParseResult, fault};

const RECORD_BYTES: usize = 27;
const OP_AT: usize = 16;
const NS_AT: usize = 17;
const NEXT_AT: usize = 19;
const SECOND_NS: i64 = 1_000_000_000;

pub(crate) const FORMAT: Format = Format {
    name: "oracle_general_op_ns",
    description: "libCacheSim oracleGeneralOpNS key trace: 27-byte binary records with operations, each key one page",
    verified: "only the layout in libCacheSim's reader; no file was available",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: true,
    below_page_cache: false,
    detect: |head| {
        score_linked::<RECORD_BYTES>(head, |record| Linked {
            time: u32_at(record, 0),
            id: u64_at(record, 4),
            next: u64_at(record, NEXT_AT).cast_signed(),
            known: CacheOp::of_code(record[OP_AT]).is_some(),
        })
    },
    open: Open::Requests(open),
};

#[expect(
    clippy::unnecessary_wraps,
    reason = "the constructor type of the table"
)]
fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let understanding = Understanding {
        addressing: Addressing::Pages { page_bytes: None },
        has_time: true,
        has_writes: true,
        units: vec![
            FieldUnit::new("time", "s", "time since an unknown start"),
            FieldUnit::new("id", "key", "each key is one page"),
            FieldUnit::new(
                "size",
                "bytes",
                "not used: a key is one page regardless of its size",
            ),
            FieldUnit::new(
                "op",
                "code",
                "0 unknown, 1 get, 2 gets and 12 read are reads; 9 delete makes no access; the others write",
            ),
            FieldUnit::new("ns", "number", "name space: its ids are separate keys"),
            FieldUnit::new("next", "position", "checked, not used"),
        ],
        assumptions: vec![
            "each key is one page; object sizes are not used".to_owned(),
            "an id in two name spaces is two keys (libCacheSim, which leaves the name space out, counts one)".to_owned(),
        ],
        columns: Vec::new(),
    };
    Ok(Box::new(RecordReader::new(
        input,
        OpNs::default(),
        understanding,
    )))
}

#[derive(Default, Serialize, Deserialize)]
struct OpNs {
    counts: CacheCounts,
    spaces: Tenants,
}

impl RecordFormat for OpNs {
    const RECORD_BYTES: usize = RECORD_BYTES;

    #[inline]
    fn parse(&mut self, record: &[u8]) -> ParseResult<Request> {
        refuse_zeros(record)?;
        let next = u64_at(record, NEXT_AT).cast_signed();
        if next < -1 {
            return Err(fault(
                format!("next access `{next}` is below -1"),
                "the file is damaged before this record or is not an oracleGeneralOpNS trace",
            ));
        }
        let code = record[OP_AT];
        let op = CacheOp::of_code(code).ok_or_else(|| {
            fault(
                format!("operation `{code}` is not one of 0 to 14"),
                "the file is damaged before this record or is not an oracleGeneralOpNS trace",
            )
        })?;
        self.counts.op(op);
        self.counts.unknown += u64::from(code == 0);
        self.counts.size(u64::from(u32_at(record, 12)));
        Ok(Request {
            time_ns: i64::from(u32_at(record, 0)) * SECOND_NS,
            offset: u64_at(record, 4),
            size: op.pages(),
            space: self.spaces.number(u32::from(u16_at(record, NS_AT))),
            write: op == CacheOp::Write,
        })
    }

    fn warnings(&self) -> Vec<Warning> {
        self.counts.warnings()
    }

    fn spaces(&self) -> Option<&[String]> {
        Some(self.spaces.names())
    }

    resumable!();
}
