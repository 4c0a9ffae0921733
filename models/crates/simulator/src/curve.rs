//! Exact LRU hit-ratio and write-back curves for all sizes in one pass.
//!
//! **Misses.** The stack distance of an access is the depth of its page in one unbounded LRU stack:
//! one more than the distinct pages used since its last use. An LRU cache of `C` pages misses
//! exactly the accesses at distances above `C`, and the first access to each page.
//!
//! **Write-backs.** From one write of a page to its next write the page costs one write-back at
//! every size below the largest distance among its accesses in between, the next write's own
//! included, and none at larger sizes: the first eviction writes the page, later ones find it
//! clean. After the last write the depth at which the page ends takes part too. So one running
//! maximum per page is enough.
//!
//! **Depths.** Every page has the place of its last use, places being given in order; a bit per
//! place is set while the place is some page's last. The depth of a page is one more than the set
//! bits behind its place. Set bits are counted by blocks of 512 places in a Fenwick tree, so a count
//! takes a walk over the tree and at most eight words. When places run out, the live ones are
//! renumbered, so memory is proportional to the distinct pages, never to the accesses.

use crate::access::{AccessSource, Chunk, WRITE};
use crate::error::Result;
use crate::progress::{OnProgress, report};
use crate::replay::{MAX_DISTINCT_PAGES, disagreement, distinct_pages, write_accesses};

mod bursts;
mod carried;
pub(crate) mod depths;
mod parallel;
mod parts;
mod sampled;
mod stack;
pub mod two_stack;
mod windows;

pub use carried::{
    CarriedWindows, FEWEST_ACCESSES, MOST_WINDOWS as MOST_CARRIED_WINDOWS, window_accesses,
};
use carried::{Ends, Recorder};
pub use parallel::{curves_in_batches, curves_on_threads};
pub use parts::{
    HashRange, JoinedParts, MOST_RANGES, Part, PartOrigin, WithSummaries, part_curves, part_ranges,
};
pub(crate) use parts::{check_names, hash_of, range_of};
pub use sampled::{FEWEST_SAMPLED_PAGES, Knot, Sample, SampledCurves, sampled_curves};
pub(crate) use sampled::{mix, place_in_sample, spread, together};
pub(crate) use stack::Stack;
pub use windows::{MOST_WINDOWS, Window, WindowCurves, WindowLength, window_curves};

/// Exact counts of every LRU cache size, cold start, no flush at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curves {
    /// Accesses, reads and writes.
    pub accesses: u64,
    /// Accesses that write.
    pub write_accesses: u64,
    /// Distinct pages, and so the length of both curves.
    pub distinct_pages: u64,
    /// Misses of an LRU cache of `i + 1` pages.
    pub misses: Vec<u64>,
    /// Evictions of dirty pages of an LRU cache of `i + 1` pages.
    pub write_backs: Vec<u64>,
    /// The same by windows, at some sizes.
    pub windows: CarriedWindows,
}

/// Reads all accesses of `source` once.
///
/// # Errors
/// [`crate::Error::Cancelled`], and whatever `source` reports.
pub fn curves(source: &mut dyn AccessSource, on_progress: OnProgress<'_>) -> Result<Curves> {
    let mut pass = Pass::new();
    let mut chunk = Chunk::default();
    let (mut accesses, mut writes, mut distinct) = (0, 0, 0);
    while source.next_chunk(&mut chunk)? {
        distinct = distinct_pages(&chunk, distinct)?;
        pass.grow(distinct);
        let (mut pages, mut flags) = (&chunk.pages[..], &chunk.flags[..]);
        while !pages.is_empty() {
            let batch = pages.len().min(BATCH).min(pass.windows.room());
            pass.batch(&pages[..batch], &flags[..batch]);
            (pages, flags) = (&pages[batch..], &flags[batch..]);
        }
        accesses += chunk.len() as u64;
        writes += write_accesses(&chunk.flags);
        report(source, accesses, on_progress)?;
    }
    let (misses, write_backs, windows) = pass.finish(distinct as u64);
    let curves = Curves {
        accesses,
        write_accesses: writes,
        distinct_pages: distinct as u64,
        misses,
        write_backs,
        windows,
    };
    check(&curves).map_err(|text| disagreement("curves", &text))?;
    Ok(curves)
}

/// What holds of every pair of curves.
fn check(curves: &Curves) -> std::result::Result<(), String> {
    let Curves {
        accesses,
        write_accesses,
        distinct_pages,
        misses,
        write_backs,
        windows,
    } = curves;
    if misses.len() as u64 != *distinct_pages || write_backs.len() != misses.len() {
        return Err(format!(
            "{} and {} sizes for {distinct_pages} distinct pages",
            misses.len(),
            write_backs.len()
        ));
    }
    if !misses.is_sorted_by(|left, right| left >= right)
        || !write_backs.is_sorted_by(|left, right| left >= right)
    {
        return Err("a larger cache misses or writes back more".to_owned());
    }
    // All pages fit: each misses once and none is ever evicted.
    let ends = (misses.last(), write_backs.last());
    if *distinct_pages > 0 && ends != (Some(distinct_pages), Some(&0)) {
        return Err(format!(
            "a cache of all {distinct_pages} pages has {ends:?} misses and write-backs"
        ));
    }
    if misses.first() > Some(accesses) || write_backs.first() > Some(write_accesses) {
        return Err(format!(
            "{:?} misses of {accesses} accesses, {:?} write-backs of {write_accesses} writes",
            misses.first(),
            write_backs.first()
        ));
    }
    for (at, &size) in windows.pages.iter().enumerate() {
        let missed: u64 = windows.misses.iter().map(|window| window[at]).sum();
        let written: u64 = windows.write_backs.iter().map(|window| window[at]).sum();
        let written = written + windows.open_write_backs[at];
        let whole = usize::try_from(size - 1).unwrap_or(usize::MAX);
        let (misses, write_backs) = (misses.get(whole), write_backs.get(whole));
        if misses != Some(&missed) || write_backs != Some(&written) {
            return Err(format!(
                "windows have {missed} misses and {written} write-backs in {size} pages, the curves {misses:?} and \
                 {write_backs:?}"
            ));
        }
    }
    Ok(())
}

