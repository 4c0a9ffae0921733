//! Replacement policies: one file each, and one line each in the table below.

use crate::error::{Error, Result};
use crate::replay::single_tier::{self, PolicyResult, Run};
use crate::replay::{About, known_names};

pub(crate) mod clock;
pub(crate) mod fifo;
pub(crate) mod lru;

/// A replacement policy over dense page numbers. Dirty bits and counters belong to its caller.
pub(crate) trait Policy {
    /// A policy for a cache of `capacity` pages, holding none.
    fn new(capacity: u32) -> Self;
    /// Makes room for the page numbers `0..pages`.
    fn grow(&mut self, pages: usize);
    /// Reads what is kept of some pages, all at once, if that lies in a table too large for the
    /// cache of the processor.
    fn fetch(&self, _pages: &[u32]) {}
    /// Whether the cache holds `page`.
    fn contains(&self, page: u32) -> bool;
    /// Pages held.
    fn len(&self) -> u32;
    /// A reference to a page that is held.
    fn on_hit(&mut self, page: u32);
    /// Chooses and removes the victim that makes room for `incoming`; called only when full.
    fn evict(&mut self, incoming: u32) -> u32;
    /// Adds an absent page; called only when not full.
    fn insert(&mut self, page: u32);
    /// Counts the policy's own state again; the text says what disagrees.
    fn recount(&self) -> std::result::Result<(), String>;
}

/// A policy from which a page can be taken out of turn, as the exclusive scheme does.
pub(crate) trait Removable: Policy {
    /// Removes a page that is held.
    fn remove(&mut self, page: u32);
}

macro_rules! policies {
    ($($policy:ty => $name:literal, $title:literal, $description:literal, $paper:literal;)+) => {
        /// Every policy: the one table that all lists are read from.
        pub(crate) const TABLE: &[About] = &[
            $(About { name: $name, title: $title, description: $description, paper: $paper },)+
        ];

        /// Replays the run through the policy called `name`.
        pub(crate) fn simulate(name: &str, run: Run<'_, '_>) -> Result<PolicyResult> {
            match name.to_ascii_lowercase().replace('-', "_").as_str() {
                $($name => single_tier::simulate::<$policy>($name, run),)+
                _ => Err(Error::BadParameter {
                    name: "policy",
                    value: name.to_owned(),
                    message: "no such replacement policy".to_owned(),
                    hint: format!("choose one of {}", known_names(TABLE)),
                }),
            }
        }
    };
}

policies! {
    lru::Lru => "lru", "LRU", "Evicts the least recently used page.", "Mattson, Gecsei, Slutz, Traiger: Evaluation techniques for storage hierarchies, IBM Systems Journal 1970";
    fifo::Fifo => "fifo", "FIFO", "Evicts the page that entered first, whatever was used since.", "Belady: A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966";
    clock::Clock => "clock", "CLOCK", "FIFO that gives a page used since the hand last passed a second chance (one bit; a page enters with it clear).", "Corbato: A paging experiment with the Multics system, 1968";
}
