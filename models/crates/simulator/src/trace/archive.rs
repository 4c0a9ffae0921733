//! Members of tar and ZIP archives as streams; nothing is ever written to disk.
//!
//! A tar archive is read from front to back, compressed or not; a ZIP archive by its directory at
//! the end, so it must lie bare on disk. Members come in the order in which the archive lists them.
//! Folders and the notes of macOS are passed over. A name that leads out of the archive, a link, a
//! device, an encrypted member or members that overlap mark an archive made to do harm: refused.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::trace::bytes::{u16_at, u32_at, u64_at};
use crate::trace::streams::{
    BLOCK_BYTES, Budget, Codec, CountedFile, Source, StreamError, decompressed, guarded,
};
use crate::trace::text::excerpt;

const TAR_BLOCK: usize = 512;
const TAR_BLOCK_BYTES: u64 = 512;
/// Longest extended header of a tar member [bytes].
const MAX_TAR_NOTE_BYTES: u64 = 1 << 20;
/// What is wrong with a member whose holes are left out.
const SPARSE: &str = "is a sparse file, which is not supported (pack it without `--sparse`)";
/// Most members of an archive.
const MAX_MEMBERS: usize = 100_000;
/// Largest directory of a ZIP archive [bytes].
const MAX_DIRECTORY_BYTES: u64 = 64 << 20;
/// Bytes at the end of a ZIP archive that hold its end record: 22 and a comment.
const ZIP_TAIL_BYTES: u64 = 22 + 65_535;

/// A member ready to be read.
pub(crate) struct Member {
    /// Its name in the archive, printable.
    pub(crate) name: String,
    /// Where it lies, if it is a file of its own.
    pub(crate) path: Option<PathBuf>,
    pub(crate) stream: Source,
}

/// The members of an archive, one after another. Clones share the place.
#[derive(Clone)]
pub(crate) struct Archive(Arc<Mutex<Members>>);

enum Members {
    Tar(Tar),
    Zip(Zip),
    Folder(Folder),
}

impl Archive {
    pub(crate) fn tar(stream: Box<dyn Read + Send>) -> Self {
        Self::new(Members::Tar(Tar {
            stream: BufReader::with_capacity(BLOCK_BYTES, stream),
            position: 0,
            left: 0,
            padding: 0,
            members: 0,
            turn: 0,
            end_missing: false,
        }))
    }

    pub(crate) fn zip(path: &Path, consumed: Arc<AtomicU64>, budget: Budget) -> io::Result<Self> {
        Ok(Self::new(Members::Zip(Zip::open(path, consumed, budget)?)))
    }

    /// The files of a folder, in the order of [`files_in`].
    pub(crate) fn folder(files: Vec<PathBuf>, consumed: Arc<AtomicU64>) -> Self {
        Self::files(files, consumed, "folder")
    }

    /// Files that were named, in that order.
    pub(crate) fn list(files: Vec<PathBuf>, consumed: Arc<AtomicU64>) -> Self {
        Self::files(files, consumed, "list")
    }

    fn files(files: Vec<PathBuf>, consumed: Arc<AtomicU64>, kind: &'static str) -> Self {
        let names: HashSet<&[u8]> = files.iter().map(|path| name_in_folder(path)).collect();
        Self::new(Members::Folder(Folder {
            by_path: names.len() < files.len(),
            files: files.into_iter(),
            consumed,
            kind,
        }))
    }

    fn new(members: Members) -> Self {
        Self(Arc::new(Mutex::new(members)))
    }

