//! Conversion of the referee's outputs to effects: journal entries, messages, records and the
//! match's end.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    games::WireGame,
    internal::v1::{FinishedMatch, FinishedSeat},
    v1::{self, play_response::Message},
};
use bridgemaster_referee::{CloseReason, Output, Record, RecordEntry, SeatMessage, Time};
use bridgemaster_replay::ReplayWriter;
use bridgemaster_replay::wire::{response_to_wire, result_to_wire, started_without_game};

use crate::{
    Closing, Effect, Entries, Finish, Match, MatchEnd, Outgoing,
    journal::{write_finished, write_histories},
    machine::Replay,
    property::properties,
};

impl<G: WireGame> Match<G> {
    /// Converts the referee's outputs to effects, all of which wait for one journal entry. Returns
    /// the journal position after this entry.
    pub(crate) fn emit_effects(&mut self, time: Time, effects: &mut Vec<Effect>) -> Entries {
        let mut outputs = std::mem::take(&mut self.outputs);
        let (mut has_ended, mut is_cancelled) = (false, false);
        for output in &outputs {
            match output {
                Output::Record(record) => self.record(record, effects),
                Output::Ended => has_ended = self.end_replay(),
                Output::Cancelled => {
                    is_cancelled = true;
                    self.replay = Replay::Recording(ReplayWriter::default());
                }
                Output::Send { .. } | Output::Close { .. } => {}
            }
        }
        if !self.referee.is_secret_who_decided() {
            self.withheld_counts.release();
            if let Replay::Recording(writer) = &mut self.replay {
                writer.publish();
            }
        }
        let finished_replay = if self.journal.is_some() && has_ended {
            self.replay().map(Arc::clone)
        } else {
            is_cancelled.then(Arc::default)
        };
        self.store(finished_replay, time, effects);
        self.withheld_counts.emit(effects);
        let after = self.uncommitted();
        for output in outputs.drain(..) {
            match output {
                Output::Send { seat, sequence, message } => {
                    self.send(seat, sequence, &message, after, effects)
                }
                Output::Close { seat, reason } => self.close(seat, reason, after, effects),
                Output::Record(_) | Output::Ended | Output::Cancelled => {}
            }
        }
        self.outputs = outputs;
        if has_ended && let Some(result) = self.referee.result() {
            let result = Arc::clone(result);
            effects.push(Effect::Ended(MatchEnd { result, after }));
        }
        if is_cancelled {
            effects.push(Effect::Cancelled { after });
        }
        after
    }

    /// Sends a message to a seat if it has a stream.
    fn send(
        &self,
        seat: Seat,
        sequence: u32,
        message: &SeatMessage<G>,
        after: Entries,
        effects: &mut Vec<Effect>,
    ) {
        if !self.streams[seat.index()].is_open() {
            return;
        }
        let message = self.outgoing(sequence, message);
        effects.push(Effect::Send { seat, message, after });
    }

