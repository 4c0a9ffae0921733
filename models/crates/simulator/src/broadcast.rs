//! One reader, many listeners: every task goes over all accesses of one source.
//!
//! The calling thread decodes and gives out windows of chunks. A task works through a whole window
//! before another has its place, so that its tables stay in the processor's cache. Several windows
//! are kept, so that no task waits for the slowest one, and of the tasks that wait for a place the
//! one that is furthest behind gets it, so that all end at the same time.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::access::{AccessSource, CHUNK_ACCESSES, Chunk};
use crate::defects::caught;
use crate::error::{Error, Result};
use crate::processor::Thread;
use crate::progress::{OnProgress, Progress};
use crate::replay::disagreement;

/// Chunks in a window.
const WINDOW_CHUNKS: usize = 16;
/// Windows that the first task can be ahead of the last one.
const WINDOWS: u64 = 4;
/// How often a reader at the end of its source asks whether to go on.
const ASK_AGAIN: Duration = Duration::from_millis(100);

/// What is done over all accesses. Nobody is shown its own progress; what it calls after it has read the source to
/// its end says whether it is still wanted.
pub(crate) trait Task<T>:
    FnOnce(&mut dyn AccessSource, OnProgress<'_>) -> Result<T> + Send
{
}
impl<T, F: FnOnce(&mut dyn AccessSource, OnProgress<'_>) -> Result<T> + Send> Task<T> for F {}

/// A chunk, and its addresses if the source was asked for them.
#[derive(Debug, Default)]
struct Part {
    chunk: Chunk,
    spaces: Vec<u32>,
    addresses: Vec<u64>,
    /// Where the source stood behind it.
    position: (u64, u64),
}

/// Where one task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Waits for a window and a place.
    Waiting,
    /// Has a place.
    Working,
    /// Has returned.
    Gone,
}

/// What the reader and the tasks share.
struct Shared {
    /// The windows that some task has not finished, and one more at most.
    windows: VecDeque<Arc<Vec<Part>>>,
    /// Windows given out so far, those no longer kept included.
    given: u64,
    /// No more windows will come.
    ended: bool,
    /// Windows that each task has finished, and where it stands.
    tasks: Vec<(u64, State)>,
    /// Tasks that may still work.
    places: usize,
}

impl Shared {
    /// Windows that every task has finished; `None` without any task left.
    fn finished_by_all(&self) -> Option<u64> {
        let left = self.tasks.iter().filter(|task| task.1 != State::Gone);
        left.map(|task| task.0).min()
    }

    /// The waiting task that has most left to do, if there is something to do and a place.
    fn next_to_work(&self) -> Option<usize> {
        let ready = |&(_, &(finished, state)): &(usize, &(u64, State))| {
            state == State::Waiting && (finished < self.given || self.ended)
        };
        let waiting = self.tasks.iter().enumerate().filter(ready);
        let (index, _) = waiting.min_by_key(|&(index, task)| (task.0, index))?;
        (self.places > 0).then_some(index)
    }
}

struct Broadcast {
    shared: Mutex<Shared>,
    /// For the reader: a task has finished a window, or has gone.
    finished: Condvar,
    /// For each task: it has a place.
    turns: Vec<Condvar>,
    /// Of each task that has begun.
    threads: Vec<OnceLock<Thread>>,
    /// What is left to do after the end of the source is no longer wanted.
    stop: AtomicBool,
    /// As the source says.
    distinct_pages_known: Option<u32>,
    page_bytes: Option<u64>,
    tells_writes: bool,
    warms_up_until_full: bool,
    file_name: Option<String>,
    /// As the source says at its end.
    space_names: OnceLock<Vec<String>>,
}

impl Broadcast {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        // Nothing that holds the lock can panic half-way through a change.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives every free place to a task; the first one to a follower of `leaving`, a task that sleeps next.
    fn fill_places(&self, shared: &mut Shared, mut leaving: Option<usize>) {
        while let Some(index) = shared.next_to_work() {
            shared.places -= 1;
            shared.tasks[index].1 = State::Working;
            if let Some(left) = leaving.take()
                && left != index
                && let Some(thread) = self.threads[index].get()
            {
                thread.follow_here();
            }
            self.turns[index].notify_one();
        }
    }

    /// Gives out a window, as soon as not too many are on the way; returns one that all have finished,
    /// if there is one, whose memory can be used again.
    fn give(&self, window: Vec<Part>) -> Option<Vec<Part>> {
        let mut shared = self.lock();
        while let Some(finished) = shared.finished_by_all() {
            if shared.given - finished < WINDOWS {
                break;
            }
            shared = self
                .finished
                .wait(shared)
                .unwrap_or_else(PoisonError::into_inner);
        }
        shared.given += 1;
        shared.windows.push_back(Arc::new(window));
        let finished = shared.finished_by_all().unwrap_or(shared.given);
        let mut spent = None;
        while shared.given - (shared.windows.len() as u64) < finished {
            spent = shared.windows.pop_front();
        }
        self.fill_places(&mut shared, None);
        spent.and_then(Arc::into_inner)
    }

    /// Tells that the source has ended, and waits until all tasks have gone.
    fn end(&self, mut wanted: impl FnMut() -> bool) {
        let mut shared = self.lock();
        shared.ended = true;
        self.fill_places(&mut shared, None);
        while shared.finished_by_all().is_some() {
            let (after, waited) = self
                .finished
                .wait_timeout(shared, ASK_AGAIN)
                .unwrap_or_else(PoisonError::into_inner);
            shared = after;
            if waited.timed_out() && !self.stop.load(Ordering::Relaxed) {
                drop(shared);
                if !wanted() {
                    self.stop.store(true, Ordering::Relaxed);
                }
                shared = self.lock();
            }
        }
    }
}

/// The source of one task.
struct Listener<'a> {
    broadcast: &'a Broadcast,
    index: usize,
    window: Arc<Vec<Part>>,
    next: usize,
    /// Where the source stood behind the last chunk.
    position: (u64, u64),
    /// Windows finished.
    finished: u64,
    /// Whether this task has seen the end of the source.
    ended: &'a Cell<bool>,
}

