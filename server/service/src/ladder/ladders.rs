//! The ladders of a server.

use std::{collections::BTreeMap, sync::Arc};

use bridgemaster_games::{Seat, with_game};
use bridgemaster_ladder::BotVersion;
use bridgemaster_match::MatchId;
use bridgemaster_proto::{
    games::game_id,
    v1::{self, LadderReplays, LadderState, RefusalReason},
};
use bridgemaster_store::{KeyName, LadderId, MemoryStore, Store, StoreError, WriteRefusal};
use parking_lot::Mutex;
use tokio_util::task::AbortOnDropHandle;
use tracing::{error, info};

use super::{
    LiveLadder,
    entering::AllVersions,
    fitting,
    rows::Description,
    running,
    telling::{say, storage_failed},
    turns::Turns,
};
use crate::{
    hosting::{HostedMatch, MatchListener, Matches, Ticket},
    journal::Gate,
    limits::{MAX_LADDERS, MAX_REPEATED_CHARS},
    lobby::{Lobby, QueueId, QueueRules, Standing},
    metrics::DamagedValue,
    refusal::Refusal,
};

/// The ladders of a server, by name. It is told which matches are over.
#[derive(Default)]
pub(crate) struct LadderSet(Mutex<BTreeMap<LadderId, Arc<LiveLadder>>>);

impl LadderSet {
    fn all(&self) -> Vec<Arc<LiveLadder>> {
        self.0.lock().values().cloned().collect()
    }

    fn over(&self, id: &MatchId) {
        for ladder in self.all() {
            ladder.over(id);
        }
    }
}

/// Tells ladders which matches are over.
pub(crate) struct LadderListener(Arc<LadderSet>);

impl MatchListener for LadderListener {
    fn hosted(&self, _: &dyn HostedMatch, _: &dyn Fn(Seat) -> Ticket, _: bool) {}

    fn joined(&self, _: &MatchId, _: Seat) {}

    fn over(&self, id: &MatchId, gate: Option<&Gate>) {
        match gate {
            Some(gate) if !gate.is_open() => {
                let (gate, id, set) = (gate.clone(), id.clone(), Arc::clone(&self.0));
                tokio::spawn(async move {
                    // If it is never stored, the server ends.
                    if gate.wait().await.is_ok() {
                        set.over(&id);
                    }
                });
            }
            _ => self.0.over(id),
        }
    }
}

/// The ladders of a server, and what runs them.
pub(crate) struct Ladders {
    set: Arc<LadderSet>,
    store: Arc<dyn Store>,
    matches: Arc<Matches>,
    lobby: Arc<Lobby>,
    running: Mutex<Vec<AbortOnDropHandle<()>>>,
    all_versions: AllVersions,
    /// Ladders are made one after the other, each to its end.
    turns: Turns,
}

impl Ladders {
    /// Who is to be told which matches are over, and the set that is told.
    pub(crate) fn listener() -> (Arc<LadderSet>, Arc<LadderListener>) {
        let set = Arc::new(LadderSet::default());
        (Arc::clone(&set), Arc::new(LadderListener(set)))
    }

