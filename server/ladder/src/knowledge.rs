//! What pairing goes by: the last fit, and what has been paired since.

use bridgemaster_contest::{PlackettLuce, pairing::Uncertainty};

use crate::bots::BotNumber;

/// What pairing goes by. Bots that no fit has join it as they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    pub(crate) uncertainty: Uncertainty,
    /// The bots, by their places.
    pub(crate) bots: Vec<BotNumber>,
    /// By the numbers of bots: their places.
    places: Vec<Option<usize>>,
}

impl Knowledge {
    /// That of a fit of these bots.
    pub(crate) fn new(uncertainty: Uncertainty, bots: Vec<BotNumber>) -> Self {
        let mut knowledge = Self {
            uncertainty,
            ..Self::default()
        };
        for bot in bots {
            knowledge.put(bot);
        }
        knowledge
    }

    fn put(&mut self, bot: BotNumber) {
        if self.places.len() <= bot.place() {
            self.places.resize(bot.place() + 1, None);
        }
        self.places[bot.place()] = Some(self.bots.len());
        self.bots.push(bot);
    }

    /// Where a bot is, which joins if it is new.
    pub(crate) fn place(&mut self, bot: BotNumber) -> usize {
        if let Some(place) = self.known(bot) {
            return place;
        }
        // As unsure as a fit leaves the rating of a bot without a match.
        let place = self.uncertainty.join(1.0 / PlackettLuce::of_ladder().ridge);
        self.put(bot);
        place
    }

    /// Takes note of a match that the last fit does not have; not of one with a bot that has not
    /// joined, as all are that are read again at a start, before the first fit.
    pub(crate) fn expect(&mut self, table: &[BotNumber]) {
        let known = table.iter().map(|bot| self.known(*bot));
        if let Some(places) = known.collect::<Option<Vec<usize>>>() {
            self.uncertainty.expect(&places);
        }
    }

    /// The same; bots that have not joined do.
    pub(crate) fn join_and_expect(&mut self, table: &[BotNumber]) {
        for bot in table {
            self.place(*bot);
        }
        self.expect(table);
    }

    fn known(&self, bot: BotNumber) -> Option<usize> {
        self.places.get(bot.place()).copied().flatten()
    }
}
