//! Ratings are fitted beside the ladder, to a copy of its results, and then taken in.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_contest::{ContestError, Ratings, pairing::Uncertainty};

use crate::{
    BotVersion, CHANGE_WINDOW_MATCHES, Rated, SeatEnd,
    bots::BotNumber,
    conduct::{beat_fraction, expected, has_changed},
    knowledge::Knowledge,
    ratings::Fit,
    results::{Counted, Played},
};

/// Which ladder something is a copy of: one that is read again is another one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin(Arc<()>);

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The results that a fit is to be of. It takes long with many bots and results, and needs nothing
/// of the ladder meanwhile.
#[derive(Clone, Debug)]
pub struct Fitting {
    pub(crate) origin: Origin,
    pub(crate) played: Played,
    /// The tables of rated matches that are in play.
    pub(crate) in_play: Vec<Vec<BotNumber>>,
    /// Matches that were paired so far: what is in play of those is in `in_play`.
    pub(crate) paired: u64,
}

/// What a ladder takes in of a fit: [`Ladder::take_fit`](crate::Ladder::take_fit).
#[derive(Debug)]
pub struct Fitted {
    pub(crate) origin: Origin,
    /// For readers.
    pub(crate) table: Table,
    /// What pairing goes by, with what was in play then.
    pub(crate) knowledge: Knowledge,
    /// Matches that were paired then.
    pub(crate) paired: u64,
}

/// The ratings of so many results, the best first, and what follows from them.
#[derive(Clone, Debug, Default)]
pub struct Table {
    results: usize,
    rated: Vec<Rated>,
    rows: HashMap<BotVersion, Row>,
    ratings: Option<Ratings>,
}

/// Where a version is in a table.
#[derive(Clone, Copy, Debug)]
struct Row {
    place: usize,
    has_changed: bool,
}

impl Fitting {
    /// Fits ratings to the results.
    ///
    /// # Errors
    /// When the results fix no ratings, or one of them makes no sense.
    pub fn fit(&self) -> Result<Fitted, ContestError> {
        let played = &self.played;
        if played.len() == 0 {
            return Ok(self.fitted(Table::default(), Knowledge::default()));
        }
        let fit = Fit::of(played)?;
        let changed = changed(played, &fit);
        let rated = fit.table(&played.numbers);
        let row = |(place, rated): (usize, &Rated)| {
            let bot = played.numbers.find(&rated.bot);
            let has_changed = bot.is_some_and(|bot| changed.contains(&bot));
            (rated.bot.clone(), Row { place, has_changed })
        };
        let knowledge = Knowledge::new(Uncertainty::of(&fit.ratings), fit.bots);
        let table = Table {
            results: played.len(),
            rows: rated.iter().enumerate().map(row).collect(),
            rated,
            ratings: Some(fit.ratings),
        };
        Ok(self.fitted(table, knowledge))
    }

    fn fitted(&self, table: Table, mut knowledge: Knowledge) -> Fitted {
        for table in &self.in_play {
            knowledge.join_and_expect(table);
        }
        Fitted {
            origin: self.origin.clone(),
            table,
            knowledge,
            paired: self.paired,
        }
    }
}

impl Table {
    /// How many results it is of.
    #[must_use]
    pub fn results(&self) -> usize {
        self.results
    }

    /// The versions that have results, the best first.
    #[must_use]
    pub fn rated(&self) -> &[Rated] {
        &self.rated
    }

    /// The rating of a version; `None` if it has no result.
    #[must_use]
    pub fn get(&self, bot: &BotVersion) -> Option<&Rated> {
        let row = self.rows.get(bot)?;
        self.rated.get(row.place)
    }

    /// Whether a version's last results do not fit its earlier ones.
    #[must_use]
    pub fn has_changed(&self, bot: &BotVersion) -> bool {
        self.rows.get(bot).is_some_and(|row| row.has_changed)
    }

    /// Whether the order of the best `count` holds as a whole with this confidence.
    #[must_use]
    pub fn is_settled(&self, count: usize, confidence: f64) -> bool {
        let ratings = self.ratings.as_ref();
        let ratings = ratings.filter(|ratings| ratings.bots() > 1);
        ratings.is_some_and(|ratings| ratings.is_settled(count, confidence))
    }
}

/// The versions whose last results do not fit their earlier ones.
fn changed(played: &Played, fit: &Fit) -> Vec<BotNumber> {
    let mut matches: Vec<&Counted> = played.all().collect();
    matches.sort_by_key(|counted| counted.number);
    // By the numbers of bots: how much better they did than their ratings had it.
    let mut surprises: Vec<Vec<f64>> = vec![Vec::new(); played.numbers.all().len()];
    let mut ends: Vec<SeatEnd> = Vec::new();
    let mut weights: Vec<f64> = Vec::new();
    for counted in matches {
        ends.clear();
        ends.extend(counted.seats.iter().map(|(_, end)| *end));
        weights.clear();
        weights.extend(counted.seats.iter().map(|(bot, _)| fit.weight(*bot)));
        for (seat, (bot, _)) in counted.seats.iter().enumerate() {
            let surprise = beat_fraction(&ends, seat) - expected(&weights, seat);
            surprises[bot.place()].push(surprise);
        }
    }
    let numbered = (0u32..).map(BotNumber).zip(surprises);
    let enough = numbered.filter(|(_, told)| told.len() >= 2 * CHANGE_WINDOW_MATCHES);
    let changed = enough.filter(|(_, told)| has_changed(told));
    changed.map(|(bot, _)| bot).collect()
}
