//! The exact curves of a trace in parts: each part by itself, on any machine and in any order, then
//! joined in the order of the trace, with the same integers as one pass over the whole.
//!
//! **What is open.** Of a part, the distances of its own re-references are known. The first access to
//! each of its pages is open: it may be the first of all, or end a distance that begins in an earlier
//! part. So is the interval of a page up to its first write in the part, of which the largest distance
//! so far is kept, and the interval after its last write.
//!
//! **Joining.** The distance of an open access is the depth of its page in the stack of what comes
//! before it. Between two first accesses of a part only pages that it has accessed are accessed again, and
//! these are above all others already: the depth is found by putting its pages, in the order of their first
//! accesses, on the stack of the parts before. Then they are put there in the order of their last accesses.
//! Joining costs the distinct pages of the later part, not its accesses, and gives a part again, so parts
//! may be joined one after another or by twos, as long as neighbours are joined.
//!
//! The distances are those of Niu, Dinan, Lu and Sadayappan, *PARDA: a fast parallel reuse distance analysis
//! algorithm*, IPDPS 2012; the write-backs and windows are ours.

use super::carried::{Counts, Ends, Recorder, below, window_accesses};
use super::{BATCH, Curves, NEVER_WRITTEN, Stack, check, count_open, counts_above, spread};
use crate::access::{AccessSource, Chunk, WRITE};
use crate::error::{Error, Result};
use crate::hash::FastMap;
use crate::profile::Summaries;
use crate::profile::parts::{Columns, PartSummary, PartTimes, SourceRequests, SummaryPass};
use crate::profile::relations::Relations;
use crate::progress::{OnProgress, report};
use crate::replay::{disagreement, distinct_pages, write_accesses};
use crate::wording::counted;

mod file;
mod ranges;

pub use ranges::{HashRange, MOST_RANGES, part_ranges};
pub(crate) use ranges::{hash_of, range_of};

/// Window of a page that the part does not write.
const NOT_WRITTEN: u8 = u8::MAX;

/// Where a part lies in its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartOrigin {
    /// Accesses of the trace before the part.
    pub first_access: u64,
    /// Accesses of the whole trace, which fix the windows.
    pub trace_accesses: u64,
}

/// A page of a part, and what is open of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OpenPage {
    /// Number of its device in the part.
    space: u32,
    page: u64,
    /// Largest known distance before or at its first write; of all accesses if it is not written.
    before: u32,
    /// Largest distance since its last write, or [`NEVER_WRITTEN`].
    after: u32,
    /// Window of its first access.
    window: u8,
    /// Window of its first write, or [`NOT_WRITTEN`].
    write_window: u8,
}

/// What is known of a run of accesses by itself. Where nothing comes before it, open accesses are first
/// references, and it is counted so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    origin: PartOrigin,
    /// Accesses of the trace that it reaches over; more than it counts where it follows a range of the pages.
    covered: u64,
    /// Which pages it follows.
    range: HashRange,
    accesses: u64,
    write_accesses: u64,
    page_bytes: u64,
    /// Earliest and latest time [ns], as [`Self::begun_at`] says.
    span_ns: Option<(i64, i64)>,
    /// Devices or relations by their numbers.
    spaces: Vec<String>,
    /// Re-references by depth; entry 0 counts open accesses, one a page.
    by_depth: Vec<u64>,
    /// Writes by the largest depth until the next write in the part.
    by_deepest: Vec<u64>,
    /// From the window in which the part begins.
    windows: Vec<Counts>,
    /// In order of the first accesses.
    pages: Vec<OpenPage>,
    /// Numbers of the pages in order of their last accesses, the latest at the end.
    order: Vec<u32>,
    /// What its summaries are made from, if they were asked for.
    summary: Option<PartSummary>,
}

/// Whether summaries are made beside the curves, and where the times of the part lie in those of the trace:
/// none where the trace has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WithSummaries(pub Option<PartTimes>);

impl Part {
    /// Where it lies in its trace.
    pub const fn origin(&self) -> PartOrigin {
        self.origin
    }

