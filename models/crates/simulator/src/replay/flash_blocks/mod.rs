//! Flash pages larger than RAM pages: *blocks* of several RAM pages.
//!
//! Koltsidas and Viglas, section 4.1: the flash directory has one entry a block, with one dirty bit;
//! flash and disk exchange whole blocks, RAM and the tiers below it exchange pages. A block holds
//! pages that lie side by side in one device or relation: block = address div B, place = address
//! mod B, with B RAM pages a block.
//!
//! Under the inclusive scheme the block of a missing page is read from disk and written to flash, and
//! the page goes on to RAM; so the block of a RAM victim is always on flash. Under the exclusive and
//! the lazy one a missing page goes from disk to RAM alone, and when RAM evicts it its block may be
//! absent from flash. Then there are two techniques:
//!
//! * *overwriting* fetches the block from disk to flash first, one more disk read, and then treats the
//!   victim as one whose block is there;
//! * *invalidating* takes a frame in which only the victim is valid. A bit a page says which are.
//!
//! **A deviation**: for invalidating, the paper lets later disk reads fill the invalid pages of a block.
//! Here a missing page whose block is on flash with that page invalid is read from disk to RAM alone,
//! like any miss of these two schemes; it gets to flash when RAM evicts it. Filling it at once would be a
//! flash write that neither the listings nor the costs of these schemes have.
//!
//! Where the paper is silent, chosen here:
//!
//! | point | chosen |
//! |---|---|
//! | exclusive, flash hit, overwriting | the page stays: a whole block cannot lose one page (the paper: the invariant "is not strictly enforced") |
//! | exclusive, flash hit, invalidating | the page becomes invalid; if the block is dirty the page takes dirt with it, for the one bit does not say whose it is (so there can be more disk writes than written pages); a block without valid pages leaves flash |
//! | exclusive, RAM victim whose valid copy is on flash (overwriting) | written, dirty or not: the scheme does not ask |
//! | lazy, clean RAM victim with a valid copy | nothing, also right after its block was fetched |
//! | RAM victims of the exclusive scheme | their block is looked up in the directory, as under lazy: without blocks it need not be |
//! | recency of a block | renewed by every page read from it or written to it; a block fetched for a victim is a newcomer to the policy, and the write of the victim no second reference; the read of the last valid page of a block that it empties is a reference, which the history of LRU-2 and the counts of W-TinyLFU keep |
//! | a dirty block that leaves flash | one disk write, of all pages (overwriting) or of the valid ones (invalidating) |
//! | inclusive, every block on flash has pages in RAM | the block referenced least recently leaves, whatever the policy of flash, and takes its pages out of RAM; the dirty ones go to disk with it |
//! | OPT on flash | gives up the block whose next access, to any of its pages, is farthest in the future. That access may be answered by RAM or meet an invalid page, so it bounds nothing |
//! | admission rules | with invalidating alone: overwriting cannot drop the old copy of a page that it refuses |
//! | an assignment of categories | with both techniques: a page of which flash has a valid copy is never kept from it, also where its block came there for another page while it was in RAM, so no copy has to be dropped |
//! | inclusive, behind an assignment | a page that is not admitted and whose block is not on flash comes from disk alone, and goes there if it leaves RAM dirty. Where its block comes to flash meanwhile, for another page, it is a page of RAM on flash as others are: it guards its block, leaves to its place there, and leaves RAM with it |
//! | flash of a size that is no multiple of the block | rounded down to whole blocks |
//! | a device under flash | a block that comes takes the frame that became free last; its pages lie there in their order, and are written there whenever they are counted as written: a whole block in that order. A page that becomes invalid, and the valid ones of a block that leaves, are no longer in use there |

use serde::Serialize;

use crate::error::{Error, Result};
use crate::replay::admission::all::All;
use crate::replay::admission::by_category::ByCategory;
use crate::replay::admission::{self, ADMISSION, Admission, ForAdmission};
use crate::replay::recency::protected::ProtectedRecency;
use crate::replay::settings::{Setting, Settings, Values};
use crate::replay::translation::{Below, PerhapsPlaced};
use crate::replay::two_tier::{
    self, Clocking, Counted, Flow, Policies, Replay, Run, SchemeCounters, SchemeResult, Took,
    Warning, inclusion, without_writes,
};
use crate::replay::{About, Totals, counters_since, page_count, written_as_named};
use crate::wording::counted;

mod future;
mod inclusive;
mod map;
mod order;
mod staged;

/// RAM pages of the largest block: validity bits fill one word.
const MOST_PAGES: u32 = 64;

