//! Sets of small objects on flash, each written whole: of Kangaroo, and of `CacheLib` beside its large objects.

use super::Host;
use super::chains::NONE;
use crate::hash::FastMap;
use crate::random::Random;
use crate::replay::fetch::fetch;

/// The prediction of what is read again last, and that of a newcomer.
const FAR: u8 = 7;
const LONG: u8 = 6;
/// Bit of an entry that was read since its set was written, beside its prediction.
const HIT: u8 = 8;

/// Slot of a page in its set, where it is found by looking: what moves within a set writes no table.
pub(super) const IN_SET: u32 = 0;

/// How flash is divided into sets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) sets: u32,
    /// Objects that a set holds.
    pub(super) objects: u32,
    /// Frames that it takes on flash; its number times these is the first one.
    pub(super) pages: u32,
    /// What leaves a set that is full: what is predicted to be read last, else what is oldest.
    pub(super) rrip: bool,
}

/// The sets, each with something beside its objects.
#[derive(Debug)]
pub(super) struct ObjectSets<B> {
    shape: Shape,
    /// The sets that pages map to, by their numbers, in the order in which they appear.
    numbers: FastMap<u32, u32>,
    set: Vec<Set<B>>,
    /// Entries of the sets: page, and prediction with its mark.
    entries: Vec<(u32, u8)>,
    /// Set of each page, by its place in `set`.
    set_of: Vec<u32>,
    /// [`IN_SET`] of each page in a set, [`NONE`] of one that is nowhere; what lies between is the owner's.
    pub(super) slot_of: Vec<u32>,
    /// Objects in the sets.
    pub(super) held: u32,
    /// Whether a set ever gave up an object.
    pub(super) was_full: bool,
    /// Objects that the next write of a set brings.
    pub(super) group: Vec<u32>,
    merged: Vec<(u8, u32)>,
    sorted: Vec<(u8, u32)>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Set<B> {
    pub(super) number: u32,
    /// Where its entries begin, [`NONE`] until it has some.
    first: u32,
    length: u32,
    pub(super) beside: B,
}

impl<B: Copy + Default> ObjectSets<B> {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            shape,
            numbers: FastMap::default(),
            set: Vec::new(),
            entries: Vec::new(),
            set_of: Vec::new(),
            slot_of: Vec::new(),
            held: 0,
            was_full: false,
            group: Vec::new(),
            merged: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// Objects of all sets.
    pub(super) fn slots(&self) -> u32 {
        self.shape.sets * self.shape.objects
    }

    /// Frames of the sets that were ever written.
    pub(super) fn pages_used(&self) -> u64 {
        let sets = self.entries.len() as u64 / u64::from(self.shape.objects);
        sets * u64::from(self.shape.pages)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a remainder of a u32 is one"
    )]
    pub(super) fn grow(&mut self, pages: usize) {
        let sets = u64::from(self.shape.sets);
        for page in self.set_of.len()..pages {
            let number = (Random(page as u64).bits() % sets) as u32;
            let next = index(self.set.len());
            let at = *self.numbers.entry(number).or_insert(next);
            if at == next {
                self.set.push(Set {
                    number,
                    first: NONE,
                    length: 0,
                    beside: B::default(),
                });
            }
            self.set_of.push(at);
        }
        if pages > self.slot_of.len() {
            self.slot_of.resize(pages, NONE);
        }
    }

    /// The set of a page.
    #[inline]
    pub(super) fn of(&self, page: u32) -> &Set<B> {
        &self.set[self.set_of[page as usize] as usize]
    }

    #[inline]
    pub(super) fn of_mut(&mut self, page: u32) -> &mut Set<B> {
        &mut self.set[self.set_of[page as usize] as usize]
    }

    /// Marks an object in its set as read.
    #[inline]
    pub(super) fn mark(&mut self, page: u32) {
        let set = &self.set[self.set_of[page as usize] as usize];
        let first = set.first as usize;
        let own = &mut self.entries[first..first + set.length as usize];
        // Without a branch: which of them it is, a processor cannot guess.
        for (other, state) in own {
            *state |= HIT * u8::from(*other == page);
        }
    }

    /// Reads what is kept of some pages, all at once.
    pub(super) fn fetch(&self, pages: &[u32]) {
        fetch(&self.slot_of, pages);
        let lengths = pages.iter().map(|&page| self.of(page).length);
        std::hint::black_box(lengths.fold(0, |mixed, length| mixed ^ length));
    }

