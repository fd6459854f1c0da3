//! What the referee keeps for one seat.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat, SeatCount};

use crate::{
    Answer, DecisionRequest, Fault, FaultReason, NoteRoom, Question, SeatInfo, SeatMessage,
    SeatState, Time,
    clock::{ClockRules, RequestTimer, SeatClock},
    lag::Lag,
    outbox::Outbox,
};

/// A request that waits for its answer.
#[derive(Debug)]
pub(crate) struct OpenRequest<G: Game> {
    pub(crate) id: u32,
    pub(crate) question: Arc<Question<G>>,
    pub(crate) timer: RequestTimer,
    /// Asked before a restart of the referee; its bot has not come back since.
    pub(crate) is_from_before: bool,
    /// Number under which it was sent; `None` while the seat has had no stream for it.
    pub(crate) sequence: Option<u32>,
}

/// A seat with its bot: connection, clock, messages, open request, faults.
#[derive(Debug)]
pub(crate) struct Player<G: Game> {
    pub(crate) info: SeatInfo,
    /// The seat as everybody may know it: `info` without what `held_back` did.
    pub(crate) shown: SeatInfo,
    /// The last fault that the others learn of only with the next event.
    pub(crate) held_back: Option<FaultReason>,
    pub(crate) clock: SeatClock,
    pub(crate) outbox: Outbox<G>,
    pub(crate) open: Option<OpenRequest<G>>,
    /// Number of the last request.
    pub(crate) last_request_id: u32,
    /// The last answer that was accepted, and its request.
    pub(crate) answered: Option<(u32, Answer<G::Decision>)>,
    /// Its stream is being lost or replaced by the input at hand, so that what happens before
    /// that input counts must not go to either stream; it is told later.
    pub(crate) between_streams: bool,
    /// For the notes of its answers.
    pub(crate) note_room: NoteRoom,
    /// When the stream was lost, while the seat is paused.
    pub(crate) lost_at: Time,
    /// Referee lag since then.
    pub(crate) lag_since_lost: Lag,
    /// How long the seat may then be without a stream, in ms.
    pub(crate) grace_ms: u32,
    /// The seat has no stream because of the server: its bot is not to blame.
    pub(crate) is_excused: bool,
    /// The house decides until the bot is there.
    pub(crate) absent: bool,
    pub(crate) forfeit: Option<FaultReason>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) fault_count: u32,
    /// Useless messages since the last accepted answer.
    pub(crate) useless_messages: u32,
    pub(crate) seat_records: u32,
    pub(crate) forced_decisions: u32,
    pub(crate) house_decisions: u32,
}

impl<G: Game> Player<G> {
    pub(crate) fn new(seat: Seat, seats: SeatCount, rules: &ClockRules) -> Self {
        let info = SeatInfo {
            seat,
            state: SeatState::Vacant,
            bot: None,
            strikes: 0,
        };
        Self {
            shown: info.clone(),
            info,
            held_back: None,
            clock: SeatClock::new(rules),
            outbox: Outbox::new(),
            open: None,
            last_request_id: 0,
            answered: None,
            between_streams: false,
            note_room: NoteRoom::of_match(seats),
            lost_at: Time(0),
            lag_since_lost: Lag::default(),
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

    /// Everybody may know all of the seat.
    pub(crate) fn show(&mut self) {
        self.held_back = None;
        self.shown = self.info.clone();
    }

    /// Everybody may know of the seat's stream. Of a forfeit that is held back no more shows than
    /// that the stream is gone.
    pub(crate) fn show_stream(&mut self) {
        self.shown.bot.clone_from(&self.info.bot);
        self.shown.state = match self.info.state {
            SeatState::Forfeited if self.held_back.is_some() => SeatState::Paused,
            state => state,
        };
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.info.state == SeatState::Connected
    }

    /// Whether a message to the seat reaches a stream.
    pub(crate) fn can_hear(&self) -> bool {
        self.is_connected() && !self.between_streams
    }

    /// Whether the house decides for this seat.
    pub(crate) fn is_played_by_house(&self) -> bool {
        self.absent || self.forfeit.is_some()
    }

    /// The open request, 0 when there is none.
    pub(crate) fn open_request_id(&self) -> u32 {
        self.open.as_ref().map_or(0, |open| open.id)
    }

    /// The moment at which the lost stream becomes a fault, if it is lost and not yet one.
    pub(crate) fn grace_ends(&self) -> Option<Time> {
        (self.info.state == SeatState::Paused && !self.absent).then(|| {
            self.lost_at
                .plus_ms(self.grace_ms)
                .plus_us(self.lag_since_lost.extension_us())
        })
    }

    /// The referee lagged: no bot is to blame for what it could not do meanwhile.
    pub(crate) fn lagged(&mut self, lag_us: u64) {
        if let Some(open) = &mut self.open {
            open.timer.lagged(lag_us);
        }
        if self.info.state == SeatState::Paused {
            self.lag_since_lost.add(lag_us);
        }
    }

    /// The referee was restarted at `now`, and the last that it knows is of `known_until`. Tells
    /// whether a stream was lost with it.
    pub(crate) fn restarted(&mut self, known_until: Time, now: Time, grace_ms: u32) -> bool {
        let had_stream = self.is_connected();
        if had_stream {
            self.info.state = SeatState::Paused;
        }
        if let Some(open) = &mut self.open {
            open.is_from_before = true;
        }
        self.excuse(known_until, now, grace_ms);
        had_stream
    }

    /// What the bot does not do from `since` on is not its fault until it is there; from `now` on
    /// it has the grace to come.
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

    /// The open request as a message that tells the clock as it stands at `now`.
    pub(crate) fn request_message(&self, now: Time) -> Option<SeatMessage<G>> {
        let open = self.open.as_ref()?;
        Some(SeatMessage::Request(DecisionRequest {
            request_id: open.id,
            question: Arc::clone(&open.question),
            clock: self.clock.reading(&open.timer, now),
        }))
    }

    /// A kept request as it stands at `now`: one that is not open any more has no time left.
    pub(crate) fn request_as_of(
        &self,
        request: &DecisionRequest<G>,
        now: Time,
    ) -> DecisionRequest<G> {
        let clock = match &self.open {
            Some(open) if open.id == request.request_id => self.clock.reading(&open.timer, now),
            _ => self.clock.reading_of_closed(),
        };
        DecisionRequest {
            clock,
            ..request.clone()
        }
    }
}
