//! The oracle's model of one seat.

use bridgemaster_games::Game;
use bridgemaster_referee::{
    BotIdentity, Charge, ClockReading, ClockRules, FaultReason, MAX_BANK_MS, MAX_RECORDED_FAULTS,
    MAX_RETAINED_MESSAGES, RESTART_GRACE_MS, SeatState, Time,
};

use super::timer::{RequestTime, WaitLag, prolonged_by_us};

/// A request that waits for its answer.
#[derive(Debug)]
pub(super) struct Open<G: Game> {
    pub(super) id: u32,
    pub(super) time: RequestTime,
    /// The request was sent before a restart, and the bot has not reconnected since.
    pub(super) is_from_before: bool,
    pub(super) observation: G::Observation,
    pub(super) legal: Vec<G::Decision>,
    pub(super) events: Vec<G::Event>,
    pub(super) sequence: Option<u32>,
}

/// The public state of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PublicSeat {
    pub(super) state: SeatState,
    pub(super) bot: Option<BotIdentity>,
    pub(super) strikes: u32,
}

/// One seat in the oracle's model.
#[derive(Debug)]
pub(super) struct SeatModel<G: Game> {
    pub(super) bot: Option<BotIdentity>,
    pub(super) is_connected: bool,
    pub(super) lost_at: Option<Time>,
    pub(super) lag_since_lost: WaitLag,
    /// Lag of the forwarding node while the seat was without a bot before the start.
    pub(super) startup_lag: WaitLag,
    /// Time for which the seat may be without a stream, in ms.
    grace_ms: u32,
    /// The seat has had no stream since a restart or a refused connection, which is not the bot's
    /// fault.
    pub(super) is_excused: bool,
    pub(super) is_absent: bool,
    pub(super) forfeit: Option<FaultReason>,
    pub(super) strikes: u32,
    pub(super) faults: u32,
    /// Only faults that cost more than a rejection, because a status does not report the others.
    pub(super) last_fault: Option<FaultReason>,
    /// The public state of the seat, and the fault that changed it last.
    pub(super) public: PublicSeat,
    pub(super) public_fault: Option<FaultReason>,
    /// A fault changed the state, and others are not notified of it until the next event.
    pub(super) has_secret: bool,
    pub(super) open: Option<Open<G>>,
    pub(super) last_request: u32,
    /// The last accepted answer: its request, and its form as text.
    pub(super) answered: Option<(u32, String)>,
    /// Total length of the accepted notes, in bytes.
    note_bytes: usize,
    pub(super) bank_us: u64,
    pub(super) round_trip_us: Option<u64>,
    pub(super) last_charge: Option<Charge>,
    pub(super) answers: u32,
    pub(super) charged_us: u64,
    pub(super) useless: u32,
    /// The number of events that were sent to the seat.
    pub(super) events_sent: usize,
    /// The state of each seat according to its last message.
    pub(super) knows: Vec<SeatState>,
    /// The number of records about the seat's state.
    pub(super) seat_records: u32,
    /// The message under each number, from 1.
    pub(super) sent: Vec<String>,
    /// Messages up to this number have arrived.
    pub(super) acknowledged: u32,
    pub(super) house_decisions: u32,
}

impl<G: Game> SeatModel<G> {
    pub(super) fn new(rules: &ClockRules) -> Self {
        Self {
            bot: None,
            is_connected: false,
            lost_at: None,
            lag_since_lost: WaitLag::default(),
            startup_lag: WaitLag::default(),
            grace_ms: rules.reconnect_ms,
            is_excused: false,
            is_absent: false,
            forfeit: None,
            strikes: 0,
            faults: 0,
            last_fault: None,
            public: PublicSeat { state: SeatState::Vacant, bot: None, strikes: 0 },
            public_fault: None,
            has_secret: false,
            open: None,
            last_request: 0,
            answered: None,
            note_bytes: 0,
            bank_us: u64::from(rules.time_control.bank_ms()) * 1000,
            round_trip_us: None,
            last_charge: None,
            answers: 0,
            charged_us: 0,
            useless: 0,
            events_sent: 0,
            knows: Vec::new(),
            seat_records: 0,
            sent: Vec::new(),
            acknowledged: 0,
            house_decisions: 0,
        }
    }

