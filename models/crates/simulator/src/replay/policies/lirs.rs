//! LIRS, low inter-reference recency set.

use super::{Policy, Removable, guarding_by, smallest_share};
use crate::replay::lists::Lists;
use crate::replay::recency::Recency;
use crate::replay::settings::{Setting, Settings, Values};

/// Pages in the cache of high inter-reference recency (HIR), in the order of the queue.
const QUEUE: u8 = 0;
/// Absent pages of the stack, in the order in which they left the cache.
const GHOSTS: u8 = 1;
/// LIR pages in the order of the stack; kept only where pages are guarded.
const LIR_ORDER: u8 = 2;
/// Tag of a page that is not LIR.
const NOT_LIR: u8 = 0;
/// Tag of a page in the cache of low inter-reference recency: on the stack.
const LIR: u8 = 1;

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
/// HIR pages have 1 % of the cache, as in the paper, and at least one page. The rules of the paper
/// give the stack no limit; an implementation needs one, since the stack could hold every page of the
/// trace. Chosen: twice the pages of the cache, as in the simulator behind the published counts. The limit
/// matters: on block traces the misses without it (`stack_limit` 1000000) differ by up to 4 %. A cache
/// with no room for LIR pages (one page) is LRU over the queue. A pool of a split buffer may have to
/// give a page while its queue is empty; chosen: the lowest LIR page, as if DEMOTE came first.
///
/// A pool whose size changes: the share of LIR pages and the limit of the stack follow it. DEMOTE while
/// there are more LIR pages than their share, then the ghosts that the stack has no room for leave it,
/// first gone first. Pages leave by the front of Q, one at a time. A share that has grown is filled by the next misses.
///
/// Guarded pages: the first open page of Q leaves. If Q has none, the lowest open LIR page does, as in a pool
/// with an empty queue, and the next newcomer takes its share. Newcomers are in Q and, under RAM, guarded:
/// where RAM has more pages than Q, set `hir_share` above the share of RAM in flash.
#[derive(Debug)]
pub(crate) struct Lirs<const GUARDED: bool = false> {
    settings: Settings,
    stack: Recency,
    /// [`QUEUE`] and [`GHOSTS`]; the tag is [`LIR`] for a LIR page, which is in neither.
    lists: Lists<3, GUARDED>,
    stack_pages: u32,
    lir_pages: u32,
    lir: u32,
}

impl<const GUARDED: bool> Lirs<GUARDED> {
    #[inline]
    fn is_lir(&self, page: u32) -> bool {
        self.lists.tag(page) == LIR
    }

    #[inline]
    fn prune(&mut self) {
        while self.stack.len() > 0 {
            let lowest = self.stack.least_recent();
            if self.is_lir(lowest) {
                return;
            }
            self.stack.pop_least_recent();
            if self.lists.is_in(lowest, GHOSTS) {
                self.lists.remove(lowest);
            }
        }
    }

    #[inline]
    fn limit_stack(&mut self) {
        while self.stack.len() > self.stack_pages && self.lists.len(GHOSTS) > 0 {
            let ghost = self.lists.pop(GHOSTS);
            // It is not LIR, so it is not the lowest page, and no pruning is due.
            self.stack.remove(ghost);
        }
    }

    /// Makes a page of the stack LIR, and the lowest LIR page HIR if that is one too many.
    #[inline]
    fn promote(&mut self, page: u32) {
        self.lists.remove(page);
        self.lists.set_tag(page, LIR);
        self.order(page);
        self.stack.touch(page);
        self.lir += 1;
        if self.lir > self.lir_pages {
            // The page was on a pruned stack and not LIR, so a LIR page lay below it.
            self.demote();
        }
        self.prune();
    }

    /// Notes that a LIR page is at the top of the stack now.
    #[inline]
    fn order(&mut self, page: u32) {
        if GUARDED {
            self.lists.push(page, LIR_ORDER);
        }
    }

    /// Takes a LIR page out of the cache, and off the stack.
    fn drop_lir(&mut self, page: u32) {
        self.lists.set_tag(page, NOT_LIR);
        self.lists.remove(page);
        self.lir -= 1;
        self.stack.remove(page);
        self.prune();
    }

    /// Makes the lowest page of the stack, which is LIR, HIR.
    #[inline]
    fn demote(&mut self) {
        let lowest = self.stack.pop_least_recent();
        self.lists.set_tag(lowest, NOT_LIR);
        self.lists.push(lowest, QUEUE);
        self.lir -= 1;
    }

    /// Puts a page that is not on the stack at the end of the queue and, if there is a stack, on top.
    #[inline]
    fn pass_through(&mut self, page: u32) {
        self.lists.push(page, QUEUE);
        if self.lir > 0 {
            self.stack.insert(page);
            self.limit_stack();
        }
    }
}

