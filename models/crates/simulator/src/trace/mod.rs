//! Traces: formats, detection, normalisation to dense page numbers, the canonical file.
//!
//! ```text
//! open (streams, archive) -> formats (detect, parse) -> reader (requests) -> normalise (accesses)
//!                                                         canonical (accesses already) ->
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use crate::access::{AccessSource, Chunk, WarmUp, WarmUpAsked};
use crate::error::Result;
use crate::profile::relations::Relations;
use crate::profile::requests::{RequestCounts, Requests};
use crate::profile::{self, Summaries, Wanted};
use crate::progress::OnProgress;
use crate::replay::{self, CategoryCounts};

mod archive;
mod bytes;
pub(crate) mod canonical;
mod described;
mod device_size;
mod fields;
pub mod formats;
mod identity;
mod joined;
mod keys;
mod members;
mod merged;
mod normalise;
mod notes;
mod numbers;
mod open;
mod reader;
mod repeats;
mod report;
mod resume;
mod streams;
mod text;

use canonical::CanonicalReader;
use formats::{Choice, Open};
use joined::Joined;
use members::Members;
use merged::Merged;
use normalise::Normaliser;
pub(crate) use open::Input;
use open::Opening;
pub(crate) use text::excerpt;

pub use canonical::numbered;
pub use described::{Described, DescribedPart, Draw, generate};
pub use formats::parquet::TableRows;
pub use normalise::Extent;
pub use notes::ReaderNotes;
use reader::RequestReader;
pub use reader::{FieldUnit, Warning};
pub use report::{
    Preview, PreviewRecord, Shown, TraceReport, column_names, convert, convert_resumable, inspect,
    preview,
};
pub use resume::Resume;
pub use streams::{Compression, Limits};

/// Which trace to read and how: the *trace argument group* of every function that takes a trace.
#[derive(Debug, Clone)]
pub struct TraceSpec {
    /// The file: any supported format, plain, gzip or zstd, or canonical.
    pub path: PathBuf,
    /// Name of a format of [`formats::FORMATS`]; `None` detects it.
    pub format: Option<String>,
    /// Page size of byte-addressed formats [bytes]; page- and key-native ones keep their own.
    pub page_bytes: u64,
    /// Page size into which neighbouring pages of a trace are joined [bytes]; `None` leaves its own.
    pub joined_page_bytes: Option<u64>,
    /// Column mapping of the generic CSV reader.
    pub columns: BTreeMap<String, String>,
    /// Bad records passed over and counted; one more is an error.
    pub skip_bad_records: u64,
    /// Limits of decompression.
    pub limits: Limits,
    /// Whether the devices of each member of an archive or file of a folder are its own; otherwise
    /// equal names, and none, are one device.
    pub members_apart: bool,
    /// Whether the members of an archive, or the files of a folder, are merged by time; otherwise
    /// they are read one after another.
    pub members_merged: bool,
    /// Files that follow `path`: all are one trace, as the files of a folder are.
    pub others: Vec<PathBuf>,
    /// Size of each device that was recorded, as the user states it [bytes].
    pub device_bytes: Option<u64>,
}

impl TraceSpec {
    /// The file with detection and pages of 4096 bytes.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            format: None,
            page_bytes: normalise::DEFAULT_PAGE_BYTES,
            joined_page_bytes: None,
            columns: BTreeMap::new(),
            skip_bad_records: 0,
            limits: Limits::default(),
            members_apart: false,
            members_merged: false,
            others: Vec::new(),
            device_bytes: None,
        }
    }
}

/// What is known about a trace; complete once its source has been read to the end.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceSummary {
    /// Name of the format read.
    pub format: &'static str,
    /// Records of the trace.
    pub requests: u64,
    /// Records that write.
    pub write_requests: u64,
    /// Page accesses.
    pub accesses: u64,
    /// Page accesses that write.
    pub write_accesses: u64,
    /// Different (device, page) pairs.
    pub distinct_pages: u64,
    /// Page size [bytes].
    pub page_bytes: u64,
    /// Latest minus earliest time stamp [s]; `None` if the trace has no time.
    pub duration_s: Option<f64>,
}

