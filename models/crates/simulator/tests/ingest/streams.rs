//! Compressed streams, the canonical file, and what arbitrary bytes do to the readers.

use std::fmt::Write as _;

use crate::support::*;
use proptest::prelude::*;
use tierwright_simulator::Error;
use tierwright_simulator::access::AccessSource;
use tierwright_simulator::hash::FastMap;
use tierwright_simulator::trace::formats::FORMATS;
use tierwright_simulator::trace::{self, TraceReport, TraceSpec};

// --- compression ------------------------------------------------------------------------------

#[test]
fn members_and_frames_are_read_to_the_last() {
    let folder = Folder::new();
    let plain = inspect(&spec(&folder.file("p", POSTGRES))).unwrap();
    let (head, tail) = POSTGRES.as_bytes().split_at(40);
    let skippable = [&[0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    for (name, content) in [
        ("two gzip members", [gzip(head), gzip(tail)].concat()),
        (
            "an empty gzip member first",
            [gzip(b""), gzip(head), gzip(tail)].concat(),
        ),
        ("two zstd frames", [zstd(head), zstd(tail)].concat()),
        (
            "skippable zstd frames",
            [
                &skippable[..],
                &zstd(head),
                &skippable,
                &zstd(tail),
                &skippable,
            ]
            .concat(),
        ),
    ] {
        let report = inspect(&spec(&folder.file("t", content))).unwrap();
        assert_eq!(
            report.sha256_of_sequence, plain.sha256_of_sequence,
            "{name}"
        );
        assert_eq!(report.requests, 3, "{name}");
    }
}

/// A trace large enough that its compressed form has inner structure.
fn long_postgres(records: u64) -> String {
    let mut text = "time_us,op,rel,block\n".to_owned();
    for i in 0..records {
        let op = if i % 3 == 0 { 'W' } else { 'R' };
        writeln!(text, "{},{op},0/{},{}", i * 7, i % 5, i * i % 997).unwrap();
    }
    text
}

#[test]
fn truncated_streams_are_refused_at_every_byte() {
    let folder = Folder::new();
    let text = long_postgres(300);
    let whole = inspect(&spec(&folder.file("p", &text))).unwrap();
    for (kind, packed) in [
        ("gzip", gzip(text.as_bytes())),
        ("zstd", zstd(text.as_bytes())),
    ] {
        for length in 4..packed.len() {
            let path = folder.file("t", &packed[..length]);
            let error = refused(inspect(&spec(&path)));
            let text = message(&error);
            assert!(
                text.contains(&format!(
                    "the {kind} stream is truncated: the file ends at byte {length} "
                )),
                "{text}"
            );
        }
        let path = folder.file("t", &packed);
        assert_eq!(
            inspect(&spec(&path)).unwrap().sha256_of_sequence,
            whole.sha256_of_sequence
        );
    }
}

#[test]
fn damaged_streams_are_refused_or_change_nothing() {
    // One flipped bit in any byte: checksums catch it, unless it lies in a field without effect
    // (gzip's time stamp and flags of origin).
    let folder = Folder::new();
    let text = long_postgres(100);
    let whole = inspect(&spec(&folder.file("p", &text))).unwrap();
    for packed in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
        for position in 0..packed.len() {
            let mut bytes = packed.clone();
            bytes[position] ^= 0x10;
            if let Ok(report) = inspect(&spec(&folder.file("t", bytes))) {
                assert_eq!(
                    report.sha256_of_sequence, whole.sha256_of_sequence,
                    "byte {position}"
                );
                assert_eq!(report.requests, whole.requests, "byte {position}");
            }
        }
    }
}

#[test]
fn data_after_the_end_of_a_stream_is_refused() {
    let folder = Folder::new();
    for packed in [gzip(POSTGRES.as_bytes()), zstd(POSTGRES.as_bytes())] {
        let path = folder.file(
            "t",
            [&packed[..], b"some more bytes than a gzip header has"].concat(),
        );
        assert_refused(inspect(&spec(&path)), "damaged near byte");
    }
}

#[test]
fn a_zstd_window_beyond_the_limit_is_refused_with_the_way_out() {
    // Magic, frame header descriptor 0 (window descriptor follows), window 2^(10 + 20) = 1 GiB.
    let folder = Folder::new();
    let path = folder.file("t", [0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 1, 0, 0]);
    assert_refused(inspect(&spec(&path)), "window of more than 128 MiB");
}

#[test]
fn progress_counts_bytes_on_disk_up_to_the_whole_file() {
    let folder = Folder::new();
    let text = long_postgres(200_000);
    for content in [
        text.clone().into_bytes(),
        gzip(text.as_bytes()),
        zstd(text.as_bytes()),
    ] {
        let size = content.len() as u64;
        let path = folder.file("t", content);
        let mut seen = Vec::new();
        let report = trace::inspect(&spec(&path), &mut |step| {
            seen.push(step);
            true
        })
        .unwrap();
        // 200,000 accesses in chunks of 65,536.
        assert_eq!(seen.len(), 4);
        assert!(
            seen.iter()
                .all(|step| step.total == size && step.done <= size)
        );
        assert!(seen.windows(2).all(|pair| pair[0].done <= pair[1].done));
        assert_eq!(seen[3].accesses, report.accesses);
        assert_eq!(seen[3].done, size);
        let cancelled = trace::inspect(&spec(&path), &mut |step| step.accesses < 100_000);
        assert!(matches!(cancelled, Err(Error::Cancelled)));
    }
}

// --- the canonical file -----------------------------------------------------------------------

/// What must be equal between a trace and its canonical form.
fn same_content(raw: &TraceReport, canonical: &TraceReport) {
    let mut expected = raw.clone();
    "canonical".clone_into(&mut expected.format);
    "none".clone_into(&mut expected.compression);
    expected.skipped_records = None;
    expected.split_requests = None;
    expected.extent = None;
    expected.content_id.clone_from(&canonical.content_id);
    // Shown as they were understood: in bytes or sectors there, in pages here.
    expected.records.clone_from(&canonical.records);
    expected.units.clone_from(&canonical.units);
    // Each was chosen among the formats by its own head.
    expected.choice.clone_from(&canonical.choice);
    expected.out_bytes = None;
    assert_eq!(*canonical, expected);
}

fn round_trip(spec: &TraceSpec, folder: &Folder) -> TraceReport {
    let out = folder.path("out.twt");
    let _ = std::fs::remove_file(&out);
    let raw = inspect(spec).unwrap();
    let converted = convert(spec, &out).unwrap();
    assert_eq!(
        converted.out_bytes,
        Some(std::fs::metadata(&out).unwrap().len())
    );
    let canonical = TraceSpec::new(&out);
    let read = inspect(&canonical).unwrap();
    same_content(&raw, &read);
    assert_eq!(converted.content_id, read.content_id);
    assert_eq!(accesses(spec).unwrap(), accesses(&canonical).unwrap());
    read
}

#[test]
fn a_trace_survives_the_way_to_canonical_and_back() {
    let folder = Folder::new();
    // Requests of 100,000 pages run over chunk borders; zero lengths stay counted.
    let mut long = MSR.to_owned();
    for i in 0..4_u64 {
        writeln!(
            long,
            "12816637200938{},h,1,Write,{},409600000,0",
            6000 + i,
            i << 33
        )
        .unwrap();
    }
    long.push_str("128166372009389440,tpcc,13,Read,47734267904,0,0\n");
    let report = round_trip(&spec(&folder.file("m", long)), &folder);
    assert_eq!(report.requests, 8);
    assert_eq!(report.accesses, 400_000 + 3 + 3 + 4);
    round_trip(&spec(&folder.file("p", long_postgres(150_000))), &folder);
    let keys: Vec<u8> = (0..70_000_u32)
        .flat_map(|i| oracle(i, u64::from(i).wrapping_mul(0x9e37_79b9_7f4a_7c15), 1, -1))
        .collect();
    round_trip(&spec(&folder.file("o", keys)), &folder);
    let table = folder.file("c", "k\n18446744073709551615\n0\n18446744073709551615\n");
    let report = round_trip(&spec_mapped(&table, "key=k"), &folder);
    assert_eq!(report.duration_s, None);
}

/// Requests to a page each, chosen by the bits of a mixed number.
fn scattered(requests: u32, page: impl Fn(u64) -> u64) -> Vec<u8> {
    let mixed = |i: u32| u64::from(i).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(i) << 40;
    (0..requests)
        .flat_map(|i| oracle(i, page(mixed(i) >> 24), 1, -1))
        .collect()
}

#[test]
fn page_numbers_without_any_order_are_stored_plane_by_plane() {
    let folder = Folder::new();
    // One plane; two; three, the last of which compresses; a short last chunk; and lengths around
    // the least one for planes. With them, whether some section of page numbers has several frames.
    for (requests, distinct, several) in [
        (70_000, 200, false),
        (70_000, 60_000, true),
        (300_000, 120_000, true),
        (4095, 4000, false),
        (4096, 4000, true),
    ] {
        let content = scattered(requests, |mixed| mixed % distinct);
        let size = content.len();
        let report = round_trip(&spec(&folder.file("s", content)), &folder);
        assert_eq!(report.accesses, u64::from(requests));
        let out = std::fs::read(folder.path("out.twt")).unwrap();
        assert!(out.len() < size / 2, "{requests}");
        let chunks = requests.div_ceil(65_536) as usize;
        let magic = [0x28, 0xb5, 0x2f, 0xfd];
        let found = out.windows(4).filter(|bytes| *bytes == magic).count();
        assert_eq!(found > 5 * chunks, several, "{requests} of {distinct}");
    }
}

#[test]
fn a_canonical_trace_tells_its_pages_up_front_and_ends_at_its_size() {
    let folder = Folder::new();
    let path = folder.file("p", long_postgres(1000));
    let out = folder.path("o.twt");
    let report = convert(&spec(&path), &out).unwrap();
    let mut source = trace::open_source(&TraceSpec::new(&out)).unwrap();
    assert_eq!(
        source.distinct_pages_hint(),
        u32::try_from(report.distinct_pages).ok()
    );
    assert_eq!(source.summary().duration_s, report.duration_s);
    let mut chunk = tierwright_simulator::access::Chunk::default();
    while source.next_chunk(&mut chunk).unwrap() {
        assert!(chunk.times_ns.is_empty(), "a replay does not pay for times");
    }
    let size = std::fs::metadata(&out).unwrap().len();
    assert_eq!(source.position(), (size, size));
}

#[test]
fn the_content_id_is_of_the_content_not_of_the_file() {
    let folder = Folder::new();
    let id = |name: &str, content: &[u8]| {
        let path = folder.file(name, content);
        let out = folder.path(&format!("{name}.twt"));
        convert(&spec(&path), &out).unwrap().content_id.unwrap()
    };
    let plain = id("a", POSTGRES.as_bytes());
    assert_eq!(plain, id("b", &gzip(POSTGRES.as_bytes())));
    let changes = [
        ("W", "R"),
        ("0/1260", "0/1261"),
        ("13,", "14,"),
        ("2676,1", "2676,2"),
    ];
    for (index, (from, to)) in changes.into_iter().enumerate() {
        let changed = POSTGRES.replace(from, to);
        assert_ne!(
            plain,
            id(&format!("c{index}"), changed.as_bytes()),
            "{from} to {to}"
        );
    }
    let block = folder.file("m", "1,a,0,Read,0,4096,0\n");
    let mut spec = spec(&block);
    let four = convert(&spec, &folder.path("4.twt")).unwrap().content_id;
    spec.page_bytes = 8192;
    assert_ne!(
        four,
        convert(&spec, &folder.path("8.twt")).unwrap().content_id
    );
}

#[test]
fn converting_a_canonical_trace_copies_it() {
    let folder = Folder::new();
    let (one, two) = (folder.path("1.twt"), folder.path("2.twt"));
    let first = convert(&spec(&folder.file("p", POSTGRES)), &one).unwrap();
    let second = convert(&TraceSpec::new(&one), &two).unwrap();
    assert_eq!(first.content_id, second.content_id);
    assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&two).unwrap());
    assert_refused(convert(&TraceSpec::new(&one), &one), "the trace itself");
}

