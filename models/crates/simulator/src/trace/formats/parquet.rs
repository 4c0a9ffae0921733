//! Apache Parquet tables, read through the same column mapping as text tables.
//!
//! Row groups are read page by page, in batches of rows, only the mapped columns. Each row goes
//! through the reader of text tables, so units, words and errors are the same for both.

use std::fs::File;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use crate::defects::watched;
use crate::error::{Error, Result};
use crate::trace::TraceSpec;
use crate::trace::formats::csv::{self, Csv};
use crate::trace::formats::{Format, Open, Score};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    BATCH_REQUESTS, LineFormat, PlacedRequest, Request, RequestReader, Skipped, Spaces,
    Understanding, Warning, check,
};
use crate::trace::streams::Compression;
use crate::trace::text::{Fault, excerpt, fault};

pub(super) const MAGIC: &[u8] = b"PAR1";
/// Between the fields of a row as text: no value may hold it.
const SEPARATOR: u8 = csv::FIELD_SEPARATOR;

pub(crate) const FORMAT: Format = Format {
    name: "parquet",
    description: "Apache Parquet table with a column mapping",
    verified: "tables written by other libraries",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: false,
    detect: |head: &Head<'_>| {
        if is_parquet(head) {
            Score::new(1.0, "its first bytes; its columns need a mapping")
        } else {
            Score::no("its first bytes are not those of Parquet")
        }
    },
    open: Open::Requests(open),
};

fn open(mut input: Input, spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let (table, names) = open_table(&mut input)?;
    let schema = table.metadata().file_metadata().schema_descr_ptr();
    let mut spec = spec.clone();
    if let Some(index) = spec
        .columns
        .get("time")
        .and_then(|name| names.iter().position(|one| one == name))
    {
        let stated = timestamp_unit(schema.column(index).logical_type_ref());
        check_time_unit(&mut spec, stated)?;
    }
    let (format, mut understanding, spaces) = csv::table(FORMAT.name, names, &spec)?;
    understanding
        .assumptions
        .push("only the mapped columns are read".to_owned());
    let used = format.used();
    for &index in &used {
        let column = schema.column(index);
        if column.max_rep_level() > 0 {
            return Err(Error::BadParameter {
                name: "columns",
                value: column.path().string(),
                message: "this column holds lists".to_owned(),
                hint: "map columns with one value a row".to_owned(),
            });
        }
    }
    let rows = u64::try_from(table.metadata().file_metadata().num_rows()).unwrap_or(0);
    Ok(Box::new(Parquet {
        input,
        table,
        next_group: 0,
        columns: Vec::new(),
        used,
        left_in_group: 0,
        row: 0,
        rows,
        texts: Texts::default(),
        next_text: 0,
        format,
        understanding,
        spaces,
        skipped: Skipped::default(),
    }))
}

/// The names of the columns, for messages and the mapping.
pub(crate) fn column_names(input: &mut Input) -> Result<Vec<String>> {
    Ok(open_table(input)?.1)
}

/// Whether a head is that of a Parquet table.
pub(crate) fn is_parquet(head: &Head<'_>) -> bool {
    head.bytes.starts_with(MAGIC)
}

/// The table as a file. Its directory stands at its end, so a packed one is unpacked, within the limits
/// of decompression, to a file without a name in the folder for temporary files.
fn table_file(input: &mut Input) -> Result<File> {
    let path = input.path().to_owned();
    if input.compression() == Compression::NONE {
        return File::open(&path).map_err(|source| Error::Io {
            action: "read",
            path,
            source,
        });
    }
    let cannot = |source| Error::Io {
        action: "unpack",
        path: path.clone(),
        source,
    };
    let mut file = tempfile::tempfile().map_err(cannot)?;
    while input.fill(1)? > 0 {
        let available = input.available();
        let length = available.len();
        file.write_all(available).map_err(cannot)?;
        input.consume(length);
    }
    Ok(file)
}

fn open_table(input: &mut Input) -> Result<(SerializedFileReader<File>, Vec<String>)> {
    let file = table_file(input)?;
    let table = guarded(input.path(), || SerializedFileReader::new(file))?;
    let names = table
        .metadata()
        .file_metadata()
        .schema_descr()
        .columns()
        .iter()
        .map(|column| column.path().string())
        .collect();
    Ok((table, names))
}

