//! The layers of a file: bytes on disk, decompression, limits, and what a failed read means.

use std::fs::File;
use std::io::{self, BufRead, Cursor, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes read from the file, and decompressed, at a time.
pub(crate) const BLOCK_BYTES: usize = 256 << 10;
/// Largest zstd window accepted, as a power of two: 128 MiB, what `zstd --ultra -22` makes.
pub(crate) const ZSTD_WINDOW_LOG_MAX: u32 = 27;
/// Most memory for one xz decoder [KiB]: `xz -9` needs 65 MiB.
const XZ_MEMORY_KIB: u32 = 160 << 10;
/// Decompressed bytes below which the expansion is not looked at: small files may be one run.
const EXPANSION_FREE_BYTES: u64 = 256 << 20;

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const XZ_MAGIC: &[u8] = b"\xfd7zXZ\x00";

/// A readable layer with a buffer.
pub(crate) type Source = Box<dyn BufRead + Send>;

/// Limits of decompression, against files made to exhaust the machine.
///
/// Memory is bounded whatever they are, because nothing is gathered: they bound time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most decompressed bytes of one file [bytes].
    pub max_content_bytes: u64,
    /// Most decompressed bytes for each byte of the file, once 256 MiB are decompressed.
    pub max_expansion: u64,
}

impl Default for Limits {
    /// 16 TiB, and 5,000 times the file: more than five times what gzip can reach and than any
    /// recording does, while a file of zeros in zstd or bzip2 expands more.
    fn default() -> Self {
        Self {
            max_content_bytes: 16 << 40,
            max_expansion: 5000,
        }
    }
}

/// How a layer is compressed, found from its first bytes, never from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Codec {
    /// Not compressed.
    #[default]
    None,
    /// gzip, one or more members.
    Gzip,
    /// zstd, one or more frames, skippable ones included.
    Zstd,
    /// xz, one or more streams.
    Xz,
    /// bzip2, one or more streams.
    Bzip2,
}

impl Codec {
    /// Name as shown to users.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
        }
    }

    pub(crate) fn of(magic: &[u8]) -> Self {
        if magic.starts_with(GZIP_MAGIC) {
            Self::Gzip
        } else if is_zstd(magic) {
            Self::Zstd
        } else if magic.starts_with(XZ_MAGIC) {
            Self::Xz
        } else if is_bzip2(magic) {
            Self::Bzip2
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

/// `BZh1` to `BZh9`, then the magic number of a block or of the end of an empty stream.
fn is_bzip2(magic: &[u8]) -> bool {
    magic.len() >= 10
        && magic.starts_with(b"BZh")
        && (b'1'..=b'9').contains(&magic[3])
        && (magic[4..10] == [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]
            || magic[4..10] == [0x17, 0x72, 0x45, 0x38, 0x50, 0x90])
}

/// The container of several members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    /// POSIX and GNU tar.
    Tar,
    /// ZIP, with ZIP64.
    Zip,
    /// A folder of files: nothing is packed.
    Folder,
    /// Files that were named one by one: nothing is packed either.
    List,
}

/// All layers around the content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compression {
    /// Around the whole file.
    pub(crate) outer: Codec,
    /// The archive inside, if it is one.
    pub(crate) container: Option<Container>,
    /// Around the first member of the archive, besides the archive's own compression.
    pub(crate) inner: Codec,
}

impl Compression {
    /// The content lies bare on disk.
    pub(crate) const NONE: Self = Self {
        outer: Codec::None,
        container: None,
        inner: Codec::None,
    };

    /// The layers from the outside to the inside, as shown to users: `none`, `gzip`, `zip`,
    /// `gzip > tar`, `tar > zstd`.
    pub fn name(self) -> String {
        let container = self.container.map(|container| match container {
            Container::Tar => "tar",
            Container::Zip => "zip",
            Container::Folder => "folder",
            Container::List => "list",
        });
        let layers: Vec<&str> = [
            Some(self.outer)
                .filter(|codec| *codec != Codec::None)
                .map(Codec::name),
            container,
            Some(self.inner)
                .filter(|codec| *codec != Codec::None)
                .map(Codec::name),
        ]
        .into_iter()
        .flatten()
        .collect();
        if layers.is_empty() {
            Codec::None.name().to_owned()
        } else {
            layers.join(" > ")
        }
    }
}

/// A file behind one buffer that counts the bytes handed on.
pub(crate) struct CountedFile {
    file: File,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    consumed: Arc<AtomicU64>,
}

