//! Sampled and windowed curves and sweeps, as Python functions.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tierwright_simulator::Error;
use tierwright_simulator::access::{AccessSource as _, Chunk};
use tierwright_simulator::curve::{
    Knot, Sample, Window as WindowCounts, WindowLength, sampled_curves as core_sampled_curves,
    window_curves as core_window_curves,
};
use tierwright_simulator::progress::report;
use tierwright_simulator::sweep::{
    Configuration, Miniature, miniatures as core_miniatures, read_ahead, sweep as core_sweep,
};
use tierwright_simulator::trace::open_source;

use crate::arguments::{PyProgress, WarmUpGiven, to_dict, to_python_value, trace_spec};
use crate::configurations::read_configurations;
use crate::errors::to_python;
use crate::replay::{CarriedRow, outcome_row, over_trace};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(sampled_curves, module)?)?;
    module.add_function(wrap_pyfunction!(window_curves, module)?)?;
    module.add_function(wrap_pyfunction!(count_accesses, module)?)?;
    module.add_function(wrap_pyfunction!(sweep, module)?)?;
    module.add_function(wrap_pyfunction!(miniatures, module)?)
}

/// The number of threads asked for, or one a core.
pub(crate) fn threads_or_cores(threads: Option<usize>) -> PyResult<usize> {
    match threads {
        Some(0) => Err(to_python(&Error::BadParameter {
            name: "threads",
            value: "0".to_owned(),
            message: "no thread could do the work".to_owned(),
            hint: "use at least 1, or leave it out for one per core".to_owned(),
        })),
        Some(threads) => Ok(threads),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

#[pyfunction]
#[pyo3(signature = (path, *, sample_rate=None, sample_pages=None, seed=0, threads=None, on_progress=None, **reading))]
#[expect(clippy::too_many_arguments, reason = "the trace argument group")]
fn sampled_curves<'py>(
    py: Python<'py>,
    path: PathBuf,
    sample_rate: Option<f64>,
    sample_pages: Option<u64>,
    seed: u64,
    threads: Option<usize>,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let threads = threads_or_cores(threads)?;
    let sample = match (sample_rate, sample_pages) {
        (Some(rate), None) => Sample::Rate(rate),
        (None, Some(pages)) => Sample::Pages(pages),
        _ => {
            return Err(to_python(&Error::BadParameter {
                name: "sample-rate",
                value: format!("{sample_rate:?}"),
                message: "a sample has either a rate or a number of pages".to_owned(),
                hint: "give one of sample_rate and sample_pages".to_owned(),
            }));
        }
    };
    let spec = trace_spec(path, reading)?;
    let (curves, trace) = over_trace(py, &spec, on_progress, |source, on_progress| {
        if threads == 1 {
            core_sampled_curves(source, sample, seed, on_progress)
        } else {
            // Decoding a trace takes as long as following a small sample of it.
            read_ahead(source, on_progress, |source| {
                core_sampled_curves(source, sample, seed, &mut |_| true)
            })
        }
    })?;
    let column = |of: &dyn Fn(&Knot) -> f64| PyArray1::from_iter(py, curves.knots.iter().map(of));
    let [misses, misses_low, misses_high] = [0, 1, 2].map(|end| column(&|knot| knot.misses[end]));
    let [write_backs, write_backs_low, write_backs_high] =
        [0, 1, 2].map(|end| column(&|knot| knot.write_backs[end]));
    SampledRow {
        accesses: curves.accesses,
        distinct_pages: curves.distinct_pages,
        write_accesses: curves.write_accesses,
        page_bytes: trace.page_bytes,
        duration_s: trace.duration_s,
        sample_rate: curves.sample_rate,
        sampled_pages: curves.sampled_pages,
        sampled_accesses: curves.sampled_accesses,
        pages: column(&|knot| knot.pages),
        misses,
        write_backs,
        misses_low,
        write_backs_low,
        misses_high,
        write_backs_high,
        windows: CarriedRow::new(py, curves.windows)?,
        trace: trace.noted(py)?,
    }
    .into_pyobject(py)
}

/// Sampled curves as a dict.
#[derive(IntoPyObject)]
struct SampledRow<'py> {
    accesses: u64,
    distinct_pages: u64,
    write_accesses: u64,
    page_bytes: u64,
    duration_s: Option<f64>,
    sample_rate: f64,
    sampled_pages: u64,
    sampled_accesses: u64,
    pages: Bound<'py, PyArray1<f64>>,
    misses: Bound<'py, PyArray1<f64>>,
    write_backs: Bound<'py, PyArray1<f64>>,
    misses_low: Bound<'py, PyArray1<f64>>,
    write_backs_low: Bound<'py, PyArray1<f64>>,
    misses_high: Bound<'py, PyArray1<f64>>,
    write_backs_high: Bound<'py, PyArray1<f64>>,
    windows: CarriedRow<'py>,
    trace: Bound<'py, PyDict>,
}

