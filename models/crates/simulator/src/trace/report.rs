//! The three questions about a trace: what is it (preview), what is in it (inspect), and its
//! canonical form (convert).

use std::path::Path;

use serde::Serialize;

use crate::access::{AccessSource, Chunk, WRITE};
use crate::error::{Error, Result};
use crate::progress::{OnProgress, Progress, report};
use crate::trace::canonical::{
    CanonicalFoot, CanonicalHead, CanonicalOrigin, CanonicalReader, CanonicalWriter, RawChunk,
};
use crate::trace::formats::{Choice, csv, parquet};
use crate::trace::identity::{ContentHash, SequenceHash};
use crate::trace::joined::Joined;
use crate::trace::normalise::{Extent, Normaliser, as_f64};
use crate::trace::open::Input;
use crate::trace::reader::{FieldUnit, PlacedRequest, Warning};
use crate::trace::resume::{Conversion, Resume};
use crate::trace::streams::Compression;
use crate::trace::{Source, TraceSource, TraceSpec, device_size, open};

/// Records that a preview shows at most.
const MAX_PREVIEW_ROWS: usize = 1000;
/// Records that a report of a whole pass shows.
const REPORT_ROWS: usize = 5;

/// What a whole pass over a trace found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TraceReport {
    /// Format read.
    pub format: String,
    /// Records.
    pub requests: u64,
    /// Page accesses.
    pub accesses: u64,
    /// Different (device, page) pairs.
    pub distinct_pages: u64,
    /// Page accesses that write.
    pub write_accesses: u64,
    /// Page size [bytes].
    pub page_bytes: u64,
    /// Latest minus earliest time [s]; `None` without time.
    pub duration_s: Option<f64>,
    /// SHA-256 of one line `"<page> <R|W>\n"` per access.
    pub sha256_of_sequence: String,
    /// What to know before trusting the numbers.
    pub warnings: Vec<Warning>,
    /// Records that write.
    pub write_requests: u64,
    /// Devices, relations or volumes.
    pub devices: u64,
    /// Time of the first record [ns since the epoch of the source format].
    pub first_time_ns: Option<i64>,
    /// Layers around the content: `none`, `gzip`, `tar > zstd`.
    pub compression: String,
    /// How the format was chosen, with the scores of all formats.
    #[serde(flatten)]
    pub choice: Choice,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
    /// The first records as understood.
    pub records: Vec<PreviewRecord>,
    /// Unit and meaning of each field.
    pub units: Vec<FieldUnit>,
    /// Lengths and addresses of the requests; unknown of canonical traces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    /// Bad records passed over, as far as that was allowed; unknown of canonical traces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped_records: Option<u64>,
    /// Requests that touch more than one page; unknown of canonical traces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split_requests: Option<u64>,
    /// Format of the original: `format`, unless that is canonical.
    pub source_format: String,
    /// Identity of the content; known of canonical traces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_id: Option<String>,
    /// Length of the canonical trace written [bytes].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_bytes: Option<u64>,
    /// Accesses that another process had converted before it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed_at_accesses: Option<u64>,
}

/// One record of a preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreviewRecord {
    /// `line 2` or `record 1 at byte 0`.
    pub place: String,
    /// The record as it stands in the file; hexadecimal if binary.
    pub raw: String,
    /// Time [ns since the epoch of the format]; `None` without time.
    pub time_ns: Option<i64>,
    /// Device, relation or volume; empty if the format has none.
    pub device: String,
    /// `R` or `W`.
    pub op: &'static str,
    /// First byte; `None` for page-native formats.
    pub offset_bytes: Option<u64>,
    /// Length; `None` for page-native formats.
    pub size_bytes: Option<u64>,
    /// First page touched.
    pub first_page: u64,
    /// Pages touched.
    pub page_count: u64,
}

/// What the records of a preview have in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// Records shown.
    pub requests: u64,
    /// Records that write.
    pub write_requests: u64,
    /// Devices, relations or volumes.
    pub devices: u64,
    /// Time of the first record [ns since the epoch of the format].
    pub first_time_ns: Option<i64>,
    /// Latest minus earliest time [s]; `None` without time.
    pub duration_s: Option<f64>,
    /// Lengths and addresses; unknown of canonical traces.
    pub extent: Option<Extent>,
}

