//! One ladder of a server: its lock, its store, and what changes it.

use std::sync::Arc;

use bridgemaster_ladder::{
    BotVersion, End, Ladder, Pairing, Presence, RequestRefused, Standing, State,
};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{self, LadderState};
use bridgemaster_store::{LadderChange, LadderId, Store, StoreError, Write};
use parking_lot::Mutex;
use tokio::sync::{Notify, broadcast, watch};
use tracing::{info, warn};

use super::{
    known::{Known, OpenMatch},
    rows::{Description, MatchRow, Over, Version},
};
use crate::{hosting::RepeatableRequest, wall_clock::now_unix_ms};

/// News of matches that a watcher may be behind before it misses some.
const NEWS_KEPT: usize = 256;

/// A ladder.
pub(crate) struct LiveLadder {
    id: LadderId,
    store: Arc<dyn Store>,
    /// In which this server leads it.
    term: u64,
    /// Held from a decision until it is stored and taken in.
    changing: tokio::sync::Mutex<()>,
    known: Mutex<Known>,
    /// Notified when there is something to do.
    wake: Notify,
    /// Counts changes that watchers are told.
    changes: watch::Sender<u64>,
    /// Numbers of matches that started or are over.
    matches: broadcast::Sender<u64>,
}

impl LiveLadder {
    /// Makes a ladder.
    ///
    /// # Errors
    /// When there is one of its name, or the store fails.
    pub(super) async fn make(
        id: LadderId,
        description: Description,
        store: Arc<dyn Store>,
    ) -> Result<Arc<Self>, StoreError> {
        let value = description.to_bytes();
        let term = 1;
        let changes = [LadderChange::Open { value }, LadderChange::Lead { term }];
        let changes = changes.map(|change| Write::ChangeLadder {
            ladder_id: id.clone(),
            change,
        });
        store.commit(changes.to_vec()).await?;
        let ladder = Ladder::new(description.rules(), description.state());
        Ok(Self::lead(id, term, store, Known::new(description, ladder)))
    }

    /// A ladder that this server leads.
    pub(super) fn lead(id: LadderId, term: u64, store: Arc<dyn Store>, known: Known) -> Arc<Self> {
        Arc::new(Self {
            id,
            store,
            term,
            changing: tokio::sync::Mutex::default(),
            known: Mutex::new(known),
            wake: Notify::new(),
            changes: watch::Sender::new(0),
            matches: broadcast::Sender::new(NEWS_KEPT),
        })
    }

    pub(crate) fn id(&self) -> &LadderId {
        &self.id
    }

    pub(super) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Completes when there is something to do, or was since it was asked last.
    pub(super) async fn woken(&self) {
        self.wake.notified().await;
    }

    /// Follows changes, and matches by their numbers.
    pub(crate) fn follow(&self) -> (watch::Receiver<u64>, broadcast::Receiver<u64>) {
        (self.changes.subscribe(), self.matches.subscribe())
    }

    pub(super) fn with<T>(&self, look: impl FnOnce(&mut Known) -> T) -> T {
        look(&mut self.known.lock())
    }

    /// A match has ended; who runs the ladder is woken if it is one of its own.
    pub(super) fn over(&self, id: &MatchId) {
        let is_own = self.with(|known| {
            let mut own = known.open.values();
            let is_own = own.any(|open| open.match_id.as_ref() == Some(id));
            if is_own {
                known.ended.push(id.clone());
            }
            is_own
        });
        if is_own {
            self.wake.notify_one();
        }
    }

    /// A match has ended, and is to be taken in later.
    pub(super) fn has_ended(&self, id: MatchId) {
        self.with(|known| known.ended.push(id));
    }

    /// The matches that have ended since this was asked last, with their numbers.
    pub(super) fn take_ended(&self) -> Vec<(u64, MatchId)> {
        self.with(|known| {
            let ended = std::mem::take(&mut known.ended);
            let number = |id: &MatchId| {
                let mut open = known.open.iter();
                let found = open.find(|(_, open)| open.match_id.as_ref() == Some(id));
                found.map(|(number, _)| *number)
            };
            let numbered = ended.into_iter();
            numbered.filter_map(|id| Some((number(&id)?, id))).collect()
        })
    }

