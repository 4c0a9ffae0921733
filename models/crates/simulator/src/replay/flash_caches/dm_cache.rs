//! dm-cache with its policy smq: blocks of many pages, promoted by the heat of the area around them.

use super::chains::{Ends, Links, NONE};
use super::options::Options;
use super::rate::{ACCESSES_PER_SECOND, ByTime, Period, next_due};
use super::units::{MOST_UNIT_PAGES, Units};
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host,
    OptionAbout, Sampled, Unsampled, unit_of,
};
use crate::error::Result;
use crate::hash::FastMap;
use crate::replay::Totals;
use crate::replay::bits::BitSet;
use crate::replay::metadata::MetadataLayout;
use crate::replay::room::Room;
use crate::replay::two_tier::Warning;
use crate::wording::counted;

const LEVELS: usize = 64;
/// Bytes of a block.
const BLOCK_BYTES: u64 = 256 << 10;
/// Bytes of the copies under way while flash is idle: 2,048 sectors.
const MIGRATION_BYTES: u64 = 1 << 20;
const MOST_MIGRATION_PAGES: u64 = 1_000_000_000;
/// Levels at the top of the hotspot queue that hold fewer areas than the others.
const TOP_LEVELS: usize = 8;
/// The level from which on an area counts as hot.
const HOT_LEVEL: u8 = 48;
/// Levels from which clean blocks make room.
const COLD_LEVELS: usize = 32;
/// Blocks of an area, and the fewest areas that are followed.
const AREA_BLOCKS: u64 = 16;
const FEWEST_AREAS: u32 = 1024;
/// Ticks between two redistributions of the blocks.
const BLOCK_TICKS: u64 = 60;
/// Ticks between two turns of the sentinels, of which the redistributions are multiples.
const SENTINEL_TICKS: u64 = 10;
/// Mappings of a metadata page: 8 bytes each behind a header.
const MAPPINGS: u32 = 509;
/// The metadata page before those of mappings.
const SUPERBLOCK: u32 = 0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Back,
    Through,
    Pass,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) write_back: bool,
    /// Nothing enters flash, and nothing is served by it.
    passes: bool,
    pub(crate) block_pages: u32,
    /// Pages of the copies under way while flash is idle, at most.
    pub(crate) migration_pages: u64,
    pub(crate) second: Period,
}

impl Settings {
    /// Blocks that are written back at once while flash is idle: none where one is above the threshold.
    fn copies_at_once(&self) -> u64 {
        self.migration_pages / u64::from(self.block_pages)
    }
}

/// Entries in levels, each level a list, in which two sentinels may stand.
#[derive(Debug)]
struct Levels {
    /// The sentinels of each level, two by two, if there are any; behind them the entries.
    links: Links,
    sentinels: u32,
    /// Which of the two stands before the other.
    older: u32,
    ends: [Ends; LEVELS],
    lengths: [u32; LEVELS],
    length: u32,
}

impl Levels {
    fn new() -> Self {
        Self {
            links: Links::default(),
            sentinels: 0,
            older: 0,
            ends: [Ends::EMPTY; LEVELS],
            lengths: [0; LEVELS],
            length: 0,
        }
    }

    fn with_sentinels() -> Self {
        let mut levels = Self::new();
        levels.links.grow(2 * LEVELS);
        for ends in &mut levels.ends {
            for _ in 0..2 {
                levels.links.push(ends, levels.sentinels);
                levels.sentinels += 1;
            }
        }
        levels
    }

    fn grow(&mut self, entries: usize) {
        self.links.grow(self.sentinels as usize + entries);
    }

    /// Puts the older sentinel of each level behind all that is there.
    fn turn(&mut self) {
        for (level, ends) in (0..).zip(&mut self.ends) {
            self.links.renew(ends, 2 * level + self.older);
        }
        self.older = 1 - self.older;
    }

    fn push(&mut self, level_of: &mut [u8], entry: u32, level: usize) {
        self.push_before(level_of, entry, level, NONE);
    }

    /// Puts an entry before all others of its level.
    fn push_old(&mut self, level_of: &mut [u8], entry: u32, level: usize) {
        self.push_before(level_of, entry, level, self.ends[level].oldest);
    }

