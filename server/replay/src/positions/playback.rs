//! Playback of one match, record by record.

use bridgemaster_games::{LegalList, Seat, Viewer};
use bridgemaster_proto::{
    games::{FieldError, WireGame},
    v1::{
        ChanceRecord, DecisionRecord, Fault, FaultRecord, PlayedDecision, Position, Record, Replay,
        SeatFault, record,
    },
};
use bridgemaster_referee::MatchRules;

use super::banks::Banks;
use crate::opening::{ForkProgress, Opening, chance_of, decision_of, invalid_field, open, seat_of};

/// Playback of a match, whatever its game is.
pub(super) trait Playback: Send {
    /// Applies a record to the game state.
    fn record(&mut self, record: &Record) -> Result<(), FieldError>;

    /// Returns the position that is now complete, if it is new and was requested.
    fn take(&mut self) -> Option<Position>;

    /// Discloses all facts in the records from now on.
    fn disclose(&mut self);
}

/// Playback of a match in one particular game.
pub(super) struct GamePlayback<G: WireGame> {
    rules: MatchRules<G>,
    /// Progress through the steps that were copied from the original match.
    forked: ForkProgress,
    state: G::State,
    viewers: Vec<Viewer>,
    /// The first position that was requested.
    from: u32,
    disclosure: Disclosure,
    banks: Banks,
    /// The banks at the end of a finished match, as stated in the result, since the records do not
    /// determine them exactly.
    last_banks_ms: Option<Vec<u32>>,
    /// The next position, which can be incomplete.
    next: Position,
    /// True if the next position is complete except for pending chance results.
    is_decided: bool,
    legal: Vec<G::Decision>,
}

impl<G: WireGame> GamePlayback<G> {
    /// Starts playback of the match that `head` describes.
    pub(super) fn open(
        head: &Replay,
        viewers: Vec<Viewer>,
        from: u32,
        disclosure: Disclosure,
    ) -> Result<Self, FieldError> {
        let Opening { rules, setup: _, mut state, events } = open::<G>(head)?;
        let mut forked = ForkProgress::from_head(head)?;
        forked.redraw_at_position(&rules, &mut state)?;
        let control_of = |seat| rules.clock_of(seat).time_control;
        let mut banks = Banks::new(rules.seats.seats().map(control_of));
        banks.set_seats_to_decide(G::seats_to_decide(&state), 0);
        let mut playback = Self {
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
        playback.add_events(&events);
        Ok(playback)
    }

    /// Returns whether the next position was requested.
    fn is_requested(&self) -> bool {
        self.next.number >= self.from
    }

    /// Returns whether the viewers may see the private facts of this seat.
    fn is_visible(&self, seat: Seat) -> bool {
        self.disclosure == Disclosure::Everything || self.is_viewer(seat)
    }

    fn is_viewer(&self, seat: Seat) -> bool {
        self.viewers.contains(&Viewer::Seat(seat))
    }

    fn add_events(&mut self, events: &[G::Event]) {
        if self.is_requested() {
            let lines = events.iter().map(ToString::to_string);
            self.next.lines.extend(lines);
            self.next.events.extend(events.iter().map(G::event_to_wire));
        }
    }

    fn decision(&mut self, record: &DecisionRecord, at_ms: u64) -> Result<(), FieldError> {
        let seat = seat_of(self.rules.seats, "decision.seat", record.seat)?;
        let decision = decision_of::<G>(record)?;
        self.next.number += 1;
        if self.is_requested() {
            self.next.played = Some(self.played(seat, record, &decision));
        }
        let mut events = Vec::new();
        G::apply(&mut self.state, seat, &decision, &mut events)
            .or_else(|illegal| invalid_field("decision.decision", illegal))?;
        self.add_events(&events);
        self.banks.record_decision(seat.index(), record, at_ms);
        self.is_decided = true;
        self.forked.record_decision();
        self.forked.redraw_at_position(&self.rules, &mut self.state)
    }

    /// Describes a decision that is about to be applied, without details that the viewers may not
    /// see.
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
        if self.is_visible(seat) {
            played.decision = Some(G::decision_to_wire(decision));
            played.notation = decision.to_string();
            played.note.clone_from(&record.note);
        }
        if self.is_viewer(seat) {
            let list = G::legal(&self.state, seat, &mut self.legal);
            played.legal_decisions = self.legal.iter().map(G::decision_to_wire).collect();
            played.legal_decisions_cut = list == LegalList::Cut;
        }
        played
    }

    fn chance(&mut self, record: &ChanceRecord) -> Result<(), FieldError> {
        let chance = chance_of::<G>(record)?;
        let mut events = Vec::new();
        G::apply_chance(&mut self.state, &chance, &mut events)
            .or_else(|error| invalid_field("chance.chance", error))?;
        self.add_events(&events);
        self.forked.redraw_at_position(&self.rules, &mut self.state)
    }

    fn fault(&mut self, record: &FaultRecord) -> Result<(), FieldError> {
        let seat = seat_of(self.rules.seats, "fault.seat", record.seat)?;
        let Some(fault) = &record.fault else {
            return invalid_field("fault.fault", "is missing");
        };
        let fault = if self.is_visible(seat) {
            fault.clone()
        } else {
            // Omits the detail, which could reveal the answer of the bot.
            Fault { detail: String::new(), ..fault.clone() }
        };
        self.next.faults.push(SeatFault { seat: record.seat, fault: Some(fault) });
        Ok(())
    }
}

impl<G: WireGame> Playback for GamePlayback<G> {
    fn record(&mut self, record: &Record) -> Result<(), FieldError> {
        self.next.at_ms = record.at_ms;
        match &record.record {
            Some(record::Record::Decision(decision)) => self.decision(decision, record.at_ms)?,
            Some(record::Record::Chance(chance)) => self.chance(chance)?,
            Some(record::Record::Fault(fault)) => self.fault(fault)?,
            Some(record::Record::Seat(_)) => {}
            None => return invalid_field("record", "is missing"),
        }
        self.banks.set_seats_to_decide(G::seats_to_decide(&self.state), record.at_ms);
        Ok(())
    }

    fn take(&mut self) -> Option<Position> {
        if !self.is_decided || G::chance_due(&self.state).is_some() {
            return None;
        }
        self.is_decided = false;
        let is_requested = self.is_requested();
        let is_over = G::seats_to_decide(&self.state).is_empty();
        let following = Position { number: self.next.number, ..Position::default() };
        let mut position = std::mem::replace(&mut self.next, following);
        let viewers = self.viewers.iter().filter(|_| is_requested);
        let observed = viewers.map(|viewer| G::observe(&self.state, *viewer));
        position.observations = observed.map(|seen| G::observation_to_wire(&seen)).collect();
        position.bank_left_ms = match &self.last_banks_ms {
            Some(banks_ms) if is_over => banks_ms.clone(),
            _ => self.banks.left_ms(),
        };
        is_requested.then_some(position)
    }

    fn disclose(&mut self) {
        self.disclosure = Disclosure::Everything;
    }
}

/// Each seat's final bank according to the result.
fn last_banks_ms(head: &Replay) -> Option<Vec<u32>> {
    let seats = head.result.as_ref()?.seats.iter();
    seats.map(|seat| Some(seat.clock_use.as_ref()?.bank_left_ms)).collect()
}

/// The extent to which a match is disclosed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disclosure {
    /// Public facts, and those that the viewing seats may see.
    Public,
    /// All facts in the records, including private ones.
    Everything,
}
