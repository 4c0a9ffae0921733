//! LRU-2 order of flash frames, some of them dirty.
//!
//! Every reference appends the frame to a log; a frame keeps the places of its last two. Its key
//! is the older of the two, so the coldest frame is the least member of a bit set over places. When
//! the log is full its live places slide to the front: a reference costs O(1) of that, amortised.

use crate::replay::bits::{BitSet, LeastFirstSet};

/// Place of a reference that was not.
const ABSENT: u32 = u32::MAX;
/// Entries of the shortest log.
const SHORTEST_LOG: usize = 1 << 12;
/// Log entries per live place after sliding.
const LOG_FACTOR: usize = 3;
/// Most frames: two live places each must leave the log room to grow.
pub(crate) const MAX_FRAMES: usize = 1 << 29;

/// The key places of some frames: those referenced once are colder than all others.
#[derive(Debug)]
struct Keys {
    once: LeastFirstSet,
    twice: LeastFirstSet,
}

impl Keys {
    fn new(places: usize) -> Self {
        Self {
            once: LeastFirstSet::new(places),
            twice: LeastFirstSet::new(places),
        }
    }

    #[inline]
    fn of(&mut self, once: bool) -> &mut LeastFirstSet {
        if once {
            &mut self.once
        } else {
            &mut self.twice
        }
    }

    #[inline]
    fn first(&self) -> Option<u32> {
        self.once.first().or_else(|| self.twice.first())
    }
}

/// Frames by the time of their last but one reference, coldest first; frames referenced once
/// before all others, by that reference.
///
/// ```text
/// insert:    LAST(fr) = now; HIST(fr,2) = none          -- whatever the frame held before is forgotten
/// reference: HIST(fr,2) = LAST(fr); LAST(fr) = now
/// coldest:   a frame without HIST(fr,2), of those the one of least LAST; else the one of least HIST(fr,2)
/// coldest dirty: the same among dirty frames
/// ```
#[derive(Debug)]
pub(crate) struct Lru2 {
    last: Vec<u32>,
    last_but_one: Vec<u32>,
    is_dirty: BitSet,
    log: Vec<u32>,
    head: u32,
    all: Keys,
    dirty: Keys,
    frames: u32,
    dirty_frames: u32,
}

impl Lru2 {
    pub(crate) fn new() -> Self {
        Self {
            last: Vec::new(),
            last_but_one: Vec::new(),
            is_dirty: BitSet::default(),
            log: Vec::new(),
            head: 0,
            all: Keys::new(0),
            dirty: Keys::new(0),
            frames: 0,
            dirty_frames: 0,
        }
    }

    /// Frames in the order.
    pub(crate) fn len(&self) -> u32 {
        self.frames
    }

    pub(crate) fn dirty_len(&self) -> u32 {
        self.dirty_frames
    }

    #[inline]
    pub(crate) fn is_dirty(&self, frame: u32) -> bool {
        self.is_dirty.contains(frame)
    }

    /// Adds a frame by its first reference; a new frame is the next number.
    #[inline]
    pub(crate) fn insert(&mut self, frame: u32, dirty: bool) {
        if frame as usize == self.last.len() {
            self.last.push(ABSENT);
            self.last_but_one.push(ABSENT);
            self.is_dirty.grow(self.last.len());
        }
        let place = self.append(frame);
        self.last[frame as usize] = place;
        self.last_but_one[frame as usize] = ABSENT;
        self.frames += 1;
        self.all.once.insert(place);
        self.set_dirty(frame, dirty);
    }

    /// References a frame.
    #[inline]
    pub(crate) fn reference(&mut self, frame: u32) {
        let place = self.append(frame);
        let (key, once) = self.key(frame);
        let before = std::mem::replace(&mut self.last[frame as usize], place);
        self.last_but_one[frame as usize] = before;
        self.all.of(once).remove(key);
        self.all.twice.insert(before);
        if self.is_dirty.contains(frame) {
            self.dirty.of(once).remove(key);
            self.dirty.twice.insert(before);
        }
    }

    /// Sets or clears the dirty bit of a frame; its place does not change.
    #[inline]
    pub(crate) fn set_dirty(&mut self, frame: u32, dirty: bool) {
        let was = self.is_dirty.take(frame);
        self.is_dirty.insert_if(frame, dirty);
        if was == dirty {
            return;
        }
        let (key, once) = self.key(frame);
        if dirty {
            self.dirty.of(once).insert(key);
            self.dirty_frames += 1;
        } else {
            self.dirty.of(once).remove(key);
            self.dirty_frames -= 1;
        }
    }

    /// Removes a frame.
    #[inline]
    pub(crate) fn remove(&mut self, frame: u32) {
        self.set_dirty(frame, false);
        let (key, once) = self.key(frame);
        self.all.of(once).remove(key);
        self.last[frame as usize] = ABSENT;
        self.last_but_one[frame as usize] = ABSENT;
        self.frames -= 1;
    }

    /// The coldest frame.
    #[inline]
    pub(crate) fn coldest(&self) -> Option<u32> {
        self.all.first().map(|place| self.log[place as usize])
    }

