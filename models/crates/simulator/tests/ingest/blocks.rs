//! Block traces: units, codes and devices of each format, and what may be mistaken for what.

use crate::samples::{COMPLETE, ISSUE, QUEUE, READ, WRITE, blktrace};
use crate::support::*;
use tierwright_simulator::trace::TraceReport;
use tierwright_simulator::trace::formats::FORMATS;

/// Reads a trace by its content, or as the named format.
fn read(content: impl AsRef<[u8]>, format: &str) -> TraceReport {
    let folder = Folder::new();
    let path = folder.file("t", content);
    let report = match format {
        "" => inspect(&spec(&path)),
        name => inspect(&spec_as(&path, name)),
    };
    report.unwrap_or_else(|error| panic!("{}", message(&error)))
}

#[track_caller]
fn refuse(content: impl AsRef<[u8]>, format: &str, part: &str) {
    let folder = Folder::new();
    let path = folder.file("t", content);
    assert_refused(inspect(&spec_as(&path, format)), part);
}

/// First byte and length of each request, as the preview shows them.
fn extents(content: impl AsRef<[u8]>, format: &str) -> Vec<(u64, u64)> {
    let folder = Folder::new();
    let path = folder.file("t", content);
    preview(&spec_as(&path, format))
        .unwrap()
        .records
        .iter()
        .map(|record| (record.offset_bytes.unwrap(), record.size_bytes.unwrap()))
        .collect()
}

/// Time [ns] and operation of each request.
fn times_and_ops(content: impl AsRef<[u8]>, format: &str) -> Vec<(i64, &'static str)> {
    let folder = Folder::new();
    let path = folder.file("t", content);
    preview(&spec_as(&path, format))
        .unwrap()
        .records
        .iter()
        .map(|record| (record.time_ns.unwrap(), record.op))
        .collect()
}

/// One line for each number from 0, as `line` writes it.
fn numbered(count: u64, line: impl Fn(u64) -> String) -> String {
    let lines: Vec<String> = (0..count).map(line).collect();
    lines.concat()
}

fn warning<'a>(report: &'a TraceReport, name: &str) -> &'a str {
    report
        .warnings
        .iter()
        .find(|warning| warning.name == name)
        .map_or_else(
            || panic!("no warning {name} in {:?}", warning_names(report)),
            |warning| warning.message.as_str(),
        )
}

// --- bytes or sectors -----------------------------------------------------------------------------

#[test]
fn lengths_and_addresses_are_in_the_unit_of_their_format() {
    // The published first lines of Financial1: the second begins 3584 / 512 = 7 sectors on.
    assert_eq!(
        extents(
            "0,303567,3584,w,0.000000\n0,303574,3584,w,0.000000\n",
            "spc"
        ),
        [(155_426_304, 3584), (155_429_888, 3584)]
    );
    assert_eq!(
        extents("0,R,126703644672,4096,1577808000000626\n", "alibaba"),
        [(126_703_644_672, 4096)]
    );
    assert_eq!(
        extents("1538323199,105352008,584,1,1576\n", "tencent_cbs"),
        [(53_940_228_096, 299_008)]
    );
    assert_eq!(
        extents("1538323199,105352192,584,1,1576\n", "tencent_cbs_bytes"),
        [(105_352_192, 299_008)]
    );
    assert_eq!(
        extents(
            "1456095145.133076000,0.000806000,R,0,899056122368,131072\n",
            "systor"
        ),
        [(899_056_122_368, 131_072)]
    );
    assert_eq!(extents("1,0.5,R,4096,512\n", "k5cloud"), [(4096, 512)]);
    assert_eq!(
        extents("1,5633898,2a,512,42932745\n", "cloudphysics_csv"),
        [(21_981_565_440, 512)]
    );
    assert_eq!(extents("5 0 100 3 1\n", "mqsim"), [(51_200, 1536)]);
    // One shape, two units of the length.
    assert_eq!(extents("5.0 0 100 3 1\n", "disksim"), [(51_200, 1536)]);
    assert_eq!(extents("5.0 0 100 3 1\n", "flashsim"), [(51_200, 12_288)]);
    assert_eq!(
        extents("89966747115 18229 httpd 100 3 W 6 0 5c5a91\n", "fiu"),
        [(51_200, 1536)]
    );
    assert_eq!(
        extents("8,0 1 1 0.000000000 697 Q W 100 + 3 [x]\n", "blkparse"),
        [(51_200, 1536)]
    );
    assert_eq!(
        extents(blktrace(1, 0, QUEUE | WRITE, 100, 1536, b""), "blktrace"),
        [(51_200, 1536)]
    );
    assert_eq!(
        extents("fio version 2 iolog\nf read 51200 1536\n", "fio_iolog"),
        [(51_200, 1536)]
    );
}

