//! `CacheLib` as it shares flash: sets of small objects behind the regions of large ones.

use super::cachelib::{self, CacheLib};
use super::categories::{Categories, MOST};
use super::chains::NONE;
use super::object_sets::{ObjectSets, Shape};
use super::options::Options;
use super::rate::ByTime;
use super::settled::ByClock;
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host,
    OptionAbout, Sampled, Unsampled, Warning, as_of_host, recount_copies,
};
use crate::access::Chunk;
use crate::error::Result;
use crate::replay::bits::BitSet;
use crate::replay::settings::spelled;
use crate::replay::translation::STREAMS;

/// The option that makes objects small, and what it is where there are none.
const SMALL: &str = "small";
const NOTHING: &str = "none";
const BY: &str = "small_by";
const SHARE: &str = "small_percent";
const OBJECTS: &str = "set_objects";
const PERCENT: u64 = 100;
/// Bytes of a small object.
const OBJECT_BYTES: u64 = 290;

/// Options of `CacheLib` for its small objects.
pub(super) const OPTIONS: [OptionAbout; 5] = [
    OptionAbout {
        name: SMALL,
        values: "none, or numbers of categories with + between them",
        default: NOTHING,
        description: "Categories whose pages are small objects, which go to sets behind the regions; all others are large.",
        is_place: false,
    },
    OptionAbout {
        name: BY,
        values: "size, relation",
        default: "size",
        description: "With small: what its numbers are of. Sizes of requests: class n has those of 2^n to 2^(n+1) - 1 pages; or relations, files or volumes in the order in which the trace shows them first. The first access of a page decides.",
        is_place: false,
    },
    OptionAbout {
        name: SHARE,
        values: "1 to 99",
        default: "none",
        description: "With small, which needs it: percent of flash that is sets of small objects.",
        is_place: false,
    },
    OptionAbout {
        name: OBJECTS,
        values: "1 to 4096",
        default: "14 in 4 KiB (290 bytes each)",
        description: "With small: objects of a set, which is one page of flash.",
        is_place: false,
    },
    OptionAbout {
        name: STREAMS,
        values: "1, 2",
        default: "1",
        description: "With small: write streams of the device that ftl_spare_percent asks for; 2: sets and regions never share a block, and its WAF with one stream is counted beside it.",
        is_place: false,
    },
];

/// Whether the options make any object small.
pub(super) fn is_wanted(given: &[(String, String)]) -> bool {
    let stated = given.iter().find(|(name, _)| spelled(name) == SMALL);
    stated.is_some_and(|(_, value)| value != NOTHING)
}

/// Notes that nothing is small, where that is stated.
///
/// # Errors
/// [`crate::error::Error::BadParameter`] for options that have no effect then.
pub(super) fn without(options: &Options<'_>) -> Result<()> {
    if options.is_given(SMALL) {
        options.numbers(SMALL)?;
    }
    let unused = [BY, SHARE, OBJECTS, STREAMS];
    let unused = unused.into_iter().find(|name| options.is_given(name));
    unused.map_or(Ok(()), |name| {
        Err(options.impossible(name, "has no effect without small"))
    })
}

#[derive(Debug)]
pub(crate) struct Settings {
    large: cachelib::Settings,
    /// Frames of the regions, which the sets are behind.
    regions_end: u32,
    sets: u32,
    objects: u32,
    by: Categories,
    /// By the number of the category.
    is_small: Vec<bool>,
    highest_named: u16,
}

/// `CacheLib` with its sets (`BigHash`) and its regions on one flash.
///
/// ```text
/// flash:                regions in `100 - small_percent` of it, then sets of a page each
/// p is small:           its first access was of a category in `small`, else it is large, for good
/// large p:              as in `CacheLib`, over the regions
/// DRAM misses small p:  in its set: read that page
/// evict small p:        changed: write it to disk; its copy leaves its set; insert p
///                       unchanged: insert p unless it is in its set
/// insert small p:       if admitted: write its set with p; the oldest leaves where more than `set_objects` would be in it
///                       else: if a copy left its set, write that
/// write a set:          read its page, write it
/// admission             is one for both: its window, and its rate, in which each write of a set is a page
/// device                hears of a set as it is written, of a region when that is full
/// ```
///
/// Choices where the source is silent, or says more than a replay knows:
/// * A page is an object here, too, and all small ones have one size, `set_objects` of them a page of flash.
/// * Bloom filters that err cost reads that are not counted.
/// * Regions fill in DRAM, so writes of sets between do not make their pages random: each part counts by itself whether a
///   write follows the one before.
/// * Nothing on flash is dirty, and a crash loses the cache, as without small objects.
#[derive(Debug)]
pub(crate) struct Mixed {
    large: CacheLib,
    sets: ObjectSets<()>,
    regions_end: u32,
    by: Categories,
    is_small: Vec<bool>,
    highest_named: u16,
    highest_seen: Option<u16>,
    /// Of the accesses of a chunk.
    coming: Vec<u16>,
    /// Pages that were seen, and which of them are small.
    seen: u32,
    small: BitSet,
}