    /// Puts an entry before a node of its level; before none is behind all of them.
    fn push_before(&mut self, level_of: &mut [u8], entry: u32, level: usize, node: u32) {
        let ends = &mut self.ends[level];
        self.links.push_before(ends, self.sentinels + entry, node);
        self.lengths[level] += 1;
        self.length += 1;
        level_of[entry as usize] = u8::try_from(level).unwrap_or(u8::MAX);
    }

    fn remove(&mut self, entry: u32, level: usize) {
        let node = self.sentinels + entry;
        self.links.remove(&mut self.ends[level], node);
        self.lengths[level] -= 1;
        self.length -= 1;
    }

    /// The entries of a level, oldest first, each with the sentinels before it.
    fn entries(&self, level: usize) -> impl Iterator<Item = (u32, u32)> {
        let mut passed = 0;
        self.links.iter(self.ends[level]).filter_map(move |node| {
            let entry = node.checked_sub(self.sentinels);
            passed += u32::from(entry.is_none());
            entry.map(|entry| (entry, passed))
        })
    }

    /// The newest entry of a level.
    fn newest(&self, level: usize) -> Option<u32> {
        let mut node = self.ends[level].newest;
        while node < self.sentinels {
            node = self.links.older(node);
        }
        (node != NONE).then(|| node - self.sentinels)
    }

    /// The oldest entry of the lowest of some levels that has one, and its level.
    fn oldest(&self, levels: std::ops::Range<usize>) -> Option<(u32, usize)> {
        levels
            .into_iter()
            .find(|&level| self.lengths[level] > 0)
            .and_then(|level| self.entries(level).next().map(|(entry, _)| (entry, level)))
    }

    /// The same among entries that stand before both sentinels of their level.
    fn oldest_before_sentinels(&self) -> Option<(u32, usize)> {
        (0..LEVELS).find_map(|level| {
            let entry = self.ends[level].oldest.checked_sub(self.sentinels)?;
            (self.lengths[level] > 0).then_some((entry, level))
        })
    }

    /// Moves an entry up, in exchange for the oldest one there; without a jump it becomes the newest of its level.
    fn requeue(&mut self, level_of: &mut [u8], entry: u32, jump: usize) {
        let level = level_of[entry as usize] as usize;
        let mut to = level;
        if jump > 0 && level < LEVELS - 1 {
            to = (level + jump).min(LEVELS - 1);
            let other = self.entries(to).next();
            if let Some((other, passed)) = other {
                self.remove(other, to);
                self.push_before(level_of, other, level, self.exchanged(level, passed));
            }
        }
        self.remove(entry, level);
        self.push(level_of, entry, to);
    }

    /// The node before which an entry goes that comes down to a level, to stand behind as many sentinels as before.
    #[expect(clippy::cast_possible_truncation, reason = "there are few levels")]
    fn exchanged(&self, level: usize, passed: u32) -> u32 {
        let first = 2 * level as u32;
        match passed {
            _ if self.sentinels == 0 => NONE,
            0 => first + self.older,
            1 => first + 1 - self.older,
            _ => NONE,
        }
    }

    /// Gives each level as many entries as it is to have.
    fn redistribute(&mut self, level_of: &mut [u8], targets: &[u32; LEVELS]) {
        for (level, &target) in targets.iter().enumerate().take(LEVELS - 1) {
            while self.lengths[level] < target
                && let Some((entry, from)) = self.oldest(level + 1..LEVELS)
            {
                self.remove(entry, from);
                self.push(level_of, entry, level);
            }
            while self.lengths[level] > target
                && let Some(entry) = self.newest(level)
            {
                self.remove(entry, level);
                self.push(level_of, entry, level + 1);
            }
        }
    }
}

/// Shares entries evenly among levels, the lower ones first.
fn share(entries: u32, levels: &mut [u32]) {
    let count = u32::try_from(levels.len()).unwrap_or(1);
    for (at, level) in (0..).zip(levels) {
        *level = entries / count + u32::from(at < entries % count);
    }
}

