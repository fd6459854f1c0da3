//! A match of one game, played record by record.

use bridgemaster_games::{LegalList, Seat, Viewer};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        ChanceRecord, DecisionRecord, Fault, FaultRecord, PlayedDecision, Position, Record, Replay,
        SeatFault, record,
    },
};
use bridgemaster_referee::MatchRules;

use super::{banks::Banks, disclosure::Disclosure};
use crate::{
    forked::Forked,
    opening::{BadField, Opening, bad, open, seat_of},
};

/// A match of some game, played record by record.
pub(super) trait Reel: Send {
    /// Plays a record.
    fn record(&mut self, record: &Record) -> Result<(), BadField>;

    /// The position that is complete now, if there is a new one and it is wanted.
    fn take(&mut self) -> Option<Position>;

    /// All that records have may be told.
    fn disclose(&mut self);
}

/// A match of one game, played record by record.
pub(super) struct GameReel<G: WireGame> {
    rules: MatchRules<G>,
    /// What is left of what was taken over from another match.
    forked: Forked,
    state: G::State,
    viewers: Vec<Viewer>,
    /// The first position that is wanted.
    from: u32,
    disclosure: Disclosure,
    banks: Banks,
    /// Banks at the end, if the result is known: it has what no record tells.
    last_banks_ms: Option<Vec<u32>>,
    /// The next position, as far as it goes.
    next: Position,
    /// The next position lacks nothing but chance results that are due.
    is_decided: bool,
    /// Buffer for legal decisions.
    legal: Vec<G::Decision>,
}

impl<G: WireGame> GameReel<G> {
    /// The match that `head` begins.
    pub(super) fn open(
        head: &Replay,
        viewers: Vec<Viewer>,
        from: u32,
        disclosure: Disclosure,
    ) -> Result<Self, BadField> {
        let Opening {
            rules,
            setup: _,
            mut state,
            events,
        } = open::<G>(head)?;
        let mut forked = Forked::of(head)?;
        forked.go_on(&rules, &mut state)?;
        let mut banks = Banks::new(rules.seats.seats().map(|seat| rules.clock_of(seat)));
        banks.owe(G::owing(&state), 0);
        let mut reel = Self {
            banks,
            last_banks_ms: last_banks_ms(head),
            rules,
            forked,
            state,
            viewers,
            from,
            disclosure,
            next: Position::default(),
            is_decided: true,
            legal: Vec::new(),
        };
        reel.happened(&events);
        Ok(reel)
    }

    /// Whether the next position is wanted.
    fn is_wanted(&self) -> bool {
        self.next.number >= self.from
    }

    /// Whether the viewers may know what this seat alone knows now.
    fn knows(&self, seat: Seat) -> bool {
        self.disclosure == Disclosure::Everything || self.looks_as(seat)
    }

    fn looks_as(&self, seat: Seat) -> bool {
        self.viewers.contains(&Viewer::Seat(seat))
    }

    fn happened(&mut self, events: &[G::Event]) {
        if self.is_wanted() {
            let lines = events.iter().map(ToString::to_string);
            self.next.lines.extend(lines);
            self.next.events.extend(events.iter().map(G::event_to_wire));
        }
    }

    fn decision(&mut self, record: &DecisionRecord, at_ms: u64) -> Result<(), BadField> {
        let seat = seat_of(self.rules.seats, "decision.seat", record.seat)?;
        let Some(decision) = &record.decision else {
            return bad("decision.decision", "is missing");
        };
        let decision = G::decision_from_wire(decision)
            .or_else(|error| bad(format!("decision.decision.{}", error.field), error.detail))?;
        self.next.number += 1;
        if self.is_wanted() {
            self.next.played = Some(self.played(seat, record, &decision));
        }
        let mut events = Vec::new();
        G::apply(&mut self.state, seat, &decision, &mut events)
            .or_else(|illegal| bad("decision.decision", illegal))?;
        self.happened(&events);
        self.banks.decided(seat.index(), record, at_ms);
        self.is_decided = true;
        self.forked.decided();
        self.forked.go_on(&self.rules, &mut self.state)
    }

