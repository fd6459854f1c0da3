//! Refusals of decisions, with their messages.

use super::building::Building;
use super::components::{Currency, TAKE_LIMIT};
use super::money::MoneyCard;
use crate::refusals::refusals;

refusals! {
    Illegal {
        TakeNothing = "take.cards: at least one card is taken",
        NotInRow(MoneyCard) = "take.cards: {0} is not in the open row as often as it is taken",
        TakeTooMuch(u8)
            = "take.cards: several cards are worth at most {TAKE_LIMIT} together; these are {0}",

        SlotEmpty(Currency) = "buy.slot: the {0} slot is empty",
        NotInHand { card: MoneyCard, count: u8, held: u8 }
            = "buy.payment: the hand does not have {count} x {card}, it has {held}",
        PaidTooLittle { building: Building, paid: u8 }
            = "buy.payment: {building} costs at least {}; these cards are worth {paid}"
                (.building.price()),
        NoDummy = "buy.give: only a table of two seats has a dummy to give to",

        PassWithAction = "decision: a pass is legal only when nothing can be taken or bought",
    }
}
