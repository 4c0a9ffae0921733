//! Parts of one trace whose pages have the numbers of the whole, made without a dictionary of all pages in any process.
//!
//! Pages are numbered in the order of their first access. Each part is converted by itself first, so that its pages have
//! numbers within it, in the order of their first access there. Then, with the pages divided by ranges of a hash:
//!
//! 1. [`divide_pages`]: of each part, its pages by range, in the order of their numbers.
//! 2. [`first_touches`]: of each range, through all parts in their order, which page was in no part before.
//! 3. [`number_new`]: of each part, the numbers of those: they follow one another in the order of the part, behind the pages
//!    of all parts before it, whose counts alone must be known.
//! 4. [`number_all`]: of each range, the numbers of all pages of each part.
//! 5. [`numbered_part`]: of each part, the canonical trace with these numbers.
//!
//! Steps 1, 3 and 5 take the memory of the pages of a part, 2 and 4 of those of a range. [`joined_parts`] then makes one
//! canonical trace of all parts by their numbers, with the memory of the pages of a part.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::columns::{Check, decode_column, encode_column};
use super::reader::CanonicalReader;
use super::writer::{CanonicalWriter, RawChunk};
use super::{COLUMN_HEAD_BYTES, CanonicalFoot, CanonicalHead, CanonicalOrigin};
use crate::access::{AccessSource, CHUNK_ACCESSES, Chunk};
use crate::curve::{MOST_RANGES, check_names, hash_of, range_of};
use crate::error::{Error, Result};
use crate::hash::FastMap;
use crate::kept::{Kind, invalid, read_head, write_head};
use crate::progress::{OnProgress, Progress, report};
use crate::trace::identity::{ContentHash, SequenceHash};
use crate::trace::numbers::PageNumbers;
use crate::trace::reader::Warning;
use crate::wording::counted;

/// Numbers in a block of a column.
const BLOCK: usize = CHUNK_ACCESSES;
/// Longest block of a column [bytes].
const MAX_BLOCK_BYTES: usize = COLUMN_HEAD_BYTES + 8 * BLOCK;

const KIND: Kind = Kind {
    magic: *b"\x89TWNUMB\n",
    version: 1,
    holds: "numbers of pages",
    hint: "delete it, and run the command again: it is made again",
};

/// Where a part lies in its trace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartOfWhole {
    /// Name of the conversion: that of its inputs.
    pub trace: String,
    /// From 0 on.
    pub number: u64,
    /// How many there are.
    pub parts: u64,
    /// Distinct pages of all parts before it.
    pub pages_before: u64,
    /// Accesses of all parts before it.
    pub accesses_before: u64,
    /// Number in the whole of each of its devices.
    pub devices: Vec<u32>,
}

/// What a foot says of a part must be possible, and is there where the file has numbers.
pub(super) fn check(foot: &CanonicalFoot, numbered: bool) -> Check<()> {
    let sound = match &foot.part {
        None => !numbered,
        Some(part) => {
            numbered && part.number < part.parts && part.devices.len() == foot.spaces.len()
        }
    };
    if sound {
        return Ok(());
    }
    Err("its foot does not say where it lies in its trace".to_owned())
}

/// What a file of numbers begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    /// Devices of the part.
    spaces: Vec<String>,
    columns: u64,
    /// Length of each column.
    numbers: u64,
    /// What the caller keeps with it.
    notes: String,
}

/// Columns of numbers in a file.
struct Numbers {
    spaces: Vec<String>,
    notes: String,
    columns: Vec<Vec<u64>>,
}

