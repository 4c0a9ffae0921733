//! Buffers over a workload or a device that changes from epoch to epoch, side by side.
//!
//! Paper: On, Li, He, Wu, Luo, Xu, CIKM 2010, section 5.1, models WM1, WM2, RM1 and RM2.
//!
//! ```text
//! epoch i = 0, 1, ...:  w_i = min(1, w_0 (1 + g_w i) (o_w if i is odd))
//!                       R_i = R_0 (1 + g_R i) (o_R if i is odd)
//! ```
//!
//! The paper changes reads of a trace into writes. Here each access is changed by a draw of its own, so
//! that the expected share of writes is `w_i`: above `w_0` reads become writes, below it writes become
//! reads. The draw hashes the number of the access, so every buffer sees the same, and so does every
//! replay.

use super::advisor::Advised;
use super::cflru::Regions;
use super::fd_buffer::FdBuffer;
use super::lru::LruBuffer;
use super::options::HALF;
use super::{Buffer, BufferCounters, check_writes};
use crate::access::AccessSource;
use crate::curve::two_stack::split_pages;
use crate::error::{Error, Result};
use crate::progress::OnProgress;
use crate::replay::policies::Policy as _;
use crate::replay::policies::lru::Lru;
use crate::replay::recency::Recency;
use crate::replay::settings::Settings;
use crate::replay::{Machine, Totals, disagreement, replay};
use crate::wording::counted;

/// Fewest accesses of an epoch: fewer say nothing, and each epoch is kept.
pub const SHORTEST_EPOCH: u64 = 100;

/// How writes and their cost change; neutral at growth 0 and odd factor 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Share of writes of the trace itself, `w_0`.
    pub write_share: f64,
    /// Growth of it an epoch, as a share of `w_0`.
    pub write_growth: f64,
    /// Factor of it in odd epochs.
    pub write_odd: f64,
    /// Cost of a write in reads at the start, `R_0`.
    pub asymmetry: f64,
    /// Growth of it an epoch, as a share of `R_0`.
    pub asymmetry_growth: f64,
    /// Factor of it in odd epochs.
    pub asymmetry_odd: f64,
}

/// What is replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicsSpec {
    /// Pages of the buffer.
    pub pages: u64,
    /// Clean pools of the static splits.
    pub clean_pages: Vec<u64>,
    /// Accesses of an epoch.
    pub epoch_accesses: u64,
    /// Accesses of a window of the advisor.
    pub window_accesses: u64,
    /// What changes.
    pub drift: Drift,
}

/// One epoch.
#[derive(Debug, Clone, PartialEq)]
pub struct Epoch {
    /// Accesses.
    pub accesses: u64,
    /// Accesses that write, after the change.
    pub write_accesses: u64,
    /// R of the epoch.
    pub asymmetry: f64,
    /// Clean pool of the adaptive buffer when it ended. [pages]
    pub clean_pages: u32,
    /// Pages read and written by each buffer, in the order of [`DynamicsResult::buffers`].
    pub counts: Vec<(u64, u64)>,
}

/// One buffer over the whole trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DynamicsBuffer {
    /// `adaptive`, `lru`, `cflru` or `static`.
    pub name: &'static str,
    /// Clean pool of a static split.
    pub clean_pages: Option<u32>,
    /// What was counted.
    pub counters: BufferCounters,
    /// Pages still dirty at the end.
    pub dirty_left: u64,
}

/// Result of one replay.
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicsResult {
    /// Accesses of the trace.
    pub accesses: u64,
    /// Accesses of the trace that write, before the change.
    pub write_accesses: u64,
    /// Distinct pages.
    pub distinct_pages: u64,
    /// The buffers: adaptive, LRU, CFLRU, then the static splits.
    pub buffers: Vec<DynamicsBuffer>,
    /// Epoch by epoch, the last one possibly short.
    pub epochs: Vec<Epoch>,
}

impl Drift {
    fn write_share(&self, epoch: u64) -> f64 {
        (self.write_share * changed(epoch, self.write_growth, self.write_odd)).min(1.0)
    }

    fn asymmetry(&self, epoch: u64) -> f64 {
        self.asymmetry * changed(epoch, self.asymmetry_growth, self.asymmetry_odd)
    }

