//! Any table as text, read through a column mapping that the user gives; nothing is guessed.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::trace::TraceSpec;
use crate::trace::formats::keys::check_key;
use crate::trace::formats::{Format, Open, Score, head_lines, is_text};
use crate::trace::keys::key_number;
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    Addressing, FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding,
    Warning,
};
use crate::trace::text::{Fault, ParseResult, excerpt, fault, parse_scaled, parse_u64, trim};
use crate::wording::counted;

/// A mapping for messages.
pub(crate) const MAPPING_EXAMPLE: &str =
    "time=ts time_unit=us op=type offset=lba offset_unit=sectors size=len size_unit=bytes";

const KEYS: &[&str] = &[
    "time",
    "time_unit",
    "op",
    "read_values",
    "write_values",
    "offset",
    "page",
    "key",
    "size",
    "offset_unit",
    "size_unit",
    "device",
    "level",
    "delimiter",
    "header",
];
const SECTOR_BYTES: u64 = 512;
/// Longest header accepted [bytes].
const MAX_HEADER_BYTES: usize = 1 << 20;
/// Columns of a table without a header that messages show.
const COLUMNS_SHOWN: usize = 64;

pub(crate) const FORMAT: Format = Format {
    name: "csv",
    description: "any table as text (comma, tab, semicolon, space ...) with a column mapping",
    verified: "no fixed layout",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: false,
    detect: |head| {
        if !is_text(head) {
            return Score::no("not text");
        }
        Score::no("never chosen without a column mapping")
    },
    open: Open::Requests(open),
};

/// The fields of the first line of a text head, split at its likeliest delimiter; for messages.
pub(crate) fn column_names(head: &Head<'_>) -> Vec<String> {
    if !is_text(head) {
        return Vec::new();
    }
    let lines = head_lines(head);
    let Some(first) = lines.first() else {
        return Vec::new();
    };
    let delimiter = likely_delimiter(first);
    let mut fields = Vec::new();
    if split(first, delimiter, &mut fields).is_err() {
        return Vec::new();
    }
    fields
        .iter()
        .take(COLUMNS_SHOWN)
        .map(|range| excerpt(unquote(&first[range.clone()])))
        .collect()
}

fn likely_delimiter(line: &[u8]) -> Delimiter {
    let count = |wanted: u8| memchr::memchr_iter(wanted, line).count();
    [b',', b'\t', b';', b'|']
        .into_iter()
        .max_by_key(|delimiter| count(*delimiter))
        .filter(|delimiter| count(*delimiter) > 0)
        .map_or(Delimiter::Blanks, Delimiter::Byte)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Delimiter {
    Byte(u8),
    /// Runs of spaces and tabs.
    Blanks,
    /// [`FIELD_SEPARATOR`] between fields that stand as they are: no quotes, no blanks to cut.
    Exact,
}

/// Between the fields of a row that another reader has taken apart; no field may hold it.
pub(super) const FIELD_SEPARATOR: u8 = 0x1f;

/// How the page of a record is found.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// First byte and length, each times a unit [bytes].
    Extent {
        offset: usize,
        offset_unit: u64,
        size: usize,
        size_unit: u64,
    },
    /// Page number.
    Page(usize),
    /// Key, any text.
    Key(usize),
}

#[derive(Debug, Clone, Copy)]
enum TimeUnit {
    /// Units of so many nanoseconds since an unknown start (or 1970).
    Nanoseconds(u64),
    /// Windows filetime.
    Filetime,
}

/// Rows of a table, as the mapping says.
pub(super) struct Csv {
    delimiter: Delimiter,
    /// Columns that the mapping needs.
    columns: usize,
    /// Columns of the first line: those up to the last that is not blank, and all.
    width: Option<(usize, usize)>,
    time: Option<(usize, TimeUnit)>,
    op: Option<usize>,
    read_values: Values,
    write_values: Values,
    place: Place,
    device: Option<usize>,
    level: Level,
    fields: Vec<std::ops::Range<usize>>,
}

/// Where the requests of a table were recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Above every cache, as the user states, or as pages and keys suggest.
    Above,
    /// Below a cache, as the user states.
    Below,
    /// Nobody says; requests with offset and length mostly are recorded below a page cache.
    Unstated,
}