/// The unit that a column states itself.
fn timestamp_unit(logical: Option<&LogicalType>) -> Option<&'static str> {
    match logical {
        Some(LogicalType::Timestamp(stamp)) => Some(match stamp.unit {
            TimeUnit::MILLIS => "ms",
            TimeUnit::MICROS => "us",
            TimeUnit::NANOS => "ns",
        }),
        _ => None,
    }
}

/// Takes the unit that the column states; a mapping that says another one is refused.
fn check_time_unit(spec: &mut TraceSpec, stated: Option<&'static str>) -> Result<()> {
    let Some(stated) = stated else {
        return Ok(());
    };
    match spec.columns.get("time_unit") {
        Some(given) if given != stated => Err(Error::BadParameter {
            name: "columns",
            value: format!("time_unit={given}"),
            message: format!("but the column says itself that it counts {stated}"),
            hint: format!("leave time_unit out, or give time_unit={stated}"),
        }),
        _ => {
            spec.columns
                .insert("time_unit".to_owned(), stated.to_owned());
            Ok(())
        }
    }
}

/// Calls the library; what it refuses, or trips over, is told as damage of the file.
fn guarded<T>(
    path: &Path,
    call: impl FnOnce() -> std::result::Result<T, ParquetError>,
) -> Result<T> {
    // The library asserts some of what a sound file holds; a damaged one must not end the program.
    let told = match watched(|| catch_unwind(AssertUnwindSafe(call))).0 {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "its parts contradict each other".to_owned(),
    };
    Err(Error::Unreadable {
        path: path.to_owned(),
        message: format!(
            "the Parquet table is damaged, truncated or of an unsupported kind: {}",
            excerpt(told.as_bytes())
        ),
        hint: "copy or upload the file again; open it with another tool to check".to_owned(),
    })
}

struct Parquet {
    input: Input,
    table: SerializedFileReader<File>,
    next_group: usize,
    /// Readers of the used columns in the row group in hand.
    columns: Vec<(ColumnReader, Meaning)>,
    used: Vec<usize>,
    left_in_group: u64,
    row: u64,
    rows: u64,
    texts: Texts,
    next_text: usize,
    format: Csv,
    understanding: Understanding,
    spaces: Spaces,
    skipped: Skipped,
}

/// How the values of a column are written as text.
#[derive(Debug, Clone, Copy)]
struct Meaning {
    max_def_level: i16,
    unsigned: bool,
}

/// A batch of rows as text: the fields of each between separators.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// One column of a batch as text.
#[derive(Default)]
struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// A value that cannot be written as a field.
    bad: Option<usize>,
}

impl Fields {
    fn get(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.bytes[start..self.ends[row]]
    }
}

/// Reads up to `count` rows of a column and writes them by `write`; a null is an empty field.
fn read_column<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    meaning: Meaning,
    write: impl Fn(&T::T, &mut Vec<u8>),
) -> std::result::Result<Fields, ParquetError> {
    read_bounded(reader, count, meaning, None, |_| 0, write)
}

/// As [`read_column`], of values whose length is that of the file's: stops before one is copied that is longer than
/// [`MOST_VALUE_BYTES`] or fills a batch beyond what is left of [`MOST_BATCH_BYTES`], where that is given.
fn read_bounded<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    meaning: Meaning,
    left: Option<usize>,
    bytes_of: impl Fn(&T::T) -> usize,
    write: impl Fn(&T::T, &mut Vec<u8>),
) -> std::result::Result<Fields, ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut fields = Fields::default();
    while fields.ends.len() < count {
        values.clear();
        levels.clear();
        let (rows, _, _) = reader.read_records(
            count - fields.ends.len(),
            Some(&mut levels),
            None,
            &mut values,
        )?;
        if rows == 0 {
            return Err(ParquetError::General(
                "a column has fewer rows than its row group".to_owned(),
            ));
        }
        let mut values = values.iter();
        for row in 0..rows {
            let present = levels
                .get(row)
                .is_none_or(|level| *level == meaning.max_def_level);
            if present {
                let Some(value) = values.next() else {
                    return Err(ParquetError::General(
                        "a column has fewer values than it says".to_owned(),
                    ));
                };
                let start = fields.bytes.len();
                if let Some(left) = left {
                    check_room(bytes_of(value), start, left)?;
                }
                write(value, &mut fields.bytes);
                if memchr::memchr(SEPARATOR, &fields.bytes[start..]).is_some() {
                    fields.bad.get_or_insert(fields.ends.len());
                }
            }
            fields.ends.push(fields.bytes.len());
        }
    }
    Ok(fields)
}

