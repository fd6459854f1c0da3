//! Edition data, which are facts that only pictures of the printed game show: unchecked data from
//! outside, its checks, and the checked edition. The built-in edition is compiled in from a data
//! file. Any file of the same form can replace the built-in edition.

use serde::{Deserialize, Deserializer};

use super::components::{
    BONUS_STACKS, BUILDINGS, BUILDINGS_PER_KIND, Building, KINDS, Kind, OUTER_SPACES, TILE_KINDS,
    TileKind,
};
use crate::FieldError;
use crate::edition::{check_name, edition_file, exactly};
use crate::field_error::{check_range, require};
use crate::named::numbered;

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
    bonus_stacks: [[TileKind; TILE_KINDS]; BONUS_STACKS],
    buildings: [Building; BUILDINGS],
}

edition_file! { Edition, "old_london_bridge/built_in.toml" }

impl Edition {
    /// Checks edition data against all of the game's requirements.
    pub fn new(parts: &EditionParts) -> Result<Self, FieldError> {
        check_name(&parts.name)?;
        let mut in_order = parts.clone();
        in_order.buildings.sort_unstable();
        for stack in &mut in_order.bonus_stacks {
            stack.sort_unstable();
        }
        check_range("chapel_last_space", parts.chapel_last_space, 1..=MAX_TRACK_SPACES)?;
        check_range("gate_last_space", parts.gate_last_space, 1..=MAX_TRACK_SPACES)?;
        let bonus_stacks = check_bonus_stacks(&in_order.bonus_stacks)?;
        let ring = check_ring(&parts.ring)?;
        let rondel = check_rondel(&parts.rondel)?;
        let money_spaces = parts.chapel_money.iter().map(|&(space, _)| space);
        check_ascending("chapel_money", ".space", money_spaces, parts.chapel_last_space)?;
        for (i, &(_, money)) in parts.chapel_money.iter().enumerate() {
            check_range(format_args!("chapel_money[{i}].money"), money, 1..=MAX_SPACE_MONEY)?;
        }
        let bonus_spaces = parts.gate_bonus.iter().copied();
        check_ascending("gate_bonus", "", bonus_spaces, parts.gate_last_space)?;
        check_buildings(&parts.buildings)?;
        let buildings = *exactly("buildings", &in_order.buildings)?;
        Ok(Self { parts: in_order, ring, rondel, bonus_stacks, buildings })
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
        self.parts.chapel_last_space
    }

    /// Returns the chapel track's money spaces as (space, pounds), in ascending order (E3).
    pub fn chapel_money(&self) -> &[(u8, u8)] {
        &self.parts.chapel_money
    }

    /// Returns the gate track's last space (E4).
    pub fn gate_last_space(&self) -> u8 {
        self.parts.gate_last_space
    }

    /// Returns the gate track's bonus spaces, in ascending order (E4).
    pub fn gate_bonus(&self) -> &[u8] {
        &self.parts.gate_bonus
    }

    /// Returns the tiles in each bonus stack, in the order of [`TileKind`] (E5).
    pub fn bonus_stacks(&self) -> &[[TileKind; TILE_KINDS]; BONUS_STACKS] {
        &self.bonus_stacks
    }

    /// Returns all buildings, ordered by kind (in the order of [`Kind::ALL`]), and then by
    /// ascending house number. Parks are ordered by coat (E6).
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
        self.find(self.buildings[place]).unwrap_or(BuildingId(place as u8))
    }
}

/// The maximum house number (E6).
pub const MAX_HOUSE_NUMBER: u8 = 60;
/// The maximum number of spaces on either track. It is far above the number in the printed game,
/// and fits into a byte.
pub const MAX_TRACK_SPACES: u8 = 60;
/// The maximum income of a rondel space, in pounds.
pub const MAX_INCOME: u8 = 3;
/// The maximum money on one space of the chapel track, in pounds. The sum over a whole track fits
/// into 32 bits.
pub const MAX_SPACE_MONEY: u8 = 100;

/// Unchecked edition data from a file or from the wire. The fields are the same as in the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditionParts {
    /// The display name of the edition.
    pub name: String,
    /// The kinds in ring order, clockwise (E1).
    pub ring: Vec<Kind>,
    /// The incomes clockwise from the X space, in pounds; `None` is X (E2).
    #[serde(deserialize_with = "rondel_spaces")]
    pub rondel: Vec<Option<u8>>,
    /// The chapel track's last space (E3).
    pub chapel_last_space: u8,
    /// The chapel track's money spaces as (space, pounds) (E3).
    pub chapel_money: Vec<(u8, u8)>,
    /// The gate track's last space (E4).
    pub gate_last_space: u8,
    /// The gate track's bonus spaces (E4).
    pub gate_bonus: Vec<u8>,
    /// The tiles in each bonus stack, in any order (E5).
    pub bonus_stacks: Vec<Vec<TileKind>>,
    /// All buildings, in any order (E6).
    pub buildings: Vec<Building>,
}

