//! Setups: drawing, use in a match, and refusals.

use bridgemaster_games::alhambra::{
    Alhambra, Buildings, Config, Currency, MONEY_CARDS, Money, Setup,
};
use bridgemaster_games::{NoEvents, Rules, Sample, Seed, Viewer};

use crate::position::{building, card, seats};

fn setup(count: u8, seed: u64) -> Setup {
    Alhambra::draw_setup(&Config::default(), seats(count), &Seed::from(seed)).unwrap()
}

/// Starts a match that is refused; returns the error text.
fn refusal(count: u8, setup: &Setup) -> String {
    let config = Config::default();
    let started = Alhambra::start(&config, seats(count), setup, &mut NoEvents);
    started.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_table_of_two_plays_with_72_money_cards_and_others_with_108() {
    for count in 2..=6 {
        let setup = setup(count, 1);
        let (cards, copies) = if count == 2 {
            (72, 2)
        } else {
            (MONEY_CARDS, 3)
        };
        assert_eq!(setup.money.len(), cards);
        let all = Money::of(setup.money.iter().copied()).unwrap();
        assert_eq!(all.total(), 4 * 45 * copies);
        assert_eq!(Buildings::of(setup.buildings), Some(Buildings::ALL));
    }
}

#[test]
fn every_seat_starts_with_money_worth_20_to_28() {
    let (mut lowest, mut highest) = (u16::MAX, 0);
    for seed in 0..300 {
        let count = 2 + (seed % 5) as u8;
        let setup = setup(count, seed);
        let config = Config::default();
        let state = Alhambra::start(&config, seats(count), &setup, &mut NoEvents).unwrap();
        let view = Alhambra::observe(&state, Viewer::Spectator);
        let mut drawn = setup.money.iter();
        for seat in &view.seats {
            let total = seat.hand.total();
            let own: Vec<_> = drawn.by_ref().take(seat.hand.len()).copied().collect();
            assert_eq!(Money::of(own.iter().copied()), Some(seat.hand));
            let last = own.last().unwrap().value();
            assert!(total >= 20 && total - u16::from(last) < 20, "{own:?}");
            (lowest, highest) = (lowest.min(total), highest.max(total));
        }
        assert_eq!(view.row.len(), 4);
    }
    assert_eq!((lowest, highest), (20, 28));
}

#[test]
fn the_yard_has_the_first_buildings_and_at_two_seats_the_dummy_six_before() {
    for count in [2, 3] {
        let setup = setup(count, 5);
        let config = Config::default();
        let state = Alhambra::start(&config, seats(count), &setup, &mut NoEvents).unwrap();
        let view = Alhambra::observe(&state, Viewer::Spectator);
        let before = if count == 2 { 6 } else { 0 };
        for slot in Currency::ALL {
            let laid = setup.buildings[before + slot.index()];
            assert_eq!(view.yard[slot.index()], Some(laid));
        }
        let dummy = view.dummy.map(|dummy| dummy.buildings);
        let first = Buildings::of(setup.buildings[..before].iter().copied());
        assert_eq!(dummy, first.filter(|_| count == 2));
        assert_eq!(view.unseen_buildings.len(), 54 - 4 - before);
    }
}

#[test]
fn a2_scoring_cards_can_lie_anywhere_in_the_second_and_fourth_of_five_piles() {
    for seed in 0..200 {
        let count = 2 + (seed % 5) as u8;
        let mut setup = setup(count, seed);
        let start = |setup: &Setup| {
            let config = Config::default();
            let state = Alhambra::start(&config, seats(count), setup, &mut NoEvents).unwrap();
            Alhambra::observe(&state, Viewer::Spectator)
        };
        let view = start(&setup);
        let left = view.unseen_money.len() as u8;
        let sizes: Vec<u8> = (1..=5)
            .map(|i| left / 5 + u8::from(i <= left % 5))
            .collect();
        assert_eq!(sizes.iter().sum::<u8>(), left);
        let [a, b] = view.scoring_cards.map(Option::unwrap);
        assert_eq!((a.first, a.last), (sizes[0], sizes[0] + sizes[1]));
        let above_b = sizes[..3].iter().sum::<u8>();
        assert_eq!((b.first, b.last), (above_b, above_b + sizes[3]));
        // Every place of the subpile is allowed, and all look the same.
        for place in [0, sizes[1]] {
            setup.scoring_a_place = place;
            assert_eq!(start(&setup), view);
        }
        setup.scoring_a_place = sizes[1] + 1;
        let message = refusal(count, &setup);
        let expected = format!(
            "scoring_a_place: {} is out of range (0..={}, ",
            sizes[1] + 1,
            sizes[1]
        );
        assert!(message.starts_with(&expected), "{message}");
        setup.scoring_a_place = 0;
        setup.scoring_b_place = sizes[3] + 1;
        assert!(refusal(count, &setup).starts_with("scoring_b_place: "));
    }
}

#[test]
fn scoring_places_are_drawn_uniformly() {
    let mut counts = [0u32; 64];
    let mut size = 0;
    for seed in 0..4000 {
        let setup = setup(2, seed);
        // The first subpiles differ in size; only setups with equal sizes are compared.
        let config = Config::default();
        let state = Alhambra::start(&config, seats(2), &setup, &mut NoEvents).unwrap();
        let a = Alhambra::observe(&state, Viewer::Spectator).scoring_cards[0].unwrap();
        if a.last - a.first == 12 {
            counts[usize::from(setup.scoring_a_place)] += 1;
            size += 1;
        }
    }
    assert!(size > 1000, "{size}");
    let share = f64::from(size) / 13.0;
    let deviation = (share * 12.0 / 13.0).sqrt();
    let fits = |count: &u32| (f64::from(*count) - share).abs() < 4.0 * deviation;
    assert!(counts[..13].iter().all(fits), "{counts:?}");
    assert_eq!(counts[13..].iter().sum::<u32>(), 0);
}

#[test]
fn a_refused_setup_names_its_field() {
    let drawn = setup(3, 1);
    let mut other = drawn.clone();
    other.buildings[7] = building("tower 13");
    other.buildings[9] = building("tower 13");
    let message = refusal(3, &other);
    assert!(message.starts_with("buildings["), "{message}");
    assert!(
        message.ends_with("tower 13 is dealt too often (at most 1)"),
        "{message}"
    );

    let mut other = drawn.clone();
    other.money[0] = card("b1");
    other.money[1] = card("b1");
    other.money[2] = card("b1");
    other.money[3] = card("b1");
    let message = refusal(3, &other);
    assert_eq!(message, "money[3]: b1 is dealt too often (at most 3)");

    let mut other = drawn.clone();
    other.money.pop();
    assert_eq!(
        refusal(3, &other),
        "money: must have 108 entries, found 107"
    );
    assert_eq!(refusal(2, &drawn), "money: must have 72 entries, found 108");
    let message = refusal(7, &drawn);
    assert_eq!(message, "seats: 7 is out of range (2..=6)");
    assert_eq!(refusal(1, &drawn), "seats: 1 is out of range (2..=6)");
}
