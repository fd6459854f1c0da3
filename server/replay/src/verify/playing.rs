//! The records, one after the other.

use std::fmt::Display;

use bridgemaster_games::{ChanceStream, Digest, LegalList, Outcome, Seat};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        ChanceRecord, DecidedBy, DecisionRecord, FaultRecord, GameEvent, Record, Replay,
        SeatRecord, record,
    },
};
use bridgemaster_referee::{FaultAction, MAX_FAULTS_KEPT, MAX_NOTE_BYTES, MatchRules, NoteRoom};
use bridgemaster_wire::{action_to_wire, charge_from_wire, reason_from_wire};

use super::{
    charges::{check_charge, most_credit_us},
    ending::Tally,
    start::has_seed,
};
use crate::{
    forked::Forked,
    opening::{BadField, Opening, bad, seat_of},
};

/// A match that is being played again.
pub(super) struct Replaying<G: WireGame> {
    rules: MatchRules<G>,
    /// Whether the seed in the rules is that of the match.
    has_seed: bool,
    /// That of the replay: what is credited for one decision depends on it.
    format_version: u32,
    /// What is left of what was taken over from another match.
    forked: Forked,
    state: G::State,
    legal: Vec<G::Decision>,
    tallies: Vec<Tally>,
    /// What is left for the notes of each seat.
    note_rooms: Vec<NoteRoom>,
    next_number: u32,
    last_at_ms: u64,
}

impl<G: WireGame> Replaying<G> {
    /// The match at its first decision.
    pub(super) fn new(
        opening: Opening<G>,
        mut forked: Forked,
        replay: &Replay,
    ) -> Result<Self, BadField> {
        let Opening {
            rules, mut state, ..
        } = opening;
        forked.go_on(&rules, &mut state)?;
        let tallies = rules.seats.seats().map(|_| Tally::default()).collect();
        let note_rooms = vec![NoteRoom::of_match(rules.seats); usize::from(rules.seats.get())];
        Ok(Self {
            rules,
            has_seed: has_seed(replay),
            format_version: replay.format_version,
            forked,
            state,
            legal: Vec::new(),
            tallies,
            note_rooms,
            next_number: 0,
            last_at_ms: 0,
        })
    }

    /// What the records say of each seat, in seat order.
    pub(super) fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// The rules of the match.
    pub(super) fn rules(&self) -> &MatchRules<G> {
        &self.rules
    }

    /// The time of the last record, in ms.
    pub(super) fn last_at_ms(&self) -> u64 {
        self.last_at_ms
    }

    /// The result by the rules, once the match is over.
    pub(super) fn outcome(&self) -> Result<Outcome, String> {
        if let Some(stream) = G::chance_due(&self.state) {
            return Err(format!(
                "the match is not over: the result of chance stream {stream} is missing"
            ));
        }
        G::outcome(&self.state).ok_or_else(|| {
            let owing: Vec<String> = G::owing(&self.state)
                .iter()
                .map(|seat| seat.to_string())
                .collect();
            format!(
                "the match is not over: seat {} owes a decision",
                owing.join(", ")
            )
        })
    }

    /// Checks one record and goes on to the state after it.
    pub(super) fn record(&mut self, record: &Record) -> Result<(), BadField> {
        if record.number != self.next_number {
            let problem = format!(
                "is {}, records are numbered {}",
                record.number, self.next_number
            );
            return bad("number", problem);
        }
        if record.at_ms < self.last_at_ms {
            let problem = format!(
                "is {}, before the last record's {}",
                record.at_ms, self.last_at_ms
            );
            return bad("at_ms", problem);
        }
        self.next_number += 1;
        self.last_at_ms = record.at_ms;
        match &record.record {
            Some(record::Record::Decision(decision)) => self.decision(decision),
            Some(record::Record::Chance(chance)) => self.chance(chance),
            Some(record::Record::Fault(fault)) => self.fault(fault),
            Some(record::Record::Seat(seat)) => self.seat_change(seat),
            None => bad("record", "is missing"),
        }
    }

    fn seat(&self, field: &str, number: u32) -> Result<Seat, BadField> {
        seat_of(self.rules.seats, field, number)
    }

