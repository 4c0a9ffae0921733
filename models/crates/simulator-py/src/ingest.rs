//! Traces: formats, preview, inspect, convert.

use std::path::PathBuf;
use std::sync::Mutex;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use tierwright_simulator::Error;
use tierwright_simulator::trace::{self, Resume, TableRows};

use crate::arguments::{PyProgress, to_python_value, trace_spec};
use crate::errors::to_python;

/// The trace formats, in the order of the core's table.
#[pyfunction]
fn formats(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python_value(py, &trace::formats::FORMATS)
}

/// Shows how the head of a trace is understood.
#[pyfunction]
#[pyo3(signature = (path, *, rows=20, on_progress=None, **reading))]
fn preview<'py>(
    py: Python<'py>,
    path: PathBuf,
    rows: usize,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let spec = trace_spec(path, reading)?;
    let mut progress = PyProgress::with_requests(on_progress);
    let result = py.detach(|| trace::preview(&spec, rows, &mut |step| progress.call(step)));
    to_python_value(py, &progress.finish(result)?)
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

/// Opens a table of Parquet that is no trace: the names of the wanted columns that it has, and a function that
/// returns its next rows column by column, none at the end.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python's arguments, extracted as owned values"
)]
fn table_rows(
    py: Python<'_>,
    path: PathBuf,
    columns: Vec<String>,
) -> PyResult<(Vec<String>, Bound<'_, PyCFunction>)> {
    let table = py
        .detach(|| TableRows::open(&path, &columns))
        .map_err(|error| to_python(&error))?;
    let names = table.names().to_vec();
    let table = Mutex::new(table);
    let next = move |args: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
        let batch = args.py().detach(|| match table.lock() {
            Ok(mut table) => table.next_batch(),
            Err(_) => Err(Error::Internal {
                message: "a table was left by a panic".to_owned(),
            }),
        });
        batch.map_err(|error| to_python(&error))
    };
    let next = PyCFunction::new_closure(py, Some(c"next_rows"), None, next)?;
    Ok((names, next))
}

/// Reads a whole trace and tells what is in it.
#[pyfunction]
#[pyo3(signature = (path, *, on_progress=None, **reading))]
fn inspect<'py>(
    py: Python<'py>,
    path: PathBuf,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let spec = trace_spec(path, reading)?;
    let mut progress = PyProgress::with_requests(on_progress);
    let result = py.detach(|| trace::inspect(&spec, &mut |step| progress.call(step)));
    to_python_value(py, &progress.finish(result)?)
}

/// Writes the canonical form of a trace. With `resume`, which names the content of the file, a
/// process that is killed leaves beside `out` what a later call with the same name goes on with.
#[pyfunction]
#[pyo3(signature = (
    path, out, *, force=false, resume=None, on_progress=None, **reading
))]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python's keyword arguments, extracted as owned values"
)]
fn convert<'py>(
    py: Python<'py>,
    path: PathBuf,
    out: PathBuf,
    force: bool,
    resume: Option<(String, u64)>,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let spec = trace_spec(path, reading)?;
    let mut progress = PyProgress::with_requests(on_progress);
    let resume = resume.map(|(key, every_accesses)| Resume {
        key,
        every_accesses,
    });
    let result = py.detach(|| {
        let on_progress = &mut |step| progress.call(step);
        trace::convert_resumable(&spec, &out, force, resume.as_ref(), on_progress)
    });
    to_python_value(py, &progress.finish(result)?)
}

/// Writes a canonical trace of a described workload, given as JSON.
#[pyfunction]
#[pyo3(signature = (workload, accesses, seed, out, *, force=false, on_progress=None))]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python's arguments, extracted as owned values"
)]
fn generate<'py>(
    py: Python<'py>,
    workload: &str,
    accesses: u64,
    seed: u64,
    out: PathBuf,
    force: bool,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let described: trace::Described = serde_json::from_str(workload)
        .map_err(|error| PyValueError::new_err(format!("workload: {error}")))?;
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| {
        let on_progress = &mut |step| progress.call(step);
        trace::generate(&described, accesses, seed, &out, force, on_progress)
    });
    to_python_value(py, &progress.finish(result)?)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(formats, module)?)?;
    module.add_function(wrap_pyfunction!(preview, module)?)?;
    module.add_function(wrap_pyfunction!(column_names, module)?)?;
    module.add_function(wrap_pyfunction!(table_rows, module)?)?;
    module.add_function(wrap_pyfunction!(inspect, module)?)?;
    module.add_function(wrap_pyfunction!(convert, module)?)?;
    module.add_function(wrap_pyfunction!(generate, module)?)
}
