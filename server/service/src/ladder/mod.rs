//! Ladders: bots attend their queues, and matches between them are played and rated for as long as
//! they do.
//!
//! What is paired, what counts and who is benched is decided by `bridgemaster_ladder`, without I/O.
//! [`LiveLadder`] is the shell of one ladder: what is decided is stored first, and taken in then,
//! so that a server that is started again has the same ladder. A match is stored as paired before
//! it is made, and it is made under a name that is stored with it: so a server that is killed at
//! any moment neither loses a match nor plays one twice.

mod changing;
mod entering;
mod fitting;
mod in_play;
mod known;
mod ladders;
mod listing;
mod live;
mod outcome;
mod recovering;
mod rows;
mod running;
mod shown;
mod telling;
mod turns;

pub(crate) use ladders::Ladders;
pub(crate) use listing::{EndedMatch, MatchFilter};
pub(crate) use live::LiveLadder;
pub(crate) use rows::LADDER_LABEL;
pub(crate) use running::request;
pub(crate) use shown::{Attending, CSV_HEAD, csv_of};
