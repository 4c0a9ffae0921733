//! RAM and flash under a scheme that changes, and what is measured to choose it.

use super::costs::{Flow, cost};
use super::sizes::Sizes;
use super::{Choice, Estimate, MOST_RELATIONS, MOST_ROWS, Rules, Scheme, too_many_relations};
use crate::access::Chunk;
use crate::curve::depths::Depths;
use crate::error::Result;
use crate::hash::FastMap;
use crate::replay::admission::Admission;
use crate::replay::bits::BitSet;
use crate::replay::flash_caches::Gate;
use crate::replay::policies::{Guarding, Policy};
use crate::replay::tier::{Tier, Victim};
use crate::replay::two_tier::{Cache, SchemeCounters, Warning, add_up};
use crate::replay::{FLASH, Fill, Machine, Totals};

/// A relation: its scheme, and what it saw in the present period.
#[derive(Debug)]
struct Relation {
    number: Option<u32>,
    scheme: Scheme,
    /// The cheapest scheme of the last periods, and in how many in succession its gain counted.
    contender: Scheme,
    streak: u32,
    accesses: u64,
    ram_misses: u64,
    flash_hits: u64,
    disk_writes: u64,
    /// RAM victims that were written in RAM.
    written_victims: u64,
    /// Accesses by the first size at which they hit; the last entry: at none.
    by_size: Vec<u64>,
}

impl Relation {
    fn new(number: Option<u32>, scheme: Scheme, sizes: usize) -> Self {
        Self {
            number,
            scheme,
            contender: scheme,
            streak: 0,
            accesses: 0,
            ram_misses: 0,
            flash_hits: 0,
            disk_writes: 0,
            written_victims: 0,
            by_size: vec![0; sizes + 1],
        }
    }

    fn forget(&mut self) {
        self.accesses = 0;
        self.ram_misses = 0;
        self.flash_hits = 0;
        self.disk_writes = 0;
        self.written_victims = 0;
        self.by_size.fill(0);
    }

    /// Misses at each size.
    #[expect(clippy::cast_precision_loss, reason = "accesses of one period")]
    fn misses(&self) -> Vec<f64> {
        let mut left = self.accesses;
        let hits = &self.by_size[..self.by_size.len() - 1];
        let misses = hits.iter().map(|hits| {
            left -= hits;
            left as f64
        });
        misses.collect()
    }
}

/// A share of counts, at most 1; `none` of nothing.
#[expect(clippy::cast_precision_loss, reason = "accesses of one period")]
fn share(part: u64, whole: u64, none: f64) -> f64 {
    if whole == 0 {
        none
    } else {
        (part as f64 / whole as f64).min(1.0)
    }
}

/// The hierarchy of RAM under policy `R` and flash under `F`, which admits by `A`. `RELATIONS`: each relation has its
/// own scheme.
pub(super) struct OnlineFlow<R, F, A, const RELATIONS: bool> {
    rules: Rules,
    sizes: Sizes,
    inclusive_possible: bool,
    ram: Tier<R>,
    flash_pages: u32,
    /// Asked as a page comes from disk, so that it never refuses one that flash holds.
    admission: A,
    /// Guarded are the RAM pages that entered under the inclusive scheme and did not pass flash.
    flash: F,
    flash_dirty: BitSet,
    /// Scheme under which each RAM page entered.
    entered: Vec<Scheme>,
    /// RAM pages that were written in RAM.
    written: BitSet,
    depths: Depths,
    relations: Vec<Relation>,
    /// Places in `relations` by number in the trace, and of each page.
    known: FastMap<u32, u32>,
    relation_of: Vec<u32>,
    counters: SchemeCounters,
    /// Flash hits that took the page off flash.
    promotions: u64,
    /// Accesses until the period ends.
    left: u32,
    period: u64,
    history: Vec<Choice>,
    switches: u64,
    left_out: u64,
    /// Of all rows and relations, to be held against the counters.
    reported: [u64; 3],
}

impl<R: Policy, F: Guarding, A: Admission, const RELATIONS: bool> OnlineFlow<R, F, A, RELATIONS> {
    pub(super) fn new(ram: &Cache<'_>, flash: &Cache<'_>, rules: Rules) -> Self {
        let sizes = Sizes::new(ram.pages, flash.pages);
        let mut policy = F::configured(flash.pages, flash.settings);
        policy.expect_removal();
        policy.expect_guards();
        let mut flow = Self {
            rules,
            inclusive_possible: flash.pages > ram.pages,
            ram: Tier::of(ram),
            flash_pages: flash.pages,
            admission: A::new(flash.pages),
            flash: policy,
            flash_dirty: BitSet::default(),
            entered: Vec::new(),
            written: BitSet::default(),
            depths: Depths::default(),
            relations: Vec::new(),
            known: FastMap::default(),
            relation_of: Vec::new(),
            counters: SchemeCounters::default(),
            promotions: 0,
            left: rules.period,
            period: 0,
            history: Vec::new(),
            switches: 0,
            left_out: 0,
            reported: [0; 3],
            sizes,
        };
        if !RELATIONS {
            let all = Relation::new(None, rules.initial, flow.sizes.count());
            flow.relations.push(all);
        }
        flow
    }

