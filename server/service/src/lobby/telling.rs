//! What the stream of an attendance is told, one message after another.

use std::time::Instant;

use bridgemaster_proto::v1::{AttendResponse, OfferWithdrawn, attend_response::Message};

use super::{
    WaitingRoom,
    attendance::Place,
    offer::SeatOffer,
    stream::{StreamEnd, StreamNumber},
};

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
            let shown = queue.attendance(&stream.bot);
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
        let Some(Place {
            attendance, seats, ..
        }) = place
        else {
            return Told::Nothing;
        };
        // Of a seat that is taken too: a bot that was started again does not know its ticket.
        let version = attendance.as_ref().map(|attendance| &attendance.version);
        let mut offers = seats.values_mut();
        let is_to_tell = |offer: &&mut SeatOffer| {
            let is_its_own = !offer.is_taken || Some(&offer.offered.bot_version) == version;
            is_its_own && offer.told != Some(number)
        };
        match offers.find(is_to_tell) {
            Some(offer) => {
                offer.told = Some(number);
                message(Message::Offer(offer.to_wire(now)))
            }
            None => Told::Nothing,
        }
    }
}
