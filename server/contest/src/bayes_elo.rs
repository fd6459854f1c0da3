//! BayesElo: Elo by a model in which draws have a strength of their own (R. Coulom, 2008).

use crate::{Elo, Frequencies};

/// Scores with which the model can be used: losses, draws and wins of single games.
const SCORES: usize = 3;

/// A difference in strength on the scale of BayesElo. Its worth in [`Elo`] depends on how often
/// games are drawn.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct BayesElo(pub f64);

/// How often games are drawn, on the scale of BayesElo: 0 for never.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct DrawElo(pub f64);

impl DrawElo {
    /// What these losses, draws and wins of single games say of draws. `None` for pairs of games,
    /// and without a loss, a draw or a win.
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
    /// The Elo that has the same mean score where draws are so frequent.
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
    fn pairs_and_games_that_never_end_in_one_way_say_nothing_of_draws() {
        let of = |counts: &[u64]| DrawElo::of(&Frequencies::new(counts).unwrap());
        assert_eq!(of(&[1, 2, 3, 4, 5]), None);
        assert_eq!(of(&[1, 0, 3]), None);
        assert!(of(&[30, 40, 30]).unwrap().0 > 0.0);
    }
}
