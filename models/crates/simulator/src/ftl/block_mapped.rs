//! Block mapping: a logical block is one block, a page has its place there.

use std::collections::VecDeque;

use super::Settings;
use super::blocks::{Blocks, NONE, layer_of_blocks, of_blocks};
use super::buffer::Serves;

/// Block mapping with replacement blocks, as the first devices had (Ban, US patent 5,404,485; Kim and others 2002,
/// section 2).
///
/// ```text
/// write(page):          b = its logical block, s = its place there; slots are programmed in ascending order
///     b has a replacement and s was not passed in it:
///                       copy what lies before s and was not copied yet; write the page to s of it;
///                       s is the last place: finish(b)
///     b has a replacement: finish(b)
///     b has no block:   take an erased one
///     s was not passed in the block of b: write the page to s of it
///     else: as many replacements as there may be: finish the one taken first
///           take an erased block as the replacement of b; copy what lies before s; write the page to s of it;
///           s is the last place: finish(b)
/// finish(b):            copy what lies behind to the replacement, which is the block of b; erase the former one;
///                       a switch if nothing was copied to it, else a partial merge
/// ```
///
/// What is not in use is not copied. There may be as many replacements as blocks beyond the logical ones, less one.
#[derive(Debug)]
pub(super) struct BlockMapped {
    blocks: Blocks,
    data: Vec<u32>,
    /// Block that replaces each logical block's, and the pages copied to it.
    replacement: Vec<(u32, u32)>,
    /// Logical blocks that are replaced, longest first.
    order: VecDeque<u32>,
    most: usize,
}

impl BlockMapped {
    pub(super) fn new(settings: &Settings) -> Self {
        let logical = settings.logical_blocks() as usize;
        Self {
            blocks: Blocks::new(settings),
            data: vec![NONE; logical],
            replacement: vec![(NONE, 0); logical],
            order: VecDeque::new(),
            most: settings.log_blocks() as usize,
        }
    }

    fn finish(&mut self, logical: u32) {
        let at = logical as usize;
        let (block, mut copied) = std::mem::replace(&mut self.replacement[at], (NONE, 0));
        let behind = self.blocks.next(block)..self.blocks.block_pages;
        copied += self.blocks.copy(self.data[at], block, behind);
        self.blocks.erase(self.data[at]);
        self.data[at] = block;
        self.order.retain(|&other| other != logical);
        self.blocks.merges.switch += u64::from(copied == 0);
        self.blocks.merges.partial += u64::from(copied > 0);
    }

    /// Writes a page to the replacement of its block, which has not passed its place.
    fn replace(&mut self, logical: u32, slot: u32, page: u32) {
        let at = logical as usize;
        let (block, copied) = self.replacement[at];
        let before = self.blocks.next(block)..slot;
        let more = self.blocks.copy(self.data[at], block, before);
        self.replacement[at].1 = copied + more;
        self.blocks.write(block, slot, page);
        if slot + 1 == self.blocks.block_pages {
            self.finish(logical);
        }
    }
}

impl Serves for BlockMapped {
    fn write(&mut self, page: u32, _stream: u32) {
        let (logical, slot) = self.blocks.of(page);
        let at = logical as usize;
        if self.replacement[at].0 != NONE {
            if slot >= self.blocks.next(self.replacement[at].0) {
                return self.replace(logical, slot, page);
            }
            self.finish(logical);
        }
        if self.data[at] == NONE {
            self.data[at] = self.blocks.open();
        }
        if slot >= self.blocks.next(self.data[at]) {
            return self.blocks.write(self.data[at], slot, page);
        }
        if self.order.len() == self.most
            && let Some(&oldest) = self.order.front()
        {
            self.finish(oldest);
        }
        self.replacement[at] = (self.blocks.open(), 0);
        self.order.push_back(logical);
        self.replace(logical, slot, page);
    }

    of_blocks!();
}

layer_of_blocks!(BlockMapped);
