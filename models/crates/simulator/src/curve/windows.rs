//! Exact LRU miss curves of consecutive windows of a trace, in one pass.
//!
//! The caches are cold at the start of the trace and carried over from window to window: a window's
//! misses at size `C` are those that one LRU cache of `C` pages, replaying the whole trace, has on
//! the accesses of the window. So the windows sum up to the curve of the whole trace. Write-backs
//! have no window: an eviction happens at another time for every size, between two accesses.

use super::stack::Stack;
use crate::access::{AccessSource, Chunk, WRITE};
use crate::error::{Error, Result};
use crate::progress::{OnProgress, report};
use crate::replay::{disagreement, distinct_pages};

/// Most windows of one pass.
pub const MOST_WINDOWS: usize = 100_000;

/// How long a window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowLength {
    /// Consecutive accesses.
    Accesses(u64),
    /// Nanoseconds since the first request of the trace. A window ends before the first access at or
    /// after its end; an access with an earlier time stays in the present window. Windows without
    /// accesses are left out.
    Nanoseconds(u64),
}

/// One window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Accesses before it.
    pub first_access: u64,
    /// Its start [ns since the first request], for windows of time.
    pub start_ns: Option<u64>,
    /// Accesses, reads and writes.
    pub accesses: u64,
    /// Accesses that write.
    pub write_accesses: u64,
    /// Distinct pages that they write: what is dirty at its end, if all was clean at its start and nothing is
    /// written back.
    pub pages_written: u64,
    /// Accesses to pages never referenced before.
    pub first_references: u64,
    /// Misses at each size of [`WindowCurves::pages`].
    pub misses: Vec<u64>,
}

/// The curves of all windows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowCurves {
    /// Accesses of the trace.
    pub accesses: u64,
    /// Accesses that write.
    pub write_accesses: u64,
    /// Distinct pages of the trace.
    pub distinct_pages: u64,
    /// Cache sizes [pages], increasing.
    pub pages: Vec<u64>,
    /// The windows that hold accesses, in order.
    pub windows: Vec<Window>,
}

/// Sizes to list where none are named: every size up to 16, then 16 for each doubling.
fn usual_sizes() -> Vec<u64> {
    let octaves = (4..32).flat_map(|octave| (17..=32_u64).map(move |part| (part << octave) >> 4));
    (1..=16).chain(octaves).collect()
}

