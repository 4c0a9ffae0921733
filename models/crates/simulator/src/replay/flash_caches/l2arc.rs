//! L2ARC of ZFS: a ring on flash, fed from the cold ends of DRAM's lists at a bounded rate.

use super::chains::{Ends, Links, NONE};
use super::options::Options;
use super::rate::{ACCESSES_PER_SECOND, ByTime, Period, next_due};
use super::settled::ByClock;
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host,
    OptionAbout, RAM_POLICY, Sampled, Unsampled, recount_single_copies,
};
use crate::error::Result;
use crate::replay::bits::BitSet;
use crate::replay::fetch::fetch;
use crate::replay::metadata::MetadataLayout;

/// Bytes that are written in a second at most, and those of a day beside its drive writes.
const WRITE_BYTES: u64 = 64 << 20;
/// Bytes of a header in DRAM of a page on flash alone.
const HEADER_BYTES: u64 = 96;
/// Buffers that a block of the log describes, and the bytes of one.
const LOGGED: u64 = 1022;
const LOG_BYTES: u64 = 64 << 10;
const DAY_S: u64 = 86_400;
const PERCENT: u64 = 100;
/// Percent of DRAM that headers of pages on flash alone may take.
const HEADERS_PERCENT: u64 = 33;
/// Of a list so many parts are there of which one is looked at.
const PARTS: u64 = 4;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// Pages written in a second.
    pub(crate) write_max: u64,
    /// Times as many are looked at.
    pub(crate) headroom: u64,
    pub(crate) frequent_only: bool,
    /// Drive writes per day, in percent; 0: no limit.
    pub(crate) dwpd_percent: u64,
    /// Pages that a day may have besides.
    pub(crate) burst: u64,
    pub(crate) headers_per_page: u64,
    pub(crate) second: Period,
}

/// ZFS L2ARC as of 2026.
///
/// ```text
/// p enters DRAM:        newest of `recent`; newest of `frequent` if flash had it
/// DRAM hit of p:        newest of `frequent`
/// a write to p:         its copy on flash is dropped
/// evict p from DRAM:    changed: write it to disk
/// every second, feed:   as long as headers of pages on flash alone take less than a third of DRAM:
///                         up to `write_max_pages_per_s` pages; once the ring is full, and flash at least twice
///                         DRAM, not more than what is left of the day's drive writes, spread over the rest of it
///                       of `frequent`, then of `recent`, from the oldest on: `headroom` times as many are looked
///                       at, at most a quarter of the list; what is unchanged and not on flash is written
/// write p:              into the next frame of the ring; the page that is there leaves
/// log:                  a segment for every 1022 pages written
/// ```
///
/// Choices where the source says more than a replay knows:
/// * A trace tells neither metadata from data nor prefetches. `frequent` and `recent` are told by DRAM hits, whatever
///   the policy of DRAM; the ghosts of ARC are its own.
/// * DRAM is the ARC's maximum, `flash_pages` the device. A day begins with the trace.
/// * After a crash what the log describes is there, clean; lists and the day's account begin anew.
#[derive(Debug)]
pub(crate) struct L2arc {
    settings: Settings,
    capacity: u32,
    frame_of: Vec<u32>,
    /// The page in each frame that was ever written, [`NONE`] in a hole.
    page_at: Vec<u32>,
    hand: u32,
    held: u32,
    /// Whether the hand went round.
    is_full: bool,
    /// Pages in DRAM, by their lists, oldest first.
    links: Links,
    lists: [List; 2],
    /// Pages that a feed need not look at again.
    passed: BitSet,
    /// Pages in DRAM that are on flash too.
    in_both: u64,
    ram_pages: u64,
    /// Ticks of a second.
    second: u64,
    due: u64,
    day: u64,
    written_today: u64,
    carried: u64,
    /// Pages written since the last block of the log.
    unlogged: u64,
    /// Feeds until now, and the pages that the last one wrote.
    feeds: u64,
    last_fed: u64,
}

/// The lists, in the order in which they are fed from.
const FREQUENT: usize = 0;
const RECENT: usize = 1;

/// A list of pages in DRAM, and how far feeds have looked.
///
/// What a feed passed is on flash or changed since, and stays so as long as it is in the list and its copy on flash is not
/// overwritten. So the next feed goes on where the last one stopped, as if it had begun at the oldest page.
#[derive(Debug)]
struct List {
    ends: Ends,
    members: BitSet,
    length: u64,
    /// The oldest page that no feed has passed, [`NONE`] where all were.
    next: u32,
    /// Pages older than that.
    passed: u64,
    /// Whether a page that was passed may be written again.
    again: bool,
}

