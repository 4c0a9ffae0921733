//! An assignment of categories to admissions before any flash cache: what it does not admit, the cache never hears of.

use super::assignments::{ASSIGNMENT, Assignment, CATEGORIES, Rule, parse};
use super::categories::{Categories, MOST};
use super::checkpoints::Target;
use super::options::Options;
use super::rate::ByTime;
use super::sampled::check_categories;
use super::settled::ByClock;
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Host, OptionAbout,
    Sampled, Unsampled, Warning, as_of_host,
};
use crate::access::Chunk;
use crate::error::{Error, Result};
use crate::replay::Totals;
use crate::replay::bits::BitSet;
use crate::replay::metadata::MetadataLayout;
use crate::replay::settings::spelled;

/// The option, and its value, by which a flash cache is put behind an assignment.
pub(super) const ADMISSION: OptionAbout = OptionAbout {
    name: "admission",
    values: "all, cachesack",
    default: "all",
    description: "Whether an assignment of categories decides what the cache hears of.",
    is_place: false,
};
pub(super) const BY_CATEGORY: &str = "cachesack";

/// See [`ASSIGNMENT`].
const RULES: OptionAbout = OptionAbout {
    description: "What the cache hears of, which then decides as ever: the rules of all categories, then those of single ones by their number; miss*0.3*never takes 30 % of the pages at a miss and the others never; miss and write mean the same. Stating it is admission=cachesack.",
    ..ASSIGNMENT
};

/// How long ago a miss may be for the next one to be the second.
const LIFETIME: OptionAbout = OptionAbout {
    name: "lifetime_requests",
    values: "1 to 18446744073709551614",
    default: "the flash pages",
    description: "Under second_miss: the requests below DRAM since the last one of a page within which its next miss is admitted.",
    is_place: false,
};

/// Options of every flash cache that has none of these itself.
pub(super) const OPTIONS: [OptionAbout; 4] = [ADMISSION, RULES, CATEGORIES, LIFETIME];

/// Whether the options put an assignment before the cache.
///
/// # Errors
/// [`crate::error::Error::BadParameter`] for those that have no effect without one.
pub(super) fn is_wanted(options: &Options<'_>, by_category: bool) -> Result<bool> {
    if by_category || options.is_given(ASSIGNMENT.name) {
        return Ok(true);
    }
    let unused = [CATEGORIES.name, LIFETIME.name];
    let unused = unused.into_iter().find(|name| options.is_given(name));
    unused.map_or(Ok(false), |name| {
        Err(options.impossible(name, "has no effect without assignment"))
    })
}

#[derive(Debug, Clone)]
pub(crate) struct Settings<S> {
    cache: S,
    categories: Categories,
    assignment: Assignment,
    /// Of a page behind a request. [requests]
    lifetime: u64,
    /// Whether it was given, and is no number of flash pages.
    counts_requests: bool,
}

/// Which stays in DRAM the cache hears of.
///
/// ```text
/// request:         a miss of DRAM, or a changed page that leaves it; they are numbered
/// DRAM misses p:   the rule of its category: never: no; miss, write: yes
///                  second_miss: if it was requested at most `lifetime_requests` ago
///                  the cache holds p, or the rule admits it: the cache hears of this stay of p in DRAM, all of it
///                  else it hears nothing: p comes from disk, and goes there if it leaves changed
/// ```
///
/// A copy that the cache has of a page is never left behind: where it came to hold a page by itself, with others of
/// its unit, it hears of that page from then on. A cache that takes victims of DRAM early gets none as soon as the
/// next one is not admitted, which leaves all the same. A checkpoint writes what the cache does not hear of to disk;
/// it is no request.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    categories: Categories,
    assignment: Assignment,
    lifetime: u64,
    /// Of the accesses of a chunk, and which comes next.
    coming: Vec<u16>,
    next: usize,
    /// Of the categories so far.
    highest: Option<u16>,
    /// Pages in DRAM of which the cache hears.
    heard: BitSet,
    requests: u64,
    /// Number of the last request of each page; 0: none yet. Empty where no rule asks for it.
    last: Vec<u64>,
    remembers: bool,
}