    /// A decision that is about to be applied, as the viewers may know it.
    fn played(
        &mut self,
        seat: Seat,
        record: &DecisionRecord,
        decision: &G::Decision,
    ) -> PlayedDecision {
        let mut played = PlayedDecision {
            seat: record.seat,
            decided_by: record.decided_by,
            charge: record.charge,
            ..PlayedDecision::default()
        };
        if self.knows(seat) {
            played.decision = Some(G::decision_to_wire(decision));
            played.notation = decision.to_string();
            played.note.clone_from(&record.note);
        }
        if self.looks_as(seat) {
            let list = G::legal(&self.state, seat, &mut self.legal);
            played.legal_decisions = self.legal.iter().map(G::decision_to_wire).collect();
            played.legal_decisions_cut = list == LegalList::Cut;
        }
        played
    }

    fn chance(&mut self, record: &ChanceRecord) -> Result<(), BadField> {
        let Some(chance) = &record.chance else {
            return bad("chance.chance", "is missing");
        };
        let chance = G::chance_from_wire(chance)
            .or_else(|error| bad(format!("chance.chance.{}", error.field), error.detail))?;
        let mut events = Vec::new();
        G::apply_chance(&mut self.state, &chance, &mut events)
            .or_else(|error| bad("chance.chance", error))?;
        self.happened(&events);
        self.forked.go_on(&self.rules, &mut self.state)
    }

    fn fault(&mut self, record: &FaultRecord) -> Result<(), BadField> {
        let seat = seat_of(self.rules.seats, "fault.seat", record.seat)?;
        let Some(fault) = &record.fault else {
            return bad("fault.fault", "is missing");
        };
        let fault = match self.knows(seat) {
            true => fault.clone(),
            // It may tell what the bot answered.
            false => Fault {
                detail: String::new(),
                ..fault.clone()
            },
        };
        self.next.faults.push(SeatFault {
            seat: record.seat,
            fault: Some(fault),
        });
        Ok(())
    }
}

impl<G: WireGame> Reel for GameReel<G> {
    fn record(&mut self, record: &Record) -> Result<(), BadField> {
        self.next.at_ms = record.at_ms;
        match &record.record {
            Some(record::Record::Decision(decision)) => self.decision(decision, record.at_ms)?,
            Some(record::Record::Chance(chance)) => self.chance(chance)?,
            Some(record::Record::Fault(fault)) => self.fault(fault)?,
            Some(record::Record::Seat(_)) => {}
            None => return bad("record", "is missing"),
        }
        self.banks.owe(G::owing(&self.state), record.at_ms);
        Ok(())
    }

    fn take(&mut self) -> Option<Position> {
        if !self.is_decided || G::chance_due(&self.state).is_some() {
            return None;
        }
        self.is_decided = false;
        let is_wanted = self.is_wanted();
        let is_over = G::owing(&self.state).is_empty();
        let following = Position {
            number: self.next.number,
            ..Position::default()
        };
        let mut position = std::mem::replace(&mut self.next, following);
        let viewers = self.viewers.iter().filter(|_| is_wanted);
        let observed = viewers.map(|viewer| G::observe(&self.state, *viewer));
        position.observations = observed.map(|seen| G::observation_to_wire(&seen)).collect();
        position.bank_left_ms = match &self.last_banks_ms {
            Some(banks_ms) if is_over => banks_ms.clone(),
            _ => self.banks.left_ms(),
        };
        is_wanted.then_some(position)
    }

    fn disclose(&mut self) {
        self.disclosure = Disclosure::Everything;
    }
}

/// What the result says that is left in the bank of each seat.
fn last_banks_ms(head: &Replay) -> Option<Vec<u32>> {
    let seats = head.result.as_ref()?.seats.iter();
    seats
        .map(|seat| Some(seat.clock_use.as_ref()?.bank_left_ms))
        .collect()
}
