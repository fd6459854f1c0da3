//! Creation of observations, and sampling of states that are consistent with an observation.

use arrayvec::ArrayVec;

use super::Carcassonne;
use super::components::{TILE_KINDS, TileKind};
use super::config::Config;
use super::observation::{Meeple, Observation, Phase};
use super::observation_check::{check_seats, check_tiles, lay_tiles, place_meeples};
use super::setup::{Setup, ascending};
use super::state::State;
use crate::field_error::require;
use crate::{ChanceStream, FieldError, NoEvents, Sample, SeatCount, Viewer};

impl Sample for Carcassonne {
    type Observation = Observation;

    fn observe(state: &State, viewer: Viewer) -> Observation {
        let mut unseen = [0; TILE_KINDS];
        for tile in state.undrawn() {
            unseen[tile.index()] += 1;
        }
        let meeples = state.map.meeples.iter().map(|meeple| Meeple {
            seat: meeple.seat,
            cell: state.map.cell(meeple.tile),
            segment: meeple.segment,
        });
        Observation {
            viewer,
            turn: state.turn,
            phase: state.phase.clone(),
            seats: state.seats.clone(),
            tiles: state.map.tiles().collect(),
            meeples: meeples.collect(),
            removed: state.removed.clone(),
            unseen,
        }
    }

    fn viewer(observation: &Observation) -> Viewer {
        observation.viewer
    }

    /// Draws the order of the undrawn tiles.
    fn draw_state(
        config: &Config,
        observation: &Observation,
        chance: &mut ChanceStream,
    ) -> Result<State, FieldError> {
        let seats = check_seats(observation)?;
        check_tiles(config, observation)?;
        let mut tiles: ArrayVec<TileKind, _> = observation.seen().skip(1).collect();
        let drawn = tiles.len();
        tiles.extend(ascending(&observation.unseen));
        chance.shuffle(&mut tiles[drawn..]);
        let first = observation.turn;
        let mut state = State::new(config, seats, &Setup { first, tiles });
        state.drawn = drawn as u8;
        lay_tiles(config, observation, &mut state.map)?;
        place_meeples(config, observation, &mut state.map)?;
        state.phase = observation.phase.clone();
        state.seats = observation.seats.clone();
        state.removed = observation.removed.clone();
        match &state.phase {
            Phase::PlaceTile { tile } => {
                let fits = state.fits_somewhere(*tile);
                require("phase.tile", fits, "fits nowhere")?;
            }
            Phase::Drawbridge { crossings } => {
                require("phase.crossings", !crossings.is_empty(), "is empty")?;
            }
            Phase::PlaceMeeple | Phase::Over => {}
        }
        Ok(state)
    }

    /// Redraws the order of the tiles after the first tile that fits. Tiles before that tile fit
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
