//! Blocks under the schemes that write to flash what RAM evicts: exclusive and lazy.

use super::future::BlockFuture;
use super::map::{BlockMap, Place};
use super::{BlockCounters, Division, add_up, find, look_up, update};
use crate::access::Chunk;
use crate::error::Result;
use crate::replay::admission::Admission;
use crate::replay::policies::AnyPolicy;
use crate::replay::settings::Settings;
use crate::replay::tier::{Tier, Victim};
use crate::replay::timed::Contents;
use crate::replay::translation::Below;
use crate::replay::two_tier::{Flow, SchemeCounters};
use crate::replay::{Fill, Machine, Totals};

/// Exclusive or lazy over blocks.
///
/// ```text
/// if pg in RAM: return pg
/// if pg is valid on flash: read it (block MRU); exclusive and invalidating: it is valid no more
/// if RAM is full: stage v_r
/// if pg was not on flash: read it from disk
/// pg enters RAM
///
/// stage v_r: lazy, valid on flash and clean: nothing
///            refused by the admission rule: to disk if dirty, and then its copy is valid no more; an assignment of
///                categories refuses no page that is valid on flash
///            its block is not on flash: evict a block if flash is full, to disk if dirty;
///                overwriting: read the block from disk, write it to flash; if lazy and clean: done
///                invalidating: take a frame without valid pages
///            write v_r to its place in the block (block MRU), which is dirty if v_r is
/// ```
pub(super) struct StagedBlocks<A, D> {
    exclusive: bool,
    invalidating: bool,
    map: BlockMap,
    /// If the policy of flash needs it.
    future: Option<BlockFuture>,
    ram: Tier<AnyPolicy>,
    flash: Tier<AnyPolicy>,
    admission: A,
    /// All pages of a block.
    whole: u64,
    /// Valid pages of each block; none of a block that is not on flash.
    valid: Vec<u64>,
    /// Pages written since the block took its frame.
    written: Vec<u64>,
    counters: SchemeCounters,
    blocks: BlockCounters,
    below: D,
}

impl<A: Admission, D: Below> StagedBlocks<A, D> {
    pub(super) fn new(
        exclusive: bool,
        (ram_pages, ram): (u32, &Settings),
        (flash_pages, flash): (u32, &Settings),
        division: Division,
    ) -> Self {
        Self {
            exclusive,
            invalidating: division.invalidating,
            map: BlockMap::new(division.block_pages),
            future: None,
            ram: Tier::configured(ram_pages, ram),
            flash: Tier::configured(division.flash_blocks, flash).expecting_removal(),
            admission: A::new(flash_pages),
            whole: u64::MAX >> (64 - division.block_pages),
            valid: Vec::new(),
            written: Vec::new(),
            counters: SchemeCounters::default(),
            blocks: BlockCounters::default(),
            below: D::default(),
        }
    }

    /// For the blocks that are known.
    fn make_room(&mut self) {
        let blocks = self.map.blocks();
        self.flash.grow(blocks);
        self.valid.resize(blocks, 0);
        self.written.resize(blocks, 0);
        self.below.grow(blocks);
    }

    #[inline]
    fn is_valid(&self, place: Place) -> bool {
        self.valid[place.block as usize] & place.bit() != 0
    }

    /// Makes a valid page invalid; tells whether its block is dirty.
    fn invalidate(&mut self, place: Place) -> bool {
        let block = place.block as usize;
        self.valid[block] &= !place.bit();
        let dirty = if self.valid[block] == 0 {
            self.written[block] = 0;
            self.blocks.flash_blocks_emptied += 1;
            self.below.leave(place.block);
            self.flash.remove(place.block)
        } else {
            self.below.drop_from_block(place.block, place.index.into());
            self.flash.is_dirty(place.block)
        };
        update(&mut self.counters, &mut self.below, place.block);
        dirty
    }

    /// Reads a page that is valid on flash; tells whether it is dirty in RAM then.
    fn read(&mut self, place: Place) -> bool {
        self.counters.flash_hits += 1;
        self.blocks.flash_page_reads += 1;
        self.flash.on_hit(place.block);
        if self.exclusive && self.invalidating {
            return self.invalidate(place);
        }
        update(&mut self.counters, &mut self.below, place.block);
        false
    }

