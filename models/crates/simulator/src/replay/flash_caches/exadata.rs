//! An Exadata-like smart flash cache: on entry, LRU, with a static priority of relations.

use super::chains::{Ends, Links};
use super::frames::{self, Copies, DIRECTORY, EntriesOnFlash, FrameTable, directory_of};
use super::options::Options;
use super::{
    Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host, OptionAbout,
    Sampled, Unsampled,
};
use crate::error::Result;
use crate::replay::metadata::MetadataLayout;
use crate::replay::two_tier::Warning;

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) write_back: bool,
    /// Numbers of the relations of low priority.
    pub(crate) low: Vec<u32>,
    pub(crate) directory: EntriesOnFlash,
}

/// Exadata Smart Flash Cache as Kang, Lee and Moon describe it in section 3.2 and Table 3.
///
/// ```text
/// DRAM misses p:        on flash: read it; it becomes the most recent of its priority
/// p came from disk:     admit p
/// evict p from DRAM:    unchanged: nothing
///   write_around:       changed: write it to disk; its copy leaves flash
///   write_back:         changed: write it over its copy, which becomes the most recent, or admit it,
///                       dirty; if it is not admitted, write it to disk
/// admit p:              if flash is full: the least recent page of low priority makes room, or, where
///                       there is none, the least recent of high priority, but not for a p of low
///                       priority, which stays away; a dirty one is written to disk
///                       write p to flash; it is the most recent of its priority
/// ```
///
/// Choices where the paper is silent:
/// * Priority is by relation, or device where the trace has no relations: those named by
///   `low_priority` are what logs and backups are to the paper, all others what tables and indexes
///   are. By default all are equal.
/// * With `directory=persistent` each entry that changes (a page enters a frame, leaves it without
///   another one, a clean one becomes dirty) costs two random metadata page writes, as the paper
///   counts for LRU (section 5.1). A restart gives pages the order of their frames.
#[derive(Debug)]
pub(crate) struct Exadata {
    settings: Settings,
    frames: FrameTable,
    /// Whether a page is of low priority, as an index of `order`.
    class_of: Vec<u8>,
    links: Links,
    /// Pages on flash of high and of low priority, least recent first.
    order: [Ends; 2],
    /// Relations seen.
    relations: u32,
}

const HIGH: usize = 0;
const LOW: usize = 1;

impl Exadata {
    fn class(&self, page: u32) -> usize {
        usize::from(self.class_of[page as usize])
    }

    fn touch(&mut self, page: u32) {
        let class = self.class(page);
        self.links.renew(&mut self.order[class], page);
    }

    fn admit(&mut self, page: u32, dirty: bool, host: &mut impl Host) -> bool {
        let class = self.class(page);
        let frame = match self.frames.room() {
            Some(frame) => frame,
            None if self.order[LOW] == Ends::EMPTY && class == LOW => {
                host.counters().bypassed += 1;
                return false;
            }
            None => {
                let from = if self.order[LOW] == Ends::EMPTY {
                    HIGH
                } else {
                    LOW
                };
                let victim = self.links.pop(&mut self.order[from]).unwrap_or_default();
                self.frames.expect(self.order[from].oldest);
                self.frames.evict(victim, host)
            }
        };
        self.links.push(&mut self.order[class], page);
        self.frames.fill(page, frame, dirty, host);
        true
    }
}

impl FlashCache for Exadata {
    type Settings = Settings;
    type Image = Copies;
    type Device = Frames;

    const NEEDS_ADDRESSES: bool = true;
    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "mode",
            values: "write_around, write_back",
            default: "write_around",
            description: "When a changed DRAM victim reaches the disk: at once without flash, or when it makes room on flash.",
            is_place: false,
        },
        OptionAbout {
            name: "low_priority",
            values: "none, or numbers of relations with + between them",
            default: "none",
            description: "Relations (or devices) whose pages are evicted first, as logs and backups do: their numbers, from 0, in the order in which the trace shows them first.",
            is_place: false,
        },
        DIRECTORY,
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        Ok(Settings {
            write_back: options.choice("mode", &[("write_around", false), ("write_back", true)])?,
            low: options.numbers("low_priority")?,
            directory: directory_of(options, run)?,
        })
    }

    fn metadata(settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        frames::layout(settings.directory, run)
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Ok(Sampled::in_frames(1.0))
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            frames: FrameTable::new(flash_pages, settings.directory),
            class_of: Vec::new(),
            links: Links::default(),
            order: [Ends::EMPTY; 2],
            relations: 0,
        }
    }

    fn grow(&mut self, pages: usize) {
        self.frames.grow(pages);
        self.links.grow(pages);
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], _addresses: &[u64]) {
        for (&page, &space) in pages.iter().zip(spaces) {
            if page as usize == self.class_of.len() {
                self.class_of
                    .push(u8::from(self.settings.low.contains(&space)));
                self.relations = self.relations.max(space.saturating_add(1));
            }
        }
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        self.class_of = std::mem::take(&mut crashed.class_of);
        self.relations = crashed.relations;
    }

    fn fetch(&self, pages: &[u32]) {
        self.frames.fetch(pages);
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        if !self.frames.holds(page) {
            return false;
        }
        self.touch(page);
        true
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.frames.holds(page)
    }

    #[inline]
    fn on_entry(&mut self, page: u32, host: &mut impl Host) {
        self.admit(page, false, host);
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let on_flash = self.frames.holds(page);
        host.counters().victims_found_on_flash += u64::from(on_flash);
        if !changed {
            return;
        }
        if !self.settings.write_back {
            host.counters().disk_writes_on_exit += 1;
            if on_flash {
                let class = self.class(page);
                self.links.remove(&mut self.order[class], page);
                self.frames.invalidate(page, host);
            }
        } else if on_flash {
            self.frames.overwrite(page, true, host);
            self.touch(page);
        } else if !self.admit(page, true, host) {
            host.counters().disk_writes_on_exit += 1;
        }
    }

    fn image(self) -> Copies {
        self.frames.copies()
    }

    fn load(&mut self, image: Copies, _counters: &mut FlashCacheCounters) {
        self.frames.load(&image);
        for (_, page, _) in image {
            let class = self.class(page);
            self.links.push(&mut self.order[class], page);
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

    fn notes(&self) -> Vec<Warning> {
        let unseen = self
            .settings
            .low
            .iter()
            .filter(|&&low| low >= self.relations);
        unseen
            .map(|low| Warning {
                name: "unknown_relation",
                message: format!(
                    "low_priority names relation {low}, and the highest number in the trace is {}",
                    self.relations.saturating_sub(1)
                ),
                hint: "relations are numbered from 0, in the order in which the trace shows them first"
                    .to_owned(),
            })
            .collect()
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let mut ordered = 0;
        for (class, &ends) in self.order.iter().enumerate() {
            for page in self.links.iter(ends) {
                if self.class(page) != class || !self.frames.holds(page) {
                    return Err(format!("page {page} is in the order of another"));
                }
                ordered += 1;
            }
        }
        self.frames.recount(ordered, counters, crash)
    }
}
