//! A flash device: translation, garbage collection, TRIM, write streams and wear.
//!
//! How logical pages are mapped is one of [`Mapping::TABLE`]; what follows is page mapping.
//!
//! The logical pages of a device lie anywhere on its blocks. A write goes to the open block of its
//! stream and leaves the former copy invalid; a block that is full is closed. Whenever a write opens a
//! block and fewer than `reserve` free ones are left, closed blocks are collected: the valid pages of a
//! victim are copied to an open block, and the victim is erased. WAF is pages written to flash per page
//! written by the host, of which a write buffer may absorb some.
//!
//! No write searches the blocks and none allocates: victims come from lists by valid pages (greedy,
//! cost-benefit), a queue (FIFO) or an array (random, best of some). Validity is one bit per page, so
//! that a write touches one random line of the mapping, and a copy one other.

mod bast;
mod block_mapped;
mod blocks;
mod buffer;
mod device;
mod fast;
mod synthetic;
#[cfg(test)]
mod tests;
mod victims;
mod zones;

use serde::Serialize;

pub use self::device::{Ftl, Op, Request};
pub use self::synthetic::{Order, Part, Synthetic, simulate};
use crate::error::{Error, Result};
use crate::wording::counted;

/// Largest number of slots of a device: places are `u32`, and two of them mean something else.
pub const MAX_SLOTS: u64 = (u32::MAX - 1) as u64;
/// Largest number of pages per block.
pub const MAX_BLOCK_PAGES: u32 = 1 << 16;
/// Largest number of write streams.
pub const MAX_STREAMS: u32 = 64;
/// Largest number of blocks of which the best is taken.
pub const MAX_CHOICES: u32 = 1000;

/// Which closed block is collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collection {
    /// The one with the fewest valid pages; of several, the one longest unmodified.
    Greedy,
    /// The one closed first.
    Fifo,
    /// Any, at random.
    Random,
    /// The one with the fewest valid pages of so many drawn at random, with repetition.
    Choices(u32),
    /// The one with the most age x (1 - u) / 2u: u its valid share, age the host writes since one of its
    /// pages was last written or invalidated (Kawaguchi, Nishioka and Motoda 1995). Exact.
    CostBenefit,
}

/// How a device maps its logical pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// Any page anywhere.
    Page,
    /// A logical block is one block.
    Block,
    /// The same, with a log block for some logical blocks.
    Bast,
    /// The same, with log blocks that all logical blocks share.
    Fast,
    /// The host appends to zones.
    Zones,
}

/// A translation layer, for lists.
#[derive(Debug, Clone, Copy)]
pub struct MappingAbout {
    /// By which it is asked for.
    pub name: &'static str,
    /// The same as a value.
    pub mapping: Mapping,
    /// Title.
    pub title: &'static str,
    /// One sentence.
    pub description: &'static str,
}

macro_rules! mappings {
    ($($mapping:ident => $name:literal, $title:literal, $description:literal;)+) => {
        impl Mapping {
            /// Every translation layer: the one table that all lists are read from.
            pub const TABLE: &'static [MappingAbout] = &[
                $(MappingAbout { name: $name, mapping: Mapping::$mapping, title: $title, description: $description },)+
            ];
            /// Their names.
            pub(crate) const NAMES: [&'static str; Self::TABLE.len()] = [$($name),+];
        }
    };
}

mappings! {
    Page => "page", "Page-mapped", "Any page lies anywhere; blocks are collected, as today's drives do.";
    Block => "block", "Block-mapped", "A logical block is one block, and a page has its place there; a rewrite copies the rest of the block to a replacement.";
    Bast => "bast", "Hybrid, BAST", "Block-mapped, with a log block for each logical block that is being rewritten, merged when log blocks run out.";
    Fast => "fast", "Hybrid, FAST", "Block-mapped, with log blocks that all logical blocks share, and one for sequential writes.";
    Zones => "zones", "Zones (ZNS)", "The host appends to zones and resets them; nothing is copied, and what is not appended is refused.";
}

