//! Elo, as a mean score and as a t-value.

use std::f64::consts::LN_10;

/// Normalised Elo for each unit of the t-value of one match: `800 / ln 10`.
pub const NELO_PER_T: f64 = 800.0 / LN_10;

/// Elo for each unit of a log odds: `400 / ln 10`.
pub(crate) const ELO_PER_LOG_ODDS: f64 = 400.0 / LN_10;

/// Scores nearer to 0 or 1 than this have the Elo of this score: about 1,200 Elo.
const SCORE_MARGIN: f64 = 1e-3;

/// Elo: a difference in strength on the logistic scale. 400 Elo are odds of ten to one.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Elo(pub f64);

impl Elo {
    /// The mean score against equal opponents of this difference, 0 to 1. With more than two
    /// seats it is the mean beat fraction under the Plackett-Luce model.
    #[must_use]
    pub fn expected_score(self) -> f64 {
        1.0 / (1.0 + 10f64.powf(-self.0 / 400.0))
    }

    /// The difference at which this mean score is expected. Scores below 0.001 and above 0.999
    /// count as those.
    #[must_use]
    pub fn of_score(score: f64) -> Self {
        let score = score.clamp(SCORE_MARGIN, 1.0 - SCORE_MARGIN);
        Self(-400.0 * (1.0 / score - 1.0).log10())
    }
}

/// Normalized Elo: a difference in strength in units of the noise of a match, namely the t-value of
/// one match times [`NELO_PER_T`]. It alone decides how many groups a test needs.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct NormalizedElo(pub f64);

impl NormalizedElo {
    /// The t-value of a group of this many matches with independent noise.
    #[must_use]
    pub fn t_of_group(self, matches: u32) -> f64 {
        self.0 * f64::from(matches).sqrt() / NELO_PER_T
    }

    /// The inverse of [`NormalizedElo::t_of_group`].
    #[must_use]
    pub fn of_group_t(t: f64, matches: u32) -> Self {
        Self(t * NELO_PER_T / f64::from(matches).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_of_an_elo_gives_the_elo_back() {
        for elo in [-400.0, -17.0, 0.0, 3.5, 800.0] {
            let back = Elo::of_score(Elo(elo).expected_score());
            assert!((back.0 - elo).abs() < 1e-9, "{elo} came back as {back:?}");
        }
        assert!((Elo(400.0).expected_score() - 10.0 / 11.0).abs() < 1e-15);
        assert!((NELO_PER_T - 347.435_585_522_601_46).abs() < 1e-12);
    }
}
