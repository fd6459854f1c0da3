//! Everything that chance fixes before play.

use arrayvec::ArrayVec;

use super::Alhambra;
use super::building::{Building, Buildings};
use super::components::{
    BUILDINGS, MAX_COPIES, MAX_PLAYERS, MONEY_CARDS, ROW_CARDS, SCORING_CARDS, STARTING_MONEY,
    SUBPILES,
};
use super::money::{Money, MoneyCard};
use super::observation::PlaceRange;
use crate::Rules;
use crate::dealt::check_dealt;
use crate::field_error::check_seats;
use crate::{ChanceStream, FieldError, SeatCount, Seed};

/// The setup of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The buildings in the order in which they are drawn.
    pub buildings: [Building; BUILDINGS],
    /// The money cards of the match in the order in which they are drawn: first the hands, seat
    /// by seat, then the open row, then the pile.
    pub money: ArrayVec<MoneyCard, MONEY_CARDS>,
    /// Money cards of the second subpile that lie above scoring card A.
    pub scoring_a_place: u8,
    /// Money cards of the fourth subpile that lie above scoring card B.
    pub scoring_b_place: u8,
}

/// Chance streams. Each thing that is drawn has a stream of its own.
pub(super) mod stream {
    /// Order of the buildings.
    pub(super) const BUILDINGS: u64 = 0;
    /// Order of the money cards.
    pub(super) const MONEY: u64 = 1;
    /// The places of scoring cards A and B use this number and the next.
    pub(super) const SCORING_PLACES: u64 = 2;
    /// Shuffle n of the match, from 0, uses this number and n.
    pub(in crate::alhambra) const SHUFFLES: u64 = 16;
}

/// The subpiles that get scoring cards A and B, from 0.
const SCORING_SUBPILES: [usize; SCORING_CARDS] = [1, 3];

/// Copies of each money card in a match.
pub(super) const fn copies(seats: SeatCount) -> u8 {
    MAX_COPIES - (seats.get() == 2) as u8
}

/// The hands that the seats draw, and what follows for the pile.
pub(super) struct Deal {
    /// By seat.
    pub(super) hands: [Money; MAX_PLAYERS],
    /// Cards drawn for them.
    pub(super) cards: usize,
    /// How many money cards of the pile can lie above scoring cards A and B.
    pub(super) scoring_places: [PlaceRange; SCORING_CARDS],
}

impl Deal {
    /// Deals from money cards in their order: each seat draws until its total is at least
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
        // The cards of the first subpiles (A2).
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
    /// Draws how many of the cards from the first to the last place lie above the scoring card.
    pub(super) fn draw(self, chance: &mut ChanceStream) -> u8 {
        chance.below(u32::from(self.last - self.first) + 1) as u8
    }
}

fn all_buildings() -> [Building; BUILDINGS] {
    ArrayVec::from_iter(Buildings::ALL.iter())
        .into_inner()
        .expect("the box has exactly this many buildings")
}

/// The money cards of a match, in their order.
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
    /// Checks a setup from outside against the config of its match.
    pub(super) fn check(&self, seats: SeatCount) -> Result<(), FieldError> {
        check_seats(seats, Alhambra::SEATS)?;
        check_dealt("buildings", &self.buildings, &all_buildings(), BUILDINGS)?;
        let money = all_money(seats);
        check_dealt("money", &self.money, &money, money.len())?;
        let ranges = Deal::new(&self.money, seats).scoring_places;
        let places = [
            ("scoring_a_place", self.scoring_a_place),
            ("scoring_b_place", self.scoring_b_place),
        ];
        for ((field, place), range) in places.into_iter().zip(ranges) {
            let size = range.last - range.first;
            if place > size {
                let problem = format!("{place} is not in 0 to {size}, the cards of its subpile");
                return FieldError::refuse(field, problem);
            }
        }
        Ok(())
    }
}
