//! Tables that look like another one: asked for or warned of, never read in silence.

use std::io::Write as _;

use crate::samples::{QUEUE, READ, WRITE, blktrace};
use crate::support::*;
use tierwright_simulator::Error;
use tierwright_simulator::trace::{TraceReport, TraceSpec, Warning};

/// Writes one line of a table.
type Line = fn(u64) -> String;

fn numbered(count: u64, line: impl Fn(u64) -> String) -> String {
    let lines: Vec<String> = (0..count).map(line).collect();
    lines.concat()
}

fn read(content: impl AsRef<[u8]>) -> Result<TraceReport, Error> {
    let folder = Folder::new();
    inspect(&spec(&folder.file("t", content)))
}

fn read_as(content: impl AsRef<[u8]>, format: &str) -> TraceReport {
    let folder = Folder::new();
    inspect(&spec_as(&folder.file("t", content), format)).unwrap()
}

/// Asserts that no format is chosen, for a reason that holds `part`.
#[track_caller]
fn asked(content: impl AsRef<[u8]>, part: &str) {
    let error = refused(read(content));
    assert!(
        matches!(error, Error::UndecidedFormat { .. }),
        "{}",
        message(&error)
    );
    assert!(message(&error).contains(part), "{}", message(&error));
}

#[track_caller]
fn warned<'a>(report: &'a TraceReport, name: &str) -> &'a Warning {
    let mut found = report.warnings.iter().filter(|one| one.name == name);
    let first = found
        .next()
        .unwrap_or_else(|| panic!("no warning {name} in {:?}", warning_names(report)));
    assert!(found.next().is_none(), "{name} is told twice");
    first
}

// --- tables without a header ----------------------------------------------------------------------

#[test]
fn a_time_an_operation_and_two_numbers_are_no_postgres_blocks() {
    // Microseconds, operation, offset and length in bytes: each offset would be a relation.
    let lines = numbered(400, |i| format!("{},R,{},4096\n", i * 1000, i * 4096));
    asked(&lines, "is not named as a relation is");
    // Also under a header of its own, with leave to pass over a line.
    let folder = Folder::new();
    let path = folder.file("t", format!("us,op,off,len\n{lines}"));
    let lenient = TraceSpec {
        skip_bad_records: 5,
        ..spec(&path)
    };
    assert!(matches!(
        refused(inspect(&lenient)),
        Error::UndecidedFormat { .. }
    ));
    // Names of relations, or the header, prove the format.
    for name in ["0/2676", "16384/24576_fsm", "5/9_init"] {
        let lines = numbered(40, |i| format!("{i},R,{name},{i}\n"));
        assert_eq!(read(lines).unwrap().format, "postgres_csv");
    }
    for name in ["/dev/sda", "5/", "/9", "5/9_", "5/9_FSM", "a/b", "5/9/7"] {
        asked(
            numbered(40, |i| format!("{i},R,{name},{i}\n")),
            "is not named as a relation is",
        );
    }
    let headed = numbered(40, |i| format!("{i},R,pg_class,{i}\n"));
    let headed = read(format!("time_us,op,rel,block\n{headed}")).unwrap();
    assert_eq!(
        (headed.format.as_str(), headed.devices),
        ("postgres_csv", 1)
    );
    // One bad name among good ones does not hide the format.
    let mixed = numbered(40, |i| {
        format!("{i},R,{},7\n", if i == 20 { "odd" } else { "5/9" })
    });
    assert_eq!(read(mixed).unwrap().format, "postgres_csv");
}

#[test]
fn a_column_that_names_a_new_device_in_most_records_is_no_device() {
    // Time, device, operation, offset, length: K5cloud would take each time for a volume.
    let bpf = |i: u64| format!("{},8388608,R,{},4096\n", i * 1000, i * 37 % 500 * 4096);
    asked(numbered(500, bpf), "500 records name 500 different devices");
    // Times that repeat, as coarse clocks do, still only rise.
    let coarse = |i: u64| format!("{},8388608,R,{},4096\n", i / 10, i * 4096);
    asked(numbered(500, coarse), "only rise from record to record");
    let tables: [(&str, Line); 4] = [
        ("alibaba", |i| {
            format!("{},R,{},4096,1577808000000000\n", i * 4096, i % 3)
        }),
        ("k5cloud", |i| {
            format!("{},0,R,{},4096\n", i * 999 % 1000, i)
        }),
        ("systor", |i| {
            format!("1456095145.0,0.1,R,{},8,4096\n", i * 4096)
        }),
        ("spc", |i| format!("{},8,4096,R,0.5\n", i * 7)),
    ];
    for (format, line) in tables {
        let lines = numbered(20, line);
        asked(&lines, "20 records name 20 different devices");
        // Who names the format is believed.
        assert_eq!(read_as(&lines, format).devices, 20);
    }
}

