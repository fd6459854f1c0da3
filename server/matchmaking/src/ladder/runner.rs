//! The task that runs a ladder: it enters bots, pairs them, creates matches, and records their
//! outcomes.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_edge::{metrics::LadderOutcome, refusal::Refusal};
use bridgemaster_games::Seat;
use bridgemaster_ladder::{AttendingBot, BotVersion, End, LadderEntry, Purpose};
use bridgemaster_live::{MatchOptions, Matches};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{Attendance, LadderState, RefusalReason};
use bridgemaster_store::StoreError;
use tokio::{select, time::sleep};
use tracing::{error, info, warn};

use super::{
    LiveLadder, MatchesInPlay,
    admission::{publish_admission, publish_status},
    outcome::{Outcome, outcome_of},
    rows::{LADDER_LABEL, MatchRow, purpose_to_wire},
    storage_failed,
};
use crate::lobby::{BotName, InvitedBot, Lobby, QueueId};

/// The interval at which the runner looks for work without a notification. It is needed because the
/// end of a bot's backoff sends none.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The time for which the creation of a paired match is retried before the match is cancelled: long
/// enough for bots to reconnect after a restart.
const CREATE_RETRY_PERIOD: Duration = Duration::from_secs(60);
/// The pause in pairing after a match could not be created for a reason that does not concern its
/// bots.
const PAIRING_PAUSE: Duration = Duration::from_secs(10);

/// The time for which a bot is not paired after it could not be offered a seat. It doubles with
/// each further failure, until an offer succeeds.
const BOT_BACKOFF: Duration = Duration::from_secs(1);
/// The maximum number of doublings, which results in a backoff of about a minute.
const MAX_DOUBLINGS: u32 = 6;
/// The time after the end of a backoff when the bot's failures are forgotten.
const BACKOFF_RETENTION: Duration = Duration::from_secs(600);

/// Runs a ladder until the future is dropped or the store is closed. After a store failure, the
/// ladder is reloaded.
pub(super) async fn run(
    ladder: Arc<LiveLadder>,
    matches: Arc<Matches>,
    lobby: Arc<Lobby>,
    queue_id: QueueId,
) {
    let mut watch = lobby.watch(queue_id.clone());
    let mut runner = Runner {
        ladder: Arc::clone(&ladder),
        matches,
        lobby,
        queue_id,
        began: Instant::now(),
        paused_until: None,
        backoffs: HashMap::new(),
        waiting_since: HashMap::new(),
    };
    loop {
        match runner.step().await {
            Ok(Step::Continue) => {}
            Ok(Step::Done) | Err(StoreError::Closed) => return,
            Err(error) => {
                error!(ladder = %ladder.id(), %error, "the store failed; reloading the ladder");
                ladder.set_needs_reload(true);
                sleep(PAIRING_PAUSE).await;
                continue;
            }
        }
        select! {
            () = ladder.wake.notified() => {}
            updates = watch.next() => if updates.is_none() {
                error!(ladder = %ladder.id(), "the ladder's queue was removed; stopping the ladder");
                return;
            },
            () = sleep(POLL_INTERVAL) => {}
        }
    }
}

struct Runner {
    ladder: Arc<LiveLadder>,
    matches: Arc<Matches>,
    lobby: Arc<Lobby>,
    queue_id: QueueId,
    began: Instant,
    paused_until: Option<Instant>,
    /// Bots that recently could not be offered a seat, by name.
    backoffs: HashMap<String, Backoff>,
    /// The time at which each present bot with a free slot started to wait for a pairing.
    waiting_since: HashMap<BotVersion, Instant>,
}

/// The backoff of a bot that could not be offered a seat.
struct Backoff {
    failures: u32,
    until: Instant,
}

/// The result of one iteration of the runner.
enum Step {
    Continue,
    /// The ladder is closed, and its last match has ended.
    Done,
}

