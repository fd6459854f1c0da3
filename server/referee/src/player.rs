//! The referee's state for one seat.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat, SeatCount};

use crate::{
    Answer, DecisionRequest, Fault, FaultReason, NoteBudget, RequestContent, SeatInfo, SeatMessage,
    SeatState, Time,
    clock::{ClockRules, RequestTimer, SeatClock},
    outbox::Outbox,
    time::Lag,
};

/// A request that waits for its answer.
#[derive(Debug)]
pub(crate) struct OpenRequest<G: Game> {
    pub(crate) id: u32,
    pub(crate) content: Arc<RequestContent<G>>,
    pub(crate) timer: RequestTimer,
    /// True if the request was sent before the referee was restarted, and the bot has not
    /// reconnected since.
    pub(crate) predates_restart: bool,
    /// Sequence number of the message that contains the request; `None` until it is sent.
    pub(crate) sequence: Option<u32>,
}

/// A seat and its bot: connection, clock, messages, open request and faults.
#[derive(Debug)]
pub(crate) struct Player<G: Game> {
    pub(crate) info: SeatInfo,
    /// The public part of `info`, without the effects of a withheld fault.
    pub(crate) public_info: SeatInfo,
    /// The last fault that is hidden from other seats until the next event.
    pub(crate) withheld: Option<FaultReason>,
    pub(crate) clock: SeatClock,
    pub(crate) outbox: Outbox<G>,
    pub(crate) open: Option<OpenRequest<G>>,
    pub(crate) last_request_id: u32,
    /// The last accepted answer and its request's number, used to recognise repetitions.
    pub(crate) answered: Option<(u32, Answer<G::Decision>)>,
    /// True while the referee handles an input that ends or replaces the stream. No messages are
    /// sent to the old or the new stream in this time.
    pub(crate) between_streams: bool,
    pub(crate) note_budget: NoteBudget,
    /// The time at which the stream was lost, while the seat is paused.
    pub(crate) lost_at: Time,
    /// Referee lag since `lost_at`.
    pub(crate) lag_since_lost: Lag,
    /// Lag of the node that forwards for the missing bot, while the match waits for bots.
    pub(crate) startup_lag: Lag,
    /// Time from `lost_at` until the lost stream counts as a fault, in ms.
    pub(crate) grace_ms: u32,
    /// True if the server caused the loss of the stream, so that the bot is not at fault.
    pub(crate) is_excused: bool,
    /// True if the house decides until the bot connects.
    pub(crate) absent: bool,
    pub(crate) forfeit: Option<FaultReason>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) fault_count: u32,
    /// The number of useless messages since the last accepted answer.
    pub(crate) useless_messages: u32,
    pub(crate) seat_records: u32,
    pub(crate) forced_decisions: u32,
    pub(crate) house_decisions: u32,
}

impl<G: Game> Player<G> {
    pub(crate) fn new(seat: Seat, seats: SeatCount, rules: &ClockRules) -> Self {
        let info = SeatInfo { seat, state: SeatState::Vacant, bot: None, strikes: 0 };
        Self {
            public_info: info.clone(),
            info,
            withheld: None,
            clock: SeatClock::new(rules),
            outbox: Outbox::new(),
            open: None,
            last_request_id: 0,
            answered: None,
            between_streams: false,
            note_budget: NoteBudget::for_match(seats),
            lost_at: Time(0),
            lag_since_lost: Lag::default(),
            startup_lag: Lag::default(),
            grace_ms: rules.reconnect_ms,
            is_excused: false,
            absent: false,
            forfeit: None,
            faults: Vec::new(),
            fault_count: 0,
            useless_messages: 0,
            seat_records: 0,
            forced_decisions: 0,
            house_decisions: 0,
        }
    }

    /// Makes the seat's whole state public.
    pub(crate) fn publish(&mut self) {
        self.withheld = None;
        self.public_info = self.info.clone();
    }

