//! Flash caches against slow obvious models, the invariants of their papers and worked examples.

use proptest::prelude::*;
use tierwright_simulator::access::{AccessSource, Chunk, MemorySource, WRITE};
use tierwright_simulator::error::{Error, Result};
use tierwright_simulator::ftl::Mapping;
use tierwright_simulator::replay::{
    FlashCacheAbout, FlashCacheResult, MAX_PAGES, Setting, flash_caches, policies, schemes,
    simulate_flash_cache, simulate_policy,
};

mod flash_slow;
mod replay_slow;

use flash_slow::{Access, Checkpoints, Counts, Face, LazyCleaning};

const MODES: [&str; 3] = ["write_back", "write_through", "write_around"];
const ADMISSIONS: [&str; 3] = ["mixed", "dirty_only", "clean_only"];

/// Accesses with times that never run backwards, sometimes with long gaps.
fn accesses() -> impl Strategy<Value = Vec<Access>> {
    (1_u64..40, 0_u32..=4).prop_flat_map(|(pages, write_quarters)| {
        let page = prop_oneof![0..pages, 0..pages.div_ceil(4)];
        let write = (0_u32..4).prop_map(move |draw| draw < write_quarters);
        let gap = prop_oneof![4 => 0_u64..4, 1 => 0_u64..400];
        prop::collection::vec((page, write, gap), 0..300).prop_map(|mut accesses| {
            let mut now = 0;
            for access in &mut accesses {
                now += access.2;
                access.2 = now;
            }
            accesses
        })
    })
}

/// Accesses with times in microseconds.
struct Timed {
    accesses: Vec<Access>,
    numbered: MemorySource,
    next: usize,
}

impl AccessSource for Timed {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let more = self.numbered.next_chunk(chunk)?;
        let times = &self.accesses[self.next..self.next + chunk.len()];
        self.next += chunk.len();
        let nanoseconds = times.iter().map(|access| 1000 * access.2.cast_signed());
        chunk.times_ns.extend(nanoseconds);
        Ok(more)
    }

    fn addresses(&self) -> (&[u32], &[u64]) {
        self.numbered.addresses()
    }
}

fn source(accesses: &[Access]) -> MemorySource {
    let untimed = accesses.iter().map(|&(page, write, _)| (page, write));
    MemorySource::new(untimed).with_chunk_accesses(97)
}

fn timed(accesses: &[Access]) -> Timed {
    Timed {
        accesses: accesses.to_vec(),
        numbered: source(accesses),
        next: 0,
    }
}

type Given<'text> = Vec<(&'text str, String)>;

fn run_on(
    source: &mut dyn AccessSource,
    name: &str,
    ram: usize,
    flash: usize,
    options: Given<'_>,
) -> Result<FlashCacheResult> {
    let owned = options
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let owned: Vec<_> = owned.collect();
    simulate_flash_cache(source, name, ram as u64, flash as u64, &owned, &mut |_| {
        true
    })
}

fn run(
    accesses: &[Access],
    name: &str,
    ram: usize,
    flash: usize,
    options: &[(&str, &str)],
) -> FlashCacheResult {
    let owned = options
        .iter()
        .map(|&(name, value)| (name, value.to_owned()));
    run_on(&mut source(accesses), name, ram, flash, owned.collect()).expect("possible parameters")
}

/// Options with the rate that a cache which works by time needs in a trace without.
fn rated<'text>(
    cache: &FlashCacheAbout,
    options: &[(&'text str, &'text str)],
) -> Vec<(&'text str, &'text str)> {
    let rate = ("accesses_per_second", "1000");
    let mut rated = options.to_vec();
    rated.extend(
        cache
            .options()
            .iter()
            .any(|option| option.name == rate.0)
            .then_some(rate),
    );
    rated
}

/// A policy of DRAM, as the slow models know it: its name and its options.
fn ram_policy() -> impl Strategy<Value = &'static str> {
    let mut names: Vec<&str> = policies().iter().map(|about| about.name).collect();
    names.extend(["gclock entry=1 ceiling=3", "lru_2 period=3"]);
    prop_oneof![1 => Just("lru"), 3 => prop::sample::select(names)]
}

fn ram_options(policy: &'static str) -> Given<'static> {
    let (name, options) = policy.split_once(' ').unwrap_or((policy, ""));
    let mut given = vec![("ram_policy", name.to_owned())];
    for option in options.split_whitespace() {
        let (option, value) = option.split_once('=').expect("a value");
        let option = match option {
            "entry" => "ram_entry",
            "ceiling" => "ram_ceiling",
            _ => "ram_period",
        };
        given.push((option, value.to_owned()));
    }
    given
}

/// By what a trace has a cache work: its time, its accesses, or one of them every so many µs by a stated rate.
#[derive(Debug, Clone, Copy)]
enum Clock {
    Time,
    Accesses,
    Every(u64),
}

fn clock() -> impl Strategy<Value = Clock> {
    prop_oneof![
        Just(Clock::Time),
        Just(Clock::Accesses),
        // Rates of whole accesses per second.
        prop::sample::select(vec![1_u64, 4, 5, 20, 100]).prop_map(Clock::Every),
    ]
}

fn rate_of(us: u64) -> (&'static str, String) {
    ("accesses_per_second", (1_000_000 / us).to_string())
}

/// The same accesses, the nth at n times so many µs.
fn every(us: u64, mut accesses: Vec<Access>) -> Vec<Access> {
    for (at, access) in accesses.iter_mut().enumerate() {
        access.2 = us * at as u64;
    }
    accesses
}

fn face_options(model: &Face) -> Given<'static> {
    let mut options = vec![
        ("mode", model.mode.to_owned()),
        ("admission", model.admission.to_owned()),
        (
            "replacement",
            if model.second_chance { "gsc" } else { "mvfifo" }.to_owned(),
        ),
        ("scan_depth", model.scan_depth.to_string()),
        ("clear_dirty_on_stage_out", model.clear.to_string()),
        (
            "batch_fill",
            if model.full_batches { "full" } else { "once" }.to_owned(),
        ),
        (
            "metadata_segment_entries",
            model.segment_entries.to_string(),
        ),
    ];
    if let Some(checkpoints) = model.checkpoints {
        let period = if checkpoints.by_time {
            "checkpoint_us"
        } else {
            "checkpoint_accesses"
        };
        let to = if checkpoints.to_flash {
            "flash"
        } else {
            "disk"
        };
        options.push((period, checkpoints.every.to_string()));
        options.push(("checkpoint_to", to.to_owned()));
    }
    options.extend(ram_options(model.ram_policy));
    options.extend(crash_options(model.crash));
    options
}

