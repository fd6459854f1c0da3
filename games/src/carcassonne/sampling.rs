//! Drawing a state that an observation allows.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::components::{MAX_PLAYERS, TileKind};
use super::config::Config;
use super::map::Map;
use super::observation::{Observation, Phase, Points};
use super::observation_check::{check_counts, check_meeples, check_phase, check_table, lay_tiles};
use super::setup::{SetupError, ascending};
use super::state::{State, Table};
use crate::{ChanceStream, SeatCount};

/// Draws a state that `observation` allows: the order of the tiles not drawn yet, uniformly.
pub(super) fn sample(
    config: &Config,
    observation: &Observation,
    chance: &mut ChanceStream,
) -> Result<State, SetupError> {
    let seats = check_table(config, observation)?;
    check_counts(config, observation)?;
    let mut map = lay_tiles(config, observation)?;
    check_meeples(config, observation, &mut map)?;
    let state = assemble(config, observation, map, seats, chance);
    check_phase(&state)?;
    // What the checks do not name, such as the order of a list, shows here.
    if state.observe(observation.viewer) != *observation {
        return SetupError::field("observation", "is not in the documented form");
    }
    Ok(state)
}

fn assemble(
    config: &Config,
    observation: &Observation,
    map: Map,
    seats: SeatCount,
    chance: &mut ChanceStream,
) -> State {
    let drawn = match observation.phase {
        Phase::PlaceTile { tile } => Some(tile),
        _ => None,
    };
    let laid = observation.tiles.iter().skip(1).map(|laid| laid.tile);
    let mut tiles: ArrayVec<TileKind, _> = laid.collect();
    tiles.extend(observation.removed.iter().copied().chain(drawn));
    let drawn = tiles.len() as u8;
    let mut unseen = ascending(&observation.unseen);
    chance.shuffle(&mut unseen);
    tiles.extend(unseen);

    let mut supply = [0; MAX_PLAYERS];
    let mut points = [Points::default(); MAX_PLAYERS];
    for (i, view) in observation.seats.iter().enumerate() {
        supply[i] = view.supply;
        points[i] = view.points;
    }
    State {
        table: Arc::new(Table {
            edition: Arc::clone(&config.edition),
            seats,
            fields: config.fields,
            tiles,
        }),
        map,
        drawn,
        turn: observation.turn,
        phase: observation.phase.clone(),
        supply,
        points,
        removed: observation.removed.clone(),
    }
}