impl Level {
    fn warning(self) -> Option<Warning> {
        let message = match self {
            Self::Above => return None,
            Self::Below => {
                "the mapping says that the requests were recorded below a cache, which has already absorbed the reuse: the benefit of RAM computed from them is too low"
            }
            Self::Unstated => {
                "requests with an offset and a length are mostly recorded below the operating system's page cache, which has then already absorbed the reuse: the benefit of RAM computed from them is too low"
            }
        };
        Some(Warning::new(
            "below_page_cache",
            message,
            match self {
                Self::Unstated => {
                    "give level=above if they were recorded above every cache; otherwise use a trace of page accesses to size RAM"
                }
                _ => {
                    "use a trace of page accesses to size RAM; flash below the cache is assessed correctly"
                }
            },
        ))
    }
}

/// The error of a table without a mapping.
fn no_mapping(format: &str, found: &[String]) -> Error {
    Error::BadParameter {
        name: "columns",
        value: String::new(),
        message: format!("the format {format} needs a column mapping"),
        hint: format!(
            "map columns by name or 1-based number, such as {MAPPING_EXAMPLE}; keys: {}; columns found: {}",
            KEYS.join(", "),
            found.join(", ")
        ),
    }
}

fn open(mut input: Input, spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    if spec.columns.is_empty() {
        return Err(no_mapping(FORMAT.name, &column_names(&input.head())));
    }
    let mapping = Mapping::new(&spec.columns)?;
    let delimiter = mapping.delimiter(&input)?;
    let header = mapping.header()?;
    let names = if header {
        read_header(&mut input, delimiter)?
    } else {
        column_names(&input.head())
    };
    let (format, understanding) = mapping.resolve(delimiter, header, names, spec)?;
    let spaces = format.spaces();
    Ok(Box::new(LineReader::new(
        input,
        format,
        understanding,
        spaces,
        u64::from(header),
    )))
}

/// Rows of a table that another reader takes apart, with its column names and the mapping.
///
/// Its rows are parsed as lines whose fields stand between [`FIELD_SEPARATOR`]s.
pub(super) fn table(
    format: &str,
    names: Vec<String>,
    spec: &TraceSpec,
) -> Result<(Csv, Understanding, Spaces)> {
    if spec.columns.is_empty() {
        return Err(no_mapping(format, &names));
    }
    let mapping = Mapping::new(&spec.columns)?;
    if let Some(key) = ["delimiter", "header"]
        .into_iter()
        .find(|key| mapping.get(key).is_some())
    {
        return Err(bad_mapping(
            key,
            format!("the format {format} has fixed columns"),
            format!("leave {key} out"),
        ));
    }
    let (table, understanding) = mapping.resolve(Delimiter::Exact, true, names, spec)?;
    let spaces = table.spaces();
    Ok((table, understanding, spaces))
}

fn read_header(input: &mut Input, delimiter: Delimiter) -> Result<Vec<String>> {
    if input.available().starts_with(b"\xef\xbb\xbf") {
        input.consume(3);
    }
    let unreadable = |input: &Input, message: &str| Error::BadTrace {
        path: input.path().to_owned(),
        place: "line 1".to_owned(),
        message: message.to_owned(),
        hint: "give header=false if the first line is a record".to_owned(),
    };
    let line = match input.next_line(MAX_HEADER_BYTES)? {
        Some(Ok(line)) => line,
        Some(Err(_)) => return Err(unreadable(input, "the header is longer than 1 MiB")),
        None => return Err(unreadable(input, "there is no header line")),
    };
    let text = trim(input.slice(line.start..line.end));
    let mut fields = Vec::new();
    if split(text, delimiter, &mut fields).is_err() {
        return Err(unreadable(input, "a quote in the header is not closed"));
    }
    Ok(fields
        .iter()
        .map(|range| String::from_utf8_lossy(unquote(&text[range.clone()])).into_owned())
        .collect())
}

/// Keys of a mapping that name a column.
const COLUMN_KEYS: [&str; 7] = ["time", "op", "offset", "page", "key", "size", "device"];

/// Texts of a field that mean the same.
type Values = Vec<Vec<u8>>;

/// The user's mapping with its keys checked.
struct Mapping<'a>(&'a BTreeMap<String, String>);

