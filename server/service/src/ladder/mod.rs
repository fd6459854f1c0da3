//! Ladders: bots attend their queues, and the server pairs them, plays matches between them, and
//! rates the bots.
//!
//! `bridgemaster_ladder` decides on pairing, ratings and benching, without I/O. [`LiveLadder`]
//! stores each of a ladder's decisions before it applies the decision, so that a restarted server
//! has the same ladder. A match is stored as paired before it is created, and is created under an
//! idempotency key. So a server that is killed at any moment neither loses a match nor plays one
//! twice.

mod capacity;
mod change_queue;
mod changes;
mod fitting;
mod in_play;
mod ladders;
mod listing;
mod live;
mod lobby_status;
mod messages;
mod model;
mod outcome;
mod recovery;
mod rows;
mod runner;

pub(crate) use ladders::Ladders;
pub(crate) use listing::{EndedMatch, MatchFilter};
pub(crate) use live::LiveLadder;
pub(crate) use messages::{Attendances, CSV_HEAD, csv_rows};
pub(crate) use rows::LADDER_LABEL;
pub(crate) use runner::request_unrated_match;
