//! Tests of the referee: scripted matches, and arbitrary inputs that are checked by the oracle of
//! the simulation.

#![allow(clippy::unwrap_used)]
#![allow(unreachable_pub, reason = "the toy games are shared with other tests")]

mod clocks;
mod connection_refused;
#[path = "../../../../fuzz/src/referee.rs"]
mod driver;
mod expired;
mod faults;
mod forks;
mod lag;
mod laws;
#[allow(dead_code, reason = "the simulation uses more of it")]
#[path = "../../../match/tests/simulation/oracle/mod.rs"]
mod oracle;
mod playing;
mod restarting;
mod resuming;
mod script;
mod secrets;
mod starting;
#[path = "../toy/mod.rs"]
mod toy;
