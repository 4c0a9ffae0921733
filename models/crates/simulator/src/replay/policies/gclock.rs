//! Generalised CLOCK: a use counter instead of a bit.

use super::{Policy, Removable, guarding_by};
use crate::replay::queue::Queue;
use crate::replay::settings::{Setting, Settings, Values};

/// CLOCK with counters, as in Smith 1978 and Nicola, Dan, Dias 1992 (with equal weights).
///
/// ```text
/// hit:  count[pg] = min(count[pg] + 1, ceiling)
/// miss: while count[hand] > 0: count[hand] -= 1; hand moves on
///       evict hand
///       pg enters just behind the hand, count[pg] = entry
/// ```
///
/// The papers leave ceiling and first value to the system. Chosen here: ceiling 5, the one
/// `PostgreSQL` uses, and entry 0, so that a ceiling of 1 is CLOCK; `entry` 1 is `PostgreSQL`'s.
///
/// The hand passes over a guarded page and leaves its counter alone, as it does over a pinned buffer of
/// `PostgreSQL`.
#[derive(Debug)]
pub(crate) struct Gclock {
    queue: Queue,
    counts: Vec<u8>,
    ceiling: u8,
    entry: u8,
}

impl Policy for Gclock {
    type Guarded = Self;

    const OPTIONS: &'static [Setting] = &[
        Setting {
            name: "ceiling",
            description: "Largest use counter of a page; 1 is CLOCK.",
            default: "5",
            values: Values::Whole {
                least: 1,
                most: 255,
            },
        },
        Setting {
            name: "entry",
            description: "Use counter with which a page enters, at most the ceiling.",
            default: "0",
            values: Values::Whole {
                least: 0,
                most: 255,
            },
        },
    ];

    fn new(capacity: u32) -> Self {
        Self::configured(capacity, &Settings::defaults(Self::OPTIONS))
    }

    #[expect(clippy::cast_possible_truncation, reason = "both are at most 255")]
    fn configured(_capacity: u32, settings: &Settings) -> Self {
        let ceiling = settings.whole("ceiling") as u8;
        Self {
            queue: Queue::default(),
            counts: Vec::new(),
            ceiling,
            entry: (settings.whole("entry") as u8).min(ceiling),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.queue.grow(pages);
        if pages > self.counts.len() {
            self.counts.resize(pages, 0);
        }
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
        let count = &mut self.counts[page as usize];
        *count = count.saturating_add(1).min(self.ceiling);
    }

    #[inline]
    fn evict(&mut self, _incoming: u32) -> u32 {
        loop {
            let page = self.queue.oldest();
            if !self.queue.is_guarded(page) {
                let count = &mut self.counts[page as usize];
                if *count == 0 {
                    return self.queue.pop();
                }
                *count -= 1;
            }
            self.queue.renew_oldest();
        }
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.counts[page as usize] = self.entry;
        self.queue.insert(page);
    }

    fn recount(&self) -> Result<(), String> {
        self.queue.recount()?;
        match self
            .queue
            .iter()
            .find(|&page| self.counts[page as usize] > self.ceiling)
        {
            None => Ok(()),
            Some(page) => Err(format!(
                "the counter of page {page} is above {}",
                self.ceiling
            )),
        }
    }
}

impl Removable for Gclock {
    fn expect_removal(&mut self) {
        self.queue.expect_removal();
    }

    #[inline]
    fn remove(&mut self, page: u32) {
        self.queue.remove(page);
    }
}

guarding_by!(Gclock, queue, expect_guards);
