//! What comes of an input: messages, records, news, and the end.

use std::sync::Arc;

use bridgemaster_proto::{
    games::WireGame,
    internal::v1::{FinishedMatch, FinishedSeat},
    v1::{self, WatchMatchResponse},
};
use bridgemaster_referee::{Input, Output, Record, RecordEntry, Time};
use bridgemaster_store::KeyName;
use bridgemaster_wire::{record_to_wire, response_to_wire, result_to_wire};
use tracing::{info, warn};

use super::{
    super::{link::closing, matches::Matches},
    LiveMatch, Replay, Table,
};
use crate::journal::{Finish, Gate, write_finished, write_histories};

impl<G: WireGame> LiveMatch<G> {
    /// Carries out what the referee said. All of it waits for one gate, which is given.
    pub(super) fn carry_out(
        &self,
        table: &mut Table<G>,
        matches: &Matches,
        time: Time,
    ) -> Option<Gate> {
        let mut outputs = std::mem::take(&mut table.outputs);
        let mut events = Vec::new();
        let mut replay = None;
        for output in &outputs {
            match output {
                Output::Record(record) => self.record(table, matches, record, &mut events),
                Output::Ended => replay = self.seal(table, matches),
                Output::Send { .. } | Output::Close { .. } => {}
            }
        }
        if !table.referee.is_secret_who_decided() {
            table.uncounted.count(&self.metrics, matches.metrics());
        }
        self.commit(table, replay.as_ref(), time);
        let gate = table.unsettled();
        let mut slow = Vec::new();
        for output in outputs.drain(..) {
            match output {
                Output::Send {
                    seat,
                    sequence,
                    message,
                } => {
                    let Table { referee, links, .. } = table;
                    let (id, rules) = (self.id.as_str(), referee.rules());
                    let response = || response_to_wire(id, rules, &self.salt, sequence, &message);
                    if links[seat.index()].send(response, gate.as_ref()).is_err() {
                        slow.push(seat);
                    }
                }
                Output::Close { seat, reason } => {
                    table.links[seat.index()].close(closing(reason), gate.as_ref());
                }
                Output::Record(_) | Output::Ended => {}
            }
        }
        table.outputs = outputs;
        if let Some(replay) = replay {
            matches.ended(&self.id, self.maker.as_ref(), replay, gate.clone());
        }
        self.tell(table, matches, events, gate.as_ref());
        for seat in slow {
            self.handle(table, matches, time, Input::Disconnected { seat });
        }
        gate
    }

    /// Queues what happened for the store, and with it the end. After the end nothing is queued:
    /// what is sent then waits for the end itself.
    fn commit(&self, table: &mut Table<G>, replay: Option<&Arc<[u8]>>, time: Time) {
        let Some(mut journal) = table.journal.take() else {
            return;
        };
        let finish = replay.map(|replay| Finish {
            summary: write_finished(self.finished(table)),
            replay: replay.to_vec(),
            parties: self.parties_at(table),
        });
        let has_ended = finish.is_some();
        table.wait_for(journal.commit(&table.referee, finish), time);
        table.journal = (!has_ended).then_some(journal);
    }

    /// Who sees the match by its name: the same as [`HostedMatch::is_of`] says. A bot whose name
    /// no key can have is of no key.
    ///
    /// [`HostedMatch::is_of`]: super::super::HostedMatch::is_of
    pub(super) fn parties_at(&self, table: &Table<G>) -> Vec<KeyName> {
        let bots = table.bots().filter_map(|bot| KeyName::new(&bot.name).ok());
        self.maker.iter().cloned().chain(bots).collect()
    }

    fn finished(&self, table: &Table<G>) -> FinishedMatch {
        let referee = &table.referee;
        let seats = referee.seats().zip(&self.tickets).map(|(info, ticket)| {
            let (started_sequence, ended_sequence) = referee.told(info.seat).unwrap_or_default();
            FinishedSeat {
                ticket_sha256: ticket.as_bytes().to_vec(),
                started_sequence,
                ended_sequence,
            }
        });
        FinishedMatch {
            info: Some(self.match_info(table)),
            game_id: G::ID.to_owned(),
            rules_version: G::RULES_VERSION,
            seats: seats.collect(),
            maker: self.maker.as_ref().map(ToString::to_string),
            histories: write_histories(&table.histories, referee.sent()),
            ..FinishedMatch::default()
        }
    }

    /// Puts a record into the replay, and its events into `events` for the spectators.
    fn record(
        &self,
        table: &mut Table<G>,
        matches: &Matches,
        record: &Record<G>,
        events: &mut Vec<v1::GameEvent>,
    ) {
        if let RecordEntry::Decision(decision) = &record.entry {
            table.uncounted.decision(decision);
        }
        if let RecordEntry::Fault { seat, fault } = &record.entry {
            table.uncounted.fault(fault);
            info!(%seat, reason = %fault.reason, action = %fault.action, detail = fault.detail, "fault");
        }
        let has_events = match &record.entry {
            RecordEntry::Decision(decision) => !decision.events.is_empty(),
            RecordEntry::Chance(chance) => !chance.events.is_empty(),
            RecordEntry::Fault { .. } | RecordEntry::Seat(_) => false,
        };
        if has_events {
            table.uncounted.count(&self.metrics, matches.metrics());
        }
        let wire = record_to_wire(record);
        if !table.spectators.is_empty() {
            events.extend_from_slice(match &wire.record {
                Some(v1::record::Record::Decision(decision)) => &decision.events,
                // The result itself is secret.
                Some(v1::record::Record::Chance(chance)) => &chance.events,
                _ => &[],
            });
        }
        if let Replay::Growing(writer) = &mut table.replay {
            writer.push(&wire);
        }
    }

    /// Tells the spectators what changed of what they may know.
    fn tell(
        &self,
        table: &mut Table<G>,
        matches: &Matches,
        events: Vec<v1::GameEvent>,
        gate: Option<&Gate>,
    ) {
        let changes = table.referee.public_changes();
        let has_changed = changes != std::mem::replace(&mut table.told_changes, changes);
        if !has_changed || table.spectators.is_empty() {
            return;
        }
        let mut response = WatchMatchResponse {
            events,
            ..self.snapshot(table)
        };
        if table.referee.result().is_none()
            && let Some(info) = &mut response.r#match
        {
            // The first message had them, and with edition data they are most of a message.
            info.config = None;
            info.seed_commitment.clear();
        }
        table
            .spectators
            .tell(response, gate, matches.watcher_queue_bytes());
        if table.referee.result().is_some() {
            table.spectators.dismiss();
        }
    }

    /// Closes the replay of a match that has ended: its bytes.
    fn seal(&self, table: &mut Table<G>, matches: &Matches) -> Option<Arc<[u8]>> {
        let Replay::Growing(writer) = &mut table.replay else {
            return None;
        };
        let result = table.referee.result()?;
        info!(decisions = result.decisions, "match ended");
        self.metrics.ended();
        if result.spoiled_by_referee {
            matches.metrics().match_spoiled();
            let longest_lag_ms = result.longest_referee_lag_us / 1000;
            warn!(
                longest_lag_ms,
                "the match is spoiled by the server's own lag"
            );
        }
        let bytes: Arc<[u8]> = std::mem::take(writer)
            .finish(
                self.id.as_str(),
                &table.referee,
                &self.salt,
                result_to_wire(self.id.as_str(), result),
                matches.signing_key(),
            )
            .into();
        table.replay = Replay::Sealed(Arc::clone(&bytes));
        Some(bytes)
    }
}
