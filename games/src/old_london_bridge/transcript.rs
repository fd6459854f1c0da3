//! One readable line for each event.

use std::fmt;

use super::event::Event;
use super::notation::write_cards;
use super::observation::Pawn;

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundStarted {
                round,
                marker,
                orientation,
            } => write!(
                f,
                "round {round} begins: marker {marker}, the rondel turns to orientation {orientation}"
            ),
            Self::TakeA2Answered { seat, used: true } => {
                write!(f, "seat {seat} uses take_a_2 and takes a 2 from the supply")
            }
            Self::TakeA2Answered { seat, used: false } => write!(f, "seat {seat} keeps take_a_2"),
            Self::CardsChosen { seat } => write!(f, "seat {seat} has chosen"),
            Self::CardsRevealed { seat, cards } => {
                write!(f, "seat {seat} reveals {}", cards.first)?;
                cards
                    .second
                    .map_or(Ok(()), |second| write!(f, " and {second}"))
            }
            Self::CardsRaised {
                seat,
                raises: [0, 0],
            } => write!(f, "seat {seat} raises nothing"),
            Self::CardsRaised {
                seat,
                raises: [first, 0],
            } => {
                write!(f, "seat {seat} raises its first card by {first}")
            }
            Self::CardsRaised {
                seat,
                raises: [first, second],
            } => {
                write!(f, "seat {seat} raises its cards by {first} and {second}")
            }
            Self::OrderFixed { turns } => {
                f.write_str("order of play:")?;
                for (i, turn) in turns.iter().enumerate() {
                    let comma = if i == 0 { "" } else { "," };
                    write!(f, "{comma} seat {} ({})", turn.seat, turn.value)?;
                }
                Ok(())
            }
            Self::TurnStarted { turn, seat, card } => {
                write!(f, "turn {turn}: seat {seat}, whose {card} goes back")
            }
            Self::Placed {
                seat,
                pawn,
                stack,
                money,
                share,
                opening,
            } => {
                write!(f, "seat {seat} enters {pawn} for the {stack} stack")?;
                match money {
                    1.. => write!(f, ", gains £{money}")?,
                    0 => {}
                    _ => write!(f, ", pays £{}", -money)?,
                }
                if *share {
                    f.write_str(", uses share")?;
                }
                opening.map_or(Ok(()), |tile| write!(f, ", uses {tile}"))
            }
            Self::TurnSkipped { seat } => {
                write!(f, "seat {seat} can enter no space and builds nothing")
            }
            Self::Built {
                seat,
                building,
                slot,
                replaced,
                strength,
            } => {
                write!(f, "seat {seat} builds {building} in slot {slot}")?;
                if let Some(old) = replaced {
                    write!(f, " replacing {old}")?;
                }
                match strength {
                    0 => Ok(()),
                    _ => write!(f, ", strength {strength}"),
                }
            }
            Self::StackRevealed {
                stack,
                top: Some(top),
            } => {
                write!(f, "the {stack} stack shows {top}")
            }
            Self::StackRevealed { stack, top: None } => write!(f, "the {stack} stack is empty"),
            Self::ChapelAdvanced {
                seat,
                from,
                to,
                money,
            } => {
                write!(
                    f,
                    "seat {seat} advances on the chapel track from {from} to {to}"
                )?;
                write_gain(f, *money)
            }
            Self::GateAdvanced {
                seat,
                from,
                to,
                tiles,
                money,
            } => {
                write!(
                    f,
                    "seat {seat} advances on the gate track from {from} to {to}"
                )?;
                write_gain(f, *money)?;
                match tiles {
                    0 => Ok(()),
                    1 => f.write_str(", earns 1 bonus tile"),
                    _ => write!(f, ", earns {tiles} bonus tiles"),
                }
            }
            Self::TileTaken {
                seat,
                stack,
                tile,
                revealed: Some(revealed),
            } => {
                write!(
                    f,
                    "seat {seat} takes {tile} from bonus stack {stack}, which shows {revealed}"
                )
            }
            Self::TileTaken {
                seat,
                stack,
                tile,
                revealed: None,
            } => {
                write!(
                    f,
                    "seat {seat} takes {tile} from bonus stack {stack}, which is empty"
                )
            }
            Self::CardsTaken { seat, cards } => {
                write!(f, "seat {seat} takes cards:")?;
                write_cards(f, cards)
            }
            Self::HaberdasheryPaid { seat, money } => write!(f, "seat {seat} gains £{money}"),
            Self::CardRecalled { seat, card } => {
                write!(f, "seat {seat} uses recall and takes its {card} back")
            }
            Self::TileUsed { seat, tile } => write!(f, "seat {seat} uses {tile}"),
            Self::FacePaid { seat, face, money } => write!(f, "{face} pays seat {seat} £{money}"),
            Self::RoundEnded { round } => write!(f, "round {round} ends"),
            Self::GameEnded { early: false } => f.write_str("the match ends after its last round"),
            Self::GameEnded { early: true } => {
                f.write_str("the match ends early: three stacks are empty")
            }
        }
    }
}

fn write_gain(f: &mut fmt::Formatter<'_>, money: i32) -> fmt::Result {
    match money {
        0 => Ok(()),
        _ => write!(f, ", gains £{money}"),
    }
}

impl fmt::Display for Pawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("no space"),
            Self::Outer(0) => f.write_str("the X space"),
            Self::Outer(space) => write!(f, "outer space {space}"),
            Self::Centre => f.write_str("the centre"),
        }
    }
}
