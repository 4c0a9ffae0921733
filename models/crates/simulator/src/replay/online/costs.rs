//! The cost formulas of Koltsidas and Viglas, sections 3.2 to 3.4, with those of the directory.
//!
//! The same as `tierwright.evaluate.page_flow.costs` in Python; a test holds them against each other.

use super::Scheme;

/// Time that one operation takes. [µs]
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Times {
    pub(super) flash_read: f64,
    pub(super) flash_write: f64,
    pub(super) disk_read: f64,
    pub(super) disk_write: f64,
    /// L, of the flash directory.
    pub(super) lookup: f64,
    /// U, of the flash directory.
    pub(super) update: f64,
}

/// What a scheme would see and do in some accesses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Flow {
    pub(super) flash_hits: f64,
    pub(super) flash_misses: f64,
    /// `p_d`: share of RAM misses whose victim is dirty.
    pub(super) dirty_share: f64,
    /// `p_dF`: share of flash misses whose flash victim is dirty.
    pub(super) flash_dirty_share: f64,
}

/// C1 + C1d, C2 + C2d or C3 + C3d, replacement itself being free. [µs]
pub(super) fn cost(scheme: Scheme, flow: Flow, times: &Times) -> f64 {
    let Flow {
        flash_hits: hits,
        flash_misses: misses,
        dirty_share,
        flash_dirty_share,
    } = flow;
    let missed = hits + misses;
    let q = if missed > 0.0 { hits / missed } else { 0.0 };
    let (flash_writes, lookups, updates) = match scheme {
        Scheme::Inclusive => (
            misses + dirty_share * missed,
            missed,
            dirty_share * missed + hits + 2.0 * misses,
        ),
        Scheme::Exclusive => (missed, missed, hits + 2.0 * misses),
        Scheme::Lazy => (
            misses + dirty_share * hits,
            2.0 * missed,
            missed * (q * dirty_share + 2.0 * (1.0 - q)) + hits,
        ),
    };
    hits * times.flash_read
        + flash_writes * times.flash_write
        + misses * times.disk_read
        + flash_dirty_share * misses * times.disk_write
        + lookups * times.lookup
        + updates * times.update
}
