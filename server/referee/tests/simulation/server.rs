//! What of the server stands between the streams and the referee: links, the inbox, the timer, and
//! the lag of all of it. A thin model of the real shell, whose duties it has.

use std::collections::VecDeque;

use bridgemaster_games::{Game, Seat};
use bridgemaster_referee::{
    Answer, BadAnswerReason, BotIdentity, CloseReason, DecisionRequest, Histories, HistoryId,
    Input, Known, MAX_MESSAGES_KEPT, MatchPhase, Output, Referee, SeatMessage, Time,
};

use crate::{
    journal::{Journal, copy},
    oracle::{Oracle, Violation, demand},
    tampering::Tampering,
    trace::Trace,
};

/// Messages that wait for the transport before a stream ends: as the real server's.
const QUEUE_LIMIT: usize = 2 * MAX_MESSAGES_KEPT;

/// Numbers the streams of a match in the order in which they were opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StreamId(pub(crate) usize);

/// What a stream reports.
#[derive(Debug)]
pub(crate) enum Report<D> {
    Answer {
        request_id: u32,
        answer: Answer<D>,
    },
    BadAnswer {
        request_id: u32,
        reason: BadAnswerReason,
    },
    HandedOver {
        request_id: u32,
    },
    RoundTrip {
        elapsed_us: u64,
    },
    Resign,
    Useless,
    Flood,
    Garbage,
    Left,
}

/// What the server sends to a bot.
#[derive(Debug)]
pub(crate) enum ToBot<G: Game> {
    Welcome {
        history_id: HistoryId,
        resumed: bool,
    },
    Message {
        sequence: u32,
        message: SeatMessage<G>,
    },
    Closed(Closing),
}

/// Why a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    ByReferee(CloseReason),
    Superseded,
    SlowConsumer,
    SeatClosed,
    TurnedAway,
}

struct Reported<D> {
    at: Time,
    lag_us: u64,
    seat: Seat,
    stream: StreamId,
    report: Report<D>,
}

/// Something for a bot that leaves when as many entries of the journal are stored.
#[derive(Debug)]
struct Gated<G: Game> {
    opens_at: usize,
    to_bot: ToBot<G>,
}

/// The server's part of a match.
pub(crate) struct Server<G: Game> {
    pub(crate) referee: Referee<G>,
    pub(crate) oracle: Oracle<G>,
    histories: Histories,
    /// Counts the lives of the server: each begins a history.
    life: u8,
    /// A restart found less than had been stored.
    pub(crate) has_lost_tail: bool,
    inbox: VecDeque<Reported<G::Decision>>,
    links: Vec<Option<StreamId>>,
    journal: Journal<G>,
    /// What waits for the journal and for the transport, by stream.
    queues: Vec<VecDeque<Gated<G>>>,
    /// All lag so far, in µs, and what of it the referee knows.
    pub(crate) lag_us: u64,
    told_lag_us: u64,
    /// The moment at which the timer looks again.
    pub(crate) armed: Option<Time>,
    pub(crate) inputs: u64,
    tampering: Option<Tampering>,
}

impl<G: Game> Server<G> {
    pub(crate) fn new(
        referee: Referee<G>,
        tampering: Option<Tampering>,
    ) -> Result<Self, Violation> {
        let seats = usize::from(referee.rules().seats.get());
        Ok(Self {
            oracle: Oracle::new(&referee)?,
            histories: Histories::new(history_of(0)),
            life: 0,
            has_lost_tail: false,
            referee,
            inbox: VecDeque::new(),
            links: vec![None; seats],
            journal: Journal::new(),
            queues: Vec::new(),
            lag_us: 0,
            told_lag_us: 0,
            armed: None,
            inputs: 0,
            tampering,
        })
    }

    pub(crate) fn holds(&self, seat: Seat, stream: StreamId) -> bool {
        self.links[seat.index()] == Some(stream)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.referee.phase() == MatchPhase::Ended
    }

    /// The match is over, and that is stored.
    pub(crate) fn is_complete(&self) -> bool {
        self.journal.is_complete()
    }

    /// A bot opens a stream, which has the next number.
    pub(crate) fn add_queue(&mut self) {
        self.queues.push(VecDeque::new());
    }

