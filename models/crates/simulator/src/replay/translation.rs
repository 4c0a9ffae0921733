//! The flash device under a replay: its options, and the frames of the pages of a page-flow scheme.
//!
//! A flash cache says which frames it writes. A page-flow scheme only knows which pages are on flash: here a
//! page that comes to flash takes the frame that became free last, as the listings have it (`v_r` takes the
//! frame of `pg`, a newcomer that of `v_f`), and a page that is written again is written in its place. Where flash
//! has blocks of several pages each has such a frame, and its pages lie there in their order.

use super::directory::{self, Directory, DirectoryCounters, DirectoryResult};
use super::metadata::{Metadata, MetadataLayout};
use super::room::Room;
use super::settings::{Setting, Settings, Values};
use super::two_tier::{SchemeCounters, Warning};
use crate::error::{Error, Result};
use crate::ftl::{
    Collection, Ftl, FtlResult, MAX_BLOCK_PAGES, MAX_CHOICES, Mapping, Settings as FtlSettings,
};
use crate::wording::{counted, grouped};

/// Spare space of the device, in percent of the flash pages.
pub(crate) const FTL_SPARE: &str = "ftl_spare_percent";
/// Pages of an erase block.
pub(crate) const FTL_BLOCK: &str = "ftl_block_pages";
/// Which block is collected.
pub(crate) const FTL_GC: &str = "ftl_gc";
/// Pages of the write buffer.
pub(crate) const FTL_BUFFER: &str = "ftl_buffer_pages";
/// Which translation layer the device has.
pub(crate) const FTL_MAPPING: &str = "ftl_mapping";
/// Whether pages that are dropped are trimmed.
pub(crate) const FTL_TRIM: &str = "ftl_trim";
/// Write streams of the device.
pub(crate) const STREAMS: &str = "streams";
/// Most spare space.
pub(crate) const MOST_SPARE: u32 = 1000;
/// Pages of an erase block where nothing is given.
pub(crate) const DEFAULT_BLOCK: &str = "256";
/// Blocks drawn by the rule that draws several.
pub(crate) const FTL_CHOICES: &str = "ftl_choices";
/// Start of the random numbers of the rules that draw.
pub(crate) const FTL_SEED: &str = "ftl_seed";
/// Blocks drawn where nothing is given.
pub(crate) const DEFAULT_CHOICES: &str = "10";
/// Names of the rules of collection, as the option lists them.
pub(crate) const COLLECTION_NAMES: [&str; 5] =
    ["greedy", "fifo", "random", "choices", "cost_benefit"];

/// The rule of a name, which draws so many blocks where it draws several.
pub(crate) fn collection_called(name: &str, choices: u32) -> Option<Collection> {
    Some(match name {
        "greedy" => Collection::Greedy,
        "fifo" => Collection::Fifo,
        "random" => Collection::Random,
        "choices" => Collection::Choices(choices),
        "cost_benefit" => Collection::CostBenefit,
        _ => return None,
    })
}

/// Whether a rule, by its name, draws blocks, and whether it draws several.
pub(crate) fn draws(name: &str) -> (bool, bool) {
    let several = name == "choices";
    (several || name == "random", several)
}

