//! Looking ahead in a log: which of the next entries are still live.
//!
//! The least recent page is the first live entry of a log. Asking one entry after the other costs a
//! trip to a large table each, and the processor cannot guess the answer. Asking for many entries at
//! once keeps the trips in flight together, and needs no guess: an entry that is not live is
//! overwritten by the next one.

/// Entries asked at once: their table entries fit into the first-level cache beside a batch.
const WINDOW: usize = 128;

/// Places of log entries that were live when they were looked at, oldest first. An entry can die
/// later but never comes to life again, so those between two of them need no second look.
#[derive(Debug)]
pub(crate) struct Ahead {
    places: Box<[u32; WINDOW]>,
    next: usize,
    end: usize,
    /// First place that was not looked at.
    looked: u32,
}

impl Default for Ahead {
    fn default() -> Self {
        Self {
            places: Box::new([0; WINDOW]),
            next: 0,
            end: 0,
            looked: 0,
        }
    }
}

impl Ahead {
    /// The next place that was live when it was looked at.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u32> {
        (self.next < self.end).then(|| self.places[self.next % WINDOW])
    }

    /// Passes over the place that [`Self::peek`] gave.
    #[inline]
    pub(crate) fn pass(&mut self) {
        self.next += 1;
    }

    /// Looks at the next entries of `log`, which ends at `head`; all places seen before are passed.
    #[inline]
    pub(crate) fn look(&mut self, log: &[u32], head: u32, live: impl Fn(u32, u32) -> bool) {
        // A caller that holds no page would look for one forever.
        assert!(self.looked < head, "a log without a live entry");
        let start = self.looked;
        let rest = &log[start as usize..head as usize];
        let mut found = 0;
        for (place, &page) in (start..).zip(rest.iter().take(WINDOW)) {
            self.places[found % WINDOW] = place;
            found += usize::from(live(place, page));
            self.looked = place + 1;
        }
        self.next = 0;
        self.end = found;
    }

    /// Starts again at the front: the places have changed.
    pub(crate) fn forget(&mut self) {
        (self.next, self.end, self.looked) = (0, 0, 0);
    }
}
