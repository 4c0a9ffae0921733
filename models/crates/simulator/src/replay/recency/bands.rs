//! One recency order in two bands: the most recent pages, and those behind them.

use super::{FIRST, Log, Recency};

/// What [`Bands::reference`] tells of each access.
pub(crate) trait BandsWitness {
    /// Whether it asks which pages move; else only their number is told.
    fn asks_pages(&self) -> bool;
    /// One access and the bands that hold its page; told in order.
    fn access(&mut self, page: u32, found: Found);
    /// A page moves to the lower band. Told in order, before the page is accessed again or leaves.
    fn sinks(&mut self, page: u32);
    /// Pages move to the lower band.
    fn sink(&mut self, count: u32);
    /// A page leaves the lower band. Told in order, before the page is accessed again.
    fn leaves(&mut self, page: u32);
    /// Pages leave the lower band.
    fn leave(&mut self, count: u32);
}

/// Where an access finds its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) in_upper: bool,
    pub(crate) in_either: bool,
}

/// Pages in recency order: the `upper` most recent ones above the others.
#[derive(Debug)]
pub(crate) struct Bands {
    order: Recency,
    /// The first place of the upper band.
    border: u32,
    upper: u32,
}

impl Default for Bands {
    fn default() -> Self {
        Self {
            order: Recency::default(),
            border: FIRST,
            upper: 0,
        }
    }
}

impl Bands {
    /// Makes room for the page numbers `0..pages`.
    pub(crate) fn grow(&mut self, pages: usize) {
        self.order.grow(pages);
    }

    /// Reads the stamps of some pages, all at once.
    pub(crate) fn fetch(&self, pages: &[u32]) {
        self.order.fetch(pages);
    }

    /// Pages in the upper band.
    pub(crate) fn upper(&self) -> u32 {
        self.upper
    }

    /// Pages in the lower band.
    pub(crate) fn lower(&self) -> u32 {
        self.order.len() - self.upper
    }

    /// Whether a page is in either band.
    pub(crate) fn contains(&self, page: u32) -> bool {
        self.order.contains(page)
    }

    /// Whether a page is in the upper band.
    pub(crate) fn is_upper(&self, page: u32) -> bool {
        self.order.stamps[page as usize] >= self.border
    }

    /// References pages in order: each becomes the most recent of the upper band. If that has more
    /// than `upper` pages its least recent one sinks, and if the lower band then has more than
    /// `lower` its least recent one leaves. Without a branch, like [`Recency::reference`].
    pub(crate) fn reference(
        &mut self,
        upper: u32,
        lower: u32,
        pages: &[u32],
        witness: &mut impl BandsWitness,
    ) {
        if pages.len() > self.order.room() {
            self.order.slide();
            let below = self.lower() as usize;
            self.border = self.order.log.place(below);
        }
        let order = &mut self.order;
        let (log, head) = (&mut order.log, order.head);
        let mut edges = Edges {
            border: self.border,
            tail: order.tail,
            upper: self.upper,
            both: order.pages,
        };
        let safe_above = log.place_behind(edges.border, head, edges.upper, pages.len());
        let safe_below = log.place_behind(edges.tail, head, edges.both, pages.len());
        let spare = log.spare();
        let start = log.index(head);
        log.pages[start..start + pages.len()].copy_from_slice(pages);
        for (place, &page) in (head..).zip(pages) {
            let stamp = &mut order.stamps[page as usize];
            let before = std::mem::replace(stamp, place);
            // Not before an edge, and before the place up to which it may have moved by now.
            let above = before.wrapping_sub(edges.border) < safe_above - edges.border;
            let below = before.wrapping_sub(edges.tail) < safe_below - edges.tail;
            if above | below {
                edges = edges.settled(log, upper, lower, witness);
            }
            let found = Found {
                in_upper: before >= edges.border,
                in_either: before >= edges.tail,
            };
            log.bury((before.wrapping_sub(log.base) as usize).min(spare));
            edges.both += u32::from(!found.in_either);
            edges.upper += u32::from(!found.in_upper);
            witness.access(page, found);
        }
        edges = edges.settled(log, upper, lower, witness);
        order.head = log.place(start + pages.len());
        (order.tail, order.pages) = (edges.tail, edges.both);
        (self.border, self.upper) = (edges.border, edges.upper);
    }

