//! Parts as files, which workers leave for each other.
//!
//! Layout, all integers little-endian: magic (8 bytes), version u32, CRC-32 of what follows u32, then one zstd
//! frame of: length of head u64, head (JSON), counts by depth and by deepest (pages + 1 u64 each), windows (129 u64
//! each), and of the pages in columns: spaces u32, pages u64, before u32, after u32, windows u8, windows of the first
//! write u8, order u32; where it has summaries (in the head), seven u64 and a u8 of each page more. A file appears under its name when it is complete.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{HashRange, NOT_WRITTEN, OpenPage, Part, PartOrigin, check_names};
use crate::curve::NEVER_WRITTEN;
use crate::curve::carried::{BINS, Counts, MOST_WINDOWS, window_accesses};
use crate::error::{Error, Result};
use crate::profile::parts::{COLUMNS, PageSummary, PartSummary};

const MAGIC: [u8; 8] = *b"\x89TWPART\n";
const VERSION: u32 = 2;
/// Longest head [bytes]: names of millions of devices.
const MAX_HEAD_BYTES: u64 = 1 << 30;
/// Fast: these files are read once.
const ZSTD_LEVEL: i32 = 1;
/// Integers converted at a time.
const BLOCK: usize = 1 << 13;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    first_access: u64,
    trace_accesses: u64,
    covered: u64,
    range: HashRange,
    accesses: u64,
    write_accesses: u64,
    page_bytes: u64,
    span_ns: Option<(i64, i64)>,
    spaces: Vec<String>,
    windows: u64,
    pages: u64,
    summary: Option<PartSummary>,
    /// What the caller keeps with the part.
    notes: String,
}

impl Part {
    /// Writes the part, with notes of the caller.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path, notes: &str) -> Result<()> {
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
        self.write_to(&mut file, notes).map_err(cannot)?;
        file.as_file().sync_all().map_err(cannot)?;
        file.persist(path).map_err(|error| cannot(error.error))?;
        Ok(())
    }

    fn write_to(
        &self,
        file: &mut (impl Write + std::io::Seek),
        notes: &str,
    ) -> std::io::Result<()> {
        file.write_all(&MAGIC)?;
        file.write_all(&VERSION.to_le_bytes())?;
        file.write_all(&[0; 4])?;
        let mut out = zstd::Encoder::new(Summed::new(&mut *file), ZSTD_LEVEL)?;
        let head = serde_json::to_vec(&Head {
            first_access: self.origin.first_access,
            trace_accesses: self.origin.trace_accesses,
            covered: self.covered,
            range: self.range,
            accesses: self.accesses,
            write_accesses: self.write_accesses,
            page_bytes: self.page_bytes,
            span_ns: self.span_ns,
            spaces: self.spaces.clone(),
            windows: self.windows.len() as u64,
            pages: self.pages.len() as u64,
            summary: self.summary.clone(),
            notes: notes.to_owned(),
        })?;
        out.write_all(&(head.len() as u64).to_le_bytes())?;
        out.write_all(&head)?;
        column(
            &mut out,
            self.by_depth.iter().map(|count| count.to_le_bytes()),
        )?;
        column(
            &mut out,
            self.by_deepest.iter().map(|count| count.to_le_bytes()),
        )?;
        for window in &self.windows {
            let counts = std::iter::once(&window.accesses);
            let counts = counts.chain(&window.misses).chain(&window.write_backs);
            column(&mut out, counts.map(|count| count.to_le_bytes()))?;
        }
        let pages = self.pages.iter();
        column(&mut out, pages.clone().map(|open| open.space.to_le_bytes()))?;
        column(&mut out, pages.clone().map(|open| open.page.to_le_bytes()))?;
        column(
            &mut out,
            pages.clone().map(|open| open.before.to_le_bytes()),
        )?;
        column(&mut out, pages.clone().map(|open| open.after.to_le_bytes()))?;
        column(&mut out, pages.clone().map(|open| [open.window]))?;
        column(&mut out, pages.map(|open| [open.write_window]))?;
        column(&mut out, self.order.iter().map(|page| page.to_le_bytes()))?;
        if let Some(summary) = &self.summary {
            for at in 0..COLUMNS {
                let numbers = summary.pages().iter().map(|page| page.to_columns().0[at]);
                column(&mut out, numbers.map(u64::to_le_bytes))?;
            }
            let writes = summary.pages().iter().map(|page| [page.to_columns().1]);
            column(&mut out, writes)?;
        }
        let sum = out.finish()?.crc.sum();
        file.seek(std::io::SeekFrom::Start(12))?;
        file.write_all(&sum.to_le_bytes())?;
        file.flush()
    }

    /// Reads what [`Self::write`] has written, and the notes.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Unreadable`] where it is no such file, of another version, or damaged.
    pub fn read(path: &Path) -> Result<(Self, String)> {
        let unreadable = |message: String| Error::Unreadable {
            path: path.to_owned(),
            message,
            hint: "delete it: the part is counted again".to_owned(),
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
        if prefix[..8] != MAGIC {
            return Err(unreadable("it holds no part of a profile".to_owned()));
        }
        let number = |at: usize| {
            u32::from_le_bytes([prefix[at], prefix[at + 1], prefix[at + 2], prefix[at + 3]])
        };
        if number(8) != VERSION {
            return Err(unreadable(format!(
                "it was written in version {}, this program reads {VERSION}",
                number(8)
            )));
        }
        let damaged = |error: std::io::Error| unreadable(format!("it is damaged: {error}"));
        let mut body =
            zstd::Decoder::with_buffer(BufReader::with_capacity(1 << 20, Summed::new(file)))
                .map_err(damaged)?;
        let (part, notes) = read_body(&mut body).map_err(damaged)?;
        let mut rest = body.finish();
        std::io::copy(&mut rest, &mut std::io::sink()).map_err(damaged)?;
        if rest.get_ref().crc.sum() != number(12) {
            return Err(unreadable(
                "it is damaged: its check sum is another".to_owned(),
            ));
        }
        Ok((part, notes))
    }
}

