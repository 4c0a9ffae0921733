//! The inclusive scheme with global recency: every reference refreshes flash.

use super::inclusive::{evict, guarding, recount, refused_pass, with_directory};

use crate::access::Chunk;
use crate::replay::admission::all::All;
use crate::replay::admission::{
    ADMISSION_AT_MISS, ASSIGNMENT, Admission, CATEGORIES, LIFETIME, NOT_AT_MISS,
};
use crate::replay::bits::BitSet;
use crate::replay::directory::{DIRECTORY, DIRECTORY_BUFFER};
use crate::replay::flash_blocks::{BLOCK_PAGES, BLOCK_TECHNIQUE};
use crate::replay::policies::{Guarding, Policy};
use crate::replay::settings::Setting;
use crate::replay::tier::{Tier, Victim};
use crate::replay::timed::Contents;
use crate::replay::translation::{BLOCK, BUFFER, Below, CHOICES, GC, MAPPING, SEED, SPARE, TRIM};
use crate::replay::two_tier::{
    Cache, FLASH_POLICY, Flow, RAM_POLICY, Scheme, SchemeCounters, add_up,
};
use crate::replay::{FLASH, Fill, Machine, Totals};

/// Inclusive in which flash sees the whole reference stream.
///
/// ```text
/// evict v_r if pg is not in RAM and RAM is full; if dirty, write it to its flash copy, in place
/// if pg in RAM: return pg                          -- flash sees a reference
/// if pg on flash: read it (flash sees a reference)
/// else: evict v_f, the victim among the flash pages not in RAM, if flash is full
///       read pg from disk, write it to flash (clean)
/// pg enters RAM, clean
/// ```
///
/// With LRU in both tiers `v_f` is the least recent flash page, and the curve of one LRU predicts the
/// hits of both. Other policies name another victim, which could be in RAM; then, as in
/// [`super::inclusive`], they name the next one, and pages of RAM keep their places.
///
/// Behind an assignment of categories a page that is not admitted passes flash, as in [`super::inclusive`], and
/// flash sees no reference to it in RAM.
pub(crate) struct InclusiveGlobal<R, F, D = (), A = All> {
    ram: Tier<R>,
    admission: A,
    flash_pages: u32,
    flash: F,
    flash_dirty: BitSet,
    counters: SchemeCounters,
    /// Flash has as many pages as RAM: what leaves RAM is all that can leave flash.
    mirrors: bool,
    below: D,
}

impl<R: Policy, F: Guarding, D: Below, A: Admission> Machine for InclusiveGlobal<R, F, D, A> {
    const NEEDS_ADDRESSES: bool = A::NEEDS_ADDRESSES;
    const NEEDS_TIMES: bool = A::NEEDS_TIMES;

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> crate::error::Result<()> {
        self.admission.classify(chunk, spaces)
    }

    fn grow(&mut self, pages: usize) {
        self.ram.grow(pages);
        self.admission.grow(pages);
        self.flash.grow(pages);
        self.flash_dirty.grow(pages);
        self.below.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.ram.fetch(pages);
        self.flash.fetch(pages);
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
            if !A::CAN_REJECT || self.admission.admits_at_miss(page) {
                self.flash.on_hit(page);
            }
            self.ram.soil(page, write);
            self.admission.on_access(page, write, true);
            return;
        }
        self.admission.on_access(page, write, false);
        let on_flash = self.flash.contains(page);
        self.below.find(page);
        let victim = self.ram.evict_if_full(page);
        if let Some(victim) = victim {
            self.leave(victim);
        }
        if on_flash {
            self.counters.flash_hits += 1;
            self.admission.on_flash_hit(page);
            self.below.update(page);
            self.flash.hit_and_guard(page);
        } else {
            self.counters.flash_misses += 1;
            if !A::CAN_REJECT || self.admission.admits_at_miss(page) {
                self.take(page, victim);
            }
        }
        self.ram.insert(page, write);
    }

    fn fill(&self) -> Fill {
        Fill::of(FLASH, self.flash.len(), self.flash_pages)
    }

    fn finished(&self, totals: Totals) -> Result<(), String> {
        self.ram.recount("RAM")?;
        recount(
            &self.ram,
            &self.flash,
            &self.flash_dirty,
            &self.admission,
            totals.distinct_pages,
        )?;
        refused_pass(&self.counters)?;
        self.below.recount(self.flash.len(), &self.counters())?;
        add_up(&self.counters, totals, self.ram.len(), self.flash.len(), 0)
    }
}

