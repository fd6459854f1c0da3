//! What is behind the lock of a match, and how it carries out what the match says is to be done.

use std::{sync::Arc, time::Duration};

use bridgemaster_games::{Seat, SeatCount};
use bridgemaster_match::{
    Counted, Effect, Ending, Entries, Match, Moment, Origin, Outgoing, StoredEntry, StreamNumber,
};
use bridgemaster_proto::games::WireGame;
use bridgemaster_store::{KeyName, Write};
use bridgemaster_traces::Span;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::super::{
    clock::MatchClock,
    closing::{closing, too_slow},
    context::Context,
    gates::Gates,
    groups::GroupKey,
    hosted_match::Ended,
    late::noted,
    outbound::OutboundSender,
    relay::Relay,
    spectators::{Audience, Teller},
};
use crate::{
    journal::{Gate, MatchJournal, once_stored},
    metrics::{CountedMatch, GameMetrics},
    spans::OfMatch,
};

/// What belongs to a match and needs no lock.
pub(super) struct Surroundings {
    pub(super) origin: Arc<Origin>,
    pub(super) game_id: &'static str,
    pub(super) seats: SeatCount,
    /// The group whose chance is held back until it is over.
    pub(super) group: Option<GroupKey>,
    pub(super) maker: Option<KeyName>,
    pub(super) context: Arc<Context>,
    pub(super) clock: MatchClock,
    pub(super) metrics: GameMetrics,
    /// Notified when the timer must look again.
    pub(super) sooner: Arc<Notify>,
    /// Cancelled when it is over, for those who wait for that.
    pub(super) over: CancellationToken,
    /// Cancelled when another server goes on with it, while this one still runs.
    pub(super) left: CancellationToken,
    /// Those who watch it.
    pub(super) audience: Arc<Audience>,
    /// For those who look at its positions as spectators.
    pub(super) relay: Relay,
}

impl Surroundings {
    /// The match, as its spans name it.
    fn of_match(&self) -> OfMatch<'_> {
        OfMatch {
            id: &self.origin.id,
            game_id: self.game_id,
        }
    }

    /// The match is over once the gate is open: its span is made of it, when it was made, and its seats.
    fn is_over(&self, gate: Option<&Gate>, span: impl FnOnce(OfMatch<'_>, u64, u8) -> Span) {
        once_stored(&self.context.traces, gate, || {
            span(
                self.of_match(),
                self.origin.created_unix_ms,
                self.seats.get(),
            )
        });
    }
}

/// What the lock of a match guards: the match, and what its effects go to.
pub(super) struct Locked<G: WireGame> {
    pub(super) machine: Match<G>,
    pub(super) counted: CountedMatch,
    /// The stream of each seat that has one.
    pub(super) streams: Vec<Option<(StreamNumber, OutboundSender)>>,
    /// The queue of a stream that is about to take a seat; `None` in between.
    pub(super) joining: Option<OutboundSender>,
    /// To those who watch it.
    pub(super) teller: Teller,
    /// A task has them told what changes.
    pub(super) has_newscast: bool,
    /// For those who look at what changes; `None` while nobody does.
    pub(super) changes: Option<watch::Sender<u64>>,
    /// The same for many; `None` until somebody looks.
    pub(super) changes_for_many: Option<watch::Receiver<u64>>,
    /// `None` without a store.
    pub(super) journal: Option<MatchJournal>,
    pub(super) gates: Gates,
}

/// What comes of effects.
#[derive(Default)]
struct Carried {
    /// Streams whose queues are full.
    slow: Vec<(Seat, StreamNumber)>,
    /// The end of the match, for whoever gave it something.
    ended: Option<Ended>,
}

impl<G: WireGame> Locked<G> {
    /// Carries out all effects, and those of streams that turn out to be too slow for them. Gives
    /// the end of the match, if this is it.
    pub(super) fn carry_out(
        &mut self,
        around: &Surroundings,
        effects: &mut Vec<Effect>,
        now: Moment,
    ) -> Option<Ended> {
        let mut carried = Carried::default();
        loop {
            for effect in effects.drain(..) {
                self.carry_out_one(around, effect, &mut carried);
            }
            let Some((seat, stream)) = carried.slow.pop() else {
                return carried.ended;
            };
            self.machine.overflowed(now, seat, stream, effects);
        }
    }

