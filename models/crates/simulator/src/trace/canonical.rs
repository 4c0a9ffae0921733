//! The canonical trace (`.twt`): densely numbered pages in compressed columns.
//!
//! Layout, all integers little-endian:
//!
//! ```text
//! magic (8 bytes), version u32, length of head u32, CRC-32 of head u32, head (JSON)
//! chunk*: "CHNK", accesses u32, new pages u32, 5 x (length u32, CRC-32 u32), CRC-32 of all that,
//!         then five zstd frames: spaces and pages of the new pages, page numbers, flags, times
//! foot (JSON)
//! offset of foot u64, length of foot u32, CRC-32 of foot u32, end magic (8 bytes)
//! ```
//!
//! A column of integers is one byte of mode (1: zigzag differences, 0: plain), one byte of width
//! and that many byte planes, lowest first. Flags are two bit sets: writes, first of request.
//! Times (nanoseconds since the first request) are stored once for each first of request.
//! A file without foot is an interrupted conversion and is refused. Numbers appear in order of
//! first use, which is checked, so an array of `distinct_pages` entries can hold every page.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::access::{AccessSource, CHUNK_ACCESSES, Chunk, FIRST_OF_REQUEST, WRITE};
use crate::error::{Error, Result};
use crate::trace::bytes::{u32_at, u64_at};
use crate::trace::normalise::{DEFAULT_PAGE_BYTES, as_f64};
use crate::trace::reader::Warning;
use crate::trace::{TraceSource, TraceSummary};

/// First bytes of the file: not text, and damaged by any newline or 7-bit conversion.
pub(crate) const MAGIC: [u8; 8] = *b"\x89TWT\r\n\x1a\n";
const END_MAGIC: [u8; 8] = *b"TWT-END\n";
const VERSION: u32 = 1;
const CHUNK_MARK: &[u8; 4] = b"CHNK";
const SECTIONS: usize = 5;
/// Bytes of a chunk's head.
const CHUNK_HEAD_BYTES: usize = 4 + 4 + 4 + SECTIONS * 8 + 4;
/// Bytes after the foot.
const TAIL_BYTES: u64 = 8 + 4 + 4 + 8;
/// Bytes before the head.
const PREFIX_BYTES: u64 = 8 + 4 + 4 + 4;
/// Longest head [bytes].
const MAX_HEAD_BYTES: u32 = 1 << 20;
/// Longest foot [bytes]: names of millions of devices.
const MAX_FOOT_BYTES: u32 = 1 << 30;
/// Mode and width bytes of an integer column.
const COLUMN_HEAD_BYTES: usize = 2;
/// Longest decompressed section [bytes].
const MAX_SECTION_BYTES: usize = COLUMN_HEAD_BYTES + 8 * CHUNK_ACCESSES;
/// Fast: the byte planes leave little for higher levels to find.
const ZSTD_LEVEL: i32 = 1;

/// What is known before the first access.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CanonicalHead {
    pub(crate) page_bytes: u64,
    pub(crate) source_format: String,
    pub(crate) has_time: bool,
    /// Time of the first request [ns since the epoch of the source format].
    pub(crate) first_time_ns: Option<i64>,
}

/// What is known after the last access.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CanonicalFoot {
    pub(crate) chunks: u64,
    pub(crate) requests: u64,
    pub(crate) write_requests: u64,
    pub(crate) zero_length_requests: u64,
    pub(crate) accesses: u64,
    pub(crate) write_accesses: u64,
    pub(crate) distinct_pages: u32,
    pub(crate) duration_ns: Option<u64>,
    pub(crate) sha256_of_sequence: String,
    pub(crate) content_id: String,
    pub(crate) spaces: Vec<String>,
    pub(crate) source: CanonicalOrigin,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) assumptions: Vec<String>,
}

/// The conversion log: from what the file was made and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CanonicalOrigin {
    pub(crate) file_name: String,
    pub(crate) file_bytes: u64,
    pub(crate) compression: String,
    pub(crate) columns: std::collections::BTreeMap<String, String>,
    pub(crate) converter: String,
}

