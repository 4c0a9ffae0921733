//! Each format: what a record means, how the file is recognised, how bad records are refused.

use crate::support::*;
use std::path::Path;
use tierwright_simulator::trace::column_names;
use tierwright_simulator::trace::formats::FORMATS;

// --- meaning (the numbers in comments derive the expectation) -----------------------------------

#[test]
fn vscsi_length_is_bytes_not_sectors() {
    // lbn 8 x 512 = byte 4096; 8192 bytes are pages 1 and 2. As sectors it would be 1,024 pages.
    let folder = Folder::new();
    let path = folder.file(
        "t",
        [vscsi(8192, 0x28, 8, 0), vscsi(512, 0x2a, 8, 1)].concat(),
    );
    let all = accesses(&spec(&path)).unwrap();
    assert_eq!(
        all,
        [
            (0, false, true, Some(0)),
            (1, false, false, Some(0)),
            (0, true, true, Some(1000)),
        ]
    );
}

#[test]
fn msr_disks_of_different_hosts_are_different_devices() {
    let folder = Folder::new();
    let path = folder.file(
        "t",
        "1,a,0,Read,0,4096,0\n2,b,0,Read,0,4096,0\n3,a,0,Read,0,4096,0\n",
    );
    let report = inspect(&spec(&path)).unwrap();
    assert_eq!((report.distinct_pages, report.devices), (2, 2));
    assert_eq!(report.accesses, 3);
}

#[test]
fn host_and_disk_are_not_run_together() {
    // a,10 and a1,0 name different disks although their letters are the same.
    let folder = Folder::new();
    let path = folder.file("t", "1,a,10,Read,0,4096,0\n2,a1,0,Read,0,4096,0\n");
    assert_eq!(inspect(&spec(&path)).unwrap().distinct_pages, 2);
}

#[test]
fn postgres_relations_are_spaces_of_their_own() {
    let folder = Folder::new();
    let path = folder.file("t", POSTGRES);
    let report = inspect(&spec(&path)).unwrap();
    assert_eq!((report.distinct_pages, report.devices), (3, 2));
    assert_eq!((report.page_bytes, report.write_accesses), (8192, 1));
}

#[test]
fn operation_codes_mean_what_their_format_says() {
    let folder = Folder::new();
    // SCSI: READ 6/10/12/16, WRITE 6/10/12/16.
    let commands = [0x08, 0x28, 0xa8, 0x88, 0x0a, 0x2a, 0xaa, 0x8a];
    let records: Vec<u8> = commands
        .iter()
        .flat_map(|command| vscsi(4096, *command, 0, 0))
        .collect();
    let report = inspect(&spec(&folder.file("v", records))).unwrap();
    assert_eq!((report.requests, report.write_requests), (8, 4));
    // MQSim writes 0 for write and 1 for read, most others the reverse: never guessed.
    let table = folder.file("q", "0,7,0\n1,8,1\n2,9,1\n");
    assert_refused(
        inspect(&spec_mapped(&table, "time=1 time_unit=ns page=2 op=3")),
        "op `0` means neither read nor write",
    );
    let mqsim = "time=1 time_unit=ns page=2 op=3 read_values=1 write_values=0";
    assert_eq!(
        inspect(&spec_mapped(&table, mqsim)).unwrap().write_requests,
        1
    );
    let tencent = "time=1 time_unit=s page=2 op=3 read_values=0 write_values=1";
    assert_eq!(
        inspect(&spec_mapped(&table, tencent))
            .unwrap()
            .write_requests,
        2
    );
    // Words in any case.
    let words = folder.file("w", "7,r\n8,Read\n9,W\n10,WRITE\n");
    assert_eq!(
        inspect(&spec_mapped(&words, "page=1 op=2"))
            .unwrap()
            .write_requests,
        2
    );
}

