//! Conformance checks for bots. Starts a bot as a process, plays scripted matches with the bot, and
//! reports protocol violations.
//!
//! In each check, the bot connects to a `ScriptedProxy`. A `BotMatch` forwards messages between the
//! bot and a real server. The check's script (in `checks`) delays, repeats or inserts messages, or
//! cuts the stream.

#![forbid(unsafe_code)]

mod bot_match;
mod catalog;
mod checks;
mod environment;
mod first_message;
mod match_settings;
mod report;
mod run;
mod scripted_proxy;
mod steps;
mod transcript;
mod wire;

pub use self::{
    catalog::Check,
    report::{BotInfo, CheckReport, Failure, Outcome, Report},
    run::{CheckBotError, Plan, Progress, check_bot},
};
