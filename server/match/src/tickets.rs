//! Replacement of the join tickets for vacant seats.

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{Input, MatchPhase};

use crate::{Effect, Entries, Match, Report, ServerTime, TicketHash};

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
            // As in a recovery, this only advances the referee's time and expires no deadline.
            self.referee
                .handle(now.time, Input::Tick, &mut self.outputs);
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
}
