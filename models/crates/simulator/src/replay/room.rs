//! Numbered places that are taken and given back: frames, buckets.

/// Places from 0 on: the one given back last is taken first, then one that was never taken.
#[derive(Debug)]
pub(crate) struct Room {
    capacity: u32,
    /// Places that were given back.
    freed: Vec<u32>,
    /// Places from here on were never taken.
    fresh: u32,
}

impl Room {
    pub(crate) fn new(capacity: u32) -> Self {
        Self {
            capacity,
            freed: Vec::new(),
            fresh: 0,
        }
    }

    /// All places are free, as in the beginning.
    pub(crate) fn empty(&mut self) {
        *self = Self::new(self.capacity);
    }

    /// A place that nothing is in, if there is one.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<u32> {
        if let Some(place) = self.freed.pop() {
            return Some(place);
        }
        (self.fresh < self.capacity).then(|| {
            self.fresh += 1;
            self.fresh - 1
        })
    }

    #[inline]
    pub(crate) fn give_back(&mut self, place: u32) {
        self.freed.push(place);
    }

    /// Takes a place from the fresh ones on; those before it are given back.
    pub(crate) fn take_at(&mut self, place: u32) {
        self.freed.extend(self.fresh..place);
        self.fresh = place + 1;
    }

    /// Those given back are taken in the opposite order.
    pub(crate) fn turn(&mut self) {
        self.freed.reverse();
    }

    /// Places that were ever taken.
    pub(crate) fn ever_taken(&self) -> u32 {
        self.fresh
    }

    /// Places that are taken.
    pub(crate) fn taken(&self) -> usize {
        self.fresh as usize - self.freed.len()
    }

    /// Places that were given back, the last one last.
    pub(crate) fn given_back(&self) -> &[u32] {
        &self.freed
    }
}