/// dm-cache with smq.
///
/// ```text
/// a request for p:      a DRAM miss, or a changed exit
///   its block on flash: once a period up a level in exchange for the oldest there
///     read:             from flash
///     write:            over its frame; write_back: the block is dirty; write_through: write it to disk too
///   else its area, 16 blocks: followed: up `jump` levels in exchange for the oldest there, once a tick; else it
///                       enters level 0, for the oldest of the lowest
///        read:          from disk
///        write:         to disk; or, where a block is a page and one is free, to flash: level 63
///        promote:       if the level of the area is at least P: copy the block from disk to flash: clean, level 63
///                       no block is free: instead the oldest clean block of the lowest of the lower 32
///                       levels leaves, or, if there is none, the oldest of the lowest level among the dirty blocks
///                       before both sentinels of their level is written back
/// a tick, each second:  without a request for a second: write all dirty blocks back, the lowest level first
///                       every 10 s: one of the two sentinels of each level, in turn, goes behind its dirty blocks
///                       of the areas asked for in this second, those found at level 48 or above:
///                         less than 1/16: P = 48, jump 4; less than 1/8: P = 32, jump 2; else P = 0, jump 1
///                       levels of areas are redistributed; every 60 s those of blocks
///                       commit: write each metadata page with a changed mapping, and the superblock
/// write a block back:   read it from flash, all of it, and write it to disk, each in one request
/// ```
///
/// Choices where the source is silent, or says more than a replay knows:
/// * The source computes a finer P from the hits of the cache and then takes the larger of it and 64, so P = 0 where the
///   areas are told well: every miss may promote. This is what runs.
/// * Pass-through begins with an empty flash, so no block is there to be invalidated by a write, as the kernel does; it lets
///   the policy move nothing.
/// * Background work is done at once: promotions, demotions, write-back. On simulated time alone write-back while idle
///   takes as long as the devices need: a block is begun as long as it and those under way are at most
///   `migration_threshold_pages`, at a tick and whenever one is over, until a request comes. The source throttles nothing
///   else by that threshold.
/// * A demotion is committed with the mappings of its second; the source commits each at once.
/// * The size of the origin, which may make areas smaller, is unknown.
/// * A block is whole: pages behind the end of a relation count.
/// * After a crash the committed mappings are there, in write-back all dirty, at a level by their place, before the sentinels.
#[derive(Debug)]
pub(crate) struct DmCache {
    settings: Settings,
    slots: u32,
    units: Units,
    /// Areas by their place, numbered as they appear.
    areas: FastMap<(u32, u64), u32>,
    /// Area of each block.
    area_of: Vec<u32>,
    /// Slot of each block.
    slot_of: Vec<u32>,
    /// Block in each slot, and its level.
    block_at: Vec<u32>,
    level_of: Vec<u8>,
    room: Room,
    clean: Levels,
    dirty: Levels,
    is_dirty: BitSet,
    was_hit: BitSet,
    /// Most areas that are followed, and of these in the top levels.
    most_areas: u32,
    top_areas: u32,
    hotspot: Levels,
    hot_level_of: Vec<u8>,
    is_followed: BitSet,
    was_touched: BitSet,
    /// Areas touched since the last tick.
    touched: Vec<u32>,
    requests: u64,
    hot_requests: u64,
    promote_level: u8,
    jump: usize,
    /// Whether the block of the page being fetched is to be promoted.
    promotes: bool,
    second: u64,
    due: u64,
    now: u64,
    last_request: u64,
    /// Slots whose mapping changed since the last commit.
    changed: BitSet,
    changed_slots: Vec<u32>,
    /// Whether write-back while idle begins one copy after the other, as the devices let it.
    paced: bool,
    /// Blocks that made room, and promotions that found neither a free block nor one that could.
    demoted: u64,
    kept_out: u64,
}

impl DmCache {
    fn slot(&self, page: u32) -> u32 {
        self.slot_of[self.units.of(page) as usize]
    }

    fn frame(&self, page: u32, slot: u32) -> u32 {
        let (_, place) = self.units.place(page);
        slot * self.settings.block_pages + u32::from(place)
    }

    fn note_change(&mut self, slot: u32) {
        if !self.changed.contains(slot) {
            self.changed.insert(slot);
            self.changed_slots.push(slot);
        }
    }

