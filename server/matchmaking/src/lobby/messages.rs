//! Computes the next message for the stream of an attending bot, and for a watcher of a queue.

use std::{collections::BTreeMap, time::Instant};

use bridgemaster_proto::v1::{
    self, AttendResponse, OfferWithdrawn, WatchQueueResponse, attend_response::Message,
};

use super::{
    QueueId, WaitingRoom,
    attendance::{QueueEntry, SeatOffer, StreamEnd, StreamNumber},
};

/// The result of polling a stream for its next message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StreamPoll {
    Message(AttendResponse),
    Pending,
    End(StreamEnd),
}

fn message(message: Message) -> StreamPoll {
    StreamPoll::Message(AttendResponse { message: Some(message) })
}

impl WaitingRoom {
    /// Returns the next message for a stream.
    pub(super) fn poll_stream(&mut self, number: StreamNumber, now: Instant) -> StreamPoll {
        let Some(stream) = self.streams.get_mut(&number) else {
            return StreamPoll::End(StreamEnd::Left);
        };
        if stream.end == Some(StreamEnd::Superseded) {
            return StreamPoll::End(StreamEnd::Superseded);
        }
        let queue = self.queues.get(&stream.queue_id);
        if let Some(queue) = queue
            && let Some(entry) = queue.entries.get(&stream.bot)
            && let Some(attendance) = &entry.attendance
            && attendance.revision > stream.sent_revision
        {
            stream.sent_revision = attendance.revision;
            let attendance = queue.attendance(&stream.bot);
            return message(Message::Attendance(attendance.unwrap_or_default()));
        }
        if let Some((offer_id, detail)) = stream.withdrawn.pop_front() {
            return message(Message::OfferWithdrawn(OfferWithdrawn {
                offer_id: offer_id.as_str().to_owned(),
                detail: detail.to_owned(),
            }));
        }
        if let Some(end) = &stream.end {
            return StreamPoll::End(end.clone());
        }
        let queue = self.queues.get_mut(&stream.queue_id);
        let entry = queue.and_then(|queue| queue.entries.get_mut(&stream.bot));
        let Some(QueueEntry { attendance, seats, .. }) = entry else {
            return StreamPoll::Pending;
        };
        // Seats that the bot has taken are sent too, because a restarted bot does not have their
        // tickets.
        let version = attendance.as_ref().map(|attendance| &attendance.version);
        let mut offers = seats.values_mut();
        let is_unsent = |offer: &&mut SeatOffer| {
            let is_of_version = !offer.is_taken || Some(&offer.offered.bot_version) == version;
            is_of_version && offer.sent_on != Some(number)
        };
        let Some(offer) = offers.find(is_unsent) else {
            return StreamPoll::Pending;
        };
        offer.sent_on = Some(number);
        message(Message::Offer(offer.to_wire(now)))
    }
}

/// The queue state that a watcher has seen.
#[derive(Debug, Default)]
pub(crate) struct QueueCursor {
    revision: Option<u64>,
    /// The attendances that were sent, each with its revision at that time.
    sent: BTreeMap<String, (u64, v1::Attendance)>,
}

impl WaitingRoom {
    /// Returns the changes since the last call; `None` once the queue no longer exists.
    pub(super) fn updates(
        &self,
        queue_id: &QueueId,
        cursor: &mut QueueCursor,
    ) -> Option<Vec<WatchQueueResponse>> {
        let queue = self.queues.get(queue_id)?;
        if cursor.revision == Some(queue.revision) {
            return Some(Vec::new());
        }
        cursor.revision = Some(queue.revision);
        let mut updates = Vec::new();
        let before = std::mem::take(&mut cursor.sent);
        for (bot, entry) in &queue.entries {
            let Some(attendance) = &entry.attendance else {
                continue;
            };
            let id = attendance.id.as_str().to_owned();
            let sent = match before.get(&id) {
                Some(sent) if sent.0 == attendance.revision => sent.clone(),
                _ => {
                    let attendance_message = queue.attendance(bot).unwrap_or_default();
                    updates.push(WatchQueueResponse {
                        attendance: Some(attendance_message.clone()),
                        ended: false,
                    });
                    (attendance.revision, attendance_message)
                }
            };
            cursor.sent.insert(id, sent);
        }
        let gone = before.into_iter();
        let gone = gone.filter(|(id, _)| !cursor.sent.contains_key(id));
        updates.extend(gone.map(|(_, (_, attendance))| WatchQueueResponse {
            attendance: Some(attendance),
            ended: true,
        }));
        Some(updates)
    }
}
