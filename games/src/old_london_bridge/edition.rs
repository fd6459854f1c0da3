//! Edition data: the facts that only a picture of the printed game shows. One data file, compiled
//! in as the built-in edition and replaceable by any file of the same form.

use std::sync::{Arc, LazyLock};

use super::components::{
    BONUS_STACKS, BUILDINGS, BUILDINGS_PER_KIND, Building, KINDS, Kind, OUTER_SPACES, TILE_KINDS,
    TileKind,
};
use super::edition_check as check;
use super::edition_parts::{BuildingParts, EditionParts};
use crate::edition::{EditionError, check_name, read_parts};

/// A building's place in [`Edition::buildings`], 0 to 71. Parks of one coat are alike: the first
/// of them stands for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BuildingId(u8);

impl BuildingId {
    /// The identifier of a place; `None` for one above 71.
    pub const fn new(place: u8) -> Option<Self> {
        if (place as usize) < BUILDINGS {
            Some(Self(place))
        } else {
            None
        }
    }

    /// The place as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Validated edition data.
#[derive(Clone, Debug, PartialEq)]
pub struct Edition {
    name: String,
    ring: [Kind; KINDS],
    rondel: [Option<u8>; OUTER_SPACES],
    chapel_last_space: u8,
    chapel_money: Vec<(u8, u8)>,
    gate_last_space: u8,
    gate_bonus: Vec<u8>,
    bonus_stacks: [[TileKind; TILE_KINDS]; BONUS_STACKS],
    buildings: [Building; BUILDINGS],
}

impl Edition {
    /// The built-in edition: `data/old_london_bridge/built_in.toml`, compiled in.
    pub fn built_in() -> Arc<Self> {
        static BUILT_IN: LazyLock<Arc<Edition>> = LazyLock::new(|| {
            let text = include_str!("../../data/old_london_bridge/built_in.toml");
            let edition = Edition::from_toml(text);
            Arc::new(edition.expect("the built-in edition is valid: a test loads it"))
        });
        Arc::clone(&BUILT_IN)
    }

    /// Reads and checks an edition file.
    pub fn from_toml(text: &str) -> Result<Self, EditionError> {
        Self::new(&read_parts(text)?)
    }

    /// Checks edition data against every rule that the game relies on.
    pub fn new(parts: &EditionParts) -> Result<Self, EditionError> {
        Ok(Self {
            name: check_name(&parts.name)?,
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

    /// The data as it comes from outside: made into an edition again, they give this one.
    pub fn parts(&self) -> EditionParts {
        let building = |building: &Building| BuildingParts {
            kind: building.kind,
            number: building.number.map(u32::from),
            coat: building.coat,
        };
        let money_space = |&(space, money): &(u8, u8)| (space.into(), money.into());
        EditionParts {
            name: self.name.clone(),
            ring: self.ring.to_vec(),
            rondel: self.rondel.iter().map(|i| i.map(u32::from)).collect(),
            chapel_last_space: self.chapel_last_space.into(),
            chapel_money: self.chapel_money.iter().map(money_space).collect(),
            gate_last_space: self.gate_last_space.into(),
            gate_bonus: self.gate_bonus.iter().copied().map(u32::from).collect(),
            bonus_stacks: self.bonus_stacks.iter().map(|s| s.to_vec()).collect(),
            buildings: self.buildings.iter().map(building).collect(),
        }
    }

    /// Name of the edition, for people.
    pub fn name(&self) -> &str {
        &self.name
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
        let alike = self
            .buildings_of(building.kind)
            .iter()
            .position(|&other| other == building)?;
        Some(BuildingId((first + alike) as u8))
    }

    /// The identifier that stands for the building at `place`: the first of all that are alike.
    pub(super) fn canonical(&self, place: usize) -> BuildingId {
        self.find(self.buildings[place])
            .unwrap_or(BuildingId(place as u8))
    }

    /// How many buildings are alike to this one, itself included.
    pub(super) fn copies(&self, id: BuildingId) -> u8 {
        let building = self.building(id);
        self.buildings_of(building.kind)
            .iter()
            .filter(|other| **other == building)
            .count() as u8
    }
}
