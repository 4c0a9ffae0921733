//! Curves of the parts of a trace and of the joined parts, as Python functions.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::access::{AccessSource, Chunk};
use tierwright_simulator::curve::{
    JoinedParts, Part, PartOrigin, WithSummaries, part_curves as core_part_curves,
    part_ranges as core_part_ranges,
};
use tierwright_simulator::error::{Error, Result};
use tierwright_simulator::profile::PartTimes;
use tierwright_simulator::progress::{Progress, report};
use tierwright_simulator::trace::open_source;

use crate::arguments::{PyProgress, to_dict, trace_spec};
use crate::errors::to_python;
use crate::replay::CarriedRow;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(count_part, module)?)?;
    module.add_function(wrap_pyfunction!(part_curves, module)?)?;
    module.add_function(wrap_pyfunction!(part_ranges, module)?)?;
    module.add_function(wrap_pyfunction!(join_parts, module)?)?;
    module.add_function(wrap_pyfunction!(join_into_part, module)?)?;
    module.add_function(wrap_pyfunction!(check_part, module)?)
}

/// What a part takes of its trace, as a dict.
#[derive(IntoPyObject)]
struct Extent {
    accesses: u64,
    /// Time of the first request, since the epoch of the format [ns].
    first_time_ns: Option<i64>,
    /// Latest time of an access, since the first request [ns].
    latest_ns: Option<i64>,
}

/// Reads a part once and counts what its neighbours must know before their summaries are made.
#[pyfunction]
#[pyo3(signature = (path, *, on_progress=None, **reading))]
fn count_part<'py>(
    py: Python<'py>,
    path: PathBuf,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let spec = trace_spec(path, reading)?;
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| {
        let mut trace = open_source(&spec)?;
        if let (Some(accesses), None) = (trace.accesses_hint(), trace.first_time_ns()) {
            return Ok(Extent {
                accesses,
                first_time_ns: None,
                latest_ns: None,
            });
        }
        trace.with_times();
        let (mut chunk, mut accesses, mut latest_ns) = (Chunk::default(), 0, None);
        while trace.next_chunk(&mut chunk)? {
            accesses += chunk.len() as u64;
            latest_ns = latest_ns.max(chunk.times_ns.iter().copied().max());
            report(&trace, accesses, &mut |step| progress.call(step))?;
        }
        Ok(Extent {
            accesses,
            first_time_ns: trace.first_time_ns(),
            latest_ns,
        })
    });
    progress.finish(result)?.into_pyobject(py)
}

#[pyfunction]
#[pyo3(signature = (path, out, *, first_access, trace_accesses, summaries=false, times=None, on_progress=None, **reading))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
#[expect(clippy::too_many_arguments, reason = "named in Python")]
fn part_curves(
    py: Python<'_>,
    path: PathBuf,
    out: PathBuf,
    first_access: u64,
    trace_accesses: u64,
    summaries: bool,
    times: Option<(i64, u64, u64)>,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let spec = trace_spec(path, reading)?;
    let origin = PartOrigin {
        first_access,
        trace_accesses,
    };
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| {
        let mut trace = open_source(&spec)?;
        trace.with_times();
        let wanted = summaries.then(|| {
            trace.with_part_requests();
            WithSummaries(times.map(|(offset_ns, before_ns, end_ns)| PartTimes {
                offset_ns,
                before_ns,
                end_ns,
            }))
        });
        // Known before the first access: a raw trace has its own or the one that was asked for.
        let page_bytes = trace.summary().page_bytes;
        let part = core_part_curves(&mut trace, origin, page_bytes, wanted, &mut |step| {
            progress.call(step)
        })?;
        let notes = serde_json::to_string(&trace.notes()).map_err(|error| Error::Internal {
            message: format!("the notes of the reader cannot be written: {error}"),
        })?;
        part.begun_at(trace.first_time_ns()).write(&out, &notes)
    });
    progress.finish(result)
}