    /// Lets those who look at what changes know if there may be news for them.
    pub(super) fn tell_changes(&mut self) {
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

    fn carry_out_one(&mut self, around: &Surroundings, effect: Effect, carried: &mut Carried) {
        match effect {
            Effect::Store(entry) => self.store(around, entry),
            Effect::Send {
                seat,
                message,
                after,
            } => carried.slow.extend(self.send(seat, message, after)),
            Effect::Open { seat, stream } => {
                let queue = self.joining.take();
                self.streams[seat.index()] = queue.map(|queue| (stream, queue));
            }
            Effect::Close {
                seat,
                closing: reason,
                after,
            } => {
                if let Some((_, sender)) = self.streams[seat.index()].take() {
                    sender.close(closing(reason), self.gates.before(after));
                }
            }
            Effect::Lost { seat, garbage } => {
                self.streams[seat.index()] = None;
                match garbage {
                    Some(detail) => warn!(%seat, detail, "the stream carried garbage"),
                    None => info!(%seat, "the stream ended"),
                }
            }
            Effect::Wake => around.sooner.notify_one(),
            Effect::Handled(moment) => {
                let time = around.clock.since(moment);
                around.context.metrics.handled(time);
            }
            Effect::Faulty { seat, fault } => {
                info!(%seat, reason = %fault.reason, action = %fault.action, detail = fault.detail, "fault");
            }
            Effect::Count(counted) => self.count(around, counted),
            Effect::Ended(ending) => carried.ended = Some(self.ended(around, ending)),
            Effect::Cancelled { after } => {
                info!("match cancelled");
                around.context.metrics.match_cancelled();
                let ended = self.over(around, false, after);
                around.is_over(ended.gate.as_ref(), |of_match, made, seats| {
                    of_match.whole(made, seats, "cancelled")
                });
                carried.ended = Some(ended);
            }
        }
    }

    fn count(&self, around: &Surroundings, counted: Counted) {
        let of_match = around.of_match();
        let traces = &around.context.traces;
        match counted {
            Counted::Decision {
                seat,
                by,
                charge,
                at_ms,
            } => {
                around.metrics.decided(by, charge.as_ref());
                traces.ended(|| {
                    of_match.decision(self.ago(around, at_ms), seat, by, charge.as_ref())
                });
            }
            Counted::Fault { seat, fault } => {
                around.context.metrics.fault(&fault);
                traces.ended(|| of_match.fault(self.ago(around, fault.at_ms), seat, &fault));
            }
        }
    }

    /// How long ago something was, within the millisecond that it is known by.
    fn ago(&self, around: &Surroundings, at_ms: u64) -> Duration {
        let Some(started_at) = self.machine.referee().started_at() else {
            return Duration::ZERO;
        };
        let started = Moment {
            time: started_at,
            lag_us: 0,
        };
        let since_start = around.clock.since(started);
        since_start.saturating_sub(Duration::from_millis(at_ms.saturating_add(1)))
    }

    fn ended(&self, around: &Surroundings, ending: Ending) -> Ended {
        let Ending { result, after } = ending;
        info!(decisions = result.decisions, "match ended");
        around.metrics.ended();
        if result.spoiled_by_referee {
            around.context.metrics.match_spoiled();
            let longest_lag_ms = result.longest_referee_lag_us / 1000;
            warn!(
                longest_lag_ms,
                "the match is spoiled by the server's own lag"
            );
        }
        let ended = self.over(around, true, after);
        around.is_over(ended.gate.as_ref(), |of_match, made, seats| {
            of_match
                .whole(made, seats, "ended")
                .with("bridgemaster.match.decisions", result.decisions)
                .with("bridgemaster.match.spoiled", result.spoiled_by_referee)
        });
        ended
    }

    fn over(&self, around: &Surroundings, has_replay: bool, after: Entries) -> Ended {
        if let Some(group) = around.group.as_ref().filter(|_| self.journal.is_none()) {
            let number = self.counted_number(around);
            around.context.groups.leave_play(group, number, |_| None);
        }
        around.over.cancel();
        Ended {
            id: around.origin.id.clone(),
            maker: around.maker.clone(),
            has_replay,
            gate: self.gates.before(after),
        }
    }

    /// Queues an entry for the store; with the last one, how the group of the match stands, and that
    /// spectators still see it late.
    fn store(&mut self, around: &Surroundings, entry: StoredEntry) {
        let entries = Entries(entry.number + 1);
        let Some(journal) = &self.journal else {
            return;
        };
        let is_last = entry.finish.is_some();
        let mut notes = Vec::new();
        if is_last && self.is_seen_late(around) {
            notes.push(noted::note(&around.origin.id, around.context.node()));
        }
        let gate = match &around.group {
            Some(group) if is_last => {
                let number = self.counted_number(around);
                let store = |of_group: Vec<Write>| {
                    notes.extend(of_group);
                    Some(journal.store(entry, notes))
                };
                around.context.groups.leave_play(group, number, store)
            }
            _ => Some(journal.store(entry, notes)),
        };
        if let Some(gate) = gate {
            self.gates.push(entries, gate);
        }
    }

    /// Whether spectators see some of it late: nothing is late of a match that never started.
    fn is_seen_late(&self, around: &Surroundings) -> bool {
        let spectators = around.origin.spectators;
        let has_started = self.machine.referee().started_at().is_some();
        has_started && spectators.is_some_and(|rules| rules.delay_ms > 0)
    }

    /// The number of the match in its group, if its result counts.
    fn counted_number(&self, around: &Surroundings) -> Option<u32> {
        let result = self.machine.referee().result()?;
        let group = around.origin.group.as_ref()?;
        (!result.spoiled_by_referee).then_some(group.number)
    }

    /// Sends to the stream of a seat, if it has one. A stream whose queue is full ends, and is
    /// given.
    fn send(
        &mut self,
        seat: Seat,
        message: Outgoing,
        after: Entries,
    ) -> Option<(Seat, StreamNumber)> {
        let (stream, sender) = self.streams[seat.index()].as_ref()?;
        let stream = *stream;
        let gate = self.gates.before(after);
        let full = sender.send(message, gate.clone()).err()?;
        if let Some((_, sender)) = self.streams[seat.index()].take() {
            sender.close(too_slow(full), gate);
        }
        Some((seat, stream))
    }
}
