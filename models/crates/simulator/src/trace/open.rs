//! Opens files by what they hold, however they are packed, streaming, with positions for messages.
//!
//! A file may be compressed (gzip, zstd, xz, bzip2), be a tar archive (compressed or not) or a ZIP
//! archive, and the members of an archive may be compressed once more. What stands inside that
//! (an archive in an archive, a stream compressed twice) is not unpacked but named in the error.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::trace::archive::{Archive, Member, files_in, is_tar, is_zip, listed};
use crate::trace::streams::{
    BLOCK_BYTES, Budget, Codec, Compression, Container, CountedFile, Limits, Source, StreamError,
    decompressed, peeked,
};
use crate::wording::counted;

/// Decompressed bytes that format detection looks at.
pub(crate) const HEAD_BYTES: usize = 64 << 10;
/// Bytes that tell the layers of a file: a block of tar.
const MAGIC_BYTES: u64 = 512;

/// How files are opened: limits and tolerance, shared by all members of one trace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Opening {
    pub(crate) limits: Limits,
    /// Bad records that may still be passed over.
    pub(crate) bad_left: Arc<AtomicU64>,
    /// Whether the user said what the file is, by a format or a column mapping.
    pub(crate) named: bool,
    /// Files that are read behind the one that is opened, as members of one trace.
    pub(crate) others: Arc<[PathBuf]>,
}

impl Opening {
    /// The file that is opened and those behind it.
    fn all(&self, first: &Path) -> Vec<PathBuf> {
        let first = std::iter::once(first.to_owned());
        first.chain(self.others.iter().cloned()).collect()
    }
}

/// What the members of an archive have in common.
#[derive(Clone)]
pub(crate) struct Packed {
    archive: Archive,
    path: PathBuf,
    file_bytes: u64,
    consumed: Arc<AtomicU64>,
    budget: Budget,
    compression: Compression,
    opening: Opening,
}

impl Packed {
    /// The next member that holds data, and how many empty ones were passed over before it.
    pub(crate) fn next_input(&self) -> Result<(Option<Input>, u64)> {
        let mut empty = 0;
        loop {
            match self.next_named()? {
                None => return Ok((None, empty)),
                Some((_, Some(input))) => return Ok((Some(input), empty)),
                Some((_, None)) => empty += 1,
            }
        }
    }

    /// All members with their names, each a stream of its own, so that they can be read side by
    /// side; `None` for an empty one.
    ///
    /// Each stream opens the file anew and passes over the members before its own: where the
    /// archive is compressed as a whole it is decompressed once for every member.
    ///
    /// `hint` says what to do about more than `most`.
    pub(crate) fn side_by_side(
        &self,
        most: usize,
        hint: &str,
    ) -> Result<Vec<(String, Option<Input>)>> {
        let listing = self.anew()?;
        let mut names = Vec::new();
        while let Some((name, input)) = listing.next_named()? {
            names.push((name, input.is_some()));
            if names.len() > most {
                return Err(Error::Unreadable {
                    path: self.path.clone(),
                    message: format!(
                        "the {} has more than {}, more than can be read at the same time",
                        self.kind(),
                        counted(most, "member", "members")
                    ),
                    hint: hint.to_owned(),
                });
            }
        }
        names
            .into_iter()
            .enumerate()
            .map(|(index, (name, has_content))| {
                if !has_content {
                    return Ok((name, None));
                }
                let packed = self.anew()?;
                packed
                    .archive
                    .pass_over(index)
                    .map_err(|error| explain(&packed.path, error))?;
                Ok((name, packed.next_named()?.and_then(|(_, input)| input)))
            })
            .collect()
    }

    /// The same archive from its beginning.
    fn anew(&self) -> Result<Self> {
        match Input::opened(&self.path, self.opening.clone())? {
            Opened::Archive(packed) => Ok(packed),
            Opened::File(_) => Err(Error::Unreadable {
                path: self.path.clone(),
                message: "the trace's files were here a moment ago and are gone".to_owned(),
                hint: "wait until no process writes to the file".to_owned(),
            }),
        }
    }

    fn next_member(&self) -> Result<Option<Member>> {
        self.archive
            .next_member()
            .map_err(|error| explain(&self.path, error))
    }

    /// The next member and its name; without an input if it is empty.
    fn next_named(&self) -> Result<Option<(String, Option<Input>)>> {
        let Some(member) = self.next_member()? else {
            return Ok(None);
        };
        let name = member.name.clone();
        Ok(Some((name, self.input_of(member)?)))
    }

