//! Effective distances: only pages that are present count.
//!
//! A pool of s pages holds page p if p's threshold is at most s and fewer than s of the entries above
//! it have one of at most s. In the conditions the smallest such s takes the place of the distance.

use super::{Estimator, TwoStack};

const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Entry {
    above: u32,
    below: u32,
    threshold: u32,
    held: bool,
}

/// One stack as a linked list over page numbers.
#[derive(Debug)]
struct List {
    entries: Vec<Entry>,
    top: u32,
}

impl List {
    fn new() -> Self {
        Self {
            entries: Vec::new(),
            top: NONE,
        }
    }

    fn grow(&mut self, pages: usize) {
        let absent = Entry {
            above: NONE,
            below: NONE,
            threshold: 0,
            held: false,
        };
        self.entries.resize(pages.max(self.entries.len()), absent);
    }

    fn remove(&mut self, page: u32) {
        let Entry { above, below, .. } = self.entries[page as usize];
        self.entries[page as usize].held = false;
        match self.entries.get_mut(above as usize) {
            Some(entry) => entry.below = below,
            None => self.top = below,
        }
        if let Some(entry) = self.entries.get_mut(below as usize) {
            entry.above = above;
        }
    }

    fn put_on_top(&mut self, page: u32, threshold: u32) {
        let below = std::mem::replace(&mut self.top, page);
        if let Some(entry) = self.entries.get_mut(below as usize) {
            entry.above = page;
        }
        self.entries[page as usize] = Entry {
            above: NONE,
            below,
            threshold,
            held: true,
        };
    }

    /// Counts the entries above `page` by threshold, all beyond `most` together.
    ///
    /// Stops once pools of up to `most` pages are full of entries that are present in all of them:
    /// what lies below is in none. So the walk is about `most` long, however deep the page.
    fn thresholds_above(&self, page: u32, most: u32, counts: &mut [u32]) {
        let mut at = self.top;
        let mut in_all = 0;
        while at != page && in_all < most {
            let entry = self.entries[at as usize];
            counts[entry.threshold.min(most + 1) as usize] += 1;
            in_all += u32::from(entry.threshold <= 1);
            at = entry.below;
        }
    }
}

/// The two stacks, and the hits of every split.
#[derive(Debug)]
pub(super) struct Effective {
    pages: u32,
    conditions: bool,
    clean: List,
    dirty: List,
    hits_clean: Vec<u64>,
    hits_dirty: Vec<u64>,
    write_hits_dirty: Vec<u64>,
    counts: Vec<u32>,
}

impl Effective {
    pub(super) fn new(pages: u32, conditions: bool) -> Self {
        let splits = pages as usize - 1;
        Self {
            pages,
            conditions,
            clean: List::new(),
            dirty: List::new(),
            hits_clean: vec![0; splits],
            hits_dirty: vec![0; splits],
            write_hits_dirty: vec![0; splits],
            counts: vec![0; pages as usize + 2],
        }
    }

    fn hit_clean(&mut self, page: u32) {
        let sizes = self.pages;
        self.clean.thresholds_above(page, sizes, &mut self.counts);
        let threshold = self.clean.entries[page as usize].threshold;
        let hits = &mut self.hits_clean;
        each_hit(&mut self.counts, sizes, threshold, |size| {
            if let Some(count) = hits.get_mut(size as usize - 1) {
                *count += 1;
            }
        });
    }

    /// Counts the hits of the dirty pool, and returns the smallest pool that hits, else M + 1.
    fn hit_dirty(&mut self, page: u32, write: bool) -> u32 {
        let sizes = self.pages;
        self.dirty.thresholds_above(page, sizes, &mut self.counts);
        let threshold = self.dirty.entries[page as usize].threshold;
        let (hits, write_hits) = (&mut self.hits_dirty, &mut self.write_hits_dirty);
        let mut smallest = sizes + 1;
        each_hit(&mut self.counts, sizes, threshold, |size| {
            smallest = smallest.min(size);
            if size < sizes {
                let split = (sizes - size) as usize - 1;
                hits[split] += 1;
                write_hits[split] += u64::from(write);
            }
        });
        smallest
    }
}

/// Calls `hit` for the sizes 1 to `sizes` at which an entry is held, and clears `counts`.
fn each_hit(counts: &mut [u32], sizes: u32, threshold: u32, mut hit: impl FnMut(u32)) {
    let mut present = counts[0];
    for size in 1..=sizes {
        present += counts[size as usize];
        if threshold <= size && present < size {
            hit(size);
        }
    }
    counts.fill(0);
}

impl Estimator for Effective {
    fn grow(&mut self, pages: usize) {
        self.clean.grow(pages);
        self.dirty.grow(pages);
    }

    fn fetch(&self, _pages: &[u32]) {}

    fn access(&mut self, page: u32, write: bool) {
        let in_clean = self.clean.entries[page as usize].held;
        let in_dirty = self.dirty.entries[page as usize].held;
        if in_clean {
            self.hit_clean(page);
            self.clean.remove(page);
        }
        let mut smallest = 0;
        if in_dirty {
            smallest = self.hit_dirty(page, write);
            self.dirty.remove(page);
        }
        if write {
            self.dirty.put_on_top(page, 0);
            return;
        }
        let mut present_from = 0;
        if in_dirty {
            let mut t_d = 0;
            if self.conditions {
                t_d = self.dirty.entries[page as usize].threshold.max(smallest);
                present_from = (self.pages + 1).saturating_sub(t_d);
            }
            self.dirty.put_on_top(page, t_d);
        }
        self.clean.put_on_top(page, present_from);
    }

    fn finish(self) -> TwoStack {
        TwoStack {
            pages: self.pages,
            accesses: 0,
            write_accesses: 0,
            distinct_pages: 0,
            hits_clean: self.hits_clean,
            hits_dirty: self.hits_dirty,
            write_hits_dirty: self.write_hits_dirty,
            by_index: None,
        }
    }
}
