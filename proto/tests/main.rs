//! Tests of the protocol: its files, its page and its conversions.

#![allow(clippy::unwrap_used)]

mod alhambra;
mod bridges_to_nowhere;
mod carcassonne;
mod csharp_listing;
mod descriptors;
mod error_texts;
mod malformed;
mod old_london_bridge;
mod protocol_page;
mod random_match;
mod round_trip;
mod sizes;
