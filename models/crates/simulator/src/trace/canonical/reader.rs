//! Reads a canonical trace, believing nothing that it has not checked.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::columns::{Check, decode_column, decode_pages, unpack_flags};
use super::numbered;
use super::writer::{CanonicalWriter, Written};
use super::{
    CHUNK_HEAD_BYTES, CHUNK_MARK, CanonicalFoot, CanonicalHead, END_MAGIC, MAGIC, MAX_FOOT_BYTES,
    MAX_HEAD_BYTES, MAX_SECTION_BYTES, PREFIX_BYTES, SECTIONS, SECTIONS_OF_PARTS, TAIL_BYTES,
    VERSION, VERSION_OF_PARTS, chunk_head_bytes, crc32,
};
use crate::access::{AccessSource, CHUNK_ACCESSES, Chunk, FIRST_OF_REQUEST};
use crate::error::{Error, Result};
use crate::profile::requests::RequestCounts;
use crate::trace::bytes::{u32_at, u64_at};
use crate::trace::normalise::{DEFAULT_PAGE_BYTES, NO_WRITES_IN_FORMAT, as_f64};
use crate::trace::reader::Warning;
use crate::trace::{TraceSource, TraceSummary};
use crate::wording::counted;

/// A canonical trace as a source of accesses; needs no hash table.
pub(crate) struct CanonicalReader {
    path: PathBuf,
    file: BufReader<File>,
    file_bytes: u64,
    head: CanonicalHead,
    foot: CanonicalFoot,
    position: u64,
    foot_offset: u64,
    with_times: bool,
    next_page: u32,
    chunks: u64,
    accesses: u64,
    write_accesses: u64,
    first_accesses: u64,
    last_time_ns: i64,
    finished: bool,
    decompressor: zstd::bulk::Decompressor<'static>,
    compressed: Vec<u8>,
    section: Vec<u8>,
    wide: Vec<u64>,
    raw: Option<RawDictionary>,
    /// Of a chunk: more of a part.
    sections: usize,
    /// Accesses and sections of the last chunk.
    last: (usize, Sections),
    /// Number in the whole of every page seen, of a part and if asked for.
    numbers: Option<Vec<u64>>,
}

/// Device and page of every page number seen, and of each access of the last chunk.
#[derive(Default)]
struct RawDictionary {
    spaces: Vec<u32>,
    pages: Vec<u64>,
    /// Whether those of each access are kept too.
    of_accesses: bool,
    chunk_spaces: Vec<u32>,
    chunk_pages: Vec<u64>,
}

