//! The inclusive scheme: every RAM page is on flash too.

use crate::access::Chunk;
use crate::replay::admission::all::All;
use crate::replay::admission::{
    ADMISSION_AT_MISS, ASSIGNMENT, Admission, CATEGORIES, LIFETIME, NOT_AT_MISS,
};
use crate::replay::bits::BitSet;
use crate::replay::directory::{DIRECTORY, DIRECTORY_BUFFER};
use crate::replay::flash_blocks::{BLOCK_PAGES, BLOCK_TECHNIQUE};
use crate::replay::policies::{Guarding, Policy};
use crate::replay::settings::Setting;
use crate::replay::tier::{Misses, Tier, Victim};
use crate::replay::timed::Contents;
use crate::replay::translation::{BLOCK, BUFFER, Below, CHOICES, GC, MAPPING, SEED, SPARE, TRIM};
use crate::replay::two_tier::{
    Cache, FLASH_POLICY, Flow, RAM_POLICY, Scheme, SchemeCounters, add_up,
};
use crate::replay::{FLASH, Fill, Machine, Totals, access_each};

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
/// `v_r` has left RAM when `v_f` is chosen, so it may be that victim. RAM pages are guarded on
/// flash, which keeps their places: a clean RAM victim becomes evictable exactly where it stands.
///
/// Under another policy than LRU `v_f` is the page that the policy names when it looks at the pages
/// that are not in RAM only; all others keep their places, and the pages of RAM count in the lengths
/// by which it chooses between its lists. Each policy's file says what that means for it.
///
/// Behind an assignment of categories a page that is not admitted passes flash:
///
/// ```text
/// v_r is not on flash: if dirty, write it to disk
/// pg is neither in RAM nor on flash, and is not admitted: read it from disk; flash stays as it is
/// ```
///
/// A page of RAM is then on flash if it was there, or was admitted, as it came; none is guarded otherwise.
pub(crate) struct Inclusive<R, F, D = (), A = All> {
    ram: Tier<R>,
    admission: A,
    flash_pages: u32,
    flash: F,
    flash_dirty: BitSet,
    counters: SchemeCounters,
    /// Flash has as many pages as RAM: what leaves RAM is all that can leave flash.
    mirrors: bool,
    /// Of the batch at work.
    misses: Misses,
    below: D,
}

impl<R: Policy, F: Guarding, D: Below, A: Admission> Machine for Inclusive<R, F, D, A> {
    const NEEDS_ADDRESSES: bool = A::NEEDS_ADDRESSES;
    const NEEDS_TIMES: bool = A::NEEDS_TIMES;

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> crate::error::Result<()> {
        self.admission.classify(chunk, spaces)
    }

    fn grow(&mut self, pages: usize) {
        self.ram.grow(pages);
        self.admission.grow(pages);
        self.flash.grow(pages);
        self.flash_dirty.grow(pages);
        self.below.grow(pages);
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
        let victim = self.ram.evict_if_full(page);
        self.miss(page, victim);
        self.ram.insert(page, write);
    }

