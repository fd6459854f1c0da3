//! What a ladder takes in of fits of its ratings.

use std::sync::Arc;

use super::Ladder;
use crate::{Fitted, Fitting, Purpose, Table, bots::BotNumber, knowledge::Knowledge};

impl Ladder {
    /// A copy of the results, for a fit of the ratings beside the ladder.
    #[must_use]
    pub fn fitting(&self) -> Fitting {
        Fitting(self.results.played.clone())
    }

    /// Takes in a fit. What was paired and has ended since its results were copied is taken note
    /// of.
    pub fn take_fit(&mut self, fitted: Fitted) {
        let Fitted {
            table,
            bots,
            uncertainty,
        } = fitted;
        let bots = bots.iter().map(|bot| self.number(bot)).collect();
        let mut knowledge = Knowledge::new(uncertainty, bots);
        let mut expect = |bots: &[BotNumber]| {
            for bot in bots {
                knowledge.place(*bot);
            }
            knowledge.expect(bots);
        };
        let since = self.results.played.after(table.results());
        for counted in since {
            let bots: Vec<BotNumber> = counted.seats.iter().map(|(bot, _)| *bot).collect();
            expect(&bots);
        }
        let rated = self.open.values();
        for open in rated.filter(|open| open.purpose == Purpose::Rated) {
            expect(&open.seats);
        }
        self.knowledge = knowledge;
        self.table = Arc::new(table);
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