    /// Whether the archive ended behind a member, without the mark of its end: more may be missing.
    pub(crate) fn end_missing(&self) -> bool {
        matches!(&*self.members(), Members::Tar(tar) if tar.end_missing)
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes over members that are not read.
    pub(crate) fn pass_over(&self, count: usize) -> io::Result<()> {
        if let Members::Folder(folder) = &mut *self.members() {
            // Without opening the files.
            folder.files.by_ref().take(count).for_each(drop);
            return Ok(());
        }
        for _ in 0..count {
            self.next_member()?;
        }
        Ok(())
    }

    /// The next member; what is left of the one before is passed over.
    pub(crate) fn next_member(&self) -> io::Result<Option<Member>> {
        let mut members = self.members();
        match &mut *members {
            Members::Zip(zip) => zip.next_member(),
            Members::Folder(folder) => folder.next_member(),
            Members::Tar(tar) => {
                let Some(name) = tar.next_name()? else {
                    return Ok(None);
                };
                let part = TarPart {
                    archive: self.clone(),
                    turn: tar.turn,
                };
                Ok(Some(Member {
                    name,
                    path: None,
                    stream: Box::new(BufReader::with_capacity(BLOCK_BYTES, part)),
                }))
            }
        }
    }
}

/// Why a name must not be followed; `None` if it is harmless.
fn trick(name: &[u8]) -> Option<&'static str> {
    let text = name;
    if text.is_empty() {
        Some("has no name")
    } else if text.contains(&0) {
        Some("has a zero byte in its name")
    } else if text[0] == b'/' || text[0] == b'\\' || text.get(1) == Some(&b':') {
        Some("has an absolute path")
    } else if text
        .split(|byte| matches!(byte, b'/' | b'\\'))
        .any(|part| part == b"..")
    {
        Some("has a path that leads out of the archive")
    } else {
        None
    }
}

fn refuse(name: &[u8], what: &str) -> io::Error {
    StreamError::wrap(
        format!("the archive's member `{}` {what}", excerpt(name)),
        "do not trust this archive; pack the trace files alone into a new one",
    )
}

/// Files that macOS and desktops put beside the user's.
fn is_clutter(name: &[u8]) -> bool {
    let base = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
    name.starts_with(b"__MACOSX/") || base.starts_with(b"._") || base == b".DS_Store"
}

fn too_many(kind: &str) -> io::Error {
    StreamError::wrap(
        format!("the {kind} has more than {MAX_MEMBERS} members"),
        "join the trace's parts into fewer files",
    )
}

// --- folder -------------------------------------------------------------------------------------

fn name_in_folder(path: &Path) -> &[u8] {
    path.file_name().unwrap_or_default().as_encoded_bytes()
}

/// Order of names in which runs of digits count as numbers: `day2` comes before `day10`.
/// Names that differ in leading zeros alone are in the order of their bytes.
pub(crate) fn natural_order(one: &[u8], other: &[u8]) -> Ordering {
    let digits = |name: &[u8]| name.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (mut left, mut right) = (one, other);
    while let ([first, ..], [second, ..]) = (left, right) {
        let (left_digits, right_digits) = (digits(left), digits(right));
        let order = if left_digits > 0 && right_digits > 0 {
            let number = |name: &[u8], count: usize| {
                let zeros = name[..count]
                    .iter()
                    .take_while(|byte| **byte == b'0')
                    .count();
                name[zeros..count].to_vec()
            };
            let (a, b) = (number(left, left_digits), number(right, right_digits));
            (left, right) = (&left[left_digits..], &right[right_digits..]);
            (a.len(), a).cmp(&(b.len(), b))
        } else {
            let order = first.cmp(second);
            (left, right) = (&left[1..], &right[1..]);
            order
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| one.cmp(other))
}

/// The files that lie in a folder, in the natural order of their names, and their lengths together [bytes].
/// Folders in it and hidden files are passed over; a link counts as what it leads to.
pub(crate) fn files_in(folder: &Path) -> io::Result<(Vec<PathBuf>, u64)> {
    let mut files = Vec::new();
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = name_in_folder(&path);
        if name.starts_with(b".") || is_clutter(name) {
            continue;
        }
        let metadata =
            std::fs::metadata(&path).map_err(|error| not_there(&path, "folder", &error))?;
        if metadata.is_file() {
            bytes += metadata.len();
            files.push(path);
        }
        if files.len() > MAX_MEMBERS {
            return Err(too_many("folder"));
        }
    }
    files.sort_by(|one, other| natural_order(name_in_folder(one), name_in_folder(other)));
    Ok((files, bytes))
}

