//! Queues, attendances and offers, without I/O. Times and random values are parameters.

mod attendances;
mod queues;
mod seats;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_edge::{
    limits::Limits,
    transport::{CallerId, ForwardingNode},
};
use bridgemaster_match::{ClientStream, MatchId};
use bridgemaster_store::KeyName;

use super::{
    AttendanceId, BotName, OfferId, QueueId,
    attendance::{Attendance, AttendanceStream, QueueEntry, StreamEnd, StreamNumber},
    queue::Queue,
};

/// An error of a call to the waiting room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LobbyError {
    /// The queue does not exist, or the caller may not use it.
    QueueUnknown,
    /// The same client has opened the newest stream of the attendance later.
    Superseded,
    /// The caller has no such attendance.
    AttendanceUnknown,
    /// The caller has no such open offer.
    OfferUnknown,
    /// The version of the bot is benched, for this reason.
    Benched(String),
    /// The bot cannot be offered a seat now.
    NotAvailable {
        /// The name of the bot.
        bot: BotName,
        /// The reason, for people.
        why: String,
    },
    /// Another queue has this name.
    QueueExists,
    /// A limit of the caller is reached. Contains the name and value of the limit.
    Limit(&'static str, usize),
    /// A limit of the server is reached. Contains the name and value of the limit.
    ServerLimit(&'static str, usize),
}

/// A request of a bot to attend a queue.
#[derive(Clone, Debug)]
pub struct NewAttendance {
    /// The queue to attend.
    pub queue_id: QueueId,
    /// The name of the bot.
    pub bot: BotName,
    /// The version that the bot reports.
    pub version: String,
    /// The owner of the bot's key; empty if the bot has no key.
    pub owner: String,
    /// The key of the bot; `None` without keys.
    pub key: Option<KeyName>,
    /// The caller against whose limit the attendance counts; `None` in tests.
    pub caller: Option<CallerId>,
    /// The number of matches that the bot plays at once.
    pub slots: u32,
    /// The node that forwards the stream, if any.
    pub node: Option<Arc<ForwardingNode>>,
    /// The client's identification of the stream.
    pub client_stream: Option<ClientStream>,
    /// The identifier of the attendance, if the bot does not attend yet.
    pub new_id: AttendanceId,
}

/// An action that is due at a certain time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DueAction {
    /// Expires an offer that is not taken.
    Offer(QueueId, BotName, OfferId),
    /// Ends the attendance of a bot that is still absent.
    Absence(QueueId, BotName),
    /// Sends the current attendance of a bot on the bot's stream.
    Notification(QueueId, BotName),
}

/// The delay after which a bot is notified of free slots, unless the next offer comes first.
/// Without the delay, most messages to a bot that plays many short matches would be such
/// notifications.
const SLOT_NOTIFICATION_DELAY: Duration = Duration::from_millis(100);

/// The state of all queues, attendances and offers.
#[derive(Debug)]
pub struct WaitingRoom {
    limits: Limits,
    pub(super) queues: BTreeMap<QueueId, Queue>,
    attendances: HashMap<AttendanceId, (QueueId, BotName)>,
    pub(super) streams: HashMap<StreamNumber, AttendanceStream>,
    /// The offered seats of each match in play.
    matches: HashMap<MatchId, Vec<(QueueId, BotName, OfferId)>>,
    attendances_of: HashMap<Option<CallerId>, usize>,
    due: BTreeSet<(Instant, DueAction)>,
    last_stream: u64,
    /// The number of changes that clients see.
    revision: u64,
    /// Streams to wake, because they have a message.
    woken: Vec<StreamNumber>,
}