#[test]
fn vscsi_versions_1_and_2_hold_the_same_requests() {
    // The published first records of version 1, and the same as version 2.
    let records = [
        (2_147_483_892_u32, 42_932_745_u64, 5_633_898_368_802_u64),
        (2_147_483_745, 42_932_746, 5_633_898_611_441),
        (2_147_483_880, 42_932_747, 5_633_898_745_540),
    ];
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for (serial, lbn, time_us) in records {
        one.extend_from_slice(&serial.to_le_bytes());
        two.extend_from_slice(&0x2a_u16.to_le_bytes());
        two.extend_from_slice(&0x0200_u16.to_le_bytes());
        two.extend_from_slice(&serial.to_le_bytes());
        for word in [512_u32, 1] {
            one.extend_from_slice(&word.to_le_bytes());
            two.extend_from_slice(&word.to_le_bytes());
        }
        one.extend_from_slice(&0x2a_u16.to_le_bytes());
        one.extend_from_slice(&0x0100_u16.to_le_bytes());
        for word in [lbn, time_us] {
            one.extend_from_slice(&word.to_le_bytes());
            two.extend_from_slice(&word.to_le_bytes());
        }
        two.extend_from_slice(&7_u64.to_le_bytes());
    }
    let (one_read, two_read) = (read(&one, ""), read(&two, ""));
    assert_eq!((one.len(), two.len()), (96, 120));
    assert_eq!((one_read.requests, one_read.write_requests), (3, 3));
    assert_eq!(one_read.first_time_ns, Some(5_633_898_368_802_000));
    assert!(two_read.assumptions[0].contains("version 2"));
    let same = TraceReport {
        assumptions: one_read.assumptions.clone(),
        choice: one_read.choice.clone(),
        records: one_read.records.clone(),
        units: one_read.units.clone(),
        ..two_read
    };
    assert_eq!(same, one_read);
    // A damaged record of version 2 is told as such.
    two[42] = 1;
    two[43] = 9;
    refuse(&two, "vscsi", "record 2 at byte 40: version field `0x0901`");
}

// --- reads or writes ------------------------------------------------------------------------------

#[test]
fn the_same_digit_reads_in_one_format_and_writes_in_another() {
    let writes = |content: &str, format| read(content, format).write_requests;
    // Tencent: 0 reads, 1 writes. MQSim, DiskSim and FlashSim: the reverse.
    assert_eq!(
        writes("1,8,8,0,5\n2,8,8,1,5\n3,8,8,1,5\n", "tencent_cbs"),
        2
    );
    for format in ["mqsim", "disksim", "flashsim"] {
        assert_eq!(
            writes("1 0 8 8 0\n2 0 8 8 1\n3 0 8 8 1\n", format),
            1,
            "{format}"
        );
    }
    // Bit 0 of DiskSim's hexadecimal flags.
    assert_eq!(writes("1.0 0 8 8 1f\n2.0 0 8 8 a\n", "disksim"), 1);
    for (content, format) in [
        (
            "0,8,512,r,0.0\n0,8,512,R,0.1\n0,8,512,w,0.2\n0,8,512,W,0.3\n",
            "spc",
        ),
        (
            "0,R,0,512,1\n0,r,0,512,2\n0,W,0,512,3\n0,w,0,512,4\n",
            "alibaba",
        ),
        (
            "1,0,28,512,0\n1,0,88,512,0\n1,0,2a,512,0\n2,0,2A,512,0\n",
            "cloudphysics_csv",
        ),
        (
            "1 2 p 8 8 R 6 0 a\n1 2 p 8 8 R 6 0 a\n1 2 p 8 8 W 6 0 a\n1 2 p 8 8 W 6 0 a\n",
            "fiu",
        ),
    ] {
        assert_eq!(writes(content, format), 2, "{format}");
    }
}

#[test]
fn operations_that_a_format_does_not_know_are_refused() {
    for (content, format, part) in [
        (
            "1,8,8,0,5\n1,8,8,2,5\n",
            "tencent_cbs",
            "IOType `2` is neither 0 (read) nor 1 (write)",
        ),
        (
            "1 0 8 8 1\n1 0 8 8 3\n",
            "mqsim",
            "type `3` is neither 0 (write) nor 1 (read)",
        ),
        (
            "1.0 0 8 8 1\n1.0 0 8 8 g\n",
            "disksim",
            "flags `g` is not a 32-bit hexadecimal number",
        ),
        (
            "0,8,512,r,0.0\n0,8,512,d,0.0\n",
            "spc",
            "Opcode `d` is neither R nor W",
        ),
        (
            "0,R,0,512,1\n0,Read,0,512,1\n",
            "alibaba",
            "opcode `Read` is neither R nor W",
        ),
        (
            "1,0,R,0,512\n1,0,T,0,512\n",
            "k5cloud",
            "Type `T` is neither R nor W",
        ),
        (
            "1,0,R,0,0,512\n1,0,O,0,0,512\n",
            "systor",
            "IOType `O` is neither R nor W",
        ),
        (
            "1,0,28,512,0\n1,0,12,512,0\n",
            "cloudphysics_csv",
            "op `12` is not a SCSI read or write",
        ),
        (
            "1,0,28,512,0\n3,0,28,512,0\n",
            "cloudphysics_csv",
            "version `3` is neither 1 nor 2",
        ),
        (
            "1 2 p 8 8 R 6 0 a\n1 2 p 8 8 X 6 0 a\n",
            "fiu",
            "with op R or W",
        ),
        (
            "fio version 2 iolog\nf read 0 1\nf readv 0 1\n",
            "fio_iolog",
            "action `readv` is not one of fio's",
        ),
        (
            "fio version 2 iolog\nf read 0 1\nf read 0\n",
            "fio_iolog",
            "file action [offset length]",
        ),
    ] {
        refuse(content, format, part);
    }
}

// --- time -----------------------------------------------------------------------------------------

