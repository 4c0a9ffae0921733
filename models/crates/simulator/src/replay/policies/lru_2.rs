//! LRU-2: least recent last reference but one.

use super::{Guarding, Policy, Removable};
use crate::replay::bits::{BitSet, LeastFirstSet};
use crate::replay::settings::{Setting, Settings, Values};

/// No reference.
const NEVER: u32 = u32::MAX;
/// Entries of the shortest log.
const SHORTEST_LOG: usize = 1 << 12;
/// Longest log: one less than [`NEVER`], its places are references.
const LONGEST_LOG: usize = u32::MAX as usize - 1;
/// Log entries per reference that counts, after sliding.
const LOG_FACTOR: usize = 3;

/// Pages whose histories are fetched together while sliding.
const FETCHED: u32 = 256;

/// What is kept of a page, in the cache or not: places in the log of all references.
#[derive(Debug, Clone, Copy)]
struct History {
    /// LAST: the last reference.
    last: u32,
    /// HIST(2): the last reference but one, correlated references counted as one; or [`NEVER`].
    before: u32,
}

/// O'Neil, O'Neil and Weikum, SIGMOD 1993, Figure 2.1, for K = 2, at reference number t.
///
/// ```text
/// hit:  if t - LAST(pg) > period: HIST(pg,2) = HIST(pg,1) + (LAST(pg) - HIST(pg,1)); HIST(pg,1) = t
///       LAST(pg) = t
/// miss: victim: among pages with t - LAST > period, the one of least HIST(2);
///               pages without HIST(2) first, of those the one of least LAST
///       HIST(pg,2) = HIST(pg,1) if pg was ever here; HIST(pg,1) = LAST(pg) = t
/// ```
///
/// Chosen where the paper leaves it open: the correlated reference period is an option and 0, so every
/// reference counts; time is counted in references to this cache; histories are retained for the
/// whole trace (the paper forgets them after a while to save memory, here they are one entry of a table
/// over dense pages); pages with one reference are in LRU order; if the period protects every page,
/// the victim is chosen as if it protected none.
///
/// Guarded pages are in no set of places, whatever the period; their histories go on.
///
/// HIST(2) is always the place of some reference in the log, so the least one is the first member of a
/// set of places, and no heap is needed. Pages that the period protects have sets of their own. Protection
/// ends in the order of the log, so each place of the log is passed once.
#[derive(Debug)]
pub(crate) struct Lru2 {
    period: u64,
    histories: Vec<History>,
    /// HIST(1), if there is a period; without, it is LAST.
    starts: Vec<u32>,
    /// Reference number of LAST, if there is a period.
    times: Vec<u64>,
    now: u64,
    held: BitSet,
    pages: u32,
    log: Vec<u32>,
    head: u32,
    /// Pages with LAST before this place of the log are not protected; without a period no page is.
    ripe: u32,
    open: Places,
    protected: Places,
    /// Pages that are in neither set, if there are any: they must stay.
    guarded: BitSet,
    guards: bool,
}

/// Places by which victims are sought among pages held.
#[derive(Debug)]
struct Places {
    /// LAST of the pages without HIST(2).
    once: LeastFirstSet,
    /// HIST(2) of the other pages.
    twice: LeastFirstSet,
}

impl Places {
    fn new(length: usize) -> Self {
        Self {
            once: LeastFirstSet::new(length),
            twice: LeastFirstSet::new(length),
        }
    }

    #[inline]
    fn insert(&mut self, history: History) {
        if history.before == NEVER {
            self.once.insert(history.last);
        } else {
            self.twice.insert(history.before);
        }
    }

    #[inline]
    fn remove(&mut self, history: History) {
        if history.before == NEVER {
            self.once.remove(history.last);
        } else {
            self.twice.remove(history.before);
        }
    }

    /// Takes the place of the victim out.
    #[inline]
    fn take_first(&mut self) -> Option<u32> {
        if let Some(place) = self.once.first() {
            self.once.remove(place);
            return Some(place);
        }
        let place = self.twice.first()?;
        self.twice.remove(place);
        Some(place)
    }

    fn contains(&self, history: History) -> bool {
        if history.before == NEVER {
            self.once.contains(history.last)
        } else {
            self.twice.contains(history.before)
        }
    }

