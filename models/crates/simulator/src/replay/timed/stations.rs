//! The devices of a tier on simulated time: each serves several operations at once, first come, first served.

use super::histogram::as_f64;
use super::random::Random;
use super::{DeviceTimes, Operation};

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
    operations: u64,
    waited: u64,
    wait_ns: f64,
    busy_ns: f64,
}

/// What a station did since it was last cleared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    pub(super) operations: u64,
    pub(super) waited: u64,
    pub(super) mean_wait_ns: f64,
    /// Busy time of all servers together. [ns]
    pub(super) busy_ns: f64,
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
            operations: 0,
            waited: 0,
            wait_ns: 0.0,
            busy_ns: 0.0,
        }
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
        let (occupancy, answered) = match operation {
            Operation::Read => (self.times.read_ns, self.times.read_answered_ns),
            Operation::Write => (self.times.write_ns, self.times.write_answered_ns),
        };
        let occupancy = occupancy * length;
        replace_first(heap, start + occupancy);
        self.operations += 1;
        self.waited += u64::from(start > now_ns);
        self.wait_ns += start - now_ns;
        self.busy_ns += occupancy;
        start + answered * length
    }

    /// Forgets what was counted; the queues stay as they are.
    pub(super) fn clear(&mut self) {
        (self.operations, self.waited) = (0, 0);
        (self.wait_ns, self.busy_ns) = (0.0, 0.0);
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
}