/// The lengths together of files that were named to be read one after another [bytes].
/// Folders, and a file that is named twice, are refused.
pub(crate) fn listed(files: &[PathBuf]) -> io::Result<u64> {
    let mut known = HashSet::new();
    let mut bytes = 0;
    for path in files {
        let metadata = std::fs::metadata(path).map_err(|error| not_there(path, "list", &error))?;
        let shown = path.display();
        if metadata.is_dir() {
            return Err(StreamError::wrap(
                format!("`{shown}` is a folder, which cannot be read together with other files"),
                "name its files, or the folder alone",
            ));
        }
        if !known.insert(path.canonicalize()?) {
            return Err(StreamError::wrap(
                format!("`{shown}` is named twice"),
                "name each file once, in the order in which they are to be read",
            ));
        }
        bytes += metadata.len();
    }
    if files.len() > MAX_MEMBERS {
        return Err(too_many("list"));
    }
    Ok(bytes)
}

/// Names the file of a folder or list that cannot be looked at.
fn not_there(path: &Path, kind: &str, error: &io::Error) -> io::Error {
    let name = excerpt(name_in_folder(path));
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    if is_link && error.kind() == ErrorKind::NotFound {
        let target = std::fs::read_link(path).unwrap_or_default();
        return StreamError::wrap(
            format!(
                "the {kind}'s link `{name}` leads to `{}`, which is not there",
                target.display()
            ),
            format!("fix the link, or remove it from the {kind}"),
        );
    }
    StreamError::wrap(
        format!("the {kind}'s file `{name}` cannot be read: {error}"),
        format!("check the file and its permissions, or remove it from the {kind}"),
    )
}

struct Folder {
    files: std::vec::IntoIter<PathBuf>,
    /// Whether the names alone would not tell the files apart.
    by_path: bool,
    consumed: Arc<AtomicU64>,
    kind: &'static str,
}

impl Folder {
    fn next_member(&mut self) -> io::Result<Option<Member>> {
        let Some(path) = self.files.next() else {
            return Ok(None);
        };
        let name = if self.by_path {
            path.to_string_lossy()
        } else {
            path.file_name().unwrap_or_default().to_string_lossy()
        };
        let file = File::open(&path).map_err(|error| not_there(&path, self.kind, &error))?;
        Ok(Some(Member {
            name: name.into_owned(),
            stream: Box::new(CountedFile::new(file, Arc::clone(&self.consumed))),
            path: Some(path),
        }))
    }
}

// --- tar ----------------------------------------------------------------------------------------

/// Whether the first block is the header of a tar member.
pub(crate) fn is_tar(first: &[u8]) -> bool {
    first.len() >= TAR_BLOCK && &first[257..262] == b"ustar" && checksum_holds(&first[..TAR_BLOCK])
}

/// Whether the first bytes are those of a ZIP archive, an empty one included.
pub(crate) fn is_zip(first: &[u8]) -> bool {
    first.starts_with(b"PK\x03\x04") || first.starts_with(b"PK\x05\x06")
}

fn checksum_holds(block: &[u8]) -> bool {
    let sum: u64 = block
        .iter()
        .enumerate()
        .map(|(at, byte)| {
            if (148..156).contains(&at) {
                u64::from(b' ')
            } else {
                u64::from(*byte)
            }
        })
        .sum();
    octal(&block[148..156]) == Some(sum)
}

/// An octal number between blanks, ended by a blank, a zero byte or the field's end.
fn octal(field: &[u8]) -> Option<u64> {
    let start = field.iter().position(|byte| *byte != b' ')?;
    let digits: Vec<u8> = field[start..]
        .iter()
        .copied()
        .take_while(u8::is_ascii_digit)
        .collect();
    let rest = &field[start + digits.len()..];
    if digits.is_empty() || !rest.iter().all(|byte| matches!(byte, b' ' | 0)) {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, digit| {
        let digit = u64::from(digit - b'0');
        (digit < 8).then_some(())?;
        value.checked_mul(8)?.checked_add(digit)
    })
}

