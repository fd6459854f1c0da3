//! Options that users set as text.

use super::{
    OldLondonBridge,
    components::{Area, Face},
    config::{Config, FaceChoice, StartLeaders},
    edition::Edition,
};
use crate::{ConfigOption, Options, edition::set_edition, options::words};

impl Options for OldLondonBridge {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        ConfigOption::text(
            "faces",
            "Score-tile faces: `base`, `random`, or a comma-separated list of faces such as \
             `chapel_leader,tile_table` and of `AREA=random` (chapel, gate, inn, bridge); all other \
             areas have their base face",
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
        words!(
            "start-leaders",
            "Leaders at position 0, for the faces `chapel_leader` and `gate_leader`",
            start_leaders {
                StartLeaders::Unpaid = "unpaid", "they earn nothing";
                StartLeaders::Paid = "paid", "they earn £1 a round like others";
            }
        ),
        ConfigOption::file(
            "edition",
            "Edition data to play with, in the form of games/data/old_london_bridge/built_in.toml; \
             by default the built-in edition",
            |config, text| set_edition(&mut config.edition, Edition::from_toml(text)),
        ),
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
    let faces = Face::ALL.map(Face::name).join(", ");
    let areas = Area::ALL.map(Area::name).join(", ");
    Err(format!(
        "{word:?} is not a face; expected `base`, `random`, or a list of faces ({faces}) and of \
         `AREA=random` with AREA one of {areas}"
    ))
}
