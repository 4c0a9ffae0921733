//! Slow obvious models: plain lists, most recent page last, nothing shared with the product.

use std::collections::{BTreeMap, BTreeSet};

use tierwright_simulator::curve::two_stack::Distance;
use tierwright_simulator::replay::buffers::BufferCounters;

use crate::replay_slow::policies::{Slow, model};

/// Page and whether it is written.
pub(crate) type Access = (u64, bool);

fn hit(counters: &mut BufferCounters, dirty: bool, write: bool) {
    if dirty {
        counters.hits_dirty += 1;
        if write {
            counters.write_hits_dirty += 1;
        }
    } else {
        counters.hits_clean += 1;
    }
}

fn miss(counters: &mut BufferCounters) {
    counters.misses += 1;
    counters.reads += 1;
}

fn evict(counters: &mut BufferCounters, dirty: bool) {
    counters.evictions += 1;
    if dirty {
        counters.writes += 1;
        counters.write_requests += 1;
    }
}

/// One list of pages with dirty bits; `victim` names the place in it of the page to evict.
fn one_list(
    accesses: &[Access],
    pages: usize,
    victim: impl Fn(&[(u64, bool)]) -> usize,
) -> BufferCounters {
    let mut counters = BufferCounters::default();
    let mut list: Vec<(u64, bool)> = Vec::new();
    for &(page, write) in accesses {
        let mut dirty = write;
        if let Some(place) = list.iter().position(|entry| entry.0 == page) {
            let (_, was_dirty) = list.remove(place);
            hit(&mut counters, was_dirty, write);
            dirty |= was_dirty;
        } else {
            miss(&mut counters);
            if list.len() == pages {
                let (_, was_dirty) = list.remove(victim(&list));
                evict(&mut counters, was_dirty);
            }
        }
        list.push((page, dirty));
    }
    counters
}

pub(crate) fn lru(accesses: &[Access], pages: usize) -> BufferCounters {
    one_list(accesses, pages, |_| 0)
}

pub(crate) fn cflru(accesses: &[Access], pages: usize, working: usize) -> BufferCounters {
    one_list(accesses, pages, |list| {
        let clean_first = &list[..list.len() - working];
        clean_first.iter().position(|entry| !entry.1).unwrap_or(0)
    })
}

/// One list; which dirty pages lie in the clean-first region, and in which order they came there, is
/// found anew after each access.
pub(crate) fn cfdc(
    accesses: &[Access],
    pages: usize,
    working: usize,
    cluster_pages: u64,
) -> BufferCounters {
    let mut counters = BufferCounters::default();
    let mut list: Vec<(u64, bool)> = Vec::new();
    let mut queue: Vec<u64> = Vec::new();
    let mut created: BTreeMap<u64, u64> = BTreeMap::new();
    let mut time = 0_u64;
    let mut appeared: Vec<u64> = Vec::new();
    for &(page, write) in accesses {
        if !appeared.contains(&(page / cluster_pages)) {
            appeared.push(page / cluster_pages);
        }
        let mut dirty = write;
        if let Some(place) = list.iter().position(|entry| entry.0 == page) {
            let (_, was_dirty) = list.remove(place);
            hit(&mut counters, was_dirty, write);
            dirty |= was_dirty;
            if queue.contains(&page) {
                queue.retain(|&other| other != page);
                created.insert(page / cluster_pages, time);
            }
        } else {
            miss(&mut counters);
            if list.len() == pages {
                let clean_first = list.len() - working.min(list.len());
                if let Some(place) = list[..clean_first].iter().position(|entry| !entry.1) {
                    list.remove(place);
                    evict(&mut counters, false);
                } else if queue.is_empty() {
                    let (_, was_dirty) = list.remove(0);
                    evict(&mut counters, was_dirty);
                } else {
                    let victim = least_cluster(&queue, &created, &appeared, (time, cluster_pages));
                    let batch = |page: u64| page / cluster_pages == victim;
                    let count = queue.iter().filter(|&&page| batch(page)).count() as u64;
                    list.retain(|entry| !(queue.contains(&entry.0) && batch(entry.0)));
                    queue.retain(|&page| !batch(page));
                    counters.evictions += count;
                    counters.writes += count;
                    counters.write_requests += 1;
                }
            }
        }
        list.push((page, dirty));
        let filled: BTreeSet<u64> = queue.iter().map(|page| page / cluster_pages).collect();
        created.retain(|cluster, _| filled.contains(cluster));
        let clean_first = list.len() - working.min(list.len());
        for &(other, is_dirty) in &list[..clean_first] {
            if is_dirty && !queue.contains(&other) {
                queue.push(other);
                created.entry(other / cluster_pages).or_insert(time);
                time += 1;
            }
        }
    }
    counters
}

