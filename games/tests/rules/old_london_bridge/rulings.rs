//! Decisions that the project's rulings refuse, each with its reason. The recount covers all that
//! is legal.

use crate::old_london_bridge::position::Position;
use bridgemaster_games::old_london_bridge::{Decision, Pawn, TileKind};

/// Seat 0's turn, first in the order of play, with a card of value 4.
fn first_turn(position: Position) -> Position {
    position.turn(&[(0, 4), (1, 3), (2, 2), (3, 0)], 0)
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
            .tiles(3, &[TileKind::Share, TileKind::FreeCentre, TileKind::XSpace])
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
    assert_eq!(play.refusal(0, "place centre park"), must_move, "the centre is one space");
    play.decide(0, &["place gate"]);
    assert_eq!(play.seat(0).pawn, Pawn::Outer(3));
}

#[test]
fn a_recall_takes_the_printed_card_once_a_turn_and_never_a_0() {
    let tiles = [TileKind::Recall, TileKind::Recall];
    let start = || Position::new(4).tiles(0, &tiles);
    let mut play = first_turn(start()).play();
    assert_eq!(play.refusal(0, "use recall"), "tile: recall is used after the building's action");
    play.decide(0, &["place park"]);
    let fours = play.seat(0).hand[4];
    play.decide(0, &["use recall"]);
    assert_eq!(play.seat(0).hand[4], fours + 1);
    assert_eq!(play.refusal(0, "use recall"), "tile: recall was used in this turn");
    let mut play = start().turn(&[(1, 4), (0, 0), (2, 0), (3, 0)], 1).play();
    play.decide(0, &["place park"]);
    assert_eq!(play.refusal(0, "use recall"), "tile: a card of value 0 is never recalled");
}

#[test]
fn r23_a_track_tile_is_refused_on_the_last_space() {
    let tiles = [TileKind::ChapelPlus2, TileKind::GatePlus2];
    let start = Position::new(4).tiles(0, &tiles).chapel(&[15, 0, 0, 0]).gate(&[15, 0, 0, 0]);
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
    assert_eq!((play.seat(0).chapel_position, play.money(0)), (15, 15), "one step is lost");
    play.decide(0, &["use gate_plus_2", "take_tile 0"]);
    assert_eq!((play.seat(0).gate_position, play.money(0)), (15, 25));
    let numbers = |order: &[bridgemaster_games::Seat]| -> Vec<u8> {
        order.iter().map(|seat| seat.number()).collect()
    };
    assert_eq!(numbers(&play.view().chapel_order), [1, 0, 2, 3]);
    assert_eq!(numbers(&play.view().gate_order), [1, 0, 2, 3]);
}

#[test]
fn r21_an_inn_gives_at_least_one_card_and_nothing_to_choose_when_none_fits() {
    let mut play = first_turn(Position::new(4).top(20)).play();
    play.decide(0, &["place inn"]);
    assert_eq!(play.legal(0), ["take_cards 1x1"], "strength 1");
    let nothing = play.try_apply(0, &Decision::TakeCards([0; 5])).unwrap_err();
    assert_eq!(nothing.to_string(), "cards: at least one card must be taken");
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
    assert_eq!(play.legal(0), ["replace 0", "replace 2"], "every series qualifies");
    assert_eq!(play.refusal(0, "replace 1"), "slot: a park is never replaced");
    assert_eq!(play.refusal(0, "replace 3"), "slot: 3 is not below 3, the number of buildings");
    play.decide(0, &["replace 2"]);
    assert_eq!(play.houses(0), [50, 0, 60]);
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
