//! CLOCK, the one-bit second chance.

use super::{Guarding, Policy, Removable};
use crate::replay::bits::BitSet;
use crate::replay::queue::Queue;

/// The hand passes over pages used since it last came by, clearing their bit, and evicts the first
/// page whose bit is clear. A page enters with its bit clear, just behind the hand.
///
/// Corbato, A paging experiment with the Multics system, 1968; with which bit a page enters is left
/// open there.
///
/// ```text
/// hit:  used[pg] = 1
/// miss: while used[hand]: used[hand] = 0; hand = next page
///       evict hand; pg takes its place, used[pg] = 0; hand = next page
/// ```
///
/// The hand stands at the old end of a queue: a page it passes over becomes the newest.
///
/// The hand passes over a guarded page and leaves its bit alone: the page keeps its place on the clock.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    queue: Queue,
    used: BitSet,
}

impl Policy for Clock {
    type Guarded = Self;

    fn new(_capacity: u32) -> Self {
        Self::default()
    }

    fn grow(&mut self, pages: usize) {
        self.queue.grow(pages);
        self.used.grow(pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.queue.contains(page)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.queue.len()
    }

    #[inline]
    fn on_hit(&mut self, page: u32) {
        self.used.insert(page);
    }

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        loop {
            let page = self.queue.oldest();
            if !self.queue.is_guarded(page) && !self.used.take(page) {
                return self.queue.pop();
            }
            self.queue.renew_oldest();
        }
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.queue.insert(page);
    }

    fn recount(&self) -> Result<(), String> {
        self.queue.recount()?;
        match self.used.iter().find(|&page| !self.queue.contains(page)) {
            None => Ok(()),
            Some(page) => Err(format!("absent page {page} has its used bit set")),
        }
    }
}

impl Removable for Clock {
    fn expect_removal(&mut self) {
        self.queue.expect_removal();
    }

    #[inline]
    fn remove(&mut self, page: u32) {
        self.used.take(page);
        self.queue.remove(page);
    }
}

impl Guarding for Clock {
    fn expect_guards(&mut self) {
        self.queue.expect_guards();
    }

    fn is_guarded(&self, page: u32) -> bool {
        self.queue.is_guarded(page)
    }

    #[inline]
    fn guard(&mut self, page: u32) {
        self.queue.guard(page);
    }

    #[inline]
    fn release(&mut self, page: u32) {
        self.queue.release(page);
    }
}
