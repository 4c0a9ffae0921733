//! The flash directory of a page-flow scheme where it lies on flash: which of its pages RAM holds.
//!
//! Koltsidas and Viglas, sections 4.1 and 4.2, assume how often the part of the directory that RAM buffers
//! serves a lookup or an update. Here it is counted: each lookup and each update of the scheme asks for the
//! directory page that holds the entry, an update soils it, and the buffer is an LRU of such pages. A device under
//! flash hears of the pages that are written, in a table behind the data.
//!
//! The paper's entries are chained by a hash of the block (its table 1), so neighbours lie in different pages:
//! the entry of a page, or of a block where flash has blocks, is in directory page
//! floor((key x 0x9E3779B97F4A7C15 mod 2^64) / 2^32) x pages / 2^32. A key is its number by first appearance.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::replay::metadata::MetadataLayout;
use crate::replay::policies::lru::Lru;
use crate::replay::settings::{Setting, Settings, Values};
use crate::replay::tier::Tier;
use crate::wording::counted;

/// Most pages of a directory.
const MOST: u32 = 1 << 30;
/// A multiplicative hash: 2^64 over the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Option of a scheme with flash.
pub(crate) const DIRECTORY: Setting = Setting {
    name: "directory_pages",
    description: "Pages of the flash directory where it lies on flash: those of them that its lookups and updates read and write are counted, and a device under flash hears of the writes. 0: it lies in RAM.",
    default: "0",
    values: Values::Whole {
        least: 0,
        most: MOST,
    },
};
/// See [`DIRECTORY`].
pub(crate) const DIRECTORY_BUFFER: Setting = Setting {
    name: "directory_buffer_pages",
    description: "Pages of that directory that RAM holds, beside the RAM pages; LRU.",
    default: "1",
    values: Values::Whole {
        least: 1,
        most: MOST,
    },
};

/// What a directory on flash did, in the result of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DirectoryResult {
    /// Pages of the directory.
    pub directory_pages: u32,
    /// Of them in RAM at most.
    pub buffer_pages: u32,
    /// Lookups and updates, of one page each.
    pub accesses: u64,
    /// Those whose page was not in RAM; each is a flash read.
    pub reads: u64,
    /// Pages that left RAM.
    pub evictions: u64,
    /// Those of them that were updated there; each is a flash write.
    pub writes: u64,
}

/// What a directory on flash counts, from the beginning on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DirectoryCounters {
    pub(crate) accesses: u64,
    pub(crate) reads: u64,
    /// Those of them that find the page of an access.
    pub(crate) finds: u64,
    pub(crate) evictions: u64,
    pub(crate) writes: u64,
}

/// A directory on flash, and the part of it in RAM.
#[derive(Debug)]
pub(crate) struct Directory {
    pages: u32,
    buffer: Tier<Lru>,
    all: DirectoryCounters,
    /// When the warm-up ended.
    before: DirectoryCounters,
    /// Accesses of it before a crash.
    before_crash: u64,
}

impl Directory {
    fn new(pages: u32, buffer_pages: u32) -> Self {
        Self {
            pages,
            buffer: Self::empty(pages, buffer_pages),
            all: DirectoryCounters::default(),
            before: DirectoryCounters::default(),
            before_crash: 0,
        }
    }

    fn empty(pages: u32, buffer_pages: u32) -> Tier<Lru> {
        let mut buffer = Tier::new(buffer_pages);
        buffer.grow(pages as usize);
        buffer
    }

    fn place(&self, key: u32) -> u32 {
        let hash = u64::from(key).wrapping_mul(GOLDEN) >> 32;
        u32::try_from((hash * u64::from(self.pages)) >> 32).unwrap_or(u32::MAX)
    }

