//! The exact curves on several threads, with the same result as on one.
//!
//! The trace is cut into parts. Every thread follows a part alone, with a stack that starts empty:
//! it knows the depth of each access but the first to each page of the part. One thread joins the
//! parts in order: it keeps the stack of everything before the part and settles the first accesses,
//! in their order. The depth of such an access is one more than the pages first used before it in
//! the part, and the pages above it in the stack from before that the part has not used yet
//! (Niu, Dinan, Lu, Sadayappan: PARDA, IPDPS 2012, for the idea). Then the part's pages go on top, in
//! order of their last use.
//!
//! A page's largest depth since its last write crosses parts: a part tells, for each page, the
//! largest depth up to its first write and the one since its last, and joining puts them together.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::stack::Stack;
use super::{BATCH, Curves, NEVER_WRITTEN, Pass, check, counts_above, curves};
use crate::access::{AccessSource, Chunk, WRITE};
use crate::error::Result;
use crate::progress::{OnProgress, report};
use crate::replay::{disagreement, distinct_pages};

/// Accesses of a part: many accesses a page, so that joining is a small share of the work.
const PART_ACCESSES: usize = 1 << 22;

/// [`curves`] on up to `threads` threads; the result is the same for any number.
///
/// # Errors
/// As [`curves`].
pub fn curves_on_threads(
    source: &mut dyn AccessSource,
    threads: usize,
    on_progress: OnProgress<'_>,
) -> Result<Curves> {
    if threads <= 1 {
        return curves(source, on_progress);
    }
    curves_in_parts(source, threads, PART_ACCESSES, on_progress)
}

/// [`curves_on_threads`] with parts of at least `part_accesses`, so that tests can put their ends
/// anywhere.
#[doc(hidden)]
pub fn curves_in_parts(
    source: &mut dyn AccessSource,
    threads: usize,
    part_accesses: usize,
    on_progress: OnProgress<'_>,
) -> Result<Curves> {
    let (todo, parts) = sync_channel::<Part>(threads);
    let (finished, done) = sync_channel::<Followed>(threads);
    let parts = Mutex::new(parts);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (parts, finished) = (&parts, finished.clone());
            scope.spawn(move || follow_parts(parts, &finished));
        }
        drop(finished);
        // Both channels end with it, and so do the threads, whatever the result.
        join_parts(source, threads, part_accesses, todo, done, on_progress)
    })
}

/// Accesses to be followed by one thread.
#[derive(Debug, Default)]
struct Part {
    number: usize,
    pages: Vec<u32>,
    flags: Vec<u8>,
    /// Distinct pages of the trace up to here.
    distinct: usize,
}

/// A page of a part, in order of first use.
#[derive(Debug, Clone, Copy)]
struct First {
    page: u32,
    /// Whether its first access writes.
    writes: bool,
    /// Largest depth after its first access, if the part does not write it.
    head: u32,
    /// Largest depth since its last write in the part, or [`NEVER_WRITTEN`].
    tail: u32,
}

/// A part of which all is known that does not depend on what came before.
#[derive(Debug, Default)]
struct Followed {
    number: usize,
    accesses: u64,
    writes: u64,
    distinct: usize,
    firsts: Vec<First>,
    /// Pages that the part writes, but not first of all, each with the largest depth after its first
    /// access up to its first write.
    heads: Vec<(u32, u32)>,
    /// Its pages by last use, the most recent last.
    by_last_use: Vec<u32>,
    by_depth: Vec<u32>,
    by_deepest: Vec<u32>,
}

fn follow_parts(parts: &Mutex<Receiver<Part>>, finished: &SyncSender<Followed>) {
    let mut stack = Stack::default();
    loop {
        // A thread that panicked held no part: it only waited for one.
        let next = parts
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .recv();
        let Ok(part) = next else { return };
        if finished.send(follow(&part, &mut stack)).is_err() {
            return;
        }
    }
}

/// Bit of a note: the page has not been written in the part yet, and the rest is the largest depth
/// after its first access.
const UNWRITTEN: u32 = 1 << 31;

