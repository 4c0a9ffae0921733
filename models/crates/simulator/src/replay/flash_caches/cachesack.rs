//! An LRU flash cache that asks an assignment of categories to admissions what enters.

use super::assignments::{ASSIGNMENT, Assignment, CATEGORIES, Rule, parse};
use super::categories::{Categories, MOST};
use super::chains::{Ends, Links};
use super::frames::{self, Copies, DIRECTORY, EntriesOnFlash, FrameTable, directory_of};
use super::options::Options;
use super::sampled::check_categories;
use super::{
    Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host, OptionAbout,
    Sampled, Unsampled, Warning,
};
use crate::access::Chunk;
use crate::error::Result;
use crate::replay::fetch::fetch;
use crate::replay::metadata::MetadataLayout;

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    categories: Categories,
    assignment: Assignment,
    directory: EntriesOnFlash,
}

/// LRU flash behind an admission by category, as Google's `CacheSack` (Yang and others, ATC 2022) puts one before its
/// flash caches; the assignment is given, [`super::category_counts`] has what it is made from.
///
/// ```text
/// t: requests so far; a DRAM miss is one, a changed DRAM victim is one; last(p): t of the last request of p
/// DRAM misses p:        request p; on flash: read it, it is the most recent
/// p came from disk:     never: no; miss, write: admit p
///                       second_miss: admit p if it was requested before and, once flash is full, since the least
///                       recent page on flash was
/// evict p from DRAM:    unchanged: the block layer does not hear of it
///                       changed: write it to disk; request p; on flash: write it over its copy, it is the most recent
///                       else, write: admit p
/// admit p:              if flash is full the least recent page makes room; write p to flash, the most recent
/// category of p:        that of its last access in DRAM or below
/// ```
///
/// Choices where the paper is silent, or its cache differs:
/// * Flash is write-through: blocks of the paper's store do not change. So all assignments write the same to disk.
/// * Its ghost list is as deep in time as flash itself, since a page of lifetime D enters if its last request is at
///   most D ago.
/// * Of a category with two rules, pages take one of them by their number.
/// * With `directory=persistent` a change of an entry costs two random metadata page writes, as for the other caches
///   that have one; which pages were requested is lost in a crash.
#[derive(Debug)]
pub(crate) struct CacheSack {
    settings: Settings,
    frames: FrameTable,
    links: Links,
    /// Pages on flash, least recent first.
    order: Ends,
    /// Of the accesses of a chunk, and which comes next.
    coming: Vec<u16>,
    next: usize,
    /// Of the categories so far.
    highest: Option<u16>,
    category_of: Vec<u16>,
    /// 0: not requested yet.
    last: Vec<u64>,
    requests: u64,
    /// Last request of the page being fetched, before this one; 0 if there was none.
    before: u64,
}

impl CacheSack {
    #[inline]
    fn note(&mut self, page: u32) {
        self.category_of[page as usize] = self.coming.get(self.next).copied().unwrap_or(MOST);
        self.next += 1;
    }

    #[inline]
    fn request(&mut self, page: u32) -> u64 {
        self.requests += 1;
        std::mem::replace(&mut self.last[page as usize], self.requests)
    }

    #[inline]
    fn rule(&self, page: u32) -> Rule {
        let category = self.category_of[page as usize];
        self.settings.assignment.of(category, page)
    }

    fn admit(&mut self, page: u32, host: &mut impl Host) {
        let frame = if let Some(frame) = self.frames.room() {
            frame
        } else {
            let victim = self.links.pop(&mut self.order).unwrap_or_default();
            self.frames.expect(self.order.oldest);
            self.frames.evict(victim, host)
        };
        self.links.push(&mut self.order, page);
        self.frames.fill(page, frame, false, host);
    }
}

impl FlashCache for CacheSack {
    type Settings = Settings;
    type Image = Copies;
    type Device = Frames;

