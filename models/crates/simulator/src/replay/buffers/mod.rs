//! Cost-aware buffers in front of a device whose writes cost more than its reads: one file each, and
//! one line each in the table below.
//!
//! Common to all: cold start; free frames are used before anything is evicted; a write miss fetches
//! its page like a read; a page fetched by a write is dirty; evicting a dirty page writes it; dirty
//! pages left at the end are not flushed. A buffer counts operations, never time: with R the cost of
//! a write in reads, the cost of an access is (reads + R writes) / accesses.

use serde::Serialize;

use crate::access::AccessSource;
use crate::error::{Error, Result};
use crate::ftl::FtlResult;
use crate::progress::OnProgress;
use crate::replay::store::{self, OnDevice, Store};
use crate::replay::{
    Machine, Need, Totals, WarmedUp, Warning, counters_since, disagreement, replay_with,
    written_as_named,
};
use crate::wording::counted;

mod advisor;
mod cfdc;
mod cflru;
mod dynamics;
mod fd_buffer;
mod lru;
mod options;

pub use advisor::Window;
pub use dynamics::{
    Drift, DynamicsBuffer, DynamicsResult, DynamicsSpec, Epoch, SHORTEST_EPOCH, simulate_dynamics,
};
pub use fd_buffer::simulate_splits;
use options::Options;

/// An option of a buffer, for lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferOption {
    /// The name before `=`.
    pub name: &'static str,
    /// What may stand behind it.
    pub values: &'static str,
    /// What is taken if it is left out.
    pub default: &'static str,
    /// One sentence.
    pub description: &'static str,
}

/// A registered buffer, for lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AboutBuffer {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// The name to show.
    pub title: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// Fewest pages it can have.
    pub least_pages: u32,
    /// What it needs beyond the pages of the trace.
    pub needs: &'static [Need],
    /// Its options.
    pub options: &'static [BufferOption],
}

/// What a buffer counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BufferCounters {
    /// Pages read from the device: one a miss.
    pub reads: u64,
    /// Pages written to the device: evictions of dirty pages.
    pub writes: u64,
    /// Write requests to the device: with write clustering one may carry several pages.
    pub write_requests: u64,
    /// Accesses that find their page clean.
    pub hits_clean: u64,
    /// Accesses that find their page dirty.
    pub hits_dirty: u64,
    /// Writes that find their page dirty.
    pub write_hits_dirty: u64,
    /// Accesses that do not find their page.
    pub misses: u64,
    /// Pages that left the buffer, clean and dirty.
    pub evictions: u64,
}

counters_since!(BufferCounters {
    reads,
    writes,
    write_requests,
    hits_clean,
    hits_dirty,
    write_hits_dirty,
    misses,
    evictions,
});

written_as_named!(BufferCounters);

impl BufferCounters {
    #[inline]
    fn hit(&mut self, dirty: bool, write: bool) {
        self.hits_clean += u64::from(!dirty);
        self.hits_dirty += u64::from(dirty);
        self.write_hits_dirty += u64::from(dirty && write);
    }

    #[inline]
    fn miss(&mut self) {
        self.misses += 1;
        self.reads += 1;
    }

    /// One page leaves; a dirty one in a write request of its own.
    #[inline]
    fn evict(&mut self, dirty: bool) {
        self.evictions += 1;
        self.writes += u64::from(dirty);
        self.write_requests += u64::from(dirty);
    }