#[test]
fn an_existing_file_is_replaced_only_by_force() {
    let folder = Folder::new();
    let path = folder.file("p", POSTGRES);
    let out = folder.file("out.twt", "precious");
    assert_refused(convert(&spec(&path), &out), "exists already");
    assert_eq!(std::fs::read(&out).unwrap(), b"precious");
    trace::convert(&spec(&path), &out, true, &mut |_| true).unwrap();
    assert_eq!(inspect(&TraceSpec::new(&out)).unwrap().requests, 3);
    assert_refused(convert(&spec(&path), &folder.path("")), "a folder");
    assert_refused(
        convert(&spec(&path), &folder.path("no/such/out.twt")),
        "cannot create",
    );
}

#[test]
fn an_error_or_a_cancel_leaves_nothing_behind() {
    let folder = Folder::new();
    let bad = folder.file("bad", format!("{}x\n", long_postgres(100_000)));
    let good = folder.file("good", long_postgres(100_000));
    let out = folder.path("out.twt");
    assert_refused(convert(&spec(&bad), &out), "line 100002");
    let cancelled = trace::convert(&spec(&good), &out, false, &mut |_| false);
    assert!(matches!(cancelled, Err(Error::Cancelled)));
    assert_eq!(folder.names(), ["bad", "good"]);
}