impl WaitingRoom {
    /// Creates a waiting room without queues.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            queues: BTreeMap::new(),
            attendances: HashMap::new(),
            streams: HashMap::new(),
            matches: HashMap::new(),
            attendances_of: HashMap::new(),
            due: BTreeSet::new(),
            last_stream: 0,
            revision: 0,
            woken: Vec::new(),
        }
    }

    /// Returns the streams that got a message to send since the last call.
    pub(super) fn take_streams_with_messages(&mut self) -> Vec<StreamNumber> {
        std::mem::take(&mut self.woken)
    }

    /// Returns the number of changes that watchers see.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the time at which [`WaitingRoom::run_due_actions`] must be called next.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Runs the actions that are due.
    pub(super) fn run_due_actions(&mut self, now: Instant) {
        while let Some((at, _)) = self.due.first()
            && *at <= now
        {
            match self.due.pop_first() {
                Some((_, DueAction::Offer(queue_id, bot, offer_id))) => {
                    self.expire_offer(&queue_id, &bot, &offer_id, now);
                }
                Some((at, DueAction::Absence(queue_id, bot))) => {
                    self.expire_absence(&queue_id, &bot, at);
                }
                Some((_, DueAction::Notification(queue_id, bot))) => {
                    self.notify_stream(&queue_id, &bot)
                }
                None => {}
            }
        }
    }

    fn entry_mut(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
    ) -> Result<&mut QueueEntry, LobbyError> {
        let queue = self.queues.get_mut(queue_id).ok_or(LobbyError::QueueUnknown)?;
        Ok(queue.entries.entry(bot.clone()).or_default())
    }

    fn attendance(&self, queue_id: &QueueId, bot: &BotName) -> Option<&Attendance> {
        let entry = self.queues.get(queue_id)?.entries.get(bot)?;
        entry.attendance.as_ref()
    }

    fn attendance_mut(&mut self, queue_id: &QueueId, bot: &BotName) -> Option<&mut Attendance> {
        let entry = self.queues.get_mut(queue_id)?.entries.get_mut(bot)?;
        entry.attendance.as_mut()
    }

    /// Records a change of a bot, and notifies its stream and all watchers.
    fn notify(&mut self, queue_id: &QueueId, bot: &BotName) {
        self.record_change(queue_id, bot);
        let attendance = self.attendance(queue_id, bot);
        self.woken.extend(attendance.and_then(|attendance| attendance.stream));
    }

    /// Records a change of a bot, and notifies all watchers at once and its stream after a delay.
    fn notify_deferred(&mut self, queue_id: &QueueId, bot: &BotName, now: Instant) {
        self.record_change(queue_id, bot);
        let attendance = self.attendance_mut(queue_id, bot);
        if let Some(attendance) = attendance.filter(|one| !one.is_notification_scheduled) {
            attendance.is_notification_scheduled = true;
            let due = DueAction::Notification(queue_id.clone(), bot.clone());
            self.due.insert((now + SLOT_NOTIFICATION_DELAY, due));
        }
    }

    fn notify_stream(&mut self, queue_id: &QueueId, bot: &BotName) {
        if let Some(attendance) = self.attendance_mut(queue_id, bot) {
            attendance.is_notification_scheduled = false;
            let stream = attendance.stream;
            self.woken.extend(stream);
        }
    }

    fn record_change(&mut self, queue_id: &QueueId, bot: &BotName) {
        self.revision += 1;
        let revision = self.revision;
        let Some(queue) = self.queues.get_mut(queue_id) else {
            return;
        };
        queue.revision = revision;
        let entry = queue.entries.get_mut(bot);
        if let Some(attendance) = entry.and_then(|entry| entry.attendance.as_mut()) {
            attendance.revision = revision;
        }
    }

    /// Ends the attendance of a bot that is leaving and has no matches left, and removes an entry
    /// that has become empty.
    fn clean_up(&mut self, queue_id: &QueueId, bot: &BotName) {
        let Some(queue) = self.queues.get(queue_id) else {
            return;
        };
        let Some(entry) = queue.entries.get(bot) else {
            return;
        };
        let attendance = entry.attendance.as_ref();
        let has_left = attendance.is_some_and(|one| one.is_leaving) && entry.seats.is_empty();
        if has_left && let Some(gone) = self.remove_attendance(queue_id, bot) {
            if let Some(stream) = gone.stream {
                self.end_stream(stream, StreamEnd::Left);
            }
            self.notify(queue_id, bot);
        }
        if let Some(queue) = self.queues.get_mut(queue_id)
            && queue.entries.get(bot).is_some_and(QueueEntry::is_empty)
        {
            queue.entries.remove(bot);
        }
        self.remove_if_closed(queue_id);
    }

    fn end_stream(&mut self, number: StreamNumber, end: StreamEnd) {
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.end = Some(end);
            self.woken.push(number);
        }
    }
}
