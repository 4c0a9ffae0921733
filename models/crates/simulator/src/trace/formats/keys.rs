//! The plainest key trace: one key a line, any text without blanks.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::formats::{Format, Open, Score, head_lines, score_lines};
use crate::trace::keys::key_number;
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    Addressing, FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding,
    resumable,
};
use crate::trace::text::{ParseResult, excerpt, fault, trim};

/// Longest key [bytes]: memcached's is 250.
const MAX_KEY_BYTES: usize = 4096;

pub(crate) const FORMAT: Format = Format {
    name: "keys",
    description: "key trace: one key a line, any text without blanks, each key one page",
    verified: "no fixed layout",
    has_writes: false,
    has_time: false,
    has_device: false,
    page_native: true,
    below_page_cache: false,
    detect: |head: &Head<'_>| {
        // Nearly any text has this shape, so it is never chosen by itself.
        let lines = head_lines(head);
        if lines
            .iter()
            .any(|line| memchr::memchr3(b',', b';', b'\t', line).is_some())
        {
            return Score::no("a table, or keys with separators inside");
        }
        let shape = score_lines(head, Keys, "one word");
        Score::new(
            0.3 * shape.value,
            format!("{}; never chosen unless named", shape.reason),
        )
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let understanding = Understanding {
        addressing: Addressing::Pages { page_bytes: None },
        has_time: false,
        has_writes: false,
        units: vec![FieldUnit::new("key", "key", "each key is one page")],
        assumptions: vec![
            "each key is one page; a whole number is its own page number, any other key the 64-bit FNV-1a hash of its text".to_owned(),
            "all accesses are reads: there is no operation field".to_owned(),
        ],
        columns: Vec::new(),
    };
    LineReader::boxed(input, Keys, understanding, Spaces::single())
}

#[derive(Serialize, Deserialize)]
struct Keys;

impl LineFormat for Keys {
    #[inline]
    fn parse(&mut self, line: &[u8], _spaces: &mut Spaces) -> ParseResult<Request> {
        let key = trim(line);
        check_key(key)?;
        Ok(Request {
            time_ns: 0,
            offset: key_number(key),
            size: 1,
            space: 0,
            write: false,
        })
    }

    resumable!();
}

/// A key that can be one: UTF-8 text without blanks and control characters.
#[inline]
pub(crate) fn check_key(key: &[u8]) -> ParseResult<()> {
    if !key.is_empty()
        && key.len() <= MAX_KEY_BYTES
        && key.iter().all(|byte| (b'!'..=b'~').contains(byte))
    {
        return Ok(());
    }
    check_rare_key(key)
}

#[cold]
fn check_rare_key(key: &[u8]) -> ParseResult<()> {
    let wrong = if key.is_empty() {
        "is empty"
    } else if key.len() > MAX_KEY_BYTES {
        "is longer than 4096 bytes"
    } else {
        match std::str::from_utf8(key) {
            Err(_) => "is not UTF-8",
            Ok(text)
                if text
                    .chars()
                    .any(|one| one.is_whitespace() || one.is_control()) =>
            {
                "has a blank or a control character inside"
            }
            Ok(_) => return Ok(()),
        }
    };
    Err(fault(
        format!("key `{}` {wrong}", excerpt(key)),
        "check the format and the columns; a table is read with [[format=csv]] and a column mapping",
    ))
}