    /// What is the next for a stream and may leave.
    pub(crate) fn next_to_bot(&mut self, stream: StreamId) -> Option<ToBot<G>> {
        let stored = self.journal.stored();
        let queue = &mut self.queues[stream.0];
        let next = queue.pop_front_if(|next| next.opens_at <= stored)?;
        Some(next.to_bot)
    }

    /// The streams for which something waits.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = StreamId> {
        let queues = self.queues.iter().enumerate();
        queues
            .filter(|(_, queue)| !queue.is_empty())
            .map(|(index, _)| StreamId(index))
    }

    /// Begins to store what is due, unless that is being done; to be followed by
    /// [`Server::have_stored`].
    pub(crate) fn begin_to_store(&mut self) -> Option<usize> {
        self.journal.begin_to_store()
    }

    pub(crate) fn have_stored(&mut self, count: usize) {
        self.journal.have_stored(count);
    }

    /// The server is killed: all that is not stored is gone, and of what is stored all but so much.
    pub(crate) fn kill(&mut self, now: Time, kept: usize, trace: &mut Trace) {
        trace.line(
            now,
            format_args!(
                "the server is killed with {} of {} inputs stored, of which {kept} are kept",
                self.journal.stored(),
                self.journal.len()
            ),
        );
        self.has_lost_tail |= kept < self.journal.stored();
        self.journal.lose_all_but(kept);
        self.inbox.clear();
        self.links.fill(None);
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.armed = None;
    }

    /// Inputs that are stored.
    pub(crate) fn stored(&self) -> usize {
        self.journal.stored()
    }

    /// The server starts again: it replays the journal, and goes on.
    pub(crate) fn restart(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        let created_at = self.referee.created_at();
        let mut referee = Referee::new(self.referee.rules().clone(), created_at)
            .map_err(|error| Violation(format!("the stored rules are refused: {error}")))?;
        let mut oracle = Oracle::new(&referee)?;
        let mut histories = Histories::new(history_of(0));
        let mut outputs = Vec::new();
        for (number, at, input, begins) in self.journal.inputs() {
            if let Some(next) = begins {
                histories.begin(next, referee.sent().collect());
            }
            oracle.before(at, &input);
            outputs.clear();
            referee.handle(at, input, &mut outputs);
            oracle.after(&outputs, &referee)?;
            let mut replayed = Trace::default();
            write_outputs(at, &outputs, &mut replayed);
            // What was tampered with was not the referee's.
            if self.tampering.is_none() {
                self.journal
                    .check_replayed(number, replayed.text(), &referee)?;
            }
        }
        self.life += 1;
        histories.begin(history_of(self.life), referee.sent().collect());
        (self.referee, self.oracle, self.histories) = (referee, oracle, histories);
        self.told_lag_us = self.lag_us;
        self.handle(now, Input::Restarted, trace)
    }

    /// Demands that a bot has no message that the match does not know of, unless that was lost
    /// after it had been stored.
    pub(crate) fn knows_what_was_sent(&self, seat: Seat, has: u32) -> Result<(), Violation> {
        let sent = self.oracle.sent_to(seat);
        demand!(
            has as usize <= sent || self.has_lost_tail,
            "{seat} has message {has}, and after the restart {sent} were sent to it"
        );
        Ok(())
    }

    /// A stream reports something now; it is handled later.
    pub(crate) fn report(
        &mut self,
        now: Time,
        seat: Seat,
        stream: StreamId,
        report: Report<G::Decision>,
    ) {
        self.inbox.push_back(Reported {
            at: now,
            lag_us: self.lag_us,
            seat,
            stream,
            report,
        });
    }

    /// Handles what streams have reported.
    pub(crate) fn catch_up(&mut self, trace: &mut Trace) -> Result<(), Violation> {
        while let Some(reported) = self.inbox.pop_front() {
            let Reported {
                at,
                lag_us,
                seat,
                stream,
                report,
            } = reported;
            if !self.holds(seat, stream) {
                trace.line(
                    at,
                    format_args!("{seat} {stream:?} is not heard: {report:?}"),
                );
                continue;
            }
            match report {
                Report::Left => self.links[seat.index()] = None,
                Report::Garbage => self.close(seat, Closing::ByReferee(CloseReason::Garbage)),
                _ => {}
            }
            self.tell_lag(at, lag_us, trace)?;
            self.handle(at, input(seat, report), trace)?;
        }
        Ok(())
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
        self.catch_up(trace)?;
        self.tell_lag(now, self.lag_us, trace)?;
        if self.referee.forfeit(seat).is_some() {
            self.send(stream, ToBot::Closed(Closing::SeatClosed));
            return Ok(());
        }
        let last_sequence = self.believed(seat, known)?;
        self.close(seat, Closing::Superseded);
        self.links[seat.index()] = Some(stream);
        let input = Input::Connected {
            seat,
            bot,
            last_sequence,
        };
        self.handle(now, input, trace)?;
        // It waits for all that is stored up to now, as what it tells may not be forgotten.
        self.queues[stream.0].push_front(Gated {
            opens_at: self.journal.due(),
            to_bot: ToBot::Welcome {
                history_id: self.histories.running(),
                resumed: last_sequence.is_some(),
            },
        });
        Ok(())
    }

    /// The number of a bot that comes back, if it is one of this match and everything after it
    /// can be sent.
    fn believed(&self, seat: Seat, known: Option<Known>) -> Result<Option<u32>, Violation> {
        let Some(known) = known else { return Ok(None) };
        let last = known.last_sequence;
        let sent = self.oracle.sent_to(seat) as u32;
        let is_true = self.histories.holds(seat, known, sent);
        demand!(
            is_true || self.has_lost_tail,
            "{seat} has {known:?} and is not believed, though nothing was lost"
        );
        let can_resume = self.referee.can_resume(seat, last);
        Ok((is_true && can_resume).then_some(last))
    }

    /// A bot comes when there is no room. Who has a stream is not turned away.
    pub(crate) fn turns_away(
        &mut self,
        now: Time,
        seat: Seat,
        stream: StreamId,
        trace: &mut Trace,
    ) -> Result<bool, Violation> {
        self.catch_up(trace)?;
        if self.links[seat.index()].is_some() || self.has_ended() {
            return Ok(false);
        }
        self.tell_lag(now, self.lag_us, trace)?;
        self.send(stream, ToBot::Closed(Closing::TurnedAway));
        self.handle(now, Input::TurnedAway { seat }, trace)?;
        Ok(true)
    }

    /// The timer wakes.
    pub(crate) fn tick(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        self.catch_up(trace)?;
        self.tell_lag(now, self.lag_us, trace)?;
        if self.referee.deadline().is_some_and(|at| at <= now) {
            self.handle(now, Input::Tick, trace)?;
        }
        self.armed = self.referee.deadline();
        Ok(())
    }

    fn tell_lag(&mut self, at: Time, lag_us: u64, trace: &mut Trace) -> Result<(), Violation> {
        let untold_us = lag_us.saturating_sub(self.told_lag_us);
        if untold_us == 0 || self.has_ended() {
            return Ok(());
        }
        self.told_lag_us = lag_us;
        self.handle(at, Input::RefereeLag { lag_us: untold_us }, trace)
    }

    fn handle(&mut self, at: Time, input: Input<G>, trace: &mut Trace) -> Result<(), Violation> {
        trace.line(at, format_args!("> {input:?}"));
        self.inputs += 1;
        let (stored_input, running) = (copy(&input), self.histories.running());
        self.oracle.before(at, &input);
        let mut outputs = Vec::new();
        self.referee.handle(at, input, &mut outputs);
        if let Some(tampering) = &mut self.tampering {
            tampering.apply(&mut outputs);
        }
        let before = trace.text().len();
        write_outputs(at, &outputs, trace);
        self.journal.write(
            at,
            stored_input,
            running,
            trace.since(before),
            &self.referee,
        );
        self.oracle.after(&outputs, &self.referee)?;
        let mut slow = Vec::new();
        for output in outputs {
            match output {
                Output::Send {
                    seat,
                    sequence,
                    message,
                } => {
                    if let Some(stream) = self.links[seat.index()] {
                        if self.queues[stream.0].len() == QUEUE_LIMIT {
                            self.close(seat, Closing::SlowConsumer);
                            slow.push(seat);
                        } else {
                            self.send(stream, ToBot::Message { sequence, message });
                        }
                    }
                }
                Output::Close { seat, reason } => self.close(seat, Closing::ByReferee(reason)),
                Output::Record(_) | Output::Ended => {}
            }
        }
        for seat in slow {
            self.handle(at, Input::Disconnected { seat }, trace)?;
        }
        Ok(())
    }

    fn close(&mut self, seat: Seat, closing: Closing) {
        if let Some(stream) = self.links[seat.index()].take() {
            self.send(stream, ToBot::Closed(closing));
        }
    }

    /// Queues something that tells of what is in the journal up to now.
    fn send(&mut self, stream: StreamId, to_bot: ToBot<G>) {
        self.queues[stream.0].push_back(Gated {
            opens_at: self.journal.due(),
            to_bot,
        });
    }
}

