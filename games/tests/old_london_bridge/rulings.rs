//! The project's rulings, beyond the rulebooks' examples.

use crate::position::Position;
use bridgemaster_games::old_london_bridge::{
    Decision, Event, Face, Pawn, StartLeaders, TileKind, TurnStep,
};

/// Seat 0's turn, first in the order of play, with a card of value 4.
fn first_turn(position: Position) -> Position {
    position.turn(&[(0, 4), (1, 3), (2, 2), (3, 0)], 0)
}

fn order(play: &crate::position::Play) -> Vec<(u8, u8, u8)> {
    let turns = play.view().turns;
    turns
        .iter()
        .map(|turn| (turn.seat.number(), turn.card, turn.value))
        .collect()
}

#[test]
fn r3_the_seat_that_is_ahead_doubles_the_lowest_card() {
    for seats in 2..=4 {
        let view = Position::new(seats).view;
        for (stair, seat) in view.chapel_order.iter().enumerate() {
            let mut hand = [1; 5];
            hand[0] = if seats == 2 { 2 } else { 1 };
            hand[stair + 1] = 2;
            assert_eq!(view.seats[seat.index()].hand, hand);
        }
    }
}

#[test]
fn r5_the_last_seat_raises_first_and_the_leader_last() {
    let start = Position::new(3)
        .tiles(0, &[TileKind::PlusOne])
        .tiles(1, &[TileKind::PlusOne]);
    let mut play = start.play();
    play.decide(0, &["play 2"])
        .decide(1, &["play 2"])
        .decide(2, &["play 3"]);
    assert!(play.legal(0).is_empty());
    assert_eq!(play.legal(1), ["raise 0 0", "raise 1 0"]);
    play.decide(1, &["raise 1 0"]);
    assert_eq!(play.legal(0), ["raise 0 0", "raise 1 0"]);
    play.decide(0, &["raise 0 0"]);
    assert_eq!(order(&play), [(1, 2, 3), (2, 3, 3), (0, 2, 2)]);
    assert_eq!(play.tiles(0, TileKind::PlusOne), 1);
    assert_eq!(play.tiles(1, TileKind::PlusOne), 0);
}

#[test]
fn r19_a_raise_has_no_upper_bound_and_the_printed_card_goes_back() {
    let start = Position::new(4).tiles(3, &[TileKind::PlusOne; 3]);
    let mut play = start.play();
    play.decide(0, &["play 4"])
        .decide(1, &["play 0"])
        .decide(2, &["play 0"]);
    let fours = play.view().supply[4];
    play.decide(3, &["play 4", "raise 3 0"]);
    assert_eq!(order(&play)[0], (3, 4, 7));
    assert_eq!(play.view().supply[4], fours + 1);
    assert_eq!(play.seat(3).hand[4], 1, "of two 4s one was played");
}

#[test]
fn r20_of_a_seats_own_equal_cards_the_higher_printed_one_plays_first() {
    let mut play = Position::new(2).tiles(0, &[TileKind::PlusOne; 2]).play();
    play.decide(0, &["play 3 2"]).decide(1, &["play 3 0"]);
    let raises = [
        "raise 0 0",
        "raise 1 0",
        "raise 0 1",
        "raise 2 0",
        "raise 1 1",
        "raise 0 2",
    ];
    assert_eq!(play.legal(0), raises);
    play.decide(0, &["raise 0 1"]);
    assert_eq!(order(&play), [(0, 3, 3), (0, 2, 3), (1, 3, 3), (1, 0, 0)]);
}

#[test]
fn equal_cards_have_one_notation_for_each_raise() {
    let mut play = Position::new(2).tiles(0, &[TileKind::PlusOne]).play();
    play.decide(1, &["play 3 2"]).decide(0, &["play 0 0"]);
    assert_eq!(play.legal(0), ["raise 0 0", "raise 1 0"]);
    let refusal = "raises[1]: must not be above raises[0] when both cards are equal";
    assert_eq!(play.refusal(0, "raise 0 1"), refusal);
}

