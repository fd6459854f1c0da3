//! Decisions that are refused, each with its reason. The recount covers all that is legal.

use bridgemaster_games::carcassonne::{
    Carcassonne, Config, Edge, Illegal, Phase, Rotation, Segment, TileKind,
};
use bridgemaster_games::{Game, LegalList, OutOfTurn, Rules};

use crate::carcassonne::position::{Position, cell, gate, half, kind, resampled, segment};
use crate::play::seat;

fn rotation(quarter_turns: u8) -> Rotation {
    Rotation::new(quarter_turns).unwrap()
}

fn wrong_kind(given: &'static str, expected: &'static str) -> Illegal {
    Illegal::OutOfTurn(OutOfTurn::WrongKind { given, expected })
}

fn check(position: &Position, cases: &[(&str, Illegal)]) {
    for (decision, expected) in cases {
        assert_eq!(position.refusal(decision), *expected, "{decision}");
    }
}

#[test]
fn a_placement_is_refused_with_its_reason() {
    let mut position = Position::new("U");
    for (x, y) in [(0, 0), (1, 1), (5, -5), (127, -128)] {
        let refusal = position.refusal(&format!("place {x} {y} 0"));
        assert_eq!(refusal, Illegal::CellClosed { cell: cell(x, y) });
    }
    let mismatch =
        Illegal::EdgeMismatch { tile: kind("U"), rotation: rotation(1), edge: Edge::West };
    let repeated = Illegal::RotationRepeated { tile: kind("U"), first: rotation(0) };
    let cases = [
        ("place 1 0 1", mismatch),
        ("place 1 0 2", repeated),
        ("meeple none", wrong_kind("meeple", "place")),
        ("drawbridge home", wrong_kind("drawbridge", "place")),
    ];
    check(&position, &cases);
    let decision = "place 1 0 0".parse().unwrap();
    let refused = Carcassonne::apply(&mut position.state, seat(1), &decision, &mut Vec::new());
    assert_eq!(
        refused.unwrap_err().to_string(),
        "seat: not your turn, seat 1 owes no decision; expected: seat 0"
    );
}

#[test]
fn a_meeple_is_refused_with_its_reason() {
    let position = Position::new("A").play("place -1 0 3");
    let cases = [
        ("place 2 0 0", wrong_kind("place", "meeple")),
        ("meeple city n", Illegal::NoSuchSegment(segment("city n"))),
        // Only the first half-edge names the field.
        ("meeple field nr", Illegal::NoSuchSegment(Segment::Field(half("nr")))),
    ];
    check(&position, &cases);

    let position = Position::new("U U").play("place 1 0 0; meeple road e; place -1 0 0");
    let occupied = Illegal::Occupied(segment("road e"));
    check(&position, &[("meeple road e", occupied)]);

    let position = Position::new("V V V V X").play(
        "place 0 1 0; meeple none; place 1 1 2; meeple none; place 2 1 1; meeple none; \
         place 2 0 0; meeple none; place 1 0 0",
    );
    let not_first =
        |given, first| Illegal::SegmentNotFirst { given: segment(given), first: segment(first) };
    let cases = [
        ("meeple road s", not_first("road s", "road e")),
        ("meeple field sr", not_first("field sr", "field nr")),
    ];
    check(&position, &cases);

    let config = Config { fields: false, ..Config::default() };
    let position = Position::with(2, config, "U").play("place 1 0 0");
    check(&position, &[("meeple field nl", Illegal::FieldsOff)]);
}

#[test]
fn a_seat_without_meeples_is_asked_with_one_legal_answer() {
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
    assert_eq!(position.legal(), ["meeple none"]);
    check(&position, &[("meeple road e", Illegal::SupplyEmpty)]);
}

#[test]
fn a_gate_is_refused_with_its_reason() {
    let waiting =
        Position::new("D6 A").play("place -1 0 0; meeple road e; place 1 0 1; meeple none");
    let none = |x, y, city| Illegal::NoSuchGate { gate: gate(x, y, city) };
    let cases = [
        ("drawbridge 0 0 n", none(0, 0, Edge::North)),
        ("drawbridge -1 0 e", none(-1, 0, Edge::East)),
        ("drawbridge 9 9 n", none(9, 9, Edge::North)),
        ("meeple none", wrong_kind("meeple", "drawbridge")),
    ];
    check(&waiting, &cases);

    let position = Position::new("D6 N C N D7").play(
        "place -1 0 0; meeple road e; place -1 -1 2; meeple none; place 0 -1 0; meeple none; \
         place 1 -1 3; meeple none; place 1 0 0; meeple none",
    );
    let not_first = Illegal::GateNotFirst(gate(-1, 0, Edge::North));
    check(&position, &[("drawbridge 1 0 n", not_first)]);
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