/// Reads rondel spaces: "x", or an integer number of pounds.
fn rondel_spaces<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<Option<u8>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected \"x\" or an income in pounds")]
    enum Space {
        Income(u8),
        X(X),
    }

    #[derive(Deserialize)]
    enum X {
        #[serde(rename = "x")]
        X,
    }

    let spaces = Vec::<Space>::deserialize(source)?.into_iter().map(|space| match space {
        Space::Income(income) => Some(income),
        Space::X(X::X) => None,
    });
    Ok(spaces.collect())
}

fn check_ring(kinds: &[Kind]) -> Result<[Kind; KINDS], FieldError> {
    let ring: [Kind; KINDS] = *exactly("ring", kinds)?;
    for (i, kind) in ring.iter().enumerate() {
        let problem = format_args!("{kind} is in the ring twice");
        require(format_args!("ring[{i}]"), !ring[..i].contains(kind), problem)?;
    }
    Ok(ring)
}

fn check_rondel(spaces: &[Option<u8>]) -> Result<[Option<u8>; OUTER_SPACES], FieldError> {
    let spaces: [Option<u8>; OUTER_SPACES] = *exactly("rondel", spaces)?;
    let x_spaces = spaces.iter().filter(|space| space.is_none()).count();
    let problem = format_args!("exactly one space is \"x\", found {x_spaces}");
    require("rondel", x_spaces == 1, problem)?;
    let problem = "spaces count from \"x\", so it must be the first";
    require("rondel[0]", spaces[0].is_none(), problem)?;
    for (i, income) in spaces.into_iter().enumerate() {
        let field = format_args!("rondel[{i}]");
        income.map_or(Ok(()), |income| check_range(field, income, 1..=MAX_INCOME))?;
    }
    Ok(spaces)
}

/// Checks that a track's spaces are strictly ascending and at most `last`. `part` is the part of a
/// list item that is the space.
fn check_ascending(
    name: &str,
    part: &str,
    spaces: impl Iterator<Item = u8>,
    last: u8,
) -> Result<(), FieldError> {
    let mut before = 0;
    for (i, space) in spaces.enumerate() {
        let field = format!("{name}[{i}]{part}");
        check_range(&field, space, 1..=last)?;
        let problem = format_args!("space {space} must be above space {before}");
        require(&field, space > before, problem)?;
        before = space;
    }
    Ok(())
}

fn check_bonus_stacks(
    stacks: &[Vec<TileKind>],
) -> Result<[[TileKind; TILE_KINDS]; BONUS_STACKS], FieldError> {
    let stacks: &[_; BONUS_STACKS] = exactly("bonus_stacks", stacks)?;
    let mut checked = [[TileKind::Share; TILE_KINDS]; BONUS_STACKS];
    for (i, stack) in stacks.iter().enumerate() {
        checked[i] = *exactly(&format!("bonus_stacks[{i}]"), stack)?;
    }
    for kind in TileKind::ALL {
        let tiles = checked.as_flattened().iter();
        let count = tiles.filter(|&&tile| tile == kind).count();
        let problem = format_args!("must have {kind} {BONUS_STACKS} times in all, found {count}");
        require("bonus_stacks", count == BONUS_STACKS, problem)?;
    }
    Ok(checked)
}

fn check_buildings(buildings: &[Building]) -> Result<(), FieldError> {
    let buildings: &[Building; BUILDINGS] = exactly("buildings", buildings)?;
    let mut taken = [None; MAX_HOUSE_NUMBER as usize + 1];
    for (i, Building { kind, number, coat }) in buildings.iter().enumerate() {
        let (of_number, of_coat) =
            (format!("buildings[{i}].number"), format!("buildings[{i}].coat"));
        let missing = format_args!("missing: {kind}");
        let is_park = *kind == Kind::Park;
        require(&of_number, !is_park || number.is_none(), "a park has no house number")?;
        require(&of_number, is_park || number.is_some(), missing)?;
        if let Some(number) = *number {
            check_range(&of_number, number, 1..=MAX_HOUSE_NUMBER)?;
            let before = taken[usize::from(number)].replace(i);
            let first = before.unwrap_or(i);
            let problem = format_args!("{number} is also the number of buildings[{first}]");
            require(&of_number, before.is_none(), problem)?;
        }
        let is_guildhall = *kind == Kind::Guildhall;
        let problem = "a guildhall has all coats; omit the coat";
        require(&of_coat, !is_guildhall || coat.is_none(), problem)?;
        require(&of_coat, is_guildhall || coat.is_some(), missing)?;
    }
    for kind in Kind::ALL {
        let count = buildings.iter().filter(|building| building.kind == kind).count();
        let problem = format_args!("must have {BUILDINGS_PER_KIND} of {kind}, found {count}");
        require("buildings", count == BUILDINGS_PER_KIND, problem)?;
    }
    Ok(())
}
