//! Categories of accesses: what an admission may tell apart. One line each in the table below.

use crate::access::{AccessSource, Chunk, FIRST_OF_REQUEST};
use crate::error::{Error, Result};
use crate::replay::settings::spelled;
use crate::replay::whole_requests::WholeRequests;

/// Categories that are told apart; those with larger numbers are one.
pub(crate) const MOST: u16 = 5_000;

const NS_PER_HOUR: u64 = 3_600_000_000_000;
const HOURS_PER_DAY: u64 = 24;
/// The way that needs to know the whole of a request.
pub(super) const BY_REQUEST: &str = "size";

/// What is known of an access.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// Number of its relation, file, volume or device.
    space: u32,
    /// Since the first request of the trace; 0 where the trace has no time. [ns]
    at_ns: u64,
    /// Pages of its request.
    request_pages: u64,
}

/// A registered way to divide accesses into categories, for lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CategoryAbout {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// The name to show.
    pub title: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Whether the trace must record times.
    pub needs_times: bool,
}

type Key = fn(Known) -> u64;

/// What the option that chooses one may be: the names of the table.
pub(crate) const NAMES: &str = "relation, size, hour";

macro_rules! categories {
    ($($name:literal, $title:literal, $description:literal, $needs_times:literal, $key:expr;)+) => {
        /// Every way: the one table that all lists are read from.
        const TABLE: &[CategoryAbout] = &[
            $(CategoryAbout { name: $name, title: $title, description: $description, needs_times: $needs_times },)+
        ];
        /// The number of the category of an access, in the order of the table.
        const KEYS: &[Key] = &[$($key,)+];
    };
}

categories! {
    "relation", "Relation", "Relations, files, volumes or devices, as the trace tells them apart, numbered in the order in which it shows them first.", false, |known| known.space.into();
    "size", "Size class", "Sizes of requests: class n has those of 2^n to 2^(n+1) - 1 pages.", false, |known| known.request_pages.max(1).ilog2().into();
    "hour", "Hour", "Hours since the first request of the trace, modulo 24.", true, |known| known.at_ns / NS_PER_HOUR % HOURS_PER_DAY;
}

/// Every way to divide accesses into categories.
pub fn categories() -> &'static [CategoryAbout] {
    TABLE
}

/// Whether the options of a contender divide accesses by when they were recorded.
pub fn categories_need_times(options: &[(String, String)]) -> bool {
    options.iter().any(|(name, value)| {
        spelled(name) == "categories"
            && Categories::named(&spelled(value.trim())).is_some_and(|way| way.about.needs_times)
    })
}

/// Whether the options of a contender tell accesses apart by the sizes of their requests.
pub(crate) fn by_request(options: &[(String, String)]) -> bool {
    let is_named = |value: &str| {
        Categories::named(&spelled(value.trim())).is_some_and(|way| way.about.name == BY_REQUEST)
    };
    let given = |(name, value): &(String, String)| match spelled(name).as_str() {
        // The usual way of small objects is this one.
        "small" => true,
        "categories" | "small_by" => is_named(value),
        _ => false,
    };
    options.iter().any(given)
}

/// Replays a source, in chunks that end with a request where that matters.
///
/// # Errors
/// Whatever `replay` reports.
pub(crate) fn in_whole_requests<T>(
    matters: bool,
    source: &mut dyn AccessSource,
    replay: impl FnOnce(&mut dyn AccessSource) -> Result<T>,
) -> Result<T> {
    if matters {
        replay(&mut WholeRequests::new(source))
    } else {
        replay(source)
    }
}

/// One of the ways.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Categories {
    pub(crate) about: &'static CategoryAbout,
    key: Key,
}

impl Categories {
    /// The way of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let at = TABLE.iter().position(|about| about.name == name)?;
        Some(Self {
            about: &TABLE[at],
            key: KEYS[at],
        })
    }

    /// Names and ways, for a choice among options.
    pub(crate) fn choices() -> Vec<(&'static str, Self)> {
        let named = TABLE.iter().zip(KEYS);
        named
            .map(|(about, &key)| (about.name, Self { about, key }))
            .collect()
    }

    /// Numbers the accesses of a chunk, [`MOST`] at most; by size, one of those of [`in_whole_requests`].
    ///
    /// # Errors
    /// [`Error::BadParameter`] where the trace lacks what the way needs.
    pub(crate) fn of(&self, chunk: &Chunk, spaces: &[u32], found: &mut Vec<u16>) -> Result<()> {
        if self.about.needs_times && chunk.times_ns.is_empty() && !chunk.is_empty() {
            return Err(Error::BadParameter {
                name: "categories",
                value: self.about.name.to_owned(),
                message: "the trace has no times".to_owned(),
                hint: "use categories that need none, relation or size".to_owned(),
            });
        }
        found.clear();
        let mut start = 0;
        while start < chunk.len() {
            let rest = &chunk.flags[start + 1..];
            let next = rest.iter().position(|&flags| flags & FIRST_OF_REQUEST != 0);
            let end = next.map_or(chunk.len(), |after| start + 1 + after);
            for at in start..end {
                let at_ns = chunk.times_ns.get(at).copied().unwrap_or_default();
                let number = (self.key)(Known {
                    space: spaces.get(at).copied().unwrap_or_default(),
                    at_ns: u64::try_from(at_ns).unwrap_or_default(),
                    request_pages: (end - start) as u64,
                });
                found.push(u16::try_from(number).map_or(MOST, |number| number.min(MOST)));
            }
            start = end;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(name: &str) -> Vec<u16> {
        let chunk = Chunk {
            pages: vec![0, 1, 2, 3],
            flags: vec![FIRST_OF_REQUEST, 0, 0, FIRST_OF_REQUEST],
            times_ns: vec![-1, 0, 3_600_000_000_000, 25 * 3_600_000_000_000],
            warm_up: 0,
        };
        let mut found = Vec::new();
        let way = Categories::named(name).expect("listed");
        way.of(&chunk, &[0, 7, u32::from(MOST) + 1, 100_000], &mut found)
            .expect("times are there");
        found
    }

    #[test]
    fn the_option_lists_every_way() {
        let names: Vec<_> = categories().iter().map(|about| about.name).collect();
        assert_eq!(names.join(", "), NAMES);
    }

    #[test]
    fn each_way_numbers_accesses_by_what_it_says() {
        assert_eq!(numbers("relation"), [0, 7, MOST, MOST]);
        assert_eq!(numbers("size"), [1, 1, 1, 0]);
        assert_eq!(numbers("hour"), [0, 0, 1, 1]);
    }

    #[test]
    fn hours_need_times() {
        let chunk = Chunk {
            pages: vec![0],
            flags: vec![FIRST_OF_REQUEST],
            ..Chunk::default()
        };
        let way = Categories::named("hour").expect("listed");
        assert!(way.of(&chunk, &[0], &mut Vec::new()).is_err());
    }
}
