//! Misses and write-backs of consecutive windows, counted in the pass that gives the curves.
//!
//! The caches are cold at the start of the trace and carried over from window to window. A miss
//! belongs to the window of its access. A write-back belongs to the window of the write that ends
//! its interval, as then its largest distance is known (see [`super`]); intervals that no write ends
//! are counted by themselves, as open at the end. So windows and open intervals sum up to the curves.
//!
//! **Windows** have [`FEWEST_ACCESSES`] accesses at first. The length of a trace is not known
//! beforehand: whenever [`MOST_WINDOWS`] are full they are joined in twos, which is exact, since
//! counts are sums. So a trace of more than `MOST_WINDOWS * FEWEST_ACCESSES` accesses has from half of
//! them to all of them, of equal length but for the last. Memory is the same for any trace.
//!
//! **Sizes** are the powers of two and half of their sum with the next: 1, 2, 3, 4, 6, 8, 12, ...; an
//! access adds to one counter, found from the bits of its distance.
//!
//! **The trace as a loop.** Where a page was before its first access, nobody saw. As if the trace had been
//! accessed once before, the first access of each page has the distance from its last one, around the
//! end, and the interval that no write ends is ended by the first write of its page. These are counted by
//! themselves, as *wrapped*: with them a loop has no open end, and of each page what it does itself.
//!
//! **A sample** counts its accesses and what each stands for; its windows say how counts go up and down, and
//! do not sum up to its curves, which are adjusted to what is known of the whole.

use super::Stack;

/// Windows at which they are joined in twos.
pub const MOST_WINDOWS: usize = 128;
/// Accesses of a window of a short trace.
pub const FEWEST_ACCESSES: u64 = 256;
/// Counters of a window: so many sizes, less one, are below a distance.
pub(super) const BINS: usize = 64;

/// Counts of consecutive windows at some sizes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CarriedWindows {
    /// Cache sizes [pages], increasing; the last one holds all distinct pages.
    pub pages: Vec<u64>,
    /// Accesses of each window.
    pub accesses: Vec<u64>,
    /// Accesses of each window to pages that were never referenced before.
    pub first_references: Vec<u64>,
    /// Misses of each window, at each size.
    pub misses: Vec<Vec<u64>>,
    /// Write-backs whose interval each window ends, at each size.
    pub write_backs: Vec<Vec<u64>>,
    /// Write-backs whose interval nothing ends, at each size.
    pub open_write_backs: Vec<u64>,
    /// First accesses that miss at each size if the trace was accessed once before.
    pub wrapped_misses: Vec<u64>,
    /// Write-backs, then, whose interval reaches from the last write of a page around to its first one, at each size.
    pub wrapped_write_backs: Vec<u64>,
}

/// Counts by the number of sizes below a distance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) accesses: u64,
    pub(super) misses: [u64; BINS],
    pub(super) write_backs: [u64; BINS],
}

impl Counts {
    pub(super) const fn new() -> Self {
        Self {
            accesses: 0,
            misses: [0; BINS],
            write_backs: [0; BINS],
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.accesses += other.accesses;
        let misses = self.misses.iter_mut().zip(&other.misses);
        let write_backs = self.write_backs.iter_mut().zip(&other.write_backs);
        for (sum, count) in misses.chain(write_backs) {
            *sum += count;
        }
    }
}

/// Counts the windows of a pass.
#[derive(Debug)]
pub(super) struct Recorder {
    /// Accesses of a full window.
    length: u64,
    /// Accesses that the present window has room for.
    left: u64,
    present: Counts,
    full: Vec<Counts>,
    /// Whether the length of the trace is known, and with it that of the windows: they stay apart.
    is_fixed: bool,
    open: [u64; BINS],
    wrapped_misses: [u64; BINS],
    wrapped_write_backs: [u64; BINS],
}

/// What is open of a page at both ends of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ends {
    /// Largest distance up to its first write.
    pub(super) before: u32,
    /// Largest distance since its last write; none of a page that was never written.
    pub(super) after: Option<u32>,
    /// How deep it lies at the end, the top being 1.
    pub(super) depth: u32,
}