fn bad_mapping(
    value: impl Into<String>,
    message: impl Into<String>,
    hint: impl Into<String>,
) -> Error {
    Error::BadParameter {
        name: "columns",
        value: value.into(),
        message: message.into(),
        hint: hint.into(),
    }
}

impl<'a> Mapping<'a> {
    fn new(columns: &'a BTreeMap<String, String>) -> Result<Self> {
        if let Some(unknown) = columns.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(bad_mapping(
                unknown,
                "not a key of a column mapping",
                format!("known keys: {}", KEYS.join(", ")),
            ));
        }
        if let Some((key, _)) = columns
            .iter()
            .find(|(key, value)| value.is_empty() && *key != "delimiter")
        {
            return Err(bad_mapping(
                format!("{key}="),
                "no value",
                format!("give {key} a value or leave it out"),
            ));
        }
        Ok(Self(columns))
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        self.0.get(key).map(String::as_str)
    }

    fn delimiter(&self, input: &Input) -> Result<Delimiter> {
        let Some(text) = self.get("delimiter") else {
            let head = input.head();
            return Ok(head_lines(&head)
                .first()
                .map_or(Delimiter::Byte(b','), |line| likely_delimiter(line)));
        };
        match text {
            "comma" => Ok(Delimiter::Byte(b',')),
            "tab" | "\\t" => Ok(Delimiter::Byte(b'\t')),
            "semicolon" => Ok(Delimiter::Byte(b';')),
            "space" | "blanks" | " " => Ok(Delimiter::Blanks),
            _ => match text.as_bytes() {
                [byte]
                    if !byte.is_ascii_alphanumeric()
                        && !matches!(byte, b'"' | b'-' | b'.' | b'\n' | b'\r') =>
                {
                    Ok(Delimiter::Byte(*byte))
                }
                _ => Err(bad_mapping(
                    format!("delimiter={text}"),
                    "not a delimiter",
                    "give one character such as , ; | or the word tab or space",
                )),
            },
        }
    }

    /// Whether the first line holds names: as said, else whether any column is given by name.
    fn header(&self) -> Result<bool> {
        match self.get("header") {
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(other) => Err(bad_mapping(
                format!("header={other}"),
                "neither true nor false",
                "use header=true if the first line holds column names",
            )),
            None => Ok(COLUMN_KEYS
                .iter()
                .filter_map(|key| self.get(key))
                .any(|column| !is_number(column))),
        }
    }

    fn resolve(
        &self,
        delimiter: Delimiter,
        header: bool,
        found: Vec<String>,
        spec: &TraceSpec,
    ) -> Result<(Csv, Understanding)> {
        let column = |key: &str| self.column(key, header, &found);
        let mut units = Vec::new();
        let mut assumptions = Vec::new();
        let time = self.time(column("time")?, &mut units)?;
        let op = column("op")?;
        let (read_values, write_values) = self.values(op, &mut units, &mut assumptions)?;
        let device = column("device")?;
        let place = self.place(&column, spec, &mut units, &mut assumptions)?;
        self.refuse_one_column_for_two(&column)?;
        if let Some(name) = self.get("device") {
            units.push(FieldUnit::new(
                name,
                "name",
                "device: pages of different devices are different pages",
            ));
        } else {
            assumptions
                .push("all records are of one device: no device column is mapped".to_owned());
        }
        if self.get("delimiter").is_none() && delimiter != Delimiter::Exact {
            assumptions.push(format!(
                "columns are separated by {}: inferred from the first line",
                match delimiter {
                    Delimiter::Byte(b'\t') => "tabs".to_owned(),
                    Delimiter::Byte(byte) => format!("`{}`", char::from(byte)),
                    Delimiter::Blanks | Delimiter::Exact => "runs of spaces".to_owned(),
                }
            ));
        }
        if self.get("header") == Some("true") {
            assumptions.push(format!(
                "the first line holds column names and no record, as header=true says: {}",
                found.join(", ")
            ));
        }
        let level = self.level(place)?;
        let addressing = match place {
            Place::Extent { .. } => Addressing::Bytes,
            Place::Page(_) | Place::Key(_) => Addressing::Pages { page_bytes: None },
        };
        // A headless table of more columns than messages show has no width that is known.
        let width = (delimiter != Delimiter::Exact && (header || found.len() < COLUMNS_SHOWN))
            .then(|| {
                let filled = found.iter().rposition(|name| !name.is_empty());
                (filled.map_or(0, |last| last + 1), found.len())
            });
        let understanding = Understanding {
            addressing,
            has_time: time.is_some(),
            has_writes: op.is_some(),
            units,
            assumptions,
            columns: found,
        };
        let mut format = Csv {
            delimiter,
            columns: 0,
            width,
            time,
            op,
            read_values,
            write_values,
            place,
            device,
            level,
            fields: Vec::new(),
        };
        format.columns = format.used().last().map_or(0, |last| last + 1);
        Ok((format, understanding))
    }

    /// A column of numbers has one meaning: offset and length in one are a slip of the hand, which
    /// no record would show.
    fn refuse_one_column_for_two(
        &self,
        column: &dyn Fn(&str) -> Result<Option<usize>>,
    ) -> Result<()> {
        let mut taken: Vec<(usize, &str)> = Vec::new();
        for key in ["time", "offset", "page", "key", "size"] {
            let Some(index) = column(key)? else { continue };
            if let Some((_, other)) = taken.iter().find(|(at, _)| *at == index) {
                return Err(bad_mapping(
                    format!("{key}={}", self.get(key).unwrap_or_default()),
                    format!("the same column as {other}, column {}", index + 1),
                    "map each to a separate column",
                ));
            }
            taken.push((index, key));
        }
        Ok(())
    }

    /// Index of the column mapped to `key`, by 1-based number or by name.
    fn column(&self, key: &str, header: bool, found: &[String]) -> Result<Option<usize>> {
        let Some(column) = self.get(key) else {
            return Ok(None);
        };
        let hint = || format!("columns found: {}", found.join(", "));
        if is_number(column) {
            return match column.parse::<usize>() {
                Ok(number) if (1..=found.len()).contains(&number) => Ok(Some(number - 1)),
                _ => Err(bad_mapping(
                    format!("{key}={column}"),
                    format!("columns are numbered from 1 to {}", found.len()),
                    hint(),
                )),
            };
        }
        if !header {
            return Err(bad_mapping(
                format!("{key}={column}"),
                "a column name, but header=false says that there are no names",
                "give the column's number, counted from 1, or header=true",
            ));
        }
        let mut matches = found
            .iter()
            .enumerate()
            .filter(|(_, name)| name.as_str() == column);
        match (matches.next(), matches.next()) {
            (Some((index, _)), None) => Ok(Some(index)),
            (None, _) => Err(bad_mapping(
                format!("{key}={column}"),
                "not a column of the file",
                hint(),
            )),
            _ => Err(bad_mapping(
                format!("{key}={column}"),
                "the name of more than one column of the file",
                "give the column's number, counted from 1",
            )),
        }
    }

    fn time(
        &self,
        column: Option<usize>,
        units: &mut Vec<FieldUnit>,
    ) -> Result<Option<(usize, TimeUnit)>> {
        const HINT: &str = "give time_unit as one of s, ms, us, ns, filetime";
        let (Some(column), Some(name)) = (column, self.get("time")) else {
            return match self.get("time_unit") {
                Some(unit) => Err(bad_mapping(
                    format!("time_unit={unit}"),
                    "given without a time column",
                    "map the time column as well: time=COLUMN",
                )),
                None => Ok(None),
            };
        };
        let unit = match self.get("time_unit") {
            Some("s") => TimeUnit::Nanoseconds(1_000_000_000),
            Some("ms") => TimeUnit::Nanoseconds(1_000_000),
            Some("us") => TimeUnit::Nanoseconds(1000),
            Some("ns") => TimeUnit::Nanoseconds(1),
            Some("filetime") => TimeUnit::Filetime,
            Some(other) => {
                return Err(bad_mapping(
                    format!("time_unit={other}"),
                    "not a unit of time",
                    HINT,
                ));
            }
            None => {
                return Err(bad_mapping(
                    format!("time={name}"),
                    "no unit, and a wrong guess would falsify every rate",
                    HINT,
                ));
            }
        };
        let shown = self.get("time_unit").unwrap_or_default();
        units.push(FieldUnit::new(
            name,
            if shown == "filetime" {
                "100 ns since 1601-01-01 UTC"
            } else {
                shown
            },
            "time of the request",
        ));
        Ok(Some((column, unit)))
    }

    /// The texts that mean read and write.
    fn values(
        &self,
        op: Option<usize>,
        units: &mut Vec<FieldUnit>,
        assumptions: &mut Vec<String>,
    ) -> Result<(Values, Values)> {
        let list = |key: &str| -> Vec<Vec<u8>> {
            self.get(key)
                .unwrap_or_default()
                .split([',', '|'])
                .map(|value| value.trim().as_bytes().to_vec())
                .filter(|value| !value.is_empty())
                .collect()
        };
        let (reads, writes) = (list("read_values"), list("write_values"));
        if op.is_none() {
            if let Some(key) = ["read_values", "write_values"]
                .into_iter()
                .find(|key| self.get(key).is_some())
            {
                return Err(bad_mapping(
                    key,
                    "given without an op column",
                    "map the op column as well: op=COLUMN",
                ));
            }
            assumptions.push("all accesses are reads: no op column is mapped".to_owned());
            return Ok((reads, writes));
        }
        if reads.is_empty() != writes.is_empty() {
            return Err(bad_mapping(
                if reads.is_empty() {
                    "write_values"
                } else {
                    "read_values"
                },
                "given alone",
                "give read_values and write_values together, or neither for R/W and read/write",
            ));
        }
        if let Some(both) = reads.iter().find(|value| writes.contains(value)) {
            return Err(bad_mapping(
                excerpt(both),
                "in read_values and in write_values",
                "each value can mean only one of the two",
            ));
        }
        let name = self.get("op").unwrap_or_default();
        let unit = if reads.is_empty() {
            "R, W, read or write in any case".to_owned()
        } else {
            format!(
                "{} read, {} write",
                self.get("read_values").unwrap_or_default(),
                self.get("write_values").unwrap_or_default()
            )
        };
        units.push(FieldUnit::new(name, unit, "operation"));
        Ok((reads, writes))
    }

    fn place(
        &self,
        column: &dyn Fn(&str) -> Result<Option<usize>>,
        spec: &TraceSpec,
        units: &mut Vec<FieldUnit>,
        assumptions: &mut Vec<String>,
    ) -> Result<Place> {
        let mapped: Vec<&'static str> = ["offset", "page", "key"]
            .into_iter()
            .filter(|key| self.get(key).is_some())
            .collect();
        let [key] = mapped[..] else {
            return Err(bad_mapping(
                mapped.join(", "),
                "exactly one of offset, page and key must be mapped",
                "offset (with size) for byte or sector addresses, page for page numbers, key for cache keys",
            ));
        };
        let Some(first) = column(key)? else {
            return Err(bad_mapping(key, "not mapped", "map it to a column"));
        };
        let name = self.get(key).unwrap_or_default();
        if key != "offset" {
            if let Some(extra) = ["size", "size_unit", "offset_unit"]
                .into_iter()
                .find(|extra| self.get(extra).is_some())
            {
                return Err(bad_mapping(
                    extra,
                    format!("no meaning with {key}: each record is one page"),
                    "leave it out, or map offset and size instead",
                ));
            }
            units.push(FieldUnit::new(
                name,
                if key == "page" { "pages" } else { "key" },
                "one page per record",
            ));
            assumptions.push(format!(
                "each {key} is one page of {} bytes{}",
                spec.page_bytes,
                if key == "key" {
                    "; a key that is not a whole number is identified by the 64-bit FNV-1a hash of its text"
                } else {
                    ""
                }
            ));
            return Ok(if key == "page" {
                Place::Page(first)
            } else {
                Place::Key(first)
            });
        }
        let Some(size) = column("size")? else {
            return Err(bad_mapping(
                format!("offset={name}"),
                "this needs the column of the request's size",
                "map size=COLUMN size_unit=bytes, or map page instead of offset",
            ));
        };
        let offset_unit = self.unit("offset_unit", spec, assumptions)?;
        let size_unit = self.unit("size_unit", spec, assumptions)?;
        units.push(FieldUnit::new(
            name,
            self.get("offset_unit").unwrap_or("bytes"),
            "start of the request",
        ));
        units.push(FieldUnit::new(
            self.get("size").unwrap_or_default(),
            self.get("size_unit").unwrap_or("bytes"),
            "length of the request",
        ));
        Ok(Place::Extent {
            offset: first,
            offset_unit,
            size,
            size_unit,
        })
    }

    fn level(&self, place: Place) -> Result<Level> {
        match self.get("level") {
            Some("above") => Ok(Level::Above),
            Some("below") => Ok(Level::Below),
            Some(other) => Err(bad_mapping(
                format!("level={other}"),
                "neither above nor below",
                "use level=above if the requests were recorded above every cache, level=below otherwise",
            )),
            None => Ok(match place {
                Place::Extent { .. } => Level::Unstated,
                Place::Page(_) | Place::Key(_) => Level::Above,
            }),
        }
    }

    fn unit(&self, key: &str, spec: &TraceSpec, assumptions: &mut Vec<String>) -> Result<u64> {
        match self.get(key) {
            Some("bytes") => Ok(1),
            Some("sectors") => Ok(SECTOR_BYTES),
            Some("pages") => Ok(spec.page_bytes),
            Some(other) => Err(bad_mapping(
                format!("{key}={other}"),
                "not a unit of length",
                "give bytes, sectors (of 512 bytes) or pages",
            )),
            None => {
                assumptions.push(format!("{key} is bytes: no other unit is given"));
                Ok(1)
            }
        }
    }
}