impl Gate {
    fn new(categories: Categories, assignment: Assignment, lifetime: u64) -> Self {
        let remembers = assignment.uses(Rule::SecondMiss);
        Self {
            categories,
            assignment,
            lifetime,
            coming: Vec::new(),
            next: 0,
            highest: None,
            heard: BitSet::default(),
            requests: 0,
            last: Vec::new(),
            remembers,
        }
    }

    /// The assignment that the options of a page-flow scheme state; `refused` makes an error of a value and why.
    ///
    /// # Errors
    /// Those of `refused`.
    pub(crate) fn of_scheme(
        assignment: &str,
        categories: &str,
        lifetime: Option<u64>,
        flash_pages: u32,
        refused: impl Fn(&'static str, &str, String) -> Error,
    ) -> Result<Self> {
        let parsed = parse(assignment).map_err(|why| refused(ASSIGNMENT.name, assignment, why))?;
        let wanted = spelled(categories);
        let categories = Categories::named(&wanted).ok_or_else(|| {
            let why = "is not one of its values".to_owned();
            refused(CATEGORIES.name, categories, why)
        })?;
        let lifetime = lifetime.unwrap_or(u64::from(flash_pages.max(1)));
        Ok(Self::new(categories, parsed, lifetime))
    }

    pub(crate) fn grow(&mut self, pages: usize) {
        self.heard.grow(pages);
        if self.remembers && pages > self.last.len() {
            self.last.resize(pages, 0);
        }
    }

    pub(crate) fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.next = 0;
        self.categories.of(chunk, spaces, &mut self.coming)?;
        self.highest = self.highest.max(self.coming.iter().copied().max());
        Ok(())
    }

    /// After a crash: the categories of the accesses to come are those that the `crashed` one was told.
    pub(crate) fn keep_places(&mut self, crashed: &mut Self) {
        self.coming = std::mem::take(&mut crashed.coming);
        self.next = crashed.next;
        self.highest = crashed.highest;
    }

    /// What to say of the assignment, once the trace was seen.
    pub(crate) fn notes(&self) -> Vec<Warning> {
        self.assignment.notes(self.highest)
    }

    /// The access that comes next finds its page in DRAM.
    #[inline]
    pub(crate) fn pass(&mut self) {
        self.next += 1;
    }

    #[inline]
    pub(crate) fn hears(&self, page: u32) -> bool {
        self.heard.contains(page)
    }

    /// Numbers a request; the answer is the number of the last one of its page.
    #[inline]
    pub(crate) fn request(&mut self, page: u32) -> u64 {
        self.requests += 1;
        self.last
            .get_mut(page as usize)
            .map_or(0, |last| std::mem::replace(last, self.requests))
    }

    /// Whether the rule of the access that comes next admits its page, which DRAM lacks.
    #[inline]
    pub(crate) fn admits(&mut self, page: u32) -> bool {
        let category = self.coming.get(self.next).copied().unwrap_or(MOST);
        self.next += 1;
        let last = self.request(page);
        match self.assignment.of(category, page) {
            Rule::Never => false,
            Rule::SecondMiss => last > 0 && self.requests - last <= self.lifetime,
            Rule::Miss | Rule::Write => true,
        }
    }

    #[inline]
    pub(crate) fn hear(&mut self, page: u32, heard: bool) {
        self.heard.take(page);
        self.heard.insert_if(page, heard);
    }
}

/// What the cache reaches: victims that it takes early pass the gate.
struct Gated<'a, H> {
    gate: &'a mut Gate,
    host: &'a mut H,
}

