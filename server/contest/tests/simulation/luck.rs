//! Seeded randomness.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng as _, SeedableRng as _},
};

/// A seeded stream of random numbers.
pub(crate) struct Luck(ChaCha8Rng);

impl Luck {
    /// Creates the stream of a run of a cell.
    pub(crate) fn of(cell: u64, run: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(cell);
        rng.set_stream(run);
        Self(rng)
    }

    /// Returns a number above 0 and at most 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        // 53 bits, plus half a step to exclude 0. Rounding can still yield 1.
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Returns a standard Gumbel number: with this noise, the order of sums follows the
    /// Plackett-Luce model.
    pub(crate) fn gumbel(&mut self) -> f64 {
        -(-self.uniform().ln()).ln()
    }

    /// Draws this many of these bots, or all.
    pub(crate) fn draw(&mut self, mut bots: Vec<usize>, count: usize) -> Vec<usize> {
        let count = count.min(bots.len());
        for place in 0..count {
            let other = place + self.below(bots.len() - place);
            bots.swap(place, other);
        }
        bots.truncate(count);
        bots
    }

    /// Returns an integer below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((self.uniform() * bound as f64) as usize).min(bound - 1)
    }
}
