//! Starts, changes and ends attendances.

use std::time::Instant;

use bridgemaster_edge::transport::CallerId;
use bridgemaster_games::Seat;
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1;
use bridgemaster_store::KeyName;

use super::{
    super::{
        AttendanceId, BotName, QueueId, VersionStatus,
        attendance::{Attendance, AttendanceStream, SeatOffer, StreamEnd, StreamNumber},
    },
    DueAction, LobbyError, NewAttendance, WaitingRoom,
};

impl WaitingRoom {
    /// Starts an attendance with a new stream, which supersedes any older stream. Returns the
    /// number of the stream, and the open offers to another version of the bot, whose matches must
    /// be cancelled.
    ///
    /// # Errors
    /// Returns an error if the bot may not attend, or a limit is reached.
    pub(in crate::lobby) fn attend(
        &mut self,
        request: NewAttendance,
    ) -> Result<(StreamNumber, Vec<(MatchId, Seat)>), LobbyError> {
        let NewAttendance { queue_id, bot, version, owner, key, caller, slots, node, .. } = request;
        let NewAttendance { client_stream, new_id, .. } = request;
        if !self.admits(&queue_id, key.as_ref()) {
            return Err(LobbyError::QueueUnknown);
        }
        let queue = self.queues.get(&queue_id).ok_or(LobbyError::QueueUnknown)?;
        if let VersionStatus::Benched { detail } = queue.status(&bot, &version) {
            return Err(LobbyError::Benched(detail.clone()));
        }
        let newest = self.attendance(&queue_id, &bot).and_then(|one| one.client_stream.as_ref());
        let sent = client_stream.as_ref().zip(newest);
        if sent.is_some_and(|(sent, newest)| sent.is_older_than(newest)) {
            return Err(LobbyError::Superseded);
        }
        self.check_limits(&queue_id, &bot, &caller)?;
        let (id, is_paused) =
            self.supersede_attendance(&queue_id, &bot, &version).unwrap_or((new_id, false));
        self.last_stream += 1;
        let number = StreamNumber(self.last_stream);
        let entry = self.entry_mut(&queue_id, &bot)?;
        let is_of_version =
            |offer: &SeatOffer| offer.is_taken || offer.offered.bot_version == version;
        let of_others = entry.seats.values().filter(|offer| !is_of_version(offer));
        let cancelled = of_others.map(SeatOffer::match_and_seat).collect();
        entry.seats.retain(|_, offer| is_of_version(offer));
        for offer in entry.seats.values_mut() {
            offer.forward_through(node.as_ref());
        }
        entry.attendance = Some(Attendance {
            id: id.clone(),
            version,
            owner,
            caller: caller.clone(),
            slots,
            busy_slots: 0,
            node,
            is_paused,
            is_leaving: false,
            stream: Some(number),
            client_stream,
            expires_at: None,
            is_notification_scheduled: false,
            revision: 0,
        });
        *self.attendances_of.entry(caller).or_default() += 1;
        self.attendances.insert(id, (queue_id.clone(), bot.clone()));
        let stream = AttendanceStream::new(queue_id.clone(), bot.clone());
        self.streams.insert(number, stream);
        self.notify(&queue_id, &bot);
        Ok((number, cancelled))
    }

    /// Checks the limits on attendances, unless the bot attends already.
    fn check_limits(
        &self,
        queue_id: &QueueId,
        bot: &BotName,
        caller: &Option<CallerId>,
    ) -> Result<(), LobbyError> {
        let before = self.attendance(queue_id, bot);
        if before.is_none() && self.attendances.len() >= self.limits.attendances {
            return Err(LobbyError::ServerLimit("attendances", self.limits.attendances));
        }
        let is_counted = before.is_some_and(|before| before.caller == *caller);
        let of_caller = self.attendances_of.get(caller).copied();
        let limit = self.limits.attendances_per_caller();
        if !is_counted && of_caller.unwrap_or_default() >= limit {
            return Err(LobbyError::Limit("attendances_per_caller", limit));
        }
        Ok(())
    }

    /// Ends the previous attendance of a bot. If its version was the same, returns the identifier
    /// and the backoff, which the new attendance takes over.
    fn supersede_attendance(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
        version: &str,
    ) -> Option<(AttendanceId, bool)> {
        if let Some(stream) = self.attendance(queue_id, bot)?.stream {
            self.end_stream(stream, StreamEnd::Superseded);
        }
        let old = self.remove_attendance(queue_id, bot)?;
        (old.version == version).then_some((old.id, old.is_paused))
    }

