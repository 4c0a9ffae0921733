//! FD-Buffer: a clean and a dirty pool.
//!
//! Paper: On, Li, He, Wu, Luo, Xu, section 4.2, Algorithms 1 and 2.
//!
//! ```text
//! READ p:   in the clean pool C or the dirty pool D: hit there
//!           else room by: |D| > M_d ? write the victim of D : drop the victim of C;  p enters C
//! WRITE p:  in C: p moves to D (nothing is evicted now);  in D: hit there
//!           else room by: |C| > M_c ? drop the victim of C : write the victim of D;  p enters D
//! ```
//!
//! Free frames are used first. 1 <= `M_c` <= M - 1 and `M_d` = M - `M_c`, so the pool that must give
//! a victim of a full buffer is never empty. A write hit in C makes D larger than `M_d` until the
//! next read miss: the pools approach their sizes lazily, as printed.
//!
//! The paper runs LRU in both pools and says that others can take its place. Chosen here: a policy
//! whose parts are shares of a cache (2Q, ARC, LIRS, S3-FIFO, W-TinyLFU) takes them of its pool's
//! size, whatever the pool holds at the moment, and of its new size when the split moves; the pool that makes room takes the miss for its own, so
//! a page on its ghost list counts as one that came back even if it enters the other pool; a page that
//! moves from C to D leaves the clean pool's policy without a trace.

use super::{Buffer, BufferCounters, BufferOption, BufferResult, Run, drive, drive_foreseen};
use crate::access::AccessSource;
use crate::curve::two_stack::split_pages;
use crate::error::{Error, Result};
use crate::progress::OnProgress;
use crate::replay::policies::lru::Lru;
use crate::replay::policies::{AnyPolicy, Policy as _, Removable};
use crate::replay::settings::Settings;
use crate::replay::store::Store;
use crate::replay::{CACHE, Fill, Machine, Totals, disagreement, replay};

pub(super) const CLEAN_POLICY: BufferOption = BufferOption {
    name: "clean_policy",
    values: "the name of a replacement policy",
    default: "lru",
    description: "Replacement policy of the clean pool; its options are given as `clean_` and their name.",
};
pub(super) const DIRTY_POLICY: BufferOption = BufferOption {
    name: "dirty_policy",
    values: "the name of a replacement policy",
    default: "lru",
    description: "Replacement policy of the dirty pool; its options are given as `dirty_` and their name.",
};
pub(super) const CLEAN_PAGES: BufferOption = BufferOption {
    name: "clean_pages",
    values: "a whole number from 1 to the buffer's pages minus 1",
    default: "half the buffer",
    description: "Size of the clean pool (its initial size if it adapts). [pages]",
};

pub(super) const OPTIONS: &[BufferOption] = &[CLEAN_PAGES, CLEAN_POLICY, DIRTY_POLICY];

/// Before the names of options of the pools' policies.
const CLEAN: &str = "clean_";
const DIRTY: &str = "dirty_";
/// Such prefixes, for the check of names.
pub(super) const POOL_PREFIXES: [&str; 2] = [CLEAN, DIRTY];

/// The two pools.
#[derive(Debug)]
pub(super) struct FdBuffer<C, D, S = ()> {
    pages: u32,
    clean_pages: u32,
    clean: C,
    dirty: D,
    counters: BufferCounters,
    store: S,
}

/// Pages of the clean pool as an option.
pub(super) fn clean_pages<S: Store>(run: &Run<'_, '_, S>) -> Result<u32> {
    let (pages, most) = (u64::from(run.pages), u64::from(run.pages) - 1);
    let clean = run.options.whole("clean_pages", pages / 2, 1, most)?;
    Ok(u32::try_from(clean).unwrap_or(run.pages - 1))
}

/// Policies of both pools, the clean one first, as options.
pub(super) fn pool_policies<S: Store>(run: &Run<'_, '_, S>) -> Result<[Settings; 2]> {
    let settings = |policy: BufferOption, prefix: &'static str| {
        let name = run.options.text(policy.name).unwrap_or(policy.default);
        let own = run.options.beginning_with(prefix);
        Settings::parse(policy.name, name, prefix, &own)
    };
    Ok([
        settings(CLEAN_POLICY, CLEAN)?,
        settings(DIRTY_POLICY, DIRTY)?,
    ])
}