#[test]
fn many_devices_in_any_order_are_devices() {
    // 400 devices in 1,000 records, as a busy cloud has.
    let alibaba = numbered(1000, |i| {
        format!(
            "{},R,{},4096,{}\n",
            i * 7919 % 400,
            i * 4096,
            1_577_808_000_000_000 + i
        )
    });
    let found = read(alibaba).unwrap();
    assert_eq!((found.format.as_str(), found.devices), ("alibaba", 400));
    // Few devices one after the other: a file sorted by device.
    let sorted = numbered(100, |i| {
        format!("{},{}.5,W,{},512\n", i / 20, i % 20, i * 512)
    });
    let found = read(sorted).unwrap();
    assert_eq!((found.format.as_str(), found.devices), ("k5cloud", 5));
    // The header says what the columns are.
    let lines = numbered(20, |i| format!("{i},{i}.5,W,{},512\n", i * 512));
    let headed = read(format!("ID,Timestamp,Type,Offset,Length\n{lines}")).unwrap();
    assert_eq!((headed.format.as_str(), headed.devices), ("k5cloud", 20));
}

#[test]
fn no_line_before_the_first_record_is_passed_over_unless_the_format_is_named() {
    let folder = Folder::new();
    let lines = numbered(50, |i| format!("1,{i}.5,R,{},4096\n", i * 4096));
    let path = folder.file("t", format!("recorded on Monday\n{lines}"));
    let lenient = |format: Option<&str>| TraceSpec {
        skip_bad_records: 1,
        format: format.map(str::to_owned),
        ..spec(&path)
    };
    let error = refused(inspect(&lenient(None)));
    assert!(message(&error).contains("line 1: "), "{}", message(&error));
    assert!(
        error
            .hint()
            .contains("a header may give the columns another meaning")
    );
    let named = inspect(&lenient(Some("k5cloud"))).unwrap();
    assert_eq!((named.requests, named.skipped_records), (50, Some(1)));
    // Behind the first record a bad line may be passed over under detection too.
    let path = folder.file("u", format!("{lines}cut off\n{lines}"));
    let found = inspect(&TraceSpec {
        skip_bad_records: 1,
        ..spec(&path)
    })
    .unwrap();
    assert_eq!((found.requests, found.skipped_records), (100, Some(1)));
}

#[test]
fn whole_times_with_lengths_in_pages_are_asked_for() {
    // FlashSim with whole milliseconds: each request begins where 4 pages (32 sectors) end.
    let flashsim = numbered(300, |i| format!("{} 0 {} 4 1\n", i * 1000, i * 32));
    let error = refused(read(&flashsim));
    for part in [
        "[[format=mqsim]]",
        "[[format=disksim]]",
        "[[format=flashsim]]",
    ] {
        assert!(error.hint().contains(part), "{}", error.hint());
    }
    assert!(
        message(&error)
            .contains("0 times by a length in sectors, 299 times by a length in pages of 4 KiB"),
        "{}",
        message(&error)
    );
    assert_eq!(read_as(&flashsim, "flashsim").accesses, 1200);
    assert_eq!(read_as(&flashsim, "mqsim").accesses, 300);
    // By lengths in sectors they are MQSim's.
    let mqsim = numbered(300, |i| format!("{} 0 {} 33 1\n", i * 1000, i * 33));
    assert_eq!(read(mqsim).unwrap().format, "mqsim");
}

#[test]
fn any_list_of_numbers_is_told_to_look_like_lirs() {
    let found = read(numbered(500, |i| format!("{}\n", i * 7919 % 100_000))).unwrap();
    assert_eq!(found.format, "lirs");
    assert!(
        found
            .assumptions
            .iter()
            .any(|one| one.contains("any list of numbers has this shape")),
        "{:?}",
        found.assumptions
    );
}