/// What the head of a trace shows.
#[derive(Debug, Clone, Serialize)]
pub struct Preview {
    /// Format chosen.
    pub format: &'static str,
    /// How the format was chosen, with the scores of all formats.
    #[serde(flatten)]
    pub choice: Choice,
    /// Column names found (generic CSV).
    pub columns: Vec<String>,
    /// The first records as understood.
    pub records: Vec<PreviewRecord>,
    /// Unit and meaning of each field.
    pub units: Vec<FieldUnit>,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
    /// Page size [bytes].
    pub page_bytes: u64,
    /// Layers around the content: `none`, `gzip`, `tar > zstd`.
    pub compression: String,
    /// What the records shown have in common.
    pub shown: Shown,
    /// Size of the file [bytes].
    pub file_bytes: u64,
    /// What the first records give reason to warn of.
    pub warnings: Vec<Warning>,
}

/// Reads a whole trace and tells what is in it.
pub fn inspect(spec: &TraceSpec, on_progress: OnProgress<'_>) -> Result<TraceReport> {
    let opened = open(spec)?;
    match opened.source {
        Source::Raw(source) => inspect_raw(*source, opened.choice, on_progress),
        Source::Canonical(source) => inspect_canonical(*source, opened.choice, spec, on_progress),
        Source::Joined(source) => read_joined(*source, opened.choice, spec, None, on_progress),
    }
}

/// Writes the canonical form of a trace to `out`; an existing file is replaced only if `force`.
pub fn convert(
    spec: &TraceSpec,
    out: &Path,
    force: bool,
    on_progress: OnProgress<'_>,
) -> Result<TraceReport> {
    convert_resumable(spec, out, force, None, on_progress)
}

/// As [`convert`]; with `resume` a process that is killed leaves beside `out` what the next one
/// goes on with.
pub fn convert_resumable(
    spec: &TraceSpec,
    out: &Path,
    force: bool,
    resume: Option<&Resume>,
    on_progress: OnProgress<'_>,
) -> Result<TraceReport> {
    let to = out.canonicalize().ok();
    let mut sources = std::iter::once(&spec.path).chain(&spec.others);
    if to.is_some() && sources.any(|from| from.canonicalize().ok() == to) {
        return Err(Error::BadParameter {
            name: "out",
            value: out.display().to_string(),
            message: "the trace itself".to_owned(),
            hint: "choose another name for the canonical trace".to_owned(),
        });
    }
    if let Some(resume) = resume {
        let opened = open(spec)?;
        if let Source::Raw(mut source) = opened.source {
            let first = begin(&mut source)?;
            let goes_on =
                Conversion::go_on(&mut source, spec, out, force, resume, &mut *on_progress)?;
            if let Some(conversion) = goes_on {
                let choice = opened.choice;
                return convert_raw(*source, choice, first, spec, conversion, on_progress);
            }
        }
    }
    let opened = open(spec)?;
    match opened.source {
        Source::Raw(mut source) => {
            let first = begin(&mut source)?;
            let conversion = Conversion::new(&mut source, spec, out, force, resume)?;
            convert_raw(*source, opened.choice, first, spec, conversion, on_progress)
        }
        Source::Canonical(source) => {
            let writer = CanonicalWriter::create(out, force)?;
            copy_canonical(*source, opened.choice, spec, writer, on_progress)
        }
        Source::Joined(source) => {
            let writer = CanonicalWriter::create(out, force)?;
            let writer = Some(writer);
            read_joined(*source, opened.choice, spec, writer, on_progress)
        }
    }
}

/// Names the columns of a table, as its first line or its schema states them; none where the file
/// is neither text nor Parquet.
///
/// # Errors
/// If the file cannot be read.
pub fn column_names(path: &Path) -> Result<Vec<String>> {
    let mut input = Input::open(path)?;
    if parquet::is_parquet(&input.head()) {
        return parquet::column_names(&mut input);
    }
    Ok(csv::column_names(&input.head()))
}

/// Reads the head of a trace and shows how it is understood.
pub fn preview(spec: &TraceSpec, rows: usize, on_progress: OnProgress<'_>) -> Result<Preview> {
    let rows = rows.min(MAX_PREVIEW_ROWS);
    let opened = open(spec)?;
    let preview = match opened.source {
        Source::Raw(source) => preview_raw(*source, opened.choice, opened.file_bytes, rows),
        Source::Canonical(source) => {
            preview_canonical(*source, opened.choice, opened.warnings, rows)
        }
        Source::Joined(source) => preview_joined(*source, opened.choice, opened.warnings, rows),
    }?;
    let done = Progress {
        done: preview.file_bytes,
        total: preview.file_bytes,
        accesses: 0,
        requests: None,
    };
    if on_progress(done) {
        Ok(preview)
    } else {
        Err(Error::Cancelled)
    }
}

