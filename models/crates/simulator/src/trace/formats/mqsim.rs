//! `MQSim` / `SSDSim` ASCII traces: `arrival_time device start_sector size_sectors type`.
//!
//! Separated by blanks, all whole numbers; sectors of 512 bytes, type 0 **writes** and 1 reads.
//! The unit of the time is not in the file but in the simulator's settings: nanoseconds by default.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{neither, sectors, whole_time, words, wrong_columns};
use crate::trace::formats::disksim::Shape;
use crate::trace::formats::{Format, Open, Score, score_lines};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding, resumable,
};
use crate::trace::text::{ParseResult, parse_u64};

pub(crate) const FORMAT: Format = Format {
    name: "mqsim",
    description: "MQSim / SSDSim block trace, text: time device sector sectors type (ns, 1 reads, 0 writes)",
    verified: "published traces: tpcc-small and wsrch-small of MQSim, example.ascii of SSDSim; an independent reading agrees",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: true,
    detect,
    open: Open::Requests(open),
};

fn detect(head: &Head<'_>) -> Score {
    let score = score_lines(
        head,
        Mqsim,
        "nanoseconds, device, sector, sectors, 1 for read or 0 for write, all whole numbers",
    );
    let shape = Shape::of(head);
    shape.doubt_sectors(shape.doubt_bytes(score))
}

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let units = vec![
        FieldUnit::new(
            "arrival_time",
            "ns",
            "time since the start of the recording",
        ),
        FieldUnit::new("device", "number", "device"),
        FieldUnit::new(
            "start_sector",
            "512-byte sectors",
            "first sector of the request",
        ),
        FieldUnit::new("size_sectors", "512-byte sectors", "length of the request"),
        FieldUnit::new("type", "0 or 1", "0 writes, 1 reads"),
    ];
    let assumptions = vec![
        "the time is in nanoseconds, the default of MQSim and SSDSim; its unit is not in the file (for another unit, use [[format=csv]] with a column mapping)".to_owned(),
        "type 1 reads and 0 writes, the reverse of most formats".to_owned(),
    ];
    LineReader::boxed(
        input,
        Mqsim,
        Understanding::block(units, assumptions),
        Spaces::default(),
    )
}

#[derive(Serialize, Deserialize)]
struct Mqsim;

impl LineFormat for Mqsim {
    #[inline]
    fn parse(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Request> {
        let [time, device, start, size, kind] = words(line).ok_or_else(|| {
            wrong_columns(
                "arrival_time device start_sector size_sectors type",
                "blanks",
            )
        })?;
        let write = match kind {
            b"0" => true,
            b"1" => false,
            other => return Err(neither(other, "type", "0 (write) nor 1 (read)")),
        };
        parse_u64(device, "device")?;
        Ok(Request {
            time_ns: whole_time(time, 1, "arrival_time")?,
            offset: sectors(start, "start_sector")?,
            size: sectors(size, "size_sectors")?,
            space: spaces.number(device)?,
            write,
        })
    }

    resumable!();
}
