//! The exclusive scheme with LRU in both tiers and every page admitted.

use super::exclusive::Exclusive;
use crate::access::WRITE;
use crate::replay::admission::all::All;
use crate::replay::bits::BitSet;
use crate::replay::policies::lru::Lru;
use crate::replay::recency::bands::{Bands, BandsWitness, Found};
use crate::replay::settings::Setting;
use crate::replay::timed::Contents;
use crate::replay::two_tier::{Cache, Flow, Scheme, SchemeCounters, add_up};
use crate::replay::{FLASH, Fill, Machine, Totals, any_write};

/// [`Exclusive`] of LRU and LRU, which together are one LRU order of `r + f` pages: RAM is its most
/// recent `r`. A RAM victim only crosses the border, so one order serves both tiers.
///
/// ```text
/// pg among the most recent r of the order:  RAM hit
/// pg among the next f:                      flash hit
/// else:                                     flash miss; if the order has r + f pages, its last one is v_f:
///                                           evict it; if dirty, write it to disk
/// pg to the front of the order; dirty if it was or if it is written
/// a page that sinks from place r to r + 1 is v_r: written to flash, dirty or not
/// ```
pub(crate) struct ExclusiveLru {
    ram_pages: u32,
    flash_pages: u32,
    order: Bands,
    dirty: BitSet,
    /// Whether any page was ever dirty: without writes the bits are not worth a look.
    ever_dirty: bool,
    accesses: u64,
    counts: Counts,
    below: (),
}

#[derive(Debug, Default)]
struct Counts {
    ram_hits: u64,
    flash_misses: u64,
    ram_evictions: u64,
    ram_dirty_evictions: u64,
    flash_evictions: u64,
    hdd_writes: u64,
}

/// Counts what happens in the order, and keeps the dirty bits if there are any.
struct Counting<'a, const DIRTY: bool> {
    counts: &'a mut Counts,
    dirty: &'a mut BitSet,
    flags: std::slice::Iter<'a, u8>,
}

impl<const DIRTY: bool> BandsWitness for Counting<'_, DIRTY> {
    fn asks_pages(&self) -> bool {
        DIRTY
    }

    #[inline]
    fn access(&mut self, page: u32, found: Found) {
        if DIRTY {
            let write = self.flags.next().is_some_and(|flags| flags & WRITE != 0);
            self.dirty.insert_if(page, write);
        }
        self.counts.ram_hits += u64::from(found.in_upper);
        self.counts.flash_misses += u64::from(!found.in_either);
    }

    #[inline]
    fn sinks(&mut self, page: u32) {
        self.counts.ram_evictions += 1;
        self.counts.ram_dirty_evictions += u64::from(self.dirty.contains(page));
    }

    fn sink(&mut self, count: u32) {
        self.counts.ram_evictions += u64::from(count);
    }

    #[inline]
    fn leaves(&mut self, page: u32) {
        self.counts.flash_evictions += 1;
        self.counts.hdd_writes += u64::from(self.dirty.take(page));
    }

    fn leave(&mut self, count: u32) {
        self.counts.flash_evictions += u64::from(count);
    }
}

impl ExclusiveLru {
    fn reference<const DIRTY: bool>(&mut self, pages: &[u32], flags: &[u8]) {
        let mut counting = Counting::<DIRTY> {
            counts: &mut self.counts,
            dirty: &mut self.dirty,
            flags: flags.iter(),
        };
        let (ram, flash) = (self.ram_pages, self.flash_pages);
        self.order.reference(ram, flash, pages, &mut counting);
    }
}

impl Machine for ExclusiveLru {
    fn grow(&mut self, pages: usize) {
        self.order.grow(pages);
        self.dirty.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.order.fetch(pages);
    }

    fn access(&mut self, page: u32, write: bool) {
        self.access_all(&[page], &[if write { WRITE } else { 0 }]);
    }

    #[inline]
    fn access_all(&mut self, pages: &[u32], flags: &[u8]) {
        self.accesses += pages.len() as u64;
        self.ever_dirty |= any_write(flags);
        if self.ever_dirty {
            self.reference::<true>(pages, flags);
        } else {
            self.reference::<false>(pages, flags);
        }
    }

    fn fill(&self) -> Fill {
        Fill::of(FLASH, self.order.lower(), self.flash_pages)
    }

    fn finished(&self, totals: Totals) -> Result<(), String> {
        self.order.recount()?;
        if let Some(page) = self.dirty.iter().find(|&page| !self.order.contains(page)) {
            return Err(format!("absent page {page} is marked dirty"));
        }
        let counters = self.counters();
        let (ram, flash) = (self.order.upper(), self.order.lower());
        add_up(&counters, totals, ram, flash, counters.flash_hits)
    }
}

impl Scheme for ExclusiveLru {
    const OPTIONS: &[Setting] = <Exclusive<Lru, Lru> as Scheme>::OPTIONS;

    fn new(ram: &Cache<'_>, flash: &Cache<'_>) -> Self {
        Self {
            ram_pages: ram.pages,
            flash_pages: flash.pages,
            order: Bands::default(),
            dirty: BitSet::default(),
            ever_dirty: false,
            accesses: 0,
            counts: Counts::default(),
            below: (),
        }
    }
}

impl Flow for ExclusiveLru {
    type Below = ();
    type Rule = All;

    fn below(&mut self) -> &mut () {
        &mut self.below
    }

    /// As those of [`Exclusive`]: every RAM victim is written to flash, and no frame is left free.
    fn counters(&self) -> SchemeCounters {
        let counts = &self.counts;
        let ram_misses = self.accesses - counts.ram_hits;
        SchemeCounters {
            ram_hits: counts.ram_hits,
            flash_hits: ram_misses - counts.flash_misses,
            flash_misses: counts.flash_misses,
            flash_fills: counts.ram_evictions,
            hdd_writes: counts.hdd_writes,
            ram_evictions: counts.ram_evictions,
            ram_dirty_evictions: counts.ram_dirty_evictions,
            flash_evictions: counts.flash_evictions,
            directory_lookups: ram_misses,
            directory_updates: counts.ram_evictions + counts.flash_evictions,
            ..SchemeCounters::default()
        }
    }

    fn contents(&self) -> Contents {
        let in_ram = self.dirty.iter().filter(|&page| self.order.is_upper(page));
        let in_ram = in_ram.count() as u64;
        Contents {
            ram: self.order.upper().into(),
            ram_dirty: in_ram,
            flash: self.order.lower().into(),
            flash_dirty: self.dirty.len() - in_ram,
        }
    }

    fn is_newer_than_disk(&self, page: u32) -> bool {
        self.dirty.contains(page)
    }
}
