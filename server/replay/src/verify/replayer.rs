//! Verification of the records, one after the other.

use std::fmt::Display;

use crate::{
    opening::{ForkProgress, Opening, chance_of, decision_of, invalid_field, seat_of},
    wire::{action_to_wire, charge_from_wire, reason_from_wire},
};
use bridgemaster_games::{ChanceStream, Digest, LegalList, Outcome, Seat};
use bridgemaster_proto::{
    games::{FieldError, WireGame},
    v1::{
        ChanceRecord, DecidedBy, DecisionRecord, FaultRecord, GameEvent, Record, Replay,
        SeatRecord, record,
    },
};
use bridgemaster_referee::{
    FaultAction, MAX_NOTE_BYTES, MAX_RECORDED_FAULTS, MAX_SEAT_RECORDS, MatchRules, NoteBudget,
};

use super::{
    charges::check_charge,
    limits::{MAX_DETAIL_CHARS, MAX_NAME_CHARS, check_length},
    result::SeatTotals,
    start::has_seed,
};

/// The state of a match that is being replayed.
pub(super) struct Replayer<G: WireGame> {
    rules: MatchRules<G>,
    /// False if the replay has no seed, so that the seed in the rules is a placeholder.
    has_seed: bool,
    /// Progress through the steps that were copied from the original match.
    forked: ForkProgress,
    state: G::State,
    legal: Vec<G::Decision>,
    totals: Vec<SeatTotals>,
    /// Each seat's remaining note budget, in seat order.
    note_budgets: Vec<NoteBudget>,
    next_number: u32,
    last_at_ms: u64,
}

impl<G: WireGame> Replayer<G> {
    /// Creates a replayer for a match at its first decision.
    pub(super) fn new(
        opening: Opening<G>,
        mut forked: ForkProgress,
        replay: &Replay,
    ) -> Result<Self, FieldError> {
        let Opening { rules, mut state, .. } = opening;
        forked.redraw_at_position(&rules, &mut state)?;
        let totals = rules.seats.seats().map(|_| SeatTotals::default()).collect();
        let note_budgets = vec![NoteBudget::for_match(rules.seats); usize::from(rules.seats.get())];
        Ok(Self {
            rules,
            has_seed: has_seed(replay),
            forked,
            state,
            legal: Vec::new(),
            totals,
            note_budgets,
            next_number: 0,
            last_at_ms: 0,
        })
    }

    /// Each seat's totals, in seat order.
    pub(super) fn totals(&self) -> &[SeatTotals] {
        &self.totals
    }

    /// The match's rules.
    pub(super) fn rules(&self) -> &MatchRules<G> {
        &self.rules
    }

    /// The time of the last record, in ms.
    pub(super) fn last_at_ms(&self) -> u64 {
        self.last_at_ms
    }

    /// The outcome according to the rules, once the match has ended.
    pub(super) fn outcome(&self) -> Result<Outcome, String> {
        if let Some(stream) = G::chance_due(&self.state) {
            return Err(format!(
                "the match is not over: the result of chance stream {stream} is missing"
            ));
        }
        G::outcome(&self.state).ok_or_else(|| {
            let seats_to_decide: Vec<String> =
                G::seats_to_decide(&self.state).iter().map(|seat| seat.to_string()).collect();
            format!("the match is not over: seat {} owes a decision", seats_to_decide.join(", "))
        })
    }

    /// Verifies one record and advances to the state after it.
    pub(super) fn record(&mut self, record: &Record) -> Result<(), FieldError> {
        if record.number != self.next_number {
            let problem = format!("expected {}, got {}", self.next_number, record.number);
            return invalid_field("number", problem);
        }
        if record.at_ms < self.last_at_ms {
            let problem = format!(
                "{} precedes the time of the previous record, {}",
                record.at_ms, self.last_at_ms
            );
            return invalid_field("at_ms", problem);
        }
        self.next_number += 1;
        self.last_at_ms = record.at_ms;
        match &record.record {
            Some(record::Record::Decision(decision)) => self.decision(decision),
            Some(record::Record::Chance(chance)) => self.chance(chance),
            Some(record::Record::Fault(fault)) => self.fault(fault),
            Some(record::Record::Seat(seat)) => self.seat_change(seat),
            None => invalid_field("record", "is missing"),
        }
    }

