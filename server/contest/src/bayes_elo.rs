//! BayesElo: Elo in a model with an explicit draw parameter (R. Coulom, 2008).

use crate::{Elo, Frequencies};

/// The number of scores that the model requires: losses, draws and wins of single games.
const SCORES: usize = 3;

/// A strength difference on the BayesElo scale. The equivalent [`Elo`] difference depends on the
/// draw rate.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct BayesElo(pub f64);

/// The draw parameter on the BayesElo scale; 0 if there are no draws.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct DrawElo(pub f64);

impl DrawElo {
    /// Estimates the draw parameter from the losses, draws and wins of single games. Returns `None`
    /// for game pairs, and unless there is at least one loss, one draw and one win.
    #[must_use]
    pub fn of(frequencies: &Frequencies) -> Option<Self> {
        let counts = frequencies.counts();
        if counts.len() != SCORES || counts.contains(&0) {
            return None;
        }
        let all: f64 = counts.iter().map(|&count| count as f64).sum();
        let odds_against = |count: u64| all / count as f64 - 1.0;
        let product = odds_against(counts[0]) * odds_against(counts[2]);
        Some(Self(200.0 * product.log10()))
    }
}

impl BayesElo {
    /// Converts to the Elo difference that has the same mean score at this draw rate.
    #[must_use]
    pub fn to_elo(self, draws: DrawElo) -> Elo {
        let expected = |elo: f64| Elo(elo).expected_score();
        let win = expected(self.0 - draws.0);
        let loss = expected(-self.0 - draws.0);
        Elo::of_score((1.0 + win - loss) / 2.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn without_draws_bayes_elo_is_elo() {
        for elo in [-100.0, 0.0, 2.5, 300.0] {
            let same = BayesElo(elo).to_elo(DrawElo(0.0));
            assert!((same.0 - elo).abs() < 1e-9, "{elo} became {same:?}");
        }
    }

    #[test]
    fn pairs_and_missing_outcomes_give_no_draw_parameter() {
        let of = |counts: &[u64]| DrawElo::of(&Frequencies::new(counts).unwrap());
        assert_eq!(of(&[1, 2, 3, 4, 5]), None);
        assert_eq!(of(&[1, 0, 3]), None);
        assert!(of(&[30, 40, 30]).unwrap().0 > 0.0);
    }
}
