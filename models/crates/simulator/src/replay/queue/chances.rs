//! The second chances of CLOCK, many references at a time.
//!
//! Whether a reference hits cannot be guessed by the processor, nor whether the page at the hand was
//! used. So both are arithmetic here: the misses of a batch are noted, and the hand moves for all of
//! them together. A reference to a page that the hand may pass meanwhile has to wait for it: the
//! pages next to the hand are marked as *ahead*, as many as have enough unused ones among them.

use super::{Held, Queue};

/// Bits of a page: it is held; it was used since the hand came by; it is ahead of the hand.
const HELD: u64 = 1;
const USED: u64 = 2;
const AHEAD: u64 = 4;
const ALL: u64 = HELD | USED | AHEAD;
/// Bits a page, one of them free: pages do not straddle words.
const BITS: u32 = 4;
const PAGES_PER_WORD: u32 = u64::BITS / BITS;
/// References decided together.
const TOGETHER: usize = 256;
/// Log entries marked ahead at a time, at most.
const STRIDE: usize = 4 * TOGETHER;
/// With fewer unused pages than this among so many, most pages are used and most references hit:
/// then one after the other is as good.
const FEW: usize = 16;
/// Where fewer than one in so many references hit, or miss, the processor guesses well, and one after
/// the other is better too.
const SURE: usize = 16;
/// Batches done one after the other before the next try.
const PAUSE: u32 = 16;

/// The pages held, and which of them were used: all bits of a page in one word.
#[derive(Debug, Default)]
pub(crate) struct Chances {
    words: Vec<u64>,
    /// Log entries from the tail on that are marked as ahead.
    ahead: usize,
    /// Those of them whose page is not used.
    unused: usize,
    pause: u32,
    incoming: Vec<u32>,
    victims: Vec<u32>,
}

impl Chances {
    /// Word and shift of a page's bits.
    #[inline]
    fn place(page: u32) -> (usize, u32) {
        (
            (page / PAGES_PER_WORD) as usize,
            page % PAGES_PER_WORD * BITS,
        )
    }

    #[inline]
    fn bits(&self, page: u32) -> u64 {
        let (word, shift) = Self::place(page);
        self.words[word] >> shift & ALL
    }

    #[inline]
    fn set(&mut self, page: u32, bits: u64) {
        let (word, shift) = Self::place(page);
        self.words[word] |= bits << shift;
    }

    /// Clears bits of a page.
    #[inline]
    fn clear(&mut self, page: u32, bits: u64) {
        let (word, shift) = Self::place(page);
        self.words[word] &= !(bits << shift);
    }
}

impl Held for Chances {
    fn grow(&mut self, pages: usize) {
        let words = pages.div_ceil(PAGES_PER_WORD as usize);
        if words > self.words.len() {
            self.words.resize(words, 0);
        }
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.bits(page) & HELD != 0
    }

    #[inline]
    fn insert(&mut self, page: u32) {
        self.set(page, HELD);
    }

    #[inline]
    fn remove(&mut self, page: u32) {
        self.clear(page, ALL);
    }

    /// A page with any bit counts: one that is marked but not held shows in a recount.
    fn iter(&self) -> impl Iterator<Item = u32> {
        let pages = (0_u32..).zip(&self.words);
        pages.flat_map(|(index, &word)| {
            let places = 0..PAGES_PER_WORD;
            let any = places.filter(move |place| word >> (place * BITS) & ALL != 0);
            any.map(move |place| index * PAGES_PER_WORD + place)
        })
    }
}

/// What [`Queue::reference`] tells.
pub(crate) trait Chance {
    /// One reference, in order.
    fn access(&mut self, page: u32, hit: bool);
    /// Pages leave, in order, before they are referenced again.
    fn leave(&mut self, victims: &[u32]);
}

impl Queue<Chances> {
    /// Notes that a page that is held was used.
    #[inline]
    pub(crate) fn mark_used(&mut self, page: u32) {
        self.leave_together();
        self.held.set(page, USED);
    }

    /// Forgets that a page was used, and tells whether it was.
    #[inline]
    pub(crate) fn take_used(&mut self, page: u32) -> bool {
        let used = self.held.bits(page) & USED != 0;
        self.held.clear(page, USED);
        used
    }