#[test]
fn what_a_killed_conversion_left_does_not_stop_the_next() {
    // A restarted container gives out the same process ids again.
    let folder = Folder::new();
    let path = folder.file("p", POSTGRES);
    let left = format!(".out.twt.{}-0.partial", std::process::id());
    folder.file(&left, "half");
    convert(&spec(&path), &folder.path("out.twt")).unwrap();
    assert_eq!(folder.names(), [left.as_str(), "out.twt", "p"]);
}

#[test]
fn a_canonical_trace_inside_a_compressed_file_is_refused() {
    let folder = Folder::new();
    let out = folder.path("o.twt");
    convert(&spec(&folder.file("p", POSTGRES)), &out).unwrap();
    let packed = folder.file("o.twt.gz", gzip(&std::fs::read(&out).unwrap()));
    assert_refused(
        inspect(&TraceSpec::new(&packed)),
        "canonical trace inside a gzip file",
    );
}

#[test]
fn truncated_canonical_files_are_refused_at_every_byte() {
    let folder = Folder::new();
    let out = folder.path("o.twt");
    convert(&spec(&folder.file("p", long_postgres(50))), &out).unwrap();
    let bytes = std::fs::read(&out).unwrap();
    for length in 1..bytes.len() {
        let path = folder.file("t.twt", &bytes[..length]);
        refused(inspect(&TraceSpec::new(&path)));
        refused(accesses(&TraceSpec::new(&path)));
    }
    let longer = folder.file("t.twt", [&bytes[..], b"\0"].concat());
    refused(inspect(&TraceSpec::new(&longer)));
}

