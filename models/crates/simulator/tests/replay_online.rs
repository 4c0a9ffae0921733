//! The online chooser against a slow obvious model, and its choices against their rules.

use proptest::prelude::*;
use tierwright_simulator::access::MemorySource;
use tierwright_simulator::error::Result;
use tierwright_simulator::replay::{
    Choice, OnlineResult, SchemeCounters, choosers, policies, simulate_online, simulate_scheme,
};
use tierwright_simulator::wording::grouped;

mod replay_slow;

use replay_slow::Access;
use replay_slow::online::{Admission, Counted, Seen, replay};

/// Phases of different locality and dirt, so that there is something to choose.
fn accesses(longest: usize) -> impl Strategy<Value = Vec<Access>> {
    let phase = (1_u64..40, 0_u64..30, 0_u32..=4, 1..longest / 3);
    prop::collection::vec(phase, 1..4).prop_flat_map(|phases| {
        let phases: Vec<_> = phases
            .into_iter()
            .map(|(pages, first, write_quarters, accesses)| {
                let page = prop_oneof![0..pages, 0..pages.div_ceil(4)];
                let write = (0_u32..4).prop_map(move |draw| draw < write_quarters);
                prop::collection::vec((page.prop_map(move |page| first + page), write), accesses)
            })
            .collect();
        phases.prop_map(|phases| phases.into_iter().flatten().collect())
    })
}

fn relation_of(page: u64) -> u32 {
    u32::try_from(page % 3).expect("below 3")
}

fn online(
    accesses: &[Access],
    (ram, flash): (usize, usize),
    options: &[(&str, &str)],
) -> Result<OnlineResult> {
    let own = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    let options: Vec<_> = options.iter().map(own).collect();
    let source = MemorySource::new(accesses.iter().copied()).with_chunk_accesses(37);
    let mut source = source.with_spaces(relation_of);
    let (ram, flash) = (ram as u64, flash as u64);
    simulate_online(&mut source, "online", ram, flash, &options, &mut |_| true)
}

fn counted(counters: &SchemeCounters) -> Counted {
    Counted {
        ram_hits: counters.ram_hits,
        flash_hits: counters.flash_hits,
        flash_misses: counters.flash_misses,
        flash_fills: counters.flash_fills,
        flash_write_backs: counters.flash_write_backs,
        hdd_writes: counters.hdd_writes,
        rejections: counters.rejections,
        dirty_rejections: counters.dirty_rejections,
        lookups: counters.directory_lookups,
        updates: counters.directory_updates,
    }
}

/// Policies of RAM and flash.
fn tiers() -> impl Strategy<Value = (&'static str, &'static str)> {
    let names: Vec<_> = policies().iter().map(|about| about.name).collect();
    let any = prop::sample::select(names);
    prop_oneof![1 => Just(("lru", "lru")), 3 => (any.clone(), any)]
}

/// What is admitted: of all relations, of one by itself, and the lifetime of a second miss; `None` of all pages.
type Assigned = Option<(&'static str, (u32, &'static str), usize)>;

fn assigned() -> impl Strategy<Value = Assigned> {
    let rule = prop::sample::select(vec!["never", "second_miss", "miss", "write"]);
    let lifetime = prop_oneof![Just(0), 1_usize..60];
    prop::option::weighted(0.7, (rule.clone(), (0_u32..3, rule), lifetime))
}

/// The options that ask for it.
fn admission_options(assigned: Assigned) -> Vec<(&'static str, String)> {
    let Some((all, (number, rule), lifetime)) = assigned else {
        return Vec::new();
    };
    vec![
        ("admission", "cachesack".to_owned()),
        ("assignment", format!("{all}+{number}:{rule}")),
        ("lifetime_requests", lifetime.to_string()),
    ]
}

const TIMES: [(&str, &str); 4] = [
    ("flash_read_us", "100"),
    ("flash_write_us", "200"),
    ("disk_read_us", "1000"),
    ("disk_write_us", "2000"),
];

/// The scheme of a period and a relation: that of its last row before, or the first one.
fn running(history: &[Choice], initial: &str, period: u64, relation: Option<u32>) -> String {
    let earlier = |row: &&Choice| row.relation == relation && row.period < period;
    let last = history.iter().rfind(earlier);
    last.map_or(initial, |row| row.chosen).to_owned()
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * (1.0 + left.abs().max(right.abs()))
}