fn column<const N: usize>(
    out: &mut impl Write,
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
fn read_column<const N: usize, T>(
    body: &mut impl Read,
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

fn invalid(message: &str) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, message)
}

fn read_body(body: &mut impl Read) -> std::io::Result<(Part, String)> {
    let mut length = [0; 8];
    body.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_HEAD_BYTES {
        return Err(invalid("its head is too long"));
    }
    let mut head = Vec::new();
    body.by_ref().take(length).read_to_end(&mut head)?;
    let head: Head = serde_json::from_slice(&head)?;
    if head.pages >= u64::from(u32::MAX) || head.windows > MOST_WINDOWS as u64 {
        return Err(invalid("it has too many pages or windows"));
    }
    let by_depth = read_column(body, head.pages + 1, u64::from_le_bytes)?;
    let by_deepest = read_column(body, head.pages + 1, u64::from_le_bytes)?;
    let windows = (0..head.windows)
        .map(|_| {
            let mut counts = Counts::new();
            let mut columns = read_column(body, 1 + 2 * BINS as u64, u64::from_le_bytes)?;
            counts
                .write_backs
                .copy_from_slice(&columns.split_off(1 + BINS));
            counts.misses.copy_from_slice(&columns.split_off(1));
            counts.accesses = columns[0];
            Ok(counts)
        })
        .collect::<std::io::Result<Vec<_>>>()?;
    let spaces = read_column(body, head.pages, u32::from_le_bytes)?;
    let pages = read_column(body, head.pages, u64::from_le_bytes)?;
    let before = read_column(body, head.pages, u32::from_le_bytes)?;
    let after = read_column(body, head.pages, u32::from_le_bytes)?;
    let first_windows = read_column(body, head.pages, |[window]| window)?;
    let write_windows = read_column(body, head.pages, |[window]| window)?;
    let order = read_column(body, head.pages, u32::from_le_bytes)?;
    let summary = match head.summary {
        Some(summary) => {
            let columns = (0..COLUMNS)
                .map(|_| read_column(body, head.pages, u64::from_le_bytes))
                .collect::<std::io::Result<Vec<_>>>()?;
            let writes = read_column(body, head.pages, |[write]| write)?;
            let pages = writes.iter().enumerate().map(|(at, &write)| {
                let numbers = std::array::from_fn(|column| columns[column][at]);
                PageSummary::of_columns(numbers, write)
            });
            Some(summary.with_pages(pages.collect()))
        }
        None => None,
    };
    if body.read(&mut [0])? != 0 {
        return Err(invalid("something follows its end"));
    }
    let pages = (0..pages.len())
        .map(|at| OpenPage {
            space: spaces[at],
            page: pages[at],
            before: before[at],
            after: after[at],
            window: first_windows[at],
            write_window: write_windows[at],
        })
        .collect();
    let part = Part {
        origin: PartOrigin {
            first_access: head.first_access,
            trace_accesses: head.trace_accesses,
        },
        covered: head.covered,
        range: head.range,
        accesses: head.accesses,
        write_accesses: head.write_accesses,
        page_bytes: head.page_bytes,
        span_ns: head.span_ns,
        spaces: head.spaces,
        by_depth,
        by_deepest,
        windows,
        pages,
        order,
        summary,
    };
    part.check().map_err(|message| invalid(&message))?;
    Ok((part, head.notes))
}

