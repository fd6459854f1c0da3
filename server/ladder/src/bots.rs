//! The bot versions on a ladder, and their internal numbers.

use std::collections::HashMap;

/// A version of a bot. Each version has its own results and its own rating.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BotVersion {
    /// Name of the bot, without the version.
    pub name: String,
    /// The version that the bot reports.
    pub version: String,
}

impl BotVersion {
    /// Creates a version of a bot.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into() }
    }
}

/// A bot that waits in the ladder's queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttendingBot {
    /// The version that waits in the queue.
    pub bot: BotVersion,
    /// Owner of the bot's API key; empty if unknown.
    pub owner: String,
    /// The maximum number of matches that the bot plays concurrently.
    pub slots: u32,
    /// The number of slots that no match of any of the bot's versions uses.
    pub free_slots: u32,
}

/// The internal number of a version. Numbers are assigned in the order of first appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BotNumber(pub(crate) u32);

impl BotNumber {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Maps versions to numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct BotNumbers {
    bots: Vec<BotVersion>,
    numbers: HashMap<BotVersion, BotNumber>,
}

impl BotNumbers {
    /// Returns the number of a version. A new version gets the next number.
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
        &self.bots[number.index()]
    }

    pub(crate) fn all(&self) -> &[BotVersion] {
        &self.bots
    }
}
