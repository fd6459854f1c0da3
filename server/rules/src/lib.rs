//! The logic of `RulesService`, which offers the games' rules to clients. This crate does no I/O.
//!
//! A [position](Position) consists of an observation of a match, a sample seed and the decisions
//! since the observation. The seed selects one of the states that are consistent with the
//! observation. A position is rebuilt from its message whenever it is needed. So nothing hidden is
//! stored or sent, and equal messages give equal states.
//!
//! [`answers`] implements the unary calls. A [`Session`] stores positions by number, and executes a
//! [`Batch`] of operations on them in bounded steps. After each playout and each slow decision, it
//! calls a function that decides whether to continue. Nothing in this crate reads a clock, blocks
//! or shares state.

#![forbid(unsafe_code)]

pub mod answers;
mod batch;
mod game;
mod playouts;
mod position;
mod problem;
mod session;

pub use answers::Sampling;
pub use batch::Batch;
pub use position::Position;
pub use problem::{
    MAX_ANSWER_BYTES, MAX_CONVERSIONS, MAX_DECISIONS, MAX_OPERATIONS, MAX_PLAYOUTS, MAX_SAMPLES,
    POSITION_BYTES, Problem,
};
pub use session::Session;
