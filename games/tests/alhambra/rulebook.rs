//! The printed examples, each in its own position. Those about scoring alone are also unit tests
//! beside the code that computes places.

use bridgemaster_games::alhambra::{Category, Scoring};

use crate::position::Position;

/// The points of each owner in one category of a scoring.
fn points(play: &crate::position::Play, scoring: Scoring, category: Category) -> Vec<u8> {
    let view = play.view();
    let seats = view.seats.iter().map(|seat| seat.points);
    let dummy = view.dummy.iter().map(|dummy| dummy.points);
    seats
        .chain(dummy)
        .map(|points| points[scoring.index()][category.index()])
        .collect()
}

/// A position in which the next refill of the row draws scoring card A, or B if A is drawn already.
fn before(scoring: Scoring, count: u8) -> Position {
    match scoring {
        Scoring::A => Position::new(count).scoring_cards([0, 0], [5, 9]),
        _ => Position::new(count).scoring_card_b([0, 0]),
    }
}

#[test]
fn open_blue_2_green_3_orange_7_yellow_9_gives_five_takes() {
    let play = Position::new(3).row("b2 g3 o7 y9").play();
    let expected = ["take b2", "take g3", "take o7", "take y9", "take b2 g3"];
    assert_eq!(play.legal(0), expected);
}

#[test]
fn paying_11_for_a_garden_of_10_ends_the_turn() {
    let mut play = Position::new(3).hand(0, "b5 b6 b4").play();
    assert_eq!(play.yard()[0], "garden 10");
    play.decide(0, &["buy blue 6 5"]);
    assert_eq!(play.turn(), Some(1));
    assert_eq!(play.seat(0).hand.cards().count(), 1, "no change is given");
    assert_eq!(play.seat(0).buildings.count_of(Category::Garden), 1);
}

#[test]
fn paying_10_for_a_garden_of_10_does_not_end_the_turn() {
    let mut play = Position::new(3).hand(0, "b5 b6 b4").play();
    play.decide(0, &["buy blue 6 4"]);
    assert_eq!(play.turn(), Some(0));
    assert_eq!(play.yard()[0], "-", "the yard is not refilled meanwhile");
    play.decide(0, &["take g9"]);
    assert_eq!(play.turn(), Some(1));
    assert!(!play.yard().contains(&"-".to_owned()));
}

#[test]
fn four_exact_purchases_and_a_take_make_the_longest_turn() {
    let mut play = Position::new(4)
        .yard(["pavilion 2", "seraglio 3", "arcades 4", "chambers 5"])
        .hand(0, "b2 g3 o4 y5")
        .play();
    play.decide(
        0,
        &["buy orange 4", "buy blue 2", "buy yellow 5", "buy green 3"],
    );
    assert_eq!(play.turn(), Some(0));
    let takes = ["take b9", "take g9", "take o9", "take y9"];
    assert_eq!(play.legal(0), takes);
    play.decide(0, &["take o9"]);
    assert_eq!(play.turn(), Some(1));
    assert_eq!(play.lines_with("seat 0 buys").len(), 4);
}

#[test]
fn most_chambers_get_4_in_scoring_a() {
    let mut play = before(Scoring::A, 3)
        .buildings(0, "chambers 6")
        .buildings(1, "chambers 5, chambers 7")
        .play();
    play.decide(0, &["take b9"]);
    assert_eq!(points(&play, Scoring::A, Category::Chambers), [0, 4, 0]);
}

#[test]
fn most_towers_get_13_and_the_second_6_in_scoring_b() {
    let mut play = before(Scoring::B, 4)
        .buildings(0, "tower 7")
        .buildings(2, "tower 8, tower 9, tower 9")
        .buildings(3, "tower 10, tower 9")
        .play();
    play.decide(0, &["take b9"]);
    assert_eq!(points(&play, Scoring::B, Category::Tower), [0, 0, 13, 6]);
}

#[test]
fn two_with_four_towers_each_get_9_in_scoring_b() {
    let mut play = before(Scoring::B, 3)
        .buildings(0, "tower 7, tower 8, tower 9, tower 9")
        .buildings(1, "tower 9, tower 10, tower 11, tower 11")
        .buildings(2, "tower 12")
        .play();
    play.decide(0, &["take b9"]);
    assert_eq!(points(&play, Scoring::B, Category::Tower), [9, 9, 0]);
}

/// The last turn of a match: the building pile is empty, and seat 0 buys a pavilion.
fn last_turn(count: u8) -> Position {
    Position::new(count)
        .yard(["pavilion 2", "tower 13", "arcades 8", "chambers 11"])
        .hand(0, "b3")
}

#[test]
fn two_tied_first_get_16_and_two_tied_third_2_in_gardens_in_scoring_c() {
    let mut play = last_turn(5)
        .buildings(0, "garden 6, garden 7, garden 8")
        .buildings(1, "garden 8, garden 8, garden 9")
        .buildings(2, "garden 10, garden 10")
        .buildings(3, "garden 11, garden 12")
        .buildings_left("")
        .play();
    // The last owner has the remaining garden.
    assert_eq!(play.seat(4).buildings.count_of(Category::Garden), 1);
    play.decide(0, &["buy blue 3"]);
    let gardens = points(&play, Scoring::C, Category::Garden);
    assert_eq!(gardens, [16, 16, 2, 2, 0]);
}

#[test]
fn one_first_and_three_tied_second_in_gardens_get_20_and_5_in_scoring_c() {
    let mut play = last_turn(4)
        .buildings(0, "garden 6, garden 7, garden 8")
        .buildings(1, "garden 8, garden 8")
        .buildings(2, "garden 9, garden 10")
        .buildings_left("")
        .play();
    assert_eq!(play.seat(3).buildings.count_of(Category::Garden), 4);
    play.decide(0, &["buy blue 3"]);
    let gardens = points(&play, Scoring::C, Category::Garden);
    assert_eq!(gardens, [12, 2, 2, 20]);

    let mut play = last_turn(5)
        .buildings(0, "garden 6, garden 7")
        .buildings(1, "garden 8, garden 8")
        .buildings(2, "garden 9, garden 10, garden 8, garden 10, garden 10")
        .buildings_left("")
        .play();
    assert_eq!(play.seat(4).buildings.count_of(Category::Garden), 2);
    play.decide(0, &["buy blue 3"]);
    let gardens = points(&play, Scoring::C, Category::Garden);
    assert_eq!(gardens, [5, 5, 20, 0, 5]);
}

#[test]
fn two_tied_first_in_pavilions_get_nothing_in_scoring_a() {
    let mut play = before(Scoring::A, 3)
        .buildings(0, "pavilion 2")
        .buildings(1, "pavilion 3")
        .play();
    play.decide(0, &["take b9"]);
    assert_eq!(points(&play, Scoring::A, Category::Pavilion), [0, 0, 0]);
}

#[test]
fn a_card_of_any_value_can_be_taken_but_several_are_worth_at_most_5() {
    let mut play = Position::new(3).row("b1 g1 o1 y2").play();
    assert_eq!(play.legal(0).last().unwrap(), "take b1 g1 o1 y2");
    assert_eq!(play.legal(0).len(), 15);
    play.decide(0, &["take b1 g1 o1 y2"]);
    assert_eq!(play.seat(0).hand.total(), 5);

    let mut play = Position::new(3).row("b3 g3 o7 y9").play();
    let refusal = play.refusal(0, "take b3 g3");
    let expected = "take.cards: several cards are worth at most 5 together; these are 6";
    assert_eq!(refusal, expected);
}
