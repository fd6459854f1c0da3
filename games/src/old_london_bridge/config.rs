//! The choices for a match of Old London Bridge.

use std::sync::Arc;

use super::OldLondonBridge;
use super::components::{Area, Face};
use super::edition::Edition;
use crate::edition::edition_value;
use crate::field_error::require;
use crate::options::{Values, words};
use crate::{ConfigOption, FieldError, Options};

/// The choice of the face for an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaceChoice {
    /// This face, which must belong to the area.
    Face(Face),
    /// One of the four expansion faces, drawn uniformly from the seed.
    Random,
}

/// The income that a leader at position 0 gets from a face that pays each round (R14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StartLeaders {
    /// The leader earns nothing.
    #[default]
    Unpaid,
    /// The leader earns the same as at any other position.
    Paid,
}

/// The choices for a match. The default is the base game with the built-in edition.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The faces for chapel, gate, inn and bridge, in this order.
    pub faces: [FaceChoice; 4],
    /// The income of leaders at position 0 (R14).
    pub start_leaders: StartLeaders,
    /// The edition data, such as stacks and tracks.
    pub edition: Arc<Edition>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            faces: Area::ALL.map(|area| FaceChoice::Face(area.base_face())),
            start_leaders: StartLeaders::default(),
            edition: Edition::built_in(),
        }
    }
}

impl Config {
    pub(super) fn check_faces(&self) -> Result<(), FieldError> {
        for (&area, choice) in Area::ALL.iter().zip(self.faces) {
            if let FaceChoice::Face(face) = choice {
                let problem = format_args!("{face} is a face of the {} area", face.area());
                require(format_args!("faces.{area}"), face.area() == area, problem)?;
            }
        }
        Ok(())
    }
}

impl Options for OldLondonBridge {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        ConfigOption {
            name: "faces",
            about: "Score-tile faces: `base`, `random`, or a comma-separated list of faces such as \
                    `chapel_leader,tile_table` and of `AREA=random` (chapel, gate, inn, bridge); \
                    all other areas have their base face",
            values: Values::Text(
                "FACES",
                &[
                    "base",
                    "random",
                    "chapel_leader,gate_leader",
                    "highest_card,lowest_number",
                    "tile_table,bridge=random",
                ],
                |config, text| faces(text).map(|faces| config.faces = faces),
            ),
        },
        ConfigOption {
            name: "start-leaders",
            about: "Leaders at position 0, for the faces `chapel_leader` and `gate_leader`",
            values: words!(start_leaders {
                StartLeaders::Unpaid = "unpaid", "they earn nothing";
                StartLeaders::Paid = "paid", "they earn £1 a round like others";
            }),
        },
        ConfigOption {
            name: "edition",
            about: "Edition data to play with, in the form of \
                    games/data/old_london_bridge/built_in.toml; by default the built-in edition",
            values: edition_value!(Edition),
        },
    ];
}

/// Reads the faces of the four areas, or returns the problem as text.
fn faces(text: &str) -> Result<[FaceChoice; 4], String> {
    let base = Config::default().faces;
    match text {
        "base" => return Ok(base),
        "random" => return Ok([FaceChoice::Random; 4]),
        _ => {}
    }
    let mut chosen: [Option<FaceChoice>; 4] = [None; 4];
    for word in text.split(',').map(str::trim) {
        let (area, choice) = face(word)?;
        if chosen[area.index()].replace(choice).is_some() {
            return Err(format!("{word:?} is the second choice for the {area} area"));
        }
    }
    Ok(std::array::from_fn(|area| chosen[area].unwrap_or(base[area])))
}

/// Reads one entry of the list: `FACE` or `AREA=random`.
fn face(word: &str) -> Result<(Area, FaceChoice), String> {
    if let Some(face) = Face::from_name(word) {
        return Ok((face.area(), FaceChoice::Face(face)));
    }
    if let Some(area) = word.strip_suffix("=random").and_then(Area::from_name) {
        return Ok((area, FaceChoice::Random));
    }
    let faces = Face::ALL.map(Face::name).join(", ");
    let areas = Area::ALL.map(Area::name).join(", ");
    Err(format!(
        "{word:?} is not a face; expected `base`, `random`, or a list of faces ({faces}) and of \
         `AREA=random` with AREA one of {areas}"
    ))
}
