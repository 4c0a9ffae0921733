//! DRAM as a filter in front of a log on flash, as S3-FIFO has it.

use super::chains::{Ends, Links, NONE};
use super::options::Options;
use super::{
    Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host, OptionAbout,
    RAM_POLICY, Sampled, Unsampled, recount_copies,
};
use crate::error::Result;
use crate::random::Random;
use crate::replay::bits::BitSet;
use crate::replay::fetch::fetch;
use crate::replay::settings::share_of;

/// Which pages that leave DRAM flash takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filter {
    /// Referenced so often while in DRAM, or known from before.
    References(u8),
    /// With a chance of so many in [`CHANCES`].
    Chance(u32),
}

const CHANCES: u32 = 1_000_000;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) write_back: bool,
    pub(crate) filter: Filter,
    /// Pages of the ghost list, and their share of those of flash.
    pub(crate) ghosts: u32,
    pub(crate) ghost_share: f64,
    /// Whether pages read since they were written are written again.
    pub(crate) clock: bool,
    pub(crate) seed: u64,
}

/// The DRAM filter of S3-FIFO, and the admission by chance that it is compared with.
///
/// ```text
/// DRAM misses p:        on flash: read it; it is marked; references of p = 0
/// DRAM hits p:          references of p + 1
/// evict p from DRAM:    (write_through: write it to disk if it is changed)
///   on flash:           changed: its copy becomes an old version; append p. Unchanged: nothing
///   else s3_fifo:       referenced at least `references` times, or in the ghost list: it leaves the list; append p
///        probability:   by chance: append p
///   not appended:       (write_back: write it to disk if it is changed)
///                       s3_fifo: newest of the ghost list, which loses its oldest beyond its length
/// append p:             the log goes round: while the oldest slot holds a page
///                         clock, and it is marked: it is unmarked, read and appended again
///                         else it leaves, a dirty one by way of the disk
///                       write p behind the last one
/// ```
///
/// Choices where the sources are silent:
/// * They know no writes. A changed page that flash has is appended as a newer version, whatever the filter says,
///   and keeps its mark.
/// * What S3-FIFO does as a page of its ghost list is missed happens here as the page leaves DRAM again: flash
///   takes pages from DRAM only.
/// * Nothing on flash says what lies there, so a crash loses the cache.
#[derive(Debug)]
pub(crate) struct RamFilter {
    settings: Settings,
    capacity: u32,
    slot_of: Vec<u32>,
    /// The page in each slot that was ever written, [`NONE`] where it is an old version.
    page_of: Vec<u32>,
    /// Where the next page is written.
    hand: u32,
    dirty: BitSet,
    marked: BitSet,
    /// References of pages in DRAM.
    references: Vec<u8>,
    links: Links,
    ghost: Ends,
    in_ghost: BitSet,
    remembered: u32,
    random: Random,
    held: u32,
    dirty_held: u32,
}

impl RamFilter {
    fn forget_oldest(&mut self) {
        if let Some(oldest) = self.links.pop(&mut self.ghost) {
            self.in_ghost.take(oldest);
            self.remembered -= 1;
        }
    }

    fn admits(&mut self, page: u32) -> bool {
        match self.settings.filter {
            Filter::Chance(chance) => self.random.below(u64::from(CHANCES)) < u64::from(chance),
            Filter::References(least) => {
                let known = self.in_ghost.take(page);
                if known {
                    self.links.remove(&mut self.ghost, page);
                    self.remembered -= 1;
                }
                known || self.references[page as usize] >= least
            }
        }
    }

    fn remember(&mut self, page: u32) {
        if matches!(self.settings.filter, Filter::References(_)) && self.settings.ghosts > 0 {
            if self.remembered == self.settings.ghosts {
                self.forget_oldest();
            }
            self.links.push(&mut self.ghost, page);
            self.in_ghost.insert(page);
            self.remembered += 1;
        }
    }

    fn set_dirty(&mut self, page: u32, dirty: bool) -> bool {
        let before = self.dirty.take(page);
        self.dirty.insert_if(page, dirty);
        self.dirty_held = self.dirty_held + u32::from(dirty) - u32::from(before);
        before
    }

    fn step(&mut self) {
        self.hand = if self.hand + 1 == self.capacity {
            0
        } else {
            self.hand + 1
        };
    }

