//! Conversions for Carcassonne's messages.

use bridgemaster_games::carcassonne::{
    Cell, CityParts, Crossing, Decision, Edge, Edition, EditionParts, Event, FieldParts, Gate,
    HalfEdge, LaidTile, MAX_COORDINATE, MAX_PLAYERS, MAX_POINTS, MEEPLES, Meeple, Observation,
    Phase, Placement, Points, RoadParts, SeatView, Segment, Setup, Terrain, TileParts,
};

use super::v1;
use crate::games::{
    conversion::{Each, InRange, SeatBelow},
    describe::{wire_message, wire_oneof},
    enums::wire_enum,
    other_form::wire_edition,
};

/// A seat number in this game.
pub(super) const SEAT: SeatBelow = SeatBelow(MAX_PLAYERS);
/// A coordinate of a cell, relative to the start tile.
const COORDINATE: InRange<i8> = InRange(-MAX_COORDINATE..=MAX_COORDINATE);
/// The points for a feature or for a seat.
const FEATURE_POINTS: InRange<u16> = InRange(0..=MAX_POINTS);
/// The number of meeples on a road before a drawbridge.
const CROSSING_MEEPLES: InRange<u8> = InRange(1..=MEEPLES);
/// The number of tiles of one kind. The most frequent kind is V, with nine tiles.
const TILES_PER_KIND: InRange<u8> = InRange(0..=9);

wire_enum! { Terrain = v1::Terrain { Field Road City } }
wire_enum! { Edge = v1::Edge { North East South West } }
wire_enum! {
    HalfEdge = v1::HalfEdge {
        NorthLeft NorthRight EastLeft EastRight SouthLeft SouthRight WestLeft WestRight
    }
}

wire_edition! { Edition = v1::Edition as EditionParts }
wire_message! { EditionParts = v1::Edition { name, tiles } }
wire_message! { TileParts = v1::Tile { edges, cities, roads, fields, monastery } }
wire_message! { CityParts = v1::CitySegment { edges, shield } }
wire_message! { RoadParts = v1::RoadSegment { edges, drawbridge } }
wire_message! { FieldParts = v1::FieldSegment { half_edges, cities } }

wire_message! { Setup = v1::Setup { first_seat => first: SEAT, tiles } }

wire_message! { Decision = v1::Decision { decision } => decision }
wire_oneof! {
    Decision = v1::decision::Decision { Place(placement), Meeple(segment), Drawbridge(gate) }
}
wire_message! {
    Placement = v1::Placement {
        rotation;
        x: COORDINATE, y: COORDINATE => cell (Cell { x, y }),
    }
}
wire_message! { Option<Segment> = v1::MeepleChoice { choice } => choice }
wire_oneof! {
    Option<Segment> = v1::meeple_choice::Choice {
        None as NoMeeple {} => (None),
        Segment(segment) => (Some(segment)),
    }
}
wire_message! { Option<Gate> = v1::DrawbridgeChoice { choice } => choice }
wire_oneof! {
    Option<Gate> = v1::drawbridge_choice::Choice {
        Home {} => (None),
        Gate(gate) => (Some(gate)),
    }
}
wire_message! { Gate = v1::Gate { city; x: COORDINATE, y: COORDINATE => cell (Cell { x, y }) } }

wire_message! { Event = v1::Event { event } => event }
wire_oneof! {
    Event = v1::event::Event {
        TileDrawn { seat: SEAT, tile },
        TileRemoved { seat: SEAT, tile },
        TilePlaced { seat: SEAT, tile, placement },
        MeeplePlaced {
            seat: SEAT,
            segment;
            x: COORDINATE, y: COORDINATE => cell (Cell { x, y }),
        },
        MeepleKept { seat: SEAT },
        Scored {
            segment,
            completed,
            points: FEATURE_POINTS,
            seats;
            x: COORDINATE, y: COORDINATE => cell (Cell { x, y }),
        },
        DrawbridgeDown {
            seat: SEAT,
            road,
            meeples: CROSSING_MEEPLES;
            x: COORDINATE, y: COORDINATE => cell (Cell { x, y }),
        },
        MeepleSent { seat: SEAT, gate },
        MeepleTakenHome { seat: SEAT },
        GameEnded {},
    }
}

wire_message! {
    Observation = v1::Observation {
        viewer_seat => viewer: SEAT,
        turn_seat => turn: SEAT,
        phase,
        seats,
        tiles,
        meeples,
        removed,
        unseen: Each(TILES_PER_KIND),
    }
}
wire_oneof! {
    Phase = v1::observation::Phase {
        PlaceTile as PlaceTilePhase { tile },
        PlaceMeeple as PlaceMeeplePhase {},
        Drawbridge as DrawbridgePhase { crossings },
        Over as OverPhase {},
    }
}
wire_message! { Crossing = v1::Crossing { road, seat: SEAT, meeples: CROSSING_MEEPLES } }
wire_message! {
    SeatView = v1::SeatView {
        supply: InRange(0..=MEEPLES);
        road_points: FEATURE_POINTS,
        city_points: FEATURE_POINTS,
        monastery_points: FEATURE_POINTS
            => points (Points {
                roads: road_points,
                cities: city_points,
                monasteries: monastery_points,
            }),
    }
}
wire_message! {
    LaidTile = v1::LaidTile {
        tile;
        x: COORDINATE, y: COORDINATE, rotation
            => placement (Placement { cell: Cell { x, y }, rotation }),
    }
}
wire_message! {
    Meeple = v1::Meeple {
        seat: SEAT,
        segment;
        x: COORDINATE, y: COORDINATE => cell (Cell { x, y }),
    }
}
