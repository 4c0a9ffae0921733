//! Pages joined into larger ones: of every format, raw and canonical alike, and what is refused.

use std::collections::BTreeMap;
use std::path::Path;

use crate::samples::samples;
use crate::support::*;
use proptest::prelude::*;
use tierwright_simulator::Error;
use tierwright_simulator::access::{AccessSource as _, Chunk};
use tierwright_simulator::trace::{self, TraceSpec};

const KEYED: [&str; 8] = [
    "oracle_general",
    "oracle_general_op_ns",
    "lcs",
    "twitter",
    "cachelib_kv",
    "wikimedia_cdn",
    "rocksdb_block_cache",
    "keys",
];
const LARGEST: u64 = 1 << 20;

fn joined(spec: &TraceSpec, page_bytes: u64) -> TraceSpec {
    TraceSpec {
        joined_page_bytes: Some(page_bytes),
        ..spec.clone()
    }
}

/// Device and page of each access.
fn places(spec: &TraceSpec) -> Result<Vec<(u32, u64)>, Error> {
    let mut source = trace::open_source(spec)?;
    source.keep_addresses();
    let mut chunk = Chunk::default();
    let mut all = Vec::new();
    while source.next_chunk(&mut chunk)? {
        let (spaces, pages) = source.addresses();
        all.extend(spaces.iter().copied().zip(pages.iter().copied()));
    }
    Ok(all)
}

#[test]
fn every_format_is_joined_raw_as_from_its_canonical_form_or_refused_for_its_keys() {
    for sample in samples() {
        let name = sample.format;
        let folder = Folder::new();
        let spec = sample.spec(&folder.file("t", &sample.content));
        let out = folder.path("t.twt");
        let report = convert(&spec, &out).unwrap();
        let canonical = TraceSpec::new(&out);
        let mapped_key = sample.mapping.contains("key=");
        for times in [1, 2, 4, 64] {
            let page_bytes = (times * report.page_bytes).min(LARGEST);
            let (raw, again) = (joined(&spec, page_bytes), joined(&canonical, page_bytes));
            if page_bytes > report.page_bytes && (KEYED.contains(&name) || mapped_key) {
                assert_refused(inspect(&raw), "names keys");
                assert_refused(inspect(&again), "names keys");
                continue;
            }
            let (one, other) = (accesses(&raw).unwrap(), accesses(&again).unwrap());
            assert_eq!(one, other, "{name} x {times}");
            let (found, read) = (inspect(&raw).unwrap(), inspect(&again).unwrap());
            assert_eq!(found.page_bytes, page_bytes, "{name}");
            assert_eq!(
                (found.accesses, found.write_accesses, found.distinct_pages),
                (read.accesses, read.write_accesses, read.distinct_pages)
            );
            assert_eq!(found.sha256_of_sequence, read.sha256_of_sequence);
            assert_eq!(found.assumptions, read.assumptions, "{name}");
            assert_eq!(
                found
                    .assumptions
                    .iter()
                    .any(|text| text.contains("neighbouring")),
                page_bytes > report.page_bytes
            );
            let (written, rewritten) = (folder.path("a.twt"), folder.path("b.twt"));
            let made = convert(&raw, &written).unwrap();
            let remade = convert(&again, &rewritten).unwrap();
            assert_eq!(made.content_id, remade.content_id, "{name} x {times}");
            assert_eq!(
                inspect(&TraceSpec::new(&rewritten)).unwrap().content_id,
                made.content_id
            );
            assert_eq!(places(&raw).unwrap(), places(&again).unwrap(), "{name}");
            assert_eq!(
                places(&again).unwrap(),
                places(&TraceSpec::new(&written)).unwrap()
            );
            assert_eq!(preview(&again).unwrap().page_bytes, page_bytes);
            std::fs::remove_file(written).unwrap();
            std::fs::remove_file(rewritten).unwrap();
        }
    }
}

#[test]
fn joining_by_one_changes_nothing() {
    for sample in samples() {
        let folder = Folder::new();
        let spec = sample.spec(&folder.file("t", &sample.content));
        let report = inspect(&spec).unwrap();
        assert_eq!(inspect(&joined(&spec, report.page_bytes)).unwrap(), report);
        assert_eq!(
            accesses(&joined(&spec, report.page_bytes)).unwrap(),
            accesses(&spec).unwrap()
        );
    }
}

#[test]
fn what_cannot_be_joined_is_refused_by_name() {
    let folder = Folder::new();
    let postgres = spec_as(&folder.file("p", POSTGRES), "postgres_csv");
    let block = spec_as(&folder.file("m", MSR), "msr");
    assert_refused(inspect(&joined(&postgres, 4096)), "pages of 8192 bytes");
    assert_refused(inspect(&joined(&block, 2048)), "pages of 4096 bytes");
    for wrong in [0, 256, 12_288, 2 * LARGEST] {
        let error = refused(inspect(&joined(&postgres, wrong)));
        assert_eq!(
            message(&error),
            format!("joined-page-bytes `{wrong}`: not a page size")
        );
        assert!(error.hint().contains("power of two"));
    }
    let out = folder.path("p.twt");
    convert(&postgres, &out).unwrap();
    assert_refused(
        inspect(&joined(&TraceSpec::new(&out), 4096)),
        "pages of 8192 bytes",
    );
}

