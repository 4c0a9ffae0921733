//! Slow, obvious models of flash blocks: sets of valid pages, searched lists, one branch a rule.

use std::collections::{BTreeMap, BTreeSet};

use super::Access;
use super::directory::Directory;
use super::flows::History;
use super::policies::Tier;

/// Operations by class, and what the scheme did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) ram_hits: u64,
    pub(crate) flash_hits: u64,
    pub(crate) flash_misses: u64,
    pub(crate) flash_page_writes: u64,
    pub(crate) flash_page_overwrites: u64,
    pub(crate) flash_block_writes: u64,
    pub(crate) frames_taken: u64,
    pub(crate) hdd_page_reads: u64,
    pub(crate) hdd_block_reads: u64,
    pub(crate) hdd_page_writes: u64,
    pub(crate) hdd_block_writes: u64,
    pub(crate) hdd_block_pages_written: u64,
    pub(crate) back_invalidations: u64,
    pub(crate) lookups: u64,
    pub(crate) updates: u64,
}

/// What a device under flash hears of, by its own pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    Write(u64),
    Trim(u64),
}

/// Blocks as they lie on a device: one that comes takes the frame that was given up last.
#[derive(Debug)]
struct Laid {
    block_pages: u64,
    frames: Vec<Option<u64>>,
    given_up: Vec<usize>,
    heard: Vec<Heard>,
    directory: Option<Directory>,
    directory_writes: u64,
}

impl Laid {
    fn new(block_pages: u64, directory: Option<Directory>) -> Self {
        Self {
            block_pages,
            frames: Vec::new(),
            given_up: Vec::new(),
            heard: Vec::new(),
            directory,
            directory_writes: 0,
        }
    }

    fn see(&mut self, page: u64) {
        if let Some(directory) = &mut self.directory {
            directory.see(page / self.block_pages);
        }
    }

    fn ask(&mut self, block: u64, update: bool) {
        let directory = self.directory.as_mut();
        if let Some(page) = directory.and_then(|directory| directory.ask(block, update)) {
            self.heard.push(Heard::Write(page));
            self.directory_writes += 1;
        }
    }

    fn look_up(&mut self, count: &mut Counted, block: u64) {
        count.lookups += 1;
        self.ask(block, false);
    }

    fn update(&mut self, count: &mut Counted, block: u64) {
        count.updates += 1;
        self.ask(block, true);
    }

    fn frame(&self, block: u64) -> Option<usize> {
        self.frames.iter().position(|&held| held == Some(block))
    }

    fn write(&mut self, page: u64) {
        let block = page / self.block_pages;
        let frame = self.frame(block).unwrap_or_else(|| {
            let never = self.frames.len();
            let frame = self.given_up.pop().unwrap_or(never);
            if frame == never {
                self.frames.push(None);
            }
            frame
        });
        self.frames[frame] = Some(block);
        let place = frame as u64 * self.block_pages + page % self.block_pages;
        self.heard.push(Heard::Write(place));
    }

    fn trim(&mut self, page: u64) {
        let frame = self.frame(page / self.block_pages).expect("on flash");
        let place = frame as u64 * self.block_pages + page % self.block_pages;
        self.heard.push(Heard::Trim(place));
    }

    /// A block leaves, with its valid pages.
    fn leave(&mut self, block: u64, valid: impl IntoIterator<Item = u64>) {
        for page in valid {
            self.trim(page);
        }
        let frame = self.frame(block).expect("on flash");
        self.frames[frame] = None;
        self.given_up.push(frame);
    }
}

/// What a slow replay found.
#[derive(Debug)]
pub(crate) struct Slow {
    pub(crate) count: Counted,
    pub(crate) heard: Vec<Heard>,
    /// Of what was heard, pages of the directory.
    pub(crate) directory_writes: u64,
}

/// What flash knows of a block that it holds.
#[derive(Debug, Default, Clone)]
struct Block {
    valid: BTreeSet<u64>,
    written: BTreeSet<u64>,
    dirty: bool,
}