/// Options of a page-flow scheme whose flash can be put on a device.
pub(crate) const SPARE: Setting = Setting {
    name: FTL_SPARE,
    description: "Spare space of a flash device under the scheme, in percent of its pages: its WAF, erases and wear are counted. 0: no device.",
    default: "0",
    values: Values::Whole {
        least: 0,
        most: MOST_SPARE,
    },
};
/// See [`SPARE`].
pub(crate) const BLOCK: Setting = Setting {
    name: FTL_BLOCK,
    description: "Pages of an erase block of that device; under a flash tier, unless given, at most 1/100 of its pages: fewer blocks amplify as no device does.",
    default: DEFAULT_BLOCK,
    values: Values::Whole {
        least: 1,
        most: MAX_BLOCK_PAGES,
    },
};
/// See [`SPARE`].
pub(crate) const GC: Setting = Setting {
    name: FTL_GC,
    description: "Which block that device collects.",
    default: "greedy",
    values: Values::OneOf(&COLLECTION_NAMES),
};
/// See [`SPARE`].
pub(crate) const CHOICES: Setting = Setting {
    name: FTL_CHOICES,
    description: "With ftl_gc=choices: blocks drawn at random, of which the one with the fewest valid pages is collected.",
    default: DEFAULT_CHOICES,
    values: Values::Whole {
        least: 1,
        most: MAX_CHOICES,
    },
};
/// See [`SPARE`].
pub(crate) const SEED: Setting = Setting {
    name: FTL_SEED,
    description: "With ftl_gc=random or choices: start of the random numbers.",
    default: "0",
    values: Values::Whole {
        least: 0,
        most: u32::MAX,
    },
};

/// See [`SPARE`].
pub(crate) const BUFFER: Setting = Setting {
    name: FTL_BUFFER,
    description: "Pages of the write buffer of that device: a page that is written again while it is there is written once. 0: no buffer.",
    default: "0",
    values: Values::Whole {
        least: 0,
        most: u32::MAX,
    },
};

/// See [`SPARE`].
pub(crate) const MAPPING: Setting = Setting {
    name: FTL_MAPPING,
    description: "Translation layer of that device; zones take appends alone.",
    default: "page",
    values: Values::OneOf(&Mapping::NAMES),
};
/// See [`SPARE`].
pub(crate) const TRIM: Setting = Setting {
    name: FTL_TRIM,
    description: "Whether pages that leave flash are trimmed; what TRIM saved is counted.",
    default: "false",
    values: Values::OneOf(&["false", "true"]),
};

/// What is asked of a device.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    /// In percent of the flash pages.
    pub(crate) spare_percent: u32,
    pub(crate) block_pages: u32,
    pub(crate) collection: Collection,
    /// Of the draws of collection.
    pub(crate) seed: u64,
    pub(crate) buffer_pages: u32,
    pub(crate) mapping: Mapping,
    pub(crate) trim: bool,
    pub(crate) streams: u32,
}

impl Asked {
    /// A device of that kind with so many logical pages, in whole blocks.
    pub(crate) fn settings(&self, flash_pages: u32) -> FtlSettings {
        let physical =
            (u64::from(flash_pages) * (100 + u64::from(self.spare_percent))).div_ceil(100);
        let blocks = physical.div_ceil(u64::from(self.block_pages));
        let blocks = u32::try_from(blocks).unwrap_or(u32::MAX);
        FtlSettings {
            buffer_pages: self.buffer_pages,
            mapping: self.mapping,
            seed: self.seed,
            streams: self.streams,
            ..FtlSettings::new(flash_pages, blocks, self.block_pages, self.collection)
        }
    }
}

/// How many blocks a device has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    blocks: u32,
    block_pages: u32,
    /// Of the blocks, those beyond what the logical pages fill.
    spare: u32,
}

impl Shape {
    fn of(settings: &FtlSettings) -> Self {
        Self {
            blocks: settings.blocks,
            block_pages: settings.block_pages,
            spare: settings.blocks.saturating_sub(settings.logical_blocks()),
        }
    }

    /// What the user should know where two streams cost more than they save.
    pub(crate) fn about_streams(self, found: &FtlResult) -> Option<Warning> {
        let Self {
            blocks,
            block_pages,
            spare,
        } = self;
        let (two, one) = (found.waf?, found.waf_one_stream?);
        (two > one).then(|| Warning {
            name: "streams_cost",
            message: format!(
                "two streams cost more than they save on this device: its write amplification is {two:.3}, and {one:.3} \
                 with one stream. Of its {} erase blocks of {} {} spare, and each stream keeps one open",
                grouped(blocks),
                counted(block_pages, "page", "pages"),
                counted(spare, "is", "are"),
            ),
            hint: "give a larger flash, or smaller erase blocks, if the device has them; or leave it at one stream"
                .to_owned(),
        })
    }
}

