//! In which block, and where in it, each page lies.

use crate::hash::FastMap;

/// Block of a page, and its place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) block: u32,
    pub(super) index: u8,
}

impl Place {
    /// The page among the pages of its block.
    #[inline]
    pub(super) fn bit(self) -> u64 {
        1 << self.index
    }
}

/// Blocks numbered densely in order of first appearance. A page is looked up once, when the trace
/// shows it first; afterwards its place is an entry of a table.
#[derive(Debug)]
pub(super) struct BlockMap {
    block_pages: u32,
    numbers: FastMap<(u32, u64), u32>,
    places: Vec<Place>,
    /// Pages that did not come in the order of their numbers: impossible.
    out_of_order: u64,
}

impl BlockMap {
    pub(super) fn new(block_pages: u32) -> Self {
        Self {
            block_pages,
            numbers: FastMap::default(),
            places: Vec::new(),
            out_of_order: 0,
        }
    }

    /// Notes the pages of a chunk that were not seen before.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an index is below the pages of a block, blocks are no more than pages"
    )]
    pub(super) fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        for ((&page, &space), &address) in pages.iter().zip(spaces).zip(addresses) {
            let known = self.places.len();
            if (page as usize) < known {
                continue;
            }
            self.out_of_order += u64::from(page as usize > known);
            let block_pages = u64::from(self.block_pages);
            let next = self.numbers.len() as u32;
            let block = *self
                .numbers
                .entry((space, address / block_pages))
                .or_insert(next);
            let index = (address % block_pages) as u8;
            self.places.push(Place { block, index });
        }
    }

    /// Notes every page of the trace, in the order of their numbers.
    pub(super) fn locate_all(&mut self, spaces: &[u32], addresses: &[u64]) {
        let places = spaces.iter().zip(addresses);
        for (page, (&space, &address)) in (0..).zip(places) {
            self.locate(&[page], &[space], &[address]);
        }
    }

    /// Blocks seen.
    pub(super) fn blocks(&self) -> usize {
        self.numbers.len()
    }

    #[inline]
    pub(super) fn place(&self, page: u32) -> Place {
        self.places[page as usize]
    }

    /// Counts again: every page has a place of its own.
    pub(super) fn recount(&self, pages: usize) -> Result<(), String> {
        let mut taken = vec![0_u64; self.blocks()];
        let mut shared = 0;
        for place in &self.places {
            let pages = &mut taken[place.block as usize];
            shared += u64::from(*pages & place.bit() != 0);
            *pages |= place.bit();
        }
        if self.places.len() == pages && shared == 0 && self.out_of_order == 0 {
            Ok(())
        } else {
            Err(format!(
                "{pages} pages have {} places, {shared} of them shared; {} came out of order",
                self.places.len(),
                self.out_of_order
            ))
        }
    }
}
