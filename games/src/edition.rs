//! Edition data for all games: read from a TOML file or from the wire, and checked entry by entry.

use serde::de::DeserializeOwned;

use crate::{FieldError, field_error::require};

/// The maximum length of an edition's name, in characters. A longer name would not fit into one
/// line of a table.
pub const MAX_EDITION_NAME: usize = 64;

/// Parses an edition file without checking its entries.
pub(crate) fn read_parts<P: DeserializeOwned>(text: &str) -> Result<P, FieldError> {
    toml::from_str(text).map_err(|error| FieldError::new("", error))
}

/// Implements the constructors of an edition type: from its built-in data, which is a file below
/// `games/data`, and from other data. The type stores its `EditionParts` in a field `parts`.
macro_rules! edition_file {
    ($edition:ident, $file:literal) => {
        impl $edition {
            #[doc = concat!("The built-in edition: `data/", $file, "`, compiled in.")]
            pub fn built_in() -> std::sync::Arc<Self> {
                static BUILT_IN: std::sync::LazyLock<std::sync::Arc<$edition>> =
                    std::sync::LazyLock::new(|| {
                        let text = include_str!(concat!("../../data/", $file));
                        let edition = $edition::from_toml(text);
                        edition.expect("the built-in edition is valid: a test loads it").into()
                    });
                BUILT_IN.clone()
            }

            /// Reads an edition file, and checks each entry.
            pub fn from_toml(text: &str) -> Result<Self, $crate::FieldError> {
                Self::new(&$crate::edition::read_parts(text)?)
            }

            /// Returns the data that the edition was built from, in its original order. An edition
            /// built from the returned data equals this edition.
            pub fn parts(&self) -> &EditionParts {
                &self.parts
            }

            /// Returns the display name of the edition.
            pub fn name(&self) -> &str {
                &self.parts.name
            }
        }
    };
}
pub(crate) use edition_file;

/// The value of an option: an edition file, which replaces the config's edition.
macro_rules! edition_value {
    ($edition:ident) => {
        $crate::Values::File(|config, text| {
            config.edition = $edition::from_toml(text).map_err(|error| error.to_string())?.into();
            Ok(())
        })
    };
}
pub(crate) use edition_value;

pub(crate) fn check_name(name: &str) -> Result<(), FieldError> {
    let chars = name.chars().count();
    let is_right = (1..=MAX_EDITION_NAME).contains(&chars) && !name.chars().any(char::is_control);
    let problem = format_args!("must have 1 to {MAX_EDITION_NAME} printable characters");
    require("name", is_right, problem)
}

/// Converts a list to an array of exactly `N` items.
pub(crate) fn exactly<'a, T, const N: usize>(
    entry: &str,
    items: &'a [T],
) -> Result<&'a [T; N], FieldError> {
    let problem = || format!("must have {N} entries, found {}", items.len());
    let items = items.try_into();
    items.or_else(|_| FieldError::refuse(entry, problem()))
}
