//! The rules: turn order, legal decisions and their effects.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;

use super::Carcassonne;
use super::components::{EDGES, MAX_PLAYERS, MIN_PLAYERS, Segment, TileKind};
use super::config::Config;
use super::decision::Illegal;
use super::decision::{Decision, Gate, Placement};
use super::event::Event;
use super::features::Feature;
use super::frontier::{MAX_OPEN, OpenIndex};
use super::observation::Phase;
use super::setup::{self, Setup};
use super::state::State;
use super::tile::RotationList;
use crate::{
    Digest, EventSink, FieldError, LegalList, NoChance, OutOfTurn, Outcome, Rules, Seat, SeatCount,
    SeatSet, Seed,
};

impl Rules for Carcassonne {
    const ID: &'static str = "carcassonne";
    const NAME: &'static str = "Carcassonne with the Drawbridges";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = MIN_PLAYERS as u8..=MAX_PLAYERS as u8;
    /// The maximum length of a legal list: each rotation of a tile in each open cell. The longest
    /// list was 272 in spread-out play, and 104 in random play.
    const LEGAL_CAP: usize = MAX_OPEN * EDGES;
    const NOTES: &'static [&'static str] = &[
        "Eight of the twelve drawbridge tiles of the built-in edition (D5 to D12) are the project's \
         own: the source shows them as pictures only.",
        "The drawbridge tiles D1 to D3 are known by their shape and D4 was read from a picture; \
         the fields of all four are inferred.",
    ];

    type Config = Config;
    type Setup = Setup;
    type State = State;
    type Decision = Decision;
    type Illegal = Illegal;
    type Event = Event;
    type Chance = NoChance;

    fn draw_setup(config: &Config, seats: SeatCount, seed: &Seed) -> Result<Setup, FieldError> {
        setup::draw(config, seats, seed)
    }

    fn start(
        config: &Config,
        seats: SeatCount,
        setup: &Setup,
        events: &mut impl EventSink<Event>,
    ) -> Result<State, FieldError> {
        setup.check(config, seats)?;
        let mut state = State::new(config, seats, setup);
        state.draw_tile(events);
        Ok(state)
    }

    fn seats(state: &State) -> SeatCount {
        state.fixed.seats
    }

    fn seats_to_decide(state: &State) -> SeatSet {
        match &state.phase {
            Phase::PlaceTile { .. } | Phase::PlaceMeeple => SeatSet::one(state.turn),
            Phase::Drawbridge { crossings } => {
                let first = crossings.first();
                first.map_or(SeatSet::EMPTY, |first| SeatSet::one(first.seat))
            }
            Phase::Over => SeatSet::EMPTY,
        }
    }

    fn list(state: &State, seat: Seat, list: &mut Vec<Decision>) -> LegalList {
        match &state.phase {
            Phase::PlaceTile { tile } => state.list_placements(*tile, list),
            Phase::PlaceMeeple => state.list_meeples(seat, list),
            Phase::Drawbridge { .. } => state.list_gates(list),
            Phase::Over => {}
        }
        LegalList::Complete
    }

    fn decide(
        state: &mut State,
        _seat: Seat,
        decision: &Decision,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        match (&state.phase, *decision) {
            (Phase::PlaceTile { tile }, Decision::Place(placement)) => {
                state.place_tile(*tile, placement, events)
            }
            (Phase::PlaceMeeple, Decision::Meeple(segment)) => state.place_meeple(segment, events),
            (Phase::Drawbridge { .. }, Decision::Drawbridge(gate)) => state.cross(gate, events),
            (phase, decision) => {
                let expected = match phase {
                    Phase::PlaceTile { .. } => "place",
                    Phase::PlaceMeeple => "meeple",
                    Phase::Drawbridge { .. } => "drawbridge",
                    Phase::Over => "nothing",
                };
                Err(OutOfTurn::wrong_kind(decision.word(), expected).into())
            }
        }
    }

    fn outcome(state: &State) -> Option<Outcome> {
        state.outcome()
    }

    fn digest(state: &State) -> Digest {
        state.digest()
    }
}

impl State {
    /// Checks a tile placement, and returns its open cell.
    fn check_placement(&self, tile: TileKind, placement: Placement) -> Result<OpenIndex, Illegal> {
        let Placement { cell, rotation } = placement;
        let place = self.map.frontier.find(cell);
        let place = place.ok_or(Illegal::CellClosed { cell })?;
        let demand = self.map.frontier.at(place).demand;
        let shape = self.fixed.edition.shape(tile);
        if shape.fitting(demand).contains(rotation) {
            return Ok(place);
        }
        Err(match shape.rotated(rotation).mismatch(demand) {
            Some(edge) => Illegal::EdgeMismatch { tile, rotation, edge },
            None => Illegal::RotationRepeated { tile, first: shape.first_equivalent(rotation) },
        })
    }

