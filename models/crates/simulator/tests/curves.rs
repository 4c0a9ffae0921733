//! Sampled, windowed and parallel curves and sweeps against slow obvious models.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "counts of short traces"
)]

use std::collections::HashSet;

use proptest::prelude::*;
use tierwright_simulator::access::MemorySource;
use tierwright_simulator::curve::{
    CarriedWindows, Curves, FEWEST_ACCESSES, FEWEST_SAMPLED_PAGES, JoinedParts, Knot,
    MOST_CARRIED_WINDOWS, Part, PartOrigin, Sample, SampledCurves, WindowLength, curves,
    curves_in_batches, part_curves, part_ranges, sampled_curves, window_curves,
};
use tierwright_simulator::error::{Error, Result};
use tierwright_simulator::progress::Progress;
use tierwright_simulator::replay::{policies, schemes, simulate_policy};
use tierwright_simulator::sweep::{
    Configuration, MINIATURES, Outcome, REPLAYS_A_READ, Sweep, miniatures, sweep,
};

type Access = (u64, bool);

fn accesses(pages: u64, length: usize) -> impl Strategy<Value = Vec<Access>> {
    (1..pages, 0_u32..=4).prop_flat_map(move |(pages, write_quarters)| {
        let page = prop_oneof![0..pages, 0..pages.div_ceil(4)];
        let write = (0_u32..4).prop_map(move |draw| draw < write_quarters);
        prop::collection::vec((page, write), 0..length)
    })
}

fn source(accesses: &[Access], chunk: usize) -> MemorySource {
    MemorySource::new(accesses.iter().copied()).with_chunk_accesses(chunk)
}

/// Depth of each access in one unbounded LRU stack, the top being 1; none at first references.
fn depths(accesses: &[Access]) -> Vec<Option<usize>> {
    let mut stack: Vec<u64> = Vec::new();
    accesses
        .iter()
        .map(|&(page, _)| {
            let depth = stack.iter().position(|&other| other == page);
            if let Some(depth) = depth {
                stack.remove(depth);
            }
            stack.insert(0, page);
            depth.map(|depth| depth + 1)
        })
        .collect()
}

fn sampled(accesses: &[Access], chunk: usize, sample: Sample, seed: u64) -> Result<SampledCurves> {
    sampled_curves(&mut source(accesses, chunk), sample, seed, &mut |_| true)
}

fn at(knots: &[Knot], size: usize, of: impl Fn(&Knot) -> f64) -> f64 {
    let size = size as f64;
    let after = knots.partition_point(|knot| knot.pages <= size);
    let left = &knots[after - 1];
    let Some(right) = knots.get(after) else {
        return of(left);
    };
    of(left) + (size - left.pages) / (right.pages - left.pages) * (of(right) - of(left))
}

/// Misses and write-backs by window of one LRU cache, kept as a list, and write-backs still open at the end.
///
/// A write-back waits, from the eviction on, for the next write of its page.
fn carried_slowly(accesses: &[Access], size: usize, ends: &[usize]) -> (Vec<u64>, Vec<u64>, u64) {
    let mut cache: Vec<(u64, bool)> = Vec::new();
    let mut waiting: Vec<u64> = Vec::new();
    let (mut misses, mut write_backs) = (vec![0; ends.len()], vec![0; ends.len()]);
    for (at, &(page, write)) in accesses.iter().enumerate() {
        let window = ends.partition_point(|&end| end <= at);
        let place = cache.iter().position(|&(other, _)| other == page);
        let dirty = if let Some(place) = place {
            cache.remove(place).1
        } else {
            misses[window] += 1;
            false
        };
        if write && let Some(place) = waiting.iter().position(|&other| other == page) {
            waiting.remove(place);
            write_backs[window] += 1;
        }
        cache.insert(0, (page, dirty || write));
        if cache.len() > size
            && let Some((page, true)) = cache.pop()
        {
            waiting.push(page);
        }
    }
    (misses, write_backs, waiting.len() as u64)
}

