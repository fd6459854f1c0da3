//! Commands on a match by callers who see it with a delay. The results of commands reveal nothing
//! that the cursor has not passed. The restriction matters on a server without keys, where every
//! caller may issue commands and sees matches with a delay.

use std::{collections::BTreeSet, sync::Arc};

use bridgemaster_games::Seat;
use bridgemaster_match::{Cancellation, MatchId};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason, SeatTicket};

use super::super::{
    CreatedMatch, HostedMatch, Matches, Ticket, TicketTargets, Viewer, refusals::seat_occupied,
};
use crate::refusal::Refusal;

impl Matches {
    /// Cancels a match, and returns the match as `viewer` sees it. A delayed viewer does not learn
    /// whether the match had already ended.
    ///
    /// # Errors
    /// If the match has ended, or the change cannot be stored.
    pub(crate) async fn cancel_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        why: Cancellation,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<MatchInfo, Refusal> {
        let visible = self.visible_info(hosted, viewer).await?;
        let cancelled = self.cancel(&**hosted, why).await;
        match (visible, cancelled) {
            // A match that never started has no delay.
            (Some(_), Ok(info)) if info.started_unix_ms == 0 => Ok(info),
            (Some(visible), Ok(_)) => Ok(visible),
            (Some(visible), Err(refusal)) if reveals_end(&refusal) => Ok(visible),
            (_, cancelled) => cancelled,
        }
    }

    /// Issues new tickets for seats. A delayed viewer learns neither which bots have joined nor
    /// whether the match has ended.
    ///
    /// # Errors
    /// If a seat gets no ticket, or the change cannot be stored.
    pub(crate) async fn replace_tickets_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        targets: TicketTargets,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<Vec<SeatTicket>, Refusal> {
        let Some(visible) = self.visible_info(hosted, viewer).await? else {
            return self.replace_tickets(&**hosted, targets).await;
        };
        let seats = match targets {
            TicketTargets::Vacant => self.visibly_vacant_seats(hosted.id(), &visible),
            TicketTargets::Seats(_) => {
                let seats = targets.resolve_seats(&**hosted)?;
                if let Some(seat) = seats.iter().find(|seat| has_visible_bot(&visible, **seat)) {
                    return Err(seat_occupied(*seat));
                }
                seats
            }
        };
        let issued = match self.issue_tickets(&**hosted, &seats, true).await {
            Err(refusal) if reveals_end(&refusal) => Vec::new(),
            issued => issued?,
        };
        Ok(with_decoys(hosted.id(), &seats, issued))
    }

    /// Ends the time in which a seat's bot can join or reconnect. A delayed viewer learns neither
    /// whether the bot is connected nor whether the match has ended.
    ///
    /// # Errors
    /// If the bot is connected, the match has ended, or the change cannot be stored.
    pub(crate) async fn expire_seat_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        (seat, why): (Seat, String),
        viewer: &(dyn Viewer + Sync),
    ) -> Result<(), Refusal> {
        let is_delayed = self.visible_info(hosted, viewer).await?.is_some();
        match self.expire_seat(&**hosted, seat, why).await {
            Err(refusal)
                if is_delayed
                    && (reveals_end(&refusal) || refusal.reason() == RefusalReason::SeatTaken) =>
            {
                Ok(())
            }
            expired => expired,
        }
    }

    /// Returns the match that an earlier call created, as `viewer` sees it.
    ///
    /// # Errors
    /// If the match cannot be read.
    pub(crate) async fn previous_result_for(
        self: &Arc<Self>,
        previous: CreatedMatch,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<CreatedMatch, Refusal> {
        // A match that this server created always has a valid identifier.
        let Ok(id) = MatchId::new(previous.info.match_id.as_str()) else {
            return Ok(previous);
        };
        let Some(hosted) = self.get_or_load(&id).await? else {
            return Ok(previous);
        };
        let Some(visible) = self.visible_info(&hosted, viewer).await? else {
            return Ok(previous);
        };
        let seats = self.visibly_vacant_seats(&id, &visible);
        Ok(CreatedMatch {
            tickets: with_decoys(&id, &seats, previous.tickets),
            info: visible,
            existed: true,
        })
    }

    /// Returns the match as `viewer` sees it, if the viewer sees it with a delay that has not ended.
    ///
    /// # Errors
    /// If another node serves the delayed view, or the serving node cannot be determined.
    async fn visible_info(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<Option<MatchInfo>, Refusal> {
        let cursor = self.cursor_for(hosted, viewer).await?;
        let visible = cursor.as_ref().and_then(|cursor| cursor.delayed_state());
        Ok(visible.map(|state| state.info().clone()))
    }

    /// Returns the seats that get tickets while no more of the match than this is known: those
    /// without a bot that are not offered in queues.
    fn visibly_vacant_seats(&self, id: &MatchId, visible: &MatchInfo) -> BTreeSet<Seat> {
        let seats = (0..visible.seats.len()).filter_map(|seat| Seat::new(u8::try_from(seat).ok()?));
        // A finished match no longer has its offers, but the tickets of offered seats are derived.
        let is_offered = |seat: &Seat| self.has_seat(&self.offered_ticket(id, *seat));
        seats
            .filter(|seat| !has_visible_bot(visible, *seat) && !is_offered(seat))
            .collect()
    }
}

/// Returns whether a bot has visibly joined the seat.
fn has_visible_bot(visible: &MatchInfo, seat: Seat) -> bool {
    let seat = visible.seats.get(seat.index());
    seat.is_some_and(|seat| !seat.bot_name.is_empty())
}

/// Returns one ticket for each seat: the issued ticket, or a ticket that no seat has. A viewer
/// cannot distinguish them before it tries to join.
fn with_decoys(
    id: &MatchId,
    seats: &BTreeSet<Seat>,
    mut issued: Vec<SeatTicket>,
) -> Vec<SeatTicket> {
    for seat in seats {
        let number = u32::from(seat.number());
        if !issued.iter().any(|ticket| ticket.seat == number) {
            issued.push(SeatTicket {
                seat: number,
                ticket: Ticket::generate(id).reveal().to_owned(),
            });
        }
    }
    issued.sort_by_key(|ticket| ticket.seat);
    issued
}

/// Returns whether a refusal reveals that a match has ended.
fn reveals_end(refusal: &Refusal) -> bool {
    matches!(
        refusal.reason(),
        RefusalReason::MatchEnded | RefusalReason::MatchCancelled
    )
}
