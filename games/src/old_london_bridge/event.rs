//! What happens in a match, in the order in which it happens. Every event is public.

use std::fmt;

use arrayvec::ArrayVec;

use super::components::{Building, CARD_VALUES, Face, Kind, TileKind};
use super::decision::{MAX_PLAYED, PlayedCards};
use super::notation::counted;
use super::observation::{MAX_TURNS, Pawn, Turn};
use crate::events::{events, listed};
use crate::{EventSink, Seat};

events! {
    /// Something that happened. Rounds, turns, stacks, slots and the spaces of tracks count from 0;
    /// cards go by their printed value; money is in pounds.
    Event {
        /// A round began: its marker (1 to 3) was revealed and the rondel turned.
        RoundStarted { round: u8, marker: u8, orientation: u8 }
            = "round {round} begins: marker {marker}, the rondel turns to orientation \
               {orientation}",
        /// A seat answered whether it uses a take_a_2 tile.
        TakeA2Answered { seat: Seat, used: bool } = "seat {seat} {}" (match used {
            true => "uses take_a_2 and takes a 2 from the supply",
            false => "keeps take_a_2",
        }),
        /// A seat chose its cards; which ones stays secret.
        CardsChosen { seat: Seat } = "seat {seat} has chosen",
        CardsRevealed { seat: Seat, cards: PlayedCards } = "seat {seat} reveals {cards}",
        /// A seat answered how many plus_one tiles it spends on each card.
        CardsRaised { seat: Seat, raises: [u8; MAX_PLAYED] }
            = "seat {seat} raises {}" (match raises {
                [0, 0] => "nothing".to_owned(),
                [first, 0] => format!("its first card by {first}"),
                [first, second] => format!("its cards by {first} and {second}"),
            }),
        /// The order of play of this round.
        OrderFixed { turns: ArrayVec<Turn, MAX_TURNS> } = "order of play: {}" (listed(turns)),
        /// A turn began; its card went back to the supply (a "0" to the hand).
        TurnStarted { turn: u8, seat: Seat, card: u8 }
            = "turn {turn}: seat {seat}, whose {card} goes back",
        /// A pawn was placed. Money is gained (income) or, when negative, paid (the centre); a
        /// share tile or one that opened the spot may have been spent.
        Placed {
            seat: Seat,
            pawn: Pawn,
            stack: Kind,
            money: i32,
            share: bool,
            opening: Option<TileKind>,
        } = "seat {seat} enters {pawn} for the {stack} stack{}" (placed(*money, *share, *opening)),
        /// No placement was legal, and the turn builds nothing.
        TurnSkipped { seat: Seat } = "seat {seat} can enter no space and builds nothing",
        /// A building came onto a bridge; the one that it replaced left the game. The strength is
        /// that of its action.
        Built { seat: Seat, building: Building, slot: u8, replaced: Option<Building>, strength: u8 }
            = "seat {seat} builds {building} in slot {slot}{}{}" (
                optional(" replacing ", *replaced),
                optional(", strength ", Some(strength).filter(|&&strength| strength > 0)),
            ),
        /// The next building of a stack lies open; `None` when the stack is empty now.
        StackRevealed { stack: Kind, top: Option<Building> } = "the {stack} stack {}" (now(*top)),
        /// A marker advanced. The money is that of the spaces reached or passed, the last space's
        /// included.
        ChapelAdvanced { seat: Seat, from: u8, to: u8, money: i32 }
            = "seat {seat} advances on the chapel track from {from} to {to}{}" (gain(*money)),
        /// A marker advanced, which earned bonus tiles, and money for arriving at the last space.
        GateAdvanced { seat: Seat, from: u8, to: u8, tiles: u8, money: i32 }
            = "seat {seat} advances on the gate track from {from} to {to}{}{}" (
                gain(*money),
                match tiles {
                    0 => String::new(),
                    1 => ", earns 1 bonus tile".to_owned(),
                    _ => format!(", earns {tiles} bonus tiles"),
                },
            ),
        /// A seat took a face-up bonus tile; the next of its stack lies face up now, `None` when there
        /// is none.
        TileTaken { seat: Seat, stack: u8, tile: TileKind, revealed: Option<TileKind> }
            = "seat {seat} takes {tile} from bonus stack {stack}, which {}" (now(*revealed)),
        /// A seat took cards from the supply, so many of each value.
        CardsTaken { seat: Seat, cards: [u8; CARD_VALUES] }
            = "seat {seat} takes cards:{}" (counted(cards)),
        /// A haberdashery paid.
        HaberdasheryPaid { seat: Seat, money: i32 } = "seat {seat} gains £{money}",
        /// A seat took back the card it had played.
        CardRecalled { seat: Seat, card: u8 } = "seat {seat} uses recall and takes its {card} back",
        /// A seat used a chapel_plus_2 or gate_plus_2 tile; the advance follows.
        TileUsed { seat: Seat, tile: TileKind } = "seat {seat} uses {tile}",
        /// A score-tile face paid during the match.
        FacePaid { seat: Seat, face: Face, money: i32 } = "{face} pays seat {seat} £{money}",
        /// A round ended; pawns left the rondel.
        RoundEnded { round: u8 } = "round {round} ends",
        /// The match ended; final scoring follows in the outcome.
        GameEnded { early: bool } = "the match ends {}" (match early {
            true => "early: three stacks are empty",
            false => "after its last round",
        }),
    }
}

/// What a stack shows now.
fn now(top: Option<impl fmt::Display>) -> String {
    top.map_or_else(|| "is empty".to_owned(), |top| format!("shows {top}"))
}

/// Where the events of a match go.
pub(super) trait Events: EventSink<Event> {}

impl<E: EventSink<Event>> Events for E {}

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
