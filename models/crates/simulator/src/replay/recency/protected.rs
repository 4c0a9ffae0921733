//! A recency order in which pages can be protected.

use super::{FIRST, Log, NEVER, fetch};
use crate::replay::bits::LeastFirstSet;

/// Pages in recency order, some of them protected from eviction without losing their place.
///
/// The least recent unprotected page is found through a bit set over the log: walking from the
/// least recent end would pass over every protected page, which is most of RAM, at each eviction.
/// Pages leave from the middle, so a page is held exactly if it has a stamp.
#[derive(Debug)]
pub(crate) struct ProtectedRecency {
    /// Place of each page's last touch.
    stamps: Vec<u32>,
    log: Log,
    /// Indices of the live entries whose page is not protected.
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
            log: Log::starting_at(FIRST),
            evictable: LeastFirstSet::new(0),
            oldest: FIRST,
            head: FIRST,
            pages: 0,
        }
    }

    /// Makes room for the page numbers `0..pages`.
    pub(crate) fn grow(&mut self, pages: usize) {
        if pages > self.stamps.len() {
            self.stamps.resize(pages, NEVER);
        }
    }

    /// Reads the stamps of some pages, all at once.
    pub(crate) fn fetch(&self, pages: &[u32]) {
        fetch(&self.stamps, pages);
    }

    #[inline]
    pub(crate) fn contains(&self, page: u32) -> bool {
        self.stamps[page as usize] != NEVER
    }

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.pages
    }

    /// Whether a page that is held is protected.
    pub(crate) fn is_protected(&self, page: u32) -> bool {
        !self.evictable.contains(self.index_of(page))
    }

    /// Index in the log of a page that is held, as the set has it.
    #[inline]
    fn index_of(&self, page: u32) -> u32 {
        self.stamps[page as usize] - self.log.base
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
        self.protect(page);
        self.touch_protected(page);
    }

    /// Moves a protected page to the most recent end and ends its protection.
    #[inline]
    pub(crate) fn touch_and_release(&mut self, page: u32) {
        self.touch_protected(page);
        self.release(page);
    }

    /// Ends the protection of a page; its place does not change.
    #[inline]
    pub(crate) fn release(&mut self, page: u32) {
        self.evictable.insert(self.index_of(page));
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
        self.evictable.remove(self.index_of(page));
    }

    /// Removes a page that is not protected.
    #[inline]
    pub(crate) fn remove(&mut self, page: u32) {
        self.protect(page);
        self.forget(page);
    }

    /// Moves a protected page to the most recent end; it stays protected.
    #[inline]
    pub(crate) fn touch_protected(&mut self, page: u32) {
        self.log.bury(self.index_of(page) as usize);
        self.append(page);
    }

    /// Removes and returns the least recent page, protected or not; at least one must be held.
    ///
    /// Walks over what is no longer live at the old end of the log, and remembers how far it came.
    pub(crate) fn pop_least_recent(&mut self) -> u32 {
        // What is not yet written counts as live.
        assert!(self.pages > 0, "a recency order without a page");
        let index = self.log.first_live(self.oldest);
        self.oldest = self.log.place(index);
        let page = self.log.pages[index];
        self.protect(page);
        self.forget(page);
        page
    }

    /// Removes and returns the least recent page that is not protected.
    #[inline]
    pub(crate) fn pop_least_recent_unprotected(&mut self) -> Option<u32> {
        let index = self.evictable.first()?;
        self.evictable.remove(index);
        let page = self.log.pages[index as usize];
        self.log.bury(index as usize);
        self.stamps[page as usize] = NEVER;
        self.pages -= 1;
        Some(page)
    }

    /// Ends what is known of a page whose entry is not in the set.
    #[inline]
    fn forget(&mut self, page: u32) {
        self.log.bury(self.index_of(page) as usize);
        self.stamps[page as usize] = NEVER;
        self.pages -= 1;
    }

    #[inline]
    fn append(&mut self, page: u32) {
        if self.log.index(self.head) == self.log.pages.len() {
            self.slide();
        }
        let index = self.log.index(self.head);
        self.log.pages[index] = page;
        self.stamps[page as usize] = self.head;
        self.head += 1;
    }

    #[cold]
    #[inline(never)]
    fn slide(&mut self) {
        let (oldest, head) = (self.oldest, self.head);
        // A page on its way to the most recent end counts, although its entry is buried.
        let length = self.log.length_for(self.pages);
        let before = std::mem::replace(&mut self.evictable, LeastFirstSet::new(length));
        let (stamps, evictable) = (&mut self.stamps, &mut self.evictable);
        self.head = self.log.slide(stamps, oldest, head, length, |from, to| {
            evictable.insert_open(in_set(to), before.contains(in_set(from)));
        });
        self.oldest = self.log.base;
        self.evictable.close();
    }

    /// The places of the live entries.
    fn places(&self) -> impl Iterator<Item = u32> {
        (self.oldest..self.head).filter(|&place| self.log.is_live(self.log.index(place)))
    }

    /// The pages held, least recent first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.places()
            .map(|place| self.log.pages[self.log.index(place)])
    }

    /// Counts the pages again, by stamps and by live log entries.
    pub(crate) fn recount(&self) -> Result<(), String> {
        let stamped = self.stamps.iter().filter(|&&stamp| stamp != NEVER).count();
        let logged = self.iter().count();
        let astray = self
            .iter()
            .zip(self.places())
            .any(|(page, place)| self.stamps[page as usize] != place);
        if stamped == self.pages as usize && logged == stamped && !astray {
            Ok(())
        } else {
            Err(format!(
                "a protected recency order of {} pages has {stamped} stamps and {logged} live log entries{}",
                self.pages,
                if astray {
                    ", and some do not agree"
                } else {
                    ""
                }
            ))
        }
    }
}

/// An index of the log as a member of a set.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the log is no longer than places go"
)]
fn in_set(index: usize) -> u32 {
    index as u32
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
