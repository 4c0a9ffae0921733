//! What holds for every format of the table: its sample is read, and nothing that is done to the
//! sample gives a wrong number without a word. A new format needs only a sample.

use crate::samples::{Kind, Sample, samples};
use crate::support::*;
use proptest::prelude::*;
use tierwright_simulator::trace::formats::FORMATS;
use tierwright_simulator::trace::{TraceReport, TraceSpec};

#[test]
fn every_format_has_a_sample() {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    let mut sampled: Vec<&str> = samples().iter().map(|sample| sample.format).collect();
    sampled.dedup();
    for name in &names {
        assert!(
            sampled.contains(name),
            "the format {name} needs a sample in samples.rs and its meaning in formats.rs or blocks.rs"
        );
    }
    assert!(sampled.iter().all(|name| names.contains(name)));
}

#[test]
fn every_sample_is_read_as_derived_by_hand() {
    let folder = Folder::new();
    for sample in samples() {
        let path = folder.file("t", &sample.content);
        let report = inspect(&sample.spec(&path)).unwrap();
        let name = sample.format;
        assert_eq!(report.format, name);
        assert_eq!(
            (report.requests, report.write_requests),
            (sample.requests, sample.write_requests),
            "{name}"
        );
        assert_eq!(
            (report.accesses, report.distinct_pages),
            (sample.accesses, sample.distinct_pages),
            "{name}"
        );
        assert_eq!(report.devices, sample.devices, "{name}");
        assert_eq!(report.duration_s, sample.duration_s, "{name}");
        let format = FORMATS.iter().find(|format| format.name == name).unwrap();
        if sample.mapping.is_empty() {
            assert_eq!(format.has_time, sample.duration_s.is_some(), "{name}");
            assert_eq!(format.has_writes, sample.write_requests > 0, "{name}");
            assert_eq!(
                format.has_device,
                sample.devices > 1 || name == "blktrace",
                "{name}"
            );
        }
        assert!(format.description.len() < 140, "{name}");
        if name != "canonical" {
            let shown = preview(&sample.spec(&path)).unwrap();
            assert_eq!(shown.records.len() as u64, sample.requests, "{name}");
            assert!(!shown.units.is_empty(), "{name}");
            assert!(!shown.assumptions.is_empty(), "{name}");
            let pages: u64 = shown.records.iter().map(|record| record.page_count).sum();
            assert_eq!(pages, sample.accesses, "{name}");
        }
    }
}

#[test]
fn every_sample_is_found_by_its_content_or_asked_for() {
    let folder = Folder::new();
    for sample in samples() {
        for packed in [
            sample.content.clone(),
            gzip(&sample.content),
            zstd(&sample.content),
        ] {
            let path = folder.file("misleading.txt", packed);
            let found = inspect(&spec(&path));
            match sample.alike {
                [] if sample.kind == Kind::Whole => {}
                [] => assert_eq!(found.unwrap().format, sample.format),
                alike => {
                    let error = refused(found);
                    for name in alike {
                        let text = format!("{} {}", message(&error), error.hint());
                        assert!(text.contains(name), "{text}");
                    }
                }
            }
        }
    }
}

#[test]
fn no_sample_is_read_as_another_format() {
    let folder = Folder::new();
    for sample in samples() {
        let path = folder.file("t", &sample.content);
        for other in FORMATS {
            let name = other.name;
            if name == sample.format || name == "csv" || sample.alike.contains(&name) {
                continue;
            }
            // Whole numbers as times fit DiskSim and FlashSim too when they are asked for by name.
            if sample.format == "mqsim" && ["disksim", "flashsim"].contains(&name) {
                continue;
            }
            let error = refused(inspect(&spec_as(&path, name)));
            assert!(
                message(&error).contains(&format!("does not fit the format {name}")),
                "{} as {name}: {}",
                sample.format,
                message(&error)
            );
            assert!(!error.hint().is_empty());
        }
    }
}

/// Reads a changed sample. Whatever the answer, it is one: no panic, and an error has a hint.
fn read(sample: &Sample, path: &std::path::Path) -> Option<TraceReport> {
    let read = |spec: &TraceSpec| match inspect(spec) {
        Ok(report) => Some(report),
        Err(error) => {
            assert!(!error.hint().is_empty(), "{}", message(&error));
            assert!(
                !message(&error).chars().any(char::is_control),
                "{:?}",
                message(&error)
            );
            None
        }
    };
    read(&spec(path));
    let _ = preview(&sample.spec(path));
    read(&sample.spec(path))
}

