//! Open CAS: a block cache of lines, LRU, with promotion by hits, a cut-off of streams, and two cleaners.

use super::chains::{Ends, Links};
use super::frames::{Copies, FrameTable};
use super::options::Options;
use super::rate::{ACCESSES_PER_SECOND, Period};
use super::streams::{Streams, place_of};
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host,
    OptionAbout, Sampled, Unsampled,
};
use crate::error::Result;
use crate::replay::fetch::fetch;
use crate::replay::two_tier::Warning;
use crate::wording::counted;

/// Bytes of a stream behind which a full flash is bypassed.
const CUTOFF_BYTES: u64 = 1 << 20;
/// Dirty pages that are cleaned where no clean one can make room.
const CLEANED_AT_ONCE: usize = 32;
/// Time between two steps of ACP, and the pages of one. [ms]
const ACP_MS: u64 = 10;
const ACP_PAGES: usize = 128;
const PERCENT: u64 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Through,
    Back,
    Around,
    Only,
    Invalidate,
    Pass,
}

impl Mode {
    /// Whether pages on flash may be newer than the disk's.
    fn keeps_dirty(self) -> bool {
        matches!(self, Self::Back | Self::Only)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cleaning {
    Alru,
    Acp,
    Nop,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) mode: Mode,
    pub(crate) cleaning: Cleaning,
    /// Requests after which a page enters, where promotion counts them.
    pub(crate) hits: Option<u8>,
    /// Percent of flash in use below which every page enters.
    pub(crate) trigger_percent: u64,
    /// Pages of a stream behind which flash is bypassed once it is full; 0: never.
    pub(crate) sequential_cutoff: u64,
    pub(crate) wake: Period,
    pub(crate) stale: Period,
    pub(crate) idle: Period,
}

/// Open CAS.
///
/// ```text
/// a request for p:      a DRAM miss, or a changed exit; it continues one of the last 128 streams, or begins one;
///                       longer than the cutoff, and all of flash in use: it bypasses flash
/// DRAM misses p:        on flash: read it; it is the most recent
/// p came from disk:     write_only, or bypassed: nothing; else promote p, clean
/// evict p from DRAM:    unchanged: the block layer does not hear of it
///                       changed, and bypassed: write it to disk; its copy on flash is dropped
///   write_through:      write it to disk, and over its copy, or promote p, clean
///   write_around:       write it to disk, and over its copy, if there is one
///   write_invalidate:   write it to disk; its copy on flash is dropped
///   write_back, write_only:
///                       write it over its copy, dirty, or promote p, dirty; not promoted: write it to disk
/// pass_through:         none of this: flash, empty at first, stays so; write p to disk if it changed
/// promote p:            nhit, and `trigger_percent` of flash in use: only from its request number `hits` on
///                       into a free frame, else into that of the least recently used clean page; is none clean: the 32
///                       least recently used dirty ones are cleaned, and p does not enter
/// ALRU:                 every `alru_wake_s`, if there was no request for `alru_idle_s`: clean what was not requested for
///                       `alru_stale_s`
/// ACP:                  every 10 ms: clean the next 128 dirty pages by address, round and round
/// metadata:             a page that becomes dirty, or is cleaned, is one random page write
/// ```
///
/// Choices where the description is silent:
/// * A page is a cache line.
/// * Requests of pages that are not on flash are counted for ever, until they enter.
/// * Cleaning takes no time: what ALRU finds in rounds of 100 it cleans at once.
/// * A page that is cleaned becomes the most recent of the clean ones.
/// * A sweep of ACP lists the dirty pages at its begin; what becomes dirty behind it waits for the next.
/// * After a crash the dirty pages are there, as if requested then; the others are given up.
#[derive(Debug)]
pub(crate) struct OpenCas {
    settings: Settings,
    capacity: u64,
    frames: FrameTable,
    links: Links,
    /// Clean pages, least recently used first.
    clean: Ends,
    /// Dirty pages, requested longest ago first.
    dirty: Ends,
    streams: Streams,
    /// Address of each page, relations apart, by which streams are told.
    place_of: Vec<u64>,
    /// Relation and address of each page, by which ACP sweeps.
    order_of: Vec<(u32, u64)>,
    /// When each page on flash was last requested, for ALRU.
    requested: Vec<u64>,
    /// Requests of pages that are not on flash.
    hits: Vec<u8>,
    /// Whether the page being fetched bypasses flash.
    skip: bool,
    now: u64,
    last_request: u64,
    unit: ClockUnit,
    /// Between two looks of the cleaner, and how often it has looked.
    period: Period,
    ended: u64,
    /// Ticks of its ages.
    stale: u64,
    idle: u64,
    due: u64,
    /// Pages that ACP still cleans in this sweep, the last one first.
    sweep: Vec<u32>,
    /// Looks of ALRU with dirty pages there, and those that found flash idle.
    looks: u64,
    idle_looks: u64,
}

impl OpenCas {
    /// Follows a request; whether it bypasses flash.
    fn request(&mut self, page: u32) -> bool {
        self.last_request = self.now;
        let cutoff = self.settings.sequential_cutoff;
        if cutoff == 0 {
            return false;
        }
        let length = self.streams.length(self.place_of[page as usize]);
        length > cutoff && u64::from(self.frames.held()) == self.capacity
    }

