//! Admission rules of flash: one file each, and one line each in the table below.
//!
//! Koltsidas and Viglas let any predicate on the history of a page decide whether a RAM victim is
//! cached on flash (section 3.4). The paper names line 9 of the lazy listing, which is in
//! its flash-hit branch; here a rule is asked in both branches. It is asked for every RAM victim that
//! would be written to flash, so in the lazy scheme not for a clean victim whose copy is there.
//! A victim that is not admitted evicts nothing from flash; if it is dirty it is written to disk, and a
//! copy of it on flash, which is old then, is invalidated.

use crate::access::Chunk;
use crate::error::{Error, Result};
use crate::replay::About;
use crate::replay::flash_caches::Gate;
use crate::replay::settings::{Need, Setting, Values};
use crate::replay::tier::Victim;
use crate::replay::two_tier::Warning;

mod accessed_twice;
pub(crate) mod all;
pub(crate) mod by_category;
mod clean_only;
mod ranks;
mod read_intensive;
mod top_f;

/// A rule that decides which RAM victims flash takes.
pub(crate) trait Admission {
    /// What it needs beyond the pages of the trace.
    const NEEDS: &'static [Need] = &[];
    /// Whether it can refuse a page: where it cannot, nothing of it is compiled into a replay.
    const CAN_REJECT: bool = true;
    /// Whether it looks at where pages lie.
    const NEEDS_ADDRESSES: bool = false;
    /// Whether it looks at when accesses were recorded.
    const NEEDS_TIMES: bool = false;
    /// Whether it never refuses a page of which flash has a copy: then none has to be dropped.
    const KEEPS_COPIES: bool = false;
    /// The same rule where it decides as pages come from disk; [`All`](all::All) of one that looks at RAM victims.
    type AtMiss: Admission;
    /// A rule for a flash of `flash_pages` pages.
    fn new(flash_pages: u32) -> Self;
    /// Makes room for the page numbers `0..pages`.
    fn grow(&mut self, pages: usize);
    /// Gives it what the options assign to categories.
    fn assign(&mut self, _gate: Gate) {}
    /// Tells of each coming access of a chunk what its category may depend on, where addresses are needed.
    fn classify(&mut self, _chunk: &Chunk, _spaces: &[u32]) -> Result<()> {
        Ok(())
    }
    /// Takes over from the rule of a machine that crashed what it was told of the accesses to come.
    fn keep_places(&mut self, _crashed: &mut Self) {}
    /// Every access, before any victim of it is chosen; `in_ram` tells whether RAM held the page.
    fn on_access(&mut self, page: u32, write: bool, in_ram: bool);
    /// The page of the last access, which RAM lacked, is on flash.
    #[inline]
    fn on_flash_hit(&mut self, _page: u32) {}
    /// A victim left RAM, whether flash will be asked to take it or not.
    #[inline]
    fn on_exit(&mut self, _victim: Victim) {}
    /// Whether flash takes the page of the last access, which neither RAM nor flash holds.
    #[inline]
    fn admits_at_miss(&self, _page: u32) -> bool {
        true
    }
    /// Whether flash takes the victim.
    fn admits(&self, victim: Victim) -> bool;
    /// Things to know about what it was given, once the trace was seen.
    fn notes(&self) -> Vec<Warning> {
        Vec::new()
    }
    /// Counts the rule's own state again; the text says what disagrees.
    fn recount(&self) -> std::result::Result<(), String>;
}

/// Work that is compiled for each rule.
pub(crate) trait ForAdmission {
    type Output;
    fn run<A: Admission>(self) -> Result<Self::Output>;
}

macro_rules! admissions {
    ($($rule:ty => $name:literal, $title:literal, $description:literal, $paper:literal;)+) => {
        /// Every rule: the one table that all lists are read from.
        pub(crate) const TABLE: &[About] = &[
            $(About {
                name: $name,
                title: $title,
                description: $description,
                paper: $paper,
                needs: <$rule as Admission>::NEEDS,
                options: &[],
            },)+
        ];

        /// Their names.
        const NAMES: &[&str] = &[$($name,)+];

        /// Does the work compiled for the rule called `name`.
        pub(crate) fn with<W: ForAdmission>(name: &str, work: W) -> Result<W::Output> {
            match name {
                $($name => work.run::<$rule>(),)+
                other => Err(Error::Internal {
                    message: format!("admission rule {other} is chosen but not listed"),
                }),
            }
        }
    };
}

