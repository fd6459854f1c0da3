//! The time control of a match, time odds of single seats, and the clock of one seat.

use bridgemaster_games::{FieldError, Seat, SeatCount, check_range};

use crate::{Time, TimeControl, time::Lag};

/// Maximum of a bank in ms: the maximum of the protocol's 32-bit field (49 days).
pub const MAX_BANK_MS: u32 = u32::MAX;

/// Maximum of start-up time and reconnect time in ms: one hour.
const HOUR_MS: u32 = 3_600_000;
/// Maximum credit for a round trip, in ms. A slower network is not compensated.
const MAX_CREDIT_MS: u32 = 1000;
/// The credit for a round trip is at most the cap divided by this number. This covers network
/// jitter, but a bot that fakes a slow network gains little thinking time.
const CAP_PARTS_OF_CREDIT: u64 = 10;
/// Maximum of the referee lag limit in ms. A longer stall of the server counts as an outage.
const MAX_LAG_LIMIT_MS: u32 = 60_000;

/// Minimum time in ms that a bot has to reconnect after a restart of the referee or a refused
/// connection. The interruption is not the bot's fault, and bots retry with a backoff of up to
/// several seconds.
pub const RESTART_GRACE_MS: u32 = 60_000;

/// The clock of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockRules {
    /// The time control of each seat without time odds.
    pub time_control: TimeControl,
    /// Time that bots have to connect before the match starts without them, in ms: 1 to 3600000.
    pub startup_ms: u32,
    /// Time that a seat may be without a stream before this is a fault, in ms: 0 to 3600000.
    pub reconnect_ms: u32,
    /// Maximum credit for the measured round trip of one decision, in ms: 0 to 1000. The credit
    /// never exceeds a tenth of the cap; see [`ClockRules::max_credit_us`].
    pub round_trip_credit_ms: u32,
    /// Referee lag during one request above which the result counts as spoiled, in ms: 0 to 60000.
    pub referee_lag_limit_ms: u32,
}

impl Default for ClockRules {
    fn default() -> Self {
        Self {
            time_control: TimeControl::default(),
            startup_ms: 30_000,
            reconnect_ms: 10_000,
            round_trip_credit_ms: 100,
            referee_lag_limit_ms: 100,
        }
    }
}

impl ClockRules {
    /// Maximum credit for one decision, in µs: `round_trip_credit_ms` or a tenth of the cap,
    /// whichever is less.
    pub fn max_credit_us(&self) -> u64 {
        let tenth_us = u64::from(self.time_control.cap_ms()) * 1000 / CAP_PARTS_OF_CREDIT;
        tenth_us.min(u64::from(self.round_trip_credit_ms) * 1000)
    }

    pub(crate) fn check(&self) -> Result<(), FieldError> {
        self.time_control.check("clock.time_control")?;
        for (field, value, min, max) in [
            ("clock.startup_ms", self.startup_ms, 1, HOUR_MS),
            ("clock.reconnect_ms", self.reconnect_ms, 0, HOUR_MS),
            ("clock.round_trip_credit_ms", self.round_trip_credit_ms, 0, MAX_CREDIT_MS),
            ("clock.referee_lag_limit_ms", self.referee_lag_limit_ms, 0, MAX_LAG_LIMIT_MS),
        ] {
            check_range(field, value, min..=max)?;
        }
        Ok(())
    }
}

/// The charge for one answer. The elapsed time is the sum of the other four fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    /// Time from the hand-over of the request to the transport until the answer was decoded, in µs.
    pub elapsed_us: u64,
    /// Credit for the round trip, in µs.
    pub credit_us: u64,
    /// The referee's own lag, in µs.
    pub referee_lag_us: u64,
    /// The part of the remaining time, the bot's thinking time, that was deducted from the bank, in
    /// µs.
    pub charged_us: u64,
    /// The part of the thinking time that the time control does not charge, in µs.
    pub uncharged_us: u64,
}

impl Charge {
    /// Returns the bot's thinking time, charged or not, in µs.
    pub fn thinking_us(&self) -> u64 {
        self.charged_us.saturating_add(self.uncharged_us)
    }
}

