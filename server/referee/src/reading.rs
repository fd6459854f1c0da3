//! What can be read from the referee.

use std::sync::Arc;

use bridgemaster_games::{Digest, Game, Seat, Viewer};

use crate::{
    ClockReading, FaultReason, MatchPhase, MatchResult, MatchRules, NoteRoom, Referee, SeatInfo,
    Time,
};

impl<G: Game> Referee<G> {
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
        self.digest
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
        // Who was not told of the start is told of it first.
        let missing = 1 + u32::from(outbox.started().is_none());
        let ended = outbox.ended().unwrap_or(outbox.last() + missing);
        Some((outbox.started(), ended))
    }

    /// Sequence of the last message to each seat so far, in seat order; 0 for none.
    pub fn sent(&self) -> impl ExactSizeIterator<Item = u32> {
        self.players.iter().map(|player| player.outbox.last())
    }

    /// What is left for the notes of a seat; `None` when the match has no such seat.
    pub fn note_room(&self, seat: Seat) -> Option<NoteRoom> {
        self.players
            .get(seat.index())
            .map(|player| player.note_room)
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

    /// Whether the match was cancelled. It is over then, and has no result.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    /// The result, once the match is over, unless it was cancelled.
    pub fn result(&self) -> Option<&Arc<MatchResult>> {
        self.result.as_ref()
    }
}
