//! Commands on a match from callers who see it with a delay. The results reveal nothing beyond the
//! cursor. This matters on a server without keys, where every caller may issue commands although it
//! sees matches with a delay.

use std::{collections::BTreeSet, sync::Arc};

use bridgemaster_edge::identity::Caller;
use bridgemaster_edge::refusal::Refusal;
use bridgemaster_games::Seat;
use bridgemaster_match::{Cancellation, MatchId};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason, SeatTicket};
use tokio::select;

use super::{
    super::{
        CreatedMatch, HostedMatch, Matches, Ticket, TicketTargets,
        refusals::{reveals_end, seat_occupied, seat_offered},
    },
    VisibilityCursor,
};

impl Matches {
    /// Cancels a match, and returns the match as `viewer` sees it. The result does not reveal to a
    /// delayed viewer whether the match had already ended.
    ///
    /// # Errors
    /// Returns an error if the match has ended, or the change cannot be stored.
    pub async fn cancel_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        why: Cancellation,
        viewer: &Caller,
    ) -> Result<MatchInfo, Refusal> {
        let delayed = self.delayed_info(hosted, viewer).await?;
        let cancelled = self.cancel(&**hosted, why).await;
        match (delayed, cancelled) {
            // A match that never started has no delay. The call still waits for the cursor, so that
            // later calls also show the cancellation.
            (Some((cursor, _)), Ok(info)) if info.started_unix_ms == 0 => {
                let stopping = self.lifecycle().stop_token();
                select! {
                    biased;
                    // When the server stops, the cursor does not reach the end.
                    () = stopping.cancelled() => {}
                    () = cursor.until_over() => {}
                }
                Ok(info)
            }
            (Some((_, visible)), Ok(_)) => Ok(visible),
            (Some((_, visible)), Err(refusal)) if reveals_end(&refusal) => Ok(visible),
            (_, cancelled) => cancelled,
        }
    }

    /// Issues new tickets for seats. The result does not reveal to a delayed viewer which bots have
    /// joined, or whether the match has ended.
    ///
    /// # Errors
    /// Returns an error if a seat gets no ticket, or the change cannot be stored.
    pub async fn replace_tickets_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        targets: TicketTargets,
        viewer: &Caller,
    ) -> Result<Vec<SeatTicket>, Refusal> {
        let Some(visible) = self.visible_info(hosted, viewer).await? else {
            return self.replace_tickets(&**hosted, targets).await;
        };
        let seats = match targets {
            TicketTargets::Vacant => self.visibly_vacant_seats(&**hosted, &visible).await?,
            TicketTargets::Seats(_) => {
                let seats = targets.resolve_seats(&**hosted)?;
                let offered = self.offered_seats(&**hosted).await?;
                if let Some(seat) = seats.intersection(&offered).next() {
                    return Err(seat_offered(*seat));
                }
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
        Ok(with_decoy_tickets(hosted.id(), &seats, issued))
    }

    /// Ends the time in which a seat's bot can join or reconnect. The result does not reveal to a
    /// delayed viewer whether the bot is connected, or whether the match has ended.
    ///
    /// # Errors
    /// Returns an error if the bot is connected, the match has ended, or the change cannot be
    /// stored.
    pub async fn expire_seat_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        (seat, why): (Seat, String),
        viewer: &Caller,
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
    /// Returns an error if the match cannot be read.
    pub async fn previous_result_for(
        self: &Arc<Self>,
        previous: CreatedMatch,
        viewer: &Caller,
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
        let seats = self.visibly_vacant_seats(&*hosted, &visible).await?;
        Ok(CreatedMatch {
            tickets: with_decoy_tickets(&id, &seats, previous.tickets),
            info: visible,
            existed: true,
        })
    }

    /// Returns the delayed state of the match for `viewer`. Returns `None` if the viewer sees the
    /// match without a delay, or the delay has ended.
    ///
    /// # Errors
    /// Returns an error if another node serves the delayed view, or the serving node cannot be
    /// determined.
    async fn visible_info(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        viewer: &Caller,
    ) -> Result<Option<MatchInfo>, Refusal> {
        let delayed = self.delayed_info(hosted, viewer).await?;
        Ok(delayed.map(|(_, visible)| visible))
    }

    /// Returns the same as [`visible_info`](Self::visible_info), and the cursor of the match.
    async fn delayed_info(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        viewer: &Caller,
    ) -> Result<Option<(Arc<VisibilityCursor>, MatchInfo)>, Refusal> {
        let Some(cursor) = self.cursor_for(hosted, viewer).await? else {
            return Ok(None);
        };
        let visible = cursor.delayed_state().map(|state| state.info().clone());
        Ok(visible.map(|visible| (cursor, visible)))
    }

    /// Returns the seats that would get tickets according to the visible state: seats that have no
    /// bot and are not offered in a queue.
    ///
    /// # Errors
    /// Returns an error if the match cannot be read.
    async fn visibly_vacant_seats(
        &self,
        hosted: &dyn HostedMatch,
        visible: &MatchInfo,
    ) -> Result<BTreeSet<Seat>, Refusal> {
        let offered = self.offered_seats(hosted).await?;
        let seats = hosted.facts().seats.seats();
        Ok(seats
            .filter(|seat| !has_visible_bot(visible, *seat) && !offered.contains(seat))
            .collect())
    }

    /// Returns the seats that were offered in queues, even if the match has ended. A finished match
    /// does not store its offers, so they are recognised by their tickets, which are derived.
    ///
    /// # Errors
    /// Returns an error if the match cannot be read.
    async fn offered_seats(&self, hosted: &dyn HostedMatch) -> Result<BTreeSet<Seat>, Refusal> {
        let (id, of_match) = (hosted.id(), hosted.facts().seats);
        if self.in_memory(id).is_some() {
            let is_offered = |seat: &Seat| self.has_seat(&self.offered_ticket(id, *seat));
            return Ok(of_match.seats().filter(is_offered).collect());
        }
        // The index of matches in memory lacks the tickets of a match that is only in the store.
        let stored = self.load_stored(id).await?;
        let tickets = stored.map_or_else(Vec::new, |stored| stored.tickets());
        let is_offered = |seat: &Seat| tickets.contains(&self.offered_ticket(id, *seat).hash());
        Ok(of_match.seats().filter(is_offered).collect())
    }
}

/// Returns whether a bot has visibly joined the seat.
fn has_visible_bot(visible: &MatchInfo, seat: Seat) -> bool {
    let seat = visible.seats.get(seat.index());
    seat.is_some_and(|seat| !seat.bot_name.is_empty())
}

/// Returns one ticket for each seat: the issued ticket, or an invalid one. A viewer can distinguish
/// them only by trying to join.
fn with_decoy_tickets(
    id: &MatchId,
    seats: &BTreeSet<Seat>,
    mut issued: Vec<SeatTicket>,
) -> Vec<SeatTicket> {
    for seat in seats {
        if !issued.iter().any(|ticket| ticket.seat == u32::from(seat.number())) {
            issued.push(Ticket::generate(id).for_seat(*seat));
        }
    }
    issued.sort_by_key(|ticket| ticket.seat);
    issued
}
