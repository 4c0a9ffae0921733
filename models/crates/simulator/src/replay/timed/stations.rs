//! The devices of a tier on simulated time: each serves several operations at once, first come, first served.

use super::course::{BusyTimes, Division, Worked};
use super::histogram::{Histogram, as_f64};
use super::random::Random;
use super::{DeviceTimes, NS_PER_US, Operation, OperationTimes};

/// Weight of an operation in the share of random writes among the latest operations: that of about the last
/// 256 counts.
const LATEST: f64 = 1.0 / 256.0;

/// Equal devices, each with a queue of its own; an operation goes to any of them with equal chance.
///
/// Operations must be given in the order of their times: then each takes the server that is free first, and its
/// wait is known at once, so no event is kept for its end.
#[derive(Debug)]
pub(super) struct Station {
    times: DeviceTimes,
    devices: usize,
    servers: usize,
    /// When each server is free, of one device after the other; of each device a heap, the earliest first. [ns]
    free_ns: Vec<f64>,
    exponential: bool,
    service: Random,
    choice: Random,
    /// Share of random writes among the latest single-page operations.
    write_share: f64,
    operations: u64,
    waited: u64,
    wait_ns: f64,
    busy_ns: f64,
    /// Busy time since the beginning, which is never cleared. [ns]
    worked_ns: f64,
    /// The same by window of a course, where one is kept.
    windows: Option<BusyTimes>,
    /// Times at which a server did nothing though it could serve nothing either, where a course is kept. [ns]
    still: Vec<(f64, f64)>,
    /// Times of single pages, wait and service, by operation.
    reads: Histogram,
    writes: Histogram,
    /// Pages moved in batches.
    batch_pages: u64,
}

/// What a station did since it was last cleared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    pub(super) operations: u64,
    pub(super) waited: u64,
    pub(super) mean_wait_ns: f64,
    /// Busy time of all servers together. [ns]
    pub(super) busy_ns: f64,
    pub(super) batch_pages: u64,
}

impl Station {
    /// Idle devices.
    pub(super) fn new(times: DeviceTimes, exponential: bool, seed: u64) -> Self {
        let (devices, servers) = (times.devices as usize, times.at_once as usize);
        Self {
            times,
            devices,
            servers,
            free_ns: vec![0.0; devices * servers],
            exponential,
            service: Random::new(seed),
            choice: Random::new(seed.wrapping_add(1)),
            write_share: 0.0,
            operations: 0,
            waited: 0,
            wait_ns: 0.0,
            busy_ns: 0.0,
            worked_ns: 0.0,
            windows: None,
            still: Vec::new(),
            reads: Histogram::new(),
            writes: Histogram::new(),
            batch_pages: 0,
        }
    }

    /// Keeps busy time by window from now on.
    pub(super) fn divide(&mut self, division: Division) {
        self.windows = Some(BusyTimes::new(division));
    }

    /// Serves an operation that arrives now, and says when it is answered. [ns]
    #[inline]
    pub(super) fn serve(&mut self, operation: Operation, now_ns: f64) -> f64 {
        let length = if self.exponential {
            self.service.exponential()
        } else {
            1.0
        };
        let device = if self.devices == 1 {
            0
        } else {
            self.choice.below(self.devices)
        };
        let heap = &mut self.free_ns[device * self.servers..(device + 1) * self.servers];
        let start = heap[0].max(now_ns);
        let times = &self.times;
        let beside_writes = times.beside_writes_ns * self.write_share;
        let (occupancy, answered) = match operation {
            Operation::Read => (
                times.read_ns + beside_writes,
                times.read_answered_ns + beside_writes,
            ),
            Operation::Write => (times.write_ns, times.write_answered_ns),
            Operation::BatchRead => (times.batch_read_ns, times.batch_read_ns),
            Operation::BatchWrite => (times.batch_write_ns, times.batch_write_ns),
        };
        let occupancy = occupancy * length;
        replace_first(heap, start + occupancy);
        self.operations += 1;
        self.waited += u64::from(start > now_ns);
        self.wait_ns += start - now_ns;
        self.busy_ns += occupancy;
        self.worked_ns += occupancy;
        if let Some(windows) = &mut self.windows {
            windows.add(start, start + occupancy);
        }
        let over = start + answered * length;
        match operation {
            Operation::Read => {
                self.reads.add(over - now_ns);
                self.write_share -= self.write_share * LATEST;
            }
            Operation::Write => {
                self.writes.add(over - now_ns);
                self.write_share += (1.0 - self.write_share) * LATEST;
            }
            Operation::BatchRead | Operation::BatchWrite => self.batch_pages += 1,
        }
        over
    }

    /// Serves so many operations that arrive together, and says when the last of them is answered. [ns]
    #[inline]
    pub(super) fn serve_all(&mut self, operation: Operation, count: u32, now_ns: f64) -> f64 {
        (0..count).fold(now_ns, |last, _| last.max(self.serve(operation, now_ns)))
    }

    /// Nothing is served before a time.
    pub(super) fn stand_still_until(&mut self, at_ns: f64) {
        for free in &mut self.free_ns {
            if *free < at_ns {
                if self.windows.is_some() {
                    self.still.push((*free, at_ns));
                }
                *free = at_ns;
            }
        }
    }

    /// Forgets what was counted; the queues stay as they are.
    pub(super) fn clear(&mut self) {
        (self.operations, self.waited) = (0, 0);
        (self.wait_ns, self.busy_ns) = (0.0, 0.0);
        self.batch_pages = 0;
        self.reads.clear();
        self.writes.clear();
    }

    /// What was done in the open window of the course, which is closed, and asked for until now.
    pub(super) fn close_window(&mut self) -> Worked {
        self.close_window_at(f64::INFINITY)
    }