impl Numbers {
    fn write(path: &Path, spaces: &[String], notes: &str, columns: &[&[u64]]) -> Result<()> {
        let head = Head {
            spaces: spaces.to_vec(),
            columns: columns.len() as u64,
            numbers: columns.first().map_or(0, |column| column.len() as u64),
            notes: notes.to_owned(),
        };
        KIND.write(path, |out| {
            write_head(out, &head)?;
            let (mut codes, mut bytes) = (Vec::new(), Vec::new());
            for block in columns.iter().flat_map(|column| column.chunks(BLOCK)) {
                encode_column(block, &mut codes, &mut bytes);
                let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                out.write_all(&length.to_le_bytes())?;
                out.write_all(&bytes)?;
            }
            Ok(())
        })
    }

    fn read(path: &Path) -> Result<Self> {
        KIND.read(path, |body| {
            let head: Head = read_head(body)?;
            let columns = (0..head.columns)
                .map(|_| read_numbers(body, head.numbers))
                .collect::<std::io::Result<_>>()?;
            if body.read(&mut [0])? != 0 {
                return Err(invalid("something follows its end"));
            }
            Ok(Self {
                spaces: head.spaces,
                notes: head.notes,
                columns,
            })
        })
    }

    /// The columns, of which there must be so many.
    fn columns<const N: usize>(self, path: &Path) -> Result<[Vec<u64>; N]> {
        let columns = self.columns.try_into();
        columns.map_err(|_| unfitting(path, "it has other columns"))
    }
}

/// Reads a column; memory grows with what is there.
fn read_numbers(body: &mut dyn Read, count: u64) -> std::io::Result<Vec<u64>> {
    let mut left = usize::try_from(count).map_err(|_| invalid("a count is too large"))?;
    let (mut all, mut bytes, mut block) = (Vec::new(), Vec::new(), Vec::new());
    while left > 0 {
        let here = left.min(BLOCK);
        let mut length = [0; 4];
        body.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_BLOCK_BYTES {
            return Err(invalid("a block is too long"));
        }
        bytes.resize(length, 0);
        body.read_exact(&mut bytes)?;
        decode_column(&bytes, here, &mut block).map_err(|message| invalid(&message))?;
        all.extend_from_slice(&block);
        left -= here;
    }
    Ok(all)
}

fn unfitting(path: &Path, message: &str) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        message: format!("it does not fit the other files of its conversion: {message}"),
        hint: KIND.hint.to_owned(),
    }
}

/// Refuses lists of files of which each belongs to one of the other list, and that differ in length.
fn check_outs(files: &[PathBuf], outs: &[PathBuf]) -> Result<()> {
    if files.len() == outs.len() {
        return Ok(());
    }
    Err(Error::BadParameter {
        name: "outs",
        value: outs.len().to_string(),
        message: format!(
            "there are {} to go with them",
            counted(files.len(), "file", "files")
        ),
        hint: "name as many".to_owned(),
    })
}

/// Checks a whole file of numbers; the notes that were kept with it.
///
/// # Errors
/// As reading it.
pub fn check_numbers(path: &Path) -> Result<String> {
    Ok(Numbers::read(path)?.notes)
}

/// Keeps notes of the caller in a file of numbers without any.
///
/// # Errors
/// [`Error::Io`].
pub fn keep_notes(path: &Path, notes: &str) -> Result<()> {
    Numbers::write(path, &[], notes, &[])
}

/// What head and foot of a canonical trace say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Content {
    /// Format of the original file.
    pub source_format: String,
    /// Page size [bytes].
    pub page_bytes: u64,
    /// Whether it has times.
    pub has_time: bool,
    /// Page accesses.
    pub accesses: u64,
    /// Page accesses that write.
    pub write_accesses: u64,
    /// Distinct pages.
    pub distinct_pages: u32,
    /// Names of its devices, by their numbers.
    pub devices: Vec<String>,
    /// What to know before trusting the numbers.
    pub warnings: Vec<Warning>,
    /// Where it lies in a longer trace.
    pub part: Option<PartOfWhole>,
}

/// Reads head and foot of a canonical trace.
///
/// # Errors
/// The file cannot be read, or is damaged.
pub fn content(path: &Path) -> Result<Content> {
    Ok(content_of(&CanonicalReader::open(path)?))
}

