//! A slow, obvious model of the online chooser: slow tiers, and the choices of each period given.

use std::collections::BTreeMap;

use super::Access;
use super::policies::Tier;

/// What flows under changing schemes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) ram_hits: u64,
    pub(crate) flash_hits: u64,
    pub(crate) flash_misses: u64,
    pub(crate) flash_fills: u64,
    pub(crate) flash_write_backs: u64,
    pub(crate) hdd_writes: u64,
    pub(crate) rejections: u64,
    pub(crate) dirty_rejections: u64,
    pub(crate) lookups: u64,
    pub(crate) updates: u64,
}

/// What one relation saw in one period.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) accesses: u64,
    pub(crate) ram_misses: u64,
    pub(crate) flash_hits: u64,
    pub(crate) disk_writes: u64,
    pub(crate) written_victims: u64,
    /// Stack distances; `None` of first accesses.
    pub(crate) distances: Vec<Option<usize>>,
}

/// Seen by period and relation, and the sums.
pub(crate) struct Outcome {
    pub(crate) counted: Counted,
    pub(crate) seen: BTreeMap<(u64, u32), Seen>,
}

/// What flash takes: the rule of a page, and how many requests below RAM are looked back over for a second miss.
pub(crate) struct Admission<'a> {
    pub(crate) rule_of: &'a dyn Fn(u64) -> &'static str,
    pub(crate) lifetime: usize,
}

/// How a page of RAM came there, whether it was written there, and whether flash may hold it.
#[derive(Debug, Clone)]
struct Stay {
    entered: String,
    written: bool,
    admitted: bool,
}

/// Replays with the scheme that `scheme_of` gives for a period and a relation.
pub(crate) fn replay(
    accesses: &[Access],
    (ram_policy, ram_pages): (&str, usize),
    (flash_policy, flash_pages): (&str, usize),
    period: usize,
    relation_of: &dyn Fn(u64) -> u32,
    scheme_of: &dyn Fn(u64, u32) -> String,
    admission: &Admission<'_>,
) -> Outcome {
    let mut ram = Tier::new(ram_policy, ram_pages);
    let mut flash = Tier::new(flash_policy, flash_pages);
    let mut stays: BTreeMap<u64, Stay> = BTreeMap::new();
    let mut stack: Vec<u64> = Vec::new();
    // Every request below RAM, of one page each.
    let mut asked: Vec<u64> = Vec::new();
    let mut count = Counted::default();
    let mut seen: BTreeMap<(u64, u32), Seen> = BTreeMap::new();
    for (place, &(page, write)) in accesses.iter().enumerate() {
        ram.see(accesses, place);
        flash.see(accesses, place);
        let now = (place / period) as u64;
        let relation = relation_of(page);
        let distance = stack.iter().rev().position(|&other| other == page);
        stack.retain(|&other| other != page);
        stack.push(page);
        let mine = seen.entry((now, relation)).or_default();
        mine.accesses += 1;
        mine.distances.push(distance.map(|above| above + 1));
        if ram.has(page) {
            count.ram_hits += 1;
            ram.hit(page);
            if write {
                ram.soil(page);
                stays.get_mut(&page).expect("in RAM").written = true;
            }
            continue;
        }
        let scheme = scheme_of(now, relation);
        let hit = flash.has(page);
        let mut remembered = asked.iter().rev().take(admission.lifetime);
        let admitted = match (admission.rule_of)(page) {
            "never" => hit,
            "second_miss" => hit || remembered.any(|&other| other == page),
            _ => true,
        };
        asked.push(page);
        mine.ram_misses += 1;
        mine.flash_hits += u64::from(hit);
        count.lookups += 1;
        let mut dirty = false;
        if hit {
            count.flash_hits += 1;
            count.updates += 1;
            match scheme.as_str() {
                "exclusive" => dirty = flash.take(page),
                "lazy" => flash.hit(page),
                _ => {}
            }
        } else {
            count.flash_misses += 1;
        }
        // Flash pages that must stay: those of RAM pages that entered as inclusive, and the page that
        // is about to.
        let make_room = |flash: &mut Tier,
                         incoming: u64,
                         stays: &BTreeMap<u64, Stay>,
                         count: &mut Counted,
                         seen: &mut BTreeMap<(u64, u32), Seen>| {
            let kept = |other: u64| {
                let stay = stays.get(&other);
                other == page && scheme == "inclusive"
                    || stay.is_some_and(|stay| stay.entered == "inclusive")
            };
            if let Some((victim, dirty)) = flash.victim_but(incoming, &kept) {
                count.updates += 1;
                count.hdd_writes += u64::from(dirty);
                let theirs = seen.entry((now, relation_of(victim))).or_default();
                theirs.disk_writes += u64::from(dirty);
            }
        };
        if let Some((victim, victim_dirty)) = ram.victim(page) {
            let stay = stays.remove(&victim).expect("it was in RAM");
            let theirs = seen.entry((now, relation_of(victim))).or_default();
            theirs.written_victims += u64::from(stay.written);
            count.lookups += u64::from(stay.entered == "lazy");
            if victim_dirty {
                asked.push(victim);
            }
            if !stay.admitted {
                assert!(!flash.has(victim), "an old copy would stay");
                count.rejections += 1;
                if victim_dirty {
                    count.dirty_rejections += 1;
                    count.hdd_writes += 1;
                    theirs.disk_writes += 1;
                }
            } else if flash.has(victim) {
                assert_ne!(stay.entered, "exclusive", "disjoint");
                if victim_dirty {
                    count.flash_write_backs += 1;
                    count.updates += 1;
                    flash.soil(victim);
                    flash.hit(victim);
                }
                if stay.entered == "inclusive" {
                    flash.released(victim);
                }
            } else {
                assert_ne!(stay.entered, "inclusive", "included");
                make_room(&mut flash, victim, &stays, &mut count, &mut seen);
                count.flash_fills += 1;
                let swap = hit && scheme == "exclusive" && stay.entered == "exclusive";
                count.updates += u64::from(!swap);
                flash.add(victim, victim_dirty);
            }
        }
        if scheme == "inclusive" {
            if hit {
                flash.hit(page);
            } else if admitted {
                make_room(&mut flash, page, &stays, &mut count, &mut seen);
                count.flash_fills += 1;
                count.updates += 1;
                flash.add(page, false);
            }
        }
        ram.add(page, dirty | write);
        let stay = Stay {
            entered: scheme,
            written: write,
            admitted,
        };
        stays.insert(page, stay);
    }
    Outcome {
        counted: count,
        seen,
    }
}
