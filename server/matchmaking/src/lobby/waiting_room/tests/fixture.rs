//! A test fixture: a waiting room with one queue, and a clock that the test controls.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use bridgemaster_edge::transport::ForwardingNode;
use bridgemaster_games::Seat;
use bridgemaster_live::Ticket;
use bridgemaster_match::OfferedSeat;
use bridgemaster_proto::v1::{
    Attendance as Shown, AttendanceState as State, Offer, OfferPurpose, attend_response::Message,
};

use super::super::*;
use crate::lobby::{QueueRules, VersionStatus, attendance::SeatOffer, messages::StreamPoll};

/// The start-up time of all matches in these tests.
pub(super) const STARTUP: Duration = Duration::from_secs(30);

/// A waiting room with one queue, and its clock.
pub(super) struct Fixture {
    pub(super) room: WaitingRoom,
    pub(super) now: Instant,
    pub(super) ids: u32,
    /// The node that forwards new streams, if any.
    pub(super) node: Option<Arc<ForwardingNode>>,
    /// The client's identification of new streams, if any.
    pub(super) client_stream: Option<ClientStream>,
}

pub(super) fn queue() -> QueueId {
    QueueId::new("league").unwrap()
}

pub(super) fn bot(name: &str) -> BotName {
    BotName::new(name).unwrap()
}

pub(super) fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

pub(super) fn rules() -> QueueRules {
    QueueRules {
        queue_id: queue(),
        owner: None,
        game_id: None,
        rules_version: None,
        key_names: BTreeSet::new(),
        is_ladder: false,
        default_status: VersionStatus::Active,
    }
}

impl Fixture {
    pub(super) fn new() -> Self {
        Self::with(&Limits::default())
    }

    pub(super) fn with(limits: &Limits) -> Self {
        let mut room = WaitingRoom::new(limits);
        room.open_queue(rules()).unwrap();
        Self { room, now: Instant::now(), ids: 0, node: None, client_stream: None }
    }

    pub(super) fn try_attend(
        &mut self,
        name: &str,
        version: &str,
        slots: u32,
    ) -> Result<(StreamNumber, Vec<(MatchId, Seat)>), LobbyError> {
        self.ids += 1;
        self.room.attend(NewAttendance {
            node: self.node.clone(),
            queue_id: queue(),
            bot: bot(name),
            version: version.to_owned(),
            owner: "school".to_owned(),
            key: None,
            caller: None,
            slots,
            client_stream: self.client_stream.clone(),
            new_id: AttendanceId::from_client(&format!("id-{}", self.ids)),
        })
    }

    pub(super) fn attend(&mut self, name: &str, slots: u32) -> StreamNumber {
        self.try_attend(name, "1", slots).unwrap().0
    }

    /// Creates a match whose seats are offered to these bots, in the same way as a server.
    pub(super) fn offer(&mut self, id: &str, names: &[&str]) -> Result<(), LobbyError> {
        let bots: Vec<_> = names.iter().map(|name| (queue(), bot(name))).collect();
        let versions = self.room.reserve_slots(&bots, self.now)?;
        for (number, ((queue_id, bot), version)) in (0..).zip(bots.iter().zip(versions)) {
            let offer = self.seat_offer(id, number, bot, &version);
            self.room.add_offer(queue_id, bot, offer);
        }
        self.room.release_slots(&bots);
        Ok(())
    }

    pub(super) fn seat_offer(
        &self,
        id: &str,
        number: u8,
        bot: &BotName,
        version: &str,
    ) -> SeatOffer {
        SeatOffer {
            lag: None,
            match_id: MatchId::new(id).unwrap(),
            seat: seat(number),
            ticket: Ticket::from_client(&format!("ticket-{id}-{number}")),
            game_id: "pergamon",
            rules_version: 1,
            offered: OfferedSeat {
                queue_id: queue().to_string(),
                bot_name: bot.to_string(),
                bot_version: version.to_owned(),
                purpose: OfferPurpose::Contest,
            },
            until: self.now + STARTUP,
            is_taken: false,
            sent_on: None,
        }
    }

    /// Returns all pending messages of a stream.
    pub(super) fn messages(&mut self, stream: StreamNumber) -> Vec<StreamPoll> {
        let mut messages = Vec::new();
        loop {
            match self.room.poll_stream(stream, self.now) {
                StreamPoll::Pending => return messages,
                end @ StreamPoll::End(_) => {
                    messages.push(end);
                    return messages;
                }
                message => messages.push(message),
            }
        }
    }

    pub(super) fn offers(&mut self, stream: StreamNumber) -> Vec<Offer> {
        let messages = self.messages(stream).into_iter();
        let offers = messages.filter_map(|messages| match messages {
            StreamPoll::Message(message) => match message.message {
                Some(Message::Offer(offer)) => Some(offer),
                _ => None,
            },
            _ => None,
        });
        offers.collect()
    }

    pub(super) fn attendance(&self, name: &str) -> Option<Shown> {
        self.room.wire_attendance(&queue(), &bot(name))
    }

    pub(super) fn state(&self, name: &str) -> State {
        self.attendance(name).unwrap().state()
    }

    pub(super) fn pass(&mut self, time: Duration) {
        self.now += time;
        self.room.run_due_actions(self.now);
    }
}

/// Returns the only message that `pick` accepts.
pub(super) fn only<T>(messages: Vec<StreamPoll>, pick: impl Fn(Message) -> Option<T>) -> T {
    let messages = messages.into_iter().filter_map(|messages| match messages {
        StreamPoll::Message(message) => message.message,
        _ => None,
    });
    let mut picked: Vec<T> = messages.filter_map(pick).collect();
    assert_eq!(picked.len(), 1);
    picked.remove(0)
}
