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

/// Writes items in lines of at most `per_line`, each line after `before`, with `between` between
/// items. Without items there is no line.
pub(crate) fn write_lines<T: fmt::Display>(
    text: &mut impl fmt::Write,
    before: &str,
    items: impl IntoIterator<Item = T>,
    per_line: usize,
    between: &str,
) -> fmt::Result {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    let mut lines = items.chunks(per_line);
    lines.try_for_each(|line| writeln!(text, "{before}{}", line.join(between)))
}
