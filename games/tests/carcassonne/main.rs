//! Tests of Carcassonne with the Drawbridges.

#![allow(clippy::unwrap_used)]
#![allow(
    clippy::disallowed_methods,
    reason = "BLESS=1 asks to write files anew"
)]

mod drawbridges;
mod edition;
mod long_lists;
mod playing;
mod position;
mod recount;
mod recounted;
mod rendering;
mod sampling;
mod setup;
mod tiles;
