//! Recency order as an append-only log of touches.
//!
//! Every touch appends the page to the log and notes the place in `stamps`. One bit an entry tells
//! which are still live, that is, the last touch of a page that is held. Places are counted on from
//! the beginning and never used again, so a page is held exactly if its stamp is not before `tail`,
//! the place before which nothing is live: a victim leaves by moving `tail`, and nothing is written
//! for it. A touch is one sequential write, one random write and one bit, where a doubly linked list
//! needs three to four random writes. When the log is full its live entries slide to the front, so
//! memory is proportional to the pages held and each touch pays O(1) for it.

use crate::replay::BATCH;
use crate::replay::fetch::fetch;

pub(crate) mod bands;
pub(crate) mod protected;

/// Stamp of a page that was taken out of turn, or never touched: before every `tail`.
const NEVER: u32 = 0;
/// The first place.
const FIRST: u32 = 1;
/// Entries of the shortest log.
const SHORTEST_LOG: usize = 1 << 12;
/// Longest log: its places are stamps.
const LONGEST_LOG: usize = (u32::MAX - FIRST) as usize;
/// Log entries per page held after sliding: one slide per `LOG_FACTOR - 1` times as many touches.
const LOG_FACTOR: usize = 4;
/// The same of a log so short that its length costs nothing.
const SHORT_LOG_FACTOR: usize = 16;
/// Entries of the longest such log.
const SHORT_LOG: usize = 1 << 18;

/// What [`Recency::reference`] tells of each access.
pub(crate) trait Witness {
    /// Whether it asks which pages leave; else only their number is told.
    fn asks_victims(&self) -> bool;
    /// One access; told in order.
    fn access(&mut self, page: u32, hit: bool);
    /// A page leaves. Victims are told in their order, each before its page is accessed again.
    fn victim(&mut self, page: u32);
    /// Pages leave.
    fn victims(&mut self, count: u32);
}

/// The log and what of it is live.
#[derive(Debug)]
struct Log {
    /// The pages touched, from place `base` on.
    pages: Vec<u32>,
    /// One bit for each entry, set while it is live or not yet written, and a spare word.
    live: Vec<u64>,
    base: u32,
}

impl Log {
    fn starting_at(base: u32) -> Self {
        Self {
            pages: Vec::new(),
            live: vec![u64::MAX],
            base,
        }
    }

    /// Index of a place that is in the log.
    #[inline]
    fn index(&self, place: u32) -> usize {
        (place - self.base) as usize
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the log is no longer than places go"
    )]
    fn place(&self, index: usize) -> u32 {
        self.base + index as u32
    }

    #[inline]
    fn is_live(&self, index: usize) -> bool {
        self.live[index / 64] >> (index % 64) & 1 == 1
    }

    /// Ends the life of an entry.
    #[inline]
    fn bury(&mut self, index: usize) {
        self.live[index / 64] &= !(1 << (index % 64));
    }

    /// Index of a bit that belongs to no entry.
    fn spare(&self) -> usize {
        self.live.len() * 64 - 64
    }

    /// Index of the first live entry from a place on.
    #[inline]
    fn first_live(&self, from: u32) -> usize {
        let mut index = self.index(from);
        let mut rest = self.live[index / 64] >> (index % 64);
        while rest == 0 {
            index = (index / 64 + 1) * 64;
            rest = self.live[index / 64];
        }
        index + rest.trailing_zeros() as usize
    }

    /// The place behind the first `count` live entries from `from` on; there are as many, and at
    /// least one.
    fn skip(&self, from: u32, mut count: u32) -> u32 {
        let mut index = self.index(from);
        let mut rest = self.live[index / 64] >> (index % 64) << (index % 64);
        while rest.count_ones() < count {
            count -= rest.count_ones();
            index = (index / 64 + 1) * 64;
            rest = self.live[index / 64];
        }
        for _ in 1..count {
            rest &= rest - 1;
        }
        self.place(index / 64 * 64 + rest.trailing_zeros() as usize + 1)
    }

    /// Entries that the log is to have for so many pages.
    fn length_for(&self, held: u32) -> usize {
        let held = held as usize;
        let roomy = (held * SHORT_LOG_FACTOR).min(SHORT_LOG);
        (held * LOG_FACTOR)
            .max(roomy)
            .clamp(SHORTEST_LOG, LONGEST_LOG)
            .max(self.pages.len())
    }

    /// Slides the live entries between `tail` and `head` to the front and makes the log `length`
    /// entries long; tells `moved` the old and the new index of each, and returns the next free place.
    fn slide(
        &mut self,
        stamps: &mut [u32],
        tail: u32,
        head: u32,
        length: usize,
        mut moved: impl FnMut(usize, usize),
    ) -> u32 {
        let (from, end) = (self.index(tail), self.index(head));
        if u32::try_from(head as usize + length).is_ok() {
            self.base = head;
        } else {
            // Places are used up: they begin again, and no old stamp may look like one.
            stamps.fill(NEVER);
            self.base = FIRST;
        }
        let mut to = 0;
        let mut word = from / 64;
        let mut rest = self.live[word] >> (from % 64) << (from % 64);
        while word * 64 < end {
            while rest != 0 {
                let index = word * 64 + rest.trailing_zeros() as usize;
                if index >= end {
                    break;
                }
                rest &= rest - 1;
                let page = self.pages[index];
                stamps[page as usize] = self.place(to);
                self.pages[to] = page;
                moved(index, to);
                to += 1;
            }
            word += 1;
            rest = self.live[word];
        }
        self.pages.resize(length, 0);
        self.live.clear();
        self.live.resize(length.div_ceil(64) + 1, u64::MAX);
        self.place(to)
    }

    /// A place such that at least `count` of the `held` live entries between `from` and `head` lie
    /// before it; beyond all places if there are fewer.
    fn place_behind(&self, from: u32, head: u32, held: u32, count: usize) -> u32 {
        if held as usize <= count {
            return u32::MAX;
        }
        let index = self.index(from);
        let mut word = index / 64;
        let mut live = (self.live[word] >> (index % 64)).count_ones() as usize;
        while live < count {
            word += 1;
            live += self.live[word].count_ones() as usize;
        }
        // In the last word entries may have been counted that are not yet written.
        let place = self.place(word * 64 + 64);
        if place > head { u32::MAX } else { place }
    }
}

