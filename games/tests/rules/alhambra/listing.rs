//! Legal lists: order and content are exactly those of the rules page, cut or not.

use bridgemaster_games::alhambra::{
    Alhambra, Building, Category, Config, Decision, Money, MoneyCard, Observation, RowCards,
    ValueCounts,
};
use bridgemaster_games::{ChanceStream, Game, LegalList, NoEvents, Rules, Seed};
use proptest::prelude::*;

use crate::alhambra::naive::purchases;
use crate::alhambra::position::Position;
use crate::play::seat;

/// A position in which seat 0 has this hand and sees this yard, and the row has the cards that
/// remain.
fn position(count: u8, hand: Money, yard: [Building; 4]) -> Observation {
    let mut position = Position::new(count);
    let copies = if count == 2 { 2 } else { 3 };
    let others = MoneyCard::all()
        .flat_map(|card| std::iter::repeat_n(card, usize::from(copies - hand.count(card))));
    position.view.row = RowCards::from_cards(others.take(4)).unwrap();
    position.view.seats[0].hand = hand;
    position.view.yard = yard.map(Some);
    position.completed()
}

/// Compares the list with the naive one; returns true if it was cut.
fn compare(view: &Observation) -> bool {
    let mut chance = ChanceStream::new(&Seed::from(1), 0);
    let state = Alhambra::sample_state(&Config::default(), view, &mut chance).unwrap();
    let mut list = Vec::new();
    let listed = Alhambra::legal(&state, seat(0), &mut list);
    let takes = list.iter().filter(|d| matches!(d, Decision::Take(_))).count();
    let hand: Vec<MoneyCard> = view.seats[0].hand.cards().collect();
    let all = purchases(&view.yard, &hand, view.seats.len() == 2);
    let is_cut = takes + all.len() > Alhambra::LEGAL_CAP;
    assert_eq!(listed == LegalList::Cut, is_cut);
    if is_cut {
        assert_eq!(list.len(), Alhambra::LEGAL_CAP);
        // Decisions beyond the cut are accepted too.
        for decision in [all[all.len() - 1], all[all.len() / 2]] {
            let applied = Alhambra::apply(&mut state.clone(), seat(0), &decision, &mut NoEvents);
            assert_eq!(applied, Ok(()), "{decision}");
        }
    }
    let listed = list[takes..].iter();
    assert!(listed.eq(all.iter().take(Alhambra::LEGAL_CAP - takes)), "{view:?}");
    is_cut
}

fn any_building() -> impl Strategy<Value = Building> {
    (0..6usize, 0..7u8).prop_map(|(category, step)| {
        let category = Category::ALL[category];
        Building::new(category, category.lowest_price() + step).unwrap()
    })
}

/// Four buildings of the box.
fn any_yard() -> impl Strategy<Value = [Building; 4]> {
    [any_building(), any_building(), any_building(), any_building()].prop_filter(
        "more of a building than there are",
        |yard| {
            let count = |building| yard.iter().filter(|other| **other == building).count();
            yard.iter().all(|&b| count(b) <= usize::from(b.copies()))
        },
    )
}

/// A hand of about `copies` cards of each value, with a limited number of choices in each currency.
fn any_hand(copies: u8) -> impl Strategy<Value = Money> {
    let counts = prop::array::uniform9(0..=copies);
    let density = 0..=100u8;
    let currency = (counts, prop::array::uniform9(0..100u8), density).prop_map(
        move |(counts, chances, density)| {
            let kept = |i: usize| if chances[i] < density { counts[i] } else { 0 };
            let mut counts: [u8; 9] = std::array::from_fn(kept);
            for lowest in 0.. {
                let choices: u32 = counts.iter().map(|&count| u32::from(count) + 1).product();
                if choices <= 8192 {
                    break;
                }
                counts[lowest] = 0;
            }
            ValueCounts::new(counts).unwrap()
        },
    );
    prop::collection::vec(currency, 4).prop_map(|currencies| Money(currencies.try_into().unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn purchases_are_all_payments_in_canonical_order(
        hand in any_hand(3),
        yard in any_yard(),
        count in 3..=6u8,
    ) {
        compare(&position(count, hand, yard));
    }

    #[test]
    fn at_a_table_of_two_each_purchase_is_kept_or_given(hand in any_hand(2), yard in any_yard()) {
        compare(&position(2, hand, yard));
    }
}

fn building(category: Category, price: u8) -> Building {
    Building::new(category, price).unwrap()
}

#[test]
fn lists_around_the_cap_are_cut_exactly_when_they_are_longer() {
    let values = |counts: [u8; 9]| ValueCounts::new(counts).unwrap();
    let mut cut = [0; 2];
    for sevens in 0..=3 {
        for twos in 0..=3 {
            let counts = [0, twos, 1, 2, 1, 1, sevens, 1, 0];
            let hand = Money([values(counts); 4]);
            let yard = [5, 6, 7, 8].map(|price| building(Category::Seraglio, price));
            cut[usize::from(compare(&position(4, hand, yard)))] += 1;
        }
    }
    assert!(cut.iter().all(|&lists| lists > 2), "{cut:?}");
}

/// The largest number of purchases without waste: all money of a table of two and the four dearest
/// buildings, each kept or given. With three copies of each card, but nothing to give, it is 346.
#[test]
fn purchases_without_waste_always_fit_into_the_list() {
    let yard = [
        building(Category::Tower, 13),
        building(Category::Tower, 12),
        building(Category::Garden, 12),
        building(Category::Tower, 11),
    ];
    let hand: Vec<MoneyCard> = MoneyCard::all().flat_map(|card| [card; 2]).collect();
    let all = purchases(&yard.map(Some), &hand, true);
    let without_waste = |decision: &&Decision| {
        let Decision::Buy(purchase) = decision else {
            return false;
        };
        let lowest = purchase.payment.values().next().unwrap();
        purchase.payment.total() - lowest < yard[purchase.slot.index()].price()
    };
    assert_eq!(all.iter().filter(without_waste).count(), 524);
    let takes = 15;
    assert!(takes + 524 < Alhambra::LEGAL_CAP);
    assert!(compare(&position(2, Money::from_cards(hand).unwrap(), yard)));
}
