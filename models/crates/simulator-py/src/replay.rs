//! Replays and curves, as Python functions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::access::AccessSource;
use tierwright_simulator::curve::two_stack::TwoStack;
use tierwright_simulator::curve::{CarriedWindows, Curves, SampledCurves};
use tierwright_simulator::progress::OnProgress;
use tierwright_simulator::replay::buffers::{BufferResult, DynamicsResult};
use tierwright_simulator::replay::{
    FlashCacheResult, MAX_PAGES, OnlineResult, PolicyResult, SchemeResult,
};
use tierwright_simulator::sweep::Outcome;
use tierwright_simulator::trace::{OpenTrace, ReaderNotes, TraceSpec, open_source};
use tierwright_simulator::{Error, Result, curve};

use crate::arguments::{PyProgress, WarmUpGiven, to_dict, trace_spec};
use crate::buffers::buffer_row;
use crate::configurations;
use crate::curves::threads_or_cores;
use crate::errors::to_python;
use crate::flash_caches::flash_cache_row;
use crate::online::online_row;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(curves, module)?)?;
    module.add_function(wrap_pyfunction!(replay, module)?)
}

#[pyfunction]
#[pyo3(signature = (path, *, threads=None, on_progress=None, **reading))]
fn curves<'py>(
    py: Python<'py>,
    path: PathBuf,
    threads: Option<usize>,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let threads = threads_or_cores(threads)?;
    let spec = trace_spec(path, reading)?;
    let (curves, trace) = over_trace(py, &spec, on_progress, |source, on_progress| {
        curve::curves_on_threads(source, threads, on_progress)
    })?;
    CurvesRow {
        accesses: curves.accesses,
        distinct_pages: curves.distinct_pages,
        write_accesses: curves.write_accesses,
        page_bytes: trace.page_bytes,
        duration_s: trace.duration_s,
        misses: curves.misses.into_pyarray(py),
        write_backs: curves.write_backs.into_pyarray(py),
        windows: CarriedRow::new(py, curves.windows)?,
        trace: trace.noted(py)?,
    }
    .into_pyobject(py)
}

/// Exact curves as a dict.
#[derive(IntoPyObject)]
struct CurvesRow<'py> {
    accesses: u64,
    distinct_pages: u64,
    write_accesses: u64,
    page_bytes: u64,
    duration_s: Option<f64>,
    misses: Bound<'py, PyArray1<u64>>,
    write_backs: Bound<'py, PyArray1<u64>>,
    windows: CarriedRow<'py>,
    trace: Bound<'py, PyDict>,
}

/// Counts of consecutive windows as a dict.
#[derive(IntoPyObject)]
pub(crate) struct CarriedRow<'py> {
    pages: Bound<'py, PyArray1<u64>>,
    accesses: Bound<'py, PyArray1<u64>>,
    first_references: Bound<'py, PyArray1<u64>>,
    misses: Bound<'py, PyArray2<u64>>,
    write_backs: Bound<'py, PyArray2<u64>>,
    open_write_backs: Bound<'py, PyArray1<u64>>,
    wrapped_misses: Bound<'py, PyArray1<u64>>,
    wrapped_write_backs: Bound<'py, PyArray1<u64>>,
}

impl<'py> CarriedRow<'py> {
    pub(crate) fn new(py: Python<'py>, windows: CarriedWindows) -> PyResult<Self> {
        Ok(Self {
            pages: windows.pages.into_pyarray(py),
            accesses: windows.accesses.into_pyarray(py),
            first_references: windows.first_references.into_pyarray(py),
            misses: PyArray2::from_vec2(py, &windows.misses)?,
            write_backs: PyArray2::from_vec2(py, &windows.write_backs)?,
            open_write_backs: windows.open_write_backs.into_pyarray(py),
            wrapped_misses: windows.wrapped_misses.into_pyarray(py),
            wrapped_write_backs: windows.wrapped_write_backs.into_pyarray(py),
        })
    }
}

/// Replays a trace through one contender of a family.
#[pyfunction]
#[pyo3(signature = (path, family, name, ram_pages, flash_pages=None, *, options=None, warm_up=WarmUpGiven::Accesses(0), on_progress=None, **reading))]
#[expect(clippy::too_many_arguments, reason = "the trace argument group")]
fn replay<'py>(
    py: Python<'py>,
    path: PathBuf,
    family: &str,
    name: String,
    ram_pages: &Bound<'py, PyAny>,
    flash_pages: Option<&Bound<'py, PyAny>>,
    options: Option<BTreeMap<String, String>>,
    warm_up: WarmUpGiven,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let warm_up = warm_up.asked()?;
    let (family, sizes) = configurations::family(family)?;
    let mut pages = Vec::new();
    for (&(_, parameter, least), given) in sizes.iter().zip([Some(ram_pages), flash_pages]) {
        let given = given.ok_or_else(|| {
            to_python(&Error::BadParameter {
                name: parameter,
                value: "none".to_owned(),
                message: format!("a {family} also caches on flash"),
                hint: "give the number of flash pages".to_owned(),
            })
        })?;
        pages.push(page_count(parameter, given, least)?);
    }
    if sizes.len() == 1
        && let Some(given) = flash_pages
    {
        return Err(to_python(&Error::BadParameter {
            name: "flash-pages",
            value: given.to_string(),
            message: format!("a {family} caches in RAM only"),
            hint: "leave the flash out, or replay a scheme or a flash cache".to_owned(),
        }));
    }
    let configuration = configurations::configuration(family, name, &pages, options);
    let spec = trace_spec(path, reading)?;
    let prepare = |trace: &mut OpenTrace| {
        if configuration.needs_times() {
            trace.with_times();
        }
        trace.with_warm_up(warm_up)
    };
    let (outcome, trace) =
        over_prepared_trace(py, &spec, on_progress, prepare, |source, on_progress| {
            configuration.replay(source, on_progress)
        })?;
    let row = outcome_row(py, &outcome, trace.page_bytes)?;
    row.set_item("trace", trace.noted(py)?)?;
    Ok(row)
}

