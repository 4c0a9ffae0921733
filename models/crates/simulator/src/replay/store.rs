//! The flash device that holds the data of a single tier: what the tier writes back is written to it.
//!
//! Its logical pages are the distinct pages of the trace, numbered in the order of their first accesses, as the
//! replay numbers them. All data are on it from the start: before the first write-back every page is written once, in
//! that order, which is not counted. No page is ever dropped, so there is nothing to trim.
//!
//! How many pages the data have is known only once the trace has ended, and a device of another size collects
//! otherwise. Nothing that a tier does depends on the device, so its write-backs are set aside, four bytes each,
//! and the device serves them afterwards: the second half of the progress. Where the trace says at its head how many
//! pages it has, a device that could not work with them is refused before the replay; where it does not, one with
//! more blocks than can be simulated is refused as soon as so many pages were seen.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};

use super::settings::{Setting, Settings, Values, refuse_twice, spelled, unknown_option};
use super::translation::{
    self, Asked, BLOCK, BUFFER, CHOICES, FTL_SPARE, GC, MAPPING, MOST_SPARE, SEED, TRIM, Under,
};
use super::{Totals, disagreement, distinct_pages};
use crate::access::{AccessSource, Chunk};
use crate::error::{Error, Result};
use crate::ftl::FtlResult;
use crate::progress::{OnProgress, Progress};

/// Before the names of the device's options.
const PREFIX: &str = "ftl_";
/// Bytes of write-backs set aside in memory before a file is used.
pub(crate) const KEPT_BYTES: usize = 256 << 20;
/// The same as a number of them.
const KEPT: usize = KEPT_BYTES / size_of::<u32>();
/// Pages that the device writes between two reports of progress.
const BETWEEN_REPORTS: u32 = 1 << 16;

/// Options of a policy or buffer whose data can lie on a device.
pub(crate) const OPTIONS: &[Setting] = &[
    Setting {
        name: FTL_SPARE,
        description: "Spare space of a flash device that holds the data and takes all write-backs, in percent of the distinct pages of the trace: its WAF, erases and wear are counted. 0: no device.",
        default: "0",
        values: Values::Whole {
            least: 0,
            most: MOST_SPARE,
        },
    },
    BLOCK,
    GC,
    CHOICES,
    SEED,
    BUFFER,
    MAPPING,
];

/// Whether an option is one of a device.
pub(crate) fn is_of_device(option: &str) -> bool {
    spelled(option).starts_with(PREFIX)
}

/// Options by name, as given.
type Given = Vec<(String, String)>;

/// The options in `given` that are not of a device, and the device that the others describe, if any.
///
/// # Errors
/// [`Error::BadParameter`] for an option that a device does not have or take, or that has no effect.
pub(crate) fn asked(owner: &str, given: &[(String, String)]) -> Result<(Given, Option<Asked>)> {
    let (device, own): (Vec<_>, Vec<_>) = given
        .iter()
        .cloned()
        .partition(|(key, _)| is_of_device(key));
    if device.is_empty() {
        return Ok((own, None));
    }
    refuse_twice(&device)?;
    let owner = format!("the device under `{owner}`");
    let mut settings = Settings::defaults(OPTIONS);
    for (key, text) in &device {
        let name = spelled(key);
        if name == TRIM.name {
            return Err(Error::BadParameter {
                name: "option",
                value: format!("{key}={text}"),
                message: format!(
                    "{owner} holds every page of the data for good, so no page is dropped that could be trimmed"
                ),
                hint: "leave it out, or put the device under a flash cache or a page-flow scheme"
                    .to_owned(),
            });
        }
        let place = OPTIONS.iter().position(|option| option.name == name);
        let place = place.ok_or_else(|| unknown_option(key, &owner, "", OPTIONS))?;
        settings.set(place, key, text, &owner)?;
    }
    Ok((own, translation::described(&settings)?))
}

