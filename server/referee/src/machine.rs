//! The state of the referee and its entry point, [`Referee::handle`].

use std::{fmt, sync::Arc};

use bridgemaster_games::{Digest, FieldError, Game, Seat};

use crate::{
    FaultReason, Input, MatchResult, MatchRules, Output, Record, RecordEntry, RequestContent,
    SeatMessage, Time, event_log::EventLog, player::Player, rules::House, time::Lag,
};

/// The phase of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchPhase {
    /// Waiting for bots to connect.
    Waiting,
    /// In play. The match ends when no seat owes a decision.
    Running,
    /// The match is over: finished or cancelled.
    Ended,
}

/// The referee of one match.
pub struct Referee<G: Game> {
    pub(crate) rules: MatchRules<G>,
    pub(crate) setup: G::Setup,
    pub(crate) opening_events: Vec<G::Event>,
    pub(crate) opening_digest: Digest,
    pub(crate) state: G::State,
    /// Digest of `state`. It changes only with a decision or a chance result.
    pub(crate) digest: Digest,
    pub(crate) phase: MatchPhase,
    pub(crate) created_at: Time,
    pub(crate) started_at: Option<Time>,
    /// Referee lag while the match waited for bots.
    pub(crate) startup_lag: Lag,
    /// Time in µs that the referee was down while the match waited for bots.
    pub(crate) startup_away_us: u64,
    /// Earliest end of the wait for bots. It leaves time for bots whose connection was refused or
    /// lost in a restart.
    pub(crate) startup_waits_until: Time,
    /// The time of the last input.
    pub(crate) now: Time,
    pub(crate) players: Vec<Player<G>>,
    pub(crate) log: EventLog<G::Event>,
    pub(crate) house: House,
    /// Buffer of the legal decisions. It is moved into each open request, and back afterwards.
    pub(crate) legal_buffer: Vec<G::Decision>,
    /// Buffer of the events of a request, reused in the same way.
    pub(crate) event_buffer: Vec<G::Event>,
    /// The content of the last answered request, whose allocation the next request reuses.
    pub(crate) content_buffer: Option<Arc<RequestContent<G>>>,
    pub(crate) decisions: u32,
    /// The number of decisions up to the last public event. Later decisions are secret.
    pub(crate) public_decisions: u32,
    /// Version number of the public state.
    pub(crate) public_changes: u64,
    pub(crate) next_record: u32,
    pub(crate) result: Option<Arc<MatchResult>>,
    pub(crate) is_cancelled: bool,
    /// The outputs of the current input.
    pub(crate) out: Vec<Output<G>>,
}

