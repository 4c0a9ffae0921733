//! Flash pages larger than RAM pages, against slow obvious models.

use proptest::prelude::*;
use tierwright_simulator::access::MemorySource;
use tierwright_simulator::error::Result;
use tierwright_simulator::ftl::{Collection, Ftl, FtlResult, Op, Request, Settings};
use tierwright_simulator::replay::{SchemeResult, admissions, policies, simulate_scheme};

mod replay_slow;

use replay_slow::Access;
use replay_slow::blocks::{Counted, Heard, Shape, Slow, inclusive, staged};
use replay_slow::directory::Directory;

/// Accesses with runs of neighbours, so that blocks matter.
fn accesses(longest: usize) -> impl Strategy<Value = Vec<Access>> {
    (1_u64..60, 0_u32..=4).prop_flat_map(move |(pages, write_quarters)| {
        let page = prop_oneof![0..pages, 0..pages.div_ceil(4)];
        let write = (0_u32..4).prop_map(move |draw| draw < write_quarters);
        prop::collection::vec((page, 1_u64..5, write), 0..longest / 2).prop_map(|runs| {
            let pages =
                |(page, length, write)| (page..page + length).map(move |page| (page, write));
            runs.into_iter().flat_map(pages).collect()
        })
    })
}

fn scheme(
    accesses: &[Access],
    name: &str,
    (ram, flash): (usize, usize),
    options: &[(&str, &str)],
) -> Result<SchemeResult> {
    let own = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    let options: Vec<_> = options.iter().map(own).collect();
    let mut source = MemorySource::new(accesses.iter().copied()).with_chunk_accesses(37);
    let (ram, flash) = (ram as u64, flash as u64);
    simulate_scheme(&mut source, name, ram, flash, &options, &mut |_| true)
}

fn counted(result: &SchemeResult) -> Counted {
    let counters = &result.counters;
    let blocks = result.blocks.as_ref().expect("a flash of blocks").counters;
    assert_eq!(blocks.flash_page_reads, counters.flash_hits);
    Counted {
        ram_hits: counters.ram_hits,
        flash_hits: counters.flash_hits,
        flash_misses: counters.flash_misses,
        flash_page_writes: blocks.flash_page_writes,
        flash_page_overwrites: blocks.flash_page_overwrites,
        flash_block_writes: blocks.flash_block_writes,
        frames_taken: blocks.flash_frames_taken,
        hdd_page_reads: blocks.hdd_page_reads,
        hdd_block_reads: blocks.hdd_block_reads,
        hdd_page_writes: blocks.hdd_page_writes,
        hdd_block_writes: blocks.hdd_block_writes,
        hdd_block_pages_written: blocks.hdd_block_pages_written,
        back_invalidations: blocks.ram_back_invalidations,
        lookups: counters.directory_lookups,
        updates: counters.directory_updates,
    }
}

/// What a device does that hears of some writes and, if it takes it, of TRIM.
fn device(heard: &[Heard], settings: Settings, trim: bool) -> FtlResult {
    let mut ftl = Ftl::new(settings).expect("a device that can work");
    let request = |(page, op)| Request {
        page: u32::try_from(page).expect("of the device"),
        op,
        stream: 0,
    };
    let requests = heard.iter().filter_map(|&each| match each {
        Heard::Write(page) => Some((page, Op::Write)),
        Heard::Trim(page) => trim.then_some((page, Op::Trim)),
    });
    ftl.serve(requests.map(request)).expect("of the device");
    ftl.result()
}

/// Pages that a flash of blocks wrote, single and in whole blocks.
fn pages_written(found: &SchemeResult) -> u64 {
    let blocks = found.blocks.as_ref().expect("a flash of blocks");
    let whole = blocks.counters.flash_block_writes * u64::from(blocks.block_pages);
    blocks.counters.flash_page_writes + whole
}

