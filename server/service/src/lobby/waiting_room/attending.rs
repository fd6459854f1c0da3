//! Attendances: begun, changed, left, and ended when their bots stay away.

use std::time::Instant;

use bridgemaster_games::Seat;
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1;
use bridgemaster_store::KeyName;

use super::{Asking, Due, Refused, WaitingRoom};
use crate::{
    lobby::{
        AttendanceId, BotName, QueueId, Standing,
        attendance::Attendance,
        offer::SeatOffer,
        stream::{AttendingStream, StreamEnd, StreamNumber},
    },
    transport::CallerId,
};

impl WaitingRoom {
    /// A bot attends with a new stream; an older one of it ends. Gives the stream, and matches that
    /// cannot be played as they are: these seats of them were offered to another version of the
    /// bot, which has not taken them.
    ///
    /// # Errors
    /// When it may not.
    pub(in crate::lobby) fn attend(
        &mut self,
        asking: Asking,
    ) -> Result<(StreamNumber, Vec<(MatchId, Seat)>), Refused> {
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
        self.check_room(&queue_id, &bot, &caller)?;
        let (id, is_paused) = self
            .supersede(&queue_id, &bot, &version)
            .unwrap_or((new_id, false));
        self.last_stream += 1;
        let number = StreamNumber(self.last_stream);
        let place = self.place_mut(&queue_id, &bot)?;
        let is_of_version =
            |offer: &SeatOffer| offer.is_taken || offer.offered.bot_version == version;
        let of_others = place.seats.values().filter(|offer| !is_of_version(offer));
        let off = of_others
            .map(|offer| (offer.match_id.clone(), offer.seat))
            .collect();
        place.seats.retain(|_, offer| is_of_version(offer));
        place.attendance = Some(Attendance {
            id: id.clone(),
            version,
            owner,
            caller: caller.clone(),
            slots,
            is_paused,
            is_leaving: false,
            stream: Some(number),
            away_at: None,
            is_told_soon: false,
            revision: 0,
        });
        *self.attendances_of.entry(caller).or_default() += 1;
        self.attendances.insert(id, (queue_id.clone(), bot.clone()));
        let stream = AttendingStream::new(queue_id.clone(), bot.clone());
        self.streams.insert(number, stream);
        self.changed(&queue_id, &bot);
        Ok((number, off))
    }

    /// Makes sure that there is room for one more attendance, if this is one.
    fn check_room(
        &self,
        queue_id: &QueueId,
        bot: &BotName,
        caller: &Option<CallerId>,
    ) -> Result<(), Refused> {
        let before = self.attendance(queue_id, bot);
        if before.is_none() && self.attendances.len() >= self.limits.attendances {
            return Err(Refused::ServerLimit("attendances", self.limits.attendances));
        }
        let is_counted = before.is_some_and(|before| before.caller == *caller);
        let of_caller = self.attendances_of.get(caller).copied();
        let most = self.limits.attendances_per_caller;
        if !is_counted && of_caller.unwrap_or_default() >= most {
            return Err(Refused::Limit("attendances_per_caller", most));
        }
        Ok(())
    }

    /// Ends the attendance that a bot had, if it had one. Gives its identifier, and whether it was
    /// paused, where the same version goes on with it.
    fn supersede(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
        version: &str,
    ) -> Option<(AttendanceId, bool)> {
        if let Some(stream) = self.attendance(queue_id, bot)?.stream {
            self.end(stream, StreamEnd::Superseded);
        }
        let old = self.forget_attendance(queue_id, bot)?;
        (old.version == version).then_some((old.id, old.is_paused))
    }

    /// A stream is gone. Its bot is absent, if this was its newest.
    pub(in crate::lobby) fn lost(&mut self, number: StreamNumber, now: Instant) {
        let Some(stream) = self.streams.remove(&number) else {
            return;
        };
        let AttendingStream { queue_id, bot, .. } = stream;
        let until = now + self.limits.attendance_absence;
        let Some(attendance) = self.attendance_mut(&queue_id, &bot) else {
            return;
        };
        if attendance.stream != Some(number) {
            return;
        }
        attendance.stream = None;
        attendance.away_at = Some(until);
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

    /// The attendance of a bot on the wire.
    pub(crate) fn shown(&self, queue_id: &QueueId, bot: &BotName) -> Option<v1::Attendance> {
        self.queues.get(queue_id)?.attendance(bot)
    }

    /// Ends an attendance whose bot has been away since before `limits.attendance_absence`, and has
    /// no match in play.
    pub(super) fn may_be_away(&mut self, queue_id: &QueueId, bot: &BotName, at: Instant) {
        let attendance = self.attendance_mut(queue_id, bot);
        // It came back, and went again.
        let Some(attendance) = attendance.filter(|away| away.away_at == Some(at)) else {
            return;
        };
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

    pub(super) fn forget_attendance(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
    ) -> Option<Attendance> {
        let place = self.queues.get_mut(queue_id)?.places.get_mut(bot)?;
        let gone = place.attendance.take()?;
        self.attendances.remove(&gone.id);
        if let Some(until) = gone.away_at {
            // So there is one for each attendance at most, however often it comes and goes.
            let due = Due::Absence(queue_id.clone(), bot.clone());
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
