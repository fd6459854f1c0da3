//! Handles ended matches: releases slots, queues replays and notifies listeners.

use bridgemaster_edge::refusal::Refusal;
use bridgemaster_games::Seat;
use bridgemaster_match::{Cancellation, MatchId};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason};
use bridgemaster_store::KeyName;

use super::Matches;
use crate::{HostedMatch, hosted_match::ReplayBytes, match_end::Ended, refusals::check_seat};

impl Matches {
    /// Cancels a match, and returns its state once the cancellation is committed.
    pub async fn cancel(
        &self,
        hosted: &dyn HostedMatch,
        why: Cancellation,
    ) -> Result<MatchInfo, Refusal> {
        hosted.cancel(why).committed().await?
    }

    /// Ends the time in which a seat's bot can join or reconnect. Returns once the change is
    /// committed.
    pub async fn expire_seat(
        &self,
        hosted: &dyn HostedMatch,
        seat: Seat,
        why: String,
    ) -> Result<(), Refusal> {
        check_seat("seat", seat, hosted.facts().seats)?;
        hosted.expire_seat(seat, why).committed().await?
    }

    /// Cancels a match in play whose offer was not accepted. `declined` is the seat whose bot
    /// declined the offer, if any.
    pub async fn cancel_offered(
        &self,
        id: &MatchId,
        declined: Option<Seat>,
        reason: String,
    ) -> Result<(), Refusal> {
        let Some(hosted) = self.in_memory(id) else {
            return Ok(());
        };
        let why = Cancellation { reason, by: None, declined };
        match self.cancel(&*hosted, why).await {
            Err(refusal) if refusal.reason() != RefusalReason::MatchEnded => Err(refusal),
            _ => Ok(()),
        }
    }

    /// Notifies listeners that a match has ended, and queues its replay. The replay is written once
    /// the end is committed.
    pub(crate) fn handle_end(&self, ended: Ended) {
        let Ended { id, maker, has_replay, gate } = ended;
        for listener in self.listeners() {
            listener.on_match_over(&id, gate.as_ref());
        }
        if let (Some(keeper), true) = (&self.replays, has_replay)
            && let Some(hosted) = self.in_memory(&id)
            && let ReplayBytes::InMemory(replay) = hosted.full_replay()
        {
            let hold = self.withhold_reason_of(hosted.facts(), 0);
            keeper.enqueue(id.clone(), replay.into_value(), gate, hold);
        }
        let evicted = self.match_index().mark_ended(&id, self.limits().ended_matches_kept);
        // The evicted match is dropped outside the lock.
        drop(evicted);
        self.release_slot(maker.as_ref());
    }

    /// Releases the slot of an open match.
    pub(crate) fn release_slot(&self, maker: Option<&KeyName>) {
        let mut match_index = self.match_index();
        match_index.release_slot(maker);
        if match_index.is_empty() {
            self.idle.notify_waiters();
        }
    }
}
