//! Frames that any page may take, one copy of a page, and a directory of them in memory or on flash.

use super::chains::NONE;
use super::options::Options;
use super::{Conditions, FlashCacheCounters, Host, OptionAbout, recount_single_copies};
use crate::error::Result;
use crate::replay::bits::BitSet;
use crate::replay::fetch::fetch;
use crate::replay::metadata::MetadataLayout;
use crate::replay::room::{Room, Vacancies};

/// Bytes of an entry of a directory on flash, as `FaCE` has it: no source states that of another one.
const ENTRY_BYTES: u64 = 32;

/// Where the directory is.
pub(super) const DIRECTORY: OptionAbout = OptionAbout {
    name: "directory",
    values: "memory, persistent",
    default: "memory",
    description: "Whether the directory of flash pages survives a crash; persistent costs two random metadata page writes per change.",
    is_place: false,
};

/// Entries of a page of the directory on flash; none where the directory is in memory.
pub(crate) type EntriesOnFlash = Option<u32>;

/// Of a directory on flash.
pub(super) fn entries_on_flash(run: Conditions) -> EntriesOnFlash {
    u32::try_from(run.entries_of(ENTRY_BYTES, u64::from(u32::MAX))).ok()
}

/// Where a directory on flash lies.
pub(super) fn layout(directory: EntriesOnFlash, run: Conditions) -> Option<MetadataLayout> {
    directory.map(|_| {
        MetadataLayout::table(
            run.table_pages(run.flash_pages, ENTRY_BYTES),
            "a table behind the data, written in place: 32 bytes for each flash page",
        )
    })
}

/// The directory that is asked for; a warm restart needs a persistent one.
pub(super) fn directory_of(options: &Options<'_>, run: Conditions) -> Result<EntriesOnFlash> {
    let persistent = options.choice("directory", &[("memory", false), ("persistent", true)])?;
    if run.warm_restart && !persistent {
        return Err(options.impossible(
            "directory",
            "does not survive the crash, so there is no warm restart: use directory=persistent or restart=cold",
        ));
    }
    Ok(entries_on_flash(run).filter(|_| persistent))
}

/// Writes the page of a directory on flash that has the entry of a frame.
#[inline]
fn write_entry(directory: EntriesOnFlash, frame: u32, host: &mut impl Host) {
    if let Some(entries) = directory {
        host.metadata_write(frame / entries);
    }
}

/// Writes a page to its frame, whose entry changes: it is made invalid before, and valid after.
#[inline]
pub(super) fn write_recorded(directory: EntriesOnFlash, frame: u32, host: &mut impl Host) {
    write_entry(directory, frame, host);
    host.flash_write(frame, 1);
    write_entry(directory, frame, host);
}

/// The page of a frame left: its entry is made invalid, then free.
pub(super) fn record_free(directory: EntriesOnFlash, frame: u32, host: &mut impl Host) {
    write_entry(directory, frame, host);
    write_entry(directory, frame, host);
}

/// Frames and the pages in them, and which free one is taken next.
#[derive(Debug)]
pub(super) struct FrameTable<R = Room> {
    capacity: u32,
    directory: EntriesOnFlash,
    frame_of: Vec<u32>,
    room: R,
    dirty: BitSet,
    dirty_held: u32,
    held: u32,
}

/// Frame, page and dirty bit of each copy, by frame.
pub(super) type Copies = Vec<(u32, u32, bool)>;

impl<R: Vacancies> FrameTable<R> {
    pub(super) fn new(capacity: u32, directory: EntriesOnFlash) -> Self {
        Self {
            capacity,
            directory,
            frame_of: Vec::new(),
            room: R::new(capacity),
            dirty: BitSet::default(),
            dirty_held: 0,
            held: 0,
        }
    }

    pub(super) fn grow(&mut self, pages: usize) {
        if pages > self.frame_of.len() {
            self.frame_of.resize(pages, NONE);
            self.dirty.grow(pages);
        }
    }

    pub(super) fn fetch(&self, pages: &[u32]) {
        fetch(&self.frame_of, pages);
    }

    /// Reads ahead what is kept of the page that leaves next, if any is held: where it is, the next eviction waits for.
    #[inline]
    pub(super) fn expect(&self, page: u32) {
        std::hint::black_box(self.frame_of.get(page as usize).copied());
    }

    #[inline]
    pub(super) fn holds(&self, page: u32) -> bool {
        self.frame_of[page as usize] != NONE
    }

    /// Whether its copy is newer than the disk's; false where it has none.
    pub(super) fn is_dirty(&self, page: u32) -> bool {
        self.dirty.contains(page)
    }

    /// The frame of a page, [`NONE`] where it has none.
    #[inline]
    pub(super) fn frame(&self, page: u32) -> u32 {
        self.frame_of[page as usize]
    }

    pub(super) fn held(&self) -> u32 {
        self.held
    }

    pub(super) fn dirty_held(&self) -> u32 {
        self.dirty_held
    }

    /// Whether every frame holds a page.
    pub(super) fn is_full(&self) -> bool {
        self.held == self.capacity
    }

