//! What those are told who change a match that they see late: nothing that they do not see. On a server
//! without keys everybody may change a match, and sees it late.

use std::sync::Arc;

use bridgemaster_match::{Cancellation, MatchId};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason, SeatTicket};

use super::{
    super::{HostedMatch, Made, Matches, ShownMatch as _, Viewer, Wanted},
    LateMatch,
};
use crate::{journal::NotStored, refusal::Refusal};

impl Matches {
    /// Cancels a match, and gives what `viewer` sees of it then. Who sees it late is not told
    /// whether it had ended.
    ///
    /// # Errors
    /// When it has ended; when that cannot be stored.
    pub(crate) async fn cancel_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        why: Cancellation,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<MatchInfo, Refusal> {
        let late = self.still_late_for(hosted, viewer).await?;
        let cancelled = self.cancel(&**hosted, why).await;
        match (late, cancelled) {
            // Nothing is late of one that never started.
            (Some(_), Ok(info)) if info.started_unix_ms == 0 => Ok(info),
            (Some(late), Ok(_)) => seen(&late).await,
            (Some(late), Err(refusal)) if tells_the_end(&refusal) => seen(&late).await,
            (_, cancelled) => cancelled,
        }
    }

    /// Gives seats new tickets. Who sees the match late is not told which bots have come, nor whether
    /// it is over.
    ///
    /// # Errors
    /// When a seat gets none; when that cannot be stored.
    pub(crate) async fn replace_tickets_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        wanted: Wanted,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<Vec<SeatTicket>, Refusal> {
        let late = self.still_late_for(hosted, viewer).await?;
        let are_optional = matches!(wanted, Wanted::Vacant);
        let replaced = self.replace_tickets(&**hosted, wanted).await;
        match (late, replaced) {
            (Some(_), Err(refusal)) if tells_the_end(&refusal) && are_optional => Ok(Vec::new()),
            (Some(late), Err(refusal))
                if tells_the_end(&refusal) || refusal.reason() == RefusalReason::SeatTaken =>
            {
                Err(no_new_tickets(&late))
            }
            (_, replaced) => replaced,
        }
    }

    /// A match that an earlier call made, as `viewer` sees it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) async fn made_for(
        self: &Arc<Self>,
        made: Made,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<Made, Refusal> {
        // It has one that was made here.
        let Ok(id) = MatchId::new(made.info.match_id.as_str()) else {
            return Ok(made);
        };
        let Some(hosted) = self.known(&id).await? else {
            return Ok(made);
        };
        match self.still_late_for(&hosted, viewer).await? {
            None => Ok(made),
            Some(late) => Ok(Made {
                info: seen(&late).await?,
                ..made
            }),
        }
    }

    /// The match as `viewer` sees it, if anything of it is late.
    ///
    /// # Errors
    /// When another server shows it late to him; or when that cannot be told.
    async fn still_late_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<Option<Arc<LateMatch>>, Refusal> {
        let Some(late) = self.late_for(hosted, viewer).await? else {
            return Ok(None);
        };
        late.looked_at().await;
        Ok((!late.is_over()).then_some(late))
    }
}

async fn seen(late: &LateMatch) -> Result<MatchInfo, Refusal> {
    let info = late.info().shown().await;
    info.map_err(|NotStored| Refusal::storage_failed())
}

/// Whether a refusal tells that a match is over.
fn tells_the_end(refusal: &Refusal) -> bool {
    matches!(
        refusal.reason(),
        RefusalReason::MatchEnded | RefusalReason::MatchCancelled
    )
}

/// The refusal of new tickets to those who see a match late.
fn no_new_tickets(late: &LateMatch) -> Refusal {
    let message = format!(
        "spectators see this match {} s late: a seat gets no new ticket, and why is not told before",
        late.delay.as_secs_f64()
    );
    Refusal::new(RefusalReason::SeatTaken, message)
}
