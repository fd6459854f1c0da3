//! The state of the referee, and its one entry point.

use std::{fmt, sync::Arc};

use bridgemaster_games::{Digest, Game, Seat};

use crate::{
    FaultReason, ForkError, Input, MatchResult, MatchRules, Output, Question, Record, RecordEntry,
    RulesError, SeatMessage, Time, event_log::EventLog, house::House, lag::Lag, player::Player,
};

/// The phase of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchPhase {
    /// Waiting for bots.
    Waiting,
    /// In play.
    Running,
    /// Over.
    Ended,
}

/// The referee of one match.
pub struct Referee<G: Game> {
    pub(crate) rules: MatchRules<G>,
    pub(crate) setup: G::Setup,
    pub(crate) opening_events: Vec<G::Event>,
    pub(crate) opening_digest: Digest,
    pub(crate) state: G::State,
    /// Of the state, which changes only with a decision or a chance result.
    pub(crate) digest: Digest,
    pub(crate) phase: MatchPhase,
    pub(crate) created_at: Time,
    pub(crate) started_at: Option<Time>,
    /// Referee lag while the match waits for bots.
    pub(crate) startup_lag: Lag,
    /// Time while the match waited for bots and no referee was there, in µs.
    pub(crate) startup_away_us: u64,
    /// Until when the match waits at least, for a bot that was turned away or may have been forgotten.
    pub(crate) startup_waits_until: Time,
    /// The moment of the last input.
    pub(crate) now: Time,
    pub(crate) players: Vec<Player<G>>,
    pub(crate) log: EventLog<G::Event>,
    pub(crate) house: House,
    /// Buffer of the legal decisions, lent to the open requests and taken back.
    pub(crate) legal: Vec<G::Decision>,
    /// Buffer of the events of a request, likewise.
    pub(crate) news: Vec<G::Event>,
    /// The last question that was answered, whose memory the next one takes.
    pub(crate) spare: Option<Arc<Question<G>>>,
    pub(crate) decisions: u32,
    /// Those up to the last public event: later ones are secret.
    pub(crate) public_decisions: u32,
    /// Changes of what everybody may know.
    pub(crate) public_changes: u64,
    pub(crate) next_record: u32,
    pub(crate) result: Option<Arc<MatchResult>>,
    pub(crate) is_cancelled: bool,
}

/// Leaves out the state and the setup: they are secret while the match runs.
impl<G: Game> fmt::Debug for Referee<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Referee")
            .field("rules", &self.rules)
            .field("phase", &self.phase)
            .field("decisions", &self.decisions)
            .finish_non_exhaustive()
    }
}

impl<G: Game> Referee<G> {
    /// A new match with its setup drawn; the start-up time runs from `created_at`.
    ///
    /// # Errors
    /// As [`MatchRules::check`], or when the game refuses to set up.
    pub fn new(rules: MatchRules<G>, created_at: Time) -> Result<Self, RulesError> {
        rules.check()?;
        let setup = match &rules.fork {
            Some(fork) => fork.setup.clone(),
            None => G::draw_setup(&rules.config, rules.seats, &rules.seed)
                .map_err(RulesError::Config)?,
        };
        let mut opening_events = Vec::new();
        let state = G::start(&rules.config, rules.seats, &setup, &mut opening_events);
        let state = state.map_err(|error| match &rules.fork {
            Some(_) => RulesError::Fork(ForkError::Setup(error.to_string())),
            None => RulesError::Setup(error),
        })?;
        if let Some(fork) = &rules.fork {
            let checked = fork.check(&rules.config, &rules.seed, state.clone());
            checked.map_err(RulesError::Fork)?;
        }
        let digest = G::digest(&state);
        Ok(Self {
            setup,
            opening_digest: digest,
            digest,
            state,
            phase: MatchPhase::Waiting,
            created_at,
            started_at: None,
            startup_lag: Lag::default(),
            startup_away_us: 0,
            startup_waits_until: created_at,
            now: created_at,
            players: rules
                .seats
                .seats()
                .map(|seat| Player::new(seat, rules.seats, &rules.clock_of(seat)))
                .collect(),
            log: EventLog::new(opening_events.clone(), usize::from(rules.seats.get())),
            opening_events,
            house: House::new(rules.house, rules.seed.clone()),
            legal: Vec::new(),
            news: Vec::new(),
            spare: None,
            decisions: 0,
            public_decisions: 0,
            public_changes: 0,
            next_record: 0,
            result: None,
            is_cancelled: false,
            rules,
        })
    }

