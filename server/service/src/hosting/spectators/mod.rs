//! The spectators of one match.
//!
//! A match has bots to serve: its lock sees one push for all spectators. A task makes each piece of
//! news a message, encodes it once, and hands the same bytes to everybody.

mod audience;
mod news;
mod teller;

pub(crate) use self::news::{SharedNews, WatchReceiver};
pub(super) use self::{
    audience::{Audience, Entrant},
    news::only,
    teller::Teller,
};
