//! One row for each device, relation or volume.
//!
//! The hits are those of one LRU cache that all devices share: the depth of each access in the one
//! stack of all pages tells at which sizes it hits, so every row says what its device gets out of a
//! cache of 1, 2, 4, 8, ... pages.

use serde::Serialize;

use super::requests::RequestCounts;
use crate::curve::Stack;
use crate::wording::counted;

/// Cache sizes with hits: the powers of two below 2^33.
pub(super) const SIZES: usize = 33;
/// Most devices for which hits are counted: one row of sizes a device.
pub(super) const MOST_WITH_HITS: usize = 1 << 16;
/// Devices listed; the others are summed up.
const LISTED: usize = 1000;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Device {
    pub(super) accesses: u64,
    pub(super) writes: u64,
    pub(super) footprint: u64,
}

/// Counts by device.
#[derive(Debug, Default)]
pub(super) struct Devices {
    counts: Vec<Device>,
    stack: Stack,
    /// Re-references by device and by the smallest of the sizes at which they hit; given up where
    /// there are too many devices.
    hits: Option<Vec<[u64; SIZES]>>,
}

impl Devices {
    pub(super) fn new() -> Self {
        Self {
            hits: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// Of counts that are complete.
    pub(super) fn of_counts(counts: Vec<Device>, hits: Option<Vec<[u64; SIZES]>>) -> Self {
        Self {
            counts,
            hits,
            ..Self::default()
        }
    }

    /// Takes accesses in order; `first` tells those to pages never referenced before.
    pub(super) fn add(
        &mut self,
        distinct_pages: usize,
        accesses: impl Iterator<Item = (u32, u32, bool, bool)>,
    ) {
        self.stack.grow(distinct_pages, 0);
        for (space, page, write, first) in accesses {
            let space = space as usize;
            if space >= self.counts.len() {
                self.grow(space + 1);
            }
            let device = &mut self.counts[space];
            device.accesses += 1;
            device.writes += u64::from(write);
            device.footprint += u64::from(first);
            if let Some(hits) = &mut self.hits {
                let depth = self.stack.reference(page);
                if depth > 0 {
                    hits[space][size_of(depth)] += 1;
                }
            }
        }
    }

    #[cold]
    fn grow(&mut self, devices: usize) {
        self.counts.resize(devices, Device::default());
        if devices > MOST_WITH_HITS {
            self.hits = None;
        }
        if let Some(hits) = &mut self.hits {
            hits.resize(devices, [0; SIZES]);
        }
    }

    pub(super) fn finish(self, names: &[String], requests: &RequestCounts) -> DeviceSummary {
        let mut order: Vec<usize> = (0..self.counts.len()).collect();
        order.retain(|&space| self.counts[space].accesses > 0);
        order.sort_by_key(|&space| (std::cmp::Reverse(self.counts[space].accesses), space));
        let footprint: u64 = self.counts.iter().map(|device| device.footprint).sum();
        // Up to the first size that holds all pages.
        let sizes = (0..SIZES)
            .find(|&size| 1 << size >= footprint)
            .map_or(SIZES, |last| last + 1);
        let row = |name: String, spaces: &[usize]| {
            let sum = |of: &dyn Fn(usize) -> u64| spaces.iter().map(|&space| of(space)).sum();
            let hits = self.hits.as_ref().map(|hits| {
                let mut below = 0;
                (0..sizes)
                    .map(|size| {
                        below += spaces.iter().map(|&space| hits[space][size]).sum::<u64>();
                        below
                    })
                    .collect()
            });
            DeviceRow {
                name,
                accesses: sum(&|space| self.counts[space].accesses),
                write_accesses: sum(&|space| self.counts[space].writes),
                distinct_pages: sum(&|space| self.counts[space].footprint),
                requests: sum(&|space| requests.of_space(space).0),
                sequential_requests: sum(&|space| requests.of_space(space).1),
                hits,
            }
        };
        let (listed, others) = order.split_at(order.len().min(LISTED));
        let name_of = |space: usize| names.get(space).cloned().unwrap_or_default();
        DeviceSummary {
            devices: order.len() as u64,
            cache_pages: (0..sizes).map(|size| 1 << size).collect(),
            rows: listed
                .iter()
                .map(|&space| row(name_of(space), &[space]))
                .collect(),
            others: (!others.is_empty()).then(|| {
                row(
                    counted(others.len(), "further device", "further devices"),
                    others,
                )
            }),
        }
    }
}

/// Number of the smallest size that reaches down to a depth of at least 1.
#[inline]
pub(super) fn size_of(depth: u32) -> usize {
    (u32::BITS - (depth - 1).leading_zeros()) as usize
}

/// Devices with accesses, the most accessed first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceSummary {
    /// All devices with accesses.
    pub devices: u64,
    /// Cache sizes of [`DeviceRow::hits`] [pages]: powers of two, the last one holding all pages.
    pub cache_pages: Vec<u64>,
    /// The most accessed devices, a thousand at most.
    pub rows: Vec<DeviceRow>,
    /// The sum of those that are not listed.
    pub others: Option<DeviceRow>,
}

/// One device, relation or volume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceRow {
    /// Its name as the trace gives it.
    pub name: String,
    /// Page accesses.
    pub accesses: u64,
    /// Those that write.
    pub write_accesses: u64,
    /// Its footprint.
    pub distinct_pages: u64,
    /// Requests that are not empty.
    pub requests: u64,
    /// Those that continue the one before of the device.
    pub sequential_requests: u64,
    /// Hits of the device in an LRU cache of each size that all devices share; `None` of traces with
    /// more than 65,536 devices.
    pub hits: Option<Vec<u64>>,
}

#[cfg(test)]
mod tests {
    use super::size_of;

    #[test]
    fn the_smallest_size_that_hits() {
        let depths = [1, 2, 3, 4, 5, 8, 9, 1 << 31, u32::MAX];
        assert_eq!(depths.map(size_of), [0, 1, 2, 2, 3, 3, 4, 31, 32]);
    }
}
