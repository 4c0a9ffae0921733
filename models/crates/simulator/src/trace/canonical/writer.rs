//! Writes a canonical trace beside its final name and moves it there when it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::columns::{encode_column, pack_bits};
use super::{
    CHUNK_MARK, COLUMN_HEAD_BYTES, CanonicalFoot, CanonicalHead, END_MAGIC, FEWEST_PAGES, MAGIC,
    MOST_OF_PAGES, MOST_OF_PLANE, SECTIONS, VERSION, VERSION_OF_PARTS, ZSTD_LEVEL,
    chunk_head_bytes, crc32,
};
use crate::access::{Chunk, FIRST_OF_REQUEST, WRITE};
use crate::error::{Error, Result};

/// Writes a canonical trace beside its final name and moves it there when it is complete.
pub(crate) struct CanonicalWriter {
    out: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<File>>,
    force: bool,
    written: u64,
    chunks: u64,
    next_page: u32,
    /// Where the conversion writes down how far it is, if it does.
    checkpoint: Option<PathBuf>,
    compressor: zstd::bulk::Compressor<'static>,
    /// Frames without any compression.
    storer: zstd::bulk::Compressor<'static>,
    values: Vec<u64>,
    codes: Vec<u64>,
    column: Vec<u8>,
    spaces: Vec<u64>,
    dictionary: Vec<u64>,
}

/// How far a canonical trace is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    /// Length of the file, which ends behind a chunk [bytes].
    pub(crate) bytes: u64,
    pub(crate) chunks: u64,
    pub(crate) distinct_pages: u32,
}

/// The files of a conversion that may be resumed, beside the trace that it makes.
#[derive(Debug, Clone)]
pub(crate) struct KeptFiles {
    /// The chunks so far.
    pub(crate) partial: PathBuf,
    /// How far they go, and what is needed to go on.
    pub(crate) checkpoint: PathBuf,
}

