//! The inclusive scheme with global recency and LRU in both tiers.

use super::inclusive::with_directory;
use super::inclusive_global::InclusiveGlobal;
use crate::replay::admission::all::All;
use crate::replay::policies::AnyGuarded;
use crate::replay::policies::AnyPolicy;
use crate::replay::policies::lru::Lru;
use crate::replay::settings::Setting;
use crate::replay::tier::Tier;
use crate::replay::timed::Contents;
use crate::replay::two_tier::{Cache, Flow, Scheme, SchemeCounters, add_up};
use crate::replay::{FLASH, Fill, Machine, Totals};

/// [`InclusiveGlobal`] of LRU and LRU: flash holds the most recent `f` pages of the whole reference stream.
///
/// With LRU in RAM and no less flash than RAM, `v_f` is never in RAM: RAM holds the most recent pages
/// of the same order. So nothing needs a guard.
///
/// ```text
/// if pg in RAM: pg to the front of RAM and of flash; return pg
/// if RAM is full: evict v_r, the last of RAM; if dirty, write it to its flash copy, which keeps its place
/// if pg on flash: read it, to the front of flash
/// else: evict v_f, the last of flash, if flash is full; if dirty, write it to disk
///       read pg from disk, write it to the front of flash (clean)
/// pg to the front of RAM, clean
/// ```
pub(crate) struct InclusiveGlobalLru {
    ram: Tier<Lru>,
    flash: Tier<Lru>,
    counters: SchemeCounters,
    /// Flash victims that were in RAM: impossible, see above.
    victims_in_ram: u64,
    below: (),
}

impl Machine for InclusiveGlobalLru {
    fn grow(&mut self, pages: usize) {
        self.ram.grow(pages);
        self.flash.grow(pages);
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
        if let Some(victim) = self.ram.evict_if_full(page) {
            self.counters.ram_evictions += 1;
            self.counters.victims_found_on_flash += 1;
            self.counters.ram_dirty_evictions += u64::from(victim.dirty);
            self.counters.flash_write_backs += u64::from(victim.dirty);
            self.flash.soil(victim.page, victim.dirty);
        }
        if on_flash {
            self.counters.flash_hits += 1;
            self.flash.on_hit(page);
        } else {
            self.counters.flash_misses += 1;
            if let Some(victim) = self.flash.evict_if_full(page) {
                self.counters.flash_evictions += 1;
                self.counters.hdd_writes += u64::from(victim.dirty);
                self.victims_in_ram += u64::from(self.ram.contains(victim.page));
            }
            self.counters.flash_fills += 1;
            self.flash.insert(page, false);
        }
        self.ram.insert(page, write);
    }

    fn fill(&self) -> Fill {
        Fill::of(FLASH, self.flash.len(), self.flash.capacity())
    }

    fn finished(&self, totals: Totals) -> Result<(), String> {
        self.ram.recount("RAM")?;
        self.flash.recount("flash")?;
        let shared = self
            .flash
            .policy()
            .iter()
            .filter(|&page| self.ram.contains(page))
            .count();
        if shared != self.ram.len() as usize || self.victims_in_ram > 0 {
            return Err(format!(
                "{shared} of {} RAM pages are on flash, {} flash victims were in RAM",
                self.ram.len(),
                self.victims_in_ram
            ));
        }
        add_up(&self.counters, totals, self.ram.len(), self.flash.len(), 0)
    }
}

impl Scheme for InclusiveGlobalLru {
    const NEEDS_FLASH_ABOVE_RAM: bool = true;
    const OPTIONS: &[Setting] = <InclusiveGlobal<AnyPolicy, AnyGuarded> as Scheme>::OPTIONS;
    const REFUSES: &[(&str, &str)] = <InclusiveGlobal<AnyPolicy, AnyGuarded> as Scheme>::REFUSES;

    fn new(ram: &Cache<'_>, flash: &Cache<'_>) -> Self {
        Self {
            ram: Tier::of(ram),
            flash: Tier::of(flash),
            counters: SchemeCounters::default(),
            victims_in_ram: 0,
            below: (),
        }
    }
}

impl Flow for InclusiveGlobalLru {
    type Below = ();
    type Rule = All;

    fn below(&mut self) -> &mut () {
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
            flash_dirty: self.flash.dirty_pages(),
        }
    }

    fn is_newer_than_disk(&self, page: u32) -> bool {
        self.ram.is_dirty(page) || self.flash.is_dirty(page)
    }
}
