//! Refusals of decisions, with their messages.

use super::components::{CENTRE_PRICE, Kind, TileKind};
use crate::refusals::refusals;

refusals! {
    Illegal {
        /// The hand does not have the card, or has fewer copies than are played.
        CardNotInHand { field: &'static str, value: u8 }
            = "{field}: the hand does not have a card of value {value} for it",
        /// Too few or too many cards are played.
        PlayedCount(u8) = "second: this table plays {0} card(s) a round",
        PlayedOrder = "second: must not be above first",

        RaisesTooMany { spent: u16, usable: u8 }
            = "raises: spends {spent} plus_one tiles, usable: {usable}",
        RaiseWithoutCard = "raises[1]: must be 0, one card was played",
        /// Two raises are equivalent, and only the descending one is legal.
        RaiseOrder = "raises[1]: must not be above raises[0] when both cards are equal",

        StackEmpty(Kind) = "place.stack: the {0} stack is empty",
        /// The seat's own pawn is already on the space.
        OwnPawnThere = "place.spot: the pawn must move to another space",
        SpaceOccupied = "place.share: the space is occupied, entering it takes a share tile",
        SpaceFree = "place.share: no other pawn is there, a share tile is not spent",
        XSpaceClosed(Kind)
            = "place.opening: the {0} stack faces the X space, entering it takes an x_space tile",
        NothingToOpen(Kind)
            = "place.opening: the {0} stack does not face the X space, no tile opens it",
        CentrePrice(i32)
            = "place.opening: the centre costs {CENTRE_PRICE} pounds or a free_centre tile, \
               money: {0}",
        /// The seat has no such tile, or only got it in this round.
        NoUsableTile { field: &'static str, tile: TileKind } = "{field}: no usable {tile} tile",

        SlotEmpty { slot: u8, built: u8 }
            = "slot: {slot} is not below {built}, the number of buildings",
        SlotPark = "slot: a park is never replaced",
        /// `number` is the house number of the new building.
        SlotOrder { slot: u8, number: u8 }
            = "slot: house number {number} would not descend in slot {slot}",

        BonusStackUnknown(u8) = "stack: {0} is out of range (0..=2)",
        BonusStackEmpty(u8) = "stack: bonus stack {0} is empty",

        CardsZero = "cards[0]: must be 0, the supply has no cards of value 0",
        CardsNone = "cards: at least one card must be taken",
        CardsShort { value: u8, supply: u8 } = "cards[{value}]: the supply has {supply}",
        /// `total` is the sum of the card values, and `strength` is the strength of the action.
        CardsTotal { total: u16, strength: u8 }
            = "cards: their total is {total}, strength: {strength}",

        /// Recall is not allowed before the building's action.
        RecallEarly = "tile: recall is used after the building's action",
        /// Recall is allowed only once per turn.
        RecallAgain = "tile: recall was used in this turn",
        /// A "0" returns to the hand without recall.
        RecallZero = "tile: a card of value 0 is never recalled",
        RecallSupply(u8) = "tile: the supply has no card of value {0}",
        /// The marker on the track cannot advance.
        OnLastSpace(TileKind) = "tile: {0} is not used by a marker on the last space",

        PlacementDue = "decision: the turn cannot end before a placement",
    }
}
