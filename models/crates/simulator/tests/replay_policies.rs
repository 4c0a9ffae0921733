//! Every policy, in every tier of every scheme that takes it, against slow obvious models.

use proptest::prelude::*;
use tierwright_simulator::access::MemorySource;
use tierwright_simulator::error::{Error, Result};
use tierwright_simulator::replay::{
    Need, SchemeResult, policies, schemes, simulate_policy, simulate_scheme,
};

mod replay_slow;

use replay_slow::policies::{inclusive as slow_inclusive, two_tier as slow};
use replay_slow::{Access, Counters};

/// Accesses that re-use pages at all distances: uniform over few pages, near ones, or a loop.
fn accesses(longest: usize) -> impl Strategy<Value = Vec<Access>> {
    (1_u64..40, 0_u32..=4, 1_u64..30).prop_flat_map(move |(pages, write_quarters, period)| {
        let page = prop_oneof![
            3 => 0..pages,
            3 => 0..pages.div_ceil(4),
            1 => Just(u64::MAX),
        ];
        let write = (0_u32..4).prop_map(move |draw| draw < write_quarters);
        prop::collection::vec((page, write), 0..longest).prop_map(move |mut accesses| {
            for (place, access) in (0..).zip(&mut accesses) {
                if access.0 == u64::MAX {
                    access.0 = place % period;
                }
            }
            accesses
        })
    })
}

fn source(accesses: &[Access], chunk: usize) -> MemorySource {
    MemorySource::new(accesses.iter().copied()).with_chunk_accesses(chunk)
}

fn pairs(options: &[(&str, &str)]) -> Vec<(String, String)> {
    let own = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    options.iter().map(own).collect()
}

fn misses(accesses: &[Access], policy: &str, pages: usize, options: &[(&str, &str)]) -> (u64, u64) {
    let options = pairs(options);
    let mut source = source(accesses, 37);
    let result = simulate_policy(&mut source, policy, pages as u64, &options, &mut |_| true);
    let result = result.expect("possible parameters");
    (result.misses, result.disk_writes)
}

fn scheme(
    accesses: &[Access],
    name: &str,
    (ram, flash): (usize, usize),
    options: &[(&str, &str)],
) -> Result<SchemeResult> {
    let options = pairs(options);
    let (ram, flash) = (ram as u64, flash as u64);
    simulate_scheme(
        &mut source(accesses, 37),
        name,
        ram,
        flash,
        &options,
        &mut |_| true,
    )
}

fn counters(result: &SchemeResult) -> Counters {
    let counters = &result.counters;
    Counters {
        ram_hits: counters.ram_hits,
        flash_hits: counters.flash_hits,
        flash_misses: counters.flash_misses,
        flash_reads: counters.flash_reads(),
        flash_writes: counters.flash_writes(),
        hdd_reads: counters.hdd_reads(),
        hdd_writes: counters.hdd_writes,
    }
}