/// The clock of a seat at the moment when a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// Time left in the bank, in ms, rounded down.
    pub bank_left_ms: u32,
    /// Time left for this decision, in ms, rounded down.
    pub decision_left_ms: u32,
    /// The charge for the previous answer; `None` before the first answer.
    pub last_charge: Option<Charge>,
}

/// Time statistics of a seat over a whole match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockUse {
    /// The number of requests that the bot answered.
    pub answered: u32,
    /// Total time deducted from the bank, in µs, unanswered requests included.
    pub charged_us: u64,
    /// Total thinking time that was not deducted, in µs, unanswered requests included.
    pub uncharged_us: u64,
    /// Maximum thinking time for one request, deducted or not, in µs.
    pub longest_us: u64,
    /// Total credit for round trips, in µs.
    pub credit_us: u64,
    /// Total referee lag while a request was open, in µs.
    pub referee_lag_us: u64,
    /// Maximum referee lag while one request was open, in µs.
    pub longest_referee_lag_us: u64,
    /// Time left in the bank at the end, in ms, rounded down.
    pub bank_left_ms: u32,
}

impl ClockUse {
    /// Adds the charge for one request. Does not change `answered` or the bank: a request that
    /// timed out also has a charge, but no answer.
    pub fn add(&mut self, charge: &Charge) {
        self.charged_us = self.charged_us.saturating_add(charge.charged_us);
        self.uncharged_us = self.uncharged_us.saturating_add(charge.uncharged_us);
        self.longest_us = self.longest_us.max(charge.thinking_us());
        self.credit_us = self.credit_us.saturating_add(charge.credit_us);
        self.referee_lag_us = self.referee_lag_us.saturating_add(charge.referee_lag_us);
        self.longest_referee_lag_us = self.longest_referee_lag_us.max(charge.referee_lag_us);
    }
}

/// The timer of one open request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestTimer {
    issued_at: Time,
    /// The time when the request was handed to the transport; `None` before the hand-over.
    handed_at: Option<Time>,
    time_control: TimeControl,
    allowance_us: u64,
    /// Maximum credit for the round trip of this request.
    credit_limit_us: u64,
    /// Referee lag since the timer started.
    lag: Lag,
    /// The current pause of the timer, if any.
    hold: Option<Hold>,
}

/// A pause of the timer of an open request, because the referee was restarted or refused the bot's
/// connection.
#[derive(Clone, Copy, Debug)]
struct Hold {
    /// The start of the pause. The time until the next hand-over does not count.
    since: Time,
    /// The referee lag up to `since`.
    lag: Lag,
    /// True if the bot has reconnected. The timer then runs again, so that a bot that does not read
    /// times out. If the request is handed over after all, this time does not count either.
    is_back: bool,
}

impl RequestTimer {
    /// Returns the time from which an answer is late; `None` while the timer is held. Before the
    /// hand-over of a request, its time counts from its issue, so that a bot that does not read
    /// times out too. Referee lag extends the deadline.
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

    pub(crate) fn add_lag(&mut self, lag_us: u64) {
        if !self.is_stopped() {
            self.lag.add(lag_us);
        }
    }

    /// Adds the lag of the node that forwards the stream of the seat.
    pub(crate) fn add_forwarding_lag(&mut self, lag_us: u64, now: Time) {
        if !self.is_stopped() {
            let waited_us = now.us_since(self.runs_from());
            self.lag.add_forwarding(lag_us, waited_us);
        }
    }

    /// Stops the timer at `since` until the bot reconnects.
    pub(crate) fn hold(&mut self, since: Time) {
        let lag = self.lag;
        let hold = self.hold.get_or_insert(Hold { since, lag, is_back: false });
        hold.is_back = false;
        // The lag since an earlier restart is discarded, because the time since then does not
        // count.
        self.lag = hold.lag;
    }

    /// Resumes a held timer, because the bot has connected. Has no effect if the bot had already
    /// reconnected and only opened another stream.
    pub(crate) fn resume(&mut self, now: Time) {
        if self.is_stopped() {
            self.exclude_held_time(now);
        }
        if let Some(hold) = &mut self.hold {
            hold.is_back = true;
        }
    }

