//! Checks of edition data: every rule that the game relies on.

use super::components::{
    BONUS_STACKS, BUILDINGS, BUILDINGS_PER_KIND, Building, KINDS, Kind, OUTER_SPACES, TILE_KINDS,
    TileKind,
};
use super::edition_parts::{
    BuildingParts, EditionParts, MAX_HOUSE_NUMBER, MAX_INCOME, MAX_SPACE_MONEY, MAX_TRACK_SPACES,
    building_order,
};
use crate::edition::{EditionError, exactly};

/// A whole number within `min..=max`, where `max` fits into a byte. Only an error needs its name.
fn within(name: impl FnOnce() -> String, value: u32, min: u8, max: u8) -> Result<u8, EditionError> {
    match u8::try_from(value) {
        Ok(small) if (min..=max).contains(&small) => Ok(small),
        _ => EditionError::entry(name(), format!("{value} is not in {min} to {max}")),
    }
}

pub(super) fn ring(kinds: &[Kind]) -> Result<[Kind; KINDS], EditionError> {
    let ring: [Kind; KINDS] = *exactly("ring", kinds)?;
    for (i, kind) in ring.iter().enumerate() {
        if ring[..i].contains(kind) {
            return EditionError::entry(
                format!("ring[{i}]"),
                format!("{kind} is in the ring twice"),
            );
        }
    }
    Ok(ring)
}

pub(super) fn rondel(spaces: &[Option<u32>]) -> Result<[Option<u8>; OUTER_SPACES], EditionError> {
    let spaces: [Option<u32>; OUTER_SPACES] = *exactly("rondel", spaces)?;
    let x_spaces = spaces.iter().filter(|space| space.is_none()).count();
    if x_spaces != 1 {
        return EditionError::entry(
            "rondel",
            format!("exactly one space is \"x\", found {x_spaces}"),
        );
    }
    if spaces[0].is_some() {
        return EditionError::entry(
            "rondel[0]",
            "the first space must be \"x\": the others count from it",
        );
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
    let paid = parts
        .chapel_money
        .iter()
        .enumerate()
        .map(|(i, &(_, pounds))| {
            within(
                || format!("chapel_money[{i}]: pounds"),
                pounds,
                1,
                MAX_SPACE_MONEY,
            )
        });
    let paid: Vec<u8> = paid.collect::<Result<_, _>>()?;
    Ok(spaces.into_iter().zip(paid).collect())
}

pub(super) fn gate_bonus(parts: &EditionParts) -> Result<Vec<u8>, EditionError> {
    let last = last_space("gate_last_space", parts.gate_last_space)?;
    ascending("gate_bonus", &parts.gate_bonus, last)
}

/// Spaces of a track that ends at `last`, each above the one before.
fn ascending(name: &str, spaces: &[u32], last: u8) -> Result<Vec<u8>, EditionError> {
    let mut checked = Vec::with_capacity(spaces.len().min(usize::from(last)));
    let mut before = 0;
    for (i, &space) in spaces.iter().enumerate() {
        let space = within(|| format!("{name}[{i}]: space"), space, 1, last)?;
        if space <= before {
            let problem = format!("space {space} does not come after space {before}");
            return EditionError::entry(format!("{name}[{i}]"), problem);
        }
        checked.push(space);
        before = space;
    }
    Ok(checked)
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
        let count = checked
            .iter()
            .flatten()
            .filter(|tile| **tile == kind)
            .count();
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
    let mut checked = [Building {
        kind: Kind::Park,
        number: None,
        coat: None,
    }; BUILDINGS];
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
                let problem = "a guildhall carries all coats and names none";
                return EditionError::entry(field("coat"), problem);
            }
            (kind, None) if kind != Kind::Guildhall => {
                return EditionError::entry(field("coat"), format!("missing: {kind}"));
            }
            _ => {}
        }
        checked[i] = Building {
            kind: part.kind,
            number,
            coat: part.coat,
        };
    }
    for kind in Kind::ALL {
        let count = checked
            .iter()
            .filter(|building| building.kind == kind)
            .count();
        if count != BUILDINGS_PER_KIND {
            let problem = format!("must have {BUILDINGS_PER_KIND} of {kind}, found {count}");
            return EditionError::entry("buildings", problem);
        }
    }
    checked.sort_unstable_by_key(building_order);
    Ok(checked)
}