#[pyfunction]
#[pyo3(signature = (path, *, window_accesses=None, window_ns=None, sizes=None, on_progress=None, **reading))]
fn window_curves<'py>(
    py: Python<'py>,
    path: PathBuf,
    window_accesses: Option<u64>,
    window_ns: Option<u64>,
    sizes: Option<Vec<u64>>,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let length = match (window_accesses, window_ns) {
        (Some(accesses), None) => WindowLength::Accesses(accesses),
        (None, Some(nanoseconds)) => WindowLength::Nanoseconds(nanoseconds),
        _ => {
            return Err(to_python(&Error::BadParameter {
                name: "window",
                value: format!("{window_accesses:?}"),
                message: "windows have either a number of accesses or a duration".to_owned(),
                hint: "give one of window_accesses and window_ns".to_owned(),
            }));
        }
    };
    let sizes = sizes.unwrap_or_default();
    let spec = trace_spec(path, reading)?;
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| {
        let mut trace = open_source(&spec)?;
        if window_ns.is_some() {
            trace.with_times();
        }
        let on_progress = &mut |step| progress.call(step);
        let curves = core_window_curves(&mut trace, length, &sizes, on_progress)?;
        Ok((curves, trace.summary(), trace.notes()))
    });
    let (curves, trace, notes) = progress.finish(result)?;
    let windows = curves.windows;
    let column =
        |of: &dyn Fn(&WindowCounts) -> u64| PyArray1::from_iter(py, windows.iter().map(of));
    let [
        first_access,
        window_accesses,
        window_write_accesses,
        pages_written,
        first_references,
    ] = [
        column(&|window| window.first_access),
        column(&|window| window.accesses),
        column(&|window| window.write_accesses),
        column(&|window| window.pages_written),
        column(&|window| window.first_references),
    ];
    let start_ns = windows.iter().map(|window| window.start_ns).collect();
    let misses: Vec<Vec<u64>> = windows.into_iter().map(|window| window.misses).collect();
    WindowsRow {
        trace: to_dict(py, &notes)?,
        accesses: curves.accesses,
        distinct_pages: curves.distinct_pages,
        write_accesses: curves.write_accesses,
        page_bytes: trace.page_bytes,
        duration_s: trace.duration_s,
        pages: curves.pages.into_pyarray(py),
        start_ns,
        first_access,
        window_accesses,
        window_write_accesses,
        pages_written,
        first_references,
        misses: PyArray2::from_vec2(py, &misses)?,
    }
    .into_pyobject(py)
}

/// Curves of windows as a dict.
#[derive(IntoPyObject)]
struct WindowsRow<'py> {
    trace: Bound<'py, PyDict>,
    accesses: u64,
    distinct_pages: u64,
    write_accesses: u64,
    page_bytes: u64,
    duration_s: Option<f64>,
    pages: Bound<'py, PyArray1<u64>>,
    start_ns: Vec<Option<u64>>,
    first_access: Bound<'py, PyArray1<u64>>,
    window_accesses: Bound<'py, PyArray1<u64>>,
    window_write_accesses: Bound<'py, PyArray1<u64>>,
    pages_written: Bound<'py, PyArray1<u64>>,
    first_references: Bound<'py, PyArray1<u64>>,
    misses: Bound<'py, PyArray2<u64>>,
}

