//! Slow, obvious models of flash caches: vectors, searched from end to end, written from the rules
//! alone; nothing here knows the engine.

use std::collections::BTreeMap;

use crate::replay_slow::policies::{self, Slow};

/// Page, write, time in whatever the clock counts.
pub(crate) type Access = (u64, bool, u64);

/// Counts by the names under which the engine shows them.
pub(crate) type Counts = BTreeMap<&'static str, u64>;

#[derive(Debug, Clone)]
pub(crate) struct Face {
    pub(crate) ram_policy: &'static str,
    pub(crate) ram_pages: usize,
    pub(crate) flash_pages: usize,
    pub(crate) mode: &'static str,
    pub(crate) admission: &'static str,
    pub(crate) second_chance: bool,
    pub(crate) scan_depth: usize,
    /// Whether victims are pulled until a batch is full.
    pub(crate) full_batches: bool,
    pub(crate) clear: bool,
    pub(crate) segment_entries: u64,
    pub(crate) checkpoints: Option<Checkpoints>,
    /// Accesses before the crash, and whether flash survives it.
    pub(crate) crash: Option<(usize, bool)>,
}

/// Checkpoints of the database.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checkpoints {
    /// Accesses between two, or time.
    pub(crate) every: u64,
    pub(crate) by_time: bool,
    pub(crate) to_flash: bool,
}

#[derive(Debug, Clone)]
struct Buffered {
    page: u64,
    dirty: bool,
    fdirty: bool,
}

#[derive(Debug, Clone)]
struct Slot {
    page: u64,
    valid: bool,
    dirty: bool,
    referenced: bool,
    /// Which append filled it, from 0.
    entry: u64,
    /// How often its page had been written.
    version: u64,
}

/// DRAM: its pages, and a slow policy that says which goes next.
struct Dram {
    name: &'static str,
    size: usize,
    policy: Box<dyn Slow>,
    held: Vec<Buffered>,
    accesses: Vec<(u64, bool)>,
}

impl Dram {
    fn new(name: &'static str, size: usize, accesses: &[Access]) -> Self {
        Self {
            name,
            size,
            policy: policies::model(name, size),
            held: Vec::new(),
            accesses: accesses.iter().map(|access| (access.0, access.1)).collect(),
        }
    }

    fn find(&mut self, page: u64) -> Option<&mut Buffered> {
        self.held.iter_mut().find(|held| held.page == page)
    }

    fn is_full(&self) -> bool {
        self.held.len() == self.size
    }

    fn hit(&mut self, page: u64) {
        self.policy.hit(page);
    }

    fn see(&mut self, now: usize) {
        self.policy.see(&self.accesses, now);
    }

    fn out(&mut self, page: u64) -> Buffered {
        let place = self.held.iter().position(|held| held.page == page);
        self.held.remove(place.expect("held"))
    }

    fn victim(&mut self, incoming: u64) -> Buffered {
        let changed = |page| {
            self.held
                .iter()
                .any(|held| held.page == page && held.fdirty)
        };
        let page = self.policy.evict(incoming, &changed);
        self.out(page)
    }

    /// The next victim, before its time.
    fn pulled(&mut self) -> Buffered {
        let changed = |page| {
            self.held
                .iter()
                .any(|held| held.page == page && held.fdirty)
        };
        let page = self.policy.give(&changed);
        self.out(page)
    }

    fn enter(&mut self, fetched: Buffered) {
        self.policy.enter(fetched.page);
        self.held.push(fetched);
    }

    fn crash(&mut self) {
        self.policy = policies::model(self.name, self.size);
        self.held.clear();
    }
}

struct FaceRun<'model> {
    model: &'model Face,
    dram: Dram,
    /// The page being fetched, if it is to lose its dirty flag while it is in no list.
    fetched: Option<Buffered>,
    queue: Vec<Slot>,
    entries: u64,
    /// How often each page has been written, as far as the database still knows, and which of these the disk has.
    versions: BTreeMap<u64, u64>,
    disk: BTreeMap<u64, u64>,
    count: Counts,
}

fn add(count: &mut Counts, name: &'static str, by: usize) {
    *count.entry(name).or_default() += by as u64;
}