#[test]
fn r8_the_x_space_gives_no_income() {
    let mut play = first_turn(Position::new(4).tiles(0, &[TileKind::XSpace])).play();
    let refusal =
        "place.opening: the chapel stack faces the X space, entering it takes an x_space tile";
    assert_eq!(play.refusal(0, "place chapel"), refusal);
    play.decide(0, &["place chapel x_space"]);
    assert_eq!(play.seat(0).pawn, Pawn::Outer(0));
    assert_eq!(play.money(0), 5);
    assert_eq!(play.tiles(0, TileKind::XSpace), 0);
}

#[test]
fn tiles_of_a_placement_are_never_wasted() {
    let tiles = [TileKind::XSpace, TileKind::Share, TileKind::FreeCentre];
    let mut play = first_turn(Position::new(4).tiles(0, &tiles)).play();
    assert_eq!(
        play.refusal(0, "place gate x_space"),
        "place.opening: the gate stack does not face the X space, no tile opens it"
    );
    assert_eq!(
        play.refusal(0, "place gate share"),
        "place.share: no other pawn is there, a share tile is not spent"
    );
    assert!(
        play.is_legal(0, "place centre gate") && play.is_legal(0, "place centre gate free_centre")
    );
}

#[test]
fn a_placement_may_combine_share_with_free_centre_or_with_x_space() {
    let start = || {
        Position::new(4)
            .tiles(
                3,
                &[TileKind::Share, TileKind::FreeCentre, TileKind::XSpace],
            )
            .turn(&[(0, 4), (1, 3), (2, 2), (3, 0)], 3)
            .pawn(0, Pawn::Centre)
            .pawn(1, Pawn::Outer(0))
            .pawn(2, Pawn::Outer(3))
    };
    let mut play = start().play();
    let occupied = "place.share: the space is occupied, entering it takes a share tile";
    assert_eq!(play.refusal(3, "place centre inn"), occupied);
    play.decide(3, &["place centre inn share free_centre"]);
    assert_eq!(play.money(3), 5);
    let mut play = start().play();
    play.decide(3, &["place centre inn share"]);
    assert_eq!(play.money(3), 5 - 2);
    let mut play = start().play();
    play.decide(3, &["place chapel share x_space"]);
    assert_eq!(play.money(3), 5);
    let mut play = start().play();
    play.decide(3, &["place gate share"]);
    assert_eq!(play.money(3), 5 + 3);
    assert_eq!(play.tiles(3, TileKind::Share), 0);
}

#[test]
fn share_allows_any_number_of_other_pawns() {
    let start = Position::new(4)
        .tiles(3, &[TileKind::Share])
        .turn(&[(0, 4), (1, 3), (2, 2), (3, 0)], 3)
        .pawn(0, Pawn::Outer(3))
        .pawn(1, Pawn::Outer(3))
        .pawn(2, Pawn::Outer(3));
    assert!(start.play().is_legal(3, "place gate share"));
}

#[test]
fn with_two_seats_the_pawn_moves_to_another_space_and_share_does_not_change_that() {
    let start = |pawn| {
        Position::new(2)
            .tiles(0, &[TileKind::Share, TileKind::FreeCentre])
            .turn(&[(0, 4), (0, 3), (1, 2), (1, 0)], 1)
            .pawn(0, pawn)
            .play()
    };
    let mut play = start(Pawn::Outer(3));
    let must_move = "place.spot: the pawn must move to another space";
    assert_eq!(play.refusal(0, "place gate"), must_move);
    assert_eq!(play.refusal(0, "place gate share"), must_move);
    assert!(play.is_legal(0, "place inn"));
    let mut play = start(Pawn::Centre);
    assert_eq!(
        play.refusal(0, "place centre park"),
        must_move,
        "the centre is one space"
    );
    play.decide(0, &["place gate"]);
    assert_eq!(play.seat(0).pawn, Pawn::Outer(3));
}

#[test]
fn a_recall_takes_the_printed_card_once_a_turn_and_never_a_0() {
    let tiles = [TileKind::Recall, TileKind::Recall];
    let start = || Position::new(4).tiles(0, &tiles);
    let mut play = first_turn(start()).play();
    assert_eq!(
        play.refusal(0, "use recall"),
        "tile: recall is used after the building's action"
    );
    play.decide(0, &["place park"]);
    let fours = play.seat(0).hand[4];
    play.decide(0, &["use recall"]);
    assert_eq!(play.seat(0).hand[4], fours + 1);
    assert_eq!(
        play.refusal(0, "use recall"),
        "tile: recall was used in this turn"
    );
    let mut play = start().turn(&[(1, 4), (0, 0), (2, 0), (3, 0)], 1).play();
    play.decide(0, &["place park"]);
    assert_eq!(
        play.refusal(0, "use recall"),
        "tile: a card of value 0 is never recalled"
    );
}

