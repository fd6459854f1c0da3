//! The tiles: the base tiles, which are the same in every match, and edition data, the drawbridge
//! tiles: one data file, compiled in as the built-in edition and replaceable by any file of the same
//! form.

use std::sync::LazyLock;

use serde::Deserialize;

use super::components::{BASE_KINDS, DRAWBRIDGE_TILES, TileKind};
use super::edition_check as check;
use super::edition_parts::{EditionParts, TileParts};
use super::tile::Shape;
use crate::edition::{EditionError, check_name, edition_file, exactly};

/// Validated edition data, together with the base tiles.
#[derive(Clone, Debug)]
pub struct Edition {
    parts: EditionParts,
    /// By the number of the kind.
    shapes: Vec<Shape>,
}

/// Editions are equal when their data is: the rest follows from it.
impl PartialEq for Edition {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

/// A kind of base tile: how many there are, and what it looks like.
#[derive(Clone, Debug, Deserialize)]
struct BaseTile {
    count: u8,
    #[serde(flatten)]
    tile: TileParts,
}

/// The base tiles by the number of the kind: `data/carcassonne/base.toml`, compiled in.
static BASE: LazyLock<Vec<BaseTile>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Base {
        tiles: Vec<BaseTile>,
    }
    let text = include_str!("../../data/carcassonne/base.toml");
    let base: Base = toml::from_str(text).expect("the base tiles are valid: a test loads them");
    base.tiles
});

edition_file! { Edition, "carcassonne/drawbridges.toml" }

impl Edition {
    /// Checks edition data against every rule that the game relies on.
    pub fn new(parts: &EditionParts) -> Result<Self, EditionError> {
        check_name(&parts.name)?;
        let _: &[TileParts; DRAWBRIDGE_TILES] = exactly("tiles", &parts.tiles)?;
        for (i, tile) in parts.tiles.iter().enumerate() {
            check::tile(&format!("tiles[{i}]"), tile)?;
        }
        let tiles = BASE.iter().map(|base| &base.tile).chain(&parts.tiles);
        Ok(Self {
            shapes: tiles.map(Shape::new).collect(),
            parts: parts.clone(),
        })
    }

    /// What a kind of tile looks like, unturned.
    pub fn tile(&self, kind: TileKind) -> &TileParts {
        match kind.index().checked_sub(BASE_KINDS) {
            Some(drawbridge) => &self.parts.tiles[drawbridge],
            None => &BASE[kind.index()].tile,
        }
    }

    /// How many tiles of a kind there are, the start tile included.
    pub fn count(kind: TileKind) -> u8 {
        BASE.get(kind.index()).map_or(1, |base| base.count)
    }

    /// The shape of a kind of tile.
    pub(super) fn shape(&self, kind: TileKind) -> &Shape {
        &self.shapes[kind.index()]
    }
}