/// What the sets reach: their frames lie behind those of the regions.
struct Behind<'a, H> {
    host: &'a mut H,
    first: u32,
}

impl<H: Host> Host for Behind<'_, H> {
    as_of_host!(all);

    fn flash_write(&mut self, frame: u32, pages: u32) {
        self.host.flash_write(self.first + frame, pages);
    }

    fn flash_write_apart(&mut self, frame: u32, pages: u32) {
        self.host.flash_write_apart(self.first + frame, pages);
    }

    fn flash_write_counted(&mut self, frame: u32, pages: u32) {
        self.host.flash_write_counted(self.first + frame, pages);
    }

    fn flash_trim(&mut self, frame: u32, pages: u32) {
        self.host.flash_trim(self.first + frame, pages);
    }
}

impl Mixed {
    /// Writes the set of a small page, with that as a newcomer where it `enters`.
    fn write_set(&mut self, page: u32, enters: bool, host: &mut impl Host) {
        let counters = host.counters();
        counters.flash_stage_out_reads += 1;
        counters.flash_fills += u64::from(enters);
        counters.requeued += u64::from(!enters);
        self.sets.group.clear();
        self.sets.group.extend(enters.then_some(page));
        let first = self.regions_end;
        self.sets.write(page, &mut Behind { host, first });
        self.large.appended += 1;
    }

    fn on_small_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let on_flash = self.sets.slot_of[page as usize] != NONE;
        let is_old = changed && on_flash;
        let counters = host.counters();
        counters.victims_found_on_flash += u64::from(on_flash);
        counters.disk_writes_on_exit += u64::from(changed);
        counters.flash_invalidations += u64::from(is_old);
        if is_old {
            self.sets.remove(page);
        }
        if changed || !on_flash {
            let enters = self.large.admits(page);
            host.counters().bypassed += u64::from(!enters);
            if enters || is_old {
                self.write_set(page, enters, host);
            }
        }
    }
}

impl FlashCache for Mixed {
    type Settings = Settings;
    type Image = ();
    type Device = Frames;