fn is_number(column: &str) -> bool {
    !column.is_empty() && column.bytes().all(|byte| byte.is_ascii_digit())
}

/// A quote was opened and not closed.
struct UnclosedQuote;

/// Ranges of the fields of a line; quoted fields may hold the delimiter.
fn split(
    line: &[u8],
    delimiter: Delimiter,
    fields: &mut Vec<std::ops::Range<usize>>,
) -> std::result::Result<(), UnclosedQuote> {
    fields.clear();
    match delimiter {
        Delimiter::Byte(byte) => {
            let mut start = 0;
            if memchr::memchr(b'"', line).is_none() {
                for position in memchr::memchr_iter(byte, line) {
                    fields.push(start..position);
                    start = position + 1;
                }
                fields.push(start..line.len());
                return Ok(());
            }
            let mut quoted = false;
            for (position, &character) in line.iter().enumerate() {
                if character == b'"' {
                    quoted = !quoted;
                } else if character == byte && !quoted {
                    fields.push(start..position);
                    start = position + 1;
                }
            }
            if quoted {
                return Err(UnclosedQuote);
            }
            fields.push(start..line.len());
        }
        Delimiter::Exact => {
            let mut start = 0;
            for position in memchr::memchr_iter(FIELD_SEPARATOR, line) {
                fields.push(start..position);
                start = position + 1;
            }
            fields.push(start..line.len());
        }
        Delimiter::Blanks => {
            let mut start = None;
            for (position, &character) in line.iter().enumerate() {
                let blank = matches!(character, b' ' | b'\t');
                match (blank, start) {
                    (true, Some(begin)) => {
                        fields.push(begin..position);
                        start = None;
                    }
                    (false, None) => start = Some(position),
                    _ => {}
                }
            }
            if let Some(begin) = start {
                fields.push(begin..line.len());
            }
        }
    }
    Ok(())
}

