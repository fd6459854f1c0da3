//! Queues, attendances and offers, without I/O: time and random numbers are parameters.

mod attending;
mod queues;
mod seats;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::{Duration, Instant},
};

use bridgemaster_match::MatchId;
use bridgemaster_store::KeyName;

use super::{
    AttendanceId, BotName, OfferId, QueueId,
    attendance::{Attendance, Place},
    queue::Queue,
    stream::{AttendingStream, StreamEnd, StreamNumber},
};
use crate::{limits::Limits, transport::CallerId};

/// Why a call is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// There is no such queue for the caller.
    QueueUnknown,
    /// There is no such attendance of the caller's.
    AttendanceUnknown,
    /// There is no such open offer to the caller.
    OfferUnknown,
    /// The version of the bot is benched, for this reason.
    Benched(String),
    /// The bot can be offered no seat now, for this reason.
    NotAvailable {
        /// The bot.
        bot: BotName,
        /// Why.
        why: String,
    },
    /// The name of the queue is another one's.
    QueueTaken,
    /// A limit of the caller's.
    Limit(&'static str, usize),
    /// A limit of all callers together.
    ServerLimit(&'static str, usize),
}

/// A bot that asks to attend.
#[derive(Clone, Debug)]
pub(crate) struct Asking {
    pub(crate) queue_id: QueueId,
    pub(crate) bot: BotName,
    pub(crate) version: String,
    /// The owner of its key; empty when it has none.
    pub(crate) owner: String,
    /// Its key, where there are keys.
    pub(crate) key: Option<KeyName>,
    /// Whom it counts for; nobody in a test.
    pub(crate) caller: Option<CallerId>,
    pub(crate) slots: u32,
    /// Names its attendance, if it has none.
    pub(crate) new_id: AttendanceId,
}

/// What is to be looked at when its moment comes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// An offer that may not have been taken.
    Offer(QueueId, BotName, OfferId),
    /// A bot that may still be away.
    Absence(QueueId, BotName),
    /// A bot that may not have been told how it stands.
    Standing(QueueId, BotName),
}

/// Time within which a bot is told that it has free slots again. It is told with the next offer, if
/// that comes sooner: a bot that plays many short matches would read of nothing else.
const FREE_SLOTS_TOLD_IN: Duration = Duration::from_millis(100);

/// Queues, attendances and offers.
#[derive(Debug)]
pub(crate) struct WaitingRoom {
    limits: Limits,
    pub(super) queues: BTreeMap<QueueId, Queue>,
    attendances: HashMap<AttendanceId, (QueueId, BotName)>,
    pub(super) streams: HashMap<StreamNumber, AttendingStream>,
    /// The offered seats of each match that is not over.
    matches: HashMap<MatchId, Vec<(QueueId, BotName, OfferId)>>,
    attendances_of: HashMap<Option<CallerId>, usize>,
    due: BTreeSet<(Instant, Due)>,
    last_stream: u64,
    /// Counts changes that somebody is told of.
    revision: u64,
    /// Streams that have something to be told.
    woken: Vec<StreamNumber>,
}

impl WaitingRoom {
    /// Without queues.
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

    /// Streams that have something to be told since this was asked last.
    pub(super) fn take_woken(&mut self) -> Vec<StreamNumber> {
        std::mem::take(&mut self.woken)
    }

    /// Counts changes that watchers are told of.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// When [`WaitingRoom::tick`] is to be called.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Acts on time that has passed.
    pub(super) fn tick(&mut self, now: Instant) {
        while let Some((at, _)) = self.due.first()
            && *at <= now
        {
            match self.due.pop_first() {
                Some((_, Due::Offer(queue_id, bot, offer_id))) => {
                    self.offer_ran_out(&queue_id, &bot, &offer_id, now);
                }
                Some((at, Due::Absence(queue_id, bot))) => {
                    self.may_be_away(&queue_id, &bot, at);
                }
                Some((_, Due::Standing(queue_id, bot))) => self.tell_standing(&queue_id, &bot),
                None => {}
            }
        }
    }

    fn place_mut(&mut self, queue_id: &QueueId, bot: &BotName) -> Result<&mut Place, Refused> {
        let queue = self.queues.get_mut(queue_id).ok_or(Refused::QueueUnknown)?;
        Ok(queue.places.entry(bot.clone()).or_default())
    }

    fn attendance(&self, queue_id: &QueueId, bot: &BotName) -> Option<&Attendance> {
        let place = self.queues.get(queue_id)?.places.get(bot)?;
        place.attendance.as_ref()
    }

    fn attendance_mut(&mut self, queue_id: &QueueId, bot: &BotName) -> Option<&mut Attendance> {
        let place = self.queues.get_mut(queue_id)?.places.get_mut(bot)?;
        place.attendance.as_mut()
    }

    /// Has everybody told how a bot stands now.
    fn changed(&mut self, queue_id: &QueueId, bot: &BotName) {
        self.note_change(queue_id, bot);
        let attendance = self.attendance(queue_id, bot);
        self.woken
            .extend(attendance.and_then(|attendance| attendance.stream));
    }

    /// The same where the bot itself has time to be told.
    fn changed_for_others(&mut self, queue_id: &QueueId, bot: &BotName, now: Instant) {
        self.note_change(queue_id, bot);
        let attendance = self.attendance_mut(queue_id, bot);
        if let Some(attendance) = attendance.filter(|one| !one.is_told_soon) {
            attendance.is_told_soon = true;
            let due = Due::Standing(queue_id.clone(), bot.clone());
            self.due.insert((now + FREE_SLOTS_TOLD_IN, due));
        }
    }

    fn tell_standing(&mut self, queue_id: &QueueId, bot: &BotName) {
        if let Some(attendance) = self.attendance_mut(queue_id, bot) {
            attendance.is_told_soon = false;
            let stream = attendance.stream;
            self.woken.extend(stream);
        }
    }

    fn note_change(&mut self, queue_id: &QueueId, bot: &BotName) {
        self.revision += 1;
        let revision = self.revision;
        let Some(queue) = self.queues.get_mut(queue_id) else {
            return;
        };
        queue.revision = revision;
        let place = queue.places.get_mut(bot);
        if let Some(attendance) = place.and_then(|place| place.attendance.as_mut()) {
            attendance.revision = revision;
        }
    }

    /// Ends what is over for a bot: its attendance, if it leaves and plays no more.
    fn settle(&mut self, queue_id: &QueueId, bot: &BotName) {
        let Some(queue) = self.queues.get(queue_id) else {
            return;
        };
        let Some(place) = queue.places.get(bot) else {
            return;
        };
        let attendance = place.attendance.as_ref();
        let has_left = attendance.is_some_and(|one| one.is_leaving) && place.seats.is_empty();
        if has_left && let Some(gone) = self.forget_attendance(queue_id, bot) {
            if let Some(stream) = gone.stream {
                self.end(stream, StreamEnd::Left);
            }
            self.changed(queue_id, bot);
        }
        if let Some(queue) = self.queues.get_mut(queue_id)
            && queue.places.get(bot).is_some_and(Place::is_empty)
        {
            queue.places.remove(bot);
        }
        self.forget_if_closed(queue_id);
    }

    fn end(&mut self, number: StreamNumber, end: StreamEnd) {
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.end = Some(end);
            self.woken.push(number);
        }
    }
}