fn crash_options(crash: Option<(usize, bool)>) -> Given<'static> {
    crash.map_or(Vec::new(), |(at, warm)| {
        let restart = if warm { "warm" } else { "cold" };
        vec![
            ("crash_at", at.to_string()),
            ("restart", restart.to_owned()),
        ]
    })
}

/// What the model counted must be what the engine counted; what it never counted must be zero.
fn assert_same(result: &FlashCacheResult, model: &Counts, names: &[&str]) {
    let counters = result.counters.named();
    let ends = [
        ("slots_used", result.slots_used),
        ("old_versions", result.old_versions),
        ("dirty_slots", result.dirty_slots),
        (
            "ram_dirty_pages_lost",
            result.crash.map_or(0, |crash| crash.ram_dirty_pages_lost),
        ),
    ];
    let found: std::collections::BTreeMap<_, _> = counters.into_iter().chain(ends).collect();
    for name in model.keys() {
        assert!(found.contains_key(name), "the engine counts no {name}");
    }
    for name in names {
        let expected = model.get(name).copied().unwrap_or(0);
        assert_eq!(found[name], expected, "{name} of {model:?}");
    }
}

const BOTH: [&str; 20] = [
    "ram_hits",
    "flash_hits",
    "flash_misses",
    "flash_writes",
    "hdd_writes",
    "ram_evictions",
    "ram_dirty_evictions",
    "ram_clean_evictions",
    "flash_evictions",
    "flash_fills",
    "flash_write_backs",
    "flash_invalidations",
    "flash_stage_out_reads",
    "disk_writes_on_exit",
    "disk_writes_on_stage_out",
    "disk_writes_by_cleaner",
    "metadata_random_page_writes",
    "slots_used",
    "dirty_slots",
    "requeued",
];

/// Of the cleaner.
const GROUPS: [&str; 2] = ["disk_batch_writes", "disk_batch_write_pages"];

const FACE_ONLY: [&str; 13] = [
    "pulled",
    "forced_out",
    "flash_write_batches",
    "flash_batch_reads",
    "flash_batch_read_pages",
    "metadata_segments",
    "restart_segments_read",
    "restart_pages_scanned",
    "old_versions",
    "checkpointed_pages",
    "flash_writes_by_checkpoint",
    "disk_writes_by_checkpoint",
    "ram_dirty_pages_lost",
];

fn face_model() -> impl Strategy<Value = Face> {
    let sizes = (1_usize..12, 1_usize..30)
        .prop_flat_map(|(ram, flash)| (Just(ram), Just(flash), 1..=flash, ram_policy()));
    let modes = (
        prop::sample::select(MODES.to_vec()),
        prop::sample::select(ADMISSIONS.to_vec()),
    );
    let crash = prop::option::of((0_usize..300, any::<bool>()));
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let checkpoints =
        (1_u64..60, any::<bool>(), any::<bool>()).prop_map(|(every, by_time, to_flash)| {
            Checkpoints {
                every,
                by_time,
                to_flash,
            }
        });
    let checkpoints = prop::option::of(checkpoints);
    (sizes, modes, flags, 1_u64..40, (checkpoints, crash)).prop_map(
        |(
            (ram_pages, flash_pages, depth, ram_policy),
            (mode, admission),
            (second_chance, clear, full_batches),
            segment_entries,
            (checkpoints, crash),
        )| Face {
            checkpoints,
            ram_policy,
            ram_pages,
            flash_pages,
            mode,
            admission,
            second_chance,
            scan_depth: depth,
            full_batches,
            clear,
            segment_entries,
            crash,
        },
    )
}

fn lazy_cleaning_model() -> impl Strategy<Value = LazyCleaning> {
    let sizes = (1_usize..12, 1_usize..30, ram_policy());
    let modes = (
        prop::sample::select(MODES[..2].to_vec()),
        prop::sample::select(ADMISSIONS.to_vec()),
    );
    let cleaner = (0_usize..=4, 1_usize..7, 1_usize..5, 1_u64..30);
    let crash = prop::option::of((0_usize..300, any::<bool>()));
    (sizes, modes, cleaner, any::<bool>(), crash).prop_map(
        |(
            (ram_pages, flash_pages, ram_policy),
            (mode, admission),
            (dirty_quarters, cleaner_pages, group_pages, period),
            persistent,
            crash,
        )| {
            LazyCleaning {
                ram_policy,
                ram_pages,
                flash_pages,
                mode,
                admission,
                dirty_quarters,
                cleaner_pages,
                group_pages,
                period,
                persistent,
                crash: crash.map(|(at, warm)| (at, warm && persistent)),
            }
        },
    )
}

