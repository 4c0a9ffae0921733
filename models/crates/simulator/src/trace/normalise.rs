//! Requests to page accesses: splits them into pages and numbers the pages densely.

use serde::{Deserialize, Serialize};

use crate::access::{AccessSource, CHUNK_ACCESSES, Chunk, FIRST_OF_REQUEST, WRITE};
use crate::error::{Error, Result};
use crate::profile::requests::{RequestCounts, RequestUnit, Requests};
use crate::progress::{OnProgress, report};
use crate::trace::formats::Format;
use crate::trace::numbers::PageNumbers;
use crate::trace::reader::{
    Addressing, PlacedRequest, Request, RequestReader, Understanding, Warning,
};
use crate::trace::repeats::{Repeats, WINDOW};
use crate::trace::streams::Compression;
use crate::trace::{TraceSource, TraceSpec, TraceSummary, device_size, joined};
use crate::wording::counted;

/// Smallest and largest page size [bytes].
const PAGE_BYTES_RANGE: std::ops::RangeInclusive<u64> = 512..=1 << 20;
/// Name of the warning that a trace does not tell writes from reads; a canonical trace keeps it.
pub(crate) const NO_WRITES_IN_FORMAT: &str = "no_writes_in_format";
/// Page size when none is asked for [bytes].
pub(crate) const DEFAULT_PAGE_BYTES: u64 = 4096;
/// More requests per second than any one server makes.
const IMPLAUSIBLE_RATE_PER_S: f64 = 5e6;
/// More bytes per second than the fastest arrays of drives move: 50 GB/s.
const IMPLAUSIBLE_BYTES_PER_S: f64 = 50e9;
/// Fewer requests per second than one a day.
const IMPLAUSIBLE_PAUSE_PER_S: f64 = 1.0 / 86_400.0;
/// Devices in a row that no request gives a page to, beyond which numbers of devices are wrong.
const MAX_IDLE_DEVICES: usize = 1 << 20;
const SECOND_NS: f64 = 1e9;
const SECTOR_BYTES: u64 = 512;
/// Addresses beyond this are on no disk: 1 PiB.
const IMPLAUSIBLE_ADDRESS_BYTES: u64 = 1 << 50;
/// No device takes requests of more than this: 64 MiB.
const IMPLAUSIBLE_REQUEST_BYTES: u64 = 64 << 20;
/// Fewer requests say nothing about shares.
const ENOUGH_REQUESTS: u64 = 100;
/// Zero bits at the end of addresses when bytes are taken for sectors: those of 512 * 512 bytes
/// (256 KiB) up to those of 32 KiB * 512. More are of ranges set apart on purpose.
const COARSE_BITS: std::ops::RangeInclusive<u32> = 18..=24;

/// A page size that block traces can be split by: a power of two from 512 bytes to 1 MiB.
pub(crate) fn check_page_bytes(page_bytes: u64) -> Result<u64> {
    if PAGE_BYTES_RANGE.contains(&page_bytes) && page_bytes.is_power_of_two() {
        return Ok(page_bytes);
    }
    Err(Error::BadParameter {
        name: "page-bytes",
        value: page_bytes.to_string(),
        message: "not a page size".to_owned(),
        hint: "give a power of two from 512 to 1048576, such as 4096".to_owned(),
    })
}

/// The device and page behind each access of a chunk, before dense numbering.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawColumns {
    pub(crate) spaces: Vec<u32>,
    pub(crate) pages: Vec<u64>,
}

/// Counts of one pass, over requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    requests: u64,
    write_requests: u64,
    /// Requests that touch more than one page.
    split: u64,
    accesses: u64,
    write_accesses: u64,
    zero_length: u64,
    unaligned: u64,
    backwards: u64,
    first_ns: Option<i64>,
    last_ns: i64,
    earliest_ns: i64,
    latest_ns: i64,
    /// Byte-addressed requests that do not begin and end at 512-byte sectors.
    odd_sectors: u64,
    /// Bytes of all requests, of byte-addressed formats.
    bytes: u64,
    /// All bits that any offset and any length has set: their zeros at the end are those of all.
    offset_bits: u64,
    size_bits: u64,
    smallest: u64,
    largest: u64,
    lowest: u64,
    /// The first address behind all requests.
    end: u64,
}

