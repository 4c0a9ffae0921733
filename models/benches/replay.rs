//! Speed of replays and curves on one thread: `cargo bench --bench replay [-- NAME...]`.
//!
//! Replays 20 million Zipf(0.9) accesses over 2 million pages, one in four a write, from memory,
//! through caches of 1 % and 10 % of the pages. The generator is seeded: every run sees the same
//! trace. Prints millions of accesses per second, best of three.
//!
//! `-- --soak ACCESSES` streams a trace that is generated as it is replayed, without a file, through
//! the lazy scheme, and prints one line of JSON with speed and peak memory.
//!
//! `-- --probe TRACE` prints one line of JSON on what the machine can do: how long a read from a table
//! takes, alone and among others, how fast memory is read in order, how much faster two threads are
//! than one, how fast a canonical trace is decoded, and how long a clock cycle is.
//!
//! `-- --once TRACE KIND [ARGUMENT...]` does one thing with a canonical trace, once, for tools that count
//! what a processor does: `decode`, `policy NAME PAGES`, `scheme NAME RAM FLASH`, `curves`, `sampled RATE`.
#![expect(clippy::print_stdout, reason = "a bench prints its result")]

use std::time::Instant;

use tierwright_simulator::access::{AccessSource, CHUNK_ACCESSES, Chunk, WRITE};
use tierwright_simulator::curve::{Sample, curves, curves_on_threads, sampled_curves};
use tierwright_simulator::error::Result;
use tierwright_simulator::profile::requests::{RequestCounts, RequestUnit, Requests};
use tierwright_simulator::profile::{Wanted, summaries};
use tierwright_simulator::replay::{policies, schemes, simulate_policy, simulate_scheme};
use tierwright_simulator::trace::{TraceSpec, open_source};

const PAGES: usize = 2_000_000;
const ACCESSES: usize = 20_000_000;
const EXPONENT: f64 = 0.9;
const ROUNDS: usize = 3;

/// A trace held in memory, given out in chunks without any decoding.
struct Trace {
    pages: Vec<u32>,
    flags: Vec<u8>,
    next: usize,
}

impl AccessSource for &mut Trace {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        chunk.clear();
        let end = (self.next + CHUNK_ACCESSES).min(self.pages.len());
        chunk.pages.extend_from_slice(&self.pages[self.next..end]);
        chunk.flags.extend_from_slice(&self.flags[self.next..end]);
        self.next = end;
        Ok(!chunk.is_empty())
    }
}

/// The trace with all that its summaries need: requests counted beforehand, as a conversion does, and
/// one access a microsecond.
struct Whole<'a> {
    trace: &'a mut Trace,
    timed: bool,
}

impl AccessSource for Whole<'_> {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let first = self.trace.next;
        let more = (&mut *self.trace).next_chunk(chunk)?;
        if self.timed {
            let times = first..self.trace.next;
            chunk
                .times_ns
                .extend(times.map(|access| i64::try_from(access * 1000).unwrap_or(i64::MAX)));
        }
        Ok(more)
    }

    fn request_counts(&self) -> Option<RequestCounts> {
        Some(Requests::new(RequestUnit::Pages).finish())
    }
}

/// The `SplitMix64` generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in [0, 1).
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Zipf ranks by inversion of the cumulative weights, pages numbered by first appearance.
#[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^53")]
fn zipf() -> Trace {
    let mut random = Random(42);
    let mut sum = 0.0;
    let cumulative: Vec<f64> = (1..=PAGES)
        .map(|rank| {
            sum += (rank as f64).powf(-EXPONENT);
            sum
        })
        .collect();
    let mut numbers = vec![u32::MAX; PAGES];
    let mut seen = 0;
    let mut trace = Trace {
        pages: Vec::with_capacity(ACCESSES),
        flags: Vec::with_capacity(ACCESSES),
        next: 0,
    };
    for _ in 0..ACCESSES {
        let target = random.unit() * sum;
        let rank = cumulative.partition_point(|&weight| weight <= target);
        let number = &mut numbers[rank.min(PAGES - 1)];
        if *number == u32::MAX {
            *number = seen;
            seen += 1;
        }
        trace.pages.push(*number);
        trace.flags.push(if random.next().is_multiple_of(4) {
            WRITE
        } else {
            0
        });
    }
    trace
}