fn no_access(path: &Path, requests: u64) -> Error {
    if requests == 0 {
        return Error::Unreadable {
            path: path.to_owned(),
            message: "the file holds no record".to_owned(),
            hint: "check that the recording was running and its output was copied completely"
                .to_owned(),
        };
    }
    Error::Unreadable {
        path: path.to_owned(),
        message: format!("no request touches a page: all {requests} have length 0"),
        hint: "check the column and the unit of the size".to_owned(),
    }
}

fn inspect_raw(
    mut source: Normaliser,
    choice: Choice,
    on_progress: OnProgress<'_>,
) -> Result<TraceReport> {
    source.keep_raw();
    let first = first_records(&mut source)?;
    let mut hash = SequenceHash::new();
    let mut chunk = Chunk::default();
    let mut accesses = 0;
    while source.next_chunk(&mut chunk)? {
        hash.update(source.raw().1, &chunk.flags);
        accesses += chunk.len() as u64;
        report(&source, accesses, on_progress)?;
    }
    if accesses == 0 {
        return Err(no_access(source.path(), source.summary().requests));
    }
    Ok(raw_report(&source, choice, first, hash.finish()))
}

/// The first records; the pass that follows reads them too.
fn first_records(source: &mut Normaliser) -> Result<Vec<PreviewRecord>> {
    let placed = source.first_records(REPORT_ROWS)?;
    Ok(understood(source, placed))
}

fn raw_report(
    source: &Normaliser,
    choice: Choice,
    records: Vec<PreviewRecord>,
    sha256_of_sequence: String,
) -> TraceReport {
    let summary = source.summary();
    TraceReport {
        format: summary.format.to_owned(),
        requests: summary.requests,
        accesses: summary.accesses,
        distinct_pages: summary.distinct_pages,
        write_accesses: summary.write_accesses,
        page_bytes: summary.page_bytes,
        duration_s: summary.duration_s,
        sha256_of_sequence,
        warnings: source.warnings(),
        write_requests: summary.write_requests,
        devices: source.space_names().len() as u64,
        first_time_ns: source.first_time_ns(),
        compression: source.compression().name(),
        choice,
        assumptions: source.assumptions(),
        records,
        units: source.understanding().units.clone(),
        extent: source.extent(),
        skipped_records: Some(source.skipped()),
        split_requests: Some(source.split_requests()),
        source_format: summary.format.to_owned(),
        content_id: None,
        out_bytes: None,
        resumed_at_accesses: None,
    }
}

/// Name of the file of a trace, or of the first of several.
fn name_of(spec: &TraceSpec) -> String {
    let name = spec.path.file_name().unwrap_or_default().to_string_lossy();
    match spec.others.len() {
        0 => name.into_owned(),
        others => format!("{name} and {others} more"),
    }
}

/// Makes a source ready for a conversion; its first records.
fn begin(source: &mut Normaliser) -> Result<Vec<PreviewRecord>> {
    source.keep_raw();
    source.keep_requests();
    first_records(source)
}

/// Writes the canonical form of requests that come from no file.
pub(crate) fn convert_source(
    mut source: Normaliser,
    choice: Choice,
    spec: &TraceSpec,
    out: &Path,
    force: bool,
    on_progress: OnProgress<'_>,
) -> Result<TraceReport> {
    let first = begin(&mut source)?;
    let conversion = Conversion::new(&mut source, spec, out, force, None)?;
    convert_raw(source, choice, first, spec, conversion, on_progress)
}