#[test]
fn tencent_sizes_that_count_bytes_are_doubted() {
    let lines = |size: u64| {
        numbered(20, |i| {
            format!("{},{},{size},{},7\n", 1_577_808_000 + i, i * 4096, i % 2)
        })
    };
    asked(lines(4096), "all sizes are multiples of 512 too");
    for format in ["tencent_cbs", "tencent_cbs_bytes"] {
        let bytes = read_as(lines(4096), format);
        assert!(
            warned(&bytes, "sizes_look_like_bytes")
                .message
                .contains("20 requests")
        );
        let sectors = read_as(lines(8), format);
        assert!(!warning_names(&sectors).contains(&"sizes_look_like_bytes"));
    }
    // Both copies have sizes of any number of sectors, 256 KiB among them.
    let error = refused(read(format!("{}1577808020,0,8,0,7\n", lines(512))));
    assert!(
        error.hint().contains("[[format=tencent_cbs]] or"),
        "{}",
        error.hint()
    );
}

// --- times and rates ------------------------------------------------------------------------------

#[test]
fn dates_outside_this_century_are_told() {
    // Seconds and milliseconds where the format counts microseconds.
    for (factor, told) in [(1, true), (1000, true), (1_000_000, false)] {
        let lines = numbered(200, |i| {
            format!(
                "{},R,{},4096,{}\n",
                i % 3,
                i * 4096,
                (1_577_808_000 + i) * factor
            )
        });
        let found = read(lines).unwrap();
        assert_eq!(found.format, "alibaba");
        assert_eq!(
            warning_names(&found).contains(&"time_not_absolute"),
            told,
            "{factor}"
        );
        if told {
            let warning = warned(&found, "time_not_absolute");
            assert!(warning.message.contains("200 of 200 requests"));
            assert!(warning.hint.contains("check the unit of timestamp"));
        }
    }
    for (format, relative, absolute) in [
        ("systor", "12.5,,R,0,0,512\n", "1456095145.1,,R,0,0,512\n"),
        ("tencent_cbs", "12,8,8,0,7\n", "1538323199,8,8,0,7\n"),
        (
            "msr",
            "128166372,a,0,Read,0,8192,9\n",
            "128166372000000000,a,0,Read,0,8192,9\n",
        ),
    ] {
        warned(&read_as(relative, format), "time_not_absolute");
        assert!(!warning_names(&read_as(absolute, format)).contains(&"time_not_absolute"));
    }
}

#[test]
fn more_bytes_a_second_than_any_server_moves_are_told() {
    // Microseconds read as nanoseconds: 2,000 requests of 128 KiB a second become 261 GB/s.
    let lines = |step: u64| {
        numbered(500, |i| {
            format!("{} 0 {} 255 1\n", i * step, i * 7919 % 999_983 * 8)
        })
    };
    let found = read(lines(500)).unwrap();
    assert!(
        warned(&found, "implausible_bandwidth")
            .message
            .contains("262 GB/s"),
        "{:?}",
        found.warnings
    );
    assert!(!warning_names(&found).contains(&"implausible_rate"));
    let right = read(lines(500_000)).unwrap();
    assert!(!warning_names(&right).contains(&"implausible_bandwidth"));
}

#[test]
fn repeats_between_others_are_told() {
    const MAPPING: &str =
        "time=us time_unit=us op=op offset=off offset_unit=bytes size=len size_unit=bytes";
    let folder = Folder::new();
    let read = |depth: u64, times: u64| {
        // Rounds of `depth` different requests, each round recorded so many times.
        let lines = numbered(400 / depth, |round| {
            numbered(times, |_| {
                numbered(depth, |at| {
                    let i = round * depth + at;
                    format!("{},R,{},4096\n", i * 1000, i * 4096)
                })
            })
        });
        let path = folder.file("t", format!("us,op,off,len\n{lines}"));
        inspect(&spec_mapped(&path, MAPPING)).unwrap()
    };
    for depth in [1, 2, 8, 40] {
        let found = read(depth, 3);
        assert!(
            warned(&found, "duplicated_requests")
                .message
                .contains("one of the 64 before them within a millisecond"),
            "{depth}"
        );
        assert!(!warning_names(&read(depth, 1)).contains(&"duplicated_requests"));
    }
}

// --- several members ------------------------------------------------------------------------------

fn tar(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut all = Vec::new();
    for (name, content) in members {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..107].copy_from_slice(b"0000644");
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = b'0';
        header[257..263].copy_from_slice(b"ustar\0");
        header[263..265].copy_from_slice(b"00");
        header[148..156].copy_from_slice(b"        ");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        all.extend_from_slice(&header);
        all.extend_from_slice(content);
        all.resize(all.len().next_multiple_of(512), 0);
    }
    all.resize(all.len() + 1024, 0);
    all
}

