//! The two hashes of a trace: the proof of a parser and the identity of the content.

use sha2::{Digest, Sha256};

use crate::access::WRITE;

/// Bytes gathered before the hash function is called.
const BUFFER_BYTES: usize = 64 << 10;
/// Longest entry: a space name of 4096 bytes with its head.
const LONGEST_ENTRY_BYTES: usize = 8 << 10;

struct Hasher {
    hash: Sha256,
    buffer: Vec<u8>,
}

impl Hasher {
    fn new() -> Self {
        Self {
            hash: Sha256::new(),
            buffer: Vec::with_capacity(BUFFER_BYTES + LONGEST_ENTRY_BYTES),
        }
    }

    #[inline]
    fn flush_if_full(&mut self) {
        if self.buffer.len() >= BUFFER_BYTES {
            self.hash.update(&self.buffer);
            self.buffer.clear();
        }
    }

    fn finish(mut self) -> String {
        self.hash.update(&self.buffer);
        crate::trace::text::hex(&self.hash.finalize())
    }
}

/// `sha256_of_sequence`: SHA-256 of one line `"<page> <R|W>\n"` for each access, without device.
pub(crate) struct SequenceHash(Hasher);

impl SequenceHash {
    pub(crate) fn new() -> Self {
        Self(Hasher::new())
    }

    pub(crate) fn update(&mut self, pages: &[u64], flags: &[u8]) {
        let mut digits = itoa::Buffer::new();
        for (page, flag) in pages.iter().zip(flags) {
            let buffer = &mut self.0.buffer;
            buffer.extend_from_slice(digits.format(*page).as_bytes());
            buffer.extend_from_slice(if flag & WRITE == 0 { b" R\n" } else { b" W\n" });
            self.0.flush_if_full();
        }
    }

    pub(crate) fn finish(self) -> String {
        self.0.finish()
    }
}

/// The content id: SHA-256 over page size, and space name, page, operation and time of each access.
///
/// A byte per access tells reads (0) from writes (1), followed by the page and, if the trace has
/// time, the nanoseconds since the first request, both as 8 bytes little-endian. Where the space
/// changes, a byte 2, the length of its name (4 bytes little-endian) and the name come first.
pub(crate) struct ContentHash {
    hasher: Hasher,
    space: Option<u32>,
}

impl ContentHash {
    pub(crate) fn new(page_bytes: u64, has_time: bool) -> Self {
        let mut hasher = Hasher::new();
        hasher.buffer.extend_from_slice(b"tierwright content 1\n");
        hasher.buffer.extend_from_slice(&page_bytes.to_le_bytes());
        hasher.buffer.push(u8::from(has_time));
        Self {
            hasher,
            space: None,
        }
    }

    /// Adds the accesses of a chunk; `times_ns` is empty for a trace without time.
    pub(crate) fn update(
        &mut self,
        names: &[String],
        spaces: &[u32],
        pages: &[u64],
        flags: &[u8],
        times_ns: &[i64],
    ) {
        for (index, ((&space, page), flag)) in spaces.iter().zip(pages).zip(flags).enumerate() {
            let buffer = &mut self.hasher.buffer;
            if self.space != Some(space) {
                self.space = Some(space);
                let name = names[space as usize].as_bytes();
                let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
                buffer.push(2);
                buffer.extend_from_slice(&length.to_le_bytes());
                buffer.extend_from_slice(name);
            }
            let mut entry = [0_u8; 17];
            entry[0] = flag & WRITE;
            entry[1..9].copy_from_slice(&page.to_le_bytes());
            let length = if let Some(time) = times_ns.get(index) {
                entry[9..].copy_from_slice(&time.to_le_bytes());
                17
            } else {
                9
            };
            buffer.extend_from_slice(&entry[..length]);
            self.hasher.flush_if_full();
        }
    }

    pub(crate) fn finish(self) -> String {
        self.hasher.finish()
    }
}
