//! Finds the node that answers a call: the node that plays or serves a match, or the leader. A call
//! for another node is refused with that node's address, so that the call is forwarded.

use std::sync::Arc;

use bridgemaster_edge::refusal::Refusal;
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{MatchConfig, RefusalReason};
use bridgemaster_store::StoreError;

use super::{
    CreatedMatch, CreationStart, HostedMatch, MatchOptions, Matches, Ticket,
    delayed::delay_records, lookup::store_failed, match_index::OPEN_MATCHES_LIMIT_NAME,
};

impl Matches {
    /// Returns whether this node is the leader, which manages groups, queues and ladders.
    pub fn is_leader(&self) -> bool {
        self.cluster().is_none_or(|cluster| cluster.is_leader())
    }

    /// Checks that this node leads.
    ///
    /// # Errors
    /// Returns a refusal that names the leader.
    pub async fn check_leader(&self) -> Result<(), Refusal> {
        match self.cluster() {
            Some(cluster) => cluster.check_leader().await,
            None => Ok(()),
        }
    }

    /// Checks, for a match that is not in memory here, that no other node plays it.
    pub(super) async fn check_not_remote(&self, id: &MatchId) -> Result<(), Refusal> {
        match self.cluster() {
            Some(cluster) => cluster.check_not_remote(id).await,
            None => Ok(()),
        }
    }

    /// Creates a match like [`create`](Self::create). The call is forwarded if this node is full,
    /// or if this node is busy and another node is not.
    pub async fn create_or_forward(
        self: &Arc<Self>,
        config: &MatchConfig,
        options: MatchOptions,
    ) -> Result<CreatedMatch, Refusal> {
        // Only the leader creates matches of withheld groups.
        let cluster = self.cluster().filter(|_| !options.has_withheld_seeds());
        let Some(cluster) = cluster else {
            return self.create(config, options).await;
        };
        // The result of an earlier call is returned even by a busy node.
        let permit = match self.begin_creation(options.request.as_ref()).await? {
            CreationStart::Previous(previous) => return Ok(previous),
            CreationStart::New(permit) => permit,
        };
        let open = self.match_index().open_count();
        if let Some(forwarded) = cluster.forward_when_busy(open).await {
            return Err(forwarded);
        }
        match self.create_with_permit(config, options, permit).await {
            Err(reason) if self.is_full_refusal(&reason) => {
                Err(cluster.forward_when_full(reason).await)
            }
            result => result,
        }
    }

    /// Returns whether another node might create a match that this node refused for this reason.
    fn is_full_refusal(&self, reason: &Refusal) -> bool {
        let is_full = reason.is_server_error()
            && reason.metadata_value("limit") == Some(OPEN_MATCHES_LIMIT_NAME);
        // A server that has lost its lease cannot choose another node.
        let is_draining = reason.reason() == RefusalReason::ServerStopping
            && self.journal().is_none_or(|journal| journal.failure().is_none());
        is_full || is_draining
    }

    /// Looks up the match of a ticket that is unknown on this node. If the match has ended on any
    /// node, loads the match's tickets.
    ///
    /// # Errors
    /// Returns a refusal that names the node on which the match is in play.
    pub async fn load_tickets_if_ended(self: &Arc<Self>, ticket: &Ticket) -> Result<(), Refusal> {
        let Some((_, id)) = self.cluster().zip(ticket.match_id()) else {
            return Ok(());
        };
        if self.in_memory(&id).is_some() {
            return Ok(());
        }
        // The other nodes must be queried before the finished matches are read. In the reverse
        // order, a match that ends between the two reads would be missed. The query needs a read
        // permit, since clients can present invented tickets.
        let permit = self.read_limiter().acquire().await?;
        self.check_not_remote(&id).await?;
        drop(permit);
        let Some(ended) = self.load_stored(&id).await? else {
            return Ok(());
        };
        let is_here = self.check_view_is_local(&ended).await;
        if !ended.tickets().contains(&ticket.hash()) {
            // A caller without a valid ticket must not find out whether the match has ended.
            return is_here;
        }
        self.add_finished(ended, is_here.is_ok());
        Ok(())
    }

    /// Checks that no other node serves the delayed view of a match. To delayed viewers such a
    /// match is still in play on that node, so calls about the match are forwarded there.
    ///
    /// # Errors
    /// Returns a refusal that names that node, or a server error if the node cannot be determined.
    pub(super) async fn check_view_is_local(
        &self,
        hosted: &dyn HostedMatch,
    ) -> Result<(), Refusal> {
        let sharing = self.cluster().filter(|cluster| cluster.is_shared());
        let Some((cluster, journal)) = sharing.zip(self.journal()) else {
            return Ok(());
        };
        if !hosted.may_be_delayed_remotely() {
            return Ok(());
        }
        let record = journal.store().record(&delay_records::record_name(hosted.id())).await;
        match record.map(|record| record.and_then(|record| delay_records::serving_node(&record))) {
            Ok(Some(node)) => cluster.check_node_is_local(&node).await,
            // Either the delay has ended, or the record is damaged, in which case this node serves
            // the delayed view.
            Ok(None) | Err(StoreError::Damaged { .. }) => Ok(()),
            Err(error) => Err(store_failed(error)),
        }
    }
}
