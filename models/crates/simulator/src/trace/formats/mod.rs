//! One file per trace format and one line each in [`FORMATS`].

use serde::Serialize;

use crate::error::{Error, Result};
use crate::trace::TraceSpec;
use crate::trace::open::{Compression, Head, Input};
use crate::trace::reader::{LineFormat, RequestReader, Spaces};

mod canonical;
pub(super) mod csv;
mod msr;
mod oracle_general;
mod postgres_csv;
mod vscsi;

/// All formats: the command line, the API and the page read their lists from here.
pub static FORMATS: &[Format] = &[
    postgres_csv::FORMAT,
    msr::FORMAT,
    vscsi::FORMAT,
    oracle_general::FORMAT,
    csv::FORMAT,
    canonical::FORMAT,
];

/// Name of the canonical format.
pub(crate) const CANONICAL_NAME: &str = canonical::FORMAT.name;

/// One trace format: name, capabilities, detector, constructor.
#[derive(Debug, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "capabilities, each independent of the others"
)]
pub struct Format {
    /// Name as given to `--format`.
    pub name: &'static str,
    /// One line for lists.
    pub description: &'static str,
    /// Whether records tell reads from writes.
    pub has_writes: bool,
    /// Whether records carry a time.
    pub has_time: bool,
    /// Whether records name a device, relation or volume.
    pub has_device: bool,
    /// Whether records name pages or keys, which are never split.
    pub page_native: bool,
    /// Whether it is recorded below the operating system's page cache, so that reuse is missing.
    #[serde(skip)]
    pub(crate) below_page_cache: bool,
    #[serde(skip)]
    pub(crate) detect: fn(&Head<'_>) -> Score,
    #[serde(skip)]
    pub(crate) open: Open,
}

/// How a format is opened.
#[derive(Debug)]
pub(crate) enum Open {
    /// Raw requests, to be normalised.
    Requests(fn(Input, &TraceSpec) -> Result<Box<dyn RequestReader>>),
    /// Accesses already normalised.
    Canonical,
}

/// How well a head fits a format, and why.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Score {
    /// 0 (cannot be) to 1 (certain).
    pub(crate) value: f64,
    pub(crate) reason: String,
}

impl Score {
    pub(crate) fn new(value: f64, reason: impl Into<String>) -> Self {
        Self {
            value,
            reason: reason.into(),
        }
    }

    pub(crate) fn no(reason: impl Into<String>) -> Self {
        Self::new(0.0, reason)
    }
}

/// The score of one format for one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detection {
    /// Name of the format.
    pub format: &'static str,
    /// 0 (cannot be) to 1 (certain).
    pub score: f64,
    /// What speaks for or against it.
    pub reason: String,
}

/// Least score of a detected format.
const CERTAIN_ENOUGH: f64 = 0.5;
/// Least distance to the runner-up.
const CLEAR_ENOUGH: f64 = 0.2;

/// A name without case and separators: `oracleGeneral` and `oracle-general` are `oracle_general`.
fn spelled_alike(name: &str) -> String {
    name.chars()
        .filter(|letter| !matches!(letter, '_' | '-'))
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

/// Finds a format by name, however it is spelled.
pub(crate) fn by_name(name: &str) -> Result<&'static Format> {
    let wanted = spelled_alike(name);
    FORMATS
        .iter()
        .find(|format| spelled_alike(format.name) == wanted)
        .ok_or_else(|| Error::BadParameter {
            name: "format",
            value: name.to_owned(),
            message: "not a known format".to_owned(),
            hint: format!("choose one of {}", names()),
        })
}

