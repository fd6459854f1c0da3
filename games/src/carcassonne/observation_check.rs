//! Checks of an observation from outside: what the rules rely on.

use super::Carcassonne;
use super::components::{MAX_PLAYERS, MEEPLES, TILE_KINDS, TileKind};
use super::config::Config;
use super::decision::Placement;
use super::map::Map;
use super::observation::{Crossing, LaidTile, MAX_POINTS, Meeple, Observation, Phase, Points};
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
        let Points {
            roads,
            cities,
            monasteries,
        } = view.points;
        let most = roads.max(cities).max(monasteries);
        let field = || format!("seats[{i}].points");
        require(most <= MAX_POINTS, field, "are more than a match can bring")?;
    }
    for (i, meeple) in observation.meeples.iter().enumerate() {
        check_at_table(seats, meeple.seat, &format!("meeples[{i}].seat"))?;
    }
    for (i, crossing) in crossings(observation).iter().enumerate() {
        check_at_table(seats, crossing.seat, &format!("phase.crossings[{i}].seat"))?;
        let field = format!("phase.crossings[{i}].meeples");
        check_range(&field, crossing.meeples, 1..=MEEPLES)?;
    }
    check_supply(observation)?;
    Ok(seats)
}

fn crossings(observation: &Observation) -> &[Crossing] {
    match &observation.phase {
        Phase::Drawbridge { crossings } => crossings,
        _ => &[],
    }
}

/// Each seat has seven meeples in all.
fn check_supply(observation: &Observation) -> Checked {
    let mut all = [0u16; MAX_PLAYERS];
    for meeple in &observation.meeples {
        all[meeple.seat.index()] += 1;
    }
    for crossing in crossings(observation) {
        all[crossing.seat.index()] += u16::from(crossing.meeples);
    }
    for (i, view) in observation.seats.iter().enumerate() {
        let seven = all[i] + u16::from(view.supply) == u16::from(MEEPLES);
        let field = || format!("seats[{i}].supply");
        let problem = "does not make seven meeples of the seat in all";
        require(seven, field, problem)?;
    }
    Ok(())
}

/// Checks that no tile is missing or there too often.
pub(super) fn check_counts(config: &Config, observation: &Observation) -> Checked {
    let mut found = observation.unseen.map(u16::from);
    let mut count = |tile: TileKind| found[tile.index()] += 1;
    let laid = observation.tiles.iter().map(|laid| laid.tile);
    laid.for_each(&mut count);
    observation.removed.iter().copied().for_each(&mut count);
    if let Phase::PlaceTile { tile } = observation.phase {
        count(tile);
    }
    let mut all: [u8; TILE_KINDS] = drawn_counts(config);
    all[TileKind::START.index()] += 1;
    for tile in TileKind::all() {
        let (found, all) = (found[tile.index()], all[tile.index()]);
        if found != u16::from(all) {
            let problem = format!("the observation has {found} tiles of kind {tile}, not {all}");
            return FieldError::refuse(format!("unseen[{}]", tile.index()), problem);
        }
    }
    Ok(())
}

/// Lays the tiles, each of which must have fitted in its turn. The counts must have been checked.
pub(super) fn lay_tiles(config: &Config, observation: &Observation) -> Result<Map, FieldError> {
    let start = LaidTile {
        tile: TileKind::START,
        placement: Placement::default(),
    };
    let first = observation.tiles.first() == Some(&start);
    holds("tiles[0]", first, "is not the start tile")?;
    let mut map = Map::new(&config.edition);
    for (i, laid) in observation.tiles.iter().enumerate().skip(1) {
        let LaidTile { tile, placement } = *laid;
        let shape = config.edition.shape(tile);
        let place = map.frontier().find(placement.cell);
        let place = place.filter(|&place| {
            let demand = map.frontier().at(place).demand;
            shape.fitting(demand).contains(placement.rotation)
        });
        let Some(place) = place else {
            let problem =
                "does not fit where it lies, or lies in a rotation that looks like a smaller";
            return FieldError::refuse(format!("tiles[{i}]"), problem);
        };
        map.lay(&config.edition, tile, placement.rotation, place);
    }
    Ok(map)
}

/// Puts the meeples onto the map.
pub(super) fn place_meeples(config: &Config, observation: &Observation, map: &mut Map) -> Checked {
    for (i, meeple) in observation.meeples.iter().enumerate() {
        let field = |name: &str| format!("meeples[{i}].{name}");
        let Meeple {
            seat,
            cell,
            segment,
        } = *meeple;
        let mut tiles = map.tiles().iter();
        let Some(tile) = tiles.position(|laid| laid.placement.cell == cell) else {
            return FieldError::refuse(field("cell"), "has no tile");
        };
        let tile = tile as u8;
        if map.feature(&config.edition, tile, segment).is_none() {
            return FieldError::refuse(field("segment"), format!("the tile has no {segment}"));
        }
        map.add_meeple(&config.edition, tile, segment, seat);
    }
    Ok(())
}