    fn decision(&mut self, record: &DecisionRecord) -> Result<(), BadField> {
        let seat = self.seat("decision.seat", record.seat)?;
        if let Some(stream) = G::chance_due(&self.state) {
            let problem = format!("the result of chance stream {stream} must come first");
            return bad("decision", problem);
        }
        if !G::owing(&self.state).contains(seat) {
            return bad(
                "decision.seat",
                format!("seat {seat} owes no decision here"),
            );
        }
        let Some(decision) = &record.decision else {
            return bad("decision.decision", "is missing");
        };
        let decision = G::decision_from_wire(decision)
            .or_else(|error| bad(format!("decision.decision.{}", error.field), error.detail))?;
        let list = G::legal(&self.state, seat, &mut self.legal);
        if list == LegalList::Complete && !self.legal.contains(&decision) {
            let mut state = self.state.clone();
            let why = match G::apply(&mut state, seat, &decision, &mut Vec::new()) {
                Err(refusal) => refusal.to_string(),
                Ok(()) => "it is not in the legal list".to_owned(),
            };
            return bad(
                "decision.decision",
                format!("`{decision}` is not legal: {why}"),
            );
        }
        let referee_plays = self.rules.referee_plays(list, self.legal.len());
        self.decided_by(seat, record, referee_plays)?;

        let mut events = Vec::new();
        G::apply(&mut self.state, seat, &decision, &mut events).or_else(|refusal| {
            bad(
                "decision.decision",
                format!("`{decision}` is not legal: {refusal}"),
            )
        })?;
        same_events::<G>("decision.events", &record.events, &events)?;
        self.same_digest("decision.digest", record.digest, &decision)?;
        self.forked.decided();
        self.forked.go_on(&self.rules, &mut self.state)
    }

    fn chance(&mut self, record: &ChanceRecord) -> Result<(), BadField> {
        let Some(stream) = G::chance_due(&self.state) else {
            return bad("chance", "the match waits for no chance result here");
        };
        if record.stream != stream {
            let problem = format!("is {}, the match waits for {stream}", record.stream);
            return bad("chance.stream", problem);
        }
        let Some(chance) = &record.chance else {
            return bad("chance.chance", "is missing");
        };
        let chance = G::chance_from_wire(chance)
            .or_else(|error| bad(format!("chance.chance.{}", error.field), error.detail))?;
        if self.has_seed && !self.forked.has_chance_of_other() {
            let mut source = ChanceStream::new(&self.rules.seed, stream);
            if G::draw_chance(&self.state, &mut source).as_ref() != Some(&chance) {
                return bad("chance.chance", "is not what the seed draws");
            }
        }
        let mut events = Vec::new();
        G::apply_chance(&mut self.state, &chance, &mut events)
            .or_else(|error| bad("chance.chance", error))?;
        same_events::<G>("chance.events", &record.events, &events)?;
        self.same_digest("chance.digest", record.digest, &chance)?;
        self.forked.go_on(&self.rules, &mut self.state)
    }

    /// Compares the digest of a record with that of the state after `what` happened.
    fn same_digest(&self, field: &str, stated: u64, what: &impl Display) -> Result<(), BadField> {
        let digest = G::digest(&self.state);
        if digest.0 != stated {
            let stated = Digest(stated);
            let problem = format!("is {stated}; after `{what}` the rules give {digest}");
            return bad(field, problem);
        }
        Ok(())
    }

    /// Who decided, for which request, at what charge.
    fn decided_by(
        &mut self,
        seat: Seat,
        record: &DecisionRecord,
        referee_plays: bool,
    ) -> Result<(), BadField> {
        let by = DecidedBy::try_from(record.decided_by).unwrap_or(DecidedBy::Unspecified);
        if self.forked.takes_over() != (by == DecidedBy::Replay) {
            let problem = match self.forked.takes_over() {
                true => "the decision was taken over from another match, so nobody here made it",
                false => "the match takes nothing over here",
            };
            return bad("decision.decided_by", problem);
        }
        if by == DecidedBy::Replay {
            return self.taken_over(seat, record);
        }
        if by == DecidedBy::Unspecified {
            return bad("decision.decided_by", "is not set, or unknown");
        }
        self.played_by_referee(by, referee_plays)?;
        let tally = &mut self.tallies[seat.index()];
        if by == DecidedBy::Bot && tally.forfeit.is_some() {
            return bad(
                "decision.decided_by",
                format!("seat {seat} had forfeited; the house plays it"),
            );
        }
        let is_asked = record.request_id != 0;
        let may_be_asked = match by {
            DecidedBy::Bot => is_asked,
            DecidedBy::House => true,
            DecidedBy::Referee | DecidedBy::Unspecified | DecidedBy::Replay => !is_asked,
        };
        if !may_be_asked || (is_asked && record.request_id <= tally.last_request_id) {
            let problem = format!(
                "is {}; the last request of seat {seat} was {}, and the referee asks nobody (0)",
                record.request_id, tally.last_request_id
            );
            return bad("decision.request_id", problem);
        }
        self.charge(seat, by, record)?;
        self.note(seat, by, &record.note)?;
        let tally = &mut self.tallies[seat.index()];
        tally.last_request_id = tally.last_request_id.max(record.request_id);
        match by {
            DecidedBy::Bot => tally.clock_use.answered += 1,
            DecidedBy::House => tally.house_decisions += 1,
            DecidedBy::Referee | DecidedBy::Unspecified | DecidedBy::Replay => {
                tally.forced_decisions += 1;
            }
        }
        Ok(())
    }

    /// The referee plays what there is nothing to choose in, and nothing else.
    fn played_by_referee(&self, by: DecidedBy, referee_plays: bool) -> Result<(), BadField> {
        if referee_plays != (by == DecidedBy::Referee) {
            let problem = match (referee_plays, self.rules.ask_forced) {
                (true, _) => "one decision was legal, so the referee played it",
                (false, true) => {
                    "the referee plays nothing in this match, which asks for everything"
                }
                (false, false) => "several decisions were legal, so the referee did not play one",
            };
            return bad("decision.decided_by", problem);
        }
        Ok(())
    }

