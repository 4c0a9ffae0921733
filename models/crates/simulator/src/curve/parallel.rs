//! The exact curves on two threads, with the same result as on one.
//!
//! What one access costs falls into two halves that need each other's results only in one
//! direction, so they work as a pipeline. This thread reads the trace and knows the place of each
//! page's last use: an access turns into the place where its page was, a number. The other thread
//! clears and counts places, which gives the depth, without knowing pages. The depths come back a few
//! batches later, when the pages are still cached here, for the largest depth since the last write.
//! Nothing is done twice. When places run out, both halves renumber them at the same point.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::stack::{DepthsHalf, PlacesHalf, UsedPlaces};
use super::{
    Curves, Recorder, UNWRITTEN, check, count_open, counts_above, curves, ends_of,
    follow as follow_page,
};
use crate::access::{AccessSource, Chunk, WRITE};
use crate::defects::caught;
use crate::error::{Error, Result};
use crate::progress::{OnProgress, report};
use crate::replay::{disagreement, distinct_pages};

/// Accesses that the threads exchange at a time.
const BATCH_ACCESSES: usize = 1 << 13;
/// Batches on the way: as many as keep both threads busy.
const BATCHES: usize = 4;
/// Fewest references between two renumberings.
const FEWEST_REFERENCES: usize = 1 << 20;

/// [`curves`] on up to `threads` threads, of which two have work; the result is the same for any
/// number.
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
    curves_in_batches(source, BATCH_ACCESSES, FEWEST_REFERENCES, on_progress)
}

/// [`curves_on_threads`] with batches and renumberings of any size, for tests.
#[doc(hidden)]
pub fn curves_in_batches(
    source: &mut dyn AccessSource,
    batch_accesses: usize,
    fewest_references: usize,
    on_progress: OnProgress<'_>,
) -> Result<Curves> {
    let (orders, to_count) = channel();
    let (counted, answers) = channel();
    std::thread::scope(|scope| {
        let counting = scope.spawn(move || {
            caught(|| {
                count_depths(&to_count, &counted);
                Ok(())
            })
        });
        let pass = Pass {
            places: PlacesHalf::default(),
            before: Vec::new(),
            by_depth: Vec::new(),
            by_deepest: Vec::new(),
            deepest: Vec::new(),
            windows: Recorder::new(),
            on_the_way: 0,
            spare: Vec::new(),
            // The other thread ends when this is dropped, whatever the result.
            orders,
            answers,
            fewest_references: fewest_references.max(batch_accesses),
            distinct: 0,
        };
        let made = follow(source, pass, batch_accesses, on_progress);
        // What failed over there is why it failed here.
        counting
            .join()
            .unwrap_or_else(|_| Err(disagreement("curves", "the other thread panicked")))?;
        made
    })
}

/// The pass of this thread; the other one ends with it.
fn follow(
    source: &mut dyn AccessSource,
    mut pass: Pass,
    batch_accesses: usize,
    on_progress: OnProgress<'_>,
) -> Result<Curves> {
    let (mut accesses, mut writes) = (0, 0);
    let mut chunk = Chunk::default();
    while source.next_chunk(&mut chunk)? {
        pass.distinct = distinct_pages(&chunk, pass.distinct)?;
        pass.places.grow(pass.distinct, UNWRITTEN);
        let pages = chunk.pages.chunks(batch_accesses);
        for (pages, flags) in pages.zip(chunk.flags.chunks(batch_accesses)) {
            writes += pass.batch(pages, flags)?;
        }
        accesses += chunk.len() as u64;
        report(source, accesses, on_progress)?;
    }
    let curves = pass.finish(accesses, writes)?;
    check(&curves).map_err(|text| disagreement("curves", &text))?;
    Ok(curves)
}

/// Some accesses, each with the place where its page was, then with the depth.
#[derive(Debug, Default)]
struct Batch {
    pages: Vec<u32>,
    flags: Vec<u8>,
    numbers: Vec<u32>,
}

enum Order {
    Count(Batch),
    /// With room for so many references.
    Renumber(usize),
}

enum Answer {
    Counted(Batch),
    Renumbered(UsedPlaces, u32),
}

/// The other thread.
fn count_depths(orders: &Receiver<Order>, answers: &Sender<Answer>) {
    let mut half = DepthsHalf::default();
    for order in orders {
        let answer = match order {
            Order::Count(mut batch) => {
                for number in &mut batch.numbers {
                    *number = half.reference(*number);
                }
                Answer::Counted(batch)
            }
            Order::Renumber(room) => {
                let (used, places) = half.renumber(room);
                Answer::Renumbered(used, places)
            }
        };
        if answers.send(answer).is_err() {
            return;
        }
    }
}

