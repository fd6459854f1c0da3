//! The state of the referee, its one entry point, its timers, and what can be read from it.

use std::{fmt, sync::Arc};

use bridgemaster_games::{Digest, Game, Seat, Viewer};

use crate::{
    ClockReading, CloseReason, FaultReason, Input, MatchResult, MatchRules, Output,
    RESTART_GRACE_MS, Record, RecordEntry, RulesError, SeatInfo, SeatMessage, SeatState, Started,
    Time, event_log::EventLog, house::House, lag::Lag, player::Player,
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

/// What the machine waits for.
#[derive(Clone, Copy, Debug)]
enum Timer {
    /// The start-up time of the match.
    StartUp,
    /// The clock of a seat's open request.
    Clock(Seat),
    /// The reconnect time of a seat.
    Grace(Seat),
}

/// The referee of one match.
pub struct Referee<G: Game> {
    pub(crate) rules: MatchRules<G>,
    setup: G::Setup,
    opening_events: Vec<G::Event>,
    opening_digest: Digest,
    pub(crate) state: G::State,
    pub(crate) phase: MatchPhase,
    created_at: Time,
    started_at: Option<Time>,
    /// Referee lag while the match waits for bots.
    startup_lag: Lag,
    /// Time while the match waited for bots and no referee was there, in µs.
    startup_away_us: u64,
    /// Until when the match waits at least, for a bot that was turned away or may have been forgotten.
    startup_waits_until: Time,
    /// The moment of the last input.
    pub(crate) now: Time,
    pub(crate) players: Vec<Player<G>>,
    pub(crate) log: EventLog<G::Event>,
    pub(crate) house: House,
    /// Buffer of the legal decisions, lent to the open requests and taken back.
    pub(crate) legal: Vec<G::Decision>,
    /// Buffer of the events of a request, likewise.
    pub(crate) news: Vec<G::Event>,
    pub(crate) decisions: u32,
    /// Those up to the last public event: later ones are secret.
    pub(crate) public_decisions: u32,
    /// Changes of what everybody may know.
    pub(crate) public_changes: u64,
    next_record: u32,
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
        let setup =
            G::draw_setup(&rules.config, rules.seats, &rules.seed).map_err(RulesError::Config)?;
        let mut opening_events = Vec::new();
        let state = G::start(&rules.config, rules.seats, &setup, &mut opening_events)
            .map_err(RulesError::Setup)?;
        Ok(Self {
            setup,
            opening_digest: G::digest(&state),
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
                .map(|seat| Player::new(seat, &rules.clock))
                .collect(),
            log: EventLog::new(opening_events.clone(), usize::from(rules.seats.get())),
            opening_events,
            house: House::new(rules.house, rules.seed.clone()),
            legal: Vec::new(),
            news: Vec::new(),
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

    /// The next moment at which [`Referee::handle`] must be called, with [`Input::Tick`] if nothing
    /// else happens before. `None` when no deadline is set, or the match is over.
    pub fn deadline(&self) -> Option<Time> {
        self.next_timer().map(|(at, _)| at)
    }

    fn lagged(&mut self, lag_us: u64) {
        self.startup_lag.add(lag_us);
        for player in &mut self.players {
            player.lagged(lag_us);
        }
    }

    fn restarted(&mut self, known_until: Time, out: &mut Vec<Output<G>>) {
        match self.phase {
            MatchPhase::Waiting => {
                let away_us = self.now.us_since(known_until);
                self.startup_away_us = self.startup_away_us.saturating_add(away_us);
                // A bot that nobody remembers may have been there, and is not to blame.
                let back_until = self.now.plus_ms(RESTART_GRACE_MS);
                self.startup_waits_until =
                    self.startup_waits_until.plus_us(away_us).max(back_until);
            }
            MatchPhase::Running => {}
            MatchPhase::Ended => return,
        }
        self.lose_all_streams(known_until, out);
    }

    /// The bot of a seat was turned away by the server, and is not to blame until it is back.
    fn turned_away(&mut self, seat: Seat) {
        let (now, player) = (self.now, &mut self.players[seat.index()]);
        if player.is_connected() || player.is_played_by_house() {
            return;
        }
        let grace_ms = self.rules.clock.reconnect_ms.max(RESTART_GRACE_MS);
        match self.phase {
            MatchPhase::Waiting => {
                let until = now.plus_ms(RESTART_GRACE_MS);
                self.startup_waits_until = self.startup_waits_until.max(until);
            }
            MatchPhase::Running => {}
            MatchPhase::Ended => return,
        }
        player.excuse(now, now, grace_ms);
    }

    fn receive(&mut self, input: Input<G>, out: &mut Vec<Output<G>>) {
        if let Input::Connected {
            seat,
            bot,
            last_sequence,
        } = input
        {
            return self.connected(seat, bot, last_sequence, out);
        }
        if let Input::TurnedAway { seat } = input {
            return self.turned_away(seat);
        }
        if let Input::Cancelled = input {
            return self.cancel(out);
        }
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
            } => {
                self.answer(seat, request_id, answer, out);
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

    /// Fires every timer that is due, in the order of their moments.
    fn expire(&mut self, out: &mut Vec<Output<G>>) {
        while let Some((at, timer)) = self.next_timer()
            && at <= self.now
        {
            match timer {
                Timer::StartUp => self.start(out),
                Timer::Clock(seat) => self.clock_ran_out(seat, out),
                Timer::Grace(seat) => self.grace_ran_out(seat, out),
            }
            self.play(out);
        }
    }

    fn next_timer(&self) -> Option<(Time, Timer)> {
        match self.phase {
            MatchPhase::Waiting => {
                let startup_ends = self.created_at.plus_ms(self.rules.clock.startup_ms);
                let startup_ends = startup_ends
                    .plus_us(self.startup_lag.extension_us())
                    .plus_us(self.startup_away_us);
                Some((startup_ends.max(self.startup_waits_until), Timer::StartUp))
            }
            MatchPhase::Running => self
                .players
                .iter()
                .flat_map(|player| {
                    let seat = player.info.seat;
                    let open = player.open.as_ref();
                    let clock_runs_out = open
                        .and_then(|open| open.timer.deadline())
                        .map(|at| (at, Timer::Clock(seat)));
                    let grace_ends = player.grace_ends().map(|at| (at, Timer::Grace(seat)));
                    [clock_runs_out, grace_ends]
                })
                .flatten()
                .min_by_key(|(at, _)| *at),
            MatchPhase::Ended => None,
        }
    }

    fn everybody_is_there(&self) -> bool {
        self.players
            .iter()
            .all(|player| player.is_connected() || player.forfeit.is_some())
    }

    fn start(&mut self, out: &mut Vec<Output<G>>) {
        self.phase = MatchPhase::Running;
        self.started_at = Some(self.now);
        self.public_changes += 1;
        for seat in self.rules.seats.seats() {
            if self.players[seat.index()].can_hear() {
                self.send_started(seat, out);
            }
        }
        for seat in self.rules.seats.seats() {
            if self.players[seat.index()].info.state == SeatState::Vacant {
                let detail = format!(
                    "no bot connected within the start-up time of {} ms",
                    self.rules.clock.startup_ms
                );
                self.penalise(seat, FaultReason::NeverConnected, detail, out);
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

    /// Sends the start to a seat that has not been told of it.
    pub(crate) fn send_started(&mut self, seat: Seat, out: &mut Vec<Output<G>>) {
        let started = self.started_message(seat);
        self.send(seat, started, out);
    }

    /// The start as it is told to a seat now.
    pub(crate) fn started_message(&self, seat: Seat) -> SeatMessage<G> {
        SeatMessage::Started(Arc::new(Started {
            seat,
            seats: self
                .rules
                .seats
                .seats()
                .map(|about| self.info_for(seat, about).clone())
                .collect(),
        }))
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

    /// Ends the match: sends the result to every connected seat.
    pub(crate) fn end(&mut self, result: MatchResult, out: &mut Vec<Output<G>>) {
        let result = Arc::new(result);
        self.phase = MatchPhase::Ended;
        self.public_changes += 1;
        self.result = Some(Arc::clone(&result));
        for seat in self.rules.seats.seats() {
            if self.players[seat.index()].can_hear() {
                self.send(seat, SeatMessage::Ended(Arc::clone(&result)), out);
                out.push(Output::Close {
                    seat,
                    reason: CloseReason::MatchEnded,
                });
            }
        }
        out.push(Output::Ended);
    }

    /// Calls the match off: nothing is secret any more but what the game itself hides.
    fn cancel(&mut self, out: &mut Vec<Output<G>>) {
        if self.phase == MatchPhase::Ended {
            return;
        }
        out.push(Output::Cancelled);
        for seat in self.rules.seats.seats() {
            self.withdraw_request(seat);
        }
        self.publish(out);
        self.phase = MatchPhase::Ended;
        self.is_cancelled = true;
        for player in &self.players {
            if player.is_connected() {
                out.push(Output::Close {
                    seat: player.info.seat,
                    reason: CloseReason::Cancelled,
                });
            }
        }
    }

    /// Where the match stands.
    pub fn phase(&self) -> MatchPhase {
        self.phase
    }

    /// The rules of the match.
    pub fn rules(&self) -> &MatchRules<G> {
        &self.rules
    }

    /// Every chance result that was drawn before play; secret while the match runs.
    pub fn setup(&self) -> &G::Setup {
        &self.setup
    }

    /// Events of the setup, before the first decision.
    pub fn opening_events(&self) -> &[G::Event] {
        &self.opening_events
    }

    /// Digest of the state before the first decision.
    pub fn opening_digest(&self) -> Digest {
        self.opening_digest
    }

    /// Digest of the state now. Covers hidden facts, so it is secret while the match runs.
    pub fn digest(&self) -> Digest {
        G::digest(&self.state)
    }

    /// Records written so far.
    pub fn records(&self) -> u32 {
        self.next_record
    }

    /// The clock of a seat's open request at `now`, as sent in messages; `None` when no request is
    /// open.
    pub fn clock_reading(&self, seat: Seat, now: Time) -> Option<ClockReading> {
        let player = self.players.get(seat.index())?;
        let open = player.open.as_ref()?;
        Some(player.clock.reading(&open.timer, now))
    }

    /// The numbers under which a seat is told of the start, if it was, and of the end, whether it
    /// was or will be.
    pub fn told(&self, seat: Seat) -> Option<(Option<u32>, u32)> {
        let outbox = &self.players.get(seat.index())?.outbox;
        Some((
            outbox.started(),
            outbox.ended().unwrap_or(outbox.last() + 1),
        ))
    }

    /// Sequence of the last message to each seat so far, in seat order; 0 for none.
    pub fn sent(&self) -> impl ExactSizeIterator<Item = u32> {
        self.players.iter().map(|player| player.outbox.last())
    }

    /// Whether a seat that has the messages up to this one can be sent all that came after it. If
    /// not, it is sent the start and the open request.
    pub fn can_resume(&self, seat: Seat, last_sequence: u32) -> bool {
        let player = self.players.get(seat.index());
        player.is_some_and(|player| player.outbox.can_resume_after(last_sequence))
    }

    /// What a spectator may see; `None` before the match starts.
    pub fn observe_spectator(&self) -> Option<G::Observation> {
        (self.phase != MatchPhase::Waiting).then(|| G::observe(&self.state, Viewer::Spectator))
    }

    /// A seat and its bot as they are; `None` when the match has no such seat. Contains secrets:
    /// see [`Referee::public_seats`] for what everybody may know.
    pub fn seat_info(&self, seat: Seat) -> Option<&SeatInfo> {
        self.players.get(seat.index()).map(|player| &player.info)
    }

    /// The fault for which a seat forfeited; `None` when it did not.
    pub fn forfeit(&self, seat: Seat) -> Option<FaultReason> {
        self.players
            .get(seat.index())
            .and_then(|player| player.forfeit)
    }

    /// The seats in seat order, as they are. Contains secrets: see [`Referee::public_seats`] for
    /// what everybody may know.
    pub fn seats(&self) -> impl ExactSizeIterator<Item = &SeatInfo> {
        self.players.iter().map(|player| &player.info)
    }

    /// When the match was created.
    pub fn created_at(&self) -> Time {
        self.created_at
    }

    /// When the match started; `None` before.
    pub fn started_at(&self) -> Option<Time> {
        self.started_at
    }

    /// Whether the match was called off. It is over then, and has no result.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    /// The result, once the match is over, unless it was called off.
    pub fn result(&self) -> Option<&Arc<MatchResult>> {
        self.result.as_ref()
    }
}