impl Mapping {
    /// The one of that name.
    pub fn called(name: &str) -> Option<Self> {
        let found = Self::TABLE.iter().find(|about| about.name == name);
        found.map(|about| about.mapping)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = Self::TABLE.iter().find(|about| about.mapping == self);
        found.map_or("", |about| about.name)
    }
}

/// Where the pages of a victim are copied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copies {
    /// The open block of the victim's stream: streams never share a block (FDP's persistently isolated).
    Stream,
    /// One open block of their own for all streams (FDP's initially isolated).
    Apart,
}

/// A device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Pages that the host sees.
    pub logical_pages: u32,
    /// Blocks of the device.
    pub blocks: u32,
    /// Pages per block.
    pub block_pages: u32,
    /// Which block is collected.
    pub collection: Collection,
    /// Streams of the host, each with its open block.
    pub streams: u32,
    /// Where copies go.
    pub copies: Copies,
    /// Free blocks, with the one just opened, below which blocks are collected.
    pub reserve: u32,
    /// Of random victims.
    pub seed: u64,
    /// Pages that the device keeps in RAM before it writes them to flash; 0: none.
    pub buffer_pages: u32,
    /// How logical pages are mapped; collection, streams and copies are of page mapping.
    pub mapping: Mapping,
}

impl Settings {
    /// A device with one stream whose copies go to its own open block, and two blocks held back.
    pub fn new(logical_pages: u32, blocks: u32, block_pages: u32, collection: Collection) -> Self {
        Self {
            logical_pages,
            blocks,
            block_pages,
            collection,
            streams: 1,
            copies: Copies::Stream,
            reserve: 2,
            seed: 0,
            buffer_pages: 0,
            mapping: Mapping::Page,
        }
    }

    /// Blocks that the logical pages fill.
    pub(crate) fn logical_blocks(&self) -> u32 {
        self.logical_pages.div_ceil(self.block_pages)
    }

    /// Log blocks, or replacements, that there may be: all blocks beyond the logical ones but one for merges.
    pub(super) fn log_blocks(&self) -> u32 {
        self.blocks.saturating_sub(self.logical_blocks() + 1)
    }

    /// Refuses a device that cannot work.
    pub(crate) fn checked(&self) -> Result<()> {
        let whole = |name, value: u32, least: u32, most: u32| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                Err(Error::BadParameter {
                    name,
                    value: value.to_string(),
                    message: format!("is not from {least} to {most}"),
                    hint: format!("give a whole number from {least} to {most}"),
                })
            }
        };
        whole("pages", self.logical_pages, 1, u32::MAX - 1)?;
        whole("block-pages", self.block_pages, 1, MAX_BLOCK_PAGES)?;
        whole("streams", self.streams, 1, MAX_STREAMS)?;
        whole("reserve", self.reserve, 2, 1 << 16)?;
        whole("buffer-pages", self.buffer_pages, 0, self.logical_pages - 1)?;
        if let Collection::Choices(choices) = self.collection {
            whole("choices", choices, 1, MAX_CHOICES)?;
        }
        self.check_size()?;
        if self.mapping != Mapping::Page {
            return self.checked_blocks();
        }
        // Collection must always find a block with an invalid page, whatever is open or free: what is neither has
        // more slots than there are pages.
        let held = u64::from(self.held());
        let most = u64::from(self.blocks).saturating_sub(held) * u64::from(self.block_pages);
        if u64::from(self.logical_pages) >= most {
            return Err(Error::BadParameter {
                name: "spare",
                value: format!(
                    "{} of {} for {}",
                    counted(u64::from(self.blocks), "block", "blocks"),
                    counted(u64::from(self.block_pages), "page", "pages"),
                    counted(
                        u64::from(self.logical_pages),
                        "logical page",
                        "logical pages"
                    )
                ),
                message: format!(
                    "leaves no room to collect with {} free or open",
                    counted(held, "block", "blocks")
                ),
                hint: "give more spare space, more pages, or smaller blocks".to_owned(),
            });
        }
        Ok(())
    }

    /// Refuses a device with more blocks than can be simulated.
    pub(crate) fn check_size(&self) -> Result<()> {
        let slots = u64::from(self.blocks) << device::shift(self.block_pages);
        let lists = u64::from(self.blocks) + u64::from(self.block_pages) + 1;
        if slots.max(lists) <= MAX_SLOTS {
            return Ok(());
        }
        Err(Error::BadParameter {
            name: "blocks",
            value: self.blocks.to_string(),
            message: format!(
                "too many with {} in each",
                counted(u64::from(self.block_pages), "page", "pages")
            ),
            hint: "simulate a smaller device: WAF depends on the spare share, hardly on the size"
                .to_owned(),
        })
    }

    /// Refuses what a layer that maps blocks does not have.
    fn checked_blocks(&self) -> Result<()> {
        if self.streams > 1 {
            return Err(Error::BadParameter {
                name: "streams",
                value: self.streams.to_string(),
                message: format!("mapping `{}` has one stream", self.mapping.name()),
                hint: "use page mapping, or one stream".to_owned(),
            });
        }
        let beyond = match self.mapping {
            // A sequential and a random log block, and one for merges.
            Mapping::Fast => 3,
            Mapping::Block | Mapping::Bast => 2,
            Mapping::Page | Mapping::Zones => 1,
        };
        let least = u64::from(self.logical_blocks()) + beyond;
        if u64::from(self.blocks) < least {
            return Err(Error::BadParameter {
                name: "spare",
                value: format!(
                    "{} of {}",
                    counted(u64::from(self.blocks), "block", "blocks"),
                    counted(u64::from(self.block_pages), "page", "pages"),
                ),
                message: format!(
                    "mapping `{}` needs {least} for {}",
                    self.mapping.name(),
                    counted(
                        u64::from(self.logical_pages),
                        "logical page",
                        "logical pages"
                    ),
                ),
                hint: "give more spare space, more pages, or smaller blocks".to_owned(),
            });
        }
        Ok(())
    }

    /// Blocks that may be open or free while a victim is chosen.
    fn held(&self) -> u32 {
        // One of the reserve was just opened.
        self.reserve - 1 + self.streams + u32::from(self.copies == Copies::Apart)
    }
}

