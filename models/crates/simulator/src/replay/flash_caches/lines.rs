//! Cache lines: slots of flash for adjacent pages, of which some are valid and of these some dirty.

use super::chains::NONE;
use super::units::Units;
use super::{CrashReport, FlashCacheCounters, Host, recount_single_copies};
use crate::replay::bits::BitSet;
use crate::replay::fetch::fetch;
use crate::replay::room::Room;

/// Lines and the slots that they are in. Where a line is a page, its number is that of the page.
#[derive(Debug)]
pub(super) struct Lines {
    /// A power of two.
    line_pages: u32,
    slots: u32,
    /// Of larger lines.
    units: Units,
    /// By line.
    slot_of: Vec<u32>,
    room: Room,
    /// By frame.
    valid: BitSet,
    dirty: BitSet,
    /// Lines that are in a slot, and pages.
    held: u32,
    valid_pages: u32,
    dirty_pages: u32,
}

/// What a crash leaves: lines and their slots, and the frames of the dirty pages, the lowest first.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DirtyLines {
    slots: Vec<(u32, u32)>,
    frames: Vec<u32>,
}

impl Lines {
    pub(super) fn new(flash_pages: u32, line_pages: u32) -> Self {
        let slots = flash_pages / line_pages;
        Self {
            line_pages,
            slots,
            units: Units::new(line_pages),
            slot_of: Vec::new(),
            room: Room::new(slots),
            valid: BitSet::default(),
            dirty: BitSet::default(),
            held: 0,
            valid_pages: 0,
            dirty_pages: 0,
        }
    }

    /// Makes room for pages, where each is a line.
    pub(super) fn grow(&mut self, pages: usize) {
        if self.line_pages == 1 {
            self.grow_lines(pages);
        }
    }

    fn grow_lines(&mut self, lines: usize) {
        if lines > self.slot_of.len() {
            self.slot_of.resize(lines, NONE);
            // No more slots are used than there are lines.
            let slots = lines.min(self.slots as usize);
            let frames = slots * self.line_pages as usize;
            self.valid.grow(frames);
            self.dirty.grow(frames);
        }
    }

