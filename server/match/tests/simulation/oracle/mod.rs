//! Watches a referee from outside: what must follow from what was put in, told by a second, plain
//! reading of the rules of matches. Whatever differs is a violation.

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
    FaultReason, Input, MatchPhase, MatchRules, Output, RESTART_GRACE_MS, Referee, Time,
};

use self::{
    cause::Cause,
    seat_model::{Open, SeatModel},
    timer::{RequestTime, prolonged_by_us},
};

/// What a referee did that it must not do, or did not do.
#[derive(Debug)]
pub(crate) struct Violation(pub(crate) String);

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A violation unless the condition holds.
macro_rules! demand {
    ($condition:expr, $($what:tt)+) => {
        if !$condition {
            return Err($crate::oracle::Violation(format!($($what)+)));
        }
    };
}
pub(crate) use demand;

/// A timer that had run out when an input came.
#[derive(Debug)]
enum Due {
    StartUp,
    Clock(Seat, u32),
    Grace(Seat),
}

/// What one input did so far.
#[derive(Debug)]
struct Step<D> {
    cause: Cause<D>,
    /// The seat of the cause had a stream before.
    was_connected: bool,
    /// It had none since a restart.
    was_excused: bool,
    /// The seats that lost their streams by a restart.
    lost: Vec<Seat>,
    /// The seats whose standing was recorded.
    recorded: Vec<Seat>,
    due: Vec<Due>,
    /// The cause lets the match start: its seat was the last to be waited for.
    starts_match: bool,
    /// The cause has taken effect on its seat's stream.
    has_come: bool,
    /// Faults of this step, with the requests that they concern.
    faults: Vec<(Seat, FaultReason, u32)>,
    /// Requests that were decided in this step, and by whom is told by their records.
    accepted: bool,
    rejected: bool,
    /// It was secret who had decided, before the input and since.
    is_secret: bool,
    /// Seats that were told of another one.
    told_of_others: Vec<Seat>,
    /// A message that was sent again to the seat of the cause, and the last one.
    resent: Vec<u32>,
    sent_to_cause: u32,
}

impl<D> Step<D> {
    fn committed(&self, seat: Seat, reason: FaultReason) -> bool {
        let mut faults = self.faults.iter();
        faults.any(|(faulty, committed, _)| (*faulty, *committed) == (seat, reason))
    }

    /// Whether a seat committed a fault that concerns a request; 0 for none.
    fn has_fault(&self, seat: Seat, request_id: u32) -> bool {
        let mut faults = self.faults.iter();
        faults.any(|(faulty, _, concerned)| (*faulty, *concerned) == (seat, request_id))
    }
}

/// Knows what must be true of a match.
#[derive(Debug)]
pub(crate) struct Oracle<G: Game> {
    rules: MatchRules<G>,
    now: Time,
    created_at: Time,
    started_at: Option<Time>,
    startup_lag_us: u64,
    /// Time without a server while the match waited, in µs.
    startup_away_us: u64,
    /// Until when it waits for a bot that was turned away.
    startup_waits_until: Time,
    phase: MatchPhase,
    models: Vec<SeatModel<G>>,
    state: G::State,
    log: Vec<G::Event>,
    /// Who owes a decision has not been looked at since the state changed.
    asks: bool,
    records: u32,
    decisions: u32,
    /// Those up to the last event.
    public_decisions: u32,
    ends: u32,
    is_cancelled: bool,
    step: Option<Step<G::Decision>>,
    /// The decisions of each seat in order: who made it, for which request, and what it is.
    pub(crate) decided: Vec<Vec<String>>,
    /// Every fault in order.
    pub(crate) faults: Vec<(Seat, FaultReason)>,
}

impl<G: Game> Oracle<G> {
    pub(crate) fn new(referee: &Referee<G>) -> Result<Self, Violation> {
        let rules = referee.rules().clone();
        let mut log = Vec::new();
        let state = G::start(&rules.config, rules.seats, referee.setup(), &mut log)
            .map_err(|error| Violation(format!("the setup is refused: {error}")))?;
        demand!(
            log == referee.opening_events(),
            "the opening events are not those of the setup"
        );
        demand!(
            G::digest(&state) == referee.opening_digest(),
            "the opening digest is not that of the setup"
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
            models: rules
                .seats
                .seats()
                .map(|seat| SeatModel::new(&rules.clock_of(seat)))
                .collect(),
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

    /// Decisions that nobody may know of yet.
    #[allow(dead_code, reason = "the fuzzed referee has no counts")]
    pub(crate) fn secret_decisions(&self) -> u32 {
        self.decisions - self.public_decisions
    }

    /// Messages to a seat so far.
    pub(crate) fn sent_to(&self, seat: Seat) -> usize {
        self.models[seat.index()].sent.len()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.phase == MatchPhase::Ended
    }

    /// Notes an input that the referee is about to get.
    pub(crate) fn before(&mut self, now: Time, input: &Input<G>) {
        let before = self.now;
        self.now = self.now.max(now);
        if let Input::RefereeLag { lag_us } = input {
            self.lagged((*lag_us).min(self.now.us_since(before)));
        }
        let cause = Cause::of(input);
        // Before anything can run out: the time that the server was away is nobody's.
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
            told_of_others: Vec::new(),
            resent: Vec::new(),
            sent_to_cause: 0,
        });
    }

