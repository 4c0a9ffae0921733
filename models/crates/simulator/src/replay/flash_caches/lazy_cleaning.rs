//! Lazy Cleaning (LC): one copy a page in LRU-2 order, and a cleaner in the background.

use super::beside::Beside;
use super::face::{Admission, Sync};
use super::frames::{self, DIRECTORY, EntriesOnFlash, directory_of, record_free, write_recorded};
use super::lru2::{Lru2, MAX_FRAMES};
use super::options::Options;
use super::rate::{ACCESSES_PER_SECOND, ByTime, NAME as RATE, Period};
use super::settled::{ByClock, WAITS_FOR_CLEANING};
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host,
    OptionAbout, Sampled, Unsampled,
};
use crate::error::{Error, Result};
use crate::replay::bits::BitSet;
use crate::replay::fetch::fetch;
use crate::replay::metadata::MetadataLayout;
use crate::replay::room::Room;
use crate::replay::settings::share_of;

const BY_TIME: &str = "cleaner_period_us";
const BY_ACCESSES: &str = "cleaner_period_accesses";
/// No frame.
const ABSENT: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) write_through: bool,
    pub(crate) admission: Admission,
    /// Dirty frames above which the cleaner works.
    pub(crate) most_dirty: u32,
    pub(crate) cleaner_pages: u64,
    /// Most pages of a request of the cleaner to disk.
    pub(crate) group_pages: u64,
    pub(crate) cleaner: Wakes,
    pub(crate) directory: EntriesOnFlash,
}

/// When the cleaner wakes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wakes {
    pub(crate) by_time: Period,
    /// In a trace without time and without a stated rate.
    pub(crate) by_accesses: u64,
    /// Which of them the options ask for; a rate asks for time.
    pub(crate) asked: Option<ClockUnit>,
}

impl Wakes {
    fn of(options: &Options<'_>) -> Result<Self> {
        let us = options.number(BY_TIME, 1..=1_000_000_000_000)?;
        let by_accesses = options.number(BY_ACCESSES, 1..=u64::from(u32::MAX))?;
        let time_asked = [BY_TIME, RATE]
            .into_iter()
            .find(|name| options.is_given(name));
        if let Some(other) = time_asked
            && options.is_given(BY_ACCESSES)
        {
            let why = format!("has no effect with {other}, by which the cleaner wakes by time");
            return Err(options.impossible(BY_ACCESSES, &why));
        }
        Ok(Self {
            by_time: Period::of_us(options, us)?,
            by_accesses,
            asked: if time_asked.is_some() {
                Some(ClockUnit::Nanoseconds)
            } else {
                options.is_given(BY_ACCESSES).then_some(ClockUnit::Accesses)
            },
        })
    }

    /// Whether it wakes by time under a clock.
    fn goes_by_time(self, unit: ClockUnit) -> bool {
        unit == ClockUnit::Nanoseconds || self.asked == Some(ClockUnit::Nanoseconds)
    }

    /// The period of a clock.
    fn period(self, unit: ClockUnit) -> Period {
        if self.goes_by_time(unit) {
            self.by_time
        } else {
            Period::of_accesses(self.by_accesses)
        }
    }
}

