//! Every example of the rulebooks. Leon is seat 0, Lisa 1, Tim 2 and Paula 3, except with two
//! seats: there Paula is seat 0 and Lisa seat 1.

use crate::position::Position;
use bridgemaster_games::old_london_bridge::{Event, Face, TileKind};

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
fn order_of_play_3_2_0_0_with_the_chapel_tie() {
    let mut play = Position::new(4).chapel(&[0, 0, 1, 0]).play();
    play.decide(LEON, &["play 3"]);
    play.decide(LISA, &["play 2"]);
    play.decide(TIM, &["play 0"]);
    play.decide(PAULA, &["play 0"]);
    let order: Vec<u8> = play
        .view()
        .turns
        .iter()
        .map(|turn| turn.seat.number())
        .collect();
    assert_eq!(order, [LEON, LISA, TIM, PAULA]);
}

#[test]
fn leon_places_for_3_pounds_at_the_gate_and_lisa_pays_2_for_the_chapel_under_the_x() {
    let start = Position::new(4).turn(&[(LEON, 3), (LISA, 2), (TIM, 0), (PAULA, 0)], 0);
    let mut play = start.top(41).top(32).play();
    play.decide(LEON, &["place gate", "end"]);
    assert_eq!((play.money(LEON), play.houses(LEON)), (5 + 3, vec![41]));
    assert!(!play.is_legal(LISA, "place gate"), "the space is occupied");
    assert!(
        play.is_legal(LISA, "place centre gate"),
        "the centre reaches every stack"
    );
    assert!(
        !play.is_legal(LISA, "place chapel"),
        "the chapel faces the X space"
    );
    play.decide(LISA, &["place centre chapel"]);
    assert_eq!((play.money(LISA), play.houses(LISA)), (5 - 2, vec![32]));
}

#[test]
fn lisa_builds_32_after_49() {
    let mut play = lisas_turn(Position::new(4).round(2).bridge(LISA, &[49]).top(32)).play();
    play.decide(LISA, &["place centre chapel"]);
    assert_eq!(play.houses(LISA), [49, 32]);
}

#[test]
fn lisa_builds_20_over_23_or_15_and_nothing_else() {
    let start = Position::new(4)
        .round(5)
        .bridge(LISA, &[49, 32, 23, 15, 11])
        .top(20);
    let mut play = lisas_turn(start).play();
    play.decide(LISA, &["place centre inn"]);
    assert_eq!(play.legal(LISA), ["replace 2", "replace 3"]);
    play.decide(LISA, &["replace 3"]);
    assert_eq!(play.houses(LISA), [49, 32, 23, 20, 11]);
}

#[test]
fn lisa_begins_a_new_series_with_50_after_a_park() {
    let start = Position::new(4).round(5).bridge(LISA, &[49, 11, 0]).top(50);
    let mut play = lisas_turn(start).play();
    play.decide(LISA, &["place centre inn"]);
    assert_eq!(play.houses(LISA), [49, 11, 0, 50]);
}

#[test]
fn a_series_59_to_6_is_followed_by_a_park_and_58() {
    let start = Position::new(4)
        .round(8)
        .bridge(LISA, &[59, 51, 48, 33, 25, 6])
        .top(58);
    let mut play = lisas_turn(start).play();
    play.decide(LISA, &["place park", "end"]);
    assert_eq!(play.houses(LISA), [59, 51, 48, 33, 25, 6, 0]);
    let start = Position::new(4)
        .round(8)
        .bridge(LISA, &[59, 51, 48, 33, 25, 6, 0])
        .top(58);
    let mut play = lisas_turn(start).play();
    play.decide(LISA, &["place centre haberdashery"]);
    assert_eq!(play.houses(LISA), [59, 51, 48, 33, 25, 6, 0, 58]);
}

#[test]
fn paulas_haberdashery_43_with_4_orange_coats_pays_4() {
    let start = Position::new(4)
        .round(5)
        .bridge(PAULA, &[56, 55, 47])
        .top(43);
    let mut play = paulas_turn(start).play();
    play.decide(PAULA, &["place centre haberdashery"]);
    assert_eq!(play.money(PAULA), 5 - 2 + 4);
}

