//! Warm-ups: what is counted is the whole replay without its head, in every replay there is.

use std::collections::HashSet;

use proptest::prelude::*;
use tierwright_simulator::access::MemorySource;
use tierwright_simulator::error::Error;
use tierwright_simulator::replay::buffers::{buffers, simulate_splits};
use tierwright_simulator::replay::{
    Need, choosers, flash_caches, policies, schemes, simulate_policy,
};
use tierwright_simulator::sweep::{Configuration, Outcome, miniatures, sweep};

type Access = (u64, bool);

fn accesses() -> impl Strategy<Value = Vec<Access>> {
    let page = prop_oneof![3 => 0_u64..60, 2 => 0_u64..12];
    prop::collection::vec((page, prop::bool::weighted(0.3)), 2..300)
}

fn source(accesses: &[Access]) -> MemorySource {
    MemorySource::new(accesses.iter().copied())
        .with_chunk_accesses(37)
        .with_spaces(|page| u32::from(page % 3 == 0))
}

fn owned(options: &[(&str, &str)]) -> Vec<(String, String)> {
    let own = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    options.iter().map(own).collect()
}

fn scheme(name: &str, options: &[(&str, &str)]) -> Configuration {
    Configuration::Scheme {
        scheme: name.to_owned(),
        ram_pages: 7,
        flash_pages: 20,
        options: owned(options),
    }
}

/// Everything that can be replayed without knowing the future: of that a prefix knows less.
fn configurations() -> Vec<Configuration> {
    let mut all = Vec::new();
    let foreseeing = |needs: &[Need]| needs.contains(&Need::Future);
    for about in policies().iter().filter(|about| !foreseeing(about.needs)) {
        all.push(Configuration::Policy {
            policy: about.name.to_owned(),
            pages: 9,
            options: Vec::new(),
        });
        all.push(scheme(
            "lazy",
            &[("ram_policy", about.name), ("flash_policy", about.name)],
        ));
    }
    for about in schemes() {
        all.push(scheme(about.name, &[]));
        all.push(Configuration::Scheme {
            scheme: about.name.to_owned(),
            ram_pages: 7,
            flash_pages: 0,
            options: Vec::new(),
        });
    }
    for name in ["inclusive", "exclusive", "lazy"] {
        all.push(scheme(name, &[("block_pages", "4")]));
    }
    let invalidating = ("block_technique", "invalidating");
    all.push(scheme("lazy", &[("block_pages", "4"), invalidating]));
    all.push(scheme("lazy", &[("admission", "clean_only")]));
    for about in buffers() {
        let window = ("window", "50");
        let advised = about.options.iter().any(|option| option.name == window.0);
        all.push(Configuration::Buffer {
            buffer: about.name.to_owned(),
            pages: 9,
            options: if advised {
                owned(&[window])
            } else {
                Vec::new()
            },
        });
    }
    for about in flash_caches() {
        for ram_policy in ["lru", "2q"] {
            // What works by time needs a rate: these traces have none.
            let rate = ("accesses_per_second", "40");
            let mut options = vec![("ram_policy", ram_policy)];
            let known = about.options();
            options.extend(
                known
                    .iter()
                    .any(|option| option.name == rate.0)
                    .then_some(rate),
            );
            all.push(Configuration::FlashCache {
                flash_cache: about.about.name.to_owned(),
                ram_pages: 7,
                flash_pages: 20,
                options: owned(&options),
            });
        }
    }
    let times = [
        ("flash_read_us", "10"),
        ("flash_write_us", "30"),
        ("disk_read_us", "900"),
        ("disk_write_us", "700"),
        ("period", "20"),
        ("patience", "1"),
        ("hysteresis", "0"),
    ];
    for scope in ["global", "relation"] {
        let mut options = owned(&times);
        options.push(("scope".to_owned(), scope.to_owned()));
        let mut behind = options.clone();
        behind.extend(owned(&[
            ("admission", "cachesack"),
            ("assignment", "second_miss"),
        ]));
        for options in [options, behind] {
            for about in choosers() {
                all.push(Configuration::Chooser {
                    chooser: about.name.to_owned(),
                    ram_pages: 7,
                    flash_pages: 20,
                    options: options.clone(),
                });
            }
        }
    }
    all
}

/// Every count of a result that adds up, by name.
const UNIQUE: &str = "unique_pages";

