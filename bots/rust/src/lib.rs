//! The built-in bots of Bridgemaster: opponents for new users, baselines for tests, and permanent
//! opponents on ladders. Built-in bots play over the network like any other bot.
//!
//! A bot is selected by its name: in the library ([`by_name`]), on the command line ([`SeatArgs`]),
//! or as a separate binary.

#![forbid(unsafe_code)]

mod args;
pub mod greedy;
mod random;
pub mod search;

use std::env;

pub use args::{EffortArgs, MissingTicket, SeatArgs, TlsArgs, UnsupportedEffort, run_binary};
use bridgemaster_games::Seed;
use bridgemaster_sdk::Bot;
pub use greedy::Greedy;
pub use random::Random;
pub use search::{Effort, Search};
use tracing_subscriber::filter::Targets;

/// The names of all built-in bots.
pub const NAMES: &[&str] = &["random", GREEDY, SEARCH];

/// The name of the bot that can make mistakes.
pub(crate) const GREEDY: &str = "greedy";
/// The name of the bot with a limited search.
pub(crate) const SEARCH: &str = "search";

/// Creates the bot with this name. The bot draws random decisions from `seed`. Returns `None` if no
/// bot has this name.
pub fn by_name(name: &str, seed: &Seed) -> Option<Box<dyn Bot>> {
    factory(name).map(|make| make(seed, Effort::default()))
}

/// A function that creates a bot from a seed for its random decisions. The bots `greedy` and
/// `search` use the effort.
pub type BotFactory = fn(&Seed, Effort) -> Box<dyn Bot>;

/// Returns the factory for the bot with this name; `None` if no bot has this name.
pub fn factory(name: &str) -> Option<BotFactory> {
    match name {
        "random" => Some(|seed, _| Box::new(Random::new(seed))),
        GREEDY => Some(|seed, effort| Box::new(Greedy::with_mistakes(seed, effort.mistakes))),
        SEARCH => Some(|seed, effort| Box::new(Search::new(seed, effort))),
        _ => None,
    }
}

/// The environment variable that contains the log filter.
const FILTER_VARIABLE: &str = "RUST_LOG";

/// Returns the filter in `RUST_LOG`: levels, alone or by target, such as `info,bridgemaster=trace`.
/// Returns `default` if the variable is unset, empty or invalid.
pub fn log_filter(default: Targets) -> Targets {
    let stated = env::var(FILTER_VARIABLE).ok();
    stated.and_then(|text| parsed(&text)).unwrap_or(default)
}

fn parsed(text: &str) -> Option<Targets> {
    let text = Some(text.trim()).filter(|text| !text.is_empty())?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn only_listed_names_have_a_bot() {
        let seed = Seed::from(1);
        assert!(NAMES.iter().all(|name| by_name(name, &seed).is_some()));
        assert!(by_name("grandmaster", &seed).is_none());
    }

    #[test]
    fn a_filter_has_a_default_level_and_levels_by_target() {
        let filter = parsed("warn,bridgemaster=debug").unwrap();
        assert!(filter.would_enable("bridgemaster_server::play", &Level::DEBUG));
        assert!(!filter.would_enable("bridgemaster_server::play", &Level::TRACE));
        assert!(filter.would_enable("hyper", &Level::WARN));
        assert!(!filter.would_enable("hyper", &Level::INFO));
    }

    #[test]
    fn an_invalid_filter_counts_as_none() {
        for text in ["", " ", "bridgemaster=loud"] {
            assert!(parsed(text).is_none(), "{text:?}");
        }
    }
}