impl FaceRun<'_> {
    fn add(&mut self, name: &'static str) {
        add(&mut self.count, name, 1);
    }

    fn valid_slot(&mut self, page: u64) -> Option<&mut Slot> {
        self.queue
            .iter_mut()
            .find(|slot| slot.valid && slot.page == page)
    }

    fn version(&self, page: u64) -> u64 {
        self.versions.get(&page).copied().unwrap_or(0)
    }

    /// What is read if DRAM is lost.
    fn persistent(&mut self, page: u64) -> u64 {
        let on_disk = self.disk.get(&page).copied().unwrap_or(0);
        self.valid_slot(page).map_or(on_disk, |slot| slot.version)
    }

    /// The latest version of each page is in DRAM, marked as such, or it is what flash serves, or the disk has it.
    fn assert_nothing_is_lost(&mut self) {
        for (page, version) in self.versions.clone() {
            let changed = self.dram.find(page).is_some_and(|held| held.fdirty);
            assert!(
                changed || self.persistent(page) == version,
                "page {page} is lost"
            );
        }
    }

    /// The disk gets what flash or DRAM has.
    fn write_disk(&mut self, page: u64, version: u64, why: &'static str) {
        let before = self.disk.insert(page, version).unwrap_or(0);
        assert!(
            before <= version,
            "page {page} is overwritten by an old version"
        );
        self.add("hdd_writes");
        self.add(why);
    }

    fn enqueue(&mut self, page: u64, dirty: bool, version: u64) {
        self.queue.push(Slot {
            version,
            page,
            valid: true,
            dirty,
            referenced: false,
            entry: self.entries,
        });
        self.entries += 1;
        self.add("flash_writes");
        if self.entries.is_multiple_of(self.model.segment_entries) {
            self.add("metadata_segments");
        }
    }

    /// The eviction rule: whether the page is to be enqueued, and with which dirty flag.
    fn rule(&mut self, page: &Buffered) -> Option<bool> {
        self.add("ram_evictions");
        self.add(if page.fdirty {
            "ram_dirty_evictions"
        } else {
            "ram_clean_evictions"
        });
        let cached = self.valid_slot(page.page).is_some();
        if page.dirty && (self.model.mode == "write_around" || self.model.admission == "clean_only")
        {
            self.write_disk(page.page, self.version(page.page), "disk_writes_on_exit");
            if cached {
                self.valid_slot(page.page).expect("cached").valid = false;
                self.add("flash_invalidations");
                self.add("metadata_random_page_writes");
            }
            return None;
        }
        if self.model.admission == "dirty_only" && !page.dirty {
            return None;
        }
        if !page.fdirty && cached {
            return None;
        }
        self.add(if cached {
            "flash_write_backs"
        } else {
            "flash_fills"
        });
        if cached {
            self.valid_slot(page.page).expect("cached").valid = false;
            self.add("flash_invalidations");
        }
        if self.model.mode == "write_through" && page.fdirty {
            self.write_disk(page.page, self.version(page.page), "disk_writes_on_exit");
            return Some(false);
        }
        Some(page.dirty)
    }

    fn stage_out(&mut self, slot: &Slot) {
        self.add("flash_evictions");
        if slot.dirty {
            self.write_disk(slot.page, slot.version, "disk_writes_on_stage_out");
            if !self.model.second_chance {
                self.add("flash_stage_out_reads");
            }
            if self.model.clear {
                for held in self
                    .dram
                    .find(slot.page)
                    .into_iter()
                    .chain(self.fetched.as_mut().filter(|held| held.page == slot.page))
                {
                    held.dirty &= held.fdirty;
                }
            }
        }
    }

    fn evict(&mut self, page: &Buffered) {
        let Some(dirty) = self.rule(page) else { return };
        let is_full = self.queue.len() == self.model.flash_pages;
        let mut free = self.batch() - 1;
        if !is_full && !self.model.full_batches {
            free = 0;
        }
        self.enqueue(page.page, dirty, self.version(page.page));
        while free > 0 && !self.dram.held.is_empty() {
            let pulled = self.dram.pulled();
            self.add("pulled");
            let needs_slot = self.rule(&pulled);
            if let Some(dirty) = needs_slot {
                self.enqueue(pulled.page, dirty, self.version(pulled.page));
            }
            if needs_slot.is_some() || !self.model.full_batches {
                free -= 1;
            }
        }
    }

    /// Begins a write operation: how many slots it has, once there is room.
    fn batch(&mut self) -> usize {
        self.add("flash_write_batches");
        let depth = self.model.scan_depth;
        let unused = self.model.flash_pages - self.queue.len();
        if unused > 0 {
            return unused.min(depth);
        }
        if self.model.second_chance {
            self.add("flash_batch_reads");
            add(&mut self.count, "flash_batch_read_pages", depth);
        }
        let group: Vec<Slot> = self.queue.drain(..depth).collect();
        let (mut again, out): (Vec<Slot>, Vec<Slot>) = group
            .into_iter()
            .partition(|slot| slot.valid && slot.referenced && self.model.second_chance);
        for slot in out.iter().filter(|slot| slot.valid) {
            self.stage_out(slot);
        }
        if again.len() == depth {
            self.add("forced_out");
            let first = again.remove(0);
            self.stage_out(&first);
        }
        for slot in &again {
            self.add("requeued");
            self.enqueue(slot.page, slot.dirty, slot.version);
        }
        depth - again.len()
    }

    /// Each page that is newer in DRAM than below it is written, and stays: pages that the trace shows earlier first.
    fn checkpoint(&mut self, to_flash: bool, accesses: &[Access]) {
        let mut changed: Vec<u64> = Vec::new();
        for &(page, _, _) in accesses {
            let is_changed = self.dram.find(page).is_some_and(|held| held.fdirty);
            if is_changed && !changed.contains(&page) {
                changed.push(page);
            }
        }
        let through = self.model.mode == "write_through";
        let around =
            !to_flash || self.model.mode == "write_around" || self.model.admission == "clean_only";
        let mut free = 0;
        for page in changed {
            self.add("checkpointed_pages");
            let version = self.version(page);
            let cached = self.valid_slot(page).is_some();
            if cached {
                self.valid_slot(page).expect("cached").valid = false;
                self.add("flash_invalidations");
                add(
                    &mut self.count,
                    "metadata_random_page_writes",
                    usize::from(around),
                );
            }
            if around || through {
                self.write_disk(page, version, "disk_writes_by_checkpoint");
            }
            let held = self.dram.find(page).expect("changed in DRAM");
            held.fdirty = false;
            held.dirty = !around && !through;
            if around {
                continue;
            }
            self.add(if cached {
                "flash_write_backs"
            } else {
                "flash_fills"
            });
            self.add("flash_writes_by_checkpoint");
            if free == 0 {
                free = self.batch();
            }
            self.enqueue(page, !through, version);
            free -= 1;
        }
        assert!(self.dram.held.iter().all(|held| !held.fdirty));
        self.assert_nothing_is_lost();
    }

    fn access(&mut self, page: u64, write: bool) {
        if self.dram.find(page).is_some() {
            self.add("ram_hits");
            self.dram.hit(page);
        } else {
            let mut fetched = Buffered {
                page,
                dirty: false,
                fdirty: false,
            };
            if let Some(slot) = self.valid_slot(page) {
                slot.referenced = true;
                fetched.dirty = slot.dirty;
                self.add("flash_hits");
            } else {
                self.add("flash_misses");
            }
            self.fetched = Some(fetched);
            if self.dram.is_full() {
                let victim = self.dram.victim(page);
                self.evict(&victim);
            }
            let fetched = self.fetched.take().expect("just put there");
            self.dram.enter(fetched);
        }
        if write {
            let held = self.dram.find(page).expect("just referenced");
            held.dirty = true;
            held.fdirty = true;
            *self.versions.entry(page).or_default() += 1;
        }
        // Of a long trace it would take too long.
        if self.dram.accesses.len() <= 1000 {
            self.assert_nothing_is_lost();
        }
    }

    fn crash(&mut self, warm: bool) {
        let lost = self.dram.held.iter().filter(|held| held.fdirty).count();
        add(&mut self.count, "ram_dirty_pages_lost", lost);
        self.dram.crash();
        if warm {
            for slot in &mut self.queue {
                slot.referenced = false;
            }
            let per = self.model.segment_entries;
            let in_memory = self.entries / per;
            for slot in &self.queue {
                if slot.entry / per + 1 >= in_memory {
                    add(&mut self.count, "restart_pages_scanned", 1);
                }
            }
            let mut segments: Vec<u64> = self.queue.iter().map(|slot| slot.entry / per).collect();
            segments.retain(|segment| segment + 1 < in_memory);
            segments.dedup();
            add(&mut self.count, "restart_segments_read", segments.len());
        } else {
            self.queue.clear();
            self.entries = 0;
        }
        for page in self.versions.clone().into_keys() {
            let version = self.persistent(page);
            self.versions.insert(page, version);
        }
    }
}

