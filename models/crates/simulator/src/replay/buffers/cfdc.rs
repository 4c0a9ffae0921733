//! CFDC: clean first, dirty clustered.
//!
//! Paper: Ou, Haerder, Jin, `DaMoN` 2009. As On et al. (CIKM 2010) use it: CFLRU with the clean-first
//! region split into a clean and a dirty queue and WRR 0.5, whose dirty pages are clustered and
//! evicted as a batch. Without write clustering it is CFLRU.
//!
//! ```text
//! clean victim first, as CFLRU; else all pages of the dirty cluster c of least priority P(c), in one
//! write request
//! cluster: the dirty pages of the clean-first region whose addresses agree in address / cluster_pages
//! P(c) = sum over i of |p_i - p_(i-1)| / (n^2 (time - created(c)))
//!        p_1 ... p_n: its addresses in order of entry (the sum is 1 if n = 1)
//! time: + 1 for each page that enters the dirty queue, after the page is in its cluster
//! created(c): time when c's first page entered, or when a page was last used again and left c
//! ```
//!
//! Large clusters in sequential order and old ones go first. What is certain and what is not: On et
//! al. state the two queues, WRR 0.5, and that a cluster is evicted as a batch. The formula, the
//! clock, the sum of 1 for a single page, and both rules for `created` agree with a public
//! implementation of CFDC whose comments quote the paper; the paper's own text was not at hand. That
//! implementation evicts one page at a time, oldest first, and stays with a cluster once chosen; in
//! batches, as here, its pages go together. Chosen where nothing says more:
//! * The batch is the whole cluster, and its pages leave the buffer; their frames are free, and the
//!   next misses take them.
//! * A page that is used again leaves its cluster for the working region; sum and n are of the pages
//!   that remain.
//! * Of equal priorities the older cluster goes, then the one whose first page appeared first.
//! * A cluster is 64 pages by default, the larger erase block that On et al. name; devices (tables)
//!   do not share clusters.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::cflru::{DirtyQueue, Regions, WRR};
use super::options::HALF;
use super::{Buffer, BufferCounters, BufferOption, BufferResult, Run, drive};
use crate::error::Result;
use crate::hash::FastMap;
use crate::replay::bits::BitSet;
use crate::replay::recency::Recency;
use crate::replay::store::Store;
use crate::replay::{Fill, Machine, Totals};

const CLUSTER_PAGES: u64 = 64;
const MOST_CLUSTER_PAGES: u64 = 1 << 12;

pub(super) const OPTIONS: &[BufferOption] = &[
    BufferOption {
        name: "clustering",
        values: "true or false",
        default: "true",
        description: "Whether dirty pages are written in clusters; without clusters, this is CFLRU.",
    },
    BufferOption {
        name: "cluster_pages",
        values: "a whole number from 1 to 4096",
        default: "64",
        description: "Neighbouring page addresses that form a cluster. [pages]",
    },
    WRR,
];

pub(super) fn start<S: Store>(run: Run<'_, '_, S>) -> Result<BufferResult> {
    let options = &run.options;
    let working_pages = options.share("wrr", HALF)?.of(run.pages);
    let cluster_pages = options.whole("cluster_pages", CLUSTER_PAGES, 1, MOST_CLUSTER_PAGES)?;
    if options.flag("clustering", true)? {
        let clusters = Clusters::new(cluster_pages);
        let buffer = Clustered(Regions::<_, S>::new(run.pages, working_pages, clusters));
        return drive(run, buffer);
    }
    if let Some(pages) = options.text("cluster_pages") {
        return Err(options.wrong("cluster_pages", pages, "has no effect without clustering"));
    }
    let buffer = Regions::<_, S>::new(run.pages, working_pages, Recency::default());
    drive(run, buffer)
}

/// Where a page lies: its cluster, and its place there.
#[derive(Debug, Clone, Copy)]
struct Place {
    cluster: u32,
    offset: u32,
}

const NOWHERE: Place = Place {
    cluster: u32::MAX,
    offset: 0,
};

#[derive(Debug, Default)]
struct Cluster {
    /// In order of entry.
    pages: Vec<u32>,
    created: u64,
}

/// What priorities compare but for age: sum of distances, square of the number of pages.
type Weight = (u64, u64);

/// Dirty pages in clusters.
///
/// Clusters of one weight age alike, so the oldest of them has the least priority; a victim is sought
/// among the oldest of each weight, of which there are few.
#[derive(Debug)]
struct Clusters {
    cluster_pages: u64,
    /// Cluster numbers by device and address divided by the cluster's pages.
    numbers: FastMap<(u32, u64), u32>,
    places: Vec<Place>,
    held: BitSet,
    all: Vec<Cluster>,
    by_weight: BTreeMap<Weight, BTreeSet<(u64, u32)>>,
    time: u64,
    pages: u32,
}

impl Clusters {
    fn new(cluster_pages: u64) -> Self {
        Self {
            cluster_pages,
            numbers: FastMap::default(),
            places: Vec::new(),
            held: BitSet::default(),
            all: Vec::new(),
            by_weight: BTreeMap::new(),
            time: 0,
            pages: 0,
        }
    }

