//! Summaries of a trace in parts: each part by itself, then joined to the same integers as one pass.
//!
//! **What is open.** A page's first access in a part may be its first of all, or a reuse whose time
//! began in an earlier part. So of each page the places and times of its first and last access are kept,
//! the number of its accesses, and the longest reuse up to its first write and since its last one. A
//! request or a run of requests may go on across the border of two parts ([`super::Requests`]).
//!
//! **Windows** have the length that they have at the end of the whole trace, which is known: its accesses
//! and its last time are counted before. Parts are joined by [`crate::curve::JoinedParts`], which finds the
//! pages and the depths of open accesses.

use serde::{Deserialize, Serialize};

use super::bins::{BINS, Distribution, LogCounts, bin_of, lowest_of};
use super::devices::{Device, Devices, MOST_WITH_HITS, SIZES, size_of};
use super::popularity::{PageCount, Popularity};
use super::relations::{self, CLEAN, Relations};
use super::requests::{RequestCounts, Requests};
use super::reuse::ReuseSummary;
use super::windows::{MOST_WINDOWS, WindowSummary, length_up_to};
use super::{Gathered, SHORTEST_ACCESSES, SHORTEST_NS, Summaries, check};
use crate::access::WRITE;
use crate::error::Result;
use crate::replay::disagreement;

/// Bins of a device that are looked for one by one; those with more have all of them.
const FEW: usize = 24;

/// Where the times of a part lie in those of its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartTimes {
    /// First request of the part minus first request of the trace [ns].
    pub offset_ns: i64,
    /// Latest time before the part, from the first request of the trace on [ns].
    pub before_ns: u64,
    /// Latest time of the whole trace, likewise [ns].
    pub end_ns: u64,
}

/// What is open of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageSummary {
    first_place: u64,
    last_place: u64,
    /// Never going back; 0 without times [ns].
    first_ns: u64,
    last_ns: u64,
    /// Longest reuse in accesses before or at the first write; of all accesses if it is not written.
    before: u64,
    /// Longest reuse since the last write, [`CLEAN`] if it is not written.
    after: u64,
    count: PageCount,
    first_writes: bool,
}

/// Columns of the pages, for a file: seven numbers and whether the first access writes.
pub(crate) const COLUMNS: usize = 7;

impl PageSummary {
    pub(crate) const fn to_columns(self) -> ([u64; COLUMNS], u8) {
        let numbers = [
            self.first_place,
            self.last_place,
            self.first_ns,
            self.last_ns,
            self.before,
            self.after,
            self.count.to_number(),
        ];
        (numbers, self.first_writes as u8)
    }

    pub(crate) const fn of_columns(numbers: [u64; COLUMNS], first_writes: u8) -> Self {
        let [
            first_place,
            last_place,
            first_ns,
            last_ns,
            before,
            after,
            count,
        ] = numbers;
        Self {
            first_place,
            last_place,
            first_ns,
            last_ns,
            before,
            after,
            count: PageCount::of_number(count),
            first_writes: first_writes != 0,
        }
    }
}

/// Accesses of one window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Window {
    accesses: u64,
    writes: u64,
    /// References to pages last referenced in an earlier window.
    again: u64,
}

/// Windows of the whole trace from the first one that a part touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PartWindows {
    length: u64,
    first: usize,
    windows: Vec<Window>,
}

impl PartWindows {
    fn new(length: u64) -> Self {
        Self {
            length,
            first: 0,
            windows: Vec::new(),
        }
    }

    fn number(&self, at: u64) -> usize {
        usize::try_from(at / self.length)
            .unwrap_or(usize::MAX)
            .min(MOST_WINDOWS - 1)
    }

    fn window(&mut self, at: u64) -> &mut Window {
        let number = self.number(at);
        if self.windows.is_empty() {
            self.first = number;
        }
        // Coordinates never go back.
        let place = number.saturating_sub(self.first);
        if place >= self.windows.len() {
            self.windows.resize(place + 1, Window::default());
        }
        &mut self.windows[place]
    }