impl AccessSource for Listener<'_> {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        chunk.clear();
        if self.next == self.window.len() && !self.next_window() {
            self.ended.set(true);
            return Ok(false);
        }
        let part = &self.window[self.next];
        let from = &part.chunk;
        self.next += 1;
        chunk.pages.extend_from_slice(&from.pages);
        chunk.flags.extend_from_slice(&from.flags);
        chunk.times_ns.extend_from_slice(&from.times_ns);
        chunk.warm_up = from.warm_up;
        self.position = part.position;
        Ok(true)
    }

    fn distinct_pages_known(&self) -> Option<u32> {
        self.broadcast.distinct_pages_known
    }

    fn file_name(&self) -> Option<&str> {
        self.broadcast.file_name.as_deref()
    }

    fn page_bytes(&self) -> Option<u64> {
        self.broadcast.page_bytes
    }

    fn tells_writes(&self) -> bool {
        self.broadcast.tells_writes
    }

    fn warms_up_until_full(&self) -> bool {
        self.broadcast.warms_up_until_full
    }

    fn addresses(&self) -> (&[u32], &[u64]) {
        let last = self.next.checked_sub(1).and_then(|at| self.window.get(at));
        last.map_or((&[], &[]), |part| (&part.spaces, &part.addresses))
    }

    fn position(&self) -> (u64, u64) {
        self.position
    }

    fn space_names(&self) -> &[String] {
        self.broadcast.space_names.get().map_or(&[], Vec::as_slice)
    }
}

impl Listener<'_> {
    /// Waits for the next window and for a place to work; `false` at the end.
    fn next_window(&mut self) -> bool {
        if self.ended.get() {
            return false;
        }
        let broadcast = self.broadcast;
        // A window that was received is finished now.
        self.finished += u64::from(!self.window.is_empty());
        self.window = Arc::default();
        self.next = 0;
        let mut shared = broadcast.lock();
        self.leave(&mut shared, State::Waiting);
        while shared.tasks[self.index].1 != State::Working {
            shared = broadcast.turns[self.index]
                .wait(shared)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(thread) = broadcast.threads[self.index].get() {
            thread.move_freely();
        }
        let kept_from = shared.given - shared.windows.len() as u64;
        let window = usize::try_from(self.finished - kept_from)
            .ok()
            .and_then(|at| shared.windows.get(at));
        match window {
            None => false,
            Some(window) => {
                self.window = Arc::clone(window);
                true
            }
        }
    }

    /// Gives up the place, if there is one, and says how far the task is.
    fn leave(&mut self, shared: &mut Shared, state: State) {
        let before = std::mem::replace(&mut shared.tasks[self.index], (self.finished, state));
        shared.places += usize::from(before.1 == State::Working);
        let leaving = (before.1 == State::Working).then_some(self.index);
        self.broadcast.fill_places(shared, leaving);
        self.broadcast.finished.notify_one();
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        let mut shared = self.broadcast.lock();
        self.leave(&mut shared, State::Gone);
    }
}

