//! Which of some marked pages lie beside each other on disk.

use super::chains::NONE;
use crate::hash::FastMap;

/// Consecutive addresses of a stretch, a bit of a word for each.
const STRETCH: u64 = 32;
const LAST: u32 = 31;

#[derive(Debug, Clone, Copy)]
struct Stretch {
    /// By place.
    marked: u32,
    /// Of its pages, the one that was seen last.
    newest: u32,
    /// The stretches before and behind it, [`NONE`] where no page of them was seen.
    before: u32,
    behind: u32,
}

/// Every page that was seen, by its place on disk, and whether it is marked.
///
/// A run is found in few steps where a page stands alone: its neighbours are bits of the same word, but for those of
/// other stretches.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// Numbers of the stretches, by relation and place there.
    numbers: FastMap<(u32, u64), u32>,
    stretches: Vec<Stretch>,
    stretch_of: Vec<u32>,
    place_of: Vec<u8>,
    /// The page of the same stretch that was seen before, [`NONE`] of its first one.
    seen_before: Vec<u32>,
}

/// A stretch and a place there.
type At = (u32, u32);

impl Beside {
    /// Notes the pages of a chunk that were not seen before; pages are numbered as they appear.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a place is below the length of a stretch, stretches are no more than pages"
    )]
    pub(super) fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        for ((&page, &space), &address) in pages.iter().zip(spaces).zip(addresses) {
            if (page as usize) < self.stretch_of.len() {
                continue;
            }
            let at = address / STRETCH;
            let next = self.stretches.len() as u32;
            let number = *self.numbers.entry((space, at)).or_insert(next);
            if number == next {
                self.add(space, at);
            }
            let stretch = &mut self.stretches[number as usize];
            self.seen_before
                .push(std::mem::replace(&mut stretch.newest, page));
            self.stretch_of.push(number);
            self.place_of.push((address % STRETCH) as u8);
        }
    }

    /// Adds the stretch that was numbered last.
    fn add(&mut self, space: u32, at: u64) {
        let number = |at: Option<u64>| {
            let number = at.and_then(|at| self.numbers.get(&(space, at)));
            number.copied().unwrap_or(NONE)
        };
        let (before, behind) = (number(at.checked_sub(1)), number(at.checked_add(1)));
        let own = number(Some(at));
        if let Some(stretch) = self.stretches.get_mut(before as usize) {
            stretch.behind = own;
        }
        if let Some(stretch) = self.stretches.get_mut(behind as usize) {
            stretch.before = own;
        }
        self.stretches.push(Stretch {
            marked: 0,
            newest: NONE,
            before,
            behind,
        });
    }

    fn at(&self, page: u32) -> At {
        let place = self.place_of[page as usize];
        (self.stretch_of[page as usize], u32::from(place))
    }

    #[inline]
    pub(super) fn mark(&mut self, page: u32, marked: bool) {
        let (stretch, place) = self.at(page);
        let word = &mut self.stretches[stretch as usize].marked;
        *word = *word & !(1 << place) | u32::from(marked) << place;
    }

    /// Takes the marks of all pages away.
    pub(super) fn clear(&mut self) {
        for stretch in &mut self.stretches {
            stretch.marked = 0;
        }
    }

    /// What lies behind a place, or before it, if it is marked.
    fn beside(&self, (stretch, place): At, is_behind: bool) -> Option<At> {
        let of = self.stretches[stretch as usize];
        let at = match (is_behind, place) {
            (true, LAST) => (of.behind, 0),
            (true, _) => (stretch, place + 1),
            (false, 0) => (of.before, LAST),
            (false, _) => (stretch, place - 1),
        };
        let marked = self.stretches.get(at.0 as usize)?.marked;
        (marked >> at.1 & 1 == 1).then_some(at)
    }

    /// The page that was seen at a place.
    fn page_at(&self, (stretch, place): At) -> Option<u32> {
        let mut page = self.stretches[stretch as usize].newest;
        while page != NONE && u32::from(self.place_of[page as usize]) != place {
            page = self.seen_before[page as usize];
        }
        (page != NONE).then_some(page)
    }

    /// A page, and as many of the marked ones beside it as make `most`: first those that follow it, then those before it.
    pub(super) fn run(&self, page: u32, most: u64, run: &mut Vec<u32>) {
        run.clear();
        run.push(page);
        for is_behind in [true, false] {
            let mut at = self.at(page);
            while (run.len() as u64) < most
                && let Some(next) = self.beside(at, is_behind)
            {
                run.extend(self.page_at(next));
                at = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_run_is_what_is_marked_without_a_gap(
            places in prop::collection::hash_set((0_u32..2, 0_u64..100), 1..150),
            marks in prop::collection::vec(any::<bool>(), 150),
            unmarked in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
            start in any::<prop::sample::Index>(), most in 1_u64..40,
        ) {
            // The largest addresses have no stretch behind them.
            let places: Vec<_> = places.into_iter().map(|(space, at)| (space, if space == 0 { at } else { u64::MAX - at })).collect();
            let pages: Vec<u32> = (0..).take(places.len()).collect();
            let spaces: Vec<u32> = places.iter().map(|place| place.0).collect();
            let addresses: Vec<u64> = places.iter().map(|place| place.1).collect();
            let mut beside = Beside::default();
            beside.locate(&pages, &spaces, &addresses);
            beside.locate(&pages, &spaces, &addresses);
            let mut marked: BTreeMap<_, u32> = BTreeMap::new();
            for (&page, &place) in pages.iter().zip(&places) {
                beside.mark(page, marks[page as usize]);
                if marks[page as usize] {
                    marked.insert(place, page);
                }
            }
            for index in unmarked {
                let page = index.index(pages.len());
                beside.mark(pages[page], false);
                marked.remove(&places[page]);
            }
            let start = start.index(pages.len());
            let (space, address) = places[start];
            let mut expected = vec![pages[start]];
            let behind = (1..).map_while(|step| marked.get(&(space, address.checked_add(step)?)));
            let before = (1..).map_while(|step| marked.get(&(space, address.checked_sub(step)?)));
            expected.extend(behind.chain(before));
            expected.truncate(usize::try_from(most).unwrap());
            let mut run = Vec::new();
            beside.run(pages[start], most, &mut run);
            prop_assert_eq!(run, expected);
            beside.clear();
            let mut alone = Vec::new();
            beside.run(pages[start], most, &mut alone);
            prop_assert_eq!(alone, vec![pages[start]]);
        }
    }
}
