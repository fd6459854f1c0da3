//! Old London Bridge, position by position.

mod averages;
mod naive;
mod position;
mod recount;
mod rulebook;
mod rulings;
mod sampling;
mod setup;
mod steered;
