//! Carcassonne with the Drawbridges on the wire: configs and rare values.

mod configs;
mod extremes;

use std::sync::Arc;

use bridgemaster_games::carcassonne::{
    Carcassonne, Config, Edition, EditionParts, RoadParts, TileParts,
};

use crate::random_match::{Rare, Wired};

/// Another edition: the built-in edition's tiles in another order. The first tile has a monastery
/// but no drawbridge, and the second has a shield.
fn other_edition() -> Edition {
    let mut tiles: Vec<TileParts> = Edition::built_in().parts().tiles.clone();
    tiles.reverse();
    for RoadParts { drawbridge, .. } in &mut tiles[0].roads {
        *drawbridge = None;
    }
    tiles[0].monastery = true;
    tiles[1].cities[0].shield = true;
    Edition::new(&EditionParts { name: "Backwards".to_owned(), tiles }).unwrap()
}

impl Wired for Carcassonne {
    fn set_other_edition(config: &mut Config) {
        config.edition = Arc::new(other_edition());
    }

    fn rare() -> Rare<Self> {
        Rare {
            decisions: extremes::decisions(),
            events: extremes::events(),
            observations: vec![extremes::largest()],
            ..Rare::default()
        }
    }

    const ERROR_AT_OTHER_FIELD: &'static [(&'static str, &'static str)] = &[
        // A base tile is valid or invalid as a whole.
        ("base_tiles", "base_tiles"),
    ];
}