fn convert_raw(
    mut source: Normaliser,
    choice: Choice,
    first: Vec<PreviewRecord>,
    spec: &TraceSpec,
    mut conversion: Conversion,
    on_progress: OnProgress<'_>,
) -> Result<TraceReport> {
    let mut chunk = Chunk::default();
    while source.next_chunk(&mut chunk)? {
        if conversion.accesses == 0 {
            conversion.writer.head(&CanonicalHead {
                page_bytes: source.page_bytes(),
                source_format: source.format().name.to_owned(),
                has_time: source.has_time(),
                first_time_ns: source.first_time_ns(),
            })?;
        }
        let (spaces, pages) = source.raw();
        conversion.sequence.update(pages, &chunk.flags);
        conversion.content.update(
            source.space_names(),
            spaces,
            pages,
            &chunk.flags,
            &chunk.times_ns,
        );
        conversion.writer.chunk(&RawChunk {
            chunk: &chunk,
            spaces,
            pages,
        })?;
        conversion.accesses += chunk.len() as u64;
        conversion.keep(&source)?;
        report(&source, conversion.accesses, on_progress)?;
    }
    if conversion.accesses == 0 {
        return Err(no_access(source.path(), source.summary().requests));
    }
    let Conversion {
        writer,
        sequence,
        content,
        resumed_at,
        ..
    } = conversion;
    let mut result = raw_report(&source, choice, first, sequence.finish());
    result.resumed_at_accesses = resumed_at;
    let content_id = content.finish();
    let foot = CanonicalFoot {
        chunks: writer.chunks(),
        requests: result.requests,
        write_requests: result.write_requests,
        zero_length_requests: source.zero_length_requests(),
        accesses: result.accesses,
        write_accesses: result.write_accesses,
        distinct_pages: source.distinct_pages(),
        duration_ns: source.duration_ns(),
        sha256_of_sequence: result.sha256_of_sequence.clone(),
        content_id: content_id.clone(),
        spaces: source.space_names().to_vec(),
        source: CanonicalOrigin {
            file_name: name_of(spec),
            file_bytes: source.position().1,
            compression: source.compression().name(),
            columns: spec.columns.clone(),
            converter: concat!("tierwright ", env!("CARGO_PKG_VERSION")).to_owned(),
        },
        warnings: result.warnings.clone(),
        assumptions: result.assumptions.clone(),
        request_counts: source.request_counts(),
        part: None,
    };
    result.out_bytes = Some(writer.finish(&foot)?);
    result.content_id = Some(content_id);
    Ok(result)
}

/// Reads everything, compares both hashes with the foot and reports it.
/// Gives the first records.
fn verify_canonical(
    source: &mut CanonicalReader,
    on_progress: OnProgress<'_>,
) -> Result<Vec<PreviewRecord>> {
    source.keep_raw();
    source.with_times();
    let mut sequence = SequenceHash::new();
    let mut content = ContentHash::new(source.head().page_bytes, source.head().has_time);
    let mut chunk = Chunk::default();
    let mut accesses = 0;
    let mut first = Vec::new();
    while source.next_chunk(&mut chunk)? {
        if accesses == 0 {
            first = canonical_records(source, source.raw(), &chunk, REPORT_ROWS);
        }
        let (spaces, pages) = source.raw();
        sequence.update(pages, &chunk.flags);
        content.update(
            &source.foot().spaces,
            spaces,
            pages,
            &chunk.flags,
            &chunk.times_ns,
        );
        accesses += chunk.len() as u64;
        report(source, accesses, on_progress)?;
    }
    source.check_hashes(&sequence.finish(), &content.finish())?;
    Ok(first)
}

fn inspect_canonical(
    mut source: CanonicalReader,
    choice: Choice,
    spec: &TraceSpec,
    on_progress: OnProgress<'_>,
) -> Result<TraceReport> {
    let first = verify_canonical(&mut source, on_progress)?;
    Ok(canonical_report(&source, choice, first, spec))
}

fn canonical_report(
    source: &CanonicalReader,
    choice: Choice,
    records: Vec<PreviewRecord>,
    spec: &TraceSpec,
) -> TraceReport {
    let summary = source.summary();
    let (head, foot) = (source.head(), source.foot());
    let mut warnings = foot.warnings.clone();
    warnings.extend(source.ignored_page_bytes(spec.page_bytes));
    warnings.extend(device_size::of_canonical(source, spec.device_bytes));
    TraceReport {
        format: summary.format.to_owned(),
        requests: summary.requests,
        accesses: summary.accesses,
        distinct_pages: summary.distinct_pages,
        write_accesses: summary.write_accesses,
        page_bytes: summary.page_bytes,
        duration_s: summary.duration_s,
        sha256_of_sequence: foot.sha256_of_sequence.clone(),
        warnings,
        write_requests: summary.write_requests,
        devices: foot.spaces.len() as u64,
        first_time_ns: head.first_time_ns,
        compression: Compression::NONE.name(),
        choice,
        assumptions: foot.assumptions.clone(),
        records,
        units: canonical_units(),
        extent: None,
        skipped_records: None,
        split_requests: None,
        source_format: head.source_format.clone(),
        content_id: Some(foot.content_id.clone()),
        out_bytes: None,
        resumed_at_accesses: None,
    }
}