#[test]
fn r26_other_tiles_may_follow_a_recall_in_its_turn() {
    let tiles = [TileKind::Recall, TileKind::ChapelPlus2];
    let mut play = first_turn(Position::new(4).tiles(0, &tiles)).play();
    play.decide(0, &["place park", "use recall"]);
    assert_eq!(play.legal(0), ["use chapel_plus_2", "end"]);
    play.decide(0, &["use chapel_plus_2"]);
    assert_eq!(play.seat(0).chapel_position, 2);
}

#[test]
fn a_recall_of_a_raised_card_takes_the_printed_value() {
    let tiles = [TileKind::PlusOne, TileKind::Recall];
    let mut play = Position::new(3).tiles(0, &tiles).play();
    play.decide(1, &["play 0"]).decide(2, &["play 0"]);
    let hand = play.seat(0).hand;
    play.decide(0, &["play 2", "raise 1 0", "place park", "use recall"]);
    assert_eq!(play.seat(0).hand, hand);
}

#[test]
fn r23_a_track_tile_is_refused_on_the_last_space() {
    let tiles = [TileKind::ChapelPlus2, TileKind::GatePlus2];
    let start = Position::new(4)
        .tiles(0, &tiles)
        .chapel(&[15, 0, 0, 0])
        .gate(&[15, 0, 0, 0]);
    let mut play = first_turn(start).play();
    for tile in ["chapel_plus_2", "gate_plus_2"] {
        let refusal = format!("tile: {tile} is not used by a marker on the last space");
        assert_eq!(play.refusal(0, &format!("use {tile}")), refusal);
    }
}

#[test]
fn the_last_space_pays_10_once_and_a_later_arrival_lies_under_the_first() {
    let start = Position::new(4)
        .tiles(0, &[TileKind::ChapelPlus2, TileKind::GatePlus2])
        .chapel(&[14, 15, 0, 0])
        .gate(&[14, 15, 0, 0]);
    let mut play = first_turn(start).play();
    play.decide(0, &["use chapel_plus_2"]);
    assert_eq!(
        (play.seat(0).chapel_position, play.money(0)),
        (15, 15),
        "one step is lost"
    );
    play.decide(0, &["use gate_plus_2", "take_tile 0"]);
    assert_eq!((play.seat(0).gate_position, play.money(0)), (15, 25));
    let numbers = |order: &[bridgemaster_games::Seat]| -> Vec<u8> {
        order.iter().map(|seat| seat.number()).collect()
    };
    assert_eq!(numbers(&play.view().chapel_order), [1, 0, 2, 3]);
    assert_eq!(numbers(&play.view().gate_order), [1, 0, 2, 3]);
}

#[test]
fn a_marker_on_the_last_space_stays_as_it_is_when_it_should_advance() {
    let start = Position::new(4).chapel(&[15, 15, 0, 0]).round(1).top(32);
    let mut play = first_turn(start).play();
    play.decide(0, &["place centre chapel"]);
    assert_eq!((play.seat(0).chapel_position, play.money(0)), (15, 5 - 2));
    assert_eq!(play.view().chapel_order[0].number(), 0);
}

#[test]
fn a_marker_that_ends_on_an_occupied_space_goes_on_top() {
    let start = Position::new(4)
        .chapel(&[0, 2, 2, 0])
        .tiles(0, &[TileKind::ChapelPlus2]);
    let mut play = first_turn(start).play();
    play.decide(0, &["use chapel_plus_2"]);
    let order: Vec<u8> = play
        .view()
        .chapel_order
        .iter()
        .map(|seat| seat.number())
        .collect();
    assert_eq!(order, [0, 1, 2, 3]);
    let start = Position::new(4)
        .chapel(&[3, 3, 3, 0])
        .tiles(3, &[TileKind::ChapelPlus2]);
    let mut play = start
        .chapel(&[3, 3, 3, 1])
        .turn(&[(3, 4), (0, 0), (1, 0), (2, 0)], 0)
        .play();
    play.decide(3, &["use chapel_plus_2"]);
    let order: Vec<u8> = play
        .view()
        .chapel_order
        .iter()
        .map(|seat| seat.number())
        .collect();
    assert_eq!(order, [3, 0, 1, 2]);
}

