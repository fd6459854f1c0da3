//! Why a decision is refused.

use thiserror::Error;

use super::building::Building;
use super::components::{Currency, TAKE_LIMIT};
use super::money::MoneyCard;
use crate::OutOfTurn;

/// Why a decision is refused. Each message names the field of the decision, a colon, and what
/// would be legal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Illegal {
    /// It is not the seat's turn, or not the turn of such a decision.
    #[error(transparent)]
    OutOfTurn(#[from] OutOfTurn),

    /// No card.
    #[error("take.cards: at least one card is taken")]
    TakeNothing,
    /// A card that is not in the open row, or not often enough.
    #[error("take.cards: {0} is not in the open row as often as it is taken")]
    NotInRow(MoneyCard),
    /// Several cards of too high a total.
    #[error("take.cards: several cards are worth at most {TAKE_LIMIT} together; these are {0}")]
    TakeTooMuch(u8),

    /// The slot has no building.
    #[error("buy.slot: the {0} slot is empty")]
    SlotEmpty(Currency),
    /// The payment has cards that the hand does not have.
    #[error("buy.payment: the hand does not have {count} x {card}, it has {held}")]
    NotInHand {
        /// The card.
        card: MoneyCard,
        /// How many are paid.
        count: u8,
        /// How many the hand has.
        held: u8,
    },
    /// The payment is below the price.
    #[error(
        "buy.payment: {building} costs at least {}; these cards are worth {paid}", .building.price()
    )]
    PaidTooLittle {
        /// The building.
        building: Building,
        /// What is paid.
        paid: u8,
    },
    /// Only a table of two has a dummy.
    #[error("buy.give: only a table of two seats has a dummy to give to")]
    NoDummy,

    /// Something else can be done.
    #[error("decision: a pass is legal only when nothing can be taken or bought")]
    PassWithAction,
}
