//! The ids of transactions that ended, exactly: an id is not used twice.

use std::collections::BTreeMap;

use crate::hash::{FastMap, FastSet};

/// What may stand before a number, at most; ids that begin otherwise are kept in full.
const MOST_STEMS: usize = 1 << 12;
/// Digits of a number.
const MOST_DIGITS: usize = 18;

/// Runs of numbers, from the first to the last, by how many digits they are written with; 0: without
/// leading zeros.
type Runs = BTreeMap<(usize, u64), u64>;

/// Ids that end in a number are kept as runs of numbers, so those that are numbered one after the other take
/// no more memory the more there are; the others are kept in full.
#[derive(Debug, Default)]
pub(super) struct Ended {
    runs: FastMap<Box<str>, Runs>,
    others: FastSet<Box<str>>,
}

impl Ended {
    pub(super) fn contains(&self, name: &str) -> bool {
        let Some((stem, digits, number)) = parts(name) else {
            return self.others.contains(name);
        };
        match self.runs.get(stem) {
            Some(runs) => run_of(runs, digits, number).is_some(),
            None => self.others.contains(name),
        }
    }

    pub(super) fn insert(&mut self, name: &str) {
        let Some((stem, digits, number)) = parts(name) else {
            self.others.insert(name.into());
            return;
        };
        if !self.runs.contains_key(stem) {
            if self.runs.len() >= MOST_STEMS {
                self.others.insert(name.into());
                return;
            }
            self.runs.insert(stem.into(), Runs::new());
        }
        let runs = self.runs.get_mut(stem).expect("it is there");
        if run_of(runs, digits, number).is_some() {
            return;
        }
        let last = runs.remove(&(digits, number + 1)).unwrap_or(number);
        let before = number.checked_sub(1);
        let joined = before.and_then(|before| run_of(runs, digits, before));
        runs.insert((digits, joined.unwrap_or(number)), last);
    }

    /// Entries in memory.
    #[cfg(test)]
    fn entries(&self) -> usize {
        self.others.len() + self.runs.values().map(Runs::len).sum::<usize>()
    }
}

/// Where the run begins that holds a number.
fn run_of(runs: &Runs, digits: usize, number: u64) -> Option<u64> {
    let (&(of, first), &last) = runs.range(..=(digits, number)).next_back()?;
    (of == digits && last >= number).then_some(first)
}

/// What stands before the number that an id ends in, its digits where it has leading zeros, and the number.
fn parts(name: &str) -> Option<(&str, usize, u64)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (stem, number) = name.split_at(name.len() - digits.min(MOST_DIGITS));
    let padded = number.len() > 1 && number.starts_with('0');
    Some((
        stem,
        if padded { number.len() } else { 0 },
        number.parse().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::random::Random;

    #[test]
    fn it_holds_the_ids_that_were_put_in_and_no_others() {
        let mut random = Random(18);
        let stems = ["T", "", "xid:", "7a", "00", "é", "9876543210987654321"];
        let name = |random: &mut Random| {
            let stem = stems[usize::try_from(random.below(stems.len() as u64)).unwrap()];
            let number = random.below(120);
            match random.below(5) {
                0 => format!("{stem}{number:03}"),
                1 => format!("{stem}{number}x"),
                _ => format!("{stem}{number}"),
            }
        };
        let mut ended = Ended::default();
        let mut slow = BTreeSet::new();
        for _ in 0..4_000 {
            let put = name(&mut random);
            ended.insert(&put);
            slow.insert(put);
            let asked = name(&mut random);
            assert_eq!(ended.contains(&asked), slow.contains(&asked), "{asked}");
        }
    }

    #[test]
    fn ids_in_sequence_take_one_entry() {
        let mut ended = Ended::default();
        let half = 50_000_u64;
        for number in (0..half).rev().chain(half..2 * half) {
            ended.insert(&format!("T{number}"));
        }
        assert_eq!(ended.entries(), 1);
        assert!(ended.contains("T99999") && !ended.contains("T100000"));
        assert!(!ended.contains("T099999"), "another id");
    }

    #[test]
    fn more_beginnings_than_are_kept_by_number_stay_exact() {
        let mut ended = Ended::default();
        let ids = || (0..3 * MOST_STEMS).map(|number| format!("{number:x}-7"));
        ids().for_each(|id| ended.insert(&id));
        assert!(ids().all(|id| ended.contains(&id)));
        assert!(!ended.contains("0-8") && !ended.contains("2fff-8"));
        assert_eq!(ended.runs.len(), MOST_STEMS);
    }
}
