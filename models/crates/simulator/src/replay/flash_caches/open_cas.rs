//! Open CAS: a block cache of lines, LRU, with promotion by hits, a cut-off of streams, and two cleaners.

use super::chains::{Ends, Links, NONE};
use super::lines::{DirtyLines, Lines};
use super::options::Options;
use super::rate::{ACCESSES_PER_SECOND, ByTime, NS_PER_MS, Period};
use super::settled::{ByClock, WAITS_FOR_CLEANING};
use super::streams::{Streams, place_of};
use super::units::MOST_UNIT_PAGES;
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host,
    OptionAbout, Sampled, Unsampled, usual_unit,
};
use crate::error::Result;
use crate::replay::fetch::fetch;
use crate::replay::metadata::MetadataLayout;
use crate::replay::two_tier::Warning;
use crate::wording::counted;

/// Bytes of a cache line, and the most.
const LINE_BYTES: u64 = 4 << 10;
const MOST_LINE_BYTES: u64 = 64 << 10;
/// Bytes of a stream behind which a full flash is bypassed.
const CUTOFF_BYTES: u64 = 1 << 20;
/// Dirty lines that are cleaned where no clean one can make room.
const CLEANED_AT_ONCE: usize = 32;
/// Time between two steps of ACP, and the lines of one. [ms]
const ACP_MS: u64 = 10;
const ACP_LINES: usize = 128;
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
    /// Pages of a cache line, a power of two.
    pub(crate) line_pages: u32,
    /// Requests after which a line enters, where promotion counts them.
    pub(crate) hits: Option<u8>,
    /// Percent of flash in use below which every line enters.
    pub(crate) trigger_percent: u64,
    /// Pages of a stream behind which flash is bypassed once it is full; 0: never.
    pub(crate) sequential_cutoff: u64,
    pub(crate) wake: Period,
    pub(crate) stale: Period,
    pub(crate) idle: Period,
    /// Entries of a metadata page.
    entries: u32,
}

/// Bytes of the entry of a line on flash, `struct ocf_metadata_map` in the source: a number and a device of 10 bytes, and of
/// each sector of 512 bytes whether it is valid, and dirty.
fn entry_bytes(line_pages: u32, run: Conditions) -> u64 {
    10 + 2 * (u64::from(line_pages) * run.page_bytes).div_ceil(8 * 512)
}

