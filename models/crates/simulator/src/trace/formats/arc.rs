//! ARC `.lis` traces: `start_block num_blocks ignored request_number`, between blanks.
//!
//! A line is a request for `num_blocks` blocks from `start_block` on; each block is one page (of 512
//! bytes in most of them). There is no time and no operation.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{words, wrong_columns};
use crate::trace::formats::{Format, Open, Score, head_lines, ratio, score_lines};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    Addressing, FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding,
    resumable,
};
use crate::trace::text::{ParseResult, fault, parse_u64};

const COLUMNS: &str = "start_block num_blocks ignored request_number";

pub(crate) const FORMAT: Format = Format {
    name: "arc",
    description: "ARC .lis page trace, four numbers a line: start_block num_blocks ignored request_number",
    verified: "published traces: OLTP and P3 of the ARC authors; an independent reading agrees",
    has_writes: false,
    has_time: false,
    has_device: false,
    page_native: true,
    below_page_cache: false,
    detect,
    open: Open::Requests(open),
};

fn detect(head: &Head<'_>) -> Score {
    let shape = score_lines(head, Arc, "four numbers");
    if shape.value <= 0.0 {
        return shape;
    }
    // Any table of four numbers has the shape: only the number of the request is ARC's own.
    let lines = head_lines(head);
    let (mut followed, mut last) = (0, None);
    for line in &lines {
        let number = words::<4>(line).and_then(|fields| parse_u64(fields[3], "number").ok());
        followed += usize::from(match (last, number) {
            (None, Some(first)) => first <= 1,
            (Some(last), Some(number)) => last + 1 == number || last == number,
            _ => false,
        });
        last = number.filter(|number| *number < u64::MAX);
    }
    let numbered = ratio(followed, lines.len());
    Score::new(
        shape.value * (0.3 + 0.65 * numbered),
        format!(
            "{}, the last of which counts the requests in {followed} of them",
            shape.reason
        ),
    )
}

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let understanding = Understanding {
        addressing: Addressing::Pages { page_bytes: None },
        has_time: false,
        has_writes: false,
        units: vec![
            FieldUnit::new("start_block", "pages", "first page of the request"),
            FieldUnit::new("num_blocks", "pages", "pages of the request"),
            FieldUnit::new("ignored", "-", "not used"),
            FieldUnit::new("request_number", "number", "not used"),
        ],
        assumptions: vec![
            "each block is one page; most of these traces count blocks of 512 bytes: give [[the page_bytes]] to get the sizes in bytes right".to_owned(),
            "all accesses are reads: the format has no operation field".to_owned(),
        ],
        columns: Vec::new(),
    };
    LineReader::boxed(input, Arc, understanding, Spaces::single())
}

#[derive(Serialize, Deserialize)]
struct Arc;

impl LineFormat for Arc {
    #[inline]
    fn parse(&mut self, line: &[u8], _spaces: &mut Spaces) -> ParseResult<Request> {
        let Some([start, count, ignored, number]) = words::<4>(line) else {
            return Err(wrong_columns(COLUMNS, "blanks"));
        };
        let offset = parse_u64(start, "start_block")?;
        let size = parse_u64(count, "num_blocks")?;
        parse_u64(ignored, "the third column")?;
        parse_u64(number, "request_number")?;
        if size == 0 {
            return Err(fault(
                "num_blocks `0` requests nothing",
                "check the order of the columns: start_block num_blocks ignored request_number",
            ));
        }
        Ok(Request {
            time_ns: 0,
            offset,
            size,
            space: 0,
            write: false,
        })
    }

    resumable!();
}
