//! First in, first out.

use super::guarded::GuardedOrder;
use super::{Policy, Removable};
use crate::replay::queue::Queue;

/// Evicts the page that entered first.
///
/// Belady, IBM Systems Journal 1966.
///
/// ```text
/// hit:  nothing
/// miss: the oldest page leaves; pg enters as the newest
/// ```
#[derive(Debug, Default)]
pub(crate) struct Fifo {
    queue: Queue,
}

impl Policy for Fifo {
    type Guarded = GuardedOrder<false>;

    fn new(_capacity: u32) -> Self {
        Self::default()
    }

    fn grow(&mut self, pages: usize) {
        self.queue.grow(pages);
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
    fn on_hit(&mut self, _page: u32) {}

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        self.queue.pop()
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.queue.insert(page);
    }

    fn recount(&self) -> Result<(), String> {
        self.queue.recount()
    }
}

impl Removable for Fifo {
    fn expect_removal(&mut self) {
        self.queue.expect_removal();
    }

    #[inline]
    fn remove(&mut self, page: u32) {
        self.queue.remove(page);
    }
}
