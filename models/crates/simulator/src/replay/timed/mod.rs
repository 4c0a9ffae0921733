//! A replay on simulated time: when accesses arrive, how long each device works on what they ask of it, and so how
//! long each of them takes.
//!
//! ```text
//! an access arrives:  its read of flash or disk begins, as scheme or cache say; a RAM hit takes no time; where the
//!                     page of a directory on flash must be read that says where it lies, that comes first
//! its read is over:   what its miss caused: further reads, then writes of the disk, then those of flash
//! a cache is due:     what it does in the background begins then, be there an access or not
//! a device:           at most so many operations at once, the others wait, first come, first served
//! ```
//!
//! The scheme decides in the order of the trace, whenever its accesses arrive. Time is counted in nanoseconds from
//! the first access. Memory is bounded: a histogram, a number for each operation that a device serves at once, and
//! the accesses whose writes are not over, at most [`MOST_PENDING`].

mod course;
mod crash;
mod histogram;
mod random;
mod redo;
mod stations;
mod work;

use std::cell::Cell;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use serde::Serialize;

pub(crate) use self::course::Held;
pub use self::course::Window;
use self::course::{Course, MOST_WINDOWS};
pub use self::crash::SchemeCrash;
pub(crate) use self::crash::{Contents, crash_of};
use self::histogram::{Histogram, RESOLUTION, as_f64};
use self::random::Random;
pub use self::redo::Redo;
use self::redo::Written;
use self::stations::Station;
pub(crate) use self::work::ByClass;
use self::work::{FlowCounters, Read, Work};
use super::bits::BitSet;
use super::flash_blocks::BlockCounters;
use super::flash_caches::FlashCacheResult;
use super::translation::Below as _;
use super::two_tier::{Flow, SchemeCounters, SchemeResult};
use super::{FLASH, Fill, Machine, Totals, disagreement};
use crate::access::Chunk;
use crate::error::{Error, Result};
use crate::wording::counted;

/// Accesses whose writes are not over, beyond which the devices do not keep up.
const MOST_PENDING: usize = 1 << 20;
/// Most devices of a tier times what each serves at once.
const MOST_SERVERS: u64 = 1 << 20;
/// Most clients.
const MOST_CLIENTS: u32 = 1 << 20;

/// When the next access arrives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arrivals {
    /// As recorded, with all times multiplied.
    Trace {
        /// Factor; 0.5 doubles the rate.
        stretch: f64,
    },
    /// Independent of each other, at a mean rate.
    Poisson {
        /// [1/s]
        accesses_per_s: f64,
    },
    /// From clients, each of which waits for its access and then thinks, for an exponential time.
    Clients {
        /// How many.
        clients: u32,
        /// Mean. [ns]
        think_ns: f64,
    },
}

/// The devices of a tier, and how long operations take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceTimes {
    /// Equal ones; an operation goes to any of them with equal chance.
    pub devices: u32,
    /// Operations that each serves at once.
    pub at_once: u32,
    /// How long a read occupies one of those. [ns]
    pub read_ns: f64,
    /// From the beginning of its service to its answer. [ns]
    pub read_answered_ns: f64,
    /// The same of a write. [ns]
    pub write_ns: f64,
    /// [ns]
    pub write_answered_ns: f64,
    /// How long a page of a batch read occupies one of those. [ns]
    pub batch_read_ns: f64,
    /// The same of a page of a batch write. [ns]
    pub batch_write_ns: f64,
    /// What a single read takes longer, times the share of random writes among the latest operations. [ns]
    pub beside_writes_ns: f64,
}

/// What a replay on simulated time needs besides sizes and scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// When accesses arrive.
    pub arrivals: Arrivals,
    /// Flash.
    pub flash: DeviceTimes,
    /// Disk.
    pub disk: DeviceTimes,
    /// Whether times vary exponentially about those stated, or are always those.
    pub exponential: bool,
    /// Whether an access ends with its writes instead of with its read.
    pub waits_for_writes: bool,
    /// Of all that is random.
    pub seed: u64,
    /// Length of the windows of the course; 0: no course. [ns]
    pub window_ns: f64,
    /// Time between two checkpoints, the first of which is at the first access; 0: nothing is redone after a crash. Where
    /// the options of a flash cache have the replay take checkpoints, redo goes by those. [ns]
    pub checkpoint_ns: f64,
    /// Page of the trace. [bytes]
    pub page_bytes: u64,
}