    /// Ends what [`Self::reference`] keeps from one call to the next: called by all that changes the
    /// queue otherwise.
    #[inline]
    pub(crate) fn leave_together(&mut self) {
        if self.held.ahead > 0 {
            self.forget_ahead();
        }
    }

    #[cold]
    #[inline(never)]
    fn forget_ahead(&mut self) {
        let from = self.tail as usize;
        for &page in &self.log[from..from + self.held.ahead] {
            self.held.clear(page, AHEAD);
        }
        self.held.ahead = 0;
        self.held.unused = 0;
    }

    /// References pages in order in a full cache with this queue as its clock. Returns how many it
    /// has done: the others, if any, are better done one after the other.
    pub(crate) fn reference(&mut self, pages: &[u32], witness: &mut impl Chance) -> usize {
        if self.removable || self.held.pause > 0 {
            self.held.pause = self.held.pause.saturating_sub(1);
            return 0;
        }
        let mut done = 0;
        let mut misses = 0;
        while done < pages.len() {
            let together = TOGETHER.min(pages.len() - done);
            let count = together.min(self.look_ahead(together));
            if count < FEW.min(together) {
                self.leave_together();
                self.held.pause = PAUSE;
                break;
            }
            misses += self.reference_together(&pages[done..done + count], witness);
            done += count;
        }
        if done == pages.len() && misses.min(done - misses) < done / SURE {
            self.held.pause = PAUSE;
        }
        done
    }

    /// Marks entries as ahead until `wanted` of them are unused, or there are many; tells how many
    /// are unused.
    fn look_ahead(&mut self, wanted: usize) -> usize {
        let Self { log, held, .. } = self;
        let (from, end) = (self.tail as usize, self.head as usize);
        let rest = &log[from + held.ahead..end];
        let limit = STRIDE.saturating_sub(held.ahead);
        for &page in rest.iter().take(limit) {
            if held.unused >= wanted {
                break;
            }
            let (word, shift) = Chances::place(page);
            let word = &mut held.words[word];
            *word |= AHEAD << shift;
            held.unused += usize::from(*word >> shift & USED == 0);
            held.ahead += 1;
        }
        held.unused
    }

    /// References at most as many pages as unused ones are ahead: each lets one of them leave at
    /// most, or makes it used. Returns how many missed.
    fn reference_together(&mut self, pages: &[u32], witness: &mut impl Chance) -> usize {
        if self.head as usize + self.held.ahead > self.log.len() {
            self.close_holes();
        }
        self.held.incoming.resize(TOGETHER, 0);
        let mut all = 0;
        let mut misses = 0;
        for &page in pages {
            let mut bits = self.held.bits(page);
            if bits & AHEAD != 0 {
                self.turn(misses, witness);
                all += misses;
                misses = 0;
                bits = self.held.bits(page);
                self.held.unused -= usize::from(bits & (AHEAD | USED) == AHEAD);
            }
            let hit = bits & HELD;
            // A hit is used, a miss is held.
            self.held.set(page, 1 << hit);
            self.held.incoming[misses % TOGETHER] = page;
            misses += usize::from(hit == 0);
            witness.access(page, hit != 0);
        }
        self.turn(misses, witness);
        all + misses
    }

    /// Moves the hand for the first `misses` incoming pages.
    fn turn(&mut self, misses: usize, witness: &mut impl Chance) {
        let Self { log, held, .. } = self;
        let Chances {
            words,
            incoming,
            victims,
            ..
        } = held;
        victims.resize(TOGETHER, 0);
        let (mut tail, mut head) = (self.tail as usize, self.head as usize);
        let mut done = 0;
        while done < misses {
            let page = log[tail];
            let (word, shift) = Chances::place(page);
            let word = &mut words[word];
            let used = *word >> shift & USED != 0;
            // Used: it stays held. Else no bit stays.
            *word &= !(ALL << shift) | (u64::from(used) * HELD) << shift;
            victims[done % TOGETHER] = page;
            log[head] = if used {
                page
            } else {
                incoming[done % TOGETHER]
            };
            done += usize::from(!used);
            tail += 1;
            head += 1;
        }
        held.ahead -= tail - self.tail as usize;
        held.unused -= misses;
        self.tail = narrow(tail);
        self.head = narrow(head);
        witness.leave(&held.victims[..misses]);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "no log is longer")]
fn narrow(place: usize) -> u32 {
    place as u32
}
