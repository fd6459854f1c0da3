//! What a seat can answer.

use super::components::{CARD_VALUES, Kind};
use crate::named::named;

/// Cards that a seat plays in one round: one, or two at a two-seat table, the higher value first.
pub const MAX_PLAYED: usize = 2;

/// An answer of a seat.
///
/// Legal lists have a canonical order:
/// * phase 2a: no, yes;
/// * cards to play: ascending by the higher card, then by the other;
/// * raises: ascending by the total, then descending by the raise of the first card, so that no
///   raise comes first;
/// * a turn before its placement: the outer spaces by ring order of their stacks, then the centre
///   by ring order, for each stack paid before free; then bonus tiles in the order of
///   [`TurnTile`]; then the end;
/// * slots and bonus stacks: ascending;
/// * cards to take: ascending by the count of 4s, then of 3s, 2s and 1s;
/// * a turn after its placement: bonus tiles in the order of [`TurnTile`], then the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Phase 2a: use a take_a_2 tile, or pass for the round.
    TakeA2(bool),
    /// Phase 2b: the cards to play.
    PlayCards(PlayedCards),
    /// Phase 2c: plus_one tiles spent on each played card, in the order of [`PlayedCards`]; zero
    /// for a card that was not played.
    RaiseCards([u8; MAX_PLAYED]),
    /// Phase 3: place the pawn.
    Place(Placement),
    /// Phase 3: the bridge slot (0 to 11) whose building the new one replaces.
    Replace(u8),
    /// Phase 3: the bonus stack (0 to 2) whose face-up tile is taken.
    TakeTile(u8),
    /// Phase 3: cards taken at an inn, a count for each value; the count of value 0 is zero.
    TakeCards([u8; CARD_VALUES]),
    /// Phase 3: use a bonus tile that is not part of a placement.
    UseTile(TurnTile),
    /// Phase 3: end the turn.
    End,
}

/// Values of the cards that a seat plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlayedCards {
    /// The card of the highest value.
    pub first: u8,
    /// The other card at a two-seat table, not above `first`.
    pub second: Option<u8>,
}

/// A placement of the pawn, with the bonus tiles that it spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// Where the pawn goes.
    pub spot: Spot,
    /// The stack whose top building is taken; for an outer space, the stack that it faces now.
    pub stack: Kind,
    /// Spends a share tile: other seats' pawns are on the space.
    pub share: bool,
    /// Spends a tile that opens the spot: x_space for the X space, free_centre for the centre.
    pub opening: bool,
}

/// Where a pawn is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spot {
    /// The outer space that faces the stack.
    Outer,
    /// The centre of the rondel.
    Centre,
}

named! {
    /// A bonus tile that a turn uses apart from its placement.
    TurnTile {
        /// Take back the card played for this turn.
        Recall = "recall",
        /// Advance two spaces on the chapel track.
        ChapelPlus2 = "chapel_plus_2",
        /// Advance two spaces on the gate track.
        GatePlus2 = "gate_plus_2",
    }
}
