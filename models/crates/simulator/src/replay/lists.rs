//! Several recency or FIFO lists over the same pages, a page in at most one of them.
//!
//! Each list is an append-only log, as in [`super::recency`]; one table says of each page in which
//! list it is and where. Moving a page to the recent end of any list is one sequential and one
//! random write, whatever list it comes from: what it leaves behind is no longer live.
//!
//! Where pages are guarded, each list also keeps the set of its log entries whose page is open, that is,
//! not guarded: the oldest of them is found in a handful of steps, however many guarded ones lie before.

use crate::replay::ahead::Ahead;
use crate::replay::bits::{BitSet, LeastFirstSet};

/// List of a page that is in none.
const NOWHERE: u8 = u8::MAX;
/// Page of an interface that needs a page number which no page has.
pub(crate) const NO_PAGE: u32 = u32::MAX;
/// Entries of the shortest log.
const SHORTEST_LOG: usize = 1 << 12;
/// Longest log: its places are stamps.
const LONGEST_LOG: usize = u32::MAX as usize;
/// Log entries per page held after sliding.
const LOG_FACTOR: usize = 4;

#[derive(Debug, Clone, Copy)]
struct Place {
    stamp: u32,
    list: u8,
    tag: u8,
}

#[derive(Debug, Default)]
struct Log {
    pages: Vec<u32>,
    /// No live entry lies before it.
    tail: u32,
    /// Next free entry.
    head: u32,
    /// Pages in the list.
    live: u32,
    ahead: Ahead,
}

/// Which pages are guarded, and where the others are.
#[derive(Debug)]
struct Guards<const N: usize> {
    guarded: BitSet,
    /// Log entries of the open pages of each list.
    open: [LeastFirstSet; N],
    /// Open pages of each list.
    pages: [u32; N],
}

impl<const N: usize> Guards<N> {
    /// An open page leaves a place, or a page becomes guarded there.
    fn leave(&mut self, place: Place) {
        let list = usize::from(place.list);
        if let Some(open) = self.open.get_mut(list) {
            open.remove(place.stamp);
            self.pages[list] -= 1;
        }
    }

    /// An open page comes to a place, or a page becomes open there.
    fn enter(&mut self, place: Place) {
        let list = usize::from(place.list);
        if let Some(open) = self.open.get_mut(list) {
            open.insert(place.stamp);
            self.pages[list] += 1;
        }
    }
}

/// `N` lists, numbered from 0, and a small tag for each page.
///
/// Whether pages can be guarded is a constant of the type: where they are not, nothing is done for it.
#[derive(Debug)]
pub(crate) struct Lists<const N: usize, const GUARDED: bool = false> {
    places: Vec<Place>,
    logs: [Log; N],
    /// If pages are guarded.
    guards: Option<Box<Guards<N>>>,
}

impl<const N: usize, const GUARDED: bool> Lists<N, GUARDED> {
    pub(crate) fn new() -> Self {
        Self {
            places: Vec::new(),
            logs: std::array::from_fn(|_| Log::default()),
            guards: GUARDED.then(|| {
                Box::new(Guards {
                    guarded: BitSet::default(),
                    open: std::array::from_fn(|_| LeastFirstSet::new(0)),
                    pages: [0; N],
                })
            }),
        }
    }

    pub(crate) fn is_guarded(&self, page: u32) -> bool {
        let guards = self.guards.as_ref();
        guards.is_some_and(|guards| guards.guarded.contains(page))
    }

    /// Guards an open page; its place does not change.
    pub(crate) fn guard(&mut self, page: u32) {
        if let Some(guards) = &mut self.guards {
            guards.guarded.insert(page);
            guards.leave(self.places[page as usize]);
        }
    }

    /// Ends the guard of a page; its place does not change.
    pub(crate) fn release(&mut self, page: u32) {
        if let Some(guards) = &mut self.guards {
            guards.guarded.take(page);
            guards.enter(self.places[page as usize]);
        }
    }

    /// Pages of `list` that are not guarded.
    #[inline]
    pub(crate) fn open(&self, list: u8) -> u32 {
        match &self.guards {
            Some(guards) if GUARDED => guards.pages[usize::from(list)],
            _ => self.len(list),
        }
    }

    /// The oldest page of `list` that is not guarded; there must be one.
    #[inline]
    pub(crate) fn oldest_open(&mut self, list: u8) -> u32 {
        match &self.guards {
            Some(guards) if GUARDED => {
                let stamp = guards.open[usize::from(list)].first();
                let stamp = stamp.expect("a list with an open page");
                self.logs[usize::from(list)].pages[stamp as usize]
            }
            _ => self.oldest(list),
        }
    }

    /// Removes the oldest page of `list` that is not guarded; there must be one.
    #[inline]
    pub(crate) fn pop_open(&mut self, list: u8) -> u32 {
        if !GUARDED {
            return self.pop(list);
        }
        let page = self.oldest_open(list);
        self.remove(page);
        page
    }