    /// Notes the lines of pages that were not seen before.
    pub(super) fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        if self.line_pages > 1 {
            self.units.locate(pages, spaces, addresses);
            self.grow_lines(self.units.len());
        }
    }

    /// Takes over what a crashed table knows of addresses.
    pub(super) fn keep_places(&mut self, crashed: &mut Self) {
        if self.line_pages > 1 {
            std::mem::swap(&mut self.units, &mut crashed.units);
            self.grow_lines(self.units.len());
        }
    }

    /// Lines that were seen.
    pub(super) fn seen(&self) -> usize {
        self.slot_of.len()
    }

    pub(super) fn fetch(&self, pages: &[u32]) {
        if self.line_pages == 1 {
            fetch(&self.slot_of, pages);
        } else {
            let slots = pages.iter().map(|&page| self.slot(self.line(page)));
            std::hint::black_box(slots.fold(0, |mixed, slot| mixed ^ slot));
        }
    }

    /// Reads ahead what is kept of the line that leaves next, if any is held.
    #[inline]
    pub(super) fn expect(&self, line: u32) {
        std::hint::black_box(self.slot_of.get(line as usize).copied());
    }

    #[inline]
    pub(super) fn line(&self, page: u32) -> u32 {
        if self.line_pages == 1 {
            page
        } else {
            self.units.of(page)
        }
    }

    /// The slot of a line, [`NONE`] where it has none.
    #[inline]
    pub(super) fn slot(&self, line: u32) -> u32 {
        self.slot_of[line as usize]
    }

    /// The frame of a page whose line is in a slot.
    #[inline]
    fn frame(&self, page: u32, slot: u32) -> u32 {
        if self.line_pages == 1 {
            slot
        } else {
            slot * self.line_pages + u32::from(self.units.place(page).1)
        }
    }

    /// Whether a page is valid whose line is in a slot.
    #[inline]
    pub(super) fn is_valid(&self, page: u32, slot: u32) -> bool {
        self.line_pages == 1 || self.valid.contains(self.frame(page, slot))
    }

    #[inline]
    pub(super) fn holds(&self, page: u32) -> bool {
        let slot = self.slot(self.line(page));
        slot != NONE && self.is_valid(page, slot)
    }

    /// Whether a page is dirty.
    pub(super) fn is_dirty_page(&self, page: u32) -> bool {
        let slot = self.slot(self.line(page));
        slot != NONE && self.dirty.contains(self.frame(page, slot))
    }

    /// Whether a page of the line in a slot is dirty.
    #[inline]
    pub(super) fn is_dirty(&self, slot: u32) -> bool {
        self.dirty_in(slot) > 0
    }

    #[inline]
    fn dirty_in(&self, slot: u32) -> u32 {
        self.dirty
            .count_run(slot * self.line_pages, self.line_pages)
    }

    #[inline]
    fn valid_in(&self, slot: u32) -> u32 {
        self.valid
            .count_run(slot * self.line_pages, self.line_pages)
    }

    pub(super) fn slots(&self) -> u32 {
        self.slots
    }

    /// Lines that are in a slot.
    pub(super) fn held(&self) -> u32 {
        self.held
    }

    pub(super) fn valid_pages(&self) -> u32 {
        self.valid_pages
    }

    pub(super) fn dirty_pages(&self) -> u32 {
        self.dirty_pages
    }

    /// Pages of the slots in use.
    pub(super) fn pages_in_use(&self) -> u64 {
        u64::from(self.held) * u64::from(self.line_pages)
    }

    /// A slot that nothing is in, if there is one.
    #[inline]
    pub(super) fn room(&mut self) -> Option<u32> {
        self.room.take()
    }

    /// Puts a line into a slot that nothing is in.
    #[inline]
    pub(super) fn enter(&mut self, line: u32, slot: u32) {
        self.slot_of[line as usize] = slot;
        self.held += 1;
    }

    /// Writes a page into its line's slot: over its copy, or as a page that was not valid. Whether it became dirty.
    #[inline]
    pub(super) fn write(
        &mut self,
        page: u32,
        slot: u32,
        dirty: bool,
        host: &mut impl Host,
    ) -> bool {
        let frame = self.frame(page, slot);
        let over = self.valid.contains(frame);
        let becomes_dirty = dirty && !self.dirty.contains(frame);
        self.valid.insert(frame);
        self.dirty.insert_if(frame, becomes_dirty);
        self.valid_pages += u32::from(!over);
        self.dirty_pages += u32::from(becomes_dirty);
        let counters = host.counters();
        counters.flash_fills += u64::from(!over);
        counters.flash_write_backs += u64::from(over);
        host.flash_write(frame, 1);
        becomes_dirty
    }

    /// Writes the dirty pages of a line to disk, those that are adjacent in one request; they stay on flash. A line of
    /// several pages is read whole.
    pub(super) fn clean(&mut self, slot: u32, host: &mut impl Host) {
        let first = slot * self.line_pages;
        let dirty = self.dirty_in(slot);
        if dirty == 0 {
            return;
        }
        let counters = host.counters();
        counters.stage_out_run(u64::from(self.line_pages));
        let mut run = 0;
        for frame in first..first + self.line_pages {
            if self.dirty.contains(frame) {
                run += 1;
            } else {
                counters.clean_run(run);
                run = 0;
            }
        }
        counters.clean_run(run);
        self.dirty.clear_run(first, self.line_pages);
        self.dirty_pages -= dirty;
    }

    /// A line without dirty pages makes room for the line of a page; the slot that it leaves.
    pub(super) fn evict(&mut self, line: u32, page: u32, host: &mut impl Host) -> u32 {
        let slot = std::mem::replace(&mut self.slot_of[line as usize], NONE);
        let pages = self.valid_in(slot);
        let first = slot * self.line_pages;
        self.valid.clear_run(first, self.line_pages);
        self.valid_pages -= pages;
        self.held -= 1;
        host.counters().flash_evictions += u64::from(pages);
        if self.line_pages > 1 {
            // The page that enters is written over what was there.
            let (_, place) = self.units.place(page);
            let place = u32::from(place);
            if place > 0 {
                host.flash_trim(first, place);
            }
            if place + 1 < self.line_pages {
                host.flash_trim(first + place + 1, self.line_pages - place - 1);
            }
        }
        slot
    }

    /// A page goes to disk past its line, which is in a slot: its copy, if there is one, is old, and the other dirty pages
    /// of the line are written to disk first. Whether the line is still there.
    pub(super) fn pass(&mut self, page: u32, line: u32, host: &mut impl Host) -> bool {
        let slot = self.slot(line);
        let frame = self.frame(page, slot);
        self.dirty_pages -= u32::from(self.dirty.take(frame));
        self.clean(slot, host);
        if self.valid.take(frame) {
            self.valid_pages -= 1;
            host.counters().flash_invalidations += 1;
            host.flash_trim(frame, 1);
        }
        if self.valid_in(slot) > 0 {
            return true;
        }
        self.slot_of[line as usize] = NONE;
        self.held -= 1;
        self.room.give_back(slot);
        false
    }

    /// What a crash leaves: the dirty pages.
    pub(super) fn dirty_lines(&self) -> DirtyLines {
        let mapped = (0..).zip(&self.slot_of);
        let mut slots: Vec<_> = mapped
            .filter(|&(_, &slot)| slot != NONE && self.is_dirty(slot))
            .map(|(line, &slot)| (slot, line))
            .collect();
        slots.sort_unstable();
        DirtyLines {
            slots,
            frames: self.dirty.iter().collect(),
        }
    }

    /// Puts these where they were; what lies between them is free, the first slot on top. The lines, by slot.
    pub(super) fn load(&mut self, left: &DirtyLines) -> impl Iterator<Item = u32> {
        for &(slot, line) in &left.slots {
            self.room.take_at(slot);
            self.enter(line, slot);
        }
        self.room.turn();
        for &frame in &left.frames {
            self.valid.insert(frame);
            self.dirty.insert(frame);
            self.valid_pages += 1;
            self.dirty_pages += 1;
        }
        left.slots.iter().map(|&(_, line)| line)
    }

    /// Counts again, with the lines that are `ordered` in some other way.
    pub(super) fn recount(
        &self,
        ordered: usize,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let mapped = || self.slot_of.iter().copied().filter(|&slot| slot != NONE);
        let valid: u32 = mapped().map(|slot| self.valid_in(slot)).sum();
        let dirty: u32 = mapped().map(|slot| self.dirty_in(slot)).sum();
        let all_valid = self.valid.iter().count();
        recount_single_copies(valid as usize, all_valid, 0, counters, crash)?;
        let empty = mapped().filter(|&slot| self.valid_in(slot) == 0).count();
        let used = self.room.taken();
        let dirty_alone = self
            .dirty
            .iter()
            .filter(|&frame| !self.valid.contains(frame));
        if ordered != self.held as usize
            || used != ordered
            || mapped().count() != ordered
            || self.room.ever_taken() > self.slots
            || empty > 0
            || dirty_alone.count() > 0
            || (valid, dirty) != (self.valid_pages, self.dirty_pages)
        {
            return Err(format!(
                "{ordered} lines in order, counted as {}, in {used} slots of {}, {empty} without a page; {valid} pages, counted as {}; {dirty} dirty, counted as {}",
                self.held, self.slots, self.valid_pages, self.dirty_pages
            ));
        }
        Ok(())
    }
}