    /// Puts a page at the new end of its list.
    fn list(&mut self, page: u32) {
        let list = if self.frames.is_dirty(page) {
            &mut self.dirty
        } else {
            &mut self.clean
        };
        self.links.push(list, page);
    }

    fn unlist(&mut self, page: u32) {
        let list = if self.frames.is_dirty(page) {
            &mut self.dirty
        } else {
            &mut self.clean
        };
        self.links.remove(list, page);
    }

    /// A page on flash was requested.
    fn touch(&mut self, page: u32) {
        if self.frames.is_dirty(page) {
            self.links.renew(&mut self.dirty, page);
            self.note_request(page);
        } else {
            self.links.renew(&mut self.clean, page);
        }
    }

    fn note_request(&mut self, page: u32) {
        if let Some(at) = self.requested.get_mut(page as usize) {
            *at = self.now;
        }
    }

    /// The frame of a page that may enter, if there is one.
    fn promote(&mut self, page: u32, host: &mut impl Host) -> Option<u32> {
        if let Some(least) = self.settings.hits {
            let hits = &mut self.hits[page as usize];
            *hits = hits.saturating_add(1);
            let used = PERCENT * u64::from(self.frames.held());
            if used >= self.settings.trigger_percent * self.capacity && *hits < least {
                return None;
            }
        }
        if let Some(frame) = self.frames.room() {
            return Some(frame);
        }
        if let Some(victim) = self.links.pop(&mut self.clean) {
            self.frames.expect(self.clean.oldest);
            return Some(self.frames.evict(victim, host));
        }
        for _ in 0..CLEANED_AT_ONCE {
            if !self.clean_oldest(host) {
                break;
            }
        }
        None
    }

    /// Whether the page entered flash.
    fn enter(&mut self, page: u32, dirty: bool, host: &mut impl Host) -> bool {
        let Some(frame) = self.promote(page, host) else {
            host.counters().bypassed += 1;
            return false;
        };
        if let Some(hits) = self.hits.get_mut(page as usize) {
            *hits = 0;
        }
        self.frames.fill(page, frame, dirty, host);
        self.list(page);
        host.counters().metadata_random_page_writes += u64::from(dirty);
        if dirty {
            self.note_request(page);
        }
        true
    }

    fn overwrite(&mut self, page: u32, dirty: bool, host: &mut impl Host) {
        let was_dirty = self.frames.is_dirty(page);
        self.unlist(page);
        self.frames.overwrite(page, dirty, host);
        self.list(page);
        if dirty {
            self.note_request(page);
            host.counters().metadata_random_page_writes += u64::from(!was_dirty);
        }
    }

    fn drop_copy(&mut self, page: u32, host: &mut impl Host) {
        let was_dirty = self.frames.is_dirty(page);
        self.unlist(page);
        self.frames.invalidate(page, host);
        host.counters().metadata_random_page_writes += u64::from(was_dirty);
    }

    fn clean_page(&mut self, page: u32, host: &mut impl Host) {
        self.unlist(page);
        self.frames.clean(page, host);
        self.list(page);
        host.counters().metadata_random_page_writes += 1;
    }

