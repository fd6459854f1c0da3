//! Checks for an observation that came from outside. The checks cover all assumptions of the rules.

use super::Carcassonne;
use super::components::{MEEPLES, TILE_KINDS, TileKind};
use super::config::Config;
use super::frontier::OpenIndex;
use super::map::Map;
use super::observation::{LaidTile, MAX_POINTS, Observation};
use super::setup::drawn_counts;
use crate::field_error::{check_at_table, check_range, require};
use crate::{FieldError, SeatCount, sample::check_table};

/// The result of a check.
type Checked = Result<(), FieldError>;

/// Checks the table and each seat's supply. Returns the number of seats.
pub(super) fn check_seats(observation: &Observation) -> Result<SeatCount, FieldError> {
    let seats = check_table::<Carcassonne>(observation.seats.len(), observation.viewer)?;
    check_at_table(seats, observation.turn, "turn")?;
    for (i, view) in observation.seats.iter().enumerate() {
        let few = view.points.each().into_iter().max() <= Some(MAX_POINTS);
        let problem = "exceed the maximum points of a match";
        require(format_args!("seats[{i}].points"), few, problem)?;
    }
    for (i, meeple) in observation.meeples.iter().enumerate() {
        check_at_table(seats, meeple.seat, format_args!("meeples[{i}].seat"))?;
    }
    for (i, crossing) in observation.phase.crossings().iter().enumerate() {
        check_at_table(seats, crossing.seat, format_args!("phase.crossings[{i}].seat"))?;
        let field = format_args!("phase.crossings[{i}].meeples");
        check_range(field, crossing.meeples, 1..=MEEPLES)?;
    }
    for (seat, view) in seats.seats().zip(&observation.seats) {
        let on_table = observation.meeples.iter();
        let on_table = on_table.filter(|meeple| meeple.seat == seat).count();
        let waiting = observation.phase.crossings().iter();
        let waiting = waiting.filter(|crossing| crossing.seat == seat);
        let waiting: usize = waiting.map(|crossing| usize::from(crossing.meeples)).sum();
        let all = usize::from(view.supply) + on_table + waiting;
        let field = format_args!("seats[{seat}].supply");
        let problem = "must be seven with meeples on the table and in crossings";
        require(field, all == usize::from(MEEPLES), problem)?;
    }
    Ok(seats)
}

/// Checks that each kind of tile occurs exactly as often as in the match, and that the start tile
/// is first.
pub(super) fn check_tiles(config: &Config, observation: &Observation) -> Checked {
    let mut found = observation.unseen.map(u16::from);
    observation.seen().for_each(|tile| found[tile.index()] += 1);
    let mut all: [u8; TILE_KINDS] = drawn_counts(config);
    all[TileKind::START.index()] += 1;
    for tile in TileKind::all() {
        let (found, all) = (found[tile.index()], all[tile.index()]);
        let field = format_args!("unseen[{}]", tile.number());
        let problem = format_args!("the observation has {found} tiles of kind {tile}, not {all}");
        require(field, found == u16::from(all), problem)?;
    }
    let first = observation.tiles.first() == Some(&LaidTile::START);
    require("tiles[0]", first, "is not the start tile")
}

/// Places the tiles after the start tile in order, and checks that each tile fits when it is
/// placed. The tiles' kinds must already have been checked.
pub(super) fn lay_tiles(config: &Config, observation: &Observation, map: &mut Map) -> Checked {
    for (i, &LaidTile { tile, placement }) in observation.tiles.iter().enumerate().skip(1) {
        let shape = config.edition.shape(tile);
        let fits = |place: &OpenIndex| {
            let demand = map.frontier.at(*place).demand;
            shape.fitting(demand).contains(placement.rotation)
        };
        let Some(place) = map.frontier.find(placement.cell).filter(fits) else {
            let problem = "does not fit in its cell, or has a rotation equivalent to a smaller one";
            return FieldError::refuse(format!("tiles[{i}]"), problem);
        };
        map.lay(&config.edition, tile, placement.rotation, place);
    }
    Ok(())
}

/// Places the meeples on the map.
pub(super) fn place_meeples(config: &Config, observation: &Observation, map: &mut Map) -> Checked {
    for (i, meeple) in observation.meeples.iter().enumerate() {
        let field = |name: &str| format!("meeples[{i}].{name}");
        let segment = meeple.segment;
        let Some(tile) = map.tile_in(meeple.cell) else {
            return FieldError::refuse(field("cell"), "has no tile");
        };
        if map.feature(&config.edition, tile, segment).is_none() {
            return FieldError::refuse(field("segment"), format!("the tile has no {segment}"));
        }
        map.add_meeple(&config.edition, tile, segment, meeple.seat);
    }
    Ok(())
}