    fn stage(&mut self, victim: Victim) {
        let place = self.map.place(victim.page);
        let valid = self.is_valid(place);
        look_up(&mut self.counters, &mut self.below, place.block);
        self.counters.ram_evictions += 1;
        self.counters.ram_dirty_evictions += u64::from(victim.dirty);
        self.counters.victims_found_on_flash += u64::from(valid);
        self.admission.on_exit(victim);
        if !self.exclusive && valid && !victim.dirty {
            return;
        }
        if A::CAN_REJECT && !(A::KEEPS_COPIES && valid) && !self.admission.admits(victim) {
            self.counters.rejections += 1;
            if victim.dirty {
                self.counters.dirty_rejections += 1;
                self.counters.hdd_writes += 1;
                self.blocks.hdd_page_writes += 1;
                if valid {
                    self.counters.flash_invalidations += 1;
                    self.invalidate(place);
                }
            }
            return;
        }
        let is_new = !self.flash.contains(place.block);
        if is_new {
            self.take_frame(place.block);
            if !self.exclusive && !self.invalidating && !victim.dirty {
                return;
            }
        }
        self.write(place, victim.dirty, is_new);
    }

    /// Brings a block to flash that is not there.
    fn take_frame(&mut self, block: u32) {
        if let Some(old) = self.flash.evict_if_full(block) {
            self.counters.flash_evictions += 1;
            let pages = std::mem::take(&mut self.valid[old.page as usize]);
            self.written[old.page as usize] = 0;
            self.below.leave(old.page);
            update(&mut self.counters, &mut self.below, old.page);
            if old.dirty {
                self.counters.hdd_writes += 1;
                self.blocks.hdd_block_writes += 1;
                self.blocks.hdd_block_pages_written += u64::from(pages.count_ones());
            }
        }
        update(&mut self.counters, &mut self.below, block);
        self.blocks.flash_frames_taken += 1;
        self.flash.insert(block, false);
        if !self.invalidating {
            self.counters.hdd_block_fetches += 1;
            self.blocks.hdd_block_reads += 1;
            self.counters.flash_fills += 1;
            self.blocks.flash_block_writes += 1;
            self.below.write_in_block(block, 0, self.whole.count_ones());
            self.valid[block as usize] = self.whole;
            self.written[block as usize] = self.whole;
        }
    }

    /// Writes a RAM victim to its place in a block on flash.
    fn write(&mut self, place: Place, dirty: bool, is_new: bool) {
        let block = place.block as usize;
        self.blocks.flash_page_writes += 1;
        self.below
            .write_in_block(place.block, place.index.into(), 1);
        self.blocks.flash_page_overwrites += u64::from(self.written[block] & place.bit() != 0);
        if self.is_valid(place) {
            self.counters.flash_write_backs += 1;
        } else {
            self.counters.flash_fills += 1;
        }
        self.valid[block] |= place.bit();
        self.written[block] |= place.bit();
        self.flash.soil(place.block, dirty);
        if !is_new {
            update(&mut self.counters, &mut self.below, place.block);
            self.flash.on_hit(place.block);
        }
    }
}

impl<A: Admission, D: Below> Machine for StagedBlocks<A, D> {
    const NEEDS_ADDRESSES: bool = true;
    const NEEDS_TIMES: bool = A::NEEDS_TIMES;