    /// Which pages it follows.
    pub const fn range(&self) -> HashRange {
        self.range
    }

    /// Accesses, reads and writes.
    pub const fn accesses(&self) -> u64 {
        self.accesses
    }

    /// Accesses that write.
    pub const fn write_accesses(&self) -> u64 {
        self.write_accesses
    }

    /// Distinct pages.
    pub fn distinct_pages(&self) -> u64 {
        self.pages.len() as u64
    }

    /// Page size [bytes].
    pub const fn page_bytes(&self) -> u64 {
        self.page_bytes
    }

    /// Earliest and latest time [ns], as [`Self::begun_at`] says; `None` without times.
    pub const fn span_ns(&self) -> Option<(i64, i64)> {
        self.span_ns
    }

    /// Whether summaries can be made of it.
    pub const fn has_summaries(&self) -> bool {
        self.summary.is_some()
    }

    /// With times since the epoch of the source format instead of the part's first request, which came at
    /// this time [ns]; without times where it is not known.
    #[must_use]
    pub fn begun_at(mut self, first_time_ns: Option<i64>) -> Self {
        self.span_ns = self
            .span_ns
            .zip(first_time_ns)
            .map(|((earliest, latest), first)| {
                (earliest.saturating_add(first), latest.saturating_add(first))
            });
        self
    }

    fn first_window(&self) -> u8 {
        first_window(self.origin)
    }
}

/// Reads all accesses of a part once; `page_bytes` is the size of its pages.
///
/// # Errors
/// [`Error::Cancelled`], whatever `source` reports, [`Error::BadParameter`] where the part has more accesses
/// than its place leaves room for, or devices that their names do not tell apart.
pub fn part_curves(
    source: &mut dyn AccessSource,
    origin: PartOrigin,
    page_bytes: u64,
    summaries: Option<WithSummaries>,
    on_progress: OnProgress<'_>,
) -> Result<Part> {
    source.keep_addresses();
    let mut pass = Pass::new(origin, summaries);
    let mut chunk = Chunk::default();
    let mut writes = 0;
    let mut span: Option<(i64, i64)> = None;
    while source.next_chunk(&mut chunk)? {
        let distinct = distinct_pages(&chunk, pass.pages.len())?;
        pass.accesses += chunk.len() as u64;
        if origin.first_access + pass.accesses > origin.trace_accesses {
            return Err(elsewhere(origin, pass.accesses));
        }
        pass.grow(distinct);
        pass.chunk(&chunk, source.addresses())?;
        writes += write_accesses(&chunk.flags);
        if let (Some(least), Some(most)) =
            (chunk.times_ns.iter().min(), chunk.times_ns.iter().max())
        {
            let (earliest, latest) = span.unwrap_or((*least, *most));
            span = Some((earliest.min(*least), latest.max(*most)));
        }
        report(source, pass.accesses, on_progress)?;
    }
    let spaces = pass.pages.iter().map(|open| open.space as usize + 1).max();
    let names = source.space_names();
    // Devices without accesses have their numbers in a summary too, as in one of the whole trace.
    let listed = if summaries.is_some() { names.len() } else { 0 };
    let spaces: Vec<String> = (0..spaces.unwrap_or(0).max(listed))
        .map(|at| names.get(at).cloned().unwrap_or_default())
        .collect();
    check_names(&spaces)?;
    let requests = match (source.part_requests(), source.request_counts()) {
        (Some(open), _) => SourceRequests::Open(open),
        (None, Some(closed)) => SourceRequests::Closed(closed),
        (None, None) => SourceRequests::Unknown,
    };
    Ok(pass.finish(writes, page_bytes, span, spaces, requests))
}

/// Pages of several parts are the same by the names of their devices.
pub(crate) fn check_names(spaces: &[String]) -> Result<()> {
    let mut sorted: Vec<&str> = spaces.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    let twice = sorted.windows(2).find(|two| two[0] == two[1]);
    twice.map_or(Ok(()), |two| {
        Err(Error::BadParameter {
            name: "part",
            value: two[0].to_owned(),
            message:
                "two devices of one part have this name, so pages of other parts could be of either"
                    .to_owned(),
            hint: "name the devices apart, or read the trace as a whole".to_owned(),
        })
    })
}