impl CanonicalReader {
    /// Opens a file and checks head and foot.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let cannot_read = |source| Error::Io {
            action: "read",
            path: path.to_owned(),
            source,
        };
        let mut file = File::open(path).map_err(cannot_read)?;
        let file_bytes = file.metadata().map_err(cannot_read)?.len();
        let (head, chunks_offset, sections) = read_head(&mut file, path, file_bytes)?;
        let (foot, foot_offset) = read_foot(&mut file, path, file_bytes)?;
        if foot_offset < chunks_offset {
            return Err(damaged(path, "its foot begins before its chunks"));
        }
        check_foot(&foot, &head, foot_offset - chunks_offset)
            .and_then(|()| numbered::check(&foot, sections == SECTIONS_OF_PARTS))
            .map_err(|message| damaged(path, &message))?;
        let mut reader = Self::from_chunks(path, file, head, chunks_offset, foot, foot_offset)?;
        reader.sections = sections;
        Ok(reader)
    }

    /// Opens a file that has no foot yet, of which `written` says how far it goes.
    pub(crate) fn open_unfinished(path: &Path, written: &Written) -> Result<Self> {
        let mut file = File::open(path).map_err(|source| Error::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        let (head, chunks_offset, _) = read_head(&mut file, path, written.bytes)?;
        let foot = CanonicalFoot {
            chunks: written.chunks,
            distinct_pages: written.distinct_pages,
            ..CanonicalFoot::default()
        };
        Self::from_chunks(path, file, head, chunks_offset, foot, written.bytes)
    }

    fn from_chunks(
        path: &Path,
        mut file: File,
        head: CanonicalHead,
        chunks_offset: u64,
        foot: CanonicalFoot,
        foot_offset: u64,
    ) -> Result<Self> {
        let cannot_read = |source| Error::Io {
            action: "read",
            path: path.to_owned(),
            source,
        };
        file.seek(SeekFrom::Start(chunks_offset))
            .map_err(cannot_read)?;
        let file_bytes = file.metadata().map_err(cannot_read)?.len();
        Ok(Self {
            path: path.to_owned(),
            file: BufReader::with_capacity(1 << 20, file),
            file_bytes,
            head,
            foot,
            position: chunks_offset,
            foot_offset,
            with_times: false,
            next_page: 0,
            chunks: 0,
            accesses: 0,
            write_accesses: 0,
            first_accesses: 0,
            last_time_ns: 0,
            finished: false,
            decompressor: zstd::bulk::Decompressor::new().map_err(cannot_read)?,
            compressed: Vec::new(),
            section: Vec::with_capacity(MAX_SECTION_BYTES),
            wide: Vec::new(),
            raw: None,
            sections: SECTIONS,
            last: (0, [(0, 0, 0); SECTIONS_OF_PARTS]),
            numbers: None,
        })
    }

    /// Decodes times as well, which a replay does without.
    pub(crate) fn with_times(&mut self) {
        self.with_times = true;
    }

    /// Keeps device and page of each access for [`Self::raw`].
    pub(crate) fn keep_raw(&mut self) {
        self.raw = Some(RawDictionary {
            of_accesses: true,
            ..RawDictionary::default()
        });
    }

    /// Keeps device and page of each page number for [`Self::dictionary`].
    pub(crate) fn keep_dictionary(&mut self) {
        self.raw.get_or_insert_default();
    }

    /// Device and page of each page number seen; empty unless asked for.
    pub(crate) fn dictionary(&self) -> (&[u32], &[u64]) {
        self.raw
            .as_ref()
            .map_or((&[], &[]), |raw| (&raw.spaces, &raw.pages))
    }

    pub(crate) fn raw(&self) -> (&[u32], &[u64]) {
        self.raw
            .as_ref()
            .map_or((&[], &[]), |raw| (&raw.chunk_spaces, &raw.chunk_pages))
    }

    /// Keeps the numbers that the pages of a part have in the whole, for [`Self::numbers`].
    pub(super) fn keep_numbers(&mut self) {
        self.numbers = Some(Vec::new());
    }

    /// Number in the whole of each page number seen; empty unless asked for.
    pub(super) fn numbers(&self) -> &[u64] {
        self.numbers.as_deref().unwrap_or_default()
    }

    /// Accesses of the last chunk, and its sections as they stand in the file.
    pub(super) fn last_chunk(&self) -> (usize, [&[u8]; SECTIONS]) {
        let (accesses, sections) = &self.last;
        let bytes = |at: usize| &self.compressed[sections[at].0..sections[at].1];
        (*accesses, std::array::from_fn(bytes))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn head(&self) -> &CanonicalHead {
        &self.head
    }

    pub(crate) fn foot(&self) -> &CanonicalFoot {
        &self.foot
    }

    pub(crate) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// A warning if a page size was asked for that the trace does not have.
    pub(crate) fn ignored_page_bytes(&self, asked: u64) -> Option<Warning> {
        (asked != self.head.page_bytes && asked != DEFAULT_PAGE_BYTES).then(|| {
            Warning::new(
                "page_bytes_ignored",
                format!(
                    "pages of {asked} bytes were requested, but the canonical trace has pages of {} bytes",
                    self.head.page_bytes
                ),
                "convert the original trace again with the other page size, or join pages into larger ones with [[joined_page_bytes]]",
            )
        })
    }

    /// Compares the hashes of what was read with those of the foot.
    pub(crate) fn check_hashes(&self, sequence: &str, content: &str) -> Result<()> {
        for (name, read, said) in [
            (
                "sha256_of_sequence",
                sequence,
                &self.foot.sha256_of_sequence,
            ),
            ("content id", content, &self.foot.content_id),
        ] {
            if read != said {
                return Err(damaged(
                    &self.path,
                    &format!("its {name} is {read}, its foot says {said}"),
                ));
            }
        }
        Ok(())
    }

    /// Copies the file as it is.
    pub(crate) fn copy_to(&self, writer: &mut CanonicalWriter) -> Result<()> {
        let cannot_read = |source| Error::Io {
            action: "read",
            path: self.path.clone(),
            source,
        };
        let mut file = File::open(&self.path).map_err(cannot_read)?;
        let mut block = vec![0; 1 << 20];
        loop {
            let count = file.read(&mut block).map_err(cannot_read)?;
            if count == 0 {
                return Ok(());
            }
            writer.write(&block[..count])?;
        }
    }

    /// Gives device number and page of each page that the next chunk is the first to touch, without
    /// decoding its accesses, whose checksums are compared; `false` at the end.
    ///
    /// At the end of an unfinished trace its lengths must be those that were written down.
    pub(crate) fn next_new_pages(&mut self, mut take: impl FnMut(u64, u64)) -> Result<bool> {
        if self.position == self.foot_offset {
            if (self.chunks, self.next_page) == (self.foot.chunks, self.foot.distinct_pages) {
                return Ok(false);
            }
            return Err(damaged(&self.path, "chunks are missing"));
        }
        let (accesses, new_pages, sections) = self.read_chunk_head()?;
        self.last = (accesses, sections);
        for (start, end, crc) in &sections[2..self.sections] {
            if crc32(&[&self.compressed[*start..*end]]) != *crc {
                return Err(self.damaged_here("wrong checksum of a section"));
            }
        }
        self.open_section(sections[0], "devices")?;
        decode_column(&self.section, new_pages as usize, &mut self.wide)
            .map_err(|message| self.damaged_here(&message))?;
        let spaces = std::mem::take(&mut self.wide);
        self.open_section(sections[1], "pages")?;
        decode_column(&self.section, new_pages as usize, &mut self.wide)
            .map_err(|message| self.damaged_here(&message))?;
        for (space, page) in spaces.iter().zip(&self.wide) {
            take(*space, *page);
        }
        self.next_page += new_pages;
        self.chunks += 1;
        Ok(true)
    }

    fn damaged_here(&self, message: &str) -> Error {
        Error::BadTrace {
            path: self.path.clone(),
            place: format!("chunk {} at byte {}", self.chunks + 1, self.position),
            message: format!("the canonical trace is damaged: {message}"),
            hint: "convert the original trace again, or copy the file again".to_owned(),
        }
    }

    fn read_chunk(&mut self, chunk: &mut Chunk) -> Result<()> {
        let (accesses, new_pages, sections) = self.read_chunk_head()?;
        let first_new = self.next_page;
        self.decode_accesses(accesses, &sections, chunk)?;
        if self.next_page - first_new != new_pages {
            return Err(self.damaged_here(&format!(
                "{} new, the chunk's head says {new_pages}",
                counted(self.next_page - first_new, "page is", "pages are")
            )));
        }
        if self.raw.is_some() {
            self.decode_dictionary(new_pages as usize, &sections, chunk)?;
        }
        if let Some(mut numbers) = self.numbers.take()
            && self.sections == SECTIONS_OF_PARTS
        {
            self.open_section(sections[SECTIONS], "numbers in the whole")?;
            decode_column(&self.section, new_pages as usize, &mut self.wide)
                .map_err(|message| self.damaged_here(&message))?;
            numbers.extend_from_slice(&self.wide);
            self.numbers = Some(numbers);
        }
        if self.with_times && self.head.has_time {
            self.decode_times(&sections, chunk)?;
        }
        self.chunks += 1;
        Ok(())
    }

    /// Reads one chunk into `compressed`; accesses, new pages, and range and CRC of each section.
    fn read_chunk_head(&mut self) -> Result<(usize, u32, Sections)> {
        let mut head = [0; chunk_head_bytes(SECTIONS_OF_PARTS)];
        let head = &mut head[..chunk_head_bytes(self.sections)];
        if self.foot_offset - self.position < head.len() as u64 {
            return Err(self.damaged_here("the chunk's head is cut off"));
        }
        self.read_exact(head)?;
        let end = head.len() - 4;
        if &head[..4] != CHUNK_MARK || crc32(&[&head[..end]]) != u32_at(head, end) {
            return Err(self.damaged_here("the chunk's head is wrong"));
        }
        let accesses = u32_at(head, 4) as usize;
        let new_pages = u32_at(head, 8);
        let mut sections = [(0, 0, 0); SECTIONS_OF_PARTS];
        let mut total = 0;
        let limit = zstd::zstd_safe::compress_bound(MAX_SECTION_BYTES);
        for (index, section) in sections.iter_mut().take(self.sections).enumerate() {
            let length = u32_at(head, 12 + 8 * index) as usize;
            if length > limit {
                return Err(self.damaged_here(&format!("a section of {length} bytes")));
            }
            *section = (total, total + length, u32_at(head, 16 + 8 * index));
            total += length;
        }
        if accesses == 0 || accesses > CHUNK_ACCESSES || new_pages as usize > accesses {
            return Err(self.damaged_here(&format!(
                "{}, {}",
                counted(accesses, "access", "accesses"),
                counted(new_pages, "new page", "new pages")
            )));
        }
        let position = self.position + head.len() as u64 + total as u64;
        if position > self.foot_offset {
            return Err(self.damaged_here("its sections run into the foot"));
        }
        let mut compressed = std::mem::take(&mut self.compressed);
        compressed.resize(total, 0);
        let read = self.read_exact(&mut compressed);
        self.compressed = compressed;
        read?;
        self.position = position;
        Ok((accesses, new_pages, sections))
    }

    fn read_exact(&mut self, out: &mut [u8]) -> Result<()> {
        self.file.read_exact(out).map_err(|source| Error::Io {
            action: "read",
            path: self.path.clone(),
            source,
        })
    }

    /// Decompresses one section into `self.section`.
    fn open_section(&mut self, section: (usize, usize, u32), name: &str) -> Result<()> {
        let (start, end, crc) = section;
        let compressed = &self.compressed[start..end];
        if crc32(&[compressed]) != crc {
            return Err(self.damaged_here(&format!("wrong checksum of the {name}")));
        }
        self.section.clear();
        let opened = self
            .decompressor
            .decompress_to_buffer(compressed, &mut self.section);
        if opened.is_err() {
            return Err(self.damaged_here(&format!("the {name} cannot be decompressed")));
        }
        Ok(())
    }

    fn decode_accesses(
        &mut self,
        accesses: usize,
        sections: &Sections,
        chunk: &mut Chunk,
    ) -> Result<()> {
        self.open_section(sections[2], "page numbers")?;
        decode_pages(&self.section, accesses, &mut self.wide, &mut chunk.pages)
            .map_err(|message| self.damaged_here(&message))?;
        // Without a branch: one access in ten may be the first one to its page.
        let mut next = self.next_page;
        let mut skipped = false;
        for &page in &chunk.pages {
            skipped |= page > next || page == u32::MAX;
            next = next.wrapping_add(u32::from(page == next));
        }
        if skipped {
            return Err(self.skipped_page(&chunk.pages));
        }
        self.next_page = next;
        self.open_section(sections[3], "flags")?;
        unpack_flags(&self.section, accesses, &mut chunk.flags)
            .map_err(|message| self.damaged_here(&message))?;
        let set_bytes = accesses.div_ceil(8);
        let ones = |bytes: &[u8]| {
            let (words, rest) = bytes.as_chunks();
            let words = words.iter().map(|word| u64::from_le_bytes(*word));
            let rest = rest.iter().map(|byte| u64::from(*byte));
            let ones = words.chain(rest).map(|word| u64::from(word.count_ones()));
            ones.sum::<u64>()
        };
        self.accesses += accesses as u64;
        self.write_accesses += ones(&self.section[..set_bytes]);
        self.first_accesses += ones(&self.section[set_bytes..]);
        Ok(())
    }

    /// Which page number is the first that is not the next new one.
    #[cold]
    fn skipped_page(&self, pages: &[u32]) -> Error {
        let mut next = self.next_page;
        for &page in pages {
            if page > next || page == u32::MAX {
                return self.damaged_here(&format!(
                    "page number {page} appears when {} been seen",
                    counted(next, "page has", "pages have")
                ));
            }
            next += u32::from(page == next);
        }
        self.damaged_here("its page numbers are out of order")
    }

    fn decode_dictionary(
        &mut self,
        new_pages: usize,
        sections: &Sections,
        chunk: &Chunk,
    ) -> Result<()> {
        let Some(mut raw) = self.raw.take() else {
            return Ok(());
        };
        self.open_section(sections[0], "devices")?;
        decode_column(&self.section, new_pages, &mut self.wide)
            .map_err(|message| self.damaged_here(&message))?;
        for space in &self.wide {
            match u32::try_from(*space) {
                Ok(space) if (space as usize) < self.foot.spaces.len() => raw.spaces.push(space),
                _ => return Err(self.damaged_here(&format!("device number {space}"))),
            }
        }
        self.open_section(sections[1], "pages")?;
        decode_column(&self.section, new_pages, &mut self.wide)
            .map_err(|message| self.damaged_here(&message))?;
        raw.pages.extend_from_slice(&self.wide);
        raw.chunk_spaces.clear();
        raw.chunk_pages.clear();
        if raw.of_accesses {
            if self.foot.spaces.len() == 1 {
                raw.chunk_spaces.resize(chunk.len(), 0);
            } else {
                let spaces = chunk.pages.iter().map(|&page| raw.spaces[page as usize]);
                raw.chunk_spaces.extend(spaces);
            }
            let pages = chunk.pages.iter().map(|&page| raw.pages[page as usize]);
            raw.chunk_pages.extend(pages);
        }
        self.raw = Some(raw);
        Ok(())
    }

    fn decode_times(&mut self, sections: &Sections, chunk: &mut Chunk) -> Result<()> {
        let requests = chunk
            .flags
            .iter()
            .filter(|flag| **flag & FIRST_OF_REQUEST != 0)
            .count();
        self.open_section(sections[4], "times")?;
        decode_column(&self.section, requests, &mut self.wide)
            .map_err(|message| self.damaged_here(&message))?;
        let mut times = self.wide.iter();
        for flag in &chunk.flags {
            if flag & FIRST_OF_REQUEST != 0
                && let Some(time) = times.next()
            {
                self.last_time_ns = time.cast_signed();
            }
            chunk.times_ns.push(self.last_time_ns);
        }
        Ok(())
    }

    /// Compares what was read with what the foot says.
    fn check_end(&self) -> Result<()> {
        let foot = &self.foot;
        let pairs = [
            ("chunks", self.chunks, foot.chunks),
            ("accesses", self.accesses, foot.accesses),
            ("write accesses", self.write_accesses, foot.write_accesses),
            (
                "distinct pages",
                u64::from(self.next_page),
                u64::from(foot.distinct_pages),
            ),
            (
                "requests",
                self.first_accesses,
                foot.requests - foot.zero_length_requests,
            ),
        ];
        for (name, read, said) in pairs {
            if read != said {
                return Err(damaged(
                    &self.path,
                    &format!("it holds {read} {name}, its foot says {said}"),
                ));
            }
        }
        Ok(())
    }
}

/// Start, end and CRC-32 of each section of a chunk.
type Sections = [(usize, usize, u32); SECTIONS_OF_PARTS];

fn damaged(path: &Path, message: &str) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        message: format!("the canonical trace is damaged: {message}"),
        hint: "convert the original trace again, or copy the file again".to_owned(),
    }
}

