//! Stack distances one by one, for those that look at them during a replay.

use super::stack::Stack;

/// The depths at which pages are found in one unbounded LRU stack.
#[derive(Debug, Default)]
pub(crate) struct Depths {
    stack: Stack,
}

impl Depths {
    /// Makes room for the page numbers `0..pages`.
    pub(crate) fn grow(&mut self, pages: usize) {
        self.stack.grow(pages, 0);
    }

    /// Reads what is kept of some pages, all at once.
    pub(crate) fn fetch(&self, pages: &[u32]) {
        self.stack.fetch(pages);
    }

    /// Stack distance of the next access: 1 for the page accessed last, 0 for one never accessed.
    #[inline]
    pub(crate) fn reference(&mut self, page: u32) -> u32 {
        self.stack.reference(page)
    }
}
