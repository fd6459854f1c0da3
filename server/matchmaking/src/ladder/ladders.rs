//! The ladders of a server: creation, lookup, and recovery after a restart.

use std::{collections::BTreeMap, sync::Arc};

use bridgemaster_edge::{
    limits::{MAX_LADDERS, MAX_QUOTED_CHARS},
    metrics::DamagedValue,
    refusal::Refusal,
};
use bridgemaster_games::{Seat, with_game};
use bridgemaster_ladder::BotVersion;
use bridgemaster_live::{
    journal::CommitGate,
    {HostedMatch, MatchListener, Matches, Ticket},
};
use bridgemaster_match::MatchId;
use bridgemaster_proto::{
    games::game_id,
    v1::{self, LadderReplays, LadderState, RefusalReason, ladder_action},
};
use bridgemaster_store::{LadderId, MemoryStore, Store, StoreError, WriteRefusal};
use parking_lot::Mutex;
use tokio_util::task::AbortOnDropHandle;
use tracing::{error, info};

use super::{
    ChangeQueue, LiveLadder,
    admission::{publish_admission, publish_status, queue_rules},
    capacity::ServerVersionCount,
    fitting,
    rows::LadderDescription,
    runner, storage_failed,
};
use crate::lobby::{Lobby, QueueId};

/// The ladders of a server, by name.
#[derive(Default)]
pub struct LadderSet(Mutex<BTreeMap<LadderId, Arc<LiveLadder>>>);

impl LadderSet {
    fn all(&self) -> Vec<Arc<LiveLadder>> {
        self.0.lock().values().cloned().collect()
    }

    fn mark_ended(&self, id: &MatchId) {
        for ladder in self.all() {
            ladder.mark_ended(id);
        }
    }
}

/// Notifies ladders when their matches have ended.
pub struct LadderListener(Arc<LadderSet>);

impl MatchListener for LadderListener {
    fn on_hosted(&self, _: &dyn HostedMatch, _: &dyn Fn(Seat) -> Ticket, _: bool) {}

    fn on_joined(&self, _: &MatchId, _: Seat) {}

    fn on_match_over(&self, id: &MatchId, gate: Option<&CommitGate>) {
        match gate {
            Some(gate) if !gate.is_open() => {
                let (gate, id, set) = (gate.clone(), id.clone(), Arc::clone(&self.0));
                tokio::spawn(async move {
                    // If the end cannot be stored, the server stops, so nothing is done here.
                    if gate.wait().await.is_ok() {
                        set.mark_ended(&id);
                    }
                });
            }
            _ => self.0.mark_ended(id),
        }
    }
}

/// A server's ladders, and the tasks that run them.
pub struct Ladders {
    set: Arc<LadderSet>,
    store: Arc<dyn Store>,
    matches: Arc<Matches>,
    lobby: Arc<Lobby>,
    tasks: Mutex<Vec<AbortOnDropHandle<()>>>,
    version_count: ServerVersionCount,
    /// Serializes the creation of ladders. A creation completes even if its caller is dropped.
    change_queue: ChangeQueue,
}

impl Ladders {
    /// Creates an empty set of ladders, and the listener that notifies them.
    pub fn listener() -> (Arc<LadderSet>, Arc<LadderListener>) {
        let set = Arc::new(LadderSet::default());
        (Arc::clone(&set), Arc::new(LadderListener(set)))
    }

    /// Creates a server's ladders. Without a store they exist only as long as the server runs.
    pub fn new(
        set: Arc<LadderSet>,
        store: Option<Arc<dyn Store>>,
        matches: Arc<Matches>,
        lobby: Arc<Lobby>,
    ) -> Self {
        Self {
            set,
            store: store.unwrap_or_else(|| Arc::new(MemoryStore::new())),
            matches,
            lobby,
            tasks: Mutex::default(),
            version_count: ServerVersionCount::default(),
            change_queue: ChangeQueue::spawn(),
        }
    }