fn counts(outcome: &Outcome) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> = outcome
        .counters()
        .into_iter()
        // Pages of the head and of the rest are in part the same ones.
        .filter(|&(name, _)| name != UNIQUE)
        .map(|(name, count)| (name.to_owned(), count))
        .collect();
    let mut add = |name: &str, count| all.push((name.to_owned(), count));
    match outcome {
        Outcome::Policy(result) => {
            add("accesses", result.accesses);
            add("write_accesses", result.write_accesses);
        }
        Outcome::Scheme(result) => {
            add("accesses", result.accesses);
            add("write_accesses", result.write_accesses);
            for (name, count) in result.blocks.iter().flat_map(|of| of.counters.named()) {
                add(&format!("blocks {name}"), count);
            }
        }
        Outcome::Buffer(result) => {
            add("accesses", result.accesses);
            add("write_accesses", result.write_accesses);
            add("windows", result.windows);
        }
        Outcome::Chooser(result) => {
            add("accesses", result.accesses);
            add("write_accesses", result.write_accesses);
            add("switches", result.switches);
        }
        Outcome::FlashCache(result) => {
            add("accesses", result.accesses);
            add("write_accesses", result.write_accesses);
        }
    }
    all
}

fn replay(configuration: &Configuration, mut source: MemorySource) -> Outcome {
    let found = configuration.replay(&mut source, &mut |_| true);
    found.unwrap_or_else(|error| panic!("{configuration:?}: {error}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_counted_is_the_whole_without_its_head(
        accesses in accesses(),
        share in 0.0_f64..1.0,
    ) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "below 300")]
        let warm_up = (share * accesses.len() as f64) as usize;
        for configuration in configurations() {
            let whole = counts(&replay(&configuration, source(&accesses)));
            let head = counts(&replay(&configuration, source(&accesses[..warm_up])));
            let behind = replay(&configuration, source(&accesses).with_warm_up(warm_up as u64));
            let expected: Vec<_> = whole
                .into_iter()
                .zip(head)
                .map(|((name, all), (_, before))| (name, all - before))
                .collect();
            prop_assert_eq!(counts(&behind), expected, "{:?}", configuration);
            if let Some((_, unique)) = behind.counters().into_iter().find(|&(name, _)| name == UNIQUE) {
                let pages: HashSet<u64> = accesses[warm_up..].iter().map(|&(page, _)| page).collect();
                prop_assert_eq!(unique, pages.len() as u64);
            }
        }
    }

    /// The future is that of the whole trace, so that of a head does not say it: a slow OPT does.
    #[test]
    fn a_policy_that_knows_the_future_warms_up_with_it(
        accesses in accesses(),
        pages in 1_usize..15,
        share in 0.0_f64..1.0,
    ) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "below 300")]
        let warm_up = (share * accesses.len() as f64) as usize;
        let mut held: Vec<u64> = Vec::new();
        let mut missed = 0;
        for (at, &(page, _)) in accesses.iter().enumerate() {
            if held.contains(&page) {
                continue;
            }
            missed += u64::from(at >= warm_up);
            if held.len() == pages {
                let next = |held: u64| {
                    let rest = accesses[at..].iter().position(|&(later, _)| later == held);
                    rest.unwrap_or(usize::MAX)
                };
                let farthest = (0..pages).max_by_key(|&place| next(held[place])).unwrap();
                held.swap_remove(farthest);
            }
            held.push(page);
        }
        let mut behind = source(&accesses).with_warm_up(warm_up as u64);
        let found = simulate_policy(&mut behind, "opt", pages as u64, &[], &mut |_| true).unwrap();
        prop_assert_eq!(found.misses, missed);
        prop_assert_eq!(found.accesses, (accesses.len() - warm_up) as u64);
        prop_assert_eq!(found.warm_up.accesses, warm_up as u64);
    }
}

fn mixed(count: u64) -> Vec<Access> {
    let page = |at: u64| at * at % 71 % (20 + at / 40);
    (0..count).map(|at| (page(at), at % 3 == 0)).collect()
}

