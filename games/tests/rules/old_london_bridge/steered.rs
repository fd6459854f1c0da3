//! Situations that random play never reaches, or too rarely.

use crate::old_london_bridge::position::Position;
use bridgemaster_games::Rules;
use bridgemaster_games::old_london_bridge::{
    Edition, Event, Face, Kind, OldLondonBridge, Pawn, TileKind, TurnStep,
};

const BUILT_IN: &str = include_str!("../../../data/old_london_bridge/built_in.toml");

/// Seat 3's turn, the last of the round, with every open space occupied or without a building:
/// chapel faces X, the stacks of spaces 1 and 2 are empty, pawns stand on 3, 4 and 5. Seat 3 has no
/// money for the centre.
fn without_a_placement() -> Position {
    Position::new(4)
        .shorten_stack(Kind::Inn, 0)
        .shorten_stack(Kind::Guildhall, 0)
        .money(3, 0)
        .turn(&[(0, 4), (1, 3), (2, 2), (3, 1)], 3)
        .pawn(0, Pawn::Outer(3))
        .pawn(1, Pawn::Outer(4))
        .pawn(2, Pawn::Outer(5))
}

fn was_skipped(event: &Event) -> Option<u8> {
    match event {
        Event::TurnSkipped { seat } => Some(seat.number()),
        _ => None,
    }
}

#[test]
fn a_turn_without_a_legal_placement_builds_nothing() {
    let mut play = without_a_placement().play();
    assert_eq!(play.legal(3), ["end"]);
    assert_eq!(
        play.refusal(3, "place centre gate"),
        "place.opening: the centre costs 2 pounds or a free_centre tile, money: 0"
    );
    play.decide(3, &["end"]);
    assert_eq!(play.last(was_skipped), Some(3));
    assert_eq!(play.view().round, 1);
    assert!(play.houses(3).is_empty());
}

#[test]
fn a_held_tile_that_makes_a_placement_legal_must_be_used() {
    for (tile, places) in [
        (TileKind::Share, vec!["place gate share", "place haberdashery share", "place park share"]),
        (TileKind::XSpace, vec!["place chapel x_space"]),
        (
            TileKind::FreeCentre,
            vec![
                "place centre chapel free_centre",
                "place centre gate free_centre",
                "place centre haberdashery free_centre",
                "place centre park free_centre",
            ],
        ),
    ] {
        let mut play = without_a_placement().tiles(3, &[tile]).play();
        assert_eq!(play.legal(3), places);
        let refusal = "decision: the turn cannot end before a placement";
        assert_eq!(play.refusal(3, "end"), refusal);
    }
}

#[test]
fn a_recall_without_a_legal_placement_commits_the_turn_to_building_nothing() {
    let tiles = [TileKind::Recall, TileKind::ChapelPlus2];
    let start = without_a_placement().tiles(3, &tiles).chapel(&[0, 0, 0, 3]);
    let mut play = start.play();
    assert_eq!(play.legal(3), ["use recall", "use chapel_plus_2", "end"]);
    let ones = play.seat(3).hand[1];
    play.decide(3, &["use recall"]);
    assert_eq!(play.seat(3).hand[1], ones + 1);
    assert_eq!(play.last(was_skipped), Some(3));
    play.decide(3, &["use chapel_plus_2"]);
    assert_eq!(play.money(3), 2, "enough for the centre, but the turn is committed");
    assert_eq!(play.legal(3), ["end"]);
    play.decide(3, &["end"]);
    let skipped = play.events.iter().filter_map(was_skipped).count();
    assert_eq!(skipped, 1, "one turn is skipped once");
}

#[test]
fn money_that_makes_a_placement_legal_again_makes_it_mandatory_again() {
    let tiles = [TileKind::Recall, TileKind::ChapelPlus2];
    let mut play = without_a_placement().tiles(3, &tiles).chapel(&[0, 0, 0, 3]).play();
    play.decide(3, &["use chapel_plus_2"]);
    assert_eq!(play.money(3), 2);
    let legal = play.legal(3);
    assert!(legal.iter().all(|decision| decision.starts_with("place centre ")), "{legal:?}");
    assert_eq!(play.refusal(3, "use recall"), "tile: recall is used after the building's action");
    assert!(play.try_decide(3, "end").is_err());
    assert_eq!(play.last(was_skipped), None);
}

/// The end of the first round, with empty inn and guildhall stacks and one remaining chapel.
fn before_an_early_end(faces: &[Face]) -> Position {
    Position::with_faces(4, faces)
        .shorten_stack(Kind::Inn, 0)
        .shorten_stack(Kind::Guildhall, 0)
        .shorten_stack(Kind::Chapel, 1)
        .turn(&[(0, 4), (1, 3), (2, 2), (3, 1)], 3)
}

