//! What a trace is like, beyond its curves, in one streaming pass.
//!
//! One file a summary. The pass keeps 24 bytes a distinct page: place and time of its last access and
//! the number of accesses. From them it makes columns (when was this page accessed before?) for a batch
//! of accesses, and each summary goes over the columns by itself, so that none of them looks a page up.
//! Requests come from the conversion of the trace, before it split them into pages; of canonical traces
//! that do not say, they are put together again from the accesses, in pages.

use serde::{Deserialize, Serialize};

use crate::access::{AccessSource, Chunk, FIRST_OF_REQUEST, WRITE};
use crate::error::{Error, Result};
use crate::progress::{OnProgress, report};
use crate::replay::{disagreement, distinct_pages, write_accesses};

pub mod bins;
mod devices;
pub(crate) mod parts;
mod popularity;
pub mod relations;
pub mod requests;
mod reuse;
mod windows;

pub use devices::{DeviceRow, DeviceSummary};
pub use parts::PartTimes;
pub use popularity::Popularity;
pub use requests::RequestSummary;
pub use reuse::ReuseSummary;
pub use windows::{MOST_WINDOWS, WindowSummary};

use bins::Distribution;
use devices::Devices;
use popularity::PageCount;
use requests::{RequestCounts, RequestUnit, Requests};
use reuse::Reuse;
use windows::Windows;

/// First length of windows: they are joined from there on.
const SHORTEST_ACCESSES: u64 = 100;
const SHORTEST_NS: u64 = 1000;
/// Accesses whose columns are made together.
const BATCH: usize = 1024;

/// All summaries of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summaries {
    /// Page accesses.
    pub accesses: u64,
    /// Those that write.
    pub write_accesses: u64,
    /// Distinct pages.
    pub distinct_pages: u64,
    /// Windows of equally many accesses.
    pub windows: WindowSummary,
    /// Windows of equal duration; `None` of a trace without times.
    pub time_windows: Option<WindowSummary>,
    /// How long pages rest.
    pub reuse: ReuseSummary,
    /// How accesses are spread over pages.
    pub popularity: Popularity,
    /// Lengths and order of the requests.
    pub requests: RequestSummary,
    /// One row a device; `None` of a trace of one device.
    pub devices: Option<DeviceSummary>,
}

/// What to do beyond what every trace allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Put requests together from their accesses, in pages, instead of taking those of the source
    /// ([`AccessSource::request_counts`]). The source gives addresses.
    pub requests_of_accesses: bool,
    /// Count by device, which takes the depth of every access. The source gives addresses.
    pub by_device: bool,
}

/// Reads all accesses of `source` once. It gives times if it has them and was asked.
///
/// # Errors
/// [`Error::Cancelled`], and whatever `source` reports.
pub fn summaries(
    source: &mut dyn AccessSource,
    wanted: Wanted,
    on_progress: OnProgress<'_>,
) -> Result<Summaries> {
    let mut pass = Pass::new();
    let mut gathered = wanted.requests_of_accesses.then(Gathered::new);
    let mut chunk = Chunk::default();
    while source.next_chunk(&mut chunk)? {
        let spaces = if wanted.by_device {
            source.addresses().0
        } else {
            &[]
        };
        pass.chunk(&chunk, spaces)?;
        if let Some(gathered) = &mut gathered {
            let (spaces, pages) = source.addresses();
            gathered.chunk(spaces, pages, &chunk.flags)?;
        }
        report(source, pass.accesses, on_progress)?;
    }
    let requests = match gathered {
        Some(gathered) => gathered.finish(),
        None => source.request_counts().ok_or_else(|| {
            disagreement(
                "summaries",
                "the source was to know its requests and does not",
            )
        })?,
    };
    let made = pass.finish(wanted.by_device, source.space_names(), &requests)?;
    check(&made).map_err(|text| disagreement("summaries", &text))?;
    Ok(made)
}

