//! Records: they replay to the same states, and each has a cause.

use bridgemaster_games::{Game, LegalList, Seat};
use bridgemaster_referee::{
    Answer, ChanceRecord, DecidedBy, DecisionRecord, Fault, FaultAction, FaultReason, HousePolicy,
    MAX_RECORDED_FAULTS, MAX_USELESS_MESSAGES, MatchPhase, Record, RecordEntry, SeatInfo,
    SeatState,
};

use super::{Cause, Due, Oracle, Step, Violation, require};

impl<G: Game> Oracle<G> {
    pub(super) fn record(
        &mut self,
        record: &Record<G>,
        step: &mut Step<G::Decision>,
    ) -> Result<(), Violation> {
        require!(self.ends == 0, "a record after the end");
        require!(
            record.number == self.records,
            "record {} after {} records",
            record.number,
            self.records
        );
        self.records += 1;
        let at_ms = self.at_ms();
        require!(record.at_ms == at_ms, "a record at {} ms, not {at_ms} ms", record.at_ms);
        match &record.entry {
            RecordEntry::Decision(record) => self.decision(record, step),
            RecordEntry::Chance(record) => self.chance(record, step),
            RecordEntry::Fault { seat, fault } => self.fault(*seat, fault, step),
            RecordEntry::Seat(info) => self.seat(info, step),
        }
    }

    pub(super) fn at_ms(&self) -> u64 {
        self.started_at.map_or(0, |started_at| self.now.us_since(started_at) / 1000)
    }

    fn decision(
        &mut self,
        record: &DecisionRecord<G>,
        step: &mut Step<G::Decision>,
    ) -> Result<(), Violation> {
        self.request_decisions();
        require!(
            self.phase == MatchPhase::Running && G::chance_due(&self.state).is_none(),
            "a decision is recorded while no decision is due"
        );
        let seat = record.seat;
        match record.decided_by {
            DecidedBy::Bot => self.check_decision_by_bot(record, step)?,
            DecidedBy::Referee => self.check_decision_by_referee(record)?,
            DecidedBy::House => self.check_decision_by_house(record, step)?,
            DecidedBy::Replay => {
                return Err(Violation(
                    "a decision of a fork, but no match here is a fork".to_owned(),
                ));
            }
        }
        require!(
            record.decided_by == DecidedBy::Bot || record.note.is_empty(),
            "a note without a bot"
        );
        let before = self.log.len();
        G::apply(&mut self.state, seat, &record.decision, &mut self.log)
            .map_err(|refusal| Violation(format!("{} is recorded: {refusal}", record.decision)))?;
        require!(
            self.log[before..] == record.events,
            "the events of {} are wrong",
            record.decision
        );
        require!(
            G::digest(&self.state) == record.digest,
            "the digest after {} is wrong",
            record.decision
        );
        self.decisions += 1;
        if !record.events.is_empty() {
            self.publish(step);
        }
        self.decided[seat.index()].push(format!(
            "{:?} for request {}: {}",
            record.decided_by, record.request_id, record.decision
        ));
        self.asks = true;
        Ok(())
    }

    fn check_decision_by_bot(
        &mut self,
        record: &DecisionRecord<G>,
        step: &mut Step<G::Decision>,
    ) -> Result<(), Violation> {
        let Cause::Answer(seat, request_id, answer, note) = &step.cause else {
            return Err(Violation(format!("{:?} made a decision", step.cause)));
        };
        let model = &mut self.models[seat.index()];
        let form = format!("{answer:?}");
        let Some(open) = model.open.as_ref().filter(|open| open.id == *request_id) else {
            return Err(Violation(format!(
                "request {request_id} of {seat} is decided, but is not open"
            )));
        };
        let answered = match answer {
            Answer::Index(index) => open.legal.get(*index as usize),
            Answer::Decision(decision) => Some(decision),
        };
        require!(
            (record.seat, record.request_id, Some(&record.decision))
                == (*seat, *request_id, answered),
            "{seat} answered {answer:?} to request {request_id}, but {} to request {} is recorded",
            record.decision,
            record.request_id
        );
        require!(!step.accepted, "two decisions for one answer");
        let deadline = open.time.deadline();
        require!(
            deadline.is_some_and(|deadline| self.now < deadline),
            "an answer is accepted at or after its deadline {deadline:?}"
        );
        step.accepted = true;
        model.answered = Some((*request_id, form));
        let charge = model.accept(self.now, &self.rules.clock_of(*seat));
        require!(
            record.charge == charge,
            "the answer is charged {:?}, not {charge:?}",
            record.charge
        );
        let part = 64 * 1024 / usize::from(self.rules.seats.get());
        let retained = model.accepts_note(note, part);
        require!(
            record.note == retained,
            "{1} of {0} bytes of the note are retained; expected {2}",
            note.len(),
            record.note.len(),
            retained.len()
        );
        Ok(())
    }

