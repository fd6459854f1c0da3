//! Decisions of a seat.

use std::cmp::Ordering;

use super::components::{CARD_VALUES, Kind};
use crate::named::named;

/// The number of cards that a seat plays in one round: one, or two at a two-seat table, the higher
/// value first.
pub const MAX_PLAYED: usize = 2;

/// A decision of a seat.
///
/// Legal lists are in canonical order, the order of `Ord` except for the ring order of stacks.
/// * Phase 2a: no, yes.
/// * Cards to play: ascending by the higher card, then by the lower card.
/// * Raises: ascending by the total, then descending by the raise of the first card, so the first
///   entry raises nothing.
/// * A turn before its placement: the outer spaces in the ring order of their stacks, the centre in
///   ring order of the stacks (paid before free for each stack), bonus tiles in the order of
///   [`TurnTile`], and the end.
/// * Slots and bonus stacks: ascending.
/// * Cards to take: ascending by the count of 4s, then of 3s, 2s and 1s.
/// * A turn after its placement: bonus tiles in the order of [`TurnTile`], then the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Phase 2a: use a take_a_2 tile, or pass for the round.
    TakeA2(bool),
    /// Phase 2b: the cards to play.
    PlayCards(PlayedCards),
    /// Phase 2c: the number of plus_one tiles spent on each played card, in the order of
    /// [`PlayedCards`]; zero for a card that was not played.
    RaiseCards([u8; MAX_PLAYED]),
    /// Phase 3: place the pawn.
    Place(Placement),
    /// Phase 3: the bridge slot (0 to 11) whose building the new building replaces.
    Replace(u8),
    /// Phase 3: the bonus stack (0 to 2) whose face-up tile is taken.
    TakeTile(u8),
    /// Phase 3: the number of cards of each value that are taken at an inn; the number for value 0
    /// is zero.
    TakeCards([u8; CARD_VALUES]),
    /// Phase 3: use a bonus tile that is not part of a placement.
    UseTile(TurnTile),
    /// Phase 3: end the turn.
    End,
}

impl Decision {
    /// Returns the decision's kind, followed by the values by which decisions of this kind are
    /// compared.
    fn key(&self) -> [u16; 1 + CARD_VALUES] {
        let key = |kind, by: [u8; CARD_VALUES]| {
            let [a, b, c, d, e] = by.map(u16::from);
            [kind, a, b, c, d, e]
        };
        match *self {
            Self::TakeA2(used) => key(0, [used.into(), 0, 0, 0, 0]),
            Self::PlayCards(PlayedCards { first, second }) => {
                let second = second.map_or(0, |second| u16::from(second) + 1);
                [1, first.into(), second, 0, 0, 0]
            }
            Self::RaiseCards([first, second]) => {
                let total = u16::from(first) + u16::from(second);
                [2, total, second.into(), 0, 0, 0]
            }
            Self::Place(Placement {
                spot,
                stack,
                share,
                opening,
            }) => key(
                3,
                [spot as u8, stack as u8, share.into(), opening.into(), 0],
            ),
            Self::Replace(slot) => key(4, [slot, 0, 0, 0, 0]),
            Self::TakeTile(stack) => key(5, [stack, 0, 0, 0, 0]),
            Self::TakeCards([zeros, ones, twos, threes, fours]) => {
                key(6, [fours, threes, twos, ones, zeros])
            }
            Self::UseTile(tile) => key(7, [tile as u8, 0, 0, 0, 0]),
            Self::End => key(8, [0; CARD_VALUES]),
        }
    }
}

impl Ord for Decision {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Decision {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The values of the cards that a seat plays in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlayedCards {
    /// The card with the highest value.
    pub first: u8,
    /// The other card at a two-seat table. Its value is at most that of `first`.
    pub second: Option<u8>,
}

/// A placement of the pawn, with the bonus tiles that it spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The destination of the pawn.
    pub spot: Spot,
    /// The stack from which the top building is taken. An outer space must face this stack.
    pub stack: Kind,
    /// `true` to spend a share tile, because other seats' pawns are on the space.
    pub share: bool,
    /// `true` to spend a tile that opens the spot: x_space for the X space, free_centre for the
    /// centre.
    pub opening: bool,
}

/// The destination for a placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spot {
    /// The outer space that faces the stack.
    Outer,
    /// The centre of the rondel.
    Centre,
}

named! {
    /// A bonus tile that is used in a turn, but not as part of its placement.
    TurnTile {
        /// Take back the card played for this turn.
        Recall = "recall",
        /// Advance two spaces on the chapel track.
        ChapelPlus2 = "chapel_plus_2",
        /// Advance two spaces on the gate track.
        GatePlus2 = "gate_plus_2",
    }
}