/// Accesses of a whole trace: of a canonical one at once, of another one after a pass over it.
#[pyfunction]
#[pyo3(signature = (path, *, on_progress=None, **reading))]
fn count_accesses(
    py: Python<'_>,
    path: PathBuf,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<u64> {
    let spec = trace_spec(path, reading)?;
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| {
        let mut trace = open_source(&spec)?;
        if let Some(accesses) = trace.accesses_hint() {
            return Ok(accesses);
        }
        let (mut chunk, mut accesses) = (Chunk::default(), 0);
        while trace.next_chunk(&mut chunk)? {
            accesses += chunk.len() as u64;
            report(&trace, accesses, &mut |step| progress.call(step))?;
        }
        Ok(accesses)
    });
    progress.finish(result)
}

#[pyfunction]
#[pyo3(signature = (path, configurations, *, warm_up=WarmUpGiven::Accesses(0), threads=None, on_progress=None, **reading))]
fn sweep<'py>(
    py: Python<'py>,
    path: PathBuf,
    configurations: Vec<Bound<'py, PyDict>>,
    warm_up: WarmUpGiven,
    threads: Option<usize>,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let warm_up = warm_up.asked()?;
    let configurations = read_configurations(configurations)?;
    let threads = threads_or_cores(threads)?;
    let spec = trace_spec(path, reading)?;
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| {
        let opened = open_source(&spec)?;
        let page_bytes = opened.summary().page_bytes;
        let noted = Arc::default();
        let open = &mut || {
            let mut trace = open_source(&spec)?;
            trace.tell_at_end(&noted);
            trace.with_warm_up(warm_up)?;
            if configurations.iter().any(Configuration::needs_times) {
                trace.with_times();
            }
            Ok(trace)
        };
        let on_progress = &mut |step| progress.call(step);
        let swept = core_sweep(open, &configurations, threads, on_progress)?;
        // Where no read came to the end, what opening the trace has told.
        let notes = noted.get().cloned().unwrap_or_else(|| opened.notes());
        Ok((swept, page_bytes, notes))
    });
    let (swept, page_bytes, notes) = progress.finish(result)?;
    let rows = PyList::empty(py);
    for (row, configuration) in swept.rows.iter().zip(&configurations) {
        let found = match &row.outcome {
            Ok(outcome) => outcome_row(py, outcome, page_bytes)?,
            Err(error) => failed(py, configuration, error)?,
        };
        found.set_item("complete", row.complete)?;
        rows.append(found)?;
    }
    SweepRow {
        rows,
        cancelled: swept.cancelled,
        reads: swept.reads,
        trace: to_dict(py, &notes)?,
    }
    .into_pyobject(py)
}

/// A sweep as a dict.
#[derive(IntoPyObject)]
struct SweepRow<'py> {
    rows: Bound<'py, PyList>,
    cancelled: bool,
    reads: u32,
    trace: Bound<'py, PyDict>,
}

