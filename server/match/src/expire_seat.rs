//! Expiry of a seat: the organiser ends the wait for a bot that will not connect or reconnect.

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{Input, MatchPhase, SeatState};

use crate::{Effect, Entries, Match, Report, ServerTime};

/// The reason why a seat cannot be expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpireSeatError {
    /// The match has already ended.
    Over,
    /// The bot of the seat is connected.
    Connected,
    /// The server is stopping and the match is parked.
    Parked,
}

impl<G: WireGame> Match<G> {
    /// Handles earlier reports and expired deadlines. Then ends the time that a seat's bot has to
    /// connect or reconnect, unless the house (the server's own player) plays the seat. Returns the
    /// journal position that the response must wait for.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, if the match or the seat cannot be expired.
    pub fn expire_seat(
        &mut self,
        (now, reports): (ServerTime, &mut Vec<Report>),
        seat: Seat,
        why: String,
        effects: &mut Vec<Effect>,
    ) -> Result<Entries, (ExpireSeatError, Entries)> {
        self.tick((now, reports), effects);
        if self.is_parked {
            return Err((ExpireSeatError::Parked, Entries::NONE));
        }
        if self.referee.phase() == MatchPhase::Ended {
            return Err((ExpireSeatError::Over, self.uncommitted()));
        }
        let info = self.referee.seat_info(seat);
        if info.is_some_and(|info| info.state == SeatState::Connected) {
            return Err((ExpireSeatError::Connected, self.uncommitted()));
        }
        self.handle(now.time, Input::Expired { seat, why }, effects);
        Ok(self.uncommitted())
    }
}
