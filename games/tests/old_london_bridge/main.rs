//! Old London Bridge, position by position.

#![allow(clippy::unwrap_used)]

mod conservation;
mod position;
mod rounds;
mod rulebook;
mod rulings;
mod sampling;
mod setup;
mod steered;