#[test]
fn paulas_grey_haberdashery_with_4_grey_coats_pays_4() {
    let start = Position::new(4)
        .round(5)
        .bridge(PAULA, &[57, 46, 45])
        .top(33);
    let mut play = paulas_turn(start).play();
    play.decide(PAULA, &["place centre haberdashery"]);
    assert_eq!(play.money(PAULA), 5 - 2 + 4);
}

#[test]
fn lisas_blue_chapel_advances_3_spaces_and_passes_1_pound() {
    let start = Position::new(4).round(2).bridge(LISA, &[60, 49]).top(32);
    let mut play = lisas_turn(start).play();
    play.decide(LISA, &["place centre chapel"]);
    assert_eq!(play.seat(LISA).chapel_position, 3);
    assert_eq!(play.money(LISA), 5 - 2 + 1);
}

#[test]
fn lisa_plays_before_paula_with_an_equal_card_because_she_is_ahead() {
    let mut play = Position::new(4).chapel(&[0, 3, 0, 0]).play();
    play.decide(LEON, &["play 0"]).decide(LISA, &["play 2"]);
    play.decide(TIM, &["play 1"]).decide(PAULA, &["play 2"]);
    let order: Vec<u8> = play
        .view()
        .turns
        .iter()
        .map(|turn| turn.seat.number())
        .collect();
    assert_eq!(order, [LISA, PAULA, TIM, LEON]);
}

#[test]
fn paulas_gate_passes_one_bonus_space_and_reaches_another_for_two_tiles() {
    let start = Position::new(4)
        .round(5)
        .bridge(PAULA, &[56, 55, 47])
        .top(36);
    let start = start.gate(&[0, 0, 0, 2]).face_up(0, TileKind::Share);
    let mut play = paulas_turn(start).play();
    play.decide(PAULA, &["place gate"]);
    assert_eq!(play.seat(PAULA).gate_position, 6);
    assert_eq!(
        play.legal(PAULA),
        ["take_tile 0", "take_tile 1", "take_tile 2"]
    );
    play.decide(PAULA, &["take_tile 0"]);
    let revealed = play.view().bonus_stacks[0].face_up;
    assert_ne!(
        revealed,
        Some(TileKind::Share),
        "the next tile lies open before the next choice"
    );
    assert_eq!(
        play.legal(PAULA),
        ["take_tile 0", "take_tile 1", "take_tile 2"]
    );
    play.decide(PAULA, &["take_tile 0"]);
    assert_eq!(play.tiles(PAULA, TileKind::Share), 1);
    assert_eq!(play.tiles(PAULA, revealed.unwrap()), 1);
    assert_eq!(
        play.legal(PAULA),
        ["end"],
        "tiles are usable from the next round on"
    );
}

#[test]
fn paulas_inn_20_of_strength_6_gives_3_2_1_or_4_2_or_six_1s() {
    let start = Position::new(4)
        .round(8)
        .bridge(PAULA, &[60, 52, 49, 44, 41, 15, 11])
        .top(20);
    let mut play = paulas_turn(start).play();
    play.decide(PAULA, &["place centre inn", "replace 5"]);
    assert_eq!(play.houses(PAULA), [60, 52, 49, 44, 41, 20, 11]);
    for cards in [
        "take_cards 1x1 1x2 1x3",
        "take_cards 1x2 1x4",
        "take_cards 6x1",
    ] {
        assert!(play.is_legal(PAULA, cards), "{cards}");
    }
    assert!(
        !play.is_legal(PAULA, "take_cards 1x3 1x4"),
        "7 is above the strength"
    );
    let before = play.seat(PAULA).hand;
    play.decide(PAULA, &["take_cards 1x1 1x2 1x3"]);
    let taken: Vec<u8> = play
        .seat(PAULA)
        .hand
        .iter()
        .zip(before)
        .map(|(now, then)| now - then)
        .collect();
    assert_eq!(taken, [0, 1, 1, 1, 0]);
}