/// Number of the window in which a part begins; a trace has at most [`super::MOST_CARRIED_WINDOWS`].
fn first_window(origin: PartOrigin) -> u8 {
    let window = origin.first_access / window_accesses(origin.trace_accesses);
    u8::try_from(window).unwrap_or(NOT_WRITTEN - 1)
}

fn elsewhere(origin: PartOrigin, accesses: u64) -> Error {
    Error::BadParameter {
        name: "first-access",
        value: origin.first_access.to_string(),
        message: format!(
            "a part of {} or more does not end within a trace of {}",
            counted(accesses, "access", "accesses"),
            counted(origin.trace_accesses, "access", "accesses")
        ),
        hint: "count the accesses of the parts again: a part has changed since".to_owned(),
    }
}

/// The state of the pass over a part.
#[derive(Debug)]
struct Pass {
    origin: PartOrigin,
    accesses: u64,
    stack: Stack,
    pages: Vec<OpenPage>,
    by_depth: Vec<u64>,
    by_deepest: Vec<u64>,
    depths: [u32; BATCH],
    deepest: [u32; BATCH],
    windows: Recorder,
    first_window: u8,
    summary: Option<SummaryPass>,
}

impl Pass {
    fn new(origin: PartOrigin, summaries: Option<WithSummaries>) -> Self {
        let length = window_accesses(origin.trace_accesses);
        Self {
            origin,
            accesses: 0,
            stack: Stack::default(),
            pages: Vec::new(),
            by_depth: vec![0],
            by_deepest: vec![0],
            depths: [0; BATCH],
            deepest: [0; BATCH],
            windows: Recorder::of_part(origin.first_access, length),
            first_window: first_window(origin),
            summary: summaries.map(|WithSummaries(times)| {
                SummaryPass::new(origin.first_access, origin.trace_accesses, times)
            }),
        }
    }

    fn grow(&mut self, pages: usize) {
        self.stack.grow(pages, NEVER_WRITTEN);
        if pages >= self.by_depth.len() {
            self.by_depth.resize(pages + 1, 0);
            self.by_deepest.resize(pages + 1, 0);
        }
    }

    fn chunk(&mut self, chunk: &Chunk, (spaces, addresses): (&[u32], &[u64])) -> Result<()> {
        let mut first = 0;
        while first < chunk.len() {
            let end = chunk.len().min(first + BATCH.min(self.windows.room()));
            let range = first..end;
            self.batch(
                &chunk.pages[range.clone()],
                &chunk.flags[range.clone()],
                &spaces[range.clone()],
                &addresses[range.clone()],
            );
            if let Some(summary) = &mut self.summary {
                summary.batch(&Columns {
                    pages: &chunk.pages[range.clone()],
                    flags: &chunk.flags[range.clone()],
                    times_ns: chunk.times_ns.get(range.clone()).unwrap_or(&[]),
                    spaces: &spaces[range.clone()],
                    addresses: &addresses[range.clone()],
                    depths: &self.depths[..range.len()],
                })?;
            }
            first = end;
        }
        Ok(())
    }