impl Timing {
    /// Refuses what has no meaning.
    pub(crate) fn check(&self) -> Result<()> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        match self.arrivals {
            Arrivals::Trace { stretch } if !positive(stretch) => Err(refused(
                "stretch",
                &stretch,
                "is not a positive number",
                "give the factor of all times, such as 0.5 for twice the rate",
            )),
            Arrivals::Poisson { accesses_per_s } if !positive(accesses_per_s) => Err(refused(
                "accesses-per-second",
                &accesses_per_s,
                "is not a positive rate",
                "give page accesses per second, such as 5000",
            )),
            Arrivals::Clients { clients, .. } if clients == 0 || clients > MOST_CLIENTS => {
                Err(refused(
                    "clients",
                    &clients,
                    "is not a number of clients that can be simulated",
                    &format!("give from 1 to {MOST_CLIENTS} clients"),
                ))
            }
            Arrivals::Clients { think_ns, .. } if !think_ns.is_finite() || think_ns < 0.0 => {
                Err(refused(
                    "think-time",
                    &think_ns,
                    "is not a time",
                    "give a time of at least 0",
                ))
            }
            _ if self.page_bytes == 0 => Err(refused(
                "page-bytes",
                &0,
                "is not the size of a page",
                "give the page size of the trace",
            )),
            _ if !self.checkpoint_ns.is_finite() || self.checkpoint_ns < 0.0 => Err(refused(
                "checkpoint",
                &(self.checkpoint_ns / NS_PER_S),
                "is not a length of time",
                "give the seconds between two checkpoints, such as 300",
            )),
            _ if !self.window_ns.is_finite() || self.window_ns < 0.0 => Err(refused(
                "window",
                &(self.window_ns / NS_PER_S),
                "is not a length of time",
                "give seconds above 0, such as 60",
            )),
            _ => self.check_devices(),
        }
    }

    fn check_devices(&self) -> Result<()> {
        for (name, times) in [("flash", self.flash), ("disk", self.disk)] {
            let servers = u64::from(times.devices) * u64::from(times.at_once);
            if servers == 0 || servers > MOST_SERVERS {
                return Err(refused(
                    name,
                    &servers,
                    "operations at once, over all devices, cannot be simulated",
                    &format!(
                        "use at least one device, and at most {MOST_SERVERS} operations at once"
                    ),
                ));
            }
            for time in [
                times.read_ns,
                times.read_answered_ns,
                times.write_ns,
                times.write_answered_ns,
                times.batch_read_ns,
                times.batch_write_ns,
                times.beside_writes_ns,
            ] {
                if !time.is_finite() || time < 0.0 {
                    return Err(refused(
                        name,
                        &time,
                        "is not a time of an operation",
                        "give times of at least 0",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether it needs the times of the trace.
    pub fn needs_times(&self) -> bool {
        matches!(self.arrivals, Arrivals::Trace { .. })
    }
}

fn refused(name: &'static str, value: &dyn std::fmt::Display, message: &str, hint: &str) -> Error {
    Error::BadParameter {
        name,
        value: value.to_string(),
        message: message.to_owned(),
        hint: hint.to_owned(),
    }
}

/// A kind of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Read,
    Write,
    /// One page of many that are moved in order.
    BatchRead,
    BatchWrite,
}

/// Times of the single pages that a tier read or wrote: wait and service.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OperationTimes {
    /// How many.
    pub operations: u64,
    /// [µs]
    pub mean_us: f64,
    /// [µs]
    pub p50_us: f64,
    /// [µs]
    pub p99_us: f64,
    /// [µs]
    pub p999_us: f64,
}

/// What the devices of a tier did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StationResult {
    /// Reads and writes.
    pub operations: u64,
    /// Work that they were asked for from the first to the last arrival, as a share of what they do in that time: their busy
    /// share, unless it is above 1 and they do not keep up. [1]
    pub utilisation: f64,
    /// Mean wait before service. [µs]
    pub wait_us: f64,
    /// Share of the operations that waited. [1]
    pub waited: f64,
    /// Reads of single pages.
    pub reads: OperationTimes,
    /// Writes of single pages.
    pub writes: OperationTimes,
    /// Pages moved in batches.
    pub batch_pages: u64,
}

/// How long the accesses took.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Responses {
    /// Accesses whose time was counted.
    pub accesses: u64,
    /// From the first arrival to the last answer. [s]
    pub duration_s: f64,
    /// Answered in that time. [1/s]
    pub accesses_per_s: f64,
    /// From the first to the last arrival. [s]
    pub last_arrival_s: f64,
    /// Arrived in that time; `None` where all came at once. [1/s]
    pub arrivals_per_s: Option<f64>,
    /// [µs]
    pub mean_us: f64,
    /// [µs]
    pub p50_us: f64,
    /// [µs]
    pub p99_us: f64,
    /// [µs]
    pub p999_us: f64,
    /// The longest. [µs]
    pub most_us: f64,
    /// Width of the bins that percentiles are read from, as a share of the time; each is off by half of it at most.
    pub resolution: f64,
    /// What the flash devices did.
    pub flash: StationResult,
    /// What the disks did.
    pub disk: StationResult,
    /// How long devices stood still after a crash, to restore what lies on flash. [s]
    pub restart_s: f64,
    /// When the machine came back after a crash, from the first access on; `None` without a crash. [s]
    pub restarted_at_s: Option<f64>,
    /// What was read again then: what had been written since the latest checkpoint, or was lost with flash.
    pub redo: Redo,
    /// What happened in each window, from the first access on, whether it warms up or is counted; empty unless asked for.
    pub course: Vec<Window>,
}

/// What a replay on simulated time counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Replayed {
    /// Under a page-flow scheme.
    Scheme(Box<SchemeResult>),
    /// Through a flash cache.
    FlashCache(Box<FlashCacheResult>),
}

