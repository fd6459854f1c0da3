//! An independent implementation of the game, written from the rules page without regard to speed:
//! cards are in vectors, the scoring cards are among the money cards of the pile, and every list is
//! made by trying all subsets and sorting.

use bridgemaster_games::alhambra::{
    Building, Buildings, Category, Config, Currency, Decision, DummyPlaces, Event, Money,
    MoneyCard, Observation, Owner, Phase, Points, Purchase, RowCards, Scoring, Setup, Shuffle,
    ValueCounts, WithoutBuildings,
};

use crate::play::seat;

/// A card of the money pile, scoring cards included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PileCard {
    Money(MoneyCard),
    A,
    B,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Waiting {
    Decision,
    Shuffle,
    Nothing,
}

#[derive(Clone, Debug)]
pub(crate) struct NaiveMatch {
    config: Config,
    seats: usize,
    hands: Vec<Vec<MoneyCard>>,
    /// Owners: the seats, then the dummy.
    buildings: Vec<Vec<Building>>,
    points: Vec<Points>,
    yard: Vec<Option<Building>>,
    row: Vec<MoneyCard>,
    discard: Vec<MoneyCard>,
    /// The money pile; the next card is the last.
    money_pile: Vec<PileCard>,
    /// The building pile; the next building is the last.
    building_pile: Vec<Building>,
    turn: usize,
    waiting: Waiting,
    /// Events since they were last taken.
    pub(crate) events: Vec<Event>,
}

impl NaiveMatch {
    pub(crate) fn new(config: &Config, seats: usize, setup: &Setup) -> Self {
        let mut building_pile: Vec<Building> = setup.buildings.to_vec();
        building_pile.reverse();
        let owners = if seats == 2 { 3 } else { seats };
        let mut money: Vec<MoneyCard> = setup.money.to_vec();
        money.reverse();
        let mut hands = Vec::new();
        for _ in 0..seats {
            let mut hand: Vec<MoneyCard> = Vec::new();
            while total(&hand) < 20 {
                hand.push(money.pop().unwrap());
            }
            hands.push(hand);
        }
        let row = money.split_off(money.len() - 4);
        money.reverse();
        // There are five subpiles: A goes into the second, B into the fourth.
        let mut subpiles = Vec::new();
        let mut rest = money.as_slice();
        for i in 1..=5 {
            let size = money.len() / 5 + usize::from(i <= money.len() % 5);
            let (subpile, others) = rest.split_at(size);
            subpiles.push(subpile.iter().map(|&c| PileCard::Money(c)).collect::<Vec<_>>());
            rest = others;
        }
        subpiles[1].insert(usize::from(setup.scoring_a_place), PileCard::A);
        subpiles[3].insert(usize::from(setup.scoring_b_place), PileCard::B);
        let mut money_pile = subpiles.concat();
        money_pile.reverse();
        let key = |&seat: &usize| (hands[seat].len(), total(&hands[seat]), seat);
        let turn = (0..seats).min_by_key(key).unwrap();
        let mut naive = Self {
            config: *config,
            seats,
            hands,
            buildings: vec![Vec::new(); owners],
            points: vec![Points::default(); owners],
            yard: vec![None; 4],
            row: Vec::new(),
            discard: Vec::new(),
            money_pile,
            building_pile,
            turn,
            waiting: Waiting::Decision,
            events: Vec::new(),
        };
        for (number, hand) in (0..).zip(&naive.hands) {
            let money = Money::from_cards(hand.iter().copied()).unwrap();
            let dealt = Event::HandDealt { seat: seat(number), money };
            naive.events.push(dealt);
        }
        naive.dummy_draws(6);
        naive.fill_yard();
        row.into_iter().rev().for_each(|card| naive.open(card));
        naive.begin_turn(turn);
        naive
    }

    fn begin_turn(&mut self, turn: usize) {
        self.turn = turn;
        self.waiting = Waiting::Decision;
        self.events.push(Event::TurnStarted { seat: seat(turn as u8) });
    }

    fn open(&mut self, card: MoneyCard) {
        self.row.push(card);
        self.events.push(Event::MoneyOpened { card });
    }

