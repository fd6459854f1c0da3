//! The complete state of a match.

use arrayvec::ArrayVec;

use super::building::{Building, Buildings};
use super::components::{CURRENCIES, Currency, MAX_OWNERS, MAX_PLAYERS, ROW_CARDS};
use super::config::Config;
use super::event::Owner;
use super::money::Money;
use super::observation::{MAX_TURN_PURCHASES, Phase, PlaceRange, Points, TurnPurchase};
use super::pile::{BuildingPile, MoneyPile};
use super::row_cards::RowCards;
use super::setup::{Deal, Setup};
use crate::{Digest, Digester, Seat, SeatCount};

/// The complete state of a match: several hundred bytes without pointers.
#[derive(Clone, Debug)]
pub struct State {
    pub(super) config: Config,
    pub(super) seats: SeatCount,
    pub(super) phase: Phase,
    pub(super) turn_purchases: ArrayVec<TurnPurchase, MAX_TURN_PURCHASES>,
    /// The cards in each hand, indexed by seat.
    pub(super) hands: [Money; MAX_PLAYERS],
    /// Indexed by owner: the seats, then the dummy at a table of two.
    pub(super) buildings: [Buildings; MAX_OWNERS],
    /// Indexed by owner, like `buildings`.
    pub(super) points: [Points; MAX_OWNERS],
    /// Indexed by slot, in the order of the currencies.
    pub(super) yard: [Option<Building>; CURRENCIES],
    pub(super) row: RowCards,
    pub(super) discard: Money,
    pub(super) money_pile: MoneyPile,
    pub(super) building_pile: BuildingPile,
    pub(super) shuffles: u8,
}

impl State {
    /// Creates the state after the hands are dealt, while yard, row and dummy are still empty.
    /// `setup` must be valid.
    pub(super) fn new(config: &Config, seats: SeatCount, setup: &Setup) -> Self {
        let deal = Deal::new(&setup.money, seats);
        let mut money_pile = MoneyPile::new(&setup.money[deal.cards..]);
        let places = [setup.scoring_a_place, setup.scoring_b_place];
        // The cards of the open row are drawn from the pile too, before any scoring card.
        let row = ROW_CARDS as u8;
        for (card, (range, place)) in deal.scoring_places.into_iter().zip(places).enumerate() {
            let exact = PlaceRange { first: row + range.first, last: row + range.last };
            money_pile.put(card, exact.first + place, exact);
        }
        Self {
            config: *config,
            seats,
            phase: Phase::Over,
            turn_purchases: ArrayVec::new(),
            hands: deal.hands,
            buildings: [Buildings::EMPTY; MAX_OWNERS],
            points: [Points::default(); MAX_OWNERS],
            yard: [None; CURRENCIES],
            row: RowCards::EMPTY,
            discard: Money::EMPTY,
            money_pile,
            building_pile: BuildingPile::new(&setup.buildings, Building::FIRST),
            shuffles: 0,
        }
    }

    /// Returns `true` if there is a dummy.
    pub(super) const fn has_dummy(&self) -> bool {
        self.seats.get() == 2
    }

    /// Returns the index of the dummy among the owners.
    pub(super) const fn dummy_index(&self) -> usize {
        self.seats.get() as usize
    }

    /// Returns the number of owners.
    pub(super) const fn owner_count(&self) -> usize {
        self.seats.get() as usize + self.has_dummy() as usize
    }

    /// Returns the owners in order: the seats, then the dummy if there is one.
    pub(super) fn owners(&self) -> impl Iterator<Item = Owner> + use<> {
        let dummy = self.has_dummy().then_some(Owner::Dummy);
        self.seats.seats().map(Owner::Seat).chain(dummy)
    }

    /// Returns `true` if a seat can take or buy something.
    pub(super) fn can_act(&self, seat: Seat) -> bool {
        let mut slots = self.yard.into_iter().zip(self.hands[seat.index()].0);
        let payable = slots.any(|(building, cards)| {
            building.is_some_and(|building| cards.total() >= building.price())
        });
        payable || !self.row.is_empty()
    }

    /// Returns the digest of the state: the fields below in this order, each integer as in
    /// [`Digester`].
    ///
    /// * Seat count, config, phase and the seat of the phase.
    /// * Purchases of the turn (slot, building, payment, give).
    /// * Money (seats only), buildings and points of each owner.
    /// * Yard (the index of a building's kind, 255 for an empty slot), open row and discard.
    /// * The rest of the money pile as indices of kinds, the number of money cards above each
    ///   scoring card (255 if drawn), the rest of the pile of buildings, and the shuffles.
    ///
    /// Money is four integers, one per currency, with two bits for each value from the lowest.
    /// Buildings are 16 bytes, with two bits for each kind from the first.
    pub(super) fn digest(&self) -> Digest {
        let Self {
            config,
            seats,
            phase,
            turn_purchases,
            hands,
            buildings,
            points,
            yard,
            row,
            discard,
            money_pile,
            building_pile,
            shuffles,
        } = self;
        let Config { without_buildings, dummy_places } = *config;
        let mut d = Digester::default();
        d.bytes(&[seats.get(), without_buildings as u8, dummy_places as u8]);
        d.bytes(&match *phase {
            Phase::Turn { seat } => [0, seat.number()],
            Phase::Shuffle { seat } => [1, seat.number()],
            Phase::Over => [2, 0],
        });
        d.u8(turn_purchases.len() as u8);
        for TurnPurchase { building, purchase } in turn_purchases {
            d.bytes(&[purchase.slot as u8, building.index() as u8]);
            d.i32(purchase.payment.bits() as i32);
            d.u8(u8::from(purchase.give));
        }
        for seat in seats.seats() {
            digest_money(&mut d, &hands[seat.index()]);
        }
        let owners = buildings.iter().zip(points);
        for (buildings, points) in owners.take(self.owner_count()) {
            d.bytes(&buildings.bits().to_le_bytes());
            points.iter().for_each(|scoring| d.bytes(scoring));
        }
        let lies = |building: Option<Building>| building.map_or(ABSENT, |b| b.index() as u8);
        d.bytes(&yard.map(lies));
        let row: ArrayVec<u8, ROW_CARDS> = row.cards().map(|c| c.index() as u8).collect();
        d.list(&row);
        digest_money(&mut d, discard);
        let money = money_pile.rest();
        d.i32(money.len() as i32);
        money.iter().for_each(|card| d.u8(card.index() as u8));
        let places = money_pile.scoring_places();
        d.bytes(&places.map(|place| place.unwrap_or(ABSENT)));
        let buildings = building_pile.rest();
        d.i32(buildings.len() as i32);
        buildings.iter().for_each(|b| d.u8(b.index() as u8));
        d.u8(*shuffles);
        d.finish()
    }
}

/// The number that is hashed for an absent value.
const ABSENT: u8 = u8::MAX;

fn digest_money(d: &mut Digester, money: &Money) {
    for currency in Currency::ALL {
        d.i32(money.of_currency(currency).bits() as i32);
    }
}
