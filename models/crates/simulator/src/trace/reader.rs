//! What all raw readers share: buffering, places in messages, device names, batches of requests.
//!
//! A format carries only the meaning of one line ([`LineFormat`]) or one fixed-length record
//! ([`RecordFormat`]); [`LineReader`] and [`RecordReader`] do the rest.

use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::hash::FastMap;
use crate::trace::open::{Input, LineTooLong};
use crate::trace::streams::Compression;
use crate::trace::text::{Fault, ParseResult, excerpt, fault, hex, trim};
use crate::wording::counted;

/// Requests handed over at a time: one virtual call per batch, none per request.
/// Few enough that their slots of the page table fit in the L2 cache.
pub(crate) const BATCH_REQUESTS: usize = 1024;
/// Longest line of a text trace [bytes].
const MAX_LINE_BYTES: usize = 1 << 20;
/// Longest request [bytes]: the most that the 32-bit length of SCSI traces can say.
const MAX_REQUEST_BYTES: u64 = 1 << 32;
/// Most pages of one request of a page-native format.
const MAX_REQUEST_PAGES: u64 = 1 << 24;
/// Longest device name [bytes].
const MAX_NAME_BYTES: usize = 4096;

/// One record of a raw trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Nanoseconds since the epoch of the format; 0 without time.
    pub(crate) time_ns: i64,
    /// First byte, or the page number of page-native formats.
    pub(crate) offset: u64,
    /// Length in bytes, or the number of pages for page-native formats (0: no access).
    pub(crate) size: u64,
    /// Number of the device in [`Spaces`].
    pub(crate) space: u32,
    pub(crate) write: bool,
}

/// What `offset` and `size` of a [`Request`] count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Addressing {
    /// Bytes: requests are split into pages.
    Bytes,
    /// Bytes: requests are split into pages of a size that the format fixes.
    BytesOfPages {
        /// Page size fixed by the format [bytes].
        page_bytes: u64,
    },
    /// Pages or keys, never split, of a size that the format fixes or leaves to the user.
    Pages {
        /// Page size fixed by the format [bytes].
        page_bytes: Option<u64>,
    },
}

/// Meaning and unit of one field, for the preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldUnit {
    /// Name of the field or column.
    pub field: String,
    /// Its unit as understood.
    pub unit: String,
    /// What it means.
    pub meaning: String,
}

impl FieldUnit {
    pub(crate) fn new(
        field: impl Into<String>,
        unit: impl Into<String>,
        meaning: impl Into<String>,
    ) -> Self {
        Self {
            field: field.into(),
            unit: unit.into(),
            meaning: meaning.into(),
        }
    }
}

/// Something the user should know before trusting the numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Warning {
    /// Stable name, in `snake_case`.
    pub name: String,
    /// What was found, with counts.
    pub message: String,
    /// The next step.
    pub hint: String,
}

