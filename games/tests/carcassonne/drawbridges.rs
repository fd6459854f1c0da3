//! The drawbridges: every sentence of the mini expansion, and the rulings on it.

use bridgemaster_games::carcassonne::{
    Carcassonne, Crossing, Edge, Event, Illegal, Phase, TileKind,
};
use bridgemaster_games::{OutOfTurn, Rules};

use crate::position::{Position, cell, gate, kind, lines, resampled, seat, segment};

/// Seat 0 has a meeple on the road from the drawbridge of D6 over the start tile, which seat 1
/// completes with A.
fn road_to_a_drawbridge() -> Position {
    Position::new("D6 A").play("place -1 0 0; meeple road e; place 1 0 1")
}

fn names(position: &Position) -> Vec<(u8, i8, i8, String)> {
    let meeples = position.view().meeples;
    meeples
        .iter()
        .map(|meeple| {
            let (cell, seat) = (meeple.cell, meeple.seat.number());
            (seat, cell.x, cell.y, meeple.segment.to_string())
        })
        .collect()
}

#[test]
fn the_road_is_scored_first_and_then_its_meeple_may_go_into_the_city() {
    let position = road_to_a_drawbridge().play("meeple none");
    assert_eq!(position.points()[0], [3, 0, 0]);
    assert_eq!(position.legal(), ["drawbridge home", "drawbridge -1 0 n"]);
    let sent = position.play("drawbridge -1 0 n");
    // Ruling C6 applies.
    assert_eq!(names(&sent), [(0, -1, 0, "city n".to_owned())]);
    assert_eq!(sent.supply(), [6, 7]);
    assert_eq!(
        sent.events[0],
        Event::MeepleSent {
            seat: seat(0),
            gate: gate(-1, 0, Edge::North),
        }
    );
}

#[test]
fn the_meeple_may_be_taken_home_instead() {
    let position = road_to_a_drawbridge().play("meeple none; drawbridge home");
    assert_eq!(names(&position), []);
    assert_eq!(position.supply(), [7, 7]);
    assert_eq!(position.events[0], Event::MeepleTakenHome { seat: seat(0) });
}

#[test]
fn it_does_not_matter_who_completed_the_road() {
    let position = road_to_a_drawbridge().play("meeple none");
    assert_eq!(position.view().turn, seat(1));
    assert_eq!(position.seat_to_decide(), Some(seat(0)));
    // After the decision, the next turn is that of the seat after the one that placed the tile.
    assert_eq!(
        position.play("drawbridge home").seat_to_decide(),
        Some(seat(0))
    );
}

#[test]
fn the_next_tile_is_drawn_after_all_decisions() {
    let is_drawn = |event: &Event| matches!(event, Event::TileDrawn { .. });
    let position = road_to_a_drawbridge().play("meeple none");
    assert!(!position.events.iter().any(is_drawn));
    let position = position.play("drawbridge home");
    assert!(position.events.last().is_some_and(is_drawn));
}

#[test]
fn waiting_meeples_are_neither_on_the_table_nor_in_the_supply() {
    let position = road_to_a_drawbridge().play("meeple none");
    assert_eq!(names(&position), []);
    assert_eq!(position.supply(), [6, 7]);
    let crossing = Crossing {
        road: Edge::West,
        seat: seat(0),
        meeples: 1,
    };
    let Phase::Drawbridge { crossings } = position.view().phase else {
        panic!("a meeple waits at the drawbridge");
    };
    assert_eq!(crossings[..], [crossing]);
}

#[test]
fn the_drawbridge_is_up_once_the_city_is_complete() {
    let position = Position::new("D6 E A")
        .play("place -1 0 0; meeple road e; place -1 -1 2; meeple none; place 1 0 1; meeple none");
    assert_eq!(position.points()[0], [3, 0, 0]);
    assert_eq!(position.view().phase, Phase::PlaceTile { tile: kind("A") });
    assert_eq!(position.supply(), [7, 7]);
}

#[test]
fn a_city_completed_by_the_same_tile_is_complete() {
    let position = Position::new("A E E D6").play(
        "place 1 0 1; meeple road w; place 0 -1 2; meeple none; place -1 -1 2; meeple none; \
         place -1 0 0; meeple none",
    );
    let completed = |event: &Event| {
        matches!(
            event,
            Event::Scored {
                completed: true,
                ..
            }
        )
    };
    let scored = position.events.iter().filter(|event| completed(event));
    assert_eq!(scored.count(), 2);
    assert_eq!(position.points()[0], [3, 0, 0]);
    assert!(matches!(position.view().phase, Phase::PlaceTile { .. }));
}