fn read_at(file: &mut File, path: &Path, offset: u64, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(offset))
        .and_then(|_| file.read_exact(&mut bytes))
        .map_err(|source| Error::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
    Ok(bytes)
}

fn read_head(file: &mut File, path: &Path, file_bytes: u64) -> Result<(CanonicalHead, u64, usize)> {
    if file_bytes < PREFIX_BYTES {
        return Err(interrupted(path));
    }
    let prefix = read_at(file, path, 0, 20)?;
    if prefix[..8] != MAGIC {
        return Err(Error::Unreadable {
            path: path.to_owned(),
            message: "this is not a canonical trace: its first bytes do not match".to_owned(),
            hint: "convert it first, or name its format".to_owned(),
        });
    }
    let version = u32_at(&prefix, 8);
    let sections = match version {
        VERSION => SECTIONS,
        VERSION_OF_PARTS => SECTIONS_OF_PARTS,
        _ => 0,
    };
    if sections == 0 {
        return Err(Error::Unreadable {
            path: path.to_owned(),
            message: format!(
                "this is a canonical trace of version {version}; this program reads versions {VERSION} and {VERSION_OF_PARTS}"
            ),
            hint: "convert the original trace with this version of the program".to_owned(),
        });
    }
    let length = u32_at(&prefix, 12);
    if length > MAX_HEAD_BYTES || PREFIX_BYTES + u64::from(length) > file_bytes {
        return Err(damaged(path, &format!("a head of {length} bytes")));
    }
    let json = read_at(file, path, PREFIX_BYTES, length as usize)?;
    if crc32(&[&json]) != u32_at(&prefix, 16) {
        return Err(damaged(path, "wrong checksum of the head"));
    }
    let head: CanonicalHead =
        serde_json::from_slice(&json).map_err(|error| damaged(path, &format!("head: {error}")))?;
    Ok((head, PREFIX_BYTES + u64::from(length), sections))
}