    fn fill_yard(&mut self) {
        for slot in Currency::ALL {
            let place = &mut self.yard[slot.index()];
            if place.is_none()
                && let Some(building) = self.building_pile.pop()
            {
                *place = Some(building);
                self.events.push(Event::BuildingLaid { slot, building });
            }
        }
    }

    /// The seat that owes a decision.
    pub(crate) fn seat_to_decide(&self) -> Option<usize> {
        (self.waiting == Waiting::Decision).then_some(self.turn)
    }

    pub(crate) fn decide(&mut self, decision: &Decision) {
        assert_eq!(self.waiting, Waiting::Decision);
        let by = seat(self.turn as u8);
        match decision {
            &Decision::Take(cards) => {
                self.events.push(Event::MoneyTaken { seat: by, cards });
                for card in cards.cards() {
                    take_out(&mut self.row, card);
                    self.hands[self.turn].push(card);
                }
            }
            &Decision::Buy(purchase) => {
                let mut paid = 0;
                for value in purchase.payment.values() {
                    let card = MoneyCard::new(purchase.slot, value).unwrap();
                    take_out(&mut self.hands[self.turn], card);
                    self.discard.push(card);
                    paid += value;
                }
                let bought = self.yard[purchase.slot.index()].take().unwrap();
                let owner = if purchase.give { 2 } else { self.turn };
                self.buildings[owner].push(bought);
                self.events.push(Event::Bought { seat: by, building: bought, purchase });
                if paid == bought.price() {
                    return;
                }
            }
            Decision::Pass => self.events.push(Event::Passed { seat: by }),
        }
        self.fill_yard();
        if self.yard.contains(&None) {
            self.end();
        } else {
            self.refill_row();
        }
    }

    pub(crate) fn shuffled(&mut self, shuffle: &Shuffle) {
        assert_eq!(self.waiting, Waiting::Shuffle);
        assert_eq!(sorted(&shuffle.cards), sorted(&self.discard));
        self.discard.clear();
        let cards = shuffle.cards.len() as u8;
        self.events.push(Event::MoneyShuffled { cards });
        self.money_pile = shuffle.cards.iter().map(|&c| PileCard::Money(c)).collect();
        self.money_pile.reverse();
        self.refill_row();
    }

    fn refill_row(&mut self) {
        while self.row.len() < 4 {
            match self.money_pile.pop() {
                Some(PileCard::Money(card)) => self.open(card),
                Some(PileCard::A) => {
                    self.score(0);
                    self.dummy_draws(6);
                }
                Some(PileCard::B) => {
                    self.score(1);
                    self.dummy_draws(self.building_pile.len() / 3);
                }
                None if self.discard.is_empty() => break,
                None => {
                    self.waiting = Waiting::Shuffle;
                    return;
                }
            }
        }
        self.begin_turn((self.turn + 1) % self.seats);
    }

    fn dummy_draws(&mut self, count: usize) {
        if self.seats == 2 {
            let left = self.building_pile.len();
            let drawn = self.building_pile.split_off(left - count.min(left));
            let buildings = Buildings::from_buildings(drawn.iter().copied()).unwrap();
            self.events.push(Event::DummyDrew { buildings });
            self.buildings[2].extend(drawn);
        }
    }

    fn end(&mut self) {
        self.events.push(Event::YardShort);
        for slot in Currency::ALL {
            let Some(building) = self.yard[slot.index()] else {
                continue;
            };
            let held = |seat: usize| {
                let own = self.hands[seat].iter().filter(|card| card.currency() == slot);
                own.map(|card| card.value()).sum::<u8>()
            };
            let mut ranking: Vec<usize> = (0..self.seats).collect();
            ranking.sort_by_key(|&seat| std::cmp::Reverse(held(seat)));
            let richest = (held(ranking[0]) > held(ranking[1])).then_some(ranking[0]);
            if let Some(richest) = richest {
                self.buildings[richest].push(building);
                self.yard[slot.index()] = None;
            }
            self.events.push(Event::BuildingAllotted {
                slot,
                building,
                seat: richest.map(|richest| seat(richest as u8)),
            });
        }
        self.score(2);
        self.waiting = Waiting::Nothing;
    }