    /// RAM does not depend on flash: it runs ahead, and flash sees its misses and victims.
    #[inline]
    fn access_all(&mut self, pages: &[u32], flags: &[u8]) {
        if !R::IN_BULK || A::CAN_REJECT {
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

    fn fill(&self) -> Fill {
        Fill::of(FLASH, self.flash.len(), self.flash_pages)
    }

    fn finished(&self, totals: Totals) -> Result<(), String> {
        self.ram.recount("RAM")?;
        let pages = totals.distinct_pages;
        recount(
            &self.ram,
            &self.flash,
            &self.flash_dirty,
            &self.admission,
            pages,
        )?;
        refused_pass(&self.counters)?;
        if self.flash.len() > self.flash_pages {
            return Err(format!(
                "{} pages on a flash of {}",
                self.flash.len(),
                self.flash_pages
            ));
        }
        self.below.recount(self.flash.len(), &self.counters())?;
        add_up(&self.counters, totals, self.ram.len(), self.flash.len(), 0)
    }
}

/// An empty flash that is to guard the pages of RAM.
pub(crate) fn guarding<F: Guarding>(flash: &Cache<'_>) -> F {
    let mut policy = F::configured(flash.pages, flash.settings);
    policy.expect_guards();
    policy
}

/// Counts what an inclusive flash holds of `pages` pages again: every page of RAM that was admitted, which it
/// guards, and no dirt but its own.
pub(crate) fn recount<R: Policy, F: Guarding, A: Admission>(
    ram: &Tier<R>,
    flash: &F,
    flash_dirty: &BitSet,
    admission: &A,
    pages: usize,
) -> Result<(), String> {
    flash.recount()?;
    let mut held = 0;
    for page in 0..u32::try_from(pages).unwrap_or(u32::MAX) {
        let (in_ram, on_flash) = (ram.contains(page), flash.contains(page));
        held += u32::from(on_flash);
        if in_ram && on_flash != admission.admits_at_miss(page) {
            return Err(format!("page {page} is in RAM, and on flash: {on_flash}"));
        }
        if on_flash && in_ram != flash.is_guarded(page) {
            return Err(format!("the guard of page {page} and RAM disagree"));
        }
        if !on_flash && flash_dirty.contains(page) {
            return Err(format!("page {page} is dirty on flash but not there"));
        }
    }
    if held == flash.len() {
        Ok(())
    } else {
        Err(format!(
            "{held} pages on flash, which counts {}",
            flash.len()
        ))
    }
}

/// Each RAM victim was on flash or was refused, and each refusal of a victim goes back to a miss that passed flash.
pub(crate) fn refused_pass(counters: &SchemeCounters) -> Result<(), String> {
    if counters.ram_evictions == counters.victims_found_on_flash + counters.rejections
        && counters.flash_misses >= counters.flash_fills + counters.rejections
    {
        return Ok(());
    }
    Err(format!(
        "{} RAM victims, {} of them on flash and {} refused; {} flash misses, {} pages written to flash",
        counters.ram_evictions,
        counters.victims_found_on_flash,
        counters.rejections,
        counters.flash_misses,
        counters.flash_fills
    ))
}

impl<R, F: Guarding, D: Below, A: Admission> Inclusive<R, F, D, A> {
    /// What a miss of RAM does on flash.
    #[expect(clippy::inline_always, reason = "half of what a replay does")]
    #[inline(always)]
    fn miss(&mut self, page: u32, victim: Option<Victim>) {
        let on_flash = self.flash.contains(page);
        self.below.find(page);
        if let Some(victim) = victim {
            self.counters.ram_evictions += 1;
            self.admission.on_exit(victim);
            if A::CAN_REJECT && !self.admission.admits(victim) {
                self.counters.refuse(victim);
            } else if victim.dirty {
                self.counters.victims_found_on_flash += 1;
                self.counters.ram_dirty_evictions += 1;
                self.counters.flash_write_backs += 1;
                self.below.write(victim.page);
                self.below.update(victim.page);
                self.flash_dirty.insert(victim.page);
                self.flash.hit_and_release(victim.page);
            } else {
                self.counters.victims_found_on_flash += 1;
                self.flash.release(victim.page);
            }
        }
        if on_flash {
            self.counters.flash_hits += 1;
            self.admission.on_flash_hit(page);
            self.below.update(page);
            self.flash.hit_and_guard(page);
        } else {
            self.counters.flash_misses += 1;
            if A::CAN_REJECT && !self.admission.admits_at_miss(page) {
                return;
            }
            self.evict_from_full_flash(page, victim);
            self.counters.flash_fills += 1;
            self.below.write(page);
            self.below.update(page);
            self.flash.insert_guarded(page);
        }
    }

    #[inline]
    fn evict_from_full_flash(&mut self, incoming: u32, left_ram: Option<Victim>) {
        if self.flash.len() < self.flash_pages {
            return;
        }
        let victim = evict(
            &mut self.flash,
            incoming,
            &self.flash_dirty,
            left_ram.filter(|_| F::WALKS && self.mirrors && !A::CAN_REJECT),
        );
        self.counters.flash_evictions += 1;
        self.counters.hdd_writes += u64::from(self.flash_dirty.take(victim));
        self.below.leave(victim);
        self.below.update(victim);
    }
}

/// The counters with those of the directory. A RAM miss looks its page up. A dirty RAM victim, a flash
/// hit, a flash victim and a page written to flash each update one entry.
pub(crate) fn with_directory(counters: SchemeCounters) -> SchemeCounters {
    SchemeCounters {
        directory_lookups: counters.flash_hits + counters.flash_misses,
        directory_updates: counters.flash_write_backs
            + counters.flash_hits
            + counters.flash_evictions
            + counters.flash_fills,
        ..counters
    }
}

/// The page that leaves full flash: `only` the one that just left RAM, if flash has no other open page.
///
/// A hand would pass over all of RAM to find it, at each eviction.
#[inline]
pub(crate) fn evict<F: Guarding>(
    flash: &mut F,
    incoming: u32,
    flash_dirty: &BitSet,
    only: Option<Victim>,
) -> u32 {
    match only {
        Some(only) => {
            flash.remove(only.page);
            only.page
        }
        None => flash.evict_by_dirt(incoming, flash_dirty),
    }
}

impl<R: Policy, F: Guarding, D: Below, A: Admission> Scheme for Inclusive<R, F, D, A> {
    const NEEDS_FLASH_ABOVE_RAM: bool = true;
    const OPTIONS: &[Setting] = &[
        RAM_POLICY,
        FLASH_POLICY,
        ADMISSION_AT_MISS,
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
    const REFUSES: &[(&str, &str)] = &[NOT_AT_MISS];

    fn new(ram: &Cache<'_>, flash: &Cache<'_>) -> Self {
        Self {
            ram: Tier::of(ram),
            admission: A::new(flash.pages),
            flash_pages: flash.pages,
            flash: guarding(flash),
            flash_dirty: BitSet::default(),
            counters: SchemeCounters::default(),
            mirrors: ram.pages == flash.pages,
            misses: Misses::default(),
            below: D::default(),
        }
    }
}

impl<R: Policy, F: Guarding, D: Below, A: Admission> Flow for Inclusive<R, F, D, A> {
    type Below = D;
    type Rule = A;

    fn below(&mut self) -> &mut D {
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
            flash_dirty: self.flash_dirty.len(),
        }
    }

    fn is_newer_than_disk(&self, page: u32) -> bool {
        self.ram.is_dirty(page) || self.flash_dirty.contains(page)
    }

    fn admission(&mut self) -> Option<&mut A> {
        Some(&mut self.admission)
    }
}