/// What all requests read so far have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// What the other fields count: `bytes`, or `pages` of page- and key-native formats.
    pub unit: &'static str,
    /// Length of the shortest request that is not empty.
    pub smallest_request: u64,
    /// Length of the longest request.
    pub largest_request: u64,
    /// Lowest address.
    pub lowest: u64,
    /// Highest address.
    pub highest: u64,
}

/// What is left of the request being split.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Remainder {
    page: u64,
    pages: u64,
    space: u32,
    flags: u8,
    time_ns: i64,
}

/// What a [`Normaliser`] knows behind a chunk, but for the numbers of the pages.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    /// Of a reader that can enter its file in the middle.
    reader: Option<serde_json::Value>,
    /// Requests read and not yet taken up.
    batch: Vec<Request>,
    rest: Remainder,
    counts: Counts,
    repeats: Repeats,
    requests: Option<Requests>,
    mark: Option<u64>,
}

impl State {
    pub(crate) fn accesses(&self) -> u64 {
        self.counts.accesses
    }
}

/// A raw trace as a source of accesses.
pub(crate) struct Normaliser {
    reader: Box<dyn RequestReader>,
    format: &'static Format,
    path: std::path::PathBuf,
    device_bytes: Option<u64>,
    /// Of the pages of the accesses, which [`TraceSpec::joined_page_bytes`] may make larger [bytes].
    page_bytes: u64,
    /// Of the pages as recorded [bytes].
    recorded_page_bytes: u64,
    /// From bytes, or from pages of page-native formats, to pages of the accesses.
    page_shift: u32,
    splits: bool,
    has_time: bool,
    batch: Vec<Request>,
    next: usize,
    rest: Remainder,
    /// Dense page numbers by device, then page.
    numbers: Vec<PageNumbers>,
    distinct_pages: u32,
    counts: Counts,
    repeats: Repeats,
    raw: Option<RawColumns>,
    /// Lengths and order of the requests, if asked for.
    requests: Option<Requests>,
    ignored_page_bytes: Option<u64>,
    /// A number that another sequence of requests would hardly give, if asked for.
    mark: Option<u64>,
}

impl Normaliser {
    pub(crate) fn new(
        reader: Box<dyn RequestReader>,
        format: &'static Format,
        spec: &TraceSpec,
    ) -> Result<Self> {
        let asked = check_page_bytes(spec.page_bytes)?;
        let understanding = reader.understanding();
        let page_bytes = match understanding.addressing {
            Addressing::Pages {
                page_bytes: Some(fixed),
            }
            | Addressing::BytesOfPages { page_bytes: fixed } => fixed,
            _ => asked,
        };
        let recorded_page_bytes = page_bytes;
        let join_shift = joined::shift_of(spec, page_bytes, &understanding.assumptions)?;
        let page_bytes = recorded_page_bytes << join_shift;
        let splits = !matches!(understanding.addressing, Addressing::Pages { .. });
        Ok(Self {
            splits,
            has_time: understanding.has_time,
            reader,
            format,
            path: spec.path.clone(),
            device_bytes: spec.device_bytes,
            page_bytes,
            recorded_page_bytes,
            page_shift: if splits {
                page_bytes.trailing_zeros()
            } else {
                join_shift
            },
            batch: Vec::new(),
            next: 0,
            rest: Remainder::default(),
            numbers: Vec::new(),
            distinct_pages: 0,
            counts: Counts::default(),
            repeats: Repeats::default(),
            raw: None,
            requests: None,
            ignored_page_bytes: (asked != recorded_page_bytes && asked != DEFAULT_PAGE_BYTES)
                .then_some(asked),
            mark: None,
        })
    }