/// The accesses as flash policies see them.
fn by_block(block_pages: u64, accesses: &[Access]) -> Vec<Access> {
    let block = |&(page, write): &Access| (page / block_pages, write);
    accesses.iter().map(block).collect()
}

pub(crate) struct Shape {
    pub(crate) block_pages: u64,
    pub(crate) invalidating: bool,
}

/// The lazy or the exclusive scheme; `flash_pages` is what was asked for.
pub(crate) fn staged(
    scheme: &str,
    rule: &str,
    shape: &Shape,
    accesses: &[Access],
    (ram_policy, ram_pages): (&str, usize),
    (flash_policy, flash_pages): (&str, usize),
    directory: Option<Directory>,
) -> Slow {
    let mut laid = Laid::new(shape.block_pages, directory);
    let capacity = flash_pages / usize::try_from(shape.block_pages).expect("few");
    let block_of = |page: u64| page / shape.block_pages;
    let pages_of = |block: u64| {
        (block * shape.block_pages..(block + 1) * shape.block_pages).collect::<BTreeSet<u64>>()
    };
    let mut ram = Tier::new(ram_policy, ram_pages);
    let mut order = Tier::new(flash_policy, capacity);
    let mut flash: BTreeMap<u64, Block> = BTreeMap::new();
    let mut history = History::default();
    let mut count = Counted::default();
    let by_block = by_block(shape.block_pages, accesses);
    for (now, &(page, write)) in accesses.iter().enumerate() {
        ram.see(accesses, now);
        order.see(&by_block, now);
        laid.see(page);
        history.note(page, write, ram.has(page));
        if ram.has(page) {
            count.ram_hits += 1;
            ram.hit(page);
            if write {
                ram.soil(page);
            }
            continue;
        }
        let mut dirty = false;
        let home = block_of(page);
        laid.look_up(&mut count, home);
        let hit = flash
            .get(&home)
            .is_some_and(|block| block.valid.contains(&page));
        if hit {
            count.flash_hits += 1;
            order.hit(home);
            if scheme == "exclusive" && shape.invalidating {
                let block = flash.get_mut(&home).expect("hit");
                dirty = block.dirty;
                laid.trim(page);
                block.valid.remove(&page);
                if block.valid.is_empty() {
                    laid.leave(home, []);
                    flash.remove(&home);
                    order.take(home);
                }
            }
            laid.update(&mut count, home);
        } else {
            count.flash_misses += 1;
            count.hdd_page_reads += 1;
        }
        if let Some((victim, victim_dirty)) = ram.victim(page) {
            let home = block_of(victim);
            laid.look_up(&mut count, home);
            let valid = flash
                .get(&home)
                .is_some_and(|block| block.valid.contains(&victim));
            let useless = scheme == "lazy" && !victim_dirty;
            if useless && valid {
                // Its copy is as good.
            } else if !history.admits(rule, victim, victim_dirty, flash_pages) {
                if victim_dirty {
                    count.hdd_page_writes += 1;
                    if valid {
                        let block = flash.get_mut(&home).expect("valid there");
                        laid.trim(victim);
                        block.valid.remove(&victim);
                        if block.valid.is_empty() {
                            laid.leave(home, []);
                            flash.remove(&home);
                            order.take(home);
                        }
                        laid.update(&mut count, home);
                    }
                }
            } else {
                let comes = !flash.contains_key(&home);
                if comes {
                    if let Some((gone, _)) = order.victim(home) {
                        let old = flash.remove(&gone).expect("on flash");
                        laid.leave(gone, old.valid.iter().copied());
                        laid.update(&mut count, gone);
                        if old.dirty {
                            count.hdd_block_writes += 1;
                            count.hdd_block_pages_written += old.valid.len() as u64;
                        }
                    }
                    laid.update(&mut count, home);
                    count.frames_taken += 1;
                    order.add(home, false);
                    let mut block = Block::default();
                    if !shape.invalidating {
                        count.hdd_block_reads += 1;
                        count.flash_block_writes += 1;
                        block.valid = pages_of(home);
                        block.written = pages_of(home);
                        for page in pages_of(home) {
                            laid.write(page);
                        }
                    }
                    flash.insert(home, block);
                }
                let block = flash.get_mut(&home).expect("there now");
                if !(useless && block.valid.contains(&victim)) {
                    count.flash_page_writes += 1;
                    laid.write(victim);
                    count.flash_page_overwrites += u64::from(block.written.contains(&victim));
                    block.valid.insert(victim);
                    block.written.insert(victim);
                    block.dirty |= victim_dirty;
                    if victim_dirty {
                        order.soil(home);
                    }
                    if !comes {
                        laid.update(&mut count, home);
                        order.hit(home);
                    }
                }
            }
        }
        ram.add(page, dirty | write);
    }
    Slow {
        count,
        heard: laid.heard,
        directory_writes: laid.directory_writes,
    }
}