/// Where the write-backs of a single tier go.
pub(crate) trait Store: Default {
    /// What is asked of the device.
    type Asked;
    /// A dirty page leaves the tier.
    fn write_back(&mut self, page: u32);
    /// The warm-up has ended: what was written before does not count.
    fn warmed_up(&mut self);
    /// Replays `source`, whose data lie here.
    ///
    /// # Errors
    /// Whatever `replay` reports, and [`Error::BadParameter`] for a device that could not work.
    fn below<T>(
        asked: &Self::Asked,
        source: &mut dyn AccessSource,
        on_progress: OnProgress<'_>,
        replay: impl FnOnce(&mut dyn AccessSource, OnProgress<'_>) -> Result<T>,
    ) -> Result<T>;
    /// What a device did that holds the pages of a trace, whose `source` was replayed.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a device that could not work or does not take the writes, [`Error::Cancelled`], and
    /// [`Error::Io`].
    fn served(
        self,
        asked: Self::Asked,
        totals: &Totals,
        source: &dyn AccessSource,
        on_progress: OnProgress<'_>,
    ) -> Result<Option<FtlResult>>;
}

/// Anywhere: write-backs are only counted.
impl Store for () {
    type Asked = ();

    #[inline]
    fn write_back(&mut self, _page: u32) {}

    fn warmed_up(&mut self) {}

    fn below<T>(
        (): &(),
        source: &mut dyn AccessSource,
        on_progress: OnProgress<'_>,
        replay: impl FnOnce(&mut dyn AccessSource, OnProgress<'_>) -> Result<T>,
    ) -> Result<T> {
        replay(source, on_progress)
    }

    fn served(
        self,
        (): (),
        _totals: &Totals,
        _source: &dyn AccessSource,
        _on_progress: OnProgress<'_>,
    ) -> Result<Option<FtlResult>> {
        Ok(None)
    }
}

/// A source that ends with an error once it has more pages than any device asked for can have.
struct Fitting<'a> {
    source: &'a mut dyn AccessSource,
    asked: &'a Asked,
    distinct_pages: usize,
}

impl AccessSource for Fitting<'_> {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let more = self.source.next_chunk(chunk)?;
        let before = self.distinct_pages;
        self.distinct_pages = distinct_pages(chunk, before)?;
        if self.distinct_pages > before {
            self.asked
                .settings(page_count(self.distinct_pages)?)
                .check_size()?;
        }
        Ok(more)
    }

    fn distinct_pages_known(&self) -> Option<u32> {
        self.source.distinct_pages_known()
    }

    fn distinct_pages_hint(&self) -> Option<u32> {
        self.source.distinct_pages_hint()
    }

    fn file_name(&self) -> Option<&str> {
        self.source.file_name()
    }

    fn page_bytes(&self) -> Option<u64> {
        self.source.page_bytes()
    }

    fn tells_writes(&self) -> bool {
        self.source.tells_writes()
    }

    fn keep_addresses(&mut self) {
        self.source.keep_addresses();
    }

    fn addresses(&self) -> (&[u32], &[u64]) {
        self.source.addresses()
    }

    fn requests_read(&self) -> Option<u64> {
        self.source.requests_read()
    }

    fn space_names(&self) -> &[String] {
        self.source.space_names()
    }

    fn position(&self) -> (u64, u64) {
        self.source.position()
    }

    fn warms_up_until_full(&self) -> bool {
        self.source.warms_up_until_full()
    }
}

/// Pages as a device numbers them.
fn page_count(distinct_pages: usize) -> Result<u32> {
    u32::try_from(distinct_pages)
        .map_err(|_| disagreement("device", "more pages than page numbers"))
}

/// A device that serves write-backs, and how far it is.
struct Serving<'progress> {
    device: Under,
    /// Write-backs that do not count.
    warm_up: u64,
    write_backs: u64,
    /// Pages to write in all, the data that are there from the start included.
    pages: u64,
    /// Of the replay; its bytes stand for half of the work.
    replayed: Progress,
    on_progress: OnProgress<'progress>,
}