fn crc32(parts: &[&[u8]]) -> u32 {
    let mut crc = flate2::Crc::new();
    for part in parts {
        crc.update(part);
    }
    crc.sum()
}

// --- columns ----------------------------------------------------------------------------------

fn zigzag(difference: i64) -> u64 {
    ((difference << 1) ^ (difference >> 63)).cast_unsigned()
}

fn unzigzag(code: u64) -> i64 {
    (code >> 1).cast_signed() ^ -((code & 1).cast_signed())
}

fn width_of(largest: u64) -> usize {
    (64 - largest.leading_zeros() as usize).div_ceil(8)
}

/// Encodes integers as differences or plainly, whichever has less to say, in byte planes.
fn encode_column(values: &[u64], codes: &mut Vec<u64>, out: &mut Vec<u8>) {
    codes.clear();
    let mut last = 0_u64;
    let mut largest = (0_u64, 0_u64);
    let mut steps = 0_usize;
    for &value in values {
        let code = zigzag(value.wrapping_sub(last).cast_signed());
        last = value;
        steps += usize::from(code <= 2);
        largest = (largest.0 | value, largest.1 | code);
        codes.push(code);
    }
    let widths = (width_of(largest.0), width_of(largest.1));
    let differences = widths.1 < widths.0 || steps * 2 > values.len();
    let (source, width) = if differences {
        (codes.as_slice(), widths.1)
    } else {
        (values, widths.0)
    };
    out.clear();
    out.push(u8::from(differences));
    out.push(u8::try_from(width).unwrap_or(8));
    for plane in 0..width {
        let shift = 8 * plane;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "one byte of the value is wanted"
        )]
        out.extend(source.iter().map(|value| (value >> shift) as u8));
    }
}

/// What is wrong with bytes read from a canonical file.
type Check<T> = std::result::Result<T, String>;

/// Splits an encoded column into mode and planes, for exactly `count` values of at most
/// `max_width` bytes.
fn column_planes(bytes: &[u8], count: usize, max_width: usize) -> Check<(bool, Vec<&[u8]>)> {
    let [mode, width, planes @ ..] = bytes else {
        return Err("a column has no head".to_owned());
    };
    let width = usize::from(*width);
    if *mode > 1 || width > max_width || planes.len() != width * count {
        return Err(format!(
            "a column of {count} values has mode {mode}, width {width} and {} bytes",
            planes.len()
        ));
    }
    Ok((*mode == 1, planes.chunks_exact(count.max(1)).collect()))
}

/// The 64-bit values of a column.
fn decode_column(bytes: &[u8], count: usize, out: &mut Vec<u64>) -> Check<()> {
    let (differences, planes) = column_planes(bytes, count, 8)?;
    out.clear();
    out.resize(count, 0);
    for (index, plane) in planes.iter().enumerate() {
        for (value, byte) in out.iter_mut().zip(*plane) {
            *value |= u64::from(*byte) << (8 * index);
        }
    }
    if differences {
        let mut last = 0_u64;
        for value in out.iter_mut() {
            last = last.wrapping_add(unzigzag(*value).cast_unsigned());
            *value = last;
        }
    }
    Ok(())
}

/// The page numbers of a chunk. Differences of 32-bit numbers need up to 33 bits: those go through
/// the general decoder.
fn decode_pages(bytes: &[u8], count: usize, wide: &mut Vec<u64>, out: &mut Vec<u32>) -> Check<()> {
    let (differences, planes) = column_planes(bytes, count, 5)?;
    out.clear();
    if differences || planes.len() > 4 {
        decode_column(bytes, count, wide)?;
        for value in wide.iter() {
            out.push(u32::try_from(*value).map_err(|_| format!("page number {value}"))?);
        }
        return Ok(());
    }
    match planes[..] {
        [a] => out.extend(a.iter().map(|a| u32::from(*a))),
        [a, b] => out.extend(
            a.iter()
                .zip(b)
                .map(|(a, b)| u32::from_le_bytes([*a, *b, 0, 0])),
        ),
        [a, b, c] => out.extend(
            a.iter()
                .zip(b)
                .zip(c)
                .map(|((a, b), c)| u32::from_le_bytes([*a, *b, *c, 0])),
        ),
        [a, b, c, d] => out.extend(
            a.iter()
                .zip(b)
                .zip(c)
                .zip(d)
                .map(|(((a, b), c), d)| u32::from_le_bytes([*a, *b, *c, *d])),
        ),
        _ => out.resize(count, 0),
    }
    Ok(())
}

