//! A ladder that runs on this server: its model behind a lock, its store, and the notification of
//! watchers.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use bridgemaster_ladder::{AttendingBot, BotVersion, Ladder, LadderEntry, State};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{self, LadderReplays, LadderState};
use bridgemaster_store::{LadderChange, LadderId, Store, StoreError, Write};
use parking_lot::Mutex;
use tokio::sync::{Notify, broadcast, watch};

use super::{
    capacity::{CapacityExceeded, ServerVersionCount},
    change_queue::ChangeQueue,
    in_play::InPlay,
    model::LadderModel,
    rows::LadderDescription,
};
use crate::wall_clock::now_unix_ms;

/// The number of matches by which a watcher can lag behind before it misses some.
const WATCHER_BUFFER_MATCHES: usize = 256;

/// A ladder counts as settled once the order of its best ten bots is known at 95 % confidence.
const SETTLED_TOP_AND_CONFIDENCE: (usize, f64) = (10, 0.95);

/// A ladder that runs on this server, with its model behind a lock, its store and its watchers.
pub(crate) struct LiveLadder {
    id: LadderId,
    store: Arc<dyn Store>,
    /// The term in which this server leads the ladder.
    pub(super) term: u64,
    /// Shared by all ladders on the server.
    pub(super) version_count: ServerVersionCount,
    /// Runs one change at a time, from its decision until it is stored and applied.
    pub(super) change_queue: ChangeQueue,
    model: Mutex<LadderModel>,
    in_play: Mutex<InPlay>,
    /// Whether a commit has failed, so that the store might contain changes that the model lacks.
    needs_reload: AtomicBool,
    /// Notified when the runner has something to do.
    wake: Notify,
    /// Counts changes that watchers see.
    changes: watch::Sender<u64>,
    /// Counts changes to rated results.
    results: watch::Sender<u64>,
    /// The numbers of matches that were created or have ended.
    matches: broadcast::Sender<u64>,
}

impl LiveLadder {
    /// Creates a ladder in the store.
    ///
    /// # Errors
    /// When a ladder of this name exists, or the store fails.
    pub(super) async fn create(
        id: LadderId,
        description: LadderDescription,
        store: Arc<dyn Store>,
        version_count: ServerVersionCount,
    ) -> Result<Arc<Self>, StoreError> {
        let value = description.to_bytes();
        let term = 1;
        let changes = [
            LadderChange::Open { value },
            LadderChange::StartTerm { term },
        ];
        let changes = changes.map(|change| Write::ChangeLadder {
            ladder_id: id.clone(),
            change,
        });
        store.commit(changes.to_vec()).await?;
        let ladder = Ladder::new(description.rules(), description.state());
        let model = LadderModel::new(description, ladder);
        Ok(Self::from_model(id, term, store, model, version_count))
    }

    /// Creates a ladder that this server leads in this term.
    pub(super) fn from_model(
        id: LadderId,
        term: u64,
        store: Arc<dyn Store>,
        model: LadderModel,
        version_count: ServerVersionCount,
    ) -> Arc<Self> {
        version_count.add(model.versions.len());
        Arc::new(Self {
            id,
            store,
            term,
            version_count,
            change_queue: ChangeQueue::spawn(),
            model: Mutex::new(model),
            in_play: Mutex::default(),
            needs_reload: AtomicBool::new(false),
            wake: Notify::new(),
            changes: watch::Sender::new(0),
            results: watch::Sender::new(0),
            matches: broadcast::Sender::new(WATCHER_BUFFER_MATCHES),
        })
    }

    pub(crate) fn id(&self) -> &LadderId {
        &self.id
    }

    /// Returns who is allowed to read the replays, and whether the ladder is closed.
    pub(crate) fn replays(&self) -> (LadderReplays, bool) {
        self.with_model(|model| {
            let ladder = &model.description.ladder;
            (ladder.replays(), ladder.state() == LadderState::Closed)
        })
    }

    pub(super) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Completes when the runner has work, including work that arrived since the previous
    /// completion.
    pub(super) async fn wait_for_work(&self) {
        self.wake.notified().await;
    }

