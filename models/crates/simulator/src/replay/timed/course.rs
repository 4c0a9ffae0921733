//! The course of a replay over time: what happened in each window of it.

use std::collections::VecDeque;

use serde::Serialize;

use super::histogram::{FewTimes, Histogram, as_f64};
use super::work::{Asked, Read};
use super::{NS_PER_S, NS_PER_US};

/// Most windows of a course.
pub(super) const MOST_WINDOWS: usize = 20_000;

/// What a cache holds at the end of a window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_field_names,
    reason = "the names are those of the columns of a course"
)]
pub(crate) struct Held {
    /// Slots of flash in use, with old versions.
    pub(crate) flash_used: Option<u64>,
    /// Copies on flash that are newer than the disk's.
    pub(crate) flash_dirty: Option<u64>,
    /// Whether flash counts as full, by the system's own reckoning.
    pub(crate) flash_full: Option<bool>,
}

/// What the devices of a tier did until the end of a window, per server. [ns]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Worked {
    /// Busy in the window.
    pub(super) busy_ns: f64,
    /// Asked for since the beginning, whenever it is done.
    pub(super) asked_ns: f64,
}

/// One window of the course. Accesses and hits count where they arrive, answers and their times where they are answered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Window {
    /// From the first arrival. [s]
    pub start_s: f64,
    /// How long it is; the last one ends with the last answer. [s]
    pub length_s: f64,
    /// Accesses that arrived.
    pub accesses: u64,
    /// Of these, found in RAM.
    pub ram_hits: u64,
    /// Found on flash.
    pub flash_hits: u64,
    /// Accesses that were answered, whenever they arrived.
    pub answered: u64,
    /// The same by time; `None` where the last window has no length. [1/s]
    pub accesses_per_s: Option<f64>,
    /// Mean response time of those answered. [µs]
    pub mean_us: f64,
    /// 99th percentile of them. [µs]
    pub p99_us: f64,
    /// Accesses that had arrived and were not answered at its end.
    pub unanswered: u64,
    /// Busy share of what the flash devices serve at once; `None` as the rate. [1]
    pub flash_utilisation: Option<f64>,
    /// The same of the disks. [1]
    pub disk_utilisation: Option<f64>,
    /// Work that flash was asked for in it, as a share of what it does in that time; above 1 its queue grows; `None` as the
    /// rate. [1]
    pub flash_load: Option<f64>,
    /// The same of the disks. [1]
    pub disk_load: Option<f64>,
    /// Slots of flash in use at its end; `None` without flash.
    pub flash_used_pages: Option<u64>,
    /// Copies on flash that are newer than the disk's, at its end; `None` without flash.
    pub flash_dirty_pages: Option<u64>,
    /// Whether flash counts as full at its end, as the system itself reckons: units and regions may never be all in use;
    /// `None` without flash.
    pub flash_full: Option<bool>,
}

/// Windows of equal length, one behind the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Division {
    origin_ns: f64,
    length_ns: f64,
}

impl Division {
    #[expect(clippy::cast_precision_loss, reason = "at most so many windows")]
    fn start_ns(&self, window: usize) -> f64 {
        self.origin_ns + window as f64 * self.length_ns
    }

    /// The window in which a time lies; what lies beyond [`MOST_WINDOWS`] of them is in one more.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what is out of range ends at the first or the last"
    )]
    fn window_of(&self, at_ns: f64) -> usize {
        let near = ((at_ns - self.origin_ns) / self.length_ns) as usize;
        let mut window = near.min(MOST_WINDOWS);
        // The quotient is rounded: a window begins where its start says.
        while window > 0 && at_ns < self.start_ns(window) {
            window -= 1;
        }
        while window < MOST_WINDOWS && at_ns >= self.start_ns(window + 1) {
            window += 1;
        }
        window
    }
}

/// Busy time by window, of the open one and of those into which service reaches already.
#[derive(Debug)]
pub(super) struct BusyTimes {
    division: Division,
    /// The open window.
    open: usize,
    windows: VecDeque<BusyTime>,
    /// Services that take up the whole open window.
    throughout: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct BusyTime {
    /// Of services that begin or end in it. [ns]
    ns: f64,
    /// Services that take up whole windows from this one on.
    begin: u64,
    /// Those that no longer do.
    end: u64,
}

impl BusyTimes {
    pub(super) fn new(division: Division) -> Self {
        Self {
            division,
            open: 0,
            windows: VecDeque::new(),
            throughout: 0,
        }
    }

