//! Cost-aware buffers and the Two-Stack estimator, as Python functions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::Error;
use tierwright_simulator::curve::two_stack::{
    Distance, HitsByIndex, TwoStackSpec, two_stack as estimate,
};
use tierwright_simulator::replay::buffers::{
    self as core, BufferResult, Drift, DynamicsResult, DynamicsSpec, Window,
};

use crate::arguments::trace_spec;
use crate::errors::to_python;
use crate::replay::{Asked, counted, over_trace, page_count, ratio, warnings};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(buffers, module)?)?;
    module.add_function(wrap_pyfunction!(simulate_buffer, module)?)?;
    module.add_function(wrap_pyfunction!(simulate_splits, module)?)?;
    module.add_function(wrap_pyfunction!(simulate_dynamics, module)?)?;
    module.add_function(wrap_pyfunction!(two_stack, module)?)
}

#[pyfunction]
fn buffers(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    core::buffers()
        .iter()
        .map(|about| {
            let row = PyDict::new(py);
            row.set_item("name", about.name)?;
            row.set_item("title", about.title)?;
            row.set_item("description", about.description)?;
            row.set_item("paper", about.paper)?;
            row.set_item("least_pages", about.least_pages)?;
            let needs: Vec<&str> = about.needs.iter().map(|need| need.name()).collect();
            row.set_item("needs", needs)?;
            let options: Vec<_> = about
                .options
                .iter()
                .map(|option| {
                    let row = PyDict::new(py);
                    row.set_item("name", option.name)?;
                    row.set_item("values", option.values)?;
                    row.set_item("default", option.default)?;
                    row.set_item("description", option.description)?;
                    Ok(row)
                })
                .collect::<PyResult<_>>()?;
            row.set_item("options", options)?;
            Ok(row)
        })
        .collect()
}

pub(crate) fn buffer_row<'py>(
    py: Python<'py>,
    result: &BufferResult,
    page_bytes: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("policy", result.buffer)?;
    row.set_item("pages", result.pages)?;
    counted(&row, result.accesses, result.warm_up)?;
    let counters = &result.counters;
    row.set_item("misses", counters.misses)?;
    row.set_item("miss_ratio", ratio(counters.misses, result.accesses))?;
    row.set_item("disk_reads", counters.reads)?;
    row.set_item("disk_writes", counters.writes)?;
    row.set_item("write_accesses", result.write_accesses)?;
    row.set_item("distinct_pages", result.distinct_pages)?;
    row.set_item("page_bytes", page_bytes)?;
    for (name, count) in counters.named() {
        row.set_item(name, count)?;
    }
    row.set_item("clean_pages", result.clean_pages)?;
    row.set_item("windows", result.windows)?;
    let history: Vec<_> = result
        .history
        .iter()
        .map(|window| window_row(py, window))
        .collect::<PyResult<_>>()?;
    row.set_item("history", history)?;
    row.set_item("warnings", warnings(py, &result.warnings)?)?;
    Ok(row)
}

fn window_row<'py>(py: Python<'py>, window: &Window) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("accesses", window.accesses)?;
    row.set_item("write_accesses", window.write_accesses)?;
    row.set_item("reads", window.reads)?;
    row.set_item("writes", window.writes)?;
    row.set_item("clean_pages", window.clean_pages)?;
    row.set_item("next_clean_pages", window.next_clean_pages)?;
    row.set_item("estimated_cost", window.estimated_cost)?;
    Ok(row)
}

#[pyfunction]
#[pyo3(signature = (path, buffer, pages, *, options=None, warm_up=0, on_progress=None, **reading))]
#[expect(clippy::too_many_arguments, reason = "the trace argument group")]
fn simulate_buffer<'py>(
    py: Python<'py>,
    path: PathBuf,
    buffer: &str,
    pages: &Bound<'py, PyAny>,
    options: Option<BTreeMap<String, String>>,
    warm_up: u64,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let pages = page_count("pages", pages, 1)?;
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
            core::simulate_buffer(source, buffer, pages, options, on_progress)
        },
        buffer_row,
    )
}

#[pyfunction]
#[pyo3(signature = (path, pages, clean_pages, *, on_progress=None, **reading))]
fn simulate_splits<'py>(
    py: Python<'py>,
    path: PathBuf,
    pages: &Bound<'py, PyAny>,
    clean_pages: Vec<Bound<'py, PyAny>>,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let pages = page_count("pages", pages, 2)?;
    let clean_pages: Vec<u64> = clean_pages
        .into_iter()
        .map(|split| page_count("clean-pages", &split, 1))
        .collect::<PyResult<_>>()?;
    if clean_pages.is_empty() {
        return Ok(Vec::new());
    }
    let spec = trace_spec(path, reading)?;
    let (results, trace) = over_trace(py, &spec, on_progress, |source, on_progress| {
        core::simulate_splits(source, pages, &clean_pages, on_progress)
    })?;
    results
        .iter()
        .map(|result| {
            let row = buffer_row(py, result, trace.page_bytes)?;
            trace.note(py, &row)?;
            Ok(row)
        })
        .collect()
}

