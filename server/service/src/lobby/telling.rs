//! What the stream of an attendance is told, one message after another.

use std::{collections::VecDeque, time::Instant};

use bridgemaster_proto::v1::{AttendResponse, OfferWithdrawn, attend_response::Message};

use super::{BotName, OfferId, QueueId, WaitingRoom, attendance::to_wire};

/// Names a stream of an attendance, in the order of their opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StreamNumber(pub(super) u64);

/// A stream of an attendance.
#[derive(Debug)]
pub(super) struct AttendingStream {
    pub(super) queue_id: QueueId,
    pub(super) bot: BotName,
    /// How the attendance stood that it was told of last.
    pub(super) told: u64,
    /// Offers that it was told of and that hold no more: at most one for each of its slots.
    pub(super) withdrawn: VecDeque<(OfferId, &'static str)>,
    pub(super) end: Option<StreamEnd>,
}

/// Why a stream ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    /// A newer one took over.
    Superseded,
    /// The bot left, or its queue is closed.
    Left,
    /// The bot is benched, for this reason.
    #[allow(dead_code, reason = "contests bench no bot")]
    Benched(String),
}

/// What a stream is told now.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Told {
    Message(AttendResponse),
    Nothing,
    End(StreamEnd),
}

fn message(message: Message) -> Told {
    Told::Message(AttendResponse {
        message: Some(message),
    })
}

impl WaitingRoom {
    /// The next message of a stream.
    pub(super) fn tell(&mut self, number: StreamNumber, now: Instant) -> Told {
        let Some(stream) = self.streams.get_mut(&number) else {
            return Told::End(StreamEnd::Left);
        };
        if stream.end == Some(StreamEnd::Superseded) {
            return Told::End(StreamEnd::Superseded);
        }
        let queue = self.queues.get(&stream.queue_id);
        if let Some(queue) = queue
            && let Some(place) = queue.places.get(&stream.bot)
            && let Some(attendance) = &place.attendance
            && attendance.revision > stream.told
        {
            stream.told = attendance.revision;
            let shown = to_wire(&stream.queue_id, queue, &stream.bot, place);
            return message(Message::Attendance(shown.unwrap_or_default()));
        }
        if let Some((offer_id, detail)) = stream.withdrawn.pop_front() {
            return message(Message::OfferWithdrawn(OfferWithdrawn {
                offer_id: offer_id.as_str().to_owned(),
                detail: detail.to_owned(),
            }));
        }
        if let Some(end) = &stream.end {
            return Told::End(end.clone());
        }
        let queue = self.queues.get_mut(&stream.queue_id);
        let place = queue.and_then(|queue| queue.places.get_mut(&stream.bot));
        let mut offers = place.into_iter().flat_map(|place| place.seats.values_mut());
        match offers.find(|offer| !offer.is_taken && offer.told != Some(number)) {
            Some(offer) => {
                offer.told = Some(number);
                message(Message::Offer(offer.to_wire(now)))
            }
            None => Told::Nothing,
        }
    }
}