/// The strength of a haberdashery on this bridge, without its own coat.
fn strength_before(bridge: &[u8], haberdashery: u8) -> i32 {
    let start = Position::new(4)
        .round(11)
        .bridge(LISA, bridge)
        .top(haberdashery);
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
    assert_eq!(
        haberdasheries.map(|house| strength_before(&one_guildhall, house)),
        [6, 4, 1, 1]
    );
    assert_eq!(
        haberdasheries.map(|house| strength_before(&two_guildhalls, house)),
        [7, 5, 2, 2]
    );
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
    let points: Vec<(&str, i32)> = paula
        .breakdown
        .iter()
        .map(|line| (line.category, line.points))
        .collect();
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
    assert_eq!(
        play.points("bridge_face")[usize::from(LEON)],
        1,
        "Leon is third"
    );
    assert_eq!(play.points("inn_face")[usize::from(TIM)], 0);
}

#[test]
fn two_seats_play_paula_lisa_lisa_paula() {
    let mut play = Position::new(2).play();
    play.decide(0, &["play 4 0"]).decide(1, &["play 3 2"]);
    let order: Vec<u8> = play
        .view()
        .turns
        .iter()
        .map(|turn| turn.seat.number())
        .collect();
    assert_eq!(order, [0, 1, 1, 0]);
    let order = play.last(|event| match event {
        Event::OrderFixed { turns } => Some(turns.len()),
        _ => None,
    });
    assert_eq!(order, Some(4));
}

#[test]
fn ahead_of_last_pays_10_6_4_and_0() {
    let start = Position::with_faces(4, &[Face::AheadOfLast]).chapel(&[8, 12, 2, 6]);
    assert_eq!(start.over().play().points("chapel_face"), [6, 10, 0, 4]);
}

#[test]
fn money_spaces_up_to_5_pounds_pay_11_again() {
    let start = Position::with_faces(4, &[Face::MoneyAgain]).chapel(&[10, 11, 1, 5]);
    assert_eq!(start.over().play().points("chapel_face"), [6, 11, 0, 3]);
}

#[test]
fn gate_distances_of_12_and_10_pay_9_and_of_5_pay_3() {
    let start = Position::with_faces(4, &[Face::GateDistance]).gate(&[5, 5, 10, 12]);
    assert_eq!(start.over().play().points("gate_face"), [3, 3, 9, 9]);
}

#[test]
fn three_unused_tiles_pay_9_in_place_of_1_each() {
    let tiles = [TileKind::Share, TileKind::Recall, TileKind::TakeA2];
    let start = Position::with_faces(4, &[Face::TileTable]).tiles(LISA, &tiles);
    let play = start.over().play();
    assert_eq!(play.points("gate_face"), [0, 9, 0, 0]);
    assert_eq!(play.points("bonus_tiles"), [0, 0, 0, 0]);
}

#[test]
fn five_cards_in_hand_pay_7_the_0_included() {
    let start = Position::with_faces(4, &[Face::HandSize])
        .hand(LEON, [1, 1, 0, 0, 0])
        .hand(TIM, [1, 2, 1, 1, 0]);
    assert_eq!(
        start.over().play().points("inn_face"),
        [0, 7, 7, 7],
        "others start with six"
    );
}

#[test]
fn two_sets_of_1_and_2_pay_10() {
    let start = Position::with_faces(4, &[Face::CardSets]).hand(LEON, [1, 2, 2, 0, 1]);
    assert_eq!(start.over().play().points("inn_face")[0], 10);
}

#[test]
fn the_longest_series_of_59_51_48_33_25_6_park_58_is_6() {
    let example = [59, 51, 48, 33, 25, 6, 0, 58];
    let seven = [57, 50, 43, 36, 29, 22, 15];
    let six = [56, 49, 42, 35, 28, 21, 0];
    let start = |second: &[u8]| {
        let faces = Position::with_faces(4, &[Face::LongestSeries]);
        faces
            .bridge(LEON, &example)
            .bridge(LISA, second)
            .bridge(TIM, &[60, 47])
            .over()
            .play()
    };
    assert_eq!(start(&seven).points("bridge_face"), [3, 5, 1, 0]);
    assert_eq!(
        start(&six).points("bridge_face"),
        [5, 3, 1, 0],
        "a tie of 6 goes by the chapel"
    );
}
