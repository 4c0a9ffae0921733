//! A restart against a fresh engine that was given the same flash contents.

use proptest::prelude::*;

use super::bcache::Bcache;
use super::cac::Cac;
use super::cachesack::CacheSack;
use super::dm_cache::DmCache;
use super::dm_writecache::DmWritecache;
use super::engine::Engine;
use super::exadata::Exadata;
use super::face::{Admission, Face, Settings as FaceSettings, Sync};
use super::l2arc::L2arc;
use super::larc::Larc;
use super::lazy_cleaning::{LazyCleaning, Settings as CleaningSettings, Wakes};
use super::open_cas::OpenCas;
use super::options::Options;
use super::rate::Period;
use super::sets::{EnhanceIo, Flashcache, Sets};
use super::tac::Tac;
use super::{
    ClockUnit, Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, FlashDevice, Host,
    OptionAbout,
};
use super::{Sampled, Unsampled};
use crate::access::MemorySource;
use crate::error::Result;
use crate::replay::policies::lru::Lru;
use crate::replay::settings::Settings;
use crate::replay::{Totals, policies, simulate_flash_cache, simulate_policy};

const PAGES: usize = 25;

/// A cleaner that wakes by accesses.
fn wakes(by_accesses: u64) -> Wakes {
    Wakes {
        by_time: Period::of_accesses(1),
        by_accesses,
        asked: None,
    }
}

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
        let mut engine = Engine::<Lru, C>::new(5, 12, Settings::defaults(&[]), settings.clone());
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
    let mut fresh = Engine::<Lru, C>::new(5, 12, Settings::defaults(&[]), settings.clone());
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
        fills_batches in any::<bool>(),
    ) {
        let settings = FaceSettings {
            sync,
            admission,
            second_chance: scan_depth > 2,
            scan_depth,
            fills_batches,
            clear_dirty_on_stage_out: scan_depth % 2 == 0,
            segment_entries: 9,
            page_bytes: 4096,
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
            group_pages: 1,
            cleaner: wakes(11),
            directory: Some(128),
        };
        let (crashed, fresh, crashed_flash, fresh_flash) =
            crash_and_reload::<LazyCleaning>(&settings, &accesses, at);
        prop_assert_eq!(crashed, difference(&fresh, &FlashCacheCounters::default()));
        prop_assert_eq!(crashed_flash, fresh_flash);
    }
}

/// The systems whose pages survive a crash, with options under which they do.
const PERSISTENT: [(&str, &str); 18] = [
    ("flashcache", "mode=write_back ways=4"),
    ("enhanceio", "mode=write_back ways=4 replacement=lru"),
    ("open_cas", "mode=write_back cleaning=nop"),
    ("open_cas", "mode=write_back cleaning=nop line_pages=2"),
    (
        "open_cas",
        "mode=write_back line_pages=4 accesses_per_second=5 alru_wake_s=1 alru_stale_s=2 alru_idle_s=0 promotion=nhit sequential_cutoff_pages=2",
    ),
    (
        "open_cas",
        "mode=write_only cleaning=acp line_pages=8 accesses_per_second=90 sequential_cutoff_pages=1",
    ),
    ("dm_cache", "mode=write_back accesses_per_second=5"),
    ("l2arc", "accesses_per_second=5 write_max_pages_per_s=3"),
    ("tac", "extent_pages=3"),
    (
        "exadata",
        "directory=persistent mode=write_back low_priority=1",
    ),
    ("exadata", "directory=persistent"),
    ("cac", "directory=persistent"),
    (
        "bcache",
        "mode=write_back bucket_pages=2 accesses_per_second=1 sequential_cutoff_pages=2",
    ),
    ("larc", "directory=persistent"),
    (
        "cachesack",
        "directory=persistent assignment=second_miss*0.4*write",
    ),
    (
        "lazy_cleaning",
        "directory=persistent dirty_threshold=0.3 cleaner_pages=5 group_pages=4 cleaner_period_accesses=7",
    ),
    ("dm_writecache", "accesses_per_second=5"),
    (
        "dm_writecache",
        "accesses_per_second=50 high_watermark=90 writeback_pages_per_s=20 autocommit_blocks=3",
    ),
];

