//! What tables with named columns share: a header line that says where each column stands.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::trace::fields::{MICROSECOND_NS, MILLISECOND_NS, SECOND_NS, decimal_time};
use crate::trace::formats::{head_lines, is_text};
use crate::trace::open::{Head, Input};
use crate::trace::text::{ParseResult, fault, trim};
use crate::wording::counted;

/// Longest header accepted [bytes].
const MAX_HEADER_BYTES: usize = 1 << 16;

/// The column names of a head's first line.
pub(crate) fn names<'a>(head: &Head<'a>) -> Vec<&'a [u8]> {
    if !is_text(head) {
        return Vec::new();
    }
    head_lines(head)
        .first()
        .map(|line| line.split(|byte| *byte == b',').map(trim).collect())
        .unwrap_or_default()
}

/// Whether all of `wanted` are among the names.
pub(crate) fn has_all(names: &[&[u8]], wanted: &[&str]) -> bool {
    wanted.iter().all(|name| names.contains(&name.as_bytes()))
}

/// Reads the header line off and returns its names.
pub(crate) fn read_header(input: &mut Input) -> Result<Vec<String>> {
    if input.available().starts_with(b"\xef\xbb\xbf") {
        input.consume(3);
    }
    match input.next_line(MAX_HEADER_BYTES)? {
        Some(Ok(line)) => Ok(input
            .slice(line.start..line.end)
            .split(|byte| *byte == b',')
            .map(|name| String::from_utf8_lossy(trim(name)).into_owned())
            .collect()),
        _ => Err(Error::BadTrace {
            path: input.path().to_owned(),
            place: "line 1".to_owned(),
            message: "the header line is missing or longer than 64 KiB".to_owned(),
            hint: "this format finds its columns by the names in the first line".to_owned(),
        }),
    }
}

/// Index of a column; an error that lists what there is.
pub(crate) fn required(names: &[String], wanted: &str, input: &Input) -> Result<usize> {
    optional(names, wanted).ok_or_else(|| Error::BadTrace {
        path: input.path().to_owned(),
        place: "line 1".to_owned(),
        message: format!("the header has no column `{wanted}`"),
        hint: format!("columns found: {}", names.join(", ")),
    })
}

/// Index of a column, if there is one.
pub(crate) fn optional(names: &[String], wanted: &str) -> Option<usize> {
    names.iter().position(|name| name == wanted)
}

/// Refuses a header that names one of `used` twice: which of the two counts is not known.
pub(crate) fn refuse_twins(names: &[String], used: &[&str], input: &Input) -> Result<()> {
    let twice = |wanted: &&&str| {
        names
            .iter()
            .filter(|name| name.as_str() == **wanted)
            .count()
            > 1
    };
    match used.iter().find(twice) {
        None => Ok(()),
        Some(name) => Err(Error::BadTrace {
            path: input.path().to_owned(),
            place: "line 1".to_owned(),
            message: format!("the header names the column `{name}` more than once"),
            hint: "give each column a unique name".to_owned(),
        }),
    }
}

/// Fields of a line of a table with so many columns.
#[inline]
pub(crate) fn fields<'a>(
    line: &'a [u8],
    columns: usize,
    starts: &mut Vec<usize>,
) -> ParseResult<Fields<'a>> {
    starts.clear();
    starts.push(0);
    starts.extend(memchr::memchr_iter(b',', line).map(|position| position + 1));
    if starts.len() == columns {
        return Ok(Fields { line });
    }
    Err(fault(
        format!(
            "the line has {}, its header {columns}",
            counted(starts.len(), "column", "columns")
        ),
        "check that the line is whole; keys with commas inside cannot be read",
    ))
}

/// A line whose fields begin at known places.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    line: &'a [u8],
}

impl<'a> Fields<'a> {
    #[inline]
    pub(crate) fn get(self, starts: &[usize], column: usize) -> &'a [u8] {
        let end = starts
            .get(column + 1)
            .map_or(self.line.len(), |next| next - 1);
        trim(&self.line[starts[column]..end])
    }
}

/// The unit of `op_time`, found from its first value: published traces differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum OpTime {
    Seconds,
    Milliseconds,
    Microseconds,
    /// No time since 1970: seconds of an unknown start, which the published key-value traces count.
    Unsure,
}

impl OpTime {
    fn of(nanoseconds_if_seconds: i64) -> Self {
        // The years 2001 to 2286 in seconds, milliseconds and microseconds do not overlap.
        match nanoseconds_if_seconds / 1_000_000_000 {
            1_000_000_000..=9_999_999_999 => Self::Seconds,
            _ => Self::Unsure,
        }
    }

    /// The unit whose reading of a number lies in the years 2001 to 2286.
    pub(crate) fn of_field(field: &[u8]) -> Self {
        let digits = field
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        match digits {
            10 => Self::of(decimal_time(field, SECOND_NS, "op_time").unwrap_or(0)),
            13 => Self::Milliseconds,
            16 => Self::Microseconds,
            _ => Self::Unsure,
        }
    }

    pub(crate) fn unit_ns(self) -> u64 {
        match self {
            Self::Seconds | Self::Unsure => SECOND_NS,
            Self::Milliseconds => MILLISECOND_NS,
            Self::Microseconds => MICROSECOND_NS,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Seconds | Self::Unsure => "s",
            Self::Milliseconds => "ms",
            Self::Microseconds => "µs",
        }
    }
}