/// What is kept of a page.
#[derive(Debug, Clone, Copy, Default)]
struct Page {
    /// One more than the place of its last access; 0 before the first.
    place: u64,
    /// One more than the time of that [ns].
    time: u64,
    count: PageCount,
}

/// The state of one pass.
#[derive(Debug)]
struct Pass {
    pages: Vec<Page>,
    accesses: u64,
    writes: u64,
    distinct: usize,
    /// The latest time so far [ns].
    now: u64,
    timed: Option<bool>,
    windows: Windows,
    time_windows: Windows,
    reuse: Reuse,
    time_reuse: Reuse,
    devices: Devices,
    columns: Columns,
}

/// A batch of accesses in columns.
#[derive(Debug)]
struct Columns {
    /// One more than the place of the page's last access, 0 before the first.
    places: Vec<u64>,
    /// Time of the access, never going back [ns]; one more than that of the page's last access.
    times: Vec<(u64, u64)>,
}

impl Pass {
    fn new() -> Self {
        Self {
            pages: Vec::new(),
            accesses: 0,
            writes: 0,
            distinct: 0,
            now: 0,
            timed: None,
            windows: Windows::new(SHORTEST_ACCESSES),
            time_windows: Windows::new(SHORTEST_NS),
            reuse: Reuse::default(),
            time_reuse: Reuse::default(),
            devices: Devices::new(),
            columns: Columns {
                places: Vec::with_capacity(BATCH),
                times: Vec::with_capacity(BATCH),
            },
        }
    }

    /// Takes a chunk; `spaces` is empty where devices are not told apart.
    fn chunk(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.distinct = distinct_pages(chunk, self.distinct)?;
        if self.distinct > self.pages.len() {
            self.pages.resize(self.distinct, Page::default());
        }
        let timed = !chunk.times_ns.is_empty();
        let columns = [chunk.times_ns.len(), spaces.len()];
        if *self.timed.get_or_insert(timed) != timed
            || columns
                .iter()
                .any(|&length| length != 0 && length != chunk.len())
        {
            return Err(disagreement("trace source", "its columns differ in length"));
        }
        for start in (0..chunk.len()).step_by(BATCH) {
            let batch = start..chunk.len().min(start + BATCH);
            let (pages, flags) = (&chunk.pages[batch.clone()], &chunk.flags[batch.clone()]);
            self.columns.places.clear();
            self.columns.times.clear();
            if timed {
                self.timed_columns(pages, flags, &chunk.times_ns[batch.clone()]);
            } else {
                self.columns(pages, flags);
            }
            self.summarise(flags, timed);
            if !spaces.is_empty() {
                let accesses = spaces[batch].iter().zip(pages).zip(flags);
                self.devices.add(
                    self.distinct,
                    accesses.zip(&self.columns.places).map(
                        |(((&space, &page), &flags), &before)| {
                            (space, page, flags & WRITE != 0, before == 0)
                        },
                    ),
                );
            }
            self.accesses += pages.len() as u64;
        }
        self.writes += write_accesses(&chunk.flags);
        Ok(())
    }

    fn columns(&mut self, pages: &[u32], flags: &[u8]) {
        let mut place = self.accesses;
        for (&page, &flags) in pages.iter().zip(flags) {
            place += 1;
            let page = &mut self.pages[page as usize];
            page.count.add(flags & WRITE != 0);
            self.columns
                .places
                .push(std::mem::replace(&mut page.place, place));
        }
    }

    fn timed_columns(&mut self, pages: &[u32], flags: &[u8], times_ns: &[i64]) {
        let mut place = self.accesses;
        for ((&page, &flags), &time) in pages.iter().zip(flags).zip(times_ns) {
            place += 1;
            // Before the first request there is no window: such a time counts as the start.
            self.now = self.now.max(u64::try_from(time).unwrap_or(0));
            let page = &mut self.pages[page as usize];
            page.count.add(flags & WRITE != 0);
            self.columns
                .places
                .push(std::mem::replace(&mut page.place, place));
            let before = std::mem::replace(&mut page.time, self.now + 1);
            self.columns.times.push((self.now, before));
        }
    }