impl Warning {
    pub(crate) fn new(
        name: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// How a reader understands its file.
#[derive(Debug, Clone)]
pub(crate) struct Understanding {
    pub(crate) addressing: Addressing,
    pub(crate) has_time: bool,
    pub(crate) has_writes: bool,
    pub(crate) units: Vec<FieldUnit>,
    pub(crate) assumptions: Vec<String>,
    /// Column names found (generic CSV).
    pub(crate) columns: Vec<String>,
}

impl Understanding {
    /// That of a block trace with times and operations.
    pub(crate) fn block(units: Vec<FieldUnit>, assumptions: Vec<String>) -> Self {
        Self {
            addressing: Addressing::Bytes,
            has_time: true,
            has_writes: true,
            units,
            assumptions,
            columns: Vec::new(),
        }
    }
}

/// One record with its place and text, for the preview.
#[derive(Clone)]
pub(crate) struct PlacedRequest {
    pub(crate) place: String,
    pub(crate) raw: String,
    pub(crate) request: Request,
}

/// A raw trace as a stream of requests in file order.
pub(crate) trait RequestReader: Send {
    /// Replaces `batch` by the next requests; `false` at the end.
    fn read(&mut self, batch: &mut Vec<Request>) -> Result<bool>;
    /// The next records, at most `rows`, with place and text; [`Self::read`] goes on behind them.
    fn preview(&mut self, rows: usize) -> Result<Vec<PlacedRequest>>;
    fn understanding(&self) -> &Understanding;
    /// Names of the devices met so far, by number.
    fn spaces(&self) -> &[String];
    /// What the reader noticed so far, beyond what the normaliser sees.
    fn warnings(&self) -> Vec<Warning>;
    /// Bad records passed over so far, as far as that was allowed.
    fn skipped(&self) -> u64 {
        0
    }
    fn position(&self) -> (u64, u64);
    fn compression(&self) -> Compression;
    /// What the reader knows behind the last batch, for [`Self::resume`]; `None` of readers that
    /// know more than can be written down.
    fn state(&self) -> Option<Value> {
        None
    }
    /// Goes on where [`Self::state`] was taken by another reader of the same file, without reading
    /// the records before. `false` if that cannot be: this reader is of no use then.
    fn resume(&mut self, _state: Value) -> Result<bool> {
        Ok(false)
    }
}

/// State of a format that is written down as it is, with all its fields.
macro_rules! resumable {
    () => {
        fn state(&self) -> Option<serde_json::Value> {
            serde_json::to_value(self).ok()
        }

        fn resume(&mut self, state: serde_json::Value) -> bool {
            serde_json::from_value(state)
                .map(|format| *self = format)
                .is_ok()
        }
    };
}
pub(crate) use resumable;

/// Bad records that were passed over because the user allowed it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Skipped {
    count: u64,
    /// The first one, as its error would have said it.
    first: Option<String>,
}

impl Skipped {
    /// Takes an error for a skipped record, if there is tolerance left.
    #[cold]
    pub(crate) fn take(&mut self, input: &Input, error: Error) -> Result<()> {
        if !input.forgive() {
            return Err(error);
        }
        self.count += 1;
        self.first.get_or_insert_with(|| error.to_string());
        Ok(())
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn warning(&self) -> Option<Warning> {
        self.first.as_ref().map(|first| {
            Warning::new(
                "bad_records_skipped",
                format!(
                    "{} skipped; the first: {first}",
                    counted(self.count, "bad record was", "bad records were")
                ),
                "check them before relying on the numbers: what they recorded is missing",
            )
        })
    }
}

/// Numbers device names densely, in order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct Spaces {
    numbers: FastMap<Box<[u8]>, u32>,
    names: Vec<String>,
    last: Vec<u8>,
    last_number: u32,
}

impl Spaces {
    /// One nameless device, number 0, for formats without a device field.
    pub(crate) fn single() -> Self {
        let mut spaces = Self::default();
        spaces.numbers.insert(Box::default(), 0);
        spaces.names.push(String::new());
        spaces
    }

    #[inline]
    pub(crate) fn number(&mut self, name: &[u8]) -> ParseResult<u32> {
        if name == self.last.as_slice() && !self.names.is_empty() {
            return Ok(self.last_number);
        }
        let number = match self.numbers.get(name) {
            Some(&number) => number,
            None => self.insert(name)?,
        };
        self.last.clear();
        self.last.extend_from_slice(name);
        self.last_number = number;
        Ok(number)
    }

