//! Files that workers leave for each other: whole or refused.
//!
//! Layout, all integers little-endian: magic (8 bytes), version u32, CRC-32 of what follows u32, then one zstd frame. A
//! file appears under its name when it is complete.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// Longest head [bytes]: names of millions of devices.
const MAX_HEAD_BYTES: u64 = 1 << 30;
/// Fast: these files are read once.
const ZSTD_LEVEL: i32 = 1;
/// Integers converted at a time.
const BLOCK: usize = 1 << 13;

/// What the files of one purpose have in common.
pub(crate) struct Kind {
    pub(crate) magic: [u8; 8],
    pub(crate) version: u32,
    /// As in *it holds no ...*.
    pub(crate) holds: &'static str,
    /// What to do about a damaged one.
    pub(crate) hint: &'static str,
}

impl Kind {
    /// Writes a file, of which `body` gives what stands in the frame.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn write(
        &self,
        path: &Path,
        body: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<()> {
        let cannot = |source| Error::Io {
            action: "write",
            path: path.to_owned(),
            source,
        };
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let mut file =
            tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(cannot)?;
        self.write_to(file.as_file_mut(), body).map_err(cannot)?;
        file.as_file().sync_all().map_err(cannot)?;
        file.persist(path).map_err(|error| cannot(error.error))?;
        Ok(())
    }

    fn write_to(
        &self,
        file: &mut File,
        body: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        file.write_all(&self.magic)?;
        file.write_all(&self.version.to_le_bytes())?;
        file.write_all(&[0; 4])?;
        let mut out = zstd::Encoder::new(Summed::new(&mut *file), ZSTD_LEVEL)?;
        body(&mut out)?;
        let sum = out.finish()?.crc.sum();
        file.seek(SeekFrom::Start(12))?;
        file.write_all(&sum.to_le_bytes())?;
        file.flush()
    }

    /// Reads what [`Self::write`] has written; `body` reads the frame to its end.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Unreadable`] where it is no such file, of another version, or damaged.
    pub(crate) fn read<T>(
        &self,
        path: &Path,
        body: impl FnOnce(&mut dyn Read) -> std::io::Result<T>,
    ) -> Result<T> {
        let unreadable = |message: String| Error::Unreadable {
            path: path.to_owned(),
            message,
            hint: self.hint.to_owned(),
        };
        let file = File::open(path).map_err(|source| Error::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut prefix = [0; 16];
        file.read_exact(&mut prefix)
            .map_err(|error| unreadable(error.to_string()))?;
        if prefix[..8] != self.magic {
            return Err(unreadable(format!("it holds no {}", self.holds)));
        }
        let number = |at: usize| {
            u32::from_le_bytes([prefix[at], prefix[at + 1], prefix[at + 2], prefix[at + 3]])
        };
        if number(8) != self.version {
            return Err(unreadable(format!(
                "it was written in version {}, this program reads {}",
                number(8),
                self.version
            )));
        }
        let damaged = |error: std::io::Error| unreadable(format!("it is damaged: {error}"));
        let mut frame =
            zstd::Decoder::with_buffer(BufReader::with_capacity(1 << 20, Summed::new(file)))
                .map_err(damaged)?;
        let read = body(&mut frame).map_err(damaged)?;
        let mut rest = frame.finish();
        std::io::copy(&mut rest, &mut std::io::sink()).map_err(damaged)?;
        if rest.get_ref().crc.sum() != number(12) {
            return Err(unreadable(
                "it is damaged: its check sum is another".to_owned(),
            ));
        }
        Ok(read)
    }
}

/// Writes the length of a head (u64) and the head (JSON).
pub(crate) fn write_head(out: &mut dyn Write, head: &impl Serialize) -> std::io::Result<()> {
    let head = serde_json::to_vec(head)?;
    out.write_all(&(head.len() as u64).to_le_bytes())?;
    out.write_all(&head)
}

/// Reads what [`write_head`] has written.
pub(crate) fn read_head<T: DeserializeOwned>(body: &mut dyn Read) -> std::io::Result<T> {
    let mut length = [0; 8];
    body.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_HEAD_BYTES {
        return Err(invalid("its head is too long"));
    }
    let mut head = Vec::new();
    body.take(length).read_to_end(&mut head)?;
    Ok(serde_json::from_slice(&head)?)
}

/// Writes integers one after another.
pub(crate) fn column<const N: usize>(
    out: &mut dyn Write,
    values: impl Iterator<Item = [u8; N]>,
) -> std::io::Result<()> {
    let mut block = Vec::with_capacity(BLOCK * N);
    for value in values {
        block.extend_from_slice(&value);
        if block.len() == BLOCK * N {
            out.write_all(&block)?;
            block.clear();
        }
    }
    out.write_all(&block)
}

/// Reads `count` integers; memory grows with what is there, not with what the file says.
pub(crate) fn read_column<const N: usize, T>(
    body: &mut dyn Read,
    count: u64,
    value: impl Fn([u8; N]) -> T,
) -> std::io::Result<Vec<T>> {
    let mut values = Vec::new();
    let mut bytes = vec![0; BLOCK * N];
    let mut left = usize::try_from(count).map_err(|_| invalid("a count is too large"))?;
    while left > 0 {
        let here = left.min(BLOCK);
        let bytes = &mut bytes[..here * N];
        body.read_exact(bytes)?;
        let (chunks, _) = bytes.as_chunks::<N>();
        values.extend(chunks.iter().map(|bytes| value(*bytes)));
        left -= here;
    }
    Ok(values)
}

/// What cannot be in a whole file.
pub(crate) fn invalid(message: &str) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, message)
}

/// Sums up what passes.
struct Summed<T> {
    inner: T,
    crc: flate2::Crc,
}

impl<T> Summed<T> {
    fn new(inner: T) -> Self {
        Self {
            inner,
            crc: flate2::Crc::new(),
        }
    }
}

impl<T: Write> Write for Summed<T> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.crc.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Summed<T> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.crc.update(&bytes[..read]);
        Ok(read)
    }
}
