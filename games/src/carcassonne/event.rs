//! What happens in a match, in the order in which it happens. Every event is public.

use super::components::{Cell, Edge, Segment, TileKind};
use super::decision::{Gate, Placement};
use crate::events::events;
use crate::{Seat, SeatSet};

events! {
    /// Something that happened.
    #[derive(Copy)]
    Event {
        /// A seat drew the tile that it is to lay.
        TileDrawn {
            /// The seat.
            seat: Seat,
            /// The tile.
            tile: TileKind,
        } = "seat {seat} draws {tile}",
        /// A seat drew a tile that fits nowhere; it left the game.
        TileRemoved {
            /// The seat.
            seat: Seat,
            /// The tile.
            tile: TileKind,
        } = "seat {seat} draws {tile}, which fits nowhere and leaves the game",
        /// A seat laid a tile.
        TilePlaced {
            /// The seat.
            seat: Seat,
            /// The tile.
            tile: TileKind,
            /// Where and how it lies.
            placement: Placement,
        } = "seat {seat} lays {tile} at {}, rotation {}" (placement.cell.at(), placement.rotation),
        /// A seat placed a meeple.
        MeeplePlaced {
            /// The seat.
            seat: Seat,
            /// The cell of the tile just laid.
            cell: Cell,
            /// The segment of that tile.
            segment: Segment,
        } = "seat {seat} places a meeple at {}, {segment}" (cell.at()),
        /// A seat placed no meeple.
        MeepleKept {
            /// The seat.
            seat: Seat,
        } = "seat {seat} places no meeple",
        /// A feature was completed; or the match ended, and a feature with meeples was scored.
        Scored {
            /// A tile of the feature: the one just laid, for a monastery its own, at the end of the
            /// match the first of the feature that has a meeple.
            cell: Cell,
            /// The segment of that tile.
            segment: Segment,
            /// Whether the feature was completed; if not, this is the final scoring.
            completed: bool,
            /// What it is worth to each seat that scores.
            points: u16,
            /// The seats that score: those with the most meeples; none without any meeple.
            seats: SeatSet,
        } = "{segment} of {} is {}: {}" (
            cell.at(),
            if *completed { "completed" } else { "scored" },
            scorers(*seats, *points),
        ),
        /// A completed road has a drawbridge that is down, and one seat may use it.
        DrawbridgeDown {
            /// The seat that had the most meeples on the road.
            seat: Seat,
            /// The cell of the tile just laid.
            cell: Cell,
            /// The road, by its first edge on that tile.
            road: Edge,
            /// Meeples to decide on.
            meeples: u8,
        } = "seat {seat} may send {meeples} from road {road} of {} through a drawbridge" (cell.at()),
        /// A seat sent a meeple through a drawbridge.
        MeepleSent {
            /// The seat.
            seat: Seat,
            /// The way that it took.
            gate: Gate,
        } = "seat {seat} sends a meeple to city {} of {}" (gate.city, gate.cell.at()),
        /// A seat took a meeple home instead of sending it through a drawbridge.
        MeepleTakenHome {
            /// The seat.
            seat: Seat,
        } = "seat {seat} takes a meeple home",
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