/// Whether a value can be copied behind what a column of a batch already has. [bytes]
fn check_room(value: usize, before: usize, left: usize) -> std::result::Result<(), ParquetError> {
    if value > MOST_VALUE_BYTES {
        return Err(ParquetError::General(format!(
            "a value of a column has {value} bytes; the maximum is {MOST_VALUE_BYTES}"
        )));
    }
    if before + value > left {
        return Err(ParquetError::General(format!(
            "{BATCH_ROWS} rows have more than {MOST_BATCH_BYTES} bytes of text"
        )));
    }
    Ok(())
}

/// Writing into a vector cannot fail.
fn put(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    let _ = write!(out, "{value}");
}

fn read_any(
    column: &mut ColumnReader,
    count: usize,
    meaning: Meaning,
    left: Option<usize>,
) -> std::result::Result<Fields, ParquetError> {
    match column {
        ColumnReader::BoolColumnReader(reader) => {
            read_column(reader, count, meaning, |value, out| put(out, value))
        }
        ColumnReader::Int32ColumnReader(reader) if meaning.unsigned => {
            read_column(reader, count, meaning, |value, out| {
                put(out, value.cast_unsigned());
            })
        }
        ColumnReader::Int32ColumnReader(reader) => {
            read_column(reader, count, meaning, |value, out| put(out, value))
        }
        ColumnReader::Int64ColumnReader(reader) if meaning.unsigned => {
            read_column(reader, count, meaning, |value, out| {
                put(out, value.cast_unsigned());
            })
        }
        ColumnReader::Int64ColumnReader(reader) => {
            read_column(reader, count, meaning, |value, out| put(out, value))
        }
        ColumnReader::FloatColumnReader(reader) => {
            read_column(reader, count, meaning, |value, out| put(out, value))
        }
        ColumnReader::DoubleColumnReader(reader) => {
            read_column(reader, count, meaning, |value, out| put(out, value))
        }
        ColumnReader::ByteArrayColumnReader(reader) => read_bounded(
            reader,
            count,
            meaning,
            left,
            |value| value.data().len(),
            |value, out| out.extend_from_slice(value.data()),
        ),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => read_bounded(
            reader,
            count,
            meaning,
            left,
            |value| value.data().len(),
            |value, out| out.extend_from_slice(value.data()),
        ),
        ColumnReader::Int96ColumnReader(_) => Err(ParquetError::NYI(
            "times of 96 bits; write them as 64-bit timestamps".to_owned(),
        )),
    }
}

/// The rows of a group, and a reader of each of its columns that are used.
fn columns_of_group(
    table: &SerializedFileReader<File>,
    used: &[usize],
    index: usize,
) -> std::result::Result<(u64, Vec<(ColumnReader, Meaning)>), ParquetError> {
    let group = table.get_row_group(index)?;
    let columns = used
        .iter()
        .map(|&at| {
            let column = group.metadata().column(at).column_descr_ptr();
            let unsigned = matches!(
                column.logical_type_ref(),
                Some(LogicalType::Integer(int)) if !int.is_signed
            );
            let meaning = Meaning {
                max_def_level: column.max_def_level(),
                unsigned,
            };
            Ok((group.get_column_reader(at)?, meaning))
        })
        .collect::<std::result::Result<Vec<_>, ParquetError>>()?;
    Ok((
        u64::try_from(group.metadata().num_rows()).unwrap_or(0),
        columns,
    ))
}

