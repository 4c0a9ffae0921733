//! The next access to each page, for policies that need the future.
//!
//! ```text
//! pass 1, forward over the source:  set the pages and flags of each chunk aside
//! pass 2, backward over the chunks: next access = place at which the page was seen last
//! pass 3, forward over the chunks:  the replay
//! ```
//!
//! The source is read once, whatever it is: a raw trace, a canonical one, or a pipe behind either.
//! Nine bytes an access are set aside, 17 where the replay asks for times, [`KEPT_BYTES`] of them in memory and the rest in a temporary
//! file without a name, which the system frees when the replay ends in any way. Besides there is one
//! entry for each distinct page.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use super::distinct_pages;
use crate::access::{AccessSource, Chunk};
use crate::error::{Error, Result};
use crate::progress::{OnProgress, Progress};

/// Next access of a page that is never accessed again.
pub(crate) const NEVER: u32 = u32::MAX;
/// Most accesses whose places are less than [`NEVER`].
const MOST_ACCESSES: u64 = u32::MAX as u64;
/// Bytes set aside in memory before a file is used: those of 29 million accesses.
pub(crate) const KEPT_BYTES: usize = 256 << 20;
/// Bytes set aside for one access: page, next access, flags.
const ACCESS_BYTES: usize = 9;
/// The same of its time, if that is kept.
const TIME_BYTES: usize = 8;

/// One chunk that was set aside in memory.
#[derive(Debug)]
struct Kept {
    pages: Vec<u32>,
    next_accesses: Vec<u32>,
    flags: Vec<u8>,
    times_ns: Vec<i64>,
    warm_up: usize,
}

/// Where one chunk was written to the file.
#[derive(Debug, Clone, Copy)]
struct Written {
    at: u64,
    accesses: usize,
    timed: bool,
    warm_up: usize,
}

impl Written {
    fn end(self) -> u64 {
        self.at + (self.accesses * access_bytes(self.timed)) as u64
    }

    /// Where the times begin, behind pages, next accesses and flags.
    fn times_at(self) -> u64 {
        self.at + (self.accesses * ACCESS_BYTES) as u64
    }
}

fn access_bytes(timed: bool) -> usize {
    ACCESS_BYTES + if timed { TIME_BYTES } else { 0 }
}

/// All accesses of a source, each with the place of the next access to its page.
#[derive(Debug)]
pub(crate) struct Future {
    kept: Vec<Kept>,
    written: Vec<Written>,
    file: Option<File>,
    bytes: Vec<u8>,
    next_chunk: usize,
    accesses: u64,
    total_bytes: u64,
}

impl Future {
    /// Reads `source` to its end.
    pub(crate) fn read(source: &mut dyn AccessSource, on_progress: OnProgress<'_>) -> Result<Self> {
        Self::read_keeping(source, KEPT_BYTES, false, on_progress)
    }

    /// The same with the times of accesses, where `source` gives them.
    pub(crate) fn read_timed(
        source: &mut dyn AccessSource,
        on_progress: OnProgress<'_>,
    ) -> Result<Self> {
        Self::read_keeping(source, KEPT_BYTES, true, on_progress)
    }

    fn read_keeping(
        source: &mut dyn AccessSource,
        kept_bytes: usize,
        keep_times: bool,
        on_progress: OnProgress<'_>,
    ) -> Result<Self> {
        let mut future = Self {
            kept: Vec::new(),
            written: Vec::new(),
            file: None,
            bytes: Vec::new(),
            next_chunk: 0,
            accesses: 0,
            total_bytes: 0,
        };
        let mut chunk = Chunk::default();
        let mut distinct = 0;
        let mut at = 0;
        while source.next_chunk(&mut chunk)? {
            distinct = distinct_pages(&chunk, distinct)?;
            future.accesses += chunk.len() as u64;
            if future.accesses > MOST_ACCESSES {
                return Err(Error::BadParameter {
                    name: "trace",
                    value: future.accesses.to_string(),
                    message: format!(
                        "a policy that needs the future handles at most {MOST_ACCESSES} accesses"
                    ),
                    hint: "shorten the trace, or choose a policy that does not need the future"
                        .to_owned(),
                });
            }
            let (done, total) = source.position();
            future.total_bytes = total;
            if !keep_times {
                chunk.times_ns.clear();
            } else if !matches!(chunk.times_ns.len(), length if length == 0 || length == chunk.len())
            {
                return Err(super::disagreement("trace source", "pages without a time"));
            }
            at += chunk.len() * access_bytes(!chunk.times_ns.is_empty());
            if future.file.is_none() && at <= kept_bytes {
                future.kept.push(Kept {
                    pages: chunk.pages.clone(),
                    next_accesses: Vec::new(),
                    flags: chunk.flags.clone(),
                    times_ns: chunk.times_ns.clone(),
                    warm_up: chunk.warm_up,
                });
            } else {
                future.write_chunk(&chunk)?;
            }
            if !on_progress(Progress {
                done: done / 2,
                total,
                accesses: 0,
                requests: None,
            }) {
                return Err(Error::Cancelled);
            }
        }
        future.look_back(distinct, on_progress)?;
        Ok(future)
    }