    fn seat(&self, field: &str, number: u32) -> Result<Seat, FieldError> {
        seat_of(self.rules.seats, field, number)
    }

    fn decision(&mut self, record: &DecisionRecord) -> Result<(), FieldError> {
        let seat = self.seat("decision.seat", record.seat)?;
        if let Some(stream) = G::chance_due(&self.state) {
            let problem = format!("the result of chance stream {stream} must come first");
            return invalid_field("decision", problem);
        }
        if !G::seats_to_decide(&self.state).contains(seat) {
            return invalid_field("decision.seat", format!("seat {seat} owes no decision here"));
        }
        let decision = decision_of::<G>(record)?;
        let list = G::legal(&self.state, seat, &mut self.legal);
        if list == LegalList::Complete && !self.legal.contains(&decision) {
            let mut state = self.state.clone();
            let why = match G::apply(&mut state, seat, &decision, &mut Vec::new()) {
                Err(refusal) => refusal.to_string(),
                Ok(()) => "not in the legal list".to_owned(),
            };
            return invalid_field("decision.decision", format!("`{decision}` is not legal: {why}"));
        }
        let is_played_by_referee = self.rules.is_played_by_referee(list, self.legal.len());
        self.check_decided_by(seat, record, is_played_by_referee)?;

        let mut events = Vec::new();
        G::apply(&mut self.state, seat, &decision, &mut events).or_else(|refusal| {
            invalid_field("decision.decision", format!("`{decision}` is not legal: {refusal}"))
        })?;
        check_events::<G>("decision.events", &record.events, &events)?;
        self.check_digest("decision.digest", record.digest, &decision)?;
        self.forked.record_decision();
        self.forked.redraw_at_position(&self.rules, &mut self.state)
    }

    fn chance(&mut self, record: &ChanceRecord) -> Result<(), FieldError> {
        let Some(stream) = G::chance_due(&self.state) else {
            return invalid_field("chance", "no chance result is due here");
        };
        if record.stream != stream {
            let problem = format!("expected {stream}, got {}", record.stream);
            return invalid_field("chance.stream", problem);
        }
        let chance = chance_of::<G>(record)?;
        if self.has_seed && !self.forked.has_original_chance() {
            let mut source = ChanceStream::new(&self.rules.seed, stream);
            if G::draw_chance(&self.state, &mut source).as_ref() != Some(&chance) {
                return invalid_field("chance.chance", "expected the result drawn from the seed");
            }
        }
        let mut events = Vec::new();
        G::apply_chance(&mut self.state, &chance, &mut events)
            .or_else(|error| invalid_field("chance.chance", error))?;
        check_events::<G>("chance.events", &record.events, &events)?;
        self.check_digest("chance.digest", record.digest, &chance)?;
        self.forked.redraw_at_position(&self.rules, &mut self.state)
    }

    /// Compares a record's digest with the state's digest after `what`.
    fn check_digest(
        &self,
        field: &str,
        stated: u64,
        what: &impl Display,
    ) -> Result<(), FieldError> {
        let digest = G::digest(&self.state);
        if digest.0 != stated {
            let stated = Digest(stated);
            let problem = format!("expected {digest} after `{what}`, got {stated}");
            return invalid_field(field, problem);
        }
        Ok(())
    }