/// Result of one replay on simulated time.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedResult {
    /// What was counted.
    pub replay: Replayed,
    /// What a crash destroyed under a page-flow scheme; that of a flash cache is in its counts.
    pub crash: Option<SchemeCrash>,
    /// How long it took.
    pub response: Responses,
}

/// What is left to do besides an access: what it waits for is over at a time.
#[derive(Debug, Clone, Copy)]
struct Pending {
    at_ns: f64,
    /// Of the access; breaks ties, so that a result does not depend on the heap.
    number: u64,
    arrived_ns: f64,
    /// The read that the access waits for, where it has not begun yet.
    read: Option<Read>,
    work: Work,
    whose: Whose,
}

/// For whom work is done; of works that go on at the same moment the first here is last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Whose {
    /// An access.
    Access,
    /// None: it is done in the background.
    Background,
    /// The same, and the cache is to hear when it is over.
    Copy,
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pending {}

impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pending {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at_ns
            .total_cmp(&other.at_ns)
            .then(self.number.cmp(&other.number))
            .then(other.whose.cmp(&self.whose))
    }
}

/// When a client asks for its next access.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ready(f64);

impl Eq for Ready {}

impl PartialOrd for Ready {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ready {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The devices, what is under way, and what was counted.
#[derive(Debug)]
pub(crate) struct Clock {
    timing: Timing,
    flash: Station,
    disk: Station,
    pending: BinaryHeap<Reverse<Pending>>,
    /// Clients that are to ask next; empty where none is waited for.
    ready: BinaryHeap<Reverse<Ready>>,
    arrivals: Random,
    responses: Histogram,
    course: Option<Course>,
    now_ns: f64,
    /// When the access that is expected arrives, or the latest one did; of clients it is known by `ready`.
    arrival_ns: f64,
    accesses: u64,
    /// Of these, not known to be answered.
    unanswered: u64,
    /// When the first access of all arrived.
    origin_ns: f64,
    /// The first access that is counted, and when it arrived.
    first: u64,
    first_ns: f64,
    /// The last answer of those counted. [ns]
    answered_ns: f64,
    restart_ns: f64,
    restarted_at_ns: Option<f64>,
    /// Nothing is answered before, not even from RAM. [ns]
    serves_from_ns: f64,
    written: Written,
    redo: Redo,
    too_many: bool,
    /// Copies of the cache that are not over.
    copies: u32,
}

/// What comes first as time passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A window of the course is over: it is to be closed with what is held.
    Window,
    /// The cache is due to work in the background.
    Background,
    /// A copy that the cache began in the background is over. [ns]
    Copied(u64),
    /// The access that is expected arrives. [ns]
    Arrival(u64),
}

impl Clock {
    pub(crate) fn new(timing: Timing) -> Self {
        let mut clock = Self {
            flash: Station::new(timing.flash, timing.exponential, timing.seed ^ FLASH_SEED),
            disk: Station::new(timing.disk, timing.exponential, timing.seed ^ DISK_SEED),
            pending: BinaryHeap::new(),
            ready: BinaryHeap::new(),
            arrivals: Random::new(timing.seed ^ ARRIVALS_SEED),
            responses: Histogram::new(),
            course: (timing.window_ns > 0.0).then(|| Course::new(timing.window_ns)),
            now_ns: 0.0,
            arrival_ns: 0.0,
            accesses: 0,
            unanswered: 0,
            origin_ns: 0.0,
            first: 0,
            first_ns: 0.0,
            answered_ns: 0.0,
            restart_ns: 0.0,
            restarted_at_ns: None,
            serves_from_ns: 0.0,
            written: Written::new(timing.checkpoint_ns),
            redo: Redo::default(),
            too_many: false,
            copies: 0,
            timing,
        };
        if let Arrivals::Clients { clients, think_ns } = timing.arrivals {
            for _ in 0..clients {
                let at = clock.arrivals.exponential() * think_ns;
                clock.ready.push(Reverse(Ready(at)));
            }
        }
        clock
    }

