//! Replacement policies: one file each, and one line each in the table below.

use crate::error::{Error, Result};
use crate::replay::About;
use crate::replay::bits::BitSet;
use crate::replay::lists::NO_PAGE;
use crate::replay::recency::Witness;
use crate::replay::settings::{Need, Setting, Settings};
use crate::replay::single_tier::{self, PolicyResult, Run};
use crate::replay::store::{self, OnDevice};

pub(crate) mod arc;
pub(crate) mod clock;
pub(crate) mod fifo;
pub(crate) mod gclock;
pub(crate) mod guarded;
pub(crate) mod lirs;
pub(crate) mod lru;
pub(crate) mod lru_2;
pub(crate) mod opt;
pub(crate) mod s3_fifo;
pub(crate) mod sieve;
pub(crate) mod two_q;
pub(crate) mod w_tiny_lfu;

/// A replacement policy over dense page numbers. Dirty bits and counters belong to its caller.
pub(crate) trait Policy {
    /// The same policy where pages are guarded: itself, if it can do that at no cost to other uses.
    type Guarded: Guarding;
    /// What it needs beyond the pages of the trace.
    const NEEDS: &'static [Need] = &[];
    /// Its options.
    const OPTIONS: &'static [Setting] = &[];
    /// The smallest part that has a size of its own, as a share of the cache; 1 if the cache is one part.
    /// The error says why no small cache stands for a large one, as far as an interval can be stated.
    fn smallest_part(_settings: &Settings) -> std::result::Result<f64, &'static str>
    where
        Self: Sized,
    {
        Ok(1.0)
    }
    /// Whether it has [`Self::reference`].
    const IN_BULK: bool = false;
    /// A policy for a cache of `capacity` pages, holding none, with the defaults of its options.
    fn new(capacity: u32) -> Self;
    /// The same with chosen options.
    fn configured(capacity: u32, _settings: &Settings) -> Self
    where
        Self: Sized,
    {
        Self::new(capacity)
    }
    /// The capacity becomes `capacity`, at least one page. No page enters or leaves: what is a share of
    /// the capacity follows it, pages change lists where theirs became too long, and ghosts beyond
    /// their share are forgotten. The caller takes and gives pages one at a time, by [`Self::evict`]
    /// and [`Self::insert`], until it holds what it wants. The same capacity changes nothing.
    fn resize(&mut self, _capacity: u32) {}
    /// Makes room for the page numbers `0..pages`.
    fn grow(&mut self, pages: usize);
    /// Reads what is kept of some pages, all at once, if that lies in a table too large for the
    /// cache of the processor.
    fn fetch(&self, _pages: &[u32]) {}
    /// Pages of which some are the next victims, where that is known at no cost: what else is to be
    /// known of them can be read ahead.
    fn upcoming(&self) -> &[u32] {
        &[]
    }
    /// Tells when `page`, which is being accessed now, is accessed next: its place in the trace, or
    /// [`NEVER`](crate::replay::future::NEVER). Called before every access, whether the page is held
    /// or not, where a policy of the run needs the future; the place of the first access is 0.
    fn foresee(&mut self, _page: u32, _next_access: u32) {}
    /// Tells an empty policy that its first access is not the first of the trace: so many went before.
    fn begin_at(&mut self, _accesses: u64) {}
    /// Whether the cache holds `page`.
    fn contains(&self, page: u32) -> bool;
    /// Pages held.
    fn len(&self) -> u32;
    /// A reference to a page that is held.
    fn on_hit(&mut self, page: u32);
    /// Chooses and removes the victim that makes room for `incoming`; at least one page is held. A
    /// cache asks when it is full; a pool of a split buffer may then hold fewer or more pages than its
    /// capacity.
    fn evict(&mut self, incoming: u32) -> u32;
    /// The same for a policy that looks at the dirty bits of the pages it holds.
    #[inline]
    fn evict_by_dirt(&mut self, incoming: u32, _dirty: &BitSet) -> u32 {
        self.evict(incoming)
    }
    /// Dirty bits of pages that stay were cleared, for a policy that remembers those it looked at.
    fn forget_dirt(&mut self) {}
    /// Removes a victim although the cache need not be full and no page comes for it; at least one is held.
    /// It is the next page of the order of eviction, and leaves as it would in its turn. What the last
    /// [`Self::evict`] prepared for its page stays prepared. A policy that looks at the page that comes
    /// says what it does without one.
    #[inline]
    fn give(&mut self, dirty: &BitSet) -> u32 {
        self.evict_by_dirt(NO_PAGE, dirty)
    }
    /// Adds an absent page. A cache does so only when it is not full.
    fn insert(&mut self, page: u32);
    /// References pages in order in a cache of `capacity` pages, which holds no more: the same as
    /// one [`Self::on_hit`], or [`Self::evict`] if it is full and [`Self::insert`], after the other.
    fn reference(&mut self, _capacity: u32, _pages: &[u32], _witness: &mut impl Witness)
    where
        Self: Sized,
    {
        unreachable!("a policy without bulk references");
    }
    /// Counts the policy's own state again; the text says what disagrees.
    fn recount(&self) -> std::result::Result<(), String>;
}

