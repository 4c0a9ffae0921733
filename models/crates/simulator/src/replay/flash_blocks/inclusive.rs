//! Blocks under the inclusive scheme.

use super::future::BlockFuture;
use super::map::{BlockMap, Place};
use super::order::BlockOrder;
use super::{BlockCounters, Division, add_up, find, update};
use crate::access::Chunk;
use crate::error::Result;
use crate::replay::admission::Admission;
use crate::replay::bits::BitSet;
use crate::replay::lists::NO_PAGE;
use crate::replay::policies::AnyPolicy;
use crate::replay::settings::Settings;
use crate::replay::tier::{Tier, Victim};
use crate::replay::timed::Contents;
use crate::replay::translation::Below;
use crate::replay::two_tier::{Flow, SchemeCounters};
use crate::replay::{Fill, Machine, Totals};

/// Inclusive over blocks: the block of every RAM page is on flash. Blocks are whole, so the two
/// techniques are one.
///
/// ```text
/// if pg in RAM: return pg
/// evict v_r if RAM is full; if dirty, write it to its place in its block (block MRU, dirty)
/// if pg's block is on flash: read pg (block MRU)
/// else: evict the first block without pages in RAM, if flash is full, to disk if dirty;
///           if all have some: the least recent block, and its pages leave RAM with it
///       read the block from disk, write it to flash (MRU, clean)
/// pg enters RAM, clean
/// ```
///
/// Blocks with pages in RAM are guarded, as pages of RAM are where flash pages are RAM pages. The first
/// block without is that of the policy of flash; the least recent one of all is so under every policy.
///
/// Behind an assignment of categories a page may be in RAM whose block is not on flash:
///
/// ```text
/// v_r's block is not on flash: if dirty, write it to disk
/// pg's block is not on flash, and pg is not admitted: read pg from disk; flash stays as it is
/// ```
pub(super) struct InclusiveBlocks<F, A, D> {
    map: BlockMap,
    /// If the policy of flash needs it.
    future: Option<BlockFuture>,
    block_pages: u32,
    flash_blocks: u32,
    ram: Tier<AnyPolicy>,
    admission: A,
    /// Blocks on flash; guarded are those with pages in RAM.
    flash: F,
    dirty: BitSet,
    /// Pages of each block that are in RAM.
    in_ram: Vec<u64>,
    /// The page at each place of each block.
    pages: Vec<u32>,
    counters: SchemeCounters,
    blocks: BlockCounters,
    below: D,
}

impl<F: BlockOrder, A: Admission, D: Below> InclusiveBlocks<F, A, D> {
    pub(super) fn new(
        (ram_pages, ram): (u32, &Settings),
        (flash_pages, flash): (u32, &Settings),
        division: Division,
    ) -> Self {
        Self {
            map: BlockMap::new(division.block_pages),
            future: None,
            block_pages: division.block_pages,
            flash_blocks: division.flash_blocks,
            ram: Tier::configured(ram_pages, ram).expecting_removal(),
            admission: A::new(flash_pages),
            flash: F::new(division.flash_blocks, flash),
            dirty: BitSet::default(),
            in_ram: Vec::new(),
            pages: Vec::new(),
            counters: SchemeCounters::default(),
            blocks: BlockCounters::default(),
            below: D::default(),
        }
    }

    /// For the blocks that are known.
    fn make_room(&mut self) {
        let blocks = self.map.blocks();
        self.flash.grow(blocks);
        self.dirty.grow(blocks);
        self.in_ram.resize(blocks, 0);
        self.pages
            .resize(blocks * self.block_pages as usize, NO_PAGE);
        self.below.grow(blocks);
    }

    fn evict_from_ram(&mut self, incoming: u32) {
        let Some(victim) = self.ram.evict_if_full(incoming) else {
            return;
        };
        self.counters.ram_evictions += 1;
        self.admission.on_exit(victim);
        let place = self.map.place(victim.page);
        if A::CAN_REJECT && !self.flash.contains(place.block) {
            self.in_ram[place.block as usize] &= !place.bit();
            self.counters.refuse(victim);
            self.blocks.hdd_page_writes += u64::from(victim.dirty);
            return;
        }
        self.counters.victims_found_on_flash += 1;
        let rest = &mut self.in_ram[place.block as usize];
        *rest &= !place.bit();
        let alone = *rest == 0;
        if !victim.dirty {
            if alone {
                self.flash.release(place.block);
            }
            return;
        }
        self.counters.ram_dirty_evictions += 1;
        self.counters.flash_write_backs += 1;
        self.blocks.flash_page_writes += 1;
        self.below
            .write_in_block(place.block, place.index.into(), 1);
        self.blocks.flash_page_overwrites += 1;
        update(&mut self.counters, &mut self.below, place.block);
        self.dirty.insert(place.block);
        if alone {
            self.flash.hit_and_release(place.block);
        } else {
            self.flash.hit_guarded(place.block);
        }
    }

