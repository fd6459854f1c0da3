//! Checks somebody's bot: starts it as a process, plays scripted matches against it, and tells
//! what it does not do as the protocol asks.
//!
//! The bot connects to a `front` that every check has for itself. Behind it is a real server; a
//! `session` carries the messages between the two, and the script of a check (`checks`) holds
//! some back, sends some twice, puts others in, or cuts the stream.

#![forbid(unsafe_code)]

mod arena;
mod catalog;
mod checks;
mod failure;
mod front;
mod hello;
mod limits;
mod numbering;
mod report;
mod run;
mod session;
mod setting;
mod told;
mod wire;

pub use self::{
    catalog::Check,
    report::{BotInfo, CheckReport, Failure, Outcome, Report},
    run::{CheckBotError, Plan, Progress, check_bot},
};
