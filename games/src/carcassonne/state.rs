//! The complete state of a match.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::components::{Cell, MAX_CROSSINGS, MAX_DRAWS, MAX_PLAYERS, MEEPLES, Segment, TileKind};
use super::config::Config;
use super::edition::Edition;
use super::event::Event;
use super::features::Feature;
use super::map::Map;
use super::observation::{Crossing, LaidTile, Phase, Points, SeatView};
use super::setup::Setup;
use crate::{Digest, Digester, EventSink, Seat, SeatCount};

/// The part that does not change during a match, including the hidden tile order. All states of a
/// match share this part.
#[derive(Debug)]
pub(super) struct Fixed {
    pub(super) edition: Arc<Edition>,
    pub(super) seats: SeatCount,
    /// `true` if meeples may be placed on fields.
    pub(super) fields: bool,
    /// The tiles in the order in which they are drawn.
    pub(super) tiles: ArrayVec<TileKind, MAX_DRAWS>,
}

/// The complete state. A clone copies about 9 KiB and shares the rest.
#[derive(Clone, Debug)]
pub struct State {
    pub(super) fixed: Arc<Fixed>,
    pub(super) map: Map,
    /// The number of tiles drawn so far.
    pub(super) drawn: u8,
    /// The seat whose turn it is; once the match has ended, the seat that drew last.
    pub(super) turn: Seat,
    pub(super) phase: Phase,
    /// Each seat's supply and points, indexed by seat.
    pub(super) seats: ArrayVec<SeatView, MAX_PLAYERS>,
    pub(super) removed: ArrayVec<TileKind, MAX_DRAWS>,
}

impl State {
    /// Creates the state before the first tile is drawn. `setup` must be valid.
    pub(super) fn new(config: &Config, seats: SeatCount, setup: &Setup) -> Self {
        let seat = SeatView { supply: MEEPLES, points: Points::default() };
        Self {
            map: Map::new(&config.edition),
            fixed: Arc::new(Fixed {
                edition: Arc::clone(&config.edition),
                seats,
                fields: config.fields,
                tiles: setup.tiles.clone(),
            }),
            drawn: 0,
            turn: setup.first,
            phase: Phase::PlaceMeeple,
            seats: seats.seats().map(|_| seat.clone()).collect(),
            removed: ArrayVec::new(),
        }
    }

    /// Draws the tile for a turn. Tiles that fit nowhere are removed (C2). If no tile is left, the
    /// match ends.
    pub(super) fn draw_tile(&mut self, events: &mut impl EventSink<Event>) {
        let seat = self.turn;
        while let Some(&tile) = self.fixed.tiles.get(usize::from(self.drawn)) {
            self.drawn += 1;
            if self.fits_somewhere(tile) {
                self.phase = Phase::PlaceTile { tile };
                events.push(Event::TileDrawn { seat, tile });
                return;
            }
            self.removed.push(tile);
            events.push(Event::TileRemoved { seat, tile });
        }
        self.phase = Phase::Over;
        events.push(Event::GameEnded);
        self.emit_final_scores(events);
    }

    /// Returns `true` if a tile has a legal placement.
    pub(super) fn fits_somewhere(&self, tile: TileKind) -> bool {
        let shape = self.fixed.edition.shape(tile);
        let mut cells = self.map.frontier.cells().iter();
        cells.any(|open| !shape.fitting(open.demand).is_empty())
    }

    /// Returns the undrawn tiles in the order in which they will be drawn.
    pub(super) fn undrawn(&self) -> &[TileKind] {
        &self.fixed.tiles[usize::from(self.drawn)..]
    }