/// Pages of the streamed trace.
const SOAK_PAGES: usize = 10_000_000;
/// Entries of the table that narrows the search for a rank.
const GUIDES: usize = 1 << 22;

/// Zipf accesses made as they are asked for.
struct Stream {
    random: Random,
    cumulative: Vec<f64>,
    /// Ranks below each part of the unit interval.
    guides: Vec<u32>,
    numbers: Vec<u32>,
    seen: u32,
    left: usize,
}

impl Stream {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "ranks are far below 2^32"
    )]
    fn new(accesses: usize) -> Self {
        let mut sum = 0.0;
        let mut cumulative: Vec<f64> = (1..=SOAK_PAGES)
            .map(|rank| {
                sum += (rank as f64).powf(-EXPONENT);
                sum
            })
            .collect();
        for weight in &mut cumulative {
            *weight /= sum;
        }
        let mut rank = 0;
        let guides = (0..=GUIDES)
            .map(|guide| {
                while rank < SOAK_PAGES - 1 && cumulative[rank] <= guide as f64 / GUIDES as f64 {
                    rank += 1;
                }
                rank as u32
            })
            .collect();
        Self {
            random: Random(42),
            cumulative,
            guides,
            numbers: vec![u32::MAX; SOAK_PAGES],
            seen: 0,
            left: accesses,
        }
    }
}

impl AccessSource for Stream {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number in [0, 1) times the size of a table"
    )]
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        chunk.clear();
        let count = self.left.min(CHUNK_ACCESSES);
        self.left -= count;
        for _ in 0..count {
            let target = self.random.unit();
            let guide = (target * GUIDES as f64) as usize;
            let (from, to) = (self.guides[guide] as usize, self.guides[guide + 1] as usize);
            let within = self.cumulative[from..=to].partition_point(|&weight| weight <= target);
            let number = &mut self.numbers[(from + within).min(SOAK_PAGES - 1)];
            if *number == u32::MAX {
                *number = self.seen;
                self.seen += 1;
            }
            chunk.pages.push(*number);
            chunk
                .flags
                .push(u8::from(self.random.next().is_multiple_of(4)) * WRITE);
        }
        Ok(count > 0)
    }
}

/// Peak resident memory of this process [bytes]; 0 where the system does not tell.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Processor time of this process [s]; 0 where the system does not tell.
#[expect(clippy::cast_precision_loss, reason = "hundredths of seconds")]
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the command in parentheses: user and system time are the 12th and 13th.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

#[expect(
    clippy::disallowed_methods,
    reason = "a bench is where time is measured"
)]
#[expect(clippy::cast_precision_loss, reason = "a count of accesses")]
fn soak(accesses: usize) {
    let mut stream = Stream::new(accesses);
    let generator_bytes = peak_bytes();
    let (ram, flash) = (SOAK_PAGES as u64 / 100, SOAK_PAGES as u64 / 10);
    let (start, work) = (Instant::now(), cpu_seconds());
    let found = simulate_scheme(&mut stream, "lazy", ram, flash, &[], &mut |_| true)
        .expect("a valid replay");
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{{\"accesses\": {accesses}, \"distinct_pages\": {}, \"seconds\": {seconds:.3}, \
         \"cpu_seconds\": {:.2}, \"accesses_per_s\": {:.0}, \"peak_bytes\": {}, \"generator_bytes\": {generator_bytes}, \
         \"flash_misses\": {}}}",
        found.distinct_pages,
        cpu_seconds() - work,
        accesses as f64 / seconds,
        peak_bytes(),
        found.counters.flash_misses,
    );
}

/// Sizes of the tables that are probed [bytes]: first-, second- and third-level cache, and memory.
const PROBED_BYTES: [usize; 5] = [1 << 15, 1 << 19, 1 << 23, 1 << 24, 1 << 28];
/// Reads of a probe.
const PROBES: usize = 1 << 22;

#[expect(
    clippy::disallowed_methods,
    reason = "a bench is where time is measured"
)]
#[expect(clippy::cast_precision_loss, reason = "a count of reads")]
fn ns_each(count: usize, mut run: impl FnMut() -> u64) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        std::hint::black_box(run());
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9 / count as f64
}

