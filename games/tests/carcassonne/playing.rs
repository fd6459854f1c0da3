//! Turns: placing tiles and meeples, and the end of a match.

use bridgemaster_games::carcassonne::{
    Carcassonne, Config, Edge, Event, Illegal, Phase, Rotation, Segment, TileKind,
};
use bridgemaster_games::{Game, LegalList, OutOfTurn, Rules};

use crate::position::{Position, cell, half, kind, resampled, seat, segment};

fn rotation(quarter_turns: u8) -> Rotation {
    Rotation::new(quarter_turns).unwrap()
}

#[test]
fn a_turn_is_a_tile_and_then_a_meeple_and_seats_follow_each_other() {
    let mut position = Position::with(3, Config::default(), "U U U U");
    for number in [0, 1, 2, 0] {
        let x = position.view().tiles.len();
        assert_eq!(position.seat_to_decide(), Some(seat(number)));
        position = position.play(&format!("place {x} 0 0"));
        assert_eq!(position.seat_to_decide(), Some(seat(number)));
        assert_eq!(position.view().phase, Phase::PlaceMeeple);
        position = position.play("meeple none");
    }
}

#[test]
fn placements_are_listed_by_x_then_y_then_rotation_and_looks_once() {
    let position = Position::new("U");
    assert_eq!(
        position.legal(),
        ["place -1 0 0", "place 0 1 0", "place 1 0 0"]
    );
    let position = Position::new("K");
    assert_eq!(
        position.legal(),
        [
            "place -1 0 2",
            "place -1 0 3",
            "place 0 -1 2",
            "place 0 1 3",
            "place 1 0 0",
            "place 1 0 1",
        ]
    );
}

#[test]
fn a_placement_that_does_not_fit_is_refused_with_its_reason() {
    let position = Position::new("U");
    for (x, y) in [(0, 0), (1, 1), (5, -5), (127, -128)] {
        let refusal = position.refusal(&format!("place {x} {y} 0"));
        assert_eq!(refusal, Illegal::CellClosed { cell: cell(x, y) });
    }
    assert_eq!(
        position.refusal("place 1 0 1"),
        Illegal::EdgeMismatch {
            tile: kind("U"),
            rotation: rotation(1),
            edge: Edge::West,
        }
    );
    assert_eq!(
        position.refusal("place 1 0 2"),
        Illegal::RotationRepeated {
            tile: kind("U"),
            first: rotation(0),
        }
    );
}

#[test]
fn a_decision_out_of_turn_or_of_another_kind_is_refused() {
    let mut position = Position::new("U");
    let decision = "place 1 0 0".parse().unwrap();
    let refused = Carcassonne::apply(&mut position.state, seat(1), &decision, &mut Vec::new());
    assert_eq!(
        refused.unwrap_err().to_string(),
        "seat: not your turn, seat 1 owes no decision; expected: seat 0"
    );
    for (text, given) in [("meeple none", "meeple"), ("drawbridge home", "drawbridge")] {
        assert_eq!(
            position.refusal(text),
            Illegal::OutOfTurn(OutOfTurn::WrongKind {
                given,
                expected: "place",
            })
        );
    }
    let position = position.play("place 1 0 0");
    assert!(matches!(
        position.refusal("place 2 0 0"),
        Illegal::OutOfTurn(OutOfTurn::WrongKind {
            expected: "meeple",
            ..
        })
    ));
}

#[test]
fn a_meeple_goes_onto_any_feature_of_the_tile_in_the_order_of_segments() {
    let position = Position::new("A").play("place -1 0 3");
    assert_eq!(
        position.legal(),
        [
            "meeple none",
            "meeple road e",
            "meeple monastery",
            "meeple field nl"
        ]
    );
    assert_eq!(
        position.refusal("meeple city n"),
        Illegal::NoSuchSegment(segment("city n"))
    );
    // Only the first half-edge names the field.
    assert_eq!(
        position.refusal("meeple field nr"),
        Illegal::NoSuchSegment(Segment::Field(half("nr")))
    );
}

#[test]
fn a_feature_with_a_meeple_anywhere_takes_no_other() {
    let position = Position::new("U U").play("place 1 0 0; meeple road e; place -1 0 0");
    assert_eq!(
        position.legal(),
        ["meeple none", "meeple field nl", "meeple field er"]
    );
    assert_eq!(
        position.refusal("meeple road e"),
        Illegal::Occupied(segment("road e"))
    );
}