    /// Subscribes to changes, and to matches by their numbers.
    pub(crate) fn subscribe(&self) -> (watch::Receiver<u64>, broadcast::Receiver<u64>) {
        (self.changes.subscribe(), self.matches.subscribe())
    }

    /// Subscribes to changes to rated results.
    pub(super) fn subscribe_results(&self) -> watch::Receiver<u64> {
        self.results.subscribe()
    }

    /// Notifies the task that fits ratings.
    pub(super) fn notify_fitting(&self) {
        self.results.send_modify(|revision| *revision += 1);
    }

    pub(super) fn with_model<T>(&self, f: impl FnOnce(&mut LadderModel) -> T) -> T {
        f(&mut self.model.lock())
    }

    /// Notifies the task that runs the ladder.
    pub(super) fn notify_runner(&self) {
        self.wake.notify_one();
    }

    /// Notifies all watchers of a change.
    pub(super) fn notify_watchers(&self) {
        self.changes.send_modify(|revision| *revision += 1);
    }

    /// Publishes a match to all watchers.
    pub(super) fn publish_match(&self, number: u64) {
        // The ladder might have no watchers.
        let _ = self.matches.send(number);
        self.notify_watchers();
    }

    /// Records that a match has ended, and notifies the runner if the match belongs to the ladder.
    pub(super) fn mark_ended(&self, id: &MatchId) {
        if self.in_play.lock().mark_ended(id) {
            self.notify_runner();
        }
    }

    pub(super) fn with_in_play<T>(&self, f: impl FnOnce(&mut InPlay) -> T) -> T {
        f(&mut self.in_play.lock())
    }

    /// Checks that a version has entered, or that there is capacity for it.
    pub(super) fn check_capacity(&self, bot: &BotVersion) -> Result<(), CapacityExceeded> {
        self.with_model(|model| {
            if model.versions.contains_key(bot) {
                return Ok(());
            }
            model.check_capacity(bot, &self.version_count)
        })
    }

    /// Sets the versions that are present.
    pub(super) fn set_present(&self, present: &[AttendingBot]) {
        let now_ms = now_unix_ms().unsigned_abs();
        self.with_model(|model| model.ladder.set_present(present, now_ms));
    }

    /// Records that the match with this number was created.
    pub(super) fn mark_created(&self, number: u64, id: &MatchId) {
        self.with_model(|model| {
            if let Some(open) = model.open.get_mut(&number) {
                open.match_id = Some(id.clone());
                self.in_play.lock().mark_created(number, id);
            }
        });
        self.publish_match(number);
    }

    /// Returns the standings of all versions.
    pub(super) fn all_standings(&self) -> Vec<LadderEntry> {
        self.with_model(|model| model.ladder.entries().cloned().collect())
    }

    /// Returns whether the store might contain changes that the model lacks.
    pub(super) fn needs_reload(&self) -> bool {
        self.needs_reload.load(Ordering::Relaxed)
    }

    pub(super) fn set_needs_reload(&self, needs_reload: bool) {
        self.needs_reload.store(needs_reload, Ordering::Relaxed);
    }

    /// Returns whether the closing round has ended, so that the ladder has to be closed.
    pub(super) fn is_round_over(&self) -> bool {
        self.with_model(|model| {
            matches!(model.ladder.state(), State::Frozen { .. }) && model.ladder.is_round_over()
        })
    }

    /// Returns whether the ladder is closed, its last match has ended, and its ratings are final.
    pub(super) fn is_over(&self) -> bool {
        let is_played =
            self.with_model(|model| model.ladder.state() == State::Closed && model.open.is_empty());
        is_played && self.is_fitted()
    }

    /// Converts the ladder to its message.
    pub(crate) fn to_wire(&self) -> v1::Ladder {
        let (ladder, counts, table) = self.with_model(|model| {
            let ladder = model.description.ladder.clone();
            (ladder, model.ladder.counts(), model.ladder.table())
        });
        let (best, confidence) = SETTLED_TOP_AND_CONFIDENCE;
        v1::Ladder {
            matches: counts.counted,
            annulled_matches: counts.annulled,
            settled: table.is_settled(best, confidence),
            ..ladder
        }
    }
}
