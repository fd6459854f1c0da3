//! How much is told.

/// What may be told of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disclosure {
    /// What everybody may know while it runs, and of seats that look what they know themselves.
    Public,
    /// All that its records have.
    Everything,
}