    fn check(&self) -> Result<()> {
        let share = (0.0..=1.0).contains(&self.write_share);
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let growth = |value: f64| value.is_finite() && value >= 0.0;
        for (name, value, is_good) in [
            ("write-share", self.write_share, share),
            ("write-growth", self.write_growth, growth(self.write_growth)),
            ("write-odd", self.write_odd, growth(self.write_odd)),
            ("asymmetry", self.asymmetry, positive(self.asymmetry)),
            (
                "asymmetry-growth",
                self.asymmetry_growth,
                growth(self.asymmetry_growth),
            ),
            (
                "asymmetry-odd",
                self.asymmetry_odd,
                positive(self.asymmetry_odd),
            ),
        ] {
            if !is_good {
                return Err(Error::BadParameter {
                    name,
                    value: value.to_string(),
                    message: "is out of range".to_owned(),
                    hint: "use a share from 0 to 1, a growth of 0 or more, and R above 0"
                        .to_owned(),
                });
            }
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "epochs are far below 2^53")]
fn changed(epoch: u64, growth: f64, odd: f64) -> f64 {
    let factor = if epoch % 2 == 1 { odd } else { 1.0 };
    (1.0 + growth * epoch as f64) * factor
}

/// Accesses that are changed in an epoch, as parts of 2^64.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    reads: u64,
    writes: u64,
}

impl Change {
    fn new(from: f64, to: f64) -> Self {
        let part = |share: f64| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of 2^64; the cast saturates"
            )]
            let part = (share.clamp(0.0, 1.0) * 18_446_744_073_709_551_616.0) as u64;
            part
        };
        if to > from {
            Self {
                reads: part((to - from) / (1.0 - from)),
                writes: 0,
            }
        } else if to < from {
            Self {
                reads: 0,
                writes: part(1.0 - to / from),
            }
        } else {
            Self::default()
        }
    }

    #[inline]
    fn of(self, access: u64, write: bool) -> bool {
        let threshold = if write { self.writes } else { self.reads };
        write ^ (threshold > 0 && hash(access) < threshold)
    }
}

