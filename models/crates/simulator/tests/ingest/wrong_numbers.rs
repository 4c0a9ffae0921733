//! Plausible files that would give a wrong number in silence: each is refused or told.

use crate::samples::{COMPLETE, ISSUE, QUEUE, READ, WRITE, blktrace, lcs_header};
use crate::support::*;
use tierwright_simulator::trace::TraceReport;

fn inspected(
    content: impl AsRef<[u8]>,
    format: &str,
) -> Result<TraceReport, tierwright_simulator::Error> {
    let folder = Folder::new();
    let path = folder.file("t", content);
    match format {
        "" => inspect(&spec(&path)),
        name => inspect(&spec_as(&path, name)),
    }
}

#[track_caller]
fn read(content: impl AsRef<[u8]>, format: &str) -> TraceReport {
    inspected(content, format).unwrap_or_else(|error| panic!("{}", message(&error)))
}

#[track_caller]
fn refuse(content: impl AsRef<[u8]>, format: &str, part: &str) {
    assert_refused(inspected(content, format), part);
}

fn lines(count: u64, line: impl Fn(u64) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

fn told(report: &TraceReport, name: &str) -> bool {
    warning_names(report).contains(&name)
}

// --- columns in another order ---------------------------------------------------------------------

/// A header of each text table with two of its columns exchanged, and a line below that has the
/// shape of the format in its own order.
const EXCHANGED: &[(&str, &str, &str)] = &[
    (
        "msr",
        "Timestamp,Hostname,DiskNumber,Type,Size,Offset,ResponseTime",
        "128166372000000000,a,0,Read,4096,8192,9",
    ),
    ("spc", "ASU,Size,LBA,Opcode,Timestamp", "0,4096,8,R,0.5"),
    (
        "alibaba",
        "device_id,opcode,length,offset,timestamp",
        "0,R,4096,8192,1577808000000000",
    ),
    (
        "tencent_cbs",
        "Timestamp,Size,Offset,IOType,VolumeID",
        "1538323199,8,16,1,9",
    ),
    (
        "systor",
        "Timestamp,Response,IOType,LUN,Size,Offset",
        "1456095145.5,0.1,R,0,4096,8192",
    ),
    (
        "k5cloud",
        "ID,Timestamp,Type,Length,Offset",
        "1,0.5,R,4096,8192",
    ),
    (
        "cloudphysics_csv",
        "version,time,op,lbn,size",
        "1,5,28,8,512",
    ),
    (
        "twitter",
        "timestamp,client id,key,key size,value size,operation,TTL",
        "0,17,5,2,300,get,0",
    ),
    (
        "wikimedia_cdn",
        "relative_unix\thashed_path_query\tresponse_size\timage_type\ttime_firstbyte",
        "0\t17\tjpeg\t100\t0.5",
    ),
    ("postgres_csv", "time_us,op,block,rel", "0,R,5,7"),
];

#[test]
fn a_header_of_other_columns_is_never_passed_over() {
    let folder = Folder::new();
    for (format, header, line) in EXCHANGED {
        let content = format!("{header}\n{}", format!("{line}\n").repeat(30));
        // Nor where bad lines may be passed over: it is no bad line.
        for tolerated in [0, 5] {
            let mut spec = spec_as(&folder.file("t", &content), format);
            spec.skip_bad_records = tolerated;
            let error = refused(inspect(&spec));
            let text = message(&error);
            assert!(text.contains("seems to name columns"), "{format}: {text}");
            assert!(text.contains("line 1"), "{format}: {text}");
            assert!(error.hint().contains("[[format=csv]]"), "{}", error.hint());
        }
        assert!(inspected(&content, "").is_err(), "{format}");
    }
}

#[test]
fn headers_that_copies_carry_are_known() {
    for (format, header, line) in [
        (
            "msr",
            "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
            "128166372000000000,a,0,Read,4096,8192,9",
        ),
        ("spc", "ASU,LBA,Size,Opcode,Timestamp", "0,8,4096,R,0.5"),
        (
            "twitter",
            "# timestamp, anonymized key, key size, value size, client id, operation, TTL",
            "0,k,1,300,5,get,0",
        ),
        (
            "twitter",
            "timestamp,key,key_size,value_size,client_id,op,ttl",
            "0,k,1,300,5,get,0",
        ),
        (
            "wikimedia_cdn",
            "relative_unix\thashed_host_path_query\tresponse_size\ttime_firstbyte",
            "0\t-17\t100\t0.5",
        ),
    ] {
        let report = read(format!("{header}\n{line}\n"), "");
        assert_eq!((report.format.as_str(), report.requests), (format, 1));
    }
}

#[test]
fn a_column_named_twice_is_refused() {
    refuse(
        "key,op,size,size,op_count\nk,GET,5,0,1\n",
        "cachelib_kv",
        "names the column `size` more than once",
    );
    refuse(
        "block_id,op_name,io_offset,io_offset,io_size\nb,getChunkData,0,5,1\n",
        "cachelib_storage",
        "names the column `io_offset` more than once",
    );
}

#[test]
fn rows_of_another_width_are_refused() {
    let folder = Folder::new();
    let mapped =
        |content: &str, mapping: &str| inspect(&spec_mapped(&folder.file("t", content), mapping));
    let bytes = "op=op offset=at offset_unit=bytes size=len size_unit=bytes";
    let head = "ts,op,at,len\n1,R,4096,4096\n";
    // The thousands' separator makes one field two: 1 and 024.
    assert_refused(
        mapped(&format!("{head}2,R,8192,1,024\n"), bytes),
        "line 3: the line has 5 columns, the first line 4",
    );
    assert_refused(
        mapped(&format!("{head}2,1,024,R,8192,4096\n"), bytes),
        "line 3: the line has 6 columns",
    );
    // A field left out moves those behind it.
    assert_refused(
        mapped(
            "ts op at len note\n1 R 4096 4096 x\nR 8192 4096 x\n",
            "op=op offset=at offset_unit=bytes size=len size_unit=bytes delimiter=space",
        ),
        "line 3: the line has 4 columns, the first line 5",
    );
    assert_refused(
        mapped("1,R,7\n2,R,8,9\n", "op=2 page=3"),
        "line 2: the line has 4 columns, the first line 3",
    );
    // Separators at the end of lines are no columns.
    for content in [
        "ts,op,at,len\n1,R,4096,4096,\n2,R,8192,4096,,\n",
        "ts,op,at,len,\n1,R,4096,4096\n2,R,8192,4096,\n",
        "ts,op,at,len,note\n1,R,4096,4096,\n2,R,8192,4096,x\n",
    ] {
        assert_eq!(mapped(content, bytes).unwrap().requests, 2, "{content}");
    }
}

// --- units ----------------------------------------------------------------------------------------

#[test]
fn times_of_cachelib_that_are_none_since_1970_are_seconds() {
    let report = read(
        "op_time,key,key_size,op,op_count,size\n604000000,k,1,GET,2,0\n604000008,k,1,SET,1,9\n",
        "",
    );
    assert_eq!(report.format, "cachelib_kv");
    assert_eq!(report.duration_s, Some(8.0));
    assert!(told(&report, "time_unit_assumed"));
}

#[test]
fn times_of_another_unit_than_since_1970_are_told() {
    // Milliseconds in the place of the microseconds of Alibaba, a relative start of the others.
    for (content, format, expected) in [
        (
            lines(9, |i| {
                format!("0,R,{},512,{}\n", i * 512, 1_577_808_000_000_u64 + i)
            }),
            "alibaba",
            true,
        ),
        (
            lines(9, |i| {
                format!("0,R,{},512,{}\n", i * 512, 1_577_808_000_000_000_u64 + i)
            }),
            "alibaba",
            false,
        ),
        (
            lines(9, |i| format!("{i},{},1,0,5\n", i * 8 + 1)),
            "tencent_cbs",
            true,
        ),
        (
            lines(9, |i| {
                format!("{},{},1,0,5\n", 1_538_323_199 + i, i * 8 + 1)
            }),
            "tencent_cbs",
            false,
        ),
        (
            lines(9, |i| format!("{i}.5,0.1,R,0,{},512\n", i * 512)),
            "systor",
            true,
        ),
        (
            lines(9, |i| {
                format!("{}.5,0.1,R,0,{},512\n", 1_456_095_145 + i, i * 512)
            }),
            "systor",
            false,
        ),
    ] {
        assert_eq!(
            told(&read(content, format), "time_not_absolute"),
            expected,
            "{format}"
        );
    }
}

#[test]
fn whole_times_are_not_taken_for_seconds_with_a_fraction() {
    // Tables of the same shape whose times are milliseconds, microseconds ...
    for (format, whole, fractions) in [
        (
            "spc",
            lines(9, |i| format!("0,{},4096,R,{}\n", i * 8, i * 250)),
            lines(9, |i| format!("0,{},4096,R,{i}.25\n", i * 8)),
        ),
        (
            "k5cloud",
            lines(9, |i| format!("1,{},R,{},4096\n", i * 250, i * 4096)),
            lines(9, |i| format!("1,{i}.25,R,{},4096\n", i * 4096)),
        ),
    ] {
        refuse(&whole, "", "all 9 times are whole numbers");
        assert_eq!(read(&whole, format).requests, 9);
        assert_eq!(read(&fractions, "").format, format);
    }
}

#[test]
fn bytes_taken_for_sectors_are_told() {
    let of = |offset: u64, size: u64| {
        lines(120, |i| {
            format!("0 1 p {} {} W 6 0 a\n", 7 * i * offset, (1 + i % 3) * size)
        })
    };
    // Offsets in bytes: 512 times too far. Lengths in bytes: 512 times too long.
    let offsets = read(of(4096, 8), "fiu");
    assert!(
        told(&offsets, "implausible_alignment"),
        "{:?}",
        warning_names(&offsets)
    );
    let sizes = read(of(8, 4096), "fiu");
    assert!(
        told(&sizes, "implausible_sizes"),
        "{:?}",
        warning_names(&sizes)
    );
    for report in [read(of(8, 8), "fiu"), read(of(512, 512), "fiu")] {
        assert!(!told(&report, "implausible_alignment") && !told(&report, "implausible_sizes"));
    }
}

#[test]
fn the_wrong_one_of_disksim_and_flashsim_is_told() {
    let contiguous = |unit: u64| lines(40, |i| format!("{i}.5 0 {} 16 1\n", i * 16 * unit));
    for (unit, right, wrong) in [(1, "disksim", "flashsim"), (8, "flashsim", "disksim")] {
        assert!(!told(&read(contiguous(unit), right), "count_unit_doubtful"));
        let report = read(contiguous(unit), wrong);
        let warning = report
            .warnings
            .iter()
            .find(|one| one.name == "count_unit_doubtful")
            .unwrap();
        assert!(
            warning.message.starts_with("39 requests"),
            "{}",
            warning.message
        );
        assert!(warning.hint.contains(right), "{}", warning.hint);
    }
}

// --- what real files hold ------------------------------------------------------------------------

#[test]
fn wikimedia_times_have_exponents_and_a_header() {
    for (content, requests) in [
        (
            "relative_unix\thashed_path_query\timage_type\tresponse_size\ttime_firstbyte\n0\t-9\tjpeg\t10\t1.5E-4\n1\t-9\tpng\t10\t0.002\n",
            2,
        ),
        (
            "relative_unix\thashed_host_path_query\tresponse_size\ttime_firstbyte\n4\t-9\t10\t1.5E-4\n5\t8\t10\t2.0\n",
            2,
        ),
        ("4\t-9\t10\t9.0E-5\n", 1),
    ] {
        let report = read(content, "");
        assert_eq!(
            (report.format.as_str(), report.requests),
            ("wikimedia_cdn", requests)
        );
    }
    refuse(
        "4\t-9\t10\t9.0E-5\n4\t-9\t10\t9.0E\n",
        "wikimedia_cdn",
        "time_firstbyte `9.0E`",
    );
}

#[test]
fn rocksdb_block_cache_lines_are_read_to_the_digit_and_their_traps_refused() {
    let rest = "0,users,3,12,1,0,7,9,120,1,1,16,5,10,16,20,8192";
    let first = format!("1600000000000100,77,9,4000,{rest}");
    // With a header and the next access, as copies have them.
    let report = read(
        format!("access_time,block_id{}\n{first},5\n", ",x".repeat(20)),
        "rocksdb_block_cache",
    );
    assert_eq!((report.requests, report.distinct_pages), (1, 1));
    let second = format!(
        "1600000002000100,78,7,100,{}",
        rest.replacen("12,1,0", "12,1,1", 1)
    );
    let report = read(format!("{first}\n{second}\n{first}\n"), "");
    assert_eq!(report.format, "rocksdb_block_cache");
    assert_eq!(
        (
            report.accesses,
            report.write_accesses,
            report.distinct_pages
        ),
        (3, 0, 2)
    );
    let of = |name: &str| {
        let found = report.warnings.iter().find(|one| one.name == name);
        found.unwrap().message.clone()
    };
    assert!(of("object_sizes_ignored").contains("from 100 to 4000 bytes, 2700 on average"));
    assert!(of("not_inserted").starts_with("1 of 3 accesses does not fill"));
    assert!(!told(&report, "time_not_absolute"));
    for (line, part) in [
        (first.replacen("77,9", "77,3", 1), "block_type `3`"),
        (first.replacen("77,9", "77,12", 1), "block_type `12`"),
        (
            first.replacen("users", "us,ers", 1),
            "does not have the columns",
        ),
        (first.replacen("12,1,0", "12,1,2", 1), "no_insert `2`"),
        (first.replacen("16000", "x6000", 1), "access_time"),
        (first.replacen("4000", "-4000", 1), "block_size"),
        (format!("{first},5"), "does not have the columns"),
        (first[..40].to_owned(), "does not have the columns"),
    ] {
        refuse(format!("{first}\n{line}\n"), "rocksdb_block_cache", part);
    }
}

#[test]
fn completions_without_data_and_commands_are_no_requests_of_blkparse() {
    // Only completions are recorded: a flush is `sector [error]`, a command has its bytes.
    let report = read(
        "8,0 1 1 0.1 0 C R 8 + 8 [0]\n8,0 1 2 0.2 0 C WS 0 [0]\n8,0 1 3 0.3 0 C R (12 00) [0]\n",
        "",
    );
    assert_eq!((report.requests, report.distinct_pages), (1, 1));
    assert!(told(&report, "requests_without_data"));
    let report = read(
        "8,0 1 1 0.1 9 D R 8 + 8 [x]\n8,0 1 2 0.2 9 D R 36 (12 00 00 00 24 00) [x]\n8,0 1 3 0.3 9 D R 512 [x]\n",
        "",
    );
    assert_eq!((report.requests, report.distinct_pages), (1, 1));
    refuse(
        "8,0 1 1 0.1 9 D R 8 + 8 [x]\n8,0 1 2 0.2 9 D R 36",
        "blkparse",
        "line 2",
    );
}

#[test]
fn commands_are_no_requests_of_blktrace() {
    const COMMAND: u32 = 1 << 25;
    let content = [
        blktrace(1, 0, ISSUE | READ, 8, 4096, b""),
        blktrace(2, 1, ISSUE | READ | COMMAND, 0, 36, b"\x12\x00"),
        blktrace(3, 2, COMPLETE | READ | COMMAND, 0, 36, b""),
        blktrace(4, 3, ISSUE | WRITE, 16, 4096, b""),
    ]
    .concat();
    let report = read(content, "");
    assert_eq!((report.requests, report.distinct_pages), (2, 2));
    assert!(told(&report, "requests_without_data"));
}

#[test]
fn several_logs_of_fio_in_one_file_are_refused_by_name() {
    // fio appends, and several jobs write their pieces between each other's.
    let one = "fio version 3 iolog\n1 f add\n2 f open\n3 f read 0 4096\n";
    for (content, line) in [
        (format!("{one}{one}"), 5),
        (format!("{}{one}", one.strip_suffix("096\n").unwrap()), 4),
    ] {
        let error = refused(inspected(&content, ""));
        let text = message(&error);
        assert!(
            text.contains(&format!("line {line}: another log begins")),
            "{text}"
        );
        assert!(error.hint().contains("for each job"), "{}", error.hint());
    }
}

#[test]
fn requests_of_two_layers_are_told_in_binary_recordings() {
    // The same request of a mapped device (253,0) and of the disk below it (8,0).
    let remap = 15 | 1 << 28;
    let of = |device: u32, mut record: Vec<u8>| {
        record[36..40].copy_from_slice(&device.to_le_bytes());
        record
    };
    let payload = [(253_u32 << 20).to_be_bytes(), (8_u32 << 20).to_be_bytes()].concat();
    let below = [
        of(8 << 20, blktrace(2, 5, remap | READ, 72, 4096, &payload)),
        of(8 << 20, blktrace(3, 6, QUEUE | READ, 72, 4096, b"")),
    ]
    .concat();
    let above = of(253 << 20, blktrace(1, 0, QUEUE | READ, 8, 4096, b""));
    let report = read([above, below.clone()].concat(), "");
    assert_eq!((report.requests, report.devices), (2, 2));
    let warning = report
        .warnings
        .iter()
        .find(|one| one.name == "stacked_devices")
        .unwrap();
    assert!(
        warning.message.contains("device 253,0"),
        "{}",
        warning.message
    );
    // The disk alone: its requests came from elsewhere, but are there once.
    assert!(!told(&read(below, ""), "stacked_devices"));
}

// --- holes and ends -------------------------------------------------------------------------------

#[test]
fn holes_in_binary_traces_are_refused() {
    let good: Vec<u8> = (0..50)
        .flat_map(|i| oracle(7 + i, 70 + u64::from(i), 512, -1))
        .collect();
    refuse(
        [&good[..], &[0; 48]].concat(),
        "",
        "record 51 at byte 1200: the record is all zeros",
    );
    let linked = [lcs_header(1), good, vec![0; 24]].concat();
    refuse(linked, "lcs", "the record is all zeros");
}