/// Counts a part once for each range of its pages; one file a range.
#[pyfunction]
#[pyo3(signature = (path, outs, *, ranges, first_access, trace_accesses, on_progress=None, **reading))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
#[expect(clippy::too_many_arguments, reason = "named in Python")]
fn part_ranges(
    py: Python<'_>,
    path: PathBuf,
    outs: Vec<PathBuf>,
    ranges: u32,
    first_access: u64,
    trace_accesses: u64,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let spec = trace_spec(path, reading)?;
    let origin = PartOrigin {
        first_access,
        trace_accesses,
    };
    let followed = u32::try_from(outs.len()).unwrap_or(u32::MAX);
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| {
        let mut trace = open_source(&spec)?;
        trace.with_times();
        let page_bytes = trace.summary().page_bytes;
        let parts = core_part_ranges(
            &mut trace,
            origin,
            page_bytes,
            [followed, ranges],
            &mut |step| progress.call(step),
        )?;
        let mut notes = serde_json::to_value(trace.notes()).map_err(|error| Error::Internal {
            message: format!("the notes of the reader cannot be written: {error}"),
        })?;
        // Of all pages, of which the ranges that are followed may be few.
        notes["write_accesses"] = trace.summary().write_accesses.into();
        let notes = notes.to_string();
        let first_time_ns = trace.first_time_ns();
        for (part, out) in parts.into_iter().zip(&outs) {
            part.begun_at(first_time_ns).write(out, &notes)?;
        }
        Ok(())
    });
    progress.finish(result)
}

/// Joins parts one after another, reading each when its turn comes; the notes of all.
fn joined(paths: &[PathBuf], progress: &mut PyProgress) -> Result<(JoinedParts, Vec<String>)> {
    let mut joined: Option<JoinedParts> = None;
    let mut notes = Vec::with_capacity(paths.len());
    let mut accesses = 0;
    for (done, path) in paths.iter().enumerate() {
        let step = Progress {
            done: done as u64,
            total: paths.len() as u64,
            accesses,
            requests: None,
        };
        if !progress.call(step) {
            return Err(Error::Cancelled);
        }
        let (part, note) = Part::read(path)?;
        accesses += part.accesses();
        notes.push(note);
        if let Some(joined) = &mut joined {
            joined.add(&part)?;
        } else {
            joined = Some(JoinedParts::new(part));
        }
    }
    let joined = joined.ok_or_else(|| Error::BadParameter {
        name: "parts",
        value: "none".to_owned(),
        message: "there is no part to join".to_owned(),
        hint: "name the parts of a trace in their order".to_owned(),
    })?;
    Ok((joined, notes))
}

/// Curves of joined parts as a dict.
#[derive(IntoPyObject)]
struct JoinedRow<'py> {
    accesses: u64,
    distinct_pages: u64,
    write_accesses: u64,
    page_bytes: u64,
    duration_ns: Option<u64>,
    misses: Bound<'py, PyArray1<u64>>,
    write_backs: Bound<'py, PyArray1<u64>>,
    windows: CarriedRow<'py>,
    notes: Vec<String>,
    /// None unless all parts have them.
    summaries: Option<Bound<'py, PyDict>>,
    relations: Option<Bound<'py, PyDict>>,
}

#[pyfunction]
#[pyo3(signature = (paths, *, on_progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn join_parts(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyDict>> {
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| {
        let (joined, notes) = joined(&paths, &mut progress)?;
        let (page_bytes, duration_ns) = (joined.page_bytes(), joined.duration_ns());
        Ok((joined.into_all()?, page_bytes, duration_ns, notes))
    });
    let ((curves, summaries), page_bytes, duration_ns, notes) = progress.finish(result)?;
    let (summaries, relations) = match &summaries {
        Some((summaries, relations)) => {
            (Some(to_dict(py, summaries)?), Some(to_dict(py, relations)?))
        }
        None => (None, None),
    };
    JoinedRow {
        accesses: curves.accesses,
        distinct_pages: curves.distinct_pages,
        write_accesses: curves.write_accesses,
        page_bytes,
        duration_ns,
        misses: curves.misses.into_pyarray(py),
        write_backs: curves.write_backs.into_pyarray(py),
        windows: CarriedRow::new(py, curves.windows)?,
        notes,
        summaries,
        relations,
    }
    .into_pyobject(py)
}

#[pyfunction]
#[pyo3(signature = (paths, out, *, on_progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn join_into_part(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    out: PathBuf,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| {
        let (joined, notes) = joined(&paths, &mut progress)?;
        // Each is a document, or several of those in lines.
        joined.into_part().write(&out, &notes.join("\n"))
    });
    progress.finish(result)
}

#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn check_part(py: Python<'_>, path: PathBuf) -> PyResult<u64> {
    py.detach(|| Part::read(&path))
        .map(|(part, _)| part.accesses())
        .map_err(|error| to_python(&error))
}