impl KeptFiles {
    pub(crate) fn of(out: &Path) -> Self {
        let beside = |end: &str| {
            let mut name = out.file_name().unwrap_or_default().to_owned();
            name.push(end);
            folder_of(out).join(name)
        };
        Self {
            partial: beside(".partial"),
            checkpoint: beside(".checkpoint"),
        }
    }
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
        let (file, temporary) = create_temporary(out)?;
        Self::on(out, force, file, temporary)
    }

    /// As [`Self::create`], in a file that outlives a process that is killed.
    pub(crate) fn create_kept(out: &Path, force: bool, kept: KeptFiles) -> Result<Self> {
        refuse_existing(out, force)?;
        let _ = std::fs::remove_file(&kept.checkpoint);
        let file = File::options()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&kept.partial)
            .map_err(|source| Error::Io {
                action: "create",
                path: kept.partial.clone(),
                source,
            })?;
        let mut writer = Self::on(out, force, file, kept.partial)?;
        writer.checkpoint = Some(kept.checkpoint);
        Ok(writer)
    }

    /// Goes on behind what was written; whatever stands behind that is cut off.
    pub(crate) fn go_on(
        out: &Path,
        force: bool,
        kept: KeptFiles,
        written: &Written,
    ) -> Result<Self> {
        refuse_existing(out, force)?;
        let opened = File::options()
            .write(true)
            .open(&kept.partial)
            .and_then(|mut file| {
                file.set_len(written.bytes)?;
                file.seek(SeekFrom::End(0))?;
                Ok(file)
            });
        let file = opened.map_err(|source| Error::Io {
            action: "resume",
            path: kept.partial.clone(),
            source,
        })?;
        let mut writer = Self::on(out, force, file, kept.partial)?;
        writer.checkpoint = Some(kept.checkpoint);
        (writer.written, writer.chunks) = (written.bytes, written.chunks);
        writer.next_page = written.distinct_pages;
        Ok(writer)
    }

    fn on(out: &Path, force: bool, file: File, temporary: PathBuf) -> Result<Self> {
        let compressor = |level| {
            zstd::bulk::Compressor::new(level).map_err(|source| Error::Io {
                action: "compress",
                path: out.to_owned(),
                source,
            })
        };
        let storer = compressor(*zstd::compression_level_range().start())?;
        let compressor = compressor(ZSTD_LEVEL)?;
        Ok(Self {
            out: out.to_owned(),
            temporary,
            file: Some(BufWriter::with_capacity(1 << 20, file)),
            force,
            written: 0,
            chunks: 0,
            next_page: 0,
            checkpoint: None,
            compressor,
            storer,
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
        self.head_of(head, VERSION)
    }

    /// The head of a part, whose chunks are [`Self::numbered_chunk`].
    pub(crate) fn head_of_part(&mut self, head: &CanonicalHead) -> Result<()> {
        self.head_of(head, VERSION_OF_PARTS)
    }

    fn head_of(&mut self, head: &CanonicalHead, version: u32) -> Result<()> {
        let json = self.json(head)?;
        let length = self.length(json.len())?;
        self.write(&MAGIC)?;
        self.write(&version.to_le_bytes())?;
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
        sections[2] = self.page_numbers(&values)?;
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
        let sections = sections.each_ref().map(Vec::as_slice);
        self.chunk_bytes(raw.chunk.len(), self.next_page - first_new, &sections)
    }

    /// Appends a chunk of another trace as it is, and the number in the whole of each of its new pages.
    pub(crate) fn numbered_chunk(
        &mut self,
        accesses: usize,
        sections: [&[u8]; SECTIONS],
        numbers: &[u64],
    ) -> Result<()> {
        let new_pages = self.length(numbers.len())?;
        let packed = self.section(numbers)?;
        let [spaces, pages, page_numbers, flags, times] = sections;
        self.next_page += new_pages;
        self.chunk_bytes(
            accesses,
            new_pages,
            &[spaces, pages, page_numbers, flags, times, &packed],
        )
    }

    fn section(&mut self, values: &[u64]) -> Result<Vec<u8>> {
        encode_column(values, &mut self.codes, &mut self.column);
        self.compressed()
    }

    /// The section of the page numbers: see [`MOST_OF_PAGES`].
    #[expect(clippy::cast_precision_loss, reason = "lengths of one chunk")]
    fn page_numbers(&mut self, pages: &[u64]) -> Result<Vec<u8>> {
        let whole = self.section(pages)?;
        let share = |packed: usize, plain: usize| packed as f64 / plain as f64;
        if pages.len() < FEWEST_PAGES || share(whole.len(), self.column.len()) < MOST_OF_PAGES {
            return Ok(whole);
        }
        // The first plane carries the column's head. A column of one number, all zero, has no plane.
        let first = self.column.len().min(COLUMN_HEAD_BYTES + pages.len());
        let (first, others) = self.column.split_at(first);
        let mut section = Vec::with_capacity(self.column.len());
        for plane in std::iter::once(first).chain(others.chunks(pages.len())) {
            let mut packed = self.compressor.compress(plane);
            if let Ok(bytes) = &packed
                && share(bytes.len(), plane.len()) >= MOST_OF_PLANE
            {
                packed = self.storer.compress(plane);
            }
            section.extend(packed.map_err(|source| self.failed(source))?);
        }
        Ok(section)
    }

    fn compressed(&mut self) -> Result<Vec<u8>> {
        self.compressor
            .compress(&self.column)
            .map_err(|source| self.failed(source))
    }

    fn chunk_bytes(&mut self, accesses: usize, new_pages: u32, sections: &[&[u8]]) -> Result<()> {
        let mut head = Vec::with_capacity(chunk_head_bytes(sections.len()));
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

    pub(crate) fn distinct_pages(&self) -> u32 {
        self.next_page
    }

    pub(crate) fn chunks(&self) -> u64 {
        self.chunks
    }

    /// Makes the chunks so far durable, then what `state` says of them, in one step.
    ///
    /// Nothing is done for a writer whose files do not outlive its process.
    pub(crate) fn keep(&mut self, state: impl FnOnce(Written) -> Result<Vec<u8>>) -> Result<()> {
        let (Some(checkpoint), Some(file)) = (self.checkpoint.clone(), &mut self.file) else {
            return Ok(());
        };
        let synced = file.flush().and_then(|()| file.get_ref().sync_data());
        synced.map_err(|source| self.failed(source))?;
        let bytes = state(Written {
            bytes: self.written,
            chunks: self.chunks,
            distinct_pages: self.next_page,
        })?;
        // Never half a checkpoint: the last one stays until the next one is whole.
        let mut fresh = checkpoint.clone().into_os_string();
        fresh.push(".new");
        let fresh = PathBuf::from(fresh);
        let kept = File::create(&fresh)
            .and_then(|mut file| {
                file.write_all(&bytes)?;
                file.sync_all()
            })
            .and_then(|()| std::fs::rename(&fresh, &checkpoint));
        kept.map_err(|source| Error::Io {
            action: "write",
            path: checkpoint,
            source,
        })
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
        if let Some(checkpoint) = &self.checkpoint {
            let _ = std::fs::remove_file(checkpoint);
        }
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
            "replace it with [[force]], or choose another name",
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

/// A new file beside `out`. Names that a killed process left behind are passed over.
fn create_temporary(out: &Path) -> Result<(File, PathBuf)> {
    let mut attempt = 0_u32;
    loop {
        let mut name = std::ffi::OsString::from(".");
        name.push(out.file_name().unwrap_or_default());
        name.push(format!(".{}-{attempt}.partial", std::process::id()));
        let path = folder_of(out).join(name);
        match File::options().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {
                attempt += 1;
            }
            Err(source) => {
                return Err(Error::Io {
                    action: "create",
                    path,
                    source,
                });
            }
        }
    }
}
