//! What is known of a seat.

use bridgemaster_games::Seat;

use crate::BotIdentity;

/// Where a seat's bot stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatState {
    /// No bot has connected yet.
    Vacant,
    /// A bot is connected.
    Connected,
    /// The bot's stream is lost; it may come back.
    Paused,
    /// The seat is forfeited and the house plays it.
    Forfeited,
}

/// A seat and its bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatInfo {
    /// The seat.
    pub seat: Seat,
    /// Where its bot stands.
    pub state: SeatState,
    /// The bot; `None` before one came.
    pub bot: Option<BotIdentity>,
    /// Strikes so far.
    pub strikes: u32,
}