/// A device, and those beside it that show what TRIM and streams save.
#[derive(Debug)]
struct Devices {
    ftl: Ftl,
    /// Where it hears of TRIM: hears of the same writes, and of no TRIM.
    untrimmed: Option<Ftl>,
    /// Where it has streams: hears of the same writes and TRIM, all in one stream.
    mixed: Option<Ftl>,
}

impl Devices {
    /// Writes logical pages one after the other.
    #[inline]
    fn write(&mut self, first: u32, pages: u32, stream: u32) {
        // A device with one stream has it for all.
        let stream = if self.mixed.is_some() { stream } else { 0 };
        self.ftl.write_run(first, pages, stream);
        if let Some(untrimmed) = &mut self.untrimmed {
            untrimmed.write_run(first, pages, stream);
        }
        if let Some(mixed) = &mut self.mixed {
            mixed.write_run(first, pages, 0);
        }
    }

    /// Trims logical pages one after the other.
    #[inline]
    fn trim(&mut self, first: u32, pages: u32) {
        self.ftl.trim_run(first, pages);
        if let Some(mixed) = &mut self.mixed {
            mixed.trim_run(first, pages);
        }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Ftl> {
        let beside = self.untrimmed.iter_mut().chain(&mut self.mixed);
        std::iter::once(&mut self.ftl).chain(beside)
    }
}

/// A device whose logical pages are the flash pages, and behind them or between them those of metadata.
#[derive(Debug)]
pub(crate) struct Under {
    devices: Devices,
    shape: Shape,
    trim: bool,
    data_pages: u32,
    metadata: Option<Metadata>,
}

impl Under {
    /// # Errors
    /// [`Error::BadParameter`] for a device that could not work.
    pub(crate) fn new(flash_pages: u32, asked: Asked) -> Result<Self> {
        Self::with_metadata(flash_pages, asked, None)
    }