    #[cold]
    fn insert(&mut self, name: &[u8]) -> ParseResult<u32> {
        let text = match std::str::from_utf8(name) {
            Ok(text) if !text.is_empty() && name.len() <= MAX_NAME_BYTES => text.to_owned(),
            _ => {
                return Err(fault(
                    format!("device `{}` is empty, too long or not UTF-8", excerpt(name)),
                    "check the order of the columns",
                ));
            }
        };
        let number = u32::try_from(self.names.len())
            .map_err(|_| fault("more than 4,294,967,295 devices", "check the device column"))?;
        self.numbers.insert(name.into(), number);
        self.names.push(text);
        Ok(number)
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Those with these names, in their order; `None` if one stands there twice.
    fn of(names: Vec<String>) -> Option<Self> {
        let mut spaces = Self::default();
        for name in &names {
            let number = u32::try_from(spaces.numbers.len()).ok()?;
            let before = spaces.numbers.insert(name.as_bytes().into(), number);
            if before.is_some() {
                return None;
            }
        }
        if let Some(last) = names.last() {
            spaces.last.extend_from_slice(last.as_bytes());
            spaces.last_number = u32::try_from(names.len() - 1).ok()?;
        }
        spaces.names = names;
        Some(spaces)
    }
}

/// Meaning of one line of a text trace.
pub(crate) trait LineFormat: Send {
    /// The request of a line (without its line end).
    fn parse(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Request>;
    /// Whether the first line is a header to be passed over.
    fn is_header(&self, _line: &[u8]) -> bool {
        false
    }
    fn warnings(&self) -> Vec<Warning> {
        Vec::new()
    }
    /// What is remembered of the records read, see [`RequestReader::state`].
    fn state(&self) -> Option<Value> {
        None
    }
    /// Remembers it; `false` if it is of another format.
    fn resume(&mut self, _state: Value) -> bool {
        false
    }
}

/// Meaning of the lines of a text trace in which not every line is a request.
pub(crate) trait LogFormat: Send {
    /// The request of a line (without its line end); `None` of a line that is understood and is none.
    fn parse_line(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Option<Request>>;
    /// Whether the first line is a header to be passed over.
    fn is_header(&self, _line: &[u8]) -> bool {
        false
    }
    fn warnings(&self) -> Vec<Warning> {
        Vec::new()
    }
    /// What is remembered of the records read, see [`RequestReader::state`].
    fn state(&self) -> Option<Value> {
        None
    }
    /// Remembers it; `false` if it is of another format.
    fn resume(&mut self, _state: Value) -> bool {
        false
    }
}

impl<F: LineFormat> LogFormat for F {
    #[inline]
    fn parse_line(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Option<Request>> {
        self.parse(line, spaces).map(Some)
    }

    fn is_header(&self, line: &[u8]) -> bool {
        LineFormat::is_header(self, line)
    }

    fn warnings(&self) -> Vec<Warning> {
        LineFormat::warnings(self)
    }

    fn state(&self) -> Option<Value> {
        LineFormat::state(self)
    }

    fn resume(&mut self, state: Value) -> bool {
        LineFormat::resume(self, state)
    }
}

/// Meaning of one record of a binary trace.
pub(crate) trait RecordFormat: Send {
    /// Length of every record [bytes].
    const RECORD_BYTES: usize;
    /// The request of one record; `record` has exactly [`Self::RECORD_BYTES`] bytes.
    fn parse(&mut self, record: &[u8]) -> ParseResult<Request>;
    /// Names of the spaces met so far, of formats whose records name one.
    fn spaces(&self) -> Option<&[String]> {
        None
    }
    fn warnings(&self) -> Vec<Warning> {
        Vec::new()
    }
    /// Told once the file ends behind so many records, those passed over among them.
    fn ended(&mut self, _records: u64) {}
    /// What is remembered of the records read, see [`RequestReader::state`].
    fn state(&self) -> Option<Value> {
        None
    }
    /// Remembers it; `false` if it is of another format.
    fn resume(&mut self, _state: Value) -> bool {
        false
    }
}

/// Checks that hold for every format.
#[inline]
pub(crate) fn check(request: Request, addressing: Addressing) -> ParseResult<Request> {
    if !matches!(addressing, Addressing::Pages { .. })
        && (request.size > MAX_REQUEST_BYTES || request.offset.checked_add(request.size).is_none())
    {
        return Err(out_of_range(request));
    }
    if matches!(addressing, Addressing::Pages { .. })
        && (request.size > MAX_REQUEST_PAGES
            || request
                .offset
                .checked_add(request.size.saturating_sub(1))
                .is_none())
    {
        return Err(too_many_pages(request));
    }
    Ok(request)
}

#[cold]
fn too_many_pages(request: Request) -> Fault {
    fault(
        format!(
            "{} from page {} on are more than one request can touch",
            counted(request.size, "page", "pages"),
            request.offset
        ),
        "check the order of the columns",
    )
}

#[cold]
fn out_of_range(request: Request) -> Fault {
    if request.size > MAX_REQUEST_BYTES {
        fault(
            format!(
                "size of {} bytes is more than one request can transfer (4 GiB)",
                request.size
            ),
            "check the unit of the size and the order of the columns",
        )
    } else {
        fault(
            format!(
                "offset {} + size {} exceeds 64 bits",
                request.offset, request.size
            ),
            "check the unit of the offset and the order of the columns",
        )
    }
}

/// Whether a line looks like the header of a table: three names or more, none of them a number.
#[cold]
fn names_columns(line: &[u8]) -> bool {
    let separators = |byte: &u8| matches!(byte, b',' | b';' | b'\t');
    let is_name = |field: &[u8]| {
        trim(field)
            .iter()
            .find(|byte| !matches!(byte, b'"' | b'#' | b' '))
            .is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
    };
    line.iter().filter(|byte| separators(byte)).count() >= 2 && line.split(separators).all(is_name)
}

/// The fields of a line that may be a header, without the blanks and quotes around them.
fn header_fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| matches!(byte, b',' | b';' | b'\t' | b'|'))
        .map(|field| {
            let field = trim(field);
            field
                .strip_prefix(b"\"")
                .and_then(|rest| rest.strip_suffix(b"\""))
                .unwrap_or(field)
        })
}

/// Where a reader of lines or records is in its file, and what it noticed before.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReaderState {
    /// Position in the decompressed content [bytes].
    offset: u64,
    lines: u64,
    records: u64,
    blank_lines: u64,
    unended: bool,
    skipped: Skipped,
    bad_left: u64,
    spaces: Vec<String>,
    format: Value,
}

/// Reads a text trace line by line.
pub(crate) struct LineReader<F> {
    input: Input,
    format: F,
    understanding: Understanding,
    spaces: Spaces,
    line_number: u64,
    records: u64,
    blank_lines: u64,
    unended: bool,
    skipped: Skipped,
}

impl<F: LogFormat + 'static> LineReader<F> {
    /// A reader from the first line on, as the table of formats holds it.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "the result type of the constructors in the table"
    )]
    pub(crate) fn boxed(
        input: Input,
        format: F,
        understanding: Understanding,
        spaces: Spaces,
    ) -> Result<Box<dyn RequestReader>> {
        Ok(Box::new(Self::new(input, format, understanding, spaces, 0)))
    }
}

