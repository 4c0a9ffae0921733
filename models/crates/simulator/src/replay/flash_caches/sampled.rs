//! Which flash caches a small one represents that sees a sample of the pages: each says so itself.

use super::assignments::CATEGORIES;
use super::categories::{BY_REQUEST, Categories};
use crate::error::{Error, Result};
use crate::replay::settings::{Chosen, spelled};

/// What a miniature tells of a flash cache: it sees a sample of the pages, and has as small a share of RAM and flash.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sampled {
    /// The smallest part of flash that works by itself, as a share of it.
    pub(crate) smallest_part: f64,
    /// Counters that it does not tell: of units that do not shrink.
    pub(crate) untold: &'static [&'static str],
}

impl Sampled {
    /// A log: all that is counted shrinks with it.
    pub(crate) const fn appended(smallest_part: f64) -> Self {
        Self {
            smallest_part,
            untold: &[],
        }
    }

    /// Frames that any page takes: whether one lies behind the frame written before is another chance among fewer.
    pub(crate) const fn in_frames(smallest_part: f64) -> Self {
        Self {
            smallest_part,
            untold: &[
                "flash_sequential_page_writes",
                "flash_random_page_writes",
                "flash_sequential_write_batches",
            ],
        }
    }
}

/// Why no miniature represents a flash cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unsampled {
    /// The part of a sentence before "so no small cache can represent it".
    pub(crate) why: &'static str,
    /// The options under which one does.
    pub(crate) instead: Option<&'static str>,
}

impl Unsampled {
    /// With any options.
    pub(crate) const fn always(why: &'static str) -> Self {
        Self { why, instead: None }
    }

    /// But with others.
    pub(crate) const fn unless(instead: &'static str, why: &'static str) -> Self {
        Self {
            why,
            instead: Some(instead),
        }
    }

    /// The error that says so of what was given as `name`.
    pub(super) fn error(self, name: &'static str, value: String) -> Error {
        let Self { why, instead } = self;
        Error::BadParameter {
            name,
            value,
            message: format!("{why}, so no small cache can represent it"),
            hint: match instead {
                Some(instead) => format!("replay it in full, without a sample, or with {instead}"),
                None => "replay it in full, without a sample".to_owned(),
            },
        }
    }
}

/// Refuses categories that the options of a page-flow scheme choose and a sample does not have.
///
/// # Errors
/// [`Error::BadParameter`].
pub(crate) fn sampled_categories(options: &[(String, String)]) -> Result<()> {
    let given = options
        .iter()
        .find(|(name, _)| spelled(name) == CATEGORIES.name);
    let way = given.and_then(|(_, value)| Categories::named(&spelled(value.trim())));
    way.map_or(Ok(()), check_categories).map_err(|unsampled| {
        let (name, value) = given.cloned().unwrap_or_default();
        unsampled.error("option", format!("{name}={value}"))
    })
}

/// What is not in a sample of pages of some categories.
pub(super) fn check_categories(categories: Categories) -> std::result::Result<(), Unsampled> {
    if categories.about.name == BY_REQUEST {
        return Err(Unsampled::unless(
            "categories=relation",
            "its categories are sizes of requests, of which a sample holds single pages",
        ));
    }
    Ok(())
}

/// The caches of a configuration that has a miniature.
#[derive(Debug)]
pub(crate) struct SampledCaches {
    pub(crate) ram: Chosen,
    pub(crate) flash: Sampled,
    pub(crate) flash_title: &'static str,
}