/// A source that knows its trace.
pub(crate) trait TraceSource: AccessSource {
    fn summary(&self) -> TraceSummary;
}

pub(crate) enum Source {
    Raw(Box<Normaliser>),
    Canonical(Box<CanonicalReader>),
    Joined(Box<Joined>),
}

/// An opened trace: a source of accesses that can say what it has read.
pub struct OpenTrace {
    pub(crate) file_name: String,
    pub(crate) source: Source,
    pub(crate) choice: Choice,
    pub(crate) file_bytes: u64,
    pub(crate) warnings: Vec<Warning>,
    /// Takes the notes at the end of the pass, for whoever gave the trace away to be read.
    pub(crate) told_at_end: Option<Arc<OnceLock<ReaderNotes>>>,
    pub(crate) warm_up: WarmUp,
}

impl OpenTrace {
    /// Puts [`Self::notes`] there when the trace has been read to its end.
    pub fn tell_at_end(&mut self, notes: &Arc<OnceLock<ReaderNotes>>) {
        self.told_at_end = Some(Arc::clone(notes));
    }

    /// What was read so far; of the whole trace once `next_chunk` has returned `false`.
    pub fn summary(&self) -> TraceSummary {
        match &self.source {
            Source::Raw(source) => source.summary(),
            Source::Canonical(source) => source.summary(),
            Source::Joined(source) => source.summary(),
        }
    }

    /// Time of the first request [ns since the epoch of the source format], to which [`Chunk::times_ns`] are
    /// relative; of a raw trace known once it was read. `None` if the trace has no time.
    pub fn first_time_ns(&self) -> Option<i64> {
        match &self.source {
            Source::Raw(source) => source.first_time_ns(),
            Source::Canonical(source) => source.head().first_time_ns,
            Source::Joined(source) => source.recorded().head().first_time_ns,
        }
    }

    /// Fills [`Chunk::times_ns`] also where that costs extra work (canonical traces).
    pub fn with_times(&mut self) {
        match &mut self.source {
            Source::Raw(_) => {}
            Source::Canonical(source) => source.with_times(),
            Source::Joined(source) => source.with_times(),
        }
    }

    /// Counts the requests for [`AccessSource::part_requests`], where the trace knows them before they are split.
    pub fn with_part_requests(&mut self) {
        if let Source::Raw(source) = &mut self.source {
            source.keep_part_requests();
        }
    }

    /// Lets the head of the trace only warm up the caches of a replay; see [`Chunk::warm_up`].
    ///
    /// # Errors
    /// [`crate::Error::BadParameter`] where a canonical trace has no more accesses than that. Of another one it is
    /// known at its end, which then is this error.
    pub fn with_warm_up(&mut self, asked: WarmUpAsked) -> Result<()> {
        self.warm_up = WarmUp::new(asked);
        match &self.source {
            Source::Raw(_) | Source::Joined(_) => Ok(()),
            Source::Canonical(source) => self.warm_up.check(source.summary().accesses),
        }
    }

    /// Accesses of the whole trace, where they are known without reading it: of canonical ones whose
    /// pages are not joined.
    pub fn accesses_hint(&self) -> Option<u64> {
        match &self.source {
            Source::Raw(_) | Source::Joined(_) => None,
            Source::Canonical(source) => Some(source.summary().accesses),
        }
    }

    fn source(&self) -> &dyn AccessSource {
        match &self.source {
            Source::Raw(source) => source.as_ref(),
            Source::Canonical(source) => source.as_ref(),
            Source::Joined(source) => source.as_ref(),
        }
    }
}