    fn add(&mut self, at: u64, write: bool) {
        let window = self.window(at);
        window.accesses += 1;
        window.writes += u64::from(write);
    }

    /// Notes that a page at `at` was last referenced at `before`.
    fn again(&mut self, at: u64, before: u64) {
        if self.number(before) < self.number(at) {
            self.window(at).again += 1;
        }
    }

    fn append(&mut self, next: &Self) {
        if self.windows.is_empty() {
            self.clone_from(next);
            return;
        }
        for (at, later) in next.windows.iter().enumerate() {
            let place = (next.first + at).saturating_sub(self.first);
            if place >= self.windows.len() {
                self.windows.resize(place + 1, Window::default());
            }
            let here = &mut self.windows[place];
            here.accesses += later.accesses;
            here.writes += later.writes;
            here.again += later.again;
        }
    }

    /// The windows of a whole trace, `firsts` being the coordinates of first references.
    fn finish(self, firsts: impl Iterator<Item = u64>) -> WindowSummary {
        let mut first = vec![0_u64; self.windows.len() + self.first];
        for at in firsts {
            let number = self.number(at);
            if let Some(first) = first.get_mut(number) {
                *first += 1;
            }
        }
        let before = std::iter::repeat_n(Window::default(), self.first);
        let windows: Vec<Window> = before.chain(self.windows).collect();
        let mut footprint = 0;
        WindowSummary {
            length: self.length,
            accesses: windows.iter().map(|window| window.accesses).collect(),
            write_accesses: windows.iter().map(|window| window.writes).collect(),
            distinct_pages: windows
                .iter()
                .zip(&first)
                .map(|(window, first)| window.again + first)
                .collect(),
            footprint_pages: first
                .iter()
                .map(|first| {
                    footprint += first;
                    footprint
                })
                .collect(),
        }
    }

    fn is_sound(&self, length: u64, accesses: u64) -> bool {
        let sum = |of: fn(&Window) -> u64| {
            self.windows
                .iter()
                .try_fold(0_u64, |sum, window| sum.checked_add(of(window)))
        };
        self.length == length
            && self.first + self.windows.len() <= MOST_WINDOWS
            && sum(|window| window.accesses) == Some(accesses)
            && sum(|window| window.writes).is_some_and(|writes| writes <= accesses)
            && sum(|window| window.again).is_some_and(|again| again <= accesses)
    }
}

/// Reuse times by reads and writes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ReuseCounts {
    reads: LogCounts,
    writes: LogCounts,
}

impl ReuseCounts {
    fn add(&mut self, time: u64, write: bool) {
        if write {
            self.writes.add(time);
        } else {
            self.reads.add(time);
        }
    }

    fn append(&mut self, next: &Self) {
        self.reads.add_all(&next.reads);
        self.writes.add_all(&next.writes);
    }
}

/// Counts in logarithmic bins of one of many devices: most have few bins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<(usize, u64)>", try_from = "Vec<(usize, u64)>")]
enum Bins {
    Few(Vec<(usize, u64)>),
    All(Box<LogCounts>),
}

impl Default for Bins {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl From<Bins> for Vec<(usize, u64)> {
    fn from(bins: Bins) -> Self {
        match bins {
            Bins::Few(mut pairs) => {
                pairs.sort_unstable();
                pairs
            }
            Bins::All(counts) => counts.to_pairs(),
        }
    }
}

impl TryFrom<Vec<(usize, u64)>> for Bins {
    type Error = String;

    fn try_from(pairs: Vec<(usize, u64)>) -> std::result::Result<Self, String> {
        let counts = LogCounts::from_pairs(&pairs)
            .ok_or_else(|| "a bin that does not exist, or too much".to_owned())?;
        Ok(if pairs.len() > FEW {
            Self::All(Box::new(counts))
        } else {
            Self::Few(counts.to_pairs())
        })
    }
}

impl Bins {
    #[inline]
    fn add(&mut self, value: u64) {
        self.add_weighted(bin_of(value), 1);
    }

