//! The text notation of decisions. Every decision has exactly one:
//!
//! | decision | notation |
//! |---|---|
//! | take | `take b2 g3`: currency by its letter and value, ascending |
//! | buy | `buy orange 5 3 1`: the slot and the values paid, falling; `give` follows for the dummy |
//! | pass | `pass` |

use std::fmt;

use super::components::{Currency, VALUES};
use super::decision::{Decision, Purchase};
use super::money::{MoneyCard, ValueCounts};
use super::row_cards::RowCards;
use crate::notation::{notation, spaced};

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
    RowCards::of(cards).filter(|cards| !cards.is_empty())
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
    Some(Purchase {
        slot,
        payment,
        give,
    })
}