impl CountedFile {
    pub(crate) fn new(file: File, consumed: Arc<AtomicU64>) -> Self {
        Self {
            file,
            buffer: vec![0; BLOCK_BYTES],
            start: 0,
            end: 0,
            consumed,
        }
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
        self.consumed.fetch_add(amount as u64, Ordering::Relaxed);
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

/// What a layer found wrong, carried through the layers above it inside an [`io::Error`].
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct StreamError {
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl StreamError {
    pub(crate) fn wrap(message: impl Into<String>, hint: impl Into<String>) -> io::Error {
        io::Error::other(Self {
            message: message.into(),
            hint: hint.into(),
        })
    }
}

/// What one file may expand to, counted over all its members.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    limits: Limits,
    consumed: Arc<AtomicU64>,
    produced: Arc<AtomicU64>,
}

impl Budget {
    pub(crate) fn new(limits: Limits, consumed: Arc<AtomicU64>) -> Self {
        Self {
            limits,
            consumed,
            produced: Arc::default(),
        }
    }

    /// The same file's budget for a layer further inside, which makes other bytes of the same.
    pub(crate) fn of_inner_layer(&self) -> Self {
        Self::new(self.limits, Arc::clone(&self.consumed))
    }

    fn spend(&self, bytes: usize) -> io::Result<()> {
        let bytes = bytes as u64;
        let total = self.produced.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let consumed = self.consumed.load(Ordering::Relaxed).max(1);
        let Limits {
            max_content_bytes,
            max_expansion,
        } = self.limits;
        if total > max_content_bytes {
            return Err(StreamError::wrap(
                format!(
                    "the file decompresses to more than {max_content_bytes} bytes, the limit: {total} bytes at byte {consumed} of the file"
                ),
                "if you trust the file, raise [[the max_content_bytes]]",
            ));
        }
        if total > EXPANSION_FREE_BYTES && total / consumed > max_expansion {
            return Err(StreamError::wrap(
                format!(
                    "the file expands more than {max_expansion} times, the limit: byte {consumed} of the file decompresses to byte {total}"
                ),
                "if you trust the file, raise [[the max_expansion]]",
            ));
        }
        Ok(())
    }
}

/// One decompressed layer, within its budget, which names itself in errors.
struct Layer {
    kind: &'static str,
    decoder: Box<dyn Read + Send>,
    budget: Budget,
}

impl Read for Layer {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.decoder.read(out) {
            Ok(count) => {
                self.budget.spend(count)?;
                Ok(count)
            }
            Err(error) => Err(self.explain(error)),
        }
    }
}

impl Layer {
    /// Names what a failed read means, and where; what an inner layer or the system said is kept.
    fn explain(&self, error: io::Error) -> io::Error {
        let told = error
            .get_ref()
            .is_some_and(<dyn std::error::Error + Send + Sync>::is::<StreamError>);
        if told || error.kind() == ErrorKind::Interrupted || error.raw_os_error().is_some() {
            return error;
        }
        let kind = self.kind;
        let position = self.budget.consumed.load(Ordering::Relaxed);
        let text = error.to_string();
        if error.kind() == ErrorKind::UnexpectedEof {
            StreamError::wrap(
                format!(
                    "the {kind} stream is truncated: the file ends at byte {position} before the stream does"
                ),
                "copy or upload the file again; its end is missing",
            )
        } else if text.contains("too much memory") {
            StreamError::wrap(
                format!(
                    "the {kind} stream needs a window of more than {} MiB to decompress",
                    1_u32 << (ZSTD_WINDOW_LOG_MAX - 20)
                ),
                "decompress it with `zstd -d --long=31` first, or compress it without `--long`",
            )
        } else if error.kind() == ErrorKind::OutOfMemory {
            StreamError::wrap(
                format!(
                    "the {kind} stream needs more than {} MiB of memory to decompress",
                    XZ_MEMORY_KIB >> 10
                ),
                "decompress it first, or compress it with a smaller dictionary (`xz -9` or less)",
            )
        } else {
            StreamError::wrap(
                format!("the {kind} stream is damaged near byte {position}: {text}"),
                match kind {
                    // `gzip -t` passes over it.
                    "gzip" if text.contains("invalid gzip header") => {
                        "data that is not gzip follows a complete gzip stream: if it is padding, write the file again without it (gzip -dc FILE | gzip), otherwise copy or upload the file again".to_owned()
                    }
                    "deflate" => {
                        "copy or upload the file again; test it with `unzip -t`".to_owned()
                    }
                    _ => format!("copy or upload the file again; test it with `{kind} -t`"),
                },
            )
        }
    }
}

/// The content of a layer compressed by `codec`.
pub(crate) fn decompressed(
    codec: Codec,
    source: Source,
    budget: &Budget,
) -> io::Result<Box<dyn Read + Send>> {
    let decoder: Box<dyn Read + Send> = match codec {
        Codec::None => return Ok(Box::new(source)),
        Codec::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(source)),
        Codec::Zstd => {
            let mut decoder = zstd::Decoder::with_buffer(source)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
            Box::new(decoder)
        }
        Codec::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(
            source,
            true,
            XZ_MEMORY_KIB,
        )),
        Codec::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(source)),
    };
    Ok(guarded(codec.name(), decoder, budget))
}

/// A decoder that keeps within the budget and whose errors are explained.
pub(crate) fn guarded(
    kind: &'static str,
    decoder: Box<dyn Read + Send>,
    budget: &Budget,
) -> Box<dyn Read + Send> {
    Box::new(Layer {
        kind,
        decoder,
        budget: budget.clone(),
    })
}

/// The first bytes of a layer, at most `count`, and the layer with them still in front.
pub(crate) fn peeked(
    mut source: impl BufRead + Send + 'static,
    count: u64,
) -> io::Result<(Vec<u8>, Source)> {
    let mut first = Vec::new();
    (&mut source).take(count).read_to_end(&mut first)?;
    let whole = Cursor::new(first.clone()).chain(source);
    Ok((first, Box::new(whole)))
}
