//! The end of a match among all matches of a server: by a call, by its clock, or because it is
//! cancelled.

use bridgemaster_games::Seat;
use bridgemaster_match::{Cancellation, MatchId};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason};
use bridgemaster_store::KeyName;

use super::Matches;
use crate::{
    hosting::{
        HostedMatch,
        hosted_match::{Ended, Outcome, ReplayBytes},
    },
    journal::NotStored,
    refusal::Refusal,
};

impl Matches {
    /// Notes the end of a match by a call, if it ended, and gives the rest of what came of
    /// the call.
    pub(in crate::hosting) fn note_end<T>(&self, outcome: Outcome<T>) -> T {
        if let Some(ended) = outcome.ended {
            self.ended(ended);
        }
        outcome.value
    }

    /// Cancels a match, and gives what is known of it once that is stored.
    pub(crate) async fn cancel(
        &self,
        hosted: &dyn HostedMatch,
        why: Cancellation,
    ) -> Result<MatchInfo, Refusal> {
        let not_stored = |NotStored| Refusal::storage_failed();
        match self.note_end(hosted.cancel(why)) {
            Ok(info) => info.shown().await.map_err(not_stored),
            Err(refusal) => Err(refusal.shown().await.unwrap_or_else(not_stored)),
        }
    }

    /// Cancels the match of this identifier, if it is in play: because of the bot to which the seat
    /// `of` was offered, or of nobody.
    pub(crate) async fn cancel_offered(
        &self,
        id: &MatchId,
        of: Option<Seat>,
        reason: String,
    ) -> Result<(), Refusal> {
        let Some(hosted) = self.held(id) else {
            return Ok(());
        };
        let why = Cancellation {
            reason,
            by: None,
            declined: of,
        };
        match self.cancel(&*hosted, why).await {
            Err(refusal) if refusal.reason() != RefusalReason::MatchEnded => Err(refusal),
            _ => Ok(()),
        }
    }

    /// A match has ended; its replay is written when its gate is open.
    fn ended(&self, ended: Ended) {
        let Ended {
            id,
            maker,
            has_replay,
            gate,
        } = ended;
        for listener in self.listeners() {
            listener.over(&id, gate.as_ref());
        }
        if let (Some(keeper), true) = (&self.replays, has_replay)
            && let Some(ReplayBytes::Here(replay)) =
                self.held(&id).map(|hosted| hosted.course().whole_replay())
        {
            keeper.enqueue(id.clone(), replay.into_value(), gate);
        }
        let forgotten = self.roster().end(&id, self.limits().ended_matches_kept);
        // Dropped here, outside the lock.
        drop(forgotten);
        self.leave(maker.as_ref());
    }

    /// Gives up a place among the matches that wait or run.
    pub(in crate::hosting) fn leave(&self, maker: Option<&KeyName>) {
        let mut roster = self.roster();
        roster.leave(maker);
        if roster.is_empty() {
            self.emptied.notify_waiters();
        }
    }
}