/// Misses and write-backs of one LRU cache in the second pass of two over a trace.
fn second_pass_slowly(accesses: &[Access], size: usize) -> (u64, u64) {
    let twice = accesses.repeat(2);
    let [once, both] = [accesses, &twice].map(|trace| {
        let (misses, write_backs, open) = carried_slowly(trace, size, &[trace.len()]);
        (misses[0], write_backs[0] + open)
    });
    (both.0 - once.0, both.1 - once.1)
}

fn check_carried(accesses: &[Access], windows: &CarriedWindows) {
    let ends: Vec<usize> = windows
        .accesses
        .iter()
        .scan(0, |sum, &count| {
            *sum += count as usize;
            Some(*sum)
        })
        .collect();
    assert_eq!(ends.last().copied().unwrap_or(0), accesses.len());
    for (at, &size) in windows.pages.iter().enumerate() {
        let (misses, write_backs, open) = carried_slowly(accesses, size as usize, &ends);
        let column =
            |counts: &[Vec<u64>]| counts.iter().map(|window| window[at]).collect::<Vec<_>>();
        assert_eq!(column(&windows.misses), misses, "{size}");
        assert_eq!(column(&windows.write_backs), write_backs, "{size}");
        assert_eq!(windows.open_write_backs[at], open, "{size}");
        // First accesses miss around the end, and what no write ended is ended there.
        let first: u64 = windows.first_references.iter().sum();
        let again = misses.iter().sum::<u64>() - first;
        let looped = (
            again + windows.wrapped_misses[at],
            write_backs.iter().sum::<u64>() + windows.wrapped_write_backs[at],
        );
        assert_eq!(
            looped,
            second_pass_slowly(accesses, size as usize),
            "{size}"
        );
    }
}

#[test]
fn windows_of_a_long_trace_are_joined_in_twos() {
    let trace: Vec<Access> = long_trace()
        .into_iter()
        .map(|(page, write)| (page % 50, write))
        .take(40_000)
        .collect();
    let found = curves(&mut source(&trace, 999), &mut |_| true)
        .unwrap()
        .windows;
    let lengths = &found.accesses;
    assert_eq!(
        lengths.len(),
        trace.len().div_ceil(2 * FEWEST_ACCESSES as usize)
    );
    assert!(lengths.len() < MOST_CARRIED_WINDOWS);
    assert!(
        lengths[..lengths.len() - 1]
            .iter()
            .all(|&each| each == 2 * FEWEST_ACCESSES)
    );
    check_carried(&trace, &found);
}

#[test]
fn a_sample_of_everything_has_the_windows_of_the_curves() {
    let trace: Vec<Access> = long_trace().into_iter().take(9_000).collect();
    let exact = curves(&mut source(&trace, 99), &mut |_| true).unwrap();
    let all = Sample::Pages(exact.distinct_pages.max(FEWEST_SAMPLED_PAGES));
    for sample in [Sample::Rate(1.0), all] {
        assert_eq!(
            sampled(&trace, 99, sample, 3).unwrap().windows,
            exact.windows
        );
    }
    let half = sampled(&trace, 99, Sample::Rate(0.5), 3).unwrap().windows;
    assert_eq!(half.accesses, exact.windows.accesses);
    assert_eq!(half.pages, exact.windows.pages);
}