    /// Takes an object out of its set, which is written later.
    pub(super) fn remove(&mut self, page: u32) {
        self.slot_of[page as usize] = NONE;
        let set = &mut self.set[self.set_of[page as usize] as usize];
        let first = set.first as usize;
        let own = &mut self.entries[first..first + set.length as usize];
        if let Some(at) = own.iter().position(|&(other, _)| other == page) {
            own.copy_within(at + 1.., at);
            set.length -= 1;
        }
        self.held -= 1;
    }

    /// Writes the set of a page with the newcomers in `group`, which are nowhere now. Only what leaves is counted here.
    pub(super) fn write(&mut self, page: u32, host: &mut impl Host) {
        let Shape {
            objects,
            pages,
            rrip,
            ..
        } = self.shape;
        let set = &mut self.set[self.set_of[page as usize] as usize];
        if set.first == NONE {
            set.first = index(self.entries.len());
            self.entries
                .resize(self.entries.len() + objects as usize, (NONE, 0));
        }
        let first = set.first as usize;
        let own = &self.entries[first..first + set.length as usize];
        self.merged.clear();
        self.merged.extend(own.iter().map(|&(page, state)| {
            let prediction = if state & HIT > 0 { 0 } else { state };
            (prediction, page)
        }));
        let most = objects as usize;
        let over = (self.merged.len() + self.group.len()).saturating_sub(most);
        if rrip && over > 0 {
            let farthest = self.merged.iter().map(|&(prediction, _)| prediction).max();
            let away = farthest.map_or(0, |farthest| FAR - farthest);
            for (prediction, _) in &mut self.merged {
                *prediction += away;
            }
        }
        self.merged
            .extend(self.group.iter().map(|&page| (LONG, page)));
        for &page in &self.group {
            self.slot_of[page as usize] = IN_SET;
        }
        let stay = self.merged.len() - over;
        let mut gone = 0..over;
        if rrip {
            sort(&self.merged, &mut self.sorted);
            std::mem::swap(&mut self.merged, &mut self.sorted);
            gone = stay..self.merged.len();
        }
        for &(_, page) in &self.merged[gone.clone()] {
            self.slot_of[page as usize] = NONE;
        }
        self.merged.drain(gone);
        self.held = self.held + index(self.group.len()) - index(over);
        self.was_full |= over > 0;
        host.counters().flash_evictions += over as u64;
        set.length = index(stay);
        let own = &mut self.entries[first..first + stay];
        for (entry, &(prediction, page)) in own.iter_mut().zip(&self.merged) {
            *entry = (page, prediction);
        }
        host.flash_write(set.number * pages, pages);
    }

    /// The sets that pages map to.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Set<B>> {
        self.set.iter()
    }

    /// Counts the objects in the sets again; the text says what disagrees.
    pub(super) fn recount(&self) -> std::result::Result<usize, String> {
        let mut held = 0;
        for set in &self.set {
            for place in 0..set.length {
                let (page, _) = self.entries[(set.first + place) as usize];
                if self.slot_of[page as usize] != IN_SET || self.of(page).number != set.number {
                    return Err(format!("set {} holds page {page} wrongly", set.number));
                }
                held += 1;
            }
        }
        if held != self.held as usize {
            return Err(format!(
                "{held} objects are in sets, counted as {}",
                self.held
            ));
        }
        Ok(held)
    }
}

/// Sorts by prediction into `sorted`, residents before newcomers, each in their order.
fn sort(merged: &[(u8, u32)], sorted: &mut Vec<(u8, u32)>) {
    let mut starts = [0; FAR as usize + 2];
    for &(prediction, _) in merged {
        starts[usize::from(prediction) + 1] += 1;
    }
    for prediction in 1..starts.len() {
        starts[prediction] += starts[prediction - 1];
    }
    sorted.resize(merged.len(), (0, 0));
    for &one in merged {
        let to = &mut starts[usize::from(one.0)];
        sorted[*to] = one;
        *to += 1;
    }
}

/// A place or a count, of which there are no more than pages.
#[expect(
    clippy::cast_possible_truncation,
    reason = "there are no more than pages"
)]
pub(super) fn index(place: usize) -> u32 {
    place as u32
}
