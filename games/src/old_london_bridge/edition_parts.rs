//! Unchecked edition data from outside.

use std::fmt;

use serde::{Deserialize, Deserializer, de};

use super::components::{Coat, Kind, TileKind};

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
    pub rondel: Vec<Option<u32>>,
    /// The chapel track's last space (E3).
    pub chapel_last_space: u32,
    /// The chapel track's money spaces as (space, pounds) (E3).
    pub chapel_money: Vec<(u32, u32)>,
    /// The gate track's last space (E4).
    pub gate_last_space: u32,
    /// The gate track's bonus spaces (E4).
    pub gate_bonus: Vec<u32>,
    /// The tiles in each bonus stack, in any order (E5).
    pub bonus_stacks: Vec<Vec<TileKind>>,
    /// All buildings, in any order (E6).
    pub buildings: Vec<BuildingParts>,
}

/// An unchecked building of an edition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildingParts {
    /// The kind, which decides its action.
    pub kind: Kind,
    /// The house number; `None` for a park.
    pub number: Option<u32>,
    /// The coat of arms; `None` for a guildhall.
    pub coat: Option<Coat>,
}

/// Reads rondel spaces: "x", or an integer number of pounds.
fn rondel_spaces<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<Option<u32>>, D::Error> {
    struct Space(Option<u32>);

    impl<'de> Deserialize<'de> for Space {
        fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
            source.deserialize_any(Self(None))
        }
    }

    impl de::Visitor<'_> for Space {
        type Value = Self;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("\"x\" or an income in pounds")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Self, E> {
            match text {
                "x" => Ok(Self(None)),
                _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
            }
        }

        fn visit_i64<E: de::Error>(self, income: i64) -> Result<Self, E> {
            match u32::try_from(income) {
                Ok(income) => Ok(Self(Some(income))),
                Err(_) => Err(E::invalid_value(de::Unexpected::Signed(income), &self)),
            }
        }
    }

    let spaces = Vec::<Space>::deserialize(source)?;
    Ok(spaces.into_iter().map(|Space(income)| income).collect())
}