/// What came of the tasks.
pub(crate) struct Heard<T> {
    /// A result for each task, in their order. One that panicked has an error for a result.
    pub(crate) outcomes: Vec<Result<T>>,
    /// Whether they have heard all accesses of the source.
    pub(crate) whole: bool,
    /// Whether `on_progress` cancelled, be it after all accesses.
    pub(crate) cancelled: bool,
}

/// Runs every task over the same accesses, `threads` of them at a time.
///
/// # Errors
/// Whatever `source` reports.
pub(crate) fn broadcast<T: Send>(
    source: &mut dyn AccessSource,
    tasks: Vec<impl Task<T>>,
    threads: usize,
    on_progress: OnProgress<'_>,
) -> Result<Heard<T>> {
    let broadcast = Broadcast {
        shared: Mutex::new(Shared {
            windows: VecDeque::new(),
            given: 0,
            ended: false,
            tasks: vec![(0, State::Waiting); tasks.len()],
            places: threads.max(1),
        }),
        finished: Condvar::new(),
        turns: tasks.iter().map(|_| Condvar::new()).collect(),
        threads: tasks.iter().map(|_| OnceLock::new()).collect(),
        stop: AtomicBool::new(false),
        distinct_pages_known: source.distinct_pages_known(),
        page_bytes: source.page_bytes(),
        tells_writes: source.tells_writes(),
        warms_up_until_full: source.warms_up_until_full(),
        file_name: source.file_name().map(str::to_owned),
        space_names: OnceLock::new(),
    };
    std::thread::scope(|scope| {
        let broadcast = &broadcast;
        let running: Vec<_> = tasks
            .into_iter()
            .enumerate()
            .map(|(index, task)| {
                scope.spawn(move || {
                    let ended = Cell::new(false);
                    if let Some(thread) = Thread::this() {
                        let _ = broadcast.threads[index].set(thread);
                    }
                    let mut listener = Listener {
                        broadcast,
                        index,
                        window: Arc::default(),
                        next: 0,
                        position: (0, 0),
                        finished: 0,
                        ended: &ended,
                    };
                    caught(|| {
                        task(&mut listener, &mut |_| {
                            !(ended.get() && broadcast.stop.load(Ordering::Relaxed))
                        })
                    })
                })
            })
            .collect();
        let read = give_all(source, broadcast, on_progress);
        let last = read.as_ref().ok().copied();
        broadcast.stop.store(last.is_none(), Ordering::Relaxed);
        broadcast.end(|| last.is_none_or(&mut *on_progress));
        let outcomes = running.into_iter().map(|task| {
            task.join()
                .unwrap_or_else(|_| Err(disagreement("sweep", "a replay panicked")))
        });
        if let Err(error) = read
            && !matches!(error, Error::Cancelled)
        {
            return Err(error);
        }
        Ok(Heard {
            outcomes: outcomes.collect(),
            whole: last.is_some(),
            cancelled: broadcast.stop.load(Ordering::Relaxed),
        })
    })
}

/// Does `work` over all accesses of `source` in a thread of its own, while this one reads ahead.
///
/// # Errors
/// [`Error::Cancelled`], and whatever `work` and `source` report.
pub fn read_ahead<T: Send>(
    source: &mut dyn AccessSource,
    on_progress: OnProgress<'_>,
    work: impl FnOnce(&mut dyn AccessSource) -> Result<T> + Send,
) -> Result<T> {
    let task = |source: &mut dyn AccessSource, _: OnProgress<'_>| work(source);
    let mut heard = broadcast(source, vec![task], 1, on_progress)?;
    if heard.cancelled {
        return Err(Error::Cancelled);
    }
    heard
        .outcomes
        .pop()
        .unwrap_or_else(|| Err(disagreement("read-ahead", "no result")))
}

