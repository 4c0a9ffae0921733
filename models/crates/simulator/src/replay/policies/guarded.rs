//! LRU and FIFO of which pages can be guarded.

use super::{Guarding, Policy, Removable};
use crate::replay::bits::BitSet;
use crate::replay::recency::protected::ProtectedRecency;

/// LRU if a hit renews its page, else FIFO. The victim is the first open page of the order; those before it
/// keep their places (rule I3 of the inclusive scheme).
///
/// Guarded pages of flash under RAM gather at the old end, so a walk over them at each eviction would be
/// a walk over RAM: the order has a set of its open places.
#[derive(Debug)]
pub(crate) struct GuardedOrder<const RENEWS: bool> {
    order: ProtectedRecency,
}

impl<const RENEWS: bool> Policy for GuardedOrder<RENEWS> {
    type Guarded = Self;

    fn new(_capacity: u32) -> Self {
        Self {
            order: ProtectedRecency::new(),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.order.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.order.fetch(pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.order.contains(page)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.order.len()
    }

    #[inline]
    fn on_hit(&mut self, page: u32) {
        if RENEWS {
            if self.order.is_protected(page) {
                self.order.touch_protected(page);
            } else {
                self.order.touch(page);
            }
        }
    }

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        let victim = self.order.pop_least_recent_unprotected();
        victim.expect("a page that may leave")
    }

    #[inline]
    fn evict_by_dirt(&mut self, incoming: u32, _dirty: &BitSet) -> u32 {
        self.evict(incoming)
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.order.insert(page);
    }

    fn recount(&self) -> Result<(), String> {
        self.order.recount()
    }
}

impl<const RENEWS: bool> Removable for GuardedOrder<RENEWS> {
    #[inline]
    fn remove(&mut self, page: u32) {
        self.order.remove(page);
    }
}

impl<const RENEWS: bool> Guarding for GuardedOrder<RENEWS> {
    const WALKS: bool = false;

    fn expect_guards(&mut self) {}

    #[inline]
    fn is_guarded(&self, page: u32) -> bool {
        self.order.is_protected(page)
    }

    #[inline]
    fn guard(&mut self, page: u32) {
        self.order.protect(page);
    }

    #[inline]
    fn release(&mut self, page: u32) {
        self.order.release(page);
    }

    #[inline]
    fn insert_guarded(&mut self, page: u32) {
        self.order.insert_protected(page);
    }

    #[inline]
    fn hit_and_guard(&mut self, page: u32) {
        if RENEWS {
            self.order.touch_and_protect(page);
        } else {
            self.order.protect(page);
        }
    }

    #[inline]
    fn hit_and_release(&mut self, page: u32) {
        if RENEWS {
            self.order.touch_and_release(page);
        } else {
            self.order.release(page);
        }
    }
}