#[test]
fn each_format_has_its_own_unit_of_time() {
    let time = |content: &str, format| times_and_ops(content, format)[0].0;
    assert_eq!(time("0,8,512,R,1.25\n", "spc"), 1_250_000_000);
    assert_eq!(
        time("0,R,0,512,1577808000000626\n", "alibaba"),
        1_577_808_000_000_626_000
    );
    assert_eq!(
        time("1538323199,8,8,0,5\n", "tencent_cbs"),
        1_538_323_199_000_000_000
    );
    assert_eq!(
        time("1456095145.133076000,,R,0,0,512\n", "systor"),
        1_456_095_145_133_076_000
    );
    assert_eq!(time("1,0.000012,R,0,512\n", "k5cloud"), 12_000);
    assert_eq!(
        time("1,5633898,28,512,0\n", "cloudphysics_csv"),
        5_633_898_000_000_000
    );
    assert_eq!(time("938513000 0 8 8 1\n", "mqsim"), 938_513_000);
    assert_eq!(time("640.875000 0 8 8 1\n", "disksim"), 640_875_000);
    assert_eq!(time("640.875000 0 8 8 1\n", "flashsim"), 640_875_000);
    assert_eq!(time("89966747115 1 p 8 8 R 6 0 a\n", "fiu"), 89_966_747_115);
    assert_eq!(
        time("8,0 1 1 0.000005077 6 Q R 8 + 8 [x]\n", "blkparse"),
        5077
    );
    assert_eq!(
        time("fio version 3 iolog\n70 f read 0 512\n", "fio_iolog"),
        70_000
    );
}

#[test]
fn the_same_numbers_as_another_unit_of_time_are_implausible() {
    // Seconds given as the nanoseconds of MQSim: a million requests a second and more.
    let fast = numbered(10, |i| format!("{i} 0 {} 9 1\n", i * 8));
    assert!(warning(&read(fast, "mqsim"), "implausible_rate").contains("faster"));
    // Nanoseconds given as the milliseconds of DiskSim: weeks between requests.
    let slow = numbered(3, |i| format!("{i}000000000000.5 0 {} 9 1\n", i * 8));
    assert!(warning(&read(slow, "disksim"), "implausible_rate").contains("slower"));
}

#[test]
fn requests_of_several_queues_are_kept_in_order_and_counted() {
    let report = read(
        "2.0,0,R,0,0,512\n1.5,0,R,0,0,512\n3.0,0,R,0,0,512\n",
        "systor",
    );
    assert!(warning(&report, "non_monotone_time").contains("1 of 3"));
    assert_eq!(report.duration_s, Some(1.5));
}

// --- devices --------------------------------------------------------------------------------------

#[test]
fn the_same_address_of_two_devices_is_two_pages() {
    for (content, format) in [
        ("0,8,512,R,0.0\n1,8,512,R,0.0\n", "spc"),
        ("0,R,4096,512,1\n1,R,4096,512,2\n", "alibaba"),
        // Offset plus volume would be the same number: 4096 + 1 and 4097 + 0.
        ("1,R,4096,512,1\n0,R,4097,512,2\n", "alibaba"),
        ("1,8,1,0,5\n1,8,1,0,6\n", "tencent_cbs"),
        ("1,9,1,0,5\n1,8,1,0,6\n", "tencent_cbs"),
        ("1,0,R,0,0,512\n1,0,R,1,0,512\n", "systor"),
        ("1,0,R,0,512\n2,0,R,0,512\n", "k5cloud"),
        ("1 0 8 8 1\n1 1 8 8 1\n", "mqsim"),
        ("1.0 0 8 8 1\n1.0 1 8 8 1\n", "disksim"),
        ("1 2 p 8 8 R 6 0 a\n1 2 p 8 8 R 6 1 a\n", "fiu"),
        // 8,16 and 81,6 have the same digits.
        (
            "8,16 1 1 0.0 6 Q R 8 + 8 [x]\n81,6 1 1 0.0 6 Q R 8 + 8 [x]\n",
            "blkparse",
        ),
        (
            "fio version 2 iolog\na read 0 512\nb read 0 512\n",
            "fio_iolog",
        ),
    ] {
        let report = read(content, format);
        assert_eq!(
            (report.distinct_pages, report.devices),
            (2, 2),
            "{format}: {content}"
        );
    }
}

#[test]
fn k5cloud_says_that_volumes_repeat_across_data_sets() {
    let report = read("1,0,R,0,512\n", "k5cloud");
    assert!(
        report
            .assumptions
            .iter()
            .any(|text| text.contains("repeat across"))
    );
}

#[test]
fn every_block_trace_warns_of_the_page_cache_above_it() {
    for sample in crate::samples::samples() {
        let block = ![
            "postgres_csv",
            "strace_postgres",
            "fio_iolog",
            "oracle_general",
            "csv",
            "parquet",
            "canonical",
            // Chunks of a storage service, not requests to a disk under a page cache.
            "cachelib_storage",
        ]
        .contains(&sample.format);
        let known = FORMATS
            .iter()
            .any(|format| format.name == sample.format && !format.page_native);
        if block && known {
            let report = read(&sample.content, sample.format);
            assert!(
                warning(&report, "below_page_cache").contains("too low"),
                "{}",
                sample.format
            );
        }
    }
}

// --- two readings of one shape --------------------------------------------------------------------

