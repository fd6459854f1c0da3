//! Takes ladder snapshots for rating fits, and applies the fits.

use std::sync::Arc;

use super::Ladder;
use crate::{FitJob, FitResult, Purpose, Table, bots::BotNumber};

impl Ladder {
    /// Returns a snapshot of the results, so that ratings can be fitted without locking the ladder.
    #[must_use]
    pub fn fit_job(&self) -> FitJob {
        let rated = self.open.values();
        let rated = rated.filter(|open| open.purpose == Purpose::Rated);
        FitJob {
            origin: self.origin.clone(),
            played: self.results.played.clone(),
            in_play: rated.map(|open| open.seats.clone()).collect(),
            paired: self.counts.paired,
        }
    }

    /// Applies a fit, and adds the matches that were paired since the fit's snapshot. If the fit
    /// belongs to another ladder, ignores it and returns `false`.
    pub fn apply_fit(&mut self, fitted: FitResult) -> bool {
        let FitResult {
            origin,
            table,
            mut pairing_model,
            paired,
        } = fitted;
        if origin != self.origin {
            return false;
        }
        // The fit already includes matches that were in progress when the snapshot was taken.
        let since = self.results.played.after(table.results());
        for counted in since.filter(|counted| counted.number >= paired) {
            let bots: Vec<BotNumber> = counted.seats.iter().map(|(bot, _)| *bot).collect();
            pairing_model.add_bots_and_table(&bots);
        }
        let later = self.open.range(paired..).map(|(_, open)| open);
        for open in later.filter(|open| open.purpose == Purpose::Rated) {
            pairing_model.add_bots_and_table(&open.seats);
        }
        self.pairing_model = pairing_model;
        self.table = Arc::new(table);
        true
    }

    /// Returns the rating table from the last fit.
    #[must_use]
    pub fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table)
    }

    /// Returns whether the last fit includes all results.
    #[must_use]
    pub fn is_fit_current(&self) -> bool {
        self.table.results() == self.results.len()
    }
}
