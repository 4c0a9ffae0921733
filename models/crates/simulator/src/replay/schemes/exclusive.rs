//! The exclusive scheme: a page is in RAM or on flash, never in both.

use crate::replay::policies::{Policy, Removable};
use crate::replay::settings::Setting;
use crate::replay::tier::{Tier, Victim};
use crate::replay::two_tier::{Cache, FLASH_POLICY, RAM_POLICY, Scheme, SchemeCounters, add_up};
use crate::replay::{Machine, Totals};

/// Figure 3 of Koltsidas and Viglas.
///
/// ```text
/// if pg in RAM: return pg
/// if pg on flash: read it, take it off flash with its dirty bit;
///                 v_r, if RAM is full, takes its frame (flash MRU), dirty or not
/// else: if RAM is full: evict v_f if flash is full, write v_r to flash (MRU), dirty or not
///       read pg from disk
/// pg enters RAM
/// ```
///
/// With LRU in both tiers RAM and flash together are one LRU cache of `r + f` pages.
pub(crate) struct Exclusive<R, F> {
    ram: Tier<R>,
    flash: Tier<F>,
    counters: SchemeCounters,
}

impl<R: Policy, F: Removable> Machine for Exclusive<R, F> {
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
        let dirty = if self.flash.contains(page) {
            self.counters.flash_hits += 1;
            self.flash.remove(page)
        } else {
            self.counters.flash_misses += 1;
            false
        };
        if let Some(victim) = self.ram.evict_if_full(page) {
            self.demote(victim);
        }
        self.ram.insert(page, dirty | write);
    }

    fn finished(&self, totals: Totals) -> Result<(), String> {
        self.ram.recount("RAM")?;
        self.flash.recount("flash")?;
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

impl<R: Policy, F: Policy> Exclusive<R, F> {
    /// Writes a RAM victim to flash. After a flash hit flash has a free frame, so nothing is evicted.
    #[inline]
    fn demote(&mut self, victim: Victim) {
        self.counters.ram_evictions += 1;
        self.counters.ram_dirty_evictions += u64::from(victim.dirty);
        if let Some(flash_victim) = self.flash.evict_if_full(victim.page) {
            self.counters.flash_evictions += 1;
            self.counters.hdd_writes += u64::from(flash_victim.dirty);
        }
        self.counters.flash_fills += 1;
        self.flash.insert(victim.page, victim.dirty);
    }
}

impl<R: Policy, F: Removable> Scheme for Exclusive<R, F> {
    const OPTIONS: &[Setting] = &[RAM_POLICY, FLASH_POLICY];

    fn new(ram: &Cache<'_>, flash: &Cache<'_>) -> Self {
        Self {
            ram: Tier::of(ram),
            flash: Tier::of(flash).expecting_removal(),
            counters: SchemeCounters::default(),
        }
    }

    fn counters(&self) -> SchemeCounters {
        self.counters
    }
}
