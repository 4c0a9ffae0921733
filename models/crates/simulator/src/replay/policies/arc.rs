//! ARC, the adaptive replacement cache.

use super::{Policy, Removable, guarding_by};
use crate::replay::bits::BitSet;
use crate::replay::lists::{Lists, NO_PAGE};

/// Pages seen once recently.
const T1: u8 = 0;
/// Pages seen at least twice recently.
const T2: u8 = 1;
/// Ghosts of pages evicted from `T1`.
const B1: u8 = 2;
/// Ghosts of pages evicted from `T2`.
const B2: u8 = 3;

/// Megiddo and Modha, FAST 2003, Figure 4, for a cache of `c` pages.
///
/// ```text
/// pg in T1 or T2: to the recent end of T2
/// pg in B1: p = min(c, p + max(|B2| / |B1|, 1)); REPLACE; to the recent end of T2
/// pg in B2: p = max(0, p - max(|B1| / |B2|, 1)); REPLACE; to the recent end of T2
/// else:     if |T1| + |B1| = c: if |T1| < c: drop the oldest of B1; REPLACE
///                               else: drop the oldest of T1
///           else if |T1| + |T2| + |B1| + |B2| >= c:
///                               if it is 2c: drop the oldest of B2
///                               REPLACE
///           to the recent end of T1
/// REPLACE:  if |T1| >= 1 and (|T1| > p or (pg in B2 and |T1| = p)): oldest of T1 to B1
///           else: oldest of T2 to B2
/// ```
///
/// `p` is a real number, as printed, in double precision. A cache from which pages were taken out of turn can have ghosts
/// while it is not full; then the steps are the same without REPLACE.
///
/// A pool of a split buffer may hold fewer or more than `c` pages. Chosen for it: the equalities above
/// are "at least", and each list of ghosts drops its oldest while the pages seen once, B1 included, are
/// more than `c`, or all of them more than 2c.
///
/// A pool whose size changes from `c` to c': `p` becomes p c' / c, for it is the share of the cache that
/// the hits on ghosts have taught, and the ghosts drop to the limits above. Pages leave by REPLACE, one
/// at a time.
///
/// Guarded pages: the oldest open page of the list that REPLACE chooses leaves, or of the other one if that
/// has none open. Guarded pages count in the lengths.
#[derive(Debug)]
pub(crate) struct Arc<const GUARDED: bool = false> {
    capacity: u32,
    /// Wanted size of `T1`.
    p: f64,
    lists: Lists<4, GUARDED>,
    /// The page for which room was made last: `p` and the ghosts know of it already.
    prepared: u32,
}

impl<const GUARDED: bool> Arc<GUARDED> {
    /// Adapts `p` and the ghost lists to a miss of `page`.
    #[inline]
    fn prepare(&mut self, page: u32) {
        let ghosts = (self.lists.len(B1), self.lists.len(B2));
        let (b1, b2) = (f64::from(ghosts.0), f64::from(ghosts.1));
        if self.lists.is_in(page, B1) {
            self.p = (self.p + (b2 / b1).max(1.0)).min(f64::from(self.capacity));
        } else if self.lists.is_in(page, B2) {
            self.p = (self.p - (b1 / b2).max(1.0)).max(0.0);
        } else {
            let (t1, t2) = (self.lists.len(T1), self.lists.len(T2));
            let (once, again) = (
                u64::from(t1) + u64::from(ghosts.0),
                u64::from(t2) + u64::from(ghosts.1),
            );
            if once >= u64::from(self.capacity) {
                if ghosts.0 > 0 {
                    self.lists.pop(B1);
                }
            } else if once + again >= 2 * u64::from(self.capacity) && ghosts.1 > 0 {
                self.lists.pop(B2);
            }
        }
    }
}

