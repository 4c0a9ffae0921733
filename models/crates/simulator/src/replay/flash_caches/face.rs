//! `FaCE`: flash as cache extension. Multi-version FIFO and group second chance.

use super::checkpoints::{BY_ACCESSES_ABOUT, BY_TIME_ABOUT, TO_ABOUT, Target};
use super::options::Options;
use super::rate::ACCESSES_PER_SECOND;
use super::{
    Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host, OptionAbout,
    Sampled, Unsampled, usual_unit,
};
use crate::error::Result;
use crate::replay::Totals;
use crate::replay::bits::BitSet;
use crate::replay::fetch::fetch;
use crate::replay::metadata::MetadataLayout;
use crate::replay::two_tier::Warning;

/// Flags of a slot: the newest version on flash, newer than the disk's copy, read since enqueued.
const VALID: u8 = 1;
const DIRTY: u8 = 2;
const REFERENCED: u8 = 4;

/// No valid slot.
const ABSENT: u32 = u32::MAX;

/// Bytes of a metadata entry: page, frame, flags, LSN, checksum.
const ENTRY_BYTES: u64 = 32;
/// Slots dequeued together by group second chance: 256 KiB of 4 KiB pages, as in section 6.4.
const GSC_SCAN_DEPTH: u64 = 64;
/// Entries of a metadata segment, as in section 6.8.
const SEGMENT_ENTRIES: u64 = 64_000;

/// When a changed DRAM victim reaches the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sync {
    Back,
    Through,
    Around,
}

/// Which DRAM victims flash takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    Mixed,
    DirtyOnly,
    CleanOnly,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) sync: Sync,
    pub(crate) admission: Admission,
    pub(crate) second_chance: bool,
    pub(crate) scan_depth: u32,
    /// Whether victims are pulled until a batch is full, instead of one for each free slot.
    pub(crate) fills_batches: bool,
    pub(crate) clear_dirty_on_stage_out: bool,
    pub(crate) segment_entries: u64,
    pub(crate) page_bytes: u64,
}

impl Settings {
    /// Pages of a segment.
    fn segment_pages(&self) -> u64 {
        (self.segment_entries * ENTRY_BYTES).div_ceil(self.page_bytes)
    }

    /// Segments that describe so many slots.
    fn segments(&self, slots: u32) -> u64 {
        u64::from(slots).div_ceil(self.segment_entries)
    }
}

