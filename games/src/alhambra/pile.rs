//! The two piles: their orders are the secrets of a match.

use super::building::Building;
use super::components::{BUILDINGS, MONEY_CARDS, SCORING_CARDS, Scoring};
use super::money::MoneyCard;
use super::observation::PlaceRange;

/// At most `N` pieces that are drawn one by one.
#[derive(Clone, Debug)]
pub(super) struct Pile<T, const N: usize> {
    /// In the order in which they are drawn; those before `next` are gone, those from `end` on
    /// have no meaning.
    pieces: [T; N],
    next: u8,
    end: u8,
}

impl<T: Copy, const N: usize> Pile<T, N> {
    /// A pile of these pieces, the first to be drawn first. Any piece does as `filler`.
    pub(super) fn new(rest: &[T], filler: T) -> Self {
        let mut pieces = [filler; N];
        pieces[..rest.len()].copy_from_slice(rest);
        Self {
            pieces,
            next: 0,
            end: rest.len() as u8,
        }
    }

    /// What is left, the first to be drawn first.
    pub(super) fn rest(&self) -> &[T] {
        &self.pieces[usize::from(self.next)..usize::from(self.end)]
    }

    pub(super) fn draw(&mut self) -> Option<T> {
        let piece = *self.rest().first()?;
        self.next += 1;
        Some(piece)
    }
}

/// The pile of buildings.
pub(super) type BuildingPile = Pile<Building, BUILDINGS>;

/// A scoring card in the pile of money cards, by the number of money cards drawn from this pile
/// before it.
#[derive(Clone, Copy, Debug)]
struct ScoringCard {
    /// Where it is: secret.
    after: u8,
    /// Where it can be, as far as is known.
    range: PlaceRange,
}

/// The pile of money cards.
#[derive(Clone, Debug)]
pub(super) struct MoneyPile {
    money: Pile<MoneyCard, MONEY_CARDS>,
    /// A and B until they are drawn.
    scoring_cards: [Option<ScoringCard>; SCORING_CARDS],
}

/// What is drawn from the pile of money cards.
pub(super) enum Drawn {
    Money(MoneyCard),
    Scoring(Scoring),
    /// Nothing is left.
    Nothing,
}

impl MoneyPile {
    /// A pile of money cards without scoring cards.
    pub(super) fn new(money: &[MoneyCard]) -> Self {
        Self {
            money: Pile::new(money, MoneyCard::FIRST),
            scoring_cards: [None; SCORING_CARDS],
        }
    }

    /// Puts a scoring card under `above` money cards of the whole pile; `range` is what is known
    /// of that.
    pub(super) fn put(&mut self, scoring_card: usize, above: u8, range: PlaceRange) {
        let after = above;
        self.scoring_cards[scoring_card] = Some(ScoringCard { after, range });
    }

    /// The money cards that are left, the first to be drawn first.
    pub(super) fn rest(&self) -> &[MoneyCard] {
        self.money.rest()
    }

    /// How many money cards lie above each scoring card.
    pub(super) fn scoring_places(&self) -> [Option<u8>; SCORING_CARDS] {
        let above = |card: ScoringCard| card.after - self.money.next;
        self.scoring_cards.map(|card| card.map(above))
    }

    /// How many money cards can lie above each scoring card.
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
