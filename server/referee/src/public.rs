//! The seats' public state.
//!
//! A decision without an event is secret, and so is the fact that it was made. An illegal or late
//! answer is a fault, which could reveal that the seat has not decided. So while it is secret which
//! seats have decided, a fault is reported only to the seat that committed it. The other seats are
//! notified with the next event. Connects and disconnects reveal nothing about decisions, and are
//! reported at once.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat};

use crate::{FaultReason, MatchPhase, Output, Referee, SeatInfo, SeatMessage, SeatStatus};

impl<G: Game> Referee<G> {
    /// Returns whether it is secret which seats have decided. It is secret if a decision was made
    /// since the last event, or if several seats have open requests. If only one seat has an open
    /// request, it is public that the match waits for this seat.
    pub fn is_secret_who_decided(&self) -> bool {
        let with_open_request = || self.players.iter().filter(|player| player.open.is_some());
        self.phase == MatchPhase::Running
            && (self.decisions > self.public_decisions || with_open_request().count() > 1)
    }

    /// The seats' public state, in seat order. It omits the effects of secret faults.
    pub fn public_seats(&self) -> impl ExactSizeIterator<Item = &SeatInfo> {
        self.players.iter().map(|player| &player.public_info)
    }

    /// The number of decisions so far. A secret decision is counted only once its consequences are
    /// public.
    pub fn public_decisions(&self) -> u32 {
        self.public_decisions
    }

    /// A version number that increases with every public change: a changed seat or phase, or a game
    /// event.
    pub fn public_changes(&self) -> u64 {
        self.public_changes
    }

    /// Publishes a change in the state of a seat's bot. `fault` is the fault that caused the
    /// change, if any. The other seats are notified at once, or with the next event if the fault is
    /// secret.
    pub(crate) fn notify_seat_change(&mut self, about: Seat, fault: Option<FaultReason>) {
        let is_secret = fault.is_some() && self.is_secret_who_decided();
        let player = &mut self.players[about.index()];
        if is_secret {
            player.withheld = fault;
            return;
        }
        match fault {
            Some(_) => player.publish(),
            None => player.publish_stream(),
        }
        self.public_changes += 1;
        self.notify_others(about, fault);
    }

    /// Makes all seats' current states public. Called when an event occurs or the match ends.
    pub(crate) fn publish(&mut self) {
        self.public_decisions = self.decisions;
        self.public_changes += 1;
        for seat in self.rules.seats.seats() {
            let player = &mut self.players[seat.index()];
            if let Some(fault) = player.withheld {
                player.publish();
                self.notify_others(seat, Some(fault));
            }
        }
    }

    /// Sends a seat's public state to every other seat. Sends nothing before the start, because the
    /// start message contains all seats' states.
    fn notify_others(&mut self, about: Seat, fault: Option<FaultReason>) {
        if self.phase != MatchPhase::Running {
            return;
        }
        let status = Arc::new(SeatStatus {
            info: self.players[about.index()].public_info.clone(),
            reason: fault,
        });
        for player in self.players.iter_mut().filter(|player| player.info.seat != about) {
            if player.is_reachable() {
                let message = SeatMessage::SeatStatus(Arc::clone(&status));
                let sequence = player.outbox.push(&message);
                self.out.push(Output::send(player.info.seat, sequence, message));
            } else if player.forfeit.is_none() {
                player.outbox.defer_change(about, fault);
            }
        }
    }

    /// Returns the part of a seat's state that the receiver may see: the full state of its own
    /// seat, and the public state of any other.
    pub(crate) fn info_for(&self, to: Seat, about: Seat) -> &SeatInfo {
        let player = &self.players[about.index()];
        if to == about { &player.info } else { &player.public_info }
    }

    /// Builds the message about a seat for a receiver.
    pub(crate) fn status_for(
        &self,
        to: Seat,
        about: Seat,
        reason: Option<FaultReason>,
    ) -> Arc<SeatStatus> {
        Arc::new(SeatStatus { info: self.info_for(to, about).clone(), reason })
    }
}
