//! Text rendering of matches.

use std::fmt;

use crate::Sample;

/// The progress of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of finished steps.
    pub done: u32,
    /// The number of steps in the whole match, if it does not end early.
    pub total: u32,
    /// The unit in which steps are counted, in the plural, such as "turns".
    pub unit: &'static str,
}

/// Text rendering of a game. The default methods print the fields of an observation.
pub trait Show: Sample {
    /// Writes an observation as text: lines of at most 100 columns, each with its line break.
    /// `config` is the match's config.
    fn render(
        _config: &Self::Config,
        observation: &Self::Observation,
        text: &mut impl fmt::Write,
    ) -> fmt::Result {
        writeln!(text, "{observation:#?}")
    }

    /// Returns the progress of a match for a progress bar, or `None` if the game cannot compute it.
    fn progress(_observation: &Self::Observation) -> Option<Progress> {
        None
    }
}

/// Writes items in lines of at most `per_line` items. Each line starts with `before`, and items are
/// separated by `between`. Writes nothing if there are no items.
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
