//! Slow, obvious models of caches: vectors, searched from end to end, one function a rule book.
//! Written from the rules alone; nothing here knows the engine.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test file uses its part"
)]

pub(crate) mod blocks;
pub(crate) mod directory;
pub(crate) mod flows;
pub(crate) mod online;
pub(crate) mod policies;

pub(crate) type Access = (u64, bool);

/// Pages of a cache, least recent (or first to go) at the front, with their dirty bits.
#[derive(Debug, Default, Clone)]
struct List(Vec<(u64, bool)>);

impl List {
    fn position(&self, page: u64) -> Option<usize> {
        self.0.iter().position(|&(other, _)| other == page)
    }

    fn has(&self, page: u64) -> bool {
        self.position(page).is_some()
    }

    fn take(&mut self, page: u64) -> bool {
        let place = self.position(page).expect("the page is held");
        self.0.remove(place).1
    }

    fn move_to_back(&mut self, page: u64) {
        let dirty = self.take(page);
        self.0.push((page, dirty));
    }

    fn mark_dirty(&mut self, page: u64) {
        let place = self.position(page).expect("the page is held");
        self.0[place].1 = true;
    }
}

/// (misses, write-backs) of a single cache; `policy` is `lru`, `fifo` or `clock`.
pub(crate) fn single_tier(policy: &str, accesses: &[Access], pages: usize) -> (u64, u64) {
    let mut cache = List::default();
    let mut used: Vec<u64> = Vec::new();
    let (mut misses, mut write_backs) = (0, 0);
    for &(page, write) in accesses {
        if cache.has(page) {
            match policy {
                "lru" => cache.move_to_back(page),
                "fifo" => {}
                "clock" => used.push(page),
                _ => panic!("no slow model of {policy}"),
            }
        } else {
            misses += 1;
            if cache.0.len() == pages {
                while used.contains(&cache.0[0].0) {
                    let second_chance = cache.0.remove(0);
                    used.retain(|&page| page != second_chance.0);
                    cache.0.push(second_chance);
                }
                write_backs += u64::from(cache.0.remove(0).1);
            }
            cache.0.push((page, false));
        }
        if write {
            cache.mark_dirty(page);
        }
    }
    (misses, write_backs)
}

/// Misses and write-backs of LRU caches of 1, 2, ... distinct pages: one slow replay a size.
pub(crate) fn curves(accesses: &[Access]) -> (Vec<u64>, Vec<u64>) {
    let mut pages: Vec<u64> = accesses.iter().map(|&(page, _)| page).collect();
    pages.sort_unstable();
    pages.dedup();
    (1..=pages.len())
        .map(|size| single_tier("lru", accesses, size))
        .unzip()
}

/// Misses and write-backs by the text-book stack: depth of each access in one unbounded list, and
/// the list of depths each written page goes through until its next write.
pub(crate) fn curves_by_depth(accesses: &[Access]) -> (Vec<u64>, Vec<u64>) {
    let mut stack: Vec<u64> = Vec::new();
    let mut depths: Vec<usize> = Vec::new();
    for &(page, _) in accesses {
        match stack.iter().rev().position(|&other| other == page) {
            Some(above) => {
                stack.remove(stack.len() - 1 - above);
                depths.push(above + 1);
            }
            None => depths.push(usize::MAX),
        }
        stack.push(page);
    }
    (1..=stack.len())
        .map(|size| {
            let misses = depths.iter().filter(|&&depth| depth > size).count() as u64;
            let mut write_backs = 0;
            for (from, &(page, write)) in accesses.iter().enumerate() {
                if !write {
                    continue;
                }
                let mut deepest = 0;
                let mut overwritten = false;
                for (at, &(other, again)) in accesses.iter().enumerate().skip(from + 1) {
                    if other == page {
                        deepest = deepest.max(depths[at]);
                        overwritten = again;
                    }
                    if overwritten {
                        break;
                    }
                }
                if !overwritten {
                    let above = stack.iter().rev().position(|&other| other == page);
                    deepest = deepest.max(above.expect("on the stack") + 1);
                }
                write_backs += u64::from(deepest > size);
            }
            (misses, write_backs)
        })
        .unzip()
}

/// `ram_hits, flash_hits, flash_misses, flash_reads, flash_writes, hdd_reads, hdd_writes`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) ram_hits: u64,
    pub(crate) flash_hits: u64,
    pub(crate) flash_misses: u64,
    pub(crate) flash_reads: u64,
    pub(crate) flash_writes: u64,
    pub(crate) hdd_reads: u64,
    pub(crate) hdd_writes: u64,
}