#[expect(clippy::cast_precision_loss, reason = "few accesses")]
fn share(part: u64, whole: u64, none: f64) -> f64 {
    if whole == 0 {
        none
    } else {
        (part as f64 / whole as f64).min(1.0)
    }
}

/// A row says what was seen: measured shares, and the hits of exact sizes, which are RAM's if that is `lru`.
fn check_row(row: &Choice, seen: &Seen, (ram, flash): (usize, usize), lru: bool) {
    assert_eq!(
        (row.accesses, row.ram_misses),
        (seen.accesses, seen.ram_misses)
    );
    assert_eq!(row.flash_hits, seen.flash_hits);
    let misses = |size: usize| {
        let above = |distance: &&Option<usize>| distance.is_none_or(|distance| distance > size);
        seen.distances.iter().filter(above).count() as u64
    };
    assert!(!lru || misses(ram) == seen.ram_misses);
    let dirty = share(seen.written_victims, seen.ram_misses, 0.0);
    assert!(close(row.dirty_share, dirty));
    let flash_dirty = share(seen.disk_writes, seen.ram_misses - seen.flash_hits, dirty);
    assert!(close(row.flash_dirty_share, flash_dirty));
    for estimate in &row.estimates {
        let exact = match estimate.scheme {
            "inclusive" => Some(ram.max(flash)),
            "exclusive" => Some(ram + flash),
            _ => None,
        };
        if let Some(size) = exact {
            #[expect(clippy::cast_precision_loss, reason = "few accesses")]
            let missed = misses(size) as f64;
            assert!(close(estimate.flash_misses, missed), "{}", estimate.scheme);
        }
        #[expect(clippy::cast_precision_loss, reason = "few accesses")]
        let ram_misses = misses(ram) as f64;
        assert!(close(
            estimate.flash_hits + estimate.flash_misses,
            ram_misses
        ));
    }
    assert_eq!(row.estimates.len(), if flash > ram { 3 } else { 2 });
}

