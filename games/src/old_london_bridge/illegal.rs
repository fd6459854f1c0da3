//! Why a decision is refused.

use thiserror::Error;

use super::components::{CENTRE_PRICE, Kind, TileKind};
use crate::OutOfTurn;

/// Why a decision is refused. Each message names the field of the decision, a colon, and what
/// would be legal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Illegal {
    /// It is not the seat's turn, or not the turn of such a decision.
    #[error(transparent)]
    OutOfTurn(#[from] OutOfTurn),

    /// A card that is not in hand, or not often enough.
    #[error("{field}: the hand does not have a card of value {value} for it")]
    CardNotInHand {
        /// The field.
        field: &'static str,
        /// The value.
        value: u8,
    },
    /// One card missing, or one too many.
    #[error("second: this table plays {0} card(s) a round")]
    PlayedCount(u8),
    /// The lower card first.
    #[error("second: must not be above first")]
    PlayedOrder,

    /// More plus_one tiles than there are.
    #[error("raises: spends {spent} plus_one tiles, usable: {usable}")]
    RaisesTooMany {
        /// Tiles spent.
        spent: u16,
        /// Tiles usable.
        usable: u8,
    },
    /// A raise of a card that was not played.
    #[error("raises[1]: must be 0, one card was played")]
    RaiseWithoutCard,
    /// Two ways to write the same raise.
    #[error("raises[1]: must not be above raises[0] when both cards are equal")]
    RaiseOrder,

    /// The stack has no building.
    #[error("place.stack: the {0} stack is empty")]
    StackEmpty(Kind),
    /// The own pawn stands there.
    #[error("place.spot: the pawn must move to another space")]
    OwnPawnThere,
    /// Another pawn stands there.
    #[error("place.share: the space is occupied, entering it takes a share tile")]
    SpaceOccupied,
    /// Nobody stands there.
    #[error("place.share: no other pawn is there, a share tile is not spent")]
    SpaceFree,
    /// The X space.
    #[error("place.opening: the {0} stack faces the X space, entering it takes an x_space tile")]
    XSpaceClosed(Kind),
    /// Not the X space.
    #[error("place.opening: the {0} stack does not face the X space, no tile opens it")]
    NothingToOpen(Kind),
    /// Too little money for the centre.
    #[error(
        "place.opening: the centre costs {CENTRE_PRICE} pounds or a free_centre tile, money: {0}"
    )]
    CentrePrice(i32),
    /// No such tile, or a fresh one.
    #[error("{field}: no usable {tile} tile")]
    NoUsableTile {
        /// The field.
        field: &'static str,
        /// The tile.
        tile: TileKind,
    },

    /// A slot without a building.
    #[error("slot: {slot} is not below {built}, the number of buildings")]
    SlotEmpty {
        /// The slot.
        slot: u8,
        /// Buildings on the bridge.
        built: u8,
    },
    /// A park.
    #[error("slot: a park is never replaced")]
    SlotPark,
    /// The numbers would not descend.
    #[error("slot: house number {number} would not descend in slot {slot}")]
    SlotOrder {
        /// The slot.
        slot: u8,
        /// The new house number.
        number: u8,
    },

    /// Not a bonus stack.
    #[error("stack: {0} is not in 0 to 2")]
    BonusStackUnknown(u8),
    /// An empty bonus stack.
    #[error("stack: bonus stack {0} is empty")]
    BonusStackEmpty(u8),

    /// A "0" is never in the supply.
    #[error("cards[0]: must be 0, the supply has no cards of value 0")]
    CardsZero,
    /// No card.
    #[error("cards: at least one card must be taken")]
    CardsNone,
    /// More cards than the supply has.
    #[error("cards[{value}]: the supply has {supply}")]
    CardsShort {
        /// The value.
        value: u8,
        /// Cards of this value in the supply.
        supply: u8,
    },
    /// Too high a total.
    #[error("cards: their total is {total}, strength: {strength}")]
    CardsTotal {
        /// Total of the values.
        total: u16,
        /// Strength of the action.
        strength: u8,
    },

    /// Recall waits for the building.
    #[error("tile: recall is used after the building's action")]
    RecallEarly,
    /// Recall is used once a turn.
    #[error("tile: recall was used in this turn")]
    RecallAgain,
    /// A "0" comes back by itself.
    #[error("tile: a card of value 0 is never recalled")]
    RecallZero,
    /// The supply has no such card.
    #[error("tile: the supply has no card of value {0}")]
    RecallSupply(u8),
    /// The marker cannot advance.
    #[error("tile: {0} is not used by a marker on the last space")]
    OnLastSpace(TileKind),

    /// A placement is legal and must be made.
    #[error("decision: the turn cannot end before a placement")]
    PlacementDue,
}
