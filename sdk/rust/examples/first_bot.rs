//! The five-minute bot of the README.

use std::process::ExitCode;

use bridgemaster_sdk::{Bot, Choice, Request};

struct FirstBot;

impl Bot for FirstBot {
    fn decide(&mut self, request: &Request) -> Choice {
        // Everything there is to know is in the request: what this seat sees, what it may do and what
        // happened since it was asked last (`request.game`), and the time that is left
        // (`request.clock()`).
        // Replace this line by something better.
        Choice::Index(request.legal_count as usize / 2)
    }
}

fn main() -> ExitCode {
    bridgemaster_sdk::run("first-bot", FirstBot)
}
