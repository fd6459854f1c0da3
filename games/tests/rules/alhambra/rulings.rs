//! Decisions that are refused, each with its reason. The recount covers all that is legal.

use bridgemaster_games::alhambra::{Decision, Phase, RowCards};

use crate::alhambra::position::Position;
use crate::play::seat;

#[test]
fn a_refused_decision_names_its_field() {
    let mut play = Position::new(3).hand(0, "b5 b5 b6 g9").play();
    let other = "seat: not your turn, seat 1 owes no decision; expected: seat 0";
    assert_eq!(play.refusal(1, "take b9"), other);
    let mut refusal = |text: &str| play.refusal(0, text);
    refused! { refusal:
        "take b8" => "take.cards: b8 is not in the open row as often as it is taken",
        "take b9 b9" => "take.cards: b9 is not in the open row as often as it is taken",
        "buy blue 5" => "buy.payment: garden 10 costs at least 10; these cards are worth 5",
        "buy blue 6 6" => "buy.payment: the hand does not have 2 x b6, it has 1",
        "buy blue 9 8" => "buy.payment: the hand does not have 1 x b9, it has 0",
        "buy green 9 4" => "buy.payment: the hand does not have 1 x g4, it has 0",
        "buy blue 5 5 give" => "buy.give: only a table of two seats has a dummy to give to",
        "pass" => "decision: a pass is legal only when nothing can be taken or bought",
    }
    let nothing = Decision::Take(RowCards::default());
    assert_eq!(
        play.try_apply(0, &nothing).unwrap_err().to_string(),
        "take.cards: at least one card is taken"
    );
    play.decide(0, &["buy blue 5 5"]);
    assert_eq!(play.refusal(0, "buy blue 6"), "buy.slot: the blue slot is empty");
}

#[test]
fn a_pass_of_another_seat_waits_for_the_shuffle() {
    let mut play = Position::new(3).hand(0, "b5 b6").pile("").play();
    play.decide(0, &["buy blue 6 5"]);
    assert_eq!(play.turn(), Some(1), "the row is full: nothing is drawn");
    play.decide(1, &["take b9"]);
    assert_eq!(play.view().phase, Phase::Shuffle { seat: seat(1) });
    let expected =
        "seat: not your turn, seat 2 owes no decision; expected: none before the chance result";
    assert_eq!(play.refusal(2, "pass"), expected);
}
