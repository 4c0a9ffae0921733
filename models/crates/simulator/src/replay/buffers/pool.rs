//! Policies of a pool: replacement policies whose number of pages is not fixed.

use crate::replay::bits::BitSet;
use crate::replay::policies::lru::Lru;
use crate::replay::policies::{Policy, Removable};
use crate::replay::recency::Recency;

/// A policy from which a victim can be taken at any length above 0, and which holds as many pages as
/// it is given: a pool shrinks and grows as the split moves. Its capacity is that of the buffer.
pub(super) trait Elastic: Removable {}

impl Elastic for Lru {}

/// FIFO without frames: the order of entry, which hits do not change.
#[derive(Debug)]
pub(super) struct ElasticFifo {
    order: Recency,
}

/// CLOCK without frames: the hand stands at the oldest entry, and a second chance is a new entry.
#[derive(Debug)]
pub(super) struct ElasticClock {
    order: Recency,
    used: BitSet,
}

impl Policy for ElasticFifo {
    fn new(_capacity: u32) -> Self {
        Self {
            order: Recency::default(),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.order.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.order.fetch(pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.order.contains(page)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.order.len()
    }

    #[inline]
    fn on_hit(&mut self, _page: u32) {}

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        self.order.pop_least_recent()
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.order.insert(page);
    }

    fn recount(&self) -> Result<(), String> {
        self.order.recount()
    }
}

impl Removable for ElasticFifo {
    #[inline]
    fn remove(&mut self, page: u32) {
        self.order.remove(page);
    }
}

impl Elastic for ElasticFifo {}

impl Policy for ElasticClock {
    fn new(_capacity: u32) -> Self {
        Self {
            order: Recency::default(),
            used: BitSet::default(),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.order.grow(pages);
        self.used.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.order.fetch(pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.order.contains(page)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.order.len()
    }

    #[inline]
    fn on_hit(&mut self, page: u32) {
        self.used.insert(page);
    }

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        loop {
            let page = self.order.pop_least_recent();
            if !self.used.take(page) {
                return page;
            }
            self.order.insert(page);
        }
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.order.insert(page);
    }

    fn recount(&self) -> Result<(), String> {
        self.order.recount()?;
        match self.used.iter().find(|&page| !self.order.contains(page)) {
            None => Ok(()),
            Some(page) => Err(format!("absent page {page} has its used bit set")),
        }
    }
}

impl Removable for ElasticClock {
    #[inline]
    fn remove(&mut self, page: u32) {
        self.order.remove(page);
        self.used.take(page);
    }
}

impl Elastic for ElasticClock {}

/// The policies that a pool can have, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PoolPolicy {
    Lru,
    Fifo,
    Clock,
}

/// Names of [`PoolPolicy`].
pub(super) const POOL_POLICIES: &[(&str, PoolPolicy)] = &[
    ("lru", PoolPolicy::Lru),
    ("fifo", PoolPolicy::Fifo),
    ("clock", PoolPolicy::Clock),
];

/// Something that is done with a policy for each pool.
pub(super) trait WithPools {
    type Output;
    fn run<C: Elastic, D: Elastic>(self) -> Self::Output;
}

/// Chooses the policies of both pools, outside the loop over the accesses.
pub(super) fn with_pools<W: WithPools>(clean: PoolPolicy, dirty: PoolPolicy, work: W) -> W::Output {
    fn with_dirty<C: Elastic, W: WithPools>(dirty: PoolPolicy, work: W) -> W::Output {
        match dirty {
            PoolPolicy::Lru => work.run::<C, Lru>(),
            PoolPolicy::Fifo => work.run::<C, ElasticFifo>(),
            PoolPolicy::Clock => work.run::<C, ElasticClock>(),
        }
    }
    match clean {
        PoolPolicy::Lru => with_dirty::<Lru, W>(dirty, work),
        PoolPolicy::Fifo => with_dirty::<ElasticFifo, W>(dirty, work),
        PoolPolicy::Clock => with_dirty::<ElasticClock, W>(dirty, work),
    }
}