    /// At most [`BATCH`] accesses, within one window.
    fn batch(&mut self, pages: &[u32], flags: &[u8], spaces: &[u32], addresses: &[u64]) {
        self.stack.fetch(pages);
        let closed = u8::try_from(self.windows.closed()).unwrap_or(NOT_WRITTEN);
        let window = self
            .first_window
            .saturating_add(closed)
            .min(NOT_WRITTEN - 1);
        let mut ended = 0;
        for (at, (&page, &flags)) in pages.iter().zip(flags).enumerate() {
            let depth = self.stack.reference(page);
            self.depths[at] = depth;
            let write = flags & WRITE != 0;
            let deepest = self.stack.note(page);
            if depth == 0 {
                self.pages.push(OpenPage {
                    space: spaces[at],
                    page: addresses[at],
                    before: 0,
                    after: NEVER_WRITTEN,
                    window,
                    write_window: if write { window } else { NOT_WRITTEN },
                });
            } else if *deepest == NEVER_WRITTEN {
                let open = &mut self.pages[page as usize];
                open.before = open.before.max(depth);
                if write {
                    open.write_window = window;
                }
            } else {
                *deepest = depth.max(*deepest);
                self.deepest[ended] = *deepest;
                ended += usize::from(write);
            }
            if write {
                *deepest = 0;
            }
        }
        for &depth in &self.depths[..pages.len()] {
            self.by_depth[depth as usize] += 1;
        }
        for &deepest in &self.deepest[..ended] {
            self.by_deepest[deepest as usize] += 1;
        }
        self.windows
            .batch(&self.depths[..pages.len()], &self.deepest[..ended]);
    }

    fn finish(
        mut self,
        write_accesses: u64,
        page_bytes: u64,
        span_ns: Option<(i64, i64)>,
        spaces: Vec<String>,
        requests: SourceRequests,
    ) -> Part {
        let summary = self
            .summary
            .map(|summary| summary.finish(spaces.len(), requests));
        let order = order_of(self.stack, &mut self.pages);
        Part {
            origin: self.origin,
            covered: self.accesses,
            range: HashRange::ALL,
            accesses: self.accesses,
            write_accesses,
            page_bytes,
            span_ns,
            spaces,
            by_depth: self.by_depth,
            by_deepest: self.by_deepest,
            windows: self.windows.into_windows(),
            pages: self.pages,
            order,
            summary,
        }
    }
}

/// Writes the notes of a stack, which holds all pages, to them, and gives their order.
fn order_of(stack: Stack, pages: &mut [OpenPage]) -> Vec<u32> {
    let mut order = vec![0; pages.len()];
    let numbered = (0_u32..).zip(pages.iter_mut());
    for ((number, open), (note, depth)) in numbered.zip(stack.into_notes_and_depths()) {
        open.after = note;
        let from_the_end = order.len() - depth as usize;
        order[from_the_end] = number;
    }
    order
}

/// Neighbouring parts joined so far.
#[derive(Debug)]
pub struct JoinedParts {
    /// But for its order and what is open after, which the stack has.
    part: Part,
    stack: Stack,
    /// Numbers of the pages by device and page.
    numbers: FastMap<(u32, u64), u32>,
    /// Numbers of the devices by name.
    spaces: FastMap<String, u32>,
}

impl JoinedParts {
    /// The first part to join.
    pub fn new(mut part: Part) -> Self {
        let mut stack = Stack::default();
        stack.grow(part.pages.len(), NEVER_WRITTEN);
        for page in std::mem::take(&mut part.order) {
            stack.reference(page);
            *stack.note(page) = part.pages[page as usize].after;
        }
        let numbered = part.pages.iter().zip(0_u32..);
        let numbers = numbered
            .map(|(open, number)| ((open.space, open.page), number))
            .collect();
        let spaces = part.spaces.iter().cloned().zip(0_u32..).collect();
        Self {
            part,
            stack,
            numbers,
            spaces,
        }
    }