    /// Tells the guards that a page went from one place to another.
    #[inline(never)]
    fn move_guarded(&mut self, page: u32, before: Place) {
        let after = self.places[page as usize];
        if let Some(guards) = &mut self.guards
            && !guards.guarded.contains(page)
        {
            guards.leave(before);
            guards.enter(after);
        }
    }

    /// Makes room for the page numbers `0..pages`.
    pub(crate) fn grow(&mut self, pages: usize) {
        if pages > self.places.len() {
            let nowhere = Place {
                stamp: 0,
                list: NOWHERE,
                tag: 0,
            };
            self.places.resize(pages, nowhere);
            if let Some(guards) = &mut self.guards {
                guards.guarded.grow(pages);
            }
        }
    }

    /// Reads the places of some pages, all at once.
    pub(crate) fn fetch(&self, pages: &[u32]) {
        let mixed = pages
            .iter()
            .fold(0, |mixed, &page| mixed ^ self.places[page as usize].stamp);
        std::hint::black_box(mixed);
    }

    /// Whether `page` is in `list`.
    #[inline]
    pub(crate) fn is_in(&self, page: u32, list: u8) -> bool {
        self.places[page as usize].list == list
    }

    /// Whether `page` is in one of the lists `0..lists`.
    #[inline]
    pub(crate) fn is_in_first(&self, page: u32, lists: u8) -> bool {
        self.places[page as usize].list < lists
    }

    /// Pages in `list`.
    #[inline]
    pub(crate) fn len(&self, list: u8) -> u32 {
        self.logs[usize::from(list)].live
    }

    /// The page's tag; it stays when the page moves or leaves.
    #[inline]
    pub(crate) fn tag(&self, page: u32) -> u8 {
        self.places[page as usize].tag
    }

    #[inline]
    pub(crate) fn set_tag(&mut self, page: u32, tag: u8) {
        self.places[page as usize].tag = tag;
    }

    /// Puts `page` at the recent end of `list`, from wherever it is.
    #[inline]
    pub(crate) fn push(&mut self, page: u32, list: u8) {
        if self.logs[usize::from(list)].head as usize == self.logs[usize::from(list)].pages.len() {
            self.slide(list);
        }
        let place = &mut self.places[page as usize];
        let left = *place;
        let before = std::mem::replace(&mut place.list, list);
        let log = &mut self.logs[usize::from(list)];
        place.stamp = log.head;
        log.pages[log.head as usize] = page;
        log.head += 1;
        if before != list {
            log.live += 1;
            if let Some(other) = self.logs.get_mut(usize::from(before)) {
                other.live -= 1;
            }
        }
        if GUARDED {
            self.move_guarded(page, left);
        }
    }

    /// The page at the old end of `list`, which must not be empty.
    #[inline]
    pub(crate) fn oldest(&mut self, list: u8) -> u32 {
        loop {
            let log = &mut self.logs[usize::from(list)];
            while let Some(stamp) = log.ahead.peek() {
                let page = log.pages[stamp as usize];
                let place = self.places[page as usize];
                if place.stamp == stamp && place.list == list {
                    log.tail = stamp;
                    return page;
                }
                log.ahead.pass();
            }
            self.look_ahead(list);
        }
    }

    #[inline(never)]
    fn look_ahead(&mut self, list: u8) {
        let places = &self.places;
        let log = &mut self.logs[usize::from(list)];
        log.ahead.look(&log.pages, log.head, |stamp, page| {
            let place = places[page as usize];
            place.stamp == stamp && place.list == list
        });
    }

    /// Removes the page at the old end of `list`, which must not be empty.
    #[inline]
    pub(crate) fn pop(&mut self, list: u8) -> u32 {
        let page = self.oldest(list);
        let left = self.places[page as usize];
        self.places[page as usize].list = NOWHERE;
        if GUARDED {
            self.move_guarded(page, left);
        }
        let log = &mut self.logs[usize::from(list)];
        log.live -= 1;
        log.tail += 1;
        log.ahead.pass();
        page
    }

    /// Takes `page` out of its list, if it is in one.
    #[inline]
    pub(crate) fn remove(&mut self, page: u32) {
        let left = self.places[page as usize];
        self.places[page as usize].list = NOWHERE;
        if let Some(log) = self.logs.get_mut(usize::from(left.list)) {
            log.live -= 1;
        }
        if GUARDED {
            self.move_guarded(page, left);
        }
    }

    #[cold]
    #[inline(never)]
    fn slide(&mut self, list: u8) {
        let log = &mut self.logs[usize::from(list)];
        let mut to = 0_u32;
        for from in log.tail..log.head {
            // Without a branch, as in `ahead`: a dead entry is overwritten by the next one.
            let page = log.pages[from as usize];
            let place = &mut self.places[page as usize];
            let live = place.list == list && place.stamp == from;
            place.stamp = if live { to } else { place.stamp };
            log.pages[to as usize] = page;
            to += u32::from(live);
        }
        log.ahead.forget();
        log.tail = 0;
        log.head = to;
        let length = (to as usize * LOG_FACTOR).clamp(SHORTEST_LOG, LONGEST_LOG);
        if length > log.pages.len() {
            log.pages.resize(length, 0);
        }
        if let Some(guards) = &mut self.guards {
            let mut open = LeastFirstSet::new(log.pages.len());
            for (stamp, &page) in (0..to).zip(&log.pages) {
                open.insert_open(stamp, !guards.guarded.contains(page));
            }
            open.close();
            guards.open[usize::from(list)] = open;
        }
    }