    /// Removes a closed stream. If it was the newest stream of its bot, the bot becomes absent.
    pub(in crate::lobby) fn disconnect(&mut self, number: StreamNumber, now: Instant) {
        let Some(stream) = self.streams.remove(&number) else {
            return;
        };
        let AttendanceStream { queue_id, bot, .. } = stream;
        let until = now + self.limits.attendance_absence;
        let Some(attendance) = self.attendance_mut(&queue_id, &bot) else {
            return;
        };
        if attendance.stream != Some(number) {
            return;
        }
        attendance.stream = None;
        attendance.expires_at = Some(until);
        self.due.insert((until, DueAction::Absence(queue_id.clone(), bot.clone())));
        self.notify(&queue_id, &bot);
    }

    /// Changes an attendance of the caller's bot.
    ///
    /// # Errors
    /// Returns an error if the caller has no such attendance.
    pub fn update_attendance(
        &mut self,
        id: &AttendanceId,
        key: Option<&KeyName>,
        slots: Option<u32>,
        is_paused: Option<bool>,
        busy_slots: Option<u32>,
    ) -> Result<v1::Attendance, LobbyError> {
        let (queue_id, bot) = self.owned_attendance(id, key)?;
        if let Some(attendance) = self.attendance_mut(&queue_id, &bot) {
            attendance.slots = slots.unwrap_or(attendance.slots);
            attendance.is_paused = is_paused.unwrap_or(attendance.is_paused);
            attendance.busy_slots = busy_slots.unwrap_or(attendance.busy_slots);
        }
        self.notify(&queue_id, &bot);
        self.wire_attendance(&queue_id, &bot).ok_or(LobbyError::AttendanceUnknown)
    }

    /// Ends an attendance of the caller's bot once its matches have ended.
    ///
    /// # Errors
    /// Returns an error if the caller has no such attendance.
    pub fn leave_queue(
        &mut self,
        id: &AttendanceId,
        key: Option<&KeyName>,
    ) -> Result<(), LobbyError> {
        let (queue_id, bot) = self.owned_attendance(id, key)?;
        if let Some(attendance) = self.attendance_mut(&queue_id, &bot) {
            attendance.is_leaving = true;
        }
        self.notify(&queue_id, &bot);
        self.clean_up(&queue_id, &bot);
        Ok(())
    }

    /// Returns the message that describes a bot's attendance.
    pub(crate) fn wire_attendance(
        &self,
        queue_id: &QueueId,
        bot: &BotName,
    ) -> Option<v1::Attendance> {
        self.queues.get(queue_id)?.attendance(bot)
    }

    /// Ends the attendance of a bot that has been absent for `limits.attendance_absence` and has no
    /// match in play.
    pub(super) fn expire_absence(&mut self, queue_id: &QueueId, bot: &BotName, at: Instant) {
        let attendance = self.attendance_mut(queue_id, bot);
        // If the times differ, the bot has been present since.
        let Some(attendance) = attendance.filter(|attendance| attendance.expires_at == Some(at))
        else {
            return;
        };
        attendance.is_leaving = true;
        self.notify(queue_id, bot);
        self.clean_up(queue_id, bot);
    }

    /// Returns the queue and the bot of an attendance, if it belongs to the caller.
    fn owned_attendance(
        &self,
        id: &AttendanceId,
        key: Option<&KeyName>,
    ) -> Result<(QueueId, BotName), LobbyError> {
        let found = self.attendances.get(id);
        let (queue_id, bot) = found.ok_or(LobbyError::AttendanceUnknown)?;
        if key.is_some_and(|key| key.as_str() != bot.as_str()) {
            return Err(LobbyError::AttendanceUnknown);
        }
        Ok((queue_id.clone(), bot.clone()))
    }

    pub(super) fn remove_attendance(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
    ) -> Option<Attendance> {
        let entry = self.queues.get_mut(queue_id)?.entries.get_mut(bot)?;
        let gone = entry.attendance.take()?;
        self.attendances.remove(&gone.id);
        if let Some(until) = gone.expires_at {
            // Replaces the earlier action, so that an attendance has at most one, however often its
            // bot reconnects.
            let due = DueAction::Absence(queue_id.clone(), bot.clone());
            self.due.remove(&(until, due));
        }
        if let Some(count) = self.attendances_of.get_mut(&gone.caller) {
            *count -= 1;
            if *count == 0 {
                self.attendances_of.remove(&gone.caller);
            }
        }
        Some(gone)
    }
}
