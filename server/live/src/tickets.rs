//! Issues new tickets for vacant seats. The new tickets invalidate the older tickets.

use std::collections::BTreeSet;

use bridgemaster_edge::refusal::Refusal;
use bridgemaster_games::Seat;
use bridgemaster_match::ReplaceTicketsError;
use bridgemaster_proto::v1::SeatTicket;

use super::{
    HostedMatch, Matches, Ticket,
    refusals::{check_seat, match_over, seat_occupied, seat_offered},
};
use crate::journal::Gated;

/// The seats for which new tickets are issued.
#[derive(Clone, Debug)]
pub enum TicketTargets {
    /// The listed seats, all of which must be vacant.
    Seats(BTreeSet<Seat>),
    /// All vacant seats that are not offered in queues.
    Vacant,
}

impl TicketTargets {
    /// Resolves and validates the seats for this match.
    pub(super) fn resolve_seats(self, hosted: &dyn HostedMatch) -> Result<BTreeSet<Seat>, Refusal> {
        let (of_match, offered) = (hosted.facts().seats, &hosted.facts().offered);
        let seats = match self {
            Self::Seats(seats) => seats,
            Self::Vacant => {
                let seats = of_match.seats();
                seats.filter(|seat| !offered.contains_key(seat)).collect()
            }
        };
        for seat in &seats {
            check_seat("seats", *seat, of_match)?;
        }
        if let Some(seat) = seats.iter().find(|seat| offered.contains_key(seat)) {
            return Err(seat_offered(*seat));
        }
        Ok(seats)
    }
}

impl Matches {
    /// Issues new tickets for seats, and invalidates the older tickets. Returns the new tickets
    /// once the change is committed.
    pub async fn replace_tickets(
        &self,
        hosted: &dyn HostedMatch,
        targets: TicketTargets,
    ) -> Result<Vec<SeatTicket>, Refusal> {
        let are_optional = matches!(targets, TicketTargets::Vacant);
        let seats = targets.resolve_seats(hosted)?;
        self.issue_tickets(hosted, &seats, are_optional).await
    }

    /// Issues new tickets for these seats. If `are_optional`, occupied seats are skipped.
    pub(super) async fn issue_tickets(
        &self,
        hosted: &dyn HostedMatch,
        seats: &BTreeSet<Seat>,
        are_optional: bool,
    ) -> Result<Vec<SeatTicket>, Refusal> {
        let generate = |seat: &Seat| (*seat, Ticket::generate(hosted.id()));
        let generated: Vec<(Seat, Ticket)> = seats.iter().map(generate).collect();
        let replaced = self.replace_in_roster(hosted, &generated, are_optional);
        let replaced = replaced.committed().await?;
        let seats = replaced.map_err(|why| self.no_new_tickets(hosted, why))?;
        let issued = generated.iter().filter(|(seat, _)| seats.contains(seat));
        Ok(issued.map(|(seat, ticket)| ticket.for_seat(*seat)).collect())
    }

    /// Passes generated tickets to a match, and adds the accepted tickets to the index.
    fn replace_in_roster(
        &self,
        hosted: &dyn HostedMatch,
        generated: &[(Seat, Ticket)],
        are_optional: bool,
    ) -> Gated<Result<Vec<Seat>, ReplaceTicketsError>> {
        let hashes = generated.iter().map(|(seat, ticket)| (*seat, ticket.hash()));
        let hashes: Vec<_> = hashes.collect();
        // Under this lock, the tickets in the index stay consistent with those in the match.
        let _guard = self.ticket_lock.lock();
        let replaced = hosted.replace_tickets(&hashes, are_optional);
        if let Ok(seats) = replaced.value() {
            let mut match_index = self.match_index();
            for (seat, ticket) in hashes.iter().filter(|(seat, _)| seats.contains(seat)) {
                match_index.replace_ticket(hosted.id(), *seat, *ticket);
            }
        }
        replaced
    }

    fn no_new_tickets(&self, hosted: &dyn HostedMatch, why: ReplaceTicketsError) -> Refusal {
        match why {
            ReplaceTicketsError::Over => match_over(&hosted.info().into_value()),
            ReplaceTicketsError::Parked => self.lifecycle().stop_refusal(),
            ReplaceTicketsError::Occupied(seat) => seat_occupied(seat),
        }
    }
}