    /// Notes where pages lie that were not seen before.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "clusters are at most pages, places at most MOST_CLUSTER_PAGES"
    )]
    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        for ((&page, &space), &address) in pages.iter().zip(spaces).zip(addresses) {
            if self.places[page as usize].cluster == NOWHERE.cluster {
                let next = self.all.len() as u32;
                let key = (space, address / self.cluster_pages);
                let cluster = *self.numbers.entry(key).or_insert(next);
                if cluster == next {
                    self.all.push(Cluster::default());
                }
                self.places[page as usize] = Place {
                    cluster,
                    offset: (address % self.cluster_pages) as u32,
                };
            }
        }
    }

    fn weight(&self, cluster: u32) -> Weight {
        let pages = &self.all[cluster as usize].pages;
        let offset = |page: u32| self.places[page as usize].offset;
        let distances = pages
            .windows(2)
            .map(|pair| u64::from(offset(pair[0]).abs_diff(offset(pair[1]))));
        let count = pages.len() as u64;
        let sum = if count == 1 { 1 } else { distances.sum() };
        (sum, count * count)
    }

    /// Changes the pages of a cluster and keeps it filed under its weight.
    fn change(&mut self, cluster: u32, change: impl FnOnce(&mut Cluster)) {
        let created = self.all[cluster as usize].created;
        if !self.all[cluster as usize].pages.is_empty() {
            let weight = self.weight(cluster);
            if let Some(filed) = self.by_weight.get_mut(&weight) {
                filed.remove(&(created, cluster));
                if filed.is_empty() {
                    self.by_weight.remove(&weight);
                }
            }
        }
        change(&mut self.all[cluster as usize]);
        let created = self.all[cluster as usize].created;
        if !self.all[cluster as usize].pages.is_empty() {
            let weight = self.weight(cluster);
            self.by_weight
                .entry(weight)
                .or_default()
                .insert((created, cluster));
        }
    }

    /// Compares sum / (square x age) of two clusters; age 0 is an infinite priority.
    fn by_priority(&self, left: (Weight, (u64, u32)), right: (Weight, (u64, u32))) -> Ordering {
        let ((left_sum, left_square), (left_created, _)) = left;
        let ((right_sum, right_square), (right_created, _)) = right;
        let product = |sum: u64, square: u64, created: u64| {
            u128::from(sum) * u128::from(square) * u128::from(self.time - created)
        };
        product(left_sum, right_square, right_created)
            .cmp(&product(right_sum, left_square, left_created))
            .then(left.1.cmp(&right.1))
    }

    fn least(&self) -> Option<u32> {
        let oldest = self
            .by_weight
            .iter()
            .filter_map(|(&weight, filed)| Some((weight, *filed.first()?)));
        oldest
            .min_by(|&left, &right| self.by_priority(left, right))
            .map(|(_, (_, cluster))| cluster)
    }
}

impl DirtyQueue for Clusters {
    fn grow(&mut self, pages: usize) {
        self.places.resize(pages.max(self.places.len()), NOWHERE);
        self.held.grow(pages);
    }

    #[inline]
    fn contains(&self, page: u32) -> bool {
        self.held.contains(page)
    }

    #[inline]
    fn len(&self) -> u32 {
        self.pages
    }

    fn insert(&mut self, page: u32) {
        let now = self.time;
        self.time += 1;
        self.pages += 1;
        self.held.insert(page);
        self.change(self.places[page as usize].cluster, |cluster| {
            if cluster.pages.is_empty() {
                cluster.created = now;
            }
            cluster.pages.push(page);
        });
    }

    fn remove(&mut self, page: u32) {
        let now = self.time;
        self.pages -= 1;
        self.held.take(page);
        self.change(self.places[page as usize].cluster, |cluster| {
            cluster.pages.retain(|&other| other != page);
            cluster.created = now;
        });
    }

    fn evict(&mut self, mut evicted: impl FnMut(u32)) {
        let Some(cluster) = self.least() else {
            return;
        };
        let mut batch = Vec::new();
        self.change(cluster, |cluster| {
            batch = std::mem::take(&mut cluster.pages);
        });
        for &page in &batch {
            self.pages -= 1;
            self.held.take(page);
            evicted(page);
        }
    }

    fn recount(&self) -> std::result::Result<(), String> {
        let clustered: usize = self.all.iter().map(|c| c.pages.len()).sum();
        let filed: usize = self.by_weight.values().map(BTreeSet::len).sum();
        let filled = self.all.iter().filter(|c| !c.pages.is_empty()).count();
        let marked = self.held.iter().count();
        if clustered != self.pages as usize || marked != clustered || filed != filled {
            return Err(format!(
                "{} pages, {clustered} in clusters, {marked} marked; {filled} clusters, {filed} filed",
                self.pages
            ));
        }
        Ok(())
    }
}

/// The regions with clusters, which must learn where pages lie.
struct Clustered<S>(Regions<Clusters, S>);

impl<S: Store> Machine for Clustered<S> {
    const NEEDS_ADDRESSES: bool = true;

    fn grow(&mut self, pages: usize) {
        self.0.grow(pages);
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) -> Result<()> {
        self.0.dirty_queue().locate(pages, spaces, addresses);
        Ok(())
    }

    fn fetch(&self, pages: &[u32]) {
        self.0.fetch(pages);
    }

    #[inline]
    fn access(&mut self, page: u32, write: bool) {
        self.0.access(page, write);
    }

    fn fill(&self) -> Fill {
        self.0.fill()
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        self.0.finished(totals)
    }
}

impl<S: Store> Buffer for Clustered<S> {
    type Store = S;

    fn store(&mut self) -> &mut S {
        self.0.store()
    }

    fn counters(&self) -> BufferCounters {
        self.0.counters()
    }
}
