//! Parts as files, which workers leave for each other.
//!
//! Layout, all integers little-endian: magic (8 bytes), version u32, CRC-32 of what follows u32, then one zstd
//! frame of: length of head u64, head (JSON), counts by depth and by deepest (pages + 1 u64 each), windows (129 u64
//! each), and of the pages in columns: spaces u32, pages u64, before u32, after u32, windows u8, windows of the first
//! write u8, order u32; where it has summaries (in the head), seven u64 and a u8 of each page more. A file appears under its name when it is complete.

use std::io::{Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{HashRange, NOT_WRITTEN, OpenPage, Part, PartOrigin, check_names};
use crate::curve::NEVER_WRITTEN;
use crate::curve::carried::{BINS, Counts, MOST_WINDOWS, window_accesses};
use crate::error::Result;
use crate::kept::{Kind, column, invalid, read_column, read_head, write_head};
use crate::profile::parts::{COLUMNS, PageSummary, PartSummary};

const KIND: Kind = Kind {
    magic: *b"\x89TWPART\n",
    version: 2,
    holds: "part of a profile",
    hint: "delete it: the part is counted again",
};

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
        KIND.write(path, |out| self.write_to(out, notes))
    }

    fn write_to(&self, out: &mut dyn Write, notes: &str) -> std::io::Result<()> {
        let head = Head {
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
        };
        write_head(out, &head)?;
        column(out, self.by_depth.iter().map(|count| count.to_le_bytes()))?;
        column(out, self.by_deepest.iter().map(|count| count.to_le_bytes()))?;
        for window in &self.windows {
            let counts = std::iter::once(&window.accesses);
            let counts = counts.chain(&window.misses).chain(&window.write_backs);
            column(out, counts.map(|count| count.to_le_bytes()))?;
        }
        let pages = self.pages.iter();
        column(out, pages.clone().map(|open| open.space.to_le_bytes()))?;
        column(out, pages.clone().map(|open| open.page.to_le_bytes()))?;
        column(out, pages.clone().map(|open| open.before.to_le_bytes()))?;
        column(out, pages.clone().map(|open| open.after.to_le_bytes()))?;
        column(out, pages.clone().map(|open| [open.window]))?;
        column(out, pages.map(|open| [open.write_window]))?;
        column(out, self.order.iter().map(|page| page.to_le_bytes()))?;
        if let Some(summary) = &self.summary {
            for at in 0..COLUMNS {
                let numbers = summary.pages().iter().map(|page| page.to_columns().0[at]);
                column(out, numbers.map(u64::to_le_bytes))?;
            }
            let writes = summary.pages().iter().map(|page| [page.to_columns().1]);
            column(out, writes)?;
        }
        Ok(())
    }

    /// Reads what [`Self::write`] has written, and the notes.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Unreadable`] where it is no such file, of another version, or damaged.
    pub fn read(path: &Path) -> Result<(Self, String)> {
        KIND.read(path, read_body)
    }
}

fn read_body(body: &mut dyn Read) -> std::io::Result<(Part, String)> {
    let head: Head = read_head(body)?;
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