fn content_of(reader: &CanonicalReader) -> Content {
    let (head, foot) = (reader.head(), reader.foot());
    Content {
        source_format: head.source_format.clone(),
        page_bytes: head.page_bytes,
        has_time: head.has_time,
        accesses: foot.accesses,
        write_accesses: foot.write_accesses,
        distinct_pages: foot.distinct_pages,
        devices: foot.spaces.clone(),
        warnings: foot.warnings.clone(),
        part: foot.part.clone(),
    }
}

/// Does the same once every byte of the chunks was checked, without decoding accesses.
///
/// # Errors
/// As [`content`]; [`Error::Cancelled`].
pub fn check_chunks(path: &Path, on_progress: OnProgress<'_>) -> Result<Content> {
    let mut reader = CanonicalReader::open(path)?;
    while reader.next_new_pages(|_, _| {})? {
        report(&reader, 0, on_progress)?;
    }
    Ok(content_of(&reader))
}

/// Which range each page of a part is in.
struct Division {
    names: Vec<u64>,
    ranges: u32,
}

impl Division {
    fn new(spaces: &[String], ranges: usize) -> Result<Self> {
        let ranges = u32::try_from(ranges)
            .ok()
            .filter(|ranges| (1..=MOST_RANGES).contains(ranges))
            .ok_or_else(|| Error::BadParameter {
                name: "ranges",
                value: ranges.to_string(),
                message: format!("pages are divided into 1 to {MOST_RANGES} ranges"),
                hint: "use 64 ranges, for example".to_owned(),
            })?;
        Ok(Self {
            names: spaces.iter().map(|name| hash_of(name)).collect(),
            ranges,
        })
    }

    /// The range of a page; `None` where there is no such device.
    fn range_of(&self, space: u64, page: u64) -> Option<usize> {
        let name = self.names.get(usize::try_from(space).ok()?)?;
        Some(range_of(*name, page, self.ranges) as usize)
    }
}

fn no_device(path: &Path) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        message: "the canonical trace is damaged: a page is of no device".to_owned(),
        hint: "convert the original trace again, or copy the file again".to_owned(),
    }
}

/// Divides the pages of a part by range, one file each, and keeps notes with them.
///
/// # Errors
/// The part cannot be read, or two of its devices have one name; [`Error::Cancelled`].
pub fn divide_pages(
    path: &Path,
    outs: &[PathBuf],
    notes: &str,
    on_progress: OnProgress<'_>,
) -> Result<()> {
    let mut reader = CanonicalReader::open(path)?;
    let spaces = reader.foot().spaces.clone();
    check_names(&spaces)?;
    let division = Division::new(&spaces, outs.len())?;
    let mut each = vec![[Vec::new(), Vec::new()]; outs.len()];
    let mut sound = true;
    while reader.next_new_pages(|space, page| match division.range_of(space, page) {
        Some(range) => {
            each[range][0].push(space);
            each[range][1].push(page);
        }
        None => sound = false,
    })? {
        report(&reader, 0, on_progress)?;
    }
    if !sound {
        return Err(no_device(path));
    }
    for ([of, pages], out) in each.iter().zip(outs) {
        Numbers::write(out, &spaces, notes, &[of, pages])?;
    }
    Ok(())
}

/// The pages of a range, numbered by first appearance.
#[derive(Default)]
struct Known {
    devices: FastMap<String, usize>,
    numbers: Vec<PageNumbers>,
    distinct: u32,
}

impl Known {
    /// Numbers here of the devices of a part.
    fn devices(&mut self, spaces: Vec<String>) -> Vec<usize> {
        spaces
            .into_iter()
            .map(|name| {
                let next = self.devices.len();
                let number = *self.devices.entry(name).or_insert(next);
                if number == next {
                    self.numbers.push(PageNumbers::default());
                }
                number
            })
            .collect()
    }