#[test]
fn damaged_canonical_files_are_refused_at_every_byte() {
    let folder = Folder::new();
    let out = folder.path("o.twt");
    convert(&spec(&folder.file("p", long_postgres(50))), &out).unwrap();
    let bytes = std::fs::read(&out).unwrap();
    for position in 0..bytes.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[position] ^= mask;
            let path = folder.file("t.twt", damaged);
            refused(inspect(&TraceSpec {
                format: Some("canonical".to_owned()),
                ..TraceSpec::new(&path)
            }));
        }
    }
}

// --- properties -------------------------------------------------------------------------------

/// A request as the property tests make it: device, offset, size, write, time step.
type MadeRequest = (u8, u64, u32, bool, i32);

fn made_requests() -> impl Strategy<Value = Vec<MadeRequest>> {
    let request = (
        0..3_u8,
        prop_oneof![0..100_000_u64, 0..(1_u64 << 50)],
        prop_oneof![Just(0_u32), Just(4096), 1..50_000_u32],
        any::<bool>(),
        -1000..100_000_i32,
    );
    prop::collection::vec(request, 1..60)
}

/// What normalisation means, said slowly: every byte's page, in order, without repeats in a row.
fn slow_accesses(requests: &[MadeRequest], page_bytes: u64) -> (Vec<Access>, String) {
    let mut numbers = FastMap::default();
    let mut all = Vec::new();
    let mut text = String::new();
    let mut time = 0;
    let mut start = None;
    for (device, offset, size, write, step) in requests {
        time += i64::from(*step) * 100;
        let start = *start.get_or_insert(time);
        let mut pages: Vec<u64> = Vec::new();
        // A page of at least 512 bytes cannot be stepped over in steps of 512.
        let mut position = *offset;
        while position < offset + u64::from(*size) {
            pages.push(position / page_bytes);
            position += 512;
        }
        if *size > 0 {
            pages.push((offset + u64::from(*size) - 1) / page_bytes);
        }
        pages.dedup();
        for (index, page) in pages.into_iter().enumerate() {
            let next = u32::try_from(numbers.len()).unwrap();
            let number = *numbers.entry((*device, page)).or_insert(next);
            all.push((number, *write, index == 0, Some(time - start)));
            writeln!(text, "{page} {}", if *write { "W" } else { "R" }).unwrap();
        }
    }
    (all, text)
}

