//! The lobby of a server: a lock around the waiting room, its timer, and what wakes streams.

use std::{
    any::Any,
    collections::{BTreeMap, HashMap},
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, OfferedSeat};
use bridgemaster_proto::{
    games::game_id,
    internal::v1::QueueNote,
    v1::{self, AttendResponse, MatchConfig, OfferPurpose, RefusalReason, WatchQueueResponse},
};
use bridgemaster_store::{KeyName, Notes, Write};
use parking_lot::Mutex;
use prost::Message as _;
use tokio::{
    select,
    sync::{Notify, watch},
    time::sleep_until,
};
use tracing::error;

use super::{
    BotName, QueueId, QueueRules, Refused, Standing, WaitingRoom,
    offer::SeatOffer,
    stream::{StreamEnd, StreamNumber},
    telling::Told,
    waiting_room::Asking,
    watching::Watched,
};
use crate::{
    hosting::{Begun, HostedMatch, Made, Making, MatchListener, Matches, Ticket},
    journal::{Gate, Journal, NotStored},
    limits::Limits,
    refusal::Refusal,
};

/// What the names of notes of queues begin with.
pub(crate) const QUEUE_NOTES: &str = "queue\n";
/// How long an offer of an earlier server holds, at least: its match gives a bot so long to come
/// for the first time.
const LEAST_TIME_AFTER_RESTART: Duration = Duration::from_secs(60);

/// The lobby of a server.
pub(crate) struct Lobby {
    itself: Weak<Self>,
    locked: Mutex<Locked>,
    /// Counts changes that watchers of queues are told.
    changes: watch::Sender<u64>,
    /// Notified when the timer must look again.
    sooner: Notify,
    journal: Option<Arc<Journal>>,
}

struct Locked {
    room: WaitingRoom,
    wakers: HashMap<StreamNumber, Arc<Notify>>,
}

/// A bot to which a seat is to be offered.
#[derive(Clone, Debug)]
pub(crate) struct Invited {
    pub(crate) queue_id: QueueId,
    pub(crate) bot: BotName,
    /// The version that is meant; `None` for the one that attends.
    pub(crate) version: Option<String>,
}

/// Slots that are held for a match that is being made.
struct HeldSlots {
    lobby: Arc<Lobby>,
    slots: Vec<(QueueId, BotName)>,
}

impl Drop for HeldSlots {
    fn drop(&mut self) {
        self.lobby.with(|room, _| room.release(&self.slots));
    }
}

impl Lobby {
    /// Without queues; with a journal, those that keys open are kept.
    pub(crate) fn new(limits: &Limits, journal: Option<Arc<Journal>>) -> Arc<Self> {
        Arc::new_cyclic(|itself| Self {
            itself: itself.clone(),
            locked: Mutex::new(Locked {
                room: WaitingRoom::new(limits),
                wakers: HashMap::new(),
            }),
            changes: watch::Sender::new(0),
            sooner: Notify::new(),
            journal,
        })
    }

    /// Opens the queues that an earlier server kept.
    pub(crate) fn read_queues(&self, notes: Notes) {
        for damage in &notes.damaged {
            error!(%damage, "a queue cannot be read: whoever opened it opens it again");
        }
        for (name, value) in notes.kept {
            let rules = QueueNote::decode(&*value).ok().and_then(read_note);
            let opened = rules.map(|rules| self.with(|room, _| room.open_queue(rules)));
            if !matches!(opened, Some(Ok(_))) {
                error!(
                    name,
                    "a queue cannot be read: whoever opened it opens it again"
                );
            }
        }
    }

    /// Acts on time that passes, for as long as it is polled.
    pub(crate) async fn watch_time(self: Arc<Self>) {
        loop {
            let due = self.locked.lock().room.next_due();
            select! {
                () = self.sooner.notified() => {}
                () = async {
                    match due {
                        Some(due) => sleep_until(due.into()).await,
                        None => std::future::pending().await,
                    }
                } => self.with(WaitingRoom::tick),
            }
        }
    }