#[test]
fn disksim_and_flashsim_are_asked_for_with_the_evidence() {
    // Each request begins where one of 16 pages (128 sectors) ends.
    let lines = numbered(40, |i| format!("{i}.5\t0\t{}\t16\t1\n", i * 128));
    let folder = Folder::new();
    let path = folder.file("t", lines);
    let error = refused(inspect(&spec(&path)));
    let text = message(&error);
    assert!(text.contains("fits more than one format"), "{text}");
    for part in [
        "disksim",
        "flashsim",
        "0 times by a count in sectors, 39 times by a count in pages",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("mqsim"), "{text}");
    assert_eq!(inspect(&spec_as(&path, "disksim")).unwrap().accesses, 80);
    assert_eq!(inspect(&spec_as(&path, "flashsim")).unwrap().accesses, 640);
}

#[test]
fn whole_times_are_mqsim_s_unless_another_format_is_named() {
    let folder = Folder::new();
    let path = folder.file(
        "t",
        "938513000 4 264719034 16 0\n938828000 3 197570570 16 0\n",
    );
    assert_eq!(inspect(&spec(&path)).unwrap().format, "mqsim");
    let named = inspect(&spec_as(&path, "disksim")).unwrap();
    assert_eq!(named.duration_s, Some(315.0));
    // Addresses in bytes are not taken for sectors.
    let bytes = numbered(20, |i| format!("{i} 0 {} 4096 1\n", i * 4096));
    let bytes = folder.file("b", bytes);
    assert_refused(
        inspect(&spec(&bytes)),
        "no trace format was recognised with confidence",
    );
    assert_refused(inspect(&spec(&bytes)), "seem to be bytes");
    assert_eq!(inspect(&spec_as(&bytes, "mqsim")).unwrap().requests, 20);
}

#[test]
fn tencent_s_two_units_are_asked_for_with_the_evidence() {
    let folder = Folder::new();
    let original = folder.file("o", "1538323199,105352008,584,1,1576\n");
    let error = refused(inspect(&spec(&original)));
    let text = message(&error);
    for part in [
        "fits more than one format",
        "tencent_cbs_bytes",
        "0 of 1 offset are multiples",
        "sectors are likely",
    ] {
        assert!(text.contains(part), "{text}");
    }
    // An offset that no byte address of a sector can be.
    assert_refused(
        inspect(&spec_as(&original, "tencent_cbs_bytes")),
        "Offset `105352008` is not a multiple of 512",
    );
    let lines = numbered(20, |i| format!("{i},{},8,0,1\n", i * 4096));
    let hosted = folder.file("h", lines);
    assert!(message(&refused(inspect(&spec(&hosted)))).contains("bytes are likely"));
    let sectors = inspect(&spec_as(&hosted, "tencent_cbs")).unwrap();
    assert!(warning(&sectors, "offsets_look_like_bytes").contains("20 requests"));
    let bytes = inspect(&spec_as(&hosted, "tencent_cbs_bytes")).unwrap();
    assert!(!warning_names(&bytes).contains(&"offsets_look_like_bytes"));
    assert_eq!((sectors.accesses, bytes.accesses), (20, 20));
}

#[test]
fn lengths_in_sectors_are_not_taken_for_bytes() {
    // Tables of the same shape whose lengths count sectors: 8, 16, 24 ...
    type Line = fn(u64) -> String;
    let tables: [(&str, Line); 4] = [
        ("alibaba", |i| format!("0,R,{i},{},{i}\n", 8 + 8 * i)),
        ("k5cloud", |i| format!("0,{i},R,{i},{}\n", 8 + 8 * i)),
        ("systor", |i| format!("{i},0,R,0,{i},{}\n", 8 + 8 * i)),
        ("spc", |i| format!("0,{i},{},R,{i}\n", 8 + 8 * i)),
    ];
    let folder = Folder::new();
    for (format, line) in tables {
        let path = folder.file("t", numbered(20, line));
        let error = refused(inspect(&spec(&path)));
        let text = message(&error);
        assert!(text.contains("recognised with confidence"), "{text}");
        assert!(text.contains("may count sectors"), "{text}");
        // Who names the format is believed.
        assert_eq!(inspect(&spec_as(&path, format)).unwrap().requests, 20);
    }
}

// --- SYSTOR and CloudPhysics ----------------------------------------------------------------------

#[test]
fn records_without_operation_are_counted_and_make_no_access() {
    let report = read("1.0,,R,0,0,512\n1.1,,,0,0,512\n1.2,0.1,,0,0,512\n", "");
    assert_eq!((report.format.as_str(), report.requests), ("systor", 1));
    assert!(warning(&report, "records_without_operation").contains("2 records"));
}

#[test]
fn a_constant_size_is_doubted() {
    let lines = |size: &dyn Fn(u64) -> u64| -> String {
        numbered(1000, |i| format!("1,{i},28,{},{i}\n", size(i)))
    };
    let report = read(lines(&|_| 512), "cloudphysics_csv");
    assert!(warning(&report, "constant_size").contains("all 1,000 requests"));
    let report = read(lines(&|i| 512 << (i % 2)), "cloudphysics_csv");
    assert!(!warning_names(&report).contains(&"constant_size"));
}

// --- blkparse -------------------------------------------------------------------------------------