impl Serving<'_> {
    /// Writes all pages of the data.
    fn fill(&mut self, pages: u32) -> Result<()> {
        let mut first = 0;
        while first < pages {
            let run = (pages - first).min(BETWEEN_REPORTS);
            self.device.write(first, run, 0);
            first += run;
            self.report(first.into())?;
        }
        Ok(())
    }

    /// Serves write-backs, at most [`BETWEEN_REPORTS`].
    fn serve(&mut self, filled: u32, pages: impl Iterator<Item = u32>) -> Result<()> {
        for page in pages {
            if self.write_backs == self.warm_up {
                self.device.restart_counters();
            }
            self.device.write(page, 1, 0);
            self.write_backs += 1;
        }
        self.report(u64::from(filled) + self.write_backs)
    }

    fn report(&mut self, written: u64) -> Result<()> {
        let total = self.replayed.total;
        let half = u128::from(total / 2);
        let rest = u128::from(total) - half;
        let done = half + rest * u128::from(written) / u128::from(self.pages.max(1));
        let progress = Progress {
            // Of a trace whose size nobody knows, nobody knows how much is done.
            done: if total == 0 {
                self.replayed.done
            } else {
                u64::try_from(done).unwrap_or(total)
            },
            ..self.replayed
        };
        if (self.on_progress)(progress) {
            Ok(())
        } else {
            Err(Error::Cancelled)
        }
    }
}

/// A device, which serves the write-backs once the trace has ended.
#[derive(Debug, Default)]
pub(crate) struct OnDevice {
    /// The last pages written, at most [`KEPT`].
    kept: Vec<u32>,
    /// Those before them.
    file: Option<File>,
    in_file: u64,
    /// Pages written when the warm-up ended.
    warm_up: u64,
    failed: Option<Error>,
}

impl OnDevice {
    /// Moves what is kept to the file.
    #[cold]
    fn spill(&mut self) {
        if self.failed.is_none()
            && let Err(error) = self.write_kept()
        {
            self.failed = Some(error);
        }
        self.kept.clear();
    }

    fn write_kept(&mut self) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile().map_err(|error| failed("create", error))?),
        };
        for pages in self.kept.chunks(1 << 16) {
            let bytes: Vec<u8> = pages.iter().flat_map(|page| page.to_le_bytes()).collect();
            file.write_all(&bytes)
                .map_err(|error| failed("write", error))?;
        }
        self.in_file += self.kept.len() as u64;
        Ok(())
    }
}

impl Store for OnDevice {
    type Asked = Asked;

    #[inline]
    fn write_back(&mut self, page: u32) {
        if self.kept.len() == KEPT {
            self.spill();
        }
        self.kept.push(page);
    }

    fn warmed_up(&mut self) {
        self.warm_up = self.in_file + self.kept.len() as u64;
    }

    fn below<T>(
        asked: &Asked,
        source: &mut dyn AccessSource,
        on_progress: OnProgress<'_>,
        replay: impl FnOnce(&mut dyn AccessSource, OnProgress<'_>) -> Result<T>,
    ) -> Result<T> {
        if let Some(pages) = source.distinct_pages_known()
            && pages > 0
        {
            asked.settings(pages).checked()?;
        }
        let mut source = Fitting {
            source,
            asked,
            distinct_pages: 0,
        };
        replay(&mut source, &mut |progress| {
            let done = if progress.total == 0 {
                progress.done
            } else {
                progress.done / 2
            };
            on_progress(Progress { done, ..progress })
        })
    }

    fn served(
        self,
        asked: Asked,
        totals: &Totals,
        source: &dyn AccessSource,
        on_progress: OnProgress<'_>,
    ) -> Result<Option<FtlResult>> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        // A trace without accesses has no data.
        if totals.distinct_pages == 0 {
            return Ok(None);
        }
        let pages = page_count(totals.distinct_pages)?;
        let (done, total) = source.position();
        let mut serving = Serving {
            device: Under::new(pages, asked)?,
            warm_up: self.warm_up,
            write_backs: 0,
            pages: u64::from(pages) + self.in_file + self.kept.len() as u64,
            replayed: Progress {
                done,
                total,
                accesses: totals.accesses,
                requests: source.requests_read(),
            },
            on_progress,
        };
        serving.fill(pages)?;
        if let Some(mut file) = self.file {
            file.seek(SeekFrom::Start(0))
                .map_err(|error| failed("read", error))?;
            let mut bytes = Vec::new();
            let mut left = self.in_file;
            while left > 0 {
                let run = left.min(BETWEEN_REPORTS.into());
                left -= run;
                bytes.clear();
                let read = (&mut file).take(4 * run).read_to_end(&mut bytes);
                let read = read.map_err(|error| failed("read", error))?;
                if read as u64 != 4 * run {
                    return Err(failed("read", ErrorKind::UnexpectedEof.into()));
                }
                let words = bytes.as_chunks().0.iter().copied();
                serving.serve(pages, words.map(u32::from_le_bytes))?;
            }
        }
        for run in self.kept.chunks(BETWEEN_REPORTS as usize) {
            serving.serve(pages, run.iter().copied())?;
        }
        if serving.write_backs == serving.warm_up {
            serving.device.restart_counters();
        }
        serving.device.result().map(Some)
    }
}