/// The inclusive scheme.
pub(crate) fn inclusive(
    block_pages: u64,
    accesses: &[Access],
    (ram_policy, ram_pages): (&str, usize),
    (flash_policy, flash_pages): (&str, usize),
    directory: Option<Directory>,
) -> Slow {
    let mut laid = Laid::new(block_pages, directory);
    let capacity = flash_pages / usize::try_from(block_pages).expect("few");
    let pages_of = |block: u64| block * block_pages..(block + 1) * block_pages;
    let mut ram = Tier::new(ram_policy, ram_pages);
    let mut flash = Tier::new(flash_policy, capacity);
    // Blocks on flash, referenced least recently first.
    let mut recent: Vec<u64> = Vec::new();
    let mut count = Counted::default();
    let by_block = by_block(block_pages, accesses);
    for (now, &(page, write)) in accesses.iter().enumerate() {
        ram.see(accesses, now);
        flash.see(&by_block, now);
        laid.see(page);
        if ram.has(page) {
            count.ram_hits += 1;
            ram.hit(page);
            if write {
                ram.soil(page);
            }
            continue;
        }
        let home = page / block_pages;
        laid.look_up(&mut count, home);
        let hit = flash.has(home);
        if let Some((victim, dirty)) = ram.victim(page) {
            let block = victim / block_pages;
            if dirty {
                count.flash_page_writes += 1;
                laid.write(victim);
                count.flash_page_overwrites += 1;
                laid.update(&mut count, block);
                flash.soil(block);
                flash.hit(block);
                recent.retain(|&other| other != block);
                recent.push(block);
            }
            if !pages_of(block).any(|page| ram.has(page)) {
                flash.released(block);
            }
        }
        if hit {
            laid.update(&mut count, home);
            count.flash_hits += 1;
            flash.hit(home);
        } else {
            count.flash_misses += 1;
            if recent.len() == capacity {
                let busy = |block: u64| pages_of(block).any(|page| ram.has(page));
                let (block, mut dirty) = if recent.iter().all(|&block| busy(block)) {
                    (recent[0], flash.take(recent[0]))
                } else {
                    flash.victim_but(home, &busy).expect("full")
                };
                recent.retain(|&other| other != block);
                let gone: Vec<u64> = pages_of(block).filter(|&page| ram.has(page)).collect();
                for page in gone {
                    dirty |= ram.take(page);
                    count.back_invalidations += 1;
                }
                laid.leave(block, pages_of(block));
                laid.update(&mut count, block);
                if dirty {
                    count.hdd_block_writes += 1;
                    count.hdd_block_pages_written += block_pages;
                }
            }
            count.hdd_block_reads += 1;
            count.flash_block_writes += 1;
            count.frames_taken += 1;
            for page in pages_of(home) {
                laid.write(page);
            }
            laid.update(&mut count, home);
            flash.add(home, false);
        }
        recent.retain(|&other| other != home);
        recent.push(home);
        ram.add(page, write);
    }
    Slow {
        count,
        heard: laid.heard,
        directory_writes: laid.directory_writes,
    }
}