    /// The page of the directory that is written to make room, if any.
    fn touch(&mut self, key: u32, update: bool) -> Option<u32> {
        let page = self.place(key);
        self.all.accesses += 1;
        if self.buffer.contains(page) {
            self.buffer.on_hit(page);
            self.buffer.soil(page, update);
            return None;
        }
        self.all.reads += 1;
        let victim = self.buffer.evict_if_full(page);
        self.all.evictions += u64::from(victim.is_some());
        let written = victim.filter(|victim| victim.dirty);
        self.all.writes += u64::from(written.is_some());
        self.buffer.insert(page, update);
        written.map(|victim| victim.page)
    }

    /// The entry of a page, or of a block, is read; the answer is the page of the directory that is written for that, if
    /// any.
    #[inline]
    pub(crate) fn look_up(&mut self, key: u32) -> Option<u32> {
        self.touch(key, false)
    }

    /// The entry of the page that is accessed is read, before it is known where the page lies.
    #[inline]
    pub(crate) fn find(&mut self, key: u32) -> Option<u32> {
        let before = self.all.reads;
        let written = self.look_up(key);
        self.all.finds += self.all.reads - before;
        written
    }

    /// It is written; the answer is as of [`Self::look_up`].
    #[inline]
    pub(crate) fn update(&mut self, key: u32) -> Option<u32> {
        self.touch(key, true)
    }

    pub(crate) fn restart_counters(&mut self) {
        self.before = self.all;
    }

    /// What is counted from the beginning on.
    pub(crate) fn counted(&self) -> DirectoryCounters {
        self.all
    }

    /// RAM is empty, and what is on flash is found no more.
    pub(crate) fn forget(&mut self) {
        self.buffer = Self::empty(self.pages, self.buffer.capacity());
        self.before_crash = self.all.accesses;
    }

    /// Lookups and updates since the beginning, or since a crash, must be those of the scheme.
    pub(crate) fn recount(&self, lookups: u64, updates: u64) -> std::result::Result<(), String> {
        self.buffer.recount("directory buffer")?;
        let accesses = self.all.accesses - self.before_crash;
        if accesses == lookups + updates {
            return Ok(());
        }
        Err(format!(
            "{accesses} accesses of the directory for {lookups} lookups and {updates} updates"
        ))
    }

    pub(crate) fn result(&self) -> DirectoryResult {
        let DirectoryCounters {
            accesses,
            reads,
            evictions,
            writes,
            ..
        } = self.before;
        DirectoryResult {
            directory_pages: self.pages,
            buffer_pages: self.buffer.capacity(),
            accesses: self.all.accesses - accesses,
            reads: self.all.reads - reads,
            evictions: self.all.evictions - evictions,
            writes: self.all.writes - writes,
        }
    }
}

/// Where the directory that the options of a scheme put on flash lies on a device, if they put it there.
pub(crate) fn layout(own: &Settings) -> Option<MetadataLayout> {
    let pages = own.whole(DIRECTORY.name);
    (pages > 0).then(|| {
        MetadataLayout::table(
            pages.into(),
            "the flash directory in a table behind the data, written in place: each page that was updated in RAM, when it leaves RAM",
        )
    })
}

/// The directory that the options of a scheme put on flash, if any.
///
/// # Errors
/// [`Error::BadParameter`] for a buffer of nothing, or one that is larger than what it buffers.
pub(crate) fn asked(own: &Settings) -> Result<Option<Directory>> {
    // Both are 0 for a scheme that has no such options.
    let pages = own.whole(DIRECTORY.name);
    let buffer = own.whole(DIRECTORY_BUFFER.name);
    if pages == 0 && buffer <= 1 {
        return Ok(None);
    }
    if buffer > pages {
        let (message, hint) = if pages == 0 {
            (
                format!("has no effect without {}", DIRECTORY.name),
                format!("also give {}, or leave it out", DIRECTORY.name),
            )
        } else {
            (
                format!("the directory has {}", counted(pages, "page", "pages")),
                format!("use at most {}={pages}", DIRECTORY_BUFFER.name),
            )
        };
        return Err(Error::BadParameter {
            name: "option",
            value: format!("{}={buffer}", DIRECTORY_BUFFER.name),
            message,
            hint,
        });
    }
    Ok(Some(Directory::new(pages, buffer)))
}