/// The result of any contender as a dict: as the core writes it, and what follows from it.
pub(crate) fn outcome_row<'py>(
    py: Python<'py>,
    outcome: &Outcome,
    page_bytes: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let row = match outcome {
        Outcome::Policy(result) => {
            let row = to_dict(py, result)?;
            row.set_item("miss_ratio", ratio(result.misses, result.accesses))?;
            row
        }
        Outcome::Scheme(result) => to_dict(py, result)?,
        Outcome::Buffer(result) => buffer_row(py, result)?,
        Outcome::Chooser(result) => online_row(py, result)?,
        Outcome::FlashCache(result) => flash_cache_row(py, result, page_bytes)?,
    };
    row.set_item("page_bytes", page_bytes)?;
    Ok(row)
}

/// What a pass counted, to be held against what the trace's reader counted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) accesses: u64,
    pub(crate) write_accesses: u64,
    pub(crate) distinct_pages: u64,
}

/// A result of a pass over a whole trace.
pub(crate) trait OfTrace: Send {
    fn counted(&self) -> Counted;
}

/// Results of other passes call their counts the same.
macro_rules! of_trace {
    ($($result:ty),* $(,)?) => {
        $(impl OfTrace for $result {
            fn counted(&self) -> Counted {
                Counted {
                    accesses: self.accesses,
                    write_accesses: self.write_accesses,
                    distinct_pages: self.distinct_pages,
                }
            }
        })*
    };
}

of_trace!(Curves, SampledCurves, TwoStack, DynamicsResult);

/// Results of a replay hold the accesses of a warm-up apart.
macro_rules! of_replay {
    ($($result:ty),* $(,)?) => {
        $(impl OfTrace for $result {
            fn counted(&self) -> Counted {
                Counted {
                    accesses: self.accesses + self.warm_up.accesses,
                    write_accesses: self.write_accesses + self.warm_up.write_accesses,
                    distinct_pages: self.distinct_pages,
                }
            }
        })*
    };
}

of_replay!(
    PolicyResult,
    SchemeResult,
    OnlineResult,
    FlashCacheResult,
    BufferResult,
);

impl OfTrace for Outcome {
    fn counted(&self) -> Counted {
        match self {
            Self::Policy(result) => result.counted(),
            Self::Scheme(result) => result.counted(),
            Self::Buffer(result) => result.counted(),
            Self::Chooser(result) => result.counted(),
            Self::FlashCache(result) => result.counted(),
        }
    }
}

/// Every result holds counts of the same trace.
impl OfTrace for Vec<BufferResult> {
    fn counted(&self) -> Counted {
        self[0].counted()
    }
}

/// What is known of a trace that was read to its end.
pub(crate) struct Read {
    pub(crate) page_bytes: u64,
    pub(crate) duration_s: Option<f64>,
    notes: ReaderNotes,
}

impl Read {
    /// What the reader noticed: it belongs to every number of this trace, under `trace`.
    pub(crate) fn noted<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        to_dict(py, &self.notes)
    }
}

/// Opens the trace, does the work over all of it without the GIL, and tells what was read.
pub(crate) fn over_trace<T: OfTrace>(
    py: Python<'_>,
    spec: &TraceSpec,
    on_progress: Option<Py<PyAny>>,
    work: impl FnOnce(&mut dyn AccessSource, OnProgress<'_>) -> Result<T> + Send,
) -> PyResult<(T, Read)> {
    over_prepared_trace(py, spec, on_progress, |_| Ok(()), work)
}

/// [`over_trace`] for work that asks something of the opened trace first.
pub(crate) fn over_prepared_trace<T: OfTrace>(
    py: Python<'_>,
    spec: &TraceSpec,
    on_progress: Option<Py<PyAny>>,
    prepare: impl FnOnce(&mut OpenTrace) -> Result<()> + Send,
    work: impl FnOnce(&mut dyn AccessSource, OnProgress<'_>) -> Result<T> + Send,
) -> PyResult<(T, Read)> {
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| {
        let mut trace = open_source(spec)?;
        prepare(&mut trace)?;
        let result = work(&mut trace, &mut |step| progress.call(step))?;
        let counted = result.counted();
        let summary = trace.summary();
        let read = Counted {
            accesses: summary.accesses,
            write_accesses: summary.write_accesses,
            distinct_pages: summary.distinct_pages,
        };
        if counted == read {
            let read = Read {
                page_bytes: summary.page_bytes,
                duration_s: summary.duration_s,
                notes: trace.notes(),
            };
            Ok((result, read))
        } else {
            Err(Error::Internal {
                message: format!("the reader tells {read:?}, the replay {counted:?}"),
            })
        }
    });
    progress.finish(result)
}

/// A capacity; what no machine integer holds is out of range like any other wrong number.
pub(crate) fn page_count(
    name: &'static str,
    value: &Bound<'_, PyAny>,
    at_least: u32,
) -> PyResult<u64> {
    value.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            to_python(&Error::BadParameter {
                name,
                value: value.to_string(),
                message: format!("a cache must have from {at_least} to {MAX_PAGES} pages"),
                hint: "give the capacity in pages: a whole number".to_owned(),
            })
        } else {
            error
        }
    })
}

/// Misses per access; 0 for an empty trace.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of accesses are far below 2^53"
)]
pub(crate) fn ratio(misses: u64, accesses: u64) -> f64 {
    if accesses == 0 {
        0.0
    } else {
        misses as f64 / accesses as f64
    }
}
