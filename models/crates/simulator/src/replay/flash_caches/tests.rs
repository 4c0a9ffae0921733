//! A restart against a fresh engine that was given the same flash contents.

use proptest::prelude::*;

use super::engine::Engine;
use super::face::{Admission, Face, Settings as FaceSettings, Sync};
use super::lazy_cleaning::{LazyCleaning, Settings as CleaningSettings};
use super::{ClockUnit, Exit, FlashCache, FlashCacheCounters, Host};
use crate::replay::policies::lru::Lru;

const PAGES: usize = 25;

fn replay<C: FlashCache>(engine: &mut Engine<Lru, C>, accesses: &[(u32, bool)], from: u64) {
    for (now, &(page, write)) in (from..).zip(accesses) {
        engine.tick(now);
        engine.access(page, write);
    }
}

/// Crashes one engine in the middle and loads its flash contents into another; both replay the
/// rest.
fn crash_and_reload<C: FlashCache<Settings: Clone>>(
    settings: &C::Settings,
    accesses: &[(u32, bool)],
    at: usize,
) -> (FlashCacheCounters, FlashCacheCounters, C::Image, C::Image) {
    let run_until_crash = || {
        let mut engine = Engine::<Lru, C>::new(5, 12, settings.clone());
        engine.grow(PAGES);
        engine.start_clock(ClockUnit::Accesses, 0);
        replay(&mut engine, &accesses[..at], 0);
        engine
    };
    let (first, rest) = (at as u64, &accesses[at..]);
    let mut crashed = run_until_crash();
    crashed.crash(first, first, PAGES, true);
    let read_by_restart = crashed.around.counters;
    replay(&mut crashed, rest, first);

    let contents = run_until_crash().cache.image();
    let mut fresh = Engine::<Lru, C>::new(5, 12, settings.clone());
    fresh.grow(PAGES);
    fresh
        .cache
        .load(contents, &mut FlashCacheCounters::default());
    fresh.start_clock(ClockUnit::Accesses, first);
    replay(&mut fresh, rest, first);
    let after = difference(&crashed.around.counters, &read_by_restart);
    let fresh_counters = fresh.around.counters;
    (
        after,
        fresh_counters,
        crashed.cache.image(),
        fresh.cache.image(),
    )
}

/// What was counted since, without the classes of writes: a fresh device knows no last frame.
fn difference(after: &FlashCacheCounters, before: &FlashCacheCounters) -> FlashCacheCounters {
    FlashCacheCounters {
        ram_hits: after.ram_hits - before.ram_hits,
        flash_hits: after.flash_hits - before.flash_hits,
        flash_misses: after.flash_misses - before.flash_misses,
        dirty_evictions: after.dirty_evictions - before.dirty_evictions,
        clean_evictions: after.clean_evictions - before.clean_evictions,
        pulled: after.pulled - before.pulled,
        flash_fills: after.flash_fills - before.flash_fills,
        flash_write_backs: after.flash_write_backs - before.flash_write_backs,
        requeued: after.requeued - before.requeued,
        metadata_segments: after.metadata_segments - before.metadata_segments,
        disk_writes_on_exit: after.disk_writes_on_exit - before.disk_writes_on_exit,
        disk_writes_on_stage_out: after.disk_writes_on_stage_out - before.disk_writes_on_stage_out,
        disk_writes_by_cleaner: after.disk_writes_by_cleaner - before.disk_writes_by_cleaner,
        ..FlashCacheCounters::default()
    }
}

fn accesses() -> impl Strategy<Value = (Vec<(u32, bool)>, usize)> {
    let page = prop_oneof![0_u32..25, 0_u32..8];
    prop::collection::vec((page, prop::bool::weighted(0.3)), 1..250)
        .prop_flat_map(|accesses| (Just(accesses.clone()), 0..=accesses.len()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_warm_restart_of_face_is_a_fresh_engine_with_the_same_flash(
        (accesses, at) in accesses(),
        sync in prop::sample::select(vec![Sync::Back, Sync::Through, Sync::Around]),
        admission in prop::sample::select(vec![Admission::Mixed, Admission::DirtyOnly, Admission::CleanOnly]),
        scan_depth in 1_u32..8,
    ) {
        let settings = FaceSettings {
            sync,
            admission,
            second_chance: scan_depth > 2,
            scan_depth,
            clear_dirty_on_stage_out: scan_depth % 2 == 0,
            segment_entries: 9,
        };
        let (crashed, fresh, crashed_flash, fresh_flash) =
            crash_and_reload::<Face>(&settings, &accesses, at);
        prop_assert_eq!(crashed, difference(&fresh, &FlashCacheCounters::default()));
        prop_assert_eq!(crashed_flash, fresh_flash);
    }

    #[test]
    fn a_warm_restart_of_lazy_cleaning_is_a_fresh_engine_with_the_same_flash(
        (accesses, at) in accesses(),
        write_through in any::<bool>(),
        admission in prop::sample::select(vec![Admission::Mixed, Admission::DirtyOnly, Admission::CleanOnly]),
        most_dirty in 0_u32..12,
    ) {
        let settings = CleaningSettings {
            write_through,
            admission,
            most_dirty,
            cleaner_pages: 3,
            cleaner_period_ns: 1,
            cleaner_period_accesses: 11,
            persistent_directory: true,
        };
        let (crashed, fresh, crashed_flash, fresh_flash) =
            crash_and_reload::<LazyCleaning>(&settings, &accesses, at);
        prop_assert_eq!(crashed, difference(&fresh, &FlashCacheCounters::default()));
        prop_assert_eq!(crashed_flash, fresh_flash);
    }
}

/// A host whose DRAM is a list, to call hooks one by one.
struct Bare(FlashCacheCounters);

impl Host for Bare {
    fn counters(&mut self) -> &mut FlashCacheCounters {
        &mut self.0
    }

    fn dram_page_changed(&self, _page: u32) -> bool {
        false
    }

    fn pull(&mut self) -> Option<Exit> {
        None
    }

    fn flash_write(&mut self, _frame: u32, _pages: u32) {}
}

/// A recount must see damage, or it proves nothing.
#[test]
fn recounts_see_damage() {
    let mut host = Bare(FlashCacheCounters::default());
    let settings = FaceSettings {
        sync: Sync::Back,
        admission: Admission::Mixed,
        second_chance: false,
        scan_depth: 1,
        clear_dirty_on_stage_out: false,
        segment_entries: 100,
    };
    let mut face = Face::new(3, &settings);
    face.grow(PAGES);
    for page in 0..5 {
        face.on_exit(
            Exit {
                page,
                changed: false,
            },
            &mut host,
        );
    }
    assert_eq!(face.recount(&host.0, None), Ok(()));
    host.0.flash_fills += 1;
    assert!(face.recount(&host.0, None).is_err());
    host.0.flash_evictions += 1;
    assert!(face.recount(&host.0, None).is_err());

    let mut host = Bare(FlashCacheCounters::default());
    let settings = CleaningSettings {
        write_through: false,
        admission: Admission::Mixed,
        most_dirty: 1,
        cleaner_pages: 1,
        cleaner_period_ns: 1,
        cleaner_period_accesses: 1,
        persistent_directory: false,
    };
    let mut cleaning = LazyCleaning::new(3, &settings);
    cleaning.grow(PAGES);
    for page in 0..5 {
        cleaning.on_exit(
            Exit {
                page,
                changed: true,
            },
            &mut host,
        );
    }
    assert_eq!(cleaning.recount(&host.0, None), Ok(()));
    host.0.flash_evictions += 1;
    assert!(cleaning.recount(&host.0, None).is_err());
}
