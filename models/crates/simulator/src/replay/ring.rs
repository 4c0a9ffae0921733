//! The frames of a cache in a ring: what FIFO and CLOCK share.

use crate::replay::bits::BitSet;

/// Pages in frames; the hand points at the frame that entered first.
#[derive(Debug)]
pub(crate) struct Ring {
    capacity: u32,
    frames: Vec<u32>,
    hand: u32,
    /// Whether the frame at the hand is waiting for its next page.
    vacant: bool,
    held: BitSet,
}

impl Ring {
    pub(crate) fn new(capacity: u32) -> Self {
        Self {
            capacity,
            frames: Vec::new(),
            hand: 0,
            vacant: false,
            held: BitSet::default(),
        }
    }

    pub(crate) fn grow(&mut self, pages: usize) {
        self.held.grow(pages);
    }

    #[inline]
    pub(crate) fn contains(&self, page: u32) -> bool {
        self.held.contains(page)
    }

    /// Pages held.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the frames are at most `capacity`, a u32"
    )]
    pub(crate) fn len(&self) -> u32 {
        self.frames.len() as u32 - u32::from(self.vacant)
    }

    /// The page at the hand; the ring is full.
    #[inline]
    pub(crate) fn at_hand(&self) -> u32 {
        self.frames[self.hand as usize]
    }

    /// Moves the hand to the next frame.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.hand += 1;
        if self.hand == self.capacity {
            self.hand = 0;
        }
    }

    /// Removes the page at the hand; the next page to enter takes its frame.
    #[inline]
    pub(crate) fn evict_at_hand(&mut self) -> u32 {
        let page = self.at_hand();
        self.held.take(page);
        self.vacant = true;
        page
    }

    /// Adds a page: to a new frame until the ring is full, then to the frame that was vacated.
    #[inline]
    pub(crate) fn insert(&mut self, page: u32) {
        self.held.insert(page);
        if self.vacant {
            self.frames[self.hand as usize] = page;
            self.vacant = false;
            self.advance();
        } else {
            self.frames.push(page);
        }
    }

    /// Counts the pages again, by frames and by membership bits.
    pub(crate) fn recount(&self) -> Result<(), String> {
        let mut framed = self.frames.clone();
        if self.vacant {
            framed.swap_remove(self.hand as usize);
        }
        framed.sort_unstable();
        if framed.iter().copied().eq(self.held.iter()) && framed.len() <= self.capacity as usize {
            Ok(())
        } else {
            Err(format!(
                "a ring of {} frames holds {} pages, but {} membership bits are set",
                self.capacity,
                framed.len(),
                self.held.iter().count()
            ))
        }
    }
}
