//! Drawbridges in positions that random matches reach rarely or never.

use bridgemaster_games::Rules;
use bridgemaster_games::carcassonne::{Carcassonne, Edge, Event, Phase, TileKind};

use crate::carcassonne::position::{Position, cell, lines, resampled};
use crate::play::seat;

/// Seat 0 has a meeple on the road from the drawbridge of D6 over the start tile, which seat 1
/// completes with A.
fn road_to_a_drawbridge() -> Position {
    Position::new("D6 A").play("place -1 0 0; meeple road e; place 1 0 1")
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
    assert_eq!(position.legal(), ["drawbridge home", "drawbridge 1 0 n", "drawbridge 1 0 s"]);
    let sent = position.play("drawbridge 1 0 s");
    assert_eq!(sent.feature(1, 0, "city s").meeples, [1, 0, 0, 0, 0]);
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
    let down = |seat, road| Event::DrawbridgeDown { seat, cell: cell(1, 0), road, meeples: 1 };
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
