//! Time rules, and the clock of one seat.

use crate::{RulesError, Time, lag::Lag, rules_error::check_range};

/// The most that a bank can hold, in ms: what fits into the wire's 32 bits (49 days).
pub const MAX_BANK_MS: u32 = u32::MAX;

/// A day in ms: longest bank and cap, so that a forgotten match ends some time.
const DAY_MS: u32 = 86_400_000;
/// An hour in ms: longest increment, start-up and reconnect time.
const HOUR_MS: u32 = 3_600_000;
/// Longest round trip that can be credited, in ms: beyond it the network is the bot's affair.
const MAX_CREDIT_MS: u32 = 1000;
/// The credit for the round trip is at most one part in so many of `cap_ms`: it is for the noise of
/// a network, and whoever makes a network look slow must not gain a turn's worth of thought.
const CAP_PARTS_OF_CREDIT: u64 = 10;
/// Greatest limit of the referee lag, in ms: a server that is away for longer had an outage.
const MAX_LAG_LIMIT_MS: u32 = 60_000;

/// Least time that a bot has to come back after the referee was restarted or turned it away, in
/// ms: a minute. Bots try again at growing intervals of up to some seconds, and did not choose to
/// be away.
pub const RESTART_GRACE_MS: u32 = 60_000;

/// The fields that may differ between seats, in the rules of a match.
const CLOCK_FIELDS: [&str; 3] = ["clock.bank_ms", "clock.increment_ms", "clock.cap_ms"];

/// How a match measures time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockRules {
    /// Time that a seat has in its bank at the start, in ms: 1 to 86400000.
    pub bank_ms: u32,
    /// Time added to the bank after each answered request, in ms: 0 to 3600000.
    pub increment_ms: u32,
    /// Longest time for one decision, in ms: 1 to 86400000.
    pub cap_ms: u32,
    /// Time that bots have to connect before the match starts without them, in ms: 1 to 3600000.
    pub startup_ms: u32,
    /// Time that a seat may be without a stream before it is a fault, in ms: 0 to 3600000.
    pub reconnect_ms: u32,
    /// Most of the measured round trip that is credited for one decision, in ms: 0 to 1000. Never
    /// more than a tenth of `cap_ms`; see [`ClockRules::most_credit_us`].
    pub round_trip_credit_ms: u32,
    /// Most referee lag that one request may have without spoiling the match, in ms: 0 to 60000.
    pub referee_lag_limit_ms: u32,
}

impl Default for ClockRules {
    /// A minute a seat and half a second more a decision, no decision longer than ten seconds.
    fn default() -> Self {
        Self {
            bank_ms: 60_000,
            increment_ms: 500,
            cap_ms: 10_000,
            startup_ms: 30_000,
            reconnect_ms: 10_000,
            round_trip_credit_ms: 100,
            referee_lag_limit_ms: 100,
        }
    }
}

impl ClockRules {
    /// The most that is credited for one decision, in µs: `round_trip_credit_ms` or a tenth of
    /// `cap_ms`, whichever is less.
    pub fn most_credit_us(&self) -> u64 {
        let share_us = u64::from(self.cap_ms) * 1000 / CAP_PARTS_OF_CREDIT;
        share_us.min(u64::from(self.round_trip_credit_ms) * 1000)
    }

    /// Checks the fields that may differ between seats against their ranges; `fields` are their
    /// paths: bank, increment and cap.
    pub(crate) fn check_seat(&self, fields: &[&'static str; 3]) -> Result<(), RulesError> {
        check_range(fields[0], self.bank_ms, 1, DAY_MS)?;
        check_range(fields[1], self.increment_ms, 0, HOUR_MS)?;
        check_range(fields[2], self.cap_ms, 1, DAY_MS)
    }

    /// Checks every field against its range.
    pub(crate) fn check(&self) -> Result<(), RulesError> {
        self.check_seat(&CLOCK_FIELDS)?;
        check_range("clock.startup_ms", self.startup_ms, 1, HOUR_MS)?;
        check_range("clock.reconnect_ms", self.reconnect_ms, 0, HOUR_MS)?;
        check_range(
            "clock.round_trip_credit_ms",
            self.round_trip_credit_ms,
            0,
            MAX_CREDIT_MS,
        )?;
        check_range(
            "clock.referee_lag_limit_ms",
            self.referee_lag_limit_ms,
            0,
            MAX_LAG_LIMIT_MS,
        )
    }
}

/// What one answer cost its seat. The elapsed time is the sum of the other three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    /// Time between handing the request to the transport and decoding the answer, in µs.
    pub elapsed_us: u64,
    /// Part of it that was credited back for the round trip, in µs.
    pub credit_us: u64,
    /// Part of it that was the referee's own lag, in µs.
    pub referee_lag_us: u64,
    /// The rest, which the bot thought and which was taken from its bank, in µs.
    pub charged_us: u64,
}

/// The clock of a seat at the moment when a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// Time in the bank, in ms, rounded down.
    pub bank_left_ms: u32,
    /// Time for this decision, in ms, rounded down.
    pub decision_left_ms: u32,
    /// What the last answer was charged; `None` before the first.
    pub last_charge: Option<Charge>,
}