impl Runner {
    async fn step(&mut self) -> Result<Step, StoreError> {
        if self.ladder.needs_reload() {
            self.ladder.reload(&self.matches).await?;
            // An action might have been stored, but not applied to the queue.
            publish_admission(&self.lobby, &self.ladder);
        }
        self.record_outcomes().await?;
        self.create_paired().await?;
        if self.matches.lifecycle().is_draining() {
            return Ok(Step::Continue);
        }
        for standing in self.ladder.enter_versions(self.present_bots()).await? {
            let LadderEntry { bot, .. } = &standing;
            info!(ladder = %self.ladder.id(), bot = bot.name, version = bot.version, "a bot version entered the ladder");
            publish_status(&self.lobby, &self.queue_id, &standing);
        }
        self.pair_and_create().await?;
        if self.ladder.is_round_over() {
            // Closing a frozen ladder cannot be refused.
            let _ = self.ladder.advance_state(LadderState::Closed).await?;
        }
        if self.ladder.is_over() {
            // This also ends the streams of the bots that attend the queue.
            let closed = self.lobby.close_queue(&self.queue_id).await;
            if let Err(refusal) = closed {
                let why = refusal.message();
                warn!(ladder = %self.ladder.id(), why, "cannot close the ladder's queue");
            }
            return Ok(Step::Done);
        }
        Ok(Step::Continue)
    }

    /// Pairs and creates matches until none can be paired. This ends, since each iteration either
    /// creates a match or adds a backoff for a bot.
    async fn pair_and_create(&mut self) -> Result<(), StoreError> {
        loop {
            let present = self.present_bots();
            self.track_waiting(&present);
            self.ladder.set_present(&present);
            if self.paused_until.is_some_and(|until| until > Instant::now()) {
                return Ok(());
            }
            let started = Instant::now();
            let Some((number, row)) = self.ladder.pair_next_match().await? else {
                return Ok(());
            };
            self.matches.metrics().observe_pairing(started.elapsed());
            self.record_waits(&row);
            self.create(number, &row, false).await?;
        }
    }

    /// Returns the bots that accept offers and are not in backoff.
    fn present_bots(&self) -> Vec<AttendingBot> {
        let attendances =
            self.lobby.with_room(|room, now| room.available_attendances(&self.queue_id, now));
        let now = Instant::now();
        let is_backed_off = |attendance: &Attendance| {
            let backoff = self.backoffs.get(&attendance.bot_name);
            backoff.is_some_and(|backoff| backoff.until > now)
        };
        let present = attendances.into_iter();
        let present = present.filter(|attendance| !is_backed_off(attendance));
        let present = present.map(|attendance| AttendingBot {
            bot: BotVersion::new(attendance.bot_name, attendance.bot_version),
            owner: attendance.owner,
            slots: attendance.slots,
            free_slots: (attendance.slots)
                .saturating_sub(attendance.slots_used + attendance.busy_slots),
        });
        present.collect()
    }

    /// Adds a backoff for the bot that could not be offered a seat, or for all bots of the match if
    /// the refusal names none.
    fn back_off(&mut self, refusal: &Refusal, row: &MatchRow) {
        let now = Instant::now();
        self.backoffs.retain(|_, backoff| backoff.until + BACKOFF_RETENTION > now);
        let named = refusal.metadata_value("bot_name");
        let bots = row.pairing.seats.iter().map(|bot| &bot.name);
        for bot in bots.filter(|bot| named.is_none_or(|named| named == **bot)) {
            let first = Backoff { failures: 0, until: now };
            let backoff = self.backoffs.entry(bot.clone()).or_insert(first);
            backoff.until = now + BOT_BACKOFF * (1 << backoff.failures.min(MAX_DOUBLINGS));
            backoff.failures += 1;
        }
    }

    /// Records the outcomes of matches that have ended.
    async fn record_outcomes(&mut self) -> Result<(), StoreError> {
        for (number, id) in self.ladder.with_in_play(MatchesInPlay::take_ended) {
            self.record_outcome(number, &id).await?;
        }
        Ok(())
    }