    /// What the members lie in, as messages name it.
    pub(crate) fn kind(&self) -> &'static str {
        match self.compression.container {
            Some(Container::Folder) => "folder",
            Some(Container::List) => "list",
            _ => "archive",
        }
    }

    /// Whether a stream of one member reads that member alone, and not those before it.
    pub(crate) fn has_streams_apart(&self) -> bool {
        self.compression.container != Some(Container::Tar)
    }

    /// Length of the archive as it lies on the disk now, or of all files of the folder [bytes].
    pub(crate) fn bytes_now(&self) -> Result<u64> {
        let bytes = match self.compression.container {
            Some(Container::Folder) => files_in(&self.path).map(|(_, bytes)| bytes),
            Some(Container::List) => listed(&self.opening.all(&self.path)),
            _ => std::fs::metadata(&self.path).map(|metadata| metadata.len()),
        };
        bytes.map_err(|error| explain(&self.path, error))
    }

    /// Whether the archive ended without the mark of its end.
    pub(crate) fn end_missing(&self) -> bool {
        self.archive.end_missing()
    }

    /// The file that holds the members.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn input_of(&self, member: Member) -> Result<Option<Input>> {
        let path = member
            .path
            .clone()
            .unwrap_or_else(|| PathBuf::from(format!("{}: {}", self.path.display(), member.name)));
        let cannot = |error| explain(&path, error);
        let (first, stream) = peeked(member.stream, MAGIC_BYTES).map_err(cannot)?;
        let inner = Codec::of(&first);
        let stream = decompressed(inner, stream, &self.budget).map_err(cannot)?;
        let mut input = Input {
            path: path.clone(),
            file_bytes: self.file_bytes,
            consumed: Arc::clone(&self.consumed),
            compression: Compression {
                inner,
                ..self.compression
            },
            stream,
            packed: Some((self.clone(), member.name)),
            opening: self.opening.clone(),
            ..Input::empty()
        };
        Ok((input.fill(HEAD_BYTES)? > 0).then_some(input))
    }
}

/// What a file turned out to be.
enum Opened {
    Archive(Packed),
    File(Box<Input>),
}

/// The decompressed content of one file or member, read once from front to back.
pub(crate) struct Input {
    path: PathBuf,
    file_bytes: u64,
    consumed: Arc<AtomicU64>,
    compression: Compression,
    stream: Box<dyn Read + Send>,
    packed: Option<(Packed, String)>,
    opening: Opening,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Position of `buffer[start]` in the decompressed content.
    offset: u64,
    at_end: bool,
}

/// The first decompressed bytes of a file, for detection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head<'a> {
    /// At most [`HEAD_BYTES`] bytes.
    pub(crate) bytes: &'a [u8],
    /// Whether `bytes` is the whole content.
    pub(crate) complete: bool,
    /// Length of the whole content where it is known without reading on [bytes].
    pub(crate) content_bytes: Option<u64>,
}

impl Input {
    fn empty() -> Self {
        Self {
            path: PathBuf::new(),
            file_bytes: 0,
            consumed: Arc::default(),
            compression: Compression::NONE,
            stream: Box::new(io::empty()),
            packed: None,
            opening: Opening::default(),
            buffer: vec![0; BLOCK_BYTES],
            start: 0,
            end: 0,
            offset: 0,
            at_end: false,
        }
    }