impl<R, F: Guarding, D: Below, A: Admission> InclusiveGlobal<R, F, D, A> {
    /// What a RAM victim does on flash.
    #[inline]
    fn leave(&mut self, victim: Victim) {
        let Victim { page, dirty } = victim;
        self.counters.ram_evictions += 1;
        self.admission.on_exit(victim);
        if A::CAN_REJECT && !self.admission.admits(victim) {
            self.counters.refuse(victim);
            return;
        }
        self.counters.victims_found_on_flash += 1;
        self.counters.ram_dirty_evictions += u64::from(dirty);
        self.counters.flash_write_backs += u64::from(dirty);
        self.flash_dirty.insert_if(page, dirty);
        if dirty {
            self.below.write(page);
            self.below.update(page);
        }
        self.flash.release(page);
    }

    /// Writes a page from disk to flash.
    #[inline]
    fn take(&mut self, page: u32, left_ram: Option<Victim>) {
        if self.flash.len() == self.flash_pages {
            let only = left_ram.filter(|_| self.mirrors && !A::CAN_REJECT);
            let victim = evict(&mut self.flash, page, &self.flash_dirty, only);
            self.counters.flash_evictions += 1;
            self.counters.hdd_writes += u64::from(self.flash_dirty.take(victim));
            self.below.leave(victim);
            self.below.update(victim);
        }
        self.counters.flash_fills += 1;
        self.below.write(page);
        self.below.update(page);
        self.flash.insert_guarded(page);
    }
}

impl<R: Policy, F: Guarding, D: Below, A: Admission> Scheme for InclusiveGlobal<R, F, D, A> {
    const NEEDS_FLASH_ABOVE_RAM: bool = true;
    const OPTIONS: &[Setting] = &[
        RAM_POLICY,
        FLASH_POLICY,
        ADMISSION_AT_MISS,
        ASSIGNMENT,
        CATEGORIES,
        LIFETIME,
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
    const REFUSES: &[(&str, &str)] = &[
        NOT_AT_MISS,
        (
            BLOCK_PAGES.name,
            "its point is that the curve of pages predicts it",
        ),
        (
            BLOCK_TECHNIQUE.name,
            "its point is that the curve of pages predicts it",
        ),
    ];

    fn new(ram: &Cache<'_>, flash: &Cache<'_>) -> Self {
        Self {
            ram: Tier::of(ram),
            admission: A::new(flash.pages),
            flash_pages: flash.pages,
            flash: guarding(flash),
            flash_dirty: BitSet::default(),
            counters: SchemeCounters::default(),
            mirrors: ram.pages == flash.pages,
            below: D::default(),
        }
    }
}

impl<R: Policy, F: Guarding, D: Below, A: Admission> Flow for InclusiveGlobal<R, F, D, A> {
    type Below = D;
    type Rule = A;

    fn below(&mut self) -> &mut D {
        &mut self.below
    }

    fn counters(&self) -> SchemeCounters {
        with_directory(self.counters)
    }

    fn contents(&self) -> Contents {
        Contents {
            ram: self.ram.len().into(),
            ram_dirty: self.ram.dirty_pages(),
            flash: self.flash.len().into(),
            flash_dirty: self.flash_dirty.len(),
        }
    }

    fn is_newer_than_disk(&self, page: u32) -> bool {
        self.ram.is_dirty(page) || self.flash_dirty.contains(page)
    }

    fn admission(&mut self) -> Option<&mut A> {
        Some(&mut self.admission)
    }
}