    /// Lets versions enter that have not. Gives those that did.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn enter(&self, there: &[Presence]) -> Result<Vec<Standing>, StoreError> {
        let _turn = self.changing.lock().await;
        let new: Vec<Version> = self.with(|known| {
            let entry = |presence| known.ladder.entry(presence).ok().flatten();
            let entries = there.iter().filter_map(entry);
            let rows = entries.zip(0..).map(|(standing, more)| {
                let mut version = known.row_of(standing);
                version.place += more;
                version
            });
            rows.collect()
        });
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let changes = new.iter().map(|version| self.keep_version(version));
        self.commit(changes.collect()).await?;
        let entered = new.iter().map(|version| version.standing.clone()).collect();
        self.with(|known| new.into_iter().for_each(|version| known.keep(version)));
        self.changed();
        Ok(entered)
    }

    /// Takes in who is there.
    pub(super) fn attend(&self, there: &[Presence]) {
        self.with(|known| known.ladder.attend(there));
    }

    /// Pairs the next match, if there is one, and stores it: it is to be made under its number.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn pair(&self) -> Result<Option<(u64, MatchRow)>, StoreError> {
        let _turn = self.changing.lock().await;
        match self.with(|known| known.ladder.next_match()) {
            Some(pairing) => self.take_pairing(pairing).await.map(Some),
            None => Ok(None),
        }
    }

    /// Pairs a match that somebody asks for.
    ///
    /// # Errors
    /// When it cannot be played now; or, as the inner error, when the store fails.
    pub(super) async fn request(
        &self,
        bots: &[BotVersion],
    ) -> Result<Result<(u64, MatchRow), RequestRefused>, StoreError> {
        let _turn = self.changing.lock().await;
        match self.with(|known| known.ladder.requested(bots)) {
            Ok(pairing) => self.take_pairing(pairing).await.map(Ok),
            Err(refused) => Ok(Err(refused)),
        }
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
            known.ladder.paired(&row.pairing);
            if let Some(replaced) = row.pairing.replaces {
                known.replaced.insert(replaced, number);
            }
            let open = OpenMatch {
                row: row.clone(),
                match_id: None,
            };
            known.open.insert(number, open);
        });
        Ok((number, row))
    }

    /// The match of a number is there.
    pub(super) fn is_made(&self, number: u64, id: &MatchId) {
        self.with(|known| {
            if let Some(open) = known.open.get_mut(&number) {
                open.match_id = Some(id.clone());
            }
        });
        // Nobody may follow.
        let _ = self.matches.send(number);
        self.changed();
    }

    /// A match is over: stored, and then taken in. Gives the versions that stand otherwise now.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn end(&self, number: u64, end: End) -> Result<Vec<Standing>, StoreError> {
        let _turn = self.changing.lock().await;
        let found = self.with(|known| {
            let open = known.open.get(&number)?.clone();
            let judged = known.ladder.judged(number, &end).into_iter();
            let judged: Vec<Version> = judged.map(|standing| known.row_of(standing)).collect();
            Some((open, judged))
        });
        let Some((open, judged)) = found else {
            return Ok(Vec::new());
        };
        let match_id = open.match_id.as_ref().map(MatchId::to_string);
        let row = MatchRow {
            over: Some(Over {
                end: end.clone(),
                match_id: match_id.unwrap_or_default(),
                ended_unix_ms: now_unix_ms().unsigned_abs(),
            }),
            ..open.row
        };
        let ended = LadderChange::End {
            term: self.term,
            number,
            value: row.to_bytes(),
        };
        let kept = judged.iter().map(|version| self.keep_version(version));
        let changes = [ended].into_iter().chain(kept);
        let mut writes = self.writes(changes.collect());
        // It is never made again.
        writes.push(RepeatableRequest::of_ladder(&self.id, number).forgotten());
        self.store.commit(writes).await?;
        let standings: Vec<Standing> = judged
            .iter()
            .map(|version| version.standing.clone())
            .collect();
        let points = self.with(|known| {
            known.open.remove(&number);
            known.ladder.ended(number, &end);
            judged.into_iter().for_each(|version| known.keep(version));
            match end {
                End::Played(_) => known.points(&row),
                End::Annulled(_) | End::CalledOff { .. } => Vec::new(),
            }
        });
        self.log_benched(&standings);
        if !points.is_empty() {
            // What is told of how a rating went follows from the results no more than roughly, and
            // may be lost with a crash.
            let changes = points.iter().map(|version| self.keep_version(version));
            self.commit(changes.collect()).await?;
            self.with(|known| points.into_iter().for_each(|version| known.keep(version)));
        }
        let _ = self.matches.send(number);
        self.changed();
        Ok(standings)
    }

    fn log_benched(&self, standings: &[Standing]) {
        for standing in standings {
            if let Some(why) = &standing.benched {
                let bot = &standing.bot;
                warn!(ladder = %self.id, bot = bot.name, version = bot.version, why, "a bot is benched");
            }
        }
    }

    /// Takes the ladder to its next state; a state that it has already is no change.
    ///
    /// # Errors
    /// When the store fails; or, as the inner error, where it stands, when that is a later state.
    pub(super) async fn advance(
        &self,
        to: LadderState,
    ) -> Result<Result<(), LadderState>, StoreError> {
        let _turn = self.changing.lock().await;
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
        info!(ladder = %self.id, state = to.as_str_name(), "a ladder is in its next state");
        self.with(|known| {
            known.ladder.advance(description.state());
            known.description = description;
        });
        self.wake.notify_one();
        self.changed();
        Ok(Ok(()))
    }

    /// Lets a benched version play again. Gives it; `None` if it is not benched.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn unbench(&self, bot: &BotVersion) -> Result<Option<Standing>, StoreError> {
        let _turn = self.changing.lock().await;
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
        self.wake.notify_one();
        self.changed();
        Ok(Some(standing))
    }

    /// Whether it is to be closed because its closing round is over.
    pub(super) fn is_round_over(&self) -> bool {
        self.with(|known| {
            matches!(known.ladder.state(), State::Frozen { .. }) && known.ladder.is_round_over()
        })
    }

    /// Whether it is closed, and its last match is over.
    pub(super) fn is_over(&self) -> bool {
        self.with(|known| known.ladder.state() == State::Closed && known.open.is_empty())
    }

    /// What is told of it.
    pub(crate) fn shown(&self) -> v1::Ladder {
        self.with(|known| {
            let counts = known.ladder.counts();
            let table = known.table();
            v1::Ladder {
                matches: counts.counted,
                annulled_matches: counts.annulled,
                settled: table.is_settled,
                ..known.description.ladder.clone()
            }
        })
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
        self.store.commit(self.writes(changes)).await
    }

    fn writes(&self, changes: Vec<LadderChange>) -> Vec<Write> {
        let writes = changes.into_iter().map(|change| Write::ChangeLadder {
            ladder_id: self.id.clone(),
            change,
        });
        writes.collect()
    }

    fn changed(&self) {
        self.changes.send_modify(|revision| *revision += 1);
    }
}