    /// Counts from the next access on.
    pub(crate) fn restart(&mut self) {
        self.responses.clear();
        self.flash.clear();
        self.disk.clear();
        self.first = self.accesses;
    }

    /// Refuses a trace without the times that are asked for.
    pub(crate) fn check_times(&self, times_ns: &[i64], accesses: usize) -> Result<()> {
        if !self.timing.needs_times() || times_ns.len() == accesses {
            return Ok(());
        }
        Err(refused(
            "arrivals",
            &"trace",
            "the trace does not record when its accesses arrived",
            "give a rate or clients, or use a trace with times",
        ))
    }

    /// The next access was recorded at a time. [ns]
    #[inline]
    pub(crate) fn expect(&mut self, time_ns: i64) {
        match self.timing.arrivals {
            Arrivals::Clients { .. } => {}
            Arrivals::Poisson { accesses_per_s } => {
                self.arrival_ns += self.arrivals.exponential() * NS_PER_S / accesses_per_s;
            }
            Arrivals::Trace { stretch } => {
                // Requests may be recorded out of order: time never runs backwards here.
                #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a trace")]
                let recorded = time_ns as f64 * stretch;
                self.arrival_ns = self.arrival_ns.max(recorded);
            }
        }
    }

    /// Lets time pass until the first of four: the end of a window, `due_ns` when a cache works in the background, the end
    /// of a copy, the arrival of the access that is expected. All that begins before is begun. What begins as a window ends
    /// belongs to the next one.
    #[inline]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times from 0 on; what is longer than 580 years ends there"
    )]
    pub(crate) fn next(&mut self, due_ns: u64) -> Moment {
        let due = if due_ns == u64::MAX {
            f64::INFINITY
        } else {
            due_ns as f64
        };
        loop {
            // A client that waits for its writes is ready only when they are over.
            let arrival = match (self.timing.arrivals, self.ready.peek()) {
                (Arrivals::Clients { .. }, Some(Reverse(Ready(at)))) => *at,
                (Arrivals::Clients { .. }, None) if self.pending.is_empty() => self.now_ns,
                (Arrivals::Clients { .. }, None) => f64::INFINITY,
                _ => self.arrival_ns,
            };
            let window = self.course.as_ref().map_or(f64::INFINITY, Course::ends_ns);
            let first = arrival.min(due).min(window);
            if let Some(Reverse(next)) = self.pending.peek()
                && (next.at_ns < first || (next.at_ns <= first && first < window))
            {
                if let Some(at_ns) = self.begin_next() {
                    self.now_ns = self.now_ns.max(at_ns);
                    return Moment::Copied(self.now_ns as u64);
                }
                continue;
            }
            if window <= first {
                return Moment::Window;
            }
            if due <= arrival {
                self.now_ns = self.now_ns.max(due);
                return Moment::Background;
            }
            self.ready.pop();
            (self.now_ns, self.arrival_ns) = (arrival, arrival);
            if self.accesses == 0 {
                self.begin(arrival);
            }
            if self.accesses == self.first {
                self.first_ns = arrival;
            }
            return Moment::Arrival(arrival as u64);
        }
    }

    /// The first access of all arrives.
    fn begin(&mut self, now_ns: f64) {
        self.origin_ns = now_ns;
        if let Some(course) = &mut self.course {
            let division = course.begin(now_ns);
            self.flash.divide(division);
            self.disk.divide(division);
        }
    }

    /// Closes the window that is over, with what is held.
    pub(crate) fn close_window(&mut self, held: Held) {
        if let Some(course) = &mut self.course {
            let worked = [&mut self.flash, &mut self.disk].map(Station::close_window);
            course.close_full(held, worked);
        }
    }

    /// Lets all accesses be answered, and what begins until then begin: the end of the course.
    fn answer_all(&mut self, held: Held) -> f64 {
        loop {
            let next_ns = match self.pending.peek() {
                Some(Reverse(next)) => next.at_ns,
                None => f64::INFINITY,
            };
            let last_ns = match &self.course {
                Some(course) => course.answered_ns().max(self.now_ns),
                None => self.now_ns,
            };
            let goes_on = if self.unanswered > 0 {
                next_ns.is_finite()
            } else {
                next_ns < last_ns
            };
            let reached_ns = if goes_on { next_ns } else { last_ns };
            while (self.course.as_ref()).is_some_and(|course| course.ends_ns() <= reached_ns) {
                self.close_window(held);
            }
            if !goes_on {
                return last_ns;
            }
            self.begin_next();
        }
    }

    /// What is done in the background, now.
    pub(crate) fn in_background<T: ByClass>(&mut self, before: &T, after: &T) {
        let asked = after.asked_since(before, self.timing.page_bytes);
        self.push(None, asked.work, self.now_ns, Whose::Background);
    }

    /// A copy that is begun in the background, now, of which the cache is to hear when it is over.
    pub(crate) fn copying<T: ByClass>(&mut self, before: &T, after: &T) {
        let asked = after.asked_since(before, self.timing.page_bytes);
        self.push(None, asked.work, self.now_ns, Whose::Copy);
        self.copies += 1;
    }

    /// Copies that are not over.
    pub(crate) fn copies_under_way(&self) -> u32 {
        self.copies
    }

    /// Nothing is served until the directory and so many data pages of flash are read: in order, by all devices.
    pub(crate) fn stand_still(&mut self, directory_bytes: u64, data_pages: u64) {
        let pages = directory_bytes.div_ceil(self.timing.page_bytes) + data_pages;
        let read_ns =
            self.timing.flash.batch_read_ns * as_f64(pages) / as_f64(self.flash.servers());
        self.restart_ns += read_ns;
        self.restarted_at_ns = Some(self.now_ns);
        self.serve_from(self.now_ns + read_ns);
    }

    fn serve_from(&mut self, at_ns: f64) {
        self.serves_from_ns = at_ns;
        self.flash.stand_still_until(at_ns);
        self.disk.stand_still_until(at_ns);
    }

    /// The access that arrived changes a page, behind the checkpoints that the replay has `taken`, where it takes any.
    #[inline]
    pub(crate) fn wrote(&mut self, page: u32, taken: Option<u32>) {
        self.written.note(page, self.now_ns - self.origin_ns, taken);
    }

    /// Nothing is served until each page is read that was written since the latest checkpoint, or whose latest version the
    /// crash took with flash: that `is_lost`, whichever checkpoint came behind it, as it is where a checkpoint writes to.
    /// One after the other, from flash where it `holds` it.
    pub(crate) fn redo(
        &mut self,
        taken: Option<u32>,
        is_lost: impl Fn(u32) -> bool,
        holds: impl Fn(u32) -> bool,
    ) {
        let since_ns = self.now_ns - self.origin_ns;
        let mut redo = Redo {
            after_checkpoint: self.written.is_after_checkpoint(since_ns, taken),
            ..Redo::default()
        };
        for (page, is_since) in self.written.pages(since_ns, taken) {
            if is_since || is_lost(page) {
                redo.pages += 1;
                redo.older_pages += u64::from(!is_since);
                redo.flash_pages += u64::from(holds(page));
            }
        }
        let Timing { flash, disk, .. } = self.timing;
        let time_ns = as_f64(redo.flash_pages) * flash.read_answered_ns
            + as_f64(redo.pages - redo.flash_pages) * disk.read_answered_ns;
        redo.seconds = time_ns / NS_PER_S;
        self.serve_from(self.serves_from_ns.max(self.now_ns) + time_ns);
        self.redo = redo;
        self.written.stop();
    }

    /// The access that arrived, in the order of the trace: what was counted before and after it.
    #[inline]
    pub(crate) fn access<T: ByClass>(&mut self, before: &T, after: &T) {
        let asked = after.asked_since(before, self.timing.page_bytes);
        let arrived = self.now_ns;
        let number = self.accesses;
        self.unanswered += 1;
        if let Some(course) = &mut self.course {
            course.arrived(asked);
        }
        if asked.finds {
            let found = self.flash.serve(Operation::Read, arrived);
            self.push(asked.read, asked.work, found, Whose::Access);
        } else {
            let read_over = match asked.read {
                Some(read) => read.begin(arrived, &mut self.flash, &mut self.disk),
                None => arrived.max(self.serves_from_ns),
            };
            if asked.work.is_none() || !self.timing.waits_for_writes {
                self.over(number, arrived, read_over);
            }
            self.push(None, asked.work, read_over, Whose::Access);
        }
        self.accesses += 1;
    }

    #[inline]
    fn push(&mut self, read: Option<Read>, work: Work, at_ns: f64, whose: Whose) {
        if read.is_none() && work.is_none() {
            return;
        }
        self.too_many |= self.pending.len() >= MOST_PENDING;
        if !self.too_many {
            self.pending.push(Reverse(Pending {
                at_ns,
                number: self.accesses,
                arrived_ns: self.now_ns,
                read,
                work,
                whose,
            }));
        }
    }

    /// Begins the next step of all; or says when it was over, if it is a copy that is.
    fn begin_next(&mut self) -> Option<f64> {
        let Reverse(mut next) = self.pending.pop()?;
        if let Some(read) = next.read.take() {
            next.at_ns = read.begin(next.at_ns, &mut self.flash, &mut self.disk);
            if next.work.is_none() || !self.timing.waits_for_writes {
                self.over(next.number, next.arrived_ns, next.at_ns);
            }
            if !next.work.is_none() {
                self.pending.push(Reverse(next));
            }
            return None;
        }
        if next.work.is_none() {
            self.copies -= 1;
            return Some(next.at_ns);
        }
        next.at_ns = next.work.begin(next.at_ns, &mut self.flash, &mut self.disk);
        if !next.work.is_none() || next.whose == Whose::Copy {
            self.pending.push(Reverse(next));
        } else if self.timing.waits_for_writes && next.whose == Whose::Access {
            self.over(next.number, next.arrived_ns, next.at_ns);
        }
        None
    }

    /// An access is answered.
    #[inline]
    fn over(&mut self, number: u64, arrived_ns: f64, at_ns: f64) {
        self.unanswered -= 1;
        if number >= self.first {
            self.responses.add(at_ns - arrived_ns);
            self.answered_ns = self.answered_ns.max(at_ns);
        }
        if let Some(course) = &mut self.course {
            course.answered(at_ns, at_ns - arrived_ns);
        }
        if let Arrivals::Clients { think_ns, .. } = self.timing.arrivals {
            let think = if think_ns > 0.0 {
                self.arrivals.exponential() * think_ns
            } else {
                0.0
            };
            self.ready.push(Reverse(Ready(at_ns + think)));
        }
    }

    /// Lets all that is under way end, and says what was counted.
    pub(crate) fn finish(&mut self, held: Held) -> Result<Responses> {
        if self.too_many {
            return Err(refused(
                "accesses-per-second",
                &MOST_PENDING,
                "and more accesses wait for their writes at once: the devices do not keep up",
                "use a lower rate, or more or faster devices",
            ));
        }
        let arrivals_ns = self.now_ns - self.first_ns;
        // Of the time of arrivals: what is worked off behind it would make it less.
        let busy = [&self.flash, &self.disk].map(|station| {
            let work = station.work();
            let [reads, writes] = station.times();
            StationResult {
                operations: work.operations,
                utilisation: if arrivals_ns > 0.0 {
                    work.busy_ns / (arrivals_ns * as_f64(station.servers()))
                } else {
                    0.0
                },
                wait_us: work.mean_wait_ns / NS_PER_US,
                waited: if work.operations == 0 {
                    0.0
                } else {
                    as_f64(work.waited) / as_f64(work.operations)
                },
                reads,
                writes,
                batch_pages: work.batch_pages,
            }
        });
        let end_ns = self.answer_all(held);
        let course = match self.course.take() {
            Some(course) => {
                let worked = [&mut self.flash, &mut self.disk]
                    .map(|station| station.close_window_at(end_ns));
                course.finish(end_ns, held, worked).ok_or_else(|| {
                    refused(
                        "window",
                        &(self.timing.window_ns / NS_PER_S),
                        &format!("divides the replay into more than {MOST_WINDOWS} windows"),
                        "give a longer window, in seconds",
                    )
                })?
            }
            None => Vec::new(),
        };
        let arrived = self.accesses - self.first;
        if self.responses.count() != arrived {
            return Err(disagreement(
                "simulated time",
                &format!(
                    "{} arrived, and {} of them ended",
                    counted(arrived, "access", "accesses"),
                    self.responses.count()
                ),
            ));
        }
        let [flash, disk] = busy;
        let duration_s = (self.answered_ns.max(self.now_ns) - self.first_ns) / NS_PER_S;
        let last_arrival_s = arrivals_ns / NS_PER_S;
        let at = |share: f64| self.responses.quantile_ns(share) / NS_PER_US;
        Ok(Responses {
            accesses: arrived,
            duration_s,
            accesses_per_s: if duration_s > 0.0 {
                as_f64(arrived) / duration_s
            } else {
                0.0
            },
            last_arrival_s,
            arrivals_per_s: (last_arrival_s > 0.0).then(|| as_f64(arrived) / last_arrival_s),
            mean_us: self.responses.mean_ns() / NS_PER_US,
            p50_us: at(0.5),
            p99_us: at(0.99),
            p999_us: at(0.999),
            most_us: self.responses.most_ns() / NS_PER_US,
            resolution: RESOLUTION,
            flash,
            disk,
            restart_s: self.restart_ns / NS_PER_S,
            restarted_at_s: self
                .restarted_at_ns
                .map(|at| (at - self.origin_ns) / NS_PER_S),
            redo: self.redo,
            course,
        })
    }
}

