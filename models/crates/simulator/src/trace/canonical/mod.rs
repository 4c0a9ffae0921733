//! The canonical trace (`.twt`): densely numbered pages in compressed columns.
//!
//! Layout, all integers little-endian:
//!
//! ```text
//! magic (8 bytes), version u32, length of head u32, CRC-32 of head u32, head (JSON)
//! chunk*: "CHNK", accesses u32, new pages u32, 5 x (length u32, CRC-32 u32), CRC-32 of all that,
//!         then five sections: spaces and pages of the new pages, page numbers, flags, times
//! foot (JSON)
//! offset of foot u64, length of foot u32, CRC-32 of foot u32, end magic (8 bytes)
//! ```
//!
//! A section is one zstd frame or several in a row. A column of integers is one byte of mode (1: zigzag differences, 0: plain), one byte of width
//! and that many byte planes, lowest first. Flags are two bit sets: writes, first of request.
//! Times (nanoseconds since the first request) are stored once for each first of request.
//!
//! A part of a longer trace (version 2) says in its foot where it lies there, and its chunks have a sixth section: of each
//! new page its number in the whole trace. Everything else is as in any canonical trace, of which it is one by itself.
//!
//! A file without foot is an interrupted conversion and is refused. Numbers appear in order of
//! first use, which is checked, so an array of `distinct_pages` entries can hold every page.

use serde::{Deserialize, Serialize};

use crate::access::CHUNK_ACCESSES;
use crate::profile::requests::RequestCounts;
use crate::trace::reader::Warning;

mod columns;
pub mod numbered;
mod reader;
mod writer;

pub(crate) use reader::CanonicalReader;
pub(crate) use writer::{CanonicalWriter, KeptFiles, RawChunk, Written};

/// First bytes of the file: not text, and damaged by any newline or 7-bit conversion.
pub(crate) const MAGIC: [u8; 8] = *b"\x89TWT\r\n\x1a\n";
const END_MAGIC: [u8; 8] = *b"TWT-END\n";
const VERSION: u32 = 1;
/// Of a part whose pages have numbers in a longer trace.
const VERSION_OF_PARTS: u32 = 2;
const CHUNK_MARK: &[u8; 4] = b"CHNK";
const SECTIONS: usize = 5;
/// Sections of a chunk of a part.
const SECTIONS_OF_PARTS: usize = 6;
/// Bytes of a chunk's head, at least.
const CHUNK_HEAD_BYTES: usize = chunk_head_bytes(SECTIONS);
/// Bytes after the foot.
const TAIL_BYTES: u64 = 8 + 4 + 4 + 8;
/// Bytes before the head.
const PREFIX_BYTES: u64 = 8 + 4 + 4 + 4;
/// Longest head [bytes].
const MAX_HEAD_BYTES: u32 = 1 << 20;
/// Longest foot [bytes]: names of millions of devices.
const MAX_FOOT_BYTES: u32 = 1 << 30;
/// Mode and width bytes of an integer column.
const COLUMN_HEAD_BYTES: usize = 2;
/// Bytes of the head of a chunk with so many sections.
const fn chunk_head_bytes(sections: usize) -> usize {
    4 + 4 + 4 + sections * 8 + 4
}

/// Longest decompressed section [bytes].
const MAX_SECTION_BYTES: usize = COLUMN_HEAD_BYTES + 8 * CHUNK_ACCESSES;
/// Fast: the byte planes leave little for higher levels to find.
const ZSTD_LEVEL: i32 = 1;
/// Page numbers that compression makes no smaller than this share of theirs are compressed plane by
/// plane, and of those planes the ones that it makes no smaller than [`MOST_OF_PLANE`] of theirs are
/// stored: every replay opens page numbers anew, and a stored byte costs next to nothing.
const MOST_OF_PAGES: f64 = 0.5;
const MOST_OF_PLANE: f64 = 0.85;
/// Fewest page numbers for which that is done.
const FEWEST_PAGES: usize = 1 << 12;

/// What is known before the first access.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CanonicalHead {
    pub(crate) page_bytes: u64,
    pub(crate) source_format: String,
    pub(crate) has_time: bool,
    /// Time of the first request [ns since the epoch of the source format].
    pub(crate) first_time_ns: Option<i64>,
}

/// What is known after the last access.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CanonicalFoot {
    pub(crate) chunks: u64,
    pub(crate) requests: u64,
    pub(crate) write_requests: u64,
    pub(crate) zero_length_requests: u64,
    pub(crate) accesses: u64,
    pub(crate) write_accesses: u64,
    pub(crate) distinct_pages: u32,
    pub(crate) duration_ns: Option<u64>,
    pub(crate) sha256_of_sequence: String,
    pub(crate) content_id: String,
    pub(crate) spaces: Vec<String>,
    pub(crate) source: CanonicalOrigin,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) assumptions: Vec<String>,
    /// Requests before they were split; absent from traces converted before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) request_counts: Option<RequestCounts>,
    /// Where a part lies in its trace; of parts alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<numbered::PartOfWhole>,
}

/// The conversion log: from what the file was made and how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CanonicalOrigin {
    pub(crate) file_name: String,
    pub(crate) file_bytes: u64,
    pub(crate) compression: String,
    pub(crate) columns: std::collections::BTreeMap<String, String>,
    pub(crate) converter: String,
}

pub(crate) fn crc32(parts: &[&[u8]]) -> u32 {
    let mut crc = flate2::Crc::new();
    for part in parts {
        crc.update(part);
    }
    crc.sum()
}
