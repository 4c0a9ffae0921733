//! The course of a replay over time: what happened in each window of it.

use serde::Serialize;

use super::histogram::{Histogram, as_f64};
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

/// One window of the course.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Window {
    /// From the first arrival. [s]
    pub start_s: f64,
    /// How long it is; the last one ends with the last arrival. [s]
    pub length_s: f64,
    /// Accesses that arrived.
    pub accesses: u64,
    /// Of these, found in RAM.
    pub ram_hits: u64,
    /// Found on flash.
    pub flash_hits: u64,
    /// Answered; `None` where all of a last window arrived as it began. [1/s]
    pub accesses_per_s: Option<f64>,
    /// Mean response time of those whose time became known. [µs]
    pub mean_us: f64,
    /// 99th percentile of them. [µs]
    pub p99_us: f64,
    /// Work that flash began, as a share of the window; above 1 it falls behind; `None` as the rate. [1]
    pub flash_utilisation: Option<f64>,
    /// The same of the disks. [1]
    pub disk_utilisation: Option<f64>,
    /// Slots of flash in use at its end; `None` without flash.
    pub flash_used_pages: Option<u64>,
    /// Copies on flash that are newer than the disk's, at its end; `None` without flash.
    pub flash_dirty_pages: Option<u64>,
    /// Whether flash counts as full at its end, as the system itself reckons: units and regions may never be all in use;
    /// `None` without flash.
    pub flash_full: Option<bool>,
}

/// The windows so far, and the one that is open.
#[derive(Debug)]
pub(super) struct Course {
    length_ns: f64,
    /// When the open window begins, and the first one.
    begins_ns: f64,
    origin_ns: f64,
    begun: bool,
    windows: Vec<Window>,
    too_many: bool,
    accesses: u64,
    ram_hits: u64,
    flash_hits: u64,
    responses: Histogram,
    worked_ns: [f64; 2],
}

impl Course {
    pub(super) fn new(length_ns: f64) -> Self {
        Self {
            length_ns,
            begins_ns: 0.0,
            origin_ns: 0.0,
            begun: false,
            windows: Vec::new(),
            too_many: false,
            accesses: 0,
            ram_hits: 0,
            flash_hits: 0,
            responses: Histogram::new(),
            worked_ns: [0.0; 2],
        }
    }

    /// When the open window is over, and is to be closed; infinite if none is.
    #[inline]
    pub(super) fn ends_ns(&self) -> f64 {
        if self.begun && !self.too_many {
            self.begins_ns + self.length_ns
        } else {
            f64::INFINITY
        }
    }

    pub(super) fn arrived(&mut self, asked: Asked, now_ns: f64) {
        if !self.begun {
            (self.begun, self.origin_ns, self.begins_ns) = (true, now_ns, now_ns);
        }
        self.accesses += 1;
        self.flash_hits += u64::from(asked.read == Some(Read::Flash));
        self.ram_hits += u64::from(asked.read.is_none());
    }

    #[inline]
    pub(super) fn answered(&mut self, time_ns: f64) {
        self.responses.add(time_ns);
    }

    /// Closes the open window at its end and opens the next. `worked_ns` is the busy time of flash and disks since
    /// the beginning, per server.
    pub(super) fn close_full(&mut self, held: Held, worked_ns: [f64; 2]) {
        self.close(self.length_ns, held, worked_ns);
    }

    fn close(&mut self, length_ns: f64, held: Held, worked_ns: [f64; 2]) {
        if self.windows.len() == MOST_WINDOWS {
            self.too_many = true;
            return;
        }
        let per_ns = |count: f64| (length_ns > 0.0).then(|| count / length_ns);
        let [flash, disk] = [0, 1].map(|at| per_ns(worked_ns[at] - self.worked_ns[at]));
        self.windows.push(Window {
            start_s: (self.begins_ns - self.origin_ns) / NS_PER_S,
            length_s: length_ns / NS_PER_S,
            accesses: self.accesses,
            ram_hits: self.ram_hits,
            flash_hits: self.flash_hits,
            accesses_per_s: per_ns(as_f64(self.responses.count())).map(|rate| rate * NS_PER_S),
            mean_us: self.responses.mean_ns() / NS_PER_US,
            p99_us: self.responses.quantile_ns(0.99) / NS_PER_US,
            flash_utilisation: flash,
            disk_utilisation: disk,
            flash_used_pages: held.flash_used,
            flash_dirty_pages: held.flash_dirty,
            flash_full: held.flash_full,
        });
        self.begins_ns += self.length_ns;
        (self.accesses, self.ram_hits, self.flash_hits) = (0, 0, 0);
        self.responses.clear();
        self.worked_ns = worked_ns;
    }

    /// The windows; the last is as long as there were arrivals, which may all be as it began. `None` if they are too
    /// many.
    pub(super) fn finish(
        mut self,
        now_ns: f64,
        held: Held,
        worked_ns: [f64; 2],
    ) -> Option<Vec<Window>> {
        let left_ns = now_ns - self.begins_ns;
        if self.begun && self.accesses > 0 {
            self.close(left_ns, held, worked_ns);
        }
        (!self.too_many).then_some(self.windows)
    }
}
