//! Streams of consecutive requests, told by their addresses alone.

use super::chains::{Ends, Links, NONE};

/// Streams that are followed.
const STREAMS: u32 = 128;
/// By how much relations are apart, in addresses.
const RELATION: u64 = 0x9e37_79b9_7f4a_7c15;

/// The address of a page, relations apart.
pub(super) fn place_of(space: u32, address: u64) -> u64 {
    address.wrapping_add(u64::from(space).wrapping_mul(RELATION))
}

/// Notes the places of pages that no access was to before: pages are numbered as they appear.
pub(super) fn note_places(places: &mut Vec<u64>, pages: &[u32], spaces: &[u32], addresses: &[u64]) {
    for ((&page, &space), &address) in pages.iter().zip(spaces).zip(addresses) {
        if page as usize == places.len() {
            places.push(place_of(space, address));
        }
    }
}

/// The streams that were last seen: where each would continue, and how long it is.
#[derive(Debug)]
pub(super) struct Streams {
    next: Vec<u64>,
    /// The lowest bits of these: a comparison takes many at once.
    lowest: Vec<u16>,
    lengths: Vec<u64>,
    order: Ends,
    links: Links,
}

impl Streams {
    pub(super) fn new() -> Self {
        Self {
            next: Vec::with_capacity(STREAMS as usize),
            lowest: Vec::with_capacity(STREAMS as usize),
            lengths: Vec::with_capacity(STREAMS as usize),
            order: Ends::EMPTY,
            links: Links::new(STREAMS as usize),
        }
    }

    /// The length of the stream that an I/O at `place` continues, or begins.
    #[inline]
    pub(super) fn length(&mut self, place: u64) -> u64 {
        let mut stream = NONE;
        // Rarely more than 0, and without a branch for each stream.
        let wanted = lowest(place);
        let ending_here = self.lowest.iter().map(|&next| u16::from(next == wanted));
        if ending_here.sum::<u16>() > 0 {
            stream = self.order.newest;
            while stream != NONE && self.next[stream as usize] != place {
                stream = self.links.older(stream);
            }
        }
        let length = match self.lengths.get(stream as usize) {
            Some(length) => length + 1,
            None => 1,
        };
        if stream == NONE && self.next.len() < STREAMS as usize {
            stream = u32::try_from(self.next.len()).unwrap_or(NONE);
            self.next.push(0);
            self.lowest.push(0);
            self.lengths.push(0);
            self.links.push(&mut self.order, stream);
        } else {
            stream = if stream == NONE {
                self.order.oldest
            } else {
                stream
            };
            self.links.renew(&mut self.order, stream);
        }
        self.next[stream as usize] = place.wrapping_add(1);
        self.lowest[stream as usize] = lowest(place.wrapping_add(1));
        self.lengths[stream as usize] = length;
        length
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lowest bits are meant")]
fn lowest(place: u64) -> u16 {
    place as u16
}