    const NEEDS_ADDRESSES: bool = true;
    const OPTIONS: &'static [OptionAbout] = &[CATEGORIES, ASSIGNMENT, DIRECTORY];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        Ok(Settings {
            categories: options.choice("categories", &Categories::choices())?,
            assignment: options.parsed("assignment", parse)?,
            directory: directory_of(options, run)?,
        })
    }

    fn metadata(settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        frames::layout(settings.directory, run)
    }

    fn sampled(settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        check_categories(settings.categories)?;
        Ok(Sampled::in_frames(1.0))
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            frames: FrameTable::new(flash_pages, settings.directory),
            links: Links::default(),
            order: Ends::EMPTY,
            coming: Vec::new(),
            next: 0,
            highest: None,
            category_of: Vec::new(),
            last: Vec::new(),
            requests: 0,
            before: 0,
        }
    }

    fn grow(&mut self, pages: usize) {
        self.frames.grow(pages);
        self.links.grow(pages);
        if pages > self.last.len() {
            self.last.resize(pages, 0);
            self.category_of.resize(pages, MOST);
        }
    }

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.next = 0;
        self.settings
            .categories
            .of(chunk, spaces, &mut self.coming)?;
        self.highest = self.highest.max(self.coming.iter().copied().max());
        Ok(())
    }

    fn notes(&self) -> Vec<Warning> {
        self.settings.assignment.notes(self.highest)
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        self.coming = std::mem::take(&mut crashed.coming);
        self.next = crashed.next;
        self.highest = crashed.highest;
        self.category_of = std::mem::take(&mut crashed.category_of);
    }

    fn fetch(&self, pages: &[u32]) {
        self.frames.fetch(pages);
        self.links.fetch(pages);
        fetch(&self.last, pages);
    }

    /// Few of those that leave have changed, and of the others it is asked only whether they are here.
    fn fetch_leaving(&self, pages: &[u32]) {
        self.frames.fetch(pages);
    }

    #[inline]
    fn on_dram_hit(&mut self, page: u32, _host: &mut impl Host) {
        self.note(page);
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        self.note(page);
        self.before = self.request(page);
        if !self.frames.holds(page) {
            return false;
        }
        self.links.renew(&mut self.order, page);
        true
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.frames.holds(page)
    }

    #[inline]
    fn on_entry(&mut self, page: u32, host: &mut impl Host) {
        let enters = match self.rule(page) {
            Rule::Never => false,
            Rule::SecondMiss => {
                let since = if self.frames.is_full() {
                    self.last[self.order.oldest as usize]
                } else {
                    1
                };
                self.before >= since.max(1)
            }
            Rule::Miss | Rule::Write => true,
        };
        if enters {
            self.admit(page, host);
        } else {
            host.counters().bypassed += 1;
        }
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let on_flash = self.frames.holds(page);
        host.counters().victims_found_on_flash += u64::from(on_flash);
        if !changed {
            return;
        }
        host.counters().disk_writes_on_exit += 1;
        self.request(page);
        if on_flash {
            self.frames.overwrite(page, false, host);
            self.links.renew(&mut self.order, page);
        } else if self.rule(page) == Rule::Write {
            self.admit(page, host);
        }
    }

    fn image(self) -> Copies {
        self.frames.copies()
    }

    fn load(&mut self, image: Copies, _counters: &mut FlashCacheCounters) {
        self.frames.load(&image);
        for (_, page, _) in image {
            self.links.push(&mut self.order, page);
        }
    }

    fn valid_copies(&self) -> u64 {
        u64::from(self.frames.held())
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let mut ordered = 0;
        let mut since = 0;
        for page in self.links.iter(self.order) {
            let last = self.last[page as usize];
            // The victim of a page that enters is requested behind it, and moves before it.
            if last + 1 < since || !self.frames.holds(page) {
                return Err(format!("page {page} is out of order"));
            }
            since = last;
            ordered += 1;
        }
        self.frames.recount(ordered, counters, crash)
    }
}
