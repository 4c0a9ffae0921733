//! Progress and cancellation of a pass over a trace.

use crate::access::AccessSource;
use crate::error::{Error, Result};

/// What a running pass tells: once every chunk or so, never per access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Input bytes read so far (accesses for in-memory sources).
    pub done: u64,
    /// Input bytes in all; 0 if unknown.
    pub total: u64,
    /// Accesses processed so far.
    pub accesses: u64,
    /// Records read so far, where a raw trace is read.
    pub requests: Option<u64>,
}

/// Called between chunks; returning `false` cancels the pass with [`Error::Cancelled`].
pub type OnProgress<'a> = &'a mut dyn FnMut(Progress) -> bool;

/// Reports the position of `source` and turns a refusal into [`Error::Cancelled`].
pub fn report(
    source: &dyn AccessSource,
    accesses: u64,
    on_progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<()> {
    let (done, total) = source.position();
    if on_progress(Progress {
        done,
        total,
        accesses,
        requests: source.requests_read(),
    }) {
        Ok(())
    } else {
        Err(Error::Cancelled)
    }
}
