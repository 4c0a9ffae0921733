//! Neighbouring pages joined into larger ones: a trace as if it had been recorded with the page size of
//! another system.
//!
//! The pages of a device, a relation or a volume are joined with each other, never with those of
//! another: page `n` becomes page `n / m` of the same one, `m` being a power of two. An access is one
//! access to the larger page; those of one request that fall on the same larger page are one, as they
//! are where requests are split. So a block trace that is joined is what it would have been if it had
//! been split by the larger pages.

use crate::access::{AccessSource, Chunk, FIRST_OF_REQUEST, WRITE};
use crate::error::{Error, Result};
use crate::profile::requests::RequestCounts;
use crate::trace::canonical::CanonicalReader;
use crate::trace::formats::by_name;
use crate::trace::normalise::{RawColumns, check_page_bytes};
use crate::trace::numbers::PageNumbers;
use crate::trace::reader::Warning;
use crate::trace::{TraceSource, TraceSpec, TraceSummary};
use crate::wording::counted;

/// Name of the parameter in errors.
const JOINED_PAGE_BYTES: &str = "joined-page-bytes";
/// How the assumptions of formats begin whose pages are keys: a canonical trace keeps them.
const OF_KEYS: [&str; 3] = [
    "each key is one page",
    "each object is one page",
    "each block of the cache is one page",
];
/// The same of tables whose records name pages.
const OF_PAGES: &str = "each page is one page";

/// Refuses what no page can have.
pub(crate) fn check(page_bytes: Option<u64>) -> Result<()> {
    match page_bytes.map(check_page_bytes) {
        Some(Err(Error::BadParameter {
            value,
            message,
            hint,
            ..
        })) => Err(Error::BadParameter {
            name: JOINED_PAGE_BYTES,
            value,
            message,
            hint,
        }),
        _ => Ok(()),
    }
}

/// By how many bits the numbers of pages become shorter; 0 where none are joined.
///
/// # Errors
/// [`Error::BadParameter`] where pages would have to be split, or are keys.
pub(crate) fn shift_of(
    spec: &TraceSpec,
    recorded_page_bytes: u64,
    assumptions: &[String],
) -> Result<u32> {
    let Some(asked) = spec.joined_page_bytes else {
        return Ok(0);
    };
    let bad = |message: String, hint: &str| Error::BadParameter {
        name: JOINED_PAGE_BYTES,
        value: asked.to_string(),
        message,
        hint: hint.to_owned(),
    };
    if asked < recorded_page_bytes {
        return Err(bad(
            format!(
                "the trace has pages of {recorded_page_bytes} bytes, and an access does not show which part of its page was used"
            ),
            "record with pages as small, or use a page size that is not below that of the trace",
        ));
    }
    // The pages of an old canonical trace may have any size.
    if !recorded_page_bytes.is_power_of_two() {
        return Err(bad(
            format!(
                "the trace has pages of {recorded_page_bytes} bytes, of which no power of two is a multiple"
            ),
            "leave it out",
        ));
    }
    let shift = asked.trailing_zeros() - recorded_page_bytes.trailing_zeros();
    let keys = |assumption: &String| OF_KEYS.iter().any(|begin| assumption.starts_with(begin));
    if shift > 0 && assumptions.iter().any(keys) {
        return Err(bad(
            "the trace names keys, which have no neighbours to be joined with".to_owned(),
            "leave it out, or use a trace that names pages or addresses",
        ));
    }
    Ok(shift)
}

/// What joining takes for granted; `None` where no pages are joined.
pub(crate) fn assumption(recorded_page_bytes: u64, page_bytes: u64) -> Option<String> {
    let pages = page_bytes / recorded_page_bytes;
    (pages > 1).then(|| {
        format!(
            "each page of {page_bytes} bytes holds {} of {recorded_page_bytes} bytes of the same device or relation",
            counted(pages, "neighbouring page", "neighbouring pages")
        )
    })
}

/// What to know of joined pages that only have numbers.
pub(crate) fn warning(
    recorded_page_bytes: u64,
    page_bytes: u64,
    splits: bool,
    spaces: &[String],
) -> Option<Warning> {
    let joined = page_bytes > recorded_page_bytes && !splits;
    (joined && spaces.iter().all(String::is_empty)).then(|| {
        Warning::new(
            "neighbours_assumed",
            "the trace names pages by numbers alone: pages with neighbouring numbers are assumed to be neighbours, and were joined",
            "check that the numbers follow the order of the data, or use a trace that names relations or addresses",
        )
    })
}

/// A canonical trace as a source of accesses to larger pages.
///
/// Only a page that was never seen is looked up; an access costs one look-up in an array.
pub(crate) struct Joined {
    reader: CanonicalReader,
    shift: u32,
    /// Numbers of the larger pages by device, then page.
    numbers: Vec<PageNumbers>,
    /// Number of the larger page of each recorded page number.
    larger: Vec<u32>,
    distinct_pages: u32,
    accesses: u64,
    write_accesses: u64,
    /// The larger page of the last access.
    last: Option<u32>,
    raw: Option<RawColumns>,
}

