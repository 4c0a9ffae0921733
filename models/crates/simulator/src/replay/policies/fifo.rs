//! First in, first out.

use super::Policy;
use crate::replay::ring::Ring;

/// Evicts the page that entered first.
#[derive(Debug)]
pub(crate) struct Fifo {
    ring: Ring,
}

impl Policy for Fifo {
    fn new(capacity: u32) -> Self {
        Self {
            ring: Ring::new(capacity),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.ring.grow(pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.ring.contains(page)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.ring.len()
    }

    #[inline]
    fn on_hit(&mut self, _page: u32) {}

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        self.ring.evict_at_hand()
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.ring.insert(page);
    }

    fn recount(&self) -> Result<(), String> {
        self.ring.recount()
    }
}
