//! When each block is accessed next, for a flash policy that needs the future.

use super::map::{BlockMap, Place};
use crate::replay::future::NEVER;

/// The next access to each place of each block. The next access to a block is the first of them, be it
/// to a page that is valid on flash, to one that RAM will answer, or to one that was not seen yet.
#[derive(Debug)]
pub(super) struct BlockFuture {
    block_pages: usize,
    next_accesses: Vec<u32>,
}

impl BlockFuture {
    /// Before the first access: each page of the map is accessed next where it is accessed first.
    pub(super) fn new(map: &BlockMap, block_pages: u32, first_accesses: &[u32]) -> Self {
        let block_pages = block_pages as usize;
        let mut future = Self {
            block_pages,
            next_accesses: vec![NEVER; map.blocks() * block_pages],
        };
        for (page, &first_access) in (0..).zip(first_accesses) {
            let place = map.place(page);
            let at = future.first_of(place.block) + usize::from(place.index);
            future.next_accesses[at] = first_access;
        }
        future
    }

    fn first_of(&self, block: u32) -> usize {
        block as usize * self.block_pages
    }

    /// The page at `place` is accessed now, and next at `next_access`; the answer is when its block is.
    pub(super) fn pass(&mut self, place: Place, next_access: u32) -> u32 {
        let first = self.first_of(place.block);
        let pages = &mut self.next_accesses[first..first + self.block_pages];
        pages[usize::from(place.index)] = next_access;
        pages.iter().copied().fold(NEVER, u32::min)
    }
}
