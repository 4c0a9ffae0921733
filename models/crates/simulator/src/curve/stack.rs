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
pub(crate) struct Stack {
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
    pub(crate) fn grow(&mut self, pages: usize, note: u32) {
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
    pub(crate) fn reference(&mut self, page: u32) -> u32 {
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
        self.pages[page as usize].place = self.head;
        self.set_top();
    }

    /// Uses the next place, which exists.
    #[inline]
    fn set_top(&mut self) {
        let place = self.head;
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
        let ranks = Ranks::new(&self.blocks);
        for Page { place, .. } in &mut self.pages {
            if *place != NOWHERE {
                *place = ranks.of(*place);
            }
        }
        let before = ranks.all;
        self.restart(before);
    }

    /// Empties all places and sets the first `before` anew, with room for more.
    fn restart(&mut self, before: u32) {
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

/// The set bits below each place.
struct Ranks<'a> {
    blocks: &'a [[u64; WORDS]],
    /// Set bits before each block.
    starts: Vec<u32>,
    all: u32,
}

impl<'a> Ranks<'a> {
    fn new(blocks: &'a [[u64; WORDS]]) -> Self {
        let mut all = 0;
        let count = |block: &[u64; WORDS]| {
            let start = all;
            all += block.iter().map(|word| word.count_ones()).sum::<u32>();
            start
        };
        let starts = blocks.iter().map(count).collect();
        Self {
            blocks,
            starts,
            all,
        }
    }

    fn of(&self, place: u32) -> u32 {
        let block = &self.blocks[place as usize / BLOCK];
        let word = place as usize / 64 % WORDS;
        let below: u32 = block[..word].iter().map(|bits| bits.count_ones()).sum();
        let bit = 1_u64 << (place % 64);
        self.starts[place as usize / BLOCK] + below + (block[word] & (bit - 1)).count_ones()
    }
}

/// The half of a [`Stack`] that knows the place of each page, for a thread of its own.
#[derive(Debug, Default)]
pub(super) struct PlacesHalf {
    pages: Vec<Page>,
    head: u32,
    /// Places there are.
    places: u32,
}

/// The half of a [`Stack`] that counts places, for a thread of its own: a [`Stack`] without pages.
#[derive(Debug, Default)]
pub(super) struct DepthsHalf(Stack);

/// The places in use before a renumbering.
#[derive(Debug)]
pub(super) struct UsedPlaces(Vec<[u64; WORDS]>);

impl PlacesHalf {
    /// Makes room for the page numbers `0..pages`; a new page has `note`.
    pub(crate) fn grow(&mut self, pages: usize, note: u32) {
        if pages > self.pages.len() {
            let place = NOWHERE;
            self.pages.resize(pages, Page { place, note });
        }
    }

    /// Whether so many references find places without a renumbering.
    pub(super) fn has_room(&self, references: usize) -> bool {
        (self.places - self.head) as usize >= references
    }

    /// The note of a page.
    #[inline]
    pub(super) fn note(&mut self, page: u32) -> &mut u32 {
        &mut self.pages[page as usize].note
    }

    /// Moves `page` to the top and returns the place at which it was, for the other half.
    #[inline]
    pub(crate) fn reference(&mut self, page: u32) -> u32 {
        let place = &mut self.pages[page as usize].place;
        let before = *place;
        // The page on top stays where it is: the other half knows by the same comparison.
        if before.wrapping_add(1) != self.head || before == NOWHERE {
            *place = self.head;
            self.head += 1;
        }
        before
    }

    /// Takes over the numbers that [`DepthsHalf::renumber`] has given the places.
    pub(super) fn renumber(&mut self, used: &UsedPlaces, places: u32) {
        let ranks = Ranks::new(&used.0);
        for Page { place, .. } in &mut self.pages {
            if *place != NOWHERE {
                *place = ranks.of(*place);
            }
        }
        self.head = ranks.all;
        self.places = places;
    }

    /// Note and depth of every page, the top having 1, right after a renumbering.
    pub(super) fn into_notes_and_depths(self) -> impl Iterator<Item = (u32, u32)> {
        let live = self.head;
        self.pages
            .into_iter()
            .map(move |page| (page.note, live - page.place))
    }
}

impl DepthsHalf {
    /// The depth of the page that was at `before`, which moves to the top; 0 if it was nowhere.
    #[inline]
    pub(crate) fn reference(&mut self, before: u32) -> u32 {
        let stack = &mut self.0;
        let depth = if before == NOWHERE {
            stack.live += 1;
            0
        } else if before + 1 == stack.head {
            return 1;
        } else {
            stack.live + 1 - stack.take(before)
        };
        stack.set_top();
        depth
    }

    /// Gives the places in use the numbers from 0, with room for at least `room` references, and
    /// tells how many places there are.
    pub(super) fn renumber(&mut self, room: usize) -> (UsedPlaces, u32) {
        let stack = &mut self.0;
        let blocks = (stack.live as usize + room)
            .div_ceil(BLOCK)
            .max(stack.blocks.len());
        let before = std::mem::replace(&mut stack.blocks, vec![[0; WORDS]; blocks]);
        stack.restart(stack.live);
        let places = u32::try_from(stack.blocks.len() * BLOCK).unwrap_or(NOWHERE - 1);
        (UsedPlaces(before), places)
    }
}
