//! Flash pages larger than RAM pages, against slow obvious models.

use proptest::prelude::*;
use tierwright_simulator::access::MemorySource;
use tierwright_simulator::error::Result;
use tierwright_simulator::replay::{SchemeResult, admissions, policies, simulate_scheme};

mod replay_slow;

use replay_slow::Access;
use replay_slow::blocks::{Counted, Shape, inclusive, staged};

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
                        staged(name, about.name, &shape, &accesses, ram, (flash.0, pages));
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
                let expected = inclusive(block_pages, &accesses, ram, (flash.0, pages));
                prop_assert_eq!(counted(&found), expected, "inclusive {}", technique);
            } else {
                prop_assert_eq!(found.blocks, None);
                prop_assert_eq!(found.warnings.len(), 1);
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
