//! What lies below a buffer: a raw log-structured chip, or a flash device with a translation layer.

use std::collections::BTreeSet;

use super::{Answer, DeviceCounts, Geometry, Refusal, Steps};
use crate::ftl::{Ftl, Settings};
use crate::hash::FastMap;
use crate::wording::counted;

/// A page's worth of content. Sorted as the chip moves them: log records, then pages, then the log proper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Content(u64);

const NUMBER_BITS: u32 = 62;
const NUMBER: u64 = (1 << NUMBER_BITS) - 1;

impl Content {
    /// Log records that were written instead of pages.
    pub(super) fn records(number: u64) -> Self {
        Self(number)
    }

    /// A page of the database.
    pub(super) fn page(number: u64) -> Self {
        Self((1 << NUMBER_BITS) | number)
    }

    /// A page of the log proper.
    pub(super) fn log(number: u64) -> Self {
        Self((2 << NUMBER_BITS) | number)
    }

    /// The number of a page of the database; none for other content.
    pub(super) fn as_page(self) -> Option<u64> {
        (self.0 >> NUMBER_BITS == 1).then_some(self.0 & NUMBER)
    }

    /// The number of a page of log records; none for other content.
    pub(super) fn as_records(self) -> Option<u64> {
        (self.0 >> NUMBER_BITS == 0).then_some(self.0)
    }
}

#[derive(Debug)]
pub(super) enum Medium {
    Chip(Chip),
    Device(Box<Device>),
}

impl Medium {
    pub(super) fn write(&mut self, content: Content, steps: &mut Steps) -> Answer<()> {
        match self {
            Self::Chip(chip) => chip.write(content, steps),
            Self::Device(device) => device.write(content),
        }
    }

    /// Says that content is not needed any more.
    pub(super) fn forget(&mut self, content: Content) {
        match self {
            Self::Chip(chip) => chip.forget(content),
            Self::Device(device) => device.forget(content),
        }
    }

    pub(super) fn counts(&self) -> Answer<DeviceCounts> {
        match self {
            Self::Chip(chip) => Ok(DeviceCounts {
                copied_pages: chip.copied,
                erases: chip.erases,
                live_pages: chip.live_pages(),
            }),
            Self::Device(device) => device.counts(),
        }
    }
}

/// Place of a page that is just being written.
const BEING_WRITTEN: u64 = u64::MAX;

/// A log-structured chip: writes go to erased pages; when one erased block is left, it takes the live
/// pages of the emptiest block, which is erased.
///
/// Only what was written is stored: a page of the database that was not lies where it started, page
/// after page from block 0.
#[derive(Debug)]
pub(super) struct Chip {
    size: u64,
    database_pages: u64,
    place: FastMap<Content, u64>,
    /// What was written to each block; what was written again, or dropped, since is still listed.
    written: FastMap<u64, Vec<Content>>,
    /// Live pages by block; absent: as at the start.
    live: FastMap<u64, u64>,
    /// Closed blocks that are not full of live pages, by live pages, of those that were written to.
    emptiest: BTreeSet<(u64, u64)>,
    open: u64,
    erased: std::ops::Range<u64>,
    left: u64,
    /// Pages of the chip in use beside those of the database.
    others: u64,
    copied: u64,
    erases: u64,
}

impl Chip {
    pub(super) fn new(geometry: Geometry, database_pages: u64) -> Self {
        let size = geometry.block_pages;
        let used = database_pages.div_ceil(size);
        let mut chip = Self {
            size,
            database_pages,
            place: FastMap::default(),
            written: FastMap::default(),
            live: FastMap::default(),
            emptiest: BTreeSet::new(),
            open: used,
            erased: used + 1..geometry.blocks,
            left: size,
            others: 0,
            copied: 0,
            erases: 0,
        };
        chip.note(used - 1);
        chip
    }

    fn live_pages(&self) -> u64 {
        self.database_pages + self.others
    }

    fn first_pages(&self, block: u64) -> std::ops::Range<u64> {
        let first = block * self.size;
        first..(first + self.size).min(self.database_pages).max(first)
    }

    fn live(&self, block: u64) -> u64 {
        let first = self.first_pages(block);
        let all = first.end - first.start;
        self.live.get(&block).copied().unwrap_or(all)
    }

    /// Lists a closed block as one that may be collected.
    fn note(&mut self, block: u64) {
        let live = self.live(block);
        if live < self.size {
            self.emptiest.insert((live, block));
        }
    }

    fn forget(&mut self, content: Content) {
        let page = content.as_page();
        let block = match (self.place.remove(&content), page) {
            (Some(block), _) => block,
            (None, Some(page)) => page / self.size,
            (None, None) => return,
        };
        if page.is_some() {
            self.place.insert(content, BEING_WRITTEN);
        } else {
            self.others -= 1;
        }
        let live = self.live(block);
        self.live.insert(block, live - 1);
        if block != self.open {
            self.emptiest.remove(&(live, block));
            self.emptiest.insert((live - 1, block));
        }
    }

