//! Checks a referee from outside, against a second and simpler implementation of the rules of
//! matches. Any difference is a violation.

mod agreement;
mod cause;
mod effects;
mod messages;
mod records;
mod seat_model;
mod timer;

use std::fmt;

use bridgemaster_games::{Digest, Game, LegalList, Seat, Viewer};
use bridgemaster_referee::{
    FaultReason, ForwardingLag, Input, MatchPhase, MatchRules, Output, RESTART_GRACE_MS, Referee,
    Time,
};

use self::{
    cause::Cause,
    seat_model::{Open, SeatModel},
    timer::{RequestTime, prolonged_by_us},
};

/// A violation of the rules by the referee.
#[derive(Debug)]
pub(crate) struct Violation(pub(crate) String);

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns a violation unless the condition holds.
macro_rules! require {
    ($condition:expr, $($what:tt)+) => {
        if !$condition {
            return Err($crate::oracle::Violation(format!($($what)+)));
        }
    };
}
pub(crate) use require;

/// A deadline that had expired before an input.
#[derive(Debug)]
enum Due {
    StartUp,
    Clock(Seat, u32),
    Grace(Seat),
}

/// The progress of one step.
#[derive(Debug)]
struct Step<D> {
    cause: Cause<D>,
    /// The seat of the cause already had a stream.
    was_connected: bool,
    /// The seat of the cause has had no stream since a restart.
    was_excused: bool,
    /// The seats that lost their streams in a restart.
    lost: Vec<Seat>,
    /// The seats whose state was recorded.
    recorded: Vec<Seat>,
    due: Vec<Due>,
    /// The cause allows the match to start, because its seat was the last missing one.
    starts_match: bool,
    /// The cause was applied to its seat's stream.
    has_come: bool,
    /// Faults of this step, with the requests that they concern.
    faults: Vec<(Seat, FaultReason, u32)>,
    /// Whether an answer was accepted in this step, and whether one was rejected.
    accepted: bool,
    rejected: bool,
    /// It was secret before the input which seats had decided, and it has stayed secret since.
    is_secret: bool,
    /// Seats that were notified about another one.
    notified_of_others: Vec<Seat>,
    /// The first and the last message that was resent to the seat of the cause.
    resent: Vec<u32>,
    sent_to_cause: u32,
}

impl<D> Step<D> {
    fn committed(&self, seat: Seat, reason: FaultReason) -> bool {
        let mut faults = self.faults.iter();
        faults.any(|(faulty, committed, _)| (*faulty, *committed) == (seat, reason))
    }

    /// Returns whether a seat committed a fault that concerns a request; 0 for none.
    fn has_fault(&self, seat: Seat, request_id: u32) -> bool {
        let mut faults = self.faults.iter();
        faults.any(|(faulty, _, concerned)| (*faulty, *concerned) == (seat, request_id))
    }
}

/// The oracle's model of a match.
#[derive(Debug)]
pub(crate) struct Oracle<G: Game> {
    rules: MatchRules<G>,
    now: Time,
    created_at: Time,
    started_at: Option<Time>,
    startup_lag_us: u64,
    /// Time for which no server ran while the match was waiting, in µs.
    startup_away_us: u64,
    /// The time until which the match waits for a refused bot.
    startup_waits_until: Time,
    phase: MatchPhase,
    models: Vec<SeatModel<G>>,
    state: G::State,
    log: Vec<G::Event>,
    /// The state has changed since the seats that have to decide were last determined.
    asks: bool,
    records: u32,
    decisions: u32,
    /// The number of decisions up to the last event.
    public_decisions: u32,
    ends: u32,
    is_cancelled: bool,
    step: Option<Step<G::Decision>>,
    /// The decisions of each seat in order: origin, request and decision.
    pub(crate) decided: Vec<Vec<String>>,
    /// All faults in order.
    pub(crate) faults: Vec<(Seat, FaultReason)>,
}

