//! The game once more, written from the rules page alone and without any thought of speed: cards
//! in vectors, the scoring cards among the money cards of the pile, every list made by trying all
//! subsets and sorting.

use bridgemaster_games::alhambra::{
    Building, Category, Config, Currency, Decision, DummyPlaces, MoneyCard, Observation, Phase,
    Points, Purchase, RowCards, Setup, Shuffle, ValueCounts, WithoutBuildings,
};

/// A card of the money pile.
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
    /// By owner: seats, then the dummy.
    buildings: Vec<Vec<Building>>,
    points: Vec<Points>,
    yard: Vec<Option<Building>>,
    row: Vec<MoneyCard>,
    discard: Vec<MoneyCard>,
    /// The next card last.
    money_pile: Vec<PileCard>,
    /// The next building last.
    building_pile: Vec<Building>,
    turn: usize,
    waiting: Waiting,
}

impl NaiveMatch {
    pub(crate) fn new(config: &Config, seats: usize, setup: &Setup) -> Self {
        let mut building_pile: Vec<Building> = setup.buildings.to_vec();
        building_pile.reverse();
        let owners = if seats == 2 { 3 } else { seats };
        let mut buildings = vec![Vec::new(); owners];
        if seats == 2 {
            for _ in 0..6 {
                buildings[2].push(building_pile.pop().unwrap());
            }
        }
        let yard = (0..4).map(|_| building_pile.pop()).collect();
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
        let row = (0..4).map(|_| money.pop().unwrap()).collect();
        money.reverse();
        // Five piles; A goes into the second, B into the fourth.
        let mut subpiles = Vec::new();
        let mut rest = money.as_slice();
        for i in 1..=5 {
            let size = money.len() / 5 + usize::from(i <= money.len() % 5);
            let (subpile, others) = rest.split_at(size);
            subpiles.push(
                subpile
                    .iter()
                    .map(|&c| PileCard::Money(c))
                    .collect::<Vec<_>>(),
            );
            rest = others;
        }
        subpiles[1].insert(usize::from(setup.scoring_a_place), PileCard::A);
        subpiles[3].insert(usize::from(setup.scoring_b_place), PileCard::B);
        let mut money_pile = subpiles.concat();
        money_pile.reverse();
        let key = |&seat: &usize| (hands[seat].len(), total(&hands[seat]), seat);
        let turn = (0..seats).min_by_key(key).unwrap();
        Self {
            config: *config,
            seats,
            hands,
            buildings,
            points: vec![Points::default(); owners],
            yard,
            row,
            discard: Vec::new(),
            money_pile,
            building_pile,
            turn,
            waiting: Waiting::Decision,
        }
    }

    /// The seat that decides.
    pub(crate) fn owing(&self) -> Option<usize> {
        (self.waiting == Waiting::Decision).then_some(self.turn)
    }

    pub(crate) fn decide(&mut self, decision: &Decision) {
        assert_eq!(self.waiting, Waiting::Decision);
        match decision {
            Decision::Take(cards) => {
                for card in cards.cards() {
                    take_out(&mut self.row, card);
                    self.hands[self.turn].push(card);
                }
            }
            Decision::Buy(purchase) => {
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
                if paid == bought.price() {
                    return;
                }
            }
            Decision::Pass => {}
        }
        for slot in &mut self.yard {
            if slot.is_none() {
                *slot = self.building_pile.pop();
            }
        }
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
        self.money_pile = shuffle.cards.iter().map(|&c| PileCard::Money(c)).collect();
        self.money_pile.reverse();
        self.refill_row();
    }