    fn at(&mut self, window: usize) -> &mut BusyTime {
        let ahead = window - self.open;
        if ahead >= self.windows.len() {
            self.windows.resize(ahead + 1, BusyTime::default());
        }
        &mut self.windows[ahead]
    }

    /// A server is busy from one time to another, neither before the open window.
    #[inline]
    pub(super) fn add(&mut self, from_ns: f64, to_ns: f64) {
        let division = self.division;
        let first = division.window_of(from_ns).max(self.open);
        let last = division.window_of(to_ns).max(first);
        if first == last {
            self.at(first).ns += to_ns - from_ns;
            return;
        }
        self.at(first).ns += division.start_ns(first + 1) - from_ns;
        self.at(first + 1).begin += 1;
        let end = self.at(last);
        end.ns += to_ns - division.start_ns(last);
        end.end += 1;
    }

    /// When the open window is over. [ns]
    pub(super) fn ends_ns(&self) -> f64 {
        self.division.start_ns(self.open + 1)
    }

    /// Busy time of all servers in the open window, which is closed. [ns]
    pub(super) fn close(&mut self) -> f64 {
        let window = self.windows.pop_front().unwrap_or_default();
        self.open += 1;
        self.throughout = self.throughout + window.begin - window.end;
        window.ns + as_f64(self.throughout) * self.division.length_ns
    }
}

/// The windows so far, the one that is open, and what is known of later ones.
#[derive(Debug)]
pub(super) struct Course {
    length_ns: f64,
    /// Once the first access has arrived.
    division: Option<Division>,
    windows: Vec<Window>,
    too_many: bool,
    accesses: u64,
    ram_hits: u64,
    flash_hits: u64,
    unanswered: u64,
    responses: Histogram,
    /// Response times of accesses that will be answered in the windows behind the open one.
    later: VecDeque<FewTimes>,
    /// The last answer that is known. [ns]
    answered_ns: f64,
    asked_ns: [f64; 2],
}

impl Course {
    pub(super) fn new(length_ns: f64) -> Self {
        Self {
            length_ns,
            division: None,
            windows: Vec::new(),
            too_many: false,
            accesses: 0,
            ram_hits: 0,
            flash_hits: 0,
            unanswered: 0,
            responses: Histogram::new(),
            later: VecDeque::new(),
            answered_ns: 0.0,
            asked_ns: [0.0; 2],
        }
    }

    /// The first access arrives.
    pub(super) fn begin(&mut self, now_ns: f64) -> Division {
        let division = Division {
            origin_ns: now_ns,
            length_ns: self.length_ns,
        };
        self.division = Some(division);
        division
    }

    /// When the open window is over, and is to be closed; infinite if none is.
    #[inline]
    pub(super) fn ends_ns(&self) -> f64 {
        match self.division {
            Some(division) if !self.too_many => division.start_ns(self.windows.len() + 1),
            _ => f64::INFINITY,
        }
    }

    pub(super) fn arrived(&mut self, asked: Asked) {
        self.accesses += 1;
        self.flash_hits += u64::from(asked.read == Some(Read::Flash));
        self.ram_hits += u64::from(asked.read.is_none());
    }

    /// An access is or will be answered at a time.
    #[inline]
    pub(super) fn answered(&mut self, at_ns: f64, time_ns: f64) {
        let Some(division) = self.division else {
            return;
        };
        self.answered_ns = self.answered_ns.max(at_ns);
        let window = division.window_of(at_ns);
        let Some(ahead) = window.checked_sub(self.windows.len() + 1) else {
            self.responses.add(time_ns);
            return;
        };
        if window >= MOST_WINDOWS {
            self.too_many = true;
        }
        if self.too_many {
            return;
        }
        if ahead >= self.later.len() {
            self.later.resize(ahead + 1, FewTimes::new());
        }
        self.later[ahead].add(time_ns);
    }

    /// The last answer that is known. [ns]
    pub(super) fn answered_ns(&self) -> f64 {
        self.answered_ns
    }

