//! Lengths of the requests, and how often one continues the one before.
//!
//! A request *continues* the one before it of the same device if it begins where that one ended, in
//! whatever unit the trace counts: bytes of block traces, pages of page-native ones. A *run* is a
//! longest chain of requests of which each continues the one before; a request that continues nothing
//! and is continued by nothing is a run of one. Requests of length 0 are no part of this.

use serde::{Deserialize, Serialize};

use super::bins::{BINS, Distribution, LogCounts, highest_of, lowest_of};

/// What lengths and addresses count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RequestUnit {
    /// Bytes, before requests are split into pages.
    Bytes,
    /// Pages or keys.
    Pages,
}

/// The last request of a device and the run that it is in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Stream {
    /// Last byte or page of the last request.
    end: u64,
    /// Requests of the present run; 0 before the first request.
    run: u64,
    requests: u64,
    sequential: u64,
    /// First byte or page of its first request.
    #[serde(default)]
    first: u64,
    /// Requests of its first run, once that has ended and if it is open at its beginning; else 0.
    #[serde(default)]
    head: u64,
}

/// Takes the requests of a trace, one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requests {
    unit: RequestUnit,
    reads: LogCounts,
    writes: LogCounts,
    read_amount: u64,
    write_amount: u64,
    runs: LogCounts,
    in_runs: LogCounts,
    longest_run: u64,
    streams: Vec<Stream>,
    /// Something may come before the first request, whose run it continues.
    #[serde(default)]
    of_part: bool,
}

impl Requests {
    /// Of a trace that counts in `unit`.
    pub fn new(unit: RequestUnit) -> Self {
        Self {
            unit,
            reads: LogCounts::default(),
            writes: LogCounts::default(),
            read_amount: 0,
            write_amount: 0,
            runs: LogCounts::default(),
            in_runs: LogCounts::default(),
            longest_run: 0,
            streams: Vec::new(),
            of_part: false,
        }
    }

    /// Of a part of a trace that counts in `unit`; such parts can be joined.
    pub fn of_part(unit: RequestUnit) -> Self {
        Self {
            of_part: true,
            ..Self::new(unit)
        }
    }

    /// Whether they can be joined.
    pub(crate) fn is_of_part(&self) -> bool {
        self.of_part
    }

    /// What lengths and addresses count.
    pub(crate) const fn unit(&self) -> RequestUnit {
        self.unit
    }

    /// Devices up to the last one with a request.
    pub(crate) fn devices(&self) -> u32 {
        u32::try_from(self.streams.len()).unwrap_or(u32::MAX)
    }

    /// Takes the next request.
    #[inline]
    pub fn add(&mut self, space: u32, offset: u64, size: u64, write: bool) {
        if size == 0 {
            return;
        }
        let space = space as usize;
        if space >= self.streams.len() {
            self.streams.resize(space + 1, Stream::default());
        }
        let (sizes, amount) = if write {
            (&mut self.writes, &mut self.write_amount)
        } else {
            (&mut self.reads, &mut self.read_amount)
        };
        sizes.add(size);
        *amount = amount.saturating_add(size);
        let stream = &mut self.streams[space];
        stream.requests += 1;
        // Compared with the last unit, not with the first behind it: that may be no number.
        if stream.run > 0 && offset > 0 && offset - 1 == stream.end {
            stream.sequential += 1;
            stream.run += 1;
        } else {
            let ended = std::mem::replace(&mut stream.run, 1);
            if ended == 0 {
                stream.first = offset;
            } else if self.of_part && stream.head == 0 {
                stream.head = ended;
            } else {
                self.end_run(ended);
            }
        }
        let stream = &mut self.streams[space];
        stream.end = offset.saturating_add(size - 1);
    }

    fn end_run(&mut self, requests: u64) {
        if requests > 0 {
            self.runs.add(requests);
            self.in_runs.add_weighted(requests, requests);
            self.longest_run = self.longest_run.max(requests);
        }
    }