    /// Ladders that are kept in the store; without one they end with the server.
    pub(crate) fn new(
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
            running: Mutex::default(),
            all_versions: AllVersions::default(),
            turns: Turns::begin(),
        }
    }

    /// Takes the ladders that an earlier server left.
    ///
    /// # Errors
    /// A failure of the store.
    pub(crate) async fn recover(&self) -> Result<(), StoreError> {
        let metrics = self.matches.metrics();
        let rows = self.store.ladders().await?;
        for damage in rows.damaged {
            error!(%damage, "a ladder cannot be read, and is not played");
            metrics.damaged(DamagedValue::Ladder);
        }
        for stored in rows.kept {
            let store = Arc::clone(&self.store);
            let all_versions = self.all_versions.clone();
            let recovered = LiveLadder::recover(stored, store, metrics, all_versions).await?;
            if let Some(ladder) = recovered {
                fitting::begin(&ladder);
                self.set.0.lock().insert(ladder.id().clone(), ladder);
            }
        }
        Ok(())
    }

    /// Opens the queues of the ladders, and begins to play.
    pub(crate) fn run_all(&self) {
        for ladder in self.set.all() {
            self.run(&ladder);
        }
    }

    fn run(&self, ladder: &Arc<LiveLadder>) {
        if ladder.is_over() {
            return;
        }
        let Some(rules) = queue_rules(&ladder.shown()) else {
            error!(ladder = %ladder.id(), "the queue of a ladder cannot be named");
            return;
        };
        if !is_served(&ladder.shown()) {
            error!(
                ladder = %ladder.id(),
                "a ladder is of another version of the rules than this server plays: it is shown, \
                 and not played"
            );
            return;
        }
        let queue_id = rules.queue_id.clone();
        let opened = self.lobby.with(|room, _| room.open_queue(rules));
        if opened.is_err() {
            error!(
                ladder = %ladder.id(),
                "a queue of another owner has the name of a ladder: it is shown, and not played"
            );
            return;
        }
        for standing in ladder.all_standings() {
            say(&self.lobby, &queue_id, &standing);
        }
        let run = running::run(
            Arc::clone(ladder),
            Arc::clone(&self.matches),
            Arc::clone(&self.lobby),
            queue_id,
        );
        self.running
            .lock()
            .push(AbortOnDropHandle::new(tokio::spawn(run)));
    }

    /// Makes a ladder, and begins to play it.
    ///
    /// # Errors
    /// When there is one of its name, or a queue, or too many; or when the store fails.
    pub(crate) async fn create(
        self: &Arc<Self>,
        id: LadderId,
        ladder: v1::Ladder,
    ) -> Result<v1::Ladder, Refusal> {
        let ladders = Arc::clone(self);
        let change = async move {
            let made = ladders.make_now(id, ladder).await;
            Ok(made.map(|made| {
                ladders.run(&made);
                made.shown()
            }))
        };
        let made = self.turns.take(change).await;
        made.unwrap_or_else(|error| Err(storage_failed(&error)))
    }

    /// Makes a ladder that is [run](Self::run_all) with the others.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub(crate) async fn make(
        self: &Arc<Self>,
        id: LadderId,
        ladder: v1::Ladder,
    ) -> Result<(), Refusal> {
        self.make_now(id, ladder).await.map(|_| ())
    }

    async fn make_now(&self, id: LadderId, ladder: v1::Ladder) -> Result<Arc<LiveLadder>, Refusal> {
        let taken = || {
            let detail = "there is a ladder or a queue of this name; choose another";
            Refusal::field("ladder.ladder_id", detail)
        };
        if self.set.0.lock().len() >= MAX_LADDERS {
            return Err(Refusal::server_limit("ladders", MAX_LADDERS));
        }
        let rules = queue_rules(&ladder).ok_or_else(taken)?;
        let queue_id = rules.queue_id.clone();
        let opened = self.lobby.with(|room, _| match room.rules(&queue_id) {
            Some(_) => false,
            None => room.open_queue(rules).is_ok(),
        });
        if !opened {
            return Err(taken());
        }
        let description = Description {
            ladder,
            frozen_at_match: 0,
        };
        let (store, all_versions) = (Arc::clone(&self.store), self.all_versions.clone());
        let made = LiveLadder::make(id.clone(), description, store, all_versions).await;
        let made = made.map_err(|error| {
            self.lobby.with(|room, _| room.close_queue(&queue_id));
            match error {
                StoreError::WriteRefused {
                    refusal: WriteRefusal::LadderExists { .. },
                    ..
                } => taken(),
                error => storage_failed(&error),
            }
        })?;
        info!(ladder = %id, "a ladder is made");
        fitting::begin(&made);
        self.set.0.lock().insert(id, Arc::clone(&made));
        Ok(made)
    }

    /// The ladder of this name.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<LiveLadder>, Refusal> {
        let known = LadderId::new(id).ok();
        let ladder = known.and_then(|id| self.set.0.lock().get(&id).cloned());
        ladder.ok_or_else(|| {
            let shown: String = id.chars().take(MAX_REPEATED_CHARS).collect();
            let message = format!("no ladder has the name {shown:?}");
            Refusal::new(RefusalReason::LadderUnknown, message)
        })
    }

    /// Makes sure that the ladder of this name shows its replays to one whose bot did not play:
    /// admins see them all. One that there is not shows what is left of it.
    pub(crate) fn check_replays(&self, id: &str, is_admin: bool) -> Result<(), Refusal> {
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
            "the ladder {} shows a replay only to those whose bots played{until}",
            ladder.id()
        );
        Err(Refusal::new(RefusalReason::ScopeMissing, message).with("scope", "admin"))
    }

    /// Makes sure that a version which comes to a queue has room there, if that is one of a ladder:
    /// that it has entered, or that it may.
    ///
    /// # Errors
    /// When the ladder has as many bots or versions as it may.
    pub(crate) fn check_room(&self, queue_id: &QueueId, bot: BotVersion) -> Result<(), Refusal> {
        let known = LadderId::new(queue_id.as_str()).ok();
        let ladder = known.and_then(|id| self.set.0.lock().get(&id).cloned());
        match ladder {
            Some(ladder) => Ok(ladder.check_room(&bot)?),
            None => Ok(()),
        }
    }

    /// Ladders by name after one of them, at most `count`.
    pub(crate) fn list(&self, after: &str, count: usize) -> Vec<v1::Ladder> {
        let all = self.set.all().into_iter();
        let after = all.filter(|ladder| ladder.id().as_str() > after);
        after.take(count).map(|ladder| ladder.shown()).collect()
    }

    /// Takes a ladder to its next state.
    ///
    /// # Errors
    /// When it is in a later one; or when the store fails.
    pub(crate) async fn advance(
        &self,
        ladder: &Arc<LiveLadder>,
        to: LadderState,
    ) -> Result<(), Refusal> {
        let advanced = ladder.advance(to).await;
        advanced
            .map_err(|error| storage_failed(&error))?
            .map_err(|state| {
                let state = state.as_str_name();
                let message = format!("the ladder cannot go back: its state is {state}");
                Refusal::new(RefusalReason::LadderClosed, message)
            })
    }

    /// Lets a benched version play again; of one that is not benched nothing changes.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn unbench(
        &self,
        ladder: &Arc<LiveLadder>,
        bot: BotVersion,
    ) -> Result<(), Refusal> {
        let unbenched = ladder.unbench(bot).await;
        let unbenched = unbenched.map_err(|error| storage_failed(&error))?;
        let queue_id = QueueId::new(ladder.id().as_str());
        if let (Some(standing), Some(queue_id)) = (unbenched, queue_id) {
            say(&self.lobby, &queue_id, &standing);
        }
        Ok(())
    }

    pub(crate) fn matches(&self) -> &Arc<Matches> {
        &self.matches
    }

    pub(crate) fn lobby(&self) -> &Arc<Lobby> {
        &self.lobby
    }
}

/// The queue of a ladder; `None` if a name in it makes no sense.
fn queue_rules(ladder: &v1::Ladder) -> Option<QueueRules> {
    let game = ladder.config.as_ref()?.game.as_ref()?;
    let key_names = ladder.key_names.iter().map(KeyName::new);
    Some(QueueRules {
        queue_id: QueueId::new(&ladder.ladder_id)?,
        owner: None,
        game_id: Some(game_id(game)?.to_owned()),
        rules_version: Some(ladder.rules_version),
        key_names: key_names.collect::<Result<_, _>>().ok()?,
        is_ladder: true,
        newcomers: Standing::Validating { failed: None },
    })
}

/// Whether this server plays the rules that a ladder is played by.
fn is_served(ladder: &v1::Ladder) -> bool {
    let config = ladder.config.as_ref();
    let game = config
        .and_then(|config| config.game.as_ref())
        .and_then(game_id);
    let served = game.and_then(|game| with_game!(game, G => G::RULES_VERSION));
    served == Some(ladder.rules_version)
}