/// A field without blanks and quotes around it.
fn unquote(field: &[u8]) -> &[u8] {
    let trimmed = trim(field);
    match trimmed {
        [b'"', inner @ .., b'"'] => inner,
        _ => trimmed,
    }
}

impl LineFormat for Csv {
    fn parse(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Request> {
        if split(line, self.delimiter, &mut self.fields).is_err() {
            return Err(fault(
                "a quote is not closed on this line",
                "records that run over several lines are not supported",
            ));
        }
        if self.fields.len() < self.columns {
            return Err(fault(
                format!(
                    "the line has {}, the mapping needs {}",
                    counted(self.fields.len(), "column", "columns"),
                    self.columns
                ),
                "check the delimiter and that the line is whole",
            ));
        }
        if let Some((filled, all)) = self.width {
            let blank = |field: &std::ops::Range<usize>| trim(&line[field.clone()]).is_empty();
            let more = self.fields.get(all..).unwrap_or_default();
            if self.fields.len() < filled || !more.iter().all(blank) {
                return Err(other_width(self.fields.len(), all));
            }
        }
        let exact = self.delimiter == Delimiter::Exact;
        let field = |column: usize| {
            let field = &line[self.fields[column].clone()];
            if exact { field } else { unquote(field) }
        };
        let time_ns = match self.time {
            None => 0,
            Some((column, unit)) => time_ns(field(column), unit)?,
        };
        let write = match self.op {
            None => false,
            Some(column) => self.is_write(field(column))?,
        };
        let (offset, size) = match self.place {
            Place::Page(column) => (parse_u64(field(column), "page")?, 1),
            Place::Key(column) => {
                let key = field(column);
                check_key(key)?;
                (key_number(key), 1)
            }
            Place::Extent {
                offset,
                offset_unit,
                size,
                size_unit,
            } => (
                scaled(field(offset), offset_unit, "offset")?,
                scaled(field(size), size_unit, "size")?,
            ),
        };
        let space = match self.device {
            None => 0,
            Some(column) => spaces.number(field(column))?,
        };
        Ok(Request {
            time_ns,
            offset,
            size,
            space,
            write,
        })
    }

    fn warnings(&self) -> Vec<Warning> {
        self.level.warning().into_iter().collect()
    }

    // A row is read by the mapping alone: nothing is remembered from one to the next.
    fn state(&self) -> Option<Value> {
        Some(Value::Null)
    }

    fn resume(&mut self, _state: Value) -> bool {
        true
    }
}

impl Csv {
    /// One nameless device without a device column.
    fn spaces(&self) -> Spaces {
        if self.device.is_some() {
            Spaces::default()
        } else {
            Spaces::single()
        }
    }

