//! BAST: block mapping with log blocks, each of one logical block.

use std::collections::VecDeque;

use super::Settings;
use super::blocks::{Blocks, NONE, layer_of_blocks, of_blocks};
use super::buffer::Serves;

/// Block-associative log blocks: Kim, Kim, Noh, Min and Cho, *A space-efficient flash translation layer for
/// `CompactFlash` systems*, IEEE Transactions on Consumer Electronics 48(2), 2002.
///
/// ```text
/// write(page):          b = its logical block, s = its place there; slots are programmed in ascending order
///     b has no block:   take an erased one
///     s was not passed in the block of b: write the page to s of it
///     b has a log block that is full: merge(b), and begin again
///     b has no log block: as many as there may be: merge the one taken first
///                       take an erased block as the log block of b
///     write the page to the next slot of the log block
/// merge(b):             the log block holds the first pages of b in their order:
///                           copy what lies behind to the log block, which is the block of b; erase the former
///                           one; a switch if nothing was copied, else a partial merge
///                       else, a full merge: copy what is in use of b to an erased block, which is the block
///                           of b; erase the former one and the log block
/// ```
///
/// What is not in use is not copied; a logical block of which nothing is in use has no block after a full
/// merge. There may be as many log blocks as blocks beyond the logical ones, less one for merges.
#[derive(Debug)]
pub(super) struct Bast {
    blocks: Blocks,
    data: Vec<u32>,
    log: Vec<u32>,
    /// Logical blocks with a log block, longest first.
    order: VecDeque<u32>,
    most: usize,
}

impl Bast {
    pub(super) fn new(settings: &Settings) -> Self {
        let logical = settings.logical_blocks() as usize;
        Self {
            blocks: Blocks::new(settings),
            data: vec![NONE; logical],
            log: vec![NONE; logical],
            order: VecDeque::new(),
            most: settings.log_blocks() as usize,
        }
    }

    fn merge(&mut self, logical: u32) {
        let at = logical as usize;
        let log = std::mem::replace(&mut self.log[at], NONE);
        let former = self.data[at];
        self.order.retain(|&other| other != logical);
        if self.blocks.is_in_order(log, logical) {
            let behind = self.blocks.next(log)..self.blocks.block_pages;
            let copied = self.blocks.copy(former, log, behind);
            self.data[at] = log;
            self.blocks.merges.switch += u64::from(copied == 0);
            self.blocks.merges.partial += u64::from(copied > 0);
        } else {
            self.data[at] = self.blocks.gather(logical);
            self.blocks.merges.full += 1;
            self.blocks.erase(log);
        }
        self.blocks.erase(former);
    }
}

impl Serves for Bast {
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
            if self.log[at] == NONE {
                if self.order.len() == self.most
                    && let Some(&oldest) = self.order.front()
                {
                    self.merge(oldest);
                }
                self.log[at] = self.blocks.open();
                self.order.push_back(logical);
            }
            let next = self.blocks.next(self.log[at]);
            if next < self.blocks.block_pages {
                return self.blocks.write(self.log[at], next, page);
            }
            self.merge(logical);
        }
    }

    of_blocks!();
}

layer_of_blocks!(Bast);
