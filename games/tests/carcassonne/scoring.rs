//! Points: every sentence of the rules on completed features, on the end of the match and on ties.

use bridgemaster_games::Seat;
use bridgemaster_games::carcassonne::{Event, FeatureKind};

use crate::position::{Position, lines, seat};

/// The features completed by the last decision: segment, points, seats.
fn scored(position: &Position) -> Vec<(String, u16, Vec<Seat>)> {
    let events = position.events.iter();
    events
        .filter_map(|event| match event {
            Event::Scored {
                segment,
                completed: true,
                points,
                seats,
                ..
            } => Some((segment.to_string(), *points, seats.iter().collect())),
            _ => None,
        })
        .collect()
}

#[test]
fn a_completed_road_gives_one_point_a_tile_and_its_meeple_comes_home() {
    let position = Position::new("A A").play("place -1 0 3; meeple road e; place 1 0 1");
    assert_eq!(position.supply(), [6, 7]);
    let position = position.play("meeple none");
    assert_eq!(scored(&position), [("road w".to_owned(), 3, vec![seat(0)])]);
    assert_eq!(position.points(), [[3, 0, 0], [0; 3]]);
    assert_eq!(position.supply(), [7, 7]);
    assert!(position.view().meeples.is_empty());
}

#[test]
fn a_city_of_two_tiles_gives_two_points_a_tile() {
    // C3. The meeple was placed on the completed city and returns at once.
    let position = Position::new("E").play("place 0 -1 2; meeple city s");
    assert_eq!(scored(&position), [("city s".to_owned(), 4, vec![seat(0)])]);
    assert_eq!(position.points()[0], [0, 4, 0]);
    assert_eq!(position.supply(), [7, 7]);
}

#[test]
fn a_shield_gives_two_points_in_a_completed_city() {
    let position =
        Position::new("M E").play("place 0 -1 2; meeple city e; place 1 -1 3; meeple none");
    assert_eq!(scored(&position), [("city w".to_owned(), 8, vec![seat(0)])]);
}

#[test]
fn a_tile_counts_once_in_a_road_that_comes_back_to_it() {
    let position = Position::new("X V V V").play(
        "place 1 0 0; meeple none; place 2 0 0; meeple road s; place 2 1 1; meeple none; \
         place 1 1 2; meeple none",
    );
    assert_eq!(scored(&position), [("road n".to_owned(), 4, vec![seat(1)])]);
}

#[test]
fn a_monastery_with_its_eight_neighbours_gives_nine_points() {
    let before = Position::new("B U U E E E E E").play(
        "place 0 1 0; meeple monastery; place -1 0 0; meeple none; place 1 0 0; meeple none; \
         place -1 1 3; meeple none; place 1 1 1; meeple none; place 0 2 2; meeple none; \
         place -1 2 3; meeple none",
    );
    assert_eq!(
        before.feature(0, 1, "monastery").kind,
        FeatureKind::Monastery { tiles_around: 7 }
    );
    let position = before.play("place 1 2 1; meeple none");
    assert_eq!(
        scored(&position),
        [("monastery".to_owned(), 9, vec![seat(0)])]
    );
    assert_eq!(position.points()[0], [0, 0, 9]);
    assert_eq!(position.supply(), [7, 7]);
}

#[test]
fn all_seats_with_the_most_meeples_score_in_full() {
    let position = Position::with(3, Default::default(), "U A A")
        .play("place 1 0 0; meeple none; place -1 0 3; meeple none")
        .with_meeples(&[(0, 0, 0, "road e"), (1, 1, 0, "road e")])
        .play("place 2 0 1; meeple none");
    assert_eq!(
        scored(&position),
        [("road w".to_owned(), 4, vec![seat(0), seat(1)])]
    );
    assert_eq!(position.points(), [[4, 0, 0], [4, 0, 0], [0; 3]]);
}

#[test]
fn a_seat_with_fewer_meeples_scores_nothing_and_takes_them_home() {
    let position = Position::new("U A A")
        .play("place 1 0 0; meeple none; place -1 0 3; meeple none")
        .with_meeples(&[
            (0, 0, 0, "road e"),
            (1, 1, 0, "road e"),
            (1, -1, 0, "road e"),
        ])
        .play("place 2 0 1; meeple none");
    assert_eq!(position.points(), [[0; 3], [4, 0, 0]]);
    assert_eq!(position.supply(), [7, 7]);
}

