//! New join tickets for seats to which no bot has come.

use std::collections::BTreeSet;

use bridgemaster_games::Seat;
use bridgemaster_match::NoNewTickets;
use bridgemaster_proto::v1::{RefusalReason, SeatTicket};

use super::{HostedMatch, Matches, Ticket, closing::is_over};
use crate::{
    journal::{Gated, NotStored},
    refusal::Refusal,
};

/// Which seats get new tickets.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// These, to which no bot may have come.
    Seats(BTreeSet<Seat>),
    /// All to which no bot has come, but for those that are offered in queues.
    Vacant,
}

impl Wanted {
    /// The seats of this match that are meant.
    fn seats(self, hosted: &dyn HostedMatch) -> Result<BTreeSet<Seat>, Refusal> {
        let (of_match, offered) = (hosted.seats(), hosted.offered());
        let seats = match self {
            Self::Seats(seats) => seats,
            Self::Vacant => {
                let seats = of_match.seats();
                seats.filter(|seat| !offered.contains_key(seat)).collect()
            }
        };
        if let Some(seat) = seats.iter().find(|seat| !of_match.contains(**seat)) {
            let most = of_match.get() - 1;
            let detail = format!("the match has the seats 0 to {most}, not {}", seat.number());
            return Err(Refusal::field("seats", detail));
        }
        if let Some(seat) = seats.iter().find(|seat| offered.contains_key(seat)) {
            let detail = format!("{seat} is offered in a queue, and its ticket is in the offer");
            return Err(Refusal::field("seats", detail));
        }
        Ok(seats)
    }
}

impl Matches {
    /// Gives seats new tickets, and their older ones end. They are shown once that is stored.
    pub(crate) async fn replace_tickets(
        &self,
        hosted: &dyn HostedMatch,
        wanted: Wanted,
    ) -> Result<Vec<SeatTicket>, Refusal> {
        let are_optional = matches!(wanted, Wanted::Vacant);
        let drawn: Vec<(Seat, Ticket)> = wanted
            .seats(hosted)?
            .into_iter()
            .map(|seat| (seat, Ticket::draw(hosted.id())))
            .collect();
        let replaced = self.replace_in_roster(hosted, &drawn, are_optional);
        let not_stored = |NotStored| Refusal::storage_failed();
        let seats = match replaced {
            Ok(seats) => seats.shown().await.map_err(not_stored)?,
            Err(why) => {
                let why = why.shown().await.map_err(not_stored)?;
                return Err(self.no_new_tickets(hosted, why));
            }
        };
        let shown = drawn.iter().filter(|(seat, _)| seats.contains(seat));
        let shown = shown.map(|(seat, ticket)| SeatTicket {
            seat: seat.number().into(),
            ticket: ticket.reveal().to_owned(),
        });
        Ok(shown.collect())
    }
    /// Gives a match the tickets that were drawn for its seats, and the roster those that it took.
    fn replace_in_roster(
        &self,
        hosted: &dyn HostedMatch,
        drawn: &[(Seat, Ticket)],
        are_optional: bool,
    ) -> Result<Gated<Vec<Seat>>, Gated<NoNewTickets>> {
        let hashes = drawn.iter().map(|(seat, ticket)| (*seat, ticket.hash()));
        let hashes: Vec<_> = hashes.collect();
        // So that the roster has the tickets that the match has, whoever comes between.
        let _replacing = self.replacing().lock();
        let replaced = self.note_end(hosted.replace_tickets(&hashes, are_optional));
        if let Ok(seats) = &replaced {
            let mut roster = self.roster();
            let replaced = seats.value();
            for (seat, ticket) in hashes.iter().filter(|(seat, _)| replaced.contains(seat)) {
                roster.replace_ticket(hosted.id(), *seat, *ticket);
            }
        }
        replaced
    }

    fn no_new_tickets(&self, hosted: &dyn HostedMatch, why: NoNewTickets) -> Refusal {
        match why {
            NoNewTickets::Over => is_over(&hosted.info().into_value()),
            NoNewTickets::Parked => self.stop_refusal(),
            NoNewTickets::Taken(seat) => Refusal::new(
                RefusalReason::SeatTaken,
                format!("a bot has come to {seat}, which gets no new ticket"),
            )
            .with("seat", seat.number().to_string()),
        }
    }
}