    /// Keeps device and page of each access for [`Self::raw`].
    pub(crate) fn keep_raw(&mut self) {
        self.raw = Some(RawColumns::default());
    }

    /// Counts lengths and order of the requests for [`AccessSource::request_counts`].
    pub(crate) fn keep_requests(&mut self) {
        self.requests = Some(Requests::new(if self.splits {
            RequestUnit::Bytes
        } else {
            RequestUnit::Pages
        }));
    }

    /// The same for [`AccessSource::part_requests`].
    pub(crate) fn keep_part_requests(&mut self) {
        self.requests = Some(Requests::of_part(if self.splits {
            RequestUnit::Bytes
        } else {
            RequestUnit::Pages
        }));
    }

    /// Device and page of each access of the last chunk; empty unless asked for.
    pub(crate) fn raw(&self) -> (&[u32], &[u64]) {
        self.raw
            .as_ref()
            .map_or((&[], &[]), |raw| (&raw.spaces, &raw.pages))
    }

    pub(crate) fn format(&self) -> &'static Format {
        self.format
    }

    pub(crate) fn understanding(&self) -> &Understanding {
        self.reader.understanding()
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Whether requests are split into pages (byte-addressed formats).
    pub(crate) fn splits(&self) -> bool {
        self.splits
    }

    pub(crate) fn zero_length_requests(&self) -> u64 {
        self.counts.zero_length
    }

    /// Requests read so far that touch more than one page.
    pub(crate) fn split_requests(&self) -> u64 {
        self.counts.split
    }

    pub(crate) fn distinct_pages(&self) -> u32 {
        self.distinct_pages
    }

    /// The next records with place and text, at most `rows`, counted but not numbered.
    pub(crate) fn preview(&mut self, rows: usize) -> Result<Vec<PlacedRequest>> {
        let records = self.reader.preview(rows)?;
        for record in &records {
            self.count(&record.request);
        }
        Ok(records)
    }

    /// Bad records passed over so far.
    pub(crate) fn skipped(&self) -> u64 {
        self.reader.skipped()
    }

    pub(crate) fn compression(&self) -> Compression {
        self.reader.compression()
    }

    pub(crate) fn space_names(&self) -> &[String] {
        self.reader.spaces()
    }

    pub(crate) fn page_bytes(&self) -> u64 {
        self.page_bytes
    }

    /// What was taken for granted, also of pages that were joined.
    pub(crate) fn assumptions(&self) -> Vec<String> {
        let mut assumptions = self.understanding().assumptions.clone();
        assumptions.extend(joined::assumption(
            self.recorded_page_bytes,
            self.page_bytes,
        ));
        assumptions
    }

    pub(crate) fn has_time(&self) -> bool {
        self.has_time
    }

    /// Time of the first request [ns since the epoch of the format].
    pub(crate) fn first_time_ns(&self) -> Option<i64> {
        self.counts.first_ns.filter(|_| self.has_time)
    }

    /// First page and number of pages of a request.
    pub(crate) fn pages_of(&self, request: &Request) -> (u64, u64) {
        let first = request.offset >> self.page_shift;
        if request.size == 0 {
            return (first, 0);
        }
        let last = (request.offset + (request.size - 1)) >> self.page_shift;
        (first, last - first + 1)
    }

    /// Makes room for the devices of the batch and fetches the slots of its pages.
    #[inline]
    fn make_ready(&mut self) {
        let devices = self.reader.spaces().len().max(self.numbers.len());
        self.numbers.resize_with(devices, PageNumbers::default);
        for request in &self.batch {
            self.numbers[request.space as usize].touch(request.offset >> self.page_shift);
        }
    }

    /// The first records with place and text, at most `rows`, which the pass then begins with.
    pub(crate) fn first_records(&mut self, rows: usize) -> Result<Vec<PlacedRequest>> {
        let records = self.reader.preview(rows)?;
        self.batch = records.iter().map(|record| record.request).collect();
        self.next = 0;
        self.make_ready();
        Ok(records)
    }

    /// Takes the next request up for splitting; `false` at the end.
    #[inline]
    fn take_request(&mut self) -> Result<bool> {
        if self.next == self.batch.len() {
            self.next = 0;
            if !self.reader.read(&mut self.batch)? {
                self.batch.clear();
                return Ok(false);
            }
            self.make_ready();
        }
        let request = self.batch[self.next];
        self.next += 1;
        self.count(&request);
        if let Some(mark) = &mut self.mark {
            *mark = marked(*mark, &request);
        }
        if let Some(requests) = &mut self.requests {
            requests.add(request.space, request.offset, request.size, request.write);
        }
        let (page, pages) = self.pages_of(&request);
        self.counts.split += u64::from(pages > 1);
        self.rest = Remainder {
            page,
            pages,
            space: request.space,
            flags: FIRST_OF_REQUEST | if request.write { WRITE } else { 0 },
            time_ns: self.relative_time(request.time_ns)?,
        };
        Ok(true)
    }

    /// Marks all requests read from now on, to compare them when they are read again.
    pub(crate) fn keep_mark(&mut self) {
        self.mark = Some(0);
    }

    /// What was read so far, for [`Self::resume`].
    pub(crate) fn state(&self) -> State {
        State {
            reader: self.reader.state(),
            batch: self.batch[self.next..].to_vec(),
            rest: self.rest,
            counts: self.counts.clone(),
            repeats: self.repeats.clone(),
            requests: self.requests.clone(),
            mark: self.mark,
        }
    }

    /// Goes on where [`Self::state`] was taken, its pages being numbered: behind a reader that
    /// can enter its file there, or by reading it again up to there. `false` if the file does not
    /// hold what it held.
    pub(crate) fn resume(&mut self, state: State, on_progress: OnProgress<'_>) -> Result<bool> {
        let Some(reader) = state.reader else {
            return Ok(self.pass_over(state.counts.accesses, on_progress)?
                && (&self.counts, self.mark) == (&state.counts, state.mark));
        };
        if !self.reader.resume(reader)? {
            return Ok(false);
        }
        (self.batch, self.next, self.rest) = (state.batch, 0, state.rest);
        (self.counts, self.repeats) = (state.counts, state.repeats);
        (self.requests, self.mark) = (state.requests, state.mark);
        self.make_ready();
        Ok(true)
    }

    /// Reads on until `accesses` have been read, counting them but numbering none: their numbers
    /// are kept from before. `false` if the trace ends before.
    fn pass_over(&mut self, accesses: u64, on_progress: OnProgress<'_>) -> Result<bool> {
        let mut told = 0;
        while self.counts.accesses < accesses {
            if self.rest.pages == 0 && !self.take_request()? {
                return Ok(false);
            }
            let count = self.rest.pages.min(accesses - self.counts.accesses);
            self.pass(count);
            if self.counts.accesses - told >= CHUNK_ACCESSES as u64 {
                told = self.counts.accesses;
                report(self, told, on_progress)?;
            }
        }
        Ok(true)
    }

    /// Numbers a page before it is read again, in the order of its first use.
    /// `false` if it has its number already or the device cannot be.
    pub(crate) fn number_again(&mut self, space: u64, page: u64) -> bool {
        let Ok(space) = usize::try_from(space) else {
            return false;
        };
        // Devices are numbered in the order of their first page too, but for those without any.
        if space > self.numbers.len() + MAX_IDLE_DEVICES {
            return false;
        }
        if space >= self.numbers.len() {
            self.numbers.resize_with(space + 1, PageNumbers::default);
        }
        let (_, new) = self.numbers[space].number(page, self.distinct_pages);
        self.distinct_pages += u32::from(new);
        new && self.distinct_pages < u32::MAX
    }

    /// Takes `count` accesses of the request in hand as read.
    #[inline]
    fn pass(&mut self, count: u64) {
        self.counts.accesses += count;
        if self.rest.flags & WRITE != 0 {
            self.counts.write_accesses += count;
        }
        self.rest.page = self.rest.page.wrapping_add(count);
        self.rest.pages -= count;
        if count > 0 {
            self.rest.flags &= !FIRST_OF_REQUEST;
        }
    }

    fn relative_time(&self, time_ns: i64) -> Result<i64> {
        let first = self.counts.first_ns.unwrap_or(0);
        time_ns.checked_sub(first).ok_or_else(|| Error::BadTrace {
            path: self.path.clone(),
            place: format!("record {}", self.counts.requests),
            message: format!(
                "its time is more than 292 years from the first one ({first} ns and {time_ns} ns)"
            ),
            hint: "check the unit of the time".to_owned(),
        })
    }

    #[inline]
    fn count(&mut self, request: &Request) {
        let counts = &mut self.counts;
        counts.requests += 1;
        counts.write_requests += u64::from(request.write);
        counts.zero_length += u64::from(request.size == 0);
        if self.splits {
            counts.offset_bits |= request.offset;
            counts.size_bits |= request.size;
            let address = request.offset | request.size;
            counts.unaligned += u64::from(address & (self.recorded_page_bytes - 1) != 0);
            counts.odd_sectors += u64::from(address & (SECTOR_BYTES - 1) != 0);
            counts.bytes = counts.bytes.saturating_add(request.size);
            if self.has_time {
                self.repeats.add(request);
            }
        }
        if request.size > 0 {
            let end = request.offset.saturating_add(request.size - 1);
            if counts.largest == 0 {
                (counts.smallest, counts.lowest) = (u64::MAX, u64::MAX);
            }
            counts.smallest = counts.smallest.min(request.size);
            counts.largest = counts.largest.max(request.size);
            counts.lowest = counts.lowest.min(request.offset);
            counts.end = counts.end.max(end);
        }
        let time = request.time_ns;
        if counts.first_ns.is_none() {
            counts.first_ns = Some(time);
            (counts.last_ns, counts.earliest_ns, counts.latest_ns) = (time, time, time);
        }
        counts.backwards += u64::from(time < counts.last_ns);
        counts.last_ns = time;
        counts.earliest_ns = counts.earliest_ns.min(time);
        counts.latest_ns = counts.latest_ns.max(time);
    }

    /// Counts a page that was never seen, if it is `new`.
    #[inline]
    fn take_new(&mut self, new: bool) -> Result<()> {
        self.distinct_pages += u32::from(new);
        if self.distinct_pages == u32::MAX {
            return Err(too_many_pages(&self.path));
        }
        Ok(())
    }

    /// Appends the next accesses of the request in hand, at most `room`.
    #[inline]
    fn split(&mut self, chunk: &mut Chunk, room: usize) -> Result<()> {
        let Remainder {
            page,
            pages,
            space,
            flags,
            time_ns,
        } = self.rest;
        let numbers = &mut self.numbers[space as usize];
        if pages == 1 {
            // Most requests: no column has to be filled, only to grow by one.
            let (number, new) = numbers.number(page, self.distinct_pages);
            self.take_new(new)?;
            chunk.pages.push(number);
            chunk.flags.push(flags);
            if self.has_time {
                chunk.times_ns.push(time_ns);
            }
            if let Some(raw) = &mut self.raw {
                raw.spaces.push(space);
                raw.pages.push(page);
            }
            self.pass(1);
            return Ok(());
        }
        let count = usize::try_from(pages).unwrap_or(usize::MAX).min(room);
        // Counted, not ranged: the last page may be the largest number there is.
        if count > 1 {
            (0..count as u64).for_each(|index| numbers.touch(page + index));
        }
        for index in 0..count as u64 {
            let numbers = &mut self.numbers[space as usize];
            let (number, new) = numbers.number(page + index, self.distinct_pages);
            self.take_new(new)?;
            chunk.pages.push(number);
        }
        let accesses = chunk.pages.len();
        let first = accesses - count;
        chunk.flags.resize(accesses, flags & !FIRST_OF_REQUEST);
        chunk.flags[first] = flags;
        if self.has_time {
            chunk.times_ns.resize(accesses, time_ns);
        }
        if let Some(raw) = &mut self.raw {
            raw.spaces.resize(accesses, space);
            raw.pages
                .extend((0..count as u64).map(|index| page + index));
        }
        self.pass(count as u64);
        Ok(())
    }

    /// Everything to be known before trusting the numbers; complete after the pass.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let counts = &self.counts;
        let requests = counted(counts.requests, "request", "requests");
        let mut warnings = self.reader.warnings();
        if let Some(asked) = self.ignored_page_bytes {
            warnings.push(Warning::new(
                "page_bytes_ignored",
                format!(
                    "pages of {asked} bytes were requested, but {} has pages of {} bytes",
                    self.format.name, self.recorded_page_bytes
                ),
                "leave the page size out: these pages are never split; [[joined_page_bytes]] joins neighbours into larger ones",
            ));
        }
        if counts.zero_length > 0 {
            warnings.push(Warning::new(
                "zero_length_requests",
                format!(
                    "{} no access",
                    counted(
                        counts.zero_length,
                        &format!("of {requests} has length 0 and makes"),
                        &format!("of {requests} have length 0 and make"),
                    )
                ),
                "check the size column if you did not expect flushes or barriers in the trace",
            ));
        }
        if counts.unaligned > 0 {
            warnings.push(Warning::new(
                "unaligned_requests",
                counted(
                    counts.unaligned,
                    &format!(
                        "of {requests} does not begin and end at {}-byte pages; every page it touches counts as accessed",
                        self.recorded_page_bytes
                    ),
                    &format!(
                        "of {requests} do not begin and end at {}-byte pages; every page they touch counts as accessed",
                        self.recorded_page_bytes
                    ),
                ),
                "use a smaller [[page_bytes]] to see how much this matters",
            ));
        }
        warnings.extend(self.address_warnings());
        if counts.backwards > 0 && self.has_time {
            warnings.push(Warning::new(
                "non_monotone_time",
                format!(
                    "the time goes backwards at {} of {requests}; the order of the file is kept",
                    counts.backwards
                ),
                "sort the trace by time if it was merged from several queues",
            ));
        }
        if !self.understanding().has_writes {
            warnings.push(Warning::new(
                NO_WRITES_IN_FORMAT,
                "the format does not distinguish writes from reads: all accesses count as reads, so write-backs are 0",
                "use a trace with operations to size for writes",
            ));
        }
        if self.format.below_page_cache {
            warnings.push(Warning::new(
                "below_page_cache",
                "block traces are recorded below the operating system's page cache, which has already absorbed the reuse: the benefit of RAM computed from them is too low",
                "use a trace of page accesses (PostgreSQL, keys) to size RAM; flash below the page cache is assessed correctly",
            ));
        }
        warnings.extend(self.rate_warning());
        warnings.extend(joined::warning(
            self.recorded_page_bytes,
            self.page_bytes,
            self.splits,
            self.reader.spaces(),
        ));
        warnings.extend(self.device_bytes.and_then(|device_bytes| {
            device_size::of_requests(&device_size::Reach {
                device_bytes,
                end_bytes: self.splits.then_some(counts.end),
                requests: counts.requests,
                distinct_pages: u64::from(self.distinct_pages),
                page_bytes: self.page_bytes,
                devices: self.reader.spaces().len() as u64,
            })
        }));
        warnings
    }

    /// What the addresses and lengths of a block trace give reason to doubt.
    fn address_warnings(&self) -> Vec<Warning> {
        let counts = &self.counts;
        let mut warnings = Vec::new();
        if !self.splits {
            return warnings;
        }
        if counts.requests >= ENOUGH_REQUESTS && counts.odd_sectors * 2 > counts.requests {
            warnings.push(Warning::new(
                "implausible_alignment",
                format!(
                    "{} of {} do not begin and end at sectors of 512 bytes, as requests to a device do",
                    counts.odd_sectors,
counted(counts.requests, "request", "requests")
                ),
                "check the units: sectors or pages read as bytes look like this",
            ));
        }
        // Bytes of a device are multiples of a sector, so taken for sectors they are of 256 KiB.
        let coarse = |bits: u64| COARSE_BITS.contains(&bits.trailing_zeros());
        let (coarse_offsets, coarse_sizes) = (coarse(counts.offset_bits), coarse(counts.size_bits));
        if counts.requests >= ENOUGH_REQUESTS && coarse_offsets && !coarse_sizes {
            warnings.push(Warning::new(
                "implausible_alignment",
                format!(
                    "all {} begin at multiples of 256 KiB, but not all are that long",
                    counted(counts.requests, "request", "requests")
                ),
                "check the unit of the offset: bytes read as sectors look like this",
            ));
        }
        if counts.requests >= ENOUGH_REQUESTS && coarse_sizes && !coarse_offsets {
            warnings.push(Warning::new(
                "implausible_sizes",
                format!(
                    "all {} have lengths that are multiples of 256 KiB, but not all begin at such multiples",
                    counted(counts.requests, "request", "requests")
                ),
                "check the unit of the size: bytes read as sectors look like this",
            ));
        }
        if counts.requests >= ENOUGH_REQUESTS && (1..SECTOR_BYTES).contains(&counts.largest) {
            warnings.push(Warning::new(
                "implausible_sizes",
                format!(
                    "no request is longer than {} bytes, less than one sector",
                    counts.largest
                ),
                "check the unit of the size: sectors or pages read as bytes look like this",
            ));
        }
        if counts.largest > IMPLAUSIBLE_REQUEST_BYTES {
            warnings.push(Warning::new(
                "implausible_sizes",
                format!(
                    "the longest request has {} bytes; devices accept at most 64 MiB at a time",
                    counts.largest
                ),
                "check the unit of the size: bytes read as sectors look like this",
            ));
        }
        if counts.end >= IMPLAUSIBLE_ADDRESS_BYTES {
            warnings.push(Warning::new(
                "implausible_footprint",
                format!(
                    "requests reach up to byte {}, beyond 1 PiB, more than any device holds",
                    counts.end
                ),
                "check the unit of the offset: bytes read as sectors look like this",
            ));
        }
        if counts.requests >= ENOUGH_REQUESTS && self.repeats.count() * 10 >= counts.requests * 3 {
            warnings.push(Warning::new(
                "duplicated_requests",
                format!(
                    "{} of {} repeat one of the {WINDOW} before them within a millisecond, as when each is recorded at several places (queued, issued, completed)",
                    self.repeats.count(),
                    counted(counts.requests, "request", "requests")
                ),
                "keep one action of each request: otherwise reuse is far too high",
            ));
        }
        warnings
    }

    /// Shortest, longest, lowest and highest of the requests so far; `None` without any access.
    pub(crate) fn extent(&self) -> Option<Extent> {
        let counts = &self.counts;
        (counts.largest > 0).then_some(Extent {
            unit: if self.splits { "bytes" } else { "pages" },
            smallest_request: counts.smallest,
            largest_request: counts.largest,
            lowest: counts.lowest,
            highest: counts.end,
        })
    }

    fn rate_warning(&self) -> Option<Warning> {
        let duration_s = self.duration_s()?;
        if self.counts.requests < 2 {
            return None;
        }
        let rate = as_f64(self.counts.requests) / duration_s;
        let bytes_per_s = as_f64(self.counts.bytes) / duration_s;
        if rate <= IMPLAUSIBLE_RATE_PER_S && bytes_per_s > IMPLAUSIBLE_BYTES_PER_S {
            return Some(Warning::new(
                "implausible_bandwidth",
                format!(
                    "{} bytes in {duration_s} s are {:.0} GB/s, more than any one server can move",
                    self.counts.bytes,
                    bytes_per_s / 1e9
                ),
                "check the units of the time (s, ms, µs, ns or 100 ns) and of the size (bytes or sectors)",
            ));
        }
        (!(IMPLAUSIBLE_PAUSE_PER_S..=IMPLAUSIBLE_RATE_PER_S).contains(&rate)).then(|| {
            Warning::new(
                "implausible_rate",
                format!(
                    "{} in {duration_s} s are {} than any real workload",
                    counted(self.counts.requests, "request", "requests"),
                    if rate > 1.0 { "faster" } else { "slower" }
                ),
                "check the unit of the time: s, ms, µs, ns or 100 ns",
            )
        })
    }

    /// Latest minus earliest time.
    pub(crate) fn duration_ns(&self) -> Option<u64> {
        (self.has_time && self.counts.first_ns.is_some())
            .then(|| self.counts.latest_ns.abs_diff(self.counts.earliest_ns))
    }

    fn duration_s(&self) -> Option<f64> {
        self.duration_ns()
            .map(|duration| as_f64(duration) / SECOND_NS)
    }
}

