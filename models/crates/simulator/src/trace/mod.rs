//! Traces: formats, detection, normalisation to dense page numbers, the canonical file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::access::{AccessSource, Chunk};
use crate::error::{Error, Result};

pub mod formats;

/// Which trace to read and how: the *trace argument group* of every function that takes a trace.
#[derive(Debug, Clone)]
pub struct TraceSpec {
    /// The file: any supported format, plain, gzip or zstd, or canonical.
    pub path: PathBuf,
    /// Name of a format of [`formats::FORMATS`]; `None` detects it.
    pub format: Option<String>,
    /// Page size of byte-addressed formats [bytes]; page- and key-native ones keep their own.
    pub page_bytes: u64,
    /// Column mapping of the generic CSV reader.
    pub columns: BTreeMap<String, String>,
}

impl TraceSpec {
    /// The file with detection and pages of 4096 bytes.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            format: None,
            page_bytes: 4096,
            columns: BTreeMap::new(),
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

/// An opened trace: a source of accesses that can say what it has read.
pub struct OpenTrace {
    source: Box<dyn TraceSource>,
}

/// A source that knows its trace.
pub(crate) trait TraceSource: AccessSource + Send {
    fn summary(&self) -> TraceSummary;
}

impl OpenTrace {
    /// What was read so far; of the whole trace once `next_chunk` has returned `false`.
    pub fn summary(&self) -> TraceSummary {
        self.source.summary()
    }
}

impl AccessSource for OpenTrace {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        self.source.next_chunk(chunk)
    }

    fn distinct_pages_hint(&self) -> Option<u32> {
        self.source.distinct_pages_hint()
    }

    fn position(&self) -> (u64, u64) {
        self.source.position()
    }
}

/// Opens a trace for one pass over its accesses.
pub fn open_source(spec: &TraceSpec) -> Result<OpenTrace> {
    Err(Error::Unreadable {
        path: spec.path.clone(),
        message: "no reader is registered yet".to_owned(),
        hint: String::new(),
    })
}
