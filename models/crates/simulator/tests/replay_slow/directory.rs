//! A slow, obvious model of a directory on flash: an LRU list of its pages, searched at each lookup and update.

/// 2^64 over the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

#[derive(Debug)]
pub(crate) struct Directory {
    pages: u64,
    buffered: usize,
    /// Where its first page lies on the device.
    first: u64,
    /// In RAM, least recent first, and whether it was updated there.
    held: Vec<(u64, bool)>,
    /// Pages or blocks in the order in which the trace shows them.
    known: Vec<u64>,
}

impl Directory {
    pub(crate) fn new(pages: u64, buffered: usize, first: u64) -> Self {
        Self {
            pages,
            buffered,
            first,
            held: Vec::new(),
            known: Vec::new(),
        }
    }

    /// The trace shows a page, or a block.
    pub(crate) fn see(&mut self, key: u64) {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
    }

    /// Reads the entry of a key, or writes it; the answer is the page of the device that is written for that.
    pub(crate) fn ask(&mut self, key: u64, update: bool) -> Option<u64> {
        let number = self.known.iter().position(|&known| known == key);
        let number = number.expect("the trace showed it") as u64;
        let page = ((number.wrapping_mul(GOLDEN) >> 32) * self.pages) >> 32;
        if let Some(at) = self.held.iter().position(|&(held, _)| held == page) {
            let (_, updated) = self.held.remove(at);
            self.held.push((page, updated || update));
            return None;
        }
        let gone = (self.held.len() == self.buffered).then(|| self.held.remove(0));
        self.held.push((page, update));
        gone.filter(|&(_, updated)| updated)
            .map(|(page, _)| self.first + page)
    }
}
