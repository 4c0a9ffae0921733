//! Flash caches, as Python functions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::replay::{self, CrashReport, FlashCacheResult};
use tierwright_simulator::trace::OpenTrace;

use crate::replay::{Asked, counted, page_count, warnings};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(flash_caches, module)?)?;
    module.add_function(wrap_pyfunction!(simulate_flash_cache, module)?)
}

#[pyfunction]
fn flash_caches(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    replay::flash_caches()
        .iter()
        .map(|cache| {
            let row = PyDict::new(py);
            row.set_item("name", cache.about.name)?;
            row.set_item("title", cache.about.title)?;
            row.set_item("description", cache.about.description)?;
            row.set_item("paper", cache.about.paper)?;
            row.set_item("needs", cache.needs)?;
            let options = cache.options().into_iter().map(|option| {
                let about = PyDict::new(py);
                about.set_item("name", option.name)?;
                about.set_item("values", option.values)?;
                about.set_item("default", option.default)?;
                about.set_item("description", option.description)?;
                Ok(about)
            });
            row.set_item("options", options.collect::<PyResult<Vec<_>>>()?)?;
            Ok(row)
        })
        .collect()
}

#[pyfunction]
#[pyo3(signature = (path, scheme, ram_pages, flash_pages, *, options=None, warm_up=0, on_progress=None, **reading))]
#[expect(clippy::too_many_arguments, reason = "the trace argument group")]
fn simulate_flash_cache<'py>(
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
    let flash_pages = page_count("flash-pages", flash_pages, 0)?;
    let asked = Asked {
        py,
        path,
        options,
        warm_up,
        on_progress,
        reading,
    };
    asked.prepared(
        OpenTrace::with_times,
        |source, options, on_progress| {
            replay::simulate_flash_cache(
                source,
                scheme,
                ram_pages,
                flash_pages,
                options,
                on_progress,
            )
        },
        flash_cache_row,
    )
}

pub(crate) fn flash_cache_row<'py>(
    py: Python<'py>,
    result: &FlashCacheResult,
    page_bytes: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("scheme", result.scheme)?;
    row.set_item("ram_pages", result.ram_pages)?;
    row.set_item("flash_pages", result.flash_pages)?;
    counted(&row, result.accesses, result.warm_up)?;
    row.set_item("write_accesses", result.write_accesses)?;
    for (name, count) in result.counters.named() {
        row.set_item(name, count)?;
    }
    let metadata_pages = result.counters.metadata_page_writes(page_bytes);
    row.set_item("metadata_page_writes", metadata_pages)?;
    row.set_item("slots_used", result.slots_used)?;
    row.set_item("old_versions", result.old_versions)?;
    row.set_item("dirty_slots", result.dirty_slots)?;
    row.set_item("write_reduction", result.counters.write_reduction())?;
    row.set_item("flash_hit_ratio", result.counters.flash_hit_ratio())?;
    row.set_item("sequentiality", result.counters.sequentiality())?;
    row.set_item("mean_write_pages", result.counters.mean_write_pages())?;
    let in_force = PyDict::new(py);
    for (name, value) in &result.options {
        in_force.set_item(name, value)?;
    }
    row.set_item("options", in_force)?;
    let crash = result.crash.as_ref();
    row.set_item("crash", crash.map(|crash| crashed(py, crash)).transpose()?)?;
    row.set_item("distinct_pages", result.distinct_pages)?;
    row.set_item("page_bytes", page_bytes)?;
    row.set_item("warnings", warnings(py, &result.warnings)?)?;
    Ok(row)
}

fn crashed<'py>(py: Python<'py>, crash: &CrashReport) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("at_access", crash.at_access)?;
    row.set_item("restart", if crash.warm { "warm" } else { "cold" })?;
    row.set_item("ram_pages_lost", crash.ram_pages_lost)?;
    row.set_item("ram_dirty_pages_lost", crash.ram_dirty_pages_lost)?;
    row.set_item("flash_pages_lost", crash.flash_pages_lost)?;
    row.set_item("flash_dirty_pages_lost", crash.flash_dirty_pages_lost)?;
    let before = PyDict::new(py);
    for (name, count) in crash.counters_before.named() {
        before.set_item(name, count)?;
    }
    row.set_item("before", before)?;
    Ok(row)
}
