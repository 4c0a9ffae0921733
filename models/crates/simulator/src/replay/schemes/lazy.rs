//! The lazy scheme: pages are staged to flash only when RAM evicts them.

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

/// Figure 4 of Koltsidas and Viglas.
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
///            where either would write, and the admission rule refuses v_r:
///            if dirty, write it to disk, and drop its copy if it is on flash
/// ```
///
/// `v_f` may be in RAM as well; its RAM copy is not affected.
pub(crate) struct Lazy<R, F, A = All, D = ()> {
    ram: Tier<R>,
    flash: Tier<F>,
    admission: A,
    counters: SchemeCounters,
    below: D,
}

impl<R: Policy, F: Removable, A: Admission, D: Below> Machine for Lazy<R, F, A, D> {
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
        if self.flash.contains(page) {
            self.counters.flash_hits += 1;
            self.admission.on_flash_hit(page);
            self.below.update(page);
            self.flash.on_hit(page);
        } else {
            self.counters.flash_misses += 1;
        }
        if let Some(victim) = self.ram.evict_if_full(page) {
            self.stage(victim);
        }
        self.ram.insert(page, write);
    }

    fn fill(&self) -> Fill {
        Fill::of(FLASH, self.flash.len(), self.flash.capacity())
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        self.ram.recount("RAM")?;
        self.flash.recount("flash")?;
        if self.counters.victims_found_on_flash > self.counters.flash_hits {
            return Err(format!(
                "{} RAM victims were on flash, but only {} pages came from there",
                self.counters.victims_found_on_flash, self.counters.flash_hits
            ));
        }
        self.admission.recount()?;
        self.below.recount(self.flash.len(), &self.counters())?;
        let counters = &self.counters;
        let left_alone = counters.ram_evictions
            - counters.flash_fills
            - counters.flash_write_backs
            - counters.rejections;
        if left_alone > counters.victims_found_on_flash {
            return Err(format!(
                "{left_alone} RAM victims were neither written nor refused, but only {} were on flash",
                counters.victims_found_on_flash
            ));
        }
        add_up(
            counters,
            totals,
            self.ram.len(),
            self.flash.len(),
            counters.flash_invalidations,
        )
    }
}

impl<R: Policy, F: Removable, A: Admission, D: Below> Lazy<R, F, A, D> {
    #[inline]
    fn stage(&mut self, victim: Victim) {
        self.counters.ram_evictions += 1;
        self.below.look_up(victim.page);
        self.counters.ram_dirty_evictions += u64::from(victim.dirty);
        self.admission.on_exit(victim);
        if self.flash.contains(victim.page) {
            self.counters.victims_found_on_flash += 1;
            if victim.dirty {
                if self.refuses(victim) {
                    self.counters.flash_invalidations += 1;
                    self.flash.remove(victim.page);
                    self.below.leave(victim.page);
                    self.below.update(victim.page);
                    return;
                }
                self.counters.flash_write_backs += 1;
                self.below.write(victim.page);
                self.below.update(victim.page);
                self.flash.soil(victim.page, true);
                self.flash.on_hit(victim.page);
            }
        } else {
            if self.refuses(victim) {
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

    /// Whether the rule keeps a victim off flash, which then is on disk.
    #[inline]
    fn refuses(&mut self, victim: Victim) -> bool {
        if !A::CAN_REJECT || self.admission.admits(victim) {
            return false;
        }
        self.counters.rejections += 1;
        self.counters.dirty_rejections += u64::from(victim.dirty);
        self.counters.hdd_writes += u64::from(victim.dirty);
        true
    }
}

impl<R: Policy, F: Removable, A: Admission, D: Below> Scheme for Lazy<R, F, A, D> {
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
        let tier = Tier::of(flash);
        Self {
            ram: Tier::of(ram),
            flash: if A::CAN_REJECT {
                tier.expecting_removal()
            } else {
                tier
            },
            admission: A::new(flash.pages),
            counters: SchemeCounters::default(),
            below: D::default(),
        }
    }
}

impl<R: Policy, F: Removable, A: Admission, D: Below> Flow for Lazy<R, F, A, D> {
    type Below = D;
    type Rule = A;

    fn below(&mut self) -> &mut D {
        &mut self.below
    }

    /// A RAM miss looks its page up, and so does each RAM victim. A flash hit, a write-back, a copy
    /// that is dropped, a flash victim and a page written to flash each update one entry.
    fn counters(&self) -> SchemeCounters {
        let counters = self.counters;
        SchemeCounters {
            directory_lookups: counters.flash_hits + counters.flash_misses + counters.ram_evictions,
            directory_updates: counters.flash_hits
                + counters.flash_write_backs
                + counters.flash_invalidations
                + counters.flash_evictions
                + counters.flash_fills,
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
