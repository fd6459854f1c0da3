//! Drives a referee by a script and asserts the invariants of every match.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat, SeatCount, Seed};
use bridgemaster_referee::*;

pub(crate) fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

pub(crate) fn rules<G: Game>(seats: u8) -> MatchRules<G> {
    MatchRules::standard(SeatCount::new(seats).unwrap(), Seed::from(7))
}

pub(crate) fn bot(number: u8) -> BotIdentity {
    BotIdentity { name: format!("bot{number}"), version: "1".to_owned() }
}

/// A short form of a seat's message, for comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShortMessage {
    Started,
    Request(u32),
    Rejected(u32, RejectionReason, u32),
    Status(u8, SeatState, Option<FaultReason>),
    Ended,
}

/// A match under a script. The time of a step is in µs and only grows.
pub(crate) struct Script<G: Game> {
    pub(crate) referee: Referee<G>,
    pub(crate) now: Time,
    /// Outputs of the last step.
    pub(crate) last: Vec<Output<G>>,
    pub(crate) records: Vec<Record<G>>,
    /// Number of the last new message of each seat.
    pub(crate) sequences: [u32; 8],
    /// The seats that have an open stream.
    pub(crate) streams: [bool; 8],
    /// Every recorded fault, in order.
    pub(crate) faults: Vec<(u8, FaultReason, FaultAction)>,
    pub(crate) ended: u32,
}

impl<G: Game> Script<G> {
    pub(crate) fn new(rules: MatchRules<G>) -> Self {
        let now = Time(5_000_000);
        Self {
            referee: Referee::new(rules, now).unwrap(),
            now,
            last: Vec::new(),
            records: Vec::new(),
            sequences: [0; 8],
            streams: [false; 8],
            faults: Vec::new(),
            ended: 0,
        }
    }

    /// Creates a match whose seats are all connected, so that it has started.
    pub(crate) fn started(rules: MatchRules<G>) -> Self {
        let mut script = Self::new(rules);
        for number in 0..script.referee.rules().seats.get() {
            script.connect(number, None);
        }
        assert_eq!(script.referee.phase(), MatchPhase::Running);
        script
    }

    /// Lets time pass without an input.
    pub(crate) fn wait_us(&mut self, us: u64) -> &mut Self {
        self.now = self.now.plus_us(us);
        self
    }

    pub(crate) fn wait_ms(&mut self, ms: u64) -> &mut Self {
        self.wait_us(ms * 1000)
    }

    pub(crate) fn step(&mut self, input: Input<G>) -> &[Output<G>] {
        if matches!(input, Input::Restarted) {
            self.streams = [false; 8];
        }
        if let Some(seat) = input.seat() {
            match input {
                Input::Connected { .. } => self.streams[seat.index()] = true,
                Input::Disconnected { .. } => self.streams[seat.index()] = false,
                _ => {}
            }
        }
        let mut out = Vec::new();
        self.referee.handle(self.now, input, &mut out);
        for output in &out {
            match output {
                Output::Send { seat, sequence, .. } => {
                    assert!(self.streams[seat.index()], "a message to a seat without a stream");
                    let last = &mut self.sequences[seat.index()];
                    assert!((1..=*last + 1).contains(sequence), "{sequence} after {last}");
                    *last = (*last).max(*sequence);
                }
                Output::Close { seat, .. } => {
                    assert!(self.streams[seat.index()], "a close of a seat without a stream");
                    self.streams[seat.index()] = false;
                }
                Output::Record(_) => assert_eq!(self.ended, 0, "a record after the end"),
                Output::Ended | Output::Cancelled => self.ended += 1,
            }
        }
        assert_eq!(self.ended, u32::from(self.referee.phase() == MatchPhase::Ended));
        let has_result = self.ended == 1 && !self.referee.is_cancelled();
        assert_eq!(self.referee.result().is_some(), has_result);
        let mut others = Vec::new();
        for output in out {
            if let Output::Record(record) = &output
                && let RecordEntry::Fault { seat, fault } = &record.entry
            {
                self.faults.push((seat.number(), fault.reason, fault.action));
            }
            match output {
                Output::Record(record) => {
                    assert_eq!(record.number as usize, self.records.len(), "a gap in the records");
                    self.records.push(record);
                }
                other => others.push(other),
            }
        }
        self.last = others;
        &self.last
    }

    pub(crate) fn connect(&mut self, number: u8, last_sequence: Option<u32>) -> &[Output<G>] {
        self.step(Input::Connected { seat: seat(number), bot: bot(number), last_sequence })
    }

    pub(crate) fn disconnect(&mut self, number: u8) {
        self.step(Input::Disconnected { seat: seat(number) });
    }