impl<G: Game> Oracle<G> {
    pub(crate) fn new(referee: &Referee<G>) -> Result<Self, Violation> {
        let rules = referee.rules().clone();
        let mut log = Vec::new();
        let state = G::start(&rules.config, rules.seats, referee.setup(), &mut log)
            .map_err(|error| Violation(format!("the setup is refused: {error}")))?;
        require!(
            log == referee.opening_events(),
            "the opening events differ from those of the setup"
        );
        require!(
            G::digest(&state) == referee.opening_digest(),
            "the opening digest differs from that of the setup"
        );
        let seats = usize::from(rules.seats.get());
        Ok(Self {
            now: referee.created_at(),
            created_at: referee.created_at(),
            started_at: None,
            startup_lag_us: 0,
            startup_away_us: 0,
            startup_waits_until: Time(0),
            phase: MatchPhase::Waiting,
            models: rules.seats.seats().map(|seat| SeatModel::new(&rules.clock_of(seat))).collect(),
            state,
            log,
            asks: false,
            records: 0,
            decisions: 0,
            public_decisions: 0,
            ends: 0,
            is_cancelled: false,
            step: None,
            decided: vec![Vec::new(); seats],
            faults: Vec::new(),
            rules,
        })
    }

    pub(crate) fn digest(&self) -> Digest {
        G::digest(&self.state)
    }

    /// The number of secret decisions.
    #[allow(dead_code, reason = "the fuzzed referee has no counts")]
    pub(crate) fn secret_decisions(&self) -> u32 {
        self.decisions - self.public_decisions
    }

    /// The number of messages to a seat so far.
    pub(crate) fn sent_to(&self, seat: Seat) -> usize {
        self.models[seat.index()].sent.len()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.phase == MatchPhase::Ended
    }

    /// Notes an input before the referee gets it.
    pub(crate) fn before(&mut self, now: Time, input: &Input<G>) {
        let before = self.now;
        self.now = self.now.max(now);
        if let Input::RefereeLag { lag_us, forwarding } = input {
            self.add_lag((*lag_us).min(self.now.us_since(before)));
            for lag in forwarding {
                self.add_forwarding_lag(*lag);
            }
        }
        let cause = Cause::of(input);
        // Before any deadline expires, because no seat is charged for the outage.
        let lost = match cause {
            Cause::Restarted => self.server_restarted(before),
            _ => Vec::new(),
        };
        let model = cause.seat().map(|seat| &self.models[seat.index()]);
        self.step = Some(Step {
            was_connected: model.is_some_and(|model| model.is_connected),
            was_excused: model.is_some_and(|model| model.is_excused),
            cause,
            lost,
            recorded: Vec::new(),
            due: self.due(),
            starts_match: false,
            has_come: false,
            faults: Vec::new(),
            accepted: false,
            rejected: false,
            is_secret: self.is_secret_who_decided(),
            notified_of_others: Vec::new(),
            resent: Vec::new(),
            sent_to_cause: 0,
        });
    }

    fn add_lag(&mut self, lag_us: u64) {
        self.startup_lag_us += lag_us;
        for model in &mut self.models {
            if let Some(open) = &mut model.open {
                open.time.add_lag(lag_us);
            }
            if model.lost_at.is_some() {
                model.lag_since_lost.add(lag_us);
            }
        }
    }

    fn add_forwarding_lag(&mut self, lag: ForwardingLag) {
        let (now, waits) = (self.now, self.phase == MatchPhase::Waiting);
        let Some(model) = self.models.get_mut(lag.seat.index()) else {
            return;
        };
        if waits && !model.is_connected {
            let waited_us = now.us_since(self.created_at);
            model.startup_lag.add_forwarding(lag.lag_us, waited_us);
        }
        if let Some(open) = &mut model.open {
            open.time.add_forwarding_lag(lag.lag_us, now);
        }
        if let Some(lost_at) = model.lost_at {
            let waited_us = now.us_since(lost_at);
            model.lag_since_lost.add_forwarding(lag.lag_us, waited_us);
        }
    }

