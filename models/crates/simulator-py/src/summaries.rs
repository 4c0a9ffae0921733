//! What a trace is like beyond its curves, as a Python function.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use tierwright_simulator::trace;

use crate::arguments::{PyProgress, to_dict, trace_spec};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(summaries, module)?)
}

#[pyfunction]
#[pyo3(signature = (path, *, format=None, page_bytes=4096, columns=None, on_progress=None))]
fn summaries(
    py: Python<'_>,
    path: PathBuf,
    format: Option<String>,
    page_bytes: i64,
    columns: Option<BTreeMap<String, String>>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyAny>> {
    let spec = trace_spec(path, format, page_bytes, columns)?;
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| trace::summaries(&spec, &mut |step| progress.call(step)));
    let (made, trace) = progress.finish(result)?;
    let dict = to_dict(py, &made)?;
    dict.set_item("page_bytes", trace.page_bytes)?;
    dict.set_item("duration_s", trace.duration_s)?;
    Ok(dict)
}
