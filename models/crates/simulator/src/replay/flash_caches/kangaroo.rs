//! Kangaroo, and `BigHash` without its log: sets of small objects, each written whole.

use super::chains::{Ends, Links, NONE};
use super::object_sets::{ObjectSets, Shape, index};
use super::options::Options;
use super::{
    Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host, OptionAbout,
    Sampled, Unsampled, recount_copies,
};
use crate::error::Result;
use crate::random::Random;
use crate::replay::bits::BitSet;
use crate::replay::room::Room;
use crate::replay::translation::STREAMS;

const PERCENT: u64 = 100;
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) set_pages: u32,
    pub(crate) sets: u32,
    /// Partitions of the log, segments of one, and pages of a segment; no segments: no log.
    pub(crate) partitions: u32,
    pub(crate) segments: u32,
    pub(crate) segment_pages: u32,
    /// Objects of the log for which a set is written.
    pub(crate) threshold: usize,
    pub(crate) admission_percent: u64,
    pub(crate) rrip: bool,
    pub(crate) seed: u64,
}

/// Kangaroo, with an object a page of the trace.
///
/// ```text
/// DRAM misses p:        in the log or in its set: read it; it is marked
/// evict p from DRAM:    changed: write it to disk; its copy on flash is gone; insert p
///                       unchanged: insert p unless it is on flash
/// insert p:             by chance, if `admission_percent` is below 100: not at all; a copy that was in a set
///                       is deleted by writing that
///                       else append p to the log of its partition; without a log write its set
/// append p:             to the open segment; is none open and all segments in use: flush the oldest
/// flush a segment:      of each object in it, all objects of the log in the same set: at least `threshold`: write the set
///                       with all of them; fewer: a marked one is unmarked and appended again, another leaves
/// write a set:          read it, merge, write it whole
///   rrip:               marked residents are near (0); where not all fit, all move away until one is far (7);
///                       newcomers are at 6; the nearest stay, residents before newcomers
///   fifo:               the oldest leave
/// ```
///
/// Choices where the source is silent, or says more than a replay knows:
/// * All objects have one size, `set_pages` of them a set. Flash counts in objects, and so do its writes: a set is `set_pages`.
/// * Bloom filters that err cost reads that are not counted.
/// * A segment is written as it fills, page after page.
/// * A newcomer enters its set at 6 whether it was read in the log or not.
/// * The index of the log and the marks are in DRAM, so a crash loses the cache.
#[derive(Debug)]
pub(crate) struct Kangaroo {
    settings: Settings,
    /// The slot of a page from `log_from` on is its frame in the log.
    sets: ObjectSets<Logged>,
    log_from: u32,
    /// Objects of the log, by set, appended longest ago first.
    links: Links,
    was_hit: BitSet,
    partition: Vec<Partition>,
    /// The page in each frame of the log that was ever written, [`NONE`] in a hole.
    log: Vec<u32>,
    /// Objects in it.
    logged: u32,
    random: Random,
    /// Objects to be put back.
    back: Vec<u32>,
}

/// The objects of a set that are in the log.
#[derive(Debug, Clone, Copy)]
struct Logged {
    order: Ends,
    count: u32,
}

impl Default for Logged {
    fn default() -> Self {
        Self {
            order: Ends::EMPTY,
            count: 0,
        }
    }
}

/// A part of the log.
#[derive(Debug)]
struct Partition {
    room: Room,
    /// Segments in use, oldest first.
    order: Ends,
    links: Links,
    /// Places used of the newest, where that is open.
    filled: Option<u32>,
}

impl Kangaroo {
    fn has_log(&self) -> bool {
        self.settings.segments > 0
    }

    fn is_in_log(&self, page: u32) -> bool {
        self.sets.slot_of[page as usize] >= self.log_from
    }

    fn partition_of(&self, page: u32) -> usize {
        (self.sets.of(page).number % self.settings.partitions) as usize
    }

