//! Sets of page numbers or list positions, one bit each.

/// A growable set of small integers.
#[derive(Debug, Clone, Default)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// Of the numbers `0..bits` those that are members.
    pub(crate) fn of(bits: usize, is_member: impl Fn(u32) -> bool) -> Self {
        let mut found = Self::default();
        found.grow(bits);
        for member in (0..).take(bits) {
            found.insert_if(member, is_member(member));
        }
        found
    }

    /// Makes room for the members `0..bits`.
    pub(crate) fn grow(&mut self, bits: usize) {
        let words = bits.div_ceil(64);
        if words > self.words.len() {
            self.words.resize(words, 0);
        }
    }

    #[inline]
    pub(crate) fn contains(&self, member: u32) -> bool {
        self.words[member as usize / 64] >> (member % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn insert(&mut self, member: u32) {
        self.insert_if(member, true);
    }

    /// Inserts `member` if `condition` holds, without a branch.
    #[inline]
    pub(crate) fn insert_if(&mut self, member: u32, condition: bool) {
        self.words[member as usize / 64] |= u64::from(condition) << (member % 64);
    }

    /// Removes `member` and tells whether it was there.
    #[inline]
    pub(crate) fn take(&mut self, member: u32) -> bool {
        let word = &mut self.words[member as usize / 64];
        let bit = 1 << (member % 64);
        let was = *word & bit != 0;
        *word &= !bit;
        was
    }

    /// Counts the members of a run: a power of two of numbers from one of its multiples on.
    #[inline]
    pub(crate) fn count_run(&self, from: u32, length: u32) -> u32 {
        let within = within_word(from, length);
        let words = &self.words[words_of(from, length)];
        words.iter().map(|word| (word & within).count_ones()).sum()
    }

    /// Removes the members of such a run.
    #[inline]
    pub(crate) fn clear_run(&mut self, from: u32, length: u32) {
        let within = within_word(from, length);
        for word in &mut self.words[words_of(from, length)] {
            *word &= !within;
        }
    }

    /// Removes the least member that is not below `from`, and names it.
    pub(crate) fn take_from(&mut self, from: u32) -> Option<u32> {
        let first = from as usize / 64;
        let mut below = (1_u64 << (from % 64)) - 1;
        for (index, word) in self.words.iter_mut().enumerate().skip(first) {
            let rest = *word & !below;
            below = 0;
            if rest != 0 {
                *word &= !(rest & rest.wrapping_neg());
                return Some(member(index, rest));
            }
        }
        None
    }

    /// Removes all members.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Counts the members.
    pub(crate) fn len(&self) -> u64 {
        let words = self.words.iter();
        words.map(|word| u64::from(word.count_ones())).sum()
    }

    /// The members in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        (0_u32..).zip(&self.words).flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    index * 64 + bit
                })
            })
        })
    }
}

/// The words in which a run lies.
#[inline]
fn words_of(from: u32, length: u32) -> std::ops::Range<usize> {
    let first = from as usize / 64;
    first..first + (length as usize).div_ceil(64)
}

/// The bits of a run in each of these.
#[inline]
fn within_word(from: u32, length: u32) -> u64 {
    if length < 64 {
        ((1 << length) - 1) << (from % 64)
    } else {
        u64::MAX
    }
}

/// A set of small integers that finds its least member in a handful of steps: each level has one
/// bit per word of the level below, set while that word is not zero.
#[derive(Debug)]
pub(crate) struct LeastFirstSet {
    members: Vec<u64>,
    levels: Vec<Vec<u64>>,
    /// Word of the least member, if there is any.
    low: usize,
}

impl LeastFirstSet {
    /// An empty set with room for the members `0..bits`.
    pub(crate) fn new(bits: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = bits.div_ceil(64).max(1);
        let members = vec![0; words];
        while words > 1 {
            words = words.div_ceil(64);
            levels.push(vec![0; words]);
        }
        Self {
            members,
            levels,
            low: 0,
        }
    }

    /// Members that it has room for, from 0 on.
    pub(crate) fn room(&self) -> usize {
        64 * self.members.len()
    }

