//! The two hashes of a trace: the proof of a parser and the identity of the content.

use sha2::digest::common::hazmat::{SerializableState, SerializedState};
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

    /// What was hashed so far, for [`Self::resumed`].
    fn state(&mut self) -> Vec<u8> {
        self.hash.update(&self.buffer);
        self.buffer.clear();
        self.hash.serialize().to_vec()
    }

    /// A hash that goes on where [`Self::state`] was taken; `None` if the bytes are no such state.
    fn resumed(state: &[u8]) -> Option<Self> {
        let state: &SerializedState<Sha256> = state.try_into().ok()?;
        let mut hasher = Self::new();
        hasher.hash = Sha256::deserialize(state).ok()?;
        Some(hasher)
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

    /// What was hashed so far, for [`Self::resumed`].
    pub(crate) fn state(&mut self) -> Vec<u8> {
        self.0.state()
    }

    /// A hash that goes on where [`Self::state`] was taken; `None` if the bytes are no such state.
    pub(crate) fn resumed(state: &[u8]) -> Option<Self> {
        Hasher::resumed(state).map(Self)
    }

    pub(crate) fn update(&mut self, pages: &[u64], flags: &[u8]) {
        for (page, flag) in pages.iter().zip(flags) {
            push_line(&mut self.0.buffer, *page, flag & WRITE != 0);
            self.0.flush_if_full();
        }
    }

    pub(crate) fn finish(self) -> String {
        self.0.finish()
    }
}

/// Appends `"<page> <R|W>\n"`, digits from the last to the first, in one copy of constant length.
#[inline]
fn push_line(buffer: &mut Vec<u8>, page: u64, write: bool) {
    // 20 digits of the largest page, 3 bytes after them, and as much room again for the copy.
    const LINE: usize = 23;
    const SPARE: usize = 24;
    let mut line = [0_u8; LINE + SPARE];
    line[LINE - 3..LINE].copy_from_slice(if write { b" W\n" } else { b" R\n" });
    let mut start = LINE - 3;
    let mut rest = page;
    while rest >= 100 {
        let pair = usize::try_from(rest % 100).unwrap_or(0) * 2;
        rest /= 100;
        start -= 2;
        line[start..start + 2].copy_from_slice(&DIGIT_PAIRS[pair..pair + 2]);
    }
    let pair = usize::try_from(rest).unwrap_or(0) * 2;
    if rest >= 10 {
        start -= 2;
        line[start..start + 2].copy_from_slice(&DIGIT_PAIRS[pair..pair + 2]);
    } else {
        start -= 1;
        line[start] = DIGIT_PAIRS[pair + 1];
    }
    let length = buffer.len() + LINE - start;
    buffer.extend_from_slice(&line[start..start + SPARE]);
    buffer.truncate(length);
}

/// `00` to `99`.
static DIGIT_PAIRS: [u8; 200] = {
    let mut pairs = [b'0'; 200];
    let mut value = 0_u8;
    while value < 100 {
        pairs[value as usize * 2] += value / 10;
        pairs[value as usize * 2 + 1] += value % 10;
        value += 1;
    }
    pairs
};

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

    /// What was hashed so far and the space of the last access, for [`Self::resumed`].
    pub(crate) fn state(&mut self) -> (Vec<u8>, Option<u32>) {
        (self.hasher.state(), self.space)
    }

    /// A hash that goes on where [`Self::state`] was taken; `None` if the bytes are no such state.
    pub(crate) fn resumed(state: &[u8], space: Option<u32>) -> Option<Self> {
        let hasher = Hasher::resumed(state)?;
        Some(Self { hasher, space })
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
            // Entries of constant length: the compiler copies them without a call.
            let mut entry = [0_u8; 9];
            entry[0] = flag & WRITE;
            entry[1..].copy_from_slice(&page.to_le_bytes());
            buffer.extend_from_slice(&entry);
            if let Some(time) = times_ns.get(index) {
                buffer.extend_from_slice(&time.to_le_bytes());
            }
            self.hasher.flush_if_full();
        }
    }

    pub(crate) fn finish(self) -> String {
        self.hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::push_line;

    #[test]
    fn lines_are_those_of_the_formatter() {
        let mut pages: Vec<u64> = (0..1100).collect();
        for shift in 0..64 {
            pages.extend([1 << shift, (1 << shift) - 1, u64::MAX >> shift]);
        }
        let mut power = 1_u64;
        while let Some(next) = power.checked_mul(10) {
            power = next;
            pages.extend([power - 1, power, power + 1]);
        }
        for page in pages {
            let mut line = b"before".to_vec();
            push_line(&mut line, page, page % 2 == 1);
            let op = if page % 2 == 1 { 'W' } else { 'R' };
            assert_eq!(line, format!("before{page} {op}\n").into_bytes());
        }
    }
}