    /// Gives the admission what the options assign to categories.
    pub(super) fn assign(&mut self, gate: Gate) {
        self.admission.assign(gate);
    }

    /// Things to know about the admission, once the trace was seen.
    pub(super) fn notes(&self) -> Vec<Warning> {
        self.admission.notes()
    }

    pub(super) fn counters(&self) -> SchemeCounters {
        self.counters
    }

    /// Choices so far that changed the scheme.
    pub(super) fn switches(&self) -> u64 {
        self.switches
    }

    /// Rows, switches, and rows left out.
    pub(super) fn into_history(self) -> (Vec<Choice>, u64, u64) {
        (self.history, self.switches, self.left_out)
    }

    #[inline]
    fn relation(&self, page: u32) -> usize {
        if RELATIONS {
            self.relation_of[page as usize] as usize
        } else {
            0
        }
    }

    fn miss(&mut self, page: u32, write: bool, at: usize) {
        let on_flash = self.flash.contains(page);
        let relation = &mut self.relations[at];
        let scheme = relation.scheme;
        relation.ram_misses += 1;
        relation.flash_hits += u64::from(on_flash);
        self.counters.directory_lookups += 1;
        self.counters.directory_updates += u64::from(on_flash);
        let mut dirty = false;
        if on_flash {
            self.counters.flash_hits += 1;
            self.admission.on_flash_hit(page);
            match scheme {
                // Its place changes after the RAM victim's, as without a chooser.
                Scheme::Inclusive => self.flash.guard(page),
                Scheme::Lazy => self.flash.on_hit(page),
                Scheme::Exclusive => {
                    self.promotions += 1;
                    self.flash.remove(page);
                    dirty = self.flash_dirty.take(page);
                }
            }
        } else {
            self.counters.flash_misses += 1;
        }
        if let Some(victim) = self.ram.evict_if_full(page) {
            self.stage(victim, on_flash && scheme == Scheme::Exclusive);
        }
        if scheme == Scheme::Inclusive {
            if on_flash {
                self.flash.on_hit(page);
            } else if !A::CAN_REJECT || self.admission.admits_at_miss(page) {
                self.make_room(page);
                self.counters.flash_fills += 1;
                self.counters.directory_updates += 1;
                self.flash.insert_guarded(page);
            }
        }
        self.ram.insert(page, dirty | write);
        self.written.insert_if(page, write);
        self.entered[page as usize] = scheme;
    }

    /// Handles a RAM victim by the scheme under which it entered. `swap`: it takes the frame of the
    /// page that is read, one update for both.
    fn stage(&mut self, victim: Victim, swap: bool) {
        let Victim { page, dirty } = victim;
        let written = self.written.take(page);
        let at = self.relation(page);
        self.relations[at].written_victims += u64::from(written);
        let entered = self.entered[page as usize];
        self.counters.directory_lookups += u64::from(entered == Scheme::Lazy);
        self.counters.ram_evictions += 1;
        self.admission.on_exit(victim);
        if A::CAN_REJECT && !self.admission.admits(victim) {
            self.counters.refuse(victim);
            self.relations[at].disk_writes += u64::from(dirty);
            return;
        }
        self.counters.ram_dirty_evictions += u64::from(dirty);
        let found = match entered {
            Scheme::Inclusive => true,
            Scheme::Exclusive => false,
            Scheme::Lazy => self.flash.contains(page),
        };
        self.counters.victims_found_on_flash += u64::from(found);
        if !found {
            self.make_room(page);
            self.counters.flash_fills += 1;
            let updated = swap && entered == Scheme::Exclusive;
            self.counters.directory_updates += u64::from(!updated);
            self.flash.insert(page);
            self.flash_dirty.insert_if(page, dirty);
            return;
        }
        if dirty {
            self.counters.flash_write_backs += 1;
            self.counters.directory_updates += 1;
            self.flash_dirty.insert(page);
        }
        match (entered, dirty) {
            (Scheme::Inclusive, true) => self.flash.hit_and_release(page),
            (Scheme::Inclusive, false) => self.flash.release(page),
            (_, true) => self.flash.on_hit(page),
            (_, false) => {}
        }
    }

