//! One call: whose it is, what it has of the server's allowances, and whether its answer is read.

use std::{
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::KeyId;
use parking_lot::{Mutex, MutexGuard};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::AbortHandle,
};
use tonic::Status;

use super::{
    allowances::{Allowance, Allowances, permits},
    answer::Answer,
    answer_room::{self, AnswerRoom},
    caller_id::CallerId,
    crowd::{CrowdMember, CrowdPlace},
    origin::Origin,
    request_bytes::RequestBytes,
    rules_allowance::RulesAllowance,
    turns::InLine,
};
use crate::{
    refusal::Refusal,
    tally::{Taken, Tally},
};

tokio::task_local! {
    /// The call that a task is for.
    pub(super) static CURRENT: Arc<Call>;
}

/// What a call is for, as far as the transport cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    /// The stream of a bot.
    BotStream,
    /// News for a spectator.
    Watch,
    /// Anything else.
    Other,
}

/// What the calls of one connection share.
pub(super) struct ConnectionShare {
    allowances: Arc<Allowances>,
    origin: Origin,
    /// Of the caller's address.
    address: Arc<Allowance>,
    unread: Arc<Semaphore>,
    /// Calls in progress.
    open_calls: Arc<AtomicUsize>,
}

impl ConnectionShare {
    pub(super) fn new(allowances: &Arc<Allowances>, origin: Origin) -> Arc<Self> {
        let unread = permits(allowances.limits.unread_answer_bytes_per_connection);
        Arc::new(Self {
            address: allowances.of(&CallerId::Address(origin)),
            allowances: Arc::clone(allowances),
            origin,
            unread: Arc::new(Semaphore::new(unread)),
            open_calls: Arc::default(),
        })
    }

    /// How many calls are in progress.
    pub(super) fn open_calls(&self) -> &Arc<AtomicUsize> {
        &self.open_calls
    }

    /// A place in line for a turn.
    pub(super) fn in_line(&self) -> InLine {
        self.allowances.turns.in_line()
    }

    /// How long an answer may stay unread.
    pub(super) fn unread_time(&self) -> Duration {
        self.allowances.limits.unread_time
    }
}

/// A call in progress.
pub(crate) struct Call {
    connection: Arc<ConnectionShare>,
    held: Mutex<Held>,
    begun_at: Instant,
    /// It is the stream of a bot, which waits for no turn.
    is_of_bot: AtomicBool,
    is_request_whole: AtomicBool,
    /// Ends its task.
    task: OnceLock<AbortHandle>,
    pub(super) answer: Answer,
}

/// What a call has of the allowances.
struct Held {
    kind: CallKind,
    caller: CallerId,
    allowance: Arc<Allowance>,
    place: Option<Taken>,
    place_of_caller: Option<Taken>,
    crowd_place: Option<CrowdPlace>,
    /// For bytes of the answer, of the connection, the caller and the server.
    room: Vec<OwnedSemaphorePermit>,
}

/// A spectator's call: whose it is, and whether it reads.
#[derive(Clone)]
pub(crate) struct Watcher {
    pub(crate) caller: CallerId,
    call: Weak<Call>,
}

impl Watcher {
    /// How long it has not read what it was handed; nothing if it waits for news.
    pub(crate) fn unread_for(&self) -> Option<Duration> {
        let since = self.call.upgrade()?.answer.unread_since()?;
        Some(since.elapsed())
    }
}

/// The allowances for messages that wait for a bot.
#[derive(Clone)]
pub(crate) struct QueueAllowance {
    of_caller: Arc<Tally>,
    in_all: Arc<Tally>,
}

impl QueueAllowance {
    /// Reserves this many bytes, if that many are left.
    pub(crate) fn reserve(&self, bytes: usize) -> Option<[Taken; 2]> {
        Some([
            self.of_caller.try_acquire(bytes)?,
            self.in_all.try_acquire(bytes)?,
        ])
    }
}

impl Call {
    pub(super) fn new(connection: Arc<ConnectionShare>) -> Arc<Self> {
        let held = Held {
            kind: CallKind::Other,
            caller: CallerId::Address(connection.origin),
            allowance: Arc::clone(&connection.address),
            place: None,
            place_of_caller: None,
            crowd_place: None,
            room: Vec::new(),
        };
        connection.open_calls.fetch_add(1, Ordering::Relaxed);
        Arc::new(Self {
            connection,
            held: Mutex::new(held),
            begun_at: Instant::now(),
            is_of_bot: AtomicBool::new(false),
            is_request_whole: AtomicBool::new(false),
            task: OnceLock::new(),
            answer: Answer::default(),
        })
    }

