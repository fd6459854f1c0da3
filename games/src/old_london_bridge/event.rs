//! What happens in a match, in the order in which it happens. Every event is public.

use std::fmt;

use arrayvec::ArrayVec;

use super::components::{Building, CARD_VALUES, Face, Kind, TileKind};
use super::decision::{MAX_PLAYED, PlayedCards};
use super::notation::write_cards;
use super::observation::{MAX_TURNS, Pawn, Turn};
use crate::Seat;
use crate::events::{events, listed};

events! {
    /// Something that happened.
    Event {
        /// A round began: its marker was revealed and the rondel turned.
        RoundStarted {
            /// The round, from 0.
            round: u8,
            /// Value of the marker, 1 to 3.
            marker: u8,
            /// Orientation of the rondel after turning.
            orientation: u8,
        } = "round {round} begins: marker {marker}, the rondel turns to orientation {orientation}",
        /// A seat answered whether it uses a take_a_2 tile.
        TakeA2Answered {
            /// The seat.
            seat: Seat,
            /// Whether it took a "2".
            used: bool,
        } = "seat {seat} {}" (match used {
            true => "uses take_a_2 and takes a 2 from the supply",
            false => "keeps take_a_2",
        }),
        /// A seat chose its cards; which ones stays secret.
        CardsChosen {
            /// The seat.
            seat: Seat,
        } = "seat {seat} has chosen",
        /// A seat's cards were revealed.
        CardsRevealed {
            /// The seat.
            seat: Seat,
            /// Its cards.
            cards: PlayedCards,
        } = "seat {seat} reveals {cards}",
        /// A seat answered how it raises its cards.
        CardsRaised {
            /// The seat.
            seat: Seat,
            /// Plus_one tiles spent on each card.
            raises: [u8; MAX_PLAYED],
        } = "seat {seat} raises {}" (match raises {
            [0, 0] => "nothing".to_owned(),
            [first, 0] => format!("its first card by {first}"),
            [first, second] => format!("its cards by {first} and {second}"),
        }),
        /// The order of play of this round.
        OrderFixed {
            /// The turns.
            turns: ArrayVec<Turn, MAX_TURNS>,
        } = "order of play: {}" (listed(turns)),
        /// A turn began; its card went back to the supply (a "0" to the hand).
        TurnStarted {
            /// Position in the order of play.
            turn: u8,
            /// Whose turn.
            seat: Seat,
            /// Printed value of its card.
            card: u8,
        } = "turn {turn}: seat {seat}, whose {card} goes back",
        /// A pawn was placed.
        Placed {
            /// The seat.
            seat: Seat,
            /// Where the pawn stands now.
            pawn: Pawn,
            /// The stack whose building is taken.
            stack: Kind,
            /// Money gained (income) or, when negative, paid (the centre), in pounds.
            money: i32,
            /// Whether a share tile was spent.
            share: bool,
            /// The tile that opened the spot, if one was spent.
            opening: Option<TileKind>,
        } = "seat {seat} enters {pawn} for the {stack} stack{}" (placed(*money, *share, *opening)),
        /// No placement was legal, and the turn builds nothing.
        TurnSkipped {
            /// The seat.
            seat: Seat,
        } = "seat {seat} can enter no space and builds nothing",
        /// A building came onto a bridge.
        Built {
            /// The seat.
            seat: Seat,
            /// The building.
            building: Building,
            /// Its slot, from 0.
            slot: u8,
            /// The building that left the game for it.
            replaced: Option<Building>,
            /// Strength of its action.
            strength: u8,
        } = "seat {seat} builds {building} in slot {slot}{}{}" (
            optional(" replacing ", *replaced),
            optional(", strength ", Some(strength).filter(|&&strength| strength > 0)),
        ),
        /// The next building of a stack lies open.
        StackRevealed {
            /// The stack.
            stack: Kind,
            /// Its new top; `None` when the stack is empty now.
            top: Option<Building>,
        } = "the {stack} stack {}" (match top {
            Some(top) => format!("shows {top}"),
            None => "is empty".to_owned(),
        }),
        /// A marker advanced on the chapel track.
        ChapelAdvanced {
            /// The seat.
            seat: Seat,
            /// Space it left.
            from: u8,
            /// Space it reached.
            to: u8,
            /// Money of the spaces reached or passed, the last space's included, in pounds.
            money: i32,
        } = "seat {seat} advances on the chapel track from {from} to {to}{}" (gain(*money)),
        /// A marker advanced on the gate track.
        GateAdvanced {
            /// The seat.
            seat: Seat,
            /// Space it left.
            from: u8,
            /// Space it reached.
            to: u8,
            /// Bonus tiles this earned.
            tiles: u8,
            /// Money for arriving at the last space, in pounds.
            money: i32,
        } = "seat {seat} advances on the gate track from {from} to {to}{}{}" (
            gain(*money),
            match tiles {
                0 => String::new(),
                1 => ", earns 1 bonus tile".to_owned(),
                _ => format!(", earns {tiles} bonus tiles"),
            },
        ),
        /// A seat took a face-up bonus tile.
        TileTaken {
            /// The seat.
            seat: Seat,
            /// The stack, from 0.
            stack: u8,
            /// The tile.
            tile: TileKind,
            /// The tile that lies face up there now.
            revealed: Option<TileKind>,
        } = "seat {seat} takes {tile} from bonus stack {stack}, which {}" (match revealed {
            Some(revealed) => format!("shows {revealed}"),
            None => "is empty".to_owned(),
        }),
        /// A seat took cards from the supply.
        CardsTaken {
            /// The seat.
            seat: Seat,
            /// How many of each value.
            cards: [u8; CARD_VALUES],
        } = "seat {seat} takes cards:{}" (fmt::from_fn(|f| write_cards(f, cards))),
        /// A haberdashery paid.
        HaberdasheryPaid {
            /// The seat.
            seat: Seat,
            /// Money in pounds.
            money: i32,
        } = "seat {seat} gains £{money}",
        /// A seat took back the card it had played.
        CardRecalled {
            /// The seat.
            seat: Seat,
            /// Printed value of the card.
            card: u8,
        } = "seat {seat} uses recall and takes its {card} back",
        /// A seat used a chapel_plus_2 or gate_plus_2 tile; the advance follows.
        TileUsed {
            /// The seat.
            seat: Seat,
            /// The tile.
            tile: TileKind,
        } = "seat {seat} uses {tile}",
        /// A score-tile face paid during the match.
        FacePaid {
            /// The seat.
            seat: Seat,
            /// The face.
            face: Face,
            /// Money in pounds.
            money: i32,
        } = "{face} pays seat {seat} £{money}",
        /// A round ended; pawns left the rondel.
        RoundEnded {
            /// The round, from 0.
            round: u8,
        } = "round {round} ends",
        /// The match ended; final scoring follows in the outcome.
        GameEnded {
            /// Whether three empty stacks ended it before the last round.
            early: bool,
        } = "the match ends {}" (match early {
            true => "early: three stacks are empty",
            false => "after its last round",
        }),
    }
}

/// What a placement gains, pays and uses.
fn placed(money: i32, share: bool, opening: Option<TileKind>) -> String {
    let paid = optional(", pays £", Some(-money).filter(|&paid| paid > 0));
    let shared = if share { ", uses share" } else { "" };
    format!(
        "{}{paid}{shared}{}",
        gain(money),
        optional(", uses ", opening)
    )
}

fn gain(money: i32) -> String {
    optional(", gains £", Some(money).filter(|&money| money > 0))
}

/// A value after some words, or nothing.
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
