//! Summaries of files: raw and canonical alike, requests in the unit of the trace.

use tierwright_simulator::Error;
use tierwright_simulator::access::AccessSource as _;
use tierwright_simulator::profile::requests::RequestUnit;
use tierwright_simulator::profile::{Summaries, Wanted, summaries as of_source};
use tierwright_simulator::trace::{self, TraceSpec};

use crate::samples::samples;
use crate::support::*;

fn summaries(spec: &TraceSpec) -> Result<Summaries, Error> {
    trace::summaries(spec, &mut |_| true).map(|(made, ..)| made)
}

#[test]
fn a_raw_trace_and_its_canonical_form_have_the_same_summaries() {
    for sample in samples() {
        if sample.format == "canonical" {
            continue;
        }
        let folder = Folder::new();
        let spec = TraceSpec {
            format: Some(sample.format.to_owned()),
            ..spec_mapped(&folder.file("trace", &sample.content), sample.mapping)
        };
        let out = folder.path("trace.twt");
        convert(&spec, &out).unwrap();
        let (raw, canonical) = (
            summaries(&spec).unwrap(),
            summaries(&trace_spec(&out)).unwrap(),
        );
        assert_eq!(raw, canonical, "{}", sample.format);
        assert_eq!(raw.accesses, sample.accesses);
        assert_eq!(
            raw.devices.is_some(),
            sample.devices > 1,
            "{}",
            sample.format
        );
        assert_eq!(raw.time_windows.is_some(), sample.duration_s.is_some());

        // Without what the conversion noted, the requests come from the accesses, in pages.
        let mut source = trace::open_source(&trace_spec(&out)).unwrap();
        source.keep_addresses();
        let wanted = Wanted {
            requests_of_accesses: true,
            by_device: false,
        };
        let gathered = of_source(&mut source, wanted, &mut |_| true)
            .unwrap()
            .requests;
        assert_eq!(gathered.unit, RequestUnit::Pages);
        assert_eq!(
            gathered.requests, raw.requests.requests,
            "{}",
            sample.format
        );
        assert_eq!(
            gathered.read_amount + gathered.write_amount,
            sample.accesses
        );
        if raw.requests.unit == RequestUnit::Pages {
            assert_eq!(gathered, raw.requests, "{}", sample.format);
        }
    }
}

fn trace_spec(path: &std::path::Path) -> TraceSpec {
    TraceSpec::new(path)
}

#[test]
fn requests_continue_by_bytes_and_by_device() {
    // SPC: device, sector, bytes, operation, time. Half pages that follow each other lie in one page.
    let lines = "0,0,2048,w,0.0\n1,4,512,r,0.1\n0,4,2048,w,0.2\n0,8,0,r,0.3\n0,8,4096,r,0.4\n\
                 1,6,512,r,0.5\n1,7,512,r,0.6\n";
    let folder = Folder::new();
    let spec = spec_as(&folder.file("trace.spc", lines), "spc");
    let made = summaries(&spec).unwrap();
    let requests = &made.requests;
    assert_eq!(requests.unit, RequestUnit::Bytes);
    assert_eq!((requests.requests, requests.sequential), (6, 3));
    assert_eq!((requests.read_amount, requests.write_amount), (5632, 4096));
    assert_eq!(requests.sizes.lowest, [512, 2048, 4096]);
    assert_eq!(
        (&requests.sizes.reads[..], &requests.sizes.writes[..]),
        (&[3, 0, 1][..], &[0, 2, 0][..])
    );
    assert_eq!(requests.runs.lowest, [1, 2, 3]);
    assert_eq!(
        (&requests.runs.runs[..], requests.longest_run),
        (&[1, 1, 1][..], 3)
    );
    let devices = made.devices.unwrap();
    let rows: Vec<_> = devices
        .rows
        .iter()
        .map(|row| (row.requests, row.sequential_requests))
        .collect();
    assert_eq!(rows, [(3, 2), (3, 1)]);
}

#[test]
fn request_counts_that_disagree_with_the_trace_are_damage() {
    let folder = Folder::new();
    let out = folder.path("trace.twt");
    let spec = spec_as(
        &folder.file("trace.spc", "0,0,4096,r,0.0\n0,8,4096,r,0.1\n"),
        "spc",
    );
    convert(&spec, &out).unwrap();
    let bytes = std::fs::read(&out).unwrap();
    let tail = bytes.len() - 24;
    let offset = usize::try_from(u64::from_le_bytes(
        bytes[tail..tail + 8].try_into().unwrap(),
    ))
    .unwrap();
    let foot = String::from_utf8(bytes[offset..tail].to_vec()).unwrap();
    let with_foot = |foot: &str| {
        let mut made = bytes[..offset].to_vec();
        made.extend(foot.as_bytes());
        made.extend((offset as u64).to_le_bytes());
        made.extend(u32::try_from(foot.len()).unwrap().to_le_bytes());
        let mut crc = flate2::Crc::new();
        crc.update(foot.as_bytes());
        made.extend(crc.sum().to_le_bytes());
        made.extend(b"TWT-END\n");
        folder.file("changed.twt", made)
    };
    let (start, end) = (foot.find(",\"request_counts\"").unwrap(), foot.len() - 1);
    // A file of before the counts were kept.
    let old = with_foot(&format!("{}}}", &foot[..start]));
    let made = summaries(&trace_spec(&old)).unwrap();
    assert_eq!(
        (made.requests.unit, made.requests.sequential),
        (RequestUnit::Pages, 1)
    );
    let counts = &foot[start..end];
    for (good, bad) in [
        ("\"space_sequential\":[1]", "\"space_sequential\":[2]"),
        ("\"space_requests\":[2]", "\"space_requests\":[1,1]"),
        ("\"runs\":[[2,1]]", "\"runs\":[[2,2]]"),
        ("\"runs\":[[2,1]]", "\"runs\":[[999,1]]"),
        (
            "\"run_requests\":[[2,2]]",
            "\"run_requests\":[[2,18446744073709551615]]",
        ),
    ] {
        assert!(counts.contains(good), "{counts}");
        let path = with_foot(&format!(
            "{}{}}}",
            &foot[..start],
            counts.replace(good, bad)
        ));
        let error = summaries(&trace_spec(&path)).unwrap_err();
        assert!(error.to_string().contains("damaged"), "{error}");
    }
}

#[test]
fn a_trace_without_accesses_is_refused() {
    let folder = Folder::new();
    let spec = spec_as(&folder.file("trace.spc", "0,0,0,r,0.0\n"), "spc");
    let error = summaries(&spec).unwrap_err();
    assert!(error.to_string().contains("no page accesses"), "{error}");
}
