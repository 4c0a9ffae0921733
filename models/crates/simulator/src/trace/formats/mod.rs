//! One file per trace format and one line each in [`FORMATS`].

use serde::Serialize;

use crate::error::{Error, Result};
use crate::trace::TraceSpec;
use crate::trace::open::{Head, Input};
use crate::trace::reader::{LogFormat, RequestReader, Spaces};
use crate::wording::counted;

mod alibaba;
mod arc;
mod blkparse;
mod blktrace;
mod cache_op;
mod cachelib_kv;
mod cachelib_storage;
mod canonical;
mod cloudphysics_csv;
pub(super) mod csv;
mod detection;
mod disksim;
mod doubts;
mod epoch;
mod fio_iolog;
mod fiu;
mod flashsim;
mod k5cloud;
mod keys;
mod lcs;
mod lirs;
mod mqsim;
mod msr;
mod named;
mod oracle_general;
mod oracle_general_op_ns;
pub(super) mod parquet;
mod postgres_csv;
mod rocksdb_block_cache;
mod spc;
mod strace_postgres;
mod systor;
mod tenants;
mod tencent_cbs;
mod twitter;
mod vscsi;
mod wikimedia_cdn;

pub use detection::{Choice, Detection};
pub(crate) use detection::{choose, is_choice};

/// All formats: the command line, the API and the page read their lists from here.
pub static FORMATS: &[Format] = &[
    postgres_csv::FORMAT,
    strace_postgres::FORMAT,
    msr::FORMAT,
    spc::FORMAT,
    blkparse::FORMAT,
    blktrace::FORMAT,
    fio_iolog::FORMAT,
    alibaba::FORMAT,
    tencent_cbs::FORMAT,
    tencent_cbs::FORMAT_BYTES,
    vscsi::FORMAT,
    cloudphysics_csv::FORMAT,
    systor::FORMAT,
    k5cloud::FORMAT,
    mqsim::FORMAT,
    disksim::FORMAT,
    flashsim::FORMAT,
    fiu::FORMAT,
    oracle_general::FORMAT,
    oracle_general_op_ns::FORMAT,
    lcs::FORMAT,
    twitter::FORMAT,
    cachelib_kv::FORMAT,
    cachelib_storage::FORMAT,
    wikimedia_cdn::FORMAT,
    rocksdb_block_cache::FORMAT,
    arc::FORMAT,
    lirs::FORMAT,
    keys::FORMAT,
    csv::FORMAT,
    parquet::FORMAT,
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
    /// Against what the reader was held: real files, published lines, or a description alone.
    pub verified: &'static str,
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
    /// The same, of a format that takes all members of an archive at once.
    MergedRequests(fn(Input, &TraceSpec) -> Result<Box<dyn RequestReader>>),
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

/// Lines at the beginning of which a format must understand one to be asked about more.
const HOPELESS_LINES: usize = 500;

/// The share of the head's lines that a line format understands.
pub(crate) fn score_lines(head: &Head<'_>, mut format: impl LogFormat, meaning: &str) -> Score {
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
    let mut understood = Vec::with_capacity(records.len());
    let mut good = 0;
    for line in records {
        let fits = format.parse_line(line, &mut spaces).is_ok();
        good += usize::from(fits);
        understood.push(fits);
        // Each line that does not fit makes an error, and most formats are of other lines.
        if good == 0 && understood.len() == HOPELESS_LINES {
            break;
        }
    }
    let records = &records[..understood.len()];
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
    let lines = counted(records.len(), "line", "lines");
    Score::new(
        value,
        format!(
            "{} {meaning}{}",
            counted(
                good,
                &format!("of the first {lines} is"),
                &format!("of the first {lines} are")
            ),
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