#[test]
fn r21_an_inn_gives_at_least_one_card_and_nothing_to_choose_when_none_fits() {
    let mut play = first_turn(Position::new(4).top(20)).play();
    play.decide(0, &["place inn"]);
    assert_eq!(play.legal(0), ["take_cards 1x1"], "strength 1");
    let nothing = play.try_apply(0, &Decision::TakeCards([0; 5])).unwrap_err();
    assert_eq!(
        nothing.to_string(),
        "cards: at least one card must be taken"
    );
    let start = Position::new(4)
        .hand(0, [1, 1, 1, 1, 1])
        .hand(1, [1, 12, 1, 1, 1])
        .hand(2, [1, 1, 1, 1, 1])
        .hand(3, [1, 1, 1, 1, 1]);
    let mut play = first_turn(start.top(20)).play();
    assert_eq!(play.view().supply[1], 0);
    play.decide(0, &["place inn"]);
    assert_eq!(play.legal(0), ["end"]);
}

#[test]
fn parks_go_to_the_end_and_are_never_replaced() {
    let start = first_turn(Position::new(4).round(6).bridge(0, &[50, 0, 10]).top(60));
    let mut play = start.play();
    play.decide(0, &["place inn"]);
    assert_eq!(
        play.legal(0),
        ["replace 0", "replace 2"],
        "every series qualifies"
    );
    assert_eq!(
        play.refusal(0, "replace 1"),
        "slot: a park is never replaced"
    );
    assert_eq!(
        play.refusal(0, "replace 3"),
        "slot: 3 is not below 3, the number of buildings"
    );
    play.decide(0, &["replace 2"]);
    assert_eq!(play.houses(0), [50, 0, 60]);
}

#[test]
fn a_replaced_building_takes_its_coats_away() {
    // 47 and 55 are orange; 43, orange, replaces 15, orange, or 27, orange.
    let start = Position::new(4).round(6).bridge(0, &[55, 47, 27]).top(43);
    let mut play = first_turn(start).play();
    play.decide(0, &["place haberdashery", "replace 2"]);
    let built = play.last(|event| match event {
        Event::Built {
            strength, replaced, ..
        } => Some((*strength, replaced.unwrap().number)),
        _ => None,
    });
    assert_eq!(built, Some((3, Some(27))));
}

#[test]
fn the_highest_card_pays_once_by_printed_value_even_a_0() {
    let faces = [Face::HighestCard];
    let start = || Position::with_faces(4, &faces).chapel(&[0, 0, 4, 0]);
    let mut play = start().tiles(0, &[TileKind::PlusOne]).play();
    play.decide(0, &["play 3"])
        .decide(1, &["play 4"])
        .decide(2, &["play 4"]);
    play.decide(3, &["play 0"]);
    assert_eq!(
        play.paid(Face::HighestCard),
        [(2, 2)],
        "a tie goes by chapel order"
    );
    assert!(play.is_legal(0, "raise 1 0"), "it pays before the raises");
    let mut play = start().play();
    for number in 0..4 {
        play.decide(number, &["play 0"]);
    }
    assert_eq!(play.paid(Face::HighestCard), [(2, 2)]);
}

/// The end of seat 3's turn, the last of the round.
fn end_of_round(faces: &[Face]) -> Position {
    let start = Position::with_faces(4, faces).turn(&[(0, 0), (1, 0), (2, 0), (3, 0)], 3);
    start.step(3, TurnStep::Finish)
}

#[test]
fn r14_by_the_other_reading_leaders_at_position_0_earn_too() {
    let faces = [Face::ChapelLeader, Face::GateLeader];
    let paid = |faces: &[Face]| {
        let mut position = end_of_round(faces);
        position.config.start_leaders = StartLeaders::Paid;
        position
    };
    let mut play = paid(&faces).play();
    play.decide(3, &["end"]);
    assert_eq!(play.paid(Face::ChapelLeader), [(0, 1)]);
    assert_eq!(play.paid(Face::GateLeader), [(0, 1)], "by chapel order");
    let mut play = paid(&faces).chapel(&[0, 0, 3, 0]).play();
    play.decide(3, &["end"]);
    assert_eq!(play.paid(Face::ChapelLeader), [(2, 1)]);
    assert_eq!(play.paid(Face::GateLeader), [(2, 1)]);
    let mut play = paid(&[]).play();
    play.decide(3, &["end"]);
    assert!(play.paid(Face::ChapelLeader).is_empty(), "another face");
}

