//! Options: what people can choose of a game's config by text, on a command line for example.

use std::ops::RangeInclusive;

use thiserror::Error;

use crate::{Rules, events::listed};

/// The options of a game. Setting one, the error of a bad value and the help text all follow from
/// its declaration. A name may not be that of another flag of the command line.
pub trait Options: Rules {
    /// None unless a game says otherwise.
    const OPTIONS: &'static [ConfigOption<Self::Config>] = &[];
}

/// One option: its name (lower case, words joined by `-`), what it does, and which values it takes
/// for which field of a config `C`.
#[derive(Debug)]
pub struct ConfigOption<C: 'static> {
    name: &'static str,
    about: &'static str,
    values: Values<C>,
}

#[derive(Debug)]
enum Values<C: 'static> {
    Words(&'static [Word<C>]),
    Switch(fn(&mut C) -> &mut bool),
    Range(RangeInclusive<u8>, fn(&mut C) -> &mut u8),
    Text(&'static str, &'static [&'static str], Reader<C>),
    File(Reader<C>),
}

/// Reads a text into a config, or says what is wrong with it.
type Reader<C> = fn(&mut C, &str) -> Result<(), String>;

/// A value of an option: the word, what it means, and how it is set.
pub type Word<C> = (&'static str, &'static str, fn(&mut C));

/// An option of one of some words, each of which sets a field of the config to a value.
macro_rules! words {
    ($name:literal, $about:literal, $field:ident { $(
        $value:path = $word:literal, $meaning:literal;
    )* }) => {
        $crate::ConfigOption::words($name, $about, &[
            $(($word, $meaning, |config| config.$field = $value),)*
        ])
    };
}
pub(crate) use words;

impl<C: Clone + Default + PartialEq> ConfigOption<C> {
    /// One of some words.
    pub const fn words(name: &'static str, about: &'static str, words: &'static [Word<C>]) -> Self {
        Self::new(name, about, Values::Words(words))
    }

    /// `on` or `off`.
    pub const fn switch(
        name: &'static str,
        about: &'static str,
        field: fn(&mut C) -> &mut bool,
    ) -> Self {
        Self::new(name, about, Values::Switch(field))
    }

    /// A whole number.
    pub const fn range(
        name: &'static str,
        about: &'static str,
        range: RangeInclusive<u8>,
        field: fn(&mut C) -> &mut u8,
    ) -> Self {
        Self::new(name, about, Values::Range(range, field))
    }

    /// Text of a form of its own, which `about` tells; `value_name` stands for it in help texts,
    /// in capitals, and `examples` are valid ones.
    pub const fn text(
        name: &'static str,
        about: &'static str,
        value_name: &'static str,
        examples: &'static [&'static str],
        read: Reader<C>,
    ) -> Self {
        Self::new(name, about, Values::Text(value_name, examples, read))
    }

    /// The content of a file.
    pub const fn file(name: &'static str, about: &'static str, read: Reader<C>) -> Self {
        Self::new(name, about, Values::File(read))
    }

    const fn new(name: &'static str, about: &'static str, values: Values<C>) -> Self {
        Self {
            name,
            about,
            values,
        }
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Sets the field of a config from a text.
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
                    "{value:?} is no whole number from {} to {}",
                    range.start(),
                    range.end()
                )),
            },
        };
        done.map_err(|problem| OptionError::Value {
            name: self.name,
            problem,
        })
    }

    fn expected(&self, value: &str) -> String {
        format!(
            "{value:?} is not valid; expected {}",
            self.examples().join(" or ")
        )
    }

    /// Valid values: all of them, but of free text some and of a file none.
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

    /// The option for people and tools.
    pub(crate) fn describe(&self) -> GameOption {
        let is_default = |value: &str| {
            let mut config = C::default();
            self.set(&mut config, value).is_ok() && config == C::default()
        };
        let about = self.about;
        let (value_name, help) = match &self.values {
            Values::Words(words) => {
                let words = words.iter().map(|(word, meaning, _)| {
                    let default = if is_default(word) {
                        " (the default)"
                    } else {
                        ""
                    };
                    format!("`{word}`, {meaning}{default}")
                });
                let words: Vec<String> = words.collect();
                ("WORD", format!("{about}: {}", words.join(", or ")))
            }
            Values::Switch(_) => {
                let default = if is_default("on") { "on" } else { "off" };
                (
                    "ON_OFF",
                    format!("{about}: `on` or `off`, `{default}` when not given"),
                )
            }
            Values::Range(range, field) => {
                let default = *field(&mut C::default());
                let (first, last) = (range.start(), range.end());
                (
                    "COUNT",
                    format!("{about}: {first} to {last}, {default} when not given"),
                )
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

/// An option for people and tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameOption {
    /// Its name, also as a command-line flag: lower case, words joined by `-`.
    pub name: &'static str,
    /// What stands for the value in help texts, in capitals.
    pub value_name: &'static str,
    /// Where the value comes from.
    pub source: OptionSource,
    /// What it does and which values it takes, for people.
    pub help: String,
    /// Valid values: all of them, but of free text some and of a file none.
    pub examples: Vec<String>,
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
        Self::Unknown {
            name: name.to_owned(),
            known: listed(options.iter().map(|option| option.name)),
        }
    }
}
