//! What the edition data of all games have in common: read from a TOML file or from the wire,
//! checked entry by entry.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use thiserror::Error;

/// Longest name of an edition, in characters: one line of a table.
pub const MAX_EDITION_NAME: usize = 64;

/// Why edition data is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditionError {
    /// The file is not TOML of the expected form.
    #[error("{0}")]
    Form(String),
    /// An entry breaks a rule.
    #[error("{entry}: {problem}")]
    Entry {
        /// Path of the entry, such as `buildings[17].number`.
        entry: String,
        /// What is wrong with it, and what would be valid.
        problem: String,
    },
}

impl EditionError {
    /// `Err` of a wrong entry.
    pub(crate) fn entry<T>(
        entry: impl Into<String>,
        problem: impl Into<String>,
    ) -> Result<T, Self> {
        Err(Self::Entry {
            entry: entry.into(),
            problem: problem.into(),
        })
    }
}

/// Reads an edition file, not yet checked.
pub(crate) fn read_parts<P: DeserializeOwned>(text: &str) -> Result<P, EditionError> {
    toml::from_str(text).map_err(|error| EditionError::Form(error.to_string()))
}

/// Gives an edition its built-in data, a file below `games/data`, and the reading of others. Its
/// parts are `EditionParts` in its field `parts`.
macro_rules! edition_file {
    ($edition:ident, $file:literal) => {
        impl $edition {
            #[doc = concat!("The built-in edition: `data/", $file, "`, compiled in.")]
            pub fn built_in() -> std::sync::Arc<Self> {
                static BUILT_IN: std::sync::LazyLock<std::sync::Arc<$edition>> =
                    std::sync::LazyLock::new(|| {
                        let text = include_str!(concat!("../../data/", $file));
                        let edition = $edition::from_toml(text);
                        edition
                            .expect("the built-in edition is valid: a test loads it")
                            .into()
                    });
                BUILT_IN.clone()
            }

            /// Reads and checks an edition file.
            pub fn from_toml(text: &str) -> Result<Self, $crate::EditionError> {
                Self::new(&$crate::edition::read_parts(text)?)
            }

            /// The data as it comes from outside, in order: made into an edition again, they give
            /// this one.
            pub fn parts(&self) -> &EditionParts {
                &self.parts
            }

            /// Name of the edition, for people.
            pub fn name(&self) -> &str {
                &self.parts.name
            }
        }
    };
}
pub(crate) use edition_file;

/// Sets the edition of a config to one that was read, or says what is wrong with it.
pub(crate) fn set_edition<E>(
    edition: &mut Arc<E>,
    read: Result<E, EditionError>,
) -> Result<(), String> {
    *edition = Arc::new(read.map_err(|error| error.to_string())?);
    Ok(())
}

pub(crate) fn check_name(name: &str) -> Result<(), EditionError> {
    let chars = name.chars().count();
    if chars == 0 || chars > MAX_EDITION_NAME || name.chars().any(char::is_control) {
        let problem = format!("must have 1 to {MAX_EDITION_NAME} printable characters");
        return EditionError::entry("name", problem);
    }
    Ok(())
}

/// A list of exactly `N` items.
pub(crate) fn exactly<'a, T, const N: usize>(
    entry: &str,
    items: &'a [T],
) -> Result<&'a [T; N], EditionError> {
    match items.try_into() {
        Ok(items) => Ok(items),
        Err(_) => {
            let problem = format!("must have {N} entries, found {}", items.len());
            EditionError::entry(entry, problem)
        }
    }
}