    /// Names and values, in the order in which they are shown.
    pub fn named(&self) -> [(&'static str, u64); 8] {
        [
            ("reads", self.reads),
            ("writes", self.writes),
            ("hits_clean", self.hits_clean),
            ("hits_dirty", self.hits_dirty),
            ("write_hits_dirty", self.write_hits_dirty),
            ("misses", self.misses),
            ("evictions", self.evictions),
            ("write_requests", self.write_requests),
        ]
    }

    /// What holds of every buffer that ends with `held` pages.
    fn check(&self, totals: Totals, held: u64) -> std::result::Result<(), String> {
        // A write that does not find its page dirty makes it so, until it is written or left over.
        let made_dirty = totals.write_accesses.saturating_sub(self.write_hits_dirty);
        if self.writes > made_dirty
            || made_dirty - self.writes > held
            || self.hits_clean + self.hits_dirty + self.misses != totals.accesses
            || self.misses != self.evictions + held
            || self.reads != self.misses
            || self.writes > self.evictions.min(totals.write_accesses)
            || self.write_requests > self.writes
            || (self.write_requests == 0) != (self.writes == 0)
            || self.write_hits_dirty > self.hits_dirty.min(totals.write_accesses)
        {
            return Err(format!(
                "{} accesses with {} writes gave {self:?} and {held} pages left",
                totals.accesses, totals.write_accesses
            ));
        }
        Ok(())
    }
}

/// Result of one replay through a buffer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BufferResult {
    /// Name of the buffer in [`buffers`].
    #[serde(rename = "policy")]
    pub buffer: &'static str,
    /// Capacity in pages.
    pub pages: u32,
    /// Accesses counted, reads and writes.
    pub accesses: u64,
    /// Those that write.
    pub write_accesses: u64,
    /// What was replayed before them and not counted.
    #[serde(flatten)]
    pub warm_up: WarmedUp,
    /// Distinct pages of the whole trace.
    pub distinct_pages: u64,
    /// What was counted.
    #[serde(flatten)]
    pub counters: BufferCounters,
    /// Pages of the clean pool, at the end where they change; `None` without such a pool.
    pub clean_pages: Option<u32>,
    /// Windows of the policy advisor that were closed after the warm-up; 0 without an advisor.
    pub windows: u64,
    /// The first of all windows, those of the warm-up too, at most [`MOST_WINDOWS_KEPT`].
    pub history: Vec<Window>,
    /// What the flash device did that holds the data, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ftl: Option<Box<FtlResult>>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

pub use advisor::MOST_WINDOWS_KEPT;

/// Every buffer.
pub fn buffers() -> &'static [AboutBuffer] {
    TABLE
}

