//! The lazy scheme: pages are staged to flash only when RAM evicts them.

use crate::replay::policies::Policy;
use crate::replay::settings::Setting;
use crate::replay::tier::{Tier, Victim};
use crate::replay::two_tier::{Cache, FLASH_POLICY, RAM_POLICY, Scheme, SchemeCounters, add_up};
use crate::replay::{Machine, Totals};

/// Figure 4 of Koltsidas and Viglas, without an admission predicate.
///
/// ```text
/// if pg in RAM: return pg
/// if pg on flash: read it (flash MRU), the flash copy stays
/// if RAM is full: stage v_r
/// if pg was not on flash: read it from disk
/// pg enters RAM, clean
///
/// stage v_r: on flash and dirty: write it over its copy (flash MRU)
///            on flash and clean: nothing
///            not on flash: evict v_f if flash is full, write v_r to flash (MRU)
/// ```
///
/// `v_f` may be in RAM as well; its RAM copy is not affected.
pub(crate) struct Lazy<R, F> {
    ram: Tier<R>,
    flash: Tier<F>,
    counters: SchemeCounters,
}

impl<R: Policy, F: Policy> Machine for Lazy<R, F> {
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
            self.ram.soil(page, write);
            return;
        }
        if self.flash.contains(page) {
            self.counters.flash_hits += 1;
            self.flash.on_hit(page);
        } else {
            self.counters.flash_misses += 1;
        }
        if let Some(victim) = self.ram.evict_if_full(page) {
            self.stage(victim);
        }
        self.ram.insert(page, write);
    }

    fn finished(&self, totals: Totals) -> Result<(), String> {
        self.ram.recount("RAM")?;
        self.flash.recount("flash")?;
        if self.counters.victims_found_on_flash > self.counters.flash_hits {
            return Err(format!(
                "{} RAM victims were on flash, but only {} pages came from there",
                self.counters.victims_found_on_flash, self.counters.flash_hits
            ));
        }
        add_up(&self.counters, totals, self.ram.len(), self.flash.len(), 0)
    }
}

impl<R: Policy, F: Policy> Lazy<R, F> {
    #[inline]
    fn stage(&mut self, victim: Victim) {
        self.counters.ram_evictions += 1;
        self.counters.ram_dirty_evictions += u64::from(victim.dirty);
        if self.flash.contains(victim.page) {
            self.counters.victims_found_on_flash += 1;
            if victim.dirty {
                self.counters.flash_write_backs += 1;
                self.flash.soil(victim.page, true);
                self.flash.on_hit(victim.page);
            }
        } else {
            if let Some(flash_victim) = self.flash.evict_if_full(victim.page) {
                self.counters.flash_evictions += 1;
                self.counters.hdd_writes += u64::from(flash_victim.dirty);
            }
            self.counters.flash_fills += 1;
            self.flash.insert(victim.page, victim.dirty);
        }
    }
}

impl<R: Policy, F: Policy> Scheme for Lazy<R, F> {
    const OPTIONS: &[Setting] = &[RAM_POLICY, FLASH_POLICY];

    fn new(ram: &Cache<'_>, flash: &Cache<'_>) -> Self {
        Self {
            ram: Tier::of(ram),
            flash: Tier::of(flash),
            counters: SchemeCounters::default(),
        }
    }

    fn counters(&self) -> SchemeCounters {
        self.counters
    }
}
