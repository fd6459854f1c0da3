//! Events of a match, in the order in which they happen. Every event is public.

use std::fmt;

use arrayvec::ArrayVec;

use super::components::{Building, CARD_VALUES, Face, Kind, TileKind};
use super::decision::counted;
use super::decision::{MAX_PLAYED, PlayedCards};
use super::observation::{MAX_TURNS, Pawn, Turn};
use crate::events::{events, listed};
use crate::{EventSink, Seat};

events! {
    /// An event of a match. Rounds, turns, stacks, slots and the spaces of tracks count from 0;
    /// cards are given by their printed value; money is in pounds.
    Event {
        /// A round started: its marker (1 to 3) was revealed and the rondel was turned.
        RoundStarted { round: u8, marker: u8, orientation: u8 }
            = "round {round} begins: marker {marker}, the rondel turns to orientation \
               {orientation}",
        /// A seat decided whether to use a take_a_2 tile.
        TakeA2Answered { seat: Seat, used: bool } = "seat {seat} {}" (if *used {
            "uses take_a_2 and takes a 2 from the supply"
        } else {
            "keeps take_a_2"
        }),
        /// A seat chose its cards, which are hidden until the reveal.
        CardsChosen { seat: Seat } = "seat {seat} has chosen",
        CardsRevealed { seat: Seat, cards: PlayedCards } = "seat {seat} reveals {cards}",
        /// A seat decided how many plus_one tiles it spends on each card.
        CardsRaised { seat: Seat, raises: [u8; MAX_PLAYED] }
            = "seat {seat} raises {}" (match raises {
                [0, 0] => "nothing".to_owned(),
                [first, 0] => format!("its first card by {first}"),
                [first, second] => format!("its cards by {first} and {second}"),
            }),
        /// The order of play for this round was fixed.
        OrderFixed { turns: ArrayVec<Turn, MAX_TURNS> } = "order of play: {}" (listed(turns)),
        /// A turn started. The card that was played for this turn returned to the supply, or to the
        /// hand if it is a "0".
        TurnStarted { turn: u8, seat: Seat, card: u8 }
            = "turn {turn}: seat {seat}, whose {card} goes back",
        /// A pawn was placed. Positive money is income, and negative money is the price of the
        /// centre. The seat may have spent a share tile or a tile that opens the spot.
        Placed {
            seat: Seat,
            pawn: Pawn,
            stack: Kind,
            money: i32,
            share: bool,
            opening: Option<TileKind>,
        } = "seat {seat} enters {pawn} for the {stack} stack{}" (placed(*money, *share, *opening)),
        /// No placement was legal, so the turn builds nothing.
        TurnSkipped { seat: Seat } = "seat {seat} can enter no space and builds nothing",
        /// A building was added to a bridge. If it replaced another building, that building left
        /// the game. `strength` is the strength of the new building's action.
        Built { seat: Seat, building: Building, slot: u8, replaced: Option<Building>, strength: u8 }
            = "seat {seat} builds {building} in slot {slot}{}{}" (
                optional(" replacing ", *replaced),
                optional(", strength ", Some(strength).filter(|&&strength| strength > 0)),
            ),
        /// The next building of a stack was revealed; `None` if the stack is empty.
        StackRevealed { stack: Kind, top: Option<Building> } = "the {stack} stack {}" (now(*top)),
        /// A marker advanced on the chapel track. The seat got money for the spaces that the marker
        /// reached or passed, including the last space.
        ChapelAdvanced { seat: Seat, from: u8, to: u8, money: i32 }
            = "seat {seat} advances on the chapel track from {from} to {to}{}" (gain(*money)),
        /// A marker advanced on the gate track. The seat earned bonus tiles, and money if the
        /// marker arrived at the last space.
        GateAdvanced { seat: Seat, from: u8, to: u8, tiles: u8, money: i32 }
            = "seat {seat} advances on the gate track from {from} to {to}{}{}" (
                gain(*money),
                match tiles {
                    0 => String::new(),
                    1 => ", earns 1 bonus tile".to_owned(),
                    _ => format!(", earns {tiles} bonus tiles"),
                },
            ),
        /// A seat took a face-up bonus tile. The next tile of its stack was revealed; `None` if
        /// there is none.
        TileTaken { seat: Seat, stack: u8, tile: TileKind, revealed: Option<TileKind> }
            = "seat {seat} takes {tile} from bonus stack {stack}, which {}" (now(*revealed)),
        /// A seat took cards from the supply; `cards` has the count of each value.
        CardsTaken { seat: Seat, cards: [u8; CARD_VALUES] }
            = "seat {seat} takes cards:{}" (counted(cards)),
        /// A haberdashery paid money according to its strength.
        HaberdasheryPaid { seat: Seat, money: i32 } = "seat {seat} gains £{money}",
        /// A seat took back the card that it had played.
        CardRecalled { seat: Seat, card: u8 } = "seat {seat} uses recall and takes its {card} back",
        /// A seat used a chapel_plus_2 or gate_plus_2 tile; the advance follows.
        TileUsed { seat: Seat, tile: TileKind } = "seat {seat} uses {tile}",
        /// A score-tile face paid during the match.
        FacePaid { seat: Seat, face: Face, money: i32 } = "{face} pays seat {seat} £{money}",
        /// A round ended; pawns left the rondel.
        RoundEnded { round: u8 } = "round {round} ends",
        /// The match ended; final scoring follows in the outcome.
        GameEnded { early: bool } = "the match ends {}" (if *early {
            "early: three stacks are empty"
        } else {
            "after its last round"
        }),
    }
}

/// Formats a stack's new top.
fn now(top: Option<impl fmt::Display>) -> String {
    top.map_or_else(|| "is empty".to_owned(), |top| format!("shows {top}"))
}

/// The receiver of a match's events.
pub(super) trait Events: EventSink<Event> {}

impl<E: EventSink<Event>> Events for E {}

/// Formats the income, the price and the tiles of a placement.
fn placed(money: i32, share: bool, opening: Option<TileKind>) -> String {
    let paid = optional(", pays £", Some(-money).filter(|&paid| paid > 0));
    let shared = if share { ", uses share" } else { "" };
    format!("{}{paid}{shared}{}", gain(money), optional(", uses ", opening))
}

fn gain(money: i32) -> String {
    optional(", gains £", Some(money).filter(|&money| money > 0))
}

/// Formats a value after some words, or nothing without a value.
fn optional<T: fmt::Display>(words: &str, value: Option<T>) -> String {
    value.map_or_else(String::new, |value| format!("{words}{value}"))
}

impl fmt::Display for PlayedCards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.first, optional(" and ", self.second))
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {} ({})", self.seat, self.value)
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
