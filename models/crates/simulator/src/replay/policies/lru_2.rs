//! LRU-2: least recent last reference but one.

use super::{Policy, Removable};
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
/// HIST(2) is always the place of some reference in the log, so the least one is the first member of a
/// set of places, and no heap is needed.
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
    /// LAST of the pages held without HIST(2).
    once: LeastFirstSet,
    /// HIST(2) of the other pages held.
    twice: LeastFirstSet,
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

    /// Takes a page that is held out of the set that it is in.
    #[inline]
    fn take_out(&mut self, page: u32) {
        let history = self.histories[page as usize];
        if history.before == NEVER {
            self.once.remove(history.last);
        } else {
            self.twice.remove(history.before);
        }
    }

    /// Puts a page that is held into the set that it belongs to.
    #[inline]
    fn put_in(&mut self, page: u32) {
        let history = self.histories[page as usize];
        if history.before == NEVER {
            self.once.insert(history.last);
        } else {
            self.twice.insert(history.before);
        }
    }

    #[cold]
    #[inline(never)]
    fn slide(&mut self) {
        let mut to = 0_u32;
        for from in 0..self.head {
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
        self.head = to;
        let length =
            (to as usize * LOG_FACTOR).clamp(SHORTEST_LOG.max(self.log.len()), LONGEST_LOG);
        self.log.resize(length, 0);
        self.once = LeastFirstSet::new(length);
        self.twice = LeastFirstSet::new(length);
        let held: Vec<u32> = self.held.iter().collect();
        for page in held {
            self.put_in(page);
        }
    }

    /// The first place in a set whose page the correlated reference period does not protect.
    fn first_unprotected(&self, set: &LeastFirstSet) -> Option<u32> {
        let mut place = set.first();
        while let Some(at) = place {
            let page = self.log[at as usize];
            if self.now - self.times[page as usize] > self.period {
                return Some(at);
            }
            place = set.first_from(at + 1);
        }
        None
    }
}

impl Policy for Lru2 {
    const FITS_ANY_SIZE: bool = true;
    const OPTIONS: &'static [Setting] = &[Setting {
        name: "period",
        description: "Correlated reference period: a reference so many references or fewer after the last one to its page counts as the same. [references]",
        default: "0",
        values: Values::Whole {
            least: 0,
            most: u32::MAX,
        },
    }];

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
            once: LeastFirstSet::new(0),
            twice: LeastFirstSet::new(0),
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
        let mut once = None;
        let mut twice = None;
        if self.period > 0 {
            // The reference that misses is the next one.
            self.now += 1;
            once = self.first_unprotected(&self.once);
            twice = self.first_unprotected(&self.twice);
            self.now -= 1;
        }
        if once.is_none() && twice.is_none() {
            once = self.once.first();
            twice = self.twice.first();
        }
        // A full cache holds a page, and every page held is in one of the sets.
        let place = if let Some(place) = once {
            self.once.remove(place);
            place
        } else {
            let place = twice.unwrap_or_default();
            self.twice.remove(place);
            place
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
        let placed = self
            .held
            .iter()
            .filter(|&page| {
                let history = self.histories[page as usize];
                let (place, set) = if history.before == NEVER {
                    (history.last, &self.once)
                } else {
                    (history.before, &self.twice)
                };
                set.contains(place) && self.log[place as usize] == page
            })
            .count();
        let members = self.once.len() + self.twice.len();
        if held == self.pages as usize && placed == held && members == held {
            Ok(())
        } else {
            Err(format!(
                "LRU-2 counts {} pages, holds {held}, finds {placed} by their places, and has {members} places",
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
