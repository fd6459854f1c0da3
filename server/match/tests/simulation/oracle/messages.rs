//! Messages: numbered without a gap, sent again as they were, and true.

use bridgemaster_games::{Game, MAX_SEATS, Seat};
use bridgemaster_referee::{
    CloseReason, DecisionRequest, MAX_MESSAGES_KEPT, MatchPhase, Rejection, RejectionReason,
    SeatInfo, SeatMessage, SeatStatus,
};

use super::{Cause, Oracle, Step, Violation, demand};

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
            self.ask_who_owes();
        }
        let model = &mut self.models[seat.index()];
        // A seat hears of its own forfeit, and of the fault that it left by.
        let is_last_word = step.faults.iter().any(|(faulty, ..)| *faulty == seat);
        demand!(
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
            demand!(
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
                if G::owing(&self.state).is_empty() && G::outcome(&self.state).is_some() {
                    // The game is over, and the match with it.
                    self.publish(step);
                }
                let model = &mut self.models[seat.index()];
                let Some(known) = model.knows.get_mut(status.info.seat.index()) else {
                    return Err(Violation(format!(
                        "{seat} hears of others before the start"
                    )));
                };
                *known = status.info.state;
                match is_new {
                    true => self.status(seat, status, step),
                    false => Ok(()),
                }
            }
            SeatMessage::Started(started) => {
                demand!(
                    started.seat == seat,
                    "{seat} is told to be {}",
                    started.seat
                );
                model.knows = started.seats.iter().map(|info| info.state).collect();
                let knows_nothing = matches!(
                    step.cause,
                    Cause::Connected {
                        last_sequence: None,
                        ..
                    }
                );
                // One that is sent again as it was tells of the seats as they were.
                if is_new || knows_nothing {
                    for info in &started.seats {
                        self.may_be_told(seat, info)?;
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
        demand!(
            request.clock.decision_left_ms <= rules.cap_ms
                && request.clock.decision_left_ms <= request.clock.bank_left_ms,
            "{:?} gives more time than there is",
            request.clock
        );
        let Some(open) = model
            .open
            .as_mut()
            .filter(|open| open.id == request.request_id)
        else {
            demand!(
                !is_new && request.clock.decision_left_ms == 0,
                "request {} of {seat} is sent and is not open",
                request.request_id
            );
            return Ok(());
        };
        demand!(
            request.clock == reading,
            "{seat} is told {:?}, and it is {reading:?}",
            request.clock
        );
        let question = &*request.question;
        demand!(
            question.observation == open.observation && question.legal == open.legal,
            "request {} of {seat} shows another position",
            open.id
        );
        demand!(
            question.events == open.events,
            "request {} of {seat} tells other events than happened since the last",
            open.id
        );
        if is_new {
            demand!(
                open.sequence.is_none(),
                "request {} has two numbers",
                open.id
            );
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
        demand!(
            step.cause.seat() == Some(seat) && !step.rejected && !step.accepted,
            "{seat} is refused what it did not send"
        );
        step.rejected = true;
        if !matches!(
            rejection.reason,
            RejectionReason::StaleRequest | RejectionReason::UnknownRequest
        ) {
            self.fault_beyond_those_kept(seat, step);
        }
        let model = &self.models[seat.index()];
        let id = match &step.cause {
            Cause::Answer(_, id, ..) | Cause::BadAnswer(_, id, _) => *id,
            other => return Err(Violation(format!("{other:?} is refused"))),
        };
        // A substitute or a forfeit closes the request with the refusal.
        let stays_open = model.open_id() == rejection.open_request_id
            || rejection.open_request_id == 0 && !step.faults.is_empty();
        demand!(
            rejection.request_id == id && stays_open,
            "the refusal of {id} names {} and the open request {}",
            rejection.request_id,
            rejection.open_request_id
        );
        demand!(
            rejection.strikes == model.strikes,
            "{} strikes are told, not {}",
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
        demand!(
            is_true,
            "{:?} is not why {:?} is refused",
            rejection.reason,
            step.cause
        );
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
                step.told_of_others.push(to);
                model.public_fault
            }
        };
        demand!(
            status.reason.is_none() || status.reason == fault || model.has_uncounted_faults(),
            "{to} is told that {about} committed {:?}, and it may know of {fault:?}",
            status.reason
        );
        self.may_be_told(to, &status.info)
    }

    /// What a seat is told of another one is what everybody may know of it; of itself it knows all.
    fn may_be_told(&self, to: Seat, info: &SeatInfo) -> Result<(), Violation> {
        let model = &self.models[info.seat.index()];
        let known = match to == info.seat {
            true => model.own(),
            false => model.public.clone(),
        };
        demand!(
            (info.state, &info.bot, info.strikes) == (known.state, &known.bot, known.strikes)
                || model.has_uncounted_faults(),
            "{to} is told {info:?}, and it may know {known:?}"
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
            CloseReason::MatchEnded => G::owing(&self.state).is_empty(),
            CloseReason::Forfeited(fault) => model.forfeit == Some(fault),
            CloseReason::Garbage => matches!(step.cause, Cause::Garbage(faulty) if faulty == seat),
            CloseReason::Cancelled => matches!(step.cause, Cause::Cancelled),
        };
        demand!(is_true, "the stream of {seat} ends for {reason:?}");
        Ok(())
    }

    /// What a bot that connects again is sent: all that it missed, or the start and what is open.
    pub(super) fn resumed(&self, step: &Step<G::Decision>) -> Result<(), Violation> {
        let Cause::Connected {
            seat,
            last_sequence,
            ..
        } = &step.cause
        else {
            return Ok(());
        };
        demand!(
            step.sent_to_cause as usize <= MAX_MESSAGES_KEPT + MAX_SEATS + 2,
            "{} messages wait for {seat}",
            step.sent_to_cause
        );
        let model = &self.models[seat.index()];
        // Numbers that were new in this step are checked as all new ones are.
        let sent = model.sent.len() as u32 - (step.sent_to_cause - step.resent.len() as u32);
        let is_kept = |last: u32| {
            last <= sent
                && last >= model.acknowledged
                && (sent - last) as usize <= MAX_MESSAGES_KEPT
        };
        match last_sequence {
            Some(last) if self.has_started(*seat, sent) && is_kept(*last) => {
                let missed: Vec<u32> = (*last + 1..=sent).collect();
                demand!(
                    model.forfeit.is_some() || step.resent == missed,
                    "{seat} has {last} of {sent} and is sent {:?} again",
                    step.resent
                );
            }
            _ => {
                demand!(
                    step.resent.is_sorted() && step.resent.len() <= 3,
                    "{seat} knows nothing and is sent {:?} again",
                    step.resent
                );
            }
        }
        Ok(())
    }

    /// The start is among the messages up to a number.
    fn has_started(&self, seat: Seat, up_to: u32) -> bool {
        let sent = &self.models[seat.index()].sent;
        sent.iter()
            .take(up_to as usize)
            .any(|sent| sent == "started")
    }
}

/// A message without what may differ when it is sent again.
fn fingerprint<G: Game>(message: &SeatMessage<G>) -> String {
    match message {
        SeatMessage::Started(_) => "started".to_owned(),
        SeatMessage::Request(request) => format!(
            "request {} with {} decisions and {} events",
            request.request_id,
            request.question.legal.len(),
            request.question.events.len()
        ),
        SeatMessage::Rejected(rejection) => format!("{rejection:?}"),
        SeatMessage::SeatStatus(status) => format!("{status:?}"),
        SeatMessage::Ended(result) => format!("ended after {} decisions", result.decisions),
    }
}
