//! The required effects of inputs and deadlines, and the invariants of results.

use bridgemaster_games::{Game, Seat};
use bridgemaster_referee::{
    FaultAction, FaultReason, MAX_RECORDED_FAULTS, MAX_SEAT_RECORDS, MAX_USELESS_MESSAGES,
    MatchPhase, MatchResult, RESTART_GRACE_MS,
};

use super::{Cause, Due, Oracle, Step, Violation, require};

impl<G: Game> Oracle<G> {
    /// Applies the cause of a step to the stream of its seat: once, after expired deadlines.
    pub(super) fn take_effect(&mut self, step: &mut Step<G::Decision>) {
        if std::mem::replace(&mut step.has_come, true) || self.ends > 0 {
            return;
        }
        let Some(seat) = step.cause.seat() else {
            return;
        };
        if !step.starts_match {
            // Deadlines that expired before this step may have led to new requests.
            self.request_decisions();
        }
        let model = &mut self.models[seat.index()];
        match &step.cause {
            Cause::Connected { bot, last_sequence, .. } if model.forfeit.is_none() => {
                model.connect(self.now, bot.clone(), *last_sequence);
            }
            Cause::Disconnected(_) | Cause::Garbage(_) if model.is_connected => {
                model.disconnect(self.now, &self.rules.clock);
            }
            Cause::ConnectionRefused(_) if !model.is_connected && !model.is_played_by_house() => {
                model.connection_refused(self.now, &self.rules.clock);
                if self.phase == MatchPhase::Waiting {
                    let until = self.now.plus_ms(RESTART_GRACE_MS);
                    self.startup_waits_until = self.startup_waits_until.max(until);
                }
            }
            Cause::HandedOver(_, id) if model.is_connected => {
                let credit_limit_us = model.credit_limit_us(&self.rules.clock_of(seat));
                if let Some(open) = &mut model.open
                    && open.id == *id
                {
                    open.time.hand_over(self.now, credit_limit_us);
                }
            }
            Cause::RoundTrip(_, us) if model.is_connected => {
                model.round_trip_us =
                    Some(model.round_trip_us.map_or(*us, |shortest| shortest.min(*us)));
            }
            _ => {}
        }
    }

    pub(super) fn effects(&mut self, step: &mut Step<G::Decision>) -> Result<(), Violation> {
        let graces = step.due.iter().filter_map(|due| match due {
            Due::Grace(seat) => Some(*seat),
            _ => None,
        });
        let silent = match step.cause {
            Cause::Garbage(seat) if step.was_connected => Some(seat),
            Cause::Expired(seat) if !step.was_connected => Some(seat),
            _ => None,
        };
        let seats: Vec<Seat> = graces.chain(silent).collect();
        for seat in seats {
            if self.ends == 0 && !self.models[seat.index()].is_played_by_house() {
                self.unrecorded_fault(seat, step);
            }
        }
        self.count_useless(step);
        self.check_deadlines(step)?;
        self.check_losses(step)?;
        self.resumed(step)?;
        self.check_cause(step)
    }

    fn check_deadlines(&self, step: &Step<G::Decision>) -> Result<(), Violation> {
        for due in &step.due {
            let is_over = match due {
                Due::StartUp => self.phase != MatchPhase::Waiting,
                Due::Clock(seat, id) => self.models[seat.index()].open_id() != *id,
                Due::Grace(seat) => {
                    let model = &self.models[seat.index()];
                    model.is_played_by_house()
                        || step.faults.iter().any(|(faulty, ..)| faulty == seat)
                }
            };
            require!(
                is_over || self.phase == MatchPhase::Ended,
                "the deadline {due:?} expired without an effect"
            );
        }
        Ok(())
    }

    /// Checks that a lost stream is recorded, unless the records of the seat are exhausted.
    fn check_losses(&self, step: &Step<G::Decision>) -> Result<(), Violation> {
        let left = match step.cause {
            Cause::Disconnected(seat) if step.was_connected && step.due.is_empty() => Some(seat),
            _ => None,
        };
        for seat in step.lost.iter().copied().chain(left) {
            let records = self.models[seat.index()].seat_records;
            require!(
                step.recorded.contains(&seat) || records >= MAX_SEAT_RECORDS || self.ends > 0,
                "{seat} lost its stream without a record"
            );
        }
        Ok(())
    }

    fn check_cause(&mut self, step: &Step<G::Decision>) -> Result<(), Violation> {
        require!(
            self.ends > 0 || !matches!(step.cause, Cause::Cancelled),
            "the match continues, although it was cancelled"
        );
        let Some(seat) = step.cause.seat() else {
            return Ok(());
        };
        let model = &mut self.models[seat.index()];
        let is_expired = matches!(step.cause, Cause::Expired(_)) && !model.is_connected;
        require!(
            !is_expired || model.is_played_by_house() || self.ends > 0,
            "the expiry of {seat} had no effect"
        );
        let committed = |reason| step.committed(seat, reason);
        // A fault before it may have taken the seat's stream or closed its request.
        let is_undisturbed = step.was_connected
            && step.due.is_empty()
            && !matches!(step.cause, Cause::Connected { .. });
        let is_retained = (model.faults as usize) < MAX_RECORDED_FAULTS;
        if !is_undisturbed || !is_retained {
            return Ok(());
        }
        let needed = match &step.cause {
            Cause::Garbage(_) => Some(FaultReason::Garbage),
            Cause::Resign(_) => Some(FaultReason::Resigned),
            _ => None,
        };
        require!(
            self.ends > 0 || needed.is_none_or(committed),
            "{:?} did not cause a fault",
            step.cause
        );
        if matches!(step.cause, Cause::Answer(..) | Cause::BadAnswer(..)) {
            let is_repeated = match &step.cause {
                Cause::Answer(_, id, answer, _) => {
                    model.answered.as_ref().is_some_and(|(answered, form)| {
                        answered == id && *form == format!("{answer:?}")
                    })
                }
                _ => false,
            };
            require!(
                step.accepted || step.rejected || is_repeated || self.ends > 0,
                "{:?} is neither accepted nor refused",
                step.cause
            );
        }
        Ok(())
    }

