//! The flash device that holds the data of a policy or a buffer, against one that is fed by hand.

use proptest::prelude::*;
use tierwright_simulator::access::{AccessSource, Chunk, MemorySource};
use tierwright_simulator::error::{Error, Result};
use tierwright_simulator::ftl::{Collection, Ftl, FtlResult, Op, Request, Settings};
use tierwright_simulator::progress::Progress;
use tierwright_simulator::replay::buffers::{BufferResult, buffers, simulate_buffer};
use tierwright_simulator::replay::{
    PolicyResult, device_options, policies, simulate_policy, simulate_scheme,
};
use tierwright_simulator::sweep::{Configuration, sweep};

type Access = (u64, bool);

const DEVICE: [(&str, &str); 2] = [("ftl_spare_percent", "60"), ("ftl_block_pages", "4")];

fn named(options: &[(&str, &str)]) -> Vec<(String, String)> {
    let own = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    options.iter().map(own).collect()
}

fn source(accesses: &[Access], warm_up: usize) -> MemorySource {
    MemorySource::new(accesses.iter().copied())
        .with_chunk_accesses(7)
        .with_warm_up(warm_up as u64)
}

fn policy(
    accesses: &[Access],
    warm_up: usize,
    name: &str,
    pages: u64,
    options: &[(&str, &str)],
) -> Result<PolicyResult> {
    let mut source = source(accesses, warm_up);
    simulate_policy(&mut source, name, pages, &named(options), &mut |_| true)
}

fn buffer(
    accesses: &[Access],
    warm_up: usize,
    name: &str,
    pages: u64,
    options: &[(&str, &str)],
) -> Result<BufferResult> {
    let mut source = source(accesses, warm_up);
    simulate_buffer(&mut source, name, pages, &named(options), &mut |_| true)
}

/// The pages by their numbers, and how many there are.
fn numbered(accesses: &[Access]) -> (Vec<(u32, bool)>, u32) {
    let mut known: Vec<u64> = Vec::new();
    let mut found = Vec::new();
    for &(page, write) in accesses {
        let number = known.iter().position(|&other| other == page);
        let number = number.unwrap_or_else(|| {
            known.push(page);
            known.len() - 1
        });
        found.push((u32::try_from(number).expect("few"), write));
    }
    (found, u32::try_from(known.len()).expect("few"))
}

/// The write-backs of a list in the order of use, or of arrival, by the access that causes each.
fn write_backs(
    accesses: &[Access],
    pages: usize,
    working: usize,
    by_use: bool,
) -> Vec<(usize, u32)> {
    let mut list: Vec<(u32, bool)> = Vec::new();
    let mut written = Vec::new();
    for (at, &(page, write)) in numbered(accesses).0.iter().enumerate() {
        if let Some(place) = list.iter().position(|held| held.0 == page) {
            list[place].1 |= write;
            if by_use {
                let held = list.remove(place);
                list.push(held);
            }
            continue;
        }
        if list.len() == pages {
            // Clean first, outside the working region.
            let outside = &list[..pages - working];
            let victim = outside.iter().position(|held| !held.1).unwrap_or(0);
            let (page, dirty) = list.remove(victim);
            if dirty {
                written.push((at, page));
            }
        }
        list.push((page, write));
    }
    written
}

/// What a device with [`DEVICE`] does that holds so many pages, and counts the writes from `warm_up` on.
fn fed(pages: u32, collection: Collection, writes: &[(usize, u32)], warm_up: usize) -> FtlResult {
    let blocks = (pages * 160).div_ceil(100).div_ceil(4);
    let mut ftl = Ftl::new(Settings::new(pages, blocks, 4, collection)).expect("room to collect");
    let write = |page| Request {
        page,
        op: Op::Write,
        stream: 0,
    };
    ftl.serve((0..pages).map(write)).expect("its pages");
    let (before, counted): (Vec<_>, Vec<_>) = writes.iter().partition(|(at, _)| *at < warm_up);
    ftl.serve(before.into_iter().map(|(_, page)| write(page)))
        .expect("its pages");
    ftl.restart_counters();
    ftl.serve(counted.into_iter().map(|(_, page)| write(page)))
        .expect("its pages");
    ftl.result()
}