    /// Closes a seat's stream, if it has one.
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
            // The stream has already ended.
            CloseReason::Garbage => return,
        };
        if self.streams[seat.index()].end() {
            effects.push(Effect::Close { seat, closing, after });
        }
    }

    /// Encodes a message to a bot.
    fn outgoing(&self, sequence: u32, message: &SeatMessage<G>) -> Outgoing {
        let (origin, rules) = (&self.origin, self.referee.rules());
        let id = origin.id.as_str();
        match message {
            SeatMessage::Request(request) => Outgoing::request(sequence, request),
            SeatMessage::Started(started) => {
                let mut message = started_without_game(id, rules, &origin.salt, started);
                self.add_options(&mut message);
                Outgoing::started::<G>(sequence, message, &rules.config)
            }
            SeatMessage::Rejected(_) | SeatMessage::SeatStatus(_) | SeatMessage::Ended(_) => {
                let salt = &origin.salt;
                let mut response = response_to_wire(id, rules, salt, sequence, message);
                self.adapt(&mut response);
                response.into()
            }
        }
    }

    /// Adds the options that are outside the referee to a start message.
    fn add_options(&self, started: &mut v1::MatchStarted) {
        if let Some(config) = &mut started.config {
            config.group.clone_from(&self.origin.group);
            config.spectators = self.origin.spectators;
        }
        self.add_reservations(&mut started.seats);
    }

    /// Adds the options that are outside the referee to a later message, and removes a withheld
    /// seed.
    fn adapt(&self, response: &mut v1::PlayResponse) {
        match &mut response.message {
            Some(Message::MatchEnded(ended)) if self.is_seed_withheld => {
                ended.seed.clear();
                ended.seed_salt.clear();
            }
            Some(Message::SeatStatus(status)) => self.add_reservations(status.seat.as_mut_slice()),
            _ => {}
        }
    }

    /// Adds the names of the bots that seats are reserved for.
    fn add_reservations(&self, seats: &mut [v1::SeatInfo]) {
        for (seat, name) in &self.origin.reserved_for {
            for info in seats.iter_mut() {
                if info.seat == u32::from(seat.number()) {
                    name.clone_into(&mut info.reserved_for);
                }
            }
        }
    }

    /// Adds a journal entry with the inputs since the previous one, and the summary if the match
    /// has ended. The journal has no entries after the end, so later messages wait for the last
    /// one.
    fn store(&mut self, replay: Option<Arc<[u8]>>, time: Time, effects: &mut Vec<Effect>) {
        let Some(mut journal) = self.journal.take() else {
            return;
        };
        let finish = replay.map(|replay| {
            let finished = self.finished();
            Finish {
                properties: properties(&finished),
                summary: write_finished::<G>(finished, &self.referee.rules().config),
                replay,
                parties: self.parties(),
            }
        });
        let has_ended = finish.is_some();
        effects.push(Effect::Store(journal.make_entry(&self.referee, finish)));
        self.commits.add_pending(journal.entries(), time);
        self.journal = (!has_ended).then_some(journal);
    }

    /// Builds the summary without the game's config.
    fn finished(&self) -> FinishedMatch {
        let referee = &self.referee;
        let seats = referee.seats().zip(&self.tickets);
        let seats = seats.map(|(info, ticket)| {
            let (started_sequence, ended_sequence) =
                referee.start_and_end_sequences(info.seat).unwrap_or_default();
            FinishedSeat {
                ticket_sha256: ticket.as_bytes().to_vec(),
                started_sequence,
                ended_sequence,
            }
        });
        FinishedMatch {
            info: Some(self.info_without_game()),
            game_id: G::ID.to_owned(),
            rules_version: G::RULES_VERSION,
            seats: seats.collect(),
            maker: self.origin.maker.clone(),
            histories: write_histories(&self.histories, referee.sent()),
            declined_seat: self.declined().map(|seat| seat.number().into()),
            ..FinishedMatch::default()
        }
    }

    /// Appends a record to the replay, and the record's events to the spectators' update.
    fn record(&mut self, record: &Record<G>, effects: &mut Vec<Effect>) {
        let events: &[G::Event] = match &record.entry {
            RecordEntry::Decision(decision) => {
                self.withheld_counts.add_decision(decision, record.at_ms);
                &decision.events
            }
            RecordEntry::Chance(chance) => &chance.events,
            RecordEntry::Fault { seat, fault } => {
                self.withheld_counts.add_fault(*seat, fault);
                let (seat, fault) = (*seat, fault.clone());
                effects.push(Effect::LogFault { seat, fault });
                &[]
            }
            RecordEntry::Seat(_) => &[],
        };
        if !events.is_empty() {
            self.withheld_counts.release();
        }
        self.unpublished.record(events);
        if let Replay::Recording(writer) = &mut self.replay {
            writer.push(record);
        }
    }

    /// Adds the result to the replay. Returns whether the match has a result.
    fn end_replay(&mut self) -> bool {
        if let Replay::Recording(writer) = &mut self.replay {
            let mut writer = std::mem::take(writer);
            writer.shrink_to_fit();
            self.replay = Replay::Complete(writer);
        }
        self.referee.result().is_some()
    }

    /// Returns the bytes of the replay file once the match has ended. The first call builds and
    /// signs the file, because most replays of unstored matches are never requested.
    pub fn replay(&mut self) -> Option<&Arc<[u8]>> {
        if let Replay::Complete(writer) = &mut self.replay {
            let (origin, result) = (&self.origin, self.referee.result()?);
            let id = origin.id.as_str();
            let result = result_to_wire(id, result);
            let writer = std::mem::take(writer);
            let bytes = writer.finish(id, &self.referee, &origin.salt, result, &self.signing_key);
            self.replay = Replay::Signed(bytes.into());
        }
        match &self.replay {
            Replay::Signed(bytes) => Some(bytes),
            Replay::Recording(_) | Replay::Complete(_) => None,
        }
    }
}