impl<H: Host> Host for Gated<'_, H> {
    as_of_host!();

    #[inline]
    fn pull(&mut self) -> Option<Exit> {
        let exit = self.host.pull()?;
        if exit.changed {
            self.gate.request(exit.page);
        }
        if self.gate.hears(exit.page) {
            return Some(exit);
        }
        self.host.counters().disk_writes_on_exit += u64::from(exit.changed);
        None
    }

    fn take_changed(&mut self, mut from: u32) -> Option<u32> {
        loop {
            let page = self.host.take_changed(from)?;
            if self.gate.hears(page) {
                return Some(page);
            }
            self.host.counters().disk_writes_by_checkpoint += 1;
            from = page + 1;
        }
    }

    #[inline]
    fn flash_write(&mut self, frame: u32, pages: u32) {
        self.host.flash_write(frame, pages);
    }

    #[inline]
    fn flash_write_apart(&mut self, frame: u32, pages: u32) {
        self.host.flash_write_apart(frame, pages);
    }

    fn flash_write_counted(&mut self, frame: u32, pages: u32) {
        self.host.flash_write_counted(frame, pages);
    }

    #[inline]
    fn flash_trim(&mut self, frame: u32, pages: u32) {
        self.host.flash_trim(frame, pages);
    }
}

/// The flash cache `C` behind an assignment.
#[derive(Debug)]
pub(crate) struct Admitted<C> {
    gate: Gate,
    cache: C,
}

impl<C: FlashCache> Admitted<C> {
    /// Whether the cache hears of a page in DRAM.
    #[inline]
    fn hears(&self, page: u32) -> bool {
        self.gate.hears(page) || self.cache.holds(page)
    }
}

impl<C: FlashCache> FlashCache for Admitted<C> {
    type Settings = Settings<C::Settings>;
    type Image = C::Image;
    type Device = C::Device;

    const NEEDS_ADDRESSES: bool = true;
    const COUNTS_UNIQUE: bool = C::COUNTS_UNIQUE;
    const HAS_STREAMS: bool = C::HAS_STREAMS;
    const OPTIONS: &'static [OptionAbout] = C::OPTIONS;

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Self::Settings> {
        Ok(Settings {
            cache: C::settings(options, run)?,
            categories: options.choice(CATEGORIES.name, &Categories::choices())?,
            assignment: options.parsed(ASSIGNMENT.name, parse)?,
            lifetime: options.number_or(
                LIFETIME.name,
                1..=u64::MAX - 1,
                u64::from(run.flash_pages.max(1)),
            )?,
            counts_requests: options.is_given(LIFETIME.name),
        })
    }

    fn sampled(settings: &Self::Settings) -> std::result::Result<Sampled, Unsampled> {
        check_categories(settings.categories)?;
        if settings.counts_requests {
            return Err(Unsampled::unless(
                "lifetime_requests as it is by default",
                "its lifetime counts requests, of which a miniature sees only some",
            ));
        }
        C::sampled(&settings.cache)
    }

    fn warnings(settings: &Self::Settings, totals: Totals) -> Vec<Warning> {
        C::warnings(&settings.cache, totals)
    }

    fn unit_pages(settings: &Self::Settings) -> u32 {
        C::unit_pages(&settings.cache)
    }

    fn metadata(settings: &Self::Settings, run: Conditions) -> Option<MetadataLayout> {
        C::metadata(&settings.cache, run)
    }

    fn segment_bytes(settings: &Self::Settings) -> u64 {
        C::segment_bytes(&settings.cache)
    }

    fn fills_at_once(settings: &Self::Settings) -> u64 {
        C::fills_at_once(&settings.cache)
    }

    fn by_time(settings: &Self::Settings) -> Option<ByTime> {
        C::by_time(&settings.cache)
    }

    fn check_clock(settings: &Self::Settings, unit: ClockUnit) -> Result<()> {
        C::check_clock(&settings.cache, unit)
    }

    fn new(flash_pages: u32, settings: &Self::Settings) -> Self {
        let Settings {
            categories,
            ref assignment,
            lifetime,
            ..
        } = *settings;
        Self {
            gate: Gate::new(categories, assignment.clone(), lifetime),
            cache: C::new(flash_pages, &settings.cache),
        }
    }

    fn check_distinct_pages(pages: usize) -> Result<()> {
        C::check_distinct_pages(pages)
    }

