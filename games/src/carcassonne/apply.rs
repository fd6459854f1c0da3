//! Applying decisions.

use super::components::{Edge, Segment, TileKind};
use super::decision::{Decision, Gate, Placement};
use super::event::Event;
use super::map::Feature;
use super::meeples::Standing;
use super::observation::Phase;
use super::refusal::Refusal;
use super::state::State;
use crate::{EventSink, OutOfTurn, Seat};

impl State {
    /// Applies a decision, or refuses it before anything has changed.
    pub(super) fn apply(
        &mut self,
        seat: Seat,
        decision: &Decision,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        OutOfTurn::check(seat, self.owing(), matches!(self.phase, Phase::Over))?;
        match (&self.phase, *decision) {
            (Phase::PlaceTile { tile }, Decision::Place(placement)) => {
                self.place_tile(*tile, placement, events)
            }
            (Phase::PlaceMeeple, Decision::Meeple(segment)) => self.place_meeple(segment, events),
            (Phase::Drawbridge { .. }, Decision::Drawbridge(gate)) => self.cross(gate, events),
            _ => Err(self.wrong_kind(decision).into()),
        }
    }

    fn wrong_kind(&self, decision: &Decision) -> OutOfTurn {
        OutOfTurn::WrongKind {
            given: decision.word(),
            asked: match self.phase {
                Phase::PlaceTile { .. } => "place",
                Phase::PlaceMeeple => "meeple",
                Phase::Drawbridge { .. } => "drawbridge",
                Phase::Over => "nothing",
            },
        }
    }

    /// Checks where a tile is to be laid.
    pub(super) fn check_placement(
        &self,
        tile: TileKind,
        placement: Placement,
    ) -> Result<(), Refusal> {
        let Placement { cell, rotation } = placement;
        let Some(open) = self.map.frontier().at(cell) else {
            return Err(Refusal::CellClosed(cell));
        };
        let shape = self.table.edition.shape(tile);
        if shape.fitting(open.demand).contains(rotation) {
            return Ok(());
        }
        let lying = shape.lying(rotation);
        let mismatch = Edge::ALL.into_iter().find(|&edge| {
            let asked = open.demand.at(edge);
            asked.is_some_and(|asked| asked != lying.terrain[edge.index()])
        });
        Err(match mismatch {
            Some(edge) => Refusal::EdgeMismatch {
                tile,
                rotation,
                edge,
            },
            None => Refusal::RotationRepeated {
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
    ) -> Result<(), Refusal> {
        self.check_placement(tile, placement)?;
        self.map.lay(&self.table.edition, tile, placement);
        self.phase = Phase::PlaceMeeple;
        events.push(Event::TilePlaced {
            seat: self.turn,
            tile,
            placement,
        });
        Ok(())
    }

    /// Checks where a meeple is to be placed.
    fn check_meeple(&self, segment: Segment) -> Result<(), Refusal> {
        if self.supply[self.turn.index()] == 0 {
            return Err(Refusal::SupplyEmpty);
        }
        let (edition, last) = (&self.table.edition, self.map.last());
        let Some(feature) = self.map.feature(edition, last, segment) else {
            return Err(Refusal::NoSuchSegment(segment));
        };
        if matches!(feature, Feature::Field(_)) && !self.table.fields {
            return Err(Refusal::FieldsOff);
        }
        let mut features = self.map.features_of(edition, last);
        match features.find(|&(_, other)| other == feature) {
            Some((first, _)) if first != segment => Err(Refusal::SegmentNotFirst {
                given: segment,
                first,
            }),
            _ if self.map.is_occupied(feature) => Err(Refusal::Occupied(segment)),
            _ => Ok(()),
        }
    }

    fn place_meeple(
        &mut self,
        segment: Option<Segment>,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        let (seat, tile) = (self.turn, self.map.last());
        if let Some(segment) = segment {
            self.check_meeple(segment)?;
            let standing = Standing {
                tile,
                segment,
                seat,
            };
            self.map.add_meeple(&self.table.edition, standing);
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
    ) -> Result<(), Refusal> {
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
                let standing = Standing {
                    tile,
                    segment: Segment::City(gate.city),
                    seat,
                };
                self.map.add_meeple(&self.table.edition, standing);
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
    fn check_gate(&self, road: Edge, gate: Gate) -> Result<u8, Refusal> {
        let Some(road) = self.road_of(road) else {
            return Err(Refusal::NoSuchGate(gate));
        };
        if let Some((_, tile)) = self.map.down(road).find(|&(first, _)| first == gate) {
            return Ok(tile);
        }
        Err(match self.map.first_gate(road, gate) {
            Some(first) => Refusal::GateNotFirst(first),
            None => Refusal::NoSuchGate(gate),
        })
    }
}
