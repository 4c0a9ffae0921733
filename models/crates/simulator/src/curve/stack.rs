//! The unbounded LRU stack, asked for depths.

/// Place of a page that was never referenced.
const NOWHERE: u32 = u32::MAX;
/// Places in a block: eight words, one cache line.
const BLOCK: usize = 512;
const WORDS: usize = BLOCK / 64;
/// Fewest places.
const FEWEST_PLACES: usize = 1 << 16;
/// Places for each live page after renumbering.
const PLACES_FACTOR: usize = 4;
/// Most places: they are `u32`, and [`NOWHERE`] is none of them.
const MOST_PLACES: usize = (u32::MAX as usize) / BLOCK * BLOCK;

/// What is kept of a page: one entry, so that an access finds all of it in one cache line.
#[derive(Debug, Clone, Copy)]
struct Page {
    /// Place of its last reference.
    place: u32,
    /// What the caller keeps of it.
    note: u32,
}

/// Pages by their last reference, each with a note of the caller.
#[derive(Debug, Default)]
pub(super) struct Stack {
    pages: Vec<Page>,
    /// One bit a place, set while the place is some page's last reference.
    blocks: Vec<[u64; WORDS]>,
    /// Fenwick tree over the set bits of the blocks before the one `head` lies in; node 0 unused.
    tree: Vec<u32>,
    /// Next free place.
    head: u32,
    /// Set bits, one per page seen.
    live: u32,
}

impl Stack {
    /// Makes room for the page numbers `0..pages`; a new page has `note`.
    pub(super) fn grow(&mut self, pages: usize, note: u32) {
        if pages > self.pages.len() {
            let place = NOWHERE;
            self.pages.resize(pages, Page { place, note });
        }
    }

    /// Reads what is kept of some pages, all at once, so that the accesses to them find it cached.
    pub(super) fn fetch(&self, pages: &[u32]) {
        let mixed = pages
            .iter()
            .fold(0, |mixed, &page| mixed ^ self.pages[page as usize].place);
        std::hint::black_box(mixed);
    }

    /// The note of a page.
    #[inline]
    pub(super) fn note(&mut self, page: u32) -> &mut u32 {
        &mut self.pages[page as usize].note
    }

    /// Moves `page` to the top and returns the depth at which it was, the top being 1; 0 if it was
    /// never referenced.
    #[inline]
    pub(super) fn reference(&mut self, page: u32) -> u32 {
        let place = self.pages[page as usize].place;
        if place == NOWHERE {
            self.live += 1;
            self.put_on_top(page);
            return 0;
        }
        if place + 1 == self.head {
            return 1;
        }
        let depth = self.live + 1 - self.take(place);
        self.put_on_top(page);
        depth
    }

    /// Whether `page` is in the stack.
    #[inline]
    pub(super) fn contains(&self, page: u32) -> bool {
        self.pages[page as usize].place != NOWHERE
    }

    /// Takes `page` out and returns the depth at which it was, the top being 1; 0 if it is absent.
    /// Its note stays.
    #[inline]
    pub(super) fn remove(&mut self, page: u32) -> u32 {
        let place = self.pages[page as usize].place;
        if place == NOWHERE {
            return 0;
        }
        let depth = self.live + 1 - self.take(place);
        self.pages[page as usize].place = NOWHERE;
        self.live -= 1;
        depth
    }

    /// Clears the bit of a live place and returns the rank it had, the oldest having 1.
    #[inline]
    fn take(&mut self, place: u32) -> u32 {
        let index = place as usize / BLOCK;
        let block = &mut self.blocks[index];
        let word = place as usize / 64 % WORDS;
        let bit = 1_u64 << (place % 64);
        let mut rank = (block[word] & (bit | (bit - 1))).count_ones();
        for (other, bits) in block.iter().enumerate() {
            rank += if other < word { bits.count_ones() } else { 0 };
        }
        block[word] &= !bit;
        let mut node = index;
        while node > 0 {
            rank += self.tree[node];
            node &= node - 1;
        }
        let mut node = index + 1;
        while let Some(count) = self.tree.get_mut(node) {
            *count -= 1;
            node += node & node.wrapping_neg();
        }
        rank
    }

    #[inline]
    fn put_on_top(&mut self, page: u32) {
        if self.head as usize == self.blocks.len() * BLOCK {
            self.renumber();
        }
        let place = self.head;
        self.pages[page as usize].place = place;
        self.blocks[place as usize / BLOCK][place as usize / 64 % WORDS] |= 1 << (place % 64);
        self.head += 1;
        if (self.head as usize).is_multiple_of(BLOCK) {
            self.close_block();
        }
    }