/// Option of a scheme whose flash can have blocks.
pub(crate) const BLOCK_PAGES: Setting = Setting {
    name: "block_pages",
    description: "RAM pages in a flash page (a block); 1: flash pages are RAM pages.",
    default: "1",
    values: Values::Whole {
        least: 1,
        most: MOST_PAGES,
    },
};
const TECHNIQUES: &[&str] = &["overwriting", "invalidating"];
/// What to do with a RAM victim whose block is not on flash.
pub(crate) const BLOCK_TECHNIQUE: Setting = Setting {
    name: "block_technique",
    description: "What happens to a RAM victim whose block is not on flash: fetch the block from disk and overwrite the page, or take a block in which only the page is valid.",
    default: "overwriting",
    values: Values::OneOf(TECHNIQUES),
};

/// What a flash of blocks counts, besides the counters of its scheme, which count operations of any
/// length. Pages are RAM pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockCounters {
    /// Reads of one page from flash, in no order: flash hits.
    pub flash_page_reads: u64,
    /// Writes of one page to flash, in no order: RAM victims.
    pub flash_page_writes: u64,
    /// Those of them over a page that had been written since its block took the frame: flash cannot
    /// do that in place, it moves the page or erases the block.
    pub flash_page_overwrites: u64,
    /// Sequential writes of a whole block to flash: blocks from disk.
    pub flash_block_writes: u64,
    /// Frames taken by a block: where a block is an erase unit, each is one erase.
    pub flash_frames_taken: u64,
    /// Blocks that left flash because no page in them was valid any more.
    pub flash_blocks_emptied: u64,
    /// Reads of one page from disk, to RAM.
    pub hdd_page_reads: u64,
    /// Sequential reads of a whole block from disk, to flash.
    pub hdd_block_reads: u64,
    /// Writes of one page to disk: dirty RAM victims that were not admitted.
    pub hdd_page_writes: u64,
    /// Writes of a dirty block to disk.
    pub hdd_block_writes: u64,
    /// Pages in them.
    pub hdd_block_pages_written: u64,
    /// Pages that left RAM because their block left flash (inclusive).
    pub ram_back_invalidations: u64,
}

counters_since!(
    BlockCounters,
    plus {
        flash_page_reads,
        flash_page_writes,
        flash_page_overwrites,
        flash_block_writes,
        flash_frames_taken,
        flash_blocks_emptied,
        hdd_page_reads,
        hdd_block_reads,
        hdd_page_writes,
        hdd_block_writes,
        hdd_block_pages_written,
        ram_back_invalidations,
    }
);

written_as_named!(BlockCounters);

impl BlockCounters {
    /// All counters with their names, in the order to show them.
    pub fn named(&self) -> [(&'static str, u64); 12] {
        [
            ("flash_page_reads", self.flash_page_reads),
            ("flash_page_writes", self.flash_page_writes),
            ("flash_page_overwrites", self.flash_page_overwrites),
            ("flash_block_writes", self.flash_block_writes),
            ("flash_frames_taken", self.flash_frames_taken),
            ("flash_blocks_emptied", self.flash_blocks_emptied),
            ("hdd_page_reads", self.hdd_page_reads),
            ("hdd_block_reads", self.hdd_block_reads),
            ("hdd_page_writes", self.hdd_page_writes),
            ("hdd_block_writes", self.hdd_block_writes),
            ("hdd_block_pages_written", self.hdd_block_pages_written),
            ("ram_back_invalidations", self.ram_back_invalidations),
        ]
    }
}

/// A flash of blocks, in the result of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BlockResult {
    /// RAM pages in a block.
    pub block_pages: u32,
    /// Blocks that flash holds.
    pub flash_blocks: u32,
    /// `overwriting` or `invalidating`.
    pub technique: &'static str,
    /// What was counted.
    #[serde(flatten)]
    pub counters: BlockCounters,
}

/// Counts the lookup of the entry of the block that is accessed.
fn find(counters: &mut SchemeCounters, below: &mut impl Below, block: u32) {
    counters.directory_lookups += 1;
    below.find(block);
}

/// Counts a lookup of the entry of another block.
fn look_up(counters: &mut SchemeCounters, below: &mut impl Below, block: u32) {
    counters.directory_lookups += 1;
    below.look_up(block);
}

/// Counts an update of the entry of a block.
fn update(counters: &mut SchemeCounters, below: &mut impl Below, block: u32) {
    counters.directory_updates += 1;
    below.update(block);
}

/// How flash is divided.
#[derive(Debug, Clone, Copy)]
struct Division {
    block_pages: u32,
    flash_blocks: u32,
    invalidating: bool,
}

