//! Transactions over flash: which pages leave memory, in which form, and what the device does.
//!
//! After Zhou, Meng and Liang (2009), sections II.B and IV. Where the paper is silent:
//!
//! * A page belongs to the transaction that updated it last, else to the one that touched it last.
//! * Log records of one push are packed into whole pages; the last is written part-filled.
//! * A page whose records lie on [`MERGE_PAGES`] such pages is written as a page at its next push: reading it
//!   has then grown as expensive as writing it.
//! * An abort drops the transaction's changes in memory. Pages it had pushed out as pages are written back
//!   with their old content (section II.C); pages of its log records are only dropped.
//!
//! With a log proper (ARIES, or any system that is asked for it), see [`wal`]: records are forced at commit
//! and before a page that they changed is written. At a checkpoint, pages that have been dirty since before
//! the previous one are written.

mod buffer;
#[cfg(test)]
mod crash;
mod ended;
mod events;
mod medium;
mod wal;

use std::path::Path;
use std::rc::Rc;

use serde::Serialize;

use self::buffer::Memory;
use self::events::{Checked, Checker};
pub use self::events::{Written, parse_line, shown};
use self::medium::{Chip, Device, Medium};
pub use self::wal::Recovery;
use crate::Error;
use crate::ftl::Settings as FlashSettings;
use crate::progress::{OnProgress, Progress};
use crate::wording::counted;

/// Pages of records beyond which a page is written as a page.
pub const MERGE_PAGES: usize = 8;

/// What one step of a transaction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It begins.
    Begin,
    /// It reads a page.
    Read,
    /// It updates a page.
    Update,
    /// It ends, and what it did stays.
    Commit,
    /// It ends, and nothing of what it did stays.
    Abort,
}

impl Kind {
    /// The one of that word.
    pub fn called(word: &str) -> Option<Self> {
        let all = [
            Self::Begin,
            Self::Read,
            Self::Update,
            Self::Commit,
            Self::Abort,
        ];
        all.into_iter().find(|kind| kind.word() == word)
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Read => "read",
            Self::Update => "update",
            Self::Commit => "commit",
            Self::Abort => "abort",
        }
    }
}

/// One step of a transaction whose history was found good.
#[derive(Debug, Clone, Copy)]
struct Event {
    kind: Kind,
    /// Number of the transaction, by when it began.
    transaction: u64,
    page: u64,
    time: f64,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Stopped {
    /// The events or the settings are refused.
    Refused(Box<Refusal>),
    /// The file could not be read, or the caller asked to stop.
    Failed(Error),
}

/// What is wrong with the events or the settings.
#[derive(Debug)]
pub struct Refusal {
    /// The parameter: `events`, `steps`, `blocks` or `database_pages`.
    pub part: &'static str,
    /// Where within it, such as `event 3`; empty: the whole.
    pub place: String,
    /// The offending value; empty where there is none.
    pub value: String,
    /// What is wrong.
    pub message: String,
    /// The next step.
    pub hint: String,
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

type Answer<T> = std::result::Result<T, Stopped>;

/// Counts the work that grows faster than the events, and stops at its bound.
#[derive(Debug)]
struct Steps {
    most: Option<u64>,
    taken: u64,
}

impl Steps {
    fn spend(&mut self, steps: u64) -> Answer<()> {
        self.taken += steps;
        match self.most {
            Some(most) if self.taken > most => Err(Refusal {
                part: "steps",
                place: String::new(),
                value: most.to_string(),
                message: format!("takes more than {} to replay", counted(most, "step", "steps")),
                hint: "give fewer events, smaller blocks or a chip with more room; use the command tierwright \
                       transactions, which accepts any number"
                    .to_owned(),
            }
            .into()),
            _ => Ok(()),
        }
    }
}

/// How pages leave memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the parts of the method, each with and without"
)]
struct Rules {
    /// Pages of committed transactions leave before those of running ones, by commit time.
    committed_first: bool,
    /// Running transactions leave as a whole, by average access time; otherwise their pages leave one by one,
    /// the least recently touched first.
    average: bool,
    /// What leaves is written as log records, packed into pages.
    records: bool,
    /// Pages that were written out stay readable until their frames are needed.
    lazy: bool,
    /// There is a log proper, whatever is asked.
    log: bool,
}

impl Rules {
    const NONE: Self = Self {
        committed_first: false,
        average: false,
        records: false,
        lazy: false,
        log: false,
    };
}

/// A system, for lists.
#[derive(Debug, Clone, Copy)]
pub struct System {
    /// By which it is asked for.
    pub name: &'static str,
    /// Title.
    pub title: &'static str,
    /// One sentence.
    pub description: &'static str,
    rules: Rules,
}

