//! What is not here because another server has it.

use std::sync::Arc;

use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{MatchConfig, RefusalReason};
use bridgemaster_store::StoreError;
use tracing::error;

use super::{Begun, HostedMatch, Made, Making, Matches, Ticket, late::noted, roster::OPEN_MATCHES};
use crate::refusal::Refusal;

impl Matches {
    /// Whether what spans matches is kept here.
    pub(crate) fn leads(&self) -> bool {
        self.cluster().is_none_or(|cluster| cluster.leads())
    }

    /// Makes sure that what spans matches is kept here.
    ///
    /// # Errors
    /// Where it is kept.
    pub(crate) async fn check_leads(&self) -> Result<(), Refusal> {
        match self.cluster() {
            Some(cluster) => cluster.check_leads().await,
            None => Ok(()),
        }
    }

    /// Makes sure that a match that is not here is not played by another server.
    pub(super) async fn check_is_nowhere_else(&self, id: &MatchId) -> Result<(), Refusal> {
        match self.cluster() {
            Some(cluster) => cluster.check_is_nowhere_else(id).await,
            None => Ok(()),
        }
    }

    /// Makes a match as [`create`](Self::create) does; where there is no place for it here, or little
    /// room here and plenty elsewhere, tells which node has room.
    pub(crate) async fn create_or_place(
        self: &Arc<Self>,
        config: &MatchConfig,
        making: Making,
    ) -> Result<Made, Refusal> {
        // What spans matches is made where that is kept.
        let cluster = self.cluster().filter(|_| !making.spans_matches());
        let Some(cluster) = cluster else {
            return self.create(config, making).await;
        };
        // One that is there is told of here.
        let turn = match self.begin_making(making.request.as_ref()).await? {
            Begun::Before(made) => return Ok(made),
            Begun::Now(turn) => turn,
        };
        let open = self.roster().open_count();
        if let Some(elsewhere) = cluster.place_better(open).await {
            return Err(elsewhere);
        }
        match self.make(config, making, turn).await {
            Err(reason) if self.is_without_place(&reason) => {
                Err(cluster.place_elsewhere(reason).await)
            }
            made => made,
        }
    }

    /// Whether another server might make the match that is refused for this reason.
    fn is_without_place(&self, reason: &Refusal) -> bool {
        let is_full = reason.is_servers_own() && reason.named("limit") == Some(OPEN_MATCHES);
        // One that has lost its matches knows nothing of others.
        let drains = reason.reason() == RefusalReason::ServerStopping
            && self
                .journal()
                .is_none_or(|journal| journal.failure().is_none());
        is_full || drains
    }

    /// Looks for the match of a ticket that is of none here: whether it is here now, since it has
    /// ended, wherever it was played.
    ///
    /// # Errors
    /// Where it is played, if another server has it.
    pub(crate) async fn find_elsewhere(self: &Arc<Self>, ticket: &Ticket) -> Result<bool, Refusal> {
        let Some((_, id)) = self.cluster().zip(ticket.match_id()) else {
            return Ok(false);
        };
        if self.held(&id).is_some() {
            return Ok(false);
        }
        // Before the look at what has ended: a match that ends meanwhile is found by one of the two.
        // In turn with others who read: anybody can show a ticket that was never given out.
        let turn = self.reading().turn().await?;
        self.check_is_nowhere_else(&id).await?;
        drop(turn);
        let Some(ended) = self.stored_match(&id).await? else {
            return Ok(false);
        };
        let is_here = self.check_is_shown_here(&ended).await;
        if !ended.tickets().contains(&ticket.hash()) {
            // Whether it has ended is told to nobody who only knows its identifier.
            return is_here.map(|()| false);
        }
        self.remember(ended, is_here.is_ok());
        Ok(true)
    }

    /// Makes sure that no other server shows a match late: for those who see it late it is still
    /// played there, and a call is answered as if it was.
    ///
    /// # Errors
    /// Where it is shown; or when that cannot be told.
    pub(super) async fn check_is_shown_here(
        &self,
        hosted: &dyn HostedMatch,
    ) -> Result<(), Refusal> {
        let sharing = self.cluster().filter(|cluster| cluster.is_shared());
        let Some((cluster, journal)) = sharing.zip(self.journal()) else {
            return Ok(());
        };
        if !hosted.may_be_late_elsewhere() {
            return Ok(());
        }
        let noted = journal.store().note(&noted::name(hosted.id())).await;
        match noted.map(|note| note.and_then(|note| noted::node(&note))) {
            Ok(Some(node)) => cluster.check_is_not_at(&node).await,
            // Nothing is late any more; or where it is shown cannot be known, and it is late here.
            Ok(None) | Err(StoreError::Damaged { .. }) => Ok(()),
            Err(error) => {
                error!(%error, "the store cannot be read");
                Err(Refusal::storage_failed())
            }
        }
    }
}