fn lazy_cleaning_options(model: &LazyCleaning, period: &'static str) -> Given<'static> {
    let mut options = vec![
        ("mode", model.mode.to_owned()),
        ("admission", model.admission.to_owned()),
        (
            "dirty_threshold",
            format!("0.{:02}", model.dirty_quarters * 25).replace("0.100", "1"),
        ),
        ("cleaner_pages", model.cleaner_pages.to_string()),
        ("group_pages", model.group_pages.to_string()),
        (period, model.period.to_string()),
        (
            "directory",
            if model.persistent {
                "persistent"
            } else {
                "memory"
            }
            .to_owned(),
        ),
    ];
    options.extend(ram_options(model.ram_policy));
    options.extend(crash_options(model.crash));
    options
}

/// A crash that lies within the trace.
fn within(crash: Option<(usize, bool)>, accesses: &[Access]) -> Option<(usize, bool)> {
    crash.map(|(at, warm)| (at.min(accesses.len()), warm))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Requests recorded out of order: the clock of the cleaner stands still until they catch up,
    /// also before the time of the first request.
    #[test]
    fn time_that_runs_backwards_stands_still(
        accesses in accesses(), jumps in prop::collection::vec(-300_i64..300, 300),
        ram in 1_usize..8, flash in 1_usize..20,
    ) {
        let mut backwards = accesses.clone();
        let mut standing = accesses;
        let mut latest = 0;
        for ((raw, still), jump) in backwards.iter_mut().zip(&mut standing).zip(jumps) {
            let time = raw.2.cast_signed() + jump;
            latest = latest.max(time);
            raw.2 = time.cast_unsigned();
            still.2 = latest.cast_unsigned();
        }
        let run = |accesses: &[Access]| {
            let given = vec![
                ("cleaner_period_us", "50".to_owned()),
                ("cleaner_pages", "1".to_owned()),
                ("dirty_threshold", "0.25".to_owned()),
            ];
            run_on(&mut timed(accesses), "lazy_cleaning", ram, flash, given).unwrap().counters
        };
        prop_assert_eq!(run(&backwards), run(&standing));
    }

    #[test]
    fn face_matches_its_slow_model(
        accesses in accesses(), model in face_model(), clock in clock(),
    ) {
        let model = Face { crash: within(model.crash, &accesses), ..model };
        let mut options = face_options(&model);
        let (ram, flash) = (model.ram_pages, model.flash_pages);
        let needs_time = model.checkpoints.is_some_and(|checkpoints| checkpoints.by_time);
        let accesses = match clock {
            Clock::Every(us) => every(us, accesses),
            Clock::Time | Clock::Accesses => accesses,
        };
        let result = match clock {
            Clock::Every(us) => {
                options.push(rate_of(us));
                run_on(&mut source(&accesses), "face", ram, flash, options)
            }
            Clock::Accesses if !needs_time => {
                run_on(&mut source(&accesses), "face", ram, flash, options)
            }
            Clock::Accesses | Clock::Time => {
                run_on(&mut timed(&accesses), "face", ram, flash, options)
            }
        }.unwrap();
        let expected = flash_slow::face(&model, &accesses);
        assert_same(&result, &expected, &BOTH);
        assert_same(&result, &expected, &FACE_ONLY);
        let counters = &result.counters;
        prop_assert_eq!(counters.flash_random_page_writes, 0);
        prop_assert_eq!(counters.metadata_segment_bytes, counters.metadata_segments * model.segment_entries * 32);
        prop_assert_eq!(result.crash.is_some(), model.crash.is_some());
    }

    #[test]
    fn lazy_cleaning_matches_its_slow_model_by_time_and_by_accesses(
        accesses in accesses(), model in lazy_cleaning_model(), clock in clock(),
    ) {
        let model = LazyCleaning { crash: within(model.crash, &accesses), ..model };
        let period = match clock {
            Clock::Accesses => "cleaner_period_accesses",
            Clock::Time | Clock::Every(_) => "cleaner_period_us",
        };
        let mut options = lazy_cleaning_options(&model, period);
        let (ram, flash) = (model.ram_pages, model.flash_pages);
        let name = "lazy_cleaning";
        let (result, accesses) = match clock {
            Clock::Time => (run_on(&mut timed(&accesses), name, ram, flash, options), accesses),
            Clock::Accesses => {
                (run_on(&mut source(&accesses), name, ram, flash, options), every(1, accesses))
            }
            Clock::Every(us) => {
                options.push(rate_of(us));
                (run_on(&mut source(&accesses), name, ram, flash, options), every(us, accesses))
            }
        };
        let (result, expected) = (result.unwrap(), flash_slow::lazy_cleaning(&model, &accesses));
        assert_same(&result, &expected, &BOTH);
        assert_same(&result, &expected, &["flash_sequential_page_writes", "flash_random_page_writes"]);
        assert_same(&result, &expected, &GROUPS);
        prop_assert_eq!(result.old_versions, 0);
        prop_assert_eq!(result.counters.pulled, 0);
    }

    #[test]
    fn what_the_papers_promise_holds(accesses in accesses(), model in face_model()) {
        let model = Face { crash: None, checkpoints: None, ..model };
        let flash = model.flash_pages;
        let result = run_on(
            &mut source(&accesses), "face", model.ram_pages, flash, face_options(&model),
        ).unwrap();
        let counters = &result.counters;
        prop_assert_eq!(
            counters.ram_hits + counters.flash_hits + counters.hdd_reads(), accesses.len() as u64
        );
        prop_assert!(result.slots_used <= flash as u64);
        let through = model.mode == "write_through";
        if through || model.mode == "write_around" || model.admission == "clean_only" {
            prop_assert_eq!(counters.hdd_writes(), counters.dirty_evictions);
            prop_assert!(matches!(counters.write_reduction(), None | Some(0.0)));
            prop_assert_eq!(result.dirty_slots, 0);
        }
        if model.clear {
            prop_assert!(counters.hdd_writes() <= counters.dirty_evictions);
        }
        if accesses.iter().all(|access| !access.1) {
            prop_assert_eq!(result.old_versions, 0);
            prop_assert_eq!(counters.hdd_writes() + counters.metadata_random_page_writes, 0);
            prop_assert_eq!(counters.flash_write_backs, 0);
            if model.admission == "dirty_only" {
                prop_assert_eq!(counters.flash_writes(), 0);
            }
        }
        if model.scan_depth == 1 {
            prop_assert_eq!(counters.pulled + counters.requeued, 0);
            let other = Face { second_chance: !model.second_chance, ..model };
            let other = run_on(
                &mut source(&accesses), "face", other.ram_pages, flash, face_options(&other),
            ).unwrap();
            let same = |result: &FlashCacheResult| (
                result.counters.flash_hits, result.counters.hdd_writes(),
                result.counters.flash_writes(), result.slots_used, result.old_versions,
            );
            prop_assert_eq!(same(&other), same(&result));
        }
    }

    /// Dirty victims to disk, clean ones to flash: write-around is clean-only under another name.
    #[test]
    fn write_around_is_clean_only_whatever_the_mode(accesses in accesses(), ram in 1_usize..12, flash in 1_usize..30) {
        let around = run(&accesses, "face", ram, flash, &[("mode", "write_around")]);
        for mode in MODES {
            let clean = run(&accesses, "face", ram, flash, &[("mode", mode), ("admission", "clean_only")]);
            prop_assert_eq!(clean.counters, around.counters);
        }
        let nothing = run(&accesses, "face", ram, flash, &[("mode", "write_around"), ("admission", "dirty_only")]);
        prop_assert_eq!(nothing.slots_used, 0);
        prop_assert_eq!(&nothing.warnings[0].name, &"nothing_admitted");
    }

    /// What lies below does not change what DRAM holds, where nothing is pulled out of it.
    #[test]
    fn dram_of_every_policy_is_that_policy_and_opt_is_never_beaten(
        accesses in accesses(), ram in 1_usize..20, flash in 0_usize..30,
    ) {
        for (cache, one_by_one) in [("face", Some(("replacement", "mvfifo"))), ("lazy_cleaning", None)] {
            let mut hits = Vec::new();
            for about in policies() {
                let alone = simulate_policy(
                    &mut source(&accesses), about.name, ram as u64, &[], &mut |_| true,
                ).unwrap();
                let mut options = vec![("ram_policy", about.name)];
                options.extend(one_by_one);
                let found = run(&accesses, cache, ram, flash, &options).counters;
                prop_assert_eq!(found.ram_hits, accesses.len() as u64 - alone.misses, "{}", about.name);
                prop_assert_eq!(found.dirty_evictions + found.clean_evictions, alone.evictions);
                prop_assert_eq!(found.dirty_evictions, alone.disk_writes);
                hits.push(found.ram_hits);
            }
            prop_assert_eq!(hits.last(), hits.iter().max());
        }
    }

    #[test]
    fn without_flash_and_after_a_cold_restart_at_the_start_nothing_is_special(
        accesses in accesses(), ram in 1_usize..45, flash in 1_usize..30,
    ) {
        for cache in flash_caches() {
            let name = cache.about.name;
            let options = cache.options();
            let policy = options.iter().find(|option| option.name == "ram_policy").unwrap().default;
            let mut untimed = source(&accesses);
            let alone = simulate_policy(&mut untimed, policy, ram as u64, &[], &mut |_| true).unwrap();
            let result = run(&accesses, name, ram, 0, &[]);
            prop_assert_eq!(result.counters.flash_misses, alone.misses);
            prop_assert_eq!(result.counters.hdd_writes(), alone.disk_writes);
            prop_assert_eq!(result.counters.flash_writes() + result.counters.flash_hits, 0);
            let plain = run(&accesses, name, ram, flash, &rated(cache, &[]));
            let cold = rated(cache, &[("crash_at", "0"), ("restart", "cold")]);
            let crashed = run(&accesses, name, ram, flash, &cold);
            prop_assert_eq!(crashed.counters, plain.counters);
            let crash = crashed.crash.unwrap();
            prop_assert_eq!((crash.ram_pages_lost, crash.flash_pages_lost), (0, 0));
        }
    }
}

/// Long enough for the logs of LRU-2 to slide and for the queue to go round many times.
#[test]
fn long_traces_match_the_slow_models() {
    let mut state = 11_u64;
    let mut draw = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let accesses: Vec<Access> = (0..60_000_u64)
        .map(|index| {
            let page = match draw(10) {
                0 => 1000 + index / 400 % 300,
                1..=3 => draw(300),
                _ => draw(30),
            };
            (page, draw(3) == 0, index)
        })
        .collect();
    let face = Face {
        ram_policy: "lru",
        ram_pages: 20,
        flash_pages: 150,
        mode: "write_back",
        admission: "mixed",
        second_chance: true,
        scan_depth: 16,
        full_batches: true,
        clear: false,
        segment_entries: 64,
        checkpoints: Some(Checkpoints {
            every: 7_000,
            by_time: false,
            to_flash: true,
        }),
        crash: Some((30_000, true)),
    };
    let result = run_on(&mut source(&accesses), "face", 20, 150, face_options(&face)).unwrap();
    let expected = flash_slow::face(&face, &accesses);
    assert_same(&result, &expected, &BOTH);
    assert_same(&result, &expected, &FACE_ONLY);
    assert!(result.counters.restart_segments_read > 0);
    let cleaning = LazyCleaning {
        ram_policy: "lru",
        ram_pages: 20,
        flash_pages: 150,
        mode: "write_back",
        admission: "mixed",
        dirty_quarters: 1,
        cleaner_pages: 6,
        group_pages: 4,
        period: 7,
        persistent: true,
        crash: Some((30_000, true)),
    };
    let options = lazy_cleaning_options(&cleaning, "cleaner_period_accesses");
    let result = run_on(&mut source(&accesses), "lazy_cleaning", 20, 150, options).unwrap();
    let expected = flash_slow::lazy_cleaning(&cleaning, &accesses);
    assert_same(&result, &expected, &BOTH);
    assert_same(&result, &expected, &GROUPS);
    assert!(result.counters.disk_batch_writes > 0);
}

fn parse(text: &str) -> Vec<Access> {
    let tokens = text.split_whitespace();
    tokens
        .map(|token| {
            (
                token[1..].parse().expect("R or W and a number"),
                token.starts_with('W'),
                0,
            )
        })
        .collect()
}

/// One DRAM page, two slots. W1 leaves dirty (slot a), R2 leaves clean (slot b). R1 hits a. W1 makes
/// it newer; R3 pushes it out: a is invalid, the queue is full, so a is dropped without a disk
/// write and 1 is appended behind b.
#[test]
fn an_old_version_leaves_without_a_disk_write() {
    let accesses = parse("W1 R2 R1 W1 R3");
    let result = run(&accesses, "face", 1, 2, &[("replacement", "mvfifo")]);
    let counters = &result.counters;
    assert_eq!(
        (
            counters.ram_hits,
            counters.flash_hits,
            counters.flash_misses
        ),
        (1, 1, 3)
    );
    assert_eq!((counters.flash_writes(), counters.hdd_writes()), (3, 0));
    assert_eq!(
        (result.slots_used, result.old_versions, result.dirty_slots),
        (2, 0, 1)
    );
    assert_eq!(counters.write_reduction(), Some(1.0));
}

/// Two DRAM pages, two slots. R3 pushes 1 out, dirty; R1 brings it back, still newer than disk; R1 and
/// R4 push 2 and 3 out, and 3 pushes the slot of 1 to disk (first write) while 1 is in DRAM. R5
/// pushes 1 out of DRAM: as printed it enters flash as dirty and R7 writes it once more; told to
/// clear the flag, it is clean.
#[test]
fn a_staged_out_page_is_written_twice_as_printed_and_once_if_cleared() {
    let accesses = parse("W1 R2 R3 R1 R4 R5 R6 R7");
    let writes = |clear: &str| {
        let options = [
            ("replacement", "mvfifo"),
            ("clear_dirty_on_stage_out", clear),
        ];
        run(&accesses, "face", 2, 2, &options).counters.hdd_writes()
    };
    assert_eq!((writes("false"), writes("true")), (2, 1));
}

/// Two DRAM pages, eight slots. Behind the fifth access 1 and 2 are changed, and have old versions on flash. To flash
/// both are appended in one write, and stay in DRAM; to disk the old versions become invalid, which the directory
/// records at once. R4 and R5 then push out two unchanged pages: dropped where flash has them, else appended. R1 pushes
/// out 4, which is appended in both.
#[test]
fn a_checkpoint_writes_what_dram_holds_changed_and_keeps_it() {
    let accesses = parse("W1 R2 R3 W1 W2 R1 R4 R5 R1");
    let count = |to: &str| {
        let options = [
            ("batch_fill", "once"),
            ("checkpoint_accesses", "5"),
            ("checkpoint_to", to),
        ];
        run(&accesses, "face", 2, 8, &options).counters
    };
    let (flash, disk) = (count("flash"), count("disk"));
    assert_eq!((flash.checkpointed_pages, disk.checkpointed_pages), (2, 2));
    assert_eq!(
        (flash.flash_writes_by_checkpoint, flash.hdd_writes()),
        (2, 0)
    );
    assert_eq!((disk.flash_writes_by_checkpoint, disk.hdd_writes()), (0, 2));
    // R1 behind the checkpoint finds its page in DRAM: nothing left it.
    assert_eq!((flash.ram_hits, disk.ram_hits), (1, 1));
    assert_eq!((flash.pulled, disk.pulled), (0, 0));
    assert_eq!((flash.flash_writes(), disk.flash_writes()), (6, 6));
    assert_eq!(
        (flash.flash_write_batches, disk.flash_write_batches),
        (5, 6)
    );
    assert_eq!(flash.metadata_random_page_writes, 0);
    assert_eq!(disk.metadata_random_page_writes, 2);
    assert_eq!(flash.write_reduction(), Some(1.0));
    assert_eq!(disk.write_reduction(), Some(1.0 - 2.0 / 3.0));
}

/// Without flash the same checkpoints write to disk, and that is what a write reduction is measured against.
#[test]
fn checkpoints_to_flash_spare_the_disk_what_those_to_disk_cost() {
    let mut state = 5_u64;
    let mut draw = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let accesses: Vec<Access> = (0..20_000)
        .map(|_| (draw(200).min(draw(200)), draw(3) == 0, 0))
        .collect();
    let count = |flash: usize, to: &str| {
        let options = [("checkpoint_accesses", "100"), ("checkpoint_to", to)];
        run(&accesses, "face", 30, flash, &options).counters
    };
    let (to_flash, to_disk, without) = (count(80, "flash"), count(80, "disk"), count(0, "flash"));
    assert_eq!(
        without.hdd_writes(),
        without.dirty_evictions + without.checkpointed_pages
    );
    assert_eq!(without.write_reduction(), Some(0.0));
    let never = run(&accesses, "face", 30, 80, &[]).counters;
    for counted in [to_flash, to_disk, without] {
        assert!(counted.checkpointed_pages > 1000);
    }
    assert!(to_flash.hdd_writes() < to_disk.hdd_writes());
    assert!(to_flash.write_reduction() > to_disk.write_reduction());
    assert!(to_disk.write_reduction() > Some(0.0));
    assert_eq!(
        to_flash.flash_writes_by_checkpoint,
        to_flash.checkpointed_pages
    );
    assert_eq!(
        to_disk.disk_writes_by_checkpoint,
        to_disk.checkpointed_pages
    );
    // A page that is written often is written at each checkpoint, and not only as it leaves.
    assert!(never.dirty_evictions < to_disk.dirty_evictions + to_disk.checkpointed_pages);
}

/// Checkpoints count from the first access, by accesses in a trace with time as well, and a crash at the place of
/// one comes first.
#[test]
fn checkpoints_fall_where_they_are_asked_for() {
    let timed_accesses: Vec<Access> = vec![
        (1, true, 50),
        (2, true, 149),
        (3, false, 150),
        (4, true, 151),
        (1, false, 500),
        (1, true, 501),
        (1, false, 549),
        (1, false, 550),
    ];
    let count = |options: &[(&str, &str)]| {
        let owned = options
            .iter()
            .map(|&(name, value)| (name, value.to_owned()));
        run_on(&mut timed(&timed_accesses), "face", 9, 9, owned.collect()).unwrap()
    };
    // At 150 µs 1 and 2; at 250 µs 4, noticed at 500; at 550 µs 1.
    let by_time = count(&[("checkpoint_us", "100")]);
    assert_eq!(by_time.counters.checkpointed_pages, 4);
    assert_eq!(by_time.counters.flash_write_batches, 3);
    let until_last = count(&[("checkpoint_us", "101")]);
    assert_eq!(until_last.counters.checkpointed_pages, 3);
    let by_accesses = count(&[("checkpoint_accesses", "2")]);
    assert_eq!(by_accesses.counters.checkpointed_pages, 4);
    for (period, at, lost) in [
        ("checkpoint_us", "2", 2),
        ("checkpoint_us", "3", 0),
        ("checkpoint_accesses", "2", 2),
        ("checkpoint_accesses", "3", 0),
    ] {
        let every = if period == "checkpoint_us" {
            "100"
        } else {
            "2"
        };
        let crash = count(&[(period, every), ("crash_at", at)]).crash.unwrap();
        assert_eq!(crash.ram_dirty_pages_lost, lost, "{period} at {at}");
        assert_eq!(crash.flash_dirty_pages_lost, 0);
    }
}

/// Threshold 0: whatever is dirty when the cleaner wakes is written. W1, W2 leave DRAM dirty by
/// accesses 1 and 2; the cleaner wakes before access 4.
#[test]
fn the_cleaner_empties_flash_of_dirt_at_its_period() {
    let accesses = parse("W1 W2 R3 R4 R5");
    let options = [("dirty_threshold", "0"), ("cleaner_period_accesses", "4")];
    let result = run(&accesses, "lazy_cleaning", 1, 8, &options);
    assert_eq!(result.counters.disk_writes_by_cleaner, 2);
    assert_eq!((result.slots_used, result.dirty_slots), (4, 0));
    let never = run(
        &accesses,
        "lazy_cleaning",
        1,
        8,
        &[("dirty_threshold", "1")],
    );
    assert_eq!((never.counters.hdd_writes(), never.dirty_slots), (0, 2));
}

/// 1 is read from flash, so it has two references; 2 and 3 have one. LRU-2 gives up 2, LRU would too;
/// after R2 (a miss) flash gives up 3, though 1 was referenced longer ago.
#[test]
fn lru2_keeps_what_came_back() {
    let accesses = parse("R1 R2 R3 R1 R4 R5 R6 R7 R1");
    let result = run(&accesses, "lazy_cleaning", 1, 3, &[]);
    assert_eq!(result.counters.flash_hits, 2);
}

/// A crash after access 3 loses the two DRAM pages; 1 is still on flash in a warm restart only.
#[test]
fn a_warm_restart_finds_the_flash_contents_and_a_cold_one_does_not() {
    let accesses = parse("W1 W2 R3 R1");
    for (cache, extra) in [
        ("face", Some(("batch_fill", "once"))),
        ("lazy_cleaning", Some(("directory", "persistent"))),
    ] {
        let crash = |restart: &str| {
            let mut options = vec![("crash_at", "3"), ("restart", restart)];
            options.extend(extra);
            run(&accesses, cache, 2, 4, &options)
        };
        let (warm, cold) = (crash("warm"), crash("cold"));
        assert_eq!(
            (warm.counters.flash_hits, cold.counters.flash_hits),
            (1, 0),
            "{cache}"
        );
        let (warm, cold) = (warm.crash.unwrap(), cold.crash.unwrap());
        assert_eq!((warm.ram_pages_lost, warm.ram_dirty_pages_lost), (2, 1));
        assert_eq!((warm.flash_pages_lost, warm.flash_dirty_pages_lost), (0, 0));
        assert_eq!((cold.flash_pages_lost, cold.flash_dirty_pages_lost), (1, 1));
        assert_eq!(warm.counters_before.flash_misses, 3);
    }
    // A batch that fills from DRAM has taken the other dirty page to flash as well.
    let restart = |kind| {
        run(
            &accesses,
            "face",
            2,
            4,
            &[("crash_at", "3"), ("restart", kind)],
        )
    };
    let (warm, cold) = (
        restart("warm").crash.unwrap(),
        restart("cold").crash.unwrap(),
    );
    assert_eq!((warm.ram_pages_lost, warm.ram_dirty_pages_lost), (1, 0));
    assert_eq!((cold.flash_pages_lost, cold.flash_dirty_pages_lost), (2, 2));
}

#[test]
fn capacities_far_above_the_distinct_pages_cost_no_memory() {
    let accesses = parse("R1 W2 R1 R3");
    let largest = usize::try_from(MAX_PAGES).expect("64 bits");
    for cache in flash_caches() {
        for ram in [1, largest] {
            let options = rated(cache, &[]);
            let result = run(&accesses, cache.about.name, ram, largest, &options);
            // Nothing is on flash when 1 comes back: the threads of SCE do not wake in so short a time, LARC and the
            // filter saw it once, dm-writecache takes changed pages alone, and dm-cache and L2ARC wait for a second.
            let late = [
                "sce",
                "larc",
                "ram_filter",
                "dm_writecache",
                "dm_cache",
                "l2arc",
            ];
            let again = u64::from(late.contains(&cache.about.name) && ram == 1);
            assert_eq!(result.counters.hdd_reads(), 3 + again);
        }
        let result = run(&[], cache.about.name, 3, 3, &[]);
        assert_eq!((result.accesses, result.slots_used), (0, 0));
        assert_eq!(result.counters.write_reduction(), None);
    }
}

#[test]
fn every_flash_cache_states_its_options_and_takes_their_defaults() {
    for cache in flash_caches() {
        let options = cache.options();
        for option in &options {
            assert!(!option.values.is_empty() && !option.default.is_empty());
            assert!(option.description.ends_with(['.', ']']), "{}", option.name);
        }
        // Large enough that no unit shrinks: 16 times the largest, a metadata segment of FaCE.
        let given = rated(cache, &[]);
        let in_force = run(&parse("R1 W2"), cache.about.name, 1, 1_024_000, &given).options;
        let defaults = in_force.into_iter();
        for (name, value) in defaults.filter(|(name, _)| !given.iter().any(|one| one.0 == name)) {
            let option = options.iter().find(|option| option.name == name).unwrap();
            assert!(
                option.default.starts_with(&value),
                "{name}: {value} is not {}",
                option.default
            );
        }
    }
}

#[test]
fn impossible_parameters_are_named() {
    let accesses = parse("R1 W2");
    for (cache, ram, flash, options, expected) in [
        ("fase", 1, 1, vec![], "scheme `fase`: no such flash cache"),
        (
            "face",
            0,
            1,
            vec![],
            "ram-pages `0`: a cache must have from 1 to 4294967295 pages",
        ),
        (
            "face",
            1,
            1,
            vec![("depth", "1")],
            "option `depth=1`: flash cache `face` has no option `depth`",
        ),
        (
            "face",
            1,
            1,
            vec![("mode", "write_back"), ("mode", "write_back")],
            "option `mode=write_back`: `mode` is given twice",
        ),
        (
            "face",
            1,
            1,
            vec![("mode", "back")],
            "option `mode=back`: is not one of its values",
        ),
        (
            "face",
            1,
            4,
            vec![("scan_depth", "5")],
            "option `scan_depth=5`: is not a whole number from 1 to 4",
        ),
        (
            "face",
            1,
            4,
            vec![("scan_depth", "0")],
            "option `scan_depth=0`: is not a whole number from 1 to 4",
        ),
        (
            "face",
            1,
            4,
            vec![("ram_policy", "mru")],
            "ram_policy `mru`: no such replacement policy",
        ),
        (
            "face",
            1,
            4,
            vec![("ram_policy", "2q"), ("ram_period", "1")],
            "option `ram_period`: policy `2q` has no such option",
        ),
        (
            "face",
            1,
            4,
            vec![
                ("ram_policy", "2q"),
                ("ram_k_in", "0.5"),
                ("ram-k-in", "0.4"),
            ],
            "option `ram-k-in=0.4`: `ram-k-in` is given twice",
        ),
        (
            "face",
            1,
            4,
            vec![("crash_at", "3")],
            "option `crash_at=3`: the trace ends after 2 accesses",
        ),
        (
            "face",
            1,
            4,
            vec![("checkpoint_accesses", "5"), ("checkpoint_us", "7")],
            "option `checkpoint_us=7`: cannot be combined with checkpoint_accesses",
        ),
        (
            "face",
            1,
            4,
            vec![("checkpoint_to", "disk")],
            "option `checkpoint_to=disk`: has no effect without checkpoint_accesses or checkpoint_us",
        ),
        (
            "face",
            1,
            4,
            vec![("checkpoint_us", "7")],
            "option `checkpoint_us=7`: the trace has no time, and these checkpoints are taken by time",
        ),
        (
            "face",
            1,
            0,
            vec![("checkpoint_us", "7")],
            "option `checkpoint_us=7`: the trace has no time, and these checkpoints are taken by time",
        ),
        (
            "lazy_cleaning",
            1,
            4,
            vec![("cleaner_period_us", "7")],
            "option `accesses_per_second`: the trace has no time, and the cleaner wakes by time",
        ),
        (
            "lazy_cleaning",
            1,
            4,
            vec![("cleaner_period_accesses", "7"), ("cleaner_period_us", "7")],
            "option `cleaner_period_accesses=7`: has no effect with cleaner_period_us, by which the cleaner wakes by time",
        ),
        (
            "lazy_cleaning",
            1,
            4,
            vec![
                ("cleaner_period_accesses", "7"),
                ("accesses_per_second", "7"),
            ],
            "option `cleaner_period_accesses=7`: has no effect with accesses_per_second, by which the cleaner wakes by time",
        ),
        (
            "lazy_cleaning",
            1,
            4,
            vec![("dirty_threshold", "1.5")],
            "option `dirty_threshold=1.5`: is not a number from 0 to 1",
        ),
        (
            "lazy_cleaning",
            1,
            4,
            vec![("dirty_threshold", "nan")],
            "option `dirty_threshold=nan`: is not a number from 0 to 1",
        ),
        (
            "lazy_cleaning",
            1,
            4,
            vec![("crash_at", "1")],
            "option `directory=memory`: does not survive the crash, so there is no warm restart: use directory=persistent or restart=cold",
        ),
    ] {
        let options = options
            .into_iter()
            .map(|(name, value)| (name, value.to_owned()));
        let error =
            run_on(&mut source(&accesses), cache, ram, flash, options.collect()).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn a_period_in_accesses_is_refused_where_the_cleaner_wakes_by_time() {
    let given = vec![("cleaner_period_accesses", "7".to_owned())];
    let accesses = parse("W1 R2 R3");
    let error = run_on(&mut timed(&accesses), "lazy_cleaning", 1, 4, given.clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "option `cleaner_period_accesses=7`: has no effect: the accesses have times, and the cleaner wakes by time"
    );
    assert!(error.hint().contains("cleaner_period_us"));
    // Behind an assignment it is the same.
    let assigned = [given, vec![("assignment", "miss".to_owned())]].concat();
    let behind = run_on(&mut timed(&accesses), "lazy_cleaning", 1, 4, assigned).unwrap_err();
    assert_eq!(behind.to_string(), error.to_string());
}

#[test]
fn names_are_found_in_any_case_and_refused_progress_cancels() {
    let accesses = parse("R1 W2");
    assert_eq!(
        run(
            &accesses,
            "Lazy-Cleaning",
            1,
            2,
            &[("MODE".to_lowercase().as_str(), "Write-Through")]
        )
        .scheme,
        "lazy_cleaning"
    );
    let result = simulate_flash_cache(&mut source(&accesses), "face", 1, 1, &[], &mut |_| false);
    assert!(matches!(result, Err(Error::Cancelled)));
}

/// A source that forgets the time of its second chunk.
struct Forgetful(Timed);

impl AccessSource for Forgetful {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let later = self.0.next > 0;
        let more = self.0.next_chunk(chunk)?;
        if later {
            chunk.times_ns.clear();
        }
        Ok(more)
    }

    fn addresses(&self) -> (&[u32], &[u64]) {
        self.0.addresses()
    }
}

#[test]
fn a_clock_that_stops_is_an_error_not_another_clock() {
    let accesses: Vec<Access> = (0..200).map(|at| (at % 7, at % 3 == 0, at)).collect();
    assert_eq!(WRITE, 1);
    let error = run_on(
        &mut Forgetful(timed(&accesses)),
        "lazy_cleaning",
        1,
        2,
        Vec::new(),
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "internal error: trace source: time in some chunks only"
    );
}

/// What is written otherwise, or is an option of DRAM's policy, is not to be sought in a list without it.
#[test]
fn an_unknown_option_is_answered_by_the_right_spelling_or_by_all_options() {
    let accesses = parse("R1 W2");
    for (options, hint) in [
        (vec![("RAM_POLICY", "arc")], "write `ram_policy`"),
        (vec![("ram-policy", "arc")], "write `ram_policy`"),
        (vec![("Mode", "write_back")], "write `mode`"),
        (
            vec![("depth", "1")],
            "ram_policy, ftl_spare_percent, ftl_block_pages, ftl_gc, ftl_choices, ftl_seed, ftl_buffer_pages, ftl_mapping, ftl_trim, crash_at, restart; options of its ram_policy start with `ram_`, but `lru` has none",
        ),
        (
            vec![("ram_policy", "2Q"), ("depth", "1")],
            "restart; or an option of its ram_policy `2q`, ram_k_in, ram_k_out",
        ),
    ] {
        let options = options
            .into_iter()
            .map(|(name, value)| (name, value.to_owned()));
        let error = run_on(&mut source(&accesses), "face", 1, 1, options.collect()).unwrap_err();
        assert!(error.hint().ends_with(hint), "{}", error.hint());
    }
}

#[test]
fn a_log_of_versions_wears_flash_less_than_writes_in_place() {
    // Uniform accesses, half of them writes, to more pages than flash holds.
    let mut state = 7_u64;
    let accesses: Vec<Access> = (0..60_000)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33 & 8191, state >> 60 & 1 == 0, 0)
        })
        .collect();
    let device = [("ftl_spare_percent", "10"), ("ftl_block_pages", "32")];
    let worn = |name, options: &[(&str, &str)]| run(&accesses, name, 256, 4096, options);
    let face = worn("face", &device);
    let ftl = face.ftl.clone().expect("a device was asked for");
    let metadata = face.counters.metadata_page_writes(4096);
    assert!(metadata > 0);
    assert_eq!(ftl.host_writes, face.counters.flash_writes() + metadata);
    assert!(
        ftl.waf < Some(1.02),
        "appends leave whole blocks invalid: {:?}",
        ftl.waf
    );
    let mut lazy_options = device.to_vec();
    lazy_options.push(("dirty_threshold", "1"));
    let lazy = worn("lazy_cleaning", &lazy_options);
    let ftl = lazy.ftl.clone().expect("a device was asked for");
    assert_eq!(ftl.host_writes, lazy.counters.flash_writes());
    assert!(ftl.waf > Some(2.0), "{:?}", ftl.waf);
    // The device changes nothing but what is told of it.
    let bare = FlashCacheResult {
        ftl: None,
        options: worn("face", &[]).options,
        ..face
    };
    assert_eq!(bare, worn("face", &[]));
}

#[test]
fn every_translation_layer_is_an_option() {
    let names: Vec<&str> = Mapping::TABLE.iter().map(|about| about.name).collect();
    for cache in flash_caches() {
        let options = cache.options();
        let mapping = options.iter().find(|option| option.name == "ftl_mapping");
        assert_eq!(
            mapping.map(|option| option.values),
            Some(names.join(", ").as_str())
        );
    }
    for scheme in schemes().iter().filter(|scheme| scheme.name != "none") {
        let mapping = scheme
            .options
            .iter()
            .find(|option| option.name == "ftl_mapping");
        assert_eq!(
            mapping.map(Setting::range),
            Some(format!("one of {}", names.join(", ")))
        );
    }
}
