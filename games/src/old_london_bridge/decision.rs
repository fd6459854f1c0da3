//! Decisions of a seat, their text notation, and the reasons why they are refused. Every decision
//! has exactly one notation:
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

use super::components::{CARD_VALUES, CENTRE_PRICE, Kind, TileKind};
use crate::named::{named, ordered};
use crate::notation::{notation, read, spaced};
use crate::refusals::refusals;

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
            Self::Place(Placement { spot, stack, share, opening }) => {
                key(3, [spot as u8, stack as u8, share.into(), opening.into(), 0])
            }
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

ordered!(Decision by |own| own.key());

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
    Some(PlayedCards { first: first.parse().ok()?, second })
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