/// Whether the options ask for blocks.
///
/// # Errors
/// [`Error::BadParameter`] for a technique without blocks.
pub(crate) fn are_wanted(policies: &Policies) -> Result<bool> {
    let wanted = policies.own().whole(BLOCK_PAGES.name) > 1;
    let technique = policies.own().name(BLOCK_TECHNIQUE.name);
    if wanted || technique.is_empty() || technique == BLOCK_TECHNIQUE.default {
        return Ok(wanted);
    }
    Err(Error::BadParameter {
        name: "option",
        value: format!("{}={technique}", BLOCK_TECHNIQUE.name),
        message: "has no effect where a flash page is one RAM page".to_owned(),
        hint: format!("also give {} from 2 to {MOST_PAGES}", BLOCK_PAGES.name),
    })
}

/// Replays through a scheme over blocks, without simulated time or with it.
///
/// # Errors
/// [`Error::BadParameter`] for what goes not together, and what [`two_tier::simulate`] reports.
pub(crate) fn simulate(
    about: &'static About,
    policies: &Policies,
    run: Run<'_, '_>,
    clocking: Option<Clocking>,
) -> Result<(SchemeResult, Option<Took>)> {
    let ram_pages = page_count("ram-pages", run.ram_pages, 1)?;
    let flash_pages = page_count("flash-pages", run.flash_pages, 0)?;
    let block_pages = policies.own().whole(BLOCK_PAGES.name);
    let technique = policies.own().name(BLOCK_TECHNIQUE.name);
    let division = Division {
        block_pages,
        flash_blocks: flash_pages / block_pages,
        invalidating: technique == "invalidating",
    };
    check(policies, division, flash_pages)?;
    let is_inclusive = about.name == "inclusive";
    let (mut warnings, unusable) = if is_inclusive {
        let held = division.flash_blocks * block_pages;
        inclusion(about, policies, ram_pages, held)
    } else {
        (Vec::new(), false)
    };
    let (ram, flash) = policies.tiers();
    let without_flash = unusable || flash_pages == 0;
    let (found, took) = if without_flash {
        two_tier::count_without_flash(about, policies, run, clocking)?
    } else {
        let work = Work {
            cold: Cold {
                exclusive: about.name == "exclusive",
                ram: (ram_pages, ram),
                flash: (flash_pages, flash),
                division,
            },
            replay: Replay {
                about,
                policies,
                flash_pages,
                frames: division.flash_blocks,
                frame_pages: block_pages,
                needs_future: ram.needs_future() || flash.needs_future(),
            },
            has_below: policies.ask_below()?,
            clocking,
            run,
        };
        if is_inclusive {
            match (policies.admission() == ADMISSION.default, flash.policy) {
                (true, "lru") => work.count_inclusive::<ProtectedRecency, All>()?,
                (true, _) => work.count_inclusive::<order::AnyOrder, All>()?,
                (false, "lru") => work.count_inclusive::<ProtectedRecency, ByCategory>()?,
                (false, _) => work.count_inclusive::<order::AnyOrder, ByCategory>()?,
            }
        } else {
            admission::with(policies.admission(), work)?
        }
    };
    let Counted { totals, blocks, .. } = found;
    warnings.extend(found.notes);
    warnings.extend(without_writes(policies.admission(), totals));
    if blocks.ram_back_invalidations > 0 {
        warnings.push(Warning {
            name: "blocks_leave_ram",
            message: format!(
                "{} RAM because every block on flash had pages in RAM and one had to be evicted",
                counted(blocks.ram_back_invalidations, "page left", "pages left")
            ),
            hint: "give flash more pages, or use smaller blocks".to_owned(),
        });
    }
    let blocks = (!without_flash).then_some(BlockResult {
        block_pages,
        flash_blocks: division.flash_blocks,
        technique,
        counters: blocks,
    });
    let replay = SchemeResult {
        scheme: about.name,
        ram_pages,
        flash_pages,
        ram_policy: ram.policy,
        flash_policy: flash.policy,
        admission: policies.admission(),
        accesses: totals.counted_accesses(),
        write_accesses: totals.counted_writes(),
        warm_up: totals.warm_up,
        distinct_pages: totals.distinct_pages as u64,
        counters: found.counters,
        blocks: blocks.map(Box::new),
        ftl: found.ftl.map(Box::new),
        directory: found.directory.map(Box::new),
        warnings,
    };
    Ok((replay, took))
}

