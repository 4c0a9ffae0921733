//! Cost-aware buffers and the Two-Stack estimator against slow obvious models, worked examples and
//! identities.

use proptest::prelude::*;
use tierwright_simulator::access::MemorySource;
use tierwright_simulator::curve::curves;
use tierwright_simulator::curve::two_stack::{Distance, TwoStack, TwoStackSpec, two_stack};
use tierwright_simulator::error::{Error, Result};
use tierwright_simulator::replay::buffers::{
    BufferCounters, BufferResult, buffers, simulate_buffer, simulate_splits,
};
use tierwright_simulator::replay::{policies, simulate_policy};

mod dynamics;
#[path = "../replay_slow/mod.rs"]
mod replay_slow;
mod slow;

use slow::Access;

/// Accesses that re-use pages at all distances, over addresses with gaps.
fn accesses() -> impl Strategy<Value = Vec<Access>> {
    (1_u64..40, 0_u32..=4).prop_flat_map(|(pages, write_quarters)| {
        let page = prop_oneof![0..pages, 0..pages.div_ceil(4)];
        let page = page.prop_map(|page| page * 3 / 2 + page / 7 * 20);
        prop::collection::vec(
            (page, (0_u32..4).prop_map(move |draw| draw < write_quarters)),
            0..250,
        )
    })
}

fn source(accesses: &[Access], chunk: usize) -> MemorySource {
    MemorySource::new(accesses.iter().copied()).with_chunk_accesses(chunk)
}

