//! The device against a slow obvious one, which keeps sets of pages and searches all blocks.

use proptest::prelude::*;

use super::*;
use crate::random::Random;

/// A block of the slow device: the logical pages written to it, in order, and which are valid.
#[derive(Debug, Clone, Default)]
struct SlowBlock {
    slots: Vec<(u32, bool)>,
    stream: usize,
    changed: u64,
    /// Order of the last change, so that equal times have one.
    order: u64,
    erases: u32,
}

impl SlowBlock {
    fn valid(&self) -> usize {
        self.slots.iter().filter(|slot| slot.1).count()
    }
}

/// A device that does everything by search.
struct Slow {
    settings: Settings,
    blocks: Vec<SlowBlock>,
    free: Vec<usize>,
    open: Vec<Option<usize>>,
    closed: Vec<usize>,
    random: Random,
    now: u64,
    order: u64,
    host_writes: u64,
    moved: u64,
    erases: u64,
}

impl Slow {
    fn new(settings: Settings) -> Self {
        let blocks = settings.blocks as usize;
        Self {
            settings,
            blocks: vec![SlowBlock::default(); blocks],
            free: (0..blocks).collect(),
            open: vec![None; settings.streams as usize + 1],
            closed: Vec::new(),
            random: Random(settings.seed),
            now: 0,
            order: 0,
            host_writes: 0,
            moved: 0,
            erases: 0,
        }
    }

    fn invalidate(&mut self, page: u32) {
        for block in &mut self.blocks {
            for slot in &mut block.slots {
                if *slot == (page, true) {
                    slot.1 = false;
                    block.changed = self.now;
                    self.order += 1;
                    block.order = self.order;
                }
            }
        }
    }

    fn is_full(&self, stream: usize) -> bool {
        self.open[stream].is_none_or(|block| {
            self.blocks[block].slots.len() == self.settings.block_pages as usize
        })
    }

    fn open_next(&mut self, stream: usize) {
        if let Some(block) = self.open[stream] {
            self.order += 1;
            self.blocks[block].order = self.order;
            self.blocks[block].changed = self.now;
            self.closed.push(block);
        }
        let block = self.free.remove(0);
        self.blocks[block].stream = stream;
        self.open[stream] = Some(block);
    }

    fn append(&mut self, page: u32, stream: usize) {
        let block = self.open[stream].unwrap();
        self.blocks[block].slots.push((page, true));
    }

    fn write(&mut self, page: u32, stream: u32) {
        self.now += 1;
        self.host_writes += 1;
        self.invalidate(page);
        let stream = stream as usize;
        while self.is_full(stream) {
            self.open_next(stream);
            while self.free.len() < self.settings.reserve as usize {
                self.collect();
            }
        }
        self.append(page, stream);
    }

    /// Index among the closed blocks.
    fn victim(&mut self) -> usize {
        let of = |at: usize, slow: &Self| slow.blocks[slow.closed[at]].valid();
        let all = 0..self.closed.len();
        match self.settings.collection {
            Collection::Greedy => all
                .min_by_key(|&at| (of(at, self), self.blocks[self.closed[at]].order))
                .unwrap(),
            Collection::Fifo => 0,
            Collection::Random | Collection::Choices(_) => {
                let draws = match self.settings.collection {
                    Collection::Choices(draws) => draws,
                    _ => 1,
                };
                let count = self.closed.len() as u64;
                let drawn: Vec<usize> = (0..draws)
                    .map(|_| usize::try_from(self.random.below(count)).unwrap())
                    .collect();
                drawn.into_iter().min_by_key(|&at| of(at, self)).unwrap()
            }
            Collection::CostBenefit => {
                let pages = self.settings.block_pages as usize;
                #[expect(clippy::cast_precision_loss, reason = "small numbers")]
                let benefit = |at: usize| {
                    let valid = of(at, self);
                    let age = self.now - self.blocks[self.closed[at]].changed + 1;
                    if valid == pages {
                        -1.0
                    } else {
                        age as f64 * (pages - valid) as f64 / (2 * valid) as f64
                    }
                };
                // Of equal ones the emptiest, and of those the one longest unmodified.
                let key = |at: usize| (of(at, self), self.blocks[self.closed[at]].order);
                all.max_by(|&one, &other| {
                    let (a, b) = (benefit(one), benefit(other));
                    let apart = (a - b).abs() > 1e-12 * a.abs().max(b.abs());
                    let empty = of(one, self) == 0 && of(other, self) == 0;
                    if apart && !empty {
                        a.total_cmp(&b)
                    } else {
                        key(other).cmp(&key(one))
                    }
                })
                .unwrap()
            }
        }
    }

