//! Page accesses as the replay engine sees them: dense page numbers in columnar chunks.

use crate::error::{Error, Result};
use crate::profile::requests::{RequestCounts, Requests};
use crate::wording::counted;

/// Bit of [`Chunk::flags`]: the access writes its page.
pub const WRITE: u8 = 1;
/// Bit of [`Chunk::flags`]: the access is the first one of its trace request.
pub const FIRST_OF_REQUEST: u8 = 2;

/// Accesses per chunk that a source aims for: columns of one chunk stay in the L2 cache.
pub const CHUNK_ACCESSES: usize = 1 << 16;

/// A run of consecutive accesses, one entry per access in each column.
///
/// Page numbers are dense: the first access to a page that was never seen gets the next number,
/// so a page table is an array and a replay never hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chunk {
    /// Dense page number of each access.
    pub pages: Vec<u32>,
    /// [`WRITE`] and [`FIRST_OF_REQUEST`] bits of each access.
    pub flags: Vec<u8>,
    /// Nanoseconds since the first request of the trace; empty if the trace has no time or
    /// the source was opened without.
    pub times_ns: Vec<i64>,
    /// Accesses at the head of this chunk that only warm up: a replay does not count them.
    pub warm_up: usize,
}

impl Chunk {
    /// Empties all columns, keeping their memory.
    pub fn clear(&mut self) {
        self.pages.clear();
        self.flags.clear();
        self.times_ns.clear();
        self.warm_up = 0;
    }

    /// Number of accesses.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether the chunk holds no access.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }
}

/// Anything that yields the accesses of one trace in order: a canonical trace, a raw trace being
/// normalised on the fly, or a vector in a test.
pub trait AccessSource {
    /// Replaces the content of `chunk` by the next accesses. `false` (and an empty chunk) at the end.
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool>;

    /// Distinct pages of the whole trace, if known up front (canonical traces).
    fn distinct_pages_known(&self) -> Option<u32> {
        None
    }

    /// The same, or more where it is not known exactly, for sizing arrays.
    fn distinct_pages_hint(&self) -> Option<u32> {
        self.distinct_pages_known()
    }

    /// File name of the trace, for messages; `None` if it is no file.
    fn file_name(&self) -> Option<&str> {
        None
    }

    /// Size of a page, which is what an access touches; `None` where the source does not say. [bytes]
    fn page_bytes(&self) -> Option<u64> {
        None
    }

    /// Whether the trace tells writes from reads. Where it does not, all accesses are reads.
    fn tells_writes(&self) -> bool {
        true
    }

    /// Asks for [`Self::addresses`]; before the first chunk.
    fn keep_addresses(&mut self) {}

    /// Device number and page address of each access of the last chunk; empty unless asked for.
    fn addresses(&self) -> (&[u32], &[u64]) {
        (&[], &[])
    }

    /// What the trace says of its requests before they were split into pages; complete after the last
    /// chunk. `None` where it does not say.
    fn request_counts(&self) -> Option<RequestCounts> {
        None
    }

    /// The same of a part of a trace, to be joined with those of its neighbours; `None` unless asked for.
    fn part_requests(&self) -> Option<Requests> {
        None
    }

    /// Records read so far; `None` where the source holds accesses and no records.
    fn requests_read(&self) -> Option<u64> {
        None
    }

    /// Names of the devices or relations by their numbers, as far as they are known.
    fn space_names(&self) -> &[String] {
        &[]
    }

    /// Input bytes consumed so far and in total (0 if unknown), for progress.
    fn position(&self) -> (u64, u64) {
        (0, 0)
    }

    /// Whether each replay warms up until its cache is full, instead of by [`Chunk::warm_up`].
    fn warms_up_until_full(&self) -> bool {
        false
    }
}

/// What of a trace only warms up the caches of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmUpAsked {
    /// So many accesses at its head; they must leave some to count.
    Accesses(u64),
    /// What comes before the cache of the replay is full for the first time: its flash, or its RAM where it has
    /// no flash. So each configuration has its own.
    UntilFull,
}

/// Name of the parameter in errors.
pub(crate) const WARM_UP: &str = "warm-up";

/// How many accesses at the head of a trace only warm up, and how far a source has come in them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WarmUp {
    asked: u64,
    until_full: bool,
    seen: u64,
}

impl WarmUp {
    pub(crate) fn new(asked: WarmUpAsked) -> Self {
        let (asked, until_full) = match asked {
            WarmUpAsked::Accesses(accesses) => (accesses, false),
            WarmUpAsked::UntilFull => (0, true),
        };
        Self {
            asked,
            until_full,
            seen: 0,
        }
    }

    pub(crate) fn is_until_full(self) -> bool {
        self.until_full
    }