fn options(given: &[(&str, &str)]) -> Vec<(String, String)> {
    given
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn try_buffer(
    accesses: &[Access],
    name: &str,
    pages: usize,
    given: &[(&str, &str)],
) -> Result<BufferResult> {
    simulate_buffer(
        &mut source(accesses, 37),
        name,
        pages as u64,
        &options(given),
        &mut |_| true,
    )
}

fn buffer(accesses: &[Access], name: &str, pages: usize, given: &[(&str, &str)]) -> BufferResult {
    try_buffer(accesses, name, pages, given).expect("possible parameters")
}

fn static_split(accesses: &[Access], pages: usize, clean: usize) -> BufferCounters {
    let clean = clean.to_string();
    buffer(accesses, "fd_static", pages, &[("clean_pages", &clean)]).counters
}

fn estimate(accesses: &[Access], pages: usize, distance: Distance, conditions: bool) -> TwoStack {
    let spec = TwoStackSpec {
        pages: pages as u64,
        distance,
        present_conditions: conditions,
    };
    two_stack(&mut source(accesses, 37), spec, &mut |_| true).expect("possible parameters")
}

const RATIOS: [(&str, usize, usize); 6] = [
    ("0", 0, 1),
    ("0.25", 1, 4),
    ("0.3", 3, 10),
    ("0.5", 1, 2),
    ("0.75", 3, 4),
    ("1.0", 1, 1),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn lru_and_cflru_match_one_slow_list(accesses in accesses(), pages in 1_usize..30) {
        let lru = buffer(&accesses, "lru", pages, &[]).counters;
        prop_assert_eq!(lru, slow::lru(&accesses, pages));
        let policy = simulate_policy(&mut source(&accesses, 50), "lru", pages as u64, &[], &mut |_| true);
        let policy = policy.expect("possible parameters");
        prop_assert_eq!((lru.reads, lru.writes), (policy.disk_reads, policy.disk_writes));
        for (text, numerator, denominator) in RATIOS {
            let working = pages * numerator / denominator;
            let fast = buffer(&accesses, "cflru", pages, &[("wrr", text)]).counters;
            prop_assert_eq!(fast, slow::cflru(&accesses, pages, working), "{}", text);
            let cfdc = [("wrr", text), ("clustering", "false")];
            prop_assert_eq!(fast, buffer(&accesses, "cfdc", pages, &cfdc).counters);
        }
        // With every frame in the working region no page is clean-first.
        prop_assert_eq!(lru, buffer(&accesses, "cflru", pages, &[("wrr", "1")]).counters);
    }

    #[test]
    fn cfdc_matches_a_slow_list_with_clusters(
        accesses in accesses(), pages in 1_usize..30, cluster in 1_u64..12,
    ) {
        let text = cluster.to_string();
        for (ratio, numerator, denominator) in RATIOS {
            let working = pages * numerator / denominator;
            let given = [("wrr", ratio), ("cluster_pages", text.as_str())];
            let fast = buffer(&accesses, "cfdc", pages, &given).counters;
            prop_assert_eq!(fast, slow::cfdc(&accesses, pages, working, cluster), "{}", ratio);
        }
    }

    #[test]
    fn static_splits_match_two_slow_pools(accesses in accesses(), pages in 2_usize..20) {
        let splits: Vec<u64> = (1..pages as u64).collect();
        let together = simulate_splits(&mut source(&accesses, 37), pages as u64, &splits, &mut |_| true);
        let together = together.expect("possible parameters");
        for (clean, beside) in (1..pages).zip(together) {
            let fast = static_split(&accesses, pages, clean);
            prop_assert_eq!(fast, beside.counters);
            prop_assert_eq!(fast, slow::fd_buffer(&accesses, pages, clean, ("lru", "lru")));
        }
    }

    /// Pools hold more or fewer pages than their sizes at most times.
    #[test]
    fn pools_of_any_policies_match_two_slow_pools(
        accesses in accesses(), pages in 2_usize..20, clean in 1_usize..19,
        chosen in (0..policies().len(), 0..policies().len()),
    ) {
        let clean = clean.min(pages - 1);
        let names = (policies()[chosen.0].name, policies()[chosen.1].name);
        let text = clean.to_string();
        let given = [
            ("clean_pages", text.as_str()),
            ("clean_policy", names.0),
            ("dirty_policy", names.1),
        ];
        let fast = buffer(&accesses, "fd_static", pages, &given).counters;
        prop_assert_eq!(fast, slow::fd_buffer(&accesses, pages, clean, names));
    }

    #[test]
    fn invariants_of_every_buffer(accesses in accesses(), pages in 2_usize..30) {
        let total = accesses.len() as u64;
        let writes = accesses.iter().filter(|access| access.1).count() as u64;
        for about in buffers() {
            let result = buffer(&accesses, about.name, pages, &[]);
            let counters = result.counters;
            prop_assert_eq!(counters.hits_clean + counters.hits_dirty + counters.misses, total);
            prop_assert_eq!(counters.reads, counters.misses);
            prop_assert!(counters.writes <= counters.evictions);
            prop_assert!(counters.evictions <= counters.misses);
            // What is not evicted lies in frames that were free.
            prop_assert!(counters.misses - counters.evictions <= pages as u64);
            prop_assert!(counters.write_hits_dirty <= counters.hits_dirty);
            if writes == 0 {
                prop_assert_eq!((counters.writes, counters.hits_dirty), (0, 0));
                prop_assert_eq!(result.warnings.len(), usize::from(total > 0));
            } else {
                prop_assert!(result.warnings.is_empty());
            }
            if writes == total {
                prop_assert_eq!(counters.hits_clean, 0);
            }
        }
    }

    #[test]
    fn two_stack_matches_sets_of_splits(
        accesses in accesses(), pages in 2_usize..16, group in 1_u32..6, conditions: bool,
    ) {
        let group = group.min(u32::try_from(pages).expect("few pages"));
        let grouped = |conservative| Distance::Grouped { pages: group, conservative };
        for distance in [Distance::Raw, grouped(false), grouped(true)] {
            let fast = estimate(&accesses, pages, distance, conditions);
            let slow = slow::two_stack(&accesses, pages, distance, conditions);
            prop_assert_eq!(&fast.hits_clean, &slow.clean);
            prop_assert_eq!(&fast.hits_dirty, &slow.dirty);
            prop_assert_eq!(&fast.write_hits_dirty, &slow.dirty_writes);
            prop_assert!(fast.hits_clean.is_sorted());
            prop_assert!(fast.hits_dirty.is_sorted_by(|small, large| small >= large));
        }
    }

    #[test]
    fn effective_distances_match_a_quadratic_model(accesses in accesses(), pages in 2_usize..16) {
        let fast = estimate(&accesses, pages, Distance::Effective, true);
        let slow = slow::two_stack_effective(&accesses, pages);
        prop_assert_eq!(fast.hits_clean, slow.clean);
        prop_assert_eq!(fast.hits_dirty, slow.dirty);
        prop_assert_eq!(fast.write_hits_dirty, slow.dirty_writes);
    }

    /// Reads never enter the dirty stack, so the clean stack is Mattson's; writes never the clean one.
    #[test]
    fn of_one_operation_two_stack_is_mattson(accesses in accesses(), pages in 2_usize..30) {
        for write in [false, true] {
            let only: Vec<Access> = accesses.iter().map(|&(page, _)| (page, write)).collect();
            let found = estimate(&only, pages, Distance::Raw, true);
            let misses = curves(&mut source(&only, 37), &mut |_| true).expect("no faults").misses;
            let at = |size: usize| {
                let size = size.min(misses.len());
                only.len() as u64 - if size == 0 { 0 } else { misses[size - 1] }
            };
            for split in 1..pages {
                let expected = if write { (0, at(pages - split)) } else { (at(split), 0) };
                let hits = (found.hits_clean[split - 1], found.hits_dirty[split - 1]);
                prop_assert_eq!(hits, expected);
                let counters = static_split(&only, pages, split);
                if write {
                    prop_assert_eq!(counters.hits_clean, 0);
                } else {
                    prop_assert_eq!(counters.writes, 0);
                }
            }
        }
    }

    #[test]
    fn the_advisor_takes_the_split_that_a_slow_model_takes(
        accesses in accesses(), pages in 2_usize..12, window in 1_usize..60,
    ) {
        let text = window.to_string();
        for estimator in ["eq4", "disjoint", "flow"] {
            let given = [("window", text.as_str()), ("estimator", estimator), ("asymmetry", "8")];
            let fast = buffer(&accesses, "fd_buffer", pages, &given);
            let model = slow::advised(&accesses, pages, window, (estimator, 8.0), ("lru", "lru"));
            let (counters, splits) = model;
            let chosen: Vec<usize> = fast
                .history
                .iter()
                .map(|window| window.next_clean_pages as usize)
                .collect();
            prop_assert_eq!(&chosen, &splits, "{}", estimator);
            prop_assert_eq!(fast.counters, counters);
            prop_assert_eq!(fast.windows, (accesses.len() / window) as u64);
            let last = splits.last().copied().unwrap_or(pages / 2);
            prop_assert_eq!(fast.clean_pages.map(|clean| clean as usize), Some(last));
        }
    }

    #[test]
    fn pools_that_follow_a_moving_split_match_slow_pools(
        accesses in accesses(), pages in 2_usize..40, window in 1_usize..40,
        chosen in (0..policies().len(), 0..policies().len()),
    ) {
        let text = window.to_string();
        let names = (policies()[chosen.0].name, policies()[chosen.1].name);
        let given = [
            ("window", text.as_str()),
            ("asymmetry", "8"),
            ("clean_policy", names.0),
            ("dirty_policy", names.1),
        ];
        let fast = buffer(&accesses, "fd_buffer", pages, &given);
        let (counters, _) = slow::advised(&accesses, pages, window, ("flow", 8.0), names);
        prop_assert_eq!(fast.counters, counters, "{:?}", names);
    }

    /// A window that never ends leaves the split alone.
    #[test]
    fn without_a_full_window_the_adaptive_buffer_is_the_static_one(
        accesses in accesses(), pages in 2_usize..20,
    ) {
        let adaptive = buffer(&accesses, "fd_buffer", pages, &[("window", "1000000")]);
        prop_assert_eq!(adaptive.counters, static_split(&accesses, pages, pages / 2));
    }
}

fn parse(text: &str) -> Vec<Access> {
    text.split_whitespace()
        .map(|token| {
            let page = token[1..]
                .parse()
                .unwrap_or_else(|_| u64::from(token.as_bytes()[1]) + 1000);
            (page, token.starts_with('W'))
        })
        .collect()
}

/// The example of Table 2, with its two typing errors repaired, after each request: clean pages at
/// the start come from two reads.
#[test]
fn table_2_holds_after_each_request() {
    let accesses = parse("RX RY WA WB RC RD RC RD RC WB RA");
    // Reads and writes after each request, the first two reads taken off.
    let expected = [
        (1, 0),
        (2, 1),
        (3, 1),
        (4, 1),
        (5, 1),
        (6, 1),
        (7, 1),
        (7, 1),
        (8, 1),
    ];
    for (count, (reads, writes)) in (3..).zip(expected) {
        let counters = static_split(&accesses[..count], 2, 1);
        assert_eq!(
            (counters.reads - 2, counters.writes),
            (reads, writes),
            "request {}",
            count - 2
        );
    }
    assert_eq!(static_split(&accesses, 2, 1).write_hits_dirty, 1);
}

/// Written, then read at distance 4: in the dirty pool if it has 4 pages, else loaded into the clean
/// one, that is if `M_c` is at least 7. Read again at 2 and 9: clean hit from 9 on, dirty hit from 4.
#[test]
fn worked_example_of_the_present_conditions() {
    let text = "W0 W1 W2 W3 R0 W4 R11 R12 R13 R14 R15 R16 R17 R18 R0";
    let found = estimate(&parse(text), 10, Distance::Raw, true);
    let by_index = found.by_index.expect("raw distances");
    assert_eq!(by_index.dirty_reads.hits, [0, 0, 0, 0, 2]);
    assert_eq!(by_index.clean_reads.hits[9], 1);
    assert_eq!(by_index.clean_reads.hits.iter().sum::<u64>(), 1);
}

/// Long enough for the stacks to be renumbered several times.
#[test]
fn a_long_trace_is_estimated_alike_across_renumbering() {
    let mut state = 3_u64;
    let mut draw = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let accesses: Vec<Access> = (0..200_000)
        .map(|_| {
            let page = if draw(3) == 0 { draw(300) } else { draw(25) };
            (page, draw(4) == 0)
        })
        .collect();
    let fast = estimate(&accesses, 40, Distance::Raw, true);
    let slow = slow::two_stack_by_threshold(&accesses, 40);
    assert_eq!(fast.hits_clean, slow.clean);
    assert_eq!(fast.hits_dirty, slow.dirty);
    assert_eq!(fast.write_hits_dirty, slow.dirty_writes);
}

/// A window ends when its reads and 10 times its writes reach 0.6 / 0.03 = 20.
#[test]
fn a_window_may_end_by_its_io_time() {
    let accesses: Vec<Access> = (0..60).map(|page| (page, page % 2 == 0)).collect();
    let given = [("comp", "0.6"), ("g", "0.03"), ("asymmetry", "10")];
    let result = buffer(&accesses, "fd_buffer", 4, &given);
    assert!(result.windows > 1);
    for window in &result.history {
        assert!(window.reads + 10 * window.writes >= 20);
        let before_last = window.reads - 1 + 10 * window.writes.saturating_sub(1);
        assert!(before_last < 20, "{window:?}");
    }
}

fn refusal(result: Result<BufferResult>) -> (String, String) {
    match result {
        Err(error @ Error::BadParameter { .. }) => (error.to_string(), error.hint().to_owned()),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[test]
fn wrong_parameters_are_refused_with_a_next_step() {
    let accesses = parse("R1 W2");
    for (name, pages, given, message, hint) in [
        (
            "cflruu",
            9,
            &[][..],
            "policy `cflruu`",
            "choose one of lru, cflru",
        ),
        ("cflru", 0, &[], "pages `0`", "in pages"),
        ("fd_buffer", 1, &[], "pages `1`", "in pages"),
        (
            "cflru",
            9,
            &[("wr", "1")],
            "option `wr=1`",
            "use an option of `cflru`: wrr",
        ),
        (
            "cflru",
            9,
            &[("wrr", "1.5")],
            "option `wrr=1.5`",
            "from 0 to 1",
        ),
        ("cflru", 9, &[("WRR", "1")], "option `WRR=1`", "write `wrr`"),
        (
            "lru",
            9,
            &[("wrr", "1")],
            "option `wrr=1`",
            "`lru` has no options",
        ),
        (
            "cflru",
            9,
            &[("wrr", "1"), ("wrr", "1")],
            "given twice",
            "wrr",
        ),
        (
            "fd_static",
            9,
            &[("clean_pages", "9")],
            "`clean_pages=9`",
            "minus 1",
        ),
        (
            "fd_static",
            9,
            &[("clean_policy", "arcc")],
            "clean_policy `arcc`",
            "lru, fifo, clock, gclock",
        ),
        (
            "fd_static",
            9,
            &[("dirty_policy", "2q"), ("dirty_k", "0.1")],
            "option `dirty_k`",
            "dirty_k_in, dirty_k_out",
        ),
        (
            "fd_static",
            9,
            &[("dirty_policy", "2q"), ("dirty_k_in", "7")],
            "option `dirty_k_in=7`",
            "dirty_k_in=0.25",
        ),
        (
            "fd_buffer",
            9,
            &[("asymmetry", "0")],
            "`asymmetry=0`",
            "above 0",
        ),
        (
            "fd_buffer",
            9,
            &[("asymmetry", "nan")],
            "`asymmetry=nan`",
            "above 0",
        ),
        ("fd_buffer", 9, &[("g", "0.1")], "`g=0.1`", "with comp"),
        (
            "fd_buffer",
            9,
            &[("g", "0"), ("comp", "1")],
            "`g=0`",
            "above 0",
        ),
        (
            "fd_buffer",
            9,
            &[("window", "5"), ("comp", "1")],
            "`window=5`",
            "default: the buffer's pages, at least 5000",
        ),
        ("fd_buffer", 9, &[("window", "0")], "`window=0`", "from 1"),
        (
            "fd_buffer",
            9,
            &[("group_pages", "10")],
            "group-pages `10`",
            "64",
        ),
        (
            "fd_buffer",
            9,
            &[("group_distance", "printed")],
            "`group_distance=printed`",
            "with group_pages",
        ),
        (
            "cfdc",
            9,
            &[("clustering", "no")],
            "`clustering=no`",
            "true or false",
        ),
        (
            "cfdc",
            9,
            &[("clustering", "false"), ("cluster_pages", "4")],
            "`cluster_pages=4`",
            "4096",
        ),
    ] {
        let (found, next) = refusal(try_buffer(&accesses, name, pages, given));
        assert!(found.contains(message), "{name} {given:?}: {found}");
        assert!(next.contains(hint), "{name} {given:?}: {next}");
    }
    for pages in [0, 1, 1 << 40] {
        let spec = TwoStackSpec {
            pages,
            distance: Distance::Raw,
            present_conditions: true,
        };
        let found = two_stack(&mut source(&accesses, 9), spec, &mut |_| true);
        assert!(matches!(
            found,
            Err(Error::BadParameter { name: "pages", .. })
        ));
    }
    for split in [0, 9] {
        let found = simulate_splits(&mut source(&accesses, 9), 9, &[split], &mut |_| true);
        assert!(matches!(
            found,
            Err(Error::BadParameter {
                name: "clean-pages",
                ..
            })
        ));
    }
}

/// A format without operations is an error, not a result: only plain LRU knows no writes.
#[test]
fn a_trace_that_cannot_tell_writes_is_refused_where_writes_are_weighed() {
    let reads = || source(&parse("R1 R2 R1"), 9).without_writes();
    for about in buffers() {
        let found = simulate_buffer(&mut reads(), about.name, 5, &[], &mut |_| true);
        if about.needs.is_empty() {
            assert_eq!(found.expect("a result").counters.misses, 2);
        } else {
            let (text, hint) = refusal(found);
            let said = format!(
                "trace `in memory`: its format does not distinguish writes from reads, and `{}` weighs one against the other",
                about.name
            );
            assert_eq!(text, said);
            assert!(hint.contains("has_writes"), "{hint}");
        }
    }
    let splits = simulate_splits(&mut reads(), 5, &[2], &mut |_| true);
    let spec = TwoStackSpec {
        pages: 5,
        distance: Distance::Raw,
        present_conditions: true,
    };
    let estimate = two_stack(&mut reads(), spec, &mut |_| true);
    for error in [splits.err(), estimate.err()] {
        assert!(matches!(
            error,
            Some(Error::BadParameter { name: "trace", .. })
        ));
    }
}

#[test]
fn options_reach_the_policies_of_pools() {
    let accesses = parse("R1 W2 R3 W2 R1 R4 R5 R1 W6 W7 R2 R1 R8 W6 R9 R3 R1");
    let with = |given: &[(&str, &str)]| buffer(&accesses, "fd_static", 4, given).counters;
    let clocks = [("clean_policy", "clock"), ("dirty_policy", "clock")];
    let gclocks = [
        ("clean_policy", "gclock"),
        ("clean_ceiling", "1"),
        ("dirty_policy", "GCLOCK"),
        ("dirty_ceiling", "1"),
    ];
    assert_eq!(with(&clocks), with(&gclocks));
    assert_ne!(with(&clocks), with(&[]));
}

#[test]
fn an_empty_trace_gives_zeros_and_a_refused_progress_cancels() {
    for about in buffers() {
        let result = buffer(&[], about.name, 5, &[]);
        assert_eq!(result.counters, BufferCounters::default());
        assert!(result.warnings.is_empty());
        let cancelled = simulate_buffer(
            &mut source(&[(1, true)], 9),
            about.name,
            5,
            &[],
            &mut |_| false,
        );
        assert!(matches!(cancelled, Err(Error::Cancelled)));
    }
    let found = estimate(&[], 5, Distance::Raw, true);
    assert_eq!(found.hits_clean, [0, 0, 0, 0]);
}

#[test]
fn a_capacity_far_above_the_distinct_pages_costs_no_memory() {
    let accesses = parse("R1 W2 R1 R3");
    for name in ["lru", "cflru", "cfdc", "fd_static"] {
        let result = buffer(&accesses, name, u32::MAX as usize, &[]);
        assert_eq!(result.counters.misses, 3, "{name}");
    }
}
