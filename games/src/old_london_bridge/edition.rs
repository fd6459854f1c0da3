//! Edition data, which are facts that only pictures of the printed game show. The built-in edition
//! is compiled in from a data file. Any file of the same form can replace the built-in edition.

use super::components::{
    BONUS_STACKS, BUILDINGS, BUILDINGS_PER_KIND, Building, KINDS, Kind, OUTER_SPACES, TILE_KINDS,
    TileKind,
};
use super::edition_check as check;
use super::edition_parts::EditionParts;
use crate::edition::{EditionError, check_name, edition_file};
use crate::numbered::numbered;

numbered! {
    /// The identifier of a building: its index in [`Edition::buildings`], 0 to 71. Parks with the
    /// same coat are interchangeable and share the lowest index.
    BuildingId below BUILDINGS
}

/// Edition data that has been checked.
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
    /// Checks edition data against all of the game's requirements.
    pub fn new(parts: &EditionParts) -> Result<Self, EditionError> {
        check_name(&parts.name)?;
        let mut in_order = parts.clone();
        in_order.buildings.sort_unstable();
        for stack in &mut in_order.bonus_stacks {
            stack.sort_unstable();
        }
        Ok(Self {
            bonus_stacks: check::bonus_stacks(&in_order.bonus_stacks)?,
            parts: in_order,
            ring: check::ring(&parts.ring)?,
            rondel: check::rondel(&parts.rondel)?,
            chapel_last_space: check::last_space("chapel_last_space", parts.chapel_last_space)?,
            chapel_money: check::chapel_money(parts)?,
            gate_last_space: check::last_space("gate_last_space", parts.gate_last_space)?,
            gate_bonus: check::gate_bonus(parts)?,
            buildings: check::buildings(&parts.buildings)?,
        })
    }

    /// Returns the kinds in ring order, clockwise (E1).
    pub fn ring(&self) -> &[Kind; KINDS] {
        &self.ring
    }

    /// Returns the incomes of the rondel spaces clockwise from the X space, in pounds; `None` is X
    /// (E2).
    pub fn rondel(&self) -> &[Option<u8>; OUTER_SPACES] {
        &self.rondel
    }

    /// Returns the chapel track's last space (E3).
    pub fn chapel_last_space(&self) -> u8 {
        self.chapel_last_space
    }

    /// Returns the chapel track's money spaces as (space, pounds), in ascending order (E3).
    pub fn chapel_money(&self) -> &[(u8, u8)] {
        &self.chapel_money
    }

    /// Returns the gate track's last space (E4).
    pub fn gate_last_space(&self) -> u8 {
        self.gate_last_space
    }

    /// Returns the gate track's bonus spaces, in ascending order (E4).
    pub fn gate_bonus(&self) -> &[u8] {
        &self.gate_bonus
    }

    /// Returns the tiles in each bonus stack, in the order of [`TileKind`] (E5).
    pub fn bonus_stacks(&self) -> &[[TileKind; TILE_KINDS]; BONUS_STACKS] {
        &self.bonus_stacks
    }

    /// Returns all buildings: by kind in the order of [`Kind::ALL`], then ascending house number;
    /// parks by coat (E6).
    pub fn buildings(&self) -> &[Building; BUILDINGS] {
        &self.buildings
    }

    /// Returns the buildings of one kind, in the order of [`Self::buildings`].
    pub fn buildings_of(&self, kind: Kind) -> &[Building] {
        &self.buildings[kind.index() * BUILDINGS_PER_KIND..][..BUILDINGS_PER_KIND]
    }

    /// Returns the building with this identifier.
    pub fn building(&self, id: BuildingId) -> Building {
        self.buildings[id.index()]
    }

    /// Returns the identifier of a building, or `None` if this edition has no such building.
    pub fn find(&self, building: Building) -> Option<BuildingId> {
        let first = building.kind.index() * BUILDINGS_PER_KIND;
        let mut of_kind = self.buildings_of(building.kind).iter();
        let alike = of_kind.position(|&other| other == building)?;
        Some(BuildingId((first + alike) as u8))
    }

    /// Returns the identifier of the building at an index, which is the lowest index with an equal
    /// building.
    pub(super) fn canonical(&self, place: usize) -> BuildingId {
        self.find(self.buildings[place])
            .unwrap_or(BuildingId(place as u8))
    }
}
