//! Scalable Cache Engine (SCE): fragments, filled in the background by a number of threads.

use std::collections::VecDeque;

use super::chains::{Ends, Links, NONE};
use super::options::Options;
use super::rate::{ACCESSES_PER_SECOND, ByTime, Period, next_due};
use super::settled::ByClock;
use super::units::{MOST_UNIT_PAGES, Units};
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host,
    OptionAbout, Sampled, Unsampled, unit_of,
};
use crate::error::Result;
use crate::hash::FastMap;

/// Threads that run while the miss rate is at least their target and more than their share of
/// flash is free; a share of 0 is always met.
struct Group {
    threads: u32,
    target_miss_rate: f64,
    least_free: f64,
}

/// Bytes of a fragment.
const FRAGMENT_BYTES: u64 = 1 << 20;
/// Bytes of the copies of writes that are under way to flash.
const CLONE_BYTES: u64 = 8 << 20;
const MOST_CLONES: u64 = 1 << 32;
const WRITE_US: &str = "flash_write_us";
const CLONES: &str = "clone_pages";
/// The groups that give 8, 4 and 1 threads.
const GROUPS: [Group; 3] = [
    Group {
        threads: 4,
        target_miss_rate: 0.35,
        least_free: 0.10,
    },
    Group {
        threads: 3,
        target_miss_rate: 0.15,
        least_free: 0.0,
    },
    Group {
        threads: 1,
        target_miss_rate: 0.0,
        least_free: 0.0,
    },
];

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// A changed victim is written to flash too; else its page there becomes invalid.
    pub(crate) write_through: bool,
    pub(crate) fragment_pages: u32,
    /// Fragments among which the hottest is found.
    pub(crate) window: u32,
    pub(crate) period: Period,
    /// How long a write to flash is under way; `None`: it ends before the next access.
    pub(crate) write: Option<Period>,
    /// Writes under way at most.
    pub(crate) clones: u64,
    pub(crate) initial_count: u8,
    pub(crate) ceiling: u8,
}

/// SCE as its paper describes it in section 3; its signs of comparison repaired.
///
/// ```text
/// DRAM misses p:        count the access of its fragment, which becomes the most recent; is the fragment
///                       on flash, its counter rises, up to the ceiling; the bit of p is set: read it
/// p came from disk:     nothing: no page enters flash in line
/// evict p from DRAM:    changed: write it to disk
///   write_through:      its fragment is on flash: clear its bit, write it there; after `flash_write_us`, unless it
///                       was written again: set its bit. More than `clone_pages` under way: as write_around
///   write_around:       clear its bit
/// threads, each period: if anything was read since the last one: miss rate = share of the reads that
///                       flash did not serve; 4 threads run if it is at least 0.35 and more than 0.10
///                       of flash is free, 3 if it is at least 0.15, 1 always; each promotes
/// promote:              of the 100 fragments accessed last, those not on flash, the one with the most
///                       accesses, among equals the more recent one: read it from disk, write it to
///                       a slot, both in one operation, set all bits but those of pages under way
/// slot:                 one never used; else by generalised CLOCK: the hand takes 1 from each counter
///                       above 0 and moves on, to the first at 0; the newcomer's counter is 1
/// ```
///
/// Choices where the paper is silent:
/// * An access is a read that DRAM missed. Counts are for the whole replay.
/// * All threads wake at the same moments and promote one after the other; only the period of the
///   last thread is stated, and it is that of all. Free flash is read before each promotion.
/// * A fragment with invalid pages stays as it is until it has left flash and is promoted again.
/// * All pages of a fragment are read and written, whether the trace has them or not.
/// * Write-through is the paper's asynchronous one. It states no time of a write to flash: unless
///   `flash_write_us` does, it ends before the next access, and the 8 MiB of clones never run out.
/// * A write that ends sets the bit wherever the fragment is then: a promotion reads what the source has. A page
///   that was written to the source alone meanwhile stays invalid: what ends is an old version.
/// * Its map is in memory only: a crash loses the cache.
#[derive(Debug)]
pub(crate) struct Sce {
    settings: Settings,
    slots: u32,
    fragments: Units,
    fragment: Vec<Fragment>,
    /// Fragments accessed last, least recent first.
    recent: Ends,
    recent_links: Links,
    recent_len: u32,
    slot: Vec<Slot>,
    /// Validity bits: so many words a slot.
    valid: Vec<u64>,
    words: usize,
    hand: u32,
    reads: u64,
    missed: u64,
    /// Pages on flash, valid or on their way there.
    held: u64,
    period: u64,
    due: u64,
    now: u64,
    /// How long a write is under way; 0: no time.
    write: u64,
    /// When each write under way ends, and its page, in this order.
    under_way: VecDeque<(u64, u32)>,
    /// The last write of each page under way.
    last_write: FastMap<u32, LastWrite>,
    /// How often the threads woke, and the pages that they promoted the last time.
    woken: u64,
    last_promoted: u64,
}

