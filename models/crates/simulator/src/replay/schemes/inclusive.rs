//! The inclusive scheme: every RAM page is on flash too.

use crate::replay::admission::ADMISSION;
use crate::replay::bits::BitSet;
use crate::replay::flash_blocks::{BLOCK_PAGES, BLOCK_TECHNIQUE};
use crate::replay::policies::Policy;
use crate::replay::recency::protected::ProtectedRecency;
use crate::replay::settings::Setting;
use crate::replay::tier::{Misses, Tier, Victim};
use crate::replay::two_tier::{Cache, RAM_POLICY, Scheme, SchemeCounters, add_up};
use crate::replay::{Machine, Totals, access_each};

/// Figure 2 of Koltsidas and Viglas, flash in LRU order of its own traffic.
///
/// ```text
/// if pg in RAM: return pg                          -- flash does not see it
/// evict v_r if RAM is full; if dirty, write it to its flash copy (flash MRU)
/// if pg on flash: read it (flash MRU)
/// else: evict v_f, the least recent flash page not in RAM, if flash is full
///       read pg from disk, write it to flash (MRU, clean)
/// pg enters RAM, clean
/// ```
///
/// `v_r` has left RAM when `v_f` is chosen, so it may be that victim. RAM pages are protected on
/// flash, which keeps their places: a clean RAM victim becomes evictable exactly where it stands.
///
/// Flash is LRU only. With any other policy the victim would have to be its best page that is not in
/// RAM, and that is defined for an order alone: the hand of a CLOCK, the ghosts of ARC, the queue of
/// LIRS change when a page is chosen, so "the next best" depends on what passing over a protected page
/// does, of which neither the scheme nor any policy's paper says anything. A result would be one of
/// several, none of them the scheme's.
pub(crate) struct Inclusive<R> {
    ram: Tier<R>,
    flash_pages: u32,
    flash: ProtectedRecency,
    flash_dirty: BitSet,
    counters: SchemeCounters,
    /// Evictions that found every flash page in RAM: impossible with no less flash than RAM.
    without_victim: u64,
    /// Of the batch at work.
    misses: Misses,
}

impl<R: Policy> Machine for Inclusive<R> {
    fn grow(&mut self, pages: usize) {
        self.ram.grow(pages);
        self.flash.grow(pages);
        self.flash_dirty.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.ram.fetch(pages);
        if !R::IN_BULK {
            self.flash.fetch(pages);
            // Flash is asked for each victim of RAM.
            self.flash.fetch(self.ram.upcoming());
        }
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
        let victim = self.ram.evict_if_full(page);
        self.miss(page, victim);
        self.ram.insert(page, write);
    }

    /// RAM does not depend on flash: it runs ahead, and flash sees its misses and victims.
    #[inline]
    fn access_all(&mut self, pages: &[u32], flags: &[u8]) {
        if !R::IN_BULK {
            access_each(self, pages, flags);
            return;
        }
        let mut misses = std::mem::take(&mut self.misses);
        self.ram.miss(pages, flags, &mut misses);
        self.counters.ram_hits += (pages.len() - misses.pages().len()) as u64;
        self.flash.fetch(misses.pages());
        self.flash.fetch(misses.victims());
        for (page, victim) in misses.iter() {
            self.miss(page, victim);
        }
        self.misses = misses;
    }

    fn finished(&self, totals: Totals) -> Result<(), String> {
        self.ram.recount("RAM")?;
        self.flash.recount()?;
        if self.without_victim > 0 || self.flash.len() > self.flash_pages {
            return Err(format!(
                "{} pages on a flash of {}, {} evictions without victim",
                self.flash.len(),
                self.flash_pages,
                self.without_victim
            ));
        }
        let mut shared = 0;
        for page in self.flash.iter() {
            let in_ram = self.ram.contains(page);
            shared += u32::from(in_ram);
            if in_ram != self.flash.is_protected(page) {
                return Err(format!("protection of page {page} and RAM disagree"));
            }
        }
        if shared != self.ram.len() {
            return Err(format!(
                "{} of {} RAM pages are on flash",
                shared,
                self.ram.len()
            ));
        }
        if let Some(page) = self
            .flash_dirty
            .iter()
            .find(|&page| !self.flash.contains(page))
        {
            return Err(format!("page {page} is dirty on flash but not there"));
        }
        add_up(&self.counters, totals, self.ram.len(), self.flash.len(), 0)
    }
}

impl<R> Inclusive<R> {
    /// What a miss of RAM does on flash.
    #[expect(clippy::inline_always, reason = "half of what a replay does")]
    #[inline(always)]
    fn miss(&mut self, page: u32, victim: Option<Victim>) {
        let on_flash = self.flash.contains(page);
        if let Some(victim) = victim {
            self.counters.ram_evictions += 1;
            self.counters.victims_found_on_flash += 1;
            if victim.dirty {
                self.counters.ram_dirty_evictions += 1;
                self.counters.flash_write_backs += 1;
                self.flash_dirty.insert(victim.page);
                self.flash.touch_and_release(victim.page);
            } else {
                self.flash.release(victim.page);
            }
        }
        if on_flash {
            self.counters.flash_hits += 1;
            self.flash.touch_and_protect(page);
        } else {
            self.counters.flash_misses += 1;
            self.evict_from_full_flash();
            self.counters.flash_fills += 1;
            self.flash.insert_protected(page);
        }
    }

    #[inline]
    fn evict_from_full_flash(&mut self) {
        if self.flash.len() < self.flash_pages {
            return;
        }
        match self.flash.pop_least_recent_unprotected() {
            Some(victim) => {
                self.counters.flash_evictions += 1;
                self.counters.hdd_writes += u64::from(self.flash_dirty.take(victim));
            }
            None => self.without_victim += 1,
        }
    }
}

impl<R: Policy> Scheme for Inclusive<R> {
    const NEEDS_FLASH_ABOVE_RAM: bool = true;
    const OPTIONS: &[Setting] = &[RAM_POLICY, BLOCK_PAGES, BLOCK_TECHNIQUE];
    const REFUSES: &[(&str, &str)] = &[(
        ADMISSION.name,
        "every RAM page is on flash, so flash takes every page",
    )];

    fn new(ram: &Cache<'_>, flash: &Cache<'_>) -> Self {
        Self {
            ram: Tier::of(ram),
            flash_pages: flash.pages,
            flash: ProtectedRecency::new(),
            flash_dirty: BitSet::default(),
            counters: SchemeCounters::default(),
            without_victim: 0,
            misses: Misses::default(),
        }
    }

    /// A RAM miss looks its page up. A dirty RAM victim, a flash hit, a flash victim and a page
    /// written to flash each update one entry.
    fn counters(&self) -> SchemeCounters {
        let counters = self.counters;
        SchemeCounters {
            directory_lookups: counters.flash_hits + counters.flash_misses,
            directory_updates: counters.flash_write_backs
                + counters.flash_hits
                + counters.flash_evictions
                + counters.flash_fills,
            ..counters
        }
    }
}
