//! Options: the fields of a game's config that users set as text, for example on a command line.

use std::ops::RangeInclusive;

use thiserror::Error;

use crate::{FieldError, Rules, events::listed, field_error::check_range};

/// A game's options. Parsing, errors for bad values and help texts are all derived from the
/// declaration. A name must not collide with another command-line flag.
pub trait Options: Rules {
    /// The options of the game; none by default.
    const OPTIONS: &'static [ConfigOption<Self::Config>] = &[];
}

/// One option of a config `C`.
#[derive(Debug)]
pub struct ConfigOption<C: 'static> {
    /// The name: lower case, words joined by `-`.
    pub name: &'static str,
    /// The help text.
    pub about: &'static str,
    /// The values that the option accepts.
    pub values: Values<C>,
}

/// The values of an option, each with the function that sets or finds its field of a config.
#[derive(Debug)]
pub enum Values<C: 'static> {
    /// One of these words.
    Words(&'static [Word<C>]),
    /// `on` or `off`.
    Switch(fn(&mut C) -> &mut bool),
    /// An integer in a range. The config field must have the option's name, with `_` for `-`,
    /// because errors use that name.
    Range(RangeInclusive<u8>, fn(&mut C) -> &mut u8),
    /// Free text, whose form the help text explains: the placeholder for help texts, in capitals,
    /// and examples of valid values.
    Text(&'static str, &'static [&'static str], Reader<C>),
    /// The content of a file.
    File(Reader<C>),
}

/// Reads a text, and sets the value in a config. Returns the problem as text if it fails.
pub type Reader<C> = fn(&mut C, &str) -> Result<(), String>;

/// One of an option's values: the word, its meaning, and the function that sets the value in a
/// config.
pub type Word<C> = (&'static str, &'static str, fn(&mut C));

/// The values of an option that are words. Each word sets a config field to a value.
macro_rules! words {
    ($field:ident { $($value:path = $word:literal, $meaning:literal;)* }) => {
        $crate::Values::Words(&[$(($word, $meaning, |config| config.$field = $value),)*])
    };
}
pub(crate) use words;

impl<C: Clone + Default + PartialEq> ConfigOption<C> {
    /// Sets the option's field of a config from a text value.
    pub(crate) fn set(&self, config: &mut C, value: &str) -> Result<(), OptionError> {
        let done = match &self.values {
            Values::Text(_, _, read) | Values::File(read) => read(config, value),
            Values::Words(words) => match words.iter().find(|(word, ..)| *word == value) {
                Some((_, _, set)) => {
                    set(config);
                    Ok(())
                }
                None => Err(self.expected(value)),
            },
            Values::Switch(field) => match value {
                "on" | "off" => {
                    *field(config) = value == "on";
                    Ok(())
                }
                _ => Err(self.expected(value)),
            },
            Values::Range(range, field) => match value.parse() {
                Ok(number) if range.contains(&number) && number.to_string() == value => {
                    *field(config) = number;
                    Ok(())
                }
                _ => Err(format!(
                    "{value:?} is not an integer in {}..={}",
                    range.start(),
                    range.end()
                )),
            },
        };
        done.map_err(|problem| OptionError::Value { name: self.name, problem })
    }

    /// Checks that a number in a config is in its range.
    pub(crate) fn check(&self, config: &C) -> Result<(), FieldError> {
        let Values::Range(range, field) = &self.values else {
            return Ok(());
        };
        let value = *field(&mut config.clone());
        check_range(self.name.replace('-', "_"), value, range.clone())
    }

    fn expected(&self, value: &str) -> String {
        format!("{value:?} is not valid; expected {}", self.examples().join(" or "))
    }

    /// Returns examples of valid values: all values if their number is finite, some for free text,
    /// and none for a file.
    fn examples(&self) -> Vec<String> {
        match &self.values {
            Values::Words(words) => words.iter().map(|(word, ..)| (*word).to_owned()).collect(),
            Values::Switch(_) => ["on", "off"].map(str::to_owned).into(),
            Values::Range(range, _) => range.clone().map(|number| number.to_string()).collect(),
            Values::Text(_, examples, _) => {
                examples.iter().map(|text| (*text).to_owned()).collect()
            }
            Values::File(_) => Vec::new(),
        }
    }

    /// Returns the option's description.
    pub(crate) fn describe(&self) -> GameOption {
        let is_default = |value: &str| {
            let mut config = C::default();
            self.set(&mut config, value).is_ok() && config == C::default()
        };
        let about = self.about;
        let (value_name, help) = match &self.values {
            Values::Words(words) => {
                let words = words.iter().map(|(word, meaning, _)| {
                    let default = if is_default(word) { " (default)" } else { "" };
                    format!("`{word}`, {meaning}{default}")
                });
                let words: Vec<String> = words.collect();
                ("WORD", format!("{about}: {}", words.join(", or ")))
            }
            Values::Switch(_) => {
                let default = if is_default("on") { "on" } else { "off" };
                ("ON_OFF", format!("{about}: `on` or `off` (default: `{default}`)"))
            }
            Values::Range(range, field) => {
                let default = *field(&mut C::default());
                let (first, last) = (range.start(), range.end());
                ("COUNT", format!("{about}: {first} to {last} (default: {default})"))
            }
            Values::Text(value_name, ..) => (*value_name, about.to_owned()),
            Values::File(_) => ("FILE", about.to_owned()),
        };
        GameOption {
            name: self.name,
            value_name,
            source: match self.values {
                Values::File(_) => OptionSource::File,
                _ => OptionSource::Text,
            },
            help,
            examples: self.examples(),
        }
    }
}

/// An option's description, for help texts and tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameOption {
    /// The name of the option and its command-line flag: lower case, words joined by `-`.
    pub name: &'static str,
    /// The placeholder for the value in help texts, in capitals.
    pub value_name: &'static str,
    /// The source from which the value comes.
    pub source: OptionSource,
    /// The help text: the effect of the option and the values it accepts.
    pub help: String,
    /// Examples of valid values: all values if their number is finite, some for free text, and none
    /// for a file.
    pub examples: Vec<String>,
}

/// The source of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionSource {
    /// The option's text is the value.
    Text,
    /// The option's text is the path of a file, and the content of the file is the value. The
    /// caller reads the file, because the rules do no I/O.
    File,
}

/// The reason why an option is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// The game has no option with this name.
    #[error("{name} is not an option of this game; options: {known}")]
    Unknown {
        /// The name of the unknown option.
        name: String,
        /// The names of the existing options, separated by commas.
        known: String,
    },
    /// The value has a wrong form or is out of range.
    #[error("{name}: {problem}")]
    Value {
        /// The name of the option.
        name: &'static str,
        /// The problem and the valid values.
        problem: String,
    },
}

impl OptionError {
    /// Creates the error for a name that is not among `options`.
    pub fn unknown(name: &str, options: &[GameOption]) -> Self {
        Self::Unknown {
            name: name.to_owned(),
            known: listed(options.iter().map(|option| option.name)),
        }
    }
}