/// Reads a canonical trace with larger pages, and writes what it is with them if there is a writer.
fn read_joined(
    mut source: Joined,
    choice: Choice,
    spec: &TraceSpec,
    mut writer: Option<CanonicalWriter>,
    on_progress: OnProgress<'_>,
) -> Result<TraceReport> {
    source.keep_raw();
    source.with_times();
    let head = CanonicalHead {
        page_bytes: source.page_bytes(),
        ..source.recorded().head().clone()
    };
    if let Some(writer) = &mut writer {
        writer.head(&head)?;
    }
    let mut sequence = SequenceHash::new();
    let mut content = ContentHash::new(head.page_bytes, head.has_time);
    let mut chunk = Chunk::default();
    let mut first = Vec::new();
    while source.next_chunk(&mut chunk)? {
        let (spaces, pages) = source.raw();
        if first.is_empty() {
            first = canonical_records(source.recorded(), (spaces, pages), &chunk, REPORT_ROWS);
        }
        sequence.update(pages, &chunk.flags);
        content.update(
            &source.recorded().foot().spaces,
            spaces,
            pages,
            &chunk.flags,
            &chunk.times_ns,
        );
        if let Some(writer) = &mut writer {
            writer.chunk(&RawChunk {
                chunk: &chunk,
                spaces,
                pages,
            })?;
        }
        report(&source, source.summary().accesses, on_progress)?;
    }
    let summary = source.summary();
    let recorded = source.recorded();
    let foot = CanonicalFoot {
        chunks: writer.as_ref().map_or(0, CanonicalWriter::chunks),
        accesses: summary.accesses,
        write_accesses: summary.write_accesses,
        distinct_pages: source.distinct_pages(),
        sha256_of_sequence: sequence.finish(),
        content_id: content.finish(),
        warnings: source.warnings(),
        assumptions: source.assumptions(),
        ..recorded.foot().clone()
    };
    let mut result = canonical_report(recorded, choice, first, spec);
    let own = result.warnings.split_off(recorded.foot().warnings.len());
    result.warnings = foot.warnings.iter().cloned().chain(own).collect();
    result.accesses = foot.accesses;
    result.write_accesses = foot.write_accesses;
    result.distinct_pages = summary.distinct_pages;
    result.page_bytes = head.page_bytes;
    result
        .sha256_of_sequence
        .clone_from(&foot.sha256_of_sequence);
    result.content_id = Some(foot.content_id.clone());
    result.assumptions.clone_from(&foot.assumptions);
    if let Some(writer) = writer {
        result.out_bytes = Some(writer.finish(&foot)?);
    }
    Ok(result)
}

/// A canonical trace is its own canonical form: verified, then copied byte by byte.
fn copy_canonical(
    mut source: CanonicalReader,
    choice: Choice,
    spec: &TraceSpec,
    mut writer: CanonicalWriter,
    on_progress: OnProgress<'_>,
) -> Result<TraceReport> {
    let first = verify_canonical(&mut source, on_progress)?;
    let mut result = canonical_report(&source, choice, first, spec);
    source.copy_to(&mut writer)?;
    result.out_bytes = Some(writer.commit()?);
    Ok(result)
}

/// Records as they are understood.
fn understood(source: &Normaliser, placed: Vec<PlacedRequest>) -> Vec<PreviewRecord> {
    let (splits, timed) = (source.splits(), source.has_time());
    let names = source.space_names();
    placed
        .into_iter()
        .map(|record| {
            let request = record.request;
            let (first_page, page_count) = source.pages_of(&request);
            PreviewRecord {
                place: record.place,
                raw: record.raw,
                time_ns: timed.then_some(request.time_ns),
                device: names[request.space as usize].clone(),
                op: if request.write { "W" } else { "R" },
                offset_bytes: splits.then_some(request.offset),
                size_bytes: splits.then_some(request.size),
                first_page,
                page_count,
            }
        })
        .collect()
}