/// All names, for messages.
pub(crate) fn names() -> String {
    FORMATS
        .iter()
        .map(|format| format.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Scores every format on the head of `input`, best first.
pub(crate) fn detect(input: &Input) -> Vec<Detection> {
    let head = input.head();
    let mut detections: Vec<Detection> = FORMATS
        .iter()
        .map(|format| {
            let score = (format.detect)(&head);
            Detection {
                format: format.name,
                score: score.value,
                reason: score.reason,
            }
        })
        .collect();
    // Stable: formats of equal score keep the order of the table.
    detections.sort_by(|a, b| b.score.total_cmp(&a.score));
    detections
}

/// Chooses the format of a file: the named one if it fits, else the clear winner of detection.
pub(crate) fn choose(input: &Input, spec: &TraceSpec) -> Result<(&'static Format, Vec<Detection>)> {
    let detections = detect(input);
    let named = match &spec.format {
        Some(name) => Some(by_name(name)?),
        None if !spec.columns.is_empty() => Some(by_name(csv::FORMAT.name)?),
        None => None,
    };
    let format = match named {
        Some(format) => {
            refuse_mapping_elsewhere(format, spec)?;
            refuse_misfit(format, input, &detections)?;
            format
        }
        None => winner(input, &detections)?,
    };
    if matches!(format.open, Open::Canonical) && input.compression() != Compression::None {
        return Err(Error::Unreadable {
            path: input.path().to_owned(),
            message: format!(
                "this is a canonical trace inside a {} file",
                input.compression().name()
            ),
            hint: "decompress it first: a canonical trace is compressed inside".to_owned(),
        });
    }
    Ok((format, detections))
}

fn refuse_mapping_elsewhere(format: &Format, spec: &TraceSpec) -> Result<()> {
    match spec.columns.keys().next() {
        Some(first) if format.name != csv::FORMAT.name => Err(Error::BadParameter {
            name: "columns",
            value: first.clone(),
            message: format!(
                "a column mapping belongs to the format csv, not to {}",
                format.name
            ),
            hint: "leave the mapping out, or name the format csv".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// An explicit format that cannot be: says what the file looks like instead.
fn refuse_misfit(format: &Format, input: &Input, detections: &[Detection]) -> Result<()> {
    let own = detections
        .iter()
        .find(|detection| detection.format == format.name);
    let best = detections
        .iter()
        .find(|detection| detection.score >= CERTAIN_ENOUGH);
    let contradicted = |own: &&Detection| {
        own.score <= 0.0
            || own.score < CERTAIN_ENOUGH
                && best.is_some_and(|best| best.score - own.score >= CLEAR_ENOUGH)
    };
    let Some(own) = own.filter(contradicted) else {
        return Ok(());
    };
    if format.name == csv::FORMAT.name && is_text(&input.head()) {
        return Ok(());
    }
    let (seems, hint) = match best {
        Some(best) => (
            format!("it looks like {} ({})", best.format, best.reason),
            format!("use --format {} or leave the format out", best.format),
        ),
        None => (
            format!("it looks like {}", looks_like(&input.head())),
            format!("choose another format: {}", names()),
        ),
    };
    Err(Error::Unreadable {
        path: input.path().to_owned(),
        message: format!(
            "the file does not fit the format {} ({}); {seems}",
            format.name, own.reason
        ),
        hint,
    })
}

fn winner(input: &Input, detections: &[Detection]) -> Result<&'static Format> {
    let (best, second) = (&detections[0], &detections[1]);
    if best.score >= CERTAIN_ENOUGH && best.score - second.score >= CLEAR_ENOUGH {
        return by_name(best.format);
    }
    let head = input.head();
    let likely: Vec<String> = detections
        .iter()
        .filter(|detection| detection.score > 0.0)
        .map(|detection| {
            format!(
                "{} {:.2} ({})",
                detection.format, detection.score, detection.reason
            )
        })
        .collect();
    let looks = looks_like(&head);
    let message = if best.score >= CERTAIN_ENOUGH {
        format!("the file fits more than one format: {}", likely.join("; "))
    } else if likely.is_empty() {
        format!("no trace format was recognised; the file looks like {looks}")
    } else {
        format!(
            "no trace format was recognised with confidence: {}; the file looks like {looks}",
            likely.join("; ")
        )
    };
    let columns = csv::column_names(&head);
    let mapping = if columns.is_empty() {
        String::new()
    } else {
        format!(
            "; a table is read with --format csv and a column mapping such as {}, columns found: {}",
            csv::MAPPING_EXAMPLE,
            columns.join(", ")
        )
    };
    Err(Error::Unreadable {
        path: input.path().to_owned(),
        message,
        hint: format!("name the format with --format: {}{mapping}", names()),
    })
}

/// What a head is, in words, for messages.
fn looks_like(head: &Head<'_>) -> String {
    const KNOWN: &[(&[u8], &str)] = &[
        (
            &[0x1f, 0x8b],
            "gzip data inside the compressed file: it was compressed twice",
        ),
        (
            &[0x28, 0xb5, 0x2f, 0xfd],
            "zstd data inside the compressed file: it was compressed twice",
        ),
        (b"PK\x03\x04", "a ZIP archive; unpack it first"),
        (
            b"\xfd7zXZ\x00",
            "xz data; decompress it first, or use gzip or zstd",
        ),
        (
            b"BZh",
            "bzip2 data; decompress it first, or use gzip or zstd",
        ),
        (b"PAR1", "a Parquet file; export it as CSV"),
        (
            b"SQLite format 3\x00",
            "an SQLite database; export it as CSV",
        ),
        (b"\x7fELF", "a program"),
        (b"%PDF", "a PDF document"),
        (b"\x89PNG", "a PNG picture"),
        (b"\xff\xfe", "UTF-16 text; save it as UTF-8"),
        (b"\xfe\xff", "UTF-16 text; save it as UTF-8"),
    ];
    for (magic, name) in KNOWN {
        if head.bytes.starts_with(magic) {
            return (*name).to_owned();
        }
    }
    if is_text(head) {
        let columns = csv::column_names(head);
        return match columns.len() {
            0 | 1 => "text without columns".to_owned(),
            count => format!("a text table of {count} columns"),
        };
    }
    if count_controls(head.bytes) > 0 {
        "binary data".to_owned()
    } else {
        "text in an encoding that is not UTF-8; save it as UTF-8".to_owned()
    }
}

/// Whether the head is text: UTF-8 (a character may be cut at the end) with less than 1 % control
/// characters, so that a stray one is reported with its line.
pub(crate) fn is_text(head: &Head<'_>) -> bool {
    let text = match std::str::from_utf8(head.bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() && !head.complete => {
            std::str::from_utf8(&head.bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !text.is_empty() && count_controls(text.as_bytes()) * 100 < text.len()
}

fn count_controls(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .filter(|byte| **byte < b' ' && !matches!(**byte, b'\n' | b'\r' | b'\t'))
        .count()
}

/// The whole, non-blank lines of a head, without line ends and byte order mark.
pub(crate) fn head_lines<'a>(head: &Head<'a>) -> Vec<&'a [u8]> {
    let bytes = head
        .bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head.bytes);
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    if !head.complete && lines.len() > 1 {
        lines.pop();
    }
    lines
        .into_iter()
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.is_empty())
        .collect()
}

/// The share of the head's lines that a line format understands.
pub(crate) fn score_lines(head: &Head<'_>, mut format: impl LineFormat, meaning: &str) -> Score {
    if !is_text(head) {
        return Score::no("not text");
    }
    let lines = head_lines(head);
    let Some(first) = lines.first() else {
        return Score::no("no line");
    };
    let header = format.is_header(first);
    let records = &lines[usize::from(header)..];
    if header && records.is_empty() {
        return Score::new(1.0, format!("its header; {meaning}"));
    }
    let mut spaces = Spaces::default();
    let understood: Vec<bool> = records
        .iter()
        .map(|line| format.parse(line, &mut spaces).is_ok())
        .collect();
    let good = understood.iter().filter(|good| **good).count();
    let share = ratio(good, records.len());
    // A header or a good first record is enough to name the format: what does not fit after it is
    // better told with its line than as an unknown format.
    let value = if header {
        0.6 + 0.4 * share
    } else if understood.first() == Some(&true) {
        0.55 + 0.4 * share
    } else {
        0.95 * share
    };
    Score::new(
        value,
        format!(
            "{good} of the first {} lines are {meaning}{}",
            records.len(),
            if header { ", header found" } else { "" }
        ),
    )
}

/// `part / whole` of small counts; 0 of nothing.
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    let exact = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 {
        0.0
    } else {
        exact(part) / exact(whole)
    }
}
