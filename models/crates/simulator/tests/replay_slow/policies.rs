//! Slow, obvious models of the replacement policies: vectors, oldest first, searched from end to end.

use std::collections::BTreeMap;

use super::{Access, Counters};

/// A question about a page.
type Ask<'a> = &'a dyn Fn(u64) -> bool;

/// The first page that need not be kept.
fn first_open(list: &[u64], kept: Ask<'_>) -> Option<usize> {
    list.iter().position(|&page| !kept(page))
}

/// A cache that is told what happens and holds vectors.
pub(crate) trait Slow {
    fn pages(&self) -> Vec<u64>;
    fn hit(&mut self, page: u64);
    fn evict(&mut self, incoming: u64, dirty: Ask<'_>) -> u64 {
        self.evict_but(incoming, dirty, &|_| false)
    }
    /// The victim, where some pages must be kept: they are passed over and stay where they are.
    fn evict_but(&mut self, incoming: u64, dirty: Ask<'_>, kept: Ask<'_>) -> u64;
    /// The victim that goes although nothing comes.
    fn give(&mut self, dirty: Ask<'_>) -> u64 {
        self.evict(u64::MAX, dirty)
    }
    /// A page need no longer be kept.
    fn released(&mut self, _page: u64) {}
    fn enter(&mut self, page: u64);
    fn take(&mut self, page: u64);
    /// The cache is to have `c` pages from now on; which leave is asked one by one.
    fn resize(&mut self, _c: usize) {}
    /// Before each access: all accesses, and the place of this one.
    fn see(&mut self, _accesses: &[Access], _now: usize) {}
}

fn drop_from(list: &mut Vec<u64>, page: u64) -> bool {
    let before = list.len();
    list.retain(|&other| other != page);
    list.len() < before
}

fn renew(list: &mut Vec<u64>, page: u64) {
    assert!(drop_from(list, page), "the page is in the list");
    list.push(page);
}

/// LRU, FIFO and the CLOCKs, by what a hit does.
struct Plain {
    pages: Vec<u64>,
    counts: BTreeMap<u64, u32>,
    moves: bool,
    ceiling: u32,
    entry: u32,
}

impl Slow for Plain {
    fn pages(&self) -> Vec<u64> {
        self.pages.clone()
    }
    fn hit(&mut self, page: u64) {
        if self.moves {
            renew(&mut self.pages, page);
        }
        let count = self.counts.get_mut(&page).expect("held");
        *count = (*count + 1).min(self.ceiling);
    }
    fn evict_but(&mut self, _incoming: u64, _dirty: Ask<'_>, kept: Ask<'_>) -> u64 {
        if self.ceiling == 0 {
            // No clock: nothing moves.
            let place = first_open(&self.pages, kept).expect("one may leave");
            return self.pages.remove(place);
        }
        loop {
            let page = self.pages.remove(0);
            if kept(page) {
                self.pages.push(page);
                continue;
            }
            if self.counts[&page] == 0 {
                self.counts.remove(&page);
                return page;
            }
            *self.counts.get_mut(&page).expect("held") -= 1;
            self.pages.push(page);
        }
    }
    fn enter(&mut self, page: u64) {
        self.pages.push(page);
        self.counts.insert(page, self.entry);
    }
    fn take(&mut self, page: u64) {
        drop_from(&mut self.pages, page);
        self.counts.remove(&page);
    }
}

#[derive(Default)]
struct Sieve {
    /// Pages and whether they were used.
    pages: Vec<(u64, bool)>,
    hand: usize,
}

impl Slow for Sieve {
    fn pages(&self) -> Vec<u64> {
        self.pages.iter().map(|&(page, _)| page).collect()
    }
    fn hit(&mut self, page: u64) {
        self.pages
            .iter_mut()
            .find(|entry| entry.0 == page)
            .expect("held")
            .1 = true;
    }
    fn evict_but(&mut self, _incoming: u64, _dirty: Ask<'_>, kept: Ask<'_>) -> u64 {
        loop {
            self.hand %= self.pages.len();
            if kept(self.pages[self.hand].0) {
                self.hand += 1;
                continue;
            }
            if !self.pages[self.hand].1 {
                let page = self.pages.remove(self.hand).0;
                self.hand = if self.hand == self.pages.len() {
                    0
                } else {
                    self.hand
                };
                return page;
            }
            self.pages[self.hand].1 = false;
            self.hand += 1;
        }
    }
    fn enter(&mut self, page: u64) {
        self.pages.push((page, false));
    }
    fn take(&mut self, page: u64) {
        let place = self
            .pages()
            .iter()
            .position(|&other| other == page)
            .expect("held");
        self.pages.remove(place);
        self.hand -= usize::from(place < self.hand);
        self.hand = if self.hand == self.pages.len() {
            0
        } else {
            self.hand
        };
    }
}

