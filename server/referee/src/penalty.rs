//! What faults do: strikes, substitutes, forfeits.

use bridgemaster_games::{Game, Seat};

use crate::{
    CloseReason, Fault, FaultAction, FaultReason, MAX_FAULTS_KEPT, MatchPhase, Output, RecordEntry,
    Referee, SeatMessage, SeatState,
};

/// Useless messages since a seat's last accepted answer at which it commits [`FaultReason::Flood`].
/// Useless are answers that are refused without penalty or repeated, unsolicited messages, and each
/// new stream while the match runs. The limit is far above what a bot sends that stumbles over a
/// reconnect, and low enough to cost the server nothing.
pub const MAX_USELESS_MESSAGES: u32 = 100;

impl<G: Game> Referee<G> {
    /// A seat commits a fault that concerns its open request, if there is one.
    pub(crate) fn penalise(
        &mut self,
        seat: Seat,
        reason: FaultReason,
        detail: String,
        out: &mut Vec<Output<G>>,
    ) {
        let request_id = self.players[seat.index()].open_request_id();
        let cost = self.assess(seat, reason, request_id, detail, out);
        self.enact(seat, reason, cost, out);
    }

    /// Counts and records a fault, and tells what it costs.
    pub(crate) fn assess(
        &mut self,
        seat: Seat,
        reason: FaultReason,
        request_id: u32,
        detail: String,
        out: &mut Vec<Output<G>>,
    ) -> FaultAction {
        let at_ms = self.at_ms();
        let policy = &self.rules.faults;
        let player = &mut self.players[seat.index()];
        let action = policy.cost(reason, &mut player.info.strikes);
        player.fault_count = player.fault_count.saturating_add(1);
        if player.faults.len() < MAX_FAULTS_KEPT || action == FaultAction::Forfeit {
            let fault = Fault {
                reason,
                action,
                request_id,
                at_ms,
                detail,
            };
            player.faults.push(fault.clone());
            self.record(RecordEntry::Fault { seat, fault }, out);
        }
        action
    }

    /// Applies the cost of a fault. The seat is told at once if it costs more than a refusal; the
    /// others when they may know it.
    pub(crate) fn enact(
        &mut self,
        seat: Seat,
        reason: FaultReason,
        cost: FaultAction,
        out: &mut Vec<Output<G>>,
    ) {
        let player = &mut self.players[seat.index()];
        let can_hear = player.can_hear();
        let is_away = matches!(
            reason,
            FaultReason::Disconnected | FaultReason::NeverConnected
        );
        match cost {
            FaultAction::Refuse => return,
            FaultAction::Strike | FaultAction::Substitute => player.absent |= is_away,
            FaultAction::Forfeit => {
                player.forfeit = Some(reason);
                player.info.state = SeatState::Forfeited;
                self.log.leave(seat.index());
            }
        }
        if can_hear && self.phase == MatchPhase::Running {
            let status = self.status_for(seat, seat, Some(reason));
            self.send(seat, SeatMessage::SeatStatus(status), out);
        } else if cost != FaultAction::Forfeit {
            self.players[seat.index()]
                .outbox
                .note_change(seat, Some(reason));
        }
        self.seat_changed(seat, Some(reason), out);
        if can_hear && cost == FaultAction::Forfeit {
            out.push(Output::Close {
                seat,
                reason: CloseReason::Forfeited(reason),
            });
        }
        let clock_runs_on = cost == FaultAction::Strike
            && matches!(
                reason,
                FaultReason::Illegal | FaultReason::Flood | FaultReason::Garbage
            );
        if !clock_runs_on {
            self.substitute(seat, out);
        }
    }

    /// The time of the open request is over: the fault is a lost stream if there is none, else
    /// lateness.
    pub(crate) fn clock_ran_out(&mut self, seat: Seat, out: &mut Vec<Output<G>>) {
        let player = &self.players[seat.index()];
        let (allowance_ms, lag_ms) = player.open.as_ref().map_or((0, 0), |open| {
            (open.timer.allowance_ms(), open.timer.lag_ms())
        });
        let (reason, mut detail) = if player.is_connected() {
            let detail = format!("no legal answer within {allowance_ms} ms");
            (FaultReason::Late, detail)
        } else {
            let detail = format!("the stream was lost when the {allowance_ms} ms ran out");
            (FaultReason::Disconnected, detail)
        };
        if lag_ms > 0 {
            detail.push_str(&format!(
                ", not counting {lag_ms} ms of the referee's own lag"
            ));
        }
        self.penalise(seat, reason, detail, out);
    }

    /// Counts a message that answered nothing.
    pub(crate) fn useless(&mut self, seat: Seat, out: &mut Vec<Output<G>>) {
        let player = &mut self.players[seat.index()];
        if player.forfeit.is_some() {
            return;
        }
        player.useless_messages += 1;
        if player.useless_messages >= MAX_USELESS_MESSAGES {
            player.useless_messages = 0;
            let detail = format!("{MAX_USELESS_MESSAGES} messages that answered nothing");
            self.penalise(seat, FaultReason::Flood, detail, out);
        }
    }

    pub(crate) fn garbage(&mut self, seat: Seat, detail: String, out: &mut Vec<Output<G>>) {
        self.penalise(seat, FaultReason::Garbage, detail, out);
        if self.players[seat.index()].is_connected() {
            out.push(Output::Close {
                seat,
                reason: CloseReason::Garbage,
            });
            self.disconnected(seat, out);
        }
    }
}
