//! Answers: accepted, ignored, or refused.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat};

use crate::{
    Answer, BadAnswerReason, Charge, DecidedBy, FaultAction, FaultReason, Output, Referee,
    Rejection, RejectionReason, SeatMessage, play::Decided,
};

/// What is wrong with an answer: the reason, the field below `Decision`, and the explanation.
struct Objection {
    reason: RejectionReason,
    field: String,
    detail: String,
}

impl Objection {
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
    pub(crate) fn answer(
        &mut self,
        seat: Seat,
        request_id: u32,
        (answer, note): (Answer<G::Decision>, String),
        out: &mut Vec<Output<G>>,
    ) {
        let player = &self.players[seat.index()];
        let Some(open) = player.open.as_ref().filter(|open| open.id == request_id) else {
            if player
                .answered
                .as_ref()
                .is_some_and(|last| *last == (request_id, answer))
            {
                return self.useless(seat, out);
            }
            return self.refuse_not_open(seat, request_id, out);
        };
        let legal = &open.question.legal;
        let (decision, field) = match &answer {
            Answer::Index(index) => match legal.get(*index as usize) {
                Some(decision) => (decision.clone(), "index"),
                None => {
                    let objection = Objection::index_out_of_range(*index, legal.len());
                    return self.refuse_illegal(seat, request_id, objection, out);
                }
            },
            Answer::Decision(decision) => (decision.clone(), "decision"),
        };
        let state = &mut self.state;
        let applied = self
            .log
            .record(|events| G::apply(state, seat, &decision, events));
        match applied {
            Ok(events) => {
                let charge = self.accept(seat, answer);
                let decided = Decided {
                    by: DecidedBy::Bot,
                    request_id,
                    charge,
                    events,
                    note: self.kept(seat, note),
                };
                self.decided(seat, decision, decided, out);
            }
            Err(refusal) => {
                let objection = Objection {
                    reason: RejectionReason::IllegalDecision,
                    field: field.to_owned(),
                    detail: refusal.to_string(),
                };
                self.refuse_illegal(seat, request_id, objection, out);
            }
        }
    }

    pub(crate) fn bad_answer(
        &mut self,
        seat: Seat,
        request_id: u32,
        reason: BadAnswerReason,
        (field, detail): (String, String),
        out: &mut Vec<Output<G>>,
    ) {
        match reason {
            BadAnswerReason::MalformedDecision => {
                if self.players[seat.index()].open_request_id() != request_id || request_id == 0 {
                    return self.refuse_not_open(seat, request_id, out);
                }
                let reason = RejectionReason::MalformedDecision;
                self.refuse_illegal(
                    seat,
                    request_id,
                    Objection {
                        reason,
                        field,
                        detail,
                    },
                    out,
                );
            }
        }
    }

    /// Closes the open request with this answer and stops the clock.
    fn accept(&mut self, seat: Seat, answer: Answer<G::Decision>) -> Option<Charge> {
        let player = &mut self.players[seat.index()];
        let open = player.open.take()?;
        let charge = player.clock.answered(&open.timer, self.now);
        player.answered = Some((open.id, answer));
        player.useless_messages = 0;
        if let Some(sequence) = open.sequence {
            player.outbox.acknowledge(sequence);
        }
        // The buffers of the question serve the next one, unless the shell still holds it.
        let mut answered = open.question;
        if let Some(question) = Arc::get_mut(&mut answered) {
            self.legal = std::mem::take(&mut question.legal);
            self.news = std::mem::take(&mut question.events);
            self.legal.clear();
            self.news.clear();
            self.spare = Some(answered);
        }
        Some(charge)
    }

    /// What is kept of the note of an answer that was accepted.
    fn kept(&mut self, seat: Seat, note: String) -> String {
        match self.players[seat.index()].note_room.take(note.len()) {
            true => note,
            false => String::new(),
        }
    }

    /// Refuses an answer to a request that is not open: no penalty.
    fn refuse_not_open(&mut self, seat: Seat, request_id: u32, out: &mut Vec<Output<G>>) {
        let last = self.players[seat.index()].last_request_id;
        let (reason, detail) = if (1..=last).contains(&request_id) {
            (
                RejectionReason::StaleRequest,
                format!("request {request_id} was decided already or is not open any more"),
            )
        } else {
            (
                RejectionReason::UnknownRequest,
                format!("no request {request_id} was asked; the last request is {last}"),
            )
        };
        let field = "request_id".to_owned();
        self.refuse_useless(
            seat,
            request_id,
            Objection {
                reason,
                field,
                detail,
            },
            out,
        );
    }

    /// Refuses an answer without penalty; it counts as a useless message.
    fn refuse_useless(
        &mut self,
        seat: Seat,
        request_id: u32,
        objection: Objection,
        out: &mut Vec<Output<G>>,
    ) {
        let open_request_id = self.players[seat.index()].open_request_id();
        self.reject(seat, request_id, objection, open_request_id, out);
        self.useless(seat, out);
    }

    /// Refuses an answer to the open request, which is a fault.
    fn refuse_illegal(
        &mut self,
        seat: Seat,
        request_id: u32,
        objection: Objection,
        out: &mut Vec<Output<G>>,
    ) {
        let reason = FaultReason::Illegal;
        let cost = self.assess(seat, reason, request_id, objection.detail.clone(), out);
        let open_request_id = match cost {
            FaultAction::Refuse | FaultAction::Strike => request_id,
            FaultAction::Substitute | FaultAction::Forfeit => 0,
        };
        self.reject(seat, request_id, objection, open_request_id, out);
        self.enact(seat, reason, cost, out);
        if cost == FaultAction::Refuse {
            self.useless(seat, out);
        }
    }

    fn reject(
        &mut self,
        seat: Seat,
        request_id: u32,
        objection: Objection,
        open_request_id: u32,
        out: &mut Vec<Output<G>>,
    ) {
        let rejection = Rejection {
            request_id,
            reason: objection.reason,
            field: objection.field,
            detail: objection.detail,
            open_request_id,
            strikes: self.players[seat.index()].info.strikes,
        };
        self.send(seat, SeatMessage::Rejected(Arc::new(rejection)), out);
    }
}
