//! A server's lobby: the waiting room behind a lock, with its timer and the wakers of streams.

use std::{
    any::Any,
    collections::{BTreeMap, HashMap},
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use bridgemaster_edge::{limits::Limits, refusal::Refusal};
use bridgemaster_games::Seat;
use bridgemaster_live::{
    journal::{CommitGate, Journal},
    {CreatedMatch, CreationStart, HostedMatch, MatchListener, MatchOptions, Matches, Ticket},
};
use bridgemaster_match::{MatchId, OfferedSeat};
use bridgemaster_proto::{
    games::game_id,
    internal::v1::QueueNote,
    v1::{self, AttendResponse, MatchConfig, OfferPurpose, RefusalReason, WatchQueueResponse},
};
use bridgemaster_store::{KeyName, Records, Write};
use parking_lot::Mutex;
use prost::Message as _;
use tokio::{
    select,
    sync::{Notify, watch},
    time::sleep_until,
};
use tracing::error;

use super::{
    BotName, LobbyError, QueueId, QueueRules, VersionStatus, WaitingRoom,
    attendance::{SeatOffer, StreamEnd, StreamNumber},
    messages::{QueueCursor, StreamPoll},
    waiting_room::NewAttendance,
};

/// The name prefix of stored queues.
pub const QUEUE_RECORD_PREFIX: &str = "queue\n";
/// The minimum time for which an offer remains valid after a restart, so that bots can reconnect.
const MIN_OFFER_TIME_AFTER_RESTART: Duration = Duration::from_secs(60);

/// The lobby of one server.
pub struct Lobby {
    weak_self: Weak<Self>,
    locked: Mutex<LockedRoom>,
    /// Counts the changes that watchers of queues see.
    changes: watch::Sender<u64>,
    /// Notified when the next deadline has changed.
    timer_changed: Notify,
    journal: Option<Arc<Journal>>,
}

struct LockedRoom {
    room: WaitingRoom,
    wakers: HashMap<StreamNumber, Arc<Notify>>,
}

/// A bot that is to be offered a seat.
#[derive(Clone, Debug)]
pub struct InvitedBot {
    /// The queue that the bot attends.
    pub queue_id: QueueId,
    /// The name of the bot.
    pub bot: BotName,
    /// The expected version; `None` for the version that attends.
    pub version: Option<String>,
}

/// Slots that are reserved for a match being created, released on drop.
struct SlotReservation {
    lobby: Arc<Lobby>,
    slots: Vec<(QueueId, BotName)>,
}

impl Drop for SlotReservation {
    fn drop(&mut self) {
        self.lobby.with_room(|room, _| room.release_slots(&self.slots));
    }
}

impl Lobby {
    /// Creates a lobby without queues. With a journal, queues that are opened by keys are stored.
    pub fn new(limits: &Limits, journal: Option<Arc<Journal>>) -> Arc<Self> {
        Arc::new_cyclic(|weak_self| Self {
            weak_self: weak_self.clone(),
            locked: Mutex::new(LockedRoom {
                room: WaitingRoom::new(limits),
                wakers: HashMap::new(),
            }),
            changes: watch::Sender::new(0),
            timer_changed: Notify::new(),
            journal,
        })
    }

    /// Restores the queues that an earlier server stored.
    pub fn read_queues(&self, records: Records) {
        for damage in &records.damaged {
            error!(%damage, "cannot read a stored queue; its owner has to create it again");
        }
        for (name, value) in records.intact {
            let rules = QueueNote::decode(&*value).ok().and_then(read_record);
            let opened = rules.map(|rules| self.with_room(|room, _| room.open_queue(rules)));
            if !matches!(opened, Some(Ok(_))) {
                error!(name, "cannot reopen a stored queue; its owner has to create it again");
            }
        }
    }

    /// Runs the waiting room's timer until the future is dropped.
    pub async fn run_timer(self: Arc<Self>) {
        loop {
            let due = self.locked.lock().room.next_due();
            select! {
                () = self.timer_changed.notified() => {}
                () = async {
                    match due {
                        Some(due) => sleep_until(due.into()).await,
                        None => std::future::pending().await,
                    }
                } => self.with_room(WaitingRoom::run_due_actions),
            }
        }
    }

    /// Calls the waiting room, and then wakes the streams that have messages.
    pub fn with_room<T>(&self, act: impl FnOnce(&mut WaitingRoom, Instant) -> T) -> T {
        let mut locked = self.locked.lock();
        let deadline = locked.room.next_due();
        let value = act(&mut locked.room, Instant::now());
        let woken = locked.room.take_streams_with_messages();
        for wake in woken.iter().filter_map(|number| locked.wakers.get(number)) {
            wake.notify_one();
        }
        let has_timer_changed = locked.room.next_due() != deadline;
        let revision = locked.room.revision();
        drop(locked);
        if has_timer_changed {
            self.timer_changed.notify_one();
        }
        self.changes.send_if_modified(|sent| {
            let is_new = *sent != revision;
            *sent = revision;
            is_new
        });
        value
    }

    /// Opens a queue, and stores it unless it belongs to a ladder.
    pub async fn open_queue(&self, rules: QueueRules) -> Result<v1::Queue, Refusal> {
        let record = QueueNote {
            owner: rules.owner.as_ref().map(ToString::to_string),
            queue: Some(rules.to_wire()),
        };
        let name = format!("{QUEUE_RECORD_PREFIX}{}", rules.queue_id);
        let is_stored = !rules.is_ladder;
        let opened = self.with_room(|room, _| room.open_queue(rules))?;
        if is_stored {
            let value = record.encode_to_vec();
            self.commit_record(Write::PutRecord { name, value }).await?;
        }
        Ok(opened)
    }

    /// Closes a queue, and removes it from the store.
    pub async fn close_queue(&self, queue_id: &QueueId) -> Result<(), Refusal> {
        let exists = self.with_room(|room, _| {
            let exists = room.rules(queue_id).is_some();
            room.close_queue(queue_id);
            exists
        });
        if exists {
            let name = format!("{QUEUE_RECORD_PREFIX}{queue_id}");
            self.commit_record(Write::RemoveRecord { name }).await?;
        }
        Ok(())
    }

    async fn commit_record(&self, record: Write) -> Result<(), Refusal> {
        if let Some(journal) = &self.journal {
            journal.queue_records(vec![record]).wait().await?;
        }
        Ok(())
    }

    /// Returns a queue's rules; `None` if the queue does not exist.
    pub fn rules(&self, queue_id: &QueueId) -> Option<QueueRules> {
        self.with_room(|room, _| room.rules(queue_id).cloned())
    }

    /// Starts an attendance. The second value contains the matches to cancel, whose seats were
    /// offered to another version of the bot and not taken.
    pub fn attend(
        self: &Arc<Self>,
        request: NewAttendance,
    ) -> Result<(AttendStream, Vec<(MatchId, Seat)>), Refusal> {
        let queue_id = request.queue_id.clone();
        let mut locked = self.locked.lock();
        let attended = locked.room.attend(request);
        let (number, cancelled) = match attended {
            Ok(attended) => attended,
            Err(LobbyError::QueueUnknown) => return Err(queue_unknown(queue_id.as_str())),
            Err(error) => return Err(error.into()),
        };
        let wake = Arc::new(Notify::new());
        locked.wakers.insert(number, Arc::clone(&wake));
        drop(locked);
        // The call wakes the superseded stream.
        self.with_room(|_, _| {});
        let stream = AttendStream { lobby: Arc::clone(self), number, wake };
        Ok((stream, cancelled))
    }

    /// Watches the attendances in a queue.
    pub fn watch(self: &Arc<Self>, queue_id: QueueId) -> QueueWatch {
        QueueWatch {
            changes: self.changes.subscribe(),
            lobby: Arc::clone(self),
            queue_id,
            cursor: QueueCursor::default(),
        }
    }

    /// Creates a match whose seats are offered to attending bots. Contests call this through
    /// CreateMatch, and ladders within the server. A retried request returns the same match, with
    /// the same offers.
    ///
    /// # Errors
    /// Returns the errors of [`Matches::create`]; and BOT_NOT_AVAILABLE if one of the bots cannot
    /// be offered a seat now. No match is created then.
    pub async fn create_match(
        self: &Arc<Self>,
        matches: &Arc<Matches>,
        config: &MatchConfig,
        mut making: MatchOptions,
        invited: BTreeMap<Seat, InvitedBot>,
        purpose: OfferPurpose,
    ) -> Result<CreatedMatch, Refusal> {
        let turn = match matches.begin_creation(making.request.as_ref()).await? {
            CreationStart::Previous(created) => return Ok(created),
            CreationStart::New(turn) => turn,
        };
        for one in invited.values() {
            self.check_game(config, &one.queue_id)?;
        }
        let slots: Vec<_> =
            invited.values().map(|one| (one.queue_id.clone(), one.bot.clone())).collect();
        let versions = self.with_room(|room, now| room.reserve_slots(&slots, now))?;
        let lobby = Arc::clone(self);
        let reservation: Arc<dyn Any + Send + Sync> = Arc::new(SlotReservation { lobby, slots });
        for (one, version) in invited.values().zip(&versions) {
            if one.version.as_ref().is_some_and(|expected| expected != version) {
                let bot = one.bot.clone();
                let why = "the bot attends with another version now".to_owned();
                return Err(LobbyError::NotAvailable { bot, why }.into());
            }
        }
        let offered = invited.into_iter().zip(versions);
        making.offered = offered
            .map(|((seat, one), bot_version)| {
                let offered = OfferedSeat {
                    queue_id: one.queue_id.to_string(),
                    bot_name: one.bot.to_string(),
                    bot_version,
                    purpose,
                };
                (seat, offered)
            })
            .collect();
        making.hold_until_created = Some(reservation);
        matches.create_with_permit(config, making, turn).await
    }

    /// Checks that a match has the game of the queue.
    fn check_game(&self, config: &MatchConfig, queue_id: &QueueId) -> Result<(), Refusal> {
        let rules = self.rules(queue_id);
        let rules = rules.ok_or_else(|| queue_unknown(queue_id.as_str()))?;
        let game = config.game.as_ref().and_then(game_id);
        match (rules.game_id, game) {
            (Some(of_queue), Some(game)) if of_queue != game => Err(Refusal::field(
                "config.game",
                format!("the queue {queue_id} is for the game {of_queue}, not {game}"),
            )),
            _ => Ok(()),
        }
    }
}

/// The stream of an attendance. The bot is absent while no stream is open.
pub struct AttendStream {
    lobby: Arc<Lobby>,
    number: StreamNumber,
    wake: Arc<Notify>,
}

impl AttendStream {
    /// Waits for the next message; `None` once the bot has left.
    ///
    /// # Errors
    /// Returns the reason why the stream ended early.
    pub async fn next(&mut self) -> Result<Option<AttendResponse>, Refusal> {
        loop {
            let next = self.lobby.with_room(|room, now| room.poll_stream(self.number, now));
            match next {
                StreamPoll::Message(message) => return Ok(Some(message)),
                StreamPoll::Pending => self.wake.notified().await,
                StreamPoll::End(StreamEnd::Left) => return Ok(None),
                StreamPoll::End(StreamEnd::Superseded) => {
                    return Err(LobbyError::Superseded.into());
                }
                StreamPoll::End(StreamEnd::Benched(detail)) => {
                    return Err(LobbyError::Benched(detail).into());
                }
            }
        }
    }
}

impl Drop for AttendStream {
    fn drop(&mut self) {
        let number = self.number;
        self.lobby.with_room(|room, now| room.disconnect(number, now));
        self.lobby.locked.lock().wakers.remove(&number);
    }
}

/// A watch on the attendances in a queue.
pub struct QueueWatch {
    lobby: Arc<Lobby>,
    queue_id: QueueId,
    cursor: QueueCursor,
    changes: watch::Receiver<u64>,
}

impl QueueWatch {
    /// Waits for at least one update; `None` once the queue no longer exists.
    pub async fn next(&mut self) -> Option<Vec<WatchQueueResponse>> {
        loop {
            self.changes.mark_unchanged();
            let Self { lobby, queue_id, cursor, .. } = self;
            let updates = lobby.with_room(|room, _| room.updates(queue_id, cursor))?;
            if !updates.is_empty() {
                return Some(updates);
            }
            // This watch keeps the lobby alive, and the lobby owns the sender.
            self.changes.changed().await.ok()?;
        }
    }
}

impl MatchListener for Lobby {
    fn on_hosted(&self, hosted: &dyn HostedMatch, ticket: &dyn Fn(Seat) -> Ticket, is_new: bool) {
        if hosted.facts().offered.is_empty() {
            return;
        }
        let mut time = hosted.facts().startup_timeout;
        if !is_new {
            time = time.max(MIN_OFFER_TIME_AFTER_RESTART);
        }
        for (seat, offered) in &hosted.facts().offered {
            let named = QueueId::new(&offered.queue_id).zip(BotName::new(&offered.bot_name));
            let Some((queue_id, bot)) = named else {
                error!(match_id = %hosted.id(), seat = seat.number(), "cannot read the seat's offer");
                continue;
            };
            let is_taken = hosted.bot_name(*seat).is_some();
            let ticket = ticket(*seat);
            let node = self.with_room(|room, now| {
                let offer = SeatOffer {
                    match_id: hosted.id().clone(),
                    seat: *seat,
                    ticket,
                    game_id: hosted.facts().game_id,
                    rules_version: hosted.facts().rules_version,
                    offered: offered.clone(),
                    until: now + time,
                    lag: None,
                    is_taken,
                    sent_on: None,
                };
                room.add_offer(&queue_id, &bot, offer)
            });
            if let Some(node) = node.filter(|_| !is_taken) {
                hosted.expect_forwarded_join(*seat, &node);
            }
        }
    }

    fn on_joined(&self, id: &MatchId, seat: Seat) {
        self.with_room(|room, _| room.record_taken_seat(id, seat));
    }

    fn on_match_over(&self, id: &MatchId, gate: Option<&CommitGate>) {
        if !self.with_room(|room, _| room.has_offers_of(id)) {
            return;
        }
        match (gate, self.weak_self.upgrade()) {
            (Some(gate), Some(lobby)) if !gate.is_open() => {
                let (gate, id) = (gate.clone(), id.clone());
                tokio::spawn(async move {
                    // If the end cannot be stored, the server stops, so nothing is done here.
                    if gate.wait().await.is_ok() {
                        lobby.with_room(|room, now| room.end_match(&id, now));
                    }
                });
            }
            _ => self.with_room(|room, now| room.end_match(id, now)),
        }
    }
}

/// Converts a stored queue; `None` if it is invalid.
fn read_record(record: QueueNote) -> Option<QueueRules> {
    let queue = record.queue?;
    let owner = record.owner.map(KeyName::new).transpose().ok()?;
    let key_names = queue.key_names.iter().map(KeyName::new);
    Some(QueueRules {
        queue_id: QueueId::new(&queue.queue_id)?,
        owner,
        game_id: Some(queue.game_id).filter(|game| !game.is_empty()),
        rules_version: queue.rules_version,
        key_names: key_names.collect::<Result<_, _>>().ok()?,
        is_ladder: queue.is_ladder,
        default_status: VersionStatus::default(),
    })
}

/// Returns the refusal for a queue that does not exist or that the caller may not use. It is the
/// same in both cases.
pub fn queue_unknown(queue_id: &str) -> Refusal {
    let quoted: String =
        queue_id.chars().take(bridgemaster_edge::limits::MAX_QUOTED_CHARS).collect();
    Refusal::new(
        RefusalReason::QueueUnknown,
        format!("the queue {quoted:?} does not exist, or the caller may not use it"),
    )
}

impl From<LobbyError> for Refusal {
    fn from(error: LobbyError) -> Self {
        match error {
            LobbyError::QueueUnknown => Self::new(
                RefusalReason::QueueUnknown,
                "the queue does not exist, or the caller may not use it",
            ),
            LobbyError::Superseded => {
                Self::new(RefusalReason::Superseded, "a newer stream of this attendance was opened")
            }
            LobbyError::AttendanceUnknown => Self::new(
                RefusalReason::AttendanceUnknown,
                "no attendance of the caller has this identifier; attend again",
            ),
            LobbyError::OfferUnknown => Self::new(
                RefusalReason::OfferUnknown,
                "no open offer to the caller has this identifier; it was accepted, declined or \
                 withdrawn, or never existed",
            ),
            LobbyError::Benched(detail) => Self::new(
                RefusalReason::BotBenched,
                format!("this version of the bot is benched: {detail}"),
            ),
            LobbyError::NotAvailable { bot, why } => Self::new(
                RefusalReason::BotNotAvailable,
                format!("the bot {bot} cannot be offered a seat now: {why}"),
            )
            .with("bot_name", bot.as_str()),
            LobbyError::QueueExists => Self::field(
                "queue.queue_id",
                "another queue of this name exists; choose another name",
            ),
            LobbyError::Limit(limit, value) => Self::limit(limit, value),
            LobbyError::ServerLimit(limit, value) => Self::server_limit(limit, value),
        }
    }
}
