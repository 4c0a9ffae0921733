//! The order in which an inclusive flash gives its blocks up.

use crate::replay::bits::BitSet;
use crate::replay::policies::{AnyGuarded, Guarding, Policy, Removable};
use crate::replay::recency::Recency;
use crate::replay::recency::protected::ProtectedRecency;
use crate::replay::settings::Settings;

/// Blocks on flash, of which some are guarded.
pub(super) trait BlockOrder {
    fn new(blocks: u32, settings: &Settings) -> Self;
    /// Makes room for the block numbers `0..blocks`.
    fn grow(&mut self, blocks: usize);
    fn contains(&self, block: u32) -> bool;
    fn len(&self) -> u32;
    fn is_guarded(&self, block: u32) -> bool;
    /// Tells when a block that is accessed now is accessed next.
    fn foresee(&mut self, _block: u32, _next_access: u32) {}
    /// A reference to an open block, which is guarded from then on.
    fn hit_and_guard(&mut self, block: u32);
    /// A reference to a guarded block.
    fn hit_guarded(&mut self, block: u32);
    /// A reference to a guarded block, which is open from then on.
    fn hit_and_release(&mut self, block: u32);
    /// Ends the guard of a block.
    fn release(&mut self, block: u32);
    /// Adds an absent block, guarded.
    fn insert_guarded(&mut self, block: u32);
    /// Removes the block that makes room for `incoming`: an open one or, if all are guarded, the one
    /// referenced least recently.
    fn evict(&mut self, incoming: u32, dirty: &BitSet) -> u32;
    /// Counts its own state again; the text says what disagrees.
    fn recount(&self) -> std::result::Result<(), String>;
}

/// LRU.
impl BlockOrder for ProtectedRecency {
    fn new(_blocks: u32, _settings: &Settings) -> Self {
        Self::new()
    }

    fn grow(&mut self, blocks: usize) {
        self.grow(blocks);
    }

    #[inline]
    fn contains(&self, block: u32) -> bool {
        self.contains(block)
    }

    fn len(&self) -> u32 {
        self.len()
    }

    fn is_guarded(&self, block: u32) -> bool {
        self.is_protected(block)
    }

    #[inline]
    fn hit_and_guard(&mut self, block: u32) {
        self.touch_and_protect(block);
    }

    #[inline]
    fn hit_guarded(&mut self, block: u32) {
        self.touch_protected(block);
    }

    #[inline]
    fn hit_and_release(&mut self, block: u32) {
        self.touch_and_release(block);
    }

    #[inline]
    fn release(&mut self, block: u32) {
        self.release(block);
    }

    #[inline]
    fn insert_guarded(&mut self, block: u32) {
        self.insert_protected(block);
    }

    #[inline]
    fn evict(&mut self, _incoming: u32, _dirty: &BitSet) -> u32 {
        match self.pop_least_recent_unprotected() {
            Some(block) => block,
            None => self.pop_least_recent(),
        }
    }

    fn recount(&self) -> std::result::Result<(), String> {
        self.recount()
    }
}

/// Any policy. Of blocks that are all guarded none has a victim: the recency of all is kept for it, and
/// the block leaves its policy out of turn.
#[derive(Debug)]
pub(super) struct AnyOrder {
    policy: AnyGuarded,
    recency: Recency,
    guarded: u32,
}

impl BlockOrder for AnyOrder {
    fn new(blocks: u32, settings: &Settings) -> Self {
        let mut policy = AnyGuarded::configured(blocks, settings);
        policy.expect_removal();
        policy.expect_guards();
        Self {
            policy,
            recency: Recency::default(),
            guarded: 0,
        }
    }

    fn grow(&mut self, blocks: usize) {
        self.policy.grow(blocks);
        self.recency.grow(blocks);
    }

    fn contains(&self, block: u32) -> bool {
        self.policy.contains(block)
    }

    fn len(&self) -> u32 {
        self.policy.len()
    }

    fn is_guarded(&self, block: u32) -> bool {
        self.policy.is_guarded(block)
    }

    fn foresee(&mut self, block: u32, next_access: u32) {
        self.policy.foresee(block, next_access);
    }

    fn hit_and_guard(&mut self, block: u32) {
        self.policy.hit_and_guard(block);
        self.recency.touch(block);
        self.guarded += 1;
    }

    fn hit_guarded(&mut self, block: u32) {
        self.policy.on_hit(block);
        self.recency.touch(block);
    }

    fn hit_and_release(&mut self, block: u32) {
        self.policy.hit_and_release(block);
        self.recency.touch(block);
        self.guarded -= 1;
    }

    fn release(&mut self, block: u32) {
        self.policy.release(block);
        self.guarded -= 1;
    }

    fn insert_guarded(&mut self, block: u32) {
        self.policy.insert_guarded(block);
        self.recency.insert(block);
        self.guarded += 1;
    }

    fn evict(&mut self, incoming: u32, dirty: &BitSet) -> u32 {
        if self.guarded < self.policy.len() {
            let block = self.policy.evict_by_dirt(incoming, dirty);
            self.recency.remove(block);
            return block;
        }
        let block = self.recency.pop_least_recent();
        self.release(block);
        self.policy.remove(block);
        block
    }

    fn recount(&self) -> std::result::Result<(), String> {
        self.policy.recount()?;
        self.recency.recount()?;
        let mut held = 0;
        let mut guarded = 0;
        for block in self.recency.iter() {
            held += u32::from(self.policy.contains(block));
            guarded += u32::from(self.policy.is_guarded(block));
        }
        if held == self.recency.len() && held == self.policy.len() && guarded == self.guarded {
            Ok(())
        } else {
            Err(format!(
                "{} blocks by recency, {} by policy, {held} in both; {guarded} guarded, {} counted",
                self.recency.len(),
                self.policy.len(),
                self.guarded
            ))
        }
    }
}
