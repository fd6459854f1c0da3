//! Queries of the referee's state.

use std::sync::Arc;

use bridgemaster_games::{Digest, Game, Seat, Viewer};

use crate::{
    ClockReading, FaultReason, MatchPhase, MatchResult, MatchRules, NoteBudget, Referee, SeatInfo,
    Time,
};

impl<G: Game> Referee<G> {
    /// The current phase of the match.
    pub fn phase(&self) -> MatchPhase {
        self.phase
    }

    /// The match's rules, with the secret seed.
    pub fn rules(&self) -> &MatchRules<G> {
        &self.rules
    }

    /// All chance results that were drawn before play. Must stay secret while the match runs.
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

    /// Digest of the current state. It covers hidden facts, so it is secret while the match runs.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The number of records written so far.
    pub fn records(&self) -> u32 {
        self.next_record
    }

    /// A seat's clock for its open request at `now`, as sent in messages; `None` if no request is
    /// open.
    pub fn clock_reading(&self, seat: Seat, now: Time) -> Option<ClockReading> {
        let player = self.players.get(seat.index())?;
        let open = player.open.as_ref()?;
        Some(player.clock.reading(&open.timer, now))
    }

    /// The sequence numbers of a seat's `Started` message, if it was sent, and of its `Ended`
    /// message. The second number is predicted if the message was not sent. `None` if the match has
    /// no such seat.
    pub fn start_and_end_sequences(&self, seat: Seat) -> Option<(Option<u32>, u32)> {
        let outbox = &self.players.get(seat.index())?.outbox;
        // If the seat has no `Started` message yet, that message is sent first.
        let missing = 1 + u32::from(outbox.started().is_none());
        let ended = outbox.ended().unwrap_or(outbox.last() + missing);
        Some((outbox.started(), ended))
    }

    /// The sequence number of the last message to each seat so far, in seat order; 0 if there was
    /// none.
    pub fn sent(&self) -> impl ExactSizeIterator<Item = u32> {
        self.players.iter().map(|player| player.outbox.last())
    }

    /// The remaining budget for the notes of a seat; `None` if the match has no such seat.
    pub fn note_budget(&self, seat: Seat) -> Option<NoteBudget> {
        self.players.get(seat.index()).map(|player| player.note_budget)
    }

    /// Returns whether all messages after this one can be sent to a seat again. If not, the seat
    /// receives the start message and the open request instead.
    pub fn can_resume(&self, seat: Seat, last_sequence: u32) -> bool {
        let player = self.players.get(seat.index());
        player.is_some_and(|player| player.outbox.can_resume_after(last_sequence))
    }

    /// A spectator's observation; `None` before the match starts.
    pub fn observe_spectator(&self) -> Option<G::Observation> {
        (self.phase != MatchPhase::Waiting).then(|| G::observe(&self.state, Viewer::Spectator))
    }

    /// A seat's full state; `None` if the match has no such seat. It contains secrets: see
    /// [`Referee::public_seats`] for the public part.
    pub fn seat_info(&self, seat: Seat) -> Option<&SeatInfo> {
        self.players.get(seat.index()).map(|player| &player.info)
    }

    /// The fault for which a seat was forfeited; `None` if it was not.
    pub fn forfeit(&self, seat: Seat) -> Option<FaultReason> {
        self.players.get(seat.index()).and_then(|player| player.forfeit)
    }

    /// The seats' full states, in seat order. They contain secrets: see [`Referee::public_seats`]
    /// for the public part.
    pub fn seats(&self) -> impl ExactSizeIterator<Item = &SeatInfo> {
        self.players.iter().map(|player| &player.info)
    }

    /// The time at which the match was created.
    pub fn created_at(&self) -> Time {
        self.created_at
    }

    /// The time at which the match started; `None` before the start.
    pub fn started_at(&self) -> Option<Time> {
        self.started_at
    }

    /// Returns whether the match was cancelled. A cancelled match has ended and has no result.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    /// The result, once the match has ended; `None` if it was cancelled.
    pub fn result(&self) -> Option<&Arc<MatchResult>> {
        self.result.as_ref()
    }
}
