//! What a ladder takes in of fits of its ratings.

use std::sync::Arc;

use super::Ladder;
use crate::{Fitted, Fitting, Purpose, Table, bots::BotNumber};

impl Ladder {
    /// A copy of the results, for a fit of the ratings beside the ladder.
    #[must_use]
    pub fn fitting(&self) -> Fitting {
        let rated = self.open.values();
        let rated = rated.filter(|open| open.purpose == Purpose::Rated);
        Fitting {
            origin: self.origin.clone(),
            played: self.results.played.clone(),
            in_play: rated.map(|open| open.seats.clone()).collect(),
            paired: self.counts.paired,
        }
    }

    /// Takes in a fit, if it is one of its own results; tells whether it is. What has been paired
    /// since they were copied is taken note of.
    pub fn take_fit(&mut self, fitted: Fitted) -> bool {
        let Fitted {
            origin,
            table,
            mut knowledge,
            paired,
        } = fitted;
        if origin != self.origin {
            return false;
        }
        // The bots of matches that were in play then are in it.
        let since = self.results.played.after(table.results());
        for counted in since.filter(|counted| counted.number >= paired) {
            let bots: Vec<BotNumber> = counted.seats.iter().map(|(bot, _)| *bot).collect();
            knowledge.join_and_expect(&bots);
        }
        let later = self.open.range(paired..).map(|(_, open)| open);
        for open in later.filter(|open| open.purpose == Purpose::Rated) {
            knowledge.join_and_expect(&open.seats);
        }
        self.knowledge = knowledge;
        self.table = Arc::new(table);
        true
    }

    /// The ratings by the last fit, and what follows from them.
    #[must_use]
    pub fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table)
    }

    /// Whether the last fit is of all results.
    #[must_use]
    pub fn is_fit_of_all(&self) -> bool {
        self.table.results() == self.results.len()
    }
}
