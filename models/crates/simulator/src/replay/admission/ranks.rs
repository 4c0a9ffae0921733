//! Which pages have the highest scores, where a score changes by one at a time.
//!
//! ```text
//! score[p]           of each page; counted[s]: pages with score s, for s > 0
//! threshold          the f-th highest score, 0 if fewer than f pages have a positive one
//! above              pages with a score above it, always fewer than f
//! raise p from s:    one more above, if s = threshold; f above: the threshold rises by one
//! lower p from s:    one less above, if s - 1 = threshold; fewer than f at or above it: it falls by one
//! ```
//!
//! A score moves by one, so the f-th highest one moves by at most one: every step is O(1).

/// Scores stay within this of 0: beyond it pages count as equal. Bounds the memory of `counted`.
const MOST: i32 = (1 << 24) - 1;

/// Scores of pages and the `f`-th highest of them.
#[derive(Debug)]
pub(super) struct Ranks {
    scores: Vec<i32>,
    counted: Vec<u32>,
    threshold: i32,
    above: u32,
    f: u32,
}

impl Ranks {
    /// No scores; `f` is at least 1.
    pub(super) fn new(f: u32) -> Self {
        Self {
            scores: Vec::new(),
            counted: vec![0; 2],
            threshold: 0,
            above: 0,
            f,
        }
    }

    /// Makes room for the page numbers `0..pages`.
    pub(super) fn grow(&mut self, pages: usize) {
        if pages > self.scores.len() {
            self.scores.resize(pages, 0);
        }
    }

    /// Adds one to the score of a page.
    #[inline]
    pub(super) fn raise(&mut self, page: u32) {
        let score = &mut self.scores[page as usize];
        if *score == MOST {
            return;
        }
        let before = *score;
        *score += 1;
        if before < 0 {
            return;
        }
        let place = before.cast_unsigned() as usize;
        if place + 2 > self.counted.len() {
            self.counted.resize(place + 2, 0);
        }
        if before > 0 {
            self.counted[place] -= 1;
        }
        self.counted[place + 1] += 1;
        if before == self.threshold {
            self.above += 1;
            if self.above >= self.f {
                self.threshold += 1;
                self.above -= self.counted[place + 1];
            }
        }
    }

    /// Takes one from the score of a page.
    #[inline]
    pub(super) fn lower(&mut self, page: u32) {
        let score = &mut self.scores[page as usize];
        if *score == -MOST {
            return;
        }
        let before = *score;
        *score -= 1;
        if before <= 0 {
            return;
        }
        let place = before.cast_unsigned() as usize;
        self.counted[place] -= 1;
        if before > 1 {
            self.counted[place - 1] += 1;
        }
        if before - 1 == self.threshold {
            self.above -= 1;
        } else if before == self.threshold {
            let at = self.above + self.counted[place];
            if at < self.f {
                self.threshold -= 1;
                self.above = at;
            }
        }
    }

    /// Whether the score of a page is positive and fewer than `f` pages have a higher one.
    #[inline]
    pub(super) fn is_among(&self, page: u32) -> bool {
        self.scores[page as usize] >= self.threshold.max(1)
    }

    /// Counts the scores again.
    pub(super) fn recount(&self) -> Result<(), String> {
        let mut counted = vec![0; self.counted.len()];
        let mut above = 0;
        for &score in &self.scores {
            if score > 0 {
                counted[score.cast_unsigned() as usize] += 1;
            }
            above += u32::from(score > self.threshold);
        }
        let at = above
            + counted
                .get(self.threshold.cast_unsigned() as usize)
                .copied()
                .unwrap_or(0);
        let is_rank = above < self.f && (self.threshold == 0 || at >= self.f);
        if counted == self.counted && above == self.above && is_rank {
            Ok(())
        } else {
            Err(format!(
                "ranks: {above} scores are above {} and {at} at or above it, {} were counted, f is {}",
                self.threshold, self.above, self.f
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_highest_scores_are_those_of_a_sorted_list(
            steps in prop::collection::vec((0_u32..12, 0_u8..5), 0..400), f in 1_u32..8,
        ) {
            let mut ranks = Ranks::new(f);
            ranks.grow(12);
            let mut scores = [0_i32; 12];
            for (page, step) in steps {
                if step < 3 {
                    ranks.raise(page);
                    scores[page as usize] += 1;
                } else {
                    ranks.lower(page);
                    scores[page as usize] -= 1;
                }
                for (page, &score) in (0..).zip(&scores) {
                    let higher = scores.iter().filter(|&&other| other > score).count();
                    let expected = score > 0 && higher < f as usize;
                    prop_assert_eq!(ranks.is_among(page), expected);
                }
                prop_assert_eq!(ranks.recount(), Ok(()));
            }
        }
    }
}