    fn len(&self) -> usize {
        self.once.len() + self.twice.len()
    }
}

impl Lru2 {
    /// Appends a reference to the log. The caller has made room before it looked at any place.
    #[inline]
    fn append(&mut self, page: u32) -> u32 {
        let place = self.head;
        self.log[place as usize] = page;
        self.head += 1;
        place
    }

    #[inline]
    fn make_room(&mut self) {
        if self.head as usize == self.log.len() {
            self.slide();
        }
    }

    /// The places among which a page with such a history has its own.
    #[inline]
    fn places(&mut self, history: History) -> &mut Places {
        if self.period == 0 || history.last < self.ripe {
            &mut self.open
        } else {
            &mut self.protected
        }
    }

    #[inline]
    fn must_stay(&self, page: u32) -> bool {
        self.guards && self.guarded.contains(page)
    }

    /// Takes a page that is held out of the set that it is in, if it is in one.
    #[inline]
    fn take_out(&mut self, page: u32) {
        if self.must_stay(page) {
            return;
        }
        let history = self.histories[page as usize];
        self.places(history).remove(history);
    }

    /// Puts a page that is held into the set that it belongs to, if it may leave.
    #[inline]
    fn put_in(&mut self, page: u32) {
        if self.must_stay(page) {
            return;
        }
        let history = self.histories[page as usize];
        self.places(history).insert(history);
    }

    /// Ends the protection of pages whose last reference is longer ago than the period, seen from the
    /// next reference.
    fn ripen(&mut self) {
        while self.ripe < self.head {
            let page = self.log[self.ripe as usize];
            let history = self.histories[page as usize];
            let is_last = history.last == self.ripe;
            if is_last && self.now + 1 - self.times[page as usize] <= self.period {
                return;
            }
            if is_last && self.held.contains(page) && !self.must_stay(page) {
                self.protected.remove(history);
                self.open.insert(history);
            }
            self.ripe += 1;
        }
    }

    /// The victim where the period protects every page.
    #[cold]
    fn protected_victim(&mut self) -> u32 {
        self.protected.take_first().unwrap_or_default()
    }

    #[cold]
    #[inline(never)]
    fn slide(&mut self) {
        let mut to = 0_u32;
        let mut ripe = 0;
        for from in 0..self.head {
            if from == self.ripe {
                ripe = to;
            }
            if from.is_multiple_of(FETCHED) {
                let end = from.saturating_add(FETCHED).min(self.head);
                self.fetch(&self.log[from as usize..end as usize]);
            }
            let page = self.log[from as usize];
            let history = &mut self.histories[page as usize];
            let start = self.starts.get_mut(page as usize);
            let mut moved = false;
            for place in [&mut history.last, &mut history.before]
                .into_iter()
                .chain(start)
            {
                if *place == from {
                    *place = to;
                    moved = true;
                }
            }
            if moved {
                self.log[to as usize] = page;
                to += 1;
            }
        }
        // Past the end of the log nothing was protected.
        self.ripe = if self.ripe < self.head { ripe } else { to };
        self.head = to;
        let length =
            (to as usize * LOG_FACTOR).clamp(SHORTEST_LOG.max(self.log.len()), LONGEST_LOG);
        self.log.resize(length, 0);
        self.open = Places::new(length);
        if self.period > 0 {
            self.protected = Places::new(length);
        }
        let held: Vec<u32> = self.held.iter().collect();
        for page in held {
            self.put_in(page);
        }
    }
}

impl Policy for Lru2 {
    type Guarded = Self;

