//! The verdict on a run: its figures, and the violations of each property.

use std::fmt;

/// Number of problems that are shown for each property.
const MAX_SHOWN: usize = 5;

/// Outcome of a run.
#[derive(Default)]
pub(crate) struct Verdict {
    figures: Vec<String>,
    checks: Vec<(&'static str, Vec<String>)>,
}

impl Verdict {
    pub(crate) fn figure(&mut self, figure: String) {
        self.figures.push(figure);
    }

    /// Adds problems that violate a property.
    pub(crate) fn check(&mut self, property: &'static str, against: Vec<String>) {
        self.checks.push((property, against));
    }

    /// Adds a property, with this problem unless it holds.
    pub(crate) fn holds(&mut self, property: &'static str, holds: bool, problem: String) {
        self.check(property, if holds { vec![] } else { vec![problem] });
    }

    /// Returns the verdict as text.
    ///
    /// # Errors
    /// Returns an error if a property does not hold. The error is the same text.
    pub(crate) fn result(&self) -> Result<String, String> {
        let holds = self.checks.iter().all(|(_, against)| against.is_empty());
        if holds { Ok(self.to_string()) } else { Err(self.to_string()) }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for figure in &self.figures {
            writeln!(f, "{figure}")?;
        }
        for (property, against) in &self.checks {
            if against.is_empty() {
                writeln!(f, "holds: {property}")?;
                continue;
            }
            writeln!(f, "FAILS: {property}: {} times", against.len())?;
            for problem in against.iter().take(MAX_SHOWN) {
                writeln!(f, "    {problem}")?;
            }
        }
        Ok(())
    }
}