/// Pages in recency order.
#[derive(Debug)]
pub(crate) struct Recency {
    /// Place of each page's last touch.
    stamps: Vec<u32>,
    log: Log,
    /// No live entry lies before it.
    tail: u32,
    /// Next free place.
    head: u32,
    pages: u32,
}

impl Default for Recency {
    fn default() -> Self {
        Self::starting_at(FIRST)
    }
}

impl Recency {
    fn starting_at(place: u32) -> Self {
        Self {
            stamps: Vec::new(),
            log: Log::starting_at(place),
            tail: place,
            head: place,
            pages: 0,
        }
    }

    /// Makes room for the page numbers `0..pages`.
    pub(crate) fn grow(&mut self, pages: usize) {
        if pages > self.stamps.len() {
            self.stamps.resize(pages, NEVER);
        }
    }

    /// The pages of the next entries of the log, live or not: the least recent ones are among them.
    pub(crate) fn upcoming(&self) -> &[u32] {
        let held = &self.log.pages[self.log.index(self.tail)..self.log.index(self.head)];
        &held[..held.len().min(BATCH)]
    }

    /// Reads the stamps of some pages, all at once.
    pub(crate) fn fetch(&self, pages: &[u32]) {
        fetch(&self.stamps, pages);
    }

    #[inline]
    pub(crate) fn contains(&self, page: u32) -> bool {
        self.stamps[page as usize] >= self.tail
    }

