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

use super::components::{CARD_VALUES, Kind, TileKind};
use super::decision::{Decision, MAX_PLAYED, Placement, PlayedCards, Spot, TurnTile};
use crate::notation::{notation, read, spaced};

notation! {
    Decision {
        TakeA2(used) = "take_a_2" " {}" (if *used { "yes" } else { "no" }),
            from parse_yes_no, else "`take_a_2 yes` or `take_a_2 no`";
        PlayCards(PlayedCards { first, second }) = "play" " {first}{}" (spaced(*second)),
            from parse_play, else "`play CARD` or `play CARD CARD`, such as `play 4 1`";
        RaiseCards([first, second]) = "raise" " {first} {second}",
            from parse_raise, else "`raise TILES TILES`, such as `raise 1 0`";
        Place(placement) = "place" " {placement}", from parse_place, else
            "`place [centre] STACK [share] [x_space|free_centre]`, such as `place centre inn`";
        Replace(slot) = "replace" " {slot}", from read, else "`replace SLOT`";
        TakeTile(stack) = "take_tile" " {stack}", from read, else "`take_tile STACK`";
        TakeCards(cards) = "take_cards" "{}" (counted(cards)), from parse_take_cards, else
            "`take_cards COUNTxVALUE ...` with at least one card, such as `take_cards 2x1 1x3`";
        UseTile(tile) = "use" " {tile}", from TurnTile::from_name, else
            "`use recall`, `use chapel_plus_2` or `use gate_plus_2`";
        End = "end";
    }
}

/// Formats card counts, such as ` 2x1 1x3` for two cards of value 1 and one of value 3. Without
/// cards, the text is empty.
pub(super) fn counted(cards: &[u8; CARD_VALUES]) -> impl fmt::Display {
    let counts = cards.iter().enumerate().filter(|&(_, &count)| count > 0);
    spaced(counts.map(|(value, count)| fmt::from_fn(move |f| write!(f, "{count}x{value}"))))
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

fn parse_yes_no(rest: &str) -> Option<bool> {
    match rest {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

fn parse_play(rest: &str) -> Option<PlayedCards> {
    let (first, second) = match rest.split_once(' ') {
        Some((first, second)) => (first, Some(second.parse().ok()?)),
        None => (rest, None),
    };
    Some(PlayedCards {
        first: first.parse().ok()?,
        second,
    })
}

fn parse_raise(rest: &str) -> Option<[u8; MAX_PLAYED]> {
    let (first, second) = rest.split_once(' ')?;
    Some([first.parse().ok()?, second.parse().ok()?])
}

fn parse_place(rest: &str) -> Option<Placement> {
    let (spot, rest) = match rest.strip_prefix("centre ") {
        Some(rest) => (Spot::Centre, rest),
        None => (Spot::Outer, rest),
    };
    let mut words = rest.split_whitespace();
    let stack = Kind::from_name(words.next()?)?;
    let tiles: Vec<TileKind> = words.map(TileKind::from_name).collect::<Option<_>>()?;
    Some(Placement {
        spot,
        stack,
        share: tiles.contains(&TileKind::Share),
        opening: tiles.contains(&opening_tile(spot)),
    })
}

fn parse_take_cards(rest: &str) -> Option<[u8; CARD_VALUES]> {
    let mut cards = [0; CARD_VALUES];
    for part in rest.split_whitespace() {
        let (count, value) = part.split_once('x')?;
        *cards.get_mut(value.parse::<usize>().ok()?)? = count.parse().ok()?;
    }
    (cards != [0; CARD_VALUES]).then_some(cards)
}
