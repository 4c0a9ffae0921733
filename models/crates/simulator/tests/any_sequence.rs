//! Any sequence of accesses converts, profiles and replays: long runs of one page, one access, all
//! writes, equal stamps, page numbers at the ends of their ranges.
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;
use tierwright_simulator::access::{AccessSource, Chunk, MemorySource, WRITE};
use tierwright_simulator::curve::two_stack::{Distance, TwoStackSpec, two_stack};
use tierwright_simulator::curve::{
    Sample, WindowLength, curves, curves_on_threads, sampled_curves, window_curves,
};
use tierwright_simulator::replay::buffers::buffers;
use tierwright_simulator::replay::{choosers, flash_caches, policies, schemes};
use tierwright_simulator::sweep::{Configuration, sweep};
use tierwright_simulator::trace::{self, TraceSpec, open_source};

/// Page, write, microseconds.
type Access = (u64, bool, u64);

/// Runs of few pages, as long as the limits of chunks and batches and beyond them.
fn sequences(most: u64, lengths: &'static [usize]) -> impl Strategy<Value = Vec<Access>> {
    let base = prop_oneof![
        2 => Just(0),
        1 => Just(most),
        1 => Just(most - 1),
        1 => Just(most / 2),
    ];
    let page = (base, 0..3_u64).prop_map(move |(base, more)| base.min(most - more) + more);
    let writes = prop_oneof![Just(0_u32), Just(1), Just(4)];
    let pages = prop_oneof![
        prop::collection::vec(page.clone(), 1..=1),
        prop::collection::vec(page, 1..6),
    ];
    let run = (any::<prop::sample::Index>(), prop::sample::select(lengths));
    (pages, prop::collection::vec(run, 1..5), writes, 0..2_u64).prop_map(
        |(pages, runs, quarters, step)| {
            let mut all = Vec::new();
            for (page, length) in runs {
                for turn in 0..length {
                    let at = all.len() as u64;
                    all.push((
                        pages[page.index(pages.len())],
                        turn % 4 < quarters as usize,
                        at * step,
                    ));
                }
            }
            all
        },
    )
}

const LONG: &[usize] = &[1, 2, 100, 4_095, 4_096, 4_097, 65_535, 65_536, 65_537];
const SHORT: &[usize] = &[1, 2, 3, 50, 400];

fn as_postgres(accesses: &[Access]) -> String {
    let mut text = "time_us,op,rel,block\n".to_owned();
    for (page, write, time) in accesses {
        let op = if *write { 'W' } else { 'R' };
        writeln!(text, "{time},{op},1,{page}").unwrap();
    }
    text
}

fn as_table(accesses: &[Access]) -> String {
    let mut text = "at,op,page\n".to_owned();
    for (page, write, time) in accesses {
        writeln!(text, "{time},{},{page}", u8::from(*write)).unwrap();
    }
    text
}

fn table(path: &Path, pages: &str) -> TraceSpec {
    let columns = [
        ("time", "at"),
        ("time_unit", "us"),
        ("op", "op"),
        ("read_values", "0"),
        ("write_values", "1"),
        (pages, "page"),
    ];
    TraceSpec {
        columns: columns
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
        format: Some("csv".to_owned()),
        ..TraceSpec::new(path)
    }
}

fn on(_: tierwright_simulator::progress::Progress) -> bool {
    true
}

/// All that a source gives.
fn read(spec: &TraceSpec) -> Vec<(u32, bool)> {
    let mut source = open_source(spec).unwrap();
    let mut chunk = Chunk::default();
    let mut all = Vec::new();
    while source.next_chunk(&mut chunk).unwrap() {
        for (page, flags) in chunk.pages.iter().zip(&chunk.flags) {
            all.push((*page, flags & WRITE != 0));
        }
    }
    all
}

/// Dense numbers in the order of first use.
fn numbered(accesses: &[Access]) -> Vec<(u32, bool)> {
    let mut seen = Vec::new();
    let mut number = |page| {
        let at = seen.iter().position(|other| *other == page);
        at.unwrap_or_else(|| {
            seen.push(page);
            seen.len() - 1
        })
    };
    accesses
        .iter()
        .map(|(page, write, _)| (u32::try_from(number(*page)).unwrap(), *write))
        .collect()
}

