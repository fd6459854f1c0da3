//! One figure of a table, with the bounds that it must keep.

use std::fmt;

/// A figure and its bounds.
pub(crate) struct Cell {
    name: String,
    value: f64,
    low: f64,
    high: f64,
    /// More to tell, such as how many groups it took.
    note: String,
}

impl Cell {
    /// A share of `runs` runs that must be at most `rate`, two standard errors of so many runs
    /// apart.
    pub(crate) fn at_most(name: String, share: f64, rate: f64, runs: u32, note: String) -> Self {
        let error = (rate * (1.0 - rate) / f64::from(runs)).sqrt();
        Self {
            name,
            value: share,
            low: 0.0,
            high: rate + 2.0 * error,
            note,
        }
    }

    /// A figure that must lie between two others.
    pub(crate) fn between(name: String, value: f64, low: f64, high: f64, note: String) -> Self {
        Self {
            name,
            value,
            low,
            high,
            note,
        }
    }

    /// Whether it keeps its bounds.
    pub(crate) fn holds(&self) -> bool {
        (self.low..=self.high).contains(&self.value)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            value,
            low,
            high,
            note,
        } = self;
        let broken = if self.holds() { "" } else { "  BROKEN" };
        write!(
            f,
            "{name:52} {value:8.4}  ({low:.4} to {high:.4})  {note}{broken}"
        )
    }
}
