//! A recency order in which pages can be protected.

use super::{LOG_FACTOR, LONGEST_LOG, SHORTEST_LOG, fetch};
use crate::replay::bits::LeastFirstSet;

/// Stamp of a page that is not in the order.
const ABSENT: u32 = u32::MAX;

/// Pages in recency order, some of them protected from eviction without losing their place.
///
/// The least recent unprotected page is found through a bit set over log places: walking from the
/// least recent end would pass over every protected page, which is most of RAM, at each eviction.
#[derive(Debug)]
pub(crate) struct ProtectedRecency {
    stamps: Vec<u32>,
    log: Vec<u32>,
    /// Log places of the live entries whose page is not protected.
    evictable: LeastFirstSet,
    /// No live entry lies before it.
    oldest: u32,
    head: u32,
    pages: u32,
}

impl ProtectedRecency {
    pub(crate) fn new() -> Self {
        Self {
            stamps: Vec::new(),
            log: Vec::new(),
            evictable: LeastFirstSet::new(0),
            oldest: 0,
            head: 0,
            pages: 0,
        }
    }

    /// Makes room for the page numbers `0..pages`.
    pub(crate) fn grow(&mut self, pages: usize) {
        if pages > self.stamps.len() {
            self.stamps.resize(pages, ABSENT);
        }
    }

    /// Reads the stamps of some pages, all at once.
    pub(crate) fn fetch(&self, pages: &[u32]) {
        fetch(&self.stamps, pages);
    }

    #[inline]
    pub(crate) fn contains(&self, page: u32) -> bool {
        self.stamps[page as usize] != ABSENT
    }

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.pages
    }

    /// Whether a page that is held is protected.
    pub(crate) fn is_protected(&self, page: u32) -> bool {
        !self.evictable.contains(self.stamps[page as usize])
    }

    /// Adds an absent page at the most recent end, protected.
    #[inline]
    pub(crate) fn insert_protected(&mut self, page: u32) {
        self.pages += 1;
        self.append(page);
    }

    /// Moves an unprotected page to the most recent end and protects it.
    #[inline]
    pub(crate) fn touch_and_protect(&mut self, page: u32) {
        self.evictable.remove(self.stamps[page as usize]);
        self.append(page);
    }

    /// Moves a protected page to the most recent end and ends its protection.
    #[inline]
    pub(crate) fn touch_and_release(&mut self, page: u32) {
        self.append(page);
        self.release(page);
    }

    /// Ends the protection of a page; its place does not change.
    #[inline]
    pub(crate) fn release(&mut self, page: u32) {
        self.evictable.insert(self.stamps[page as usize]);
    }

    /// Adds an absent page at the most recent end, not protected.
    #[inline]
    pub(crate) fn insert(&mut self, page: u32) {
        self.insert_protected(page);
        self.release(page);
    }

    /// Moves a page that is not protected to the most recent end.
    #[inline]
    pub(crate) fn touch(&mut self, page: u32) {
        self.touch_and_protect(page);
        self.release(page);
    }

    /// Protects a page that is not; its place does not change.
    #[inline]
    pub(crate) fn protect(&mut self, page: u32) {
        self.evictable.remove(self.stamps[page as usize]);
    }

    /// Removes a page that is not protected.
    #[inline]
    pub(crate) fn remove(&mut self, page: u32) {
        self.protect(page);
        self.stamps[page as usize] = ABSENT;
        self.pages -= 1;
    }

    /// Moves a protected page to the most recent end; it stays protected.
    #[inline]
    pub(crate) fn touch_protected(&mut self, page: u32) {
        self.append(page);
    }

    /// Removes and returns the least recent page, protected or not; at least one must be held.
    ///
    /// Walks over what is no longer live at the old end of the log, and remembers how far it came.
    pub(crate) fn pop_least_recent(&mut self) -> u32 {
        loop {
            let page = self.log[self.oldest as usize];
            let live = self.stamps[page as usize] == self.oldest;
            if live {
                self.evictable.remove(self.oldest);
                self.stamps[page as usize] = ABSENT;
                self.pages -= 1;
            }
            self.oldest += 1;
            if live {
                return page;
            }
        }
    }

    /// Removes and returns the least recent page that is not protected.
    #[inline]
    pub(crate) fn pop_least_recent_unprotected(&mut self) -> Option<u32> {
        let place = self.evictable.first()?;
        self.evictable.remove(place);
        let page = self.log[place as usize];
        self.stamps[page as usize] = ABSENT;
        self.pages -= 1;
        Some(page)
    }

    #[inline]
    fn append(&mut self, page: u32) {
        if self.head as usize == self.log.len() {
            self.slide();
        }
        self.log[self.head as usize] = page;
        self.stamps[page as usize] = self.head;
        self.head += 1;
    }

    #[cold]
    #[inline(never)]
    fn slide(&mut self) {
        let length =
            (self.pages as usize * LOG_FACTOR).clamp(SHORTEST_LOG.max(self.log.len()), LONGEST_LOG);
        let mut evictable = LeastFirstSet::new(length);
        let mut to = 0_u32;
        for from in 0..self.head {
            // Without a branch: a dead entry is overwritten by the next one.
            let page = self.log[from as usize];
            let stamp = &mut self.stamps[page as usize];
            let live = *stamp == from;
            *stamp = if live { to } else { *stamp };
            evictable.insert_open(to, live & self.evictable.contains(from));
            self.log[to as usize] = page;
            to += u32::from(live);
        }
        evictable.close();
        self.oldest = 0;
        self.head = to;
        self.evictable = evictable;
        self.log.resize(length, 0);
    }

    /// The pages held, least recent first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.head)
            .map(|place| (place, self.log[place as usize]))
            .filter(|&(place, page)| self.stamps[page as usize] == place)
            .map(|(_, page)| page)
    }

    /// Counts the pages again, by stamps and by live log entries.
    pub(crate) fn recount(&self) -> Result<(), String> {
        let stamped = self.stamps.iter().filter(|&&stamp| stamp != ABSENT).count();
        let logged = self.iter().count();
        if stamped == self.pages as usize && logged == stamped {
            Ok(())
        } else {
            Err(format!(
                "a protected recency order of {} pages has {stamped} stamps and {logged} live log entries",
                self.pages
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn protected_recency_behaves_like_a_vector(
            steps in prop::collection::vec((0_u32..40, 0_u8..4), 20_000..20_001),
        ) {
            let mut order = ProtectedRecency::new();
            order.grow(40);
            let mut model: Vec<(u32, bool)> = Vec::new();
            for (page, step) in steps {
                let held = model.iter().position(|&(other, _)| other == page);
                prop_assert_eq!(order.contains(page), held.is_some());
                match (step, held) {
                    (0, _) => {
                        let victim = model.iter().position(|&(_, protected)| !protected);
                        let expected = victim.map(|place| model.remove(place).0);
                        prop_assert_eq!(order.pop_least_recent_unprotected(), expected);
                    }
                    (_, None) => { model.push((page, true)); order.insert_protected(page); }
                    (1, Some(place)) if model[place].1 => {
                        model[place].1 = false;
                        order.release(page);
                    }
                    (_, Some(place)) => {
                        let protected = model.remove(place).1;
                        model.push((page, !protected));
                        if protected {
                            order.touch_and_release(page);
                        } else {
                            order.touch_and_protect(page);
                        }
                    }
                }
            }
            let held: Vec<_> = order.iter().map(|page| (page, order.is_protected(page))).collect();
            prop_assert_eq!(held, model);
            prop_assert_eq!(order.recount(), Ok(()));
        }
    }
}
