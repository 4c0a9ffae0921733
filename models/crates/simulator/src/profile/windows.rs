//! Working set, growth of the footprint and read/write mix, window by window, without knowing the
//! length of the trace beforehand.
//!
//! Windows have a round length, 1 or 2 times a power of ten. When there are too many they are joined,
//! by twos and fives in turn, so that lengths stay round. Distinct pages of joined windows are no sum:
//! a page counts once in the joined window. So each window counts its re-references by how coarse
//! the windows would have to be for the page's last reference to lie in the same window; joining
//! drops the finest of these counts, exactly.

use serde::Serialize;

/// Most windows, and so the length at which they are joined.
pub const MOST_WINDOWS: usize = 320;
/// Coarser lengths looked at: beyond them one window holds the whole trace so far, as 100, 500 and
/// 1000 times a length are more than [`MOST_WINDOWS`] times it.
const COARSER: usize = 6;

/// Accesses and pages of one window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Window {
    accesses: u64,
    writes: u64,
    /// References to pages never referenced before.
    first: u64,
    /// References to other pages, by the number of lengths, from the present one on, at which the
    /// page's last reference lies in an earlier window.
    again: [u64; COARSER + 1],
}

impl Window {
    fn distinct(&self) -> u64 {
        self.first + self.again[1..].iter().sum::<u64>()
    }

    /// Adds a window that lies in the same coarser one, and makes both that.
    fn join(&mut self, finer: &Window) {
        self.accesses += finer.accesses;
        self.writes += finer.writes;
        self.first += finer.first;
        self.again[0] += finer.again[0] + finer.again[1];
        for level in 1..COARSER {
            self.again[level] += finer.again[level + 1];
        }
    }
}

/// Windows along one coordinate, which never goes back: accesses, or nanoseconds.
#[derive(Debug, Clone)]
pub(super) struct Windows {
    length: u64,
    /// The next joining is by two, else by five.
    by_two: bool,
    parts: Vec<Window>,
    /// The coordinate at which the present window ends.
    end: u64,
    /// One more than the start of the window that the present one lies in, for the present and the
    /// next coarser lengths.
    starts: [u64; COARSER],
}

impl Windows {
    /// Windows of `length`, a power of ten, for a start.
    pub(super) fn new(length: u64) -> Self {
        Self {
            length,
            by_two: true,
            parts: Vec::new(),
            end: 0,
            starts: [0; COARSER],
        }
    }

    /// Takes an access at the coordinate `at`; `before` is one more than the coordinate of the last
    /// access to its page, 0 if there is none.
    #[inline]
    pub(super) fn add(&mut self, at: u64, before: u64, first: bool, write: bool) {
        if at >= self.end {
            self.open(at);
        }
        let level: usize = self
            .starts
            .iter()
            .map(|&start| usize::from(before < start))
            .sum();
        if let Some(window) = self.parts.last_mut() {
            window.accesses += 1;
            window.writes += u64::from(write);
            window.first += u64::from(first);
            window.again[level] += u64::from(!first);
        }
    }

    #[cold]
    fn open(&mut self, at: u64) {
        while at / self.length >= MOST_WINDOWS as u64 {
            self.join();
        }
        let number = usize::try_from(at / self.length).unwrap_or(MOST_WINDOWS);
        self.parts.resize(number + 1, Window::default());
        self.end = (at / self.length + 1).saturating_mul(self.length);
        let mut length = self.length;
        let mut by_two = self.by_two;
        for start in &mut self.starts {
            *start = at / length * length + 1;
            length = length.saturating_mul(if by_two { 2 } else { 5 });
            by_two = !by_two;
        }
    }

    fn join(&mut self) {
        let factor = if self.by_two { 2 } else { 5 };
        let joined = self.parts.chunks(factor).map(|group| {
            let mut one = Window::default();
            for window in group {
                one.join(window);
            }
            one
        });
        self.parts = joined.collect();
        self.length = self.length.saturating_mul(factor as u64);
        self.by_two = !self.by_two;
    }

    pub(super) fn finish(self) -> WindowSummary {
        let mut footprint = 0;
        let column = |of: fn(&Window) -> u64| self.parts.iter().map(of).collect();
        WindowSummary {
            length: self.length,
            accesses: column(|window| window.accesses),
            write_accesses: column(|window| window.writes),
            distinct_pages: column(Window::distinct),
            footprint_pages: self
                .parts
                .iter()
                .map(|window| {
                    footprint += window.first;
                    footprint
                })
                .collect(),
        }
    }
}

/// The length of the windows of a trace whose last coordinate is known, and which begin with `shortest`.
pub(super) fn length_up_to(last: u64, shortest: u64) -> u64 {
    let mut windows = Windows::new(shortest);
    while last / windows.length >= MOST_WINDOWS as u64 {
        windows.join();
    }
    windows.length
}

/// Windows of one length from the start of the trace on; the last one may be cut short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WindowSummary {
    /// Length of each window [accesses, or ns].
    pub length: u64,
    /// Accesses of each window.
    pub accesses: Vec<u64>,
    /// Those that write.
    pub write_accesses: Vec<u64>,
    /// The working set: distinct pages of each window.
    pub distinct_pages: Vec<u64>,
    /// Distinct pages from the start of the trace to the end of each window.
    pub footprint_pages: Vec<u64>,
}
