//! Changes to a ladder. Each change is planned, stored and applied before the next one starts.

use std::sync::Arc;

use bridgemaster_edge::{refusal::Refusal, wall_clock::now_unix_ms};
use bridgemaster_ladder::{AttendingBot, BotVersion, LadderEntry, Pairing, RequestRefused};
use bridgemaster_live::IdempotentRequest;
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::LadderState;
use bridgemaster_store::{LadderChange, StoreError, Write};
use tokio::sync::oneshot;
use tracing::{info, warn};

use super::{
    LiveLadder,
    model::{LadderModel, OpenMatch},
    outcome::Outcome,
    rows::{EndedMatchRow, MatchRow, VersionRow},
};

/// Completes once a requested match has been created or its creation has failed.
pub(super) type PendingMatch = oneshot::Receiver<Result<MatchId, Refusal>>;

impl LiveLadder {
    /// Runs a change once all earlier ones are applied. The change is completed even if the caller
    /// is dropped.
    ///
    /// # Errors
    /// Returns the error of the change.
    pub(super) async fn change<T, F>(
        self: &Arc<Self>,
        change: impl FnOnce(Arc<Self>) -> F,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        self.change_queue.run(change(Arc::clone(self))).await
    }

    /// Enters the present versions that have not entered yet, and returns them.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(super) async fn enter_versions(
        self: &Arc<Self>,
        present: Vec<AttendingBot>,
    ) -> Result<Vec<LadderEntry>, StoreError> {
        self.change(|ladder| async move {
            let (rows, places) = ladder.with_model(|model| ladder.plan_entries(model, &present));
            if rows.is_empty() {
                return Ok(Vec::new());
            }
            let stored = ladder.store_versions(rows).await;
            stored.inspect_err(|_| ladder.version_count.release(places))
        })
        .await
    }

    /// Stores versions and applies them. Returns their standings.
    async fn store_versions(&self, rows: Vec<VersionRow>) -> Result<Vec<LadderEntry>, StoreError> {
        let changes = rows.iter().map(|version| self.version_change(version));
        self.commit(changes.collect()).await?;
        let standings = rows.iter().map(|version| version.standing.clone()).collect();
        self.with_model(|model| rows.into_iter().for_each(|version| model.apply_version(version)));
        self.notify_watchers();
        Ok(standings)
    }

    /// Returns the rows to store for present versions: for versions whose owner has changed, and
    /// for versions that enter now. The second value is the number of the latter, for each of which
    /// a place is reserved.
    fn plan_entries(
        &self,
        model: &LadderModel,
        present: &[AttendingBot],
    ) -> (Vec<VersionRow>, usize) {
        let (mut changed, mut new) = (Vec::new(), Vec::new());
        // Grows with each version that enters, so that the limits apply to these too.
        let mut entered = model.entered.clone();
        let now = now_unix_ms().unsigned_abs();
        for presence in present {
            // An action could have excluded the bot since it was admitted to the queue.
            if model.exclusion_reason(&presence.bot).is_some() {
                continue;
            }
            let Ok(Some(standing)) = model.ladder.admit(presence) else {
                continue;
            };
            if model.versions.contains_key(&standing.bot) {
                changed.push(model.version_row(standing));
                continue;
            }
            let versions = model.versions.len() + new.len();
            let capacity = entered.check(&standing.bot, versions, &self.version_count, now);
            if capacity.is_ok() {
                entered.record(&standing.bot.name, now);
                let mut version = model.version_row(standing);
                version.place = u32::try_from(versions).unwrap_or(u32::MAX);
                new.push(version);
            }
        }
        let places = self.version_count.reserve(new.len());
        changed.extend(new.into_iter().take(places));
        (changed, places)
    }

    /// Pairs the next match, if one can be paired, and stores the pairing. The match itself is
    /// created later, with an idempotency key that contains the match number.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(super) async fn pair_next_match(
        self: &Arc<Self>,
    ) -> Result<Option<(u64, MatchRow)>, StoreError> {
        self.change(|ladder| async move {
            match ladder.with_model(|model| model.ladder.next_match()) {
                Some(pairing) => ladder.store_pairing(pairing).await.map(Some),
                None => Ok(None),
            }
        })
        .await
    }

    /// Pairs a match that a caller requested.
    ///
    /// # Errors
    /// Returns the inner error, when the match cannot be played now; the outer error, when the
    /// store fails.
    pub(super) async fn request_match(
        self: &Arc<Self>,
        bots: Vec<BotVersion>,
    ) -> Result<Result<PendingMatch, RequestRefused>, StoreError> {
        self.change(|ladder| async move {
            let pairing = match ladder.with_model(|model| model.ladder.request_match(&bots)) {
                Ok(pairing) => pairing,
                Err(error) => return Ok(Err(error)),
            };
            let (requester, pending) = oneshot::channel();
            let number = ladder.with_model(|model| model.ladder.counts().paired);
            // The requester is added before the pairing is applied, because the match can be
            // created from then on.
            ladder.with_in_play(|in_play| in_play.add_requester(number, requester));
            let stored = ladder.store_pairing(pairing).await;
            stored.inspect_err(|_| ladder.with_in_play(|in_play| in_play.remove(number, None)))?;
            ladder.notify_runner();
            Ok(Ok(pending))
        })
        .await
    }

    async fn store_pairing(&self, pairing: Pairing) -> Result<(u64, MatchRow), StoreError> {
        let number = self.with_model(|model| model.ladder.counts().paired);
        let row = MatchRow { pairing, paired_unix_ms: now_unix_ms().unsigned_abs(), over: None };
        let pair = LadderChange::Pair { term: self.term, number, value: row.to_bytes() };
        self.commit(vec![pair]).await?;
        self.with_model(|model| {
            model.apply_pairing(number, &row);
            let open = OpenMatch { row: row.clone(), match_id: None };
            model.open.insert(number, open);
        });
        Ok((number, row))
    }

    /// Stores the end of a match, and applies it. Returns the versions whose standing has changed.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(super) async fn end_match(
        self: &Arc<Self>,
        number: u64,
        outcome: Outcome,
    ) -> Result<Vec<LadderEntry>, StoreError> {
        self.change(|ladder| async move { ladder.end_match_now(number, outcome).await }).await
    }

    async fn end_match_now(
        &self,
        number: u64,
        outcome: Outcome,
    ) -> Result<Vec<LadderEntry>, StoreError> {
        let end = outcome.end.clone();
        let open = self.with_model(|model| model.open.get(&number).cloned());
        let Some(open) = open else {
            return Ok(Vec::new());
        };
        let match_id = open.match_id.as_ref().map(MatchId::to_string);
        let match_id = match_id.unwrap_or_default();
        let faults = outcome.fault_messages(&match_id);
        let row = MatchRow {
            over: Some(EndedMatchRow {
                end: end.clone(),
                annulled_for: outcome.annulled_for,
                match_id,
                ended_unix_ms: now_unix_ms().unsigned_abs(),
                conduct: outcome.conduct,
            }),
            ..open.row
        };
        let judged: Vec<VersionRow> = self.with_model(|model| {
            let judged = model.ladder.entries_after(number, &end, row.span(), &faults);
            let judged = judged.into_iter();
            judged.map(|standing| model.version_row(standing)).collect()
        });
        let ended = LadderChange::End { term: self.term, number, value: row.to_bytes() };
        let changed = judged.iter().map(|version| self.version_change(version));
        let changes = [ended].into_iter().chain(changed);
        let mut writes = self.writes(changes.collect());
        // The idempotency key of the match is no longer needed.
        writes.push(self.creation_key(number).remove_record());
        self.write(writes).await?;
        let standings: Vec<LadderEntry> =
            judged.iter().map(|version| version.standing.clone()).collect();
        self.with_model(|model| {
            let open = model.open.remove(&number);
            let match_id = open.and_then(|open| open.match_id);
            self.with_in_play(|in_play| in_play.remove(number, match_id.as_ref()));
            model.apply_end(number, &row);
            judged.into_iter().for_each(|version| model.apply_version(version));
        });
        self.log_benched(&standings);
        self.notify_fitting();
        self.publish_match(number);
        Ok(standings)
    }

    /// Adds the ratings from the last fit to the rating histories of versions.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(super) async fn record_rating_points(self: &Arc<Self>) -> Result<(), StoreError> {
        self.change(|ladder| async move {
            let points = ladder.with_model(|model| model.due_rating_points());
            if !points.is_empty() {
                ladder.store_versions(points).await?;
            }
            Ok(())
        })
        .await
    }

    fn log_benched(&self, standings: &[LadderEntry]) {
        for standing in standings {
            if let Some(why) = &standing.benched {
                let bot = &standing.bot;
                warn!(ladder = %self.id(), bot = bot.name, version = bot.version, why, "benched a bot version");
            }
        }
    }

    /// Advances the ladder to a later state. Repeating the call has no effect.
    ///
    /// # Errors
    /// Returns the outer error, when the store fails; the inner error, which contains the current
    /// state, when the ladder is already in a later state.
    pub(super) async fn advance_state(
        self: &Arc<Self>,
        to: LadderState,
    ) -> Result<Result<(), LadderState>, StoreError> {
        self.change(|ladder| async move { ladder.advance_now(to).await }).await
    }

    async fn advance_now(&self, to: LadderState) -> Result<Result<(), LadderState>, StoreError> {
        let (mut description, paired) =
            self.with_model(|model| (model.description.clone(), model.ladder.counts().paired));
        let now = now_unix_ms().unsigned_abs();
        let state = description.ladder.state();
        if state == to {
            return Ok(Ok(()));
        }
        match to {
            LadderState::Frozen if state == LadderState::Open => {
                description.ladder.frozen_unix_ms = now;
                description.frozen_at_match = paired;
            }
            LadderState::Closed => description.ladder.closed_unix_ms = now,
            _ => return Ok(Err(state)),
        }
        description.ladder.state = to.into();
        let keep = LadderChange::Update { term: self.term, value: description.to_bytes() };
        self.commit(vec![keep]).await?;
        info!(ladder = %self.id(), state = to.as_str_name(), "ladder state changed");
        self.with_model(|model| {
            model.ladder.advance(description.state());
            model.description = description;
        });
        self.notify_runner();
        self.notify_watchers();
        Ok(Ok(()))
    }

    /// Makes a benched version active again. Returns its standing, or `None` if it is not benched.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(super) async fn unbench(
        self: &Arc<Self>,
        bot: BotVersion,
    ) -> Result<Option<LadderEntry>, StoreError> {
        self.change(|ladder| async move {
            let version = ladder.with_model(|model| {
                let standing = model.ladder.unbench(&bot)?;
                Some(model.version_row(standing))
            });
            let Some(version) = version else {
                return Ok(None);
            };
            let mut standings = ladder.store_versions(vec![version]).await?;
            ladder.notify_runner();
            Ok(standings.pop())
        })
        .await
    }

    /// Returns the idempotency key of the match with this number, which ensures that the match is
    /// created only once.
    pub(super) fn creation_key(&self, number: u64) -> IdempotentRequest {
        let created = self.with_model(|model| model.description.ladder.created_unix_ms);
        IdempotentRequest::for_ladder_match(self.id(), created, number)
    }

    fn version_change(&self, version: &VersionRow) -> LadderChange {
        LadderChange::PutVersion {
            term: self.term,
            bot_name: version.standing.bot.name.clone(),
            bot_version: version.standing.bot.version.clone(),
            value: version.to_bytes(),
        }
    }

    pub(super) async fn commit(&self, changes: Vec<LadderChange>) -> Result<(), StoreError> {
        self.write(self.writes(changes)).await
    }

    /// Commits the writes. If this fails, it is unknown whether they were stored, so the ladder is
    /// reloaded.
    async fn write(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        let committed = self.store.commit(writes).await;
        if committed.is_err() {
            self.set_needs_reload(true);
            self.notify_runner();
        }
        committed
    }

    fn writes(&self, changes: Vec<LadderChange>) -> Vec<Write> {
        let writes = changes
            .into_iter()
            .map(|change| Write::ChangeLadder { ladder_id: self.id().clone(), change });
        writes.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        task::{Context, Waker},
    };

    use bridgemaster_edge::limits::{MAX_LADDER_BOTS, MAX_VERSIONS_OF_ALL_LADDERS};
    use bridgemaster_store::{DataDir, MemoryStore, SqliteOptions, SqliteStore, Store};

    use super::*;
    use crate::ladder::{capacity::ServerVersionCount, rows::LadderDescription};

    async fn ladder(
        store: impl Store + 'static,
        version_count: ServerVersionCount,
    ) -> Arc<LiveLadder> {
        let id = bridgemaster_store::LadderId::new("league").unwrap();
        let description = LadderDescription::with_two_house_bots();
        let created = LiveLadder::create(id, description, Arc::new(store), version_count);
        created.await.unwrap()
    }

    fn presence(name: &str) -> AttendingBot {
        AttendingBot {
            bot: BotVersion::new(name, "1"),
            owner: String::new(),
            slots: 1,
            free_slots: 1,
        }
    }

    #[tokio::test]
    async fn bots_that_enter_together_stay_within_the_capacity() {
        let ladder = ladder(MemoryStore::new(), ServerVersionCount::default()).await;
        ladder.with_model(|model| {
            for bot in 0..MAX_LADDER_BOTS - 1 {
                model.entered.record(&format!("bot-{bot}"), 0);
            }
        });
        let present = ["ada", "bob", "cyd"].map(presence);
        let entered = ladder.enter_versions(present.to_vec()).await.unwrap();
        let names = entered.iter().map(|standing| &*standing.bot.name);
        assert_eq!(names.collect::<Vec<_>>(), ["ada"]);
    }

    #[tokio::test]
    async fn a_version_that_could_not_be_stored_reserves_no_place() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        let store = SqliteStore::open(&dir, SqliteOptions::default()).await;
        let quota = ServerVersionCount::default();
        let ladder = ladder(store.unwrap(), quota.clone()).await;
        ladder.store.close().await.unwrap();
        assert!(ladder.enter_versions(vec![presence("ada")]).await.is_err());
        assert_eq!(quota.reserve(MAX_VERSIONS_OF_ALL_LADDERS), MAX_VERSIONS_OF_ALL_LADDERS);
    }

    #[tokio::test]
    async fn a_change_is_completed_even_if_its_caller_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        // Commits to this store complete even if no one polls them.
        let store = SqliteStore::open(&dir, SqliteOptions::default()).await;
        let ladder = ladder(store.unwrap(), ServerVersionCount::default()).await;
        let present = ["ada", "bob", "cyd", "dan"].map(presence);
        ladder.enter_versions(present.to_vec()).await.unwrap();
        ladder.set_present(&present);
        {
            let mut dropped = pin!(ladder.pair_next_match());
            let is_done = dropped.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(is_done.is_pending(), "the call ends before its commit");
        }
        let (number, _) = ladder.pair_next_match().await.unwrap().expect("two more bots are free");
        assert_eq!(number, 1);
        assert_eq!(ladder.with_model(|model| model.open.len()), 2);
    }
}
