//! Replays and curves, as Python functions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use numpy::IntoPyArray;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::access::AccessSource;
use tierwright_simulator::curve::two_stack::TwoStack;
use tierwright_simulator::curve::{Curves, SampledCurves};
use tierwright_simulator::progress::OnProgress;
use tierwright_simulator::replay::buffers::{BufferResult, DynamicsResult};
use tierwright_simulator::replay::{
    BlockResult, FlashCacheResult, MAX_PAGES, OnlineResult, PolicyResult, SchemeResult, WarmedUp,
    Warning,
};
use tierwright_simulator::sweep::Outcome;
use tierwright_simulator::trace::{OpenTrace, ReaderNotes, TraceSpec, open_source};
use tierwright_simulator::{Error, Result, curve};

use crate::arguments::{PyProgress, to_dict, trace_spec};
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
    let result = PyDict::new(py);
    result.set_item("accesses", curves.accesses)?;
    result.set_item("distinct_pages", curves.distinct_pages)?;
    result.set_item("write_accesses", curves.write_accesses)?;
    result.set_item("page_bytes", trace.page_bytes)?;
    result.set_item("duration_s", trace.duration_s)?;
    result.set_item("misses", curves.misses.into_pyarray(py))?;
    result.set_item("write_backs", curves.write_backs.into_pyarray(py))?;
    trace.note(py, &result)?;
    Ok(result)
}

/// Replays a trace through one contender of a family.
#[pyfunction]
#[pyo3(signature = (path, family, name, ram_pages, flash_pages=None, *, options=None, warm_up=0, on_progress=None, **reading))]
#[expect(clippy::too_many_arguments, reason = "the trace argument group")]
fn replay<'py>(
    py: Python<'py>,
    path: PathBuf,
    family: &str,
    name: String,
    ram_pages: &Bound<'py, PyAny>,
    flash_pages: Option<&Bound<'py, PyAny>>,
    options: Option<BTreeMap<String, String>>,
    warm_up: u64,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
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
    trace.note(py, &row)?;
    Ok(row)
}

/// The result of any contender as a dict.
pub(crate) fn outcome_row<'py>(
    py: Python<'py>,
    outcome: &Outcome,
    page_bytes: u64,
) -> PyResult<Bound<'py, PyDict>> {
    match outcome {
        Outcome::Policy(result) => policy_row(py, result, page_bytes),
        Outcome::Scheme(result) => scheme_row(py, result, page_bytes),
        Outcome::Buffer(result) => buffer_row(py, result, page_bytes),
        Outcome::Chooser(result) => online_row(py, result, page_bytes),
        Outcome::FlashCache(result) => flash_cache_row(py, result, page_bytes),
    }
}

/// The result of a policy as a dict.
fn policy_row<'py>(
    py: Python<'py>,
    result: &PolicyResult,
    page_bytes: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("policy", result.policy)?;
    row.set_item("pages", result.pages)?;
    counted(&row, result.accesses, result.warm_up)?;
    row.set_item("misses", result.misses)?;
    row.set_item("miss_ratio", ratio(result.misses, result.accesses))?;
    row.set_item("disk_reads", result.disk_reads)?;
    row.set_item("disk_writes", result.disk_writes)?;
    row.set_item("write_accesses", result.write_accesses)?;
    row.set_item("distinct_pages", result.distinct_pages)?;
    row.set_item("page_bytes", page_bytes)?;
    row.set_item("evictions", result.evictions)?;
    Ok(row)
}

/// The result of a scheme as a dict.
fn scheme_row<'py>(
    py: Python<'py>,
    result: &SchemeResult,
    page_bytes: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("scheme", result.scheme)?;
    row.set_item("ram_pages", result.ram_pages)?;
    row.set_item("flash_pages", result.flash_pages)?;
    row.set_item("ram_policy", result.ram_policy)?;
    row.set_item("flash_policy", result.flash_policy)?;
    row.set_item("admission", result.admission)?;
    counted(&row, result.accesses, result.warm_up)?;
    row.set_item("write_accesses", result.write_accesses)?;
    for (name, count) in result.counters.named() {
        row.set_item(name, count)?;
    }
    let blocks = result.blocks.as_ref();
    row.set_item(
        "blocks",
        blocks.map(|blocks| divided(py, blocks)).transpose()?,
    )?;
    row.set_item("distinct_pages", result.distinct_pages)?;
    row.set_item("page_bytes", page_bytes)?;
    row.set_item("warnings", warnings(&result.warnings))?;
    Ok(row)
}

fn divided<'py>(py: Python<'py>, blocks: &BlockResult) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("technique", blocks.technique)?;
    row.set_item("block_pages", blocks.block_pages)?;
    row.set_item("flash_blocks", blocks.flash_blocks)?;
    for (name, count) in blocks.counters.named() {
        row.set_item(name, count)?;
    }
    Ok(row)
}

/// The accesses counted, and where there was a warm-up those before them.
pub(crate) fn counted(row: &Bound<'_, PyDict>, accesses: u64, warm_up: WarmedUp) -> PyResult<()> {
    if warm_up.accesses > 0 {
        row.set_item("warm_up", warm_up.accesses)?;
    }
    row.set_item("accesses", accesses)
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
    /// Puts what the reader noticed into a result: it belongs to every number of this trace.
    pub(crate) fn note(&self, py: Python<'_>, result: &Bound<'_, PyDict>) -> PyResult<()> {
        note(py, result, &self.notes)
    }
}

/// [`Read::note`] where nothing else is known.
pub(crate) fn note(
    py: Python<'_>,
    result: &Bound<'_, PyDict>,
    notes: &ReaderNotes,
) -> PyResult<()> {
    result.set_item("trace", to_dict(py, notes)?)
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
fn over_prepared_trace<T: OfTrace>(
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

/// A warning as a dict.
#[derive(IntoPyObject)]
pub(crate) struct WarningRow<'a> {
    name: &'a str,
    message: &'a str,
    hint: &'a str,
}

pub(crate) fn warnings(warnings: &[Warning]) -> Vec<WarningRow<'_>> {
    warnings
        .iter()
        .map(|warning| WarningRow {
            name: warning.name,
            message: &warning.message,
            hint: &warning.hint,
        })
        .collect()
}
