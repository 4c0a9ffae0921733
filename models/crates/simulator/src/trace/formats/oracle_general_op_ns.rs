//! libCacheSim's oracleGeneralOpNS: 27-byte little-endian records without a header.
//!
//! `u32 time, u64 id, u32 size, u8 op, u16 ns, i64 next`: as [`super::oracle_general`], with the
//! operation (1 get ... 14 update) and a name space, which is not part of the key.

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::bytes::{u32_at, u64_at};
use crate::trace::formats::cache_op::{CacheCounts, CacheOp};
use crate::trace::formats::oracle_general::{Linked, score_linked};
use crate::trace::formats::{Format, Open};
use crate::trace::open::Input;
use crate::trace::reader::{
    Addressing, FieldUnit, RecordFormat, RecordReader, Request, RequestReader, Understanding,
    Warning,
};
use crate::trace::text::{ParseResult, fault};

const RECORD_BYTES: usize = 27;
const OP_AT: usize = 16;
const NEXT_AT: usize = 19;
const SECOND_NS: i64 = 1_000_000_000;

pub(crate) const FORMAT: Format = Format {
    name: "oracle_general_op_ns",
    description: "libCacheSim oracleGeneralOpNS key trace: 27-byte binary records with operations, each key one page",
    has_writes: true,
    has_time: true,
    has_device: false,
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
                "not used: a key is one page whatever its size",
            ),
            FieldUnit::new(
                "op",
                "code",
                "0 unknown, 1 get, 2 gets and 12 read are reads; 9 delete makes no access; the others write",
            ),
            FieldUnit::new("ns", "number", "name space: not part of the key, not used"),
            FieldUnit::new("next", "position", "checked, not used"),
        ],
        assumptions: vec![
            "each key is one page; object sizes are not used".to_owned(),
            "ids are the same key in every name space, as libCacheSim reads them".to_owned(),
        ],
        columns: Vec::new(),
    };
    Ok(Box::new(RecordReader::new(
        input,
        OpNs::default(),
        understanding,
    )))
}

#[derive(Default)]
struct OpNs(CacheCounts);

impl RecordFormat for OpNs {
    const RECORD_BYTES: usize = RECORD_BYTES;

    #[inline]
    fn parse(&mut self, record: &[u8]) -> ParseResult<Request> {
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
                format!("operation `{code}` is none of 0 to 14"),
                "the file is damaged before this record or is not an oracleGeneralOpNS trace",
            )
        })?;
        self.0.op(op);
        self.0.unknown += u64::from(code == 0);
        self.0.size(u64::from(u32_at(record, 12)));
        Ok(Request {
            time_ns: i64::from(u32_at(record, 0)) * SECOND_NS,
            offset: u64_at(record, 4),
            size: op.pages(),
            space: 0,
            write: op == CacheOp::Write,
        })
    }

    fn warnings(&self) -> Vec<Warning> {
        self.0.warnings()
    }
}
