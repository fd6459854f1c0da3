//! The shell of a match in virtual time: inbox, store, stream queues, timer and spectators. It
//! carries out the effects of the match without decisions of its own.

mod making;
mod stopping;

use std::collections::VecDeque;

use bridgemaster_games::Seat;
use bridgemaster_match::{
    Closing as Reason, Effect, Entries, Inbox, JoinRequest, Match, Outgoing, Report as Made,
    ServerTime, StreamNumber, StreamStart,
};
use bridgemaster_proto::{games::WireGame, v1::PlayResponse};
use bridgemaster_referee::{
    BotIdentity, MAX_RETAINED_MESSAGES, MatchPhase, Referee, ResumePoint, Time,
};
use prost::Message as _;

use self::making::history_of;
use crate::{
    auditor::{Auditor, StreamId},
    cancellation,
    oracle::{Violation, require},
    reported::Report,
    store::Store,
    tampering::EffectTampering,
    trace::Trace,
};

/// Maximum length of a stream's queue, as in the real server.
const QUEUE_LIMIT: usize = 2 * MAX_RETAINED_MESSAGES;

/// A message of the server to a bot.
#[derive(Debug)]
pub(crate) enum ToBot {
    Welcome(StreamStart),
    Message(Outgoing),
    Closed(Closing),
}

/// An encoded message to a bot.
pub(crate) fn decoded(message: &Outgoing) -> Result<PlayResponse, Violation> {
    PlayResponse::decode(&*message.bytes)
        .map_err(|error| Violation(format!("{message:?} is not a message: {error}")))
}

/// The reason why a stream is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    ByMatch(Reason),
    SlowConsumer,
    SeatClosed,
    ConnectionRefused,
}

/// A message or a close that waits for this number of stored entries.
#[derive(Debug)]
struct Gated {
    after: Entries,
    to_bot: ToBot,
}

/// A match with its shell.
pub(crate) struct Shell<G: WireGame> {
    machine: Match<G>,
    pub(crate) auditor: Auditor<G>,
    inbox: Inbox,
    reports: Vec<Made>,
    /// A copy of the inbox, for the auditor.
    made: Vec<(ServerTime, Seat, StreamId, Report<G::Decision>)>,
    effects: Vec<Effect>,
    store: Store,
    /// The current stream of each seat.
    senders: Vec<Option<StreamId>>,
    /// The number of each stream within its seat.
    numbers: Vec<StreamNumber>,
    /// The queue of each stream.
    queues: Vec<VecDeque<Gated>>,
    /// Total lag of the server so far, in µs.
    pub(crate) lag_us: u64,
    /// Whether the timer must fire now.
    wakes: bool,
    /// Version of the public state after the last call.
    changes: u64,
    /// Whether a spectator update is scheduled.
    is_update_due: bool,
    /// The stream that takes a seat in the current call.
    opening: Option<StreamId>,
    tampering: Option<EffectTampering>,
}

impl<G: WireGame> Shell<G> {
    pub(crate) fn referee(&self) -> &Referee<G> {
        self.machine.referee()
    }

    pub(crate) fn holds(&self, seat: Seat, stream: StreamId) -> bool {
        self.senders[seat.index()] == Some(stream)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.referee().phase() == MatchPhase::Ended
    }

    /// Returns whether the match is over and its end is stored.
    pub(crate) fn is_complete(&self) -> bool {
        self.store.is_complete()
    }

    /// Adds a stream.
    fn add_queue(&mut self, stream: StreamId) {
        let streams = self.queues.len().max(stream.0 + 1);
        self.queues.resize_with(streams, VecDeque::new);
        self.numbers.resize(streams, StreamNumber::default());
    }

    /// Takes the next message of a stream, if it may be sent.
    pub(crate) fn next_message(&mut self, stream: StreamId) -> Option<ToBot> {
        let (stored, _) = self.store.stored();
        let queue = self.queues.get_mut(stream.0)?;
        let next = queue.pop_front_if(|next| next.after <= stored);
        next.map(|next| next.to_bot)
    }