/// Algorithm 1 and section 4.3 of Kang, Lee and Moon.
///
/// ```text
/// fetch p from disk:    dirty = fdirty = false
/// fetch p from flash:   fdirty = false; dirty = slot.dirty; slot.ref = true; the slot stays valid
/// update p in DRAM:     dirty = fdirty = true
/// evict p from DRAM:    if fdirty or p has no valid slot:
///                           invalidate p's old slot (no I/O), make room, append p {dirty, valid}
///                       else: drop
/// make room:            if the queue is full: dequeue `scan_depth` slots from the front;
///                         valid and ref (with second chance): append again, ref cleared
///                         valid and dirty: write to disk; everything else: drop
///                       if all had ref: the front-most is forced out
/// after p is appended:  pull victims from DRAM, each under the rule above,
///                         `batch_fill=full`: until `scan_depth` slots are filled or DRAM is empty, also
///                           while the queue is not full yet
///                         `batch_fill=once`: as many as the batch has room for; one that needs no slot
///                           leaves its slot free, which later evictions fill one by one
/// checkpoint:           every p of DRAM with fdirty stays there: fdirty = false
///                         `checkpoint_to=flash`: the rule above as if p left DRAM; `dirty` stays true, as
///                           the slot that p gets is newer than the disk
///                         `checkpoint_to=disk`: write p to disk, invalidate its old slot; dirty = false
/// ```
///
/// `fdirty` is the *changed* bit of DRAM, `dirty` is `newer_than_disk` here. mvFIFO is
/// `scan_depth` 1 without second chance. A write operation is what one eviction appends:
/// survivors, the page itself, pulled pages.
///
/// Write-through writes a changed victim to disk too and stores it clean. Write-around writes it
/// to disk only and invalidates its slot; so does clean-only admission. Dirty-only admission
/// drops victims that are not `dirty`.
///
/// Choices where the paper is silent:
/// * A page that is pulled is the next of the order of eviction of whatever policy DRAM has, as if it were
///   its turn: hands move on, bits and counters are spent, ghosts are noted. The page being fetched has
///   had its say with the first victim; the pulled ones follow as for a page that was never seen (ARC:
///   REPLACE with `p` as it is; 2Q: RECLAIM; S3-FIFO: the queues by their lengths; OPT: the farthest).
/// * As printed, staging a slot out does not clear `dirty` of an unchanged DRAM copy, whose later
///   eviction is then written to disk once more; `clear_dirty_on_stage_out` mends it.
/// * The page being fetched may lose its slot while room is made; its flags were noted before.
/// * GSC reads its group in one batch; without second chance only slots to be written to disk are
///   read, one by one.
/// * Checkpoints (section 6.1: all dirty pages in DRAM are flushed to flash instead of disk) write pages in the order in
///   which the trace first accesses them, in batches of `scan_depth` whatever `batch_fill` is: the next pages of
///   the checkpoint fill a batch, not victims, so nothing leaves DRAM and bits, hands and ghosts of its policy stay
///   as they are. Dirty pages on flash take no part: flash is as permanent as the disk, so the checkpoint is complete
///   once DRAM is unchanged. One to disk makes the slot of an older version invalid, as write-around does: it
///   would be served, and written over the disk's newer one, once the page has left DRAM unchanged. Writing
///   the slot again as well would be a checkpoint to both.
/// * `scan_depth` is bounded by the pages of an erase block (section 4.3), so it does not shrink with flash as units do;
///   a flash with fewer slots is one group.
/// * Metadata: an entry of 32 bytes for each append; a full segment is one sequential write. A segment describes so many
///   slots, so by default it shrinks with flash as a unit of slots does: else a small flash would never write one. A
///   newer version makes the older entries of its page void by its place in the log, so that
///   needs no write. An invalidation without a newer version (write-around, clean-only) does:
///   else a restart would bring a stale page back. It is one random metadata page write, at once.
/// * A warm restart reads the segments on flash that describe slots in use, and scans the data
///   pages of the segment in memory and of the one before it, whose write may have been under
///   way. References are lost.
#[derive(Debug)]
pub(crate) struct Face {
    settings: Settings,
    capacity: u32,
    /// The circular queue: page and flags of each slot; grows until the capacity is reached.
    pages: Vec<u32>,
    flags: Vec<u8>,
    front: u32,
    used: u32,
    /// Valid slot of each page.
    slot_of: Vec<u32>,
    /// DRAM pages newer than their disk copy.
    newer_than_disk: BitSet,
    valid: u32,
    appended: u64,
    dequeued: u64,
    /// Scratch of `make_room`.
    survivors: Vec<(u32, u8)>,
}

/// What becomes of a page that leaves DRAM, or that a checkpoint writes.
struct Ruled {
    /// The flags to append it with, if at all.
    flags: Option<u8>,
    to_disk: bool,
}

/// The queue as a restart finds it: oldest slot first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) slots: Vec<(u32, u8)>,
    /// Frame of the oldest slot.
    pub(crate) front: u32,
    pub(crate) appended: u64,
    pub(crate) dequeued: u64,
}

impl Face {
    /// A page leaves DRAM: the flags to append it with, if at all.
    #[inline]
    fn leave(&mut self, exit: Exit, host: &mut impl Host) -> Option<u8> {
        let Exit { page, changed } = exit;
        let dirty = self.newer_than_disk.take(page);
        let on_flash = self.slot_of[page as usize] != ABSENT;
        host.counters().victims_found_on_flash += u64::from(on_flash);
        let ruled = self.rule(page, changed, dirty, host);
        host.counters().disk_writes_on_exit += u64::from(ruled.to_disk);
        ruled.flags
    }

    /// The eviction rule, without making room.
    #[inline]
    fn rule(&mut self, page: u32, changed: bool, dirty: bool, host: &mut impl Host) -> Ruled {
        let on_flash = self.slot_of[page as usize] != ABSENT;
        let Settings {
            sync, admission, ..
        } = self.settings;
        if dirty && (sync == Sync::Around || admission == Admission::CleanOnly) {
            self.pass_flash(page, host);
            return Ruled {
                flags: None,
                to_disk: true,
            };
        }
        if !dirty && admission == Admission::DirtyOnly || !changed && on_flash {
            return Ruled {
                flags: None,
                to_disk: false,
            };
        }
        if on_flash {
            self.invalidate(page, host);
            host.counters().flash_write_backs += 1;
        } else {
            host.counters().flash_fills += 1;
        }
        let to_disk = sync == Sync::Through && changed;
        let is_newer = dirty && !to_disk;
        Ruled {
            flags: Some(if is_newer { VALID | DIRTY } else { VALID }),
            to_disk,
        }
    }

