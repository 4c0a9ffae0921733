//! The Python module `tierwright._simulator`: converts, releases the GIL, converts back.

use pyo3::prelude::*;

mod arguments;
mod buffers;
mod configurations;
mod contenders;
mod curves;
mod errors;
mod flash_caches;
mod ftl;
mod guard;
mod ingest;
mod numbered;
mod online;
mod parts;
mod replay;
mod summaries;
mod timed;
mod transactions;

/// The simulator core.
#[pymodule(gil_used = false)]
mod _simulator {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::errors::register(module)?;
        crate::ingest::register(module)?;
        crate::replay::register(module)?;
        crate::contenders::register(module)?;
        crate::buffers::register(module)?;
        crate::curves::register(module)?;
        crate::numbered::register(module)?;
        crate::parts::register(module)?;
        crate::summaries::register(module)?;
        crate::timed::register(module)?;
        crate::ftl::register(module)?;
        crate::transactions::register(module)?;
        module.add_function(wrap_pyfunction!(crate::guard::_panic, module)?)?;
        // Last: it guards what is there.
        crate::guard::guard(module)
    }
}
