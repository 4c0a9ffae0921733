//! The Two-Stack estimator: hits of a clean and a dirty LRU pool at every split, in one pass.
//!
//! Paper: On, Li, He, Wu, Luo, Xu: FD-Buffer: a buffer manager for databases on flash disks, CIKM 2010,
//! sections 4.2 and 4.3 (Algorithms 3 and 4).
//!
//! A buffer of M pages is split into a clean pool of `M_c` and a dirty pool of `M_d = M - M_c`. Two
//! LRU stacks run over all pages ever referenced, and a page may be in both. Whether it really is in
//! that pool depends on the split, so each entry has a *present condition*. Every condition that can
//! arise is a threshold: `M_c >= t_c` in the clean stack, `M_d >= t_d` in the dirty one (0 is true).
//!
//! ```text
//! READ p   count clean hit at max(d_c, t_c) if p is in the clean stack, else none
//!          count dirty hit at max(d_d, t_d) if p is in the dirty stack, else none
//!          in both:       t_c = max(0, min(t_c, M - d_d + 1));  t_d = max(t_d, d_d)
//!          dirty only:    t_d = max(t_d, d_d);  copied to the clean stack with t_c = max(0, M - t_d + 1)
//!          otherwise:     t_c = 0
//!          to the top of the clean stack; to the top of the dirty stack if it is there
//! WRITE p  count as for READ; out of the clean stack, to the top of the dirty stack with t_d = 0
//! ```
//!
//! All distances are read before anything moves. The print tests `>` where `>=` is meant, and tests
//! absence from the clean stack after the removal (Algorithm 4, lines 5 and 6); both are repaired.
//!
//! **Distances.** *Raw* distances are stack positions (order statistics, see [`super`]). *Grouped*
//! ones are those of groups of pages of equal recency: positions 1 to g are group 0, and a page of
//! group k stands at k g as the paper prints it ("hit at every size" for the first group), or at
//! (k + 1) g, the conservative reading. *Effective* distances, which are in no paper, count only
//! those pages above that are really present at the pool size looked at. They need a walk down the
//! stack and over all sizes, about M steps an access, and give counts by split only.

use crate::access::{AccessSource, Chunk, WRITE};
use crate::curve::stack::Stack;
use crate::error::{Error, Result};
use crate::progress::{OnProgress, report};
use crate::replay::buffers::check_writes;
use crate::replay::{disagreement, distinct_pages, write_accesses};

mod effective;

use effective::Effective;

/// Largest buffer: some counters are kept for each of its splits.
pub const MAX_SPLIT_PAGES: u64 = 1 << 27;

/// What stands for the depth of a page in its stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// Its position.
    Raw,
    /// The distance of its group of `pages` positions: group times `pages` as printed, or the
    /// group's end if `conservative`.
    Grouped {
        /// Pages in a group, at least 1.
        pages: u32,
        /// Whether a group stands at its end.
        conservative: bool,
    },
    /// Its position among the pages that are present, at each pool size.
    Effective,
}

/// How to estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TwoStackSpec {
    /// Pages of the whole buffer, M.
    pub pages: u64,
    /// Kind of distance.
    pub distance: Distance,
    /// Whether entries carry present conditions; without them every entry counts as present.
    pub present_conditions: bool,
}

/// Counts of the hits by index; the index of an access is the smallest pool that holds its page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HitsByIndex {
    /// Hits at the indices 0, 1, 2, ...; shorter if there are none at the large ones.
    pub hits: Vec<u64>,
    /// Accesses that hit at no size.
    pub never: u64,
}

impl HitsByIndex {
    #[inline]
    fn count(&mut self, index: u32) {
        let index = index as usize;
        if index >= self.hits.len() {
            self.lengthen(index);
        }
        self.hits[index] += 1;
    }

    #[cold]
    #[inline(never)]
    fn lengthen(&mut self, index: usize) {
        self.hits.resize((index + 1).next_power_of_two(), 0);
    }

