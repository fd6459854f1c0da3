//! What a viewer may know: everything that a player with a perfect memory would know.
//!
//! Hidden facts have no place in these types: of a stack there is its top, its height and the
//! *set* of what is unseen, never an order; of an unrevealed choice there is that it was made,
//! and the choice itself only for the seat that made it.

use arrayvec::ArrayVec;

use super::components::{
    BONUS_STACKS, BRIDGE_SLOTS, BUILDINGS_PER_KIND, Building, CARD_VALUES, Face, KINDS, Kind,
    MAX_PLAYERS, TILE_KINDS, TileKind,
};
use super::decision::{MAX_PLAYED, PlayedCards};
use crate::{Seat, Viewer};

/// Most turns of one round: one for each played card.
pub const MAX_TURNS: usize = MAX_PLAYERS;

/// A complete observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Whose view this is.
    pub viewer: Viewer,
    /// Faces of the four areas, in the order chapel, gate, inn, bridge.
    pub faces: [Face; 4],
    /// Rounds of the match.
    pub rounds: u8,
    /// Round in play, from 0.
    pub round: u8,
    /// Value of the round's marker, 1 to 3.
    pub marker: u8,
    /// Orientation of the rondel, 0 to 5: stack i of the ring faces rondel space (i - orientation) mod 6.
    pub orientation: u8,
    /// What is going on.
    pub phase: Phase,
    /// Building stacks in ring order.
    pub stacks: [StackView; KINDS],
    /// Markers not yet revealed, those out of the game included: how many of value 1, 2, 3.
    pub unseen_markers: [u8; 3],
    /// Character cards in the supply by value; the count of value 0 is always 0.
    pub supply: [u8; CARD_VALUES],
    /// The three bonus stacks.
    pub bonus_stacks: [BonusStackView; BONUS_STACKS],
    /// Seats in seat order.
    pub seats: ArrayVec<SeatView, MAX_PLAYERS>,
    /// Chapel order, the leader first.
    pub chapel_order: ArrayVec<Seat, MAX_PLAYERS>,
    /// Gate order, the leader first: further along, and on one space the marker on top. Seats
    /// still on the start are last, in no meaningful order among them: ascending seats.
    pub gate_order: ArrayVec<Seat, MAX_PLAYERS>,
    /// The turns of this round in order of play; empty before the order is fixed.
    pub turns: ArrayVec<Turn, MAX_TURNS>,
}

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// Phase 2a: this seat may use a take_a_2 tile. Seats ahead of it in chapel order have
    /// answered for the round, or had nothing to answer.
    TakeA2 {
        /// The seat that is asked.
        seat: Seat,
    },
    /// Phase 2b: seats choose cards in secret.
    ChooseCards,
    /// Phase 2c: this seat may raise its cards.
    RaiseCards {
        /// The seat that is asked.
        seat: Seat,
    },
    /// Phase 3: a turn is played.
    Turn(TurnView),
    /// The match is over.
    Over,
}

/// The turn in play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnView {
    /// Position in [`Observation::turns`].
    pub turn: u8,
    /// What the turn waits for.
    pub step: TurnStep,
    /// Whether recall was used in this turn.
    pub recalled: bool,
}

/// What a turn waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TurnStep {
    /// A placement, or a bonus tile before it.
    Place,
    /// The slot in which this building, just taken, replaces another.
    Replace {
        /// The new building.
        building: Building,
    },
    /// Bonus tiles to take; `owed` counts those still to take, this one included.
    TakeTile {
        /// Tiles still to take.
        owed: u8,
        /// Whether the pawn was already placed: false when gate_plus_2 came before.
        placed: bool,
    },
    /// Cards to take at an inn.
    TakeCards {
        /// Highest total value.
        strength: u8,
    },
    /// Placed (or skipped): bonus tiles may still be used, then the turn ends.
    Finish,
}

/// One turn of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Whose turn.
    pub seat: Seat,
    /// Printed value of the card played for it.
    pub card: u8,
    /// Value that counts for the order: printed value and plus_one tiles.
    pub value: u8,
}

/// A building stack.
#[derive(Clone, Debug, PartialEq)]
pub struct StackView {
    /// Kind of the stack.
    pub kind: Kind,
    /// The building on top; `None` when the stack is empty.
    pub top: Option<Building>,
    /// The buildings below it, in no order (ascending house number, parks by coat).
    pub unseen: ArrayVec<Building, BUILDINGS_PER_KIND>,
}

/// A stack of bonus tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct BonusStackView {
    /// The face-up tile; `None` when the stack is empty.
    pub face_up: Option<TileKind>,
    /// The tiles below it, in no order (ascending kind).
    pub unseen: ArrayVec<TileKind, TILE_KINDS>,
}

/// What is known of a seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeatView {
    /// Money in pounds, never negative: final scoring shows in the outcome only.
    pub money: i32,
    /// Cards in hand by value. Cards chosen but not yet revealed are still counted here.
    pub hand: [u8; CARD_VALUES],
    /// The bridge from left to right.
    pub bridge: ArrayVec<Building, BRIDGE_SLOTS>,
    /// Space on the chapel track; 0 is the stairs.
    pub chapel_position: u8,
    /// Space on the gate track; 0 is the start.
    pub gate_position: u8,
    /// Unused bonus tiles by [`TileKind`].
    pub tiles: [u8; TILE_KINDS],
    /// How many of them were taken in this round, by [`TileKind`]: usable from the next round on.
    pub fresh_tiles: [u8; TILE_KINDS],
    /// Where the pawn stands.
    pub pawn: Pawn,
    /// Whether this round's cards are chosen.
    pub has_chosen: bool,
    /// This round's cards: known to all once revealed, to the seat itself once chosen.
    pub played: Option<PlayedCards>,
    /// Plus_one tiles spent on them.
    pub raises: [u8; MAX_PLAYED],
    /// Lowest house number built in this round, for the face *lowest_number*.
    pub lowest_built: Option<u8>,
}

/// Where a pawn stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pawn {
    /// Off the rondel.
    #[default]
    Off,
    /// On the outer space of this number, 0 to 5 clockwise from the X space.
    Outer(u8),
    /// In the centre.
    Centre,
}
