//! The setup: every chance result that is drawn before play.

use arrayvec::ArrayVec;

use super::Carcassonne;
use super::components::{MAX_DRAWS, TILE_KINDS, TileKind};
use super::config::Config;
use super::edition::Edition;
use crate::{
    ChanceStream, FieldError, Rules, Seat, SeatCount, Seed,
    field_error::{check_dealt, check_seats, require},
};

/// The setup of a match, with every chance result. Nothing is drawn later.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The seat that has the first turn (C1).
    pub first: Seat,
    /// The tiles in the order in which they are drawn, except the start tile.
    pub tiles: ArrayVec<TileKind, MAX_DRAWS>,
}

/// Chance streams of the setup.
mod stream {
    /// The stream that draws the first seat.
    pub(super) const FIRST: u64 = 0;
    /// The stream that draws the order of the tiles.
    pub(super) const TILES: u64 = 1;
}

/// Returns, for each kind, the number of tiles that a match with this config draws. The start tile
/// is not drawn.
pub(super) fn drawn_counts(config: &Config) -> [u8; TILE_KINDS] {
    let mut counts = [0; TILE_KINDS];
    for kind in TileKind::all().filter(|kind| config.drawbridges || !kind.is_drawbridge_tile()) {
        counts[kind.index()] = Edition::count(kind);
    }
    counts[TileKind::START.index()] -= 1;
    counts
}

/// Returns all tiles with these counts, in ascending order.
pub(super) fn ascending(counts: &[u8; TILE_KINDS]) -> ArrayVec<TileKind, MAX_DRAWS> {
    TileKind::all().flat_map(|kind| (0..counts[kind.index()]).map(move |_| kind)).collect()
}

/// Draws a setup from the streams of a seed.
pub(super) fn draw(config: &Config, seats: SeatCount, seed: &Seed) -> Result<Setup, FieldError> {
    check_seats(seats, Carcassonne::SEATS)?;
    let mut tiles = ascending(&drawn_counts(config));
    ChanceStream::new(seed, stream::TILES).shuffle(&mut tiles);
    let place = ChanceStream::new(seed, stream::FIRST).below(seats.get().into());
    let first = seats.seats().nth(place as usize);
    Ok(Setup { first: first.expect("the draw is below the number of seats"), tiles })
}

impl Setup {
    /// Checks a setup that came from outside against the match's config.
    pub(super) fn check(&self, config: &Config, seats: SeatCount) -> Result<(), FieldError> {
        check_seats(seats, Carcassonne::SEATS)?;
        let problem = format_args!("there is no seat {} at a table of {seats}", self.first);
        require("first", seats.contains(self.first), problem)?;
        let all = ascending(&drawn_counts(config));
        check_dealt("tiles", &self.tiles, &all, all.len())
    }
}
