//! Damaged and hostile input: everything that reads bytes or options answers with a result or an
//! error with a hint. Never a panic, never a wait without end, never memory without bound.
//!
//! Cases are drawn from a counter, so each can be repeated: `TIERWRIGHT_FUZZ_FIRST=17` begins with
//! case 17. The default suite runs a fixed number of them; `make fuzz` runs for
//! `TIERWRIGHT_FUZZ_SECONDS`. A plain mutator on valid seeds reaches what coverage-guided tools find
//! only behind checksums, for it seals canonical traces again after changing them; and it needs
//! neither another toolchain nor another crate.

use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tierwright_simulator::Error;
use tierwright_simulator::access::{AccessSource, Chunk, MemorySource};
use tierwright_simulator::replay::buffers::{buffers, simulate_buffer};
use tierwright_simulator::replay::{
    flash_caches, policies, schemes, simulate_flash_cache, simulate_policy, simulate_scheme,
};
use tierwright_simulator::trace::formats::FORMATS;
use tierwright_simulator::trace::{self, TraceSpec};

use crate::samples::samples;
use crate::support::*;

/// Cases of the default suite.
const FEW_BYTES: u64 = 600;
const FEW_OPTIONS: u64 = 1500;
/// Longest time of one case, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Growth of the resident memory that all cases together may cause.
const MOST_MEMORY_KIB: u64 = 768 << 10;

/// The `SplitMix64` generator.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Less than `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Start and end of a part of `bytes`.
    fn part(&mut self, bytes: &[u8]) -> (usize, usize) {
        let start = self.below(bytes.len() + 1);
        let longest = (bytes.len() - start).min(1 << self.below(12));
        (start, start + self.below(longest + 1))
    }
}

/// How the table among the seeds is read.
const MAPPING: &str = "time=when time_unit=us page=page op=kind";

const MAPPING_KEYS: [&str; 9] = [
    "page",
    "op",
    "time",
    "time_unit",
    "offset",
    "offset_unit",
    "size",
    "delimiter",
    "x",
];
const MAPPING_VALUES: [&str; 10] = [
    "page", "when", "kind", "bytes", "1", "0", "-1", "us", "sectors", "tab",
];

/// Numbers at which fields overflow, wrap or are zero.
const NUMBERS: &[u64] = &[
    0,
    1,
    2,
    0x7f,
    0xff,
    511,
    4095,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    1 << 40,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX - 1,
    u64::MAX,
];

/// Fields of text traces and values of options that are close to right ones.
const WORDS: &[&str] = &[
    "",
    " ",
    "0",
    "-0",
    "-1",
    "+7",
    "1e3",
    "1e999",
    "-1e999",
    "NaN",
    "inf",
    "0x10",
    "00012",
    "1_000",
    "1,5",
    "0.5",
    ".5",
    "1.",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775808",
    "99999999999999999999999999999999",
    "0.000000000000000000000000000001",
    "R",
    "W",
    "Read",
    "write",
    "lru",
    "ARC",
    "true",
    "False",
    "\u{0}",
    "\u{feff}",
    "é",
    "\"",
    "'",
    "\t",
    "\r\n",
    "a b",
    "=",
];

/// Changes `bytes` in one to six places.
fn mutate(bytes: &mut Vec<u8>, others: &[Vec<u8>], draw: &mut Draw) {
    for _ in 0..=draw.below(6) {
        if bytes.is_empty() {
            return;
        }
        let at = draw.below(bytes.len());
        match draw.below(10) {
            0 => bytes[at] ^= 1 << draw.below(8),
            1 => bytes[at] = draw.next().to_le_bytes()[0],
            2 => bytes.truncate(at),
            3 => {
                let (start, end) = draw.part(bytes);
                bytes.drain(start..end);
            }
            4 => {
                let (start, end) = draw.part(bytes);
                let copy = bytes[start..end].to_vec();
                bytes.splice(at..at, copy);
            }
            5 => {
                let other = draw.one(others);
                let (start, end) = draw.part(other);
                let over = draw.below(2) * (end - start).min(bytes.len() - at);
                bytes.splice(at..at + over, other[start..end].iter().copied());
            }
            6 | 7 => {
                let width = 1 << draw.below(4);
                let number = draw.one(NUMBERS).to_le_bytes();
                for (byte, new) in bytes[at..].iter_mut().zip(&number[..width]) {
                    *byte = *new;
                }
            }
            8 => {
                // The field of text around a place.
                let is_end = |byte: &u8| matches!(byte, b',' | b'\n' | b' ' | b'\t' | b'"' | b':');
                let start = bytes[..at]
                    .iter()
                    .rposition(is_end)
                    .map_or(0, |end| end + 1);
                let end = bytes[at..]
                    .iter()
                    .position(is_end)
                    .map_or(bytes.len(), |end| at + end);
                bytes.splice(start..end.max(start), draw.one(WORDS).bytes());
            }
            _ => {
                let byte = *draw.one(b"\n,0 9A\x00\xff");
                let count = 1 << draw.below(14);
                bytes.splice(at..at, std::iter::repeat_n(byte, count));
            }
        }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?) as usize)
}

