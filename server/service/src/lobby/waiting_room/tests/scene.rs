//! A waiting room with one queue, under a clock of the test's own.

use std::{collections::BTreeSet, time::Duration};

use bridgemaster_games::Seat;
use bridgemaster_match::OfferedSeat;
use bridgemaster_proto::v1::{
    Attendance as Shown, AttendanceState as State, Offer, OfferPurpose, attend_response::Message,
};

use super::super::*;
use crate::{
    hosting::Ticket,
    lobby::{QueueRules, Standing, offer::SeatOffer, telling::Told},
};

/// Start-up time of the matches here.
pub(super) const STARTUP: Duration = Duration::from_secs(30);

/// A waiting room with one queue, and its clock.
pub(super) struct Scene {
    pub(super) room: WaitingRoom,
    pub(super) now: Instant,
    pub(super) ids: u32,
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
        newcomers: Standing::Active,
    }
}

impl Scene {
    pub(super) fn new() -> Self {
        Self::with(&Limits::default())
    }

    pub(super) fn with(limits: &Limits) -> Self {
        let mut room = WaitingRoom::new(limits);
        room.open_queue(rules()).unwrap();
        Self {
            room,
            now: Instant::now(),
            ids: 0,
        }
    }

    pub(super) fn try_attend(
        &mut self,
        name: &str,
        version: &str,
        slots: u32,
    ) -> Result<(StreamNumber, Vec<(MatchId, Seat)>), Refused> {
        self.ids += 1;
        self.room.attend(Asking {
            queue_id: queue(),
            bot: bot(name),
            version: version.to_owned(),
            owner: "school".to_owned(),
            key: None,
            caller: None,
            slots,
            new_id: AttendanceId::from_client(&format!("id-{}", self.ids)),
        })
    }

    pub(super) fn attend(&mut self, name: &str, slots: u32) -> StreamNumber {
        self.try_attend(name, "1", slots).unwrap().0
    }

    /// A match whose seats are offered to these bots, as a server makes it.
    pub(super) fn offer(&mut self, id: &str, names: &[&str]) -> Result<(), Refused> {
        let wanted: Vec<_> = names.iter().map(|name| (queue(), bot(name))).collect();
        let versions = self.room.hold(&wanted, self.now)?;
        for (number, ((queue_id, bot), version)) in (0..).zip(wanted.iter().zip(versions)) {
            let offer = self.seat_offer(id, number, bot, &version);
            self.room.place(queue_id, bot, offer);
        }
        self.room.release(&wanted);
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
            told: None,
        }
    }

    /// All that a stream is told now.
    pub(super) fn told(&mut self, stream: StreamNumber) -> Vec<Told> {
        let mut told = Vec::new();
        loop {
            match self.room.tell(stream, self.now) {
                Told::Nothing => return told,
                end @ Told::End(_) => {
                    told.push(end);
                    return told;
                }
                message => told.push(message),
            }
        }
    }

    pub(super) fn offers(&mut self, stream: StreamNumber) -> Vec<Offer> {
        let told = self.told(stream).into_iter();
        let offers = told.filter_map(|told| match told {
            Told::Message(message) => match message.message {
                Some(Message::Offer(offer)) => Some(offer),
                _ => None,
            },
            _ => None,
        });
        offers.collect()
    }

    pub(super) fn shown(&self, name: &str) -> Option<Shown> {
        self.room.shown(&queue(), &bot(name))
    }

    pub(super) fn state(&self, name: &str) -> State {
        self.shown(name).unwrap().state()
    }

    pub(super) fn pass(&mut self, time: Duration) {
        self.now += time;
        self.room.tick(self.now);
    }
}

/// The only message among `told` that `pick` takes.
pub(super) fn only<T>(told: Vec<Told>, pick: impl Fn(Message) -> Option<T>) -> T {
    let messages = told.into_iter().filter_map(|told| match told {
        Told::Message(message) => message.message,
        _ => None,
    });
    let mut picked: Vec<T> = messages.filter_map(pick).collect();
    assert_eq!(picked.len(), 1);
    picked.remove(0)
}