/// The rule of the choice, for one relation's rows in order; a period without a row has no gain.
fn check_choices(
    rows: &[&Choice],
    initial: &str,
    (hysteresis, least, patience): (f64, f64, u32),
    whole: u64,
) -> u64 {
    let (mut scheme, mut contender, mut streak) = (initial.to_owned(), String::new(), 0);
    let mut switches = 0;
    let mut next = 0;
    for row in rows {
        assert_eq!(row.running, scheme);
        streak = if row.period == next { streak } else { 0 };
        next = row.period + 1;
        if row.period < whole {
            let cost = |name: &str| {
                let found = row
                    .estimates
                    .iter()
                    .find(|estimate| estimate.scheme == name);
                found.map_or(f64::INFINITY, |estimate| estimate.cost_us)
            };
            let running = cost(&scheme);
            let mut best = scheme.as_str();
            for name in ["lazy", "exclusive", "inclusive"] {
                if cost(name) < cost(best) {
                    best = name;
                }
            }
            let gain = running - cost(best);
            if best != scheme && gain > hysteresis * running && gain > least {
                streak = if contender == best { streak + 1 } else { 1 };
                best.clone_into(&mut contender);
                if streak >= patience {
                    best.to_owned().clone_into(&mut scheme);
                    streak = 0;
                    switches += 1;
                }
            } else {
                streak = 0;
            }
        }
        assert_eq!(row.chosen, scheme, "period {}", row.period);
    }
    switches
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_chooser_matches_its_slow_model(
        accesses in accesses(400), ram in 1_usize..10, flash in 1_usize..25, period in 3_usize..60,
        hysteresis in prop_oneof![Just("0"), Just("0.02")], patience in 1_u32..3,
        least in prop_oneof![Just("0"), Just("500")],
        slow_writes in any::<bool>(), lookup in any::<bool>(), initial in 1_usize..3,
        (ram_policy, flash_policy) in tiers(), assigned in assigned(),
    ) {
        let admission = admission_options(assigned);
        let rule_of = |page| match assigned {
            Some((_, (number, rule), _)) if number == relation_of(page) => rule,
            Some((rule, ..)) => rule,
            None => "miss",
        };
        // Where none is stated, as many as flash has pages.
        let lifetime = assigned.map_or(0, |(.., lifetime)| lifetime);
        let slow = Admission {
            rule_of: &rule_of,
            lifetime: if lifetime == 0 { flash } else { lifetime },
        };
        let lru = (ram_policy, flash_policy) == ("lru", "lru");
        let initial = ["inclusive", "exclusive", "lazy"][initial];
        let (period_text, patience_text) = (period.to_string(), patience.to_string());
        for scope in ["global", "relation"] {
            let mut options = TIMES.to_vec();
            options[1].1 = if slow_writes { "900" } else { "20" };
            options.extend([
                ("period", period_text.as_str()), ("patience", patience_text.as_str()),
                ("hysteresis", hysteresis), ("scope", scope), ("initial", initial),
                ("switch_cost_us", least), ("lookup_us", if lookup { "3" } else { "0" }),
                ("update_us", "2"), ("ram_policy", ram_policy), ("flash_policy", flash_policy),
            ]);
            options.extend(admission.iter().map(|(name, value)| (*name, value.as_str())));
            let found = online(&accesses, (ram, flash), &options).unwrap();
            let history = &found.history;
            let each = scope == "relation";
            let relation = |page| if each { relation_of(page) } else { 0 };
            let named = |relation| each.then_some(relation);
            let running = |now, relation| running(history, initial, now, named(relation));
            let (ram_tier, flash_tier) = ((ram_policy, ram), (flash_policy, flash));
            let expected = replay(&accesses, ram_tier, flash_tier, period, &relation, &running, &slow);
            prop_assert_eq!(counted(&found.counters), expected.counted);
            prop_assert_eq!((found.ram_policy, found.flash_policy), (ram_policy, flash_policy));
            let warned: Vec<_> = found.warnings.iter().map(|warning| warning.name).collect();
            let unseen = |number| accesses.iter().all(|&(page, _)| relation_of(page) < number);
            let expected_warnings = [
                (!lru, "judged_by_lru"),
                (expected.counted.rejections > 0, "judged_as_if_all_entered"),
                (assigned.is_some_and(|(_, (number, _), _)| unseen(number)), "unknown_category"),
            ];
            let expected_warnings = expected_warnings.iter().filter(|each| each.0);
            prop_assert_eq!(warned, expected_warnings.map(|each| each.1).collect::<Vec<_>>());
            prop_assert_eq!(found.admission, assigned.map_or("all", |_| "cachesack"));
            let with_misses = expected.seen.values().filter(|seen| seen.ram_misses > 0).count();
            prop_assert_eq!(history.len(), with_misses);
            let mut switches = 0;
            let whole = (accesses.len() / period) as u64;
            for relation in 0..3 {
                let mine = |row: &&Choice| row.relation == named(relation);
                let rows: Vec<&Choice> = history.iter().filter(mine).collect();
                for row in &rows {
                    let seen = &expected.seen[&(row.period, relation)];
                    check_row(row, seen, (ram, flash), ram_policy == "lru");
                }
                let (share, least) = (hysteresis.parse().unwrap(), least.parse().unwrap());
                switches += check_choices(&rows, initial, (share, least, patience), whole);
                if !each {
                    break;
                }
            }
            prop_assert_eq!(found.switches, switches);
        }
    }

    /// A chooser that never switches is the scheme it begins with, to the last operation.
    #[test]
    fn without_a_switch_it_is_the_scheme(
        accesses in accesses(300), ram in 1_usize..10, flash in 1_usize..25,
        (ram_policy, flash_policy) in tiers(), scope in prop::sample::select(vec!["global", "relation"]),
        assigned in assigned(),
    ) {
        let admission = admission_options(assigned);
        let mut tiers = vec![("ram_policy", ram_policy), ("flash_policy", flash_policy)];
        // Their options pass too.
        for (policy, option) in [
            (ram_policy, [("ram_k_in", "0.5"), ("ram_ceiling", "2"), ("ram_hir_share", "0.3")]),
            (flash_policy, [("flash_k_in", "0.6"), ("flash_ceiling", "3"), ("flash_hir_share", "0.3")]),
        ] {
            let of = ["2q", "gclock", "lirs"].iter().zip(option);
            tiers.extend(of.filter(|(name, _)| **name == policy).map(|(_, option)| option));
        }
        tiers.extend(admission.iter().map(|(name, value)| (*name, value.as_str())));
        let own = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
        let plain_options: Vec<_> = tiers.iter().map(own).collect();
        for name in ["inclusive", "exclusive", "lazy"] {
            let mut options = TIMES.to_vec();
            options.extend([("initial", name), ("period", "20"), ("switch_cost_us", "1e12")]);
            options.push(("scope", scope));
            options.extend(&tiers);
            let found = online(&accesses, (ram, flash), &options);
            if name == "inclusive" && flash <= ram {
                let hint = found.unwrap_err().hint().to_owned();
                prop_assert!(hint.contains("more pages than RAM"));
                continue;
            }
            let mut source = MemorySource::new(accesses.iter().copied()).with_spaces(relation_of);
            let plain =
                simulate_scheme(&mut source, name, ram as u64, flash as u64, &plain_options, &mut |_| true);
            prop_assert_eq!(found.unwrap().counters, plain.unwrap().counters, "{}", name);
        }
    }
}