/// Whether both pools have the policy for which the buffers are compiled by themselves.
pub(super) fn are_lru([clean, dirty]: &[Settings; 2]) -> bool {
    clean.policy == "lru" && dirty.policy == "lru"
}

pub(super) fn start<S: Store>(run: Run<'_, '_, S>) -> Result<BufferResult> {
    let clean_pages = clean_pages(&run)?;
    let pools = pool_policies(&run)?;
    if are_lru(&pools) {
        let buffer = FdBuffer::<Lru, Lru, S>::new(run.pages, clean_pages, &pools);
        return drive(run, buffer);
    }
    let buffer = FdBuffer::<AnyPolicy, AnyPolicy, S>::new(run.pages, clean_pages, &pools);
    if pools.iter().any(Settings::needs_future) {
        drive_foreseen(run, buffer)
    } else {
        drive(run, buffer)
    }
}

impl<C: Removable, D: Removable, S: Store> FdBuffer<C, D, S> {
    pub(super) fn new(pages: u32, clean_pages: u32, [clean, dirty]: &[Settings; 2]) -> Self {
        let mut buffer = Self {
            pages,
            clean_pages,
            clean: C::configured(clean_pages, clean),
            dirty: D::configured(pages - clean_pages, dirty),
            counters: BufferCounters::default(),
            store: S::default(),
        };
        buffer.clean.expect_removal();
        buffer
    }

    /// Moves the split. What the policies divide follows at once, the pools one page at a time: each
    /// with its next victims, as its policy names them.
    pub(super) fn set_clean_pages(&mut self, clean_pages: u32) {
        self.clean_pages = clean_pages;
        self.clean.resize(clean_pages);
        self.dirty.resize(self.pages - clean_pages);
    }

    #[inline]
    fn make_room(&mut self, page: u32, write: bool) {
        let from_dirty = if write {
            self.clean.len() <= self.clean_pages
        } else {
            self.dirty.len() > self.pages - self.clean_pages
        };
        if from_dirty {
            let victim = self.dirty.evict(page);
            self.store.write_back(victim);
        } else {
            self.clean.evict(page);
        }
        self.counters.evict(from_dirty);
    }
}

impl<C: Removable, D: Removable, S: Store> Machine for FdBuffer<C, D, S> {
    fn grow(&mut self, pages: usize) {
        self.clean.grow(pages);
        self.dirty.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.clean.fetch(pages);
        self.dirty.fetch(pages);
    }

    #[inline]
    fn foresee(&mut self, page: u32, next_access: u32) {
        self.clean.foresee(page, next_access);
        self.dirty.foresee(page, next_access);
    }

    #[inline]
    fn access(&mut self, page: u32, write: bool) {
        if self.clean.contains(page) {
            self.counters.hit(false, write);
            if write {
                self.clean.remove(page);
                self.dirty.insert(page);
            } else {
                self.clean.on_hit(page);
            }
        } else if self.dirty.contains(page) {
            self.counters.hit(true, write);
            self.dirty.on_hit(page);
        } else {
            self.counters.miss();
            if self.clean.len() + self.dirty.len() == self.pages {
                self.make_room(page, write);
            }
            if write {
                self.dirty.insert(page);
            } else {
                self.clean.insert(page);
            }
        }
    }

    fn fill(&self) -> Fill {
        Fill::of(CACHE, self.clean.len() + self.dirty.len(), self.pages)
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        let named = |name: &'static str| move |text| format!("{name} pool: {text}");
        self.clean.recount().map_err(named("clean"))?;
        self.dirty.recount().map_err(named("dirty"))?;
        let pages = u32::try_from(totals.distinct_pages).unwrap_or(u32::MAX);
        if let Some(page) =
            (0..pages).find(|&page| self.clean.contains(page) && self.dirty.contains(page))
        {
            return Err(format!("page {page} is in both pools"));
        }
        let held = u64::from(self.clean.len()) + u64::from(self.dirty.len());
        if held > u64::from(self.pages) {
            return Err(format!("{held} pages in a buffer of {}", self.pages));
        }
        self.counters.check(totals, held)
    }
}