fn packed(members: impl IntoIterator<Item = (String, String)>) -> TraceReport {
    let members: Vec<(String, Vec<u8>)> = members
        .into_iter()
        .map(|(name, text)| (name, text.into_bytes()))
        .collect();
    read(tar(&members)).unwrap_or_else(|error| panic!("{}", message(&error)))
}

#[test]
fn devices_that_several_members_name_are_told() {
    let spc = |unit: u64| numbered(20, |i| format!("{unit},{},4096,R,{i}.0\n", i * 8));
    let name = |index: u64| format!("Financial{index}.spc");
    let found = packed([(name(1), spc(0)), (name(2), spc(0))]);
    assert_eq!((found.distinct_pages, found.devices), (20, 1));
    assert!(
        warned(&found, "members_joined").message.contains(
            "several of the archive's 2 members name the same devices, each of which counts as one: 0"
        ),
        "{:?}",
        found.warnings
    );
    // Different devices stay different, and nothing is to be told.
    let found = packed([(name(1), spc(0)), (name(2), spc(1))]);
    assert_eq!((found.distinct_pages, found.devices), (40, 2));
    assert!(!warning_names(&found).contains(&"members_joined"));
    // Two lists of pages without devices: the same number is the same page.
    let arc = numbered(50, |i| format!("{i} 1 0 {i}\n"));
    let found = packed([("OLTP.lis".into(), arc.clone()), ("P1.lis".into(), arc)]);
    assert_eq!(found.distinct_pages, 50);
    assert!(
        warned(&found, "members_joined")
            .message
            .contains("the same page or key in several of the archive's 2 members")
    );
}

#[test]
fn warnings_of_all_members_are_told_once_with_their_names() {
    let member = |index: u64| {
        let ended = numbered(10, |i| format!("{index},{},4096,R,{i}.0\n", i * 8));
        // The 3rd and from the 26th on every one lack their last line end.
        let cut = index == 3 || index >= 26;
        let text = if cut { ended.trim_end() } else { &ended };
        (format!("p{index:02}.spc"), text.to_owned())
    };
    let found = packed((0..40).map(member));
    let told = &warned(&found, "no_final_line_end").message;
    assert!(told.starts_with("member `p03.spc`: "), "{told}");
    assert!(
        told.contains("the same for 14 more members: p26.spc, p27.spc"),
        "{told}"
    );
    assert!(told.ends_with("and 4 more"), "{told}");
    let found = packed((0..27).map(|index| {
        let (name, text) = member(index);
        (name, if index == 3 { text + "\n" } else { text })
    }));
    let told = &warned(&found, "no_final_line_end").message;
    assert!(told.starts_with("member `p26.spc`: "), "{told}");
    assert!(!told.contains("more members"), "{told}");
}

// --- tenants --------------------------------------------------------------------------------------

#[test]
fn an_id_of_two_tenants_is_two_keys() {
    let op_ns = |id: u64, ns: u16| {
        let mut record = vec![0; 27];
        record[4..12].copy_from_slice(&id.to_le_bytes());
        record[16] = 1;
        record[17..19].copy_from_slice(&ns.to_le_bytes());
        record[19..].copy_from_slice(&(-1_i64).to_le_bytes());
        record
    };
    let records: Vec<u8> = (0..200)
        .flat_map(|i| op_ns(i % 50, u16::try_from(i / 50 % 2).unwrap() * 700))
        .collect();
    let found = read_as(&records, "oracle_general_op_ns");
    assert_eq!((found.distinct_pages, found.devices), (100, 2));
    let folder = Folder::new();
    let out = folder.path("o.twt");
    convert(
        &spec_as(&folder.file("t", &records), "oracle_general_op_ns"),
        &out,
    )
    .unwrap();
    let shown = preview(&spec(&out)).unwrap();
    assert_eq!(shown.records[0].device, "0");
    assert_eq!(inspect(&spec(&out)).unwrap().distinct_pages, 100);

    let lcs = |id: u64, tenant: u32| {
        let mut record = vec![0; 28];
        record[4..12].copy_from_slice(&id.to_le_bytes());
        record[16..20].copy_from_slice(&(1 | tenant << 8).to_le_bytes());
        record[20..].copy_from_slice(&(-1_i64).to_le_bytes());
        record
    };
    let mut content = crate::samples::lcs_header(2);
    for i in 0..200 {
        // The largest tenant of 24 bits, and 0.
        content.extend(lcs(i % 50, if i % 3 == 0 { 0xff_ffff } else { 0 }));
    }
    let found = read(content).unwrap();
    assert_eq!((found.distinct_pages, found.devices), (100, 2));
}

