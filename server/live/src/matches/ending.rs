//! Ends matches, waits until none is open, and releases matches to other nodes.

use std::sync::Arc;

use bridgemaster_edge::refusal::Refusal;
use bridgemaster_games::Seat;
use bridgemaster_match::{Cancellation, MatchId};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason};
use bridgemaster_store::{KeyName, Nodes, StoreError};
use tokio::{select, task::yield_now};

use super::{BATCH_SIZE, Matches};
use crate::{
    HostedMatch,
    hosted_match::{Ended, ReplayBytes},
    journal::Journal,
    refusals::check_seat,
};

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

impl Matches {
    /// Completes when no match is open.
    pub async fn until_idle(&self) {
        loop {
            let idle = self.idle.notified();
            tokio::pin!(idle);
            idle.as_mut().enable();
            if self.match_index().is_empty() {
                return;
            }
            idle.await;
        }
    }

    /// Completes when streams must end, because the server stops or its lease has lapsed.
    pub async fn until_interrupted(&self) -> Refusal {
        let stopping = self.lifecycle().stop_token();
        let lapsed = async {
            match self.cluster() {
                Some(cluster) => cluster.lease_lapsed().await,
                None => std::future::pending().await,
            }
        };
        select! {
            biased;
            () = stopping.cancelled() => self.lifecycle().stop_refusal(),
            refusal = lapsed => refusal,
        }
    }

    /// Returns at most `count` matches that another node can continue, newest first.
    pub async fn movable_matches(&self, count: usize) -> Vec<Arc<dyn HostedMatch>> {
        let (mut some, mut before) = (Vec::new(), None);
        loop {
            let older = self.match_index().list_before(before.as_ref(), None, BATCH_SIZE);
            let Some(last) = older.last() else {
                return some;
            };
            before = Some(last.id().clone());
            some.extend(older.into_iter().filter(|hosted| hosted.is_movable()));
            if some.len() >= count {
                some.truncate(count);
                return some;
            }
            // Yields to other tasks while the lock is not held.
            yield_now().await;
        }
    }

    /// Releases matches to other nodes, and then closes their streams. Returns the number of
    /// released matches, not counting matches that have ended in the meantime.
    ///
    /// # Errors
    /// Returns an error if the store fails; the matches stay parked.
    pub async fn release(
        &self,
        some: Vec<Arc<dyn HostedMatch>>,
        journal: &Journal,
        nodes: &dyn Nodes,
    ) -> Result<usize, StoreError> {
        let leaving: Vec<_> = some.into_iter().filter(|one| one.park()).collect();
        // All inputs are committed before the matches are released.
        journal.flush().await;
        let ids: Vec<MatchId> = leaving.iter().map(|one| one.id().clone()).collect();
        nodes.release(&ids).await?;
        for one in &leaving {
            let released = self.match_index().remove(one.id());
            // The released match is dropped outside the lock.
            drop(released);
            one.hand_off();
            self.release_slot(one.facts().maker.as_ref());
        }
        Ok(leaving.len())
    }
}