impl AccessSource for OpenTrace {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let more = match &mut self.source {
            Source::Raw(source) => source.next_chunk(chunk),
            Source::Canonical(source) => source.next_chunk(chunk),
            Source::Joined(source) => source.next_chunk(chunk),
        }?;
        self.warm_up.mark(chunk);
        if !more {
            self.warm_up.check_end()?;
            if let Some(notes) = &self.told_at_end {
                notes.get_or_init(|| self.notes());
            }
        }
        Ok(more)
    }

    fn distinct_pages_known(&self) -> Option<u32> {
        self.source().distinct_pages_known()
    }

    fn distinct_pages_hint(&self) -> Option<u32> {
        self.source().distinct_pages_hint()
    }

    fn file_name(&self) -> Option<&str> {
        Some(&self.file_name)
    }

    fn page_bytes(&self) -> Option<u64> {
        Some(self.summary().page_bytes)
    }

    fn tells_writes(&self) -> bool {
        self.source().tells_writes()
    }

    fn keep_addresses(&mut self) {
        match &mut self.source {
            Source::Raw(source) => source.keep_raw(),
            Source::Canonical(source) => source.keep_raw(),
            Source::Joined(source) => source.keep_raw(),
        }
    }

    fn addresses(&self) -> (&[u32], &[u64]) {
        match &self.source {
            Source::Raw(source) => source.raw(),
            Source::Canonical(source) => source.raw(),
            Source::Joined(source) => source.raw(),
        }
    }

    fn request_counts(&self) -> Option<RequestCounts> {
        self.source().request_counts()
    }

    fn part_requests(&self) -> Option<Requests> {
        self.source().part_requests()
    }

    fn requests_read(&self) -> Option<u64> {
        self.source().requests_read()
    }

    fn space_names(&self) -> &[String] {
        match &self.source {
            Source::Raw(source) => source.space_names(),
            Source::Canonical(source) => &source.foot().spaces,
            Source::Joined(source) => &source.recorded().foot().spaces,
        }
    }

    fn position(&self) -> (u64, u64) {
        self.source().position()
    }

    fn warms_up_until_full(&self) -> bool {
        self.warm_up.is_until_full()
    }
}

/// Opens a trace for one pass over its accesses.
///
/// # Errors
///
/// The file cannot be read, fits no format or not the named one, or a parameter is wrong.
/// Records are checked as they are read.
pub fn open_source(spec: &TraceSpec) -> Result<OpenTrace> {
    open(spec)
}

/// Sums a trace up in one pass; see [`profile`].
///
/// # Errors
///
/// As [`open_source`]; a trace without accesses; [`crate::Error::Cancelled`].
pub fn summaries(
    spec: &TraceSpec,
    on_progress: OnProgress<'_>,
) -> Result<(Summaries, TraceSummary, ReaderNotes)> {
    let mut trace = open(spec)?;
    trace.with_times();
    let wanted = match &mut trace.source {
        Source::Raw(source) => {
            source.keep_requests();
            Wanted {
                requests_of_accesses: false,
                // Whether there are several is known at the end.
                by_device: true,
            }
        }
        Source::Canonical(source) => wanted_of(source),
        Source::Joined(source) => wanted_of(source.recorded()),
    };
    // Addresses cost a canonical trace two look-ups an access.
    if wanted.requests_of_accesses || wanted.by_device {
        trace.keep_addresses();
    }
    let made = profile::summaries(&mut trace, wanted, on_progress)?;
    if made.accesses == 0 {
        return Err(profile::no_accesses(&spec.path));
    }
    let read = trace.summary();
    if (made.accesses, made.write_accesses, made.distinct_pages)
        != (read.accesses, read.write_accesses, read.distinct_pages)
    {
        return Err(crate::replay::disagreement(
            "summaries",
            "the reader counts otherwise",
        ));
    }
    Ok((made, read, trace.notes()))
}

fn wanted_of(source: &CanonicalReader) -> Wanted {
    Wanted {
        requests_of_accesses: source.foot().request_counts.is_none(),
        by_device: source.foot().spaces.len() > 1,
    }
}

