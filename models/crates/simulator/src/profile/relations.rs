//! Reuse times of each relation, file or volume: what a law needs that lets each grow by itself.
//!
//! Time is counted in accesses of the whole trace. A page's *reuse time* is how many accesses ago it
//! was last accessed; a first access only tells that it is longer than the trace so far. A *stay* is
//! the longest reuse time from one write of a page to its next write: a cache that keeps pages for
//! less time writes that page back once. The pass keeps 18 bytes a distinct page.

use serde::Serialize;

use super::bins::{LogCounts, highest_of, lowest_of};
use crate::access::{AccessSource, Chunk, WRITE};
use crate::error::Result;
use crate::progress::{OnProgress, report};
use crate::replay::{disagreement, distinct_pages};

/// Relations that are told apart; the numbers of all others are summed up.
pub(super) const MOST: usize = 4096;
/// No write of the page yet.
pub(super) const CLEAN: u64 = u64::MAX;

/// Counts in the bins that hold something.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Times {
    /// Smallest value of each bin [accesses].
    pub lowest: Vec<u64>,
    /// Largest value of each bin [accesses].
    pub highest: Vec<u64>,
    /// Values in each bin that were seen whole.
    pub ended: Vec<u64>,
    /// Values in each bin that the trace cut off: in truth they are longer.
    pub cut_off: Vec<u64>,
}

impl Times {
    fn new(ended: &LogCounts, cut_off: &LogCounts) -> Self {
        let mut made = Self::default();
        for bin in 0..super::bins::BINS {
            if ended.at(bin) + cut_off.at(bin) > 0 {
                made.lowest.push(lowest_of(bin));
                made.highest.push(highest_of(bin));
                made.ended.push(ended.at(bin));
                made.cut_off.push(cut_off.at(bin));
            }
        }
        made
    }

    /// All values.
    pub fn sum(&self) -> u64 {
        self.ended.iter().chain(&self.cut_off).sum()
    }
}

/// One relation, file or volume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Relation {
    /// Its name as the trace gives it; empty for the sum of those that are not told apart.
    pub name: String,
    /// Page accesses.
    pub accesses: u64,
    /// Those that write.
    pub write_accesses: u64,
    /// Distinct pages.
    pub distinct_pages: u64,
    /// Reuse times: one of each access, first accesses cut off.
    pub reuse: Times,
    /// Stays: one of each write, last writes cut off.
    pub stays: Times,
}

/// All relations of a trace, the largest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Relations {
    /// One or more.
    pub relations: Vec<Relation>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    pub(super) accesses: u64,
    pub(super) writes: u64,
    pub(super) pages: u64,
    pub(super) reuse: LogCounts,
    pub(super) first: LogCounts,
    pub(super) stays: LogCounts,
    pub(super) open: LogCounts,
}

/// What is kept of a page.
#[derive(Debug, Clone, Copy)]
struct Page {
    /// One more than the place of its last access; 0 before the first.
    place: u64,
    /// Longest reuse time since its last write, [`CLEAN`] before the first.
    longest: u64,
}

impl Page {
    const UNSEEN: Self = Self {
        place: 0,
        longest: CLEAN,
    };
}