    fn server_restarted(&mut self, known_until: Time) -> Vec<Seat> {
        match self.phase {
            MatchPhase::Waiting => {
                let away_us = self.now.us_since(known_until);
                self.startup_away_us += away_us;
                let waits_until = self.startup_waits_until.plus_us(away_us);
                // A connected bot may be forgotten, and has a minute to reconnect.
                self.startup_waits_until = waits_until.max(self.now.plus_ms(RESTART_GRACE_MS));
            }
            MatchPhase::Running => {}
            MatchPhase::Ended => return Vec::new(),
        }
        let (now, rules) = (self.now, &self.rules);
        let seats = rules.seats.seats().zip(&mut self.models);
        seats
            .filter_map(|(seat, model)| {
                let lost = model.server_restarted(known_until, now, &rules.clock);
                lost.then_some(seat)
            })
            .collect()
    }

    fn startup_ends(&self) -> Time {
        let of_seats = self.models.iter().map(|model| model.startup_lag.us);
        let longest_us = of_seats.max().unwrap_or_default();
        self.created_at
            .plus_ms(self.rules.clock.startup_ms)
            .plus_us(prolonged_by_us(self.startup_lag_us + longest_us))
            .plus_us(self.startup_away_us)
            .max(self.startup_waits_until)
    }

    /// All running timers with their deadlines.
    fn timers(&self) -> Vec<(Time, Due)> {
        match self.phase {
            MatchPhase::Waiting => vec![(self.startup_ends(), Due::StartUp)],
            MatchPhase::Running => {
                let mut timers = Vec::new();
                for (seat, model) in self.rules.seats.seats().zip(&self.models) {
                    if let Some(open) = &model.open
                        && let Some(at) = open.time.deadline()
                    {
                        timers.push((at, Due::Clock(seat, open.id)));
                    }
                    if let Some(at) = model.grace_ends() {
                        timers.push((at, Due::Grace(seat)));
                    }
                }
                timers
            }
            MatchPhase::Ended => Vec::new(),
        }
    }

    fn due(&self) -> Vec<Due> {
        let timers = self.timers().into_iter();
        timers.filter(|(at, _)| *at <= self.now).map(|(_, due)| due).collect()
    }

    /// Compares the outputs of the referee with the model.
    pub(crate) fn after(
        &mut self,
        outputs: &[Output<G>],
        referee: &Referee<G>,
    ) -> Result<(), Violation> {
        let Some(mut step) = self.step.take() else {
            return Err(Violation("outputs without an input".to_owned()));
        };
        let is_cancelled = matches!(step.cause, Cause::Cancelled);
        let has_started = referee.phase() != MatchPhase::Waiting && !is_cancelled;
        if self.phase == MatchPhase::Waiting && has_started {
            step.starts_match = !step.due.iter().any(|due| matches!(due, Due::StartUp));
            require!(
                !step.starts_match || self.everybody_may_be_there(&step),
                "the match starts too early"
            );
            self.phase = MatchPhase::Running;
            self.started_at = Some(self.now);
            self.asks = true;
        }
        let ends_now = self.ends == 0 && referee.phase() == MatchPhase::Ended;
        for output in outputs {
            match output {
                Output::Record(record) => self.record(record, &mut step)?,
                Output::Send { seat, sequence, message } => {
                    self.message(*seat, *sequence, message, &mut step)?
                }
                Output::Close { seat, reason } => self.close(*seat, *reason, &mut step)?,
                Output::Ended => {
                    self.ends += 1;
                    require!(self.ends == 1, "the match ends a second time");
                    require!(
                        G::seats_to_decide(&self.state).is_empty()
                            && G::outcome(&self.state).is_some(),
                        "the match ends before its game does"
                    );
                    self.request_decisions();
                    for model in &mut self.models {
                        model.withdraw(self.now);
                    }
                    self.publish(&mut step);
                    self.phase = MatchPhase::Ended;
                }
                Output::Cancelled => {
                    self.ends += 1;
                    require!(self.ends == 1, "a finished match is cancelled");
                    let is_due = matches!(step.cause, Cause::Cancelled);
                    require!(is_due, "the match is cancelled by {:?}", step.cause);
                    for model in &mut self.models {
                        model.withdraw(self.now);
                    }
                    self.publish(&mut step);
                    self.phase = MatchPhase::Ended;
                    self.is_cancelled = true;
                }
            }
        }
        self.request_decisions();
        self.take_effect(&mut step);
        self.effects(&mut step)?;
        self.check_secrecy(&step)?;
        self.agree(referee)?;
        match referee.result() {
            Some(result) if ends_now => self.result(result),
            _ => Ok(()),
        }
    }