#[test]
fn a_feature_completed_without_meeples_gives_nobody_points() {
    let position = Position::new("E").play("place 0 -1 2; meeple none");
    assert_eq!(scored(&position), [("city s".to_owned(), 4, vec![])]);
    assert_eq!(position.points(), [[0; 3]; 2]);
}

#[test]
fn an_open_road_gives_one_point_a_tile_at_the_end() {
    let outcome = Position::new("U")
        .play("place 1 0 0; meeple road e")
        .ended();
    assert_eq!(lines(&outcome, 0), [("open_roads", 2)]);
    assert_eq!(lines(&outcome, 1), []);
}

#[test]
fn an_open_city_gives_one_point_a_tile_and_a_shield_at_the_end() {
    let outcome = Position::new("M")
        .play("place 0 -1 2; meeple city e")
        .ended();
    assert_eq!(lines(&outcome, 0), [("open_cities", 3)]);
}

#[test]
fn an_open_monastery_gives_one_point_and_one_a_neighbour_at_the_end() {
    let outcome =
        Position::new("B U").play("place 0 1 0; meeple monastery; place 1 0 0; meeple none");
    assert_eq!(lines(&outcome.ended(), 0), [("open_monasteries", 3)]);
}

#[test]
fn a_field_gives_three_points_for_each_completed_city_that_it_touches() {
    let position = Position::new("E").play("place 0 -1 2; meeple none");
    let north = position.clone().with_meeples(&[(0, 0, 0, "field el")]);
    assert_eq!(lines(&north.ended(), 0), [("fields", 3)]);
    let south = position.clone().with_meeples(&[(0, 0, 0, "field er")]);
    assert_eq!(lines(&south.ended(), 0), []);
    // The city counts for each field that touches it.
    let both = position.with_meeples(&[(0, 0, 0, "field el"), (0, 0, -1, "field nl")]);
    assert_eq!(lines(&both.ended(), 0), [("fields", 6)]);
}

#[test]
fn a_field_that_touches_a_city_in_several_places_counts_it_once() {
    // V joins the field of E to the north field of the start tile.
    let position = Position::new("E U V")
        .play("place 0 -1 2; meeple none; place 1 0 0; meeple none; place 1 -1 2; meeple none");
    assert_eq!(
        position.feature(0, 0, "field el").id,
        position.feature(0, -1, "field nl").id
    );
    let tied = position
        .clone()
        .with_meeples(&[(0, 0, 0, "field el"), (1, 0, -1, "field nl")])
        .ended();
    assert_eq!(lines(&tied, 0), [("fields", 3)]);
    assert_eq!(lines(&tied, 1), [("fields", 3)]);
    let outnumbered = position
        .with_meeples(&[
            (0, 0, 0, "field el"),
            (0, 1, 0, "field nl"),
            (1, 0, -1, "field nl"),
        ])
        .ended();
    assert_eq!(lines(&outnumbered, 0), [("fields", 3)]);
    assert_eq!(lines(&outnumbered, 1), []);
}

#[test]
fn an_open_city_gives_a_field_nothing() {
    let outcome = Position::new("M")
        .play("place 0 -1 2; meeple none")
        .with_meeples(&[(0, 0, 0, "field el")])
        .ended();
    assert_eq!(lines(&outcome, 0), []);
}

#[test]
fn equal_points_share_a_place_and_the_next_is_skipped() {
    let outcome = Position::with(4, Default::default(), "U")
        .play("place 1 0 0; meeple none")
        .with_meeples(&[(2, 0, 0, "road e"), (1, 1, 0, "road e")])
        .ended();
    let places: Vec<u8> = outcome.seats.iter().map(|seat| seat.place).collect();
    assert_eq!(places, [3, 1, 1, 3]);
    let scores: Vec<i32> = outcome.seats.iter().map(|seat| seat.score).collect();
    assert_eq!(scores, [0, 2, 2, 0]);
}

#[test]
fn the_scores_if_the_match_ended_now_are_those_of_the_outcome() {
    let position = Position::new("M E B").play(
        "place 0 -1 2; meeple city e; place 1 -1 3; meeple field nl; place 0 1 0; meeple monastery",
    );
    let now: Vec<i32> = position
        .state
        .scores_if_ended()
        .into_iter()
        .map(i32::from)
        .collect();
    let then: Vec<i32> = position
        .ended()
        .seats
        .iter()
        .map(|seat| seat.score)
        .collect();
    assert_eq!(now, [8 + 2, 3]);
    assert_eq!(now, then);
}