fn least_cluster(
    queue: &[u64],
    created: &BTreeMap<u64, u64>,
    appeared: &[u64],
    (time, cluster_pages): (u64, u64),
) -> u64 {
    let priority = |cluster: u64| {
        let pages: Vec<u64> = queue
            .iter()
            .copied()
            .filter(|page| page / cluster_pages == cluster)
            .collect();
        let sum: u64 = pages.windows(2).map(|pair| pair[0].abs_diff(pair[1])).sum();
        let sum = if pages.len() == 1 { 1 } else { sum };
        let square = (pages.len() * pages.len()) as u64;
        (sum, square * (time - created[&cluster]))
    };
    appeared
        .iter()
        .copied()
        .filter(|cluster| created.contains_key(cluster))
        .min_by(|&left, &right| {
            let ((sum, weight), (other_sum, other_weight)) = (priority(left), priority(right));
            // A weight of 0 is an infinite priority.
            (sum * other_weight)
                .cmp(&(other_sum * weight))
                .then(created[&left].cmp(&created[&right]))
        })
        .expect("a cluster")
}

struct FdBuffer {
    pages: usize,
    clean_pages: usize,
    clean: Box<dyn Slow>,
    dirty: Box<dyn Slow>,
    counters: BufferCounters,
}

impl FdBuffer {
    fn new(pages: usize, clean_pages: usize, policies: (&str, &str)) -> Self {
        Self {
            pages,
            clean_pages,
            clean: model(policies.0, clean_pages),
            dirty: model(policies.1, pages - clean_pages),
            counters: BufferCounters::default(),
        }
    }

    fn make_room(&mut self, page: u64, from_dirty: bool) {
        if self.clean.pages().len() + self.dirty.pages().len() == self.pages {
            let pool = if from_dirty {
                &mut self.dirty
            } else {
                &mut self.clean
            };
            let held = pool.pages();
            let victim = pool.evict(page, &|_| from_dirty);
            assert!(held.contains(&victim) && !pool.pages().contains(&victim));
            evict(&mut self.counters, from_dirty);
        }
    }

    fn read(&mut self, page: u64) {
        if self.clean.pages().contains(&page) {
            self.clean.hit(page);
            self.counters.hits_clean += 1;
        } else if self.dirty.pages().contains(&page) {
            self.dirty.hit(page);
            self.counters.hits_dirty += 1;
        } else {
            miss(&mut self.counters);
            let too_many_dirty = self.dirty.pages().len() > self.pages - self.clean_pages;
            self.make_room(page, too_many_dirty);
            self.clean.enter(page);
        }
    }

    fn write(&mut self, page: u64) {
        if self.clean.pages().contains(&page) {
            self.clean.take(page);
            self.dirty.enter(page);
            self.counters.hits_clean += 1;
        } else if self.dirty.pages().contains(&page) {
            self.dirty.hit(page);
            self.counters.hits_dirty += 1;
            self.counters.write_hits_dirty += 1;
        } else {
            miss(&mut self.counters);
            let too_many_clean = self.clean.pages().len() > self.clean_pages;
            self.make_room(page, !too_many_clean);
            self.dirty.enter(page);
        }
    }

    fn access(&mut self, accesses: &[Access], now: usize) {
        self.clean.see(accesses, now);
        self.dirty.see(accesses, now);
        match accesses[now] {
            (page, true) => self.write(page),
            (page, false) => self.read(page),
        }
    }
}

/// Two pools of any policies, each given more or fewer pages than its size.
pub(crate) fn fd_buffer(
    accesses: &[Access],
    pages: usize,
    clean_pages: usize,
    policies: (&str, &str),
) -> BufferCounters {
    let mut buffer = FdBuffer::new(pages, clean_pages, policies);
    for now in 0..accesses.len() {
        buffer.access(accesses, now);
    }
    buffer.counters
}

/// Hits at the splits of 1, 2, ... clean pages.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Hits {
    pub(crate) clean: Vec<u64>,
    pub(crate) dirty: Vec<u64>,
    pub(crate) dirty_writes: Vec<u64>,
}

impl Hits {
    fn new(pages: usize) -> Self {
        Self {
            clean: vec![0; pages - 1],
            dirty: vec![0; pages - 1],
            dirty_writes: vec![0; pages - 1],
        }
    }
}