fn sha256(text: &str) -> String {
    use sha2::Digest as _;
    let mut hex = String::new();
    for byte in sha2::Sha256::digest(text.as_bytes()) {
        write!(hex, "{byte:02x}").unwrap();
    }
    hex
}

fn as_msr(requests: &[MadeRequest]) -> String {
    let mut ticks = 128_166_372_000_000_000_i64;
    let mut text = String::new();
    for (device, offset, size, write, step) in requests {
        ticks += i64::from(*step);
        let op = if *write { "Write" } else { "Read" };
        writeln!(text, "{ticks},host,{device},{op},{offset},{size},0").unwrap();
    }
    text
}

fn as_table(requests: &[MadeRequest]) -> String {
    let mut time = 0_i64;
    let mut text = "op;dev;us;at;bytes\n".to_owned();
    for (device, offset, size, write, step) in requests {
        time += i64::from(*step);
        let sign = if time < 0 { "-" } else { "" };
        let op = u8::from(!write);
        writeln!(
            text,
            "{op};d{device};{sign}{}.{};{offset};{size}",
            time.abs() / 10,
            time.abs() % 10
        )
        .unwrap();
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn normalisation_equals_the_slow_one(requests in made_requests(), shift in 9..17_u32) {
        let page_bytes = 1_u64 << shift;
        let (expected, text) = slow_accesses(&requests, page_bytes);
        prop_assume!(!expected.is_empty());
        let folder = Folder::new();
        let msr = TraceSpec { page_bytes, ..spec(&folder.file("m", as_msr(&requests))) };
        let mapping = "op=op read_values=1 write_values=0 device=dev time=us time_unit=us \
                       offset=at offset_unit=bytes size=bytes size_unit=bytes";
        let table = TraceSpec {
            page_bytes,
            ..spec_mapped(&folder.file("t", as_table(&requests)), mapping)
        };
        for spec in [&msr, &table] {
            prop_assert_eq!(&accesses(spec).unwrap(), &expected);
            let report = round_trip(spec, &folder);
            prop_assert_eq!(&report.sha256_of_sequence, &sha256(&text));
            prop_assert_eq!(report.requests, requests.len() as u64);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
        start in 0..8_usize,
        format in prop::option::of(0..FORMATS.len()),
    ) {
        let starts: [&[u8]; 8] = [
            b"",
            b"\x1f\x8b\x08\x00",
            b"\x28\xb5\x2f\xfd",
            b"\x89TWT\r\n\x1a\n\x01\x00\x00\x00",
            b"time_us,op,rel,block\n",
            b"1,a,0,Read,0,4096,0\n",
            b"\x50\x2a\x4d\x18",
            b"\xef\xbb\xbf",
        ];
        let folder = Folder::new();
        let content = [starts[start], &bytes].concat();
        let path = folder.file("t", &content);
        let mut spec = spec(&path);
        spec.format = format.map(|index| FORMATS[index].name.to_owned());
        // Whatever the answer, it is one, and all three questions answer without a panic.
        let _ = inspect(&spec);
        let _ = preview(&spec);
        let _ = convert(&spec, &folder.path("out.twt"));
        let _ = inspect(&spec_mapped(&path, "key=1 header=false"));
        let packed = folder.file("z", zstd(&content));
        let _ = inspect(&TraceSpec { path: packed, ..spec });
    }

    #[test]
    fn arbitrary_table_bytes_never_panic(text in "[0-9,;\t\"RW. \\-\n\r]{0,300}") {
        let folder = Folder::new();
        let path = folder.file("t", text);
        for mapping in ["key=1", "key=1 delimiter=;", "offset=1 size=2 op=3 header=false", "page=2 time=1 time_unit=filetime"] {
            let _ = inspect(&spec_mapped(&path, mapping));
        }
        for format in ["msr", "postgres_csv"] {
            let _ = inspect(&spec_as(&path, format));
        }
    }

    #[test]
    fn damaged_canonical_bytes_never_panic_or_pass(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 1..6),
    ) {
        let folder = Folder::new();
        let out = folder.path("o.twt");
        convert(&spec(&folder.file("p", long_postgres(2000))), &out).unwrap();
        let original = std::fs::read(&out).unwrap();
        let mut bytes = original.clone();
        for (index, mask) in &changes {
            bytes[index.index(original.len())] ^= mask;
        }
        prop_assume!(bytes != original);
        let path = folder.file("d.twt", bytes);
        let _ = accesses(&TraceSpec::new(&path));
        prop_assert!(inspect(&TraceSpec::new(&path)).is_err());
    }
}