impl<const GUARDED: bool> Arc<GUARDED> {
    /// Pages seen once and seen again, ghosts included.
    #[inline]
    fn seen(&self) -> (u64, u64) {
        let of =
            |pages, ghosts| u64::from(self.lists.len(pages)) + u64::from(self.lists.len(ghosts));
        (of(T1, B1), of(T2, B2))
    }

    #[inline]
    fn limit_ghosts(&mut self) {
        let capacity = u64::from(self.capacity);
        while self.seen().0 > capacity && self.lists.len(B1) > 0 {
            self.lists.pop(B1);
        }
        while self.seen().0 + self.seen().1 > 2 * capacity && self.lists.len(B2) > 0 {
            self.lists.pop(B2);
        }
    }
}

impl<const GUARDED: bool> Arc<GUARDED> {
    /// REPLACE for a page that is on `B2` or not.
    #[inline]
    fn replace(&mut self, is_in_b2: bool) -> u32 {
        let open = |list| self.lists.open(list) > 0;
        let t1 = f64::from(self.lists.len(T1));
        let from_t1 = t1 > self.p || (t1 >= self.p && is_in_b2);
        let from_t1 = !open(T2) || (open(T1) && from_t1);
        let (pages, ghosts) = if from_t1 { (T1, B1) } else { (T2, B2) };
        let victim = self.lists.oldest_open(pages);
        self.lists.push(victim, ghosts);
        self.limit_ghosts();
        victim
    }
}

impl<const GUARDED: bool> Policy for Arc<GUARDED> {
    type Guarded = Arc<true>;

    fn new(capacity: u32) -> Self {
        Self {
            capacity,
            p: 0.0,
            lists: Lists::new(),
            prepared: NO_PAGE,
        }
    }

    fn resize(&mut self, capacity: u32) {
        if capacity == self.capacity {
            return;
        }
        self.p = self.p * f64::from(capacity) / f64::from(self.capacity);
        self.capacity = capacity;
        self.limit_ghosts();
    }

    fn grow(&mut self, pages: usize) {
        self.lists.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.lists.fetch(pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.lists.is_in_first(page, B1)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.lists.len(T1) + self.lists.len(T2)
    }

    #[inline]
    fn on_hit(&mut self, page: u32) {
        self.lists.push(page, T2);
    }

    #[inline]
    fn evict(&mut self, incoming: u32) -> u32 {
        let only_t1 = self.lists.len(T1) >= self.capacity && !self.lists.is_in(incoming, B2);
        self.prepare(incoming);
        self.prepared = incoming;
        if only_t1 && self.lists.open(T1) > 0 {
            // No ghost: B1 is empty, and `T1` alone fills what the paper allows both.
            return self.lists.pop_open(T1);
        }
        self.replace(self.lists.is_in(incoming, B2))
    }

    /// REPLACE alone, for a page on no list.
    #[inline]
    fn give(&mut self, _dirty: &BitSet) -> u32 {
        self.replace(false)
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        if self.prepared != page {
            self.prepare(page);
        }
        self.prepared = NO_PAGE;
        let again = self.lists.is_in(page, B1) || self.lists.is_in(page, B2);
        self.lists.push(page, if again { T2 } else { T1 });
        self.limit_ghosts();
    }

    fn recount(&self) -> Result<(), String> {
        self.lists.recount()?;
        let [t1, t2, b1, b2] = [T1, T2, B1, B2].map(|list| u64::from(self.lists.len(list)));
        let capacity = u64::from(self.capacity);
        let few_once = t1 + b1 <= capacity || b1 == 0;
        let few = t1 + t2 + b1 + b2 <= 2 * capacity || b2 == 0;
        if few_once && few {
            Ok(())
        } else {
            Err(format!(
                "ARC lists of {t1}, {t2}, {b1} and {b2} pages in a cache of {capacity}"
            ))
        }
    }
}

impl<const GUARDED: bool> Removable for Arc<GUARDED> {
    #[inline]
    fn remove(&mut self, page: u32) {
        self.lists.remove(page);
    }
}

guarding_by!(Arc<true>, lists);