/// Zipf-like accesses over many pages, with a loop now and then.
fn long_trace() -> Vec<Access> {
    let mut state = 12345_u64;
    let mut draw = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut trace = Vec::new();
    for round in 0..60_000_u64 {
        let bits = draw() % 15;
        let page = draw() % (1 << bits);
        trace.push((page, draw().is_multiple_of(3)));
        if round % 7 == 0 {
            trace.push((1_000_000 + round / 7 % 3000, false));
        }
    }
    trace
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn two_threads_give_the_curves_of_one(
        accesses in accesses(600, 3000), chunk in 1_usize..60, batch in 1_usize..200,
    ) {
        let serial = curves(&mut source(&accesses, chunk), &mut |_| true).unwrap();
        let parallel =
            curves_in_batches(&mut source(&accesses, chunk), batch, 1, &mut |_| true).unwrap();
        prop_assert_eq!(serial, parallel);
    }

    #[test]
    fn windows_beside_the_curves_are_those_of_single_caches(
        accesses in accesses(60, 1200), chunk in 1_usize..700,
    ) {
        let found = curves(&mut source(&accesses, chunk), &mut |_| true).unwrap();
        check_carried(&accesses, &found.windows);
    }

    #[test]
    fn windows_count_the_misses_of_their_own_accesses(
        accesses in accesses(60, 400), chunk in 1_usize..90, length in 1_u64..150,
    ) {
        let fast = window_curves(
            &mut source(&accesses, chunk), WindowLength::Accesses(length), &[], &mut |_| true,
        ).unwrap();
        let depths = depths(&accesses);
        let step = usize::try_from(length).unwrap();
        prop_assert_eq!(fast.windows.len(), accesses.len().div_ceil(step));
        for (number, window) in fast.windows.iter().enumerate() {
            let own = &depths[number * step..accesses.len().min((number + 1) * step)];
            prop_assert_eq!(window.accesses as usize, own.len());
            let first = own.iter().filter(|depth| depth.is_none()).count();
            prop_assert_eq!(window.first_references as usize, first);
            let own = &accesses[number * step..accesses.len().min((number + 1) * step)];
            let written: HashSet<_> = own.iter().filter(|access| access.1).map(|access| access.0).collect();
            prop_assert_eq!(window.pages_written as usize, written.len());
            let own = &depths[number * step..accesses.len().min((number + 1) * step)];
            for (&size, &misses) in fast.pages.iter().zip(&window.misses) {
                let slow = own.iter().filter(|depth| depth.is_none_or(|depth| depth as u64 > size));
                prop_assert_eq!(misses as usize, slow.count());
            }
        }
        let whole = curves(&mut source(&accesses, chunk), &mut |_| true).unwrap();
        for (at, &size) in fast.pages.iter().enumerate() {
            let sum: u64 = fast.windows.iter().map(|window| window.misses[at]).sum();
            prop_assert_eq!(sum, whole.misses[size as usize - 1]);
        }
        prop_assert_eq!(fast.pages.last().copied().unwrap_or(0), whole.distinct_pages);
    }

    #[test]
    fn a_sample_of_everything_is_exact(accesses in accesses(90, 500), chunk in 1_usize..90) {
        let exact = curves(&mut source(&accesses, chunk), &mut |_| true).unwrap();
        let bound = Sample::Pages(FEWEST_SAMPLED_PAGES.max(exact.distinct_pages));
        for sample in [Sample::Rate(1.0), bound] {
            let found = sampled(&accesses, chunk, sample, 7).unwrap();
            prop_assert_eq!(found.sampled_accesses, exact.accesses);
            for (index, (&misses, &backs)) in exact.misses.iter().zip(&exact.write_backs).enumerate() {
                let estimate = at(&found.knots, index + 1, |knot| knot.misses[0]);
                prop_assert!((estimate - misses as f64).abs() < 1e-6, "{} {estimate} {misses}", index + 1);
                let estimate = at(&found.knots, index + 1, |knot| knot.write_backs[0]);
                prop_assert!((estimate - backs as f64).abs() < 1e-6, "{} {estimate} {backs}", index + 1);
            }
        }
    }

    #[test]
    fn a_sweep_has_the_results_of_single_replays(
        accesses in accesses(60, 400), chunk in 1_usize..60, threads in 1_usize..4,
    ) {
        let configurations = some_configurations();
        let found = swept(&accesses, chunk, &configurations, threads, &mut |_| true);
        prop_assert!(!found.cancelled);
        for (row, configuration) in found.rows.into_iter().zip(&configurations) {
            prop_assert!(row.complete);
            let single = configuration.replay(&mut source(&accesses, 1000), &mut |_| true).unwrap();
            prop_assert_eq!(row.outcome.unwrap(), single);
        }
    }
}

fn some_configurations() -> Vec<Configuration> {
    let mut configurations = Vec::new();
    for pages in [1, 7, 30] {
        for about in policies() {
            configurations.push(Configuration::Policy {
                policy: about.name.to_owned(),
                pages,
                options: Vec::new(),
            });
        }
        for about in schemes() {
            configurations.push(Configuration::Scheme {
                scheme: about.name.to_owned(),
                ram_pages: pages,
                flash_pages: 2 * pages,
                options: Vec::new(),
            });
        }
    }
    configurations
}

