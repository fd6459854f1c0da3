//! The config as text: what people can choose on a command line.

use std::sync::Arc;

use super::components::{Area, Face};
use super::config::{Config, FaceChoice, StartLeaders};
use super::edition::Edition;
use crate::option::reading;
use crate::{GameOption, OptionError, OptionSource};

const FACES: &str = "faces";
const START_LEADERS: &str = "start-leaders";
const EDITION: &str = "edition";

pub(super) const OPTIONS: &[GameOption] = &[
    GameOption {
        name: FACES,
        value_name: "FACES",
        source: OptionSource::Text,
        help: "Score-tile faces: `base`, `random`, or a comma-separated list of faces such as \
               `chapel_leader,tile_table` and of `AREA=random` (chapel, gate, inn, bridge); areas \
               that are not named keep their base face",
    },
    GameOption {
        name: START_LEADERS,
        value_name: "READING",
        source: OptionSource::Text,
        help: "Leaders at position 0, for the faces `chapel_leader` and `gate_leader`: `unpaid`, \
               they earn nothing (the default), or `paid`, they earn £1 a round like others",
    },
    GameOption {
        name: EDITION,
        value_name: "FILE",
        source: OptionSource::File,
        help: "Edition data to play with, in the form of \
               games/data/old_london_bridge/house.toml; the house edition when not given",
    },
];

pub(super) fn set(config: &mut Config, name: &str, value: &str) -> Result<(), OptionError> {
    match name {
        FACES => config.faces = faces(value).map_err(refused(FACES))?,
        START_LEADERS => {
            let readings = [
                ("unpaid", StartLeaders::Unpaid),
                ("paid", StartLeaders::Paid),
            ];
            config.start_leaders = reading(START_LEADERS, value, readings)?;
        }
        EDITION => {
            let edition = Edition::from_toml(value).map_err(|error| error.to_string());
            config.edition = Arc::new(edition.map_err(refused(EDITION))?);
        }
        _ => return Err(OptionError::unknown(name, OPTIONS)),
    }
    Ok(())
}

fn refused(name: &'static str) -> impl FnOnce(String) -> OptionError {
    move |problem| OptionError::Value { name, problem }
}

/// Reads the faces of the four areas, or says what is wrong.
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
    Ok(std::array::from_fn(|area| {
        chosen[area].unwrap_or(base[area])
    }))
}

/// Reads one entry of the list: `FACE` or `AREA=random`.
fn face(word: &str) -> Result<(Area, FaceChoice), String> {
    if let Some(face) = Face::from_name(word) {
        return Ok((face.area(), FaceChoice::Face(face)));
    }
    if let Some(area) = word.strip_suffix("=random").and_then(Area::from_name) {
        return Ok((area, FaceChoice::Random));
    }
    let list = |names: &[&str]| names.join(", ");
    let faces: Vec<&str> = Face::ALL.iter().map(|face| face.name()).collect();
    let areas: Vec<&str> = Area::ALL.iter().map(|area| area.name()).collect();
    Err(format!(
        "{word:?} is no face; expected `base`, `random`, or a list of faces ({}) and of \
         `AREA=random` with AREA one of {}",
        list(&faces),
        list(&areas)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> Result<[FaceChoice; 4], OptionError> {
        let mut config = Config::default();
        set(&mut config, "faces", text).map(|()| config.faces)
    }

    #[test]
    fn areas_that_are_not_named_keep_their_base_face() {
        let faces = chosen("tile_table, bridge=random").unwrap();
        assert_eq!(
            faces,
            [
                FaceChoice::Face(Face::ChapelTrack),
                FaceChoice::Face(Face::TileTable),
                FaceChoice::Face(Face::HandSum),
                FaceChoice::Random,
            ]
        );
        assert_eq!(chosen("base").unwrap(), Config::default().faces);
        assert_eq!(chosen("random").unwrap(), [FaceChoice::Random; 4]);
    }

    #[test]
    fn a_bad_face_is_refused_with_the_faces_that_there_are() {
        let error = chosen("chapel_leader,spire").unwrap_err().to_string();
        assert!(error.starts_with("faces: \"spire\" is no face"), "{error}");
        assert!(error.contains("longest_series"), "{error}");
    }

    #[test]
    fn two_faces_of_one_area_are_refused() {
        let error = chosen("most_gates,gate=random").unwrap_err().to_string();
        assert_eq!(
            error,
            "faces: \"gate=random\" is the second choice for the gate area"
        );
    }

    #[test]
    fn leaders_at_the_start_are_paid_or_not() {
        let mut config = Config::default();
        set(&mut config, "start-leaders", "paid").unwrap();
        assert_eq!(config.start_leaders, StartLeaders::Paid);
        set(&mut config, "start-leaders", "unpaid").unwrap();
        assert_eq!(config, Config::default());
        let error = set(&mut config, "start-leaders", "yes").unwrap_err();
        assert_eq!(
            error.to_string(),
            "start-leaders: \"yes\" is no reading; expected unpaid or paid"
        );
    }

    #[test]
    fn a_bad_edition_is_refused_with_its_entry() {
        let house = include_str!("../../data/old_london_bridge/house.toml");
        let mut config = Config::default();
        set(&mut config, "edition", house).unwrap();
        assert_eq!(config, Config::default());
        let twice = house.replacen("number = 59", "number = 58", 1);
        let error = set(&mut config, "edition", &twice).unwrap_err().to_string();
        assert!(error.starts_with("edition: buildings["), "{error}");
    }

    #[test]
    fn an_unknown_option_is_refused_with_those_that_there_are() {
        let error = set(&mut Config::default(), "colour", "red")
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "colour is no option of this game; its options are: faces, start-leaders, edition"
        );
    }
}