fn crc32(bytes: &[u8]) -> [u8; 4] {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}

/// Writes the checksums of a changed canonical trace anew, as far as its lengths lead.
fn seal(bytes: &mut [u8]) -> Option<()> {
    let head = u32_at(bytes, 12)?;
    let sum = crc32(bytes.get(20..20 + head)?);
    bytes[16..20].copy_from_slice(&sum);
    let tail = bytes.len().checked_sub(24)?;
    let (foot, length) = (u32_at(bytes, tail)?, u32_at(bytes, tail + 8)?);
    let sum = crc32(bytes.get(foot..foot.checked_add(length)?)?);
    bytes[tail + 12..tail + 16].copy_from_slice(&sum);
    let mut at = 20 + head;
    while at < foot {
        let mut section = at + 56;
        for index in 0..5 {
            let end = section.checked_add(u32_at(bytes, at + 12 + 8 * index)?)?;
            let sum = crc32(bytes.get(section..end)?);
            bytes
                .get_mut(at + 16 + 8 * index..at + 20 + 8 * index)?
                .copy_from_slice(&sum);
            section = end;
        }
        let sum = crc32(bytes.get(at..at + 52)?);
        bytes.get_mut(at + 52..at + 56)?.copy_from_slice(&sum);
        at = section;
    }
    Some(())
}

/// Replaces one section of the first chunk by a changed one that still decompresses, and moves what
/// lies behind it.
fn change_section(bytes: &[u8], others: &[Vec<u8>], draw: &mut Draw) -> Option<Vec<u8>> {
    let chunk = 20 + u32_at(bytes, 12)?;
    let changed = draw.below(5);
    let mut start = chunk + 56;
    for index in 0..changed {
        start += u32_at(bytes, chunk + 12 + 8 * index)?;
    }
    let length = u32_at(bytes, chunk + 12 + 8 * changed)?;
    let mut content = zstd::decode_all(bytes.get(start..start + length)?).ok()?;
    mutate(&mut content, others, draw);
    let section = zstd::encode_all(content.as_slice(), 1).ok()?;
    let tail = bytes.len().checked_sub(24)?;
    let foot = u32_at(bytes, tail)? + section.len() - length;
    let mut out = [&bytes[..start], &section, &bytes[start + length..]].concat();
    let field = chunk + 12 + 8 * changed;
    out[field..field + 4].copy_from_slice(&u32::try_from(section.len()).ok()?.to_le_bytes());
    let tail = out.len() - 24;
    out[tail..tail + 8].copy_from_slice(&(foot as u64).to_le_bytes());
    seal(&mut out);
    Some(out)
}

/// Valid traces, one or more of each format of the table, and how each is read by name.
#[derive(Default)]
struct Seeds {
    contents: Vec<Vec<u8>>,
    /// Format and column mapping.
    read_as: Vec<(&'static str, &'static str)>,
}

impl Seeds {
    fn add(&mut self, format: &'static str, mapping: &'static str, content: Vec<u8>) {
        self.contents.push(content);
        self.read_as.push((format, mapping));
    }

    fn spec(&self, index: usize, path: &Path) -> TraceSpec {
        match self.read_as[index] {
            (format, "") => spec_as(path, format),
            (_, mapping) => spec_mapped(path, mapping),
        }
    }
}

