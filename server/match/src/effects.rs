//! What comes of an input: an entry, messages, records, and the end.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    games::WireGame,
    internal::v1::{FinishedMatch, FinishedSeat},
    v1::{self, play_response::Message},
};
use bridgemaster_referee::{CloseReason, Output, Record, RecordEntry, SeatMessage, Time};
use bridgemaster_replay::ReplayWriter;
use bridgemaster_wire::{response_to_wire, result_to_wire, started_beside_the_game};

use crate::{
    Closing, Effect, Ending, Entries, Finish, Match, Outgoing,
    journal::{write_finished, write_histories},
    machine::Replay,
};

impl<G: WireGame> Match<G> {
    /// Makes effects of what the referee said. All of them wait for one entry, which is given.
    pub(crate) fn carry_out(&mut self, time: Time, effects: &mut Vec<Effect>) -> Entries {
        let mut outputs = std::mem::take(&mut self.outputs);
        let (mut has_ended, mut is_cancelled) = (false, false);
        for output in &outputs {
            match output {
                Output::Record(record) => self.record(record, effects),
                Output::Ended => has_ended = self.end_replay(),
                Output::Cancelled => {
                    is_cancelled = true;
                    self.replay = Replay::Growing(ReplayWriter::default());
                }
                Output::Send { .. } | Output::Close { .. } => {}
            }
        }
        if !self.referee.is_secret_who_decided() {
            self.held_back.release(effects);
            if let Replay::Growing(writer) = &mut self.replay {
                writer.publish();
            }
        }
        let stays = match self.journal.is_some() && has_ended {
            true => self.replay().map(Arc::clone),
            false => is_cancelled.then(Arc::default),
        };
        self.store(stays, time, effects);
        let after = self.unsettled();
        for output in outputs.drain(..) {
            match output {
                Output::Send {
                    seat,
                    sequence,
                    message,
                } => self.send(seat, sequence, &message, after, effects),
                Output::Close { seat, reason } => self.close(seat, reason, after, effects),
                Output::Record(_) | Output::Ended | Output::Cancelled => {}
            }
        }
        self.outputs = outputs;
        if has_ended && let Some(result) = self.referee.result() {
            let result = Arc::clone(result);
            effects.push(Effect::Ended(Ending { result, after }));
        }
        if is_cancelled {
            effects.push(Effect::Cancelled { after });
        }
        after
    }

    /// Sends a message to a seat that has a stream.
    fn send(
        &self,
        seat: Seat,
        sequence: u32,
        message: &SeatMessage<G>,
        after: Entries,
        effects: &mut Vec<Effect>,
    ) {
        if !self.links[seat.index()].is_open() {
            return;
        }
        let message = self.outgoing(sequence, message);
        effects.push(Effect::Send {
            seat,
            message,
            after,
        });
    }

    /// Ends the stream of a seat, if it has one.
    fn close(
        &mut self,
        seat: Seat,
        reason: CloseReason,
        after: Entries,
        effects: &mut Vec<Effect>,
    ) {
        let closing = match reason {
            CloseReason::MatchEnded => Closing::MatchEnded,
            CloseReason::Forfeited(fault) => Closing::Forfeited(fault),
            CloseReason::Cancelled => match &self.cancelled {
                Some((_, why)) => Closing::Cancelled(Arc::clone(why)),
                None => return,
            },
            // It ended with those bytes.
            CloseReason::Garbage => return,
        };
        if self.links[seat.index()].end() {
            effects.push(Effect::Close {
                seat,
                closing,
                after,
            });
        }
    }

    /// Encodes a message to a bot.
    fn outgoing(&self, sequence: u32, message: &SeatMessage<G>) -> Outgoing {
        let (origin, rules) = (&self.origin, self.referee.rules());
        let id = origin.id.as_str();
        match message {
            SeatMessage::Request(request) => Outgoing::request(sequence, request),
            SeatMessage::Started(started) => {
                let mut told = started_beside_the_game(id, rules, &origin.salt, started);
                self.add_wishes(&mut told);
                Outgoing::started::<G>(sequence, told, &rules.config)
            }
            SeatMessage::Rejected(_) | SeatMessage::SeatStatus(_) | SeatMessage::Ended(_) => {
                let salt = &origin.salt;
                let mut response = response_to_wire(id, rules, salt, sequence, message);
                self.adapt(&mut response);
                response.into()
            }
        }
    }

    /// Adds to what a seat is told at the start what the maker of the match wished, which the referee
    /// does not know of.
    fn add_wishes(&self, started: &mut v1::MatchStarted) {
        if let Some(config) = &mut started.config {
            config.group.clone_from(&self.origin.group);
            config.spectators = self.origin.spectators;
        }
        self.add_reservations(&mut started.seats);
    }

