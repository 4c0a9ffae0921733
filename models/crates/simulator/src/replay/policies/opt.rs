//! OPT: Belady's MIN.

use std::collections::BinaryHeap;

use super::{Policy, Removable};
use crate::replay::bits::BitSet;
use crate::replay::future::NEVER;
use crate::replay::settings::Need;

/// Next access of a page of which nothing was foreseen: the place of the first access is nobody's next.
const UNFORESEEN: u32 = 0;
/// Entries of the heap that are not worth a rebuild.
const SMALL_HEAP: usize = 1 << 12;

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
/// The heap takes a new entry at each access to a page that is held. The entry before it carries
/// the place of that very access, less than that of any entry still to come, so no stale entry
/// reaches the top of the heap, except of pages taken out of turn; those are not held then.
#[derive(Debug, Default)]
pub(crate) struct Opt {
    next_accesses: Vec<u32>,
    held: BitSet,
    pages: u32,
    /// Next access (upper half) and page of pages accessed again, latest on top.
    heap: BinaryHeap<u64>,
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

impl Opt {
    #[inline]
    fn note(&mut self, page: u32) {
        let next_access = self.next_accesses[page as usize];
        if next_access == NEVER {
            self.notes += 1;
            self.finished_clean.push((self.notes, page));
        } else {
            if self.heap.len() > SMALL_HEAP && self.heap.len() / 2 > self.pages as usize {
                self.rebuild();
            }
            self.heap.push(entry(next_access, page));
        }
    }

    #[cold]
    #[inline(never)]
    fn rebuild(&mut self) {
        let (held, now) = (&self.held, self.accesses);
        self.heap.retain(|&entry| {
            let (next_access, page) = split(entry);
            u64::from(next_access) >= now && held.contains(page)
        });
    }

    /// Membership is all that is asked of an entry: what was noted in the future is the page's next
    /// access until that comes, and a page never accessed again stays so.
    fn choose(&mut self, dirty: &BitSet) -> Option<u32> {
        while let Some((note, page)) = self.finished_clean.pop() {
            if self.held.contains(page) {
                if !dirty.contains(page) {
                    return Some(page);
                }
                self.finished_dirty.push((note, page));
            }
        }
        while let Some((_, page)) = self.finished_dirty.pop() {
            if self.held.contains(page) {
                return Some(page);
            }
        }
        while let Some(entry) = self.heap.pop() {
            let (_, page) = split(entry);
            if self.held.contains(page) {
                return Some(page);
            }
        }
        None
    }
}

impl Policy for Opt {
    const NEEDS: &'static [Need] = &[Need::Future];

    fn new(_capacity: u32) -> Self {
        Self::default()
    }

    fn grow(&mut self, pages: usize) {
        self.held.grow(pages);
        if pages > self.next_accesses.len() {
            self.next_accesses.resize(pages, UNFORESEEN);
        }
    }

    fn fetch(&self, pages: &[u32]) {
        let mixed = pages
            .iter()
            .fold(0, |mixed, &page| mixed ^ self.next_accesses[page as usize]);
        std::hint::black_box(mixed);
    }

    #[inline]
    fn foresee(&mut self, page: u32, next_access: u32) {
        self.accesses += 1;
        self.next_accesses[page as usize] = next_access;
        if self.held.contains(page) {
            self.note(page);
        }
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
    fn evict(&mut self, incoming: u32) -> u32 {
        let mut none = BitSet::default();
        none.grow(self.next_accesses.len());
        self.evict_by_dirt(incoming, &none)
    }

    #[inline]
    fn evict_by_dirt(&mut self, _incoming: u32, dirty: &BitSet) -> u32 {
        // Every page that is held was noted when it entered or was last accessed.
        let victim = self.choose(dirty).unwrap_or_default();
        self.held.take(victim);
        self.pages -= 1;
        victim
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
        for &entry in &self.heap {
            let (next_access, page) = split(entry);
            let known =
                self.held.contains(page) && self.next_accesses[page as usize] == next_access;
            noted.insert_if(page, known);
        }
        match self.held.iter().find(|&page| !noted.contains(page)) {
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
