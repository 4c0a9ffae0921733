//! Parts by ranges of a hash of the pages: each holds what is known of its own pages alone.
//!
//! A page is in the same range wherever it is read, as the hash is of the name of its device and its number
//! there. So the parts of one range join to the exact curves of the accesses to its pages, with the memory of
//! those pages, and all ranges together follow every page once. How the curves of ranges stand for those of the
//! trace: `models/python/tierwright/profile/ranges.py`.

use serde::{Deserialize, Serialize};

use super::{
    BATCH, Chunk, Error, OnProgress, Part, PartOrigin, Pass, Result, WRITE, check_names,
    distinct_pages, elsewhere, report, spread,
};
use crate::access::AccessSource;
use crate::profile::parts::SourceRequests;

/// Most ranges into which pages are divided.
pub const MOST_RANGES: u32 = 1 << 16;

/// One of several equally wide ranges of the hash of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HashRange {
    /// Its number, from 0 on.
    pub number: u32,
    /// How many there are.
    pub ranges: u32,
}

impl HashRange {
    /// All pages.
    pub const ALL: Self = Self {
        number: 0,
        ranges: 1,
    };

    pub(super) const fn is_sound(self) -> bool {
        self.number < self.ranges && self.ranges <= MOST_RANGES
    }
}

impl std::fmt::Display for HashRange {
    fn fmt(&self, text: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(text, "{} of {}", self.number + 1, self.ranges)
    }
}

/// A hash of the name of a device (Fowler, Noll and Vo, 64 bits), the same on every machine.
pub(crate) fn hash_of(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// The range of a page of a device whose name has this hash.
pub(crate) fn range_of(name: u64, page: u64, ranges: u32) -> u32 {
    let place = spread(spread(name) ^ page) >> 32;
    u32::try_from((place * u64::from(ranges)) >> 32).unwrap_or(0)
}

/// A page of the part: its range, and its number among the pages of that; of a range that is not followed it is
/// in no range.
#[derive(Debug, Clone, Copy)]
struct Place {
    range: u32,
    number: u32,
}

/// The accesses of a segment to the pages of one range.
#[derive(Debug, Default)]
struct Followed {
    pass: Option<Pass>,
    writes: u64,
    pages: Vec<u32>,
    flags: Vec<u8>,
    spaces: Vec<u32>,
    addresses: Vec<u64>,
}

impl Followed {
    /// Counts the accesses gathered from a segment of the trace that lies within one window.
    fn count(&mut self, segment: u64) {
        let Some(pass) = &mut self.pass else { return };
        for first in (0..self.pages.len()).step_by(BATCH) {
            let range = first..self.pages.len().min(first + BATCH);
            pass.batch(
                &self.pages[range.clone()],
                &self.flags[range.clone()],
                &self.spaces[range.clone()],
                &self.addresses[range],
            );
        }
        pass.accesses += self.pages.len() as u64;
        let writes = self.flags.iter().filter(|&&flags| flags & WRITE != 0);
        self.writes += writes.count() as u64;
        pass.windows.pass(segment - self.pages.len() as u64);
        self.pages.clear();
        self.flags.clear();
        self.spaces.clear();
        self.addresses.clear();
    }
}

/// Reads all accesses of a part once, and follows each of the first `followed` of `ranges` by itself.
///
/// # Errors
/// As [`super::part_curves`]; [`Error::BadParameter`] for ranges out of bounds.
pub fn part_ranges(
    source: &mut dyn AccessSource,
    origin: PartOrigin,
    page_bytes: u64,
    [followed, ranges]: [u32; 2],
    on_progress: OnProgress<'_>,
) -> Result<Vec<Part>> {
    if !(1..=MOST_RANGES).contains(&ranges) || !(1..=ranges).contains(&followed) {
        return Err(Error::BadParameter {
            name: "ranges",
            value: format!("{followed} of {ranges}"),
            message: format!(
                "pages are divided into 1 to {MOST_RANGES} ranges, of which 1 or more are followed"
            ),
            hint: "use 64 ranges, for example".to_owned(),
        });
    }
    source.keep_addresses();
    let mut each: Vec<Followed> = (0..followed)
        .map(|_| Followed {
            pass: Some(Pass::new(origin, None)),
            ..Followed::default()
        })
        .collect();
    let mut places: Vec<Place> = Vec::new();
    let mut distinct = vec![0_u32; followed as usize];
    let mut names: Vec<u64> = Vec::new();
    let mut chunk = Chunk::default();
    let mut accesses = 0;
    let mut span: Option<(i64, i64)> = None;
    while source.next_chunk(&mut chunk)? {
        distinct_pages(&chunk, places.len())?;
        accesses += chunk.len() as u64;
        if origin.first_access + accesses > origin.trace_accesses {
            return Err(elsewhere(origin, accesses));
        }
        let known = names.len();
        names.extend(
            source
                .space_names()
                .iter()
                .skip(known)
                .map(|name| hash_of(name)),
        );
        let (spaces, addresses) = source.addresses();
        let mut first = 0;
        while first < chunk.len() {
            // All have the same window: they pass the same accesses.
            let room = each[0].pass.as_ref().map_or(1, |pass| pass.windows.room());
            let end = chunk.len().min(first + room);
            for at in first..end {
                let page = chunk.pages[at] as usize;
                if page == places.len() {
                    let name = names.get(spaces[at] as usize).copied();
                    let name = name.unwrap_or_else(|| hash_of(""));
                    let range = range_of(name, addresses[at], ranges);
                    let number = distinct.get_mut(range as usize).map_or(0, |distinct| {
                        *distinct += 1;
                        *distinct - 1
                    });
                    places.push(Place { range, number });
                }
                let Place { range, number } = places[page];
                if let Some(followed) = each.get_mut(range as usize) {
                    followed.pages.push(number);
                    followed.flags.push(chunk.flags[at]);
                    followed.spaces.push(spaces[at]);
                    followed.addresses.push(addresses[at]);
                }
            }
            for (followed, &distinct) in each.iter_mut().zip(&distinct) {
                if let Some(pass) = &mut followed.pass {
                    pass.grow(distinct as usize);
                }
                followed.count((end - first) as u64);
            }
            first = end;
        }
        if let (Some(least), Some(most)) =
            (chunk.times_ns.iter().min(), chunk.times_ns.iter().max())
        {
            let (earliest, latest) = span.unwrap_or((*least, *most));
            span = Some((earliest.min(*least), latest.max(*most)));
        }
        report(source, accesses, on_progress)?;
    }
    let spaces = source.space_names().to_vec();
    let spaces = if spaces.is_empty() {
        vec![String::new()]
    } else {
        spaces
    };
    check_names(&spaces)?;
    let passes = each
        .into_iter()
        .filter_map(|followed| followed.pass.map(|pass| (pass, followed.writes)));
    let numbered = (0..followed).zip(passes);
    Ok(numbered
        .map(|(number, (pass, writes))| {
            let unknown = SourceRequests::Unknown;
            let part = pass.finish(writes, page_bytes, span, spaces.clone(), unknown);
            Part {
                covered: accesses,
                range: HashRange { number, ranges },
                ..part
            }
        })
        .collect())
}
