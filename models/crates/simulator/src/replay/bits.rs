//! Sets of page numbers or list positions, one bit each.

/// A growable set of small integers.
#[derive(Debug, Default)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
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

/// A set of small integers that finds its least member in a handful of steps: each level has one
/// bit per word of the level below, set while that word is not zero.
#[derive(Debug)]
pub(crate) struct LeastFirstSet {
    levels: Vec<Vec<u64>>,
}

impl LeastFirstSet {
    /// An empty set with room for the members `0..bits`.
    pub(crate) fn new(bits: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = bits.div_ceil(64).max(1);
        loop {
            levels.push(vec![0; words]);
            if words == 1 {
                return Self { levels };
            }
            words = words.div_ceil(64);
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, member: u32) {
        let mut index = member as usize;
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

    #[inline]
    pub(crate) fn remove(&mut self, member: u32) {
        let mut index = member as usize;
        for level in &mut self.levels {
            let word = &mut level[index / 64];
            *word &= !(1 << (index % 64));
            if *word != 0 {
                return;
            }
            index /= 64;
        }
    }

    pub(crate) fn contains(&self, member: u32) -> bool {
        self.levels[0][member as usize / 64] >> (member % 64) & 1 == 1
    }

    /// Members.
    pub(crate) fn len(&self) -> usize {
        self.levels[0]
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// The least member that is not less than `from`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a place found is that of a member, a u32"
    )]
    pub(crate) fn first_from(&self, from: u32) -> Option<u32> {
        let mut index = from as usize;
        for (depth, level) in self.levels.iter().enumerate() {
            let rest = level.get(index / 64)? & (u64::MAX << (index % 64));
            if rest != 0 {
                let mut found = index / 64 * 64 + rest.trailing_zeros() as usize;
                for lower in self.levels[..depth].iter().rev() {
                    found = found * 64 + lower[found].trailing_zeros() as usize;
                }
                return Some(found as u32);
            }
            index = index / 64 + 1;
        }
        None
    }

    /// The least member.
    #[inline]
    pub(crate) fn first(&self) -> Option<u32> {
        let mut index = 0;
        for level in self.levels.iter().rev() {
            let word = level[index as usize];
            if word == 0 {
                return None;
            }
            index = index * 64 + word.trailing_zeros();
        }
        Some(index)
    }
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
                prop_assert_eq!(least.first_from(member), model.range(member..).next().copied());
                prop_assert_eq!(least.len(), model.len());
                prop_assert_eq!(bits.contains(member), model.contains(&member));
                prop_assert_eq!(least.contains(member), model.contains(&member));
            }
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), model.into_iter().collect::<Vec<_>>());
        }
    }
}
