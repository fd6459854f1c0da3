//! The state of a seat and its bot.

use bridgemaster_games::Seat;

use crate::BotIdentity;

/// The connection state of a seat's bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatState {
    /// No bot has connected yet.
    Vacant,
    /// A bot is connected.
    Connected,
    /// The bot's stream is lost, and the bot can reconnect.
    Paused,
    /// The seat was forfeited, and the house, the server's own player, plays it.
    Forfeited,
}

/// A seat and its bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatInfo {
    /// The seat's number.
    pub seat: Seat,
    /// The connection state of the seat's bot.
    pub state: SeatState,
    /// The seat's bot; `None` before one has connected.
    pub bot: Option<BotIdentity>,
    /// The seat's number of strikes so far.
    pub strikes: u32,
}