impl Joined {
    pub(crate) fn new(mut reader: CanonicalReader, shift: u32) -> Self {
        reader.keep_dictionary();
        let devices = reader.foot().spaces.len();
        Self {
            numbers: std::iter::repeat_with(PageNumbers::default)
                .take(devices)
                .collect(),
            reader,
            shift,
            larger: Vec::new(),
            distinct_pages: 0,
            accesses: 0,
            write_accesses: 0,
            last: None,
            raw: None,
        }
    }

    /// The trace as recorded.
    pub(crate) fn recorded(&self) -> &CanonicalReader {
        &self.reader
    }

    pub(crate) fn with_times(&mut self) {
        self.reader.with_times();
    }

    /// Keeps device and larger page of each access for [`Self::raw`].
    pub(crate) fn keep_raw(&mut self) {
        self.raw = Some(RawColumns::default());
    }

    pub(crate) fn raw(&self) -> (&[u32], &[u64]) {
        self.raw
            .as_ref()
            .map_or((&[], &[]), |raw| (&raw.spaces, &raw.pages))
    }

    pub(crate) fn page_bytes(&self) -> u64 {
        self.reader.head().page_bytes << self.shift
    }

    pub(crate) fn distinct_pages(&self) -> u32 {
        self.distinct_pages
    }

    /// What was taken for granted, also of the joined pages.
    pub(crate) fn assumptions(&self) -> Vec<String> {
        let foot = self.reader.foot();
        let mut assumptions = foot.assumptions.clone();
        assumptions.extend(assumption(self.reader.head().page_bytes, self.page_bytes()));
        assumptions
    }

    /// What to know before trusting the numbers, also of the joined pages.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let (head, foot) = (self.reader.head(), self.reader.foot());
        let native = by_name(&head.source_format).is_ok_and(|format| format.page_native);
        let splits = !native && !foot.assumptions.iter().any(|one| one.starts_with(OF_PAGES));
        let mut warnings = foot.warnings.clone();
        warnings.extend(warning(
            head.page_bytes,
            self.page_bytes(),
            splits,
            &foot.spaces,
        ));
        warnings
    }

    /// Numbers the larger pages of the recorded pages that the last chunk was the first to touch.
    fn number_new(&mut self) {
        let (spaces, pages) = self.reader.dictionary();
        let known = self.larger.len();
        for (space, page) in spaces[known..].iter().zip(&pages[known..]) {
            let numbers = &mut self.numbers[*space as usize];
            let (number, new) = numbers.number(page >> self.shift, self.distinct_pages);
            // There are no more larger pages than recorded ones, whose numbers fit.
            self.distinct_pages += u32::from(new);
            self.larger.push(number);
        }
    }

    /// Makes accesses to recorded pages accesses to larger ones: of a request one to each.
    fn join(&mut self, chunk: &mut Chunk) {
        let (spaces, pages) = self.reader.dictionary();
        let timed = !chunk.times_ns.is_empty();
        let mut raw = self.raw.take();
        if let Some(raw) = &mut raw {
            raw.spaces.clear();
            raw.pages.clear();
        }
        let mut kept = 0;
        for index in 0..chunk.len() {
            let recorded = chunk.pages[index] as usize;
            let (page, flags) = (self.larger[recorded], chunk.flags[index]);
            if flags & FIRST_OF_REQUEST == 0 && self.last == Some(page) {
                continue;
            }
            self.last = Some(page);
            self.write_accesses += u64::from(flags & WRITE != 0);
            chunk.pages[kept] = page;
            chunk.flags[kept] = flags;
            if timed {
                chunk.times_ns[kept] = chunk.times_ns[index];
            }
            if let Some(raw) = &mut raw {
                raw.spaces.push(spaces[recorded]);
                raw.pages.push(pages[recorded] >> self.shift);
            }
            kept += 1;
        }
        chunk.pages.truncate(kept);
        chunk.flags.truncate(kept);
        chunk.times_ns.truncate(kept);
        self.accesses += kept as u64;
        self.raw = raw;
    }
}

impl AccessSource for Joined {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        // A chunk may hold nothing but the rest of a request for the last page of the one before.
        while self.reader.next_chunk(chunk)? {
            self.number_new();
            self.join(chunk);
            if !chunk.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn tells_writes(&self) -> bool {
        self.reader.tells_writes()
    }

    fn distinct_pages_hint(&self) -> Option<u32> {
        self.reader.distinct_pages_hint()
    }

    fn request_counts(&self) -> Option<RequestCounts> {
        self.reader.request_counts()
    }

    fn position(&self) -> (u64, u64) {
        self.reader.position()
    }
}

impl TraceSource for Joined {
    fn summary(&self) -> TraceSummary {
        TraceSummary {
            accesses: self.accesses,
            write_accesses: self.write_accesses,
            distinct_pages: u64::from(self.distinct_pages),
            page_bytes: self.page_bytes(),
            ..self.reader.summary()
        }
    }
}
