//! Tiles: the base tiles, which are the same in every match, and the drawbridge tiles, which are
//! edition data. The built-in edition is compiled in from a data file. Any file of the same form
//! can replace the built-in edition.

use std::sync::LazyLock;

use serde::Deserialize;

use super::components::{BASE_KINDS, DRAWBRIDGE_TILES, Rotation, TileKind};
use super::edition_check as check;
use super::edition_parts::{EditionParts, TileParts};
use super::tile::{Shape, turned};
use crate::edition::{EditionError, check_name, edition_file, exactly};

/// Validated edition data, together with the base tiles.
#[derive(Clone, Debug)]
pub struct Edition {
    parts: EditionParts,
    /// The shape of each kind, indexed by the kind's number.
    shapes: Vec<Shape>,
}

/// Only the data is compared, because the shapes follow from it.
impl PartialEq for Edition {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

/// A base tile kind, and the number of tiles of this kind.
#[derive(Clone, Debug, Deserialize)]
struct BaseTile {
    count: u8,
    #[serde(flatten)]
    tile: TileParts,
}

/// The base tiles by kind number, compiled in from `data/carcassonne/base.toml`.
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
    /// Checks edition data against all of the game's requirements.
    pub fn new(parts: &EditionParts) -> Result<Self, EditionError> {
        check_name(&parts.name)?;
        let _: &[TileParts; DRAWBRIDGE_TILES] = exactly("tiles", &parts.tiles)?;
        for (i, tile) in parts.tiles.iter().enumerate() {
            check::tile(&format!("tiles[{i}]"), tile)?;
        }
        let in_order = |tile| turned(tile, Rotation::default());
        let parts = EditionParts {
            name: parts.name.clone(),
            tiles: parts.tiles.iter().map(in_order).collect(),
        };
        let tiles = BASE.iter().map(|base| &base.tile).chain(&parts.tiles);
        Ok(Self {
            shapes: tiles.map(Shape::new).collect(),
            parts,
        })
    }

    /// Returns the unrotated tile of a kind.
    pub fn tile(&self, kind: TileKind) -> &TileParts {
        match kind.index().checked_sub(BASE_KINDS) {
            Some(drawbridge) => &self.parts.tiles[drawbridge],
            None => &BASE[kind.index()].tile,
        }
    }

    /// Returns the number of tiles of a kind, including the start tile.
    pub fn count(kind: TileKind) -> u8 {
        BASE.get(kind.index()).map_or(1, |base| base.count)
    }

    /// Returns the shape of a tile kind.
    pub(super) fn shape(&self, kind: TileKind) -> &Shape {
        &self.shapes[kind.index()]
    }
}