/// LC as Kang, Lee and Moon describe it in sections 3.2 and 6.4: pages enter flash as they leave
/// DRAM, one copy each, replaced by LRU-2, dirty pages written back; with the group cleaning of Do et al.
///
/// ```text
/// DRAM misses p:        on flash: read it; a reference of its frame
/// evict p from DRAM:    on flash and changed: write it over its copy; a reference; dirty
///                       on flash and unchanged: nothing
///                       not on flash: if flash is full, free the coldest frame by LRU-2, writing it
///                       to disk if dirty; write p there; its first reference; dirty if p changed
/// cleaner, each period: while more frames are dirty than the threshold allows, and fewer than
///                       `cleaner_pages` were cleaned: gather the page of the coldest dirty frame and the dirty ones
///                       that are consecutive with it on disk, `group_pages` at most, read each from its frame, and
///                       write them to disk in one request; clean
/// ```
///
/// Choices where the paper is silent:
/// * A reference of a frame is an I/O to it: the write at its first entry, a flash hit, an
///   overwrite. The coldest frame has the oldest last but one reference; frames referenced once
///   come before all others, oldest first. No reference period is taken as correlated, and a page
///   that left flash leaves no history.
/// * The victim may be dirty: clean frames are not preferred. The cleaner takes the coldest dirty
///   frames, the likely next victims.
/// * The cleaner wakes every `cleaner_period`, by trace time, by a stated rate, or by accesses, does
///   what it may at that instant, and never holds up an access. Cleaning reads flash, writes disk, and is no
///   reference.
/// * Of the pages of a group those that follow the coldest one come first, then those before it. A group may leave
///   fewer frames dirty than the threshold allows.
/// * Dirty-only and clean-only admission as in `FaCE`; clean-only frees the frame of a page whose
///   changed version goes to disk. A freed frame is used before a new one.
/// * Write-around is not offered: the design table of the paper has none.
/// * The original directory is in memory only, so a crash loses the cache. With
///   `directory=persistent` each entry that changes (a page enters a frame, leaves it, a clean one
///   becomes dirty) costs two random metadata page writes, as the paper counts for caches
///   without a log-structured directory. What the cleaner cleaned is not recorded: after a crash
///   such a page may be written to disk once more. A restart reads the directory, and gives
///   each page one reference, in the order of frames.
#[derive(Debug)]
pub(crate) struct LazyCleaning {
    settings: Settings,
    capacity: u32,
    /// Page of each frame that was ever used, [`ABSENT`] where free.
    pages: Vec<u32>,
    frame_of: Vec<u32>,
    room: Room,
    order: Lru2,
    /// The pages of dirty frames, where the cleaner writes several in one request.
    beside: Option<Beside>,
    /// Pages of such a request.
    group: Vec<u32>,
    /// Frames that the persistent directory calls dirty.
    dirty_in_directory: BitSet,
    unit: ClockUnit,
    period: Period,
    /// How often the period has ended.
    ended: u64,
    due: u64,
}

/// The frames as a restart finds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Image {
    /// Page and dirty bit, by frame.
    pub(crate) frames: Vec<Option<(u32, bool)>>,
}

impl LazyCleaning {
    /// Lets the cleaner sleep until its period ends next.
    fn wait(&mut self, now: u64) {
        self.ended = self.period.ends_until(now, self.unit);
        self.due = self.period.end(self.ended + 1, self.unit);
    }

    /// A frame becomes dirty or clean, or goes out of use while clean.
    #[inline]
    fn set_dirty(&mut self, page: u32, frame: u32, dirty: bool) {
        if let Some(beside) = &mut self.beside
            && dirty != self.order.is_dirty(frame)
        {
            beside.mark(page, dirty);
        }
        self.order.set_dirty(frame, dirty);
    }

    /// Frees the frame of a page.
    fn drop_copy(&mut self, page: u32, host: &mut impl Host) {
        let frame = std::mem::replace(&mut self.frame_of[page as usize], ABSENT);
        self.pages[frame as usize] = ABSENT;
        self.set_dirty(page, frame, false);
        self.order.remove(frame);
        self.room.give_back(frame);
        host.counters().flash_invalidations += 1;
        host.flash_trim(frame, 1);
        self.dirty_in_directory.take(frame);
        record_free(self.settings.directory, frame, host);
    }

    /// Writes a page to its frame, and records it as dirty or clean where its entry changes.
    fn write(&mut self, frame: u32, recorded: Option<bool>, host: &mut impl Host) {
        let directory = self.settings.directory.filter(|_| recorded.is_some());
        write_recorded(directory, frame, host);
        if let Some(dirty) = recorded {
            self.dirty_in_directory.take(frame);
            self.dirty_in_directory.insert_if(frame, dirty);
        }
    }