    /// Takes the requests of the part that comes next; `numbers` are those of its devices here.
    pub(crate) fn append(&mut self, next: &Self, numbers: &[u32]) {
        self.reads.add_all(&next.reads);
        self.writes.add_all(&next.writes);
        self.read_amount = self.read_amount.saturating_add(next.read_amount);
        self.write_amount = self.write_amount.saturating_add(next.write_amount);
        self.runs.add_all(&next.runs);
        self.in_runs.add_all(&next.in_runs);
        self.longest_run = self.longest_run.max(next.longest_run);
        for (later, &number) in next.streams.iter().zip(numbers) {
            if later.run == 0 {
                continue;
            }
            let number = number as usize;
            if number >= self.streams.len() {
                self.streams.resize(number + 1, Stream::default());
            }
            let mut here = self.streams[number];
            if here.run == 0 {
                self.streams[number] = *later;
                continue;
            }
            here.requests += later.requests;
            here.sequential += later.sequential;
            let mut run = here.run;
            if later.first > 0 && later.first - 1 == here.end {
                here.sequential += 1;
            } else {
                self.end_run_of(&mut here, run);
                run = 0;
            }
            if later.head > 0 {
                self.end_run_of(&mut here, run + later.head);
                run = 0;
            }
            here.run = run + later.run;
            here.end = later.end;
            self.streams[number] = here;
        }
    }

    /// Ends a run of a device, which stays open at its beginning if it is the first one of the part.
    fn end_run_of(&mut self, stream: &mut Stream, requests: u64) {
        if stream.head == 0 {
            stream.head = requests;
        } else {
            self.end_run(requests);
        }
    }

    /// Whether the counts fit a part with so many devices and accesses.
    pub(crate) fn fits(&self, spaces: usize, accesses: u64) -> bool {
        let sum = |of: fn(&Stream) -> u64| {
            self.streams
                .iter()
                .try_fold(0_u64, |sum, stream| sum.checked_add(of(stream)))
        };
        let within = |sum: Option<u64>| sum.is_some_and(|sum| sum <= accesses);
        self.of_part
            && self.streams.len() <= spaces
            && within(sum(|stream| stream.requests))
            && within(sum(|stream| stream.sequential))
            && within(sum(|stream| stream.run))
            && within(sum(|stream| stream.head))
    }

    /// What was counted.
    pub fn finish(mut self) -> RequestCounts {
        for stream in std::mem::take(&mut self.streams) {
            self.end_run(stream.head);
            self.end_run(stream.run);
            self.streams.push(stream);
        }
        let column = |of: fn(&Stream) -> u64| self.streams.iter().map(of).collect();
        RequestCounts {
            unit: self.unit,
            reads: self.reads.to_pairs(),
            writes: self.writes.to_pairs(),
            read_amount: self.read_amount,
            write_amount: self.write_amount,
            runs: self.runs.to_pairs(),
            run_requests: self.in_runs.to_pairs(),
            longest_run: self.longest_run,
            space_requests: column(|stream| stream.requests),
            space_sequential: column(|stream| stream.sequential),
        }
    }
}

/// The counts as a canonical trace keeps them: bins by their number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestCounts {
    unit: RequestUnit,
    reads: Vec<(usize, u64)>,
    writes: Vec<(usize, u64)>,
    read_amount: u64,
    write_amount: u64,
    runs: Vec<(usize, u64)>,
    run_requests: Vec<(usize, u64)>,
    longest_run: u64,
    space_requests: Vec<u64>,
    space_sequential: Vec<u64>,
}

impl RequestCounts {
    /// Requests of a device that are not empty, and those among them that continue the one before.
    pub fn of_space(&self, space: usize) -> (u64, u64) {
        let at = |column: &[u64]| column.get(space).copied().unwrap_or(0);
        (at(&self.space_requests), at(&self.space_sequential))
    }

    /// What is wrong with counts that were read from a file, if anything is.
    ///
    /// # Errors
    /// A sentence.
    pub fn check(&self, requests: u64, spaces: usize) -> Result<(), String> {
        let summary = self.summary().ok_or("request counts have a bin too many")?;
        let sum = |column: &[u64]| {
            column
                .iter()
                .try_fold(0_u64, |all, &one| all.checked_add(one))
        };
        let sequential = sum(&self.space_sequential);
        if self.space_requests.len() > spaces
            || self.space_sequential.len() != self.space_requests.len()
            || sum(&self.space_requests) != Some(requests)
            || summary.requests != requests
            || sequential != Some(summary.sequential)
        {
            return Err(format!(
                "its request counts disagree with its {requests} requests on {spaces} devices"
            ));
        }
        let in_runs: u64 = summary.runs.requests.iter().sum();
        let runs: u64 = summary.runs.runs.iter().sum();
        if in_runs != requests || sequential.is_none_or(|sequential| runs + sequential != requests)
        {
            return Err(format!(
                "{runs} runs of {in_runs} requests are not made of its {requests} requests"
            ));
        }
        Ok(())
    }

