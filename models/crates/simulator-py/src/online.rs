//! Choosers of page flows, as Python functions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::replay::{self, Choice, OnlineResult};

use crate::replay::{Asked, counted, listed, page_count, warnings};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(choosers, module)?)?;
    module.add_function(wrap_pyfunction!(simulate_online, module)?)
}

#[pyfunction]
fn choosers(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    listed(py, replay::choosers())
}

#[pyfunction]
#[pyo3(signature = (path, scheme, ram_pages, flash_pages, *, options=None, warm_up=0, on_progress=None, **reading))]
#[expect(clippy::too_many_arguments, reason = "the trace argument group")]
fn simulate_online<'py>(
    py: Python<'py>,
    path: PathBuf,
    scheme: &str,
    ram_pages: &Bound<'py, PyAny>,
    flash_pages: &Bound<'py, PyAny>,
    options: Option<BTreeMap<String, String>>,
    warm_up: u64,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let ram_pages = page_count("ram-pages", ram_pages, 1)?;
    let flash_pages = page_count("flash-pages", flash_pages, 1)?;
    let asked = Asked {
        py,
        path,
        options,
        warm_up,
        on_progress,
        reading,
    };
    asked.replayed(
        |source, options, on_progress| {
            replay::simulate_online(source, scheme, ram_pages, flash_pages, options, on_progress)
        },
        online_row,
    )
}

pub(crate) fn online_row<'py>(
    py: Python<'py>,
    result: &OnlineResult,
    page_bytes: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("scheme", result.scheme)?;
    row.set_item("ram_pages", result.ram_pages)?;
    row.set_item("flash_pages", result.flash_pages)?;
    row.set_item("ram_policy", result.ram_policy)?;
    row.set_item("flash_policy", result.flash_policy)?;
    counted(&row, result.accesses, result.warm_up)?;
    row.set_item("write_accesses", result.write_accesses)?;
    for (name, count) in result.counters.named() {
        row.set_item(name, count)?;
    }
    row.set_item("switches", result.switches)?;
    let history = result
        .history
        .iter()
        .map(|choice| chosen(py, choice, &result.relation_names));
    row.set_item("history", history.collect::<PyResult<Vec<_>>>()?)?;
    row.set_item("distinct_pages", result.distinct_pages)?;
    row.set_item("page_bytes", page_bytes)?;
    row.set_item("warnings", warnings(py, &result.warnings)?)?;
    Ok(row)
}

fn chosen<'py>(py: Python<'py>, choice: &Choice, names: &[String]) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    let name = choice
        .relation
        .and_then(|number| names.get(number as usize));
    row.set_item("period", choice.period)?;
    row.set_item("relation", choice.relation)?;
    row.set_item("relation_name", name)?;
    row.set_item("running", choice.running)?;
    row.set_item("chosen", choice.chosen)?;
    row.set_item("accesses", choice.accesses)?;
    row.set_item("ram_misses", choice.ram_misses)?;
    row.set_item("flash_hits", choice.flash_hits)?;
    row.set_item("p_d", choice.dirty_share)?;
    row.set_item("p_d_flash", choice.flash_dirty_share)?;
    let estimates = PyDict::new(py);
    for estimate in &choice.estimates {
        let of = PyDict::new(py);
        of.set_item("effective_flash_pages", estimate.effective_flash_pages)?;
        of.set_item("flash_hits", estimate.flash_hits)?;
        of.set_item("flash_misses", estimate.flash_misses)?;
        of.set_item("cost_us", estimate.cost_us)?;
        estimates.set_item(estimate.scheme, of)?;
    }
    row.set_item("estimates", estimates)?;
    Ok(row)
}
