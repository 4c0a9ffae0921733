//! Cost-aware buffers and the Two-Stack estimator, as Python functions.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::Error;
use tierwright_simulator::curve::two_stack::{
    Distance, HitsByIndex, TwoStackSpec, two_stack as estimate,
};
use tierwright_simulator::replay::buffers::{
    self as core, BufferResult, Drift, DynamicsResult, DynamicsSpec,
};

use crate::arguments::{to_dict, trace_spec};
use crate::errors::to_python;
use crate::replay::{over_trace, page_count, ratio};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(simulate_splits, module)?)?;
    module.add_function(wrap_pyfunction!(simulate_dynamics, module)?)?;
    module.add_function(wrap_pyfunction!(two_stack, module)?)
}

pub(crate) fn buffer_row<'py>(
    py: Python<'py>,
    result: &BufferResult,
) -> PyResult<Bound<'py, PyDict>> {
    let row = to_dict(py, result)?;
    let counters = &result.counters;
    row.set_item("miss_ratio", ratio(counters.misses, result.accesses))?;
    row.set_item("disk_reads", counters.reads)?;
    row.set_item("disk_writes", counters.writes)?;
    Ok(row)
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
            let row = buffer_row(py, result)?;
            row.set_item("page_bytes", trace.page_bytes)?;
            row.set_item("trace", trace.noted(py)?)?;
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
    let row = DynamicsRow::from(&found).into_pyobject(py)?;
    row.set_item("page_bytes", trace.page_bytes)?;
    row.set_item("trace", trace.noted(py)?)?;
    Ok(row)
}

/// What the buffers did under drifting conditions, as a dict.
#[derive(IntoPyObject)]
struct DynamicsRow {
    accesses: u64,
    write_accesses: u64,
    distinct_pages: u64,
    buffers: Vec<DrivenRow>,
    epochs: Vec<EpochRow>,
}

#[derive(IntoPyObject)]
struct DrivenRow {
    name: &'static str,
    clean_pages: Option<u32>,
    reads: u64,
    writes: u64,
    dirty_left: u64,
}

#[derive(IntoPyObject)]
struct EpochRow {
    accesses: u64,
    write_accesses: u64,
    asymmetry: f64,
    clean_pages: u32,
    reads: Vec<u64>,
    writes: Vec<u64>,
}

impl From<&DynamicsResult> for DynamicsRow {
    fn from(found: &DynamicsResult) -> Self {
        let buffers = found.buffers.iter().map(|buffer| DrivenRow {
            name: buffer.name,
            clean_pages: buffer.clean_pages,
            reads: buffer.counters.reads,
            writes: buffer.counters.writes,
            dirty_left: buffer.dirty_left,
        });
        let epochs = found.epochs.iter().map(|epoch| {
            let (reads, writes) = epoch.counts.iter().copied().unzip();
            EpochRow {
                accesses: epoch.accesses,
                write_accesses: epoch.write_accesses,
                asymmetry: epoch.asymmetry,
                clean_pages: epoch.clean_pages,
                reads,
                writes,
            }
        });
        Self {
            accesses: found.accesses,
            write_accesses: found.write_accesses,
            distinct_pages: found.distinct_pages,
            buffers: buffers.collect(),
            epochs: epochs.collect(),
        }
    }
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
    let by_index = found.by_index.map(|by_index| ByIndexRow {
        clean_reads: PoolHitsRow::of(py, by_index.clean_reads),
        clean_writes: PoolHitsRow::of(py, by_index.clean_writes),
        dirty_reads: PoolHitsRow::of(py, by_index.dirty_reads),
        dirty_writes: PoolHitsRow::of(py, by_index.dirty_writes),
    });
    TwoStackRow {
        pages: found.pages,
        distance,
        accesses: found.accesses,
        write_accesses: found.write_accesses,
        distinct_pages: found.distinct_pages,
        page_bytes: trace.page_bytes,
        hits_clean: found.hits_clean.into_pyarray(py),
        hits_dirty: found.hits_dirty.into_pyarray(py),
        write_hits_dirty: found.write_hits_dirty.into_pyarray(py),
        by_index,
        trace: trace.noted(py)?,
    }
    .into_pyobject(py)
}

/// What the Two-Stack estimator counted, as a dict.
#[derive(IntoPyObject)]
struct TwoStackRow<'py, 'a> {
    pages: u32,
    distance: &'a str,
    accesses: u64,
    write_accesses: u64,
    distinct_pages: u64,
    page_bytes: u64,
    hits_clean: Bound<'py, PyArray1<u64>>,
    hits_dirty: Bound<'py, PyArray1<u64>>,
    write_hits_dirty: Bound<'py, PyArray1<u64>>,
    by_index: Option<ByIndexRow<'py>>,
    trace: Bound<'py, PyDict>,
}

#[derive(IntoPyObject)]
struct ByIndexRow<'py> {
    clean_reads: PoolHitsRow<'py>,
    clean_writes: PoolHitsRow<'py>,
    dirty_reads: PoolHitsRow<'py>,
    dirty_writes: PoolHitsRow<'py>,
}

#[derive(IntoPyObject)]
struct PoolHitsRow<'py> {
    hits: Bound<'py, PyArray1<u64>>,
    never: u64,
}

impl<'py> PoolHitsRow<'py> {
    fn of(py: Python<'py>, counts: HitsByIndex) -> Self {
        Self {
            hits: counts.hits.into_pyarray(py),
            never: counts.never,
        }
    }
}
