//! A cache tier: a replacement policy and the dirty bits of its pages.

use crate::access::WRITE;
use crate::replay::bits::BitSet;
use crate::replay::policies::{Policy, Removable};
use crate::replay::recency::Witness;
use crate::replay::settings::Settings;
use crate::replay::two_tier::Cache;
use crate::replay::{BATCH, any_write};

/// A page that leaves a tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Victim {
    pub(crate) page: u32,
    pub(crate) dirty: bool,
}

/// What a caller of [`Tier::reference`] sees of the accesses.
pub(crate) trait Traffic {
    /// Whether it asks which pages leave, or only how many and how many dirty ones.
    const NAMES_VICTIMS: bool;
    /// One access, in order.
    fn access(&mut self, page: u32, hit: bool);
    /// A page leaves. Victims are told in their order, each before its page is accessed again.
    fn victim(&mut self, victim: Victim);
    /// Clean pages leave.
    fn clean_victims(&mut self, count: u32);
}

/// The misses of a batch and the victims that they cause.
#[derive(Debug, Default)]
pub(crate) struct Misses {
    pages: Vec<u32>,
    count: usize,
    victims: Vec<u32>,
    dirty: Vec<bool>,
}

impl Misses {
    /// Prepares for a batch.
    fn clear(&mut self) {
        self.pages.resize(BATCH, 0);
        self.count = 0;
        self.victims.clear();
        self.dirty.clear();
    }

    /// The pages that were not held, in order.
    pub(crate) fn pages(&self) -> &[u32] {
        &self.pages[..self.count]
    }

    /// The pages that left, in order.
    pub(crate) fn victims(&self) -> &[u32] {
        &self.victims
    }

    /// Whether any page that left was dirty.
    pub(crate) fn any_dirty(&self) -> bool {
        self.dirty.iter().fold(false, |any, &dirty| any | dirty)
    }

    /// The misses in order, each with the victim that makes room for it; the first ones have none
    /// while the cache fills.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, Option<Victim>)> {
        let (without, with) = self.pages().split_at(self.count - self.victims.len());
        let victims = self.victims.iter().zip(&self.dirty);
        let victims = victims.map(|(&page, &dirty)| Some(Victim { page, dirty }));
        let without = without.iter().map(|&page| (page, None));
        without.chain(with.iter().copied().zip(victims))
    }
}

impl Traffic for Misses {
    const NAMES_VICTIMS: bool = true;

    #[inline]
    fn access(&mut self, page: u32, hit: bool) {
        // Without a branch: a hit is overwritten by what follows.
        self.pages[self.count] = page;
        self.count += usize::from(!hit);
    }

    #[inline]
    fn victim(&mut self, victim: Victim) {
        self.victims.push(victim.page);
        self.dirty.push(victim.dirty);
    }

    fn clean_victims(&mut self, _count: u32) {
        unreachable!("it asks for each victim");
    }
}

/// Looks on while no page is dirty and none becomes so.
struct Clean<'a, T>(&'a mut T);

impl<T: Traffic> Witness for Clean<'_, T> {
    fn asks_victims(&self) -> bool {
        T::NAMES_VICTIMS
    }

    #[inline]
    fn access(&mut self, page: u32, hit: bool) {
        self.0.access(page, hit);
    }

    #[inline]
    fn victim(&mut self, page: u32) {
        self.0.victim(Victim { page, dirty: false });
    }

    fn victims(&mut self, count: u32) {
        self.0.clean_victims(count);
    }
}

/// Keeps the dirty bits.
struct Soiling<'a, T> {
    traffic: &'a mut T,
    dirty: &'a mut BitSet,
    flags: std::slice::Iter<'a, u8>,
}

impl<T: Traffic> Witness for Soiling<'_, T> {
    fn asks_victims(&self) -> bool {
        true
    }

    #[inline]
    fn access(&mut self, page: u32, hit: bool) {
        let write = self.flags.next().is_some_and(|flags| flags & WRITE != 0);
        self.dirty.insert_if(page, write);
        self.traffic.access(page, hit);
    }

    #[inline]
    fn victim(&mut self, page: u32) {
        let dirty = self.dirty.take(page);
        self.traffic.victim(Victim { page, dirty });
    }

    fn victims(&mut self, _count: u32) {
        unreachable!("it asks for each victim");
    }
}

/// A cache of `capacity` pages.
#[derive(Debug)]
pub(crate) struct Tier<P> {
    capacity: u32,
    policy: P,
    dirty: BitSet,
    /// Whether any page was ever dirty: without writes the bits are not worth a look.
    ever_dirty: bool,
}

impl<P: Policy> Tier<P> {
    pub(crate) fn new(capacity: u32) -> Self {
        Self {
            capacity,
            policy: P::new(capacity),
            dirty: BitSet::default(),
            ever_dirty: false,
        }
    }

    /// An empty tier as a scheme was told to have it.
    pub(crate) fn of(cache: &Cache<'_>) -> Self {
        Self::configured(cache.pages, cache.settings)
    }

    /// The same under a policy with chosen options.
    pub(crate) fn configured(capacity: u32, settings: &Settings) -> Self {
        Self {
            policy: P::configured(capacity, settings),
            ..Self::new(capacity)
        }
    }

    pub(crate) fn grow(&mut self, pages: usize) {
        self.policy.grow(pages);
        self.dirty.grow(pages);
    }

    pub(crate) fn fetch(&self, pages: &[u32]) {
        self.policy.fetch(pages);
    }