    /// The disk gets a version that flash does not: what flash has is old.
    #[inline]
    fn pass_flash(&mut self, page: u32, host: &mut impl Host) {
        if self.slot_of[page as usize] != ABSENT {
            let place = self.place_of_entry(self.slot_of[page as usize]);
            self.invalidate(page, host);
            host.metadata_write(place);
        }
    }

    /// The next page that a checkpoint appends, with its flags; what it writes to disk alone on the way is done.
    fn next_of_checkpoint(
        &mut self,
        from: &mut u32,
        target: Target,
        host: &mut impl Host,
    ) -> Option<(u32, u8)> {
        loop {
            let page = host.take_changed(*from)?;
            *from = page + 1;
            let ruled = if target == Target::Disk {
                self.pass_flash(page, host);
                Ruled {
                    flags: None,
                    to_disk: true,
                }
            } else {
                self.rule(page, true, true, host)
            };
            if ruled.to_disk {
                host.counters().disk_writes_by_checkpoint += 1;
                self.newer_than_disk.take(page);
            }
            if let Some(flags) = ruled.flags {
                host.counters().flash_writes_by_checkpoint += 1;
                return Some((page, flags));
            }
        }
    }

    /// Makes room where the queue is full; the answer is how many slots a batch has besides the first.
    #[inline]
    fn begin_batch(&mut self, host: &mut impl Host) -> u32 {
        if self.used == self.capacity {
            self.make_room(host)
        } else {
            self.settings.scan_depth.min(self.capacity - self.used) - 1
        }
    }

    #[inline]
    fn invalidate(&mut self, page: u32, host: &mut impl Host) {
        let slot = std::mem::replace(&mut self.slot_of[page as usize], ABSENT);
        self.flags[slot as usize] &= !VALID;
        self.valid -= 1;
        host.counters().flash_invalidations += 1;
    }

    /// The metadata page that has the entry of a slot, or will have it once its segment is full.
    fn place_of_entry(&self, slot: u32) -> u32 {
        let Settings {
            segment_entries,
            page_bytes,
            ..
        } = self.settings;
        let behind_front = if slot >= self.front {
            slot - self.front
        } else {
            slot + (self.capacity - self.front)
        };
        let entry = self.appended - u64::from(self.used) + u64::from(behind_front);
        let segment = entry / segment_entries % self.settings.segments(self.capacity);
        let page = segment * self.settings.segment_pages()
            + entry % segment_entries * ENTRY_BYTES / page_bytes;
        u32::try_from(page).unwrap_or(u32::MAX)
    }