/// A policy that can be told which of its pages must stay, as the inclusive schemes tell it of the pages
/// in RAM.
///
/// A guarded page keeps its place: it is referenced, and moves within the policy, like any other. Only
/// a victim is sought among the open pages, those that are not guarded; at least one is. How each
/// policy passes over guarded pages, says its file.
pub(crate) trait Guarding: Removable {
    /// Whether it looks at one page after the other for one that is open.
    const WALKS: bool = true;
    /// Prepares for guards; called before any page enters.
    fn expect_guards(&mut self);
    /// Whether a page that is held is guarded.
    fn is_guarded(&self, page: u32) -> bool;
    /// Guards a page that is held and open.
    fn guard(&mut self, page: u32);
    /// Ends the guard of a page.
    fn release(&mut self, page: u32);
    /// Adds an absent page, guarded.
    #[inline]
    fn insert_guarded(&mut self, page: u32) {
        self.insert(page);
        self.guard(page);
    }
    /// A reference to an open page, which is guarded from then on.
    #[inline]
    fn hit_and_guard(&mut self, page: u32) {
        self.on_hit(page);
        self.guard(page);
    }
    /// A reference to a guarded page, which is open from then on.
    #[inline]
    fn hit_and_release(&mut self, page: u32) {
        self.on_hit(page);
        self.release(page);
    }
}

/// [`Guarding`] of a policy by that of its pages: by the field that keeps the guards, and what that does to
/// expect them.
macro_rules! guarding_by {
    ($policy:ty, $pages:ident $(, $expect:ident)?) => {
        impl $crate::replay::policies::Guarding for $policy {
            fn expect_guards(&mut self) {
                $(self.$pages.$expect();)?
            }

            fn is_guarded(&self, page: u32) -> bool {
                self.$pages.is_guarded(page)
            }

            #[inline]
            fn guard(&mut self, page: u32) {
                self.$pages.guard(page);
            }

            #[inline]
            fn release(&mut self, page: u32) {
                self.$pages.release(page);
            }
        }
    };
}
use guarding_by;

/// A policy from which a page can be taken out of turn, as the exclusive scheme does.
///
/// The page leaves its lists without a trace: it is on no ghost list and comes back like a page that
/// was never here. Only what a policy keeps of every page, held or not, stays: reference times of
/// LRU-2, frequencies of W-TinyLFU.
pub(crate) trait Removable: Policy {
    /// Prepares for removals; called before any page enters.
    fn expect_removal(&mut self) {}
    /// Removes a page that is held.
    fn remove(&mut self, page: u32);
}

