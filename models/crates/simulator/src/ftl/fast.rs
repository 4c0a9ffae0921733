//! FAST: block mapping with log blocks that all logical blocks share.

use std::collections::VecDeque;

use super::Settings;
use super::blocks::{Blocks, NONE, layer_of_blocks, of_blocks};
use super::buffer::Serves;

/// Fully associative log blocks: Lee, Park, Chung, Lee, Park and Song, *A log buffer-based flash translation layer
/// using fully-associative sector translation*, ACM Transactions on Embedded Computing Systems 6(3), 2007.
///
/// ```text
/// write(page):          b = its logical block, s = its place there; slots are programmed in ascending order
///     b has no block:   take an erased one
///     s was not passed in the block of b: write the page to s of it
///     s = 0:            there is a sequential log block: merge it, and begin again
///                       take an erased block as the sequential log block, of b; write the page to slot 0
///     the sequential log block is of b, and s is its next slot: write the page there
///     else:             the last random log block is full, or there is none:
///                           as many as there may be: collect(), and begin again
///                           take an erased block as the last random log block
///                       write the page to its next slot
/// merge the sequential log block, of b:
///                       copy what lies behind in the block of b; it is the block of b; erase the former one;
///                       a switch if nothing was copied, else a partial merge
/// collect():            for each logical block with a page in use in the first random log block, in the order
///                       of its slots: a full merge: copy what is in use of it, wherever that is, to an erased
///                       block, which is its block; erase the former one, and the sequential log block if it
///                       is of it
///                       erase the first random log block
/// ```
///
/// What is not in use is not copied; newer pages in random log blocks stay there when the sequential one is
/// merged. There may be as many log blocks as blocks beyond the logical ones, less one for merges; one of them
/// is the sequential one.
///
/// Choice: a page of the logical block of the sequential log block that is not the next one goes to a random
/// log block; the paper merges the sequential log block then.
#[derive(Debug)]
pub(super) struct Fast {
    blocks: Blocks,
    data: Vec<u32>,
    /// Logical block and block of the sequential log block.
    sequential: Option<(u32, u32)>,
    /// Random log blocks, first taken first.
    random: VecDeque<u32>,
    most: usize,
}

impl Fast {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            blocks: Blocks::new(settings),
            data: vec![NONE; settings.logical_blocks() as usize],
            sequential: None,
            random: VecDeque::new(),
            most: settings.log_blocks() as usize - 1,
        }
    }

    fn merge_sequential(&mut self) -> bool {
        let Some((logical, block)) = self.sequential.take() else {
            return false;
        };
        let at = logical as usize;
        let behind = self.blocks.next(block)..self.blocks.block_pages;
        let copied = self.blocks.copy(self.data[at], block, behind);
        self.blocks.erase(self.data[at]);
        self.data[at] = block;
        self.blocks.merges.switch += u64::from(copied == 0);
        self.blocks.merges.partial += u64::from(copied > 0);
        true
    }

    fn merge_full(&mut self, logical: u32) {
        let at = logical as usize;
        let to = self.blocks.gather(logical);
        let former = std::mem::replace(&mut self.data[at], to);
        self.blocks.erase(former);
        if let Some((of, block)) = self.sequential
            && of == logical
        {
            self.blocks.erase(block);
            self.sequential = None;
        }
        self.blocks.merges.full += 1;
    }

    fn collect(&mut self) {
        let Some(victim) = self.random.pop_front() else {
            return;
        };
        loop {
            let first = self.blocks.valid(victim).next();
            // A merge leaves nothing in use of its logical block behind.
            let Some(page) = first else { break };
            self.merge_full(self.blocks.of(page).0);
        }
        self.blocks.erase(victim);
    }

    /// The last random log block with its next slot, if it has one.
    fn random_slot(&self) -> Option<(u32, u32)> {
        let &last = self.random.back()?;
        let next = self.blocks.next(last);
        (next < self.blocks.block_pages).then_some((last, next))
    }
}

impl Serves for Fast {
    fn write(&mut self, page: u32, _stream: u32) {
        let (logical, slot) = self.blocks.of(page);
        let at = logical as usize;
        loop {
            if self.data[at] == NONE {
                self.data[at] = self.blocks.open();
            }
            if slot >= self.blocks.next(self.data[at]) {
                return self.blocks.write(self.data[at], slot, page);
            }
            if slot == 0 {
                if self.merge_sequential() {
                    continue;
                }
                let block = self.blocks.open();
                self.sequential = Some((logical, block));
                return self.blocks.write(block, 0, page);
            }
            if let Some((of, block)) = self.sequential
                && of == logical
                && slot == self.blocks.next(block)
            {
                return self.blocks.write(block, slot, page);
            }
            if let Some((block, next)) = self.random_slot() {
                return self.blocks.write(block, next, page);
            }
            if self.random.len() == self.most {
                self.collect();
            } else {
                let block = self.blocks.open();
                self.random.push_back(block);
            }
        }
    }

    of_blocks!();
}

layer_of_blocks!(Fast);
