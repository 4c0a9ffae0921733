//! RAM victims that were accessed again while they were in RAM.

use super::Admission;
use crate::replay::bits::BitSet;
use crate::replay::tier::Victim;

/// Takes a page that was accessed at least twice during the stay in RAM that ends: the access that
/// brought it in is the first. Each stay counts anew, so a page that came from flash and was used
/// once leaves through the disk.
///
/// ```text
/// pg misses RAM:  again(pg) = false
/// pg hits RAM:    again(pg) = true
/// v_r leaves RAM: admit if again(v_r)
/// ```
#[derive(Debug)]
pub(crate) struct AccessedTwice {
    again: BitSet,
}

impl Admission for AccessedTwice {
    type AtMiss = super::all::All;

    fn new(_flash_pages: u32) -> Self {
        Self {
            again: BitSet::default(),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.again.grow(pages);
    }

    #[inline]
    fn on_access(&mut self, page: u32, _write: bool, in_ram: bool) {
        self.again.take(page);
        self.again.insert_if(page, in_ram);
    }

    #[inline]
    fn admits(&self, victim: Victim) -> bool {
        self.again.contains(victim.page)
    }

    fn recount(&self) -> Result<(), String> {
        Ok(())
    }
}