fn preview_raw(
    mut source: Normaliser,
    choice: Choice,
    file_bytes: u64,
    rows: usize,
) -> Result<Preview> {
    let placed = source.preview(rows)?;
    let understanding = source.understanding();
    let records = understood(&source, placed);
    Ok(Preview {
        format: source.format().name,
        choice,
        columns: understanding.columns.clone(),
        records,
        units: understanding.units.clone(),
        assumptions: source.assumptions(),
        page_bytes: source.page_bytes(),
        compression: source.compression().name(),
        shown: Shown {
            requests: source.summary().requests,
            write_requests: source.summary().write_requests,
            devices: source.space_names().len() as u64,
            first_time_ns: source.first_time_ns(),
            duration_s: source.summary().duration_s,
            extent: source.extent(),
        },
        file_bytes,
        warnings: source.warnings(),
    })
}

/// The first accesses of a chunk that has raw columns and times.
fn canonical_records(
    source: &CanonicalReader,
    (spaces, pages): (&[u32], &[u64]),
    chunk: &Chunk,
    rows: usize,
) -> Vec<PreviewRecord> {
    let (head, foot) = (source.head(), source.foot());
    let start_ns = head.first_time_ns.unwrap_or(0);
    (0..chunk.len().min(rows))
        .map(|index| PreviewRecord {
            place: format!("access {}", index + 1),
            raw: String::new(),
            time_ns: chunk
                .times_ns
                .get(index)
                .map(|time| time.saturating_add(start_ns)),
            device: foot.spaces[spaces[index] as usize].clone(),
            op: if chunk.flags[index] & WRITE == 0 {
                "R"
            } else {
                "W"
            },
            offset_bytes: None,
            size_bytes: None,
            first_page: pages[index],
            page_count: 1,
        })
        .collect()
}

fn canonical_units() -> Vec<FieldUnit> {
    vec![
        FieldUnit::new("page", "pages", "page number of the original trace"),
        FieldUnit::new("time", "ns", "time in the epoch of the original trace"),
    ]
}

fn preview_canonical(
    mut source: CanonicalReader,
    choice: Choice,
    mut warnings: Vec<Warning>,
    rows: usize,
) -> Result<Preview> {
    source.keep_raw();
    source.with_times();
    let mut chunk = Chunk::default();
    source.next_chunk(&mut chunk)?;
    warnings.extend(source.foot().warnings.iter().cloned());
    let records = canonical_records(&source, source.raw(), &chunk, rows);
    let page_bytes = source.head().page_bytes;
    let assumptions = source.foot().assumptions.clone();
    Ok(canonical_preview(
        &source,
        choice,
        warnings,
        records,
        &chunk,
        page_bytes,
        assumptions,
    ))
}

fn preview_joined(
    mut source: Joined,
    choice: Choice,
    mut warnings: Vec<Warning>,
    rows: usize,
) -> Result<Preview> {
    source.keep_raw();
    source.with_times();
    let mut chunk = Chunk::default();
    source.next_chunk(&mut chunk)?;
    warnings.extend(source.warnings());
    let recorded = source.recorded();
    let records = canonical_records(recorded, source.raw(), &chunk, rows);
    let assumptions = source.assumptions();
    let page_bytes = source.page_bytes();
    Ok(canonical_preview(
        recorded,
        choice,
        warnings,
        records,
        &chunk,
        page_bytes,
        assumptions,
    ))
}

fn canonical_preview(
    source: &CanonicalReader,
    choice: Choice,
    warnings: Vec<Warning>,
    records: Vec<PreviewRecord>,
    chunk: &Chunk,
    page_bytes: u64,
    assumptions: Vec<String>,
) -> Preview {
    let (head, foot) = (source.head(), source.foot());
    let times = &chunk.times_ns[..chunk.times_ns.len().min(records.len())];
    let shown = Shown {
        requests: records.len() as u64,
        write_requests: records.iter().filter(|record| record.op == "W").count() as u64,
        devices: foot.spaces.len() as u64,
        first_time_ns: head.first_time_ns,
        duration_s: times
            .iter()
            .max()
            .zip(times.iter().min())
            .map(|(last, first)| as_f64(last.abs_diff(*first)) / 1e9),
        extent: None,
    };
    Preview {
        format: source.summary().format,
        choice,
        columns: Vec::new(),
        records,
        units: canonical_units(),
        assumptions,
        page_bytes,
        compression: Compression::NONE.name(),
        shown,
        file_bytes: source.file_bytes(),
        warnings,
    }
}
