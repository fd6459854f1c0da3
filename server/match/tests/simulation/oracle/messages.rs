//! Checks of messages: they are numbered without a gap, resent unchanged, and correct.

use bridgemaster_games::{Game, MAX_SEATS, Seat};
use bridgemaster_referee::{
    CloseReason, DecisionRequest, MAX_RETAINED_MESSAGES, MatchPhase, Rejection, RejectionReason,
    SeatInfo, SeatMessage, SeatStatus,
};

use super::{Cause, Oracle, Step, Violation, require, timer::free_ms};

impl<G: Game> Oracle<G> {
    pub(super) fn message(
        &mut self,
        seat: Seat,
        sequence: u32,
        message: &SeatMessage<G>,
        step: &mut Step<G::Decision>,
    ) -> Result<(), Violation> {
        let is_cause = step.cause.seat() == Some(seat);
        if matches!(step.cause, Cause::Connected { .. }) && is_cause {
            self.take_effect(step);
        }
        let is_new = sequence as usize == self.models[seat.index()].sent.len() + 1;
        if is_new && matches!(message, SeatMessage::Request(_)) {
            self.request_decisions();
        }
        let model = &mut self.models[seat.index()];
        // A seat is notified of its own forfeit, and of the fault by which it left.
        let is_last_word = step.faults.iter().any(|(faulty, ..)| *faulty == seat);
        require!(
            model.is_connected || is_last_word || self.phase == MatchPhase::Ended,
            "a message to {seat}, which has no stream"
        );
        if is_cause {
            step.sent_to_cause += 1;
        }
        if is_new {
            model.sent.push(fingerprint(message));
        } else {
            let came = is_cause && matches!(step.cause, Cause::Connected { .. });
            let first = model.sent.get((sequence as usize).wrapping_sub(1));
            require!(
                came && first == Some(&fingerprint(message)),
                "{sequence} is sent to {seat} after {} messages: {}",
                model.sent.len(),
                fingerprint(message)
            );
            step.resent.push(sequence);
        }
        match message {
            SeatMessage::Request(request) => self.request(seat, sequence, request, is_new),
            SeatMessage::Rejected(rejection) if is_new => self.rejection(seat, rejection, step),
            SeatMessage::SeatStatus(status) => {
                if G::seats_to_decide(&self.state).is_empty() && G::outcome(&self.state).is_some() {
                    // The end of the game is the end of the match.
                    self.publish(step);
                }
                let model = &mut self.models[seat.index()];
                let Some(expected) = model.knows.get_mut(status.info.seat.index()) else {
                    return Err(Violation(format!(
                        "{seat} receives the status of others before the start"
                    )));
                };
                *expected = status.info.state;
                match is_new {
                    true => self.status(seat, status, step),
                    false => Ok(()),
                }
            }
            SeatMessage::Started(started) => {
                require!(started.seat == seat, "{seat} is sent seat {} as its own", started.seat);
                model.knows = started.seats.iter().map(|info| info.state).collect();
                let knows_nothing =
                    matches!(step.cause, Cause::Connected { last_sequence: None, .. });
                // A message that is resent unchanged contains the old states of the seats.
                if is_new || knows_nothing {
                    for info in &started.seats {
                        self.check_seat_info(seat, info)?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn request(
        &mut self,
        seat: Seat,
        sequence: u32,
        request: &DecisionRequest<G>,
        is_new: bool,
    ) -> Result<(), Violation> {
        let model = &mut self.models[seat.index()];
        let reading = model.reading(self.now);
        let rules = self.rules.clock_of(seat);
        require!(
            request.clock.decision_left_ms <= rules.time_control.cap_ms()
                && request.clock.decision_left_ms
                    <= request.clock.bank_left_ms + free_ms(&rules.time_control),
            "{:?} allows more time than is left",
            request.clock
        );
        let Some(open) = model.open.as_mut().filter(|open| open.id == request.request_id) else {
            require!(
                !is_new && request.clock.decision_left_ms == 0,
                "request {} of {seat} is sent, but is not open",
                request.request_id
            );
            return Ok(());
        };
        require!(
            request.clock == reading,
            "{seat} is sent the clock {:?}; expected {reading:?}",
            request.clock
        );
        let content = &*request.content;
        require!(
            content.observation == open.observation && content.legal == open.legal,
            "request {} of {seat} shows another position",
            open.id
        );
        require!(
            content.events == open.events,
            "request {} of {seat} does not have the events since the previous request",
            open.id
        );
        if is_new {
            require!(open.sequence.is_none(), "request {} has two numbers", open.id);
            open.sequence = Some(sequence);
        }
        Ok(())
    }

    fn rejection(
        &mut self,
        seat: Seat,
        rejection: &Rejection,
        step: &mut Step<G::Decision>,
    ) -> Result<(), Violation> {
        require!(
            step.cause.seat() == Some(seat) && !step.rejected && !step.accepted,
            "{seat} gets a rejection without an answer"
        );
        step.rejected = true;
        if !matches!(
            rejection.reason,
            RejectionReason::StaleRequest | RejectionReason::UnknownRequest
        ) {
            self.unrecorded_fault(seat, step);
        }
        let model = &self.models[seat.index()];
        let id = match &step.cause {
            Cause::Answer(_, id, ..) | Cause::BadAnswer(_, id) => *id,
            other => return Err(Violation(format!("{other:?} is refused"))),
        };
        // A substitution or a forfeit closes the request together with the rejection.
        let stays_open = model.open_id() == rejection.open_request_id
            || rejection.open_request_id == 0 && !step.faults.is_empty();
        require!(
            rejection.request_id == id && stays_open,
            "the rejection of {id} names {} and the open request {}",
            rejection.request_id,
            rejection.open_request_id
        );
        require!(
            rejection.strikes == model.strikes,
            "{} strikes are reported; expected {}",
            rejection.strikes,
            model.strikes
        );
        let is_open = id != 0 && model.open_id() == id;
        let was_asked = (1..=model.last_request).contains(&id);
        let is_true = match rejection.reason {
            RejectionReason::StaleRequest => !is_open && was_asked,
            RejectionReason::UnknownRequest => !is_open && !was_asked,
            RejectionReason::IndexOutOfRange => {
                matches!(
                    &step.cause,
                    Cause::Answer(_, _, bridgemaster_referee::Answer::Index(_), _)
                ) && self.is_illegal(&step.cause)
            }
            RejectionReason::IllegalDecision => {
                matches!(&step.cause, Cause::Answer(..)) && self.is_illegal(&step.cause)
            }
            RejectionReason::MalformedDecision => {
                matches!(&step.cause, Cause::BadAnswer(..)) && self.is_illegal(&step.cause)
            }
        };
        require!(is_true, "{:?} is a wrong reason to reject {:?}", rejection.reason, step.cause);
        Ok(())
    }

    fn status(
        &mut self,
        to: Seat,
        status: &SeatStatus,
        step: &mut Step<G::Decision>,
    ) -> Result<(), Violation> {
        let about = status.info.seat;
        if status.reason.is_none() && step.cause.seat() == Some(about) {
            self.take_effect(step);
        }
        let model = &self.models[about.index()];
        let fault = match to == about {
            true => model.last_fault,
            false => {
                step.notified_of_others.push(to);
                model.public_fault
            }
        };
        require!(
            status.reason.is_none() || status.reason == fault || model.has_uncounted_faults(),
            "{to} is notified that {about} committed {:?}; expected {fault:?}",
            status.reason
        );
        self.check_seat_info(to, &status.info)
    }

    /// Checks the state of a seat in a message: the full state for the seat itself, and the public
    /// part for others.
    fn check_seat_info(&self, to: Seat, info: &SeatInfo) -> Result<(), Violation> {
        let model = &self.models[info.seat.index()];
        let expected = match to == info.seat {
            true => model.own(),
            false => model.public.clone(),
        };
        require!(
            (info.state, &info.bot, info.strikes)
                == (expected.state, &expected.bot, expected.strikes)
                || model.has_uncounted_faults(),
            "{to} is sent {info:?}; expected {expected:?}"
        );
        Ok(())
    }

    pub(super) fn close(
        &mut self,
        seat: Seat,
        reason: CloseReason,
        step: &mut Step<G::Decision>,
    ) -> Result<(), Violation> {
        let model = &self.models[seat.index()];
        let is_true = match reason {
            CloseReason::MatchEnded => G::seats_to_decide(&self.state).is_empty(),
            CloseReason::Forfeited(fault) => model.forfeit == Some(fault),
            CloseReason::Garbage => matches!(step.cause, Cause::Garbage(faulty) if faulty == seat),
            CloseReason::Cancelled => matches!(step.cause, Cause::Cancelled),
        };
        require!(is_true, "the stream of {seat} is closed with the wrong reason {reason:?}");
        Ok(())
    }

    /// Checks the messages to a bot that reconnects: all that it has missed, or the start and the
    /// open request.
    pub(super) fn resumed(&self, step: &Step<G::Decision>) -> Result<(), Violation> {
        let Cause::Connected { seat, last_sequence, .. } = &step.cause else {
            return Ok(());
        };
        require!(
            step.sent_to_cause as usize <= MAX_RETAINED_MESSAGES + MAX_SEATS + 2,
            "{seat} was not sent {} messages that it had missed",
            step.sent_to_cause
        );
        let model = &self.models[seat.index()];
        // Messages that are new in this step are checked like all new messages.
        let sent = model.sent.len() as u32 - (step.sent_to_cause - step.resent.len() as u32);
        match last_sequence {
            Some(last) if self.has_started(*seat, sent) && model.retains(*last, sent) => {
                let missed: Vec<u32> = (*last + 1..=sent).collect();
                require!(
                    model.forfeit.is_some() || step.resent == missed,
                    "{seat} has received {last} of {sent} messages, but is sent {:?} again",
                    step.resent
                );
            }
            _ => {
                require!(
                    step.resent.is_sorted() && step.resent.len() <= 3,
                    "{seat} starts over, but is sent {:?} again",
                    step.resent
                );
            }
        }
        Ok(())
    }

    /// Returns whether the start of the match is among the messages up to this number.
    fn has_started(&self, seat: Seat, up_to: u32) -> bool {
        let sent = &self.models[seat.index()].sent;
        sent.iter().take(up_to as usize).any(|sent| sent == "started")
    }
}

/// Removes the parts of a message that may differ when it is resent.
fn fingerprint<G: Game>(message: &SeatMessage<G>) -> String {
    match message {
        SeatMessage::Started(_) => "started".to_owned(),
        SeatMessage::Request(request) => format!(
            "request {} with {} decisions and {} events",
            request.request_id,
            request.content.legal.len(),
            request.content.events.len()
        ),
        SeatMessage::Rejected(rejection) => format!("{rejection:?}"),
        SeatMessage::SeatStatus(status) => format!("{status:?}"),
        SeatMessage::Ended(result) => format!("ended after {} decisions", result.decisions),
    }
}