    /// Pages held.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.pages
    }

    /// Adds an absent page at the most recent end.
    #[inline]
    pub(crate) fn insert(&mut self, page: u32) {
        self.pages += 1;
        self.append(page);
    }

    /// Moves a page that is held to the most recent end.
    #[inline]
    pub(crate) fn touch(&mut self, page: u32) {
        self.log.bury(self.log.index(self.stamps[page as usize]));
        self.append(page);
    }

    #[inline]
    fn append(&mut self, page: u32) {
        if self.room() == 0 {
            self.slide();
        }
        let index = self.log.index(self.head);
        self.log.pages[index] = page;
        self.stamps[page as usize] = self.head;
        self.head += 1;
    }

    /// Entries that the log has left.
    #[inline]
    fn room(&self) -> usize {
        self.log.pages.len() - self.log.index(self.head)
    }

    /// Removes and returns the least recent page; at least one page must be held.
    #[inline]
    pub(crate) fn pop_least_recent(&mut self) -> u32 {
        let page = self.least_recent();
        self.pages -= 1;
        self.tail += 1;
        page
    }

    /// The least recent page; at least one page must be held.
    #[inline]
    pub(crate) fn least_recent(&mut self) -> u32 {
        // What is not yet written counts as live.
        assert!(self.pages > 0, "a recency order without a page");
        let index = self.log.first_live(self.tail);
        self.tail = self.log.place(index);
        self.log.pages[index]
    }

    /// Removes a page that is held.
    #[inline]
    pub(crate) fn remove(&mut self, page: u32) {
        self.log.bury(self.log.index(self.stamps[page as usize]));
        self.stamps[page as usize] = NEVER;
        self.pages -= 1;
    }

    /// References pages in order, as a cache of `capacity` pages in this order does that holds no
    /// more than that: a page that is not held enters, and the least recent one leaves if there is no
    /// room.
    pub(crate) fn reference(&mut self, capacity: u32, pages: &[u32], witness: &mut impl Witness) {
        let mut bulk = self.bulk(capacity, pages.len());
        for &page in pages {
            let hit = bulk.offer(page, true, true, witness);
            witness.access(page, hit);
        }
        bulk.finish(witness);
    }

    /// Many references to come, at most `count` of them, in a cache of `capacity` pages that holds no
    /// more than that.
    #[inline]
    pub(crate) fn bulk(&mut self, capacity: u32, count: usize) -> Bulk<'_> {
        if count > self.room() {
            self.slide();
        }
        let (tail, head, held) = (self.tail, self.head, self.pages);
        Bulk {
            safe: self.log.place_behind(tail, head, held, count),
            spare: self.log.spare(),
            order: self,
            capacity,
            tail,
            head,
            held,
        }
    }

    /// Slides the live entries to the front and makes the log long enough for the pages held.
    #[cold]
    #[inline(never)]
    fn slide(&mut self) {
        let (tail, head) = (self.tail, self.head);
        let length = self.log.length_for(self.pages);
        let stamps = &mut self.stamps;
        self.head = self.log.slide(stamps, tail, head, length, |_, _| {});
        self.tail = self.log.base;
    }

    /// The pages held, least recent first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        (self.log.index(self.tail)..self.log.index(self.head))
            .filter(|&index| self.log.is_live(index))
            .map(|index| self.log.pages[index])
    }

    /// Counts the pages again, by stamps and by live log entries.
    pub(crate) fn recount(&self) -> Result<(), String> {
        let stamped = self.stamps.iter().filter(|&&stamp| stamp >= self.tail);
        let stamped = stamped.count();
        let logged = self.iter().count();
        let astray = (self.tail..self.head).any(|place| {
            let index = self.log.index(place);
            let stamp = self.stamps[self.log.pages[index] as usize];
            self.log.is_live(index) != (stamp == place)
        });
        if stamped == self.pages as usize && logged == stamped && !astray {
            Ok(())
        } else {
            Err(format!(
                "a recency order of {} pages has {stamped} stamps and {logged} live log entries{}",
                self.pages,
                if astray {
                    ", and some do not agree"
                } else {
                    ""
                }
            ))
        }
    }
}

/// References that are decided without a branch, which the processor could not guess.
///
/// For that, victims are sought together at the end; only a reference to a page that may have left
/// by then seeks those that are due first.
pub(crate) struct Bulk<'a> {
    order: &'a mut Recency,
    capacity: u32,
    tail: u32,
    head: u32,
    held: u32,
    /// A place to which `tail` cannot come in this bulk: as many live entries as references lie before.
    safe: u32,
    spare: usize,
}

impl Bulk<'_> {
    /// Tells whether a page is held. Where it is, moves it to the most recent end if `touch` holds;
    /// where it is not, adds it there if `enter` holds, and the least recent page leaves if there is
    /// no room.
    #[expect(
        clippy::inline_always,
        clippy::needless_bitwise_bool,
        reason = "most of what a replay does, and without a branch"
    )]
    #[inline(always)]
    pub(crate) fn offer(
        &mut self,
        page: u32,
        touch: bool,
        enter: bool,
        witness: &mut impl Witness,
    ) -> bool {
        let before = self.order.stamps[page as usize];
        // Not before `tail`, and before `safe`.
        if before.wrapping_sub(self.tail) < self.safe - self.tail {
            (self.tail, self.held) = self.settled(witness);
        }
        let hit = before >= self.tail;
        let moves = (hit & touch) | (!hit & enter);
        let log = &mut self.order.log;
        // What is not held has a place before `tail`, where the bits tell nothing any more.
        let index = (before.wrapping_sub(log.base) as usize).min(self.spare);
        // By arithmetic: of a choice the compiler would make a branch.
        log.bury(self.spare - (self.spare - index) * usize::from(moves));
        let free = log.index(self.head);
        log.pages[free] = page;
        self.order.stamps[page as usize] = if moves { self.head } else { before };
        self.head += u32::from(moves);
        self.held += u32::from(moves & !hit);
        hit
    }

    #[inline]
    fn settled(&self, witness: &mut impl Witness) -> (u32, u32) {
        settled(
            &self.order.log,
            self.tail,
            self.held,
            self.capacity,
            witness,
        )
    }

    /// Lets the pages leave for which there is no room, and ends the bulk.
    #[inline]
    pub(crate) fn finish(mut self, witness: &mut impl Witness) {
        (self.tail, self.held) = self.settled(witness);
        self.order.tail = self.tail;
        self.order.head = self.head;
        self.order.pages = self.held;
    }
}

