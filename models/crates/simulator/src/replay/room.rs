//! Numbered places that are taken and given back: frames, buckets.

use crate::replay::bits::LeastFirstSet;

/// Places of which one that nothing is in can be taken.
pub(crate) trait Vacancies {
    /// All places are free.
    fn new(capacity: u32) -> Self;
    /// A place that nothing is in, if there is one.
    fn take(&mut self) -> Option<u32>;
    fn give_back(&mut self, place: u32);
    /// Takes a place from the fresh ones on, after a restart; those before it are free.
    fn take_at(&mut self, place: u32);
    /// All that a restart found in use was taken.
    fn restarted(&mut self);
    /// Places that are taken.
    fn taken(&self) -> usize;
    /// Places that were ever taken.
    fn ever_taken(&self) -> u32;
}

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

impl Vacancies for Room {
    fn new(capacity: u32) -> Self {
        Self::new(capacity)
    }

    #[inline]
    fn take(&mut self) -> Option<u32> {
        self.take()
    }

    #[inline]
    fn give_back(&mut self, place: u32) {
        self.give_back(place);
    }

    fn take_at(&mut self, place: u32) {
        self.take_at(place);
    }

    fn restarted(&mut self) {
        self.turn();
    }

    fn taken(&self) -> usize {
        self.taken()
    }

    fn ever_taken(&self) -> u32 {
        self.ever_taken()
    }
}

/// Places from 0 on, taken round and round: the one next in turn is chosen as the one before it is taken, and what is
/// given back between the two waits for the next round.
#[derive(Debug)]
pub(crate) struct Turns {
    capacity: u32,
    /// Places before `fresh` that are free.
    freed: LeastFirstSet,
    /// Places from here on were never taken.
    fresh: u32,
    taken: usize,
    next: Option<u32>,
}

impl Turns {
    /// The first free place that is not before another, else the first of all.
    fn find_from(&self, place: u32) -> Option<u32> {
        let fresh = (self.fresh < self.capacity).then_some(self.fresh);
        let in_round = self.freed.first_from(place).or(fresh);
        in_round.or_else(|| self.freed.first())
    }
}

impl Vacancies for Turns {
    fn new(capacity: u32) -> Self {
        Self {
            capacity,
            freed: LeastFirstSet::new(1),
            fresh: 0,
            taken: 0,
            next: (capacity > 0).then_some(0),
        }
    }

    fn take(&mut self) -> Option<u32> {
        let place = self.next?;
        if place == self.fresh {
            self.fresh += 1;
        } else {
            self.freed.remove(place);
        }
        self.taken += 1;
        self.next = self.find_from(place + 1);
        Some(place)
    }

    fn give_back(&mut self, place: u32) {
        if place as usize >= self.freed.room() {
            self.freed.grow(2 * (place as usize + 1));
        }
        self.freed.insert(place);
        self.taken -= 1;
        self.next = self.next.or(Some(place));
    }

    fn take_at(&mut self, place: u32) {
        self.freed.grow(place as usize + 1);
        for free in self.fresh..place {
            self.freed.insert(free);
        }
        self.fresh = place + 1;
        self.taken += 1;
    }

    fn restarted(&mut self) {
        self.next = self.find_from(0);
    }

    fn taken(&self) -> usize {
        self.taken
    }

    fn ever_taken(&self) -> u32 {
        self.fresh
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_are_taken_in_turn(
            capacity in 0_u32..200,
            steps in prop::collection::vec(prop::option::weighted(0.4, any::<prop::sample::Index>()), 0..600),
        ) {
            let mut turns = Turns::new(capacity);
            let mut free: BTreeSet<u32> = (0..capacity).collect();
            let mut next = free.first().copied();
            let mut taken: Vec<u32> = Vec::new();
            for step in steps {
                if let Some(chosen) = step {
                    if !taken.is_empty() {
                        let place = taken.swap_remove(chosen.index(taken.len()));
                        turns.give_back(place);
                        free.insert(place);
                        next = next.or(Some(place));
                    }
                } else {
                    prop_assert_eq!(turns.take(), next);
                    if let Some(place) = next {
                        free.remove(&place);
                        taken.push(place);
                        let later = free.range(place..).next();
                        next = later.or(free.first()).copied();
                    }
                }
                prop_assert_eq!(turns.taken(), taken.len());
            }
            // A restart begins again with the first free one.
            taken.sort_unstable();
            let mut after = Turns::new(capacity);
            for &place in &taken {
                after.take_at(place);
            }
            after.restarted();
            prop_assert_eq!(after.take(), free.first().copied());
        }
    }
}