    /// The call that this task is for; `None` in a task that serves none.
    pub(crate) fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    /// Takes a place on the server, and one of its caller: of the `key` that it shows, or of the
    /// address. What others behind the same address have in progress must not keep the holder of a
    /// key from calling. A bot's stream takes no place before it is known whose seat it is for.
    pub(super) fn begin(
        self: &Arc<Self>,
        kind: CallKind,
        key: Option<KeyId>,
    ) -> Result<(), Refusal> {
        let mut held = self.held();
        held.kind = kind;
        if let Some(key) = key {
            held.count_for(key, &self.connection.allowances);
        }
        if kind == CallKind::BotStream {
            self.is_of_bot.store(true, Ordering::Relaxed);
            return Ok(());
        }
        held.acquire_place_of_caller()?;
        let allowances = &self.connection.allowances;
        let calls = &allowances.in_all.calls;
        held.place = match calls.try_acquire(1) {
            Some(place) => Some(place),
            None => {
                let caller = held.caller.clone();
                // Others tell whose they are.
                drop(held);
                let is_room_made = allowances.crowd.give_way(&caller);
                held = self.held();
                match is_room_made {
                    // What gives way is gone in a moment; until then this one is one too many.
                    true => Some(calls.acquire_beyond(1)),
                    false => Some(acquire_of_server(calls, "other_calls")?),
                }
            }
        };
        let member: Weak<Self> = Arc::downgrade(self);
        held.crowd_place = Some(allowances.crowd.add(member));
        Ok(())
    }

    /// Another server has passed it on for a caller at this address: it counts for that one.
    pub(super) fn comes_from(&self, origin: Origin) {
        let mut held = self.held();
        held.caller = CallerId::Address(origin);
        held.allowance = self.connection.allowances.of(&held.caller);
    }

    /// It is the stream of a seat, as [`Call::is_stream_of_seat`] says, of the caller for whom it
    /// counts by now.
    ///
    /// # Errors
    /// As [`Call::is_of`].
    pub(crate) fn is_stream_of_known_caller(&self) -> Result<(), Refusal> {
        match self.caller_id() {
            CallerId::Key(key) => self.is_stream_of_seat(Some(&key)),
            CallerId::Address(_) => self.is_stream_of_seat(None),
        }
    }

    /// Whether it is the stream of a bot, as far as is known by now.
    pub(super) fn is_of_bot(&self) -> bool {
        self.is_of_bot.load(Ordering::Relaxed)
    }

    /// Its task has begun.
    pub(super) fn is_done_by(&self, task: AbortHandle) {
        // Told once, by whoever began it.
        let _ = self.task.set(task);
    }

    /// All of its request is there.
    pub(crate) fn request_is_whole(&self) {
        self.is_request_whole.store(true, Ordering::Relaxed);
    }

    /// Takes note whose call it is: it then counts for the key, if it did not from its beginning,
    /// or without keys for the address. A bot's stream counts for no address: others behind it must
    /// not keep the bot from its seat, and tickets bound how many there are.
    ///
    /// # Errors
    /// When the caller, or for a bot's stream the server, has too many calls in progress.
    pub(crate) fn is_of(&self, key: Option<&KeyId>) -> Result<(), Refusal> {
        let mut held = self.held();
        if let Some(key) = key {
            held.count_for(key.clone(), &self.connection.allowances);
        }
        let counts = key.is_some() || held.kind != CallKind::BotStream;
        if counts && held.place_of_caller.is_none() {
            held.acquire_place_of_caller()?;
        }
        if held.place.is_none() {
            let bot_streams = &self.connection.allowances.in_all.bot_streams;
            held.place = Some(acquire_of_server(bot_streams, "bot_streams")?);
        }
        Ok(())
    }

    /// It turns out to be the stream of a seat: it gives up the places that it had as any other call,
    /// and counts as the stream of a bot from now on.
    ///
    /// # Errors
    /// As [`Call::is_of`].
    pub(crate) fn is_stream_of_seat(&self, key: Option<&KeyId>) -> Result<(), Refusal> {
        self.is_of_bot.store(true, Ordering::Relaxed);
        let mut held = self.held();
        held.kind = CallKind::BotStream;
        let places = (
            held.place.take(),
            held.place_of_caller.take(),
            held.crowd_place.take(),
        );
        // Not under its lock, which whoever looks through the crowd asks for.
        drop(held);
        drop(places);
        self.is_of(key)
    }

    /// Waits until there is room for an answer of so many bytes of the call that this task is for,
    /// or for as many as there may be at all. To be called before the answer is made; the room is
    /// the call's until it ends, or what the answer needs of it.
    ///
    /// # Errors
    /// When earlier answers are not read meanwhile, with the limit.
    pub(crate) async fn room_for_answer(bytes: usize) -> Result<(), Refusal> {
        if let Some(call) = Self::current() {
            let room = call.wait_for_room(bytes).await?;
            call.held().room.extend(room);
        }
        Ok(())
    }

    /// The same for what a stream is made from, as long as the room is held.
    ///
    /// # Errors
    /// As [`Call::room_for_answer`].
    pub(crate) async fn room(bytes: usize) -> Result<AnswerRoom, Refusal> {
        let room = match Self::current() {
            Some(call) => call.wait_for_room(bytes).await?,
            None => Vec::new(),
        };
        Ok(AnswerRoom::of(room))
    }