/// One request as all its actions, and the totals that blkparse adds.
const EVENTS: &str = "\
Input file sdb.blktrace.0 added
  8,16   0        1     0.000000000 14252  Q   W 64 + 8 [a (b) c]
  8,16   0        2     0.000005077 14252  G   W 64 + 8 [a (b) c]
  8,16   0        3     0.000007001 14252  P   N [a (b) c]
  8,16   0        4     0.000022457 14252  Q   W 72 + 8 [a (b) c]
  8,16   0        5     0.000023836 14252  M   W 72 + 8 [a (b) c]
  8,16   0        6     0.000026909 14252  U   N [a (b) c] 1
  8,16   0        7     0.000027869 14252  I   W 64 + 16 [a (b) c]
  8,16   0        8     0.000033801 14252  D   W 64 + 16 [a (b) c]
  8,16   0        9     0.000040000     0  C   W 64 + 16 [0]
  8,16   0       10     0.000050000 14252  Q  DS 128 + 8 [a (b) c]
  8,16   0       11     0.000060000 14252  Q FWS [a (b) c]
  8,16   0       12     0.000070000 14252  Q  ZR 0 + 524288 [a (b) c]
  8,16   0        0     0.000080000     0  m   N cfq14252 alloced
CPU0 (sdb):
 Reads Queued:           0,        0KiB\t Writes Queued:           2,        8KiB
 Read depth:             0        \t Write depth:             1

Throughput (R/W): 0KiB/s / 8KiB/s
Events (sdb): 12 entries
Skips: 0 forward (0 -   0.0%)
";

#[test]
fn one_action_stands_for_the_requests_of_blkparse() {
    let report = read(EVENTS, "");
    assert_eq!(report.format, "blkparse");
    // Two Q writes of 8 sectors: pages 8 and 9. Merges, issues and completions are the same data.
    assert_eq!((report.requests, report.write_requests), (2, 2));
    assert_eq!((report.accesses, report.distinct_pages), (2, 2));
    assert!(
        warning(&report, "duplicated_across_actions").contains("skipped: 1 D event and 1 C event")
    );
    assert!(warning(&report, "discards_passed_over").contains("1 discard"));
    assert!(warning(&report, "requests_without_data").contains("2 Q events"));
    assert!(report.assumptions[0].contains("Q events"));
}

#[test]
fn without_queue_events_the_issued_and_then_the_completed_count() {
    let only = |letters: &[&str]| -> String {
        EVENTS
            .lines()
            .filter(|line| letters.contains(&line.split_whitespace().nth(5).unwrap_or_default()))
            .fold(String::new(), |text, line| text + line + "\n")
    };
    let issued = read(only(&["D", "C", "M"]), "");
    assert_eq!((issued.requests, issued.accesses), (1, 2));
    assert!(issued.assumptions[0].contains("D events"));
    assert!(
        warning(&issued, "duplicated_across_actions")
            .contains("only D events count; skipped: 1 C event")
    );
    let completed = read(only(&["C"]), "");
    assert_eq!((completed.requests, completed.accesses), (1, 2));
    assert!(completed.assumptions[0].contains("C events"));
    assert!(!warning_names(&completed).contains(&"duplicated_across_actions"));
}

#[test]
fn requests_seen_on_two_layers_of_devices_are_named() {
    let mapped = "253,0 1 1 0.1 9 Q R 8 + 8 [x]\n8,0 1 2 0.2 9 A R 2056 + 8 <- (253,0) 8\n";
    let both = format!("{mapped}8,0 1 3 0.3 9 Q R 2056 + 8 [x]\n");
    let report = read(both, "");
    assert!(warning(&report, "stacked_devices").contains("device 253,0"));
    // A partition of the same disk is mapped too, but its requests appear once.
    let partition = "8,0 1 1 0.1 9 A R 2056 + 8 <- (8,1) 8\n8,0 1 2 0.2 9 Q R 2056 + 8 [x]\n";
    assert!(!warning_names(&read(partition, "")).contains(&"stacked_devices"));
}

#[test]
fn damaged_events_are_refused() {
    let good = "8,0 1 1 0.1 9 Q R 8 + 8 [x]\n";
    for (line, part) in [
        ("8,0 1 1 0.1 9", "of an event of blkparse"),
        ("8 1 1 0.1 9 Q R 8 + 8 [x]", "of an event of blkparse"),
        ("8,0 1 1 0.1 9 Q R 8", "no `+ number of sectors`"),
        (
            "8,0 1 1 0.1 9 Q R 8 + x",
            "number of sectors `x` is not a whole number",
        ),
        (
            "8,0 1 1 zero 9 Q R 8 + 8",
            "time `zero` is not a decimal number",
        ),
        (
            "8,0 1 1 0.1 9 17 R 8 + 8",
            "action `17` is not one of blkparse's",
        ),
        (
            "8,0 1 1 0.1 9 Q R 99999999999999999999 + 8",
            "does not fit in 64 bits",
        ),
        ("8,0 1 1 0.1 9 Q R 36028797018963968 + 8", "exceeds 64 bits"),
        // Damaged numbers are no flushes, which have a process or a command in place of a sector.
        (
            "8,0 1 1 0.1 9 Q R 22x34 + 8 [x]",
            "sector `22x34` is not a whole number",
        ),
        ("8,0 1 1 0.1 9 Q W -8 + 8 [x]", "sector `-8` is negative"),
        ("8,0 1 1 0.1 9 Q 8 + 8 [x]", "no letters of rwbs"),
        ("8,0 1 1 0.1 9 Q", "no letters of rwbs"),
    ] {
        refuse(format!("{good}{line}\n"), "blkparse", part);
    }
}

// --- blktrace -------------------------------------------------------------------------------------