/// The history that a life of the server begins.
fn history_of(life: u8) -> HistoryId {
    HistoryId::new([life; 16])
}

fn write_outputs<G: Game>(at: Time, outputs: &[Output<G>], trace: &mut Trace) {
    for output in outputs {
        trace.line(at, format_args!("  {}", Short(output)));
    }
}

fn input<G: Game>(seat: Seat, report: Report<G::Decision>) -> Input<G> {
    match report {
        Report::Answer { request_id, answer } => Input::Answer {
            seat,
            request_id,
            answer,
        },
        Report::BadAnswer { request_id, reason } => Input::BadAnswer {
            seat,
            request_id,
            reason,
            field: "decision".to_owned(),
            detail: "it cannot be read".to_owned(),
        },
        Report::HandedOver { request_id } => Input::HandedOver { seat, request_id },
        Report::RoundTrip { elapsed_us } => Input::RoundTrip {
            seat,
            round_trip_us: elapsed_us,
        },
        Report::Resign => Input::Resign { seat },
        Report::Useless => Input::Useless { seat },
        Report::Flood => Input::Flood {
            seat,
            detail: "more messages than allowed".to_owned(),
        },
        Report::Garbage => Input::Garbage {
            seat,
            detail: "bytes that are no message".to_owned(),
        },
        Report::Left => Input::Disconnected { seat },
    }
}