    /// Frees the slot at the hand, in a log that has gone round.
    fn make_room(&mut self, host: &mut impl Host) {
        loop {
            let page = self.page_of[self.hand as usize];
            if page == NONE {
                return;
            }
            let marked = self.marked.take(page);
            if self.settings.clock && marked {
                // The log is full: it ends where it begins.
                let counters = host.counters();
                counters.flash_stage_out_reads += 1;
                counters.requeued += 1;
                host.flash_write(self.hand, 1);
                self.step();
                continue;
            }
            let dirty = u64::from(self.set_dirty(page, false));
            let counters = host.counters();
            counters.flash_evictions += 1;
            counters.flash_stage_out_reads += dirty;
            counters.disk_writes_on_stage_out += dirty;
            self.slot_of[page as usize] = NONE;
            self.held -= 1;
            return;
        }
    }

    fn append(&mut self, page: u32, dirty: bool, host: &mut impl Host) {
        if self.hand as usize == self.page_of.len() {
            self.page_of.push(page);
        } else {
            self.make_room(host);
            self.page_of[self.hand as usize] = page;
        }
        self.slot_of[page as usize] = self.hand;
        self.set_dirty(page, dirty);
        self.held += 1;
        host.flash_write(self.hand, 1);
        self.step();
    }

    fn invalidate(&mut self, page: u32, host: &mut impl Host) {
        let slot = std::mem::replace(&mut self.slot_of[page as usize], NONE);
        self.page_of[slot as usize] = NONE;
        self.held -= 1;
        host.counters().flash_invalidations += 1;
        host.flash_trim(slot, 1);
    }
}

impl FlashCache for RamFilter {
    type Settings = Settings;
    type Image = ();
    type Device = Frames;

