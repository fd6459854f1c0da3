//! A figure of a table with its bounds.

use std::fmt;

/// A figure and its bounds.
pub(crate) struct Cell {
    name: String,
    value: f64,
    low: f64,
    high: f64,
    /// Additional information, such as the number of groups.
    note: String,
}

impl Cell {
    /// Creates a share of `runs` runs that must be at most `rate`, plus two standard errors.
    pub(crate) fn at_most(name: String, share: f64, rate: f64, runs: u32, note: String) -> Self {
        let error = (rate * (1.0 - rate) / f64::from(runs)).sqrt();
        Self { name, value: share, low: 0.0, high: rate + 2.0 * error, note }
    }

    /// Creates a figure that must lie between two bounds.
    pub(crate) fn between(name: String, value: f64, low: f64, high: f64, note: String) -> Self {
        Self { name, value, low, high, note }
    }

    /// Returns whether the figure is within its bounds.
    pub(crate) fn holds(&self) -> bool {
        (self.low..=self.high).contains(&self.value)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, low, high, note } = self;
        let broken = if self.holds() { "" } else { "  BROKEN" };
        write!(f, "{name:52} {value:8.4}  ({low:.4} to {high:.4})  {note}{broken}")
    }
}