impl<F: LogFormat> LineReader<F> {
    /// `lines_read` lines were consumed from `input` before (the header of the generic CSV).
    pub(crate) fn new(
        input: Input,
        format: F,
        understanding: Understanding,
        spaces: Spaces,
        lines_read: u64,
    ) -> Self {
        let mut reader = Self {
            input,
            format,
            understanding,
            spaces,
            line_number: lines_read,
            records: 0,
            blank_lines: 0,
            unended: false,
            skipped: Skipped::default(),
        };
        if lines_read == 0 {
            reader.skip_byte_order_mark();
        }
        reader
    }

    fn skip_byte_order_mark(&mut self) {
        if self.input.available().starts_with(b"\xef\xbb\xbf") {
            self.input.consume(3);
        }
    }

    /// The request of the next line that is neither blank nor header, with its buffer positions.
    #[inline]
    fn next(&mut self) -> Result<Option<(Request, std::ops::Range<usize>)>> {
        loop {
            let line = match self.input.next_line(MAX_LINE_BYTES)? {
                None => return self.finish().map(|()| None),
                Some(Ok(line)) => line,
                Some(Err(LineTooLong { consumed })) => {
                    self.line_number += 1;
                    let error = self.line_too_long();
                    self.pass_over(error)?;
                    if !consumed {
                        self.input.skip_line()?;
                    }
                    continue;
                }
            };
            self.line_number += 1;
            self.unended |= !line.ended;
            let mut end = line.end;
            if end > line.start && self.input.slice(end - 1..end) == b"\r" {
                end -= 1;
            }
            let range = line.start..end;
            let text = self.input.slice(range.clone());
            if text.is_empty() {
                self.blank_lines += 1;
                continue;
            }
            if self.line_number == 1 && self.format.is_header(text) {
                continue;
            }
            match self
                .format
                .parse_line(text, &mut self.spaces)
                .and_then(|request| {
                    request
                        .map(|request| check(request, self.understanding.addressing))
                        .transpose()
                }) {
                Ok(Some(request)) => {
                    self.records += 1;
                    return Ok(Some((request, range)));
                }
                Ok(None) => {}
                Err(fault) => {
                    // Never to be passed over: what it names are other columns.
                    if self.names_other_columns(text) {
                        return Err(self.other_header(&fault, range));
                    }
                    let error = self.bad_line(&fault, range);
                    self.pass_over(error)?;
                }
            }
        }
    }

