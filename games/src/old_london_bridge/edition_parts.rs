//! Edition data as it comes from outside, not yet checked.

use std::fmt;

use serde::{Deserialize, Deserializer, de};

use super::components::{Coat, Kind, TileKind};

/// Highest house number (E6).
pub const MAX_HOUSE_NUMBER: u8 = 60;
/// Most spaces of either track: far above the printed game's, and small enough for a byte.
pub const MAX_TRACK_SPACES: u8 = 60;
/// Highest income of a rondel space, in pounds.
pub const MAX_INCOME: u8 = 3;
/// Most that one money space of the chapel track may pay, in pounds: the whole track then stays
/// far within a 32-bit sum.
pub const MAX_SPACE_MONEY: u8 = 100;

/// Edition data as it comes from outside: from a file or from the wire, not yet checked. The
/// fields are those of the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditionParts {
    /// Name of the edition.
    pub name: String,
    /// E1: kinds in ring order, clockwise.
    pub ring: Vec<Kind>,
    /// E2: incomes clockwise from the X space, in pounds; `None` is X.
    #[serde(deserialize_with = "rondel_spaces")]
    pub rondel: Vec<Option<u32>>,
    /// E3: last space of the chapel track.
    pub chapel_last_space: u32,
    /// E3: (space, pounds) of its money spaces.
    pub chapel_money: Vec<(u32, u32)>,
    /// E4: last space of the gate track.
    pub gate_last_space: u32,
    /// E4: its bonus spaces.
    pub gate_bonus: Vec<u32>,
    /// E5: tiles of each bonus stack.
    pub bonus_stacks: Vec<Vec<TileKind>>,
    /// E6: all buildings, in any order.
    pub buildings: Vec<BuildingParts>,
}

/// A building as it comes from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildingParts {
    /// Its kind.
    pub kind: Kind,
    /// House number; `None` for a park.
    pub number: Option<u32>,
    /// Coat of arms; `None` for a guildhall.
    pub coat: Option<Coat>,
}

/// Reads rondel spaces: "x", or a whole number of pounds.
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