    /// The same of a window that ends at a time, if it is not over before; all was asked for before that.
    pub(super) fn close_window_at(&mut self, end_ns: f64) -> Worked {
        let mut busy_ns = 0.0;
        if let Some(windows) = &mut self.windows {
            let window_ns = windows.ends_ns();
            busy_ns = windows.close();
            if end_ns < window_ns {
                // Whatever is served behind the end waited for a server that was busy until then, or stood still.
                let behind = |from_ns: f64, to_ns: f64| {
                    (to_ns.min(window_ns) - from_ns.max(end_ns)).max(0.0)
                };
                let taken: f64 = self.free_ns.iter().map(|&free| behind(end_ns, free)).sum();
                let still: f64 = self.still.iter().map(|&(from, to)| behind(from, to)).sum();
                busy_ns -= taken - still;
            }
        }
        let servers = as_f64(self.servers());
        Worked {
            busy_ns: busy_ns / servers,
            asked_ns: self.worked_ns / servers,
        }
    }

    /// Times of single pages: reads, writes.
    pub(super) fn times(&self) -> [OperationTimes; 2] {
        [&self.reads, &self.writes].map(|times| {
            let at = |share: f64| times.quantile_ns(share) / NS_PER_US;
            OperationTimes {
                operations: times.count(),
                mean_us: times.mean_ns() / NS_PER_US,
                p50_us: at(0.5),
                p99_us: at(0.99),
                p999_us: at(0.999),
            }
        })
    }

    pub(super) fn work(&self) -> Work {
        Work {
            operations: self.operations,
            waited: self.waited,
            mean_wait_ns: if self.operations == 0 {
                0.0
            } else {
                self.wait_ns / as_f64(self.operations)
            },
            busy_ns: self.busy_ns,
            batch_pages: self.batch_pages,
        }
    }

    /// Servers of all devices.
    pub(super) fn servers(&self) -> u64 {
        self.free_ns.len() as u64
    }
}

/// Puts another time in place of the least one of a heap.
fn replace_first(heap: &mut [f64], time: f64) {
    let mut at = 0;
    loop {
        let mut child = 2 * at + 1;
        if child >= heap.len() {
            break;
        }
        if child + 1 < heap.len() && heap[child + 1] < heap[child] {
            child += 1;
        }
        if heap[child] >= time {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = time;
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "times that come out exactly")]
mod tests {
    use super::{DeviceTimes, Operation, Station};

    fn times(at_once: u32) -> DeviceTimes {
        DeviceTimes {
            devices: 1,
            at_once,
            read_ns: 10.0,
            read_answered_ns: 10.0,
            write_ns: 20.0,
            write_answered_ns: 5.0,
            batch_read_ns: 1.0,
            batch_write_ns: 2.0,
            beside_writes_ns: 0.0,
        }
    }

    #[test]
    fn one_server_works_one_operation_after_the_other() {
        let mut disk = Station::new(times(1), false, 0);
        assert_eq!(disk.serve(Operation::Read, 0.0), 10.0);
        assert_eq!(disk.serve(Operation::Read, 4.0), 20.0);
        // Answered early, but the server is busy for its whole time.
        assert_eq!(disk.serve(Operation::Write, 30.0), 35.0);
        assert_eq!(disk.serve(Operation::Read, 35.0), 60.0);
        let work = disk.work();
        assert_eq!((work.operations, work.waited), (4, 2));
        assert_eq!(
            (work.mean_wait_ns, work.busy_ns),
            ((6.0 + 15.0) / 4.0, 50.0)
        );
    }

    #[test]
    fn several_servers_take_what_comes_until_all_are_busy() {
        let mut flash = Station::new(times(3), false, 0);
        let answered: Vec<f64> = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
            .into_iter()
            .map(|now| flash.serve(Operation::Read, now))
            .collect();
        assert_eq!(answered, [10.0, 11.0, 12.0, 20.0, 21.0, 22.0, 30.0]);
    }

    #[test]
    fn pages_of_a_batch_share_the_servers_and_are_no_single_pages() {
        let mut flash = Station::new(times(4), false, 0);
        // Eight pages of 2 on four servers: two rounds.
        assert_eq!(flash.serve_all(Operation::BatchWrite, 8, 100.0), 104.0);
        assert_eq!(flash.serve_all(Operation::BatchRead, 0, 7.0), 7.0);
        let [reads, writes] = flash.times();
        assert_eq!((reads.operations, writes.operations), (0, 0));
        assert_eq!((flash.work().batch_pages, flash.work().busy_ns), (8, 16.0));
    }

    #[test]
    fn reads_take_longer_the_more_random_writes_are_among_the_latest_operations() {
        let slowed = DeviceTimes {
            beside_writes_ns: 100.0,
            ..times(1)
        };
        let mut flash = Station::new(slowed, false, 0);
        assert_eq!(flash.serve(Operation::Read, 0.0), 10.0);
        for at in 1..2000_u32 {
            flash.serve(Operation::Write, 1e6 * f64::from(at));
        }
        let beside = flash.serve(Operation::Read, 1e10) - 1e10;
        assert!((109.9..=110.0).contains(&beside), "{beside}");
        // Batches neither slow reads nor count among what does.
        flash.serve_all(Operation::BatchWrite, 1000, 2e10);
        let again = flash.serve(Operation::Read, 3e10) - 3e10;
        assert!((109.0..beside).contains(&again), "{again}");
    }

    #[test]
    fn a_device_that_stands_still_serves_what_came_afterwards() {
        let mut disk = Station::new(times(2), false, 0);
        disk.stand_still_until(50.0);
        assert_eq!(disk.serve(Operation::Read, 20.0), 60.0);
        assert_eq!(disk.work().busy_ns, 10.0);
    }
}
