//! Tests of Carcassonne with the Drawbridges.

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
