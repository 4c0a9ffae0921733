//! What replays through a flash cache counted, for Python.

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use tierwright_simulator::replay::{CrashReport, FlashCacheResult};

use crate::replay::{counted, warnings};

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
    let in_force = result.options.iter().map(|(name, value)| (name, value));
    row.set_item("options", in_force.into_py_dict(py)?)?;
    let crash = result.crash.as_ref();
    row.set_item("crash", crash.map(|crash| crashed(py, crash)).transpose()?)?;
    row.set_item("distinct_pages", result.distinct_pages)?;
    row.set_item("page_bytes", page_bytes)?;
    row.set_item("warnings", warnings(&result.warnings))?;
    Ok(row)
}

/// A crash as a dict.
#[derive(IntoPyObject)]
struct CrashRow<'py> {
    at_access: u64,
    restart: &'static str,
    ram_pages_lost: u64,
    ram_dirty_pages_lost: u64,
    flash_pages_lost: u64,
    flash_dirty_pages_lost: u64,
    before: Bound<'py, PyDict>,
}

fn crashed<'py>(py: Python<'py>, crash: &CrashReport) -> PyResult<CrashRow<'py>> {
    Ok(CrashRow {
        at_access: crash.at_access,
        restart: if crash.warm { "warm" } else { "cold" },
        ram_pages_lost: crash.ram_pages_lost,
        ram_dirty_pages_lost: crash.ram_dirty_pages_lost,
        flash_pages_lost: crash.flash_pages_lost,
        flash_dirty_pages_lost: crash.flash_dirty_pages_lost,
        before: crash.counters_before.named().into_py_dict(py)?,
    })
}