/// Counts above 2^53 lose their last bits, which no rate or duration shows.
#[expect(clippy::cast_precision_loss, reason = "see the comment above")]
pub(crate) fn as_f64(count: u64) -> f64 {
    count as f64
}

/// Takes a request into a mark of all requests before it.
#[inline]
fn marked(mark: u64, request: &Request) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let with = |mark: u64, value: u64| (mark.rotate_left(23) ^ value).wrapping_mul(ODD);
    let mark = with(mark, request.offset);
    let mark = with(mark, request.size ^ u64::from(request.write) << 63);
    with(
        mark,
        request.time_ns.cast_unsigned() ^ u64::from(request.space) << 32,
    )
}

#[cold]
fn too_many_pages(path: &std::path::Path) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        message: format!(
            "the trace touches {} or more",
            counted(u32::MAX, "distinct page", "distinct pages")
        ),
        hint: "use a larger [[page_bytes]] or a part of the trace".to_owned(),
    }
}

impl AccessSource for Normaliser {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        chunk.clear();
        if let Some(raw) = &mut self.raw {
            raw.spaces.clear();
            raw.pages.clear();
        }
        loop {
            let room = CHUNK_ACCESSES - chunk.len();
            if room == 0 {
                break;
            }
            if self.rest.pages > 0 {
                self.split(chunk, room)?;
            } else if !self.take_request()? {
                break;
            }
        }
        Ok(!chunk.is_empty())
    }

    fn tells_writes(&self) -> bool {
        self.understanding().has_writes
    }

    fn requests_read(&self) -> Option<u64> {
        Some(self.counts.requests)
    }

    fn request_counts(&self) -> Option<RequestCounts> {
        self.requests.clone().map(Requests::finish)
    }

    fn part_requests(&self) -> Option<Requests> {
        self.requests.clone().filter(Requests::is_of_part)
    }

    fn position(&self) -> (u64, u64) {
        self.reader.position()
    }
}

impl TraceSource for Normaliser {
    fn summary(&self) -> TraceSummary {
        TraceSummary {
            format: self.format.name,
            requests: self.counts.requests,
            write_requests: self.counts.write_requests,
            accesses: self.counts.accesses,
            write_accesses: self.counts.write_accesses,
            distinct_pages: u64::from(self.distinct_pages),
            page_bytes: self.page_bytes,
            duration_s: self.duration_s(),
        }
    }
}