    fn lagged(&mut self, lag_us: u64) {
        self.startup_lag_us += lag_us;
        for model in &mut self.models {
            if let Some(open) = &mut model.open {
                open.time.lagged(lag_us);
            }
            if model.lost_at.is_some() {
                model.lag_since_lost_us += lag_us;
            }
        }
    }

    fn server_restarted(&mut self, known_until: Time) -> Vec<Seat> {
        match self.phase {
            MatchPhase::Waiting => {
                let away_us = self.now.us_since(known_until);
                self.startup_away_us += away_us;
                let waits_until = self.startup_waits_until.plus_us(away_us);
                // Who was there may be forgotten, and has a minute to come again.
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
        self.created_at
            .plus_ms(self.rules.clock.startup_ms)
            .plus_us(prolonged_by_us(self.startup_lag_us))
            .plus_us(self.startup_away_us)
            .max(self.startup_waits_until)
    }

    /// Every timer that runs, with its moment.
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
        timers
            .filter(|(at, _)| *at <= self.now)
            .map(|(_, due)| due)
            .collect()
    }

    /// Holds what the referee did against what it was told.
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
            demand!(
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
                Output::Send {
                    seat,
                    sequence,
                    message,
                } => self.message(*seat, *sequence, message, &mut step)?,
                Output::Close { seat, reason } => self.close(*seat, *reason, &mut step)?,
                Output::Ended => {
                    self.ends += 1;
                    demand!(self.ends == 1, "the match ends a second time");
                    demand!(
                        G::owing(&self.state).is_empty() && G::outcome(&self.state).is_some(),
                        "the match ends before its game does"
                    );
                    self.ask_who_owes();
                    for model in &mut self.models {
                        model.withdraw(self.now);
                    }
                    self.publish(&mut step);
                    self.phase = MatchPhase::Ended;
                }
                Output::Cancelled => {
                    self.ends += 1;
                    demand!(self.ends == 1, "a match that is over is cancelled");
                    let is_due = matches!(step.cause, Cause::Cancelled);
                    demand!(is_due, "the match is cancelled by {:?}", step.cause);
                    for model in &mut self.models {
                        model.withdraw(self.now);
                    }
                    self.publish(&mut step);
                    self.phase = MatchPhase::Ended;
                    self.is_cancelled = true;
                }
            }
        }
        self.ask_who_owes();
        self.take_effect(&mut step);
        self.effects(&mut step)?;
        self.nothing_secret_is_told(&step)?;
        self.agree(referee)?;
        match referee.result() {
            Some(result) if ends_now => self.result(result),
            _ => Ok(()),
        }
    }

    /// Whether it is nobody's business which seats have decided: some have, since the last event,
    /// or more than one is asked.
    fn is_secret_who_decided(&self) -> bool {
        let asked = self.models.iter().filter(|model| model.open.is_some());
        self.phase == MatchPhase::Running
            && (self.decisions != self.public_decisions || asked.count() > 1)
    }

    /// An event happened, or the match is over: what was held back is public.
    fn publish(&mut self, step: &mut Step<G::Decision>) {
        self.public_decisions = self.decisions;
        step.is_secret = false;
        for model in &mut self.models {
            if model.has_secret {
                model.publish();
            }
        }
    }

    /// While it is secret who has decided, others hear of a seat only that its stream comes or goes.
    fn nothing_secret_is_told(&self, step: &Step<G::Decision>) -> Result<(), Violation> {
        let stream_changed = matches!(
            step.cause,
            Cause::Connected { .. } | Cause::Disconnected(_) | Cause::Garbage(_) | Cause::Restarted
        );
        demand!(
            !step.is_secret || stream_changed || step.told_of_others.is_empty(),
            "{:?} are told of others by {:?} while it is secret who has decided",
            step.told_of_others,
            step.cause
        );
        Ok(())
    }

    fn everybody_may_be_there(&self, step: &Step<G::Decision>) -> bool {
        self.rules
            .seats
            .seats()
            .zip(&self.models)
            .all(|(seat, model)| {
                model.is_connected || model.forfeit.is_some() || step.cause.seat() == Some(seat)
            })
    }

    /// Goes through the seats that owe a decision as a referee must: it asks each until it comes
    /// to one that it can decide for at once.
    fn ask_who_owes(&mut self) {
        if !std::mem::take(&mut self.asks) || self.phase != MatchPhase::Running {
            return;
        }
        if G::chance_due(&self.state).is_some() {
            self.asks = true;
            return;
        }
        let owing = G::owing(&self.state);
        for seat in self.rules.seats.seats() {
            if !owing.contains(seat) {
                self.models[seat.index()].withdraw(self.now);
            }
        }
        for seat in owing.iter() {
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
            let allowance_us = model.bank_us.min(u64::from(clock.cap_ms) * 1000);
            let credit_limit_us = model.credit_limit_us(&clock);
            let mut time = RequestTime::issued(self.now, allowance_us, credit_limit_us);
            if model.is_excused {
                time.stop(self.now);
            } else if !model.is_connected {
                time.bot_left();
            }
            model.open = Some(Open {
                id: model.last_request,
                time,
                is_from_before: false,
                observation: G::observe(&self.state, Viewer::Seat(seat)),
                legal,
                events: self.log[model.told..].to_vec(),
                sequence: None,
            });
            model.told = self.log.len();
        }
    }
}
