//! What one access, or what a cache does in the background, asks of the devices: differences of counters.

use super::Operation;
use super::stations::Station;
use crate::replay::flash_caches::FlashCacheCounters;
use crate::replay::two_tier::SchemeCounters;

/// What the devices are asked for besides the read that an access waits for.
///
/// It is done in three steps, each when the one before is over. The operations of a step arrive together where a
/// flash cache works in groups; those of a scheme, which moves single pages, one after the other:
///
/// ```text
/// reads:         single pages and batches of flash, batches of the disk
/// disk writes
/// flash writes:  single pages, and pages in batches
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Work {
    flash_reads: u32,
    flash_batch_pages_read: u32,
    disk_batches_read: u32,
    disk_batch_pages_read: u32,
    disk_writes: u32,
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
        if self.reads() {
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
            disk.serve_all(Operation::Write, writes, now_ns)
        } else {
            let pages = std::mem::take(&mut self.flash_batch_pages_written);
            let batch = flash.serve_all(Operation::BatchWrite, pages, now_ns);
            let writes = together(&mut self.flash_writes, self.one_by_one);
            batch.max(flash.serve_all(Operation::Write, writes, now_ns))
        }
    }
}

/// What an access asks of the devices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(super) reads_flash: bool,
    pub(super) reads_disk: bool,
    pub(super) work: Work,
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

impl ByClass for SchemeCounters {
    #[inline]
    fn asked_since(&self, before: &Self, _page_bytes: u64) -> Asked {
        Asked {
            reads_flash: self.flash_hits > before.flash_hits,
            reads_disk: self.flash_misses > before.flash_misses,
            work: Work {
                disk_writes: since(self.hdd_writes, before.hdd_writes),
                flash_writes: since(self.flash_writes(), before.flash_writes()),
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
            reads_flash: self.flash_hits > before.flash_hits,
            reads_disk: self.flash_misses > before.flash_misses,
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
                disk_writes: since(self.hdd_writes(), before.hdd_writes()),
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