    /// Returns the accepted part of a note, given the seat's budget in bytes.
    pub(super) fn accepts_note<'a>(&mut self, note: &'a str, part: usize) -> &'a str {
        let is_retained = note.len() <= 1024 && self.note_bytes + note.len() <= part;
        let retained = if is_retained { note } else { "" };
        self.note_bytes += retained.len();
        retained
    }

    pub(super) fn state(&self) -> SeatState {
        match self {
            Self { forfeit: Some(_), .. } => SeatState::Forfeited,
            Self { bot: None, .. } => SeatState::Vacant,
            Self { is_connected: true, .. } => SeatState::Connected,
            _ => SeatState::Paused,
        }
    }

    /// The full state of the seat.
    pub(super) fn own(&self) -> PublicSeat {
        PublicSeat { state: self.state(), bot: self.bot.clone(), strikes: self.strikes }
    }

    /// Returns whether the seat's faults are no longer recorded. A fault is then noticed only by
    /// its consequences.
    pub(super) fn has_uncounted_faults(&self) -> bool {
        self.faults as usize >= MAX_RECORDED_FAULTS
    }

    /// Makes the whole state of the seat public.
    pub(super) fn publish(&mut self) {
        self.public = self.own();
        self.public_fault = self.last_fault;
        self.has_secret = false;
    }

    /// Applies the cost of a fault. If the fault is `secret`, others are not notified yet.
    pub(super) fn apply_cost(&mut self, secret: bool) {
        match secret {
            true => self.has_secret = true,
            false => self.publish(),
        }
    }

    pub(super) fn is_played_by_house(&self) -> bool {
        self.is_absent || self.forfeit.is_some()
    }

    pub(super) fn open_id(&self) -> u32 {
        self.open.as_ref().map_or(0, |open| open.id)
    }

    /// The time at which the lost stream becomes a fault.
    pub(super) fn grace_ends(&self) -> Option<Time> {
        let waits = !self.is_connected && !self.is_played_by_house();
        self.lost_at.filter(|_| waits).map(|lost_at| {
            lost_at.plus_ms(self.grace_ms).plus_us(prolonged_by_us(self.lag_since_lost.us))
        })
    }

    /// Returns whether the messages after a number are retained when this number of messages was
    /// sent.
    pub(super) fn retains(&self, last: u32, sent: u32) -> bool {
        last <= sent && last >= self.acknowledged && (sent - last) as usize <= MAX_RETAINED_MESSAGES
    }

    /// Handles a connection of the bot, which has all messages up to `last_sequence` or starts
    /// over.
    pub(super) fn connect(&mut self, now: Time, bot: BotIdentity, last_sequence: Option<u32>) {
        self.bot = Some(bot);
        self.is_connected = true;
        self.lost_at = None;
        self.is_absent = false;
        self.is_excused = false;
        self.round_trip_us = None;
        self.public.state = SeatState::Connected;
        self.public.bot.clone_from(&self.bot);
        let sent = self.sent.len() as u32;
        let received = last_sequence.filter(|last| self.retains(*last, sent));
        if let Some(open) = &mut self.open {
            let has_it = open.sequence.is_some() && open.sequence <= received;
            open.time.handle_stream(now, has_it);
            let was_asked_before = std::mem::take(&mut open.is_from_before);
            if was_asked_before && last_sequence.is_none() {
                open.time.issue_again(now);
            }
        }
    }

    pub(super) fn disconnect(&mut self, now: Time, rules: &ClockRules) {
        self.lose_stream(now, rules.reconnect_ms);
        self.public.state = SeatState::Paused;
        if let Some(open) = &mut self.open {
            open.time.handle_stream_lost();
        }
    }

    /// Handles a restart of the server, whose last input was at `known_until`. Returns whether the
    /// seat lost a stream.
    pub(super) fn server_restarted(
        &mut self,
        known_until: Time,
        now: Time,
        rules: &ClockRules,
    ) -> bool {
        let had_stream = self.is_connected;
        if had_stream || self.lost_at.is_some() {
            self.lose_stream(now, rules.reconnect_ms.max(RESTART_GRACE_MS));
            self.is_excused = true;
        }
        // A seat whose forfeit is not public appears to lose its stream like all others.
        if self.public.state == SeatState::Connected {
            self.public.state = SeatState::Paused;
        }
        if let Some(open) = &mut self.open {
            open.time.stop(known_until);
            open.is_from_before = true;
        }
        had_stream
    }

    /// Handles a refusal by the server.
    pub(super) fn connection_refused(&mut self, now: Time, rules: &ClockRules) {
        if self.lost_at.is_some() {
            self.lose_stream(now, rules.reconnect_ms.max(RESTART_GRACE_MS));
            self.is_excused = true;
        }
        if let Some(open) = &mut self.open {
            open.time.stop(now);
        }
    }

    fn lose_stream(&mut self, now: Time, grace_ms: u32) {
        self.is_connected = false;
        self.lost_at = Some(now);
        self.lag_since_lost = WaitLag::default();
        self.grace_ms = grace_ms;
    }

    pub(super) fn credit_limit_us(&self, rules: &ClockRules) -> u64 {
        let tenth_of_cap_us = u64::from(rules.time_control.cap_ms()) * 100;
        let most_us = tenth_of_cap_us.min(u64::from(rules.round_trip_credit_ms) * 1000);
        self.round_trip_us.map_or(0, |us| us.min(most_us))
    }

    /// The clock reading that must be sent to the bot.
    pub(super) fn reading(&self, now: Time) -> ClockReading {
        let ms = |us: u64| (us / 1000) as u32;
        let (charge, allowance_us) = self
            .open
            .as_ref()
            .map_or_else(Default::default, |open| (open.time.charge(now), open.time.allowance_us));
        ClockReading {
            bank_left_ms: ms(self.bank_us - charge.charged_us.min(self.bank_us)),
            decision_left_ms: ms(allowance_us - charge.charged_us - charge.uncharged_us),
            last_charge: self.last_charge,
        }
    }

    /// Closes the open request without an answer.
    pub(super) fn withdraw(&mut self, now: Time) {
        if let Some(open) = self.open.take() {
            let charged_us = open.time.charge(now).charged_us;
            self.bank_us -= charged_us;
            self.charged_us += charged_us;
        }
    }

    /// Closes the open request with its answer.
    pub(super) fn accept(&mut self, now: Time, rules: &ClockRules) -> Option<Charge> {
        let open = self.open.take()?;
        let charge = open.time.charge(now);
        if let Some(shortest_us) = &mut self.round_trip_us
            && open.time.is_handed
        {
            *shortest_us = charge.elapsed_us.min(*shortest_us);
        }
        self.bank_us -= charge.charged_us;
        self.bank_us = (self.bank_us + u64::from(rules.time_control.increment_ms()) * 1000)
            .min(u64::from(MAX_BANK_MS) * 1000);
        self.charged_us += charge.charged_us;
        self.last_charge = Some(charge);
        self.answers += 1;
        self.useless = 0;
        self.acknowledged = self.acknowledged.max(open.sequence.unwrap_or(0));
        Some(charge)
    }
}
