//! The five-minute bot of the README.

use std::process::ExitCode;

use bridgemaster_sdk::{Bot, Choice, Request};

struct FirstBot;

impl Bot for FirstBot {
    fn decide(&mut self, request: &Request) -> Choice {
        // Everything there is to know is in the request: what this seat sees
        // (`request.observation`), what it may do (`request.legal_decisions`), what happened since
        // it was asked last (`request.events`) and the time that is left (`request.clock()`).
        // Replace this line by something better.
        Choice::Index(request.legal_decisions.len() / 2)
    }
}

fn main() -> ExitCode {
    bridgemaster_sdk::run("first-bot", FirstBot)
}
