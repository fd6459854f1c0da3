//! Rounds: turning of the rondel, and payments at the end of a round and of a match.

use crate::position::Position;
use bridgemaster_games::old_london_bridge::{
    Config, Event, Face, Kind, OldLondonBridge, Pawn, TileKind,
};
use bridgemaster_games::{NoEvents, Rules, Sample, SeatCount, Seed, Viewer};

#[test]
fn a_marker_turns_the_rondel_clockwise_by_its_value() {
    let (config, seats) = (Config::default(), SeatCount::new(4).unwrap());
    let mut setup = OldLondonBridge::draw_setup(&config, seats, &Seed::from(1)).unwrap();
    for marker in 1..=3u8 {
        let place = setup.markers.iter().position(|&other| other == marker);
        setup.markers.swap(0, place.unwrap());
        for orientation in 0..6 {
            setup.orientation = orientation;
            let state = OldLondonBridge::start(&config, seats, &setup, &mut NoEvents).unwrap();
            let view = OldLondonBridge::observe(&state, Viewer::Spectator);
            assert_eq!(view.orientation, (orientation + marker) % 6);
        }
    }
}

#[test]
fn a_rondel_that_is_turned_by_2_has_x_at_the_third_stack_of_the_ring() {
    let incomes = [
        ("chapel", 2),
        ("inn", 1),
        ("gate", 1),
        ("haberdashery", 2),
        ("park", 3),
    ];
    for (stack, income) in incomes {
        let mut start = Position::new(4).turn(&[(0, 4), (1, 3), (2, 2), (3, 0)], 0);
        start.view.orientation = 2;
        let mut play = start.play();
        assert!(!play.is_legal(0, "place guildhall"), "guildhall faces X");
        play.decide(0, &[&format!("place {stack}")]);
        let placed = play.last(|event| match event {
            Event::Placed { money, .. } => Some(*money),
            _ => None,
        });
        assert_eq!(placed, Some(income), "{stack}");
    }
}

#[test]
fn a_skipped_second_turn_leaves_the_pawn_where_it_is() {
    // Only the gate, where the own pawn is, and the chapel, which faces X, have buildings.
    let start = [Kind::Inn, Kind::Guildhall, Kind::Haberdashery, Kind::Park]
        .into_iter()
        .fold(Position::new(2), |start, kind| start.shorten_stack(kind, 0))
        .money(0, 0)
        .turn(&[(0, 4), (0, 3), (1, 2), (1, 0)], 1)
        .pawn(0, Pawn::Outer(3));
    let mut play = start.play();
    assert_eq!(play.legal(0), ["end"]);
    play.decide(0, &["end"]);
    assert_eq!(play.seat(0).pawn, Pawn::Outer(3));
    assert_eq!(
        play.refusal(1, "place gate"),
        "place.share: the space is occupied, entering it takes a share tile"
    );
    assert_eq!(play.legal(1), ["place centre chapel", "place centre gate"]);
}

#[test]
fn pawns_leave_the_rondel_and_a_number_counts_in_its_own_round_only() {
    let mut start = Position::with_faces(4, &[Face::LowestNumber])
        .turn(&[(0, 0), (1, 0), (2, 0), (3, 0)], 3)
        .pawn(0, Pawn::Outer(3));
    start.seat(0).lowest_built = Some(1);
    let mut play = start.play();
    play.decide(3, &["place park", "end"]);
    assert_eq!(play.paid(Face::LowestNumber), [(0, 2)]);
    for number in 0..4 {
        assert_eq!(play.seat(number).pawn, Pawn::Off);
        assert_eq!(play.seat(number).lowest_built, None);
    }
}

/// Seat 3's turn, the last of the last round, with a bonus tile within its reach.
fn last_turn(faces: &[Face]) -> Position {
    Position::with_faces(4, faces)
        .last_round()
        .gate(&[0, 0, 0, 2])
        .tiles(3, &[TileKind::GatePlus2])
        .turn(&[(0, 0), (1, 0), (2, 0), (3, 0)], 3)
}

#[test]
fn the_last_round_pays_like_every_round() {
    let faces = [Face::GateLeader, Face::LowestNumber];
    let mut play = last_turn(&faces).top(58).play();
    play.decide(3, &["use gate_plus_2", "take_tile 0"]);
    play.decide(3, &["place haberdashery", "end"]);
    assert_eq!(play.paid(Face::GateLeader), [(3, 1)]);
    assert_eq!(play.paid(Face::LowestNumber), [(3, 2)]);
    assert_eq!(play.events.last(), Some(&Event::GameEnded { early: false }));
}

#[test]
fn an_unused_tile_of_the_last_round_pays_too() {
    let mut play = last_turn(&[]).play();
    play.decide(3, &["use gate_plus_2", "take_tile 0", "place park", "end"]);
    assert_eq!(play.points("bonus_tiles"), [0, 0, 0, 1]);
    let mut play = last_turn(&[Face::TileTable]).play();
    play.decide(3, &["use gate_plus_2", "take_tile 0", "place park", "end"]);
    assert_eq!(play.points("gate_face"), [0, 0, 0, 1]);
}

#[test]
fn three_empty_stacks_in_the_last_round_are_no_early_end() {
    let start = [Kind::Inn, Kind::Guildhall, Kind::Chapel]
        .into_iter()
        .fold(last_turn(&[]), |start, kind| start.shorten_stack(kind, 0));
    let mut play = start.play();
    play.decide(3, &["place park", "end"]);
    assert_eq!(play.events.last(), Some(&Event::GameEnded { early: false }));
}

#[test]
fn both_0s_of_a_two_seat_table_count_for_the_hand_size() {
    let start = Position::with_faces(2, &[Face::HandSize])
        .hand(0, [2, 1, 0, 0, 0])
        .hand(1, [2, 0, 0, 0, 0]);
    assert_eq!(start.over().play().points("inn_face"), [4, 0]);
}
