//! Old London Bridge, position by position.

#![allow(clippy::unwrap_used)]
#![allow(
    clippy::disallowed_methods,
    reason = "BLESS=1 asks to write files anew"
)]

mod averages;
mod naive;
mod position;
mod recount;
mod rulebook;
mod rulings;
mod sampling;
mod setup;
mod steered;
