//! One ladder of a server: its lock, its store, and what changes it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use bridgemaster_ladder::{BotVersion, Ladder, Presence, Standing, State};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{self, LadderReplays, LadderState};
use bridgemaster_store::{LadderChange, LadderId, Store, StoreError, Write};
use parking_lot::Mutex;
use tokio::sync::{Notify, broadcast, watch};

use super::{
    entering::{AllVersions, NoRoom},
    in_play::InPlay,
    known::Known,
    rows::Description,
    turns::Turns,
};
use crate::wall_clock::now_unix_ms;

/// News of matches that a watcher may be behind before it misses some.
const NEWS_KEPT: usize = 256;

/// The best whose order is to hold for a ladder to be settled, and how surely.
const SETTLED: (usize, f64) = (10, 0.95);

/// A ladder.
pub(crate) struct LiveLadder {
    id: LadderId,
    store: Arc<dyn Store>,
    /// In which this server leads it.
    pub(super) term: u64,
    /// Those of the other ladders too.
    pub(super) all_versions: AllVersions,
    /// From a decision until it is stored and taken in.
    pub(super) turns: Turns,
    known: Mutex<Known>,
    in_play: Mutex<InPlay>,
    /// A commit has failed: what is stored may be more than what is known.
    is_behind: AtomicBool,
    /// Notified when there is something to do.
    wake: Notify,
    /// Counts changes that watchers are told.
    changes: watch::Sender<u64>,
    /// Counts changes of the results that count.
    results: watch::Sender<u64>,
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
        all_versions: AllVersions,
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
        let known = Known::new(description, ladder);
        Ok(Self::lead(id, term, store, known, all_versions))
    }

    /// A ladder that this server leads.
    pub(super) fn lead(
        id: LadderId,
        term: u64,
        store: Arc<dyn Store>,
        known: Known,
        all_versions: AllVersions,
    ) -> Arc<Self> {
        all_versions.add(known.versions.len());
        Arc::new(Self {
            id,
            store,
            term,
            all_versions,
            turns: Turns::begin(),
            known: Mutex::new(known),
            in_play: Mutex::default(),
            is_behind: AtomicBool::new(false),
            wake: Notify::new(),
            changes: watch::Sender::new(0),
            results: watch::Sender::new(0),
            matches: broadcast::Sender::new(NEWS_KEPT),
        })
    }

    pub(crate) fn id(&self) -> &LadderId {
        &self.id
    }

    /// Who may see its replays, and whether it is closed.
    pub(crate) fn replays(&self) -> (LadderReplays, bool) {
        self.with(|known| {
            let ladder = &known.description.ladder;
            (ladder.replays(), ladder.state() == LadderState::Closed)
        })
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

    /// Follows changes of the results that count.
    pub(super) fn follow_results(&self) -> watch::Receiver<u64> {
        self.results.subscribe()
    }

    /// Has the ratings fitted.
    pub(super) fn results_changed(&self) {
        self.results.send_modify(|revision| *revision += 1);
    }

    pub(super) fn with<T>(&self, look: impl FnOnce(&mut Known) -> T) -> T {
        look(&mut self.known.lock())
    }

    /// Wakes whoever runs it.
    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Has everybody told who watches it.
    pub(super) fn changed(&self) {
        self.changes.send_modify(|revision| *revision += 1);
    }

    /// Has everybody told of a match who watches it.
    pub(super) fn tell_of(&self, number: u64) {
        // Nobody may follow.
        let _ = self.matches.send(number);
        self.changed();
    }

    /// A match has ended; who runs the ladder is woken if it is one of its own.
    pub(super) fn over(&self, id: &MatchId) {
        if self.in_play.lock().over(id) {
            self.wake();
        }
    }

    pub(super) fn in_play<T>(&self, look: impl FnOnce(&mut InPlay) -> T) -> T {
        look(&mut self.in_play.lock())
    }

    /// Makes sure that a version has entered, or that there is room for it.
    pub(super) fn check_room(&self, bot: &BotVersion) -> Result<(), NoRoom> {
        self.with(|known| match known.versions.contains_key(bot) {
            true => Ok(()),
            false => known.check_room(bot, &self.all_versions),
        })
    }

    /// Takes in who is there.
    pub(super) fn attend(&self, there: &[Presence]) {
        let now_ms = now_unix_ms().unsigned_abs();
        self.with(|known| known.ladder.attend(there, now_ms));
    }

    /// The match of a number is there.
    pub(super) fn is_made(&self, number: u64, id: &MatchId) {
        self.with(|known| {
            if let Some(open) = known.open.get_mut(&number) {
                open.match_id = Some(id.clone());
                self.in_play.lock().is_made(number, id);
            }
        });
        self.tell_of(number);
    }

    /// How all its versions stand.
    pub(super) fn all_standings(&self) -> Vec<Standing> {
        self.with(|known| known.ladder.standings().cloned().collect())
    }

    /// Whether what is stored may be more than what is known.
    pub(super) fn is_behind(&self) -> bool {
        self.is_behind.load(Ordering::Relaxed)
    }

    pub(super) fn set_behind(&self, is_behind: bool) {
        self.is_behind.store(is_behind, Ordering::Relaxed);
    }

    /// Whether it is to be closed because its closing round is over.
    pub(super) fn is_round_over(&self) -> bool {
        self.with(|known| {
            matches!(known.ladder.state(), State::Frozen { .. }) && known.ladder.is_round_over()
        })
    }

    /// Whether it is closed, its last match is over, and its ratings are final.
    pub(super) fn is_over(&self) -> bool {
        let is_played =
            self.with(|known| known.ladder.state() == State::Closed && known.open.is_empty());
        is_played && self.is_fitted()
    }

    /// What is told of it.
    pub(crate) fn shown(&self) -> v1::Ladder {
        let (ladder, counts, table) = self.with(|known| {
            let ladder = known.description.ladder.clone();
            (ladder, known.ladder.counts(), known.ladder.table())
        });
        let (best, confidence) = SETTLED;
        v1::Ladder {
            matches: counts.counted,
            annulled_matches: counts.annulled,
            settled: table.is_settled(best, confidence),
            ..ladder
        }
    }
}