macro_rules! systems {
    ($($name:literal: $title:literal, $description:literal, [$($rule:ident),*];)+) => {
        /// Every system: the one table that all lists are read from.
        pub const SYSTEMS: &[System] = &[$(System {
            name: $name,
            title: $title,
            description: $description,
            rules: Rules { $($rule: true,)* ..Rules::NONE },
        }),+];
    };
}

systems! {
    "page_lru": "LRU of pages", "Single pages, the least recently touched first, whoever changed them; nothing is forced at commit.", [];
    "aries": "ARIES", "The same with its log: forced at commit and before a page is stolen, with checkpoints, redo and undo.", [log];
    "committed_first": "Committed first", "Committed transactions leave before others and as a whole, by commit time; pages of running ones singly, by LRU.", [committed_first];
    "aat": "Average access time", "The same, but running transactions leave as a whole, by average access time (AAT).", [committed_first, average];
    "transaction_page": "Transactions, as pages", "The same, and pages written out stay readable until their frames are needed (lazy replace).", [committed_first, average, lazy];
    "log_write": "Log-based write", "As by average access time, but log records are written instead of pages; frames are freed at once.", [committed_first, average, records];
    "transaction_log": "Transactions, as log records", "The whole method: committed first, average access time, log-based write and lazy replace.", [committed_first, average, records, lazy];
}

/// Blocks of the chip.
#[derive(Debug, Clone, Copy)]
pub struct Geometry {
    /// Blocks, each erased as a whole.
    pub blocks: u64,
    /// Pages of a block.
    pub block_pages: u64,
    /// [bytes]
    pub page_bytes: u64,
}

/// What is replayed, and over what.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Names of systems.
    pub systems: Vec<String>,
    /// Buffer. [pages]
    pub ram_pages: u32,
    /// Pages on the device at the start.
    pub database_pages: u64,
    /// Log record of an update. [bytes]
    pub record_bytes: u64,
    /// Of the chip.
    pub geometry: Geometry,
    /// The flash device instead of the raw chip.
    pub device: Option<FlashSettings>,
    /// Every system keeps a log proper.
    pub durable: bool,
    /// Log between two checkpoints. [pages]
    pub checkpoint_pages: u64,
    /// The system stops here, and is restarted. [events]
    pub crash_after: Option<u64>,
    /// Bound of the work of each replay beyond that of the events themselves.
    pub most_steps: Option<u64>,
    /// Whether to list the transactions that were pushed out, and those in memory at the end.
    pub list: bool,
}

/// What the device did beside the writes that it was given.
#[derive(Debug, Clone, Copy)]
struct DeviceCounts {
    copied_pages: u64,
    erases: u64,
    live_pages: u64,
}

/// What one system did.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Counts {
    /// Page reads of the device, copies of garbage collection included.
    pub reads: u64,
    /// Page programs of the device, copies of garbage collection included.
    pub writes: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Page touches found in memory.
    pub hits: u64,
    /// Page touches not found in memory.
    pub misses: u64,
    /// Programs that write out pages.
    pub data_pages_written: u64,
    /// Programs that write out log records instead of pages.
    pub log_pages_written: u64,
    /// Programs that restore a page after an abort.
    pub undo_pages_written: u64,
    /// Live pages moved by garbage collection.
    pub copied_pages: u64,
    /// Pages of log records read to reconstruct a page.
    pub extra_log_reads: u64,
    /// Programs that hold changes of a transaction still running then.
    pub uncommitted_pages_written: u64,
    /// Of those, the ones whose transaction aborted later.
    pub garbage_pages: u64,
    /// Programs of the log proper.
    pub wal_pages_written: u64,
    /// Times the log proper was written because a commit or a page had to wait for it.
    pub wal_forces: u64,
    /// Checkpoints taken.
    pub checkpoints: u64,
    /// Of the data pages written, those that a checkpoint wrote.
    pub checkpoint_pages_written: u64,
    /// Pages read to undo an abort.
    pub undo_reads: u64,
    /// Transactions pushed out as a whole.
    pub transactions_pushed_out: u64,
    /// Pages in memory at the end.
    pub resident_pages: u64,
    /// Pages of the device that hold valid content at the end.
    pub live_pages: u64,
}

/// A transaction that was pushed out: its id, when it committed, and the earliest commit of the others in
/// memory.
pub type Victim = (String, Option<f64>, Option<f64>);
/// A transaction in memory: its id, when its pages were touched, and when it committed.
pub type Resident = (String, Vec<f64>, Option<f64>);

