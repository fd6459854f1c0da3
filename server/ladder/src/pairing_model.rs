//! The model that pairing uses: the last fit, updated with the matches paired since that fit.

use bridgemaster_contest::{PlackettLuce, pairing::Uncertainty};

use crate::bots::BotNumber;

/// The uncertainty of the ratings. A bot that is not in the last fit is added when it is first
/// used.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairingModel {
    pub(crate) uncertainty: Uncertainty,
    /// The model's bots, by index.
    pub(crate) bots: Vec<BotNumber>,
    /// The index of each bot in the model, by bot number.
    places: Vec<Option<usize>>,
}

impl PairingModel {
    /// Creates the model for a fit of these bots.
    pub(crate) fn new(uncertainty: Uncertainty, bots: Vec<BotNumber>) -> Self {
        let mut pairing_model = Self {
            uncertainty,
            ..Self::default()
        };
        for bot in bots {
            pairing_model.append(bot);
        }
        pairing_model
    }

    fn append(&mut self, bot: BotNumber) {
        if self.places.len() <= bot.index() {
            self.places.resize(bot.index() + 1, None);
        }
        self.places[bot.index()] = Some(self.bots.len());
        self.bots.push(bot);
    }

    /// Returns the index of a bot. A new bot is added to the model.
    pub(crate) fn index_or_insert(&mut self, bot: BotNumber) -> usize {
        if let Some(index) = self.find(bot) {
            return index;
        }
        // A fit assigns the same uncertainty to a bot without matches.
        let index = self
            .uncertainty
            .add_bot(1.0 / PlackettLuce::for_ladder().ridge);
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
        self.places.get(bot.index()).copied().flatten()
    }
}