/// One cycle through all entries of a table, in random order.
#[expect(
    clippy::cast_possible_truncation,
    reason = "tables of less than 2^32 entries"
)]
fn cycle(entries: usize) -> Vec<u32> {
    let mut random = Random(7);
    let mut next: Vec<u32> = (0..entries as u32).collect();
    // Sattolo's shuffle.
    for last in (1..entries).rev() {
        next.swap(last, random.next() as usize % last);
    }
    next
}

/// Reads each of which says where the next one is, and reads that are known beforehand [ns each].
#[expect(
    clippy::cast_possible_truncation,
    reason = "an index into a table of less than 2^32 entries"
)]
fn reads(bytes: usize) -> (f64, f64) {
    let table = cycle(bytes / 4);
    let mut at = 0_u32;
    let alone = ns_each(PROBES, || {
        for _ in 0..PROBES {
            at = table[at as usize];
        }
        u64::from(at)
    });
    let mut random = Random(8);
    let wanted: Vec<u32> = (0..PROBES)
        .map(|_| (random.next() % table.len() as u64) as u32)
        .collect();
    let among = ns_each(PROBES, || {
        wanted
            .iter()
            .fold(0, |mixed, &at| mixed ^ u64::from(table[at as usize]))
    });
    (alone, among)
}

/// How many times as fast two threads do twice the work.
fn two_threads() -> f64 {
    let work = || {
        let mut random = Random(9);
        (0..PROBES * 16).fold(0, |mixed, _| mixed ^ random.next())
    };
    let one = ns_each(1, work);
    let two = ns_each(1, || {
        std::thread::scope(|scope| {
            let other = scope.spawn(work);
            work() ^ other.join().expect("no panic")
        })
    });
    2.0 * one / two
}

/// Steps of the chain that tells a clock cycle.
const STEPS: u64 = 1 << 26;
/// Cycles of a step: a multiplication takes 3 and an exclusive or 1, and neither can begin before the other.
/// True of x86-64 since 2008; elsewhere the figure is that of a machine on which it were.
const CYCLES_OF_A_STEP: f64 = 4.0;

/// Clock of the processor while it works [GHz].
fn clock_ghz() -> f64 {
    let step = ns_each(usize::try_from(STEPS).expect("64 bits"), || {
        (0..STEPS).fold(1, |at: u64, step| {
            at.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ step
        })
    });
    CYCLES_OF_A_STEP / step
}

/// Does one thing with a canonical trace and prints one line of JSON.
fn once(path: &str, what: &[String]) {
    let mut source = open_source(&TraceSpec::new(path)).expect("a canonical trace");
    let number = |text: &str| text.parse::<u64>().expect("a number of pages");
    let what: Vec<&str> = what.iter().map(String::as_str).collect();
    let all = &mut |_| true;
    let counted = match what[..] {
        ["decode"] => {
            let mut chunk = Chunk::default();
            let mut accesses = 0;
            while source.next_chunk(&mut chunk).expect("a sound trace") {
                accesses += chunk.len() as u64;
            }
            accesses
        }
        ["policy", name, pages] => {
            simulate_policy(&mut source, name, number(pages), &[], all)
                .expect("a valid replay")
                .accesses
        }
        ["scheme", name, ram, flash] => {
            simulate_scheme(&mut source, name, number(ram), number(flash), &[], all)
                .expect("a valid replay")
                .accesses
        }
        ["curves"] => curves(&mut source, all).expect("a valid pass").accesses,
        ["sampled", rate] => {
            let sample = Sample::Rate(rate.parse().expect("a rate"));
            sampled_curves(&mut source, sample, 0, all)
                .expect("a valid pass")
                .accesses
        }
        _ => panic!("no such thing to do: {what:?}"),
    };
    println!("{{\"accesses\": {counted}}}");
}

#[expect(clippy::cast_precision_loss, reason = "counts of bytes")]
fn probe(path: &str) {
    let (alone, among): (Vec<f64>, Vec<f64>) = PROBED_BYTES.into_iter().map(reads).unzip();
    let words = vec![1_u64; PROBED_BYTES[4] / 8];
    let word = ns_each(words.len(), || {
        words
            .iter()
            .fold(0, |sum: u64, word| sum.wrapping_add(*word))
    });
    let spec = TraceSpec::new(path);
    let mut accesses = 0;
    let decode = ns_each(1, || {
        let mut source = open_source(&spec).expect("a canonical trace");
        let mut chunk = Chunk::default();
        accesses = 0;
        while source.next_chunk(&mut chunk).expect("a sound trace") {
            accesses += chunk.len();
        }
        accesses as u64
    });
    println!(
        "{{\"table_bytes\": {PROBED_BYTES:?}, \"read_alone_ns\": {alone:.3?}, \
         \"read_among_others_ns\": {among:.3?}, \"sequential_gb_per_s\": {:.2}, \
         \"two_threads\": {:.3}, \"decode_ns_per_access\": {:.3}, \
         \"clock_ghz\": {:.3}}}",
        8.0 / word,
        two_threads(),
        decode / accesses as f64,
        clock_ghz(),
    );
}

