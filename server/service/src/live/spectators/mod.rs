//! The spectators of one match.
//!
//! Bots have priority. Under its lock, a match only queues an update, once for all spectators. A
//! separate task then builds and encodes the message, and sends the same bytes to every spectator.

mod audience;
mod publisher;
mod updates;

pub(crate) use self::updates::{SharedUpdate, WatchReceiver};
pub(super) use self::{
    audience::{Audience, Reservation},
    publisher::Publisher,
    updates::only_message,
};