    fn write(&mut self, content: Content, steps: &mut Steps) -> Answer<()> {
        self.forget(content);
        if self.left == 0 {
            self.next_block(steps)?;
        }
        self.program(content);
        self.others += u64::from(content.as_page().is_none());
        Ok(())
    }

    fn program(&mut self, content: Content) {
        self.place.insert(content, self.open);
        self.written.entry(self.open).or_default().push(content);
        let live = self.live(self.open);
        self.live.insert(self.open, live + 1);
        self.left -= 1;
    }

    fn next_block(&mut self, steps: &mut Steps) -> Answer<()> {
        self.note(self.open);
        let next = self.erased.start;
        if self.erased.end - next > 1 {
            self.erased.start += 1;
            self.open = next;
            self.left = self.size;
            return Ok(());
        }
        let Some(&(live, victim)) = self.emptiest.first() else {
            return Err(Refusal {
                part: "blocks",
                place: String::new(),
                value: String::new(),
                message: format!(
                    "the chip is full: all {} live",
                    counted(self.live_pages(), "page is", "pages are")
                ),
                hint: "give more blocks, or a smaller database".to_owned(),
            }
            .into());
        };
        self.emptiest.remove(&(live, victim));
        steps.spend(self.size)?;
        let mut moved = self.written.remove(&victim).unwrap_or_default();
        moved.retain(|content| self.place.get(content) == Some(&victim));
        moved.extend(
            self.first_pages(victim)
                .map(Content::page)
                .filter(|content| !self.place.contains_key(content)),
        );
        moved.sort_unstable();
        moved.dedup();
        self.open = next;
        self.left = self.size;
        self.live.insert(victim, 0);
        for content in moved {
            self.copied += 1;
            self.program(content);
        }
        self.erased = victim..victim + 1;
        self.erases += 1;
        Ok(())
    }
}

/// A flash device with a translation layer: the database on its first pages, everything else on the lowest
/// free ones behind it, trimmed when it is dropped.
#[derive(Debug)]
pub(super) struct Device {
    ftl: Ftl,
    database_pages: u32,
    logical_pages: u32,
    place: FastMap<Content, u32>,
    /// Free again, of those below `next`.
    free: std::collections::BinaryHeap<std::cmp::Reverse<u32>>,
    next: u32,
}

impl Device {
    pub(super) fn new(settings: Settings, database_pages: u64) -> Answer<Self> {
        let database_pages = u32::try_from(database_pages)
            .ok()
            .filter(|&pages| pages <= settings.logical_pages)
            .ok_or_else(|| Refusal {
                part: "database_pages",
                place: String::new(),
                value: database_pages.to_string(),
                message: format!(
                    "exceeds the {} of the flash device",
                    counted(
                        u64::from(settings.logical_pages),
                        "logical page",
                        "logical pages"
                    )
                ),
                hint: "give more blocks, or less spare space".to_owned(),
            })?;
        let mut ftl = Ftl::new(settings)?;
        ftl.write_run(0, database_pages, 0);
        ftl.refused()?;
        ftl.restart_counters();
        Ok(Self {
            ftl,
            database_pages,
            logical_pages: settings.logical_pages,
            place: FastMap::default(),
            free: std::collections::BinaryHeap::new(),
            next: database_pages,
        })
    }

    fn write(&mut self, content: Content) -> Answer<()> {
        let at = match content.as_page() {
            Some(page) => u32::try_from(page).expect("within the database"),
            None => match self.place.get(&content) {
                Some(&at) => at,
                None => self.lay(content)?,
            },
        };
        self.ftl.write_run(at, 1, 0);
        Ok(())
    }

    fn lay(&mut self, content: Content) -> Answer<u32> {
        let at = match self.free.pop() {
            Some(std::cmp::Reverse(at)) => at,
            None if self.next < self.logical_pages => {
                self.next += 1;
                self.next - 1
            }
            None => {
                return Err(Refusal {
                    part: "blocks",
                    place: String::new(),
                    value: String::new(),
                    message: format!(
                        "the flash device is full: all {} in use",
                        counted(
                            u64::from(self.logical_pages),
                            "logical page is",
                            "logical pages are"
                        )
                    ),
                    hint: "give more blocks, or a smaller database".to_owned(),
                }
                .into());
            }
        };
        self.place.insert(content, at);
        Ok(at)
    }

    fn forget(&mut self, content: Content) {
        if let Some(at) = self.place.remove(&content) {
            self.ftl.trim_run(at, 1);
            self.free.push(std::cmp::Reverse(at));
        }
    }

    fn counts(&self) -> Answer<DeviceCounts> {
        self.ftl.refused()?;
        let found = self.ftl.result();
        Ok(DeviceCounts {
            copied_pages: found.moved,
            erases: found.erases,
            live_pages: u64::from(self.database_pages) + self.place.len() as u64,
        })
    }
}
