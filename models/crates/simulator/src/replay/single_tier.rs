//! One cache in front of the disk, under any replacement policy.

use serde::Serialize;

use super::{
    CACHE, Fill, Machine, Totals, WarmedUp, access_each, counters_since, disagreement, page_count,
    replay_with,
};
use crate::access::AccessSource;
use crate::error::Result;
use crate::ftl::FtlResult;
use crate::progress::OnProgress;
use crate::replay::policies::Policy;
use crate::replay::settings::Settings;
use crate::replay::store::Store;
use crate::replay::tier::{Tier, Traffic, Victim};

/// What one replay through a single cache needs.
pub(crate) struct Run<'source, 'progress> {
    pub(crate) source: &'source mut dyn AccessSource,
    pub(crate) pages: u64,
    pub(crate) options: &'source [(String, String)],
    pub(crate) on_progress: OnProgress<'progress>,
}

/// Counters of one cache: cold start, every miss admitted, a write miss fetches its page like a
/// read, dirty pages left at the end are not flushed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PolicyResult {
    /// Name of the policy in [`super::policies`].
    pub policy: &'static str,
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
    /// Accesses to a page that was not in the cache.
    pub misses: u64,
    /// Page reads from disk: one a miss.
    pub disk_reads: u64,
    /// Page writes to disk: evictions of dirty pages.
    pub disk_writes: u64,
    /// Evictions, of clean and dirty pages.
    pub evictions: u64,
    /// What the flash device did that holds the data, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ftl: Option<Box<FtlResult>>,
}

struct SingleTier<P, S> {
    cache: Tier<P>,
    below: Below<S>,
}

/// What the cache is seen to do, and where its dirty pages go.
#[derive(Default)]
struct Below<S> {
    counts: Counts,
    store: S,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    misses: u64,
    evictions: u64,
    disk_writes: u64,
}

counters_since!(Counts {
    misses,
    evictions,
    disk_writes,
});

impl<S: Store> Traffic for Below<S> {
    const NAMES_VICTIMS: bool = false;

    #[inline]
    fn access(&mut self, _page: u32, hit: bool) {
        self.counts.misses += u64::from(!hit);
    }

    #[inline]
    fn victim(&mut self, victim: Victim) {
        self.counts.evictions += 1;
        self.counts.disk_writes += u64::from(victim.dirty);
        if victim.dirty {
            self.store.write_back(victim.page);
        }
    }

    fn clean_victims(&mut self, count: u32) {
        self.counts.evictions += u64::from(count);
    }
}

impl<P: Policy, S: Store> Machine for SingleTier<P, S> {
    fn grow(&mut self, pages: usize) {
        self.cache.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        self.cache.fetch(pages);
    }

    #[inline]
    fn foresee(&mut self, page: u32, next_access: u32) {
        self.cache.foresee(page, next_access);
    }

    #[expect(
        clippy::inline_always,
        reason = "the loop over a batch: a call costs a tenth of an access"
    )]
    #[inline(always)]
    fn access(&mut self, page: u32, write: bool) {
        if self.cache.contains(page) {
            self.cache.on_hit(page);
            self.cache.soil(page, write);
        } else {
            self.below.counts.misses += 1;
            if let Some(victim) = self.cache.evict_if_full(page) {
                self.below.victim(victim);
            }
            self.cache.insert(page, write);
        }
    }

    #[inline]
    fn access_all(&mut self, pages: &[u32], flags: &[u8]) {
        if P::IN_BULK {
            self.cache.reference(pages, flags, &mut self.below);
        } else {
            access_each(self, pages, flags);
        }
    }

    fn fill(&self) -> Fill {
        Fill::of(CACHE, self.cache.len(), self.cache.capacity())
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        self.cache.recount("cache")?;
        let Counts {
            misses,
            evictions,
            disk_writes,
        } = self.below.counts;
        if misses != evictions + u64::from(self.cache.len())
            || misses > totals.accesses
            || disk_writes > evictions.min(totals.write_accesses)
        {
            return Err(format!(
                "{} accesses with {} writes gave {misses} misses, {evictions} evictions, {disk_writes} write-backs and {} pages left",
                totals.accesses,
                totals.write_accesses,
                self.cache.len()
            ));
        }
        Ok(())
    }
}

/// Replays through policy `P`, whose data lie in `S`, of which `asked` says more.
pub(crate) fn simulate<P: Policy, S: Store>(
    settings: &Settings,
    run: Run<'_, '_>,
    asked: S::Asked,
) -> Result<PolicyResult> {
    let Run {
        source,
        pages,
        options: _,
        on_progress,
    } = run;
    let name = settings.policy;
    let pages = page_count("pages", pages, 1)?;
    let mut machine = SingleTier {
        cache: Tier::<P>::configured(pages, settings),
        below: Below::<S>::default(),
    };
    let mut before = Counts::default();
    let totals = S::below(&asked, source, on_progress, |source, on_progress| {
        replay_with(
            settings.needs_future(),
            source,
            &mut machine,
            &mut |machine| {
                before = machine.below.counts;
                machine.below.store.warmed_up();
            },
            on_progress,
        )
    })?;
    machine
        .finished(totals)
        .map_err(|text| disagreement(name, &text))?;
    let Below { counts, store } = machine.below;
    let counts = counts.since(before);
    let ftl = store.served(asked, &totals, source, on_progress)?;
    Ok(PolicyResult {
        policy: name,
        pages,
        accesses: totals.counted_accesses(),
        write_accesses: totals.counted_writes(),
        warm_up: totals.warm_up,
        distinct_pages: totals.distinct_pages as u64,
        misses: counts.misses,
        disk_reads: counts.misses,
        disk_writes: counts.disk_writes,
        evictions: counts.evictions,
        ftl: ftl.map(Box::new),
    })
}