/// The finaliser of `SplitMix64`.
fn hash(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

struct Drifting {
    drift: Drift,
    epoch_accesses: u64,
    adaptive: Advised<Lru, Lru>,
    lru: LruBuffer,
    cflru: Regions<Recency>,
    splits: Vec<FdBuffer<Lru, Lru>>,
    change: Change,
    asymmetry: f64,
    accesses: u64,
    in_epoch: u64,
    writes_in_epoch: u64,
    write_accesses: u64,
    before: Vec<(u64, u64)>,
    epochs: Vec<Epoch>,
}

impl Drifting {
    /// Of every buffer, in the order of the result.
    fn counters(&self) -> Vec<BufferCounters> {
        let first = [
            self.adaptive.counters(),
            self.lru.counters(),
            self.cflru.counters(),
        ];
        let splits = self.splits.iter().map(Buffer::counters);
        first.into_iter().chain(splits).collect()
    }

    fn counts(&self) -> Vec<(u64, u64)> {
        let counters = self.counters();
        let pairs = counters.iter().map(|of| (of.reads, of.writes));
        pairs.collect()
    }

    fn begin(&mut self, epoch: u64) {
        self.change = Change::new(self.drift.write_share, self.drift.write_share(epoch));
        self.asymmetry = self.drift.asymmetry(epoch);
        self.adaptive.set_asymmetry(self.asymmetry);
    }

    #[cold]
    #[inline(never)]
    fn close(&mut self) {
        let now = self.counts();
        let counts = now.iter().zip(&self.before);
        self.epochs.push(Epoch {
            accesses: self.in_epoch,
            write_accesses: self.writes_in_epoch,
            asymmetry: self.asymmetry,
            clean_pages: self.adaptive.clean_pages().unwrap_or(0),
            counts: counts
                .map(|(now, before)| (now.0 - before.0, now.1 - before.1))
                .collect(),
        });
        self.before = now;
        (self.in_epoch, self.writes_in_epoch) = (0, 0);
        self.begin(self.epochs.len() as u64);
    }
}

impl Machine for Drifting {
    fn grow(&mut self, pages: usize) {
        self.adaptive.grow(pages);
        self.lru.grow(pages);
        self.cflru.grow(pages);
        self.splits.iter_mut().for_each(|split| split.grow(pages));
    }

    fn fetch(&self, _pages: &[u32]) {}

    #[inline]
    fn access(&mut self, page: u32, write: bool) {
        let write = self.change.of(self.accesses, write);
        self.adaptive.access(page, write);
        self.lru.access(page, write);
        self.cflru.access(page, write);
        for split in &mut self.splits {
            split.access(page, write);
        }
        self.accesses += 1;
        self.in_epoch += 1;
        self.writes_in_epoch += u64::from(write);
        self.write_accesses += u64::from(write);
        if self.in_epoch == self.epoch_accesses {
            self.close();
        }
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        let changed = Totals {
            write_accesses: self.write_accesses,
            ..totals
        };
        self.adaptive.finished(changed)?;
        self.lru.finished(changed)?;
        self.cflru.finished(changed)?;
        self.splits
            .iter()
            .try_for_each(|split| split.finished(changed))
    }
}

/// Replays all accesses of `source` once through the adaptive buffer, LRU, CFLRU with half of its
/// frames as working region, and static splits, while writes and their cost change.
///
/// # Errors
/// [`Error::BadParameter`] for an impossible size, length or drift, [`Error::Cancelled`], and whatever
/// `source` reports.
pub fn simulate_dynamics(
    source: &mut dyn AccessSource,
    spec: &DynamicsSpec,
    on_progress: OnProgress<'_>,
) -> Result<DynamicsResult> {
    check_writes(source, "fd_buffer")?;
    spec.drift.check()?;
    let pages = split_pages("pages", spec.pages)?;
    for (name, length, least) in [
        ("epoch-accesses", spec.epoch_accesses, SHORTEST_EPOCH),
        ("window", spec.window_accesses, 1),
    ] {
        if length < least {
            return Err(Error::BadParameter {
                name,
                value: length.to_string(),
                message: format!(
                    "must have at least {}",
                    counted(least, "access", "accesses")
                ),
                hint: "use about 5000 accesses, as the paper does".to_owned(),
            });
        }
    }
    let pools = || {
        [
            Settings::defaults(Lru::OPTIONS),
            Settings::defaults(Lru::OPTIONS),
        ]
    };
    let splits = spec.clean_pages.iter().map(|&clean| {
        let clean = super::fd_buffer::static_split(pages, clean)?;
        Ok(FdBuffer::new(pages, clean, &pools()))
    });
    let mut machine = Drifting {
        drift: spec.drift,
        epoch_accesses: spec.epoch_accesses,
        adaptive: Advised::every(pages, spec.window_accesses, spec.drift.asymmetry, &pools()),
        lru: LruBuffer::new(pages),
        cflru: Regions::new(pages, HALF.of(pages), Recency::default()),
        splits: splits.collect::<Result<_>>()?,
        change: Change::default(),
        asymmetry: spec.drift.asymmetry,
        accesses: 0,
        in_epoch: 0,
        writes_in_epoch: 0,
        write_accesses: 0,
        before: vec![(0, 0); spec.clean_pages.len() + 3],
        epochs: Vec::new(),
    };
    machine.begin(0);
    let totals = replay(source, &mut machine, &mut |_| (), on_progress)?;
    if totals.warm_up.accesses > 0 {
        return Err(Error::BadParameter {
            name: "warm-up",
            value: totals.warm_up.accesses.to_string(),
            message: "epochs count every access, from the first one".to_owned(),
            hint: "leave the warm-up out, and ignore the first epochs of the result".to_owned(),
        });
    }
    machine
        .finished(totals)
        .map_err(|text| disagreement("dynamics", &text))?;
    if machine.in_epoch > 0 {
        machine.close();
    }
    let splits = machine
        .splits
        .iter()
        .map(|split| ("static", split.clean_pages()));
    let names = [("adaptive", None), ("lru", None), ("cflru", None)];
    let names = names.into_iter().chain(splits);
    let buffers = names.zip(machine.counters());
    Ok(DynamicsResult {
        accesses: totals.accesses,
        write_accesses: totals.write_accesses,
        distinct_pages: totals.distinct_pages as u64,
        buffers: buffers
            .map(|((name, clean_pages), counters)| DynamicsBuffer {
                name,
                clean_pages,
                counters,
                // What a write made dirty was written, or is left.
                dirty_left: machine.write_accesses - counters.write_hits_dirty - counters.writes,
            })
            .collect(),
        epochs: machine.epochs,
    })
}