#[test]
fn time_units_are_those_of_the_format() {
    let folder = Folder::new();
    let duration = |spec| inspect(&spec).unwrap().duration_s;
    // 25,000,000 ticks of 100 ns = 2.5 s.
    let msr = folder.file(
        "m",
        "128166372000000000,a,0,Read,0,512,0\n128166372025000000,a,0,Read,0,512,0\n",
    );
    assert_eq!(duration(spec(&msr)), Some(2.5));
    let pg = folder.file("p", "time_us,op,rel,block\n500000,R,a,0\n3000000,R,a,1\n");
    assert_eq!(duration(spec(&pg)), Some(2.5));
    let vs = folder.file(
        "v",
        [vscsi(512, 0x28, 0, 7), vscsi(512, 0x28, 0, 2_500_007)].concat(),
    );
    assert_eq!(duration(spec(&vs)), Some(2.5));
    let og = folder.file("o", [oracle(5, 1, 1, 2), oracle(7, 1, 1, -1)].concat());
    assert_eq!(duration(spec(&og)), Some(2.0));
    for (unit, last) in [
        ("s", "2.5"),
        ("ms", "2500"),
        ("us", "2500000"),
        ("ns", "2500000000"),
    ] {
        let table = folder.file("c", format!("0,1\n{last},2\n"));
        let mapping = format!("time=1 time_unit={unit} key=2");
        assert_eq!(duration(spec_mapped(&table, &mapping)), Some(2.5), "{unit}");
    }
    let filetime = folder.file("f", "128166372000000000,1\n128166372025000000,1\n");
    assert_eq!(
        duration(spec_mapped(&filetime, "time=1 time_unit=filetime key=2")),
        Some(2.5)
    );
}

#[test]
fn a_time_column_without_unit_is_refused() {
    let folder = Folder::new();
    let path = folder.file("c", "ts,k\n1,2\n");
    assert_refused(inspect(&spec_mapped(&path, "time=ts key=k")), "no unit");
}

#[test]
fn filetime_is_not_unix_time() {
    // 128166372009385130 / 1e7 - 11644473600 = 1172163600.938513 s since 1970.
    let folder = Folder::new();
    let report = inspect(&spec(&folder.file("t", MSR))).unwrap();
    assert_eq!(report.first_time_ns, Some(1_172_163_600_938_513_000));
    assert!(!warning_names(&report).contains(&"time_not_absolute"));
    let relative = folder.file("r", "0,a,0,Read,0,4096,0\n10,a,0,Read,0,4096,0\n");
    let report = inspect(&spec(&relative)).unwrap();
    assert_eq!(report.first_time_ns, Some(0));
    assert!(warning_names(&report).contains(&"time_not_absolute"));
}

#[test]
fn unaligned_requests_touch_every_page_they_overlap() {
    // Bytes 4095 and 4096 lie in pages 0 and 1; ceil(2 / 4096) would be one page.
    // Bytes 100..4196 lie in pages 0 and 1; one page again by ceil.
    let folder = Folder::new();
    let path = folder.file(
        "t",
        "1,a,0,Read,4095,2,0\n2,a,0,Read,100,4096,0\n3,a,0,Write,4096,4096,0\n",
    );
    let report = inspect(&spec(&path)).unwrap();
    assert_eq!((report.accesses, report.write_accesses), (5, 1));
    assert!(warning_names(&report).contains(&"unaligned_requests"));
}

#[test]
fn block_traces_warn_of_the_page_cache_above_them() {
    let folder = Folder::new();
    let msr = inspect(&spec(&folder.file("m", MSR))).unwrap();
    assert!(warning_names(&msr).contains(&"below_page_cache"));
    let vscsi = inspect(&spec(&folder.file("v", vscsi(512, 0x28, 0, 7)))).unwrap();
    assert!(warning_names(&vscsi).contains(&"below_page_cache"));
    let postgres = inspect(&spec(&folder.file("p", POSTGRES))).unwrap();
    assert!(!warning_names(&postgres).contains(&"below_page_cache"));
}

