//! Observations: everything that a player with a perfect memory would know.
//!
//! The types of this module cannot represent hidden facts. A stack is its top, its height and the
//! *set* of unseen items, without an order. An unrevealed choice is a flag; only the seat that made
//! it also sees the choice itself.

use arrayvec::ArrayVec;

use super::components::{
    BONUS_STACKS, BRIDGE_SLOTS, BUILDINGS_PER_KIND, Building, CARD_VALUES, Face, KINDS, Kind,
    MAX_PLAYERS, TILE_KINDS, TileKind,
};
use super::decision::{MAX_PLAYED, PlayedCards};
use crate::{Seat, Viewer};

/// The maximum number of turns in one round, which has one turn for each played card.
pub const MAX_TURNS: usize = MAX_PLAYERS;

/// Everything that a viewer may know of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The viewer that this observation is for.
    pub viewer: Viewer,
    /// The faces of the four areas, in the order chapel, gate, inn, bridge.
    pub faces: [Face; 4],
    /// The number of rounds in the match.
    pub rounds: u8,
    /// The current round, counted from 0.
    pub round: u8,
    /// The value of the round's marker, 1 to 3.
    pub marker: u8,
    /// The orientation of the rondel, 0 to 5: stack i of the ring faces rondel space (i -
    /// orientation) mod 6.
    pub orientation: u8,
    /// The match phase, with the seat to decide.
    pub phase: Phase,
    /// Building stacks in ring order.
    pub stacks: [StackView; KINDS],
    /// The numbers of unrevealed markers with the values 1, 2 and 3, including markers that are out
    /// of the game.
    pub unseen_markers: [u8; 3],
    /// The number of character cards in the supply, by value; always 0 for value 0.
    pub supply: [u8; CARD_VALUES],
    /// The three bonus stacks.
    pub bonus_stacks: [BonusStackView; BONUS_STACKS],
    /// The seats, in seat order.
    pub seats: ArrayVec<SeatView, MAX_PLAYERS>,
    /// The chapel order, the leader first.
    pub chapel_order: ArrayVec<Seat, MAX_PLAYERS>,
    /// The gate order, the leader first. Seats that are further along come first. On the same
    /// space, the seat whose marker is on top comes first. Seats on the start space come last, in
    /// ascending order, which has no meaning.
    pub gate_order: ArrayVec<Seat, MAX_PLAYERS>,
    /// This round's turns in order of play; empty before the order is fixed.
    pub turns: ArrayVec<Turn, MAX_TURNS>,
}

/// The phase of a match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// Phase 2a: this seat may use a take_a_2 tile. Earlier seats in chapel order have decided for
    /// this round, or had no usable tile.
    TakeA2 {
        /// The seat to decide.
        seat: Seat,
    },
    /// Phase 2b: seats choose cards in secret.
    ChooseCards,
    /// Phase 2c: this seat may raise its cards.
    RaiseCards {
        /// The seat to decide.
        seat: Seat,
    },
    /// Phase 3: a turn is being played.
    Turn(TurnView),
    /// The match has ended; no seat decides.
    Over,
}

/// The current turn of phase 3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnView {
    /// The index in [`Observation::turns`].
    pub turn: u8,
    /// The pending step of the turn.
    pub step: TurnStep,
    /// `true` if recall was used in this turn.
    pub recalled: bool,
}

/// The pending step of a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TurnStep {
    /// A placement, or a bonus tile before it.
    Place,
    /// The slot for a building that was just taken and must replace another building.
    Replace {
        /// The new building, which is not on the bridge yet.
        building: Building,
    },
    /// Bonus tiles to take, one after the other.
    TakeTile {
        /// The number of tiles still to take, including the pending tile.
        owed: u8,
        /// `true` if the pawn was already placed, and `false` if gate_plus_2 was used before the
        /// placement.
        placed: bool,
    },
    /// Cards to take at an inn.
    TakeCards {
        /// The maximum total value of the cards.
        strength: u8,
    },
    /// The pawn is placed, or its placement was skipped. Bonus tiles may still be used before the
    /// turn ends.
    Finish,
}

/// One turn of a round, for one played card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The seat that plays the turn.
    pub seat: Seat,
    /// The printed value of the card played for the turn.
    pub card: u8,
    /// The value that decides the order of play: the printed value plus the number of plus_one
    /// tiles spent on the card.
    pub value: u8,
}

/// The public view of a building stack.
#[derive(Clone, Debug, PartialEq)]
pub struct StackView {
    /// The kind of all buildings in the stack.
    pub kind: Kind,
    /// The building on top; `None` if the stack is empty.
    pub top: Option<Building>,
    /// The buildings below the top. The list is sorted by house number, or by coat for parks, so
    /// the order in the stack stays hidden.
    pub unseen: ArrayVec<Building, BUILDINGS_PER_KIND>,
}

/// The public view of a bonus tile stack.
#[derive(Clone, Debug, PartialEq)]
pub struct BonusStackView {
    /// The face-up tile; `None` if the stack is empty.
    pub face_up: Option<TileKind>,
    /// The tiles below the face-up tile. The list is sorted by kind, so the order in the stack
    /// stays hidden.
    pub unseen: ArrayVec<TileKind, TILE_KINDS>,
}

/// The information about a seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeatView {
    /// Money in pounds. The money is never negative, because final scoring is only in the outcome.
    pub money: i32,
    /// The cards in hand by value, including cards chosen but not yet revealed.
    pub hand: [u8; CARD_VALUES],
    /// The buildings on the bridge, from left to right.
    pub bridge: ArrayVec<Building, BRIDGE_SLOTS>,
    /// The space on the chapel track; 0 is the stairs.
    pub chapel_position: u8,
    /// The space on the gate track; 0 is the start.
    pub gate_position: u8,
    /// The number of unused bonus tiles, by [`TileKind`].
    pub tiles: [u8; TILE_KINDS],
    /// The number of these tiles that were taken in this round, by [`TileKind`]. They can be used
    /// from the next round on.
    pub fresh_tiles: [u8; TILE_KINDS],
    /// The position of the pawn.
    pub pawn: Pawn,
    /// `true` if this round's cards are chosen.
    pub has_chosen: bool,
    /// This round's cards. The seat itself sees them once they are chosen, and all viewers see them
    /// once they are revealed.
    pub played: Option<PlayedCards>,
    /// The number of plus_one tiles spent on each played card.
    pub raises: [u8; MAX_PLAYED],
    /// The lowest house number built in this round, for the face *lowest_number*.
    pub lowest_built: Option<u8>,
}

/// The position of a pawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pawn {
    /// Not on the rondel. All pawns are off the rondel between rounds.
    #[default]
    Off,
    /// On the outer space with this number, 0 to 5 clockwise from the X space.
    Outer(u8),
    /// In the centre of the rondel.
    Centre,
}
