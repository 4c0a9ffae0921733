//! The flash device under page-flow schemes, against lists of pages and frames that are searched.

use proptest::prelude::*;
use tierwright_simulator::access::MemorySource;
use tierwright_simulator::error::Result;
use tierwright_simulator::ftl::{Collection, Ftl, FtlResult, Op, Request, Settings};
use tierwright_simulator::replay::{SchemeResult, simulate_scheme};

#[path = "replay_slow/directory.rs"]
mod directory;

use directory::Directory;

type Access = (u64, bool);

fn run(
    accesses: &[Access],
    scheme: &str,
    (ram, flash): (u64, u64),
    options: &[(&str, &str)],
) -> Result<SchemeResult> {
    let options: Vec<(String, String)> = options
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let mut source = MemorySource::new(accesses.iter().copied()).with_chunk_accesses(7);
    simulate_scheme(&mut source, scheme, ram, flash, &options, &mut |_| true)
}

/// Flash as it lies on the device: its pages in LRU order, and a page in each frame.
struct Flash {
    lru: Vec<u64>,
    frames: Vec<Option<u64>>,
    /// Frames that were given up, in this order.
    given_up: Vec<usize>,
    written: Vec<usize>,
    directory: Option<Directory>,
}

impl Flash {
    fn drop(&mut self, page: u64) {
        self.lru.retain(|&held| held != page);
        let frame = self.frames.iter().position(|&held| held == Some(page));
        let frame = frame.expect("on flash");
        self.frames[frame] = None;
        self.given_up.push(frame);
    }

    fn renew(&mut self, page: u64) {
        self.lru.retain(|&held| held != page);
        self.lru.push(page);
    }

    /// Writes a page that is on flash in its place, and another one to the frame given up last.
    fn write(&mut self, page: u64) {
        let frame = self.frames.iter().position(|&held| held == Some(page));
        let frame = frame.unwrap_or_else(|| {
            let never = self.frames.len();
            let frame = self.given_up.pop().unwrap_or(never);
            if frame == never {
                self.frames.push(None);
            }
            frame
        });
        self.frames[frame] = Some(page);
        self.written.push(frame);
    }

    fn make_room(&mut self, capacity: usize, except: &[u64]) {
        if self.lru.len() == capacity {
            let victim = self.lru.iter().find(|page| !except.contains(page));
            let victim = *victim.expect("a page that may leave");
            self.drop(victim);
            self.ask(victim, true);
        }
    }

    /// Reads the entry of a page in the directory, or writes it.
    fn ask(&mut self, page: u64, update: bool) {
        let directory = self.directory.as_mut();
        let written = directory.and_then(|directory| directory.ask(page, update));
        let place = |page| usize::try_from(page).expect("a page of the device");
        self.written.extend(written.map(place));
    }
}

/// The frames that a scheme with LRU in both tiers writes, one after the other.
fn writes(
    accesses: &[Access],
    scheme: &str,
    (ram, capacity): (usize, usize),
    directory: Option<Directory>,
) -> Vec<usize> {
    let mut dram: Vec<(u64, bool)> = Vec::new();
    let mut flash = Flash {
        lru: Vec::new(),
        frames: Vec::new(),
        given_up: Vec::new(),
        written: Vec::new(),
        directory,
    };
    for &(page, write) in accesses {
        if let Some(directory) = &mut flash.directory {
            directory.see(page);
        }
        if let Some(at) = dram.iter().position(|&(held, _)| held == page) {
            let (_, dirty) = dram.remove(at);
            dram.push((page, dirty | write));
            if scheme == "inclusive_global" {
                flash.renew(page);
            }
            continue;
        }
        let found = flash.lru.contains(&page);
        flash.ask(page, false);
        // What is dirty in RAM under the exclusive scheme decides no flash write.
        if found && scheme == "exclusive" {
            flash.drop(page);
        } else if found && scheme == "lazy" {
            flash.renew(page);
            flash.ask(page, true);
        }
        let victim = (dram.len() == ram).then(|| dram.remove(0));
        match (scheme, victim) {
            ("exclusive" | "lazy", Some((victim, dirty))) => {
                if scheme == "lazy" {
                    flash.ask(victim, false);
                }
                if !flash.lru.contains(&victim) {
                    flash.make_room(capacity, &[]);
                    flash.renew(victim);
                    flash.write(victim);
                    flash.ask(victim, true);
                } else if dirty {
                    flash.renew(victim);
                    flash.write(victim);
                    flash.ask(victim, true);
                }
            }
            ("inclusive", Some((victim, true))) => {
                flash.renew(victim);
                flash.write(victim);
                flash.ask(victim, true);
            }
            ("inclusive_global", Some((victim, true))) => {
                flash.write(victim);
                flash.ask(victim, true);
            }
            _ => {}
        }
        if scheme.starts_with("inclusive") {
            if !found {
                let in_ram: Vec<u64> = dram.iter().map(|&(page, _)| page).collect();
                flash.make_room(capacity, &in_ram);
                flash.write(page);
            }
            flash.ask(page, true);
            flash.renew(page);
        }
        dram.push((page, write));
    }
    flash.written
}