    /// The number of a page, and whether it is new.
    fn number(&mut self, device: usize, page: u64) -> Result<(u32, bool)> {
        let found = self.numbers[device].number(page, self.distinct);
        self.distinct += u32::from(found.1);
        if self.distinct == u32::MAX {
            return Err(Error::BadParameter {
                name: "hash-ranges",
                value: "too few".to_owned(),
                message: "a range has more distinct pages than 32 bits number".to_owned(),
                hint: "divide the pages into more ranges".to_owned(),
            });
        }
        Ok(found)
    }
}

/// Goes through the pages of a range part by part; `take` gets the part, and of each of its pages the number in the range and
/// whether it is new.
fn through(
    parts: &[PathBuf],
    on_progress: OnProgress<'_>,
    mut take: impl FnMut(usize, &[(u32, bool)]) -> Result<()>,
) -> Result<()> {
    let mut known = Known::default();
    let mut found = Vec::new();
    for (part, path) in parts.iter().enumerate() {
        let step = Progress {
            done: part as u64,
            total: parts.len() as u64,
            accesses: 0,
            requests: None,
        };
        if !on_progress(step) {
            return Err(Error::Cancelled);
        }
        let mut read = Numbers::read(path)?;
        let devices = known.devices(std::mem::take(&mut read.spaces));
        let [spaces, pages] = read.columns(path)?;
        found.clear();
        for (space, page) in spaces.into_iter().zip(pages) {
            let space = usize::try_from(space).unwrap_or(usize::MAX);
            let device = *devices.get(space).ok_or_else(|| no_device(path))?;
            found.push(known.number(device, page)?);
        }
        take(part, &found)?;
    }
    Ok(())
}

/// Finds which pages of a range no earlier part has: of each part a file with a 1 for each of those and a 0 for each other.
/// Returns how many are new in each part.
///
/// # Errors
/// A file cannot be read or written; too many pages; [`Error::Cancelled`].
pub fn first_touches(
    parts: &[PathBuf],
    outs: &[PathBuf],
    on_progress: OnProgress<'_>,
) -> Result<Vec<u64>> {
    check_outs(parts, outs)?;
    let mut news: Vec<u64> = Vec::with_capacity(parts.len());
    through(parts, on_progress, |part, found| {
        let firsts: Vec<u64> = found.iter().map(|&(_, new)| u64::from(new)).collect();
        news.push(firsts.iter().sum());
        Numbers::write(&outs[part], &[], &news[part].to_string(), &[&firsts])
    })?;
    Ok(news)
}

/// One column of the files of all ranges of a part, taken page by page.
struct ByRange<'a> {
    paths: &'a [PathBuf],
    columns: Vec<std::vec::IntoIter<u64>>,
}

impl<'a> ByRange<'a> {
    fn read(paths: &'a [PathBuf]) -> Result<Self> {
        let read = |path: &PathBuf| {
            let [column] = Numbers::read(path)?.columns(path)?;
            Ok(column.into_iter())
        };
        Ok(Self {
            paths,
            columns: paths.iter().map(read).collect::<Result<_>>()?,
        })
    }

    fn next(&mut self, range: usize) -> Result<u64> {
        let next = self.columns[range].next();
        next.ok_or_else(|| unfitting(&self.paths[range], "it has fewer pages than the part"))
    }

    fn check_end(mut self) -> Result<()> {
        match self.columns.iter_mut().position(|column| column.len() > 0) {
            None => Ok(()),
            Some(range) => Err(unfitting(
                &self.paths[range],
                "it has more pages than the part",
            )),
        }
    }
}

