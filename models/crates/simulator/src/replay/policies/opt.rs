//! OPT: Belady's MIN.

use std::collections::BinaryHeap;

use super::{Guarding, Policy, Removable};
use crate::replay::bits::BitSet;
use crate::replay::fetch::fetch;
use crate::replay::future::NEVER;
use crate::replay::settings::Need;

/// Next access of a page of which nothing was foreseen: the place of the first access is nobody's next.
const UNFORESEEN: u32 = 0;
/// Entries that are not worth a sorting out.
const FEW_ENTRIES: usize = 1 << 12;
/// Pages held for each entry of the heap of far ones.
const PAGES_PER_FAR: usize = 8;

/// Belady, IBM Systems Journal 1966, algorithm MIN; every miss is admitted.
///
/// ```text
/// miss: evict the page whose next access is farthest in the future;
///       of pages never accessed again a clean one, of several the one last accessed here
/// ```
///
/// The tie "clean first" saves the write-back of a dirty page that is still cached at the end, where
/// nothing is flushed. It does not make the write-backs the fewest possible; OPT minimises misses.
///
/// In a tier that does not see all accesses (flash below RAM) the next access is the next one of
/// the trace, whether this tier will see it or not.
///
/// Each access to a page that is held makes a new entry. Most pages are accessed long before they
/// could become a victim, so only the entries from a horizon on are kept in order, in a small heap;
/// the nearer ones lie unsorted until the heap is empty. A page that misses is often the one whose
/// next access is farthest, and so the next victim: it does not enter the heap at all.
///
/// The entry before carries the place of the very access that makes the new one, so an entry whose
/// place has passed is stale, and behind a stale one in order all are. Entries of pages taken out of
/// turn are not stale by their place; those pages are not held then.
///
/// Guarded pages: their entries are dropped as they come up, and a page that is released is noted anew. Of
/// pages never accessed again one that was released counts as accessed then.
#[derive(Debug, Default)]
pub(crate) struct Opt {
    next_accesses: Vec<u32>,
    held: BitSet,
    /// Pages that must stay, if there are any.
    guarded: BitSet,
    guards: bool,
    pages: u32,
    /// An entry that is not less than any other, or 0: next access (upper half) and page.
    farthest: u64,
    /// The other entries that are not less than `horizon`, latest on top.
    far: BinaryHeap<u64>,
    /// The entries less than `horizon`.
    near: Vec<u64>,
    horizon: u64,
    /// Pages never accessed again, with the number of the note: clean when last looked at.
    finished_clean: Vec<(u64, u32)>,
    /// The same pages once they were seen dirty, last note on top.
    finished_dirty: BinaryHeap<(u64, u32)>,
    notes: u64,
    /// Accesses foreseen: the place of the next one.
    accesses: u64,
    /// Pages that entered without foresight: a scheme forgot to pass it on.
    unforeseen: u64,
}

#[inline]
fn entry(next_access: u32, page: u32) -> u64 {
    u64::from(next_access) << 32 | u64::from(page)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "each half on purpose")]
fn split(entry: u64) -> (u32, u32) {
    ((entry >> 32) as u32, entry as u32)
}

/// Whether an entry is of a page that is held, and of its next access.
#[inline]
fn is_fresh(entry: u64, held: &BitSet, now: u64) -> bool {
    let (next_access, page) = split(entry);
    u64::from(next_access) >= now && held.contains(page)
}

impl Opt {
    #[inline]
    fn note(&mut self, page: u32) {
        let next_access = self.next_accesses[page as usize];
        if next_access == NEVER {
            self.notes += 1;
            self.finished_clean.push((self.notes, page));
            return;
        }
        let entry = entry(next_access, page);
        if entry < self.horizon {
            if self.near.len() > FEW_ENTRIES && self.near.len() / 2 > self.pages as usize {
                self.sort_out_near();
            }
            self.near.push(entry);
        } else if entry >= self.farthest.max(self.far.peek().copied().unwrap_or(0)) {
            let other = std::mem::replace(&mut self.farthest, entry);
            if other != 0 {
                self.push_far(other);
            }
        } else {
            self.push_far(entry);
        }
    }

    #[inline]
    fn push_far(&mut self, entry: u64) {
        self.far.push(entry);
        if self.far.len() > FEW_ENTRIES && self.far.len() > self.pages as usize / PAGES_PER_FAR {
            self.move_horizon_out();
        }
    }

    /// Drops the stale entries among the near ones.
    #[cold]
    #[inline(never)]
    fn sort_out_near(&mut self) {
        let (held, now) = (&self.held, self.accesses);
        self.near.retain(|&entry| is_fresh(entry, held, now));
        if self.near.len() > self.pages as usize {
            // Pages that left out of turn and came back were noted twice.
            self.near.sort_unstable();
            self.near.dedup();
        }
    }

    /// Leaves the later half of the heap in it.
    #[cold]
    #[inline(never)]
    fn move_horizon_out(&mut self) {
        let mut entries = std::mem::take(&mut self.far).into_vec();
        let (held, now) = (&self.held, self.accesses);
        entries.retain(|&entry| is_fresh(entry, held, now));
        self.far_from_here(&mut entries, 2);
    }

    /// Refills the empty heap from the near entries; `false` if there are none.
    #[cold]
    #[inline(never)]
    fn move_horizon_in(&mut self) -> bool {
        self.sort_out_near();
        let mut entries = std::mem::take(&mut self.near);
        self.far_from_here(&mut entries, PAGES_PER_FAR);
        !self.far.is_empty()
    }

