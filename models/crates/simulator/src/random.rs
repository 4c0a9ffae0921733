//! Random numbers of a seed, and ranks drawn by popularity.

/// `SplitMix64` (Steele, Lea and Flood 2014): 64 bits of state, each number in three multiplications.
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    #[inline]
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in [0, 1), in steps of 2^-53.
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform from 0 to `end - 1`; off by less than 2^-24 of each chance at 2^40 pages.
    #[inline]
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u64
    }
}

/// Ranks of a Zipf distribution by rejection-inversion (Hoermann and Derflinger 1996): exact for any
/// exponent and number of ranks, without a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Zipf {
    exponent: f64,
    last: f64,
    integral_first: f64,
    integral_last: f64,
    sure: f64,
}

impl Zipf {
    #[expect(clippy::cast_precision_loss, reason = "at most 10^12 pages")]
    pub(crate) fn new(pages: u64, exponent: f64) -> Self {
        let mut found = Self {
            exponent,
            last: pages as f64,
            integral_first: 0.0,
            integral_last: 0.0,
            sure: 0.0,
        };
        found.integral_first = found.integral(1.5) - 1.0;
        found.integral_last = found.integral(found.last + 0.5);
        found.sure = 2.0 - found.inverse(found.integral(2.5) - found.weight(2.0));
        found
    }

    #[inline]
    fn weight(&self, rank: f64) -> f64 {
        (-self.exponent * rank.ln()).exp()
    }

    /// The integral of x^-s from 1.
    #[inline]
    fn integral(&self, x: f64) -> f64 {
        let log = x.ln();
        let scaled = (1.0 - self.exponent) * log;
        let factor = if scaled.abs() > 1e-8 {
            scaled.exp_m1() / scaled
        } else {
            1.0 + scaled / 2.0
        };
        factor * log
    }

    #[inline]
    fn inverse(&self, integral: f64) -> f64 {
        let scaled = (integral * (1.0 - self.exponent)).max(-1.0);
        let factor = if scaled.abs() > 1e-8 {
            scaled.ln_1p() / scaled
        } else {
            1.0 - scaled / 2.0
        };
        (factor * integral).exp()
    }

    /// A rank, less 1.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to the number of pages, less 1"
    )]
    pub(crate) fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let integral =
                self.integral_last + random.unit() * (self.integral_first - self.integral_last);
            let at = self.inverse(integral);
            let rank = (at + 0.5).floor().clamp(1.0, self.last);
            if rank - at <= self.sure || integral >= self.integral(rank + 0.5) - self.weight(rank) {
                return rank as u64 - 1;
            }
        }
    }
}