    const OPTIONS: &'static [Setting] = &[Setting {
        name: "period",
        description: "Correlated reference period: references to a page that are at most this many references apart count as one. [references]",
        default: "0",
        values: Values::References {
            least: 0,
            most: u32::MAX,
        },
    }];

    /// A newcomer stays until the next miss, in a cache of any size: a queue of one page. A miniature misses as
    /// seldom as it samples, so its newcomers stay longer and hit too often.
    fn smallest_part(_settings: &Settings) -> Result<f64, &'static str> {
        Err(
            "a newcomer stays until the next miss, whatever the size, and a sample misses less often",
        )
    }

    fn new(capacity: u32) -> Self {
        Self::configured(capacity, &Settings::defaults(Self::OPTIONS))
    }

    fn configured(_capacity: u32, settings: &Settings) -> Self {
        Self {
            period: settings.whole("period").into(),
            histories: Vec::new(),
            starts: Vec::new(),
            times: Vec::new(),
            now: 0,
            held: BitSet::default(),
            pages: 0,
            log: Vec::new(),
            head: 0,
            ripe: 0,
            open: Places::new(0),
            protected: Places::new(0),
            guarded: BitSet::default(),
            guards: false,
        }
    }

    fn grow(&mut self, pages: usize) {
        if pages > self.histories.len() {
            let none = History {
                last: NEVER,
                before: NEVER,
            };
            self.histories.resize(pages, none);
            self.held.grow(pages);
            if self.guards {
                self.guarded.grow(pages);
            }
            if self.period > 0 {
                self.starts.resize(pages, NEVER);
                self.times.resize(pages, 0);
            }
        }
    }

    fn fetch(&self, pages: &[u32]) {
        let mixed = pages
            .iter()
            .fold(0, |mixed, &page| mixed ^ self.histories[page as usize].last);
        std::hint::black_box(mixed);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.held.contains(page)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.pages
    }

    #[inline]
    fn on_hit(&mut self, page: u32) {
        self.now += 1;
        self.make_room();
        self.take_out(page);
        let place = self.append(page);
        let history = &mut self.histories[page as usize];
        let last = std::mem::replace(&mut history.last, place);
        if self.period == 0 {
            history.before = last;
        } else {
            let time = std::mem::replace(&mut self.times[page as usize], self.now);
            if self.now - time > self.period {
                history.before = last;
                self.starts[page as usize] = place;
            }
        }
        self.put_in(page);
    }

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        if self.period > 0 {
            self.ripen();
        }
        // A full cache holds a page, and every page held is in one of the sets.
        let place = match self.open.take_first() {
            Some(place) => place,
            None => self.protected_victim(),
        };
        let victim = self.log[place as usize];
        self.held.take(victim);
        self.pages -= 1;
        victim
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.now += 1;
        self.make_room();
        let place = self.append(page);
        let history = &mut self.histories[page as usize];
        history.before = history.last;
        history.last = place;
        if self.period > 0 {
            history.before = std::mem::replace(&mut self.starts[page as usize], place);
            self.times[page as usize] = self.now;
        }
        self.held.insert(page);
        self.pages += 1;
        self.put_in(page);
    }

    fn recount(&self) -> Result<(), String> {
        let held = self.held.iter().count();
        let guarded = self.held.iter().filter(|&page| self.must_stay(page));
        let guarded = guarded.count();
        let placed = self
            .held
            .iter()
            .filter(|&page| !self.must_stay(page))
            .filter(|&page| {
                let history = self.histories[page as usize];
                let place = if history.before == NEVER {
                    history.last
                } else {
                    history.before
                };
                let places = if self.period == 0 || history.last < self.ripe {
                    &self.open
                } else {
                    &self.protected
                };
                places.contains(history) && self.log[place as usize] == page
            })
            .count();
        let members = self.open.len() + self.protected.len();
        if held == self.pages as usize && placed + guarded == held && members == placed {
            Ok(())
        } else {
            Err(format!(
                "LRU-2 counts {} pages, holds {held}, {guarded} of them guarded, finds {placed} by their places, and has {members} places",
                self.pages
            ))
        }
    }
}

impl Removable for Lru2 {
    #[inline]
    fn remove(&mut self, page: u32) {
        self.take_out(page);
        self.held.take(page);
        self.pages -= 1;
    }
}

impl Guarding for Lru2 {
    fn expect_guards(&mut self) {
        self.guards = true;
    }

    fn is_guarded(&self, page: u32) -> bool {
        self.must_stay(page)
    }

    #[inline]
    fn guard(&mut self, page: u32) {
        self.take_out(page);
        self.guarded.insert(page);
    }

    #[inline]
    fn release(&mut self, page: u32) {
        self.guarded.take(page);
        self.put_in(page);
    }
}