    /// The same with metadata beside the flash pages, where there are any, in pages of so many bytes.
    pub(crate) fn with_metadata(
        flash_pages: u32,
        asked: Asked,
        metadata: Option<(MetadataLayout, u64)>,
    ) -> Result<Self> {
        // What is mapped by blocks, or appended to zones, does not share one with the data.
        let aligned_to = match asked.mapping {
            Mapping::Page => 1,
            _ => asked.block_pages,
        };
        let laid_out = metadata
            .map(|(layout, bytes)| Metadata::beside(flash_pages, layout, bytes, aligned_to));
        let (metadata, logical_pages) = match laid_out {
            Some((metadata, pages)) => (Some(metadata), pages),
            None => (None, flash_pages),
        };
        let settings = asked.settings(logical_pages);
        let mixed = FtlSettings {
            streams: 1,
            ..settings
        };
        let zoned = asked.mapping == Mapping::Zones;
        let devices = Devices {
            ftl: Ftl::new(settings)?,
            untrimmed: (asked.trim && !zoned)
                .then(|| Ftl::new(settings))
                .transpose()?,
            mixed: (asked.streams > 1).then(|| Ftl::new(mixed)).transpose()?,
        };
        Ok(Self {
            devices,
            shape: Shape::of(&settings),
            trim: asked.trim || zoned,
            data_pages: flash_pages,
            metadata,
        })
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Writes flash pages one after the other, the first again behind the last.
    #[inline]
    pub(crate) fn write(&mut self, first: u32, pages: u32, stream: u32) {
        let Self {
            devices, metadata, ..
        } = self;
        let mut between = metadata.as_mut().filter(|metadata| metadata.shares_log());
        for (first, pages) in runs(first, pages, self.data_pages) {
            if let Some(metadata) = &mut between {
                for page in first..first + pages {
                    devices.write(metadata.append_data(page), 1, stream);
                }
            } else {
                devices.write(first, pages, stream);
            }
        }
    }

    /// Writes a page of metadata in its place, so many behind the first of them.
    pub(crate) fn write_metadata(&mut self, page: u32) {
        if let Some(metadata) = &mut self.metadata {
            self.devices.write(metadata.in_place(page), 1, 0);
        }
    }

    /// Appends a segment of metadata.
    pub(crate) fn append_metadata(&mut self, bytes: u64) {
        if let Some(metadata) = &mut self.metadata {
            for _ in 0..metadata.pages_of(bytes) {
                self.devices.write(metadata.append(), 1, 0);
            }
        }
    }

    /// Appends a page of metadata to the tree.
    pub(crate) fn append_metadata_page(&mut self) {
        if let Some(metadata) = &mut self.metadata {
            self.devices.write(metadata.append_page(), 1, 0);
        }
    }

    /// Trims flash pages one after the other, if it is to hear of that.
    #[inline]
    pub(crate) fn trim(&mut self, first: u32, pages: u32) {
        if !self.trim {
            return;
        }
        let metadata = self.metadata.as_ref();
        let between = metadata.filter(|metadata| metadata.shares_log());
        for (first, pages) in runs(first, pages, self.data_pages) {
            if let Some(metadata) = between {
                for page in first..first + pages {
                    self.devices.trim(metadata.place_of(page), 1);
                }
            } else {
                self.devices.trim(first, pages);
            }
        }
    }

    /// All contents are given up; not counted as TRIM.
    pub(crate) fn give_up(&mut self) {
        for ftl in self.devices.all() {
            ftl.trim_all();
        }
        if let Some(metadata) = &mut self.metadata {
            metadata.give_up();
        }
    }

    pub(crate) fn restart_counters(&mut self) {
        for ftl in self.devices.all() {
            ftl.restart_counters();
        }
        if let Some(metadata) = &mut self.metadata {
            metadata.restart_counters();
        }
    }

    /// What the device did.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for writes that it does not take.
    pub(crate) fn result(&self) -> Result<FtlResult> {
        let Devices {
            ftl,
            untrimmed,
            mixed,
        } = &self.devices;
        ftl.refused()?;
        let without = untrimmed.as_ref().map(Ftl::result);
        let mixed = mixed.as_ref().map(Ftl::result);
        let metadata = self.metadata.as_ref();
        Ok(FtlResult {
            metadata_pages: metadata.map(Metadata::pages),
            metadata_writes: metadata.map(Metadata::written),
            metadata_layout: metadata.map(Metadata::words),
            waf_without_trim: without.as_ref().and_then(|found| found.waf),
            erases_without_trim: without.map(|found| found.erases),
            waf_one_stream: mixed.as_ref().and_then(|found| found.waf),
            erases_one_stream: mixed.map(|found| found.erases),
            ..ftl.result()
        })
    }
}

/// Runs of pages that do not wrap: those from `first` on, the first of `all` again behind the last.
#[inline]
fn runs(mut first: u32, mut pages: u32, all: u32) -> impl Iterator<Item = (u32, u32)> {
    std::iter::from_fn(move || {
        let run = (first, pages.min(all - first));
        pages -= run.1;
        first = 0;
        (run.1 > 0).then_some(run)
    })
}

/// The device that the options of a scheme put under its flash of so many frames, each of so many pages, if any; the
/// directory lies on it too where they put it on flash.
///
/// # Errors
/// [`Error::BadParameter`] for a device that could not work, and for what has no effect without one.
pub(crate) fn asked(own: &Settings, frames: u32, frame_pages: u32) -> Result<Option<Placed>> {
    if frames == 0 {
        return wanted(own).map(|_| None);
    }
    let Some(asked) = described(own)? else {
        return Ok(None);
    };
    let pages = frames * frame_pages;
    // The directory is written by the page, so nothing is rounded up to one.
    let directory = directory::layout(own).map(|layout| (layout, 1));
    let under = Under::with_metadata(pages, asked, directory)?;
    Ok(Some(Placed::new(frames, frame_pages, under)))
}

/// The device that options describe, if any, whatever its size.
///
/// # Errors
/// [`Error::BadParameter`] for what has no effect with the others, or without a device.
pub(crate) fn described(own: &Settings) -> Result<Option<Asked>> {
    let Some(percent) = wanted(own)? else {
        return Ok(None);
    };
    let rule = own.name(FTL_GC);
    let collection = collection_called(rule, own.whole(FTL_CHOICES)).unwrap_or(Collection::Greedy);
    check_draws(own)?;
    let mapping = Mapping::called(own.name(FTL_MAPPING)).unwrap_or(Mapping::Page);
    if mapping != Mapping::Page && own.name(FTL_GC) != GC.default {
        return Err(Error::BadParameter {
            name: "option",
            value: format!("{FTL_GC}={}", own.name(FTL_GC)),
            message: format!("has no effect with {FTL_MAPPING}={}", mapping.name()),
            hint: format!("leave it out, or use {FTL_MAPPING}=page"),
        });
    }
    Ok(Some(Asked {
        spare_percent: percent,
        block_pages: own.whole(FTL_BLOCK),
        collection,
        seed: own.whole(FTL_SEED).into(),
        buffer_pages: own.whole(FTL_BUFFER),
        mapping,
        trim: own.name(FTL_TRIM) == "true",
        streams: 1,
    }))
}

/// Refuses options of draws for a rule of collection that draws no blocks.
fn check_draws(own: &Settings) -> Result<()> {
    let rule = own.name(FTL_GC);
    let (draws, several) = draws(rule);
    let unused = [(CHOICES, several), (SEED, draws)];
    let unused = unused
        .into_iter()
        .map(|(option, used)| (option, own.whole(option.name).to_string(), used))
        .find(|(option, value, used)| !used && value != option.default);
    unused.map_or(Ok(()), |(option, value, _)| {
        Err(Error::BadParameter {
            name: "option",
            value: format!("{}={value}", option.name),
            message: format!("has no effect with {FTL_GC}={rule}"),
            hint: format!("leave it out, or use {FTL_GC}=choices"),
        })
    })
}

/// The spare space that the options of a scheme ask for [percent].
///
/// # Errors
/// [`Error::BadParameter`] for options of a device without one.
pub(crate) fn wanted(own: &Settings) -> Result<Option<u32>> {
    // A scheme without flash has no such option.
    if own.name(FTL_GC).is_empty() {
        return Ok(None);
    }
    let percent = own.whole(FTL_SPARE);
    if percent > 0 {
        return Ok(Some(percent));
    }
    let block = own.whole(FTL_BLOCK).to_string();
    let buffer = own.whole(FTL_BUFFER).to_string();
    let choices = own.whole(FTL_CHOICES).to_string();
    let seed = own.whole(FTL_SEED).to_string();
    let unused = [
        (FTL_BLOCK, block.as_str(), BLOCK.default),
        (FTL_GC, own.name(FTL_GC), GC.default),
        (FTL_CHOICES, choices.as_str(), CHOICES.default),
        (FTL_SEED, seed.as_str(), SEED.default),
        (FTL_BUFFER, buffer.as_str(), BUFFER.default),
        (FTL_MAPPING, own.name(FTL_MAPPING), MAPPING.default),
        (FTL_TRIM, own.name(FTL_TRIM), TRIM.default),
    ];
    // What drops no pages has no option of TRIM.
    let unused = unused
        .into_iter()
        .find(|(_, value, default)| !value.is_empty() && value != default);
    unused.map_or(Ok(None), |(name, value, _)| {
        Err(Error::BadParameter {
            name: "option",
            value: format!("{name}={value}"),
            message: format!("has no effect without {FTL_SPARE}"),
            hint: format!("also give {FTL_SPARE} from 1 to {MOST_SPARE}, or leave it out"),
        })
    })
}

/// What lies below the flash of a page-flow scheme, and beside it.
pub(crate) trait Below: Default {
    /// Makes room for the numbers `0..pages` of pages, or of blocks.
    fn grow(&mut self, _pages: usize) {}
    /// A page is written to flash, whether it was there or not.
    fn write(&mut self, _page: u32) {}
    /// So many pages of a block are written, from one on, whether the block was there or not.
    fn write_in_block(&mut self, _block: u32, _first: u32, _pages: u32) {}
    /// A page or a block that was on flash is no longer there.
    fn leave(&mut self, _page: u32) {}
    /// A page of a block that stays on flash is no longer valid there.
    fn drop_from_block(&mut self, _block: u32, _page: u32) {}
    /// The entry of the page, or block, that is accessed is read in the flash directory.
    fn find(&mut self, _page: u32) {}
    /// The entry of another one is read.
    fn look_up(&mut self, _page: u32) {}
    /// It is written.
    fn update(&mut self, _page: u32) {}
    /// Puts the flash on a device.
    fn put_on(&mut self, _device: Placed) {}
    /// Puts the directory on flash.
    fn keep(&mut self, _directory: Directory) {}
    /// Sets the counters to 0.
    fn restart_counters(&mut self) {}
    /// Takes over device and directory of a machine that crashed; what is on flash is found no more.
    fn come_back(&mut self, _crashed: &mut Self) {}
    /// What the device did.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for writes that it does not take.
    fn translated(&self) -> Result<Option<FtlResult>> {
        Ok(None)
    }
    /// What the directory on flash did.
    fn looked_up(&self) -> Option<DirectoryResult> {
        None
    }
    /// What the directory on flash counts from the beginning on.
    fn directory_counted(&self) -> DirectoryCounters {
        DirectoryCounters::default()
    }
    /// Counts the frames again, of which `held` must be in use, and what the directory was asked for.
    fn recount(&self, _held: u32, _counters: &SchemeCounters) -> std::result::Result<(), String> {
        Ok(())
    }
}

/// Nothing: flash writes are only counted.
impl Below for () {}

/// A device, and a directory on flash, if they were asked for.
#[derive(Debug, Default)]
pub(crate) struct PerhapsPlaced {
    placed: Option<Box<Placed>>,
    directory: Option<Box<Directory>>,
}

impl Below for PerhapsPlaced {
    fn grow(&mut self, pages: usize) {
        if let Some(placed) = &mut self.placed {
            placed.frames.resize(pages, NOWHERE);
        }
    }

