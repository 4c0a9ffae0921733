//! RAM alone.

use crate::replay::admission::all::All;
use crate::replay::admission::{ADMISSION, ASSIGNMENT, CATEGORIES, LIFETIME};
use crate::replay::flash_blocks::{BLOCK_PAGES, BLOCK_TECHNIQUE};
use crate::replay::policies::Policy;
use crate::replay::settings::Setting;
use crate::replay::tier::{Tier, Traffic, Victim};
use crate::replay::timed::Contents;
use crate::replay::two_tier::{Cache, Flow, RAM_POLICY, Scheme, SchemeCounters, add_up};
use crate::replay::{Fill, Machine, RAM, Totals, access_each};

/// RAM in front of the disk. A RAM miss counts as a flash miss, so that hits and misses sum to the
/// accesses as in every scheme; a dirty RAM victim is a disk write.
///
/// ```text
/// if pg in RAM: return pg
/// if RAM is full: evict v_r; if dirty, write it to disk
/// read pg from disk; pg enters RAM, clean
/// ```
pub(crate) struct NoFlash<R> {
    ram: Tier<R>,
    counters: SchemeCounters,
    below: (),
}

impl Traffic for SchemeCounters {
    const NAMES_VICTIMS: bool = false;

    #[inline]
    fn access(&mut self, _page: u32, hit: bool) {
        self.ram_hits += u64::from(hit);
        self.flash_misses += u64::from(!hit);
    }

    #[inline]
    fn victim(&mut self, victim: Victim) {
        self.ram_evictions += 1;
        self.ram_dirty_evictions += u64::from(victim.dirty);
        self.hdd_writes += u64::from(victim.dirty);
    }

    fn clean_victims(&mut self, count: u32) {
        self.ram_evictions += u64::from(count);
    }
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
            self.counters.victim(victim);
        }
        self.ram.insert(page, write);
    }

    #[inline]
    fn access_all(&mut self, pages: &[u32], flags: &[u8]) {
        if R::IN_BULK {
            self.ram.reference(pages, flags, &mut self.counters);
        } else {
            access_each(self, pages, flags);
        }
    }

    fn fill(&self) -> Fill {
        Fill::of(RAM, self.ram.len(), self.ram.capacity())
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
        (ASSIGNMENT.name, "there is no flash to be admitted to"),
        (CATEGORIES.name, "there is no flash to be admitted to"),
        (LIFETIME.name, "there is no flash to be admitted to"),
        (BLOCK_PAGES.name, "there is no flash to have blocks"),
        (BLOCK_TECHNIQUE.name, "there is no flash to have blocks"),
    ];

    fn new(ram: &Cache<'_>, _flash: &Cache<'_>) -> Self {
        Self {
            ram: Tier::of(ram),
            counters: SchemeCounters::default(),
            below: (),
        }
    }
}

impl<R: Policy> Flow for NoFlash<R> {
    type Below = ();
    type Rule = All;

    fn below(&mut self) -> &mut () {
        &mut self.below
    }

    fn counters(&self) -> SchemeCounters {
        self.counters
    }

    fn contents(&self) -> Contents {
        Contents {
            ram: self.ram.len().into(),
            ram_dirty: self.ram.dirty_pages(),
            flash: 0,
            flash_dirty: 0,
        }
    }

    fn is_newer_than_disk(&self, page: u32) -> bool {
        self.ram.is_dirty(page)
    }
}
