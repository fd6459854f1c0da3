//! New join tickets for seats to which no bot has come.

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{Input, MatchPhase};

use crate::{Effect, Entries, Match, Moment, Report, TicketHash};

/// Seats that have new tickets.
#[derive(Debug)]
pub struct Replaced {
    /// The seats.
    pub seats: Vec<Seat>,
    /// Not to be told before so many entries are stored.
    pub after: Entries,
}

/// Why no seat gets a new ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoNewTickets {
    /// The match is over.
    Over,
    /// A bot has come to this seat.
    Taken(Seat),
    /// The server ends, and the match stands still.
    Parked,
}

impl<G: WireGame> Match<G> {
    /// Gives seats to which no bot has come new tickets; the older ones end. What had been reported
    /// by then comes first. A seat to which a bot has come is passed over if `are_optional`.
    ///
    /// # Errors
    /// Why not; no ticket has changed then. It is not to be told before so many entries are stored.
    pub fn replace_tickets(
        &mut self,
        (now, reports): (Moment, &mut Vec<Report>),
        tickets: &[(Seat, TicketHash)],
        are_optional: bool,
        effects: &mut Vec<Effect>,
    ) -> Result<Replaced, (NoNewTickets, Entries)> {
        self.tick((now, reports), effects);
        if self.is_parked {
            return Err((NoNewTickets::Parked, Entries::NONE));
        }
        if self.referee.phase() == MatchPhase::Ended {
            return Err((NoNewTickets::Over, self.unsettled()));
        }
        let taken = |seat: &Seat| self.bot(*seat).is_some();
        let mut seats = tickets.iter().map(|(seat, _)| *seat);
        if let Some(seat) = seats.find(taken).filter(|_| !are_optional) {
            return Err((NoNewTickets::Taken(seat), self.unsettled()));
        }
        let vacant = tickets.iter().filter(|(seat, _)| !taken(seat));
        let vacant: Vec<_> = vacant.copied().collect();
        for (seat, ticket) in &vacant {
            if let Some(journal) = &mut self.journal {
                journal.note_ticket(now.time, *seat, *ticket);
            }
            self.tickets[seat.index()] = *ticket;
        }
        if !vacant.is_empty() {
            // As when the journal is read: to the referee only time passed, and nothing is due.
            self.referee
                .handle(now.time, Input::Tick, &mut self.outputs);
            self.carry_out(now.time, effects);
        }
        Ok(Replaced {
            seats: vacant.into_iter().map(|(seat, _)| seat).collect(),
            after: self.unsettled(),
        })
    }

    /// The ticket of a seat.
    pub fn ticket(&self, seat: Seat) -> Option<TicketHash> {
        self.tickets.get(seat.index()).copied()
    }
}