    /// Records the outcome of a match if it has ended.
    async fn record_outcome(&self, number: u64, id: &MatchId) -> Result<(), StoreError> {
        match read_outcome(&self.matches, id).await {
            Ok(Some(outcome)) => self.apply_outcome(number, outcome).await,
            Ok(None) => Ok(()),
            Err(ReadFailed) => {
                self.ladder.mark_ended(id);
                Ok(())
            }
        }
    }

    /// Records when each bot with a free slot started to wait for a pairing.
    fn track_waiting(&mut self, present: &[AttendingBot]) {
        let free = present.iter().filter(|presence| presence.free_slots > 0);
        let free: HashSet<&BotVersion> = free.map(|presence| &presence.bot).collect();
        self.waiting_since.retain(|bot, _| free.contains(bot));
        let now = Instant::now();
        for bot in free {
            if !self.waiting_since.contains_key(bot) {
                self.waiting_since.insert(bot.clone(), now);
            }
        }
    }

    /// Records how long the paired bots have waited, and restarts the measurement for bots that
    /// still have free slots.
    fn record_waits(&mut self, row: &MatchRow) {
        let now = Instant::now();
        for bot in &row.pairing.seats {
            if let Some(since) = self.waiting_since.insert(bot.clone(), now) {
                let metrics = self.matches.metrics();
                metrics.observe_pairing_wait(now.saturating_duration_since(since));
            }
        }
    }

    async fn apply_outcome(&self, number: u64, outcome: Outcome) -> Result<(), StoreError> {
        self.matches.metrics().count_ladder_match(match &outcome.end {
            End::Played(_) => LadderOutcome::Played,
            End::Annulled(_) | End::Voided => LadderOutcome::Annulled,
            End::Cancelled { .. } => LadderOutcome::Cancelled,
        });
        for standing in self.ladder.end_match(number, outcome).await? {
            publish_status(&self.lobby, &self.queue_id, &standing);
        }
        Ok(())
    }

    /// Creates the paired matches that do not exist yet, because the server was restarted or an
    /// earlier attempt failed.
    async fn create_paired(&mut self) -> Result<(), StoreError> {
        let uncreated: Vec<(u64, MatchRow)> = self.ladder.with_model(|model| {
            let open = model.open.iter();
            let uncreated = open.filter(|(_, open)| open.match_id.is_none());
            uncreated.map(|(number, open)| (*number, open.row.clone())).collect()
        });
        let can_retry = self.began.elapsed() < CREATE_RETRY_PERIOD;
        for (number, row) in uncreated {
            self.create(number, &row, can_retry).await?;
        }
        Ok(())
    }

    /// Creates a paired match. If the creation fails, cancels the match, unless `can_retry`.
    async fn create(
        &mut self,
        number: u64,
        row: &MatchRow,
        can_retry: bool,
    ) -> Result<(), StoreError> {
        match self.create_match(number, row).await {
            Ok(id) => {
                for bot in &row.pairing.seats {
                    self.backoffs.remove(&bot.name);
                }
                // The match may have ended before the ladder had its identifier, and thus without a
                // notification.
                self.record_outcome(number, &id).await
            }
            Err(refusal) => {
                let is_server_side = refusal.is_server_error()
                    || matches!(
                        refusal.reason(),
                        RefusalReason::ServerStopping | RefusalReason::LimitReached
                    );
                let is_bot_failure = refusal.reason() == RefusalReason::BotNotAvailable;
                if is_bot_failure {
                    self.back_off(&refusal, row);
                } else {
                    let why = refusal.message();
                    warn!(ladder = %self.ladder.id(), number, why, "cannot create a match");
                    self.paused_until = Some(Instant::now() + PAIRING_PAUSE);
                }
                let is_requested = row.pairing.purpose == Purpose::Requested;
                if !is_requested && (is_server_side || (is_bot_failure && can_retry)) {
                    return Ok(());
                }
                self.ladder.with_in_play(|in_play| in_play.mark_failed(number, refusal));
                self.apply_outcome(number, Outcome::cancelled()).await
            }
        }
    }