fn swept(
    accesses: &[Access],
    chunk: usize,
    configurations: &[Configuration],
    threads: usize,
    on_progress: &mut dyn FnMut(Progress) -> bool,
) -> Sweep {
    sweep(
        &mut || Ok(source(accesses, chunk)),
        configurations,
        threads,
        on_progress,
    )
    .expect("possible configurations")
}

fn lru(pages: u64) -> Configuration {
    Configuration::Policy {
        policy: "lru".to_owned(),
        pages,
        options: Vec::new(),
    }
}

#[test]
fn a_cancelled_sweep_keeps_what_it_has() {
    let trace: Vec<Access> = (0..1000).map(|page| (page % 90, page % 3 == 0)).collect();
    let configurations: Vec<_> = (1..=REPLAYS_A_READ as u64 + 5).map(lru).collect();
    let (mut reads, mut before) = (1, 0);
    // 9 windows of 16 chunks a read: cancels in the third window of the second read.
    let found = swept(&trace, 7, &configurations, 2, &mut |progress| {
        reads += u64::from(progress.accesses < before);
        before = progress.accesses;
        reads < 2 || progress.accesses < 3 * 16 * 7
    });
    assert!(found.cancelled);
    assert_eq!(found.reads, 2);
    assert_eq!(found.rows.len(), configurations.len());
    for (index, row) in found.rows.iter().enumerate() {
        let Ok(Outcome::Policy(result)) = &row.outcome else {
            panic!("row {index} has no result");
        };
        assert_eq!(row.complete, index < REPLAYS_A_READ, "row {index}");
        let read = if row.complete { 1000 } else { 3 * 16 * 7 };
        assert_eq!(result.accesses, read, "row {index}");
        let part = &trace[..usize::try_from(read).unwrap()];
        let pages = index as u64 + 1;
        let single =
            simulate_policy(&mut source(part, 50), "lru", pages, &[], &mut |_| true).unwrap();
        assert_eq!(*result, single);
    }
}

#[test]
fn a_bad_configuration_is_named_before_anything_is_read() {
    let bad = Configuration::Policy {
        policy: "nonsense".to_owned(),
        pages: 5,
        options: Vec::new(),
    };
    let mut opened = false;
    let error = sweep(
        &mut || {
            opened = true;
            Ok(source(&[], 1))
        },
        &[lru(1), bad],
        2,
        &mut |_| true,
    )
    .unwrap_err();
    assert!(!opened);
    assert!(error.to_string().contains("configuration 2"), "{error}");
    assert!(error.hint().contains("lru"), "{}", error.hint());
}

#[test]
fn a_sample_of_fixed_size_estimates_the_curve() {
    let trace = long_trace();
    let small = sampled(&trace, 5000, Sample::Pages(500), 3).unwrap();
    assert_eq!(small.sampled_pages, 500);
    let exact = curves(&mut source(&trace, 5000), &mut |_| true).unwrap();
    let total = trace.len() as f64;
    let mut error = 0.0;
    for size in (100..exact.misses.len()).step_by(100) {
        let estimate = at(&small.knots, size, |knot| knot.misses[0]);
        error += (estimate - exact.misses[size - 1] as f64).abs() / total;
    }
    error /= (exact.misses.len() / 100) as f64;
    assert!(error < 0.03, "mean absolute error {error}");
}

#[test]
fn seeds_choose_samples_and_nothing_else_does() {
    let trace = long_trace();
    let first = sampled(&trace, 5000, Sample::Rate(0.1), 1).unwrap();
    assert_eq!(first, sampled(&trace, 333, Sample::Rate(0.1), 1).unwrap());
    assert_ne!(
        first.knots,
        sampled(&trace, 5000, Sample::Rate(0.1), 2).unwrap().knots
    );
}

