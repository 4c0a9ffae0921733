//! What replays through a flash cache counted, for Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::replay::FlashCacheResult;

use crate::arguments::to_dict;

pub(crate) fn flash_cache_row<'py>(
    py: Python<'py>,
    result: &FlashCacheResult,
    page_bytes: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let row = to_dict(py, result)?;
    let counters = &result.counters;
    let metadata_pages = counters.metadata_page_writes(page_bytes);
    row.set_item("metadata_page_writes", metadata_pages)?;
    let in_background = result.background.metadata_page_writes(page_bytes);
    if in_background > 0 {
        row.get_item("background")?.map_or(Ok(()), |counts| {
            counts.set_item("metadata_page_writes", in_background)
        })?;
    }
    row.set_item("write_reduction", counters.write_reduction())?;
    row.set_item("flash_hit_ratio", counters.flash_hit_ratio())?;
    if let Some((name, ratio)) = result.own_ratio() {
        row.set_item(name, ratio)?;
    }
    row.set_item("sequentiality", counters.sequentiality())?;
    row.set_item("mean_write_pages", counters.mean_write_pages())?;
    Ok(row)
}