    /// Sorts the owners of each category and assigns the places one by one.
    fn score(&mut self, scoring: usize) {
        for (category, rank) in Category::ALL.into_iter().zip(1u8..) {
            let count = |owner: usize| {
                let own = self.buildings[owner].iter();
                own.filter(|b| b.category() == category).count()
            };
            let with_none = self.config.without_buildings == WithoutBuildings::Place;
            let mut owners: Vec<usize> =
                (0..self.buildings.len()).filter(|&owner| count(owner) > 0 || with_none).collect();
            if self.config.dummy_places == DummyPlaces::FirstOnly && self.seats == 2 {
                let most = count(0).max(count(1));
                owners.retain(|&owner| owner < 2 || count(2) >= most);
            }
            owners.sort_by_key(|&owner| std::cmp::Reverse(count(owner)));
            let mut places = match scoring {
                0 => vec![rank],
                1 => vec![7 + rank, rank],
                _ => vec![15 + rank, 7 + rank, rank],
            };
            places.resize(places.len() + owners.len(), 0);
            for tied in owners.chunk_by(|&one, &other| count(one) == count(other)) {
                let sum: u8 = places.drain(..tied.len()).sum();
                for &owner in tied {
                    self.points[owner][scoring][category.index()] = sum / tied.len() as u8;
                }
            }
        }
        for (number, points) in self.points.iter().enumerate() {
            let owner =
                if number < self.seats { Owner::Seat(seat(number as u8)) } else { Owner::Dummy };
            self.events.push(Event::Scored {
                scoring: Scoring::ALL[scoring],
                owner,
                points: points[scoring],
            });
        }
    }

    /// Asserts that an observation has the same facts.
    pub(crate) fn check(&self, view: &Observation) {
        for (seat, hand) in self.hands.iter().enumerate() {
            assert_eq!(sorted(hand), view.seats[seat].hand.cards().collect::<Vec<_>>());
        }
        let seats = view.seats.iter().map(|seat| (seat.buildings, seat.points));
        let dummy = view.dummy.iter().map(|dummy| (dummy.buildings, dummy.points));
        let owners: Vec<_> = seats.chain(dummy).collect();
        assert_eq!(owners.len(), self.buildings.len());
        for (owner, (owned, points)) in owners.into_iter().enumerate() {
            assert_eq!(sorted(&self.buildings[owner]), owned.iter().collect::<Vec<_>>());
            assert_eq!(self.points[owner], points, "owner {owner}");
        }
        assert_eq!(self.yard, view.yard);
        assert_eq!(sorted(&self.row), view.row.cards().collect::<Vec<_>>());
        assert_eq!(sorted(&self.discard), view.discard.cards().collect::<Vec<_>>());
        let money = self.money_pile.iter().filter_map(|card| match card {
            PileCard::Money(card) => Some(*card),
            PileCard::A | PileCard::B => None,
        });
        let money: Vec<MoneyCard> = money.collect();
        assert_eq!(sorted(&money), view.unseen_money.cards().collect::<Vec<_>>());
        let left = view.unseen_buildings.iter().collect::<Vec<_>>();
        assert_eq!(sorted(&self.building_pile), left);
        for (scoring_card, range) in [PileCard::A, PileCard::B].into_iter().zip(view.scoring_cards)
        {
            let place = self.money_pile.iter().rev().position(|card| *card == scoring_card);
            assert_eq!(place.is_some(), range.is_some());
            if let (Some(place), Some(range)) = (place, range) {
                let above = self.money_pile.iter().rev().take(place);
                let money = above.filter(|card| matches!(card, PileCard::Money(_))).count() as u8;
                assert!((range.first..=range.last).contains(&money), "{money}: {range:?}");
            }
        }
        match (self.waiting, view.phase) {
            (Waiting::Decision, Phase::Turn { seat }) => assert_eq!(seat.index(), self.turn),
            (Waiting::Shuffle, Phase::Shuffle { seat }) => assert_eq!(seat.index(), self.turn),
            (Waiting::Nothing, Phase::Over) => {}
            other => panic!("{other:?}"),
        }
    }

