//! Summaries against slow obvious models.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tierwright_simulator::access::{AccessSource, Chunk, FIRST_OF_REQUEST, WRITE};
use tierwright_simulator::curve::{JoinedParts, Part, PartOrigin, WithSummaries, part_curves};
use tierwright_simulator::error::{Error, Result};
use tierwright_simulator::profile::PartTimes;
use tierwright_simulator::profile::bins::{Distribution, bin_of, highest_of, lowest_of};
use tierwright_simulator::profile::relations::{Relations, relations};
use tierwright_simulator::profile::{
    MOST_WINDOWS, Summaries, Wanted, WindowSummary, summaries as core_summaries,
};

/// One request: space, first page, pages, write, time [ns].
type Request = (u32, u64, u64, bool, i64);

/// Requests as a source of accesses, in chunks of any length.
struct Source {
    accesses: Vec<(u32, u64, u8, i64)>,
    numbers: BTreeMap<(u32, u64), u32>,
    names: Vec<String>,
    timed: bool,
    chunk_accesses: usize,
    next: usize,
    spaces: Vec<u32>,
    pages: Vec<u64>,
}

impl Source {
    fn new(requests: &[Request], timed: bool, chunk_accesses: usize) -> Self {
        let accesses = requests
            .iter()
            .flat_map(|&(space, page, count, write, time)| {
                (0..count).map(move |index| {
                    let first = if index == 0 { FIRST_OF_REQUEST } else { 0 };
                    let write = if write { WRITE } else { 0 };
                    (space, page + index, first | write, time)
                })
            });
        Self {
            accesses: accesses.collect(),
            numbers: BTreeMap::new(),
            names: (0..SPACES).map(|space| format!("device {space}")).collect(),
            timed,
            chunk_accesses,
            next: 0,
            spaces: Vec::new(),
            pages: Vec::new(),
        }
    }
}

impl AccessSource for Source {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        chunk.clear();
        self.spaces.clear();
        self.pages.clear();
        let end = (self.next + self.chunk_accesses).min(self.accesses.len());
        for &(space, page, flags, time) in &self.accesses[self.next..end] {
            let new = u32::try_from(self.numbers.len()).expect("few pages");
            let number = *self.numbers.entry((space, page)).or_insert(new);
            chunk.pages.push(number);
            chunk.flags.push(flags);
            if self.timed {
                chunk.times_ns.push(time);
            }
            self.spaces.push(space);
            self.pages.push(page);
        }
        self.next = end;
        Ok(!chunk.is_empty())
    }

    fn addresses(&self) -> (&[u32], &[u64]) {
        (&self.spaces, &self.pages)
    }

    fn space_names(&self) -> &[String] {
        &self.names
    }
}

const SPACES: u32 = 3;
const WANTED: Wanted = Wanted {
    requests_of_accesses: true,
    by_device: true,
};

fn summaries(requests: &[Request], timed: bool, chunk: usize) -> Summaries {
    core_summaries(
        &mut Source::new(requests, timed, chunk),
        WANTED,
        &mut |_| true,
    )
    .expect("one is there")
}

fn requests(length: usize) -> impl Strategy<Value = Vec<Request>> {
    let request = (
        0..SPACES,
        0_u64..60,
        1_u64..6,
        any::<bool>(),
        -2000_i64..40_000,
    );
    (prop::collection::vec(request, 1..length), any::<bool>()).prop_map(|(mut requests, chain)| {
        // Steps of time, so that the clock mostly goes on; some requests continue the last one.
        let mut time = 0;
        let mut last = (0, 0);
        for request in &mut requests {
            time += request.4;
            request.4 = time;
            if chain && request.4 % 3 == 0 {
                (request.0, request.1) = last;
            }
            last = (request.0, request.1 + request.2);
        }
        requests
    })
}

/// An access of the slow model: page, write, place, time that never goes back.
type Access = ((u32, u64), bool, u64, u64);

fn accesses(requests: &[Request]) -> Vec<Access> {
    let start = requests[0].4;
    let mut now = 0;
    let mut found = Vec::new();
    for &(space, page, count, write, time) in requests {
        now = now.max(u64::try_from(time - start).unwrap_or(0));
        for index in 0..count {
            found.push(((space, page + index), write, found.len() as u64, now));
        }
    }
    found
}

/// Of requests whose times count from the first one on, as sources give them.
fn from_start(requests: &[Request]) -> Vec<Request> {
    let start = requests[0].4;
    let moved = requests
        .iter()
        .map(|&(space, page, count, write, time)| (space, page, count, write, time - start));
    moved.collect()
}