    /// A frame that nothing is in, if there is one.
    #[inline]
    pub(super) fn room(&mut self) -> Option<u32> {
        self.room.take()
    }

    fn set_dirty(&mut self, page: u32, dirty: bool) -> bool {
        let before = self.dirty.take(page);
        self.dirty.insert_if(page, dirty);
        self.dirty_held = self.dirty_held + u32::from(dirty) - u32::from(before);
        before
    }

    /// Writes a page into a frame that nothing is in.
    pub(super) fn fill(&mut self, page: u32, frame: u32, dirty: bool, host: &mut impl Host) {
        self.enter(page, frame, dirty);
        host.counters().flash_fills += 1;
        write_recorded(self.directory, frame, host);
    }

    fn enter(&mut self, page: u32, frame: u32, dirty: bool) {
        self.frame_of[page as usize] = frame;
        self.set_dirty(page, dirty);
        self.held += 1;
    }

    /// Writes a page over its copy.
    pub(super) fn overwrite(&mut self, page: u32, dirty: bool, host: &mut impl Host) {
        let becomes_dirty = !self.set_dirty(page, dirty) && dirty;
        self.write_over(page, becomes_dirty, host);
    }

    /// The same of a page that stays as it is, clean or dirty; whether its entry is invalid meanwhile.
    pub(super) fn write_over(&mut self, page: u32, changes: bool, host: &mut impl Host) {
        host.counters().flash_write_backs += 1;
        let directory = self.directory.filter(|_| changes);
        write_recorded(directory, self.frame(page), host);
    }

    /// A page makes room, dirty ones by way of the disk; the frame that it leaves.
    pub(super) fn evict(&mut self, page: u32, host: &mut impl Host) -> u32 {
        let dirty = u64::from(self.set_dirty(page, false));
        let counters = host.counters();
        counters.flash_evictions += 1;
        counters.flash_stage_out_reads += dirty;
        counters.disk_writes_on_stage_out += dirty;
        self.held -= 1;
        std::mem::replace(&mut self.frame_of[page as usize], NONE)
    }

    /// Dirty pages that follow each other on flash and on disk make room: one request reads them, one writes them to disk.
    pub(super) fn release_run(&mut self, pages: &[u32], host: &mut impl Host) {
        let (Some(&first), Ok(length)) = (pages.first(), u32::try_from(pages.len())) else {
            return;
        };
        let frame = self.frame(first);
        for (&page, frame) in pages.iter().zip(frame..) {
            self.lose(page);
            self.room.give_back(frame);
        }
        let counters = host.counters();
        counters.flash_evictions += u64::from(length);
        counters.stage_out_run(u64::from(length));
        counters.evict_run(u64::from(length));
        host.flash_trim(frame, length);
    }

    /// A copy that a crash destroyed: nothing is counted, its frame is not free.
    pub(super) fn lose(&mut self, page: u32) {
        self.set_dirty(page, false);
        self.held -= 1;
        self.frame_of[page as usize] = NONE;
    }

    /// A page leaves because its copy is old.
    pub(super) fn invalidate(&mut self, page: u32, host: &mut impl Host) {
        self.set_dirty(page, false);
        self.held -= 1;
        let frame = std::mem::replace(&mut self.frame_of[page as usize], NONE);
        self.room.give_back(frame);
        host.counters().flash_invalidations += 1;
        host.flash_trim(frame, 1);
        record_free(self.directory, frame, host);
    }

    /// What a crash leaves: every copy, with its dirty bit.
    pub(super) fn copies(&self) -> Copies {
        let pages = (0..).zip(&self.frame_of);
        let mut copies: Vec<_> = pages
            .filter(|&(_, &frame)| frame != NONE)
            .map(|(page, &frame)| (frame, page, self.dirty.contains(page)))
            .collect();
        copies.sort_unstable();
        copies
    }

    /// Puts copies where they were; what lies between them is free, the first frame on top.
    pub(super) fn load(&mut self, copies: &[(u32, u32, bool)]) {
        for &(frame, page, dirty) in copies {
            self.room.take_at(frame);
            self.enter(page, frame, dirty);
        }
        self.room.restarted();
    }

    /// Counts again, with the pages that are `ordered` in some other way.
    pub(super) fn recount(
        &self,
        ordered: usize,
        counters: &FlashCacheCounters,
        crash: Option<&super::CrashReport>,
    ) -> std::result::Result<(), String> {
        let mapped = self.frame_of.iter().filter(|&&frame| frame != NONE);
        recount_single_copies(mapped.count(), ordered, 0, counters, crash)?;
        let used = self.room.taken();
        let dirty = self.dirty.iter().filter(|&page| self.holds(page)).count();
        if ordered != self.held as usize
            || used != ordered
            || self.room.ever_taken() > self.capacity
            || dirty != self.dirty_held as usize
        {
            return Err(format!(
                "{ordered} pages in order, counted as {}, in {used} frames of {}; {dirty} dirty, counted as {}",
                self.held, self.capacity, self.dirty_held
            ));
        }
        Ok(())
    }
}