    /// Takes an object out of the log.
    fn unlog(&mut self, page: u32) {
        let frame = std::mem::replace(&mut self.sets.slot_of[page as usize], NONE);
        self.log[(frame - self.log_from) as usize] = NONE;
        let logged = &mut self.sets.of_mut(page).beside;
        self.links.remove(&mut logged.order, page);
        logged.count -= 1;
        self.logged -= 1;
    }

    /// Writes the set of a page with the newcomers in the group of the sets.
    fn write_set(&mut self, page: u32, host: &mut impl Host) {
        let pages = u64::from(self.settings.set_pages);
        let new = self.sets.group.len() as u64;
        let counters = host.counters();
        counters.flash_batch_reads += 1;
        counters.flash_batch_read_pages += pages;
        counters.requeued += if self.has_log() { pages } else { pages - new };
        self.sets.write(page, host);
    }

    /// Empties the oldest segment of a partition; what is put back is in `back`.
    fn flush(&mut self, at: usize, host: &mut impl Host) {
        let Settings {
            segments,
            segment_pages,
            threshold,
            ..
        } = self.settings;
        let partition = &mut self.partition[at];
        let Some(segment) = partition.links.pop(&mut partition.order) else {
            return;
        };
        let first = (index(at) * segments + segment) * segment_pages;
        let places = first as usize..(first + segment_pages) as usize;
        let coming = self.log[places].iter().copied();
        self.back.extend(coming.filter(|&page| page != NONE));
        self.sets.fetch(&self.back);
        self.links.fetch(&self.back);
        self.back.clear();
        for place in first..first + segment_pages {
            let page = self.log[place as usize];
            if page == NONE {
                continue;
            }
            let logged = self.sets.of(page).beside;
            if logged.count as usize >= threshold {
                self.sets.group.clear();
                self.sets.group.extend(self.links.iter(logged.order));
                for at in 0..self.sets.group.len() {
                    self.unlog(self.sets.group[at]);
                }
                self.write_set(page, host);
            } else {
                self.unlog(page);
                if self.was_hit.contains(page) {
                    self.back.push(page);
                } else {
                    host.counters().flash_evictions += 1;
                }
            }
        }
        self.partition[at].room.give_back(segment);
        host.flash_trim(self.log_from + first, segment_pages);
    }

    /// Writes an object into the open segment, which has room.
    fn write_log(&mut self, at: usize, page: u32, host: &mut impl Host) {
        let Settings {
            segments,
            segment_pages,
            ..
        } = self.settings;
        let partition = &mut self.partition[at];
        let filled = partition.filled.unwrap_or_default();
        let place = (index(at) * segments + partition.order.newest) * segment_pages + filled;
        partition.filled = (filled + 1 < segment_pages).then_some(filled + 1);
        if place as usize >= self.log.len() {
            self.log.resize(place as usize + 1, NONE);
        }
        self.log[place as usize] = page;
        self.sets.slot_of[page as usize] = self.log_from + place;
        self.was_hit.take(page);
        let logged = &mut self.sets.of_mut(page).beside;
        self.links.push(&mut logged.order, page);
        logged.count += 1;
        self.logged += 1;
        host.flash_write_apart(self.log_from + place, 1);
    }

    fn append(&mut self, page: u32, host: &mut impl Host) {
        let at = self.partition_of(page);
        while self.partition[at].filled.is_none() {
            if self.partition[at].room.taken() == self.settings.segments as usize {
                self.flush(at, host);
            }
            let partition = &mut self.partition[at];
            if let Some(segment) = partition.room.take() {
                partition.links.grow(segment as usize + 1);
                partition.links.push(&mut partition.order, segment);
                partition.filled = Some(0);
            }
            for next in 0..self.back.len() {
                host.counters().requeued += 1;
                self.write_log(at, self.back[next], host);
            }
            self.back.clear();
        }
        host.counters().flash_fills += 1;
        self.write_log(at, page, host);
    }

    fn insert(&mut self, page: u32, was_in_set: bool, host: &mut impl Host) {
        let percent = self.settings.admission_percent;
        self.sets.group.clear();
        if percent < PERCENT && self.random.below(PERCENT) >= percent {
            host.counters().bypassed += 1;
            if was_in_set {
                self.write_set(page, host);
            }
        } else if self.has_log() {
            self.append(page, host);
        } else {
            host.counters().flash_fills += 1;
            self.sets.group.push(page);
            self.write_set(page, host);
        }
    }
}