/// What one system did, with the lists that were asked for.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Outcome {
    /// Name of the system.
    pub system: &'static str,
    /// What it counted.
    pub counts: Counts,
    /// In the order in which they left.
    pub victims: Vec<Victim>,
    /// In no order.
    pub residents: Vec<Resident>,
    /// What a restart takes; none where nothing crashes, or without a log proper.
    pub recovery: Option<Recovery>,
}

/// What was replayed, and what each system did.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// Events replayed.
    pub events: u64,
    /// Transactions that began.
    pub transactions: u64,
    /// One a system, in the order asked.
    pub systems: Vec<Outcome>,
}

/// Where events come from.
#[expect(missing_debug_implementations, reason = "an iterator has none")]
pub enum Source<'a> {
    /// A text file, compressed or not; read once, block by block.
    File(&'a Path),
    /// Those in memory.
    Events(&'a mut dyn Iterator<Item = Written<'a>>),
}

/// Runs the events once, through every system.
///
/// # Errors
///
/// [`Stopped`]: an event is impossible, the device is full, or the file cannot be read.
pub fn replay(
    source: Source<'_>,
    settings: &Settings,
    on_progress: OnProgress<'_>,
) -> Answer<Found> {
    let mut memories = settings
        .systems
        .iter()
        .map(|name| memory(name, settings))
        .collect::<Answer<Vec<_>>>()?;
    let mut checker = Checker::new(settings.database_pages);
    let last = settings.crash_after.unwrap_or(u64::MAX);
    let mut each = |written: Written<'_>| -> Answer<()> {
        if checker.events >= last {
            return Ok(());
        }
        let Checked { event, begun } = checker.check(written)?;
        for memory in &mut memories {
            memory.take(event, begun.as_ref().map(Rc::clone))?;
        }
        Ok(())
    };
    match source {
        Source::File(path) => events::stream(path, on_progress, each)?,
        Source::Events(events) => {
            for written in events {
                each(written)?;
            }
            let done = checker.events;
            let progress = Progress {
                done,
                total: done,
                accesses: done,
                requests: None,
            };
            if !on_progress(progress) {
                return Err(Error::Cancelled.into());
            }
        }
    }
    if let Some(after) = settings.crash_after
        && checker.events < after
    {
        return Err(Refusal {
            part: "crash_after",
            place: String::new(),
            value: after.to_string(),
            message: format!(
                "is beyond the end: there are {}",
                counted(checker.events, "event", "events")
            ),
            hint: format!(
                "crash after at most {}",
                counted(checker.events, "event", "events")
            ),
        }
        .into());
    }
    let systems = memories
        .into_iter()
        .map(|memory| memory.finish(settings.list));
    Ok(Found {
        systems: systems.collect::<Answer<Vec<_>>>()?,
        events: checker.events,
        transactions: checker.begun,
    })
}

/// What a file of events holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Survey {
    /// Steps.
    pub events: u64,
    /// Transactions that began.
    pub transactions: u64,
    /// Of those, the ones that committed.
    pub committed: u64,
    /// Of those, the ones that aborted.
    pub aborted: u64,
    /// Page reads.
    pub reads: u64,
    /// Page updates.
    pub updates: u64,
    /// Pages from 0 to the highest one touched.
    pub pages: u64,
}

/// Reads a file of events once, and counts what it holds.
///
/// # Errors
///
/// [`Stopped`]: an event is impossible, or the file cannot be read.
pub fn survey(path: &Path, on_progress: OnProgress<'_>) -> Answer<Survey> {
    let mut checker = Checker::new(u64::MAX);
    events::stream(path, on_progress, |written| {
        checker.check(written).map(|_| ())
    })?;
    Ok(Survey {
        events: checker.events,
        transactions: checker.begun,
        committed: checker.committed,
        aborted: checker.aborted,
        reads: checker.reads,
        updates: checker.updates,
        pages: checker.pages,
    })
}

fn memory(name: &str, settings: &Settings) -> Answer<Memory> {
    let system = SYSTEMS
        .iter()
        .find(|system| system.name == name)
        .ok_or_else(|| {
            let known: Vec<_> = SYSTEMS.iter().map(|system| system.name).collect();
            Error::BadParameter {
                name: "system",
                value: name.to_owned(),
                message: "is unknown".to_owned(),
                hint: format!("use one of {}", known.join(", ")),
            }
        })?;
    let medium = match settings.device {
        None => Medium::Chip(Chip::new(settings.geometry, settings.database_pages)),
        Some(device) => Medium::Device(Box::new(Device::new(device, settings.database_pages)?)),
    };
    Ok(Memory::new(system, settings, medium))
}
