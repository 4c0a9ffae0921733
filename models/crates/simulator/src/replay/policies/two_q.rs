//! 2Q, the full version.

use super::{Policy, Removable, guarding_by, smallest_share};
use crate::replay::bits::BitSet;
use crate::replay::lists::{Lists, NO_PAGE};
use crate::replay::settings::{Setting, Settings, Values};

/// Newcomers, first in, first out.
const A1_IN: u8 = 0;
/// Pages that came back, least recent first.
const AM: u8 = 1;
/// Ghosts of pages evicted from `A1_IN`, first in, first out.
const A1_OUT: u8 = 2;

/// Johnson and Shasha, VLDB 1994, figure of the full version.
///
/// ```text
/// pg in Am:    to the recent end of Am
/// pg in A1in:  nothing
/// pg in A1out: RECLAIM; to the recent end of Am
/// else:        RECLAIM; to the new end of A1in
/// RECLAIM (only when full):
///   if |A1in| > Kin: oldest of A1in to A1out; if |A1out| > Kout: drop the oldest of A1out
///   else:            drop the least recent of Am
/// ```
///
/// Kin is 25 % and Kout 50 % of the pages, as the paper recommends. Where it is silent: a page
/// found in `A1out` leaves it before RECLAIM, so that it cannot be dropped by its own return; with
/// nothing in `Am` the victim is the oldest of `A1in` whatever its length.
///
/// A pool whose size changes: Kin and Kout follow it, and `A1out` drops its oldest while it is longer
/// than Kout. Pages leave by RECLAIM, one at a time, so `A1in` comes down to the new Kin first.
///
/// Guarded pages: RECLAIM takes the oldest open page of the list that it chooses, or of the other one if
/// that has none open. Guarded pages count in the length of `A1in`.
#[derive(Debug)]
pub(crate) struct TwoQ<const GUARDED: bool = false> {
    settings: Settings,
    lists: Lists<3, GUARDED>,
    k_in: u32,
    k_out: u32,
    /// The page for which room was made last, if it was on `A1out`.
    returning: u32,
}

impl<const GUARDED: bool> TwoQ<GUARDED> {
    #[inline]
    fn reclaim(&mut self) -> u32 {
        let too_long = self.lists.len(A1_IN) > self.k_in;
        if self.lists.open(A1_IN) > 0 && (too_long || self.lists.open(AM) == 0) {
            let victim = self.lists.oldest_open(A1_IN);
            self.lists.push(victim, A1_OUT);
            if self.lists.len(A1_OUT) > self.k_out {
                self.lists.pop(A1_OUT);
            }
            victim
        } else {
            self.lists.pop_open(AM)
        }
    }
}

impl<const GUARDED: bool> Policy for TwoQ<GUARDED> {
    type Guarded = TwoQ<true>;

    const OPTIONS: &'static [Setting] = &[
        Setting {
            name: "k_in",
            description: "Pages of the queue of newcomers (Kin), as a share of the cache.",
            default: "0.25",
            values: Values::Number {
                least: 0.0,
                most: 1.0,
            },
        },
        Setting {
            name: "k_out",
            description: "Pages remembered after leaving that queue (Kout), as a share of the cache.",
            default: "0.5",
            values: Values::Number {
                least: 0.0,
                most: 100.0,
            },
        },
    ];

    /// Kin, what it leaves to Am, and Kout.
    fn smallest_part(settings: &Settings) -> Result<f64, &'static str> {
        let k_in = settings.number("k_in");
        smallest_share(&[k_in, settings.number("k_out")], &[1.0 - k_in])
    }

    fn new(capacity: u32) -> Self {
        Self::configured(capacity, &Settings::defaults(Self::OPTIONS))
    }

    fn configured(capacity: u32, settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            lists: Lists::new(),
            k_in: settings.share("k_in", capacity, 1),
            k_out: settings.share("k_out", capacity, 1),
            returning: NO_PAGE,
        }
    }

    fn resize(&mut self, capacity: u32) {
        self.k_in = self.settings.share("k_in", capacity, 1);
        self.k_out = self.settings.share("k_out", capacity, 1);
        while self.lists.len(A1_OUT) > self.k_out {
            self.lists.pop(A1_OUT);
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
        self.lists.is_in_first(page, A1_OUT)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.lists.len(A1_IN) + self.lists.len(AM)
    }

    #[inline]
    fn on_hit(&mut self, page: u32) {
        if self.lists.is_in(page, AM) {
            self.lists.push(page, AM);
        }
    }

    #[inline]
    fn evict(&mut self, incoming: u32) -> u32 {
        self.returning = NO_PAGE;
        if self.lists.is_in(incoming, A1_OUT) {
            self.lists.remove(incoming);
            self.returning = incoming;
        }
        self.reclaim()
    }

    /// RECLAIM alone.
    #[inline]
    fn give(&mut self, _dirty: &BitSet) -> u32 {
        self.reclaim()
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        let again = self.returning == page || self.lists.is_in(page, A1_OUT);
        self.returning = NO_PAGE;
        self.lists.push(page, if again { AM } else { A1_IN });
    }

    fn recount(&self) -> Result<(), String> {
        self.lists.recount()?;
        let ghosts = self.lists.len(A1_OUT);
        if ghosts <= self.k_out {
            Ok(())
        } else {
            Err(format!(
                "2Q remembers {ghosts} pages, at most {}",
                self.k_out
            ))
        }
    }
}

impl<const GUARDED: bool> Removable for TwoQ<GUARDED> {
    #[inline]
    fn remove(&mut self, page: u32) {
        self.lists.remove(page);
    }
}

guarding_by!(TwoQ<true>, lists);