    fn collect(&mut self) {
        let at = self.victim();
        // An array from which a block is taken closes up in one of two ways.
        let victim = match self.settings.collection {
            Collection::Random | Collection::Choices(_) => self.closed.swap_remove(at),
            _ => self.closed.remove(at),
        };
        let stream = match self.settings.copies {
            Copies::Stream => self.blocks[victim].stream,
            Copies::Apart => self.settings.streams as usize,
        };
        let slots = std::mem::take(&mut self.blocks[victim].slots);
        for (page, valid) in slots {
            if valid {
                if self.is_full(stream) {
                    self.open_next(stream);
                }
                self.append(page, stream);
                self.moved += 1;
            }
        }
        self.blocks[victim].erases += 1;
        self.erases += 1;
        self.free.push(victim);
    }

    fn contents(&self) -> Vec<Vec<u32>> {
        let valid = |block: &SlowBlock| {
            let slots = block.slots.iter().filter(|slot| slot.1);
            slots.map(|slot| slot.0).collect()
        };
        self.blocks.iter().map(valid).collect()
    }
}

fn settings() -> impl Strategy<Value = Settings> {
    let collection = prop_oneof![
        Just(Collection::Greedy),
        Just(Collection::Fifo),
        Just(Collection::Random),
        (1_u32..5).prop_map(Collection::Choices),
        Just(Collection::CostBenefit),
    ];
    let device = (1_u32..10, 2_u32..4, 1_u32..4, any::<bool>(), 1_u32..12);
    (device, collection, any::<u64>(), 1_u32..40).prop_map(
        |((block_pages, reserve, streams, apart, more), collection, seed, less)| {
            let held = reserve - 1 + streams + u32::from(apart);
            let most = more * block_pages;
            Settings {
                // At least a page to spare, at most half of them.
                logical_pages: (most - 1).saturating_sub(less % (most / 2).max(1)).max(1),
                // One block more than what cannot be collected.
                blocks: held + more + u32::from(most == 1),
                block_pages,
                collection,
                streams,
                copies: if apart { Copies::Apart } else { Copies::Stream },
                reserve,
                seed,
                buffer_pages: 0,
                mapping: Mapping::Page,
            }
        },
    )
}

