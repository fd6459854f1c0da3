//! From one phase of a match to the next: it starts, ends, or is cancelled.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat};

use crate::{
    CloseReason, FaultReason, MatchPhase, MatchResult, Output, Referee, SeatMessage, SeatState,
    Started,
};

impl<G: Game> Referee<G> {
    pub(crate) fn everybody_is_there(&self) -> bool {
        self.players
            .iter()
            .all(|player| player.is_connected() || player.forfeit.is_some())
    }

    pub(crate) fn start(&mut self, out: &mut Vec<Output<G>>) {
        self.phase = MatchPhase::Running;
        self.started_at = Some(self.now);
        self.public_changes += 1;
        for seat in self.rules.seats.seats() {
            if self.players[seat.index()].can_hear() {
                self.send_started(seat, out);
            }
        }
        self.take_over(out);
        for seat in self.rules.seats.seats() {
            if self.players[seat.index()].info.state == SeatState::Vacant {
                let detail = format!(
                    "no bot connected within the start-up time of {} ms",
                    self.rules.clock.startup_ms
                );
                self.penalise(seat, FaultReason::NeverConnected, detail, out);
            }
        }
    }

    /// Sends the start to a seat that has not been told of it.
    pub(crate) fn send_started(&mut self, seat: Seat, out: &mut Vec<Output<G>>) {
        let started = self.started_message(seat);
        self.send(seat, started, out);
    }

    /// The start as it is told to a seat now.
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

    /// Ends the match: sends the result to every connected seat.
    pub(crate) fn end(&mut self, result: MatchResult, out: &mut Vec<Output<G>>) {
        let result = Arc::new(result);
        self.phase = MatchPhase::Ended;
        self.public_changes += 1;
        self.result = Some(Arc::clone(&result));
        for seat in self.rules.seats.seats() {
            if self.players[seat.index()].can_hear() {
                self.send(seat, SeatMessage::Ended(Arc::clone(&result)), out);
                out.push(Output::Close {
                    seat,
                    reason: CloseReason::MatchEnded,
                });
            }
        }
        out.push(Output::Ended);
    }

    /// Cancels the match: nothing is secret any more but what the game itself hides.
    pub(crate) fn cancel(&mut self, out: &mut Vec<Output<G>>) {
        if self.phase == MatchPhase::Ended {
            return;
        }
        out.push(Output::Cancelled);
        for seat in self.rules.seats.seats() {
            self.withdraw_request(seat);
        }
        self.publish(out);
        self.phase = MatchPhase::Ended;
        self.is_cancelled = true;
        for player in &self.players {
            if player.is_connected() {
                out.push(Output::Close {
                    seat: player.info.seat,
                    reason: CloseReason::Cancelled,
                });
            }
        }
    }
}
