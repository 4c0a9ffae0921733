//! FD-Buffer with the policy advisor: the split follows the workload.
//!
//! Paper: On, Li, He, Wu, Luo, Xu, CIKM 2010, section 4.4.
//!
//! ```text
//! per access: FD-Buffer with the clean pool of M_c pages, and the Two-Stack estimator beside it
//! end of a window: for M_c = 1 .. M - 1: P_c, P_d, P_dw from the window's counters -> cost
//!                  M_c = the split of least cost, of equal ones the smallest; counters to 0
//! ```
//!
//! Where the paper is silent or unclear:
//! * The stacks live on from window to window; only the counters start anew.
//! * Of M candidates M - 1 are meant: a split leaves both pools a page.
//! * Which estimator decides is an option. The paper's is `eq4`; the default is `flow`, whose
//!   absolute cost is far closer.
//! * Without `comp` a window is a fixed number of accesses, by default that of the buffer's pages
//!   but at least 5,000, the length of the paper's epochs: a shorter one cannot turn the buffer over.
//!   With `comp`, the time of one estimation in page reads, a window ends with the access that brings
//!   its I/O time, reads + R writes, to comp / g; time comes from the option, for there is no clock here.
//! * The estimator is that of LRU pools, whatever policies the pools have. A policy that divides its
//!   pool divides the new size as soon as the split moves; how, says its own file. Pages then leave one at
//!   a time, as the policy names its victims.
//! * R is an option and constant; `dynamics` replays devices whose R drifts.

use serde::Serialize;

use super::fd_buffer::{
    CLEAN_PAGES, CLEAN_POLICY, DIRTY_POLICY, FdBuffer, are_lru, clean_pages, pool_policies,
};
use super::{Buffer, BufferCounters, BufferOption, BufferResult, Run, drive, drive_foreseen};
use crate::curve::two_stack::{Distance, Stacks, check_group, split_pages};
use crate::error::Result;
use crate::replay::policies::lru::Lru;
use crate::replay::policies::{AnyPolicy, Removable};
use crate::replay::settings::Settings;
use crate::replay::store::Store;
use crate::replay::{Fill, Machine, Totals};

/// Most windows whose record is kept.
pub const MOST_WINDOWS_KEPT: usize = 10_000;

/// Accesses of an epoch in the paper.
const SHORTEST_WINDOW: u64 = 5_000;
/// Share of the I/O time that the advisor may take, as in the paper.
const OVERHEAD_RATIO: f64 = 0.03;
/// Cost of a write in reads, the paper's default.
const ASYMMETRY: f64 = 32.0;

pub(super) const OPTIONS: &[BufferOption] = &[
    BufferOption {
        name: "asymmetry",
        values: "a number above 0",
        default: "32",
        description: "R, the cost of a page write in page reads.",
    },
    BufferOption {
        name: "estimator",
        values: "flow, disjoint or eq4",
        default: "flow",
        description: "Cost formula that chooses the split.",
    },
    BufferOption {
        name: "window",
        values: "a whole number from 1 to 1000000000000",
        default: "the buffer's pages, at least 5000",
        description: "Length of a window. [accesses]",
    },
    BufferOption {
        name: "comp",
        values: "a number above 0",
        default: "windows of a fixed length",
        description: "Time of one estimation; windows then last until their I/O time is comp / g. [page reads]",
    },
    BufferOption {
        name: "g",
        values: "a number above 0, with comp",
        default: "0.03",
        description: "Largest share of the I/O time that estimations may take.",
    },
    BufferOption {
        name: "group_pages",
        values: "a whole number from 1 to the buffer's pages",
        default: "exact stack positions",
        description: "Pages per group, whose stack distances count as equal; the paper uses 64.",
    },
    BufferOption {
        name: "group_distance",
        values: "printed or conservative, with group_pages",
        default: "printed",
        description: "Distance of group k: k (k + 1 if conservative) times the group's pages.",
    },
    CLEAN_PAGES,
    CLEAN_POLICY,
    DIRTY_POLICY,
];

/// One window of the advisor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Window {
    /// Accesses.
    pub accesses: u64,
    /// Accesses that write.
    pub write_accesses: u64,
    /// Pages read.
    pub reads: u64,
    /// Pages written.
    pub writes: u64,
    /// Clean pool of this window. [pages]
    pub clean_pages: u32,
    /// Clean pool of the next one. [pages]
    pub next_clean_pages: u32,
    /// Cost of an access that the estimator expects of it. [page reads]
    pub estimated_cost: f64,
}

