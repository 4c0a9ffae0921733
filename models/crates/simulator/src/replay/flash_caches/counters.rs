//! What a flash cache system counts: device operations by class, never time.

use crate::replay::{counters_since, written_as_named};

/// Counts of one replay. All in pages, operations or accesses.
///
/// Flash page writes are split twice: by cause (fills, write-backs, second chances) and by class
/// (sequential, random); both sums are [`Self::flash_writes`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlashCacheCounters {
    /// Accesses found in DRAM.
    pub ram_hits: u64,
    /// DRAM misses served from flash, each by one random flash read.
    pub flash_hits: u64,
    /// DRAM misses served from disk, each by one random disk read.
    pub flash_misses: u64,
    /// DRAM victims that had changed since their last copy below DRAM (`fdirty`).
    pub dirty_evictions: u64,
    /// DRAM victims that had not.
    pub clean_evictions: u64,
    /// DRAM victims taken before DRAM was full, to fill a batch; part of both counts above.
    pub pulled: u64,
    /// DRAM victims with a valid copy on flash.
    pub victims_found_on_flash: u64,
    /// Flash writes of pages that had no valid copy there.
    pub flash_fills: u64,
    /// Flash writes of changed pages that had one: over it, or beside it as a newer version.
    pub flash_write_backs: u64,
    /// Flash writes of pages that were given a second chance.
    pub requeued: u64,
    /// Pages written to flash where the write before ended, or inside a batch.
    pub flash_sequential_page_writes: u64,
    /// Pages written to flash elsewhere.
    pub flash_random_page_writes: u64,
    /// Write operations to flash, each of one or more consecutive pages.
    pub flash_write_batches: u64,
    /// Write operations that started where the one before ended.
    pub flash_sequential_write_batches: u64,
    /// Pages read from flash one by one, to be written to disk or again to flash.
    pub flash_stage_out_reads: u64,
    /// Reads of many consecutive pages from flash.
    pub flash_batch_reads: u64,
    /// Pages read by them.
    pub flash_batch_read_pages: u64,
    /// Valid copies that left flash to make room.
    pub flash_evictions: u64,
    /// Valid copies made invalid: a newer version came, or the disk got one.
    pub flash_invalidations: u64,
    /// Of the evictions, referenced pages forced out because their whole group was referenced.
    pub forced_out: u64,
    /// Pages that flash might have taken and did not: filtered, too cold, part of a long stream, or no room.
    pub bypassed: u64,
    /// Of these, what the cache's own rule for misses kept out, and no assignment before it.
    pub filtered: u64,
    /// Reads of many consecutive pages from disk, to fill flash in the background.
    pub disk_batch_reads: u64,
    /// Pages read by them.
    pub disk_batch_read_pages: u64,
    /// Disk writes of several adjacent pages in one request.
    pub disk_batch_writes: u64,
    /// Pages written by them; part of the disk writes below.
    pub disk_batch_write_pages: u64,
    /// Disk writes of changed DRAM victims, as they left DRAM.
    pub disk_writes_on_exit: u64,
    /// Disk writes of dirty pages that left flash.
    pub disk_writes_on_stage_out: u64,
    /// Disk writes of dirty pages that stay on flash, by a background cleaner.
    pub disk_writes_by_cleaner: u64,
    /// Disk writes of changed pages that stay in DRAM, by checkpoints of the database.
    pub disk_writes_by_checkpoint: u64,
    /// Flash writes of changed pages that stay in DRAM, by checkpoints; part of the fills and write-backs.
    pub flash_writes_by_checkpoint: u64,
    /// Changed DRAM pages that checkpoints wrote, to flash, to disk, or to both.
    pub checkpointed_pages: u64,
    /// Bytes of metadata written to flash in whole segments, one after the other.
    pub metadata_segment_bytes: u64,
    /// Those segments.
    pub metadata_segments: u64,
    /// Metadata pages written to flash in place, at random.
    pub metadata_random_page_writes: u64,
    /// Metadata segments read after a crash.
    pub restart_segments_read: u64,
    /// Data pages read after a crash to rebuild the metadata that was only in memory.
    pub restart_pages_scanned: u64,
}