/// One bit of each flag, eight to a byte.
fn pack_bits(flags: &[u8], mask: u8, out: &mut Vec<u8>) {
    for group in flags.chunks(8) {
        out.push(group.iter().enumerate().fold(0, |byte, (bit, flag)| {
            byte | u8::from(flag & mask != 0) << bit
        }));
    }
}

/// Eight flag bytes for each byte of a bit set.
const fn spread_table(flag: u8) -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][bit] = flag;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
}

static SPREAD_WRITE: [[u8; 8]; 256] = spread_table(WRITE);
static SPREAD_FIRST: [[u8; 8]; 256] = spread_table(FIRST_OF_REQUEST);

fn unpack_flags(bytes: &[u8], count: usize, out: &mut Vec<u8>) -> Check<()> {
    let set_bytes = count.div_ceil(8);
    if bytes.len() != 2 * set_bytes {
        return Err(format!(
            "{} bytes of flags for {count} accesses",
            bytes.len()
        ));
    }
    let (writes, firsts) = bytes.split_at(set_bytes);
    out.clear();
    for (write, first) in writes.iter().zip(firsts) {
        let mut flags = u64::from_le_bytes(SPREAD_WRITE[usize::from(*write)]);
        flags |= u64::from_le_bytes(SPREAD_FIRST[usize::from(*first)]);
        out.extend_from_slice(&flags.to_le_bytes());
    }
    if out[count..].iter().any(|flag| *flag != 0) {
        return Err("flags beyond the last access".to_owned());
    }
    out.truncate(count);
    Ok(())
}

// --- writer -----------------------------------------------------------------------------------

/// Writes a canonical trace beside its final name and moves it there when it is complete.
pub(crate) struct CanonicalWriter {
    out: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<File>>,
    force: bool,
    written: u64,
    chunks: u64,
    next_page: u32,
    compressor: zstd::bulk::Compressor<'static>,
    values: Vec<u64>,
    codes: Vec<u64>,
    column: Vec<u8>,
    spaces: Vec<u64>,
    dictionary: Vec<u64>,
}

/// One chunk as the writer takes it.
pub(crate) struct RawChunk<'a> {
    pub(crate) chunk: &'a Chunk,
    pub(crate) spaces: &'a [u32],
    pub(crate) pages: &'a [u64],
}