fn check(policies: &Policies, division: Division, flash_pages: u32) -> Result<()> {
    let Division {
        block_pages,
        flash_blocks,
        invalidating,
    } = division;
    let refused = |option: &str, value: &str, message: String, hint: &str| {
        Err(Error::BadParameter {
            name: "option",
            value: format!("{option}={value}"),
            message,
            hint: hint.to_owned(),
        })
    };
    let rule = policies.admission();
    if rule != ADMISSION.default && rule != admission::BY_CATEGORY && !invalidating {
        return refused(
            ADMISSION.name,
            rule,
            "a block that is overwritten as a whole cannot drop a page that is not admitted"
                .to_owned(),
            "use block_technique=invalidating",
        );
    }
    policies.gate(flash_pages)?;
    if flash_pages > 0 && flash_blocks == 0 {
        return Err(Error::BadParameter {
            name: "flash-pages",
            value: flash_pages.to_string(),
            message: format!(
                "less than one block of {}",
                counted(block_pages, "page", "pages")
            ),
            hint: "give more flash, or use smaller blocks".to_owned(),
        });
    }
    Ok(())
}

/// Empty caches to be made.
#[derive(Debug, Clone, Copy)]
struct Cold<'run> {
    exclusive: bool,
    ram: (u32, &'run Settings),
    flash: (u32, &'run Settings),
    division: Division,
}

impl Cold<'_> {
    fn staged<A: Admission, D: Below>(self) -> staged::StagedBlocks<A, D> {
        staged::StagedBlocks::new(self.exclusive, self.ram, self.flash, self.division)
    }

    fn inclusive<F: order::BlockOrder, A: Admission, D: Below>(
        self,
    ) -> inclusive::InclusiveBlocks<F, A, D> {
        inclusive::InclusiveBlocks::new(self.ram, self.flash, self.division)
    }
}

/// A replay about to run, compiled for each admission rule, and once more for what goes by simulated time or has
/// anything below its flash.
struct Work<'run, 'source, 'progress> {
    cold: Cold<'run>,
    replay: Replay<'run>,
    has_below: bool,
    clocking: Option<Clocking>,
    run: Run<'source, 'progress>,
}

impl ForAdmission for Work<'_, '_, '_> {
    type Output = (Counted, Option<Took>);

    fn run<A: Admission>(self) -> Result<Self::Output> {
        self.count(Cold::staged::<A, ()>, Cold::staged::<A, PerhapsPlaced>)
    }
}

impl<'run> Work<'run, '_, '_> {
    fn count_inclusive<F: order::BlockOrder, A: Admission>(
        self,
    ) -> Result<(Counted, Option<Took>)> {
        self.count(
            Cold::inclusive::<F, A, ()>,
            Cold::inclusive::<F, A, PerhapsPlaced>,
        )
    }

    fn count<B: Flow, F: Flow>(
        self,
        bare: impl Fn(Cold<'run>) -> B,
        full: impl Fn(Cold<'run>) -> F,
    ) -> Result<(Counted, Option<Took>)> {
        let cold = self.cold;
        if self.has_below || self.clocking.is_some() {
            two_tier::count_either(&self.replay, &|| full(cold), self.run, self.clocking)
        } else {
            Ok((
                two_tier::count(&self.replay, &|| bare(cold), self.run)?,
                None,
            ))
        }
    }
}

/// What must hold of the counters of every flash of blocks.
fn add_up(
    counters: &SchemeCounters,
    blocks: &BlockCounters,
    totals: Totals,
) -> std::result::Result<(), String> {
    let sums = [
        (
            "hits and misses, accesses",
            counters.ram_hits + counters.flash_hits + counters.flash_misses,
            totals.accesses,
        ),
        (
            "flash writes by page and by block, all",
            blocks.flash_page_writes + blocks.flash_block_writes,
            counters.flash_writes(),
        ),
        (
            "disk reads by page and by block, all",
            blocks.hdd_page_reads + blocks.hdd_block_reads,
            counters.hdd_reads(),
        ),
        (
            "disk writes by page and by block, all",
            blocks.hdd_page_writes + blocks.hdd_block_writes,
            counters.hdd_writes,
        ),
        (
            "flash page reads, flash hits",
            blocks.flash_page_reads,
            counters.flash_hits,
        ),
        (
            "disk page writes, dirty victims refused",
            blocks.hdd_page_writes,
            counters.dirty_rejections,
        ),
    ];
    for (what, left, right) in sums {
        if left != right {
            return Err(format!("{what} do not add up: {left} and {right}"));
        }
    }
    let limits = [
        (
            "overwritten pages",
            blocks.flash_page_overwrites,
            blocks.flash_page_writes,
        ),
        (
            "blocks written to disk",
            blocks.hdd_block_writes,
            blocks.hdd_block_pages_written,
        ),
        (
            "dirty RAM victims",
            counters.ram_dirty_evictions,
            counters.ram_evictions,
        ),
    ];
    for (what, count, limit) in limits {
        if count > limit {
            return Err(format!("{count} {what}, at most {limit} are possible"));
        }
    }
    Ok(())
}
