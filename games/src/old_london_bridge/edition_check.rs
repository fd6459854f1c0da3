//! Checks edition data against all of the game's requirements.

use super::components::{
    BONUS_STACKS, BUILDINGS, BUILDINGS_PER_KIND, Building, KINDS, Kind, OUTER_SPACES, TILE_KINDS,
    TileKind,
};
use super::edition_parts::{
    BuildingParts, EditionParts, MAX_HOUSE_NUMBER, MAX_INCOME, MAX_SPACE_MONEY, MAX_TRACK_SPACES,
};
use crate::edition::{EditionError, exactly};

/// Converts a number that must be in `min..=max`. `name` is called only for an error.
fn within(name: impl FnOnce() -> String, value: u32, min: u8, max: u8) -> Result<u8, EditionError> {
    match u8::try_from(value) {
        Ok(small) if (min..=max).contains(&small) => Ok(small),
        _ => EditionError::entry(name(), format!("{value} is out of range ({min}..={max})")),
    }
}

pub(super) fn ring(kinds: &[Kind]) -> Result<[Kind; KINDS], EditionError> {
    let ring: [Kind; KINDS] = *exactly("ring", kinds)?;
    match (0..KINDS).find(|&i| ring[..i].contains(&ring[i])) {
        Some(i) => {
            let problem = format!("{} is in the ring twice", ring[i]);
            EditionError::entry(format!("ring[{i}]"), problem)
        }
        None => Ok(ring),
    }
}

pub(super) fn rondel(spaces: &[Option<u32>]) -> Result<[Option<u8>; OUTER_SPACES], EditionError> {
    let spaces: [Option<u32>; OUTER_SPACES] = *exactly("rondel", spaces)?;
    let x_spaces = spaces.iter().filter(|space| space.is_none()).count();
    if x_spaces != 1 {
        let problem = format!("exactly one space is \"x\", found {x_spaces}");
        return EditionError::entry("rondel", problem);
    }
    if spaces[0].is_some() {
        let problem = "spaces count from \"x\", so it must be the first";
        return EditionError::entry("rondel[0]", problem);
    }
    let mut rondel = [None; OUTER_SPACES];
    for (i, income) in spaces.into_iter().enumerate() {
        if let Some(income) = income {
            rondel[i] = Some(within(|| format!("rondel[{i}]"), income, 1, MAX_INCOME)?);
        }
    }
    Ok(rondel)
}

pub(super) fn last_space(name: &str, space: u32) -> Result<u8, EditionError> {
    within(|| name.to_owned(), space, 1, MAX_TRACK_SPACES)
}

pub(super) fn chapel_money(parts: &EditionParts) -> Result<Vec<(u8, u8)>, EditionError> {
    let last = last_space("chapel_last_space", parts.chapel_last_space)?;
    let spaces: Vec<u32> = parts.chapel_money.iter().map(|&(space, _)| space).collect();
    let spaces = ascending("chapel_money", &spaces, last)?;
    let money = parts.chapel_money.iter().zip(spaces).enumerate();
    let checked = money.map(|(i, (&(_, pounds), space))| {
        let name = || format!("chapel_money[{i}]: pounds");
        Ok((space, within(name, pounds, 1, MAX_SPACE_MONEY)?))
    });
    checked.collect()
}

pub(super) fn gate_bonus(parts: &EditionParts) -> Result<Vec<u8>, EditionError> {
    let last = last_space("gate_last_space", parts.gate_last_space)?;
    ascending("gate_bonus", &parts.gate_bonus, last)
}

/// Checks that a track's spaces are strictly ascending and at most `last`.
fn ascending(name: &str, spaces: &[u32], last: u8) -> Result<Vec<u8>, EditionError> {
    let mut before = 0;
    let checked = spaces.iter().enumerate().map(|(i, &space)| {
        let space = within(|| format!("{name}[{i}]: space"), space, 1, last)?;
        if space <= before {
            let problem = format!("space {space} must be above space {before}");
            return EditionError::entry(format!("{name}[{i}]"), problem);
        }
        before = space;
        Ok(space)
    });
    checked.collect()
}

pub(super) fn bonus_stacks(
    stacks: &[Vec<TileKind>],
) -> Result<[[TileKind; TILE_KINDS]; BONUS_STACKS], EditionError> {
    let stacks: &[_; BONUS_STACKS] = exactly("bonus_stacks", stacks)?;
    let mut checked = [[TileKind::Share; TILE_KINDS]; BONUS_STACKS];
    for (i, stack) in stacks.iter().enumerate() {
        checked[i] = *exactly(&format!("bonus_stacks[{i}]"), stack)?;
    }
    for kind in TileKind::ALL {
        let tiles = checked.as_flattened().iter();
        let count = tiles.filter(|&&tile| tile == kind).count();
        if count != BONUS_STACKS {
            let problem = format!("must have {kind} {BONUS_STACKS} times in all, found {count}");
            return EditionError::entry("bonus_stacks", problem);
        }
    }
    Ok(checked)
}

pub(super) fn buildings(parts: &[BuildingParts]) -> Result<[Building; BUILDINGS], EditionError> {
    let parts: [BuildingParts; BUILDINGS] = *exactly("buildings", parts)?;
    let mut taken = [None; MAX_HOUSE_NUMBER as usize + 1];
    let mut checked = parts.map(|part| Building {
        kind: part.kind,
        number: None,
        coat: part.coat,
    });
    for (i, part) in parts.iter().enumerate() {
        let field = |field: &str| format!("buildings[{i}].{field}");
        let number = match (part.kind, part.number) {
            (Kind::Park, None) => None,
            (Kind::Park, Some(_)) => {
                return EditionError::entry(field("number"), "a park has no house number");
            }
            (kind, None) => {
                return EditionError::entry(field("number"), format!("missing: {kind}"));
            }
            (_, Some(number)) => Some(within(|| field("number"), number, 1, MAX_HOUSE_NUMBER)?),
        };
        if let Some(number) = number
            && let Some(first) = taken[usize::from(number)].replace(i)
        {
            let problem = format!("{number} is also the number of buildings[{first}]");
            return EditionError::entry(field("number"), problem);
        }
        match (part.kind, part.coat) {
            (Kind::Guildhall, Some(_)) => {
                let problem = "a guildhall has all coats; omit the coat";
                return EditionError::entry(field("coat"), problem);
            }
            (kind, None) if kind != Kind::Guildhall => {
                return EditionError::entry(field("coat"), format!("missing: {kind}"));
            }
            _ => {}
        }
        checked[i].number = number;
    }
    for kind in Kind::ALL {
        let of_kind = checked.iter().filter(|building| building.kind == kind);
        let count = of_kind.count();
        if count != BUILDINGS_PER_KIND {
            let problem = format!("must have {BUILDINGS_PER_KIND} of {kind}, found {count}");
            return EditionError::entry("buildings", problem);
        }
    }
    checked.sort_unstable();
    Ok(checked)
}
