//! Admission rules and directory operations against slow obvious models, and the formulas of
//! Koltsidas and Viglas for the directory.

use proptest::prelude::*;
use tierwright_simulator::access::MemorySource;
use tierwright_simulator::error::Result;
use tierwright_simulator::replay::{
    SchemeCounters, SchemeResult, admissions, policies, simulate_scheme,
};

mod replay_slow;

use replay_slow::Access;
use replay_slow::flows::{Flow, flow};

/// Accesses that re-use pages at all distances, some of them in short scans.
fn accesses(longest: usize) -> impl Strategy<Value = Vec<Access>> {
    (1_u64..40, 0_u32..=4).prop_flat_map(move |(pages, write_quarters)| {
        let page = prop_oneof![0..pages, 0..pages.div_ceil(4), pages..pages + 20];
        let write = (0_u32..4).prop_map(move |draw| draw < write_quarters);
        prop::collection::vec((page, write), 0..longest)
    })
}

fn scheme(
    accesses: &[Access],
    name: &str,
    (ram, flash): (usize, usize),
    options: &[(&str, &str)],
) -> Result<SchemeResult> {
    let own = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    let options: Vec<_> = options.iter().map(own).collect();
    let mut source = MemorySource::new(accesses.iter().copied()).with_chunk_accesses(37);
    let (ram, flash) = (ram as u64, flash as u64);
    simulate_scheme(&mut source, name, ram, flash, &options, &mut |_| true)
}

fn counted(counters: &SchemeCounters) -> Flow {
    Flow {
        ram_hits: counters.ram_hits,
        flash_hits: counters.flash_hits,
        flash_misses: counters.flash_misses,
        flash_fills: counters.flash_fills,
        flash_write_backs: counters.flash_write_backs,
        hdd_writes: counters.hdd_writes,
        rejections: counters.rejections,
        dirty_rejections: counters.dirty_rejections,
        invalidations: counters.flash_invalidations,
        lookups: counters.directory_lookups,
        updates: counters.directory_updates,
    }
}

