//! Old London Bridge, position by position.

#![allow(clippy::unwrap_used)]
#![allow(
    clippy::disallowed_methods,
    reason = "BLESS=1 asks to write files anew"
)]

mod conservation;
mod position;
mod rounds;
mod rulebook;
mod rulings;
mod sampling;
mod setup;
mod steered;
