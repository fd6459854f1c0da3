//! What happens in a match, in the order in which it happens. Every event is public.

use arrayvec::ArrayVec;

use super::components::{Building, CARD_VALUES, Face, Kind, TileKind};
use super::decision::{MAX_PLAYED, PlayedCards};
use super::observation::{MAX_TURNS, Pawn, Turn};
use crate::Seat;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A round began: its marker was revealed and the rondel turned.
    RoundStarted {
        /// The round, from 0.
        round: u8,
        /// Value of the marker, 1 to 3.
        marker: u8,
        /// Orientation of the rondel after turning.
        orientation: u8,
    },
    /// A seat answered whether it uses a take_a_2 tile.
    TakeA2Answered {
        /// The seat.
        seat: Seat,
        /// Whether it took a "2".
        used: bool,
    },
    /// A seat chose its cards; which ones stays secret.
    CardsChosen {
        /// The seat.
        seat: Seat,
    },
    /// A seat's cards were revealed.
    CardsRevealed {
        /// The seat.
        seat: Seat,
        /// Its cards.
        cards: PlayedCards,
    },
    /// A seat answered how it raises its cards.
    CardsRaised {
        /// The seat.
        seat: Seat,
        /// Plus_one tiles spent on each card.
        raises: [u8; MAX_PLAYED],
    },
    /// The order of play of this round.
    OrderFixed {
        /// The turns.
        turns: ArrayVec<Turn, MAX_TURNS>,
    },
    /// A turn began; its card went back to the supply (a "0" to the hand).
    TurnStarted {
        /// Position in the order of play.
        turn: u8,
        /// Whose turn.
        seat: Seat,
        /// Printed value of its card.
        card: u8,
    },
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
    },
    /// No placement was legal, and the turn builds nothing.
    TurnSkipped {
        /// The seat.
        seat: Seat,
    },
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
    },
    /// The next building of a stack lies open.
    StackRevealed {
        /// The stack.
        stack: Kind,
        /// Its new top; `None` when the stack is empty now.
        top: Option<Building>,
    },
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
    },
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
    },
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
    },
    /// A seat took cards from the supply.
    CardsTaken {
        /// The seat.
        seat: Seat,
        /// How many of each value.
        cards: [u8; CARD_VALUES],
    },
    /// A haberdashery paid.
    HaberdasheryPaid {
        /// The seat.
        seat: Seat,
        /// Money in pounds.
        money: i32,
    },
    /// A seat took back the card it had played.
    CardRecalled {
        /// The seat.
        seat: Seat,
        /// Printed value of the card.
        card: u8,
    },
    /// A seat used a chapel_plus_2 or gate_plus_2 tile; the advance follows.
    TileUsed {
        /// The seat.
        seat: Seat,
        /// The tile.
        tile: TileKind,
    },
    /// A score-tile face paid during the match.
    FacePaid {
        /// The seat.
        seat: Seat,
        /// The face.
        face: Face,
        /// Money in pounds.
        money: i32,
    },
    /// A round ended; pawns left the rondel.
    RoundEnded {
        /// The round, from 0.
        round: u8,
    },
    /// The match ended; final scoring follows in the outcome.
    GameEnded {
        /// Whether three empty stacks ended it before the last round.
        early: bool,
    },
}