fn any_policy() -> impl Strategy<Value = &'static str> {
    (0..policies().len()).prop_map(|place| policies()[place].name)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn opt_is_never_beaten(accesses in accesses(400), pages in 1_usize..30) {
        let (least, _) = misses(&accesses, "opt", pages, &[]);
        for about in policies() {
            let (other, _) = misses(&accesses, about.name, pages, &[]);
            prop_assert!(least <= other, "{} {other} < {least}", about.name);
        }
    }

    #[test]
    fn options_reach_their_policy(accesses in accesses(300), pages in 1_usize..30) {
        for (policy, options, model) in [
            ("gclock", [("ceiling", "1"), ("entry", "0")].as_slice(), "clock"),
            ("gclock", &[("ceiling", "3"), ("entry", "1")], "gclock entry=1 ceiling=3"),
            ("lru_2", &[("period", "3")], "lru_2 period=3"),
            ("lru_2", &[("period", "40")], "lru_2 period=40"),
            ("w-tinylfu", &[("window-share", "1")], "lru"),
            // All queue, which renews a page at each hit.
            ("lirs", &[("hir_share", "1")], "lru"),
        ] {
            let found = misses(&accesses, policy, pages, options);
            let expected = slow("none", &accesses, (model, pages), ("lru", 0));
            prop_assert_eq!(found, (expected.hdd_reads, expected.hdd_writes), "{}", policy);
        }
    }

    #[test]
    fn every_pair_of_policies_runs_in_lazy_and_exclusive(
        accesses in accesses(300), ram in (any_policy(), 1_usize..12),
        flash in (any_policy(), 1_usize..30),
    ) {
        let options = [("ram_policy", ram.0), ("flash_policy", flash.0)];
        for name in ["lazy", "exclusive"] {
            let found = scheme(&accesses, name, (ram.1, flash.1), &options).unwrap();
            let expected = slow(name, &accesses, ram, flash);
            prop_assert_eq!(counters(&found), expected, "{}", name);
            prop_assert_eq!((found.ram_policy, found.flash_policy), (ram.0, flash.0));
        }
    }

    #[test]
    fn every_pair_of_policies_runs_in_both_inclusive_schemes(
        accesses in accesses(400), ram in (any_policy(), 1_usize..12),
        flash in any_policy(), more in 0_usize..30,
    ) {
        let options = [("ram_policy", ram.0), ("flash_policy", flash)];
        let pages = ram.1 + more;
        for (name, global) in [("inclusive", false), ("inclusive_global", true)] {
            let found = scheme(&accesses, name, (ram.1, pages), &options).unwrap();
            let expected = slow_inclusive(global, &accesses, ram, (flash, pages));
            prop_assert_eq!(counters(&found), expected, "{}", name);
            prop_assert_eq!((found.ram_policy, found.flash_policy), (ram.0, flash));
        }
    }

    #[test]
    fn ram_can_have_any_policy_in_none_and_inclusive(
        accesses in accesses(300), ram in (any_policy(), 1_usize..12), more in 0_usize..20,
    ) {
        let options = [("ram_policy", ram.0)];
        let expected = slow("none", &accesses, ram, ("lru", 0));
        for flash in [0, 7] {
            let found = scheme(&accesses, "none", (ram.1, flash), &options).unwrap();
            prop_assert_eq!(counters(&found), expected);
        }
        // Flash does not change what RAM does; inclusion is recounted by the replay itself.
        let found = scheme(&accesses, "inclusive", (ram.1, ram.1 + more), &options).unwrap();
        prop_assert_eq!(found.counters.ram_hits, expected.ram_hits);
        prop_assert_eq!(found.counters.ram_evictions, expected.hdd_reads.saturating_sub(ram.1 as u64));
    }
}

/// Long enough for logs to slide, heaps to be rebuilt and counts to be halved many times.
#[test]
fn long_traces_match_the_slow_models() {
    let mut state = 11_u64;
    let mut draw = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let accesses: Vec<Access> = (0..40_000_u64)
        .map(|index| {
            let page = match draw(10) {
                0 | 1 => 1000 + index / 50 % 200,
                2..=4 => draw(150),
                _ => draw(12),
            };
            (page, draw(3) == 0)
        })
        .collect();
    for about in policies() {
        // The slow model of OPT looks through the whole rest of the trace.
        let accesses = &accesses[..if about.name == "opt" {
            4000
        } else {
            accesses.len()
        }];
        let found = misses(accesses, about.name, 40, &[]);
        let expected = slow("none", accesses, (about.name, 40), ("lru", 0));
        assert_eq!(
            found,
            (expected.hdd_reads, expected.hdd_writes),
            "{}",
            about.name
        );
        let options = [("ram_policy", "sieve"), ("flash_policy", about.name)];
        let found = scheme(accesses, "exclusive", (10, 40), &options).unwrap();
        let expected = slow("exclusive", accesses, ("sieve", 10), (about.name, 40));
        assert_eq!(counters(&found), expected, "exclusive over {}", about.name);
        for (name, global) in [("inclusive", false), ("inclusive_global", true)] {
            let found = scheme(accesses, name, (10, 40), &options).unwrap();
            let expected = slow_inclusive(global, accesses, ("sieve", 10), (about.name, 40));
            assert_eq!(counters(&found), expected, "{name} over {}", about.name);
        }
    }
}

/// A dirty page that is never used again stays, so that it is not written back.
#[test]
fn opt_evicts_a_clean_page_before_a_dirty_one() {
    let accesses = [
        (1, true),
        (2, false),
        (3, false),
        (4, false),
        (3, false),
        (4, false),
    ];
    assert_eq!(misses(&accesses, "opt", 3, &[]), (4, 0));
    assert_eq!(misses(&accesses, "opt", 2, &[]), (4, 1));
}

