//! Tests of the protocol: its files, its page and its conversions.

#![allow(clippy::unwrap_used)]

mod descriptors;
mod malformed;
mod protocol_page;
mod random_match;
mod round_trip;
mod sizes;
