//! CLOCK, the one-bit second chance.

use super::{Guarding, Policy, Removable};
use crate::replay::queue::{Chance, Chances, Queue};
use crate::replay::recency::Witness;

/// The hand passes over pages used since it last came by, clearing their bit, and evicts the first
/// page whose bit is clear. A page enters with its bit clear, just behind the hand.
///
/// Corbato, A paging experiment with the Multics system, 1968; with which bit a page enters is left
/// open there.
///
/// ```text
/// hit:  used[pg] = 1
/// miss: while used[hand]: used[hand] = 0; hand = next page
///       evict hand; pg takes its place, used[pg] = 0; hand = next page
/// ```
///
/// The hand stands at the old end of a queue: a page it passes over becomes the newest. Many references
/// are decided together, see [`crate::replay::queue`].
///
/// The hand passes over a guarded page and leaves its bit alone: the page keeps its place on the clock.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    queue: Queue<Chances>,
}

impl Policy for Clock {
    type Guarded = Self;

    const IN_BULK: bool = true;

    fn new(_capacity: u32) -> Self {
        Self::default()
    }

    fn grow(&mut self, pages: usize) {
        self.queue.grow(pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.queue.contains(page)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.queue.len()
    }

    #[inline]
    fn on_hit(&mut self, page: u32) {
        self.queue.mark_used(page);
    }

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        self.queue.leave_together();
        loop {
            let page = self.queue.oldest();
            if !self.queue.is_guarded(page) && !self.queue.take_used(page) {
                return self.queue.pop();
            }
            self.queue.renew_oldest();
        }
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.queue.insert(page);
    }

    fn reference(&mut self, capacity: u32, pages: &[u32], witness: &mut impl Witness) {
        let mut rest = pages;
        if self.len() == capacity {
            let done = self.queue.reference(pages, &mut Told(witness));
            rest = &pages[done..];
        }
        for &page in rest {
            let hit = self.contains(page);
            if hit {
                self.on_hit(page);
            } else {
                if self.len() == capacity {
                    let victim = [self.evict(page)];
                    Told(witness).leave(&victim);
                }
                self.insert(page);
            }
            witness.access(page, hit);
        }
    }

    fn recount(&self) -> Result<(), String> {
        self.queue.recount()
    }
}

/// Tells a witness what happens on the clock.
struct Told<'a, W>(&'a mut W);

impl<W: Witness> Chance for Told<'_, W> {
    #[inline]
    fn access(&mut self, page: u32, hit: bool) {
        self.0.access(page, hit);
    }

    #[inline]
    fn leave(&mut self, victims: &[u32]) {
        if self.0.asks_victims() {
            for &page in victims {
                self.0.victim(page);
            }
        } else {
            // A batch is short.
            self.0
                .victims(u32::try_from(victims.len()).unwrap_or(u32::MAX));
        }
    }
}

impl Removable for Clock {
    fn expect_removal(&mut self) {
        self.queue.expect_removal();
    }

    #[inline]
    fn remove(&mut self, page: u32) {
        self.queue.remove(page);
    }
}

impl Guarding for Clock {
    fn expect_guards(&mut self) {
        self.queue.expect_guards();
    }

    fn is_guarded(&self, page: u32) -> bool {
        self.queue.is_guarded(page)
    }

    #[inline]
    fn guard(&mut self, page: u32) {
        self.queue.guard(page);
    }

    #[inline]
    fn release(&mut self, page: u32) {
        self.queue.release(page);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    /// The clock as its pseudocode has it: pages with their used bit, the hand in front.
    #[derive(Default)]
    struct Slow {
        pages: VecDeque<(u32, bool)>,
        told: Vec<(u32, Option<bool>)>,
    }

    impl Slow {
        fn reference(&mut self, capacity: usize, page: u32) {
            let held = self.pages.iter_mut().find(|entry| entry.0 == page);
            let hit = held.is_some();
            if let Some(entry) = held {
                entry.1 = true;
            } else {
                while self.pages.len() == capacity {
                    let (oldest, used) = self.pages[0];
                    self.pages.pop_front();
                    if used {
                        self.pages.push_back((oldest, false));
                    } else {
                        self.told.push((oldest, None));
                    }
                }
                self.pages.push_back((page, false));
            }
            self.told.push((page, Some(hit)));
        }
    }

    impl Witness for Slow {
        fn asks_victims(&self) -> bool {
            true
        }

        fn access(&mut self, page: u32, hit: bool) {
            self.told.push((page, Some(hit)));
        }

        fn victim(&mut self, page: u32) {
            self.told.push((page, None));
        }

        fn victims(&mut self, _count: u32) {
            unreachable!("it asks for each victim");
        }
    }

    /// What is told of each page, in its order: victims of a batch may be told late, but not after
    /// their page is referenced again.
    fn by_page(told: &[(u32, Option<bool>)]) -> Vec<(u32, Option<bool>)> {
        let mut sorted = told.to_vec();
        sorted.sort_by_key(|&(page, _)| page);
        sorted
    }

    fn told_as(told: &[(u32, Option<bool>)], victims: bool) -> Vec<(u32, Option<bool>)> {
        let asked = told.iter().filter(|entry| entry.1.is_none() == victims);
        asked.copied().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Long runs of batches, some pages far more often than others; between them, now and then,
        /// references one after the other.
        #[test]
        fn references_together_are_those_one_after_the_other(
            capacity in 1_u32..700,
            spread in 1_u32..8,
            seed in any::<u64>(),
            singly in 0_usize..20,
        ) {
            let pages = 1_500_u32;
            let mut clock = Clock::new(capacity);
            clock.grow(pages as usize);
            let mut ours = Slow::default();
            let mut slow = Slow::default();
            let mut state = seed | 1;
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state
            };
            for batch in 0..60 {
                let length = 1 + next() % 256;
                let referenced: Vec<u32> = (0..length)
                    .map(|_| {
                        let of = pages >> (next() % u64::from(spread));
                        u32::try_from(next() % u64::from(of)).expect("a page")
                    })
                    .collect();
                for &page in &referenced {
                    slow.reference(capacity as usize, page);
                }
                if batch % 20 == singly {
                    for &page in &referenced {
                        let hit = clock.contains(page);
                        if hit {
                            clock.on_hit(page);
                        } else {
                            if clock.len() == capacity {
                                let victim = clock.evict(page);
                                ours.victim(victim);
                            }
                            clock.insert(page);
                        }
                        ours.access(page, hit);
                    }
                } else {
                    clock.reference(capacity, &referenced, &mut ours);
                }
                prop_assert_eq!(clock.recount(), Ok(()));
            }
            let held: Vec<u32> = slow.pages.iter().map(|&(page, _)| page).collect();
            prop_assert_eq!(clock.queue.iter().collect::<Vec<_>>(), held);
            prop_assert_eq!(told_as(&ours.told, true), told_as(&slow.told, true));
            prop_assert_eq!(told_as(&ours.told, false), told_as(&slow.told, false));
            prop_assert_eq!(by_page(&ours.told), by_page(&slow.told));
        }
    }
}