fn slow_windows(accesses: &[Access], shortest: u64, at: impl Fn(&Access) -> u64) -> WindowSummary {
    let end = accesses.iter().map(&at).max().expect("an access");
    let rounds = (0..).flat_map(|power| [1, 2].map(|digit| shortest * digit * 10_u64.pow(power)));
    let length = rounds
        .into_iter()
        .find(|length| end / length < MOST_WINDOWS as u64)
        .expect("one is there");
    let mut made = WindowSummary {
        length,
        accesses: Vec::new(),
        write_accesses: Vec::new(),
        distinct_pages: Vec::new(),
        footprint_pages: Vec::new(),
    };
    let mut all: BTreeSet<(u32, u64)> = BTreeSet::new();
    for number in 0..=end / length {
        let own: Vec<_> = accesses
            .iter()
            .filter(|one| at(one) / length == number)
            .collect();
        let pages: BTreeSet<_> = own.iter().map(|one| one.0).collect();
        all.extend(&pages);
        made.accesses.push(own.len() as u64);
        made.write_accesses
            .push(own.iter().filter(|one| one.1).count() as u64);
        made.distinct_pages.push(pages.len() as u64);
        made.footprint_pages.push(all.len() as u64);
    }
    made
}

fn slow_reuse(accesses: &[Access], at: impl Fn(&Access) -> u64) -> Distribution {
    let mut last = BTreeMap::new();
    let values = accesses.iter().filter_map(|one| {
        let before = last.insert(one.0, at(one))?;
        Some((at(one) - before, one.1))
    });
    slow_distribution(&values.collect::<Vec<_>>())
}

fn slow_distribution(values: &[(u64, bool)]) -> Distribution {
    let mut bins: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    for &(value, write) in values {
        let counts = bins.entry(bin_of(value)).or_default();
        if write {
            counts.1 += 1;
        } else {
            counts.0 += 1;
        }
    }
    Distribution {
        lowest: bins.keys().map(|&bin| lowest_of(bin)).collect(),
        highest: bins.keys().map(|&bin| highest_of(bin)).collect(),
        reads: bins.values().map(|counts| counts.0).collect(),
        writes: bins.values().map(|counts| counts.1).collect(),
    }
}

/// Lengths of all runs, over all spaces, and the requests that continue the one before by space.
fn slow_runs(requests: &[Request]) -> (Vec<u64>, BTreeMap<u32, u64>) {
    let (mut runs, mut sequential) = (Vec::new(), BTreeMap::new());
    for wanted in 0..SPACES {
        let own: Vec<_> = requests.iter().filter(|one| one.0 == wanted).collect();
        for (index, one) in own.iter().enumerate() {
            let continues = index > 0 && own[index - 1].1 + own[index - 1].2 == one.1;
            if continues {
                *sequential.entry(wanted).or_default() += 1;
                *runs.last_mut().expect("a run") += 1;
            } else {
                runs.push(1);
            }
        }
    }
    (runs, sequential)
}