/// How a seat used its time in a whole match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockUse {
    /// Requests that its bot answered.
    pub answered: u32,
    /// All that was taken from the bank, in µs, unanswered requests included.
    pub charged_us: u64,
    /// The most that was taken for one request, in µs.
    pub longest_us: u64,
    /// All that was credited for round trips, in µs.
    pub credit_us: u64,
    /// All referee lag while a request was open, in µs.
    pub referee_lag_us: u64,
    /// The most referee lag while one request was open, in µs.
    pub longest_referee_lag_us: u64,
    /// Time left in the bank at the end, in ms, rounded down.
    pub bank_left_ms: u32,
}

impl ClockUse {
    /// Adds what one request took. The count of answers and the bank stay as they are: a request
    /// that ran out takes time too, and is no answer.
    pub fn add(&mut self, charge: &Charge) {
        self.charged_us = self.charged_us.saturating_add(charge.charged_us);
        self.longest_us = self.longest_us.max(charge.charged_us);
        self.credit_us = self.credit_us.saturating_add(charge.credit_us);
        self.referee_lag_us = self.referee_lag_us.saturating_add(charge.referee_lag_us);
        self.longest_referee_lag_us = self.longest_referee_lag_us.max(charge.referee_lag_us);
    }
}

/// The running time of one request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestTimer {
    issued_at: Time,
    /// Since when the bot has it; `None` while it waits to be handed to the transport.
    handed_at: Option<Time>,
    allowance_us: u64,
    /// The most that the round trip takes off this request.
    credit_limit_us: u64,
    /// Referee lag since the moment that it runs from.
    lag: Lag,
    /// Since when it is held, if it is.
    held: Option<Hold>,
}

/// Why a timer does not run although its request is open: the referee was restarted, or turned
/// the bot away.
#[derive(Clone, Copy, Debug)]
struct Hold {
    /// Nothing from here to the next hand-over counts.
    since: Time,
    /// The lag until then.
    lag: Lag,
    /// The bot is back. From now on the timer runs, so that a bot that does not read is late;
    /// when the request is handed over to it, what ran off meanwhile is given back.
    is_back: bool,
}

impl RequestTimer {
    /// The first moment at which an answer is late; `None` while the timer is held. A request
    /// that is never handed over runs from its issue, so that a bot which does not read is late
    /// too. Nothing is late for the referee's own lag.
    pub(crate) fn deadline(&self) -> Option<Time> {
        if self.is_stopped() {
            return None;
        }
        let deadline = self
            .runs_from()
            .plus_us(self.allowance_us + self.credit_limit_us)
            .plus_us(self.lag.extension_us());
        Some(deadline)
    }

    /// The referee lagged while this request was open.
    pub(crate) fn lagged(&mut self, lag_us: u64) {
        if !self.is_stopped() {
            self.lag.add(lag_us);
        }
    }

    /// From `since` on the bot is not to blame: the timer stops there until it is back.
    pub(crate) fn hold(&mut self, since: Time) {
        let lag = self.lag;
        let hold = self.held.get_or_insert(Hold {
            since,
            lag,
            is_back: false,
        });
        hold.is_back = false;
        // Lag after an earlier restart fell into time that does not count.
        self.lag = hold.lag;
    }

    /// The bot is there: a timer that is held goes on from where it was stopped. A further stream of
    /// a bot that is back stops nothing.
    pub(crate) fn bot_came(&mut self, now: Time) {
        if self.is_stopped() {
            self.give_back(now);
        }
        if let Some(hold) = &mut self.held {
            hold.is_back = true;
        }
    }

    /// The bot that came has the request, which is not handed over again: all time from here on is
    /// its own.
    pub(crate) fn go_on(&mut self) {
        self.held = None;
    }

    /// Takes the time since it was held off the timer, by moving all that was before.
    fn give_back(&mut self, now: Time) {
        if let Some(hold) = &mut self.held {
            let held_us = now.us_since(hold.since);
            self.issued_at = self.issued_at.plus_us(held_us);
            self.handed_at = self.handed_at.map(|at| at.plus_us(held_us));
            self.lag = hold.lag;
            hold.since = now;
        }
    }

    fn is_stopped(&self) -> bool {
        self.held.is_some_and(|hold| !hold.is_back)
    }

    /// Referee lag since it runs, in ms.
    pub(crate) fn lag_ms(&self) -> u64 {
        self.lag.us() / 1000
    }

    /// Time for the decision, in ms.
    pub(crate) fn allowance_ms(&self) -> u64 {
        self.allowance_us / 1000
    }

    fn runs_from(&self) -> Time {
        self.handed_at.unwrap_or(self.issued_at)
    }

