//! S3-FIFO: three FIFO queues.

use super::{Policy, Removable, guarding_by, smallest_share};
use crate::replay::bits::BitSet;
use crate::replay::lists::{Lists, NO_PAGE};
use crate::replay::settings::{Setting, Settings, Values};

const SMALL: u8 = 0;
const MAIN: u8 = 1;
const GHOST: u8 = 2;
/// Uses of a page that are counted.
const MOST_USES: u8 = 3;

/// Yang and others, SOSP 2023, Algorithm 1.
///
/// ```text
/// hit:  uses[pg] = min(uses[pg] + 1, 3)
/// miss: while full: if |main| > main pages or small is empty: EVICT MAIN, else EVICT SMALL
///       pg enters main if it is in ghost, else small; uses[pg] = 0
///       (before the first eviction: main as soon as small holds its share)
/// EVICT SMALL: from the oldest on: if uses >= threshold: to main, uses = 0
///                                  else: to ghost, done
/// EVICT MAIN:  from the oldest on: if uses > 0: uses -= 1, to the new end of main
///                                  else: drop it, done
/// ghost drops its oldest page when it is longer than its share
/// ```
///
/// The printed algorithm asks `uses > 1` of a page that moves to main: the threshold 2 here. It evicts
/// from small whenever that holds its share; the authors' simulator, and this one, evict from small
/// unless main holds more than its own share. Both say nothing of an empty cache; as in the authors'
/// simulator, main fills up with the pages that small has no room for, so that no share of the cache
/// lies idle. A ghost that comes back leaves the ghost queue.
///
/// A pool whose size changes: all three shares follow it, and ghost drops its oldest while it is longer
/// than its own. Pages leave by the rules above, one at a time: from main while it is above its new
/// share, else from small. What a pool gains after its first eviction is filled by newcomers in small.
///
/// Guarded pages: both evictions go over the open pages only, and the others keep places and uses. A queue
/// without an open page gives way to the other one. Guarded pages count in the length of main.
#[derive(Debug)]
pub(crate) struct S3Fifo<const GUARDED: bool = false> {
    settings: Settings,
    /// The tag counts uses.
    lists: Lists<3, GUARDED>,
    small_pages: u32,
    main_pages: u32,
    ghost_pages: u32,
    threshold: u8,
    /// The page for which room was made last, if it was a ghost.
    returning: u32,
    has_evicted: bool,
}

impl<const GUARDED: bool> S3Fifo<GUARDED> {
    /// Evicts from small; `None` if all its pages moved to main.
    #[inline]
    fn evict_small(&mut self) -> Option<u32> {
        while self.lists.open(SMALL) > 0 {
            let page = self.lists.oldest_open(SMALL);
            if self.lists.tag(page) >= self.threshold {
                self.lists.set_tag(page, 0);
                self.lists.push(page, MAIN);
            } else {
                if self.ghost_pages == 0 {
                    return Some(self.lists.pop_open(SMALL));
                }
                if self.lists.len(GHOST) >= self.ghost_pages {
                    self.lists.pop(GHOST);
                }
                self.lists.push(page, GHOST);
                return Some(page);
            }
        }
        None
    }

    #[inline]
    fn evict_main(&mut self) -> u32 {
        loop {
            let page = self.lists.oldest_open(MAIN);
            let uses = self.lists.tag(page);
            if uses == 0 {
                return self.lists.pop_open(MAIN);
            }
            self.lists.set_tag(page, uses - 1);
            self.lists.push(page, MAIN);
        }
    }

    #[inline]
    fn evict_one(&mut self) -> u32 {
        loop {
            let too_long = self.lists.len(MAIN) > self.main_pages;
            if self.lists.open(MAIN) > 0 && (too_long || self.lists.open(SMALL) == 0) {
                return self.evict_main();
            }
            if let Some(victim) = self.evict_small() {
                return victim;
            }
        }
    }
}

impl<const GUARDED: bool> Policy for S3Fifo<GUARDED> {
    type Guarded = S3Fifo<true>;

    const OPTIONS: &'static [Setting] = &[
        Setting {
            name: "small_share",
            description: "Pages of the small queue, as a share of the cache.",
            default: "0.1",
            values: Values::Number {
                least: 0.0,
                most: 1.0,
            },
        },
        Setting {
            name: "ghost_share",
            description: "Pages remembered after leaving the small queue, as a share of the cache.",
            default: "0.9",
            values: Values::Number {
                least: 0.0,
                most: 100.0,
            },
        },
        Setting {
            name: "threshold",
            description: "Hits in the small queue that move a page to the main queue.",
            default: "2",
            values: Values::Whole { least: 1, most: 3 },
        },
    ];

    /// The small queue, the main queue and the ghosts.
    fn smallest_part(settings: &Settings) -> Result<f64, &'static str> {
        let small = settings.number("small_share");
        smallest_share(&[small], &[1.0 - small, settings.number("ghost_share")])
    }

    fn new(capacity: u32) -> Self {
        Self::configured(capacity, &Settings::defaults(Self::OPTIONS))
    }

    #[expect(clippy::cast_possible_truncation, reason = "it is at most 3")]
    fn configured(capacity: u32, settings: &Settings) -> Self {
        let mut cache = Self {
            settings: settings.clone(),
            lists: Lists::new(),
            small_pages: 0,
            main_pages: 0,
            ghost_pages: 0,
            threshold: settings.whole("threshold") as u8,
            returning: NO_PAGE,
            has_evicted: false,
        };
        cache.resize(capacity);
        cache
    }

    fn resize(&mut self, capacity: u32) {
        self.small_pages = self.settings.share("small_share", capacity, 1);
        self.main_pages = capacity - self.small_pages.min(capacity);
        self.ghost_pages = self.settings.share("ghost_share", capacity, 0);
        while self.lists.len(GHOST) > self.ghost_pages {
            self.lists.pop(GHOST);
        }
    }

    fn grow(&mut self, pages: usize) {
        self.lists.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.lists.fetch(pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.lists.is_in_first(page, GHOST)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.lists.len(SMALL) + self.lists.len(MAIN)
    }

    #[inline]
    fn on_hit(&mut self, page: u32) {
        let uses = self.lists.tag(page);
        self.lists.set_tag(page, (uses + 1).min(MOST_USES));
    }

    #[inline]
    fn evict(&mut self, incoming: u32) -> u32 {
        self.has_evicted = true;
        self.returning = NO_PAGE;
        if self.lists.is_in(incoming, GHOST) {
            self.lists.remove(incoming);
            self.returning = incoming;
        }
        self.evict_one()
    }

    /// No ghost returns.
    #[inline]
    fn give(&mut self, _dirty: &BitSet) -> u32 {
        self.has_evicted = true;
        self.evict_one()
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        let to_main = self.returning == page
            || self.lists.is_in(page, GHOST)
            || (!self.has_evicted && self.lists.len(SMALL) >= self.small_pages);
        self.returning = NO_PAGE;
        self.lists.set_tag(page, 0);
        self.lists.push(page, if to_main { MAIN } else { SMALL });
    }

    fn recount(&self) -> Result<(), String> {
        self.lists.recount()?;
        let ghosts = self.lists.len(GHOST);
        if ghosts <= self.ghost_pages {
            Ok(())
        } else {
            Err(format!(
                "S3-FIFO remembers {ghosts} pages, at most {}",
                self.ghost_pages
            ))
        }
    }
}

impl<const GUARDED: bool> Removable for S3Fifo<GUARDED> {
    #[inline]
    fn remove(&mut self, page: u32) {
        self.lists.remove(page);
    }
}

guarding_by!(S3Fifo<true>, lists);
