//! A ladder's ratings, fitted to all counted results together.

use bridgemaster_contest::{ContestError, RankRange, RatingMethodId, Ratings};

use crate::{
    BotVersion, Results,
    bots::{BotNumber, BotNumbers},
    results::{CountedMatches, Rankings},
};

/// The confidence level of rating intervals.
pub const CONFIDENCE: f64 = 0.95;

/// A bot with at least this many matches has full weight in the mean rating.
const FULL_MATCHES: u64 = 30;

/// A version's rating, with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct BotRating {
    /// The version that is rated.
    pub bot: BotVersion,
    /// The rating in Elo, relative to the mean over the newest versions. Versions with fewer than
    /// 30 matches have less weight in the mean.
    pub elo: f64,
    /// Lower end of the interval, in Elo.
    pub elo_low: f64,
    /// Upper end of the interval, in Elo.
    pub elo_high: f64,
    /// The range of possible ranks among the newest versions.
    pub ranks: RankRange,
    /// The number of counted matches.
    pub matches: u64,
}

/// Rates all versions by the results, and returns the ratings best first. The order of the results
/// does not change a single bit of the ratings.
///
/// # Errors
/// Returns an error if the results do not determine ratings, or a result is not valid.
pub fn ratings_of(
    results: &Results,
    method: RatingMethodId,
) -> Result<Vec<BotRating>, ContestError> {
    let played = &results.played;
    Ok(Fit::compute(played, method)?.table(&played.numbers))
}

/// The ratings from a fit, with the bots that they belong to.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    /// The bots with results, sorted by name, so that the fit does not depend on the order in which
    /// bots appeared.
    pub(crate) bots: Vec<BotNumber>,
    pub(crate) ratings: Ratings,
    /// The exponentials of the ratings.
    weights: Vec<f64>,
    /// The index of each bot in `bots`, by bot number.
    places: Vec<Option<usize>>,
}

impl Fit {
    pub(crate) fn compute(
        played: &CountedMatches,
        method: RatingMethodId,
    ) -> Result<Self, ContestError> {
        let Rankings { bots, is_ranked, places, rankings } = played.rankings();
        let ratings = method.for_ladder().fit(bots.len(), &rankings)?.ranking_only(is_ranked);
        let log_odds = ratings.log_odds().iter();
        Ok(Self { bots, weights: log_odds.map(|rating| rating.exp()).collect(), ratings, places })
    }

    pub(crate) fn table(&self, numbers: &BotNumbers) -> Vec<BotRating> {
        let table = self.ratings.table_by_matches(CONFIDENCE, FULL_MATCHES);
        let table = table.into_iter();
        let rated = table.map(|rating| BotRating {
            bot: numbers.get(self.bots[rating.bot]).clone(),
            elo: rating.elo.0,
            elo_low: rating.interval.low,
            elo_high: rating.interval.high,
            ranks: rating.ranks,
            matches: rating.matches,
        });
        rated.collect()
    }

    /// Returns the exponential of a bot's rating; 1 if the bot is not in the fit.
    pub(crate) fn weight(&self, bot: BotNumber) -> f64 {
        let place = self.places.get(bot.index()).copied().flatten();
        place.map_or(1.0, |place| self.weights[place])
    }
}