/// Counts reuse times and stays by relation, see [`profile::relations`].
///
/// # Errors
/// As [`open_source`]; a trace without accesses; [`crate::Error::Cancelled`].
pub fn relations(
    spec: &TraceSpec,
    on_progress: OnProgress<'_>,
) -> Result<(Relations, TraceSummary, ReaderNotes)> {
    let mut trace = open(spec)?;
    // One relation needs no addresses, which cost a canonical trace two look-ups an access.
    if !matches!(&trace.source, Source::Canonical(source) if source.foot().spaces.len() <= 1) {
        trace.keep_addresses();
    }
    let made = profile::relations::relations(&mut trace, on_progress)?;
    if made.relations.is_empty() {
        return Err(profile::no_accesses(&spec.path));
    }
    Ok((made, trace.summary(), trace.notes()))
}

/// Counts the requests below a DRAM by category, see [`crate::replay::category_counts`].
///
/// # Errors
/// As [`open_source`]; a trace without accesses; as there.
pub fn category_counts(
    spec: &TraceSpec,
    categories: &str,
    ram_pages: u64,
    on_progress: OnProgress<'_>,
) -> Result<(CategoryCounts, TraceSummary, ReaderNotes)> {
    let mut trace = open(spec)?;
    trace.with_times();
    let made = replay::category_counts(&mut trace, categories, ram_pages, on_progress)?;
    if made.accesses == 0 {
        return Err(profile::no_accesses(&spec.path));
    }
    Ok((made, trace.summary(), trace.notes()))
}

fn open(spec: &TraceSpec) -> Result<OpenTrace> {
    normalise::check_page_bytes(spec.page_bytes)?;
    joined::check(spec.joined_page_bytes)?;
    device_size::check(spec.device_bytes)?;
    if let Some(name) = &spec.format {
        formats::by_name(name)?;
    }
    let input = Input::open_with(
        &spec.path,
        Opening {
            limits: spec.limits,
            bad_left: Arc::new(AtomicU64::new(spec.skip_bad_records)),
            named: spec.format.is_some() || !spec.columns.is_empty(),
            others: spec.others.clone().into(),
        },
    )?;
    let (format, choice) =
        formats::choose(&input, spec).map_err(|error| members::of_first(&input, error))?;
    let file_bytes = input.file_bytes();
    let mut warnings = Vec::new();
    let source = match format.open {
        Open::Requests(open) => {
            let packed = input.packed().cloned();
            members::check(spec, packed.is_some())?;
            let reader: Box<dyn RequestReader> = match packed {
                None => open(input, spec)?,
                Some((packed, _)) if spec.members_merged => {
                    drop(input);
                    Box::new(Merged::open(packed, format, open, spec)?)
                }
                Some((packed, member)) => {
                    let first = open(input, spec)?;
                    Box::new(Members::new(first, packed, member, format, spec))
                }
            };
            Source::Raw(Box::new(Normaliser::new(reader, format, spec)?))
        }
        Open::MergedRequests(open) => {
            members::check(spec, false)?;
            let reader = open(input, spec)?;
            Source::Raw(Box::new(Normaliser::new(reader, format, spec)?))
        }
        Open::Canonical => {
            members::check(spec, false)?;
            let reader = CanonicalReader::open(&spec.path)?;
            warnings.extend(reader.ignored_page_bytes(spec.page_bytes));
            warnings.extend(device_size::of_canonical(&reader, spec.device_bytes));
            match joined::shift_of(spec, reader.head().page_bytes, &reader.foot().assumptions)? {
                0 => Source::Canonical(Box::new(reader)),
                shift => Source::Joined(Box::new(Joined::new(reader, shift))),
            }
        }
    };
    let file_name = spec.path.file_name().unwrap_or(spec.path.as_os_str());
    Ok(OpenTrace {
        file_name: file_name.to_string_lossy().into_owned(),
        source,
        choice,
        file_bytes,
        warnings,
        told_at_end: None,
        warm_up: WarmUp::default(),
    })
}
