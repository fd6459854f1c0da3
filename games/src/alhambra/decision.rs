//! Decisions of a seat, their text notation, and the reasons why they are refused. Every decision
//! has exactly one notation:
//!
//! | decision | notation |
//! |---|---|
//! | take | `take b2 g3`: currency by its letter and value, ascending |
//! | buy | `buy orange 5 3 1`: slot, and values paid, descending; `give` follows for the dummy |
//! | pass | `pass` |

use std::fmt;

use super::building::Building;
use super::components::{Currency, TAKE_LIMIT, VALUES};
use super::money::{MoneyCard, ValueCounts};
use super::row_cards::RowCards;
use crate::named::ordered;
use crate::notation::{notation, spaced};
use crate::refusals::refusals;

/// A decision of a seat.
///
/// Legal lists are in canonical order: the order of `Ord` within each tier. Takes come first: fewer
/// cards before more, then ascending by currency and value. Purchases follow, for all slots
/// together, in three tiers: exact payments, overpayments in which no card could be left out, and
/// all other payments. Each tier is in the order of [`Purchase`]. If a pass is legal,
/// it is the only entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// Take these cards from the open row.
    Take(RowCards),
    /// Buy a building from the yard.
    Buy(Purchase),
    /// Pass, which is legal only if nothing can be taken or bought (A5).
    Pass,
}

/// A purchase. Purchases are ordered by the number of cards, then by slot, then by the paid values
/// (in descending notation, compared ascending). If all of these are equal, the purchase that keeps
/// the building comes before the one that gives it to the dummy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Purchase {
    /// The slot of the yard, which is the currency that is paid.
    pub slot: Currency,
    /// The cards paid, all of the slot's currency.
    pub payment: ValueCounts,
    /// `true` if the building goes to the dummy, at a table of two (A4).
    pub give: bool,
}

ordered!(Purchase by |own| (own.payment.len(), own.slot, own.payment.bits(), own.give));

/// The word that gives a building to the dummy.
const GIVE: &str = "give";

notation! {
    Decision {
        Take(cards) = "take" "{}" (spaced(cards.cards())),
            from parse_take, else "`take CARD ...` with at least one card, such as `take b2 g3`";
        Buy(Purchase { slot, payment, give }) = "buy" " {slot}{}{}" (
            falling(*payment),
            spaced(give.then_some(GIVE)),
        ), from parse_buy, else
            "`buy SLOT VALUE ... [give]` with at least one value, falling, such as `buy orange 5 3 1`";
        Pass = "pass";
    }
}

/// Formats the values in descending order, as in ` 5 3 1`.
pub(super) fn falling(cards: ValueCounts) -> impl fmt::Display {
    spaced(cards.values().rev())
}

fn parse_take(rest: &str) -> Option<RowCards> {
    let cards = rest.split_whitespace().map(parse_card);
    let cards = cards.collect::<Option<Vec<_>>>()?;
    RowCards::from_cards(cards).filter(|cards| !cards.is_empty())
}

fn parse_card(word: &str) -> Option<MoneyCard> {
    let mut chars = word.chars();
    let currency = Currency::from_letter(chars.next()?)?;
    MoneyCard::new(currency, chars.as_str().parse().ok()?)
}

fn parse_buy(rest: &str) -> Option<Purchase> {
    let mut words = rest.split_whitespace();
    let slot = Currency::from_name(words.next()?)?;
    let mut counts = [0u8; VALUES];
    let mut give = false;
    for word in words {
        if word == GIVE {
            give = true;
            continue;
        }
        let value: usize = word.parse().ok()?;
        let count = counts.get_mut(value.checked_sub(1)?)?;
        *count = count.checked_add(1)?;
    }
    let payment = ValueCounts::new(counts).filter(|payment| !payment.is_empty())?;
    Some(Purchase { slot, payment, give })
}

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