    fn add_weighted(&mut self, bin: usize, weight: u64) {
        match self {
            Self::All(counts) => counts.add_weighted(lowest_of(bin), weight),
            Self::Few(pairs) => {
                if let Some((_, count)) = pairs.iter_mut().find(|(known, _)| *known == bin) {
                    *count += weight;
                } else if pairs.len() < FEW {
                    pairs.push((bin, weight));
                } else {
                    let mut counts = self.to_counts();
                    counts.add_weighted(lowest_of(bin), weight);
                    *self = Self::All(Box::new(counts));
                }
            }
        }
    }

    fn to_counts(&self) -> LogCounts {
        let mut counts = LogCounts::default();
        match self {
            Self::All(all) => counts.add_all(all),
            Self::Few(pairs) => {
                for &(bin, count) in pairs {
                    counts.add_weighted(lowest_of(bin), count);
                }
            }
        }
        counts
    }

    fn append(&mut self, next: &Self) {
        match next {
            Self::Few(pairs) => {
                for &(bin, count) in pairs {
                    self.add_weighted(bin, count);
                }
            }
            Self::All(counts) => {
                for bin in (0..BINS).filter(|&bin| counts.at(bin) > 0) {
                    self.add_weighted(bin, counts.at(bin));
                }
            }
        }
    }

    /// In an order that depends on the counts alone.
    fn sorted(&mut self) {
        if let Self::Few(pairs) = self {
            pairs.sort_unstable();
        }
    }
}

/// Counts of one device, relation or volume.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct SpaceCounts {
    accesses: u64,
    writes: u64,
    /// Re-references by the smallest power of two at which they hit.
    hits: Vec<u64>,
    reuse: Bins,
    stays: Bins,
}

impl SpaceCounts {
    fn hit(&mut self, depth: u32) {
        let size = size_of(depth);
        if size >= self.hits.len() {
            self.hits.resize(size + 1, 0);
        }
        self.hits[size] += 1;
    }

    fn append(&mut self, next: &Self) {
        self.accesses += next.accesses;
        self.writes += next.writes;
        if next.hits.len() > self.hits.len() {
            self.hits.resize(next.hits.len(), 0);
        }
        for (sum, count) in self.hits.iter_mut().zip(&next.hits) {
            *sum += count;
        }
        self.reuse.append(&next.reuse);
        self.stays.append(&next.stays);
    }
}

/// Requests as the source of a part knows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SourceRequests {
    /// Counts that can be joined.
    Open(Requests),
    /// Counts of a trace by itself, which hold where the part is the whole trace.
    Closed(RequestCounts),
    /// The source does not know them.
    Unknown,
}

/// What is known of the summaries of a part by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartSummary {
    /// Latest time of the whole trace [ns]; `None` without times.
    end_ns: Option<u64>,
    windows: PartWindows,
    time_windows: PartWindows,
    reuse: ReuseCounts,
    time_reuse: ReuseCounts,
    requests: SourceRequests,
    gathered: Gathered,
    spaces: Vec<SpaceCounts>,
    #[serde(skip)]
    pages: Vec<PageSummary>,
}

/// A batch of accesses in columns.
pub(crate) struct Columns<'a> {
    pub(crate) pages: &'a [u32],
    pub(crate) flags: &'a [u8],
    /// Empty without times; from the first request of the part on [ns].
    pub(crate) times_ns: &'a [i64],
    pub(crate) spaces: &'a [u32],
    pub(crate) addresses: &'a [u64],
    /// Depths in the stack of the part, 0 of a first access.
    pub(crate) depths: &'a [u32],
}

/// The pass over a part.
#[derive(Debug)]
pub(crate) struct SummaryPass {
    made: PartSummary,
    times: Option<PartTimes>,
    place: u64,
    now_ns: u64,
}