/// A write that is under way to flash.
#[derive(Debug, Clone, Copy)]
struct LastWrite {
    end: u64,
    /// Whether the source has a newer version.
    is_old: bool,
}

#[derive(Debug, Clone, Copy)]
struct Fragment {
    slot: u32,
    accesses: u32,
    is_recent: bool,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    fragment: u32,
    counter: u8,
}

impl Sce {
    fn know_fragments(&mut self) {
        let unknown = Fragment {
            slot: NONE,
            accesses: 0,
            is_recent: false,
        };
        self.fragment.resize(self.fragments.len(), unknown);
        self.recent_links.grow(self.fragments.len());
    }

    /// Word and bit of a page of a slot.
    #[inline]
    fn bit(&self, slot: u32, place: u16) -> (usize, u64) {
        let word = slot as usize * self.words + usize::from(place / 64);
        (word, 1 << (place % 64))
    }

    #[inline]
    fn is_valid(&self, slot: u32, place: u16) -> bool {
        let (word, bit) = self.bit(slot, place);
        slot != NONE && self.valid[word] & bit != 0
    }

    fn access(&mut self, fragment: u32) {
        let about = &mut self.fragment[fragment as usize];
        about.accesses = about.accesses.saturating_add(1);
        if let Some(slot) = self.slot.get_mut(about.slot as usize) {
            slot.counter = slot.counter.saturating_add(1).min(self.settings.ceiling);
        }
        if about.is_recent {
            self.recent_links.renew(&mut self.recent, fragment);
            return;
        }
        about.is_recent = true;
        self.recent_links.push(&mut self.recent, fragment);
        self.recent_len += 1;
        if self.recent_len > self.settings.window
            && let Some(oldest) = self.recent_links.pop(&mut self.recent)
        {
            self.fragment[oldest as usize].is_recent = false;
            self.recent_len -= 1;
        }
    }

    /// The fragment to promote.
    fn hottest(&self) -> Option<u32> {
        let recent = self.recent_links.iter(self.recent);
        recent
            .filter(|&fragment| self.fragment[fragment as usize].slot == NONE)
            .max_by_key(|&fragment| self.fragment[fragment as usize].accesses)
    }

    fn take_slot(&mut self, fragment: u32, host: &mut impl Host) -> u32 {
        let newcomer = Slot {
            fragment,
            counter: self.settings.initial_count,
        };
        if self.slot.len() < self.slots as usize {
            self.slot.push(newcomer);
            self.valid.resize(self.slot.len() * self.words, 0);
            return u32::try_from(self.slot.len() - 1).unwrap_or(NONE);
        }
        while self.slot[self.hand as usize].counter > 0 {
            self.slot[self.hand as usize].counter -= 1;
            self.hand = (self.hand + 1) % self.slots;
        }
        let slot = self.hand;
        self.hand = (self.hand + 1) % self.slots;
        let victim = std::mem::replace(&mut self.slot[slot as usize], newcomer);
        let bits = self.bits(slot);
        let valid = bits
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum::<u64>();
        let under_way = self.under_way_in(victim.fragment);
        let left = valid + under_way.filter(|&(_, is_old)| !is_old).count() as u64;
        host.counters().flash_evictions += left;
        self.held -= left;
        self.fragment[victim.fragment as usize].slot = NONE;
        slot
    }

    /// Pages of a fragment with a write under way, and whether it is old; none of them is valid.
    fn under_way_in(&self, fragment: u32) -> impl Iterator<Item = (u32, bool)> {
        let writes = self.last_write.iter();
        writes
            .filter(move |&(&page, _)| self.fragments.of(page) == fragment)
            .map(|(&page, write)| (page, write.is_old))
    }

    /// Whether the version of a page that flash shall have is under way.
    fn is_on_its_way(&self, page: u32) -> bool {
        self.last_write
            .get(&page)
            .is_some_and(|write| !write.is_old)
    }

