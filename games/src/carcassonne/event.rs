//! Events of a match, in the order in which they happen. Every event is public.

use super::components::{Cell, Edge, Segment, TileKind};
use super::decision::{Gate, Placement};
use crate::events::events;
use crate::{Seat, SeatSet};

events! {
    /// An event of a match.
    #[derive(Copy)]
    Event {
        /// A seat drew the tile that it must place.
        TileDrawn { seat: Seat, tile: TileKind } = "seat {seat} draws {tile}",
        TileRemoved { seat: Seat, tile: TileKind }
            = "seat {seat} draws {tile}, which fits nowhere and leaves the game",
        TilePlaced { seat: Seat, tile: TileKind, placement: Placement }
            = "seat {seat} lays {tile} at {}, rotation {}" (
                placement.cell.at(),
                placement.rotation,
            ),
        /// A seat placed a meeple on a segment of the tile just placed.
        MeeplePlaced { seat: Seat, cell: Cell, segment: Segment }
            = "seat {seat} places a meeple at {}, {segment}" (cell.at()),
        MeepleKept { seat: Seat } = "seat {seat} places no meeple",
        /// A feature was scored, because it was completed or the match ended. The feature is named
        /// by a tile and a segment of this tile: the tile just placed or, for a monastery, the tile
        /// of the monastery. At the end of the match, the name has the first tile of the feature
        /// with a meeple. Each seat that has the most meeples there scores the points. If the
        /// feature has no meeple, no seat scores.
        Scored { cell: Cell, segment: Segment, completed: bool, points: u16, seats: SeatSet }
            = "{segment} of {} is {}: {}" (
                cell.at(),
                if *completed { "completed" } else { "scored" },
                scorers(*seats, *points),
            ),
        /// A completed road has a lowered drawbridge. The road is named by its first edge on the
        /// tile just placed. The seat had the most meeples on the road. For each of these
        /// `meeples`, it decides where the meeple goes.
        DrawbridgeDown { seat: Seat, cell: Cell, road: Edge, meeples: u8 }
            = "seat {seat} may send {meeples} from road {road} of {} through a drawbridge" (
                cell.at(),
            ),
        /// A seat sent a meeple through a drawbridge.
        MeepleSent { seat: Seat, gate: Gate }
            = "seat {seat} sends a meeple to city {} of {}" (gate.city, gate.cell.at()),
        /// A seat took a meeple home instead of sending it through a drawbridge.
        MeepleTakenHome { seat: Seat } = "seat {seat} takes a meeple home",
        /// The match ended; the final scoring follows.
        GameEnded = "the match ends; open features and fields are scored",
    }
}

fn scorers(seats: SeatSet, points: u16) -> String {
    let names: Vec<String> = seats.iter().map(|seat| format!("seat {seat}")).collect();
    match names.len() {
        0 => format!("nobody scores its {points}"),
        1 => format!("{} scores {points}", names[0]),
        _ => format!("{} score {points}", names.join(" and ")),
    }
}
