//! What one access, or what a cache does in the background, asks of the devices: differences of counters.

use super::Operation;
use super::stations::Station;
use crate::replay::directory::DirectoryCounters;
use crate::replay::flash_blocks::BlockCounters;
use crate::replay::flash_caches::FlashCacheCounters;
use crate::replay::translation::Below as _;
use crate::replay::two_tier::{Flow, SchemeCounters};

/// What the devices are asked for besides the read that an access waits for.
///
/// It is done in three steps, each when the one before is over. The operations of a step arrive together where a
/// flash cache works in groups; those of a scheme, which moves single pages and blocks, one after the other:
///
/// ```text
/// reads:         single pages and batches of flash, batches of the disk
/// disk writes:   single pages and batches; of a scheme the last is with the pages behind it where it is a block
/// flash writes:  single pages, and pages in batches; of a scheme the block first
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Work {
    flash_reads: u32,
    flash_batch_pages_read: u32,
    disk_batches_read: u32,
    disk_batch_pages_read: u32,
    disk_writes: u32,
    /// Behind the first pages of those that are batches.
    disk_pages_written_behind: u32,
    flash_writes: u32,
    flash_batch_pages_written: u32,
    one_by_one: bool,
}

impl Work {
    pub(super) fn is_none(self) -> bool {
        !self.reads() && self.disk_writes == 0 && !self.writes_flash()
    }

    fn reads(self) -> bool {
        self.flash_reads + self.flash_batch_pages_read + self.disk_batches_read > 0
    }

    fn writes_flash(self) -> bool {
        self.flash_writes + self.flash_batch_pages_written > 0
    }

    /// Begins what is next, and says when the last operation of it is answered; what is left is to begin then.
    pub(super) fn begin(&mut self, now_ns: f64, flash: &mut Station, disk: &mut Station) -> f64 {
        let together = |count: &mut u32, one_by_one: bool| {
            let begun = if one_by_one { (*count).min(1) } else { *count };
            *count -= begun;
            begun
        };
        if self.one_by_one && self.flash_reads > 0 {
            self.flash_reads -= 1;
            flash.serve(Operation::Read, now_ns)
        } else if self.reads() {
            let single = flash.serve_all(Operation::Read, self.flash_reads, now_ns);
            let pages = self.flash_batch_pages_read;
            let batch = flash.serve_all(Operation::BatchRead, pages, now_ns);
            // The first page of a batch of the disk is a read, the others follow it on the disk.
            let batches = self.disk_batches_read;
            let first = disk.serve_all(Operation::Read, batches, now_ns);
            let others = self.disk_batch_pages_read.saturating_sub(batches);
            let rest = disk.serve_all(Operation::BatchRead, others, now_ns);
            (self.flash_reads, self.flash_batch_pages_read) = (0, 0);
            (self.disk_batches_read, self.disk_batch_pages_read) = (0, 0);
            single.max(batch).max(first).max(rest)
        } else if self.disk_writes > 0 {
            let writes = together(&mut self.disk_writes, self.one_by_one);
            let first = disk.serve_all(Operation::Write, writes, now_ns);
            let behind = if self.disk_writes == 0 {
                std::mem::take(&mut self.disk_pages_written_behind)
            } else {
                0
            };
            first.max(disk.serve_all(Operation::BatchWrite, behind, now_ns))
        } else {
            let pages = std::mem::take(&mut self.flash_batch_pages_written);
            let batch = flash.serve_all(Operation::BatchWrite, pages, now_ns);
            if self.one_by_one && pages > 0 {
                return batch;
            }
            let writes = together(&mut self.flash_writes, self.one_by_one);
            batch.max(flash.serve_all(Operation::Write, writes, now_ns))
        }
    }
}

/// The read that an access waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    Flash,
    Disk {
        /// Where it is a block: the pages behind the first.
        behind: u32,
    },
}

impl Read {
    /// Begins it, and says when it is answered.
    pub(super) fn begin(self, now_ns: f64, flash: &mut Station, disk: &mut Station) -> f64 {
        match self {
            Self::Flash => flash.serve(Operation::Read, now_ns),
            Self::Disk { behind } => {
                let first = disk.serve(Operation::Read, now_ns);
                first.max(disk.serve_all(Operation::BatchRead, behind, now_ns))
            }
        }
    }
}

/// What an access asks of the devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Whether a page of a directory on flash is read first, which says where the page lies.
    pub(super) finds: bool,
    /// None where RAM has the page.
    pub(super) read: Option<Read>,
    pub(super) work: Work,
}