/// Numbers the pages of a part that no earlier part has, which [`first_touches`] has found: a file for each range.
///
/// # Errors
/// A file cannot be read or written, or they do not fit together; [`Error::Cancelled`].
pub fn number_new(
    path: &Path,
    firsts: &[PathBuf],
    outs: &[PathBuf],
    pages_before: u64,
    on_progress: OnProgress<'_>,
) -> Result<()> {
    let mut reader = CanonicalReader::open(path)?;
    let division = Division::new(&reader.foot().spaces, firsts.len())?;
    check_outs(firsts, outs)?;
    let mut firsts = ByRange::read(firsts)?;
    let mut each = vec![Vec::new(); outs.len()];
    let mut next = pages_before;
    let mut pages = Vec::new();
    while reader.next_new_pages(|space, page| pages.push((space, page)))? {
        for (space, page) in pages.drain(..) {
            let range = division.range_of(space, page);
            let range = range.ok_or_else(|| no_device(path))?;
            if firsts.next(range)? == 1 {
                each[range].push(next);
                next += 1;
            }
        }
        report(&reader, 0, on_progress)?;
    }
    firsts.check_end()?;
    for (numbers, out) in each.iter().zip(outs) {
        Numbers::write(out, &[], "", &[numbers])?;
    }
    Ok(())
}

/// Numbers all pages of a range in each part, those that are new there as [`number_new`] has numbered them.
///
/// # Errors
/// A file cannot be read or written, or they do not fit together; too many pages; [`Error::Cancelled`].
pub fn number_all(
    parts: &[PathBuf],
    news: &[PathBuf],
    outs: &[PathBuf],
    on_progress: OnProgress<'_>,
) -> Result<()> {
    check_outs(parts, news)?;
    check_outs(parts, outs)?;
    let mut whole: Vec<u64> = Vec::new();
    through(parts, on_progress, |part, found| {
        let mut new = ByRange::read(&news[part..=part])?;
        let mut numbers = Vec::with_capacity(found.len());
        for &(number, is_new) in found {
            if is_new {
                whole.push(new.next(0)?);
            }
            numbers.push(whole[number as usize]);
        }
        new.check_end()?;
        Numbers::write(&outs[part], &[], "", &[&numbers])
    })
}

/// Writes a part with the numbers that [`number_all`] has given its pages.
///
/// # Errors
/// A file cannot be read or written, or they do not fit together; [`Error::Cancelled`].
pub fn numbered_part(
    path: &Path,
    numbers: &[PathBuf],
    out: &Path,
    part: PartOfWhole,
    on_progress: OnProgress<'_>,
) -> Result<()> {
    let mut reader = CanonicalReader::open(path)?;
    let division = Division::new(&reader.foot().spaces, numbers.len())?;
    let mut by_range = ByRange::read(numbers)?;
    let mut writer = CanonicalWriter::create(out, true)?;
    writer.head_of_part(reader.head())?;
    let (mut pages, mut here, mut accesses) = (Vec::new(), Vec::new(), 0);
    while reader.next_new_pages(|space, page| pages.push((space, page)))? {
        here.clear();
        for (space, page) in pages.drain(..) {
            let range = division.range_of(space, page);
            here.push(by_range.next(range.ok_or_else(|| no_device(path))?)?);
        }
        let (count, sections) = reader.last_chunk();
        writer.numbered_chunk(count, sections, &here)?;
        accesses += count as u64;
        report(&reader, accesses, on_progress)?;
    }
    by_range.check_end()?;
    writer.finish(&CanonicalFoot {
        part: Some(part),
        ..reader.foot().clone()
    })?;
    Ok(())
}