impl Parquet {
    /// Goes to the next row group with rows; `false` at the end.
    fn next_group(&mut self) -> Result<bool> {
        while self.left_in_group == 0 {
            if self.next_group == self.table.num_row_groups() {
                return Ok(false);
            }
            let (table, used, index) = (&self.table, &self.used, self.next_group);
            let (rows, columns) =
                guarded(self.input.path(), || columns_of_group(table, used, index))?;
            self.left_in_group = rows;
            self.columns = columns;
            self.next_group += 1;
        }
        Ok(true)
    }

    /// Fills [`Self::texts`] with the next rows; `false` at the end.
    fn next_texts(&mut self) -> Result<bool> {
        self.next_text = 0;
        self.texts.bytes.clear();
        self.texts.ends.clear();
        if !self.next_group()? {
            return Ok(false);
        }
        let count = usize::try_from(self.left_in_group)
            .unwrap_or(usize::MAX)
            .min(BATCH_REQUESTS);
        let columns = &mut self.columns;
        let fields = guarded(self.input.path(), || {
            columns
                .iter_mut()
                .map(|(column, meaning)| read_any(column, count, *meaning, None))
                .collect::<std::result::Result<Vec<_>, ParquetError>>()
        })?;
        self.left_in_group -= count as u64;
        if let Some(bad) = fields.iter().filter_map(|column| column.bad).min() {
            return Err(self.bad_row(
                self.row + bad as u64 + 1,
                &fault(
                    "a value holds the control character 0x1f",
                    "map another column, or clean it",
                ),
                b"",
            ));
        }
        for row in 0..count {
            let mut at = 0;
            for (column, &index) in fields.iter().zip(&self.used) {
                while at < index {
                    self.texts.bytes.push(SEPARATOR);
                    at += 1;
                }
                self.texts.bytes.extend_from_slice(column.get(row));
            }
            self.texts.ends.push(self.texts.bytes.len());
        }
        Ok(true)
    }

    #[cold]
    fn bad_row(&self, row: u64, fault: &Fault, text: &[u8]) -> Error {
        Error::BadTrace {
            path: self.input.path().to_owned(),
            place: format!("row {row}"),
            message: format!("{}, in `{}`", fault.message, shown(text)),
            hint: fault.hint.clone(),
        }
    }

    /// The request of the next row and the row's range in [`Self::texts`].
    fn next(&mut self) -> Result<Option<(Request, std::ops::Range<usize>)>> {
        loop {
            if self.next_text == self.texts.ends.len() && !self.next_texts()? {
                return Ok(None);
            }
            let start = match self.next_text {
                0 => 0,
                index => self.texts.ends[index - 1],
            };
            let range = start..self.texts.ends[self.next_text];
            self.next_text += 1;
            self.row += 1;
            let text = &self.texts.bytes[range.clone()];
            match self
                .format
                .parse(text, &mut self.spaces)
                .and_then(|request| check(request, self.understanding.addressing))
            {
                Ok(request) => return Ok(Some((request, range))),
                Err(fault) => {
                    let error = self.bad_row(self.row, &fault, text);
                    self.skipped.take(&self.input, error)?;
                }
            }
        }
    }
}

/// The mapped fields of a row for people.
fn shown(text: &[u8]) -> String {
    let fields: Vec<String> = text
        .split(|byte| *byte == SEPARATOR)
        .filter(|field| !field.is_empty())
        .map(excerpt)
        .collect();
    fields.join(", ")
}

impl RequestReader for Parquet {
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
                place: format!("row {}", self.row),
                raw: shown(&self.texts.bytes[range]),
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
        let mut warnings = LineFormat::warnings(&self.format);
        warnings.extend(self.skipped.warning());
        warnings
    }

    fn skipped(&self) -> u64 {
        self.skipped.count()
    }

    /// By rows: the columns of a group lie beside each other, so bytes say nothing.
    fn position(&self) -> (u64, u64) {
        let (done, all) = self.input.position();
        if self.input.packed().is_some() {
            // Of a member nobody knows how large a part of the archive it is.
            return (done, all);
        }
        if self.rows == 0 || self.row >= self.rows {
            return (all, all);
        }
        let done = u128::from(all) * u128::from(self.row) / u128::from(self.rows);
        (u64::try_from(done).unwrap_or(all), all)
    }

    fn compression(&self) -> Compression {
        self.input.compression()
    }
}