    const COUNTS_UNIQUE: bool = true;
    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "mode",
            values: "write_through, write_back",
            default: "write_through",
            description: "When a changed DRAM victim reaches the disk: at once, or, if flash takes it, when it leaves flash.",
            is_place: false,
        },
        OptionAbout {
            name: "admission",
            values: "s3_fifo, probability, cachesack",
            default: "s3_fifo",
            description: "Which pages that leave DRAM flash takes: referenced there or left out not long ago, or by chance.",
            is_place: false,
        },
        OptionAbout {
            name: "references",
            values: "1 to 255",
            default: "2",
            description: "With admission=s3_fifo: accesses in DRAM, after the one that brought it there, that admit a page.",
            is_place: false,
        },
        OptionAbout {
            name: "ghost_share",
            values: "0 to 1",
            default: "1",
            description: "With admission=s3_fifo: pages left out that are remembered, as a share of the flash pages.",
            is_place: false,
        },
        OptionAbout {
            name: "probability",
            values: "0 to 1",
            default: "0.2",
            description: "With admission=probability: the chance of each page, in steps of a millionth.",
            is_place: false,
        },
        OptionAbout {
            name: "seed",
            values: "0 to 18446744073709551615",
            default: "0",
            description: "With admission=probability: seed of the random numbers.",
            is_place: false,
        },
        OptionAbout {
            name: "replacement",
            values: "fifo, clock",
            default: "fifo",
            description: "What becomes of the oldest page of the log: it leaves, or, if it was read since it was written, it is written again.",
            is_place: false,
        },
        OptionAbout {
            name: RAM_POLICY,
            values: "a replacement policy",
            default: "fifo",
            description: "Replacement policy of DRAM, a FIFO in the system; its options are given as `ram_` and their name. opt first reads the trace to its end.",
            is_place: false,
        },
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        if run.warm_restart {
            return Err(options.impossible(
                "restart",
                "the places of pages are kept in memory only, so there is no warm restart: use restart=cold",
            ));
        }
        let write_back =
            options.choice("mode", &[("write_through", false), ("write_back", true)])?;
        let by_chance =
            options.choice("admission", &[("s3_fifo", false), ("probability", true)])?;
        let without_effect: &[&'static str] = if by_chance {
            &["references", "ghost_share"]
        } else {
            &["probability", "seed"]
        };
        if let Some(name) = without_effect.iter().find(|name| options.is_given(name)) {
            let admission = if by_chance { "probability" } else { "s3_fifo" };
            let why = format!("has no effect with admission={admission}");
            return Err(options.impossible(name, &why));
        }
        let (filter, ghost_share, seed) = if by_chance {
            let chance = share_of(options.share("probability")?, CHANCES);
            let seed = options.number("seed", 0..=u64::MAX)?;
            (Filter::Chance(chance), 0.0, seed)
        } else {
            let least = options.number("references", 1..=255)?;
            let ghost_share = options.share("ghost_share")?;
            let least = u8::try_from(least).unwrap_or(u8::MAX);
            (Filter::References(least), ghost_share, 0)
        };
        Ok(Settings {
            write_back,
            filter,
            ghosts: share_of(ghost_share, run.flash_pages),
            ghost_share,
            clock: options.choice("replacement", &[("fifo", false), ("clock", true)])?,
            seed,
        })
    }

    fn sampled(settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        match settings.filter {
            Filter::References(_) if settings.ghost_share > 0.0 => {
                Ok(Sampled::appended(settings.ghost_share))
            }
            Filter::References(_) => Ok(Sampled::appended(1.0)),
            Filter::Chance(_) => Err(Unsampled::unless(
                "admission=s3_fifo",
                "it admits by chance, which every miniature would draw alike",
            )),
        }
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            capacity: flash_pages,
            slot_of: Vec::new(),
            page_of: Vec::new(),
            hand: 0,
            dirty: BitSet::default(),
            marked: BitSet::default(),
            references: Vec::new(),
            links: Links::default(),
            ghost: Ends::EMPTY,
            in_ghost: BitSet::default(),
            remembered: 0,
            random: Random(settings.seed),
            held: 0,
            dirty_held: 0,
        }
    }

    fn grow(&mut self, pages: usize) {
        if pages > self.slot_of.len() {
            self.slot_of.resize(pages, NONE);
            self.references.resize(pages, 0);
        }
        self.dirty.grow(pages);
        self.marked.grow(pages);
        self.links.grow(pages);
        self.in_ghost.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        fetch(&self.slot_of, pages);
    }

    #[inline]
    fn on_dram_hit(&mut self, page: u32, _host: &mut impl Host) {
        let references = &mut self.references[page as usize];
        *references = references.saturating_add(1);
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        self.references[page as usize] = 0;
        let on_flash = self.holds(page);
        self.marked.insert_if(page, on_flash);
        on_flash
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.slot_of[page as usize] != NONE
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let on_flash = self.holds(page);
        let back = self.settings.write_back;
        let counters = host.counters();
        counters.victims_found_on_flash += u64::from(on_flash);
        counters.disk_writes_on_exit += u64::from(changed && !back);
        if on_flash {
            if changed {
                self.invalidate(page, host);
                host.counters().flash_write_backs += 1;
                self.append(page, back, host);
            }
        } else if self.admits(page) {
            host.counters().flash_fills += 1;
            self.append(page, changed && back, host);
        } else {
            let counters = host.counters();
            counters.bypassed += 1;
            counters.disk_writes_on_exit += u64::from(changed && back);
            self.remember(page);
        }
    }

    fn image(self) {}

    fn load(&mut self, _image: (), _counters: &mut FlashCacheCounters) {}

    fn valid_copies(&self) -> u64 {
        u64::from(self.held)
    }

    fn holds_newer(&self, page: u32) -> bool {
        self.dirty.contains(page)
    }

    fn dirty_copies(&self) -> u64 {
        u64::from(self.dirty_held)
    }

    fn slots_used(&self) -> u64 {
        self.page_of.len() as u64
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let mapped = self.slot_of.iter().filter(|&&slot| slot != NONE).count();
        let pages = (0_u32..).zip(&self.page_of);
        let held = pages
            .filter(|&(slot, &page)| page != NONE && self.slot_of[page as usize] == slot)
            .count();
        recount_copies(mapped, held, counters.flash_write_backs, counters, crash)?;
        let dirty = self.dirty.iter().filter(|&page| self.holds(page)).count();
        let ghosts = self.links.iter(self.ghost);
        let ghosts = ghosts.filter(|&page| self.in_ghost.contains(page)).count();
        if held != self.held as usize
            || dirty != self.dirty_held as usize
            || ghosts != self.remembered as usize
            || self.remembered > self.settings.ghosts
        {
            return Err(format!(
                "{held} pages held, counted as {}; {dirty} dirty, counted as {}; {ghosts} remembered, counted as {} of {}",
                self.held, self.dirty_held, self.remembered, self.settings.ghosts
            ));
        }
        Ok(())
    }
}