fn served(frames: &[usize], settings: Settings) -> FtlResult {
    let mut ftl = Ftl::new(settings).expect("a device that can work");
    let requests = frames.iter().map(|&frame| Request {
        page: u32::try_from(frame).expect("a frame"),
        op: Op::Write,
        stream: 0,
    });
    ftl.serve(requests).expect("frames of the device");
    ftl.result()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_device_serves_what_the_scheme_writes_in_its_frames(
        accesses in prop::collection::vec((0_u64..60, any::<bool>()), 0..400),
        ram in 1_usize..8,
        more in 1_usize..25,
        spare in prop::sample::select(vec![("100", 2_u32), ("60", 1)]),
        fifo in any::<bool>(),
        kept in prop::option::of((1_u32..20, 1_usize..6)),
    ) {
        let kept = kept.map(|(pages, buffered)| (pages, buffered.min(pages as usize)));
        let flash = ram + more + 10;
        let (percent, factor) = spare;
        let pages = u32::try_from(flash).expect("small") + kept.map_or(0, |(pages, _)| pages);
        let physical = if factor == 2 { pages * 2 } else { (pages * 160).div_ceil(100) };
        let rule = if fifo { Collection::Fifo } else { Collection::Greedy };
        let settings = Settings::new(pages, physical.div_ceil(2), 2, rule);
        let gc = if fifo { "fifo" } else { "greedy" };
        let device = [("ftl_spare_percent", percent), ("ftl_block_pages", "2"), ("ftl_gc", gc)];
        let on_flash = kept.map(|(pages, buffered)| (pages.to_string(), buffered.to_string()));
        let on_flash: Vec<_> = on_flash.iter().flat_map(|(pages, buffered)| {
            [("directory_pages", pages.as_str()), ("directory_buffer_pages", buffered.as_str())]
        }).collect();
        for scheme in ["exclusive", "lazy", "inclusive", "inclusive_global"] {
            let sizes = (ram as u64, flash as u64);
            let options = [&device[..], &on_flash].concat();
            let found = run(&accesses, scheme, sizes, &options).expect("possible");
            let directory = kept.map(|(pages, buffered)| {
                Directory::new(pages.into(), buffered, flash as u64)
            });
            let written = writes(&accesses, scheme, (ram, flash), directory);
            let ftl = found.ftl.clone().expect("a device was asked for");
            let of_directory = written.iter().filter(|&&page| page >= flash).count() as u64;
            let expected = FtlResult {
                metadata_pages: kept.map(|(pages, _)| pages),
                metadata_writes: kept.map(|_| of_directory),
                metadata_layout: ftl.metadata_layout,
                ..served(&written, settings)
            };
            prop_assert_eq!(&*ftl, &expected, "{}", scheme);
            prop_assert_eq!(ftl.metadata_layout.is_some(), kept.is_some());
            prop_assert_eq!(ftl.host_writes, found.counters.flash_writes() + of_directory);
            let counted = found.directory.as_ref().map_or(0, |directory| directory.writes);
            prop_assert_eq!(counted, of_directory);
            // Nothing else depends on it.
            let bare = run(&accesses, scheme, sizes, &on_flash).expect("possible");
            prop_assert_eq!(SchemeResult { ftl: None, ..found }, bare);
        }
    }
}