/// First a loop over more pages than flash holds, which fits RAM and flash together: exclusive. Then a
/// loop that fits flash, where exclusive writes each page back and lazy writes none.
#[test]
fn the_chooser_follows_the_workload() {
    let mut accesses: Vec<Access> = (0..4000).map(|index| (index % 24, false)).collect();
    accesses.extend((0..4000_u64).map(|index| (100 + index * 5 % 14, false)));
    let mut options = TIMES.to_vec();
    options.push(("period", "200"));
    let found = online(&accesses, (6, 18), &options).unwrap();
    let chosen: Vec<&str> = found.history.iter().map(|row| row.chosen).collect();
    assert_eq!(chosen[..2], ["lazy", "exclusive"]);
    assert_eq!(chosen[18], "exclusive");
    assert_eq!(chosen.last(), Some(&"lazy"));
    assert_eq!(found.switches, 2);
    assert_eq!(found.history.len(), 40);
    let cost = |counters: &SchemeCounters| {
        100 * counters.flash_reads()
            + 200 * counters.flash_writes()
            + 1000 * counters.hdd_reads()
            + 2000 * counters.hdd_writes
    };
    for name in ["inclusive", "exclusive", "lazy"] {
        let mut source = MemorySource::new(accesses.iter().copied());
        let plain = simulate_scheme(&mut source, name, 6, 18, &[], &mut |_| true).unwrap();
        assert!(cost(&found.counters) < cost(&plain.counters), "{name}");
    }
}

/// An assignment that no admission asks for.
const TIMES_AND_NEVER: [(&str, &str); 5] = [
    TIMES[0],
    TIMES[1],
    TIMES[2],
    TIMES[3],
    ("assignment", "never"),
];

/// Relation 1 passes flash under each scheme in turn, and what it writes goes to disk by itself.
#[test]
fn what_is_not_admitted_passes_flash_whatever_runs() {
    let accesses: Vec<Access> = (0..6000).map(|at| (at * 7 % 45, at % 2 == 0)).collect();
    let mut options = TIMES.to_vec();
    options.extend([("admission", "cachesack"), ("assignment", "miss+1:never")]);
    options.push(("period", "500"));
    let found = online(&accesses, (6, 18), &options).unwrap();
    let counters = found.counters;
    assert!(counters.rejections > 1900 && counters.dirty_rejections > 900);
    let [warning] = &found.warnings[..] else {
        panic!("{:?}", found.warnings)
    };
    assert_eq!(warning.name, "judged_as_if_all_entered");
    let said = format!(
        "flash did not admit {} of {} RAM victims, while the schemes are chosen by estimates that suppose",
        grouped(counters.rejections),
        grouped(counters.ram_evictions)
    );
    assert!(warning.message.starts_with(&said), "{}", warning.message);
    // Nothing of it reaches flash, so the others have it for themselves.
    options[5].1 = "never";
    let nothing = online(&accesses, (6, 18), &options).unwrap().counters;
    assert_eq!((nothing.flash_fills, nothing.flash_hits), (0, 0));
    assert_eq!(nothing.hdd_writes, nothing.ram_dirty_evictions);
    options[5].1 = "miss";
    let all = online(&accesses, (6, 18), &options).unwrap();
    let plain = online(&accesses, (6, 18), &[&options[..4], &options[6..]].concat()).unwrap();
    assert_eq!(
        OnlineResult {
            admission: "all",
            ..all
        },
        plain
    );
}