    /// Handles an input, and appends what is to be done to `out`. Any input is accepted at any
    /// moment; a `now` before that of an earlier input counts as that one.
    ///
    /// Deadlines up to `now` are handled first: an answer at or after its deadline is late even if
    /// no tick came before. Referee lag is applied before that, so that it makes no deadline
    /// expire.
    pub fn handle(&mut self, now: Time, input: Input<G>, out: &mut Vec<Output<G>>) {
        let before = self.now;
        self.now = self.now.max(now);
        if let Input::RefereeLag { lag_us } = input {
            self.lagged(lag_us.min(self.now.us_since(before)));
        }
        let seat = input.seat();
        if seat.is_some_and(|seat| !self.rules.seats.contains(seat)) {
            return self.expire(out);
        }
        match (&input, seat) {
            (Input::Connected { .. } | Input::Disconnected { .. }, Some(seat)) => {
                self.players[seat.index()].between_streams = true;
                self.expire(out);
                self.players[seat.index()].between_streams = false;
            }
            // Nothing runs out for the time that the referee was away.
            (Input::Restarted, _) => self.restarted(before, out),
            _ => self.expire(out),
        }
        self.receive(input, out);
        if self.phase == MatchPhase::Waiting && self.everybody_is_there() {
            self.start(out);
        }
        self.play(out);
    }

    fn receive(&mut self, input: Input<G>, out: &mut Vec<Output<G>>) {
        match input {
            Input::Connected {
                seat,
                bot,
                last_sequence,
            } => self.connected(seat, bot, last_sequence, out),
            Input::TurnedAway { seat } => self.turned_away(seat),
            Input::Cancelled => self.cancel(out),
            Input::RefereeLag { .. } | Input::Restarted | Input::Tick => {}
            of_stream => self.receive_of_stream(of_stream, out),
        }
    }

    /// What the stream of a seat says counts while the seat has one.
    fn receive_of_stream(&mut self, input: Input<G>, out: &mut Vec<Output<G>>) {
        let has_stream = |seat: Seat| self.players[seat.index()].is_connected();
        if self.phase == MatchPhase::Ended || !input.seat().is_some_and(has_stream) {
            return;
        }
        match input {
            Input::Connected { .. }
            | Input::TurnedAway { .. }
            | Input::RefereeLag { .. }
            | Input::Restarted
            | Input::Cancelled
            | Input::Tick => {}
            Input::Disconnected { seat } => self.disconnected(seat, out),
            Input::HandedOver { seat, request_id } => self.handed_over(seat, request_id),
            Input::Answer {
                seat,
                request_id,
                answer,
                note,
            } => {
                self.answer(seat, request_id, (answer, note), out);
            }
            Input::BadAnswer {
                seat,
                request_id,
                reason,
                field,
                detail,
            } => {
                self.bad_answer(seat, request_id, reason, (field, detail), out);
            }
            Input::Garbage { seat, detail } => self.garbage(seat, detail, out),
            Input::Useless { seat } => self.useless(seat, out),
            Input::RoundTrip {
                seat,
                round_trip_us,
            } => {
                self.players[seat.index()].clock.measured(round_trip_us);
            }
            Input::Resign { seat } => {
                self.penalise(
                    seat,
                    FaultReason::Resigned,
                    "the bot resigned".to_owned(),
                    out,
                );
            }
        }
    }

    /// Sends a new message to a seat that has a stream.
    pub(crate) fn send(&mut self, seat: Seat, message: SeatMessage<G>, out: &mut Vec<Output<G>>) {
        let sequence = self.players[seat.index()].outbox.number(&message);
        out.push(Output::Send {
            seat,
            sequence,
            message,
        });
    }

    /// Writes a record.
    pub(crate) fn record(&mut self, entry: RecordEntry<G>, out: &mut Vec<Output<G>>) {
        let record = Record {
            number: self.next_record,
            at_ms: self.at_ms(),
            entry,
        };
        self.next_record += 1;
        out.push(Output::Record(record));
    }

    /// Time since the match started, in ms; 0 before.
    pub(crate) fn at_ms(&self) -> u64 {
        self.started_at
            .map_or(0, |start| self.now.us_since(start) / 1000)
    }
}