fn interrupted(path: &Path) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        message:
            "this is a canonical trace without its end: the conversion or the copy was interrupted"
                .to_owned(),
        hint: "convert the original trace again, or copy the file again".to_owned(),
    }
}

fn read_foot(file: &mut File, path: &Path, file_bytes: u64) -> Result<(CanonicalFoot, u64)> {
    if file_bytes < PREFIX_BYTES + TAIL_BYTES {
        return Err(interrupted(path));
    }
    let tail = read_at(file, path, file_bytes - TAIL_BYTES, 24)?;
    if tail[16..] != END_MAGIC {
        return Err(interrupted(path));
    }
    let offset = u64_at(&tail, 0);
    let length = u32_at(&tail, 8);
    if length > MAX_FOOT_BYTES
        || offset.checked_add(u64::from(length) + TAIL_BYTES) != Some(file_bytes)
    {
        return Err(damaged(
            path,
            &format!("a foot of {length} bytes at byte {offset}"),
        ));
    }
    let json = read_at(file, path, offset, length as usize)?;
    if crc32(&[&json]) != u32_at(&tail, 12) {
        return Err(damaged(path, "wrong checksum of the foot"));
    }
    let foot: CanonicalFoot =
        serde_json::from_slice(&json).map_err(|error| damaged(path, &format!("foot: {error}")))?;
    Ok((foot, offset))
}

