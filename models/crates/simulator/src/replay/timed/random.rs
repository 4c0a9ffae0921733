//! Random numbers of a seed: `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014).

use super::histogram::as_f64;

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed; those of other seeds are independent of it.
    pub(super) fn new(seed: u64) -> Self {
        let mut seeded = Self { state: seed };
        // Seeds next to each other would give the same stream, one step apart.
        seeded.state = seeded.next().wrapping_mul(0xD134_2543_DE82_EF95);
        seeded
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// In (0, 1].
    fn unit(&mut self) -> f64 {
        as_f64((self.next() >> 11) + 1) / as_f64(1 << 53)
    }

    /// Exponential with mean 1.
    pub(super) fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }

    /// A whole number below another.
    pub(super) fn below(&mut self, count: usize) -> usize {
        let wide = u128::from(self.next()) * count as u128;
        #[expect(clippy::cast_possible_truncation, reason = "below the count")]
        let found = (wide >> 64) as usize;
        found
    }
}
