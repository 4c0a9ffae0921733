//! Least recently used.

use super::guarded::GuardedOrder;
use super::{Policy, Removable};
use crate::replay::recency::{Recency, Witness};

/// Evicts the page whose last reference is longest ago: the top of Mattson's stack of that height.
///
/// Mattson, Gecsei, Slutz and Traiger, IBM Systems Journal 1970.
///
/// ```text
/// hit:  pg becomes the most recent
/// miss: the least recent page leaves; pg enters as the most recent
/// ```
#[derive(Debug, Default)]
pub(crate) struct Lru {
    order: Recency,
}

impl Lru {
    /// The pages held, least recent first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.order.iter()
    }
}

impl Policy for Lru {
    type Guarded = GuardedOrder<true>;

    const IN_BULK: bool = true;

    fn new(_capacity: u32) -> Self {
        Self::default()
    }

    fn grow(&mut self, pages: usize) {
        self.order.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.order.fetch(pages);
    }

    fn upcoming(&self) -> &[u32] {
        self.order.upcoming()
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
        self.order.touch(page);
    }

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        self.order.pop_least_recent()
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.order.insert(page);
    }

    #[inline]
    fn reference(&mut self, capacity: u32, pages: &[u32], witness: &mut impl Witness) {
        self.order.reference(capacity, pages, witness);
    }

    fn recount(&self) -> Result<(), String> {
        self.order.recount()
    }
}

impl Removable for Lru {
    #[inline]
    fn remove(&mut self, page: u32) {
        self.order.remove(page);
    }
}
