//! Temperature-aware caching (TAC): pages of hot extents, on entry, written through.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::chains::{Ends, Links};
use super::frames::{self, Copies, EntriesOnFlash, FrameTable, entries_on_flash};
use super::options::Options;
use super::units::{MOST_UNIT_PAGES, Units};
use super::{
    Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host, OptionAbout,
    Sampled, Unsampled,
};
use crate::error::Result;
use crate::replay::metadata::MetadataLayout;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) extent_pages: u32,
    /// DRAM misses after which all temperatures are halved; 0: never.
    pub(crate) aging_misses: u64,
    /// The slot directory is always on flash.
    directory: EntriesOnFlash,
}

/// TAC as Kang, Lee and Moon describe it in sections 3.2 and 5.1.
///
/// ```text
/// DRAM misses p:        the extent of p gets one degree hotter; every `aging_misses` misses all
///                       temperatures are halved; on flash: read it
/// p came from disk:     admit p
/// evict p from DRAM:    unchanged: nothing
///                       changed: write it to disk; on flash: write it over its copy, else admit it
/// admit p:              if flash is full: take the coldest extent that has pages there;
///                         the extent of p is not hotter: p stays away
///                         else: the page of that extent that is there longest leaves
///                       write p to flash
/// slot directory:       each page written to flash: two random metadata page writes, one to make
///                       its entry invalid, one to make it valid
/// ```
///
/// Choices where the paper is silent:
/// * Its table says LRU, its text temperature: temperature, with the time of entry among the pages
///   of an extent.
/// * An extent is 32 consecutive pages of a relation. What heats it are DRAM misses, the accesses
///   that flash could serve. Among extents equally cold the one that the trace shows first is taken.
/// * A changed victim that is not on flash is admitted as a page from disk is.
/// * The slot directory is on flash, so a warm restart finds every page; temperatures are lost.
#[derive(Debug)]
pub(crate) struct Tac {
    settings: Settings,
    extents: Units,
    frames: FrameTable,
    /// Pages on flash, through the pages; each extent's oldest first.
    links: Links,
    extent: Vec<Extent>,
    /// Temperature, as it was, and number of the extents with pages on flash, coldest first.
    coldest: BinaryHeap<Reverse<(u32, u32)>>,
    misses_to_aging: u64,
}

#[derive(Debug, Clone, Copy)]
struct Extent {
    temperature: u32,
    pages: Ends,
    in_heap: bool,
}

impl Tac {
    fn age(&mut self) {
        for extent in &mut self.extent {
            extent.temperature /= 2;
        }
        // Halves may be equal where the wholes were not: the order is made again.
        let mut entries = std::mem::take(&mut self.coldest).into_vec();
        for Reverse((temperature, _)) in &mut entries {
            *temperature /= 2;
        }
        self.coldest = BinaryHeap::from(entries);
    }

    /// The coldest extent with a page on flash; there is one.
    fn coldest(&mut self) -> u32 {
        while let Some(mut top) = self.coldest.peek_mut() {
            let Reverse((temperature, number)) = *top;
            let extent = &mut self.extent[number as usize];
            if extent.pages == Ends::EMPTY {
                extent.in_heap = false;
                PeekMut::pop(top);
            } else if extent.temperature == temperature {
                return number;
            } else {
                *top = Reverse((extent.temperature, number));
            }
        }
        unreachable!("flash is full")
    }

    fn admit(&mut self, page: u32, host: &mut impl Host) {
        let frame = if let Some(frame) = self.frames.room() {
            frame
        } else {
            let coldest = self.coldest();
            let own = self.extent[self.extents.of(page) as usize].temperature;
            let extent = &mut self.extent[coldest as usize];
            if own <= extent.temperature {
                host.counters().bypassed += 1;
                return;
            }
            let victim = self.links.pop(&mut extent.pages).unwrap_or_default();
            self.frames.evict(victim, host)
        };
        self.frames.fill(page, frame, false, host);
        self.enter(page);
    }