/// Omits the state and the setup, which are secret while the match runs.
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
    /// Creates a match and draws its setup. The start-up time runs from `created_at`.
    ///
    /// # Errors
    /// Returns the errors of [`MatchRules::check`], and an error if the game rejects the setup.
    pub fn new(rules: MatchRules<G>, created_at: Time) -> Result<Self, FieldError> {
        rules.check()?;
        let setup = match &rules.fork {
            Some(fork) => fork.setup.clone(),
            None => G::draw_setup(&rules.config, rules.seats, &rules.seed)
                .map_err(|error| FieldError::new("game", error))?,
        };
        let mut opening_events = Vec::new();
        let state = G::start(&rules.config, rules.seats, &setup, &mut opening_events);
        let state = state.map_err(|error| match &rules.fork {
            Some(_) => FieldError::new(
                "fork",
                format!("the setup of the fork does not fit the rules of the match: {error}"),
            ),
            None => FieldError::new("game", error),
        })?;
        if let Some(fork) = &rules.fork {
            let checked = fork.check(&rules.config, &rules.seed, state.clone());
            checked.map_err(|problem| FieldError::new("fork", problem))?;
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
            legal_buffer: Vec::new(),
            event_buffer: Vec::new(),
            content_buffer: None,
            decisions: 0,
            public_decisions: 0,
            public_changes: 0,
            next_record: 0,
            result: None,
            is_cancelled: false,
            out: Vec::new(),
            rules,
        })
    }

    /// Handles an input and appends the resulting outputs to `out`. Any input is accepted at any
    /// time. If `now` is before the time of an earlier input, that time is used instead.
    ///
    /// Deadlines up to `now` are handled first, so that an answer at or after its deadline is late
    /// even without a tick. Referee lag is applied before the deadlines, because it extends them.
    pub fn handle(&mut self, now: Time, input: Input<G>, out: &mut Vec<Output<G>>) {
        std::mem::swap(&mut self.out, out);
        self.handle_input(now, input);
        std::mem::swap(&mut self.out, out);
    }

    fn handle_input(&mut self, now: Time, input: Input<G>) {
        let before = self.now;
        self.now = self.now.max(now);
        if let Input::RefereeLag { lag_us, forwarding } = &input {
            self.add_lag((*lag_us).min(self.now.us_since(before)));
            for lag in forwarding {
                self.add_forwarding_lag(*lag);
            }
        }
        let seat = input.seat();
        if seat.is_some_and(|seat| !self.rules.seats.contains(seat)) {
            return self.expire();
        }
        match (&input, seat) {
            (Input::Connected { .. } | Input::Disconnected { .. }, Some(seat)) => {
                self.players[seat.index()].between_streams = true;
                self.expire();
                self.players[seat.index()].between_streams = false;
            }
            // An outage does not make deadlines expire.
            (Input::Restarted, _) => self.handle_restart(before),
            _ => self.expire(),
        }
        self.dispatch(input);
        if self.phase == MatchPhase::Waiting && self.all_seats_ready() {
            self.start();
        }
        self.play();
    }

    fn dispatch(&mut self, input: Input<G>) {
        let has_stream = |seat: Seat| self.players[seat.index()].is_connected();
        let is_of_stream = self.phase != MatchPhase::Ended && input.seat().is_some_and(has_stream);
        match input {
            Input::Connected { seat, bot, last_sequence } => {
                self.handle_connected(seat, bot, last_sequence)
            }
            Input::ConnectionRefused { seat } => self.handle_refused_connection(seat),
            Input::Expired { seat, why } => self.handle_expired(seat, &why),
            Input::Cancelled => self.cancel(),
            Input::RefereeLag { .. } | Input::Restarted | Input::Tick => {}
            // The remaining inputs come from a stream, but the seat has none.
            _ if !is_of_stream => {}
            Input::Disconnected { seat } => self.handle_disconnected(seat),
            Input::HandedOver { seat, request_id } => self.handle_handed_over(seat, request_id),
            Input::Answer { seat, request_id, answer, note } => {
                self.handle_answer(seat, request_id, (answer, note))
            }
            Input::BadAnswer { seat, request_id, field, detail } => {
                self.handle_bad_answer(seat, request_id, (field, detail))
            }
            Input::Garbage { seat, detail } => self.handle_garbage(seat, detail),
            Input::Useless { seat } => self.count_useless_message(seat),
            Input::RoundTrip { seat, round_trip_us } => {
                let clock = &mut self.players[seat.index()].clock;
                clock.record_round_trip(round_trip_us);
            }
            Input::Resign { seat } => {
                let detail = "the bot resigned".to_owned();
                self.penalise(seat, FaultReason::Resigned, detail);
            }
        }
    }

    /// Sends a new message to a seat that has a stream.
    pub(crate) fn send(&mut self, seat: Seat, message: SeatMessage<G>) {
        let sequence = self.players[seat.index()].outbox.push(&message);
        self.out.push(Output::send(seat, sequence, message));
    }

    /// Appends a record to the replay.
    pub(crate) fn record(&mut self, entry: RecordEntry<G>) {
        let record = Record { number: self.next_record, at_ms: self.at_ms(), entry };
        self.next_record += 1;
        self.out.push(Output::Record(record));
    }

    /// Time since the start of the match, in ms; 0 before the start.
    pub(crate) fn at_ms(&self) -> u64 {
        self.started_at.map_or(0, |start| self.now.us_since(start) / 1000)
    }
}
