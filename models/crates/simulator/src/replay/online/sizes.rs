//! Misses of one LRU cache at the sizes that matter to the schemes, and the effective flash of each.
//!
//! RAM and flash of a scheme hit what one LRU cache of `r + e_f` pages hits, with `e_f = f` under the
//! exclusive scheme, `max(0, f - r)` under the inclusive one, and in between under the lazy one: the
//! `x` with `x = f - min(f, r (M(r) - M(r + x)) / M(r))`, where `M` are the misses. `M` is kept at `r`
//! and at up to [`STEPS`] + 1 sizes from `r + max(0, f - r)` to `r + f`, and is linear between them.

use super::Scheme;

/// Most steps between the sizes.
const STEPS: u64 = 64;

/// The sizes, ascending; the first is that of RAM.
#[derive(Debug, Clone)]
pub(super) struct Sizes {
    ram: f64,
    flash: f64,
    listed: Vec<u64>,
}

impl Sizes {
    pub(super) fn new(ram_pages: u32, flash_pages: u32) -> Self {
        let (ram, flash) = (u64::from(ram_pages), u64::from(flash_pages));
        let least = flash.saturating_sub(ram);
        let steps = (flash - least).min(STEPS);
        let mut sizes = vec![ram];
        sizes.extend((0..=steps).map(|step| ram + least + (flash - least) * step / steps));
        sizes.dedup();
        Self {
            ram: f64::from(ram_pages),
            flash: f64::from(flash_pages),
            listed: sizes,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.listed.len()
    }

    /// The first size at which an access at this stack distance hits; `count()` if none.
    #[inline]
    pub(super) fn place(&self, distance: u32) -> usize {
        if distance == 0 {
            return self.listed.len();
        }
        let distance = u64::from(distance);
        if distance <= self.listed[0] {
            return 0;
        }
        self.listed.partition_point(|&size| size < distance)
    }

    /// `r + e_f` of a scheme, as a place between sizes, from the misses at the sizes.
    pub(super) fn reach(&self, scheme: Scheme, misses: &[f64]) -> Reach {
        match scheme {
            Scheme::Exclusive => self.at(self.ram + self.flash),
            Scheme::Inclusive => self.at(self.ram.max(self.flash)),
            Scheme::Lazy => self.lazy(misses),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "sizes are below 2^33")]
    fn size(&self, place: usize) -> f64 {
        self.listed[place] as f64
    }

    fn at(&self, size: f64) -> Reach {
        let after = (0..self.listed.len()).find(|&place| self.size(place) >= size);
        let place = after.unwrap_or(self.listed.len() - 1);
        Reach {
            place,
            rest: 0.0,
            effective_flash: size - self.ram,
        }
    }

    /// With `y = r + x` the equation reads `y - r M(y) / M(r) = f`; its left side rises with `y`.
    fn lazy(&self, misses: &[f64]) -> Reach {
        if misses[0] <= 0.0 {
            return self.at(self.ram + self.flash);
        }
        let left_side = |place| self.size(place) - self.ram * misses[place] / misses[0];
        let after = (0..self.listed.len()).find(|&place| left_side(place) >= self.flash);
        let Some(place) = after else {
            return self.at(self.ram + self.flash);
        };
        if place == 0 || left_side(place) <= self.flash {
            return self.at(self.size(place));
        }
        let (low, high) = (left_side(place - 1), left_side(place));
        let rest = (high - self.flash) / (high - low);
        let size = self.size(place) - rest * (self.size(place) - self.size(place - 1));
        let least = (self.flash - self.ram).max(0.0);
        Reach {
            place,
            rest,
            effective_flash: (size - self.ram).clamp(least, self.flash),
        }
    }
}

/// A size between two of the sizes: `rest` of the way from `place` back to the one before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reach {
    place: usize,
    rest: f64,
    pub(super) effective_flash: f64,
}

impl Reach {
    /// Misses there.
    pub(super) fn misses(self, misses: &[f64]) -> f64 {
        let here = misses[self.place];
        if self.rest > 0.0 {
            here + self.rest * (misses[self.place - 1] - here)
        } else {
            here
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// The lazy scheme's size solves its equation, over any curve that falls.
        #[test]
        fn the_lazy_size_solves_its_equation(
            ram in 1_u32..300, flash in 1_u32..300,
            drops in prop::collection::vec(0_u32..50, 66), rest in 0_u32..100,
        ) {
            let sizes = Sizes::new(ram, flash);
            let mut misses = vec![f64::from(rest)];
            for &drop in drops.iter().take(sizes.count() - 1) {
                misses.insert(0, misses[0] + f64::from(drop));
            }
            let reach = sizes.reach(Scheme::Lazy, &misses);
            let x = reach.effective_flash;
            let (r, f) = (f64::from(ram), f64::from(flash));
            prop_assert!(x >= (f - r).max(0.0) && x <= f);
            if misses[0] > 0.0 {
                let q = (misses[0] - reach.misses(&misses)) / misses[0];
                prop_assert!((x - (f - f.min(r * q))).abs() < 1e-9 * (r + f), "{x} {q}");
            }
            let exclusive = sizes.reach(Scheme::Exclusive, &misses);
            prop_assert_eq!(exclusive.misses(&misses).to_bits(), misses[misses.len() - 1].to_bits());
        }

        #[test]
        fn a_distance_hits_from_its_size_on(ram in 1_u32..300, flash in 1_u32..300, distance in 0_u32..700) {
            let sizes = Sizes::new(ram, flash);
            let place = sizes.place(distance);
            for (at, &size) in sizes.listed.iter().enumerate() {
                let hits = distance > 0 && u64::from(distance) <= size;
                prop_assert_eq!(hits, at >= place);
            }
        }
    }
}
