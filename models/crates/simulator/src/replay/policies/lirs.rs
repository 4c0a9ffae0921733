//! LIRS, low inter-reference recency set.

use super::{Policy, Removable};
use crate::replay::recency::Recency;
use crate::replay::settings::{Setting, Settings, Values};

/// State of a page: not in the cache (but perhaps on the stack).
const ABSENT: u8 = 0;
/// In the cache, of high inter-reference recency: in the queue.
const HIR: u8 = 1;
/// In the cache, of low inter-reference recency: on the stack.
const LIR: u8 = 2;

/// Jiang and Zhang, SIGMETRICS 2002, section 3.3.
///
/// ```text
/// S: stack by recency of LIR pages, and of HIR pages and absent ones above the lowest LIR page
/// Q: queue of the HIR pages that are in the cache
///
/// hit on LIR:      to the top of S; PRUNE
/// hit on HIR in S: LIR, to the top of S, off Q; DEMOTE
/// hit on HIR else: to the top of S, to the end of Q
/// miss:            if full: the front of Q leaves the cache (its place on S stays)
///                  while there are fewer LIR pages than their share: pg is LIR, top of S
///                  if pg is on S: LIR, to the top of S; DEMOTE
///                  else: HIR, to the top of S, to the end of Q
/// DEMOTE: the lowest LIR page of S becomes HIR, leaves S, goes to the end of Q; PRUNE
/// PRUNE:  pages that are not LIR leave S from the bottom
/// after each access, while S holds more pages than its limit: the absent page that left the cache
///                  first leaves S
/// ```
///
/// HIR pages have 1 % of the cache, as in the paper, and at least one page. In the figures of the paper
/// the stack has no limit; an implementation needs one, since the stack could hold every page of the
/// trace. Chosen: twice the pages of the cache, which is what other simulators use. The limit
/// matters: on block traces the misses without it (`stack_limit` 1000000) differ by up to 4 %. A cache
/// with no room for LIR pages (one page) is LRU over the queue.
#[derive(Debug)]
pub(crate) struct Lirs {
    stack: Recency,
    queue: Recency,
    /// Absent pages of the stack, in the order in which they left the cache.
    ghosts: Recency,
    stack_pages: u32,
    states: Vec<u8>,
    lir_pages: u32,
    lir: u32,
}

impl Lirs {
    #[inline]
    fn put_on_stack(&mut self, page: u32) {
        if self.stack.contains(page) {
            self.stack.touch(page);
        } else {
            self.stack.insert(page);
        }
    }

    #[inline]
    fn prune(&mut self) {
        while self.stack.len() > 0 {
            let lowest = self.stack.least_recent();
            if self.states[lowest as usize] == LIR {
                return;
            }
            self.stack.pop_least_recent();
            if self.states[lowest as usize] == ABSENT {
                self.ghosts.remove(lowest);
            }
        }
    }

    #[inline]
    fn limit_stack(&mut self) {
        while self.stack.len() > self.stack_pages && self.ghosts.len() > 0 {
            let ghost = self.ghosts.pop_least_recent();
            // It is not LIR, so it is not the lowest page, and no pruning is due.
            self.stack.remove(ghost);
        }
    }

    /// Makes a page of the stack LIR, and as many of the lowest LIR pages HIR as are too many.
    #[inline]
    fn promote(&mut self, page: u32) {
        self.states[page as usize] = LIR;
        self.stack.touch(page);
        self.lir += 1;
        if self.lir > self.lir_pages {
            // The page is on a pruned stack and not LIR before, so a LIR page lies below it.
            let lowest = self.stack.pop_least_recent();
            self.states[lowest as usize] = HIR;
            self.lir -= 1;
            self.queue.insert(lowest);
        }
        self.prune();
    }
}

