//! SIEVE: lazy promotion and quick demotion with one queue and one hand.

use super::{Policy, Removable, guarding_by};
use crate::replay::bits::BitSet;
use crate::replay::queue::Queue;
use crate::replay::settings::Settings;

/// Zhang and others, NSDI 2024, Algorithm 1.
///
/// ```text
/// hit:  used[pg] = 1
/// miss: hand = oldest page at the start, and after the newest one
///       while used[hand]: used[hand] = 0; hand = next newer page
///       evict hand; hand = next newer page
///       pg enters as the newest, used[pg] = 0
/// ```
///
/// Unlike CLOCK, a page that is passed over keeps its place in the queue. The hand passes over a guarded
/// page and leaves its bit alone.
#[derive(Debug, Default)]
pub(crate) struct Sieve {
    queue: Queue,
    used: BitSet,
}

impl Policy for Sieve {
    type Guarded = Self;

    /// The hand comes ever closer to the newest page as long as newcomers are not used, to a distance of a page in a
    /// cache of any size: there a newcomer leaves at the next miss, which a sample sees later. On one of two real traces
    /// with many such newcomers the intervals missed the count at most sizes.
    fn smallest_part(_settings: &Settings) -> Result<f64, &'static str> {
        Err("its hand stays beside the newest page for a time that does not shrink with the cache")
    }

    fn new(_capacity: u32) -> Self {
        Self::default()
    }

    fn grow(&mut self, pages: usize) {
        self.queue.grow(pages);
        self.used.grow(pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.queue.contains(page)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.queue.len()
    }

    #[inline]
    fn on_hit(&mut self, page: u32) {
        self.used.insert(page);
    }

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        loop {
            let page = self.queue.at_hand();
            if !self.queue.is_guarded(page) && !self.used.take(page) {
                break;
            }
            self.queue.advance();
        }
        self.queue.evict_at_hand()
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.queue.insert(page);
    }

    fn recount(&self) -> Result<(), String> {
        self.queue.recount()?;
        match self.used.iter().find(|&page| !self.queue.contains(page)) {
            None => Ok(()),
            Some(page) => Err(format!("absent page {page} has its used bit set")),
        }
    }
}

impl Removable for Sieve {
    fn expect_removal(&mut self) {
        self.queue.expect_removal();
    }

    #[inline]
    fn remove(&mut self, page: u32) {
        self.used.take(page);
        self.queue.remove(page);
    }
}

guarding_by!(Sieve, queue, expect_guards);