    pub(crate) fn hand_over(&mut self, number: u8, request_id: u32) {
        self.step(Input::HandedOver { seat: seat(number), request_id });
    }

    pub(crate) fn answer_index(&mut self, number: u8, request_id: u32, index: u32) {
        self.step(Input::Answer {
            seat: seat(number),
            request_id,
            answer: Answer::Index(index),
            note: String::new(),
        });
    }

    pub(crate) fn decide(&mut self, number: u8, request_id: u32, decision: G::Decision) {
        let answer = Answer::Decision(decision);
        self.step(Input::Answer { seat: seat(number), request_id, answer, note: String::new() });
    }

    pub(crate) fn restart(&mut self) {
        self.step(Input::Restarted);
    }

    pub(crate) fn tick(&mut self) {
        self.step(Input::Tick);
    }

    /// Waits for the referee's deadline and ticks. Returns whether there is a deadline.
    pub(crate) fn tick_at_deadline(&mut self) -> bool {
        let Some(deadline) = self.referee.deadline() else {
            return false;
        };
        self.now = self.now.max(deadline);
        self.tick();
        true
    }

    /// Ticks at every deadline until the match has none.
    pub(crate) fn run_to_end(&mut self) {
        let mut ticks = 0;
        while self.tick_at_deadline() {
            ticks += 1;
            assert!(ticks < 100_000, "the match does not end");
        }
    }

    /// The messages to a seat in the last step, with their sequence numbers.
    pub(crate) fn numbered_messages(&self, number: u8) -> Vec<(u32, ShortMessage)> {
        self.last
            .iter()
            .filter_map(|output| match output {
                Output::Send { seat, sequence, message } if seat.number() == number => {
                    Some((*sequence, short(message)))
                }
                _ => None,
            })
            .collect()
    }

    /// The messages to a seat in the last step.
    pub(crate) fn messages(&self, number: u8) -> Vec<ShortMessage> {
        self.numbered_messages(number).into_iter().map(|(_, message)| message).collect()
    }

    /// The request that a seat was sent in the last step.
    pub(crate) fn request(&self, number: u8) -> &DecisionRequest<G> {
        self.last
            .iter()
            .find_map(|output| match output {
                Output::Send { seat, message: SeatMessage::Request(request), .. }
                    if seat.number() == number =>
                {
                    Some(request)
                }
                _ => None,
            })
            .unwrap()
    }

    /// The rejection that a seat was sent in the last step.
    pub(crate) fn rejection(&self, number: u8) -> &Rejection {
        self.last
            .iter()
            .find_map(|output| match output {
                Output::Send { seat, message: SeatMessage::Rejected(rejection), .. }
                    if seat.number() == number =>
                {
                    Some(&**rejection)
                }
                _ => None,
            })
            .unwrap()
    }

    /// The reason why the stream of a seat was closed in the last step.
    pub(crate) fn closed(&self, number: u8) -> Option<CloseReason> {
        self.last.iter().find_map(|output| match output {
            Output::Close { seat, reason } if seat.number() == number => Some(*reason),
            _ => None,
        })
    }

    pub(crate) fn result(&self) -> &Arc<MatchResult> {
        self.referee.result().unwrap()
    }

    pub(crate) fn state(&self, number: u8) -> SeatState {
        self.referee.seat_info(seat(number)).unwrap().state
    }

    pub(crate) fn strikes(&self, number: u8) -> u32 {
        self.referee.seat_info(seat(number)).unwrap().strikes
    }

    /// The decisions so far: seat, who made it, and for which request.
    pub(crate) fn decisions(&self) -> Vec<(u8, DecidedBy, u32)> {
        self.records
            .iter()
            .filter_map(|record| match &record.entry {
                RecordEntry::Decision(record) => {
                    Some((record.seat.number(), record.decided_by, record.request_id))
                }
                _ => None,
            })
            .collect()
    }

    pub(crate) fn last_decision(&self) -> &DecisionRecord<G> {
        self.records
            .iter()
            .rev()
            .find_map(|record| match &record.entry {
                RecordEntry::Decision(record) => Some(record),
                _ => None,
            })
            .unwrap()
    }
}

pub(crate) fn short<G: Game>(message: &SeatMessage<G>) -> ShortMessage {
    match message {
        SeatMessage::Started(_) => ShortMessage::Started,
        SeatMessage::Request(request) => ShortMessage::Request(request.request_id),
        SeatMessage::Rejected(rejection) => ShortMessage::Rejected(
            rejection.request_id,
            rejection.reason,
            rejection.open_request_id,
        ),
        SeatMessage::SeatStatus(status) => {
            ShortMessage::Status(status.info.seat.number(), status.info.state, status.reason)
        }
        SeatMessage::Ended(_) => ShortMessage::Ended,
    }
}