/// Counts after all accesses, with `slots_used`, `old_versions` and `dirty_slots`.
pub(crate) fn face(model: &Face, accesses: &[Access]) -> Counts {
    let mut run = FaceRun {
        model,
        dram: Dram::new(model.ram_policy, model.ram_pages, accesses),
        fetched: None,
        queue: Vec::new(),
        entries: 0,
        versions: BTreeMap::new(),
        disk: BTreeMap::new(),
        count: Counts::new(),
    };
    let mut taken = 0;
    for (at, &(page, write, time)) in accesses.iter().enumerate() {
        if let Some((_, warm)) = model.crash.filter(|crash| crash.0 == at) {
            run.crash(warm);
        }
        if let Some(checkpoints) = model.checkpoints {
            let passed = if checkpoints.by_time {
                time - accesses[0].2
            } else {
                at as u64
            };
            let due = passed / checkpoints.every;
            if due > taken {
                run.checkpoint(checkpoints.to_flash, accesses);
            }
            taken = due;
        }
        run.dram.see(at);
        run.access(page, write);
    }
    if let Some((_, warm)) = model.crash.filter(|crash| crash.0 == accesses.len()) {
        run.crash(warm);
    }
    let old = run.queue.iter().filter(|slot| !slot.valid).count();
    let dirty = run
        .queue
        .iter()
        .filter(|slot| slot.valid && slot.dirty)
        .count();
    add(&mut run.count, "slots_used", run.queue.len());
    add(&mut run.count, "old_versions", old);
    add(&mut run.count, "dirty_slots", dirty);
    run.count
}

