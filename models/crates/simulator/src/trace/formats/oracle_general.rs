//! libCacheSim's oracleGeneral: 24-byte little-endian records without a header.
//!
//! `u32 real_time, u64 obj_id, u32 obj_size, i64 next_access_vtime`: seconds, id, bytes, and the
//! position of the next request of the id (-1 or the largest i64: never). There is no operation:
//! every record is a read. Each id is one page, whatever the object's size.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::bytes::{u32_at, u64_at};
use crate::trace::formats::{Format, Open, Score, is_text, ratio};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    Addressing, FieldUnit, RecordFormat, RecordReader, Request, RequestReader, Understanding,
    Warning, resumable,
};
use crate::trace::text::{ParseResult, fault};
use crate::wording::counted;

const RECORD_BYTES: usize = 24;
/// No trace has more records than this.
const LARGEST_POSITION: i64 = 1 << 48;
const SECOND_NS: i64 = 1_000_000_000;

pub(crate) const FORMAT: Format = Format {
    name: "oracle_general",
    description: "libCacheSim oracleGeneral key trace: 24-byte binary records, each key one page",
    verified: "a published trace (libCacheSim's cloudPhysicsIO)",
    has_writes: false,
    has_time: true,
    has_device: false,
    page_native: true,
    below_page_cache: false,
    detect,
    open: Open::Requests(open),
};

fn detect(head: &Head<'_>) -> Score {
    score_linked::<RECORD_BYTES>(head, |record| Linked {
        time: u32_at(record, 0),
        id: u64_at(record, 4),
        next: next_access(record),
        known: true,
    })
}

/// What the records of this family have in common.
pub(crate) struct Linked {
    pub(crate) time: u32,
    pub(crate) id: u64,
    pub(crate) next: i64,
    /// Whether the other fields can be what the layout says.
    pub(crate) known: bool,
}

/// How well a head fits records of `BYTES` that hold a time, an id and the next access of the id.
pub(crate) fn score_linked<const BYTES: usize>(
    head: &Head<'_>,
    layout: impl Fn(&[u8]) -> Linked,
) -> Score {
    if is_text(head) {
        return Score::no("text, not binary records");
    }
    let records: Vec<Linked> = head.bytes.chunks_exact(BYTES).map(layout).collect();
    if records.is_empty() {
        return Score::no(format!("less than one {BYTES}-byte record"));
    }
    // A next-access field points forwards or says never: no other layout looks so by chance.
    let forward = |index: usize, next: i64| {
        next == -1
            || next == i64::MAX
            || next < LARGEST_POSITION && usize::try_from(next).is_ok_and(|next| next > index)
    };
    let mut last_time = 0;
    let mut good = 0;
    for (index, record) in records.iter().enumerate() {
        good +=
            usize::from(record.known && record.time >= last_time && forward(index, record.next));
        last_time = record.time;
    }
    let (linked, links) = links(&records);
    let share = ratio(good, records.len());
    let cut = head
        .content_bytes
        .is_some_and(|bytes| bytes % BYTES as u64 != 0);
    if good == 0 {
        return Score::no(format!(
            "no {BYTES}-byte record has a rising time and a next access further on"
        ));
    }
    let all = counted(
        records.len(),
        &format!("{BYTES}-byte record"),
        &format!("{BYTES}-byte records"),
    );
    let next = counted(links, "next access", "next accesses");
    let reason = format!(
        "{} a rising time and a next access further on; {} the same id{}",
        counted(
            good,
            &format!("of the first {all} has"),
            &format!("of the first {all} have")
        ),
        counted(
            linked,
            &format!("of {next} in reach holds"),
            &format!("of {next} in reach hold")
        ),
        if cut {
            format!("; the length is not a multiple of {BYTES}")
        } else {
            String::new()
        }
    );
    let certainty = if links == 0 {
        0.7
    } else {
        // None that holds the id: below what is certain enough, so that the user is asked.
        0.45 + 0.53 * ratio(linked, links)
    };
    let wholeness = if cut { 0.6 } else { 1.0 };
    let majority = if share < 0.5 { 0.5 } else { 1.0 };
    Score::new(share * certainty * wholeness * majority, reason)
}

/// Of the next-access positions that lie inside the head, how many hold the same id.
/// Positions count from 1 in some writers and from 0 in others: the better reading counts.
fn links(records: &[Linked]) -> (usize, usize) {
    let (mut from_one, mut from_zero, mut links) = (0, 0, 0);
    for record in records {
        let Ok(next) = usize::try_from(record.next) else {
            continue;
        };
        if next >= records.len() || next == 0 {
            continue;
        }
        links += 1;
        from_one += usize::from(records[next - 1].id == record.id);
        from_zero += usize::from(records[next].id == record.id);
    }
    (from_one.max(from_zero), links)
}

/// Refuses a record of zeros alone: a hole that a broken copy left, of which every field is valid.
#[inline]
pub(crate) fn refuse_zeros(record: &[u8]) -> ParseResult<()> {
    if record.iter().all(|byte| *byte == 0) {
        return Err(fault(
            "the record is all zeros",
            "the file has a hole: copy or upload it again",
        ));
    }
    Ok(())
}

fn next_access(record: &[u8]) -> i64 {
    u64_at(record, 16).cast_signed()
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the constructor type of the table"
)]
fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let understanding = Understanding {
        addressing: Addressing::Pages { page_bytes: None },
        has_time: true,
        has_writes: false,
        units: vec![
            FieldUnit::new("real_time", "s", "time since an unknown start"),
            FieldUnit::new("obj_id", "key", "each key is one page"),
            FieldUnit::new(
                "obj_size",
                "bytes",
                "not used: a key is one page regardless of its size",
            ),
            FieldUnit::new("next_access_vtime", "position", "checked, not used"),
        ],
        assumptions: vec![
            "each key is one page; object sizes are not used".to_owned(),
            "all accesses are reads: the format has no operation field".to_owned(),
        ],
        columns: Vec::new(),
    };
    Ok(Box::new(RecordReader::new(
        input,
        OracleGeneral::default(),
        understanding,
    )))
}

#[derive(Default, Serialize, Deserialize)]
struct OracleGeneral {
    smallest: Option<u32>,
    largest: u32,
}

impl RecordFormat for OracleGeneral {
    const RECORD_BYTES: usize = RECORD_BYTES;

    #[inline]
    fn parse(&mut self, record: &[u8]) -> ParseResult<Request> {
        refuse_zeros(record)?;
        let next = next_access(record);
        if next < -1 {
            return Err(fault(
                format!("next_access_vtime `{next}` is below -1"),
                "the file is damaged before this record or is not an oracleGeneral trace",
            ));
        }
        let size = u32_at(record, 12);
        self.smallest = Some(self.smallest.map_or(size, |smallest| smallest.min(size)));
        self.largest = self.largest.max(size);
        Ok(Request {
            time_ns: i64::from(u32_at(record, 0)) * SECOND_NS,
            offset: u64_at(record, 4),
            size: 1,
            space: 0,
            write: false,
        })
    }

    fn warnings(&self) -> Vec<Warning> {
        match self.smallest {
            Some(smallest) if smallest != self.largest => vec![Warning::new(
                "object_sizes_ignored",
                format!(
                    "object sizes range from {smallest} to {} bytes, but each key counts as one page",
                    self.largest
                ),
                "read sizes in pages as numbers of keys, not as bytes, unless all objects are page-sized",
            )],
            _ => Vec::new(),
        }
    }

    resumable!();
}
