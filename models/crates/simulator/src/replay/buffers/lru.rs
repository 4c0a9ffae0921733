//! LRU as a buffer: the baseline that knows no cost.

use super::{Buffer, BufferCounters, BufferResult, Run, drive};
use crate::error::Result;
use crate::replay::policies::lru::Lru;
use crate::replay::tier::Tier;
use crate::replay::{CACHE, Fill, Machine, Totals};

/// Mattson, Gecsei, Slutz and Traiger, IBM Systems Journal 1970; the comparison of Lv and others, Hot
/// data identification and FD-Buffer.
///
/// ```text
/// hit:  pg becomes the most recent
/// miss: the least recent page leaves, written if it is dirty; pg enters as the most recent
/// ```
pub(super) struct LruBuffer {
    cache: Tier<Lru>,
    counters: BufferCounters,
}

pub(super) fn start(run: Run<'_, '_>) -> Result<BufferResult> {
    let buffer = LruBuffer::new(run.pages);
    drive(run, buffer)
}

impl LruBuffer {
    pub(super) fn new(pages: u32) -> Self {
        Self {
            cache: Tier::new(pages),
            counters: BufferCounters::default(),
        }
    }
}

impl Machine for LruBuffer {
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

impl Buffer for LruBuffer {
    fn counters(&self) -> BufferCounters {
        self.counters
    }
}