counters_since!(
    FlashCacheCounters,
    plus {
        ram_hits,
        flash_hits,
        flash_misses,
        dirty_evictions,
        clean_evictions,
        pulled,
        victims_found_on_flash,
        flash_fills,
        flash_write_backs,
        requeued,
        flash_sequential_page_writes,
        flash_random_page_writes,
        flash_write_batches,
        flash_sequential_write_batches,
        flash_stage_out_reads,
        flash_batch_reads,
        flash_batch_read_pages,
        flash_evictions,
        flash_invalidations,
        forced_out,
        bypassed,
        filtered,
        disk_batch_reads,
        disk_batch_read_pages,
        disk_batch_writes,
        disk_batch_write_pages,
        disk_writes_on_exit,
        disk_writes_on_stage_out,
        disk_writes_by_cleaner,
        disk_writes_by_checkpoint,
        flash_writes_by_checkpoint,
        checkpointed_pages,
        metadata_segment_bytes,
        metadata_segments,
        metadata_random_page_writes,
        restart_segments_read,
        restart_pages_scanned,
    }
);

written_as_named!(FlashCacheCounters);

impl FlashCacheCounters {
    /// Page reads from flash that serve accesses.
    pub fn flash_reads(&self) -> u64 {
        self.flash_hits
    }

    /// Page writes to flash, metadata left out.
    pub fn flash_writes(&self) -> u64 {
        self.flash_fills + self.flash_write_backs + self.requeued
    }

    /// Page reads from disk that serve accesses.
    pub fn hdd_reads(&self) -> u64 {
        self.flash_misses
    }

    /// Pages written to disk, those of batches among them.
    pub fn hdd_writes(&self) -> u64 {
        self.disk_writes_on_exit
            + self.disk_writes_on_stage_out
            + self.disk_writes_by_cleaner
            + self.disk_writes_by_checkpoint
    }

    /// Pages of batch writes behind the first of each, which is where the disk must seek.
    pub(crate) fn disk_pages_written_behind(&self) -> u64 {
        self.disk_batch_write_pages - self.disk_batch_writes
    }

    /// Counts adjacent dirty pages that a cleaner writes to disk in one request, and that stay on flash.
    pub(crate) fn clean_run(&mut self, pages: u64) {
        self.disk_writes_by_cleaner += pages;
        self.join_disk_writes(pages);
    }

    /// The same of pages that leave flash.
    pub(crate) fn evict_run(&mut self, pages: u64) {
        self.disk_writes_on_stage_out += pages;
        self.join_disk_writes(pages);
    }

    /// Counts a request that writes so many adjacent pages to disk, which is a batch where they are several.
    fn join_disk_writes(&mut self, pages: u64) {
        if pages > 1 {
            self.disk_batch_writes += 1;
            self.disk_batch_write_pages += pages;
        }
    }

    /// Counts the reading of so many adjacent pages of flash in one request, which is a batch where they are several.
    pub(crate) fn stage_out_run(&mut self, pages: u64) {
        if pages > 1 {
            self.flash_batch_reads += 1;
            self.flash_batch_read_pages += pages;
        } else {
            self.flash_stage_out_reads += pages;
        }
    }

    /// Pages that left DRAM.
    pub fn ram_evictions(&self) -> u64 {
        self.dirty_evictions + self.clean_evictions
    }

    /// Page writes of metadata to flash: whole segments, each rounded up to pages, and single pages.
    pub fn metadata_page_writes(&self, page_bytes: u64) -> u64 {
        let segment_bytes = self
            .metadata_segment_bytes
            .checked_div(self.metadata_segments)
            .unwrap_or(0);
        self.metadata_segments * segment_bytes.div_ceil(page_bytes)
            + self.metadata_random_page_writes
    }

