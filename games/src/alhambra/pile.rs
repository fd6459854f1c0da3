//! The two piles: their orders are the secrets of a match.

use super::building::Building;
use super::components::{BUILDINGS, MONEY_CARDS, SCORING_CARDS, Scoring};
use super::money::MoneyCard;
use super::observation::PlaceRange;

/// The pile of buildings.
#[derive(Clone, Debug)]
pub(super) struct BuildingPile {
    /// In the order in which they are drawn; those before `next` are gone.
    buildings: [Building; BUILDINGS],
    next: u8,
}

impl BuildingPile {
    /// All buildings, the first to be drawn first.
    pub(super) fn new(buildings: [Building; BUILDINGS]) -> Self {
        Self { buildings, next: 0 }
    }

    /// A part of the buildings, the first to be drawn first.
    pub(super) fn of_rest(rest: &[Building]) -> Self {
        let next = BUILDINGS - rest.len();
        let mut buildings = [rest.first().copied().unwrap_or(Building::FIRST); BUILDINGS];
        buildings[next..].copy_from_slice(rest);
        Self {
            buildings,
            next: next as u8,
        }
    }

    /// The buildings that are left, the first to be drawn first.
    pub(super) fn rest(&self) -> &[Building] {
        &self.buildings[usize::from(self.next)..]
    }

    pub(super) fn draw(&mut self) -> Option<Building> {
        let building = self.buildings.get(usize::from(self.next)).copied()?;
        self.next += 1;
        Some(building)
    }
}

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
    /// In the order in which they are drawn; those before `next` are gone, those from `end` on
    /// have no meaning.
    cards: [MoneyCard; MONEY_CARDS],
    next: u8,
    end: u8,
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
        let mut cards = [MoneyCard::FIRST; MONEY_CARDS];
        cards[..money.len()].copy_from_slice(money);
        Self {
            cards,
            next: 0,
            end: money.len() as u8,
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
        &self.cards[usize::from(self.next)..usize::from(self.end)]
    }

    /// How many money cards lie above each scoring card.
    pub(super) fn scoring_places(&self) -> [Option<u8>; SCORING_CARDS] {
        let above = |card: ScoringCard| card.after - self.next;
        self.scoring_cards.map(|card| card.map(above))
    }

    /// How many money cards can lie above each scoring card.
    pub(super) fn scoring_ranges(&self) -> [Option<PlaceRange>; SCORING_CARDS] {
        let left = |card: ScoringCard| PlaceRange {
            first: card.range.first.saturating_sub(self.next),
            last: card.range.last - self.next,
        };
        self.scoring_cards.map(|card| card.map(left))
    }

    pub(super) fn draw(&mut self) -> Drawn {
        for (scoring_card, scoring) in self.scoring_cards.iter_mut().zip(Scoring::ALL) {
            if scoring_card.is_some_and(|card| card.after == self.next) {
                *scoring_card = None;
                return Drawn::Scoring(scoring);
            }
        }
        match self.rest().first() {
            Some(&card) => {
                self.next += 1;
                Drawn::Money(card)
            }
            None => Drawn::Nothing,
        }
    }
}