    /// The columns that are looked at, in ascending order.
    pub(super) fn used(&self) -> Vec<usize> {
        let place = match self.place {
            Place::Extent { offset, size, .. } => [Some(offset), Some(size)],
            Place::Page(column) | Place::Key(column) => [Some(column), None],
        };
        let time = self.time.map(|(column, _)| column);
        let mut used: Vec<usize> = place
            .into_iter()
            .chain([time, self.op, self.device])
            .flatten()
            .collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    fn is_write(&self, value: &[u8]) -> ParseResult<bool> {
        let among = |values: &[Vec<u8>]| values.iter().any(|known| known.as_slice() == value);
        let words = self.read_values.is_empty();
        let is = |known: &[u8]| words && value.eq_ignore_ascii_case(known);
        if among(&self.read_values) || is(b"r") || is(b"read") {
            Ok(false)
        } else if among(&self.write_values) || is(b"w") || is(b"write") {
            Ok(true)
        } else {
            Err(fault(
                format!("op `{}` means neither read nor write", excerpt(value)),
                "list the values that mean read and write: read_values=... write_values=...",
            ))
        }
    }
}

#[cold]
fn other_width(fields: usize, columns: usize) -> Fault {
    fault(
        format!(
            "the line has {}, the first line {columns}",
            counted(fields, "column", "columns")
        ),
        "a separator inside a field (1,024) or a missing field shifts the columns after it: quote such a field, or choose another delimiter",
    )
}

fn scaled(field: &[u8], unit: u64, name: &str) -> ParseResult<u64> {
    let value = parse_u64(field, name)?;
    value.checked_mul(unit).ok_or_else(|| {
        fault(
            format!("{name} `{value}` times {unit} bytes exceeds 64 bits"),
            format!("check the unit of {name}"),
        )
    })
}

fn time_ns(field: &[u8], unit: TimeUnit) -> ParseResult<i64> {
    let nanoseconds = match unit {
        TimeUnit::Nanoseconds(scale) => parse_scaled(field, scale, "time")?,
        TimeUnit::Filetime => {
            let ticks = i128::from(parse_u64(field, "time")?);
            (ticks - i128::from(super::msr::UNIX_EPOCH_TICKS)) * 100
        }
    };
    i64::try_from(nanoseconds).map_err(|_| {
        fault(
            format!("time `{}` is out of range (292 years)", excerpt(field)),
            "check the unit of the time",
        )
    })
}