impl List {
    fn new() -> Self {
        Self {
            ends: Ends::EMPTY,
            members: BitSet::default(),
            length: 0,
            next: NONE,
            passed: 0,
            again: false,
        }
    }

    /// Puts a page that is in no list at the new end.
    #[inline]
    fn push(&mut self, links: &mut Links, page: u32) {
        links.push(&mut self.ends, page);
        self.members.insert(page);
        self.length += 1;
        if self.next == NONE {
            self.next = page;
        }
    }

    /// Takes a page out, if it is in the list.
    #[inline]
    fn remove(&mut self, links: &mut Links, passed: &mut BitSet, page: u32) -> bool {
        if !self.members.take(page) {
            return false;
        }
        self.length -= 1;
        if passed.take(page) {
            self.passed -= 1;
        } else if self.next == page {
            self.next = links.newer(page);
        }
        links.remove(&mut self.ends, page);
        true
    }

    /// The page that a feed looks at next.
    fn pass(&mut self, links: &Links, passed: &mut BitSet) {
        passed.insert(self.next);
        self.passed += 1;
        self.next = links.newer(self.next);
    }

    /// Has feeds begin at the oldest page again.
    fn turn_back(&mut self, links: &Links, passed: &mut BitSet) {
        let mut page = self.ends.oldest;
        while page != self.next {
            passed.take(page);
            page = links.newer(page);
        }
        self.next = self.ends.oldest;
        self.passed = 0;
        self.again = false;
    }
}

impl L2arc {
    fn in_dram(&self, page: u32) -> bool {
        self.lists.iter().any(|list| list.members.contains(page))
    }

    /// Takes a page out of its list, if it is in one.
    fn unlist(&mut self, page: u32) -> bool {
        let Self {
            lists,
            links,
            passed,
            ..
        } = self;
        lists
            .iter_mut()
            .any(|list| list.remove(links, passed, page))
    }

    fn forget(&mut self, page: u32) {
        let frame = std::mem::replace(&mut self.frame_of[page as usize], NONE);
        self.page_at[frame as usize] = NONE;
        self.held -= 1;
        self.in_both -= u64::from(self.in_dram(page));
    }

    fn write(&mut self, page: u32, host: &mut impl Host) {
        let hand = self.hand;
        if hand as usize == self.page_at.len() {
            self.page_at.push(NONE);
        }
        let victim = self.page_at[hand as usize];
        if victim != NONE {
            self.forget(victim);
            host.counters().flash_evictions += 1;
            if self.passed.contains(victim) {
                let mut lists = self.lists.iter_mut();
                if let Some(list) = lists.find(|list| list.members.contains(victim)) {
                    list.again = true;
                }
            }
        }
        self.page_at[hand as usize] = page;
        self.frame_of[page as usize] = hand;
        self.held += 1;
        self.in_both += 1;
        host.counters().flash_fills += 1;
        host.flash_write(hand, 1);
        self.hand = if hand + 1 == self.capacity {
            self.is_full = true;
            0
        } else {
            hand + 1
        };
        self.written_today += 1;
        self.unlogged += 1;
        if self.unlogged == LOGGED {
            self.unlogged = 0;
            host.metadata_append(LOG_BYTES);
        }
    }

    /// Drive writes of a day without the burst. [pages]
    fn daily(&self) -> u64 {
        u64::from(self.capacity) * self.settings.dwpd_percent / PERCENT
    }

    /// Pages that the feed of a second may write.
    fn allowed(&mut self, at: u64) -> u64 {
        let Settings {
            write_max,
            dwpd_percent,
            burst,
            ..
        } = self.settings;
        let of_clock = at / self.second;
        let (day, second) = (of_clock / DAY_S, of_clock % DAY_S);
        if day > self.day {
            let budget = self.daily() + self.carried;
            self.carried = budget.saturating_sub(self.written_today);
            self.written_today = 0;
            self.day = day;
        }
        let is_limited =
            self.is_full && dwpd_percent > 0 && u64::from(self.capacity) >= 2 * self.ram_pages;
        if !is_limited {
            return write_max;
        }
        let budget = self.daily() + self.carried + burst;
        write_max.min(budget.saturating_sub(self.written_today) / (DAY_S - second))
    }

