//! What happened in a match, a line each: what one seed must give twice, and what a failure shows.

use std::fmt::{self, Write as _};

use bridgemaster_referee::Time;

/// The lines of one match.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    text: String,
}

impl Trace {
    /// Adds a line. Times are in µs since the match was created.
    pub(crate) fn line(&mut self, at: Time, what: fmt::Arguments<'_>) {
        // Writing to a `String` does not fail.
        let _ = writeln!(self.text, "{:>12}  {what}", at.0);
    }

    /// The text from an earlier length of it on.
    pub(crate) fn since(&self, length: usize) -> &str {
        &self.text[length..]
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The last lines, as many as `count`.
    pub(crate) fn tail(&self, count: usize) -> String {
        let lines: Vec<&str> = self.text.lines().collect();
        lines[lines.len().saturating_sub(count)..].join("\n")
    }
}