    async fn wait_for_room(&self, bytes: usize) -> Result<Vec<OwnedSemaphorePermit>, Refusal> {
        let limits = &self.connection.allowances.limits;
        let (of_caller, caller_permits) = {
            let held = self.held();
            (
                Arc::clone(&held.allowance.unread),
                held.allowance.unread_permits,
            )
        };
        let in_all = &self.connection.allowances.in_all;
        let parts = [
            (
                &self.connection.unread,
                permits(limits.unread_answer_bytes_per_connection),
                "unread_answer_bytes_per_connection",
            ),
            (&of_caller, caller_permits, "unread_answer_bytes_per_caller"),
            (&in_all.unread, in_all.unread_permits, "unread_answer_bytes"),
        ];
        answer_room::wait(parts, bytes, limits.unread_time).await
    }

    /// Gives back what the answer does not need of its room: it takes so many bytes.
    pub(super) fn needs_room(&self, bytes: usize) {
        let mut held = self.held();
        for permit in &mut held.room {
            let spare = permit.num_permits().saturating_sub(permits(bytes));
            drop(permit.split(spare));
        }
    }

    /// Counts bytes of its request that came and are not handled.
    ///
    /// # Errors
    /// When there are too many such bytes.
    pub(crate) fn request_bytes(&self, bytes: usize) -> Result<RequestBytes, Refusal> {
        let of_caller = Arc::clone(&self.held().allowance.request_bytes);
        let in_all = &self.connection.allowances.in_all.request_bytes;
        RequestBytes::acquire(&of_caller, in_all, bytes)
    }

    /// The allowances for messages that wait for its bot.
    pub(crate) fn queue_allowance(&self) -> QueueAllowance {
        QueueAllowance {
            of_caller: Arc::clone(&self.held().allowance.bot_queue_bytes),
            in_all: Arc::clone(&self.connection.allowances.in_all.bot_queue_bytes),
        }
    }

    /// What its caller may have of the rules.
    pub(crate) fn rules_allowance(&self) -> RulesAllowance {
        RulesAllowance {
            of_caller: self.held().allowance.rules.clone(),
            in_all: self.connection.allowances.in_all.rules.clone(),
        }
    }

    /// Whom it counts for.
    pub(crate) fn caller_id(&self) -> CallerId {
        self.held().caller.clone()
    }

    /// Itself as a spectator's call.
    pub(crate) fn watcher(self: &Arc<Self>) -> Watcher {
        Watcher {
            caller: self.held().caller.clone(),
            call: Arc::downgrade(self),
        }
    }

    /// Lets go of an answer that nobody reads. Whoever reads on is told why.
    pub(super) fn give_up(&self) {
        let (room, kind) = {
            let mut held = self.held();
            (std::mem::take(&mut held.room), held.kind)
        };
        let time_ms = self.connection.unread_time().as_millis();
        let refusal = match kind {
            CallKind::BotStream | CallKind::Watch => Refusal::new(
                RefusalReason::SlowConsumer,
                format!("nothing was read for {time_ms} ms, the limit unread_time"),
            ),
            CallKind::Other => Refusal::new(
                RefusalReason::LimitReached,
                format!("the answer was not read within {time_ms} ms, the limit unread_time"),
            ),
        };
        let refusal = refusal
            .with("limit", "unread_time")
            .with("value", time_ms.to_string());
        self.answer.give_up(Status::from(refusal));
        drop(room);
    }

    /// The moment until which the peer has to read on; `None` while it need not.
    pub(super) fn read_by(&self) -> Option<Instant> {
        Some(self.answer.unread_since()? + self.connection.unread_time())
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock()
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.connection.open_calls.fetch_sub(1, Ordering::Relaxed);
    }
}

impl CrowdMember for Call {
    fn caller(&self) -> CallerId {
        self.held().caller.clone()
    }

    fn waits_for_peer(&self) -> Option<Duration> {
        if !self.is_request_whole.load(Ordering::Relaxed) {
            return Some(self.begun_at.elapsed());
        }
        Some(self.answer.unread_since()?.elapsed())
    }

    fn end(&self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }
}

impl Held {
    /// Counts for a key from now on.
    fn count_for(&mut self, key: KeyId, allowances: &Allowances) {
        let caller = CallerId::Key(key);
        if self.caller != caller {
            self.allowance = allowances.of(&caller);
            self.caller = caller;
            self.place_of_caller = None;
        }
    }

    fn acquire_place_of_caller(&mut self) -> Result<(), Refusal> {
        self.place_of_caller = Some(match self.kind {
            CallKind::BotStream => acquire(&self.allowance.bot_streams, "bot_streams_per_caller")?,
            _ => acquire(&self.allowance.calls, "other_calls_per_caller")?,
        });
        Ok(())
    }
}

fn acquire(tally: &Arc<Tally>, limit: &'static str) -> Result<Taken, Refusal> {
    tally
        .try_acquire(1)
        .ok_or_else(|| Refusal::limit(limit, tally.limit()))
}

fn acquire_of_server(tally: &Arc<Tally>, limit: &'static str) -> Result<Taken, Refusal> {
    tally
        .try_acquire(1)
        .ok_or_else(|| Refusal::server_limit(limit, tally.limit()))
}