#[test]
fn a_sweep_warms_up_as_each_replay_alone() {
    let accesses = mixed(2000);
    let warm = || source(&accesses).with_warm_up(777);
    let configurations = configurations();
    let swept = sweep(&mut || Ok(warm()), &configurations, 2, &mut |_| true).unwrap();
    for (row, configuration) in swept.rows.iter().zip(&configurations) {
        let alone = counts(&replay(configuration, warm()));
        assert_eq!(counts(row.outcome.as_ref().unwrap()), alone);
        assert!(row.complete);
    }
}

#[test]
fn a_sweep_that_was_cancelled_in_the_warm_up_has_counted_nothing() {
    let accesses = mixed(400_000);
    let configurations = [Configuration::Policy {
        policy: "lru".to_owned(),
        pages: 5,
        options: Vec::new(),
    }];
    let open = &mut || Ok(source(&accesses).with_warm_up(399_999));
    let swept = sweep(open, &configurations, 1, &mut |_| false).unwrap();
    assert!(swept.cancelled);
    let Ok(Outcome::Policy(row)) = &swept.rows[0].outcome else {
        panic!("{:?}", swept.rows[0]);
    };
    assert!(row.warm_up.accesses > 0 && row.warm_up.accesses < 399_999);
    assert_eq!((row.accesses, row.misses, row.evictions), (0, 0, 0));
}

/// A cache that holds all pages misses those that come after the warm-up, and each is in one sample.
#[test]
fn miniatures_count_what_follows_the_warm_up() {
    let accesses = mixed(4000);
    let seen: HashSet<u64> = accesses[..1500].iter().map(|of| of.0).collect();
    let new: HashSet<u64> = accesses[1500..].iter().map(|of| of.0).collect();
    let configurations = [Configuration::Policy {
        policy: "lru".to_owned(),
        pages: 1000,
        options: Vec::new(),
    }];
    let open = &mut || Ok(source(&accesses).with_warm_up(1500));
    let found = miniatures(open, &configurations, 1.0, 3, 1, &mut |_| true).unwrap();
    let row = found.rows[0].as_ref().unwrap();
    assert_eq!((row.accesses, row.warm_up), (2500, 1500));
    let misses = &row.counters[0];
    assert_eq!(misses.name, "misses");
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    let expected = new.difference(&seen).count() as f64;
    assert!((misses.value - expected).abs() < 1e-9, "{misses:?}");
}

#[test]
fn the_splits_of_one_read_warm_up() {
    let accesses = mixed(900);
    let split = |accesses: &[Access], warm_up: u64| {
        let mut source = source(accesses).with_warm_up(warm_up);
        simulate_splits(&mut source, 12, &[3, 8], &mut |_| true).unwrap()
    };
    let (whole, head, behind) = (
        split(&accesses, 0),
        split(&accesses[..333], 0),
        split(&accesses, 333),
    );
    for ((whole, head), behind) in whole.iter().zip(&head).zip(&behind) {
        assert_eq!(
            behind.counters.misses,
            whole.counters.misses - head.counters.misses
        );
        assert_eq!(
            behind.counters.writes,
            whole.counters.writes - head.counters.writes
        );
        assert_eq!(behind.accesses, 900 - 333);
    }
}

/// A crash behind the warm-up says what was counted before it, one within it nothing.
#[test]
fn a_crash_says_what_was_counted_before_it() {
    let accesses = mixed(1200);
    let crashed = |warm_up, at: &str| {
        let configuration = Configuration::FlashCache {
            flash_cache: "face".to_owned(),
            ram_pages: 7,
            flash_pages: 30,
            options: owned(&[("crash_at", at)]),
        };
        match replay(&configuration, source(&accesses).with_warm_up(warm_up)) {
            Outcome::FlashCache(result) => *result,
            other => panic!("{other:?}"),
        }
    };
    let before = |warm_up, at| {
        let report = crashed(warm_up, at).crash.unwrap().counters_before;
        report.ram_hits + report.flash_hits + report.flash_misses
    };
    assert_eq!(before(0, "900"), 900);
    assert_eq!(before(500, "900"), 400);
    assert_eq!(before(500, "500"), 0);
    assert_eq!(before(500, "100"), 0);
    // Reads of the restart are counted where the crash is.
    let scanned = |warm_up, at| crashed(warm_up, at).counters.restart_pages_scanned;
    assert!(scanned(500, "900") > 0);
    assert_eq!(scanned(500, "100"), 0);
}