#[test]
fn r14_leaders_earn_1_pound_a_round_but_nothing_at_position_0() {
    let faces = [Face::ChapelLeader, Face::GateLeader];
    let mut play = end_of_round(&faces).play();
    play.decide(3, &["end"]);
    assert!(play.paid(Face::ChapelLeader).is_empty() && play.paid(Face::GateLeader).is_empty());
    let mut play = end_of_round(&faces)
        .chapel(&[1, 2, 0, 2])
        .gate(&[4, 0, 0, 4])
        .play();
    play.decide(3, &["end"]);
    assert_eq!(play.paid(Face::ChapelLeader), [(1, 1)]);
    assert_eq!(
        play.paid(Face::GateLeader),
        [(3, 1)],
        "a tie goes by chapel order"
    );
}

#[test]
fn the_lowest_number_of_the_round_pays_2_parks_aside() {
    let mut start = end_of_round(&[Face::LowestNumber]);
    start.seat(1).lowest_built = Some(17);
    start.seat(2).lowest_built = Some(9);
    let mut play = start.play();
    play.decide(3, &["end"]);
    assert_eq!(play.paid(Face::LowestNumber), [(2, 2)]);
    let mut play = end_of_round(&[Face::LowestNumber]).play();
    play.decide(3, &["end"]);
    assert!(
        play.paid(Face::LowestNumber).is_empty(),
        "none built: none paid"
    );
}

#[test]
fn r24_a_number_that_was_replaced_in_its_round_still_counts() {
    let start = Position::with_faces(2, &[Face::LowestNumber])
        .top(12)
        .top(43)
        .turn(&[(0, 4), (0, 3), (1, 1), (1, 0)], 0);
    let mut play = start.play();
    play.decide(0, &["place centre chapel", "end"]);
    play.decide(0, &["place haberdashery", "replace 0", "end"]);
    assert_eq!(
        (play.houses(0), play.seat(0).lowest_built),
        (vec![43], Some(12))
    );
}

#[test]
fn fresh_tiles_are_usable_from_the_next_round_on() {
    let start = Position::new(4)
        .tiles(3, &[TileKind::GatePlus2])
        .gate(&[0, 0, 0, 2])
        .face_up(0, TileKind::ChapelPlus2)
        .turn(&[(0, 0), (1, 0), (2, 0), (3, 0)], 3);
    let mut play = start.play();
    play.decide(3, &["use gate_plus_2", "take_tile 0"]);
    let refusal = "tile: no usable chapel_plus_2 tile";
    assert_eq!(play.refusal(3, "use chapel_plus_2"), refusal);
    play.decide(3, &["place park"]);
    assert_eq!(play.refusal(3, "use chapel_plus_2"), refusal);
    play.decide(3, &["end"]);
    for (number, card) in [(0, "play 0"), (1, "play 0"), (2, "play 0"), (3, "play 4")] {
        play.decide(number, &[card]);
    }
    assert!(play.is_legal(3, "use chapel_plus_2"));
    assert_eq!(play.seat(3).fresh_tiles, [0; 8]);
}

#[test]
fn competitive_faces_give_no_third_prize_to_three_seats_and_one_prize_to_two() {
    let points = |seats: u8| {
        let positions: Vec<u8> = (0..seats).map(|number| 4 + number).collect();
        Position::new(seats)
            .chapel(&positions)
            .over()
            .play()
            .points("chapel_face")
    };
    assert_eq!(points(2), [0, 5]);
    assert_eq!(points(3), [0, 3, 5]);
    assert_eq!(points(4), [0, 1, 3, 5]);
}