    /// Makes the state of the seat's stream public. A forfeit that is still withheld appears as a
    /// lost stream.
    pub(crate) fn publish_stream(&mut self) {
        self.public_info.bot.clone_from(&self.info.bot);
        self.public_info.state = match self.info.state {
            SeatState::Forfeited if self.withheld.is_some() => SeatState::Paused,
            state => state,
        };
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.info.state == SeatState::Connected
    }

    /// Returns whether a message to the seat would reach a stream.
    pub(crate) fn is_reachable(&self) -> bool {
        self.is_connected() && !self.between_streams
    }

    /// Returns whether the house decides for this seat.
    pub(crate) fn is_played_by_house(&self) -> bool {
        self.absent || self.forfeit.is_some()
    }

    /// The open request's number; 0 if there is none.
    pub(crate) fn open_request_id(&self) -> u32 {
        self.open.as_ref().map_or(0, |open| open.id)
    }

    /// The time at which the lost stream becomes a fault; `None` if the stream is not lost or the
    /// house plays the seat.
    pub(crate) fn grace_ends(&self) -> Option<Time> {
        (self.info.state == SeatState::Paused && !self.absent).then(|| {
            self.lost_at.plus_ms(self.grace_ms).plus_us(self.lag_since_lost.extension_us())
        })
    }

    /// Adds referee lag to the seat's open timers.
    pub(crate) fn add_lag(&mut self, lag_us: u64) {
        if let Some(open) = &mut self.open {
            open.timer.add_lag(lag_us);
        }
        if self.info.state == SeatState::Paused {
            self.lag_since_lost.add(lag_us);
        }
    }

    /// Adds lag of the node that forwards the seat's stream.
    pub(crate) fn add_forwarding_lag(&mut self, lag_us: u64, now: Time) {
        if let Some(open) = &mut self.open {
            open.timer.add_forwarding_lag(lag_us, now);
        }
        if self.info.state == SeatState::Paused {
            let waited_us = now.us_since(self.lost_at);
            self.lag_since_lost.add_forwarding(lag_us, waited_us);
        }
    }

    /// Handles a referee restart at `now`. The referee's last input before the restart was at
    /// `known_until`. Returns whether the seat lost a stream.
    pub(crate) fn handle_restart(&mut self, known_until: Time, now: Time, grace_ms: u32) -> bool {
        let had_stream = self.is_connected();
        if had_stream {
            self.info.state = SeatState::Paused;
        }
        if let Some(open) = &mut self.open {
            open.predates_restart = true;
        }
        self.excuse(known_until, now, grace_ms);
        had_stream
    }

    /// Excuses the bot's absence from `since` until it connects. The bot has `grace_ms` from `now`
    /// to connect.
    pub(crate) fn excuse(&mut self, since: Time, now: Time, grace_ms: u32) {
        if let Some(open) = &mut self.open {
            open.timer.hold(since);
        }
        if self.info.state == SeatState::Paused {
            self.lost_at = now;
            self.lag_since_lost = Lag::default();
            self.grace_ms = grace_ms;
            self.is_excused = true;
        }
    }

    /// Builds the open request's message, with the clock at `now`.
    pub(crate) fn request_message(&self, now: Time) -> Option<SeatMessage<G>> {
        let open = self.open.as_ref()?;
        Some(SeatMessage::Request(DecisionRequest {
            request_id: open.id,
            content: Arc::clone(&open.content),
            clock: self.clock.reading(&open.timer, now),
        }))
    }

    /// Returns a retained request with the clock at `now`. A request that is no longer open has no
    /// time left.
    pub(crate) fn request_as_of(
        &self,
        request: &DecisionRequest<G>,
        now: Time,
    ) -> DecisionRequest<G> {
        let clock = match &self.open {
            Some(open) if open.id == request.request_id => self.clock.reading(&open.timer, now),
            _ => self.clock.closed_reading(),
        };
        DecisionRequest { clock, ..request.clone() }
    }
}