    fn charge(&self, now: Time) -> Charge {
        let now = match self.held {
            Some(hold) if !hold.is_back => hold.since,
            _ => now,
        };
        let elapsed_us = now.us_since(self.runs_from());
        let on_referee_us = self.lag.us().min(elapsed_us);
        let credit_us = self.credit_limit_us.min(elapsed_us - on_referee_us);
        // More than the allowance is only possible within the margin that a lag gives.
        let charged_us = (elapsed_us - on_referee_us - credit_us).min(self.allowance_us);
        Charge {
            elapsed_us,
            credit_us,
            referee_lag_us: elapsed_us - credit_us - charged_us,
            charged_us,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct SeatClock {
    bank_us: u64,
    increment_us: u64,
    cap_us: u64,
    max_credit_us: u64,
    /// The shortest round trip known of the current stream; `None` before one was measured.
    round_trip_us: Option<u64>,
    last_charge: Option<Charge>,
    /// All but what is left in the bank.
    used: ClockUse,
}

impl SeatClock {
    pub(crate) fn new(rules: &ClockRules) -> Self {
        let us = |ms: u32| u64::from(ms) * 1000;
        Self {
            bank_us: us(rules.bank_ms),
            increment_us: us(rules.increment_ms),
            cap_us: us(rules.cap_ms),
            max_credit_us: rules.most_credit_us(),
            round_trip_us: None,
            last_charge: None,
            used: ClockUse::default(),
        }
    }

    /// Records a measured round trip, for requests that are handed over later. The shortest counts,
    /// because a measurement can only be too long.
    pub(crate) fn measured(&mut self, round_trip_us: u64) {
        let known = self.round_trip_us.get_or_insert(round_trip_us);
        *known = round_trip_us.min(*known);
    }

    /// A new stream came, perhaps over another way: earlier measurements say nothing of it.
    pub(crate) fn stream_came(&mut self) {
        self.round_trip_us = None;
    }

    fn credit_limit_us(&self) -> u64 {
        self.round_trip_us.unwrap_or(0).min(self.max_credit_us)
    }

    pub(crate) fn issue(&self, now: Time) -> RequestTimer {
        RequestTimer {
            issued_at: now,
            handed_at: None,
            allowance_us: self.bank_us.min(self.cap_us),
            credit_limit_us: self.credit_limit_us(),
            lag: Lag::default(),
            held: None,
        }
    }

    /// The request was handed to the transport; only the first time counts, and the first after
    /// a restart, so that sending it again gives no new time.
    pub(crate) fn handed_over(&self, timer: &mut RequestTimer, now: Time) {
        timer.give_back(now);
        timer.held = None;
        if timer.handed_at.is_none() {
            timer.handed_at = Some(now);
            timer.credit_limit_us = self.credit_limit_us();
            timer.lag = Lag::default();
        }
    }

    /// The stream was lost: a request on its way runs from its issue, because the time without
    /// a stream is the seat's own. That ends a hold, too.
    pub(crate) fn stream_lost(timer: &mut RequestTimer) {
        timer.held = None;
        timer.handed_at.get_or_insert(timer.issued_at);
    }

    /// What the seat is told with a request that is sent, or sent again, at `now`.
    pub(crate) fn reading(&self, timer: &RequestTimer, now: Time) -> ClockReading {
        let charged_us = timer.charge(now).charged_us;
        ClockReading {
            bank_left_ms: whole_ms(self.bank_us.saturating_sub(charged_us)),
            decision_left_ms: whole_ms(timer.allowance_us.saturating_sub(charged_us)),
            last_charge: self.last_charge,
        }
    }

    /// What the seat is told with a request that it missed and that was decided without it.
    pub(crate) fn reading_of_closed(&self) -> ClockReading {
        ClockReading {
            bank_left_ms: whole_ms(self.bank_us),
            decision_left_ms: 0,
            last_charge: self.last_charge,
        }
    }

    /// The bot answered in time.
    pub(crate) fn answered(&mut self, timer: &RequestTimer, now: Time) -> Charge {
        let charge = timer.charge(now);
        // An answer takes at least a round trip, so a quick one shows that Pongs were slow: a bot
        // cannot earn credit by putting them off.
        if let Some(known) = &mut self.round_trip_us
            && timer.handed_at.is_some()
        {
            *known = charge.elapsed_us.min(*known);
        }
        self.debit(&charge);
        self.bank_us = (self.bank_us + self.increment_us).min(u64::from(MAX_BANK_MS) * 1000);
        self.used.answered += 1;
        self.last_charge = Some(charge);
        charge
    }

    /// The request is decided without the bot: the elapsed time is charged, and no increment is
    /// added.
    pub(crate) fn unanswered(&mut self, timer: &RequestTimer, now: Time) {
        let charge = timer.charge(now);
        self.debit(&Charge {
            // What ran off after the deadline is nobody's.
            referee_lag_us: charge.referee_lag_us.min(timer.lag.us()),
            ..charge
        });
    }

    fn debit(&mut self, charge: &Charge) {
        self.bank_us = self.bank_us.saturating_sub(charge.charged_us);
        self.used.add(charge);
    }

    pub(crate) fn clock_use(&self) -> ClockUse {
        ClockUse {
            bank_left_ms: whole_ms(self.bank_us),
            ..self.used
        }
    }
}

/// Microseconds as ms, rounded down.
fn whole_ms(us: u64) -> u32 {
    u32::try_from(us / 1000).unwrap_or(u32::MAX)
}
