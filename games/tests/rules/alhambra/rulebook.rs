//! The printed examples of turns, each in its own position, and a turn that random play does not
//! reach. The examples of scorings are unit tests beside the code that computes places.

use bridgemaster_games::alhambra::Category;

use crate::alhambra::position::Position;

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
    play.decide(0, &["buy orange 4", "buy blue 2", "buy yellow 5", "buy green 3"]);
    assert_eq!(play.turn(), Some(0));
    let takes = ["take b9", "take g9", "take o9", "take y9"];
    assert_eq!(play.legal(0), takes);
    play.decide(0, &["take o9"]);
    assert_eq!(play.turn(), Some(1));
    assert_eq!(play.lines_with("seat 0 buys").len(), 4);
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

#[test]
fn the_dummy_draws_the_remaining_buildings_and_takes_none_of_the_yard() {
    let mut play =
        Position::new(2).scoring_cards([0, 0], [3, 3]).buildings_left("tower 7, tower 8").play();
    let owned = play.view().dummy.unwrap().buildings.len();
    play.decide(0, &["take b9"]);
    assert_eq!(play.view().dummy.unwrap().buildings.len(), owned + 2);
    assert_eq!(play.turn(), Some(1), "the yard is full: the match continues");
    assert!(!play.yard().contains(&"-".to_owned()));
}
