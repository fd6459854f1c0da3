//! Alhambra, the card game: rulebook examples, rulings, and an independent recount of matches.

mod listing;
mod naive;
mod position;
mod recount;
mod rulebook;
mod rulings;
mod sampling;
mod setup;
mod shuffles;