#[test]
fn oracle_general_keys_are_pages_whatever_their_size() {
    let folder = Folder::new();
    let records = [
        oracle(1, 70, 100_000, 3),
        oracle(1, 80, 1, -1),
        oracle(2, 70, 100_000, i64::MAX),
    ];
    let report = inspect(&spec(&folder.file("o", records.concat()))).unwrap();
    assert_eq!(
        (
            report.requests,
            report.accesses,
            report.distinct_pages,
            report.write_accesses
        ),
        (3, 3, 2, 0)
    );
    let names = warning_names(&report);
    assert!(names.contains(&"object_sizes_ignored") && names.contains(&"no_writes_in_format"));
    // printf '70 R\n80 R\n70 R\n' | sha256sum
    assert_eq!(
        report.sha256_of_sequence,
        "8c8b87ac9ea167e4da0ffbb466b14d4c20f4ad980ba2231c915fc418bae0f0c0"
    );
}

#[test]
fn a_mapping_reads_sectors_devices_quotes_and_tabs() {
    let folder = Folder::new();
    let path = folder.file(
        "t",
        "vol\t\"start\"\tcount\top\n\"a b\"\t8\t16\tR\nc\t8\t8\tW\n",
    );
    let report = inspect(&spec_mapped(
        &path,
        "offset=start offset_unit=sectors size=count size_unit=sectors op=op device=vol",
    ))
    .unwrap();
    // 8 sectors = byte 4096; 16 sectors = 2 pages; 8 sectors = 1 page of another device.
    assert_eq!(
        (report.accesses, report.distinct_pages, report.devices),
        (3, 3, 2)
    );
    assert_eq!(report.duration_s, None);
}

#[test]
fn page_sizes_other_than_4096_split_block_traces_only() {
    let folder = Folder::new();
    let mut block = spec(&folder.file("m", "1,a,0,Read,0,16384,0\n"));
    block.page_bytes = 8192;
    let report = inspect(&block).unwrap();
    assert_eq!((report.accesses, report.page_bytes), (2, 8192));
    let mut pages = spec(&folder.file("p", POSTGRES));
    pages.page_bytes = 16384;
    let report = inspect(&pages).unwrap();
    assert_eq!((report.accesses, report.page_bytes), (3, 8192));
    assert!(warning_names(&report).contains(&"page_bytes_ignored"));
}

#[test]
fn bad_page_sizes_are_refused() {
    let folder = Folder::new();
    let mut spec = spec(&folder.file("m", MSR));
    for page_bytes in [0, 1, 256, 4095, 4097, 1 << 21, u64::MAX] {
        spec.page_bytes = page_bytes;
        assert_refused(
            inspect(&spec),
            &format!("page-bytes `{page_bytes}`: not a page size"),
        );
    }
}

#[test]
fn zero_length_requests_make_no_access_and_are_counted() {
    let folder = Folder::new();
    let path = folder.file("t", "1,a,0,Read,0,0,0\n2,a,0,Read,0,4096,0\n");
    let report = inspect(&spec(&path)).unwrap();
    assert_eq!((report.requests, report.accesses), (2, 1));
    assert!(warning_names(&report).contains(&"zero_length_requests"));
    let nothing = folder.file("n", "1,a,0,Read,0,0,0\n");
    assert_refused(inspect(&spec(&nothing)), "touches a page");
}

#[test]
fn time_running_backwards_is_kept_and_counted() {
    let folder = Folder::new();
    let path = folder.file(
        "t",
        "time_us,op,rel,block\n50,R,a,0\n10,R,a,1\n60,R,a,2\n55,R,a,3\n",
    );
    let all = accesses(&spec(&path)).unwrap();
    let times: Vec<_> = all.iter().map(|access| access.3.unwrap()).collect();
    assert_eq!(times, [0, -40_000, 10_000, 5000]);
    let report = inspect(&spec(&path)).unwrap();
    assert_eq!(report.duration_s, Some(5e-5));
    let warning = &report.warnings[0];
    assert_eq!(warning.name, "non_monotone_time");
    assert!(warning.message.contains("2 of 4"), "{}", warning.message);
}

#[test]
fn an_implausible_rate_hints_at_the_unit() {
    let folder = Folder::new();
    let fast = folder.file("f", "1,0\n2,1\n3,2\n");
    let report = inspect(&spec_mapped(&fast, "key=1 time=2 time_unit=ns")).unwrap();
    assert!(warning_names(&report).contains(&"implausible_rate"));
    let slow = folder.file("s", "1,0\n2,100000000\n");
    let report = inspect(&spec_mapped(&slow, "key=1 time=2 time_unit=s")).unwrap();
    assert!(warning_names(&report).contains(&"implausible_rate"));
    let report = inspect(&spec_mapped(&fast, "key=1 time=2 time_unit=s")).unwrap();
    assert!(!warning_names(&report).contains(&"implausible_rate"));
}