const NS_PER_S: f64 = 1e9;
const NS_PER_US: f64 = 1e3;
/// Streams of random numbers, apart from each other.
const ARRIVALS_SEED: u64 = 0;
const FLASH_SEED: u64 = 0x1000;
const DISK_SEED: u64 = 0x2000;

/// A scheme, and the clock that is told what each access of it asks of the devices.
pub(crate) struct Timed<'a, S> {
    /// An empty scheme.
    cold: &'a dyn Fn() -> S,
    scheme: S,
    clock: Clock,
    /// Until the latest access, of the scheme at work.
    counters: FlowCounters,
    /// Times of the accesses of the present chunk, and the next of them; empty unless asked for.
    times_ns: Vec<i64>,
    next: usize,
    /// Whether the warm-up has come to an end since the last access.
    warm: Cell<bool>,
    /// Page numbers for which there is room.
    pages: usize,
    accesses: u64,
    write_accesses: u64,
    /// Accesses before a crash.
    crash_at: Option<u64>,
    crashed: Option<Crashed>,
    /// When the page of the coming access is accessed again, where a policy needs it.
    foreseen: Option<u32>,
}

/// What is known of a scheme that crashed.
struct Crashed {
    report: SchemeCrash,
    counters: (SchemeCounters, BlockCounters),
    write_accesses: u64,
    /// What its own state says, counted again.
    finished: std::result::Result<(), String>,
}

