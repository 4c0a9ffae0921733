//! The exclusive scheme: a page is in RAM or on flash, never in both.

use crate::access::Chunk;
use crate::error::Result;
use crate::replay::admission::all::All;
use crate::replay::admission::{ADMISSION, ASSIGNMENT, Admission, CATEGORIES, LIFETIME};
use crate::replay::directory::{DIRECTORY, DIRECTORY_BUFFER};
use crate::replay::flash_blocks::{BLOCK_PAGES, BLOCK_TECHNIQUE};
use crate::replay::policies::{Policy, Removable};
use crate::replay::settings::Setting;
use crate::replay::tier::{Tier, Victim};
use crate::replay::timed::Contents;
use crate::replay::translation::{BLOCK, BUFFER, Below, CHOICES, GC, MAPPING, SEED, SPARE, TRIM};
use crate::replay::two_tier::{
    Cache, FLASH_POLICY, Flow, RAM_POLICY, Scheme, SchemeCounters, add_up,
};
use crate::replay::{FLASH, Fill, Machine, Totals};

/// Figure 3 of Koltsidas and Viglas.
///
/// ```text
/// if pg in RAM: return pg
/// if pg on flash: read it, take it off flash with its dirty bit;
///                 v_r, if RAM is full, takes its frame (flash MRU), dirty or not
/// else: if RAM is full: evict v_f if flash is full, write v_r to flash (MRU), dirty or not
///       read pg from disk
/// pg enters RAM
/// where the admission rule refuses v_r: if dirty, write it to disk; nothing is evicted from flash
/// ```
///
/// With LRU in both tiers, and every page admitted, RAM and flash together are one LRU cache of
/// `r + f` pages.
pub(crate) struct Exclusive<R, F, A = All, D = ()> {
    ram: Tier<R>,
    flash: Tier<F>,
    admission: A,
    counters: SchemeCounters,
    /// Flash hits after which no RAM victim took the frame.
    frames_left_free: u64,
    below: D,
}

impl<R: Policy, F: Removable, A: Admission, D: Below> Machine for Exclusive<R, F, A, D> {
    const NEEDS_ADDRESSES: bool = A::NEEDS_ADDRESSES;
    const NEEDS_TIMES: bool = A::NEEDS_TIMES;

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.admission.classify(chunk, spaces)
    }

    fn grow(&mut self, pages: usize) {
        self.ram.grow(pages);
        self.flash.grow(pages);
        self.admission.grow(pages);
        self.below.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.ram.fetch(pages);
        self.flash.fetch(pages);
        // Flash is asked for each victim of RAM.
        self.flash.fetch(self.ram.upcoming());
    }

    #[inline]
    fn foresee(&mut self, page: u32, next_access: u32) {
        self.ram.foresee(page, next_access);
        self.flash.foresee(page, next_access);
    }

    #[inline]
    fn access(&mut self, page: u32, write: bool) {
        if self.ram.contains(page) {
            self.counters.ram_hits += 1;
            self.ram.on_hit(page);
            self.ram.soil(page, write);
            self.admission.on_access(page, write, true);
            return;
        }
        self.admission.on_access(page, write, false);
        self.below.find(page);
        let on_flash = self.flash.contains(page);
        let dirty = if on_flash {
            self.counters.flash_hits += 1;
            self.admission.on_flash_hit(page);
            self.below.leave(page);
            self.flash.remove(page)
        } else {
            self.counters.flash_misses += 1;
            false
        };
        if let Some(victim) = self.ram.evict_if_full(page) {
            self.demote(victim, on_flash.then_some(page));
        }
        self.ram.insert(page, dirty | write);
    }

    fn fill(&self) -> Fill {
        Fill::of(FLASH, self.flash.len(), self.flash.capacity())
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        self.ram.recount("RAM")?;
        self.flash.recount("flash")?;
        self.admission.recount()?;
        self.below.recount(self.flash.len(), &self.counters())?;
        let counters = &self.counters;
        if counters.ram_evictions != counters.flash_fills + counters.rejections {
            return Err(format!(
                "{} RAM victims, but {} were written to flash and {} refused",
                counters.ram_evictions, counters.flash_fills, counters.rejections
            ));
        }
        let pages = u32::try_from(totals.distinct_pages).map_err(|error| error.to_string())?;
        if let Some(page) =
            (0..pages).find(|&page| self.ram.contains(page) && self.flash.contains(page))
        {
            return Err(format!("page {page} is in RAM and on flash"));
        }
        add_up(
            &self.counters,
            totals,
            self.ram.len(),
            self.flash.len(),
            self.counters.flash_hits,
        )
    }
}