/// A policy chosen at run time among some.
///
/// Its methods are functions of their own, not parts of the loop of each scheme, so the program grows
/// by one copy of each policy and not by one for each scheme and tier.
macro_rules! any_policy {
    ($(#[$doc:meta])* $any:ident: $($variant:ident: $policy:ty => $name:literal;)+) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) enum $any {
            $($variant($policy),)+
        }

        impl Policy for $any {
            type Guarded = AnyGuarded;

            /// LRU; [`Self::configured`] chooses.
            fn new(capacity: u32) -> Self {
                Self::Lru(Policy::new(capacity))
            }

            fn configured(capacity: u32, settings: &Settings) -> Self {
                match settings.policy {
                    $($name => Self::$variant(<$policy>::configured(capacity, settings)),)+
                    other => unreachable!("{}", unlisted(other)),
                }
            }

            fn grow(&mut self, pages: usize) {
                match self { $(Self::$variant(policy) => policy.grow(pages),)+ }
            }

            fn resize(&mut self, capacity: u32) {
                match self { $(Self::$variant(policy) => policy.resize(capacity),)+ }
            }

            fn fetch(&self, pages: &[u32]) {
                match self { $(Self::$variant(policy) => policy.fetch(pages),)+ }
            }

            fn upcoming(&self) -> &[u32] {
                match self { $(Self::$variant(policy) => policy.upcoming(),)+ }
            }

            fn foresee(&mut self, page: u32, next_access: u32) {
                match self { $(Self::$variant(policy) => policy.foresee(page, next_access),)+ }
            }

            fn begin_at(&mut self, accesses: u64) {
                match self { $(Self::$variant(policy) => policy.begin_at(accesses),)+ }
            }

            fn contains(&self, page: u32) -> bool {
                match self { $(Self::$variant(policy) => policy.contains(page),)+ }
            }

            fn len(&self) -> u32 {
                match self { $(Self::$variant(policy) => policy.len(),)+ }
            }

            fn on_hit(&mut self, page: u32) {
                match self { $(Self::$variant(policy) => policy.on_hit(page),)+ }
            }

            fn evict(&mut self, incoming: u32) -> u32 {
                match self { $(Self::$variant(policy) => policy.evict(incoming),)+ }
            }

            fn evict_by_dirt(&mut self, incoming: u32, dirty: &BitSet) -> u32 {
                match self { $(Self::$variant(policy) => policy.evict_by_dirt(incoming, dirty),)+ }
            }

            fn forget_dirt(&mut self) {
                match self { $(Self::$variant(policy) => policy.forget_dirt(),)+ }
            }

            fn give(&mut self, dirty: &BitSet) -> u32 {
                match self { $(Self::$variant(policy) => policy.give(dirty),)+ }
            }

            fn insert(&mut self, page: u32) {
                match self { $(Self::$variant(policy) => policy.insert(page),)+ }
            }

            fn recount(&self) -> std::result::Result<(), String> {
                match self { $(Self::$variant(policy) => policy.recount(),)+ }
            }
        }

        impl Removable for $any {
            fn expect_removal(&mut self) {
                match self { $(Self::$variant(policy) => policy.expect_removal(),)+ }
            }

            fn remove(&mut self, page: u32) {
                match self { $(Self::$variant(policy) => policy.remove(page),)+ }
            }
        }
    };
}