impl<'a, S: Flow> Timed<'a, S> {
    pub(crate) fn new(cold: &'a dyn Fn() -> S, timing: Timing, crash_at: Option<u64>) -> Self {
        Self {
            cold,
            scheme: cold(),
            clock: Clock::new(timing),
            counters: FlowCounters::default(),
            times_ns: Vec::new(),
            next: 0,
            warm: Cell::new(false),
            pages: 0,
            accesses: 0,
            write_accesses: 0,
            crash_at,
            crashed: None,
            foreseen: None,
        }
    }

    /// The scheme at work, after a crash the one that came back.
    pub(crate) fn flow(&mut self) -> &mut S {
        &mut self.scheme
    }

    /// What was counted, before a crash too.
    pub(crate) fn counters(&self) -> (SchemeCounters, BlockCounters) {
        let counted = (self.scheme.counters(), self.scheme.blocks());
        match &self.crashed {
            Some(crashed) => (
                crashed.counters.0.plus(counted.0),
                crashed.counters.1.plus(counted.1),
            ),
            None => counted,
        }
    }

    /// Notes that what comes next is counted.
    pub(crate) fn warmed_up(&mut self) {
        self.warm.set(true);
        self.scheme.below().restart_counters();
    }

    /// The machine went down behind the access before, and comes back now, RAM and flash empty.
    fn crash(&mut self) {
        let report = SchemeCrash::of(self.accesses, self.scheme.contents());
        // Without flash, what a checkpoint writes lies on the disk.
        let has_flash = self.scheme.fill().cache == FLASH;
        let lost = BitSet::of(self.pages, |page| {
            has_flash && self.scheme.is_newer_than_disk(page)
        });
        let mut crashed = std::mem::replace(&mut self.scheme, (self.cold)());
        self.scheme.grow(self.pages);
        let totals = Totals {
            accesses: self.accesses,
            write_accesses: self.write_accesses,
            distinct_pages: self.pages,
            ..Totals::default()
        };
        self.crashed = Some(Crashed {
            report,
            counters: (crashed.counters(), crashed.blocks()),
            write_accesses: self.write_accesses,
            finished: crashed.finished(totals),
        });
        self.scheme.come_back(&mut crashed);
        self.counters = FlowCounters::of(&mut self.scheme);
        self.clock.stand_still(0, 0);
        self.clock.redo(None, |page| lost.contains(page), |_| false);
    }

