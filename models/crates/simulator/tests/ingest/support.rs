//! Small traces on disk and what the core makes of them.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use tierwright_simulator::Error;
use tierwright_simulator::access::{AccessSource, Chunk, FIRST_OF_REQUEST, WRITE};
use tierwright_simulator::trace::{self, TraceReport, TraceSpec};

/// A folder that is removed with its traces.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

pub(crate) fn spec(path: &Path) -> TraceSpec {
    TraceSpec::new(path)
}

pub(crate) fn spec_as(path: &Path, format: &str) -> TraceSpec {
    TraceSpec {
        format: Some(format.to_owned()),
        ..TraceSpec::new(path)
    }
}

/// The generic CSV reader with a mapping written as `key=value key=value`.
pub(crate) fn spec_mapped(path: &Path, mapping: &str) -> TraceSpec {
    let columns: BTreeMap<String, String> = mapping
        .split_whitespace()
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap();
            (key.to_owned(), value.to_owned())
        })
        .collect();
    TraceSpec {
        columns,
        ..TraceSpec::new(path)
    }
}

pub(crate) fn inspect(spec: &TraceSpec) -> Result<TraceReport, Error> {
    trace::inspect(spec, &mut |_| true)
}

pub(crate) fn convert(spec: &TraceSpec, out: &Path) -> Result<TraceReport, Error> {
    trace::convert(spec, out, false, &mut |_| true)
}

pub(crate) fn preview(spec: &TraceSpec) -> Result<trace::Preview, Error> {
    trace::preview(spec, 20, &mut |_| true)
}

/// One access: dense page, write, first of its request, time.
pub(crate) type Access = (u32, bool, bool, Option<i64>);

/// All accesses of a trace, with times.
pub(crate) fn accesses(spec: &TraceSpec) -> Result<Vec<Access>, Error> {
    let mut source = trace::open_source(spec)?;
    source.with_times();
    let mut chunk = Chunk::default();
    let mut all = Vec::new();
    while source.next_chunk(&mut chunk)? {
        assert_eq!(chunk.pages.len(), chunk.flags.len());
        assert!(chunk.times_ns.is_empty() || chunk.times_ns.len() == chunk.pages.len());
        for index in 0..chunk.len() {
            all.push((
                chunk.pages[index],
                chunk.flags[index] & WRITE != 0,
                chunk.flags[index] & FIRST_OF_REQUEST != 0,
                chunk.times_ns.get(index).copied(),
            ));
        }
    }
    assert!(!source.next_chunk(&mut chunk)?, "a source stays at its end");
    assert_eq!(source.summary().accesses, all.len() as u64);
    Ok(all)
}

pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(content: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A vscsi record of version 1.
pub(crate) fn vscsi(len_bytes: u32, command: u16, lbn: u64, time_us: u64) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend_from_slice(&1_u32.to_le_bytes());
    record.extend_from_slice(&len_bytes.to_le_bytes());
    record.extend_from_slice(&1_u32.to_le_bytes());
    record.extend_from_slice(&command.to_le_bytes());
    record.extend_from_slice(&0x0100_u16.to_le_bytes());
    record.extend_from_slice(&lbn.to_le_bytes());
    record.extend_from_slice(&time_us.to_le_bytes());
    record
}

/// An oracleGeneral record.
pub(crate) fn oracle(time_s: u32, id: u64, size_bytes: u32, next: i64) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend_from_slice(&time_s.to_le_bytes());
    record.extend_from_slice(&id.to_le_bytes());
    record.extend_from_slice(&size_bytes.to_le_bytes());
    record.extend_from_slice(&next.to_le_bytes());
    record
}

pub(crate) const MSR: &str = "128166372009385130,tpcc,4,Write,135536145408,8192,0\n\
                       128166372009388280,tpcc,3,Write,101156131840,8192,0\n\
                       128166372009389440,tpcc,13,Read,47734267904,16384,0\n";

pub(crate) const POSTGRES: &str =
    "time_us,op,rel,block\n0,R,0/2676,0\n13,W,0/2676,1\n31,R,0/1260,0\n";

pub(crate) fn message(error: &Error) -> String {
    error.to_string()
}

/// The error of a result that must not be good.
#[track_caller]
pub(crate) fn refused<T>(result: Result<T, Error>) -> Error {
    match result {
        Ok(_) => panic!("was accepted"),
        Err(error) => error,
    }
}

/// Asserts that a result is refused with a message holding `part`, and that a hint follows.
#[track_caller]
pub(crate) fn assert_refused<T>(result: Result<T, Error>, part: &str) {
    let error = refused(result);
    let text = message(&error);
    assert!(text.contains(part), "`{text}` lacks `{part}`");
    assert!(!error.hint().is_empty(), "`{text}` has no hint");
}

pub(crate) fn warning_names(report: &TraceReport) -> Vec<&str> {
    report
        .warnings
        .iter()
        .map(|warning| warning.name.as_str())
        .collect()
}
