//! What a trace is like beyond its curves, as a Python function.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use tierwright_simulator::Result;
use tierwright_simulator::progress::OnProgress;
use tierwright_simulator::replay;
use tierwright_simulator::trace::{self, ReaderNotes, TraceSpec, TraceSummary};

use crate::arguments::{PyProgress, to_dict, trace_spec};
use crate::replay::page_count;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(relation_reuse, module)?)?;
    module.add_function(wrap_pyfunction!(category_counts, module)?)?;
    module.add_function(wrap_pyfunction!(categories, module)?)?;
    module.add_function(wrap_pyfunction!(summaries, module)?)
}

/// What a pass over a trace makes, with what its reader found.
type Passed<Made> = Result<(Made, TraceSummary, ReaderNotes)>;

/// Reads a trace once, and says what was made of it beside page size, duration and notes.
fn read_once<'py, Made: Serialize + Send>(
    py: Python<'py>,
    path: PathBuf,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
    pass: impl FnOnce(&TraceSpec, OnProgress<'_>) -> Passed<Made> + Send,
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

/// Counts the requests below DRAM by category.
#[pyfunction]
#[pyo3(signature = (path, categories, ram_pages, *, on_progress=None, **reading))]
fn category_counts<'py>(
    py: Python<'py>,
    path: PathBuf,
    categories: &str,
    ram_pages: &Bound<'py, PyAny>,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let ram_pages = page_count("ram-pages", ram_pages, 1)?;
    read_once(py, path, on_progress, reading, |spec, on_progress| {
        trace::category_counts(spec, categories, ram_pages, on_progress)
    })
}

/// Lists what may tell accesses apart.
#[pyfunction]
fn categories() -> Vec<Way> {
    replay::categories()
        .iter()
        .map(|about| Way {
            name: about.name,
            title: about.title,
            description: about.description,
            needs_times: about.needs_times,
        })
        .collect()
}

/// One way to tell accesses apart, as a dict.
#[derive(IntoPyObject)]
struct Way {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    needs_times: bool,
}