    /// Closes the open window at its end and opens the next, with what flash and disks did.
    pub(super) fn close_full(&mut self, held: Held, worked: [Worked; 2]) {
        self.close(self.length_ns, held, worked);
    }

    fn close(&mut self, length_ns: f64, held: Held, worked: [Worked; 2]) {
        if self.windows.len() == MOST_WINDOWS {
            self.too_many = true;
            return;
        }
        let per_ns = |count: f64| (length_ns > 0.0).then(|| count / length_ns);
        // Sums of lengths are rounded: no server is busy for more than all of the time.
        let [flash_busy, disk_busy] =
            worked.map(|tier| per_ns(tier.busy_ns).map(|share| share.clamp(0.0, 1.0)));
        let [flash_load, disk_load] =
            [0, 1].map(|at| per_ns(worked[at].asked_ns - self.asked_ns[at]));
        let answered = self.responses.count();
        self.unanswered = self.unanswered + self.accesses - answered;
        self.windows.push(Window {
            start_s: as_f64(self.windows.len() as u64) * self.length_ns / NS_PER_S,
            length_s: length_ns / NS_PER_S,
            accesses: self.accesses,
            ram_hits: self.ram_hits,
            flash_hits: self.flash_hits,
            answered,
            accesses_per_s: per_ns(as_f64(answered)).map(|rate| rate * NS_PER_S),
            mean_us: self.responses.mean_ns() / NS_PER_US,
            p99_us: self.responses.quantile_ns(0.99) / NS_PER_US,
            unanswered: self.unanswered,
            flash_utilisation: flash_busy,
            disk_utilisation: disk_busy,
            flash_load,
            disk_load,
            flash_used_pages: held.flash_used,
            flash_dirty_pages: held.flash_dirty,
            flash_full: held.flash_full,
        });
        (self.accesses, self.ram_hits, self.flash_hits) = (0, 0, 0);
        self.responses.clear();
        if let Some(times) = self.later.pop_front() {
            self.responses.add_all(&times);
        }
        self.asked_ns = worked.map(|tier| tier.asked_ns);
    }

    /// The windows, of which the last ends with all: it has no length where all of it happened as it began. `None` if they
    /// are too many.
    pub(super) fn finish(
        mut self,
        end_ns: f64,
        held: Held,
        worked: [Worked; 2],
    ) -> Option<Vec<Window>> {
        if let Some(division) = self.division {
            let left_ns = end_ns - division.start_ns(self.windows.len());
            if left_ns > 0.0 || self.accesses + self.responses.count() > 0 {
                self.close(left_ns.max(0.0), held, worked);
            }
        }
        (!self.too_many).then_some(self.windows)
    }
}

#[cfg(test)]
mod tests {
    use super::{BusyTimes, Division, MOST_WINDOWS};

    const TENS: Division = Division {
        origin_ns: 5.0,
        length_ns: 10.0,
    };

    #[test]
    fn a_time_lies_in_the_window_that_begins_last_before_it() {
        for (at_ns, window) in [
            (0.0, 0),
            (5.0, 0),
            (14.999, 0),
            (15.0, 1),
            (1e300, MOST_WINDOWS),
        ] {
            assert_eq!(TENS.window_of(at_ns), window, "{at_ns}");
        }
        let thirds = Division {
            origin_ns: 0.1,
            length_ns: 1.0 / 3.0,
        };
        for window in 0..MOST_WINDOWS {
            let start_ns = thirds.start_ns(window);
            assert_eq!(thirds.window_of(start_ns), window);
            assert_eq!(thirds.window_of(start_ns.next_up()), window);
            assert_eq!(
                thirds.window_of(start_ns.next_down()),
                window.saturating_sub(1)
            );
        }
    }

    #[test]
    fn a_service_takes_up_each_window_for_as_long_as_it_lasts_there() {
        let mut busy = BusyTimes::new(TENS);
        busy.add(6.0, 8.0);
        busy.add(9.0, 48.0);
        busy.add(15.0, 25.0);
        busy.add(40.0, 1e9);
        let found: Vec<f64> = (0..6).map(|_| busy.close()).collect();
        assert_eq!(found, [2.0 + 6.0, 20.0, 10.0, 10.0 + 5.0, 3.0 + 10.0, 10.0]);
    }
}