    /// Takes an error for a skipped line. Before the first record it may be the header that says
    /// that the columns mean something else: it is passed over only if the user named the format.
    #[cold]
    fn pass_over(&mut self, error: Error) -> Result<()> {
        let opening = self.input.opening();
        if self.records > 0 || opening.named || opening.bad_left.load(Ordering::Relaxed) == 0 {
            return self.skipped.take(&self.input, error);
        }
        Err(match error {
            Error::BadTrace {
                path,
                place,
                message,
                ..
            } => Error::BadTrace {
                path,
                place,
                message,
                hint: "no line is skipped before the first record, because a header may give the columns another meaning: give [[the format]] if you know it".to_owned(),
            },
            other => other,
        })
    }

    fn finish(&self) -> Result<()> {
        if self.records > 0 {
            return Ok(());
        }
        let mut message = if self.line_number > 0 {
            "the file holds a header, notes or blank lines but no record".to_owned()
        } else {
            "the file holds no record".to_owned()
        };
        // What was passed over says why nothing is left.
        let noticed = self.format.warnings();
        for warning in &noticed {
            message.push_str("; ");
            message.push_str(&warning.message);
        }
        Err(Error::Unreadable {
            path: self.input.path().to_owned(),
            message,
            hint: noticed.into_iter().next().map_or_else(
                || {
                    "check that the recording was running and its output was copied completely"
                        .to_owned()
                },
                |first| first.hint,
            ),
        })
    }

    /// Whether a line that is no record names other columns than those that are read, or the same in
    /// another order: at the beginning, or where another file was joined.
    #[cold]
    fn names_other_columns(&self, text: &[u8]) -> bool {
        if self.line_number == 1 {
            return names_columns(text);
        }
        let own = &self.understanding.columns;
        let mut fields = header_fields(text);
        own.len() > 1
            && fields.all(|field| own.iter().any(|name| name.as_bytes() == field))
            && !self.is_header_again(text)
    }

    /// Whether a line repeats the header of this format, or of this table.
    fn is_header_again(&self, text: &[u8]) -> bool {
        let own = &self.understanding.columns;
        // Where a format has a first line that names no columns, its own fault says more.
        names_columns(text) && self.format.is_header(text)
            || own.len() > 1 && header_fields(text).eq(own.iter().map(String::as_bytes))
    }

    #[cold]
    fn other_header(&self, fault: &Fault, range: std::ops::Range<usize>) -> Error {
        Error::BadTrace {
            path: self.input.path().to_owned(),
            place: format!("line {}", self.line_number),
            message: format!(
                "the line seems to name columns, but not those of this format in their order ({}), in `{}`",
                fault.message,
                excerpt(self.input.slice(range))
            ),
            hint: "read the table by its own names with [[format=csv]] and a column mapping; remove the line only if the columns below it are those of the format".to_owned(),
        }
    }