/// Rows that a table of texts hands on at once.
const BATCH_ROWS: usize = 1024;
/// Longest value that a table of texts hands on: a value that a dictionary holds once is copied into every row. [bytes]
const MOST_VALUE_BYTES: usize = 1 << 18;
/// Most bytes of all values of [`BATCH_ROWS`] rows. [bytes]
const MOST_BATCH_BYTES: usize = 1 << 26;

/// The rows of a table that is no trace: the values of the columns that are wanted, as texts. Decimals are
/// written with their point, times in UTC by ISO 8601, and a null is an empty text.
pub struct TableRows {
    path: PathBuf,
    table: SerializedFileReader<File>,
    names: Vec<String>,
    wanted: Vec<usize>,
    columns: Vec<(ColumnReader, Meaning, Written)>,
    next_group: usize,
    left_in_group: u64,
}

/// What the values of a column are, beyond their numbers.
#[derive(Debug, Clone, Copy)]
enum Written {
    Plain,
    /// Digits behind the point.
    Decimal(u32),
    /// Since 1970, so many a second.
    Time(i64),
    /// Days since 1970.
    Date,
}

impl TableRows {
    /// Opens a table; what it lacks of the columns that are wanted is left out of [`Self::names`].
    ///
    /// # Errors
    /// If the file cannot be read or is not a table of Parquet.
    pub fn open(path: &Path, wanted: &[String]) -> Result<Self> {
        let file = File::open(path).map_err(|source| Error::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        let table = guarded(path, || SerializedFileReader::new(file))?;
        let schema = table.metadata().file_metadata().schema_descr_ptr();
        let mut names = Vec::new();
        let mut found = Vec::new();
        for name in wanted {
            let at = schema
                .columns()
                .iter()
                .position(|column| column.path().string() == *name);
            if let Some(at) = at.filter(|&at| schema.column(at).max_rep_level() == 0) {
                names.push(name.clone());
                found.push(at);
            }
        }
        Ok(Self {
            path: path.to_owned(),
            table,
            names,
            wanted: found,
            columns: Vec::new(),
            next_group: 0,
            left_in_group: 0,
        })
    }

    /// The columns of each row, in their order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The next rows, column by column; no columns at the end.
    ///
    /// # Errors
    /// If the table is damaged, or a text is not UTF-8.
    pub fn next_batch(&mut self) -> Result<Vec<Vec<String>>> {
        while self.left_in_group == 0 {
            if self.next_group == self.table.num_row_groups() || self.wanted.is_empty() {
                return Ok(Vec::new());
            }
            let (table, wanted, index) = (&self.table, &self.wanted, self.next_group);
            let (rows, columns) = guarded(&self.path, || columns_of_group(table, wanted, index))?;
            let schema = table.metadata().file_metadata().schema_descr_ptr();
            self.columns = columns
                .into_iter()
                .zip(wanted)
                .map(|((column, meaning), &at)| (column, meaning, written(&schema.column(at))))
                .collect();
            self.left_in_group = rows;
            self.next_group += 1;
        }
        let count = usize::try_from(self.left_in_group)
            .unwrap_or(usize::MAX)
            .min(BATCH_ROWS);
        let columns = &mut self.columns;
        let fields = guarded(&self.path, || {
            let mut left = MOST_BATCH_BYTES;
            let mut fields = Vec::with_capacity(columns.len());
            for (column, meaning, written) in columns {
                let found = read_written(column, count, *meaning, *written, left)?;
                left = left.saturating_sub(found.bytes.len());
                fields.push(found);
            }
            Ok(fields)
        })?;
        self.left_in_group -= count as u64;
        fields
            .iter()
            .zip(&self.names)
            .map(|(column, name)| {
                (0..count)
                    .map(|row| self.text(column.get(row), name))
                    .collect()
            })
            .collect()
    }

    fn text(&self, bytes: &[u8], column: &str) -> Result<String> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(Error::Unreadable {
                path: self.path.clone(),
                message: format!(
                    "the column `{}` holds `{}`, which is not UTF-8 text",
                    excerpt(column.as_bytes()),
                    excerpt(bytes)
                ),
                hint: "write the column as text".to_owned(),
            }),
        }
    }
}

