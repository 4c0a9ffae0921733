//! Replays on simulated time, for Python.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tierwright_simulator::Error;
use tierwright_simulator::replay::{
    Arrivals, DeviceTimes, Replayed, TimedResult, Timing, categories_need_times, simulate_timed,
};
use tierwright_simulator::trace::OpenTrace;

use crate::arguments::{WarmUpGiven, to_dict, trace_spec};
use crate::errors::to_python;
use crate::flash_caches::flash_cache_row;
use crate::replay::{Counted, OfTrace, over_prepared_trace, page_count};

const NS_PER_US: f64 = 1e3;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(replay_timed, module)?)
}

/// Replays a trace through a scheme or a flash cache on simulated time.
#[pyfunction]
#[pyo3(signature = (path, scheme, ram_pages, flash_pages, timing, *, options=None, warm_up=WarmUpGiven::Accesses(0), on_progress=None, **reading))]
#[expect(clippy::too_many_arguments, reason = "the trace argument group")]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn replay_timed<'py>(
    py: Python<'py>,
    path: PathBuf,
    scheme: &str,
    ram_pages: &Bound<'py, PyAny>,
    flash_pages: &Bound<'py, PyAny>,
    timing: TimingGiven,
    options: Option<BTreeMap<String, String>>,
    warm_up: WarmUpGiven,
    on_progress: Option<Py<PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let warm_up = warm_up.asked()?;
    let ram_pages = page_count("ram-pages", ram_pages, 1)?;
    let flash_pages = page_count("flash-pages", flash_pages, 0)?;
    let timing = timing.asked()?;
    let options: Vec<_> = options.unwrap_or_default().into_iter().collect();
    let spec = trace_spec(path, reading)?;
    let page_bytes = AtomicU64::new(0);
    let prepare = |trace: &mut OpenTrace| {
        page_bytes.store(trace.summary().page_bytes, Ordering::Relaxed);
        if timing.needs_times() || categories_need_times(&options) {
            trace.with_times();
        }
        trace.with_warm_up(warm_up)
    };
    let (result, trace) =
        over_prepared_trace(py, &spec, on_progress, prepare, |source, on_progress| {
            let page_bytes = page_bytes.load(Ordering::Relaxed);
            let timing = Timing {
                page_bytes,
                ..timing
            };
            simulate_timed(
                source,
                scheme,
                ram_pages,
                flash_pages,
                &options,
                timing,
                on_progress,
            )
        })?;
    let row = match &result.replay {
        Replayed::Scheme(result) => to_dict(py, result)?,
        Replayed::FlashCache(result) => flash_cache_row(py, result, trace.page_bytes)?,
    };
    if let Some(crash) = &result.crash {
        row.set_item("crash", to_dict(py, crash)?)?;
    }
    row.set_item("response", to_dict(py, &result.response)?)?;
    row.set_item("page_bytes", trace.page_bytes)?;
    row.set_item("trace", trace.noted(py)?)?;
    Ok(row)
}

impl OfTrace for TimedResult {
    fn counted(&self) -> Counted {
        match &self.replay {
            Replayed::Scheme(result) => result.counted(),
            Replayed::FlashCache(result) => result.counted(),
        }
    }
}

/// What `replay_timed` is given as `timing`: a dict, times in µs.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct TimingGiven {
    arrivals: String,
    accesses_per_s: f64,
    clients: u32,
    think_us: f64,
    stretch: f64,
    flash: TimesGiven,
    disk: TimesGiven,
    exponential: bool,
    waits_for_writes: bool,
    seed: u64,
    window_us: f64,
    checkpoint_us: f64,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct TimesGiven {
    devices: u32,
    at_once: u32,
    read_us: f64,
    read_answered_us: f64,
    write_us: f64,
    write_answered_us: f64,
    batch_read_us: f64,
    batch_write_us: f64,
    beside_writes_us: f64,
}

impl TimingGiven {
    fn asked(&self) -> PyResult<Timing> {
        let arrivals = match self.arrivals.as_str() {
            "trace" => Arrivals::Trace {
                stretch: self.stretch,
            },
            "poisson" => Arrivals::Poisson {
                accesses_per_s: self.accesses_per_s,
            },
            "clients" => Arrivals::Clients {
                clients: self.clients,
                think_ns: self.think_us * NS_PER_US,
            },
            other => {
                return Err(to_python(&Error::BadParameter {
                    name: "arrivals",
                    value: other.to_owned(),
                    message: "is unknown".to_owned(),
                    hint: "use trace, poisson or clients".to_owned(),
                }));
            }
        };
        Ok(Timing {
            arrivals,
            flash: self.flash.times(),
            disk: self.disk.times(),
            exponential: self.exponential,
            waits_for_writes: self.waits_for_writes,
            seed: self.seed,
            window_ns: self.window_us * NS_PER_US,
            checkpoint_ns: self.checkpoint_us * NS_PER_US,
            page_bytes: 0,
        })
    }
}

impl TimesGiven {
    fn times(&self) -> DeviceTimes {
        DeviceTimes {
            devices: self.devices,
            at_once: self.at_once,
            read_ns: self.read_us * NS_PER_US,
            read_answered_ns: self.read_answered_us * NS_PER_US,
            write_ns: self.write_us * NS_PER_US,
            write_answered_ns: self.write_answered_us * NS_PER_US,
            batch_read_ns: self.batch_read_us * NS_PER_US,
            batch_write_ns: self.batch_write_us * NS_PER_US,
            beside_writes_ns: self.beside_writes_us * NS_PER_US,
        }
    }
}
