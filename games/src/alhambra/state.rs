//! The whole truth of a match.

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

/// The whole truth: some hundred bytes in one piece.
#[derive(Clone, Debug)]
pub struct State {
    pub(super) config: Config,
    pub(super) seats: SeatCount,
    pub(super) phase: Phase,
    pub(super) turn_purchases: ArrayVec<TurnPurchase, MAX_TURN_PURCHASES>,
    /// By seat.
    pub(super) hands: [Money; MAX_PLAYERS],
    /// By owner: the seats, then the dummy at a table of two.
    pub(super) buildings: [Buildings; MAX_OWNERS],
    /// By owner.
    pub(super) points: [Points; MAX_OWNERS],
    /// By slot.
    pub(super) yard: [Option<Building>; CURRENCIES],
    pub(super) row: RowCards,
    pub(super) discard: Money,
    pub(super) money_pile: MoneyPile,
    pub(super) building_pile: BuildingPile,
    pub(super) shuffles: u8,
}

impl State {
    /// The position in which hands, dummy and yard have not been laid out: only the piles are
    /// there, and the hands have their cards. `setup` must have been checked.
    pub(super) fn new(config: &Config, seats: SeatCount, setup: &Setup) -> Self {
        let deal = Deal::new(&setup.money, seats);
        let mut money_pile = MoneyPile::new(&setup.money[deal.cards..]);
        let places = [setup.scoring_a_place, setup.scoring_b_place];
        // The open row is drawn from the pile, too: before any scoring card.
        let row = ROW_CARDS as u8;
        for (card, (range, place)) in deal.scoring_places.into_iter().zip(places).enumerate() {
            let known = PlaceRange {
                first: row + range.first,
                last: row + range.last,
            };
            money_pile.put(card, known.first + place, known);
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

    /// Whether there is a dummy.
    pub(super) const fn has_dummy(&self) -> bool {
        self.seats.get() == 2
    }

    /// The place of the dummy among the owners.
    pub(super) const fn dummy_index(&self) -> usize {
        self.seats.get() as usize
    }

    /// How many owners there are.
    pub(super) const fn owner_count(&self) -> usize {
        self.seats.get() as usize + self.has_dummy() as usize
    }

    /// The owners in order: the seats, then the dummy if there is one.
    pub(super) fn owners(&self) -> impl Iterator<Item = Owner> + use<> {
        let dummy = self.has_dummy().then_some(Owner::Dummy);
        self.seats.seats().map(Owner::Seat).chain(dummy)
    }

    /// Whether a seat can take or buy anything.
    pub(super) fn can_act(&self, seat: Seat) -> bool {
        let mut slots = self.yard.into_iter().zip(self.hands[seat.index()].0);
        let payable = slots.any(|(building, cards)| {
            building.is_some_and(|building| cards.total() >= building.price())
        });
        payable || !self.row.is_empty()
    }

    /// The digest of the state: the fields below in this order, each integer as in [`Digester`].
    ///
    /// Seat count and config; phase and its seat; purchases of the turn (slot, building, payment,
    /// give); of each owner its money (seats only), buildings and points; yard (a building by its
    /// index among the kinds, an empty slot 255), open row, discard; the rest of the money pile as
    /// indices of kinds, money cards above each scoring card (drawn: 255), the rest of the pile of
    /// buildings, shuffles. Money is four integers, one a currency, of two bits for each value from
    /// the lowest; buildings are 16 bytes, two bits for each kind from the first.
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
        let Config {
            without_buildings,
            dummy_places,
        } = *config;
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

/// What stands for an absent value in a digest.
const ABSENT: u8 = u8::MAX;

fn digest_money(d: &mut Digester, money: &Money) {
    for currency in Currency::ALL {
        d.i32(money.of_currency(currency).bits() as i32);
    }
}