/// The counters after each access.
pub(crate) fn two_tier(
    scheme: &str,
    accesses: &[Access],
    ram_pages: usize,
    flash_pages: usize,
) -> Vec<Counters> {
    let mut ram = List::default();
    let mut flash = List::default();
    let mut count = Counters::default();
    let mut after = Vec::new();
    for &(page, write) in accesses {
        if ram.has(page) {
            count.ram_hits += 1;
            ram.move_to_back(page);
            if scheme == "inclusive_global" {
                flash.move_to_back(page);
            }
        } else {
            let victim = (ram.0.len() == ram_pages).then(|| ram.0.remove(0));
            let dirty = match scheme {
                "none" => none(&mut count, victim),
                "inclusive" => inclusive(
                    &mut count,
                    &ram,
                    &mut flash,
                    flash_pages,
                    page,
                    victim,
                    true,
                ),
                "inclusive_global" => inclusive(
                    &mut count,
                    &ram,
                    &mut flash,
                    flash_pages,
                    page,
                    victim,
                    false,
                ),
                "exclusive" => exclusive(&mut count, &mut flash, flash_pages, page, victim),
                "lazy" => lazy(&mut count, &mut flash, flash_pages, page, victim),
                _ => panic!("no slow model of {scheme}"),
            };
            ram.0.push((page, dirty));
        }
        if write {
            ram.mark_dirty(page);
        }
        after.push(count);
    }
    after
}

type Victim = Option<(u64, bool)>;

fn none(count: &mut Counters, victim: Victim) -> bool {
    count.flash_misses += 1;
    count.hdd_reads += 1;
    if let Some((_, true)) = victim {
        count.hdd_writes += 1;
    }
    false
}

fn inclusive(
    count: &mut Counters,
    ram: &List,
    flash: &mut List,
    flash_pages: usize,
    page: u64,
    victim: Victim,
    write_back_refreshes: bool,
) -> bool {
    let hit = flash.has(page);
    if let Some((victim, true)) = victim {
        count.flash_writes += 1;
        flash.mark_dirty(victim);
        if write_back_refreshes {
            flash.move_to_back(victim);
        }
    }
    if hit {
        count.flash_hits += 1;
        count.flash_reads += 1;
        flash.move_to_back(page);
    } else {
        count.flash_misses += 1;
        if flash.0.len() == flash_pages {
            let place = flash
                .0
                .iter()
                .position(|&(candidate, _)| !ram.has(candidate))
                .expect("more flash than RAM");
            if flash.0.remove(place).1 {
                count.hdd_writes += 1;
            }
        }
        count.hdd_reads += 1;
        count.flash_writes += 1;
        flash.0.push((page, false));
    }
    false
}

fn exclusive(
    count: &mut Counters,
    flash: &mut List,
    flash_pages: usize,
    page: u64,
    victim: Victim,
) -> bool {
    if flash.has(page) {
        count.flash_hits += 1;
        count.flash_reads += 1;
        let dirty = flash.take(page);
        if let Some(victim) = victim {
            count.flash_writes += 1;
            flash.0.push(victim);
        }
        return dirty;
    }
    count.flash_misses += 1;
    count.hdd_reads += 1;
    if let Some(victim) = victim {
        if flash.0.len() == flash_pages && flash.0.remove(0).1 {
            count.hdd_writes += 1;
        }
        count.flash_writes += 1;
        flash.0.push(victim);
    }
    false
}

fn lazy(
    count: &mut Counters,
    flash: &mut List,
    flash_pages: usize,
    page: u64,
    victim: Victim,
) -> bool {
    if flash.has(page) {
        count.flash_hits += 1;
        count.flash_reads += 1;
        flash.move_to_back(page);
    } else {
        count.flash_misses += 1;
        count.hdd_reads += 1;
    }
    match victim {
        Some((victim, dirty)) if flash.has(victim) => {
            count.flash_writes += u64::from(dirty);
            if dirty {
                flash.mark_dirty(victim);
                flash.move_to_back(victim);
            }
        }
        Some(victim) => {
            if flash.0.len() == flash_pages && flash.0.remove(0).1 {
                count.hdd_writes += 1;
            }
            count.flash_writes += 1;
            flash.0.push(victim);
        }
        None => {}
    }
    false
}
