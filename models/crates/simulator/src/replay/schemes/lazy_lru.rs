//! The lazy scheme with LRU in both tiers and every page admitted.

use super::lazy::Lazy;
use crate::access::WRITE;
use crate::replay::admission::all::All;
use crate::replay::bits::BitSet;
use crate::replay::policies::lru::Lru;
use crate::replay::recency::{Recency, Witness};
use crate::replay::settings::Setting;
use crate::replay::tier::{Misses, Tier, Victim};
use crate::replay::timed::Contents;
use crate::replay::two_tier::{Cache, Flow, Scheme, SchemeCounters, add_up};
use crate::replay::{FLASH, Fill, Machine, Totals};

/// [`Lazy`] of LRU and LRU. RAM does not depend on flash: it runs ahead by a batch, and flash sees its
/// misses and victims, all of which are known by then.
///
/// ```text
/// for each batch: RAM serves every reference and notes, in order, each pg that misses and the v_r that leaves for it
/// for each pair:  pg on flash: flash hit, pg to the front of flash; else flash miss, read from disk
///                 stage v_r, if any: on flash and dirty: write it over its copy, to the front
///                                    on flash and clean: nothing, it keeps its place
///                                    not on flash: evict v_f, the last, if flash is full; if dirty, write it to disk
///                                                  write v_r to the front
/// ```
pub(crate) struct LazyLru {
    ram: Tier<Lru>,
    flash_pages: u32,
    flash: Recency,
    flash_dirty: BitSet,
    /// Whether any flash page was ever dirty: without writes the bits are not worth a look.
    ever_dirty: bool,
    counters: SchemeCounters,
    /// Of the batch at work.
    misses: Misses,
    below: (),
}

/// Counts the pages that leave flash, and looks at their dirty bits if there are any.
struct Leaving<'a, const DIRTY: bool> {
    dirty: &'a mut BitSet,
    evictions: u64,
    dirty_evictions: u64,
}

impl<const DIRTY: bool> Witness for Leaving<'_, DIRTY> {
    fn asks_victims(&self) -> bool {
        DIRTY
    }

    fn access(&mut self, _page: u32, _hit: bool) {}

    #[inline]
    fn victim(&mut self, page: u32) {
        self.evictions += 1;
        self.dirty_evictions += u64::from(self.dirty.take(page));
    }

    fn victims(&mut self, count: u32) {
        self.evictions += u64::from(count);
    }
}

impl LazyLru {
    /// What the misses and victims of RAM do on flash.
    fn stage<const DIRTY: bool>(&mut self) {
        let counters = &mut self.counters;
        let mut leaving = Leaving::<DIRTY> {
            dirty: &mut self.flash_dirty,
            evictions: 0,
            dirty_evictions: 0,
        };
        let misses = &self.misses;
        let references = misses.pages().len() + misses.victims().len();
        let mut bulk = self.flash.bulk(self.flash_pages, references);
        misses.iter().for_each(|(page, victim)| {
            let on_flash = bulk.offer(page, true, false, &mut leaving);
            counters.flash_hits += u64::from(on_flash);
            let Some(Victim { page, dirty }) = victim else {
                return;
            };
            let dirty = DIRTY && dirty;
            let found = bulk.offer(page, dirty, true, &mut leaving);
            if DIRTY {
                leaving.dirty.insert_if(page, dirty);
            }
            counters.ram_dirty_evictions += u64::from(dirty);
            counters.victims_found_on_flash += u64::from(found);
            counters.flash_write_backs += u64::from(found & dirty);
        });
        bulk.finish(&mut leaving);
        counters.flash_evictions += leaving.evictions;
        counters.hdd_writes += leaving.dirty_evictions;
        counters.ram_evictions += misses.victims().len() as u64;
    }
}

impl Machine for LazyLru {
    fn grow(&mut self, pages: usize) {
        self.ram.grow(pages);
        self.flash.grow(pages);
        self.flash_dirty.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.ram.fetch(pages);
    }

    fn access(&mut self, page: u32, write: bool) {
        self.access_all(&[page], &[if write { WRITE } else { 0 }]);
    }

    #[inline]
    fn access_all(&mut self, pages: &[u32], flags: &[u8]) {
        self.ram.miss(pages, flags, &mut self.misses);
        let missed = self.misses.pages();
        self.counters.ram_hits += (pages.len() - missed.len()) as u64;
        self.flash.fetch(missed);
        self.flash.fetch(self.misses.victims());
        self.ever_dirty |= self.misses.any_dirty();
        let hits = self.counters.flash_hits;
        if self.ever_dirty {
            self.stage::<true>();
        } else {
            self.stage::<false>();
        }
        let counters = &mut self.counters;
        counters.flash_misses += self.misses.pages().len() as u64 + hits - counters.flash_hits;
        counters.flash_fills = counters.ram_evictions - counters.victims_found_on_flash;
    }

    fn fill(&self) -> Fill {
        Fill::of(FLASH, self.flash.len(), self.flash_pages)
    }

    fn finished(&self, totals: Totals) -> Result<(), String> {
        self.ram.recount("RAM")?;
        self.flash.recount()?;
        let counters = &self.counters;
        if counters.victims_found_on_flash > counters.flash_hits {
            return Err(format!(
                "{} RAM victims were on flash, but only {} pages came from there",
                counters.victims_found_on_flash, counters.flash_hits
            ));
        }
        let absent = |&page: &u32| !self.flash.contains(page);
        if let Some(page) = self.flash_dirty.iter().find(absent) {
            return Err(format!("page {page} is dirty on flash but not there"));
        }
        add_up(counters, totals, self.ram.len(), self.flash.len(), 0)
    }
}

impl Scheme for LazyLru {
    const OPTIONS: &[Setting] = <Lazy<Lru, Lru> as Scheme>::OPTIONS;

    fn new(ram: &Cache<'_>, flash: &Cache<'_>) -> Self {
        Self {
            ram: Tier::of(ram),
            flash_pages: flash.pages,
            flash: Recency::default(),
            flash_dirty: BitSet::default(),
            ever_dirty: false,
            counters: SchemeCounters::default(),
            misses: Misses::default(),
            below: (),
        }
    }
}

impl Flow for LazyLru {
    type Below = ();
    type Rule = All;

    fn below(&mut self) -> &mut () {
        &mut self.below
    }

    /// As those of [`Lazy`], which drops no copy where every page is admitted.
    fn counters(&self) -> SchemeCounters {
        let counters = self.counters;
        SchemeCounters {
            directory_lookups: counters.flash_hits + counters.flash_misses + counters.ram_evictions,
            directory_updates: counters.flash_hits
                + counters.flash_write_backs
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
            flash_dirty: self.flash_dirty.len(),
        }
    }

    fn is_newer_than_disk(&self, page: u32) -> bool {
        self.ram.is_dirty(page) || self.flash_dirty.contains(page)
    }
}