    /// A frame for a page that comes in.
    fn take_frame(&mut self, host: &mut impl Host) -> u32 {
        if let Some(frame) = self.room.take() {
            if frame as usize == self.pages.len() {
                self.pages.push(ABSENT);
                self.dirty_in_directory.grow(self.pages.len());
            }
            return frame;
        }
        let frame = self.order.coldest().unwrap_or_default();
        if self.order.is_dirty(frame) {
            host.counters().flash_stage_out_reads += 1;
            host.counters().disk_writes_on_stage_out += 1;
        }
        host.counters().flash_evictions += 1;
        let page = self.pages[frame as usize];
        self.set_dirty(page, frame, false);
        self.order.remove(frame);
        self.frame_of[page as usize] = ABSENT;
        frame
    }

    fn clean(&mut self, host: &mut impl Host) {
        let mut left = self.settings.cleaner_pages;
        while left > 0 && self.order.dirty_len() > self.settings.most_dirty {
            let Some(frame) = self.order.coldest_dirty() else {
                break;
            };
            let page = self.pages[frame as usize];
            let mut group = std::mem::take(&mut self.group);
            match &self.beside {
                Some(beside) => {
                    beside.run(page, left.min(self.settings.group_pages), &mut group);
                }
                None => group.push(page),
            }
            for &page in &group {
                self.set_dirty(page, self.frame_of[page as usize], false);
            }
            let pages = group.len() as u64;
            host.counters().flash_stage_out_reads += pages;
            host.counters().clean_run(pages);
            left -= pages;
            group.clear();
            self.group = group;
        }
    }
}