    #[inline]
    fn write(&mut self, page: u32) {
        if let Some(placed) = &mut self.placed {
            placed.write(page, 0, 1);
        }
    }

    #[inline]
    fn write_in_block(&mut self, block: u32, first: u32, pages: u32) {
        if let Some(placed) = &mut self.placed {
            placed.write(block, first, pages);
        }
    }

    #[inline]
    fn leave(&mut self, page: u32) {
        if let Some(placed) = &mut self.placed {
            placed.leave(page);
        }
    }

    #[inline]
    fn drop_from_block(&mut self, block: u32, page: u32) {
        if let Some(placed) = &mut self.placed {
            placed.drop_from(block, page);
        }
    }

    #[inline]
    fn find(&mut self, page: u32) {
        if let Some(directory) = &mut self.directory {
            let written = directory.find(page);
            self.write_directory(written);
        }
    }

    #[inline]
    fn look_up(&mut self, page: u32) {
        if let Some(directory) = &mut self.directory {
            let written = directory.look_up(page);
            self.write_directory(written);
        }
    }

    #[inline]
    fn update(&mut self, page: u32) {
        if let Some(directory) = &mut self.directory {
            let written = directory.update(page);
            self.write_directory(written);
        }
    }

    fn put_on(&mut self, device: Placed) {
        self.placed = Some(Box::new(device));
    }