    /// All legal decisions in canonical order.
    pub(crate) fn legal(&self) -> Vec<Decision> {
        let mut list = takes(&self.row);
        list.extend(purchases(&self.yard, &self.hands[self.turn], self.seats == 2));
        if list.is_empty() {
            list.push(Decision::Pass);
        }
        list
    }

    /// The number of card subsets of the current seat over its four slots, an upper bound of its
    /// purchases.
    pub(crate) fn choices(&self) -> usize {
        let hand = &self.hands[self.turn];
        let of_slot = |slot: Currency| -> usize {
            let copies = (1..=9).map(|value| copies(hand, slot, value) + 1);
            copies.product()
        };
        Currency::ALL.into_iter().map(of_slot).sum()
    }

    /// Score and place of each seat.
    pub(crate) fn result(&self) -> Vec<(i32, u8)> {
        let score = |seat: usize| -> i32 {
            let points = self.points[seat].as_flattened().iter();
            points.map(|&points| i32::from(points)).sum()
        };
        let better = |seat: usize| (0..self.seats).filter(|&s| score(s) > score(seat)).count();
        (0..self.seats).map(|seat| (score(seat), better(seat) as u8 + 1)).collect()
    }
}

fn total(cards: &[MoneyCard]) -> u32 {
    cards.iter().map(|card| u32::from(card.value())).sum()
}

fn sorted<T: Ord + Copy>(items: &[T]) -> Vec<T> {
    let mut items = items.to_vec();
    items.sort();
    items
}

fn take_out(cards: &mut Vec<MoneyCard>, card: MoneyCard) {
    let place = cards.iter().position(|other| *other == card).unwrap();
    cards.remove(place);
}

fn copies(hand: &[MoneyCard], slot: Currency, value: u8) -> usize {
    let wanted = MoneyCard::new(slot, value).unwrap();
    hand.iter().filter(|card| **card == wanted).count()
}

/// All subsets of the row that can be taken.
fn takes(row: &[MoneyCard]) -> Vec<Decision> {
    let mut subsets: Vec<Vec<MoneyCard>> = (1u32..1 << row.len())
        .map(|mask| {
            let chosen = (0..row.len()).filter(|place| mask >> place & 1 == 1);
            sorted(&chosen.map(|place| row[place]).collect::<Vec<_>>())
        })
        .filter(|cards| cards.len() == 1 || total(cards) <= 5)
        .collect();
    subsets.sort_by_key(|cards| (cards.len(), cards.clone()));
    subsets.dedup();
    subsets.into_iter().map(|cards| Decision::Take(RowCards::from_cards(cards).unwrap())).collect()
}

/// All purchases: all multisets of each currency in hand, in the order of the rules page.
pub(crate) fn purchases(
    yard: &[Option<Building>],
    hand: &[MoneyCard],
    can_give: bool,
) -> Vec<Decision> {
    let mut all = Vec::new();
    for slot in Currency::ALL {
        let Some(building) = yard[slot.index()] else {
            continue;
        };
        let price = u32::from(building.price());
        let mut payments: Vec<Vec<u8>> = vec![Vec::new()];
        for value in (1..=9).rev() {
            let copies = copies(hand, slot, value);
            payments = payments
                .into_iter()
                .flat_map(|payment| {
                    (0..=copies).map(move |count| {
                        let more = std::iter::repeat_n(value, count);
                        payment.iter().copied().chain(more).collect()
                    })
                })
                .collect();
        }
        for payment in payments {
            let sum: u32 = payment.iter().map(|&value| u32::from(value)).sum();
            if sum < price {
                continue;
            }
            let can_leave_out = payment.iter().any(|&value| sum - u32::from(value) >= price);
            let tier = match (sum == price, can_leave_out) {
                (true, _) => 0,
                (false, false) => 1,
                (false, true) => 2,
            };
            for give in [false, true] {
                if can_give || !give {
                    all.push((tier, payment.len(), slot, payment.clone(), give));
                }
            }
        }
    }
    all.sort();
    all.into_iter()
        .map(|(_, _, slot, payment, give)| {
            let mut counts = [0; 9];
            for value in payment {
                counts[usize::from(value) - 1] += 1;
            }
            Decision::Buy(Purchase { slot, payment: ValueCounts::new(counts).unwrap(), give })
        })
        .collect()
}