#[test]
fn every_default_is_a_value_of_its_option() {
    let accesses = [(1, true), (2, false)];
    for about in policies() {
        assert_eq!(about.needs.contains(&Need::Future), about.name == "opt");
        for option in about.options {
            let given = [(option.name, option.default)];
            let with = misses(&accesses, about.name, 5, &given);
            assert_eq!(
                with,
                misses(&accesses, about.name, 5, &[]),
                "{}",
                option.name
            );
            assert!(option.default.parse::<f64>().is_ok(), "{}", option.name);
        }
    }
    for about in schemes() {
        for option in about.options {
            let given = [(option.name, option.default)];
            scheme(&accesses, about.name, (1, 2), &given).unwrap();
        }
    }
}

/// Of two values one would be passed over.
#[test]
fn an_option_in_two_spellings_is_refused() {
    let accesses = [(1, true), (2, false)];
    for given in [
        [("ram_policy", "arc"), ("RAM_POLICY", "lru")],
        [("admission", "all"), ("Admission", "all")],
    ] {
        let error = scheme(&accesses, "lazy", (1, 2), &given).unwrap_err();
        assert!(error.to_string().ends_with("is given twice"), "{error}");
    }
    let twice = [
        ("ram_k_in", "0.1"),
        ("ram-k-in", "0.2"),
        ("ram_policy", "2q"),
    ];
    let error = scheme(&accesses, "lazy", (1, 2), &twice).unwrap_err();
    assert!(
        error.to_string().contains("`ram-k-in` is given twice"),
        "{error}"
    );
    let twice = [("k_in", "0.1"), ("K_IN", "0.2")];
    let error = simulate_policy(
        &mut source(&accesses, 1),
        "2q",
        2,
        &pairs(&twice),
        &mut |_| true,
    )
    .unwrap_err();
    assert!(
        error.to_string().contains("`K_IN` is given twice"),
        "{error}"
    );
}

#[test]
fn wrong_options_are_named_and_the_known_ones_listed() {
    let accesses = [(1, true), (2, false)];
    for (name, options, message, hint) in [
        (
            "lazy",
            ("ram_policy", "mru"),
            "ram_policy `mru`: no such replacement policy",
            "sieve, s3_fifo",
        ),
        (
            "lazy",
            ("admit", "all"),
            "option `admit`: scheme `lazy` has no such option",
            "choose one of ram_policy, flash_policy, admission",
        ),
        (
            "lazy",
            ("ram_period", "1"),
            "option `ram_period`: policy `lru` has no options",
            "leave the option out",
        ),
        (
            "none",
            ("flash_policy", "sieve"),
            "option `flash_policy=sieve`: scheme `none` has no flash that could have a policy",
            "a scheme with flash",
        ),
    ] {
        let error = scheme(&accesses, name, (1, 2), &[options]).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.hint().contains(hint), "{}", error.hint());
    }
    for (policy, options, message, hint) in [
        (
            "2q",
            ("k_in", "-1"),
            "option `k_in=-1`: policy `2q` takes a number from 0 to 1 here",
            "k_in=0.25",
        ),
        (
            "2q",
            ("k_in", "nan"),
            "option `k_in=nan`: policy `2q` takes a number from 0 to 1 here",
            "k_in=0.25",
        ),
        (
            "gclock",
            ("ceiling", "1.5"),
            "option `ceiling=1.5`: policy `gclock` takes a whole number from 1 to 255 here",
            "ceiling=5",
        ),
        (
            "s3-fifo",
            ("k_in", "1"),
            "option `k_in`: policy `s3_fifo` has no such option",
            "small_share, ghost_share, threshold",
        ),
    ] {
        let result = simulate_policy(
            &mut source(&accesses, 1),
            policy,
            1,
            &pairs(&[options]),
            &mut |_| true,
        );
        let error = result.unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.hint().contains(hint), "{}", error.hint());
    }
}

/// Both halves of a replay that looks ahead report, and either can be refused.
#[test]
fn a_replay_of_opt_reports_and_can_be_cancelled() {
    let accesses: Vec<Access> = (0..100).map(|page| (page % 7, false)).collect();
    let mut seen = Vec::new();
    simulate_policy(&mut source(&accesses, 10), "opt", 3, &[], &mut |progress| {
        seen.push((progress.done, progress.accesses));
        true
    })
    .unwrap();
    assert!(seen.is_sorted());
    assert_eq!(seen.len(), 30);
    assert_eq!(seen.last(), Some(&(100, 100)));
    for calls in [0, 12, 25] {
        let mut left = calls;
        let result = simulate_policy(&mut source(&accesses, 10), "opt", 3, &[], &mut |_| {
            left -= 1;
            left >= 0
        });
        assert!(matches!(result, Err(Error::Cancelled)));
    }
}