    /// Verifies a decision's origin, request and charge.
    fn check_decided_by(
        &mut self,
        seat: Seat,
        record: &DecisionRecord,
        is_played_by_referee: bool,
    ) -> Result<(), FieldError> {
        let by = DecidedBy::try_from(record.decided_by).unwrap_or(DecidedBy::Unspecified);
        if self.forked.copies_next_decision() != (by == DecidedBy::Replay) {
            let problem = if self.forked.copies_next_decision() {
                "must be REPLAY, because the decision was copied from another match"
            } else {
                "must not be REPLAY, because no decision is copied here"
            };
            return invalid_field("decision.decided_by", problem);
        }
        if by == DecidedBy::Replay {
            return self.check_copied_decision(seat, record);
        }
        if by == DecidedBy::Unspecified {
            return invalid_field("decision.decided_by", "missing or unknown value");
        }
        self.check_referee_decision(by, is_played_by_referee)?;
        let totals = &mut self.totals[seat.index()];
        if by == DecidedBy::Bot && totals.forfeit.is_some() {
            return invalid_field(
                "decision.decided_by",
                format!("must be HOUSE, because seat {seat} has forfeited"),
            );
        }
        let is_asked = record.request_id != 0;
        let may_be_asked = match by {
            DecidedBy::Bot => is_asked,
            DecidedBy::House => true,
            DecidedBy::Referee | DecidedBy::Unspecified | DecidedBy::Replay => !is_asked,
        };
        if !may_be_asked || (is_asked && record.request_id <= totals.last_request_id) {
            let problem = format!(
                "expected 0, or a request of seat {seat} after {}, got {}",
                totals.last_request_id, record.request_id
            );
            return invalid_field("decision.request_id", problem);
        }
        self.check_charge(seat, by, record)?;
        self.check_note(seat, by, &record.note)?;
        let totals = &mut self.totals[seat.index()];
        totals.last_request_id = totals.last_request_id.max(record.request_id);
        match by {
            DecidedBy::Bot => totals.clock_use.answered += 1,
            DecidedBy::House => totals.house_decisions += 1,
            DecidedBy::Referee | DecidedBy::Unspecified | DecidedBy::Replay => {
                totals.forced_decisions += 1;
            }
        }
        Ok(())
    }

    /// Checks that the referee made exactly those decisions that had no alternative.
    fn check_referee_decision(
        &self,
        by: DecidedBy,
        is_played_by_referee: bool,
    ) -> Result<(), FieldError> {
        if is_played_by_referee != (by == DecidedBy::Referee) {
            let problem = match (is_played_by_referee, self.rules.ask_forced) {
                (true, _) => "must be REFEREE, because only one decision was legal",
                (false, true) => "must not be REFEREE, because the match asks for forced decisions",
                (false, false) => "must not be REFEREE, because several decisions were legal",
            };
            return invalid_field("decision.decided_by", problem);
        }
        Ok(())
    }

    /// Checks that a copied decision has no request, no charge and no note. Its note is only in the
    /// original replay.
    fn check_copied_decision(
        &mut self,
        seat: Seat,
        record: &DecisionRecord,
    ) -> Result<(), FieldError> {
        if record.request_id != 0 {
            return invalid_field("decision.request_id", "must be 0 for a copied decision");
        }
        if record.charge.is_some() {
            return invalid_field("decision.charge", "must be empty, because no bot decided");
        }
        self.check_note(seat, DecidedBy::Replay, &record.note)?;
        self.totals[seat.index()].copied_decisions += 1;
        Ok(())
    }

    /// Checks that bots' decisions have a charge that respects the time control, and that other
    /// decisions have no charge.
    fn check_charge(
        &mut self,
        seat: Seat,
        by: DecidedBy,
        record: &DecisionRecord,
    ) -> Result<(), FieldError> {
        match (&record.charge, by) {
            (Some(charge), DecidedBy::Bot) => {
                let charge = charge_from_wire(charge);
                let rules = self.rules.clock_of(seat);
                check_charge(&charge, &rules)
                    .or_else(|problem| invalid_field("decision.charge", problem))?;
                self.totals[seat.index()].clock_use.add(&charge);
            }
            (None, DecidedBy::Bot) => {
                return invalid_field("decision.charge", "required, because a bot decided");
            }
            (Some(_), _) => {
                return invalid_field("decision.charge", "must be empty, because no bot decided");
            }
            (None, _) => {}
        }
        Ok(())
    }

