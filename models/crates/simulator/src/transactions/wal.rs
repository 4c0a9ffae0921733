//! The log proper: forced at commit and before a page whose changes it holds is written, with fuzzy
//! checkpoints; and what a restart does with it.
//!
//! After ARIES (Mohan et al. 1992). A record's number (LSN) is the byte at which it ends. A page written
//! carries the number of the last record that changed it, so recovery knows from which record on it is out
//! of date.

use serde::Serialize;
use std::collections::VecDeque;

use crate::hash::{FastMap, FastSet};

/// Bytes of a record that begins or ends a transaction.
pub(super) const END_BYTES: u64 = 32;
/// Bytes of a checkpoint beside those of its tables.
pub(super) const CHECKPOINT_BYTES: u64 = 32;
/// Bytes a row of a checkpoint's tables of dirty pages and running transactions.
pub(super) const ROW_BYTES: u64 = 16;
/// Log pages that wait in memory at most.
const BUFFER_PAGES: u64 = 16;

/// What a record of the log says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Update(u64),
    /// An update of a page, of that number, was undone.
    Undone {
        page: u64,
        update: u64,
    },
    Commit,
    Abort,
    Checkpoint,
}

/// A record of the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    /// Byte at which it ends.
    pub(super) lsn: u64,
    pub(super) transaction: u64,
    pub(super) says: Says,
}

/// What reaches the device, or the log's buffer, in its order: what a crash is tried on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// A record was added to the log in memory.
    Logged(Record),
    /// The log up to this byte is on the device.
    Forced(u64),
    /// A page was written as the records up to this one left it.
    Wrote { page: u64, lsn: u64 },
    /// The changes of a transaction were taken off a page on the device.
    #[cfg_attr(
        not(test),
        expect(
            dead_code,
            reason = "recovery finds it undone either way; the test checks that"
        )
    )]
    TakenOff { page: u64, transaction: u64 },
    /// A checkpoint is complete: redo starts behind `redo`, and the log before `keep` may go.
    Checkpoint { redo: u64, keep: u64 },
}

/// Positions of the log.
#[derive(Debug)]
pub(super) struct Wal {
    page_bytes: u64,
    /// Byte at which the next record begins.
    pub(super) end: u64,
    pub(super) forced: u64,
    /// Pages before this one are dropped.
    kept_from: u64,
    pub(super) last_checkpoint: u64,
    pub(super) interval_bytes: u64,
}

impl Wal {
    pub(super) fn new(page_bytes: u64, interval_bytes: u64) -> Self {
        Self {
            page_bytes,
            end: 0,
            forced: 0,
            kept_from: 0,
            last_checkpoint: 0,
            interval_bytes,
        }
    }

    /// Adds a record; its number.
    pub(super) fn add(&mut self, bytes: u64) -> u64 {
        self.end += bytes;
        self.end
    }

    /// Whether so much waits in memory that it is written.
    pub(super) fn is_full(&self) -> bool {
        self.end - self.forced >= BUFFER_PAGES * self.page_bytes
    }

    /// The pages to write so that all is on the device; a page that was written part-filled is written again.
    pub(super) fn force(&mut self) -> std::ops::Range<u64> {
        let pages = self.forced / self.page_bytes..self.end.div_ceil(self.page_bytes);
        self.forced = self.end;
        pages
    }

    /// The pages that may be dropped when only what follows a byte is needed.
    pub(super) fn reclaim(&mut self, keep: u64) -> std::ops::Range<u64> {
        let first = (keep / self.page_bytes).max(self.kept_from);
        std::mem::replace(&mut self.kept_from, first)..first
    }
}

/// What lies on the device: all that survives a crash.
#[derive(Debug, Default)]
pub(super) struct Stable {
    /// Records since the oldest that is needed; those behind `forced` are in memory only.
    pub(super) records: VecDeque<Record>,
    pub(super) forced: u64,
    /// Number of the last record that each page written holds.
    pub(super) pages: FastMap<u64, u64>,
    pub(super) redo: u64,
}