    fn keep(&mut self, directory: Directory) {
        self.directory = Some(Box::new(directory));
    }

    fn restart_counters(&mut self) {
        if let Some(placed) = &mut self.placed {
            placed.under.restart_counters();
        }
        if let Some(directory) = &mut self.directory {
            directory.restart_counters();
        }
    }

    fn come_back(&mut self, crashed: &mut Self) {
        self.placed = crashed.placed.take();
        if let Some(placed) = &mut self.placed {
            placed.forget();
        }
        self.directory = crashed.directory.take();
        if let Some(directory) = &mut self.directory {
            directory.forget();
        }
    }

    fn translated(&self) -> Result<Option<FtlResult>> {
        let result = self.placed.as_ref().map(|placed| placed.under.result());
        result.transpose()
    }

    fn looked_up(&self) -> Option<DirectoryResult> {
        self.directory.as_ref().map(|directory| directory.result())
    }

    fn directory_counted(&self) -> DirectoryCounters {
        let directory = self.directory.as_ref();
        directory.map_or_else(DirectoryCounters::default, |directory| directory.counted())
    }

    fn recount(&self, held: u32, counters: &SchemeCounters) -> std::result::Result<(), String> {
        if let Some(placed) = &self.placed {
            placed.recount(held)?;
        }
        self.directory.as_ref().map_or(Ok(()), |directory| {
            directory.recount(counters.directory_lookups, counters.directory_updates)
        })
    }
}

impl PerhapsPlaced {
    /// A page of the directory is written, if one is.
    #[inline]
    fn write_directory(&mut self, page: Option<u32>) {
        if let (Some(page), Some(placed)) = (page, &mut self.placed) {
            placed.under.write_metadata(page);
        }
    }
}

/// Frame of a page or a block that is not on flash.
const NOWHERE: u32 = u32::MAX;

/// A device, and the frame of each page or block on flash, whose pages are logical pages of the device.
#[derive(Debug)]
pub(crate) struct Placed {
    /// Frame of each page or block.
    frames: Vec<u32>,
    frame_pages: u32,
    room: Room,
    under: Under,
}

impl Placed {
    fn new(frames: u32, frame_pages: u32, under: Under) -> Self {
        Self {
            frames: Vec::new(),
            frame_pages,
            room: Room::new(frames),
            under,
        }
    }