/// A device, and requests for it.
fn served() -> impl Strategy<Value = (Settings, Vec<Request>)> {
    settings().prop_flat_map(|settings| {
        let request = (
            0..settings.logical_pages,
            prop_oneof![4 => Just(Op::Write), 1 => Just(Op::Trim)],
            0..settings.streams,
        );
        let request = request.prop_map(|(page, op, stream)| Request { page, op, stream });
        (Just(settings), prop::collection::vec(request, 0..400))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn it_does_what_a_slow_device_does((settings, requests) in served()) {
        let mut fast = Ftl::new(settings).unwrap();
        let mut slow = Slow::new(settings);
        fast.serve(requests.iter().copied()).unwrap();
        for request in &requests {
            match request.op {
                Op::Write => slow.write(request.page, request.stream),
                Op::Trim => slow.invalidate(request.page),
            }
        }
        let found = fast.result();
        prop_assert_eq!(
            (found.host_writes, found.moved, found.erases),
            (slow.host_writes, slow.moved, slow.erases)
        );
        prop_assert_eq!(fast.contents(), slow.contents());
        let worn = slow.blocks.iter().map(|block| block.erases);
        prop_assert_eq!(Some(found.wear.most), worn.clone().max());
        prop_assert_eq!(Some(found.wear.least), worn.min());
    }

    #[test]
    fn a_buffer_holds_the_pages_written_last((settings, requests) in served(), size in 1_u32..6) {
        let buffer_pages = size.min(settings.logical_pages - 1);
        prop_assume!(buffer_pages > 0);
        let mut fast = Ftl::new(Settings { buffer_pages, ..settings }).unwrap();
        fast.serve(requests.iter().copied()).unwrap();
        // The same pages in a list, the one written longest ago first.
        let mut slow = Slow::new(settings);
        let mut held: Vec<(u32, u32)> = Vec::new();
        let (mut host_writes, mut absorbed) = (0, 0);
        for &Request { page, op, stream } in &requests {
            let at = held.iter().position(|&(other, _)| other == page);
            match (op, at) {
                (Op::Write, _) => {
                    host_writes += 1;
                    if let Some(at) = at {
                        absorbed += 1;
                        held.remove(at);
                    } else {
                        slow.invalidate(page);
                        if held.len() == buffer_pages as usize {
                            let (oldest, stream) = held.remove(0);
                            slow.write(oldest, stream);
                        }
                    }
                    held.push((page, stream));
                }
                (Op::Trim, Some(at)) => {
                    absorbed += 1;
                    held.remove(at);
                }
                (Op::Trim, None) => slow.invalidate(page),
            }
        }
        let found = fast.result();
        prop_assert_eq!(
            (found.host_writes, found.absorbed, found.moved, found.erases),
            (host_writes, absorbed, slow.moved, slow.erases)
        );
        prop_assert_eq!(fast.contents(), slow.contents());
        // Each write of the host went to flash, was absorbed, or is in the buffer.
        let to_flash: u64 = found.streams.iter().map(|stream| stream.host_writes).sum();
        prop_assert_eq!(found.host_writes, to_flash + found.absorbed + held.len() as u64);
        let on_flash: usize = slow.contents().iter().map(Vec::len).sum();
        prop_assert_eq!(found.used_pages, (on_flash + held.len()) as u64);
    }

    #[test]
    fn no_page_is_lost_or_kept_twice((settings, requests) in served()) {
        let mut ftl = Ftl::new(settings).unwrap();
        ftl.serve(requests.iter().copied()).unwrap();
        let mut used = vec![false; settings.logical_pages as usize];
        for request in &requests {
            used[request.page as usize] = request.op == Op::Write;
        }
        let mut copies = vec![0; settings.logical_pages as usize];
        for (block, pages) in (0..).zip(ftl.contents()) {
            for page in pages {
                copies[page as usize] += 1;
                prop_assert_eq!(ftl.block_of(page), Some(block));
            }
        }
        for (page, (used, copies)) in (0..).zip(used.iter().zip(&copies)) {
            prop_assert_eq!(u32::from(*used), *copies);
            prop_assert_eq!(ftl.block_of(page).is_some(), *used);
        }
        // Written pages are valid, invalid or erased: erases free what was written, and no more.
        let found = ftl.result();
        let written = found.host_writes + found.moved;
        let pages = u64::from(settings.block_pages);
        prop_assert!(found.erases * pages <= written);
        prop_assert!(written <= (found.erases + u64::from(settings.blocks)) * pages);
        prop_assert_eq!(found.used_pages, copies.iter().map(|&count| u64::from(count)).sum::<u64>());
    }
}

fn uniform(settings: Settings, trim_share: f64, overwrites: u64) -> FtlResult {
    let part = Part {
        pages: settings.logical_pages,
        write_share: 1.0,
        order: Order::Uniform,
        stream: 0,
        run_pages: 1,
    };
    let requests = overwrites * u64::from(settings.logical_pages);
    let workload = Synthetic {
        parts: vec![part],
        trim_share,
        warm_up: requests,
        requests,
        seed: 7,
    };
    simulate(settings, &workload, &mut |_| true).unwrap()
}

#[test]
fn a_device_written_in_order_copies_nothing() {
    let settings = Settings::new(1000, 30, 50, Collection::Greedy);
    let mut ftl = Ftl::new(settings).unwrap();
    let write = |page| Request {
        page,
        op: Op::Write,
        stream: 0,
    };
    ftl.serve((0..10_000).map(|write_| write(write_ % 1000)))
        .unwrap();
    let found = ftl.result();
    assert_eq!((found.moved, found.waf), (0, Some(1.0)));
    // 10,000 pages are 200 blocks; 28 of the 30 hold them between collections.
    assert_eq!(found.erases, 200 + 2 - 30);
    ftl.restart_counters();
    let found = ftl.result();
    assert_eq!(
        (found.host_writes, found.waf, found.wear.most),
        (0, None, 0)
    );
}

#[test]
fn random_victims_have_the_waf_of_the_closed_form() {
    // (1 + spare) / spare, with the two blocks held back subtracted.
    let settings = Settings::new(8000, 203, 50, Collection::Random);
    let spare = f64::from(201 * 50) / 8000.0 - 1.0;
    let waf = uniform(settings, 0.0, 12).waf.unwrap();
    assert!((waf / ((1.0 + spare) / spare) - 1.0).abs() < 0.01, "{waf}");
}

#[test]
fn trims_reduce_copies() {
    let settings = Settings::new(8000, 203, 50, Collection::Greedy);
    let (plain, trimmed) = (uniform(settings, 0.0, 6), uniform(settings, 0.2, 6));
    assert!(trimmed.waf.unwrap() < plain.waf.unwrap() - 0.5);
    assert!(trimmed.trims > 0 && plain.trims == 0);
    // (1 - 2q) / (1 - q) of the pages stay in use.
    assert!(
        (5900..6100).contains(&trimmed.used_pages),
        "{}",
        trimmed.used_pages
    );
    assert_eq!(plain.used_pages, 8000);
}

#[test]
fn a_buffer_absorbs_its_share_of_uniform_writes_and_adds_to_the_spare() {
    let settings = Settings {
        buffer_pages: 2000,
        ..Settings::new(8000, 203, 50, Collection::Random)
    };
    let found = uniform(settings, 0.0, 12);
    // A quarter of the pages are in the buffer, and so is the page of every fourth write.
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let share = found.absorbed as f64 / found.host_writes as f64;
    assert!((share - 0.25).abs() < 0.005, "{share}");
    // Flash holds the other 6,000 pages: (1 + spare) / spare for each page that it gets.
    let spare = f64::from(201 * 50) / 6000.0 - 1.0;
    let expected = 0.75 * (1.0 + spare) / spare;
    let waf = found.waf.unwrap();
    assert!((waf / expected - 1.0).abs() < 0.01, "{waf} and {expected}");
    assert_eq!(found.used_pages, 8000);
}

#[test]
fn what_cannot_work_is_refused_with_its_place() {
    let good = Settings::new(1000, 30, 50, Collection::Greedy);
    let refused = |settings: Settings| Ftl::new(settings).unwrap_err().to_string();
    let full = Settings {
        logical_pages: 1400,
        ..good
    };
    assert_eq!(
        refused(full),
        "spare `30 blocks of 50 pages for 1,400 logical pages`: leaves no room to collect with 2 blocks free or open"
    );
    assert!(
        Ftl::new(Settings {
            logical_pages: 1399,
            ..good
        })
        .is_ok()
    );
    assert!(
        refused(Settings {
            streams: 65,
            ..good
        })
        .starts_with("streams `65`")
    );
    assert!(refused(Settings { reserve: 1, ..good }).starts_with("reserve `1`"));
    let all = Settings {
        buffer_pages: 1000,
        ..good
    };
    assert!(refused(all).starts_with("buffer-pages `1000`: is not from 0 to 999"));
    assert!(
        refused(Settings {
            blocks: u32::MAX,
            ..good
        })
        .starts_with("blocks `4294967295`")
    );
    let none = Settings {
        collection: Collection::Choices(0),
        ..good
    };
    assert!(refused(none).starts_with("choices `0`"));
    let beyond = Request {
        page: 1000,
        op: Op::Trim,
        stream: 0,
    };
    let error = Ftl::new(good).unwrap().serve([beyond]).unwrap_err();
    assert_eq!(error.to_string(), "page `1000`: is not below 1000");
    let part = Part {
        pages: 999,
        write_share: 1.0,
        order: Order::Uniform,
        stream: 0,
        run_pages: 1,
    };
    let workload = |part, trim_share| Synthetic {
        parts: vec![part],
        trim_share,
        warm_up: 1,
        requests: 1,
        seed: 0,
    };
    let of = |part, trim_share| {
        let found = simulate(good, &workload(part, trim_share), &mut |_| true);
        found.unwrap_err().to_string()
    };
    assert_eq!(
        of(part, 0.0),
        "pages `999`: are in parts, of 1000 logical pages"
    );
    let part = Part {
        pages: 1000,
        ..part
    };
    assert!(of(part, 0.5).starts_with("trim-share `0.5`"));
    assert!(
        of(
            Part {
                write_share: 0.5,
                ..part
            },
            0.0
        )
        .starts_with("write-share `0.5`")
    );
    assert!(of(Part { stream: 1, ..part }, 0.0).starts_with("stream `1`"));
    let order = Order::Zipf { exponent: f64::NAN };
    assert!(of(Part { order, ..part }, 0.0).starts_with("exponent `NaN`"));
    let long = Synthetic {
        requests: 1 << 22,
        ..workload(part, 0.0)
    };
    assert!(matches!(
        simulate(good, &long, &mut |_| false),
        Err(Error::Cancelled)
    ));
}

#[test]
fn a_log_in_a_stream_of_its_own_is_never_copied() {
    // 20 blocks of log, written a block at once, and 20 of random writes, on 46 blocks.
    let settings = Settings {
        streams: 2,
        ..Settings::new(40 * 16, 46, 16, Collection::Greedy)
    };
    let part = |order, stream, run_pages| Part {
        pages: 320,
        write_share: 0.5,
        order,
        stream,
        run_pages,
    };
    let run = |settings, run_pages| {
        let workload = Synthetic {
            parts: vec![
                part(Order::Sequential, 0, run_pages),
                part(Order::Uniform, settings_stream(settings), 1),
            ],
            trim_share: 0.0,
            warm_up: 20_000,
            requests: 100_000,
            seed: 3,
        };
        simulate(settings, &workload, &mut |_| true).unwrap()
    };
    let apart = run(settings, 16);
    assert_eq!(apart.streams[0].moved, 0);
    assert!(apart.streams[1].moved > 0);
    assert!((48_000..52_000).contains(&apart.streams[0].host_writes));
    // Page by page a block of the log is collected before it is overwritten.
    assert!(run(settings, 1).streams[0].moved > 1000);
    let mixed = Settings {
        streams: 1,
        ..settings
    };
    assert!(run(mixed, 16).moved > apart.moved);
}

fn settings_stream(settings: Settings) -> u32 {
    settings.streams - 1
}