#[derive(Debug, Clone)]
pub(crate) struct LazyCleaning {
    pub(crate) ram_policy: &'static str,
    pub(crate) ram_pages: usize,
    pub(crate) flash_pages: usize,
    pub(crate) mode: &'static str,
    pub(crate) admission: &'static str,
    /// Quarters of flash that may be dirty.
    pub(crate) dirty_quarters: usize,
    pub(crate) cleaner_pages: usize,
    pub(crate) group_pages: usize,
    pub(crate) period: u64,
    pub(crate) persistent: bool,
    pub(crate) crash: Option<(usize, bool)>,
}

#[derive(Debug, Clone)]
struct Copy {
    page: u64,
    frame: usize,
    dirty: bool,
    dirty_in_directory: bool,
    /// Numbers of all its references.
    seen: Vec<u64>,
}

/// Colder sorts first: referenced once before all others, then by the last but one reference.
fn warmth(copy: &Copy) -> (bool, u64) {
    match copy.seen[..] {
        [only] => (false, only),
        [.., last_but_one, _] => (true, last_but_one),
        [] => unreachable!("a copy was referenced when it entered"),
    }
}

/// Counts after all accesses, with `slots_used` and `dirty_slots`.
pub(crate) fn lazy_cleaning(model: &LazyCleaning, accesses: &[Access]) -> Counts {
    let mut dram = Dram::new(model.ram_policy, model.ram_pages, accesses);
    let mut flash: Vec<Copy> = Vec::new();
    let mut freed: Vec<usize> = Vec::new();
    let mut frames_ever = 0;
    let mut references = 0;
    let mut last_frame_written = None;
    let mut woken = 0;
    let mut count = Counts::new();
    let most_dirty = model.flash_pages * model.dirty_quarters / 4;
    let directory_change = if model.persistent { 2 } else { 0 };
    for at in 0..=accesses.len() {
        if let Some((_, warm)) = model.crash.filter(|crash| crash.0 == at) {
            dram.crash();
            woken = accesses
                .get(at)
                .or(accesses.last())
                .map_or(0, |access| access.2)
                / model.period;
            if warm {
                flash.sort_by_key(|copy| copy.frame);
                for copy in &mut flash {
                    copy.dirty = copy.dirty_in_directory;
                    references += 1;
                    copy.seen = vec![references];
                }
                freed = (0..frames_ever)
                    .filter(|frame| flash.iter().all(|copy| copy.frame != *frame))
                    .collect();
            } else {
                flash.clear();
                freed.clear();
                frames_ever = 0;
                last_frame_written = None;
            }
        }
        let Some(&(page, write, now)) = accesses.get(at) else {
            break;
        };
        dram.see(at);
        while woken < now / model.period {
            woken += 1;
            let mut left = model.cleaner_pages;
            while left > 0 && flash.iter().filter(|copy| copy.dirty).count() > most_dirty {
                let dirty = flash.iter().filter(|copy| copy.dirty);
                let coldest = dirty.min_by_key(|copy| warmth(copy)).expect("dirty ones");
                let is_dirty =
                    |page: &u64| flash.iter().any(|copy| copy.dirty && copy.page == *page);
                let behind = (coldest.page + 1..).take_while(is_dirty);
                let before = (0..coldest.page).rev().take_while(is_dirty);
                let group: Vec<u64> = std::iter::once(coldest.page)
                    .chain(behind)
                    .chain(before)
                    .take(model.group_pages.min(left))
                    .collect();
                for copy in &mut flash {
                    copy.dirty &= !group.contains(&copy.page);
                }
                left -= group.len();
                for name in [
                    "hdd_writes",
                    "disk_writes_by_cleaner",
                    "flash_stage_out_reads",
                ] {
                    add(&mut count, name, group.len());
                }
                if group.len() > 1 {
                    add(&mut count, "disk_batch_writes", 1);
                    add(&mut count, "disk_batch_write_pages", group.len());
                }
            }
        }
        if dram.find(page).is_some() {
            add(&mut count, "ram_hits", 1);
            dram.hit(page);
        } else {
            if let Some(copy) = flash.iter_mut().find(|copy| copy.page == page) {
                add(&mut count, "flash_hits", 1);
                references += 1;
                copy.seen.push(references);
            } else {
                add(&mut count, "flash_misses", 1);
            }
            if dram.is_full() {
                let victim = dram.victim(page);
                let changed = victim.fdirty;
                add(&mut count, "ram_evictions", 1);
                add(
                    &mut count,
                    if changed {
                        "ram_dirty_evictions"
                    } else {
                        "ram_clean_evictions"
                    },
                    1,
                );
                let on_flash = flash.iter().position(|copy| copy.page == victim.page);
                let around = changed && model.admission == "clean_only";
                let through = changed && model.mode == "write_through";
                if around || through {
                    let admitted = around || model.admission != "clean_only";
                    add(&mut count, "hdd_writes", usize::from(admitted));
                    add(&mut count, "disk_writes_on_exit", usize::from(admitted));
                }
                if around {
                    if let Some(at) = on_flash {
                        freed.push(flash.remove(at).frame);
                        add(&mut count, "flash_invalidations", 1);
                        add(&mut count, "metadata_random_page_writes", directory_change);
                    }
                } else if let (Some(at), true) = (on_flash, changed) {
                    let copy = &mut flash[at];
                    copy.dirty = !through;
                    references += 1;
                    copy.seen.push(references);
                    if copy.dirty && !copy.dirty_in_directory {
                        copy.dirty_in_directory = true;
                        add(&mut count, "metadata_random_page_writes", directory_change);
                    }
                    add(&mut count, "flash_write_backs", 1);
                    last_frame_written = Some(written(
                        &mut count,
                        copy.frame,
                        last_frame_written,
                        model.flash_pages,
                    ));
                } else if on_flash.is_none() && (changed || model.admission != "dirty_only") {
                    let frame = if let Some(frame) = freed.pop() {
                        frame
                    } else if frames_ever < model.flash_pages {
                        frames_ever += 1;
                        frames_ever - 1
                    } else {
                        let out = (0..flash.len())
                            .min_by_key(|&at| warmth(&flash[at]))
                            .expect("flash is full");
                        let out = flash.remove(out);
                        add(&mut count, "flash_evictions", 1);
                        for name in [
                            "hdd_writes",
                            "disk_writes_on_stage_out",
                            "flash_stage_out_reads",
                        ] {
                            add(&mut count, name, usize::from(out.dirty));
                        }
                        out.frame
                    };
                    references += 1;
                    let dirty = changed && !through;
                    flash.push(Copy {
                        page: victim.page,
                        frame,
                        dirty,
                        dirty_in_directory: dirty,
                        seen: vec![references],
                    });
                    add(&mut count, "metadata_random_page_writes", directory_change);
                    add(&mut count, "flash_fills", 1);
                    last_frame_written = Some(written(
                        &mut count,
                        frame,
                        last_frame_written,
                        model.flash_pages,
                    ));
                }
            }
            dram.enter(Buffered {
                page,
                dirty: false,
                fdirty: false,
            });
        }
        if write {
            dram.find(page).expect("just referenced").fdirty = true;
        }
    }
    let dirty = flash.iter().filter(|copy| copy.dirty).count();
    add(&mut count, "slots_used", flash.len());
    add(&mut count, "dirty_slots", dirty);
    count
}

/// Counts a write of one page and its class; the first frame counts as following the last.
fn written(count: &mut Counts, frame: usize, before: Option<usize>, frames: usize) -> usize {
    let follows = before.map_or(0, |before| (before + 1) % frames) == frame;
    add(count, "flash_writes", 1);
    add(
        count,
        if follows {
            "flash_sequential_page_writes"
        } else {
            "flash_random_page_writes"
        },
        1,
    );
    frame
}
