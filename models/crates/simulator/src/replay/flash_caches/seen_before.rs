//! Which pages came lately: distinct ones of a window, in splits of which the oldest is forgotten whole.

/// Pages of a window.
///
/// A page that is known is not noted a second time: it stays in its split, and is forgotten with it.
#[derive(Debug)]
pub(super) struct SeenBefore {
    splits: u32,
    split_pages: u32,
    /// By page, the number of its split; 0: it is in none.
    split_of: Vec<u32>,
    /// The split that fills, from 1 on, and its pages.
    split: u32,
    filled: u32,
}

impl SeenBefore {
    /// Remembers so many pages in each of so many splits; at least one of both.
    pub(super) const fn new(splits: u32, split_pages: u32) -> Self {
        Self {
            splits,
            split_pages,
            split_of: Vec::new(),
            split: 1,
            filled: 0,
        }
    }

    pub(super) fn grow(&mut self, pages: usize) {
        if pages > self.split_of.len() {
            self.split_of.resize(pages, 0);
        }
    }

    /// Whether a page is known; one that is not is from now on.
    pub(super) fn notes(&mut self, page: u32) -> bool {
        let split = self.split_of[page as usize];
        if split > 0 && self.split - split < self.splits {
            return true;
        }
        if self.filled == self.split_pages {
            self.next_split();
        }
        self.split_of[page as usize] = self.split;
        self.filled += 1;
        false
    }

    fn next_split(&mut self) {
        if self.split == u32::MAX {
            let past = self.split - self.splits;
            for split in &mut self.split_of {
                *split = split.saturating_sub(past);
            }
            self.split = self.splits;
        }
        self.split += 1;
        self.filled = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::SeenBefore;

    fn told(splits: u32, split_pages: u32, pages: &[u32]) -> Vec<bool> {
        let mut seen = SeenBefore::new(splits, split_pages);
        seen.grow(10);
        pages.iter().map(|&page| seen.notes(page)).collect()
    }

    #[test]
    fn a_known_page_stays_known_until_its_split_is_forgotten() {
        // One split of two pages: the third distinct page forgets both.
        assert_eq!(
            told(1, 2, &[1, 1, 1, 2, 1, 3, 1, 3, 2]),
            [false, true, true, false, true, false, false, true, false]
        );
        // Two splits of one page: each new page forgets the last but one.
        assert_eq!(
            told(2, 1, &[1, 2, 1, 3, 2, 1, 1]),
            [false, false, true, false, true, false, true]
        );
    }

    #[test]
    fn splits_are_numbered_again_where_numbers_end() {
        let mut seen = SeenBefore::new(2, 1);
        seen.grow(5);
        seen.notes(0);
        seen.split = u32::MAX;
        seen.split_of[1] = u32::MAX;
        seen.split_of[2] = u32::MAX - 1;
        assert!(seen.notes(1) && seen.notes(2) && !seen.notes(0));
        assert!(seen.notes(0) && seen.notes(1) && !seen.notes(2));
    }
}
