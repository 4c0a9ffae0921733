//! The inclusive scheme with global recency: every reference refreshes flash.

use super::inclusive::{evict, guarding, recount, with_directory};

use crate::ftl::FtlResult;
use crate::replay::admission::ADMISSION;
use crate::replay::bits::BitSet;
use crate::replay::directory::{DIRECTORY, DIRECTORY_BUFFER, Directory, DirectoryResult};
use crate::replay::flash_blocks::{BLOCK_PAGES, BLOCK_TECHNIQUE};
use crate::replay::policies::{Guarding, Policy};
use crate::replay::settings::Setting;
use crate::replay::tier::{Tier, Victim};
use crate::replay::translation::{BLOCK, BUFFER, Below, GC, MAPPING, Placed, SPARE, TRIM};
use crate::replay::two_tier::{Cache, FLASH_POLICY, RAM_POLICY, Scheme, SchemeCounters, add_up};
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
pub(crate) struct InclusiveGlobal<R, F, D = ()> {
    ram: Tier<R>,
    flash_pages: u32,
    flash: F,
    flash_dirty: BitSet,
    counters: SchemeCounters,
    /// Flash has as many pages as RAM: what leaves RAM is all that can leave flash.
    mirrors: bool,
    below: D,
}

impl<R: Policy, F: Guarding, D: Below> Machine for InclusiveGlobal<R, F, D> {
    fn grow(&mut self, pages: usize) {
        self.ram.grow(pages);
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
            self.flash.on_hit(page);
            self.ram.soil(page, write);
            return;
        }
        let on_flash = self.flash.contains(page);
        self.below.look_up(page);
        let victim = self.ram.evict_if_full(page);
        if let Some(Victim { page, dirty }) = victim {
            self.counters.ram_evictions += 1;
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
        if on_flash {
            self.counters.flash_hits += 1;
            self.below.update(page);
            self.flash.hit_and_guard(page);
        } else {
            self.counters.flash_misses += 1;
            if self.flash.len() == self.flash_pages {
                let only = victim.filter(|_| self.mirrors);
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
            totals.distinct_pages,
        )?;
        self.below.recount(self.flash.len(), &self.counters())?;
        add_up(&self.counters, totals, self.ram.len(), self.flash.len(), 0)
    }
}

impl<R: Policy, F: Guarding, D: Below> Scheme for InclusiveGlobal<R, F, D> {
    const NEEDS_FLASH_ABOVE_RAM: bool = true;
    const OPTIONS: &[Setting] = &[
        RAM_POLICY,
        FLASH_POLICY,
        SPARE,
        BLOCK,
        GC,
        BUFFER,
        MAPPING,
        TRIM,
        DIRECTORY,
        DIRECTORY_BUFFER,
    ];
    const REFUSES: &[(&str, &str)] = &[
        (
            ADMISSION.name,
            "every RAM page is on flash, so flash admits every page",
        ),
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
            flash_pages: flash.pages,
            flash: guarding(flash),
            flash_dirty: BitSet::default(),
            counters: SchemeCounters::default(),
            mirrors: ram.pages == flash.pages,
            below: D::default(),
        }
    }

    fn put_on(&mut self, device: Placed) {
        self.below.put_on(device);
    }

    fn keep_directory(&mut self, directory: Directory) {
        self.below.keep(directory);
    }

    fn warmed_up(&mut self) {
        self.below.restart_counters();
    }

    fn translated(&self) -> crate::error::Result<Option<FtlResult>> {
        self.below.translated()
    }

    fn looked_up(&self) -> Option<DirectoryResult> {
        self.below.looked_up()
    }

    fn counters(&self) -> SchemeCounters {
        with_directory(self.counters)
    }
}