/// The state of this thread.
struct Pass {
    places: PlacesHalf,
    /// Largest depth of each page up to its first write.
    before: Vec<u32>,
    by_depth: Vec<u64>,
    by_deepest: Vec<u64>,
    /// Largest depths that the writes of some accesses end, to be counted.
    deepest: Vec<u32>,
    windows: Recorder,
    on_the_way: usize,
    /// Batches to be used again.
    spare: Vec<Batch>,
    orders: Sender<Order>,
    answers: Receiver<Answer>,
    fewest_references: usize,
    distinct: usize,
}

impl Pass {
    /// Sends some accesses, and returns how many of them write.
    fn batch(&mut self, pages: &[u32], flags: &[u8]) -> Result<u64> {
        if !self.places.has_room(pages.len()) {
            self.renumber()?;
        }
        while self.on_the_way >= BATCHES {
            self.receive()?;
        }
        let mut batch = self.spare.pop().unwrap_or_default();
        batch.pages.clear();
        batch.pages.extend_from_slice(pages);
        batch.flags.clear();
        batch.flags.extend_from_slice(flags);
        batch.numbers.clear();
        let places = &mut self.places;
        let before = pages.iter().map(|&page| places.reference(page));
        batch.numbers.extend(before);
        self.send(Order::Count(batch))?;
        self.on_the_way += 1;
        Ok(flags.iter().map(|flags| u64::from(flags & WRITE)).sum())
    }

    fn send(&self, order: Order) -> Result<()> {
        self.orders.send(order).map_err(|_| ended())
    }

    /// Waits for an answer; the places in use if it is that of a renumbering.
    fn receive(&mut self) -> Result<Option<(UsedPlaces, u32)>> {
        match self.answers.recv().map_err(|_| ended())? {
            Answer::Renumbered(used, places) => Ok(Some((used, places))),
            Answer::Counted(batch) => {
                self.on_the_way -= 1;
                self.counted(&batch);
                self.spare.push(batch);
                Ok(None)
            }
        }
    }

    fn renumber(&mut self) -> Result<()> {
        // As in a stack on one thread: a quarter of the places in use, or fewer.
        let room = (3 * self.distinct).max(self.fewest_references);
        self.send(Order::Renumber(room))?;
        loop {
            if let Some((used, places)) = self.receive()? {
                self.places.renumber(&used, places);
                return Ok(());
            }
        }
    }

    /// Counts what came back.
    fn counted(&mut self, batch: &Batch) {
        if self.by_depth.len() <= self.distinct {
            self.by_depth.resize(self.distinct + 1, 0);
            self.by_deepest.resize(self.distinct + 1, 0);
            self.before.resize(self.distinct, 0);
        }
        let mut first = 0;
        while first < batch.pages.len() {
            let end = batch
                .pages
                .len()
                .min(first.saturating_add(self.windows.room()));
            self.within_window(batch, first..end);
            first = end;
        }
    }

    /// Counts some accesses of a batch, within one window.
    fn within_window(&mut self, batch: &Batch, range: Range<usize>) {
        let depths = &batch.numbers[range.clone()];
        let accesses = batch.pages[range.clone()].iter().zip(&batch.flags[range]);
        self.deepest.clear();
        for ((&page, &flags), &depth) in accesses.zip(depths) {
            self.by_depth[depth as usize] += 1;
            let note = self.places.note(page);
            let write = flags & WRITE != 0;
            if let Some(deepest) = follow_page(note, &mut self.before, page, depth, write) {
                self.by_deepest[deepest as usize] += 1;
                self.deepest.push(deepest);
            }
        }
        self.windows.batch(depths, &self.deepest);
    }

    fn finish(mut self, accesses: u64, write_accesses: u64) -> Result<Curves> {
        // Renumbering last gives every page its final depth.
        self.renumber()?;
        let Self {
            places,
            before,
            mut by_depth,
            mut by_deepest,
            mut windows,
            distinct,
            ..
        } = self;
        let ends = ends_of(places.into_notes_and_depths().take(distinct), &before);
        count_open(&ends, &mut by_deepest);
        windows.open(&ends, 1, |depth| depth);
        let first_references = by_depth.first().copied().unwrap_or(0);
        by_depth.truncate(distinct + 1);
        by_deepest.truncate(distinct + 1);
        Ok(Curves {
            accesses,
            write_accesses,
            distinct_pages: distinct as u64,
            misses: counts_above(by_depth, first_references),
            write_backs: counts_above(by_deepest, 0),
            windows: windows.finish(distinct as u64),
        })
    }
}

fn ended() -> Error {
    disagreement(
        "curves",
        "the thread that counts depths ended before its work",
    )
}