    fn enter(&mut self, page: u32) {
        let number = self.extents.of(page);
        let extent = &mut self.extent[number as usize];
        self.links.push(&mut extent.pages, page);
        if !extent.in_heap {
            extent.in_heap = true;
            self.coldest.push(Reverse((extent.temperature, number)));
        }
    }

    fn know_extents(&mut self) {
        let cold = Extent {
            temperature: 0,
            pages: Ends::EMPTY,
            in_heap: false,
        };
        self.extent.resize(self.extents.len(), cold);
    }
}

impl FlashCache for Tac {
    type Settings = Settings;
    type Image = Copies;
    type Device = Frames;

    const NEEDS_ADDRESSES: bool = true;
    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "extent_pages",
            values: "1 to 65536",
            default: "32",
            description: "Consecutive pages of a relation that share a temperature, whatever the size of flash.",
            is_place: false,
        },
        OptionAbout {
            name: "aging_misses",
            values: "0 to 4294967295",
            default: "0",
            description: "DRAM misses after which all temperatures are halved; 0 never does.",
            is_place: false,
        },
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        let extent_pages = options.number("extent_pages", 1..=MOST_UNIT_PAGES)?;
        Ok(Settings {
            extent_pages: u32::try_from(extent_pages).unwrap_or(u32::MAX),
            aging_misses: options.number("aging_misses", 0..=u64::from(u32::MAX))?,
            directory: entries_on_flash(run),
        })
    }

    fn metadata(settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        frames::layout(settings.directory, run)
    }

    fn sampled(settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        if settings.extent_pages > 1 {
            return Err(Unsampled::unless(
                "extent_pages=1",
                "the adjacent pages of an extent share a temperature, and a sample holds few of them",
            ));
        }
        if settings.aging_misses > 0 {
            return Err(Unsampled::unless(
                "aging_misses=0",
                "its temperatures are halved after a number of misses, of which a miniature sees only some",
            ));
        }
        Ok(Sampled::in_frames(1.0))
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            extents: Units::new(settings.extent_pages),
            frames: FrameTable::new(flash_pages, settings.directory),
            links: Links::default(),
            extent: Vec::new(),
            coldest: BinaryHeap::new(),
            misses_to_aging: settings.aging_misses,
        }
    }

    fn grow(&mut self, pages: usize) {
        self.frames.grow(pages);
        self.links.grow(pages);
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        self.extents.locate(pages, spaces, addresses);
        self.know_extents();
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        std::mem::swap(&mut self.extents, &mut crashed.extents);
        self.know_extents();
    }

    fn fetch(&self, pages: &[u32]) {
        self.frames.fetch(pages);
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        let extent = &mut self.extent[self.extents.of(page) as usize];
        extent.temperature = extent.temperature.saturating_add(1);
        if self.settings.aging_misses > 0 {
            self.misses_to_aging -= 1;
            if self.misses_to_aging == 0 {
                self.misses_to_aging = self.settings.aging_misses;
                self.age();
            }
        }
        self.frames.holds(page)
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.frames.holds(page)
    }

    #[inline]
    fn on_entry(&mut self, page: u32, host: &mut impl Host) {
        self.admit(page, host);
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
        if on_flash {
            // Its entry is invalid while the page is written, though the page stays clean.
            self.frames.write_over(page, true, host);
        } else {
            self.admit(page, host);
        }
    }

    fn image(self) -> Copies {
        self.frames.copies()
    }

    fn load(&mut self, image: Copies, _counters: &mut FlashCacheCounters) {
        self.frames.load(&image);
        for (_, page, _) in image {
            self.enter(page);
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
        let mut held = 0;
        for (number, extent) in (0..).zip(&self.extent) {
            for page in self.links.iter(extent.pages) {
                if self.extents.of(page) != number || !extent.in_heap {
                    return Err(format!("page {page} is in extent {number}, not its own"));
                }
                held += 1;
            }
        }
        self.frames.recount(held, counters, crash)
    }
}