#[test]
fn numbers_alone_are_warned_of_and_relations_are_not() {
    let folder = Folder::new();
    let table = "page,offset,size,rel\n1,512,1024,a\n2,9000,4096,b\n";
    for (format, content, mapping, warned) in [
        ("lirs", "1\n2\n3\n2\n", "", true),
        ("arc", "0 4 0 1\n8 2 0 2\n", "", true),
        ("postgres_csv", POSTGRES, "", false),
        ("msr", MSR, "", false),
        ("csv", table, "page=page", true),
        ("csv", table, "page=page device=rel", false),
        ("csv", table, "offset=offset size=size", false),
    ] {
        let spec = TraceSpec {
            format: Some(format.to_owned()),
            ..spec_mapped(&folder.file("t", content), mapping)
        };
        let out = folder.path("t.twt");
        let page_bytes = convert(&spec, &out).unwrap().page_bytes;
        for spec in [&spec, &TraceSpec::new(&out)] {
            assert!(!warning_names(&inspect(spec).unwrap()).contains(&"neighbours_assumed"));
            let found = inspect(&joined(spec, 2 * page_bytes)).unwrap();
            let names = warning_names(&found);
            assert_eq!(
                names.contains(&"neighbours_assumed"),
                warned,
                "{format} {mapping}"
            );
        }
        std::fs::remove_file(out).unwrap();
    }
}

#[test]
fn a_request_is_one_access_to_each_larger_page() {
    // ARC: first block, blocks. Pages of 4096 joined by 4: the second request touches 0 and 1.
    let folder = Folder::new();
    let spec = joined(
        &spec_as(&folder.file("t", "0 4 0 1\n2 4 0 2\n3 1 0 3\n"), "arc"),
        16_384,
    );
    let expected = [(0, true), (0, true), (1, false), (0, true)];
    let out = folder.path("t.twt");
    let unjoined = TraceSpec {
        joined_page_bytes: None,
        ..spec.clone()
    };
    convert(&unjoined, &out).unwrap();
    for spec in [&spec, &joined(&TraceSpec::new(&out), 16_384)] {
        let found: Vec<_> = accesses(spec)
            .unwrap()
            .into_iter()
            .map(|(page, _, first, _)| (page, first))
            .collect();
        assert_eq!(found, expected);
    }
}

/// A line of a block trace: device, sector, bytes, operation, time.
fn spc(requests: &[(u8, u16, u8, bool)]) -> String {
    requests
        .iter()
        .enumerate()
        .map(|(at, (device, sector, sectors, write))| {
            let op = if *write { "w" } else { "r" };
            let bytes = u32::from(*sectors) * 512;
            format!("{device},{sector},{bytes},{op},{at}.0")
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn read_with(path: &Path, page_bytes: u64) -> TraceSpec {
    TraceSpec {
        page_bytes,
        ..spec_as(path, "spc")
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn a_block_trace_is_joined_to_what_it_is_when_split_by_the_larger_pages(
        requests in prop::collection::vec((0..3_u8, 0..400_u16, 1..=90_u8, any::<bool>()), 1..60),
        (small, join) in (0..4_u32, 0..5_u32),
    ) {
        let folder = Folder::new();
        let path = folder.file("t.spc", spc(&requests));
        let (small, large) = (512 << small, 512 << (small + join));
        let expected = accesses(&read_with(&path, large)).unwrap();
        prop_assert_eq!(&accesses(&joined(&read_with(&path, small), large)).unwrap(), &expected);
        let out = folder.path("t.twt");
        convert(&read_with(&path, small), &out).unwrap();
        prop_assert_eq!(&accesses(&joined(&TraceSpec::new(&out), large)).unwrap(), &expected);
        let wide = folder.path("w.twt");
        let id = convert(&read_with(&path, large), &wide).unwrap().content_id;
        prop_assert_eq!(inspect(&joined(&TraceSpec::new(&out), large)).unwrap().content_id, id);
    }

    #[test]
    fn joining_twice_is_joining_by_the_product(
        accesses_of in prop::collection::vec((0..4_u8, 0..300_u32, any::<bool>()), 1..200),
        (first, second) in (0..4_u32, 0..4_u32),
    ) {
        let lines = accesses_of
            .iter()
            .enumerate()
            .map(|(at, (relation, block, write))| {
                format!("{at},{},1/{relation},{block}", if *write { 'W' } else { 'R' })
            })
            .collect::<Vec<_>>()
            .join("\n");
        let folder = Folder::new();
        let spec = spec_as(&folder.file("t", format!("time_us,op,rel,block\n{lines}")), "postgres_csv");
        let (one, both) = (8192 << first, 8192 << (first + second));
        let (step, last) = (folder.path("step.twt"), folder.path("last.twt"));
        convert(&joined(&spec, one), &step).unwrap();
        let twice = convert(&joined(&TraceSpec::new(&step), both), &last).unwrap();
        let at_once = inspect(&joined(&spec, both)).unwrap();
        prop_assert_eq!(twice.sha256_of_sequence, at_once.sha256_of_sequence);
        prop_assert_eq!(accesses(&TraceSpec::new(&last)).unwrap(), accesses(&joined(&spec, both)).unwrap());
        // By hand: pages are numbered as (relation, block / m) appear, and every access stays one.
        let mut numbers = BTreeMap::new();
        let by_hand: Vec<u32> = accesses_of
            .iter()
            .map(|(relation, block, _)| {
                let next = u32::try_from(numbers.len()).unwrap();
                *numbers.entry((*relation, block >> (first + second))).or_insert(next)
            })
            .collect();
        let pages: Vec<u32> = accesses(&joined(&spec, both)).unwrap().iter().map(|one| one.0).collect();
        prop_assert_eq!(pages, by_hand);
    }
}