/// What the foot says must be possible before anybody sizes an array by it.
fn check_foot(foot: &CanonicalFoot, head: &CanonicalHead, chunk_bytes: u64) -> Check<()> {
    let possible = [
        (head.page_bytes > 0, "page size 0"),
        (
            foot.chunks.checked_mul(CHUNK_HEAD_BYTES as u64) <= Some(chunk_bytes)
                && foot.chunks <= chunk_bytes,
            "more chunks than bytes",
        ),
        (
            foot.accesses > 0 && foot.accesses <= foot.chunks.saturating_mul(CHUNK_ACCESSES as u64),
            "an impossible number of accesses",
        ),
        (
            foot.distinct_pages > 0 && u64::from(foot.distinct_pages) <= foot.accesses,
            "an impossible number of distinct pages",
        ),
        (
            foot.write_accesses <= foot.accesses
                && foot.write_requests <= foot.requests
                && foot.zero_length_requests <= foot.requests,
            "more writes or empty requests than requests",
        ),
        (!foot.spaces.is_empty(), "no device"),
        (
            head.has_time == foot.duration_ns.is_some(),
            "a duration without time, or the reverse",
        ),
    ];
    if let Some((_, what)) = possible.iter().find(|(good, _)| !good) {
        return Err(format!("its foot says {what}"));
    }
    match &foot.request_counts {
        Some(counts) => counts.check(foot.requests - foot.zero_length_requests, foot.spaces.len()),
        None => Ok(()),
    }
}