    #[cold]
    fn bad_line(&self, fault: &Fault, range: std::ops::Range<usize>) -> Error {
        let text = self.input.slice(range);
        Error::BadTrace {
            path: self.input.path().to_owned(),
            place: format!("line {}", self.line_number),
            message: format!("{}, in `{}`", fault.message, excerpt(text)),
            hint: if self.is_header_again(text) {
                "the header again, as in joined files: name those files one after another instead (they are read as one trace), remove the line, or skip it with [[skip_bad_lines=1]]".to_owned()
            } else {
                fault.hint.clone()
            },
        }
    }

    #[cold]
    fn line_too_long(&self) -> Error {
        Error::BadTrace {
            path: self.input.path().to_owned(),
            place: format!("line {}", self.line_number),
            message: format!("the line is longer than {MAX_LINE_BYTES} bytes"),
            hint: "this is not a text trace with one record per line; check the format".to_owned(),
        }
    }
}

impl<F: LogFormat> RequestReader for LineReader<F> {
    fn read(&mut self, batch: &mut Vec<Request>) -> Result<bool> {
        batch.clear();
        while batch.len() < BATCH_REQUESTS {
            match self.next()? {
                Some((request, _)) => batch.push(request),
                None => break,
            }
        }
        Ok(!batch.is_empty())
    }

    fn preview(&mut self, rows: usize) -> Result<Vec<PlacedRequest>> {
        let mut records = Vec::new();
        while records.len() < rows {
            let Some((request, range)) = self.next()? else {
                break;
            };
            records.push(PlacedRequest {
                place: format!("line {}", self.line_number),
                raw: excerpt(self.input.slice(range)),
                request,
            });
        }
        Ok(records)
    }

    fn understanding(&self) -> &Understanding {
        &self.understanding
    }

    fn spaces(&self) -> &[String] {
        self.spaces.names()
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.format.warnings();
        warnings.extend(self.skipped.warning());
        if self.blank_lines > 0 {
            warnings.push(Warning::new(
                "blank_lines",
                counted(
                    self.blank_lines,
                    "blank line was skipped",
                    "blank lines were skipped",
                ),
                "check that nothing was lost when the file was written",
            ));
        }
        if self.unended {
            warnings.push(Warning::new(
                "no_final_line_end",
                "the last line has no line end, so the file may be cut off in the middle of it",
                "compare the file's size with the original",
            ));
        }
        warnings
    }

    fn skipped(&self) -> u64 {
        self.skipped.count()
    }

    fn position(&self) -> (u64, u64) {
        self.input.position()
    }

    fn compression(&self) -> Compression {
        self.input.compression()
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(ReaderState {
            offset: self.input.offset(),
            lines: self.line_number,
            records: self.records,
            blank_lines: self.blank_lines,
            unended: self.unended,
            skipped: self.skipped.clone(),
            bad_left: self.input.opening().bad_left.load(Ordering::Relaxed),
            spaces: self.spaces.names().to_vec(),
            format: self.format.state()?,
        })
        .ok()
    }

    fn resume(&mut self, state: Value) -> Result<bool> {
        let Ok(state) = serde_json::from_value::<ReaderState>(state) else {
            return Ok(false);
        };
        let Some(spaces) = Spaces::of(state.spaces) else {
            return Ok(false);
        };
        if !self.format.resume(state.format) || !self.input.skip_to(state.offset)? {
            return Ok(false);
        }
        self.spaces = spaces;
        (self.line_number, self.records) = (state.lines, state.records);
        (self.blank_lines, self.unended) = (state.blank_lines, state.unended);
        self.skipped = state.skipped;
        let bad_left = &self.input.opening().bad_left;
        bad_left.store(state.bad_left, Ordering::Relaxed);
        Ok(true)
    }
}

/// A line format whose records may stand for several requests of the same page.
pub(crate) trait Repeats: LogFormat {
    /// Requests that the line read last stands for.
    fn repeats(&self) -> u64;
}

