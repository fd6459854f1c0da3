//! Requests of the organiser: cancellation of the match, expiry of a seat, and new join tickets for
//! vacant seats.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{Input, MatchPhase, SeatState};

use crate::{Cancellation, Effect, Entries, Match, Report, ServerTime, TicketHash};

/// The reason why a match cannot be cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelError {
    /// The match has ended.
    Ended,
    /// The server is stopping and the match is parked.
    Parked,
}

/// The seats with new tickets.
#[derive(Debug)]
pub struct ReplacedTickets {
    /// The seats, in the order in which the request names them.
    pub seats: Vec<Seat>,
    /// The journal position that the response must wait for.
    pub after: Entries,
}

/// The reason why tickets cannot be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceTicketsError {
    /// The match has already ended.
    Over,
    /// A bot has already connected to this seat.
    Occupied(Seat),
    /// The server is stopping and the match is parked.
    Parked,
}

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
    /// Handles earlier reports, then replaces the tickets of vacant seats. The old tickets become
    /// invalid. Occupied seats are skipped if `are_optional` is true. The response must wait for
    /// the returned journal position.
    ///
    /// # Errors
    /// Returns an error, and replaces no ticket, if any requested ticket cannot be replaced.
    pub fn replace_tickets(
        &mut self,
        (now, reports): (ServerTime, &mut Vec<Report>),
        tickets: &[(Seat, TicketHash)],
        are_optional: bool,
        effects: &mut Vec<Effect>,
    ) -> Result<ReplacedTickets, (ReplaceTicketsError, Entries)> {
        self.tick((now, reports), effects);
        if self.is_parked {
            return Err((ReplaceTicketsError::Parked, Entries::NONE));
        }
        if self.referee.phase() == MatchPhase::Ended {
            return Err((ReplaceTicketsError::Over, self.uncommitted()));
        }
        let is_occupied = |seat: &Seat| self.bot(*seat).is_some();
        let mut seats = tickets.iter().map(|(seat, _)| *seat);
        if let Some(seat) = seats.find(is_occupied).filter(|_| !are_optional) {
            return Err((ReplaceTicketsError::Occupied(seat), self.uncommitted()));
        }
        let vacant = tickets.iter().filter(|(seat, _)| !is_occupied(seat));
        let vacant: Vec<_> = vacant.copied().collect();
        for (seat, ticket) in &vacant {
            if let Some(journal) = &mut self.journal {
                journal.record_ticket(now.time, *seat, *ticket);
            }
            self.tickets[seat.index()] = *ticket;
        }
        if !vacant.is_empty() {
            // As during recovery, this only advances the time of the referee and expires no
            // deadline.
            self.referee.handle(now.time, Input::Tick, &mut self.outputs);
            self.emit_effects(now.time, effects);
        }
        Ok(ReplacedTickets {
            seats: vacant.into_iter().map(|(seat, _)| seat).collect(),
            after: self.uncommitted(),
        })
    }

    /// The hash of a seat's current ticket.
    pub fn ticket(&self, seat: Seat) -> Option<TicketHash> {
        self.tickets.get(seat.index()).copied()
    }

    /// Cancels the match after handling earlier reports and expired deadlines. Has no effect on a
    /// match that is already cancelled.
    ///
    /// # Errors
    /// Returns an error if the match has ended or is parked.
    pub fn cancel(
        &mut self,
        (now, reports): (ServerTime, &mut Vec<Report>),
        cancellation: Cancellation,
        effects: &mut Vec<Effect>,
    ) -> Result<(), CancelError> {
        self.tick((now, reports), effects);
        if self.referee.phase() == MatchPhase::Ended {
            let cancelled = self.cancelled.as_ref();
            return cancelled.map(|_| ()).ok_or(CancelError::Ended);
        }
        if self.is_parked {
            return Err(CancelError::Parked);
        }
        self.cancelled = Some((now.time, Arc::new(cancellation)));
        self.handle(now.time, Input::Cancelled, effects);
        Ok(())
    }

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
