//! The extent to which a match is disclosed.

/// The extent to which a match is disclosed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disclosure {
    /// Public facts, and facts that the viewing seats may know.
    Public,
    /// All facts in the records, including private ones.
    Everything,
}
