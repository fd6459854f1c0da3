//! One readable line for each event.

use std::fmt;

use super::components::Cell;
use super::event::Event;

/// A cell in a line of a transcript: `(3, -1)`.
struct At(Cell);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.0.x, self.0.y)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TileDrawn { seat, tile } => write!(f, "seat {seat} draws {tile}"),
            Self::TileRemoved { seat, tile } => {
                write!(
                    f,
                    "seat {seat} draws {tile}, which fits nowhere and leaves the game"
                )
            }
            Self::TilePlaced {
                seat,
                tile,
                placement,
            } => write!(
                f,
                "seat {seat} lays {tile} at {}, rotation {}",
                At(placement.cell),
                placement.rotation
            ),
            Self::MeeplePlaced {
                seat,
                cell,
                segment,
            } => write!(f, "seat {seat} places a meeple at {}, {segment}", At(cell)),
            Self::MeepleKept { seat } => write!(f, "seat {seat} places no meeple"),
            Self::Scored {
                cell,
                segment,
                completed,
                points,
                seats,
            } => {
                let how = if completed { "completed" } else { "scored" };
                write!(f, "{segment} of {} is {how}: ", At(cell))?;
                if seats.is_empty() {
                    return write!(f, "nobody scores its {points}");
                }
                for (i, seat) in seats.iter().enumerate() {
                    let comma = if i == 0 { "" } else { " and " };
                    write!(f, "{comma}seat {seat}")?;
                }
                let verb = if seats.len() == 1 { "scores" } else { "score" };
                write!(f, " {verb} {points}")
            }
            Self::DrawbridgeDown {
                seat,
                cell,
                road,
                meeples,
            } => write!(
                f,
                "seat {seat} may send {meeples} from road {road} of {} through a drawbridge",
                At(cell)
            ),
            Self::MeepleSent { seat, gate } => write!(
                f,
                "seat {seat} sends a meeple to city {} of {}",
                gate.city,
                At(gate.cell)
            ),
            Self::MeepleTakenHome { seat } => write!(f, "seat {seat} takes a meeple home"),
            Self::GameEnded => f.write_str("the match ends; open features and fields are scored"),
        }
    }
}