/// Crashes one engine in the middle and loads its flash contents into another; what both count of the rest, and
/// what they leave on flash.
fn restarted<C: FlashCache<Image: std::fmt::Debug>>(
    options: &str,
    accesses: &[(u32, bool)],
    at: usize,
) -> [(FlashCacheCounters, String); 2] {
    let given: Vec<_> = options
        .split(' ')
        .map(|pair| pair.split_once('=').expect("a value"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let start = || {
        let options = Options::new("it", C::OPTIONS.to_vec(), &given, "").unwrap();
        let run = Conditions {
            flash_pages: 12,
            page_bytes: 4096,
            warm_restart: true,
        };
        let settings = C::settings(&options, run).unwrap();
        let mut engine = Engine::<Lru, C>::new(5, 12, Settings::defaults(&[]), settings);
        engine.grow(PAGES);
        let pages: Vec<u32> = (0..25).collect();
        let spaces: Vec<u32> = pages.iter().map(|page| page % 2).collect();
        let addresses: Vec<u64> = pages.iter().map(|&page| u64::from(page / 2)).collect();
        engine.cache.locate(&pages, &spaces, &addresses);
        engine.start_clock(ClockUnit::Accesses, 0);
        engine
    };
    let (first, rest) = (at as u64, &accesses[at..]);
    let mut crashed = start();
    replay(&mut crashed, &accesses[..at], 0);
    let held = crashed.cache.valid_copies();
    let report = crashed.crash(first, first, PAGES, true);
    assert_eq!(held - crashed.cache.valid_copies(), report.flash_pages_lost);
    let until_crash = crashed.around.counters;
    replay(&mut crashed, rest, first);
    let totals = Totals {
        accesses: accesses.len() as u64,
        write_accesses: accesses.len() as u64,
        ..Totals::default()
    };
    assert_eq!(crashed.recount(totals, Some(&report)), Ok(()));

    let mut whole = start();
    replay(&mut whole, &accesses[..at], 0);
    let mut fresh = start();
    let mut emptied = start().cache;
    std::mem::swap(&mut emptied, &mut whole.cache);
    let contents = emptied.image();
    fresh
        .cache
        .load(contents, &mut FlashCacheCounters::default());
    fresh.start_clock(ClockUnit::Accesses, first);
    replay(&mut fresh, rest, first);
    let after = difference(&crashed.around.counters, &until_crash);
    let fresh_counters = difference(&fresh.around.counters, &FlashCacheCounters::default());
    [
        (after, format!("{:?}", crashed.cache.image())),
        (fresh_counters, format!("{:?}", fresh.cache.image())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_warm_restart_of_the_other_systems_is_a_fresh_engine_with_the_same_flash(
        (accesses, at) in accesses(),
    ) {
        for (name, options) in PERSISTENT {
            let [crashed, fresh] = restarted_by_name(name, options, &accesses, at);
            prop_assert_eq!(crashed, fresh, "{}", name);
        }
    }
}

fn restarted_by_name(
    name: &str,
    options: &str,
    accesses: &[(u32, bool)],
    at: usize,
) -> [(FlashCacheCounters, String); 2] {
    match name {
        "flashcache" => restarted::<Sets<Flashcache>>(options, accesses, at),
        "enhanceio" => restarted::<Sets<EnhanceIo>>(options, accesses, at),
        "open_cas" => restarted::<OpenCas>(options, accesses, at),
        "dm_cache" => restarted::<DmCache>(options, accesses, at),
        "l2arc" => restarted::<L2arc>(options, accesses, at),
        "tac" => restarted::<Tac>(options, accesses, at),
        "exadata" => restarted::<Exadata>(options, accesses, at),
        "cac" => restarted::<Cac>(options, accesses, at),
        "larc" => restarted::<Larc>(options, accesses, at),
        "cachesack" => restarted::<CacheSack>(options, accesses, at),
        "dm_writecache" => restarted::<DmWritecache>(options, accesses, at),
        "lazy_cleaning" => restarted::<LazyCleaning>(options, accesses, at),
        _ => restarted::<Bcache>(options, accesses, at),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Every access of a small trace is a point at which the machine may go down: none leaves anything else on flash, or counts
    /// another thing afterwards, than a fresh cache with the same contents.
    #[test]
    fn every_crash_point_of_a_small_trace_restarts_alike(
        accesses in prop::collection::vec(
            (prop_oneof![0_u32..25, 0_u32..8], prop::bool::weighted(0.4)),
            1..80,
        ),
    ) {
        for (name, options) in PERSISTENT {
            for at in 0..=accesses.len() {
                let [crashed, fresh] = restarted_by_name(name, options, &accesses, at);
                prop_assert_eq!(crashed, fresh, "{} after {}", name, at);
            }
        }
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

    fn dram_pages(&self) -> u64 {
        1
    }

    fn pull(&mut self) -> Option<Exit> {
        None
    }

    fn take_changed(&mut self, _from: u32) -> Option<u32> {
        None
    }

    fn flash_write(&mut self, _frame: u32, _pages: u32) {}

    fn flash_write_apart(&mut self, _frame: u32, _pages: u32) {}

    fn flash_write_counted(&mut self, _frame: u32, _pages: u32) {}

    fn flash_trim(&mut self, _frame: u32, _pages: u32) {}

    fn metadata_write(&mut self, _page: u32) {}

    fn metadata_append(&mut self, _bytes: u64) {}

    fn metadata_append_page(&mut self) {}
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
        fills_batches: false,
        clear_dirty_on_stage_out: false,
        segment_entries: 100,
        page_bytes: 4096,
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
        group_pages: 1,
        cleaner: wakes(1),
        directory: None,
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

/// Frames of a direct-mapped cache that pages take by their address when they enter DRAM.
struct ByAddress {
    /// Address and device of each page number.
    places: Vec<(u32, u64)>,
    /// The page in each frame.
    frames: Vec<Option<u32>>,
    hot: u64,
}

/// A device to which all writes are sequential.
struct Heard;

impl FlashDevice for Heard {
    fn new(_flash_pages: u32) -> Self {
        Self
    }

    fn write(&mut self, _frame: u32, pages: u32, counters: &mut FlashCacheCounters) {
        counters.flash_sequential_page_writes += u64::from(pages);
    }
}

impl ByAddress {
    fn frame_of(&self, page: u32) -> usize {
        let (space, address) = self.places[page as usize];
        usize::try_from((u64::from(space) + address) % self.frames.len() as u64).unwrap()
    }
}

impl FlashCache for ByAddress {
    type Settings = ();
    type Image = ();
    type Device = Heard;

    const NEEDS_ADDRESSES: bool = true;
    const OPTIONS: &'static [OptionAbout] = &[];

    fn settings(_options: &Options<'_>, _run: Conditions) -> Result<()> {
        Ok(())
    }

    fn sampled(_settings: &()) -> std::result::Result<Sampled, Unsampled> {
        Ok(Sampled::appended(1.0))
    }

    fn new(flash_pages: u32, _settings: &()) -> Self {
        Self {
            places: Vec::new(),
            frames: vec![None; flash_pages as usize],
            hot: 0,
        }
    }

    fn grow(&mut self, pages: usize) {
        self.places.resize(pages.max(self.places.len()), (0, 0));
    }

    fn locate(&mut self, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
        for ((&page, &space), &address) in pages.iter().zip(spaces).zip(addresses) {
            self.places[page as usize] = (space, address);
        }
    }

    fn on_dram_hit(&mut self, _page: u32, _host: &mut impl Host) {
        self.hot += 1;
    }

    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        self.frames[self.frame_of(page)] == Some(page)
    }

    fn holds(&self, page: u32) -> bool {
        self.frames[self.frame_of(page)] == Some(page)
    }

    fn on_entry(&mut self, page: u32, host: &mut impl Host) {
        let frame = self.frame_of(page);
        let number = u32::try_from(frame).unwrap();
        self.frames[frame] = Some(page);
        host.counters().flash_fills += 1;
        host.flash_write(number, 1);
    }

    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        host.counters().disk_writes_on_exit += u64::from(exit.changed);
    }

    fn image(self) {}

    fn load(&mut self, _image: (), _counters: &mut FlashCacheCounters) {}

    fn valid_copies(&self) -> u64 {
        self.frames.iter().flatten().count() as u64
    }

    fn dirty_copies(&self) -> u64 {
        0
    }

    fn slots_used(&self) -> u64 {
        self.valid_copies()
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        _crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        assert_eq!(self.hot, counters.ram_hits);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// The family takes a system that fills on entry and places pages by their address, on a device
    /// of its own.
    #[test]
    fn a_system_can_fill_on_entry_by_address(
        accesses in prop::collection::vec((0_u64..40, any::<bool>()), 1..300)
    ) {
        let mut source = MemorySource::new(accesses.iter().copied()).with_chunk_accesses(7);
        let mut engine = Engine::<Lru, ByAddress>::new(3, 7, Settings::defaults(&[]), ());
        let super::engine::Course { totals, .. } =
            super::engine::replay(&mut source, &mut engine, &mut (), None, &mut |_| true).unwrap();
        prop_assert_eq!(engine.recount(totals, None), Ok(()));
        let (mut dram, mut flash) = (Vec::<u64>::new(), [None; 7]);
        let (mut hits, mut fills) = (0_u64, 0_u64);
        for &(page, _) in &accesses {
            if let Some(at) = dram.iter().position(|&held| held == page) {
                dram.remove(at);
            } else {
                let frame = &mut flash[usize::try_from(page % 7).unwrap()];
                if *frame == Some(page) {
                    hits += 1;
                } else {
                    *frame = Some(page);
                    fills += 1;
                }
                dram.truncate(2);
            }
            dram.insert(0, page);
        }
        let counted = &engine.around.counters;
        prop_assert_eq!((counted.flash_hits, counted.flash_fills), (hits, fills));
        prop_assert_eq!(counted.flash_sequential_page_writes, fills);
    }

    /// Without pulled victims DRAM does not depend on flash: it is the policy alone.
    #[test]
    fn dram_under_any_policy_is_that_policy(
        accesses in prop::collection::vec((0_u64..60, any::<bool>()), 1..400),
        flash in prop::sample::select(vec!["face", "lazy_cleaning"]),
    ) {
        let source = MemorySource::new(accesses.iter().copied());
        for about in policies() {
            let policy = about.name;
            let mut options = vec![("ram_policy".to_owned(), policy.to_owned())];
            if flash == "face" {
                options.push(("scan_depth".to_owned(), "1".to_owned()));
            }
            let both =
                simulate_flash_cache(&mut source.clone(), flash, 10, 25, &options, &mut |_| true)
                    .unwrap();
            let alone =
                simulate_policy(&mut source.clone(), policy, 10, &[], &mut |_| true).unwrap();
            prop_assert_eq!(both.counters.ram_hits, alone.accesses - alone.misses, "{}", policy);
        }
    }
}