fn written(column: &ColumnDescriptor) -> Written {
    let per_second = |unit: &TimeUnit| match unit {
        TimeUnit::MILLIS => 1_000,
        TimeUnit::MICROS => 1_000_000,
        TimeUnit::NANOS => 1_000_000_000,
    };
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Decimal(decimal)), _) => {
            Written::Decimal(u32::try_from(decimal.scale).unwrap_or(0))
        }
        (_, ConvertedType::DECIMAL) => {
            Written::Decimal(u32::try_from(column.type_scale()).unwrap_or(0))
        }
        (Some(LogicalType::Timestamp(stamp)), _) => Written::Time(per_second(&stamp.unit)),
        (_, ConvertedType::TIMESTAMP_MILLIS) => Written::Time(1_000),
        (_, ConvertedType::TIMESTAMP_MICROS) => Written::Time(1_000_000),
        (Some(LogicalType::Date), _) | (_, ConvertedType::DATE) => Written::Date,
        _ => Written::Plain,
    }
}

fn read_written(
    column: &mut ColumnReader,
    count: usize,
    meaning: Meaning,
    written: Written,
    left: usize,
) -> std::result::Result<Fields, ParquetError> {
    match (column, written) {
        (ColumnReader::Int32ColumnReader(reader), Written::Decimal(scale)) => {
            read_column(reader, count, meaning, |value, out| {
                put_decimal(out, i128::from(*value), scale);
            })
        }
        (ColumnReader::Int64ColumnReader(reader), Written::Decimal(scale)) => {
            read_column(reader, count, meaning, |value, out| {
                put_decimal(out, i128::from(*value), scale);
            })
        }
        (ColumnReader::ByteArrayColumnReader(reader), Written::Decimal(scale)) => {
            read_column(reader, count, meaning, |value, out| {
                put_bytes_decimal(out, value.data(), scale);
            })
        }
        (ColumnReader::FixedLenByteArrayColumnReader(reader), Written::Decimal(scale)) => {
            read_column(reader, count, meaning, |value, out| {
                put_bytes_decimal(out, value.data(), scale);
            })
        }
        (ColumnReader::Int64ColumnReader(reader), Written::Time(per_second)) => {
            read_column(reader, count, meaning, |value, out| {
                put_time(out, *value, per_second);
            })
        }
        (ColumnReader::Int32ColumnReader(reader), Written::Date) => {
            read_column(reader, count, meaning, |value, out| {
                put_date(out, i64::from(*value));
            })
        }
        // Days and nanoseconds: what older programs write of times.
        (ColumnReader::Int96ColumnReader(reader), _) => {
            read_column(reader, count, meaning, |value, out| {
                put_time(out, value.to_millis(), 1_000);
            })
        }
        (column, _) => read_any(column, count, meaning, Some(left)),
    }
}

fn put_decimal(out: &mut Vec<u8>, value: i128, scale: u32) {
    if value < 0 {
        out.push(b'-');
    }
    let digits = value.unsigned_abs().to_string();
    let behind = scale as usize;
    let padded = format!(
        "{digits:0>width$}",
        width = behind.saturating_add(1).min(64)
    );
    if behind == 0 || behind >= padded.len() {
        put(out, padded);
    } else {
        let (whole, part) = padded.split_at(padded.len() - behind);
        put(out, format_args!("{whole}.{part}"));
    }
}

/// A decimal in big-endian bytes; one of more than 16 is no price, and becomes a text that no number is.
fn put_bytes_decimal(out: &mut Vec<u8>, bytes: &[u8], scale: u32) {
    if bytes.len() > 16 {
        put(out, "a decimal of more than 16 bytes");
        return;
    }
    let negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
    let mut value: i128 = if negative { -1 } else { 0 };
    for byte in bytes {
        value = (value << 8) | i128::from(*byte);
    }
    put_decimal(out, value, scale);
}