    fn total(&self) -> u64 {
        self.never + self.hits.iter().sum::<u64>()
    }

    /// Ends the list behind the last hit.
    fn trim(&mut self) {
        let length = self.hits.iter().rposition(|&count| count > 0);
        self.hits.truncate(length.map_or(0, |last| last + 1));
    }

    fn clear(&mut self) {
        self.hits.fill(0);
        self.never = 0;
    }
}

/// Hits by index of both pools, reads and writes apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexedHits {
    /// Reads that find their page in the clean pool.
    pub clean_reads: HitsByIndex,
    /// Writes that find their page in the clean pool.
    pub clean_writes: HitsByIndex,
    /// Reads that find their page in the dirty pool.
    pub dirty_reads: HitsByIndex,
    /// Writes that find their page in the dirty pool.
    pub dirty_writes: HitsByIndex,
}

/// What the estimator counts for the splits `M_c` = 1, 2, ... M - 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TwoStack {
    /// Pages of the whole buffer, M.
    pub pages: u32,
    /// Accesses, reads and writes.
    pub accesses: u64,
    /// Accesses that write.
    pub write_accesses: u64,
    /// Distinct pages of the trace.
    pub distinct_pages: u64,
    /// Hits of a clean pool of `i + 1` pages.
    pub hits_clean: Vec<u64>,
    /// Hits of the dirty pool beside a clean pool of `i + 1` pages.
    pub hits_dirty: Vec<u64>,
    /// Those of them that are writes.
    pub write_hits_dirty: Vec<u64>,
    /// Hits by index; not with effective distances, which have none.
    pub by_index: Option<IndexedHits>,
}

/// Reads all accesses of `source` once.
///
/// # Errors
/// [`Error::BadParameter`] for a buffer of fewer than 2 or more than [`MAX_SPLIT_PAGES`] pages or
/// a group of none, [`Error::Cancelled`], and whatever `source` reports.
pub fn two_stack(
    source: &mut dyn AccessSource,
    spec: TwoStackSpec,
    on_progress: OnProgress<'_>,
) -> Result<TwoStack> {
    check_writes(source, "fd_static")?;
    let pages = split_pages("pages", spec.pages)?;
    if let Distance::Grouped { pages: group, .. } = spec.distance {
        check_group(group, pages)?;
    }
    let conditions = spec.present_conditions;
    let found = match spec.distance {
        Distance::Effective => pass(source, Effective::new(pages, conditions), on_progress),
        distance => pass(
            source,
            Stacks::new(pages, distance, conditions),
            on_progress,
        ),
    }?;
    check(&found).map_err(|text| disagreement("two-stack estimator", &text))?;
    Ok(found)
}

/// Pages of a buffer that can be split in two.
pub(crate) fn split_pages(name: &'static str, pages: u64) -> Result<u32> {
    match u32::try_from(pages) {
        Ok(count) if (2..=MAX_SPLIT_PAGES).contains(&pages) => Ok(count),
        _ => Err(Error::BadParameter {
            name,
            value: pages.to_string(),
            message: format!("a split buffer must have from 2 to {MAX_SPLIT_PAGES} pages"),
            hint: "give the whole buffer in pages, not in bytes".to_owned(),
        }),
    }
}

/// Refuses groups that say nothing.
pub(crate) fn check_group(group: u32, pages: u32) -> Result<()> {
    if (1..=pages).contains(&group) {
        return Ok(());
    }
    Err(Error::BadParameter {
        name: "group-pages",
        value: group.to_string(),
        message: format!("a group must have from 1 to {pages} pages, the size of the buffer"),
        hint: "use 64 pages, as the paper does".to_owned(),
    })
}

/// A pass of one kind of distance.
trait Estimator {
    fn grow(&mut self, pages: usize);
    fn fetch(&self, pages: &[u32]);
    fn access(&mut self, page: u32, write: bool);
    /// Fills in everything but the counts of accesses.
    fn finish(self) -> TwoStack;
}