fn any_policy() -> impl Strategy<Value = &'static str> {
    (0..policies().len()).prop_map(|place| policies()[place].name)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_admission_rule_matches_its_slow_model(
        accesses in accesses(300), ram in 1_usize..12, flash in 1_usize..24,
    ) {
        for about in admissions() {
            for name in ["lazy", "exclusive"] {
                let options = [("admission", about.name)];
                let found = scheme(&accesses, name, (ram, flash), &options).unwrap();
                let expected = flow(name, about.name, &accesses, ("lru", ram), ("lru", flash));
                prop_assert_eq!(counted(&found.counters), expected, "{} {}", name, about.name);
                prop_assert_eq!(found.admission, about.name);
            }
        }
    }

    #[test]
    fn every_admission_rule_runs_with_every_pair_of_policies(
        accesses in accesses(200), rule in 0..admissions().len(),
        ram in (any_policy(), 1_usize..12), flash in (any_policy(), 1_usize..24),
    ) {
        let rule = admissions()[rule].name;
        let options = [("admission", rule), ("ram_policy", ram.0), ("flash_policy", flash.0)];
        for name in ["lazy", "exclusive"] {
            let found = scheme(&accesses, name, (ram.1, flash.1), &options).unwrap();
            let expected = flow(name, rule, &accesses, ram, flash);
            prop_assert_eq!(counted(&found.counters), expected, "{} {}", name, rule);
        }
    }

    #[test]
    fn admission_never_changes_what_ram_does(
        accesses in accesses(300), ram in 1_usize..12, flash in 1_usize..24,
    ) {
        let plain = scheme(&accesses, "lazy", (ram, flash), &[]).unwrap().counters;
        for about in admissions() {
            for name in ["lazy", "exclusive"] {
                let options = [("admission", about.name)];
                let found = scheme(&accesses, name, (ram, flash), &options).unwrap().counters;
                prop_assert_eq!(found.ram_hits, plain.ram_hits);
                prop_assert_eq!(found.ram_evictions, plain.ram_evictions);
                // Clean-only flash is never dirty: all disk writes are RAM victims'.
                if about.name == "clean_only" {
                    prop_assert_eq!(found.hdd_writes, found.dirty_rejections);
                    prop_assert_eq!(found.flash_write_backs, 0);
                }
            }
        }
    }

    /// The formulas let every RAM miss evict a page, and every flash miss a flash page; from a cold
    /// start the first ones fill free frames. That, and no more, is what they differ by.
    /// OPT looks at all that comes, so under no rule has another policy more RAM hits.
    #[test]
    fn opt_in_ram_is_never_beaten_under_any_admission_rule(
        accesses in accesses(200),
        other in any_policy(),
        (ram, flash) in (1_usize..12, 1_usize..30),
    ) {
        for rule in admissions() {
            for name in ["lazy", "exclusive"] {
                let hits = |policy| {
                    let options = [("ram_policy", policy), ("admission", rule.name)];
                    scheme(&accesses, name, (ram, flash), &options)
                        .expect("possible parameters")
                        .counters
                        .ram_hits
                };
                prop_assert!(hits("opt") >= hits(other), "{} {} {}", name, rule.name, other);
            }
        }
    }

    #[test]
    fn directory_operations_are_those_of_the_formulas(
        accesses in accesses(300), ram in 1_usize..12, more in 1_usize..24,
    ) {
        let flash = ram + more;
        for name in ["inclusive", "inclusive_global", "exclusive", "lazy"] {
            let counters = scheme(&accesses, name, (ram, flash), &[]).unwrap().counters;
            let ram_misses = counters.flash_hits + counters.flash_misses;
            let free_ram = ram_misses - counters.ram_evictions;
            let free_flash = counters.flash_fills - counters.flash_evictions;
            let (lookups, updates) = match name {
                // C1d = m_r (L + p_d U) + h_f U + 2 m_f U
                "inclusive" | "inclusive_global" => (
                    ram_misses,
                    counters.ram_dirty_evictions + counters.flash_hits + 2 * counters.flash_misses
                        - free_flash,
                ),
                // C2d = m_r L + h_f U + 2 m_f U; a page that hits takes none of the free frames.
                "exclusive" => (
                    ram_misses,
                    counters.flash_hits + 2 * counters.flash_misses
                        - 2 * free_ram - (free_flash - counters.flash_hits),
                ),
                // C3d = m_r (2 L + q p_d U + 2 (1 - q) U) + h_f U, with the counts that q stands for:
                // q m_r victims are on flash, q p_d m_r of them dirty, (1 - q) m_r are not.
                _ => (
                    2 * ram_misses - free_ram,
                    counters.flash_write_backs
                        + 2 * (ram_misses - free_ram - counters.victims_found_on_flash)
                        + counters.flash_hits
                        - free_flash,
                ),
            };
            let found = (counters.directory_lookups, counters.directory_updates);
            prop_assert_eq!(found, (lookups, updates), "{}", name);
        }
        let none = scheme(&accesses, "none", (ram, flash), &[]).unwrap().counters;
        prop_assert_eq!((none.directory_lookups, none.directory_updates), (0, 0));
    }
}

/// Twenty accesses to be repeated with RAM of one page: 12 hit flash, 8 miss it, 5 victims are dirty,
/// 3 of them among those that came from flash. So `h_f : m_f = 600 : 400`, `p_d = 0.25`, and dirt is
/// spread as the formula of the lazy scheme assumes: `q p_d = 0.6 · 0.25`.
fn a_period(number: u64) -> Vec<Access> {
    let mut fresh = (0..8).map(|place| 100 + 8 * number + place);
    let mut hot = (0_u64..12).map(|place| place % 2);
    (0..20_u64)
        .map(|place| {
            // 2 in 5 accesses are to a page never seen before; hot pages take turns.
            let is_fresh = matches!(place % 5, 1 | 3);
            let page = if is_fresh { fresh.next() } else { hot.next() };
            let write = if is_fresh {
                place < 5
            } else {
                matches!(place, 0 | 5 | 10)
            };
            (page.expect("8 and 12 of 20"), write)
        })
        .collect()
}

/// What a run counts after it is warm: the counters of a long run less those of its beginning.
fn warm(name: &str, (ram, flash): (usize, usize), period: impl Fn(u64) -> Vec<Access>) -> [u64; 5] {
    let counts = |periods: u64| {
        let accesses: Vec<Access> = (0..periods).flat_map(&period).collect();
        let found = scheme(&accesses, name, (ram, flash), &[]);
        let counters = found.expect("possible parameters").counters;
        [
            counters.flash_hits,
            counters.flash_misses,
            counters.ram_dirty_evictions,
            counters.directory_lookups,
            counters.directory_updates,
        ]
    };
    let (before, after) = (counts(10), counts(60));
    std::array::from_fn(|place| after[place] - before[place])
}