    /// Appends the tree's next node.
    fn close_block(&mut self) {
        let node = self.tree.len();
        let mut count: u32 = self.blocks[node - 1]
            .iter()
            .map(|word| word.count_ones())
            .sum();
        let mut child = node - 1;
        let oldest = node & (node - 1);
        while child > oldest {
            count += self.tree[child];
            child &= child - 1;
        }
        self.tree.push(count);
    }

    /// Gives the live places the numbers from 0 in the same order, and more places if they are
    /// more than a quarter of all.
    #[cold]
    #[inline(never)]
    pub(super) fn renumber(&mut self) {
        let mut before = 0;
        let starts: Vec<u32> = self
            .blocks
            .iter()
            .map(|block| {
                let start = before;
                before += block.iter().map(|word| word.count_ones()).sum::<u32>();
                start
            })
            .collect();
        for Page { place, .. } in &mut self.pages {
            if *place != NOWHERE {
                let block = &self.blocks[*place as usize / BLOCK];
                let word = *place as usize / 64 % WORDS;
                let below: u32 = block[..word].iter().map(|bits| bits.count_ones()).sum();
                let bit = 1_u64 << (*place % 64);
                *place = starts[*place as usize / BLOCK]
                    + below
                    + (block[word] & (bit - 1)).count_ones();
            }
        }
        let places = (self.live as usize * PLACES_FACTOR)
            .clamp(FEWEST_PLACES, MOST_PLACES)
            .next_multiple_of(BLOCK);
        if places > self.blocks.len() * BLOCK {
            self.blocks.resize(places / BLOCK, [0; WORDS]);
        }
        self.blocks.fill([0; WORDS]);
        self.tree.clear();
        self.tree.push(0);
        // `live` counts the page being put on top already, if it is new: its bit is not set yet.
        self.head = 0;
        for place in 0..before {
            self.blocks[place as usize / BLOCK][place as usize / 64 % WORDS] |= 1 << (place % 64);
            self.head += 1;
            if (self.head as usize).is_multiple_of(BLOCK) {
                self.close_block();
            }
        }
    }

    /// Puts a page that is not in the stack on top.
    #[inline]
    pub(super) fn put(&mut self, page: u32) {
        self.live += 1;
        self.put_on_top(page);
    }

    /// Makes room for so many places, so that no more than that many references need no renumbering.
    pub(super) fn reserve(&mut self, places: usize) {
        let blocks = places.div_ceil(BLOCK).min(MOST_PLACES / BLOCK);
        if blocks > self.blocks.len() {
            self.blocks.resize(blocks, [0; WORDS]);
            if self.tree.is_empty() {
                self.tree.push(0);
            }
        }
    }

    /// Empties the stack, keeping its memory, given exactly the pages that are in it. Returns note
    /// and depth of each, in the order given, and leaves them `note`.
    pub(super) fn drain(&mut self, pages: impl Iterator<Item = u32>, note: u32) -> Vec<(u32, u32)> {
        let mut before = 0;
        let starts: Vec<u32> = self
            .blocks
            .iter()
            .map(|block| {
                let start = before;
                before += block.iter().map(|word| word.count_ones()).sum::<u32>();
                start
            })
            .collect();
        let live = self.live;
        let drained = pages
            .map(|page| {
                let entry = &mut self.pages[page as usize];
                let Page { place, note } = std::mem::replace(
                    entry,
                    Page {
                        place: NOWHERE,
                        note,
                    },
                );
                let block = &self.blocks[place as usize / BLOCK];
                let word = place as usize / 64 % WORDS;
                let below: u32 = block[..word].iter().map(|bits| bits.count_ones()).sum();
                let bit = 1_u64 << (place % 64);
                let rank = starts[place as usize / BLOCK]
                    + below
                    + (block[word] & (bit - 1)).count_ones();
                (note, live - rank)
            })
            .collect();
        self.blocks.fill([0; WORDS]);
        self.tree.clear();
        self.tree.push(0);
        self.head = 0;
        self.live = 0;
        drained
    }

    /// Note and final depth of every page, the top having 1; 0 for a page that is not in the stack.
    pub(super) fn into_notes_and_depths(mut self) -> impl Iterator<Item = (u32, u32)> {
        self.renumber();
        let live = self.live;
        self.pages.into_iter().map(move |page| {
            let depth = if page.place == NOWHERE {
                0
            } else {
                live - page.place
            };
            (page.note, depth)
        })
    }
}