    fn grow(&mut self, pages: usize) {
        self.cache.grow(pages);
        self.gate.grow(pages);
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        self.cache.locate(pages, spaces, addresses);
    }

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.gate.classify(chunk, spaces)?;
        self.cache.classify(chunk, spaces)
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        self.gate.keep_places(&mut crashed.gate);
        self.cache.keep_places(&mut crashed.cache);
    }

    fn fetch(&self, pages: &[u32]) {
        self.cache.fetch(pages);
    }

    fn fetch_leaving(&self, pages: &[u32]) {
        self.cache.fetch_leaving(pages);
    }

    fn start_clock(&mut self, unit: ClockUnit, now: u64) -> u64 {
        self.cache.start_clock(unit, now)
    }

    fn background(&mut self, now: u64, host: &mut impl Host) -> u64 {
        let Self { gate, cache } = self;
        cache.background(now, &mut Gated { gate, host })
    }

    fn next_work(&self) -> u64 {
        self.cache.next_work()
    }

    fn pace_copies(&mut self) {
        self.cache.pace_copies();
    }

    fn begin_copy(&mut self, now: u64, under_way: u32, host: &mut impl Host) -> bool {
        let Self { gate, cache } = self;
        cache.begin_copy(now, under_way, &mut Gated { gate, host })
    }

    fn checkpoint(&mut self, target: Target, host: &mut impl Host) {
        let Self { gate, cache } = self;
        cache.checkpoint(target, &mut Gated { gate, host });
    }

    #[inline]
    fn on_dram_hit(&mut self, page: u32, host: &mut impl Host) {
        self.gate.pass();
        if self.hears(page) {
            let Self { gate, cache } = self;
            cache.on_dram_hit(page, &mut Gated { gate, host });
        }
    }

    #[inline]
    fn lookup(&mut self, page: u32, host: &mut impl Host) -> bool {
        let heard = self.gate.admits(page) || self.cache.holds(page);
        self.gate.hear(page, heard);
        if !heard {
            host.counters().bypassed += 1;
            return false;
        }
        let Self { gate, cache } = self;
        cache.lookup(page, &mut Gated { gate, host })
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.cache.holds(page)
    }

    #[inline]
    fn on_entry(&mut self, page: u32, host: &mut impl Host) {
        let Self { gate, cache } = self;
        if gate.hears(page) {
            cache.on_entry(page, &mut Gated { gate, host });
        }
    }

    #[inline]
    fn on_update(&mut self, page: u32, host: &mut impl Host) {
        if self.hears(page) {
            let Self { gate, cache } = self;
            cache.on_update(page, &mut Gated { gate, host });
        }
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        if exit.changed {
            self.gate.request(exit.page);
        }
        if self.hears(exit.page) {
            let Self { gate, cache } = self;
            cache.on_exit(exit, &mut Gated { gate, host });
        } else {
            host.counters().disk_writes_on_exit += u64::from(exit.changed);
        }
    }

    fn dirty_lost(&self) -> Option<u64> {
        self.cache.dirty_lost()
    }

    fn image(self) -> C::Image {
        self.cache.image()
    }

    fn load(&mut self, image: C::Image, counters: &mut FlashCacheCounters) {
        self.cache.load(image, counters);
    }

    fn valid_copies(&self) -> u64 {
        self.cache.valid_copies()
    }

    fn holds_newer(&self, page: u32) -> bool {
        self.cache.holds_newer(page)
    }

    fn dirty_copies(&self) -> u64 {
        self.cache.dirty_copies()
    }

    fn slots_used(&self) -> u64 {
        self.cache.slots_used()
    }

    fn old_versions(&self) -> u64 {
        self.cache.old_versions()
    }

    const FULL_WHEN: Option<&'static str> = C::FULL_WHEN;

    fn filled(&self, usable_pages: u32) -> bool {
        self.cache.filled(usable_pages)
    }

    fn notes(&self) -> Vec<Warning> {
        let mut notes = self.cache.notes();
        notes.extend(self.gate.notes());
        notes
    }

    fn by_clock(&self) -> Option<ByClock> {
        self.cache.by_clock()
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        self.cache.recount(counters, crash)
    }
}
