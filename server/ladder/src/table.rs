//! Fits ratings to a snapshot of the results, and builds the rating table.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_contest::{ContestError, RatingMethodId, Ratings, pairing::Uncertainty};

use crate::{
    BotRating, BotVersion,
    bots::BotNumber,
    failure_record::{Surprise, has_changed},
    pairing_model::PairingModel,
    ratings::Fit,
    results::{CountedMatch, CountedMatches},
};

/// The identity of the ladder that a snapshot comes from. A ladder that is restored from the store
/// has a new identity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin(Arc<()>);

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A snapshot of the results to fit. With many bots and results, a fit takes long, so it uses a
/// snapshot instead of the ladder.
#[derive(Clone, Debug)]
pub struct FitJob {
    pub(crate) origin: Origin,
    pub(crate) played: CountedMatches,
    pub(crate) rating_method: RatingMethodId,
    /// The bots in each rated match that was in progress.
    pub(crate) in_play: Vec<Vec<BotNumber>>,
    /// The number of matches that were paired before the snapshot.
    pub(crate) paired: u64,
}

/// A fit's result, for [`Ladder::apply_fit`](crate::Ladder::apply_fit).
#[derive(Debug)]
pub struct FitResult {
    pub(crate) origin: Origin,
    /// The rating table, for readers of the ladder.
    pub(crate) table: Table,
    /// The pairing model, including matches that were in progress when the snapshot was taken.
    pub(crate) pairing_model: PairingModel,
    /// The number of matches that were paired before the snapshot.
    pub(crate) paired: u64,
}

/// The ratings from a fit, best first, and data derived from them.
#[derive(Clone, Debug, Default)]
pub struct Table {
    results: usize,
    rated: Vec<BotRating>,
    rows: HashMap<BotVersion, Row>,
    ratings: Option<Ratings>,
}

/// A version's row in a rating table.
#[derive(Clone, Copy, Debug)]
struct Row {
    place: usize,
    has_changed: bool,
}

impl FitJob {
    /// Fits ratings to the results.
    ///
    /// # Errors
    /// Returns an error if the results do not determine ratings, or a result is not valid.
    pub fn fit(&self) -> Result<FitResult, ContestError> {
        let played = &self.played;
        if played.len() == 0 {
            let pairing_model = PairingModel::without_bots(self.rating_method);
            return Ok(self.fitted(Table::default(), pairing_model));
        }
        let fit = Fit::compute(played, self.rating_method)?;
        let changed = match self.rating_method {
            RatingMethodId::PlackettLuce => changed(played, &fit),
            // The fit has only the final ratings. For a bot whose strength changes, earlier results
            // deviate from the final rating by design, so no version is flagged.
            RatingMethodId::Glicko2 => Vec::new(),
        };
        let rated = fit.table(&played.numbers);
        let row = |(place, rated): (usize, &BotRating)| {
            let bot = played.numbers.find(&rated.bot);
            let has_changed = bot.is_some_and(|bot| changed.contains(&bot));
            (rated.bot.clone(), Row { place, has_changed })
        };
        let uncertainty = Uncertainty::from_ratings(&fit.ratings);
        let pairing_model = PairingModel::new(self.rating_method, uncertainty, fit.bots);
        let table = Table {
            results: played.len(),
            rows: rated.iter().enumerate().map(row).collect(),
            rated,
            ratings: Some(fit.ratings),
        };
        Ok(self.fitted(table, pairing_model))
    }

    fn fitted(&self, table: Table, mut pairing_model: PairingModel) -> FitResult {
        for table in &self.in_play {
            pairing_model.add_bots_and_table(table);
        }
        FitResult { origin: self.origin.clone(), table, pairing_model, paired: self.paired }
    }
}

impl Table {
    /// Returns the number of results that were fitted.
    pub fn results(&self) -> usize {
        self.results
    }

    /// Returns the ratings of all versions with results, best first.
    pub fn ratings(&self) -> &[BotRating] {
        &self.rated
    }

    /// Returns a version's rating; `None` if the version has no result.
    pub fn get(&self, bot: &BotVersion) -> Option<&BotRating> {
        let row = self.rows.get(bot)?;
        self.rated.get(row.place)
    }

    /// Returns whether a version's latest results deviate significantly from its earlier results.
    /// Always `false` with a rating method for bots whose strength changes.
    pub fn has_changed(&self, bot: &BotVersion) -> bool {
        self.rows.get(bot).is_some_and(|row| row.has_changed)
    }

    /// Returns whether the order of the top `count` bots is correct with this confidence. Each bot
    /// counts once, by its newest version. Absent and benched bots count like others.
    pub fn is_settled(&self, count: usize, confidence: f64) -> bool {
        // The order is tested after each fit, and the first success counts. This nearly doubles the
        // risk of an error, so each test may have half of it.
        let of_one_test = (1.0 + confidence) / 2.0;
        let ratings = self.ratings.as_ref();
        ratings.is_some_and(|ratings| ratings.is_settled(count, of_one_test))
    }
}

/// Returns the versions whose latest results deviate significantly from their earlier results.
fn changed(played: &CountedMatches, fit: &Fit) -> Vec<BotNumber> {
    let mut matches: Vec<&CountedMatch> = played.all().collect();
    matches.sort_by_key(|counted| counted.number);
    // By bot number.
    let mut surprises: Vec<Vec<Surprise>> = vec![Vec::new(); played.numbers.all().len()];
    let mut places: Vec<u32> = Vec::new();
    let mut weights: Vec<f64> = Vec::new();
    for counted in matches {
        places.clear();
        places.extend(counted.seats.iter().map(|(_, end)| end.place));
        weights.clear();
        weights.extend(counted.seats.iter().map(|(bot, _)| fit.weight(*bot)));
        for (seat, (bot, _)) in counted.seats.iter().enumerate() {
            surprises[bot.index()].push(Surprise::new(&places, &weights, seat));
        }
    }
    let numbered = (0u32..).map(BotNumber).zip(surprises);
    let changed = numbered.filter(|(_, values)| has_changed(values));
    changed.map(|(bot, _)| bot).collect()
}
