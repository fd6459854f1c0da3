//! Who looks at matches, and which of them he sees.

use bridgemaster_store::KeyName;

use super::HostedMatch;

/// Who looks at matches.
pub(crate) trait Viewer {
    /// Which matches the caller may see.
    fn seen(&self) -> Seen<'_>;

    /// Whether the caller sees a match at once that spectators see late.
    fn sees_at_once(&self, hosted: &dyn HostedMatch) -> bool;

    /// The same for a match of these names.
    fn sees_at_once_what_is_of(&self, parties: &[KeyName]) -> bool;

    /// Whether the caller may know of a match that cannot be read, which this key made, if that
    /// is known.
    fn sees_unreadable(&self, maker: Option<&KeyName>) -> bool;
}

/// Which matches somebody may see.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen<'a> {
    /// All.
    All,
    /// Those of this name.
    Of(&'a KeyName),
    /// None.
    Nothing,
}