#[test]
fn two_segments_of_one_feature_are_one_decision_named_by_the_first() {
    let position = Position::new("V V V V X").play(
        "place 0 1 0; meeple none; place 1 1 2; meeple none; place 2 1 1; meeple none; \
         place 2 0 0; meeple none; place 1 0 0",
    );
    assert_eq!(
        position.legal(),
        [
            "meeple none",
            "meeple road n",
            "meeple road e",
            "meeple road w",
            "meeple field nl",
            "meeple field nr",
            "meeple field er",
        ]
    );
    assert_eq!(
        position.refusal("meeple road s"),
        Illegal::SegmentNotFirst {
            given: segment("road s"),
            first: segment("road e"),
        }
    );
    assert_eq!(
        position.refusal("meeple field sr"),
        Illegal::SegmentNotFirst {
            given: segment("field sr"),
            first: segment("field nr"),
        }
    );
}

#[test]
fn a_seat_without_meeples_has_one_answer_which_it_owes_all_the_same() {
    let position = Position::new("U U U")
        .play("place 1 0 0; meeple none; place 2 0 0; meeple none")
        .with_meeples(&[
            (0, 0, 0, "road e"),
            (0, 0, 0, "city n"),
            (0, 0, 0, "field el"),
            (0, 0, 0, "field er"),
            (0, 1, 0, "road e"),
            (0, 1, 0, "field nl"),
            (0, 1, 0, "field er"),
        ])
        .play("place -1 0 0");
    assert_eq!(position.supply(), [0, 7]);
    assert_eq!(position.seat_to_decide(), Some(seat(0)));
    assert_eq!(position.legal(), ["meeple none"]);
    assert_eq!(position.refusal("meeple road e"), Illegal::SupplyEmpty);
}

#[test]
fn without_fields_no_meeple_goes_onto_one() {
    let config = Config {
        fields: false,
        ..Config::default()
    };
    let position = Position::with(2, config, "U").play("place 1 0 0");
    assert_eq!(position.legal(), ["meeple none", "meeple road e"]);
    assert_eq!(position.refusal("meeple field nl"), Illegal::FieldsOff);
}

#[test]
fn a_tile_that_fits_nowhere_leaves_the_game_and_the_seat_draws_again() {
    // C2. With the city of the start tile closed there is no city edge for C.
    let position = Position::new("E C V").play("place 0 -1 2; meeple none");
    assert_eq!(position.view().removed[..], [kind("C")]);
    assert_eq!(position.seat_to_decide(), Some(seat(1)));
    assert_eq!(position.view().phase, Phase::PlaceTile { tile: kind("V") });
    let (seat, removed, drawn) = (seat(1), kind("C"), kind("V"));
    let events = &position.events[position.events.len() - 2..];
    let expected = [
        Event::TileRemoved {
            seat,
            tile: removed,
        },
        Event::TileDrawn { seat, tile: drawn },
    ];
    assert_eq!(events, expected);
}

#[test]
fn the_match_ends_when_no_tile_that_is_left_fits() {
    // Ruling C2 applies.
    let position = Position::new("E").play("place 0 -1 2");
    let mut view = position.view();
    for tile in TileKind::all() {
        let left = std::mem::take(&mut view.unseen[tile.index()]);
        if tile == kind("C") {
            view.unseen[tile.index()] = left;
        } else {
            view.removed.extend((0..left).map(|_| tile));
        }
    }
    let mut position = position;
    position.state = resampled(&position.config, &view);
    let position = position.play("meeple field nl");
    assert_eq!(position.seat_to_decide(), None);
    assert_eq!(position.view().phase, Phase::Over);
    assert_eq!(position.view().removed.last(), Some(&kind("C")));
    assert!(position.events.contains(&Event::GameEnded));
    let last = position.events.last().unwrap().to_string();
    assert_eq!(last, "field nl of (0, -1) is scored: seat 0 scores 3");
    let outcome = Carcassonne::outcome(&position.state).unwrap();
    assert_eq!(outcome.seats[0].score, 3);
    let mut list = Vec::new();
    let listed = Carcassonne::legal(&position.state, seat(0), &mut list);
    assert_eq!((listed, list.len()), (LegalList::Complete, 0));
    let decision = "meeple none".parse().unwrap();
    let mut state = position.state;
    let refused = Carcassonne::apply(&mut state, seat(0), &decision, &mut Vec::new());
    assert_eq!(refused, Err(OutOfTurn::Over.into()));
}

#[test]
fn without_drawbridges_the_72_base_tiles_are_in_the_game() {
    let config = Config {
        drawbridges: false,
        ..Config::default()
    };
    let view = Position::with(2, config, "U").view();
    let unseen: u32 = view.unseen.iter().map(|&count| u32::from(count)).sum();
    assert_eq!(unseen + 2, 72);
    assert!(view.unseen[24..].iter().all(|&count| count == 0));
}