    /// Where the next slot goes.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a remainder of a u32 is one"
    )]
    fn rear(&self) -> u32 {
        ((u64::from(self.front) + u64::from(self.used)) % u64::from(self.capacity)) as u32
    }

    #[inline]
    fn append(&mut self, page: u32, flags: u8) {
        let slot = self.rear();
        if slot as usize == self.pages.len() {
            self.pages.push(page);
            self.flags.push(flags);
        } else {
            self.pages[slot as usize] = page;
            self.flags[slot as usize] = flags;
        }
        self.slot_of[page as usize] = slot;
        self.used += 1;
        self.valid += 1;
        self.appended += 1;
    }

    /// Writes the slots from `first` on that were appended since there were `before` of them, and the segments that are full.
    fn write_appended(&mut self, first: u32, before: u64, host: &mut impl Host) {
        let pages = u32::try_from(self.appended - before).unwrap_or(u32::MAX);
        host.flash_write(first, pages);
        let entries = self.settings.segment_entries;
        for _ in before / entries..self.appended / entries {
            host.metadata_append(entries * ENTRY_BYTES);
        }
    }

    /// Dequeues a group from the full queue; the answer is how many pages to pull from DRAM.
    fn make_room(&mut self, host: &mut impl Host) -> u32 {
        let Settings {
            second_chance,
            scan_depth,
            ..
        } = self.settings;
        if second_chance {
            host.counters().flash_batch_reads += 1;
            host.counters().flash_batch_read_pages += u64::from(scan_depth);
        }
        host.flash_trim(self.front, scan_depth);
        let mut survivors = std::mem::take(&mut self.survivors);
        for _ in 0..scan_depth {
            let slot = self.front as usize;
            let (page, flags) = (self.pages[slot], self.flags[slot]);
            self.front += 1;
            if self.front == self.capacity {
                self.front = 0;
            }
            self.used -= 1;
            self.dequeued += 1;
            if flags & VALID == 0 {
                continue;
            }
            self.slot_of[page as usize] = ABSENT;
            self.valid -= 1;
            if second_chance && flags & REFERENCED != 0 {
                survivors.push((page, flags & !REFERENCED));
            } else {
                self.stage_out(page, flags, host);
            }
        }
        let mut first = 0;
        if survivors.len() == scan_depth as usize {
            host.counters().forced_out += 1;
            let (page, flags) = survivors[0];
            self.stage_out(page, flags, host);
            first = 1;
        }
        for &(page, flags) in &survivors[first..] {
            self.append(page, flags);
            host.counters().requeued += 1;
        }
        survivors.clear();
        self.survivors = survivors;
        self.capacity - self.used - 1
    }

    #[inline]
    fn stage_out(&mut self, page: u32, flags: u8, host: &mut impl Host) {
        host.counters().flash_evictions += 1;
        if flags & DIRTY == 0 {
            return;
        }
        host.counters().disk_writes_on_stage_out += 1;
        if !self.settings.second_chance {
            host.counters().flash_stage_out_reads += 1;
        }
        if self.settings.clear_dirty_on_stage_out && !host.dram_page_changed(page) {
            self.newer_than_disk.take(page);
        }
    }

    /// Slots, oldest first.
    fn slots(&self) -> impl Iterator<Item = (u32, u8)> {
        let first = self.front as usize;
        let to_end = (self.used as usize).min(self.pages.len() - first);
        let wrapped = self.used as usize - to_end;
        (first..first + to_end)
            .chain(0..wrapped)
            .map(|slot| (self.pages[slot], self.flags[slot]))
    }
}

impl FlashCache for Face {
    type Settings = Settings;
    type Image = Image;
    type Device = Frames;