#[test]
fn a_warm_up_that_leaves_nothing_is_refused() {
    let accesses = mixed(100);
    for (warm_up, is_refused) in [(0, false), (99, false), (100, true), (u64::MAX, true)] {
        for policy in ["lru", "opt"] {
            let mut source = source(&accesses).with_warm_up(warm_up);
            let found = simulate_policy(&mut source, policy, 5, &[], &mut |_| true);
            match found {
                Ok(_) => assert!(!is_refused, "{warm_up} {policy}"),
                Err(Error::BadParameter { name, value, .. }) => {
                    assert_eq!((name, value), ("warm-up", warm_up.to_string()));
                    assert!(is_refused);
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

/// What the cache that a warm-up is to fill holds in the end, and can hold, by the counters of the whole replay;
/// `None` under a chooser, whose counters do not say which hits took a page off flash.
fn held(outcome: &Outcome) -> Option<(u64, u64)> {
    match outcome {
        Outcome::Policy(of) => Some((of.misses - of.evictions, u64::from(of.pages))),
        Outcome::Buffer(of) => {
            let counters = of.counters;
            Some((counters.misses - counters.evictions, u64::from(of.pages)))
        }
        // dm-writecache is full when it first had to write back.
        Outcome::FlashCache(of)
            if of.scheme == "dm_writecache" && of.counters.flash_evictions > 0 =>
        {
            Some((u64::from(of.flash_pages), u64::from(of.flash_pages)))
        }
        // L2ARC is full when its ring has gone round, the others at the first eviction from a region or a set, which no
        // counter of what is held tells.
        Outcome::FlashCache(of) if ["cachelib", "kangaroo", "l2arc"].contains(&of.scheme) => None,
        Outcome::FlashCache(of) => Some((of.slots_used, u64::from(of.flash_pages))),
        Outcome::Chooser(_) => None,
        Outcome::Scheme(of) => {
            let counters = of.counters;
            if of.flash_pages == 0 || of.scheme == "none" {
                let held = counters.flash_misses - counters.ram_evictions;
                return Some((held, u64::from(of.ram_pages)));
            }
            if let Some(of) = &of.blocks {
                let gone = counters.flash_evictions + of.counters.flash_blocks_emptied;
                let held = of.counters.flash_frames_taken - gone;
                return Some((held, u64::from(of.flash_blocks)));
            }
            let moved = if of.scheme == "exclusive" {
                counters.flash_hits
            } else {
                0
            };
            let gone = counters.flash_evictions + counters.flash_invalidations + moved;
            Some((counters.flash_fills - gone, u64::from(of.flash_pages)))
        }
    }
}

fn warm_up_of(outcome: &Outcome) -> (u64, bool) {
    let of = match outcome {
        Outcome::Policy(of) => of.warm_up,
        Outcome::Scheme(of) => of.warm_up,
        Outcome::Buffer(of) => of.warm_up,
        Outcome::Chooser(of) => of.warm_up,
        Outcome::FlashCache(of) => of.warm_up,
    };
    (of.accesses, of.until_full)
}

/// A warm-up until the cache is full is the shortest one by accesses that fills it.
fn ends_with_the_access_that_fills(configuration: &Configuration, accesses: &[Access]) {
    let until_full = source(accesses).warming_up_until_full();
    let found = configuration.replay(&mut { until_full }, &mut |_| true);
    let after = |count: usize| held(&replay(configuration, source(&accesses[..count])));
    let found = match found {
        Ok(found) => found,
        Err(Error::BadParameter {
            name,
            value,
            message,
            ..
        }) => {
            assert_eq!((name, value.as_str()), ("warm-up", "full"));
            // Full with the last access, or never.
            if let Some((held, capacity)) = after(accesses.len()) {
                let early = after(accesses.len() - 1).map_or(0, |before| before.0);
                assert!(early < capacity, "{configuration:?}: {message}");
                let said = if held < capacity {
                    format!("holds {held} of its {capacity} ")
                } else {
                    "only with the last access".to_owned()
                };
                assert!(
                    message.contains(&said),
                    "{configuration:?}: {message} {said}"
                );
            }
            return;
        }
        Err(other) => panic!("{configuration:?}: {other}"),
    };
    let (warm_up, until_full) = warm_up_of(&found);
    assert!(until_full, "{configuration:?}");
    let given = replay(configuration, source(accesses).with_warm_up(warm_up));
    assert_eq!(warm_up_of(&given), (warm_up, false));
    assert_eq!(counts(&found), counts(&given), "{configuration:?}");
    let count = usize::try_from(warm_up).unwrap_or(usize::MAX);
    if let (Some((held, capacity)), Some((before, _))) = (after(count), after(count - 1)) {
        assert_eq!(held, capacity, "{configuration:?}");
        assert!(before < capacity, "{configuration:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_warm_up_until_full_ends_with_the_access_that_fills(accesses in accesses()) {
        for configuration in configurations() {
            ends_with_the_access_that_fills(&configuration, &accesses);
        }
    }
}

/// Passes over more pages than flash has, a third of them writes, in all modes and with buckets open beside each other.
#[test]
fn every_flash_cache_is_full_at_some_time_on_a_trace_larger_than_flash() {
    const FLASH: u64 = 640;
    let step = |at: u64| {
        if at.is_multiple_of(5) {
            at / 5 % 90
        } else {
            at * 7 % (4 * FLASH)
        }
    };
    let accesses: Vec<Access> = (0..40_000).map(|at| (step(at), at % 3 == 0)).collect();
    for about in flash_caches() {
        let known = about.options();
        // L2ARC is fed each second, from a quarter of DRAM: at more accesses DRAM changes faster than that.
        let rate = if about.about.name == "l2arc" {
            "4"
        } else {
            "40"
        };
        let modes = known.iter().find(|option| option.name == "mode");
        let modes = modes.map_or(vec![None], |option| {
            option.values.split(", ").map(Some).collect()
        });
        // In pass-through nothing enters flash.
        for mode in modes
            .into_iter()
            .filter(|mode| *mode != Some("pass_through"))
        {
            let mut options = Vec::new();
            for (name, value) in [
                ("mode", mode),
                ("accesses_per_second", Some(rate)),
                ("open_buckets", Some("5")),
                ("bucket_pages", Some("40")),
                // LARC may filter for ever.
                ("fill_first", Some("true")),
            ] {
                let is_known = known.iter().any(|option| option.name == name);
                options.extend(value.filter(|_| is_known).map(|value| (name, value)));
            }
            let configuration = Configuration::FlashCache {
                flash_cache: about.about.name.to_owned(),
                ram_pages: 20,
                flash_pages: FLASH,
                options: owned(&options),
            };
            let until_full = source(&accesses).warming_up_until_full();
            let found = configuration.replay(&mut { until_full }, &mut |_| true);
            let Ok(found) = found else {
                panic!("{configuration:?}: {found:?}");
            };
            let (warm_up, until_full) = warm_up_of(&found);
            assert!(until_full && warm_up > 0, "{configuration:?}");
            let given = replay(&configuration, source(&accesses).with_warm_up(warm_up));
            assert_eq!(counts(&found), counts(&given), "{configuration:?}");
        }
    }
}

/// bcache is full where a bucket must be emptied for the first time: nothing was evicted before.
#[test]
fn bcache_is_full_when_it_must_empty_a_bucket() {
    let accesses: Vec<Access> = (0..4000).map(|at| (at * 7 % 3989, at % 4 == 0)).collect();
    let bcache = Configuration::FlashCache {
        flash_cache: "bcache".to_owned(),
        ram_pages: 10,
        flash_pages: 1000,
        options: owned(&[("bucket_pages", "50"), ("open_buckets", "6")]),
    };
    let found = replay(&bcache, source(&accesses).warming_up_until_full());
    let warm_up = usize::try_from(warm_up_of(&found).0).unwrap_or(usize::MAX);
    let evictions = |count: usize| {
        let counters = replay(&bcache, source(&accesses[..count])).counters();
        let found = counters.iter().find(|(name, _)| *name == "flash_evictions");
        found.map_or(0, |(_, count)| *count)
    };
    assert_eq!(evictions(warm_up - 1), 0);
    assert!(evictions(warm_up) > 0);
}

/// Far from full a replay looks at its cache once a batch, near it at each access.
#[test]
fn a_large_cache_is_full_at_the_right_access_too() {
    let page = |at: u64| at * at % 6007 % (40 + at / 3);
    let accesses: Vec<Access> = (0..24_000).map(|at| (page(at), at % 3 == 0)).collect();
    let large = |scheme: &str, flash_pages: u64, options: &[(&str, &str)]| Configuration::Scheme {
        scheme: scheme.to_owned(),
        ram_pages: 300,
        flash_pages,
        options: owned(options),
    };
    let mut all: Vec<Configuration> = ["lru", "arc", "lirs"]
        .map(|policy| Configuration::Policy {
            policy: policy.to_owned(),
            pages: 2000,
            options: Vec::new(),
        })
        .into();
    for about in schemes() {
        all.push(large(about.name, 1500, &[]));
    }
    all.push(large("lazy", 1500, &[("ram_policy", "2q")]));
    all.push(large("inclusive", 2400, &[("block_pages", "4")]));
    all.push(Configuration::FlashCache {
        flash_cache: "face".to_owned(),
        ram_pages: 300,
        flash_pages: 1500,
        options: Vec::new(),
    });
    // Its threads fill whole fragments at once.
    all.push(Configuration::FlashCache {
        flash_cache: "sce".to_owned(),
        ram_pages: 300,
        flash_pages: 2400,
        options: owned(&[("fragment_pages", "300"), ("accesses_per_second", "1000")]),
    });
    for configuration in all {
        let until_full = source(&accesses).warming_up_until_full();
        let found = replay(&configuration, until_full);
        assert!(warm_up_of(&found).0 > 1000, "{configuration:?}");
        ends_with_the_access_that_fills(&configuration, &accesses);
    }
}

#[test]
fn a_policy_that_knows_the_future_warms_up_until_it_is_full() {
    let accesses = mixed(900);
    let until_full = &mut source(&accesses).warming_up_until_full();
    let found = simulate_policy(until_full, "opt", 12, &[], &mut |_| true).unwrap();
    let mut seen = std::collections::HashSet::new();
    let fills = |&(page, _): &Access| seen.insert(page) && seen.len() == 12;
    let twelfth = accesses.iter().position(fills).unwrap() as u64;
    assert_eq!(found.warm_up.accesses, twelfth + 1);
    let given = &mut source(&accesses).with_warm_up(twelfth + 1);
    let given = simulate_policy(given, "opt", 12, &[], &mut |_| true).unwrap();
    assert_eq!(
        (found.misses, found.evictions),
        (given.misses, given.evictions)
    );
    assert_eq!(found.misses, found.evictions);
}

fn lru(pages: u64) -> Configuration {
    Configuration::Policy {
        policy: "lru".to_owned(),
        pages,
        options: Vec::new(),
    }
}

#[test]
fn each_row_of_a_sweep_has_its_own_warm_up_until_full() {
    let accesses = mixed(2000);
    let open = &mut || Ok(source(&accesses).warming_up_until_full());
    let swept = sweep(open, &[lru(5), lru(5000), lru(30)], 2, &mut |_| true).unwrap();
    let found = |at: usize| warm_up_of(swept.rows[at].outcome.as_ref().unwrap()).0;
    assert!(0 < found(0) && found(0) < found(2));
    let Err(Error::BadParameter { message, hint, .. }) = &swept.rows[1].outcome else {
        panic!("{:?}", swept.rows[1]);
    };
    let pages: HashSet<u64> = accesses.iter().map(|of| of.0).collect();
    assert!(message.contains(&format!("holds {} of its 5000 pages", pages.len())));
    assert!(hint.contains("50%"));
    assert!(!swept.rows[1].complete && swept.rows[0].complete);
}

#[test]
fn a_cancelled_sweep_does_not_say_that_a_cache_never_fills() {
    let accesses = mixed(400_000);
    let open = &mut || Ok(source(&accesses).warming_up_until_full());
    let swept = sweep(open, &[lru(5000)], 1, &mut |_| false).unwrap();
    assert!(matches!(swept.rows[0].outcome, Err(Error::Cancelled)));
}

#[test]
fn miniatures_do_not_warm_up_until_full() {
    let accesses = mixed(4000);
    let open = &mut || Ok(source(&accesses).warming_up_until_full());
    let found = miniatures(open, &[lru(100)], 1.0, 3, 1, &mut |_| true);
    let Err(Error::BadParameter { name, message, .. }) = found else {
        panic!("{found:?}");
    };
    assert_eq!(name, "warm-up");
    assert!(message.contains("8 samples"));
}