#[test]
fn missing_costs_and_wrong_options_are_named() {
    let some = [("flash_read_us", "1"), ("disk_read_us", "2")];
    for (flash, options, message, hint) in [
        (
            4,
            &some[..],
            "option `flash_write_us, disk_write_us`: scheme `online` compares device times, but not all of them are given",
            "flash_write_us=T in microseconds",
        ),
        (
            4,
            &[("flash_read_us", "-1")],
            "option `flash_read_us=-1`: scheme `online` takes a number from 0 to 1000000000000 here",
            "flash_read_us has no default: Time to read",
        ),
        (
            4,
            &[("periods", "5")],
            "option `periods`: scheme `online` has no such option",
            "choose one of flash_read_us, flash_write_us",
        ),
        (
            4,
            &[("scope", "page")],
            "option `scope=page`: scheme `online` takes one of global, relation here",
            "scope=global",
        ),
        (
            4,
            &[("admission", "clean_only")],
            "option `admission=clean_only`: scheme `online` does not take it: under inclusive, which it may choose, what enters flash is decided as it comes from disk, and this rule looks at RAM victims",
            "choose admission=cachesack, or the scheme exclusive or lazy",
        ),
        (
            4,
            &TIMES_AND_NEVER[..],
            "option `assignment=never`: has no effect without admission=cachesack",
            "add admission=cachesack, or leave it out",
        ),
        (
            0,
            &TIMES[..],
            "flash-pages `0`: a cache must have from 1 to 4294967295 pages",
            "in pages",
        ),
    ] {
        let error = online(&[(1, true)], (2, flash), options).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.hint().contains(hint), "{}", error.hint());
    }
    let error = simulate_online(&mut MemorySource::new([]), "onlime", 1, 1, &[], &mut |_| {
        true
    });
    assert_eq!(error.unwrap_err().hint(), "choose online");
    let error = simulate_scheme(&mut MemorySource::new([]), "onlime", 1, 1, &[], &mut |_| {
        true
    });
    assert!(
        error
            .unwrap_err()
            .hint()
            .contains("a chooser among them: online")
    );
}

#[test]
fn more_relations_than_choices_are_refused() {
    let accesses = (0..5000).map(|page| (page, false));
    let source = MemorySource::new(accesses).with_spaces(|page| u32::try_from(page).unwrap());
    let mut source = source.with_chunk_accesses(100);
    let mut options: Vec<_> = TIMES
        .iter()
        .map(|&(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    options.push(("scope".to_owned(), "relation".to_owned()));
    let mut read = 0;
    let error = simulate_online(&mut source, "online", 1, 1, &options, &mut |progress| {
        read = progress.accesses;
        true
    });
    let error = error.unwrap_err();
    assert_eq!(
        error.to_string(),
        "option `scope=relation`: the trace has more than 4,096 relations: number 4,097 comes after \
        4,096 distinct pages, and at most 4,096 can have a separate choice"
    );
    assert!(error.hint().contains("scope=global"));
    // Not at the end of the trace, but in the chunk where it appears.
    assert_eq!(read, 4000);
    // As many as there may be are no error.
    let accesses = (0..5000).map(|page| (page % 4096, false));
    let mut source = MemorySource::new(accesses).with_spaces(|page| u32::try_from(page).unwrap());
    simulate_online(&mut source, "online", 1, 1, &options, &mut |_| true).unwrap();
}

#[test]
fn every_default_is_a_value_and_the_costs_have_none() {
    for about in choosers() {
        let given: Vec<_> = about
            .options
            .iter()
            .map(|option| {
                (
                    option.name,
                    if option.default.is_empty() {
                        "7"
                    } else {
                        option.default
                    },
                )
            })
            .collect();
        let named = online(&[(1, true), (2, false)], (1, 2), &given).unwrap();
        let without = about
            .options
            .iter()
            .filter(|option| option.default.is_empty());
        let times: Vec<_> = without.map(|option| (option.name, "7")).collect();
        assert_eq!(times.len(), 4);
        assert_eq!(
            named,
            online(&[(1, true), (2, false)], (1, 2), &times).unwrap()
        );
    }
}
