//! The choice between rating methods.

use std::{fmt, str::FromStr};

use crate::{Glicko2, PlackettLuce, RatingMethod};

/// The name of a rating method for ladders, as in flags and config files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RatingMethodId {
    /// [`PlackettLuce`]: one fit to all results, for bots whose strength does not change.
    #[default]
    PlackettLuce,
    /// [`Glicko2`]: updates after each rating period, for bots whose strength changes.
    Glicko2,
}

impl RatingMethodId {
    /// All rating methods.
    pub const ALL: [Self; 2] = [Self::PlackettLuce, Self::Glicko2];

    /// Returns the method, with its settings for a ladder.
    pub fn for_ladder(self) -> Box<dyn RatingMethod> {
        match self {
            Self::PlackettLuce => Box::new(PlackettLuce::for_ladder()),
            Self::Glicko2 => Box::new(Glicko2::default()),
        }
    }
}

impl fmt::Display for RatingMethodId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::PlackettLuce => "plackett-luce",
            Self::Glicko2 => "glicko-2",
        })
    }
}

impl FromStr for RatingMethodId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|id| id.to_string() == text).ok_or_else(|| {
            let names = Self::ALL.map(|id| id.to_string()).join(", ");
            format!("expected one of: {names}")
        })
    }
}
