//! A slow, obvious model of the online chooser: lists, and the choices of each period given.

use std::collections::BTreeMap;

use super::Access;

/// What flows under changing schemes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) ram_hits: u64,
    pub(crate) flash_hits: u64,
    pub(crate) flash_misses: u64,
    pub(crate) flash_fills: u64,
    pub(crate) flash_write_backs: u64,
    pub(crate) hdd_writes: u64,
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

#[derive(Debug, Clone)]
struct RamPage {
    page: u64,
    dirty: bool,
    written: bool,
    entered: String,
}

/// Replays with the scheme that `scheme_of` gives for a period and a relation.
pub(crate) fn replay(
    accesses: &[Access],
    ram_pages: usize,
    flash_pages: usize,
    period: usize,
    relation_of: &dyn Fn(u64) -> u32,
    scheme_of: &dyn Fn(u64, u32) -> String,
) -> Outcome {
    let mut ram: Vec<RamPage> = Vec::new();
    let mut flash: Vec<(u64, bool)> = Vec::new();
    let mut stack: Vec<u64> = Vec::new();
    let mut count = Counted::default();
    let mut seen: BTreeMap<(u64, u32), Seen> = BTreeMap::new();
    let place = |flash: &[(u64, bool)], page| flash.iter().position(|entry| entry.0 == page);
    for (now, &(page, write)) in accesses.iter().enumerate() {
        let now = (now / period) as u64;
        let relation = relation_of(page);
        let distance = stack.iter().rev().position(|&other| other == page);
        stack.retain(|&other| other != page);
        stack.push(page);
        let mine = seen.entry((now, relation)).or_default();
        mine.accesses += 1;
        mine.distances.push(distance.map(|above| above + 1));
        if let Some(at) = ram.iter().position(|held| held.page == page) {
            count.ram_hits += 1;
            let mut held = ram.remove(at);
            held.dirty |= write;
            held.written |= write;
            ram.push(held);
            continue;
        }
        let scheme = scheme_of(now, relation);
        let hit = place(&flash, page);
        mine.ram_misses += 1;
        mine.flash_hits += u64::from(hit.is_some());
        count.lookups += 1;
        let mut dirty = false;
        if let Some(at) = hit {
            count.flash_hits += 1;
            count.updates += 1;
            match scheme.as_str() {
                "exclusive" => dirty = flash.remove(at).1,
                "lazy" => {
                    let entry = flash.remove(at);
                    flash.push(entry);
                }
                _ => {}
            }
        } else {
            count.flash_misses += 1;
        }
        // Flash pages that must stay: those of RAM pages that entered as inclusive, and the page that
        // is about to.
        let make_room = |flash: &mut Vec<(u64, bool)>,
                         ram: &[RamPage],
                         count: &mut Counted,
                         seen: &mut BTreeMap<(u64, u32), Seen>| {
            if flash.len() < flash_pages {
                return;
            }
            let stays = |other: u64| {
                let kept = |held: &RamPage| held.page == other && held.entered == "inclusive";
                other == page && scheme == "inclusive" || ram.iter().any(kept)
            };
            let at = flash
                .iter()
                .position(|entry| !stays(entry.0))
                .expect("more flash than RAM");
            let (victim, dirty) = flash.remove(at);
            count.updates += 1;
            if dirty {
                count.hdd_writes += 1;
                seen.entry((now, relation_of(victim)))
                    .or_default()
                    .disk_writes += 1;
            }
        };
        if ram.len() == ram_pages {
            let victim = ram.remove(0);
            let theirs = seen.entry((now, relation_of(victim.page))).or_default();
            theirs.written_victims += u64::from(victim.written);
            count.lookups += u64::from(victim.entered == "lazy");
            if let Some(at) = place(&flash, victim.page) {
                assert_ne!(victim.entered, "exclusive", "disjoint");
                if victim.dirty {
                    count.flash_write_backs += 1;
                    count.updates += 1;
                    flash.remove(at);
                    flash.push((victim.page, true));
                }
            } else {
                assert_ne!(victim.entered, "inclusive", "included");
                make_room(&mut flash, &ram, &mut count, &mut seen);
                count.flash_fills += 1;
                let swap = hit.is_some() && scheme == "exclusive" && victim.entered == "exclusive";
                count.updates += u64::from(!swap);
                flash.push((victim.page, victim.dirty));
            }
        }
        if scheme == "inclusive" {
            if let Some(at) = place(&flash, page) {
                let entry = flash.remove(at);
                flash.push(entry);
            } else {
                make_room(&mut flash, &ram, &mut count, &mut seen);
                count.flash_fills += 1;
                count.updates += 1;
                flash.push((page, false));
            }
        }
        ram.push(RamPage {
            page,
            dirty: dirty | write,
            written: write,
            entered: scheme,
        });
    }
    Outcome {
        counted: count,
        seen,
    }
}