    /// Joins the part that comes next in the trace.
    ///
    /// # Errors
    /// [`Error::BadParameter`] where another part comes next, or one of other pages; where the trace has
    /// more pages than fit the numbers of pages.
    pub fn add(&mut self, next: &Part) -> Result<()> {
        self.check_neighbour(next)?;
        let first_window = self.part.first_window();
        self.add_counts(next);
        let space_numbers: Vec<u32> = next.spaces.iter().map(|name| self.space(name)).collect();
        let mut summary = self.part.summary.take().zip(next.summary.as_ref());
        if let Some((here, later)) = &mut summary {
            here.append(later, &space_numbers);
        }
        let mut numbers = Vec::with_capacity(next.pages.len());
        for (at, open) in next.pages.iter().enumerate() {
            let space = space_numbers[open.space as usize];
            let number = self.number(space, open)?;
            numbers.push(number);
            let depth = self.stack.reference(number);
            if let Some((here, later)) = &mut summary {
                here.join_page(later, at, space, (depth > 0).then_some((number, depth)));
            }
            let note = self.stack.note(number);
            if depth == 0 {
                *note = open.after;
                continue;
            }
            let window = |at: u8| usize::from(at - first_window);
            self.part.by_depth[0] -= 1;
            self.part.by_depth[depth as usize] += 1;
            let misses = &mut self.part.windows[window(open.window)].misses;
            misses[below(0)] -= 1;
            misses[below(depth)] += 1;
            let deepest = depth.max(open.before);
            if *note == NEVER_WRITTEN {
                let earlier = &mut self.part.pages[number as usize];
                earlier.before = earlier.before.max(deepest);
                earlier.write_window = open.write_window;
                *note = open.after;
            } else if open.write_window == NOT_WRITTEN {
                *note = deepest.max(*note);
            } else {
                let deepest = deepest.max(*note);
                self.part.by_deepest[deepest as usize] += 1;
                let counts = &mut self.part.windows[window(open.write_window)];
                counts.write_backs[below(deepest)] += 1;
                *note = open.after;
            }
        }
        for &page in &next.order {
            self.stack.reference(numbers[page as usize]);
        }
        self.part.summary = summary.map(|(here, _)| here);
        Ok(())
    }

    /// Page size [bytes].
    pub const fn page_bytes(&self) -> u64 {
        self.part.page_bytes
    }

    /// Latest minus earliest time [ns]; `None` if a part has no times.
    pub fn duration_ns(&self) -> Option<u64> {
        let (earliest, latest) = self.part.span_ns?;
        Some(latest.abs_diff(earliest))
    }

    fn check_neighbour(&self, next: &Part) -> Result<()> {
        let here = &self.part;
        let due = here.origin.first_access + here.covered;
        let wrong = |message: String| {
            Err(Error::BadParameter {
                name: "part",
                value: format!("from access {}", next.origin.first_access),
                message,
                hint: "join the parts of one trace, all of them, in their order".to_owned(),
            })
        };
        if next.origin.first_access != due
            || next.origin.trace_accesses != here.origin.trace_accesses
        {
            return wrong(format!(
                "the next part begins at access {due} of {}, this one at {} of {}",
                here.origin.trace_accesses, next.origin.first_access, next.origin.trace_accesses
            ));
        }
        if next.range != here.range {
            return wrong(format!(
                "it follows the pages of range {}, the parts before those of {}",
                next.range, here.range
            ));
        }
        let summaries = here.summary.as_ref().zip(next.summary.as_ref());
        if summaries.is_some_and(|(here, next)| !here.is_of_same_trace(next)) {
            return wrong(
                "its trace ends at another time than that of the parts before".to_owned(),
            );
        }
        if next.page_bytes != here.page_bytes {
            return wrong(format!(
                "its pages have {} bytes, those before {}",
                next.page_bytes, here.page_bytes
            ));
        }
        Ok(())
    }

    /// Adds what is known of the next part by itself.
    fn add_counts(&mut self, next: &Part) {
        let here = &mut self.part;
        let apart = usize::from(next.first_window() - here.first_window());
        here.covered += next.covered;
        here.accesses += next.accesses;
        here.write_accesses += next.write_accesses;
        here.span_ns = match (here.span_ns, next.span_ns) {
            (Some((first, last)), Some((earliest, latest))) => {
                Some((first.min(earliest), last.max(latest)))
            }
            _ => None,
        };
        // No page is deeper than there are pages.
        let most = here.pages.len() + next.pages.len() + 1;
        here.by_depth.resize(most, 0);
        here.by_deepest.resize(most, 0);
        add(&mut here.by_depth, &next.by_depth);
        add(&mut here.by_deepest, &next.by_deepest);
        here.windows.resize(
            here.windows.len().max(apart + next.windows.len()),
            Counts::new(),
        );
        for (sum, counts) in here.windows[apart..].iter_mut().zip(&next.windows) {
            sum.add(counts);
        }
    }

