//! Parts of one trace with the page numbers of the whole, as Python functions.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::error::Result;
use tierwright_simulator::trace::numbered::{self, PartOfWhole};

use crate::arguments::{PyProgress, to_dict};
use crate::errors::to_python;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(divide_pages, module)?)?;
    module.add_function(wrap_pyfunction!(first_touches, module)?)?;
    module.add_function(wrap_pyfunction!(number_new_pages, module)?)?;
    module.add_function(wrap_pyfunction!(number_all_pages, module)?)?;
    module.add_function(wrap_pyfunction!(numbered_part, module)?)?;
    module.add_function(wrap_pyfunction!(check_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(check_chunks, module)?)?;
    module.add_function(wrap_pyfunction!(keep_notes, module)?)?;
    module.add_function(wrap_pyfunction!(canonical_content, module)?)?;
    module.add_function(wrap_pyfunction!(join_numbered_parts, module)?)
}

/// Works without the GIL, and reports to Python.
fn detached<T: Send>(
    py: Python<'_>,
    on_progress: Option<Py<PyAny>>,
    work: impl FnOnce(&mut PyProgress) -> Result<T> + Send,
) -> PyResult<T> {
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| work(&mut progress));
    progress.finish(result)
}

/// Divides the pages of a canonical part by range.
#[pyfunction]
#[pyo3(signature = (path, outs, *, notes, on_progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn divide_pages(
    py: Python<'_>,
    path: PathBuf,
    outs: Vec<PathBuf>,
    notes: String,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    detached(py, on_progress, |progress| {
        numbered::divide_pages(&path, &outs, &notes, &mut |step| progress.call(step))
    })
}

/// Finds which pages of a range are new in which part; how many of each.
#[pyfunction]
#[pyo3(signature = (parts, outs, *, on_progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn first_touches(
    py: Python<'_>,
    parts: Vec<PathBuf>,
    outs: Vec<PathBuf>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Vec<u64>> {
    detached(py, on_progress, |progress| {
        numbered::first_touches(&parts, &outs, &mut |step| progress.call(step))
    })
}

/// Numbers the new pages of a part.
#[pyfunction]
#[pyo3(signature = (path, firsts, outs, *, pages_before, on_progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn number_new_pages(
    py: Python<'_>,
    path: PathBuf,
    firsts: Vec<PathBuf>,
    outs: Vec<PathBuf>,
    pages_before: u64,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    detached(py, on_progress, |progress| {
        numbered::number_new(&path, &firsts, &outs, pages_before, &mut |step| {
            progress.call(step)
        })
    })
}

/// Numbers all pages of a range in each part.
#[pyfunction]
#[pyo3(signature = (parts, news, outs, *, on_progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn number_all_pages(
    py: Python<'_>,
    parts: Vec<PathBuf>,
    news: Vec<PathBuf>,
    outs: Vec<PathBuf>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    detached(py, on_progress, |progress| {
        numbered::number_all(&parts, &news, &outs, &mut |step| progress.call(step))
    })
}

/// Writes a part with the numbers of its pages in the whole.
#[pyfunction]
#[pyo3(signature = (path, numbers, out, *, trace, number, parts, pages_before, accesses_before, devices, on_progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
#[expect(clippy::too_many_arguments, reason = "named in Python")]
fn numbered_part(
    py: Python<'_>,
    path: PathBuf,
    numbers: Vec<PathBuf>,
    out: PathBuf,
    trace: String,
    number: u64,
    parts: u64,
    pages_before: u64,
    accesses_before: u64,
    devices: Vec<u32>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let part = PartOfWhole {
        trace,
        number,
        parts,
        pages_before,
        accesses_before,
        devices,
    };
    detached(py, on_progress, |progress| {
        numbered::numbered_part(&path, &numbers, &out, part, &mut |step| progress.call(step))
    })
}

/// Checks a whole file of numbers; what was kept with it.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn check_numbers(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    py.detach(|| numbered::check_numbers(&path))
        .map_err(|error| to_python(&error))
}

/// Checks every byte of a canonical trace; what its head and foot say.
#[pyfunction]
#[pyo3(signature = (path, *, on_progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn check_chunks(
    py: Python<'_>,
    path: PathBuf,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyDict>> {
    let found = detached(py, on_progress, |progress| {
        numbered::check_chunks(&path, &mut |step| progress.call(step))
    })?;
    to_dict(py, &found)
}

/// What head and foot of a canonical trace say.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn canonical_content(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let found = py.detach(|| numbered::content(&path));
    to_dict(py, &found.map_err(|error| to_python(&error))?)
}

/// Keeps notes in a file that `check_numbers` checks.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn keep_notes(py: Python<'_>, path: PathBuf, notes: String) -> PyResult<()> {
    py.detach(|| numbered::keep_notes(&path, &notes))
        .map_err(|error| to_python(&error))
}

/// Joins all parts of a trace by the numbers of their pages.
#[pyfunction]
#[pyo3(signature = (parts, out, *, force=false, on_progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn join_numbered_parts(
    py: Python<'_>,
    parts: Vec<PathBuf>,
    out: PathBuf,
    force: bool,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    detached(py, on_progress, |progress| {
        numbered::joined_parts(&parts, &out, force, &mut |step| progress.call(step))
    })
}