#[test]
fn the_files_of_all_cpus_are_merged_by_time() {
    let folder = Folder::new();
    let of = |cpu: u8, times: &[u64]| -> Vec<u8> {
        times
            .iter()
            .flat_map(|time| {
                let mut record = blktrace(1, *time, QUEUE | READ, *time * 8, 4096, b"12 bytes too");
                record[40] = cpu;
                record
            })
            .collect()
    };
    let notify = blktrace(0, 0, 1 << 26, 0, 0, b"process");
    let zero = folder.file("sdb.blktrace.0", [notify, of(0, &[1, 4, 5])].concat());
    let ten = folder.file(
        "sdb.blktrace.10",
        gzip(b"not of this recording: another suffix"),
    );
    folder.file("sdb.blktrace.2", of(2, &[2, 3, 6]));
    folder.file("sdb.blktrace.3", "");
    folder.file("sdc.blktrace.1", of(1, &[9]));
    folder.file("sdb.blktrace.1.gz", gzip(&of(1, &[7])));
    std::fs::remove_file(ten).unwrap();
    for path in [zero, folder.path("sdb.blktrace.2")] {
        let shown = preview(&spec(&path)).unwrap();
        let times: Vec<i64> = shown
            .records
            .iter()
            .map(|record| record.time_ns.unwrap())
            .collect();
        assert_eq!(times, [1, 2, 3, 4, 5, 6]);
        assert_eq!(
            shown.records[0].place,
            "record 2 at byte 55 of sdb.blktrace.0"
        );
        assert_eq!(
            shown.records[1].place,
            "record 1 at byte 0 of sdb.blktrace.2"
        );
        let report = inspect(&spec(&path)).unwrap();
        assert_eq!((report.requests, report.distinct_pages), (6, 6));
        assert!(warning(&report, "missing_cpu_files").contains("1 CPUs (1)"));
        assert!(report.assumptions[1].contains("sdb.blktrace.0, sdb.blktrace.2"));
        assert!(!warning_names(&report).contains(&"non_monotone_time"));
    }
    // Progress counts all files.
    let mut seen = (0, 0);
    tierwright_simulator::trace::inspect(&spec(&folder.path("sdb.blktrace.2")), &mut |step| {
        seen = (step.done, step.total);
        true
    })
    .unwrap();
    assert_eq!(seen, (7 * 60 + 55 - 60, 7 * 60 + 55 - 60));
}

#[test]
fn one_file_of_blktrace_says_that_it_may_be_one_of_several() {
    let report = read(blktrace(1, 0, QUEUE | READ, 8, 4096, b""), "");
    assert!(warning(&report, "one_cpu_only").contains("CPU 0"));
    let mut other = blktrace(2, 1, QUEUE | READ, 8, 4096, b"");
    other[40] = 1;
    let merged = [blktrace(1, 0, QUEUE | READ, 8, 4096, b""), other].concat();
    assert!(!warning_names(&read(merged, "")).contains(&"one_cpu_only"));
}

#[test]
fn blktrace_takes_one_action_and_tells_flushes_and_discards_apart() {
    const DISCARD: u32 = 1 << 29;
    let records = [
        blktrace(1, 0, QUEUE | READ, 8, 4096, b""),
        // A control group's flag and payload.
        blktrace(2, 1, QUEUE | WRITE | 1 << 8, 16, 8192, b"cgroupid"),
        blktrace(3, 2, ISSUE | WRITE, 16, 8192, b""),
        blktrace(4, 3, COMPLETE | WRITE, 16, 8192, b""),
        blktrace(5, 4, QUEUE | WRITE | DISCARD, 0, 1 << 20, b""),
        blktrace(6, 5, QUEUE | WRITE, 0, 0, b""),
    ];
    let report = read(records.concat(), "");
    assert_eq!(
        (report.requests, report.write_requests, report.accesses),
        (2, 1, 3)
    );
    assert!(
        warning(&report, "duplicated_across_actions").contains("skipped: 1 D event and 1 C event")
    );
    assert!(warning(&report, "discards_passed_over").contains("1 discard"));
    assert!(warning(&report, "requests_without_data").contains("1 Q"));
    let issued = read(records[2..4].concat(), "");
    assert_eq!((issued.requests, issued.accesses), (1, 2));
    assert!(issued.assumptions[0].contains("D events"));
    refuse(
        &records[4],
        "blktrace",
        "no Q event that reads or writes data",
    );
}

#[test]
fn text_and_binary_of_the_same_events_are_the_same_accesses() {
    let text = "8,0 0 1 0.000000000 697 Q R 8 + 8 [x]\n8,0 0 2 0.000000007 697 Q WS 9 + 16 [x]\n";
    let binary = [
        blktrace(1, 0, QUEUE | READ, 8, 4096, b""),
        blktrace(2, 7, QUEUE | WRITE, 9, 8192, b""),
    ];
    let (text, binary) = (read(text, ""), read(binary.concat(), ""));
    assert_eq!(text.sha256_of_sequence, binary.sha256_of_sequence);
    assert_eq!(
        (text.duration_s, text.write_accesses),
        (binary.duration_s, binary.write_accesses)
    );
}