    /// The source has a newer version than what is under way.
    fn outdate(&mut self, page: u32) {
        if let Some(write) = self.last_write.get_mut(&page) {
            write.is_old = true;
        }
    }

    /// The first write under way ends.
    fn end_write(&mut self) {
        let Some((end, page)) = self.under_way.pop_front() else {
            return;
        };
        let Some(&write) = self.last_write.get(&page) else {
            return;
        };
        if write.end != end {
            return;
        }
        self.last_write.remove(&page);
        if write.is_old {
            return;
        }
        let (fragment, place) = self.fragments.place(page);
        let slot = self.fragment[fragment as usize].slot;
        if slot != NONE {
            let (word, bit) = self.bit(slot, place);
            self.valid[word] |= bit;
        }
    }

    /// Ends the writes that end up to a time.
    fn end_writes(&mut self, until: u64) {
        while self.under_way.front().is_some_and(|&(end, _)| end <= until) {
            self.end_write();
        }
    }

    /// When to come again: at each access while a write takes time, for it is to be known when it begins.
    fn come_again(&self) -> u64 {
        if self.write > 0 {
            self.now + 1
        } else {
            self.due
        }
    }

    fn bits(&self, slot: u32) -> &[u64] {
        &self.valid[slot as usize * self.words..][..self.words]
    }

    fn promote(&mut self, host: &mut impl Host) {
        let Some(fragment) = self.hottest() else {
            return;
        };
        let slot = self.take_slot(fragment, host);
        self.fragment[fragment as usize].slot = slot;
        let pages = self.settings.fragment_pages;
        let first = slot as usize * self.words;
        for (at, word) in (0..).zip(&mut self.valid[first..first + self.words]) {
            let rest = pages - at * 64;
            *word = if rest < 64 { (1 << rest) - 1 } else { u64::MAX };
        }
        let invalid: Vec<(u32, bool)> = self.under_way_in(fragment).collect();
        let mut old = 0;
        for (page, is_old) in invalid {
            let (word, bit) = self.bit(slot, self.fragments.place(page).1);
            self.valid[word] &= !bit;
            old += u64::from(is_old);
        }
        self.held += u64::from(pages) - old;
        let counters = host.counters();
        counters.flash_invalidations += old;
        counters.flash_fills += u64::from(pages);
        counters.disk_batch_reads += 1;
        counters.disk_batch_read_pages += u64::from(pages);
        host.flash_write(slot * pages, pages);
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    fn wake(&mut self, host: &mut impl Host) {
        let miss_rate = self.missed as f64 / self.reads as f64;
        (self.reads, self.missed) = (0, 0);
        for group in &GROUPS {
            for _ in 0..group.threads {
                let free = 1.0 - self.slot.len() as f64 / f64::from(self.slots);
                let roomy = group.least_free == 0.0 || free > group.least_free;
                if miss_rate >= group.target_miss_rate && roomy {
                    self.promote(host);
                }
            }
        }
    }
}

/// Copies of pages that are under way to flash, at most; refused where no write ever is.
fn clones_of(
    options: &Options<'_>,
    run: Conditions,
    write_through: bool,
    write_us: u64,
) -> Result<u64> {
    if write_through && write_us > 0 {
        let usual = run.pages_of(CLONE_BYTES, MOST_CLONES);
        return options.number_or(CLONES, 1..=MOST_CLONES, usual);
    }
    if options.is_given(CLONES) {
        let why = if write_through {
            "has no effect with flash_write_us=0: no write is under way"
        } else {
            "has no effect with mode=write_around: nothing is written to flash but whole fragments"
        };
        return Err(options.impossible(CLONES, why));
    }
    Ok(MOST_CLONES)
}

impl FlashCache for Sce {
    type Settings = Settings;
    type Image = ();
    type Device = Frames;