/// A size: octal, or binary where the first bit is set.
fn tar_size(field: &[u8]) -> Option<u64> {
    if field[0] & 0x80 == 0 {
        return octal(field);
    }
    field[1..]
        .iter()
        .try_fold(u64::from(field[0] & 0x7f), |value, byte| {
            value.checked_mul(256)?.checked_add(u64::from(*byte))
        })
}

fn until_zero(field: &[u8]) -> &[u8] {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    &field[..end]
}

struct Tar {
    stream: BufReader<Box<dyn Read + Send>>,
    /// Position in the archive [bytes].
    position: u64,
    /// Bytes left of the member in hand, and behind it up to the next header.
    left: u64,
    padding: u64,
    members: usize,
    /// Counts the members handed out, so that an old part does not read from a new one.
    turn: u64,
    /// Whether it ended without the zero blocks that stand at the end of an archive.
    end_missing: bool,
}

impl Tar {
    fn damaged(&self, what: &str) -> io::Error {
        StreamError::wrap(
            format!(
                "the tar archive is damaged at its byte {}: {what}",
                self.position
            ),
            "copy or upload the file again; test it with `tar -tf`",
        )
    }

    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let wanted = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(out.len());
        if wanted == 0 {
            return Ok(0);
        }
        let count = self.stream.read(&mut out[..wanted])?;
        if count == 0 {
            return Err(self.ended_early());
        }
        self.left -= count as u64;
        self.position += count as u64;
        Ok(count)
    }

    fn ended_early(&self) -> io::Error {
        StreamError::wrap(
            format!(
                "the tar archive is truncated: it ends at its byte {} inside a member",
                self.position
            ),
            "copy or upload the file again; its end is missing",
        )
    }

    fn skip_rest(&mut self) -> io::Result<()> {
        let rest = self.left + self.padding;
        let skipped = io::copy(&mut (&mut self.stream).take(rest), &mut io::sink())?;
        self.position += skipped;
        // The zero blocks behind the last member may be missing, its own bytes may not.
        if skipped < self.left {
            return Err(self.ended_early());
        }
        (self.left, self.padding) = (0, 0);
        Ok(())
    }

    fn block(&mut self) -> io::Result<Option<[u8; TAR_BLOCK]>> {
        let mut block = [0; TAR_BLOCK];
        let mut filled = 0;
        while filled < TAR_BLOCK {
            match self.stream.read(&mut block[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.position += filled as u64;
        match filled {
            0 => Ok(None),
            TAR_BLOCK => Ok(Some(block)),
            _ => Err(self.ended_early()),
        }
    }

    /// An extended header's content.
    fn note(&mut self, size: u64) -> io::Result<Vec<u8>> {
        if size > MAX_TAR_NOTE_BYTES {
            return Err(self.damaged("an extended header of more than 1 MiB"));
        }
        let mut note = Vec::new();
        (&mut self.stream).take(size).read_to_end(&mut note)?;
        self.position += note.len() as u64;
        if (note.len() as u64) < size {
            return Err(self.ended_early());
        }
        (self.left, self.padding) = (0, padding_of(size));
        self.skip_rest()?;
        Ok(note)
    }

    /// Goes to the next member that is a file of the user; its name.
    fn next_name(&mut self) -> io::Result<Option<String>> {
        self.skip_rest()?;
        self.turn += 1;
        let (mut long_name, mut long_size) = (None, None);
        loop {
            let Some(block) = self.block()? else {
                self.end_missing = true;
                return Ok(None);
            };
            if block.iter().all(|byte| *byte == 0) {
                // To the end of the layer around the archive: its checksum stands there.
                let mut rest = ZerosOnly(true);
                self.position += io::copy(&mut self.stream, &mut rest)?;
                if !rest.0 {
                    return Err(StreamError::wrap(
                        "the tar archive continues after its end: a second archive was appended to it, or it is damaged",
                        "unpack it with `tar -xif` (all parts) and pack the files again",
                    ));
                }
                return Ok(None);
            }
            if !checksum_holds(&block) {
                return Err(self.damaged("a header whose checksum is wrong"));
            }
            self.members += 1;
            if self.members > MAX_MEMBERS {
                return Err(too_many("archive"));
            }
            let Some(size) = tar_size(&block[124..136]) else {
                return Err(self.damaged("a header whose size is not a number"));
            };
            match block[156] {
                b'x' => {
                    let note = self.note(size)?;
                    let Pax { name, size, sparse } = pax(&note).ok_or_else(|| {
                        self.damaged("an extended header that is not `length key=value`")
                    })?;
                    if sparse {
                        let name = name.unwrap_or_else(|| short_name(&block));
                        return Err(refuse(&name, SPARSE));
                    }
                    long_name = name.or(long_name);
                    long_size = size.or(long_size);
                    continue;
                }
                b'L' => {
                    long_name = Some(until_zero(&self.note(size)?).to_vec());
                    continue;
                }
                b'g' | b'K' => {
                    self.note(size)?;
                    continue;
                }
                _ => {}
            }
            let name = long_name.take().unwrap_or_else(|| short_name(&block));
            let size = long_size.take().unwrap_or(size);
            if let Some(what) = trick(&name) {
                return Err(refuse(&name, what));
            }
            let is_folder = block[156] == b'5' || name.ends_with(b"/");
            match block[156] {
                _ if is_folder => {}
                b'0' | 0 | b'7' => {}
                b'1' | b'2' => return Err(refuse(&name, "is a link")),
                b'S' => return Err(refuse(&name, SPARSE)),
                _ => return Err(refuse(&name, "is a device or of an unknown type")),
            }
            self.left = size;
            self.padding = padding_of(size);
            if is_folder || is_clutter(&name) {
                self.skip_rest()?;
                continue;
            }
            return Ok(Some(excerpt(&name)));
        }
    }
}

/// Bytes behind a member of `size` bytes up to the next block.
fn padding_of(size: u64) -> u64 {
    (TAR_BLOCK_BYTES - size % TAR_BLOCK_BYTES) % TAR_BLOCK_BYTES
}

fn short_name(block: &[u8]) -> Vec<u8> {
    let name = until_zero(&block[..100]);
    let prefix = until_zero(&block[345..500]);
    // GNU tar keeps other things where POSIX keeps the prefix.
    if &block[257..263] == b"ustar\0" && !prefix.is_empty() {
        [prefix, b"/", name].concat()
    } else {
        name.to_vec()
    }
}

/// What an extended header gives the next member.
#[derive(Debug, Default, PartialEq, Eq)]
struct Pax {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    /// Its holes are left out: what lies in the archive is not the file.
    sparse: bool,
}

/// The content of an extended header; `None` if it is malformed.
fn pax(mut note: &[u8]) -> Option<Pax> {
    let mut found = Pax::default();
    while !note.is_empty() {
        let blank = memchr::memchr(b' ', note)?;
        let length: usize = std::str::from_utf8(&note[..blank]).ok()?.parse().ok()?;
        let record = note.get(blank + 1..length)?.strip_suffix(b"\n")?;
        let equals = memchr::memchr(b'=', record)?;
        let (key, value) = (&record[..equals], &record[equals + 1..]);
        match key {
            b"path" => found.name = Some(value.to_vec()),
            b"size" => found.size = Some(std::str::from_utf8(value).ok()?.parse().ok()?),
            _ => found.sparse |= key.starts_with(b"GNU.sparse."),
        }
        note = &note[length..];
    }
    Some(found)
}

/// Where bytes go that must all be zero; false once one is not.
struct ZerosOnly(bool);

impl io::Write for ZerosOnly {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 &= bytes.iter().all(|byte| *byte == 0);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes of one member of a tar archive.
struct TarPart {
    archive: Archive,
    turn: u64,
}

impl Read for TarPart {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut *self.archive.members() {
            Members::Tar(tar) if tar.turn == self.turn => tar.read(out),
            _ => Ok(0),
        }
    }
}

// --- ZIP ----------------------------------------------------------------------------------------

#[derive(Debug, Clone)]
struct ZipEntry {
    name: Vec<u8>,
    codec: ZipCodec,
    crc: u32,
    packed_bytes: u64,
    bytes: u64,
    offset: u64,
}

#[derive(Debug, Clone, Copy)]
enum ZipCodec {
    Deflate,
    Other(Codec),
}

struct Zip {
    path: PathBuf,
    entries: std::vec::IntoIter<ZipEntry>,
    consumed: Arc<AtomicU64>,
    budget: Budget,
}

fn zip_damaged(what: &str) -> io::Error {
    StreamError::wrap(
        format!("the ZIP archive is damaged or truncated: {what}"),
        "copy or upload the file again; test it with `unzip -t`",
    )
}

impl Zip {
    fn open(path: &Path, consumed: Arc<AtomicU64>, budget: Budget) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let length = file.seek(SeekFrom::End(0))?;
        let (directory_at, directory_bytes, count) = zip_end(&mut file, length)?;
        if directory_bytes > MAX_DIRECTORY_BYTES || count > MAX_MEMBERS as u64 {
            return Err(too_many("archive"));
        }
        if directory_at
            .checked_add(directory_bytes)
            .is_none_or(|end| end > length)
        {
            return Err(zip_damaged("its directory lies outside the file"));
        }
        let directory = read_at(&mut file, directory_at, directory_bytes)?;
        let entries = zip_entries(&directory, count)?;
        refuse_overlaps(&entries, directory_at)?;
        let files: Vec<ZipEntry> = entries
            .into_iter()
            .filter(|entry| !entry.name.ends_with(b"/") && !is_clutter(&entry.name))
            .collect();
        Ok(Self {
            path: path.to_owned(),
            entries: files.into_iter(),
            consumed,
            budget,
        })
    }

    fn next_member(&mut self) -> io::Result<Option<Member>> {
        let Some(entry) = self.entries.next() else {
            return Ok(None);
        };
        let mut file = File::open(&self.path)?;
        let header = read_at(&mut file, entry.offset, 30)?;
        if !header.starts_with(b"PK\x03\x04") {
            return Err(zip_damaged(
                "a member's header is not where the directory says",
            ));
        }
        let names = u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
        file.seek(SeekFrom::Start(entry.offset + 30 + names))?;
        let packed: Source =
            Box::new(CountedFile::new(file, Arc::clone(&self.consumed)).take(entry.packed_bytes));
        let stream: Box<dyn Read + Send> = match entry.codec {
            ZipCodec::Other(codec) => decompressed(codec, packed, &self.budget)?,
            ZipCodec::Deflate => guarded(
                "deflate",
                Box::new(flate2::bufread::DeflateDecoder::new(packed)),
                &self.budget,
            ),
        };
        let checked = Checked {
            stream,
            crc: flate2::Crc::new(),
            bytes: 0,
            expected: (entry.crc, entry.bytes),
            name: excerpt(&entry.name),
        };
        Ok(Some(Member {
            name: excerpt(&entry.name),
            path: None,
            stream: Box::new(BufReader::with_capacity(BLOCK_BYTES, checked)),
        }))
    }
}

fn read_at(file: &mut File, offset: u64, count: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < count {
        return Err(zip_damaged("the file ends before what the directory lists"));
    }
    Ok(bytes)
}

/// Start, length and number of entries of the directory.
fn zip_end(file: &mut File, length: u64) -> io::Result<(u64, u64, u64)> {
    let tail_at = length.saturating_sub(ZIP_TAIL_BYTES);
    let tail = read_at(file, tail_at, length - tail_at)?;
    let end = (0..tail.len().saturating_sub(21))
        .rev()
        .find(|&at| {
            tail[at..].starts_with(b"PK\x05\x06")
                && at + 22 + usize::from(u16_at(&tail, at + 20)) == tail.len()
        })
        .ok_or_else(|| zip_damaged("the record at its end is missing"))?;
    let record = &tail[end..];
    let small = (
        u64::from(u32_at(record, 16)),
        u64::from(u32_at(record, 12)),
        u64::from(u16_at(record, 10)),
    );
    if small.0 != u64::from(u32::MAX)
        && small.1 != u64::from(u32::MAX)
        && small.2 != u64::from(u16::MAX)
    {
        return Ok(small);
    }
    let Some(locator) = end.checked_sub(20).map(|at| &tail[at..end]) else {
        return Ok(small);
    };
    if !locator.starts_with(b"PK\x06\x07") {
        return Ok(small);
    }
    let at = u64_at(locator, 8);
    if at.checked_add(56).is_none_or(|end| end > length) {
        return Err(zip_damaged("its ZIP64 record lies outside the file"));
    }
    let large = read_at(file, at, 56)?;
    if !large.starts_with(b"PK\x06\x06") {
        return Err(zip_damaged("its ZIP64 record is missing"));
    }
    Ok((u64_at(&large, 48), u64_at(&large, 40), u64_at(&large, 32)))
}

fn zip_entries(mut directory: &[u8], count: u64) -> io::Result<Vec<ZipEntry>> {
    let mut entries = Vec::new();
    for _ in 0..count {
        if directory.len() < 46 || !directory.starts_with(b"PK\x01\x02") {
            return Err(zip_damaged("its directory has fewer entries than it says"));
        }
        let lengths = [28, 30, 32].map(|at| usize::from(u16_at(directory, at)));
        let [name_bytes, extra_bytes, comment_bytes] = lengths;
        let end = 46 + name_bytes + extra_bytes + comment_bytes;
        if directory.len() < end {
            return Err(zip_damaged("an entry of its directory is cut off"));
        }
        let name = directory[46..46 + name_bytes].to_vec();
        let extra = &directory[46 + name_bytes..46 + name_bytes + extra_bytes];
        if let Some(what) = trick(&name) {
            return Err(refuse(&name, what));
        }
        // The high half of the attributes holds the mode of a file from Unix.
        if u32_at(directory, 38) >> 28 == 0o12 {
            return Err(refuse(&name, "is a link"));
        }
        if u16_at(directory, 8) & 1 != 0 {
            return Err(StreamError::wrap(
                format!("the archive's member `{}` is encrypted", excerpt(&name)),
                "unpack it with its password and read the trace itself",
            ));
        }
        let codec = match u16_at(directory, 10) {
            0 => ZipCodec::Other(Codec::None),
            8 => ZipCodec::Deflate,
            12 => ZipCodec::Other(Codec::Bzip2),
            93 => ZipCodec::Other(Codec::Zstd),
            95 => ZipCodec::Other(Codec::Xz),
            method => {
                return Err(StreamError::wrap(
                    format!(
                        "the archive's member `{}` is compressed by method {method} of ZIP, which is not supported",
                        excerpt(&name)
                    ),
                    "pack it again with deflate, bzip2, zstd, xz or no compression",
                ));
            }
        };
        let mut entry = ZipEntry {
            name,
            codec,
            crc: u32_at(directory, 16),
            packed_bytes: u64::from(u32_at(directory, 20)),
            bytes: u64::from(u32_at(directory, 24)),
            offset: u64::from(u32_at(directory, 42)),
        };
        zip64(&mut entry, extra)?;
        entries.push(entry);
        directory = &directory[end..];
    }
    Ok(entries)
}

/// Puts in what the entry itself has no room for.
fn zip64(entry: &mut ZipEntry, mut extra: &[u8]) -> io::Result<()> {
    let large = u64::from(u32::MAX);
    while extra.len() >= 4 {
        let (id, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
        let Some(mut field) = extra.get(4..4 + length) else {
            return Err(zip_damaged("an extra field of its directory is cut off"));
        };
        if id == 1 {
            for value in [&mut entry.bytes, &mut entry.packed_bytes, &mut entry.offset] {
                if *value == large {
                    if field.len() < 8 {
                        return Err(zip_damaged("a ZIP64 field of its directory is cut off"));
                    }
                    *value = u64_at(field, 0);
                    field = &field[8..];
                }
            }
        }
        extra = &extra[4 + length..];
    }
    Ok(())
}

/// Members that share bytes are the trick of bombs that expand a hundred million times.
fn refuse_overlaps(entries: &[ZipEntry], directory_at: u64) -> io::Result<()> {
    let mut extents: Vec<(u64, u64)> = entries
        .iter()
        .map(|entry| {
            let end = entry
                .offset
                .saturating_add(30)
                .saturating_add(entry.packed_bytes);
            (entry.offset, end)
        })
        .collect();
    extents.push((directory_at, u64::MAX));
    extents.sort_unstable();
    if extents.windows(2).any(|pair| pair[0].1 > pair[1].0) {
        return Err(StreamError::wrap(
            "members of the ZIP archive overlap each other or its directory",
            "do not trust this archive; pack the trace files alone into a new one",
        ));
    }
    Ok(())
}

/// Compares length and checksum at the end of a member.
struct Checked {
    stream: Box<dyn Read + Send>,
    crc: flate2::Crc,
    bytes: u64,
    expected: (u32, u64),
    name: String,
}

impl Read for Checked {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(out)?;
        self.crc.update(&out[..count]);
        self.bytes += count as u64;
        if count == 0 && !out.is_empty() && (self.crc.sum(), self.bytes) != self.expected {
            return Err(zip_damaged(&format!(
                "length or checksum of the member `{}` is wrong",
                self.name
            )));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::{Pax, natural_order, octal, pax, tar_size, trick};

    #[test]
    fn digits_in_names_count_as_numbers() {
        let sorted = [
            "",
            "1",
            "2",
            "10",
            "a",
            "a-1",
            "a01",
            "a1",
            "a1b",
            "a2",
            "a2b3",
            "a2b20",
            "a10",
            "a18446744073709551616",
            "a99999999999999999999",
            "aa",
            "b",
        ];
        for (i, one) in sorted.iter().enumerate() {
            for (j, other) in sorted.iter().enumerate() {
                let order = natural_order(one.as_bytes(), other.as_bytes());
                assert_eq!(order, i.cmp(&j), "{one} {other}");
            }
        }
    }

    #[test]
    fn names_that_lead_out_are_tricks() {
        for name in ["a", "a/b.csv", "./a", "a..b/..c", "b:"] {
            let expected = (name == "b:").then_some("has an absolute path");
            assert_eq!(trick(name.as_bytes()), expected, "{name}");
        }
        for name in [
            "",
            "/etc/passwd",
            "../a",
            "a/../../b",
            "C:\\a",
            "\\a",
            "a\\..\\b",
            "a\0b",
        ] {
            assert!(trick(name.as_bytes()).is_some(), "{name}");
        }
    }

    #[test]
    fn sizes_are_octal_or_binary() {
        assert_eq!(octal(b"00000000144\0"), Some(100));
        assert_eq!(octal(b"   144 \0"), Some(100));
        assert_eq!(octal(b"0000000018\0"), None);
        assert_eq!(octal(b"        "), None);
        assert_eq!(octal(b"12x"), None);
        let mut field = [0_u8; 12];
        (field[0], field[7]) = (0x80, 1);
        assert_eq!(tar_size(&field), Some(1 << 32));
        assert_eq!(tar_size(&[0xff; 12]), None);
    }

    #[test]
    fn extended_headers_are_length_key_value() {
        assert_eq!(
            pax(b"16 path=long/na\n10 size=9\n"),
            Some(Pax {
                name: Some(b"long/na".to_vec()),
                size: Some(9),
                sparse: false
            })
        );
        assert!(pax(b"22 GNU.sparse.major=1\n").unwrap().sparse);
        for bad in [
            "16 path=long/na",
            "99 path=a\n",
            "path=a\n",
            "6 path\n",
            "0 a=b\n",
            "4 a=b\n",
        ] {
            assert_eq!(pax(bad.as_bytes()), None, "{bad}");
        }
    }
}