/// Reads a text trace line by line and repeats each request as often as its line says.
pub(crate) struct RepeatingReader<F> {
    lines: LineReader<F>,
    request: Option<Request>,
    /// Times that `request` is still to be given out.
    left: u64,
}

impl<F: Repeats> RepeatingReader<F> {
    pub(crate) fn new(lines: LineReader<F>) -> Self {
        Self {
            lines,
            request: None,
            left: 0,
        }
    }
}

impl<F: Repeats> RequestReader for RepeatingReader<F> {
    fn read(&mut self, batch: &mut Vec<Request>) -> Result<bool> {
        batch.clear();
        while batch.len() < BATCH_REQUESTS {
            if self.left == 0 {
                let Some((request, _)) = self.lines.next()? else {
                    break;
                };
                self.request = Some(request);
                self.left = self.lines.format.repeats();
            }
            let Some(request) = self.request else { break };
            let count = usize::try_from(self.left)
                .unwrap_or(usize::MAX)
                .min(BATCH_REQUESTS - batch.len());
            batch.resize(batch.len() + count, request);
            self.left -= count as u64;
        }
        Ok(!batch.is_empty())
    }

    fn preview(&mut self, rows: usize) -> Result<Vec<PlacedRequest>> {
        let mut records = Vec::new();
        while records.len() < rows {
            let Some(placed) = self.lines.preview(1)?.pop() else {
                break;
            };
            let repeats = self.lines.format.repeats();
            let count = usize::try_from(repeats)
                .unwrap_or(usize::MAX)
                .min(rows - records.len());
            // What is not shown of the last line is read on.
            self.request = Some(placed.request);
            self.left = repeats - count as u64;
            records.extend(std::iter::repeat_n(placed, count));
        }
        Ok(records)
    }

    fn understanding(&self) -> &Understanding {
        self.lines.understanding()
    }

    fn spaces(&self) -> &[String] {
        RequestReader::spaces(&self.lines)
    }

    fn warnings(&self) -> Vec<Warning> {
        self.lines.warnings()
    }

    fn skipped(&self) -> u64 {
        self.lines.skipped()
    }

    fn position(&self) -> (u64, u64) {
        self.lines.position()
    }

    fn compression(&self) -> Compression {
        self.lines.compression()
    }

    fn state(&self) -> Option<Value> {
        let lines = RequestReader::state(&self.lines)?;
        serde_json::to_value((lines, self.request, self.left)).ok()
    }

    fn resume(&mut self, state: Value) -> Result<bool> {
        let Ok((lines, request, left)) = serde_json::from_value(state) else {
            return Ok(false);
        };
        (self.request, self.left) = (request, left);
        RequestReader::resume(&mut self.lines, lines)
    }
}

/// Reads a binary trace of fixed-length records.
pub(crate) struct RecordReader<F> {
    input: Input,
    format: F,
    understanding: Understanding,
    spaces: Spaces,
    records: u64,
    skipped: Skipped,
}

impl<F: RecordFormat> RecordReader<F> {
    pub(crate) fn new(input: Input, format: F, understanding: Understanding) -> Self {
        Self {
            input,
            format,
            understanding,
            spaces: Spaces::single(),
            records: 0,
            skipped: Skipped::default(),
        }
    }

    /// Makes at least one whole record available; `false` at the end.
    fn fill(&mut self) -> Result<bool> {
        let available = self.input.fill(F::RECORD_BYTES)?;
        if available >= F::RECORD_BYTES {
            return Ok(true);
        }
        if available == 0 {
            self.format.ended(self.records);
            return Ok(false);
        }
        let error = Error::BadTrace {
            path: self.input.path().to_owned(),
            place: self.place(self.records + 1, self.input.offset()),
            message: format!(
                "the file ends in the middle of a record: {available} of {} bytes",
                F::RECORD_BYTES
            ),
            hint: "copy or upload the file again; its end is missing".to_owned(),
        };
        self.skipped.take(&self.input, error)?;
        self.input.consume(available);
        Ok(false)
    }