#[test]
fn damaged_records_of_blktrace_are_refused_with_their_place() {
    let good = blktrace(1, 0, QUEUE | READ, 8, 4096, b"abc");
    let with = |position: usize, byte: u8| {
        let mut record = blktrace(2, 1, QUEUE | READ, 8, 4096, b"");
        record[position] = byte;
        [good.clone(), record].concat()
    };
    for (content, part) in [
        (
            with(3, 0),
            "record 2 at byte 51: `0x00617407` is not the magic number",
        ),
        (with(0, 8), "the record has version 8 of blktrace, not 7"),
        (with(15, 0x80), "is more than 292 years"),
        (with(23, 0xff), "of 512 bytes exceeds 64 bits"),
        (with(46, 9), "48 of 57 bytes"),
        (
            good[..50].to_vec(),
            "record 1 at byte 0: the file ends in the middle of a record",
        ),
    ] {
        refuse(content, "blktrace", part);
    }
    let big_endian: Vec<u8> = good
        .chunks(4)
        .flat_map(|word| word.iter().rev().copied())
        .collect();
    refuse(big_endian, "blktrace", "big-endian");
}

// --- fio ------------------------------------------------------------------------------------------

#[test]
fn versions_2_and_3_of_fio_hold_the_same_accesses() {
    let two = "fio version 2 iolog\n/a add\n/a open\n/a read 0 8192\n/a wait 1000 0\n/a datasync 0 0\n\
               /b write 4096 4096\n/a trim 0 4096\n/a close\n";
    let three = "fio version 3 iolog\n0 /a add\n1 /a open\n2 /a read 0 8192\n3 /a datasync 0 0\n\
                 1000002 /b write 4096 4096\n1000003 /a trim 0 4096\n1000004 /a close\n";
    let (two, three) = (read(two, ""), read(three, ""));
    assert_eq!(two.sha256_of_sequence, three.sha256_of_sequence);
    assert_eq!((two.requests, two.write_requests, two.devices), (2, 1, 2));
    assert_eq!((two.duration_s, three.duration_s), (None, Some(1.0)));
    assert!(warning(&two, "waits_not_counted").contains("1 wait was skipped"));
    for report in [&two, &three] {
        assert!(warning(report, "discards_passed_over").contains("1 trim"));
    }
    refuse(
        "fio version 1 iolog\n0, 0, 512\n",
        "fio_iolog",
        "fio log of version 1",
    );
    // A wait has no place in version 3.
    refuse(
        "fio version 3 iolog\n1 /a read 0 1\n2 /a wait 5\n",
        "fio_iolog",
        "columns time file action",
    );
}

// --- strace ---------------------------------------------------------------------------------------

/// Page, operation and relation of each request of a recording.
fn strace(lines: &str) -> Vec<(u64, &'static str, String)> {
    let folder = Folder::new();
    let path = folder.file("t", lines);
    preview(&spec(&path))
        .unwrap()
        .records
        .into_iter()
        .map(|record| (record.first_page, record.op, record.device))
        .collect()
}