impl AccessSource for CanonicalReader {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        chunk.clear();
        if self.finished {
            return Ok(false);
        }
        if self.position == self.foot_offset {
            self.check_end()?;
            self.finished = true;
            self.position = self.file_bytes;
            return Ok(false);
        }
        let read = self.read_chunk(chunk);
        if read.is_err() {
            chunk.clear();
        }
        read.map(|()| true)
    }

    fn tells_writes(&self) -> bool {
        !self
            .foot
            .warnings
            .iter()
            .any(|warning| warning.name == NO_WRITES_IN_FORMAT)
    }

    fn distinct_pages_known(&self) -> Option<u32> {
        Some(self.foot.distinct_pages)
    }

    fn request_counts(&self) -> Option<RequestCounts> {
        self.foot.request_counts.clone()
    }

    fn position(&self) -> (u64, u64) {
        (self.position, self.file_bytes)
    }
}

impl TraceSource for CanonicalReader {
    fn summary(&self) -> TraceSummary {
        TraceSummary {
            format: crate::trace::formats::CANONICAL_NAME,
            requests: self.foot.requests,
            write_requests: self.foot.write_requests,
            accesses: self.foot.accesses,
            write_accesses: self.foot.write_accesses,
            distinct_pages: u64::from(self.foot.distinct_pages),
            page_bytes: self.head.page_bytes,
            duration_s: self.foot.duration_ns.map(|duration| as_f64(duration) / 1e9),
        }
    }
}
