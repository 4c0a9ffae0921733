//! Zones: a host that only appends, and says itself when a zone is empty.

use std::collections::VecDeque;

use super::buffer::Serves;
use super::device::{Layer, wear};
use super::{FtlResult, Merges, Settings, StreamCounters};
use crate::error::{Error, Result};
use crate::wording::counted;

/// No zone.
const NONE: u32 = u32::MAX;

/// Zoned namespaces (`NVMe` ZNS): zones are written from their beginning to their end and reset as a whole; the device
/// copies nothing.
///
/// The logical pages are regions of one zone each, which the host maps to zones.
///
/// ```text
/// write(page):          r = its region, s = its place there
///     s = 0:            take an empty zone for r
///     else:             s must be what the zone of r was written up to
///     append the page; its former copy is not in use
/// trim(page):           its copy is not in use
/// a zone of which nothing is in use, and which is full or has been left by its region: the host resets it
/// ```
///
/// A write elsewhere, or with no empty zone left, is refused: the host would have to copy.
#[derive(Debug)]
pub(super) struct Zones {
    zone_pages: u32,
    /// Zone of each page in use.
    zone_of: Vec<u32>,
    /// The zone that each region is written to, if it has one, and the pages written to it.
    region: Vec<(u32, u32)>,
    in_use: Vec<u32>,
    /// Whether a zone may be reset once nothing in it is in use.
    closed: Vec<bool>,
    resets: Vec<u32>,
    /// Empty zones; the one reset first is taken first.
    free: VecDeque<u32>,
    used: u64,
    trims: u64,
    host_writes: u64,
    erases: u64,
    before: Option<Vec<u32>>,
    refused: Option<(u32, &'static str)>,
}

impl Zones {
    pub(super) fn new(settings: &Settings) -> Self {
        let count = settings.blocks as usize;
        Self {
            zone_pages: settings.block_pages,
            zone_of: vec![NONE; settings.logical_pages as usize],
            region: vec![(NONE, 0); settings.logical_blocks() as usize],
            in_use: vec![0; count],
            closed: vec![false; count],
            resets: vec![0; count],
            free: (0..settings.blocks).collect(),
            used: 0,
            trims: 0,
            host_writes: 0,
            erases: 0,
            before: None,
            refused: None,
        }
    }

    fn reset_if_empty(&mut self, zone: u32) {
        let at = zone as usize;
        if self.in_use[at] == 0 && self.closed[at] {
            self.closed[at] = false;
            self.resets[at] += 1;
            self.erases += 1;
            self.free.push_back(zone);
        }
    }

    fn refuse(&mut self, page: u32, why: &'static str) {
        self.refused.get_or_insert((page, why));
    }
}

impl Serves for Zones {
    fn write(&mut self, page: u32, _stream: u32) {
        if self.refused.is_some() {
            return;
        }
        let (at, slot) = ((page / self.zone_pages) as usize, page % self.zone_pages);
        let (zone, written) = self.region[at];
        if slot == 0 {
            let Some(next) = self.free.pop_front() else {
                return self.refuse(page, "comes when no zone is empty");
            };
            self.region[at] = (next, 0);
            if zone != NONE {
                self.closed[zone as usize] = true;
                self.reset_if_empty(zone);
            }
        } else if zone == NONE || slot != written {
            return self.refuse(page, "is not where its zone was written up to");
        }
        self.forget(page);
        let (zone, written) = self.region[at];
        self.region[at].1 = written + 1;
        if written + 1 == self.zone_pages || page as usize + 1 == self.zone_of.len() {
            self.closed[zone as usize] = true;
            self.region[at] = (NONE, 0);
        }
        self.zone_of[page as usize] = zone;
        self.in_use[zone as usize] += 1;
        self.used += 1;
        self.host_writes += 1;
    }

    fn trim(&mut self, page: u32) -> bool {
        let was_used = self.forget(page);
        self.trims += u64::from(was_used);
        was_used
    }

    fn fetch(&self, pages: impl Iterator<Item = u32>) {
        let mixed = pages.fold(0, |mixed, page| mixed ^ self.zone_of[page as usize]);
        std::hint::black_box(mixed);
    }

    fn any_used(&self) -> bool {
        self.used > 0
    }

    fn restart_counters(&mut self) {
        self.trims = 0;
        self.host_writes = 0;
        self.erases = 0;
        self.before = Some(self.resets.clone());
    }
}

impl Layer for Zones {
    fn forget(&mut self, page: u32) -> bool {
        let zone = std::mem::replace(&mut self.zone_of[page as usize], NONE);
        if zone == NONE {
            return false;
        }
        self.in_use[zone as usize] -= 1;
        self.used -= 1;
        self.reset_if_empty(zone);
        true
    }

    fn result(&self) -> FtlResult {
        FtlResult {
            host_writes: self.host_writes,
            absorbed: 0,
            trims: self.trims,
            moved: 0,
            erases: self.erases,
            merges: Merges::default(),
            waf: (self.host_writes > 0).then_some(1.0),
            waf_without_trim: None,
            erases_without_trim: None,
            waf_one_stream: None,
            erases_one_stream: None,
            metadata_pages: None,
            metadata_writes: None,
            metadata_layout: None,
            used_pages: self.used,
            streams: vec![StreamCounters {
                host_writes: self.host_writes,
                moved: 0,
            }],
            wear: wear(self.resets.iter().copied(), self.before.as_deref()),
        }
    }

    fn contents(&self) -> Vec<Vec<u32>> {
        let mut contents = vec![Vec::new(); self.resets.len()];
        for (page, &zone) in (0..).zip(&self.zone_of) {
            if zone != NONE {
                contents[zone as usize].push(page);
            }
        }
        contents
    }

    fn block_of(&self, page: u32) -> Option<u32> {
        let zone = self.zone_of[page as usize];
        (zone != NONE).then_some(zone)
    }

    fn refused(&self) -> Result<()> {
        self.refused.map_or(Ok(()), |(page, why)| {
            Err(Error::BadParameter {
                name: "mapping",
                value: "zones".to_owned(),
                message: format!("page {page} {why}, and the device copies nothing"),
                hint: format!(
                    "append to whole zones of {}, as sequential writes, face, ram_filter and bcache with buckets of a zone do, with one spare zone for each that is open; or use another mapping",
                    counted(u64::from(self.zone_pages), "page", "pages")
                ),
            })
        })
    }
}
