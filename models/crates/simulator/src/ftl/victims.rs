//! Which closed block is collected next: one type per rule, chosen outside the loop over the writes.

use std::collections::VecDeque;

use super::device::Block;
use crate::random::Random;

/// The closed blocks, and which of them is the next victim.
pub(super) trait Victims {
    /// Whether it wants to know of every invalidated page.
    const WATCHES: bool;

    /// A block was closed.
    fn closed(&mut self, blocks: &mut [Block], block: u32, now: u64);

    /// A page of a closed block was invalidated; its count is already lower.
    fn lowered(&mut self, blocks: &mut [Block], block: u32, now: u64);

    /// Takes a victim out of the closed blocks.
    fn take(&mut self, blocks: &mut [Block], now: u64) -> u32;
}

/// Lists of the closed blocks by valid pages, each in the order of the last change.
///
/// The ends of the lists are entries behind those of the blocks, so that no link is a special case.
#[derive(Debug)]
pub(super) struct ByValid {
    /// First entry behind the blocks: the end of the list of empty blocks.
    ends: u32,
    /// No list before it has a block.
    fewest: u32,
    block_pages: u32,
}

impl ByValid {
    pub(super) fn new(blocks: &mut Vec<Block>, block_pages: u32) -> Self {
        let ends = u32::try_from(blocks.len()).expect("checked");
        for end in ends..=ends + block_pages {
            blocks.push(Block::end(end));
        }
        Self {
            ends,
            fewest: block_pages,
            block_pages,
        }
    }

    #[inline]
    fn append(&mut self, blocks: &mut [Block], block: u32) {
        let valid = blocks[block as usize].valid;
        self.fewest = self.fewest.min(valid);
        let end = self.ends + valid;
        let last = std::mem::replace(&mut blocks[end as usize].before, block);
        blocks[last as usize].after = block;
        let entry = &mut blocks[block as usize];
        entry.before = last;
        entry.after = end;
    }

    #[inline]
    fn unlink(blocks: &mut [Block], block: u32) {
        let Block { before, after, .. } = blocks[block as usize];
        blocks[before as usize].after = after;
        blocks[after as usize].before = before;
    }

    #[inline]
    fn first(&self, blocks: &[Block], valid: u32) -> Option<u32> {
        let first = blocks[(self.ends + valid) as usize].after;
        (first < self.ends).then_some(first)
    }
}

/// The fewest valid pages; of several, the one longest unmodified.
#[derive(Debug)]
pub(super) struct Greedy(pub(super) ByValid);

impl Victims for Greedy {
    const WATCHES: bool = true;

    fn closed(&mut self, blocks: &mut [Block], block: u32, _now: u64) {
        self.0.append(blocks, block);
    }

    #[inline]
    fn lowered(&mut self, blocks: &mut [Block], block: u32, _now: u64) {
        ByValid::unlink(blocks, block);
        self.0.append(blocks, block);
    }

    fn take(&mut self, blocks: &mut [Block], _now: u64) -> u32 {
        loop {
            if let Some(victim) = self.0.first(blocks, self.0.fewest) {
                ByValid::unlink(blocks, victim);
                return victim;
            }
            self.0.fewest += 1;
        }
    }
}

/// The most age x (1 - u) / 2u: of each list the oldest is its best, so one look at each list finds it.
#[derive(Debug)]
pub(super) struct CostBenefit {
    lists: ByValid,
    /// When each block last changed [host writes].
    changed: Vec<u64>,
}

impl CostBenefit {
    pub(super) fn new(lists: ByValid) -> Self {
        Self {
            changed: vec![0; lists.ends as usize],
            lists,
        }
    }
}

impl Victims for CostBenefit {
    const WATCHES: bool = true;

    fn closed(&mut self, blocks: &mut [Block], block: u32, now: u64) {
        self.changed[block as usize] = now;
        self.lists.append(blocks, block);
    }

    #[inline]
    fn lowered(&mut self, blocks: &mut [Block], block: u32, now: u64) {
        self.changed[block as usize] = now;
        ByValid::unlink(blocks, block);
        self.lists.append(blocks, block);
    }

    fn take(&mut self, blocks: &mut [Block], now: u64) -> u32 {
        let mut best: Option<(u128, u32, u32)> = None;
        for valid in 0..self.lists.block_pages {
            let Some(block) = self.lists.first(blocks, valid) else {
                continue;
            };
            // age (b - v) / v, compared by cross products: an empty block is beyond all others.
            let gain = u128::from(now - self.changed[block as usize] + 1)
                * u128::from(self.lists.block_pages - valid);
            let better =
                best.is_none_or(|(most, of, _)| gain * u128::from(of) > most * u128::from(valid));
            if better {
                best = Some((gain, valid, block));
            }
            if valid == 0 {
                break;
            }
        }
        let (_, _, victim) = best.expect("a closed block with an invalid page");
        ByValid::unlink(blocks, victim);
        victim
    }
}

/// The one closed first.
#[derive(Debug, Default)]
pub(super) struct Fifo(VecDeque<u32>);

impl Victims for Fifo {
    const WATCHES: bool = false;

    fn closed(&mut self, _blocks: &mut [Block], block: u32, _now: u64) {
        self.0.push_back(block);
    }

    fn lowered(&mut self, _blocks: &mut [Block], _block: u32, _now: u64) {}

    fn take(&mut self, _blocks: &mut [Block], _now: u64) -> u32 {
        self.0.pop_front().expect("a closed block")
    }
}

/// The emptiest of so many drawn at random with repetition; of several, the one drawn first.
#[derive(Debug)]
pub(super) struct Choices {
    closed: Vec<u32>,
    draws: u32,
    random: Random,
}

impl Choices {
    pub(super) fn new(draws: u32, seed: u64) -> Self {
        Self {
            closed: Vec::new(),
            draws,
            random: Random(seed),
        }
    }
}

impl Victims for Choices {
    const WATCHES: bool = false;

    fn closed(&mut self, _blocks: &mut [Block], block: u32, _now: u64) {
        self.closed.push(block);
    }

    fn lowered(&mut self, _blocks: &mut [Block], _block: u32, _now: u64) {}

    fn take(&mut self, blocks: &mut [Block], _now: u64) -> u32 {
        let count = self.closed.len() as u64;
        let mut best = usize::MAX;
        let mut fewest = u32::MAX;
        for _ in 0..self.draws {
            let at = usize::try_from(self.random.below(count)).expect("an index");
            let valid = blocks[self.closed[at] as usize].valid;
            if valid < fewest {
                (best, fewest) = (at, valid);
            }
        }
        self.closed.swap_remove(best)
    }
}
