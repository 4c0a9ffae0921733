//! CFLRU: clean pages first.
//!
//! Paper: Park, Jung, Kang, Kim, Lee, CASES 2006; with the working-region ratio WRR of On et al.
//!
//! ```text
//! one LRU list; working region = the W = floor(M WRR) most recent pages, clean-first region = the rest
//! hit:    to the most recent end
//! victim: least recent clean page of the clean-first region; else its least recent dirty page;
//!         else (the region is empty) the least recent page of the working region
//! ```
//!
//! The clean-first region is held as a clean and a dirty queue, as CFDC does: pages enter it in
//! recency order, when they fall out of the working region, and leave it by a hit or as victims, so
//! both queues are in recency order and a victim takes one step.

use super::options::HALF;
use super::{Buffer, BufferCounters, BufferOption, BufferResult, Run, drive};
use crate::error::Result;
use crate::replay::bits::BitSet;
use crate::replay::recency::Recency;
use crate::replay::store::Store;
use crate::replay::{CACHE, Fill, Machine, Totals};

pub(super) const WRR: BufferOption = BufferOption {
    name: "wrr",
    values: "a decimal number from 0 to 1",
    default: "0.5",
    description: "Working-region ratio: share of the frames, the most recent ones, whose pages are not evicted while others are left.",
};

pub(super) const OPTIONS: &[BufferOption] = &[WRR];

/// The dirty pages of the clean-first region.
pub(super) trait DirtyQueue {
    fn grow(&mut self, pages: usize);
    fn contains(&self, page: u32) -> bool;
    fn len(&self) -> u32;
    /// Adds a page that fell out of the working region.
    fn insert(&mut self, page: u32);
    /// Takes out a page that is used again.
    fn remove(&mut self, page: u32);
    /// Takes out the pages to be written in one request; at least one must be held.
    fn evict(&mut self, evicted: impl FnMut(u32));
    fn recount(&self) -> std::result::Result<(), String>;
}

/// CFLRU's own: in recency order, one at a time.
impl DirtyQueue for Recency {
    fn grow(&mut self, pages: usize) {
        Self::grow(self, pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        Self::contains(self, page)
    }

    #[inline]
    fn len(&self) -> u32 {
        Self::len(self)
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        Self::insert(self, page);
    }

    #[inline]
    fn remove(&mut self, page: u32) {
        Self::remove(self, page);
    }

    #[inline]
    fn evict(&mut self, mut evicted: impl FnMut(u32)) {
        evicted(self.pop_least_recent());
    }

    fn recount(&self) -> std::result::Result<(), String> {
        Self::recount(self)
    }
}

/// A working region and a clean-first region.
pub(super) struct Regions<Q, S = ()> {
    pages: u32,
    working_pages: u32,
    working: Recency,
    clean: Recency,
    dirty: Q,
    is_dirty: BitSet,
    counters: BufferCounters,
    store: S,
}

pub(super) fn start<S: Store>(run: Run<'_, '_, S>) -> Result<BufferResult> {
    let working_pages = run.options.share("wrr", HALF)?.of(run.pages);
    let buffer = Regions::<_, S>::new(run.pages, working_pages, Recency::default());
    drive(run, buffer)
}

impl<Q: DirtyQueue, S: Store> Regions<Q, S> {
    pub(super) fn new(pages: u32, working_pages: u32, dirty: Q) -> Self {
        Self {
            pages,
            working_pages,
            working: Recency::default(),
            clean: Recency::default(),
            dirty,
            is_dirty: BitSet::default(),
            counters: BufferCounters::default(),
            store: S::default(),
        }
    }

    pub(super) fn dirty_queue(&mut self) -> &mut Q {
        &mut self.dirty
    }

    fn held(&self) -> u64 {
        u64::from(self.working.len()) + u64::from(self.clean.len()) + u64::from(self.dirty.len())
    }

    #[inline]
    fn make_room(&mut self) {
        let Self {
            working,
            clean,
            dirty,
            is_dirty,
            counters,
            store,
            ..
        } = self;
        if clean.len() > 0 {
            clean.pop_least_recent();
            counters.evict(false);
        } else if dirty.len() > 0 {
            counters.write_requests += 1;
            dirty.evict(|page| {
                is_dirty.take(page);
                counters.evictions += 1;
                counters.writes += 1;
                store.write_back(page);
            });
        } else {
            let page = working.pop_least_recent();
            let was_dirty = is_dirty.take(page);
            counters.evict(was_dirty);
            if was_dirty {
                store.write_back(page);
            }
        }
    }

    /// Puts an absent page into the working region and lets the oldest one there fall out of it.
    #[inline]
    fn insert(&mut self, page: u32) {
        self.working.insert(page);
        if self.working.len() > self.working_pages {
            let oldest = self.working.pop_least_recent();
            if self.is_dirty.contains(oldest) {
                self.dirty.insert(oldest);
            } else {
                self.clean.insert(oldest);
            }
        }
    }
}

impl<Q: DirtyQueue, S: Store> Machine for Regions<Q, S> {
    fn grow(&mut self, pages: usize) {
        self.working.grow(pages);
        self.clean.grow(pages);
        self.dirty.grow(pages);
        self.is_dirty.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.working.fetch(pages);
        self.clean.fetch(pages);
    }

    #[inline]
    fn access(&mut self, page: u32, write: bool) {
        if self.working.contains(page) {
            self.counters.hit(self.is_dirty.contains(page), write);
            self.is_dirty.insert_if(page, write);
            self.working.touch(page);
            return;
        }
        if self.clean.contains(page) {
            self.counters.hit(false, write);
            self.clean.remove(page);
        } else if self.dirty.contains(page) {
            self.counters.hit(true, write);
            self.dirty.remove(page);
        } else {
            self.counters.miss();
            if self.held() == u64::from(self.pages) {
                self.make_room();
            }
        }
        self.is_dirty.insert_if(page, write);
        self.insert(page);
    }

    fn fill(&self) -> Fill {
        Fill::of(CACHE, self.held(), self.pages)
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        self.working.recount()?;
        self.clean.recount()?;
        self.dirty.recount()?;
        for page in self.is_dirty.iter() {
            if !self.working.contains(page) && !self.dirty.contains(page) {
                return Err(format!(
                    "page {page} is dirty, and absent or among the clean"
                ));
            }
        }
        if self.clean.iter().any(|page| self.is_dirty.contains(page)) {
            return Err("a dirty page is in the clean queue".to_owned());
        }
        if self.working.len() > self.working_pages || self.held() > u64::from(self.pages) {
            return Err(format!(
                "{} of {} pages in a working region of {}",
                self.working.len(),
                self.held(),
                self.working_pages
            ));
        }
        self.counters.check(totals, self.held())
    }
}

impl<Q: DirtyQueue, S: Store> Buffer for Regions<Q, S> {
    type Store = S;

    fn store(&mut self) -> &mut S {
        &mut self.store
    }

    fn counters(&self) -> BufferCounters {
        self.counters
    }
}
