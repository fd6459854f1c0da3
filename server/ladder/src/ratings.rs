//! The ratings of a ladder: one fit over all results that count.

use bridgemaster_contest::{ContestError, PlackettLuce, RankRange, Ratings};

use crate::{
    BotVersion, Results,
    bots::{BotNumber, BotNumbers},
    results::Played,
};

/// Share of the intervals that hold the true rating.
pub const CONFIDENCE: f64 = 0.95;

/// Matches from which on a bot weighs fully in the mean that ratings are beside.
const FULL_MATCHES: u64 = 30;

/// The rating of a version.
#[derive(Clone, Debug, PartialEq)]
pub struct Rated {
    /// The version.
    pub bot: BotVersion,
    /// Its rating in Elo, beside the mean of all, in which those with fewer than 30 matches weigh
    /// less.
    pub elo: f64,
    /// Lower end of its interval, in Elo.
    pub elo_low: f64,
    /// Upper end of its interval, in Elo.
    pub elo_high: f64,
    /// The ranks that it may have.
    pub ranks: RankRange,
    /// Matches that count.
    pub matches: u64,
}

/// The ratings that follow from results alone, the best first. The same results give the same
/// numbers to the last digit, whatever order they came in.
///
/// # Errors
/// When the results fix no ratings, or one of them makes no sense.
pub fn ratings_of(results: &Results) -> Result<Vec<Rated>, ContestError> {
    let played = &results.played;
    Ok(Fit::of(played)?.table(&played.numbers))
}

/// A fit, and the bots that it is of.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    /// Those that have results, by their names; so the numbers do not depend on who came first.
    pub(crate) bots: Vec<BotNumber>,
    pub(crate) ratings: Ratings,
    /// The exponentials of the ratings.
    weights: Vec<f64>,
    /// By the numbers of bots: where they are in `bots`.
    places: Vec<Option<usize>>,
}

impl Fit {
    pub(crate) fn of(played: &Played) -> Result<Self, ContestError> {
        let (bots, rankings) = played.rankings();
        let ratings = PlackettLuce::of_ladder().fit(bots.len(), &rankings)?;
        let mut places = vec![None; played.numbers.all().len()];
        for (place, bot) in bots.iter().enumerate() {
            places[bot.place()] = Some(place);
        }
        let log_odds = ratings.log_odds().iter();
        Ok(Self {
            bots,
            weights: log_odds.map(|rating| rating.exp()).collect(),
            ratings,
            places,
        })
    }

    pub(crate) fn table(&self, numbers: &BotNumbers) -> Vec<Rated> {
        let table = self.ratings.table_by_matches(CONFIDENCE, FULL_MATCHES);
        let table = table.into_iter();
        let rated = table.map(|rating| Rated {
            bot: numbers.get(self.bots[rating.bot]).clone(),
            elo: rating.elo.0,
            elo_low: rating.interval.low,
            elo_high: rating.interval.high,
            ranks: rating.ranks,
            matches: rating.matches,
        });
        rated.collect()
    }

    /// The weight of a bot, whose logarithm is its rating; 1 of one that is not in the fit.
    pub(crate) fn weight(&self, bot: BotNumber) -> f64 {
        let place = self.places.get(bot.place()).copied().flatten();
        place.map_or(1.0, |place| self.weights[place])
    }
}