    /// The crash behind the last access, if that is where it is.
    ///
    /// # Errors
    /// [`Error::BadParameter`] where the trace ends before.
    pub(crate) fn end(&mut self) -> Result<()> {
        match self.crash_at {
            Some(at) if at > self.accesses => return Err(crash::beyond(at, self.accesses)),
            Some(_) if self.crashed.is_none() => self.crash(),
            _ => {}
        }
        Ok(())
    }

    /// What flash holds, in whole frames; nothing is said where there is none.
    fn held(&self) -> Held {
        let fill = self.scheme.fill();
        if fill.cache != FLASH {
            return Held::default();
        }
        Held {
            flash_used: Some(fill.held * u64::from(self.scheme.frame_pages())),
            flash_dirty: Some(self.scheme.contents().flash_dirty),
            flash_full: Some(fill.is_full()),
        }
    }

    /// How long the accesses took, and what a crash destroyed.
    pub(crate) fn finish(&mut self) -> Result<(Responses, Option<SchemeCrash>)> {
        let report = self.crashed.as_ref().map(|crashed| crashed.report);
        let held = self.held();
        Ok((self.clock.finish(held)?, report))
    }
}

impl<S: Flow> Machine for Timed<'_, S> {
    const NEEDS_ADDRESSES: bool = S::NEEDS_ADDRESSES;
    const NEEDS_TIMES: bool = true;

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.scheme.classify(chunk, spaces)
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) -> Result<()> {
        self.scheme.locate(pages, spaces, addresses)
    }

    fn expect(&mut self, spaces: &[u32], addresses: &[u64], first_accesses: &[u32]) {
        self.scheme.expect(spaces, addresses, first_accesses);
    }

    fn foresee(&mut self, _page: u32, next_access: u32) {
        self.foreseen = Some(next_access);
    }

    fn grow(&mut self, pages: usize) {
        self.scheme.grow(pages);
        self.pages = pages;
    }

    fn arrive(&mut self, times_ns: &[i64], accesses: usize) -> Result<()> {
        self.clock.check_times(times_ns, accesses)?;
        if self.clock.timing.needs_times() {
            self.times_ns.clear();
            self.times_ns.extend_from_slice(times_ns);
            self.next = 0;
        }
        Ok(())
    }

    fn fetch(&self, pages: &[u32]) {
        self.scheme.fetch(pages);
    }

    fn access(&mut self, page: u32, write: bool) {
        if self.warm.replace(false) {
            self.clock.restart();
        }
        let time_ns = self.times_ns.get(self.next).copied().unwrap_or_default();
        self.next += 1;
        self.clock.expect(time_ns);
        while self.clock.next(u64::MAX) == Moment::Window {
            let held = self.held();
            self.clock.close_window(held);
        }
        if self.crash_at == Some(self.accesses) {
            self.crash();
        }
        if let Some(next_access) = self.foreseen.take() {
            self.scheme.foresee(page, next_access);
        }
        self.scheme.access(page, write);
        self.accesses += 1;
        if write {
            self.write_accesses += 1;
            self.clock.wrote(page, None);
        }
        let counters = FlowCounters::of(&mut self.scheme);
        self.clock.access(&self.counters, &counters);
        self.counters = counters;
    }

    fn fill(&self) -> Fill {
        self.scheme.fill()
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        let Some(crashed) = &self.crashed else {
            return self.scheme.finished(totals);
        };
        crashed.finished.clone()?;
        self.scheme.finished(Totals {
            accesses: totals.accesses - crashed.report.at_access,
            write_accesses: totals.write_accesses - crashed.write_accesses,
            ..totals
        })
    }
}
