//! Queues, attendances and offers, without I/O: time and random numbers are parameters.

mod seats;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    time::Instant,
};

use bridgemaster_match::MatchId;
use bridgemaster_proto::v1;
use bridgemaster_store::KeyName;

use super::{
    AttendanceId, BotName, OfferId, QueueId, QueueRules, Standing,
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
}

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

    /// Opens a queue. The same call again changes nothing.
    ///
    /// # Errors
    /// When its name is taken, or there are too many.
    pub(crate) fn open_queue(&mut self, rules: QueueRules) -> Result<v1::Queue, Refused> {
        if let Some(queue) = self.queues.get_mut(&rules.queue_id) {
            if queue.rules == rules && !queue.is_closing {
                return Ok(queue.to_wire());
            }
            // Of a queue that was closed only its last matches are left: it is opened again.
            if !queue.is_closing || queue.rules.owner != rules.owner {
                return Err(Refused::QueueTaken);
            }
            queue.rules = rules;
            queue.is_closing = false;
            return Ok(queue.to_wire());
        }
        if !rules.is_ladder {
            let (most, of_owner) = (self.limits.queues, self.limits.queues_per_key);
            if self.queues.len() >= most {
                return Err(Refused::ServerLimit("queues", most));
            }
            let owners = self.queues.values().map(|queue| &queue.rules.owner);
            let own = owners.filter(|owner| **owner == rules.owner).count();
            if rules.owner.is_some() && own >= of_owner {
                return Err(Refused::Limit("queues_per_key", of_owner));
            }
        }
        let queue_id = rules.queue_id.clone();
        let queue = Queue::new(rules, false, self.revision);
        let shown = queue.to_wire();
        self.queues.insert(queue_id, queue);
        Ok(shown)
    }

    /// The rules of a queue.
    pub(crate) fn rules(&self, queue_id: &QueueId) -> Option<&QueueRules> {
        self.queues.get(queue_id).map(|queue| &queue.rules)
    }

    /// Closes a queue: nobody attends it any more, and it ends with the last of its matches.
    pub(crate) fn close_queue(&mut self, queue_id: &QueueId) {
        let Some(queue) = self.queues.get_mut(queue_id) else {
            return;
        };
        queue.is_closing = true;
        let bots: Vec<BotName> = queue.places.keys().cloned().collect();
        for bot in bots {
            if let Some(attendance) = self.attendance_mut(queue_id, &bot) {
                attendance.is_leaving = true;
            }
            self.changed(queue_id, &bot);
            self.settle(queue_id, &bot);
        }
        self.forget_if_closed(queue_id);
    }

    /// Queues by name after one of them, at most `count`, of those that are not closed and that
    /// `is_shown`.
    pub(crate) fn list(
        &self,
        after: Option<&QueueId>,
        count: usize,
        is_shown: impl Fn(&QueueRules) -> bool,
    ) -> Vec<v1::Queue> {
        let queues = self.queues.iter();
        let queues = queues.filter(|(id, queue)| {
            after.is_none_or(|after| *id > after) && !queue.is_closing && is_shown(&queue.rules)
        });
        queues
            .take(count)
            .map(|(_, queue)| queue.to_wire())
            .collect()
    }

    /// Whether the bot of a key may attend a queue.
    pub(crate) fn admits(&self, queue_id: &QueueId, key: Option<&KeyName>) -> bool {
        let queue = self.queues.get(queue_id);
        queue.is_some_and(|queue| !queue.is_closing && queue.rules.admits(key))
    }

    /// Takes note of how a version of a bot stands.
    pub(crate) fn set_standing(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
        version: &str,
        standing: Standing,
    ) {
        let Some(queue) = self.queues.get_mut(queue_id) else {
            return;
        };
        let of = (bot.clone(), version.to_owned());
        queue.standings.insert(of, standing.clone());
        let Some(attendance) = self.attendance_mut(queue_id, bot) else {
            return;
        };
        if attendance.version != version {
            return;
        }
        let stream = attendance.stream;
        if let (Some(stream), Standing::Benched { detail }) = (stream, standing) {
            self.end(stream, StreamEnd::Benched(detail));
        }
        self.changed(queue_id, bot);
    }

    /// A bot attends with a new stream; an older one of it ends. Gives the stream, and matches that
    /// cannot be played as they are: their seats were offered to another version of the bot, which
    /// has not taken them.
    ///
    /// # Errors
    /// When it may not.
    pub(super) fn attend(
        &mut self,
        asking: Asking,
    ) -> Result<(StreamNumber, Vec<MatchId>), Refused> {
        let Asking {
            queue_id,
            bot,
            version,
            owner,
            key,
            caller,
            slots,
            new_id,
        } = asking;
        if !self.admits(&queue_id, key.as_ref()) {
            return Err(Refused::QueueUnknown);
        }
        let queue = self.queues.get(&queue_id).ok_or(Refused::QueueUnknown)?;
        if let Standing::Benched { detail } = queue.standing(&bot, &version) {
            return Err(Refused::Benched(detail.clone()));
        }
        let before = self.attendance(&queue_id, &bot);
        let before = before.map(|before| (before.id.clone(), before.stream, before.is_paused));
        let is_counted = self
            .attendance(&queue_id, &bot)
            .is_some_and(|before| before.caller == caller);
        if before.is_none() && self.attendances.len() >= self.limits.attendances {
            return Err(Refused::ServerLimit("attendances", self.limits.attendances));
        }
        let of_caller = self.attendances_of.get(&caller).copied();
        let most = self.limits.attendances_per_caller;
        if !is_counted && of_caller.unwrap_or_default() >= most {
            return Err(Refused::Limit("attendances_per_caller", most));
        }
        let mut id = new_id;
        let mut is_paused = false;
        let mut off = Vec::new();
        if let Some((old_id, stream, was_paused)) = before {
            if let Some(stream) = stream {
                self.end(stream, StreamEnd::Superseded);
            }
            let is_same = self
                .forget_attendance(&queue_id, &bot)
                .is_some_and(|old| old.version == version);
            if is_same {
                id = old_id;
                is_paused = was_paused;
            }
        }
        let place = self.place_mut(&queue_id, &bot)?;
        let of_others = place
            .seats
            .values()
            .filter(|offer| !offer.is_taken && offer.offered.bot_version != version);
        off.extend(of_others.map(|offer| offer.match_id.clone()));
        place
            .seats
            .retain(|_, offer| offer.is_taken || offer.offered.bot_version == version);
        self.last_stream += 1;
        let number = StreamNumber(self.last_stream);
        let place = self.place_mut(&queue_id, &bot)?;
        place.attendance = Some(Attendance {
            id: id.clone(),
            version,
            owner,
            caller: caller.clone(),
            slots,
            is_paused,
            is_leaving: false,
            stream: Some(number),
            revision: 0,
        });
        *self.attendances_of.entry(caller).or_default() += 1;
        self.attendances.insert(id, (queue_id.clone(), bot.clone()));
        let stream = AttendingStream {
            queue_id: queue_id.clone(),
            bot: bot.clone(),
            told: 0,
            withdrawn: VecDeque::new(),
            end: None,
        };
        self.streams.insert(number, stream);
        self.changed(&queue_id, &bot);
        Ok((number, off))
    }

    /// A stream is gone. Its bot is absent, if this was its newest.
    pub(super) fn lost(&mut self, number: StreamNumber, now: Instant) {
        let Some(stream) = self.streams.remove(&number) else {
            return;
        };
        let AttendingStream { queue_id, bot, .. } = stream;
        let Some(attendance) = self.attendance_mut(&queue_id, &bot) else {
            return;
        };
        if attendance.stream != Some(number) {
            return;
        }
        attendance.stream = None;
        let until = now + self.limits.attendance_absence;
        self.due
            .insert((until, Due::Absence(queue_id.clone(), bot.clone())));
        self.changed(&queue_id, &bot);
    }

    /// Changes an attendance of the bot of a key.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn update(
        &mut self,
        id: &AttendanceId,
        key: Option<&KeyName>,
        slots: Option<u32>,
        is_paused: Option<bool>,
    ) -> Result<v1::Attendance, Refused> {
        let (queue_id, bot) = self.attending(id, key)?;
        if let Some(attendance) = self.attendance_mut(&queue_id, &bot) {
            attendance.slots = slots.unwrap_or(attendance.slots);
            attendance.is_paused = is_paused.unwrap_or(attendance.is_paused);
        }
        self.changed(&queue_id, &bot);
        self.shown(&queue_id, &bot)
            .ok_or(Refused::AttendanceUnknown)
    }

    /// The bot of a key leaves when its matches have ended.
    ///
    /// # Errors
    /// When it does not attend.
    pub(crate) fn leave(
        &mut self,
        id: &AttendanceId,
        key: Option<&KeyName>,
    ) -> Result<(), Refused> {
        let (queue_id, bot) = self.attending(id, key)?;
        if let Some(attendance) = self.attendance_mut(&queue_id, &bot) {
            attendance.is_leaving = true;
        }
        self.changed(&queue_id, &bot);
        self.settle(&queue_id, &bot);
        Ok(())
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
                None => {}
            }
        }
    }

    /// The attendance of a bot on the wire.
    pub(crate) fn shown(&self, queue_id: &QueueId, bot: &BotName) -> Option<v1::Attendance> {
        self.queues.get(queue_id)?.attendance(bot)
    }

    /// Everybody who attends a queue.
    pub(crate) fn attending_all(&self, queue_id: &QueueId) -> Vec<v1::Attendance> {
        let Some(queue) = self.queues.get(queue_id) else {
            return Vec::new();
        };
        let bots = queue.places.keys();
        bots.filter_map(|bot| queue.attendance(bot)).collect()
    }

    /// Ends an attendance whose bot has been away since before `limits.attendance_absence`, and has
    /// no match in play.
    fn may_be_away(&mut self, queue_id: &QueueId, bot: &BotName, at: Instant) {
        let is_due = |(due_at, due): &(Instant, Due)| {
            *due_at > at && *due == Due::Absence(queue_id.clone(), bot.clone())
        };
        // It came back, and went again.
        if self.due.iter().any(is_due) {
            return;
        }
        let Some(attendance) = self.attendance_mut(queue_id, bot) else {
            return;
        };
        if attendance.stream.is_some() {
            return;
        }
        attendance.is_leaving = true;
        self.changed(queue_id, bot);
        self.settle(queue_id, bot);
    }

    /// The bot of a key that has this attendance.
    fn attending(
        &self,
        id: &AttendanceId,
        key: Option<&KeyName>,
    ) -> Result<(QueueId, BotName), Refused> {
        let found = self.attendances.get(id);
        let (queue_id, bot) = found.ok_or(Refused::AttendanceUnknown)?;
        if key.is_some_and(|key| key.as_str() != bot.as_str()) {
            return Err(Refused::AttendanceUnknown);
        }
        Ok((queue_id.clone(), bot.clone()))
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
        self.revision += 1;
        let revision = self.revision;
        let Some(queue) = self.queues.get_mut(queue_id) else {
            return;
        };
        queue.revision = revision;
        let place = queue.places.get_mut(bot);
        if let Some(attendance) = place.and_then(|place| place.attendance.as_mut()) {
            attendance.revision = revision;
            self.woken.extend(attendance.stream);
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

    fn forget_attendance(&mut self, queue_id: &QueueId, bot: &BotName) -> Option<Attendance> {
        let place = self.queues.get_mut(queue_id)?.places.get_mut(bot)?;
        let gone = place.attendance.take()?;
        self.attendances.remove(&gone.id);
        if let Some(count) = self.attendances_of.get_mut(&gone.caller) {
            *count -= 1;
            if *count == 0 {
                self.attendances_of.remove(&gone.caller);
            }
        }
        Some(gone)
    }

    fn forget_if_closed(&mut self, queue_id: &QueueId) {
        let queue = self.queues.get(queue_id);
        if queue.is_some_and(|queue| queue.is_closing && queue.places.is_empty()) {
            self.queues.remove(queue_id);
            // Watchers are told that it is gone.
            self.revision += 1;
        }
    }

    fn end(&mut self, number: StreamNumber, end: StreamEnd) {
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.end = Some(end);
            self.woken.push(number);
        }
    }
}
