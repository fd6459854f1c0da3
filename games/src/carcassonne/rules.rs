//! The rules: whose turn it is, what is legal and what it does.

use std::ops::RangeInclusive;

use super::Carcassonne;
use super::components::{EDGES, Edge, MAX_PLAYERS, MIN_PLAYERS, Segment, TileKind};
use super::config::Config;
use super::decision::{Decision, Gate, Placement};
use super::event::Event;
use super::features::Feature;
use super::frontier::{MAX_OPEN, OpenPlace};
use super::illegal::Illegal;
use super::observation::Phase;
use super::setup::{self, Setup};
use super::state::State;
use super::tile::Listed;
use crate::{
    Digest, EventSink, FieldError, LegalList, NoChance, OutOfTurn, Outcome, Rules, Seat, SeatCount,
    SeatSet, Seed,
};

impl Rules for Carcassonne {
    const ID: &'static str = "carcassonne";
    const NAME: &'static str = "Carcassonne with the Drawbridges";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = MIN_PLAYERS as u8..=MAX_PLAYERS as u8;
    /// Longest legal list that the rules bound: a tile in each rotation in each open cell. Play that
    /// spreads the map out has come to 272, random play to 104.
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

    fn owing(state: &State) -> SeatSet {
        match &state.phase {
            Phase::PlaceTile { .. } | Phase::PlaceMeeple => SeatSet::one(state.turn),
            Phase::Drawbridge { crossings } => {
                let first = crossings.first().map(|crossing| crossing.seat);
                first.map_or(SeatSet::EMPTY, SeatSet::one)
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
                let asked = match phase {
                    Phase::PlaceTile { .. } => "place",
                    Phase::PlaceMeeple => "meeple",
                    Phase::Drawbridge { .. } => "drawbridge",
                    Phase::Over => "nothing",
                };
                Err(OutOfTurn::kind(decision.word(), asked).into())
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
    /// Checks where a tile is to be laid, and finds the place.
    fn check_placement(&self, tile: TileKind, placement: Placement) -> Result<OpenPlace, Illegal> {
        let Placement { cell, rotation } = placement;
        let Some(place) = self.map.frontier().find(cell) else {
            return Err(Illegal::CellClosed { cell });
        };
        let open = self.map.frontier().at(place);
        let shape = self.fixed.edition.shape(tile);
        if shape.fitting(open.demand).contains(rotation) {
            return Ok(place);
        }
        let lying = shape.lying(rotation);
        let mismatch = Edge::ALL.into_iter().find(|&edge| {
            let asked = open.demand.at(edge);
            asked.is_some_and(|asked| asked != lying.terrain[edge.index()])
        });
        Err(match mismatch {
            Some(edge) => Illegal::EdgeMismatch {
                tile,
                rotation,
                edge,
            },
            None => Illegal::RotationRepeated {
                tile,
                first: shape.first_alike(rotation),
            },
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
        events.push(Event::TilePlaced {
            seat: self.turn,
            tile,
            placement,
        });
        Ok(())
    }

    /// Checks where a meeple is to be placed.
    fn check_meeple(&self, segment: Segment) -> Result<(), Illegal> {
        if self.supply[self.turn.index()] == 0 {
            return Err(Illegal::SupplyEmpty);
        }
        let (edition, last) = (&self.fixed.edition, self.map.last());
        let mut features = self.map.last_features().iter();
        let Some(&(_, feature)) = features.find(|&&(first, _)| first == segment) else {
            return Err(match self.map.feature(edition, last, segment) {
                None => Illegal::NoSuchSegment(segment),
                Some(Feature::Field(_)) if !self.fixed.fields => Illegal::FieldsOff,
                Some(feature) => self.not_first(segment, feature),
            });
        };
        if matches!(feature, Feature::Field(_)) && !self.fixed.fields {
            Err(Illegal::FieldsOff)
        } else if self.map.is_occupied(feature) {
            Err(Illegal::Occupied(segment))
        } else {
            Ok(())
        }
    }

    /// Refuses a later segment of a feature of the tile laid last.
    fn not_first(&self, given: Segment, feature: Feature) -> Illegal {
        let mut features = self.map.last_features().iter();
        match features.find(|&&(_, other)| other == feature) {
            Some(&(first, _)) => Illegal::SegmentNotFirst { given, first },
            None => Illegal::NoSuchSegment(given),
        }
    }

    fn place_meeple(
        &mut self,
        segment: Option<Segment>,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        let (seat, tile) = (self.turn, self.map.last());
        if let Some(segment) = segment {
            self.check_meeple(segment)?;
            self.map
                .add_meeple(&self.fixed.edition, tile, segment, seat);
            self.supply[seat.index()] -= 1;
        }
        events.push(match segment {
            None => Event::MeepleKept { seat },
            Some(segment) => Event::MeeplePlaced {
                seat,
                cell: self.map.tile(tile).placement.cell,
                segment,
            },
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
        let Phase::Drawbridge { crossings } = &self.phase else {
            return Err(OutOfTurn::Over.into());
        };
        let (mut crossings, Some(crossing)) = (crossings.clone(), self.first_crossing()) else {
            return Err(OutOfTurn::Over.into());
        };
        let seat = crossing.seat;
        match gate {
            None => {
                self.supply[seat.index()] += 1;
                events.push(Event::MeepleTakenHome { seat });
            }
            Some(gate) => {
                let tile = self.check_gate(crossing.road, gate)?;
                let segment = Segment::City(gate.city);
                self.map
                    .add_meeple(&self.fixed.edition, tile, segment, seat);
                events.push(Event::MeepleSent { seat, gate });
            }
        }
        crossings[0].meeples -= 1;
        if crossings[0].meeples == 0 {
            crossings.remove(0);
        }
        self.cross_or_end_turn(crossings, events);
        Ok(())
    }

    /// Checks a way from a completed road. Returns the tile of the gate.
    fn check_gate(&self, road: Edge, gate: Gate) -> Result<u8, Illegal> {
        let Some(road) = self.road_of(road) else {
            return Err(Illegal::NoSuchGate { gate });
        };
        if let Some((_, tile)) = self.map.down(road).find(|&(first, _)| first == gate) {
            return Ok(tile);
        }
        Err(match self.map.first_gate(road, gate) {
            Some(first) => Illegal::GateNotFirst(first),
            None => Illegal::NoSuchGate { gate },
        })
    }
}

impl State {
    fn list_placements(&self, tile: TileKind, list: &mut Vec<Decision>) {
        let shape = self.fixed.edition.shape(tile);
        for open in self.map.frontier().cells() {
            let Listed { len, rotations } = shape.fitting(open.demand).listed();
            // Adding four and taking some back costs less than a branch for each, which processors
            // guess wrong too often.
            let (before, cell) = (list.len(), open.cell);
            list.extend(rotations.map(|rotation| Decision::Place(Placement { cell, rotation })));
            list.truncate(before + usize::from(len));
        }
    }

    fn list_meeples(&self, seat: Seat, list: &mut Vec<Decision>) {
        list.push(Decision::Meeple(None));
        if self.supply[seat.index()] == 0 {
            return;
        }
        for &(segment, feature) in self.map.last_features() {
            let allowed = self.fixed.fields || !matches!(feature, Feature::Field(_));
            if allowed && !self.map.is_occupied(feature) {
                list.push(Decision::Meeple(Some(segment)));
            }
        }
    }

    fn list_gates(&self, list: &mut Vec<Decision>) {
        list.push(Decision::Drawbridge(None));
        let crossing = self.first_crossing();
        if let Some(road) = crossing.and_then(|crossing| self.road_of(crossing.road)) {
            let gates = self.map.down(road);
            list.extend(gates.map(|(gate, _)| Decision::Drawbridge(Some(gate))));
        }
    }
}