/// Follows a part alone; `stack` is empty before and after.
fn follow(part: &Part, stack: &mut Stack) -> Followed {
    stack.grow(part.distinct, UNWRITTEN);
    stack.reserve(part.pages.len());
    let mut found = Followed {
        number: part.number,
        accesses: part.pages.len() as u64,
        distinct: part.distinct,
        ..Followed::default()
    };
    let mut depths = [0_u32; BATCH];
    let mut deepest = [0_u32; BATCH];
    for (pages, flags) in part.pages.chunks(BATCH).zip(part.flags.chunks(BATCH)) {
        stack.fetch(pages);
        let mut ended = 0;
        for ((&page, &flags), depth) in pages.iter().zip(flags).zip(&mut depths) {
            *depth = stack.reference(page);
            let write = flags & WRITE != 0;
            found.writes += u64::from(write);
            let note = stack.note(page);
            if *depth == 0 {
                found.firsts.push(First {
                    page,
                    writes: write,
                    head: 0,
                    tail: NEVER_WRITTEN,
                });
            }
            if *note & UNWRITTEN != 0 {
                *note = (*note).max(UNWRITTEN | *depth);
                if write {
                    let head = *note & !UNWRITTEN;
                    *note = 0;
                    if *depth > 0 {
                        found.heads.push((page, head));
                    }
                }
            } else {
                *note = (*note).max(*depth);
                deepest[ended] = *note;
                ended += usize::from(write);
                if write {
                    *note = 0;
                }
            }
        }
        if found.by_depth.len() <= found.firsts.len() {
            let room = (found.firsts.len() + 1).next_power_of_two();
            found.by_depth.resize(room, 0);
            found.by_deepest.resize(room, 0);
        }
        for &depth in &depths[..pages.len()] {
            found.by_depth[depth as usize] += 1;
        }
        for &deepest in &deepest[..ended] {
            found.by_deepest[deepest as usize] += 1;
        }
    }
    let live = found.firsts.len();
    found.by_depth.truncate(live + 1);
    found.by_deepest.truncate(live + 1);
    found.by_last_use = vec![0; live];
    let ends = stack.drain(found.firsts.iter().map(|first| first.page), UNWRITTEN);
    for (first, (note, depth)) in found.firsts.iter_mut().zip(ends) {
        found.by_last_use[live - depth as usize] = first.page;
        if note & UNWRITTEN == 0 {
            first.tail = note;
        } else {
            first.head = note & !UNWRITTEN;
        }
    }
    found
}

/// Reads the parts, hands them out, and joins what comes back in order.
fn join_parts(
    source: &mut dyn AccessSource,
    threads: usize,
    part_accesses: usize,
    todo: SyncSender<Part>,
    done: Receiver<Followed>,
    on_progress: OnProgress<'_>,
) -> Result<Curves> {
    let mut whole = Whole::default();
    let mut chunk = Chunk::default();
    let (mut read, mut distinct, mut sent, mut at_end) = (0, 0, 0, false);
    let mut waiting: VecDeque<Option<Followed>> = VecDeque::new();
    let gone = || disagreement("curves", "a thread ended before its work");
    while !at_end || !waiting.is_empty() {
        if !at_end && waiting.len() < threads + 1 {
            let mut part = Part {
                number: sent,
                pages: Vec::with_capacity(part_accesses),
                flags: Vec::with_capacity(part_accesses),
                distinct,
            };
            while part.pages.len() < part_accesses {
                if !source.next_chunk(&mut chunk)? {
                    at_end = true;
                    break;
                }
                distinct = distinct_pages(&chunk, distinct)?;
                part.pages.extend_from_slice(&chunk.pages);
                part.flags.extend_from_slice(&chunk.flags);
                read += chunk.len() as u64;
                report(source, read, on_progress)?;
            }
            part.distinct = distinct;
            if at_end && sent == 0 {
                return alone(&part);
            }
            if !part.pages.is_empty() {
                waiting.push_back(None);
                sent += 1;
                todo.send(part).map_err(|_| gone())?;
            }
        } else {
            let found = done.recv().map_err(|_| gone())?;
            let place = found.number - (sent - waiting.len());
            waiting[place] = Some(found);
        }
        while let Some(found) = waiting.front_mut().and_then(Option::take) {
            waiting.pop_front();
            whole.join(&found);
        }
    }
    drop((todo, done));
    let curves = whole.finish();
    check(&curves).map_err(|text| disagreement("curves", &text))?;
    Ok(curves)
}