macro_rules! policies {
    ($($variant:ident: $policy:ty => $name:literal, $title:literal, $description:literal, $paper:literal;)+) => {
        /// Every policy: the one table that all lists are read from.
        pub(crate) const TABLE: &[About] = &[
            $(About {
                name: $name,
                title: $title,
                description: $description,
                paper: $paper,
                needs: <$policy as Policy>::NEEDS,
                options: <$policy as Policy>::OPTIONS,
            },)+
        ];

        /// Replays the run through the policy called `name`, compiled for it alone where its data lie on no
        /// device.
        pub(crate) fn simulate(name: &str, run: Run<'_, '_>) -> Result<PolicyResult> {
            let (own, device) = store::asked(name, run.options)?;
            let settings = &Settings::parse("policy", name, "", &own)?;
            if let Some(device) = device {
                return single_tier::simulate::<AnyPolicy, OnDevice>(settings, run, device);
            }
            match settings.policy {
                $($name => single_tier::simulate::<$policy, ()>(settings, run, ()),)+
                other => Err(unlisted(other)),
            }
        }

        /// [`Policy::smallest_part`] of a chosen policy.
        pub(crate) fn smallest_part(settings: &Settings) -> std::result::Result<f64, &'static str> {
            match settings.policy {
                $($name => <$policy as Policy>::smallest_part(settings),)+
                other => unreachable!("{}", unlisted(other)),
            }
        }

        any_policy! {
            /// Any policy of the table, chosen at run time: one compiled scheme for all combinations.
            AnyPolicy: $($variant: $policy => $name;)+
        }

        any_policy! {
            /// The same where pages are guarded.
            AnyGuarded: $($variant: <$policy as Policy>::Guarded => $name;)+
        }

        impl Guarding for AnyGuarded {
            fn expect_guards(&mut self) {
                match self { $(Self::$variant(policy) => policy.expect_guards(),)+ }
            }

            fn is_guarded(&self, page: u32) -> bool {
                match self { $(Self::$variant(policy) => policy.is_guarded(page),)+ }
            }

            fn guard(&mut self, page: u32) {
                match self { $(Self::$variant(policy) => policy.guard(page),)+ }
            }

            fn release(&mut self, page: u32) {
                match self { $(Self::$variant(policy) => policy.release(page),)+ }
            }

            fn insert_guarded(&mut self, page: u32) {
                match self { $(Self::$variant(policy) => policy.insert_guarded(page),)+ }
            }

            fn hit_and_guard(&mut self, page: u32) {
                match self { $(Self::$variant(policy) => policy.hit_and_guard(page),)+ }
            }

            fn hit_and_release(&mut self, page: u32) {
                match self { $(Self::$variant(policy) => policy.hit_and_release(page),)+ }
            }
        }
    };
}

/// The smallest share of a cache, for [`Policy::smallest_part`]: none is at least a page in `kept`, which
/// does not shrink any more; in `optional`, none is no such part.
fn smallest_share(kept: &[f64], optional: &[f64]) -> std::result::Result<f64, &'static str> {
    let optional = optional.iter().filter(|share| **share > 0.0);
    let least = kept.iter().chain(optional).copied().fold(1.0, f64::min);
    if least > 0.0 {
        Ok(least)
    } else {
        Err("one of its parts has one page, whatever the size")
    }
}

fn unlisted(name: &str) -> Error {
    Error::Internal {
        message: format!("policy {name} is chosen but not listed"),
    }
}

