//! Every function of the module in one wrapper: a panic of the core is an exception like the others.

use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use tierwright_simulator::Error;
use tierwright_simulator::defects::watched;

use crate::errors::to_python;

/// Puts a guarded function in the place of each function of the module.
pub(crate) fn guard(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for (name, item) in module.dict() {
        if item.is_instance_of::<PyCFunction>() {
            let name: String = name.extract()?;
            module.setattr(&*name, guarded(&name, &item)?)?;
        }
    }
    Ok(())
}

fn guarded<'py>(name: &str, function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCFunction>> {
    let py = function.py();
    // From the first line of its text Python reads how a function of C is called.
    let text = |attribute| -> PyResult<String> {
        let text: Option<String> = function.getattr(attribute)?.extract()?;
        Ok(text.unwrap_or_default())
    };
    let signature = text("__text_signature__")?;
    let doc = format!("{name}{signature}\n--\n\n{}", text("__doc__")?);
    // Python keeps pointers to both for as long as it runs.
    let forever = |text: &str| -> PyResult<&'static std::ffi::CStr> {
        let text = CString::new(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Box::leak(text.into_boxed_c_str()))
    };
    let (name, doc) = (forever(name)?, forever(&doc)?);
    let function = function.clone().unbind();
    let call = move |args: &Bound<'_, PyTuple>, keywords: Option<&Bound<'_, PyDict>>| {
        let py = args.py();
        // PyO3 turns a panic inside the function into an exception, and that into a panic here.
        let call = AssertUnwindSafe(|| function.bind(py).call(args, keywords));
        let (result, said) = watched(|| catch_unwind(call));
        match result {
            Ok(result) => result.map(Bound::unbind),
            Err(_) => Err(to_python(&Error::Internal {
                message: said.unwrap_or_else(|| "a panic without a message".to_owned()),
            })),
        }
    };
    PyCFunction::new_closure(py, Some(name), Some(doc), call)
}

/// Panics, for the tests of what comes of it.
#[pyfunction]
pub(crate) fn _panic(py: Python<'_>, message: &str) {
    py.detach(|| panic!("{message}"));
}
