//! What a viewer may know, and drawing a state that it allows.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::Carcassonne;
use super::components::{MAX_PLAYERS, TILE_KINDS, TileKind};
use super::config::Config;
use super::map::Map;
use super::observation::{LaidTile, Meeple, Observation, Phase, Points, SeatView};
use super::observation_check::{check_counts, check_seats, lay_tiles, place_meeples};
use super::setup::{Setup, ascending};
use super::state::{Fixed, State};
use crate::field_error::holds;
use crate::{ChanceStream, FieldError, NoEvents, Sample, SeatCount, Viewer};

impl Sample for Carcassonne {
    type Observation = Observation;

    fn observe(state: &State, viewer: Viewer) -> Observation {
        let mut unseen = [0; TILE_KINDS];
        for tile in state.undrawn() {
            unseen[tile.index()] += 1;
        }
        let seats = state.fixed.seats.seats();
        Observation {
            viewer,
            turn: state.turn,
            phase: state.phase.clone(),
            seats: seats
                .map(|seat| SeatView {
                    supply: state.supply[seat.index()],
                    points: state.points[seat.index()],
                })
                .collect(),
            tiles: state
                .map
                .tiles()
                .iter()
                .map(|laid| LaidTile {
                    tile: laid.tile,
                    placement: laid.placement,
                })
                .collect(),
            meeples: meeples(&state.map).collect(),
            removed: state.removed.clone(),
            unseen,
        }
    }

    fn viewer(observation: &Observation) -> Viewer {
        observation.viewer
    }

    /// The order of the tiles not drawn yet is drawn.
    fn draw_state(
        config: &Config,
        observation: &Observation,
        chance: &mut ChanceStream,
    ) -> Result<State, FieldError> {
        let seats = check_seats(observation)?;
        check_counts(config, observation)?;
        let mut map = lay_tiles(config, observation)?;
        place_meeples(config, observation, &mut map)?;
        let state = assemble(config, observation, map, seats, chance);
        match &state.phase {
            Phase::PlaceTile { tile } => {
                let fits = state.fits_somewhere(*tile);
                holds("phase.tile", fits, "fits nowhere")?;
            }
            Phase::Drawbridge { crossings } => {
                holds("phase.crossings", !crossings.is_empty(), "is empty")?;
            }
            Phase::PlaceMeeple | Phase::Over => {}
        }
        Ok(state)
    }

    /// Hidden is the order of the tiles after the first, and after those before it that fit
    /// nowhere.
    fn redeal(
        config: &Config,
        seats: SeatCount,
        setup: &Setup,
        _viewer: Viewer,
        chance: &mut ChanceStream,
    ) -> Setup {
        let mut setup = setup.clone();
        let mut state = State::new(config, seats, &setup);
        state.draw_tile(&mut NoEvents);
        chance.shuffle(&mut setup.tiles[usize::from(state.drawn)..]);
        setup
    }
}

fn meeples(map: &Map) -> impl Iterator<Item = Meeple> {
    map.meeples.iter().map(|standing| Meeple {
        seat: standing.seat,
        cell: map.tile(standing.tile).placement.cell,
        segment: standing.segment,
    })
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
        fixed: Arc::new(Fixed {
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