    /// Calls the waiting room, and wakes whoever is to be told of what came of it.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut WaitingRoom, Instant) -> T) -> T {
        let mut locked = self.locked.lock();
        let due = locked.room.next_due();
        let value = act(&mut locked.room, Instant::now());
        let woken = locked.room.take_woken();
        for wake in woken.iter().filter_map(|number| locked.wakers.get(number)) {
            wake.notify_one();
        }
        let is_sooner = locked.room.next_due() != due;
        let revision = locked.room.revision();
        drop(locked);
        if is_sooner {
            self.sooner.notify_one();
        }
        self.changes.send_if_modified(|told| {
            let is_new = *told != revision;
            *told = revision;
            is_new
        });
        value
    }

    /// Opens a queue, and keeps it.
    pub(crate) async fn open_queue(&self, rules: QueueRules) -> Result<v1::Queue, Refusal> {
        let note = QueueNote {
            owner: rules.owner.as_ref().map(ToString::to_string),
            queue: Some(rules.to_wire()),
        };
        let name = format!("{QUEUE_NOTES}{}", rules.queue_id);
        let is_kept = !rules.is_ladder;
        let opened = self.with(|room, _| room.open_queue(rules))?;
        if is_kept {
            let value = note.encode_to_vec();
            self.store(Write::KeepNote { name, value }).await?;
        }
        Ok(opened)
    }

    /// Closes a queue.
    pub(crate) async fn close_queue(&self, queue_id: &QueueId) -> Result<(), Refusal> {
        let is_known = self.with(|room, _| {
            let is_known = room.rules(queue_id).is_some();
            room.close_queue(queue_id);
            is_known
        });
        if is_known {
            let name = format!("{QUEUE_NOTES}{queue_id}");
            self.store(Write::DropNote { name }).await?;
        }
        Ok(())
    }

    async fn store(&self, note: Write) -> Result<(), Refusal> {
        match &self.journal {
            Some(journal) => {
                let stored = journal.note(vec![note]).wait().await;
                stored.map_err(|NotStored| Refusal::storage_failed())
            }
            None => Ok(()),
        }
    }

    /// The rules of a queue.
    pub(crate) fn rules(&self, queue_id: &QueueId) -> Option<QueueRules> {
        self.with(|room, _| room.rules(queue_id).cloned())
    }

    /// A bot attends. Gives its stream, and matches that are to be cancelled: their seats were
    /// offered to another version of the bot, which had not taken them.
    pub(crate) fn attend(
        self: &Arc<Self>,
        asking: Asking,
    ) -> Result<(AttendStream, Vec<(MatchId, Seat)>), Refusal> {
        let queue_id = asking.queue_id.clone();
        let mut locked = self.locked.lock();
        let attended = locked.room.attend(asking);
        let (number, off) = match attended {
            Ok(attended) => attended,
            Err(Refused::QueueUnknown) => return Err(queue_unknown(queue_id.as_str())),
            Err(refused) => return Err(refused.into()),
        };
        let wake = Arc::new(Notify::new());
        locked.wakers.insert(number, Arc::clone(&wake));
        drop(locked);
        // Wakes the stream that it replaces.
        self.with(|_, _| {});
        let stream = AttendStream {
            lobby: Arc::clone(self),
            number,
            wake,
        };
        Ok((stream, off))
    }

    /// Follows who attends a queue.
    pub(crate) fn watch(self: &Arc<Self>, queue_id: QueueId) -> QueueWatch {
        QueueWatch {
            changes: self.changes.subscribe(),
            lobby: Arc::clone(self),
            queue_id,
            watched: Watched::default(),
        }
    }

    /// Makes a match of which seats are offered to attending bots. This is how whoever runs a queue
    /// offers seats: a contest by CreateMatch, a ladder from within. The same request again gives
    /// the same match, and its offers hold.
    ///
    /// # Errors
    /// As [`Matches::create`]; and when one of the bots cannot be offered a seat now, with
    /// BOT_NOT_AVAILABLE. Nothing is made then.
    pub(crate) async fn make_match(
        self: &Arc<Self>,
        matches: &Arc<Matches>,
        config: &MatchConfig,
        mut making: Making,
        invited: BTreeMap<Seat, Invited>,
        purpose: OfferPurpose,
    ) -> Result<Made, Refusal> {
        let turn = match matches.begin_making(making.request.as_ref()).await? {
            Begun::Before(made) => return Ok(made),
            Begun::Now(turn) => turn,
        };
        for one in invited.values() {
            self.check_game(config, &one.queue_id)?;
        }
        let slots: Vec<_> = invited
            .values()
            .map(|one| (one.queue_id.clone(), one.bot.clone()))
            .collect();
        let versions = self.with(|room, now| room.hold(&slots, now))?;
        let lobby = Arc::clone(self);
        let held: Arc<dyn Any + Send + Sync> = Arc::new(HeldSlots { lobby, slots });
        for (one, version) in invited.values().zip(&versions) {
            if one.version.as_ref().is_some_and(|meant| meant != version) {
                let bot = one.bot.clone();
                let why = "it attends with another version by now".to_owned();
                return Err(Refused::NotAvailable { bot, why }.into());
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
        making.kept_meanwhile = Some(held);
        matches.make(config, making, turn).await
    }

    /// Makes sure that a match is of the game of a queue.
    fn check_game(&self, config: &MatchConfig, queue_id: &QueueId) -> Result<(), Refusal> {
        let rules = self.rules(queue_id);
        let rules = rules.ok_or_else(|| queue_unknown(queue_id.as_str()))?;
        let game = config.game.as_ref().and_then(game_id);
        match (rules.game_id, game) {
            (Some(of_queue), Some(game)) if of_queue != game => Err(Refusal::field(
                "config.game",
                format!("the queue {queue_id} is for {of_queue}, not for {game}"),
            )),
            _ => Ok(()),
        }
    }
}

/// The stream of an attendance. Dropped, the bot is absent until it opens another.
pub(crate) struct AttendStream {
    lobby: Arc<Lobby>,
    number: StreamNumber,
    wake: Arc<Notify>,
}

impl AttendStream {
    /// The next message; `None` when the bot has left.
    ///
    /// # Errors
    /// Why the stream ends otherwise.
    pub(crate) async fn next(&mut self) -> Result<Option<AttendResponse>, Refusal> {
        loop {
            let told = self.lobby.with(|room, now| room.tell(self.number, now));
            match told {
                Told::Message(message) => return Ok(Some(message)),
                Told::Nothing => self.wake.notified().await,
                Told::End(StreamEnd::Left) => return Ok(None),
                Told::End(StreamEnd::Superseded) => {
                    return Err(Refusal::new(
                        RefusalReason::Superseded,
                        "a newer stream of this attendance took over",
                    ));
                }
                Told::End(StreamEnd::Benched(detail)) => {
                    return Err(Refused::Benched(detail).into());
                }
            }
        }
    }
}

impl Drop for AttendStream {
    fn drop(&mut self) {
        let number = self.number;
        self.lobby.with(|room, now| room.lost(number, now));
        self.lobby.locked.lock().wakers.remove(&number);
    }
}

/// Follows who attends a queue.
pub(crate) struct QueueWatch {
    lobby: Arc<Lobby>,
    queue_id: QueueId,
    watched: Watched,
    changes: watch::Receiver<u64>,
}

impl QueueWatch {
    /// What is new, at least one message; `None` once there is no such queue.
    pub(crate) async fn next(&mut self) -> Option<Vec<WatchQueueResponse>> {
        loop {
            self.changes.mark_unchanged();
            let Self {
                lobby,
                queue_id,
                watched,
                ..
            } = self;
            let news = lobby.with(|room, _| room.news(queue_id, watched))?;
            if !news.is_empty() {
                return Some(news);
            }
            // The sender is in the lobby, which is held here.
            self.changes.changed().await.ok()?;
        }
    }
}

impl MatchListener for Lobby {
    fn hosted(&self, hosted: &dyn HostedMatch, ticket: &dyn Fn(Seat) -> Ticket, is_new: bool) {
        if hosted.offered().is_empty() {
            return;
        }
        let mut time = hosted.startup();
        if !is_new {
            time = time.max(LEAST_TIME_AFTER_RESTART);
        }
        for (seat, offered) in hosted.offered() {
            let named = QueueId::new(&offered.queue_id).zip(BotName::new(&offered.bot_name));
            let Some((queue_id, bot)) = named else {
                error!(match_id = %hosted.id(), %seat, "the offer of a seat cannot be read");
                continue;
            };
            let is_taken = hosted.has_come(*seat);
            let ticket = ticket(*seat);
            self.with(|room, now| {
                let offer = SeatOffer {
                    match_id: hosted.id().clone(),
                    seat: *seat,
                    ticket,
                    game_id: hosted.game_id(),
                    rules_version: hosted.rules_version(),
                    offered: offered.clone(),
                    until: now + time,
                    is_taken,
                    told: None,
                };
                room.place(&queue_id, &bot, offer);
            });
        }
    }

    fn joined(&self, id: &MatchId, seat: Seat) {
        self.with(|room, _| room.joined(id, seat));
    }

    fn over(&self, id: &MatchId, gate: Option<&Gate>) {
        if !self.with(|room, _| room.knows(id)) {
            return;
        }
        match (gate, self.itself.upgrade()) {
            (Some(gate), Some(lobby)) if !gate.is_open() => {
                let (gate, id) = (gate.clone(), id.clone());
                tokio::spawn(async move {
                    // If it is never stored, the server ends.
                    if gate.wait().await.is_ok() {
                        lobby.with(|room, now| room.over(&id, now));
                    }
                });
            }
            _ => self.with(|room, now| room.over(id, now)),
        }
    }
}

/// What the note of a queue says; `None` if it makes no sense.
fn read_note(note: QueueNote) -> Option<QueueRules> {
    let queue = note.queue?;
    let owner = note.owner.map(KeyName::new).transpose().ok()?;
    let key_names = queue.key_names.iter().map(KeyName::new);
    Some(QueueRules {
        queue_id: QueueId::new(&queue.queue_id)?,
        owner,
        game_id: Some(queue.game_id).filter(|game| !game.is_empty()),
        rules_version: queue.rules_version,
        key_names: key_names.collect::<Result<_, _>>().ok()?,
        is_ladder: queue.is_ladder,
        newcomers: Standing::default(),
    })
}

/// The refusal of a queue that there is not, or not for the caller.
pub(crate) fn queue_unknown(queue_id: &str) -> Refusal {
    let shown: String = queue_id
        .chars()
        .take(crate::limits::MAX_REPEATED_CHARS)
        .collect();
    Refusal::new(
        RefusalReason::QueueUnknown,
        format!("no queue that the caller may use has the name {shown:?}"),
    )
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::QueueUnknown => Self::new(
                RefusalReason::QueueUnknown,
                "no queue that the caller may use has this name",
            ),
            Refused::AttendanceUnknown => Self::new(
                RefusalReason::AttendanceUnknown,
                "no attendance of the caller has this identifier; attend again",
            ),
            Refused::OfferUnknown => Self::new(
                RefusalReason::OfferUnknown,
                "no open offer to the caller has this identifier",
            ),
            Refused::Benched(detail) => Self::new(
                RefusalReason::BotBenched,
                format!("this version of the bot plays no more: {detail}"),
            ),
            Refused::NotAvailable { bot, why } => Self::new(
                RefusalReason::BotNotAvailable,
                format!("the bot {bot} can be offered no seat now: {why}"),
            )
            .with("bot_name", bot.as_str()),
            Refused::QueueTaken => Self::field(
                "queue.queue_id",
                "a queue of this name is there already, and is another one",
            ),
            Refused::Limit(limit, value) => Self::limit(limit, value),
            Refused::ServerLimit(limit, value) => Self::server_limit(limit, value),
        }
    }
}
