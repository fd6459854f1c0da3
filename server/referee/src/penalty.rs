//! What faults do: strikes, substitutes, forfeits.

use bridgemaster_games::{Game, Seat};

use crate::{
    CloseReason, Fault, FaultAction, FaultReason, MAX_FAULTS_KEPT, MatchPhase, Output, RecordEntry,
    Referee, SeatMessage, SeatState,
};

/// Useless messages of a seat since its last accepted answer at which it commits
/// [`FaultReason::Flood`]: far above what a bot sends that stumbles over a reconnect, and few
/// enough to cost nothing. Useless are answers that are refused without penalty or repeated,
/// messages that nobody asked for, and each new stream while the match runs.
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
        let request_id = self.chairs[seat.index()].open_request_id();
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
        let chair = &mut self.chairs[seat.index()];
        let mut action = policy.action(reason);
        if action == FaultAction::Strike {
            chair.info.strikes += 1;
            if chair.info.strikes >= policy.strikes_to_forfeit {
                action = FaultAction::Forfeit;
            }
        }
        chair.fault_count = chair.fault_count.saturating_add(1);
        if chair.faults.len() < MAX_FAULTS_KEPT || action == FaultAction::Forfeit {
            let fault = Fault {
                reason,
                action,
                request_id,
                at_ms,
                detail,
            };
            chair.faults.push(fault.clone());
            self.record(RecordEntry::Fault { seat, fault }, out);
        }
        action
    }

    /// Lets a seat pay for a fault. The seat is told at once of one that costs more than a refusal,
    /// the others when they may know it.
    pub(crate) fn enact(
        &mut self,
        seat: Seat,
        reason: FaultReason,
        cost: FaultAction,
        out: &mut Vec<Output<G>>,
    ) {
        let chair = &mut self.chairs[seat.index()];
        let can_hear = chair.can_hear();
        let is_away = matches!(
            reason,
            FaultReason::Disconnected | FaultReason::NeverConnected
        );
        match cost {
            FaultAction::Refuse => return,
            FaultAction::Strike | FaultAction::Substitute => chair.absent |= is_away,
            FaultAction::Forfeit => {
                chair.forfeit = Some(reason);
                chair.info.state = SeatState::Forfeited;
                self.log.leave(seat.index());
            }
        }
        if can_hear && self.phase == MatchPhase::Running {
            let status = self.status_for(seat, seat, Some(reason));
            self.send(seat, SeatMessage::SeatStatus(status), out);
        } else if cost != FaultAction::Forfeit {
            self.chairs[seat.index()]
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

    /// The time of the open request ran out. Without a stream that is why.
    pub(crate) fn clock_ran_out(&mut self, seat: Seat, out: &mut Vec<Output<G>>) {
        let chair = &self.chairs[seat.index()];
        let (allowance_ms, lag_ms) = chair.open.as_ref().map_or((0, 0), |open| {
            (open.timer.allowance_ms(), open.timer.lag_ms())
        });
        let (reason, mut detail) = if chair.is_connected() {
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
        let chair = &mut self.chairs[seat.index()];
        if chair.forfeit.is_some() {
            return;
        }
        chair.useless_messages += 1;
        if chair.useless_messages >= MAX_USELESS_MESSAGES {
            let detail = format!("{MAX_USELESS_MESSAGES} messages that answered nothing");
            self.flood(seat, detail, out);
        }
    }

    pub(crate) fn flood(&mut self, seat: Seat, detail: String, out: &mut Vec<Output<G>>) {
        self.chairs[seat.index()].useless_messages = 0;
        self.penalise(seat, FaultReason::Flood, detail, out);
    }

    pub(crate) fn garbage(&mut self, seat: Seat, detail: String, out: &mut Vec<Output<G>>) {
        self.penalise(seat, FaultReason::Garbage, detail, out);
        if self.chairs[seat.index()].is_connected() {
            out.push(Output::Close {
                seat,
                reason: CloseReason::Garbage,
            });
            self.disconnected(seat, out);
        }
    }
}