/// Accesses of a window of a trace of so many accesses, as joining in twos ends with it.
pub fn window_accesses(accesses: u64) -> u64 {
    let mut length = FEWEST_ACCESSES;
    while accesses / length >= MOST_WINDOWS as u64 {
        length *= 2;
    }
    length
}

impl Recorder {
    pub(super) fn new() -> Self {
        Self {
            length: FEWEST_ACCESSES,
            left: FEWEST_ACCESSES,
            present: Counts::new(),
            full: Vec::with_capacity(MOST_WINDOWS),
            is_fixed: false,
            open: [0; BINS],
            wrapped_misses: [0; BINS],
            wrapped_write_backs: [0; BINS],
        }
    }

    /// One of a part that begins at an access of its trace, whose windows are so long.
    pub(super) fn of_part(first_access: u64, length: u64) -> Self {
        Self {
            length,
            left: length - first_access % length,
            is_fixed: true,
            ..Self::new()
        }
    }

    /// One that has counted these windows, of which the last may have room.
    pub(super) fn of_windows(full: Vec<Counts>) -> Self {
        Self {
            full,
            is_fixed: true,
            ..Self::new()
        }
    }

    /// Full windows so far: the number of the present one in its part.
    pub(super) fn closed(&self) -> usize {
        self.full.len()
    }

    /// The windows of a part, of which the first and the last may be cut.
    pub(super) fn into_windows(mut self) -> Vec<Counts> {
        if self.present.accesses > 0 {
            self.full.push(self.present);
        }
        self.full
    }

    /// Accesses that the present window has room for, above 0: a batch ends there at the latest.
    pub(super) fn room(&self) -> usize {
        usize::try_from(self.left).unwrap_or(usize::MAX)
    }

    /// Counts a batch that fits into the present window: distances of its accesses, 0 at a first
    /// reference, and the largest distances of the intervals that its writes end.
    pub(super) fn batch(&mut self, depths: &[u32], deepest: &[u32]) {
        for &depth in depths {
            self.present.misses[below(depth)] += 1;
        }
        for &depth in deepest {
            self.present.write_backs[below(depth)] += 1;
        }
        self.present.accesses += depths.len() as u64;
        self.left -= depths.len() as u64;
        if self.left == 0 {
            self.close();
        }
    }

    /// Passes accesses that are not counted one by one.
    pub(super) fn pass(&mut self, mut accesses: u64) {
        while accesses > 0 {
            let here = accesses.min(self.left);
            self.present.accesses += here;
            self.left -= here;
            accesses -= here;
            if self.left == 0 {
                self.close();
            }
        }
    }

    /// Counts an access of a sample, which stands for so many, in the window of the next one passed.
    pub(super) fn sampled(&mut self, distance: u32, stands_for: u64) {
        self.present.misses[below(distance)] += stands_for;
    }

    /// Counts an interval that such an access ends.
    pub(super) fn sampled_end(&mut self, deepest: u32, stands_for: u64) {
        self.present.write_backs[below(deepest)] += stands_for;
    }

    /// Counts what is open of all pages, given in the order of their first accesses, each of which stands for so
    /// many; `distance` is that for which a depth among them stands.
    pub(super) fn open(&mut self, pages: &[Ends], stands_for: u64, distance: impl Fn(u32) -> u32) {
        let around = around(pages);
        for (page, around) in pages.iter().zip(around) {
            let wrapped = distance(around);
            self.wrapped_misses[below(wrapped)] += stands_for;
            if let Some(after) = page.after {
                self.open[below(after.max(distance(page.depth)))] += stands_for;
                self.wrapped_write_backs[below(after.max(page.before).max(wrapped))] += stands_for;
            }
        }
    }