    /// Counts the pages again.
    pub(crate) fn recount(&self) -> Result<(), String> {
        self.order.recount()?;
        let above = self.order.iter().filter(|&page| {
            let stamp = self.order.stamps[page as usize];
            stamp >= self.border
        });
        let above = above.count();
        if above == self.upper as usize {
            Ok(())
        } else {
            Err(format!(
                "an upper band of {} pages has {above} live log entries",
                self.upper
            ))
        }
    }
}

/// Where the bands begin, and the pages that they hold.
#[derive(Clone, Copy)]
struct Edges {
    border: u32,
    tail: u32,
    upper: u32,
    both: u32,
}

impl Edges {
    /// Lets the pages sink and leave for which there is no room. By value: what a loop keeps in
    /// registers must not have an address.
    #[inline(never)]
    fn settled(
        mut self,
        log: &Log,
        upper: u32,
        lower: u32,
        witness: &mut impl BandsWitness,
    ) -> Self {
        if self.upper <= upper {
            return self;
        }
        if witness.asks_pages() {
            while self.upper > upper {
                let index = log.first_live(self.border);
                self.border = log.place(index) + 1;
                self.upper -= 1;
                witness.sinks(log.pages[index]);
                if self.both - self.upper > lower {
                    let index = log.first_live(self.tail);
                    self.tail = log.place(index) + 1;
                    self.both -= 1;
                    witness.leaves(log.pages[index]);
                }
            }
        } else {
            let surplus = self.upper - upper;
            witness.sink(surplus);
            self.border = log.skip(self.border, surplus);
            self.upper = upper;
            let surplus = (self.both - upper).saturating_sub(lower);
            if surplus > 0 {
                witness.leave(surplus);
                self.tail = log.skip(self.tail, surplus);
                self.both -= surplus;
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::replay::BATCH;

    /// What was told, in order.
    #[derive(Default)]
    struct Diary {
        found: Vec<Found>,
        sunk: Vec<u32>,
        left: Vec<u32>,
        counts: (u32, u32),
        asks: bool,
    }

    impl BandsWitness for Diary {
        fn asks_pages(&self) -> bool {
            self.asks
        }

        fn access(&mut self, _page: u32, found: Found) {
            self.found.push(found);
        }

        fn sinks(&mut self, page: u32) {
            self.sunk.push(page);
            self.counts.0 += 1;
        }

        fn sink(&mut self, count: u32) {
            self.counts.0 += count;
        }

        fn leaves(&mut self, page: u32) {
            self.left.push(page);
            self.counts.1 += 1;
        }

        fn leave(&mut self, count: u32) {
            self.counts.1 += count;
        }
    }

    proptest! {
        /// Against one vector, most recent page last.
        #[test]
        fn bands_are_parts_of_one_order(
            draws in prop::collection::vec((0_u32..2000, 0_u32..2000), 8_000..8_001),
            upper in prop_oneof![1_u32..20, 200_u32..600],
            lower in prop_oneof![1_u32..20, 200_u32..800],
            batch in prop_oneof![Just(1_usize), Just(5), Just(BATCH)],
            asks: bool,
        ) {
            let pages: Vec<u32> = draws.iter().map(|&(one, other)| one.min(other)).collect();
            let (above, both) = (upper as usize, (upper + lower) as usize);
            let mut order: Vec<u32> = Vec::new();
            let mut expected = Diary::default();
            for &page in &pages {
                let depth = order.iter().rev().position(|&other| other == page);
                if let Some(depth) = depth {
                    order.remove(order.len() - 1 - depth);
                }
                let found = Found {
                    in_upper: depth.is_some_and(|depth| depth < above),
                    in_either: depth.is_some(),
                };
                expected.found.push(found);
                if !found.in_upper && order.len() >= above {
                    expected.sinks(order[order.len() - above]);
                }
                order.push(page);
                if order.len() > both {
                    expected.leaves(order.remove(0));
                }
            }
            let mut bands = Bands::default();
            bands.grow(2000);
            let mut diary = Diary { asks, ..Diary::default() };
            for pages in pages.chunks(batch) {
                bands.reference(upper, lower, pages, &mut diary);
            }
            prop_assert_eq!(diary.found, expected.found);
            prop_assert_eq!(diary.counts, expected.counts);
            if asks {
                prop_assert_eq!(diary.sunk, expected.sunk);
                prop_assert_eq!(diary.left, expected.left);
            }
            prop_assert!(bands.order.iter().eq(order.iter().copied()));
            prop_assert_eq!(bands.upper() as usize, order.len().min(above));
            prop_assert_eq!(bands.recount(), Ok(()));
        }
    }
}