fn policy() -> impl Strategy<Value = &'static str> {
    let known: Vec<_> = policies().iter().map(|about| about.name).collect();
    prop_oneof![1 => Just("lru"), 1 => Just("opt"), 4 => prop::sample::select(known)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn blocks_match_their_slow_models(
        accesses in accesses(200), ram in (policy(), 1_usize..12),
        flash in (policy(), 1_usize..6), block_pages in 2_u64..6, more in 0_usize..4,
    ) {
        let pages = flash.1 * usize::try_from(block_pages).unwrap() + more % usize::try_from(block_pages).unwrap();
        let size = block_pages.to_string();
        for technique in ["overwriting", "invalidating"] {
            let shape = Shape { block_pages, invalidating: technique == "invalidating" };
            for name in ["lazy", "exclusive"] {
                for about in admissions() {
                    let options = [
                        ("ram_policy", ram.0), ("flash_policy", flash.0), ("admission", about.name),
                        ("block_pages", size.as_str()), ("block_technique", technique),
                    ];
                    let found = scheme(&accesses, name, (ram.1, pages), &options);
                    // By default every category is admitted.
                    let keeps_copies = matches!(about.name, "all" | "cachesack");
                    if !keeps_copies && technique == "overwriting" {
                        prop_assert!(found.is_err());
                        continue;
                    }
                    let found = found.unwrap();
                    let expected =
                        staged(name, about.name, &shape, &accesses, ram, (flash.0, pages), None).count;
                    prop_assert_eq!(counted(&found), expected, "{} {} {}", name, about.name, technique);
                    prop_assert_eq!(found.blocks.as_ref().unwrap().flash_blocks as usize, flash.1);
                }
            }
            let options = [
                ("ram_policy", ram.0), ("flash_policy", flash.0),
                ("block_pages", size.as_str()), ("block_technique", technique),
            ];
            let found = scheme(&accesses, "inclusive", (ram.1, pages), &options).unwrap();
            let mut assigned = options.to_vec();
            assigned.push(("admission", "cachesack"));
            let behind = scheme(&accesses, "inclusive", (ram.1, pages), &assigned).unwrap();
            prop_assert_eq!(behind.counters, found.counters);
            prop_assert_eq!(behind.blocks, found.blocks.clone());
            if ram.1 <= flash.1 * usize::try_from(block_pages).unwrap() {
                let expected = inclusive(block_pages, &accesses, ram, (flash.0, pages), None).count;
                prop_assert_eq!(counted(&found), expected, "inclusive {}", technique);
            } else {
                prop_assert_eq!(found.blocks, None);
                prop_assert_eq!(found.warnings.len(), 1);
            }
        }
    }

    /// It hears of each page that the counters call written, where its block lies, of the pages of a directory behind
    /// them, and of no other.
    #[test]
    fn a_device_hears_of_every_page_of_a_block_in_its_place(
        accesses in accesses(300), ram in (policy(), 1_usize..12), flash in (policy(), 3_usize..8),
        block_pages in 2_u64..6, more in 0_usize..2, trim in any::<bool>(), fifo in any::<bool>(),
        kept in prop::option::of((1_u32..20, 1_usize..6)),
    ) {
        let kept = kept.map(|(pages, buffered)| (pages, buffered.min(pages as usize)));
        let held = flash.1 * usize::try_from(block_pages).unwrap();
        let pages = held + more;
        let size = block_pages.to_string();
        let logical = u32::try_from(held).unwrap() + kept.map_or(0, |(pages, _)| pages);
        let directory = || {
            kept.map(|(pages, buffered)| Directory::new(pages.into(), buffered, held as u64))
        };
        let rule = if fifo { Collection::Fifo } else { Collection::Greedy };
        // Twice as many pages as flash has in whole blocks and for the directory, in erase blocks of two.
        let settings = Settings::new(logical, logical, 2, rule);
        let trims = if trim { "true" } else { "false" };
        let check = |found: &SchemeResult, slow: &Slow| {
            prop_assert_eq!(counted(found), slow.count);
            let heard = &slow.heard;
            let mut expected = device(heard, settings, trim);
            if trim {
                let without = device(heard, settings, false);
                expected.waf_without_trim = without.waf;
                expected.erases_without_trim = Some(without.erases);
            }
            let ftl = found.ftl.as_deref().expect("a device was asked for");
            expected.metadata_pages = kept.map(|(pages, _)| pages);
            expected.metadata_writes = kept.map(|_| slow.directory_writes);
            expected.metadata_layout = ftl.metadata_layout;
            prop_assert_eq!(ftl, &expected);
            prop_assert_eq!(ftl.metadata_layout.is_some(), kept.is_some());
            prop_assert_eq!(ftl.host_writes, pages_written(found) + slow.directory_writes);
            let found = found.directory.as_ref().map(|directory| directory.writes);
            prop_assert_eq!(found, kept.map(|_| slow.directory_writes));
            Ok(())
        };
        for technique in ["overwriting", "invalidating"] {
            let shape = Shape { block_pages, invalidating: technique == "invalidating" };
            let buffered = kept.map(|(pages, buffered)| (pages.to_string(), buffered.to_string()));
            let options = |rule| {
                let on_flash = buffered.iter().flat_map(|(pages, buffered)| {
                    [("directory_pages", pages.as_str()), ("directory_buffer_pages", buffered.as_str())]
                });
                on_flash.chain([
                ("ram_policy", ram.0), ("flash_policy", flash.0), ("admission", rule),
                ("block_pages", size.as_str()), ("block_technique", technique),
                ("ftl_spare_percent", "100"), ("ftl_block_pages", "2"), ("ftl_trim", trims),
                ("ftl_gc", if fifo { "fifo" } else { "greedy" }),
                ]).collect::<Vec<_>>()
            };
            for name in ["lazy", "exclusive"] {
                for about in admissions() {
                    if !matches!(about.name, "all" | "cachesack") && technique == "overwriting" {
                        continue;
                    }
                    let found = scheme(&accesses, name, (ram.1, pages), &options(about.name)).unwrap();
                    let slow = staged(
                        name, about.name, &shape, &accesses, ram, (flash.0, pages), directory(),
                    );
                    check(&found, &slow)?;
                }
            }
            if ram.1 <= held {
                let found = scheme(&accesses, "inclusive", (ram.1, pages), &options("all")).unwrap();
                let slow = inclusive(block_pages, &accesses, ram, (flash.0, pages), directory());
                check(&found, &slow)?;
            }
        }
    }

    /// Blocks whose pages are all alone in them are pages: the schemes are those without blocks.
    #[test]
    fn blocks_of_strangers_are_pages(
        accesses in accesses(200), ram in 1_usize..12, flash in 1_usize..20,
    ) {
        let apart: Vec<Access> = accesses.iter().map(|&(page, write)| (4 * page, write)).collect();
        for name in ["lazy", "exclusive"] {
            let options = [("block_pages", "4"), ("block_technique", "invalidating")];
            let found = scheme(&apart, name, (ram, 4 * flash), &options).unwrap().counters;
            let pages = scheme(&apart, name, (ram, flash), &[]).unwrap().counters;
            prop_assert_eq!(
                (found.flash_hits, found.flash_writes(), found.hdd_reads(), found.hdd_writes),
                (pages.flash_hits, pages.flash_writes(), pages.hdd_reads(), pages.hdd_writes)
            );
        }
        if flash > ram {
            let options = [("block_pages", "4")];
            let found = scheme(&apart, "inclusive", (ram, 4 * flash), &options).unwrap().counters;
            let pages = scheme(&apart, "inclusive", (ram, flash), &[]).unwrap().counters;
            prop_assert_eq!(found.flash_hits, pages.flash_hits);
            prop_assert_eq!(found.hdd_writes, pages.hdd_writes);
            prop_assert_eq!(found.directory_updates, pages.directory_updates);
        }
    }
}

