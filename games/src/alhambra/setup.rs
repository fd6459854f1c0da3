//! Chance results: the setup, which is drawn before play, and the shuffle of the discard.

use std::fmt;

use arrayvec::ArrayVec;

use super::Alhambra;
use super::building::{Building, Buildings};
use super::components::{
    BUILDINGS, MAX_COPIES, MAX_PLAYERS, MONEY_CARDS, ROW_CARDS, SCORING_CARDS, STARTING_MONEY,
    SUBPILES,
};
use super::money::{Money, MoneyCard};
use super::observation::PlaceRange;
use crate::field_error::check_dealt;
use crate::field_error::{check_seats, require};
use crate::{ChanceStream, FieldError, Rules, SeatCount, Seed};

/// The setup of a match: both piles' orders, and the positions of the scoring cards.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The buildings in the order in which they are drawn.
    pub buildings: [Building; BUILDINGS],
    /// The match's money cards in the order in which they are drawn: the hands seat by seat, then
    /// the open row, then the pile.
    pub money: ArrayVec<MoneyCard, MONEY_CARDS>,
    /// The number of money cards in the second subpile that lie above scoring card A.
    pub scoring_a_place: u8,
    /// The number of money cards in the fourth subpile that lie above scoring card B.
    pub scoring_b_place: u8,
}

/// Chance streams. Each part of the setup has a separate stream.
pub(super) mod stream {
    /// The stream for the order of the buildings.
    pub(super) const BUILDINGS: u64 = 0;
    /// The stream for the order of the money cards.
    pub(super) const MONEY: u64 = 1;
    /// The stream for the position of scoring card A. The next stream is for scoring card B.
    pub(super) const SCORING_PLACES: u64 = 2;
    /// The stream for the first shuffle. Shuffle n of the match, counted from 0, uses this number
    /// plus n.
    pub(in crate::alhambra) const SHUFFLES: u64 = 16;
}

/// The indices, from 0, of the subpiles that get scoring cards A and B.
const SCORING_SUBPILES: [usize; SCORING_CARDS] = [1, 3];

/// Returns the number of copies of each money card in a match.
pub(super) const fn copies(seats: SeatCount) -> u8 {
    MAX_COPIES - (seats.get() == 2) as u8
}

/// The initial hands, and the resulting pile.
pub(super) struct Deal {
    /// The hands, by seat.
    pub(super) hands: [Money; MAX_PLAYERS],
    /// The number of cards drawn for the hands.
    pub(super) cards: usize,
    /// The possible numbers of money cards above scoring cards A and B, as ranges.
    pub(super) scoring_places: [PlaceRange; SCORING_CARDS],
}

impl Deal {
    /// Deals money cards in the given order. Each seat draws until its total is at least
    /// [`STARTING_MONEY`].
    pub(super) fn new(money: &[MoneyCard], seats: SeatCount) -> Self {
        let mut cards = money.iter();
        let mut hands = [Money::EMPTY; MAX_PLAYERS];
        for hand in &mut hands[..usize::from(seats.get())] {
            while hand.total() < STARTING_MONEY
                && let Some(&card) = cards.next()
            {
                hand.insert(card);
            }
        }
        let pile = cards.len() - ROW_CARDS;
        // The number of cards in each of the first subpiles (A2).
        let of_first =
            |subpiles: usize| (pile / SUBPILES * subpiles + subpiles.min(pile % SUBPILES)) as u8;
        Self {
            hands,
            cards: money.len() - cards.len(),
            scoring_places: SCORING_SUBPILES.map(|subpile| PlaceRange {
                first: of_first(subpile),
                last: of_first(subpile + 1),
            }),
        }
    }
}

impl PlaceRange {
    /// Draws the number of cards above the scoring card, counted from the first possible position.
    pub(super) fn draw(self, chance: &mut ChanceStream) -> u8 {
        chance.below(u32::from(self.last - self.first) + 1) as u8
    }
}

fn all_buildings() -> [Building; BUILDINGS] {
    ArrayVec::from_iter(Buildings::ALL.iter())
        .into_inner()
        .expect("the box has exactly this many buildings")
}

/// Returns the money cards of a match, in ascending order.
fn all_money(seats: SeatCount) -> ArrayVec<MoneyCard, MONEY_CARDS> {
    Money::all(copies(seats)).cards().collect()
}

pub(super) fn draw(seats: SeatCount, seed: &Seed) -> Result<Setup, FieldError> {
    check_seats(seats, Alhambra::SEATS)?;
    let stream = |number: u64| ChanceStream::new(seed, number);

    let mut buildings = all_buildings();
    stream(stream::BUILDINGS).shuffle(&mut buildings);

    let mut money = all_money(seats);
    stream(stream::MONEY).shuffle(&mut money);

    let [a, b] = Deal::new(&money, seats).scoring_places;
    Ok(Setup {
        buildings,
        money,
        scoring_a_place: a.draw(&mut stream(stream::SCORING_PLACES)),
        scoring_b_place: b.draw(&mut stream(stream::SCORING_PLACES + 1)),
    })
}

impl Setup {
    /// Checks a setup that came from outside against the number of seats.
    pub(super) fn check(&self, seats: SeatCount) -> Result<(), FieldError> {
        check_seats(seats, Alhambra::SEATS)?;
        check_dealt("buildings", &self.buildings, &all_buildings(), BUILDINGS)?;
        let money = all_money(seats);
        check_dealt("money", &self.money, &money, money.len())?;
        let ranges = Deal::new(&self.money, seats).scoring_places;
        let places =
            [("scoring_a_place", self.scoring_a_place), ("scoring_b_place", self.scoring_b_place)];
        for ((field, place), range) in places.into_iter().zip(ranges) {
            let size = range.last - range.first;
            let problem =
                format_args!("{place} is out of range (0..={size}, the cards of its subpile)");
            require(field, place <= size, problem)?;
        }
        Ok(())
    }
}

/// The shuffled discard, which becomes the new pile of money cards. Secret.
#[derive(Clone, Debug, PartialEq)]
pub struct Shuffle {
    /// The cards, the first to be drawn first.
    pub cards: ArrayVec<MoneyCard, MONEY_CARDS>,
}

impl fmt::Display for Shuffle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("new pile of money cards:")?;
        self.cards.iter().try_for_each(|card| write!(f, " {card}"))
    }
}