#[test]
fn line_ends_byte_order_marks_and_blank_lines_do_not_matter() {
    let folder = Folder::new();
    let plain = inspect(&spec(&folder.file("p", POSTGRES))).unwrap();
    let windows = format!("\u{feff}{}", POSTGRES.replace('\n', "\r\n"));
    let report = inspect(&spec(&folder.file("w", windows))).unwrap();
    assert_eq!(report, plain);
    let blank = inspect(&spec(&folder.file("b", format!("{POSTGRES}\n\n")))).unwrap();
    assert_eq!(blank.sha256_of_sequence, plain.sha256_of_sequence);
    assert_eq!(warning_names(&blank), ["blank_lines"]);
    let cut = inspect(&spec(&folder.file("c", POSTGRES.trim_end()))).unwrap();
    assert_eq!(warning_names(&cut), ["no_final_line_end"]);
}

// --- bad records ----------------------------------------------------------------------------------

#[test]
fn bad_lines_name_file_line_value_and_next_step() {
    let cases = [
        (
            "128166372009385130,a,0,Read,-4096,512,0",
            "Offset `-4096` is negative",
        ),
        (
            "128166372009385130,a,0,Read,0,-512,0",
            "Size `-512` is negative",
        ),
        ("128166372009385130,a,0,Read,0,,0", "Size is empty"),
        (
            "128166372009385130,a,0,Read,0,4k,0",
            "Size `4k` is not a whole number",
        ),
        (
            "128166372009385130,a,0,Raed,0,512,0",
            "Type `Raed` is neither Read nor Write",
        ),
        ("128166372009385130,a,0,Read,0,512", "seven columns"),
        ("128166372009385130,a,0,Read,0,512,0,9", "seven columns"),
        (
            "128166372009385130,,0,Read,0,512,0",
            "Hostname or DiskNumber is empty",
        ),
        (
            "128166372009385130,a,0,Read,99999999999999999999,512,0",
            "does not fit in 64 bits",
        ),
        (
            "128166372009385130,a,0,Read,18446744073709551615,512,0",
            "exceeds 64 bits",
        ),
        (
            "128166372009385130,a,0,Read,0,4294967297,0",
            "more than one request can transfer",
        ),
        (
            "18446744073709551615,a,0,Read,0,512,0",
            "out of range for a filetime",
        ),
        (
            "128166372009385130,a,0,Read,0,512,0\u{7}x,",
            "seven columns",
        ),
    ];
    let folder = Folder::new();
    for (line, part) in cases {
        let path = folder.file("bad.csv", format!("{MSR}{line}\n"));
        let error = refused(inspect(&spec_as(&path, "msr")));
        let text = message(&error);
        assert!(text.contains("bad.csv`, line 4: "), "{text}");
        assert!(text.contains(part), "`{text}` lacks `{part}`");
        assert!(!text.chars().any(char::is_control), "{text:?}");
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn bad_postgres_lines_are_refused() {
    let cases = [
        ("5,X,0/1,7", "op `X` is neither R nor W"),
        ("5,R,0/1,4294967295", "is not a PostgreSQL block number"),
        ("5,R,,7", "device `` is empty"),
        ("5,R,0/1", "four columns"),
        ("1.5,R,0/1,7", "time_us `1.5` is not a whole number"),
        ("9223372036854775808,R,0/1,7", "more than 292 years"),
    ];
    let folder = Folder::new();
    for (line, part) in cases {
        let path = folder.file("t", format!("{POSTGRES}{line}\n"));
        assert_refused(inspect(&spec_as(&path, "postgres_csv")), part);
    }
}

#[test]
fn bad_binary_records_name_record_and_byte() {
    let folder = Folder::new();
    let good = vscsi(512, 0x28, 0, 7);
    let mut old = good.clone();
    old[15] = 3;
    let cases = [
        (old, "version field `0x0300`"),
        (vscsi(512, 0x12, 0, 7), "SCSI command `0x12`"),
        (vscsi(512, 0x28, u64::MAX, 7), "exceeds 64 bits"),
        (vscsi(u32::MAX, 0x28, u64::MAX / 512, 7), "exceeds 64 bits"),
        (vscsi(512, 0x28, 0, u64::MAX), "more than 292 years"),
        (good[..31].to_vec(), "31 of 32 bytes"),
    ];
    for (record, part) in cases {
        let path = folder.file("t", [good.as_slice(), &good, &record].concat());
        let error = refused(inspect(&spec(&path)));
        let text = message(&error);
        assert!(text.contains("record 3 at byte 64: "), "{text}");
        assert!(text.contains(part), "`{text}` lacks `{part}`");
    }
    let path = folder.file("o", [oracle(1, 1, 1, -1), oracle(1, 1, 1, -2)].concat());
    assert_refused(
        inspect(&spec_as(&path, "oracle_general")),
        "next_access_vtime `-2`",
    );
}

#[test]
fn overlong_lines_are_refused_not_gathered() {
    let folder = Folder::new();
    let path = folder.file("t", format!("{POSTGRES}1,R,{},0\n", "x".repeat(3 << 20)));
    assert_refused(
        inspect(&spec(&path)),
        "line 5: the line is longer than 1048576 bytes",
    );
}

// --- files as a whole -----------------------------------------------------------------------------

#[test]
fn files_without_content_are_refused() {
    let folder = Folder::new();
    assert_refused(inspect(&spec(&folder.path("missing"))), "cannot read");
    assert_refused(
        inspect(&spec(&folder.path(""))),
        "this folder holds no file",
    );
    assert_refused(inspect(&spec(&folder.file("e", ""))), "is empty (0 bytes)");
    assert_refused(
        inspect(&spec(&folder.file("g", gzip(b"")))),
        "decompresses to 0 bytes",
    );
    assert_refused(
        inspect(&spec(&folder.file("z", zstd(b"")))),
        "decompresses to 0 bytes",
    );
    let header = folder.file("h", "time_us,op,rel,block\n");
    assert_refused(inspect(&spec(&header)), "no record");
    let msr = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n";
    assert_refused(inspect(&spec(&folder.file("m", msr))), "no record");
    let mapped = folder.file("c", "a,b\n");
    assert_refused(inspect(&spec_mapped(&mapped, "key=a")), "no record");
    let newlines = folder.file("n", "\n\n\n");
    assert_refused(inspect(&spec_mapped(&newlines, "key=1")), "columns");
}

#[test]
fn a_binary_file_called_csv_is_refused() {
    let folder = Folder::new();
    let noise: Vec<u8> = (0..5000_u32)
        .flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    let path = folder.file("trace.csv", noise);
    assert_refused(inspect(&spec(&path)), "binary data");
    assert_refused(
        inspect(&spec_as(&path, "msr")),
        "does not fit the format msr",
    );
    assert_refused(
        inspect(&spec_mapped(&path, "key=1")),
        "does not fit the format csv",
    );
    let latin = folder.file("latin.csv", b"1,caf\xe9\n");
    assert_refused(inspect(&spec_mapped(&latin, "key=1")), "not UTF-8");
    let zip = folder.file("zip.csv", b"PK\x03\x04\x14\x00\x00\x00");
    assert_refused(inspect(&spec(&zip)), "ZIP archive");
    let twice = folder.file("t.gz", gzip(&gzip(POSTGRES.as_bytes())));
    assert_refused(inspect(&spec(&twice)), "compressed twice");
}

#[test]
fn formats_are_found_from_the_content_alone() {
    let folder = Folder::new();
    let vs: Vec<u8> = (0..50).flat_map(|i| vscsi(4096, 0x28, i * 8, i)).collect();
    let og: Vec<u8> = (0..50)
        .flat_map(|i| oracle(i, 7, 1, if i < 49 { i64::from(i) + 2 } else { -1 }))
        .collect();
    for (name, content) in [
        ("msr", MSR.as_bytes().to_vec()),
        ("postgres_csv", POSTGRES.as_bytes().to_vec()),
        ("vscsi", vs),
        ("oracle_general", og),
    ] {
        for packed in [content.clone(), gzip(&content), zstd(&content)] {
            let path = folder.file("misleading.txt", packed);
            assert_eq!(inspect(&spec(&path)).unwrap().format, name);
            for other in FORMATS.iter().filter(|format| format.name != name) {
                if other.name != "csv" {
                    let error = refused(inspect(&spec_as(&path, other.name)));
                    let text = message(&error);
                    assert!(
                        text.contains(&format!("does not fit the format {}", other.name)),
                        "{text}"
                    );
                    assert!(text.contains(&format!("it looks like {name}")), "{text}");
                }
            }
        }
    }
}

#[test]
fn one_bad_line_does_not_hide_the_format() {
    let folder = Folder::new();
    let path = folder.file(
        "t",
        format!("{MSR}{MSR}128166372009385130,a,0,Read,0,-1,0\n"),
    );
    assert_refused(inspect(&spec(&path)), "line 7: Size `-1` is negative");
}

#[test]
fn tables_are_never_read_without_a_mapping() {
    let folder = Folder::new();
    let path = folder.file("t", "version,time,op,lbn\n1,5633898,2a,42932745\n");
    let error = refused(inspect(&spec(&path)));
    assert!(message(&error).contains("a text table of 4 columns"));
    for part in [
        "[[the format]]",
        "msr",
        "vscsi",
        "columns found: version, time, op, lbn",
    ] {
        assert!(error.hint().contains(part), "{}", error.hint());
    }
    assert_refused(inspect(&spec_as(&path, "csv")), "needs a column mapping");
    assert_refused(
        inspect(&spec_as(&path, "cvs")),
        "format `cvs`: not a known format",
    );
}

#[test]
fn columns_are_named_without_a_mapping() {
    let folder = Folder::new();
    let table = folder.file("t", "version,\"time, s\",op\n1,5633898,2a\n");
    assert_eq!(column_names(&table).unwrap(), ["version", "time, s", "op"]);
    let binary = folder.file("b", [0_u8, 255, 0, 1].repeat(100));
    assert!(column_names(&binary).unwrap().is_empty());
    assert!(column_names(Path::new("/nowhere/t")).is_err());
}

#[test]
fn a_format_is_found_however_its_name_is_spelled() {
    let folder = Folder::new();
    let path = folder.file("t", "time_us,op,rel,block\n0,R,a,1\n");
    for name in ["postgres_csv", "postgres-csv", "PostgresCSV"] {
        assert_eq!(
            inspect(&spec_as(&path, name)).unwrap().format,
            "postgres_csv"
        );
    }
}

#[test]
fn wrong_mappings_are_refused() {
    let folder = Folder::new();
    let path = folder.file("t", "ts,lba,len,op,x,x\n1,8,512,R,0,0\n");
    for (mapping, part) in [
        ("lba=2", "columns `lba`: not a key"),
        ("key=9", "columns `key=9`: columns are numbered from 1 to 6"),
        ("key=0", "columns are numbered from 1"),
        ("key=nope", "columns `key=nope`: not a column of the file"),
        ("key=x", "the name of more than one column"),
        (
            "key=lba header=false",
            "header=false says that there are no names",
        ),
        ("key=lba header=maybe", "neither true nor false"),
        ("key=lba page=lba", "exactly one of offset, page and key"),
        ("op=op", "exactly one of offset, page and key"),
        ("offset=lba", "this needs the column of the request's size"),
        ("key=lba size=len", "no meaning with key"),
        (
            "offset=lba size=len offset_unit=blocks",
            "not a unit of length",
        ),
        ("key=lba time=ts time_unit=min", "not a unit of time"),
        ("key=lba time_unit=s", "given without a time column"),
        ("key=lba read_values=R", "given without an op column"),
        ("key=lba op=op read_values=R", "given alone"),
        (
            "key=lba op=op read_values=R write_values=R",
            "in read_values and in write_values",
        ),
        ("key=lba delimiter=ab", "not a delimiter"),
        ("key=", "no value"),
    ] {
        assert_refused(inspect(&spec_mapped(&path, mapping)), part);
    }
    let msr = folder.file("m", MSR);
    let mut mapped = spec_mapped(&msr, "key=1");
    mapped.format = Some("msr".to_owned());
    assert_refused(inspect(&mapped), "belongs to the formats csv and parquet");
}

#[test]
fn a_preview_shows_what_was_understood() {
    let folder = Folder::new();
    let path = folder.file("t", gzip(MSR.as_bytes()));
    let preview = preview(&spec(&path)).unwrap();
    assert_eq!(
        (preview.format, preview.compression.as_str()),
        ("msr", "gzip")
    );
    assert_eq!(preview.choice.detection[0].format, "msr");
    let first = &preview.records[0];
    assert_eq!(first.place, "line 1");
    assert_eq!(first.raw, MSR.lines().next().unwrap());
    assert_eq!(first.device, "tpcc,4");
    assert_eq!(
        (first.op, first.offset_bytes, first.size_bytes),
        ("W", Some(135_536_145_408), Some(8192))
    );
    // 135536145408 / 4096 = 33089879.25: the request begins inside a page and touches three.
    assert_eq!((first.first_page, first.page_count), (33_089_879, 3));
    assert!(
        preview
            .units
            .iter()
            .any(|unit| unit.field == "Timestamp" && unit.unit == "100 ns")
    );
}

/// Trap: LCS had a header of 1024 bytes with the same magic number, and a text where the version stands now.
#[test]
fn the_old_header_of_lcs_is_recognised_and_refused() {
    let folder = Folder::new();
    let mut old = vec![0_u8; 1024];
    old[..8].copy_from_slice(&0x1234_5678_9abc_def0_u64.to_le_bytes());
    let format = b"<IQIq";
    old[8..8 + format.len()].copy_from_slice(format);
    for time in 0..400_u32 {
        old.extend(oracle(time, u64::from(time % 7), 1, -1));
    }
    let path = folder.file("old.lcs", &old);
    for spec in [spec(&path), spec_as(&path, "lcs")] {
        let error = refused(inspect(&spec));
        let text = message(&error);
        assert!(
            text.contains("header of October 2024 (1024 bytes)"),
            "{text}"
        );
        assert!(error.hint().contains("oracleGeneral"), "{}", error.hint());
    }
    // Neither a version nor a text: not taken for the old one.
    old[8..16].fill(0xff);
    assert_refused(
        inspect(&spec(&folder.file("odd.lcs", &old))),
        "LCS version `18446744073709551615` is not one of 1 to 8",
    );
    // A present header whose end is another's, with all its bytes there.
    old[8..16].copy_from_slice(&1_u64.to_le_bytes());
    assert_refused(
        inspect(&spec(&folder.file("cut.lcs", &old))),
        "does not end with its magic number",
    );
}

/// Trap: oracleGeneral has no header. Rising times and next accesses further on do not make it one:
/// the record there must hold the same id, whether positions count from 0 or from 1.
#[test]
fn the_links_of_oracle_general_must_lead_to_the_same_id() {
    let folder = Folder::new();
    let records = |ids: u64, ahead: i64| -> Vec<u8> {
        let next = |place: i64| if place + 5 < 60 { place + ahead } else { -1 };
        (0..60_u32)
            .flat_map(|place| oracle(place, u64::from(place) % ids, 1, next(place.into())))
            .collect()
    };
    // Every fifth record is of the same id; positions from 0, and from 1.
    for ahead in [5, 6] {
        let path = folder.file("t", records(5, ahead));
        let found = preview(&spec(&path)).unwrap();
        assert_eq!(found.format, "oracle_general", "{ahead}");
        assert_eq!(inspect(&spec(&path)).unwrap().distinct_pages, 5);
    }
    // The same places, but none of the id.
    let error = refused(inspect(&spec(&folder.file("t", records(60, 5)))));
    let text = message(&error);
    assert!(text.contains("no trace format was recognised"), "{text}");
    assert!(
        text.contains("0 of 55 next accesses in reach hold the same id"),
        "{text}"
    );
}