/// Algorithms 3 and 4 as printed but for the repairs, each present condition being the set of splits
/// for which it holds.
pub(crate) struct TwoStack {
    pages: usize,
    distance: Distance,
    conditions: bool,
    /// Most recent first: page, and whether it is present for 1, 2, ... clean pages.
    clean: Vec<(u64, Vec<bool>)>,
    dirty: Vec<(u64, Vec<bool>)>,
    pub(crate) hits: Hits,
}

impl TwoStack {
    pub(crate) fn new(pages: usize, distance: Distance, conditions: bool) -> Self {
        Self {
            pages,
            distance,
            conditions,
            clean: Vec::new(),
            dirty: Vec::new(),
            hits: Hits::new(pages),
        }
    }

    fn distance_at(&self, place: usize) -> usize {
        match self.distance {
            Distance::Grouped {
                pages,
                conservative,
            } => (place / pages as usize + usize::from(conservative)) * pages as usize,
            _ => place + 1,
        }
    }

    pub(crate) fn access(&mut self, (page, write): Access) {
        let find = |stack: &[(u64, Vec<bool>)]| stack.iter().position(|entry| entry.0 == page);
        let (in_clean, in_dirty) = (find(&self.clean), find(&self.dirty));
        let always = vec![true; self.pages - 1];
        let mut clean_condition = None;
        if let Some(place) = in_clean {
            let distance = self.distance_at(place);
            let (_, condition) = self.clean.remove(place);
            for split in 1..self.pages {
                if split >= distance && condition[split - 1] {
                    self.hits.clean[split - 1] += 1;
                }
            }
            clean_condition = Some(condition);
        }
        let mut dirty_condition = None;
        if let Some(place) = in_dirty {
            let distance = self.distance_at(place);
            let (_, condition) = self.dirty.remove(place);
            for split in 1..self.pages {
                if self.pages - split >= distance && condition[split - 1] {
                    self.hits.dirty[split - 1] += 1;
                    self.hits.dirty_writes[split - 1] += u64::from(write);
                }
            }
            dirty_condition = Some((condition, distance));
        }
        if write {
            self.dirty.insert(0, (page, always));
            return;
        }
        let Some((before, distance)) = dirty_condition else {
            self.clean.insert(0, (page, always));
            return;
        };
        if !self.conditions {
            self.clean.insert(0, (page, always.clone()));
            self.dirty.insert(0, (page, always));
            return;
        }
        let mut loaded = clean_condition.unwrap_or_else(|| vec![false; self.pages - 1]);
        let mut stays = before;
        for split in 1..self.pages {
            let large_enough = self.pages - split >= distance;
            stays[split - 1] &= large_enough;
            loaded[split - 1] |= !large_enough;
        }
        self.clean.insert(0, (page, loaded));
        self.dirty.insert(0, (page, stays));
    }
}

pub(crate) fn two_stack(
    accesses: &[Access],
    pages: usize,
    distance: Distance,
    conditions: bool,
) -> Hits {
    let mut stacks = TwoStack::new(pages, distance, conditions);
    for &access in accesses {
        stacks.access(access);
    }
    stacks.hits
}

/// Most recent first: page and threshold.
type Stack = Vec<(u64, usize)>;

/// With thresholds and lists, for long traces: hits by index first.
pub(crate) fn two_stack_by_threshold(accesses: &[Access], pages: usize) -> Hits {
    let (mut clean, mut dirty) = (Stack::new(), Stack::new());
    let (mut clean_at, mut dirty_at) = (BTreeMap::new(), BTreeMap::new());
    let mut dirty_writes_at = BTreeMap::new();
    let take = |stack: &mut Stack, page: u64| {
        let place = stack.iter().position(|entry| entry.0 == page)?;
        Some((place + 1, stack.remove(place).1))
    };
    for &(page, write) in accesses {
        let in_clean = take(&mut clean, page);
        let in_dirty = take(&mut dirty, page);
        if let Some((distance, threshold)) = in_clean {
            *clean_at.entry(distance.max(threshold)).or_insert(0) += 1;
        }
        if let Some((distance, threshold)) = in_dirty {
            *dirty_at.entry(distance.max(threshold)).or_insert(0) += 1;
            if write {
                *dirty_writes_at.entry(distance.max(threshold)).or_insert(0) += 1;
            }
        }
        if write {
            dirty.insert(0, (page, 0));
            continue;
        }
        let mut present_from = 0;
        if let Some((distance, threshold)) = in_dirty {
            let loaded = (pages + 1).saturating_sub(distance);
            present_from = in_clean.map_or(loaded, |(_, before)| before.min(loaded));
            dirty.insert(0, (page, threshold.max(distance)));
        }
        clean.insert(0, (page, present_from));
    }
    let up_to = |at: &BTreeMap<usize, u64>, size: usize| at.range(..=size).map(|(_, n)| n).sum();
    Hits {
        clean: (1..pages).map(|split| up_to(&clean_at, split)).collect(),
        dirty: (1..pages)
            .map(|split| up_to(&dirty_at, pages - split))
            .collect(),
        dirty_writes: (1..pages)
            .map(|split| up_to(&dirty_writes_at, pages - split))
            .collect(),
    }
}

