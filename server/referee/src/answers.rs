//! Handling of bots' answers. Each answer is accepted, ignored as a repetition, or rejected.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat};

use crate::{
    Answer, Charge, DecidedBy, FaultAction, FaultReason, Referee, Rejection, RejectionReason,
    SeatMessage, play::AppliedDecision,
};

/// The reason why an answer is rejected.
struct InvalidDecision {
    reason: RejectionReason,
    /// Path of the invalid field, relative to `Decision`.
    field: String,
    detail: String,
}

impl InvalidDecision {
    fn index_out_of_range(index: u32, legal: usize) -> Self {
        Self {
            reason: RejectionReason::IndexOutOfRange,
            field: "index".to_owned(),
            detail: format!(
                "index {index} is out of range; the legal list has 0 to {}",
                legal.saturating_sub(1)
            ),
        }
    }
}

impl<G: Game> Referee<G> {
    pub(crate) fn handle_answer(
        &mut self,
        seat: Seat,
        request_id: u32,
        (answer, note): (Answer<G::Decision>, String),
    ) {
        let player = &self.players[seat.index()];
        let Some(open) = player.open.as_ref().filter(|open| open.id == request_id) else {
            if player.answered.as_ref().is_some_and(|last| *last == (request_id, answer)) {
                return self.count_useless_message(seat);
            }
            return self.refuse_not_open(seat, request_id);
        };
        let legal = &open.content.legal;
        let (decision, field) = match &answer {
            Answer::Index(index) => match legal.get(*index as usize) {
                Some(decision) => (decision.clone(), "index"),
                None => {
                    let invalid = InvalidDecision::index_out_of_range(*index, legal.len());
                    return self.refuse_illegal(seat, request_id, invalid);
                }
            },
            Answer::Decision(decision) => (decision.clone(), "decision"),
        };
        let state = &mut self.state;
        let applied = self.log.record(|events| G::apply(state, seat, &decision, events));
        match applied {
            Ok(events) => {
                let charge = self.accept(seat, answer);
                let decided = AppliedDecision {
                    by: DecidedBy::Bot,
                    request_id,
                    charge,
                    events,
                    note: self.fit_note(seat, note),
                };
                self.record_decision(seat, decision, decided);
            }
            Err(refusal) => {
                let invalid = InvalidDecision {
                    reason: RejectionReason::IllegalDecision,
                    field: field.to_owned(),
                    detail: refusal.to_string(),
                };
                self.refuse_illegal(seat, request_id, invalid);
            }
        }
    }

    /// Handles an answer that could not be decoded. This is a fault if it answers the open request.
    pub(crate) fn handle_bad_answer(
        &mut self,
        seat: Seat,
        request_id: u32,
        (field, detail): (String, String),
    ) {
        if self.players[seat.index()].open_request_id() != request_id || request_id == 0 {
            return self.refuse_not_open(seat, request_id);
        }
        let invalid = InvalidDecision { reason: RejectionReason::MalformedDecision, field, detail };
        self.refuse_illegal(seat, request_id, invalid);
    }

    /// Closes the open request with this answer, stops the clock and returns the charge.
    fn accept(&mut self, seat: Seat, answer: Answer<G::Decision>) -> Option<Charge> {
        let player = &mut self.players[seat.index()];
        let open = player.open.take()?;
        let charge = player.clock.charge_answer(&open.timer, self.now);
        player.answered = Some((open.id, answer));
        player.useless_messages = 0;
        if let Some(sequence) = open.sequence {
            player.outbox.acknowledge(sequence);
        }
        // The next request reuses these buffers, unless the shell is still using them.
        let mut answered = open.content;
        if let Some(content) = Arc::get_mut(&mut answered) {
            self.legal_buffer = std::mem::take(&mut content.legal);
            self.event_buffer = std::mem::take(&mut content.events);
            self.legal_buffer.clear();
            self.event_buffer.clear();
            self.content_buffer = Some(answered);
        }
        Some(charge)
    }

    /// Returns the note if it fits the seat's budget, and an empty note otherwise.
    fn fit_note(&mut self, seat: Seat, note: String) -> String {
        if self.players[seat.index()].note_budget.take(note.len()) { note } else { String::new() }
    }

    /// Rejects an answer to a request that is not open. There is no penalty.
    fn refuse_not_open(&mut self, seat: Seat, request_id: u32) {
        let last = self.players[seat.index()].last_request_id;
        let (reason, detail) = if (1..=last).contains(&request_id) {
            (
                RejectionReason::StaleRequest,
                format!("request {request_id} is not open: it was already answered or has expired"),
            )
        } else {
            (
                RejectionReason::UnknownRequest,
                format!("request {request_id} was never sent; the last request is {last}"),
            )
        };
        let field = "request_id".to_owned();
        self.refuse_useless(seat, request_id, InvalidDecision { reason, field, detail });
    }

    /// Rejects an answer without a penalty, and counts it as a useless message.
    fn refuse_useless(&mut self, seat: Seat, request_id: u32, invalid: InvalidDecision) {
        let open_request_id = self.players[seat.index()].open_request_id();
        self.reject(seat, request_id, invalid, open_request_id);
        self.count_useless_message(seat);
    }

    /// Rejects an answer to the open request, which is a fault.
    fn refuse_illegal(&mut self, seat: Seat, request_id: u32, invalid: InvalidDecision) {
        let reason = FaultReason::Illegal;
        let cost = self.assess(seat, reason, request_id, invalid.detail.clone());
        let open_request_id = match cost {
            FaultAction::Refuse | FaultAction::Strike => request_id,
            FaultAction::Substitute | FaultAction::Forfeit => 0,
        };
        self.reject(seat, request_id, invalid, open_request_id);
        self.enact(seat, reason, cost);
        if cost == FaultAction::Refuse {
            self.count_useless_message(seat);
        }
    }

    fn reject(
        &mut self,
        seat: Seat,
        request_id: u32,
        invalid: InvalidDecision,
        open_request_id: u32,
    ) {
        let rejection = Rejection {
            request_id,
            reason: invalid.reason,
            field: invalid.field,
            detail: invalid.detail,
            open_request_id,
            strikes: self.players[seat.index()].info.strikes,
        };
        self.send(seat, SeatMessage::Rejected(Arc::new(rejection)));
    }
}