fn failed(action: &'static str, source: std::io::Error) -> Error {
    Error::Io {
        action,
        path: std::env::temp_dir().join("(unnamed temporary file for the write-backs to a device)"),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::MemorySource;

    fn served(spills: &[usize], warm_up: usize) -> FtlResult {
        let options = [("ftl_spare_percent", "50"), ("ftl_block_pages", "4")];
        let options = options.map(|(key, text)| (key.to_owned(), text.to_owned()));
        let (own, asked) = super::asked("lru", &options).expect("a device");
        assert!(own.is_empty());
        let mut store = OnDevice::default();
        for write in 0..2000_usize {
            if write == warm_up {
                store.warmed_up();
            }
            if spills.contains(&write) {
                store.spill();
            }
            store.write_back(u32::try_from(write * write * 7 % 97).expect("small"));
        }
        let totals = Totals {
            distinct_pages: 97,
            ..Totals::default()
        };
        let source = MemorySource::new([]);
        let found = store.served(asked.expect("asked for"), &totals, &source, &mut |_| true);
        found.expect("it works").expect("there is one")
    }

    /// Only new pages, 1024 a chunk, without a word on how many there are.
    struct NewPages {
        given: u32,
    }

    impl AccessSource for NewPages {
        fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
            chunk.clear();
            chunk.pages.extend(self.given..self.given + 1024);
            chunk.flags.resize(1024, 0);
            self.given += 1024;
            Ok(true)
        }
    }

    #[test]
    fn more_pages_than_a_device_can_have_are_refused_when_they_are_seen() {
        // 11 blocks for each page, of 64 slots at least.
        let options = [("ftl_spare_percent", "1000"), ("ftl_block_pages", "1")];
        let options = options.map(|(key, text)| (key.to_owned(), text.to_owned()));
        let (_, asked) = super::asked("lru", &options).expect("a device");
        let asked = asked.expect("asked for");
        let most = u32::try_from(u64::from(u32::MAX - 1) / (11 * 64)).expect("fewer");
        assert!(asked.settings(most).check_size().is_ok());
        let mut source = NewPages { given: 0 };
        let found = OnDevice::below(&asked, &mut source, &mut |_| true, |source, _| {
            let mut chunk = Chunk::default();
            while source.next_chunk(&mut chunk)? {}
            Ok(())
        });
        let text = found.expect_err("too many").to_string();
        assert!(text.contains("too many with 1 page in each"), "{text}");
        assert!((most..most + 1024).contains(&(source.given - 1)));
    }

    #[test]
    fn what_is_written_to_the_file_is_served_like_what_is_kept() {
        let kept = served(&[], 300);
        assert_eq!(kept.host_writes, 1700);
        assert!(kept.moved > 0);
        assert_eq!(served(&[1], 300), kept);
        assert_eq!(served(&[100, 1500], 300), kept);
        assert_ne!(served(&[], 0).erases, kept.erases);
    }
}