    /// Says of the next chunk how much of it warms up.
    pub(crate) fn mark(&mut self, chunk: &mut Chunk) {
        let left = self.asked.saturating_sub(self.seen);
        chunk.warm_up = usize::try_from(left).map_or(chunk.len(), |left| left.min(chunk.len()));
        self.seen += chunk.len() as u64;
    }

    /// Refuses a warm-up that leaves none of the `accesses` of a whole trace to count.
    pub(crate) fn check(self, accesses: u64) -> Result<()> {
        if self.asked == 0 || self.asked < accesses {
            return Ok(());
        }
        Err(Error::BadParameter {
            name: WARM_UP,
            value: self.asked.to_string(),
            message: format!(
                "the trace has {}, so no access is left to count",
                counted(accesses, "access", "accesses")
            ),
            hint: "use fewer accesses than the trace has, such as 50%".to_owned(),
        })
    }

    /// The same at the end of the trace.
    pub(crate) fn check_end(self) -> Result<()> {
        self.check(self.seen)
    }
}

/// Accesses held in memory, for tests and short traces.
#[derive(Debug, Clone)]
pub struct MemorySource {
    accesses: Chunk,
    ids: Vec<u64>,
    spaces: Vec<u32>,
    /// The accesses of the last chunk.
    last: std::ops::Range<usize>,
    next: usize,
    chunk_accesses: usize,
    distinct_pages: u32,
    tells_writes: bool,
    warm_up: WarmUp,
}

impl MemorySource {
    /// Numbers arbitrary page ids densely, in order of first appearance.
    pub fn new(accesses: impl IntoIterator<Item = (u64, bool)>) -> Self {
        let mut numbers = crate::hash::FastMap::<u64, u32>::default();
        let mut all = Chunk::default();
        let mut distinct_pages = 0_u32;
        let mut ids = Vec::new();
        for (page, write) in accesses {
            ids.push(page);
            let number = *numbers.entry(page).or_insert_with(|| {
                distinct_pages += 1;
                distinct_pages - 1
            });
            all.pages.push(number);
            all.flags
                .push(FIRST_OF_REQUEST | if write { WRITE } else { 0 });
        }
        Self {
            spaces: vec![0; ids.len()],
            ids,
            last: 0..0,
            accesses: all,
            next: 0,
            chunk_accesses: CHUNK_ACCESSES,
            distinct_pages,
            tells_writes: true,
            warm_up: WarmUp::default(),
        }
    }

    /// As from a format that does not tell writes from reads.
    #[must_use]
    pub fn without_writes(mut self) -> Self {
        self.accesses.flags.fill(FIRST_OF_REQUEST);
        self.tells_writes = false;
        self
    }

    /// Yields chunks of `chunk_accesses`, so that tests can put chunk borders anywhere.
    #[must_use]
    pub fn with_chunk_accesses(mut self, chunk_accesses: usize) -> Self {
        self.chunk_accesses = chunk_accesses.max(1);
        self
    }

    /// Lets the first `accesses` only warm up.
    #[must_use]
    pub fn with_warm_up(mut self, accesses: u64) -> Self {
        self.warm_up = WarmUp::new(WarmUpAsked::Accesses(accesses));
        self
    }

    /// Lets each replay warm up until its cache is full.
    #[must_use]
    pub fn warming_up_until_full(mut self) -> Self {
        self.warm_up = WarmUp::new(WarmUpAsked::UntilFull);
        self
    }

    /// Puts each page into the space that `space_of` gives for its id.
    #[must_use]
    pub fn with_spaces(mut self, space_of: impl Fn(u64) -> u32) -> Self {
        self.spaces = self.ids.iter().map(|&id| space_of(id)).collect();
        self
    }
}

impl AccessSource for MemorySource {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        chunk.clear();
        let end = (self.next + self.chunk_accesses).min(self.accesses.len());
        chunk
            .pages
            .extend_from_slice(&self.accesses.pages[self.next..end]);
        chunk
            .flags
            .extend_from_slice(&self.accesses.flags[self.next..end]);
        self.last = self.next..end;
        self.next = end;
        self.warm_up.mark(chunk);
        if chunk.is_empty() {
            self.warm_up.check_end()?;
        }
        Ok(!chunk.is_empty())
    }

    fn distinct_pages_known(&self) -> Option<u32> {
        Some(self.distinct_pages)
    }

    fn tells_writes(&self) -> bool {
        self.tells_writes
    }

    fn addresses(&self) -> (&[u32], &[u64]) {
        (
            &self.spaces[self.last.clone()],
            &self.ids[self.last.clone()],
        )
    }

    fn position(&self) -> (u64, u64) {
        (self.next as u64, self.accesses.len() as u64)
    }

    fn warms_up_until_full(&self) -> bool {
        self.warm_up.is_until_full()
    }
}