#[test]
fn truncated_traces_are_refused_or_warned_of() {
    let folder = Folder::new();
    for sample in samples() {
        let every = if sample.is_text() { 2 } else { 1 };
        for length in sample.positions().skip(1).step_by(every) {
            // A name of its own: some file systems wait for the disk where a file is written over.
            let path = folder.file(
                &format!("{}{length}", sample.format),
                &sample.content[..length],
            );
            let Some(report) = read(&sample, &path) else {
                continue;
            };
            let name = sample.format;
            assert!(report.requests <= sample.requests, "{name} at {length}");
            let whole_lines = sample.content[length - 1] == b'\n';
            match sample.kind {
                Kind::Lines { .. } if !whole_lines => assert!(
                    warning_names(&report).contains(&"no_final_line_end"),
                    "{name} at {length}"
                ),
                Kind::Lines { .. } => {}
                Kind::Records { bytes } => assert_eq!(length % bytes, 0, "{name} at {length}"),
                Kind::HeaderAndRecords { header, bytes } => {
                    assert_eq!((length - header) % bytes, 0, "{name} at {length}");
                }
                Kind::Whole => panic!("{name} was read although cut at {length}"),
            }
        }
    }
}

/// The records of a sample, and what stands before them.
fn records(sample: &Sample) -> (Vec<u8>, Vec<Vec<u8>>) {
    match sample.kind {
        Kind::Lines { header } => {
            let mut lines: Vec<Vec<u8>> = sample
                .content
                .split_inclusive(|byte| *byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect();
            let rest = lines.split_off(header);
            (lines.concat(), rest)
        }
        Kind::Records { bytes } => (
            Vec::new(),
            sample.content.chunks(bytes).map(<[u8]>::to_vec).collect(),
        ),
        Kind::HeaderAndRecords { header, bytes } => (
            sample.content[..header].to_vec(),
            sample.content[header..]
                .chunks(bytes)
                .map(<[u8]>::to_vec)
                .collect(),
        ),
        Kind::Whole => (Vec::new(), vec![sample.content.clone()]),
    }
}

#[test]
fn shuffled_records_keep_their_counts_and_tell_of_the_time() {
    let folder = Folder::new();
    for sample in samples() {
        let (head, rest) = records(&sample);
        let turned: Vec<Vec<u8>> = (0..rest.len())
            .map(|first| [&rest[first..], &rest[..first]].concat().concat())
            .collect();
        let reversed = rest.iter().rev().flatten().copied().collect();
        for (index, shuffled) in turned.into_iter().chain([reversed]).enumerate() {
            let changed = shuffled != rest.concat();
            let path = folder.file("t", [head.clone(), shuffled].concat());
            let name = sample.format;
            // The next accesses of oracleGeneral say that the order is wrong.
            let Some(report) = read(&sample, &path) else {
                assert!(name.starts_with("oracle_general"), "{name} {index}");
                continue;
            };
            assert_eq!(
                (report.requests, report.accesses, report.distinct_pages),
                (sample.requests, sample.accesses, sample.distinct_pages),
                "{name} {index}"
            );
            if changed && index == rest.len() && sample.duration_s.is_some() {
                assert!(
                    warning_names(&report).contains(&"non_monotone_time"),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn fields_in_another_order_are_never_read_in_silence() {
    // The columns of each record reversed: refused, or (all numbers) read as other numbers.
    let folder = Folder::new();
    for sample in samples().iter().filter(|sample| sample.is_text()) {
        if ["lirs", "keys"].contains(&sample.format) {
            // One column has no order.
            continue;
        }
        let (head, rest) = records(sample);
        let mut content = head;
        for line in rest {
            let text = String::from_utf8(line).unwrap();
            let separator = [",", ";", "\t"]
                .into_iter()
                .find(|separator| text.contains(separator))
                .unwrap_or(" ");
            let fields: Vec<&str> = text.trim().rsplit(separator).collect();
            content.extend_from_slice(fields.join(separator).as_bytes());
            content.push(b'\n');
        }
        let path = folder.file("t", content);
        let error = refused(inspect(&sample.spec(&path)));
        assert!(!error.hint().is_empty(), "{}", sample.format);
    }
}

#[test]
fn empty_files_are_refused_as_every_format() {
    let folder = Folder::new();
    for sample in samples() {
        let empty = folder.file("t", "");
        assert_refused(inspect(&sample.spec(&empty)), "is empty (0 bytes)");
        let packed = folder.file("t", gzip(b""));
        assert_refused(inspect(&sample.spec(&packed)), "decompresses to 0 bytes");
        for blank in ["\n", "\n\n\n", " \n", "\0\0\0\0\0\0\0\0"] {
            let path = folder.file("t", blank);
            assert!(read(&sample, &path).is_none(), "{}", sample.format);
        }
        let (head, _) = records(&sample);
        if !head.is_empty() {
            let path = folder.file("t", head);
            assert_refused(inspect(&sample.spec(&path)), "no record");
        }
    }
}

#[test]
fn huge_lines_are_refused_with_their_number() {
    let folder = Folder::new();
    let huge = "7,".repeat(3 << 19);
    for sample in samples().iter().filter(|sample| sample.is_text()) {
        let lines = sample.lines();
        let content = [&sample.content, huge.as_bytes(), b"\n"].concat();
        let path = folder.file("t", content);
        assert_refused(
            inspect(&sample.spec(&path)),
            &format!("line {}: the line is longer than 1048576 bytes", lines + 1),
        );
        // As the first line it fills the head that detection sees.
        let path = folder.file("t", [huge.as_bytes(), b"\n", &sample.content].concat());
        assert!(read(sample, &path).is_none(), "{}", sample.format);
    }
}

#[test]
fn text_in_other_encodings_is_refused() {
    let folder = Folder::new();
    for sample in samples().iter().filter(|sample| sample.is_text()) {
        let text = std::str::from_utf8(&sample.content).unwrap();
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for content in [
            [b"\xff\xfe", little.as_slice()].concat(),
            [b"\xfe\xff", big.as_slice()].concat(),
            little,
            big,
        ] {
            let path = folder.file("t", content);
            assert!(read(sample, &path).is_none(), "{}", sample.format);
        }
        // A stray byte of Latin-1 behind the records.
        let path = folder.file("t", [&sample.content, &b"caf\xe9\n"[..]].concat());
        assert_refused(inspect(&sample.spec(&path)), "UTF-8");
    }
}

#[test]
fn one_bad_line_is_an_error_with_its_place_and_content() {
    let folder = Folder::new();
    for sample in samples().iter().filter(|sample| sample.is_text()) {
        let lines = sample.lines();
        let path = folder.file(
            "bad.txt",
            [&sample.content, &b"no record at all\n"[..]].concat(),
        );
        let error = refused(inspect(&sample.spec(&path)));
        let text = message(&error);
        assert!(
            text.contains(&format!("bad.txt`, line {}: ", lines + 1)),
            "{text}"
        );
        assert!(text.contains("no record at all"), "{text}");
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn windows_line_ends_and_byte_order_marks_change_nothing() {
    let folder = Folder::new();
    for sample in samples().iter().filter(|sample| sample.is_text()) {
        let plain = inspect(&sample.spec(&folder.file("t", &sample.content))).unwrap();
        let text = std::str::from_utf8(&sample.content).unwrap();
        let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let report = inspect(&sample.spec(&folder.file("t", windows))).unwrap();
        assert_eq!(report, plain, "{}", sample.format);
    }
}

#[test]
fn flipped_bits_are_refused_or_read_as_other_numbers_without_a_panic() {
    let folder = Folder::new();
    for sample in samples() {
        // Every fifth byte: as a step it is prime to the length of all records.
        for position in sample.positions().step_by(5) {
            let mut content = sample.content.clone();
            content[position] ^= 1 << (position % 8);
            let name = format!("{}{position}", sample.format);
            read(&sample, &folder.file(&name, content));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Parts of a sample copied over and into others: close to what a reader expects.
    #[test]
    fn spliced_samples_never_panic(
        which in any::<prop::sample::Index>(),
        splices in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..40_usize, any::<bool>()),
            1..8,
        ),
    ) {
        let samples = samples();
        let sample = which.get(&samples);
        let mut content = sample.content.clone();
        for (from, to, length, insert) in splices {
            let from = from.index(content.len());
            let part = content[from..content.len().min(from + length)].to_vec();
            let to = to.index(content.len());
            let end = if insert { to } else { content.len().min(to + part.len()) };
            content.splice(to..end, part);
        }
        let folder = Folder::new();
        read(sample, &folder.file("t", content));
    }
}