    /// Puts the horizon before the last so-manieth part of `entries`; the heap is empty.
    fn far_from_here(&mut self, entries: &mut Vec<u64>, part: usize) {
        let start = entries.len() - entries.len().div_ceil(part);
        if entries.is_empty() {
            self.horizon = 0;
            return;
        }
        self.horizon = *entries.select_nth_unstable(start).1;
        self.far.extend(entries.drain(start..));
        self.near.append(entries);
    }

    #[inline]
    fn may_leave(&self, page: u32) -> bool {
        self.held.contains(page) && !self.is_guarded(page)
    }

    /// Membership is all that is asked of an entry whose place is to come: what was noted is the page's
    /// next access until that comes, and a page never accessed again stays so.
    fn choose(&mut self, is_dirty: impl Fn(u32) -> bool) -> Option<u32> {
        while let Some((note, page)) = self.finished_clean.pop() {
            if self.may_leave(page) {
                if !is_dirty(page) {
                    return Some(page);
                }
                self.finished_dirty.push((note, page));
            }
        }
        while let Some((_, page)) = self.finished_dirty.pop() {
            if self.may_leave(page) {
                return Some(page);
            }
        }
        loop {
            let entry = match std::mem::take(&mut self.farthest) {
                0 => self.far.pop().unwrap_or(0),
                entry => entry,
            };
            let (next_access, page) = split(entry);
            if entry == 0 || u64::from(next_access) < self.accesses {
                // None, or a stale one, and so are those behind it.
                self.far.clear();
                if !self.move_horizon_in() {
                    return None;
                }
            } else if self.may_leave(page) {
                return Some(page);
            }
        }
    }

    #[inline]
    fn evict_one(&mut self, is_dirty: impl Fn(u32) -> bool) -> u32 {
        // Every page that is held was noted when it entered or was last accessed.
        let victim = self.choose(is_dirty).unwrap_or_default();
        self.held.take(victim);
        self.pages -= 1;
        victim
    }
}

impl Policy for Opt {
    type Guarded = Self;

    const NEEDS: &'static [Need] = &[Need::Future];

    fn new(_capacity: u32) -> Self {
        Self::default()
    }

    fn grow(&mut self, pages: usize) {
        self.held.grow(pages);
        if self.guards {
            self.guarded.grow(pages);
        }
        if pages > self.next_accesses.len() {
            self.next_accesses.resize(pages, UNFORESEEN);
        }
    }

    fn fetch(&self, pages: &[u32]) {
        fetch(&self.next_accesses, pages);
    }

    #[inline]
    fn foresee(&mut self, page: u32, next_access: u32) {
        self.accesses += 1;
        self.next_accesses[page as usize] = next_access;
        if self.held.contains(page) {
            self.note(page);
        }
    }

    fn begin_at(&mut self, accesses: u64) {
        self.accesses = accesses;
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.held.contains(page)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.pages
    }

    #[inline]
    fn on_hit(&mut self, _page: u32) {}

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        self.evict_one(|_| false)
    }

    #[inline]
    fn evict_by_dirt(&mut self, _incoming: u32, dirty: &BitSet) -> u32 {
        self.evict_one(|page| dirty.contains(page))
    }

    fn forget_dirt(&mut self) {
        self.finished_clean.extend(self.finished_dirty.drain());
        self.finished_clean.sort_unstable();
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.unforeseen += u64::from(self.next_accesses[page as usize] == UNFORESEEN);
        self.held.insert(page);
        self.pages += 1;
        self.note(page);
    }

    fn recount(&self) -> Result<(), String> {
        let held = self.held.iter().count();
        if held != self.pages as usize || self.unforeseen > 0 {
            return Err(format!(
                "OPT counts {} pages, holds {held}, and took {} without knowing their next access",
                self.pages, self.unforeseen
            ));
        }
        let mut noted = BitSet::default();
        noted.grow(self.next_accesses.len());
        for &(_, page) in self.finished_clean.iter().chain(&self.finished_dirty) {
            let finished = self.next_accesses[page as usize] == NEVER;
            noted.insert_if(page, finished && self.held.contains(page));
        }
        let farthest = (self.farthest != 0).then_some(&self.farthest);
        for &entry in self.far.iter().chain(&self.near).chain(farthest) {
            let (next_access, page) = split(entry);
            let known =
                self.held.contains(page) && self.next_accesses[page as usize] == next_access;
            noted.insert_if(page, known);
        }
        let mut open = self.held.iter().filter(|&page| self.may_leave(page));
        match open.find(|&page| !noted.contains(page)) {
            None => Ok(()),
            Some(page) => Err(format!("OPT holds page {page} but would never evict it")),
        }
    }
}

impl Removable for Opt {
    #[inline]
    fn remove(&mut self, page: u32) {
        self.held.take(page);
        self.pages -= 1;
    }
}

impl Guarding for Opt {
    fn expect_guards(&mut self) {
        self.guards = true;
    }

    #[inline]
    fn is_guarded(&self, page: u32) -> bool {
        self.guards && self.guarded.contains(page)
    }

    #[inline]
    fn guard(&mut self, page: u32) {
        self.guarded.insert(page);
    }

    #[inline]
    fn release(&mut self, page: u32) {
        self.guarded.take(page);
        self.note(page);
    }
}