#[test]
fn a_page_that_comes_takes_the_frame_that_became_free() {
    // 1 and 2 come to flash; 1 is read from there and 3 takes its frame; 4 takes that of 2.
    let accesses: Vec<Access> = [1, 2, 3, 1, 4, 5].map(|page| (page, false)).to_vec();
    assert_eq!(
        writes(&accesses, "exclusive", (1, 2), None),
        [0, 1, 0, 1, 0]
    );
}

#[test]
fn a_directory_lies_behind_the_data_and_is_not_written_to_zones() {
    let accesses: Vec<Access> = (0..4000_u64)
        .map(|n| (n * n % 997 % 150, n % 3 == 0))
        .collect();
    let device = [
        ("ftl_spare_percent", "50"),
        ("ftl_block_pages", "4"),
        ("directory_pages", "10"),
        ("directory_buffer_pages", "3"),
    ];
    let found = run(&accesses, "lazy", (10, 60), &device).expect("possible");
    let ftl = found.ftl.expect("a device");
    let kept = found.directory.expect("on flash");
    assert_eq!(ftl.metadata_pages, Some(10));
    assert_eq!(ftl.metadata_writes, Some(kept.writes));
    assert!(kept.writes > 0);
    let words = ftl.metadata_layout.expect("stated");
    assert!(words.contains("behind the data"), "{words}");
    let mut zones = device.to_vec();
    zones[0].1 = "400";
    zones.push(("ftl_mapping", "zones"));
    let error = run(&accesses, "lazy", (10, 60), &zones).expect_err("in place");
    assert!(error.to_string().contains("zone"), "{error}");
}

#[test]
fn a_warm_up_is_not_counted_and_an_admission_rule_has_a_device_too() {
    let accesses: Vec<Access> = (0..4000_u64)
        .map(|n| (n * n % 997 % 150, n % 3 == 0))
        .collect();
    let device = [("ftl_spare_percent", "50"), ("ftl_block_pages", "4")];
    let whole = run(&accesses, "lazy", (10, 60), &device).expect("possible");
    let options = device.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut source = MemorySource::new(accesses.iter().copied()).with_warm_up(2000);
    let half = simulate_scheme(&mut source, "lazy", 10, 60, &options, &mut |_| true);
    let half = half.expect("possible");
    let of = |found: &SchemeResult| found.ftl.clone().expect("a device").host_writes;
    assert_eq!(of(&half), half.counters.flash_writes());
    assert!(of(&half) < of(&whole) && of(&half) > 0);
    let mut choosy = device.to_vec();
    choosy.push(("admission", "clean_only"));
    let clean = run(&accesses, "lazy", (10, 60), &choosy).expect("possible");
    assert!(clean.counters.rejections > 0);
    assert_eq!(of(&clean), clean.counters.flash_writes());
}

#[test]
fn what_a_device_cannot_do_is_refused() {
    let accesses: Vec<Access> = vec![(1, true), (2, false)];
    let refused = |scheme, options: &[(&str, &str)]| {
        let error = run(&accesses, scheme, (2, 40), options).expect_err("impossible");
        format!("{error}; {}", error.hint())
    };
    let alone = refused("lazy", &[("ftl_gc", "fifo")]);
    assert!(
        alone.contains("has no effect without ftl_spare_percent"),
        "{alone}"
    );
    let tight = refused("inclusive", &[("ftl_spare_percent", "7")]);
    assert!(tight.contains("leaves no room to collect"), "{tight}");
    let none = refused("none", &[("ftl_spare_percent", "7")]);
    assert!(none.contains("ftl_spare_percent"), "{none}");
    // Without flash there is no device.
    let found = run(&accesses, "lazy", (2, 0), &[("ftl_spare_percent", "7")]);
    assert!(found.expect("RAM alone").ftl.is_none());
}