    fn feed(&mut self, at: u64, host: &mut impl Host) {
        let mut left = self.allowed(at);
        let Settings {
            write_max,
            headroom,
            frequent_only,
            headers_per_page,
            ..
        } = self.settings;
        let headers = u64::from(self.held) - self.in_both;
        let most = HEADERS_PERCENT * self.ram_pages * headers_per_page / PERCENT;
        if headers >= most {
            return;
        }
        for at in [FREQUENT, RECENT]
            .into_iter()
            .take(if frequent_only { 1 } else { 2 })
        {
            let list = &mut self.lists[at];
            if list.again {
                list.turn_back(&self.links, &mut self.passed);
            }
            let looked = write_max
                .saturating_mul(headroom)
                .min(list.length / PARTS)
                .max(1);
            while left > 0 && self.lists[at].passed < looked && self.lists[at].next != NONE {
                let page = self.lists[at].next;
                self.lists[at].pass(&self.links, &mut self.passed);
                if !self.holds(page) && !host.dram_page_changed(page) {
                    self.write(page, host);
                    left -= 1;
                }
            }
        }
    }
}

impl FlashCache for L2arc {
    type Settings = Settings;
    /// The page in each frame.
    type Image = (Vec<u32>, u32, bool);
    type Device = Frames;

    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "write_max_pages_per_s",
            values: "1 to 1000000000",
            default: "16384 of 4 KiB (64 MiB)",
            description: "Pages that are written in a second at most.",
            is_place: false,
        },
        OptionAbout {
            name: "headroom",
            values: "1 to 1000",
            default: "8",
            description: "Times as many pages of each list are looked at, from its cold end.",
            is_place: false,
        },
        OptionAbout {
            name: "mfu_only",
            values: "false, true",
            default: "false",
            description: "Whether only pages that were accessed again in DRAM are written.",
            is_place: false,
        },
        OptionAbout {
            name: "dwpd_limit_percent",
            values: "0 to 100000",
            default: "100",
            description: "Drive writes per day once the ring is full, in percent of flash, where that is at least twice DRAM; 0: no limit.",
            is_place: false,
        },
        OptionAbout {
            name: "burst_pages",
            values: "0 to 4294967295",
            default: "16384 of 4 KiB (64 MiB)",
            description: "Pages of a day beside its drive writes.",
            is_place: false,
        },
        OptionAbout {
            name: "headers_per_page",
            values: "1 to 65536",
            default: "42 in 4 KiB (96 bytes each)",
            description: "Headers of pages on flash alone that a page of DRAM holds; they may take a third of DRAM.",
            is_place: false,
        },
        ACCESSES_PER_SECOND,
        OptionAbout {
            name: RAM_POLICY,
            values: "a replacement policy",
            default: "arc",
            description: "Replacement policy of DRAM, ARC in the system; its options are given as `ram_` and their name. opt first reads the trace to its end.",
            is_place: false,
        },
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        Ok(Settings {
            write_max: options.number_or(
                "write_max_pages_per_s",
                1..=1_000_000_000,
                run.pages_of(WRITE_BYTES, 1_000_000_000),
            )?,
            headroom: options.number("headroom", 1..=1000)?,
            frequent_only: options.flag("mfu_only")?,
            dwpd_percent: options.number("dwpd_limit_percent", 0..=100_000)?,
            burst: options.number_or(
                "burst_pages",
                0..=u64::from(u32::MAX),
                run.pages_of(WRITE_BYTES, u64::from(u32::MAX)),
            )?,
            headers_per_page: options.number_or(
                "headers_per_page",
                1..=65_536,
                run.entries_of(HEADER_BYTES, 65_536),
            )?,
            second: Period::new(options, 1000)?,
        })
    }

    fn by_time(settings: &Settings) -> Option<ByTime> {
        Some(ByTime {
            period: settings.second,
            what: "L2ARC is fed",
        })
    }

    fn fills_at_once(_settings: &Settings) -> u64 {
        // As many as the seconds before an access feed.
        u64::MAX
    }

    fn segment_bytes(_settings: &Settings) -> u64 {
        LOG_BYTES
    }

    fn metadata(_settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        Some(MetadataLayout {
            log: u64::from(run.flash_pages).div_ceil(LOGGED) * LOG_BYTES.div_ceil(run.page_bytes),
            between_data: true,
            words: "blocks of the log in the ring of the data, each behind the pages that it describes",
            ..MetadataLayout::default()
        })
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Err(Unsampled::always(
            "it writes a number of pages a second, which does not shrink with flash",
        ))
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            capacity: flash_pages,
            frame_of: Vec::new(),
            page_at: Vec::new(),
            hand: 0,
            held: 0,
            is_full: false,
            links: Links::default(),
            lists: [List::new(), List::new()],
            passed: BitSet::default(),
            in_both: 0,
            ram_pages: 0,
            second: 1,
            due: u64::MAX,
            day: 0,
            written_today: 0,
            carried: 0,
            unlogged: 0,
            feeds: 0,
            last_fed: 0,
        }
    }

    fn grow(&mut self, pages: usize) {
        if pages > self.frame_of.len() {
            self.frame_of.resize(pages, NONE);
            self.links.grow(pages);
            self.passed.grow(pages);
            for list in &mut self.lists {
                list.members.grow(pages);
            }
        }
    }

    fn fetch(&self, pages: &[u32]) {
        fetch(&self.frame_of, pages);
        self.links.fetch(pages);
    }

    fn start_clock(&mut self, unit: ClockUnit, now: u64) -> u64 {
        self.second = self.settings.second.ticks(unit);
        self.due = next_due(now, self.second);
        self.day = now / self.second / DAY_S;
        self.due
    }

    fn background(&mut self, now: u64, host: &mut impl Host) -> u64 {
        self.ram_pages = host.dram_pages();
        while self.due <= now {
            let before = host.counters().flash_fills;
            self.feed(self.due, host);
            self.feeds += 1;
            self.last_fed = host.counters().flash_fills - before;
            self.due = self.due.saturating_add(self.second);
        }
        self.due
    }

    fn next_work(&self) -> u64 {
        self.due
    }

    #[inline]
    fn on_dram_hit(&mut self, page: u32, _host: &mut impl Host) {
        let frequent = self.lists[FREQUENT].ends.newest;
        if page != frequent && self.unlist(page) {
            self.lists[FREQUENT].push(&mut self.links, page);
        }
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        let found = self.holds(page);
        let list = if found { FREQUENT } else { RECENT };
        self.lists[list].push(&mut self.links, page);
        self.in_both += u64::from(found);
        found
    }

    #[inline]
    fn on_update(&mut self, page: u32, host: &mut impl Host) {
        if self.holds(page) {
            let frame = self.frame_of[page as usize];
            self.forget(page);
            host.counters().flash_invalidations += 1;
            host.flash_trim(frame, 1);
        }
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.frame_of[page as usize] != NONE
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let on_flash = self.holds(page);
        self.unlist(page);
        self.in_both -= u64::from(on_flash);
        let counters = host.counters();
        counters.victims_found_on_flash += u64::from(on_flash);
        counters.disk_writes_on_exit += u64::from(changed);
        counters.bypassed += u64::from(!changed && !on_flash);
    }

    fn image(mut self) -> Self::Image {
        let mut at = self.hand;
        for _ in 0..self.unlogged.min(u64::from(self.capacity)) {
            at = at.checked_sub(1).unwrap_or(self.capacity - 1);
            self.page_at[at as usize] = NONE;
        }
        (self.page_at, self.hand, self.is_full)
    }

    fn load(&mut self, image: Self::Image, counters: &mut FlashCacheCounters) {
        (self.page_at, self.hand, self.is_full) = image;
        for (frame, &page) in (0..).zip(&self.page_at) {
            if page != NONE {
                self.frame_of[page as usize] = frame;
                self.held += 1;
            }
        }
        counters.restart_segments_read += u64::from(self.held).div_ceil(LOGGED);
    }

    fn valid_copies(&self) -> u64 {
        u64::from(self.held)
    }

    const FULL_WHEN: Option<&'static str> = Some("its ring has gone round");
    fn filled(&self, _usable_pages: u32) -> bool {
        self.is_full
    }

    fn by_clock(&self) -> Option<ByClock> {
        (!self.is_full).then_some(ByClock::Fills {
            act: "L2ARC is fed",
            every: self.settings.second,
            times: self.feeds,
            last: self.last_fed,
            filled: u64::from(self.hand),
            usable: u64::from(self.capacity),
        })
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let mapped = self.frame_of.iter().filter(|&&frame| frame != NONE).count();
        let held = self.page_at.iter().filter(|&&page| page != NONE).count();
        recount_single_copies(mapped, held, 0, counters, crash)?;
        let (mut in_both, mut counted) = (0, true);
        for list in &self.lists {
            let pages = || self.links.iter(list.ends);
            let passed = pages().take_while(|&page| page != list.next).count();
            in_both += pages().filter(|&page| self.holds(page)).count() as u64;
            counted &= pages().count() as u64 == list.length
                && passed as u64 == list.passed
                && pages().take(passed).all(|page| self.passed.contains(page))
                && pages().all(|page| list.members.contains(page));
        }
        if held != self.held as usize || !counted || in_both != self.in_both {
            return Err(format!(
                "{held} pages on flash, counted as {}, {in_both} of them in DRAM, counted as {}; the lists agree: {counted}",
                self.held, self.in_both
            ));
        }
        Ok(())
    }
}
