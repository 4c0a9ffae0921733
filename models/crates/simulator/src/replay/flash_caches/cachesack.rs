//! An LRU flash cache that asks an assignment of categories to admissions what enters.

use super::categories::{Categories, MOST, NAMES};
use super::chains::{Ends, Links};
use super::frames::{Copies, DIRECTORY, FrameTable, persistent};
use super::options::Options;
use super::{
    Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host, OptionAbout,
};
use crate::access::Chunk;
use crate::error::Result;

/// When a page of a category enters flash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    Never,
    SecondMiss,
    Miss,
    Write,
}

/// Names of the rules, from the one that admits least.
pub(crate) const RULES: [(&str, Rule); 4] = [
    ("never", Rule::Never),
    ("second_miss", Rule::SecondMiss),
    ("miss", Rule::Miss),
    ("write", Rule::Write),
];

/// The rules of one category: `first` for pages whose number is below `below`, spread evenly, else `rest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mixture {
    first: Rule,
    below: u64,
    rest: Rule,
}

/// What the numbers of pages are multiplied by to spread them evenly: 2^64 over the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

impl Mixture {
    const fn whole(rule: Rule) -> Self {
        Self {
            first: rule,
            below: 0,
            rest: rule,
        }
    }

    /// `RULE`, or `RULE*SHARE*RULE`: the first for a share of the pages, else the second.
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let rule = |text: &str| {
            let name = text.to_ascii_lowercase().replace('-', "_");
            let found = RULES.iter().find(|(known, _)| *known == name);
            found
                .map(|&(_, rule)| rule)
                .ok_or_else(|| format!("`{text}` is not one of never, second_miss, miss and write"))
        };
        let parts: Vec<&str> = text.split('*').collect();
        match parts[..] {
            [only] => rule(only).map(Self::whole),
            [first, share, rest] => {
                let given = share.parse::<f64>().ok();
                let share = given
                    .filter(|share| (0.0..=1.0).contains(share))
                    .ok_or_else(|| format!("`{share}` is not a share from 0 to 1"))?;
                let (first, rest) = (rule(first)?, rule(rest)?);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "below 2^64, and saturating at a share of 1"
                )]
                let below = (share * TWO_TO_64) as u64;
                Ok(Self { first, below, rest })
            }
            _ => Err(format!("`{text}` is not RULE or RULE*SHARE*RULE")),
        }
    }

    #[inline]
    fn of(self, page: u32) -> Rule {
        if u64::from(page).wrapping_mul(SPREAD) < self.below {
            self.first
        } else {
            self.rest
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    categories: Categories,
    /// By the number of the category; the last one is of all that are not told apart.
    mixtures: Vec<Mixture>,
    persistent_directory: bool,
}

/// Reads `RULES+NUMBER:RULES+...`: of all categories, then of single ones.
fn parse(text: &str) -> std::result::Result<Vec<Mixture>, String> {
    let mut items = text.split('+');
    let all = Mixture::parse(items.next().unwrap_or_default())?;
    let mut mixtures = vec![all; usize::from(MOST) + 1];
    for item in items {
        let (number, rules) = item
            .split_once(':')
            .ok_or_else(|| format!("`{item}` is not NUMBER:RULES"))?;
        let place = number.parse::<usize>().ok();
        let place = place
            .and_then(|number| mixtures.get_mut(number))
            .ok_or_else(|| format!("`{number}` is not a category from 0 to {MOST}"))?;
        *place = Mixture::parse(rules)?;
    }
    Ok(mixtures)
}

/// LRU flash behind an admission by category, as Google's `CacheSack` (Yang and others, ATC 2022) puts one before its
/// flash caches; the assignment is given, [`super::category_counts`] has what it is made from.
///
/// ```text
/// t: requests so far; a DRAM miss is one, a changed DRAM victim is one; last(p): t of the last request of p
/// DRAM misses p:        request p; on flash: read it, it is the most recent
/// p came from disk:     never: no; miss, write: admit p
///                       second_miss: admit p if it was requested before and, once flash is full, since the least
///                       recent page on flash was
/// evict p from DRAM:    unchanged: the block layer does not hear of it
///                       changed: write it to disk; request p; on flash: write it over its copy, it is the most recent
///                       else, write: admit p
/// admit p:              if flash is full the least recent page makes room; write p to flash, the most recent
/// category of p:        that of its last access in DRAM or below
/// ```
///
/// Choices where the paper is silent, or its cache differs:
/// * Flash is write-through: blocks of the paper's store do not change. So all assignments write the same to disk.
/// * Its ghost list is as deep in time as flash itself, since a page of lifetime D enters if its last request is at
///   most D ago.
/// * Of a category with two rules, pages take one of them by their number.
/// * With `directory=persistent` a change of an entry costs two random metadata page writes, as for the other caches
///   that have one; which pages were requested is lost in a crash.
#[derive(Debug)]
pub(crate) struct CacheSack {
    settings: Settings,
    frames: FrameTable,
    links: Links,
    /// Pages on flash, least recent first.
    order: Ends,
    /// Of the accesses of a chunk, and which comes next.
    coming: Vec<u16>,
    next: usize,
    category_of: Vec<u16>,
    /// 0: not requested yet.
    last: Vec<u64>,
    requests: u64,
    /// Last request of the page being fetched, before this one; 0 if there was none.
    before: u64,
}

impl CacheSack {
    #[inline]
    fn note(&mut self, page: u32) {
        self.category_of[page as usize] = self.coming.get(self.next).copied().unwrap_or(MOST);
        self.next += 1;
    }

    #[inline]
    fn request(&mut self, page: u32) -> u64 {
        self.requests += 1;
        std::mem::replace(&mut self.last[page as usize], self.requests)
    }

    #[inline]
    fn rule(&self, page: u32) -> Rule {
        self.settings.mixtures[usize::from(self.category_of[page as usize])].of(page)
    }

    fn admit(&mut self, page: u32, host: &mut impl Host) {
        let frame = if let Some(frame) = self.frames.room() {
            frame
        } else {
            let victim = self.links.pop(&mut self.order).unwrap_or_default();
            self.frames.evict(victim, host)
        };
        self.links.push(&mut self.order, page);
        self.frames.fill(page, frame, false, host);
    }
}

impl FlashCache for CacheSack {
    type Settings = Settings;
    type Image = Copies;
    type Device = Frames;

    const NEEDS_ADDRESSES: bool = true;
    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "categories",
            values: NAMES,
            default: "relation",
            description: "What tells accesses apart: relations, files or volumes; sizes of requests, by powers of two; hours since the first request, modulo 24.",
            is_place: false,
        },
        OptionAbout {
            name: "assignment",
            values: "RULES+NUMBER:RULES+..., RULES being never, second_miss, miss, write or RULE*SHARE*RULE",
            default: "miss",
            description: "What enters flash: the rules of all categories, then those of single ones by their number; miss*0.3*never takes 30 % of the pages at a miss and the others never.",
            is_place: false,
        },
        DIRECTORY,
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        Ok(Settings {
            categories: options.choice("categories", &Categories::choices())?,
            mixtures: options.parsed("assignment", parse)?,
            persistent_directory: persistent(options, run)?,
        })
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            frames: FrameTable::new(flash_pages, settings.persistent_directory),
            links: Links::default(),
            order: Ends::EMPTY,
            coming: Vec::new(),
            next: 0,
            category_of: Vec::new(),
            last: Vec::new(),
            requests: 0,
            before: 0,
        }
    }

    fn grow(&mut self, pages: usize) {
        self.frames.grow(pages);
        self.links.grow(pages);
        if pages > self.last.len() {
            self.last.resize(pages, 0);
            self.category_of.resize(pages, MOST);
        }
    }

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.next = 0;
        self.settings.categories.of(chunk, spaces, &mut self.coming)
    }

    fn keep_places(&mut self, crashed: &mut Self) {
        self.coming = std::mem::take(&mut crashed.coming);
        self.next = crashed.next;
        self.category_of = std::mem::take(&mut crashed.category_of);
    }

    fn fetch(&self, pages: &[u32]) {
        self.frames.fetch(pages);
    }

    #[inline]
    fn on_dram_hit(&mut self, page: u32, _host: &mut impl Host) {
        self.note(page);
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        self.note(page);
        self.before = self.request(page);
        if !self.frames.holds(page) {
            return false;
        }
        self.links.renew(&mut self.order, page);
        true
    }

    #[inline]
    fn on_entry(&mut self, page: u32, host: &mut impl Host) {
        let enters = match self.rule(page) {
            Rule::Never => false,
            Rule::SecondMiss => {
                let since = if self.frames.is_full() {
                    self.last[self.order.oldest as usize]
                } else {
                    1
                };
                self.before >= since.max(1)
            }
            Rule::Miss | Rule::Write => true,
        };
        if enters {
            self.admit(page, host);
        } else {
            host.counters().bypassed += 1;
        }
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Exit { page, changed } = exit;
        let on_flash = self.frames.holds(page);
        host.counters().victims_found_on_flash += u64::from(on_flash);
        if !changed {
            return;
        }
        host.counters().disk_writes_on_exit += 1;
        self.request(page);
        if on_flash {
            self.frames.overwrite(page, false, host);
            self.links.renew(&mut self.order, page);
        } else if self.rule(page) == Rule::Write {
            self.admit(page, host);
        }
    }

    fn image(self) -> Copies {
        self.frames.copies()
    }

    fn load(&mut self, image: Copies, _counters: &mut FlashCacheCounters) {
        self.frames.load(&image);
        for (_, page, _) in image {
            self.links.push(&mut self.order, page);
        }
    }

    fn valid_copies(&self) -> u64 {
        u64::from(self.frames.held())
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let mut ordered = 0;
        let mut since = 0;
        for page in self.links.iter(self.order) {
            let last = self.last[page as usize];
            // The victim of a page that enters is requested behind it, and moves before it.
            if last + 1 < since || !self.frames.holds(page) {
                return Err(format!("page {page} is out of order"));
            }
            since = last;
            ordered += 1;
        }
        self.frames.recount(ordered, counters, crash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_names_all_categories_and_then_single_ones() {
        let found = parse("miss+3:never+512:Second-Miss*0.25*write").expect("well formed");
        assert_eq!(found[0], Mixture::whole(Rule::Miss));
        assert_eq!(found[3], Mixture::whole(Rule::Never));
        let last = found[512];
        assert_eq!((last.first, last.rest), (Rule::SecondMiss, Rule::Write));
        let first = (0..1000).filter(|&page| last.of(page) == Rule::SecondMiss);
        assert!((245..=255).contains(&first.count()));
    }

    #[test]
    fn what_is_no_assignment_is_refused_by_its_part() {
        for (text, part) in [
            ("", "``"),
            ("mis", "`mis`"),
            ("miss+never", "`never`"),
            ("miss+513:never", "`513`"),
            ("miss*2*never", "`2`"),
            ("miss*0.5", "`miss*0.5`"),
        ] {
            let message = parse(text).expect_err("malformed");
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn all_of_a_share_of_one_and_nothing_of_a_share_of_zero() {
        let all = Mixture::parse("never*1*miss").expect("well formed");
        let nothing = Mixture::parse("never*0*miss").expect("well formed");
        assert!((0..5000).all(|page| all.of(page) == Rule::Never));
        assert!((0..5000).all(|page| nothing.of(page) == Rule::Miss));
    }
}