impl<C: Removable, D: Removable, S: Store> Buffer for FdBuffer<C, D, S> {
    type Store = S;

    fn store(&mut self) -> &mut S {
        &mut self.store
    }

    fn counters(&self) -> BufferCounters {
        self.counters
    }

    fn clean_pages(&self) -> Option<u32> {
        Some(self.clean_pages)
    }
}

/// Static FD-Buffers of LRU pools with several splits, side by side.
struct Splits {
    buffers: Vec<FdBuffer<Lru, Lru>>,
}

impl Machine for Splits {
    fn grow(&mut self, pages: usize) {
        for buffer in &mut self.buffers {
            buffer.grow(pages);
        }
    }

    fn fetch(&self, _pages: &[u32]) {}

    #[inline]
    fn access(&mut self, page: u32, write: bool) {
        for buffer in &mut self.buffers {
            buffer.access(page, write);
        }
    }

    fn fill(&self) -> Fill {
        // Until they are full they hold the same pages.
        let first = self.buffers.first().map(Machine::fill);
        first.unwrap_or(Fill::of(CACHE, 0_u32, 0_u32))
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        self.buffers
            .iter()
            .try_for_each(|buffer| buffer.finished(totals))
    }
}

/// A clean pool of a buffer of `pages` pages that leaves both pools a page.
pub(super) fn static_split(pages: u32, clean: u64) -> Result<u32> {
    match u32::try_from(clean) {
        Ok(clean) if (1..pages).contains(&clean) => Ok(clean),
        _ => Err(Error::BadParameter {
            name: "clean-pages",
            value: clean.to_string(),
            message: format!("a clean pool must have from 1 to {} pages", pages - 1),
            hint: "leave at least one page for each pool".to_owned(),
        }),
    }
}

/// Replays all accesses of `source` once through static FD-Buffers of LRU pools: `pages` pages
/// each, with clean pools of the sizes `clean_pages`. Memory grows with their number.
///
/// # Errors
/// [`Error::BadParameter`] for an impossible size, [`Error::Cancelled`], and whatever `source`
/// reports.
pub fn simulate_splits(
    source: &mut dyn AccessSource,
    pages: u64,
    clean_pages: &[u64],
    on_progress: OnProgress<'_>,
) -> Result<Vec<BufferResult>> {
    super::check_writes(source, "fd_static")?;
    let pages = split_pages("pages", pages)?;
    let lru = || Settings::defaults(Lru::OPTIONS);
    let pools = [lru(), lru()];
    let buffers = clean_pages.iter().map(|&clean| {
        let clean = static_split(pages, clean)?;
        Ok(FdBuffer::new(pages, clean, &pools))
    });
    let mut splits = Splits {
        buffers: buffers.collect::<Result<_>>()?,
    };
    let mut before = vec![BufferCounters::default(); splits.buffers.len()];
    let counters = |splits: &Splits| splits.buffers.iter().map(Buffer::counters).collect();
    let totals = replay(
        source,
        &mut splits,
        &mut |splits| before = counters(splits),
        on_progress,
    )?;
    splits
        .finished(totals)
        .map_err(|text| disagreement("fd_static", &text))?;
    let result = |(buffer, before): (&FdBuffer<_, _>, BufferCounters)| BufferResult {
        buffer: "fd_static",
        pages,
        accesses: totals.counted_accesses(),
        write_accesses: totals.counted_writes(),
        warm_up: totals.warm_up,
        distinct_pages: totals.distinct_pages as u64,
        counters: buffer.counters.since(before),
        clean_pages: Some(buffer.clean_pages),
        windows: 0,
        history: Vec::new(),
        ftl: None,
        warnings: super::no_writes("fd_static", totals).into_iter().collect(),
    };
    Ok(splits.buffers.iter().zip(before).map(result).collect())
}
