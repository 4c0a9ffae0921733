//! RAM victims among the most accessed pages.

use super::Admission;
use super::ranks::Ranks;
use crate::replay::tier::Victim;

/// Takes a page if fewer than `f` pages were accessed more often so far, RAM hits included, where
/// `f` is the capacity of flash in pages.
///
/// The paper says "the f hottest pages, by hits"; here the counts never age, the access being made
/// counts, and pages with as many accesses as the `f`-th are all taken, so more than `f` may qualify.
/// A page on flash that stops to qualify stays until flash evicts it.
///
/// ```text
/// access to pg:   count(pg) += 1
/// v_r leaves RAM: admit if |{pages p: count(p) > count(v_r)}| < f
/// ```
#[derive(Debug)]
pub(crate) struct TopF {
    ranks: Ranks,
}

impl Admission for TopF {
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
    fn on_access(&mut self, page: u32, _write: bool, _in_ram: bool) {
        self.ranks.raise(page);
    }

    #[inline]
    fn admits(&self, victim: Victim) -> bool {
        self.ranks.is_among(victim.page)
    }

    fn recount(&self) -> Result<(), String> {
        self.ranks.recount()
    }
}