impl<R: Policy, F: Removable, A: Admission, D: Below> Exclusive<R, F, A, D> {
    /// Writes a RAM victim to flash. After a flash hit flash has a free frame, so nothing is evicted, and the one
    /// update of the swap is that of the victim's entry.
    #[inline]
    fn demote(&mut self, victim: Victim, after_hit: Option<u32>) {
        self.counters.ram_evictions += 1;
        self.counters.ram_dirty_evictions += u64::from(victim.dirty);
        self.admission.on_exit(victim);
        if A::CAN_REJECT && !self.admission.admits(victim) {
            self.counters.rejections += 1;
            self.counters.dirty_rejections += u64::from(victim.dirty);
            self.counters.hdd_writes += u64::from(victim.dirty);
            if let Some(page) = after_hit {
                self.frames_left_free += 1;
                self.below.update(page);
            }
            return;
        }
        if let Some(flash_victim) = self.flash.evict_if_full(victim.page) {
            self.counters.flash_evictions += 1;
            self.counters.hdd_writes += u64::from(flash_victim.dirty);
            self.below.leave(flash_victim.page);
            self.below.update(flash_victim.page);
        }
        self.counters.flash_fills += 1;
        self.below.write(victim.page);
        self.below.update(victim.page);
        self.flash.insert(victim.page, victim.dirty);
    }
}

impl<R: Policy, F: Removable, A: Admission, D: Below> Scheme for Exclusive<R, F, A, D> {
    const OPTIONS: &[Setting] = &[
        RAM_POLICY,
        FLASH_POLICY,
        ADMISSION,
        ASSIGNMENT,
        CATEGORIES,
        LIFETIME,
        BLOCK_PAGES,
        BLOCK_TECHNIQUE,
        SPARE,
        BLOCK,
        GC,
        CHOICES,
        SEED,
        BUFFER,
        MAPPING,
        TRIM,
        DIRECTORY,
        DIRECTORY_BUFFER,
    ];

    fn new(ram: &Cache<'_>, flash: &Cache<'_>) -> Self {
        Self {
            ram: Tier::of(ram),
            flash: Tier::of(flash).expecting_removal(),
            admission: A::new(flash.pages),
            counters: SchemeCounters::default(),
            frames_left_free: 0,
            below: D::default(),
        }
    }
}

impl<R: Policy, F: Removable, A: Admission, D: Below> Flow for Exclusive<R, F, A, D> {
    type Below = D;
    type Rule = A;

    fn below(&mut self) -> &mut D {
        &mut self.below
    }

    /// A RAM miss looks its page up; a RAM victim is never on flash and is not. A swap after a flash
    /// hit updates one entry, as the formula has it (the variant of two adds `flash_hits`); a page
    /// written to flash after a miss, a flash victim, and a frame left free one each.
    fn counters(&self) -> SchemeCounters {
        let counters = self.counters;
        SchemeCounters {
            directory_lookups: counters.flash_hits + counters.flash_misses,
            directory_updates: counters.flash_fills
                + counters.flash_evictions
                + self.frames_left_free,
            ..counters
        }
    }

    fn contents(&self) -> Contents {
        Contents {
            ram: self.ram.len().into(),
            ram_dirty: self.ram.dirty_pages(),
            flash: self.flash.len().into(),
            flash_dirty: self.flash.dirty_pages(),
        }
    }

    fn is_newer_than_disk(&self, page: u32) -> bool {
        self.ram.is_dirty(page) || self.flash.is_dirty(page)
    }

    fn admission(&mut self) -> Option<&mut A> {
        Some(&mut self.admission)
    }
}