    /// Writes so many pages of a frame, from one on.
    #[inline]
    fn write(&mut self, block: u32, first: u32, pages: u32) {
        let frame = &mut self.frames[block as usize];
        if *frame == NOWHERE {
            *frame = self.room.take().expect("no more than fit");
        }
        self.under
            .write(*frame * self.frame_pages + first, pages, 0);
    }

    #[inline]
    fn leave(&mut self, block: u32) {
        let frame = std::mem::replace(&mut self.frames[block as usize], NOWHERE);
        self.room.give_back(frame);
        self.under.trim(frame * self.frame_pages, self.frame_pages);
    }

    fn drop_from(&mut self, block: u32, page: u32) {
        let frame = self.frames[block as usize];
        self.under.trim(frame * self.frame_pages + page, 1);
    }

    /// All frames are free again, and the device has given up what it held.
    fn forget(&mut self) {
        self.frames.fill(NOWHERE);
        self.room.empty();
        self.under.give_up();
    }

    fn recount(&self, held: u32) -> std::result::Result<(), String> {
        let mut found = self.room.given_back().to_vec();
        let free = found.len();
        found.extend(self.frames.iter().filter(|&&frame| frame != NOWHERE));
        let in_use = found.len() - free;
        found.sort_unstable();
        if found.iter().copied().ne(0..self.room.ever_taken()) {
            return Err("a frame of the flash device is used twice or lost".to_owned());
        }
        if in_use != held as usize {
            return Err(format!(
                "{in_use} frames of the flash device are in use, and flash holds {held}"
            ));
        }
        Ok(())
    }
}