#[test]
fn intervals_cover_the_exact_counts() {
    let trace = long_trace();
    let exact = curves(&mut source(&trace, 5000), &mut |_| true).unwrap();
    let (mut covered, mut covered_backs, mut all) = (0, 0, 0);
    for seed in 0..12 {
        let found = sampled(&trace, 5000, Sample::Rate(0.1), seed).unwrap();
        for size in (1..=exact.misses.len()).step_by(97) {
            let inside = |of: &dyn Fn(&Knot) -> [f64; 3], count: u64| {
                at(&found.knots, size, |knot| of(knot)[1]) <= count as f64 + 0.5
                    && count as f64 - 0.5 <= at(&found.knots, size, |knot| of(knot)[2])
            };
            covered += usize::from(inside(&|knot| knot.misses, exact.misses[size - 1]));
            covered_backs += usize::from(inside(
                &|knot| knot.write_backs,
                exact.write_backs[size - 1],
            ));
            all += 1;
        }
    }
    assert!(covered * 100 >= 92 * all, "{covered} of {all}");
    assert!(covered_backs * 100 >= 92 * all, "{covered_backs} of {all}");
}

#[test]
fn miniatures_estimate_what_a_replay_counts() {
    let trace = long_trace();
    let configurations = [lru(3000), some_scheme("lazy", 1000, 5000)];
    let found = miniatures(
        &mut || Ok(source(&trace, 5000)),
        &configurations,
        0.8,
        1,
        2,
        &mut |_| true,
    )
    .unwrap();
    assert!(!found.cancelled);
    for (miniature, configuration) in found.rows.iter().zip(&configurations) {
        let miniature = miniature.as_ref().unwrap();
        let exact = configuration
            .replay(&mut source(&trace, 5000), &mut |_| true)
            .unwrap();
        assert_eq!(miniature.accesses, trace.len() as u64);
        for (estimate, (name, count)) in miniature.counters.iter().zip(exact.counters()) {
            assert_eq!(estimate.name, name);
            let [low, high] = estimate.interval.expect("caches are large enough");
            assert!(
                low <= estimate.value && estimate.value <= high,
                "{estimate:?}"
            );
            let gap = (estimate.value - count as f64).abs() / trace.len() as f64;
            assert!(gap < 0.05, "{estimate:?} {count}");
        }
    }
    let rate = found.rows[0].as_ref().unwrap().rate;
    assert!((rate * f64::from(MINIATURES) - 0.8).abs() < 1e-12);
}

/// A scan over and over misses everything, so a directory is asked more than once an access.
#[test]
fn what_happens_more_than_once_an_access_is_not_cut_off() {
    let trace: Vec<Access> = (0..60_000).map(|at| (at % 6000, at % 2 == 0)).collect();
    let configurations = [
        some_scheme("lazy", 400, 2000),
        some_scheme("inclusive", 400, 2000),
    ];
    let mut open = || Ok(source(&trace, 5000));
    let found = miniatures(&mut open, &configurations, 0.8, 1, 2, &mut |_| true).unwrap();
    let mut above = 0;
    for (miniature, configuration) in found.rows.into_iter().zip(&configurations) {
        let exact = configuration
            .replay(&mut source(&trace, 5000), &mut |_| true)
            .unwrap();
        for (estimate, (name, count)) in miniature.unwrap().counters.iter().zip(exact.counters()) {
            above += usize::from(count > trace.len() as u64);
            let gap = (estimate.value - count as f64).abs() / trace.len() as f64;
            assert!(gap < 0.1, "{name}: {estimate:?}, exactly {count}");
        }
    }
    assert!(above > 0, "the trace does not show it");
}

#[test]
fn a_cancelled_sweep_by_miniatures_keeps_whole_reads() {
    let trace = long_trace();
    // Each sample is replayed at three sizes, for how rough the counts are around its own.
    let in_a_read = REPLAYS_A_READ / (3 * MINIATURES as usize);
    let configurations: Vec<_> = (0..=in_a_read as u64).map(|at| lru(1000 + at)).collect();
    let opened = std::cell::Cell::new(0);
    let mut open = || {
        opened.set(opened.get() + 1);
        Ok(source(&trace, 5000))
    };
    // Cancels in the second read, however often each of them is reported.
    let found = miniatures(&mut open, &configurations, 0.8, 1, 2, &mut |_| {
        opened.get() < 2
    })
    .unwrap();
    assert!(found.cancelled);
    assert_eq!(found.rows.len(), in_a_read);
    assert!(found.rows.iter().all(Result::is_ok));
}

