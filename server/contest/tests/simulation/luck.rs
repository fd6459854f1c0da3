//! Chance from a seed.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng as _, SeedableRng as _},
};

/// A stream of chance.
pub(crate) struct Luck(ChaCha8Rng);

impl Luck {
    /// The stream of a run of a cell.
    pub(crate) fn of(cell: u64, run: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(cell);
        rng.set_stream(run);
        Self(rng)
    }

    /// A number above 0 and below 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        // 53 bits, and half a step so that neither end comes.
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// A number of the standard Gumbel distribution: the noise under which the order of sums is
    /// that of Plackett and Luce.
    pub(crate) fn gumbel(&mut self) -> f64 {
        -(-self.uniform().ln()).ln()
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((self.uniform() * bound as f64) as usize).min(bound - 1)
    }
}