    /// Loads the stored ladders.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn recover(&self) -> Result<(), StoreError> {
        let metrics = self.matches.metrics();
        let rows = self.store.ladders().await?;
        for damage in rows.damaged {
            error!(%damage, "cannot read a ladder; it plays no matches");
            metrics.count_damaged(DamagedValue::Ladder);
        }
        for stored in rows.intact {
            let store = Arc::clone(&self.store);
            let version_count = self.version_count.clone();
            let recovered = LiveLadder::recover(stored, store, metrics, version_count).await?;
            if let Some(ladder) = recovered {
                fitting::spawn(&ladder);
                self.set.0.lock().insert(ladder.id().clone(), ladder);
            }
        }
        Ok(())
    }

    /// Opens the queues of all ladders, and starts to run them.
    pub fn run_all(&self) {
        for ladder in self.set.all() {
            self.run(&ladder);
        }
    }

    fn run(&self, ladder: &Arc<LiveLadder>) {
        if ladder.is_over() {
            return;
        }
        let Some(rules) = queue_rules(&ladder.to_wire()) else {
            error!(ladder = %ladder.id(), "read-only ladder: its name or one of its keys is invalid");
            return;
        };
        if !is_served(&ladder.to_wire()) {
            error!(
                ladder = %ladder.id(),
                "read-only ladder: this server does not play its version of the rules"
            );
            return;
        }
        let queue_id = rules.queue_id.clone();
        let opened = self.lobby.with_room(|room, _| room.open_queue(rules));
        if opened.is_err() {
            error!(
                ladder = %ladder.id(),
                "read-only ladder: a queue of another owner has its name"
            );
            return;
        }
        publish_admission(&self.lobby, ladder);
        let run = runner::run(
            Arc::clone(ladder),
            Arc::clone(&self.matches),
            Arc::clone(&self.lobby),
            queue_id,
        );
        self.tasks.lock().push(AbortOnDropHandle::new(tokio::spawn(run)));
    }

    /// Creates a ladder, and starts to run it.
    ///
    /// # Errors
    /// Returns an error if a ladder or a queue with this name exists, when there are too many
    /// ladders, or when the store fails.
    pub async fn create(
        self: &Arc<Self>,
        id: LadderId,
        ladder: v1::Ladder,
    ) -> Result<v1::Ladder, Refusal> {
        let ladders = Arc::clone(self);
        let change = async move {
            let created = ladders.store_new_ladder(id, ladder).await;
            Ok(created.map(|ladder| {
                ladders.run(&ladder);
                ladder.to_wire()
            }))
        };
        let created = self.change_queue.run(change).await;
        created.unwrap_or_else(|error| Err(storage_failed(&error)))
    }

    /// Creates a ladder that [`run_all`](Self::run_all) will start.
    ///
    /// # Errors
    /// Returns the errors of [`create`](Self::create).
    pub async fn create_stopped(
        self: &Arc<Self>,
        id: LadderId,
        ladder: v1::Ladder,
    ) -> Result<(), Refusal> {
        self.store_new_ladder(id, ladder).await.map(|_| ())
    }

    async fn store_new_ladder(
        &self,
        id: LadderId,
        ladder: v1::Ladder,
    ) -> Result<Arc<LiveLadder>, Refusal> {
        let exists = || {
            let detail = "a ladder or a queue of this name exists; choose another name";
            Refusal::field("ladder.ladder_id", detail)
        };
        if self.set.0.lock().len() >= MAX_LADDERS {
            return Err(Refusal::server_limit("ladders", MAX_LADDERS));
        }
        let rules = queue_rules(&ladder).ok_or_else(exists)?;
        let queue_id = rules.queue_id.clone();
        let opened = self.lobby.with_room(|room, _| match room.rules(&queue_id) {
            Some(_) => false,
            None => room.open_queue(rules).is_ok(),
        });
        if !opened {
            return Err(exists());
        }
        let description = LadderDescription { ladder, frozen_at_match: 0 };
        let (store, version_count) = (Arc::clone(&self.store), self.version_count.clone());
        let created = LiveLadder::create(id.clone(), description, store, version_count).await;
        let created = created.map_err(|error| {
            self.lobby.with_room(|room, _| room.close_queue(&queue_id));
            match error {
                StoreError::WriteRefused { refusal: WriteRefusal::LadderExists { .. }, .. } => {
                    exists()
                }
                error => storage_failed(&error),
            }
        })?;
        info!(ladder = %id, "created a ladder");
        fitting::spawn(&created);
        self.set.0.lock().insert(id, Arc::clone(&created));
        Ok(created)
    }

    /// Returns the ladder of this name.
    ///
    /// # Errors
    /// Returns an error if it does not exist.
    pub fn get(&self, id: &str) -> Result<Arc<LiveLadder>, Refusal> {
        self.find(id).ok_or_else(|| {
            let quoted: String = id.chars().take(MAX_QUOTED_CHARS).collect();
            let message = format!("no ladder is named {quoted:?}");
            Refusal::new(RefusalReason::LadderUnknown, message)
        })
    }

    /// Checks that a ladder publishes its replays to callers whose bots did not play in them.
    /// Admins may read all replays. If the ladder no longer exists, all of its replays are public.
    pub fn check_replays(&self, id: &str, is_admin: bool) -> Result<(), Refusal> {
        let Ok(ladder) = self.get(id) else {
            return Ok(());
        };
        let (rule, is_closed) = ladder.replays();
        let until = match rule {
            LadderReplays::Unspecified | LadderReplays::Public => return Ok(()),
            LadderReplays::AfterSeason if is_closed => return Ok(()),
            LadderReplays::AfterSeason => " until it is closed",
            LadderReplays::Participants => "",
        };
        if is_admin {
            return Ok(());
        }
        let message = format!(
            "the ladder {} publishes replays only to the owners of bots that played{until}",
            ladder.id()
        );
        Err(Refusal::new(RefusalReason::ScopeMissing, message).with("scope", "admin"))
    }

    /// Checks that a version has entered a queue's ladder, or that the ladder has capacity for it,
    /// and that no organiser excludes it. Queues without a ladder have no such limits.
    ///
    /// # Errors
    /// Returns an error if a limit on bots or versions is reached, or the bot is excluded.
    pub fn check_admission(&self, queue_id: &QueueId, bot: BotVersion) -> Result<(), Refusal> {
        match self.find(queue_id.as_str()) {
            Some(ladder) => {
                ladder.check_exclusion(&bot)?;
                Ok(ladder.check_capacity(&bot)?)
            }
            None => Ok(()),
        }
    }

    fn find(&self, id: &str) -> Option<Arc<LiveLadder>> {
        self.set.0.lock().get(&LadderId::new(id).ok()?).cloned()
    }

    /// Lists at most `count` ladders in the order of their names, starting after the name `after`.
    pub fn list(&self, after: &str, count: usize) -> Vec<v1::Ladder> {
        let all = self.set.all().into_iter();
        let after = all.filter(|ladder| ladder.id().as_str() > after);
        after.take(count).map(|ladder| ladder.to_wire()).collect()
    }

    /// Advances a ladder to a later state.
    ///
    /// # Errors
    /// Returns an error if the ladder is in a later state; or when the store fails.
    pub async fn advance_state(
        &self,
        ladder: &Arc<LiveLadder>,
        to: LadderState,
    ) -> Result<(), Refusal> {
        let advanced = ladder.advance_state(to).await;
        advanced.map_err(|error| storage_failed(&error))?.map_err(|state| {
            let state = state.as_str_name();
            let message = format!("the ladder cannot return to an earlier state: it is {state}");
            Refusal::new(RefusalReason::LadderClosed, message)
        })
    }

    /// Records an organiser's action and applies it, even if the caller is dropped in between.
    /// Returns the action; if an earlier action in effect does the same, returns that one.
    ///
    /// # Errors
    /// Returns an error if the action is not possible now; or when the store fails.
    pub async fn act(
        &self,
        ladder: &Arc<LiveLadder>,
        action: v1::LadderAction,
    ) -> Result<v1::LadderAction, Refusal> {
        let annulled = match &action.action {
            Some(ladder_action::Action::AnnulMatchId(id)) => {
                Some(ladder.annullable_match(&self.matches, id).await?)
            }
            _ => None,
        };
        let (lobby, metrics) = (Arc::clone(&self.lobby), Arc::clone(self.matches.metrics()));
        let done = ladder.act(lobby, metrics, action, annulled).await;
        done.map_err(|error| storage_failed(&error))?
    }

    /// Makes a benched version active again. Has no effect on other versions.
    ///
    /// # Errors
    /// Returns an error if an organiser excludes the bot, or the store fails.
    pub async fn unbench(&self, ladder: &Arc<LiveLadder>, bot: BotVersion) -> Result<(), Refusal> {
        ladder.check_exclusion(&bot)?;
        let unbenched = ladder.unbench(bot).await;
        let unbenched = unbenched.map_err(|error| storage_failed(&error))?;
        let queue_id = QueueId::new(ladder.id().as_str());
        if let (Some(standing), Some(queue_id)) = (unbenched, queue_id) {
            publish_status(&self.lobby, &queue_id, &standing);
        }
        Ok(())
    }

    /// Returns the server's matches.
    pub fn matches(&self) -> &Arc<Matches> {
        &self.matches
    }

    /// Returns the queues that ladder bots attend.
    pub fn lobby(&self) -> &Arc<Lobby> {
        &self.lobby
    }
}

/// Returns whether this server supports the rules version of a ladder.
fn is_served(ladder: &v1::Ladder) -> bool {
    let config = ladder.config.as_ref();
    let game = config.and_then(|config| config.game.as_ref()).and_then(game_id);
    let served = game.and_then(|game| with_game!(game, G => G::RULES_VERSION));
    served == Some(ladder.rules_version)
}