/// Converts a trace, reads it back and profiles both.
fn converts_and_profiles(spec: &TraceSpec, accesses: &[Access]) {
    let expected = numbered(accesses);
    assert_eq!(read(spec), expected);
    let out = spec.path.with_extension("twt");
    let report = trace::convert(spec, &out, true, &mut on).unwrap();
    assert_eq!(report.accesses, accesses.len() as u64);
    let canonical = TraceSpec::new(&out);
    assert_eq!(read(&canonical), expected);
    let again = trace::inspect(&canonical, &mut on).unwrap();
    assert_eq!(again.sha256_of_sequence, report.sha256_of_sequence);
    assert_eq!(again.content_id, report.content_id);
    for spec in [spec, &canonical] {
        let (summaries, ..) = trace::summaries(spec, &mut on).unwrap();
        assert_eq!(summaries.accesses, report.accesses);
        let open = || open_source(spec).unwrap();
        let one = curves(&mut open(), &mut on).unwrap();
        assert_eq!(one.distinct_pages, report.distinct_pages);
        let two = curves_on_threads(&mut open(), 2, &mut on).unwrap();
        assert_eq!(one.misses, two.misses);
        for sample in [Sample::Rate(1.0), Sample::Pages(1_000)] {
            sampled_curves(&mut open(), sample, 1, &mut on).unwrap();
        }
        for length in [
            WindowLength::Accesses(accesses.len() as u64),
            WindowLength::Nanoseconds(1_000_000_000),
        ] {
            let mut source = open();
            source.with_times();
            window_curves(&mut source, length, &[1, 2], &mut on).unwrap();
        }
    }
}

fn own(options: &[(&str, &str)]) -> Vec<(String, String)> {
    let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    options.iter().map(own).collect()
}

/// Everything that can be replayed, at the smallest sizes and at large ones.
fn configurations() -> Vec<Configuration> {
    let times = own(&[
        ("flash_read_us", "10"),
        ("flash_write_us", "30"),
        ("disk_read_us", "900"),
        ("disk_write_us", "700"),
    ]);
    let mut all = Vec::new();
    for pages in [1, 3, 1 << 20] {
        for about in policies() {
            all.push(Configuration::Policy {
                policy: about.name.to_owned(),
                pages,
                options: Vec::new(),
            });
        }
        for about in buffers() {
            all.push(Configuration::Buffer {
                buffer: about.name.to_owned(),
                // The least that can be split.
                pages: pages.max(2),
                options: Vec::new(),
            });
        }
        for flash_pages in [0, 1, 1 << 20] {
            for about in schemes() {
                all.push(Configuration::Scheme {
                    scheme: about.name.to_owned(),
                    ram_pages: pages,
                    flash_pages,
                    options: Vec::new(),
                });
            }
            if flash_pages == 0 {
                continue; // Only a scheme does without flash.
            }
            for about in choosers() {
                all.push(Configuration::Chooser {
                    chooser: about.name.to_owned(),
                    ram_pages: pages,
                    flash_pages,
                    options: times.clone(),
                });
            }
            for about in flash_caches() {
                // What works by time needs a rate: these traces have none.
                let rate = "accesses_per_second";
                let known = about.options();
                let needs_rate = known.iter().any(|option| option.name == rate);
                let options = needs_rate.then(|| (rate.to_owned(), "100".to_owned()));
                all.push(Configuration::FlashCache {
                    flash_cache: about.about.name.to_owned(),
                    ram_pages: pages,
                    flash_pages,
                    options: options.into_iter().collect(),
                });
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_sequence_of_blocks_converts_and_profiles(accesses in sequences(0xffff_fffe, LONG)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.csv");
        std::fs::write(&path, as_postgres(&accesses)).unwrap();
        converts_and_profiles(&TraceSpec::new(&path), &accesses);
    }

    #[test]
    fn any_sequence_of_pages_and_keys_converts_and_profiles(accesses in sequences(u64::MAX, LONG)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.csv");
        std::fs::write(&path, as_table(&accesses)).unwrap();
        for pages in ["page", "key"] {
            converts_and_profiles(&table(&path, pages), &accesses);
        }
    }

    #[test]
    fn any_sequence_replays(accesses in sequences(u64::MAX, SHORT)) {
        let configurations = configurations();
        let open = &mut || {
            let pages = accesses.iter().map(|(page, write, _)| (*page, *write));
            Ok(MemorySource::new(pages).with_chunk_accesses(137))
        };
        let found = sweep(open, &configurations, 2, &mut on).unwrap();
        for (row, configuration) in found.rows.iter().zip(&configurations) {
            let outcome = row.outcome.as_ref();
            prop_assert!(outcome.is_ok(), "{configuration:?}: {:?}", outcome.err());
        }
        let mut source = open().unwrap();
        let spec = TwoStackSpec {
            pages: 64,
            distance: Distance::Effective,
            present_conditions: true,
        };
        two_stack(&mut source, spec, &mut on).unwrap();
    }
}

#[test]
fn a_trace_of_one_page_converts_in_every_length() {
    let folder = tempfile::tempdir().unwrap();
    for length in [1, 4_095, 4_096, 70_000] {
        let accesses: Vec<Access> = (0..length).map(|_| (7, true, 3)).collect();
        let path = folder.path().join(format!("{length}.csv"));
        std::fs::write(&path, as_postgres(&accesses)).unwrap();
        converts_and_profiles(&TraceSpec::new(&path), &accesses);
    }
}
