//! The flash device that holds the data of a single tier: what the tier writes back is written to it.
//!
//! Its logical pages are the distinct pages of the trace, numbered in the order of their first accesses, as the
//! replay numbers them. All data are on it from the start: before the first write-back every page is written once, in
//! that order, which is not counted. No page is ever dropped, so there is nothing to trim.
//!
//! How many pages the data have is known only once the trace has ended, and a device of another size collects
//! otherwise. Nothing that a tier does depends on the device, so its write-backs are set aside, four bytes each,
//! and the device serves them afterwards.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom, Write as _};

use super::disagreement;
use super::settings::{Setting, Settings, Values, refuse_twice, spelled, unknown_option};
use super::translation::{
    self, Asked, BLOCK, BUFFER, CHOICES, FTL_SPARE, GC, MAPPING, MOST_SPARE, SEED, TRIM, Under,
};
use crate::error::{Error, Result};
use crate::ftl::FtlResult;

/// Before the names of the device's options.
const PREFIX: &str = "ftl_";
/// Bytes of write-backs set aside in memory before a file is used.
pub(crate) const KEPT_BYTES: usize = 256 << 20;
/// The same as a number of them.
const KEPT: usize = KEPT_BYTES / size_of::<u32>();

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
    /// What a device did that holds `distinct_pages`.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a device that could not work or does not take the writes, and [`Error::Io`].
    fn served(self, asked: Self::Asked, distinct_pages: usize) -> Result<Option<FtlResult>>;
}

/// Anywhere: write-backs are only counted.
impl Store for () {
    type Asked = ();

    #[inline]
    fn write_back(&mut self, _page: u32) {}

    fn warmed_up(&mut self) {}

    fn served(self, (): (), _distinct_pages: usize) -> Result<Option<FtlResult>> {
        Ok(None)
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

    fn served(self, asked: Asked, distinct_pages: usize) -> Result<Option<FtlResult>> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        // A trace without accesses has no data.
        if distinct_pages == 0 {
            return Ok(None);
        }
        let pages = u32::try_from(distinct_pages)
            .map_err(|_| disagreement("device", "more pages than page numbers"))?;
        let mut device = Under::new(pages, asked)?;
        device.write(0, pages, 0);
        let mut served = 0;
        let mut serve = |page| {
            if served == self.warm_up {
                device.restart_counters();
            }
            device.write(page, 1, 0);
            served += 1;
        };
        if let Some(mut file) = self.file {
            file.seek(SeekFrom::Start(0))
                .map_err(|error| failed("read", error))?;
            let mut reader = BufReader::with_capacity(1 << 18, file);
            let mut word = [0; 4];
            for _ in 0..self.in_file {
                reader
                    .read_exact(&mut word)
                    .map_err(|error| failed("read", error))?;
                serve(u32::from_le_bytes(word));
            }
        }
        self.kept.into_iter().for_each(&mut serve);
        if served == self.warm_up {
            device.restart_counters();
        }
        device.result().map(Some)
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
        let found = store.served(asked.expect("asked for"), 97);
        found.expect("it works").expect("there is one")
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