fn pass<E: Estimator>(
    source: &mut dyn AccessSource,
    mut estimator: E,
    on_progress: OnProgress<'_>,
) -> Result<TwoStack> {
    let mut chunk = Chunk::default();
    let (mut accesses, mut writes, mut distinct) = (0, 0, 0);
    while source.next_chunk(&mut chunk)? {
        distinct = distinct_pages(&chunk, distinct)?;
        estimator.grow(distinct);
        let batches = chunk
            .pages
            .chunks(super::BATCH)
            .zip(chunk.flags.chunks(super::BATCH));
        for (pages, flags) in batches {
            estimator.fetch(pages);
            for (&page, &flags) in pages.iter().zip(flags) {
                estimator.access(page, flags & WRITE != 0);
            }
        }
        accesses += chunk.len() as u64;
        writes += write_accesses(&chunk.flags);
        report(source, accesses, on_progress)?;
    }
    let mut found = estimator.finish();
    found.accesses = accesses;
    found.write_accesses = writes;
    found.distinct_pages = distinct as u64;
    Ok(found)
}

/// What holds of every estimate.
fn check(found: &TwoStack) -> std::result::Result<(), String> {
    let TwoStack {
        accesses,
        write_accesses,
        by_index,
        ..
    } = found;
    if let Some(by_index) = by_index {
        let reads = accesses - write_accesses;
        let totals = [
            by_index.clean_reads.total(),
            by_index.dirty_reads.total(),
            by_index.clean_writes.total(),
            by_index.dirty_writes.total(),
        ];
        if totals != [reads, reads, *write_accesses, *write_accesses] {
            return Err(format!(
                "{reads} reads and {write_accesses} writes are counted as {totals:?}"
            ));
        }
        if !found.hits_clean.is_sorted() || !found.hits_dirty.is_sorted_by(|a, b| a >= b) {
            return Err("a larger pool hits less".to_owned());
        }
    }
    let most = |hits: &[u64]| hits.iter().copied().max().unwrap_or(0);
    if most(&found.hits_clean) > *accesses
        || most(&found.hits_dirty) > *accesses
        || most(&found.write_hits_dirty) > *write_accesses
    {
        return Err("a pool hits more often than it is asked".to_owned());
    }
    Ok(())
}

/// The two stacks with positions, raw or grouped.
#[derive(Debug)]
pub(crate) struct Stacks {
    pages: u32,
    distance: Distance,
    conditions: bool,
    /// Notes are the thresholds of the present conditions.
    clean: Stack,
    dirty: Stack,
    hits: IndexedHits,
}

impl Stacks {
    pub(crate) fn new(pages: u32, distance: Distance, conditions: bool) -> Self {
        Self {
            pages,
            distance,
            conditions,
            clean: Stack::default(),
            dirty: Stack::default(),
            hits: IndexedHits::default(),
        }
    }

    /// Makes room for the page numbers `0..pages`.
    pub(crate) fn grow(&mut self, pages: usize) {
        self.clean.grow(pages, 0);
        self.dirty.grow(pages, 0);
    }

    /// Reads what is kept of some pages, all at once.
    pub(crate) fn fetch(&self, pages: &[u32]) {
        self.clean.fetch(pages);
        self.dirty.fetch(pages);
    }

    #[inline]
    fn stands_at(&self, position: u32) -> u32 {
        match self.distance {
            Distance::Raw | Distance::Effective => position,
            Distance::Grouped {
                pages,
                conservative,
            } => {
                let group = (position - 1) / pages;
                (group + u32::from(conservative)).saturating_mul(pages)
            }
        }
    }

    #[inline]
    pub(crate) fn access(&mut self, page: u32, write: bool) {
        if write {
            self.write(page);
        } else {
            self.read(page);
        }
    }

