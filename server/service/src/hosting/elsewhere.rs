//! What is not here because another server has it.

use std::sync::Arc;

use bridgemaster_match::MatchId;

use super::{Matches, Ticket};
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
        let ended = self.stored_match(&id).await?;
        let Some(ended) = ended.filter(|ended| ended.tickets().contains(&ticket.hash())) else {
            return Ok(false);
        };
        self.remember(ended);
        Ok(true)
    }
}