    /// Every summary goes over the columns.
    fn summarise(&mut self, flags: &[u8], timed: bool) {
        let places = &self.columns.places;
        for ((at, &before), &flags) in (self.accesses..).zip(places).zip(flags) {
            self.windows
                .add(at, before, before == 0, flags & WRITE != 0);
        }
        for ((at, &before), &flags) in (self.accesses..).zip(places).zip(flags) {
            if before > 0 {
                self.reuse.add(at + 1 - before, flags & WRITE != 0);
            }
        }
        if timed {
            for (&(now, before), &flags) in self.columns.times.iter().zip(flags) {
                self.time_windows
                    .add(now, before, before == 0, flags & WRITE != 0);
                if before > 0 {
                    self.time_reuse.add(now + 1 - before, flags & WRITE != 0);
                }
            }
        }
    }

    fn finish(
        self,
        by_device: bool,
        names: &[String],
        requests: &RequestCounts,
    ) -> Result<Summaries> {
        let timed = self.timed == Some(true);
        let summary = requests
            .summary()
            .ok_or_else(|| disagreement("summaries", "request counts have a bin too many"))?;
        Ok(Summaries {
            accesses: self.accesses,
            write_accesses: self.writes,
            distinct_pages: self.distinct as u64,
            windows: self.windows.finish(),
            time_windows: timed.then(|| self.time_windows.finish()),
            reuse: ReuseSummary {
                in_accesses: self.reuse.finish(),
                in_ns: timed.then(|| self.time_reuse.finish()),
            },
            popularity: Popularity::new(self.pages.iter().map(|page| page.count)),
            requests: summary,
            devices: (by_device && names.len() != 1).then(|| self.devices.finish(names, requests)),
        })
    }
}

/// Puts requests together again from their accesses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Gathered {
    requests: Requests,
    /// The request that began last: device, first page, accesses, whether it writes.
    open: Option<(u32, u64, u64, bool)>,
    /// Accesses before the first request that begins here; of a trace, a request without a beginning.
    lead: Option<(u32, u64, u64, bool)>,
}

impl Gathered {
    fn new() -> Self {
        Self {
            requests: Requests::of_part(RequestUnit::Pages),
            open: None,
            lead: None,
        }
    }

    fn chunk(&mut self, spaces: &[u32], pages: &[u64], flags: &[u8]) -> Result<()> {
        if spaces.len() != flags.len() || pages.len() != flags.len() {
            return Err(disagreement("trace source", "it gives no addresses"));
        }
        for ((&space, &page), &flags) in spaces.iter().zip(pages).zip(flags) {
            let started = (space, page, 1, flags & WRITE != 0);
            if flags & FIRST_OF_REQUEST != 0 {
                if let Some((space, page, count, write)) = self.open.replace(started) {
                    self.requests.add(space, page, count, write);
                }
            } else if let Some((_, _, count, _)) = self.open.as_mut().or(self.lead.as_mut()) {
                *count += 1;
            } else {
                self.lead = Some(started);
            }
        }
        Ok(())
    }

    /// Takes the accesses of the part that comes next; `numbers` are those of its devices here.
    fn append(&mut self, next: &Self, numbers: &[u32]) {
        let here = |(space, page, count, write): (u32, u64, u64, bool)| {
            (
                numbers.get(space as usize).copied().unwrap_or(space),
                page,
                count,
                write,
            )
        };
        if let Some(lead) = next.lead {
            if let Some((_, _, count, _)) = self.open.as_mut().or(self.lead.as_mut()) {
                *count += lead.2;
            } else {
                self.lead = Some(here(lead));
            }
        }
        if let Some(open) = next.open {
            if let Some((space, page, count, write)) = self.open.replace(here(open)) {
                self.requests.add(space, page, count, write);
            }
            self.requests.append(&next.requests, numbers);
        }
    }