    fn place_tile(
        &mut self,
        tile: TileKind,
        placement: Placement,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        let place = self.check_placement(tile, placement)?;
        let edition = &self.fixed.edition;
        self.map.lay(edition, tile, placement.rotation, place);
        self.phase = Phase::PlaceMeeple;
        events.push(Event::TilePlaced { seat: self.turn, tile, placement });
        Ok(())
    }

    /// Checks a meeple placement.
    fn check_meeple(&self, segment: Segment) -> Result<(), Illegal> {
        if self.seats[self.turn.index()].supply == 0 {
            return Err(Illegal::SupplyEmpty);
        }
        let features = &self.map.last_features;
        let first = features.iter().find(|(first, _)| *first == segment);
        let later = || {
            let (edition, last) = (&self.fixed.edition, self.map.last());
            self.map.feature(edition, last, segment)
        };
        let feature = first.map(|&(_, feature)| feature).or_else(later);
        let feature = feature.ok_or(Illegal::NoSuchSegment(segment))?;
        if !self.allows_meeples_on(feature) {
            return Err(Illegal::FieldsOff);
        }
        match features.iter().find(|(_, other)| *other == feature) {
            Some(&(first, _)) if first != segment => {
                Err(Illegal::SegmentNotFirst { given: segment, first })
            }
            _ if self.map.is_occupied(feature) => Err(Illegal::Occupied(segment)),
            _ => Ok(()),
        }
    }

    /// Returns `true` if meeples may be placed on this type of feature in this match.
    fn allows_meeples_on(&self, feature: Feature) -> bool {
        self.fixed.fields || !matches!(feature, Feature::Field(_))
    }

    fn place_meeple(
        &mut self,
        segment: Option<Segment>,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        let (seat, tile) = (self.turn, self.map.last());
        if let Some(segment) = segment {
            self.check_meeple(segment)?;
            let edition = &self.fixed.edition;
            self.map.add_meeple(edition, tile, segment, seat);
            self.seats[seat.index()].supply -= 1;
        }
        events.push(match segment {
            None => Event::MeepleKept { seat },
            Some(segment) => Event::MeeplePlaced { seat, cell: self.map.cell(tile), segment },
        });
        let crossings = self.score_completed(events);
        self.cross_or_end_turn(crossings, events);
        Ok(())
    }

    fn cross(
        &mut self,
        gate: Option<Gate>,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        let mut crossings: ArrayVec<_, _> = self.phase.crossings().iter().copied().collect();
        let Some(crossing) = crossings.first_mut() else {
            return Err(OutOfTurn::Over.into());
        };
        let seat = crossing.seat;
        match gate {
            None => {
                self.seats[seat.index()].supply += 1;
                events.push(Event::MeepleTakenHome { seat });
            }
            Some(gate) => {
                let tile = self.check_gate(gate)?;
                let (edition, segment) = (&self.fixed.edition, Segment::City(gate.city));
                self.map.add_meeple(edition, tile, segment, seat);
                events.push(Event::MeepleSent { seat, gate });
            }
        }
        crossing.meeples -= 1;
        if crossing.meeples == 0 {
            crossings.remove(0);
        }
        self.cross_or_end_turn(crossings, events);
        Ok(())
    }

    /// Checks the gate chosen for a meeple from a completed road. Returns the gate's tile.
    fn check_gate(&self, gate: Gate) -> Result<u8, Illegal> {
        let road = self.crossed_road();
        match road.and_then(|road| self.map.first_down(road, gate)) {
            None => Err(Illegal::NoSuchGate { gate }),
            Some(first) if first.gate != gate => Err(Illegal::GateNotFirst(first.gate)),
            Some(first) => Ok(first.tile),
        }
    }
}

impl State {
    fn list_placements(&self, tile: TileKind, list: &mut Vec<Decision>) {
        let shape = self.fixed.edition.shape(tile);
        for open in self.map.frontier.cells() {
            let RotationList { len, rotations } = shape.fitting(open.demand).list();
            // Adding all four entries and truncating the list is cheaper than an unpredictable
            // branch for each entry.
            let (before, cell) = (list.len(), open.cell);
            list.extend(rotations.map(|rotation| Decision::Place(Placement { cell, rotation })));
            list.truncate(before + usize::from(len));
        }
    }

    fn list_meeples(&self, seat: Seat, list: &mut Vec<Decision>) {
        list.push(Decision::Meeple(None));
        if self.seats[seat.index()].supply == 0 {
            return;
        }
        for &(segment, feature) in &self.map.last_features {
            if self.allows_meeples_on(feature) && !self.map.is_occupied(feature) {
                list.push(Decision::Meeple(Some(segment)));
            }
        }
    }

    fn list_gates(&self, list: &mut Vec<Decision>) {
        list.push(Decision::Drawbridge(None));
        if let Some(road) = self.crossed_road() {
            let down = self.map.down(road);
            list.extend(down.map(|drawbridge| Decision::Drawbridge(Some(drawbridge.gate))));
        }
    }
}