    /// Makes room for the members `0..bits`.
    pub(crate) fn grow(&mut self, bits: usize) {
        if bits > self.room() {
            let mut larger = Self::new(bits);
            larger.members[..self.members.len()].copy_from_slice(&self.members);
            larger.close();
            *self = larger;
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, member: u32) {
        let mut index = member as usize / 64;
        self.low = if self.members[self.low] == 0 {
            index
        } else {
            self.low.min(index)
        };
        let word = &mut self.members[index];
        let was_empty = *word == 0;
        *word |= 1 << (member % 64);
        if was_empty {
            for level in &mut self.levels {
                let word = &mut level[index / 64];
                let was_empty = *word == 0;
                *word |= 1 << (index % 64);
                if !was_empty {
                    return;
                }
                index /= 64;
            }
        }
    }

    /// Inserts `member` if `condition` holds, without a branch; [`Self::close`] makes it findable.
    #[inline]
    pub(crate) fn insert_open(&mut self, member: u32, condition: bool) {
        self.members[member as usize / 64] |= u64::from(condition) << (member % 64);
    }

    /// Makes all members findable after [`Self::insert_open`].
    pub(crate) fn close(&mut self) {
        let mut below = &self.members;
        for level in &mut self.levels {
            for (word, of) in level.iter_mut().zip(below.chunks(64)) {
                let bits = (0..)
                    .zip(of)
                    .map(|(bit, &word)| u64::from(word != 0) << bit);
                *word = bits.fold(0, |all, bit| all | bit);
            }
            below = level;
        }
        self.low = self.word_from(0).unwrap_or(0);
    }

    #[inline]
    pub(crate) fn remove(&mut self, member: u32) {
        let index = member as usize / 64;
        let word = &mut self.members[index];
        *word &= !(1 << (member % 64));
        if *word == 0 {
            self.close_word(index);
        }
    }

    /// Tells the levels that a word is zero.
    #[inline(never)]
    fn close_word(&mut self, word: usize) {
        let mut index = word;
        for level in &mut self.levels {
            let word = &mut level[index / 64];
            *word &= !(1 << (index % 64));
            if *word != 0 {
                break;
            }
            index /= 64;
        }
        if word == self.low {
            self.low = self.word_from(word).unwrap_or(word);
        }
    }

    pub(crate) fn contains(&self, member: u32) -> bool {
        self.members[member as usize / 64] >> (member % 64) & 1 == 1
    }

    /// Members.
    pub(crate) fn len(&self) -> usize {
        let counts = self.members.iter().map(|word| word.count_ones() as usize);
        counts.sum()
    }

    /// The first word of `members` from `from` on that is not zero.
    fn word_from(&self, from: usize) -> Option<usize> {
        if *self.members.get(from)? != 0 {
            return Some(from);
        }
        let mut index = from + 1;
        for (depth, level) in self.levels.iter().enumerate() {
            let rest = level.get(index / 64)? & (u64::MAX << (index % 64));
            if rest != 0 {
                let mut found = index / 64 * 64 + rest.trailing_zeros() as usize;
                for lower in self.levels[..depth].iter().rev() {
                    found = found * 64 + lower[found].trailing_zeros() as usize;
                }
                return Some(found);
            }
            index = index / 64 + 1;
        }
        None
    }

    /// The least member that is not below `from`.
    pub(crate) fn first_from(&self, from: u32) -> Option<u32> {
        let index = from as usize / 64;
        let bits = self.members.get(index)? & (u64::MAX << (from % 64));
        if bits != 0 {
            return Some(member(index, bits));
        }
        let index = self.word_from(index + 1)?;
        Some(member(index, self.members[index]))
    }

    /// The least member.
    #[inline]
    pub(crate) fn first(&self) -> Option<u32> {
        let bits = self.members[self.low];
        (bits != 0).then(|| member(self.low, bits))
    }
}

/// The least member of a word.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a place found is that of a member, a u32"
)]
fn member(word: usize, bits: u64) -> u32 {
    word as u32 * 64 + bits.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_sets_behave_like_a_tree_set(
            steps in prop::collection::vec((0_u32..9000, any::<bool>()), 0..400),
        ) {
            let mut model = BTreeSet::new();
            let mut bits = BitSet::default();
            bits.grow(9000);
            let mut least = LeastFirstSet::new(9000);
            let mut grown = LeastFirstSet::new(1);
            let mut open = LeastFirstSet::new(9000);
            for (member, insert) in steps {
                if insert {
                    bits.insert(member);
                    least.insert(member);
                    model.insert(member);
                } else {
                    prop_assert_eq!(bits.take(member), model.remove(&member));
                    least.remove(member);
                }
                prop_assert_eq!(least.first(), model.first().copied());
                prop_assert_eq!(least.len(), model.len());
                grown.grow(member as usize + 1);
                if insert {
                    grown.insert(member);
                } else {
                    grown.remove(member);
                }
                prop_assert_eq!(grown.first(), model.first().copied());
                for from in [0, 63, 64, 4000, 8999, member] {
                    let next = model.range(from..).next().copied();
                    prop_assert_eq!(least.first_from(from), next);
                    prop_assert_eq!(grown.first_from(from), next);
                }
                if least.contains(member) != open.contains(member) {
                    open.remove(member);
                    open.insert_open(member, insert);
                    open.close();
                }
                prop_assert_eq!(open.first(), model.first().copied());
                prop_assert_eq!(bits.contains(member), model.contains(&member));
                prop_assert_eq!(least.contains(member), model.contains(&member));
            }
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), model.iter().copied().collect::<Vec<_>>());
            for from in [0, 63, 64, 4000, 8999] {
                let least = model.range(from..).next().copied();
                prop_assert_eq!(bits.take_from(from), least);
                least.map(|least| model.remove(&least));
            }
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), model.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn runs_are_counted_and_cleared_as_in_a_tree_set(
            members in prop::collection::btree_set(0_u32..2048, 0..400),
            runs in prop::collection::vec((0_u32..2048, 0_u32..10, any::<bool>()), 0..60),
        ) {
            let mut bits = BitSet::default();
            bits.grow(2048);
            for &member in &members {
                bits.insert(member);
            }
            let mut model = members;
            for (member, power, clears) in runs {
                let length = 1 << power;
                let from = member / length * length;
                let run = from..from + length;
                let held = model.range(run.clone()).count();
                prop_assert_eq!(bits.count_run(from, length) as usize, held);
                if clears {
                    bits.clear_run(from, length);
                    model.retain(|member| !run.contains(member));
                }
            }
            prop_assert!(bits.iter().eq(model));
        }
    }
}