    /// Takes a page off full flash before `incoming` enters. One is open: inclusive is chosen only with
    /// more flash than RAM.
    fn make_room(&mut self, incoming: u32) {
        if self.flash.len() < self.flash_pages {
            return;
        }
        let victim = self.flash.evict_by_dirt(incoming, &self.flash_dirty);
        let dirty = self.flash_dirty.take(victim);
        let at = self.relation(victim);
        self.relations[at].disk_writes += u64::from(dirty);
        self.counters.flash_evictions += 1;
        self.counters.directory_updates += 1;
        self.counters.hdd_writes += u64::from(dirty);
    }

    /// Ends the present period: estimates, chooses if it is `whole`, and reports.
    #[cold]
    fn close_period(&mut self, whole: bool) {
        let each: Vec<Vec<f64>> = self.relations.iter().map(Relation::misses).collect();
        let mut all = vec![0.0; self.sizes.count()];
        for misses in &each {
            for (sum, misses) in all.iter_mut().zip(misses) {
                *sum += misses;
            }
        }
        let possible = |scheme: &Scheme| self.inclusive_possible || *scheme != Scheme::Inclusive;
        let reaches = Scheme::ALL
            .into_iter()
            .filter(possible)
            .map(|scheme| (scheme, self.sizes.reach(scheme, &all)))
            .collect::<Vec<_>>();
        for (relation, misses) in self.relations.iter_mut().zip(&each) {
            if relation.accesses == 0 {
                // Victims of earlier periods may have been counted.
                relation.streak = 0;
                relation.forget();
                continue;
            }
            let dirty_share = share(relation.written_victims, relation.ram_misses, 0.0);
            let flash_misses = relation.ram_misses - relation.flash_hits;
            let flash_dirty_share = share(relation.disk_writes, flash_misses, dirty_share);
            let estimates = reaches.iter().map(|&(scheme, reach)| {
                let missed = reach.misses(misses);
                let flow = Flow {
                    flash_hits: misses[0] - missed,
                    flash_misses: missed,
                    dirty_share,
                    flash_dirty_share,
                };
                Estimate {
                    scheme: scheme.name(),
                    effective_flash_pages: reach.effective_flash,
                    flash_hits: flow.flash_hits,
                    flash_misses: missed,
                    cost_us: cost(scheme, flow, &self.rules.times),
                }
            });
            let estimates: Vec<Estimate> = estimates.collect();
            let running = relation.scheme;
            if relation.ram_misses == 0 {
                // Nothing flowed, whatever one LRU would have missed.
                relation.streak = 0;
            } else if whole {
                relation.choose(&estimates, &self.rules);
            }
            let switched = relation.scheme != running;
            self.switches += u64::from(switched);
            self.reported[0] += relation.accesses;
            self.reported[1] += relation.ram_misses;
            self.reported[2] += relation.flash_hits;
            if relation.ram_misses > 0 {
                if self.history.len() < MOST_ROWS || switched {
                    self.history.push(Choice {
                        period: self.period,
                        relation: relation.number,
                        running: running.name(),
                        chosen: relation.scheme.name(),
                        accesses: relation.accesses,
                        ram_misses: relation.ram_misses,
                        flash_hits: relation.flash_hits,
                        dirty_share,
                        flash_dirty_share,
                        estimates,
                    });
                } else {
                    self.left_out += 1;
                }
            }
            relation.forget();
        }
        self.period += 1;
        self.left = self.rules.period;
    }

    /// Reports the last period, if it is not whole.
    pub(super) fn end(&mut self) {
        if self.left < self.rules.period {
            self.close_period(false);
        }
    }
}

impl Relation {
    /// Adopts the cheapest scheme if its gain counted often enough.
    fn choose(&mut self, estimates: &[Estimate], rules: &Rules) {
        let cost_of = |scheme: Scheme| {
            let of = |estimate: &&Estimate| estimate.scheme == scheme.name();
            estimates.iter().find(of).map(|estimate| estimate.cost_us)
        };
        let running = cost_of(self.scheme).unwrap_or(f64::INFINITY);
        let mut best = (self.scheme, running);
        for scheme in Scheme::TIE_ORDER {
            if let Some(cost) = cost_of(scheme).filter(|&cost| cost < best.1) {
                best = (scheme, cost);
            }
        }
        let gain = running - best.1;
        if best.0 == self.scheme || gain <= (rules.hysteresis * running).max(rules.switch_cost) {
            self.streak = 0;
            return;
        }
        self.streak = if self.contender == best.0 {
            self.streak + 1
        } else {
            1
        };
        self.contender = best.0;
        if self.streak >= rules.patience {
            self.scheme = best.0;
            self.streak = 0;
        }
    }
}