    /// The level of the area of a page that is requested and not on flash.
    fn heat(&mut self, page: u32) -> u8 {
        self.requests += 1;
        let area = self.area_of[self.units.of(page) as usize];
        if self.is_followed.contains(area) {
            let level = self.hot_level_of[area as usize];
            self.hot_requests += u64::from(level >= HOT_LEVEL);
            let jump = if self.was_touched.contains(area) {
                0
            } else {
                self.was_touched.insert(area);
                self.touched.push(area);
                self.jump
            };
            self.hotspot.requeue(&mut self.hot_level_of, area, jump);
        } else {
            if self.hotspot.length == self.most_areas
                && let Some((coldest, level)) = self.hotspot.oldest(0..LEVELS)
            {
                self.hotspot.remove(coldest, level);
                self.is_followed.take(coldest);
                self.was_touched.take(coldest);
            }
            self.is_followed.insert(area);
            self.hotspot.push(&mut self.hot_level_of, area, 0);
        }
        self.hot_level_of[area as usize]
    }

    /// A block on flash is requested.
    fn touch(&mut self, slot: u32) {
        if self.was_hit.contains(slot) {
            return;
        }
        self.was_hit.insert(slot);
        let queue = if self.is_dirty.contains(slot) {
            &mut self.dirty
        } else {
            &mut self.clean
        };
        queue.requeue(&mut self.level_of, slot, 1);
    }

    fn set_dirty(&mut self, slot: u32) {
        if !self.is_dirty.contains(slot) {
            self.is_dirty.insert(slot);
            let level = self.level_of[slot as usize] as usize;
            self.clean.remove(slot, level);
            self.dirty.push(&mut self.level_of, slot, level);
        }
    }

    /// Puts a block into a slot that nothing is in.
    fn enter(&mut self, block: u32, slot: u32, dirty: bool) {
        if slot as usize >= self.block_at.len() {
            self.block_at.resize(slot as usize + 1, NONE);
            self.level_of.resize(slot as usize + 1, 0);
            self.is_dirty.grow(slot as usize + 1);
            self.was_hit.grow(slot as usize + 1);
            self.changed.grow(slot as usize + 1);
            self.clean.grow(slot as usize + 1);
            self.dirty.grow(slot as usize + 1);
        }
        self.block_at[slot as usize] = block;
        self.slot_of[block as usize] = slot;
        self.was_hit.take(slot);
        self.is_dirty.insert_if(slot, dirty);
        let queue = if dirty {
            &mut self.dirty
        } else {
            &mut self.clean
        };
        queue.push(&mut self.level_of, slot, LEVELS - 1);
    }

    fn write_back(&mut self, slot: u32, level: usize, host: &mut impl Host) {
        self.dirty.remove(slot, level);
        self.is_dirty.take(slot);
        self.clean.push(&mut self.level_of, slot, level);
        let pages = u64::from(self.settings.block_pages);
        let counters = host.counters();
        counters.stage_out_run(pages);
        counters.clean_run(pages);
    }

    /// Whether nothing was asked for in the second before.
    fn is_idle(&self, at: u64) -> bool {
        at - self.last_request >= self.second
    }

    /// Writes the coldest dirty block back, if there is one, however lately it was changed.
    fn write_coldest_back(&mut self, host: &mut impl Host) -> bool {
        let coldest = self.dirty.oldest(0..LEVELS);
        if let Some((slot, level)) = coldest {
            self.write_back(slot, level, host);
        }
        coldest.is_some()
    }

    /// Copies the block of a page to flash, or makes room for the next.
    fn promote(&mut self, page: u32, host: &mut impl Host) {
        let block_pages = self.settings.block_pages;
        let pages = u64::from(block_pages);
        if let Some(slot) = self.room.take() {
            self.enter(self.units.of(page), slot, false);
            self.note_change(slot);
            let counters = host.counters();
            counters.disk_batch_reads += 1;
            counters.disk_batch_read_pages += pages;
            counters.flash_fills += pages;
            host.flash_write(slot * block_pages, block_pages);
            return;
        }
        host.counters().bypassed += 1;
        if let Some((slot, level)) = self.clean.oldest(0..COLD_LEVELS) {
            self.clean.remove(slot, level);
            let block = std::mem::replace(&mut self.block_at[slot as usize], NONE);
            self.slot_of[block as usize] = NONE;
            self.room.give_back(slot);
            self.note_change(slot);
            host.counters().flash_evictions += pages;
            host.flash_trim(slot * block_pages, block_pages);
            self.demoted += 1;
        } else {
            self.kept_out += 1;
            if let Some((slot, level)) = self.dirty.oldest_before_sentinels() {
                self.write_back(slot, level, host);
            }
        }
    }

