//! Observations from clients that are refused, and the distribution of sampled states.

use arrayvec::ArrayVec;
use bridgemaster_games::Viewer;
use bridgemaster_games::alhambra::{
    Alhambra, Buildings, MoneyCard, Observation, Phase, PlaceRange,
};

use crate::alhambra::position::{Position, building, cards, money};
use crate::play::{assert_fit, drawn, sample_error, seat};

fn altered(position: &Position, change: impl FnOnce(&mut Observation)) -> String {
    let mut view = position.completed();
    change(&mut view);
    sample_error::<Alhambra>(&position.config, &view)
}

#[test]
fn a_refused_observation_names_its_field() {
    let start = Position::new(3)
        .hand(0, "b5 b5 o4 o4")
        .buildings(1, "tower 7")
        .scoring_cards([3, 9], [20, 30]);
    let error = |change: fn(&mut Observation)| altered(&start, change);
    refused! { error:
        |view| view.seats.clear() => "seats: must have an entry for each seat of a match",
        |view| view.seats.truncate(1) => "seats: 1 is out of range (2..=6)",
        |view| view.viewer = Viewer::Seat(seat(3)) => "viewer: is a seat that is not at the table",
        |view| view.phase = Phase::Turn { seat: seat(7) }
            => "phase.seat: is a seat that is not at the table",
        |view| view.seats[2].hand = money("b5")
            => "unseen_money: with hands, open row and discard there are 4 of b5 instead of 3",
        |view| view.yard[0] = Some(building("tower 13"))
            => "unseen_buildings: with owners and yard there are 2 of garden 10 instead of 3",
        |view| {
            view.yard[1] = None;
            let more = view.unseen_buildings.iter().chain([building("tower 13")]);
            view.unseen_buildings = Buildings::from_buildings(more).unwrap();
        } => "yard: must be full, except for the slots of this turn's purchases",
        |view| view.phase = Phase::Shuffle { seat: seat(0) }
            => "phase: a shuffle is due only with a short row, an empty pile and a discard",
        |view| view.shuffles = 54 => "shuffles: is not below the number of buildings",
        |view| view.scoring_cards[0] = Some(PlaceRange { first: 4, last: 3 })
            => "scoring_cards[0]: `first` must not exceed `last`",
    }
    let no_dummy = altered(&Position::new(2), |view| view.dummy = None);
    assert!(no_dummy.starts_with("dummy: \"None\" contradicts the other fields"), "{no_dummy}");
}

#[test]
fn the_next_building_is_drawn_uniformly_from_the_pile() {
    let left = ["garden 6", "tower 7", "arcades 4", "chambers 5", "garden 7", "pavilion 2"];
    let start = Position::new(3).hand(0, "b9 b9").buildings_left(&left.join(", "));
    let counts =
        drawn::<Alhambra, 6>(&start.config, &start.completed(), &[(0, "buy blue 9 9")], |view| {
            let laid = view.yard[0].unwrap();
            left.iter().position(|text| building(text) == laid).unwrap()
        });
    assert_fit(counts, [1; 6]);
}

#[test]
fn the_next_money_card_is_drawn_uniformly_from_the_pile() {
    let left = cards("b1 g2 o3 y4 b5");
    let start = Position::new(3).pile("b1 g2 o3 y4 b5");
    let counts =
        drawn::<Alhambra, 5>(&start.config, &start.completed(), &[(0, "take b9")], |view| {
            let open: Vec<MoneyCard> = view.row.cards().collect();
            left.iter().position(|card| open.contains(card)).unwrap()
        });
    assert_fit(counts, [1; 5]);
}

#[test]
fn scoring_card_b_lies_at_each_place_of_its_range_equally_often() {
    let start = Position::new(3).row("b1 g1 o1 y1").buildings(0, "tower 7").scoring_card_b([0, 3]);
    let decisions = [(0, "take b1 g1 o1 y1")];
    // Under 0 to 3 cards, it is drawn in this refill of four; each number is equally likely.
    let counts = drawn::<Alhambra, 2>(&start.config, &start.completed(), &decisions, |view| {
        usize::from(view.scoring_cards[1].is_some())
    });
    assert_eq!(counts, [1400, 0]);
    let later = start.scoring_card_b([2, 5]);
    let counts = drawn::<Alhambra, 2>(&later.config, &later.completed(), &decisions, |view| {
        usize::from(view.scoring_cards[1].is_some())
    });
    assert_fit(counts, [1; 2]);
}

#[test]
fn a_new_turn_has_an_empty_list_of_purchases() {
    let mut play = Position::new(3).hand(0, "b5 b5").play();
    play.decide(0, &["buy blue 5 5", "take b9"]);
    assert_eq!(play.view().turn_purchases, ArrayVec::new());
}