    /// Adds to a later message what the maker wished, and leaves out of it what is held back.
    fn adapt(&self, response: &mut v1::PlayResponse) {
        match &mut response.message {
            Some(Message::MatchEnded(ended)) if self.is_held_back => {
                ended.seed.clear();
                ended.seed_salt.clear();
            }
            Some(Message::SeatStatus(status)) => self.add_reservations(status.seat.as_mut_slice()),
            _ => {}
        }
    }

    /// Adds for which bots seats are reserved.
    fn add_reservations(&self, seats: &mut [v1::SeatInfo]) {
        for (seat, name) in &self.origin.reserved_for {
            for told in seats.iter_mut() {
                if told.seat == u32::from(seat.number()) {
                    name.clone_into(&mut told.reserved_for);
                }
            }
        }
    }

    /// Makes an entry of what happened, and with it of the end. After the end none are made: what is
    /// sent then waits for the end itself.
    fn store(&mut self, replay: Option<Arc<[u8]>>, time: Time, effects: &mut Vec<Effect>) {
        let Some(mut journal) = self.journal.take() else {
            return;
        };
        let finish = replay.map(|replay| Finish {
            summary: write_finished::<G>(self.finished(), &self.referee.rules().config),
            replay,
            parties: self.parties(),
        });
        let has_ended = finish.is_some();
        effects.push(Effect::Store(journal.make_entry(&self.referee, finish)));
        self.storing.wait_for(journal.entries(), time);
        self.journal = (!has_ended).then_some(journal);
    }

    /// All that stays of it but the config of its game.
    fn finished(&self) -> FinishedMatch {
        let referee = &self.referee;
        let seats = referee.seats().zip(&self.tickets);
        let seats = seats.map(|(info, ticket)| {
            let (started_sequence, ended_sequence) = referee.told(info.seat).unwrap_or_default();
            FinishedSeat {
                ticket_sha256: ticket.as_bytes().to_vec(),
                started_sequence,
                ended_sequence,
            }
        });
        FinishedMatch {
            info: Some(self.info_beside_the_game()),
            game_id: G::ID.to_owned(),
            rules_version: G::RULES_VERSION,
            seats: seats.collect(),
            maker: self.origin.maker.clone(),
            histories: write_histories(&self.histories, referee.sent()),
            declined_seat: self.declined().map(|seat| seat.number().into()),
            ..FinishedMatch::default()
        }
    }

    /// Puts a record into the replay, and its events where they wait for the spectators.
    fn record(&mut self, record: &Record<G>, effects: &mut Vec<Effect>) {
        let happened: &[G::Event] = match &record.entry {
            RecordEntry::Decision(decision) => {
                self.held_back.decision(decision, record.at_ms);
                &decision.events
            }
            RecordEntry::Chance(chance) => &chance.events,
            RecordEntry::Fault { seat, fault } => {
                self.held_back.fault(*seat, fault);
                let (seat, fault) = (*seat, fault.clone());
                effects.push(Effect::Faulty { seat, fault });
                &[]
            }
            RecordEntry::Seat(_) => &[],
        };
        if !happened.is_empty() {
            self.held_back.release(effects);
        }
        self.untold.happened(happened);
        if let Replay::Growing(writer) = &mut self.replay {
            writer.push(record);
        }
    }

    /// The match has ended, and its replay has every record. Tells whether it has a result.
    fn end_replay(&mut self) -> bool {
        if let Replay::Growing(writer) = &mut self.replay {
            let mut writer = std::mem::take(writer);
            writer.shrink_to_fit();
            self.replay = Replay::Whole(writer);
        }
        self.referee.result().is_some()
    }

    /// The bytes of its replay file, once it has ended. They are made and signed when they are asked
    /// for first: of most matches that are not stored nobody asks.
    pub fn replay(&mut self) -> Option<&Arc<[u8]>> {
        if let Replay::Whole(writer) = &mut self.replay {
            let (origin, result) = (&self.origin, self.referee.result()?);
            let id = origin.id.as_str();
            let result = result_to_wire(id, result);
            let writer = std::mem::take(writer);
            let bytes = writer.finish(id, &self.referee, &origin.salt, result, &self.signing_key);
            self.replay = Replay::Sealed(bytes.into());
        }
        match &self.replay {
            Replay::Sealed(bytes) => Some(bytes),
            Replay::Growing(_) | Replay::Whole(_) => None,
        }
    }
}
