//! The replay engine against slow obvious models, worked examples and identities.

use proptest::prelude::*;
use tierwright_simulator::access::MemorySource;
use tierwright_simulator::curve::{Curves, curves};
use tierwright_simulator::error::{Error, Result};
use tierwright_simulator::replay::{
    MAX_PAGES, PolicyResult, SchemeResult, policies, schemes, simulate_policy, simulate_scheme,
};

mod replay_slow;

use replay_slow::policies::two_tier as slow;
use replay_slow::{Access, Counters};

/// Accesses that re-use pages at all distances: uniform over few pages, or mostly near the last.
fn accesses() -> impl Strategy<Value = Vec<Access>> {
    (1_u64..40, 0_u32..=4).prop_flat_map(|(pages, write_quarters)| {
        let page = prop_oneof![0..pages, 0..pages.div_ceil(4)];
        prop::collection::vec(
            (page, (0_u32..4).prop_map(move |draw| draw < write_quarters)),
            0..300,
        )
    })
}

fn source(accesses: &[Access], chunk: usize) -> MemorySource {
    MemorySource::new(accesses.iter().copied()).with_chunk_accesses(chunk)
}

fn policy(accesses: &[Access], chunk: usize, name: &str, pages: u64) -> Result<PolicyResult> {
    simulate_policy(&mut source(accesses, chunk), name, pages, &[], &mut |_| {
        true
    })
}

fn scheme(
    accesses: &[Access],
    chunk: usize,
    name: &str,
    ram_pages: u64,
    flash_pages: u64,
) -> SchemeResult {
    simulate_scheme(
        &mut source(accesses, chunk),
        name,
        ram_pages,
        flash_pages,
        &[],
        &mut |_| true,
    )
    .expect("possible parameters")
}

fn all_curves(accesses: &[Access], chunk: usize) -> Curves {
    curves(&mut source(accesses, chunk), &mut |_| true).expect("a source without faults")
}

