//! Slow, obvious models of page flows with admission rules: what happens to each page is said once,
//! in words of the paper, and every directory operation is counted where it is made.

use std::collections::BTreeMap;

use super::Access;
use super::policies::Tier;

/// What a flow does, each device operation and directory operation by itself.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flow {
    pub(crate) ram_hits: u64,
    pub(crate) flash_hits: u64,
    pub(crate) flash_misses: u64,
    pub(crate) flash_fills: u64,
    pub(crate) flash_write_backs: u64,
    pub(crate) hdd_writes: u64,
    pub(crate) rejections: u64,
    pub(crate) dirty_rejections: u64,
    pub(crate) invalidations: u64,
    pub(crate) lookups: u64,
    pub(crate) updates: u64,
}

/// Everything that ever happened to the pages; an admission rule looks at it when it is asked.
#[derive(Debug, Default)]
pub(crate) struct History {
    reads: BTreeMap<u64, i64>,
    writes: BTreeMap<u64, i64>,
    /// Accesses since the page came to RAM.
    stay: BTreeMap<u64, u64>,
}

impl History {
    pub(crate) fn note(&mut self, page: u64, write: bool, in_ram: bool) {
        let counts = if write {
            &mut self.writes
        } else {
            &mut self.reads
        };
        *counts.entry(page).or_default() += 1;
        let stay = self.stay.entry(page).or_default();
        *stay = if in_ram { *stay + 1 } else { 1 };
    }

    pub(crate) fn admits(&self, rule: &str, page: u64, dirty: bool, flash_pages: usize) -> bool {
        let of = |counts: &BTreeMap<u64, i64>, page| counts.get(&page).copied().unwrap_or(0);
        let accesses = |page| of(&self.reads, page) + of(&self.writes, page);
        let net_reads = |page| of(&self.reads, page) - of(&self.writes, page);
        let fewer_above = |score: &dyn Fn(u64) -> i64| {
            let higher = self
                .stay
                .keys()
                .filter(|&&other| score(other) > score(page));
            higher.count() < flash_pages
        };
        match rule {
            // Without an assignment each category enters at a miss, and every stay in RAM began with one.
            "all" | "cachesack" => true,
            "clean_only" => !dirty,
            "accessed_twice" => self.stay[&page] >= 2,
            "top_f" => fewer_above(&accesses),
            "read_intensive" => net_reads(page) > 0 && fewer_above(&net_reads),
            _ => panic!("no slow model of {rule}"),
        }
    }
}

/// The lazy or the exclusive scheme.
pub(crate) fn flow(
    scheme: &str,
    rule: &str,
    accesses: &[Access],
    (ram_policy, ram_pages): (&str, usize),
    (flash_policy, flash_pages): (&str, usize),
) -> Flow {
    let mut ram = Tier::new(ram_policy, ram_pages);
    let mut flash = Tier::new(flash_policy, flash_pages);
    let mut history = History::default();
    let mut count = Flow::default();
    for (now, &(page, write)) in accesses.iter().enumerate() {
        ram.see(accesses, now);
        flash.see(accesses, now);
        history.note(page, write, ram.has(page));
        if ram.has(page) {
            count.ram_hits += 1;
            ram.hit(page);
        } else {
            count.lookups += 1;
            let hit = flash.has(page);
            let mut dirty = false;
            let mut updates = 0;
            if hit {
                count.flash_hits += 1;
                updates += 1; // The entry is renewed (lazy) or removed (exclusive).
                if scheme == "exclusive" {
                    dirty = flash.take(page);
                } else {
                    flash.hit(page);
                }
            } else {
                count.flash_misses += 1;
            }
            if let Some((victim, victim_dirty)) = ram.victim(page) {
                let found = flash.has(victim);
                if scheme == "lazy" {
                    count.lookups += 1;
                }
                let nothing_to_do = scheme == "lazy" && found && !victim_dirty;
                if nothing_to_do {
                } else if !history.admits(rule, victim, victim_dirty, flash_pages) {
                    count.rejections += 1;
                    if victim_dirty {
                        count.dirty_rejections += 1;
                        count.hdd_writes += 1;
                        if found {
                            flash.take(victim);
                            count.invalidations += 1;
                            updates += 1;
                        }
                    }
                } else if found {
                    count.flash_write_backs += 1;
                    updates += 1;
                    flash.soil(victim);
                    flash.hit(victim);
                } else {
                    if let Some((_, old_dirty)) = flash.victim(victim) {
                        updates += 1;
                        count.hdd_writes += u64::from(old_dirty);
                    }
                    count.flash_fills += 1;
                    // The entry of the page that leaves becomes that of the page that comes.
                    let swapped = scheme == "exclusive" && hit;
                    updates += u64::from(!swapped);
                    flash.add(victim, victim_dirty);
                }
            }
            count.updates += updates;
            ram.add(page, dirty);
        }
        if write {
            ram.soil(page);
        }
    }
    count
}
