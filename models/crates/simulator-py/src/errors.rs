//! Maps the core's errors to Python exceptions: one place, one base class.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use tierwright_simulator::Error;
use tierwright_simulator::trace::formats::Detection;

use crate::arguments::to_python_value;

create_exception!(
    tierwright._simulator,
    SimulatorError,
    PyException,
    "Base of the core's errors; args are (message, hint), and str is their text for a notebook."
);
create_exception!(
    tierwright._simulator,
    TraceError,
    SimulatorError,
    "A trace cannot be read or understood."
);
create_exception!(
    tierwright._simulator,
    UndecidedFormat,
    TraceError,
    "No format, or more than one, fits the file; `candidates` lists the possible ones."
);
create_exception!(
    tierwright._simulator,
    ParameterError,
    SimulatorError,
    "A parameter is unknown or out of range."
);
create_exception!(
    tierwright._simulator,
    CoreDefect,
    PyException,
    "A defect in the core: it panicked or contradicted itself. Not a SimulatorError, because no input is at fault."
);
create_exception!(
    tierwright._simulator,
    Cancelled,
    SimulatorError,
    "The progress callback asked to stop."
);

/// The Python exception for a core error; `args == (message, hint)`.
pub(crate) fn to_python(error: &Error) -> PyErr {
    let arguments = (error.to_string(), error.hint().to_owned());
    match error {
        Error::Io { source, .. } => with_errno(TraceError::new_err(arguments), source),
        Error::BadTrace { .. } | Error::Unreadable { .. } => TraceError::new_err(arguments),
        Error::UndecidedFormat { candidates, .. } => undecided(arguments, candidates),
        Error::BadParameter { .. } => ParameterError::new_err(arguments),
        Error::Internal { .. } => CoreDefect::new_err(arguments),
        Error::Cancelled => Cancelled::new_err(arguments),
    }
}

/// The error with the system's number of what went wrong in the attribute `errno`, if it has one.
fn with_errno(error: PyErr, source: &std::io::Error) -> PyErr {
    Python::attach(
        |py| match error.value(py).setattr("errno", source.raw_os_error()) {
            Ok(()) => error,
            Err(other) => other,
        },
    )
}

/// `UndecidedFormat` with its candidates as dicts in the attribute `candidates`.
fn undecided(arguments: (String, String), candidates: &[Detection]) -> PyErr {
    let error = UndecidedFormat::new_err(arguments);
    Python::attach(|py| {
        match to_python_value(py, &candidates)
            .and_then(|candidates| error.value(py).setattr("candidates", candidates))
        {
            Ok(()) => error,
            Err(other) => other,
        }
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    // A notebook shows an error by its `str`, which must not hold the marks of parameters.
    let text = py
        .import("tierwright.common.errors")?
        .getattr("text_of_core")?;
    py.get_type::<SimulatorError>().setattr("__str__", text)?;
    module.add("SimulatorError", py.get_type::<SimulatorError>())?;
    module.add("TraceError", py.get_type::<TraceError>())?;
    module.add("UndecidedFormat", py.get_type::<UndecidedFormat>())?;
    module.add("ParameterError", py.get_type::<ParameterError>())?;
    module.add("CoreDefect", py.get_type::<CoreDefect>())?;
    module.add("Cancelled", py.get_type::<Cancelled>())
}