/// Largest depth since the last write, of a page that was never written.
const NEVER_WRITTEN: u32 = u32::MAX;

/// Bit of the note of a page that was not written yet; the others are the largest depth so far.
const UNWRITTEN: u32 = 1 << 31;
const _: () = assert!(MAX_DISTINCT_PAGES < UNWRITTEN as usize);

/// Follows an access of a page: the largest depth that a write ends, as [`UNWRITTEN`] marks the note.
#[inline]
fn follow(note: &mut u32, before: &mut [u32], page: u32, depth: u32, write: bool) -> Option<u32> {
    let deepest = (*note & !UNWRITTEN).max(depth);
    let first = *note & UNWRITTEN;
    if !write {
        *note = first | deepest;
        return None;
    }
    *note = 0;
    if first == 0 {
        return Some(deepest);
    }
    before[page as usize] = deepest;
    None
}

/// What is open of each page at the end, from its note, its depth, and the largest depth up to its first write.
fn ends_of(notes_and_depths: impl Iterator<Item = (u32, u32)>, before: &[u32]) -> Vec<Ends> {
    notes_and_depths
        .zip(before)
        .map(|((note, depth), &before)| Ends {
            before,
            after: (note & UNWRITTEN == 0).then_some(note),
            depth,
        })
        .collect()
}

/// Accesses handled together: what they read and what they count lies anywhere in memory, and a
/// short loop that only reads, or only counts, keeps many such places in flight.
const BATCH: usize = 512;

/// The state of one pass.
#[derive(Debug)]
struct Pass {
    /// The pages, each with its largest depth since its last write, or so far, marked by [`UNWRITTEN`].
    stack: Stack,
    /// Largest depth of each page up to its first write.
    before: Vec<u32>,
    /// Re-references by depth; entry 0 counts first references.
    by_depth: Vec<u64>,
    /// Writes by the largest depth until the next write.
    by_deepest: Vec<u64>,
    /// Depths of the batch, to be counted.
    depths: [u32; BATCH],
    /// Largest depths that the writes of the batch end, to be counted.
    deepest: [u32; BATCH],
    windows: Recorder,
}

impl Pass {
    fn new() -> Self {
        Self {
            stack: Stack::default(),
            before: Vec::new(),
            by_depth: Vec::new(),
            by_deepest: Vec::new(),
            depths: [0; BATCH],
            deepest: [0; BATCH],
            windows: Recorder::new(),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.stack.grow(pages, UNWRITTEN);
        if pages >= self.by_depth.len() {
            self.before.resize(pages, 0);
            self.by_depth.resize(pages + 1, 0);
            self.by_deepest.resize(pages + 1, 0);
        }
    }

    /// At most [`BATCH`] accesses, within one window.
    fn batch(&mut self, pages: &[u32], flags: &[u8]) {
        self.stack.fetch(pages);
        let mut ended = 0;
        for ((&page, &flags), depth) in pages.iter().zip(flags).zip(&mut self.depths) {
            *depth = self.stack.reference(page);
            let note = self.stack.note(page);
            let write = flags & WRITE != 0;
            if let Some(deepest) = follow(note, &mut self.before, page, *depth, write) {
                self.deepest[ended] = deepest;
                ended += 1;
            }
        }
        for &depth in &self.depths[..pages.len()] {
            self.by_depth[depth as usize] += 1;
        }
        for &deepest in &self.deepest[..ended] {
            self.by_deepest[deepest as usize] += 1;
        }
        self.windows
            .batch(&self.depths[..pages.len()], &self.deepest[..ended]);
    }

    /// Misses and write-backs of the sizes 1, 2, ... distinct pages, and their windows.
    fn finish(mut self, distinct: u64) -> (Vec<u64>, Vec<u64>, CarriedWindows) {
        let ends = ends_of(self.stack.into_notes_and_depths(), &self.before);
        count_open(&ends, &mut self.by_deepest);
        self.windows.open(&ends, 1, |depth| depth);
        let first_references = self.by_depth.first().copied().unwrap_or(0);
        (
            counts_above(self.by_depth, first_references),
            counts_above(self.by_deepest, 0),
            self.windows.finish(distinct),
        )
    }
}

/// Counts the write-backs of intervals that no write ends.
fn count_open(ends: &[Ends], by_deepest: &mut [u64]) {
    for page in ends {
        if let Some(after) = page.after {
            by_deepest[after.max(page.depth) as usize] += 1;
        }
    }
}

/// From counts at the depths 0, 1, ... D to the counts above the depths 1, 2, ... D, plus `always`.
fn counts_above(mut at: Vec<u64>, always: u64) -> Vec<u64> {
    let mut above = always;
    for count in at.iter_mut().rev() {
        above += std::mem::replace(count, above);
    }
    if !at.is_empty() {
        at.remove(0);
    }
    at
}