    fn check_decision_by_referee(&mut self, record: &DecisionRecord<G>) -> Result<(), Violation> {
        let mut legal = Vec::new();
        let list = G::legal(&self.state, record.seat, &mut legal);
        require!(
            list == LegalList::Complete
                && legal.len() == 1
                && !self.rules.ask_forced
                && self.models[record.seat.index()].open.is_none(),
            "the referee decides for {}, whose decision is not forced",
            record.seat
        );
        require!(
            record.request_id == 0 && record.charge.is_none() && legal[0] == record.decision,
            "the referee decides {}",
            record.decision
        );
        Ok(())
    }

    fn check_decision_by_house(
        &mut self,
        record: &DecisionRecord<G>,
        step: &mut Step<G::Decision>,
    ) -> Result<(), Violation> {
        let seat = record.seat;
        let mut legal = Vec::new();
        G::legal(&self.state, seat, &mut legal);
        if record.request_id != 0 {
            self.unrecorded_fault(seat, step);
        }
        let model = &mut self.models[seat.index()];
        let is_at_fault = step.has_fault(seat, record.request_id);
        require!(
            model.is_played_by_house() || is_at_fault,
            "the house decides for {seat} without a fault"
        );
        require!(
            record.request_id == model.open_id() && record.charge.is_none(),
            "the house decides request {}, but {} is open",
            record.request_id,
            model.open_id()
        );
        require!(
            legal.contains(&record.decision)
                && (self.rules.house == HousePolicy::Random || legal[0] == record.decision),
            "the house decides {}",
            record.decision
        );
        model.withdraw(self.now);
        model.house_decisions += 1;
        Ok(())
    }

    fn chance(
        &mut self,
        record: &ChanceRecord<G>,
        step: &mut Step<G::Decision>,
    ) -> Result<(), Violation> {
        require!(
            G::chance_due(&self.state) == Some(record.stream),
            "a chance result of stream {} is recorded, but not due",
            record.stream
        );
        let before = self.log.len();
        G::apply_chance(&mut self.state, &record.chance, &mut self.log)
            .map_err(|error| Violation(format!("a recorded chance result is refused: {error}")))?;
        require!(
            self.log[before..] == record.events && G::digest(&self.state) == record.digest,
            "a chance result has wrong events or a wrong digest"
        );
        if !record.events.is_empty() {
            self.publish(step);
        }
        self.asks = true;
        Ok(())
    }

    fn seat(&mut self, info: &SeatInfo, step: &mut Step<G::Decision>) -> Result<(), Violation> {
        let is_of_cause = match &step.cause {
            Cause::Connected { seat, .. } => {
                *seat == info.seat && info.state == SeatState::Connected
            }
            Cause::Disconnected(seat) | Cause::Garbage(seat) => {
                *seat == info.seat && info.state == SeatState::Paused
            }
            Cause::Restarted => step.lost.contains(&info.seat) && info.state == SeatState::Paused,
            _ => false,
        };
        require!(is_of_cause, "{info:?} is recorded; expected {:?}", step.cause);
        self.models[info.seat.index()].seat_records += 1;
        step.recorded.push(info.seat);
        self.take_effect(step);
        Ok(())
    }

    fn fault(
        &mut self,
        seat: Seat,
        fault: &Fault,
        step: &mut Step<G::Decision>,
    ) -> Result<(), Violation> {
        let is_before_start = fault.reason == FaultReason::NeverConnected
            || step.starts_match && matches!(step.cause, Cause::Expired(_));
        if !is_before_start {
            self.request_decisions();
        }
        self.check_reason(seat, fault.reason, step)?;
        self.count_fault(seat, fault.reason, step);
        let model = &self.models[seat.index()];
        let action = match self.rules.faults.action(fault.reason) {
            FaultAction::Strike if model.strikes >= self.rules.faults.strikes_to_forfeit => {
                FaultAction::Forfeit
            }
            action => action,
        };
        require!(
            fault.action == action,
            "{} costs {seat} {}; expected {action}",
            fault.reason,
            fault.action
        );
        require!(
            fault.request_id == model.open_id() && fault.at_ms == self.at_ms(),
            "the fault concerns request {}, but {} is open",
            fault.request_id,
            model.open_id()
        );
        Ok(())
    }