    /// Returns the digest of the state: the fields below in this order, each integer as in
    /// [`Digester`], 16-bit integers low byte first, kinds of tile by number, edges and half-edges
    /// by index.
    ///
    /// * Seat count, and whether meeples may be placed on fields.
    /// * The tiles on the table in the order of placement (kind, x, y, rotation).
    /// * The meeples by tile, segment and seat (x, y, segment, seat).
    /// * Removed tiles, undrawn tiles in their order, the seat whose turn it is, and the phase.
    /// * For each seat: the supply, and the points for roads, cities and monasteries.
    ///
    /// For drawbridge tiles, only the number is hashed, because the edition is part of the config.
    pub(super) fn digest(&self) -> Digest {
        let Self {
            fixed,
            map,
            drawn: _, // shows in the tiles not drawn yet
            turn,
            phase,
            seats,
            removed,
        } = self;
        let Fixed {
            edition: _,
            seats: seat_count,
            fields,
            tiles: _, // those not drawn yet are below, the others on the table or removed
        } = &**fixed;
        let mut d = Digester::default();
        d.bytes(&[seat_count.get(), u8::from(*fields)]);
        d.u8(map.tiles().len() as u8);
        for LaidTile { tile, placement } in map.tiles() {
            d.u8(tile.number());
            digest_cell(&mut d, placement.cell);
            d.u8(placement.rotation.number());
        }
        d.u8(map.meeples.len() as u8);
        for meeple in &map.meeples {
            digest_cell(&mut d, map.cell(meeple.tile));
            d.bytes(&segment_bytes(meeple.segment));
            d.u8(meeple.seat.number());
        }
        for tiles in [&removed[..], self.undrawn()] {
            let numbers: ArrayVec<u8, MAX_DRAWS> = tiles.iter().map(|tile| tile.number()).collect();
            d.list(&numbers);
        }
        d.u8(turn.number());
        digest_phase(&mut d, phase);
        for SeatView { supply, points } in seats {
            d.u8(*supply);
            for points in points.each() {
                d.bytes(&points.to_le_bytes());
            }
        }
        d.finish()
    }

    /// Returns the root of the road that the pending crossing belongs to.
    pub(super) fn crossed_road(&self) -> Option<u8> {
        let segment = Segment::Road(self.phase.crossings().first()?.road);
        let edition = &self.fixed.edition;
        match self.map.feature(edition, self.map.last(), segment)? {
            Feature::Road(root) => Some(root),
            _ => None,
        }
    }

    /// Continues with the pending crossings, or with the next turn if there are none.
    pub(super) fn cross_or_end_turn(
        &mut self,
        crossings: ArrayVec<Crossing, MAX_CROSSINGS>,
        events: &mut impl EventSink<Event>,
    ) {
        if crossings.is_empty() {
            if !self.undrawn().is_empty() {
                let next = (self.turn.number() + 1) % self.fixed.seats.get();
                self.turn = Seat::new(next).unwrap_or(self.turn);
            }
            self.draw_tile(events);
        } else {
            self.phase = Phase::Drawbridge { crossings };
        }
    }
}

/// Hashes a tag, and then the phase's fields.
fn digest_phase(d: &mut Digester, phase: &Phase) {
    match phase {
        Phase::PlaceTile { tile } => d.bytes(&[0, tile.number()]),
        Phase::PlaceMeeple => d.u8(1),
        Phase::Drawbridge { crossings } => {
            d.bytes(&[2, crossings.len() as u8]);
            for crossing in crossings {
                d.bytes(&[crossing.road as u8, crossing.seat.number(), crossing.meeples]);
            }
        }
        Phase::Over => d.u8(3),
    }
}

fn digest_cell(d: &mut Digester, cell: Cell) {
    d.array([cell.x.cast_unsigned(), cell.y.cast_unsigned()]);
}

/// Returns the segment's type, and its edge or half-edge.
const fn segment_bytes(segment: Segment) -> [u8; 2] {
    match segment {
        Segment::Road(edge) => [0, edge as u8],
        Segment::City(edge) => [1, edge as u8],
        Segment::Monastery => [2, 0],
        Segment::Field(half) => [3, half as u8],
    }
}