    /// The counts as they are shown; `None` if a bin does not exist.
    pub fn summary(&self) -> Option<RequestSummary> {
        let counts = LogCounts::from_pairs;
        let (runs, run_requests) = (counts(&self.runs)?, counts(&self.run_requests)?);
        let sizes = Distribution::new(&counts(&self.reads)?, &counts(&self.writes)?);
        let bins: Vec<usize> = (0..BINS).filter(|&bin| runs.at(bin) > 0).collect();
        Some(RequestSummary {
            unit: self.unit,
            requests: sizes.sum(),
            sizes,
            read_amount: self.read_amount,
            write_amount: self.write_amount,
            sequential: self
                .space_sequential
                .iter()
                .try_fold(0_u64, |all, &one| all.checked_add(one))?,
            runs: Runs {
                lowest: bins.iter().map(|&bin| lowest_of(bin)).collect(),
                highest: bins.iter().map(|&bin| highest_of(bin)).collect(),
                runs: bins.iter().map(|&bin| runs.at(bin)).collect(),
                requests: bins.iter().map(|&bin| run_requests.at(bin)).collect(),
            },
            longest_run: self.longest_run,
        })
    }
}

/// Runs by the number of their requests, in logarithmic bins; empty ones are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Runs {
    /// Fewest requests of each bin.
    pub lowest: Vec<u64>,
    /// Most requests of each bin.
    pub highest: Vec<u64>,
    /// Runs in each bin.
    pub runs: Vec<u64>,
    /// Requests of those runs.
    pub requests: Vec<u64>,
}

/// Lengths and order of the requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RequestSummary {
    /// What lengths count.
    pub unit: RequestUnit,
    /// Requests that are not empty.
    pub requests: u64,
    /// Requests by length.
    pub sizes: Distribution,
    /// Sum of the lengths of the reads.
    pub read_amount: u64,
    /// Sum of the lengths of the writes.
    pub write_amount: u64,
    /// Requests that continue the one before of their device.
    pub sequential: u64,
    /// Runs by length.
    pub runs: Runs,
    /// Requests of the longest run.
    pub longest_run: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests of three devices, many of which continue the one before.
    fn requests(seed: u64, count: usize) -> Vec<(u32, u64, u64, bool)> {
        let mut state = seed;
        let mut ends: std::collections::BTreeMap<u32, u64> = std::collections::BTreeMap::new();
        let mut draw = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        (0..count)
            .map(|_| {
                let space = u32::try_from(draw(3)).unwrap_or(0);
                let end = ends.entry(space).or_insert(7);
                let offset = if draw(4) > 0 { *end } else { draw(50) };
                let size = draw(5);
                *end = offset + size;
                (space, offset, size, draw(2) == 0)
            })
            .collect()
    }

    fn counted(of: Requests, requests: &[(u32, u64, u64, bool)]) -> Requests {
        let mut counted = of;
        for &(space, offset, size, write) in requests {
            counted.add(space, offset, size, write);
        }
        counted
    }

    #[test]
    fn parts_of_requests_join_to_those_of_the_whole() {
        for seed in 0..300_usize {
            let all = requests(seed as u64, 40);
            let whole = counted(Requests::new(RequestUnit::Bytes), &all).finish();
            let cuts = [0, seed % 7, 9, 9 + seed % 11, 40];
            let parts: Vec<Requests> = cuts
                .windows(2)
                .map(|cut| counted(Requests::of_part(RequestUnit::Bytes), &all[cut[0]..cut[1]]))
                .collect();
            let numbers = [0, 1, 2];
            let mut left = parts[0].clone();
            for part in &parts[1..] {
                left.append(part, &numbers);
            }
            let (mut first, mut second) = (parts[0].clone(), parts[2].clone());
            first.append(&parts[1], &numbers);
            second.append(&parts[3], &numbers);
            first.append(&second, &numbers);
            for mut joined in [left.finish(), first.finish()] {
                joined.space_requests.resize(whole.space_requests.len(), 0);
                joined
                    .space_sequential
                    .resize(whole.space_requests.len(), 0);
                assert_eq!(joined, whole, "seed {seed}");
            }
        }
    }
}