impl Stable {
    pub(super) fn take(&mut self, step: Step) {
        match step {
            Step::Logged(record) => self.records.push_back(record),
            Step::Forced(lsn) => self.forced = lsn,
            Step::Wrote { page, lsn } => {
                self.pages.insert(page, lsn);
            }
            Step::TakenOff { .. } => {}
            Step::Checkpoint { redo, keep } => {
                self.redo = redo;
                while self.records.front().is_some_and(|first| first.lsn <= keep) {
                    self.records.pop_front();
                }
            }
        }
    }

    /// The records that survived.
    pub(super) fn log(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.records
            .iter()
            .filter(|record| record.lsn <= self.forced)
    }
}

/// What recovery does to pages, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// Applies the record of this number to a page.
    Redo { page: u64, lsn: u64 },
    /// Takes the update of this number off a page.
    Undo { page: u64, lsn: u64 },
}

/// What a restart takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Recovery {
    /// Pages of the log that are read, each once.
    pub log_pages_read: u64,
    /// Pages of the database that are read.
    pub pages_read: u64,
    /// Records that are applied again.
    pub redone: u64,
    /// Updates of transactions that had not committed, taken back.
    pub undone: u64,
    /// Transactions that had not ended.
    pub losers: u64,
    /// Pages changed by recovery, which are written once more.
    pub pages_written: u64,
}

/// Brings the pages to what the committed transactions left: redo of all that is not on them, then undo of
/// what had not ended.
pub(super) fn recover(
    stable: &Stable,
    page_bytes: u64,
    record_bytes: u64,
    mut deed: impl FnMut(Deed),
) -> Recovery {
    let mut found = Recovery::default();
    let mut pages: FastMap<u64, (u64, bool)> = FastMap::default();
    let mut ended: FastSet<u64> = FastSet::default();
    let mut losers: FastSet<u64> = FastSet::default();
    // Updates that were undone already, by transaction and page.
    let mut undone: FastMap<(u64, u64), u64> = FastMap::default();
    for record in stable.log() {
        match record.says {
            Says::Commit | Says::Abort => {
                ended.insert(record.transaction);
            }
            Says::Undone { page, .. } => {
                *undone.entry((record.transaction, page)).or_default() += 1;
            }
            Says::Update(_) | Says::Checkpoint => {}
        }
    }
    let mut first = stable.forced;
    for record in stable.log() {
        if record.lsn > stable.redo {
            first = first.min(record.lsn);
            if let Says::Update(page) | Says::Undone { page, .. } = record.says {
                let (lsn, changed) = pages.entry(page).or_insert_with(|| {
                    found.pages_read += 1;
                    (stable.pages.get(&page).copied().unwrap_or(0), false)
                });
                if record.lsn > *lsn {
                    *lsn = record.lsn;
                    *changed = true;
                    found.redone += 1;
                    deed(Deed::Redo {
                        page,
                        lsn: record.lsn,
                    });
                }
            }
        }
    }
    for record in stable.log().rev() {
        if ended.contains(&record.transaction) {
            continue;
        }
        let Says::Update(page) = record.says else {
            continue;
        };
        losers.insert(record.transaction);
        if let Some(left) = undone.get_mut(&(record.transaction, page))
            && *left > 0
        {
            *left -= 1;
            continue;
        }
        first = first.min(record.lsn);
        let (_, changed) = pages.entry(page).or_insert_with(|| {
            found.pages_read += 1;
            (0, false)
        });
        *changed = true;
        found.undone += 1;
        deed(Deed::Undo {
            page,
            lsn: record.lsn,
        });
    }
    found.losers = losers.len() as u64;
    #[expect(clippy::iter_over_hash_type, reason = "counted, in any order")]
    for (_, changed) in pages.values() {
        found.pages_written += u64::from(*changed);
    }
    if stable.forced > 0 {
        let start = first.saturating_sub(record_bytes) / page_bytes;
        found.log_pages_read = stable.forced.div_ceil(page_bytes) - start;
    }
    found
}