    /// Returns the streams with a non-empty queue.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = StreamId> {
        let queues = self.queues.iter().enumerate();
        queues.filter(|(_, queue)| !queue.is_empty()).map(|(index, _)| StreamId(index))
    }

    /// Marks an update as due if the public state has changed. Returns whether to schedule it.
    pub(crate) fn mark_update_due(&mut self) -> bool {
        let changes = self.referee().public_changes();
        let have_changed = changes != std::mem::replace(&mut self.changes, changes);
        have_changed && !std::mem::replace(&mut self.is_update_due, true)
    }

    /// Returns whether the timer must fire now, and clears that flag.
    pub(crate) fn take_wake(&mut self) -> bool {
        std::mem::take(&mut self.wakes)
    }

    /// Starts storing pending entries, unless that is in progress. [`Shell::finish_store`] must
    /// follow.
    pub(crate) fn begin_store(&mut self) -> Option<usize> {
        self.store.begin_store()
    }

    pub(crate) fn finish_store(&mut self, count: usize, now: Time) {
        self.store.finish_store(count, now);
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.stored() == self.store.len()
    }

    /// The number of stored entries.
    pub(crate) fn stored(&self) -> usize {
        self.store.stored().0.0 as usize
    }

    /// Returns whether a stream may be read: its last report is handled, and the effects are
    /// stored.
    pub(crate) fn reads(&self, seat: Seat, stream: StreamId) -> bool {
        let (stored, _) = self.store.stored();
        let is_handled = !self.made.iter().any(|(_, _, of, report)| {
            *of == stream && !matches!(report, Report::HandedOver { .. })
        });
        let number = self.number(stream);
        is_handled && self.machine.uncommitted_report(seat, number) <= stored
    }

    fn number(&self, stream: StreamId) -> StreamNumber {
        self.numbers.get(stream.0).copied().unwrap_or_default()
    }

    fn moment(&self, now: Time) -> ServerTime {
        ServerTime { time: now, lag_us: self.lag_us }
    }

    /// Adds a report of a stream, which is handled later.
    pub(crate) fn report(
        &mut self,
        now: Time,
        seat: Seat,
        stream: StreamId,
        report: Report<G::Decision>,
    ) {
        let moment = self.moment(now);
        self.inbox.put(Made {
            moment,
            seat,
            stream: self.number(stream),
            input: report.seat_input::<G>(),
        });
        self.made.push((moment, seat, stream, report));
    }

    /// Starts watching; earlier spectators get the pending update first.
    pub(crate) fn watch(&mut self) -> Result<(), Violation> {
        self.publish_update()?;
        self.machine.start_watching();
        self.auditor.start_watching();
        Ok(())
    }

    /// Sends an update to spectators.
    pub(crate) fn publish_update(&mut self) -> Result<(), Violation> {
        self.is_update_due = false;
        let mut due = self.machine.take_update();
        if let Some(tampering) = &mut self.tampering {
            tampering.apply_to_update(&mut due);
        }
        self.auditor.check_update(due.as_ref())
    }

    /// Handles the reports of streams.
    pub(crate) fn catch_up(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        self.begin(now);
        self.machine.handle_reports(&mut self.reports, &mut self.effects);
        self.end(now, trace)
    }

    /// Handles a new stream of a bot.
    pub(crate) fn join(
        &mut self,
        now: Time,
        seat: Seat,
        stream: StreamId,
        bot: BotIdentity,
        resume_point: Option<ResumePoint>,
        trace: &mut Trace,
    ) -> Result<(), Violation> {
        self.add_queue(stream);
        let moment = self.begin(now);
        self.auditor.expect_join(now, seat, stream, bot.clone(), resume_point);
        let arrived = (moment, &mut self.reports);
        let request = JoinRequest { bot, resume_point, ..JoinRequest::default() };
        let joined = self.machine.join(arrived, seat, request, &mut self.effects);
        let joined = match joined {
            Ok(joined) => joined,
            Err((_, after)) => {
                self.auditor.note_refused_seat(seat);
                let to_bot = ToBot::Closed(Closing::SeatClosed);
                self.queues[stream.0].push_back(Gated { after, to_bot });
                return self.end(now, trace);
            }
        };
        self.numbers[stream.0] = joined.stream;
        self.opening = Some(stream);
        self.end(now, trace)?;
        self.auditor.check_welcome(&joined)?;
        self.queues[stream.0]
            .push_front(Gated { after: joined.after, to_bot: ToBot::Welcome(joined.start) });
        Ok(())
    }

    /// Refuses a connection at capacity, unless the seat has a stream.
    pub(crate) fn refuse_connection(
        &mut self,
        now: Time,
        seat: Seat,
        stream: StreamId,
        trace: &mut Trace,
    ) -> Result<bool, Violation> {
        self.add_queue(stream);
        self.catch_up(now, trace)?;
        if self.senders[seat.index()].is_some() || self.has_ended() {
            return Ok(false);
        }
        self.queues[stream.0].push_back(Gated {
            after: Entries::NONE,
            to_bot: ToBot::Closed(Closing::ConnectionRefused),
        });
        let moment = self.begin(now);
        self.auditor.expect_refused_connection(now, seat);
        let arrived = (moment, &mut self.reports);
        self.machine.connection_refused(arrived, seat, None, &mut self.effects);
        self.end(now, trace)?;
        Ok(true)
    }

    /// Cancels the match.
    pub(crate) fn cancel(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        let moment = self.begin(now);
        self.auditor.expect_tick(now);
        self.auditor.expect_cancellation(now);
        let arrived = (moment, &mut self.reports);
        let had_ended = self.machine.referee().phase() == MatchPhase::Ended;
        let cancelled = self.machine.cancel(arrived, cancellation(), &mut self.effects);
        self.end(now, trace)?;
        let is_cancelled = self.referee().is_cancelled();
        require!(
            cancelled.is_ok() == is_cancelled && (!had_ended || !is_cancelled),
            "the cancellation is answered with {cancelled:?}"
        );
        Ok(())
    }

    /// Ticks the match. Returns the time of the next tick.
    pub(crate) fn tick(&mut self, now: Time, trace: &mut Trace) -> Result<Option<Time>, Violation> {
        let moment = self.begin(now);
        self.auditor.expect_tick(now);
        let arrived = (moment, &mut self.reports);
        let next = self.machine.tick(arrived, &mut self.effects);
        self.end(now, trace)?;
        Ok(next)
    }

    /// Prepares a call of the match: reports the stored entries and drains the inbox.
    fn begin(&mut self, now: Time) -> ServerTime {
        let (stored, at) = self.store.stored();
        self.machine.mark_stored(stored, at);
        self.auditor.note_stored(stored, at);
        self.inbox.drain_into(&mut self.reports);
        for (moment, seat, stream, report) in self.made.drain(..) {
            self.auditor.reports(moment, seat, stream, report);
        }
        self.moment(now)
    }

    /// Completes a call of the match: audits and carries out its effects.
    fn end(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        let moment = self.moment(now);
        let mut slow = Vec::new();
        loop {
            if let Some(tampering) = &mut self.tampering {
                tampering.apply(&mut self.effects);
            }
            self.auditor.audit(&self.effects, moment, trace)?;
            let is_over =
                |effect: &Effect| matches!(effect, Effect::Ended(_) | Effect::Cancelled { .. });
            if self.effects.iter().any(is_over) {
                self.publish_update()?;
            }
            let mut effects = std::mem::take(&mut self.effects);
            for effect in effects.drain(..) {
                slow.extend(self.apply_effects(effect)?);
            }
            self.effects = effects;
            let Some((seat, stream)) = slow.pop() else {
                break;
            };
            self.auditor.expect_overflow(now, seat);
            let number = self.numbers[stream.0];
            self.machine.handle_overflow(moment, seat, number, &mut self.effects);
        }
        let seats = self.referee().rules().seats.seats();
        for (seat, stream) in seats.zip(&self.senders) {
            if let Some(stream) = *stream {
                let waits = self.machine.uncommitted_report(seat, self.numbers[stream.0]);
                let must_wait = self.auditor.uncommitted_report(stream);
                require!(
                    waits == must_wait,
                    "the stream of {seat} is read after {waits:?} instead of {must_wait:?}"
                );
            }
        }
        let histories = self.machine.histories();
        self.auditor.check_agreement(self.machine.referee(), histories)
    }

    /// Returns a stream whose queue is full.
    fn apply_effects(&mut self, effect: Effect) -> Result<Option<(Seat, StreamId)>, Violation> {
        match effect {
            Effect::Store(entry) => self.store.queue(entry)?,
            Effect::Open { seat, .. } => self.senders[seat.index()] = self.opening.take(),
            Effect::Send { seat, message, after } => {
                let Some(stream) = self.senders[seat.index()] else {
                    return Ok(None);
                };
                let queue = &mut self.queues[stream.0];
                if queue.len() < QUEUE_LIMIT {
                    let to_bot = ToBot::Message(message);
                    queue.push_back(Gated { after, to_bot });
                } else {
                    let to_bot = ToBot::Closed(Closing::SlowConsumer);
                    queue.push_back(Gated { after, to_bot });
                    self.senders[seat.index()] = None;
                    return Ok(Some((seat, stream)));
                }
            }
            Effect::Close { seat, closing, after } => {
                if let Some(stream) = self.senders[seat.index()].take() {
                    let to_bot = ToBot::Closed(Closing::ByMatch(closing));
                    self.queues[stream.0].push_back(Gated { after, to_bot });
                }
            }
            Effect::Lost { seat, .. } => self.senders[seat.index()] = None,
            Effect::Wake => self.wakes = true,
            Effect::Handled(_)
            | Effect::LogFault { .. }
            | Effect::Count(_)
            | Effect::Ended(_)
            | Effect::Cancelled { .. } => {}
        }
        Ok(None)
    }
}
