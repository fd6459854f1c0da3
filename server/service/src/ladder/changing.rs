//! What changes a ladder: decided, stored, and then taken in, one change after the other.

use std::sync::Arc;

use bridgemaster_ladder::{BotVersion, Pairing, Presence, RequestRefused, Standing};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::LadderState;
use bridgemaster_store::{LadderChange, StoreError, Write};
use tokio::sync::oneshot;
use tracing::{info, warn};

use super::{
    LiveLadder,
    known::{Known, OpenMatch},
    outcome::Outcome,
    rows::{MatchRow, Over, Version},
};
use crate::{hosting::RepeatableRequest, refusal::Refusal, wall_clock::now_unix_ms};

/// Tells of a match that was asked for: that it is made, or why it is not.
pub(super) type Asked = oneshot::Receiver<Result<MatchId, Refusal>>;

/// Rows of versions that are to be kept.
struct Entries {
    /// They entered before.
    changed: Vec<Version>,
    /// They enter now, and each has taken a place.
    new: Vec<Version>,
}

impl LiveLadder {
    /// Lets versions enter that have not. Gives those that did.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn enter(
        self: &Arc<Self>,
        there: Vec<Presence>,
    ) -> Result<Vec<Standing>, StoreError> {
        let ladder = Arc::clone(self);
        let change = async move { ladder.enter_now(&there).await };
        self.turns.take(change).await
    }

    async fn enter_now(&self, there: &[Presence]) -> Result<Vec<Standing>, StoreError> {
        let Entries { changed, new } = self.with(|known| self.entries(known, there));
        let places = new.len();
        let rows: Vec<Version> = changed.into_iter().chain(new).collect();
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let changes = rows.iter().map(|version| self.keep_version(version));
        let committed = self.commit(changes.collect()).await;
        committed.inspect_err(|_| self.all_versions.give_back(places))?;
        let standings = rows.iter().map(|version| version.standing.clone());
        let entered = standings.collect();
        self.with(|known| rows.into_iter().for_each(|version| known.keep(version)));
        self.changed();
        Ok(entered)
    }

    /// The rows of versions that are there and have not entered, as far as there is room for them,
    /// and of those whose owner is another now. Takes places for the new ones.
    fn entries(&self, known: &Known, there: &[Presence]) -> Entries {
        let (mut changed, mut new) = (Vec::new(), Vec::new());
        // With those that enter now.
        let mut entered = known.entered.clone();
        let now = now_unix_ms().unsigned_abs();
        for presence in there {
            let Ok(Some(standing)) = known.ladder.entry(presence) else {
                continue;
            };
            if known.versions.contains_key(&standing.bot) {
                changed.push(known.row_of(standing));
                continue;
            }
            let versions = known.versions.len() + new.len();
            let has_room = entered.check(&standing.bot, versions, &self.all_versions, now);
            if has_room.is_ok() {
                entered.note(&standing.bot.name, now);
                let mut version = known.row_of(standing);
                version.place = u32::try_from(versions).unwrap_or(u32::MAX);
                new.push(version);
            }
        }
        new.truncate(self.all_versions.take(new.len()));
        Entries { changed, new }
    }

    /// Pairs the next match, if there is one, and stores it: it is to be made under its number.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn pair(self: &Arc<Self>) -> Result<Option<(u64, MatchRow)>, StoreError> {
        let ladder = Arc::clone(self);
        let change = async move { ladder.pair_now().await };
        self.turns.take(change).await
    }

    async fn pair_now(&self) -> Result<Option<(u64, MatchRow)>, StoreError> {
        match self.with(|known| known.ladder.next_match()) {
            Some(pairing) => self.take_pairing(pairing).await.map(Some),
            None => Ok(None),
        }
    }

    /// Pairs a match that somebody asks for. Gives what tells when it is made.
    ///
    /// # Errors
    /// When it cannot be played now; or, as the inner error, when the store fails.
    pub(super) async fn request(
        self: &Arc<Self>,
        bots: Vec<BotVersion>,
    ) -> Result<Result<Asked, RequestRefused>, StoreError> {
        let ladder = Arc::clone(self);
        let change = async move { ladder.request_now(&bots).await };
        self.turns.take(change).await
    }

    async fn request_now(
        &self,
        bots: &[BotVersion],
    ) -> Result<Result<Asked, RequestRefused>, StoreError> {
        let pairing = match self.with(|known| known.ladder.requested(bots)) {
            Ok(pairing) => pairing,
            Err(refused) => return Ok(Err(refused)),
        };
        let (asker, asked) = oneshot::channel();
        let number = self.with(|known| known.ladder.counts().paired);
        // Before it is known, and so before it can be made.
        self.in_play(|in_play| in_play.is_asked_for(number, asker));
        let taken = self.take_pairing(pairing).await;
        if taken.is_err() {
            self.in_play(|in_play| in_play.forget(number, None));
        }
        taken?;
        self.wake();
        Ok(Ok(asked))
    }

    async fn take_pairing(&self, pairing: Pairing) -> Result<(u64, MatchRow), StoreError> {
        let number = self.with(|known| known.ladder.counts().paired);
        let row = MatchRow {
            pairing,
            paired_unix_ms: now_unix_ms().unsigned_abs(),
            over: None,
        };
        let pair = LadderChange::Pair {
            term: self.term,
            number,
            value: row.to_bytes(),
        };
        self.commit(vec![pair]).await?;
        self.with(|known| {
            known.paired(number, &row);
            let open = OpenMatch {
                row: row.clone(),
                match_id: None,
            };
            known.open.insert(number, open);
        });
        Ok((number, row))
    }

    /// A match is over: stored, and then taken in. Gives the versions that stand otherwise now.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn end(
        self: &Arc<Self>,
        number: u64,
        outcome: Outcome,
    ) -> Result<Vec<Standing>, StoreError> {
        let ladder = Arc::clone(self);
        let change = async move { ladder.end_now(number, outcome).await };
        self.turns.take(change).await
    }

    async fn end_now(&self, number: u64, outcome: Outcome) -> Result<Vec<Standing>, StoreError> {
        let end = outcome.end.clone();
        let open = self.with(|known| known.open.get(&number).cloned());
        let Some(open) = open else {
            return Ok(Vec::new());
        };
        let match_id = open.match_id.as_ref().map(MatchId::to_string);
        let match_id = match_id.unwrap_or_default();
        let faults = outcome.told_faults(&match_id);
        let row = MatchRow {
            over: Some(Over {
                end: end.clone(),
                annulled_for: outcome.annulled_for,
                match_id,
                ended_unix_ms: now_unix_ms().unsigned_abs(),
            }),
            ..open.row
        };
        let judged: Vec<Version> = self.with(|known| {
            let judged = known.ladder.judged(number, &end, row.span(), &faults);
            let judged = judged.into_iter();
            judged.map(|standing| known.row_of(standing)).collect()
        });
        let ended = LadderChange::End {
            term: self.term,
            number,
            value: row.to_bytes(),
        };
        let kept = judged.iter().map(|version| self.keep_version(version));
        let changes = [ended].into_iter().chain(kept);
        let mut writes = self.writes(changes.collect());
        // It is never made again.
        writes.push(self.making(number).forgotten());
        self.write(writes).await?;
        let standings: Vec<Standing> = judged
            .iter()
            .map(|version| version.standing.clone())
            .collect();
        self.with(|known| {
            let open = known.open.remove(&number);
            let match_id = open.and_then(|open| open.match_id);
            self.in_play(|in_play| in_play.forget(number, match_id.as_ref()));
            known.ended(number, &row);
            judged.into_iter().for_each(|version| known.keep(version));
        });
        self.log_benched(&standings);
        self.results_changed();
        self.tell_of(number);
        Ok(standings)
    }

    /// Puts ratings on record, by the last fit.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn note_points(self: &Arc<Self>) -> Result<(), StoreError> {
        let ladder = Arc::clone(self);
        let change = async move { ladder.note_points_now().await };
        self.turns.take(change).await
    }

    async fn note_points_now(&self) -> Result<(), StoreError> {
        let points = self.with(|known| known.points());
        if !points.is_empty() {
            // What is told of how a rating went follows from the results no more than roughly, and
            // may be lost with a crash.
            let changes = points.iter().map(|version| self.keep_version(version));
            self.commit(changes.collect()).await?;
            self.with(|known| points.into_iter().for_each(|version| known.keep(version)));
        }
        Ok(())
    }

    fn log_benched(&self, standings: &[Standing]) {
        for standing in standings {
            if let Some(why) = &standing.benched {
                let bot = &standing.bot;
                warn!(ladder = %self.id(), bot = bot.name, version = bot.version, why, "a bot is benched");
            }
        }
    }

    /// Takes the ladder to its next state; a state that it has already is no change.
    ///
    /// # Errors
    /// When the store fails; or, as the inner error, where it stands, when that is a later state.
    pub(super) async fn advance(
        self: &Arc<Self>,
        to: LadderState,
    ) -> Result<Result<(), LadderState>, StoreError> {
        let ladder = Arc::clone(self);
        let change = async move { ladder.advance_now(to).await };
        self.turns.take(change).await
    }

    async fn advance_now(&self, to: LadderState) -> Result<Result<(), LadderState>, StoreError> {
        let (mut description, paired) =
            self.with(|known| (known.description.clone(), known.ladder.counts().paired));
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
        let keep = LadderChange::Keep {
            term: self.term,
            value: description.to_bytes(),
        };
        self.commit(vec![keep]).await?;
        info!(ladder = %self.id(), state = to.as_str_name(), "a ladder is in its next state");
        self.with(|known| {
            known.ladder.advance(description.state());
            known.description = description;
        });
        self.wake();
        self.changed();
        Ok(Ok(()))
    }

    /// Lets a benched version play again. Gives it; `None` if it is not benched.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn unbench(
        self: &Arc<Self>,
        bot: BotVersion,
    ) -> Result<Option<Standing>, StoreError> {
        let ladder = Arc::clone(self);
        let change = async move { ladder.unbench_now(&bot).await };
        self.turns.take(change).await
    }

    async fn unbench_now(&self, bot: &BotVersion) -> Result<Option<Standing>, StoreError> {
        let version = self.with(|known| {
            let standing = known.ladder.unbenched(bot)?;
            Some(known.row_of(standing))
        });
        let Some(version) = version else {
            return Ok(None);
        };
        self.commit(vec![self.keep_version(&version)]).await?;
        let standing = version.standing.clone();
        self.with(|known| known.keep(version));
        self.wake();
        self.changed();
        Ok(Some(standing))
    }

    /// What makes the match of a number, once.
    pub(super) fn making(&self, number: u64) -> RepeatableRequest {
        let made = self.with(|known| known.description.ladder.created_unix_ms);
        RepeatableRequest::of_ladder(self.id(), made, number)
    }

    fn keep_version(&self, version: &Version) -> LadderChange {
        LadderChange::KeepVersion {
            term: self.term,
            bot_name: version.standing.bot.name.clone(),
            bot_version: version.standing.bot.version.clone(),
            value: version.to_bytes(),
        }
    }

    async fn commit(&self, changes: Vec<LadderChange>) -> Result<(), StoreError> {
        self.write(self.writes(changes)).await
    }

    /// Commits. When that fails, it is not known whether it is stored.
    async fn write(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        let committed = self.store().commit(writes).await;
        if committed.is_err() {
            self.set_behind(true);
            self.wake();
        }
        committed
    }

    fn writes(&self, changes: Vec<LadderChange>) -> Vec<Write> {
        let writes = changes.into_iter().map(|change| Write::ChangeLadder {
            ladder_id: self.id().clone(),
            change,
        });
        writes.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        task::{Context, Waker},
    };

    use bridgemaster_store::{DataDir, MemoryStore, SqliteOptions, SqliteStore, Store};

    use super::*;
    use crate::{
        ladder::{entering::AllVersions, rows::Description},
        limits::{MAX_LADDER_BOTS, MAX_VERSIONS},
    };

    async fn ladder(store: impl Store + 'static, all_versions: AllVersions) -> Arc<LiveLadder> {
        let id = bridgemaster_store::LadderId::new("league").unwrap();
        let description = Description::of_two_house_bots();
        let made = LiveLadder::make(id, description, Arc::new(store), all_versions);
        made.await.unwrap()
    }

    fn presence(name: &str) -> Presence {
        Presence {
            bot: BotVersion::new(name, "1"),
            owner: String::new(),
            slots: 1,
            free_slots: 1,
        }
    }

    #[tokio::test]
    async fn bots_that_come_together_are_no_more_than_there_is_room_for() {
        let ladder = ladder(MemoryStore::new(), AllVersions::default()).await;
        ladder.with(|known| {
            for bot in 0..MAX_LADDER_BOTS - 1 {
                known.entered.note(&format!("bot-{bot}"), 0);
            }
        });
        let there = ["ada", "bob", "cyd"].map(presence);
        let entered = ladder.enter(there.to_vec()).await.unwrap();
        let names = entered.iter().map(|standing| &*standing.bot.name);
        assert_eq!(names.collect::<Vec<_>>(), ["ada"]);
    }

    #[tokio::test]
    async fn a_version_that_could_not_be_stored_takes_no_place() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        let store = SqliteStore::open(&dir, SqliteOptions::default()).await;
        let all = AllVersions::default();
        let ladder = ladder(store.unwrap(), all.clone()).await;
        ladder.store().close().await.unwrap();
        assert!(ladder.enter(vec![presence("ada")]).await.is_err());
        assert_eq!(all.take(MAX_VERSIONS), MAX_VERSIONS);
    }

    #[tokio::test]
    async fn a_change_whose_caller_goes_away_is_carried_out_whole() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        // Its commits go on when nobody waits for them.
        let store = SqliteStore::open(&dir, SqliteOptions::default()).await;
        let ladder = ladder(store.unwrap(), AllVersions::default()).await;
        let there = ["ada", "bob", "cyd", "dan"].map(presence);
        ladder.enter(there.to_vec()).await.unwrap();
        ladder.attend(&there);
        {
            let mut begun = pin!(ladder.pair());
            let is_done = begun.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(is_done.is_pending(), "the call ends before its commit");
        }
        let (number, _) = ladder.pair().await.unwrap().expect("there are two more");
        assert_eq!(number, 1);
        assert_eq!(ladder.with(|known| known.open.len()), 2);
    }
}