/// Open CAS.
///
/// ```text
/// a request for p:      a DRAM miss, or a changed exit; it continues one of the last 128 streams, or begins one;
///                       longer than the cutoff, and all of flash in use: it bypasses flash
///                       the line of p, `line_pages` adjacent pages, is the most recent if it is on flash
/// DRAM misses p:        on flash, and valid: read it
/// p came from disk:     bypassed, and its line dirty: clean the line
///                       else, and not write_only: its line on flash: clean it if it is dirty, then put p, clean
///                                                 not on flash:      promote p, clean
/// evict p from DRAM:    unchanged: the block layer does not hear of it
///                       changed, and bypassed: write it past flash
///   write_through:      write it to disk, and put p, clean, or promote p, clean
///   write_around:       write it to disk, and over its copy, if there is one
///   write_invalidate:   write it past flash
///   write_back, write_only:
///                       put p, dirty, or promote p, dirty; not promoted: write it to disk
/// pass_through:         none of this: flash, empty at first, stays so; write p to disk if it changed
/// put p:                where its line is on flash: into its frame there, which is then valid
/// past flash:           to disk; its line on flash: the other dirty pages of it are cleaned, the copy of p is dropped,
///                       and with the last valid page the line
/// promote p:            nhit, and `trigger_percent` of lines in use: only from request number `hits` of its line on
///                       its line into a free slot, else into that of the least recently used line without dirty pages,
///                       which leaves with all of its pages; is none so: the 32 least recently used lines are cleaned,
///                       and p does not enter
/// clean a line:         read it whole from flash, write its dirty pages to disk
/// ALRU:                 every `alru_wake_s`, if there was no request for `alru_idle_s`: clean the lines without a request
///                       for `alru_stale_s`
/// ACP:                  every 10 ms: clean the next 128 dirty lines by address, round and round
/// metadata:             a page that becomes dirty, or a line that is cleaned, is one random page write
/// ```
///
/// Choices where the description is silent, or says more than a replay knows:
/// * Requests of lines that are not on flash are counted for ever, until they enter.
/// * A valid page is read from flash also where it is part of a long stream; the source does so only of dirty ones.
/// * What goes past flash does not clean its own old copy first, which the source does.
/// * Cleaning takes no time: what ALRU finds in rounds of 100 it cleans at once.
/// * A line that is cleaned becomes the most recent of the clean ones.
/// * A sweep of ACP lists the dirty lines at its begin; what becomes dirty behind it waits for the next.
/// * After a crash the dirty pages are there, as if requested then; the others are given up.
#[derive(Debug)]
pub(crate) struct OpenCas {
    settings: Settings,
    lines: Lines,
    links: Links,
    /// Lines without dirty pages, least recently used first.
    clean: Ends,
    /// The others, requested longest ago first.
    dirty: Ends,
    streams: Streams,
    /// Address of each page, relations apart, by which streams are told.
    place_of: Vec<u64>,
    /// Relation and address of each line, by which ACP sweeps.
    order_of: Vec<(u32, u64)>,
    /// When each dirty line was last requested, for ALRU.
    requested: Vec<u64>,
    /// Requests of lines that are not on flash.
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
    /// Lines that ACP still cleans in this sweep, the last one first.
    sweep: Vec<u32>,
    /// Looks of ALRU with dirty lines there, and those that found flash idle.
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
        length > cutoff && self.lines.held() == self.lines.slots()
    }

    /// Makes room for the lines that were seen.
    fn grow_lines(&mut self) {
        let lines = self.lines.seen();
        self.links.grow(lines);
        let Settings {
            mode,
            cleaning,
            hits,
            ..
        } = self.settings;
        if hits.is_some() && lines > self.hits.len() {
            self.hits.resize(lines, 0);
        }
        let ages = mode.keeps_dirty() && cleaning == Cleaning::Alru;
        if ages && lines > self.requested.len() {
            self.requested.resize(lines, 0);
        }
    }

    /// A line on flash was requested.
    #[inline]
    fn touch(&mut self, line: u32, slot: u32) {
        if self.lines.is_dirty(slot) {
            self.links.renew(&mut self.dirty, line);
            self.note_request(line);
        } else {
            self.links.renew(&mut self.clean, line);
        }
    }

    fn note_request(&mut self, line: u32) {
        if let Some(at) = self.requested.get_mut(line as usize) {
            *at = self.now;
        }
    }

    /// The slot for the line of a page that may enter, if there is one.
    fn promote(&mut self, page: u32, line: u32, host: &mut impl Host) -> Option<u32> {
        if let Some(least) = self.settings.hits {
            let hits = &mut self.hits[line as usize];
            *hits = hits.saturating_add(1);
            let used = PERCENT * u64::from(self.lines.held());
            let trigger = self.settings.trigger_percent * u64::from(self.lines.slots());
            if used >= trigger && *hits < least {
                return None;
            }
        }
        if let Some(slot) = self.lines.room() {
            return Some(slot);
        }
        if let Some(victim) = self.links.pop(&mut self.clean) {
            self.lines.expect(self.clean.oldest);
            return Some(self.lines.evict(victim, page, host));
        }
        for _ in 0..CLEANED_AT_ONCE {
            if !self.clean_oldest(host) {
                break;
            }
        }
        None
    }

    /// Whether a page entered flash whose line is not there.
    fn enter(&mut self, page: u32, line: u32, dirty: bool, host: &mut impl Host) -> bool {
        let Some(slot) = self.promote(page, line, host) else {
            host.counters().bypassed += 1;
            return false;
        };
        if let Some(hits) = self.hits.get_mut(line as usize) {
            *hits = 0;
        }
        self.lines.enter(line, slot);
        self.write(page, line, slot, dirty, host);
        true
    }

    /// Writes a page into its line, which is in a slot and in no list.
    #[inline]
    fn write(&mut self, page: u32, line: u32, slot: u32, dirty: bool, host: &mut impl Host) {
        let becomes_dirty = self.lines.write(page, slot, dirty, host);
        if becomes_dirty {
            self.write_entry(slot, host);
        }
        let list = if dirty {
            self.note_request(line);
            &mut self.dirty
        } else {
            &mut self.clean
        };
        self.links.push(list, line);
    }

    /// Writes the metadata page that has the entry of a slot.
    fn write_entry(&self, slot: u32, host: &mut impl Host) {
        host.metadata_write(slot / self.settings.entries);
    }

    /// Takes a line on flash out of its list; whether that is the dirty one.
    fn unlist(&mut self, line: u32, slot: u32) -> bool {
        let dirty = self.lines.is_dirty(slot);
        let list = if dirty {
            &mut self.dirty
        } else {
            &mut self.clean
        };
        self.links.remove(list, line);
        dirty
    }

    /// Writes a page into its line, which is on flash.
    fn put(&mut self, page: u32, line: u32, slot: u32, dirty: bool, host: &mut impl Host) {
        self.unlist(line, slot);
        self.write(page, line, slot, dirty, host);
    }

    /// A page was written to disk past its line, which is on flash.
    fn pass(&mut self, page: u32, line: u32, slot: u32, host: &mut impl Host) {
        let was_dirty = self.unlist(line, slot);
        if was_dirty {
            self.write_entry(slot, host);
        }
        if self.lines.pass(page, line, host) {
            self.links.push(&mut self.clean, line);
        }
    }

    /// Cleans a line that is dirty.
    fn clean_line(&mut self, line: u32, slot: u32, host: &mut impl Host) {
        self.links.remove(&mut self.dirty, line);
        self.lines.clean(slot, host);
        self.links.push(&mut self.clean, line);
        self.write_entry(slot, host);
    }

    /// Cleans the dirty line that was requested longest ago, if there is one.
    fn clean_oldest(&mut self, host: &mut impl Host) -> bool {
        let oldest = self.dirty.oldest;
        if self.dirty == Ends::EMPTY {
            return false;
        }
        self.clean_line(oldest, self.lines.slot(oldest), host);
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
                .sort_unstable_by_key(|&line| std::cmp::Reverse(order_of[line as usize]));
        }
        let mut left = ACP_LINES;
        while left > 0
            && let Some(line) = self.sweep.pop()
        {
            let slot = self.lines.slot(line);
            if slot != NONE && self.lines.is_dirty(slot) {
                self.clean_line(line, slot, host);
                left -= 1;
            }
        }
    }
}