    /// Checks that only bots add notes, within their budget.
    fn check_note(&mut self, seat: Seat, by: DecidedBy, note: &str) -> Result<(), FieldError> {
        if !note.is_empty() && by != DecidedBy::Bot {
            return invalid_field("decision.note", "must be empty, because no bot decided");
        }
        let budget = &mut self.note_budgets[seat.index()];
        let remaining_bytes = budget.remaining_bytes();
        if !budget.take(note.len()) {
            let problem = format!(
                "{} bytes exceed the limit: at most {MAX_NOTE_BYTES}, and {remaining_bytes} left \
                 for seat {seat}",
                note.len()
            );
            return invalid_field("decision.note", problem);
        }
        Ok(())
    }

    fn fault(&mut self, record: &FaultRecord) -> Result<(), FieldError> {
        let seat = self.seat("fault.seat", record.seat)?;
        let totals = &mut self.totals[seat.index()];
        if totals.forfeit.is_some() {
            return invalid_field("fault.seat", format!("seat {seat} has already forfeited"));
        }
        let Some(fault) = &record.fault else {
            return invalid_field("fault.fault", "is missing");
        };
        // The forfeit is recorded even beyond the limit.
        if totals.faults.len() > MAX_RECORDED_FAULTS {
            let problem =
                format!("seat {seat} has more than {MAX_RECORDED_FAULTS} recorded faults");
            return invalid_field("fault", problem);
        }
        check_length("fault.fault.detail", &fault.detail, MAX_DETAIL_CHARS)?;
        let Some(reason) = reason_from_wire(fault.reason()) else {
            return invalid_field("fault.fault.reason", "missing or unknown value");
        };
        let policy = &self.rules.faults;
        let mut cost = policy.cost(reason, &mut totals.strikes);
        // Faults that were not recorded may have added strikes.
        let are_all_recorded = totals.faults.len() < MAX_RECORDED_FAULTS;
        let forfeit = action_to_wire(FaultAction::Forfeit);
        if cost == FaultAction::Strike && !are_all_recorded && fault.action() == forfeit {
            cost = FaultAction::Forfeit;
        }
        let expected = action_to_wire(cost);
        if fault.action() != expected {
            let problem = format!(
                "got {}, but the rules of this match require {}",
                fault.action().as_str_name(),
                expected.as_str_name()
            );
            return invalid_field("fault.fault.action", problem);
        }
        if cost == FaultAction::Forfeit {
            totals.forfeit = Some(reason);
        }
        totals.faults.push(fault.clone());
        Ok(())
    }

    fn seat_change(&mut self, record: &SeatRecord) -> Result<(), FieldError> {
        let Some(info) = &record.seat else {
            return invalid_field("seat.seat", "is missing");
        };
        let seat = self.seat("seat.seat.seat", info.seat)?;
        for (field, text) in [
            ("seat.seat.bot_name", &info.bot_name),
            ("seat.seat.bot_version", &info.bot_version),
            ("seat.seat.reserved_for", &info.reserved_for),
        ] {
            check_length(field, text, MAX_NAME_CHARS)?;
        }
        let totals = &mut self.totals[seat.index()];
        if totals.seat_records == MAX_SEAT_RECORDS {
            let problem = format!("seat {seat} has more than {MAX_SEAT_RECORDS} records");
            return invalid_field("seat", problem);
        }
        totals.seat_records += 1;
        totals.bot = (info.bot_name.clone(), info.bot_version.clone());
        Ok(())
    }
}

/// Checks that a record's events are those that the rules produce.
fn check_events<G: WireGame>(
    field: &str,
    stated: &[GameEvent],
    events: &[G::Event],
) -> Result<(), FieldError> {
    for (number, event) in events.iter().enumerate() {
        if stated.get(number) != Some(&G::event_to_wire(event)) {
            let problem = format!("expected the event of the rules: {event}");
            return invalid_field(format!("{field}[{number}]"), problem);
        }
    }
    if stated.len() > events.len() {
        let problem = "unexpected event: the rules produce no more events here";
        return invalid_field(format!("{field}[{}]", events.len()), problem);
    }
    Ok(())
}