/// Reads all accesses of `source` once. Without `sizes` lists up to 16 sizes for each doubling, and
/// all distinct pages.
///
/// # Errors
/// [`Error::BadParameter`] for windows of no length, too many windows, or windows of time of a trace
/// without time; [`Error::Cancelled`], and whatever `source` reports. The source must give times
/// where the windows are windows of time.
pub fn window_curves(
    source: &mut dyn AccessSource,
    length: WindowLength,
    sizes: &[u64],
    on_progress: OnProgress<'_>,
) -> Result<WindowCurves> {
    let (WindowLength::Accesses(amount) | WindowLength::Nanoseconds(amount)) = length;
    if amount == 0 {
        return Err(window_error(
            amount,
            "a window cannot be empty",
            "use a length above 0",
        ));
    }
    let mut pages = if sizes.is_empty() {
        usual_sizes()
    } else {
        sizes.iter().copied().filter(|&size| size > 0).collect()
    };
    pages.sort_unstable();
    pages.dedup();
    let mut stack = Stack::default();
    let mut chunk = Chunk::default();
    let mut windows: Vec<Window> = Vec::new();
    // References of the window by the number of listed sizes below their depth.
    let mut missed = vec![0_u64; pages.len() + 1];
    // The number of the last window that wrote each page, from 1 on.
    let mut written_in = Vec::new();
    let (mut accesses, mut writes, mut distinct) = (0_u64, 0, 0);
    while source.next_chunk(&mut chunk)? {
        let timed = matches!(length, WindowLength::Nanoseconds(_));
        if timed && chunk.times_ns.len() != chunk.len() {
            return Err(window_error(
                amount,
                "the trace has no times",
                "give the window length in accesses",
            ));
        }
        distinct = distinct_pages(&chunk, distinct)?;
        stack.grow(distinct, 0);
        written_in.resize(distinct, 0_u32);
        for (index, (&page, &flags)) in chunk.pages.iter().zip(&chunk.flags).enumerate() {
            let number = match length {
                WindowLength::Accesses(amount) => accesses / amount,
                WindowLength::Nanoseconds(amount) => {
                    u64::try_from(chunk.times_ns[index]).unwrap_or(0) / amount
                }
            };
            let start_ns = timed.then(|| number * amount);
            let opens = windows.last().is_none_or(|window| match window.start_ns {
                Some(start) => start_ns > Some(start),
                None => accesses - window.first_access == amount,
            });
            if opens {
                close(&mut windows, &mut missed);
                if windows.len() == MOST_WINDOWS {
                    return Err(window_error(
                        amount,
                        &format!("the trace has more than {MOST_WINDOWS} windows of this length"),
                        "use longer windows",
                    ));
                }
                windows.push(Window {
                    first_access: accesses,
                    start_ns,
                    accesses: 0,
                    write_accesses: 0,
                    pages_written: 0,
                    first_references: 0,
                    misses: Vec::new(),
                });
            }
            let depth = u64::from(stack.reference(page));
            let write = u64::from(flags & WRITE);
            // Windows are fewer than a u32 counts.
            let number = u32::try_from(windows.len()).unwrap_or(u32::MAX);
            let dirties =
                write == 1 && std::mem::replace(&mut written_in[page as usize], number) != number;
            if let Some(window) = windows.last_mut() {
                window.accesses += 1;
                window.write_accesses += write;
                window.pages_written += u64::from(dirties);
                window.first_references += u64::from(depth == 0);
            }
            let below = if depth == 0 {
                pages.len()
            } else {
                pages.partition_point(|&size| size < depth)
            };
            missed[below] += 1;
            accesses += 1;
            writes += write;
        }
        report(source, accesses, on_progress)?;
    }
    close(&mut windows, &mut missed);
    let distinct = distinct as u64;
    if sizes.is_empty() {
        // The sizes that hold all pages have the misses of the first of them.
        let kept = pages.partition_point(|&size| size < distinct) + usize::from(distinct > 0);
        pages.truncate(kept);
        if let Some(last) = pages.last_mut() {
            *last = distinct;
        }
        for window in &mut windows {
            window.misses.truncate(kept);
        }
    }
    let curves = WindowCurves {
        accesses,
        write_accesses: writes,
        distinct_pages: distinct,
        pages,
        windows,
    };
    check(&curves).map_err(|text| disagreement("windows", &text))?;
    Ok(curves)
}

/// Gives the last window its misses and empties the counts.
fn close(windows: &mut [Window], missed: &mut [u64]) {
    if let Some(window) = windows.last_mut() {
        let mut deeper = 0;
        window.misses = missed[1..]
            .iter()
            .rev()
            .map(|count| {
                deeper += count;
                deeper
            })
            .collect();
        window.misses.reverse();
    }
    missed.fill(0);
}

fn check(curves: &WindowCurves) -> std::result::Result<(), String> {
    let first: u64 = curves
        .windows
        .iter()
        .map(|window| window.first_references)
        .sum();
    let all: u64 = curves.windows.iter().map(|window| window.accesses).sum();
    if first != curves.distinct_pages || all != curves.accesses {
        return Err(format!(
            "{first} first references of {} pages in {all} of {} accesses",
            curves.distinct_pages, curves.accesses
        ));
    }
    for window in &curves.windows {
        if !window.misses.is_sorted_by(|left, right| left >= right)
            || window
                .misses
                .last()
                .is_some_and(|&misses| misses < window.first_references)
        {
            return Err(format!(
                "the window at access {} misses more in a larger cache",
                window.first_access
            ));
        }
    }
    Ok(())
}

fn window_error(value: u64, message: &str, hint: &str) -> Error {
    Error::BadParameter {
        name: "window",
        value: value.to_string(),
        message: message.to_owned(),
        hint: hint.to_owned(),
    }
}