    const NEEDS_ADDRESSES: bool = true;
    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "mode",
            values: "write_through, write_around",
            default: "write_through",
            description: "What a changed DRAM victim is on flash: written there too (asynchronous write-through), or invalid.",
            is_place: false,
        },
        OptionAbout {
            name: "fragment_pages",
            values: "1 to 65536, at most the number of flash pages",
            default: "256 of 4 KiB (1 MiB), at most 1/16 of flash",
            description: "Consecutive pages of a relation that enter and leave together; what does not fill a fragment stays unused.",
            is_place: false,
        },
        OptionAbout {
            name: "window",
            values: "1 to 65536",
            default: "100",
            description: "Fragments accessed last among which a thread finds the hottest.",
            is_place: false,
        },
        OptionAbout {
            name: "period_ms",
            values: "1 to 1000000000",
            default: "500",
            description: "Time between the rounds of the population threads. [ms]",
            is_place: false,
        },
        ACCESSES_PER_SECOND,
        OptionAbout {
            name: WRITE_US,
            values: "0 to 1000000000",
            default: "0",
            description: "Time that a changed page is under way to flash, and not served from there. 0: it is there before the next access. [µs]",
            is_place: false,
        },
        OptionAbout {
            name: CLONES,
            values: "1 to 4294967296",
            default: "2048 of 4 KiB (8 MiB)",
            description: "With mode=write_through and flash_write_us above 0: pages under way to flash at most, of which copies are held; beyond it a page that is written becomes invalid there.",
            is_place: false,
        },
        OptionAbout {
            name: "initial_count",
            values: "0 to the ceiling",
            default: "1",
            description: "Counter of a fragment that comes in.",
            is_place: false,
        },
        OptionAbout {
            name: "ceiling",
            values: "1 to 255",
            default: "4",
            description: "Highest counter of a fragment.",
            is_place: false,
        },
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        let mode = [("write_through", true), ("write_around", false)];
        let write_through = options.choice("mode", &mode)?;
        let usual = run.pages_of(FRAGMENT_BYTES, MOST_UNIT_PAGES);
        let fragment_pages = unit_of(options, "fragment_pages", usual, run.flash_pages)?;
        if u64::from(fragment_pages) > MOST_UNIT_PAGES {
            return Err(options.impossible("fragment_pages", "is above 65536"));
        }
        if run.warm_restart {
            return Err(options.impossible(
                "restart",
                "the map of fragments is kept in memory only, so there is no warm restart: use restart=cold",
            ));
        }
        let window = options.number("window", 1..=65536)?;
        let period_ms = options.number("period_ms", 1..=1_000_000_000)?;
        let write_us = options.number(WRITE_US, 0..=1_000_000_000)?;
        let clones = clones_of(options, run, write_through, write_us)?;
        let ceiling = options.number("ceiling", 1..=255)?;
        let usual = ceiling.min(1);
        Ok(Settings {
            write_through,
            fragment_pages,
            window: u32::try_from(window).unwrap_or(u32::MAX),
            period: Period::new(options, period_ms)?,
            write: if write_us > 0 {
                Some(Period::of_us(options, write_us)?)
            } else {
                None
            },
            clones,
            initial_count: u8::try_from(options.number_or("initial_count", 0..=ceiling, usual)?)
                .unwrap_or(u8::MAX),
            ceiling: u8::try_from(ceiling).unwrap_or(u8::MAX),
        })
    }

    fn unit_pages(settings: &Settings) -> u32 {
        settings.fragment_pages
    }

    fn fills_at_once(settings: &Settings) -> u64 {
        let threads: u32 = GROUPS.iter().map(|group| group.threads).sum();
        u64::from(threads) * u64::from(settings.fragment_pages)
    }

    fn by_time(settings: &Settings) -> Option<ByTime> {
        Some(ByTime {
            period: settings.period,
            what: "the threads that fill flash wake",
        })
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Err(Unsampled::always(
            "its fragments are adjacent pages, of which a sample holds few, and its threads work by time: neither shrinks with flash",
        ))
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            slots: flash_pages / settings.fragment_pages,
            fragments: Units::new(settings.fragment_pages),
            fragment: Vec::new(),
            recent: Ends::EMPTY,
            recent_links: Links::default(),
            recent_len: 0,
            slot: Vec::new(),
            valid: Vec::new(),
            words: settings.fragment_pages.div_ceil(64) as usize,
            hand: 0,
            reads: 0,
            missed: 0,
            held: 0,
            period: 1,
            due: u64::MAX,
            now: 0,
            write: 0,
            under_way: VecDeque::new(),
            last_write: FastMap::default(),
            woken: 0,
            last_promoted: 0,
        }
    }

    fn grow(&mut self, _pages: usize) {}

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        self.fragments.locate(pages, spaces, addresses);
        self.know_fragments();
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        std::mem::swap(&mut self.fragments, &mut crashed.fragments);
        self.know_fragments();
    }

    fn fetch(&self, pages: &[u32]) {
        let mixed = pages
            .iter()
            .fold(0, |mixed, &page| mixed ^ self.fragments.of(page));
        std::hint::black_box(mixed);
    }

    fn start_clock(&mut self, unit: ClockUnit, now: u64) -> u64 {
        self.period = self.settings.period.ticks(unit);
        self.write = self.settings.write.map_or(0, |write| write.ticks(unit));
        self.due = next_due(now, self.period);
        self.now = now;
        self.come_again()
    }

    fn background(&mut self, now: u64, host: &mut impl Host) -> u64 {
        if self.due <= now {
            self.end_writes(self.due);
            if self.reads > 0 {
                let before = host.counters().flash_fills;
                self.wake(host);
                self.woken += 1;
                self.last_promoted = host.counters().flash_fills - before;
            }
            self.due = next_due(now, self.period);
        }
        self.end_writes(now);
        self.now = now;
        self.come_again()
    }

    fn next_work(&self) -> u64 {
        if self.reads > 0 { self.due } else { u64::MAX }
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        let (fragment, place) = self.fragments.place(page);
        self.access(fragment);
        let hit = self.is_valid(self.fragment[fragment as usize].slot, place);
        self.reads += 1;
        self.missed += u64::from(!hit);
        hit
    }

    /// A page that is under way counts as there: what replaces it has to be heard of, or it would become valid again.
    #[inline]
    fn holds(&self, page: u32) -> bool {
        let (fragment, place) = self.fragments.place(page);
        self.is_valid(self.fragment[fragment as usize].slot, place) || self.is_on_its_way(page)
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let (fragment, place) = self.fragments.place(page);
        let slot = self.fragment[fragment as usize].slot;
        let valid = self.is_valid(slot, place);
        let counters = host.counters();
        counters.victims_found_on_flash += u64::from(valid);
        if !changed {
            return;
        }
        counters.disk_writes_on_exit += 1;
        if slot == NONE {
            self.outdate(page);
            return;
        }
        let (word, bit) = self.bit(slot, place);
        let frame = slot * self.settings.fragment_pages + u32::from(place);
        let known = valid || self.is_on_its_way(page);
        if self.settings.write_through && (self.under_way.len() as u64) < self.settings.clones {
            if self.write == 0 {
                self.valid[word] |= bit;
            } else {
                self.valid[word] &= !bit;
                let end = self.now.saturating_add(self.write);
                self.under_way.push_back((end, page));
                let is_old = false;
                self.last_write.insert(page, LastWrite { end, is_old });
            }
            self.held += u64::from(!known);
            counters.flash_fills += u64::from(!known);
            counters.flash_write_backs += u64::from(known);
            host.flash_write(frame, 1);
        } else if known {
            self.valid[word] &= !bit;
            self.outdate(page);
            self.held -= 1;
            counters.flash_invalidations += 1;
            host.flash_trim(frame, 1);
        }
    }

    fn image(self) {}

    fn load(&mut self, _image: (), _counters: &mut FlashCacheCounters) {}

    fn valid_copies(&self) -> u64 {
        self.held
    }

    fn slots_used(&self) -> u64 {
        self.slot.len() as u64 * u64::from(self.settings.fragment_pages)
    }

    fn by_clock(&self) -> Option<ByClock> {
        Some(ByClock::Fills {
            act: "SCE promotes fragments",
            every: self.settings.period,
            times: self.woken,
            last: self.last_promoted,
            filled: self.slots_used(),
            usable: u64::from(self.slots) * u64::from(self.settings.fragment_pages),
        })
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        for (at, slot) in (0..).zip(&self.slot) {
            if self.fragment[slot.fragment as usize].slot != at {
                return Err(format!("slot {at} holds fragment {}", slot.fragment));
            }
        }
        let cached = self.fragment.iter().filter(|about| about.slot != NONE);
        let recent = self.fragment.iter().filter(|about| about.is_recent);
        let (cached, recent) = (cached.count(), recent.count());
        if cached != self.slot.len() || recent != self.recent_len as usize {
            return Err(format!(
                "{cached} fragments are in {} slots, {recent} recent ones counted as {}",
                self.slot.len(),
                self.recent_len
            ));
        }
        let valid: usize = self
            .valid
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum();
        let comes = |&(&page, write): &(&u32, &LastWrite)| {
            !write.is_old && self.fragment[self.fragments.of(page) as usize].slot != NONE
        };
        let on_their_way = self.last_write.iter().filter(comes).count();
        let held = usize::try_from(self.held).unwrap_or(usize::MAX);
        super::recount_single_copies(valid + on_their_way, held, 0, counters, crash)
    }
}
