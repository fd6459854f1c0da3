//! What surrounds a match in a server, in virtual time: the inbox, the store, the queues to the
//! streams, the timer, and who watches. Carries out what the match says, and decides nothing.

mod making;
mod stopping;

use std::collections::VecDeque;

use bridgemaster_games::Seat;
use bridgemaster_match::{
    Closing as Reason, Effect, Entries, Inbox, Match, Moment, Opening, Outgoing, Report as Made,
    StreamNumber,
};
use bridgemaster_proto::{games::WireGame, v1::PlayResponse};
use bridgemaster_referee::{BotIdentity, Known, MAX_MESSAGES_KEPT, MatchPhase, Referee, Time};
use prost::Message as _;

pub(crate) use self::making::{history_of, match_id};
use crate::{
    auditor::{Auditor, StreamId},
    cancellation,
    cluster::journal::{Appended, Journaled},
    oracle::{Violation, demand},
    reported::Report,
    store::Store,
    tampering::EffectTampering,
    trace::Trace,
};

/// Messages that wait for the transport before a stream ends: as the real server's.
const QUEUE_LIMIT: usize = 2 * MAX_MESSAGES_KEPT;

/// What the server sends to a bot.
#[derive(Debug)]
pub(crate) enum ToBot {
    Welcome(Opening),
    Message(Outgoing),
    Closed(Closing),
}

/// The message in bytes for a bot.
pub(crate) fn decoded(message: &Outgoing) -> Result<PlayResponse, Violation> {
    PlayResponse::decode(&*message.bytes)
        .map_err(|error| Violation(format!("{message:?} is no message: {error}")))
}

/// Why a stream ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    ByMatch(Reason),
    SlowConsumer,
    SeatClosed,
    TurnedAway,
    /// Another server may have the match.
    NodeSuperseded,
    /// The server drains.
    ServerStopping,
    /// Another server has it.
    Moved(usize),
}

/// Something for a bot that leaves when so many entries are stored.
#[derive(Debug)]
pub(crate) struct Gated {
    pub(crate) after: Entries,
    pub(crate) to_bot: ToBot,
}

/// A match, and what surrounds it.
pub(crate) struct Shell<G: WireGame> {
    machine: Match<G>,
    pub(crate) auditor: Auditor<G>,
    inbox: Inbox,
    reports: Vec<Made>,
    /// What is in the inbox, as the auditor gets it.
    made: Vec<(Moment, Seat, StreamId, Report<G::Decision>)>,
    effects: Vec<Effect>,
    store: Store,
    /// The stream that what is sent to a seat goes to.
    senders: Vec<Option<StreamId>>,
    /// Their numbers, by stream.
    numbers: Vec<StreamNumber>,
    /// What waits for the store and for the transport, by stream.
    queues: Vec<VecDeque<Gated>>,
    /// Counts the servers that had the match: each begins a history.
    life: u32,
    /// All lag so far, in µs.
    pub(crate) lag_us: u64,
    /// The timer is to look at once.
    wakes: bool,
    /// Changes of what everybody may know, as of the last call.
    changes: u64,
    /// A look for news is to come.
    are_news_due: bool,
    /// The stream that takes a seat in the call at hand.
    opening: Option<StreamId>,
    is_parked: bool,
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

    /// The match is over, and that is stored.
    pub(crate) fn is_complete(&self) -> bool {
        self.store.is_complete()
    }

    /// A stream comes to the match.
    fn add_queue(&mut self, stream: StreamId) {
        let streams = self.queues.len().max(stream.0 + 1);
        self.queues.resize_with(streams, VecDeque::new);
        self.numbers.resize(streams, StreamNumber::default());
    }

    /// What is the next for a stream and may leave.
    pub(crate) fn next_to_bot(&mut self, stream: StreamId) -> Option<Gated> {
        let (stored, _) = self.store.stored();
        let queue = self.queues.get_mut(stream.0)?;
        queue.pop_front_if(|next| next.after <= stored)
    }