// --- blktrace -------------------------------------------------------------------------------------

#[test]
fn limits_and_tolerance_hold_for_the_files_of_all_cpus() {
    let folder = Folder::new();
    let of = |cpu: u64| -> Vec<u8> {
        (0..200)
            .flat_map(|i| blktrace(1, i * 10 + cpu, QUEUE | READ, i * 8, 4096, b""))
            .collect()
    };
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&of(1)).unwrap();
    folder.file("r.blktrace.1.gz", encoder.finish().unwrap());
    let path = folder.file("r.blktrace.0.gz", gzip(&of(0)[..4800]));
    assert_eq!(inspect(&spec(&path)).unwrap().requests, 300);
    let mut tight = spec(&path);
    tight.limits.max_content_bytes = 5000;
    assert_refused(inspect(&tight), "the limit");
}

#[test]
fn files_of_other_cpus_that_are_links_are_not_followed() {
    let folder = Folder::new();
    let outside = Folder::new();
    let secret = outside.file("secret", blktrace(1, 5, QUEUE | WRITE, 0, 4096, b""));
    let path = folder.file("r.blktrace.0", blktrace(1, 0, QUEUE | READ, 8, 4096, b""));
    let link = folder.path("r.blktrace.1");
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    assert_refused(inspect(&spec(&path)), "is a link, which is not followed");
    assert_refused(inspect(&spec(&path)), "r.blktrace.1");
    std::fs::remove_file(&link).unwrap();
    std::fs::create_dir(&link).unwrap();
    assert_refused(inspect(&spec(&path)), "is not a regular file");
    std::fs::remove_dir(&link).unwrap();
    assert_eq!(inspect(&spec(&path)).unwrap().requests, 1);
    // The file that the user names may be a link: who names it means what it leads to.
    std::os::unix::fs::symlink(&secret, folder.path("s.blktrace.0")).unwrap();
    let named = inspect(&spec(&folder.path("s.blktrace.0"))).unwrap();
    assert_eq!(named.write_requests, 1);
}

#[test]
fn damaged_records_of_blktrace_are_passed_over_on_request() {
    let good = |i: u64| blktrace(1, i * 1000, QUEUE | READ, i * 8, 4096, b"payload");
    let damaged = |at: usize, byte: u8| {
        let mut record = good(20);
        record[at] = byte;
        record
    };
    let around = |bad: &[u8]| -> Vec<u8> {
        let records = |range: std::ops::Range<u64>| range.flat_map(good).collect::<Vec<u8>>();
        [&records(0..20)[..], bad, &records(21..40)].concat()
    };
    let folder = Folder::new();
    // The magic number, its version, a time and a sector out of range, a record cut short.
    for bad in [
        damaged(2, 0),
        damaged(0, 8),
        damaged(15, 0x80),
        damaged(23, 0xff),
        b"taking its length away".to_vec(),
        vec![7; 5000],
    ] {
        let path = folder.file("t", around(&bad));
        assert!(matches!(
            refused(inspect(&spec(&path))),
            Error::BadTrace { .. }
        ));
        let lenient = TraceSpec {
            skip_bad_records: 1,
            ..spec(&path)
        };
        let found = inspect(&lenient).unwrap();
        assert_eq!((found.requests, found.skipped_records), (39, Some(1)));
        assert!(
            warned(&found, "bad_records_skipped")
                .message
                .contains("record 21 at byte 1100"),
            "{:?}",
            found.warnings
        );
    }
    // An end in the middle of a record counts as one, and ends its file only.
    let whole = around(&good(20));
    for cut in [1, 10, 40, 54] {
        let path = folder.file("t", &whole[..whole.len() - cut]);
        assert_refused(
            inspect(&spec(&path)),
            "the file ends in the middle of a record",
        );
        let lenient = TraceSpec {
            skip_bad_records: 1,
            ..spec(&path)
        };
        let found = inspect(&lenient).unwrap();
        assert_eq!((found.requests, found.skipped_records), (39, Some(1)));
    }
}
