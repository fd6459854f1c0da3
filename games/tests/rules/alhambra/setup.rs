//! Setups: the places of the scoring cards, and refusals. The recount starts from every setup.

use bridgemaster_games::alhambra::{Alhambra, Config, Setup};
use bridgemaster_games::{NoEvents, Rules, Sample, Seed, Viewer};

use crate::alhambra::position::{building, card};
use crate::play::seats;

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
        let sizes: Vec<u8> = (1..=5).map(|i| left / 5 + u8::from(i <= left % 5)).collect();
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
        let expected =
            format!("scoring_a_place: {} is out of range (0..={}, ", sizes[1] + 1, sizes[1]);
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
    assert!(message.ends_with("tower 13 is dealt too often (at most 1)"), "{message}");

    let mut other = drawn.clone();
    other.money[0] = card("b1");
    other.money[1] = card("b1");
    other.money[2] = card("b1");
    other.money[3] = card("b1");
    let message = refusal(3, &other);
    assert_eq!(message, "money[3]: b1 is dealt too often (at most 3)");

    let mut other = drawn.clone();
    other.money.pop();
    assert_eq!(refusal(3, &other), "money: must have 108 entries, found 107");
    assert_eq!(refusal(2, &drawn), "money: must have 72 entries, found 108");
    let message = refusal(7, &drawn);
    assert_eq!(message, "seats: 7 is out of range (2..=6)");
    assert_eq!(refusal(1, &drawn), "seats: 1 is out of range (2..=6)");
}
