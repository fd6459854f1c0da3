//! The config as text: what people can choose on a command line.

use super::config::{Config, DummyPlaces, WithoutBuildings};
use crate::option::reading;
use crate::{GameOption, OptionError, OptionSource};

const WITHOUT_BUILDINGS: &str = "without-buildings";
const DUMMY_PLACES: &str = "dummy-places";

pub(super) const OPTIONS: &[GameOption] = &[
    GameOption {
        name: WITHOUT_BUILDINGS,
        value_name: "READING",
        source: OptionSource::Text,
        help: "Seats without a building of a category: `no-place`, they take no place in it (the \
               default), or `place`, they take and share places like others",
    },
    GameOption {
        name: DUMMY_PLACES,
        value_name: "READING",
        source: OptionSource::Text,
        help: "Places of the dummy at a table of two: `all`, like a seat (the default), or \
               `first-only`, it is passed over in categories where others have more",
    },
];

pub(super) fn set(config: &mut Config, name: &str, value: &str) -> Result<(), OptionError> {
    match name {
        WITHOUT_BUILDINGS => {
            let readings = [
                ("no-place", WithoutBuildings::NoPlace),
                ("place", WithoutBuildings::Place),
            ];
            config.without_buildings = reading(WITHOUT_BUILDINGS, value, readings)?;
        }
        DUMMY_PLACES => {
            let readings = [
                ("all", DummyPlaces::All),
                ("first-only", DummyPlaces::FirstOnly),
            ];
            config.dummy_places = reading(DUMMY_PLACES, value, readings)?;
        }
        _ => return Err(OptionError::unknown(name, OPTIONS)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reading_is_set_by_its_name() {
        let mut config = Config::default();
        set(&mut config, "without-buildings", "place").unwrap();
        set(&mut config, "dummy-places", "first-only").unwrap();
        let other = Config {
            without_buildings: WithoutBuildings::Place,
            dummy_places: DummyPlaces::FirstOnly,
        };
        assert_eq!(config, other);
        set(&mut config, "without-buildings", "no-place").unwrap();
        set(&mut config, "dummy-places", "all").unwrap();
        assert_eq!(config, Config::default());
    }

    #[test]
    fn a_bad_reading_is_refused_with_those_that_there_are() {
        let refusal = |name, value| {
            let error = set(&mut Config::default(), name, value).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            refusal("dummy-places", "first"),
            "dummy-places: \"first\" is no reading; expected all or first-only"
        );
        assert_eq!(
            refusal("edition", "x"),
            "edition is no option of this game; its options are: without-buildings, dummy-places"
        );
    }
}
