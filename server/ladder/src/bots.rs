//! The versions of bots of a ladder, by numbers.

use std::collections::HashMap;

/// A version of a bot. Results belong to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BotVersion {
    /// Name of the bot.
    pub name: String,
    /// The version, as its owner claims.
    pub version: String,
}

impl BotVersion {
    /// A version of a bot.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
        }
    }
}

/// A bot that attends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presence {
    /// Who attends.
    pub bot: BotVersion,
    /// Who has its key; empty if that is not known.
    pub owner: String,
    /// Matches that it plays at once.
    pub slots: u32,
    /// Of its slots, those that no match takes, of whatever version.
    pub free_slots: u32,
}

/// Stands for a version of a bot, in the order in which they were first heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BotNumber(pub(crate) u32);

impl BotNumber {
    pub(crate) fn place(self) -> usize {
        self.0 as usize
    }
}

/// Which version has which number.
#[derive(Clone, Debug, Default)]
pub(crate) struct BotNumbers {
    bots: Vec<BotVersion>,
    numbers: HashMap<BotVersion, BotNumber>,
}

impl BotNumbers {
    /// A number for a version that has none.
    pub(crate) fn add(&mut self, bot: &BotVersion) -> BotNumber {
        let number = BotNumber(u32::try_from(self.bots.len()).unwrap_or(u32::MAX));
        self.bots.push(bot.clone());
        self.numbers.insert(bot.clone(), number);
        number
    }

    pub(crate) fn find(&self, bot: &BotVersion) -> Option<BotNumber> {
        self.numbers.get(bot).copied()
    }

    pub(crate) fn get(&self, number: BotNumber) -> &BotVersion {
        &self.bots[number.place()]
    }

    pub(crate) fn all(&self) -> &[BotVersion] {
        &self.bots
    }
}