/// For each pool size anew: the entries above that are present at that size are counted.
pub(crate) fn two_stack_effective(accesses: &[Access], pages: usize) -> Hits {
    let mut hits = Hits::new(pages);
    let (mut clean, mut dirty) = (Stack::new(), Stack::new());
    let held = |stack: &[(u64, usize)], place: usize, size: usize| {
        let above = &stack[..place];
        let present = above.iter().filter(|entry| entry.1 <= size).count();
        stack[place].1 <= size && present < size
    };
    for &(page, write) in accesses {
        let in_clean = clean.iter().position(|entry| entry.0 == page);
        let in_dirty = dirty.iter().position(|entry| entry.0 == page);
        if let Some(place) = in_clean {
            for split in 1..pages {
                hits.clean[split - 1] += u64::from(held(&clean, place, split));
            }
            clean.remove(place);
        }
        let mut threshold = 0;
        if let Some(place) = in_dirty {
            for split in 1..pages {
                let hit = u64::from(held(&dirty, place, pages - split));
                hits.dirty[split - 1] += hit;
                hits.dirty_writes[split - 1] += hit * u64::from(write);
            }
            let smallest = (1..=pages).find(|&size| held(&dirty, place, size));
            threshold = dirty[place].1.max(smallest.unwrap_or(pages + 1));
            dirty.remove(place);
        }
        if write {
            dirty.insert(0, (page, 0));
        } else if in_dirty.is_some() {
            dirty.insert(0, (page, threshold));
            clean.insert(0, (page, (pages + 1).saturating_sub(threshold)));
        } else {
            clean.insert(0, (page, 0));
        }
    }
    hits
}

/// FD-Buffer with the advisor: counters, and the split chosen at the end of each window.
pub(crate) fn advised(
    accesses: &[Access],
    pages: usize,
    window: usize,
    (estimator, asymmetry): (&str, f64),
    policies: (&str, &str),
) -> (BufferCounters, Vec<usize>) {
    let mut buffer = FdBuffer::new(pages, pages / 2, policies);
    let mut stacks = TwoStack::new(pages, Distance::Raw, true);
    let mut splits = Vec::new();
    for (index, part) in accesses.chunks(window).enumerate() {
        stacks.hits = Hits::new(pages);
        for (place, &access) in part.iter().enumerate() {
            buffer.access(accesses, index * window + place);
            stacks.access(access);
        }
        if part.len() == window {
            let split = cheapest(&stacks.hits, part, estimator, asymmetry);
            buffer.clean_pages = split;
            buffer.clean.resize(split);
            buffer.dirty.resize(pages - split);
            splits.push(split);
        }
    }
    (buffer.counters, splits)
}

#[expect(clippy::cast_precision_loss, reason = "short windows")]
fn cheapest(hits: &Hits, window: &[Access], estimator: &str, asymmetry: f64) -> usize {
    let accesses = window.len() as f64;
    let writes = window.iter().filter(|access| access.1).count() as f64;
    let cost = |split: usize| {
        let p_c = 1.0 - hits.clean[split - 1] as f64 / accesses;
        let p_d = 1.0 - hits.dirty[split - 1] as f64 / accesses;
        let p_dw = if writes > 0.0 {
            1.0 - hits.dirty_writes[split - 1] as f64 / writes
        } else {
            0.0
        };
        let disjoint = f64::max(0.0, p_c + p_d - 1.0);
        match estimator {
            "eq4" => p_c * p_d * (1.0 + p_dw * asymmetry),
            "disjoint" => disjoint * (1.0 + p_dw * asymmetry),
            _ => disjoint + writes / accesses * p_dw * asymmetry,
        }
    };
    (1..=hits.clean.len())
        .reduce(|best, split| {
            if cost(split) < cost(best) {
                split
            } else {
                best
            }
        })
        .expect("at least one split")
}
