//! Edition data: the facts that only a picture of the printed game shows. One data file, compiled
//! in as the built-in edition and replaceable by any file of the same form.

use super::components::{
    BONUS_STACKS, BUILDINGS, BUILDINGS_PER_KIND, Building, KINDS, Kind, OUTER_SPACES, TILE_KINDS,
    TileKind,
};
use super::edition_check as check;
use super::edition_parts::EditionParts;
use crate::edition::{EditionError, check_name, edition_file};
use crate::numbered::numbered;

numbered! {
    /// A building's place in [`Edition::buildings`], 0 to 71. Parks of one coat are alike: the
    /// first of them stands for all.
    BuildingId below BUILDINGS
}

/// Validated edition data.
#[derive(Clone, Debug, PartialEq)]
pub struct Edition {
    parts: EditionParts,
    ring: [Kind; KINDS],
    rondel: [Option<u8>; OUTER_SPACES],
    chapel_last_space: u8,
    chapel_money: Vec<(u8, u8)>,
    gate_last_space: u8,
    gate_bonus: Vec<u8>,
    bonus_stacks: [[TileKind; TILE_KINDS]; BONUS_STACKS],
    buildings: [Building; BUILDINGS],
}

edition_file! { Edition, "old_london_bridge/built_in.toml" }

impl Edition {
    /// Checks edition data against every rule that the game relies on.
    pub fn new(parts: &EditionParts) -> Result<Self, EditionError> {
        check_name(&parts.name)?;
        let mut in_order = parts.clone();
        in_order.buildings.sort_unstable();
        Ok(Self {
            parts: in_order,
            ring: check::ring(&parts.ring)?,
            rondel: check::rondel(&parts.rondel)?,
            chapel_last_space: check::last_space("chapel_last_space", parts.chapel_last_space)?,
            chapel_money: check::chapel_money(parts)?,
            gate_last_space: check::last_space("gate_last_space", parts.gate_last_space)?,
            gate_bonus: check::gate_bonus(parts)?,
            bonus_stacks: check::bonus_stacks(&parts.bonus_stacks)?,
            buildings: check::buildings(&parts.buildings)?,
        })
    }

    /// E1: kinds in ring order, clockwise.
    pub fn ring(&self) -> &[Kind; KINDS] {
        &self.ring
    }

    /// E2: incomes of the rondel spaces clockwise from the X space, in pounds; `None` is X.
    pub fn rondel(&self) -> &[Option<u8>; OUTER_SPACES] {
        &self.rondel
    }

    /// E3: last space of the chapel track.
    pub fn chapel_last_space(&self) -> u8 {
        self.chapel_last_space
    }

    /// E3: (space, pounds) of its money spaces, ascending.
    pub fn chapel_money(&self) -> &[(u8, u8)] {
        &self.chapel_money
    }

    /// E4: last space of the gate track.
    pub fn gate_last_space(&self) -> u8 {
        self.gate_last_space
    }

    /// E4: its bonus spaces, ascending.
    pub fn gate_bonus(&self) -> &[u8] {
        &self.gate_bonus
    }

    /// E5: tiles of each bonus stack.
    pub fn bonus_stacks(&self) -> &[[TileKind; TILE_KINDS]; BONUS_STACKS] {
        &self.bonus_stacks
    }

    /// E6: all buildings: by kind in the order of [`Kind::ALL`], then ascending house number;
    /// parks by coat.
    pub fn buildings(&self) -> &[Building; BUILDINGS] {
        &self.buildings
    }

    /// The buildings of one kind, in the order of [`Self::buildings`].
    pub fn buildings_of(&self, kind: Kind) -> &[Building] {
        &self.buildings[kind.index() * BUILDINGS_PER_KIND..][..BUILDINGS_PER_KIND]
    }

    /// The building of an identifier.
    pub fn building(&self, id: BuildingId) -> Building {
        self.buildings[id.index()]
    }

    /// The identifier of a building; `None` when this edition has no such building.
    pub fn find(&self, building: Building) -> Option<BuildingId> {
        let first = building.kind.index() * BUILDINGS_PER_KIND;
        let mut of_kind = self.buildings_of(building.kind).iter();
        let alike = of_kind.position(|&other| other == building)?;
        Some(BuildingId((first + alike) as u8))
    }

    /// The identifier that stands for the building at `place`: the first of all that are alike.
    pub(super) fn canonical(&self, place: usize) -> BuildingId {
        self.find(self.buildings[place])
            .unwrap_or(BuildingId(place as u8))
    }
}