    /// The coldest dirty frame.
    #[inline]
    pub(crate) fn coldest_dirty(&self) -> Option<u32> {
        self.dirty.first().map(|place| self.log[place as usize])
    }

    /// The place that orders a frame, and whether it was referenced once only.
    #[inline]
    fn key(&self, frame: u32) -> (u32, bool) {
        match self.last_but_one[frame as usize] {
            ABSENT => (self.last[frame as usize], true),
            place => (place, false),
        }
    }

    #[inline]
    fn append(&mut self, frame: u32) -> u32 {
        if self.head as usize == self.log.len() {
            self.slide();
        }
        let place = self.head;
        self.log[place as usize] = frame;
        self.head += 1;
        place
    }

    #[cold]
    #[inline(never)]
    fn slide(&mut self) {
        let live = 2 * self.frames as usize + 1;
        let length = (live * LOG_FACTOR).clamp(SHORTEST_LOG, ABSENT as usize - 1);
        let length = length.max(self.log.len());
        let (mut all, mut dirty) = (Keys::new(length), Keys::new(length));
        let mut to = 0_u32;
        for from in 0..self.head {
            let frame = self.log[from as usize];
            let at = frame as usize;
            // A renumbered place lies before `from`, or is `from` itself and did not change.
            let is_key = if self.last_but_one[at] == from {
                self.last_but_one[at] = to;
                true
            } else if self.last[at] == from {
                self.last[at] = to;
                self.last_but_one[at] == ABSENT
            } else {
                continue;
            };
            if is_key {
                let once = self.last_but_one[at] == ABSENT;
                all.of(once).insert(to);
                if self.is_dirty.contains(frame) {
                    dirty.of(once).insert(to);
                }
            }
            self.log[to as usize] = frame;
            to += 1;
        }
        self.head = to;
        self.all = all;
        self.dirty = dirty;
        if length > self.log.len() {
            // Zeroes of a new allocation take memory as they are reached.
            let mut longer = vec![0; length];
            longer[..to as usize].copy_from_slice(&self.log[..to as usize]);
            self.log = longer;
        }
    }

    /// Whether the order holds a frame.
    pub(crate) fn contains(&self, frame: u32) -> bool {
        self.last
            .get(frame as usize)
            .is_some_and(|&place| place != ABSENT)
    }

    /// Counts the frames again; the text says what disagrees.
    pub(crate) fn recount(&self) -> Result<(), String> {
        let (mut frames, mut dirty) = (0_u32, 0_u32);
        for frame in 0_u32.. {
            let at = frame as usize;
            if at == self.last.len() {
                break;
            }
            if self.last[at] == ABSENT {
                continue;
            }
            frames += 1;
            dirty += u32::from(self.is_dirty.contains(frame));
            let (key, once) = self.key(frame);
            let (all, soiled) = if once {
                (&self.all.once, &self.dirty.once)
            } else {
                (&self.all.twice, &self.dirty.twice)
            };
            if self.log[key as usize] != frame
                || !all.contains(key)
                || soiled.contains(key) != self.is_dirty.contains(frame)
            {
                return Err(format!(
                    "frame {frame} is not at its place {key} of the order"
                ));
            }
        }
        if (frames, dirty) == (self.frames, self.dirty_frames) {
            Ok(())
        } else {
            Err(format!(
                "an order of {} frames, {} of them dirty, holds {frames} and {dirty}",
                self.frames, self.dirty_frames
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Frame, references from first to last, dirty.
    type Row = (u32, Vec<usize>, bool);

    fn coldest<'row>(rows: impl Iterator<Item = &'row Row>) -> Option<u32> {
        rows.min_by_key(|(_, seen, _)| match seen[..] {
            [only] => (0, only),
            [.., last_but_one, _] => (1, last_but_one),
            [] => unreachable!("a frame is referenced when it is inserted"),
        })
        .map(|row| row.0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Few frames and many steps, so that the log slides several times.
        #[test]
        fn the_order_behaves_like_a_list_of_all_references(
            steps in prop::collection::vec((0_u32..30, 0_u8..9), 9_000..9_001),
        ) {
            let mut order = Lru2::new();
            let mut rows: Vec<Row> = Vec::new();
            for frame in 0..30 {
                order.insert(frame, false);
                order.remove(frame);
            }
            for (now, (frame, step)) in steps.into_iter().enumerate() {
                let held = rows.iter().position(|row| row.0 == frame);
                prop_assert_eq!(order.contains(frame), held.is_some());
                match (step, held) {
                    (0, Some(at)) => { rows.remove(at); order.remove(frame); }
                    (1 | 2, Some(at)) => { rows[at].2 = step == 1; order.set_dirty(frame, step == 1); }
                    (_, Some(at)) => { rows[at].1.push(now); order.reference(frame); }
                    (_, None) => { rows.push((frame, vec![now], step > 4)); order.insert(frame, step > 4); }
                }
                prop_assert_eq!(order.coldest(), coldest(rows.iter()));
                prop_assert_eq!(order.coldest_dirty(), coldest(rows.iter().filter(|row| row.2)));
                prop_assert_eq!(order.len() as usize, rows.len());
            }
            prop_assert_eq!(order.recount(), Ok(()));
        }
    }
}
