//! Pages in the order in which they entered, with a hand: what FIFO, the CLOCKs and SIEVE share.
//!
//! A log of entries; a page that leaves from the middle leaves a hole. When the log is full the
//! holes are closed, which costs O(1) for each page that entered. Where pages are taken out of
//! turn each page's place is kept too; otherwise an entry writes no table but one bit.

mod chances;

pub(crate) use chances::{Chance, Chances};

use crate::replay::bits::BitSet;

/// Log entry without a page: no page has this number.
const HOLE: u32 = u32::MAX;
/// Entries of the shortest log.
const SHORTEST_LOG: usize = 1 << 12;
/// Longest log: its places are `u32`.
const LONGEST_LOG: usize = u32::MAX as usize;
/// Log entries per page held after closing the holes.
const LOG_FACTOR: usize = 4;

/// The pages that a queue holds.
pub(crate) trait Held {
    /// Makes room for the page numbers `0..pages`.
    fn grow(&mut self, pages: usize);
    fn contains(&self, page: u32) -> bool;
    /// Adds an absent page.
    fn insert(&mut self, page: u32);
    /// Takes out a page that is held.
    fn remove(&mut self, page: u32);
    /// The pages held, in ascending order.
    fn iter(&self) -> impl Iterator<Item = u32>;
}

impl Held for BitSet {
    fn grow(&mut self, pages: usize) {
        self.grow(pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.contains(page)
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.insert(page);
    }

    #[inline]
    fn remove(&mut self, page: u32) {
        self.take(page);
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        self.iter()
    }
}

/// A FIFO queue with a hand; `H` knows which pages it holds.
#[derive(Debug, Default)]
pub(crate) struct Queue<H = BitSet> {
    log: Vec<u32>,
    /// No page lies before it.
    tail: u32,
    /// Next free entry.
    head: u32,
    /// A page at or behind it, or `tail`, or `head` of an empty queue.
    hand: u32,
    pages: u32,
    held: H,
    /// Place of each page, if pages are taken out of turn.
    stamps: Vec<u32>,
    removable: bool,
    /// Pages that the hand passes over, if there are any.
    guarded: BitSet,
    guards: bool,
}

impl<H: Held> Queue<H> {
    /// Keeps places from now on, so that [`Self::remove`] works; before any page enters.
    pub(crate) fn expect_removal(&mut self) {
        self.removable = true;
    }

    /// Keeps from now on which pages are guarded; before any page enters.
    pub(crate) fn expect_guards(&mut self) {
        self.expect_removal();
        self.guards = true;
    }

    #[inline]
    pub(crate) fn is_guarded(&self, page: u32) -> bool {
        self.guards && self.guarded.contains(page)
    }

    /// Guards a page that is held: what moves the hand is to pass over it.
    pub(crate) fn guard(&mut self, page: u32) {
        self.guarded.insert(page);
    }

    /// Ends the guard of a page.
    pub(crate) fn release(&mut self, page: u32) {
        self.guarded.take(page);
    }

    /// Makes room for the page numbers `0..pages`.
    pub(crate) fn grow(&mut self, pages: usize) {
        self.held.grow(pages);
        if self.guards {
            self.guarded.grow(pages);
        }
        if self.removable && pages > self.stamps.len() {
            self.stamps.resize(pages, 0);
        }
    }

    #[inline]
    pub(crate) fn contains(&self, page: u32) -> bool {
        self.held.contains(page)
    }

    /// Pages held.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.pages
    }

    /// Adds an absent page as the newest.
    #[inline]
    pub(crate) fn insert(&mut self, page: u32) {
        self.held.insert(page);
        self.pages += 1;
        self.append(page);
    }

    /// Removes the oldest page and returns it; the queue must not be empty.
    #[inline]
    pub(crate) fn pop(&mut self) -> u32 {
        let page = self.oldest();
        self.held.remove(page);
        self.pages -= 1;
        self.tail += 1;
        page
    }

    /// The oldest page; the queue must not be empty.
    #[inline]
    pub(crate) fn oldest(&mut self) -> u32 {
        while self.log[self.tail as usize] == HOLE {
            self.tail += 1;
        }
        self.log[self.tail as usize]
    }

    /// Makes the oldest page the newest; the queue must not be empty.
    #[inline]
    pub(crate) fn renew_oldest(&mut self) {
        let page = self.oldest();
        self.tail += 1;
        self.append(page);
    }

    /// The page at the hand; the queue must not be empty.
    #[inline]
    pub(crate) fn at_hand(&self) -> u32 {
        self.log[self.hand as usize]
    }