    #[expect(clippy::unused_self, reason = "reads as a property of the reader")]
    fn place(&self, record: u64, offset: u64) -> String {
        format!("record {record} at byte {offset}")
    }

    #[cold]
    fn skip_or_refuse(&mut self, fault: &Fault) -> Result<()> {
        let record = &self.input.available()[..F::RECORD_BYTES];
        let error = Error::BadTrace {
            path: self.input.path().to_owned(),
            place: self.place(self.records + 1, self.input.offset()),
            message: format!("{}, in `{}`", fault.message, hex(record)),
            hint: fault.hint.clone(),
        };
        self.skipped.take(&self.input, error)?;
        self.input.consume(F::RECORD_BYTES);
        self.records += 1;
        Ok(())
    }
}

impl<F: RecordFormat> RequestReader for RecordReader<F> {
    fn read(&mut self, batch: &mut Vec<Request>) -> Result<bool> {
        batch.clear();
        while batch.len() < BATCH_REQUESTS && self.fill()? {
            let wanted = BATCH_REQUESTS - batch.len();
            let mut failed = None;
            let mut parsed = 0;
            for record in self
                .input
                .available()
                .chunks_exact(F::RECORD_BYTES)
                .take(wanted)
            {
                match self
                    .format
                    .parse(record)
                    .and_then(|request| check(request, self.understanding.addressing))
                {
                    Ok(request) => batch.push(request),
                    Err(fault) => {
                        failed = Some(fault);
                        break;
                    }
                }
                parsed += 1;
            }
            self.input.consume(parsed * F::RECORD_BYTES);
            self.records += parsed as u64;
            if let Some(fault) = failed {
                self.skip_or_refuse(&fault)?;
            }
        }
        Ok(!batch.is_empty())
    }

    fn preview(&mut self, rows: usize) -> Result<Vec<PlacedRequest>> {
        let mut records = Vec::new();
        while records.len() < rows && self.fill()? {
            let record = &self.input.available()[..F::RECORD_BYTES];
            let parsed = self
                .format
                .parse(record)
                .and_then(|request| check(request, self.understanding.addressing));
            match parsed {
                Ok(request) => records.push(PlacedRequest {
                    place: self.place(self.records + 1, self.input.offset()),
                    raw: hex(record),
                    request,
                }),
                Err(fault) => {
                    self.skip_or_refuse(&fault)?;
                    continue;
                }
            }
            self.input.consume(F::RECORD_BYTES);
            self.records += 1;
        }
        Ok(records)
    }

    fn understanding(&self) -> &Understanding {
        &self.understanding
    }

    fn spaces(&self) -> &[String] {
        self.format.spaces().unwrap_or(self.spaces.names())
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.format.warnings();
        warnings.extend(self.skipped.warning());
        warnings
    }

    fn skipped(&self) -> u64 {
        self.skipped.count()
    }

    fn position(&self) -> (u64, u64) {
        self.input.position()
    }

    fn compression(&self) -> Compression {
        self.input.compression()
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(ReaderState {
            offset: self.input.offset(),
            lines: 0,
            records: self.records,
            blank_lines: 0,
            unended: false,
            skipped: self.skipped.clone(),
            bad_left: self.input.opening().bad_left.load(Ordering::Relaxed),
            // Those of a format that names spaces are part of its own state.
            spaces: Vec::new(),
            format: self.format.state()?,
        })
        .ok()
    }

    fn resume(&mut self, state: Value) -> Result<bool> {
        let Ok(state) = serde_json::from_value::<ReaderState>(state) else {
            return Ok(false);
        };
        if !self.format.resume(state.format) || !self.input.skip_to(state.offset)? {
            return Ok(false);
        }
        self.records = state.records;
        self.skipped = state.skipped;
        let bad_left = &self.input.opening().bad_left;
        bad_left.store(state.bad_left, Ordering::Relaxed);
        Ok(true)
    }
}
