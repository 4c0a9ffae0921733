//! RAM victims as an assignment of categories to admissions says.

use super::Admission;
use crate::access::Chunk;
use crate::error::Result;
use crate::replay::flash_caches::Gate;
use crate::replay::tier::Victim;
use crate::replay::two_tier::Warning;

/// Decides at each miss of RAM about the stay in RAM that it begins, as [`Gate`] does before a flash cache.
///
/// ```text
/// request:         a miss of RAM, or a dirty page that leaves it; they are numbered
/// pg misses RAM:   pg is on flash, or the rule of its category admits it: stays(pg) = true, else false
/// v_r leaves RAM:  admit if stays(v_r)
/// inclusive: pg goes to flash, if it is not there, if stays(pg); v_r is there if stays(v_r)
/// ```
#[derive(Debug)]
pub(crate) struct ByCategory {
    /// None until it is assigned.
    gate: Option<Gate>,
}

impl Admission for ByCategory {
    const NEEDS_ADDRESSES: bool = true;
    const NEEDS_TIMES: bool = true;
    const KEEPS_COPIES: bool = true;
    type AtMiss = Self;

    fn new(_flash_pages: u32) -> Self {
        Self { gate: None }
    }

    fn assign(&mut self, gate: Gate) {
        self.gate = Some(gate);
    }

    fn grow(&mut self, pages: usize) {
        if let Some(gate) = &mut self.gate {
            gate.grow(pages);
        }
    }

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.gate
            .as_mut()
            .map_or(Ok(()), |gate| gate.classify(chunk, spaces))
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        if let (Some(gate), Some(before)) = (&mut self.gate, &mut crashed.gate) {
            gate.keep_places(before);
        }
    }

    #[inline]
    fn on_access(&mut self, page: u32, _write: bool, in_ram: bool) {
        if let Some(gate) = &mut self.gate {
            if in_ram {
                gate.pass();
            } else {
                let heard = gate.admits(page);
                gate.hear(page, heard);
            }
        }
    }

    #[inline]
    fn on_flash_hit(&mut self, page: u32) {
        if let Some(gate) = &mut self.gate {
            gate.hear(page, true);
        }
    }

    #[inline]
    fn on_exit(&mut self, victim: Victim) {
        if let Some(gate) = &mut self.gate
            && victim.dirty
        {
            gate.request(victim.page);
        }
    }

    #[inline]
    fn admits_at_miss(&self, page: u32) -> bool {
        self.gate.as_ref().is_none_or(|gate| gate.hears(page))
    }

    #[inline]
    fn admits(&self, victim: Victim) -> bool {
        self.gate
            .as_ref()
            .is_none_or(|gate| gate.hears(victim.page))
    }

    fn notes(&self) -> Vec<Warning> {
        self.gate.as_ref().map_or_else(Vec::new, Gate::notes)
    }

    fn recount(&self) -> std::result::Result<(), String> {
        Ok(())
    }
}
