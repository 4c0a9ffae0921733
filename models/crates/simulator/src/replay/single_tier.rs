//! One cache in front of the disk, under any replacement policy.

use serde::Serialize;

use super::{
    CACHE, Fill, Machine, Totals, WarmedUp, access_each, counters_since, disagreement, page_count,
    replay_with,
};
use crate::access::AccessSource;
use crate::error::Result;
use crate::progress::OnProgress;
use crate::replay::policies::Policy;
use crate::replay::settings::Settings;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
}

struct SingleTier<P> {
    cache: Tier<P>,
    counts: Counts,
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

impl Traffic for Counts {
    const NAMES_VICTIMS: bool = false;

    #[inline]
    fn access(&mut self, _page: u32, hit: bool) {
        self.misses += u64::from(!hit);
    }

    #[inline]
    fn victim(&mut self, victim: Victim) {
        self.evictions += 1;
        self.disk_writes += u64::from(victim.dirty);
    }

    fn clean_victims(&mut self, count: u32) {
        self.evictions += u64::from(count);
    }
}

impl<P: Policy> Machine for SingleTier<P> {
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
            self.counts.misses += 1;
            if let Some(victim) = self.cache.evict_if_full(page) {
                self.counts.victim(victim);
            }
            self.cache.insert(page, write);
        }
    }

    #[inline]
    fn access_all(&mut self, pages: &[u32], flags: &[u8]) {
        if P::IN_BULK {
            self.cache.reference(pages, flags, &mut self.counts);
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
        } = self.counts;
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

pub(crate) fn simulate<P: Policy>(settings: &Settings, run: Run<'_, '_>) -> Result<PolicyResult> {
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
        counts: Counts::default(),
    };
    let mut before = Counts::default();
    let totals = replay_with(
        settings.needs_future(),
        source,
        &mut machine,
        &mut |machine| before = machine.counts,
        on_progress,
    )?;
    machine
        .finished(totals)
        .map_err(|text| disagreement(name, &text))?;
    let counts = machine.counts.since(before);
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
    })
}