#[pyfunction]
#[pyo3(signature = (path, pages, *, clean_pages, epoch_accesses, window_accesses, write_share, write_growth=0.0, write_odd=1.0, asymmetry, asymmetry_growth=0.0, asymmetry_odd=1.0, on_progress=None, **reading))]
#[expect(clippy::too_many_arguments, reason = "the trace argument group")]
fn simulate_dynamics<'py>(
    py: Python<'py>,
    path: PathBuf,
    pages: &Bound<'py, PyAny>,
    clean_pages: Vec<Bound<'py, PyAny>>,
    epoch_accesses: u64,
    window_accesses: u64,
    write_share: f64,
    write_growth: f64,
    write_odd: f64,
    asymmetry: f64,
    asymmetry_growth: f64,
    asymmetry_odd: f64,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let dynamics = DynamicsSpec {
        pages: page_count("pages", pages, 2)?,
        clean_pages: clean_pages
            .into_iter()
            .map(|split| page_count("clean-pages", &split, 1))
            .collect::<PyResult<_>>()?,
        epoch_accesses,
        window_accesses,
        drift: Drift {
            write_share,
            write_growth,
            write_odd,
            asymmetry,
            asymmetry_growth,
            asymmetry_odd,
        },
    };
    let spec = trace_spec(path, reading)?;
    let (found, trace) = over_trace(py, &spec, on_progress, |source, on_progress| {
        core::simulate_dynamics(source, &dynamics, on_progress)
    })?;
    let row = dynamics_row(py, &found)?;
    row.set_item("page_bytes", trace.page_bytes)?;
    trace.note(py, &row)?;
    Ok(row)
}

fn dynamics_row<'py>(py: Python<'py>, found: &DynamicsResult) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("accesses", found.accesses)?;
    row.set_item("write_accesses", found.write_accesses)?;
    row.set_item("distinct_pages", found.distinct_pages)?;
    let buffers: Vec<_> = found
        .buffers
        .iter()
        .map(|buffer| {
            let row = PyDict::new(py);
            row.set_item("name", buffer.name)?;
            row.set_item("clean_pages", buffer.clean_pages)?;
            row.set_item("reads", buffer.counters.reads)?;
            row.set_item("writes", buffer.counters.writes)?;
            row.set_item("dirty_left", buffer.dirty_left)?;
            Ok(row)
        })
        .collect::<PyResult<_>>()?;
    row.set_item("buffers", buffers)?;
    let epochs: Vec<_> = found
        .epochs
        .iter()
        .map(|epoch| {
            let row = PyDict::new(py);
            row.set_item("accesses", epoch.accesses)?;
            row.set_item("write_accesses", epoch.write_accesses)?;
            row.set_item("asymmetry", epoch.asymmetry)?;
            row.set_item("clean_pages", epoch.clean_pages)?;
            let (reads, writes): (Vec<u64>, Vec<u64>) = epoch.counts.iter().copied().unzip();
            row.set_item("reads", reads)?;
            row.set_item("writes", writes)?;
            Ok(row)
        })
        .collect::<PyResult<_>>()?;
    row.set_item("epochs", epochs)?;
    Ok(row)
}

#[pyfunction]
#[pyo3(signature = (path, pages, *, distance="raw", group_pages=64, present_conditions=true, on_progress=None, **reading))]
#[expect(clippy::too_many_arguments, reason = "the trace argument group")]
fn two_stack<'py>(
    py: Python<'py>,
    path: PathBuf,
    pages: &Bound<'py, PyAny>,
    distance: &str,
    group_pages: u32,
    present_conditions: bool,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let grouped = |conservative| Distance::Grouped {
        pages: group_pages,
        conservative,
    };
    let two_stack_spec = TwoStackSpec {
        pages: page_count("pages", pages, 2)?,
        distance: match distance {
            "raw" => Distance::Raw,
            "effective" => Distance::Effective,
            "grouped" => grouped(false),
            "grouped_conservative" => grouped(true),
            _ => {
                return Err(to_python(&Error::BadParameter {
                    name: "distance",
                    value: distance.to_owned(),
                    message: "no such kind of stack distance".to_owned(),
                    hint: "choose one of raw, effective, grouped, grouped_conservative".to_owned(),
                }));
            }
        },
        present_conditions,
    };
    let spec = trace_spec(path, reading)?;
    let (found, trace) = over_trace(py, &spec, on_progress, |source, on_progress| {
        estimate(source, two_stack_spec, on_progress)
    })?;
    let result = PyDict::new(py);
    result.set_item("pages", found.pages)?;
    result.set_item("distance", distance)?;
    result.set_item("accesses", found.accesses)?;
    result.set_item("write_accesses", found.write_accesses)?;
    result.set_item("distinct_pages", found.distinct_pages)?;
    result.set_item("page_bytes", trace.page_bytes)?;
    result.set_item("hits_clean", found.hits_clean.into_pyarray(py))?;
    result.set_item("hits_dirty", found.hits_dirty.into_pyarray(py))?;
    result.set_item("write_hits_dirty", found.write_hits_dirty.into_pyarray(py))?;
    let by_index = found.by_index.map(|by_index| {
        [
            ("clean_reads", by_index.clean_reads),
            ("clean_writes", by_index.clean_writes),
            ("dirty_reads", by_index.dirty_reads),
            ("dirty_writes", by_index.dirty_writes),
        ]
    });
    let table = by_index.map(|counts| -> PyResult<_> {
        let table = PyDict::new(py);
        for (name, HitsByIndex { hits, never }) in counts {
            let row = PyDict::new(py);
            row.set_item("hits", hits.into_pyarray(py))?;
            row.set_item("never", never)?;
            table.set_item(name, row)?;
        }
        Ok(table)
    });
    result.set_item("by_index", table.transpose()?)?;
    trace.note(py, &result)?;
    Ok(result)
}
