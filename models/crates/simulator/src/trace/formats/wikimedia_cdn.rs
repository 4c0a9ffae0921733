//! Wikimedia CDN traces of 2019: `relative_unix hashed_path_query image_type response_size
//! time_firstbyte` (upload) and the same without `image_type` and with the host in the hash (text).
//! Times to the first byte are written as `0.5` or `1.85E-4`.
//!
//! Seconds since the start of the data set; bytes; seconds. Every request reads. The traces of 2016
//! have no time and another order of columns; they are read as a table with a mapping.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{SECOND_NS, Words, whole_time, wrong_columns};
use crate::trace::formats::cache_op::CacheCounts;
use crate::trace::formats::keys::check_key;
use crate::trace::formats::{Format, Open, Score, score_lines};
use crate::trace::keys::key_number;
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    Addressing, FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding,
    Warning, resumable,
};
use crate::trace::text::{ParseResult, check_float, excerpt, fault, parse_u64};

const COLUMNS: &str = "relative_unix hashed_path_query [image_type] response_size time_firstbyte";
/// First lines of upload and of text.
const HEADERS: [&[&[u8]]; 3] = [
    &[
        b"relative_unix",
        b"hashed_path_query",
        b"image_type",
        b"response_size",
        b"time_firstbyte",
    ],
    &[
        b"relative_unix",
        b"hashed_host_path_query",
        b"response_size",
        b"time_firstbyte",
    ],
    &[
        b"relative_unix",
        b"hashed_path_query",
        b"response_size",
        b"time_firstbyte",
    ],
];

pub(crate) const FORMAT: Format = Format {
    name: "wikimedia_cdn",
    description: "Wikimedia CDN trace of 2019 (upload or text), TSV: time, hashed path, [image type], size, time to first byte",
    verified: "official description and published lines of upload and text; no complete file was available",
    has_writes: false,
    has_time: true,
    has_device: false,
    page_native: true,
    below_page_cache: false,
    detect: |head: &Head<'_>| {
        let shape = score_lines(
            head,
            Wikimedia::default(),
            "seconds, hashed path, optional image type, size, seconds to the first byte",
        );
        Score::new(0.95 * shape.value, shape.reason)
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let understanding = Understanding {
        addressing: Addressing::Pages { page_bytes: None },
        has_time: true,
        has_writes: false,
        units: vec![
            FieldUnit::new("relative_unix", "s", "time since the start of the data set"),
            FieldUnit::new("hashed_path_query", "key", "each object is one page"),
            FieldUnit::new("image_type", "word", "upload only; not used"),
            FieldUnit::new(
                "response_size",
                "bytes",
                "not used: an object is one page regardless of its size",
            ),
            FieldUnit::new("time_firstbyte", "s", "not used"),
        ],
        assumptions: vec![
            "each object is one page; response sizes are not used".to_owned(),
            "all accesses are reads: the format has no operation field".to_owned(),
        ],
        columns: Vec::new(),
    };
    LineReader::boxed(input, Wikimedia::default(), understanding, Spaces::single())
}

#[derive(Default, Serialize, Deserialize)]
struct Wikimedia {
    counts: CacheCounts,
    /// Columns of the first line: 4 (text) or 5 (upload).
    columns: Option<usize>,
}

impl LineFormat for Wikimedia {
    #[inline]
    fn parse(&mut self, line: &[u8], _spaces: &mut Spaces) -> ParseResult<Request> {
        let wrong = || wrong_columns(COLUMNS, "tabs");
        let mut fields: [&[u8]; 5] = [&[]; 5];
        let mut count = 0;
        for word in Words::new(line) {
            *fields.get_mut(count).ok_or_else(wrong)? = word;
            count += 1;
        }
        if count < 4 || *self.columns.get_or_insert(count) != count {
            return Err(wrong());
        }
        let [time, key, ..] = fields;
        let (kind, size, first_byte) = match count {
            4 => (None, fields[2], fields[3]),
            _ => (Some(fields[2]), fields[3], fields[4]),
        };
        if let Some(kind) = kind
            && !kind.iter().any(u8::is_ascii_alphabetic)
            && kind != b"-"
        {
            return Err(fault(
                format!("image_type `{}` is not a word", excerpt(kind)),
                "check the order of the columns",
            ));
        }
        check_key(key)?;
        let time_ns = whole_time(time, SECOND_NS, "relative_unix")?;
        let size = parse_u64(size, "response_size")?;
        // A whole number of seconds to the first byte is a column that is something else.
        if !first_byte.contains(&b'.') {
            return Err(fault(
                format!(
                    "time_firstbyte `{}` is not a decimal number of seconds",
                    excerpt(first_byte)
                ),
                "check the order of the columns",
            ));
        }
        check_float(first_byte, "time_firstbyte")?;
        self.counts.size(size);
        Ok(Request {
            time_ns,
            offset: key_number(key),
            size: 1,
            space: 0,
            write: false,
        })
    }

    fn is_header(&self, line: &[u8]) -> bool {
        let names: Vec<&[u8]> = Words::new(line).collect();
        HEADERS.iter().any(|header| header.iter().eq(&names))
    }

    fn warnings(&self) -> Vec<Warning> {
        self.counts.warnings()
    }

    resumable!();
}
