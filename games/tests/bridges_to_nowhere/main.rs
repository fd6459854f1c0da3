//! Bridges to Nowhere, position by position.

#![allow(clippy::unwrap_used)]
#![allow(
    clippy::disallowed_methods,
    reason = "BLESS=1 asks to write files anew"
)]

mod model;
mod pile;
mod position;
mod recount;
mod rulings;
mod sampling;
mod secrecy;
mod setup;
