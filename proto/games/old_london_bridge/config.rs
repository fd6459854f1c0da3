//! Configs and edition data.

use std::sync::Arc;

use bridgemaster_games::{
    EditionError,
    old_london_bridge::{
        Area, BuildingParts, Coat, Config, Edition, EditionParts, Face, FaceChoice, Kind,
        StartLeaders, TileKind,
    },
};

use super::{
    components::{building_to_wire, numbers, wrong_area},
    v1::{self, face_choice::Choice},
};
use crate::games::{
    field::{WireEnum, each, enums, wire_enum},
    wire::{Below, WireError},
};

wire_enum!(StartLeaders = v1::StartLeaders { Unpaid Paid });

pub(super) fn to_wire(config: &Config) -> v1::Config {
    let [chapel, gate, inn, bridge] = config.faces.map(|choice| Some(choice_to_wire(choice)));
    v1::Config {
        faces: Some(v1::FaceChoices {
            chapel,
            gate,
            inn,
            bridge,
        }),
        start_leaders: config.start_leaders.to_wire(),
        edition: Some(edition_to_wire(&config.edition)),
    }
}

pub(super) fn from_wire(config: &v1::Config) -> Result<Config, WireError> {
    let faces = config.faces.unwrap_or_default();
    let face = |area: Area, choice: Option<v1::FaceChoice>| {
        choice_from_wire(area, choice)
            .below(area.name())
            .below("faces")
    };
    Ok(Config {
        faces: [
            face(Area::Chapel, faces.chapel)?,
            face(Area::Gate, faces.gate)?,
            face(Area::Inn, faces.inn)?,
            face(Area::Bridge, faces.bridge)?,
        ],
        start_leaders: StartLeaders::optional_from_wire("start_leaders", config.start_leaders)?
            .unwrap_or_default(),
        edition: match &config.edition {
            Some(edition) => Arc::new(edition_from_wire(edition).below("edition")?),
            None => Edition::house(),
        },
    })
}

fn choice_to_wire(choice: FaceChoice) -> v1::FaceChoice {
    let choice = match choice {
        FaceChoice::Face(face) => Choice::Face(face.to_wire()),
        FaceChoice::Random => Choice::Random(v1::RandomFace {}),
    };
    v1::FaceChoice {
        choice: Some(choice),
    }
}

fn choice_from_wire(area: Area, choice: Option<v1::FaceChoice>) -> Result<FaceChoice, WireError> {
    let Some(choice) = choice else {
        return Ok(FaceChoice::Face(area.base_face()));
    };
    match choice.choice {
        Some(Choice::Face(number)) => {
            let face = Face::from_wire("face", number)?;
            if face.area() != area {
                return Err(WireError::new("face", wrong_area(face)));
            }
            Ok(FaceChoice::Face(face))
        }
        Some(Choice::Random(_)) => Ok(FaceChoice::Random),
        None => Err(WireError::new("choice", "face or random must be set")),
    }
}

fn edition_to_wire(edition: &Edition) -> v1::Edition {
    v1::Edition {
        name: edition.name().to_owned(),
        ring: edition.ring().iter().map(|kind| kind.to_wire()).collect(),
        rondel_incomes: edition
            .rondel()
            .iter()
            .map(|space| space.map_or(0, u32::from))
            .collect(),
        chapel_last_space: edition.chapel_last_space().into(),
        chapel_money: edition
            .chapel_money()
            .iter()
            .map(|&(space, money)| v1::MoneySpace {
                space: space.into(),
                money: money.into(),
            })
            .collect(),
        gate_last_space: edition.gate_last_space().into(),
        gate_bonus: numbers(edition.gate_bonus()),
        bonus_stacks: edition
            .bonus_stacks()
            .iter()
            .map(|stack| bonus_to_wire(stack))
            .collect(),
        buildings: edition.buildings().iter().map(building_to_wire).collect(),
    }
}

/// A stack of bonus tiles, in its order.
pub(super) fn bonus_to_wire(stack: &[TileKind]) -> v1::BonusTiles {
    v1::BonusTiles {
        tiles: stack.iter().map(|tile| tile.to_wire()).collect(),
    }
}

/// Reads edition data; the rules check what it says.
fn edition_from_wire(edition: &v1::Edition) -> Result<Edition, WireError> {
    let parts = EditionParts {
        name: edition.name.clone(),
        ring: enums("ring", &edition.ring)?,
        rondel: edition
            .rondel_incomes
            .iter()
            .map(|&i| (i != 0).then_some(i))
            .collect(),
        chapel_last_space: edition.chapel_last_space,
        chapel_money: edition
            .chapel_money
            .iter()
            .map(|m| (m.space, m.money))
            .collect(),
        gate_last_space: edition.gate_last_space,
        gate_bonus: edition.gate_bonus.clone(),
        bonus_stacks: each("bonus_stacks", &edition.bonus_stacks, |stack| {
            enums("tiles", &stack.tiles)
        })?,
        buildings: each("buildings", &edition.buildings, |building| {
            Ok(BuildingParts {
                kind: Kind::from_wire("kind", building.kind)?,
                number: (building.number != 0).then_some(building.number),
                coat: Coat::optional_from_wire("coat", building.coat)?,
            })
        })?,
    };
    Edition::new(&parts).map_err(refused)
}

/// The field on the wire of an entry that the rules refuse. They name the entries as the edition
/// file does, where the rondel and the money spaces have another form.
fn refused(error: EditionError) -> WireError {
    match error {
        EditionError::Form(_) => error.into(),
        EditionError::Entry { entry, problem } => {
            let field = match entry.split_once(": ") {
                Some((money_space, "pounds")) => format!("{money_space}.money"),
                Some((money_space, part)) if money_space.starts_with("chapel_money") => {
                    format!("{money_space}.{part}")
                }
                Some((bonus_space, _)) => bonus_space.to_owned(),
                None => entry.replace("rondel", "rondel_incomes"),
            };
            WireError::new(field, problem)
        }
    }
}
