//! The model that pairing uses: the last fit, updated with the matches paired since that fit, and
//! the seats that each bot had.

use std::collections::HashMap;

use bridgemaster_contest::{RatingMethodId, pairing::Uncertainty};

use crate::bots::BotNumber;

/// The uncertainty of the ratings. A bot that is not in the last fit is added when it is first
/// used.
#[derive(Clone, Debug)]
pub(crate) struct PairingModel {
    pub(crate) uncertainty: Uncertainty,
    /// The model's bots, by index.
    pub(crate) bots: Vec<BotNumber>,
    /// The index of each bot in the model.
    places: HashMap<BotNumber, usize>,
    /// The variance of the rating of a bot that is not in the last fit.
    initial_variance: f64,
}

impl PairingModel {
    /// Creates the model for a fit of these bots by this method.
    pub(crate) fn new(
        method: RatingMethodId,
        uncertainty: Uncertainty,
        bots: Vec<BotNumber>,
    ) -> Self {
        let mut pairing_model = Self {
            uncertainty,
            bots: Vec::new(),
            places: HashMap::new(),
            initial_variance: method.for_ladder().initial_variance(),
        };
        for bot in bots {
            pairing_model.append(bot);
        }
        pairing_model
    }

    fn append(&mut self, bot: BotNumber) {
        self.places.insert(bot, self.bots.len());
        self.bots.push(bot);
    }

    /// Creates the model for a ladder without ratings.
    pub(crate) fn without_bots(method: RatingMethodId) -> Self {
        Self::new(method, Uncertainty::default(), Vec::new())
    }

    /// Returns the index of a bot. A new bot is added to the model.
    pub(crate) fn index_or_insert(&mut self, bot: BotNumber) -> usize {
        if let Some(index) = self.find(bot) {
            return index;
        }
        // A fit assigns the same uncertainty to a bot without matches.
        let index = self.uncertainty.add_bot(self.initial_variance);
        self.append(bot);
        index
    }

    /// Adds a match that is not in the last fit. A match with an unknown bot is ignored. This
    /// applies to every match that a starting server replays before the first fit.
    pub(crate) fn add_table(&mut self, table: &[BotNumber]) {
        let places = table.iter().map(|bot| self.find(*bot));
        if let Some(places) = places.collect::<Option<Vec<usize>>>() {
            self.uncertainty.add_table(&places);
        }
    }

    /// Adds a match, and adds its bots to the model if they are new.
    pub(crate) fn add_bots_and_table(&mut self, table: &[BotNumber]) {
        for bot in table {
            self.index_or_insert(*bot);
        }
        self.add_table(table);
    }

    fn find(&self, bot: BotNumber) -> Option<usize> {
        self.places.get(&bot).copied()
    }
}

/// The number of matches that each bot has played in each seat.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeatCounts(HashMap<(BotNumber, usize), u32>);

impl SeatCounts {
    pub(crate) fn count(&mut self, bot: BotNumber, seat: usize) {
        *self.0.entry((bot, seat)).or_default() += 1;
    }

    fn count_of(&self, bot: BotNumber, seat: usize) -> u32 {
        self.0.get(&(bot, seat)).copied().unwrap_or_default()
    }

    /// Returns the seat order in which these bots repeat earlier seats least often. `turn` rotates
    /// the choice among equally good orders, so that no bot is favoured.
    pub(crate) fn order(&self, table: &[BotNumber], turn: u64) -> Vec<BotNumber> {
        let seats = table.len();
        let shift = usize::try_from(turn % seats.max(1) as u64).unwrap_or_default();
        let mut rotated: Vec<BotNumber> = table.to_vec();
        rotated.rotate_left(shift);
        let mut best = (u64::MAX, rotated.clone());
        permute(&mut rotated, 0, &mut |order| {
            // The counts are squared, so that one frequent seat weighs more than several rare ones.
            let cost = order.iter().enumerate().map(|(seat, bot)| {
                let had = u64::from(self.count_of(*bot, seat));
                (had + 1).pow(2)
            });
            let cost = cost.sum();
            if cost < best.0 {
                best = (cost, order.to_vec());
            }
        });
        best.1
    }
}

/// Calls `each` with every permutation of `order[from..]`.
fn permute(order: &mut [BotNumber], from: usize, each: &mut impl FnMut(&[BotNumber])) {
    if from + 1 >= order.len() {
        each(order);
        return;
    }
    for other in from..order.len() {
        order.swap(from, other);
        permute(order, from + 1, each);
        order.swap(from, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_get_each_seat_equally_often() {
        let mut counts = SeatCounts::default();
        let bots: Vec<BotNumber> = (0..4).map(BotNumber).collect();
        for turn in 0..40 {
            for (seat, bot) in counts.order(&bots, turn).into_iter().enumerate() {
                counts.count(bot, seat);
            }
        }
        for bot in bots {
            for seat in 0..4 {
                let had = counts.count_of(bot, seat);
                assert!((9..=11).contains(&had), "{bot:?} had seat {seat} {had} times");
            }
        }
    }
}