#[test]
fn a_sample_without_pages_fails_alone() {
    let trace: Vec<Access> = vec![(1, true); 100];
    let mut open = || Ok(source(&trace, 50));
    let found = miniatures(&mut open, &[lru(5)], 1e-6, 1, 2, &mut |_| true).unwrap();
    assert!(found.rows[0].is_err());
}

#[test]
fn warnings_of_miniatures_speak_of_the_whole() {
    let trace = long_trace();
    let small_flash = [some_scheme("inclusive", 4000, 1000)];
    let mut open = || Ok(source(&trace, 5000));
    let found = miniatures(&mut open, &small_flash, 0.8, 1, 2, &mut |_| true).unwrap();
    let exact = small_flash[0]
        .replay(&mut source(&trace, 5000), &mut |_| true)
        .unwrap();
    assert_eq!(found.rows[0].as_ref().unwrap().warnings, exact.warnings());
    assert!(!exact.warnings().is_empty());
}

#[test]
fn what_needs_addresses_or_is_a_chooser_shares_the_read() {
    let trace: Vec<Access> = (0..5000_u64)
        .map(|at| ((at * at) % 700, at % 3 == 0))
        .collect();
    let of = |options: &[(&str, &str)]| {
        let owned = options.iter();
        owned
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    };
    let times = [
        ("flash_read_us", "50"),
        ("flash_write_us", "200"),
        ("disk_read_us", "5000"),
        ("disk_write_us", "6000"),
        ("period", "500"),
        ("scope", "relation"),
    ];
    let configurations = [
        Configuration::Buffer {
            buffer: "cfdc".to_owned(),
            pages: 60,
            options: of(&[]),
        },
        Configuration::Chooser {
            chooser: "online".to_owned(),
            ram_pages: 50,
            flash_pages: 200,
            options: of(&times),
        },
        Configuration::FlashCache {
            flash_cache: "face".to_owned(),
            ram_pages: 50,
            flash_pages: 200,
            options: of(&[("crash_at", "1234")]),
        },
        lru(50),
    ];
    let found = swept(&trace, 97, &configurations, 2, &mut |_| true);
    for (row, configuration) in found.rows.into_iter().zip(&configurations) {
        assert!(row.complete);
        let alone = configuration
            .replay(&mut source(&trace, 1000), &mut |_| true)
            .unwrap();
        assert_eq!(row.outcome.unwrap(), alone);
    }
    // A crash after the end of the trace fails, and only that.
    let late = Configuration::FlashCache {
        flash_cache: "face".to_owned(),
        ram_pages: 50,
        flash_pages: 200,
        options: of(&[("crash_at", "5001")]),
    };
    let found = swept(&trace, 97, &[late, lru(50)], 2, &mut |_| true);
    assert!(found.rows[0].outcome.is_err() && !found.rows[0].complete);
    assert!(found.rows[1].complete);
}

fn some_scheme(name: &str, ram_pages: u64, flash_pages: u64) -> Configuration {
    Configuration::Scheme {
        scheme: name.to_owned(),
        ram_pages,
        flash_pages,
        options: Vec::new(),
    }
}

#[test]
fn impossible_samples_and_windows_are_refused() {
    let trace = [(1, true), (2, false), (1, false)];
    for rate in [0.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
        let error = sampled(&trace, 10, Sample::Rate(rate), 0).unwrap_err();
        assert!(
            matches!(
                error,
                Error::BadParameter {
                    name: "sample-rate",
                    ..
                }
            ),
            "{error}"
        );
    }
    assert!(sampled(&trace, 10, Sample::Pages(3), 0).is_err());
    let none = sampled(&trace, 10, Sample::Rate(1e-9), 0).unwrap_err();
    assert!(none.to_string().contains("none of the 2 pages"), "{none}");
    for length in [
        WindowLength::Accesses(0),
        WindowLength::Nanoseconds(0),
        WindowLength::Nanoseconds(5),
    ] {
        assert!(window_curves(&mut source(&trace, 10), length, &[], &mut |_| true).is_err());
    }
    let empty = sampled(&[], 10, Sample::Rate(0.01), 0).unwrap();
    assert_eq!((empty.accesses, empty.distinct_pages), (0, 0));
}