policies! {
    Lru: lru::Lru => "lru", "LRU", "Evicts the least recently used page.", "Mattson, Gecsei, Slutz, Traiger: Evaluation techniques for storage hierarchies, IBM Systems Journal 1970";
    Fifo: fifo::Fifo => "fifo", "FIFO", "Evicts the page that entered first, regardless of use since then.", "Belady: A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966";
    Clock: clock::Clock => "clock", "CLOCK", "FIFO with a second chance for pages used since the hand last passed (one bit; a page enters with it clear).", "Corbato: A paging experiment with the Multics system, 1968";
    Gclock: gclock::Gclock => "gclock", "GCLOCK", "CLOCK with a use counter instead of a bit: the hand counts it down and evicts a page whose counter is zero.", "Smith: Sequentiality and prefetching in database systems, ACM TODS 1978; Nicola, Dan, Dias: Analysis of the generalized clock buffer replacement scheme, SIGMETRICS 1992";
    Lru2: lru_2::Lru2 => "lru_2", "LRU-2", "Evicts the page whose second-to-last reference is the oldest; pages referenced once are evicted first.", "O'Neil, O'Neil, Weikum: The LRU-K page replacement algorithm for database disk buffering, SIGMOD 1993";
    TwoQ: two_q::TwoQ => "2q", "2Q", "A FIFO queue of newcomers and an LRU list of pages that came back soon after they left it.", "Johnson, Shasha: 2Q: a low overhead high performance buffer management replacement algorithm, VLDB 1994";
    Arc: arc::Arc => "arc", "ARC", "Balances a list of pages seen once and one of pages seen again, by hits on recently evicted pages.", "Megiddo, Modha: ARC: a self-tuning, low overhead replacement cache, FAST 2003, Figure 4";
    Lirs: lirs::Lirs => "lirs", "LIRS", "Keeps the pages with small reuse distances; the others pass through a small queue.", "Jiang, Zhang: LIRS: an efficient low inter-reference recency set replacement policy, SIGMETRICS 2002";
    Sieve: sieve::Sieve => "sieve", "SIEVE", "FIFO whose hand evicts the first page not used since it last passed, and leaves used pages where they are.", "Zhang, Yang, Yue, Vigfusson, Rashmi: SIEVE is simpler than LRU, NSDI 2024";
    S3Fifo: s3_fifo::S3Fifo => "s3_fifo", "S3-FIFO", "A small FIFO queue that filters out pages used once, before a main FIFO queue with second chances.", "Yang, Zhang, Qiu, Yue, Rashmi: FIFO queues are all you need for cache eviction, SOSP 2023";
    WTinyLfu: w_tiny_lfu::WTinyLfu => "w_tinylfu", "W-TinyLFU", "A small LRU window before a segmented LRU that a page enters only if it is used more often than the page it replaces.", "Einziger, Friedman, Manes: TinyLFU: a highly efficient cache admission policy, ACM ToS 2017";
    Opt: opt::Opt => "opt", "OPT", "Evicts the page whose next access is farthest in the future: no policy has fewer misses.", "Belady: A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966";
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::replay::future::NEVER;

    /// A cache of changing size; the victims of each step.
    struct Cache {
        policy: AnyPolicy,
        size: u32,
    }

    impl Cache {
        fn new(name: &str, size: u32) -> Self {
            let settings = Settings::parse("policy", name, "", &[]).expect("a listed policy");
            let mut policy = AnyPolicy::configured(size, &settings);
            policy.expect_removal();
            policy.grow(60);
            Self { policy, size }
        }

        fn access(&mut self, page: u32, next: u32) -> Vec<u32> {
            let mut victims = Vec::new();
            self.policy.foresee(page, next);
            if self.policy.contains(page) {
                self.policy.on_hit(page);
                return victims;
            }
            while self.policy.len() >= self.size {
                victims.push(self.policy.evict(page));
            }
            self.policy.insert(page);
            victims
        }
    }

    fn next_accesses(pages: &[u32]) -> Vec<u32> {
        let next = |(place, page)| {
            let gap = pages[place + 1..].iter().position(|other| other == page);
            gap.map_or(NEVER, |gap| u32::try_from(place + 1 + gap).unwrap_or(NEVER))
        };
        pages.iter().enumerate().map(next).collect()
    }

    proptest! {
        #[test]
        fn the_same_size_changes_nothing(
            pages in prop::collection::vec(prop_oneof![0_u32..60, 0_u32..20], 0..400),
            size in 1_u32..30,
        ) {
            let next = next_accesses(&pages);
            for about in TABLE {
                let mut plain = Cache::new(about.name, size);
                let mut resized = Cache::new(about.name, size);
                for (&page, &next) in pages.iter().zip(&next) {
                    resized.policy.resize(size);
                    let expected = plain.access(page, next);
                    prop_assert_eq!(resized.access(page, next), expected, "{}", about.name);
                }
                prop_assert_eq!(resized.policy.recount(), Ok(()));
            }
        }

        /// Every page leaves once for each time it enters, whatever the size was in between.
        #[test]
        fn every_policy_follows_its_size(
            steps in prop::collection::vec((0_u32..60, prop::option::weighted(0.1, 1_u32..30)), 0..400),
            size in 1_u32..30,
        ) {
            let pages: Vec<u32> = steps.iter().map(|step| step.0).collect();
            let next = next_accesses(&pages);
            for about in TABLE {
                let mut cache = Cache::new(about.name, size);
                let mut held = std::collections::BTreeSet::new();
                for (&(page, to), &next) in steps.iter().zip(&next) {
                    if let Some(to) = to {
                        cache.size = to;
                        cache.policy.resize(to);
                    }
                    for victim in cache.access(page, next) {
                        prop_assert!(held.remove(&victim), "{}", about.name);
                    }
                    held.insert(page);
                    prop_assert_eq!(cache.policy.len() as usize, held.len());
                    prop_assert_eq!(cache.policy.recount(), Ok(()), "{}", about.name);
                }
            }
        }
    }
}