/// What one stream wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct StreamCounters {
    /// Pages that were written to flash for the host.
    pub host_writes: u64,
    /// Pages copied out of blocks of the stream.
    pub moved: u64,
}

/// How logical blocks were brought together, under layers that map blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Merges {
    /// All that is in use was copied to another block; the block and its log block were erased.
    pub full: u64,
    /// The rest was copied to a log block, or a replacement, that holds the others in their order.
    pub partial: u64,
    /// A log block, or a replacement, took the place of the block without a copy.
    pub switch: u64,
}

/// Erases per block.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Wear {
    /// Of the block erased least.
    pub least: u32,
    /// Mean.
    pub mean: f64,
    /// Of the block erased most.
    pub most: u32,
    /// Standard deviation.
    pub deviation: f64,
}

/// What a device did since its counters were last set to 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FtlResult {
    /// Pages written by the host.
    pub host_writes: u64,
    /// Of them those that were absorbed: the page was written again or trimmed while it was still in the write
    /// buffer, and flash never had it.
    pub absorbed: u64,
    /// Pages trimmed that were in use.
    pub trims: u64,
    /// Valid pages copied out of victims.
    pub moved: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Merges of blocks.
    pub merges: Merges,
    /// Pages written to flash per page written by the host; none without a write.
    pub waf: Option<f64>,
    /// Of the same writes on a device that hears of no TRIM; none where none was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waf_without_trim: Option<f64>,
    /// Blocks erased by that device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erases_without_trim: Option<u64>,
    /// Of the same writes on a device that has one stream for all; none where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waf_one_stream: Option<f64>,
    /// Blocks erased by that device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erases_one_stream: Option<u64>,
    /// Pages laid out for the metadata of what writes, beside its data; none where it writes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata_pages: Option<u32>,
    /// Of the host's writes, those of metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata_writes: Option<u64>,
    /// Where metadata lie, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata_layout: Option<&'static str>,
    /// Logical pages in use at the end.
    pub used_pages: u64,
    /// Of each stream; copies are counted for the stream of the victim, and for none where all streams
    /// share the blocks of copies.
    pub streams: Vec<StreamCounters>,
    /// Erases per block.
    pub wear: Wear,
}