impl FlashCache for OpenCas {
    type Settings = Settings;
    type Image = DirtyLines;
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
            name: "line_pages",
            values: "1 to 65536, a power of two, at most 64 KiB and the number of flash pages",
            default: "1 of 4 KiB (4 KiB), at most 1/16 of flash",
            description: "Pages of a cache line, adjacent ones, which enter one by one and leave together.",
            is_place: false,
        },
        OptionAbout {
            name: "promotion",
            values: "always, nhit",
            default: "always",
            description: "Whether a page enters at its first request or, once flash is nearly full, after some of its line.",
            is_place: false,
        },
        OptionAbout {
            name: "hits",
            values: "1 to 255",
            default: "3",
            description: "With promotion=nhit: requests of a cache line at which it enters.",
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
            description: "With cleaning=alru: time without a request after which a cache line is cleaned. [s]",
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
                "restart",
                "in this mode the directory is kept in memory only, so there is no warm restart: use mode=write_back or restart=cold",
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
        let line_pages = line_pages(options, run)?;
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
            line_pages,
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
            entries: u32::try_from(
                run.entries_of(entry_bytes(line_pages, run), u64::from(u32::MAX)),
            )
            .unwrap_or(u32::MAX),
        })
    }

    fn by_time(settings: &Settings) -> Option<ByTime> {
        let cleans = settings.mode.keeps_dirty() && settings.cleaning != Cleaning::Nop;
        cleans.then_some(ByTime {
            period: settings.wake,
            what: "dirty pages are cleaned",
        })
    }

    fn unit_pages(settings: &Settings) -> u32 {
        settings.line_pages
    }

    fn fills_at_once(settings: &Settings) -> u64 {
        2 * u64::from(settings.line_pages)
    }

    fn metadata(settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        settings.mode.keeps_dirty().then(|| {
            let bytes = entry_bytes(settings.line_pages, run);
            MetadataLayout::table(
                run.table_pages(run.flash_pages / settings.line_pages, bytes),
                "a table behind the data, written in place: for each cache line 10 bytes, and 2 for each 4 KiB of it",
            )
        })
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Err(Unsampled::always(
            "its cleaners count time and pages, which do not shrink with flash, and a sample breaks the streams that bypass it",
        ))
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            lines: Lines::new(flash_pages, settings.line_pages),
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
        self.lines.grow(pages);
        self.grow_lines();
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        self.lines.locate(pages, spaces, addresses);
        self.grow_lines();
        let Settings {
            mode,
            cleaning,
            line_pages,
            ..
        } = self.settings;
        let sweeps = mode.keeps_dirty() && cleaning == Cleaning::Acp;
        for ((&page, &space), &address) in pages.iter().zip(spaces).zip(addresses) {
            if page as usize == self.place_of.len() {
                self.place_of.push(place_of(space, address));
                // Lines are numbered as they appear, too.
                if sweeps && self.lines.line(page) as usize == self.order_of.len() {
                    self.order_of.push((space, address / u64::from(line_pages)));
                }
            }
        }
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        self.lines.keep_places(&mut crashed.lines);
        self.grow_lines();
        self.place_of = std::mem::take(&mut crashed.place_of);
        self.order_of = std::mem::take(&mut crashed.order_of);
    }

    fn fetch(&self, pages: &[u32]) {
        self.lines.fetch(pages);
        if self.settings.line_pages == 1 {
            self.links.fetch(pages);
        }
        fetch(&self.place_of, pages);
    }

    /// Few of those that leave have changed, and of the others it is asked only whether they are here.
    fn fetch_leaving(&self, pages: &[u32]) {
        self.lines.fetch(pages);
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
            Cleaning::Acp | Cleaning::Nop => Period {
                ns: ACP_MS * NS_PER_MS,
                ..wake
            },
        };
        self.ended = self.period.ends_until(now, unit);
        self.stale = stale.ticks(unit);
        self.idle = if idle.ns == 0 { 0 } else { idle.ticks(unit) };
        self.due = self.period.end(self.ended + 1, unit);
        // What a restart found counts as requested now.
        let mut line = self.dirty.oldest;
        while let Some(at) = self.requested.get_mut(line as usize) {
            *at = now;
            line = self.links.newer(line);
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
        let line = self.lines.line(page);
        let slot = self.lines.slot(line);
        if slot == NONE {
            return false;
        }
        self.touch(line, slot);
        self.lines.is_valid(page, slot)
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.lines.holds(page)
    }

    #[inline]
    fn on_entry(&mut self, page: u32, host: &mut impl Host) {
        let takes = !matches!(self.settings.mode, Mode::Only | Mode::Pass);
        if !takes && !self.skip {
            return;
        }
        let line = self.lines.line(page);
        let slot = self.lines.slot(line);
        if slot != NONE && self.lines.is_dirty(slot) {
            self.clean_line(line, slot, host);
        }
        if self.skip {
            host.counters().bypassed += 1;
        } else if slot == NONE {
            self.enter(page, line, false, host);
        } else {
            self.put(page, line, slot, false, host);
        }
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let line = self.lines.line(page);
        let slot = self.lines.slot(line);
        let on_flash = slot != NONE && self.lines.is_valid(page, slot);
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
            if slot != NONE {
                self.pass(page, line, slot, host);
            }
            return;
        }
        let back = mode.keeps_dirty();
        host.counters().disk_writes_on_exit += u64::from(!back);
        match mode {
            Mode::Invalidate if slot != NONE => self.pass(page, line, slot, host),
            Mode::Around if slot != NONE && !on_flash => self.touch(line, slot),
            _ if slot != NONE => self.put(page, line, slot, back, host),
            Mode::Around | Mode::Invalidate | Mode::Pass => {}
            _ => {
                let entered = self.enter(page, line, back, host);
                host.counters().disk_writes_on_exit += u64::from(back && !entered);
            }
        }
    }

    fn image(self) -> DirtyLines {
        self.lines.dirty_lines()
    }

    fn load(&mut self, image: DirtyLines, _counters: &mut FlashCacheCounters) {
        for line in self.lines.load(&image) {
            self.links.push(&mut self.dirty, line);
        }
    }

    fn valid_copies(&self) -> u64 {
        u64::from(self.lines.valid_pages())
    }

    fn holds_newer(&self, page: u32) -> bool {
        self.lines.is_dirty_page(page)
    }

    fn dirty_copies(&self) -> u64 {
        u64::from(self.lines.dirty_pages())
    }

    fn slots_used(&self) -> u64 {
        self.lines.pages_in_use()
    }

    fn by_clock(&self) -> Option<ByClock> {
        let Settings {
            mode,
            cleaning,
            wake,
            stale,
            ..
        } = self.settings;
        let (act, after) = match cleaning {
            _ if !mode.keeps_dirty() => return None,
            // Lines that were found busy have a note of their own.
            Cleaning::Alru if self.looks > 0 && self.idle_looks == 0 => return None,
            Cleaning::Alru => ("ALRU first cleans a cache line", wake.whole_to(stale)),
            Cleaning::Acp => ("ACP first cleans a cache line", self.period),
            Cleaning::Nop => return None,
        };
        Some(ByClock::First {
            act,
            after,
            waiting: self.lines.dirty_pages().into(),
            words: WAITS_FOR_CLEANING,
        })
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
                self.settings.idle.ns / 1_000_000_000
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
            for line in self.links.iter(list) {
                let slot = self.lines.slot(line);
                if slot == NONE || self.lines.is_dirty(slot) != dirty {
                    return Err(format!(
                        "line {line} stands in the list of {} lines",
                        if dirty { "dirty" } else { "clean" }
                    ));
                }
                ordered += 1;
            }
        }
        self.lines.recount(ordered, counters, crash)
    }
}

/// Pages of a cache line: as given, else 4 KiB, less where flash is small.
fn line_pages(options: &Options<'_>, run: Conditions) -> Result<u32> {
    let most = run.pages_of(MOST_LINE_BYTES, MOST_UNIT_PAGES);
    let usual = usual_unit(run.pages_of(LINE_BYTES, most), run.flash_pages);
    let most = most.min(u64::from(run.flash_pages.max(1)));
    let pages = options.number_or("line_pages", 1..=most, 1 << usual.ilog2())?;
    if !pages.is_power_of_two() {
        return Err(options.impossible("line_pages", "is not a power of two"));
    }
    Ok(u32::try_from(pages).unwrap_or(u32::MAX))
}