    /// Cleans the dirty page that was requested longest ago, if there is one.
    fn clean_oldest(&mut self, host: &mut impl Host) -> bool {
        let oldest = self.dirty.oldest;
        if self.dirty == Ends::EMPTY {
            return false;
        }
        self.clean_page(oldest, host);
        true
    }

    /// A look of ALRU.
    fn look(&mut self, at: u64, host: &mut impl Host) {
        self.looks += 1;
        if at - self.last_request < self.idle {
            return;
        }
        self.idle_looks += 1;
        while self.dirty != Ends::EMPTY
            && at - self.requested[self.dirty.oldest as usize] >= self.stale
        {
            self.clean_oldest(host);
        }
    }

    /// A step of ACP.
    fn step(&mut self, host: &mut impl Host) {
        if self.sweep.is_empty() {
            self.sweep.extend(self.links.iter(self.dirty));
            let order_of = &self.order_of;
            self.sweep
                .sort_unstable_by_key(|&page| std::cmp::Reverse(order_of[page as usize]));
        }
        let mut left = ACP_PAGES;
        while left > 0
            && let Some(page) = self.sweep.pop()
        {
            if self.frames.is_dirty(page) {
                self.clean_page(page, host);
                left -= 1;
            }
        }
    }
}

impl FlashCache for OpenCas {
    type Settings = Settings;
    type Image = Copies;
    type Device = Frames;