impl FlashCache for Kangaroo {
    type Settings = Settings;
    type Image = ();
    type Device = Frames;

    const HAS_STREAMS: bool = true;
    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "set_pages",
            values: "1 to 4096, at most the number of flash pages",
            default: "14, at most 1/16 of flash",
            description: "Objects of a set, 4 KiB of objects of some 290 bytes: a page of the trace is an object.",
            is_place: false,
        },
        OptionAbout {
            name: "log_percent",
            values: "0 to 50",
            default: "5",
            description: "Percent of flash that is the log; 0, or less than two objects: no log, as BigHash.",
            is_place: false,
        },
        OptionAbout {
            name: "partitions",
            values: "1 to 64, at most half of the log",
            default: "64, at most 1/16 of the log",
            description: "Parts of the log that are flushed each by itself.",
            is_place: false,
        },
        OptionAbout {
            name: "segment_pages",
            values: "1 to half of a partition",
            default: "64, at most 1/4 of a partition",
            description: "Objects of a segment of the log, which are flushed together.",
            is_place: false,
        },
        OptionAbout {
            name: "threshold",
            values: "1 to 255",
            default: "2",
            description: "Objects of the log in one set for which that is written.",
            is_place: false,
        },
        OptionAbout {
            name: "admission_percent",
            values: "1 to 100",
            default: "100",
            description: "Chance of each object to enter. [%]",
            is_place: false,
        },
        OptionAbout {
            name: "replacement",
            values: "rrip, fifo",
            default: "rrip",
            description: "What leaves a set: what is predicted to be read last, or what is oldest.",
            is_place: false,
        },
        OptionAbout {
            name: "seed",
            values: "0 to 18446744073709551615",
            default: "0",
            description: "With admission_percent below 100: start of the random numbers.",
            is_place: false,
        },
        OptionAbout {
            name: STREAMS,
            values: "1, 2",
            default: "1",
            description: "Write streams of the device that ftl_spare_percent asks for; 2: sets and log never share a block, and its WAF with one stream is counted beside it.",
            is_place: false,
        },
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        if run.warm_restart {
            return Err(options.impossible(
                "restart",
                "sets are found by an index in memory, so there is no warm restart: use restart=cold",
            ));
        }
        let flash = u64::from(run.flash_pages.max(1));
        let usual = (flash / 16).clamp(1, 14);
        let set_pages = options.number_or("set_pages", 1..=flash.min(4096), usual)?;
        let log_percent = options.number("log_percent", 0..=50)?;
        // Two segments of an object are the least.
        let log = Some(flash * log_percent / PERCENT)
            .filter(|&log| log >= 2)
            .unwrap_or_default();
        let (mut partitions, mut segment_pages, mut segments) = (1, 1, 0);
        if log > 0 {
            let usual = (log / 16).clamp(1, 64);
            partitions = options.number_or("partitions", 1..=(log / 2).min(64), usual)?;
            let own = log / partitions;
            let usual = (own / 4).clamp(1, 64);
            segment_pages = options.number_or("segment_pages", 1..=own / 2, usual)?;
            segments = own / segment_pages;
        } else {
            for name in ["partitions", "segment_pages", "threshold"] {
                if options.is_given(name) {
                    return Err(options.impossible(name, "has no effect without a log"));
                }
            }
        }
        let threshold = if log > 0 {
            options.number("threshold", 1..=255)?
        } else {
            1
        };
        let percent = options.number("admission_percent", 1..=PERCENT)?;
        let seed = if percent < PERCENT {
            options.number("seed", 0..=u64::MAX)?
        } else if options.is_given("seed") {
            return Err(options.impossible("seed", "has no effect with admission_percent=100"));
        } else {
            0
        };
        let rest = flash.saturating_sub(partitions * segments * segment_pages);
        let sets = rest / set_pages;
        if sets == 0 && run.flash_pages > 0 {
            return Err(options.impossible("set_pages", "leaves no set beside the log"));
        }
        let whole = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        Ok(Settings {
            set_pages: whole(set_pages),
            sets: whole(sets),
            partitions: whole(partitions),
            segments: whole(segments),
            segment_pages: whole(segment_pages),
            threshold: usize::try_from(threshold).unwrap_or(1),
            admission_percent: percent,
            rrip: options.choice("replacement", &[("rrip", true), ("fifo", false)])?,
            seed,
        })
    }

    fn fills_at_once(_settings: &Settings) -> u64 {
        // A set, or a segment, may be full for the first time at any access.
        u64::MAX
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Err(Unsampled::always(
            "its sets and the segments of its log have as many objects in any flash, and do not shrink with it",
        ))
    }

    fn new(_flash_pages: u32, settings: &Settings) -> Self {
        let parts = if settings.segments > 0 {
            settings.partitions
        } else {
            0
        };
        let sets = ObjectSets::new(Shape {
            sets: settings.sets,
            objects: settings.set_pages,
            pages: settings.set_pages,
            rrip: settings.rrip,
        });
        Self {
            settings: *settings,
            log_from: sets.slots(),
            sets,
            links: Links::default(),
            was_hit: BitSet::default(),
            partition: (0..parts)
                .map(|_| Partition {
                    room: Room::new(settings.segments),
                    order: Ends::EMPTY,
                    links: Links::default(),
                    filled: None,
                })
                .collect(),
            log: Vec::new(),
            logged: 0,
            random: Random(settings.seed),
            back: Vec::new(),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.sets.grow(pages);
        self.was_hit.grow(pages);
        if self.has_log() {
            self.links.grow(pages);
        }
    }

    fn fetch(&self, pages: &[u32]) {
        self.sets.fetch(pages);
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        let slot = self.sets.slot_of[page as usize];
        if slot == NONE {
            return false;
        }
        if slot >= self.log_from {
            self.was_hit.insert(page);
        } else {
            self.sets.mark(page);
        }
        true
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.sets.slot_of[page as usize] != NONE
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let on_flash = self.sets.slot_of[page as usize] != NONE;
        let counters = host.counters();
        counters.victims_found_on_flash += u64::from(on_flash);
        counters.disk_writes_on_exit += u64::from(changed);
        let mut was_in_set = false;
        if changed && on_flash {
            counters.flash_invalidations += 1;
            if self.is_in_log(page) {
                let frame = self.sets.slot_of[page as usize];
                self.unlog(page);
                host.flash_trim(frame, 1);
            } else {
                was_in_set = true;
                self.sets.remove(page);
            }
        }
        if changed || !on_flash {
            self.insert(page, was_in_set, host);
        }
    }

    fn image(self) {}

    fn load(&mut self, _image: (), _counters: &mut FlashCacheCounters) {}

    fn valid_copies(&self) -> u64 {
        u64::from(self.sets.held + self.logged)
    }

    const FULL_WHEN: Option<&'static str> = Some("a set must give up an object for the first time");
    fn filled(&self, _usable_pages: u32) -> bool {
        self.sets.was_full
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let in_sets = self.sets.recount()?;
        let mut logged = 0;
        for set in self.sets.iter() {
            let listed = self.links.iter(set.beside.order).count();
            if listed != set.beside.count as usize {
                return Err(format!(
                    "{listed} objects of set {} are in the log, counted as {}",
                    set.number, set.beside.count
                ));
            }
            logged += listed;
        }
        let in_log = self.log.iter().filter(|&&page| page != NONE).count();
        let slots = &self.sets.slot_of;
        let mapped = slots.iter().filter(|&&slot| slot != NONE).count();
        recount_copies(mapped, in_sets + in_log, 0, counters, crash)?;
        if in_log != self.logged as usize || in_log != logged {
            return Err(format!(
                "{in_log} in the log, counted as {}, {logged} by their sets",
                self.logged
            ));
        }
        Ok(())
    }
}
