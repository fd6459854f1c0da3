//! Whole ladders in virtual time: bots of known strength come and go, fail and lag, and the server
//! is started again at any moment from what it has stored.

#![allow(clippy::unwrap_used, missing_docs)]

mod facts;
mod world;
