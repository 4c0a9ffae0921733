//! RAM alone.

use crate::replay::admission::ADMISSION;
use crate::replay::flash_blocks::{BLOCK_PAGES, BLOCK_TECHNIQUE};
use crate::replay::policies::Policy;
use crate::replay::settings::Setting;
use crate::replay::tier::Tier;
use crate::replay::two_tier::{Cache, RAM_POLICY, Scheme, SchemeCounters, add_up};
use crate::replay::{Machine, Totals};

/// RAM in front of the disk. A RAM miss counts as a flash miss, so that hits and misses sum to the
/// accesses as in every scheme; a dirty RAM victim is a disk write.
pub(crate) struct NoFlash<R> {
    ram: Tier<R>,
    counters: SchemeCounters,
}

impl<R: Policy> Machine for NoFlash<R> {
    fn grow(&mut self, pages: usize) {
        self.ram.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.ram.fetch(pages);
    }

    #[inline]
    fn foresee(&mut self, page: u32, next_access: u32) {
        self.ram.foresee(page, next_access);
    }

    #[inline]
    fn access(&mut self, page: u32, write: bool) {
        if self.ram.contains(page) {
            self.counters.ram_hits += 1;
            self.ram.on_hit(page);
            self.ram.soil(page, write);
            return;
        }
        self.counters.flash_misses += 1;
        if let Some(victim) = self.ram.evict_if_full(page) {
            self.counters.ram_evictions += 1;
            self.counters.ram_dirty_evictions += u64::from(victim.dirty);
            self.counters.hdd_writes += u64::from(victim.dirty);
        }
        self.ram.insert(page, write);
    }

    fn finished(&self, totals: Totals) -> Result<(), String> {
        self.ram.recount("RAM")?;
        add_up(&self.counters, totals, self.ram.len(), 0, 0)
    }
}

impl<R: Policy> Scheme for NoFlash<R> {
    const OPTIONS: &[Setting] = &[RAM_POLICY];
    const REFUSES: &[(&str, &str)] = &[
        (ADMISSION.name, "there is no flash to be admitted to"),
        (BLOCK_PAGES.name, "there is no flash to have blocks"),
        (BLOCK_TECHNIQUE.name, "there is no flash to have blocks"),
    ];

    fn new(ram: &Cache<'_>, _flash: &Cache<'_>) -> Self {
        Self {
            ram: Tier::of(ram),
            counters: SchemeCounters::default(),
        }
    }

    fn counters(&self) -> SchemeCounters {
        self.counters
    }
}
