//! The ratings of a ladder: one fit over all results that count.

use std::collections::BTreeSet;

use bridgemaster_contest::{ContestError, PlackettLuce, RankRange, Ratings};

use crate::{BotVersion, Results, bots::BotNumber};

/// Share of the intervals that hold the true rating.
pub const CONFIDENCE: f64 = 0.95;

/// The rating of a version.
#[derive(Clone, Debug, PartialEq)]
pub struct Rated {
    /// The version.
    pub bot: BotVersion,
    /// Its rating in Elo; the mean of all is 0.
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
    Ok(Fit::of(results, &BTreeSet::new())?.table(results))
}

/// A fit, and the bots that it is of.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    /// Results that it has.
    pub(crate) results: usize,
    /// By their names; so the numbers do not depend on who came first.
    pub(crate) bots: Vec<BotNumber>,
    pub(crate) ratings: Ratings,
}

impl Fit {
    /// A fit of the bots that have results, and of `more`.
    pub(crate) fn of(results: &Results, more: &BTreeSet<BotNumber>) -> Result<Self, ContestError> {
        let (bots, rankings) = results.rankings(more);
        Ok(Self {
            results: results.len(),
            ratings: PlackettLuce::default().fit(bots.len(), &rankings)?,
            bots,
        })
    }

    pub(crate) fn table(&self, results: &Results) -> Vec<Rated> {
        let table = self.ratings.table(CONFIDENCE).into_iter();
        let rated = table.map(|rating| Rated {
            bot: results.numbers.get(self.bots[rating.bot]).clone(),
            elo: rating.elo.0,
            elo_low: rating.interval.low,
            elo_high: rating.interval.high,
            ranks: rating.ranks,
            matches: rating.matches,
        });
        rated.collect()
    }

    /// Takes note of a match that is in play.
    pub(crate) fn expect(&mut self, table: &[BotNumber]) {
        let places: Option<Vec<usize>> = table.iter().map(|bot| self.place(*bot)).collect();
        if let Some(places) = places {
            self.ratings.expect(&places);
        }
    }

    /// Where a bot is in the fit.
    pub(crate) fn place(&self, bot: BotNumber) -> Option<usize> {
        self.bots.iter().position(|rated| *rated == bot)
    }

    /// The rating of a bot as a log odds; 0 of one that is not in the fit.
    pub(crate) fn log_odds(&self, bot: BotNumber) -> f64 {
        self.place(bot)
            .map_or(0.0, |place| self.ratings.log_odds()[place])
    }
}
