//! Carries out what a match says is to be done.

use bridgemaster_games::Seat;
use bridgemaster_match::{Counted, Effect, Ending, Entries, Moment, StoredEntry, StreamNumber};
use bridgemaster_proto::{games::WireGame, v1::PlayResponse};
use tracing::{info, warn};

use super::{
    super::{
        closing::{closing, too_slow},
        hosted_match::Ended,
    },
    LiveMatch, Table,
};

/// What comes of effects.
#[derive(Default)]
struct Carried {
    /// Streams whose queues are full.
    slow: Vec<(Seat, StreamNumber)>,
    /// The end of the match, for whoever gave it something.
    ended: Option<Ended>,
}

impl<G: WireGame> LiveMatch<G> {
    /// Carries out all effects, and those of streams that turn out to be too slow for them. Gives
    /// the end of the match, if this is it.
    pub(super) fn carry_out(
        &self,
        table: &mut Table<G>,
        effects: &mut Vec<Effect>,
        now: Moment,
    ) -> Option<Ended> {
        let mut carried = Carried::default();
        loop {
            for effect in effects.drain(..) {
                self.carry_out_one(table, effect, &mut carried);
            }
            let Some((seat, stream)) = carried.slow.pop() else {
                return carried.ended;
            };
            table.machine.overflowed(now, seat, stream, effects);
        }
    }

    fn carry_out_one(&self, table: &mut Table<G>, effect: Effect, carried: &mut Carried) {
        match effect {
            Effect::Store(entry) => table.store(entry),
            Effect::Send {
                seat,
                response,
                after,
            } => carried.slow.extend(table.send(seat, response, after)),
            Effect::Open { seat, stream } => {
                let queue = table.joining.take();
                table.streams[seat.index()] = queue.map(|queue| (stream, queue));
            }
            Effect::Close {
                seat,
                closing: reason,
                after,
            } => {
                if let Some((_, sender)) = table.streams[seat.index()].take() {
                    sender.close(closing(reason), table.gates.before(after));
                }
            }
            Effect::Lost { seat, garbage } => {
                table.streams[seat.index()] = None;
                match garbage {
                    Some(detail) => warn!(%seat, detail, "the stream carried garbage"),
                    None => info!(%seat, "the stream ended"),
                }
            }
            Effect::News {
                news,
                is_last,
                after,
            } => {
                let gate = table.gates.before(after);
                let bytes = &self.context.watcher_queue_bytes;
                table.spectators.tell(*news, gate.as_ref(), bytes);
                if is_last {
                    table.spectators.dismiss();
                }
                table.machine.set_watched(!table.spectators.is_empty());
            }
            Effect::Wake => self.sooner.notify_one(),
            Effect::Handled(moment) => {
                let time = self.context.clock.since(moment);
                self.context.metrics.handled(time);
            }
            Effect::Faulty { seat, fault } => {
                info!(%seat, reason = %fault.reason, action = %fault.action, detail = fault.detail, "fault");
            }
            Effect::Count(Counted::Decision { by, charge }) => {
                self.metrics.decided(by, charge.as_ref());
            }
            Effect::Count(Counted::Fault(fault)) => self.context.metrics.fault(&fault),
            Effect::Ended(ending) => carried.ended = Some(self.ended(table, ending)),
        }
    }

    fn ended(&self, table: &Table<G>, ending: Ending) -> Ended {
        let Ending {
            replay,
            result,
            after,
        } = ending;
        info!(decisions = result.decisions, "match ended");
        self.metrics.ended();
        if result.spoiled_by_referee {
            self.context.metrics.match_spoiled();
            let longest_lag_ms = result.longest_referee_lag_us / 1000;
            warn!(
                longest_lag_ms,
                "the match is spoiled by the server's own lag"
            );
        }
        Ended {
            id: self.origin.id.clone(),
            maker: self.maker.clone(),
            replay,
            gate: table.gates.before(after),
        }
    }
}

impl<G: WireGame> Table<G> {
    /// Queues an entry for the store.
    fn store(&mut self, entry: StoredEntry) {
        let entries = Entries(entry.number + 1);
        if let Some(journal) = &self.journal {
            self.gates.push(entries, journal.store(entry));
        }
    }

    /// Sends to the stream of a seat, if it has one. A stream whose queue is full ends, and is
    /// given.
    fn send(
        &mut self,
        seat: Seat,
        response: PlayResponse,
        after: Entries,
    ) -> Option<(Seat, StreamNumber)> {
        let (stream, sender) = self.streams[seat.index()].as_ref()?;
        let stream = *stream;
        let gate = self.gates.before(after);
        let full = sender.send(response, gate.clone()).err()?;
        if let Some((_, sender)) = self.streams[seat.index()].take() {
            sender.close(too_slow(full), gate);
        }
        Some((seat, stream))
    }
}

/// The buffer for effects: one for each thread, since it is full for no longer than a call, and
/// there are many matches.
pub(super) mod effects_buffer {
    use std::cell::Cell;

    use bridgemaster_match::Effect;

    thread_local! {
        static BUFFER: Cell<Vec<Effect>> = const { Cell::new(Vec::new()) };
    }

    /// Takes the buffer of this thread, which is empty.
    pub(in super::super) fn take() -> Vec<Effect> {
        BUFFER.take()
    }

    /// Gives it back, empty again.
    pub(in super::super) fn give_back(buffer: Vec<Effect>) {
        BUFFER.set(buffer);
    }
}