/// RAM of one page, one block of two. Page 2 is written, so its block comes to flash dirty.
#[test]
fn a_victim_without_its_block_fetches_it_or_stands_alone() {
    // Misses: 2, 3 or hits it, 4; victims: 2 (dirty), 3 (clean).
    let accesses = [(2, true), (3, false), (4, false)];
    let counts = |technique| {
        let options = [("block_pages", "2"), ("block_technique", technique)];
        counted(&scheme(&accesses, "lazy", (1, 2), &options).unwrap())
    };
    let found = counts("overwriting");
    assert_eq!((found.flash_hits, found.hdd_page_reads), (0, 3));
    assert_eq!((found.hdd_block_reads, found.flash_block_writes), (1, 1));
    assert_eq!(
        (found.flash_page_writes, found.flash_page_overwrites),
        (1, 1)
    );
    let found = counts("invalidating");
    assert_eq!((found.hdd_block_reads, found.flash_block_writes), (0, 0));
    // Page 3 takes the free place beside page 2.
    assert_eq!(
        (found.flash_page_writes, found.flash_page_overwrites),
        (2, 0)
    );
    assert_eq!(found.frames_taken, 1);
}

/// A scan under the inclusive scheme: the first page of each block fetches the others.
#[test]
fn the_inclusive_scheme_prefetches_the_rest_of_a_block() {
    let accesses: Vec<Access> = (0..64).map(|page| (page, false)).collect();
    let found = scheme(&accesses, "inclusive", (2, 32), &[("block_pages", "8")]).unwrap();
    let counts = counted(&found);
    assert_eq!((counts.flash_hits, counts.flash_misses), (56, 8));
    assert_eq!((counts.hdd_block_reads, counts.flash_block_writes), (8, 8));
    assert_eq!(counts.back_invalidations, 0);
    // One block for all of RAM: a page of another block drives the pages of this one out.
    let jumps = [(0, true), (9, false), (0, false)];
    let found = scheme(&jumps, "inclusive", (2, 8), &[("block_pages", "8")]).unwrap();
    let counts = counted(&found);
    assert_eq!((counts.ram_hits, counts.back_invalidations), (0, 2));
    assert_eq!(
        (counts.hdd_block_writes, counts.hdd_block_pages_written),
        (1, 8)
    );
    assert_eq!(found.warnings[0].name, "blocks_leave_ram");
}