fn seeds(folder: &Folder) -> Seeds {
    let postgres: Vec<String> = (0..40)
        .map(|at| {
            format!(
                "{},{},1/16384/{},{}\n",
                at * 900,
                "RW".as_bytes()[at % 2] as char,
                at % 3,
                at * 7 % 19
            )
        })
        .collect();
    let postgres = format!("time_us,op,rel,block\n{}", postgres.concat());
    let msr: Vec<String> = (0..40)
        .map(|at: u64| {
            format!(
                "{},src1,{},{},{},{},{}\n",
                128_166_372_003_061_629 + at * 10_000,
                at % 2,
                ["Read", "Write"][usize::from(at.is_multiple_of(3))],
                at * 5 % 17 * 4096 + at % 2,
                512 << (at % 6),
                400 + at
            )
        })
        .collect();
    let table: Vec<String> = (0..30)
        .map(|at| format!("{at},{},{},w\n", at * 3 % 11, 4096 * (1 + at % 2)))
        .collect();
    let table = format!("when,page,bytes,kind\n{}", table.concat());
    let scsi: Vec<u8> = (0..40)
        .flat_map(|at| {
            vscsi(
                4096,
                [0x28, 0x2a][usize::from(at % 2 == 0)],
                at * 13 % 29,
                at * 500,
            )
        })
        .collect();
    let oracle: Vec<u8> = (0_u32..50)
        .flat_map(|at| {
            let page = u64::from(at * 11 % 23).to_le_bytes();
            [
                &(at / 4).to_le_bytes(),
                page.as_slice(),
                &4096_u32.to_le_bytes(),
                &(-1_i64).to_le_bytes(),
            ]
            .concat()
        })
        .collect();
    let mut seeds = Seeds::default();
    seeds.add("postgres_csv", "", postgres.into_bytes());
    seeds.add("msr", "", msr.concat().into_bytes());
    seeds.add("csv", MAPPING, table.into_bytes());
    seeds.add("vscsi", "", scsi);
    seeds.add("oracle_general", "", oracle);
    for sample in samples() {
        seeds.add(sample.format, sample.mapping, sample.content);
    }
    for index in 0..seeds.contents.len() {
        let path = folder.file("seed", &seeds.contents[index]);
        let out = folder.path("seed.twt");
        // The unchanged seeds are read: else every case would stop at the first check.
        trace::convert(&seeds.spec(index, &path), &out, true, &mut |_| true).unwrap();
        seeds.add("canonical", "", std::fs::read(&out).unwrap());
    }
    for format in FORMATS {
        let reads = |read_as: &(&str, &str)| read_as.0 == format.name;
        assert!(
            seeds.read_as.iter().any(reads),
            "no seed of {}",
            format.name
        );
    }
    seeds
}

/// Whatever the answer, it is one: an error is not internal, and says what to do next.
fn judge<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(found) => Some(found),
        Err(error) => {
            assert!(!matches!(error, Error::Internal { .. }), "{error}");
            assert!(
                !error.to_string().is_empty() && !error.hint().is_empty(),
                "{error}"
            );
            assert!(error.to_string().len() < 20_000, "a message without end");
            None
        }
    }
}

/// Reads all accesses with everything that a source can give.
fn read_all(spec: &TraceSpec) {
    let Some(mut source) = judge(trace::open_source(spec)) else {
        return;
    };
    source.with_times();
    source.keep_addresses();
    let (mut chunk, mut distinct) = (Chunk::default(), 0);
    while let Some(true) = judge(source.next_chunk(&mut chunk)) {
        assert!(!chunk.is_empty() && chunk.flags.len() == chunk.len());
        assert!(chunk.times_ns.is_empty() || chunk.times_ns.len() == chunk.len());
        let (spaces, addresses) = source.addresses();
        assert!(spaces.len() == chunk.len() && addresses.len() == chunk.len());
        for &page in &chunk.pages {
            assert!(page <= distinct, "pages are numbered as they appear");
            distinct = distinct.max(page + 1);
        }
    }
}

/// One case: a changed seed, perhaps compressed before or after the change, read in every way.
fn bytes_case(case: u64, all: &Seeds, path: &Path, out: &Path) {
    let mut draw = Draw(case);
    let index = draw.below(all.contents.len());
    let (seed, seeds) = (&all.contents[index], &all.contents);
    let is_canonical = seed.starts_with(b"\x89TWT");
    let mut content = seed.clone();
    match draw.below(6) {
        0 => {
            mutate(&mut content, seeds, &mut draw);
            content = gzip(&content);
        }
        1 => {
            mutate(&mut content, seeds, &mut draw);
            content = zstd(&content);
        }
        2 => {
            content = if draw.below(2) == 0 {
                gzip(seed)
            } else {
                zstd(seed)
            };
            mutate(&mut content, seeds, &mut draw);
        }
        3 if is_canonical => {
            mutate(&mut content, seeds, &mut draw);
            seal(&mut content);
        }
        4 if is_canonical => {
            if let Some(changed) = change_section(seed, seeds, &mut draw) {
                content = changed;
            }
        }
        _ => mutate(&mut content, seeds, &mut draw),
    }
    std::fs::write(path, &content).unwrap();
    let mut spec = match draw.below(4) {
        0 => TraceSpec::new(path),
        1 => spec_as(path, draw.one(FORMATS).name),
        _ => all.spec(index, path),
    };
    if draw.below(8) == 0 {
        spec.columns.extend(spec_mapped(path, MAPPING).columns);
        for _ in 0..draw.below(3) {
            let key = (*draw.one(&MAPPING_KEYS)).to_owned();
            spec.columns
                .insert(key, (*draw.one(&MAPPING_VALUES)).to_owned());
        }
    }
    if draw.below(6) == 0 {
        spec.page_bytes = *draw.one(&[0, 1, 512, 4097, 8192, 1 << 20, 1 << 21, u64::MAX]);
    }
    read_all(&spec);
    judge(trace::preview(&spec, 20, &mut |_| true));
    judge(trace::inspect(&spec, &mut |_| true));
    if judge(trace::convert(&spec, out, true, &mut |_| true)).is_some() {
        read_all(&TraceSpec::new(out));
    }
    if let Some(mut source) = judge(trace::open_source(&spec)) {
        judge(simulate_policy(&mut source, "lru", 3, &[], &mut |_| true));
    }
}