fn put_time(out: &mut Vec<u8>, value: i64, per_second: i64) {
    const DAY_S: i64 = 86_400;
    let (seconds, part) = (value.div_euclid(per_second), value.rem_euclid(per_second));
    put_date(out, seconds.div_euclid(DAY_S));
    let of_day = seconds.rem_euclid(DAY_S);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    put(out, format_args!("T{hour:02}:{minute:02}:{second:02}"));
    if part > 0 {
        let width = if per_second == 1_000 {
            3
        } else if per_second == 1_000_000 {
            6
        } else {
            9
        };
        put(out, format_args!(".{part:0width$}"));
    }
    out.push(b'Z');
}

/// The day of the Gregorian calendar, by the years that begin in March.
fn put_date(out: &mut Vec<u8>, days: i64) {
    const DAYS_400_YEARS: i64 = 146_097;
    let shifted = days + 719_468;
    let era = shifted.div_euclid(DAYS_400_YEARS);
    let of_era = shifted.rem_euclid(DAYS_400_YEARS);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = era * 400 + year + i64::from(month <= 2);
    put(out, format_args!("{year:04}-{month:02}-{day:02}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    /// A table of one column `text` whose rows all hold the same value, which a dictionary states once.
    fn table_of_equal_texts(rows: usize, bytes: usize) -> tempfile::NamedTempFile {
        use parquet::data_type::{ByteArray, ByteArrayType};
        use parquet::file::writer::SerializedFileWriter;

        let schema = "message table { required binary text (UTF8); }";
        let schema = parquet::schema::parser::parse_message_type(schema).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut table = SerializedFileWriter::new(
            file.reopen().unwrap(),
            schema.into(),
            std::sync::Arc::default(),
        )
        .unwrap();
        let mut group = table.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let values = vec![ByteArray::from(vec![b'x'; bytes]); rows];
        column
            .typed::<ByteArrayType>()
            .write_batch(&values, None, None)
            .unwrap();
        column.close().unwrap();
        group.close().unwrap();
        table.close().unwrap();
        file
    }

    fn first_batch(rows: usize, bytes: usize) -> Result<Vec<Vec<String>>> {
        let file = table_of_equal_texts(rows, bytes);
        TableRows::open(file.path(), &["text".to_owned()])
            .unwrap()
            .next_batch()
    }

    #[test]
    fn a_small_table_of_long_texts_is_not_copied_into_every_row() {
        let longest = first_batch(2, MOST_VALUE_BYTES).unwrap();
        assert_eq!(longest[0][1].len(), MOST_VALUE_BYTES);
        for (rows, bytes, said) in [
            (2, MOST_VALUE_BYTES + 1, "the maximum is 262144"),
            (257, MOST_VALUE_BYTES, "more than 67108864 bytes of text"),
        ] {
            let error = first_batch(rows, bytes).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn decimals_keep_their_point() {
        for (value, scale, text) in [
            (0, 0, "0"),
            (8, 3, "0.008"),
            (-12_345, 2, "-123.45"),
            (5, 1, "0.5"),
            (i128::MAX, 0, "170141183460469231731687303715884105727"),
        ] {
            assert_eq!(told(|out| put_decimal(out, value, scale)), text);
        }
        assert_eq!(
            told(|out| put_bytes_decimal(out, &[0xff, 0x38], 2)),
            "-2.00"
        );
        assert_eq!(told(|out| put_bytes_decimal(out, &[0x00, 0xc8], 2)), "2.00");
        assert_eq!(told(|out| put_bytes_decimal(out, &[], 2)), "0.00");
    }

    #[test]
    fn times_are_days_of_the_calendar() {
        for (value, per_second, text) in [
            (0, 1_000, "1970-01-01T00:00:00Z"),
            (-1, 1_000, "1969-12-31T23:59:59.999Z"),
            (1_709_251_199, 1, "2024-02-29T23:59:59Z"),
            (951_782_400_000_000, 1_000_000, "2000-02-29T00:00:00Z"),
            (
                1_000_000_001,
                1_000_000_000,
                "1970-01-01T00:00:01.000000001Z",
            ),
        ] {
            assert_eq!(told(|out| put_time(out, value, per_second)), text);
        }
        assert_eq!(told(|out| put_date(out, -719_468)), "0000-03-01");
    }
}