    /// Fills in the next accesses, from the last chunk to the first.
    fn look_back(&mut self, distinct: usize, on_progress: OnProgress<'_>) -> Result<()> {
        let mut seen = vec![NEVER; distinct];
        let mut place = self.accesses;
        let mut pages = Vec::new();
        let mut next_accesses = Vec::new();
        let half = Progress {
            done: self.total_bytes / 2,
            total: self.total_bytes,
            accesses: 0,
            requests: None,
        };
        for index in (0..self.written.len()).rev() {
            let written = self.written[index];
            self.read_numbers(written.at, written.accesses, &mut pages)?;
            look_back_over(&pages, &mut next_accesses, &mut seen, &mut place);
            self.write_numbers(written.at + 4 * written.accesses as u64, &next_accesses)?;
            if !on_progress(half) {
                return Err(Error::Cancelled);
            }
        }
        for kept in self.kept.iter_mut().rev() {
            look_back_over(&kept.pages, &mut kept.next_accesses, &mut seen, &mut place);
            if !on_progress(half) {
                return Err(Error::Cancelled);
            }
        }
        Ok(())
    }

    /// Replaces `chunk` and `next_accesses` by the next chunk; `false` at the end.
    pub(crate) fn next_chunk(
        &mut self,
        chunk: &mut Chunk,
        next_accesses: &mut Vec<u32>,
    ) -> Result<bool> {
        chunk.clear();
        next_accesses.clear();
        let index = self.next_chunk;
        self.next_chunk += 1;
        if let Some(kept) = self.kept.get_mut(index) {
            // Memory of chunks behind the replay is given back.
            std::mem::swap(&mut chunk.pages, &mut kept.pages);
            std::mem::swap(&mut chunk.flags, &mut kept.flags);
            std::mem::swap(&mut chunk.times_ns, &mut kept.times_ns);
            std::mem::swap(next_accesses, &mut kept.next_accesses);
            chunk.warm_up = kept.warm_up;
            *kept = Kept {
                pages: Vec::new(),
                next_accesses: Vec::new(),
                flags: Vec::new(),
                times_ns: Vec::new(),
                warm_up: 0,
            };
            return Ok(true);
        }
        let Some(&written) = self.written.get(index - self.kept.len()) else {
            return Ok(false);
        };
        let Written {
            at,
            accesses,
            timed,
            warm_up,
        } = written;
        chunk.warm_up = warm_up;
        self.read_numbers(at, accesses, &mut chunk.pages)?;
        self.read_numbers(at + 4 * accesses as u64, accesses, next_accesses)?;
        self.read_bytes(at + 8 * accesses as u64, accesses)?;
        chunk.flags.extend_from_slice(&self.bytes);
        if timed {
            self.read_bytes(written.times_at(), TIME_BYTES * accesses)?;
            let words = self.bytes.as_chunks().0.iter().copied();
            chunk.times_ns.extend(words.map(i64::from_le_bytes));
        }
        Ok(true)
    }

    /// Progress of the replay, after `accesses` of it: the second half of the bytes.
    pub(crate) fn progress(&self, accesses: u64) -> Progress {
        let half = u128::from(self.total_bytes / 2);
        let rest = u128::from(self.total_bytes) - half;
        let done = half + rest * u128::from(accesses) / u128::from(self.accesses.max(1));
        Progress {
            done: u64::try_from(done).unwrap_or(self.total_bytes),
            total: self.total_bytes,
            accesses,
            requests: None,
        }
    }

    fn write_chunk(&mut self, chunk: &Chunk) -> Result<()> {
        let at = self.written.last().map_or(0, |last| last.end());
        let written = Written {
            at,
            accesses: chunk.len(),
            timed: !chunk.times_ns.is_empty(),
            warm_up: chunk.warm_up,
        };
        self.written.push(written);
        self.write_numbers(at, &chunk.pages)?;
        self.bytes.clear();
        self.bytes.extend_from_slice(&chunk.flags);
        self.write_bytes(at + 8 * chunk.len() as u64)?;
        self.bytes.clear();
        let times = chunk.times_ns.iter();
        self.bytes.extend(times.flat_map(|time| time.to_le_bytes()));
        self.write_bytes(written.times_at())
    }