#[derive(Default)]
struct Arc {
    c: usize,
    p: f64,
    t1: Vec<u64>,
    t2: Vec<u64>,
    b1: Vec<u64>,
    b2: Vec<u64>,
    /// Cases II to IV have begun for this page.
    begun: Option<u64>,
}

#[expect(clippy::cast_precision_loss, reason = "a few pages")]
impl Arc {
    fn begin(&mut self, page: u64) {
        let ratio = |a: usize, b: usize| (a as f64 / b as f64).max(1.0);
        if self.b1.contains(&page) {
            self.p = (self.p + ratio(self.b2.len(), self.b1.len())).min(self.c as f64);
        } else if self.b2.contains(&page) {
            self.p = (self.p - ratio(self.b1.len(), self.b2.len())).max(0.0);
        } else if self.t1.len() + self.b1.len() >= self.c {
            if !self.b1.is_empty() {
                self.b1.remove(0);
            }
        } else if self.all() >= 2 * self.c && !self.b2.is_empty() {
            self.b2.remove(0);
        }
    }
    fn all(&self) -> usize {
        self.pages().len() + self.b1.len() + self.b2.len()
    }
    /// A pool may hold more than its share; then ghosts make room for pages.
    fn drop_ghosts(&mut self) {
        while self.t1.len() + self.b1.len() > self.c && !self.b1.is_empty() {
            self.b1.remove(0);
        }
        while self.all() > 2 * self.c && !self.b2.is_empty() {
            self.b2.remove(0);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few pages")]
impl Slow for Arc {
    fn pages(&self) -> Vec<u64> {
        [self.t1.clone(), self.t2.clone()].concat()
    }
    fn hit(&mut self, page: u64) {
        drop_from(&mut self.t1, page);
        drop_from(&mut self.t2, page);
        self.t2.push(page);
    }
    fn evict_but(&mut self, incoming: u64, _dirty: Ask<'_>, kept: Ask<'_>) -> u64 {
        let is_ghost = self.b1.contains(&incoming) || self.b2.contains(&incoming);
        self.begun = Some(incoming);
        let open_1 = first_open(&self.t1, kept);
        let open_2 = first_open(&self.t2, kept);
        if !is_ghost
            && self.t1.len() >= self.c
            && let Some(place) = open_1
        {
            return self.t1.remove(place);
        }
        self.begin(incoming);
        let t1 = self.t1.len() as f64;
        let more = t1 > self.p;
        let same = (t1 - self.p).abs() < f64::EPSILON;
        let from_t1 = more || (self.b2.contains(&incoming) && same);
        let page = match (open_1, open_2) {
            (Some(place), None) => {
                let page = self.t1.remove(place);
                self.b1.push(page);
                page
            }
            (Some(place), Some(_)) if from_t1 => {
                let page = self.t1.remove(place);
                self.b1.push(page);
                page
            }
            (_, Some(place)) => {
                let page = self.t2.remove(place);
                self.b2.push(page);
                page
            }
            (None, None) => panic!("one may leave"),
        };
        self.drop_ghosts();
        page
    }
    fn give(&mut self, _dirty: Ask<'_>) -> u64 {
        let from_t1 = self.t1.len() as f64 > self.p || self.t2.is_empty();
        let (list, ghosts) = if from_t1 && !self.t1.is_empty() {
            (&mut self.t1, &mut self.b1)
        } else {
            (&mut self.t2, &mut self.b2)
        };
        ghosts.push(list.remove(0));
        ghosts[ghosts.len() - 1]
    }
    fn enter(&mut self, page: u64) {
        if self.begun != Some(page) {
            self.begin(page);
        }
        self.begun = None;
        if drop_from(&mut self.b1, page) || drop_from(&mut self.b2, page) {
            self.t2.push(page);
        } else {
            self.t1.push(page);
        }
        self.drop_ghosts();
    }
    fn take(&mut self, page: u64) {
        drop_from(&mut self.t1, page);
        drop_from(&mut self.t2, page);
    }
    fn resize(&mut self, c: usize) {
        if c != self.c {
            self.p = self.p * c as f64 / self.c as f64;
            self.c = c;
            self.drop_ghosts();
        }
    }
}

#[derive(Default)]
struct TwoQ {
    k_in: usize,
    k_out: usize,
    a1_in: Vec<u64>,
    a1_out: Vec<u64>,
    am: Vec<u64>,
    /// The ghost for which room was made last.
    returning: Option<u64>,
}

impl Slow for TwoQ {
    fn pages(&self) -> Vec<u64> {
        [self.a1_in.clone(), self.am.clone()].concat()
    }
    fn hit(&mut self, page: u64) {
        if self.am.contains(&page) {
            renew(&mut self.am, page);
        }
    }
    fn evict_but(&mut self, incoming: u64, _dirty: Ask<'_>, kept: Ask<'_>) -> u64 {
        self.returning = drop_from(&mut self.a1_out, incoming).then_some(incoming);
        let (newcomer, old) = (first_open(&self.a1_in, kept), first_open(&self.am, kept));
        if let Some(place) = newcomer
            && (self.a1_in.len() > self.k_in || old.is_none())
        {
            let page = self.a1_in.remove(place);
            self.a1_out.push(page);
            if self.a1_out.len() > self.k_out {
                self.a1_out.remove(0);
            }
            page
        } else {
            self.am.remove(old.expect("one may leave"))
        }
    }
    fn give(&mut self, dirty: Ask<'_>) -> u64 {
        let returning = self.returning;
        let page = self.evict(u64::MAX, dirty);
        self.returning = returning;
        page
    }
    fn enter(&mut self, page: u64) {
        if drop_from(&mut self.a1_out, page) || self.returning == Some(page) {
            self.am.push(page);
        } else {
            self.a1_in.push(page);
        }
        self.returning = None;
    }
    fn take(&mut self, page: u64) {
        drop_from(&mut self.a1_in, page);
        drop_from(&mut self.am, page);
    }
    fn resize(&mut self, c: usize) {
        (self.k_in, self.k_out) = (share(c, 25), share(c, 50));
        while self.a1_out.len() > self.k_out {
            self.a1_out.remove(0);
        }
    }
}

#[derive(Default)]
struct S3Fifo {
    main_pages: usize,
    ghost_pages: usize,
    /// Pages and their uses.
    small: Vec<(u64, u32)>,
    main: Vec<(u64, u32)>,
    ghost: Vec<u64>,
    /// The ghost for which room was made last.
    returning: Option<u64>,
    small_pages: usize,
    evicted: bool,
}

impl Slow for S3Fifo {
    fn pages(&self) -> Vec<u64> {
        self.small
            .iter()
            .chain(&self.main)
            .map(|&(page, _)| page)
            .collect()
    }
    fn hit(&mut self, page: u64) {
        let all = self.small.iter_mut().chain(&mut self.main);
        for entry in all.filter(|entry| entry.0 == page) {
            entry.1 = (entry.1 + 1).min(3);
        }
    }
    fn evict_but(&mut self, incoming: u64, _dirty: Ask<'_>, kept: Ask<'_>) -> u64 {
        self.returning = drop_from(&mut self.ghost, incoming).then_some(incoming);
        self.evicted = true;
        let open = |list: &[(u64, u32)]| list.iter().position(|&(page, _)| !kept(page));
        loop {
            let main_is_asked = self.main.len() > self.main_pages || open(&self.small).is_none();
            if main_is_asked && open(&self.main).is_some() {
                // Once begun, it goes on until a page is out.
                while let Some(place) = open(&self.main) {
                    let (page, uses) = self.main.remove(place);
                    if uses == 0 {
                        return page;
                    }
                    self.main.push((page, uses - 1));
                }
            }
            while let Some(place) = open(&self.small) {
                let (page, uses) = self.small.remove(place);
                if uses < 2 {
                    self.ghost.push(page);
                    if self.ghost.len() > self.ghost_pages {
                        self.ghost.remove(0);
                    }
                    return page;
                }
                self.main.push((page, 0));
            }
        }
    }
    fn give(&mut self, dirty: Ask<'_>) -> u64 {
        let returning = self.returning;
        let page = self.evict(u64::MAX, dirty);
        self.returning = returning;
        page
    }
    fn enter(&mut self, page: u64) {
        // More than its share after the share has shrunk.
        let filling = !self.evicted && self.small.len() >= self.small_pages;
        if drop_from(&mut self.ghost, page) || self.returning == Some(page) || filling {
            self.main.push((page, 0));
        } else {
            self.small.push((page, 0));
        }
        self.returning = None;
    }
    fn take(&mut self, page: u64) {
        self.small.retain(|entry| entry.0 != page);
        self.main.retain(|entry| entry.0 != page);
    }
    fn resize(&mut self, c: usize) {
        self.small_pages = share(c, 10);
        self.main_pages = c - self.small_pages;
        self.ghost_pages = c * 9 / 10;
        while self.ghost.len() > self.ghost_pages {
            self.ghost.remove(0);
        }
    }
}

#[derive(Default)]
struct Lirs {
    c: usize,
    /// Pages in the order in which they left the cache last.
    gone: Vec<u64>,
    lir_pages: usize,
    lir: Vec<u64>,
    stack: Vec<u64>,
    queue: Vec<u64>,
}

impl Lirs {
    fn prune(&mut self) {
        while self
            .stack
            .first()
            .is_some_and(|page| !self.lir.contains(page))
        {
            self.stack.remove(0);
        }
        while self.stack.len() > 2 * self.c {
            let held = self.pages();
            let absent = |page: &&u64| self.stack.contains(page) && !held.contains(page);
            // None are absent in a pool that holds far more than its share.
            let Some(&first) = self.gone.iter().find(absent) else {
                return;
            };
            drop_from(&mut self.stack, first);
        }
    }
    fn top(&mut self, page: u64) {
        drop_from(&mut self.stack, page);
        self.stack.push(page);
    }
    fn make_lir(&mut self, page: u64) {
        self.top(page);
        self.lir.push(page);
        self.drop_lir();
    }
    fn drop_lir(&mut self) {
        while self.lir.len() > self.lir_pages {
            let lowest = *self
                .stack
                .iter()
                .find(|page| self.lir.contains(page))
                .expect("LIR");
            drop_from(&mut self.lir, lowest);
            drop_from(&mut self.stack, lowest);
            self.queue.push(lowest);
        }
    }
}

impl Slow for Lirs {
    fn pages(&self) -> Vec<u64> {
        [self.lir.clone(), self.queue.clone()].concat()
    }
    fn hit(&mut self, page: u64) {
        if self.lir.contains(&page) {
            self.top(page);
        } else if self.stack.contains(&page) {
            drop_from(&mut self.queue, page);
            self.make_lir(page);
        } else {
            renew(&mut self.queue, page);
            self.top(page);
        }
        self.prune();
    }
    fn evict_but(&mut self, _incoming: u64, _dirty: Ask<'_>, kept: Ask<'_>) -> u64 {
        let Some(place) = first_open(&self.queue, kept) else {
            // A pool that holds less than its share, or all newcomers are kept.
            let mut lir = self.stack.iter().filter(|page| self.lir.contains(page));
            let lowest = *lir.find(|page| !kept(**page)).expect("one may leave");
            self.take(lowest);
            return lowest;
        };
        let page = self.queue.remove(place);
        drop_from(&mut self.gone, page);
        self.gone.push(page);
        self.prune();
        page
    }
    fn enter(&mut self, page: u64) {
        if self.lir.len() < self.lir_pages || self.stack.contains(&page) {
            self.make_lir(page);
        } else {
            self.queue.push(page);
            self.top(page);
        }
        self.prune();
    }
    fn take(&mut self, page: u64) {
        for list in [&mut self.lir, &mut self.queue, &mut self.stack] {
            drop_from(list, page);
        }
        self.prune();
    }
    fn resize(&mut self, c: usize) {
        self.c = c;
        self.lir_pages = c - share(c, 1);
        self.drop_lir();
        self.prune();
    }
}

#[derive(Default)]
struct Lru2 {
    period: i64,
    pages: Vec<u64>,
    now: i64,
    /// LAST, HIST(1), HIST(2) of every page ever seen.
    history: BTreeMap<u64, (i64, i64, Option<i64>)>,
}

impl Slow for Lru2 {
    fn pages(&self) -> Vec<u64> {
        self.pages.clone()
    }
    fn hit(&mut self, page: u64) {
        self.now += 1;
        let (last, first, second) = self.history[&page];
        let entry = if self.now - last > self.period {
            (self.now, self.now, Some(first + (last - first)))
        } else {
            (self.now, first, second)
        };
        self.history.insert(page, entry);
    }
    fn evict_but(&mut self, _incoming: u64, _dirty: Ask<'_>, kept: Ask<'_>) -> u64 {
        let now = self.now + 1;
        let key = |page: &u64| {
            let (last, _, second) = self.history[page];
            (now - last <= self.period, second.unwrap_or(i64::MIN), last)
        };
        let page = *self
            .pages
            .iter()
            .filter(|page| !kept(**page))
            .min_by_key(|page| key(page))
            .expect("full");
        drop_from(&mut self.pages, page);
        page
    }
    fn enter(&mut self, page: u64) {
        self.now += 1;
        let second = self.history.get(&page).map(|&(_, first, _)| first);
        self.history.insert(page, (self.now, self.now, second));
        self.pages.push(page);
    }
    fn take(&mut self, page: u64) {
        drop_from(&mut self.pages, page);
    }
}

#[derive(Default)]
struct WTinyLfu {
    capacity: usize,
    window_pages: usize,
    protected_pages: usize,
    window: Vec<u64>,
    probation: Vec<u64>,
    protected: Vec<u64>,
    counts: BTreeMap<u64, u32>,
    references: usize,
}

impl WTinyLfu {
    fn count(&mut self, page: u64) {
        let count = self.counts.entry(page).or_default();
        *count = (*count + 1).min(15);
        self.references += 1;
        if self.references >= 10 * self.capacity {
            self.references = 0;
            for count in self.counts.values_mut() {
                *count /= 2;
            }
        }
    }
}

impl Slow for WTinyLfu {
    fn pages(&self) -> Vec<u64> {
        [
            self.window.clone(),
            self.probation.clone(),
            self.protected.clone(),
        ]
        .concat()
    }
    fn hit(&mut self, page: u64) {
        self.count(page);
        if self.window.contains(&page) {
            renew(&mut self.window, page);
            return;
        }
        drop_from(&mut self.probation, page);
        drop_from(&mut self.protected, page);
        self.protected.push(page);
        if self.protected.len() > self.protected_pages {
            self.probation.push(self.protected.remove(0));
        }
    }
    fn evict_but(&mut self, _incoming: u64, _dirty: Ask<'_>, kept: Ask<'_>) -> u64 {
        let mut main = self.probation.clone();
        main.extend(&self.protected);
        let victim = first_open(&main, kept).map(|place| main[place]);
        let candidate = first_open(&self.window, kept).map(|place| self.window[place]);
        let short = self.window.len() < self.window_pages || candidate.is_none();
        let leaving = if short && let Some(victim) = victim {
            victim
        } else {
            let candidate = candidate.expect("one may leave");
            match victim {
                Some(victim) if self.counts[&candidate] > self.counts[&victim] => {
                    drop_from(&mut self.window, candidate);
                    self.probation.push(candidate);
                    victim
                }
                _ => candidate,
            }
        };
        self.take(leaving);
        leaving
    }
    fn enter(&mut self, page: u64) {
        self.count(page);
        self.window.push(page);
        if self.window.len() > self.window_pages {
            self.probation.push(self.window.remove(0));
        }
    }
    fn take(&mut self, page: u64) {
        for list in [&mut self.window, &mut self.probation, &mut self.protected] {
            drop_from(list, page);
        }
    }
    fn resize(&mut self, c: usize) {
        self.capacity = c;
        self.window_pages = share(c, 1);
        self.protected_pages = (c - share(c, 1)) * 4 / 5;
        while self.window.len() > self.window_pages {
            self.probation.push(self.window.remove(0));
        }
        while self.protected.len() > self.protected_pages {
            self.probation.push(self.protected.remove(0));
        }
    }
}

#[derive(Default)]
struct Opt {
    /// In the order of entry or last access here.
    pages: Vec<u64>,
    rest: Vec<u64>,
}

impl Slow for Opt {
    fn pages(&self) -> Vec<u64> {
        self.pages.clone()
    }
    fn see(&mut self, accesses: &[Access], now: usize) {
        self.rest = accesses[now + 1..].iter().map(|&(page, _)| page).collect();
        let page = accesses[now].0;
        if self.pages.contains(&page) {
            renew(&mut self.pages, page);
        }
    }
    fn hit(&mut self, _page: u64) {}
    fn released(&mut self, page: u64) {
        renew(&mut self.pages, page);
    }
    fn evict_but(&mut self, _incoming: u64, dirty: Ask<'_>, kept: Ask<'_>) -> u64 {
        let next = |page: &u64| self.rest.iter().position(|other| other == page);
        let page = *self
            .pages
            .iter()
            .filter(|page| !kept(**page))
            .max_by_key(|page| match next(page) {
                Some(next) => (next, false),
                None => (usize::MAX, !dirty(**page)),
            })
            .expect("full");
        drop_from(&mut self.pages, page);
        page
    }
    fn enter(&mut self, page: u64) {
        self.pages.push(page);
    }
    fn take(&mut self, page: u64) {
        drop_from(&mut self.pages, page);
    }
}

fn plain(moves: bool, ceiling: u32, entry: u32) -> Box<dyn Slow> {
    Box::new(Plain {
        pages: Vec::new(),
        counts: BTreeMap::new(),
        moves,
        ceiling,
        entry,
    })
}

/// A share of a cache, at least a page.
fn share(c: usize, percent: usize) -> usize {
    (c * percent / 100).max(1)
}

/// The model of a policy with the defaults of its options, for a cache of `c` pages.
pub(crate) fn model(policy: &str, c: usize) -> Box<dyn Slow> {
    let share = |percent: usize| share(c, percent);
    match policy {
        "lru" => plain(true, 0, 0),
        "fifo" => plain(false, 0, 0),
        "clock" => plain(false, 1, 0),
        "gclock" => plain(false, 5, 0),
        "gclock entry=1 ceiling=3" => plain(false, 3, 1),
        "sieve" => Box::new(Sieve::default()),
        "arc" => Box::new(Arc {
            c,
            ..Arc::default()
        }),
        "2q" => Box::new(TwoQ {
            k_in: share(25),
            k_out: share(50),
            ..TwoQ::default()
        }),
        "s3_fifo" => Box::new(S3Fifo {
            small_pages: share(10),
            main_pages: c - share(10),
            ghost_pages: c * 9 / 10,
            ..S3Fifo::default()
        }),
        "lirs" => Box::new(Lirs {
            c,
            lir_pages: c - share(1),
            ..Lirs::default()
        }),
        "lru_2" => Box::new(Lru2::default()),
        "lru_2 period=3" => Box::new(Lru2 {
            period: 3,
            ..Lru2::default()
        }),
        "lru_2 period=40" => Box::new(Lru2 {
            period: 40,
            ..Lru2::default()
        }),
        "w_tinylfu" => Box::new(WTinyLfu {
            capacity: c,
            window_pages: share(1),
            protected_pages: (c - share(1)) * 4 / 5,
            ..WTinyLfu::default()
        }),
        "opt" => Box::new(Opt::default()),
        _ => panic!("no slow model of {policy}"),
    }
}

pub(crate) struct Tier {
    size: usize,
    policy: Box<dyn Slow>,
    dirty: Vec<u64>,
}

impl Tier {
    pub(crate) fn new(policy: &str, size: usize) -> Self {
        Self {
            size,
            policy: model(policy, size),
            dirty: Vec::new(),
        }
    }
    pub(crate) fn has(&self, page: u64) -> bool {
        self.policy.pages().contains(&page)
    }
    pub(crate) fn soil(&mut self, page: u64) {
        self.dirty.push(page);
    }
    pub(crate) fn victim(&mut self, incoming: u64) -> Option<(u64, bool)> {
        (self.policy.pages().len() == self.size).then(|| {
            let dirty = &self.dirty;
            let page = self.policy.evict(incoming, &|page| dirty.contains(&page));
            assert!(!self.has(page), "the victim has left");
            (page, drop_from(&mut self.dirty, page))
        })
    }
    /// The same, where some pages must be kept.
    pub(crate) fn victim_but(&mut self, incoming: u64, kept: Ask<'_>) -> Option<(u64, bool)> {
        (self.policy.pages().len() == self.size).then(|| {
            let dirty = &self.dirty;
            let is_dirty = |page| dirty.contains(&page);
            let page = self.policy.evict_but(incoming, &is_dirty, kept);
            assert!(!kept(page) && !self.has(page), "an open page has left");
            (page, drop_from(&mut self.dirty, page))
        })
    }
    /// A page need no longer be kept.
    pub(crate) fn released(&mut self, page: u64) {
        self.policy.released(page);
    }
    pub(crate) fn see(&mut self, accesses: &[Access], now: usize) {
        self.policy.see(accesses, now);
    }
    pub(crate) fn hit(&mut self, page: u64) {
        self.policy.hit(page);
    }
    /// Takes a page out and tells whether it is dirty.
    pub(crate) fn take(&mut self, page: u64) -> bool {
        self.policy.take(page);
        drop_from(&mut self.dirty, page)
    }
    pub(crate) fn add(&mut self, page: u64, dirty: bool) {
        self.policy.enter(page);
        assert!(self.has(page) && self.policy.pages().len() <= self.size);
        if dirty {
            self.soil(page);
        }
    }
}

/// Counters of a scheme under any two policies; `flash_pages` of `none` does not matter.
pub(crate) fn two_tier(
    scheme: &str,
    accesses: &[Access],
    (ram_policy, ram_pages): (&str, usize),
    (flash_policy, flash_pages): (&str, usize),
) -> Counters {
    let mut ram = Tier::new(ram_policy, ram_pages);
    let mut flash = Tier::new(flash_policy, flash_pages.max(1));
    let mut count = Counters::default();
    for (now, &(page, write)) in accesses.iter().enumerate() {
        ram.policy.see(accesses, now);
        flash.policy.see(accesses, now);
        if ram.has(page) {
            count.ram_hits += 1;
            ram.policy.hit(page);
        } else {
            let on_flash = scheme != "none" && flash.has(page);
            if on_flash {
                count.flash_hits += 1;
                count.flash_reads += 1;
            } else {
                count.flash_misses += 1;
                count.hdd_reads += 1;
            }
            let mut dirty = false;
            if on_flash && scheme == "exclusive" {
                flash.policy.take(page);
                dirty = drop_from(&mut flash.dirty, page);
            } else if on_flash {
                flash.policy.hit(page);
            }
            if let Some((victim, victim_dirty)) = ram.victim(page) {
                if scheme == "none" {
                    count.hdd_writes += u64::from(victim_dirty);
                } else if flash.has(victim) {
                    if victim_dirty {
                        count.flash_writes += 1;
                        flash.soil(victim);
                        flash.policy.hit(victim);
                    }
                } else {
                    if let Some((_, true)) = flash.victim(victim) {
                        count.hdd_writes += 1;
                    }
                    count.flash_writes += 1;
                    flash.add(victim, victim_dirty);
                }
            }
            ram.add(page, dirty);
        }
        if write {
            ram.soil(page);
        }
    }
    count
}

/// Counters of `inclusive`, or of `inclusive_global` if flash sees every reference, under any two
/// policies. No page of RAM is ever chosen on flash.
pub(crate) fn inclusive(
    global: bool,
    accesses: &[Access],
    (ram_policy, ram_pages): (&str, usize),
    (flash_policy, flash_pages): (&str, usize),
) -> Counters {
    let mut ram = Tier::new(ram_policy, ram_pages);
    let mut flash = Tier::new(flash_policy, flash_pages);
    let mut count = Counters::default();
    for (now, &(page, write)) in accesses.iter().enumerate() {
        ram.see(accesses, now);
        flash.see(accesses, now);
        if ram.has(page) {
            count.ram_hits += 1;
            ram.hit(page);
            if global {
                flash.hit(page);
            }
        } else {
            let on_flash = flash.has(page);
            if let Some((victim, dirty)) = ram.victim(page) {
                if dirty {
                    count.flash_writes += 1;
                    flash.soil(victim);
                    if !global {
                        flash.hit(victim);
                    }
                }
                flash.policy.released(victim);
            }
            if on_flash {
                count.flash_hits += 1;
                count.flash_reads += 1;
                flash.hit(page);
            } else {
                count.flash_misses += 1;
                count.hdd_reads += 1;
                if flash.policy.pages().len() == flash_pages {
                    let dirty = flash.dirty.clone();
                    let in_ram = ram.policy.pages();
                    let victim =
                        flash
                            .policy
                            .evict_but(page, &|page| dirty.contains(&page), &|page| {
                                in_ram.contains(&page)
                            });
                    assert!(!in_ram.contains(&victim) && !flash.has(victim));
                    count.hdd_writes += u64::from(drop_from(&mut flash.dirty, victim));
                }
                count.flash_writes += 1;
                flash.add(page, false);
            }
            ram.add(page, false);
        }
        if write {
            ram.soil(page);
        }
        assert!(ram.policy.pages().iter().all(|&page| flash.has(page)));
    }
    count
}
