//! What the notations of all games have in common.

use std::fmt::{self, Display};
use std::str::FromStr;

use thiserror::Error;

/// Most characters of a refused text that an error repeats: more than any decision has.
const MAX_QUOTED_CHARS: usize = 80;

/// Why a text is no decision.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text:?} is no decision; expected {expected}")]
pub struct NotationError {
    /// The text, cut after 80 characters.
    pub text: String,
    /// What a decision of this kind looks like.
    pub expected: &'static str,
}

impl NotationError {
    /// The refusal of a text where `expected` was.
    pub(crate) fn new(text: &str, expected: &'static str) -> Self {
        Self {
            text: text.chars().take(MAX_QUOTED_CHARS).collect(),
            expected,
        }
    }
}

/// What was read from a text, if it is written just so. One decision has one text: what would be
/// written otherwise is refused.
pub(crate) fn exact<D: Display>(
    text: &str,
    read: Option<D>,
    expected: &'static str,
) -> Result<D, NotationError> {
    read.filter(|decision| decision.to_string() == text)
        .ok_or_else(|| NotationError::new(text, expected))
}

/// Each of some items after a blank.
pub(crate) fn spaced<T: Display>(
    items: impl IntoIterator<Item = T, IntoIter: Clone>,
) -> impl Display {
    let items = items.into_iter();
    fmt::from_fn(move |f| items.clone().try_for_each(|item| write!(f, " {item}")))
}

/// What is named, or the word for nothing.
pub(crate) fn or(nothing: &'static str, named: Option<impl Display>) -> impl Display {
    fmt::from_fn(move |f| match &named {
        Some(named) => named.fmt(f),
        None => f.write_str(nothing),
    })
}

/// What the standard library reads from a part of a text.
pub(crate) fn read<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

/// Declares the notation of decisions, as a table. Of each kind: its word and what is written after
/// it, which may name the content; how that is read; and what is expected where it cannot be. A
/// kind without content is its word alone.
macro_rules! notation {
    ($name:ident { $(
        $kind:ident $(($content:pat))? = $word:literal
        $($rest:literal $(($($shown:expr),+ $(,)?))?, from $read:path, else $expected:literal)?;
    )* }) => {
        impl $name {
            /// The first word of the notation: the kind of decision.
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

/// The decision of a kind, with the content that is read for it.
macro_rules! content {
    ($kind:path) => {
        Some($kind)
    };
    ($kind:path, $read:path, $rest:ident) => {
        $read($rest).map($kind)
    };
}
pub(crate) use content;

/// What a kind expects: its word alone unless it says more.
macro_rules! expected {
    ($word:literal) => {
        concat!("`", $word, "`")
    };
    ($word:literal, $expected:literal) => {
        $expected
    };
}
pub(crate) use expected;

/// `a, b or c`.
macro_rules! either {
    ($last:literal) => { $last };
    ($word:literal, $last:literal) => { concat!($word, " or ", $last) };
    ($word:literal, $($more:literal),+) => {
        concat!($word, ", ", crate::notation::either!($($more),+))
    };
}
pub(crate) use either;