    #[cold]
    fn close(&mut self) {
        self.full
            .push(std::mem::replace(&mut self.present, Counts::new()));
        if self.full.len() == MOST_WINDOWS && !self.is_fixed {
            for at in 0..MOST_WINDOWS / 2 {
                let mut joined = self.full[2 * at].clone();
                joined.add(&self.full[2 * at + 1]);
                self.full[at] = joined;
            }
            self.full.truncate(MOST_WINDOWS / 2);
            self.length *= 2;
        }
        self.left = self.length;
    }

    /// The windows of a trace of so many distinct pages.
    pub(super) fn finish(mut self, distinct_pages: u64) -> CarriedWindows {
        if self.present.accesses > 0 {
            self.full.push(self.present);
        }
        if distinct_pages == 0 {
            return CarriedWindows::default();
        }
        let listed = (0..BINS - 1).take_while(|&at| size(at) < distinct_pages);
        let mut pages: Vec<u64> = listed.map(size).collect();
        let smaller = pages.len();
        pages.push(distinct_pages);
        let windows = &self.full;
        CarriedWindows {
            accesses: windows.iter().map(|window| window.accesses).collect(),
            first_references: windows
                .iter()
                .map(|window| window.misses[BINS - 1])
                .collect(),
            misses: windows
                .iter()
                .map(|window| {
                    let mut found = above(&window.misses, smaller);
                    found.push(window.misses[BINS - 1]);
                    found
                })
                .collect(),
            write_backs: windows
                .iter()
                .map(|window| with_none(above(&window.write_backs, smaller)))
                .collect(),
            open_write_backs: with_none(above(&self.open, smaller)),
            wrapped_misses: with_none(above(&self.wrapped_misses, smaller)),
            wrapped_write_backs: with_none(above(&self.wrapped_write_backs, smaller)),
            pages,
        }
    }
}

/// Depth of each page if all are accessed once more in the order in which they are given: those above it, and
/// those of the earlier ones that were below.
fn around(pages: &[Ends]) -> Vec<u32> {
    let mut from_the_bottom = vec![0; pages.len()];
    for (number, page) in (0..).zip(pages) {
        from_the_bottom[pages.len() - page.depth as usize] = number;
    }
    let mut stack = Stack::default();
    stack.grow(pages.len(), 0);
    for page in from_the_bottom {
        stack.reference(page);
    }
    (0..)
        .take(pages.len())
        .map(|page| stack.reference(page))
        .collect()
}

/// A cache of all pages writes nothing back.
fn with_none(mut counts: Vec<u64>) -> Vec<u64> {
    counts.push(0);
    counts
}

/// Counts above each of the first sizes.
fn above(counts: &[u64; BINS], sizes: usize) -> Vec<u64> {
    (0..sizes).map(|at| counts[at + 1..].iter().sum()).collect()
}

/// A listed size: 1, 2, 3, 4, 6, 8, ...
const fn size(at: usize) -> u64 {
    if at == 0 {
        1
    } else if at % 2 == 1 {
        1 << at.div_ceil(2)
    } else {
        3 << (at / 2 - 1)
    }
}

/// How many listed sizes are below a distance; all of them below 0, a first reference.
#[inline]
pub(super) const fn below(depth: u32) -> usize {
    let most = depth.wrapping_sub(1);
    if most < 2 {
        return most as usize;
    }
    let bits = most.ilog2();
    ((2 * bits) + (most >> (bits - 1) & 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_is_above_the_sizes_that_it_misses() {
        let depths =
            (1..100_000).chain((17..32).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]));
        for depth in depths {
            let smaller = (0..BINS - 1)
                .filter(|&at| size(at) < u64::from(depth))
                .count();
            assert_eq!(below(depth), smaller, "{depth}");
        }
        assert_eq!(below(0), BINS - 1);
        assert!((0..BINS - 1).is_sorted_by_key(size));
    }
}