    /// Returns whether it is secret which seats have decided: a seat has decided since the last
    /// event, or several have open requests.
    fn is_secret_who_decided(&self) -> bool {
        let asked = self.models.iter().filter(|model| model.open.is_some());
        self.phase == MatchPhase::Running
            && (self.decisions != self.public_decisions || asked.count() > 1)
    }

    /// Makes everything public, because of an event or the end of the match.
    fn publish(&mut self, step: &mut Step<G::Decision>) {
        self.public_decisions = self.decisions;
        step.is_secret = false;
        for model in &mut self.models {
            if model.has_secret {
                model.publish();
            }
        }
    }

    /// Checks that no secret is revealed: while it is secret who has decided, only connections of
    /// other seats are reported.
    fn check_secrecy(&self, step: &Step<G::Decision>) -> Result<(), Violation> {
        let stream_changed = matches!(
            step.cause,
            Cause::Connected { .. } | Cause::Disconnected(_) | Cause::Garbage(_) | Cause::Restarted
        );
        require!(
            !step.is_secret || stream_changed || step.notified_of_others.is_empty(),
            "{:?} are notified of others by {:?} while it is secret who has decided",
            step.notified_of_others,
            step.cause
        );
        Ok(())
    }

    fn everybody_may_be_there(&self, step: &Step<G::Decision>) -> bool {
        self.rules.seats.seats().zip(&self.models).all(|(seat, model)| {
            let is_here = model.is_connected || model.is_played_by_house();
            is_here || step.cause.seat() == Some(seat)
        })
    }

    /// Visits the seats that must decide, as a referee does: requests decisions up to the first
    /// seat that is decided at once.
    fn request_decisions(&mut self) {
        if !std::mem::take(&mut self.asks) || self.phase != MatchPhase::Running {
            return;
        }
        if G::chance_due(&self.state).is_some() {
            self.asks = true;
            return;
        }
        let seats_to_decide = G::seats_to_decide(&self.state);
        for seat in self.rules.seats.seats() {
            if !seats_to_decide.contains(seat) {
                self.models[seat.index()].withdraw(self.now);
            }
        }
        for seat in seats_to_decide.iter() {
            if self.models[seat.index()].open.is_some() {
                continue;
            }
            let mut legal = Vec::new();
            let list = G::legal(&self.state, seat, &mut legal);
            let is_forced = list == LegalList::Complete && legal.len() == 1;
            let model = &mut self.models[seat.index()];
            if model.is_played_by_house() || is_forced && !self.rules.ask_forced {
                return;
            }
            model.last_request += 1;
            let clock = self.rules.clock_of(seat);
            let credit_limit_us = model.credit_limit_us(&clock);
            let mut time =
                RequestTime::issued(self.now, model.bank_us, &clock.time_control, credit_limit_us);
            if model.is_excused {
                time.stop(self.now);
            } else if !model.is_connected {
                time.handle_stream_lost();
            }
            model.open = Some(Open {
                id: model.last_request,
                time,
                is_from_before: false,
                observation: G::observe(&self.state, Viewer::Seat(seat)),
                legal,
                events: self.log[model.events_sent..].to_vec(),
                sequence: None,
            });
            model.events_sent = self.log.len();
        }
    }
}
