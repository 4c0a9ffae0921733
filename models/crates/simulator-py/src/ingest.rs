//! Traces: formats, preview, inspect, convert.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use tierwright_simulator::trace::{self, TraceSpec};

use crate::arguments::{PyProgress, to_dict, trace_spec};
use crate::errors::to_python;

/// The trace formats, in the order of the core's table.
#[pyfunction]
fn formats(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_dict(py, &trace::formats::FORMATS)
}

/// A trace with the tolerance and the limits of the three functions that take files of users.
fn limited(
    mut spec: TraceSpec,
    skip_bad_records: u64,
    max_content_bytes: Option<u64>,
    max_expansion: Option<u64>,
    device_bytes: Option<u64>,
) -> TraceSpec {
    spec.skip_bad_records = skip_bad_records;
    spec.device_bytes = device_bytes;
    if let Some(limit) = max_content_bytes {
        spec.limits.max_content_bytes = limit;
    }
    if let Some(limit) = max_expansion {
        spec.limits.max_expansion = limit;
    }
    spec
}

/// Shows how the head of a trace is understood.
#[pyfunction]
#[pyo3(signature = (path, *, format=None, page_bytes=4096, columns=None, skip_bad_records=0, max_content_bytes=None, max_expansion=None, device_bytes=None, rows=20, on_progress=None))]
#[expect(clippy::too_many_arguments, reason = "the trace argument group")]
fn preview(
    py: Python<'_>,
    path: PathBuf,
    format: Option<String>,
    page_bytes: i64,
    columns: Option<BTreeMap<String, String>>,
    skip_bad_records: u64,
    max_content_bytes: Option<u64>,
    max_expansion: Option<u64>,
    device_bytes: Option<u64>,
    rows: usize,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyAny>> {
    let spec = limited(
        trace_spec(path, format, page_bytes, columns)?,
        skip_bad_records,
        max_content_bytes,
        max_expansion,
        device_bytes,
    );
    let mut progress = PyProgress::with_requests(on_progress);
    let result = py.detach(|| trace::preview(&spec, rows, &mut |step| progress.call(step)));
    to_dict(py, &progress.finish(result)?)
}

/// Names the columns of a table, as its first line states them.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python's arguments, extracted as owned values"
)]
fn column_names(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
    py.detach(|| trace::column_names(&path))
        .map_err(|error| to_python(&error))
}

/// Reads a whole trace and tells what is in it.
#[pyfunction]
#[pyo3(signature = (path, *, format=None, page_bytes=4096, columns=None, skip_bad_records=0, max_content_bytes=None, max_expansion=None, device_bytes=None, on_progress=None))]
#[expect(clippy::too_many_arguments, reason = "the trace argument group")]
fn inspect(
    py: Python<'_>,
    path: PathBuf,
    format: Option<String>,
    page_bytes: i64,
    columns: Option<BTreeMap<String, String>>,
    skip_bad_records: u64,
    max_content_bytes: Option<u64>,
    max_expansion: Option<u64>,
    device_bytes: Option<u64>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyAny>> {
    let spec = limited(
        trace_spec(path, format, page_bytes, columns)?,
        skip_bad_records,
        max_content_bytes,
        max_expansion,
        device_bytes,
    );
    let mut progress = PyProgress::with_requests(on_progress);
    let result = py.detach(|| trace::inspect(&spec, &mut |step| progress.call(step)));
    to_dict(py, &progress.finish(result)?)
}

/// Writes the canonical form of a trace.
#[pyfunction]
#[pyo3(signature = (path, out, *, format=None, page_bytes=4096, columns=None, skip_bad_records=0, max_content_bytes=None, max_expansion=None, device_bytes=None, force=false, on_progress=None))]
#[expect(
    clippy::too_many_arguments,
    clippy::needless_pass_by_value,
    reason = "Python's keyword arguments, extracted as owned values"
)]
fn convert(
    py: Python<'_>,
    path: PathBuf,
    out: PathBuf,
    format: Option<String>,
    page_bytes: i64,
    columns: Option<BTreeMap<String, String>>,
    skip_bad_records: u64,
    max_content_bytes: Option<u64>,
    max_expansion: Option<u64>,
    device_bytes: Option<u64>,
    force: bool,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyAny>> {
    let spec = limited(
        trace_spec(path, format, page_bytes, columns)?,
        skip_bad_records,
        max_content_bytes,
        max_expansion,
        device_bytes,
    );
    let mut progress = PyProgress::with_requests(on_progress);
    let result = py.detach(|| trace::convert(&spec, &out, force, &mut |step| progress.call(step)));
    to_dict(py, &progress.finish(result)?)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(formats, module)?)?;
    module.add_function(wrap_pyfunction!(preview, module)?)?;
    module.add_function(wrap_pyfunction!(column_names, module)?)?;
    module.add_function(wrap_pyfunction!(inspect, module)?)?;
    module.add_function(wrap_pyfunction!(convert, module)?)
}
