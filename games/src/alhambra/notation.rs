//! The text notation of decisions. Every decision has exactly one:
//!
//! | decision | notation |
//! |---|---|
//! | take | `take b2 g3`: currency by its letter and value, ascending |
//! | buy | `buy orange 5 3 1`: the slot and the values paid, falling; `give` follows for the dummy |
//! | pass | `pass` |

use std::fmt;
use std::str::FromStr;

use super::components::{Currency, VALUES};
use super::decision::{Decision, Purchase};
use super::money::{MoneyCard, ValueCounts};
use super::row_cards::RowCards;
use crate::notation::{NotationError, exact};

/// The word that gives a building to the dummy.
const GIVE: &str = "give";

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Take(cards) => {
                f.write_str("take")?;
                cards.cards().try_for_each(|card| write!(f, " {card}"))
            }
            Self::Buy(purchase) => {
                write!(f, "buy {}", purchase.slot)?;
                write_falling(f, purchase.payment)?;
                match purchase.give {
                    true => write!(f, " {GIVE}"),
                    false => Ok(()),
                }
            }
            Self::Pass => f.write_str("pass"),
        }
    }
}

/// ` 5 3 1`: the values, falling.
pub(super) fn write_falling(f: &mut fmt::Formatter<'_>, cards: ValueCounts) -> fmt::Result {
    let mut values = cards.values().rev();
    values.try_for_each(|value| write!(f, " {value}"))
}

impl FromStr for Decision {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let words = rest.split(' ').filter(|word| !word.is_empty());
        let (decision, expected) = match word {
            "take" => (parse_take(words), "`take CARD ...`, such as `take b2 g3`"),
            "buy" => (
                parse_buy(words),
                "`buy SLOT VALUE ... [give]` with falling values, such as `buy orange 5 3 1`",
            ),
            "pass" => (Some(Self::Pass), "`pass`"),
            _ => return Err(NotationError::new(text, "take, buy or pass")),
        };
        exact(text, decision, expected)
    }
}

fn parse_take<'a>(words: impl Iterator<Item = &'a str>) -> Option<Decision> {
    let cards: Vec<MoneyCard> = words.map(parse_card).collect::<Option<_>>()?;
    RowCards::of(cards).map(Decision::Take)
}

fn parse_card(word: &str) -> Option<MoneyCard> {
    let mut chars = word.chars();
    let currency = Currency::from_letter(chars.next()?)?;
    MoneyCard::new(currency, chars.as_str().parse().ok()?)
}

fn parse_buy<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Decision> {
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
    let payment = ValueCounts::new(counts)?;
    Some(Decision::Buy(Purchase {
        slot,
        payment,
        give,
    }))
}
