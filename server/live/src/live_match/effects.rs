//! The state of a match behind its lock, and the execution of its effects, such as messages to
//! bots.

use std::{sync::Arc, time::Duration};

use bridgemaster_edge::{
    metrics::{GameMetrics, MatchGauge},
    spans::MatchSpans,
};
use bridgemaster_games::Seat;
use bridgemaster_match::{
    CountedEvent, Effect, Entries, Match, MatchEnd, Origin, Outgoing, ServerTime, StoredEntry,
    StreamNumber,
};
use bridgemaster_proto::games::WireGame;
use bridgemaster_store::Write;
use bridgemaster_traces::Span;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::{
    super::{
        clock::MatchClock,
        context::Context,
        delayed::delay_records,
        hosted_match::{Ended, MatchFacts},
        outbound::OutboundSender,
        refusals::{closing, too_slow},
        relay::Relay,
        spectators::{Audience, Publisher},
    },
    commits::{MatchJournal, PendingGates},
    forwarded_seats::ForwardedSeats,
};
use crate::journal::{CommitGate, emit_once_committed};

/// The parts of a match that are accessible without its lock.
pub(super) struct MatchShared {
    pub(super) origin: Arc<Origin>,
    pub(super) facts: MatchFacts,
    pub(super) context: Arc<Context>,
    pub(super) clock: MatchClock,
    pub(super) metrics: GameMetrics,
    /// Notified when the deadline moves to an earlier time or is removed.
    pub(super) deadline_moved: Arc<Notify>,
    /// Cancelled when the match is over.
    pub(super) over: CancellationToken,
    /// Cancelled when another node continues the match while this server still runs.
    pub(super) moved: CancellationToken,
    /// The spectators of the match.
    pub(super) audience: Arc<Audience>,
    /// Shares the positions among spectators.
    pub(super) relay: Relay,
}

impl MatchShared {
    /// Emits the trace span of the match once the end of the match is committed.
    fn record_end_span(
        &self,
        gate: Option<&CommitGate>,
        span: impl FnOnce(MatchSpans<'_>, u64, u8) -> Span,
    ) {
        emit_once_committed(&self.context.span_recorder, gate, || {
            span(self.facts.match_spans(), self.origin.created_unix_ms, self.facts.seats.get())
        });
    }
}

/// The parts of a match behind its lock: the state machine, and the targets of its effects.
pub(super) struct LockedMatch<G: WireGame> {
    pub(super) machine: Match<G>,
    pub(super) counted: MatchGauge,
    /// The outbound queue for each seat that has a stream.
    pub(super) streams: Vec<Option<(StreamNumber, OutboundSender)>>,
    /// The queue of the stream that is joining a seat; `None` except during a join.
    pub(super) joining: Option<OutboundSender>,
    pub(super) forwarded: ForwardedSeats,
    /// Sends updates to spectators.
    pub(super) publisher: Publisher,
    /// Whether a task publishes changes.
    pub(super) is_publishing: bool,
    /// Signals each change; `None` while there is no receiver.
    pub(super) changes: Option<watch::Sender<u64>>,
    /// Signals changes to many receivers, throttled; `None` until the first subscription.
    pub(super) throttled_changes: Option<watch::Receiver<u64>>,
    /// `None` without a store.
    pub(super) journal: Option<MatchJournal>,
    pub(super) gates: PendingGates,
}

/// The results of executed effects.
#[derive(Default)]
struct EffectResults {
    /// Streams whose queues are full, because their readers are too slow.
    slow: Vec<(Seat, StreamNumber)>,
    /// The end of the match, to be recorded by the caller.
    ended: Option<Ended>,
}

impl<G: WireGame> LockedMatch<G> {
    /// Executes all effects, and those that result from closing the streams of slow readers.
    /// Returns the end of the match, if it ended.
    pub(super) fn execute_effects(
        &mut self,
        shared: &MatchShared,
        effects: &mut Vec<Effect>,
        now: ServerTime,
    ) -> Option<Ended> {
        let mut results = EffectResults::default();
        loop {
            for effect in effects.drain(..) {
                self.execute_effect(shared, effect, &mut results);
            }
            let Some((seat, stream)) = results.slow.pop() else {
                return results.ended;
            };
            self.machine.handle_overflow(now, seat, stream, effects);
        }
    }

    /// Signals public changes to receivers.
    pub(super) fn notify_changes(&mut self) {
        let public_changes = self.machine.referee().public_changes();
        if let Some(changes) = &self.changes {
            changes.send_if_modified(|known| {
                std::mem::replace(known, public_changes) != public_changes
            });
            if changes.is_closed() {
                self.changes = None;
            }
        }
    }

    fn execute_effect(
        &mut self,
        shared: &MatchShared,
        effect: Effect,
        results: &mut EffectResults,
    ) {
        match effect {
            Effect::Store(entry) => self.store(shared, entry),
            Effect::Send { seat, message, after } => {
                results.slow.extend(self.send(seat, message, after))
            }
            Effect::Open { seat, stream } => {
                let queue = self.joining.take();
                self.streams[seat.index()] = queue.map(|queue| (stream, queue));
            }
            Effect::Close { seat, closing: reason, after } => {
                if let Some((_, sender)) = self.streams[seat.index()].take() {
                    sender.close(closing(reason), self.gates.gate_for(after));
                }
            }
            Effect::Lost { seat, garbage } => {
                self.streams[seat.index()] = None;
                self.forwarded.record_end(seat);
                match garbage {
                    Some(detail) => {
                        warn!(seat = seat.number(), detail, "the stream sent a malformed message")
                    }
                    None => info!(seat = seat.number(), "the stream ended"),
                }
            }
            Effect::Wake => shared.deadline_moved.notify_one(),
            Effect::Handled(moment) => {
                let time = shared.clock.since(moment);
                shared.context.metrics.observe_handling(time);
            }
            Effect::LogFault { seat, fault } => {
                info!(seat = seat.number(), reason = %fault.reason, action = %fault.action, detail = fault.detail, "fault");
            }
            Effect::Count(counted) => self.count_event(shared, counted),
            Effect::Ended(ending) => results.ended = Some(self.end_with_result(shared, ending)),
            Effect::Cancelled { after } => {
                info!("match cancelled");
                shared.context.metrics.count_cancelled_match();
                let ended = self.end_match(shared, false, after);
                shared.record_end_span(ended.gate.as_ref(), |spans, created_unix_ms, seats| {
                    spans.match_span(created_unix_ms, seats, "cancelled")
                });
                results.ended = Some(ended);
            }
        }
    }