    /// Creates the match of this number, or finds it if it exists.
    async fn create_match(&self, number: u64, row: &MatchRow) -> Result<MatchId, Refusal> {
        let ladder = &self.ladder;
        let config = ladder.with_model(|model| model.description.ladder.config.clone());
        let config = config.unwrap_or_default();
        let invite = |(seat, bot): (u8, &BotVersion)| {
            let invitation = InvitedBot {
                queue_id: self.queue_id.clone(),
                bot: BotName::new(&bot.name)?,
                version: Some(bot.version.clone()),
            };
            Some((Seat::new(seat)?, invitation))
        };
        let invited: Option<BTreeMap<Seat, InvitedBot>> =
            (0..).zip(&row.pairing.seats).map(invite).collect();
        let invited = invited.ok_or_else(|| {
            Refusal::field("ladder", "the pairing has an invalid seat or bot name")
        })?;
        let labels = [
            (LADDER_LABEL.to_owned(), ladder.id().to_string()),
            ("ladder-match".to_owned(), number.to_string()),
        ];
        let options = MatchOptions {
            labels: labels.into(),
            request: Some(ladder.creation_key(number)),
            ..MatchOptions::default()
        };
        let purpose = purpose_to_wire(row.pairing.purpose);
        let created =
            self.lobby.create_match(&self.matches, &config, options, invited, purpose).await?;
        let id = MatchId::new(&*created.info.match_id).map_err(|_| Refusal::storage_failed())?;
        ladder.mark_created(number, &id);
        Ok(id)
    }
}

/// A temporary failure to read a match.
struct ReadFailed;

/// Returns the outcome of a match; `None` until the match has ended. A match that was dropped or is
/// unreadable counts as cancelled.
async fn read_outcome(matches: &Arc<Matches>, id: &MatchId) -> Result<Option<Outcome>, ReadFailed> {
    match matches.get_or_load(id).await {
        Ok(Some(hosted)) => {
            let info = hosted.info().committed().await.map_err(|_| ReadFailed)?;
            Ok(outcome_of(&info, hosted.declined_seat()))
        }
        Ok(None) => Ok(Some(Outcome::cancelled())),
        Err(refusal) if refusal.reason() == RefusalReason::DataDamaged => {
            Ok(Some(Outcome::cancelled()))
        }
        Err(_) => Err(ReadFailed),
    }
}

/// Requests an unrated match, and waits until the runner has created it.
pub async fn request_unrated_match(
    ladder: &Arc<LiveLadder>,
    bots: Vec<BotVersion>,
) -> Result<String, Refusal> {
    let pending = ladder.request_match(bots).await;
    let created = pending
        .map_err(|error| storage_failed(&error))?
        .map_err(|error| request_refused(&error))?;
    // The sender was dropped, because the ladder has stopped.
    let created = created.await.unwrap_or_else(|_| Err(Refusal::stopping()));
    created.map(|id| id.to_string())
}

fn request_refused(error: &bridgemaster_ladder::RequestRefused) -> Refusal {
    use bridgemaster_ladder::RequestRefused as R;
    let message = error.to_string();
    match error {
        R::Seats { .. } => Refusal::field("bots", message),
        R::NotAvailable { bot } => {
            Refusal::new(RefusalReason::BotNotAvailable, message).with("bot_name", bot.name.clone())
        }
        R::Due { bot } => {
            Refusal::new(RefusalReason::BotNotAvailable, message).with("bot_name", bot.name.clone())
        }
        R::Full | R::AlreadyRequested { .. } | R::TooMany { .. } => {
            Refusal::new(RefusalReason::LimitReached, message)
        }
        R::Frozen | R::Closed => Refusal::new(RefusalReason::LadderClosed, message),
    }
}