/// C1d, C2d and C3d with L = 0.05 and U = 0.08 at 600,000 flash hits, 400,000 flash misses and a dirty share of 0.25; and with
/// L = U = 1 where all hit and are dirty, and where all miss and are clean.
#[test]
fn warm_runs_reproduce_the_directory_costs_of_the_formulas() {
    // In hundredths: L = 5, U = 8; 50 periods of 20 accesses are a thousandth of the million.
    for (name, expected) in [("inclusive", 182), ("exclusive", 162), ("lazy", 224)] {
        let [hits, misses, dirty, lookups, updates] = warm(name, (1, 20), a_period);
        assert_eq!((hits, misses), (600, 400), "{name}");
        if name != "exclusive" {
            assert_eq!(dirty, 250, "{name}");
        }
        assert_eq!(5 * lookups + 8 * updates, 100 * expected, "{name}");
    }
    let two_dirty_pages = |_| vec![(1, true), (2, true)];
    for (name, expected) in [("inclusive", 300), ("exclusive", 200), ("lazy", 400)] {
        let [hits, misses, dirty, lookups, updates] = warm(name, (1, 5), two_dirty_pages);
        assert_eq!((hits, misses, dirty), (100, 0, 100), "{name}");
        assert_eq!(lookups + updates, expected, "{name}");
    }
    let always_new = |number| vec![(2 * number, false), (2 * number + 1, false)];
    for (name, expected) in [("inclusive", 300), ("exclusive", 300), ("lazy", 400)] {
        let [hits, misses, dirty, lookups, updates] = warm(name, (1, 5), always_new);
        assert_eq!((hits, misses, dirty), (0, 100, 0), "{name}");
        assert_eq!(lookups + updates, expected, "{name}");
    }
}

/// RAM of one page, flash of two, lazy, clean only: page 1 comes to flash clean, comes back, is
/// written, and its copy is dropped when it goes to disk.
#[test]
fn a_refused_dirty_page_goes_to_disk_and_its_old_copy_is_dropped() {
    let accesses = [(1, false), (2, false), (1, true), (2, false), (1, false)];
    let options = [("admission", "clean-only")];
    let found = scheme(&accesses, "lazy", (1, 2), &options)
        .unwrap()
        .counters;
    // 1 and 2 miss, 1 hits and is written, 2 hits and drives it out, 1 misses.
    assert_eq!((found.flash_hits, found.flash_misses), (2, 3));
    assert_eq!((found.rejections, found.dirty_rejections), (1, 1));
    assert_eq!((found.flash_invalidations, found.hdd_writes), (1, 1));
    assert_eq!((found.flash_fills, found.flash_write_backs), (2, 0));
}

#[test]
fn a_rule_that_looks_at_writes_warns_of_a_trace_without() {
    let reads = [(1, false), (2, false)];
    for about in admissions() {
        let options = [("admission", about.name)];
        let found = scheme(&reads, "lazy", (1, 2), &options).unwrap();
        let names: Vec<_> = found.warnings.iter().map(|warning| warning.name).collect();
        let looks = matches!(about.name, "clean_only" | "read_intensive");
        assert_eq!(
            names,
            if looks { vec!["no_writes"] } else { vec![] },
            "{}",
            about.name
        );
    }
}

#[test]
fn schemes_without_a_choice_say_why() {
    let refused = [
        ("none", "there is no flash to be admitted to"),
        (
            "inclusive",
            "what enters flash is decided as it comes from disk, and this rule looks at RAM victims",
        ),
        (
            "inclusive_global",
            "what enters flash is decided as it comes from disk, and this rule looks at RAM victims",
        ),
    ];
    for (name, reason) in refused {
        let error = scheme(&[], name, (1, 2), &[("admission", "clean_only")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("option `admission=clean_only`: scheme `{name}` does not take it: {reason}")
        );
        assert!(error.hint().contains("exclusive or lazy"));
        assert_eq!(error.hint().contains("admission=cachesack"), name != "none");
        let assigned = scheme(&[], name, (1, 2), &[("admission", "cachesack")]);
        assert_eq!(assigned.is_ok(), name != "none");
    }
    for option in ["admission=cachesack", "assignment=never", "categories=hour"] {
        let (option, value) = option.split_once('=').unwrap();
        let error = scheme(&[], "none", (1, 2), &[(option, value)]).unwrap_err();
        assert!(error.to_string().contains("there is no flash"), "{error}");
    }
    let error = scheme(&[], "lazy", (1, 2), &[("admission", "some")]).unwrap_err();
    assert_eq!(error.hint(), "leave it out for admission=all");
}
