//! The simulator core: reads traces, replays them through cache hierarchies, computes curves.
//!
//! Rooms: [`trace`] turns any supported file into [`access`] chunks with dense page numbers,
//! [`replay`] runs replacement policies and page-flow schemes over them, [`curve`] computes exact
//! LRU hit-ratio and write-back curves for all sizes in one pass, [`profile`] sums up what else a trace
//! is like, [`ftl`] is the flash device under any of them, [`transactions`] replays events of transactions over
//! it. Nothing here knows Python, HTTP or a clock.

pub mod access;
mod broadcast;
pub mod curve;
pub mod defects;
pub mod error;
pub mod ftl;
pub mod hash;
mod kept;
mod processor;
pub mod profile;
pub mod progress;
mod random;
pub mod replay;
pub mod sweep;
pub mod trace;
pub mod transactions;
pub mod wording;

pub use error::{Error, Result};
