//! The five-minute bot of the README.

use std::process::ExitCode;

use bridgemaster_sdk::{Bot, Choice, Request};

struct FirstBot;

impl Bot for FirstBot {
    fn decide(&mut self, request: &Request) -> Choice {
        // The request is complete: `request.game` has the seat's observation, its legal decisions
        // and the events since its previous request; `request.clock()` has the time left.
        // Replace this line with your own decision.
        Choice::Index(request.legal_count as usize / 2)
    }
}

fn main() -> ExitCode {
    bridgemaster_sdk::run("first-bot", FirstBot)
}
