//! LARC: a page enters flash at its second miss, if that comes soon enough.

use super::chains::{Ends, Links};
use super::frames::{self, Copies, DIRECTORY, EntriesOnFlash, FrameTable, directory_of};
use super::options::Options;
use super::{
    Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host, OptionAbout,
    Sampled, Unsampled,
};
use crate::error::Result;
use crate::replay::bits::BitSet;
use crate::replay::metadata::MetadataLayout;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) write_back: bool,
    /// Whether every page enters as long as flash is not full.
    pub(crate) fill_first: bool,
    pub(crate) directory: EntriesOnFlash,
}

/// Bounds of the ghost list, as shares of flash.
const LEAST: f64 = 0.1;
const MOST: f64 = 0.9;

/// Lazy Adaptive Replacement Cache, a block cache: it sees DRAM misses and changed DRAM victims.
///
/// ```text
/// C: pages of flash; g: target length of the ghost list, a real number, 0.1 C at first
/// DRAM misses p:        on flash: read it; hit(p)
/// p came from disk:     miss(p)
/// evict p from DRAM:    unchanged: the block layer does not hear of it
///                       changed: (write_through: write it to disk)
///                       on flash: write it over its copy; hit(p)
///                       else miss(p); write_back: if it does not enter, write it to disk
/// hit(p):               p is the most recent on flash; g = max(0.1 C, g - C / (C - g))
/// miss(p):              g = min(0.9 C, g + C / g)
///                       in the ghost list (or, with fill_first, while flash is not full):
///                         it leaves the list; if flash is full the least recent page makes room, a dirty one
///                         by way of the disk; write p to flash, where it is the most recent
///                       else it is the most recent of the ghost list, which loses its least recent pages beyond g
/// ```
///
/// Choices where the description is silent:
/// * A write to the block layer is a hit or a miss as a read is. Write-back is the mode of the dm-cache
///   policy that implements it.
/// * With `directory=persistent` a change of an entry costs two random metadata page writes, as for the
///   other caches that have one. The ghost list is in memory, and lost in a crash.
#[derive(Debug)]
pub(crate) struct Larc {
    settings: Settings,
    capacity: f64,
    /// g. [pages]
    target: f64,
    frames: FrameTable,
    /// Of pages on flash, and of the ghost list: no page is in both.
    links: Links,
    /// Pages on flash, least recent first.
    order: Ends,
    ghost: Ends,
    in_ghost: BitSet,
    ghosts: u32,
}

impl Larc {
    fn hit(&mut self, page: u32) {
        self.links.renew(&mut self.order, page);
        let less = self.capacity / (self.capacity - self.target);
        self.target = (self.target - less).max(LEAST * self.capacity);
    }

    /// Whether the page enters flash.
    fn miss(&mut self, page: u32, dirty: bool, host: &mut impl Host) -> bool {
        let more = self.capacity / self.target;
        self.target = (self.target + more).min(MOST * self.capacity);
        let known = self.in_ghost.take(page);
        if known {
            self.links.remove(&mut self.ghost, page);
            self.ghosts -= 1;
        }
        let room = if known || self.settings.fill_first {
            self.frames.room()
        } else {
            None
        };
        let frame = match room {
            Some(frame) => frame,
            None if known => {
                let victim = self.links.pop(&mut self.order).unwrap_or_default();
                self.frames.expect(self.order.oldest);
                self.frames.evict(victim, host)
            }
            None => {
                self.remember(page);
                let counters = host.counters();
                counters.bypassed += 1;
                counters.filtered += 1;
                return false;
            }
        };
        self.links.push(&mut self.order, page);
        self.frames.fill(page, frame, dirty, host);
        true
    }

    fn remember(&mut self, page: u32) {
        self.links.push(&mut self.ghost, page);
        self.in_ghost.insert(page);
        self.ghosts += 1;
        while f64::from(self.ghosts) > self.target
            && let Some(oldest) = self.links.pop(&mut self.ghost)
        {
            self.in_ghost.take(oldest);
            self.ghosts -= 1;
        }
    }
}

impl FlashCache for Larc {
    type Settings = Settings;
    type Image = Copies;
    type Device = Frames;

    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "mode",
            values: "write_back, write_through",
            default: "write_back",
            description: "When a changed DRAM victim reaches the disk: when it makes room on flash, or at once.",
            is_place: false,
        },
        OptionAbout {
            name: "fill_first",
            values: "false, true",
            default: "false",
            description: "Whether every page enters as long as flash is not full, as in an open implementation; the paper filters from the first miss.",
            is_place: false,
        },
        DIRECTORY,
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        Ok(Settings {
            write_back: options
                .choice("mode", &[("write_back", true), ("write_through", false)])?,
            fill_first: options.flag("fill_first")?,
            directory: directory_of(options, run)?,
        })
    }

    fn metadata(settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        frames::layout(settings.directory, run)
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        // A page enters from the ghost list, which has a tenth of as many pages at least.
        Ok(Sampled::in_frames(LEAST))
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        let capacity = f64::from(flash_pages);
        Self {
            settings: *settings,
            capacity,
            target: LEAST * capacity,
            frames: FrameTable::new(flash_pages, settings.directory),
            links: Links::default(),
            order: Ends::EMPTY,
            ghost: Ends::EMPTY,
            in_ghost: BitSet::default(),
            ghosts: 0,
        }
    }

    fn grow(&mut self, pages: usize) {
        self.frames.grow(pages);
        self.links.grow(pages);
        self.in_ghost.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.frames.fetch(pages);
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        if !self.frames.holds(page) {
            return false;
        }
        self.hit(page);
        true
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.frames.holds(page)
    }

    #[inline]
    fn on_entry(&mut self, page: u32, host: &mut impl Host) {
        self.miss(page, false, host);
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let on_flash = self.frames.holds(page);
        let back = self.settings.write_back;
        host.counters().victims_found_on_flash += u64::from(on_flash);
        if !changed {
            return;
        }
        let stays_out = if on_flash {
            self.frames.overwrite(page, back, host);
            self.hit(page);
            false
        } else {
            !self.miss(page, back, host)
        };
        host.counters().disk_writes_on_exit += u64::from(!back || stays_out);
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

    fn holds_newer(&self, page: u32) -> bool {
        self.frames.is_dirty(page)
    }

    fn dirty_copies(&self) -> u64 {
        u64::from(self.frames.dirty_held())
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let ordered = self.links.iter(self.order);
        let ordered = ordered.filter(|&page| self.frames.holds(page)).count();
        let remembered = self.links.iter(self.ghost);
        let remembered = remembered
            .filter(|&page| self.in_ghost.contains(page) && !self.frames.holds(page))
            .count();
        let (least, most) = (LEAST * self.capacity, MOST * self.capacity);
        if remembered != self.ghosts as usize
            || remembered != self.in_ghost.iter().count()
            || !(least..=most).contains(&self.target)
        {
            return Err(format!(
                "{remembered} pages in the ghost list, counted as {}, which may have {} of {least} to {most}",
                self.ghosts, self.target
            ));
        }
        self.frames.recount(ordered, counters, crash)
    }
}
