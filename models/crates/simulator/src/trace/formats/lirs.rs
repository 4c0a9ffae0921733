//! Traces of the LIRS authors: one block number a line; a line of `*` marks a break and is no request.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::formats::{Format, Open, Score, score_lines};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    Addressing, FieldUnit, LineReader, LogFormat, Request, RequestReader, Spaces, Understanding,
    Warning, resumable,
};
use crate::trace::text::{ParseResult, parse_u64, trim};
use crate::wording::counted;

pub(crate) const FORMAT: Format = Format {
    name: "lirs",
    description: "LIRS page trace: one block number a line, `*` for a break",
    verified: "published traces of the LIRS authors: 2_pools, cs, loop, multi1, sprite; an independent reading agrees",
    has_writes: false,
    has_time: false,
    has_device: false,
    page_native: true,
    below_page_cache: false,
    detect: |head: &Head<'_>| {
        let shape = score_lines(head, Lirs::default(), "one block number or `*`");
        Score::new(0.9 * shape.value, shape.reason)
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let understanding = Understanding {
        addressing: Addressing::Pages { page_bytes: None },
        has_time: false,
        has_writes: false,
        units: vec![FieldUnit::new(
            "block",
            "pages",
            "block number: one page for each line",
        )],
        assumptions: vec![
            "each number is the block of one request: any list of numbers has this shape, even one of sizes or times".to_owned(),
            "each block is one page".to_owned(),
            "all accesses are reads: the format has no operation field".to_owned(),
        ],
        columns: Vec::new(),
    };
    LineReader::boxed(input, Lirs::default(), understanding, Spaces::single())
}

#[derive(Default, Serialize, Deserialize)]
struct Lirs {
    breaks: u64,
}

impl LogFormat for Lirs {
    #[inline]
    fn parse_line(&mut self, line: &[u8], _spaces: &mut Spaces) -> ParseResult<Option<Request>> {
        let field = trim(line);
        if field == b"*" {
            self.breaks += 1;
            return Ok(None);
        }
        Ok(Some(Request {
            time_ns: 0,
            offset: parse_u64(field, "block")?,
            size: 1,
            space: 0,
            write: false,
        }))
    }

    fn warnings(&self) -> Vec<Warning> {
        if self.breaks == 0 {
            return Vec::new();
        }
        vec![Warning::new(
            "breaks_passed_over",
            counted(
                self.breaks,
                "line of `*` marks a break and was skipped",
                "lines of `*` mark breaks and were skipped",
            ),
            "no action is needed unless the parts are separate traces",
        )]
    }

    resumable!();
}
