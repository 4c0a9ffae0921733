//! Clean RAM victims only.

use super::Admission;
use crate::replay::settings::Need;
use crate::replay::tier::Victim;

/// Takes a page unless it is dirty: spares a flash that is slow at random writes the updates, and
/// lets it fail without loss.
///
/// A dirty page is written to disk when RAM evicts it and comes back clean, so it is admitted when
/// it is evicted without having been written again.
///
/// ```text
/// v_r leaves RAM: admit if v_r is clean
/// ```
#[derive(Debug)]
pub(crate) struct CleanOnly;

impl Admission for CleanOnly {
    const NEEDS: &'static [Need] = &[Need::Writes];

    type AtMiss = super::all::All;

    fn new(_flash_pages: u32) -> Self {
        Self
    }

    fn grow(&mut self, _pages: usize) {}

    #[inline]
    fn on_access(&mut self, _page: u32, _write: bool, _in_ram: bool) {}

    #[inline]
    fn admits(&self, victim: Victim) -> bool {
        !victim.dirty
    }

    fn recount(&self) -> Result<(), String> {
        Ok(())
    }
}