/// What an access that missed flash or hit it reads, `behind` pages after the first of the disk.
fn read(missed: bool, hit: bool, behind: u32) -> Option<Read> {
    if missed {
        Some(Read::Disk { behind })
    } else {
        hit.then_some(Read::Flash)
    }
}

/// What is counted of a scheme, of blocks where it has any, and of a directory on flash.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FlowCounters {
    pub(super) scheme: SchemeCounters,
    pub(super) blocks: BlockCounters,
    pub(super) block_pages: u32,
    pub(super) directory: DirectoryCounters,
}

impl FlowCounters {
    #[inline]
    pub(super) fn of(flow: &mut impl Flow) -> Self {
        Self {
            scheme: flow.counters(),
            blocks: flow.blocks(),
            block_pages: flow.frame_pages(),
            directory: flow.below().directory_counted(),
        }
    }
}

/// Counters of a replay, of which those of an access are differences.
pub(crate) trait ByClass: Copy {
    /// What was asked for between two moments; pages of metadata segments have `page_bytes`.
    fn asked_since(&self, before: &Self, page_bytes: u64) -> Asked;
}

#[expect(clippy::cast_possible_truncation, reason = "what an access asks for")]
const fn since(after: u64, before: u64) -> u32 {
    (after - before) as u32
}

impl ByClass for FlowCounters {
    #[inline]
    fn asked_since(&self, before: &Self, _page_bytes: u64) -> Asked {
        let (scheme, scheme_before) = (&self.scheme, &before.scheme);
        let (blocks, blocks_before) = (&self.blocks, &before.blocks);
        let (directory, directory_before) = (&self.directory, &before.directory);
        let fetched = since(scheme.hdd_block_fetches, scheme_before.hdd_block_fetches);
        // What is not fetched for a victim is what the access itself reads.
        let blocks_read = since(blocks.hdd_block_reads, blocks_before.hdd_block_reads) - fetched;
        let blocks_written = since(blocks.flash_block_writes, blocks_before.flash_block_writes);
        let pages_behind =
            |counters: &BlockCounters| counters.hdd_block_pages_written - counters.hdd_block_writes;
        let finds = since(directory.finds, directory_before.finds);
        Asked {
            finds: finds > 0,
            read: read(
                scheme.flash_misses > scheme_before.flash_misses,
                scheme.flash_hits > scheme_before.flash_hits,
                blocks_read * (self.block_pages - 1),
            ),
            work: Work {
                flash_reads: since(directory.reads, directory_before.reads) - finds,
                disk_batches_read: fetched,
                disk_batch_pages_read: fetched * self.block_pages,
                disk_writes: since(scheme.hdd_writes, scheme_before.hdd_writes),
                disk_pages_written_behind: since(pages_behind(blocks), pages_behind(blocks_before)),
                flash_writes: since(scheme.flash_writes(), scheme_before.flash_writes())
                    - blocks_written
                    + since(directory.writes, directory_before.writes),
                flash_batch_pages_written: blocks_written * self.block_pages,
                one_by_one: true,
                ..Work::default()
            },
        }
    }
}

impl ByClass for FlashCacheCounters {
    fn asked_since(&self, before: &Self, page_bytes: u64) -> Asked {
        let segments = self.metadata_segments - before.metadata_segments;
        let segment_bytes = self.metadata_segment_bytes - before.metadata_segment_bytes;
        let segment_pages = segment_bytes
            .checked_div(segments)
            .map_or(0, |bytes| segments * bytes.div_ceil(page_bytes));
        Asked {
            finds: false,
            read: read(
                self.flash_misses > before.flash_misses,
                self.flash_hits > before.flash_hits,
                0,
            ),
            work: Work {
                flash_reads: since(self.flash_stage_out_reads, before.flash_stage_out_reads),
                flash_batch_pages_read: since(
                    self.flash_batch_read_pages,
                    before.flash_batch_read_pages,
                ),
                disk_batches_read: since(self.disk_batch_reads, before.disk_batch_reads),
                disk_batch_pages_read: since(
                    self.disk_batch_read_pages,
                    before.disk_batch_read_pages,
                ),
                disk_writes: since(
                    self.hdd_writes() - self.disk_pages_written_behind(),
                    before.hdd_writes() - before.disk_pages_written_behind(),
                ),
                disk_pages_written_behind: since(
                    self.disk_pages_written_behind(),
                    before.disk_pages_written_behind(),
                ),
                flash_writes: since(
                    self.flash_random_page_writes + self.metadata_random_page_writes,
                    before.flash_random_page_writes + before.metadata_random_page_writes,
                ),
                flash_batch_pages_written: since(
                    self.flash_sequential_page_writes + segment_pages,
                    before.flash_sequential_page_writes,
                ),
                one_by_one: false,
            },
        }
    }
}