/// Opens the parts of one trace, which are all there and in their order.
fn opened(paths: &[PathBuf]) -> Result<Vec<PartOfWhole>> {
    let bad = |path: &Path, message: String| Error::Unreadable {
        path: path.to_owned(),
        message,
        hint: "name all parts of one conversion, in the order of their numbers".to_owned(),
    };
    let mut parts: Vec<PartOfWhole> = Vec::with_capacity(paths.len());
    let mut first: Option<CanonicalHead> = None;
    for (at, path) in paths.iter().enumerate() {
        let reader = CanonicalReader::open(path)?;
        let Some(part) = reader.foot().part.clone() else {
            let message = "its pages have no numbers in a longer trace, so it cannot be joined";
            return Err(bad(path, message.to_owned()));
        };
        let first = first.get_or_insert_with(|| reader.head().clone());
        let other_trace = parts.first().is_some_and(|one| one.trace != part.trace);
        if other_trace
            || (first.page_bytes, first.has_time)
                != (reader.head().page_bytes, reader.head().has_time)
        {
            return Err(bad(path, "it is a part of another conversion".to_owned()));
        }
        if part.number != at as u64 {
            return Err(bad(
                path,
                format!(
                    "it is part {} of {}, and part {} is expected here",
                    part.number + 1,
                    part.parts,
                    at + 1
                ),
            ));
        }
        parts.push(part);
    }
    match (parts.last(), paths.last()) {
        (Some(last), Some(path)) if last.number + 1 < last.parts => Err(bad(
            path,
            format!(
                "it is the last one named, and {} missing behind it",
                counted(last.parts - last.number - 1, "part is", "parts are")
            ),
        )),
        _ => Ok(parts),
    }
}

/// Joins all parts of a trace to one canonical trace, by the numbers of their pages and without a dictionary of them.
///
/// # Errors
/// The files are not all parts of one conversion in its order, or cannot be read or written; more pages than 32 bits number;
/// [`Error::Cancelled`].
pub fn joined_parts(
    paths: &[PathBuf],
    out: &Path,
    force: bool,
    on_progress: OnProgress<'_>,
) -> Result<()> {
    let parts = opened(paths)?;
    let mut joined = Joining::new(out, force)?;
    for (path, part) in paths.iter().zip(&parts) {
        joined.add(path, part, on_progress)?;
    }
    joined.finish(paths.len())
}

/// A canonical trace in the making.
struct Joining {
    writer: CanonicalWriter,
    head: Option<CanonicalHead>,
    foot: CanonicalFoot,
    sequence: SequenceHash,
    content: ContentHash,
    chunk: Chunk,
    spaces: Vec<u32>,
    pages: Vec<u64>,
    /// Of the accesses: a request without pages leaves no time in its part.
    span_ns: Option<(i64, i64)>,
}

impl Joining {
    fn new(out: &Path, force: bool) -> Result<Self> {
        Ok(Self {
            writer: CanonicalWriter::create(out, force)?,
            head: None,
            foot: CanonicalFoot::default(),
            sequence: SequenceHash::new(),
            content: ContentHash::new(0, false),
            chunk: Chunk::default(),
            spaces: Vec::new(),
            pages: Vec::new(),
            span_ns: None,
        })
    }

    fn add(&mut self, path: &Path, part: &PartOfWhole, on_progress: OnProgress<'_>) -> Result<()> {
        let mut reader = CanonicalReader::open(path)?;
        reader.keep_raw();
        reader.keep_numbers();
        reader.with_times();
        let offset_ns = self.begin(&reader)?;
        self.name_devices(&reader, part)?;
        let mut chunk = Chunk::default();
        while reader.next_chunk(&mut chunk)? {
            let (spaces, pages) = reader.raw();
            for at in 0..chunk.len() {
                let number = reader.numbers().get(chunk.pages[at] as usize);
                let number = number.and_then(|number| u32::try_from(*number).ok());
                let number = number.filter(|number| *number != u32::MAX);
                self.chunk.pages.push(number.ok_or_else(|| too_many(path))?);
                self.chunk.flags.push(chunk.flags[at]);
                if let Some(time) = chunk.times_ns.get(at) {
                    let time = time.checked_add(offset_ns).ok_or_else(|| too_far(path))?;
                    let (least, most) = self.span_ns.unwrap_or((time, time));
                    self.span_ns = Some((least.min(time), most.max(time)));
                    self.chunk.times_ns.push(time);
                }
                self.spaces.push(part.devices[spaces[at] as usize]);
                self.pages.push(pages[at]);
                if self.chunk.len() == CHUNK_ACCESSES {
                    self.write()?;
                }
            }
            report(&reader, self.foot.accesses, on_progress)?;
        }
        self.count(reader.foot());
        Ok(())
    }

