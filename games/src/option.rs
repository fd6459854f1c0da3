//! Options of a game's config that people give as text, on a command line for example.

use thiserror::Error;

/// One option of a game's config.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOption {
    /// Its name, also as a command-line flag: lower case, words joined by `-`.
    pub name: &'static str,
    /// What stands for the value in help texts, in capitals.
    pub value_name: &'static str,
    /// Where the value comes from.
    pub source: OptionSource,
    /// What it does and which values it takes, for people.
    pub help: &'static str,
}

/// Where the value of an option comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionSource {
    /// The text that was given is the value.
    Text,
    /// The text that was given names a file, and what is in it is the value. The caller reads
    /// the file: rules do no I/O.
    File,
}

/// Why an option is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// The game has no option of this name.
    #[error("{name} is no option of this game; its options are: {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The value is not valid.
    #[error("{name}: {problem}")]
    Value {
        /// The option.
        name: &'static str,
        /// What is wrong with the value, and what would be valid.
        problem: String,
    },
}

impl OptionError {
    /// A name that is not among `options`.
    pub fn unknown(name: &str, options: &[GameOption]) -> Self {
        let known: Vec<&str> = options.iter().map(|option| option.name).collect();
        Self::Unknown {
            name: name.to_owned(),
            known: match known.is_empty() {
                true => "none".to_owned(),
                false => known.join(", "),
            },
        }
    }
}

/// Which of two readings of the rules an option's value names.
pub(crate) fn reading<T: Copy>(
    option: &'static str,
    value: &str,
    readings: [(&str, T); 2],
) -> Result<T, OptionError> {
    let named = readings.iter().find(|(name, _)| *name == value);
    named.map(|(_, reading)| *reading).ok_or_else(|| {
        let [(first, _), (second, _)] = readings;
        OptionError::Value {
            name: option,
            problem: format!("{value:?} is no reading; expected {first} or {second}"),
        }
    })
}