impl FlashCache for LazyCleaning {
    type Settings = Settings;
    type Image = Image;
    type Device = Frames;
    const NEEDS_ADDRESSES: bool = true;

    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "mode",
            values: "write_back, write_through",
            default: "write_back",
            description: "When a changed DRAM victim reaches the disk: cleaned or replaced, or at once.",
            is_place: false,
        },
        OptionAbout {
            name: "admission",
            values: "mixed, dirty_only, clean_only, cachesack",
            default: "mixed",
            description: "Which DRAM victims flash admits.",
            is_place: false,
        },
        OptionAbout {
            name: "dirty_threshold",
            values: "0 to 1",
            default: "0.5",
            description: "Share of the flash pages that may be dirty before the cleaner starts; 1 never cleans.",
            is_place: false,
        },
        OptionAbout {
            name: "cleaner_pages",
            values: "1 to 4294967295",
            default: "64",
            description: "Maximum number of pages cleaned each time the cleaner wakes.",
            is_place: false,
        },
        OptionAbout {
            name: "group_pages",
            values: "1 to 4294967295",
            default: "32",
            description: "Maximum number of pages, consecutive on disk, that the cleaner writes there in one request.",
            is_place: false,
        },
        OptionAbout {
            name: BY_TIME,
            values: "1 to 1000000000000",
            default: "10000",
            description: "Time between wake-ups of the cleaner, where the trace has time or a rate is stated. [µs]",
            is_place: false,
        },
        OptionAbout {
            name: BY_ACCESSES,
            values: "1 to 4294967295",
            default: "64",
            description: "Accesses between wake-ups of the cleaner, in a trace without time and without a stated rate.",
            is_place: false,
        },
        DIRECTORY,
        ACCESSES_PER_SECOND,
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        let sync = options.choice(
            "mode",
            &[("write_back", Sync::Back), ("write_through", Sync::Through)],
        )?;
        let admission = options.choice(
            "admission",
            &[
                ("mixed", Admission::Mixed),
                ("dirty_only", Admission::DirtyOnly),
                ("clean_only", Admission::CleanOnly),
            ],
        )?;
        let directory = directory_of(options, run)?;
        Ok(Settings {
            write_through: sync == Sync::Through,
            admission,
            most_dirty: share_of(options.share("dirty_threshold")?, run.flash_pages),
            cleaner_pages: options.number("cleaner_pages", 1..=u64::from(u32::MAX))?,
            group_pages: options.number("group_pages", 1..=u64::from(u32::MAX))?,
            cleaner: Wakes::of(options)?,
            directory,
        })
    }

    fn by_time(settings: &Settings) -> Option<ByTime> {
        let Wakes { by_time, asked, .. } = settings.cleaner;
        (asked == Some(ClockUnit::Nanoseconds)).then_some(ByTime {
            period: by_time,
            what: "the cleaner wakes",
        })
    }

    fn check_clock(settings: &Settings, unit: ClockUnit) -> Result<()> {
        let Wakes {
            by_accesses, asked, ..
        } = settings.cleaner;
        if unit == ClockUnit::Nanoseconds && asked == Some(ClockUnit::Accesses) {
            return Err(Error::BadParameter {
                name: "option",
                value: format!("{BY_ACCESSES}={by_accesses}"),
                message: "has no effect: the accesses have times, and the cleaner wakes by time"
                    .to_owned(),
                hint: format!("give {BY_TIME} instead, or leave it out"),
            });
        }
        Self::by_time(settings).map_or(Ok(()), |by_time| by_time.check(unit))
    }

    fn metadata(settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        frames::layout(settings.directory, run)
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Err(Unsampled::always(
            "a newcomer leaves flash at the next one in flash of any size, as LRU-2 has it, and the cleaner's pages and times do not shrink",
        ))
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            capacity: flash_pages,
            pages: Vec::new(),
            frame_of: Vec::new(),
            room: Room::new(flash_pages),
            order: Lru2::new(),
            beside: (!settings.write_through && settings.group_pages > 1).then(Beside::default),
            group: Vec::new(),
            dirty_in_directory: BitSet::default(),
            unit: ClockUnit::Accesses,
            period: settings.cleaner.period(ClockUnit::Accesses),
            ended: 0,
            due: u64::MAX,
        }
    }

    fn check_distinct_pages(pages: usize) -> Result<()> {
        if pages <= MAX_FRAMES {
            return Ok(());
        }
        Err(Error::BadParameter {
            name: "trace",
            value: pages.to_string(),
            message: format!(
                "more than {MAX_FRAMES} distinct pages, the maximum that LRU-2 can order"
            ),
            hint: "use a larger [[page_bytes]], or shorten the trace".to_owned(),
        })
    }

    fn grow(&mut self, pages: usize) {
        if pages > self.frame_of.len() {
            self.frame_of.resize(pages, ABSENT);
        }
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        if let Some(beside) = &mut self.beside {
            beside.locate(pages, spaces, addresses);
        }
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        self.beside = crashed.beside.take();
        if let Some(beside) = &mut self.beside {
            beside.clear();
        }
    }

    fn fetch(&self, pages: &[u32]) {
        fetch(&self.frame_of, pages);
    }

    fn start_clock(&mut self, unit: ClockUnit, now: u64) -> u64 {
        self.unit = unit;
        self.period = self.settings.cleaner.period(unit);
        self.wait(now);
        self.due
    }

    fn by_clock(&self) -> Option<ByClock> {
        let dirty = self.order.dirty_len();
        let Settings {
            most_dirty,
            cleaner,
            ..
        } = self.settings;
        let after = cleaner.period(self.unit);
        (dirty > most_dirty && cleaner.goes_by_time(self.unit)).then_some(ByClock::First {
            act: "the cleaner first wakes",
            after,
            waiting: u64::from(dirty),
            words: WAITS_FOR_CLEANING,
        })
    }

    fn background(&mut self, now: u64, host: &mut impl Host) -> u64 {
        while self.due <= now && self.order.dirty_len() > self.settings.most_dirty {
            self.clean(host);
            self.ended += 1;
            self.due = self.period.end(self.ended + 1, self.unit);
        }
        if self.due <= now {
            self.wait(now);
        }
        self.due
    }

    fn next_work(&self) -> u64 {
        if self.order.dirty_len() > self.settings.most_dirty {
            self.due
        } else {
            u64::MAX
        }
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        let frame = self.frame_of[page as usize];
        if frame == ABSENT {
            return false;
        }
        self.order.reference(frame);
        true
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.frame_of[page as usize] != ABSENT
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let Settings {
            write_through,
            admission,
            ..
        } = self.settings;
        let frame = self.frame_of[page as usize];
        let on_flash = frame != ABSENT;
        host.counters().victims_found_on_flash += u64::from(on_flash);
        if changed && admission == Admission::CleanOnly {
            host.counters().disk_writes_on_exit += 1;
            if on_flash {
                self.drop_copy(page, host);
            }
            return;
        }
        if !changed && (on_flash || admission == Admission::DirtyOnly) {
            return;
        }
        host.counters().disk_writes_on_exit += u64::from(changed && write_through);
        let dirty = changed && !write_through;
        if on_flash {
            host.counters().flash_write_backs += 1;
            let changes = dirty && !self.dirty_in_directory.contains(frame);
            self.write(frame, changes.then_some(true), host);
            self.order.reference(frame);
            self.set_dirty(page, frame, dirty);
        } else {
            let frame = self.take_frame(host);
            host.counters().flash_fills += 1;
            self.write(frame, Some(dirty), host);
            self.pages[frame as usize] = page;
            self.frame_of[page as usize] = frame;
            self.order.insert(frame, false);
            self.set_dirty(page, frame, dirty);
        }
    }

    fn image(self) -> Image {
        let frames = self.pages.iter().zip(0..);
        let content = |(&page, frame)| {
            (page != ABSENT).then(|| (page, self.dirty_in_directory.contains(frame)))
        };
        Image {
            frames: frames.map(content).collect(),
        }
    }

    fn load(&mut self, image: Image, _counters: &mut FlashCacheCounters) {
        for (frame, content) in (0_u32..).zip(image.frames) {
            // A frame number enters the order before it can leave it.
            let (page, dirty) = content.unwrap_or((ABSENT, false));
            self.pages.push(page);
            self.dirty_in_directory.grow(self.pages.len());
            self.dirty_in_directory.insert_if(frame, dirty);
            self.order.insert(frame, false);
            self.room.take_at(frame);
            if page == ABSENT {
                self.order.remove(frame);
                self.room.give_back(frame);
            } else {
                self.set_dirty(page, frame, dirty);
                self.frame_of[page as usize] = frame;
            }
        }
    }

    fn valid_copies(&self) -> u64 {
        u64::from(self.order.len())
    }

    fn holds_newer(&self, page: u32) -> bool {
        let frame = self.frame_of[page as usize];
        frame != ABSENT && self.order.is_dirty(frame)
    }

    fn dirty_copies(&self) -> u64 {
        u64::from(self.order.dirty_len())
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        self.order.recount()?;
        let mapped = self.frame_of.iter().filter(|&&frame| frame != ABSENT);
        let mapped = mapped.count();
        if mapped != self.order.len() as usize
            || self.room.taken() != mapped
            || self.room.ever_taken() as usize != self.pages.len()
            || self.pages.len() > self.capacity as usize
        {
            return Err(format!(
                "{mapped} pages are mapped to {} frames, {} of them free, {} in order, capacity {}",
                self.pages.len(),
                self.room.given_back().len(),
                self.order.len(),
                self.capacity
            ));
        }
        let astray = self.frame_of.iter().zip(0_u32..).find(|&(&frame, page)| {
            frame != ABSENT && (self.pages[frame as usize] != page || !self.order.contains(frame))
        });
        if let Some((frame, page)) = astray {
            return Err(format!(
                "page {page} is mapped to frame {frame}, which is not its own"
            ));
        }
        let lost = crash.map_or(0, |crash| crash.flash_pages_lost);
        let gone = counters.flash_evictions + counters.flash_invalidations + mapped as u64 + lost;
        if counters.flash_fills != gone || counters.requeued != 0 {
            return Err(format!(
                "{} fills, but {gone} copies left flash, were lost or are there",
                counters.flash_fills
            ));
        }
        Ok(())
    }
}