    /// Pages of which some are the next victims, as far as the policy knows without looking.
    pub(crate) fn upcoming(&self) -> &[u32] {
        self.policy.upcoming()
    }

    /// Tells when `page`, which is being accessed now, is accessed next; see [`Policy::foresee`].
    #[inline]
    pub(crate) fn foresee(&mut self, page: u32, next_access: u32) {
        self.policy.foresee(page, next_access);
    }

    /// Tells an empty tier how many accesses went before its first one.
    pub(crate) fn begin_at(&mut self, accesses: u64) {
        self.policy.begin_at(accesses);
    }

    #[inline]
    pub(crate) fn contains(&self, page: u32) -> bool {
        self.policy.contains(page)
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.policy.len() == self.capacity
    }

    pub(crate) fn len(&self) -> u32 {
        self.policy.len()
    }

    /// A reference to a page that is held.
    #[inline]
    pub(crate) fn on_hit(&mut self, page: u32) {
        self.policy.on_hit(page);
    }

    /// Sets the dirty bit of a page that is held if `write` holds.
    #[inline]
    pub(crate) fn soil(&mut self, page: u32, write: bool) {
        self.ever_dirty |= write;
        self.dirty.insert_if(page, write);
    }

    /// Adds an absent page; the tier is not full.
    #[inline]
    pub(crate) fn insert(&mut self, page: u32, dirty: bool) {
        self.policy.insert(page);
        self.soil(page, dirty);
    }

    /// The victim that makes room for `incoming`, if the tier is full.
    #[inline]
    pub(crate) fn evict_if_full(&mut self, incoming: u32) -> Option<Victim> {
        self.is_full().then(|| {
            let page = self.policy.evict_by_dirt(incoming, &self.dirty);
            Victim {
                page,
                dirty: self.clean(page),
            }
        })
    }

    /// References pages in order under a policy that goes [in bulk](Policy::IN_BULK), `flags` telling which write: all that [`Self::contains`],
    /// [`Self::on_hit`], [`Self::evict_if_full`] and [`Self::insert`] do for each.
    pub(crate) fn reference(&mut self, pages: &[u32], flags: &[u8], traffic: &mut impl Traffic) {
        self.ever_dirty |= any_write(flags);
        let dirty = &mut self.dirty;
        if self.ever_dirty {
            let flags = flags.iter();
            let mut soiling = Soiling {
                traffic,
                dirty,
                flags,
            };
            self.policy.reference(self.capacity, pages, &mut soiling);
        } else {
            let clean = &mut Clean(traffic);
            self.policy.reference(self.capacity, pages, clean);
        }
    }

    /// The misses of pages that are referenced in order.
    pub(crate) fn miss(&mut self, pages: &[u32], flags: &[u8], misses: &mut Misses) {
        misses.clear();
        self.reference(pages, flags, misses);
    }

    /// Clears the dirty bit of a page that leaves, and tells whether it was set.
    #[inline]
    fn clean(&mut self, page: u32) -> bool {
        self.ever_dirty && self.dirty.take(page)
    }

    pub(crate) fn policy(&self) -> &P {
        &self.policy
    }

    /// Counts the tier's state again; the text says what disagrees.
    pub(crate) fn recount(&self, name: &str) -> Result<(), String> {
        self.policy
            .recount()
            .map_err(|disagreement| format!("{name}: {disagreement}"))?;
        if self.policy.len() > self.capacity {
            return Err(format!(
                "{name}: {} pages in a cache of {}",
                self.policy.len(),
                self.capacity
            ));
        }
        match self.dirty.iter().find(|&page| !self.policy.contains(page)) {
            None => Ok(()),
            Some(page) => Err(format!("{name}: absent page {page} is marked dirty")),
        }
    }
}

impl<P: Policy> Tier<P> {
    pub(crate) fn capacity(&self) -> u32 {
        self.capacity
    }

    /// The dirty bit of a page; clear if it is absent.
    #[inline]
    pub(crate) fn is_dirty(&self, page: u32) -> bool {
        self.dirty.contains(page)
    }

    /// Clears the dirty bit of the first page from `from` on that has it set, and names that page.
    pub(crate) fn clean_from(&mut self, from: u32) -> Option<u32> {
        self.dirty.take_from(from)
    }

    /// Tells the policy of [`Self::clean_from`], behind the last page.
    pub(crate) fn cleaned(&mut self) {
        self.policy.forget_dirt();
    }

    /// Pages whose dirty bit is set.
    pub(crate) fn dirty_pages(&self) -> u64 {
        self.dirty.len()
    }
}

impl<P: Policy> Tier<P> {
    /// The next victim, taken although the tier need not be full; `None` if it is empty.
    #[inline]
    pub(crate) fn give(&mut self) -> Option<Victim> {
        (self.policy.len() > 0).then(|| {
            let page = self.policy.give(&self.dirty);
            Victim {
                page,
                dirty: self.clean(page),
            }
        })
    }
}

impl<P: Removable> Tier<P> {
    /// Prepares for [`Self::remove`], before any page enters.
    #[must_use]
    pub(crate) fn expecting_removal(mut self) -> Self {
        self.policy.expect_removal();
        self
    }

    /// Removes a page that is held, and returns its dirty bit.
    #[inline]
    pub(crate) fn remove(&mut self, page: u32) -> bool {
        self.policy.remove(page);
        self.clean(page)
    }
}