    fn count_event(&self, shared: &MatchShared, counted: CountedEvent) {
        let spans = shared.facts.match_spans();
        // The entry of the event has just been queued.
        let gate = self.gates.newest();
        let span_recorder = &shared.context.span_recorder;
        match counted {
            CountedEvent::Decision { seat, by, charge, at_ms } => {
                shared.metrics.count_decision(by, charge.as_ref());
                emit_once_committed(span_recorder, gate, || {
                    spans.decision(self.elapsed_since(shared, at_ms), seat, by, charge.as_ref())
                });
            }
            CountedEvent::Fault { seat, fault } => {
                shared.context.metrics.count_fault(&fault);
                emit_once_committed(span_recorder, gate, || {
                    spans.fault(self.elapsed_since(shared, fault.at_ms), seat, &fault)
                });
            }
        }
    }

    /// Returns the time that has passed since `at_ms`, accurate to 1 ms.
    fn elapsed_since(&self, shared: &MatchShared, at_ms: u64) -> Duration {
        let Some(started_at) = self.machine.referee().started_at() else {
            return Duration::ZERO;
        };
        let started = ServerTime { time: started_at, lag_us: 0 };
        let since_start = shared.clock.since(started);
        since_start.saturating_sub(Duration::from_millis(at_ms.saturating_add(1)))
    }

    fn end_with_result(&self, shared: &MatchShared, ending: MatchEnd) -> Ended {
        let MatchEnd { result, after } = ending;
        info!(decisions = result.decisions, "match ended");
        shared.metrics.count_ended();
        if result.spoiled_by_referee {
            shared.context.metrics.count_match_affected_by_lag();
            let longest_lag_ms = result.longest_referee_lag_us / 1000;
            warn!(longest_lag_ms, "the server lagged beyond the limit; the result may be unfair");
        }
        let ended = self.end_match(shared, true, after);
        shared.record_end_span(ended.gate.as_ref(), |spans, created_unix_ms, seats| {
            spans
                .match_span(created_unix_ms, seats, "ended")
                .with("bridgemaster.match.decisions", result.decisions)
                .with("bridgemaster.match.spoiled", result.spoiled_by_referee)
        });
        ended
    }

    fn end_match(&self, shared: &MatchShared, has_replay: bool, after: Entries) -> Ended {
        if let Some(group) = shared.facts.withheld_group.as_ref().filter(|_| self.journal.is_none())
        {
            let number = self.counted_number(shared);
            shared.context.groups.finish_match(group, number, |_| None);
        }
        shared.over.cancel();
        Ended {
            id: shared.origin.id.clone(),
            maker: shared.facts.maker.clone(),
            has_replay,
            gate: self.gates.gate_for(after),
        }
    }

    /// Queues an entry for the store. The last entry also stores the state of the group and the
    /// record of a delayed view.
    fn store(&mut self, shared: &MatchShared, entry: StoredEntry) {
        let entries = Entries(entry.number + 1);
        let Some(journal) = &self.journal else {
            return;
        };
        let is_last = entry.finish.is_some();
        let mut records = Vec::new();
        if is_last && self.has_spectator_delay(shared) {
            records.push(delay_records::put_record(&shared.origin.id, shared.context.node_name()));
        }
        let gate = match &shared.facts.withheld_group {
            Some(group) if is_last => {
                let number = self.counted_number(shared);
                let store = |of_group: Vec<Write>| {
                    records.extend(of_group);
                    Some(journal.store(entry, records))
                };
                shared.context.groups.finish_match(group, number, store)
            }
            _ => Some(journal.store(entry, records)),
        };
        if let Some(gate) = gate {
            self.gates.push(entries, gate);
        }
    }

    /// Returns whether spectators see the match with a delay. A match that never started has no
    /// delay.
    fn has_spectator_delay(&self, shared: &MatchShared) -> bool {
        let has_started = self.machine.referee().started_at().is_some();
        has_started && shared.facts.spectator_delay.is_some()
    }

    /// Returns the number of the match in its group, if its result counts.
    fn counted_number(&self, shared: &MatchShared) -> Option<u32> {
        let result = self.machine.referee().result()?;
        let group = shared.origin.group.as_ref()?;
        (!result.spoiled_by_referee).then_some(group.number)
    }

    /// Sends a message to the stream of a seat, if it has one. If the queue of the stream is full,
    /// closes and returns the stream.
    fn send(
        &mut self,
        seat: Seat,
        message: Outgoing,
        after: Entries,
    ) -> Option<(Seat, StreamNumber)> {
        let (stream, sender) = self.streams[seat.index()].as_ref()?;
        let stream = *stream;
        let gate = self.gates.gate_for(after);
        let full = sender.send(message, gate.clone()).err()?;
        if let Some((_, sender)) = self.streams[seat.index()].take() {
            sender.close(too_slow(full), gate);
            self.forwarded.record_end(seat);
        }
        Some((seat, stream))
    }
}