    /// The pages of `list`, oldest first.
    pub(crate) fn iter(&self, list: u8) -> impl Iterator<Item = u32> {
        let log = &self.logs[usize::from(list)];
        (log.tail..log.head)
            .map(|stamp| (stamp, log.pages[stamp as usize]))
            .filter(move |&(stamp, page)| {
                let place = self.places[page as usize];
                place.stamp == stamp && place.list == list
            })
            .map(|(_, page)| page)
    }

    /// Counts the pages of every list again, by the table and by the live log entries.
    pub(crate) fn recount(&self) -> Result<(), String> {
        for (list, log) in (0_u8..).zip(&self.logs) {
            let placed = self
                .places
                .iter()
                .filter(|place| place.list == list)
                .count();
            let logged = self.iter(list).count();
            if placed != log.live as usize || logged != placed {
                return Err(format!(
                    "list {list} of {} pages has {placed} places and {logged} live log entries",
                    log.live
                ));
            }
            let open = self.iter(list).filter(|&page| !self.is_guarded(page));
            let (open, counted) = (open.count(), self.open(list) as usize);
            let members = self
                .guards
                .as_ref()
                .map_or(counted, |guards| guards.open[usize::from(list)].len());
            if counted != open || members != open {
                return Err(format!(
                    "list {list} has {open} open pages, counts {counted}, and has {members} in its set"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Small page numbers and many steps, so that the logs slide several times.
        #[test]
        fn lists_behave_like_vectors(
            steps in prop::collection::vec((0_u32..40, 0_u8..3, 0_u8..8), 20_000..20_001),
        ) {
            let mut lists = Lists::<3, false>::new();
            lists.grow(40);
            let mut model: [Vec<u32>; 3] = Default::default();
            for (page, list, step) in steps {
                let at = usize::from(list);
                prop_assert_eq!(lists.is_in(page, list), model[at].contains(&page));
                let first = model[..at].iter().any(|pages| pages.contains(&page));
                prop_assert_eq!(lists.is_in_first(page, list), first);
                match step {
                    0 => {
                        for pages in &mut model {
                            pages.retain(|&other| other != page);
                        }
                        lists.remove(page);
                    }
                    1 if !model[at].is_empty() => {
                        prop_assert_eq!(lists.oldest(list), model[at][0]);
                        prop_assert_eq!(lists.pop(list), model[at].remove(0));
                    }
                    _ => {
                        for pages in &mut model {
                            pages.retain(|&other| other != page);
                        }
                        model[at].push(page);
                        lists.push(page, list);
                        lists.set_tag(page, step);
                        prop_assert_eq!(lists.tag(page), step);
                    }
                }
                prop_assert_eq!(lists.len(list) as usize, model[at].len());
            }
            for (list, pages) in (0_u8..).zip(model) {
                prop_assert_eq!(lists.iter(list).collect::<Vec<_>>(), pages);
            }
            prop_assert_eq!(lists.recount(), Ok(()));
        }

        /// The same with guards: the oldest open page is the first one without.
        #[test]
        fn guarded_pages_keep_their_places(
            steps in prop::collection::vec((0_u32..40, 0_u8..2, 0_u8..8), 20_000..20_001),
        ) {
            let mut lists = Lists::<2, true>::new();
            lists.grow(40);
            let mut model: [Vec<u32>; 2] = Default::default();
            let mut guarded: Vec<u32> = Vec::new();
            for (page, list, step) in steps {
                let at = usize::from(list);
                prop_assert_eq!(lists.is_guarded(page), guarded.contains(&page));
                let open: Vec<u32> =
                    model[at].iter().copied().filter(|page| !guarded.contains(page)).collect();
                prop_assert_eq!(lists.open(list) as usize, open.len());
                let held = model.iter().any(|pages| pages.contains(&page));
                match step {
                    0 if !open.is_empty() => {
                        prop_assert_eq!(lists.oldest_open(list), open[0]);
                        prop_assert_eq!(lists.pop_open(list), open[0]);
                        model[at].retain(|&other| other != open[0]);
                    }
                    1 if !guarded.contains(&page) => {
                        for pages in &mut model {
                            pages.retain(|&other| other != page);
                        }
                        lists.remove(page);
                    }
                    2 | 3 if held && !guarded.contains(&page) => {
                        guarded.push(page);
                        lists.guard(page);
                    }
                    2 | 3 if held => {
                        guarded.retain(|&other| other != page);
                        lists.release(page);
                    }
                    _ => {
                        for pages in &mut model {
                            pages.retain(|&other| other != page);
                        }
                        model[at].push(page);
                        lists.push(page, list);
                    }
                }
            }
            prop_assert_eq!(lists.recount(), Ok(()));
        }
    }
}
