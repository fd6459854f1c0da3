//! A bot that plays every game.

use std::process::ExitCode;

use bridgemaster_sdk::{Bot, Choice, Request};

/// Takes the legal decision in the middle of the list.
struct MyBot;

impl Bot for MyBot {
    /// Answers a request: with a position in the list of legal decisions, or with a decision in
    /// full.
    ///
    /// The request has all that there is to know. `request.game` has what this seat sees and may
    /// do; `request.clock()` tells the time that is left. With the feature `rules` of the SDK, a bot
    /// can search with the referee's own rules.
    fn decide(&mut self, request: &Request) -> Choice {
        Choice::Index(request.legal_count as usize / 2)
    }
}

fn main() -> ExitCode {
    // Each match gets a bot of its own.
    bridgemaster_sdk::run_each("my-bot", || MyBot)
}