/// Counts reuse times and stays by relation in one pass; a trace without relations is one.
///
/// # Errors
/// [`crate::Error::Cancelled`], and whatever `source` reports.
pub fn relations(source: &mut dyn AccessSource, on_progress: OnProgress<'_>) -> Result<Relations> {
    let mut pages: Vec<Page> = Vec::new();
    let mut owners: Vec<u16> = Vec::new();
    let mut counts: Vec<Counts> = Vec::new();
    let (mut distinct, mut place) = (0, 0_u64);
    let mut chunk = Chunk::default();
    while source.next_chunk(&mut chunk)? {
        distinct = distinct_pages(&chunk, distinct)?;
        if distinct > pages.len() {
            pages.resize(distinct, Page::UNSEEN);
            owners.resize(distinct, 0);
        }
        let spaces = source.addresses().0;
        if !spaces.is_empty() && spaces.len() != chunk.len() {
            return Err(disagreement("trace source", "its columns differ in length"));
        }
        for at in 0..chunk.len() {
            let space = spaces.get(at).map_or(0, |&space| space as usize).min(MOST);
            if space >= counts.len() {
                counts.resize(space + 1, Counts::default());
            }
            let number = chunk.pages[at] as usize;
            take(
                &mut counts[space],
                &mut pages[number],
                place,
                chunk.flags[at] & WRITE != 0,
            );
            owners[number] = u16::try_from(space).unwrap_or(u16::MAX);
            place += 1;
        }
        report(source, place, on_progress)?;
    }
    for (page, &owner) in pages.iter().zip(&owners) {
        if page.longest != CLEAN {
            counts[usize::from(owner)]
                .open
                .add(page.longest.max(place - page.place));
        }
    }
    Ok(Relations {
        relations: finish(&counts, source.space_names()),
    })
}

#[inline]
fn take(counts: &mut Counts, page: &mut Page, place: u64, write: bool) {
    counts.accesses += 1;
    if page.place == 0 {
        counts.pages += 1;
        counts.first.add(place);
    } else {
        let reuse = place + 1 - page.place;
        counts.reuse.add(reuse);
        if page.longest != CLEAN {
            page.longest = page.longest.max(reuse);
        }
    }
    if write {
        counts.writes += 1;
        if page.longest != CLEAN {
            counts.stays.add(page.longest);
        }
        page.longest = 0;
    }
    page.place = place + 1;
}

pub(super) fn finish(counts: &[Counts], names: &[String]) -> Vec<Relation> {
    let mut made: Vec<Relation> = counts
        .iter()
        .enumerate()
        .filter(|(_, one)| one.accesses > 0)
        .map(|(space, one)| Relation {
            name: if space == MOST {
                String::new()
            } else {
                names.get(space).cloned().unwrap_or_default()
            },
            accesses: one.accesses,
            write_accesses: one.writes,
            distinct_pages: one.pages,
            reuse: Times::new(&one.reuse, &one.first),
            stays: Times::new(&one.stays, &one.open),
        })
        .collect();
    made.sort_by(|a, b| (b.distinct_pages, &a.name).cmp(&(a.distinct_pages, &b.name)));
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::MemorySource;

    fn of(accesses: &[(u64, bool)]) -> Vec<Relation> {
        let mut source = MemorySource::new(accesses.iter().copied()).with_chunk_accesses(2);
        relations(&mut source, &mut |_| true).map_or_else(|_| Vec::new(), |found| found.relations)
    }

    #[test]
    fn each_access_has_a_reuse_time_and_each_write_a_stay() {
        // Page 0 at 0w, 2, 3w; page 1 at 1, 4w.
        let made = of(&[(0, true), (1, false), (0, false), (0, true), (1, true)]);
        let one = &made[0];
        assert_eq!(
            (one.accesses, one.write_accesses, one.distinct_pages),
            (5, 3, 2)
        );
        assert_eq!(one.reuse.lowest, [0, 1, 2, 3]);
        assert_eq!(one.reuse.ended, [0, 1, 1, 1]);
        assert_eq!(one.reuse.cut_off, [1, 1, 0, 0]);
        // The first write's page was last accessed 2 and 1 accesses before: its longest is 2.
        // At the end one access came since page 0, none since page 1: they rest for longer than that.
        assert_eq!(one.stays.lowest, [0, 1, 2]);
        assert_eq!(one.stays.ended, [0, 0, 1]);
        assert_eq!(one.stays.cut_off, [1, 1, 0]);
    }

    #[test]
    fn no_access_makes_no_relation() {
        assert!(of(&[]).is_empty());
    }
}
