//! LRU as a buffer: the baseline that knows no cost.

use super::{Buffer, BufferCounters, BufferResult, Run, drive};
use crate::error::Result;
use crate::replay::policies::lru::Lru;
use crate::replay::store::Store;
use crate::replay::tier::Tier;
use crate::replay::{CACHE, Fill, Machine, Totals};

/// Mattson, Gecsei, Slutz and Traiger, IBM Systems Journal 1970; the comparison of Lv and others, Hot
/// data identification and FD-Buffer.
///
/// ```text
/// hit:  pg becomes the most recent
/// miss: the least recent page leaves, written if it is dirty; pg enters as the most recent
/// ```
pub(super) struct LruBuffer<S = ()> {
    cache: Tier<Lru>,
    counters: BufferCounters,
    store: S,
}

pub(super) fn start<S: Store>(run: Run<'_, '_, S>) -> Result<BufferResult> {
    let buffer = LruBuffer::<S>::new(run.pages);
    drive(run, buffer)
}

impl<S: Store> LruBuffer<S> {
    pub(super) fn new(pages: u32) -> Self {
        Self {
            cache: Tier::new(pages),
            counters: BufferCounters::default(),
            store: S::default(),
        }
    }
}

impl<S: Store> Machine for LruBuffer<S> {
    fn grow(&mut self, pages: usize) {
        self.cache.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.cache.fetch(pages);
    }

    #[inline]
    fn access(&mut self, page: u32, write: bool) {
        if self.cache.contains(page) {
            self.counters.hit(self.cache.is_dirty(page), write);
            self.cache.on_hit(page);
            self.cache.soil(page, write);
        } else {
            self.counters.miss();
            if let Some(victim) = self.cache.evict_if_full(page) {
                self.counters.evict(victim.dirty);
                if victim.dirty {
                    self.store.write_back(victim.page);
                }
            }
            self.cache.insert(page, write);
        }
    }

    fn fill(&self) -> Fill {
        Fill::of(CACHE, self.cache.len(), self.cache.capacity())
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        self.cache.recount("buffer")?;
        self.counters.check(totals, u64::from(self.cache.len()))
    }
}

impl<S: Store> Buffer for LruBuffer<S> {
    type Store = S;

    fn store(&mut self) -> &mut S {
        &mut self.store
    }

    fn counters(&self) -> BufferCounters {
        self.counters
    }
}
