//! Consequences of faults: strikes, substitutions, forfeits.

use bridgemaster_games::{Game, Seat};

use crate::{
    CloseReason, Fault, FaultAction, FaultReason, MAX_RECORDED_FAULTS, MatchPhase, Output,
    RecordEntry, Referee, SeatMessage, SeatState,
};

/// The number of useless messages at which a seat commits [`FaultReason::Flood`]. The count
/// restarts with each accepted answer. Useless messages are answers that are repeated or rejected
/// without penalty, unsolicited messages, and new streams while the match runs. The limit is far
/// above the number that a bot sends by accident around a reconnect, and this few messages cost the
/// server almost nothing.
pub const MAX_USELESS_MESSAGES: u32 = 100;

impl<G: Game> Referee<G> {
    /// Records a fault that concerns the seat's open request, if there is one, and applies its
    /// cost.
    pub(crate) fn penalise(&mut self, seat: Seat, reason: FaultReason, detail: String) {
        let request_id = self.players[seat.index()].open_request_id();
        let cost = self.assess(seat, reason, request_id, detail);
        self.enact(seat, reason, cost);
    }

    /// Counts and records a fault, and returns its cost.
    pub(crate) fn assess(
        &mut self,
        seat: Seat,
        reason: FaultReason,
        request_id: u32,
        detail: String,
    ) -> FaultAction {
        let at_ms = self.at_ms();
        let policy = &self.rules.faults;
        let player = &mut self.players[seat.index()];
        let action = policy.cost(reason, &mut player.info.strikes);
        player.fault_count = player.fault_count.saturating_add(1);
        if player.faults.len() < MAX_RECORDED_FAULTS || action == FaultAction::Forfeit {
            let fault = Fault { reason, action, request_id, at_ms, detail };
            player.faults.push(fault.clone());
            self.record(RecordEntry::Fault { seat, fault });
        }
        action
    }

    /// Applies the cost of a fault. If it is more than a rejection, the seat is notified at once.
    /// The other seats are notified once the fault is public.
    pub(crate) fn enact(&mut self, seat: Seat, reason: FaultReason, cost: FaultAction) {
        let player = &mut self.players[seat.index()];
        let is_reachable = player.is_reachable();
        let is_away = matches!(reason, FaultReason::Disconnected | FaultReason::NeverConnected);
        match cost {
            FaultAction::Refuse => return,
            FaultAction::Strike | FaultAction::Substitute => player.absent |= is_away,
            FaultAction::Forfeit => {
                player.forfeit = Some(reason);
                player.info.state = SeatState::Forfeited;
                self.log.remove_seat(seat.index());
            }
        }
        if is_reachable && self.phase == MatchPhase::Running {
            let status = self.status_for(seat, seat, Some(reason));
            self.send(seat, SeatMessage::SeatStatus(status));
        } else if cost != FaultAction::Forfeit {
            self.players[seat.index()].outbox.defer_change(seat, Some(reason));
        }
        self.notify_seat_change(seat, Some(reason));
        if is_reachable && cost == FaultAction::Forfeit {
            self.out.push(Output::close(seat, CloseReason::Forfeited(reason)));
        }
        let clock_runs_on = cost == FaultAction::Strike
            && matches!(reason, FaultReason::Illegal | FaultReason::Flood | FaultReason::Garbage);
        if !clock_runs_on {
            self.substitute(seat);
        }
    }

    /// Handles the timeout of the open request. The fault is a late answer, or a disconnect if the
    /// seat has no stream.
    pub(crate) fn clock_ran_out(&mut self, seat: Seat) {
        let player = &self.players[seat.index()];
        let (allowance_ms, lag_ms) = player
            .open
            .as_ref()
            .map_or((0, 0), |open| (open.timer.allowance_ms(), open.timer.lag_ms()));
        let (reason, mut detail) = if player.is_connected() {
            let detail = format!("no legal answer within {allowance_ms} ms");
            (FaultReason::Late, detail)
        } else {
            let detail = format!("the seat had no stream when the {allowance_ms} ms expired");
            (FaultReason::Disconnected, detail)
        };
        if lag_ms > 0 {
            detail.push_str(&format!(", not counting {lag_ms} ms of the referee's own lag"));
        }
        self.penalise(seat, reason, detail);
    }

    /// Counts a useless message.
    pub(crate) fn count_useless_message(&mut self, seat: Seat) {
        let player = &mut self.players[seat.index()];
        if player.forfeit.is_some() {
            return;
        }
        player.useless_messages += 1;
        if player.useless_messages >= MAX_USELESS_MESSAGES {
            player.useless_messages = 0;
            let detail =
                format!("{MAX_USELESS_MESSAGES} useless messages since the last accepted answer");
            self.penalise(seat, FaultReason::Flood, detail);
        }
    }

    pub(crate) fn handle_garbage(&mut self, seat: Seat, detail: String) {
        self.penalise(seat, FaultReason::Garbage, detail);
        if self.players[seat.index()].is_connected() {
            self.out.push(Output::close(seat, CloseReason::Garbage));
            self.handle_disconnected(seat);
        }
    }
}
