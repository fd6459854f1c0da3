//! Checks of an observation from outside: what the rules rely on.

use super::Carcassonne;
use super::components::{MEEPLES, TILE_KINDS, TileKind};
use super::config::Config;
use super::frontier::OpenPlace;
use super::map::Map;
use super::observation::{LaidTile, MAX_POINTS, Observation};
use super::setup::drawn_counts;
use crate::field_error::{check_at_table, check_range, holds, require};
use crate::{FieldError, SeatCount, sample::check_table};

/// Nothing, or what is wrong.
type Checked = Result<(), FieldError>;

/// Checks who is at the table, and what seats have. Returns the number of seats.
pub(super) fn check_seats(observation: &Observation) -> Result<SeatCount, FieldError> {
    let seats = check_table::<Carcassonne>(observation.seats.len(), observation.viewer)?;
    check_at_table(seats, observation.turn, "turn")?;
    for (i, view) in observation.seats.iter().enumerate() {
        let few = view.points.each().into_iter().max() <= Some(MAX_POINTS);
        let field = || format!("seats[{i}].points");
        require(few, field, "are more than a match can bring")?;
    }
    for (i, meeple) in observation.meeples.iter().enumerate() {
        check_at_table(seats, meeple.seat, &format!("meeples[{i}].seat"))?;
    }
    for (i, crossing) in observation.phase.crossings().iter().enumerate() {
        check_at_table(seats, crossing.seat, &format!("phase.crossings[{i}].seat"))?;
        let field = format!("phase.crossings[{i}].meeples");
        check_range(&field, crossing.meeples, 1..=MEEPLES)?;
    }
    for (seat, view) in seats.seats().zip(&observation.seats) {
        let standing = observation.meeples.iter();
        let standing = standing.filter(|meeple| meeple.seat == seat).count();
        let waiting = observation.phase.crossings().iter();
        let waiting = waiting.filter(|crossing| crossing.seat == seat);
        let waiting: usize = waiting.map(|crossing| usize::from(crossing.meeples)).sum();
        let all = usize::from(view.supply) + standing + waiting;
        let field = || format!("seats[{seat}].supply");
        let problem = "does not make seven meeples of the seat in all";
        require(all == usize::from(MEEPLES), field, problem)?;
    }
    Ok(seats)
}

/// Checks that no tile is missing or there too often, and that the start tile lies first.
pub(super) fn check_tiles(config: &Config, observation: &Observation) -> Checked {
    let mut found = observation.unseen.map(u16::from);
    observation.seen().for_each(|tile| found[tile.index()] += 1);
    let mut all: [u8; TILE_KINDS] = drawn_counts(config);
    all[TileKind::START.index()] += 1;
    for tile in TileKind::all() {
        let (found, all) = (found[tile.index()], all[tile.index()]);
        if found != u16::from(all) {
            let problem = format!("the observation has {found} tiles of kind {tile}, not {all}");
            return FieldError::refuse(format!("unseen[{}]", tile.index()), problem);
        }
    }
    let first = observation.tiles.first() == Some(&LaidTile::START);
    holds("tiles[0]", first, "is not the start tile")
}

/// Lays the tiles after the start tile, each of which must have fitted in its turn. They must have
/// been checked.
pub(super) fn lay_tiles(config: &Config, observation: &Observation, map: &mut Map) -> Checked {
    for (i, &LaidTile { tile, placement }) in observation.tiles.iter().enumerate().skip(1) {
        let shape = config.edition.shape(tile);
        let fits = |place: &OpenPlace| {
            let demand = map.frontier.at(*place).demand;
            shape.fitting(demand).contains(placement.rotation)
        };
        let Some(place) = map.frontier.find(placement.cell).filter(fits) else {
            let problem =
                "does not fit where it lies, or lies in a rotation that looks like a smaller";
            return FieldError::refuse(format!("tiles[{i}]"), problem);
        };
        map.lay(&config.edition, tile, placement.rotation, place);
    }
    Ok(())
}

/// Puts the meeples onto the map.
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