    /// The streams for which something waits.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = StreamId> {
        let queues = self.queues.iter().enumerate();
        queues
            .filter(|(_, queue)| !queue.is_empty())
            .map(|(index, _)| StreamId(index))
    }

    /// Whether what everybody may know has changed, and no look for news is to come yet.
    pub(crate) fn news_become_due(&mut self) -> bool {
        let changes = self.referee().public_changes();
        let have_changed = changes != std::mem::replace(&mut self.changes, changes);
        have_changed && !std::mem::replace(&mut self.are_news_due, true)
    }

    /// Whether the timer is to look at once.
    pub(crate) fn take_wake(&mut self) -> bool {
        std::mem::take(&mut self.wakes)
    }

    /// Begins to store what is due, unless that is being done; to be followed by
    /// [`Shell::have_stored`].
    pub(crate) fn begin_to_store(&mut self) -> Option<usize> {
        self.store.begin_to_store()
    }

    pub(crate) fn have_stored(&mut self, count: usize, now: Time) {
        self.store.have_stored(count, now);
    }

    /// What is to be stored up to so many entries.
    pub(crate) fn to_store(&self, count: usize) -> Appended {
        let (first, standings) = (self.stored(), self.auditor.standings());
        let entries = self.store.entries()[first..count].iter();
        let entries = entries.zip(&standings[first..count]);
        let entries = entries.map(|(bytes, standing)| Journaled {
            bytes: bytes.clone().into(),
            standing: standing.clone(),
        });
        Appended {
            first,
            entries: entries.collect(),
            finish: self.store.finish_after(count),
        }
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.stored() == self.store.len()
    }

    pub(crate) fn header(&self) -> &[u8] {
        &self.store.header
    }

    /// Counts the servers that had the match.
    pub(crate) fn life(&self) -> u32 {
        self.life
    }

    /// Entries as this server has them, stored or not.
    pub(crate) fn entries(&self) -> &[Vec<u8>] {
        self.store.entries()
    }

    /// Entries that are stored.
    pub(crate) fn stored(&self) -> usize {
        self.store.stored().0.0 as usize
    }

    /// Whether a stream is read: what it reported last is handled, and stored if it had an effect.
    pub(crate) fn reads(&self, seat: Seat, stream: StreamId) -> bool {
        let (stored, _) = self.store.stored();
        let is_handled = !self.made.iter().any(|(_, _, of, report)| {
            *of == stream && !matches!(report, Report::HandedOver { .. })
        });
        let number = self.number(stream);
        is_handled && self.machine.unsettled_report(seat, number) <= stored
    }

    fn number(&self, stream: StreamId) -> StreamNumber {
        self.numbers.get(stream.0).copied().unwrap_or_default()
    }

    fn moment(&self, now: Time) -> Moment {
        Moment {
            time: now,
            lag_us: self.lag_us,
        }
    }

    /// A stream reports something now; it is handled later.
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

    /// Somebody watches from now on; who watched before is told the news first.
    pub(crate) fn watch(&mut self) -> Result<(), Violation> {
        self.tell_news()?;
        self.machine.begin_to_watch();
        self.auditor.watches();
        Ok(())
    }

    /// Who watches is told what changed.
    pub(crate) fn tell_news(&mut self) -> Result<(), Violation> {
        self.are_news_due = false;
        let mut due = self.machine.take_news();
        if let Some(tampering) = &mut self.tampering {
            tampering.apply_to_news(&mut due);
        }
        self.auditor.is_told(due.as_ref())
    }

    /// Handles what streams have reported.
    pub(crate) fn catch_up(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        self.begin(now);
        self.machine
            .handle_reports(&mut self.reports, &mut self.effects);
        self.end(now, trace)
    }

    /// A bot opens a stream.
    pub(crate) fn join(
        &mut self,
        now: Time,
        seat: Seat,
        stream: StreamId,
        bot: BotIdentity,
        known: Option<Known>,
        trace: &mut Trace,
    ) -> Result<(), Violation> {
        self.add_queue(stream);
        let moment = self.begin(now);
        self.auditor.joins(now, seat, stream, bot.clone(), known);
        let arrived = (moment, &mut self.reports);
        let joined = self
            .machine
            .join(arrived, seat, bot, None, known, &mut self.effects);
        let joined = match joined {
            Ok(joined) => joined,
            Err((_, after)) => {
                self.auditor.refuses(seat);
                let to_bot = ToBot::Closed(Closing::SeatClosed);
                self.queues[stream.0].push_back(Gated { after, to_bot });
                return self.end(now, trace);
            }
        };
        self.numbers[stream.0] = joined.stream;
        self.opening = Some(stream);
        self.end(now, trace)?;
        self.auditor.welcomes(&joined)?;
        self.queues[stream.0].push_front(Gated {
            after: joined.after,
            to_bot: ToBot::Welcome(joined.opening),
        });
        Ok(())
    }

    /// A bot comes when there is no room. Who has a stream is not turned away.
    pub(crate) fn turns_away(
        &mut self,
        now: Time,
        seat: Seat,
        stream: StreamId,
        closing: Closing,
        trace: &mut Trace,
    ) -> Result<bool, Violation> {
        self.add_queue(stream);
        self.catch_up(now, trace)?;
        if self.senders[seat.index()].is_some() || self.has_ended() {
            return Ok(false);
        }
        self.queues[stream.0].push_back(Gated {
            after: Entries::NONE,
            to_bot: ToBot::Closed(closing),
        });
        self.keeps_away(now, seat, trace)?;
        Ok(true)
    }

    /// The match is told that the server keeps a bot away.
    fn keeps_away(&mut self, now: Time, seat: Seat, trace: &mut Trace) -> Result<(), Violation> {
        let moment = self.begin(now);
        self.auditor.turns_away(now, seat);
        let arrived = (moment, &mut self.reports);
        self.machine.turned_away(arrived, seat, &mut self.effects);
        self.end(now, trace)
    }

    /// Somebody cancels the match.
    pub(crate) fn cancel(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        let moment = self.begin(now);
        self.auditor.ticks(now);
        self.auditor.cancels(now);
        let arrived = (moment, &mut self.reports);
        let had_ended = self.machine.referee().phase() == MatchPhase::Ended;
        let cancelled = self
            .machine
            .cancel(arrived, cancellation(), &mut self.effects);
        self.end(now, trace)?;
        let is_cancelled = self.referee().is_cancelled();
        demand!(
            cancelled.is_ok() == is_cancelled && (!had_ended || !is_cancelled),
            "{cancelled:?} is answered to who cancels the match"
        );
        Ok(())
    }

    /// The timer looks; gives when it is to look again.
    pub(crate) fn tick(&mut self, now: Time, trace: &mut Trace) -> Result<Option<Time>, Violation> {
        let moment = self.begin(now);
        self.auditor.ticks(now);
        let arrived = (moment, &mut self.reports);
        let next = self.machine.tick(arrived, &mut self.effects);
        self.end(now, trace)?;
        Ok(next)
    }

    /// Before the match is given anything: what is stored, and what was reported.
    fn begin(&mut self, now: Time) -> Moment {
        let (stored, at) = self.store.stored();
        self.machine.stored(stored, at);
        self.auditor.told_stored(stored, at);
        self.inbox.drain_into(&mut self.reports);
        for (moment, seat, stream, report) in self.made.drain(..) {
            self.auditor.reports(moment, seat, stream, report);
        }
        self.moment(now)
    }

    /// After it was: what it says is looked at, and carried out.
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
                self.tell_news()?;
            }
            let mut effects = std::mem::take(&mut self.effects);
            for effect in effects.drain(..) {
                slow.extend(self.carry_out(effect)?);
            }
            self.effects = effects;
            let Some((seat, stream)) = slow.pop() else {
                break;
            };
            self.auditor.overflows(now, seat);
            let number = self.numbers[stream.0];
            self.machine
                .overflowed(moment, seat, number, &mut self.effects);
        }
        let seats = self.referee().rules().seats.seats();
        for (seat, stream) in seats.zip(&self.senders) {
            if let Some(stream) = *stream {
                let waits = self.machine.unsettled_report(seat, self.numbers[stream.0]);
                let must_wait = self.auditor.unsettled_report(stream);
                demand!(
                    waits == must_wait,
                    "the stream of {seat} is read after {waits:?}, not after {must_wait:?}"
                );
            }
        }
        let histories = self.machine.histories();
        self.auditor.agrees(self.machine.referee(), histories)
    }

    /// Gives a stream whose queue is full.
    fn carry_out(&mut self, effect: Effect) -> Result<Option<(Seat, StreamId)>, Violation> {
        match effect {
            Effect::Store(entry) => self.store.queue(entry)?,
            Effect::Open { seat, .. } => self.senders[seat.index()] = self.opening.take(),
            Effect::Send {
                seat,
                message,
                after,
            } => {
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
            Effect::Close {
                seat,
                closing,
                after,
            } => {
                if let Some(stream) = self.senders[seat.index()].take() {
                    let to_bot = ToBot::Closed(Closing::ByMatch(closing));
                    self.queues[stream.0].push_back(Gated { after, to_bot });
                }
            }
            Effect::Lost { seat, .. } => self.senders[seat.index()] = None,
            Effect::Wake => self.wakes = true,
            Effect::Handled(_)
            | Effect::Faulty { .. }
            | Effect::Count(_)
            | Effect::Ended(_)
            | Effect::Cancelled { .. } => {}
        }
        Ok(None)
    }
}
