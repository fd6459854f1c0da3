//! Computes the next message for the stream of an attending bot.

use std::time::Instant;

use bridgemaster_proto::v1::{AttendResponse, OfferWithdrawn, attend_response::Message};

use super::{
    WaitingRoom,
    attendance::QueueEntry,
    offer::SeatOffer,
    stream::{StreamEnd, StreamNumber},
};

/// The result of polling a stream for its next message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StreamPoll {
    Message(AttendResponse),
    Pending,
    End(StreamEnd),
}

fn message(message: Message) -> StreamPoll {
    StreamPoll::Message(AttendResponse {
        message: Some(message),
    })
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
        let Some(QueueEntry {
            attendance, seats, ..
        }) = entry
        else {
            return StreamPoll::Pending;
        };
        // Seats that the bot has taken are sent too, since a restarted bot does not have their
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