#[test]
fn every_pass_can_be_cancelled() {
    let trace = long_trace();
    let stop: &mut dyn FnMut(Progress) -> bool = &mut |_| false;
    let found = [
        curves_in_batches(&mut source(&trace, 99), 2, 1000, stop).map(|_| ()),
        sampled_curves(&mut source(&trace, 99), Sample::Rate(0.5), 0, stop).map(|_| ()),
        window_curves(
            &mut source(&trace, 99),
            WindowLength::Accesses(9),
            &[],
            stop,
        )
        .map(|_| ()),
    ];
    for result in found {
        assert!(matches!(result, Err(Error::Cancelled)), "{result:?}");
    }
}

/// The parts of a trace that is cut before these accesses, read back from files.
fn parts(accesses: &[Access], cuts: &[usize], chunk: usize) -> Vec<Part> {
    let folder = tempfile::tempdir().expect("a folder");
    let ends = cuts.iter().copied().chain([accesses.len()]);
    let mut first = 0;
    ends.map(|end| {
        let origin = PartOrigin {
            first_access: first as u64,
            trace_accesses: accesses.len() as u64,
        };
        let source = &mut source(&accesses[first..end], chunk);
        let part = part_curves(source, origin, 4096, None, &mut |_| true).expect("a part");
        first = end;
        let path = folder.path().join("a.part");
        part.write(&path, "kept").expect("a part");
        let (read, notes) = Part::read(&path).expect("a part");
        assert_eq!(read, part);
        assert_eq!(notes, "kept");
        read
    })
    .collect()
}

fn one_after_another(parts: &[Part]) -> Curves {
    let mut joined = JoinedParts::new(parts[0].clone());
    for part in &parts[1..] {
        joined.add(part).expect("a part");
    }
    joined.into_curves().expect("a part")
}

/// Neighbours in twos, then those, until one is left.
fn in_twos(mut parts: Vec<Part>) -> Curves {
    while parts.len() > 1 {
        parts = parts
            .chunks(2)
            .map(|neighbours| {
                let mut joined = JoinedParts::new(neighbours[0].clone());
                for part in &neighbours[1..] {
                    joined.add(part).expect("a part");
                }
                joined.into_part()
            })
            .collect();
    }
    JoinedParts::new(parts.remove(0))
        .into_curves()
        .expect("a part")
}

proptest! {
    #[test]
    fn parts_join_to_the_curves_of_the_whole(
        trace in accesses(40, 400),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        chunk in 1_usize..70,
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(trace.len() + 1)).collect();
        cuts.sort_unstable();
        let whole = curves(&mut source(&trace, 64), &mut |_| true).unwrap();
        let parts = parts(&trace, &cuts, chunk);
        prop_assert_eq!(&one_after_another(&parts), &whole);
        prop_assert_eq!(&in_twos(parts), &whole);
    }
}

#[test]
fn parts_of_a_long_trace_have_the_windows_of_the_whole() {
    let trace = long_trace();
    for length in [128 * 256 - 1, 128 * 256, 128 * 256 + 1, trace.len()] {
        let trace = &trace[..length.min(trace.len())];
        let whole = curves(&mut source(trace, 64), &mut |_| true).unwrap();
        let cuts = [
            trace.len() / 7,
            trace.len() / 7 + 3,
            trace.len() / 2,
            trace.len() - 1,
        ];
        let parts = parts(trace, &cuts, 1000);
        assert_eq!(one_after_another(&parts), whole, "{length}");
        assert_eq!(in_twos(parts), whole, "{length}");
    }
}

#[test]
fn parts_that_are_no_neighbours_are_refused() {
    let trace: Vec<Access> = (0..50).map(|at| (at % 7, at % 3 == 0)).collect();
    let parts = parts(&trace, &[20, 30], 64);
    let mut joined = JoinedParts::new(parts[0].clone());
    let error = joined.add(&parts[2]).unwrap_err().to_string();
    assert!(
        error.contains("the next part begins at access 20 of 50, this one at 30 of 50"),
        "{error}"
    );
    joined.add(&parts[1]).unwrap();
    let error = joined.into_curves().unwrap_err().to_string();
    assert!(
        error.contains("the parts reach from access 0 to 30 of 50"),
        "{error}"
    );
    let whole = JoinedParts::new(parts[1].clone()).into_curves();
    assert!(
        whole
            .unwrap_err()
            .to_string()
            .contains("from access 20 to 30 of 50")
    );
}

