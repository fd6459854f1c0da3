//! Two scales for differences in strength: Elo and normalized Elo.

use std::f64::consts::LN_10;

/// Normalized Elo per unit of one match's t-value: `800 / ln 10`.
pub const NELO_PER_T: f64 = 800.0 / LN_10;

/// Elo per unit of log odds: `400 / ln 10`.
pub(crate) const ELO_PER_LOG_ODDS: f64 = 400.0 / LN_10;

/// Elo: a difference in strength on the logistic scale. A difference of 400 Elo means odds of ten
/// to one.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Elo(pub f64);

impl Elo {
    /// Returns the expected score, 0 to 1, against opponents that are weaker by this difference.
    /// With more than two seats, this is the expected beat fraction in the Plackett-Luce model.
    pub fn expected_score(self) -> f64 {
        1.0 / (1.0 + 10f64.powf(-self.0 / 400.0))
    }

    /// Returns the difference that has this expected score: negative infinity for scores up to 0,
    /// and infinity for scores from 1.
    pub fn from_score(score: f64) -> Self {
        if score <= 0.0 {
            Self(f64::NEG_INFINITY)
        } else if score >= 1.0 {
            Self(f64::INFINITY)
        } else {
            Self(-400.0 * (1.0 / score - 1.0).log10())
        }
    }
}

/// Normalized Elo: a difference in strength relative to a match's noise. It is the t-value of one
/// match times [`NELO_PER_T`], and determines the number of groups that a test needs.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct NormalizedElo(pub f64);

impl NormalizedElo {
    /// Returns the t-value per group of `matches` matches with independent noise.
    pub fn t_of_group(self, matches: u32) -> f64 {
        self.0 * f64::from(matches).sqrt() / NELO_PER_T
    }

    /// Converts the t-value per group of `matches` matches to normalized Elo; the inverse of
    /// [`NormalizedElo::t_of_group`].
    pub fn from_group_t(t: f64, matches: u32) -> Self {
        Self(t * NELO_PER_T / f64::from(matches).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_and_score_round_trip() {
        for elo in [-400.0, -17.0, 0.0, 3.5, 800.0] {
            let back = Elo::from_score(Elo(elo).expected_score());
            assert!((back.0 - elo).abs() < 1e-9, "{elo} was converted back to {back:?}");
        }
        assert_eq!(Elo::from_score(1.0).0, f64::INFINITY);
        assert_eq!(Elo::from_score(-0.1).0, f64::NEG_INFINITY);
        assert!((Elo(400.0).expected_score() - 10.0 / 11.0).abs() < 1e-15);
        assert!((NELO_PER_T - 347.435_585_522_601_46).abs() < 1e-12);
    }
}