    /// A changed page whose block is not on flash.
    fn write_miss(&mut self, page: u32, heat: u8, host: &mut impl Host) {
        let Settings {
            write_back,
            block_pages,
            ..
        } = self.settings;
        if block_pages == 1
            && let Some(slot) = self.room.take()
        {
            self.enter(self.units.of(page), slot, write_back);
            self.note_change(slot);
            let counters = host.counters();
            counters.flash_fills += 1;
            counters.disk_writes_on_exit += u64::from(!write_back);
            host.flash_write(slot, 1);
            return;
        }
        host.counters().disk_writes_on_exit += 1;
        if heat >= self.promote_level {
            self.promote(page, host);
        } else {
            host.counters().bypassed += 1;
        }
    }

    fn tick(&mut self, at: u64, host: &mut impl Host) {
        if !self.paced && self.is_idle(at) && self.settings.copies_at_once() > 0 {
            while self.write_coldest_back(host) {}
        }
        if (at / self.second).is_multiple_of(SENTINEL_TICKS) {
            self.dirty.turn();
        }
        for area in self.touched.drain(..) {
            self.was_touched.take(area);
        }
        let (hot, all) = (self.hot_requests, self.requests);
        (self.promote_level, self.jump) = if 16 * hot < all || all == 0 {
            (48, 4)
        } else if 8 * hot < all {
            (32, 2)
        } else {
            (0, 1)
        };
        (self.hot_requests, self.requests) = (0, 0);
        let mut targets = [0; LEVELS];
        let (low, top) = targets.split_at_mut(LEVELS - TOP_LEVELS);
        share(self.top_areas, top);
        share(self.hotspot.length.saturating_sub(self.top_areas), low);
        self.hotspot.redistribute(&mut self.hot_level_of, &targets);
        if (at / self.second).is_multiple_of(BLOCK_TICKS) {
            self.was_hit.clear();
            for queue in [&mut self.dirty, &mut self.clean] {
                share(queue.length, &mut targets);
                queue.redistribute(&mut self.level_of, &targets);
            }
        }
        self.commit(host);
    }

    fn commit(&mut self, host: &mut impl Host) {
        if self.changed_slots.is_empty() {
            return;
        }
        self.changed_slots.sort_unstable();
        let mut last = None;
        for slot in self.changed_slots.drain(..) {
            self.changed.take(slot);
            let page = slot / MAPPINGS;
            if last.replace(page) != Some(page) {
                host.metadata_write(1 + page);
            }
        }
        host.metadata_write(SUPERBLOCK);
    }
}

impl DmCache {
    /// What a block that makes room has waited for.
    fn until_room(&self) -> String {
        let spread = format!(
            "use a trace much longer than {BLOCK_TICKS} s: blocks enter at the highest level, and every {BLOCK_TICKS} s they are spread over the levels"
        );
        if !self.settings.write_back {
            return spread;
        }
        format!(
            "{spread}; one that was changed makes room only after it was written back, for which it waits {SENTINEL_TICKS} to {} s unless flash is idle for a second",
            2 * SENTINEL_TICKS
        )
    }
}

impl FlashCache for DmCache {
    type Settings = Settings;
    /// Slots with their blocks.
    type Image = Vec<(u32, u32)>;
    type Device = Frames;

