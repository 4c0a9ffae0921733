//! Dense numbers for the pages of one device: a hash table made for batches of lookups.
//!
//! The look-up of a page in a large table costs a cache miss. [`PageNumbers::touch`] loads the
//! slots of many pages without waiting for any, so that the misses overlap; the look-ups that
//! follow find them in the cache.

/// Number of an empty slot; page numbers end below it.
const EMPTY: u32 = u32::MAX;
/// 2^64 / golden ratio, odd: spreads neighbouring pages over the table.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
const FIRST_BITS: u32 = 4;

#[derive(Debug, Clone, Copy)]
struct Slot {
    page: u64,
    number: u32,
}

/// Open addressing with linear probing, at most three quarters full.
#[derive(Debug, Default)]
pub(crate) struct PageNumbers {
    slots: Vec<Slot>,
    bits: u32,
    used: usize,
}

impl PageNumbers {
    #[inline]
    fn home(&self, page: u64) -> usize {
        let spread = (page ^ (page >> 32)).wrapping_mul(MULTIPLIER);
        // `bits` is at most that of a table in memory, so the shifted value fits.
        usize::try_from(spread >> (64 - self.bits)).unwrap_or(0)
    }

    /// Brings the slot of a page near.
    #[inline]
    pub(crate) fn touch(&self, page: u64) {
        if !self.slots.is_empty() {
            std::hint::black_box(self.slots[self.home(page)].number);
        }
    }

    /// The number of a page; `next` if it is new, which `true` tells.
    #[inline]
    pub(crate) fn number(&mut self, page: u64, next: u32) -> (u32, bool) {
        if self.used * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut index = self.home(page);
        loop {
            let slot = &mut self.slots[index & mask];
            if slot.number == EMPTY {
                *slot = Slot { page, number: next };
                self.used += 1;
                return (next, true);
            }
            if slot.page == page {
                return (slot.number, false);
            }
            index += 1;
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.bits = if self.slots.is_empty() {
            FIRST_BITS
        } else {
            self.bits + 1
        };
        let empty = Slot {
            page: 0,
            number: EMPTY,
        };
        let old = std::mem::replace(&mut self.slots, vec![empty; 1 << self.bits]);
        let mask = self.slots.len() - 1;
        for slot in old.into_iter().filter(|slot| slot.number != EMPTY) {
            let mut index = self.home(slot.page);
            while self.slots[index & mask].number != EMPTY {
                index += 1;
            }
            self.slots[index & mask] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::PageNumbers;
    use crate::hash::FastMap;

    proptest! {
        #[test]
        fn numbers_are_those_of_a_map(
            pages in prop::collection::vec(
                prop_oneof![0..50_u64, any::<u64>(), (0..64_u32).prop_map(|shift| 1 << shift), Just(u64::MAX)],
                0..400,
            )
        ) {
            let mut table = PageNumbers::default();
            let mut map = FastMap::default();
            for page in pages {
                let next = u32::try_from(map.len()).unwrap();
                let new = !map.contains_key(&page);
                let expected = *map.entry(page).or_insert(next);
                table.touch(page);
                prop_assert_eq!(table.number(page, next), (expected, new));
            }
        }
    }
}
