//! Bridges to Nowhere, position by position.

#![allow(clippy::unwrap_used)]

mod model;
mod notation;
mod position;
mod recount;
mod rulebook;
mod rulings;
mod sampling;
mod secrecy;
mod setup;