    fn grow(&mut self, pages: usize) {
        self.ram.grow(pages);
        self.admission.grow(pages);
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) -> Result<()> {
        self.map.locate(pages, spaces, addresses);
        self.make_room();
        Ok(())
    }

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.admission.classify(chunk, spaces)
    }

    fn expect(&mut self, spaces: &[u32], addresses: &[u64], first_accesses: &[u32]) {
        self.map.locate_all(spaces, addresses);
        let block_pages = self.whole.count_ones();
        self.future = Some(BlockFuture::new(&self.map, block_pages, first_accesses));
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
        let in_ram = self.ram.contains(page);
        self.admission.on_access(page, write, in_ram);
        if in_ram {
            self.counters.ram_hits += 1;
            self.ram.on_hit(page);
            self.ram.soil(page, write);
            return;
        }
        let place = self.map.place(page);
        find(&mut self.counters, &mut self.below, place.block);
        let dirty = if self.is_valid(place) {
            self.admission.on_flash_hit(page);
            self.read(place)
        } else {
            self.counters.flash_misses += 1;
            self.blocks.hdd_page_reads += 1;
            false
        };
        if let Some(victim) = self.ram.evict_if_full(page) {
            self.stage(victim);
        }
        self.ram.insert(page, dirty | write);
    }

    fn fill(&self) -> Fill {
        Fill::of_blocks(self.flash.len(), self.flash.capacity())
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        self.map.recount(totals.distinct_pages)?;
        self.ram.recount("RAM")?;
        self.flash.recount("flash")?;
        self.admission.recount()?;
        for (block, (&valid, &written)) in (0..).zip(self.valid.iter().zip(&self.written)) {
            let held = self.flash.contains(block);
            let complete = self.invalidating || valid == self.whole;
            if held != (valid != 0) || held && !complete || valid & !written != 0 {
                return Err(format!(
                    "block {block}, on flash: {held}, has valid pages {valid:b} of {written:b} written"
                ));
            }
        }
        let pages = u32::try_from(totals.distinct_pages).map_err(|error| error.to_string())?;
        let both =
            (0..pages).find(|&page| self.ram.contains(page) && self.is_valid(self.map.place(page)));
        if let (true, true, Some(page)) = (self.exclusive, self.invalidating, both) {
            return Err(format!("page {page} is in RAM and valid on flash"));
        }
        // Exclusive: a page that leaves a dirty block is taken for dirty, and may not be.
        if !self.exclusive && self.counters.hdd_writes > totals.write_accesses {
            return Err(format!(
                "{} disk writes for {} accesses that write",
                self.counters.hdd_writes, totals.write_accesses
            ));
        }
        let left = u64::from(self.flash.len());
        let gone = self.counters.flash_evictions + self.blocks.flash_blocks_emptied;
        let misses = self.counters.flash_hits + self.counters.flash_misses;
        if self.blocks.flash_frames_taken != gone + left
            || misses != self.counters.ram_evictions + u64::from(self.ram.len())
        {
            return Err(format!(
                "{} frames taken, {gone} blocks gone, {left} left; {misses} RAM misses, {} RAM victims, {} pages left",
                self.blocks.flash_frames_taken,
                self.counters.ram_evictions,
                self.ram.len()
            ));
        }
        self.below.recount(self.flash.len(), &self.counters)?;
        add_up(&self.counters, &self.blocks, totals)
    }
}

impl<A: Admission, D: Below> Flow for StagedBlocks<A, D> {
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
        self.whole.count_ones()
    }

    /// Of a dirty block every valid page counts as dirty: one bit does not say which.
    fn contents(&self) -> Contents {
        let (mut flash, mut flash_dirty) = (0, 0);
        for (block, valid) in (0..).zip(&self.valid) {
            let pages = u64::from(valid.count_ones());
            flash += pages;
            flash_dirty += pages * u64::from(self.flash.is_dirty(block));
        }
        Contents {
            ram: self.ram.len().into(),
            ram_dirty: self.ram.dirty_pages(),
            flash,
            flash_dirty,
        }
    }

    fn is_newer_than_disk(&self, page: u32) -> bool {
        let place = self.map.place(page);
        self.ram.is_dirty(page) || (self.is_valid(place) && self.flash.is_dirty(place.block))
    }

    fn admission(&mut self) -> Option<&mut A> {
        Some(&mut self.admission)
    }

    fn come_back(&mut self, crashed: &mut Self) {
        self.take_over(crashed);
        // Where pages lie, and when they are accessed, is of the trace.
        std::mem::swap(&mut self.map, &mut crashed.map);
        self.future = crashed.future.take();
        self.make_room();
    }
}
