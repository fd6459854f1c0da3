//! A bot that plays every game.

use std::process::ExitCode;

use bridgemaster_sdk::{Bot, Choice, Request};

/// Chooses the legal decision in the middle of the list.
struct MyBot;

impl Bot for MyBot {
    /// Returns the index of a legal decision, or a complete decision.
    ///
    /// `request.game` has the observation and the legal decisions of this seat, and
    /// `request.clock()` the remaining time. With the feature `rules` of the SDK, a bot can search
    /// with the rules of the referee.
    fn decide(&mut self, request: &Request) -> Choice {
        Choice::Index(request.legal_count as usize / 2)
    }
}

fn main() -> ExitCode {
    // Each match has its own instance of the bot.
    bridgemaster_sdk::run_each("my-bot", || MyBot)
}
