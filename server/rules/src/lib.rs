//! The rules by call, without I/O: what `RulesService` answers.
//!
//! A [position](Position) is what a viewer knows of a match, a sample seed that says which of the
//! states that look like it is meant, and the decisions since. It is rebuilt from a message
//! whenever it is needed, so nothing hidden is kept or sent, and equal messages give equal states.
//!
//! [`answers`] has the answer of each unary call. A [`Session`] keeps positions by number, and does
//! a [`Batch`] of operations on them in steps that its caller bounds: between two playouts, and
//! between two decisions that take long, it asks whether to go on. Nothing here reads a clock, waits
//! or shares anything.

#![forbid(unsafe_code)]

pub mod answers;
mod batch;
mod game;
mod limits;
mod notation;
mod outcome;
mod playouts;
mod position;
mod problem;
mod root;
mod samples;
mod session;

pub use batch::Batch;
pub use limits::{
    MAX_ANSWER_BYTES, MAX_CONVERSIONS, MAX_DECISIONS, MAX_OPERATIONS, MAX_PLAYOUTS, MAX_SAMPLES,
    POSITION_BYTES,
};
pub use position::Position;
pub use problem::Problem;
pub use samples::Sampling;
pub use session::Session;