    #[inline]
    fn read(&mut self, page: u32) {
        let clean = self.clean.reference(page);
        let t_c = *self.clean.note(page);
        if clean == 0 {
            self.hits.clean_reads.never += 1;
        } else {
            let distance = self.stands_at(clean);
            self.hits.clean_reads.count(distance.max(t_c));
        }
        let mut present_from = 0;
        if self.dirty.contains(page) {
            let position = self.dirty.reference(page);
            let distance = self.stands_at(position);
            let t_d = *self.dirty.note(page);
            self.hits.dirty_reads.count(distance.max(t_d));
            if self.conditions {
                // Below this distance the read misses the dirty pool and loads the page clean.
                let loaded = (self.pages + 1).saturating_sub(distance);
                *self.dirty.note(page) = t_d.max(distance);
                present_from = if clean == 0 { loaded } else { loaded.min(t_c) };
            }
        } else {
            self.hits.dirty_reads.never += 1;
        }
        *self.clean.note(page) = present_from;
    }

    #[inline]
    fn write(&mut self, page: u32) {
        let clean = self.clean.remove(page);
        if clean == 0 {
            self.hits.clean_writes.never += 1;
        } else {
            let distance = self.stands_at(clean);
            let t_c = *self.clean.note(page);
            self.hits.clean_writes.count(distance.max(t_c));
        }
        let dirty = self.dirty.reference(page);
        if dirty == 0 {
            self.hits.dirty_writes.never += 1;
        } else {
            let distance = self.stands_at(dirty);
            let t_d = *self.dirty.note(page);
            self.hits.dirty_writes.count(distance.max(t_d));
        }
        *self.dirty.note(page) = 0;
    }

    /// Forgets the counts, not the stacks: a window ends.
    pub(crate) fn forget_counts(&mut self) {
        let IndexedHits {
            clean_reads,
            clean_writes,
            dirty_reads,
            dirty_writes,
        } = &mut self.hits;
        for hits in [clean_reads, clean_writes, dirty_reads, dirty_writes] {
            hits.clear();
        }
    }

    /// Hits of clean pool and dirty pool, and writes that hit the dirty pool, at every split.
    pub(crate) fn hits_by_split(&self) -> [Vec<u64>; 3] {
        let hits = &self.hits;
        let splits = self.pages as usize - 1;
        let clean = up_to(splits, &[&hits.clean_reads, &hits.clean_writes]);
        let mut dirty = up_to(splits, &[&hits.dirty_reads, &hits.dirty_writes]);
        let mut dirty_writes = up_to(splits, &[&hits.dirty_writes]);
        dirty.reverse();
        dirty_writes.reverse();
        [clean, dirty, dirty_writes]
    }
}

/// Hits of pools of 1, 2, ... `sizes` pages.
fn up_to(sizes: usize, counted: &[&HitsByIndex]) -> Vec<u64> {
    let at = |index: usize| -> u64 {
        counted
            .iter()
            .map(|hits| hits.hits.get(index).copied().unwrap_or(0))
            .sum()
    };
    let mut sum = at(0);
    (1..=sizes)
        .map(|size| {
            sum += at(size);
            sum
        })
        .collect()
}

impl Estimator for Stacks {
    fn grow(&mut self, pages: usize) {
        Self::grow(self, pages);
    }

    fn fetch(&self, pages: &[u32]) {
        Self::fetch(self, pages);
    }

    #[inline]
    fn access(&mut self, page: u32, write: bool) {
        Self::access(self, page, write);
    }

    fn finish(mut self) -> TwoStack {
        let [hits_clean, hits_dirty, write_hits_dirty] = self.hits_by_split();
        for hits in [
            &mut self.hits.clean_reads,
            &mut self.hits.clean_writes,
            &mut self.hits.dirty_reads,
            &mut self.hits.dirty_writes,
        ] {
            hits.trim();
        }
        TwoStack {
            pages: self.pages,
            accesses: 0,
            write_accesses: 0,
            distinct_pages: 0,
            hits_clean,
            hits_dirty,
            write_hits_dirty,
            by_index: Some(self.hits),
        }
    }
}
