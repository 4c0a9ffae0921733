//! The operations of key-value caches: which read, which write, which touch no data.

use serde::{Deserialize, Serialize};

use crate::trace::reader::Warning;
use crate::wording::counted;

/// What an operation means for a cache of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CacheOp {
    /// Reads the value: an access that reads.
    Read,
    /// Makes, changes or replaces the value: an access that writes.
    Write,
    /// Removes the value: no data moves, so it is a request without an access.
    Delete,
}

impl CacheOp {
    /// The word of memcached and its kin, in any case.
    #[inline]
    pub(crate) fn of_word(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"get" | b"gets" => Self::Read,
            b"set" => Self::Write,
            _ => return Self::of_rare_word(&word.to_ascii_lowercase()),
        })
    }

    #[cold]
    fn of_rare_word(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"get" | b"gets" | b"get_lease" | b"read" => Self::Read,
            b"set" | b"set_lease" | b"add" | b"replace" | b"cas" | b"append" | b"prepend"
            | b"incr" | b"decr" | b"write" | b"update" => Self::Write,
            b"delete" => Self::Delete,
            _ => return None,
        })
    }

    /// The code of libCacheSim's records: 1 get to 14 update; 0 says nothing.
    #[inline]
    pub(crate) fn of_code(code: u8) -> Option<Self> {
        Some(match code {
            0..=2 | 12 => Self::Read,
            3..=8 | 10 | 11 | 13 | 14 => Self::Write,
            9 => Self::Delete,
            _ => return None,
        })
    }

    /// Pages that the request touches.
    pub(crate) fn pages(self) -> u64 {
        u64::from(self != Self::Delete)
    }
}

/// What a pass over a cache trace noticed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct CacheCounts {
    pub(crate) deletes: u64,
    /// Requests that say no operation: code 0.
    pub(crate) unknown: u64,
    /// Smallest and largest size other than 0, which stands for a miss.
    sizes: Option<(u64, u64)>,
    pub(crate) zero_sizes: u64,
}

impl CacheCounts {
    #[inline]
    pub(crate) fn size(&mut self, bytes: u64) {
        if bytes == 0 {
            self.zero_sizes += 1;
            return;
        }
        let (smallest, largest) = self.sizes.get_or_insert((bytes, bytes));
        *smallest = bytes.min(*smallest);
        *largest = bytes.max(*largest);
    }

    #[inline]
    pub(crate) fn op(&mut self, op: CacheOp) {
        self.deletes += u64::from(op == CacheOp::Delete);
    }

    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if let Some((smallest, largest)) = self.sizes.filter(|(small, large)| small != large) {
            warnings.push(Warning::new(
                "object_sizes_ignored",
                format!(
                    "object sizes range from {smallest} to {largest} bytes, but each key counts as one page"
                ),
                "read sizes in pages as numbers of keys, not as bytes, unless all objects are page-sized",
            ));
        }
        if self.zero_sizes > 0 {
            warnings.push(Warning::new(
                "zero_sizes",
                format!(
                    "{} size 0, as after a miss; that is not the size of the object",
                    counted(self.zero_sizes, "request has", "requests have")
                ),
                "no action is needed: each key counts as one page regardless of its size",
            ));
        }
        if self.deletes > 0 {
            warnings.push(Warning::new(
                "deletes_without_access",
                counted(
self.deletes,
"request deletes a key: it moves no data and makes no access",
"requests delete a key: they move no data and make no access",
),
                "consider that a cache that drops deleted keys may hold more live ones than computed here",
            ));
        }
        if self.unknown > 0 {
            warnings.push(Warning::new(
                "operations_unknown",
                counted(
                    self.unknown,
                    "request names no operation (code 0); it counts as a read",
                    "requests name no operation (code 0); they count as reads",
                ),
                "check whether they write: if so, write-backs are too low",
            ));
        }
        warnings
    }
}

/// The warning of a published trace that holds only a part of what the machine did.
pub(crate) fn sampled(what: &str) -> Warning {
    Warning::new(
        "sampled_dataset",
        format!("{what}; sizes found for the trace are that fraction of the sizes for the machine"),
        "divide every cache size by the sampling rate before buying",
    )
}