    /// Whether the requests fit a part with so many devices and accesses.
    fn fits(&self, spaces: usize, accesses: u64) -> bool {
        let known = |request: &Option<(u32, u64, u64, bool)>| {
            request
                .is_none_or(|(space, _, count, _)| (space as usize) < spaces && count <= accesses)
        };
        known(&self.open) && known(&self.lead) && self.requests.fits(spaces, accesses)
    }

    fn finish(self) -> RequestCounts {
        let mut all = Requests::of_part(RequestUnit::Pages);
        if let Some((space, page, count, write)) = self.lead {
            all.add(space, page, count, write);
        }
        let devices = self.requests.devices();
        let numbers: Vec<u32> = (0..devices).collect();
        all.append(&self.requests, &numbers);
        if let Some((space, page, count, write)) = self.open {
            all.add(space, page, count, write);
        }
        all.finish()
    }
}

/// What holds of the summaries of every trace.
fn check(made: &Summaries) -> std::result::Result<(), String> {
    let again = made.accesses - made.distinct_pages;
    let windows = std::iter::once(&made.windows).chain(&made.time_windows);
    for windows in windows {
        let sum = |column: &[u64]| column.iter().sum::<u64>();
        if sum(&windows.accesses) != made.accesses
            || sum(&windows.write_accesses) != made.write_accesses
            || windows.footprint_pages.last().copied().unwrap_or(0) != made.distinct_pages
        {
            return Err(format!(
                "windows of {} hold {} of {} accesses and {:?} of {} pages",
                windows.length,
                sum(&windows.accesses),
                made.accesses,
                windows.footprint_pages.last(),
                made.distinct_pages
            ));
        }
    }
    let reuse: [Option<&Distribution>; 2] =
        [Some(&made.reuse.in_accesses), made.reuse.in_ns.as_ref()];
    if let Some(wrong) = reuse.into_iter().flatten().find(|one| one.sum() != again) {
        return Err(format!("{} reuse times of {again} accesses", wrong.sum()));
    }
    let popularity = &made.popularity;
    let pages: u64 = popularity.pages.iter().sum();
    let counted = popularity.pages.iter().zip(&popularity.accesses);
    let accesses: u64 = counted.map(|(pages, accesses)| pages * accesses).sum();
    let kinds = popularity.only_read + popularity.only_written + popularity.both;
    if [pages, kinds] != [made.distinct_pages; 2] || accesses != made.accesses {
        return Err(format!(
            "popularity of {pages} pages, {kinds} by kind, with {accesses} accesses"
        ));
    }
    let Some(devices) = &made.devices else {
        return Ok(());
    };
    let rows = || devices.rows.iter().chain(&devices.others);
    let sum = |of: &dyn Fn(&DeviceRow) -> u64| rows().map(of).sum::<u64>();
    let found = [
        sum(&|row| row.accesses),
        sum(&|row| row.write_accesses),
        sum(&|row| row.distinct_pages),
    ];
    if found != [made.accesses, made.write_accesses, made.distinct_pages] {
        return Err(format!("devices have {found:?} accesses, writes and pages"));
    }
    // All pages fit into the largest cache: there only first references miss.
    let unhit = |row: &DeviceRow| {
        row.hits.as_ref().is_some_and(|hits| {
            hits.last().copied().unwrap_or(0) != row.accesses - row.distinct_pages
        })
    };
    match rows().find(|row| unhit(row)) {
        Some(row) => Err(format!("device `{}` has {:?} hits", row.name, row.hits)),
        None => Ok(()),
    }
}

/// A trace without accesses has nothing to be summed up.
pub(crate) fn no_accesses(path: &std::path::Path) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        message: "the trace has no page accesses, so there is nothing to summarise".to_owned(),
        hint: "use a trace with page accesses".to_owned(),
    }
}