    const NEEDS_ADDRESSES: bool = true;
    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "mode",
            values: "write_back, write_through, pass_through",
            default: "write_back",
            description: "When a changed DRAM victim whose block is on flash reaches the disk: when flash is idle, or at once; pass_through takes nothing to flash.",
            is_place: false,
        },
        OptionAbout {
            name: "block_pages",
            values: "1 to 65536, at most the number of flash pages",
            default: "64 of 4 KiB (256 KiB), at most 1/16 of flash",
            description: "Pages of a block; what does not fill a block stays unused.",
            is_place: false,
        },
        OptionAbout {
            name: "migration_threshold_pages",
            values: "1 to 1000000000",
            default: "256 of 4 KiB (1 MiB)",
            description: "Pages that write-back while idle may have under way: on simulated time it begins no block beyond them, elsewhere it is over at once; a block above it is not written back while idle.",
            is_place: false,
        },
        ACCESSES_PER_SECOND,
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        let mode = options.choice(
            "mode",
            &[
                ("write_back", Mode::Back),
                ("write_through", Mode::Through),
                ("pass_through", Mode::Pass),
            ],
        )?;
        let usual = run.pages_of(BLOCK_BYTES, MOST_UNIT_PAGES);
        let block_pages = unit_of(options, "block_pages", usual, run.flash_pages)?;
        if u64::from(block_pages) > MOST_UNIT_PAGES {
            return Err(options.impossible("block_pages", "is more than 65536"));
        }
        let usual = run.pages_of(MIGRATION_BYTES, MOST_MIGRATION_PAGES);
        Ok(Settings {
            write_back: mode == Mode::Back,
            passes: mode == Mode::Pass,
            block_pages,
            migration_pages: options.number_or(
                "migration_threshold_pages",
                1..=MOST_MIGRATION_PAGES,
                usual,
            )?,
            second: Period::new(options, 1000)?,
        })
    }

    fn by_time(settings: &Settings) -> Option<ByTime> {
        (!settings.passes).then_some(ByTime {
            period: settings.second,
            what: "dm-cache judges heat",
        })
    }

    fn unit_pages(settings: &Settings) -> u32 {
        settings.block_pages
    }

    fn fills_at_once(settings: &Settings) -> u64 {
        2 * u64::from(settings.block_pages)
    }

    fn metadata(settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        let slots = run.flash_pages / settings.block_pages;
        (!settings.passes).then(|| {
            MetadataLayout::table(
                1 + u64::from(slots.div_ceil(MAPPINGS)),
                "a superblock and a table behind the data, written in place: a page for each 509 blocks",
            )
        })
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Err(Unsampled::always(
            "its blocks are adjacent pages, of which a sample holds few, and its levels of heat go by time: neither shrinks with flash",
        ))
    }

    fn warnings(settings: &Settings, _totals: Totals) -> Vec<Warning> {
        if !settings.write_back || settings.copies_at_once() > 0 {
            return Vec::new();
        }
        let (block, most) = (u64::from(settings.block_pages), settings.migration_pages);
        vec![Warning {
            name: "idle_cleaning_off",
            message: format!(
                "dm-cache writes nothing back while idle: a block of {} is above migration_threshold_pages={most}, so dirty blocks reach the disk only as room must be made",
                counted(block, "page", "pages"),
            ),
            hint: format!(
                "give migration_threshold_pages={}, 8 blocks, as lvm does, or smaller blocks",
                8 * block
            ),
        }]
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        let slots = flash_pages / settings.block_pages;
        let most_areas = (slots / 4).max(FEWEST_AREAS);
        let top_areas = (most_areas / 64).min(slots / 16);
        Self {
            settings: *settings,
            slots,
            units: Units::new(settings.block_pages),
            areas: FastMap::default(),
            area_of: Vec::new(),
            slot_of: Vec::new(),
            block_at: Vec::new(),
            level_of: Vec::new(),
            room: Room::new(slots),
            clean: Levels::new(),
            dirty: Levels::with_sentinels(),
            is_dirty: BitSet::default(),
            was_hit: BitSet::default(),
            most_areas,
            top_areas,
            hotspot: Levels::new(),
            hot_level_of: Vec::new(),
            is_followed: BitSet::default(),
            was_touched: BitSet::default(),
            touched: Vec::new(),
            requests: 0,
            hot_requests: 0,
            promote_level: 64,
            jump: 1,
            promotes: false,
            second: 1,
            due: u64::MAX,
            now: 0,
            last_request: 0,
            changed: BitSet::default(),
            changed_slots: Vec::new(),
            paced: false,
            demoted: 0,
            kept_out: 0,
        }
    }

    fn grow(&mut self, _pages: usize) {}

    #[expect(
        clippy::cast_possible_truncation,
        reason = "there are no more areas than pages"
    )]
    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        self.units.locate(pages, spaces, addresses);
        let area_pages = AREA_BLOCKS * u64::from(self.settings.block_pages);
        for ((&page, &space), &address) in pages.iter().zip(spaces).zip(addresses) {
            if self.units.of(page) as usize == self.area_of.len() {
                let next = self.areas.len() as u32;
                let place = (space, address / area_pages);
                self.area_of.push(*self.areas.entry(place).or_insert(next));
            }
        }
        let areas = self.areas.len();
        self.slot_of.resize(self.area_of.len(), NONE);
        self.hot_level_of.resize(areas, 0);
        self.hotspot.grow(areas);
        self.is_followed.grow(areas);
        self.was_touched.grow(areas);
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        let block_pages = self.settings.block_pages;
        self.units = std::mem::replace(&mut crashed.units, Units::new(block_pages));
        self.areas = std::mem::take(&mut crashed.areas);
        self.area_of = std::mem::take(&mut crashed.area_of);
        (self.demoted, self.kept_out) = (crashed.demoted, crashed.kept_out);
        self.locate(&[], &[], &[]);
    }

    fn fetch(&self, pages: &[u32]) {
        let mixed = pages.iter().fold(0, |mixed, &page| mixed ^ self.slot(page));
        std::hint::black_box(mixed);
    }

    fn start_clock(&mut self, unit: ClockUnit, now: u64) -> u64 {
        if self.settings.passes {
            return u64::MAX;
        }
        self.second = self.settings.second.ticks(unit);
        self.due = next_due(now, self.second);
        self.now = now;
        now
    }

    fn background(&mut self, now: u64, host: &mut impl Host) -> u64 {
        self.now = now;
        let mut quiet = 0;
        while self.due <= now {
            let at = self.due;
            // Without requests a second tick changes nothing more, but the sentinels and, each minute, the blocks.
            quiet = if self.requests == 0 { quiet + 1 } else { 0 };
            let next_turn = next_due(at - 1, SENTINEL_TICKS * self.second);
            if quiet > 2 && next_turn > at {
                self.due = next_turn.min(next_due(now, self.second));
                continue;
            }
            self.tick(at, host);
            self.due = at.saturating_add(self.second);
        }
        // When each request comes is to be known.
        now + 1
    }

    fn next_work(&self) -> u64 {
        if self.dirty.length == 0 && self.changed_slots.is_empty() {
            u64::MAX
        } else {
            self.due
        }
    }

    fn pace_copies(&mut self) {
        self.paced = true;
    }

    fn begin_copy(&mut self, now: u64, under_way: u32, host: &mut impl Host) -> bool {
        let may_begin = u64::from(under_way) < self.settings.copies_at_once();
        may_begin && self.is_idle(now) && self.write_coldest_back(host)
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        if self.settings.passes {
            return false;
        }
        self.last_request = self.now;
        let slot = self.slot(page);
        if slot == NONE {
            self.promotes = self.heat(page) >= self.promote_level;
            return false;
        }
        self.touch(slot);
        true
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.slot(page) != NONE
    }

    #[inline]
    fn on_entry(&mut self, page: u32, host: &mut impl Host) {
        if self.promotes {
            if self.slot(page) == NONE {
                self.promote(page, host);
            }
        } else if !self.settings.passes {
            host.counters().bypassed += 1;
        }
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let slot = self.slot(page);
        host.counters().victims_found_on_flash += u64::from(slot != NONE);
        if !changed {
            return;
        }
        if self.settings.passes {
            host.counters().disk_writes_on_exit += 1;
            return;
        }
        self.last_request = self.now;
        if slot == NONE {
            let heat = self.heat(page);
            self.write_miss(page, heat, host);
        } else {
            self.touch(slot);
            let counters = host.counters();
            counters.flash_write_backs += 1;
            counters.disk_writes_on_exit += u64::from(!self.settings.write_back);
            host.flash_write(self.frame(page, slot), 1);
            if self.settings.write_back {
                self.set_dirty(slot);
            }
        }
    }

    fn dirty_lost(&self) -> Option<u64> {
        let changed = self.changed_slots.iter();
        let lost = changed
            .filter(|&&slot| self.block_at[slot as usize] != NONE && self.is_dirty.contains(slot));
        Some(lost.count() as u64 * u64::from(self.settings.block_pages))
    }

    fn image(self) -> Self::Image {
        let slots = (0..).zip(&self.block_at);
        slots
            .filter(|&(slot, &block)| block != NONE && !self.changed.contains(slot))
            .map(|(slot, &block)| (slot, block))
            .collect()
    }

    fn load(&mut self, image: Self::Image, _counters: &mut FlashCacheCounters) {
        let dirty = self.settings.write_back;
        for (slot, block) in image {
            self.room.take_at(slot);
            self.enter(block, slot, dirty);
            let queue = if dirty {
                &mut self.dirty
            } else {
                &mut self.clean
            };
            queue.remove(slot, LEVELS - 1);
            queue.push_old(&mut self.level_of, slot, slot as usize % LEVELS);
        }
        self.room.turn();
    }

    fn valid_copies(&self) -> u64 {
        u64::from(self.clean.length + self.dirty.length) * u64::from(self.settings.block_pages)
    }

    fn holds_newer(&self, page: u32) -> bool {
        let slot = self.slot(page);
        slot != NONE && self.is_dirty.contains(slot)
    }

    fn dirty_copies(&self) -> u64 {
        u64::from(self.dirty.length) * u64::from(self.settings.block_pages)
    }

    const FULL_WHEN: Option<&'static str> = Some("each of its blocks was used once");
    fn filled(&self, _usable_pages: u32) -> bool {
        self.room.ever_taken() == self.slots
    }

    fn notes(&self) -> Vec<Warning> {
        if self.settings.passes || self.slots == 0 || self.demoted > 0 {
            return Vec::new();
        }
        let used = self.room.ever_taken();
        let (message, hint) = if used < self.slots {
            (
                format!(
                    "dm-cache demoted no block, because flash never filled: it used {used} of {}, so nothing here tells what it does once flash is full",
                    counted(self.slots, "block", "blocks")
                ),
                "use a longer trace or a smaller flash".to_owned(),
            )
        } else if self.kept_out > 0 {
            (
                format!(
                    "dm-cache demoted no block: flash is full, no clean block of it had fallen to the lower {COLD_LEVELS} of {LEVELS} levels, and {} found no room",
                    counted(self.kept_out, "promotion", "promotions")
                ),
                self.until_room(),
            )
        } else {
            return Vec::new();
        };
        vec![Warning {
            name: "nothing_demoted",
            message,
            hint,
        }]
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let mut listed = 0;
        for (queue, dirty) in [(&self.clean, false), (&self.dirty, true)] {
            for level in 0..LEVELS {
                for (slot, _) in queue.entries(level) {
                    let block = self.block_at[slot as usize];
                    if block == NONE
                        || self.slot_of[block as usize] != slot
                        || self.level_of[slot as usize] as usize != level
                        || self.is_dirty.contains(slot) != dirty
                    {
                        return Err(format!("slot {slot} stands in level {level} wrongly"));
                    }
                    listed += 1;
                }
            }
        }
        let mapped = self.slot_of.iter().filter(|&&slot| slot != NONE).count();
        let pages = u64::from(self.settings.block_pages);
        let lost = crash.map_or(0, |crash| crash.flash_pages_lost);
        let gone = counters.flash_evictions + listed as u64 * pages + lost;
        let areas = self.is_followed.iter().count();
        if listed != mapped
            || listed != self.room.taken()
            || counters.flash_fills != gone
            || areas != self.hotspot.length as usize
        {
            return Err(format!(
                "{listed} blocks in levels, {mapped} mapped, {} slots taken; {} pages came and {gone} left, were lost or are there; {areas} areas counted as {}",
                self.room.taken(),
                counters.flash_fills,
                self.hotspot.length
            ));
        }
        Ok(())
    }
}
