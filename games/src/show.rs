//! A match as text for people.

use std::fmt;

use crate::Sample;

/// How far a match has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Steps that are over.
    pub done: u32,
    /// Steps of the whole match, if it is played to its last one.
    pub total: u32,
    /// What a step is, in the plural: "turns".
    pub unit: &'static str,
}

/// What people see of a game; without methods of its own it shows the fields of an observation.
pub trait Show: Sample {
    /// Writes what a viewer sees as text for people, some lines of at most 100 columns, the last
    /// with its line break. `config` is the config of the match.
    fn render(
        _config: &Self::Config,
        observation: &Self::Observation,
        text: &mut impl fmt::Write,
    ) -> fmt::Result {
        writeln!(text, "{observation:#?}")
    }

    /// How far a match has come, for a progress bar; `None` where a game cannot tell.
    fn progress(_observation: &Self::Observation) -> Option<Progress> {
        None
    }
}