impl<const GUARDED: bool> Policy for Lirs<GUARDED> {
    type Guarded = Lirs<true>;

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
            description: "Pages reserved for pages with high inter-reference recency, as a share of the cache; at least one.",
            default: "0.01",
            values: Values::Number {
                least: 0.0,
                most: 1.0,
            },
        },
    ];

    /// The queue of HIR pages and the LIR pages.
    fn smallest_part(settings: &Settings) -> Result<f64, &'static str> {
        let hir = settings.number("hir_share");
        smallest_share(&[hir], &[1.0 - hir])
    }

    fn new(capacity: u32) -> Self {
        Self::configured(capacity, &Settings::defaults(Self::OPTIONS))
    }

    fn configured(capacity: u32, settings: &Settings) -> Self {
        let mut cache = Self {
            settings: settings.clone(),
            stack: Recency::default(),
            lists: Lists::new(),
            stack_pages: 0,
            lir_pages: 0,
            lir: 0,
        };
        cache.resize(capacity);
        cache
    }

    fn resize(&mut self, capacity: u32) {
        let hir_pages = self.settings.share("hir_share", capacity, 1).min(capacity);
        self.stack_pages = self.settings.share("stack_limit", capacity, 1);
        self.lir_pages = capacity - hir_pages;
        while self.lir > self.lir_pages {
            self.demote();
            self.prune();
        }
        self.limit_stack();
    }

    fn grow(&mut self, pages: usize) {
        self.stack.grow(pages);
        self.lists.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.stack.fetch(pages);
        self.lists.fetch(pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.is_lir(page) || self.lists.is_in(page, QUEUE)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.lir + self.lists.len(QUEUE)
    }

    #[inline]
    fn on_hit(&mut self, page: u32) {
        if self.is_lir(page) {
            self.order(page);
            self.stack.touch(page);
            self.prune();
        } else if self.stack.contains(page) {
            self.promote(page);
        } else {
            self.pass_through(page);
        }
    }

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        if self.lists.open(QUEUE) == 0 {
            let lowest = if GUARDED {
                self.lists.oldest_open(LIR_ORDER)
            } else {
                self.stack.least_recent()
            };
            self.drop_lir(lowest);
            return lowest;
        }
        let victim = self.lists.pop_open(QUEUE);
        if self.stack.contains(victim) {
            self.lists.push(victim, GHOSTS);
            // Pages that a pool holds beyond its size may fill the stack alone.
            self.limit_stack();
        }
        victim
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        if self.stack.contains(page) {
            self.promote(page);
        } else if self.lir < self.lir_pages {
            self.lists.set_tag(page, LIR);
            self.order(page);
            self.lir += 1;
            self.stack.insert(page);
            self.limit_stack();
        } else {
            self.pass_through(page);
        }
    }

    fn recount(&self) -> Result<(), String> {
        self.stack.recount()?;
        self.lists.recount()?;
        let stacked: Vec<u32> = self.stack.iter().collect();
        let lir = stacked.iter().filter(|&&page| self.is_lir(page)).count();
        let ghosts = stacked
            .iter()
            .filter(|&&page| self.lists.is_in(page, GHOSTS))
            .count();
        let known = stacked
            .iter()
            .all(|&page| self.contains(page) || self.lists.is_in(page, GHOSTS));
        let lowest = stacked.first();
        let lir_in_order = stacked.iter().copied().filter(|&page| self.is_lir(page));
        if GUARDED && !lir_in_order.eq(self.lists.iter(LIR_ORDER)) {
            return Err("the LIR pages are in another order than on the stack".to_owned());
        }
        if lir != self.lir as usize
            || self.lir > self.lir_pages
            || ghosts != self.lists.len(GHOSTS) as usize
            || !known
            || (stacked.len() > self.stack_pages as usize && ghosts > 0)
            || lowest.is_some_and(|&page| !self.is_lir(page))
        {
            return Err(format!(
                "LIRS counts {} LIR pages of {} and {} ghosts; its stack of {} (at most {}) has {lir} and {ghosts}, and ends with {lowest:?}",
                self.lir,
                self.lir_pages,
                self.lists.len(GHOSTS),
                stacked.len(),
                self.stack_pages
            ));
        }
        Ok(())
    }
}

impl<const GUARDED: bool> Removable for Lirs<GUARDED> {
    #[inline]
    fn remove(&mut self, page: u32) {
        if self.is_lir(page) {
            self.drop_lir(page);
            return;
        }
        self.lists.remove(page);
        if self.stack.contains(page) {
            self.stack.remove(page);
            self.prune();
        }
    }
}

guarding_by!(Lirs<true>, lists);