/// Reads the source and gives it out in windows; the last progress if it came to the end.
fn give_all(
    source: &mut dyn AccessSource,
    broadcast: &Broadcast,
    on_progress: OnProgress<'_>,
) -> Result<Progress> {
    let mut accesses = 0;
    let mut window: Vec<Part> = Vec::with_capacity(WINDOW_CHUNKS);
    loop {
        let mut size = 0;
        let mut filled = 0;
        while filled < WINDOW_CHUNKS && size < WINDOW_CHUNKS * CHUNK_ACCESSES {
            if filled == window.len() {
                window.push(Part::default());
            }
            let part = &mut window[filled];
            if !source.next_chunk(&mut part.chunk)? {
                break;
            }
            let (spaces, addresses) = source.addresses();
            part.spaces.clear();
            part.spaces.extend_from_slice(spaces);
            part.addresses.clear();
            part.addresses.extend_from_slice(addresses);
            part.position = source.position();
            size += part.chunk.len();
            filled += 1;
        }
        window.truncate(filled);
        let (done, total) = source.position();
        accesses += size as u64;
        let progress = Progress {
            done,
            total,
            accesses,
            requests: None,
        };
        if window.is_empty() {
            // Set once: there is one end.
            let _ = broadcast.space_names.set(source.space_names().to_vec());
            return Ok(progress);
        }
        // What is given out will be replayed, also if this is the moment of a cancel.
        window = broadcast.give(window).unwrap_or_default();
        if !on_progress(progress) {
            return Err(Error::Cancelled);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::MemorySource;

    type Boxed = Box<dyn FnOnce(&mut dyn AccessSource, OnProgress<'_>) -> Result<u64> + Send>;

    fn source(accesses: u64) -> MemorySource {
        MemorySource::new((0..accesses).map(|page| (page % 50, false))).with_chunk_accesses(3)
    }

    fn count(source: &mut dyn AccessSource) -> Result<u64> {
        let mut chunk = Chunk::default();
        let mut accesses = 0;
        while source.next_chunk(&mut chunk)? {
            accesses += chunk.len() as u64;
        }
        Ok(accesses)
    }

    #[test]
    fn a_task_that_panics_or_fails_leaves_the_others_alone() {
        let tasks: Vec<Boxed> = vec![
            Box::new(|source, _| count(source)),
            Box::new(|source: &mut dyn AccessSource, _: OnProgress<'_>| {
                source.next_chunk(&mut Chunk::default())?;
                panic!("on purpose")
            }),
            Box::new(|_, _| Err(disagreement("task", "has no wish to work"))),
            Box::new(|source, _| count(source)),
        ];
        let heard = broadcast(&mut source(1000), tasks, 2, &mut |_| true).unwrap();
        assert!(heard.whole && !heard.cancelled);
        let found = heard.outcomes;
        assert_eq!(found[0].as_ref().unwrap(), &1000);
        assert!(
            found[1]
                .as_ref()
                .unwrap_err()
                .to_string()
                .contains("on purpose")
        );
        assert!(
            found[2]
                .as_ref()
                .unwrap_err()
                .to_string()
                .contains("no wish")
        );
        assert_eq!(found[3].as_ref().unwrap(), &1000);
    }

    #[test]
    fn a_cancel_reaches_what_is_done_after_the_source_has_ended() {
        let endless: Boxed = Box::new(|source, on_progress| {
            let accesses = count(source)?;
            let progress = Progress {
                done: 0,
                total: 0,
                accesses,
                requests: None,
            };
            while on_progress(progress) {
                std::thread::yield_now();
            }
            Err(Error::Cancelled)
        });
        let tasks = vec![endless, Box::new(|source, _| count(source))];
        let mut ends = 0;
        let heard = broadcast(&mut source(100), tasks, 1, &mut |progress| {
            ends += usize::from(progress.accesses == 100);
            ends < 3
        })
        .unwrap();
        assert!(heard.whole && heard.cancelled);
        assert!(matches!(heard.outcomes[0], Err(Error::Cancelled)));
        assert_eq!(heard.outcomes[1].as_ref().unwrap(), &100);
    }
}