    const NEEDS_ADDRESSES: bool = true;
    const HAS_STREAMS: bool = true;
    const OPTIONS: &'static [OptionAbout] = CacheLib::OPTIONS;

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        let numbers = options.numbers(SMALL)?;
        let highest = numbers.last().copied().unwrap_or_default();
        let highest_named = u16::try_from(highest).ok().filter(|&named| named <= MOST);
        let Some(highest_named) = highest_named else {
            let why = format!("names a category that is not one from 0 to {MOST}");
            return Err(options.impossible(SMALL, &why));
        };
        let by = Categories::choices();
        let by: Vec<_> = by
            .into_iter()
            .filter(|(name, _)| matches!(*name, "size" | "relation"))
            .collect();
        let by = options.choice(BY, &by)?;
        let Some(percent) = options.number_if_given(SHARE, 1..=PERCENT - 1)? else {
            return Err(options.impossible(
                SHARE,
                "is not stated, and small objects need a share of flash",
            ));
        };
        let usual = run.entries_of(OBJECT_BYTES, 4096);
        let objects = options.number_or(OBJECTS, 1..=4096, usual)?;
        let flash = u64::from(run.flash_pages);
        let whole = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let sets = whole(flash * percent / PERCENT);
        if sets == 0 && flash > 0 {
            return Err(options.impossible(SHARE, "leaves no page of flash for sets"));
        }
        let large_pages = run.flash_pages - sets;
        let large = cachelib::settings_over(options, run, large_pages)?;
        if u64::from(run.flash_pages) * u64::from(whole(objects)) > u64::from(NONE) {
            return Err(
                options.impossible(OBJECTS, "makes more small objects than can be numbered")
            );
        }
        let mut is_small = vec![false; usize::from(MOST) + 1];
        for number in numbers {
            is_small[number as usize] = true;
        }
        Ok(Settings {
            regions_end: large_pages / large.region_pages * large.region_pages,
            large,
            sets,
            objects: whole(objects),
            by,
            is_small,
            highest_named,
        })
    }

    fn fills_at_once(_settings: &Settings) -> u64 {
        // A set may be full for the first time at any access.
        u64::MAX
    }

    fn by_time(settings: &Settings) -> Option<ByTime> {
        CacheLib::by_time(&settings.large)
    }

    fn sampled(_settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        Err(Unsampled::always(
            "its regions are emptied whole and are of a size of their own, so they do not shrink with flash",
        ))
    }

    fn new(_flash_pages: u32, settings: &Settings) -> Self {
        Self {
            large: CacheLib::new(settings.regions_end, &settings.large),
            sets: ObjectSets::new(Shape {
                sets: settings.sets,
                objects: settings.objects,
                pages: 1,
                rrip: false,
            }),
            regions_end: settings.regions_end,
            by: settings.by,
            is_small: settings.is_small.clone(),
            highest_named: settings.highest_named,
            highest_seen: None,
            coming: Vec::new(),
            seen: 0,
            small: BitSet::default(),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.large.grow(pages);
        self.sets.grow(pages);
        self.small.grow(pages);
    }

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.by.of(chunk, spaces, &mut self.coming)?;
        for (&page, &category) in chunk.pages.iter().zip(&self.coming) {
            // Pages are numbered as they appear.
            if page >= self.seen {
                self.seen = page + 1;
                self.highest_seen = self.highest_seen.max(Some(category));
                let is_small = self.is_small[usize::from(category)];
                self.small.insert_if(page, is_small);
            }
        }
        Ok(())
    }

    fn notes(&self) -> Vec<Warning> {
        let mut notes = self.large.notes();
        let Some(seen) = self.highest_seen else {
            return notes;
        };
        if self.highest_named <= seen || self.highest_named == MOST {
            return notes;
        }
        notes.push(Warning {
            name: "unknown_category",
            message: format!(
                "{SMALL} names category {}, and the highest number of any page in the trace is {seen}",
                self.highest_named
            ),
            hint:
                "`tierwright cachesack` lists the numbers of the categories of a trace, as does its JSON"
                    .to_owned(),
        });
        notes
    }

    fn by_clock(&self) -> Option<ByClock> {
        self.large.by_clock()
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        self.highest_seen = crashed.highest_seen;
        self.seen = crashed.seen;
        self.small = std::mem::take(&mut crashed.small);
    }

    fn fetch(&self, pages: &[u32]) {
        self.large.fetch(pages);
        self.sets.fetch(pages);
    }

    fn start_clock(&mut self, unit: ClockUnit, now: u64) -> u64 {
        self.large.start_clock(unit, now)
    }

    fn background(&mut self, now: u64, host: &mut impl Host) -> u64 {
        self.large.background(now, host)
    }

    #[inline]
    fn lookup(&mut self, page: u32, host: &mut impl Host) -> bool {
        if self.small.contains(page) {
            return self.sets.slot_of[page as usize] != NONE;
        }
        self.large.lookup(page, host)
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.sets.slot_of[page as usize] != NONE || self.large.holds(page)
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        if self.small.contains(exit.page) {
            self.on_small_exit(exit, host);
            return;
        }
        self.large.take_collected(exit, host);
    }

    fn image(self) {}

    fn load(&mut self, _image: (), _counters: &mut FlashCacheCounters) {}

    fn valid_copies(&self) -> u64 {
        self.large.valid_copies() + u64::from(self.sets.held)
    }

    fn slots_used(&self) -> u64 {
        self.large.slots_used() + self.sets.pages_used()
    }

    fn old_versions(&self) -> u64 {
        self.large.old_versions()
    }

    const FULL_WHEN: Option<&'static str> = Some(
        "a region must be emptied for the first time, and a set must give up an object for the first time",
    );
    fn filled(&self, usable_pages: u32) -> bool {
        self.sets.was_full && self.large.filled(usable_pages)
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let (mapped, held) = self.large.recount_regions()?;
        let in_sets = self.sets.recount()?;
        let slots = (0..).zip(&self.sets.slot_of);
        let in_slots: Vec<u32> = slots
            .filter(|&(_, &slot)| slot != NONE)
            .map(|(page, _)| page)
            .collect();
        recount_copies(mapped + in_slots.len(), held + in_sets, 0, counters, crash)?;
        let astray = |page: &u32| !self.small.contains(*page) || self.large.holds(*page);
        if let Some(page) = in_slots.into_iter().find(astray) {
            return Err(format!("page {page} is in a set, and not small"));
        }
        Ok(())
    }
}
