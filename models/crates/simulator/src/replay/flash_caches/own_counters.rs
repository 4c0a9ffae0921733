//! Counts by the names that single systems have for them.

use super::FlashCacheCounters;

/// A count that a system has a name of its own for: what it is is counted under a general name, too.
#[derive(Debug, Clone, Copy)]
pub struct OwnCounter {
    /// Its name in the paper or source of the system.
    pub name: &'static str,
    /// What it counts.
    pub unit: &'static str,
    /// What it is, by the general names.
    pub meaning: &'static str,
    cache: &'static str,
    kind: Kind,
}

/// How a count comes about.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Pages(fn(&FlashCacheCounters) -> u64),
    /// The same in larger units, of which an option tells the pages.
    Units(fn(&FlashCacheCounters) -> u64, &'static str),
    /// Distinct pages of the accesses that are counted.
    Distinct,
    /// Pages written to flash for each of these: a ratio, [`written_for_each`].
    WrittenForEach,
}

const TABLE: &[OwnCounter] = &[
    OwnCounter {
        name: "filtered",
        unit: "pages",
        meaning: "Pages that it kept out at a miss: `bypassed`, less what an assignment kept away before.",
        cache: "larc",
        kind: Kind::Pages(|counters| counters.filtered),
    },
    OwnCounter {
        name: "promotions",
        unit: "blocks",
        meaning: "Blocks that entered flash: `flash_fills` / `block_pages`. All but those of one page that a write filled were copied from disk (`disk_batch_reads`).",
        cache: "dm_cache",
        kind: Kind::Units(|counters| counters.flash_fills, "block_pages"),
    },
    OwnCounter {
        name: "demotions",
        unit: "blocks",
        meaning: "Blocks that left flash: `flash_evictions` / `block_pages`.",
        cache: "dm_cache",
        kind: Kind::Units(|counters| counters.flash_evictions, "block_pages"),
    },
    OwnCounter {
        name: "copied_pages",
        unit: "pages",
        meaning: "Pages that promotions copied from disk to flash: `disk_batch_read_pages`.",
        cache: "dm_cache",
        kind: Kind::Pages(|counters| counters.disk_batch_read_pages),
    },
    OwnCounter {
        name: "unique_pages",
        unit: "pages",
        meaning: "Distinct pages of the accesses that are counted: `distinct_pages`, less those of the warm-up alone.",
        cache: "ram_filter",
        kind: Kind::Distinct,
    },
    OwnCounter {
        name: "flash_writes_per_unique_page",
        unit: "pages per page",
        meaning: "Flash bytes written for each unique byte, the comparison of its paper: `flash_writes` / `unique_pages`.",
        cache: "ram_filter",
        kind: Kind::WrittenForEach,
    },
];

/// The counts that a flash cache has names of its own for.
pub(super) fn of_cache(cache: &str) -> impl Iterator<Item = &'static OwnCounter> {
    TABLE.iter().filter(move |own| own.cache == cache)
}

/// The counts among them with what a replay counted, from the options in force; `distinct` are the pages of the accesses
/// that it counted.
pub(super) fn counted(
    cache: &str,
    counters: &FlashCacheCounters,
    distinct: u64,
    options: &[(String, String)],
) -> Vec<(&'static str, u64)> {
    let value_of = |wanted: &str| {
        let option = options.iter().find(|(name, _)| name == wanted);
        option.and_then(|(_, value)| value.parse().ok())
    };
    of_cache(cache)
        .filter_map(|own| {
            let count = match own.kind {
                Kind::Pages(pages) => pages(counters),
                Kind::Units(pages, unit) => pages(counters) / value_of(unit).unwrap_or(1).max(1),
                Kind::Distinct => distinct,
                Kind::WrittenForEach => return None,
            };
            Some((own.name, count))
        })
        .collect()
}

/// The ratio among them of a cache that has one: nothing where no page was accessed.
#[expect(clippy::cast_precision_loss, reason = "fewer pages than 2^53")]
pub(super) fn written_for_each(
    cache: &str,
    counters: &FlashCacheCounters,
    distinct: u64,
) -> Option<(&'static str, Option<f64>)> {
    let own = of_cache(cache).find(|own| matches!(own.kind, Kind::WrittenForEach))?;
    let ratio = counters.flash_writes() as f64 / distinct as f64;
    Some((own.name, (distinct > 0).then_some(ratio)))
}