    /// Writes the head before the first part; how far the times of a part are from those of the trace [ns].
    fn begin(&mut self, reader: &CanonicalReader) -> Result<i64> {
        let head = reader.head();
        if self.head.is_none() {
            self.writer.head(head)?;
            self.content = ContentHash::new(head.page_bytes, head.has_time);
            self.foot.source = CanonicalOrigin {
                converter: concat!("tierwright ", env!("CARGO_PKG_VERSION")).to_owned(),
                file_bytes: 0,
                ..reader.foot().source.clone()
            };
            self.head = Some(head.clone());
        }
        let first = self.head.as_ref().and_then(|head| head.first_time_ns);
        let offset = match (head.first_time_ns, first) {
            (Some(here), Some(first)) => here.checked_sub(first),
            _ => Some(0),
        };
        offset.ok_or_else(|| too_far(reader.path()))
    }

    fn name_devices(&mut self, reader: &CanonicalReader, part: &PartOfWhole) -> Result<()> {
        for (name, &number) in reader.foot().spaces.iter().zip(&part.devices) {
            let number = number as usize;
            if number == self.foot.spaces.len() {
                self.foot.spaces.push(name.clone());
            } else if self.foot.spaces.get(number) != Some(name) {
                return Err(unfitting(reader.path(), "it numbers devices otherwise"));
            }
        }
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        self.sequence.update(&self.pages, &self.chunk.flags);
        self.content.update(
            &self.foot.spaces,
            &self.spaces,
            &self.pages,
            &self.chunk.flags,
            &self.chunk.times_ns,
        );
        self.writer.chunk(&RawChunk {
            chunk: &self.chunk,
            spaces: &self.spaces,
            pages: &self.pages,
        })?;
        self.foot.accesses += self.chunk.len() as u64;
        self.chunk.clear();
        self.spaces.clear();
        self.pages.clear();
        Ok(())
    }

    fn count(&mut self, part: &CanonicalFoot) {
        let foot = &mut self.foot;
        foot.requests += part.requests;
        foot.write_requests += part.write_requests;
        foot.zero_length_requests += part.zero_length_requests;
        foot.write_accesses += part.write_accesses;
        foot.source.file_bytes += part.source.file_bytes;
        for warning in &part.warnings {
            if !foot.warnings.contains(warning) {
                foot.warnings.push(warning.clone());
            }
        }
        for assumption in &part.assumptions {
            if !foot.assumptions.contains(assumption) {
                foot.assumptions.push(assumption.clone());
            }
        }
    }

    fn finish(mut self, parts: usize) -> Result<()> {
        self.write()?;
        let mut foot = self.foot;
        if parts > 1 {
            let first = &foot.source.file_name;
            foot.source.file_name = format!("{first} and {} more", parts - 1);
        }
        foot.chunks = self.writer.chunks();
        foot.distinct_pages = self.writer.distinct_pages();
        let timed = self.head.is_some_and(|head| head.has_time);
        let duration = |(least, most): (i64, i64)| most.abs_diff(least);
        foot.duration_ns = timed.then(|| self.span_ns.map_or(0, duration));
        foot.sha256_of_sequence = self.sequence.finish();
        foot.content_id = self.content.finish();
        self.writer.finish(&foot)?;
        Ok(())
    }
}

#[cold]
fn too_many(path: &Path) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        message: "the trace has more distinct pages than one canonical trace numbers (32 bits)"
            .to_owned(),
        hint: "leave it in parts: a profile is made of them too".to_owned(),
    }
}

#[cold]
fn too_far(path: &Path) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        message: "its times are too far from those of the first part for 64 bits of nanoseconds"
            .to_owned(),
        hint: "check the times of both, and name parts of one trace".to_owned(),
    }
}