impl Policy for Lirs {
    const OPTIONS: &'static [Setting] = &[
        Setting {
            name: "stack_limit",
            description: "Largest number of pages on the stack, as a multiple of the cache.",
            default: "2",
            values: Values::Number {
                least: 1.0,
                most: 1e6,
            },
        },
        Setting {
            name: "hir_share",
            description: "Pages of the cache for pages of high inter-reference recency, as a share of it; at least one.",
            default: "0.01",
            values: Values::Number {
                least: 0.0,
                most: 1.0,
            },
        },
    ];

    fn new(capacity: u32) -> Self {
        Self::configured(capacity, &Settings::defaults(Self::OPTIONS))
    }

    fn configured(capacity: u32, settings: &Settings) -> Self {
        let hir_pages = settings.share("hir_share", capacity, 1).min(capacity);
        Self {
            stack: Recency::default(),
            queue: Recency::default(),
            ghosts: Recency::default(),
            stack_pages: settings.share("stack_limit", capacity, 1),
            states: Vec::new(),
            lir_pages: capacity - hir_pages,
            lir: 0,
        }
    }

    fn grow(&mut self, pages: usize) {
        self.stack.grow(pages);
        self.queue.grow(pages);
        self.ghosts.grow(pages);
        if pages > self.states.len() {
            self.states.resize(pages, ABSENT);
        }
    }

    fn fetch(&self, pages: &[u32]) {
        self.stack.fetch(pages);
        let mixed = pages
            .iter()
            .fold(0, |mixed, &page| mixed ^ self.states[page as usize]);
        std::hint::black_box(mixed);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.states[page as usize] != ABSENT
    }

    #[inline]
    fn len(&self) -> u32 {
        self.lir + self.queue.len()
    }

    #[inline]
    fn on_hit(&mut self, page: u32) {
        if self.states[page as usize] == LIR {
            self.stack.touch(page);
            self.prune();
        } else if self.stack.contains(page) {
            self.queue.remove(page);
            self.promote(page);
        } else {
            self.queue.touch(page);
            if self.lir > 0 {
                self.stack.insert(page);
                self.limit_stack();
            }
        }
    }

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        let victim = self.queue.pop_least_recent();
        self.states[victim as usize] = ABSENT;
        if self.stack.contains(victim) {
            self.ghosts.insert(victim);
        }
        victim
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        if self.stack.contains(page) {
            self.ghosts.remove(page);
        }
        if self.lir < self.lir_pages {
            self.states[page as usize] = LIR;
            self.lir += 1;
            self.put_on_stack(page);
            self.prune();
        } else if self.stack.contains(page) {
            self.promote(page);
        } else {
            self.states[page as usize] = HIR;
            self.queue.insert(page);
            if self.lir > 0 {
                self.stack.insert(page);
                self.limit_stack();
            }
        }
    }

    fn recount(&self) -> Result<(), String> {
        self.stack.recount()?;
        self.queue.recount()?;
        self.ghosts.recount()?;
        let in_state = |state: u8| {
            (0_u32..)
                .zip(&self.states)
                .filter(move |page| *page.1 == state)
        };
        let lir = in_state(LIR).count();
        let stacked = self
            .stack
            .iter()
            .filter(|&page| self.states[page as usize] == LIR)
            .count();
        let hir = in_state(HIR).count();
        let queued = self
            .queue
            .iter()
            .filter(|&page| self.states[page as usize] == HIR)
            .count();
        let lowest = self.stack.iter().next();
        let is_absent = |page: &u32| self.states[*page as usize] == ABSENT;
        let absent: Vec<u32> = self.stack.iter().filter(is_absent).collect();
        if !absent.iter().all(|&page| self.ghosts.contains(page))
            || absent.len() != self.ghosts.len() as usize
            || self.stack.len() > self.stack_pages
        {
            return Err(format!(
                "LIRS keeps {} pages on a stack of {}, with {} absent ones",
                self.stack.len(),
                self.stack_pages,
                self.ghosts.len()
            ));
        }
        if lir != self.lir as usize
            || stacked != lir
            || self.lir > self.lir_pages
            || hir != self.queue.len() as usize
            || queued != hir
            || lowest.is_some_and(|page| self.states[page as usize] != LIR)
        {
            return Err(format!(
                "LIRS has {lir} LIR pages of {} ({stacked} on the stack) and {hir} HIR pages ({queued} queued); the stack ends with {lowest:?}",
                self.lir_pages
            ));
        }
        Ok(())
    }
}

impl Removable for Lirs {
    #[inline]
    fn remove(&mut self, page: u32) {
        if self.states[page as usize] == LIR {
            self.lir -= 1;
        } else {
            self.queue.remove(page);
        }
        self.states[page as usize] = ABSENT;
        if self.stack.contains(page) {
            self.stack.remove(page);
            self.prune();
        }
    }
}
