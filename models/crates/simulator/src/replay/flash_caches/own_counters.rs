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
    pages: fn(&FlashCacheCounters) -> u64,
    /// The option that tells the pages of one, where it counts larger units.
    pages_of_one: Option<&'static str>,
}

const TABLE: &[OwnCounter] = &[
    OwnCounter {
        name: "filtered",
        unit: "pages",
        meaning: "Pages that it kept out at a miss: `bypassed`, less what an assignment kept away before.",
        cache: "larc",
        pages: |counters| counters.filtered,
        pages_of_one: None,
    },
    OwnCounter {
        name: "promotions",
        unit: "blocks",
        meaning: "Blocks that entered flash: `flash_fills` / `block_pages`. All but those of one page that a write filled were copied from disk (`disk_batch_reads`).",
        cache: "dm_cache",
        pages: |counters| counters.flash_fills,
        pages_of_one: Some("block_pages"),
    },
    OwnCounter {
        name: "demotions",
        unit: "blocks",
        meaning: "Blocks that left flash: `flash_evictions` / `block_pages`.",
        cache: "dm_cache",
        pages: |counters| counters.flash_evictions,
        pages_of_one: Some("block_pages"),
    },
    OwnCounter {
        name: "copied_pages",
        unit: "pages",
        meaning: "Pages that promotions copied from disk to flash: `disk_batch_read_pages`.",
        cache: "dm_cache",
        pages: |counters| counters.disk_batch_read_pages,
        pages_of_one: None,
    },
];

/// The counts that a flash cache has names of its own for.
pub(super) fn of_cache(cache: &str) -> impl Iterator<Item = &'static OwnCounter> {
    TABLE.iter().filter(move |own| own.cache == cache)
}

/// The same with what a replay counted, from the options in force.
pub(super) fn counted(
    cache: &str,
    counters: &FlashCacheCounters,
    options: &[(String, String)],
) -> Vec<(&'static str, u64)> {
    let value_of = |wanted: &str| {
        let option = options.iter().find(|(name, _)| name == wanted);
        option.and_then(|(_, value)| value.parse().ok())
    };
    of_cache(cache)
        .map(|own| {
            let pages_of_one = own.pages_of_one.and_then(value_of).unwrap_or(1).max(1);
            (own.name, (own.pages)(counters) / pages_of_one)
        })
        .collect()
}
