//! Every RAM victim.

use super::Admission;
use crate::replay::tier::Victim;

/// Refuses nothing and keeps nothing.
///
/// ```text
/// v_r leaves RAM: admit
/// ```
#[derive(Debug)]
pub(crate) struct All;

impl Admission for All {
    const CAN_REJECT: bool = false;

    type AtMiss = Self;

    fn new(_flash_pages: u32) -> Self {
        Self
    }

    fn grow(&mut self, _pages: usize) {}

    #[inline]
    fn on_access(&mut self, _page: u32, _write: bool, _in_ram: bool) {}

    #[inline]
    fn admits(&self, _victim: Victim) -> bool {
        true
    }

    fn recount(&self) -> Result<(), String> {
        Ok(())
    }
}