impl SummaryPass {
    /// Of a part from access `first_access` of a trace of `trace_accesses`.
    pub(crate) fn new(first_access: u64, trace_accesses: u64, times: Option<PartTimes>) -> Self {
        Self {
            made: PartSummary {
                end_ns: times.map(|times| times.end_ns),
                windows: PartWindows::new(length_of(trace_accesses)),
                time_windows: PartWindows::new(time_length_of(times.map(|times| times.end_ns))),
                reuse: ReuseCounts::default(),
                time_reuse: ReuseCounts::default(),
                requests: SourceRequests::Unknown,
                gathered: Gathered::new(),
                spaces: Vec::new(),
                pages: Vec::new(),
            },
            times,
            place: first_access,
            now_ns: times.map_or(0, |times| times.before_ns),
        }
    }

    pub(crate) fn batch(&mut self, columns: &Columns<'_>) -> Result<()> {
        let made = &mut self.made;
        made.gathered
            .chunk(columns.spaces, columns.addresses, columns.flags)?;
        if self.times.is_some() && columns.times_ns.len() != columns.pages.len() {
            return Err(disagreement("trace source", "it gives no times"));
        }
        for (at, (&page, &flags)) in columns.pages.iter().zip(columns.flags).enumerate() {
            let write = flags & WRITE != 0;
            let place = self.place;
            self.place += 1;
            let now = self.times.map_or(0, |times| {
                let time = columns.times_ns[at].saturating_add(times.offset_ns);
                self.now_ns
                    .max(u64::try_from(time).unwrap_or(0))
                    .min(times.end_ns)
            });
            self.now_ns = now;
            made.windows.add(place, write);
            if self.times.is_some() {
                made.time_windows.add(now, write);
            }
            let space = columns.spaces[at] as usize;
            if space >= made.spaces.len() {
                made.spaces.resize(space + 1, SpaceCounts::default());
            }
            let counts = &mut made.spaces[space];
            counts.accesses += 1;
            counts.writes += u64::from(write);
            let mut count = PageCount::default();
            count.add(write);
            let depth = columns.depths[at];
            if depth == 0 {
                made.pages.push(PageSummary {
                    first_place: place,
                    last_place: place,
                    first_ns: now,
                    last_ns: now,
                    before: 0,
                    after: if write { 0 } else { CLEAN },
                    count,
                    first_writes: write,
                });
                continue;
            }
            let known = &mut made.pages[page as usize];
            let reuse = place - known.last_place;
            counts.hit(depth);
            counts.reuse.add(reuse);
            if known.after == CLEAN {
                known.before = known.before.max(reuse);
            } else {
                known.after = known.after.max(reuse);
            }
            if write {
                if known.after != CLEAN {
                    counts.stays.add(known.after);
                }
                known.after = 0;
            }
            known.count = known.count.plus(count);
            made.reuse.add(reuse, write);
            made.windows.again(place, known.last_place);
            known.last_place = place;
            if self.times.is_some() {
                made.time_reuse.add(now - known.last_ns, write);
                made.time_windows.again(now, known.last_ns);
                known.last_ns = now;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self, spaces: usize, requests: SourceRequests) -> PartSummary {
        self.made.spaces.resize(spaces, SpaceCounts::default());
        self.made.requests = requests;
        for space in &mut self.made.spaces {
            space.reuse.sorted();
            space.stays.sorted();
        }
        self.made
    }
}

fn length_of(trace_accesses: u64) -> u64 {
    length_up_to(trace_accesses.saturating_sub(1), SHORTEST_ACCESSES)
}

fn time_length_of(end_ns: Option<u64>) -> u64 {
    length_up_to(end_ns.unwrap_or(0), SHORTEST_NS)
}

impl PartSummary {
    /// What is open of the pages, in the order of their first accesses.
    pub(crate) fn pages(&self) -> &[PageSummary] {
        &self.pages
    }

    pub(crate) fn with_pages(mut self, pages: Vec<PageSummary>) -> Self {
        self.pages = pages;
        self
    }

    /// Whether both are of traces with as much time.
    pub(crate) fn is_of_same_trace(&self, other: &Self) -> bool {
        self.end_ns == other.end_ns
    }

    /// Adds what is known of the next part by itself; `numbers` are those of its devices here.
    pub(crate) fn append(&mut self, next: &Self, numbers: &[u32]) {
        self.windows.append(&next.windows);
        self.time_windows.append(&next.time_windows);
        self.reuse.append(&next.reuse);
        self.time_reuse.append(&next.time_reuse);
        self.gathered.append(&next.gathered, numbers);
        match (&mut self.requests, &next.requests) {
            (SourceRequests::Open(here), SourceRequests::Open(later))
                if here.unit() == later.unit() =>
            {
                here.append(later, numbers);
            }
            (here, _) => *here = SourceRequests::Unknown,
        }
        for (later, &number) in next.spaces.iter().zip(numbers) {
            let number = number as usize;
            if number >= self.spaces.len() {
                self.spaces.resize(number + 1, SpaceCounts::default());
            }
            self.spaces[number].append(later);
        }
    }

    /// Adds page number `at` of the next part: a new one, or page `number` here, found at `depth`.
    pub(crate) fn join_page(
        &mut self,
        next: &Self,
        at: usize,
        space: u32,
        found: Option<(u32, u32)>,
    ) {
        let later = next.pages[at];
        let Some((number, depth)) = found else {
            self.pages.push(later);
            return;
        };
        let known = &mut self.pages[number as usize];
        let counts = &mut self.spaces[space as usize];
        let reuse = later.first_place.saturating_sub(known.last_place);
        counts.hit(depth);
        counts.reuse.add(reuse);
        self.reuse.add(reuse, later.first_writes);
        self.windows.again(later.first_place, known.last_place);
        if self.end_ns.is_some() {
            let reuse_ns = later.first_ns.saturating_sub(known.last_ns);
            self.time_reuse.add(reuse_ns, later.first_writes);
            self.time_windows.again(later.first_ns, known.last_ns);
        }
        let longest = reuse.max(later.before);
        if known.after == CLEAN {
            known.before = known.before.max(longest);
            known.after = later.after;
        } else if later.after == CLEAN {
            known.after = known.after.max(longest);
        } else {
            counts.stays.add(known.after.max(longest));
            known.after = later.after;
        }
        known.last_place = later.last_place;
        known.last_ns = later.last_ns;
        known.count = known.count.plus(later.count);
    }

    /// Brings what joining left in the order that it found into one that depends on the counts alone.
    pub(crate) fn settle(&mut self) {
        for space in &mut self.spaces {
            space.reuse.sorted();
            space.stays.sorted();
        }
    }

    /// The summaries and relations of a whole trace; `owners` are the devices of its pages.
    pub(crate) fn finish(
        self,
        [accesses, write_accesses]: [u64; 2],
        names: &[String],
        owners: impl Iterator<Item = u32>,
    ) -> Result<(Summaries, Relations)> {
        let requests = match self.requests {
            SourceRequests::Open(open) => open.finish(),
            SourceRequests::Closed(closed) => closed,
            SourceRequests::Unknown => self.gathered.finish(),
        };
        let summary = requests
            .summary()
            .ok_or_else(|| disagreement("summaries", "request counts have a bin too many"))?;
        let mut footprints = vec![0_u64; self.spaces.len()];
        let told_apart = self.spaces.len().min(relations::MOST + 1);
        let mut related = vec![relations::Counts::default(); told_apart];
        for (page, owner) in self.pages.iter().zip(owners) {
            footprints[owner as usize] += 1;
            let counts = &mut related[(owner as usize).min(relations::MOST)];
            counts.pages += 1;
            counts.first.add(page.first_place);
            if page.after != CLEAN {
                let since = accesses.saturating_sub(page.last_place + 1);
                counts.open.add(page.after.max(since));
            }
        }
        let mut hits = (self.spaces.len() <= MOST_WITH_HITS).then(Vec::new);
        let mut devices = Vec::with_capacity(self.spaces.len());
        for (space, counts) in self.spaces.iter().enumerate() {
            let relation = &mut related[space.min(relations::MOST)];
            relation.accesses += counts.accesses;
            relation.writes += counts.writes;
            relation.reuse.add_all(&counts.reuse.to_counts());
            relation.stays.add_all(&counts.stays.to_counts());
            devices.push(Device {
                accesses: counts.accesses,
                writes: counts.writes,
                footprint: footprints[space],
            });
            if let Some(hits) = &mut hits {
                let mut row = [0; SIZES];
                for (sum, count) in row.iter_mut().zip(&counts.hits) {
                    *sum = *count;
                }
                hits.push(row);
            }
        }
        let timed = self.end_ns.is_some();
        let pages = self.pages.iter();
        let of_time = timed.then(|| {
            self.time_windows
                .finish(pages.clone().map(|page| page.first_ns))
        });
        let made = Summaries {
            accesses,
            write_accesses,
            distinct_pages: self.pages.len() as u64,
            windows: self
                .windows
                .finish(pages.clone().map(|page| page.first_place)),
            time_windows: of_time,
            reuse: ReuseSummary {
                in_accesses: Distribution::new(&self.reuse.reads, &self.reuse.writes),
                in_ns: timed
                    .then(|| Distribution::new(&self.time_reuse.reads, &self.time_reuse.writes)),
            },
            popularity: Popularity::new(pages.map(|page| page.count)),
            requests: summary,
            devices: (names.len() != 1)
                .then(|| Devices::of_counts(devices, hits).finish(names, &requests)),
        };
        check(&made).map_err(|text| disagreement("summaries", &text))?;
        let relations = Relations {
            relations: relations::finish(&related, names),
        };
        Ok((made, relations))
    }

    /// What joining relies on, of a part of so many accesses from `first_access` on.
    pub(crate) fn check(
        &self,
        [first_access, accesses, trace_accesses]: [u64; 3],
        spaces: usize,
    ) -> std::result::Result<(), String> {
        let end = first_access + accesses;
        let timed = if self.end_ns.is_some() { accesses } else { 0 };
        let requests = match &self.requests {
            SourceRequests::Open(open) => open.fits(spaces, u64::MAX / 8),
            SourceRequests::Closed(_) | SourceRequests::Unknown => true,
        };
        if !self.windows.is_sound(length_of(trace_accesses), accesses)
            || !self
                .time_windows
                .is_sound(time_length_of(self.end_ns), timed)
            || self.spaces.len() != spaces
            || !requests
            || !self.gathered.fits(spaces, accesses)
        {
            return Err("its summaries do not fit it".to_owned());
        }
        let end_ns = self.end_ns.unwrap_or(0);
        let mut sum = 0_u64;
        for page in &self.pages {
            sum = sum.saturating_add(page.count.accesses());
            let reaches = |reuse: u64| reuse <= trace_accesses;
            if page.first_place < first_access
                || page.last_place < page.first_place
                || page.last_place >= end
                || page.last_ns < page.first_ns
                || page.last_ns > end_ns
                || !reaches(page.before)
                || (page.after != CLEAN) != page.count.is_written()
                || (page.after != CLEAN && !reaches(page.after))
            {
                return Err("the summary of a page cannot be so".to_owned());
            }
        }
        let of_spaces = self
            .spaces
            .iter()
            .try_fold(0_u64, |sum, space| sum.checked_add(space.accesses));
        let hits = self
            .spaces
            .iter()
            .all(|space| space.hits.len() <= SIZES && space.writes <= space.accesses);
        if sum != accesses || of_spaces != Some(accesses) || !hits {
            return Err("its summaries do not sum up".to_owned());
        }
        Ok(())
    }
}