#[expect(
    clippy::disallowed_methods,
    reason = "a bench is where time is measured"
)]
#[expect(clippy::cast_precision_loss, reason = "a count of accesses")]
fn measure(name: &str, only: &[String], trace: &mut Trace, run: impl Fn(&mut Trace) -> u64) {
    if !only.is_empty() && !only.iter().any(|part| name.contains(part.as_str())) {
        return;
    }
    let mut best = f64::INFINITY;
    let mut figure = 0;
    for _ in 0..ROUNDS {
        trace.next = 0;
        let start = Instant::now();
        figure = run(trace);
        best = best.min(start.elapsed().as_secs_f64());
    }
    let speed = ACCESSES as f64 / best / 1e6;
    println!("{name:32} {speed:7.1} M accesses/s   ({figure} counted)");
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --all-targets` starts benches too, without this flag.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    arguments.retain(|argument| argument != "--bench");
    if let [flag, accesses] = &arguments[..]
        && flag == "--soak"
    {
        soak(accesses.parse().expect("a number of accesses"));
        return;
    }
    if let [flag, path] = &arguments[..]
        && flag == "--probe"
    {
        probe(path);
        return;
    }
    if let [flag, path, what @ ..] = &arguments[..]
        && flag == "--once"
    {
        once(path, what);
        return;
    }
    let mut trace = zipf();
    for percent in [1, 10] {
        let pages = (PAGES / 100 * percent) as u64;
        for about in policies() {
            let name = format!("{} {percent} %", about.name);
            measure(&name, &arguments, &mut trace, |mut trace| {
                simulate_policy(&mut trace, about.name, pages, &[], &mut |_| true)
                    .expect("a valid replay")
                    .misses
            });
        }
        // What the choice of a policy at run time costs: `none` does what one cache does.
        for policy in ["sieve", "arc", "lirs"] {
            let name = format!("none of {policy} {percent} %");
            let options = [("ram_policy".to_owned(), policy.to_owned())];
            measure(&name, &arguments, &mut trace, |mut trace| {
                simulate_scheme(&mut trace, "none", pages, 0, &options, &mut |_| true)
                    .expect("a valid replay")
                    .counters
                    .flash_misses
            });
        }
        for about in schemes() {
            let name = format!("{} {percent} % + 6x", about.name);
            measure(&name, &arguments, &mut trace, |mut trace| {
                simulate_scheme(&mut trace, about.name, pages, 6 * pages, &[], &mut |_| true)
                    .expect("a valid replay")
                    .counters
                    .flash_misses
            });
        }
    }
    measure("curves 2 threads", &arguments, &mut trace, |mut trace| {
        curves_on_threads(&mut trace, 2, &mut |_| true)
            .expect("a valid pass")
            .misses[PAGES / 100 - 1]
    });
    for percent in [1, 10] {
        let name = format!("curves sampled {percent} %");
        measure(&name, &arguments, &mut trace, |mut trace| {
            let rate = Sample::Rate(f64::from(percent) / 100.0);
            sampled_curves(&mut trace, rate, 0, &mut |_| true)
                .expect("a valid pass")
                .sampled_accesses
        });
    }
    for timed in [false, true] {
        let name = if timed {
            "summaries with times"
        } else {
            "summaries"
        };
        measure(name, &arguments, &mut trace, |trace| {
            let mut source = Whole { trace, timed };
            let wanted = Wanted {
                requests_of_accesses: false,
                by_device: false,
            };
            summaries(&mut source, wanted, &mut |_| true)
                .expect("a valid pass")
                .windows
                .distinct_pages[0]
        });
    }
    measure("curves", &arguments, &mut trace, |mut trace| {
        curves(&mut trace, &mut |_| true)
            .expect("a valid pass")
            .misses[PAGES / 100 - 1]
    });
}