    fn space(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.spaces.get(name) {
            return number;
        }
        let number = u32::try_from(self.part.spaces.len()).unwrap_or(u32::MAX);
        self.part.spaces.push(name.to_owned());
        self.spaces.insert(name.to_owned(), number);
        number
    }

    /// The number of a page, which is the next one if no earlier part has it.
    fn number(&mut self, space: u32, open: &OpenPage) -> Result<u32> {
        let next = self.part.pages.len();
        let new = u32::try_from(next)
            .ok()
            .filter(|&number| number != u32::MAX);
        let number = *self
            .numbers
            .entry((space, open.page))
            .or_insert(new.unwrap_or(u32::MAX));
        if number as usize == next {
            self.part.pages.push(OpenPage { space, ..*open });
            self.stack.grow(next + 1, NEVER_WRITTEN);
        } else if number == u32::MAX {
            return Err(Error::BadParameter {
                name: "part",
                value: format!("from access {}", self.part.origin.first_access),
                message: "the trace has more distinct pages than 32 bits number".to_owned(),
                hint: "profile a sample of it".to_owned(),
            });
        }
        Ok(number)
    }

    /// The joined parts as one.
    pub fn into_part(self) -> Part {
        let mut part = self.part;
        part.by_depth.truncate(part.pages.len() + 1);
        part.by_deepest.truncate(part.pages.len() + 1);
        part.order = order_of(self.stack, &mut part.pages);
        if let Some(summary) = &mut part.summary {
            summary.settle();
        }
        part
    }

    /// The curves of the trace, of which all parts are joined.
    ///
    /// # Errors
    /// [`Error::BadParameter`] where parts are missing at the beginning or at the end.
    pub fn into_curves(self) -> Result<Curves> {
        self.into_all().map(|(curves, _)| curves)
    }

    /// The curves, and the summaries if all parts have them.
    ///
    /// # Errors
    /// As [`Self::into_curves`].
    pub fn into_all(self) -> Result<(Curves, Option<(Summaries, Relations)>)> {
        let Self {
            mut part, stack, ..
        } = self;
        let PartOrigin {
            first_access,
            trace_accesses,
        } = part.origin;
        if first_access != 0 || part.covered != trace_accesses {
            return Err(Error::BadParameter {
                name: "part",
                value: format!("from access {first_access}"),
                message: format!(
                    "the parts reach from access {first_access} to {} of {trace_accesses}",
                    first_access + part.covered
                ),
                hint: "join all parts of the trace".to_owned(),
            });
        }
        let distinct = part.pages.len();
        let mut windows = Recorder::of_windows(part.windows);
        let ends: Vec<Ends> = part
            .pages
            .iter()
            .zip(stack.into_notes_and_depths())
            .map(|(open, (after, depth))| Ends {
                before: open.before,
                after: (after != NEVER_WRITTEN).then_some(after),
                depth,
            })
            .collect();
        count_open(&ends, &mut part.by_deepest);
        windows.open(&ends, 1, |depth| depth);
        part.by_depth.truncate(distinct + 1);
        part.by_deepest.truncate(distinct + 1);
        let curves = Curves {
            accesses: part.accesses,
            write_accesses: part.write_accesses,
            distinct_pages: distinct as u64,
            misses: counts_above(part.by_depth, distinct as u64),
            write_backs: counts_above(part.by_deepest, 0),
            windows: windows.finish(distinct as u64),
        };
        check(&curves).map_err(|text| disagreement("parts", &text))?;
        let owners = part.pages.iter().map(|open| open.space);
        let counts = [curves.accesses, curves.write_accesses];
        let summaries = match part.summary {
            Some(summary) if curves.accesses > 0 => {
                Some(summary.finish(counts, &part.spaces, owners)?)
            }
            _ => None,
        };
        Ok((curves, summaries))
    }
}

fn add(sums: &mut [u64], counts: &[u64]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
}