/// An output in a line: observations and lists in full would hide the rest.
struct Short<'a, G: Game>(&'a Output<G>);

impl<G: Game> std::fmt::Display for Short<'_, G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use bridgemaster_referee::RecordEntry;
        match self.0 {
            Output::Send {
                seat,
                sequence,
                message,
            } => {
                write!(f, "to {seat} number {sequence}: ")?;
                match message {
                    SeatMessage::Started(_) => f.write_str("started"),
                    SeatMessage::Request(DecisionRequest {
                        request_id,
                        question,
                        clock,
                    }) => write!(
                        f,
                        "request {request_id}, {} legal, {clock:?}",
                        question.legal.len()
                    ),
                    SeatMessage::Rejected(rejection) => write!(f, "{rejection:?}"),
                    SeatMessage::SeatStatus(status) => write!(f, "{status:?}"),
                    SeatMessage::Ended(_) => f.write_str("ended"),
                }
            }
            Output::Close { seat, reason } => write!(f, "close {seat}: {reason:?}"),
            Output::Record(record) => {
                write!(f, "record {}: ", record.number)?;
                match &record.entry {
                    RecordEntry::Decision(record) => write!(
                        f,
                        "{} {:?} for request {}: {} -> {}, {:?}",
                        record.seat,
                        record.decided_by,
                        record.request_id,
                        record.decision,
                        record.digest,
                        record.charge
                    ),
                    RecordEntry::Chance(record) => {
                        write!(f, "chance {} -> {}", record.stream, record.digest)
                    }
                    RecordEntry::Fault { seat, fault } => write!(f, "{seat} {fault:?}"),
                    RecordEntry::Seat(info) => write!(f, "{info:?}"),
                }
            }
            Output::Ended => f.write_str("the match is over"),
        }
    }
}