    /// Resumes a held timer whose request the bot has already received. There is no second
    /// hand-over, so all time from now on counts.
    pub(crate) fn clear_hold(&mut self) {
        self.hold = None;
    }

    /// Excludes the time since the hold began, by moving the earlier times forward.
    fn exclude_held_time(&mut self, now: Time) {
        if let Some(hold) = &mut self.hold {
            let held_us = now.us_since(hold.since);
            self.issued_at = self.issued_at.plus_us(held_us);
            self.handed_at = self.handed_at.map(|at| at.plus_us(held_us));
            self.lag = hold.lag;
            hold.since = now;
        }
    }

    fn is_stopped(&self) -> bool {
        self.hold.is_some_and(|hold| !hold.is_back)
    }

    /// Referee lag since the timer started, in ms.
    pub(crate) fn lag_ms(&self) -> u64 {
        self.lag.us() / 1000
    }

    /// Time limit for the decision, in ms.
    pub(crate) fn allowance_ms(&self) -> u64 {
        self.allowance_us / 1000
    }

    fn runs_from(&self) -> Time {
        self.handed_at.unwrap_or(self.issued_at)
    }

    fn charge(&self, now: Time) -> Charge {
        let now = match self.hold {
            Some(hold) if !hold.is_back => hold.since,
            _ => now,
        };
        let elapsed_us = now.us_since(self.runs_from());
        let on_referee_us = self.lag.us().min(elapsed_us);
        let credit_us = self.credit_limit_us.min(elapsed_us - on_referee_us);
        // The thinking time can exceed the allowance only by the margin after a lag.
        let thinking_us = (elapsed_us - on_referee_us - credit_us).min(self.allowance_us);
        let charged_us = self.time_control.charged_us(thinking_us);
        Charge {
            elapsed_us,
            credit_us,
            referee_lag_us: elapsed_us - credit_us - thinking_us,
            charged_us,
            uncharged_us: thinking_us - charged_us,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct SeatClock {
    time_control: TimeControl,
    bank_us: u64,
    max_credit_us: u64,
    /// Shortest round trip measured on the current stream, in µs; `None` before the first
    /// measurement.
    round_trip_us: Option<u64>,
    last_charge: Option<Charge>,
    /// Totals of the match. `bank_left_ms` is filled in by [`SeatClock::clock_use`].
    used: ClockUse,
}

impl SeatClock {
    pub(crate) fn new(rules: &ClockRules) -> Self {
        Self {
            time_control: rules.time_control,
            bank_us: u64::from(rules.time_control.bank_ms()) * 1000,
            max_credit_us: rules.max_credit_us(),
            round_trip_us: None,
            last_charge: None,
            used: ClockUse::default(),
        }
    }

    /// Records a measured round trip, for requests that are handed over later. The shortest
    /// measurement counts, because delays only make a measurement longer.
    pub(crate) fn record_round_trip(&mut self, round_trip_us: u64) {
        let shortest_us = self.round_trip_us.get_or_insert(round_trip_us);
        *shortest_us = round_trip_us.min(*shortest_us);
    }

    /// Discards the round trips measured so far, because a new stream may use another network path.
    pub(crate) fn reset_round_trip(&mut self) {
        self.round_trip_us = None;
    }

    fn credit_limit_us(&self) -> u64 {
        self.round_trip_us.unwrap_or(0).min(self.max_credit_us)
    }

    pub(crate) fn issue(&self, now: Time) -> RequestTimer {
        RequestTimer {
            issued_at: now,
            handed_at: None,
            time_control: self.time_control,
            allowance_us: self.time_control.limit_us(self.bank_us),
            credit_limit_us: self.credit_limit_us(),
            lag: Lag::default(),
            hold: None,
        }
    }

    /// Starts the timer when the request is handed to the transport. Only the first hand-over
    /// counts, and the first one after a restart. A request that is sent again gets no additional
    /// time.
    pub(crate) fn handed_over(&self, timer: &mut RequestTimer, now: Time) {
        timer.exclude_held_time(now);
        timer.hold = None;
        if timer.handed_at.is_none() {
            timer.handed_at = Some(now);
            timer.credit_limit_us = self.credit_limit_us();
            timer.lag = Lag::default();
        }
    }

    /// Resumes a held timer, or starts the timer of a request that was not handed over. In the
    /// latter case the time counts from the issue of the request, because the seat is charged for
    /// the time without a stream.
    pub(crate) fn stream_lost(timer: &mut RequestTimer) {
        timer.hold = None;
        timer.handed_at.get_or_insert(timer.issued_at);
    }

    /// Returns the clock reading to send with a request at `now`.
    pub(crate) fn reading(&self, timer: &RequestTimer, now: Time) -> ClockReading {
        let charge = timer.charge(now);
        let thinking_us = charge.thinking_us();
        ClockReading {
            bank_left_ms: whole_ms(self.bank_us.saturating_sub(charge.charged_us)),
            decision_left_ms: whole_ms(timer.allowance_us.saturating_sub(thinking_us)),
            last_charge: self.last_charge,
        }
    }

    /// Returns the clock reading to send with a request that was decided while the bot was
    /// disconnected.
    pub(crate) fn closed_reading(&self) -> ClockReading {
        ClockReading {
            bank_left_ms: whole_ms(self.bank_us),
            decision_left_ms: 0,
            last_charge: self.last_charge,
        }
    }

    /// Charges the seat for an answer in time and adds the increment.
    pub(crate) fn charge_answer(&mut self, timer: &RequestTimer, now: Time) -> Charge {
        let charge = timer.charge(now);
        // An answer takes at least one round trip, so its time is an upper bound for the round
        // trip. With this bound, a bot gains no credit by delaying its Pongs.
        if let Some(shortest_us) = &mut self.round_trip_us
            && timer.handed_at.is_some()
        {
            *shortest_us = charge.elapsed_us.min(*shortest_us);
        }
        self.debit(&charge);
        let increment_us = u64::from(self.time_control.increment_ms()) * 1000;
        self.bank_us = (self.bank_us + increment_us).min(u64::from(MAX_BANK_MS) * 1000);
        self.used.answered += 1;
        self.last_charge = Some(charge);
        charge
    }

    /// Charges the seat for a request that its bot did not answer. No increment is added.
    pub(crate) fn charge_unanswered(&mut self, timer: &RequestTimer, now: Time) {
        let charge = timer.charge(now);
        self.debit(&Charge {
            // Time after the deadline counts neither as lag nor as thinking time.
            referee_lag_us: charge.referee_lag_us.min(timer.lag.us()),
            ..charge
        });
    }

    fn debit(&mut self, charge: &Charge) {
        self.bank_us = self.bank_us.saturating_sub(charge.charged_us);
        self.used.add(charge);
    }

    pub(crate) fn clock_use(&self) -> ClockUse {
        ClockUse { bank_left_ms: whole_ms(self.bank_us), ..self.used }
    }
}

/// Microseconds as ms, rounded down.
fn whole_ms(us: u64) -> u32 {
    u32::try_from(us / 1000).unwrap_or(u32::MAX)
}

/// The time control of a seat that differs from the time control of the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatOdds {
    /// The seat that has this time control.
    pub seat: Seat,
    /// Replaces [`ClockRules::time_control`].
    pub time_control: TimeControl,
}

/// Checks that no seat has two entries, and that every value is in range.
pub(crate) fn check_odds(odds: &[SeatOdds], seats: SeatCount) -> Result<(), FieldError> {
    for (number, entry) in odds.iter().enumerate() {
        let last = seats.get() - 1;
        check_range("seat_clocks.seat", entry.seat.number(), 0..=last)?;
        if odds[..number].iter().any(|other| other.seat == entry.seat) {
            let seat = entry.seat;
            let detail = format!("seat {seat} has two entries; a seat has at most one");
            return FieldError::refuse("seat_clocks.seat", detail);
        }
        entry.time_control.check("seat_clocks.time_control")?;
    }
    Ok(())
}