    fn refill_row(&mut self) {
        while self.row.len() < 4 {
            match self.money_pile.pop() {
                Some(PileCard::Money(card)) => self.row.push(card),
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
        self.turn = (self.turn + 1) % self.seats;
        self.waiting = Waiting::Decision;
    }

    fn dummy_draws(&mut self, count: usize) {
        if self.seats == 2 {
            let left = self.building_pile.len();
            let drawn = self.building_pile.split_off(left - count.min(left));
            self.buildings[2].extend(drawn);
        }
    }

    fn end(&mut self) {
        for slot in Currency::ALL {
            let Some(building) = self.yard[slot.index()] else {
                continue;
            };
            let held = |seat: usize| {
                let own = self.hands[seat]
                    .iter()
                    .filter(|card| card.currency() == slot);
                own.map(|card| card.value()).sum::<u8>()
            };
            let mut ranking: Vec<usize> = (0..self.seats).collect();
            ranking.sort_by_key(|&seat| std::cmp::Reverse(held(seat)));
            if held(ranking[0]) > held(ranking[1]) {
                self.buildings[ranking[0]].push(building);
                self.yard[slot.index()] = None;
            }
        }
        self.score(2);
        self.waiting = Waiting::Nothing;
    }

    /// Sorts the owners of each category and hands out place by place.
    fn score(&mut self, scoring: usize) {
        for (category, rank) in Category::ALL.into_iter().zip(1u8..) {
            let count = |owner: usize| {
                let own = self.buildings[owner].iter();
                own.filter(|b| b.category() == category).count()
            };
            let with_none = self.config.without_buildings == WithoutBuildings::Place;
            let mut owners: Vec<usize> = (0..self.buildings.len())
                .filter(|&owner| count(owner) > 0 || with_none)
                .collect();
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
    }

    /// Whether an observation tells the same.
    pub(crate) fn check(&self, view: &Observation) {
        for (seat, hand) in self.hands.iter().enumerate() {
            assert_eq!(
                sorted(hand),
                view.seats[seat].hand.cards().collect::<Vec<_>>()
            );
        }
        let seats = view.seats.iter().map(|seat| (seat.buildings, seat.points));
        let dummy = view
            .dummy
            .iter()
            .map(|dummy| (dummy.buildings, dummy.points));
        let owners: Vec<_> = seats.chain(dummy).collect();
        assert_eq!(owners.len(), self.buildings.len());
        for (owner, (owned, points)) in owners.into_iter().enumerate() {
            assert_eq!(
                sorted(&self.buildings[owner]),
                owned.iter().collect::<Vec<_>>()
            );
            assert_eq!(self.points[owner], points, "owner {owner}");
        }
        assert_eq!(self.yard, view.yard);
        assert_eq!(sorted(&self.row), view.row.cards().collect::<Vec<_>>());
        assert_eq!(
            sorted(&self.discard),
            view.discard.cards().collect::<Vec<_>>()
        );
        let money = self.money_pile.iter().filter_map(|card| match card {
            PileCard::Money(card) => Some(*card),
            PileCard::A | PileCard::B => None,
        });
        let money: Vec<MoneyCard> = money.collect();
        assert_eq!(
            sorted(&money),
            view.unseen_money.cards().collect::<Vec<_>>()
        );
        let left = view.unseen_buildings.iter().collect::<Vec<_>>();
        assert_eq!(sorted(&self.building_pile), left);
        for (scoring_card, range) in [PileCard::A, PileCard::B]
            .into_iter()
            .zip(view.scoring_cards)
        {
            let place = self
                .money_pile
                .iter()
                .rev()
                .position(|card| *card == scoring_card);
            assert_eq!(place.is_some(), range.is_some());
            if let (Some(place), Some(range)) = (place, range) {
                let above = self.money_pile.iter().rev().take(place);
                let money = above
                    .filter(|card| matches!(card, PileCard::Money(_)))
                    .count() as u8;
                assert!(
                    (range.first..=range.last).contains(&money),
                    "{money}: {range:?}"
                );
            }
        }
        match (self.waiting, view.phase) {
            (Waiting::Decision, Phase::Turn { seat }) => assert_eq!(seat.index(), self.turn),
            (Waiting::Shuffle, Phase::Shuffle { seat }) => assert_eq!(seat.index(), self.turn),
            (Waiting::Nothing, Phase::Over) => {}
            other => panic!("{other:?}"),
        }
    }

    /// Every legal decision, in canonical order.
    pub(crate) fn legal(&self) -> Vec<Decision> {
        let mut list = takes(&self.row);
        list.extend(purchases(
            &self.yard,
            &self.hands[self.turn],
            self.seats == 2,
        ));
        if list.is_empty() {
            list.push(Decision::Pass);
        }
        list
    }

    /// Ways to choose cards of the deciding seat for its four slots, an upper bound of its
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
        (0..self.seats)
            .map(|seat| (score(seat), better(seat) as u8 + 1))
            .collect()
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

/// Every subset of the row that can be taken.
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
    subsets
        .into_iter()
        .map(|cards| Decision::Take(RowCards::of(cards).unwrap()))
        .collect()
}

/// Every purchase: all multisets of each currency in hand, sorted by the order of the rules page.
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
            Decision::Buy(Purchase {
                slot,
                payment: ValueCounts::new(counts).unwrap(),
                give,
            })
        })
        .collect()
}
