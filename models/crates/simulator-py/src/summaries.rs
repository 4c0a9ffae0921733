//! What a trace is like beyond its curves, as a Python function.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use tierwright_simulator::Result;
use tierwright_simulator::progress::OnProgress;
use tierwright_simulator::trace::{self, ReaderNotes, TraceSpec, TraceSummary};

use crate::arguments::{PyProgress, to_dict, trace_spec};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(relation_reuse, module)?)?;
    module.add_function(wrap_pyfunction!(summaries, module)?)
}

/// What a pass over a trace makes, with what its reader found.
type Pass<Made> = fn(&TraceSpec, OnProgress<'_>) -> Result<(Made, TraceSummary, ReaderNotes)>;

/// Reads a trace once, and says what was made of it beside page size, duration and notes.
fn read_once<'py, Made: Serialize + Send>(
    py: Python<'py>,
    path: PathBuf,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
    pass: Pass<Made>,
) -> PyResult<Bound<'py, PyDict>> {
    let spec = trace_spec(path, reading)?;
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| pass(&spec, &mut |step| progress.call(step)));
    let (made, trace, notes) = progress.finish(result)?;
    let dict = to_dict(py, &made)?;
    dict.set_item("page_bytes", trace.page_bytes)?;
    dict.set_item("duration_s", trace.duration_s)?;
    dict.set_item("trace", to_dict(py, &notes)?)?;
    Ok(dict)
}

#[pyfunction]
#[pyo3(signature = (path, *, on_progress=None, **reading))]
fn summaries<'py>(
    py: Python<'py>,
    path: PathBuf,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    read_once(py, path, on_progress, reading, trace::summaries)
}

#[pyfunction]
#[pyo3(signature = (path, *, on_progress=None, **reading))]
fn relation_reuse<'py>(
    py: Python<'py>,
    path: PathBuf,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    read_once(py, path, on_progress, reading, trace::relations)
}
