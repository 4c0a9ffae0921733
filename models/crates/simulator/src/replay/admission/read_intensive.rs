//! RAM victims among the pages that are read most and written least.

use super::Admission;
use super::ranks::Ranks;
use crate::replay::settings::Need;
use crate::replay::tier::Victim;

/// Takes a page if it was read more often than written so far, RAM hits included, and fewer than
/// `f` pages have more reads less writes, where `f` is the capacity of flash in pages.
///
/// The paper says "the f pages that have the most read-intensive workload" and leaves the measure
/// open. Reads less writes prefers a page that is read often to one that is read rarely, which their
/// ratio would not, and keeps updated pages out. Ties and age as in the rule by frequency.
///
/// ```text
/// read of pg:     balance(pg) += 1
/// write of pg:    balance(pg) -= 1
/// v_r leaves RAM: admit if balance(v_r) > 0 and |{pages p: balance(p) > balance(v_r)}| < f
/// ```
#[derive(Debug)]
pub(crate) struct ReadIntensive {
    ranks: Ranks,
}

impl Admission for ReadIntensive {
    const NEEDS: &'static [Need] = &[Need::Writes];

    type AtMiss = super::all::All;

    fn new(flash_pages: u32) -> Self {
        Self {
            ranks: Ranks::new(flash_pages),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.ranks.grow(pages);
    }

    #[inline]
    fn on_access(&mut self, page: u32, write: bool, _in_ram: bool) {
        if write {
            self.ranks.lower(page);
        } else {
            self.ranks.raise(page);
        }
    }

    #[inline]
    fn admits(&self, victim: Victim) -> bool {
        self.ranks.is_among(victim.page)
    }

    fn recount(&self) -> Result<(), String> {
        self.ranks.recount()
    }
}