impl<R: Policy, F: Guarding, A: Admission, const RELATIONS: bool> Machine
    for OnlineFlow<R, F, A, RELATIONS>
{
    const NEEDS_ADDRESSES: bool = RELATIONS || A::NEEDS_ADDRESSES;
    const NEEDS_TIMES: bool = A::NEEDS_TIMES;

    fn classify(&mut self, chunk: &Chunk, spaces: &[u32]) -> Result<()> {
        self.admission.classify(chunk, spaces)
    }

    fn grow(&mut self, pages: usize) {
        self.ram.grow(pages);
        self.flash.grow(pages);
        self.admission.grow(pages);
        self.flash_dirty.grow(pages);
        self.written.grow(pages);
        self.depths.grow(pages);
        if pages > self.entered.len() {
            self.entered.resize(pages, self.rules.initial);
        }
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], _addresses: &[u64]) -> Result<()> {
        if !RELATIONS {
            return Ok(());
        }
        for (&page, &space) in pages.iter().zip(spaces) {
            if page as usize >= self.relation_of.len() {
                let next = self.known.len();
                let place = *self
                    .known
                    .entry(space)
                    .or_insert(u32::try_from(next).unwrap_or(u32::MAX));
                if place as usize == MOST_RELATIONS {
                    return Err(too_many_relations(self.relation_of.len()));
                }
                if place as usize == next {
                    let relation =
                        Relation::new(Some(space), self.rules.initial, self.sizes.count());
                    self.relations.push(relation);
                }
                self.relation_of.push(place);
            }
        }
        Ok(())
    }

    fn fetch(&self, pages: &[u32]) {
        self.ram.fetch(pages);
        self.flash.fetch(pages);
        self.depths.fetch(pages);
    }

    #[inline]
    fn foresee(&mut self, page: u32, next_access: u32) {
        self.ram.foresee(page, next_access);
        self.flash.foresee(page, next_access);
    }

    #[inline]
    fn access(&mut self, page: u32, write: bool) {
        let at = self.relation(page);
        let place = self.sizes.place(self.depths.reference(page));
        self.relations[at].accesses += 1;
        self.relations[at].by_size[place] += 1;
        if self.ram.contains(page) {
            self.counters.ram_hits += 1;
            self.ram.on_hit(page);
            self.ram.soil(page, write);
            self.written.insert_if(page, write);
            self.admission.on_access(page, write, true);
        } else {
            self.admission.on_access(page, write, false);
            self.miss(page, write, at);
        }
        self.left -= 1;
        if self.left == 0 {
            self.close_period(true);
        }
    }

    fn fill(&self) -> Fill {
        Fill::of(FLASH, self.flash.len(), self.flash_pages)
    }

    fn finished(&self, totals: Totals) -> std::result::Result<(), String> {
        self.ram.recount("RAM")?;
        self.flash.recount()?;
        self.admission.recount()?;
        if self.flash.len() > self.flash_pages {
            return Err(format!(
                "{} pages on a flash of {}",
                self.flash.len(),
                self.flash_pages
            ));
        }
        let pages = u32::try_from(totals.distinct_pages).map_err(|error| error.to_string())?;
        for page in 0..pages {
            let in_ram = self.ram.contains(page);
            let on_flash = self.flash.contains(page);
            let guarded = on_flash && self.flash.is_guarded(page);
            let entered = self.entered[page as usize];
            let holds = match entered {
                _ if !in_ram => !guarded && !self.written.contains(page),
                Scheme::Inclusive if A::CAN_REJECT && !self.admission.admits_at_miss(page) => {
                    !on_flash
                }
                Scheme::Inclusive => guarded,
                Scheme::Exclusive => !on_flash,
                Scheme::Lazy => !guarded,
            };
            if !holds {
                return Err(format!(
                    "page {page}, which entered under {}, is in RAM: {in_ram}, on flash: {on_flash}, guarded: {guarded}",
                    entered.name()
                ));
            }
        }
        if let Some(page) = self
            .flash_dirty
            .iter()
            .find(|&page| !self.flash.contains(page))
        {
            return Err(format!("page {page} is dirty on flash but not there"));
        }
        let counted = [
            totals.accesses,
            self.counters.flash_hits + self.counters.flash_misses,
            self.counters.flash_hits,
        ];
        if self.reported != counted {
            return Err(format!(
                "the periods have {:?} accesses, RAM misses and flash hits, the replay {counted:?}",
                self.reported
            ));
        }
        add_up(
            &self.counters,
            totals,
            self.ram.len(),
            self.flash.len(),
            self.promotions,
        )
    }
}