#[test]
fn r15_a_count_of_0_wins_no_prize() {
    let faces = [
        Face::MostChapels,
        Face::MostGates,
        Face::MostInns,
        Face::LongestSeries,
    ];
    let start = Position::with_faces(4, &faces).bridge(2, &[52, 50, 45, 41, 0]);
    let play = start.over().play();
    assert_eq!(play.points("chapel_face"), [0, 0, 5, 0]);
    assert_eq!(play.points("gate_face"), [0, 0, 5, 0]);
    assert_eq!(play.points("inn_face"), [0, 0, 5, 0]);
    assert_eq!(play.points("bridge_face"), [0, 0, 5, 0]);
}

#[test]
fn r16_the_last_space_is_no_money_space() {
    let start = Position::with_faces(2, &[Face::MoneyAgain]).chapel(&[15, 0]);
    assert_eq!(start.over().play().points("chapel_face"), [11, 0]);
}

#[test]
fn faces_that_pay_during_the_match_pay_nothing_at_its_end() {
    let faces = [
        Face::ChapelLeader,
        Face::GateLeader,
        Face::HighestCard,
        Face::LowestNumber,
    ];
    let start = Position::with_faces(3, &faces)
        .chapel(&[3, 2, 1])
        .gate(&[3, 2, 1]);
    let play = start.bridge(0, &[30]).over().play();
    for category in ["chapel_face", "gate_face", "inn_face", "bridge_face"] {
        assert_eq!(play.points(category), [0, 0, 0], "{category}");
    }
}

#[test]
fn parks_count_as_buildings_and_fill_spaces() {
    let start = Position::new(2)
        .bridge(0, &[60, 55, 50, 45, 40, 35, 30, 25, 20, 15, 10, 0])
        .bridge(1, &[59, 54, 49, 44, 39, 34, 29, 24, 19, 14, 9]);
    let play = start.over().play();
    assert_eq!(play.points("bridge_face"), [5, 0]);
    assert_eq!(play.points("empty_spaces"), [0, -1]);
    let start = Position::new(2).chapel(&[0, 1]);
    let start = start.bridge(0, &[0, 30]).bridge(1, &[29]);
    assert_eq!(start.over().play().points("bridge_face"), [5, 0]);
}

#[test]
fn low_numbers_pay_2_each_and_full_sets_10_each() {
    let bridge = [60, 42, 34, 31, 30, 28, 0, 26, 24, 2, 0];
    let low = Position::with_faces(2, &[Face::LowNumbers]).bridge(0, &bridge);
    assert_eq!(low.over().play().points("bridge_face"), [2 * 5, 0]);
    // Two chapels, gates, inns, guildhalls and parks, but one haberdashery.
    let sets = Position::with_faces(2, &[Face::FullSets]).bridge(0, &bridge);
    assert_eq!(sets.over().play().points("bridge_face"), [10, 0]);
}

#[test]
fn r12_a_score_may_be_below_zero_and_ties_go_by_chapel_order() {
    let start = Position::with_faces(3, &[Face::MostBuildings])
        .money(0, 3)
        .money(1, 3);
    let hands = start
        .hand(0, [1, 0, 0, 0, 0])
        .hand(1, [1, 0, 0, 0, 0])
        .hand(2, [1, 0, 0, 0, 0]);
    let outcome = hands.money(2, 4).over().play().outcome();
    let results: Vec<(u8, i32)> = outcome
        .seats
        .iter()
        .map(|seat| (seat.place, seat.score))
        .collect();
    assert_eq!(results, [(2, -11), (3, -11), (1, -10)]);
}

#[test]
fn r11_ties_in_final_scoring_go_by_chapel_order_and_not_by_seat() {
    let start = Position::with_faces(3, &[Face::MostChapels]).chapel(&[1, 2, 0]);
    let start = (0..3).fold(start, |start, number| start.hand(number, [1, 0, 0, 0, 0]));
    let start = start.bridge(0, &[30]).bridge(1, &[29]).gate(&[4, 4, 0]);
    let play = start.money(0, 9).over().play();
    assert_eq!(play.points("bridge_face"), [3, 5, 0]);
    assert_eq!(play.points("gate_face"), [3, 5, 0]);
    let results = play.outcome().seats.into_iter();
    let results: Vec<(u8, i32)> = results.map(|seat| (seat.place, seat.score)).collect();
    assert_eq!(results, [(2, 1), (1, 1), (3, -9)]);
}
