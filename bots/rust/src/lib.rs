//! The built-in bots of Bridgemaster: opponents for a newcomer, baselines for tests, later standing
//! opponents of a ladder. They play over the network like any other bot.
//!
//! A bot is reached by its name, in the library ([`by_name`]), on the command line ([`BotArgs`])
//! and as a binary of its own.

#![forbid(unsafe_code)]

mod args;
pub mod greedy;
mod log_filter;
mod random;
pub mod search;

pub use args::{BotArgs, EffortArgs, NoEffort, NoTicket, SeatArgs, TlsArgs, main_of};
use bridgemaster_games::Seed;
use bridgemaster_sdk::Bot;
pub use greedy::Greedy;
pub use log_filter::log_filter;
pub use random::Random;
pub use search::{Effort, Search};

/// The names of all bots.
pub const NAMES: &[&str] = &["random", "greedy", SEARCH];

/// The name of the bot that can be given an [`Effort`].
pub(crate) const SEARCH: &str = "search";

/// The bot of a name, its chance drawn from `seed`; `None` when no bot has this name.
pub fn by_name(name: &str, seed: &Seed) -> Option<Box<dyn Bot>> {
    maker_of(name).map(|make| make(seed, Effort::default()))
}

/// Makes a bot with the seed of its own chance. Only the bot `search` asks how much effort a decision
/// may take.
pub type MakeBot = fn(&Seed, Effort) -> Box<dyn Bot>;

/// What makes the bots of a name; `None` when there are none.
pub fn maker_of(name: &str) -> Option<MakeBot> {
    match name {
        "random" => Some(|seed, _| Box::new(Random::new(seed))),
        "greedy" => Some(|seed, _| Box::new(Greedy::new(seed))),
        SEARCH => Some(|seed, effort| Box::new(Search::new(seed, effort))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_has_a_bot_and_no_other() {
        let seed = Seed::from(1);
        assert!(NAMES.iter().all(|name| by_name(name, &seed).is_some()));
        assert!(by_name("grandmaster", &seed).is_none());
    }
}