#[test]
fn it_does_not_matter_who_is_in_the_city() {
    let position = Position::new("D6 A")
        .play("place -1 0 0; meeple none")
        .with_meeples(&[(0, 0, 0, "road e"), (1, -1, 0, "city n")])
        .play("place 1 0 1; meeple none; drawbridge -1 0 n");
    let city = "city n".to_owned();
    assert_eq!(
        names(&position),
        [(0, -1, 0, city.clone()), (1, -1, 0, city)]
    );
    assert_eq!(position.feature(-1, 0, "city n").meeples, [1, 1, 0, 0, 0]);
}

#[test]
fn a_sent_meeple_counts_for_the_majority_in_the_city() {
    let position = Position::new("D6 A E")
        .play("place -1 0 0; meeple road e; place 1 0 1; meeple none; drawbridge -1 0 n")
        .play("place -1 -1 2; meeple none");
    assert_eq!(position.points()[0], [3, 4, 0]);
    assert_eq!(position.supply(), [7, 7]);
}

/// D6 and D7 at both ends of the road over the start tile, which seat 1 completes with D7.
fn road_between_drawbridges(meeples: &[(u8, i8, i8, &str)]) -> Position {
    Position::new("D6 D7")
        .play("place -1 0 0; meeple none")
        .with_meeples(meeples)
        .play("place 1 0 0; meeple none")
}

#[test]
fn of_several_drawbridges_the_seat_chooses_one() {
    let position = road_between_drawbridges(&[(0, 0, 0, "road e")]);
    assert_eq!(
        position.legal(),
        ["drawbridge home", "drawbridge -1 0 n", "drawbridge 1 0 n"]
    );
    let sent = position.play("drawbridge 1 0 n");
    assert_eq!(names(&sent), [(0, 1, 0, "city n".to_owned())]);
}

#[test]
fn of_several_meeples_each_is_decided_by_itself() {
    // Ruling C4 applies.
    let position = road_between_drawbridges(&[(0, -1, 0, "road e"), (0, 0, 0, "road e")]);
    assert_eq!(position.supply(), [5, 7]);
    let city = "city n".to_owned();
    for (decisions, expected, supply) in [
        ("drawbridge home; drawbridge home", vec![], 7),
        (
            "drawbridge home; drawbridge 1 0 n",
            vec![(0, 1, 0, city.clone())],
            6,
        ),
        (
            "drawbridge 1 0 n; drawbridge -1 0 n",
            vec![(0, -1, 0, city.clone()), (0, 1, 0, city.clone())],
            5,
        ),
        (
            "drawbridge -1 0 n; drawbridge -1 0 n",
            vec![(0, -1, 0, city.clone()), (0, -1, 0, city)],
            5,
        ),
    ] {
        let position = position.clone().play(decisions);
        assert_eq!(names(&position), expected, "{decisions}");
        assert_eq!(position.supply()[0], supply);
        assert!(matches!(position.view().phase, Phase::PlaceTile { .. }));
    }
}

#[test]
fn a_shared_majority_moves_nobody() {
    let position = road_between_drawbridges(&[(0, -1, 0, "road e"), (1, 0, 0, "road e")]);
    assert_eq!(position.points(), [[3, 0, 0], [3, 0, 0]]);
    assert_eq!(position.supply(), [7, 7]);
    assert!(matches!(position.view().phase, Phase::PlaceTile { .. }));
}

#[test]
fn only_the_seat_with_the_most_meeples_moves_any() {
    let position = Position::new("D6 U D7")
        .play("place -1 0 0; meeple none; place 1 0 0; meeple none")
        .with_meeples(&[
            (1, -1, 0, "road e"),
            (1, 0, 0, "road e"),
            (0, 1, 0, "road e"),
        ])
        .play("place 2 0 0; meeple none");
    assert_eq!(position.seat_to_decide(), Some(seat(1)));
    assert_eq!(position.points(), [[0; 3], [4, 0, 0]]);
    assert_eq!(position.supply(), [7, 5]);
}

#[test]
fn two_gates_of_one_city_are_one_choice_named_by_the_first() {
    let position = Position::new("D6 N C N D7").play(
        "place -1 0 0; meeple road e; place -1 -1 2; meeple none; place 0 -1 0; meeple none; \
         place 1 -1 3; meeple none; place 1 0 0; meeple none",
    );
    assert_eq!(position.legal(), ["drawbridge home", "drawbridge -1 0 n"]);
    assert_eq!(
        position.refusal("drawbridge 1 0 n"),
        Illegal::GateNotFirst(gate(-1, 0, Edge::North))
    );
}

#[test]
fn two_gates_of_one_tile_to_two_cities_are_two_choices() {
    // The road leaves D9 to the east and comes back to its west edge over the start tile.
    let position = Position::new("D9 V U V U U V U V").play(
        "place 1 0 0; meeple road e; place 2 0 0; meeple none; place 2 1 1; meeple none; \
         place 2 2 1; meeple none; place 1 2 0; meeple none; place 0 2 0; meeple none; \
         place -1 2 2; meeple none; place -1 1 1; meeple none; place -1 0 3; meeple none",
    );
    // D9 counts once, although the road starts and ends there.
    assert_eq!(position.points()[0], [10, 0, 0]);
    assert_eq!(
        position.legal(),
        ["drawbridge home", "drawbridge 1 0 n", "drawbridge 1 0 s"]
    );
    let sent = position.play("drawbridge 1 0 s");
    assert_eq!(names(&sent), [(0, 1, 0, "city s".to_owned())]);
}