/// RAM of one page, one block of four on an erase block's worth of flash.
#[test]
fn a_block_lies_on_the_device_in_order_and_a_partial_one_is_written_in_part() {
    let accesses = [(6, true), (7, false), (20, false)];
    let heard = |technique, ram| {
        let shape = Shape {
            block_pages: 4,
            invalidating: technique == "invalidating",
        };
        staged(
            "lazy",
            "all",
            &shape,
            &accesses,
            ("lru", ram),
            ("lru", 4),
            None,
        )
        .heard
    };
    // The block of 6 is fetched and written, then 6 over its place; the clean 7 is there already.
    let whole = [0, 1, 2, 3, 2].map(Heard::Write);
    assert_eq!(heard("overwriting", 1), whole);
    assert_eq!(heard("invalidating", 1), [2, 3].map(Heard::Write));
}

#[test]
fn a_device_under_blocks_is_counted_behind_a_warm_up_and_takes_no_part() {
    let accesses: Vec<Access> = (0..6000_u64)
        .map(|n| (n * n % 997 % 150, n % 3 == 0))
        .collect();
    for (name, technique) in [
        ("lazy", "overwriting"),
        ("exclusive", "invalidating"),
        ("inclusive", "overwriting"),
    ] {
        let blocks = [("block_pages", "8"), ("block_technique", technique)];
        let bare = scheme(&accesses, name, (10, 70), &blocks).unwrap();
        let mut options = blocks.to_vec();
        options.extend([("ftl_spare_percent", "50"), ("ftl_block_pages", "4")]);
        let whole = scheme(&accesses, name, (10, 70), &options).unwrap();
        let without = SchemeResult {
            ftl: None,
            ..whole.clone()
        };
        assert_eq!(without, bare, "{name}");
        let own: Vec<_> = options
            .iter()
            .map(|&(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        let mut source = MemorySource::new(accesses.iter().copied()).with_warm_up(3000);
        let half = simulate_scheme(&mut source, name, 10, 70, &own, &mut |_| true).unwrap();
        let of = |found: &SchemeResult| found.ftl.as_ref().expect("a device").host_writes;
        assert_eq!(of(&half), pages_written(&half), "{name}");
        assert!(0 < of(&half) && of(&half) < of(&whole), "{name}");
    }
}

#[test]
fn what_a_device_under_blocks_cannot_do_is_refused() {
    let accesses = [(1, true), (2, false), (1, true), (9, true), (1, false)];
    for (options, message) in [
        (
            vec![("ftl_gc", "fifo")],
            "has no effect without ftl_spare_percent",
        ),
        (
            vec![("ftl_spare_percent", "7")],
            "leaves no room to collect",
        ),
        (
            vec![
                ("ftl_spare_percent", "400"),
                ("ftl_block_pages", "2"),
                ("ftl_mapping", "zones"),
            ],
            "zone",
        ),
    ] {
        let mut given = vec![("block_pages", "4")];
        given.extend(options);
        let error = scheme(&accesses, "lazy", (1, 40), &given).unwrap_err();
        let text = format!("{error}; {}", error.hint());
        assert!(text.contains(message), "{text}");
    }
    // Without flash there is no device.
    let given = [("block_pages", "4"), ("ftl_spare_percent", "7")];
    let found = scheme(&accesses, "lazy", (1, 0), &given).unwrap();
    assert_eq!((found.ftl, found.blocks), (None, None));
}

#[test]
fn what_does_not_go_with_blocks_says_why() {
    let blocks = ("block_pages", "4");
    for (name, flash, options, message, hint) in [
        (
            "lazy",
            8,
            vec![("block_technique", "invalidating")],
            "option `block_technique=invalidating`: has no effect where a flash page is one RAM page",
            "block_pages from 2 to 64",
        ),
        (
            "lazy",
            3,
            vec![blocks],
            "flash-pages `3`: less than one block of 4 pages",
            "more flash",
        ),
        (
            "lazy",
            8,
            vec![("block_pages", "65")],
            "option `block_pages=65`: scheme `lazy` takes a whole number from 1 to 64 here",
            "leave it out for block_pages=1",
        ),
        (
            "lazy",
            8,
            vec![blocks, ("admission", "top_f")],
            "option `admission=top_f`: a block that is overwritten as a whole cannot drop a page that is not admitted",
            "block_technique=invalidating",
        ),
        (
            "inclusive_global",
            8,
            vec![blocks],
            "option `block_pages=4`: scheme `inclusive_global` does not take it: its point is that the curve of pages predicts it",
            "exclusive or lazy",
        ),
        (
            "none",
            8,
            vec![blocks],
            "option `block_pages=4`: scheme `none` does not take it: there is no flash to have blocks",
            "exclusive or lazy",
        ),
        (
            "lazy",
            8,
            vec![blocks, ("block_technique", "erasing")],
            "option `block_technique=erasing`: scheme `lazy` takes one of overwriting, invalidating here",
            "block_technique=overwriting",
        ),
    ] {
        let error = scheme(&[(1, true)], name, (1, flash), &options).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.hint().contains(hint), "{}", error.hint());
    }
    // Without flash there are no blocks, whatever the options.
    let found = scheme(&[(1, true), (2, false)], "lazy", (1, 0), &[blocks]).unwrap();
    assert_eq!((found.counters.hdd_writes, found.blocks), (1, None));
}