    /// Moves the hand to the next newer page, from the newest to the oldest.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.hand += 1;
        self.settle_hand();
    }

    /// Removes the page at the hand, which moves on.
    #[inline]
    pub(crate) fn evict_at_hand(&mut self) -> u32 {
        let page = self.at_hand();
        self.log[self.hand as usize] = HOLE;
        self.held.remove(page);
        self.pages -= 1;
        self.advance();
        page
    }

    /// Removes a page that is held, out of turn; a hand at it moves on.
    #[inline]
    pub(crate) fn remove(&mut self, page: u32) {
        let place = self.stamps[page as usize];
        self.log[place as usize] = HOLE;
        self.held.remove(page);
        self.pages -= 1;
        if place == self.hand {
            self.advance();
        }
    }

    /// Puts the hand on the first page from where it is, or on the oldest if there is none.
    #[inline]
    fn settle_hand(&mut self) {
        while self.hand < self.head && self.log[self.hand as usize] == HOLE {
            self.hand += 1;
        }
        if self.hand >= self.head {
            while self.tail < self.head && self.log[self.tail as usize] == HOLE {
                self.tail += 1;
            }
            self.hand = self.tail;
        }
    }

    #[inline]
    fn append(&mut self, page: u32) {
        if self.head as usize == self.log.len() {
            self.close_holes();
        }
        self.log[self.head as usize] = page;
        if self.removable {
            self.stamps[page as usize] = self.head;
        }
        self.head += 1;
    }

    #[cold]
    #[inline(never)]
    fn close_holes(&mut self) {
        let mut to = 0_u32;
        let mut hand = None;
        for from in self.tail..self.head {
            let page = self.log[from as usize];
            if from >= self.hand && hand.is_none() {
                hand = Some(to);
            }
            if page != HOLE {
                if self.removable {
                    self.stamps[page as usize] = to;
                }
                self.log[to as usize] = page;
                to += 1;
            }
        }
        self.hand = hand.unwrap_or(to);
        self.tail = 0;
        self.head = to;
        let length = (to as usize * LOG_FACTOR).clamp(SHORTEST_LOG, LONGEST_LOG);
        if length > self.log.len() {
            self.log.resize(length, HOLE);
        }
    }

    /// The pages held, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.log[self.tail as usize..self.head as usize]
            .iter()
            .copied()
            .filter(|&page| page != HOLE)
    }

    /// Counts the pages again, by entries and by membership bits.
    pub(crate) fn recount(&self) -> Result<(), String> {
        let mut queued: Vec<u32> = self.iter().collect();
        queued.sort_unstable();
        if queued.iter().copied().eq(self.held.iter()) && queued.len() == self.pages as usize {
            Ok(())
        } else {
            Err(format!(
                "a queue of {} pages has {} entries and {} membership bits",
                self.pages,
                queued.len(),
                self.held.iter().count()
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Small page numbers and many steps, so that holes are closed several times.
        #[test]
        fn a_queue_behaves_like_a_vector_with_a_hand(
            steps in prop::collection::vec((0_u32..40, 0_u8..8), 20_000..20_001),
        ) {
            let mut queue = Queue::<BitSet>::default();
            queue.expect_removal();
            queue.grow(40);
            let mut model: Vec<u32> = Vec::new();
            let mut hand = 0;
            for (page, step) in steps {
                let held = model.iter().position(|&other| other == page);
                prop_assert_eq!(queue.contains(page), held.is_some());
                match (step, held) {
                    (0, Some(place)) => {
                        model.remove(place);
                        hand -= usize::from(place < hand);
                        queue.remove(page);
                    }
                    (1, _) if !model.is_empty() => {
                        prop_assert_eq!(queue.at_hand(), model[hand]);
                        prop_assert_eq!(queue.evict_at_hand(), model.remove(hand));
                    }
                    (2 | 3, _) if !model.is_empty() => {
                        queue.advance();
                        hand += 1;
                    }
                    (_, None) => {
                        model.push(page);
                        queue.insert(page);
                    }
                    _ => {}
                }
                if hand == model.len() {
                    hand = 0;
                }
                prop_assert_eq!(queue.len() as usize, model.len());
            }
            prop_assert_eq!(queue.iter().collect::<Vec<_>>(), model);
            prop_assert_eq!(queue.recount(), Ok(()));
        }

        #[test]
        fn the_oldest_page_can_leave_or_become_the_newest(
            steps in prop::collection::vec((0_u32..40, 0_u8..8), 20_000..20_001),
        ) {
            let mut queue = Queue::<BitSet>::default();
            queue.grow(40);
            let mut model = std::collections::VecDeque::new();
            for (page, step) in steps {
                prop_assert_eq!(queue.contains(page), model.contains(&page));
                if step == 0 && !model.is_empty() {
                    prop_assert_eq!(Some(queue.pop()), model.pop_front());
                } else if step == 1 && !model.is_empty() {
                    prop_assert_eq!(Some(queue.oldest()), model.front().copied());
                    queue.renew_oldest();
                    model.rotate_left(1);
                } else if !model.contains(&page) {
                    model.push_back(page);
                    queue.insert(page);
                }
            }
            prop_assert!(queue.iter().eq(model));
            prop_assert_eq!(queue.recount(), Ok(()));
        }
    }
}