admissions! {
    all::All => "all", "All", "Every RAM victim.", "Koltsidas, Viglas 2009, section 3.4";
    clean_only::CleanOnly => "clean_only", "Clean only", "Clean RAM victims; dirty ones go to disk, so flash is never dirty.", "Koltsidas, Viglas 2009, sections 3.4 and 5.6 (as ZFS does)";
    accessed_twice::AccessedTwice => "accessed_twice", "Accessed twice", "RAM victims that were accessed at least twice while they were in RAM, so that a scan does not fill flash.", "Koltsidas, Viglas 2009, section 3.4";
    top_f::TopF => "top_f", "Top f by frequency", "RAM victims among the f most accessed pages so far, where f is the number of flash pages.", "Koltsidas, Viglas 2009, section 3.4";
    read_intensive::ReadIntensive => "read_intensive", "Read-intensive", "RAM victims among the f pages with the most reads minus writes so far, if they were read more often than written.", "Koltsidas, Viglas 2009, section 3.4 (after their VLDB 2008 placement of read-intensive pages)";
    by_category::ByCategory => "cachesack", "By category", "RAM victims whose stay in RAM began with a miss that the assignment of its category admits, and those that were on flash then; under the inclusive schemes the pages of such misses, and others pass flash.", "Yang, Pollen, Uysal, Merchant, Wolfmeister: CacheSack (USENIX ATC 2022); before any scheme, derived";
}

/// The rule that takes an assignment.
pub(crate) const BY_CATEGORY: &str = "cachesack";

/// Option of a scheme whose RAM victims can be refused.
pub(crate) const ADMISSION: Setting = Setting {
    name: "admission",
    description: "Which RAM victims flash admits; a victim that it does not admit goes to disk if it is dirty.",
    default: "all",
    values: Values::OneOf(NAMES),
};

/// Option of a scheme that writes pages to flash as they come from disk.
pub(crate) const ADMISSION_AT_MISS: Setting = Setting {
    name: ADMISSION.name,
    description: "Which pages flash admits as they come from disk; one that it does not admit is read past it, and goes to disk if it leaves RAM dirty.",
    default: ADMISSION.default,
    values: Values::OneOf(&[ADMISSION.default, BY_CATEGORY]),
};
/// Why other rules make no sense there.
pub(crate) const NOT_AT_MISS: (&str, &str) = (
    ADMISSION.name,
    "what enters flash is decided as it comes from disk, and this rule looks at RAM victims",
);

/// What [`BY_CATEGORY`] admits, and what it tells apart: given by [`Values::Text`] and kept by the caller.
pub(crate) const ASSIGNMENT: Setting = Setting {
    name: "assignment",
    description: "With admission=cachesack: the rules of all categories, then those of single ones by their number; miss*0.3*never takes 30 % of the pages at a miss and the others never; miss and write mean the same.",
    default: "miss",
    values: Values::Text(
        "RULES+NUMBER:RULES+..., RULES being never, second_miss, miss, write or RULE*SHARE*RULE",
    ),
};
/// See [`ASSIGNMENT`].
pub(crate) const CATEGORIES: Setting = Setting {
    name: "categories",
    description: "With admission=cachesack: what tells accesses apart, as before a flash cache.",
    default: "relation",
    values: Values::Text("one of relation, size, hour"),
};
/// See [`ASSIGNMENT`].
pub(crate) const LIFETIME: Setting = Setting {
    name: "lifetime_requests",
    description: "With admission=cachesack, under second_miss: the requests below RAM since the last one of a page within which its next miss is admitted; 0: as many as flash has pages.",
    default: "0",
    values: Values::References {
        least: 0,
        most: u32::MAX,
    },
};