    const OPTIONS: &'static [OptionAbout] = &[
        OptionAbout {
            name: "mode",
            values: "write_back, write_through, write_around",
            default: "write_back",
            description: "When a changed DRAM victim reaches the disk: as it leaves flash, at once with flash, or at once without flash.",
            is_place: false,
        },
        OptionAbout {
            name: "admission",
            values: "mixed, dirty_only, clean_only, cachesack",
            default: "mixed",
            description: "Which DRAM victims flash admits.",
            is_place: false,
        },
        OptionAbout {
            name: "replacement",
            values: "gsc, mvfifo",
            default: "gsc",
            description: "Group second chance, or plain multi-version FIFO.",
            is_place: false,
        },
        OptionAbout {
            name: "scan_depth",
            values: "1 to the number of flash pages",
            default: "64 for gsc (all of a smaller flash), 1 for mvfifo",
            description: "Slots dequeued together, and the pages of a batch write.",
            is_place: false,
        },
        OptionAbout {
            name: "batch_fill",
            values: "full, once",
            default: "full",
            description: "Victims pulled from DRAM for a batch: until each of its slots is filled, or one for each free slot, which stays free if that victim needs none.",
            is_place: false,
        },
        OptionAbout {
            name: "clear_dirty_on_stage_out",
            values: "false, true",
            default: "false",
            description: "Whether writing a slot to disk makes its unchanged DRAM copy clean (true) or, as printed, leaves it to be written again (false).",
            is_place: false,
        },
        OptionAbout {
            name: "metadata_segment_entries",
            values: "1 to 4294967295",
            default: "64000, at most 1/16 of flash",
            description: "Entries of 32 bytes collected in memory before they are written to flash as one segment.",
            is_place: false,
        },
        BY_ACCESSES_ABOUT,
        BY_TIME_ABOUT,
        TO_ABOUT,
        ACCESSES_PER_SECOND,
    ];

    fn settings(options: &Options<'_>, run: Conditions) -> Result<Settings> {
        let sync = options.choice(
            "mode",
            &[
                ("write_back", Sync::Back),
                ("write_through", Sync::Through),
                ("write_around", Sync::Around),
            ],
        )?;
        let admission = options.choice(
            "admission",
            &[
                ("mixed", Admission::Mixed),
                ("dirty_only", Admission::DirtyOnly),
                ("clean_only", Admission::CleanOnly),
            ],
        )?;
        let second_chance = options.choice("replacement", &[("gsc", true), ("mvfifo", false)])?;
        let most = u64::from(run.flash_pages).max(1);
        let usual = if second_chance {
            GSC_SCAN_DEPTH.min(most)
        } else {
            1
        };
        let scan_depth = options.number_or("scan_depth", 1..=most, usual)?;
        Ok(Settings {
            sync,
            admission,
            second_chance,
            scan_depth: u32::try_from(scan_depth).unwrap_or(u32::MAX),
            fills_batches: options.choice("batch_fill", &[("full", true), ("once", false)])?,
            clear_dirty_on_stage_out: options.flag("clear_dirty_on_stage_out")?,
            segment_entries: options.number_or(
                "metadata_segment_entries",
                1..=u64::from(u32::MAX),
                usual_unit(SEGMENT_ENTRIES, run.flash_pages),
            )?,
            page_bytes: run.page_bytes,
        })
    }

    fn warnings(settings: &Settings, totals: Totals) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if settings.admission != Admission::DirtyOnly {
            return warnings;
        }
        let message = if settings.sync == Sync::Around {
            "write-around keeps dirty pages off flash and dirty_only keeps clean ones off: flash stayed empty"
        } else if totals.write_accesses == 0 && totals.accesses > 0 {
            "dirty_only admits changed pages, and the trace has no writes: flash stayed empty"
        } else {
            return warnings;
        };
        warnings.push(Warning {
            name: "nothing_admitted",
            message: message.to_owned(),
            hint: "use admission=mixed".to_owned(),
        });
        warnings
    }

    fn fills_at_once(settings: &Settings) -> u64 {
        if settings.fills_batches {
            u64::from(settings.scan_depth).max(2)
        } else {
            2
        }
    }

    fn metadata(settings: &Settings, run: Conditions) -> Option<MetadataLayout> {
        Some(MetadataLayout {
            log: settings.segments(run.flash_pages) * settings.segment_pages(),
            words: "a ring of segments behind the data, as many as describe all slots",
            ..MetadataLayout::default()
        })
    }

    fn segment_bytes(settings: &Settings) -> u64 {
        settings.segment_entries * ENTRY_BYTES
    }

    fn sampled(settings: &Settings) -> std::result::Result<Sampled, Unsampled> {
        if settings.scan_depth > 1 {
            return Err(Unsampled::unless(
                "scan_depth=1",
                "its batches of slots do not shrink with flash",
            ));
        }
        Ok(Sampled {
            // A segment of the directory has as many entries in any flash.
            untold: &["metadata_segment_bytes", "metadata_segments"],
            ..Sampled::appended(1.0)
        })
    }

    fn new(flash_pages: u32, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            capacity: flash_pages,
            pages: Vec::new(),
            flags: Vec::new(),
            front: 0,
            used: 0,
            slot_of: Vec::new(),
            newer_than_disk: BitSet::default(),
            valid: 0,
            appended: 0,
            dequeued: 0,
            survivors: Vec::new(),
        }
    }

    fn grow(&mut self, pages: usize) {
        if pages > self.slot_of.len() {
            self.slot_of.resize(pages, ABSENT);
        }
        self.newer_than_disk.grow(pages);
    }

    fn fetch(&self, pages: &[u32]) {
        fetch(&self.slot_of, pages);
    }

    #[inline]
    fn lookup(&mut self, page: u32, _host: &mut impl Host) -> bool {
        let slot = self.slot_of[page as usize];
        if slot == ABSENT {
            return false;
        }
        let flags = &mut self.flags[slot as usize];
        *flags |= REFERENCED;
        self.newer_than_disk.insert_if(page, *flags & DIRTY != 0);
        true
    }

    #[inline]
    fn on_update(&mut self, page: u32, _host: &mut impl Host) {
        self.newer_than_disk.insert(page);
    }

    #[inline]
    fn holds(&self, page: u32) -> bool {
        self.slot_of[page as usize] != ABSENT
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        let Some(flags) = self.leave(exit, host) else {
            return;
        };
        let (first, before) = (self.rear(), self.appended);
        let fills = self.settings.fills_batches;
        let mut room_in_batch = if fills || self.used == self.capacity {
            self.begin_batch(host)
        } else {
            0
        };
        self.append(exit.page, flags);
        while room_in_batch > 0 {
            let Some(pulled) = host.pull() else { break };
            let taken = self.leave(pulled, host);
            if let Some(flags) = taken {
                self.append(pulled.page, flags);
            }
            room_in_batch -= u32::from(taken.is_some() || !fills);
        }
        self.write_appended(first, before, host);
    }

    fn checkpoint(&mut self, target: Target, host: &mut impl Host) {
        let mut from = 0;
        while let Some((page, flags)) = self.next_of_checkpoint(&mut from, target, host) {
            let (first, before) = (self.rear(), self.appended);
            let mut room_in_batch = self.begin_batch(host);
            self.append(page, flags);
            while room_in_batch > 0
                && let Some((page, flags)) = self.next_of_checkpoint(&mut from, target, host)
            {
                self.append(page, flags);
                room_in_batch -= 1;
            }
            self.write_appended(first, before, host);
        }
    }

    fn image(self) -> Image {
        Image {
            slots: self
                .slots()
                .map(|(page, flags)| (page, flags & !REFERENCED))
                .collect(),
            front: self.front,
            appended: self.appended,
            dequeued: self.dequeued,
        }
    }

    fn load(&mut self, image: Image, counters: &mut FlashCacheCounters) {
        let entries = self.settings.segment_entries;
        let segments_full = image.appended / entries;
        let oldest = image.appended - image.slots.len() as u64;
        let scanned_from = (segments_full.saturating_sub(1) * entries).max(oldest);
        counters.restart_pages_scanned += image.appended - scanned_from;
        counters.restart_segments_read += scanned_from / entries - oldest / entries;

        // Slots behind the rear are free: they are as if never written, but keep their place.
        let length = (image.front as usize + image.slots.len()).min(self.capacity as usize);
        self.pages.resize(length, 0);
        self.flags.resize(length, 0);
        self.front = image.front;
        self.dequeued = image.dequeued;
        for (page, flags) in image.slots {
            let slot = self.rear();
            self.pages[slot as usize] = page;
            self.flags[slot as usize] = flags;
            self.used += 1;
            if flags & VALID != 0 {
                self.slot_of[page as usize] = slot;
                self.valid += 1;
            }
        }
        self.appended = image.appended;
    }

    fn valid_copies(&self) -> u64 {
        u64::from(self.valid)
    }

    fn holds_newer(&self, page: u32) -> bool {
        let slot = self.slot_of[page as usize];
        slot != ABSENT && self.flags[slot as usize] & DIRTY != 0
    }

    fn dirty_copies(&self) -> u64 {
        self.slots()
            .filter(|(_, flags)| flags & (VALID | DIRTY) == VALID | DIRTY)
            .count() as u64
    }

    fn slots_used(&self) -> u64 {
        u64::from(self.used)
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        let marked = self.slots().filter(|(_, flags)| flags & VALID != 0);
        let mapped = self.slot_of.iter().filter(|&&slot| slot != ABSENT);
        let (marked, mapped) = (marked.count(), mapped.count());
        if marked != self.valid as usize || mapped != marked || self.used > self.capacity {
            return Err(format!(
                "{} of {} slots are in use, {marked} marked valid and {mapped} mapped, {} counted",
                self.used, self.capacity, self.valid
            ));
        }
        let astray = self.slot_of.iter().zip(0_u32..).find(|&(&slot, page)| {
            slot != ABSENT
                && (self.pages[slot as usize] != page || self.flags[slot as usize] & VALID == 0)
        });
        if let Some((slot, page)) = astray {
            return Err(format!(
                "page {page} is mapped to slot {slot}, which is not its own"
            ));
        }
        let cold = crash.filter(|crash| !crash.warm);
        let before = cold.map_or(0, |crash| crash.counters_before.flash_writes());
        if counters.flash_writes() - before != self.appended
            || self.appended != self.dequeued + u64::from(self.used)
        {
            return Err(format!(
                "{} flash page writes ({before} before a cold restart), {} appends, {} dequeued slots and {} in use do not add up",
                counters.flash_writes(),
                self.appended,
                self.dequeued,
                self.used
            ));
        }
        let lost = cold.map_or(0, |crash| crash.flash_pages_lost);
        let gone =
            counters.flash_evictions + counters.flash_invalidations + u64::from(self.valid) + lost;
        if counters.flash_fills + counters.flash_write_backs != gone {
            return Err(format!(
                "{} fills and {} write-backs, but {gone} copies left flash, were lost or are there",
                counters.flash_fills, counters.flash_write_backs
            ));
        }
        Ok(())
    }
}