/// Replays all accesses of `source` through a buffer of `pages` pages.
///
/// The name may be written in upper case, and with `-` for `_`. With [`super::device_options`] the data lie on a
/// flash device.
///
/// # Errors
/// [`Error::BadParameter`] for an unknown buffer or option or an impossible size,
/// [`Error::Cancelled`], and whatever `source` reports.
pub fn simulate_buffer(
    source: &mut dyn AccessSource,
    buffer: &str,
    pages: u64,
    options: &[(String, String)],
    on_progress: OnProgress<'_>,
) -> Result<BufferResult> {
    let wanted = buffer.to_ascii_lowercase().replace('-', "_");
    let Some(about) = TABLE.iter().find(|about| about.name == wanted) else {
        return Err(Error::BadParameter {
            name: "policy",
            value: buffer.to_owned(),
            message: "no such cost-aware buffer".to_owned(),
            hint: format!(
                "choose one of {}",
                TABLE
                    .iter()
                    .map(|about| about.name)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        });
    };
    if about.needs.contains(&Need::Writes) {
        check_writes(source, about.name)?;
    }
    let (own, device) = store::asked(about.name, options)?;
    let pages = super::page_count("pages", pages, about.least_pages)?;
    let options = Options::new(about, &own)?;
    match device {
        None => start(Run::<()> {
            about,
            source,
            pages,
            options,
            device: (),
            on_progress,
        }),
        Some(device) => start(Run::<OnDevice> {
            about,
            source,
            pages,
            options,
            device,
            on_progress,
        }),
    }
}

/// What one replay through a buffer needs, whose data lie in `S`.
struct Run<'source, 'progress, S: Store> {
    about: &'static AboutBuffer,
    source: &'source mut dyn AccessSource,
    pages: u32,
    options: Options<'source>,
    device: S::Asked,
    on_progress: OnProgress<'progress>,
}

/// A buffer that can say what it counted.
trait Buffer: Machine {
    /// Where its data lie.
    type Store: Store;
    fn counters(&self) -> BufferCounters;
    fn store(&mut self) -> &mut Self::Store;
    fn clean_pages(&self) -> Option<u32> {
        None
    }
    /// Windows closed.
    fn windows(&self) -> u64 {
        0
    }
    /// The first of them.
    fn take_windows(&mut self) -> Vec<Window> {
        Vec::new()
    }
}

/// Replays the run through `buffer`.
fn drive<B: Buffer>(run: Run<'_, '_, B::Store>, buffer: B) -> Result<BufferResult> {
    drive_with(false, run, buffer)
}

/// The same for a buffer with a policy that needs the future.
fn drive_foreseen<B: Buffer>(run: Run<'_, '_, B::Store>, buffer: B) -> Result<BufferResult> {
    drive_with(true, run, buffer)
}

fn drive_with<B: Buffer>(
    needs_future: bool,
    run: Run<'_, '_, B::Store>,
    mut buffer: B,
) -> Result<BufferResult> {
    let Run {
        source,
        about,
        pages,
        device,
        on_progress,
        ..
    } = run;
    let mut before = (BufferCounters::default(), 0);
    let totals = B::Store::below(&device, source, on_progress, |source, on_progress| {
        replay_with(
            needs_future,
            source,
            &mut buffer,
            &mut |buffer| {
                before = (buffer.counters(), buffer.windows());
                buffer.store().warmed_up();
            },
            on_progress,
        )
    })?;
    let name = about.name;
    buffer
        .finished(totals)
        .map_err(|text| disagreement(name, &text))?;
    let ftl = std::mem::take(buffer.store()).served(device, &totals, source, on_progress)?;
    Ok(BufferResult {
        buffer: name,
        pages,
        accesses: totals.counted_accesses(),
        write_accesses: totals.counted_writes(),
        warm_up: totals.warm_up,
        distinct_pages: totals.distinct_pages as u64,
        counters: buffer.counters().since(before.0),
        clean_pages: buffer.clean_pages(),
        windows: buffer.windows() - before.1,
        history: buffer.take_windows(),
        ftl: ftl.map(Box::new),
        warnings: no_writes(name, totals).into_iter().collect(),
    })
}

/// Refuses a trace that cannot say what writes.
pub(crate) fn check_writes(source: &dyn AccessSource, name: &str) -> Result<()> {
    if source.tells_writes() {
        return Ok(());
    }
    Err(Error::BadParameter {
        name: "trace",
        value: source.file_name().unwrap_or("in memory").to_owned(),
        message: format!(
            "its format does not distinguish writes from reads, and `{name}` weighs one against the other"
        ),
        hint: "use a trace that records writes (see has_writes in [[the formats]]), or use lru or a policy of `simulate`, which do not need them"
            .to_owned(),
    })
}

/// A trace that never writes says nothing about a buffer that spares writes.
fn no_writes(name: &str, totals: Totals) -> Option<Warning> {
    (totals.accesses > 0 && totals.write_accesses == 0).then(|| Warning {
        name: "no_writes",
        message: format!(
            "the trace has no writes among its {}, so `{name}` has no dirty page to spare",
            counted(totals.accesses, "access", "accesses")
        ),
        hint: "use a trace that records writes; see has_writes in [[the formats]]".to_owned(),
    })
}

macro_rules! buffers {
    ($($start:path => $name:literal, $title:literal, $description:literal, $paper:literal, $least:literal, $needs:expr, $options:expr;)+) => {
        /// Every buffer: the one table that all lists are read from.
        const TABLE: &[AboutBuffer] = &[
            $(AboutBuffer {
                name: $name,
                title: $title,
                description: $description,
                paper: $paper,
                least_pages: $least,
                needs: $needs,
                options: $options,
            },)+
        ];

        fn start<S: Store>(run: Run<'_, '_, S>) -> Result<BufferResult> {
            match run.about.name {
                $($name => $start(run),)+
                other => Err(disagreement("table of buffers", other)),
            }
        }
    };
}

buffers! {
    lru::start => "lru", "LRU", "Evicts the least recently used page, clean or dirty.", "Mattson, Gecsei, Slutz, Traiger: Evaluation techniques for storage hierarchies, IBM Systems Journal 1970", 1, &[], &[];
    cflru::start => "cflru", "CFLRU", "Evicts the least recent clean page outside a working region of the most recent pages; dirty ones only when no clean one is left there.", "Park, Jung, Kang, Kim, Lee: CFLRU: a replacement algorithm for flash memory, CASES 2006", 1, &[Need::Writes], cflru::OPTIONS;
    cfdc::start => "cfdc", "CFDC", "CFLRU that writes dirty pages in clusters of neighbours, large and old clusters first.", "Ou, Haerder, Jin: CFDC: a flash-aware replacement policy for database buffer management, DaMoN 2009", 1, &[Need::Writes], cfdc::OPTIONS;
    fd_buffer::start => "fd_static", "FD-Buffer, static split", "A clean and a dirty pool of fixed sizes, each with its own policy.", "On, Li, He, Wu, Luo, Xu: FD-Buffer: a buffer manager for databases on flash disks, CIKM 2010, section 4.2", 2, &[Need::Writes], fd_buffer::OPTIONS;
    advisor::start => "fd_buffer", "FD-Buffer, adaptive split", "A clean and a dirty pool whose sizes follow the cost predicted for every split from the last window's hits.", "On, Li, He, Wu, Luo, Xu: FD-Buffer: a buffer manager for databases on flash disks, CIKM 2010, sections 4.2 to 4.4", 2, &[Need::Writes], advisor::OPTIONS;
}
