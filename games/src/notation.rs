//! Parsing and formatting that the notations of all games share.

use std::fmt::{self, Display};
use std::str::FromStr;

use thiserror::Error;

/// The maximum length of a refused text that an error quotes, in characters. Every decision is
/// shorter.
const MAX_QUOTED_CHARS: usize = 80;

/// The error for a text that is not a decision in notation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text:?} is not a decision; expected {expected}")]
pub struct NotationError {
    /// The refused text, cut after 80 characters.
    pub text: String,
    /// The decision's expected form.
    pub expected: &'static str,
}

impl NotationError {
    /// Creates the error for a text that does not have the form `expected`.
    pub(crate) fn new(text: &str, expected: &'static str) -> Self {
        Self { text: text.chars().take(MAX_QUOTED_CHARS).collect(), expected }
    }
}

/// Returns the value read from a text if the text is the value's canonical form. Each decision has
/// exactly one such text; every other spelling is refused.
pub(crate) fn exact<D: Display>(
    text: &str,
    read: Option<D>,
    expected: &'static str,
) -> Result<D, NotationError> {
    read.filter(|decision| decision.to_string() == text)
        .ok_or_else(|| NotationError::new(text, expected))
}

/// Formats each item with a space before it.
pub(crate) fn spaced<T: Display>(
    items: impl IntoIterator<Item = T, IntoIter: Clone>,
) -> impl Display {
    let items = items.into_iter();
    fmt::from_fn(move |f| items.clone().try_for_each(|item| write!(f, " {item}")))
}

/// Formats a value, or `nothing` if it is absent.
pub(crate) fn or(nothing: &'static str, named: Option<impl Display>) -> impl Display {
    fmt::from_fn(move |f| match &named {
        Some(named) => named.fmt(f),
        None => f.write_str(nothing),
    })
}

/// Parses a part of a text with its `FromStr` implementation.
pub(crate) fn read<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

/// Declares the notation of decisions as a table. Each row has the word for a kind of decision, the
/// format of its content, the function that reads the content, and the expected form for errors. A
/// kind without content is written as the word alone.
macro_rules! notation {
    ($name:ident { $(
        $kind:ident $(($content:pat))? = $word:literal
        $($rest:literal $(($($shown:expr),+ $(,)?))?, from $read:path, else $expected:literal)?;
    )* }) => {
        impl $name {
            /// Returns the notation's first word, which names the kind of decision.
            pub const fn word(&self) -> &'static str {
                match self { $(Self::$kind { .. } => $word,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())?;
                match self {
                    $(Self::$kind $(($content))? => {
                        $(write!(f, $rest $(, $($shown),+)?)?;)?
                    })*
                }
                Ok(())
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::NotationError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                use crate::notation::{content, either, exact, expected};
                let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
                let (decision, expected) = match word {
                    $($word => (
                        content!(Self::$kind $(, $read, rest)?),
                        expected!($word $(, $expected)?),
                    ),)*
                    _ => (None, either!($($word),*)),
                };
                exact(text, decision, expected)
            }
        }
    };
}
pub(crate) use notation;

/// Builds a decision of this kind from its parsed content.
macro_rules! content {
    ($kind:path) => {
        Some($kind)
    };
    ($kind:path, $read:path, $rest:ident) => {
        $read($rest).map($kind)
    };
}
pub(crate) use content;

/// The expected form for a kind: the word alone, unless the table has another form.
macro_rules! expected {
    ($word:literal) => {
        concat!("`", $word, "`")
    };
    ($word:literal, $expected:literal) => {
        $expected
    };
}
pub(crate) use expected;

/// Formats alternatives as `a, b or c`.
macro_rules! either {
    ($last:literal) => { $last };
    ($word:literal, $last:literal) => { concat!($word, " or ", $last) };
    ($word:literal, $($more:literal),+) => {
        concat!($word, ", ", crate::notation::either!($($more),+))
    };
}
pub(crate) use either;