/// Lets the pages leave for which a cache of `capacity` pages has no room; the `tail` and the number
/// of pages after that. By value: what a loop keeps in registers must not have an address.
#[inline(never)]
fn settled(
    log: &Log,
    mut tail: u32,
    held: u32,
    capacity: u32,
    witness: &mut impl Witness,
) -> (u32, u32) {
    let surplus = held.saturating_sub(capacity);
    if surplus == 0 {
        return (tail, held);
    }
    if witness.asks_victims() {
        for _ in 0..surplus {
            let index = log.first_live(tail);
            tail = log.place(index) + 1;
            witness.victim(log.pages[index]);
        }
    } else {
        witness.victims(surplus);
        tail = log.skip(tail, surplus);
    }
    (tail, capacity)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The accesses, whether each hit, and the victims with the number of accesses told before.
    #[derive(Default)]
    struct Diary {
        hits: Vec<bool>,
        victims: Vec<(usize, u32)>,
        left: u32,
        asks: bool,
    }

    impl Witness for Diary {
        fn asks_victims(&self) -> bool {
            self.asks
        }

        fn access(&mut self, _page: u32, hit: bool) {
            self.hits.push(hit);
        }

        fn victim(&mut self, page: u32) {
            self.victims.push((self.hits.len(), page));
            self.left += 1;
        }

        fn victims(&mut self, count: u32) {
            self.left += count;
        }
    }

    fn near_the_last_place() -> impl Strategy<Value = u32> {
        prop_oneof![Just(FIRST), Just(u32::MAX - 5_000), Just(u32::MAX - 20_000)]
    }

    proptest! {
        /// Capacities below, near and far above a batch, skewed references, and places that end.
        #[test]
        fn bulk_references_are_single_ones(
            draws in prop::collection::vec((0_u32..3000, 0_u32..3000), 12_000..12_001),
            capacity in prop_oneof![1_u32..20, 200_u32..300, 1_000_u32..2_500],
            batch in prop_oneof![Just(1_usize), Just(7), Just(BATCH)],
            first in near_the_last_place(),
            asks: bool,
        ) {
            let pages: Vec<u32> = draws.iter().map(|&(one, other)| one.min(other)).collect();
            let mut single = Recency::default();
            let mut bulk = Recency::starting_at(first);
            single.grow(3000);
            bulk.grow(3000);
            let mut expected = Diary::default();
            let mut diary = Diary { asks, ..Diary::default() };
            for pages in pages.chunks(batch) {
                for &page in pages {
                    let hit = single.contains(page);
                    if hit {
                        single.touch(page);
                    } else {
                        if single.len() == capacity {
                            expected.victim(single.pop_least_recent());
                        }
                        single.insert(page);
                    }
                    expected.access(page, hit);
                }
                bulk.reference(capacity, pages, &mut diary);
                prop_assert_eq!(bulk.len(), single.len());
                prop_assert_eq!(diary.left, expected.left);
            }
            prop_assert_eq!(&diary.hits, &expected.hits);
            prop_assert!(bulk.iter().eq(single.iter()));
            prop_assert_eq!(bulk.recount(), Ok(()));
            if asks {
                let names = |diary: &Diary| diary.victims.iter().map(|victim| victim.1).collect::<Vec<_>>();
                prop_assert_eq!(names(&diary), names(&expected));
                // Later than due, but before the page is accessed again.
                for (&(told, page), &(due, _)) in diary.victims.iter().zip(&expected.victims) {
                    prop_assert!(told >= due && !pages[due + 1..told].contains(&page));
                }
            }
        }

        /// Small page numbers and many steps, so that the log slides several times.
        #[test]
        fn recency_behaves_like_a_vector(
            steps in prop::collection::vec((0_u32..40, 0_u8..8), 20_000..20_001),
            first in near_the_last_place(),
        ) {
            let mut order = Recency::starting_at(first);
            order.grow(40);
            let mut model: Vec<u32> = Vec::new();
            for (page, step) in steps {
                let held = model.iter().position(|&other| other == page);
                prop_assert_eq!(order.contains(page), held.is_some());
                match (step, held) {
                    (0, Some(place)) => { model.remove(place); order.remove(page); }
                    (1, _) if !model.is_empty() => {
                        prop_assert_eq!(order.pop_least_recent(), model.remove(0));
                    }
                    (_, Some(place)) => { model.remove(place); model.push(page); order.touch(page); }
                    (_, None) => { model.push(page); order.insert(page); }
                }
                prop_assert_eq!(order.len() as usize, model.len());
            }
            prop_assert_eq!(order.iter().collect::<Vec<_>>(), model);
            prop_assert_eq!(order.recount(), Ok(()));
        }
    }
}