proptest! {
    #[test]
    fn a_damaged_part_is_refused(
        trace in accesses(20, 120),
        place in any::<prop::sample::Index>(),
        flip in 1_u8..=255,
        cut in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.part");
        let origin = PartOrigin { first_access: 0, trace_accesses: trace.len() as u64 };
        part_curves(&mut source(&trace, 64), origin, 4096, None, &mut |_| true)
            .unwrap()
            .write(&path, "")
            .unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let at = place.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] ^= flip;
        }
        std::fs::write(&path, bytes).unwrap();
        prop_assert!(Part::read(&path).is_err());
    }
}

/// The parts of a trace by ranges of the hash of its pages, joined range by range.
fn of_ranges(accesses: &[Access], cuts: &[usize], ranges: u32) -> Vec<Curves> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.part");
    let mut joined: Vec<Option<JoinedParts>> = (0..ranges).map(|_| None).collect();
    let mut first = 0;
    for end in cuts.iter().copied().chain([accesses.len()]) {
        let origin = PartOrigin {
            first_access: first as u64,
            trace_accesses: accesses.len() as u64,
        };
        let source = &mut source(&accesses[first..end], 64);
        let parts = part_ranges(source, origin, 4096, [ranges, ranges], &mut |_| true);
        for (joined, part) in joined.iter_mut().zip(parts.expect("parts")) {
            part.write(&path, "").expect("a part");
            let (read, _) = Part::read(&path).expect("a part");
            assert_eq!(read, part);
            match joined {
                Some(joined) => joined.add(&read).expect("a part"),
                None => *joined = Some(JoinedParts::new(read)),
            }
        }
        first = end;
    }
    let joined = joined.into_iter().flatten();
    joined
        .map(|joined| joined.into_curves().expect("all parts"))
        .collect()
}

proptest! {
    /// Each range has the exact curves of the accesses to its pages, and all follow every page once.
    #[test]
    fn ranges_of_pages_cover_the_trace(
        trace in accesses(60, 400),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        ranges in 1_u32..9,
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(trace.len() + 1)).collect();
        cuts.sort_unstable();
        let whole = curves(&mut source(&trace, 64), &mut |_| true).unwrap();
        let found = of_ranges(&trace, &cuts, ranges);
        let sum = |of: fn(&Curves) -> u64| found.iter().map(of).sum::<u64>();
        prop_assert_eq!(sum(|one| one.accesses), whole.accesses);
        prop_assert_eq!(sum(|one| one.write_accesses), whole.write_accesses);
        prop_assert_eq!(sum(|one| one.distinct_pages), whole.distinct_pages);
        if ranges == 1 {
            prop_assert_eq!(&found[0], &whole);
        }
        // Whatever the range of a page, it is that of all its accesses: a trace of the same pages in one part
        // has the same ranges.
        prop_assert_eq!(&of_ranges(&trace, &[], ranges), &found);
        // The accesses of one page alone, all others left out, lie in one range.
        if let Some(&first) = trace.first() {
            let alone = trace.iter().copied().filter(|access| access.0 == first.0);
            let alone: Vec<Access> = alone.collect();
            let found = of_ranges(&alone, &[], ranges);
            let filled: Vec<&Curves> = found.iter().filter(|one| one.accesses > 0).collect();
            prop_assert_eq!(filled.len(), 1);
            prop_assert_eq!(filled[0].accesses, alone.len() as u64);
        }
    }
}

#[test]
fn windows_of_ranges_are_those_of_the_trace() {
    let trace = long_trace();
    let whole = curves(&mut source(&trace, 64), &mut |_| true).unwrap();
    let found = of_ranges(&trace, &[trace.len() / 3], 4);
    for (at, &accesses) in whole.windows.accesses.iter().enumerate() {
        assert!(found.iter().all(|one| one.windows.accesses[at] == accesses));
        let first = found.iter().map(|one| one.windows.first_references[at]);
        assert_eq!(first.sum::<u64>(), whole.windows.first_references[at]);
    }
}
