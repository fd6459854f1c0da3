//! The two piles, whose orders are hidden information.

use std::fmt;

use super::building::Building;
use super::components::{BUILDINGS, MONEY_CARDS, SCORING_CARDS, Scoring};
use super::money::MoneyCard;
use super::observation::PlaceRange;

/// A pile of at most `N` pieces, drawn one by one.
#[derive(Clone)]
pub(super) struct Pile<T, const N: usize> {
    /// The pieces in the order in which they are drawn. Pieces before `next` are already drawn, and
    /// entries from `end` on are unused.
    pieces: [T; N],
    next: u8,
    end: u8,
}

impl<T: Copy, const N: usize> Pile<T, N> {
    /// Creates a pile of these pieces; `rest[0]` is drawn first. `filler` pads the array and may
    /// be any piece.
    pub(super) fn new(rest: &[T], filler: T) -> Self {
        let mut pieces = [filler; N];
        pieces[..rest.len()].copy_from_slice(rest);
        Self { pieces, next: 0, end: rest.len() as u8 }
    }

    /// Returns the remaining pieces, the first to be drawn first.
    pub(super) fn rest(&self) -> &[T] {
        &self.pieces[usize::from(self.next)..usize::from(self.end)]
    }

    pub(super) fn draw(&mut self) -> Option<T> {
        let piece = *self.rest().first()?;
        self.next += 1;
        Some(piece)
    }
}

/// Prints the remaining pieces only.
impl<T: Copy + fmt::Debug, const N: usize> fmt::Debug for Pile<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rest()).finish()
    }
}

/// The pile of buildings, face down.
pub(super) type BuildingPile = Pile<Building, BUILDINGS>;

/// A scoring card in the pile of money cards. The position is the number of money cards that are
/// drawn from this pile before the scoring card.
#[derive(Clone, Copy, Debug)]
struct ScoringCard {
    /// The actual position, which is hidden.
    after: u8,
    /// The public range of positions.
    range: PlaceRange,
}

/// The pile of money cards with its scoring cards.
#[derive(Clone, Debug)]
pub(super) struct MoneyPile {
    money: Pile<MoneyCard, MONEY_CARDS>,
    /// Scoring cards A and B, until they are drawn.
    scoring_cards: [Option<ScoringCard>; SCORING_CARDS],
}

/// The result of drawing from the money pile.
pub(super) enum Drawn {
    Money(MoneyCard),
    Scoring(Scoring),
    /// The pile is empty.
    Nothing,
}

impl MoneyPile {
    /// Creates a pile of money cards without scoring cards.
    pub(super) fn new(money: &[MoneyCard]) -> Self {
        Self { money: Pile::new(money, MoneyCard::FIRST), scoring_cards: [None; SCORING_CARDS] }
    }

    /// Puts a scoring card below `above` money cards of the whole pile. `range` is the public range
    /// of `above`.
    pub(super) fn put(&mut self, scoring_card: usize, above: u8, range: PlaceRange) {
        let after = above;
        self.scoring_cards[scoring_card] = Some(ScoringCard { after, range });
    }

    /// Returns the remaining money cards, the first to be drawn first.
    pub(super) fn rest(&self) -> &[MoneyCard] {
        self.money.rest()
    }

    /// Returns the number of money cards above each scoring card.
    pub(super) fn scoring_places(&self) -> [Option<u8>; SCORING_CARDS] {
        let above = |card: ScoringCard| card.after - self.money.next;
        self.scoring_cards.map(|card| card.map(above))
    }

    /// Returns the public range for the number of money cards above each scoring card.
    pub(super) fn scoring_ranges(&self) -> [Option<PlaceRange>; SCORING_CARDS] {
        let left = |card: ScoringCard| PlaceRange {
            first: card.range.first.saturating_sub(self.money.next),
            last: card.range.last - self.money.next,
        };
        self.scoring_cards.map(|card| card.map(left))
    }

    pub(super) fn draw(&mut self) -> Drawn {
        for (scoring_card, scoring) in self.scoring_cards.iter_mut().zip(Scoring::ALL) {
            if scoring_card.is_some_and(|card| card.after == self.money.next) {
                *scoring_card = None;
                return Drawn::Scoring(scoring);
            }
        }
        self.money.draw().map_or(Drawn::Nothing, Drawn::Money)
    }
}
