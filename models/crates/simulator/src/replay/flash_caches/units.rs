//! In which unit of consecutive addresses each page lies: extents, fragments, cache lines.

use crate::hash::FastMap;

/// Units numbered densely in order of first appearance. A page is looked up once, when the trace
/// shows it first; afterwards its unit is an entry of a table.
#[derive(Debug)]
pub(super) struct Units {
    unit_pages: u64,
    /// Numbers of the units by relation and place there; places below 2^32 take less room.
    numbers: FastMap<(u32, u32), u32>,
    numbers_beyond: FastMap<(u32, u64), u32>,
    /// Unit of each page, and its place there.
    places: Vec<(u32, u16)>,
}

/// Most pages of a unit.
pub(super) const MOST_UNIT_PAGES: u64 = 1 << 16;

impl Units {
    /// Of at most [`MOST_UNIT_PAGES`].
    pub(super) fn new(unit_pages: u32) -> Self {
        Self {
            unit_pages: u64::from(unit_pages),
            numbers: FastMap::default(),
            numbers_beyond: FastMap::default(),
            places: Vec::new(),
        }
    }

    /// Notes the pages of a chunk that were not seen before; pages are numbered as they appear.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a place is below the pages of a unit, units are no more than pages"
    )]
    pub(super) fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        for ((&page, &space), &address) in pages.iter().zip(spaces).zip(addresses) {
            if (page as usize) < self.places.len() {
                continue;
            }
            let next = self.len() as u32;
            let at = address / self.unit_pages;
            let unit = match u32::try_from(at) {
                Ok(at) => *self.numbers.entry((space, at)).or_insert(next),
                Err(_) => *self.numbers_beyond.entry((space, at)).or_insert(next),
            };
            self.places.push((unit, (address % self.unit_pages) as u16));
        }
    }

    /// Units seen.
    pub(super) fn len(&self) -> usize {
        self.numbers.len() + self.numbers_beyond.len()
    }

    #[inline]
    pub(super) fn of(&self, page: u32) -> u32 {
        self.places[page as usize].0
    }

    /// The unit of a page, and the page's place there.
    #[inline]
    pub(super) fn place(&self, page: u32) -> (u32, u16) {
        self.places[page as usize]
    }
}