    /// A decision that was taken over answers no request, costs nothing, and has no note: its note
    /// stays in the replay that it is from.
    fn taken_over(&mut self, seat: Seat, record: &DecisionRecord) -> Result<(), BadField> {
        if record.request_id != 0 {
            return bad("decision.request_id", "is set although nobody was asked");
        }
        if record.charge.is_some() {
            return bad("decision.charge", "is set although no bot decided");
        }
        self.note(seat, DecidedBy::Replay, &record.note)?;
        self.tallies[seat.index()].taken_over += 1;
        Ok(())
    }

    /// A decision of a bot, and no other, is charged, by the rules of the clock.
    fn charge(
        &mut self,
        seat: Seat,
        by: DecidedBy,
        record: &DecisionRecord,
    ) -> Result<(), BadField> {
        match (&record.charge, by) {
            (Some(charge), DecidedBy::Bot) => {
                let charge = charge_from_wire(charge);
                let rules = self.rules.clock_of(seat);
                let most_credit_us = most_credit_us(self.format_version, &rules);
                let checked = check_charge(&charge, &rules, most_credit_us);
                checked.map_err(|problem| BadField {
                    field: "decision.charge".to_owned(),
                    problem,
                })?;
                self.tallies[seat.index()].clock_use.add(&charge);
            }
            (None, DecidedBy::Bot) => return bad("decision.charge", "is missing: a bot decided"),
            (Some(_), _) => return bad("decision.charge", "is set although no bot decided"),
            (None, _) => {}
        }
        Ok(())
    }

    /// A note is of a bot, and within what is kept.
    fn note(&mut self, seat: Seat, by: DecidedBy, note: &str) -> Result<(), BadField> {
        if !note.is_empty() && by != DecidedBy::Bot {
            return bad("decision.note", "is set although no bot decided");
        }
        let room = &mut self.note_rooms[seat.index()];
        let left_bytes = room.left_bytes();
        if !room.take(note.len()) {
            let problem = format!(
                "has {} bytes; at most {MAX_NOTE_BYTES} are kept, and {left_bytes} are left for \
                 seat {seat}",
                note.len()
            );
            return bad("decision.note", problem);
        }
        Ok(())
    }

    fn fault(&mut self, record: &FaultRecord) -> Result<(), BadField> {
        let seat = self.seat("fault.seat", record.seat)?;
        let tally = &mut self.tallies[seat.index()];
        if tally.forfeit.is_some() {
            return bad(
                "fault.seat",
                format!("seat {seat} had forfeited and commits no more faults"),
            );
        }
        let Some(fault) = &record.fault else {
            return bad("fault.fault", "is missing");
        };
        let Some(reason) = reason_from_wire(fault.reason()) else {
            return bad("fault.fault.reason", "is not set, or unknown");
        };
        let policy = &self.rules.faults;
        let mut cost = policy.cost(reason, &mut tally.strikes);
        // Faults beyond those that are kept may have brought strikes that no record shows.
        let are_all_known = tally.faults.len() < MAX_FAULTS_KEPT;
        let forfeit = action_to_wire(FaultAction::Forfeit);
        if cost == FaultAction::Strike && !are_all_known && fault.action() == forfeit {
            cost = FaultAction::Forfeit;
        }
        let expected = action_to_wire(cost);
        if fault.action() != expected {
            let problem = format!(
                "is {}; this fault costs {} in this match",
                fault.action().as_str_name(),
                expected.as_str_name()
            );
            return bad("fault.fault.action", problem);
        }
        if cost == FaultAction::Forfeit {
            tally.forfeit = Some(reason);
        }
        tally.faults.push(fault.clone());
        Ok(())
    }

    fn seat_change(&mut self, record: &SeatRecord) -> Result<(), BadField> {
        let Some(info) = &record.seat else {
            return bad("seat.seat", "is missing");
        };
        let seat = self.seat("seat.seat.seat", info.seat)?;
        let tally = &mut self.tallies[seat.index()];
        tally.seat_records += 1;
        tally.bot = (info.bot_name.clone(), info.bot_version.clone());
        Ok(())
    }
}

/// Compares the events of a record with those that the rules bring about.
fn same_events<G: WireGame>(
    field: &str,
    stated: &[GameEvent],
    events: &[G::Event],
) -> Result<(), BadField> {
    for (number, event) in events.iter().enumerate() {
        if stated.get(number) != Some(&G::event_to_wire(event)) {
            let problem = format!("is not what the rules bring about: {event}");
            return bad(format!("{field}[{number}]"), problem);
        }
    }
    if stated.len() > events.len() {
        let problem = "is more than the rules bring about";
        return bad(format!("{field}[{}]", events.len()), problem);
    }
    Ok(())
}