fn golden_counters(result: &SchemeResult) -> Counters {
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

/// `5R 1W` or `R5 W1`, pages as numbers or single letters.
fn parse(text: &str) -> Vec<Access> {
    text.split_whitespace()
        .map(|token| {
            let (operation, page): (Vec<char>, Vec<char>) =
                token.chars().partition(|sign| matches!(sign, 'R' | 'W'));
            let page: String = page.into_iter().collect();
            let number = page
                .parse()
                .unwrap_or_else(|_| u64::from(page.as_bytes()[0]) + 1000);
            (number, operation == ['W'])
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn policies_match_their_slow_models(
        accesses in accesses(), pages in 1_usize..45, chunk in 1_usize..400,
    ) {
        for about in policies() {
            let result = policy(&accesses, chunk, about.name, pages as u64).unwrap();
            let expected = slow("none", &accesses, (about.name, pages), ("lru", 0));
            let found = (result.misses, result.disk_writes);
            prop_assert_eq!(found, (expected.hdd_reads, expected.hdd_writes), "{}", about.name);
            prop_assert_eq!(result.disk_reads, result.misses);
            prop_assert_eq!(result.accesses, accesses.len() as u64);
            let writes = accesses.iter().filter(|access| access.1).count() as u64;
            prop_assert_eq!(result.write_accesses, writes);
        }
    }

    #[test]
    fn curves_match_a_slow_replay_of_every_size(accesses in accesses(), chunk in 1_usize..400) {
        let fast = all_curves(&accesses, chunk);
        let (misses, write_backs) = replay_slow::curves(&accesses);
        prop_assert_eq!(&fast.misses, &misses);
        prop_assert_eq!(&fast.write_backs, &write_backs);
        prop_assert_eq!(fast.distinct_pages, misses.len() as u64);
        prop_assert_eq!((misses, write_backs), replay_slow::curves_by_depth(&accesses));
    }

    #[test]
    fn schemes_match_their_slow_models(
        accesses in accesses(), ram in 1_usize..20, flash in 1_usize..50, chunk in 1_usize..400,
    ) {
        for about in schemes() {
            let result = scheme(&accesses, chunk, about.name, ram as u64, flash as u64);
            let inclusive = about.name.starts_with("inclusive");
            prop_assert_eq!(result.warnings.is_empty(), !(inclusive && ram >= flash));
            let usable = !(inclusive && ram > flash);
            let model = if usable { about.name } else { "none" };
            let expected = replay_slow::two_tier(model, &accesses, ram, flash);
            let expected = expected.last().copied().unwrap_or_default();
            prop_assert_eq!(golden_counters(&result), expected, "{}", about.name);
        }
    }

    #[test]
    fn without_flash_every_scheme_is_one_lru_cache(accesses in accesses(), ram in 1_usize..45) {
        let (misses, write_backs) = replay_slow::single_tier("lru", &accesses, ram);
        for about in schemes() {
            let result = scheme(&accesses, 64, about.name, ram as u64, 0);
            prop_assert_eq!(result.scheme, about.name);
            prop_assert!(result.warnings.is_empty());
            prop_assert_eq!(golden_counters(&result), Counters {
                ram_hits: accesses.len() as u64 - misses,
                flash_misses: misses,
                hdd_reads: misses,
                hdd_writes: write_backs,
                ..Counters::default()
            });
        }
    }

    #[test]
    fn curves_predict_exclusive_and_inclusive_global_exactly(
        accesses in accesses(), ram in 1_usize..20, flash in 1_usize..50,
    ) {
        let curves = all_curves(&accesses, 100);
        let misses = |pages: usize| at(&curves.misses, pages, curves.distinct_pages);
        let write_backs = |pages: usize| at(&curves.write_backs, pages, 0);

        let exclusive = scheme(&accesses, 100, "exclusive", ram as u64, flash as u64).counters;
        prop_assert_eq!(exclusive.flash_misses, misses(ram + flash));
        prop_assert_eq!(exclusive.hdd_writes, write_backs(ram + flash));
        prop_assert_eq!(exclusive.flash_writes(), misses(ram).saturating_sub(ram as u64));
        prop_assert_eq!(exclusive.ram_evictions, misses(ram).saturating_sub(ram as u64));

        let flash = flash - 1 + ram;
        let global = scheme(&accesses, 100, "inclusive_global", ram as u64, flash as u64).counters;
        prop_assert_eq!(global.flash_misses, misses(flash));
        prop_assert_eq!(global.hdd_writes, write_backs(flash));
        prop_assert_eq!(global.flash_fills, misses(flash));
        prop_assert_eq!(global.flash_write_backs, write_backs(ram));

        for about in schemes() {
            let counters = scheme(&accesses, 100, about.name, ram as u64, flash as u64).counters;
            prop_assert_eq!(counters.ram_hits, accesses.len() as u64 - misses(ram));
            prop_assert_eq!(counters.ram_evictions, misses(ram).saturating_sub(ram as u64));
            if about.name != "exclusive" {
                prop_assert_eq!(counters.ram_dirty_evictions, write_backs(ram));
            }
        }
    }
}

/// Entry of a curve for any size; `beyond` at sizes that hold every page.
fn at(curve: &[u64], pages: usize, beyond: u64) -> u64 {
    curve.get(pages - 1).copied().unwrap_or(beyond)
}

/// Long enough for several renumberings of stack places and slides of recency logs, with a scan, a
/// loop and a hot set, checked against the slow list model at a few sizes.
#[test]
fn long_traces_match_the_slow_models_across_renumbering() {
    let mut state = 7_u64;
    let mut draw = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let accesses: Vec<Access> = (0..300_000_u64)
        .map(|index| {
            let page = match draw(10) {
                0 => 1000 + index / 400 % 300,
                1..=3 => draw(400),
                _ => draw(20),
            };
            (page, draw(3) == 0)
        })
        .collect();
    let curves = all_curves(&accesses, 1000);
    for pages in [1, 7, 40, 300] {
        let (misses, write_backs) = replay_slow::single_tier("lru", &accesses, pages);
        assert_eq!(curves.misses[pages - 1], misses);
        assert_eq!(curves.write_backs[pages - 1], write_backs);
        let lru = policy(&accesses, 1000, "lru", pages as u64).unwrap();
        assert_eq!((lru.misses, lru.disk_writes), (misses, write_backs));
    }
    for about in schemes() {
        let fast = scheme(&accesses, 1000, about.name, 40, 200);
        let slow = replay_slow::two_tier(about.name, &accesses, 40, 200);
        assert_eq!(
            golden_counters(&fast),
            *slow.last().unwrap(),
            "{}",
            about.name
        );
    }
}

/// Whatever is decided for a batch at once: caches below, near and far above it.
#[test]
fn caches_larger_than_a_batch_match_the_slow_models() {
    let mut state = 11_u64;
    let mut draw = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut page = move || draw(3000).min(draw(3000)).min(draw(3000)) + draw(2) * 3;
    for writes in [false, true] {
        let accesses: Vec<Access> = (0..24_000_u64)
            .map(|index| (page(), writes && index % 3 == 0 && index > 8000))
            .collect();
        for pages in [256, 700] {
            let lru = policy(&accesses, 1000, "lru", pages as u64).expect("a possible size");
            let slow = replay_slow::single_tier("lru", &accesses, pages);
            assert_eq!((lru.misses, lru.disk_writes), slow);
        }
        for (ram, flash) in [(30_usize, 900_usize), (257, 300), (600, 1500)] {
            for about in schemes() {
                let fast = scheme(&accesses, 1000, about.name, ram as u64, flash as u64);
                let slow = replay_slow::two_tier(about.name, &accesses, ram, flash);
                let (fast, slow) = (golden_counters(&fast), *slow.last().expect("accesses"));
                assert_eq!(fast, slow, "{} {ram} {flash}", about.name);
            }
        }
    }
}

fn assert_after_each_access(name: &str, accesses: &[Access], ram: u64, flash: u64, table: &str) {
    for (count, line) in (1..).zip(table.trim().lines()) {
        let numbers: Vec<u64> = line
            .split_whitespace()
            .map(|number| number.parse().expect("a table of numbers"))
            .collect();
        let result = golden_counters(&scheme(&accesses[..count], 3, name, ram, flash));
        let expected = Counters {
            ram_hits: numbers[0],
            flash_hits: numbers[1],
            flash_misses: numbers[2],
            flash_reads: numbers[3],
            flash_writes: numbers[4],
            hdd_reads: numbers[5],
            hdd_writes: numbers[6],
        };
        assert_eq!(result, expected, "{name} after access {count}");
        let usize_of = |pages: u64| usize::try_from(pages).expect("few pages");
        let slow = replay_slow::two_tier(name, &accesses[..count], usize_of(ram), usize_of(flash));
        assert_eq!(
            slow.last(),
            Some(&expected),
            "slow {name} after access {count}"
        );
    }
}

#[test]
fn worked_example_a_holds_after_each_access() {
    let accesses = parse("5R 1W 4R 4R 5W 1R 2W 4W 4R 3R 6W 2W 1W 5W");
    assert_after_each_access("inclusive", &accesses, 2, 3, EXAMPLE_A_INCLUSIVE);
    assert_after_each_access("exclusive", &accesses, 2, 3, EXAMPLE_A_EXCLUSIVE);
    assert_after_each_access("lazy", &accesses, 2, 3, EXAMPLE_A_LAZY);
}

const EXAMPLE_A_INCLUSIVE: &str = "
    0 0 1 0 1 1 0
    0 0 2 0 2 2 0
    0 0 3 0 3 3 0
    1 0 3 0 3 3 0
    1 1 3 1 4 3 0
    1 2 3 2 4 3 0
    1 2 4 2 6 4 0
    1 2 5 2 7 5 1
    2 2 5 2 7 5 1
    2 2 6 2 9 6 2
    2 2 7 2 11 7 3
    2 2 8 2 12 8 3
    2 2 9 2 14 9 4
    2 2 10 2 16 10 5
";

const EXAMPLE_A_EXCLUSIVE: &str = "
    0 0 1 0 0 1 0
    0 0 2 0 0 2 0
    0 0 3 0 1 3 0
    1 0 3 0 1 3 0
    1 1 3 1 2 3 0
    1 2 3 2 3 3 0
    1 2 4 2 4 4 0
    1 3 4 3 5 4 0
    2 3 4 3 5 4 0
    2 3 5 3 6 5 0
    2 3 6 3 7 6 1
    2 4 6 4 8 6 1
    2 5 6 5 9 6 1
    2 5 7 5 10 7 2
";

const EXAMPLE_A_LAZY: &str = "
    0 0 1 0 0 1 0
    0 0 2 0 0 2 0
    0 0 3 0 1 3 0
    1 0 3 0 1 3 0
    1 1 3 1 2 3 0
    1 2 3 2 3 3 0
    1 2 4 2 4 4 0
    1 3 4 3 4 4 0
    2 3 4 3 4 4 0
    2 3 5 3 5 5 1
    2 3 6 3 6 6 1
    2 4 6 4 7 6 2
    2 4 7 4 8 7 3
    2 4 8 4 9 8 3
";

/// In inclusive at `4W` flash is, least recent first, 1 2 3; page 3 has just left RAM, page 1 is in
/// RAM and is skipped, page 2 goes.
#[test]
fn worked_example_b_skips_the_flash_page_that_is_in_ram() {
    let accesses = parse("1R 2R 1R 3R 1R 4W 2R 1R 3R");
    for (name, expected) in [
        ("inclusive", [2, 0, 7, 0, 8, 7, 0]),
        ("exclusive", [2, 3, 4, 3, 5, 4, 0]),
        ("lazy", [2, 2, 5, 2, 4, 5, 0]),
    ] {
        let result = scheme(&accesses, 4, name, 2, 3);
        let golden: Vec<u64> = result.counters.named()[..7]
            .iter()
            .map(|(_, n)| *n)
            .collect();
        assert_eq!(golden, expected, "{name}");
    }
}

/// Two random traces with the counts of RAM hits, flash hits, flash misses, flash writes and disk
/// writes.
#[test]
fn reference_vectors_of_the_two_tier_simulator() {
    let first = "We Wg Rb Rd Wd Rd Rg Ra Wi Re Rc Wd We Rf Wa Rf Rh Rb Ra We \
        Rc Rc Rl Rf Rn Re Rf Rh Rm Rd Rd Rn Ra Wk Rb Wf Ra Rf Wc Wc \
        Wa Ra Wa Rb Rc Wa Wh Wc Rj Rj Ra Wa Rb Ro Rc Wb Wf Rm Ro Rc \
        Rb Rg Ra Wn Wc Rc Ro Ra Rc Wa We Wd Rc Ra Rh Ra Rd Rc Wl Rg";
    let second = "R7 R5 R8 R1 W9 R15 W18 R16 R10 R1 R12 R17 R6 R5 R3 W10 R5 R6 R9 R16 \
        R13 R3 R11 R2 R1 R4 R5 W14 R1 R2 R8 R2 R1 W3 R7 W11 W14 R14 W12 R16 \
        R2 W15 R5 R11 R17 W14 R8 R14 W14 R3 W18 R8 W14 R12 W7 W1 R1 W2 W15 R8 \
        R8 W14 R1 R10 W14 R3 R7 W18 R17 R13 R11 W12 R12 R9 R11 R8 R1 W5 R6 W14 \
        R5 W17 W8 W7 R5 R3 W14 W1 W17 R13";
    for (trace, ram, flash, expected) in [
        (
            first,
            3,
            6,
            [
                ("exclusive", [23, 32, 25, 54, 8]),
                ("inclusive_global", [23, 22, 35, 56, 13]),
                ("lazy", [23, 26, 31, 39, 10]),
            ],
        ),
        (
            second,
            4,
            7,
            [
                ("exclusive", [17, 29, 44, 69, 14]),
                ("inclusive_global", [17, 12, 61, 84, 17]),
                ("lazy", [17, 20, 53, 60, 14]),
            ],
        ),
    ] {
        for (name, counts) in expected {
            let counters = scheme(&parse(trace), 5, name, ram, flash).counters;
            let result = [
                counters.ram_hits,
                counters.flash_hits,
                counters.flash_misses,
                counters.flash_writes(),
                counters.hdd_writes,
            ];
            assert_eq!(result, counts, "{name}");
        }
    }
}

/// A B C A D with 3 frames: A's bit is set by its second use, so the hand passes A and takes B.
#[test]
fn clock_gives_a_used_page_a_second_chance_and_fifo_does_not() {
    let accesses = parse("1R 2R 3R 1R 4R 1R 2R");
    assert_eq!(policy(&accesses, 9, "clock", 3).unwrap().misses, 5);
    assert_eq!(policy(&accesses, 9, "fifo", 3).unwrap().misses, 6);
}

#[test]
fn an_empty_trace_gives_zeros() {
    let result = policy(&[], 9, "lru", 5).unwrap();
    assert_eq!(
        (result.accesses, result.misses, result.distinct_pages),
        (0, 0, 0)
    );
    assert_eq!(all_curves(&[], 9).misses, Vec::<u64>::new());
    assert_eq!(
        golden_counters(&scheme(&[], 9, "lazy", 5, 5)),
        Counters::default()
    );
}

#[test]
fn capacities_far_above_the_distinct_pages_cost_no_memory() {
    let accesses = parse("1R 2W 1R 3R");
    for about in policies() {
        assert_eq!(
            policy(&accesses, 9, about.name, MAX_PAGES).unwrap().misses,
            3
        );
    }
    for about in schemes() {
        let result = scheme(&accesses, 9, about.name, MAX_PAGES, MAX_PAGES);
        assert_eq!(result.counters.flash_misses, 3);
    }
}

fn parameter_error(result: Result<PolicyResult>) -> (String, String) {
    match result {
        Err(error @ Error::BadParameter { .. }) => (error.to_string(), error.hint().to_owned()),
        other => panic!("expected a parameter error, got {other:?}"),
    }
}

#[test]
fn impossible_parameters_are_named() {
    let accesses = parse("1R 2W");
    let (message, _) = parameter_error(policy(&accesses, 9, "lru", 0));
    assert_eq!(
        message,
        "pages `0`: a cache must have from 1 to 4294967295 pages"
    );
    let (message, _) = parameter_error(policy(&accesses, 9, "lru", MAX_PAGES + 1));
    assert!(message.starts_with("pages `4294967296`"), "{message}");
    let (message, hint) = parameter_error(policy(&accesses, 9, "belady", 4));
    assert_eq!(message, "policy `belady`: no such replacement policy");
    assert_eq!(
        hint,
        "choose one of lru, fifo, clock, gclock, lru_2, 2q, arc, lirs, sieve, s3_fifo, w_tinylfu, opt"
    );

    let mut memory = source(&accesses, 9);
    let option = [("admission".to_owned(), "clean".to_owned())];
    for (name, ram, flash, options, expected) in [
        (
            "layzy",
            1,
            1,
            &[][..],
            "scheme `layzy`: no such page-flow scheme",
        ),
        (
            "lazy",
            0,
            1,
            &[][..],
            "ram-pages `0`: a cache must have from 1 to 4294967295 pages",
        ),
        (
            "lazy",
            1,
            MAX_PAGES + 1,
            &[][..],
            "flash-pages `4294967296`: a cache must have from 0 to 4294967295 pages",
        ),
        (
            "lazy",
            1,
            1,
            &option[..],
            "option `admission=clean`: scheme `lazy` takes one of all, clean_only, accessed_twice, top_f, read_intensive, cachesack here",
        ),
    ] {
        let error = simulate_scheme(&mut memory, name, ram, flash, options, &mut |_| true);
        assert_eq!(error.unwrap_err().to_string(), expected);
    }
}

#[test]
fn names_are_found_in_any_case() {
    let accesses = parse("1R 2W");
    assert_eq!(policy(&accesses, 9, "LRU", 4).unwrap().policy, "lru");
    assert_eq!(
        scheme(&accesses, 9, "Inclusive-Global", 1, 2).scheme,
        "inclusive_global"
    );
}

#[test]
fn a_refused_progress_report_cancels() {
    let accesses = parse("1R 2W 3R 4R");
    let mut seen = Vec::new();
    let result = simulate_policy(&mut source(&accesses, 1), "lru", 2, &[], &mut |progress| {
        seen.push((progress.done, progress.total, progress.accesses));
        seen.len() < 2
    });
    assert!(matches!(result, Err(Error::Cancelled)));
    assert_eq!(seen, [(1, 4, 1), (2, 4, 2)]);
    let result = curves(&mut source(&accesses, 1), &mut |_| false);
    assert!(matches!(result, Err(Error::Cancelled)));
}