impl Part {
    /// What joining relies on.
    fn check(&self) -> std::result::Result<(), String> {
        let PartOrigin {
            first_access,
            trace_accesses,
        } = self.origin;
        let end = first_access.checked_add(self.covered);
        let counted = match self.range {
            HashRange::ALL => self.accesses == self.covered,
            range => range.is_sound() && self.accesses <= self.covered && self.summary.is_none(),
        };
        if end.is_none_or(|end| end > trace_accesses) || self.page_bytes == 0 || !counted {
            return Err("it does not lie within its trace".to_owned());
        }
        let length = window_accesses(trace_accesses);
        let first = self.first_window();
        let last = (first_access + self.covered).div_ceil(length);
        if self.windows.len() as u64
            != last.saturating_sub(u64::from(first)) * u64::from(self.covered > 0)
        {
            return Err("its windows do not cover it".to_owned());
        }
        check_names(&self.spaces).map_err(|error| error.to_string())?;
        let most = self.pages.len();
        let known = |depth: u32| depth as usize <= most;
        for open in &self.pages {
            let listed = |window: u8| window >= first && u64::from(window) < last;
            let is_written = open.write_window != NOT_WRITTEN;
            if open.space as usize >= self.spaces.len()
                || !known(open.before)
                || is_written != (open.after != NEVER_WRITTEN)
                || (is_written && !(known(open.after) && listed(open.write_window)))
                || !listed(open.window)
            {
                return Err(format!(
                    "page {} of space {} cannot be so",
                    open.page, open.space
                ));
            }
        }
        let mut seen = vec![false; most];
        for &page in &self.order {
            let place = seen
                .get_mut(page as usize)
                .ok_or("its order names another page")?;
            if std::mem::replace(place, true) {
                return Err(format!("its order has page {page} twice"));
            }
        }
        let counted: u64 = self
            .by_depth
            .iter()
            .fold(0, |sum, count| sum.saturating_add(*count));
        let in_windows = self
            .windows
            .iter()
            .fold(0_u64, |sum, window| sum.saturating_add(window.accesses));
        let mut open = vec![0; self.windows.len()];
        for page in &self.pages {
            open[usize::from(page.window - first)] += 1;
        }
        if let Some(summary) = &self.summary {
            let places = [first_access, self.accesses, trace_accesses];
            summary.check(places, self.spaces.len())?;
        }
        let open_in_windows = self.windows.iter().map(|window| window.misses[BINS - 1]);
        if counted != self.accesses
            || in_windows != self.covered
            || self.by_depth[0] != most as u64
            || !open_in_windows.eq(open)
        {
            return Err("its counts do not sum up".to_owned());
        }
        Ok(())
    }
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
