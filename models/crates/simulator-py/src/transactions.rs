//! Transactions over flash, for Python.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use tierwright_simulator::Error;
use tierwright_simulator::transactions::{
    self as core, Geometry, Kind, Refusal, SYSTEMS, Settings, Source, Stopped, Written,
};

use crate::arguments::{PyProgress, to_dict};
use crate::errors::to_python;
use crate::ftl::DeviceGiven;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(transaction_systems, module)?)?;
    module.add_function(wrap_pyfunction!(parse_transaction_events, module)?)?;
    module.add_function(wrap_pyfunction!(survey_transaction_file, module)?)?;
    module.add_function(wrap_pyfunction!(replay_transaction_file, module)?)?;
    module.add_function(wrap_pyfunction!(replay_transaction_events, module)?)
}

/// What is replayed, and over what.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Given {
    systems: Vec<String>,
    ram_pages: u32,
    database_pages: u64,
    record_bytes: u64,
    blocks: u64,
    block_pages: u64,
    page_bytes: u64,
    device: Option<DeviceGiven>,
    durable: bool,
    checkpoint_pages: u64,
    crash_after: Option<u64>,
    most_steps: Option<u64>,
    list: bool,
}

impl Given {
    fn asked(self) -> PyResult<Settings> {
        let device = self.device.map(|device| device.asked(0)).transpose()?;
        Ok(Settings {
            systems: self.systems,
            ram_pages: self.ram_pages,
            database_pages: self.database_pages,
            record_bytes: self.record_bytes,
            geometry: Geometry {
                blocks: self.blocks,
                block_pages: self.block_pages,
                page_bytes: self.page_bytes,
            },
            device,
            durable: self.durable,
            checkpoint_pages: self.checkpoint_pages,
            crash_after: self.crash_after,
            most_steps: self.most_steps,
            list: self.list,
        })
    }
}

/// Kind, id, page and clock of an event.
type EventGiven = (String, String, Option<u64>, Option<f64>);

/// Name, title and description of every system.
#[pyfunction]
fn transaction_systems() -> Vec<(&'static str, &'static str, &'static str)> {
    let table = SYSTEMS.iter();
    table
        .map(|about| (about.name, about.title, about.description))
        .collect()
}

/// Reads events from text: the events, and number and content of the lines that are none.
#[pyfunction]
fn parse_transaction_events(text: &str) -> (Vec<EventGiven>, Vec<(usize, String)>) {
    let (mut events, mut wrong) = (Vec::new(), Vec::new());
    for (number, line) in text.split('\n').enumerate() {
        match core::parse_line(line.as_bytes()) {
            Ok(None) => {}
            Ok(Some(found)) => {
                let touches = matches!(found.kind, Kind::Read | Kind::Update);
                events.push((
                    found.kind.word().to_owned(),
                    found.name.to_owned(),
                    touches.then_some(found.page),
                    found.time,
                ));
            }
            Err(()) => wrong.push((number + 1, core::shown(line.as_bytes()))),
        }
    }
    (events, wrong)
}

/// Replays the events of a file of any length.
#[pyfunction]
#[pyo3(signature = (path, settings, on_progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn replay_transaction_file(
    py: Python<'_>,
    path: PathBuf,
    settings: Given,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyDict>> {
    let settings = settings.asked()?;
    let mut progress = PyProgress::new(on_progress);
    let found = py.detach(|| {
        core::replay(Source::File(&path), &settings, &mut |step| {
            progress.call(step)
        })
    });
    answer(py, found, progress)
}

/// Counts what a file of events of any length holds.
#[pyfunction]
#[pyo3(signature = (path, on_progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn survey_transaction_file(
    py: Python<'_>,
    path: PathBuf,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyDict>> {
    let mut progress = PyProgress::new(on_progress);
    let found = py.detach(|| core::survey(&path, &mut |step| progress.call(step)));
    answer(py, found, progress)
}

/// Replays events in memory.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn replay_transaction_events(
    py: Python<'_>,
    events: Vec<EventGiven>,
    settings: Given,
) -> PyResult<Bound<'_, PyDict>> {
    let settings = settings.asked()?;
    let kinds = events
        .iter()
        .map(|event| {
            Kind::called(&event.0).ok_or_else(|| {
                to_python(&Error::BadParameter {
                    name: "events",
                    value: event.0.clone(),
                    message: "is not the kind of an event".to_owned(),
                    hint: "use begin, read, update, commit or abort".to_owned(),
                })
            })
        })
        .collect::<PyResult<Vec<_>>>()?;
    let mut progress = PyProgress::new(None);
    let found = py.detach(|| {
        let mut written = events.iter().zip(kinds).map(|(event, kind)| Written {
            kind,
            name: &event.1,
            page: event.2.unwrap_or(u64::MAX),
            time: event.3,
        });
        core::replay(Source::Events(&mut written), &settings, &mut |step| {
            progress.call(step)
        })
    });
    answer(py, found, progress)
}

/// What was found, or `refused` with what is wrong.
fn answer<T: serde::Serialize>(
    py: Python<'_>,
    found: Result<T, Stopped>,
    progress: PyProgress,
) -> PyResult<Bound<'_, PyDict>> {
    match found {
        Ok(found) => to_dict(py, &progress.finish(Ok(found))?),
        Err(Stopped::Failed(error)) => to_dict(py, &progress.finish(Err::<T, _>(error))?),
        Err(Stopped::Refused(refusal)) => {
            let Refusal {
                part,
                place,
                value,
                message,
                hint,
            } = *refusal;
            let said = PyDict::new(py);
            for (name, text) in [
                ("part", part),
                ("place", &place),
                ("value", &value),
                ("message", &message),
                ("hint", &hint),
            ] {
                said.set_item(name, PyString::new(py, text))?;
            }
            let outer = PyDict::new(py);
            outer.set_item("refused", said)?;
            Ok(outer)
        }
    }
}