    /// Share of the disk writes that the same DRAM would have caused without flash, and that flash
    /// spared: 1 - disk writes / (dirty evictions + pages that checkpoints wrote). `None` without either.
    pub fn write_reduction(&self) -> Option<f64> {
        let without_flash = self.dirty_evictions + self.checkpointed_pages;
        ratio(self.hdd_writes(), without_flash).map(|written| 1.0 - written)
    }

    /// Share of DRAM misses served from flash; `None` without DRAM misses.
    pub fn flash_hit_ratio(&self) -> Option<f64> {
        ratio(self.flash_hits, self.flash_hits + self.flash_misses)
    }

    /// Share of the flash write operations that start where the one before ended.
    pub fn sequentiality(&self) -> Option<f64> {
        ratio(
            self.flash_sequential_write_batches,
            self.flash_write_batches,
        )
    }

    /// Mean pages of a flash write operation.
    pub fn mean_write_pages(&self) -> Option<f64> {
        ratio(self.flash_writes(), self.flash_write_batches)
    }

    /// All counters with their names, in the order to show them: first those of the page-flow
    /// schemes, then the flash cache's own.
    pub fn named(&self) -> [(&'static str, u64); 42] {
        [
            ("ram_hits", self.ram_hits),
            ("flash_hits", self.flash_hits),
            ("flash_misses", self.flash_misses),
            ("flash_reads", self.flash_reads()),
            ("flash_writes", self.flash_writes()),
            ("hdd_reads", self.hdd_reads()),
            ("hdd_writes", self.hdd_writes()),
            ("ram_evictions", self.ram_evictions()),
            ("ram_dirty_evictions", self.dirty_evictions),
            ("flash_evictions", self.flash_evictions),
            ("flash_fills", self.flash_fills),
            ("flash_write_backs", self.flash_write_backs),
            ("victims_found_on_flash", self.victims_found_on_flash),
            ("ram_clean_evictions", self.clean_evictions),
            ("pulled", self.pulled),
            ("requeued", self.requeued),
            ("forced_out", self.forced_out),
            ("flash_invalidations", self.flash_invalidations),
            (
                "flash_sequential_page_writes",
                self.flash_sequential_page_writes,
            ),
            ("flash_random_page_writes", self.flash_random_page_writes),
            ("flash_write_batches", self.flash_write_batches),
            (
                "flash_sequential_write_batches",
                self.flash_sequential_write_batches,
            ),
            (
                "flash_random_reads",
                self.flash_hits + self.flash_stage_out_reads,
            ),
            ("flash_stage_out_reads", self.flash_stage_out_reads),
            ("flash_batch_reads", self.flash_batch_reads),
            ("flash_batch_read_pages", self.flash_batch_read_pages),
            ("bypassed", self.bypassed),
            ("disk_batch_reads", self.disk_batch_reads),
            ("disk_batch_read_pages", self.disk_batch_read_pages),
            ("disk_batch_writes", self.disk_batch_writes),
            ("disk_batch_write_pages", self.disk_batch_write_pages),
            ("disk_writes_on_exit", self.disk_writes_on_exit),
            ("disk_writes_on_stage_out", self.disk_writes_on_stage_out),
            ("disk_writes_by_cleaner", self.disk_writes_by_cleaner),
            ("disk_writes_by_checkpoint", self.disk_writes_by_checkpoint),
            (
                "flash_writes_by_checkpoint",
                self.flash_writes_by_checkpoint,
            ),
            ("checkpointed_pages", self.checkpointed_pages),
            ("metadata_segments", self.metadata_segments),
            ("metadata_segment_bytes", self.metadata_segment_bytes),
            (
                "metadata_random_page_writes",
                self.metadata_random_page_writes,
            ),
            ("restart_segments_read", self.restart_segments_read),
            ("restart_pages_scanned", self.restart_pages_scanned),
        ]
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of operations are far below 2^53"
)]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