#[pyfunction]
#[pyo3(signature = (path, configurations, sample_rate, *, seed=0, warm_up=WarmUpGiven::Accesses(0), threads=None, on_progress=None, **reading))]
#[expect(clippy::too_many_arguments, reason = "the trace argument group")]
fn miniatures<'py>(
    py: Python<'py>,
    path: PathBuf,
    configurations: Vec<Bound<'py, PyDict>>,
    sample_rate: f64,
    seed: u64,
    warm_up: WarmUpGiven,
    threads: Option<usize>,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let warm_up = warm_up.asked()?;
    let configurations = read_configurations(configurations)?;
    let threads = threads_or_cores(threads)?;
    let spec = trace_spec(path, reading)?;
    let mut progress = PyProgress::new(on_progress);
    let result = py.detach(|| {
        let noted = Arc::default();
        let open = &mut || {
            let mut trace = open_source(&spec)?;
            trace.tell_at_end(&noted);
            trace.with_warm_up(warm_up)?;
            if configurations.iter().any(Configuration::needs_times) {
                trace.with_times();
            }
            Ok(trace)
        };
        let on_progress = &mut |step| progress.call(step);
        let found = core_miniatures(
            open,
            &configurations,
            sample_rate,
            seed,
            threads,
            on_progress,
        )?;
        let notes = match noted.get() {
            Some(notes) => notes.clone(),
            None => open_source(&spec)?.notes(),
        };
        Ok((found, notes))
    });
    let (swept, notes) = progress.finish(result)?;
    let rows = PyList::empty(py);
    for (outcome, configuration) in swept.rows.iter().zip(&configurations) {
        let row = match outcome {
            Ok(found) => estimated(py, configuration, found, sample_rate)?,
            Err(error) => failed(py, configuration, error)?,
        };
        row.set_item("complete", outcome.is_ok())?;
        rows.append(row)?;
    }
    MiniaturesRow {
        rows,
        cancelled: swept.cancelled,
        trace: to_dict(py, &notes)?,
    }
    .into_pyobject(py)
}

/// Miniatures as a dict.
#[derive(IntoPyObject)]
struct MiniaturesRow<'py> {
    rows: Bound<'py, PyList>,
    cancelled: bool,
    trace: Bound<'py, PyDict>,
}

fn estimated<'py>(
    py: Python<'py>,
    configuration: &Configuration,
    found: &Miniature,
    sample_rate: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let row = asked(py, configuration)?;
    if found.warm_up > 0 {
        row.set_item("warm_up", found.warm_up)?;
    }
    row.set_item("accesses", found.accesses)?;
    row.set_item("distinct_pages", found.distinct_pages)?;
    row.set_item("sample_rate", sample_rate)?;
    row.set_item("miniature_rate", found.rate)?;
    row.set_item("too_small", found.too_small)?;
    let intervals = PyDict::new(py);
    for estimate in &found.counters {
        row.set_item(estimate.name, estimate.value)?;
        intervals.set_item(estimate.name, estimate.interval)?;
    }
    let stated = found.counters.iter().all(|known| known.interval.is_some());
    row.set_item("interval95", stated.then_some(intervals))?;
    row.set_item("warnings", to_python_value(py, &found.warnings)?)?;
    Ok(row)
}

/// The row of a configuration that has no result.
fn failed<'py>(
    py: Python<'py>,
    configuration: &Configuration,
    error: &Error,
) -> PyResult<Bound<'py, PyDict>> {
    let row = asked(py, configuration)?;
    row.set_item("error", error.to_string())?;
    row.set_item("hint", error.hint())?;
    Ok(row)
}

/// What was asked for, as the row's first keys.
fn asked<'py>(py: Python<'py>, configuration: &Configuration) -> PyResult<Bound<'py, PyDict>> {
    let (key, name, sizes) = match configuration {
        Configuration::Policy {
            policy: name,
            pages,
            ..
        }
        | Configuration::Buffer {
            buffer: name,
            pages,
            ..
        } => ("policy", name, vec![("pages", pages)]),
        Configuration::Scheme {
            scheme: name,
            ram_pages,
            flash_pages,
            ..
        }
        | Configuration::Chooser {
            chooser: name,
            ram_pages,
            flash_pages,
            ..
        }
        | Configuration::FlashCache {
            flash_cache: name,
            ram_pages,
            flash_pages,
            ..
        } => (
            "scheme",
            name,
            vec![("ram_pages", ram_pages), ("flash_pages", flash_pages)],
        ),
    };
    let row = PyDict::new(py);
    row.set_item(key, name)?;
    for (key, pages) in sizes {
        row.set_item(key, pages)?;
    }
    Ok(row)
}