    fn read(&mut self, place: Place) {
        self.counters.flash_hits += 1;
        self.blocks.flash_page_reads += 1;
        update(&mut self.counters, &mut self.below, place.block);
        if self.in_ram[place.block as usize] == 0 {
            self.flash.hit_and_guard(place.block);
        } else {
            self.flash.hit_guarded(place.block);
        }
    }

    fn fill(&mut self, place: Place) {
        self.counters.flash_misses += 1;
        if self.flash.len() == self.flash_blocks {
            self.evict_from_flash(place.block);
        }
        self.blocks.hdd_block_reads += 1;
        self.counters.flash_fills += 1;
        self.blocks.flash_block_writes += 1;
        self.below.write_in_block(place.block, 0, self.block_pages);
        self.blocks.flash_frames_taken += 1;
        update(&mut self.counters, &mut self.below, place.block);
        self.flash.insert_guarded(place.block);
    }

    fn evict_from_flash(&mut self, incoming: u32) {
        let block = self.flash.evict(incoming, &self.dirty);
        let mut dirty = self.dirty.take(block);
        let mut rest = std::mem::take(&mut self.in_ram[block as usize]);
        while rest != 0 {
            let first = block as usize * self.block_pages as usize;
            let page = self.pages[first + rest.trailing_zeros() as usize];
            rest &= rest - 1;
            let changed = self.ram.remove(page);
            self.admission.on_exit(Victim {
                page,
                dirty: changed,
            });
            dirty |= changed;
            self.blocks.ram_back_invalidations += 1;
        }
        self.counters.flash_evictions += 1;
        self.below.leave(block);
        update(&mut self.counters, &mut self.below, block);
        if dirty {
            self.counters.hdd_writes += 1;
            self.blocks.hdd_block_writes += 1;
            self.blocks.hdd_block_pages_written += u64::from(self.block_pages);
        }
    }
}

impl<F: BlockOrder, A: Admission, D: Below> Machine for InclusiveBlocks<F, A, D> {
    const NEEDS_ADDRESSES: bool = true;
    const NEEDS_TIMES: bool = A::NEEDS_TIMES;

