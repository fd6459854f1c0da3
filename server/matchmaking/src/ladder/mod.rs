//! Ladders: bots attend their queues, and the server pairs the bots, plays their matches and rates
//! them.
//!
//! `bridgemaster_ladder` computes pairings, ratings and benching, without I/O. [`LiveLadder`]
//! stores each change before it applies it, so a restarted server has the same ladder. A match is
//! stored as paired before it is created, and is created with an idempotency key. So a server that
//! is killed at any moment neither loses a match nor plays one twice.

mod action_records;
mod actions;
mod admission;
mod capacity;
mod changes;
mod fitting;
mod ladders;
mod listing;
mod messages;
mod model;
mod outcome;
mod recovery;
mod rows;
mod runner;

use std::{
    collections::{HashMap, HashSet},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bridgemaster_edge::{refusal::Refusal, wall_clock::now_unix_ms};
use bridgemaster_ladder::{AttendingBot, BotVersion, Ladder, SettingsChange, State};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{self, LadderReplays, LadderState};
use bridgemaster_store::{LadderChange, LadderId, Store, StoreError, Write};
use parking_lot::Mutex;
use tokio::sync::{Notify, broadcast, mpsc, oneshot, watch};
use tracing::error;

use self::{
    capacity::{CapacityExceeded, ServerVersionCount},
    model::LadderModel,
    rows::LadderDescription,
};
pub use ladders::Ladders;
pub use listing::{EndedMatch, MatchFilter};
pub use messages::{Attendances, CSV_HEAD};
pub use rows::{LADDER_LABEL, rating_method};
pub use runner::request_unrated_match;

/// The number of matches that are buffered for a watcher. A watcher that falls further behind
/// misses some.
const WATCHER_BUFFER_MATCHES: usize = 256;

/// A ladder that runs on this server: its model behind a lock, its store and its watchers.
pub struct LiveLadder {
    id: LadderId,
    store: Arc<dyn Store>,
    /// The term in which this server leads the ladder, which each change contains.
    term: u64,
    /// The number of versions on all ladders of the server.
    version_count: ServerVersionCount,
    /// Serializes changes: the next one is planned only after this one was stored and applied.
    change_queue: ChangeQueue,
    model: Mutex<LadderModel>,
    in_play: Mutex<MatchesInPlay>,
    /// Whether a commit has failed, so that the store might contain a change that the model lacks.
    needs_reload: AtomicBool,
    /// Notified when there is work for the runner, even if it arrives before the runner waits.
    wake: Notify,
    /// Counts the changes that watchers see.
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
    /// Returns an error if a ladder of this name exists, or the store fails.
    async fn create(
        id: LadderId,
        description: LadderDescription,
        store: Arc<dyn Store>,
        version_count: ServerVersionCount,
    ) -> Result<Arc<Self>, StoreError> {
        let value = description.to_bytes();
        let term = 1;
        let changes = [LadderChange::Open { value }, LadderChange::StartTerm { term }];
        let changes = changes.map(|change| Write::ChangeLadder { ladder_id: id.clone(), change });
        store.commit(changes.to_vec()).await?;
        let ladder = Ladder::new(description.rules(SettingsChange::default()), description.state());
        let model = LadderModel::new(description, ladder);
        Ok(Self::from_model(id, term, store, model, version_count))
    }

    /// Creates a ladder that this server leads in this term.
    fn from_model(
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

    /// Returns the identifier of the ladder.
    pub fn id(&self) -> &LadderId {
        &self.id
    }

    /// Returns the access rule for replays, and whether the ladder is closed.
    pub fn replays(&self) -> (LadderReplays, bool) {
        self.with_model(|model| {
            let ladder = &model.description.ladder;
            (ladder.replays(), ladder.state() == LadderState::Closed)
        })
    }

    /// Subscribes to changes, and to matches by their numbers.
    pub fn subscribe(&self) -> (watch::Receiver<u64>, broadcast::Receiver<u64>) {
        (self.changes.subscribe(), self.matches.subscribe())
    }

    /// Notifies the task that fits ratings.
    fn notify_fitting(&self) {
        self.results.send_modify(|revision| *revision += 1);
    }

    fn with_model<T>(&self, f: impl FnOnce(&mut LadderModel) -> T) -> T {
        f(&mut self.model.lock())
    }

    /// Notifies the task that runs the ladder.
    fn notify_runner(&self) {
        self.wake.notify_one();
    }

    /// Notifies all watchers of a change.
    fn notify_watchers(&self) {
        self.changes.send_modify(|revision| *revision += 1);
    }

    /// Publishes a match to all watchers.
    fn publish_match(&self, number: u64) {
        // Fails if the ladder has no watchers.
        let _ = self.matches.send(number);
        self.notify_watchers();
    }

    /// Records that a match has ended, and notifies the runner if the match belongs to the ladder.
    fn mark_ended(&self, id: &MatchId) {
        if self.in_play.lock().mark_ended(id) {
            self.notify_runner();
        }
    }

    fn with_in_play<T>(&self, f: impl FnOnce(&mut MatchesInPlay) -> T) -> T {
        f(&mut self.in_play.lock())
    }

    /// Checks that a version has entered, or that the ladder has room for it.
    fn check_capacity(&self, bot: &BotVersion) -> Result<(), CapacityExceeded> {
        self.with_model(|model| {
            if model.versions.contains_key(bot) {
                return Ok(());
            }
            model.check_capacity(bot, &self.version_count)
        })
    }

    /// Sets the versions that are present.
    fn set_present(&self, present: &[AttendingBot]) {
        let now_ms = now_unix_ms().unsigned_abs();
        self.with_model(|model| model.ladder.set_present(present, now_ms));
    }

    /// Records that the match with this number was created.
    fn mark_created(&self, number: u64, id: &MatchId) {
        self.with_model(|model| {
            if let Some(open) = model.open.get_mut(&number) {
                open.match_id = Some(id.clone());
                self.in_play.lock().mark_created(number, id);
            }
        });
        self.publish_match(number);
    }

    /// Returns whether the store might contain changes that the model lacks.
    fn needs_reload(&self) -> bool {
        self.needs_reload.load(Ordering::Relaxed)
    }

    fn set_needs_reload(&self, needs_reload: bool) {
        self.needs_reload.store(needs_reload, Ordering::Relaxed);
    }

    /// Returns whether the closing round has ended, so that the ladder must be closed.
    fn is_round_over(&self) -> bool {
        self.with_model(|model| model.ladder.is_round_over())
    }

    /// Returns whether the ladder is closed, its last match has ended, and its ratings are final.
    fn is_over(&self) -> bool {
        let is_played =
            self.with_model(|model| model.ladder.state() == State::Closed && model.open.is_empty());
        is_played && self.is_fitted()
    }

    /// Returns the ladder's message as it was created, without later changes by organisers.
    pub fn created_ladder(&self) -> v1::Ladder {
        self.with_model(|model| model.description.ladder.clone())
    }

    /// Converts the ladder to its message.
    pub fn to_wire(&self) -> v1::Ladder {
        self.with_model(|model| {
            let counts = model.ladder.counts();
            v1::Ladder {
                matches: counts.counted,
                annulled_matches: counts.annulled,
                settled: model.ladder.is_settled(),
                ..model.edited()
            }
        })
    }
}

/// The channel to the caller that requested a match.
type Requester = oneshot::Sender<Result<MatchId, Refusal>>;

/// The matches of a ladder that were created and whose end was not applied to the model yet. They
/// have their own lock, so that the end of a match can be recorded without the lock of the ladder.
#[derive(Default)]
struct MatchesInPlay {
    numbers: HashMap<MatchId, u64>,
    /// Matches that have ended.
    ended: HashSet<MatchId>,
    /// The callers that wait for a requested match, by match number.
    requesters: HashMap<u64, Requester>,
}

impl MatchesInPlay {
    /// Adds a caller that waits for a match to be created.
    fn add_requester(&mut self, number: u64, requester: Requester) {
        self.requesters.insert(number, requester);
    }

    /// Records that a match was created, and notifies its requester.
    fn mark_created(&mut self, number: u64, id: &MatchId) {
        self.numbers.insert(id.clone(), number);
        if let Some(requester) = self.requesters.remove(&number) {
            // Fails if the requester was dropped.
            let _ = requester.send(Ok(id.clone()));
        }
    }

    /// Notifies the requester that its match cannot be created.
    fn mark_failed(&mut self, number: u64, why: Refusal) {
        if let Some(requester) = self.requesters.remove(&number) {
            let _ = requester.send(Err(why));
        }
    }

    /// Records that a match has ended. Returns whether the match belongs to the ladder.
    fn mark_ended(&mut self, id: &MatchId) -> bool {
        let is_own = self.numbers.contains_key(id);
        if is_own {
            self.ended.insert(id.clone());
        }
        is_own
    }

    /// Removes and returns the matches that have ended since the last call, ordered by match
    /// number.
    fn take_ended(&mut self) -> Vec<(u64, MatchId)> {
        let ended = std::mem::take(&mut self.ended).into_iter();
        let numbered = ended.filter_map(|id| Some((*self.numbers.get(&id)?, id)));
        let mut numbered: Vec<_> = numbered.collect();
        numbered.sort_unstable_by_key(|(number, _)| *number);
        numbered
    }

    /// Removes a match whose end was applied to the model.
    fn remove(&mut self, number: u64, id: Option<&MatchId>) {
        self.requesters.remove(&number);
        if let Some(id) = id {
            self.numbers.remove(id);
            self.ended.remove(id);
        }
    }
}

/// The number of queued changes beyond which callers wait for space.
const CAPACITY: usize = 64;

type Change = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Executes changes in order of arrival.
///
/// A queued change is completed even if its caller is dropped, for example because its stream is
/// reset. So no change is stored without being applied.
struct ChangeQueue(mpsc::Sender<Change>);

impl ChangeQueue {
    /// Spawns the task that executes changes until the queue is dropped.
    fn spawn() -> Self {
        let (sender, mut changes) = mpsc::channel::<Change>(CAPACITY);
        tokio::spawn(async move {
            while let Some(change) = changes.recv().await {
                change.await;
            }
        });
        Self(sender)
    }

    /// Executes a change and returns its result.
    ///
    /// # Errors
    /// Returns the error of the change; or [`StoreError::Closed`] if the task has ended.
    async fn run<T: Send + 'static>(
        &self,
        change: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, result) = oneshot::channel();
        let change = Box::pin(async move {
            // Fails if the caller was dropped.
            let _ = sender.send(change.await);
        });
        let sent = self.0.send(change).await;
        sent.map_err(|_| StoreError::Closed)?;
        result.await.unwrap_or(Err(StoreError::Closed))
    }
}

fn storage_failed(error: &StoreError) -> Refusal {
    error!(%error, "cannot read or write the ladder in the store; check the database or the disk");
    Refusal::storage_failed()
}
