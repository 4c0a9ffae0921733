//! What the devices that map blocks share: their blocks, filled in ascending order, and where each page is.

use std::collections::VecDeque;

use super::device::{NOWHERE, waf, wear};
use super::{FtlResult, Merges, Settings, StreamCounters};

/// No block.
pub(super) const NONE: u32 = u32::MAX;

/// Blocks whose slots are programmed in ascending order, some left out, and the places of the pages.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) block_pages: u32,
    /// Place of each logical page.
    places: Vec<u32>,
    /// Logical page written last to each slot.
    pages: Vec<u32>,
    /// The first slot of each block that can be programmed.
    next: Vec<u32>,
    erased: Vec<u32>,
    /// Erased blocks; the one erased first is taken first.
    free: VecDeque<u32>,
    used: u64,
    trims: u64,
    host_writes: u64,
    moved: u64,
    erases: u64,
    pub(super) merges: Merges,
    before: Option<Vec<u32>>,
}

impl Blocks {
    pub(super) fn new(settings: &Settings) -> Self {
        let count = settings.blocks as usize;
        Self {
            block_pages: settings.block_pages,
            places: vec![NOWHERE; settings.logical_pages as usize],
            pages: vec![NOWHERE; count * settings.block_pages as usize],
            next: vec![0; count],
            erased: vec![0; count],
            free: (0..settings.blocks).collect(),
            used: 0,
            trims: 0,
            host_writes: 0,
            moved: 0,
            erases: 0,
            merges: Merges::default(),
            before: None,
        }
    }

    /// Block and slot of a logical page where every page has its place in its block.
    #[inline]
    pub(super) fn of(&self, page: u32) -> (u32, u32) {
        (page / self.block_pages, page % self.block_pages)
    }

    /// The first slot of a block that can be programmed.
    #[inline]
    pub(super) fn next(&self, block: u32) -> u32 {
        self.next[block as usize]
    }

    /// Takes an erased block; one is always held back.
    pub(super) fn open(&mut self) -> u32 {
        self.free.pop_front().expect("an erased block is held back")
    }

    pub(super) fn erase(&mut self, block: u32) {
        self.next[block as usize] = 0;
        self.erased[block as usize] += 1;
        self.erases += 1;
        self.free.push_back(block);
    }

    /// Writes a page of the host to a slot.
    #[inline]
    pub(super) fn write(&mut self, block: u32, slot: u32, page: u32) {
        self.host_writes += 1;
        self.used += u64::from(self.places[page as usize] == NOWHERE);
        self.program(block, slot, page);
    }

    #[inline]
    fn program(&mut self, block: u32, slot: u32, page: u32) {
        debug_assert!(slot >= self.next[block as usize]);
        self.next[block as usize] = slot + 1;
        let place = block * self.block_pages + slot;
        self.pages[place as usize] = page;
        self.places[page as usize] = place;
    }

    /// Copies what is in use of some slots of a block to the same slots of another; the answer is how many.
    pub(super) fn copy(&mut self, from: u32, to: u32, slots: std::ops::Range<u32>) -> u32 {
        let mut copied = 0;
        for slot in slots.start..slots.end.min(self.next(from)) {
            let place = from * self.block_pages + slot;
            let page = self.pages[place as usize];
            if page != NOWHERE && self.places[page as usize] == place {
                self.program(to, slot, page);
                copied += 1;
            }
        }
        self.moved += u64::from(copied);
        copied
    }

    /// Copies what is in use of a logical block, wherever it is, to a block that is taken if there is any.
    pub(super) fn gather(&mut self, logical: u32) -> u32 {
        let first = logical * self.block_pages;
        let end = self.places.len().min((first + self.block_pages) as usize);
        let mut to = NONE;
        for page in first..u32::try_from(end).unwrap_or(NONE) {
            if self.places[page as usize] != NOWHERE {
                if to == NONE {
                    to = self.open();
                }
                self.program(to, page - first, page);
                self.moved += 1;
            }
        }
        to
    }

    /// The pages in use of a block, in the order of its slots.
    pub(super) fn valid(&self, block: u32) -> impl Iterator<Item = u32> {
        let first = block * self.block_pages;
        (first..first + self.next(block)).filter_map(|place| {
            let page = self.pages[place as usize];
            (page != NOWHERE && self.places[page as usize] == place).then_some(page)
        })
    }

    /// Whether the slots that were programmed hold the pages of a logical block in their order.
    pub(super) fn is_in_order(&self, block: u32, logical: u32) -> bool {
        let first = (block * self.block_pages) as usize;
        let held = &self.pages[first..first + self.next(block) as usize];
        let pages = logical * self.block_pages..;
        held.iter()
            .copied()
            .zip(pages)
            .all(|(held, page)| held == page)
    }

    pub(super) fn forget(&mut self, page: u32) -> bool {
        let place = std::mem::replace(&mut self.places[page as usize], NOWHERE);
        self.used -= u64::from(place != NOWHERE);
        place != NOWHERE
    }

    pub(super) fn trim(&mut self, page: u32) -> bool {
        let was_used = self.forget(page);
        self.trims += u64::from(was_used);
        was_used
    }

    pub(super) fn fetch(&self, pages: impl Iterator<Item = u32>) {
        let mixed = pages.fold(0, |mixed, page| mixed ^ self.places[page as usize]);
        std::hint::black_box(mixed);
    }

    pub(super) fn any_used(&self) -> bool {
        self.used > 0
    }

    pub(super) fn restart_counters(&mut self) {
        self.trims = 0;
        self.host_writes = 0;
        self.moved = 0;
        self.erases = 0;
        self.merges = Merges::default();
        self.before = Some(self.erased.clone());
    }

    pub(super) fn result(&self) -> FtlResult {
        FtlResult {
            host_writes: self.host_writes,
            absorbed: 0,
            trims: self.trims,
            moved: self.moved,
            erases: self.erases,
            merges: self.merges,
            waf: waf(self.host_writes + self.moved, self.host_writes),
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
                moved: self.moved,
            }],
            wear: wear(self.erased.iter().copied(), self.before.as_deref()),
        }
    }

    pub(super) fn contents(&self) -> Vec<Vec<u32>> {
        (0..)
            .take(self.next.len())
            .map(|block| self.valid(block).collect())
            .collect()
    }

    pub(super) fn block_of(&self, page: u32) -> Option<u32> {
        let place = self.places[page as usize];
        (place != NOWHERE).then(|| place / self.block_pages)
    }
}

/// The methods of a device that its blocks have.
macro_rules! of_blocks {
    () => {
        fn trim(&mut self, page: u32) -> bool {
            self.blocks.trim(page)
        }

        fn fetch(&self, pages: impl Iterator<Item = u32>) {
            self.blocks.fetch(pages);
        }

        fn any_used(&self) -> bool {
            self.blocks.any_used()
        }

        fn restart_counters(&mut self) {
            self.blocks.restart_counters();
        }
    };
}
/// The methods of a layer that its blocks have.
macro_rules! layer_of_blocks {
    ($layer:ty) => {
        impl $crate::ftl::device::Layer for $layer {
            fn forget(&mut self, page: u32) -> bool {
                self.blocks.forget(page)
            }

            fn result(&self) -> $crate::ftl::FtlResult {
                self.blocks.result()
            }

            fn contents(&self) -> Vec<Vec<u32>> {
                self.blocks.contents()
            }

            fn block_of(&self, page: u32) -> Option<u32> {
                self.blocks.block_of(page)
            }
        }
    };
}
pub(super) use {layer_of_blocks, of_blocks};
