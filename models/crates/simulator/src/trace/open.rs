//! Opens plain, gzip and zstd files by what they hold, streaming, with positions for messages.

use std::fs::File;
use std::io::{self, BufRead, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Bytes read from the file, and decompressed, at a time.
const BLOCK_BYTES: usize = 256 << 10;
/// Decompressed bytes that format detection looks at.
pub(crate) const HEAD_BYTES: usize = 64 << 10;
/// Largest zstd window accepted, as a power of two: 128 MiB, what `zstd --ultra -22` makes.
const ZSTD_WINDOW_LOG_MAX: u32 = 27;

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// How a file is compressed, found from its first bytes, never from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not compressed.
    None,
    /// gzip, one or more members.
    Gzip,
    /// zstd, one or more frames, skippable ones included.
    Zstd,
}

impl Compression {
    /// Name as shown to users: `none`, `gzip`, `zstd`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    fn of(magic: &[u8]) -> Self {
        if magic.starts_with(GZIP_MAGIC) {
            Self::Gzip
        } else if is_zstd(magic) {
            Self::Zstd
        } else {
            Self::None
        }
    }
}

/// Whether the bytes open a zstd frame or a skippable frame (0x184D2A50 to 0x184D2A5F).
fn is_zstd(magic: &[u8]) -> bool {
    magic.starts_with(&ZSTD_MAGIC)
        || (magic.len() >= 4 && magic[0] & 0xf0 == 0x50 && magic[1..4] == [0x2a, 0x4d, 0x18])
}

/// A file behind one buffer that counts the bytes handed on.
struct CountedFile {
    file: File,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    consumed: u64,
}

impl CountedFile {
    fn new(file: File) -> Self {
        Self {
            file,
            buffer: vec![0; BLOCK_BYTES],
            start: 0,
            end: 0,
            consumed: 0,
        }
    }

    /// The first bytes, at most `count`, without consuming them. Only valid before any read.
    fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.end < count {
            match self.file.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[..self.end.min(count)])
    }
}

impl BufRead for CountedFile {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            self.end = self.file.read(&mut self.buffer)?;
            self.start = 0;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    fn consume(&mut self, amount: usize) {
        self.start += amount;
        self.consumed += amount as u64;
    }
}

impl Read for CountedFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let ready = self.fill_buf()?;
        let count = ready.len().min(out.len());
        out[..count].copy_from_slice(&ready[..count]);
        self.consume(count);
        Ok(count)
    }
}

enum Decoder {
    Plain(CountedFile),
    Gzip(flate2::bufread::MultiGzDecoder<CountedFile>),
    Zstd(zstd::Decoder<'static, CountedFile>),
}

impl Decoder {
    fn file(&self) -> &CountedFile {
        match self {
            Self::Plain(file) => file,
            Self::Gzip(decoder) => decoder.get_ref(),
            Self::Zstd(decoder) => decoder.get_ref(),
        }
    }

    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(out),
            Self::Gzip(decoder) => decoder.read(out),
            Self::Zstd(decoder) => decoder.read(out),
        }
    }
}

/// The decompressed content of one file, read once from front to back.
pub(crate) struct Input {
    path: PathBuf,
    file_bytes: u64,
    compression: Compression,
    decoder: Decoder,
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
    /// Opens `path` and reads enough to know that it holds data.
    pub(crate) fn open(path: &Path) -> Result<Self> {
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
        let metadata = std::fs::metadata(path).map_err(cannot_read)?;
        if metadata.is_dir() {
            return Err(unreadable(
                "this is a folder, not a trace file",
                "name one trace file inside it",
            ));
        }
        let mut file = CountedFile::new(File::open(path).map_err(cannot_read)?);
        let magic = file.peek(4).map_err(cannot_read)?;
        if magic.is_empty() {
            return Err(unreadable(
                "the file is empty (0 bytes)",
                "check that the copy or the upload of the file was complete",
            ));
        }
        let compression = Compression::of(magic);
        let decoder = match compression {
            Compression::None => Decoder::Plain(file),
            Compression::Gzip => Decoder::Gzip(flate2::bufread::MultiGzDecoder::new(file)),
            Compression::Zstd => {
                let mut decoder = zstd::Decoder::with_buffer(file).map_err(cannot_read)?;
                decoder
                    .window_log_max(ZSTD_WINDOW_LOG_MAX)
                    .map_err(cannot_read)?;
                Decoder::Zstd(decoder)
            }
        };
        let mut input = Self {
            path: path.to_owned(),
            file_bytes: metadata.len(),
            compression,
            decoder,
            buffer: vec![0; BLOCK_BYTES],
            start: 0,
            end: 0,
            offset: 0,
            at_end: false,
        };
        if input.fill(HEAD_BYTES)? == 0 {
            return Err(unreadable(
                &format!(
                    "the file holds no data: its {} stream decompresses to 0 bytes",
                    compression.name()
                ),
                "check that the command that wrote the file produced output",
            ));
        }
        Ok(input)
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
        (self.decoder.file().consumed, self.file_bytes)
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
                Compression::None if self.file_bytes > 0 => Some(self.file_bytes),
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
                match self.decoder.read(&mut self.buffer[self.end..]) {
                    Ok(0) => {
                        self.at_end = true;
                        break;
                    }
                    Ok(count) => self.end += count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(self.explain(error)),
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
                    Err(LineTooLong)
                } else {
                    Ok(line)
                }));
            }
            searched = self.end - self.start;
            if searched > max {
                return Ok(Some(Err(LineTooLong)));
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

    /// Names what a failed read means, and where.
    fn explain(&self, error: io::Error) -> Error {
        if error.raw_os_error().is_some() {
            return Error::Io {
                action: "read",
                path: self.path.clone(),
                source: error,
            };
        }
        let kind = self.compression.name();
        let position = self.decoder.file().consumed;
        let text = error.to_string();
        let (message, hint) = if error.kind() == ErrorKind::UnexpectedEof {
            (
                format!(
                    "the {kind} stream is truncated: the file ends at byte {position} before the stream does"
                ),
                "copy or upload the file again; its end is missing".to_owned(),
            )
        } else if text.contains("too much memory") {
            (
                format!(
                    "the {kind} stream needs a window of more than {} MiB to decompress",
                    1_u32 << (ZSTD_WINDOW_LOG_MAX - 20)
                ),
                "decompress it with `zstd -d --long=31` first, or compress it without `--long`"
                    .to_owned(),
            )
        } else {
            (
                format!("the {kind} stream is damaged near byte {position}: {text}"),
                format!("copy or upload the file again; test it with `{kind} -t`"),
            )
        };
        Error::Unreadable {
            path: self.path.clone(),
            message,
            hint,
        }
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
pub(crate) struct LineTooLong;