/// Hits of each space in one LRU list of `size` pages.
fn slow_hits(accesses: &[Access], size: usize, space: u32) -> u64 {
    let mut list: Vec<(u32, u64)> = Vec::new();
    let mut hits = 0;
    for &(page, ..) in accesses {
        if let Some(depth) = list.iter().position(|&other| other == page) {
            list.remove(depth);
            hits += u64::from(depth < size && page.0 == space);
        }
        list.insert(0, page);
    }
    hits
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn windows_and_reuse_times(requests in requests(400), chunk in 1_usize..90) {
        let requests = from_start(&requests);
        let made = summaries(&requests, true, chunk);
        let slow = accesses(&requests);
        prop_assert_eq!(&made.windows, &slow_windows(&slow, 100, |one| one.2));
        prop_assert_eq!(made.time_windows, Some(slow_windows(&slow, 1000, |one| one.3)));
        prop_assert_eq!(&made.reuse.in_accesses, &slow_reuse(&slow, |one| one.2));
        prop_assert_eq!(made.reuse.in_ns, Some(slow_reuse(&slow, |one| one.3)));
        let untimed = summaries(&requests, false, chunk);
        prop_assert_eq!((untimed.time_windows, untimed.reuse.in_ns), (None, None));
        prop_assert_eq!(untimed.windows, made.windows);
    }

    #[test]
    fn popularity(requests in requests(300), chunk in 1_usize..90) {
        let made = summaries(&requests, false, chunk).popularity;
        let mut counts: BTreeMap<_, (u64, u64)> = BTreeMap::new();
        for (page, write, ..) in accesses(&requests) {
            let count = counts.entry(page).or_default();
            if write { count.1 += 1 } else { count.0 += 1 }
        }
        let mut by_count: BTreeMap<u64, u64> = BTreeMap::new();
        for (reads, writes) in counts.values() {
            *by_count.entry(reads + writes).or_default() += 1;
        }
        let (accesses, pages): (Vec<u64>, Vec<u64>) = by_count.into_iter().rev().unzip();
        prop_assert_eq!((made.accesses, made.pages), (accesses, pages));
        let kinds = |of: fn(&(u64, u64)) -> bool| counts.values().filter(|one| of(one)).count() as u64;
        prop_assert_eq!(made.only_read, kinds(|one| one.1 == 0));
        prop_assert_eq!(made.only_written, kinds(|one| one.0 == 0));
        prop_assert_eq!(made.both, kinds(|one| one.0 > 0 && one.1 > 0));
    }

    #[test]
    fn requests_and_devices(requests in requests(200), chunk in 1_usize..90) {
        let made = summaries(&requests, false, chunk);
        let sizes: Vec<_> = requests.iter().map(|one| (one.2, one.3)).collect();
        let (runs, sequential) = slow_runs(&requests);
        let found = &made.requests;
        prop_assert_eq!(found.requests, requests.len() as u64);
        prop_assert_eq!(&found.sizes, &slow_distribution(&sizes));
        let amount = |write| sizes.iter().filter(|one| one.1 == write).map(|one| one.0).sum::<u64>();
        prop_assert_eq!((found.read_amount, found.write_amount), (amount(false), amount(true)));
        prop_assert_eq!(found.sequential, sequential.values().sum::<u64>());
        prop_assert_eq!(Some(found.longest_run), runs.iter().copied().max());
        let slow = slow_distribution(&runs.iter().map(|&run| (run, false)).collect::<Vec<_>>());
        prop_assert_eq!((&found.runs.lowest, &found.runs.runs), (&slow.lowest, &slow.reads));
        for (&lowest, &in_runs) in found.runs.lowest.iter().zip(&found.runs.requests) {
            let own = runs.iter().filter(|&&run| bin_of(run) == bin_of(lowest));
            prop_assert_eq!(in_runs, own.sum::<u64>());
        }

        let slow = accesses(&requests);
        let devices = made.devices.unwrap();
        let present: BTreeSet<u32> = requests.iter().map(|one| one.0).collect();
        prop_assert_eq!(devices.devices, present.len() as u64);
        prop_assert!(devices.rows.is_sorted_by(|left, right| left.accesses >= right.accesses));
        for row in devices.rows {
            let space: u32 = row.name["device ".len()..].parse().unwrap();
            let own: Vec<_> = slow.iter().filter(|one| one.0.0 == space).collect();
            prop_assert_eq!(row.accesses, own.len() as u64);
            prop_assert_eq!(row.write_accesses, own.iter().filter(|one| one.1).count() as u64);
            let pages: BTreeSet<_> = own.iter().map(|one| one.0).collect();
            prop_assert_eq!(row.distinct_pages, pages.len() as u64);
            prop_assert_eq!(row.requests, requests.iter().filter(|one| one.0 == space).count() as u64);
            prop_assert_eq!(row.sequential_requests, sequential.get(&space).copied().unwrap_or(0));
            let hits = row.hits.unwrap();
            for (&size, hits) in devices.cache_pages.iter().zip(hits) {
                let size = usize::try_from(size).unwrap();
                prop_assert_eq!(hits, slow_hits(&slow, size, space));
            }
        }
    }
}

#[test]
fn a_pause_of_years_joins_windows_and_keeps_what_came_before() {
    let year = 365 * 86_400 * 1_000_000_000_i64;
    let requests = [
        (0, 0, 3, true, 0),
        (0, 1, 3, false, 5),
        (0, 0, 1, false, 40 * year),
    ];
    let made = summaries(&requests, true, 2).time_windows.unwrap();
    let slow = accesses(&requests);
    assert_eq!(made, slow_windows(&slow, 1000, |one| one.3));
    assert_eq!((made.accesses[0], made.distinct_pages[0]), (6, 4));
    assert_eq!(
        (made.accesses.last(), made.distinct_pages.last()),
        (Some(&1), Some(&1))
    );
}

#[test]
fn a_cancelled_pass_is_an_error() {
    let requests = [(0, 0, 3, true, 0)];
    let cancelled = core_summaries(&mut Source::new(&requests, true, 2), WANTED, &mut |_| false);
    assert!(matches!(cancelled, Err(Error::Cancelled)));
}

/// Accesses as a source that numbers devices in the order in which they appear, with times from its first one on.
fn by_appearance(accesses: &[(u32, u64, u8, i64)], timed: bool, chunk_accesses: usize) -> Source {
    let start = accesses.first().map_or(0, |access| access.3);
    let mut names: Vec<String> = Vec::new();
    let numbered = accesses.iter().map(|&(space, page, flags, time)| {
        let name = format!("device {space}");
        let known = names.iter().position(|known| *known == name);
        let number = known.unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        let number = u32::try_from(number).expect("few devices");
        (number, page, flags, time - start)
    });
    let accesses = numbered.collect();
    Source {
        accesses,
        names,
        ..Source::new(&[], timed, chunk_accesses)
    }
}