#[test]
fn three_empty_stacks_end_the_match_at_the_end_of_the_round() {
    let mut play = before_an_early_end(&[Face::ChapelLeader]).play();
    play.decide(3, &["place centre chapel"]);
    assert_eq!(play.view().stacks[0].top, None);
    play.decide(3, &["end"]);
    assert!(OldLondonBridge::seats_to_decide(&play.state).is_empty());
    assert_eq!(play.events.last(), Some(&Event::GameEnded { early: true }));
    assert_eq!(play.paid(Face::ChapelLeader), [(3, 1)], "the last round pays too");
    assert_eq!(play.outcome().seats.len(), 4);
    assert_eq!(play.refusal(0, "play 0"), "decision: the match is over");
}

/// The last turn before a round in which `holders` have a usable take_a_2 tile, with `twos` in the
/// supply; seats 0 to 3 in chapel order.
fn before_take_a_2(holders: &[u8], twos: u8) -> Position {
    let held = 15 - twos;
    let mut start = Position::new(4).hand(3, [1, 1, held - 3, 1, 1]);
    for number in 0..3 {
        start = start.hand(number, [1, 1, 1, 1, 1]);
    }
    for &number in holders {
        start = start.tiles(number, &[TileKind::TakeA2]);
    }
    let start = start.turn(&[(0, 0), (1, 0), (2, 0), (3, 0)], 3);
    start.step(3, TurnStep::Finish)
}

#[test]
fn take_a_2_is_not_requested_while_the_supply_has_no_2() {
    let mut play = before_take_a_2(&[0], 0).play();
    play.decide(3, &["end"]);
    assert_eq!(play.view().supply[2], 0);
    assert!(play.is_legal(0, "play 2"));
    assert_eq!(play.refusal(0, "take_a_2 yes"), "decision: expected play, got take_a_2");
}

#[test]
fn take_a_2_is_not_requested_again_once_the_supply_has_run_out() {
    let mut play = before_take_a_2(&[0, 0, 1], 1).play();
    play.decide(3, &["end"]);
    play.decide(0, &["take_a_2 yes"]);
    assert!(play.is_legal(0, "play 2"), "no seat owes a decision any more");
    assert_eq!(play.tiles(0, TileKind::TakeA2), 1);
    assert_eq!(play.tiles(1, TileKind::TakeA2), 1);
}

#[test]
fn r26_recall_is_refused_while_the_supply_has_no_card_of_the_value() {
    // All 4s but the one just played are in hands; the inn takes that one.
    let start = Position::new(4)
        .round(8)
        .hand(1, [1, 1, 1, 1, 9])
        .hand(2, [1, 1, 1, 1, 0])
        .hand(3, [1, 1, 1, 1, 0])
        .hand(0, [1, 1, 1, 1, 1])
        .bridge(0, &[60, 52, 49, 44])
        .top(40)
        .tiles(0, &[TileKind::Recall])
        .turn(&[(0, 4), (1, 0), (2, 0), (3, 0)], 0);
    let mut play = start.play();
    assert_eq!(play.view().supply[4], 1);
    play.decide(0, &["place inn", "take_cards 1x4"]);
    assert_eq!(play.refusal(0, "use recall"), "tile: the supply has no card of value 4");
    assert_eq!(play.legal(0), ["end"]);
}

/// A test edition whose gate track has a bonus space on each of 60 spaces.
fn generous_gate() -> Edition {
    let spaces: Vec<String> = (1..=60).map(|space| space.to_string()).collect();
    let text = BUILT_IN
        .replace("gate_last_space = 15", "gate_last_space = 60")
        .replace("[3, 6, 9, 12, 15]", &format!("[{}]", spaces.join(", ")));
    Edition::from_toml(&text).unwrap()
}

#[test]
fn no_tile_is_taken_from_empty_stacks() {
    let mut start = Position::with_edition(4, generous_gate())
        .round(5)
        .bridge(0, &[56, 55, 47])
        .top(36)
        .turn(&[(0, 4), (1, 0), (2, 0), (3, 0)], 0);
    for stack in &mut start.view.bonus_stacks {
        stack.unseen.clear();
        stack.face_up = None;
    }
    start.view.bonus_stacks[1].face_up = Some(TileKind::Share);
    let mut play = start.play();
    play.decide(0, &["place gate"]);
    assert_eq!(play.seat(0).gate_position, 4, "four bonus spaces were passed");
    assert_eq!(play.legal(0), ["take_tile 1"]);
    assert_eq!(play.refusal(0, "take_tile 0"), "stack: bonus stack 0 is empty");
    play.decide(0, &["take_tile 1"]);
    assert_eq!(play.legal(0), ["end"]);
}
