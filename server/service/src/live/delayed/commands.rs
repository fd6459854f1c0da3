//! Commands on a match by callers who see it with a delay. The results of commands reveal nothing
//! that the delayed view does not show. The restriction matters on a server without keys, where
//! every caller may issue commands and sees matches with a delay.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_match::{Cancellation, MatchId};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason, SeatTicket};

use super::{
    super::{CreatedMatch, HostedMatch, MatchView as _, Matches, TicketTargets, Viewer},
    DelayedMatch,
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
        let delayed = self.active_delayed_view_for(hosted, viewer).await?;
        let cancelled = self.cancel(&**hosted, why).await;
        match (delayed, cancelled) {
            // A match that never started has no delay.
            (Some(_), Ok(info)) if info.started_unix_ms == 0 => Ok(info),
            (Some(delayed), Ok(_)) => visible_info(&delayed).await,
            (Some(delayed), Err(refusal)) if reveals_end(&refusal) => visible_info(&delayed).await,
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
        let delayed = self.active_delayed_view_for(hosted, viewer).await?;
        let are_optional = matches!(targets, TicketTargets::Vacant);
        let replaced = self.replace_tickets(&**hosted, targets).await;
        match (delayed, replaced) {
            (Some(_), Err(refusal)) if reveals_end(&refusal) && are_optional => Ok(Vec::new()),
            (Some(delayed), Err(refusal))
                if reveals_end(&refusal) || refusal.reason() == RefusalReason::SeatTaken =>
            {
                Err(no_new_tickets(&delayed))
            }
            (_, replaced) => replaced,
        }
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
        let delayed = self.active_delayed_view_for(hosted, viewer).await?;
        match self.expire_seat(&**hosted, seat, why).await {
            Err(refusal)
                if delayed.is_some()
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
        match self.active_delayed_view_for(&hosted, viewer).await? {
            None => Ok(previous),
            Some(delayed) => Ok(CreatedMatch {
                info: visible_info(&delayed).await?,
                ..previous
            }),
        }
    }

    /// Returns the delayed view for `viewer`, if the match is still delayed.
    ///
    /// # Errors
    /// If another node serves the delayed view, or the serving node cannot be determined.
    async fn active_delayed_view_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<Option<Arc<DelayedMatch>>, Refusal> {
        let Some(delayed) = self.delayed_view_for(hosted, viewer).await? else {
            return Ok(None);
        };
        delayed.until_ready().await;
        Ok((!delayed.is_over()).then_some(delayed))
    }
}

async fn visible_info(delayed: &DelayedMatch) -> Result<MatchInfo, Refusal> {
    Ok(delayed.info().committed().await?)
}

/// Returns whether a refusal reveals that a match has ended.
fn reveals_end(refusal: &Refusal) -> bool {
    matches!(
        refusal.reason(),
        RefusalReason::MatchEnded | RefusalReason::MatchCancelled
    )
}

/// The refusal of new tickets for delayed viewers.
fn no_new_tickets(delayed: &DelayedMatch) -> Refusal {
    let message = format!(
        "spectators see this match with a delay of {} s; a seat gets no new ticket, and the \
         reason is not visible yet",
        delayed.delay.as_secs_f64()
    );
    Refusal::new(RefusalReason::SeatTaken, message)
}