/// Cost of an access from the miss rates of both pools; see `docs/models/pool-split.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Estimator {
    Eq4,
    Disjoint,
    Flow,
}

impl Estimator {
    fn cost(self, p_c: f64, p_d: f64, p_dw: f64, write_share: f64, asymmetry: f64) -> f64 {
        let disjoint = (p_c + p_d - 1.0).max(0.0);
        match self {
            Self::Eq4 => p_c * p_d * (1.0 + p_dw * asymmetry),
            Self::Disjoint => disjoint * (1.0 + p_dw * asymmetry),
            Self::Flow => disjoint + write_share * p_dw * asymmetry,
        }
    }
}

/// When a window ends.
#[derive(Debug, Clone, Copy)]
enum WindowEnd {
    Accesses(u64),
    IoTime(f64),
}

#[derive(Debug, Clone, Copy)]
struct Advice {
    asymmetry: f64,
    estimator: Estimator,
    end: WindowEnd,
}

pub(super) struct Advised<C, D, S = ()> {
    buffer: FdBuffer<C, D, S>,
    stacks: Stacks,
    advice: Advice,
    pages: u32,
    accesses: u64,
    write_accesses: u64,
    /// The buffer's counters when the window began.
    before: BufferCounters,
    windows: u64,
    history: Vec<Window>,
}

pub(super) fn start<S: Store>(run: Run<'_, '_, S>) -> Result<BufferResult> {
    split_pages("pages", u64::from(run.pages))?;
    let pools = pool_policies(&run)?;
    if are_lru(&pools) {
        run_with::<Lru, S>(run, &pools)
    } else {
        run_with::<AnyPolicy, S>(run, &pools)
    }
}

fn run_with<P: Removable, S: Store>(
    run: Run<'_, '_, S>,
    pools: &[Settings; 2],
) -> Result<BufferResult> {
    let buffer = Advised {
        buffer: FdBuffer::<P, P, S>::new(run.pages, clean_pages(&run)?, pools),
        stacks: Stacks::new(run.pages, distance(&run)?, true),
        advice: advice(&run)?,
        pages: run.pages,
        accesses: 0,
        write_accesses: 0,
        before: BufferCounters::default(),
        windows: 0,
        history: Vec::new(),
    };
    if pools.iter().any(Settings::needs_future) {
        drive_foreseen(run, buffer)
    } else {
        drive(run, buffer)
    }
}

fn advice<S: Store>(run: &Run<'_, '_, S>) -> Result<Advice> {
    let options = &run.options;
    let estimators = [
        ("eq4", Estimator::Eq4),
        ("disjoint", Estimator::Disjoint),
        ("flow", Estimator::Flow),
    ];
    let fixed = options.whole(
        "window",
        u64::from(run.pages).max(SHORTEST_WINDOW),
        1,
        1_000_000_000_000,
    )?;
    let overhead = options.positive("g")?;
    let end = if let Some(comp) = options.positive("comp")? {
        if let Some(window) = options.text("window") {
            return Err(options.wrong("window", window, "cannot be combined with comp"));
        }
        WindowEnd::IoTime(comp / overhead.unwrap_or(OVERHEAD_RATIO))
    } else {
        if let Some(g) = options.text("g") {
            return Err(options.wrong("g", g, "has no effect without comp"));
        }
        WindowEnd::Accesses(fixed)
    };
    Ok(Advice {
        asymmetry: options.positive("asymmetry")?.unwrap_or(ASYMMETRY),
        estimator: options.choice("estimator", Estimator::Flow, &estimators)?,
        end,
    })
}

fn distance<S: Store>(run: &Run<'_, '_, S>) -> Result<Distance> {
    let options = &run.options;
    let ends = [("printed", false), ("conservative", true)];
    let conservative = options.choice("group_distance", false, &ends)?;
    if options.text("group_pages").is_none() {
        return match options.text("group_distance") {
            Some(end) => {
                Err(options.wrong("group_distance", end, "has no effect without group_pages"))
            }
            None => Ok(Distance::Raw),
        };
    }
    let pages = options.whole("group_pages", 0, 1, u64::from(u32::MAX))?;
    let pages = u32::try_from(pages).unwrap_or(u32::MAX);
    check_group(pages, run.pages)?;
    Ok(Distance::Grouped {
        pages,
        conservative,
    })
}