/// The parts of a trace that is cut before these accesses, read back from files.
fn parts(accesses: &[(u32, u64, u8, i64)], cuts: &[usize], timed: bool, chunk: usize) -> Vec<Part> {
    let folder = tempfile::tempdir().expect("a folder");
    let now = |until: usize| {
        let times = accesses[..until]
            .iter()
            .map(|access| access.3 - accesses[0].3);
        times
            .max()
            .map_or(0, |latest| u64::try_from(latest).unwrap_or(0))
    };
    let ends = cuts.iter().copied().chain([accesses.len()]);
    let mut first = 0;
    ends.map(|end| {
        let origin = PartOrigin {
            first_access: first as u64,
            trace_accesses: accesses.len() as u64,
        };
        let times = PartTimes {
            offset_ns: accesses
                .get(first)
                .map_or(0, |access| access.3 - accesses[0].3),
            before_ns: now(first),
            end_ns: now(accesses.len()),
        };
        let mut source = by_appearance(&accesses[first..end], timed, chunk);
        let wanted = Some(WithSummaries(timed.then_some(times)));
        let part = part_curves(&mut source, origin, 4096, wanted, &mut |_| true).expect("a part");
        first = end;
        let path = folder.path().join("a.part");
        part.write(&path, "").expect("a part");
        let (read, _) = Part::read(&path).expect("a part");
        assert_eq!(read, part);
        read
    })
    .collect()
}

fn joined(parts: &[Part]) -> JoinedParts {
    let mut joined = JoinedParts::new(parts[0].clone());
    for part in &parts[1..] {
        joined.add(part).expect("a part");
    }
    joined
}

/// Neighbours in twos, through files, then those, until one is left.
fn in_twos(mut parts: Vec<Part>) -> JoinedParts {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.part");
    while parts.len() > 1 {
        let twos = parts.chunks(2).map(|neighbours| {
            let part = joined(neighbours).into_part();
            part.write(&path, "").expect("a part");
            Part::read(&path).expect("a part").0
        });
        parts = twos.collect();
    }
    JoinedParts::new(parts.remove(0))
}

fn both(joined: JoinedParts) -> (Summaries, Relations) {
    joined.into_all().expect("all parts").1.expect("summaries")
}

fn check_parts(accesses: &[(u32, u64, u8, i64)], cuts: &[usize], timed: bool, chunk: usize) {
    let whole = (
        core_summaries(
            &mut by_appearance(accesses, timed, chunk),
            WANTED,
            &mut |_| true,
        )
        .expect("one is there"),
        relations(&mut by_appearance(accesses, timed, chunk), &mut |_| true).expect("one is there"),
    );
    let parts = parts(accesses, cuts, timed, chunk);
    assert_eq!(both(joined(&parts)), whole);
    assert_eq!(both(in_twos(parts)), whole);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Wherever a trace is cut, between two requests or within one, and whatever the order of its times.
    #[test]
    fn summaries_of_parts_join_to_those_of_the_whole(
        requests in requests(250),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        timed in any::<bool>(),
        chunk in 1_usize..90,
    ) {
        let accesses = Source::new(&requests, timed, chunk).accesses;
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(accesses.len() + 1)).collect();
        cuts.sort_unstable();
        check_parts(&accesses, &cuts, timed, chunk);
    }
}

#[test]
fn summaries_of_parts_of_a_long_trace_have_the_windows_of_the_whole() {
    let requests: Vec<Request> = (0_u64..70_000)
        .map(|at| {
            let page = at.wrapping_mul(at / 3) % 5000;
            let time = i64::try_from(at * 31_337 % 9_999_991).expect("small");
            (u32::from(at % 5 == 0), page, 1 + at % 2, at % 3 == 0, time)
        })
        .collect();
    let accesses = Source::new(&requests, true, 1000).accesses;
    for length in [31_999, 32_000, 32_001, accesses.len()] {
        check_parts(&accesses[..length], &[length / 7, length / 2], true, 1000);
    }
}

#[test]
fn a_part_without_summaries_leaves_the_trace_without() {
    let requests: Vec<Request> = (0_u64..20).map(|at| (0, at % 5, 1, false, 0)).collect();
    let accesses = Source::new(&requests, false, 64).accesses;
    let mut two = parts(&accesses, &[10], false, 64);
    let origin = two[1].origin();
    let mut source = by_appearance(&accesses[10..], false, 64);
    two[1] = part_curves(&mut source, origin, 4096, None, &mut |_| true).expect("one is there");
    assert!(two[0].has_summaries() && !two[1].has_summaries());
    assert!(joined(&two).into_all().expect("one is there").1.is_none());
}
