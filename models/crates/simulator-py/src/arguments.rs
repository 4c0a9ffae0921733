//! What the boundary functions share: the trace argument group, progress, results as dicts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use tierwright_simulator::Error;
use tierwright_simulator::access::WarmUpAsked;
use tierwright_simulator::progress::Progress;
use tierwright_simulator::trace::TraceSpec;

use crate::errors::to_python;

/// The trace argument group besides the path, taken as keywords by every function that takes a trace:
/// `format`, `page_bytes`, `joined_page_bytes`, `columns`, `skip_bad_records`, `max_content_bytes`,
/// `max_expansion`, `members_apart`, `members_merged`, `others`, `device_bytes`.
/// None, like a keyword left out, stands for the default.
pub(crate) fn trace_spec(
    path: PathBuf,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<TraceSpec> {
    let mut spec = TraceSpec::new(path);
    let Some(reading) = reading else {
        return Ok(spec);
    };
    for (key, value) in reading.iter() {
        let key: String = key.extract()?;
        if value.is_none() {
            continue;
        }
        match key.as_str() {
            "format" => spec.format = Some(value.extract()?),
            "page_bytes" => spec.page_bytes = page_bytes(value.extract()?)?,
            "joined_page_bytes" => spec.joined_page_bytes = Some(page_bytes(value.extract()?)?),
            "columns" => spec.columns = value.extract::<BTreeMap<String, String>>()?,
            "skip_bad_records" => spec.skip_bad_records = value.extract()?,
            "max_content_bytes" => spec.limits.max_content_bytes = value.extract()?,
            "members_apart" => spec.members_apart = value.extract()?,
            "members_merged" => spec.members_merged = value.extract()?,
            "others" => spec.others = value.extract()?,
            "device_bytes" => spec.device_bytes = value.extract()?,
            "max_expansion" => spec.limits.max_expansion = value.extract()?,
            _ => {
                return Err(PyTypeError::new_err(format!(
                    "no function that takes a trace has a keyword argument `{key}`"
                )));
            }
        }
    }
    Ok(spec)
}

/// A warm-up: a number of accesses, or `full`, until the cache of each replay is full.
#[derive(FromPyObject)]
pub(crate) enum WarmUpGiven {
    Accesses(u64),
    Named(String),
}

impl WarmUpGiven {
    pub(crate) fn asked(self) -> PyResult<WarmUpAsked> {
        match self {
            Self::Accesses(accesses) => Ok(WarmUpAsked::Accesses(accesses)),
            Self::Named(name) if name == "full" => Ok(WarmUpAsked::UntilFull),
            Self::Named(name) => Err(to_python(&Error::BadParameter {
                name: "warm-up",
                value: name,
                message: "is not a number of accesses".to_owned(),
                hint: "give accesses, or full".to_owned(),
            })),
        }
    }
}

fn page_bytes(asked: i64) -> PyResult<u64> {
    u64::try_from(asked).map_err(|_| {
        to_python(&Error::BadParameter {
            name: "page-bytes",
            value: asked.to_string(),
            message: "is negative".to_owned(),
            hint: "give a power of two from 512 to 1048576, such as 4096".to_owned(),
        })
    })
}

/// A progress callback of Python: `on_progress(done_bytes, total_bytes, accesses) -> bool`; of the
/// functions that read raw traces, `on_progress(done_bytes, total_bytes, accesses, requests) -> bool`
/// with the records read, `None` where there are none.
///
/// It takes the GIL back only for the call. A Python exception, from the callback or from a signal
/// handler (Ctrl-C), stops the pass and is raised by [`Self::finish`].
pub(crate) struct PyProgress {
    callback: Option<Py<PyAny>>,
    with_requests: bool,
    raised: Option<PyErr>,
}

impl PyProgress {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        Self {
            callback,
            with_requests: false,
            raised: None,
        }
    }

    /// One that is told the records read too.
    pub(crate) fn with_requests(callback: Option<Py<PyAny>>) -> Self {
        Self {
            with_requests: true,
            ..Self::new(callback)
        }
    }

    /// To be called by the core between chunks, without the GIL.
    pub(crate) fn call(&mut self, progress: Progress) -> bool {
        Python::attach(|py| match self.call_attached(py, progress) {
            Ok(go_on) => go_on,
            Err(raised) => {
                self.raised = Some(raised);
                false
            }
        })
    }

    fn call_attached(&self, py: Python<'_>, progress: Progress) -> PyResult<bool> {
        py.check_signals()?;
        let Some(callback) = &self.callback else {
            return Ok(true);
        };
        let (done, total, accesses) = (progress.done, progress.total, progress.accesses);
        let answer = if self.with_requests {
            callback.call1(py, (done, total, accesses, progress.requests))?
        } else {
            callback.call1(py, (done, total, accesses))?
        };
        // Only False cancels: a callback that returns nothing has no objection.
        Ok(!answer
            .bind(py)
            .cast::<PyBool>()
            .is_ok_and(|answer| !answer.is_true()))
    }

    /// The core's result, or the exception that stopped it.
    pub(crate) fn finish<T>(self, result: tierwright_simulator::Result<T>) -> PyResult<T> {
        match self.raised {
            Some(raised) => Err(raised),
            None => result.map_err(|error| to_python(&error)),
        }
    }
}

/// A serialisable value as Python's dicts, lists and scalars.
pub(crate) fn to_python_value<'py>(
    py: Python<'py>,
    value: &impl serde::Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let json = serde_json::to_string(value)
        .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (json,))
}

/// A serialisable struct as a dict.
pub(crate) fn to_dict<'py>(
    py: Python<'py>,
    value: &impl serde::Serialize,
) -> PyResult<Bound<'py, PyDict>> {
    Ok(to_python_value(py, value)?.cast_into()?)
}