    /// Opens `path` with the usual limits, see [`Self::open_with`].
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, Opening::default())
    }

    /// Opens `path`, or the first member of the archive it is, and reads enough to know that it
    /// holds data.
    pub(crate) fn open_with(path: &Path, opening: Opening) -> Result<Self> {
        let mut input = match Self::opened(path, opening)? {
            Opened::Archive(packed) => Self::first_member(&packed)?,
            Opened::File(input) => *input,
        };
        if input.fill(HEAD_BYTES)? == 0 {
            return Err(Error::Unreadable {
                path: path.to_owned(),
                message: format!(
                    "the file holds no data: its {} stream decompresses to 0 bytes",
                    input.compression.name()
                ),
                hint: "check that the command that wrote the file produced output".to_owned(),
            });
        }
        Ok(input)
    }

    /// Opens the layers around the content, or around the members of an archive.
    fn opened(path: &Path, opening: Opening) -> Result<Opened> {
        let cannot_read = |source| Error::Io {
            action: "read",
            path: path.to_owned(),
            source,
        };
        let unreadable = |message: &str, hint: &str| Error::Unreadable {
            path: path.to_owned(),
            message: message.to_owned(),
            hint: hint.to_owned(),
        };
        let consumed: Arc<AtomicU64> = Arc::default();
        let budget = Budget::new(opening.limits, Arc::clone(&consumed));
        if !opening.others.is_empty() {
            let files = opening.all(path);
            let file_bytes = listed(&files).map_err(|error| explain(path, error))?;
            return Ok(Opened::Archive(Packed {
                archive: Archive::list(files, Arc::clone(&consumed)),
                path: path.to_owned(),
                file_bytes,
                consumed,
                budget,
                compression: Compression {
                    container: Some(Container::List),
                    ..Compression::NONE
                },
                opening,
            }));
        }
        let metadata = std::fs::metadata(path).map_err(cannot_read)?;
        if metadata.is_dir() {
            let (files, file_bytes) = files_in(path).map_err(|error| explain(path, error))?;
            if files.is_empty() {
                return Err(unreadable(
                    "this folder holds no file, or only folders and hidden files",
                    "name a trace file, or the folder in which the trace's files lie",
                ));
            }
            return Ok(Opened::Archive(Packed {
                archive: Archive::folder(files, Arc::clone(&consumed)),
                path: path.to_owned(),
                file_bytes,
                consumed,
                budget,
                compression: Compression {
                    container: Some(Container::Folder),
                    ..Compression::NONE
                },
                opening,
            }));
        }
        let file = CountedFile::new(
            File::open(path).map_err(cannot_read)?,
            Arc::clone(&consumed),
        );
        let (first, file) = peeked(file, MAGIC_BYTES).map_err(cannot_read)?;
        if first.is_empty() {
            return Err(unreadable(
                "the file is empty (0 bytes)",
                "check that the copy or the upload of the file was complete",
            ));
        }
        let outer = Codec::of(&first);
        let packed = |archive, container, budget: &Budget| Packed {
            archive,
            path: path.to_owned(),
            file_bytes: metadata.len(),
            consumed: Arc::clone(&consumed),
            budget: budget.of_inner_layer(),
            compression: Compression {
                outer,
                container: Some(container),
                inner: Codec::None,
            },
            opening: opening.clone(),
        };
        if is_zip(&first) {
            drop(file);
            consumed.store(0, Ordering::Relaxed);
            let archive = Archive::zip(path, Arc::clone(&consumed), budget.clone())
                .map_err(|error| explain(path, error))?;
            return Ok(Opened::Archive(packed(archive, Container::Zip, &budget)));
        }
        let (first, stream) = match outer {
            Codec::None => (first, file),
            _ => layer(path, outer, file, &budget)?,
        };
        if is_tar(&first) {
            let archive = Archive::tar(Box::new(stream));
            return Ok(Opened::Archive(packed(archive, Container::Tar, &budget)));
        }
        Ok(Opened::File(Box::new(Self {
            path: path.to_owned(),
            file_bytes: metadata.len(),
            consumed: Arc::clone(&consumed),
            compression: Compression {
                outer,
                ..Compression::NONE
            },
            stream: Box::new(stream),
            opening,
            ..Self::empty()
        })))
    }

    fn first_member(packed: &Packed) -> Result<Self> {
        let (input, empty) = packed.next_input()?;
        input.ok_or_else(|| Error::Unreadable {
            path: packed.path.clone(),
            message: format!(
                "the {} holds no file with data ({})",
                match packed.kind() {
                    kind @ ("folder" | "list") => kind.to_owned(),
                    _ => format!("{} archive", packed.compression.name()),
                },
                counted(empty, "empty one", "empty ones")
            ),
            hint: "check that the trace was put into it".to_owned(),
        })
    }

    /// The archive around this input and the input's name in it.
    pub(crate) fn packed(&self) -> Option<&(Packed, String)> {
        self.packed.as_ref()
    }

    /// How this file was opened, for others that belong to it.
    pub(crate) fn opening(&self) -> &Opening {
        &self.opening
    }

    /// Passes over one bad record if that is allowed; `false` if it must be an error.
    pub(crate) fn forgive(&self) -> bool {
        self.opening
            .bad_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            })
            .is_ok()
    }

    /// Passes over the rest of a line that is too long to be looked at.
    pub(crate) fn skip_line(&mut self) -> Result<()> {
        loop {
            let available = &self.buffer[self.start..self.end];
            if let Some(position) = memchr::memchr(b'\n', available) {
                self.consume(position + 1);
                return Ok(());
            }
            self.consume(available.len());
            if self.fill(1)? == 0 {
                return Ok(());
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn compression(&self) -> Compression {
        self.compression
    }

    /// Size of the file as it lies on disk [bytes].
    pub(crate) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// File bytes consumed by the decoder, and in all.
    pub(crate) fn position(&self) -> (u64, u64) {
        (self.consumed.load(Ordering::Relaxed), self.file_bytes)
    }

    /// Position of the first available byte in the decompressed content.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The first bytes of the content. Only valid before anything was consumed.
    pub(crate) fn head(&self) -> Head<'_> {
        let available = &self.buffer[self.start..self.end];
        let complete = self.at_end && available.len() <= HEAD_BYTES;
        Head {
            bytes: &available[..available.len().min(HEAD_BYTES)],
            complete,
            content_bytes: match self.compression {
                Compression::NONE if self.file_bytes > 0 => Some(self.file_bytes),
                _ if self.at_end => Some(available.len() as u64),
                _ => None,
            },
        }
    }

    /// Bytes read and not yet consumed.
    pub(crate) fn available(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// A part of [`Self::available`] by buffer positions, as [`Self::next_line`] returns them.
    pub(crate) fn slice(&self, range: std::ops::Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    pub(crate) fn consume(&mut self, count: usize) {
        self.start += count;
        self.offset += count as u64;
    }

    /// Goes on at `offset` of the decompressed content, which nothing before was looked at of:
    /// a bare file is entered there, a packed one decompressed up to there. `false` if the content
    /// ends before, or is further on already.
    pub(crate) fn skip_to(&mut self, offset: u64) -> Result<bool> {
        if offset < self.offset {
            return Ok(false);
        }
        if self.compression == Compression::NONE && self.packed.is_none() {
            if offset > self.file_bytes {
                return Ok(false);
            }
            let mut file = File::open(&self.path).map_err(|error| explain(&self.path, error))?;
            file.seek(SeekFrom::Start(offset))
                .map_err(|error| explain(&self.path, error))?;
            self.consumed.store(offset, Ordering::Relaxed);
            self.stream = Box::new(CountedFile::new(file, Arc::clone(&self.consumed)));
            (self.start, self.end, self.at_end) = (0, 0, false);
            self.offset = offset;
            return Ok(true);
        }
        while self.offset < offset {
            let available = self.fill(1)? as u64;
            if available == 0 {
                return Ok(false);
            }
            let count = available.min(offset - self.offset);
            self.consume(usize::try_from(count).unwrap_or(usize::MAX));
        }
        Ok(true)
    }

    /// Reads on until `wanted` bytes are available or the content ends; returns what is available.
    pub(crate) fn fill(&mut self, wanted: usize) -> Result<usize> {
        if self.end - self.start < wanted && !self.at_end {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            if self.buffer.len() < wanted {
                self.buffer.resize(wanted.next_power_of_two(), 0);
            }
            while self.end < wanted {
                match self.stream.read(&mut self.buffer[self.end..]) {
                    Ok(0) => {
                        self.at_end = true;
                        break;
                    }
                    Ok(count) => self.end += count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(explain(&self.path, error)),
                }
            }
        }
        Ok(self.end - self.start)
    }

    /// Buffer positions of the next line without its line end, consumed; `None` at the end.
    /// `ended` tells whether the line had a line end. A line longer than `max` is `Err(())`.
    pub(crate) fn next_line(
        &mut self,
        max: usize,
    ) -> Result<Option<std::result::Result<Line, LineTooLong>>> {
        let mut searched = 0;
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.start + searched..self.end]);
            if let Some(position) = found {
                let length = searched + position;
                let line = Line {
                    start: self.start,
                    end: self.start + length,
                    ended: true,
                };
                self.consume(length + 1);
                return Ok(Some(if length > max {
                    Err(LineTooLong { consumed: true })
                } else {
                    Ok(line)
                }));
            }
            searched = self.end - self.start;
            if searched > max {
                return Ok(Some(Err(LineTooLong { consumed: false })));
            }
            let wanted = (searched + 1).max(BLOCK_BYTES / 2);
            if self.fill(wanted)? == searched {
                if searched == 0 {
                    return Ok(None);
                }
                let line = Line {
                    start: self.start,
                    end: self.end,
                    ended: false,
                };
                self.consume(searched);
                return Ok(Some(Ok(line)));
            }
        }
    }
}

/// The content of a compressed layer, its first bytes aside and in front.
fn layer(path: &Path, codec: Codec, source: Source, budget: &Budget) -> Result<(Vec<u8>, Source)> {
    let stream = decompressed(codec, source, budget).map_err(|error| explain(path, error))?;
    let stream = io::BufReader::with_capacity(BLOCK_BYTES, stream);
    peeked(stream, MAGIC_BYTES).map_err(|error| explain(path, error))
}

/// Names the file of a failed read; the layer that failed has said what it means.
fn explain(path: &Path, mut error: io::Error) -> Error {
    match error
        .get_mut()
        .and_then(|inner| inner.downcast_mut::<StreamError>())
    {
        Some(told) => Error::Unreadable {
            path: path.to_owned(),
            message: std::mem::take(&mut told.message),
            hint: std::mem::take(&mut told.hint),
        },
        None => Error::Io {
            action: "read",
            path: path.to_owned(),
            source: error,
        },
    }
}

/// Buffer positions of one line, see [`Input::next_line`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) ended: bool,
}

/// A line exceeded the limit of [`Input::next_line`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineTooLong {
    /// Whether it was consumed with its end, or its end is still to be found.
    pub(crate) consumed: bool,
}