/// The curves of a trace of one part: there is nothing to join.
fn alone(part: &Part) -> Result<Curves> {
    let mut pass = Pass::new();
    pass.grow(part.distinct);
    let batches = part.pages.chunks(BATCH).zip(part.flags.chunks(BATCH));
    for (pages, flags) in batches {
        pass.batch(pages, flags);
    }
    let (misses, write_backs) = pass.finish();
    let curves = Curves {
        accesses: part.pages.len() as u64,
        write_accesses: part
            .flags
            .iter()
            .map(|flags| u64::from(flags & WRITE))
            .sum(),
        distinct_pages: part.distinct as u64,
        misses,
        write_backs,
    };
    check(&curves).map_err(|text| disagreement("curves", &text))?;
    Ok(curves)
}

/// Everything up to the end of some part.
#[derive(Debug, Default)]
struct Whole {
    accesses: u64,
    writes: u64,
    distinct: usize,
    stack: Stack,
    by_depth: Vec<u64>,
    by_deepest: Vec<u64>,
}

impl Whole {
    fn join(&mut self, part: &Followed) {
        self.accesses += part.accesses;
        self.writes += part.writes;
        self.distinct = part.distinct;
        self.stack.grow(part.distinct, NEVER_WRITTEN);
        self.by_depth.resize(part.distinct + 1, 0);
        self.by_deepest.resize(part.distinct + 1, 0);
        // Depth 0 counts first accesses within the part: their depths are settled here.
        for (depth, &count) in part.by_depth.iter().enumerate().skip(1) {
            self.by_depth[depth] += u64::from(count);
        }
        for (deepest, &count) in part.by_deepest.iter().enumerate() {
            self.by_deepest[deepest] += u64::from(count);
        }
        for &(page, head) in &part.heads {
            let note = self.stack.note(page);
            if *note != NEVER_WRITTEN {
                *note = (*note).max(head);
            }
        }
        let mut before = 0;
        let mut fetched = [0_u32; BATCH];
        for firsts in part.firsts.chunks(BATCH) {
            for (page, first) in fetched.iter_mut().zip(firsts) {
                *page = first.page;
            }
            self.stack.fetch(&fetched[..firsts.len()]);
            for first in firsts {
                let depth = match self.stack.remove(first.page) {
                    0 => 0,
                    depth => depth + before,
                };
                before += 1;
                self.by_depth[depth as usize] += 1;
                let note = self.stack.note(first.page);
                if *note != NEVER_WRITTEN {
                    *note = (*note).max(depth).max(first.head);
                    if first.writes || first.tail != NEVER_WRITTEN {
                        self.by_deepest[*note as usize] += 1;
                    }
                }
                if first.tail != NEVER_WRITTEN {
                    *note = first.tail;
                }
            }
        }
        for &page in &part.by_last_use {
            self.stack.put(page);
        }
    }

    fn finish(mut self) -> Curves {
        for (deepest, depth) in self.stack.into_notes_and_depths().take(self.distinct) {
            if deepest != NEVER_WRITTEN {
                self.by_deepest[deepest.max(depth) as usize] += 1;
            }
        }
        let first_references = self.by_depth.first().copied().unwrap_or(0);
        Curves {
            accesses: self.accesses,
            write_accesses: self.writes,
            distinct_pages: self.distinct as u64,
            misses: counts_above(self.by_depth, first_references),
            write_backs: counts_above(self.by_deepest, 0),
        }
    }
}
