//! Changes of a match's phase: start, end and cancellation.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat};

use crate::{
    CloseReason, FaultReason, MatchPhase, MatchResult, Output, Referee, SeatMessage, SeatState,
    Started,
};

impl<G: Game> Referee<G> {
    pub(crate) fn all_seats_ready(&self) -> bool {
        self.players.iter().all(|player| player.is_connected() || player.is_played_by_house())
    }

    pub(crate) fn start(&mut self) {
        self.phase = MatchPhase::Running;
        self.started_at = Some(self.now);
        self.public_changes += 1;
        for seat in self.rules.seats.seats() {
            if self.players[seat.index()].is_reachable() {
                self.send_started(seat);
            }
        }
        self.replay_fork();
        for seat in self.rules.seats.seats() {
            let player = &self.players[seat.index()];
            if player.info.state == SeatState::Vacant && !player.absent {
                let detail = format!(
                    "no bot connected within the start-up time of {} ms",
                    self.rules.clock.startup_ms
                );
                self.penalise(seat, FaultReason::NeverConnected, detail);
            }
        }
    }

    /// Sends the start message to a seat that has not received it.
    pub(crate) fn send_started(&mut self, seat: Seat) {
        let started = self.started_message(seat);
        self.send(seat, started);
    }

    /// Builds the start message from the state that a seat may know now.
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

    /// Ends the match and sends the result to every connected seat.
    pub(crate) fn end(&mut self, result: MatchResult) {
        let result = Arc::new(result);
        self.phase = MatchPhase::Ended;
        self.public_changes += 1;
        self.result = Some(Arc::clone(&result));
        for seat in self.rules.seats.seats() {
            if self.players[seat.index()].is_reachable() {
                self.send(seat, SeatMessage::Ended(Arc::clone(&result)));
                self.out.push(Output::close(seat, CloseReason::MatchEnded));
            }
        }
        self.out.push(Output::Ended);
    }

    /// Cancels the match. The match's state becomes public, except for facts that the game itself
    /// hides.
    pub(crate) fn cancel(&mut self) {
        if self.phase == MatchPhase::Ended {
            return;
        }
        self.out.push(Output::Cancelled);
        for seat in self.rules.seats.seats() {
            self.withdraw_request(seat);
        }
        self.publish();
        self.phase = MatchPhase::Ended;
        self.is_cancelled = true;
        for player in &self.players {
            if player.is_connected() {
                self.out.push(Output::close(player.info.seat, CloseReason::Cancelled));
            }
        }
    }
}
