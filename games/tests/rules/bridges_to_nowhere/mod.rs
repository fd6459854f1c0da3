//! Bridges to Nowhere, position by position.

mod model;
mod pile;
mod position;
mod recount;
mod rulings;
mod sampling;
mod secrecy;
mod setup;