    const NEEDS_ADDRESSES: bool = true;
    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "mode",
            values: "write_through, write_back, write_around, write_only, write_invalidate, pass_through",
            default: "write_through",
            description: "When a changed DRAM victim reaches the disk, and whether flash takes it; write_only takes no page that was read, pass_through none at all.",
            is_place: false,
        },
        OptionAbout {
            name: "cleaning",
            values: "alru, acp, nop",
            default: "alru",
            description: "What writes dirty pages to disk: what is old, when flash is idle; by address, all the time; or only what must make room.",
            is_place: false,
        },
        OptionAbout {
            name: "promotion",
            values: "always, nhit",
            default: "always",
            description: "Whether a page enters at its first request or, once flash is nearly full, after some.",
            is_place: false,
        },
        OptionAbout {
            name: "hits",
            values: "1 to 255",
            default: "3",
            description: "With promotion=nhit: requests at which a page enters.",
            is_place: false,
        },
        OptionAbout {
            name: "trigger_percent",
            values: "0 to 100",
            default: "80",
            description: "With promotion=nhit: percent of flash in use below which every page enters.",
            is_place: false,
        },
        OptionAbout {
            name: "sequential_cutoff_pages",
            values: "0 to 4294967295",
            default: "256 of 4 KiB (1 MiB)",
            description: "Pages of a stream behind which it bypasses flash once that is full; 0 never does.",
            is_place: false,
        },
        OptionAbout {
            name: "alru_wake_s",
            values: "1 to 1000000",
            default: "20",
            description: "With cleaning=alru: time between two looks. [s]",
            is_place: false,
        },
        OptionAbout {
            name: "alru_stale_s",
            values: "1 to 1000000",
            default: "120",
            description: "With cleaning=alru: time without a request after which a page is cleaned. [s]",
            is_place: false,
        },
        OptionAbout {
            name: "alru_idle_s",
            values: "0 to 1000000",
            default: "10",
            description: "With cleaning=alru: time without any request after which it cleans. [s]",
            is_place: false,
        },
        ACCESSES_PER_SECOND,
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        let mode = options.choice(
            "mode",
            &[
                ("write_through", Mode::Through),
                ("write_back", Mode::Back),
                ("write_around", Mode::Around),
                ("write_only", Mode::Only),
                ("write_invalidate", Mode::Invalidate),
                ("pass_through", Mode::Pass),
            ],
        )?;
        if run.warm_restart && !mode.keeps_dirty() {
            return Err(options.impossible(
                "mode",
                "keeps its directory in memory only, so there is no warm restart: use mode=write_back or restart=cold",
            ));
        }
        let cleaning = options.choice(
            "cleaning",
            &[
                ("alru", Cleaning::Alru),
                ("acp", Cleaning::Acp),
                ("nop", Cleaning::Nop),
            ],
        )?;
        let counts = options.choice("promotion", &[("always", false), ("nhit", true)])?;
        if !counts {
            for name in ["hits", "trigger_percent"] {
                if options.is_given(name) {
                    return Err(options.impossible(name, "has no effect without promotion=nhit"));
                }
            }
        }
        let hits = if counts {
            Some(u8::try_from(options.number("hits", 1..=255)?).unwrap_or(u8::MAX))
        } else {
            None
        };
        let trigger_percent = if counts {
            options.number("trigger_percent", 0..=PERCENT)?
        } else {
            0
        };
        let period = |name, least| -> Result<Period> {
            Period::new(options, options.number(name, least..=1_000_000)? * 1000)
        };
        Ok(Settings {
            mode,
            cleaning,
            hits,
            trigger_percent,
            sequential_cutoff: options.number_or(
                "sequential_cutoff_pages",
                0..=u64::from(u32::MAX),
                run.pages_of(CUTOFF_BYTES, u64::from(u32::MAX)),
            )?,
            wake: period("alru_wake_s", 1)?,
            stale: period("alru_stale_s", 1)?,
            idle: period("alru_idle_s", 0)?,
        })
    }

    fn check_clock(settings: &Settings, unit: ClockUnit) -> Result<()> {
        if settings.mode.keeps_dirty() && settings.cleaning != Cleaning::Nop {
            settings.wake.check(unit, "dirty pages are cleaned")?;
        }
        Ok(())
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Err(Unsampled::always(
            "its cleaners count time and pages, which do not shrink with flash, and a sample breaks the streams that bypass it",
        ))
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            capacity: u64::from(flash_pages),
            frames: FrameTable::new(flash_pages, false),
            links: Links::default(),
            clean: Ends::EMPTY,
            dirty: Ends::EMPTY,
            streams: Streams::new(),
            place_of: Vec::new(),
            order_of: Vec::new(),
            requested: Vec::new(),
            hits: Vec::new(),
            skip: false,
            now: 0,
            last_request: 0,
            unit: ClockUnit::Accesses,
            period: settings.wake,
            ended: 0,
            stale: 1,
            idle: 0,
            due: u64::MAX,
            sweep: Vec::new(),
            looks: 0,
            idle_looks: 0,
        }
    }

    fn grow(&mut self, pages: usize) {
        self.frames.grow(pages);
        self.links.grow(pages);
        let Settings {
            mode,
            cleaning,
            hits,
            ..
        } = self.settings;
        if hits.is_some() && pages > self.hits.len() {
            self.hits.resize(pages, 0);
        }
        let ages = mode.keeps_dirty() && cleaning == Cleaning::Alru;
        if ages && pages > self.requested.len() {
            self.requested.resize(pages, 0);
        }
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        let Settings { mode, cleaning, .. } = self.settings;
        let sweeps = mode.keeps_dirty() && cleaning == Cleaning::Acp;
        for ((&page, &space), &address) in pages.iter().zip(spaces).zip(addresses) {
            if page as usize == self.place_of.len() {
                self.place_of.push(place_of(space, address));
                if sweeps {
                    self.order_of.push((space, address));
                }
            }
        }
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        self.place_of = std::mem::take(&mut crashed.place_of);
        self.order_of = std::mem::take(&mut crashed.order_of);
    }

    fn fetch(&self, pages: &[u32]) {
        self.frames.fetch(pages);
        self.links.fetch(pages);
        fetch(&self.place_of, pages);
    }

    /// Few of those that leave have changed, and of the others it is asked only whether they are here.
    fn fetch_leaving(&self, pages: &[u32]) {
        self.frames.fetch(pages);
    }

    fn start_clock(&mut self, unit: ClockUnit, now: u64) -> u64 {
        let Settings {
            mode,
            cleaning,
            wake,
            stale,
            idle,
            ..
        } = self.settings;
        self.now = now;
        if !mode.keeps_dirty() || cleaning == Cleaning::Nop {
            return u64::MAX;
        }
        self.unit = unit;
        self.period = match cleaning {
            Cleaning::Alru => wake,
            Cleaning::Acp | Cleaning::Nop => Period { ms: ACP_MS, ..wake },
        };
        self.ended = self.period.ends_until(now, unit);
        self.stale = stale.ticks(unit);
        self.idle = if idle.ms == 0 { 0 } else { idle.ticks(unit) };
        self.due = self.period.end(self.ended + 1, unit);
        // What a restart found counts as requested now.
        let mut page = self.dirty.oldest;
        while let Some(at) = self.requested.get_mut(page as usize) {
            *at = now;
            page = self.links.newer(page);
        }
        now
    }

    fn background(&mut self, now: u64, host: &mut impl Host) -> u64 {
        self.now = now;
        while self.due <= now {
            let at = self.due;
            if self.dirty == Ends::EMPTY {
                // Nothing is to be done until a page becomes dirty.
                self.sweep.clear();
                self.ended = self.period.ends_until(now, self.unit);
                self.due = self.period.end(self.ended + 1, self.unit);
                break;
            }
            match self.settings.cleaning {
                Cleaning::Alru => self.look(at, host),
                Cleaning::Acp | Cleaning::Nop => self.step(host),
            }
            self.ended += 1;
            self.due = self.period.end(self.ended + 1, self.unit);
        }
        // When each request comes is to be known.
        now + 1
    }

    fn next_work(&self) -> u64 {
        if self.dirty == Ends::EMPTY {
            u64::MAX
        } else {
            self.due
        }
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        if self.settings.mode == Mode::Pass {
            return false;
        }
        self.skip = self.request(page);
        let found = self.frames.holds(page);
        if found {
            self.touch(page);
        }
        found
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.frames.holds(page)
    }

    #[inline]
    fn on_entry(&mut self, page: u32, host: &mut impl Host) {
        if self.skip {
            host.counters().bypassed += 1;
        } else if !matches!(self.settings.mode, Mode::Only | Mode::Pass) {
            self.enter(page, false, host);
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
        let mode = self.settings.mode;
        if mode == Mode::Pass {
            host.counters().disk_writes_on_exit += 1;
            return;
        }
        if self.request(page) {
            let counters = host.counters();
            counters.bypassed += 1;
            counters.disk_writes_on_exit += 1;
            if on_flash {
                self.drop_copy(page, host);
            }
            return;
        }
        let back = mode.keeps_dirty();
        host.counters().disk_writes_on_exit += u64::from(!back);
        match (mode, on_flash) {
            (Mode::Invalidate, true) => self.drop_copy(page, host),
            (_, true) => self.overwrite(page, back, host),
            (Mode::Around | Mode::Invalidate | Mode::Pass, false) => {}
            (_, false) => {
                let entered = self.enter(page, back, host);
                host.counters().disk_writes_on_exit += u64::from(back && !entered);
            }
        }
    }

    fn image(self) -> Copies {
        let mut copies = self.frames.copies();
        copies.retain(|&(_, _, dirty)| dirty);
        copies
    }

    fn load(&mut self, image: Copies, _counters: &mut FlashCacheCounters) {
        self.frames.load(&image);
        for (_, page, _) in image {
            self.links.push(&mut self.dirty, page);
        }
    }

    fn valid_copies(&self) -> u64 {
        u64::from(self.frames.held())
    }

    fn dirty_copies(&self) -> u64 {
        u64::from(self.frames.dirty_held())
    }

    fn notes(&self) -> Vec<Warning> {
        if self.looks == 0 || self.idle_looks > 0 {
            return Vec::new();
        }
        vec![Warning {
            name: "never_idle",
            message: format!(
                "ALRU cleaned nothing: each of its {} found a request less than {} s before",
                counted(self.looks, "look", "looks"),
                self.settings.idle.ms / 1000
            ),
            hint: "use cleaning=acp, which cleans under load too, or a lower alru_idle_s"
                .to_owned(),
        }]
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let mut ordered = 0;
        for (list, dirty) in [(self.clean, false), (self.dirty, true)] {
            for page in self.links.iter(list) {
                if !self.frames.holds(page) || self.frames.is_dirty(page) != dirty {
                    return Err(format!(
                        "page {page} stands in the list of {} pages",
                        if dirty { "dirty" } else { "clean" }
                    ));
                }
                ordered += 1;
            }
        }
        self.frames.recount(ordered, counters, crash)
    }
}
