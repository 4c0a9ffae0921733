//! Speed of the flash device on one thread: `cargo bench --bench ftl [-- LOG2_PAGES...]`.
//!
//! Uniform random overwrites of a full device with blocks of 256 pages and greedy collection, at spare
//! 0.28 and 0.07. The device is filled and overwritten once before the time is taken over another
//! overwrite, or two: processor time, since other work slows a shared machine. Prints one line of JSON per run, best of three (above 2^24 pages: once).
#![expect(clippy::print_stdout, reason = "a bench prints its result")]

use tierwright_simulator::ftl::{
    Collection, FtlResult, Order, Part, Settings, Synthetic, simulate,
};
use tierwright_simulator::progress::Progress;

const BLOCK_PAGES: u32 = 256;
const SPARES: [f64; 2] = [0.28, 0.07];
const ROUNDS: usize = 3;
/// Binary digits of the pages of a device that is measured once.
const LARGE: u32 = 24;

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

/// Host writes per second once the device is steady, and what it counted.
fn timed(settings: Settings, workload: &Synthetic) -> (f64, FtlResult) {
    let mut begun = None;
    let mut whole = |progress: Progress| {
        if begun.is_none() && progress.done >= workload.warm_up {
            begun = Some((cpu_seconds(), progress.done));
        }
        true
    };
    let found = simulate(settings, workload, &mut whole).expect("a device that works");
    let (start, from) = begun.expect("a report between");
    let writes = workload.warm_up + workload.requests - from;
    #[expect(clippy::cast_precision_loss, reason = "a count of writes")]
    let rate = writes as f64 / (cpu_seconds() - start);
    (rate, found)
}

fn main() {
    let given: Vec<u32> = std::env::args()
        .filter_map(|word| word.parse().ok())
        .collect();
    let sizes = if given.is_empty() { vec![22] } else { given };
    for log2_pages in sizes {
        for spare in SPARES {
            let pages = 1_u32 << log2_pages;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "far below 2^32"
            )]
            let blocks = (f64::from(pages) * (1.0 + spare) / f64::from(BLOCK_PAGES)).ceil() as u32;
            let settings = Settings::new(pages, blocks, BLOCK_PAGES, Collection::Greedy);
            let writes = u64::from(pages).max(1 << 24);
            let workload = Synthetic {
                parts: vec![Part {
                    pages,
                    write_share: 1.0,
                    order: Order::Uniform,
                    stream: 0,
                    run_pages: 1,
                }],
                trim_share: 0.0,
                warm_up: writes,
                requests: writes,
                seed: 1,
            };
            let rounds = if log2_pages > LARGE { 1 } else { ROUNDS };
            let (rate, found) = (0..rounds)
                .map(|_| timed(settings, &workload))
                .max_by(|one, other| one.0.total_cmp(&other.0))
                .expect("a round");
            println!(
                "{{\"pages\": {pages}, \"spare\": {spare}, \"block_pages\": {BLOCK_PAGES}, \
                 \"host_writes_per_s\": {rate:.0}, \"waf\": {:.4}}}",
                found.waf.unwrap_or(f64::NAN)
            );
        }
    }
}