impl<C: Removable, D: Removable, S: Store> Advised<C, D, S> {
    /// The usual advisor, with windows of a fixed length; it starts at half the buffer.
    pub(super) fn every(pages: u32, accesses: u64, asymmetry: f64, pools: &[Settings; 2]) -> Self {
        Self {
            buffer: FdBuffer::new(pages, (pages / 2).max(1), pools),
            stacks: Stacks::new(pages, Distance::Raw, true),
            advice: Advice {
                asymmetry,
                estimator: Estimator::Flow,
                end: WindowEnd::Accesses(accesses),
            },
            pages,
            accesses: 0,
            write_accesses: 0,
            before: BufferCounters::default(),
            windows: 0,
            history: Vec::new(),
        }
    }

    /// What a write costs from now on, in reads.
    pub(super) fn set_asymmetry(&mut self, asymmetry: f64) {
        self.advice.asymmetry = asymmetry;
    }

    #[inline]
    fn is_over(&self) -> bool {
        match self.advice.end {
            WindowEnd::Accesses(accesses) => self.accesses >= accesses,
            WindowEnd::IoTime(time) => {
                let counters = self.buffer.counters();
                let reads = as_f64(counters.reads - self.before.reads);
                let writes = as_f64(counters.writes - self.before.writes);
                reads + self.advice.asymmetry * writes >= time
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn close(&mut self) {
        let (clean_pages, cost) = self.best();
        let counters = self.buffer.counters();
        self.windows += 1;
        if self.history.len() < MOST_WINDOWS_KEPT {
            self.history.push(Window {
                accesses: self.accesses,
                write_accesses: self.write_accesses,
                reads: counters.reads - self.before.reads,
                writes: counters.writes - self.before.writes,
                clean_pages: self.buffer.clean_pages().unwrap_or(0),
                next_clean_pages: clean_pages,
                estimated_cost: cost,
            });
        }
        self.buffer.set_clean_pages(clean_pages);
        self.stacks.forget_counts();
        self.before = counters;
        (self.accesses, self.write_accesses) = (0, 0);
    }

    /// The split of least cost by the window's counts, and that cost.
    fn best(&self) -> (u32, f64) {
        let Advice {
            asymmetry,
            estimator,
            ..
        } = self.advice;
        let [clean, dirty, dirty_writes] = self.stacks.hits_by_split();
        let accesses = as_f64(self.accesses);
        let writes = as_f64(self.write_accesses);
        let mut best = (1, f64::INFINITY);
        for (split, ((&clean, &dirty), &dirty_writes)) in
            (1_u32..self.pages).zip(clean.iter().zip(&dirty).zip(&dirty_writes))
        {
            let p_c = 1.0 - as_f64(clean) / accesses;
            let p_d = 1.0 - as_f64(dirty) / accesses;
            let p_dw = if self.write_accesses == 0 {
                0.0
            } else {
                1.0 - as_f64(dirty_writes) / writes
            };
            let cost = estimator.cost(p_c, p_d, p_dw, writes / accesses, asymmetry);
            if cost < best.1 {
                best = (split, cost);
            }
        }
        best
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of accesses are far below 2^53"
)]
fn as_f64(count: u64) -> f64 {
    count as f64
}

impl<C: Removable, D: Removable, S: Store> Machine for Advised<C, D, S> {
    fn grow(&mut self, pages: usize) {
        self.buffer.grow(pages);
        self.stacks.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.buffer.fetch(pages);
        self.stacks.fetch(pages);
    }

    #[inline]
    fn foresee(&mut self, page: u32, next_access: u32) {
        self.buffer.foresee(page, next_access);
    }

    #[inline]
    fn access(&mut self, page: u32, write: bool) {
        self.buffer.access(page, write);
        self.stacks.access(page, write);
        self.accesses += 1;
        self.write_accesses += u64::from(write);
        if self.is_over() {
            self.close();
        }
    }

    fn fill(&self) -> Fill {
        self.buffer.fill()
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        self.buffer.finished(totals)?;
        let kept: u64 = self.history.iter().map(|window| window.accesses).sum();
        let all_kept = self.windows == self.history.len() as u64;
        if all_kept && kept + self.accesses != totals.accesses {
            return Err(format!(
                "windows of {kept} and {} accesses out of {}",
                self.accesses, totals.accesses
            ));
        }
        Ok(())
    }
}

impl<C: Removable, D: Removable, S: Store> Buffer for Advised<C, D, S> {
    type Store = S;

    fn store(&mut self) -> &mut S {
        self.buffer.store()
    }

    fn counters(&self) -> BufferCounters {
        self.buffer.counters()
    }

    fn clean_pages(&self) -> Option<u32> {
        self.buffer.clean_pages()
    }

    fn windows(&self) -> u64 {
        self.windows
    }

    fn take_windows(&mut self) -> Vec<Window> {
        std::mem::take(&mut self.history)
    }
}
