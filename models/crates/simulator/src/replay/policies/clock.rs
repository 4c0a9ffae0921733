//! CLOCK, the one-bit second chance.

use super::Policy;
use crate::replay::bits::BitSet;
use crate::replay::ring::Ring;

/// The hand passes over pages used since it last came by, clearing their bit, and evicts the first
/// page whose bit is clear. A page enters with its bit clear, just behind the hand.
#[derive(Debug)]
pub(crate) struct Clock {
    ring: Ring,
    used: BitSet,
}

impl Policy for Clock {
    fn new(capacity: u32) -> Self {
        Self {
            ring: Ring::new(capacity),
            used: BitSet::default(),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.ring.grow(pages);
        self.used.grow(pages);
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
    fn on_hit(&mut self, page: u32) {
        self.used.insert(page);
    }

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        while self.used.take(self.ring.at_hand()) {
            self.ring.advance();
        }
        self.ring.evict_at_hand()
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.ring.insert(page);
    }

    fn recount(&self) -> Result<(), String> {
        self.ring.recount()?;
        match self.used.iter().find(|&page| !self.ring.contains(page)) {
            None => Ok(()),
            Some(page) => Err(format!("absent page {page} has its used bit set")),
        }
    }
}