    fn grow(&mut self, pages: usize) {
        self.ram.grow(pages);
        self.admission.grow(pages);
    }

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.admission.classify(chunk, spaces)
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) -> Result<()> {
        self.map.locate(pages, spaces, addresses);
        self.make_room();
        let block_pages = self.block_pages as usize;
        for &page in pages {
            let place = self.map.place(page);
            let first = place.block as usize * block_pages;
            self.pages[first + usize::from(place.index)] = page;
        }
        Ok(())
    }

    fn expect(&mut self, spaces: &[u32], addresses: &[u64], first_accesses: &[u32]) {
        self.map.locate_all(spaces, addresses);
        let future = BlockFuture::new(&self.map, self.block_pages, first_accesses);
        self.future = Some(future);
    }

    fn fetch(&self, pages: &[u32]) {
        self.ram.fetch(pages);
    }

    fn foresee(&mut self, page: u32, next_access: u32) {
        self.ram.foresee(page, next_access);
        if let Some(future) = &mut self.future {
            let place = self.map.place(page);
            let next_access = future.pass(place, next_access);
            self.flash.foresee(place.block, next_access);
        }
    }

    fn access(&mut self, page: u32, write: bool) {
        if self.ram.contains(page) {
            self.counters.ram_hits += 1;
            self.ram.on_hit(page);
            self.ram.soil(page, write);
            self.admission.on_access(page, write, true);
            return;
        }
        self.admission.on_access(page, write, false);
        let place = self.map.place(page);
        find(&mut self.counters, &mut self.below, place.block);
        let on_flash = self.flash.contains(place.block);
        self.evict_from_ram(page);
        if on_flash {
            self.admission.on_flash_hit(page);
            self.read(place);
        } else if A::CAN_REJECT && !self.admission.admits_at_miss(page) {
            self.counters.flash_misses += 1;
            self.blocks.hdd_page_reads += 1;
        } else {
            self.fill(place);
        }
        self.in_ram[place.block as usize] |= place.bit();
        self.ram.insert(page, write);
    }

    fn fill(&self) -> Fill {
        Fill::of_blocks(self.flash.len(), self.flash_blocks)
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        self.map.recount(totals.distinct_pages)?;
        self.ram.recount("RAM")?;
        self.flash.recount()?;
        let pages = u32::try_from(totals.distinct_pages).map_err(|error| error.to_string())?;
        let mut in_ram = vec![0; self.in_ram.len()];
        for page in (0..pages).filter(|&page| self.ram.contains(page)) {
            let place = self.map.place(page);
            in_ram[place.block as usize] |= place.bit();
        }
        if in_ram != self.in_ram {
            return Err("the blocks and RAM disagree about the pages in RAM".to_owned());
        }
        let mut guarded = 0;
        for (block, &in_ram) in (0..).zip(&in_ram) {
            if self.flash.contains(block) {
                let has_pages = in_ram != 0;
                if has_pages != self.flash.is_guarded(block) {
                    return Err(format!("the guard of block {block} and RAM disagree"));
                }
                guarded += usize::from(has_pages);
            }
        }
        let with_pages = in_ram.iter().filter(|&&pages| pages != 0).count();
        if guarded > with_pages || guarded < with_pages && !A::CAN_REJECT {
            return Err(format!(
                "{guarded} blocks with pages in RAM are on flash, of {with_pages}"
            ));
        }
        if let Some(block) = self.dirty.iter().find(|&block| !self.flash.contains(block)) {
            return Err(format!("block {block} is dirty on flash but not there"));
        }
        let left = u64::from(self.flash.len());
        let misses = self.counters.flash_hits + self.counters.flash_misses;
        let left_ram = self.counters.ram_evictions + self.blocks.ram_back_invalidations;
        if self.flash.len() > self.flash_blocks
            || self.counters.flash_fills != self.counters.flash_evictions + left
            || misses != left_ram + u64::from(self.ram.len())
            || self.counters.hdd_writes > totals.write_accesses
        {
            return Err(format!(
                "{} blocks came to a flash of {}, {} left it and {left} are there; {misses} RAM misses, {left_ram} pages gone, {} left; {} disk writes",
                self.counters.flash_fills,
                self.flash_blocks,
                self.counters.flash_evictions,
                self.ram.len(),
                self.counters.hdd_writes
            ));
        }
        self.below.recount(self.flash.len(), &self.counters)?;
        add_up(&self.counters, &self.blocks, totals)
    }
}

impl<F: BlockOrder, A: Admission, D: Below> Flow for InclusiveBlocks<F, A, D> {
    type Below = D;
    type Rule = A;

    fn below(&mut self) -> &mut D {
        &mut self.below
    }

    fn counters(&self) -> SchemeCounters {
        self.counters
    }

    fn blocks(&self) -> BlockCounters {
        self.blocks
    }

    fn frame_pages(&self) -> u32 {
        self.block_pages
    }

    /// Of a dirty block every page counts as dirty: one bit does not say which.
    fn contents(&self) -> Contents {
        let pages = u64::from(self.block_pages);
        Contents {
            ram: self.ram.len().into(),
            ram_dirty: self.ram.dirty_pages(),
            flash: u64::from(self.flash.len()) * pages,
            flash_dirty: self.dirty.len() * pages,
        }
    }

    fn is_newer_than_disk(&self, page: u32) -> bool {
        self.ram.is_dirty(page) || self.dirty.contains(self.map.place(page).block)
    }

    fn admission(&mut self) -> Option<&mut A> {
        Some(&mut self.admission)
    }

    fn come_back(&mut self, crashed: &mut Self) {
        self.take_over(crashed);
        // Where pages lie, and when they are accessed, is of the trace.
        std::mem::swap(&mut self.map, &mut crashed.map);
        self.future = crashed.future.take();
        std::mem::swap(&mut self.pages, &mut crashed.pages);
        self.make_room();
    }
}