/// One case: options that are right, nearly right or nonsense, given to anything that takes some.
fn options_case(case: u64) {
    let mut draw = Draw(case);
    let accesses = (0_u64..60).map(|at| (at * 7 % 13, at % 3 == 0));
    let mut source = MemorySource::new(accesses).with_chunk_accesses(1 + draw.below(70));
    let kind = draw.below(4);
    let (name, mut known): (&str, Vec<&str>) = match kind {
        0 => {
            let about = draw.one(policies());
            (
                about.name,
                about.options.iter().map(|option| option.name).collect(),
            )
        }
        1 => {
            let about = draw.one(schemes());
            (
                about.name,
                about.options.iter().map(|option| option.name).collect(),
            )
        }
        2 => {
            let about = draw.one(buffers());
            (
                about.name,
                about.options.iter().map(|option| option.name).collect(),
            )
        }
        _ => {
            let about = draw.one(flash_caches());
            (
                about.about.name,
                about.options().iter().map(|option| option.name).collect(),
            )
        }
    };
    known.extend([
        "ram_ceiling",
        "flash_small_share",
        "clean_ceiling",
        "dirty_k_in",
        "ram_",
        "no",
    ]);
    let of_policies: Vec<&str> = policies().iter().map(|about| about.name).collect();
    let mut options = Vec::new();
    for _ in 0..draw.below(5) {
        let value = match draw.below(4) {
            0 => (*draw.one(&of_policies)).to_owned(),
            1 => draw.one(NUMBERS).to_string(),
            _ => (*draw.one(WORDS)).to_owned(),
        };
        let key = if draw.below(9) == 0 {
            *draw.one(WORDS)
        } else {
            *draw.one(&known)
        };
        options.push((key.to_owned(), value));
    }
    let name = if draw.below(20) == 0 {
        *draw.one(WORDS)
    } else {
        name
    };
    let sizes = [
        0,
        1,
        2,
        3,
        7,
        12,
        40,
        u64::from(u32::MAX),
        1 << 32,
        u64::MAX,
    ];
    let (size, other) = (*draw.one(&sizes), *draw.one(&sizes));
    let go = &mut |_| true;
    match kind {
        0 => drop(judge(simulate_policy(
            &mut source,
            name,
            size,
            &options,
            go,
        ))),
        1 => drop(judge(simulate_scheme(
            &mut source,
            name,
            size,
            other,
            &options,
            go,
        ))),
        2 => drop(judge(simulate_buffer(
            &mut source,
            name,
            size,
            &options,
            go,
        ))),
        _ => drop(judge(simulate_flash_cache(
            &mut source,
            name,
            size,
            other,
            &options,
            go,
        ))),
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{variable}={text} is not a number")),
    )
}

/// Largest resident memory of this process so far, where the system tells.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Runs cases in a thread and watches that each of them ends.
#[expect(clippy::disallowed_methods, reason = "a time budget needs a clock")]
fn run(few: u64, case: impl Fn(u64) + Send + 'static) {
    let seconds = number("TIERWRIGHT_FUZZ_SECONDS");
    let first = number("TIERWRIGHT_FUZZ_FIRST").unwrap_or(0);
    let before = peak_kib();
    let (sender, cases) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        let start = Instant::now();
        for at in first.. {
            let over = match seconds {
                Some(seconds) => start.elapsed().as_secs() >= seconds,
                None => at - first == few,
            };
            if over || sender.send(at).is_err() {
                return;
            }
            case(at);
        }
    });
    let mut last = first;
    loop {
        match cases.recv_timeout(PATIENCE) {
            Ok(at) => last = at,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("case {last} does not end"),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    let ended = worker.join();
    assert!(
        ended.is_ok(),
        "TIERWRIGHT_FUZZ_FIRST={last} repeats the failure"
    );
    if let (Some(before), Some(after)) = (before, peak_kib()) {
        assert!(
            after - before < MOST_MEMORY_KIB,
            "{after} KiB, {before} KiB before"
        );
    }
}

#[test]
fn damaged_traces_never_panic_hang_or_swell() {
    let folder = Folder::new();
    let seeds = seeds(&folder);
    run(FEW_BYTES, move |case| {
        bytes_case(case, &seeds, &folder.path("trace"), &folder.path("out.twt"));
    });
}

#[test]
fn options_of_any_text_never_panic() {
    run(FEW_OPTIONS, options_case);
}
