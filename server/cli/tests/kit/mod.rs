//! Code that the suites `cli`, `cluster` and `storm` share, which run the real binary: command
//! lines, server processes, calls to them, and the stream of a seat.

#![allow(dead_code, reason = "not every target uses all of it")]

pub(crate) mod calls;
pub(crate) mod paced_bot;
pub(crate) mod program;
pub(crate) mod results;
pub(crate) mod seat_stream;
pub(crate) mod served;