/// Enough pages for a device of blocks of 4, all of which are read first.
fn accesses() -> impl Strategy<Value = Vec<Access>> {
    (24_u64..60).prop_flat_map(|pages| {
        let page = prop_oneof![0..pages, 0..pages / 4];
        prop::collection::vec((page, prop::bool::weighted(0.6)), 0..400).prop_map(move |later| {
            let all = (0..pages).map(|page| (page * 7, false));
            all.chain(later.into_iter().map(|(page, write)| (page * 7, write)))
                .collect()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_device_serves_the_write_backs_of_slow_lists(
        accesses in accesses(), pages in 1_usize..24, warm_share in 0_usize..10,
    ) {
        let (_, distinct) = numbered(&accesses);
        let warm_up = (accesses.len() - 1) * warm_share / 10;
        let size = pages as u64;
        for (gc, collection) in [("greedy", Collection::Greedy), ("fifo", Collection::Fifo), ("cost_benefit", Collection::CostBenefit)] {
            let device = [DEVICE[0], DEVICE[1], ("ftl-gc", gc)];
            let lru = fed(distinct, collection, &write_backs(&accesses, pages, pages, true), warm_up);
            let found = policy(&accesses, warm_up, "lru", size, &device).unwrap();
            prop_assert_eq!(found.ftl.as_deref(), Some(&lru));
            let found = buffer(&accesses, warm_up, "lru", size, &device).unwrap();
            prop_assert_eq!(found.ftl.as_deref(), Some(&lru));
            let fifo = fed(distinct, collection, &write_backs(&accesses, pages, pages, false), warm_up);
            let found = policy(&accesses, warm_up, "fifo", size, &device).unwrap();
            prop_assert_eq!(found.ftl.as_deref(), Some(&fifo));
            let cflru = fed(distinct, collection, &write_backs(&accesses, pages, pages / 2, true), warm_up);
            let found = buffer(&accesses, warm_up, "cflru", size, &device).unwrap();
            prop_assert_eq!(found.ftl.as_deref(), Some(&cflru));
        }
    }

    /// Where a single page is ever written, the device is told of that one, by whatever policy or buffer.
    #[test]
    fn every_policy_and_buffer_names_what_it_writes(
        accesses in accesses(), pages in 2_u64..24, dirtied in 0_u64..24,
    ) {
        let accesses: Vec<Access> = accesses
            .into_iter()
            .enumerate()
            .map(|(at, (page, write))| (page, (write || at % 5 == 0) && page == dirtied * 7))
            .collect();
        let (_, distinct) = numbered(&accesses);
        let page = u32::try_from(dirtied).unwrap();
        let told = |count: u64| {
            let writes: Vec<_> = (0..count).map(|_| (0, page)).collect();
            fed(distinct, Collection::Greedy, &writes, 0)
        };
        for about in policies() {
            let found = policy(&accesses, 0, about.name, pages, &DEVICE).unwrap();
            let expected = told(found.disk_writes);
            prop_assert_eq!(found.ftl.as_deref(), Some(&expected), "{}", about.name);
        }
        for about in buffers() {
            let found = buffer(&accesses, 0, about.name, pages, &DEVICE).unwrap();
            let expected = told(found.counters.writes);
            prop_assert_eq!(found.ftl.as_deref(), Some(&expected), "{}", about.name);
        }
    }

    #[test]
    fn no_counter_of_a_policy_or_buffer_depends_on_the_device(
        accesses in accesses(), pages in 2_u64..24, warm_share in 0_usize..10,
    ) {
        let warm_up = (accesses.len() - 1) * warm_share / 10;
        for about in policies() {
            let alone = policy(&accesses, warm_up, about.name, pages, &[]).unwrap();
            let mut found = policy(&accesses, warm_up, about.name, pages, &DEVICE).unwrap();
            let ftl = found.ftl.take().expect("a device");
            prop_assert_eq!(ftl.host_writes, found.disk_writes, "{}", about.name);
            prop_assert_eq!(ftl.used_pages, found.distinct_pages);
            prop_assert_eq!(found, alone);
        }
        for about in buffers() {
            let pools: &[&[(&str, &str)]] = match about.name {
                "fd_static" | "fd_buffer" => &[&[], &[("clean_policy", "arc"), ("dirty_policy", "2q")], &[("dirty_policy", "opt")]],
                "cfdc" => &[&[], &[("clustering", "false")]],
                _ => &[&[]],
            };
            for own in pools {
                let alone = buffer(&accesses, warm_up, about.name, pages, own).unwrap();
                let with: Vec<_> = own.iter().chain(&DEVICE).copied().collect();
                let mut found = buffer(&accesses, warm_up, about.name, pages, &with).unwrap();
                let ftl = found.ftl.take().expect("a device");
                prop_assert_eq!(ftl.host_writes, found.counters.writes, "{} {:?}", about.name, own);
                prop_assert_eq!(found, alone);
            }
        }
    }
}

fn refusal(options: &[(&str, &str)]) -> (String, String) {
    let first = (0..40).map(|page| (page, false));
    let later = (0..200).map(|at| (at * 17 % 40, true));
    let accesses: Vec<Access> = first.chain(later).collect();
    let of_policy = policy(&accesses, 0, "lru", 8, options).map(|_| ());
    let of_buffer = buffer(&accesses, 0, "cflru", 8, options).map(|_| ());
    let text = |found: Result<()>| match found {
        Err(Error::BadParameter { message, hint, .. }) => (message, hint),
        other => panic!("{options:?}: {other:?}"),
    };
    let (of_policy, of_buffer) = (text(of_policy), text(of_buffer));
    assert_eq!(
        (of_policy.0.replace("`lru`", "`cflru`"), of_policy.1.clone()),
        of_buffer
    );
    of_policy
}

#[test]
fn what_has_no_meaning_is_refused_with_its_reason() {
    let with = |more: (&'static str, &'static str)| [DEVICE[0], DEVICE[1], more];
    let of = |found: (String, String), text: &str| assert!(found.0.contains(text), "{found:?}");
    of(
        refusal(&with(("ftl_trim", "true"))),
        "no page is dropped that could be trimmed",
    );
    of(refusal(&with(("ftl_colour", "red"))), "has no such option");
    of(refusal(&with(("ftl_gc", "best"))), "takes one of greedy");
    of(
        refusal(&with(("ftl_seed", "3"))),
        "has no effect with ftl_gc=greedy",
    );
    of(
        refusal(&[("ftl_block_pages", "4")]),
        "has no effect without ftl_spare_percent",
    );
    of(refusal(&with(("FTL-Spare-Percent", "7"))), "is given twice");
    of(refusal(&[("ftl_spare_percent", "7")]), "no room to collect");
    // Pages are written back where they lie, and not where their zones stand.
    let zones = with(("ftl_mapping", "zones"));
    assert!(refusal(&zones).0.contains("zone"));
    // Write-backs in the order of the pages fill one zone after the other.
    let rounds: Vec<Access> = (0..200).map(|at| (at * 17 % 40, true)).collect();
    let found = policy(&rounds, 0, "lru", 8, &zones).unwrap();
    assert_eq!(found.ftl.and_then(|ftl| ftl.waf), Some(1.0));
    // A spare space of 0 is none.
    let none = policy(
        &[(1, true), (2, true)],
        0,
        "lru",
        1,
        &[("ftl_spare_percent", "0")],
    );
    assert_eq!(none.unwrap().ftl, None);
}

/// They are options of what holds data alone, and not of the policies of tiers.
#[test]
fn no_tier_takes_them() {
    for option in device_options() {
        let name = format!("ram_{}", option.name);
        let mut source = source(&[(1, true), (2, true)], 0);
        let options = named(&[(&name, option.default)]);
        let found = simulate_scheme(&mut source, "none", 1, 0, &options, &mut |_| true);
        assert!(matches!(found, Err(Error::BadParameter { .. })), "{name}");
    }
}

/// Writes that take a device a while.
fn many_writes() -> MemorySource {
    let first = (0..1000).map(|page| (page, false));
    let later = (0..300_000_u64).map(|at| (at * at % 997, true));
    MemorySource::new(first.chain(later))
}

/// What `run` is told of its progress, until it is told to stop, and whether it was cancelled.
fn told(
    stop: impl Fn(Progress) -> bool,
    run: impl FnOnce(&mut dyn FnMut(Progress) -> bool) -> Result<()>,
) -> (Vec<Progress>, bool) {
    let mut told: Vec<Progress> = Vec::new();
    let mut stopped = false;
    let found = run(&mut |progress| {
        assert!(!stopped, "went on after it was told to stop");
        told.push(progress);
        stopped = stop(progress);
        !stopped
    });
    match found {
        Ok(()) => (told, false),
        Err(Error::Cancelled) => (told, true),
        Err(other) => panic!("{other}"),
    }
}

type Run = fn(&mut dyn FnMut(Progress) -> bool) -> Result<()>;

const RUNS: [Run; 3] = [
    |on_progress| {
        simulate_policy(&mut many_writes(), "lru", 10, &named(&DEVICE), on_progress).map(|_| ())
    },
    |on_progress| {
        simulate_policy(&mut many_writes(), "opt", 10, &named(&DEVICE), on_progress).map(|_| ())
    },
    |on_progress| {
        simulate_buffer(
            &mut many_writes(),
            "cflru",
            10,
            &named(&DEVICE),
            on_progress,
        )
        .map(|_| ())
    },
];

#[test]
fn serving_is_the_second_half_of_the_progress() {
    for run in RUNS {
        let (told, cancelled) = told(|_| false, run);
        assert!(!cancelled);
        assert!(told.is_sorted_by_key(|progress| progress.done), "{told:?}");
        let last = told.last().expect("something");
        assert_eq!((last.done, last.total), (301_000, 301_000));
        assert_eq!(last.accesses, 301_000);
        let beyond = told.iter().filter(|told| told.done > 150_500);
        assert!(beyond.count() > 2, "{told:?}");
    }
}

#[test]
fn a_cancel_ends_the_serving_at_once() {
    for run in RUNS {
        let (told, cancelled) = told(|progress| progress.done > 150_500, run);
        assert!(cancelled);
        assert!(told.last().expect("something").done < 301_000);
    }
}

#[test]
fn a_sweep_shows_and_ends_the_serving_too() {
    let policy = |options: &[(&str, &str)]| Configuration::Policy {
        policy: "lru".to_owned(),
        pages: 10,
        options: named(options),
    };
    let buffer = Configuration::Buffer {
        buffer: "lru".to_owned(),
        pages: 10,
        options: named(&DEVICE),
    };
    let all = [policy(&DEVICE), policy(&[]), buffer];
    let (told_all, _) = told(
        |_| false,
        |on_progress| {
            let found = sweep(&mut || Ok(many_writes()), &all, 2, on_progress)?;
            assert!(!found.cancelled);
            let under: Vec<_> = found
                .rows
                .iter()
                .map(|row| match row.outcome.as_ref().expect("replayed") {
                    tierwright_simulator::sweep::Outcome::Policy(found) => found.ftl.is_some(),
                    tierwright_simulator::sweep::Outcome::Buffer(found) => found.ftl.is_some(),
                    other => panic!("{other:?}"),
                })
                .collect();
            assert_eq!(under, [true, false, true]);
            Ok(())
        },
    );
    assert!(told_all.is_sorted_by_key(|progress| progress.done));
    let last = told_all.last().expect("something");
    assert_eq!((last.done, last.total), (301_000, 301_000));
    assert!(
        told_all[..told_all.len() - 1]
            .iter()
            .all(|told| told.done < 301_000)
    );
    // The trace has been read when the first half is over.
    let mut reports = 0;
    let found = sweep(&mut || Ok(many_writes()), &all, 2, &mut |progress| {
        reports += 1;
        progress.accesses < 301_000
    })
    .unwrap();
    assert!(found.cancelled);
    assert!(reports < 20);
    assert!(found.rows.iter().all(|row| !row.complete));
}

/// A source that counts what is read of it, and knows how many pages it has, or not.
struct Counted {
    source: MemorySource,
    accesses: usize,
    knows: bool,
}

impl AccessSource for Counted {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let more = self.source.next_chunk(chunk)?;
        self.accesses += chunk.len();
        Ok(more)
    }

    fn distinct_pages_known(&self) -> Option<u32> {
        self.source.distinct_pages_known().filter(|_| self.knows)
    }
}

#[test]
fn a_device_too_small_for_pages_known_before_is_refused_before_the_replay() {
    let options = named(&[("ftl_spare_percent", "7")]);
    let refused = |knows: bool, of_policy: bool| {
        let mut source = Counted {
            source: many_writes(),
            accesses: 0,
            knows,
        };
        let found = if of_policy {
            simulate_policy(&mut source, "opt", 10, &options, &mut |_| true).map(|_| ())
        } else {
            simulate_buffer(&mut source, "cflru", 10, &options, &mut |_| true).map(|_| ())
        };
        let Err(Error::BadParameter { value, message, .. }) = found else {
            panic!("{found:?}");
        };
        (source.accesses, value, message)
    };
    for of_policy in [false, true] {
        let (read, value, message) = refused(true, of_policy);
        assert_eq!(read, 0);
        assert!(value.ends_with("for 1,000 logical pages"), "{value}");
        assert!(message.contains("no room to collect"), "{message}");
        // Where nobody knows, the same is said at the end.
        assert_eq!(refused(false, of_policy), (301_000, value, message));
    }
    // A sweep says so too, in the row.
    let one = Configuration::Policy {
        policy: "lru".to_owned(),
        pages: 10,
        options,
    };
    let found = sweep(&mut || Ok(many_writes()), &[one], 1, &mut |_| true).unwrap();
    let text = found.rows[0].outcome.as_ref().unwrap_err().to_string();
    assert!(text.contains("no room to collect"), "{text}");
}