    fn write_numbers(&mut self, at: u64, numbers: &[u32]) -> Result<()> {
        self.bytes.clear();
        self.bytes
            .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self.write_bytes(at)
    }

    /// Writes what is in `bytes`.
    fn write_bytes(&mut self, at: u64) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile().map_err(|error| failed("create", error))?),
        };
        file.seek(SeekFrom::Start(at))
            .and_then(|_| file.write_all(&self.bytes))
            .map_err(|error| failed("write", error))
    }

    /// Reads `length` bytes into `bytes`.
    fn read_bytes(&mut self, at: u64, length: usize) -> Result<()> {
        self.bytes.resize(length, 0);
        match &mut self.file {
            Some(file) => file
                .seek(SeekFrom::Start(at))
                .and_then(|_| file.read_exact(&mut self.bytes))
                .map_err(|error| failed("read", error)),
            None => Err(super::disagreement("future", "chunks but no file")),
        }
    }

    fn read_numbers(&mut self, at: u64, count: usize, numbers: &mut Vec<u32>) -> Result<()> {
        self.read_bytes(at, 4 * count)?;
        let words = self.bytes.as_chunks().0.iter().copied();
        numbers.clear();
        numbers.extend(words.map(u32::from_le_bytes));
        Ok(())
    }
}

/// The next accesses of a run of pages that ends before `place`, where `seen` has the place at which each page
/// is seen next.
#[expect(clippy::cast_possible_truncation, reason = "checked: places are u32")]
fn look_back_over(pages: &[u32], next_accesses: &mut Vec<u32>, seen: &mut [u32], place: &mut u64) {
    next_accesses.clear();
    next_accesses.resize(pages.len(), NEVER);
    for (&page, next_access) in pages.iter().zip(next_accesses).rev() {
        *place -= 1;
        *next_access = std::mem::replace(&mut seen[page as usize], *place as u32);
    }
}

fn failed(action: &'static str, source: std::io::Error) -> Error {
    Error::Io {
        action,
        path: std::env::temp_dir().join("(unnamed temporary file for the future of a trace)"),
        source,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::access::MemorySource;

    /// A trace whose accesses have times, some before the epoch.
    struct Timed {
        source: MemorySource,
        accesses: i64,
    }

    impl AccessSource for Timed {
        fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
            let more = self.source.next_chunk(chunk)?;
            for _ in 0..chunk.len() {
                self.accesses += 1;
                chunk.times_ns.push(self.accesses * 1_000_000_007 - 5);
            }
            Ok(more)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_access_knows_the_next_one_to_its_page(
            accesses in prop::collection::vec((0_u64..30, any::<bool>()), 0..400),
            chunk_accesses in 1_usize..100,
            kept_bytes in prop_oneof![Just(0), 0_usize..4000, Just(KEPT_BYTES)],
            keep_times: bool,
        ) {
            let source = || Timed {
                source: MemorySource::new(accesses.iter().copied()).with_chunk_accesses(chunk_accesses),
                accesses: 0,
            };
            let mut all = Chunk::default();
            let mut given = source();
            let mut chunk = Chunk::default();
            while given.next_chunk(&mut chunk).unwrap() {
                all.pages.extend_from_slice(&chunk.pages);
                all.flags.extend_from_slice(&chunk.flags);
                if keep_times {
                    all.times_ns.extend_from_slice(&chunk.times_ns);
                }
            }
            let mut future =
                Future::read_keeping(&mut source(), kept_bytes, keep_times, &mut |_| true).unwrap();
            let mut found = Chunk::default();
            let (mut found_next, mut next_accesses) = (Vec::new(), Vec::new());
            while future.next_chunk(&mut chunk, &mut next_accesses).unwrap() {
                found.pages.extend_from_slice(&chunk.pages);
                found.flags.extend_from_slice(&chunk.flags);
                found.times_ns.extend_from_slice(&chunk.times_ns);
                found_next.extend_from_slice(&next_accesses);
            }
            prop_assert_eq!(&found, &all);
            for (place, &page) in all.pages.iter().enumerate() {
                let next = all.pages[place + 1..].iter().position(|&other| other == page);
                let expected = next.map_or(NEVER, |gap| u32::try_from(place + 1 + gap).unwrap());
                prop_assert_eq!(found_next[place], expected);
            }
        }
    }
}
