//! The text notation of decisions. Every decision has exactly one:
//!
//! | decision | notation |
//! |---|---|
//! | take_a_2 | `take_a_2 yes`, `take_a_2 no` |
//! | play | `play 3`; two cards `play 4 1` |
//! | raise | `raise 1 0`: tiles on the first and on the second card |
//! | place | `place gate`, `place centre gate`; tiles follow: `share`, `x_space`, `free_centre` |
//! | replace | `replace 3` |
//! | take_tile | `take_tile 0` |
//! | take_cards | `take_cards 2x1 1x3`: two cards of value 1 and one of value 3 |
//! | use | `use recall`, `use chapel_plus_2`, `use gate_plus_2` |
//! | end | `end` |

use std::fmt;
use std::str::FromStr;

use super::components::{CARD_VALUES, Kind, TileKind};
use super::decision::{Decision, Placement, PlayedCards, Spot, TurnTile};
use crate::notation::{NotationError, exact};

impl Decision {
    /// The first word of the notation: the kind of decision.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::TakeA2(_) => "take_a_2",
            Self::PlayCards(_) => "play",
            Self::RaiseCards(_) => "raise",
            Self::Place(_) => "place",
            Self::Replace(_) => "replace",
            Self::TakeTile(_) => "take_tile",
            Self::TakeCards(_) => "take_cards",
            Self::UseTile(_) => "use",
            Self::End => "end",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Self::TakeA2(used) => f.write_str(if *used { " yes" } else { " no" }),
            Self::PlayCards(cards) => cards.values().try_for_each(|card| write!(f, " {card}")),
            Self::RaiseCards([first, second]) => write!(f, " {first} {second}"),
            Self::Place(placement) => write!(f, " {placement}"),
            Self::Replace(slot) => write!(f, " {slot}"),
            Self::TakeTile(stack) => write!(f, " {stack}"),
            Self::TakeCards(cards) => write_cards(f, cards),
            Self::UseTile(tile) => write!(f, " {tile}"),
            Self::End => Ok(()),
        }
    }
}

/// ` 2x1 1x3` for two cards of value 1 and one of value 3; nothing for no card.
pub(super) fn write_cards(f: &mut fmt::Formatter<'_>, cards: &[u8; CARD_VALUES]) -> fmt::Result {
    let mut counts = cards.iter().enumerate().filter(|&(_, &count)| count > 0);
    counts.try_for_each(|(value, count)| write!(f, " {count}x{value}"))
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.spot == Spot::Centre {
            f.write_str("centre ")?;
        }
        self.stack.fmt(f)?;
        if self.share {
            write!(f, " {}", TileKind::Share)?;
        }
        if self.opening {
            write!(f, " {}", opening_tile(self.spot))?;
        }
        Ok(())
    }
}

const fn opening_tile(spot: Spot) -> TileKind {
    match spot {
        Spot::Outer => TileKind::XSpace,
        Spot::Centre => TileKind::FreeCentre,
    }
}

impl FromStr for Decision {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (decision, expected) = match word {
            "take_a_2" => (parse_take_a2(rest), "`take_a_2 yes` or `take_a_2 no`"),
            "play" => (
                parse_play(rest),
                "`play CARD` or `play CARD CARD`, such as `play 4 1`",
            ),
            "raise" => (
                parse_raise(rest),
                "`raise TILES TILES`, such as `raise 1 0`",
            ),
            "place" => (
                parse_place(rest),
                "`place [centre] STACK [share] [x_space|free_centre]`, such as `place centre inn`",
            ),
            "replace" => (rest.parse().ok().map(Self::Replace), "`replace SLOT`"),
            "take_tile" => (rest.parse().ok().map(Self::TakeTile), "`take_tile STACK`"),
            "take_cards" => (
                parse_take_cards(rest),
                "`take_cards COUNTxVALUE ...`, such as `take_cards 2x1 1x3`",
            ),
            "use" => (
                TurnTile::from_name(rest).map(Self::UseTile),
                "`use recall`, `use chapel_plus_2` or `use gate_plus_2`",
            ),
            "end" => (Some(Self::End), "`end`"),
            _ => {
                let words =
                    "take_a_2, play, raise, place, replace, take_tile, take_cards, use or end";
                return Err(NotationError::new(text, words));
            }
        };
        exact(text, decision, expected)
    }
}

fn parse_take_a2(rest: &str) -> Option<Decision> {
    match rest {
        "yes" => Some(Decision::TakeA2(true)),
        "no" => Some(Decision::TakeA2(false)),
        _ => None,
    }
}

fn parse_play(rest: &str) -> Option<Decision> {
    let (first, second) = match rest.split_once(' ') {
        Some((first, second)) => (first, Some(second.parse().ok()?)),
        None => (rest, None),
    };
    Some(Decision::PlayCards(PlayedCards {
        first: first.parse().ok()?,
        second,
    }))
}

fn parse_raise(rest: &str) -> Option<Decision> {
    let (first, second) = rest.split_once(' ')?;
    Some(Decision::RaiseCards([
        first.parse().ok()?,
        second.parse().ok()?,
    ]))
}

fn parse_place(rest: &str) -> Option<Decision> {
    let (spot, rest) = match rest.strip_prefix("centre ") {
        Some(rest) => (Spot::Centre, rest),
        None => (Spot::Outer, rest),
    };
    let mut words = rest.split(' ');
    let stack = Kind::from_name(words.next()?)?;
    let tiles: Vec<TileKind> = words.map(TileKind::from_name).collect::<Option<_>>()?;
    let share = tiles.contains(&TileKind::Share);
    let opening = tiles.contains(&opening_tile(spot));
    Some(Decision::Place(Placement {
        spot,
        stack,
        share,
        opening,
    }))
}

fn parse_take_cards(rest: &str) -> Option<Decision> {
    let mut cards = [0; CARD_VALUES];
    for part in rest.split(' ').filter(|part| !part.is_empty()) {
        let (count, value) = part.split_once('x')?;
        *cards.get_mut(value.parse::<usize>().ok()?)? = count.parse().ok()?;
    }
    Some(Decision::TakeCards(cards))
}