#[test]
fn a_way_that_is_none_is_refused() {
    let position = road_to_a_drawbridge().play("meeple none");
    for (text, named) in [
        ("drawbridge 0 0 n", gate(0, 0, Edge::North)),
        ("drawbridge -1 0 e", gate(-1, 0, Edge::East)),
        ("drawbridge 9 9 n", gate(9, 9, Edge::North)),
    ] {
        assert_eq!(position.refusal(text), Illegal::NoSuchGate { gate: named });
    }
    assert!(matches!(
        position.refusal("meeple none"),
        Illegal::OutOfTurn(OutOfTurn::WrongKind {
            expected: "drawbridge",
            ..
        })
    ));
}

#[test]
fn the_gates_of_base_tiles_have_no_drawbridge() {
    let position =
        Position::new("T A").play("place -1 0 3; meeple road e; place 1 0 1; meeple none");
    assert_eq!(position.points()[0], [3, 0, 0]);
    assert!(matches!(position.view().phase, Phase::PlaceTile { .. }));
}

/// W completes the roads to its east and to its west, and meeples of both may move.
pub(crate) fn crossings_of_two_roads() -> Position {
    Position::new("D6 E E N D7 W")
        .play(
            "place -1 0 0; meeple none; place 0 -1 2; meeple none; place 1 -1 0; meeple none; \
             place 2 -1 2; meeple none; place 2 0 0; meeple none",
        )
        .with_meeples(&[(0, -1, 0, "road e"), (1, 2, 0, "road w")])
        .play("place 1 0 0; meeple none")
}

#[test]
fn several_roads_are_taken_in_the_order_of_the_edges_as_the_tile_lies() {
    // Ruling C5 applies.
    let position = crossings_of_two_roads();
    let events: Vec<&Event> = position.events.iter().collect();
    let down = |seat, road| Event::DrawbridgeDown {
        seat,
        cell: cell(1, 0),
        road,
        meeples: 1,
    };
    // All scoring precedes the first move of a meeple.
    assert_eq!(
        events[events.len() - 2..],
        [&down(seat(1), Edge::East), &down(seat(0), Edge::West)]
    );
    assert_eq!(position.seat_to_decide(), Some(seat(1)));
    assert_eq!(position.legal(), ["drawbridge home", "drawbridge 2 0 n"]);
    let position = position.play("drawbridge 2 0 n");
    assert_eq!(position.seat_to_decide(), Some(seat(0)));
    assert_eq!(position.legal(), ["drawbridge home", "drawbridge -1 0 n"]);
    let position = position.play("drawbridge home");
    assert!(matches!(position.view().phase, Phase::PlaceTile { .. }));
}

#[test]
fn an_open_road_moves_nobody_at_the_end() {
    let position = Position::new("D6").play("place -1 0 0; meeple road e");
    let meeple = (0, -1, 0, "road e".to_owned());
    assert_eq!(names(&position), [meeple]);
    let score: Vec<i32> = position
        .ended()
        .seats
        .iter()
        .map(|seat| seat.score)
        .collect();
    assert_eq!(score, [2, 0]);
}

#[test]
fn after_the_last_tile_a_meeple_may_still_go_into_the_city_and_score_it() {
    let mut position = road_to_a_drawbridge();
    let mut view = position.view();
    for tile in TileKind::all() {
        let left = std::mem::take(&mut view.unseen[tile.index()]);
        view.removed.extend((0..left).map(|_| tile));
    }
    position.state = resampled(&position.config, &view);
    let waiting = position.play("meeple none");
    assert_eq!(waiting.legal(), ["drawbridge home", "drawbridge -1 0 n"]);
    for (decision, expected) in [
        ("drawbridge home", &[("roads", 3)][..]),
        ("drawbridge -1 0 n", &[("roads", 3), ("open_cities", 1)]),
    ] {
        let position = waiting.clone().play(decision);
        assert_eq!(position.view().phase, Phase::Over);
        let outcome = Carcassonne::outcome(&position.state).unwrap();
        assert_eq!(lines(&outcome, 0), expected, "{decision}");
    }
}

#[test]
fn a_drawbridge_tile_is_laid_and_takes_a_meeple_like_any_other() {
    let position = Position::new("D6").play("place -1 0 0");
    assert_eq!(
        position.legal(),
        [
            "meeple none",
            "meeple road e",
            "meeple city n",
            "meeple field el",
            "meeple field er",
        ]
    );
    let city = segment("city n");
    assert!(position.state.feature(cell(-1, 0), city).is_some());
}