    /// Applies a fault to its seat, except substitutions, which have their own records.
    pub(super) fn count_fault(
        &mut self,
        seat: Seat,
        reason: FaultReason,
        step: &mut Step<G::Decision>,
    ) {
        let is_secret = self.is_secret_who_decided();
        let policy = &self.rules.faults;
        let model = &mut self.models[seat.index()];
        step.faults.push((seat, reason, model.open_id()));
        model.faults += 1;
        let mut action = policy.action(reason);
        if action == FaultAction::Strike {
            model.strikes += 1;
            if model.strikes >= policy.strikes_to_forfeit {
                action = FaultAction::Forfeit;
            }
        }
        if reason == FaultReason::Flood {
            model.useless = 0;
        }
        match action {
            FaultAction::Forfeit => {
                model.forfeit = Some(reason);
                model.is_connected = false;
                model.lost_at = None;
            }
            FaultAction::Strike | FaultAction::Substitute => {
                let is_away =
                    matches!(reason, FaultReason::Disconnected | FaultReason::NeverConnected);
                model.is_absent |= is_away;
            }
            FaultAction::Refuse => {}
        }
        if action != FaultAction::Refuse {
            model.last_fault = Some(reason);
            model.apply_cost(is_secret);
        }
        self.faults.push((seat, reason));
    }

    /// Counts an unrecorded fault that a seat must have committed now. Only one of the reasons can
    /// be true.
    pub(super) fn unrecorded_fault(&mut self, seat: Seat, step: &mut Step<G::Decision>) {
        let is_full = self.models[seat.index()].faults >= MAX_RECORDED_FAULTS as u32;
        if !is_full || step.has_fault(seat, self.models[seat.index()].open_id()) {
            return;
        }
        let reasons = [
            FaultReason::Late,
            FaultReason::Disconnected,
            FaultReason::Illegal,
            FaultReason::Garbage,
        ];
        let is_true = |reason: &FaultReason| self.check_reason(seat, *reason, step).is_ok();
        if let Some(reason) = reasons.into_iter().find(is_true) {
            self.count_fault(seat, reason, step);
        }
    }

    /// Checks that a fault has the one true reason.
    fn check_reason(
        &self,
        seat: Seat,
        reason: FaultReason,
        step: &Step<G::Decision>,
    ) -> Result<(), Violation> {
        let model = &self.models[seat.index()];
        let is_cause = step.cause.seat() == Some(seat);
        let had_stream = match is_cause && !step.has_come {
            true => step.was_connected,
            false => model.is_connected,
        };
        let clock_is_out = model
            .open
            .as_ref()
            .and_then(|open| open.time.deadline())
            .is_some_and(|at| at <= self.now);
        // The time to reconnect may have expired long before the match starts.
        let grace_is_out = model.grace_ends().is_some_and(|at| at <= self.now);
        let is_expired = is_cause && matches!(step.cause, Cause::Expired(_));
        let is_true = match reason {
            FaultReason::Late => clock_is_out && had_stream,
            FaultReason::Disconnected => {
                !had_stream && (clock_is_out || grace_is_out || is_expired && model.bot.is_some())
            }
            FaultReason::NeverConnected => {
                let starts_up = step.due.iter().any(|due| matches!(due, Due::StartUp));
                model.bot.is_none() && (starts_up || is_expired)
            }
            FaultReason::Garbage => is_cause && matches!(step.cause, Cause::Garbage(_)),
            FaultReason::Resigned => is_cause && matches!(step.cause, Cause::Resign(_)),
            FaultReason::Flood => is_cause && model.useless + 1 >= MAX_USELESS_MESSAGES,
            FaultReason::Illegal => is_cause && self.is_illegal(&step.cause),
        };
        require!(is_true, "{reason} is recorded for {seat}, which is wrong: {:?}", step.cause);
        require!(model.forfeit.is_none(), "{seat} commits {reason} after it forfeited");
        Ok(())
    }

    /// Returns whether an answer to the open request is rejected by the rules of the game.
    pub(super) fn is_illegal(&self, cause: &Cause<G::Decision>) -> bool {
        let open = |seat: Seat, id: u32| {
            let open = self.models[seat.index()].open.as_ref();
            open.filter(|open| open.id == id)
        };
        match cause {
            Cause::Answer(seat, id, answer, _) => open(*seat, *id).is_some_and(|open| {
                let decision = match answer {
                    Answer::Index(index) => open.legal.get(*index as usize),
                    Answer::Decision(decision) => Some(decision),
                };
                decision.is_none_or(|decision| {
                    let mut state = self.state.clone();
                    G::apply(&mut state, *seat, decision, &mut Vec::new()).is_err()
                })
            }),
            Cause::BadAnswer(seat, id) => open(*seat, *id).is_some(),
            _ => false,
        }
    }
}