    /// Counts useless messages at the end of the step.
    fn count_useless(&mut self, step: &mut Step<G::Decision>) {
        let Some(seat) = step.cause.seat() else {
            return;
        };
        let illegal = step.committed(seat, FaultReason::Illegal);
        let is_useless = match &step.cause {
            Cause::Connected { .. } => {
                self.phase == MatchPhase::Running && !step.starts_match && !step.was_excused
            }
            Cause::Useless(_) => true,
            Cause::Answer(..) | Cause::BadAnswer(..) => {
                !step.accepted && (!illegal || self.rules.faults.illegal == FaultAction::Refuse)
            }
            _ => false,
        };
        let model = &mut self.models[seat.index()];
        let floods = step.committed(seat, FaultReason::Flood);
        if is_useless && model.is_connected && !floods {
            model.useless += 1;
            if model.useless >= MAX_USELESS_MESSAGES {
                self.count_fault(seat, FaultReason::Flood, step);
            }
        }
    }

    /// Checks the invariants of every result.
    pub(super) fn result(&self, result: &MatchResult) -> Result<(), Violation> {
        require!(
            result.decisions == self.decisions && result.duration_ms == self.at_ms(),
            "{} decisions in {} ms are counted, not {} in {} ms",
            result.decisions,
            result.duration_ms,
            self.decisions,
            self.at_ms()
        );
        let Some(outcome) = G::outcome(&self.state) else {
            return Err(Violation("a result without an outcome".to_owned()));
        };
        let most_records = result.seats.iter().map(|seat| seat.faults.len()).sum::<usize>()
            + result.seats.len() * MAX_SEAT_RECORDS as usize;
        require!(
            self.records as usize <= most_records + 2 * self.decisions as usize + 1000,
            "{} records are not taken",
            self.records
        );
        self.check_lag(result)?;
        let forfeited = self.models.iter().filter(|model| model.forfeit.is_some());
        let not_forfeited = self.models.len() - forfeited.count();
        for ((seat, model), scored) in result.seats.iter().zip(&self.models).zip(&outcome.seats) {
            let clock = seat.clock_use;
            require!(
                (seat.score, seat.place_by_score) == (scored.score, scored.place),
                "{} scored {:?}",
                seat.seat,
                scored
            );
            require!(
                (seat.forfeit, seat.fault_count, seat.house_decisions)
                    == (model.forfeit, model.faults, model.house_decisions),
                "{} has {:?}, {} faults and {} decisions of the house; expected {:?}, {}, {}",
                seat.seat,
                seat.forfeit,
                seat.fault_count,
                seat.house_decisions,
                model.forfeit,
                model.faults,
                model.house_decisions
            );
            let last_fault = seat.faults.last().map(|fault| fault.reason);
            require!(
                seat.faults.len() <= MAX_RECORDED_FAULTS + 1
                    && (seat.forfeit.is_none() || seat.forfeit == last_fault),
                "{} faults are retained, the last of them {last_fault:?}",
                seat.faults.len()
            );
            require!(
                (clock.answered, clock.charged_us, u64::from(clock.bank_left_ms))
                    == (model.answers, model.charged_us, model.bank_us / 1000),
                "{} has used {clock:?}; expected {} answers, {} µs, {} µs left",
                seat.seat,
                model.answers,
                model.charged_us,
                model.bank_us
            );
            require!(
                match model.forfeit {
                    Some(_) => usize::from(seat.place) == not_forfeited + 1,
                    None => usize::from(seat.place) <= not_forfeited,
                },
                "{} takes place {}, although only {not_forfeited} seats are not forfeited",
                seat.seat,
                seat.place
            );
        }
        Ok(())
    }

    /// Checks the recorded lag of the referee itself, and that a match with too much lag is marked.
    fn check_lag(&self, result: &MatchResult) -> Result<(), Violation> {
        let clocks = || result.seats.iter().map(|seat| seat.clock_use);
        let lag_us: u64 = clocks().map(|clock| clock.referee_lag_us).sum();
        let longest_us = clocks().map(|clock| clock.longest_referee_lag_us).max();
        let longest_us = longest_us.unwrap_or_default();
        let limit_us = u64::from(self.rules.clock.referee_lag_limit_ms) * 1000;
        require!(
            result.referee_lag_us == lag_us
                && result.longest_referee_lag_us == longest_us
                && result.spoiled_by_referee == (longest_us > limit_us),
            "the lag of the seats is {lag_us} µs in all and {longest_us} µs at most; expected {} \
             and {}",
            result.referee_lag_us,
            result.longest_referee_lag_us
        );
        Ok(())
    }
}