#[test]
fn descriptors_are_followed_through_open_fork_and_close() {
    let lines = "\
10 openat(AT_FDCWD, \"base/5/9\", O_RDWR|O_CLOEXEC) = 7
10 pread64(7, \"\\0\\0\"..., 8192, 16384) = 8192
10 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7f) = 11
11 pwrite64(7, \"x\", 8192, 0) = 8192
11 close(7) = 0
11 openat(AT_FDCWD, \"base/5/10\", O_RDWR) = 7
11 pread64(7, \"\", 8192, 0) = 8192
10 pread64(7, \"\", 8192, 0) = 8192
11 pread64(8, \"\", 8192, 0) = 8192
11 +++ exited with 0 +++
10 clone(child_stack=NULL) = 11
11 pread64(7, \"\", 8192, 8192) = 8192
10 openat(AT_FDCWD, \"base/5/77\", O_RDWR) = -1 ENOENT (No such file or directory)
10 pread64(7, \"\", 8192, 24576) = -1 EIO (Input/output error)
";
    let name = |text: &str| text.to_owned();
    assert_eq!(
        strace(lines),
        [
            (2, "R", name("5/9")),
            (0, "W", name("5/9")),
            (0, "R", name("5/10")),
            (0, "R", name("5/9")),
            (1, "R", name("5/9")),
        ]
    );
    let report = read(lines, "");
    assert_eq!(
        (report.page_bytes, report.accesses, report.duration_s),
        (8192, 5, None)
    );
    // Blocks stay blocks whatever page size is asked for.
    let folder = Folder::new();
    let mut asked = spec(&folder.file("t", lines));
    asked.page_bytes = 16384;
    let other = inspect(&asked).unwrap();
    assert_eq!((other.page_bytes, other.accesses), (8192, 5));
    assert!(warning_names(&other).contains(&"page_bytes_ignored"));
    assert!(warning(&report, "unknown_files").contains("1 read or write was"));
    assert!(warning(&report, "failed_calls").contains("1 read or write failed"));
    assert!(warning(&report, "below_buffer_pool").contains("too low"));
}

#[test]
fn calls_cut_by_others_are_joined() {
    let lines = "\
10 1.5 pread64(7</d/base/5/9>,  <unfinished ...>
11 1.6 pwrite64(7</d/base/5/9>, \"a \\\" resumed>) = 5\"..., 8192, 8192 <unfinished ...>
12 1.7 <... pread64 resumed>\"\\0\", 8192, 0) = 8192
11 1.8 <... pwrite64 resumed>)             = 8192
10 1.9 <... pread64 resumed>\"\\0\\0\"..., 8192, 16384) = 8192
13 2.0 epoll_wait(4,  <unfinished ...>
13 2.1 <... epoll_wait resumed>[{events=EPOLLIN}], 1, -1) = 1
13 2.2 --- SIGUSR1 {si_signo=SIGUSR1} ---
strace: Process 14 attached
";
    assert_eq!(
        strace(lines),
        [(1, "W", "5/9".to_owned()), (2, "R", "5/9".to_owned())]
    );
    assert!(warning(&read(lines, ""), "calls_without_beginning").contains("1 call returns"));
}

#[test]
fn relations_forks_segments_and_tablespaces_are_told_apart() {
    let paths = [
        ("/d/base/5/9", Some("5/9")),
        ("/d/base/5/9_fsm", Some("5/9_fsm")),
        ("/d/base/5/9_vm", Some("5/9_vm")),
        ("/d/base/6/9", Some("6/9")),
        ("/d/global/9", Some("0/9")),
        ("/d/base/5/t3_9", Some("5/t3_9")),
        ("/d/pg_tblspc/70/PG_15_202209061/5/9", Some("70/5/9")),
        ("/d/base/5/9 (deleted)", Some("5/9")),
        ("/d/global/pg_control", None),
        ("/d/base/5/pg_internal.init.77", None),
        ("/d/pg_wal/000000010000000000000001", None),
        ("/d/pg_xact/0000", None),
        ("/srv/9", None),
    ];
    for (path, relation) in paths {
        let lines = format!(
            "pread64(3</d/base/1/1>, \"\", 8192, 0) = 8192\npread64(7<{path}>, \"\", 8192, 0) = 8192\n"
        );
        let found = strace(&lines).get(1).map(|(_, _, device)| device.clone());
        assert_eq!(found.as_deref(), relation, "{path}");
        if relation.is_none() {
            assert!(
                warning(&read(&lines, ""), "files_without_relation")
                    .contains("1 read or write of a file")
            );
        }
    }
    // Segment 2 begins at 2 GiB: block 262144 of 8 KiB.
    assert_eq!(
        strace("pread64(7</d/base/5/9.2>, \"\", 8192, 8192) = 8192\n"),
        [(262_145, "R", "5/9".to_owned())]
    );
}

#[test]
fn vectored_and_short_calls_count_what_they_moved() {
    let lines = "\
preadv(7</d/base/5/9>, [{iov_base=\"a\"..., iov_len=8192}, {iov_base=\"b, c)\", iov_len=8192}], 2, 8192) = 16384 <0.000010>
pwritev2(7</d/base/5/9>, [{iov_base=\"a\"..., iov_len=8192}], 1, 0, 0) = 8192
pread64(7</d/base/5/9>, \"\", 8192, 81920) = 0
";
    let report = read(lines, "");
    assert_eq!(
        (report.requests, report.accesses, report.write_accesses),
        (3, 3, 1)
    );
    assert!(warning_names(&report).contains(&"zero_length_requests"));
}

#[test]
fn the_ways_to_tell_the_time_are_recognised() {
    let duration = |first: &str, second: &str| {
        let call = "pread64(7</d/base/5/9>, \"\", 8192, 0) = 8192";
        read(
            format!("[pid  10] {first} {call}\n[pid  11] {second} {call}\n"),
            "",
        )
        .duration_s
    };
    assert_eq!(
        duration("1700000000.250000", "1700000002.750000"),
        Some(2.5)
    );
    assert_eq!(duration("10:00:00.250000", "10:00:02.750000"), Some(2.5));
    assert_eq!(duration("23:59:59", "00:00:01"), Some(2.0));
    // Steps since the line before.
    assert_eq!(duration("0.000000", "2.500000"), Some(2.5));
    let call = "pread64(7</d/base/5/9>, \"\", 8192, 0) = 8192";
    refuse(
        format!("1700000000.1 {call}\n{call}\n"),
        "strace_postgres",
        "gives the time in another form",
    );
    refuse(
        format!("10:00:00 {call}\n25:00:00 {call}\n"),
        "strace_postgres",
        "time of day `25:00:00` is out of range",
    );
}

#[test]
fn a_recording_without_a_request_says_what_was_passed_over() {
    let folder = Folder::new();
    for (lines, part, hint) in [
        (
            "9 pread64(7, \"\", 8192, 0) = 8192\n",
            "1 read or write was skipped: its file was opened before",
            "strace -y",
        ),
        (
            "9 pread64(7</d/ibdata1>, \"\", 16384, 0) = 16384\n",
            "1 read or write of a file that holds no relation",
            "no action is needed",
        ),
    ] {
        let error = refused(inspect(&spec(&folder.file("t", lines))));
        let text = message(&error);
        assert!(text.contains("no record") && text.contains(part), "{text}");
        assert!(error.hint().contains(hint), "{}", error.hint());
    }
    refuse(
        "8,0 1 1 0.1 9 Q DS 8 + 8 [x]\n",
        "blkparse",
        "no record; 1 discard (trim) request ",
    );
}

#[test]
fn cut_calls_are_refused() {
    let good = "pread64(7</d/base/5/9>, \"\", 8192, 0) = 8192\n";
    for (line, part) in [
        ("pread64(7</d/base/5/9>, \"ab", "the call has no end"),
        ("pread64(7</d/base/5/9>, \"ab = ", "the call has no end"),
        (
            "pread64(7</d/base/5/9>, \"\", 8192, x) = 8192",
            "offset `x`",
        ),
        (
            "pread64(x, \"\", 8192, 0) = 8192",
            "`x` is not a file descriptor",
        ),
        ("just some words", "of strace"),
    ] {
        refuse(format!("{good}{line}\n"), "strace_postgres", part);
    }
}
