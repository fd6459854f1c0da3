//! The text view: everything that people must see, within the width of a terminal.

use bridgemaster_games::Show;
use bridgemaster_games::carcassonne::{
    Carcassonne, Cell, Crossing, Edge, LaidTile, Meeple, Observation, Phase, Placement, Rotation,
    TileKind,
};

use crate::carcassonne::position::{Position, kind, segment};
use crate::play::seat;

fn rendered(position: &Position, view: &Observation) -> String {
    let mut text = String::new();
    Carcassonne::render(&position.config, view, &mut text).unwrap();
    text
}

#[test]
fn the_first_line_names_the_seat_and_its_decision() {
    let position = Position::new("D6 A").play("place -1 0 0; meeple road e; place 1 0 1");
    let first = |position: &Position| {
        let text = rendered(position, &position.view());
        text.lines().next().unwrap().to_owned()
    };
    assert_eq!(first(&position), "tile 2 of 83: seat 1 may place a meeple on A at (1, 0)");
    assert_eq!(
        first(&position.play("meeple none")),
        "tile 2 of 83: seat 0 at the drawbridge with 1 of road w"
    );
    let mut over = Position::new("U");
    let mut view = over.view();
    view.phase = Phase::Over;
    let text = rendered(&over, &view);
    assert!(text.contains(": the match is over\n"), "{text}");
    over = over.play("place 1 0 0");
    assert!(first(&over).ends_with("on U at (1, 0)"));
}

#[test]
fn the_widest_map_and_all_kinds_of_tile_stay_within_100_columns() {
    let position = Position::new("U");
    let mut view = position.view();
    view.tiles = (-83..=0)
        .map(|x| LaidTile {
            tile: kind("U"),
            placement: Placement { cell: Cell { x, y: 83 }, rotation: Rotation::default() },
        })
        .collect();
    view.unseen = [9; 36];
    view.removed = TileKind::all().chain(TileKind::all()).collect();
    let crossing = |road| Crossing { road, seat: seat(1), meeples: 7 };
    let crossings = Edge::ALL.map(crossing).into_iter().collect();
    view.phase = Phase::Drawbridge { crossings };
    let meeple =
        |name| Meeple { seat: seat(1), cell: Cell { x: -83, y: -83 }, segment: segment(name) };
    view.meeples = ["monastery"; 35].map(meeple).into_iter().collect();
    let text = rendered(&position, &view);
    let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 100, "{widest} columns in\n{text}");
    // Every tile is in one of the blocks.
    assert_eq!(text.matches("-+-").count(), 84, "{text}");
}