impl CanonicalWriter {
    /// Refuses an existing `out` unless `force`; creates the temporary file.
    pub(crate) fn create(out: &Path, force: bool) -> Result<Self> {
        refuse_existing(out, force)?;
        let temporary = temporary_name(out);
        let file = File::options()
            .write(true)
            .create_new(true)
            .open(&temporary)
            .map_err(|source| Error::Io {
                action: "create",
                path: temporary.clone(),
                source,
            })?;
        let compressor = zstd::bulk::Compressor::new(ZSTD_LEVEL).map_err(|source| Error::Io {
            action: "compress",
            path: out.to_owned(),
            source,
        })?;
        Ok(Self {
            out: out.to_owned(),
            temporary,
            file: Some(BufWriter::with_capacity(1 << 20, file)),
            force,
            written: 0,
            chunks: 0,
            next_page: 0,
            compressor,
            values: Vec::new(),
            codes: Vec::new(),
            column: Vec::new(),
            spaces: Vec::new(),
            dictionary: Vec::new(),
        })
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Io {
            action: "write",
            path: self.temporary.clone(),
            source,
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.written += bytes.len() as u64;
        let written = match &mut self.file {
            Some(file) => file.write_all(bytes),
            None => Err(io::Error::other("the file is closed")),
        };
        written.map_err(|source| self.failed(source))
    }

    pub(crate) fn head(&mut self, head: &CanonicalHead) -> Result<()> {
        let json = self.json(head)?;
        let length = self.length(json.len())?;
        self.write(&MAGIC)?;
        self.write(&VERSION.to_le_bytes())?;
        self.write(&length.to_le_bytes())?;
        self.write(&crc32(&[&json]).to_le_bytes())?;
        self.write(&json)
    }

    fn json(&self, value: &impl Serialize) -> Result<Vec<u8>> {
        serde_json::to_vec(value).map_err(|error| self.failed(io::Error::other(error)))
    }

    fn length(&self, length: usize) -> Result<u32> {
        u32::try_from(length).map_err(|error| self.failed(io::Error::other(error)))
    }

    /// Appends the accesses of one chunk.
    pub(crate) fn chunk(&mut self, raw: &RawChunk<'_>) -> Result<()> {
        let first_new = self.next_page;
        self.spaces.clear();
        self.dictionary.clear();
        for (index, page) in raw.chunk.pages.iter().enumerate() {
            if *page == self.next_page {
                self.next_page += 1;
                self.spaces.push(u64::from(raw.spaces[index]));
                self.dictionary.push(raw.pages[index]);
            }
        }
        let mut sections: [Vec<u8>; SECTIONS] = Default::default();
        let spaces = std::mem::take(&mut self.spaces);
        sections[0] = self.section(&spaces)?;
        self.spaces = spaces;
        let dictionary = std::mem::take(&mut self.dictionary);
        sections[1] = self.section(&dictionary)?;
        self.dictionary = dictionary;
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        values.extend(raw.chunk.pages.iter().map(|page| u64::from(*page)));
        sections[2] = self.section(&values)?;
        self.column.clear();
        pack_bits(&raw.chunk.flags, WRITE, &mut self.column);
        pack_bits(&raw.chunk.flags, FIRST_OF_REQUEST, &mut self.column);
        sections[3] = self.compressed()?;
        values.clear();
        values.extend(
            raw.chunk
                .times_ns
                .iter()
                .zip(&raw.chunk.flags)
                .filter(|(_, flag)| **flag & FIRST_OF_REQUEST != 0)
                .map(|(time, _)| time.cast_unsigned()),
        );
        sections[4] = self.section(&values)?;
        self.values = values;
        self.chunk_bytes(raw.chunk.len(), self.next_page - first_new, &sections)
    }

    fn section(&mut self, values: &[u64]) -> Result<Vec<u8>> {
        encode_column(values, &mut self.codes, &mut self.column);
        self.compressed()
    }

    fn compressed(&mut self) -> Result<Vec<u8>> {
        self.compressor
            .compress(&self.column)
            .map_err(|source| self.failed(source))
    }

    fn chunk_bytes(
        &mut self,
        accesses: usize,
        new_pages: u32,
        sections: &[Vec<u8>; SECTIONS],
    ) -> Result<()> {
        let mut head = Vec::with_capacity(CHUNK_HEAD_BYTES);
        head.extend_from_slice(CHUNK_MARK);
        head.extend_from_slice(&self.length(accesses)?.to_le_bytes());
        head.extend_from_slice(&new_pages.to_le_bytes());
        for section in sections {
            head.extend_from_slice(&self.length(section.len())?.to_le_bytes());
            head.extend_from_slice(&crc32(&[section]).to_le_bytes());
        }
        let crc = crc32(&[&head]);
        head.extend_from_slice(&crc.to_le_bytes());
        self.write(&head)?;
        for section in sections {
            self.write(section)?;
        }
        self.chunks += 1;
        Ok(())
    }

    pub(crate) fn chunks(&self) -> u64 {
        self.chunks
    }

    /// Writes the foot, makes the file durable and gives it its name; its length in bytes.
    pub(crate) fn finish(mut self, foot: &CanonicalFoot) -> Result<u64> {
        let json = self.json(foot)?;
        let offset = self.written;
        let length = self.length(json.len())?;
        self.write(&json)?;
        self.write(&offset.to_le_bytes())?;
        self.write(&length.to_le_bytes())?;
        self.write(&crc32(&[&json]).to_le_bytes())?;
        self.write(&END_MAGIC)?;
        self.commit()
    }

    /// Makes what was written durable and gives it its name.
    pub(crate) fn commit(mut self) -> Result<u64> {
        if let Some(file) = self.file.take() {
            let synced = file
                .into_inner()
                .map_err(io::IntoInnerError::into_error)
                .and_then(|file| file.sync_all());
            synced.map_err(|source| self.failed(source))?;
        }
        refuse_existing(&self.out, self.force)?;
        std::fs::rename(&self.temporary, &self.out).map_err(|source| self.failed(source))?;
        // The name is durable once its folder is; where folders cannot be opened, nothing is lost.
        if let Ok(folder) = File::open(folder_of(&self.out)) {
            let _ = folder.sync_all();
        }
        Ok(self.written)
    }
}

impl Drop for CanonicalWriter {
    fn drop(&mut self) {
        // Gone already after a commit; on an error or a cancel nothing half-made stays behind.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

fn refuse_existing(out: &Path, force: bool) -> Result<()> {
    let Ok(metadata) = std::fs::symlink_metadata(out) else {
        return Ok(());
    };
    let (message, hint) = if out.is_dir() {
        ("a folder", "name a file inside it")
    } else if !force || !(metadata.is_file() || metadata.is_symlink()) {
        (
            "exists already",
            "use --force to replace it, or choose another name",
        )
    } else {
        return Ok(());
    };
    Err(Error::BadParameter {
        name: "out",
        value: out.display().to_string(),
        message: message.to_owned(),
        hint: hint.to_owned(),
    })
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn temporary_name(out: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(out.file_name().unwrap_or_default());
    name.push(format!(".{}.partial", std::process::id()));
    folder_of(out).join(name)
}

// --- reader -----------------------------------------------------------------------------------

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
}

/// Device and page of every page number seen, and of each access of the last chunk.
#[derive(Default)]
struct RawDictionary {
    spaces: Vec<u32>,
    pages: Vec<u64>,
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
        let (head, chunks_offset) = read_head(&mut file, path, file_bytes)?;
        let (foot, foot_offset) = read_foot(&mut file, path, file_bytes)?;
        if foot_offset < chunks_offset {
            return Err(damaged(path, "its foot begins before its chunks"));
        }
        check_foot(&foot, &head, foot_offset - chunks_offset)
            .map_err(|message| damaged(path, &message))?;
        file.seek(SeekFrom::Start(chunks_offset))
            .map_err(cannot_read)?;
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
        })
    }

