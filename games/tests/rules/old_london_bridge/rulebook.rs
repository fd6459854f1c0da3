//! The rulebooks' examples that have numbers: strengths, and payments at the end. Leon is
//! seat 0, Lisa 1, Tim 2 and Paula 3.

use crate::old_london_bridge::position::Position;
use bridgemaster_games::old_london_bridge::{Face, TileKind};

const LEON: u8 = 0;
const LISA: u8 = 1;
const TIM: u8 = 2;
const PAULA: u8 = 3;

/// Lisa's turn, first in the order of play.
fn lisas_turn(position: Position) -> Position {
    position.turn(&[(LISA, 4), (LEON, 0), (TIM, 0), (PAULA, 0)], 0)
}

/// Paula's turn, first in the order of play.
fn paulas_turn(position: Position) -> Position {
    position.turn(&[(PAULA, 4), (LEON, 0), (LISA, 0), (TIM, 0)], 0)
}

#[test]
fn paulas_inn_20_of_strength_6_gives_3_2_1_or_4_2_or_six_1s() {
    let start = Position::new(4).round(8).bridge(PAULA, &[60, 52, 49, 44, 41, 15, 11]).top(20);
    let mut play = paulas_turn(start).play();
    play.decide(PAULA, &["place centre inn", "replace 5"]);
    assert_eq!(play.houses(PAULA), [60, 52, 49, 44, 41, 20, 11]);
    for cards in ["take_cards 1x1 1x2 1x3", "take_cards 1x2 1x4", "take_cards 6x1"] {
        assert!(play.is_legal(PAULA, cards), "{cards}");
    }
    assert!(!play.is_legal(PAULA, "take_cards 1x3 1x4"), "7 is above the strength");
    let before = play.seat(PAULA).hand;
    play.decide(PAULA, &["take_cards 1x1 1x2 1x3"]);
    let taken: Vec<u8> =
        play.seat(PAULA).hand.iter().zip(before).map(|(now, then)| now - then).collect();
    assert_eq!(taken, [0, 1, 1, 1, 0]);
}

/// The strength of a haberdashery on this bridge, without its own coat.
fn strength_before(bridge: &[u8], haberdashery: u8) -> i32 {
    let start = Position::new(4).round(11).bridge(LISA, bridge).top(haberdashery);
    let mut play = lisas_turn(start).play();
    play.decide(LISA, &["place centre haberdashery"]);
    play.money(LISA) - (5 - 2) - 1
}

#[test]
fn lisas_guildhall_makes_strengths_of_7_5_2_and_2() {
    let one_guildhall = [60, 56, 55, 52, 49, 47, 41, 40, 32];
    let two_guildhalls = [60, 56, 55, 52, 49, 47, 44, 41, 40, 32];
    // The coats of the haberdasheries are blue, orange, grey and green.
    let haberdasheries = [8, 3, 13, 18];
    assert_eq!(haberdasheries.map(|house| strength_before(&one_guildhall, house)), [6, 4, 1, 1]);
    assert_eq!(haberdasheries.map(|house| strength_before(&two_guildhalls, house)), [7, 5, 2, 2]);
}

#[test]
fn paula_scores_7_pounds_in_final_scoring_and_ends_with_37() {
    // Bridges of 11 for Leon and Paula, of 12 for Lisa and Tim.
    let bridge =
        |first: u8, length: u8| -> Vec<u8> { (0..length).map(|i| first - 4 * i).collect() };
    let start = Position::new(4)
        .bridge(LEON, &bridge(60, 11))
        .bridge(LISA, &bridge(59, 12))
        .bridge(TIM, &bridge(58, 12))
        .bridge(PAULA, &bridge(57, 11))
        .chapel(&[5, 9, 1, 3])
        .gate(&[2, 4, 1, 8])
        .hand(TIM, [1, 0, 0, 0, 0])
        .hand(PAULA, [1, 0, 0, 0, 0])
        .tiles(PAULA, &[TileKind::Recall, TileKind::Share])
        .money(PAULA, 30);
    let play = start.over().play();
    let paula = &play.outcome().seats[usize::from(PAULA)];
    let points: Vec<(&str, i32)> =
        paula.breakdown.iter().map(|line| (line.category, line.points)).collect();
    let expected = [
        ("money", 30),
        ("chapel_face", 1),
        ("gate_face", 5),
        ("inn_face", 0),
        ("bridge_face", 0),
        ("empty_spaces", -1),
        ("bonus_tiles", 2),
    ];
    assert_eq!(points, expected);
    assert_eq!(paula.score, 37);
    assert_eq!(play.points("bridge_face")[usize::from(LEON)], 1, "Leon is third");
    assert_eq!(play.points("inn_face")[usize::from(TIM)], 0);
}

#[test]
fn faces_pay_as_in_the_examples() {
    let with = |face| Position::with_faces(4, &[face]);
    let tiles = [TileKind::Share, TileKind::Recall, TileKind::TakeA2];
    let series = |second: &[u8]| {
        with(Face::LongestSeries)
            .bridge(LEON, &[59, 51, 48, 33, 25, 6, 0, 58])
            .bridge(LISA, second)
            .bridge(TIM, &[60, 47])
    };
    let cases = [
        ("chapel_face", with(Face::AheadOfLast).chapel(&[8, 12, 2, 6]), [6, 10, 0, 4]),
        ("chapel_face", with(Face::MoneyAgain).chapel(&[10, 11, 1, 5]), [6, 11, 0, 3]),
        ("gate_face", with(Face::GateDistance).gate(&[5, 5, 10, 12]), [3, 3, 9, 9]),
        ("gate_face", with(Face::TileTable).tiles(LISA, &tiles), [0, 9, 0, 0]),
        ("bonus_tiles", with(Face::TileTable).tiles(LISA, &tiles), [0; 4]),
        // The 0 counts. The others have the six cards of the start.
        (
            "inn_face",
            with(Face::HandSize).hand(LEON, [1, 1, 0, 0, 0]).hand(TIM, [1, 2, 1, 1, 0]),
            [0, 7, 7, 7],
        ),
        (
            "inn_face",
            with(Face::CardSets)
                .hand(LEON, [1, 2, 2, 0, 1])
                .hand(LISA, [1, 0, 0, 0, 0])
                .hand(TIM, [1, 0, 0, 0, 0])
                .hand(PAULA, [1, 0, 0, 0, 0]),
            [10, 0, 0, 0],
        ),
        ("bridge_face", series(&[57, 50, 43, 36, 29, 22, 15]), [3, 5, 1, 0]),
        // A tie of 6 goes by the chapel.
        ("bridge_face", series(&[56, 49, 42, 35, 28, 21, 0]), [5, 3, 1, 0]),
    ];
    for (number, (category, position, expected)) in cases.into_iter().enumerate() {
        let points = position.over().play().points(category);
        assert_eq!(points, expected, "case {number}, {category}");
    }
}