    /// Decodes times as well, which a replay does without.
    pub(crate) fn with_times(&mut self) {
        self.with_times = true;
    }

    /// Keeps device and page of each access for [`Self::raw`].
    pub(crate) fn keep_raw(&mut self) {
        self.raw = Some(RawDictionary::default());
    }

    pub(crate) fn raw(&self) -> (&[u32], &[u64]) {
        self.raw
            .as_ref()
            .map_or((&[], &[]), |raw| (&raw.chunk_spaces, &raw.chunk_pages))
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
                    "pages of {asked} bytes were asked for, but the canonical trace has pages of {} bytes",
                    self.head.page_bytes
                ),
                "convert the original trace again with the other page size",
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
                "{} pages are new, the chunk's head says {new_pages}",
                self.next_page - first_new
            )));
        }
        if self.raw.is_some() {
            self.decode_dictionary(new_pages as usize, &sections, chunk)?;
        }
        if self.with_times && self.head.has_time {
            self.decode_times(&sections, chunk)?;
        }
        self.chunks += 1;
        Ok(())
    }

    /// Reads one chunk into `compressed`; accesses, new pages, and range and CRC of each section.
    fn read_chunk_head(&mut self) -> Result<(usize, u32, Sections)> {
        let mut head = [0; CHUNK_HEAD_BYTES];
        if self.foot_offset - self.position < CHUNK_HEAD_BYTES as u64 {
            return Err(self.damaged_here("the chunk's head is cut off"));
        }
        self.read_exact(&mut head)?;
        let end = CHUNK_HEAD_BYTES - 4;
        if &head[..4] != CHUNK_MARK || crc32(&[&head[..end]]) != u32_at(&head, end) {
            return Err(self.damaged_here("the chunk's head is wrong"));
        }
        let accesses = u32_at(&head, 4) as usize;
        let new_pages = u32_at(&head, 8);
        let mut sections = [(0, 0, 0); SECTIONS];
        let mut total = 0;
        let limit = zstd::zstd_safe::compress_bound(MAX_SECTION_BYTES);
        for (index, section) in sections.iter_mut().enumerate() {
            let length = u32_at(&head, 12 + 8 * index) as usize;
            if length > limit {
                return Err(self.damaged_here(&format!("a section of {length} bytes")));
            }
            *section = (total, total + length, u32_at(&head, 16 + 8 * index));
            total += length;
        }
        if accesses == 0 || accesses > CHUNK_ACCESSES || new_pages as usize > accesses {
            return Err(self.damaged_here(&format!("{accesses} accesses, {new_pages} new pages")));
        }
        let position = self.position + CHUNK_HEAD_BYTES as u64 + total as u64;
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
        let mut next = self.next_page;
        for &page in &chunk.pages {
            if page >= next {
                if page > next || next == u32::MAX {
                    return Err(self.damaged_here(&format!(
                        "page number {page} appears when {next} pages have been seen"
                    )));
                }
                next += 1;
            }
        }
        self.next_page = next;
        self.open_section(sections[3], "flags")?;
        unpack_flags(&self.section, accesses, &mut chunk.flags)
            .map_err(|message| self.damaged_here(&message))?;
        let set_bytes = accesses.div_ceil(8);
        let ones = |bytes: &[u8]| {
            bytes
                .iter()
                .map(|byte| u64::from(byte.count_ones()))
                .sum::<u64>()
        };
        self.accesses += accesses as u64;
        self.write_accesses += ones(&self.section[..set_bytes]);
        self.first_accesses += ones(&self.section[set_bytes..]);
        Ok(())
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
        for &page in &chunk.pages {
            raw.chunk_spaces.push(raw.spaces[page as usize]);
            raw.chunk_pages.push(raw.pages[page as usize]);
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
type Sections = [(usize, usize, u32); SECTIONS];

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

fn read_head(file: &mut File, path: &Path, file_bytes: u64) -> Result<(CanonicalHead, u64)> {
    if file_bytes < PREFIX_BYTES {
        return Err(interrupted(path));
    }
    let prefix = read_at(file, path, 0, 20)?;
    if prefix[..8] != MAGIC {
        return Err(Error::Unreadable {
            path: path.to_owned(),
            message: "this is not a canonical trace: its first bytes are others".to_owned(),
            hint: "convert it first, or name its format".to_owned(),
        });
    }
    let version = u32_at(&prefix, 8);
    if version != VERSION {
        return Err(Error::Unreadable {
            path: path.to_owned(),
            message: format!(
                "this is a canonical trace of version {version}; this program reads {VERSION}"
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
    Ok((head, PREFIX_BYTES + u64::from(length)))
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
    match possible.iter().find(|(good, _)| !good) {
        Some((_, what)) => Err(format!("its foot says {what}")),
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

    fn distinct_pages_hint(&self) -> Option<u32> {
        Some(self.foot.distinct_pages)
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
